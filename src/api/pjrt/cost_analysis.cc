#include "api/pjrt/cost_analysis.h"

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

struct CostFigures {
  double flops = 0, transcendentals = 0, bytes = 0;
};

double BytesAccessed(const Shape& shape) {
  double bytes = 0;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsArray()) bytes += static_cast<double>(ShapeUtil::ByteSizeOf(part));
  });
  return bytes;
}

double CountOf(const Shape& shape) {
  return shape.IsArray() ? static_cast<double>(ShapeUtil::ElementsIn(shape)) : 0;
}

bool IsTranscendental(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAtan2:
    case HloOpcode::kCbrt:
    case HloOpcode::kCos:
    case HloOpcode::kErf:
    case HloOpcode::kExp:
    case HloOpcode::kExpm1:
    case HloOpcode::kLog:
    case HloOpcode::kLog1p:
    case HloOpcode::kLogistic:
    case HloOpcode::kPower:
    case HloOpcode::kRsqrt:
    case HloOpcode::kSin:
    case HloOpcode::kSqrt:
    case HloOpcode::kTan:
    case HloOpcode::kTanh:
      return true;
    default:
      return false;
  }
}

// A multiplication and an addition for each element of the result and of what is summed over.
double FlopsOfDot(const HloInstruction& dot) {
  double depth = 1;
  for (const int64_t dimension : dot.dot_dimension_numbers().lhs_contracting_dimensions())
    depth *= static_cast<double>(dot.operand(0)->shape().dimensions(static_cast<int>(dimension)));
  return 2 * CountOf(dot.shape()) * depth;
}

double FlopsOfConvolution(const HloInstruction& convolution) {
  const int feature = static_cast<int>(
      convolution.convolution_dimension_numbers().kernel_output_feature_dimension());
  const Shape& kernel = convolution.operand(1)->shape();
  const double features = static_cast<double>(kernel.dimensions(feature));
  return features == 0 ? 0 : 2 * CountOf(convolution.shape()) * CountOf(kernel) / features;
}

void AddCostOf(const HloInstruction& instruction, CostFigures& cost) {
  switch (instruction.opcode()) {
    case HloOpcode::kParameter:
    case HloOpcode::kConstant:
    case HloOpcode::kTuple:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kBitcast:
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
    case HloOpcode::kCall:
    case HloOpcode::kAfterAll:
      return;
    case HloOpcode::kDot:
      cost.flops += FlopsOfDot(instruction);
      break;
    case HloOpcode::kConvolution:
      cost.flops += FlopsOfConvolution(instruction);
      break;
    case HloOpcode::kReduce:
      cost.flops += CountOf(instruction.operand(0)->shape());
      break;
    default:
      if (!instruction.IsElementwise()) break;
      (IsTranscendental(instruction.opcode()) ? cost.transcendentals : cost.flops) +=
          CountOf(instruction.shape());
      break;
  }
  cost.bytes += BytesAccessed(instruction.shape());
  for (const HloInstruction* operand : instruction.operands())
    cost.bytes += BytesAccessed(operand->shape());
}

}  // namespace

absl::flat_hash_map<std::string, PjRtValueType> AnalyzeCost(const HloModule& module) {
  CostFigures cost;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions())
      AddCostOf(*instruction, cost);
  }
  return {{"flops", static_cast<float>(cost.flops)},
          {"transcendentals", static_cast<float>(cost.transcendentals)},
          {"bytes accessed", static_cast<float>(cost.bytes)}};
}

}  // namespace xla
