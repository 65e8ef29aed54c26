#include "passes/partition/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "passes/cost.h"
#include "passes/simplify/loop.h"
#include "passes/work.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

double BytesOf(const Shape& shape) {
  double bytes = 0;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsArray()) bytes += static_cast<double>(ShapeUtil::ByteSizeOf(part));
  });
  return bytes;
}

bool IsCollective(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAllGather:
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllToAll:
    case HloOpcode::kCollectiveBroadcast:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kRaggedAllToAll:
    case HloOpcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

// The steps in which a device that reaches twice as many others each time reaches all.
int64_t Doublings(int64_t devices) {
  int64_t steps = 0;
  for (int64_t reached = 1; reached < devices; reached *= 2) ++steps;
  return steps;
}

Exchange OnRing(HloOpcode collective, double bytes, int64_t devices) {
  const int64_t others = devices - 1;
  const double part = bytes * static_cast<double>(others) / static_cast<double>(devices);
  switch (collective) {
    case HloOpcode::kCollectivePermute:
      return {bytes, 1};
    case HloOpcode::kCollectiveBroadcast:
      return {bytes, others};  // in pieces that follow each other
    case HloOpcode::kAllReduce:
      return {2 * part, 2 * others};  // a reduce-scatter and an all-gather
    default:
      return {part, others};
  }
}

Exchange OnTree(HloOpcode collective, double bytes, int64_t devices) {
  const int64_t steps = Doublings(devices);
  switch (collective) {
    case HloOpcode::kAllReduce:
    case HloOpcode::kCollectiveBroadcast:
      return {bytes * static_cast<double>(steps), steps};
    case HloOpcode::kAllToAll:
    case HloOpcode::kRaggedAllToAll:
      return {bytes / 2 * static_cast<double>(steps), steps};
    default: {
      Exchange exchange = OnRing(collective, bytes, devices);
      exchange.messages = std::min(exchange.messages, steps);
      return exchange;
    }
  }
}

Exchange Direct(HloOpcode collective, double bytes, int64_t devices) {
  // What is no longer goes whole to everybody.
  constexpr double kMostWholeBytes = 1 << 15;
  const int64_t others = devices - 1;
  if (collective == HloOpcode::kCollectiveBroadcast ||
      (collective == HloOpcode::kAllReduce && bytes <= kMostWholeBytes))
    return {bytes * static_cast<double>(others), others};
  return OnRing(collective, bytes, devices);
}

bool HasMoves(const HloInstruction& permute) {
  for (const auto& [from, to] : permute.source_target_pairs()) {
    if (from != to) return true;
  }
  return false;
}

class Estimator {
 public:
  Estimator(const HloModule& module, const DeviceModel& model) : module_(module), model_(model) {}

  ProgramCost Run() {
    const HloComputation& entry = *module_.entry_computation();
    for (const HloInstruction* parameter : entry.parameter_instructions())
      cost_.parameter_bytes += BytesOf(parameter->shape());
    Visit(entry, 1);
    cost_.computing_seconds = cost_.flops / model_.flops;
    return std::move(cost_);
  }

 private:
  void Visit(const HloComputation& computation, double runs) {
    for (const HloInstruction* instruction : computation.MakeInstructionPostOrder())
      Visit(*instruction, runs);
  }

  void Visit(const HloInstruction& instruction, double runs) {
    if (IsCollective(instruction.opcode())) AddCollective(instruction, runs);
    switch (instruction.opcode()) {
      case HloOpcode::kWhile: {
        const std::optional<const Loop> loop = Loop::Of(instruction);
        const double steps =
            static_cast<double>(loop.has_value() ? CountStepsUp(*loop).value_or(1) : 1);
        Visit(*instruction.while_condition(), runs * steps);
        Visit(*instruction.while_body(), runs * steps);
        return;
      }
      case HloOpcode::kConditional:
      case HloOpcode::kCall:
        for (const HloComputation* callee : instruction.called_computations()) Visit(*callee, runs);
        return;
      default:
        cost_.flops += runs * FlopsOf(instruction);
    }
  }

  static double FlopsOf(const HloInstruction& instruction) {
    const Operations own = OwnOperations(instruction);
    double flops = own.flops + own.transcendentals * std::max(1.0, AdditionsOfElement(instruction));
    const auto& callees = instruction.called_computations();
    for (size_t i = 0; i < callees.size(); ++i) {
      const double times = Applications(instruction, i);
      if (times == 0) continue;
      for (const HloInstruction* each : callees[i]->instructions()) flops += times * FlopsOf(*each);
    }
    return flops;
  }

  void AddCollective(const HloInstruction& instruction, double runs) {
    const bool is_gather = instruction.opcode() == HloOpcode::kAllGather;
    const bool is_permute = instruction.opcode() == HloOpcode::kCollectivePermute;
    double bytes = is_gather ? BytesOf(instruction.shape()) : 0;
    for (const HloInstruction* operand : instruction.operands()) {
      if (!is_gather) bytes += BytesOf(operand->shape());
    }
    int64_t devices = module_.config().num_partitions() * module_.config().replica_count();
    if (!is_permute && !instruction.device_list().empty())
      devices = instruction.device_list().num_devices_per_group();
    if (is_permute && !HasMoves(instruction)) devices = 1;
    const Exchange exchange = EstimateExchange(instruction.opcode(), bytes, devices, model_);
    cost_.collectives.push_back({&instruction, devices, runs, exchange});
    cost_.bytes += runs * exchange.bytes;
    cost_.messages += runs * static_cast<double>(exchange.messages);
    cost_.sending_seconds += runs * exchange.seconds;
  }

  const HloModule& module_;
  const DeviceModel& model_;
  ProgramCost cost_;
};

}  // namespace

Exchange EstimateExchange(HloOpcode collective, double bytes, int64_t devices,
                          const DeviceModel& model) {
  if (devices <= 1) return {};
  using Algorithm = DeviceModel::Algorithm;
  const auto timed = [&](Exchange exchange, Algorithm algorithm) {
    exchange.algorithm = algorithm;
    exchange.seconds =
        static_cast<double>(exchange.messages) * model.latency + exchange.bytes / model.bandwidth;
    return exchange;
  };
  if (model.algorithm == Algorithm::kDirect)
    return timed(Direct(collective, bytes, devices), Algorithm::kDirect);
  const Exchange ring = timed(OnRing(collective, bytes, devices), Algorithm::kRing);
  const Exchange tree = timed(OnTree(collective, bytes, devices), Algorithm::kTree);
  const bool takes_tree = model.algorithm == Algorithm::kTree ||
                          (model.algorithm == Algorithm::kFastest && tree.seconds < ring.seconds);
  return takes_tree ? tree : ring;
}

ProgramCost EstimateProgram(const HloModule& module, const DeviceModel& model) {
  return Estimator(module, model).Run();
}

}  // namespace xla::passes
