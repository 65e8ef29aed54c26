// Three-dimensional dense arrays.
#ifndef HILO_INCLUDE_XLA_ARRAY3D_H_
#define HILO_INCLUDE_XLA_ARRAY3D_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "xla/array.h"

namespace xla {

template <typename T>
class Array3D : public Array<T> {
 public:
  Array3D() : Array3D(0, 0, 0) {}
  Array3D(const int64_t n1, const int64_t n2, const int64_t n3)
      : Array<T>(std::vector<int64_t>{n1, n2, n3}) {}
  Array3D(const int64_t n1, const int64_t n2, const int64_t n3, const T value)
      : Array<T>(std::vector<int64_t>{n1, n2, n3}, value) {}
  Array3D(std::initializer_list<std::initializer_list<std::initializer_list<T>>> values)
      : Array<T>(values) {}
  template <typename T2, array_impl::overload_for_float<T, T2> = true>
  Array3D(std::initializer_list<std::initializer_list<std::initializer_list<T2>>> values)
      : Array<T>(values) {}

  int64_t n1() const { return this->dim(0); }
  int64_t n2() const { return this->dim(1); }
  int64_t n3() const { return this->dim(2); }

  // start_value, start_value + 1, ... in row-major order.
  void FillUnique(T start_value = T(0)) { this->FillIota(start_value); }
};

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_ARRAY3D_H_
