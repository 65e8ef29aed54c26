// HloModule from its message. Nothing in the message is trusted.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "front/proto/attribute_proto.h"
#include "ir/graph.h"
#include "ir/name_uniquer.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_original_value.h"
#include "xla/layout_util.h"
#include "xla/service/compilation_environments.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using ComputationsById = absl::flat_hash_map<int64_t, HloComputation*>;

// Of a 64-bit id only the low half counts: the high half repeats which computation it is in.
absl::StatusOr<int64_t> LocalId(int64_t id) {
  const int64_t local = id & 0xffffffff;
  if (local > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("instruction id %d is out of range", id);
  }
  return local;
}

// The bytes of a payload, which may lie in the list that the module keeps for all its instructions.
absl::StatusOr<std::string> ResolvePayload(const Payload& payload, const HloModuleProto& module) {
  if (payload.payload_source_case() != Payload::kId) return payload.value();
  if (payload.id() < 0 || payload.id() >= module.payloads_size()) {
    return InvalidArgument("payload %d of %d", payload.id(), module.payloads_size());
  }
  return module.payloads(static_cast<int>(payload.id()));
}

absl::StatusOr<Shape> ReadShape(const HloInstructionProto& proto) {
  if (!proto.has_shape()) return InvalidArgument("has no shape");
  HILO_ASSIGN_OR_RETURN(Shape shape, Shape::FromProto(proto.shape()));
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  ShapeUtil::ForEachMutableSubshape(&shape, [](Shape* subshape, const ShapeIndex&) {
    if (subshape->IsArray() && !subshape->has_layout()) LayoutUtil::SetToDefaultLayout(subshape);
  });
  return shape;
}

absl::Status CheckCount(absl::string_view what, int64_t count, int64_t min, int64_t max) {
  if (count >= min && count <= max) return absl::OkStatus();
  const std::string expected = min == max     ? absl::StrCat(min)
                               : max >= kMany ? absl::StrCat("at least ", min)
                                              : absl::StrCat(min, " to ", max);
  return InvalidArgument("has %d %s instead of %s", count, what, expected);
}

absl::Status CheckCallees(const OpInfo& op, int64_t count) {
  switch (op.callees.form) {
    case CalleeForm::kNamed:
      return CheckCount("called computations", count, op.callees.count, op.callees.count);
    case CalleeForm::kList:
      return absl::OkStatus();
    case CalleeForm::kBranches:
      return CheckCount("called computations", count, 1, kMany);
  }
  return absl::OkStatus();
}

// A literal in the layout that the instruction declares.
absl::Status MatchLiteralLayout(const Shape& shape, SharedLiteral& literal) {
  if (literal == nullptr) return absl::OkStatus();
  if (!ShapeUtil::Compatible(shape, literal->shape())) {
    return InvalidArgument("shape %s does not fit the literal's %s", shape.ToString(),
                           literal->shape().ToString());
  }
  if (!LayoutUtil::LayoutsInShapesEqual(shape, literal->shape(),
                                        Layout::Equal().MinorToMajorOnly())) {
    literal = std::make_shared<const Literal>(literal->Relayout(shape));
  }
  return absl::OkStatus();
}

class ComputationReader {
 public:
  ComputationReader(const HloModuleProto& module, const HloComputationProto& proto,
                    const ComputationsById& computations, bool prohibit_empty_literal)
      : module_(module),
        proto_(proto),
        computations_(computations),
        prohibit_empty_literal_(prohibit_empty_literal) {}

  absl::StatusOr<std::unique_ptr<HloComputation>> Read() {
    instructions_.reserve(proto_.instructions_size());
    for (const HloInstructionProto& instruction : proto_.instructions()) {
      const absl::Status status = ReadInstruction(instruction);
      if (!status.ok()) {
        return InvalidArgument("computation %s: instruction %s: %s", proto_.name(),
                               instruction.name(), status.message());
      }
    }
    absl::StatusOr<HloInstruction*> root = Find(proto_.root_id());
    if (!root.ok()) {
      return InvalidArgument("computation %s: root: %s", proto_.name(), root.status().message());
    }
    // The order of ids is the order in which the instructions were made.
    std::stable_sort(instructions_.begin(), instructions_.end(),
                     [](const auto& a, const auto& b) { return a->local_id() < b->local_id(); });
    HILO_ASSIGN_OR_RETURN(
        std::unique_ptr<HloComputation> computation,
        HloComputation::Create(SanitizeName(proto_.name()), std::move(instructions_), *root));
    computation->SetUniqueId(proto_.id());
    if (!proto_.execution_thread().empty()) {
      computation->SetExecutionThread(proto_.execution_thread());
    }
    computation->set_is_fusion(proto_.is_fusion_computation());
    return computation;
  }

  // One instruction, with what is known of others.
  absl::StatusOr<std::unique_ptr<HloInstruction>> ReadAlone(
      const HloInstructionProto& proto,
      const absl::flat_hash_map<int64_t, HloInstruction*>& instructions) {
    by_id_ = instructions;
    is_alone_ = true;  // ids of others say nothing about its own
    HILO_RETURN_IF_ERROR(ReadInstruction(proto));
    return std::move(instructions_.back());
  }

 private:
  absl::StatusOr<HloInstruction*> Find(int64_t id) const {
    HILO_ASSIGN_OR_RETURN(const int64_t local, LocalId(id));
    const auto found = by_id_.find(local);
    if (found == by_id_.end()) return InvalidArgument("no instruction before has id %d", id);
    return found->second;
  }

  absl::Status ReadInstruction(const HloInstructionProto& proto) {
    HILO_ASSIGN_OR_RETURN(const HloOpcode opcode, StringToHloOpcode(proto.opcode()));
    HILO_ASSIGN_OR_RETURN(Shape shape, ReadShape(proto));
    const OpInfo& op = GetOpInfo(opcode);
    HILO_RETURN_IF_ERROR(
        CheckCount("operands", proto.operand_ids_size(), op.operands.min, op.operands.max));
    std::vector<HloInstruction*> operands;
    std::vector<const Shape*> operand_shapes;
    for (int64_t id : proto.operand_ids()) {
      HILO_ASSIGN_OR_RETURN(HloInstruction * operand, Find(id));
      operands.push_back(operand);
      operand_shapes.push_back(&operand->shape());
    }
    std::unique_ptr<Attributes> attributes = op.make_attributes();
    HILO_RETURN_IF_ERROR(
        AttributesFromProto(proto, opcode, operand_shapes, prohibit_empty_literal_, *attributes));
    if (opcode == HloOpcode::kConstant) {
      HILO_RETURN_IF_ERROR(
          MatchLiteralLayout(shape, static_cast<ConstantAttributes&>(*attributes).literal));
    }
    HILO_ASSIGN_OR_RETURN(std::vector<HloComputation*> callees,
                          ReadCallees(proto, opcode, operands, *attributes));
    std::unique_ptr<HloInstruction> instruction =
        HloInstruction::Create(opcode, std::move(shape), operands, std::move(attributes), callees);
    NormalizeAttributes(*instruction);
    HILO_RETURN_IF_ERROR(ReadAnnotations(proto, *instruction));
    for (int64_t id : proto.control_predecessor_ids()) {
      HILO_ASSIGN_OR_RETURN(HloInstruction * before, Find(id));
      HILO_RETURN_IF_ERROR(before->AddControlDependencyTo(instruction.get()));
    }
    const std::string name =
        proto.name().empty() ? std::string(HloOpcodeString(opcode)) : SanitizeName(proto.name());
    instruction->set_name(names_.GetUniqueName(name));
    HILO_ASSIGN_OR_RETURN(const int64_t local_id, LocalId(proto.id()));
    instruction->SetUniqueId(local_id);
    if (!is_alone_ && !by_id_.emplace(local_id, instruction.get()).second) {
      return InvalidArgument("id %d is in use already", proto.id());
    }
    instructions_.push_back(std::move(instruction));
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<HloComputation*>> ReadCallees(
      const HloInstructionProto& proto, HloOpcode opcode,
      absl::Span<HloInstruction* const> operands, Attributes& attributes) const {
    // An async-update or -done belongs to the async-start that its chain of operands begins with.
    if ((opcode == HloOpcode::kAsyncUpdate || opcode == HloOpcode::kAsyncDone) &&
        proto.called_computation_ids().empty()) {
      if (!operands[0]->IsAsynchronous()) {
        return InvalidArgument("operand %s is not asynchronous", operands[0]->name());
      }
      static_cast<AsyncAttributes&>(attributes).execution_thread =
          operands[0]->attributes_as<AsyncAttributes>().execution_thread;
      return operands[0]->called_computations();
    }
    HILO_RETURN_IF_ERROR(CheckCallees(GetOpInfo(opcode), proto.called_computation_ids_size()));
    std::vector<HloComputation*> callees;
    for (int64_t id : proto.called_computation_ids()) {
      const auto found = computations_.find(id);
      if (found == computations_.end()) {
        return InvalidArgument("no computation before has id %d", id);
      }
      callees.push_back(found->second);
    }
    return callees;
  }

  absl::Status ReadAnnotations(const HloInstructionProto& proto,
                               HloInstruction& instruction) const {
    if (proto.has_sharding()) {
      HILO_ASSIGN_OR_RETURN(HloSharding sharding, HloSharding::FromProto(proto.sharding()));
      instruction.set_sharding(sharding.NormalizeTupleSharding(instruction.shape()));
    }
    if (proto.metadata().ByteSizeLong() > 0) {
      OpMetadata metadata = proto.metadata();
      if (metadata.has_metadata_payload()) {
        HILO_ASSIGN_OR_RETURN(std::string payload,
                              ResolvePayload(metadata.metadata_payload(), module_));
        metadata.mutable_metadata_payload()->set_value(std::move(payload));
      }
      instruction.set_metadata(metadata);
    }
    if (!proto.frontend_attributes().map().empty()) {
      instruction.set_frontend_attributes(proto.frontend_attributes());
    }
    if (proto.has_backend_config_payload()) {
      HILO_ASSIGN_OR_RETURN(std::string config,
                            ResolvePayload(proto.backend_config_payload(), module_));
      instruction.set_raw_backend_config_string(std::move(config));
    } else if (!proto.backend_config().empty()) {
      instruction.set_raw_backend_config_string(proto.backend_config());
    }
    if (proto.statistics_viz().ByteSizeLong() > 0) {
      instruction.set_statistics_viz(proto.statistics_viz());
    }
    if (proto.result_accuracy().ByteSizeLong() > 0) {
      HILO_RETURN_IF_ERROR(CheckResultAccuracy(proto.result_accuracy()));
      instruction.set_result_accuracy(proto.result_accuracy());
    }
    if (proto.has_original_value()) {
      HILO_ASSIGN_OR_RETURN(std::shared_ptr<OriginalValue> original_value,
                            OriginalValue::CreateFromProto(proto.original_value()));
      instruction.set_original_value(std::move(original_value));
    }
    return absl::OkStatus();
  }

  const HloModuleProto& module_;
  const HloComputationProto& proto_;
  const ComputationsById& computations_;
  const bool prohibit_empty_literal_;
  NameUniquer names_;
  bool is_alone_ = false;
  absl::flat_hash_map<int64_t, HloInstruction*> by_id_;
  std::vector<std::unique_ptr<HloInstruction>> instructions_;
};

// What the module keeps without looking at it.
HloModuleProto UninterpretedFields(const HloModuleProto& proto) {
  HloModuleProto kept;
  if (proto.has_pjrt_id()) kept.set_pjrt_id(proto.pjrt_id());
  if (proto.has_device_assignment()) *kept.mutable_device_assignment() = proto.device_assignment();
  *kept.mutable_cross_program_prefetches() = proto.cross_program_prefetches();
  *kept.mutable_profile_info() = proto.profile_info();
  kept.set_device_type(proto.device_type());
  return kept;
}

class ModuleReader {
 public:
  ModuleReader(const HloModuleProto& proto, const HloModuleConfig& config,
               bool prohibit_empty_literal)
      : proto_(proto), config_(config), prohibit_empty_literal_(prohibit_empty_literal) {}

  absl::StatusOr<std::unique_ptr<HloModule>> Read() {
    for (const HloComputationProto& computation : proto_.computations()) {
      HILO_RETURN_IF_ERROR(ReadComputation(computation));
    }
    if (!by_id_.contains(proto_.entry_computation_id())) {
      return InvalidArgument("module %s: entry: no computation has id %d", proto_.name(),
                             proto_.entry_computation_id());
    }
    HILO_RETURN_IF_ERROR(CheckEntryLayout(*by_id_.at(proto_.entry_computation_id())));
    HILO_RETURN_IF_ERROR(AssembleModule());
    const absl::Status status = ReadModuleFields();
    if (!status.ok()) {
      return InvalidArgument("module %s: %s", proto_.name(), status.message());
    }
    return std::move(module_);
  }

 private:
  absl::Status ReadComputation(const HloComputationProto& proto) {
    if (proto.id() < 0 || proto.id() > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("computation %s: id %d is out of range", proto.name(), proto.id());
    }
    ComputationReader reader(proto_, proto, by_id_, prohibit_empty_literal_);
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloComputation> computation, reader.Read());
    if (!by_id_.emplace(proto.id(), computation.get()).second) {
      return InvalidArgument("computation %s: id %d is in use already", proto.name(), proto.id());
    }
    computations_.push_back(std::move(computation));
    return absl::OkStatus();
  }

  absl::Status CheckEntryLayout(const HloComputation& entry) const {
    if (!config_.has_entry_computation_layout()) return absl::OkStatus();
    const ProgramShape expected = config_.entry_computation_layout().ComputeProgramShape();
    const ProgramShape actual = entry.ComputeProgramShape();
    if (expected.parameters_size() != actual.parameters_size()) {
      return InvalidArgument("module %s: the program shape has %d parameters, the entry %s has %d",
                             proto_.name(), expected.parameters_size(), entry.name(),
                             actual.parameters_size());
    }
    for (int i = 0; i < expected.parameters_size(); ++i) {
      if (!ShapeUtil::CompatibleIgnoringFpPrecision(expected.parameters(i), actual.parameters(i))) {
        return InvalidArgument("module %s: parameter %d is %s in the program shape and %s in %s",
                               proto_.name(), i, expected.parameters(i).ToString(),
                               actual.parameters(i).ToString(), entry.name());
      }
    }
    if (!ShapeUtil::CompatibleIgnoringFpPrecision(expected.result(), actual.result())) {
      return InvalidArgument("module %s: the result is %s in the program shape and %s in %s",
                             proto_.name(), expected.result().ToString(),
                             actual.result().ToString(), entry.name());
    }
    return absl::OkStatus();
  }

  absl::Status AssembleModule() {
    module_ = std::make_unique<HloModule>(proto_.name(), config_);
    std::stable_sort(computations_.begin(), computations_.end(),
                     [](const auto& a, const auto& b) { return a->unique_id() < b->unique_id(); });
    for (std::unique_ptr<HloComputation>& computation : computations_) {
      if (computation->unique_id() == proto_.entry_computation_id()) {
        module_->AddEntryComputation(std::move(computation));
      } else {
        module_->AddEmbeddedComputation(std::move(computation));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadModuleFields() {
    const Shape& result = module_->entry_computation()->root_instruction()->shape();
    HILO_ASSIGN_OR_RETURN(
        HloInputOutputAliasConfig aliases,
        HloInputOutputAliasConfig::CreateFromProto(result, proto_.input_output_alias()));
    module_->set_input_output_alias_config(std::move(aliases));
    HILO_ASSIGN_OR_RETURN(HloBufferDonorConfig donors,
                          HloBufferDonorConfig::CreateFromProto(proto_.buffer_donor()));
    module_->set_buffer_donor_config(std::move(donors));
    if (proto_.has_schedule()) {
      HILO_ASSIGN_OR_RETURN(HloSchedule schedule,
                            HloSchedule::CreateFromProto(module_.get(), proto_.schedule()));
      HILO_RETURN_IF_ERROR(module_->set_schedule(std::move(schedule)));
    }
    HILO_RETURN_IF_ERROR(ReadShardings());
    if (proto_.has_stack_frame_index()) {
      HILO_ASSIGN_OR_RETURN(StackFrames frames, StackFrames::FromProto(proto_.stack_frame_index()));
      module_->set_stack_frames(std::move(frames));
    }
    module_->set_is_dynamic(proto_.is_dynamic());
    module_->set_use_auto_spmd_partitioning(proto_.use_auto_spmd_partitioning());
    module_->set_frontend_attributes(proto_.frontend_attributes());
    module_->mutable_original_value_recovery_table() = proto_.original_value_recovery_table();
    module_->mutable_debug_attributes() = {proto_.debug_attributes().begin(),
                                           proto_.debug_attributes().end()};
    module_->mutable_uninterpreted_proto_fields() = UninterpretedFields(proto_);
    return absl::OkStatus();
  }

  absl::Status ReadShardings() {
    if (proto_.has_spmd_output_sharding()) {
      HILO_ASSIGN_OR_RETURN(HloSharding sharding,
                            HloSharding::FromProto(proto_.spmd_output_sharding()));
      module_->set_spmd_output_sharding(std::move(sharding));
    }
    if (proto_.spmd_parameters_shardings().empty()) return absl::OkStatus();
    std::vector<HloSharding> shardings;
    for (const OpSharding& proto : proto_.spmd_parameters_shardings()) {
      HILO_ASSIGN_OR_RETURN(HloSharding sharding, HloSharding::FromProto(proto));
      shardings.push_back(std::move(sharding));
    }
    module_->set_spmd_parameters_shardings(std::move(shardings));
    return absl::OkStatus();
  }

  const HloModuleProto& proto_;
  const HloModuleConfig& config_;
  const bool prohibit_empty_literal_;
  ComputationsById by_id_;
  std::vector<std::unique_ptr<HloComputation>> computations_;
  std::unique_ptr<HloModule> module_;
};

// Gives instructions the ids 0, 1, ... in each computation.
void NumberInOrder(HloModule& module) {
  std::vector<std::pair<HloComputation*, std::vector<HloInstruction*>>> sequences;
  for (HloComputation* computation : module.computations()) {
    if (module.has_schedule() && module.schedule().is_computation_scheduled(computation))
      sequences.emplace_back(computation, module.schedule().sequence(computation).instructions());
    int64_t next = 0;
    for (HloInstruction* instruction : computation->instructions()) instruction->SetUniqueId(next++);
  }
  if (!module.has_schedule()) return;
  HloSchedule schedule(&module);
  for (const auto& [computation, sequence] : sequences) schedule.set_sequence(computation, sequence);
  module.set_schedule_without_check(std::move(schedule));
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloInstruction>> HloInstruction::CreateFromProto(
    const HloInstructionProto& proto,
    const absl::flat_hash_map<int64_t, HloInstruction*>& instruction_map,
    const absl::flat_hash_map<int64_t, HloComputation*>& computation_map,
    bool prohibit_empty_literal) {
  const HloModuleProto no_payloads;
  const HloComputationProto no_computation;
  ComputationReader reader(no_payloads, no_computation, computation_map, prohibit_empty_literal);
  return reader.ReadAlone(proto, instruction_map);
}

absl::StatusOr<std::unique_ptr<HloComputation>> HloComputation::CreateFromProto(
    const HloComputationProto& proto,
    const absl::flat_hash_map<int64_t, HloComputation*>& computation_map,
    bool prohibit_empty_literal) {
  const HloModuleProto no_payloads;
  return ComputationReader(no_payloads, proto, computation_map, prohibit_empty_literal).Read();
}

absl::StatusOr<std::unique_ptr<HloModule>> HloModule::CreateFromProto(
    const HloModuleProto& proto, const HloModuleConfig& module_config, bool prohibit_empty_literal,
    std::unique_ptr<CompilationEnvironments> comp_envs, bool preserve_instruction_ids) {
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                        ModuleReader(proto, module_config, prohibit_empty_literal).Read());
  if (comp_envs != nullptr) module->comp_envs_ = std::move(comp_envs);
  if (!preserve_instruction_ids) NumberInOrder(*module);
  return module;
}

absl::StatusOr<std::unique_ptr<HloModule>> HloModule::CreateFromProtoWithConfig(
    const HloModuleProtoWithConfig& proto, bool prohibit_empty_literal,
    std::unique_ptr<CompilationEnvironments> comp_envs) {
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModuleConfig> config,
                        HloModuleConfig::CreateFromProto(proto.config()));
  return CreateFromProto(proto.hlo_module(), *config, prohibit_empty_literal,
                         std::move(comp_envs));
}

}  // namespace xla
