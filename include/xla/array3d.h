// Three-dimensional dense arrays.
#ifndef HILO_INCLUDE_XLA_ARRAY3D_H_
#define HILO_INCLUDE_XLA_ARRAY3D_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/util.h"

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

  // Element (i, j, k) becomes start_value plus the number whose low bits, as many as the numbers of
  // the last dimension need, are k, with the bits of j and of i above them.
  void FillUnique(T start_value = T(0)) {
    const int row_bits = Log2Ceiling(static_cast<uint64_t>(n2()));
    const int column_bits = Log2Ceiling(static_cast<uint64_t>(n3()));
    this->Each([&](absl::Span<const int64_t> index, T* element) {
      const int64_t number = (((index[0] << row_bits) | index[1]) << column_bits) | index[2];
      *element = static_cast<T>(static_cast<T>(number) + start_value);
    });
  }
};

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_ARRAY3D_H_
