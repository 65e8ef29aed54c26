// Sizes that are known only when the program runs.
#include <algorithm>

#include "base/status_macros.h"
#include "eval/dynamic_sizes.h"
#include "eval/frame.h"
#include "eval/walk.h"
#include "ir/records.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {

absl::StatusOr<Value> GetDimensionSize(Frame& frame, const HloInstruction& instruction) {
  const int64_t dimension = instruction.attributes_as<OneDimensionAttributes>().dimension;
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  result.data<int32_t>()[0] = static_cast<int32_t>(DynamicSizes(frame.array(0))[dimension]);
  return Value(std::move(result));
}

// A size beyond the bound is an error; where the result is declared static, nothing changes.
absl::StatusOr<Value> SetDimensionSize(Frame& frame, const HloInstruction& instruction) {
  const int64_t dimension = instruction.attributes_as<OneDimensionAttributes>().dimension;
  const int64_t size = frame.Integer(1);
  const int64_t bound = frame.array(0).shape().dimensions(dimension);
  if (size < 0 || size > bound) {
    return InvalidArgument("set-dimension-size %s: size %d of dimension %d is not within 0 and %d",
                           instruction.name(), size, dimension, bound);
  }
  if (!instruction.shape().is_dynamic_dimension(dimension)) return frame.Take(0);
  Literal result = frame.Take(0).TakeArray();
  result.SetDynamicSize(dimension, static_cast<int32_t>(size));
  return Value(std::move(result));
}

// The operand's elements in row-major order fill an array of the new sizes.
absl::StatusOr<Value> DynamicReshape(Frame& frame, const HloInstruction& instruction) {
  const Literal& operand = frame.array(0);
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  const auto bounds = result.shape().dimensions();
  DimensionVector sizes(bounds.begin(), bounds.end());
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!instruction.shape().is_dynamic_dimension(d)) continue;
    sizes[d] = frame.Integer(static_cast<int64_t>(d) + 1);
    if (sizes[d] < 0 || sizes[d] > bounds[d]) {
      return InvalidArgument("dynamic-reshape %s: size %d of dimension %d is not within 0 and %d",
                             instruction.name(), sizes[d], d, bounds[d]);
    }
  }
  const DimensionVector from_sizes = DynamicSizes(operand);
  const DimensionVector from_strides = RowMajorStrides(operand.shape().dimensions());
  const DimensionVector to_strides = RowMajorStrides(bounds);
  const int64_t bytes = primitive_util::ByteWidth(operand.shape().element_type());
  Walk<1> from(from_sizes, {from_strides});
  Walk<1> to(sizes, {to_strides});
  for (; !from.done() && !to.done(); from.Next(), to.Next()) {
    std::copy_n(Data(operand) + from[0] * bytes, bytes, MutableData(result) + to[0] * bytes);
  }
  if (from.done() != to.done()) {
    return InvalidArgument(
        "dynamic-reshape %s: operand and result have different numbers of elements",
        instruction.name());
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (instruction.shape().is_dynamic_dimension(d))
      result.SetDynamicSize(d, static_cast<int32_t>(sizes[d]));
  }
  return Value(std::move(result));
}

}  // namespace xla::eval
