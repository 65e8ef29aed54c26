#include "eval/element_functions.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "data/literal_convert.h"
#include "eval/element_kernel.h"
#include "ir/records.h"
#include "xla/comparison_util.h"
#include "xla/primitive_util.h"

namespace xla::eval {
namespace {

void ConvertKernel(const ElementContext& context, const void* const* operands, void* result,
                   int64_t count) {
  Lanes from, to;
  context.operand->store(operands[0], count, from.bytes);
  ConvertElements(context.operand->type, from.bytes, context.result->type, to.bytes, count);
  context.result->load(to.bytes, 1, count, result);
}

void BitcastKernel(const ElementContext& context, const void* const* operands, void* result,
                   int64_t count) {
  Lanes bits;
  context.operand->store(operands[0], count, bits.bytes);
  context.result->load(bits.bytes, 1, count, result);
}

void CopyKernel(const ElementContext& context, const void* const* operands, void* result,
                int64_t count) {
  if (result != operands[0]) std::memcpy(result, operands[0], count * context.operand->wide_bytes);
}

template <typename T>
void SelectKernel(const ElementContext&, const void* const* operands, void* result, int64_t count) {
  const uint64_t* chosen = static_cast<const uint64_t*>(operands[0]);
  const T* on_true = static_cast<const T*>(operands[1]);
  const T* on_false = static_cast<const T*>(operands[2]);
  T* out = static_cast<T*>(result);
  for (int64_t i = 0; i < count; ++i) out[i] = chosen[i] != 0 ? on_true[i] : on_false[i];
}

// min(max(low, x), high).
void ClampKernel(const ElementContext& context, const void* const* operands, void* result,
                 int64_t count) {
  Lanes raised;
  MaximumOf(context.operand->kind)(context, operands, raised.bytes, count);
  const void* bounded[] = {raised.bytes, operands[2]};
  MinimumOf(context.operand->kind)(context, bounded, result, count);
}

// A real number to an integer, up or down with the probability of its fraction: the random bits are
// the digits of a number between 0 and 1 that the fraction is compared with.
int64_t RoundStochastically(double x, uint64_t random, int random_bits, int64_t lowest,
                            int64_t highest) {
  if (std::isnan(x)) return 0;
  if (x >= static_cast<double>(highest)) return highest;
  if (x <= static_cast<double>(lowest)) return lowest;
  const double magnitude = std::fabs(x);
  const double whole = std::floor(magnitude);
  const double threshold = std::ldexp(magnitude - whole, random_bits);
  const int64_t rounded =
      static_cast<int64_t>(whole) + (threshold > static_cast<double>(random) ? 1 : 0);
  return std::signbit(x) ? -rounded : rounded;
}

void StochasticConvertKernel(const ElementContext& context, const void* const* operands,
                             void* result, int64_t count) {
  const double* x = static_cast<const double*>(operands[0]);
  const uint64_t* random = static_cast<const uint64_t*>(operands[1]);
  int64_t* out = static_cast<int64_t*>(result);
  const int64_t highest = std::numeric_limits<int64_t>::max() >> (64 - context.result->bits);
  for (int64_t i = 0; i < count; ++i) {
    out[i] = RoundStochastically(x[i], random[i], context.parameters[0], -highest - 1, highest);
  }
}

ElementFunction FindFunction(const HloInstruction& instruction, const ElementContext& context) {
  const Format& from = *context.operand;
  const Format& to = *context.result;
  switch (instruction.opcode()) {
    case HloOpcode::kConvert:
      return from.kind == Kind::kComplex && to.kind != Kind::kComplex ? nullptr : &ConvertKernel;
    case HloOpcode::kBitcastConvert:
      return from.bits == to.bits && (from.type == PRED) == (to.type == PRED) ? &BitcastKernel
                                                                              : nullptr;
    case HloOpcode::kCopy:
      return &CopyKernel;
    case HloOpcode::kClamp:
      return &ClampKernel;
    case HloOpcode::kSelect:
      return KindSwitch([](auto wide) -> ElementFunction { return &SelectKernel<decltype(wide)>; },
                        from.kind);
    case HloOpcode::kStochasticConvert:
      return from.kind == Kind::kReal && to.kind == Kind::kSigned ? &StochasticConvertKernel
                                                                  : nullptr;
    case HloOpcode::kCompare:
      return CompareOf(from.kind);
    case HloOpcode::kComplex:
      return ComplexOf(from.kind);
    case HloOpcode::kImag:
      return ImagOf(from.kind);
    case HloOpcode::kReal:
      return RealOf(from.kind);
    case HloOpcode::kReducePrecision:
      return ReducePrecisionOf(from.kind);
#define HLO_OP(...)
#define HLO_FUNCTION(name, ...) \
  case HloOpcode::k##name:      \
    return name##Of(from.kind);
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP
    default:
      return nullptr;
  }
}

void SetParameters(const HloInstruction& instruction, ElementContext& context) {
  switch (instruction.opcode()) {
    case HloOpcode::kCompare:
      context.parameters[0] = static_cast<int>(instruction.comparison_direction());
      context.parameters[1] = static_cast<int>(instruction.comparison_type());
      break;
    case HloOpcode::kReducePrecision: {
      const auto& attributes = instruction.attributes_as<ReducePrecisionAttributes>();
      context.parameters[0] = static_cast<int>(attributes.exponent_bits);
      context.parameters[1] = static_cast<int>(attributes.mantissa_bits);
      break;
    }
    case HloOpcode::kStochasticConvert:
      context.parameters[0] =
          primitive_util::BitWidth(instruction.operand(1)->shape().element_type());
      break;
    default:
      break;
  }
}

}  // namespace

std::optional<ElementStep> FindElementStep(const HloInstruction& instruction) {
  if (instruction.operand_count() < 1 || instruction.operand_count() > 3 ||
      !instruction.shape().IsArray()) {
    return std::nullopt;
  }
  for (const HloInstruction* operand : instruction.operands()) {
    if (!operand->shape().IsArray()) return std::nullopt;
  }
  const int main_operand = instruction.operand_count() == 3 ? 1 : 0;
  ElementStep step;
  step.context = {&FormatOf(instruction.operand(main_operand)->shape().element_type()),
                  &FormatOf(instruction.shape().element_type()),
                  {0, 0}};
  step.function = FindFunction(instruction, step.context);
  if (step.function == nullptr) return std::nullopt;
  SetParameters(instruction, step.context);
  return step;
}

}  // namespace xla::eval
