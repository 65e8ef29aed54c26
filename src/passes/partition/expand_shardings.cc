// Programs with shardings, as what each of their devices does. Every device has its parts of the
// parameters, joins them, computes what all compute, and cuts its parts out of the results. Only
// manual regions are divided: their bodies work on parts already.
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "passes/graph_builder.h"
#include "passes/partition/one_device.h"
#include "passes/partition/propagate.h"
#include "passes/partition/shards.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

// The tiles in each dimension of an array of shape `whole` of which a part has the shape `shard`.
absl::StatusOr<std::vector<int64_t>> TilesBetween(const HloInstruction& instruction,
                                                  const Shape& whole, const Shape& shard,
                                                  const Division& division) {
  std::vector<int64_t> tiles;
  for (int i = 0; i < whole.dimensions_size(); ++i) {
    const int64_t part = shard.dimensions(i);
    const int64_t count = part == 0 ? 1 : CeilOfRatio(whole.dimensions(i), part);
    if (division.tiles(i) % count != 0) {
      return InvalidArgument("%s makes %d parts of dimension %d, of which the sharding makes %d",
                             instruction.ToShortString(), count, i, division.tiles(i));
    }
    tiles.push_back(count);
  }
  return tiles;
}

absl::StatusOr<HloInstruction*> EnterManualRegion(HloInstruction& call, int64_t devices,
                                                  const JoinedArrays& joined) {
  HloInstruction& whole = *call.mutable_operand(0);
  if (!whole.shape().IsArray()) return &whole;
  const HloInstruction& annotated = whole;
  const HloSharding sharding =
      annotated.has_sharding() ? annotated.sharding() : HloSharding::Replicate();
  HILO_ASSIGN_OR_RETURN(const Division division,
                        Division::Of(sharding, whole.shape().dimensions_size(), devices));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> tiles,
                        TilesBetween(call, whole.shape(), call.shape(), division));
  return joined.Cut(whole, division.Coarsened(tiles));
}

absl::StatusOr<HloInstruction*> LeaveManualRegion(HloInstruction& call, int64_t devices,
                                                  JoinedArrays& joined) {
  HloInstruction& shard = *call.mutable_operand(0);
  if (!shard.shape().IsArray()) return &shard;
  const HloSharding sharding = call.has_sharding() ? call.sharding() : HloSharding::Replicate();
  HILO_ASSIGN_OR_RETURN(const Division division,
                        Division::Of(sharding, call.shape().dimensions_size(), devices));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> tiles,
                        TilesBetween(call, call.shape(), shard.shape(), division));
  return joined.Join(shard, call.shape(), division.Coarsened(tiles));
}

absl::Status ExpandManualRegions(HloModule& module, int64_t devices, JoinedArrays& joined) {
  return ReplaceEach(module,
                     [&](HloInstruction& instruction) -> absl::StatusOr<HloInstruction*> {
                       if (instruction.opcode() != HloOpcode::kCustomCall ||
                           instruction.operand_count() != 1)
                         return nullptr;
                       if (instruction.IsCustomCall("SPMDFullToShardShape"))
                         return EnterManualRegion(instruction, devices, joined);
                       if (instruction.IsCustomCall("SPMDShardToFullShape"))
                         return LeaveManualRegion(instruction, devices, joined);
                       return nullptr;
                     })
      .status();
}

// The sharding of a leaf of the parameter or result: what is not divided is the same everywhere.
HloSharding ShardingOfLeaf(const HloInstruction& instruction, const ShapeIndex& index) {
  if (!instruction.has_sharding()) return HloSharding::Replicate();
  const HloSharding& sharding = instruction.sharding();
  const HloSharding leaf =
      sharding.IsTuple() ? sharding.GetSubSharding(instruction.shape(), index) : sharding;
  return leaf.IsTiled() || leaf.IsUnreduced() ? leaf : HloSharding::Replicate();
}

absl::Status DivideParameter(HloInstruction& parameter, int64_t devices,
                             JoinedArrays& joined_arrays) {
  if (!parameter.shape().IsArray()) {
    if (!parameter.has_sharding() || parameter.sharding().IsReplicated()) return absl::OkStatus();
    return Unimplemented("%s is a tuple with a sharding: only arrays are divided among devices",
                         parameter.ToShortString());
  }
  const HloSharding sharding = ShardingOfLeaf(parameter, {});
  const Shape whole = parameter.shape();
  HILO_ASSIGN_OR_RETURN(const Division division,
                        Division::Of(sharding, whole.dimensions_size(), devices));
  if (division.IsWhole()) return absl::OkStatus();
  const std::vector<HloInstruction*> users(parameter.users().begin(), parameter.users().end());
  const bool is_root = parameter.IsRoot();
  *parameter.mutable_shape() = division.ShardShape(whole);
  HloInstruction* const joined = joined_arrays.Join(parameter, whole, division);
  HILO_RETURN_IF_ERROR(parameter.ReplaceAllUsesWithDifferentShape(users, joined));
  if (is_root) parameter.parent()->set_root_instruction(joined, /*accept_different_shape=*/true);
  return absl::OkStatus();
}

// The results' shardings as the program says; open ones follow from what they are computed from.
std::vector<HloSharding> OutputShardings(const HloComputation& entry) {
  const HloInstruction& root = *entry.root_instruction();
  const Shardings known = PropagateShardings(entry);
  std::vector<HloSharding> shardings;
  const auto add = [&](const HloInstruction& value, const ShapeIndex& index) {
    const bool is_open =
        !root.has_sharding() ||
        (root.sharding().IsTuple() ? root.sharding().GetSubSharding(root.shape(), index).IsUnknown()
                                   : root.sharding().IsUnknown());
    const auto found = known.find(&value);
    if (!is_open) {
      shardings.push_back(ShardingOfLeaf(root, index));
    } else if (found != known.end() && found->second.IsTiled()) {
      shardings.push_back(found->second);
    } else {
      shardings.push_back(HloSharding::Replicate());
    }
  };
  if (!root.shape().IsTuple()) {
    add(root, {});
  } else if (root.opcode() == HloOpcode::kTuple) {
    for (int64_t i = 0; i < root.operand_count(); ++i) add(*root.operand(i), {i});
  } else {
    for (int64_t i = 0; i < root.shape().tuple_shapes_size(); ++i)
      shardings.push_back(ShardingOfLeaf(root, {i}));
  }
  return shardings;
}

// Uneven parts would not say how much of them there is.
bool IsEven(const Shape& shape, const Division& division) {
  for (int i = 0; i < shape.dimensions_size(); ++i) {
    if (shape.dimensions(i) % division.tiles(i) != 0) return false;
  }
  return true;
}

absl::StatusOr<HloInstruction*> DivideOutput(HloInstruction& value, HloSharding& sharding,
                                             int64_t devices, const JoinedArrays& joined) {
  if (!value.shape().IsArray()) return &value;
  const int64_t rank = value.shape().dimensions_size();
  HILO_ASSIGN_OR_RETURN(Division division, Division::Of(sharding, rank, devices));
  if (IsEven(value.shape(), division)) return joined.Cut(value, division);
  sharding = HloSharding::Replicate();
  return &value;
}

absl::Status DivideOutputs(HloComputation& entry, std::vector<HloSharding>& shardings,
                           int64_t devices, const JoinedArrays& joined) {
  HloInstruction& root = *entry.root_instruction();
  HloInstruction* divided = nullptr;
  if (!root.shape().IsTuple()) {
    HILO_ASSIGN_OR_RETURN(divided, DivideOutput(root, shardings[0], devices, joined));
  } else {
    GraphBuilder graph(root);
    std::vector<HloInstruction*> parts;
    for (size_t i = 0; i < shardings.size(); ++i) {
      HloInstruction* const value = root.opcode() == HloOpcode::kTuple
                                        ? root.mutable_operand(i)
                                        : graph.Part(&root, static_cast<int64_t>(i));
      HILO_ASSIGN_OR_RETURN(HloInstruction * part,
                            DivideOutput(*value, shardings[i], devices, joined));
      parts.push_back(part);
    }
    divided = graph.Tuple(parts);
  }
  divided->clear_sharding();
  entry.set_root_instruction(divided, /*accept_different_shape=*/true);
  return absl::OkStatus();
}

// Pairs of a parameter and a result that have different sizes on the device now cannot share
// memory.
absl::Status KeepFittingAliases(HloModule& module) {
  const HloComputation& entry = *module.entry_computation();
  HloInputOutputAliasConfig kept(entry.root_instruction()->shape());
  HILO_RETURN_IF_ERROR(module.input_output_alias_config().ForEachAliasWithStatus(
      [&](const ShapeIndex& output, const HloInputOutputAliasConfig::Alias& alias) -> absl::Status {
        const Shape& parameter = ShapeUtil::GetSubshape(
            entry.parameter_instruction(alias.parameter_number)->shape(), alias.parameter_index);
        const Shape& result = ShapeUtil::GetSubshape(entry.root_instruction()->shape(), output);
        if (!ShapeUtil::Compatible(parameter, result)) return absl::OkStatus();
        return kept.SetUpAlias(output, alias.parameter_number, alias.parameter_index, alias.kind);
      }));
  module.set_input_output_alias_config(std::move(kept));
  return absl::OkStatus();
}

void UpdateLayouts(const HloComputation& entry, ComputationLayout& layout) {
  const auto update = [](const Shape& shape, ShapeLayout& with) {
    if (ShapeUtil::Compatible(shape, with.shape())) return;
    Shape changed = shape;
    ShapeUtil::ForEachMutableSubshape(&changed, [&](Shape* part, const ShapeIndex& index) {
      const Shape* old = ShapeUtil::TryGetSubshape(with.shape(), index).value_or(nullptr);
      if (part->IsArray() && old != nullptr && old->IsArray() && old->has_layout())
        *part->mutable_layout() = old->layout();
    });
    with = ShapeLayout(changed);
  };
  for (int64_t i = 0; i < entry.num_parameters(); ++i)
    update(entry.parameter_instruction(i)->shape(), *layout.mutable_parameter_layout(i));
  update(entry.root_instruction()->shape(), *layout.mutable_result_layout());
}

// What was joined, but is used in parts only, has to go by hand: that it is sent counts as a side
// effect. All devices run the same program, so none waits for it.
absl::Status RemoveUnusedJoins(HloModule& module) {
  for (HloComputation* computation : module.computations()) {
    std::vector<HloInstruction*> order = computation->MakeInstructionPostOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      HloInstruction& instruction = **it;
      const HloOpcode opcode = instruction.opcode();
      if ((opcode != HloOpcode::kAllGather && opcode != HloOpcode::kAllReduce) ||
          instruction.user_count() != 0 || instruction.IsRoot() ||
          instruction.HasControlDependencies())
        continue;
      HILO_RETURN_IF_ERROR(computation->RemoveInstruction(&instruction));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> ExpandShardings(HloModule& module) {
  const int64_t devices = module.config().num_partitions();
  if (devices <= 1 || !module.config().use_spmd_partitioning()) return false;
  HILO_RETURN_IF_ERROR(InlineCalls(module).status());
  HloComputation& entry = *module.entry_computation();
  std::vector<HloSharding> outputs = OutputShardings(entry);
  std::vector<HloSharding> parameters;
  for (const HloInstruction* parameter : entry.parameter_instructions())
    parameters.push_back(parameter->shape().IsArray() ? ShardingOfLeaf(*parameter, {})
                                                      : HloSharding::Replicate());
  JoinedArrays joined;
  for (HloInstruction* parameter : entry.parameter_instructions())
    HILO_RETURN_IF_ERROR(DivideParameter(*parameter, devices, joined));
  HILO_RETURN_IF_ERROR(ExpandManualRegions(module, devices, joined));
  HILO_RETURN_IF_ERROR(RunOnOneDevice(module, devices));
  HILO_RETURN_IF_ERROR(DivideOutputs(entry, outputs, devices, joined));
  HILO_RETURN_IF_ERROR(RemoveDeadCode(module).status());
  HILO_RETURN_IF_ERROR(RemoveUnusedJoins(module));
  HILO_RETURN_IF_ERROR(KeepFittingAliases(module));
  UpdateLayouts(entry, *module.mutable_entry_computation_layout());
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* instruction : computation->instructions()) instruction->clear_sharding();
  }
  module.set_spmd_parameters_shardings(std::move(parameters));
  module.set_spmd_output_sharding(entry.root_instruction()->shape().IsTuple()
                                      ? HloSharding::FlatTuple(std::move(outputs))
                                      : outputs[0]);
  return true;
}

}  // namespace xla::passes
