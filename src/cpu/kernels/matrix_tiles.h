// The innermost loops of matrix products: tiles of the result in vector registers.
#ifndef HILO_CPU_KERNELS_MATRIX_TILES_H_
#define HILO_CPU_KERNELS_MATRIX_TILES_H_

#include <cstdint>

namespace xla::cpu {

// Tiles have up to kTileRows rows; wider ones would need more registers than there are.
inline constexpr int kTileRows = 6;
inline constexpr int kTileVectors = 4;

// c[r, j] = (adds ? c[r, j] : 0) + sum over k of a[r, k] * b[k, j], where neighbours in a row of b
// and c are neighbours in memory.
template <typename T>
using TileFunction = void(int64_t depth, const T* a, int64_t a_row, int64_t a_column, const T* b,
                          int64_t b_row, T* c, int64_t c_row, bool adds);

// What this processor multiplies fastest.
template <typename T>
struct Tiles {
  int lanes;                                           // elements in a vector
  int vectors;                                         // in a row of the widest tile
  TileFunction<T>* function[kTileRows][kTileVectors];  // by rows and vectors, less one

  int columns() const { return lanes * vectors; }
};

// T is float, double, uint32_t or uint64_t: integers wrap around.
template <typename T>
const Tiles<T>& TilesOfHost();

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_MATRIX_TILES_H_
