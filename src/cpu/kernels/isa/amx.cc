// The functions of AVX-512 with instructions for narrow numbers, and products of whole panels of
// these in tile registers (AMX: Intel 64 and IA-32 Architectures Software Developer's Manual,
// volume 1, chapter 18).
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "cpu/kernels/isa/function_table.h"
#include "cpu/kernels/isa/vector_code.h"

#define HILO_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,amx-tile")))

namespace xla::cpu::amx {
namespace {

// A tile register has so many rows of so many elements of 32 bits.
constexpr int kTileRegisterRows = 16, kLanes = 16;
constexpr int64_t kRowBytes = 64;
// Of the eight registers, four hold sums; then come those of a and those of b.
constexpr int kSums = 4, kFirstA = 4, kRegisters = 8;
// Columns of a panel.
constexpr int64_t kWidth = kTileVectors * kLanes;

template <int kTile>
HILO_TARGET HILO_INLINE void LoadTile(const void* from, int64_t row_bytes) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(row_bytes), "i"(kTile) : "memory");
}
template <int kTile>
HILO_TARGET HILO_INLINE void StoreTile(void* to, int64_t row_bytes) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(row_bytes), "i"(kTile) : "memory");
}
template <int kTile>
HILO_TARGET HILO_INLINE void ClearTile() {
  asm volatile("tilezero %%tmm%c0" ::"i"(kTile));
}

// What is added to each sum of a tile: products of pairs of bfloat16, or of fours of bytes.
#define HILO_TILE_PRODUCT(Name, instruction)                                                   \
  struct Name {                                                                                \
    template <int kSum, int kA, int kB>                                                        \
    HILO_INLINE static void Add() {                                                            \
      asm volatile(instruction " %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kA), "i"(kB)); \
    }                                                                                          \
  }
HILO_TILE_PRODUCT(RealPairs, "tdpbf16ps");
HILO_TILE_PRODUCT(UnsignedUnsigned, "tdpbuud");
HILO_TILE_PRODUCT(UnsignedSigned, "tdpbusd");
HILO_TILE_PRODUCT(SignedUnsigned, "tdpbsud");
HILO_TILE_PRODUCT(SignedSigned, "tdpbssd");
#undef HILO_TILE_PRODUCT

struct alignas(64) TileShapes {
  uint8_t palette = 1, first_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// For so many rows, of which some are in a second tile where they are more than one holds.
HILO_TARGET void SetShapes(int64_t rows) {
  TileShapes shapes;
  std::fill_n(shapes.row_bytes, kRegisters, static_cast<uint16_t>(kRowBytes));
  std::fill_n(shapes.rows, kRegisters, static_cast<uint8_t>(kTileRegisterRows));
  const bool has_two = rows > kTileRegisterRows;
  const auto last = static_cast<uint8_t>(has_two ? rows - kTileRegisterRows : rows);
  std::fill(shapes.rows + (has_two ? kSums / 2 : 0), shapes.rows + kSums, last);
  shapes.rows[kFirstA + has_two] = last;
  asm volatile("ldtilecfg %0" ::"m"(shapes));
}

// Rows of one side from some depth on, `row` elements apart.
template <typename T>
struct Side {
  const T* data;
  int64_t row;
};

// Sums of kRowTiles x kColumnTiles tiles.
template <typename Products, typename T, int kRowTiles, int kColumnTiles>
class Block {
 public:
  // c = (adds ? c : 0) + a b, where the last part of the depth, if it is shorter than a tile, is
  // that of the rests.
  HILO_TARGET static void Multiply(int64_t depth, Side<T> a, Side<T> b, Side<T> a_rest,
                                   Side<T> b_rest, T* c, int64_t c_row, bool adds) {
    if (adds) {
      Load(c, c_row, kSumTiles);
    } else {
      Clear(kSumTiles);
    }
    int64_t k = 0;
    for (; k + kLanes <= depth; k += kLanes)
      Add({a.data + k, a.row}, {b.data + k * b.row, b.row}, kARows, kBColumns);
    if (k < depth) Add(a_rest, b_rest, kARows, kBColumns);
    Store(c, c_row, kSumTiles);
  }

 private:
  static constexpr auto kSumTiles = std::make_index_sequence<kRowTiles * kColumnTiles>();
  static constexpr auto kARows = std::make_index_sequence<kRowTiles>();
  static constexpr auto kBColumns = std::make_index_sequence<kColumnTiles>();
  // Each row of tiles has half of the sums, where there are two.
  static constexpr int SumOf(size_t row, size_t column) {
    return static_cast<int>(row * kSums / kRowTiles + column);
  }
  template <size_t kTile>
  static constexpr int kSumOf = SumOf(kTile / kColumnTiles, kTile % kColumnTiles);
  static constexpr int kFirstB = kFirstA + kRowTiles, kBRegisters = kRegisters - kFirstB;

  template <size_t... kTile>
  HILO_TARGET HILO_INLINE static void Clear(std::index_sequence<kTile...>) {
    (ClearTile<kSumOf<kTile>>(), ...);
  }
  template <size_t... kTile>
  HILO_TARGET HILO_INLINE static void Load(const T* c, int64_t c_row,
                                           std::index_sequence<kTile...>) {
    (LoadTile<kSumOf<kTile>>(c + Place(kTile, c_row), c_row * sizeof(T)), ...);
  }
  template <size_t... kTile>
  HILO_TARGET HILO_INLINE static void Store(T* c, int64_t c_row, std::index_sequence<kTile...>) {
    (StoreTile<kSumOf<kTile>>(c + Place(kTile, c_row), c_row * sizeof(T)), ...);
  }
  static int64_t Place(size_t tile, int64_t c_row) {
    return tile / kColumnTiles * kTileRegisterRows * c_row + tile % kColumnTiles * kLanes;
  }

  template <size_t... kRow, size_t... kColumn>
  HILO_TARGET HILO_INLINE static void Add(Side<T> a, Side<T> b, std::index_sequence<kRow...> rows,
                                          std::index_sequence<kColumn...>) {
    (LoadTile<kFirstA + kRow>(a.data + kRow * kTileRegisterRows * a.row, a.row * sizeof(T)), ...);
    (AddColumn<kColumn>(b, rows), ...);
  }
  template <size_t kColumn, size_t... kRow>
  HILO_TARGET HILO_INLINE static void AddColumn(Side<T> b, std::index_sequence<kRow...>) {
    constexpr int kB = kFirstB + kColumn % kBRegisters;
    LoadTile<kB>(b.data + kColumn * kLanes, b.row * sizeof(T));
    (Products::template Add<SumOf(kRow, kColumn), kFirstA + kRow, kB>(), ...);
  }
};

// Blocks by column tiles, less one: of one tile of rows, and of two.
template <typename Products, typename T>
constexpr decltype(&Block<Products, T, 1, 1>::Multiply) kBlocks[2][kTileVectors] = {
    {Block<Products, T, 1, 1>::Multiply, Block<Products, T, 1, 2>::Multiply,
     Block<Products, T, 1, 3>::Multiply, Block<Products, T, 1, 4>::Multiply},
    {Block<Products, T, 2, 1>::Multiply, Block<Products, T, 2, 2>::Multiply}};

// Up to two tiles of rows of a panel.
template <typename Products, typename T>
HILO_TARGET void MultiplyRows(int64_t rows, int64_t columns, int64_t depth, Side<T> a, Side<T> b,
                              Side<T> b_rest, T* c, int64_t c_row, bool adds) {
  const int64_t whole = depth / kLanes * kLanes;
  alignas(64) T a_rest[2 * kTileRegisterRows * kLanes];
  for (int64_t r = 0; r < rows && whole < depth; ++r) {
    const auto lanes = static_cast<__mmask16>((1 << (depth - whole)) - 1);
    _mm512_store_si512(a_rest + r * kLanes,
                       _mm512_maskz_loadu_epi32(lanes, a.data + r * a.row + whole));
  }
  const int row_tiles = rows > kTileRegisterRows ? 2 : 1;
  const int64_t most_columns = kSums / row_tiles * kLanes;
  for (int64_t j = 0; j < columns; j += most_columns) {
    const int64_t wide = std::min(columns - j, most_columns);
    const int64_t tiles = (wide + kLanes - 1) / kLanes;
    kBlocks<Products, T>[row_tiles - 1][tiles - 1](depth, a, {b.data + j, b.row}, {a_rest, kLanes},
                                                   {b_rest.data + j, b_rest.row}, c + j, c_row,
                                                   adds);
  }
}

template <typename Products, typename T>
HILO_TARGET void MultiplyPanel(int64_t rows, int64_t columns, int64_t depth, const T* a,
                               int64_t a_row, const T* b, T* c, int64_t c_row, bool adds) {
  constexpr int64_t kMostRows = 2 * kTileRegisterRows;
  const int64_t whole = depth / kLanes * kLanes;
  alignas(64) T b_rest[kLanes * kWidth];
  if (whole < depth) {
    T* const last = std::copy(b + whole * kWidth, b + depth * kWidth, b_rest);
    std::fill(last, std::end(b_rest), T(0));
  }
  alignas(64) T edge[kMostRows * kWidth];
  const bool has_edge = columns % kLanes != 0;
  int64_t shaped = 0;
  for (int64_t r = 0; r < rows; r += kMostRows) {
    const int64_t some = std::min(rows - r, kMostRows);
    if (some != shaped) SetShapes(some);
    shaped = some;
    T* const target = c + r * c_row;
    for (int64_t i = 0; i < some && has_edge && adds; ++i)
      std::copy_n(target + i * c_row, columns, edge + i * kWidth);
    MultiplyRows<Products, T>(some, columns, depth, {a + r * a_row, a_row}, {b, kWidth},
                              {b_rest, kWidth}, has_edge ? edge : target, has_edge ? kWidth : c_row,
                              adds);
    for (int64_t i = 0; i < some && has_edge; ++i)
      std::copy_n(edge + i * kWidth, columns, target + i * c_row);
  }
  asm volatile("tilerelease");
}

}  // namespace

FunctionTable MakeTable() {
  FunctionTable table = avx512_narrow::MakeTable();
  std::get<Tiles<float>>(table).pair_panel_function = MultiplyPanel<RealPairs, float>;
  auto& bytes = std::get<Tiles<uint32_t>>(table).quad_panel_function;
  bytes[0][0] = MultiplyPanel<UnsignedUnsigned, uint32_t>;
  bytes[0][1] = MultiplyPanel<UnsignedSigned, uint32_t>;
  bytes[1][0] = MultiplyPanel<SignedUnsigned, uint32_t>;
  bytes[1][1] = MultiplyPanel<SignedSigned, uint32_t>;
  return table;
}

}  // namespace xla::cpu::amx

#undef HILO_TARGET
#endif
