// The records of operations from the messages in which public interfaces give dimension numbers.
#ifndef HILO_IR_DIMENSION_NUMBERS_H_
#define HILO_IR_DIMENSION_NUMBERS_H_

#include "absl/types/span.h"
#include "ir/records.h"
#include "xla/xla_data.pb.h"

namespace xla {

inline Int64List ToInt64List(absl::Span<const int64_t> values) {
  return {values.begin(), values.end()};
}

inline void SetDimensions(const DotDimensionNumbers& numbers, DotDimensions& dimensions) {
  dimensions.lhs_batch = ToInt64List(numbers.lhs_batch_dimensions());
  dimensions.lhs_contracting = ToInt64List(numbers.lhs_contracting_dimensions());
  dimensions.rhs_batch = ToInt64List(numbers.rhs_batch_dimensions());
  dimensions.rhs_contracting = ToInt64List(numbers.rhs_contracting_dimensions());
}

inline void SetDimensions(const RaggedDotDimensionNumbers& numbers,
                          RaggedDotAttributes& attributes) {
  SetDimensions(numbers.dot_dimension_numbers(), attributes);
  attributes.lhs_ragged = ToInt64List(numbers.lhs_ragged_dimensions());
  attributes.rhs_group = ToInt64List(numbers.rhs_group_dimensions());
}

inline void SetDimensions(const GatherDimensionNumbers& numbers,
                          absl::Span<const int64_t> slice_sizes, GatherAttributes& attributes) {
  attributes.offset_dims = ToInt64List(numbers.offset_dims());
  attributes.collapsed_slice_dims = ToInt64List(numbers.collapsed_slice_dims());
  attributes.start_index_map = ToInt64List(numbers.start_index_map());
  attributes.operand_batching_dims = ToInt64List(numbers.operand_batching_dims());
  attributes.start_indices_batching_dims = ToInt64List(numbers.start_indices_batching_dims());
  attributes.index_vector_dim = numbers.index_vector_dim();
  attributes.slice_sizes = ToInt64List(slice_sizes);
}

inline void SetDimensions(const ScatterDimensionNumbers& numbers, ScatterAttributes& attributes) {
  attributes.update_window_dims = ToInt64List(numbers.update_window_dims());
  attributes.inserted_window_dims = ToInt64List(numbers.inserted_window_dims());
  attributes.scatter_dims_to_operand_dims = ToInt64List(numbers.scatter_dims_to_operand_dims());
  attributes.input_batching_dims = ToInt64List(numbers.input_batching_dims());
  attributes.scatter_indices_batching_dims = ToInt64List(numbers.scatter_indices_batching_dims());
  attributes.index_vector_dim = numbers.index_vector_dim();
}

}  // namespace xla

#endif  // HILO_IR_DIMENSION_NUMBERS_H_
