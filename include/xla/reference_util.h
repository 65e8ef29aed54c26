// Plain implementations of operations on arrays, written for being obviously right, as expected
// values of tests. Arguments that do not fit together are CHECKed.
#ifndef XLA_REFERENCE_UTIL_H_
#define XLA_REFERENCE_UTIL_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/log/check.h"
#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/hlo/builder/padding.h"
#include "xla/types.h"
#include "xla/xla_data.pb.h"

namespace xla {

class ReferenceUtil {
  using Reducer = absl::FunctionRef<float(float, float)>;
  using Edges = absl::Span<const std::pair<int64_t, int64_t>>;

 public:
  ReferenceUtil() = delete;

  static std::unique_ptr<Array2D<double>> Array2DF32ToF64(const Array2D<float>& input);

  template <typename T>
  static std::unique_ptr<Array2D<T>> TransposeArray2D(const Array2D<T>& operand) {
    auto result = std::make_unique<Array2D<T>>(operand.width(), operand.height());
    result->Each([&](int64_t row, int64_t col, T* element) { *element = operand(col, row); });
    return result;
  }

  // The sums are made from the first to the last product: in T, or in float where T is a narrower
  // floating-point type, and then rounded once.
  template <typename T>
  static std::unique_ptr<Array2D<T>> MatmulArray2D(const Array2D<T>& lhs, const Array2D<T>& rhs) {
    using Sum = std::conditional_t<is_specialized_floating_point_v<T> && sizeof(T) < sizeof(float),
                                   float, T>;
    CHECK_EQ(lhs.width(), rhs.height());
    auto result = std::make_unique<Array2D<T>>(lhs.height(), rhs.width());
    result->Each([&](int64_t row, int64_t col, T* element) {
      Sum sum = Sum(0);
      for (int64_t k = 0; k < lhs.width(); ++k) {
        sum = static_cast<Sum>(
            sum + static_cast<Sum>(static_cast<Sum>(lhs(row, k)) * static_cast<Sum>(rhs(k, col))));
      }
      *element = static_cast<T>(sum);
    });
    return result;
  }

  // ---- Convolutions. Without dimension numbers they are those of
  // XlaBuilder::CreateDefaultConvDimensionNumbers: batch, feature, space and output feature, input
  // feature, space. Each product is added in double precision.

  static std::unique_ptr<Array4D<float>> ConvArray4D(const Array4D<float>& lhs,
                                                     const Array4D<float>& rhs,
                                                     std::pair<int64_t, int64_t> kernel_stride,
                                                     Padding padding);
  static std::unique_ptr<Array4D<float>> ConvArray4DGeneralDimensions(
      const Array4D<float>& lhs, const Array4D<float>& rhs,
      std::pair<int64_t, int64_t> kernel_stride, Padding padding,
      ConvolutionDimensionNumbers dimension_numbers);
  static std::unique_ptr<Array4D<float>> ConvArray4DGeneralDimensionsDilated(
      const Array4D<float>& lhs, const Array4D<float>& rhs,
      std::pair<int64_t, int64_t> kernel_stride, Padding padding,
      std::pair<int64_t, int64_t> lhs_dilation, std::pair<int64_t, int64_t> rhs_dilation,
      ConvolutionDimensionNumbers dimension_numbers);
  static std::unique_ptr<Array3D<float>> ConvArray3D(const Array3D<float>& lhs,
                                                     const Array3D<float>& rhs,
                                                     int64_t kernel_stride, Padding padding);
  static std::unique_ptr<Array3D<float>> ConvArray3DGeneralDimensionsDilated(
      const Array3D<float>& lhs, const Array3D<float>& rhs, int64_t kernel_stride, Padding padding,
      int64_t lhs_dilation, int64_t rhs_dilation,
      const ConvolutionDimensionNumbers& dimension_numbers);

  // ---- Reductions, in row-major order of the operand.

  static std::unique_ptr<std::vector<float>> ReduceToColArray2D(const Array2D<float>& matrix,
                                                                float init,
                                                                Reducer reduce_function);
  static std::unique_ptr<std::vector<float>> ReduceToRowArray2D(const Array2D<float>& matrix,
                                                                float init,
                                                                Reducer reduce_function);
  // All of `dims` but one (two) dimension(s) of the array.
  static std::vector<float> Reduce4DTo1D(const Array4D<float>& array, float init,
                                         absl::Span<const int64_t> dims, Reducer reduce_function);
  static std::unique_ptr<Array2D<float>> Reduce3DTo2D(const Array3D<float>& array, float init,
                                                      absl::Span<const int64_t> dims,
                                                      Reducer reduce_function);
  // The array repeated along all dimensions of `bounds` but broadcast_from_dim.
  static std::unique_ptr<Array4D<float>> Broadcast1DTo4D(const std::vector<float>& array,
                                                         const std::vector<int64_t>& bounds,
                                                         int64_t broadcast_from_dim);

  // ---- Windows. Positions of a window outside of the operand are left out.

  static std::unique_ptr<std::vector<float>> ReduceWindow1DGeneric(absl::Span<const float> operand,
                                                                   float init, Reducer reduce_func,
                                                                   absl::Span<const int64_t> window,
                                                                   absl::Span<const int64_t> stride,
                                                                   Edges padding);
  static std::unique_ptr<Array4D<float>> ReduceWindow4DGeneric(const Array4D<float>& operand,
                                                               float init, Reducer reduce_func,
                                                               absl::Span<const int64_t> window,
                                                               absl::Span<const int64_t> stride,
                                                               Padding padding);
  static std::unique_ptr<Array4D<float>> ReduceWindow4DGeneric(const Array4D<float>& operand,
                                                               float init, Reducer reduce_func,
                                                               absl::Span<const int64_t> window,
                                                               absl::Span<const int64_t> stride,
                                                               Edges padding);
  static std::unique_ptr<Array4D<float>> ReduceWindow4DAdd(const Array4D<float>& operand,
                                                           float init,
                                                           absl::Span<const int64_t> window,
                                                           absl::Span<const int64_t> stride,
                                                           Padding padding);
  // How many windows fit along a dimension, floor((unpadded - window) / stride) + 1 for kValid and
  // ceil(unpadded / stride) for kSame.
  static int64_t WindowCount(int64_t unpadded_width, int64_t window_len, int64_t stride,
                             Padding padding);
  // Adds each element of `source` to the greatest element of its window of the operand, the first
  // one of several.
  static std::unique_ptr<Array4D<float>> SelectAndScatter4DGePlus(
      const Array4D<float>& operand, const Array4D<float>& source, float init,
      absl::Span<const int64_t> window, absl::Span<const int64_t> stride, bool same_padding);

  // (input - mean) / sqrt(var + epsilon) * scale + offset.
  static std::unique_ptr<Array4D<float>> BatchNorm4D(const Array4D<float>& input,
                                                     const Array4D<float>& mean,
                                                     const Array4D<float>& var,
                                                     const Array4D<float>& scale,
                                                     const Array4D<float>& offset, float epsilon);

  // ---- Pieces.

  template <typename T>
  static std::unique_ptr<Array2D<T>> Concat2D(const Array2D<T>& lhs, const Array2D<T>& rhs,
                                              int concatenate_dimension) {
    return Concat<Array2D<T>, T>(lhs, rhs, concatenate_dimension);
  }
  template <typename T>
  static std::unique_ptr<Array3D<T>> Concat3D(const Array3D<T>& lhs, const Array3D<T>& rhs,
                                              int concatenate_dimension) {
    return Concat<Array3D<T>, T>(lhs, rhs, concatenate_dimension);
  }
  template <typename T>
  static std::unique_ptr<Array4D<T>> Concat4D(const Array4D<T>& lhs, const Array4D<T>& rhs,
                                              int concatenate_dimension) {
    return Concat<Array4D<T>, T>(lhs, rhs, concatenate_dimension);
  }

  // The elements at starts, starts + strides, ... below limits.
  template <typename T>
  static std::unique_ptr<Array2D<T>> Slice2D(const Array2D<T>& input, std::array<int64_t, 2> starts,
                                             std::array<int64_t, 2> limits,
                                             std::array<int64_t, 2> strides) {
    return Slice<Array2D<T>, T>(input, starts, limits, strides);
  }
  template <typename T>
  static std::unique_ptr<Array3D<T>> Slice3D(const Array3D<T>& input, std::array<int64_t, 3> starts,
                                             std::array<int64_t, 3> limits,
                                             std::array<int64_t, 3> strides) {
    return Slice<Array3D<T>, T>(input, starts, limits, strides);
  }
  template <typename T>
  static std::unique_ptr<Array4D<T>> Slice4D(const Array4D<T>& input, std::array<int64_t, 4> starts,
                                             std::array<int64_t, 4> limits,
                                             std::array<int64_t, 4> strides) {
    return Slice<Array4D<T>, T>(input, starts, limits, strides);
  }

  // Edges of either sign and interior padding.
  template <typename NativeT>
  static std::unique_ptr<Array2D<NativeT>> PadArray2D(const Array2D<NativeT>& operand,
                                                      const PaddingConfig& padding,
                                                      const NativeT pad) {
    return Pad<Array2D<NativeT>, NativeT>(operand, padding, pad);
  }
  template <typename NativeT>
  static Array4D<NativeT> PadArray4D(const Array4D<NativeT>& operand, const PaddingConfig& padding,
                                     const NativeT pad) {
    return std::move(*Pad<Array4D<NativeT>, NativeT>(operand, padding, pad));
  }

  // ---- Element by element.

  template <typename F>
  static std::unique_ptr<Array2D<float>> MapArray2D(const Array2D<float>& matrix,
                                                    F&& map_function) {
    return Map<Array2D<float>, float>(map_function, matrix);
  }
  template <typename F>
  static std::unique_ptr<Array2D<float>> MapArray2D(const Array2D<float>& lhs,
                                                    const Array2D<float>& rhs, F&& map_function) {
    return Map<Array2D<float>, float>(map_function, lhs, rhs);
  }
  template <typename F>
  static std::unique_ptr<Array3D<float>> MapArray3D(const Array3D<float>& input, F&& map_function) {
    return Map<Array3D<float>, float>(map_function, input);
  }
  template <typename F>
  static std::unique_ptr<Array3D<float>> MapArray3D(const Array3D<float>& lhs,
                                                    const Array3D<float>& rhs, F&& map_function) {
    return Map<Array3D<float>, float>(map_function, lhs, rhs);
  }
  template <typename F>
  static std::unique_ptr<Array4D<float>> MapArray4D(const Array4D<float>& input, F&& map_function) {
    return Map<Array4D<float>, float>(map_function, input);
  }
  template <typename F>
  static std::unique_ptr<Array4D<float>> MapArray4D(const Array4D<float>& lhs,
                                                    const Array4D<float>& rhs, F&& map_function) {
    return Map<Array4D<float>, float>(map_function, lhs, rhs);
  }
  // map_function(element, row, column).
  static std::unique_ptr<Array2D<float>> MapWithIndexArray2D(
      const Array2D<float>& matrix, absl::FunctionRef<float(float, int64_t, int64_t)> map_function);
  // map_function(element, plane, depth, height, width).
  template <typename F>
  static std::unique_ptr<Array4D<float>> MapWithIndexArray4D(const Array4D<float>& input,
                                                             F&& map_function) {
    auto result = std::make_unique<Array4D<float>>(input);
    result->Each([&](absl::Span<const int64_t> i, float* element) {
      *element = map_function(*element, i[0], i[1], i[2], i[3]);
    });
    return result;
  }
  template <typename F, typename T1, typename... Ts>
  static std::unique_ptr<Array2D<T1>> ApplyElementwise2D(F&& f, const Array2D<T1>& array1,
                                                         const Array2D<Ts>&... arrays) {
    return Map<Array2D<T1>, T1>(f, array1, arrays...);
  }

 private:
  template <typename ArrayT>
  static std::unique_ptr<ArrayT> WithSizes(const std::vector<int64_t>& sizes) {
    auto array = std::make_unique<ArrayT>();
    static_cast<Array<typename ArrayT::value_type>&>(*array) =
        Array<typename ArrayT::value_type>(sizes);
    return array;
  }

  template <typename ArrayT, typename T>
  static std::unique_ptr<ArrayT> Concat(const ArrayT& lhs, const ArrayT& rhs, int dimension) {
    std::vector<int64_t> sizes(lhs.dimensions().begin(), lhs.dimensions().end());
    std::vector<int64_t> start(sizes.size(), 0);
    for (int d = 0; d < lhs.num_dimensions(); ++d)
      CHECK(d == dimension || lhs.dim(d) == rhs.dim(d));
    start[dimension] = lhs.dim(dimension);
    sizes[dimension] += rhs.dim(dimension);
    std::unique_ptr<ArrayT> result = WithSizes<ArrayT>(sizes);
    result->UpdateSlice(lhs, std::vector<int64_t>(sizes.size(), 0));
    result->UpdateSlice(rhs, start);
    return result;
  }

  template <typename ArrayT, typename T, size_t n>
  static std::unique_ptr<ArrayT> Slice(const ArrayT& input, const std::array<int64_t, n>& starts,
                                       const std::array<int64_t, n>& limits,
                                       const std::array<int64_t, n>& strides) {
    std::vector<int64_t> sizes(n);
    for (size_t d = 0; d < n; ++d) {
      CHECK(starts[d] >= 0 && starts[d] <= limits[d] && limits[d] <= input.dim(d));
      CHECK_GE(strides[d], 1);
      sizes[d] = (limits[d] - starts[d] + strides[d] - 1) / strides[d];
    }
    std::unique_ptr<ArrayT> result = WithSizes<ArrayT>(sizes);
    static_cast<Array<T>&>(*result).Each([&](absl::Span<const int64_t> index, T* element) {
      std::array<int64_t, n> source;
      for (size_t d = 0; d < n; ++d) source[d] = starts[d] + index[d] * strides[d];
      *element = input(absl::Span<const int64_t>(source));
    });
    return result;
  }

  template <typename ArrayT, typename T>
  static std::unique_ptr<ArrayT> Pad(const ArrayT& operand, const PaddingConfig& padding, T pad) {
    CHECK_EQ(padding.dimensions_size(), operand.num_dimensions());
    std::vector<int64_t> sizes;
    for (int d = 0; d < padding.dimensions_size(); ++d) {
      const auto& edges = padding.dimensions(d);
      const int64_t holes = std::max<int64_t>(operand.dim(d) - 1, 0) * edges.interior_padding();
      sizes.push_back(operand.dim(d) + holes + edges.edge_padding_low() +
                      edges.edge_padding_high());
    }
    std::unique_ptr<ArrayT> result = WithSizes<ArrayT>(sizes);
    result->Fill(pad);
    static_cast<const Array<T>&>(operand).Each([&](absl::Span<const int64_t> index, T value) {
      std::vector<int64_t> target(index.begin(), index.end());
      for (size_t d = 0; d < target.size(); ++d) {
        const auto& edges = padding.dimensions(static_cast<int>(d));
        target[d] = target[d] * (edges.interior_padding() + 1) + edges.edge_padding_low();
        if (target[d] < 0 || target[d] >= sizes[d]) return;
      }
      (*result)(absl::Span<const int64_t>(target)) = value;
    });
    return result;
  }

  template <typename ArrayT, typename T, typename F, typename First, typename... Others>
  static std::unique_ptr<ArrayT> Map(F&& f, const First& first, const Others&... others) {
    CHECK((... && (first.dimensions() == others.dimensions())));
    std::unique_ptr<ArrayT> result =
        WithSizes<ArrayT>({first.dimensions().begin(), first.dimensions().end()});
    for (int64_t i = 0; i < first.num_elements(); ++i) {
      result->data()[i] = static_cast<T>(f(first.data()[i], others.data()[i]...));
    }
    return result;
  }
};

}  // namespace xla

#endif  // XLA_REFERENCE_UTIL_H_
