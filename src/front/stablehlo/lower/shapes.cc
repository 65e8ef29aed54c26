#include "front/stablehlo/lower/shapes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/permutation_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

// Lists of sizes have one element for each dimension of some array.
constexpr int64_t kMostSizes = 1000;
constexpr int kMostSteps = 20;

std::optional<Integers> KnownWithin(const HloInstruction& instruction, int steps) {
  const Shape& shape = instruction.shape();
  if (steps > kMostSteps || !shape.IsArrayExcludingBuffer() || !shape.is_static() ||
      !primitive_util::IsIntegralType(shape.element_type())) {
    return std::nullopt;
  }
  const int64_t count = ShapeUtil::ElementsIn(shape);
  if (count > kMostSizes) return std::nullopt;
  switch (instruction.opcode()) {
    case HloOpcode::kConstant: {
      const absl::StatusOr<Literal> wide = instruction.literal().Convert(S64);
      if (!wide.ok()) return std::nullopt;
      return Integers(wide->data<int64_t>().begin(), wide->data<int64_t>().end());
    }
    case HloOpcode::kConvert:
    case HloOpcode::kReshape:
      return KnownWithin(*instruction.operand(0), steps + 1);
    case HloOpcode::kBroadcast: {
      const std::optional<Integers> value = KnownWithin(*instruction.operand(0), steps + 1);
      if (!value.has_value() || value->size() != 1) return std::nullopt;
      return Integers(count, value->front());
    }
    case HloOpcode::kConcatenate: {
      if (shape.dimensions_size() != 1) return std::nullopt;
      Integers integers;
      for (const HloInstruction* operand : instruction.operands()) {
        const std::optional<Integers> part = KnownWithin(*operand, steps + 1);
        if (!part.has_value()) return std::nullopt;
        integers.insert(integers.end(), part->begin(), part->end());
      }
      return integers;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Integers> KnownIntegers(const HloInstruction& instruction) {
  return KnownWithin(instruction, 0);
}

Shape WithElementType(const Shape& like, PrimitiveType element_type) {
  Shape shape(element_type, like.dimensions(), like.dynamic_dimensions());
  LayoutUtil::SetToDefaultLayout(&shape);
  return shape;
}

absl::StatusOr<Shape> MakeArrayShape(PrimitiveType element_type,
                                     absl::Span<const int64_t> dimensions) {
  return ShapeUtil::MakeValidatedShape(element_type, dimensions);
}

absl::StatusOr<HloInstruction*> AddSplat(Body& body, HloInstruction* scalar, const Shape& like) {
  return body.Add(HloOpcode::kBroadcast, WithElementType(like, scalar->shape().element_type()),
                  {scalar});
}

absl::StatusOr<HloInstruction*> AddBroadcastInDim(Body& body, HloInstruction* operand,
                                                  const Shape& shape,
                                                  absl::Span<const int64_t> dimensions) {
  const Shape& from = operand->shape();
  if (!from.IsArrayExcludingBuffer() || !shape.IsArrayExcludingBuffer()) {
    return InvalidArgument("%s cannot be broadcast to %s", from.ToString(), shape.ToString());
  }
  if (static_cast<int>(dimensions.size()) != from.dimensions_size()) {
    return InvalidArgument("there are %d broadcast dimensions for %s", dimensions.size(),
                           from.ToString());
  }
  Integers kept_sizes;
  std::vector<bool> kept_dynamic;
  auto attributes = std::make_unique<BroadcastAttributes>();
  for (int i = 0; i < from.dimensions_size(); ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= shape.dimensions_size()) {
      return InvalidArgument("broadcast dimension %d is not one of %s", dimensions[i],
                             shape.ToString());
    }
    const auto to = static_cast<int>(dimensions[i]);
    if (from.dimensions(i) == 1 && from.is_static_dimension(i) && shape.dimensions(to) != 1) {
      continue;
    }
    kept_sizes.push_back(from.dimensions(i));
    kept_dynamic.push_back(from.is_dynamic_dimension(i));
    attributes->dimensions.push_back(dimensions[i]);
  }
  if (static_cast<int>(kept_sizes.size()) < from.dimensions_size()) {
    const std::unique_ptr<bool[]> dynamic = std::make_unique<bool[]>(kept_dynamic.size());
    std::copy(kept_dynamic.begin(), kept_dynamic.end(), dynamic.get());
    Shape kept(from.element_type(), kept_sizes,
               absl::MakeConstSpan(dynamic.get(), kept_dynamic.size()));
    LayoutUtil::SetToDefaultLayout(&kept);
    HILO_ASSIGN_OR_RETURN(operand, body.AddReshape(operand, kept));
  }
  return body.Add(HloOpcode::kBroadcast, shape, {operand}, std::move(attributes));
}

absl::StatusOr<HloInstruction*> AddSlice(Body& body, HloInstruction* operand,
                                         absl::Span<const int64_t> starts,
                                         absl::Span<const int64_t> limits,
                                         absl::Span<const int64_t> strides) {
  const Shape& from = operand->shape();
  const size_t rank = from.IsArrayExcludingBuffer() ? from.dimensions().size() : 0;
  if (!from.IsArrayExcludingBuffer() || starts.size() != rank || limits.size() != rank ||
      strides.size() != rank) {
    return InvalidArgument("%s cannot be sliced by %d starts, %d limits and %d strides",
                           from.ToString(), starts.size(), limits.size(), strides.size());
  }
  auto attributes = std::make_unique<SliceAttributes>();
  Integers sizes;
  for (size_t i = 0; i < rank; ++i) {
    if (starts[i] < 0 || limits[i] < starts[i] || limits[i] > from.dimensions(i) ||
        strides[i] < 1) {
      return InvalidArgument("[%d:%d:%d] is no slice of dimension %d of %s", starts[i], limits[i],
                             strides[i], i, from.ToString());
    }
    attributes->ranges.push_back({starts[i], limits[i], strides[i]});
    sizes.push_back((limits[i] - starts[i]) / strides[i] +
                    ((limits[i] - starts[i]) % strides[i] != 0 ? 1 : 0));
  }
  HILO_ASSIGN_OR_RETURN(const Shape shape, MakeArrayShape(from.element_type(), sizes));
  return body.Add(HloOpcode::kSlice, shape, {operand}, std::move(attributes));
}

absl::StatusOr<HloInstruction*> AddTranspose(Body& body, HloInstruction* operand,
                                             absl::Span<const int64_t> permutation) {
  const Shape& from = operand->shape();
  if (!from.IsArrayExcludingBuffer() || !IsPermutation(permutation) ||
      static_cast<int>(permutation.size()) != from.dimensions_size()) {
    return InvalidArgument("the dimensions of %s cannot be permuted like this", from.ToString());
  }
  auto attributes = std::make_unique<DimensionsAttributes>();
  attributes->dimensions.assign(permutation.begin(), permutation.end());
  Shape shape = ShapeUtil::MakeShape(from.element_type(), {});
  for (const int64_t dimension : permutation) {
    shape.add_dimensions(from.dimensions(static_cast<int>(dimension)),
                         from.is_dynamic_dimension(static_cast<int>(dimension)));
  }
  LayoutUtil::SetToDefaultLayout(&shape);
  return body.Add(HloOpcode::kTranspose, shape, {operand}, std::move(attributes));
}

absl::StatusOr<HloInstruction*> AddNumber(Body& body, PrimitiveType type, int64_t value) {
  if (!primitive_util::IsArrayType(type)) return InvalidArgument("there are no such numbers");
  HILO_ASSIGN_OR_RETURN(Literal literal, LiteralUtil::CreateR0<int64_t>(value).Convert(type));
  return body.AddConstant(std::move(literal));
}

absl::StatusOr<HloInstruction*> AddLibraryCall(
    Body& body, absl::string_view key, absl::Span<HloInstruction* const> operands,
    absl::FunctionRef<XlaOp(absl::Span<const XlaOp>)> make) {
  std::string whole(key);
  for (const HloInstruction* operand : operands) {
    absl::StrAppend(&whole, " ", operand->shape().ToString());
  }
  HILO_ASSIGN_OR_RETURN(HloComputation * computation,
                        body.lowering().Library(whole, [&]() -> absl::StatusOr<XlaComputation> {
                          XlaBuilder builder{std::string(key)};
                          std::vector<XlaOp> parameters;
                          for (const HloInstruction* operand : operands) {
                            const auto number = static_cast<int64_t>(parameters.size());
                            parameters.push_back(Parameter(&builder, number, operand->shape(),
                                                           absl::StrCat("Arg_", number)));
                          }
                          return builder.Build(make(parameters));
                        }));
  const HloComputation* const callee = computation;
  return body.Add(HloOpcode::kCall, callee->root_instruction()->shape(), operands, nullptr,
                  {computation});
}

}  // namespace xla::stablehlo::lowering
