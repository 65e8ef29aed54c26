// Small parts that several families of operations need.
#ifndef HILO_FRONT_STABLEHLO_LOWER_SHAPES_H_
#define HILO_FRONT_STABLEHLO_LOWER_SHAPES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/lowering.h"
#include "ir/records.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/shape.h"

namespace xla::stablehlo::lowering {

inline bool IsScalar(const Shape& shape) {
  return shape.IsArrayExcludingBuffer() && shape.dimensions().empty();
}

// `element_type` in the dimensions of `like`, with the default layout.
Shape WithElementType(const Shape& like, PrimitiveType element_type);
absl::StatusOr<Shape> MakeArrayShape(PrimitiveType element_type,
                                     absl::Span<const int64_t> dimensions);

// A scalar in all elements of an array with the dimensions of `like`.
absl::StatusOr<HloInstruction*> AddSplat(Body& body, HloInstruction* scalar, const Shape& like);
// Dimension i of the operand becomes dimensions[i] of the result, where it may grow if it is of
// size 1.
absl::StatusOr<HloInstruction*> AddBroadcastInDim(Body& body, HloInstruction* operand,
                                                  const Shape& shape,
                                                  absl::Span<const int64_t> dimensions);
absl::StatusOr<HloInstruction*> AddSlice(Body& body, HloInstruction* operand,
                                         absl::Span<const int64_t> starts,
                                         absl::Span<const int64_t> limits,
                                         absl::Span<const int64_t> strides);
absl::StatusOr<HloInstruction*> AddTranspose(Body& body, HloInstruction* operand,
                                             absl::Span<const int64_t> permutation);
// An integer or floating-point number as a scalar of the type.
absl::StatusOr<HloInstruction*> AddNumber(Body& body, PrimitiveType type, int64_t value);

// Calls what the builder's library makes of the operands. `key` and the operands' shapes say which
// function it is: it is made once.
absl::StatusOr<HloInstruction*> AddLibraryCall(
    Body& body, absl::string_view key, absl::Span<HloInstruction* const> operands,
    absl::FunctionRef<XlaOp(absl::Span<const XlaOp>)> make);

// Integers that a value is known to hold, whatever its dimensions; nothing where they are not
// constant.
std::optional<Integers> KnownIntegers(const HloInstruction& instruction);

absl::StatusOr<std::unique_ptr<CompareAttributes>> ToCompareAttributes(const Operation& op,
                                                                       const Shape& operand);
absl::StatusOr<std::unique_ptr<GatherAttributes>> ToGatherAttributes(const Operation& op,
                                                                     Integers slice_sizes);
absl::StatusOr<PrecisionConfig> ToPrecision(const Operation& op);
// Of a convolution whose padding is an attribute, or is given.
absl::Status EmitConvolution(Body& body, const Operation& op,
                             absl::Span<const std::pair<int64_t, int64_t>> padding);
absl::Status EmitPad(Body& body, const Operation& op, HloInstruction* operand,
                     HloInstruction* padding_value, const Integers& low, const Integers& high,
                     const Integers& interior);

}  // namespace xla::stablehlo::lowering

#endif  // HILO_FRONT_STABLEHLO_LOWER_SHAPES_H_
