// Two-dimensional dense arrays.
#ifndef HILO_INCLUDE_XLA_ARRAY2D_H_
#define HILO_INCLUDE_XLA_ARRAY2D_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/util.h"

namespace xla {

template <typename T>
class Array2D : public Array<T> {
 public:
  Array2D() : Array2D(0, 0) {}
  Array2D(const int64_t n1, const int64_t n2) : Array<T>(std::vector<int64_t>{n1, n2}) {}
  Array2D(const int64_t n1, const int64_t n2, const T value)
      : Array<T>(std::vector<int64_t>{n1, n2}, value) {}
  Array2D(std::initializer_list<std::initializer_list<T>> values) : Array<T>(values) {}
  template <typename T2, array_impl::overload_for_float<T, T2> = true>
  Array2D(std::initializer_list<std::initializer_list<T2>> values) : Array<T>(values) {}

  int64_t n1() const { return this->dim(0); }
  int64_t n2() const { return this->dim(1); }
  int64_t height() const { return this->dim(0); }
  int64_t width() const { return this->dim(1); }

  // Element (i, j) becomes start_value plus the number whose low bits, as many as column numbers
  // need, are j and whose other bits are i.
  void FillUnique(T start_value = T(0)) {
    const int column_bits = Log2Ceiling(static_cast<uint64_t>(n2()));
    Each([&](int64_t i, int64_t j, T* element) {
      *element = static_cast<T>(static_cast<T>((i << column_bits) | j) + start_value);
    });
  }

  // Calls f(row, column, element) in row-major order.
  using Array<T>::Each;
  void Each(absl::FunctionRef<void(int64_t, int64_t, T*)> f) {
    for (int64_t i = 0; i < n1(); ++i) {
      for (int64_t j = 0; j < n2(); ++j) f(i, j, &(*this)(i, j));
    }
  }
};

// n1 x n2 numbers that go in equal steps from `from` to `to`, both included, in row-major order.
template <typename NativeT = float>
std::unique_ptr<Array2D<NativeT>> MakeLinspaceArray2D(double from, double to, int64_t n1,
                                                      int64_t n2) {
  auto array = std::make_unique<Array2D<NativeT>>(n1, n2);
  const int64_t count = array->num_elements();
  const double step = count > 1 ? (to - from) / (count - 1) : 0.0;
  for (int64_t i = 0; i < count; ++i) {
    array->data()[i] = static_cast<NativeT>(count > 1 && i == count - 1 ? to : from + i * step);
  }
  return array;
}

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_ARRAY2D_H_
