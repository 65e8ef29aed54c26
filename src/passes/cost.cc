#include "passes/cost.h"

#include "xla/shape_util.h"

namespace xla::passes {

double CostOfElement(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kParameter:
      return 1;
    case HloOpcode::kConstant:
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
    case HloOpcode::kBitcast:
    case HloOpcode::kTuple:
    case HloOpcode::kGetTupleElement:
      return 0;
    case HloOpcode::kExp:
    case HloOpcode::kLog:
    case HloOpcode::kTanh:
    case HloOpcode::kLogistic:
    case HloOpcode::kExpm1:
    case HloOpcode::kLog1p:
    case HloOpcode::kSin:
    case HloOpcode::kCos:
    case HloOpcode::kErf:
    case HloOpcode::kCbrt:
      return 8;
    case HloOpcode::kTan:
    case HloOpcode::kPower:
    case HloOpcode::kAtan2:
      return 24;
    case HloOpcode::kDivide:
    case HloOpcode::kSqrt:
    case HloOpcode::kRsqrt:
      return 3;
    case HloOpcode::kRemainder:
      return 8;
    default:
      return 0.5;
  }
}

double CostOf(const HloInstruction& instruction) {
  const HloInstruction& counted =
      instruction.opcode() == HloOpcode::kReduce ? *instruction.operand(0) : instruction;
  double elements = 0;
  ShapeUtil::ForEachSubshape(counted.shape(), [&](const Shape& part, const ShapeIndex&) {
    if (part.IsArray()) elements += static_cast<double>(ShapeUtil::ElementsIn(part));
  });
  return elements * CostOfElement(instruction);
}

bool IsExpensive(const HloInstruction& instruction) { return CostOfElement(instruction) >= 8; }

}  // namespace xla::passes
