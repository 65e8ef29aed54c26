#include "cpu/kernels/matrix_tiles.h"

#include <cstring>

#include "cpu/kernels/vector_code.h"

namespace xla::cpu {
namespace {

template <typename T, int kBytes, int kRows, int kVectors>
HILO_INLINE void MultiplyTile(int64_t depth, const T* a, int64_t a_row, int64_t a_column,
                              const T* b, int64_t b_row, T* c, int64_t c_row, bool adds) {
  typedef T Vector __attribute__((vector_size(kBytes)));
  constexpr int kLanes = kBytes / sizeof(T);
  Vector sums[kRows][kVectors];
  HILO_UNROLL
  for (int r = 0; r < kRows; ++r) {
    HILO_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[r][v] = Vector{};
  }
  for (int64_t k = 0; k < depth; ++k) {
    Vector row[kVectors];
    HILO_UNROLL
    for (int v = 0; v < kVectors; ++v)
      std::memcpy(&row[v], b + k * b_row + v * kLanes, sizeof(Vector));
    HILO_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const Vector factor = a[r * a_row + k * a_column] - Vector{};
      HILO_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] += factor * row[v];
    }
  }
  HILO_UNROLL
  for (int r = 0; r < kRows; ++r) {
    HILO_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      T* place = c + r * c_row + v * kLanes;
      if (adds) {
        Vector before;
        std::memcpy(&before, place, sizeof(Vector));
        sums[r][v] += before;
      }
      std::memcpy(place, &sums[r][v], sizeof(Vector));
    }
  }
}

// One set of functions for each kind of processor.
#define HILO_TILES(name, bytes, most_vectors, ...)                                                \
  template <typename T>                                                                           \
  struct name {                                                                                   \
    template <int kRows, int kVectors>                                                            \
    __VA_ARGS__ static void Multiply(int64_t depth, const T* a, int64_t a_row, int64_t a_column,  \
                                     const T* b, int64_t b_row, T* c, int64_t c_row, bool adds) { \
      MultiplyTile<T, bytes, kRows, kVectors>(depth, a, a_row, a_column, b, b_row, c, c_row,      \
                                              adds);                                              \
    }                                                                                             \
    template <int kRows>                                                                          \
    static void SetRow(Tiles<T>& tiles) {                                                         \
      TileFunction<T>** row = tiles.function[kRows - 1];                                          \
      row[0] = Multiply<kRows, 1>;                                                                \
      row[1] = Multiply<kRows, 2>;                                                                \
      row[2] = Multiply < kRows, most_vectors < 3 ? 2 : 3 > ;                                     \
      row[3] = Multiply < kRows, most_vectors < 4 ? 2 : 4 > ;                                     \
    }                                                                                             \
    static Tiles<T> Make() {                                                                      \
      Tiles<T> tiles = {bytes / sizeof(T), most_vectors, {}};                                     \
      SetRow<1>(tiles), SetRow<2>(tiles), SetRow<3>(tiles);                                       \
      SetRow<4>(tiles), SetRow<5>(tiles), SetRow<6>(tiles);                                       \
      return tiles;                                                                               \
    }                                                                                             \
  };

HILO_TILES(PlainTiles, 16, 2)
#if defined(__x86_64__)
HILO_TILES(Avx2Tiles, 32, 2, HILO_AVX2)
HILO_TILES(Avx512Tiles, 64, 4, HILO_AVX512)
#endif
#undef HILO_TILES

template <typename T>
Tiles<T> Choose() {
#if defined(__x86_64__)
  if (VectorBytesOfHost() == 64) return Avx512Tiles<T>::Make();
  if (VectorBytesOfHost() == 32) return Avx2Tiles<T>::Make();
#endif
  return PlainTiles<T>::Make();
}

}  // namespace

template <typename T>
const Tiles<T>& TilesOfHost() {
  static const Tiles<T> tiles = Choose<T>();
  return tiles;
}

template const Tiles<float>& TilesOfHost<float>();
template const Tiles<double>& TilesOfHost<double>();
template const Tiles<uint32_t>& TilesOfHost<uint32_t>();
template const Tiles<uint64_t>& TilesOfHost<uint64_t>();

}  // namespace xla::cpu
