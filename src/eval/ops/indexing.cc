// Operations that read or write where indices say.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "data/strided_copy.h"
#include "eval/dynamic_sizes.h"
#include "eval/frame.h"
#include "eval/scalar_function.h"
#include "eval/walk.h"
#include "ir/records.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

// All elements of an integer array; what int64_t cannot hold becomes its largest value.
std::vector<int64_t> Integers(const Literal& array) {
  std::vector<int64_t> values(array.element_count());
  const Format& format = FormatOf(array.shape().element_type());
  if (!values.empty())
    format.load(Data(array), 1, static_cast<int64_t>(values.size()), values.data());
  if (format.kind == Kind::kUnsigned && format.bits == 64) {
    for (int64_t& value : values) value = value < 0 ? std::numeric_limits<int64_t>::max() : value;
  }
  return values;
}

// The start indices of dynamic-slice and dynamic-update-slice, one operand each or one array, moved
// into bounds.
DimensionVector StartIndices(const Frame& frame, int64_t first_operand,
                             absl::Span<const int64_t> bounds, absl::Span<const int64_t> sizes) {
  DimensionVector starts;
  for (int64_t k = first_operand; k < frame.operand_count(); ++k) {
    for (int64_t start : Integers(frame.array(k))) starts.push_back(start);
  }
  for (size_t d = 0; d < bounds.size(); ++d) {
    starts[d] = std::max<int64_t>(0, std::min(starts[d], bounds[d] - sizes[d]));
  }
  return starts;
}

int64_t Position(absl::Span<const int64_t> index, absl::Span<const int64_t> strides) {
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d) position += index[d] * strides[d];
  return position;
}

}  // namespace

absl::StatusOr<Value> DynamicSlice(Frame& frame, const HloInstruction& instruction) {
  const Literal& operand = frame.array(0);
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  const auto sizes = result.shape().dimensions();
  const DimensionVector strides = RowMajorStrides(operand.shape().dimensions());
  const int64_t start =
      Position(StartIndices(frame, 1, operand.shape().dimensions(), sizes), strides);
  CopyStrided(ElementBytes(operand), sizes, Data(operand) + start * ElementBytes(operand), strides,
              MutableData(result), RowMajorStrides(sizes));
  return Value(std::move(result));
}

// Padding of the update is not written.
absl::StatusOr<Value> DynamicUpdateSlice(Frame& frame, const HloInstruction&) {
  const Value update_value = frame.operand(1);
  const Literal& update = update_value.array();
  const auto bounds = update.shape().dimensions();
  const DimensionVector starts =
      StartIndices(frame, 2, frame.array(0).shape().dimensions(), bounds);
  Literal result = frame.Take(0).TakeArray();
  const DimensionVector strides = RowMajorStrides(result.shape().dimensions());
  CopyStrided(ElementBytes(update), DynamicSizes(update), Data(update), RowMajorStrides(bounds),
              MutableData(result) + Position(starts, strides) * ElementBytes(update), strides);
  return Value(std::move(result));
}

namespace {

// How gather and scatter find places in the operand: index vectors lie in an array of indices along
// one dimension, at each position of the other dimensions one.
class IndexVectors {
 public:
  IndexVectors(const Literal& indices, int64_t vector_dimension,
               absl::Span<const int64_t> index_map, absl::Span<const int64_t> operand_batch,
               absl::Span<const int64_t> indices_batch)
      : values_(Integers(indices)), index_map_(index_map), operand_batch_(operand_batch) {
    const DimensionVector strides = RowMajorStrides(indices.shape().dimensions());
    const int64_t rank = indices.shape().dimensions_size();
    vector_stride_ = vector_dimension < rank ? strides[vector_dimension] : 0;
    for (int64_t d = 0; d < rank; ++d) {
      if (d == vector_dimension) continue;
      sizes_.push_back(indices.shape().dimensions(d));
      strides_.push_back(strides[d]);
    }
    for (int64_t d : indices_batch) batch_positions_.push_back(d < vector_dimension ? d : d - 1);
  }

  // The dimensions of the array of vectors and the strides that lead from one to the next.
  absl::Span<const int64_t> sizes() const { return sizes_; }
  absl::Span<const int64_t> strides() const { return strides_; }

  // The index in the operand that the vector at `index` (and `position`, by the strides) means; 0
  // where it says nothing.
  void Read(absl::Span<const int64_t> index, int64_t position,
            absl::Span<int64_t> operand_index) const {
    std::fill(operand_index.begin(), operand_index.end(), 0);
    for (size_t k = 0; k < index_map_.size(); ++k) {
      operand_index[index_map_[k]] = values_[position + static_cast<int64_t>(k) * vector_stride_];
    }
    for (size_t k = 0; k < operand_batch_.size(); ++k)
      operand_index[operand_batch_[k]] = index[batch_positions_[k]];
  }

 private:
  std::vector<int64_t> values_;
  absl::Span<const int64_t> index_map_;
  absl::Span<const int64_t> operand_batch_;
  DimensionVector batch_positions_;
  DimensionVector sizes_;
  DimensionVector strides_;
  int64_t vector_stride_;
};

// The dimensions 0..rank-1 that are in neither list.
DimensionVector OtherDimensions(int64_t rank, absl::Span<const int64_t> some,
                                absl::Span<const int64_t> more = {}) {
  DimensionVector others;
  for (int64_t d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(some, d) && !absl::c_linear_search(more, d)) others.push_back(d);
  }
  return others;
}

}  // namespace

absl::StatusOr<Value> Gather(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<GatherAttributes>();
  const Literal& operand = frame.array(0);
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  if (result.element_count() == 0 || operand.element_count() == 0) return Value(std::move(result));
  const auto bounds = operand.shape().dimensions();
  const IndexVectors vectors(frame.array(1), attributes.index_vector_dim,
                             attributes.start_index_map, attributes.operand_batching_dims,
                             attributes.start_indices_batching_dims);

  // The slice's dimensions that stay, in the operand and in the result, and the result's others.
  const int64_t rank = result.shape().dimensions_size();
  const DimensionVector kept =
      OtherDimensions(operand.shape().dimensions_size(), attributes.collapsed_slice_dims,
                      attributes.operand_batching_dims);
  const DimensionVector slice_sizes = Pick(attributes.slice_sizes, kept);
  const DimensionVector operand_strides = RowMajorStrides(bounds);
  const DimensionVector slice_strides = Pick(operand_strides, kept);
  const DimensionVector result_strides = RowMajorStrides(result.shape().dimensions());
  const DimensionVector offset_strides = Pick(result_strides, attributes.offset_dims);
  const DimensionVector batch_strides =
      Pick(result_strides, OtherDimensions(rank, attributes.offset_dims));

  const int64_t bytes = ElementBytes(operand);
  DimensionVector start(bounds.size());
  for (Walk<2> at(vectors.sizes(), {vectors.strides(), batch_strides}); !at.done(); at.Next()) {
    vectors.Read(at.index(), at[0], absl::MakeSpan(start));
    for (size_t d = 0; d < bounds.size(); ++d) {
      start[d] = std::max<int64_t>(0, std::min(start[d], bounds[d] - attributes.slice_sizes[d]));
    }
    CopyStrided(bytes, slice_sizes, Data(operand) + Position(start, operand_strides) * bytes,
                slice_strides, MutableData(result) + at[1] * bytes, offset_strides);
  }
  return Value(std::move(result));
}

namespace {

// The arrays of a scatter and the function that puts updates into them.
class Scatterer {
 public:
  Scatterer(Frame& frame, const HloInstruction& instruction)
      : combine_(frame.evaluator(), *instruction.to_apply()),
        count_((frame.operand_count() - 1) / 2) {
    for (int64_t k = 0; k < count_; ++k) {
      updates_.push_back(frame.operand(count_ + 1 + k));
      results_.push_back(frame.Take(k).TakeArray());
      bytes_.push_back(ElementBytes(results_.back()));
    }
    arguments_.resize(2 * count_);
    targets_.resize(count_);
  }

  const Shape& shape() const { return results_[0].shape(); }
  const Shape& update_shape() const { return updates_[0].array().shape(); }

  absl::Status Update(int64_t position, int64_t update_position) {
    for (int64_t k = 0; k < count_; ++k) {
      targets_[k] = MutableData(results_[k]) + position * bytes_[k];
      arguments_[k] = targets_[k];
      arguments_[count_ + k] = Data(updates_[k].array()) + update_position * bytes_[k];
    }
    return combine_(arguments_, absl::MakeSpan(targets_));
  }

  Value TakeResult() && {
    if (count_ == 1) return Value(std::move(results_[0]));
    std::vector<Value> elements;
    for (Literal& result : results_) elements.emplace_back(std::move(result));
    return Value(std::move(elements));
  }

 private:
  ScalarFunction combine_;
  int64_t count_;
  std::vector<Value> updates_;
  std::vector<Literal> results_;
  std::vector<int64_t> bytes_;
  std::vector<const char*> arguments_;
  std::vector<char*> targets_;
};

}  // namespace

// Updates are applied in row-major order of the updates' indices; one that falls outside of the
// operand is skipped, element by element.
absl::StatusOr<Value> Scatter(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<ScatterAttributes>();
  const IndexVectors vectors(frame.array(frame.operand_count() / 2), attributes.index_vector_dim,
                             attributes.scatter_dims_to_operand_dims,
                             attributes.input_batching_dims,
                             attributes.scatter_indices_batching_dims);
  Scatterer scatterer(frame, instruction);
  const auto bounds = scatterer.shape().dimensions();
  const auto update_dimensions = scatterer.update_shape().dimensions();
  if (ShapeUtil::IsZeroElementArray(scatterer.update_shape()))
    return std::move(scatterer).TakeResult();

  // The window's dimensions in the operand and in the updates.
  const DimensionVector window = OtherDimensions(bounds.size(), attributes.inserted_window_dims,
                                                 attributes.input_batching_dims);
  const DimensionVector window_sizes = Pick(update_dimensions, attributes.update_window_dims);
  const DimensionVector strides = RowMajorStrides(bounds);
  const DimensionVector window_strides = Pick(strides, window);
  const DimensionVector update_strides = RowMajorStrides(update_dimensions);
  const DimensionVector update_window_strides = Pick(update_strides, attributes.update_window_dims);
  const DimensionVector update_batch_strides = Pick(
      update_strides, OtherDimensions(update_dimensions.size(), attributes.update_window_dims));

  DimensionVector start(bounds.size());
  DimensionVector low(window.size()),
      high(window.size());  // what of the window lies within the operand
  for (Walk<2> at(vectors.sizes(), {vectors.strides(), update_batch_strides}); !at.done();
       at.Next()) {
    vectors.Read(at.index(), at[0], absl::MakeSpan(start));
    bool inside = true;
    for (size_t d = 0; d < bounds.size(); ++d) {
      inside &= absl::c_linear_search(window, d) || (start[d] >= 0 && start[d] < bounds[d]);
    }
    for (size_t k = 0; k < window.size(); ++k) {
      const int64_t first = std::max(start[window[k]], -window_sizes[k]);
      low[k] = first < 0 ? -first : 0;
      high[k] =
          first >= bounds[window[k]] ? 0 : std::min(window_sizes[k], bounds[window[k]] - first);
      inside &= low[k] < high[k];
    }
    if (!inside) continue;
    DimensionVector sizes(window.size());
    for (size_t k = 0; k < window.size(); ++k) sizes[k] = high[k] - low[k];
    const std::array<int64_t, 2> first = {Position(start, strides) + Position(low, window_strides),
                                          at[1] + Position(low, update_window_strides)};
    for (Walk<2> element(sizes, {window_strides, update_window_strides}, first); !element.done();
         element.Next()) {
      HILO_RETURN_IF_ERROR(scatterer.Update(element[0], element[1]));
    }
  }
  return std::move(scatterer).TakeResult();
}

}  // namespace xla::eval
