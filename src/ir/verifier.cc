#include "ir/verifier.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/checked_math.h"
#include "ir/buffer_rules.h"
#include "ir/expect.h"
#include "ir/op_info.h"
#include "ir/ops/rule.h"
#include "ir/option_rules.h"
#include "ir/records.h"
#include "ir/shape_rules.h"
#include "ir/source_place.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::Status WithPlace(const absl::Status& status, const HloInstruction& instruction) {
  if (status.ok()) return status;
  const HloComputation* computation = instruction.parent();
  const std::string source = SourcePlaceText(instruction);
  return absl::Status(
      status.code(),
      absl::StrCat(status.message(), "; in computation ",
                   computation == nullptr ? "?" : computation->name(), ": ",
                   instruction.ToShortString(), source.empty() ? "" : ", from ", source));
}

std::string Label(const HloInstruction& instruction, int number) {
  return absl::StrCat(HloOpcodeString(instruction.opcode()), "_c", number);
}

// ---- One instruction
// -----------------------------------------------------------------------------

using ProgramShapes = absl::flat_hash_map<const HloComputation*, std::unique_ptr<ProgramShape>>;

const ProgramShape* GetProgramShape(const HloComputation& computation, ProgramShapes& known) {
  std::unique_ptr<ProgramShape>& shape = known[&computation];
  if (shape == nullptr) {
    shape = std::make_unique<ProgramShape>(computation.ComputeProgramShape(/*include_ids=*/false));
  }
  return shape.get();
}

// Operations that give out what they or others have, unchanged: nothing is rounded there.
bool HandsOn(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAddDependency:
    case HloOpcode::kBitcast:
    case HloOpcode::kCall:
    case HloOpcode::kConditional:
    case HloOpcode::kConstant:
    case HloOpcode::kCustomCall:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kInfeed:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kParameter:
    case HloOpcode::kRecv:
    case HloOpcode::kRecvDone:
    case HloOpcode::kSend:
    case HloOpcode::kTuple:
    case HloOpcode::kWhile:
      return true;
    default:
      return HasTrait(opcode, kAsync) || HasTrait(opcode, kCollective);
  }
}

// The rules of the operation, with its own attributes or others in their place.
absl::Status CheckShape(const HloInstruction& instruction, const Attributes& attributes,
                        const HloVerifierOpts& options, ProgramShapes& program_shapes) {
  std::vector<const Shape*> operands;
  for (const HloInstruction* operand : instruction.operands())
    operands.push_back(&operand->shape());
  std::vector<const ProgramShape*> callees;
  for (const HloComputation* callee : instruction.called_computations()) {
    callees.push_back(GetProgramShape(*callee, program_shapes));
  }
  const OpDescription op = {
      instruction.opcode(),          operands, &attributes, callees, &instruction.shape(),
      options.allow_mixed_precision,
  };
  HILO_ASSIGN_OR_RETURN(const Shape inferred, InferShape(op));
  const bool may_differ = options.allow_mixed_precision && !HandsOn(instruction.opcode());
  HILO_EXPECT(Label(instruction, 0),
              shape_rules::ShapesAgree(inferred, instruction.shape(), may_differ),
              "the result is declared as %s, but it is %s", shape_rules::Text(instruction.shape()),
              shape_rules::Text(inferred));
  return CheckLayoutsHandedOn(instruction, inferred, options);
}

// Before any rule looks at the shape as that of an operand.
absl::Status CheckShapeIsValid(const HloInstruction& instruction) {
  const absl::Status valid = ShapeUtil::ValidateShapeWithOptionalLayout(instruction.shape());
  HILO_EXPECT(Label(instruction, 0), valid.ok(), "%s", valid.message());
  return absl::OkStatus();
}

// `devices` is how many there are where the module says so.
absl::Status CheckSharding(const HloInstruction& instruction, std::optional<int64_t> devices) {
  // That of an outfeed is for its data, not for the token it gives.
  if (!instruction.has_sharding() || instruction.opcode() == HloOpcode::kOutfeed) {
    return absl::OkStatus();
  }
  const absl::Status valid = instruction.sharding().Validate(instruction.shape(), devices);
  HILO_EXPECT("sharding_c1", valid.ok(), "%s", valid.message());
  return absl::OkStatus();
}

// What a value was before a program was changed has its parts.
absl::Status CheckOriginalValue(const HloInstruction& instruction) {
  const std::shared_ptr<OriginalValue> origin = instruction.original_value();
  HILO_EXPECT("origin_c1", origin == nullptr || origin->IsCompatibleWith(instruction.shape()),
              "origin={%s} has other parts than %s", origin->ToString(),
              shape_rules::Text(instruction.shape()));
  return absl::OkStatus();
}

// A composite operation says what it is.
absl::Status CheckComposite(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kCall ||
      !instruction.attributes_as<CallAttributes>().is_composite) {
    return absl::OkStatus();
  }
  const auto& said = instruction.frontend_attributes().map();
  const auto name = said.find("composite.name");
  HILO_EXPECT(Label(instruction, 3), name != said.end() && !name->second.empty(),
              "a composite call needs the frontend attribute composite.name");
  const auto attributes = said.find("composite.attributes");
  HILO_EXPECT(Label(instruction, 4), attributes == said.end() || !attributes->second.empty(),
              "the frontend attribute composite.attributes must not be empty");
  const auto version = said.find("composite.version");
  int64_t number = 0;
  HILO_EXPECT(Label(instruction, 5),
              version == said.end() || (absl::SimpleAtoi(version->second, &number) && number >= 0),
              "the frontend attribute composite.version must be a number from 0 on, not \"%s\"",
              version->second);
  return absl::OkStatus();
}

// What is called in place, or anywhere in a fusion, runs in the thread of who calls it.
absl::Status CheckThreads(const HloInstruction& instruction, const HloVerifierOpts& options) {
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kCustomCall &&
      !options.verify_custom_call_nested_computation_thread_name) {
    return absl::OkStatus();
  }
  if (!HasTrait(opcode, kControlFlow) && opcode != HloOpcode::kFusion &&
      opcode != HloOpcode::kCustomCall && !instruction.parent()->IsFusionComputation()) {
    return absl::OkStatus();
  }
  const absl::string_view thread = instruction.parent()->execution_thread();
  for (const HloComputation* callee : instruction.called_computations()) {
    HILO_EXPECT("module_c11", callee->execution_thread() == thread,
                "%s in the thread \"%s\" calls computation %s, which is for the thread \"%s\"",
                instruction.name(), thread, callee->name(), callee->execution_thread());
  }
  return absl::OkStatus();
}

// ---- Starts and dones
// ----------------------------------------------------------------------------

struct AsyncPair {
  HloOpcode start;
  HloOpcode done;
};

constexpr AsyncPair kAsyncPairs[] = {
    {HloOpcode::kAllGatherStart, HloOpcode::kAllGatherDone},
    {HloOpcode::kAllReduceStart, HloOpcode::kAllReduceDone},
    {HloOpcode::kCollectivePermuteStart, HloOpcode::kCollectivePermuteDone},
    {HloOpcode::kCopyStart, HloOpcode::kCopyDone},
};

absl::Status CheckAsyncPair(const HloInstruction& instruction) {
  for (const auto& [start, done] : kAsyncPairs) {
    if (instruction.opcode() == start) {
      HILO_EXPECT(Label(instruction, 8),
                  instruction.user_count() == 1 && instruction.users()[0]->opcode() == done,
                  "must have one user, %s", HloOpcodeString(done));
    } else if (instruction.opcode() == done) {
      HILO_EXPECT(Label(instruction, 8), instruction.operand(0)->opcode() == start,
                  "the operand must be %s", HloOpcodeString(start));
    }
  }
  return absl::OkStatus();
}

bool IsAsyncEnd(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kAsyncUpdate ||
         instruction.opcode() == HloOpcode::kAsyncDone;
}

// Whether a context goes through the instruction to another computation or back from there.
bool CarriesAsyncContext(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kTuple ||
         instruction.opcode() == HloOpcode::kOptimizationBarrier ||
         HasTrait(instruction.opcode(), kControlFlow);
}

// Whether what a step began goes on: in its only user, or where its computation was called.
bool IsGoneOnWith(const HloInstruction& instruction) {
  if (instruction.user_count() == 1) {
    const HloInstruction& user = *instruction.users()[0];
    return IsAsyncEnd(user) || CarriesAsyncContext(user);
  }
  const HloComputation& parent = *instruction.parent();
  return instruction.user_count() == 0 && instruction.IsRoot() && !parent.IsEntryComputation();
}

// Whether the value may be a context that another computation began.
bool ComesFromElsewhere(const HloInstruction& instruction) {
  const HloInstruction* source = &instruction;
  while (source->opcode() == HloOpcode::kGetTupleElement) source = source->operand(0);
  if (source->opcode() == HloOpcode::kParameter) return !source->parent()->IsEntryComputation();
  return source->opcode() != HloOpcode::kTuple && CarriesAsyncContext(*source);
}

// A chain: async-start, any number of async-update, async-done. Between two of them may lie the
// way into a computation or out of it.
absl::Status CheckAsyncChain(const HloInstruction& instruction) {
  const bool is_start = instruction.opcode() == HloOpcode::kAsyncStart;
  if (!is_start && !IsAsyncEnd(instruction)) return absl::OkStatus();
  const std::string& thread = instruction.attributes_as<AsyncAttributes>().execution_thread;
  if (is_start || instruction.opcode() == HloOpcode::kAsyncUpdate) {
    HILO_EXPECT(Label(instruction, 5), IsGoneOnWith(instruction),
                "must have one user, async-update or async-done");
  }
  const bool is_first = is_start || !HloOpcodeIsAsync(instruction.operand(0)->opcode());
  if (is_first && !is_start) {
    HILO_EXPECT(Label(instruction, 6), ComesFromElsewhere(*instruction.operand(0)),
                "the operand must come from async-start or async-update");
    HILO_EXPECT(Label(instruction, 7), instruction.called_computations().size() == 1,
                "must say what it calls, since the start is elsewhere");
  }
  if (is_first) {
    const HloComputation& wrapped = *instruction.called_computations()[0];
    HILO_EXPECT(Label(instruction, 6), wrapped.execution_thread() == thread,
                "computation %s is for the thread \"%s\", not \"%s\"", wrapped.name(),
                wrapped.execution_thread(), thread);
    return absl::OkStatus();
  }
  const HloInstruction& previous = *instruction.operand(0);
  HILO_EXPECT(
      Label(instruction, 6),
      previous.opcode() == HloOpcode::kAsyncStart || previous.opcode() == HloOpcode::kAsyncUpdate,
      "the operand must be async-start or async-update");
  const auto& callees = instruction.called_computations();
  HILO_EXPECT(Label(instruction, 7), callees.empty() || callees == previous.called_computations(),
              "must call the same computation as its operand");
  HILO_EXPECT(Label(instruction, 8),
              thread == previous.attributes_as<AsyncAttributes>().execution_thread,
              "async_execution_thread must be that of the operand");
  return absl::OkStatus();
}

// The end of a transfer has the channel of its beginning, where that is the operand itself rather
// than part of a tuple.
absl::Status CheckTransfer(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kSendDone &&
      instruction.opcode() != HloOpcode::kRecvDone) {
    return absl::OkStatus();
  }
  const HloOpcode begin =
      instruction.opcode() == HloOpcode::kSendDone ? HloOpcode::kSend : HloOpcode::kRecv;
  const HloInstruction& previous = *instruction.operand(0);
  if (previous.opcode() != begin) {
    HILO_EXPECT(Label(instruction, 2),
                previous.opcode() != HloOpcode::kSend && previous.opcode() != HloOpcode::kRecv,
                "the operand must come from %s", HloOpcodeString(begin));
    return absl::OkStatus();
  }
  const auto& attributes = instruction.attributes_as<SendRecvAttributes>();
  const auto& expected = previous.attributes_as<SendRecvAttributes>();
  HILO_EXPECT(Label(instruction, 3), attributes.channel_id == expected.channel_id,
              "channel_id must be that of the operand");
  HILO_EXPECT(Label(instruction, 4), attributes.is_host_transfer == expected.is_host_transfer,
              "is_host_transfer must be that of the operand");
  return absl::OkStatus();
}

// How many devices there are to be in the groups of a collective operation; 1 where the
// configuration does not tell.
int64_t DevicesForGroups(const Attributes& attributes, const HloModuleConfig& config) {
  bool use_global_device_ids = false;
  bool has_global_device_ids = true;
  const Attributes* record = &attributes;
  if (const auto* gather = dynamic_cast<const AllGatherAttributes*>(record)) {
    use_global_device_ids = gather->use_global_device_ids;
  } else if (const auto* reduce = dynamic_cast<const AllReduceAttributes*>(record)) {
    use_global_device_ids = reduce->use_global_device_ids;
  } else if (const auto* scatter = dynamic_cast<const ReduceScatterAttributes*>(record)) {
    use_global_device_ids = scatter->use_global_device_ids;
  } else {
    has_global_device_ids = false;
  }
  const bool has_channel =
      dynamic_cast<const CollectiveAttributes&>(attributes).channel_id.has_value();
  if (!has_channel) return config.replica_count();
  if (!has_global_device_ids) return config.num_partitions();
  if (!use_global_device_ids) return config.replica_count();
  return SaturatingMultiply(config.replica_count(), config.num_partitions());
}

// Groups that are written out name every device there is, and no others.
absl::Status CheckAllDevicesInGroups(const HloInstruction& instruction,
                                     const CollectiveDeviceList& groups, int64_t devices) {
  const int64_t named = groups.num_total_devices();
  HILO_EXPECT(Label(instruction, 9), named == devices,
              "replica_groups must name all %d devices, not %d", devices, named);
  // The other kinds count from 0.
  if (groups.kind() != CollectiveDeviceList::Kind::kList) return absl::OkStatus();
  for (const ReplicaGroup& group : groups.replica_groups()) {
    for (int64_t id : group.replica_ids()) {
      HILO_EXPECT(Label(instruction, 9), id < devices,
                  "replica_groups has %d, but there are %d devices", id, devices);
    }
  }
  return absl::OkStatus();
}

// Where no groups are written, the rules hold for one group of all devices.
absl::Status CheckGroups(const HloInstruction& instruction, const HloModuleConfig& config,
                         const HloVerifierOpts& options, ProgramShapes& program_shapes) {
  const auto* collective = dynamic_cast<const CollectiveAttributes*>(&instruction.attributes());
  if (collective == nullptr) return absl::OkStatus();
  const int64_t devices = DevicesForGroups(instruction.attributes(), config);
  if (devices <= 1) return absl::OkStatus();
  if (!collective->replica_groups.empty()) {
    return CheckAllDevicesInGroups(instruction, collective->replica_groups, devices);
  }
  const std::unique_ptr<Attributes> attributes = instruction.attributes().Clone();
  HILO_ASSIGN_OR_RETURN(dynamic_cast<CollectiveAttributes&>(*attributes).replica_groups,
                        IotaReplicaGroupList::Create(1, devices, {devices}, {0}));
  return CheckShape(instruction, *attributes, options, program_shapes);
}

absl::Status CheckInstruction(const HloInstruction& instruction, const HloModuleConfig& config,
                              const HloVerifierOpts& options, ProgramShapes& program_shapes) {
  HILO_RETURN_IF_ERROR(CheckShape(instruction, instruction.attributes(), options, program_shapes));
  const bool knows_devices = options.verify_sharding_device_numbers && config.num_partitions() > 1;
  HILO_RETURN_IF_ERROR(CheckSharding(
      instruction, knows_devices ? std::make_optional(config.num_partitions()) : std::nullopt));
  HILO_RETURN_IF_ERROR(CheckThreads(instruction, options));
  for (auto check : {CheckOriginalValue, CheckComposite, CheckBuffers, CheckAsyncPair,
                     CheckAsyncChain, CheckTransfer}) {
    HILO_RETURN_IF_ERROR(check(instruction));
  }
  HILO_RETURN_IF_ERROR(CheckOptionalRules(instruction, options));
  return CheckGroups(instruction, config, options, program_shapes);
}

// ---- One computation
// -----------------------------------------------------------------------------

absl::Status CheckParameters(const HloComputation& computation) {
  int64_t count = 0;
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction->opcode() != HloOpcode::kParameter) continue;
    ++count;
    const int64_t number = instruction->parameter_number();
    HILO_EXPECT("computation_c1",
                0 <= number && number < computation.num_parameters() &&
                    computation.parameter_instruction(number) == instruction,
                "computation %s: its parameters are not numbered 0, 1, 2, ...", computation.name());
  }
  HILO_EXPECT("computation_c1", count == computation.num_parameters(),
              "computation %s has %d parameters, but numbers up to %d", computation.name(), count,
              computation.num_parameters());
  return absl::OkStatus();
}

absl::Status CheckNames(const HloComputation& computation) {
  absl::flat_hash_set<absl::string_view> names;
  for (const HloInstruction* instruction : computation.instructions()) {
    HILO_EXPECT("computation_c3", instruction->parent() == &computation,
                "instruction %s does not belong to its computation %s", instruction->name(),
                computation.name());
    HILO_EXPECT("computation_c4", names.insert(instruction->name()).second,
                "computation %s has two instructions %s", computation.name(), instruction->name());
  }
  return absl::OkStatus();
}

// Edges have both ends in the computation and are known at both.
absl::Status CheckEdges(const HloComputation& computation) {
  using Edge = std::pair<const HloInstruction*, const HloInstruction*>;
  absl::flat_hash_set<Edge> uses;
  absl::flat_hash_set<Edge> control;
  for (const HloInstruction* instruction : computation.instructions()) {
    for (const HloInstruction* operand : instruction->operands()) {
      HILO_EXPECT("computation_c5", operand != nullptr && operand->parent() == &computation,
                  "an operand of %s is not in its computation %s", instruction->name(),
                  computation.name());
      uses.insert({operand, instruction});
    }
    for (const HloInstruction* before : instruction->control_predecessors()) {
      HILO_EXPECT("computation_c5", before != nullptr && before->parent() == &computation,
                  "a control predecessor of %s is not in its computation %s", instruction->name(),
                  computation.name());
      control.insert({before, instruction});
    }
  }
  for (const HloInstruction* instruction : computation.instructions()) {
    for (const HloInstruction* user : instruction->users()) {
      // One that is not part of any computation yet may use what it likes.
      if (user->parent() == nullptr) continue;
      HILO_EXPECT("computation_c6", uses.erase({instruction, user}) == 1,
                  "%s is a user of %s, but does not have it as operand", user->name(),
                  instruction->name());
    }
    for (const HloInstruction* after : instruction->control_successors()) {
      HILO_EXPECT("computation_c7", control.erase({instruction, after}) == 1,
                  "%s is a control successor of %s, but does not know it", after->name(),
                  instruction->name());
    }
  }
  HILO_EXPECT("computation_c6", uses.empty(),
              "%s is an operand of %s, which it does not know as user", uses.begin()->first->name(),
              uses.begin()->second->name());
  HILO_EXPECT("computation_c7", control.empty(),
              "%s is a control predecessor of %s, which it does not know",
              control.begin()->first->name(), control.begin()->second->name());
  return absl::OkStatus();
}

// Takes away instructions that wait for nothing until none is left, or only such as wait for each
// other.
absl::Status CheckAcyclic(const HloComputation& computation) {
  absl::flat_hash_map<const HloInstruction*, int64_t> waiting;
  std::vector<const HloInstruction*> ready;
  for (const HloInstruction* instruction : computation.instructions()) {
    const absl::flat_hash_set<const HloInstruction*> operands(instruction->operands().begin(),
                                                              instruction->operands().end());
    const int64_t count =
        static_cast<int64_t>(operands.size() + instruction->control_predecessors().size());
    waiting[instruction] = count;
    if (count == 0) ready.push_back(instruction);
  }
  int64_t done = 0;
  while (!ready.empty()) {
    const HloInstruction* instruction = ready.back();
    ready.pop_back();
    ++done;
    for (const auto* next : {&instruction->users(), &instruction->control_successors()}) {
      for (const HloInstruction* user : *next) {
        if (--waiting[user] == 0) ready.push_back(user);
      }
    }
  }
  HILO_EXPECT("computation_c8", done == computation.instruction_count(),
              "computation %s: %d instructions wait for each other", computation.name(),
              computation.instruction_count() - done);
  return absl::OkStatus();
}

absl::Status CheckStructure(const HloComputation& computation) {
  const HloInstruction* root = computation.root_instruction();
  HILO_EXPECT("computation_c2", root != nullptr && root->parent() == &computation,
              "computation %s has no root", computation.name());
  HILO_RETURN_IF_ERROR(CheckParameters(computation));
  HILO_RETURN_IF_ERROR(CheckNames(computation));
  HILO_RETURN_IF_ERROR(CheckEdges(computation));
  return CheckAcyclic(computation);
}

// ---- The module
// ----------------------------------------------------------------------------------

using Computations = std::vector<const HloComputation*>;

absl::flat_hash_map<const HloComputation*, Computations> FindCallees(const HloModule& module) {
  absl::flat_hash_map<const HloComputation*, Computations> callees;
  for (const HloComputation* computation : module.computations()) {
    Computations& list = callees[computation];
    for (const HloInstruction* instruction : computation->instructions()) {
      const auto& called = instruction->called_computations();
      list.insert(list.end(), called.begin(), called.end());
    }
    absl::c_sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return callees;
}

absl::Status CheckCallGraph(const HloModule& module) {
  const auto callees = FindCallees(module);
  absl::flat_hash_map<const HloComputation*, int64_t> callers;
  for (const auto& [computation, list] : callees) {
    for (const HloComputation* callee : list) {
      HILO_EXPECT("module_c3", callee != nullptr && callees.contains(callee),
                  "computation %s calls a computation of another module", computation->name());
      ++callers[callee];
    }
  }
  Computations ready;
  for (const HloComputation* computation : module.computations()) {
    if (!callers.contains(computation)) ready.push_back(computation);
  }
  int64_t done = 0;
  while (!ready.empty()) {
    const HloComputation* computation = ready.back();
    ready.pop_back();
    ++done;
    for (const HloComputation* callee : callees.at(computation)) {
      if (--callers[callee] == 0) ready.push_back(callee);
    }
  }
  HILO_EXPECT("module_c4", done == module.computation_count(),
              "%d computations call each other in a circle", module.computation_count() - done);
  return absl::OkStatus();
}

// What async operations wrap runs on its own and cannot be called otherwise.
absl::Status CheckWrappedComputations(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> wrapped;
  for (bool async : {true, false}) {
    for (const HloComputation* computation : module.computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        if (HloOpcodeIsAsync(instruction->opcode()) != async) continue;
        for (const HloComputation* callee : instruction->called_computations()) {
          if (async) {
            wrapped.insert(callee);
          } else {
            HILO_EXPECT("module_c5", !wrapped.contains(callee),
                        "%s calls computation %s, which async operations call", instruction->name(),
                        callee->name());
          }
        }
      }
    }
  }
  return absl::OkStatus();
}

bool ReadsInfeed(const HloInstruction& instruction,
                 const absl::flat_hash_set<const HloComputation*>& readers) {
  return instruction.opcode() == HloOpcode::kInfeed ||
         absl::c_any_of(instruction.called_computations(),
                        [&](const HloComputation* callee) { return readers.contains(callee); });
}

// The instructions that read the infeed must come one after the other. Each gets the number of
// those on the longest way to it; two with the same number have no way from one to the other.
absl::Status CheckInfeedOrder(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> readers;
  for (const HloComputation* computation : module.MakeComputationPostOrder()) {
    if (absl::c_none_of(computation->instructions(), [&](const HloInstruction* instruction) {
          return ReadsInfeed(*instruction, readers);
        })) {
      continue;
    }
    readers.insert(computation);
    absl::flat_hash_map<const HloInstruction*, int64_t> numbers;
    std::vector<const HloInstruction*> by_number = {nullptr};
    for (const HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      int64_t number = 0;
      for (const HloInstruction* operand : instruction->operands())
        number = std::max(number, numbers.at(operand));
      for (const HloInstruction* before : instruction->control_predecessors())
        number = std::max(number, numbers.at(before));
      if (ReadsInfeed(*instruction, readers)) {
        if (++number == static_cast<int64_t>(by_number.size())) by_number.push_back(nullptr);
        const HloInstruction*& other = by_number[number];
        HILO_EXPECT(
            "module_c10", other == nullptr,
            "computation %s: %s and %s both read the infeed, but nothing says which of them "
            "comes first",
            computation->name(), other->name(), instruction->name());
        other = instruction;
      }
      numbers[instruction] = number;
    }
  }
  return absl::OkStatus();
}

absl::Status CheckEntryLayout(const HloModule& module, const ProgramShape& entry,
                              const HloVerifierOpts& options) {
  if (!module.config().has_entry_computation_layout()) return absl::OkStatus();
  const ComputationLayout& layout = module.entry_computation_layout();
  HILO_EXPECT("module_c6", layout.parameter_count() == entry.parameters_size(),
              "entry_computation_layout has %d parameters, the entry computation %d",
              layout.parameter_count(), entry.parameters_size());
  for (int i = 0; i < entry.parameters_size(); ++i) {
    HILO_EXPECT(
        "module_c6", shape_rules::ShapesAgree(layout.parameter_shape(i), entry.parameters(i)),
        "entry_computation_layout: parameter %d is %s, in the entry computation %s", i,
        shape_rules::Text(layout.parameter_shape(i)), shape_rules::Text(entry.parameters(i)));
  }
  HILO_EXPECT("module_c6", shape_rules::ShapesAgree(layout.result_shape(), entry.result()),
              "entry_computation_layout: the result is %s, in the entry computation %s",
              shape_rules::Text(layout.result_shape()), shape_rules::Text(entry.result()));
  if (!options.layout_sensitive) return absl::OkStatus();
  for (int i = 0; i < entry.parameters_size(); ++i) {
    HILO_EXPECT("module_c12", HaveOneLayout(layout.parameter_shape(i), entry.parameters(i)),
                "entry_computation_layout: parameter %d is %s, in the entry computation %s", i,
                ShapeUtil::HumanStringWithLayout(layout.parameter_shape(i)),
                ShapeUtil::HumanStringWithLayout(entry.parameters(i)));
  }
  HILO_EXPECT("module_c12", HaveOneLayout(layout.result_shape(), entry.result()),
              "entry_computation_layout: the result is %s, in the entry computation %s",
              ShapeUtil::HumanStringWithLayout(layout.result_shape()),
              ShapeUtil::HumanStringWithLayout(entry.result()));
  return absl::OkStatus();
}

absl::Status CheckModuleAttributes(const HloModule& module, const ProgramShape& entry,
                                   const HloVerifierOpts& options) {
  HILO_RETURN_IF_ERROR(CheckEntryLayout(module, entry, options));
  const absl::Status aliases = module.input_output_alias_config().Verify(entry);
  HILO_EXPECT("module_c7", aliases.ok(), "input_output_alias: %s", aliases.message());
  const absl::Status donors =
      module.buffer_donor_config().Verify(entry, module.input_output_alias_config());
  HILO_EXPECT("module_c8", donors.ok(), "buffer_donor: %s", donors.message());
  if (module.has_schedule()) {
    const absl::Status schedule = module.schedule().Verify(module);
    HILO_EXPECT("module_c9", schedule.ok(), "schedule: %s", schedule.message());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyInstruction(const HloInstruction& instruction, const HloVerifierOpts& options) {
  for (const HloInstruction* operand : instruction.operands()) {
    HILO_RETURN_IF_ERROR(WithPlace(CheckShapeIsValid(*operand), *operand));
  }
  ProgramShapes program_shapes;
  absl::Status status = CheckShape(instruction, instruction.attributes(), options, program_shapes);
  if (status.ok()) status.Update(CheckOptionalRules(instruction, options));
  status.Update(CheckSharding(instruction, std::nullopt));
  return WithPlace(status, instruction);
}

absl::Status VerifyModule(const HloModule& module, const HloVerifierOpts& options) {
  HILO_EXPECT("module_c1", module.has_entry_computation(), "module %s has no entry computation",
              module.name());
  absl::flat_hash_set<absl::string_view> names;
  for (const HloComputation* computation : module.computations()) {
    HILO_EXPECT("module_c2", names.insert(computation->name()).second,
                "there are two computations %s", computation->name());
    HILO_RETURN_IF_ERROR(CheckStructure(*computation));
    for (const HloInstruction* instruction : computation->instructions()) {
      HILO_RETURN_IF_ERROR(WithPlace(CheckShapeIsValid(*instruction), *instruction));
    }
  }
  HILO_RETURN_IF_ERROR(CheckCallGraph(module));
  ProgramShapes program_shapes;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      HILO_RETURN_IF_ERROR(WithPlace(
          CheckInstruction(*instruction, module.config(), options, program_shapes), *instruction));
    }
  }
  HILO_RETURN_IF_ERROR(CheckWrappedComputations(module));
  return CheckModuleAttributes(
      module, *GetProgramShape(*module.entry_computation(), program_shapes), options);
}

absl::Status VerifyModule(const HloModule& module) {
  HILO_RETURN_IF_ERROR(VerifyModule(module, {.allow_unbounded_dynamism = true}));
  return CheckInfeedOrder(module);
}

}  // namespace xla
