// Constants, and operations that put elements in other places.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/shapes.h"
#include "front/stablehlo/lower/table.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {

absl::Status LowerPlain(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return body.Emit(op, opcode, operands);
}

absl::Status LowerConstant(Body& body, const Operation& op, HloOpcode) {
  const auto* tensor = As<TensorAttribute>(op.attribute("value"));
  if (tensor == nullptr) return InvalidArgument("the attribute value must be a tensor");
  HILO_ASSIGN_OR_RETURN(const Shape shape, body.ResultShape(op));
  if (!ShapeUtil::Compatible(*tensor->shape, shape)) {
    return InvalidArgument("the value is %s, but the result %s", tensor->shape->ToString(),
                           shape.ToString());
  }
  HILO_ASSIGN_OR_RETURN(Literal literal, ToLiteral(*tensor));
  HILO_ASSIGN_OR_RETURN(HloInstruction * value, body.AddConstant(std::move(literal)));
  if (!tensor->is_splat || IsScalar(shape)) return body.Define(op, value);
  HILO_ASSIGN_OR_RETURN(HloInstruction * result, AddSplat(body, value, shape));
  return body.Define(op, result);
}

absl::Status LowerIota(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<IotaAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->iota_dimension, GetInteger(op, "iota_dimension"));
  return body.Emit(op, opcode, {}, std::move(attributes));
}

// The sizes come in front of the operand's.
absl::Status LowerBroadcast(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(const Integers sizes, GetIntegers(op, "broadcast_sizes"));
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  if (!operand->shape().IsArray()) return InvalidArgument("the operand is no array");
  auto attributes = std::make_unique<BroadcastAttributes>();
  for (int64_t i = 0; i < operand->shape().dimensions_size(); ++i) {
    attributes->dimensions.push_back(static_cast<int64_t>(sizes.size()) + i);
  }
  return body.Emit(op, opcode, {operand}, std::move(attributes));
}

absl::Status LowerBroadcastInDim(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const Integers dimensions, GetIntegers(op, "broadcast_dimensions"));
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  HILO_ASSIGN_OR_RETURN(const Shape shape, body.ResultShape(op));
  HILO_ASSIGN_OR_RETURN(HloInstruction * result,
                        AddBroadcastInDim(body, operand, shape, dimensions));
  return body.Define(op, result);
}

absl::Status LowerTranspose(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<DimensionsAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->dimensions, GetIntegers(op, "permutation"));
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  return body.Emit(op, opcode, {operand}, std::move(attributes));
}

absl::Status LowerReverse(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<DimensionsAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->dimensions, GetIntegers(op, "dimensions"));
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  return body.Emit(op, opcode, {operand}, std::move(attributes));
}

absl::Status LowerSlice(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(const Integers starts, GetIntegers(op, "start_indices"));
  HILO_ASSIGN_OR_RETURN(const Integers limits, GetIntegers(op, "limit_indices"));
  HILO_ASSIGN_OR_RETURN(const Integers strides, GetIntegersOr(op, "strides", starts.size(), 1));
  if (starts.size() != limits.size()) {
    return InvalidArgument("there are %d starts and %d limits", starts.size(), limits.size());
  }
  auto attributes = std::make_unique<SliceAttributes>();
  for (size_t i = 0; i < starts.size(); ++i) {
    attributes->ranges.push_back({starts[i], limits[i], strides[i]});
  }
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  return body.Emit(op, opcode, {operand}, std::move(attributes));
}

absl::Status EmitPad(Body& body, const Operation& op, HloInstruction* operand,
                     HloInstruction* padding_value, const Integers& low, const Integers& high,
                     const Integers& interior) {
  if (low.size() != high.size() || low.size() != interior.size()) {
    return InvalidArgument("there are %d low, %d high and %d interior sizes", low.size(),
                           high.size(), interior.size());
  }
  auto attributes = std::make_unique<PadAttributes>();
  for (size_t i = 0; i < low.size(); ++i) {
    PaddingConfig::PaddingConfigDimension& dimension = *attributes->padding.add_dimensions();
    dimension.set_edge_padding_low(low[i]);
    dimension.set_edge_padding_high(high[i]);
    dimension.set_interior_padding(interior[i]);
  }
  return body.Emit(op, HloOpcode::kPad, {operand, padding_value}, std::move(attributes));
}

absl::Status LowerPad(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const Integers low, GetIntegers(op, "edge_padding_low"));
  HILO_ASSIGN_OR_RETURN(const Integers high, GetIntegers(op, "edge_padding_high"));
  HILO_ASSIGN_OR_RETURN(const Integers interior, GetIntegers(op, "interior_padding"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return EmitPad(body, op, operands[0], operands[1], low, high, interior);
}

absl::Status LowerConcatenate(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<OneDimensionAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->dimension, GetInteger(op, "dimension"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return body.Emit(op, opcode, operands, std::move(attributes));
}

absl::Status LowerDynamicSlice(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<DynamicSliceAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->slice_sizes, GetIntegers(op, "slice_sizes"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return body.Emit(op, opcode, operands, std::move(attributes));
}

absl::StatusOr<std::unique_ptr<GatherAttributes>> ToGatherAttributes(const Operation& op,
                                                                     Integers slice_sizes) {
  auto attributes = std::make_unique<GatherAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->offset_dims, GetIntegersOrNone(op, "offset_dims"));
  HILO_ASSIGN_OR_RETURN(attributes->collapsed_slice_dims,
                        GetIntegersOrNone(op, "collapsed_slice_dims"));
  HILO_ASSIGN_OR_RETURN(attributes->start_index_map, GetIntegersOrNone(op, "start_index_map"));
  HILO_ASSIGN_OR_RETURN(attributes->operand_batching_dims,
                        GetIntegersOrNone(op, "operand_batching_dims"));
  HILO_ASSIGN_OR_RETURN(attributes->start_indices_batching_dims,
                        GetIntegersOrNone(op, "start_indices_batching_dims"));
  HILO_ASSIGN_OR_RETURN(attributes->index_vector_dim, GetIntegerOr(op, "index_vector_dim", 0));
  HILO_ASSIGN_OR_RETURN(attributes->indices_are_sorted, GetBool(op, "indices_are_sorted"));
  attributes->slice_sizes = std::move(slice_sizes);
  return attributes;
}

absl::Status LowerGather(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(Integers slice_sizes, GetIntegers(op, "slice_sizes"));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<GatherAttributes> attributes,
                        ToGatherAttributes(op, std::move(slice_sizes)));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return body.Emit(op, opcode, operands, std::move(attributes));
}

// Elements of dimension `dim` at the indices, which share the first `batch_dims` dimensions with
// the operand. In the result the other dimensions of the indices stand where `dim` was.
absl::Status LowerTorchIndexSelect(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(const int64_t dim, GetInteger(op, "dim"));
  HILO_ASSIGN_OR_RETURN(const int64_t batch_dims, GetIntegerOr(op, "batch_dims", 0));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  const Shape& operand = operands[0]->shape();
  const Shape& index = operands[1]->shape();
  if (!operand.IsArrayExcludingBuffer() || !index.IsArrayExcludingBuffer()) {
    return InvalidArgument("the operands must be arrays");
  }
  const int64_t rank = operand.dimensions_size();
  const int64_t index_rank = index.dimensions_size();
  if (batch_dims < 0 || batch_dims > index_rank || dim < batch_dims || dim >= rank) {
    return InvalidArgument("dim %d and batch_dims %d do not fit %s and %s", dim, batch_dims,
                           operand.ToString(), index.ToString());
  }
  auto attributes = std::make_unique<GatherAttributes>();
  attributes->index_vector_dim = index_rank;
  attributes->start_index_map = {dim};
  attributes->collapsed_slice_dims = {dim};
  for (int64_t i = 0; i < rank; ++i) {
    const bool is_batch = i < batch_dims;
    attributes->slice_sizes.push_back(
        is_batch || i == dim ? std::min<int64_t>(1, operand.dimensions(static_cast<int>(i)))
                             : operand.dimensions(static_cast<int>(i)));
    if (is_batch) {
      attributes->operand_batching_dims.push_back(i);
      attributes->start_indices_batching_dims.push_back(i);
    } else if (i < dim) {
      attributes->offset_dims.push_back(i);
    } else if (i > dim) {
      attributes->offset_dims.push_back(i + index_rank - batch_dims - 1);
    }
  }
  return body.Emit(op, opcode, operands, std::move(attributes));
}

}  // namespace xla::stablehlo::lowering
