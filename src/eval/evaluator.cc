#include "eval/evaluator.h"

#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "base/float_environment.h"
#include "base/status_macros.h"
#include "eval/actual_sizes.h"
#include "eval/dynamic_sizes.h"
#include "eval/elementwise.h"
#include "eval/frame.h"
#include "ir/graph.h"
#include "xla/util.h"

namespace xla::eval {

// A computation's instructions in the order in which they are evaluated. Values lie in slots, one
// per instruction.
struct Evaluator::Plan {
  struct Operand {
    int slot;
    bool last_use;
  };
  struct Entry {
    const HloInstruction* instruction;
    absl::InlinedVector<Operand, 3> operands;
    bool takes_element = false;  // a get-tuple-element that may move the element out of the tuple
  };
  std::vector<Entry> entries;
  int root;
};

namespace {

// What the root needs and what has side effects.
absl::flat_hash_set<const HloInstruction*> Needed(const HloComputation& computation,
                                                  SideEffects& side_effects) {
  std::vector<const HloInstruction*> values = {computation.root_instruction()};
  for (const HloInstruction* instruction : computation.instructions()) {
    if (side_effects.Has(*instruction)) values.push_back(instruction);
  }
  return NeededFor(std::move(values));
}

bool OnlyElementsAreUsed(const HloInstruction& tuple) {
  if (tuple.IsRoot()) return false;
  for (const HloInstruction* user : tuple.users()) {
    if (user->opcode() != HloOpcode::kGetTupleElement) return false;
  }
  return true;
}

}  // namespace

Evaluator::Evaluator(Options options)
    : options_(std::move(options)),
      random_counter_(options_.random_seed),
      environment_{options_.mailboxes, options_.random_seed, options_.device, options_.stop},
      transfers_(environment_),
      ffi_run_(options_.ffi) {
  // Devices of one seed have different numbers: each begins 2^48 after the one before.
  random_counter_.Take(static_cast<uint64_t>(options_.device.id) << 48);
}
Evaluator::~Evaluator() = default;

const Evaluator::Plan& Evaluator::PlanFor(const HloComputation& computation) {
  std::unique_ptr<Plan>& plan = plans_[&computation];
  if (plan != nullptr) return *plan;
  plan = std::make_unique<Plan>();
  const auto needed = Needed(computation, side_effects_);
  absl::flat_hash_map<const HloInstruction*, int> slots;
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    if (!needed.contains(instruction)) continue;
    Plan::Entry entry = {instruction, {}};
    for (const HloInstruction* operand : instruction->operands())
      entry.operands.push_back({slots.at(operand), false});
    slots[instruction] = static_cast<int>(plan->entries.size());
    plan->entries.push_back(std::move(entry));
  }
  plan->root = slots.at(computation.root_instruction());

  // Backwards, the first use that is met is the last one.
  absl::flat_hash_set<int> used = {plan->root};
  absl::flat_hash_set<std::pair<int, int64_t>> used_elements;
  for (size_t i = plan->entries.size(); i-- > 0;) {
    Plan::Entry& entry = plan->entries[i];
    if (entry.instruction->opcode() == HloOpcode::kGetTupleElement) {
      entry.takes_element =
          used_elements.insert({entry.operands[0].slot, entry.instruction->tuple_index()}).second &&
          OnlyElementsAreUsed(*entry.instruction->operand(0));
    }
    for (size_t k = entry.operands.size(); k-- > 0;) {
      entry.operands[k].last_use = used.insert(entry.operands[k].slot).second;
    }
  }
  return *plan;
}

absl::StatusOr<Value> Evaluator::Call(const HloComputation& computation,
                                      std::vector<Value> arguments) {
  if (depth_ == kMaxCallDepth) {
    return ResourceExhausted("Calls nest more than %d deep at computation %s", kMaxCallDepth,
                             computation.name());
  }
  const Plan& plan = PlanFor(computation);
  ++depth_;
  absl::Cleanup leave = [this] { --depth_; };
  std::vector<Value> slots(plan.entries.size());
  for (size_t i = 0; i < plan.entries.size(); ++i) {
    const Plan::Entry& entry = plan.entries[i];
    if (entry.instruction->opcode() == HloOpcode::kParameter) {
      slots[i] = std::move(arguments[entry.instruction->parameter_number()]);
      continue;
    }
    if (entry.takes_element) {
      Value& tuple = slots[entry.operands[0].slot];
      slots[i] = tuple.TakeElement(entry.instruction->tuple_index());
      if (entry.operands[0].last_use) tuple = Value();
      continue;
    }
    absl::InlinedVector<Value, 4> operands;
    for (const Plan::Operand& operand : entry.operands) {
      operands.push_back(operand.last_use ? std::move(slots[operand.slot]) : slots[operand.slot]);
    }
    HILO_ASSIGN_OR_RETURN(slots[i], Evaluate(*entry.instruction, absl::MakeSpan(operands)));
  }
  return std::move(slots[plan.root]);
}

absl::StatusOr<Value> Evaluator::Evaluate(const HloInstruction& instruction,
                                          absl::Span<Value> operands) {
  const DefaultFloatEnvironment float_environment;
  Frame frame(*this, operands);
  if (HasPadding(operands)) return EvaluateWithoutPadding(frame, instruction);
  return FindOperation(instruction.opcode())(frame, instruction);
}

const Program* Evaluator::ScalarProgram(const HloComputation& computation) {
  const auto [entry, is_new] = programs_.try_emplace(&computation);
  if (is_new) entry->second = Program::Compile(computation);
  return entry->second.get();
}

int64_t Frame::Integer(int64_t i) const {
  const Literal& scalar = array(i);
  const Format& format = FormatOf(scalar.shape().element_type());
  int64_t value = 0;
  format.load(Data(scalar), 0, 1, &value);
  return value;
}

Operation FindOperation(HloOpcode opcode) {
  static constexpr Operation kOperations[] = {
#define HLO_FUNCTION(...) &Elementwise,
#define HLO_OP(name, ...) &name,
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP
  };
  return kOperations[static_cast<int>(opcode)];
}

}  // namespace xla::eval
