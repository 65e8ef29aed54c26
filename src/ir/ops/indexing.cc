// Operations that find elements by indices which are values.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "ir/ops/rule.h"

namespace xla::shape_rules {
namespace {

// The starts of a dynamic slice: a scalar per dimension, or one vector.
absl::Status ExpectStarts(const OpDescription& op, int number, int first) {
  const int rank = op.operand(0).dimensions_size();
  const int count = static_cast<int>(op.operands.size()) - first;
  const bool is_vector = count == 1 && op.operand(first).dimensions_size() == 1;
  for (int i = first; i < first + count; ++i) {
    HILO_RETURN_IF_ERROR(ExpectElementType(op, number, i, IsInteger, "an integer type"));
    if (!is_vector) HILO_RETURN_IF_ERROR(ExpectScalar(op, number, i));
    HILO_RULE(number, op.operand(i).element_type() == op.operand(first).element_type(),
              "start indices must have one element type");
  }
  HILO_RULE(number, is_vector ? SizesAgree(op.operand(first).dimensions(0), rank) : count == rank,
            "there must be one start index for each of the %d dimensions of operand 0", rank);
  return absl::OkStatus();
}

// Whether a slice of `size`, which may be empty, can be taken along a dimension.
bool IsSliceOf(int64_t size, int64_t dimension) {
  return size >= 0 && (dimension == Shape::kUnboundedSize || size <= dimension);
}

// start_indices of a gather or scatter: index vectors along one dimension.
struct IndexArray {
  const Shape& shape;
  int64_t vector_dimension;

  bool is_implicit() const { return vector_dimension == shape.dimensions_size(); }
  int64_t vector_size() const {
    return is_implicit() ? 1 : shape.dimensions(static_cast<int>(vector_dimension));
  }
  // The dimensions that count index vectors.
  std::vector<int> batch_dimensions() const {
    std::vector<int> dimensions;
    for (int i = 0; i < shape.dimensions_size(); ++i) {
      if (i != vector_dimension) dimensions.push_back(i);
    }
    return dimensions;
  }
};

absl::Status ExpectIndexArray(const OpDescription& op, int number, int operand,
                              int64_t vector_dimension) {
  HILO_RETURN_IF_ERROR(ExpectElementType(op, number, operand, IsInteger, "an integer type"));
  HILO_RULE(number + 1,
            0 <= vector_dimension && vector_dimension <= op.operand(operand).dimensions_size(),
            "index_vector_dim=%d is not within the rank of operand %d or equal to it",
            vector_dimension, operand);
  return absl::OkStatus();
}

// One entry per element of an index vector, each naming another dimension of the operand.
absl::Status ExpectIndexMap(const OpDescription& op, int number, absl::string_view attribute,
                            IntSpan map, const IndexArray& indices) {
  HILO_RULE(number, SizesAgree(static_cast<int64_t>(map.size()), indices.vector_size()),
            "%s={%s} must have an entry for each of the %d elements of an index vector", attribute,
            Text(map), indices.vector_size());
  return ExpectDimensions(op, number, attribute, map, op.operand(0).dimensions_size());
}

struct Batching {
  absl::string_view operand_attribute;
  IntSpan operand_dimensions;
  absl::string_view indices_attribute;
  IntSpan indices_dimensions;
};

// Pairs of dimensions, of the operand and of the indices, along which the operation is repeated.
absl::Status ExpectBatching(const OpDescription& op, int number, const Batching& batching,
                            const IndexArray& indices, IntSpan removed, IntSpan indexed) {
  const Shape& operand = op.operand(0);
  HILO_RULE(number, batching.operand_dimensions.size() == batching.indices_dimensions.size(),
            "%s and %s must be equally long", batching.operand_attribute,
            batching.indices_attribute);
  HILO_RETURN_IF_ERROR(ExpectDimensions(op, number, batching.operand_attribute,
                                        batching.operand_dimensions, operand.dimensions_size()));
  HILO_RETURN_IF_ERROR(
      ExpectAscending(op, number, batching.operand_attribute, batching.operand_dimensions));
  HILO_RETURN_IF_ERROR(ExpectDimensions(op, number, batching.indices_attribute,
                                        batching.indices_dimensions,
                                        indices.shape.dimensions_size()));
  for (size_t i = 0; i < batching.operand_dimensions.size(); ++i) {
    const int64_t at_operand = batching.operand_dimensions[i];
    const int64_t at_indices = batching.indices_dimensions[i];
    HILO_RULE(
        number,
        !absl::c_linear_search(removed, at_operand) && !absl::c_linear_search(indexed, at_operand),
        "%s={%s}: dimension %d is used in another way, too", batching.operand_attribute,
        Text(batching.operand_dimensions), at_operand);
    HILO_RULE(number, at_indices != indices.vector_dimension,
              "%s={%s} must not have index_vector_dim", batching.indices_attribute,
              Text(batching.indices_dimensions));
    HILO_RULE(number,
              SizesAgree(operand.dimensions(at_operand), indices.shape.dimensions(at_indices)),
              "batching dimension %d of the operand and %d of the indices must be equally long",
              at_operand, at_indices);
  }
  return absl::OkStatus();
}

// The dimensions of the operand that are neither in `removed` nor in `batching`.
std::vector<int> WindowDimensions(const Shape& operand, IntSpan removed, IntSpan batching) {
  std::vector<bool> window(operand.dimensions_size(), true);
  for (int64_t dimension : removed) window[dimension] = false;
  for (int64_t dimension : batching) window[dimension] = false;
  std::vector<int> dimensions;
  for (int i = 0; i < operand.dimensions_size(); ++i) {
    if (window[i]) dimensions.push_back(i);
  }
  return dimensions;
}

absl::Status ExpectSliceSizes(const OpDescription& op, int number,
                              const GatherAttributes& attributes) {
  const Shape& operand = op.operand(0);
  const IntSpan sizes = attributes.slice_sizes;
  HILO_RULE(number, static_cast<int>(sizes.size()) == operand.dimensions_size(),
            "slice_sizes={%s} must have one entry for each dimension of the operand", Text(sizes));
  for (int i = 0; i < operand.dimensions_size(); ++i) {
    const int64_t size = operand.dimensions(i);
    HILO_RULE(number, 0 <= sizes[i] && (size == Shape::kUnboundedSize || sizes[i] <= size),
              "slice_sizes={%s} must be within the sizes of the operand", Text(sizes));
  }
  for (int64_t dimension : attributes.collapsed_slice_dims) {
    const bool is_empty = operand.dimensions(static_cast<int>(dimension)) == 0;
    HILO_RULE(number + 1, sizes[dimension] == 1 || is_empty,
              "slice_sizes={%s} must be 1 in the collapsed dimension %d", Text(sizes), dimension);
  }
  for (int64_t dimension : attributes.operand_batching_dims) {
    HILO_RULE(number + 1, sizes[dimension] <= 1,
              "slice_sizes={%s} must be 1 in the batching dimension %d", Text(sizes), dimension);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> DynamicSlice(const OpDescription& op) {
  const IntSpan sizes = op.As<DynamicSliceAttributes>().slice_sizes;
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(ExpectStarts(op, 2, 1));
  const Shape& operand = op.operand(0);
  HILO_RULE(3, static_cast<int>(sizes.size()) == operand.dimensions_size(),
            "dynamic_slice_sizes={%s} must have one entry for each dimension of operand 0",
            Text(sizes));
  Shape result = operand;
  for (int i = 0; i < operand.dimensions_size(); ++i) {
    const int64_t size = operand.dimensions(i);
    HILO_RULE(4, IsSliceOf(sizes[i], size),
              "dynamic_slice_sizes={%s} must be within the sizes of operand 0",
              Text(sizes));
    result.set_dimensions(i, sizes[i], sizes[i] == size && operand.is_dynamic_dimension(i));
  }
  return Result(op, std::move(result));
}

absl::StatusOr<Shape> DynamicUpdateSlice(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(ExpectSameElementType(op, 2, 0, 1));
  const Shape& operand = op.operand(0);
  const Shape& update = op.operand(1);
  HILO_RULE(3, operand.dimensions_size() == update.dimensions_size(),
            "operand 0 and the update must have the same rank");
  HILO_RETURN_IF_ERROR(ExpectStarts(op, 4, 2));
  for (int i = 0; i < operand.dimensions_size(); ++i) {
    const int64_t size = update.dimensions(i);
    HILO_RULE(5, size == Shape::kUnboundedSize || IsSliceOf(size, operand.dimensions(i)),
              "the update must not be larger than operand 0 in dimension %d", i);
  }
  return Result(op, operand);
}

absl::StatusOr<Shape> Gather(const OpDescription& op) {
  const auto& attributes = op.As<GatherAttributes>();
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(ExpectIndexArray(op, 2, 1, attributes.index_vector_dim));
  const Shape& operand = op.operand(0);
  const int operand_rank = operand.dimensions_size();
  const IndexArray indices = {op.operand(1), attributes.index_vector_dim};
  const std::vector<int> batch = indices.batch_dimensions();
  const int result_rank = static_cast<int>(batch.size() + attributes.offset_dims.size());

  HILO_RETURN_IF_ERROR(ExpectDimensions(op, 4, "offset_dims", attributes.offset_dims, result_rank));
  HILO_RETURN_IF_ERROR(ExpectAscending(op, 4, "offset_dims", attributes.offset_dims));
  HILO_RETURN_IF_ERROR(ExpectDimensions(op, 5, "collapsed_slice_dims",
                                        attributes.collapsed_slice_dims, operand_rank));
  HILO_RETURN_IF_ERROR(
      ExpectAscending(op, 5, "collapsed_slice_dims", attributes.collapsed_slice_dims));
  HILO_RETURN_IF_ERROR(
      ExpectBatching(op, 6,
                     {"operand_batching_dims", attributes.operand_batching_dims,
                      "start_indices_batching_dims", attributes.start_indices_batching_dims},
                     indices, attributes.collapsed_slice_dims, attributes.start_index_map));
  HILO_RULE(
      7,
      operand_rank ==
          static_cast<int>(attributes.offset_dims.size() + attributes.collapsed_slice_dims.size() +
                           attributes.operand_batching_dims.size()),
      "offset_dims, collapsed_slice_dims and operand_batching_dims together must have as many "
      "entries as operand 0 has dimensions");
  HILO_RETURN_IF_ERROR(
      ExpectIndexMap(op, 8, "start_index_map", attributes.start_index_map, indices));
  HILO_RETURN_IF_ERROR(ExpectSliceSizes(op, 9, attributes));

  const std::vector<int> window =
      WindowDimensions(operand, attributes.collapsed_slice_dims, attributes.operand_batching_dims);
  Shape result(operand.element_type());
  size_t next_window = 0;
  size_t next_batch = 0;
  for (int i = 0; i < result_rank; ++i) {
    if (next_window < window.size() && attributes.offset_dims[next_window] == i) {
      const int from = window[next_window++];
      const int64_t size = attributes.slice_sizes[from];
      result.add_dimensions(size,
                            size == operand.dimensions(from) && operand.is_dynamic_dimension(from));
    } else {
      const int from = batch[next_batch++];
      result.add_dimensions(indices.shape.dimensions(from),
                            indices.shape.is_dynamic_dimension(from));
    }
  }
  return Result(op, std::move(result));
}

namespace {

// Each dimension of an update is one of the window or one that counts index vectors.
absl::Status ExpectUpdateSizes(const OpDescription& op, int number, const Shape& update,
                               const IndexArray& indices) {
  const auto& attributes = op.As<ScatterAttributes>();
  const Shape& operand = op.operand(0);
  const std::vector<int> window =
      WindowDimensions(operand, attributes.inserted_window_dims, attributes.input_batching_dims);
  const std::vector<int> batch = indices.batch_dimensions();
  size_t next_window = 0;
  size_t next_batch = 0;
  for (int i = 0; i < update.dimensions_size(); ++i) {
    const int64_t size = update.dimensions(i);
    if (next_window < window.size() && attributes.update_window_dims[next_window] == i) {
      const int to = window[next_window++];
      HILO_RULE(number, SizesAgree(size, operand.dimensions(to)) || size <= operand.dimensions(to),
                "window dimension %d of the updates is larger than dimension %d of the operand", i,
                to);
    } else {
      const int to = batch[next_batch++];
      HILO_RULE(number + 1, SizesAgree(size, indices.shape.dimensions(to)),
                "dimension %d of the updates must be as long as dimension %d of the indices", i,
                to);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> Scatter(const OpDescription& op) {
  const auto& attributes = op.As<ScatterAttributes>();
  HILO_RULE(1, op.operands.size() % 2 == 1,
            "takes k operands, indices and k updates, so an odd number of operands");
  const int count = static_cast<int>(op.operands.size() / 2);
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 2));
  for (int i = 1; i < count; ++i) {
    HILO_RETURN_IF_ERROR(ExpectSameDimensions(op, 3, 0, i));
    HILO_RETURN_IF_ERROR(ExpectSameDimensions(op, 4, count + 1, count + 1 + i));
  }
  HILO_RETURN_IF_ERROR(ExpectIndexArray(op, 5, count, attributes.index_vector_dim));
  const Shape& operand = op.operand(0);
  const Shape& update = op.operand(count + 1);
  const int operand_rank = operand.dimensions_size();
  const int update_rank = update.dimensions_size();
  const IndexArray indices = {op.operand(count), attributes.index_vector_dim};

  HILO_RETURN_IF_ERROR(
      ExpectDimensions(op, 7, "update_window_dims", attributes.update_window_dims, update_rank));
  HILO_RETURN_IF_ERROR(ExpectAscending(op, 7, "update_window_dims", attributes.update_window_dims));
  HILO_RETURN_IF_ERROR(ExpectDimensions(op, 8, "inserted_window_dims",
                                        attributes.inserted_window_dims, operand_rank));
  HILO_RETURN_IF_ERROR(
      ExpectAscending(op, 8, "inserted_window_dims", attributes.inserted_window_dims));
  HILO_RETURN_IF_ERROR(ExpectBatching(
      op, 9,
      {"input_batching_dims", attributes.input_batching_dims, "scatter_indices_batching_dims",
       attributes.scatter_indices_batching_dims},
      indices, attributes.inserted_window_dims, attributes.scatter_dims_to_operand_dims));
  HILO_RULE(
      10,
      operand_rank == static_cast<int>(attributes.update_window_dims.size() +
                                       attributes.inserted_window_dims.size() +
                                       attributes.input_batching_dims.size()),
      "update_window_dims, inserted_window_dims and input_batching_dims together must have as many "
      "entries as operand 0 has dimensions");
  HILO_RETURN_IF_ERROR(ExpectIndexMap(op, 11, "scatter_dims_to_operand_dims",
                                      attributes.scatter_dims_to_operand_dims, indices));
  const int expected_rank =
      static_cast<int>(attributes.update_window_dims.size() + indices.batch_dimensions().size());
  HILO_RULE(12, update_rank == expected_rank, "the updates must have %d dimensions, not %d",
            expected_rank, update_rank);
  HILO_RETURN_IF_ERROR(ExpectUpdateSizes(op, 13, update, indices));
  const auto operands = op.operands.subspan(0, count);
  const auto updates = op.operands.subspan(count + 1, count);
  HILO_ASSIGN_OR_RETURN(const std::vector<PrimitiveType> types,
                        ExpectReducer(op, 15, 0, updates, operands));
  std::vector<Shape> results;
  for (int i = 0; i < count; ++i) results.push_back(WithElementType(op.operand(i), types[i]));
  return Result(op, op.callees[0]->result().IsTuple() ? Shape(std::move(results)) : results[0]);
}

}  // namespace xla::shape_rules
