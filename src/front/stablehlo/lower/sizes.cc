// Arrays whose sizes are operands. Where the result has a static shape, or the sizes are constants,
// these are operations with attributes; bounded sizes go as far as HLO has operations for them.
#include <memory>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/shapes.h"
#include "front/stablehlo/lower/table.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

absl::StatusOr<Integers> GetKnown(Body& body, const Operation& op, int64_t operand) {
  HILO_ASSIGN_OR_RETURN(const HloInstruction* value, body.Operand(op, operand));
  std::optional<Integers> known = KnownIntegers(*value);
  if (!known.has_value()) {
    return Unimplemented(
        "operand %d must be constant: HLO has no such operation with sizes that "
        "are known only at run time",
        operand);
  }
  return *std::move(known);
}

// The shape of the result: sizes that its type leaves open are those that operand `number` is known
// to hold.
absl::StatusOr<Shape> RefinedResult(Body& body, const Operation& op, int64_t number) {
  HILO_ASSIGN_OR_RETURN(Shape shape, body.ResultShape(op));
  if (!shape.IsArrayExcludingBuffer()) return InvalidArgument("the result must be an array");
  HILO_ASSIGN_OR_RETURN(const HloInstruction* sizes, body.Operand(op, number));
  if (shape.is_static()) return shape;
  const std::optional<Integers> known = KnownIntegers(*sizes);
  if (!known.has_value()) return shape;
  if (static_cast<int>(known->size()) != shape.dimensions_size()) {
    return InvalidArgument("there are %d sizes for %s", known->size(), shape.ToString());
  }
  return MakeArrayShape(shape.element_type(), *known);
}

absl::StatusOr<HloInstruction*> AddSizeAt(Body& body, HloInstruction* sizes, int64_t index) {
  HILO_ASSIGN_OR_RETURN(HloInstruction * one, AddSlice(body, sizes, {index}, {index + 1}, {1}));
  const Shape scalar = ShapeUtil::MakeShape(one->shape().element_type(), {});
  HILO_ASSIGN_OR_RETURN(HloInstruction * size, body.AddReshape(one, scalar));
  if (scalar.element_type() == S32) return size;
  return body.Add(HloOpcode::kConvert, ShapeUtil::MakeShape(S32, {}), {size});
}

absl::Status Unknown(const Shape& shape) {
  return Unimplemented("the sizes of %s are known only at run time", shape.ToString());
}

}  // namespace

absl::Status LowerDimensionSize(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<OneDimensionAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->dimension, GetInteger(op, "dimension"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return body.Emit(op, opcode, operands, std::move(attributes));
}

absl::Status LowerDynamicReshape(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, RefinedResult(body, op, 1));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  if (shape.is_static()) {
    HILO_ASSIGN_OR_RETURN(HloInstruction * result, body.AddReshape(operands[0], shape));
    return body.Define(op, result);
  }
  if (shape.is_unbounded_dynamic()) return Unknown(shape);
  std::vector<HloInstruction*> reshaped = {operands[0]};
  for (int64_t i = 0; i < shape.dimensions_size(); ++i) {
    HILO_ASSIGN_OR_RETURN(HloInstruction * size, AddSizeAt(body, operands[1], i));
    reshaped.push_back(size);
  }
  return body.Emit(op, HloOpcode::kDynamicReshape, reshaped);
}

// Sets the dynamic dimensions of `full`, which has the bounds as its sizes.
static absl::StatusOr<HloInstruction*> SetSizes(Body& body, HloInstruction* full,
                                                const Shape& shape, HloInstruction* sizes) {
  for (int64_t i = 0; i < shape.dimensions_size(); ++i) {
    if (shape.is_static_dimension(static_cast<int>(i))) continue;
    HILO_ASSIGN_OR_RETURN(HloInstruction * size, AddSizeAt(body, sizes, i));
    Shape with_size = full->shape();
    with_size.set_dynamic_dimension(static_cast<int>(i), true);
    auto attributes = std::make_unique<OneDimensionAttributes>();
    attributes->dimension = i;
    HILO_ASSIGN_OR_RETURN(full, body.Add(HloOpcode::kSetDimensionSize, with_size, {full, size},
                                         std::move(attributes)));
  }
  return full;
}

absl::Status LowerDynamicBroadcastInDim(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, RefinedResult(body, op, 1));
  HILO_ASSIGN_OR_RETURN(const Integers dimensions, GetIntegers(op, "broadcast_dimensions"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  if (shape.is_unbounded_dynamic()) return Unknown(shape);
  if (shape.is_dynamic() && operands[0]->shape().is_dynamic()) return Unknown(shape);
  Shape bounds = shape;
  bounds.clear_dynamic_dimensions();
  HILO_ASSIGN_OR_RETURN(HloInstruction * result,
                        AddBroadcastInDim(body, operands[0], bounds, dimensions));
  HILO_ASSIGN_OR_RETURN(result, SetSizes(body, result, shape, operands[1]));
  return body.Define(op, result);
}

absl::Status LowerDynamicIota(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, RefinedResult(body, op, 0));
  HILO_ASSIGN_OR_RETURN(HloInstruction * sizes, body.Operand(op, 0));
  if (shape.is_unbounded_dynamic()) return Unknown(shape);
  auto attributes = std::make_unique<IotaAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->iota_dimension, GetInteger(op, "iota_dimension"));
  Shape bounds = shape;
  bounds.clear_dynamic_dimensions();
  HILO_ASSIGN_OR_RETURN(HloInstruction * result,
                        body.Add(HloOpcode::kIota, bounds, {}, std::move(attributes)));
  HILO_ASSIGN_OR_RETURN(result, SetSizes(body, result, shape, sizes));
  return body.Define(op, result);
}

// With sizes that are known and strides of 1, the start may be known only at run time.
absl::Status LowerRealDynamicSlice(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(const Integers strides, GetKnown(body, op, 3));
  const std::optional<Integers> starts = KnownIntegers(*operands[1]);
  const std::optional<Integers> limits = KnownIntegers(*operands[2]);
  if (starts.has_value() && limits.has_value()) {
    HILO_ASSIGN_OR_RETURN(HloInstruction * result,
                          AddSlice(body, operands[0], *starts, *limits, strides));
    return body.Define(op, result);
  }
  HILO_ASSIGN_OR_RETURN(const Shape shape, body.ResultShape(op));
  if (!shape.IsArrayExcludingBuffer() || !shape.is_static()) return Unknown(shape);
  for (const int64_t stride : strides) {
    if (stride != 1) {
      return Unimplemented("with strides other than 1, starts and limits must be constant");
    }
  }
  auto attributes = std::make_unique<DynamicSliceAttributes>();
  attributes->slice_sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
  std::vector<HloInstruction*> sliced = {operands[0]};
  for (int64_t i = 0; i < shape.dimensions_size(); ++i) {
    HILO_ASSIGN_OR_RETURN(HloInstruction * start, AddSizeAt(body, operands[1], i));
    sliced.push_back(start);
  }
  return body.Emit(op, HloOpcode::kDynamicSlice, sliced, std::move(attributes));
}

absl::Status LowerDynamicPad(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(const Integers low, GetKnown(body, op, 2));
  HILO_ASSIGN_OR_RETURN(const Integers high, GetKnown(body, op, 3));
  HILO_ASSIGN_OR_RETURN(const Integers interior, GetKnown(body, op, 4));
  return EmitPad(body, op, operands[0], operands[1], low, high, interior);
}

absl::Status LowerDynamicGather(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(Integers sizes, GetKnown(body, op, 2));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<GatherAttributes> attributes,
                        ToGatherAttributes(op, std::move(sizes)));
  return body.Emit(op, HloOpcode::kGather, {operands[0], operands[1]}, std::move(attributes));
}

absl::Status LowerDynamicConvolution(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const Integers flat, GetKnown(body, op, 2));
  if (flat.size() % 2 != 0) return InvalidArgument("the padding must be pairs");
  std::vector<std::pair<int64_t, int64_t>> padding;
  for (size_t i = 0; i < flat.size(); i += 2) padding.emplace_back(flat[i], flat[i + 1]);
  return EmitConvolution(body, op, padding);
}

}  // namespace xla::stablehlo::lowering
