// The innermost loops of matrix products: tiles of the result in vector registers.
#ifndef HILO_CPU_KERNELS_MATRIX_TILES_H_
#define HILO_CPU_KERNELS_MATRIX_TILES_H_

#include <cstdint>
#include <type_traits>

#include "absl/types/span.h"
#include "codegen/target.h"

namespace xla::cpu {

// Tiles have up to kTileRows rows; wider ones would need more registers than there are.
inline constexpr int kTileRows = 6;
inline constexpr int kTileVectors = 4;
// Tiles of so few rows take less time than their rows of b take to come from memory, which they
// ask for ahead: processors do not foresee rows that are far apart.
inline constexpr int kRowsThatWait = 4;
inline constexpr int64_t kRowsAhead = 24;

inline constexpr int kDotRows = 4, kDotColumns = 4;
inline constexpr int kLeastColumnsOfRowDots = 8;

// Columns that are sorted at once.
inline constexpr int64_t kSortedTogether = 64;
struct RowPair {
  uint8_t first, second;
};

// c[r, j] = (adds ? c[r, j] : 0) + sum over k of a[r, k] * b[k, j], where neighbours in a row of b
// and c are neighbours in memory; rows of b are `b_row` bytes apart. The last vector of each row
// has `tail` elements, which must be all of them where functions take no tails.
template <typename T>
using TileFunction = void(int64_t depth, const T* a, int64_t a_row, int64_t a_column, const char* b,
                          int64_t b_row, T* c, int64_t c_row, int64_t tail, bool adds);

// The same where the rows of a lie in memory in runs of `depth` neighbours: number t of row r is at
// a[t * a_run + r]. Rows of b go on from run to run.
template <typename T>
using RunsFunction = void(int64_t runs, int64_t depth, const T* const* a, int64_t a_run,
                          const char* b, int64_t b_row, T* c, int64_t c_row, int64_t tail,
                          bool adds);

// The same where element (r, k) of a is at a[r][places[k]].
template <typename T>
using ScatteredFunction = void(int64_t depth, const T* const* a, const int64_t* places,
                               const char* b, int64_t b_row, T* c, int64_t c_row, int64_t tail,
                               bool adds);

// The same where row k of b is `places[k]` bytes behind b; all vectors are whole.
template <typename T>
using PlacesFunction = void(int64_t depth, const T* a, int64_t a_row, int64_t a_column,
                            const char* b, const int64_t* places, T* c, int64_t c_row, bool adds);

// c[r, j] += sum over k of a[r][a_places[k] + j] * b[b_places[k] + j] for j < count, which is not
// more than the lanes of a vector. Rows of c have whole vectors.
template <typename T>
using LaneFunction = void(int64_t depth, const T* const* a, const int64_t* a_places, const T* b,
                          const int64_t* b_places, int64_t count, T* c, int64_t c_row);

// c[r, j] = (adds ? c[r, j] : 0) + sum over k of a[r, k] * b[j, k], where elements along k are
// adjacent in memory and columns of b are `b_column` bytes apart.
template <typename T>
using DotFunction = void(int64_t depth, const T* a, int64_t a_row, const char* b, int64_t b_column,
                         T* c, int64_t c_row, bool adds);

// The same of one row and any number of columns, every one of which is added in the same order.
template <typename T>
using RowDotsFunction = void(int64_t columns, int64_t depth, const T* a, const char* b,
                             int64_t b_column, T* c, bool adds);

// The same where the rows of a lie in memory in runs of `depth` neighbours, as for RunsFunction.
template <typename T>
using DotRunsFunction = void(int64_t runs, int64_t depth, const T* const* a, int64_t a_run,
                             const T* b, int64_t b_column, T* c, int64_t c_row, bool adds);

// c[r, j] = (adds ? c[r, j] : 0) + sum over k of a[r, k] * b[k, j] for all rows of a block and
// j < columns of a panel, where elements along k of a are adjacent in memory and rows of b are as
// many elements apart as a panel has columns.
template <typename T>
using PanelFunction = void(int64_t rows, int64_t columns, int64_t depth, const T* a, int64_t a_row,
                           const T* b, T* c, int64_t c_row, bool adds);

// So many streams of memory a processor foresees, and their rows fit into its registers.
inline constexpr int kStreams = 8;

// c[r, j] += sum over streams s and k < depth of a[k, r, s] * b[s, k, j] for j < columns, where all
// elements of a are adjacent, rows of b are `b_row` bytes apart and streams `b_stream` bytes. Rows
// of c have whole vectors.
template <typename T>
using StreamsFunction = void(int64_t depth, int64_t rows, const T* a, const char* b, int64_t b_row,
                             int64_t b_stream, int64_t columns, T* c, int64_t c_row);

// sums[j] += sum over k < rows of a[k * a_column] * b[k, j] for j < count, where rows of b are
// `b_row` bytes apart.
template <typename T>
using AddRowsFunction = void(int64_t rows, const T* a, int64_t a_column, const char* b,
                             int64_t b_row, int64_t count, T* sums);

// Numbers of b that functions widen where they read them.
enum NarrowNumbers { kOfBfloat16, kOfHalves, kOfSignedBytes, kOfUnsignedBytes, kNarrowNumbers };

// Those functions of Tiles that there are for such numbers. Null where T is not float, and of F16
// where there are no instructions for it.
template <typename T>
struct WideningTiles {
  TileFunction<T>* function[kTileRows][kTileVectors] = {};
  DotFunction<T>* dot_function[kDotRows][2] = {};
  RowDotsFunction<T>* row_dots_function = nullptr;
  StreamsFunction<T>*multiply_stream = nullptr, *multiply_streams = nullptr;
  AddRowsFunction<T>* add_rows = nullptr;
};

// What processors with an instruction set multiply fastest.
template <typename T>
struct Tiles {
  int lanes;       // elements in a vector
  int vectors;     // in a row of the widest tile
  bool has_masks;  // vectors of all functions may have tails,
  bool has_tails;  // or those of `function`
  int dot_rows;    // of so many sums stay in registers, with kDotColumns columns
  TileFunction<T>* function[kTileRows][kTileVectors] = {};  // by rows and vectors, less one

  // The same where each element of a and b is a pair of numbers of 16 bits, of which the first is
  // the lower one: the products of both are added. They are bfloat16 where T is float and signed
  // integers where it is uint32_t. Null where there are no such instructions.
  TileFunction<T>* pair_function[kTileRows][kTileVectors] = {};
  // The same where each element is four numbers of 8 bits, by whether those of a are signed; those
  // of b are where those of a are not.
  TileFunction<T>* quad_function[2][kTileRows][kTileVectors] = {};
  // Where the processor has tile registers, pairs and quads, the latter by whether those of a and
  // those of b are signed; else null.
  PanelFunction<T>* pair_panel_function = nullptr;
  PanelFunction<T>* quad_panel_function[2][2] = {};
  // Null where T is an integer.
  RunsFunction<T>* runs_function[kTileRows][kTileVectors] = {};
  ScatteredFunction<T>* scattered_function[kTileRows][kTileVectors] = {};
  // Null where T is an integer.
  PlacesFunction<T>* places_function[kTileRows][kTileVectors] = {};
  LaneFunction<T>* lane_function[kTileRows] = {};
  // By rows, less one, and for one or for kDotColumns columns.
  DotFunction<T>* dot_function[kDotRows][2] = {};
  DotFunction<T>* pair_dot_function[kDotRows][2] = {};
  // By whether columns of b are whole cache lines apart.
  RowDotsFunction<T>* row_dots_function[2] = {};
  // By rows and columns, less one. Null where T is an integer.
  DotRunsFunction<T>* dot_runs_function[kDotRows][kDotColumns] = {};
  // By whether numbers of a are signed and whether those of b have the other sign first.
  DotFunction<T>* quad_dot_function[2][2][kDotRows][2] = {};
  WideningTiles<T> widening[kNarrowNumbers] = {};
  // Of one stream and of kStreams. Null where T is an integer.
  StreamsFunction<T>*multiply_stream = nullptr, *multiply_streams = nullptr;
  // to[j] = the pair of even[j] and odd[j], for j < columns().
  void (*join_pairs)(const uint16_t* even, const uint16_t* odd, T* to) = nullptr;
  // The same of numbers of 8 bits, by whether they are signed. Null where T is not uint32_t.
  void (*join_byte_pairs[2])(const uint8_t* even, const uint8_t* odd, T* to) = {};

  // to[k, j] = the four of from[4 k + i, j] for i < 4, all bits of which that `flips` has are
  // flipped, for j < columns(). Rows of `from` are `from_row` bytes apart.
  void (*join_quads)(int64_t depth, const uint8_t* from, int64_t from_row, uint8_t flips,
                     T* to) = nullptr;

  // to[j, i] = from[i, j] for i, j < 4; null where T has not 32 bits.
  void (*transpose)(const T* from, int64_t from_row, T* to, int64_t to_row) = nullptr;

  // Of 16-bit floats; null where there are no such instructions.
  void (*round_to_bfloat16)(const float* from, int64_t count, uint16_t* to) = nullptr;
  void (*round_to_half)(const float* from, int64_t count, uint16_t* to) = nullptr;
  void (*widen_bfloat16)(const uint16_t* from, int64_t count, float* to) = nullptr;
  void (*widen_half)(const uint16_t* from, int64_t count, float* to) = nullptr;

  // to[k, j] = from[k, j] for j < columns and zero from there to columns(), where rows of `from`
  // are `from_row` elements apart.
  void (*copy_panel)(int64_t depth, const T* from, int64_t from_row, int64_t columns,
                     T* to) = nullptr;

  // to[i] = from[i] where first <= i < last and zero elsewhere, for i < count. Null where vectors
  // have no masks.
  void (*copy_within)(const T* from, int64_t first, int64_t last, int64_t count, T* to) = nullptr;
  // Copies runs of so many elements; null with it.
  void (*copy_runs)(const T* from, int64_t from_stride, int64_t runs, int64_t length, T* to,
                    int64_t to_stride) = nullptr;

  AddRowsFunction<T>* add_rows = nullptr;

  // c[j] = (adds ? c[j] : 0) + sum over k < depth of a[k * a_column] * b[k, j] for all elements of
  // so many vectors, where row k of b is `places[k]` bytes behind b: more vectors at a time than
  // tiles have, of which one row has too few dependence chains. Null where T is an integer.
  void (*multiply_row_at_places)(int64_t depth, const T* a, int64_t a_column, const char* b,
                                 const int64_t* places, int64_t vectors, T* c, bool adds) = nullptr;

  // Rows of kSortedTogether elements: of each pair of rows, in this order, the first one gets the
  // smaller elements and the second one the larger ones. Null where T is real, and where there are
  // no instructions for it.
  void (*order_rows)(absl::Span<const RowPair> pairs, T* rows) = nullptr;
  // The same where an element is a number in `rows` and then one in `places`. Null where T has not
  // 64 bits, too.
  void (*order_rows_and_places)(absl::Span<const RowPair> pairs, T* rows, T* places) = nullptr;

  // Complex numbers x[i] + i y[i] of complex x and y, for i < count. Null for integers.
  void (*add_turned)(int64_t count, const T* x, const T* y, T* sums) = nullptr;

  // sums[i] += factor * x[i], sums[i] += factors[i] * x[i]
  void (*add_scaled)(int64_t count, T factor, const T* x, T* sums) = nullptr;
  void (*add_products)(int64_t count, const T* factors, const T* x, T* sums) = nullptr;

  int columns() const { return lanes * vectors; }
};

// T is float, double, uint32_t or uint64_t: integers wrap around.
template <typename T>
const Tiles<T>& TilesOf(codegen::InstructionSet set);

// Calls function(known) where known() is `set` as a constant, for functions that differ by it.
template <typename Function>
auto ForInstructionSet(codegen::InstructionSet set, const Function& function) {
  using codegen::InstructionSet;
  switch (set) {
    case InstructionSet::kAvx2:
      return function(std::integral_constant<InstructionSet, InstructionSet::kAvx2>());
    case InstructionSet::kAvx512:
      return function(std::integral_constant<InstructionSet, InstructionSet::kAvx512>());
    case InstructionSet::kAvx512Narrow:
    case InstructionSet::kAmx:
      return function(std::integral_constant<InstructionSet, InstructionSet::kAvx512Narrow>());
    case InstructionSet::kNeon:
      return function(std::integral_constant<InstructionSet, InstructionSet::kNeon>());
    case InstructionSet::kGeneric:
      break;
  }
  return function(std::integral_constant<InstructionSet, InstructionSet::kGeneric>());
}

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_MATRIX_TILES_H_
