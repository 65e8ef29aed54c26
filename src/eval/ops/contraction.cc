// Products of matrices and their generalisations. Products are summed in wide types and rounded once at the end.
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "eval/frame.h"
#include "eval/wide_array.h"
#include "ir/records.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

int64_t Product(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

// One side of a product as a batch of matrices: the dimensions in the order batch, then free and contracting ones in the
// order that suits the side.
struct Side {
  DimensionVector batch_sizes, free_sizes, contracting_sizes;
  DimensionVector batch_strides, free_strides, contracting_strides;

  Side(absl::Span<const int64_t> sizes, absl::Span<const int64_t> batch, absl::Span<const int64_t> contracting) {
    const DimensionVector strides = RowMajorStrides(sizes);
    for (int64_t d : batch) batch_sizes.push_back(sizes[d]), batch_strides.push_back(strides[d]);
    for (int64_t d : contracting) contracting_sizes.push_back(sizes[d]), contracting_strides.push_back(strides[d]);
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
      if (absl::c_linear_search(batch, d) || absl::c_linear_search(contracting, d)) continue;
      free_sizes.push_back(sizes[d]), free_strides.push_back(strides[d]);
    }
  }

  template <typename Wide>
  std::vector<Wide> Matrices(const std::vector<Wide>& array, bool contracting_last) const {
    DimensionVector sizes = batch_sizes, strides = batch_strides;
    const auto append = [&](const DimensionVector& more_sizes, const DimensionVector& more_strides) {
      sizes.insert(sizes.end(), more_sizes.begin(), more_sizes.end());
      strides.insert(strides.end(), more_strides.begin(), more_strides.end());
    };
    if (contracting_last) append(free_sizes, free_strides);
    append(contracting_sizes, contracting_strides);
    if (!contracting_last) append(free_sizes, free_strides);
    return Pack(array, sizes, strides);
  }
};

// result[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, k, j]
template <typename Wide>
std::vector<Wide> MultiplyMatrices(const std::vector<Wide>& lhs, const std::vector<Wide>& rhs, int64_t batch,
                                   int64_t rows, int64_t depth, int64_t columns) {
  std::vector<Wide> result(batch * rows * columns);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < rows; ++i) {
      const Wide* left = lhs.data() + (b * rows + i) * depth;
      const Wide* right = rhs.data() + b * depth * columns;
      Wide* sums = result.data() + (b * rows + i) * columns;
      for (int64_t k = 0; k < depth; ++k) AddScaledRow(left[k], right + k * columns, columns, sums);
    }
  }
  return result;
}

template <typename Wide>
absl::StatusOr<Value> Contract(const std::vector<Wide>& lhs, const Side& lhs_side, const std::vector<Wide>& rhs,
                               const Side& rhs_side, const Shape& shape) {
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(shape));
  const std::vector<Wide> product = MultiplyMatrices(
      lhs_side.Matrices(lhs, /*contracting_last=*/true), rhs_side.Matrices(rhs, /*contracting_last=*/false),
      Product(lhs_side.batch_sizes), Product(lhs_side.free_sizes), Product(lhs_side.contracting_sizes),
      Product(rhs_side.free_sizes));
  FormatOf(shape.element_type()).store(product.data(), static_cast<int64_t>(product.size()), MutableData(result));
  return Value(std::move(result));
}

}  // namespace

absl::StatusOr<Value> Dot(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<DotAttributes>();
  const Literal& lhs = frame.array(0);
  const Literal& rhs = frame.array(1);
  const Side lhs_side(lhs.shape().dimensions(), attributes.lhs_batch, attributes.lhs_contracting);
  const Side rhs_side(rhs.shape().dimensions(), attributes.rhs_batch, attributes.rhs_contracting);
  return KindSwitch(
      [&](auto wide) {
        using Wide = decltype(wide);
        return Contract(LoadAs<Wide>(lhs), lhs_side, LoadAs<Wide>(rhs), rhs_side, instruction.shape());
      },
      FormatOf(instruction.shape().element_type()).kind);
}

namespace {

// An operand times its scale, each element of which holds for a block of the operand.
std::vector<double> Scaled(const Literal& operand, const Literal& scale) {
  std::vector<double> values = LoadAs<double>(operand);
  const std::vector<double> scales = LoadAs<double>(scale);
  const auto sizes = operand.shape().dimensions();
  if (scale.shape().dimensions_size() != operand.shape().dimensions_size()) {
    for (double& value : values) value *= scales[0];
    return values;
  }
  const DimensionVector strides = RowMajorStrides(sizes);
  const DimensionVector scale_strides = RowMajorStrides(scale.shape().dimensions());
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t position = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t index = static_cast<int64_t>(i) / strides[d] % sizes[d];
      position += index * scale.shape().dimensions(d) / sizes[d] * scale_strides[d];
    }
    values[i] *= scales[position];
  }
  return values;
}

}  // namespace

absl::StatusOr<Value> ScaledDot(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<DotAttributes>();
  const Side lhs_side(frame.array(0).shape().dimensions(), attributes.lhs_batch, attributes.lhs_contracting);
  const Side rhs_side(frame.array(1).shape().dimensions(), attributes.rhs_batch, attributes.rhs_contracting);
  if (FormatOf(instruction.shape().element_type()).kind != Kind::kReal) {
    return Unimplemented("scaled-dot with result %s is not defined", ShapeUtil::HumanString(instruction.shape()));
  }
  return Contract(Scaled(frame.array(0), frame.array(2)), lhs_side, Scaled(frame.array(1), frame.array(3)), rhs_side,
                  instruction.shape());
}

}  // namespace xla::eval
