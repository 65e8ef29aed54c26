#include "xla/reference_util.h"

#include <cmath>

#include "absl/algorithm/container.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/window_util.h"

namespace xla {
namespace {

using Index = std::vector<int64_t>;
using Reducer = absl::FunctionRef<float(float, float)>;
using Edges = absl::Span<const std::pair<int64_t, int64_t>>;

// Calls f(index) for every index within the sizes, in row-major order.
void ForEachIndex(absl::Span<const int64_t> sizes, absl::FunctionRef<void(const Index&)> f) {
  if (absl::c_any_of(sizes, [](int64_t size) { return size <= 0; })) return;
  Index index(sizes.size(), 0);
  while (true) {
    f(index);
    size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

template <typename Numbers>
Index ToIndex(const Numbers& numbers) {
  return Index(numbers.begin(), numbers.end());
}

// ---- Convolution ------------------------------------------------------------------------------

// One spatial dimension.
struct ConvolutionWindow {
  int64_t stride;
  int64_t lhs_dilation;
  int64_t rhs_dilation;
  int64_t padding_low;
  int64_t output_size;

  // The position in the lhs that kernel position `k` meets for output position `out`; -1 for a hole
  // or for none.
  int64_t LhsPosition(int64_t out, int64_t k, int64_t lhs_size) const {
    const int64_t dilated = out * stride + k * rhs_dilation - padding_low;
    if (dilated < 0 || dilated % lhs_dilation != 0 || dilated / lhs_dilation >= lhs_size) return -1;
    return dilated / lhs_dilation;
  }
};

ConvolutionWindow MakeWindow(int64_t lhs_size, int64_t kernel_size, int64_t stride,
                             int64_t lhs_dilation, int64_t rhs_dilation, Padding padding) {
  const int64_t size = window_util::DilatedBound(lhs_size, lhs_dilation);
  const int64_t window = window_util::DilatedBound(kernel_size, rhs_dilation);
  const auto [low, high] = MakePadding({size}, {window}, {stride}, padding)[0];
  return {stride, lhs_dilation, rhs_dilation, low,
          window_util::StridedBound(size + low + high, window, stride)};
}

struct ConvolutionOptions {
  Index strides;
  Padding padding;
  Index lhs_dilation;
  Index rhs_dilation;
  ConvolutionDimensionNumbers numbers;
};

// The sum of the products for one element of the output.
float ConvolvedElement(const Array<float>& lhs, const Array<float>& rhs,
                       const std::vector<ConvolutionWindow>& windows,
                       const ConvolutionDimensionNumbers& numbers, absl::Span<const int64_t> out) {
  Index kernel_sizes = ToIndex(rhs.dimensions());
  kernel_sizes[numbers.kernel_output_feature_dimension()] = 1;
  double sum = 0;
  ForEachIndex(kernel_sizes, [&](const Index& k) {
    Index kernel = k;
    kernel[numbers.kernel_output_feature_dimension()] = out[numbers.output_feature_dimension()];
    Index input(k.size());
    input[numbers.input_batch_dimension()] = out[numbers.output_batch_dimension()];
    input[numbers.input_feature_dimension()] = k[numbers.kernel_input_feature_dimension()];
    for (size_t i = 0; i < windows.size(); ++i) {
      const int64_t d = numbers.input_spatial_dimensions(static_cast<int>(i));
      input[d] = windows[i].LhsPosition(out[numbers.output_spatial_dimensions(static_cast<int>(i))],
                                        k[numbers.kernel_spatial_dimensions(static_cast<int>(i))],
                                        lhs.dim(d));
      if (input[d] < 0) return;
    }
    sum += static_cast<double>(lhs(input)) * rhs(kernel);
  });
  return static_cast<float>(sum);
}

Array<float> Convolve(const Array<float>& lhs, const Array<float>& rhs,
                      const ConvolutionOptions& options) {
  const ConvolutionDimensionNumbers& numbers = options.numbers;
  CHECK_EQ(lhs.dim(numbers.input_feature_dimension()),
           rhs.dim(numbers.kernel_input_feature_dimension()));
  std::vector<ConvolutionWindow> windows;
  Index sizes(lhs.num_dimensions());
  sizes[numbers.output_batch_dimension()] = lhs.dim(numbers.input_batch_dimension());
  sizes[numbers.output_feature_dimension()] = rhs.dim(numbers.kernel_output_feature_dimension());
  for (int i = 0; i < numbers.input_spatial_dimensions_size(); ++i) {
    windows.push_back(MakeWindow(
        lhs.dim(numbers.input_spatial_dimensions(i)), rhs.dim(numbers.kernel_spatial_dimensions(i)),
        options.strides[i], options.lhs_dilation[i], options.rhs_dilation[i], options.padding));
    sizes[numbers.output_spatial_dimensions(i)] = windows.back().output_size;
  }
  Array<float> result(sizes);
  result.Each([&](absl::Span<const int64_t> out, float* element) {
    *element = ConvolvedElement(lhs, rhs, windows, numbers, out);
  });
  return result;
}

template <typename ArrayT>
std::unique_ptr<ArrayT> Make(Array<float> array) {
  auto result = std::make_unique<ArrayT>();
  static_cast<Array<float>&>(*result) = std::move(array);
  return result;
}

// ---- Windows ----------------------------------------------------------------------------------

Array<float> ReduceWindow(const Array<float>& operand, float init, Reducer reduce,
                          absl::Span<const int64_t> window, absl::Span<const int64_t> stride,
                          Edges padding) {
  const size_t rank = operand.num_dimensions();
  CHECK(window.size() == rank && stride.size() == rank && padding.size() == rank);
  Index sizes(rank);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t padded = operand.dim(d) + padding[d].first + padding[d].second;
    sizes[d] = window_util::StridedBound(padded, window[d], stride[d]);
  }
  Array<float> result(sizes);
  result.Each([&](absl::Span<const int64_t> out, float* element) {
    *element = init;
    ForEachIndex(window, [&](const Index& position) {
      Index input(rank);
      for (size_t d = 0; d < rank; ++d) {
        input[d] = out[d] * stride[d] + position[d] - padding[d].first;
        if (input[d] < 0 || input[d] >= operand.dim(d)) return;
      }
      *element = reduce(*element, operand(input));
    });
  });
  return result;
}

// The operand reduced over `dims`; its other dimensions in order.
Array<float> Reduce(const Array<float>& operand, float init, absl::Span<const int64_t> dims,
                    Reducer reduce) {
  Index kept;
  for (int64_t d = 0; d < operand.num_dimensions(); ++d) {
    if (!absl::c_linear_search(dims, d)) kept.push_back(d);
  }
  Index sizes;
  for (const int64_t d : kept) sizes.push_back(operand.dim(d));
  Array<float> result(sizes, init);
  operand.Each([&](absl::Span<const int64_t> index, float value) {
    Index target;
    for (const int64_t d : kept) target.push_back(index[d]);
    result(target) = reduce(result(target), value);
  });
  return result;
}

std::vector<float> ToVector(const Array<float>& array) { return {array.begin(), array.end()}; }

}  // namespace

std::unique_ptr<Array2D<double>> ReferenceUtil::Array2DF32ToF64(const Array2D<float>& input) {
  auto result = std::make_unique<Array2D<double>>(input.height(), input.width());
  result->Each([&](int64_t row, int64_t col, double* element) { *element = input(row, col); });
  return result;
}

std::unique_ptr<Array4D<float>> ReferenceUtil::ConvArray4D(
    const Array4D<float>& lhs, const Array4D<float>& rhs, std::pair<int64_t, int64_t> kernel_stride,
    Padding padding) {
  return ConvArray4DGeneralDimensions(lhs, rhs, kernel_stride, padding,
                                      XlaBuilder::CreateDefaultConvDimensionNumbers());
}

std::unique_ptr<Array4D<float>> ReferenceUtil::ConvArray4DGeneralDimensions(
    const Array4D<float>& lhs, const Array4D<float>& rhs, std::pair<int64_t, int64_t> kernel_stride,
    Padding padding, ConvolutionDimensionNumbers dimension_numbers) {
  return ConvArray4DGeneralDimensionsDilated(lhs, rhs, kernel_stride, padding, {1, 1}, {1, 1},
                                             std::move(dimension_numbers));
}

std::unique_ptr<Array4D<float>> ReferenceUtil::ConvArray4DGeneralDimensionsDilated(
    const Array4D<float>& lhs, const Array4D<float>& rhs, std::pair<int64_t, int64_t> kernel_stride,
    Padding padding, std::pair<int64_t, int64_t> lhs_dilation,
    std::pair<int64_t, int64_t> rhs_dilation, ConvolutionDimensionNumbers dimension_numbers) {
  return Make<Array4D<float>>(Convolve(lhs, rhs,
                                       {{kernel_stride.first, kernel_stride.second},
                                        padding,
                                        {lhs_dilation.first, lhs_dilation.second},
                                        {rhs_dilation.first, rhs_dilation.second},
                                        std::move(dimension_numbers)}));
}

std::unique_ptr<Array3D<float>> ReferenceUtil::ConvArray3D(const Array3D<float>& lhs,
                                                           const Array3D<float>& rhs,
                                                           int64_t kernel_stride, Padding padding) {
  return ConvArray3DGeneralDimensionsDilated(lhs, rhs, kernel_stride, padding, 1, 1,
                                             XlaBuilder::CreateDefaultConvDimensionNumbers(1));
}

std::unique_ptr<Array3D<float>> ReferenceUtil::ConvArray3DGeneralDimensionsDilated(
    const Array3D<float>& lhs, const Array3D<float>& rhs, int64_t kernel_stride, Padding padding,
    int64_t lhs_dilation, int64_t rhs_dilation,
    const ConvolutionDimensionNumbers& dimension_numbers) {
  return Make<Array3D<float>>(Convolve(
      lhs, rhs, {{kernel_stride}, padding, {lhs_dilation}, {rhs_dilation}, dimension_numbers}));
}

std::unique_ptr<std::vector<float>> ReferenceUtil::ReduceToColArray2D(const Array2D<float>& matrix,
                                                                      float init,
                                                                      Reducer reduce_function) {
  return std::make_unique<std::vector<float>>(ToVector(Reduce(matrix, init, {1}, reduce_function)));
}

std::unique_ptr<std::vector<float>> ReferenceUtil::ReduceToRowArray2D(const Array2D<float>& matrix,
                                                                      float init,
                                                                      Reducer reduce_function) {
  return std::make_unique<std::vector<float>>(ToVector(Reduce(matrix, init, {0}, reduce_function)));
}

std::vector<float> ReferenceUtil::Reduce4DTo1D(const Array4D<float>& array, float init,
                                               absl::Span<const int64_t> dims,
                                               Reducer reduce_function) {
  CHECK_EQ(dims.size(), 3);
  return ToVector(Reduce(array, init, dims, reduce_function));
}

std::unique_ptr<Array2D<float>> ReferenceUtil::Reduce3DTo2D(const Array3D<float>& array, float init,
                                                            absl::Span<const int64_t> dims,
                                                            Reducer reduce_function) {
  CHECK_EQ(dims.size(), 1);
  return Make<Array2D<float>>(Reduce(array, init, dims, reduce_function));
}

std::unique_ptr<Array4D<float>> ReferenceUtil::Broadcast1DTo4D(const std::vector<float>& array,
                                                               const std::vector<int64_t>& bounds,
                                                               int64_t broadcast_from_dim) {
  CHECK_EQ(bounds.size(), 4);
  CHECK_EQ(bounds[broadcast_from_dim], static_cast<int64_t>(array.size()));
  auto result = std::make_unique<Array4D<float>>(bounds[0], bounds[1], bounds[2], bounds[3]);
  result->Each([&](absl::Span<const int64_t> index, float* element) {
    *element = array[index[broadcast_from_dim]];
  });
  return result;
}

std::unique_ptr<std::vector<float>> ReferenceUtil::ReduceWindow1DGeneric(
    absl::Span<const float> operand, float init, Reducer reduce_func,
    absl::Span<const int64_t> window, absl::Span<const int64_t> stride, Edges padding) {
  const Array<float> array({static_cast<int64_t>(operand.size())}, operand);
  return std::make_unique<std::vector<float>>(
      ToVector(ReduceWindow(array, init, reduce_func, window, stride, padding)));
}

std::unique_ptr<Array4D<float>> ReferenceUtil::ReduceWindow4DGeneric(
    const Array4D<float>& operand, float init, Reducer reduce_func,
    absl::Span<const int64_t> window, absl::Span<const int64_t> stride, Padding padding) {
  return ReduceWindow4DGeneric(operand, init, reduce_func, window, stride,
                               MakePadding(operand.dimensions(), window, stride, padding));
}

std::unique_ptr<Array4D<float>> ReferenceUtil::ReduceWindow4DGeneric(
    const Array4D<float>& operand, float init, Reducer reduce_func,
    absl::Span<const int64_t> window, absl::Span<const int64_t> stride, Edges padding) {
  return Make<Array4D<float>>(ReduceWindow(operand, init, reduce_func, window, stride, padding));
}

std::unique_ptr<Array4D<float>> ReferenceUtil::ReduceWindow4DAdd(const Array4D<float>& operand,
                                                                 float init,
                                                                 absl::Span<const int64_t> window,
                                                                 absl::Span<const int64_t> stride,
                                                                 Padding padding) {
  return ReduceWindow4DGeneric(
      operand, init, [](float a, float b) { return a + b; }, window, stride, padding);
}

int64_t ReferenceUtil::WindowCount(int64_t unpadded_width, int64_t window_len, int64_t stride,
                                   Padding padding) {
  if (padding == Padding::kValid) {
    return window_util::StridedBound(unpadded_width, window_len, stride);
  }
  return (unpadded_width + stride - 1) / stride;
}

std::unique_ptr<Array4D<float>> ReferenceUtil::SelectAndScatter4DGePlus(
    const Array4D<float>& operand, const Array4D<float>& source, float init,
    absl::Span<const int64_t> window, absl::Span<const int64_t> stride, bool same_padding) {
  const std::vector<std::pair<int64_t, int64_t>> padding = MakePadding(
      operand.dimensions(), window, stride, same_padding ? Padding::kSame : Padding::kValid);
  auto result = std::make_unique<Array4D<float>>(operand.n1(), operand.n2(), operand.n3(),
                                                 operand.n4(), init);
  source.Each([&](absl::Span<const int64_t> out, float value) {
    Index selected;
    ForEachIndex(window, [&](const Index& position) {
      Index input(4);
      for (int d = 0; d < 4; ++d) {
        input[d] = out[d] * stride[d] + position[d] - padding[d].first;
        if (input[d] < 0 || input[d] >= operand.dim(d)) return;
      }
      if (selected.empty() || !(operand(selected) >= operand(input))) selected = input;
    });
    if (!selected.empty()) (*result)(selected) += value;
  });
  return result;
}

std::unique_ptr<Array4D<float>> ReferenceUtil::BatchNorm4D(
    const Array4D<float>& input, const Array4D<float>& mean, const Array4D<float>& var,
    const Array4D<float>& scale, const Array4D<float>& offset, float epsilon) {
  return Map<Array4D<float>, float>(
      [&](float x, float m, float v, float s, float o) {
        return (x - m) / std::sqrt(v + epsilon) * s + o;
      },
      input, mean, var, scale, offset);
}

std::unique_ptr<Array2D<float>> ReferenceUtil::MapWithIndexArray2D(
    const Array2D<float>& matrix, absl::FunctionRef<float(float, int64_t, int64_t)> map_function) {
  auto result = std::make_unique<Array2D<float>>(matrix);
  result->Each([&](int64_t row, int64_t col, float* element) {
    *element = map_function(*element, row, col);
  });
  return result;
}

}  // namespace xla
