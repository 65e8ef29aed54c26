// From the operations of a builder to a module.
#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "ir/name_uniquer.h"
#include "ir/op_info.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace internal {
namespace {

void RemoveDynamicDimensions(ShapeProto& shape) {
  for (bool& is_dynamic : *shape.mutable_is_dynamic_dimension()) is_dynamic = false;
  for (ShapeProto& element : *shape.mutable_tuple_shapes()) RemoveDynamicDimensions(element);
}

void RemoveDynamicDimensions(HloComputationProto& computation) {
  for (HloInstructionProto& instruction : *computation.mutable_instructions()) {
    RemoveDynamicDimensions(*instruction.mutable_shape());
  }
  for (ShapeProto& parameter : *computation.mutable_program_shape()->mutable_parameters()) {
    RemoveDynamicDimensions(parameter);
  }
  RemoveDynamicDimensions(*computation.mutable_program_shape()->mutable_result());
}

// Whether the result of an operation follows from its operands and attributes alone.
bool IsFunctionOfOperands(HloOpcode opcode, const HloInstructionProto& proto) {
  switch (opcode) {
    case HloOpcode::kParameter:
    case HloOpcode::kPartitionId:
    case HloOpcode::kReplicaId:
      return false;
    case HloOpcode::kCustomCall:
      // What others call a bound or a sharding is the operand's value.
      return proto.custom_call_target() == "SetBound" || proto.custom_call_target() == "Sharding";
    default:
      return !HasTrait(opcode, kSideEffect) && !HasTrait(opcode, kCollective) &&
             !HasTrait(opcode, kAsync);
  }
}

// The ids of a builder are small numbers; those of a program have that of the computation in their
// high half.
void WriteFullIds(HloComputationProto& computation) {
  const auto full = [&](int64_t id) {
    return HloInstruction::CalculateUniqueId(static_cast<int32_t>(computation.id()),
                                             static_cast<int32_t>(id));
  };
  for (HloInstructionProto& instruction : *computation.mutable_instructions()) {
    instruction.set_id(full(instruction.id()));
    for (int64_t& id : *instruction.mutable_operand_ids()) id = full(id);
    for (int64_t& id : *instruction.mutable_control_predecessor_ids()) id = full(id);
  }
  computation.set_root_id(full(computation.root_id()));
}

HloOpcode OpcodeOf(const HloInstructionProto& proto) { return *StringToHloOpcode(proto.opcode()); }

}  // namespace

absl::StatusOr<ProgramShape> BuilderState::GetProgramShape(XlaOp root) const {
  HILO_ASSIGN_OR_RETURN(const Node* root_node, Find(root));
  std::vector<const Node*> parameters(parameter_numbers_.size(), nullptr);
  for (const Node& node : nodes_) {
    if (node.proto.opcode() != "parameter") continue;
    const int64_t number = node.proto.parameter_number();
    if (number >= static_cast<int64_t>(parameters.size())) {
      return InvalidArgument("builder %s has %d parameters, but one has number %d", name_,
                             parameters.size(), number);
    }
    parameters[number] = &node;
  }
  ProgramShape shape;
  for (const Node* parameter : parameters) {
    shape.AddParameter(parameter->shape, parameter->proto.name());
  }
  *shape.mutable_result() = root_node->shape;
  return shape;
}

// Makes a computation of all operations and forgets them.
absl::StatusOr<HloComputationProto> BuilderState::TakeComputation(XlaOp root,
                                                                  bool remove_dynamic_dimensions) {
  HILO_RETURN_IF_ERROR(first_error_);
  HILO_ASSIGN_OR_RETURN(const ProgramShape shape, GetProgramShape(root));
  HloComputationProto computation;
  computation.set_name(name_);
  computation.set_id(this->root().next_computation_id_++);
  computation.set_root_id(root.handle_);
  shape.ToProto(*computation.mutable_program_shape());
  for (Node& node : nodes_) computation.add_instructions()->Swap(&node.proto);
  if (remove_dynamic_dimensions) RemoveDynamicDimensions(computation);
  first_id_ += static_cast<int64_t>(nodes_.size());
  nodes_.clear();
  parameter_numbers_.clear();
  last_infeed.reset();
  last_outfeed.reset();
  return computation;
}

absl::StatusOr<XlaComputationId> BuilderState::FinishAsSubComputation(
    std::optional<XlaOp> root, bool remove_dynamic_dimensions) {
  if (parent_ == nullptr) {
    return InvalidArgument("builder %s: only a sub-builder makes sub-computations", name_);
  }
  HILO_RETURN_IF_ERROR(first_error_);
  if (!root.has_value()) {
    HILO_ASSIGN_OR_RETURN(root, LastOp());
  }
  HILO_ASSIGN_OR_RETURN(HloComputationProto proto,
                        TakeComputation(*root, remove_dynamic_dimensions));
  HILO_ASSIGN_OR_RETURN(ProgramShape shape, ProgramShape::FromProto(proto.program_shape()));
  const int64_t id = proto.id();
  this->root().embedded_[id] = {std::move(proto), std::move(shape)};
  return XlaComputationId(id, parent_->builder_);
}

absl::StatusOr<XlaComputationId> BuilderState::AddComputation(const XlaComputation& computation) {
  BuilderState& all = root();
  const HloModuleProto& module = computation.proto();
  absl::flat_hash_map<int64_t, int64_t> new_ids;
  for (const HloComputationProto& original : module.computations()) {
    HILO_ASSIGN_OR_RETURN(ProgramShape shape, ProgramShape::FromProto(original.program_shape()));
    HloComputationProto copy = original;
    for (HloInstructionProto& instruction : *copy.mutable_instructions()) {
      for (int64_t& callee : *instruction.mutable_called_computation_ids()) {
        const auto found = new_ids.find(callee);
        if (found == new_ids.end()) {
          return InvalidArgument("computation %s calls id %d, which does not come before it",
                                 original.name(), callee);
        }
        callee = found->second;
      }
    }
    const int64_t id = all.next_computation_id_++;
    copy.set_id(id);
    new_ids[original.id()] = id;
    all.embedded_[id] = {std::move(copy), std::move(shape)};
  }
  const auto entry = new_ids.find(module.entry_computation_id());
  if (entry == new_ids.end()) {
    return InvalidArgument("builder %s: the computation to call (%s) is empty", name_,
                           computation.name().empty() ? "without name" : computation.name());
  }
  return XlaComputationId(entry->second, builder_);
}

void BuilderState::AssembleModule(HloComputationProto entry, HloModuleProto& module) const {
  const auto& embedded = root().embedded_;
  std::set<int64_t> needed;
  std::vector<const HloComputationProto*> unvisited = {&entry};
  while (!unvisited.empty()) {
    const HloComputationProto* computation = unvisited.back();
    unvisited.pop_back();
    for (const HloInstructionProto& instruction : computation->instructions()) {
      for (int64_t callee : instruction.called_computation_ids()) {
        if (needed.insert(callee).second) unvisited.push_back(&embedded.at(callee).proto);
      }
    }
  }
  module.set_name(entry.name());
  module.set_id(entry.id());
  module.set_entry_computation_name(entry.name());
  module.set_entry_computation_id(entry.id());
  *module.mutable_host_program_shape() = entry.program_shape();
  // Readers ask for names that are unique in the module. Those of the entry stay as far as
  // possible.
  NameUniquer computation_names;
  NameUniquer instruction_names;
  const auto make_unique = [&](HloComputationProto& computation) {
    computation.set_name(computation_names.GetUniqueName(computation.name()));
    for (HloInstructionProto& instruction : *computation.mutable_instructions()) {
      instruction.set_name(instruction_names.GetUniqueName(instruction.name()));
    }
    WriteFullIds(computation);
  };
  make_unique(entry);
  for (int64_t id : needed) {
    HloComputationProto* copy = module.add_computations();
    *copy = embedded.at(id).proto;
    make_unique(*copy);
  }
  *module.add_computations() = std::move(entry);
}

absl::StatusOr<XlaComputation> BuilderState::Build(XlaOp root, bool remove_dynamic_dimensions) {
  HILO_ASSIGN_OR_RETURN(const ProgramShape shape, GetProgramShape(root));
  HloModuleProto module;
  HILO_RETURN_IF_ERROR(AddAliases(shape, module));
  HILO_ASSIGN_OR_RETURN(HloComputationProto entry,
                        TakeComputation(root, remove_dynamic_dimensions));
  AssembleModule(std::move(entry), module);
  aliases.clear();
  donors.clear();
  return XlaComputation(std::move(module));
}

absl::StatusOr<XlaComputation> BuilderState::Build(XlaComputationId entry) const {
  HILO_ASSIGN_OR_RETURN(const Embedded* embedded, Find(entry));
  HloModuleProto module;
  AssembleModule(embedded->proto, module);
  return XlaComputation(std::move(module));
}

absl::Status BuilderState::AddAliases(const ProgramShape& shape, HloModuleProto& module) const {
  HloInputOutputAliasConfig alias_config(shape.result());
  for (const Alias& alias : aliases) {
    if (alias.parameter_number < 0 || alias.parameter_number >= shape.parameters_size()) {
      return InvalidArgument("alias with parameter %d of builder %s, which has %d parameters",
                             alias.parameter_number, name_, shape.parameters_size());
    }
    if (!ShapeUtil::IndexIsValid(shape.parameters(static_cast<int>(alias.parameter_number)),
                                 alias.parameter_index)) {
      return InvalidArgument("alias with index %s of parameter %d, which is %s",
                             alias.parameter_index.ToString(), alias.parameter_number,
                             shape.parameters(static_cast<int>(alias.parameter_number)).ToString());
    }
    HILO_RETURN_IF_ERROR(alias_config.SetUpAlias(alias.output_index, alias.parameter_number,
                                                 alias.parameter_index, alias.kind));
  }
  HILO_RETURN_IF_ERROR(alias_config.Verify(shape));
  HloBufferDonorConfig donor_config;
  for (const auto& [number, index] : donors) {
    if (number < 0 || number >= shape.parameters_size() ||
        !ShapeUtil::IndexIsValid(shape.parameters(static_cast<int>(number)), index)) {
      return InvalidArgument("buffer donor: builder %s has no parameter %d with index %s", name_,
                             number, index.ToString());
    }
    HILO_RETURN_IF_ERROR(donor_config.AddBufferDonor(number, index));
  }
  HILO_RETURN_IF_ERROR(donor_config.Verify(shape, alias_config));
  if (!aliases.empty()) *module.mutable_input_output_alias() = alias_config.ToProto();
  if (!donors.empty()) *module.mutable_buffer_donor() = donor_config.ToProto();
  return absl::OkStatus();
}

bool BuilderState::DependsOnMoreThanParameters(int64_t computation_id) const {
  const auto& embedded = root().embedded_;
  absl::flat_hash_set<int64_t> seen = {computation_id};
  std::vector<int64_t> unvisited = {computation_id};
  while (!unvisited.empty()) {
    const HloComputationProto& computation = embedded.at(unvisited.back()).proto;
    unvisited.pop_back();
    for (const HloInstructionProto& instruction : computation.instructions()) {
      const absl::StatusOr<HloOpcode> opcode = StringToHloOpcode(instruction.opcode());
      if (!opcode.ok()) return true;
      if (*opcode != HloOpcode::kParameter && !IsFunctionOfOperands(*opcode, instruction)) {
        return true;
      }
      for (int64_t callee : instruction.called_computation_ids()) {
        if (seen.insert(callee).second) unvisited.push_back(callee);
      }
    }
  }
  return false;
}

absl::StatusOr<bool> BuilderState::IsConstant(XlaOp op) const {
  HILO_RETURN_IF_ERROR(Find(op).status());
  absl::flat_hash_set<int64_t> seen = {op.handle_};
  std::vector<int64_t> unvisited = {op.handle_};
  while (!unvisited.empty()) {
    const HloInstructionProto& proto = nodes_[unvisited.back() - first_id_].proto;
    unvisited.pop_back();
    const HloOpcode opcode = OpcodeOf(proto);
    // The size is part of the shape, whatever the value is.
    if (opcode == HloOpcode::kGetDimensionSize) continue;
    if (!IsFunctionOfOperands(opcode, proto)) return false;
    for (int64_t callee : proto.called_computation_ids()) {
      if (DependsOnMoreThanParameters(callee)) return false;
    }
    for (int64_t operand : proto.operand_ids()) {
      if (seen.insert(operand).second) unvisited.push_back(operand);
    }
  }
  return true;
}

absl::StatusOr<HloModuleProto> BuilderState::CopySubGraph(
    XlaOp root, absl::string_view name, absl::FunctionRef<void(HloInstructionProto&)> edit) {
  HILO_ASSIGN_OR_RETURN(const Node* root_node, Find(root));
  HloComputationProto entry;
  entry.set_name(std::string(name));
  entry.set_id(this->root().next_computation_id_++);
  entry.set_root_id(root.handle_);
  // Ids in ascending order: operands come first.
  std::map<int64_t, HloInstructionProto> needed;
  std::vector<int64_t> unvisited = {root.handle_};
  while (!unvisited.empty()) {
    const int64_t id = unvisited.back();
    unvisited.pop_back();
    const auto [place, is_new] = needed.try_emplace(id, nodes_[id - first_id_].proto);
    if (!is_new) continue;
    edit(place->second);
    for (int64_t operand : place->second.operand_ids()) unvisited.push_back(operand);
  }
  for (auto& [id, proto] : needed) entry.add_instructions()->Swap(&proto);
  ProgramShape shape;
  *shape.mutable_result() = root_node->shape;
  shape.ToProto(*entry.mutable_program_shape());
  HloModuleProto module;
  AssembleModule(std::move(entry), module);
  return module;
}

absl::StatusOr<XlaComputation> BuilderState::BuildConstantSubGraph(
    XlaOp root, bool dynamic_dimension_is_minus_one) {
  HILO_ASSIGN_OR_RETURN(const bool is_constant, IsConstant(root));
  if (!is_constant) {
    return InvalidArgument(
        "builder %s: the operation depends on a parameter, or on what differs between executions: "
        "%s",
        name_, OpToString(root));
  }
  const auto sizes_to_constants = [&](HloInstructionProto& proto) {
    if (proto.opcode() != "get-dimension-size") return;
    const Shape& operand = nodes_[proto.operand_ids(0) - first_id_].shape;
    const int dimension = static_cast<int>(proto.dimensions(0));
    const bool is_dynamic = operand.is_dynamic_dimension(dimension);
    const int64_t size =
        is_dynamic && dynamic_dimension_is_minus_one ? -1 : operand.dimensions(dimension);
    proto.set_opcode("constant");
    proto.clear_operand_ids();
    proto.clear_dimensions();
    *proto.mutable_literal() = LiteralUtil::CreateR0<int32_t>(static_cast<int32_t>(size)).ToProto();
  };
  HILO_ASSIGN_OR_RETURN(HloModuleProto module,
                        CopySubGraph(root, absl::StrCat(name_, "_constant"), sizes_to_constants));
  return XlaComputation(std::move(module));
}

}  // namespace internal
}  // namespace xla
