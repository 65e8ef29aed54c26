// The two sides of a contraction as tiles read them: rows of the left side, panels of columns of
// the right one.
#ifndef HILO_CPU_KERNELS_MATRIX_SIDES_H_
#define HILO_CPU_KERNELS_MATRIX_SIDES_H_

#include <algorithm>
#include <complex>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "cpu/kernels/contraction.h"
#include "cpu/kernels/gather.h"
#include "cpu/kernels/matrix_tiles.h"

namespace xla::cpu {

enum class Form {
  kPlain,
  // A row (x, y) of the left side times a column (u, v) of the right side is the row of reals x, y
  // times the columns u, -v and v, u.
  kComplex,
  // The same where few rows meet a right side that is read in place. Its parts are columns, and all
  // real parts of the rows that are read at once are rows before their imaginary ones: each pair of
  // rows then has the four products of which results are made.
  kPartsAsRows,
  // Where the depth of that right side lies in memory in order: its parts are neighbours along the
  // depth, and rows of the left side are x, -y and, behind all of those, y, x.
  kPartsAlongDepth,
  // Numbers of 16 bits, two of them as one element.
  kPairs,
  // Numbers of 8 bits, four of them as one element. Those of one side must be signed and those of
  // the other one not: where both sides are alike, the sign bits of the right one are flipped, and
  // sums are wrong by a multiple of the sum of the left row.
  kQuads,
  // Like plain, with a right side of narrow numbers that tiles widen as they read it.
  kWidened,
};

// The form in which a contraction of numbers that Gatherer knows is multiplied fastest.
template <typename T>
Form FormOf(const Contraction& contraction, bool is_complex);

// What reads the right side of a contraction in T and widens its numbers; null where nothing does.
template <typename T>
const WideningTiles<T>* WideningTilesOf(const Contraction& contraction);

// Whether the left side, which has bounds, is read in runs along the depth that seldom reach over
// one.
bool HasWholeRuns(const Contraction& contraction);

// Whether few rows of floats meet a right side whose depth lies in memory in order and is long
// enough for vectors along it, which is faster than with sides exchanged.
bool HasSumsAlongDepth(const Contraction& contraction);

// Blocks of not more rows are multiplied faster than a right side is copied.
inline constexpr int64_t kRowsInPlace = 2 * kTileRows;

// T is what sums are made in.
template <typename T>
class MatrixSides {
 public:
  // A contraction of complex numbers has complex operands of T, one of pairs operands that
  // Gatherer<uint16_t> knows.
  MatrixSides(Contraction contraction, Form form);

  // What has the result: that of complex numbers as elements of T in the first form.
  const Contraction& contraction() const { return contraction_; }
  // Of what tiles multiply: parts of complex numbers and pairs as elements of T.
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t depth() const { return depth_; }

  struct View {
    const T* data;
    int64_t row, column;  // strides
  };

  // What multiplies rows of the left side with whole panels, if anything does: elements along the
  // depth of the former are adjacent then.
  PanelFunction<T>* MultiplyPanel() const { return multiply_panel_; }

  bool IsLeftInPlace() const { return is_left_in_place_; }
  // Rows [row, row + rows) and columns [first, first + depth) of the left side that begins at
  // `base`, where it is or where CopyLeft has put it.
  View Left(const char* base, int64_t row, int64_t rows, int64_t first, int64_t depth,
            const T* copy) const;
  // How many elements along the depth of the left side are adjacent, where that is all that
  // the left side is read by; else 0.
  int64_t LeftRun() const { return left_run_; }
  // Whether vectors go along such runs, since few columns meet them.
  bool GoesAlongRuns() const { return goes_along_runs_; }
  // For these: [columns][depth].
  void CopyRightColumns(const char* base, int64_t first, int64_t depth, T* to) const {
    right_->Fill(base, false, 0, columns_, first, depth, to, depth, 1);
  }
  void FindLeftRuns(const char* base, int64_t row, int64_t rows, int64_t first, int64_t runs,
                    const T** to, T* copies) const;
  // Where the left side is read by places of its rows and places along the depth, the latter; else
  // null.
  const int64_t* LeftPlaces() const { return left_places_.empty() ? nullptr : left_places_.data(); }
  void FindLeftRows(const char* base, int64_t row, int64_t rows, const T** to) const;
  void CopyLeft(const char* base, int64_t row, int64_t rows, int64_t first, int64_t depth,
                T* to) const;

  // Of quads, by which multiple of the sum of a left row sums are short; whether that row has
  // signed numbers and whether those of the right side are flipped.
  uint32_t MissingLeftSums() const {
    return !flips_ ? 0 : is_left_signed_ ? uint32_t{0} - 128 : 128;
  }
  bool IsLeftSigned() const { return is_left_signed_; }
  bool FlipsRight() const { return flips_; }

  // Whether rows of the right side lie as in a panel.
  bool IsRightInPlace() const;
  struct Panel {
    const char* data;
    int64_t row;  // bytes
  };
  int64_t RightRowBytes() const;  // from one to the next
  Panel Right(const char* base, int64_t column, int64_t first) const;

  // Whether vectors go along the depth: that of the right side lies in memory in order, so that it
  // is read in place, and few rows meet it.
  bool GoesAlongDepth() const { return goes_along_depth_; }
  // For such sides. Rows are columns.
  Panel RightColumns(const char* base, int64_t column, int64_t first) const;
  // Copies part of a panel of columns: [depth][columns of a tile], with zeros for columns that
  // there are not.
  void CopyPanel(const char* base, int64_t panel, int64_t first, int64_t depth, T* to) const;

 private:
  static constexpr bool kIsReal = std::is_floating_point_v<T>;
  static constexpr int kMostColumns = kTileVectors * 64 / sizeof(T);

  void SetSides();
  bool IsRightMatrix() const;
  bool IsRightAlongDepth() const;
  // Of an element of the right side where it is read in place.
  int64_t RightBytes() const;
  // Whether copies have adjacent columns.
  bool IsLeftAcross() const;
  void CopyComplexPanel(const char* base, int64_t panel, int64_t first, int64_t depth, T* to) const;
  void CopyPairsAcross(const char* base, int64_t row, int64_t rows, int64_t first, int64_t depth,
                       T* to) const;
  void CopyParts(const char* base, int64_t row, int64_t rows, int64_t first, int64_t depth,
                 T* to) const;
  void CopyQuads(const char* base, int64_t begin, int64_t columns, int64_t first, int64_t depth,
                 T* to) const;
  void CopyPairs(const char* base, int64_t begin, int64_t columns, int64_t first, int64_t depth,
                 T* to) const;
  void CopyPairsAlongDepth(const char* base, int64_t begin, int64_t columns, int64_t first,
                           int64_t depth, T* to) const;
  int64_t JoinRows(const char* base, int64_t begin, int64_t first, int64_t depth, T* to) const;

  const Form form_;
  const Tiles<T>& tiles_;
  Contraction contraction_;
  PanelFunction<T>* multiply_panel_ = nullptr;
  int64_t rows_, columns_, depth_;
  int64_t narrow_depth_ = 0;  // of pairs and quads, in numbers
  bool is_left_in_place_ = false, goes_along_depth_ = false, is_narrow_across_ = false;
  bool is_left_signed_ = false, flips_ = false, goes_along_runs_ = false;
  int64_t left_run_ = 0;
  std::vector<int64_t> left_places_;
  std::optional<Gatherer<T>> left_, right_;
  std::optional<Gatherer<std::complex<std::conditional_t<kIsReal, T, float>>>> complex_left_,
      complex_right_;
  std::optional<Gatherer<uint16_t>> narrow_left_, narrow_right_;
  std::optional<Gatherer<uint8_t>> byte_left_, byte_right_;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_MATRIX_SIDES_H_
