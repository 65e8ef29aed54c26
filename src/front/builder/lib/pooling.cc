#include "xla/hlo/builder/lib/pooling.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using PaddingPairs = std::vector<std::pair<int64_t, int64_t>>;

// Sizes beyond this are no windows that any array has.
constexpr int64_t kMaxSize = int64_t{1} << 31;

absl::Status CheckFormat(absl::string_view operation, int64_t rank, const TensorFormat& format) {
  std::vector<int64_t> all = {format.batch_dimension(), format.feature_dimension()};
  for (int i = 0; i < format.num_spatial_dims(); ++i) all.push_back(format.spatial_dimension(i));
  std::vector<int64_t> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  bool fits = static_cast<int64_t>(sorted.size()) == rank;
  for (int64_t i = 0; fits && i < rank; ++i) fits = sorted[i] == i;
  if (fits) return absl::OkStatus();
  return InvalidArgument(
      "%s: batch, feature and spatial dimensions {%s} are not the %d dimensions of the operand",
      operation, absl::StrJoin(all, ","), rank);
}

absl::Status CheckSizes(absl::string_view operation, absl::string_view what, int64_t rank,
                        absl::Span<const int64_t> sizes) {
  const bool in_range = std::all_of(sizes.begin(), sizes.end(),
                                    [](int64_t size) { return size > 0 && size < kMaxSize; });
  if (in_range && static_cast<int64_t>(sizes.size()) == rank) return absl::OkStatus();
  return InvalidArgument("%s: %s {%s} must be %d positive numbers below 2^31", operation, what,
                         absl::StrJoin(sizes, ","), rank);
}

absl::Status CheckWindow(absl::string_view operation, int64_t rank,
                         absl::Span<const int64_t> kernel_size, absl::Span<const int64_t> stride,
                         const TensorFormat& format) {
  HILO_RETURN_IF_ERROR(CheckFormat(operation, rank, format));
  HILO_RETURN_IF_ERROR(CheckSizes(operation, "kernel size", rank, kernel_size));
  return CheckSizes(operation, "stride", rank, stride);
}

// The padding of all dimensions, in their order.
absl::StatusOr<PaddingPairs> PaddingOfAll(absl::string_view operation,
                                          absl::Span<const std::pair<int64_t, int64_t>> spatial,
                                          int64_t rank, const TensorFormat& format) {
  if (static_cast<int>(spatial.size()) != format.num_spatial_dims()) {
    return InvalidArgument("%s: %d paddings for %d spatial dimensions", operation, spatial.size(),
                           format.num_spatial_dims());
  }
  PaddingPairs all(rank, {0, 0});
  for (int i = 0; i < format.num_spatial_dims(); ++i) {
    const auto [low, high] = spatial[i];
    if (low < 0 || high < 0 || low >= kMaxSize || high >= kMaxSize) {
      return InvalidArgument("%s: padding (%d, %d) must be at least 0 and below 2^31", operation,
                             low, high);
    }
    all[format.spatial_dimension(i)] = {low, high};
  }
  return all;
}

// Sums over windows.
XlaOp WindowSums(XlaOp operand, PrimitiveType type, absl::Span<const int64_t> kernel_size,
                 absl::Span<const int64_t> stride, const PaddingPairs& padding) {
  XlaBuilder* builder = operand.builder();
  return ReduceWindowWithGeneralPadding(
      operand, Zero(builder, type), CreateScalarAddComputation(type, builder), kernel_size, stride,
      /*base_dilations=*/{}, /*window_dilations=*/{}, padding);
}

// How many elements each window has, as a scalar or an array: the whole
// kernel, or what lies in an operand of the dimensions `sizes`.
absl::StatusOr<XlaOp> WindowCounts(XlaBuilder* builder, PrimitiveType type,
                                   absl::Span<const int64_t> sizes,
                                   absl::Span<const int64_t> kernel_size,
                                   absl::Span<const int64_t> stride, const PaddingPairs& padding,
                                   bool counts_include_padding) {
  if (!counts_include_padding) {
    return WindowSums(Broadcast(One(builder, type), sizes), type, kernel_size, stride, padding);
  }
  double count = 1;
  for (int64_t size : kernel_size) count *= static_cast<double>(size);
  if (count >= static_cast<double>(kMaxSize)) {
    return InvalidArgument("the window {%s} has too many elements",
                           absl::StrJoin(kernel_size, ","));
  }
  return ConstantR0WithType(builder, type, static_cast<int64_t>(count));
}

}  // namespace

XlaOp MaxPool(XlaOp operand, absl::Span<const int64_t> kernel_size,
              absl::Span<const int64_t> stride, Padding padding, const TensorFormat& data_format) {
  XlaBuilder* builder = operand.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(operand));
    HILO_RETURN_IF_ERROR(
        CheckWindow("max-pool", shape.dimensions_size(), kernel_size, stride, data_format));
    const PrimitiveType type = shape.element_type();
    return ReduceWindow(operand, MinValue(builder, type), CreateScalarMaxComputation(type, builder),
                        kernel_size, stride, padding);
  });
}

XlaOp AvgPool(XlaOp operand, absl::Span<const int64_t> kernel_size,
              absl::Span<const int64_t> stride,
              absl::Span<const std::pair<int64_t, int64_t>> padding,
              const TensorFormat& data_format, bool counts_include_padding) {
  XlaBuilder* builder = operand.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(operand));
    const int64_t rank = shape.dimensions_size();
    HILO_RETURN_IF_ERROR(CheckWindow("avg-pool", rank, kernel_size, stride, data_format));
    HILO_ASSIGN_OR_RETURN(const PaddingPairs all,
                          PaddingOfAll("avg-pool", padding, rank, data_format));
    const PrimitiveType type = shape.element_type();
    HILO_ASSIGN_OR_RETURN(const XlaOp counts,
                          WindowCounts(builder, type, shape.dimensions(), kernel_size, stride, all,
                                       counts_include_padding));
    return WindowSums(operand, type, kernel_size, stride, all) / counts;
  });
}

std::vector<std::pair<int64_t, int64_t>> MakeSpatialPadding(absl::Span<const int64_t> input_size,
                                                            absl::Span<const int64_t> kernel_size,
                                                            absl::Span<const int64_t> stride,
                                                            Padding padding,
                                                            const TensorFormat& data_format) {
  const int64_t rank = static_cast<int64_t>(input_size.size());
  if (!CheckWindow("spatial padding", rank, kernel_size, stride, data_format).ok()) return {};
  std::vector<int64_t> inputs, windows, strides;
  for (int i = 0; i < data_format.num_spatial_dims(); ++i) {
    const int dimension = data_format.spatial_dimension(i);
    inputs.push_back(input_size[dimension]);
    windows.push_back(kernel_size[dimension]);
    strides.push_back(stride[dimension]);
  }
  if (!ValidatePaddingValues(inputs, windows, strides).ok()) return {};
  return MakePadding(inputs, windows, strides, padding);
}

XlaOp AvgPoolGrad(XlaOp out_backprop, absl::Span<const int64_t> gradients_size,
                  absl::Span<const int64_t> kernel_size, absl::Span<const int64_t> stride,
                  absl::Span<const std::pair<int64_t, int64_t>> spatial_padding,
                  const TensorFormat& data_format, bool counts_include_padding) {
  XlaBuilder* builder = out_backprop.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(out_backprop));
    const int64_t rank = shape.dimensions_size();
    HILO_RETURN_IF_ERROR(CheckWindow("avg-pool-grad", rank, kernel_size, stride, data_format));
    HILO_RETURN_IF_ERROR(CheckSizes("avg-pool-grad", "gradient size", rank, gradients_size));
    HILO_ASSIGN_OR_RETURN(const PaddingPairs padding,
                          PaddingOfAll("avg-pool-grad", spatial_padding, rank, data_format));
    const PrimitiveType type = shape.element_type();
    HILO_ASSIGN_OR_RETURN(const XlaOp counts,
                          WindowCounts(builder, type, gradients_size, kernel_size, stride, padding,
                                       counts_include_padding));
    // An element takes part in the windows that end on it, begin on it or lie between: with the
    // strides filled up by zeros these are again windows of the kernel's size.
    PaddingConfig spread;
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t outputs = shape.dimensions(i);
      const int64_t reach = gradients_size[i] + padding[i].first + padding[i].second;
      const int64_t expected =
          reach < kernel_size[i] ? 0 : (reach - kernel_size[i]) / stride[i] + 1;
      if (outputs != expected) {
        return InvalidArgument(
            "avg-pool-grad: dimension %d of the gradient of the result has size %d, not %d", i,
            outputs, expected);
      }
      const int64_t dilated = outputs == 0 ? 0 : (outputs - 1) * stride[i] + 1;
      PaddingConfig::PaddingConfigDimension* dimension = spread.add_dimensions();
      dimension->set_interior_padding(stride[i] - 1);
      dimension->set_edge_padding_low(kernel_size[i] - 1 - padding[i].first);
      dimension->set_edge_padding_high(gradients_size[i] + padding[i].first - dilated);
    }
    const std::vector<int64_t> ones(rank, 1);
    return WindowSums(Pad(out_backprop / counts, Zero(builder, type), spread), type, kernel_size,
                      ones, PaddingPairs(rank, {0, 0}));
  });
}

}  // namespace xla
