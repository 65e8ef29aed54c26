// Dense arrays of any rank in row-major order, for making and checking literals.
#ifndef HILO_INCLUDE_XLA_ARRAY_H_
#define HILO_INCLUDE_XLA_ARRAY_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/log/check.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "xla/types.h"

namespace xla {

namespace array_impl {

template <typename... Ts>
struct pack_is_integral : std::conjunction<std::is_integral<Ts>...> {};

// Lists of float literals also initialize arrays of the narrow floating-point types.
template <typename T, typename T2>
using overload_for_float =
    std::enable_if_t<is_specialized_floating_point_v<T> && !std::is_same_v<T, float> &&
                         !std::is_same_v<T, double> && std::is_same_v<T2, float>,
                     bool>;

// range_starts[i] <= values[i] < range_ends[i] for all i.
template <typename C1, typename C2, typename C3>
bool all_inside_range(const C1& values, const C2& range_starts, const C3& range_ends) {
  CHECK(values.size() == range_starts.size() && values.size() == range_ends.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < range_starts[i] || values[i] >= range_ends[i]) return false;
  }
  return true;
}

}  // namespace array_impl

// Indices and sizes are CHECKed where the cost does not show; operator() checks in debug builds
// only.
template <typename T>
class Array {
 public:
  template <typename D = T>
  using InitializerList1D = std::initializer_list<D>;
  template <typename D = T>
  using InitializerList2D = std::initializer_list<InitializerList1D<D>>;
  template <typename D = T>
  using InitializerList3D = std::initializer_list<InitializerList2D<D>>;
  template <typename D = T>
  using InitializerList4D = std::initializer_list<InitializerList3D<D>>;

  using value_type = T;

  // Value-initialized elements.
  explicit Array(absl::Span<const int64_t> sizes)
      : sizes_(sizes.begin(), sizes.end()),
        num_elements_(Count(sizes_)),
        values_(new T[num_elements_]()) {}
  Array(absl::Span<const int64_t> sizes, T value) : Array(sizes) { Fill(value); }
  // CHECKs that there are as many values as elements.
  Array(absl::Span<const int64_t> sizes, absl::Span<const T> flattened_values) : Array(sizes) {
    SetValues(flattened_values);
  }

  // From nested lists, which CHECK must be of one length at each level.
  template <typename T2, array_impl::overload_for_float<T, T2> = true>
  Array(std::initializer_list<T2> values)  // NOLINT
      : Array(Sizes{static_cast<int64_t>(values.size())}) {
    T* next = data();
    CopyList(values, next);
  }
  Array(InitializerList2D<T> values) : Array(SizesOf2D(values)) {  // NOLINT
    T* next = data();
    CopyList2D(values, next);
  }
  template <typename T2, array_impl::overload_for_float<T, T2> = true>
  Array(InitializerList2D<T2> values) : Array(SizesOf2D(values)) {  // NOLINT
    T* next = data();
    CopyList2D(values, next);
  }
  Array(InitializerList3D<T> values) : Array(SizesOf3D(values)) {  // NOLINT
    T* next = data();
    CopyList3D(values, next);
  }
  template <typename T2, array_impl::overload_for_float<T, T2> = true>
  Array(InitializerList3D<T2> values) : Array(SizesOf3D(values)) {  // NOLINT
    T* next = data();
    CopyList3D(values, next);
  }
  Array(InitializerList4D<T> values) : Array(SizesOf4D(values)) {  // NOLINT
    T* next = data();
    CopyList4D(values, next);
  }
  template <typename T2, array_impl::overload_for_float<T, T2> = true>
  Array(InitializerList4D<T2> values) : Array(SizesOf4D(values)) {  // NOLINT
    T* next = data();
    CopyList4D(values, next);
  }

  Array(const Array& other) : Array(other.sizes_) {
    std::copy(other.begin(), other.end(), begin());
  }
  Array(Array&& other) noexcept
      : sizes_(std::move(other.sizes_)),
        num_elements_(std::exchange(other.num_elements_, 0)),
        values_(std::move(other.values_)) {}
  Array& operator=(const Array& other) {
    if (this != &other) *this = Array(other);
    return *this;
  }
  Array& operator=(Array&& other) noexcept {
    sizes_ = std::move(other.sizes_);
    num_elements_ = std::exchange(other.num_elements_, 0);
    values_ = std::move(other.values_);
    return *this;
  }

  void Fill(const T& value) { std::fill(begin(), end(), value); }
  // value, value + 1, ...
  void FillIota(const T& value) {
    T current = value;
    for (T& element : *this) {
      element = current;
      current = static_cast<T>(current + static_cast<T>(1));
    }
  }
  // The same, starting again after every `length` elements.
  void FillRepeatedIota(const T& value, int64_t length) {
    T current = value;
    for (int64_t i = 0; i < num_elements_; ++i) {
      if (i % length == 0) current = value;
      data()[i] = current;
      current = static_cast<T>(current + static_cast<T>(1));
    }
  }
  // 0, multiplier, 2 * multiplier, ...
  void FillWithMultiples(const T& multiplier) {
    for (int64_t i = 0; i < num_elements_; ++i) {
      data()[i] = static_cast<T>(static_cast<T>(i) * multiplier);
    }
  }
  // Normally distributed, rounded for integral types; the same for the same seed.
  void FillRandom(const T& stddev, double mean = 0.0, int seed = 12345) {
    FillRandomDouble(static_cast<double>(stddev), mean, seed);
  }
  void FillRandomDouble(double stddev, double mean = 0.0, int seed = 12345) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> distribution(mean, stddev);
    for (T& element : *this) {
      const double value = distribution(generator);
      if constexpr (is_specialized_integral_v<T>) {
        element = static_cast<T>(std::round(value));
      } else {
        element = static_cast<T>(value);
      }
    }
  }
  // Uniformly distributed: in [min_value, max_value) for floating point, in [min_value, max_value]
  // for integers.
  void FillRandomUniform(const T& min_value, const T& max_value, int seed = 12345) {
    std::mt19937 generator(seed);
    if constexpr (is_specialized_integral_v<T>) {
      using Wide = std::conditional_t<std::numeric_limits<T>::is_signed, int64_t, uint64_t>;
      std::uniform_int_distribution<Wide> distribution(static_cast<Wide>(min_value),
                                                       static_cast<Wide>(max_value));
      for (T& element : *this) element = static_cast<T>(distribution(generator));
    } else {
      std::uniform_real_distribution<double> distribution(static_cast<double>(min_value),
                                                          static_cast<double>(max_value));
      for (T& element : *this) element = static_cast<T>(distribution(generator));
    }
  }
  void FillRandomBool(int seed = 12345) {
    std::mt19937 generator(seed);
    std::uniform_int_distribution<int32_t> distribution(0, 1);
    for (T& element : *this) element = static_cast<T>(distribution(generator) != 0);
  }
  // CHECKs that there are as many values as elements.
  template <typename Container = std::initializer_list<T>>
  void SetValues(const Container& container) {
    CHECK_EQ(static_cast<int64_t>(std::size(container)), num_elements_);
    std::transform(std::begin(container), std::end(container), begin(),
                   [](const auto& value) { return static_cast<T>(value); });
  }

  // Call f(index, element) in row-major order; EachStatus stops at the first error.
  void Each(absl::FunctionRef<void(absl::Span<const int64_t>, T*)> f) {
    Sizes index(sizes_.size(), 0);
    for (int64_t i = 0; i < num_elements_; ++i, Next(index)) f(index, &data()[i]);
  }
  void Each(absl::FunctionRef<void(absl::Span<const int64_t>, T)> f) const {
    Sizes index(sizes_.size(), 0);
    for (int64_t i = 0; i < num_elements_; ++i, Next(index)) f(index, data()[i]);
  }
  // The same for any callable, without an indirect call.
  template <typename Visitor>
  void TemplatedEach(Visitor&& f) {
    Sizes index(sizes_.size(), 0);
    for (int64_t i = 0; i < num_elements_; ++i, Next(index))
      f(absl::MakeConstSpan(index), &data()[i]);
  }
  template <typename Visitor>
  void TemplatedEach(Visitor&& f) const {
    Sizes index(sizes_.size(), 0);
    for (int64_t i = 0; i < num_elements_; ++i, Next(index))
      f(absl::MakeConstSpan(index), data()[i]);
  }
  absl::Status EachStatus(absl::FunctionRef<absl::Status(absl::Span<const int64_t>, T*)> f) {
    Sizes index(sizes_.size(), 0);
    for (int64_t i = 0; i < num_elements_; ++i, Next(index)) {
      if (absl::Status status = f(index, &data()[i]); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  absl::Status EachStatus(absl::FunctionRef<absl::Status(absl::Span<const int64_t>, T)> f) const {
    Sizes index(sizes_.size(), 0);
    for (int64_t i = 0; i < num_elements_; ++i, Next(index)) {
      if (absl::Status status = f(index, data()[i]); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  template <typename... Dims>
  std::enable_if_t<array_impl::pack_is_integral<Dims...>::value, const T&> operator()(
      Dims... dims) const {
    const std::array<int64_t, sizeof...(dims)> indexes{{static_cast<int64_t>(dims)...}};
    return data()[Offset(indexes)];
  }
  template <typename... Dims>
  std::enable_if_t<array_impl::pack_is_integral<Dims...>::value, T&> operator()(Dims... dims) {
    const std::array<int64_t, sizeof...(dims)> indexes{{static_cast<int64_t>(dims)...}};
    return data()[Offset(indexes)];
  }
  const T& operator()(absl::Span<const int64_t> indexes) const { return data()[Offset(indexes)]; }
  T& operator()(absl::Span<const int64_t> indexes) { return data()[Offset(indexes)]; }

  T* data() const { return values_.get(); }
  int64_t dim(int64_t n) const {
    CHECK(n >= 0 && n < num_dimensions());
    return sizes_[n];
  }
  absl::Span<const int64_t> dimensions() const { return sizes_; }
  int64_t num_dimensions() const { return sizes_.size(); }
  int64_t num_elements() const { return num_elements_; }

  const T* begin() const { return data(); }
  T* begin() { return data(); }
  const T* end() const { return data() + num_elements_; }
  T* end() { return data() + num_elements_; }

  // The elements with starts[i] <= index[i] < limits[i]. Outside of the array they are
  // out_of_bounds_value, without which that is CHECKed not to happen.
  Array<T> Slice(absl::Span<const int64_t> starts, absl::Span<const int64_t> limits,
                 std::optional<T> out_of_bounds_value = std::nullopt) const {
    CHECK(starts.size() == sizes_.size() && limits.size() == sizes_.size());
    Sizes sizes(sizes_.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      CHECK_LE(starts[i], limits[i]);
      CHECK(out_of_bounds_value.has_value() || (starts[i] >= 0 && limits[i] <= sizes_[i]));
      sizes[i] = limits[i] - starts[i];
    }
    const Sizes zeros(sizes.size(), 0);
    Array<T> result(sizes);
    result.Each([&](absl::Span<const int64_t> index, T* element) {
      Sizes source(index.begin(), index.end());
      for (size_t i = 0; i < source.size(); ++i) source[i] += starts[i];
      *element = array_impl::all_inside_range(source, zeros, sizes_) ? (*this)(source)
                                                                     : *out_of_bounds_value;
    });
    return result;
  }
  // Puts an array at start_indices; what would be outside is left out.
  void UpdateSlice(const Array<T>& from, absl::Span<const int64_t> start_indices) {
    CHECK(from.num_dimensions() == num_dimensions() && start_indices.size() == sizes_.size());
    const Sizes zeros(sizes_.size(), 0);
    from.Each([&](absl::Span<const int64_t> index, T value) {
      Sizes target(index.begin(), index.end());
      for (size_t i = 0; i < target.size(); ++i) target[i] += start_indices[i];
      if (array_impl::all_inside_range(target, zeros, sizes_)) (*this)(target) = value;
    });
  }
  // CHECKs that the number of elements stays.
  void Reshape(absl::Span<const int64_t> new_dimensions) {
    CHECK_EQ(Count(new_dimensions), num_elements_);
    sizes_ = Sizes(new_dimensions.begin(), new_dimensions.end());  // They may be part of sizes_.
  }
  // Dimension i becomes what was dimension permutation[i].
  void TransposeDimensions(absl::Span<const int64_t> permutation) {
    CHECK_EQ(permutation.size(), sizes_.size());
    Sizes permuted(sizes_.size());
    for (size_t i = 0; i < permuted.size(); ++i) permuted[i] = dim(permutation[i]);
    Array<T> result(permuted);
    Sizes source(sizes_.size());
    result.Each([&](absl::Span<const int64_t> index, T* element) {
      for (size_t i = 0; i < source.size(); ++i) source[permutation[i]] = index[i];
      *element = (*this)(source);
    });
    *this = std::move(result);
  }
  void TransposeDimensions(absl::Span<const int> permutation) {
    TransposeDimensions(std::vector<int64_t>(permutation.begin(), permutation.end()));
  }
  void TransposeDimensions(std::initializer_list<int> permutation) {
    TransposeDimensions(std::vector<int64_t>(permutation.begin(), permutation.end()));
  }

  // "[[1, 2],\n [3, 4]]"; "" for rank 0. An array without elements shows the brackets of one whose
  // empty dimensions have size 1.
  std::string ToString() const {
    std::string text;
    if (sizes_.empty()) return text;
    const T* next = data();
    AppendDimension(&text, 0, next);
    return text;
  }

  bool operator==(const Array<T>& other) const {
    return sizes_ == other.sizes_ && std::equal(begin(), end(), other.begin());
  }
  bool operator!=(const Array<T>& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const Array& array) {
    for (const T& element : array) h = H::combine(std::move(h), element);
    return H::combine(std::move(h), array.sizes_);
  }

 private:
  using Sizes = std::vector<int64_t>;

  static int64_t Count(absl::Span<const int64_t> sizes) {
    int64_t count = 1;
    for (int64_t size : sizes) {
      CHECK_GE(size, 0);
      CHECK(size == 0 || count <= std::numeric_limits<int64_t>::max() / size);
      count *= size;
    }
    return count;
  }

  template <typename List>
  static Sizes SizesOf2D(const List& values) {
    const size_t inner = values.size() == 0 ? 0 : values.begin()->size();
    return {static_cast<int64_t>(values.size()), static_cast<int64_t>(inner)};
  }
  template <typename List>
  static Sizes SizesOf3D(const List& values) {
    Sizes sizes = values.size() == 0 ? Sizes{0, 0} : SizesOf2D(*values.begin());
    sizes.insert(sizes.begin(), values.size());
    return sizes;
  }
  template <typename List>
  static Sizes SizesOf4D(const List& values) {
    Sizes sizes = values.size() == 0 ? Sizes{0, 0, 0} : SizesOf3D(*values.begin());
    sizes.insert(sizes.begin(), values.size());
    return sizes;
  }
  template <typename List>
  static void CopyList(const List& values, T*& next) {
    for (const auto& value : values) *next++ = static_cast<T>(value);
  }
  template <typename List>
  static void CopyList2D(const List& values, T*& next) {
    for (const auto& row : values) {
      CHECK_EQ(row.size(), values.begin()->size()) << "Rows differ in length.";
      CopyList(row, next);
    }
  }
  template <typename List>
  static void CopyList3D(const List& values, T*& next) {
    for (const auto& matrix : values) {
      CHECK(SizesOf2D(matrix) == SizesOf2D(*values.begin())) << "Matrices differ in size.";
      CopyList2D(matrix, next);
    }
  }
  template <typename List>
  static void CopyList4D(const List& values, T*& next) {
    for (const auto& block : values) {
      CHECK(SizesOf3D(block) == SizesOf3D(*values.begin())) << "Blocks differ in size.";
      CopyList3D(block, next);
    }
  }

  int64_t Offset(absl::Span<const int64_t> indexes) const {
    DCHECK_EQ(indexes.size(), sizes_.size());
    int64_t offset = 0;
    for (size_t i = 0; i < indexes.size(); ++i) {
      DCHECK(indexes[i] >= 0 && indexes[i] < sizes_[i]);
      offset = offset * sizes_[i] + indexes[i];
    }
    return offset;
  }
  void Next(Sizes& index) const {
    for (size_t i = index.size(); i > 0; --i) {
      if (++index[i - 1] < sizes_[i - 1]) return;
      index[i - 1] = 0;
    }
  }

  static void AppendElement(std::string* text, const T& element) {
    if constexpr (is_complex_v<T>) {
      absl::StrAppend(text, "(", element.real(), ", ", element.imag(), ")");
    } else if constexpr (std::is_same_v<T, bool>) {
      absl::StrAppend(text, element ? 1 : 0);
    } else if constexpr (std::is_arithmetic_v<T>) {
      absl::StrAppend(text, element);
    } else if constexpr (is_specialized_integral_v<T>) {
      absl::StrAppend(text, static_cast<int>(element));
    } else {
      absl::StrAppend(text, static_cast<float>(element));
    }
  }
  void AppendDimension(std::string* text, size_t dimension, const T*& next) const {
    const bool is_last = dimension + 1 == sizes_.size();
    text->append("[");
    for (int64_t i = 0; i < std::max<int64_t>(sizes_[dimension], 1); ++i) {
      if (i > 0) text->append(is_last ? ", " : ",\n" + std::string(dimension + 1, ' '));
      if (!is_last) {
        AppendDimension(text, dimension + 1, next);
      } else if (num_elements_ > 0) {
        AppendElement(text, *next++);
      }
    }
    text->append("]");
  }

  Sizes sizes_;
  int64_t num_elements_;
  std::unique_ptr<T[]> values_;
};

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_ARRAY_H_
