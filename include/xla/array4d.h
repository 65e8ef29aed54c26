// Four-dimensional dense arrays; the dimensions are called planes, depth, height and width.
#ifndef HILO_INCLUDE_XLA_ARRAY4D_H_
#define HILO_INCLUDE_XLA_ARRAY4D_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/log/check.h"
#include "xla/array.h"
#include "xla/array2d.h"

namespace xla {

template <typename T>
class Array4D : public Array<T> {
 public:
  Array4D() : Array4D(0, 0, 0, 0) {}
  Array4D(int64_t planes, int64_t depth, int64_t height, int64_t width)
      : Array<T>(std::vector<int64_t>{planes, depth, height, width}) {}
  Array4D(int64_t planes, int64_t depth, int64_t height, int64_t width, T value)
      : Array<T>(std::vector<int64_t>{planes, depth, height, width}, value) {}
  // CHECKs that there are as many values as elements.
  template <typename Container = std::initializer_list<T>,
            typename = decltype(std::begin(std::declval<const Container&>()))>
  Array4D(int64_t planes, int64_t depth, int64_t height, int64_t width, const Container& values)
      : Array4D(planes, depth, height, width) {
    this->SetValues(values);
  }
  Array4D(
      std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>>
          values)
      : Array<T>(values) {}
  template <typename T2, array_impl::overload_for_float<T, T2> = true>
  Array4D(
      std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T2>>>>
          values)
      : Array<T>(values) {}

  int64_t n1() const { return this->dim(0); }
  int64_t n2() const { return this->dim(1); }
  int64_t n3() const { return this->dim(2); }
  int64_t n4() const { return this->dim(3); }

  int64_t planes() const { return this->dim(0); }
  int64_t depth() const { return this->dim(1); }
  int64_t height() const { return this->dim(2); }
  int64_t width() const { return this->dim(3); }

  // Fill with copies of a height x width, depth x height or planes x depth array.
  void FillWithYX(const Array2D<T>& value) {
    CHECK(value.height() == height() && value.width() == width());
    FillFrom([&](absl::Span<const int64_t> index) { return value(index[2], index[3]); });
  }
  void FillWithZY(const Array2D<T>& value) {
    CHECK(value.height() == depth() && value.width() == height());
    FillFrom([&](absl::Span<const int64_t> index) { return value(index[1], index[2]); });
  }
  void FillWithPZ(const Array2D<T>& value) {
    CHECK(value.height() == planes() && value.width() == depth());
    FillFrom([&](absl::Span<const int64_t> index) { return value(index[0], index[1]); });
  }
  // Each element becomes height index * width + width index.
  void FillWithMinorDimNum() {
    FillFrom([&](absl::Span<const int64_t> index) {
      return static_cast<T>(index[2] * width() + index[3]);
    });
  }

 private:
  void FillFrom(absl::FunctionRef<T(absl::Span<const int64_t>)> value_at) {
    this->Each([&](absl::Span<const int64_t> index, T* element) { *element = value_at(index); });
  }
};

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_ARRAY4D_H_
