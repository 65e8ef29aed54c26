#include "passes/partition/one_device.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/partition/reshard.h"
#include "passes/replace.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

// The device that alone runs the call; none for calls that all may run.
std::optional<int64_t> OnlyDevice(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kCustomCall || !instruction.has_sharding() ||
      !instruction.attributes_as<CustomCallAttributes>().has_side_effect)
    return std::nullopt;
  return instruction.sharding().UniqueDevice();
}

// What stands for the results on other devices, until they get them.
HloInstruction* Placeholder(HloComputation::Builder& builder, const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<HloInstruction*> parts;
    for (const Shape& part : shape.tuple_shapes()) parts.push_back(Placeholder(builder, part));
    return builder.AddInstruction(HloInstruction::CreateTuple(parts));
  }
  if (shape.IsToken()) return builder.AddInstruction(HloInstruction::CreateToken());
  HloInstruction* const zero = builder.AddInstruction(
      HloInstruction::CreateConstant(LiteralUtil::Zero(shape.element_type())));
  return builder.AddInstruction(HloInstruction::CreateBroadcast(shape, zero, {}));
}

HloComputation* MakeBranch(const HloInstruction& call, const Shape& operands, bool calls) {
  HloComputation::Builder builder(calls ? "on_the_device" : "on_other_devices");
  HloInstruction* const parameter =
      builder.AddInstruction(HloInstruction::CreateParameter(0, operands, "operands"));
  if (calls) {
    std::vector<HloInstruction*> values;
    for (int64_t i = 0; i < call.operand_count(); ++i) {
      values.push_back(builder.AddInstruction(
          HloInstruction::CreateGetTupleElement(operands.tuple_shapes(i), parameter, i)));
    }
    builder.AddInstruction(call.CloneWithNewOperands(call.shape(), values))->clear_sharding();
  } else {
    Placeholder(builder, call.shape());
  }
  return call.GetModule()->AddEmbeddedComputation(builder.Build());
}

// The value as the first device of the group has it.
HloInstruction* SendToAll(GraphBuilder& graph, HloInstruction& value,
                          const std::vector<int64_t>& group) {
  const Shape& shape = value.shape();
  if (shape.IsTuple()) {
    std::vector<HloInstruction*> parts;
    for (int64_t i = 0; i < shape.tuple_shapes_size(); ++i)
      parts.push_back(SendToAll(graph, *graph.Part(&value, i), group));
    return graph.Tuple(parts);
  }
  if (!shape.IsArray()) return &value;
  auto groups = std::make_shared<CollectiveDeviceList>(std::vector<std::vector<int64_t>>{group});
  return graph.Add(HloInstruction::CreateCollectiveBroadcast(shape, {&value}, std::move(groups),
                                                             /*constrain_layout=*/false,
                                                             kPartitionsChannel));
}

absl::StatusOr<HloInstruction*> RunThere(HloInstruction& call, int64_t device, int64_t devices) {
  if (device < 0 || device >= devices) {
    return InvalidArgument("%s is for device %d, but the program has %d partitions",
                           call.ToShortString(), device, devices);
  }
  GraphBuilder graph(call);
  HloInstruction* const partition =
      graph.Convert(graph.Add(HloInstruction::CreatePartitionId()), S64);
  HloInstruction* const is_there = graph.Compare(Comparison::Direction::kEq, partition,
                                                 graph.Number(S64, static_cast<double>(device)));
  HloInstruction* const operands =
      graph.Tuple(std::vector<HloInstruction*>(call.operands().begin(), call.operands().end()));
  HloInstruction* const result = graph.Add(HloInstruction::CreateConditional(
      call.shape(), is_there, operands, MakeBranch(call, operands->shape(), /*calls=*/true),
      operands, MakeBranch(call, operands->shape(), /*calls=*/false)));
  std::vector<int64_t> group = {device};
  for (int64_t other = 0; other < devices; ++other) {
    if (other != device) group.push_back(other);
  }
  return SendToAll(graph, *result, group);
}

}  // namespace

absl::Status RunOnOneDevice(HloModule& module, int64_t devices) {
  const auto has_any = [](const HloComputation* computation) {
    return absl::c_any_of(computation->instructions(), [](const HloInstruction* instruction) {
      return OnlyDevice(*instruction).has_value();
    });
  };
  if (absl::c_none_of(module.computations(), has_any)) return absl::OkStatus();
  return ReplaceEach(module,
                     [&](HloInstruction& call) -> absl::StatusOr<HloInstruction*> {
                       const std::optional<int64_t> device = OnlyDevice(call);
                       if (!device.has_value()) return nullptr;
                       return RunThere(call, *device, devices);
                     })
      .status();
}

}  // namespace xla::passes
