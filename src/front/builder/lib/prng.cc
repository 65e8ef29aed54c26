#include "xla/hlo/builder/lib/prng.h"

#include <numbers>
#include <vector>

#include "base/status_macros.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Both parts of the output are not valid.
RngOutput Failed(XlaBuilder* builder, const absl::Status& error) {
  const XlaOp op = builder->ReportError(error);
  return {op, op};
}

template <typename Make>
RngOutput OutputOrError(XlaBuilder* builder, Make make) {
  const absl::StatusOr<RngOutput> output = make();
  return output.ok() ? *output : Failed(builder, output.status());
}

absl::Status CheckWords(absl::string_view what, XlaOp op, absl::Span<const int64_t> dimensions) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, op.builder()->GetShape(op));
  const Shape wanted = ShapeUtil::MakeShape(U64, dimensions);
  if (ShapeUtil::Compatible(shape, wanted)) return absl::OkStatus();
  return InvalidArgument("%s of a bit generator must be %s, not %s", what, wanted.ToString(),
                         shape.ToString());
}

// The unsigned type of the same width.
absl::StatusOr<PrimitiveType> BitsOf(const Shape& shape) {
  const PrimitiveType type = shape.element_type();
  const bool fits = shape.IsArray() && !primitive_util::IsComplexType(type) && type != PRED;
  const int width = fits ? primitive_util::BitWidth(type) : 0;
  if (width == 16 || width == 32 || width == 64) {
    return primitive_util::UnsignedIntegralTypeForBitWidth(width);
  }
  return InvalidArgument("random bits come in elements of 16, 32 or 64 bits, not as %s",
                         shape.ToString());
}

absl::StatusOr<RngOutput> Generate(RandomAlgorithm algorithm, XlaOp key, XlaOp state,
                                   absl::Span<const int64_t> state_dimensions, const Shape& shape) {
  HILO_RETURN_IF_ERROR(CheckWords("the key", key, {}));
  HILO_RETURN_IF_ERROR(CheckWords("the state", state, state_dimensions));
  HILO_ASSIGN_OR_RETURN(const PrimitiveType bits, BitsOf(shape));
  HILO_ASSIGN_OR_RETURN(const Shape bits_shape,
                        ShapeUtil::MakeValidatedShape(bits, shape.dimensions()));
  const int64_t words = state_dimensions.empty() ? 1 : state_dimensions[0];
  const XlaOp start = ConcatInDim(key.builder(), {Reshape(key, {1}), Reshape(state, {words})}, 0);
  const XlaOp generated = RngBitGenerator(algorithm, start, bits_shape);
  const XlaOp next = SliceInDim(GetTupleElement(generated, 0), 1, 1 + words, 1, 0);
  return RngOutput{GetTupleElement(generated, 1), Reshape(next, state_dimensions)};
}

absl::Status CheckScalar(absl::string_view what, XlaOp op, PrimitiveType type) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, op.builder()->GetShape(op));
  if (ShapeUtil::Compatible(shape, ShapeUtil::MakeShape(type, {}))) return absl::OkStatus();
  return InvalidArgument("%s of a distribution of %s must be a scalar of this type, not %s", what,
                         primitive_util::LowercasePrimitiveTypeName(type), shape.ToString());
}

absl::Status CheckFloat(const Shape& shape) {
  const PrimitiveType type = shape.element_type();
  if (type == F16 || type == BF16 || type == F32 || type == F64) return absl::OkStatus();
  return InvalidArgument("a floating point distribution is of F16, BF16, F32 or F64, not %s",
                         shape.ToString());
}

// Bits as numbers in [0, 1): the significands of numbers in [1, 2).
XlaOp UnitInterval(XlaOp bits, PrimitiveType bits_type, PrimitiveType type) {
  const int width = primitive_util::BitWidth(type);
  const int significand = primitive_util::SignificandWidth(type) - 1;
  const XlaOp one = One(bits.builder(), type);
  const XlaOp shift = ConstantR0WithType(bits.builder(), bits_type, width - significand);
  const XlaOp shifted = ShiftRightLogical(bits, shift);
  return BitcastConvertType(Or(shifted, BitcastConvertType(one, bits_type)), type) - one;
}

}  // namespace

RngOutput ThreeFryBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape) {
  return OutputOrError(key.builder(),
                       [&] { return Generate(RNG_THREE_FRY, key, initial_state, {}, shape); });
}

RngOutput PhiloxBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape) {
  return OutputOrError(key.builder(),
                       [&] { return Generate(RNG_PHILOX, key, initial_state, {2}, shape); });
}

std::pair<XlaOp, XlaOp> ScramblePhiloxKey(XlaOp key) {
  XlaBuilder* builder = key.builder();
  // An arbitrary key, the same that XLA has: 0x3ec8f720 below, 0x02461e29 above.
  const XlaOp fixed_key = ConstantR0<uint64_t>(builder, 0x02461e293ec8f720);
  const XlaOp block = ConcatScalars(builder, {key, ConstantR0<uint64_t>(builder, 0)});
  const XlaOp scrambled =
      PhiloxBitGenerator(fixed_key, block, ShapeUtil::MakeShape(U32, {4})).value;
  const XlaOp words = BitcastConvertType(Reshape(scrambled, {2, 2}), U64);
  const XlaOp new_key = Reshape(SliceInDim(words, 0, 1, 1, 0), {});
  const XlaOp upper = Reshape(SliceInDim(words, 1, 2, 1, 0), {});
  return {ConcatScalars(builder, {ConstantR0<uint64_t>(builder, 0), upper}), new_key};
}

RngOutput UniformFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                           BitGeneratorTy bit_generator, XlaOp minval, XlaOp maxval,
                                           const Shape& shape) {
  return OutputOrError(key.builder(), [&]() -> absl::StatusOr<RngOutput> {
    const PrimitiveType type = shape.element_type();
    HILO_RETURN_IF_ERROR(CheckFloat(shape));
    HILO_RETURN_IF_ERROR(CheckScalar("the minimum", minval, type));
    HILO_RETURN_IF_ERROR(CheckScalar("the maximum", maxval, type));
    HILO_ASSIGN_OR_RETURN(const PrimitiveType bits_type, BitsOf(shape));
    const RngOutput bits = bit_generator(key, initial_state, shape);
    const XlaOp unit = UnitInterval(bits.value, bits_type, type);
    return RngOutput{unit * (maxval - minval) + minval, bits.state};
  });
}

RngOutput UniformIntDistribution(XlaOp key, XlaOp initial_state, BitGeneratorTy bit_generator,
                                 XlaOp minval, XlaOp maxval, const Shape& shape) {
  return OutputOrError(key.builder(), [&]() -> absl::StatusOr<RngOutput> {
    const PrimitiveType type = shape.element_type();
    if (!primitive_util::IsIntegralType(type)) {
      return InvalidArgument("a distribution of integers cannot be of %s", shape.ToString());
    }
    HILO_RETURN_IF_ERROR(CheckScalar("the minimum", minval, type));
    HILO_RETURN_IF_ERROR(CheckScalar("the maximum", maxval, type));
    HILO_ASSIGN_OR_RETURN(const PrimitiveType bits_type, BitsOf(shape));
    const RngOutput bits = bit_generator(key, initial_state, shape);
    // Unsigned arithmetic wraps around, so that no difference overflows.
    const XlaOp low = BitcastConvertType(minval, bits_type);
    const XlaOp range = BitcastConvertType(maxval, bits_type) - low;
    return RngOutput{BitcastConvertType(low + Rem(bits.value, range), type), bits.state};
  });
}

RngOutput NormalFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                          BitGeneratorTy bit_generator, const Shape& shape) {
  XlaBuilder* builder = key.builder();
  return OutputOrError(builder, [&]() -> absl::StatusOr<RngOutput> {
    HILO_RETURN_IF_ERROR(CheckFloat(shape));
    const PrimitiveType type = shape.element_type() == F64 ? F64 : F32;
    const int64_t count = ShapeUtil::ElementsIn(shape);
    const int64_t pairs = count / 2 + count % 2;
    HILO_ASSIGN_OR_RETURN(const Shape flat, ShapeUtil::MakeValidatedShape(type, {2, pairs}));
    const RngOutput uniform =
        UniformFloatingPointDistribution(key, initial_state, std::move(bit_generator),
                                         Zero(builder, type), One(builder, type), flat);
    const XlaOp first = Reshape(SliceInDim(uniform.value, 0, 1, 1, 0), {pairs});
    const XlaOp second = Reshape(SliceInDim(uniform.value, 1, 2, 1, 0), {pairs});
    // 1 - u lies in (0, 1], where the logarithm is finite.
    const XlaOp radius = Sqrt(ScalarLike(first, -2) * Log1p(Neg(first)));
    const XlaOp angle = ScalarLike(second, 2 * std::numbers::pi) * second;
    const XlaOp both = ConcatInDim(builder, {radius * Cos(angle), radius * Sin(angle)}, 0);
    const XlaOp values = Reshape(SliceInDim(both, 0, count, 1, 0), shape.dimensions());
    return RngOutput{ConvertElementType(values, shape.element_type()), uniform.state};
  });
}

XlaOp ConcatScalars(XlaBuilder* builder, absl::Span<const XlaOp> scalars) {
  std::vector<XlaOp> vectors;
  for (XlaOp scalar : scalars) vectors.push_back(Reshape(scalar, {1}));
  return ConcatInDim(builder, vectors, 0);
}

XlaOp PhiloxIncreaseCounter(XlaOp counter, XlaOp delta) {
  XlaBuilder* builder = counter.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_RETURN_IF_ERROR(CheckWords("the counter", counter, {2}));
    HILO_RETURN_IF_ERROR(CheckWords("the increase", delta, {}));
    const XlaOp low = Reshape(SliceInDim(counter, 0, 1, 1, 0), {});
    const XlaOp high = Reshape(SliceInDim(counter, 1, 2, 1, 0), {});
    const XlaOp sum = low + delta;
    const XlaOp carry = ConvertElementType(Lt(sum, low), U64);
    return ConcatScalars(builder, {sum, high + carry});
  });
}

}  // namespace xla
