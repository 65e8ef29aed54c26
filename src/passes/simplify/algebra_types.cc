#include "absl/algorithm/container.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/match.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

HloInstruction* Copy(HloInstruction& copy) { return copy.mutable_operand(0); }

HloInstruction* ConvertOfIota(HloInstruction& convert, const HloInstruction& iota) {
  const Shape& shape = convert.shape();
  if (!CountOfIota(iota).has_value() || !HasIntegers(convert) ||
      primitive_util::BitWidth(shape.element_type()) < 32) {
    return nullptr;
  }
  return GraphBuilder(convert).Iota(shape.element_type(), shape.dimensions(),
                                    iota.attributes_as<IotaAttributes>().iota_dimension);
}

// What the first of two conversions keeps, it need not make.
HloInstruction* Convert(HloInstruction& convert) {
  HloInstruction* inner = convert.mutable_operand(0);
  const PrimitiveType type = convert.shape().element_type();
  if (inner->shape().element_type() == type) return inner;
  if (inner->opcode() == HloOpcode::kIota) return ConvertOfIota(convert, *inner);
  if (inner->opcode() != HloOpcode::kConvert) return nullptr;
  HloInstruction* x = inner->mutable_operand(0);
  const PrimitiveType first = x->shape().element_type();
  const PrimitiveType middle = inner->shape().element_type();
  if (!primitive_util::CastPreservesValues(first, middle)) return nullptr;
  return GraphBuilder(convert).Convert(x, type);
}

HloInstruction* BitcastConvert(HloInstruction& bitcast) {
  HloInstruction* inner = bitcast.mutable_operand(0);
  const PrimitiveType type = bitcast.shape().element_type();
  if (inner->shape().element_type() == type) return inner;
  if (inner->opcode() != HloOpcode::kBitcastConvert) return nullptr;
  HloInstruction* x = inner->mutable_operand(0);
  const int bits = primitive_util::BitWidth(type);
  if (primitive_util::BitWidth(x->shape().element_type()) != bits ||
      primitive_util::BitWidth(inner->shape().element_type()) != bits) {
    return nullptr;
  }
  return GraphBuilder(bitcast).BitcastConvert(x, type);
}

HloInstruction* ReducePrecision(HloInstruction& reduce) {
  // Bits of the significand that are stored, and exponents from that of the least normal number to
  // that of infinity.
  const PrimitiveType type = reduce.shape().element_type();
  // Numbers of BF16 may have more digits where they are not in memory.
  if (type != F32 && type != F64 && type != F16) return nullptr;
  const auto& attributes = reduce.attributes_as<ReducePrecisionAttributes>();
  const int mantissa = primitive_util::SignificandWidth(type) - 1;
  const int exponent = primitive_util::BitWidth(type) - 1 - mantissa;
  return attributes.mantissa_bits >= mantissa && attributes.exponent_bits >= exponent
             ? reduce.mutable_operand(0)
             : nullptr;
}

HloInstruction* Real(HloInstruction& real) {
  HloInstruction* x = real.mutable_operand(0);
  if (x->opcode() == HloOpcode::kComplex) return x->mutable_operand(0);
  if (x->opcode() == HloOpcode::kConvert &&
      !primitive_util::IsComplexType(x->operand(0)->shape().element_type())) {
    return GraphBuilder(real).Convert(x->mutable_operand(0), real.shape().element_type());
  }
  return x->shape().element_type() == real.shape().element_type() ? x : nullptr;
}

HloInstruction* Imag(HloInstruction& imag) {
  HloInstruction* x = imag.mutable_operand(0);
  return x->opcode() == HloOpcode::kComplex ? x->mutable_operand(1) : nullptr;
}

HloInstruction* Complex(HloInstruction& complex) {
  HloInstruction* real = complex.mutable_operand(0);
  const HloInstruction* imag = complex.operand(1);
  return real->opcode() == HloOpcode::kReal && imag->opcode() == HloOpcode::kImag &&
                 real->operand(0) == imag->operand(0) &&
                 real->operand(0)->shape().element_type() == complex.shape().element_type()
             ? real->mutable_operand(0)
             : nullptr;
}

// Transforms of single numbers are these, real or complex.
HloInstruction* Fft(HloInstruction& fft) {
  if (!absl::c_all_of(fft.fft_length(), [](int64_t length) { return length == 1; })) return nullptr;
  HloInstruction* x = fft.mutable_operand(0);
  GraphBuilder b(fft);
  if (fft.fft_type() == IRFFT)
    return b.Add(HloInstruction::CreateUnary(fft.shape(), HloOpcode::kReal, x));
  return fft.fft_type() == RFFT ? b.Convert(x, fft.shape().element_type()) : x;
}

HloInstruction* GetTupleElement(HloInstruction& element) {
  HloInstruction* tuple = element.mutable_operand(0);
  return tuple->opcode() == HloOpcode::kTuple && !tuple->HasControlDependencies()
             ? tuple->mutable_operand(element.tuple_index())
             : nullptr;
}

// A tuple of all elements of another one.
HloInstruction* Tuple(HloInstruction& tuple) {
  HloInstruction* source = nullptr;
  for (int64_t i = 0; i < tuple.operand_count(); ++i) {
    HloInstruction* element = tuple.mutable_operand(i);
    if (element->opcode() != HloOpcode::kGetTupleElement || element->tuple_index() != i ||
        (source != nullptr && element->operand(0) != source)) {
      return nullptr;
    }
    source = element->mutable_operand(0);
  }
  return source != nullptr && ShapeUtil::Compatible(source->shape(), tuple.shape()) ? source
                                                                                    : nullptr;
}

constexpr OpcodeRule kTypeRules[] = {
    {HloOpcode::kCopy, Copy},
    {HloOpcode::kConvert, Convert},
    {HloOpcode::kBitcastConvert, BitcastConvert},
    {HloOpcode::kReducePrecision, ReducePrecision},
    {HloOpcode::kReal, Real},
    {HloOpcode::kImag, Imag},
    {HloOpcode::kComplex, Complex},
    {HloOpcode::kFft, Fft},
    {HloOpcode::kGetTupleElement, WithoutTuple},
    {HloOpcode::kTuple, WithoutTuple},
};

}  // namespace

absl::Span<const OpcodeRule> TypeRules() { return kTypeRules; }

HloInstruction* WithoutTuple(HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kGetTupleElement:
      return GetTupleElement(instruction);
    case HloOpcode::kTuple:
      return Tuple(instruction);
    default:
      return nullptr;
  }
}

}  // namespace xla::passes
