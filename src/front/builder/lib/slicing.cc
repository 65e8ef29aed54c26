#include "xla/hlo/builder/lib/slicing.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// The number of leading dimensions when `count` numbers speak of the last ones.
absl::StatusOr<int64_t> LeadingDimensions(absl::string_view operation, const Shape& shape,
                                          size_t count) {
  const int64_t leading = shape.dimensions_size() - static_cast<int64_t>(count);
  if (leading >= 0) return leading;
  return InvalidArgument("%s: %d numbers for %s", operation, count, shape.ToString());
}

// Places for all dimensions of an update: 0 in the leading ones.
std::vector<XlaOp> AfterZeros(XlaBuilder* builder, int64_t zeros, absl::Span<const XlaOp> starts,
                              PrimitiveType type) {
  std::vector<XlaOp> all(zeros, zeros > 0 ? Zero(builder, type) : XlaOp());
  all.insert(all.end(), starts.begin(), starts.end());
  return all;
}

absl::StatusOr<PrimitiveType> IndexType(XlaBuilder* builder, absl::Span<const XlaOp> starts) {
  if (starts.empty()) return S32;
  HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(starts[0]));
  return shape.element_type();
}

// The indices of a dimension of `shape` along it, in `type`.
absl::StatusOr<XlaOp> Places(XlaBuilder* builder, const Shape& shape, PrimitiveType type,
                             int64_t dimension) {
  HILO_ASSIGN_OR_RETURN(const Shape places,
                        ShapeUtil::MakeValidatedShape(type, shape.dimensions()));
  return Iota(builder, places, dimension);
}

absl::Status CheckTorchOperands(absl::string_view operation, const Shape& input, const Shape& index,
                                int64_t dim) {
  if (!input.IsArray() || !index.IsArray() || input.dimensions_size() != index.dimensions_size()) {
    return InvalidArgument("%s: input %s and index %s must be arrays of one rank", operation,
                           input.ToString(), index.ToString());
  }
  if (!primitive_util::IsIntegralType(index.element_type())) {
    return InvalidArgument("%s: the index %s must be integers", operation, index.ToString());
  }
  if (dim < 0 || dim >= input.dimensions_size()) {
    return InvalidArgument("%s: %s has no dimension %d", operation, input.ToString(), dim);
  }
  return absl::OkStatus();
}

// index(...) == place, over the dimensions of the index with one for the place inserted before
// `dim`.
struct PlaceMask {
  XlaOp mask;
  std::vector<int64_t> sizes;
};

absl::StatusOr<PlaceMask> CompareWithPlaces(XlaOp index, const Shape& index_shape, int64_t dim,
                                            int64_t size) {
  PlaceMask result;
  result.sizes.assign(index_shape.dimensions().begin(), index_shape.dimensions().end());
  result.sizes.insert(result.sizes.begin() + dim, size);
  std::vector<int64_t> index_dimensions;
  for (int64_t i = 0; i < index_shape.dimensions_size(); ++i) {
    index_dimensions.push_back(i < dim ? i : i + 1);
  }
  HILO_ASSIGN_OR_RETURN(const Shape shape,
                        ShapeUtil::MakeValidatedShape(index_shape.element_type(), result.sizes));
  result.mask =
      Eq(BroadcastInDim(index, result.sizes, index_dimensions), Iota(index.builder(), shape, dim));
  return result;
}

std::vector<int64_t> AllBut(int64_t rank, int64_t dimension) {
  std::vector<int64_t> dimensions;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != dimension) dimensions.push_back(i);
  }
  return dimensions;
}

// By comparing the index with all places: the one that is equal contributes its element.
absl::StatusOr<XlaOp> GatherByComparison(XlaOp input, const Shape& input_shape, XlaOp index,
                                         const Shape& index_shape, int64_t dim) {
  XlaBuilder* builder = input.builder();
  // Outside of `dim` the index may be smaller than the input.
  std::vector<int64_t> limits(index_shape.dimensions().begin(), index_shape.dimensions().end());
  const int64_t size = input_shape.dimensions(static_cast<int>(dim));
  limits[dim] = size;
  const std::vector<int64_t> zeros(limits.size(), 0);
  const std::vector<int64_t> ones(limits.size(), 1);
  input = Slice(input, zeros, limits, ones);
  HILO_ASSIGN_OR_RETURN(const PlaceMask comparison,
                        CompareWithPlaces(index, index_shape, dim, size));
  // The input has no dimension for the index' places along `dim`, which now is dim + 1.
  const XlaOp values = BroadcastInDim(
      input, comparison.sizes, AllBut(static_cast<int64_t>(comparison.sizes.size()), dim + 1));
  const XlaOp zero = Zero(builder, input_shape.element_type());
  const XlaOp chosen = Select(comparison.mask, values, ZerosLike(values));
  return Reduce(chosen, zero,
                CreateScalarIdentityWithZeroComputation(input_shape.element_type(), builder),
                {dim});
}

}  // namespace

XlaOp DynamicSliceInMinorDims(XlaOp x, absl::Span<const XlaOp> starts,
                              absl::Span<const int64_t> sizes) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(x));
    HILO_ASSIGN_OR_RETURN(const int64_t leading,
                          LeadingDimensions("dynamic slice", shape, starts.size()));
    if (starts.size() != sizes.size()) {
      return InvalidArgument("dynamic slice: %d starts and %d sizes", starts.size(), sizes.size());
    }
    HILO_ASSIGN_OR_RETURN(const PrimitiveType type, IndexType(builder, starts));
    std::vector<int64_t> all_sizes(shape.dimensions().begin(),
                                   shape.dimensions().begin() + leading);
    all_sizes.insert(all_sizes.end(), sizes.begin(), sizes.end());
    return DynamicSlice(x, AfterZeros(builder, leading, starts, type), all_sizes);
  });
}

XlaOp DynamicUpdateSliceInMinorDims(XlaOp x, XlaOp update, absl::Span<const XlaOp> starts) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(x));
    HILO_ASSIGN_OR_RETURN(const int64_t leading,
                          LeadingDimensions("dynamic update slice", shape, starts.size()));
    HILO_ASSIGN_OR_RETURN(const PrimitiveType type, IndexType(builder, starts));
    return DynamicUpdateSlice(x, update, AfterZeros(builder, leading, starts, type));
  });
}

XlaOp UpdateSlice(XlaOp x, XlaOp update, absl::Span<const int64_t> start) {
  XlaBuilder* builder = x.builder();
  std::vector<XlaOp> starts;
  for (int64_t place : start) {
    starts.push_back(ConstantR0<int32_t>(builder, static_cast<int32_t>(place)));
  }
  return DynamicUpdateSlice(x, update, starts);
}

XlaOp UpdateSliceInMinorDims(XlaOp x, XlaOp update, absl::Span<const int64_t> start) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(x));
    HILO_ASSIGN_OR_RETURN(const int64_t leading,
                          LeadingDimensions("update slice", shape, start.size()));
    std::vector<int64_t> all(leading, 0);
    all.insert(all.end(), start.begin(), start.end());
    return UpdateSlice(x, update, all);
  });
}

XlaOp SliceInMinorDims(XlaOp x, absl::Span<const int64_t> start, absl::Span<const int64_t> end) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(x));
    HILO_ASSIGN_OR_RETURN(const int64_t leading, LeadingDimensions("slice", shape, start.size()));
    if (start.size() != end.size()) {
      return InvalidArgument("slice: %d starts and %d ends", start.size(), end.size());
    }
    std::vector<int64_t> starts(leading, 0);
    starts.insert(starts.end(), start.begin(), start.end());
    std::vector<int64_t> limits(shape.dimensions().begin(), shape.dimensions().begin() + leading);
    limits.insert(limits.end(), end.begin(), end.end());
    return Slice(x, starts, limits, std::vector<int64_t>(starts.size(), 1));
  });
}

XlaOp TorchGather(XlaOp input, XlaOp index, int64_t dim, bool sparse) {
  XlaBuilder* builder = input.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape input_shape, builder->GetShape(input));
    HILO_ASSIGN_OR_RETURN(const Shape index_shape, builder->GetShape(index));
    HILO_RETURN_IF_ERROR(CheckTorchOperands("torch gather", input_shape, index_shape, dim));
    if (!sparse) return GatherByComparison(input, input_shape, index, index_shape, dim);
    // One window of one element for each place: its coordinates are those of the place, but for
    // `dim`.
    const int64_t rank = input_shape.dimensions_size();
    std::vector<int64_t> with_vector(index_shape.dimensions().begin(),
                                     index_shape.dimensions().end());
    with_vector.push_back(1);
    std::vector<XlaOp> coordinates;
    GatherDimensionNumbers numbers;
    for (int64_t i = 0; i < rank; ++i) {
      XlaOp coordinate = index;
      if (i != dim) {
        HILO_ASSIGN_OR_RETURN(coordinate,
                              Places(builder, index_shape, index_shape.element_type(), i));
      }
      coordinates.push_back(Reshape(coordinate, with_vector));
      numbers.add_collapsed_slice_dims(i);
      numbers.add_start_index_map(i);
    }
    numbers.set_index_vector_dim(rank);
    return Gather(input, ConcatInDim(builder, coordinates, rank), numbers,
                  std::vector<int64_t>(rank, 1));
  });
}

XlaOp TorchScatterDense(XlaOp input, XlaOp index, XlaOp src, int64_t dim,
                        const std::function<XlaOp(XlaOp, XlaOp)>& combiner) {
  XlaBuilder* builder = input.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape input_shape, builder->GetShape(input));
    HILO_ASSIGN_OR_RETURN(const Shape index_shape, builder->GetShape(index));
    HILO_RETURN_IF_ERROR(CheckTorchOperands("torch scatter", input_shape, index_shape, dim));
    HILO_ASSIGN_OR_RETURN(
        const PlaceMask comparison,
        CompareWithPlaces(index, index_shape, dim, input_shape.dimensions(static_cast<int>(dim))));
    const int64_t rank = static_cast<int64_t>(comparison.sizes.size());
    const XlaOp values = BroadcastInDim(src, comparison.sizes, AllBut(rank, dim));
    const XlaOp masked = Select(comparison.mask, values, ZerosLike(values));
    const PrimitiveType type = input_shape.element_type();
    const XlaComputation reducer = CreateScalarComputation("scatter", type, builder, combiner);
    const XlaOp reduced = Reduce(masked, Zero(builder, type), reducer, {dim + 1});
    return combiner(input, reduced);
  });
}

XlaOp TorchIndexSelect(XlaOp input, XlaOp index, int64_t dim, int64_t batch_dims) {
  XlaBuilder* builder = input.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape input_shape, builder->GetShape(input));
    HILO_ASSIGN_OR_RETURN(const Shape index_shape, builder->GetShape(index));
    if (batch_dims < 0 || dim < batch_dims || dim >= input_shape.dimensions_size() ||
        batch_dims > index_shape.dimensions_size()) {
      return InvalidArgument("index select: dimension %d with %d batch dimensions of %s by %s", dim,
                             batch_dims, input_shape.ToString(), index_shape.ToString());
    }
    GatherDimensionNumbers numbers;
    std::vector<int64_t> slice_sizes(input_shape.dimensions().begin(),
                                     input_shape.dimensions().end());
    const int64_t index_rank = index_shape.dimensions_size();
    for (int64_t i = 0; i < input_shape.dimensions_size(); ++i) {
      if (i == dim || i < batch_dims) {
        slice_sizes[i] = std::min<int64_t>(slice_sizes[i], 1);
      } else {
        numbers.add_offset_dims(i < dim ? i : i + index_rank - batch_dims - 1);
      }
    }
    for (int64_t i = 0; i < batch_dims; ++i) {
      numbers.add_operand_batching_dims(i);
      numbers.add_start_indices_batching_dims(i);
    }
    numbers.add_collapsed_slice_dims(dim);
    numbers.add_start_index_map(dim);
    numbers.set_index_vector_dim(index_rank);
    return Gather(input, index, numbers, slice_sizes);
  });
}

}  // namespace xla
