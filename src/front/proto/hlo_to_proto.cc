// HloInstruction, HloComputation and HloModule to their messages.
#include <algorithm>
#include <string>
#include <utility>

#include "front/proto/attribute_proto.h"
#include "ir/name_uniquer.h"
#include "ir/op_info.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {
namespace {

// The id in the message: that of the computation in the high half.
int64_t ProtoId(const HloInstruction& instruction) {
  const HloComputation* computation = instruction.parent();
  const int64_t computation_id = computation == nullptr ? 0 : computation->unique_id();
  return HloInstruction::CalculateUniqueId(
      static_cast<int32_t>(std::max<int64_t>(computation_id, 0)),
      instruction.local_id());
}

// An async-update or -done is of the same call as the async-start it belongs to, which its message
// does not repeat.
bool TakesCallFromOperand(const HloInstruction& instruction) {
  return (instruction.opcode() == HloOpcode::kAsyncUpdate ||
          instruction.opcode() == HloOpcode::kAsyncDone) &&
         instruction.operand_count() > 0 &&
         HloOpcodeIsAsync(instruction.operand(0)->opcode());
}

template <typename Message>
void CopyIfSet(const Message& from, Message* (HloInstructionProto::*to)(),
               HloInstructionProto* proto) {
  if (from.ByteSizeLong() > 0) *(proto->*to)() = from;
}

}  // namespace

void HloInstruction::ToProto(HloInstructionProto* proto) const {
  proto->set_id(ProtoId(*this));
  proto->set_name(name_);
  const absl::string_view opcode = HloOpcodeString(opcode_);
  proto->set_opcode(opcode.data(), opcode.size());
  shape_.ToProto(*proto->mutable_shape());
  for (const HloInstruction* operand : operands_) proto->add_operand_ids(ProtoId(*operand));
  for (const HloInstruction* before : control_predecessors_) {
    proto->add_control_predecessor_ids(ProtoId(*before));
  }
  if (!TakesCallFromOperand(*this)) {
    for (const HloComputation* callee : called_computations_) {
      proto->add_called_computation_ids(callee->unique_id());
    }
  }
  AttributesToProto(opcode_, *attributes_, proto);
  if (TakesCallFromOperand(*this)) proto->clear_async_execution_thread();
  if (sharding_ != nullptr) *proto->mutable_sharding() = sharding_->ToProto();
  CopyIfSet(metadata(), &HloInstructionProto::mutable_metadata, proto);
  CopyIfSet(frontend_attributes(), &HloInstructionProto::mutable_frontend_attributes, proto);
  CopyIfSet(statistics_viz(), &HloInstructionProto::mutable_statistics_viz, proto);
  if (has_result_accuracy()) *proto->mutable_result_accuracy() = result_accuracy();
  proto->set_backend_config(raw_backend_config_string());
  if (original_value() != nullptr) *proto->mutable_original_value() = original_value()->ToProto();
}

HloInstructionProto HloInstruction::ToProto() const {
  HloInstructionProto proto;
  ToProto(&proto);
  return proto;
}

void HloComputation::ToProto(HloComputationProto* proto) const {
  proto->set_id(std::max<int64_t>(unique_id_, 0));
  proto->set_name(name_);
  for (const HloInstruction* instruction : MakeInstructionPostOrder()) {
    instruction->ToProto(proto->add_instructions());
  }
  proto->set_root_id(ProtoId(*root_instruction_));
  ComputeProgramShape().ToProto(*proto->mutable_program_shape());
  proto->set_is_fusion_computation(is_fusion_);
  if (!IsMainThread()) proto->set_execution_thread(execution_thread_);
}

HloComputationProto HloComputation::ToProto() const {
  HloComputationProto proto;
  ToProto(&proto);
  return proto;
}

HloModuleProto HloModule::ToProto() const {
  HloModuleProto proto = uninterpreted_;
  proto.set_id(unique_id_);
  proto.set_name(name_);
  // Readers ask for names that are unique in the module; here they are so in each computation.
  NameUniquer names;
  for (const HloComputation* computation : MakeComputationPostOrder()) {
    HloComputationProto* added = proto.add_computations();
    computation->ToProto(added);
    for (HloInstructionProto& instruction : *added->mutable_instructions()) {
      instruction.set_name(names.GetUniqueName(instruction.name()));
    }
  }
  if (entry_computation_ != nullptr) {
    proto.set_entry_computation_name(std::string(entry_computation_->name()));
    proto.set_entry_computation_id(entry_computation_->unique_id());
    const ProgramShape shape = config_->has_entry_computation_layout()
                                   ? entry_computation_layout().ComputeProgramShape()
                                   : entry_computation_->ComputeProgramShape();
    shape.ToProto(*proto.mutable_host_program_shape());
  }
  if (schedule_.has_value()) *proto.mutable_schedule() = schedule_->ToProto();
  *proto.mutable_input_output_alias() = input_output_alias_config_.ToProto();
  *proto.mutable_buffer_donor() = buffer_donor_config_.ToProto();
  proto.set_is_dynamic(is_dynamic_);
  if (!config_->device_type().empty()) proto.set_device_type(config_->device_type());
  proto.set_use_auto_spmd_partitioning(use_auto_spmd_partitioning_);
  if (spmd_output_sharding_.has_value()) {
    *proto.mutable_spmd_output_sharding() = spmd_output_sharding_->ToProto();
  }
  if (spmd_parameters_shardings_.has_value()) {
    for (const HloSharding& sharding : *spmd_parameters_shardings_) {
      *proto.add_spmd_parameters_shardings() = sharding.ToProto();
    }
  }
  if (!frontend_attributes_.map().empty()) {
    *proto.mutable_frontend_attributes() = frontend_attributes_;
  }
  if (!stack_frames_.empty()) *proto.mutable_stack_frame_index() = stack_frames_.proto();
  if (original_value_recovery_table_.entries_size() > 0) {
    *proto.mutable_original_value_recovery_table() = original_value_recovery_table_;
  }
  proto.mutable_debug_attributes()->Assign(debug_attributes_.begin(), debug_attributes_.end());
  return proto;
}

HloModuleProtoWithConfig HloModule::ToProtoWithConfig() const {
  HloModuleProtoWithConfig proto;
  *proto.mutable_hlo_module() = ToProto();
  *proto.mutable_config() = config_->ToProto();
  return proto;
}

}  // namespace xla
