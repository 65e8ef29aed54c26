// Operations that make arrays or move elements without looking at them.
#include <algorithm>
#include <cstring>

#include "base/status_macros.h"
#include "data/literal_convert.h"
#include "data/padded_range.h"
#include "data/strided_copy.h"
#include "eval/frame.h"
#include "ir/records.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

// An array of the instruction's shape whose element at index i is the operand's at position `start`
// + sum of i * strides.
absl::StatusOr<Literal> Rearrange(const HloInstruction& instruction, const Literal& operand,
                                  int64_t start, absl::Span<const int64_t> strides) {
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  CopyStrided(ElementBytes(operand), result.shape().dimensions(),
              Data(operand) + start * ElementBytes(operand), strides, MutableData(result),
              RowMajorStrides(result.shape().dimensions()));
  return result;
}

// The same elements in the same order.
absl::StatusOr<Literal> WithDimensions(const Literal& operand, const Shape& shape) {
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(shape));
  if (operand.size_bytes() > 0)
    std::memcpy(MutableData(result), Data(operand), operand.size_bytes());
  return result;
}

// Dimensions from major to minor in memory.
DimensionVector MajorToMinor(const Shape& shape) {
  DimensionVector order(shape.dimensions_size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = shape.has_layout() ? shape.layout().minor_to_major(order.size() - 1 - i)
                                  : static_cast<int64_t>(i);
  }
  return order;
}

template <typename T>
DimensionVector Permute(absl::Span<const T> values, absl::Span<const int64_t> permutation) {
  DimensionVector result;
  for (int64_t i : permutation) result.push_back(values[i]);
  return result;
}

}  // namespace

// Values lie in row-major order, whatever the layouts say, so bytes that stay where they are in the
// program may have to move here: out to the operand's layout and in from the result's.
absl::StatusOr<Value> Bitcast(Frame& frame, const HloInstruction& instruction) {
  for (const Shape* shape : {&instruction.operand(0)->shape(), &instruction.shape()}) {
    if (!shape->has_layout() && shape->dimensions_size() > 1) {
      return InvalidArgument(
          "bitcast %s: %s has no layout, so that the order of elements is unknown",
          instruction.name(), ShapeUtil::HumanString(*shape));
    }
  }
  const Literal& operand = frame.array(0);
  const Shape& to = instruction.shape();
  const DimensionVector from_order = MajorToMinor(instruction.operand(0)->shape());
  const DimensionVector to_order = MajorToMinor(to);
  const DimensionVector physical = Permute(operand.shape().dimensions(), from_order);
  HILO_ASSIGN_OR_RETURN(Literal bytes,
                        MakeArray(operand.shape().element_type(), {operand.element_count()}));
  CopyStrided(ElementBytes(operand), physical, Data(operand),
              Permute<int64_t>(RowMajorStrides(operand.shape().dimensions()), from_order),
              MutableData(bytes), RowMajorStrides(physical));
  if (to.element_type() != operand.shape().element_type()) {
    HILO_ASSIGN_OR_RETURN(bytes, bytes.BitcastConvert(ShapeUtil::MakeShape(
                                     to.element_type(), {ShapeUtil::ElementsIn(to)})));
  }
  const DimensionVector physical_strides = RowMajorStrides(Permute(to.dimensions(), to_order));
  DimensionVector strides(to_order.size());
  for (size_t i = 0; i < to_order.size(); ++i) strides[to_order[i]] = physical_strides[i];
  HILO_ASSIGN_OR_RETURN(Literal result, Rearrange(instruction, bytes, 0, strides));
  return Value(std::move(result));
}

absl::StatusOr<Value> Broadcast(Frame& frame, const HloInstruction& instruction) {
  const Literal& operand = frame.array(0);
  const auto& dimensions = instruction.attributes_as<BroadcastAttributes>().dimensions;
  const DimensionVector operand_strides = RowMajorStrides(operand.shape().dimensions());
  DimensionVector strides(instruction.shape().dimensions_size(), 0);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (operand.shape().dimensions(i) > 1) strides[dimensions[i]] = operand_strides[i];
  }
  HILO_ASSIGN_OR_RETURN(Literal result, Rearrange(instruction, operand, 0, strides));
  return Value(std::move(result));
}

absl::StatusOr<Value> Concatenate(Frame& frame, const HloInstruction& instruction) {
  const int64_t dimension = instruction.attributes_as<OneDimensionAttributes>().dimension;
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  const DimensionVector strides = RowMajorStrides(result.shape().dimensions());
  const int64_t element_bytes = ElementBytes(result);
  int64_t start = 0;
  for (int64_t k = 0; k < frame.operand_count(); ++k) {
    const Literal& operand = frame.array(k);
    const auto sizes = operand.shape().dimensions();
    CopyStrided(element_bytes, sizes, Data(operand), RowMajorStrides(sizes),
                MutableData(result) + start * strides[dimension] * element_bytes, strides);
    start += sizes[dimension];
  }
  return Value(std::move(result));
}

absl::StatusOr<Value> Constant(Frame&, const HloInstruction& instruction) {
  return Value::Borrow(instruction.literal());
}

absl::StatusOr<Value> Copy(Frame& frame, const HloInstruction&) { return frame.Take(0); }

absl::StatusOr<Value> Iota(Frame&, const HloInstruction& instruction) {
  const int64_t dimension = instruction.attributes_as<IotaAttributes>().iota_dimension;
  const PrimitiveType type = instruction.shape().element_type();
  // Of an array without elements, this dimension may be longer than memory.
  const int64_t size = ShapeUtil::IsZeroElementArray(instruction.shape())
                           ? 0
                           : instruction.shape().dimensions(dimension);
  HILO_ASSIGN_OR_RETURN(Literal numbers, MakeArray(S64, {size}));
  int64_t next = 0;
  for (int64_t& number : numbers.data<int64_t>()) number = next++;
  HILO_ASSIGN_OR_RETURN(Literal row, MakeArray(type, {size}));
  ConvertElements(S64, Data(numbers), type, MutableData(row), size);
  DimensionVector strides(instruction.shape().dimensions_size(), 0);
  strides[dimension] = 1;
  HILO_ASSIGN_OR_RETURN(Literal result, Rearrange(instruction, row, 0, strides));
  return Value(std::move(result));
}

absl::StatusOr<Value> Pad(Frame& frame, const HloInstruction& instruction) {
  const Literal& operand = frame.array(0);
  const PaddingConfig& config = instruction.padding_config();
  const DimensionVector zeros(instruction.shape().dimensions_size(), 0);
  HILO_ASSIGN_OR_RETURN(Literal result, Rearrange(instruction, frame.array(1), 0, zeros));
  const DimensionVector from_strides = RowMajorStrides(operand.shape().dimensions());
  DimensionVector to_strides = RowMajorStrides(result.shape().dimensions());
  DimensionVector counts;
  int64_t from = 0, to = 0;
  for (int d = 0; d < operand.shape().dimensions_size(); ++d) {
    const PaddedRange range(config.dimensions(d), operand.shape().dimensions(d),
                            result.shape().dimensions(d));
    if (range.count == 0) return Value(std::move(result));
    counts.push_back(range.count);
    from += range.first * from_strides[d];
    to += range.start * to_strides[d];
    to_strides[d] *= range.step;
  }
  const int64_t bytes = ElementBytes(operand);
  CopyStrided(bytes, counts, Data(operand) + from * bytes, from_strides,
              MutableData(result) + to * bytes, to_strides);
  return Value(std::move(result));
}

absl::StatusOr<Value> Parameter(Frame&, const HloInstruction& instruction) {
  return InvalidArgument("Parameter %s has no value outside of a call", instruction.name());
}

absl::StatusOr<Value> Reshape(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(Literal result, WithDimensions(frame.array(0), instruction.shape()));
  return Value(std::move(result));
}

absl::StatusOr<Value> Reverse(Frame& frame, const HloInstruction& instruction) {
  const Literal& operand = frame.array(0);
  DimensionVector strides = RowMajorStrides(operand.shape().dimensions());
  if (operand.element_count() == 0) return frame.Take(0);
  int64_t start = 0;
  for (int64_t d : instruction.dimensions()) {
    start += (operand.shape().dimensions(d) - 1) * strides[d];
    strides[d] = -strides[d];
  }
  HILO_ASSIGN_OR_RETURN(Literal result, Rearrange(instruction, operand, start, strides));
  return Value(std::move(result));
}

absl::StatusOr<Value> Slice(Frame& frame, const HloInstruction& instruction) {
  const Literal& operand = frame.array(0);
  const auto& ranges = instruction.attributes_as<SliceAttributes>().ranges;
  DimensionVector strides = RowMajorStrides(operand.shape().dimensions());
  int64_t start = 0;
  for (size_t d = 0; d < ranges.size(); ++d) {
    start += ranges[d].start * strides[d];
    strides[d] *= ranges[d].stride;
  }
  HILO_ASSIGN_OR_RETURN(Literal result, Rearrange(instruction, operand, start, strides));
  return Value(std::move(result));
}

absl::StatusOr<Value> Transpose(Frame& frame, const HloInstruction& instruction) {
  const Literal& operand = frame.array(0);
  const auto& permutation = instruction.attributes_as<DimensionsAttributes>().dimensions;
  const DimensionVector strides =
      Permute<int64_t>(RowMajorStrides(operand.shape().dimensions()), permutation);
  HILO_ASSIGN_OR_RETURN(Literal result, Rearrange(instruction, operand, 0, strides));
  return Value(std::move(result));
}

}  // namespace xla::eval
