#include "cpu/kernels/matrix_sides.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// So much of the depth of a column is copied at a time that whole lines of the cache are, and what
// is written stays in it.
constexpr int64_t kStrip = 32, kStripsAhead = 2;

// to[j, i] = from[i, j]
template <typename T>
void TransposeBlock(const Tiles<T>& tiles, const T* from, int64_t from_row, int64_t rows,
                    int64_t columns, T* to, int64_t to_row) {
  for (int64_t j = 0; j < columns; j += 4) {
    int64_t i = 0;
    for (; i + 4 <= rows && j + 4 <= columns; i += 4)
      tiles.transpose(from + i * from_row + j, from_row, to + j * to_row + i, to_row);
    for (; i < rows; ++i) {
      for (int64_t column = j; column < std::min(j + 4, columns); ++column)
        to[column * to_row + i] = from[i * from_row + column];
    }
  }
}

// The same of columns that lie one after the other in memory, `stride` apart: element (k, j) goes
// to to[k * width + j].
template <typename T>
void TransposeColumns(const Tiles<T>& tiles, const T* from, int64_t stride, int64_t columns,
                      int64_t depth, T* to) {
  const int64_t width = tiles.columns();
  for (int64_t k = 0; k < depth; k += kStrip) {
    for (int64_t j = 0; j < columns; j += 4) {
      // Too many columns for the processor to foresee what comes next.
      for (int64_t column = j; column < j + 4; ++column) {
        const char* const ahead =
            reinterpret_cast<const char*>(from + column * stride + k + kStripsAhead * kStrip);
        __builtin_prefetch(ahead), __builtin_prefetch(ahead + 64);
      }
      TransposeBlock(tiles, from + j * stride + k, stride, std::min<int64_t>(4, columns - j),
                     std::min(kStrip, depth - k), to + k * width + j, width);
    }
  }
}

// Part of a panel: element (k, j) at to[k * width + j].
template <typename T>
void CopyColumns(const Gatherer<T>& gatherer, const char* base, int64_t begin, int64_t columns,
                 int64_t first, int64_t depth, int64_t width, T* to) {
  if (gatherer.depth().stride() != 1 || gatherer.outer().stride() == 1)
    return gatherer.Fill(base, true, first, depth, begin, columns, to, width, 1);
  for (int64_t k = 0; k < depth; k += kStrip) {
    gatherer.Fill(base, false, begin, columns, first + k, std::min(kStrip, depth - k),
                  to + k * width, 1, width);
  }
}

// Shorter runs are rather copied, longer ones are taken in equal parts.
constexpr int64_t kLeastRun = 8, kMostRun = 512;

int64_t PartOfRun(int64_t run) {
  if (run < kLeastRun) return 0;
  for (int64_t parts = (run + kMostRun - 1) / kMostRun; parts <= run / kLeastRun; ++parts) {
    if (run % parts == 0) return run / parts;
  }
  return 0;
}

// So few rows meet a right side whose depth lies in memory in order where it is.
constexpr int64_t kMostRowsAlongDepth = 24;

// A left side whose rows are adjacent in memory is copied where its depth has such a stride, if so
// many columns meet it.
constexpr int64_t kLeastStrideOfCopies = 256, kLeastColumnsOfCopies = 512;

// Longer runs are taken as such. What more columns meet is rather copied.
constexpr int64_t kLeastRunOfPlaces = 32, kMostColumnsOfPlaces = 256, kMostPlaces = 1 << 20;

// Few columns meet long runs in vectors along them.
constexpr int64_t kLeastRunOfDots = 16, kMostColumnsOfDots = 8, kLeastDepthOfDots = 16;

// Whether rows are adjacent in memory and elements along the depth are not.
template <typename T>
bool IsAcross(const Gatherer<T>& side) {
  return side.outer().stride() == 1 && side.depth().stride() != 1;
}

// Whether pairs or quads along the depth lie in memory as they are needed.
template <typename Narrow>
bool AreJoined(const Gatherer<Narrow>& side, int64_t depth) {
  constexpr int64_t kCount = 4 / sizeof(Narrow);
  const bool is_even = side.outer().loops().empty() || side.outer().stride() % kCount == 0;
  return side.IsMatrix() && side.depth().stride() == 1 && is_even && depth % kCount == 0;
}

// The left side in elements of 4 bytes, with zeros where the depth ends.
template <typename Narrow, typename T>
void CopyJoined(const Gatherer<Narrow>& side, int64_t narrow_depth, const char* base, int64_t row,
                int64_t rows, int64_t first, int64_t depth, T* to) {
  constexpr int64_t kCount = 4 / sizeof(Narrow);
  Narrow* narrow = reinterpret_cast<Narrow*>(to);
  const int64_t count = std::min(kCount * depth, narrow_depth - kCount * first);
  if (IsAcross(side)) {
    side.Fill(base, true, kCount * first, count, row, rows, narrow, 1, kCount * depth);
  } else {
    side.Fill(base, false, row, rows, kCount * first, count, narrow, kCount * depth, 1);
  }
  for (int64_t r = 0; r < rows; ++r)
    std::fill(narrow + kCount * depth * r + count, narrow + kCount * depth * (r + 1), Narrow{0});
}

// Whether vectors should go along a depth that lies in memory in order, where rows meet it.
bool IsWorthSumsAlongDepth(int64_t rows, int64_t depth) {
  constexpr int64_t kDepthOfSums = 16, kDepthOfSumsOfFew = 8, kMostRows = 256;
  const int64_t of_a_row = rows <= kMostRowsAlongDepth ? kDepthOfSumsOfFew : kDepthOfSums;
  return depth >= of_a_row * std::max<int64_t>(1, rows) && rows <= kMostRows;
}

// How the right side lies in memory where it is a matrix.
struct RightMatrix {
  explicit RightMatrix(const Contraction& contraction)
      : columns(contraction.columns, {}, kRight), depth(contraction.depth, {}, kRight) {
    is_matrix = columns.IsRegular() && depth.IsRegular() &&
                (contraction.bounded == kLeft || contraction.bounds.empty());
  }
  Walk columns, depth;
  bool is_matrix;
};

// Types whose products are those of pairs, where the processor has them.
template <typename T>
bool ArePairs(const Contraction& contraction) {
  if (TilesOf<T>(contraction.instruction_set).join_pairs == nullptr) return false;
  const auto is_narrow = [](PrimitiveType type) {
    if (std::is_same_v<T, float>) return type == BF16;
    return std::is_same_v<T, uint32_t> && (type == S8 || type == U8 || type == S16);
  };
  return is_narrow(contraction.types[kLeft]) && is_narrow(contraction.types[kRight]);
}

template <typename T>
bool AreQuads(const Contraction& contraction) {
  constexpr int64_t kLeastDepth = 4;
  const auto is_byte = [&](Array array) {
    return contraction.types[array] == S8 || contraction.types[array] == U8;
  };
  return TilesOf<T>(contraction.instruction_set).join_quads != nullptr && is_byte(kLeft) &&
         is_byte(kRight) && Count(contraction.depth) >= kLeastDepth;
}

// Whether tiles can read the right side where it is and widen its elements. Few rows are multiplied
// before a copy would be made; products of pairs take half the time of widened ones.
template <typename T>
bool CanWiden(const Contraction& contraction) {
  if (WideningTilesOf<T>(contraction) == nullptr) return false;
  const int64_t most_rows = ArePairs<T>(contraction) ? kTileRows : kRowsInPlace;
  if (Count(contraction.rows) > most_rows) return false;
  const RightMatrix right(contraction);
  if (!right.is_matrix) return false;
  if (right.columns.stride() == 1 && Count(contraction.columns) > 1) return true;
  return right.depth.stride() == 1 && !ArePairs<T>(contraction) &&
         IsWorthSumsAlongDepth(Count(contraction.rows), Count(contraction.depth));
}

// Element (x, k) of a matrix of which elements along one of its walks are adjacent; null if they
// are not.
template <typename T>
const T* AdjacentIn(const Gatherer<T>& side, const Walk& along, const char* base, int64_t x,
                    int64_t k) {
  if (!side.IsMatrix() || along.stride() != 1) return nullptr;
  return reinterpret_cast<const T*>(base) + x * side.outer().stride() + k * side.depth().stride();
}

// Both parts of each number, or of i times it.
template <typename T>
void CopyNumbers(const std::complex<T>* from, int64_t count, bool is_turned, T* to) {
  const T* parts = reinterpret_cast<const T*>(from);
  if (!is_turned) return (void)std::copy_n(parts, 2 * count, to);
  for (int64_t j = 0; j < count; ++j) {
    to[2 * j] = -parts[2 * j + 1];
    to[2 * j + 1] = parts[2 * j];
  }
}

Form FormOfComplex(const Contraction& contraction) {
  const RightMatrix right(contraction);
  const int64_t rows = Count(contraction.rows), depth = Count(contraction.depth);
  // Of a wide right side, a copy takes longer than its products with more rows as well.
  constexpr int64_t kMostRowsOfWide = 48;
  const bool is_wide = rows <= std::min(kMostRowsOfWide, Count(contraction.columns) / 4);
  if (!right.is_matrix || (rows > kRowsInPlace && !is_wide)) return Form::kComplex;
  if (right.columns.stride() == 1 && !right.columns.loops().empty()) return Form::kPartsAsRows;
  return right.depth.stride() == 1 && IsWorthSumsAlongDepth(2 * rows, 2 * depth)
             ? Form::kPartsAlongDepth
             : Form::kComplex;
}

// The same contraction of complex numbers that are two elements of T: one of the loops walks over
// these.
template <typename T>
Contraction PartsOf(Contraction contraction, Loops Contraction::*loops) {
  for (Loops* all :
       {&contraction.groups, &contraction.rows, &contraction.columns, &contraction.depth}) {
    for (Loop& loop : *all) {
      for (int64_t& stride : loop.strides) stride *= 2;
    }
  }
  for (Bound& bound : contraction.bounds) bound.stride *= 2;
  for (int64_t& offset : contraction.offsets) offset *= 2;
  contraction.types.fill(primitive_util::NativeToPrimitiveType<T>());
  (contraction.*loops).push_back({2, {1, 1, 0}});
  return contraction;
}

}  // namespace

template <typename T>
const WideningTiles<T>* WideningTilesOf(const Contraction& contraction) {
  const auto of = [&](NarrowNumbers numbers) -> const WideningTiles<T>* {
    if constexpr (!std::is_same_v<T, float>) return nullptr;
    const WideningTiles<T>& tiles = TilesOf<T>(contraction.instruction_set).widening[numbers];
    return tiles.add_rows == nullptr ? nullptr : &tiles;
  };
  switch (contraction.types[kRight]) {
    case BF16:
      return of(kOfBfloat16);
    case F16:
      return of(kOfHalves);
    case S8:
      return of(kOfSignedBytes);
    case U8:
      return of(kOfUnsignedBytes);
    default:
      return nullptr;
  }
}

bool HasWholeRuns(const Contraction& contraction) {
  constexpr double kLeastShare = 0.75;
  if (PartOfRun(Gatherer<float>(contraction, kLeft).RunLength()) == 0) return false;
  const Loop& run = contraction.depth.back();
  if (run.bound < 0) return true;
  // Of all places where runs begin along this bound.
  Loops starts;
  for (const Loops* loops : {&contraction.rows, &contraction.depth}) {
    for (const Loop& loop : *loops) {
      if (&loop != &run && loop.bound == run.bound) starts.push_back(loop);
    }
  }
  const Bound& bound = contraction.bounds[run.bound];
  const Walk walk(starts, contraction.bounds, kLeft);
  std::vector<int64_t> along(contraction.bounds.size());
  int64_t whole = 0;
  for (int64_t i = 0; i < Count(starts); ++i) {
    walk.Place(i, along.data());
    const int64_t begin = bound.start + along[run.bound];
    whole += begin >= 0 && begin + run.size <= bound.size;
  }
  return static_cast<double>(whole) >= kLeastShare * static_cast<double>(Count(starts));
}

bool HasSumsAlongDepth(const Contraction& contraction) {
  const bool is_f32 = contraction.types[kLeft] == F32 && contraction.types[kRight] == F32;
  const bool are_pairs = ArePairs<float>(contraction);
  if (!is_f32 && !are_pairs) return false;
  const int64_t rows = Count(contraction.rows), depth = Count(contraction.depth);
  const RightMatrix right(contraction);
  return right.is_matrix && right.depth.stride() == 1 && rows <= kMostRowsAlongDepth &&
         IsWorthSumsAlongDepth(rows, are_pairs ? depth / 2 : depth);
}

template <typename T>
Form FormOf(const Contraction& contraction, bool is_complex) {
  return is_complex                 ? FormOfComplex(contraction)
         : CanWiden<T>(contraction) ? Form::kWidened
         : AreQuads<T>(contraction) ? Form::kQuads
         : ArePairs<T>(contraction) ? Form::kPairs
                                    : Form::kPlain;
}

template <typename T>
MatrixSides<T>::MatrixSides(Contraction contraction, Form form)
    : form_(form),
      tiles_(TilesOf<T>(contraction.instruction_set)),
      contraction_(std::move(contraction)) {
  SetSides();
  goes_along_depth_ =
      multiply_panel_ == nullptr && IsRightAlongDepth() && IsWorthSumsAlongDepth(rows_, depth_);
  if (form == Form::kPairs) {
    is_left_in_place_ = AreJoined(*narrow_left_, narrow_depth_);
    is_narrow_across_ = !goes_along_depth_ && IsAcross(*narrow_left_);
  } else if (form == Form::kQuads) {
    is_left_in_place_ = AreJoined(*byte_left_, narrow_depth_);
  } else if (left_.has_value()) {
    // Each place of the depth is on a page of its own, which many panels would ask for again.
    const bool is_spread = left_->outer().stride() == 1 &&
                           left_->depth().stride() >= kLeastStrideOfCopies &&
                           columns_ >= kLeastColumnsOfCopies;
    is_left_in_place_ =
        left_->IsMatrix() && !is_spread && (!goes_along_depth_ || left_->depth().stride() == 1);
  }
  if (form == Form::kPlain && !is_left_in_place_ && !goes_along_depth_ &&
      tiles_.runs_function[0][0] != nullptr) {
    left_run_ = PartOfRun(left_->RunLength());
    if (left_run_ < kLeastRunOfPlaces && left_->IsSumOfPlaces() &&
        columns_ <= kMostColumnsOfPlaces && depth_ <= kMostPlaces) {
      left_run_ = 0;
      left_places_ = left_->depth().Places();
    }
    goes_along_runs_ = left_run_ >= kLeastRunOfDots && columns_ <= kMostColumnsOfDots &&
                       depth_ >= kLeastDepthOfDots * columns_;
  }
}

template <typename T>
void MatrixSides<T>::SetSides() {
  Contraction& c = contraction_;
  rows_ = Count(c.rows), columns_ = Count(c.columns), depth_ = Count(c.depth);
  switch (form_) {
    case Form::kPlain:
      left_.emplace(c, kLeft), right_.emplace(c, kRight);
      return;
    case Form::kWidened:
      left_.emplace(c, kLeft), right_.emplace(c, kRight);
      return;
    case Form::kPairs:
      narrow_left_.emplace(c, kLeft), narrow_right_.emplace(c, kRight);
      narrow_depth_ = depth_;
      depth_ = (narrow_depth_ + 1) / 2;
      multiply_panel_ = tiles_.pair_panel_function;
      return;
    case Form::kQuads:
      byte_left_.emplace(c, kLeft), byte_right_.emplace(c, kRight);
      is_left_signed_ = c.types[kLeft] == S8;
      multiply_panel_ = tiles_.quad_panel_function[is_left_signed_][c.types[kRight] == S8];
      flips_ = multiply_panel_ == nullptr && c.types[kLeft] == c.types[kRight];
      narrow_depth_ = depth_;
      depth_ = (narrow_depth_ + 3) / 4;
      return;
    case Form::kComplex:
      complex_right_.emplace(c, kRight);
      c = PartsOf<T>(std::move(c), &Contraction::depth);
      c.columns.push_back({2, {0, 0, 1}});
      left_.emplace(c, kLeft);
      columns_ *= 2, depth_ *= 2;
      return;
    case Form::kPartsAsRows:
      complex_left_.emplace(c, kLeft);
      right_.emplace(PartsOf<T>(c, &Contraction::columns), kRight);
      rows_ *= 2, columns_ *= 2;
      return;
    case Form::kPartsAlongDepth:
      complex_left_.emplace(c, kLeft);
      right_.emplace(PartsOf<T>(c, &Contraction::depth), kRight);
      rows_ *= 2, depth_ *= 2;
      return;
  }
}

template <typename T>
typename MatrixSides<T>::View MatrixSides<T>::Left(const char* base, int64_t row, int64_t rows,
                                                   int64_t first, int64_t depth,
                                                   const T* copy) const {
  if (!is_left_in_place_) return IsLeftAcross() ? View{copy, 1, rows} : View{copy, depth, 1};
  const T* data = reinterpret_cast<const T*>(base);
  if (form_ == Form::kPairs) {
    const int64_t stride = narrow_left_->outer().stride() / 2;
    return {data + row * stride + first, stride, 1};
  }
  if (form_ == Form::kQuads) {
    const int64_t stride = byte_left_->outer().stride() / 4;
    return {data + row * stride + first, stride, 1};
  }
  const int64_t row_stride = left_->outer().stride(), column_stride = left_->depth().stride();
  return {data + row * row_stride + first * column_stride, row_stride, column_stride};
}

template <typename T>
bool MatrixSides<T>::IsLeftAcross() const {
  const bool is_across = left_.has_value() && IsAcross(*left_);
  // Parts of complex numbers that are adjacent in rows lie two elements apart.
  const bool is_complex_across = form_ == Form::kComplex && left_->outer().stride() == 2;
  const bool is_narrow_across = is_narrow_across_ && multiply_panel_ == nullptr;
  return !goes_along_depth_ && (is_complex_across || is_across || is_narrow_across);
}

// Pairs of rows that are adjacent in memory. Copies have adjacent rows, too, unless whole panels
// are multiplied with them.
template <typename T>
void MatrixSides<T>::CopyPairsAcross(const char* base, int64_t row, int64_t rows, int64_t first,
                                     int64_t depth, T* to) const {
  const int64_t width = tiles_.columns();
  uint16_t numbers[kStrip][kMostColumns] = {};
  T pairs[kStrip / 2][kMostColumns];
  for (int64_t k = 0; k < depth; k += kStrip / 2) {
    const int64_t at = 2 * (first + k), some = std::min(kStrip / 2, depth - k);
    const int64_t count = std::min(2 * some, narrow_depth_ - at);
    if (count < 2 * some) std::fill_n(numbers[count], kMostColumns, uint16_t{0});
    for (int64_t r = 0; r < rows; r += width) {
      const int64_t wide = std::min(width, rows - r);
      narrow_left_->Fill(base, true, at, count, row + r, wide, &numbers[0][0], kMostColumns, 1);
      const bool is_in_place = multiply_panel_ == nullptr && wide == width;
      for (int64_t i = 0; i < some; ++i) {
        tiles_.join_pairs(numbers[2 * i], numbers[2 * i + 1],
                          is_in_place ? to + (k + i) * rows + r : pairs[i]);
      }
      if (multiply_panel_ != nullptr) {
        TransposeBlock(tiles_, &pairs[0][0], kMostColumns, some, wide, to + r * depth + k, depth);
      } else {
        for (int64_t i = 0; i < some && !is_in_place; ++i)
          std::copy_n(pairs[i], wide, to + (k + i) * rows + r);
      }
    }
  }
}

template <typename T>
void MatrixSides<T>::CopyLeft(const char* base, int64_t row, int64_t rows, int64_t first,
                              int64_t depth, T* to) const {
  if (complex_left_.has_value()) return CopyParts(base, row, rows, first, depth, to);
  if (form_ == Form::kPairs) {
    if (is_narrow_across_) return CopyPairsAcross(base, row, rows, first, depth, to);
    CopyJoined(*narrow_left_, narrow_depth_, base, row, rows, first, depth, to);
  } else if (form_ == Form::kQuads) {
    CopyJoined(*byte_left_, narrow_depth_, base, row, rows, first, depth, to);
  } else if (IsLeftAcross()) {
    left_->Fill(base, true, first, depth, row, rows, to, rows, 1);
  } else {
    left_->Fill(base, false, row, rows, first, depth, to, depth, 1);
  }
}

template <typename T>
void MatrixSides<T>::CopyParts(const char* base, int64_t row, int64_t rows, int64_t first,
                               int64_t depth, T* to) const {
  if constexpr (kIsReal) {
    const int64_t step = form_ == Form::kPartsAlongDepth ? 2 : 1;
    T strip[2 * kStrip];
    auto* const gathered = reinterpret_cast<std::complex<T>*>(strip);
    for (int64_t r = 0; r < rows / 2; ++r) {
      for (int64_t k = 0; k < depth; k += step * kStrip) {
        const int64_t count = std::min(step * kStrip, depth - k) / step;
        const std::complex<T>* numbers = AdjacentIn(*complex_left_, complex_left_->depth(), base,
                                                    row / 2 + r, (first + k) / step);
        if (numbers == nullptr) {
          complex_left_->Fill(base, false, row / 2 + r, 1, (first + k) / step, count, gathered, 0,
                              1);
          numbers = gathered;
        }
        T* const real = to + r * depth + k;
        T* const imaginary = real + rows / 2 * depth;
        for (int64_t i = 0; i < count; ++i) {
          real[step * i] = numbers[i].real(), imaginary[step * i] = numbers[i].imag();
          if (step == 2)
            real[2 * i + 1] = -numbers[i].imag(), imaginary[2 * i + 1] = numbers[i].real();
        }
      }
    }
  }
}

template <typename T>
void MatrixSides<T>::FindLeftRuns(const char* base, int64_t row, int64_t rows, int64_t first,
                                  int64_t runs, const T** to, T* copies) const {
  alignas(64) static const T zeros[kMostRun] = {};
  left_->FindRuns(base, row, rows, first, runs, left_run_, zeros, to, copies);
}

template <typename T>
void MatrixSides<T>::FindLeftRows(const char* base, int64_t row, int64_t rows, const T** to) const {
  left_->outer().FindPlaces(reinterpret_cast<const T*>(base), row, rows, to);
}

// Those that are widened where they lie are matrices.
template <typename T>
bool MatrixSides<T>::IsRightMatrix() const {
  return right_.has_value() && (form_ == Form::kWidened || right_->IsMatrix());
}

template <typename T>
bool MatrixSides<T>::IsRightInPlace() const {
  return IsRightMatrix() && right_->outer().stride() == 1;
}

template <typename T>
int64_t MatrixSides<T>::RightBytes() const {
  return form_ == Form::kWidened ? primitive_util::ByteWidth(contraction_.types[kRight])
                                 : int64_t{sizeof(T)};
}

template <typename T>
int64_t MatrixSides<T>::RightRowBytes() const {
  if (byte_right_.has_value()) return byte_right_->depth().stride();
  if (narrow_right_.has_value()) return narrow_right_->depth().stride() * int64_t{sizeof(uint16_t)};
  return right_->depth().stride() * RightBytes();
}

template <typename T>
typename MatrixSides<T>::Panel MatrixSides<T>::Right(const char* base, int64_t column,
                                                     int64_t first) const {
  return {base + first * RightRowBytes() + column * RightBytes(), RightRowBytes()};
}

template <typename T>
bool MatrixSides<T>::IsRightAlongDepth() const {
  if (form_ == Form::kPairs) return AreJoined(*narrow_right_, narrow_depth_);
  if (form_ == Form::kQuads) return AreJoined(*byte_right_, narrow_depth_);
  return IsRightMatrix() && right_->depth().stride() == 1;
}

template <typename T>
typename MatrixSides<T>::Panel MatrixSides<T>::RightColumns(const char* base, int64_t column,
                                                            int64_t first) const {
  const int64_t row = byte_right_.has_value() ? byte_right_->outer().stride()
                      : right_.has_value()
                          ? right_->outer().stride() * RightBytes()
                          : narrow_right_->outer().stride() * int64_t{sizeof(uint16_t)};
  return {base + column * row + first * RightBytes(), row};
}

template <typename T>
void MatrixSides<T>::CopyPanel(const char* base, int64_t panel, int64_t first, int64_t depth,
                               T* to) const {
  if (form_ == Form::kComplex) return CopyComplexPanel(base, panel, first, depth, to);
  const int64_t width = tiles_.columns(), begin = panel * width;
  const int64_t columns = std::min(width, columns_ - begin);
  if (form_ != Form::kWidened && IsRightInPlace()) {
    const Panel panel_in_place = Right(base, begin, first);
    return tiles_.copy_panel(depth, reinterpret_cast<const T*>(panel_in_place.data),
                             right_->depth().stride(), columns, to);
  }
  for (int64_t k = 0; k < depth && columns < width; ++k)
    std::fill(to + k * width + columns, to + (k + 1) * width, T(0));
  if (form_ == Form::kPairs) return CopyPairs(base, begin, columns, first, depth, to);
  if (form_ == Form::kQuads) return CopyQuads(base, begin, columns, first, depth, to);
  if (form_ == Form::kWidened)
    return CopyColumns(*right_, base, begin, columns, first, depth, width, to);
  if (tiles_.transpose != nullptr && right_->IsMatrix() && right_->depth().stride() == 1 &&
      right_->outer().stride() != 1) {
    const int64_t stride = right_->outer().stride();
    return TransposeColumns(tiles_, reinterpret_cast<const T*>(base) + begin * stride + first,
                            stride, columns, depth, to);
  }
  if (tiles_.transpose != nullptr && right_->depth().stride() == 1 &&
      right_->outer().stride() != 1) {
    // In two steps, first as they lie in memory.
    T rows[kMostColumns][kStrip];
    for (int64_t k = 0; k < depth; k += kStrip) {
      const int64_t count = std::min(kStrip, depth - k);
      right_->Fill(base, false, begin, columns, first + k, count, &rows[0][0], kStrip, 1);
      TransposeBlock(tiles_, &rows[0][0], kStrip, columns, count, to + k * width, width);
    }
    return;
  }
  CopyColumns(*right_, base, begin, columns, first, depth, width, to);
}

template <typename T>
void MatrixSides<T>::CopyComplexPanel(const char* base, int64_t panel, int64_t first, int64_t depth,
                                      T* to) const {
  if constexpr (kIsReal) {
    const int64_t width = tiles_.columns(), pairs = width / 2, begin = panel * pairs;
    const int64_t columns = std::min(pairs, columns_ / 2 - begin);
    T strip[(kStrip / 2 + 1) * kMostColumns];
    auto* const gathered = reinterpret_cast<std::complex<T>*>(strip);
    for (int64_t k = first; k < first + depth;) {
      const int64_t end = std::min(first + depth, k + kStrip - k % 2), top = k / 2;
      const Gatherer<std::complex<T>>& side = *complex_right_;
      const std::complex<T>* rows = AdjacentIn(side, side.outer(), base, begin, top);
      int64_t stride = side.depth().stride();
      if (rows == nullptr) {
        stride = kMostColumns / 2;
        CopyColumns(side, base, begin, columns, top, (end + 1) / 2 - top, stride, gathered);
        rows = gathered;
      }
      for (; k < end; ++k, to += width) {
        CopyNumbers(rows + (k / 2 - top) * stride, columns, k % 2 == 1, to);
        std::fill(to + 2 * columns, to + width, T(0));
      }
    }
  }
}

template <typename T>
void MatrixSides<T>::CopyPairs(const char* base, int64_t begin, int64_t columns, int64_t first,
                               int64_t depth, T* to) const {
  const Gatherer<uint16_t>& side = *narrow_right_;
  const int64_t width = tiles_.columns();
  if (AreJoined(side, narrow_depth_)) {
    const int64_t stride = side.outer().stride() / 2;
    return TransposeColumns(tiles_, reinterpret_cast<const T*>(base) + begin * stride + first,
                            stride, columns, depth, to);
  }
  if (side.depth().stride() == 1 && side.outer().stride() != 1)
    return CopyPairsAlongDepth(base, begin, columns, first, depth, to);
  int64_t k = columns == width ? JoinRows(base, begin, first, depth, to) : 0;
  if (k == depth) return;
  uint16_t rows[kStrip][kMostColumns] = {};
  for (; k < depth; k += kStrip / 2) {
    const int64_t at = 2 * (first + k), pairs = std::min(kStrip / 2, depth - k);
    const int64_t count = std::min(2 * pairs, narrow_depth_ - at);
    CopyColumns(side, base, begin, columns, at, count, kMostColumns, &rows[0][0]);
    if (count < 2 * pairs) std::fill_n(rows[count], kMostColumns, uint16_t{0});
    for (int64_t i = 0; i < pairs; ++i)
      tiles_.join_pairs(rows[2 * i], rows[2 * i + 1], to + (k + i) * width);
  }
}

// In two steps, first as they lie in memory.
template <typename T>
void MatrixSides<T>::CopyPairsAlongDepth(const char* base, int64_t begin, int64_t columns,
                                         int64_t first, int64_t depth, T* to) const {
  alignas(T) uint16_t numbers[kMostColumns][kStrip];
  for (int64_t k = 0; k < depth; k += kStrip / 2) {
    const int64_t at = 2 * (first + k), pairs = std::min(kStrip / 2, depth - k);
    const int64_t count = std::min(2 * pairs, narrow_depth_ - at);
    narrow_right_->Fill(base, false, begin, columns, at, count, &numbers[0][0], kStrip, 1);
    for (int64_t j = 0; j < columns && count < 2 * pairs; ++j) numbers[j][count] = 0;
    TransposeBlock(tiles_, reinterpret_cast<const T*>(numbers), kStrip / 2, columns, pairs,
                   to + k * tiles_.columns(), tiles_.columns());
  }
}

// Whole rows of a panel that lie in memory, as many as there are.
template <typename T>
int64_t MatrixSides<T>::JoinRows(const char* base, int64_t begin, int64_t first, int64_t depth,
                                 T* to) const {
  const Gatherer<uint16_t>& side = *narrow_right_;
  if (!side.outer().IsRegular() || !side.depth().IsRegular() || side.outer().stride() != 1)
    return 0;
  const PrimitiveType type = contraction_.types[kRight];
  const int64_t bytes = primitive_util::ByteWidth(type), row = side.depth().stride() * bytes;
  const int64_t pairs = std::min(depth, narrow_depth_ / 2 - first);
  const char* from = base + begin * bytes + 2 * first * row;
  for (int64_t k = 0; k < pairs; ++k, from += 2 * row, to += tiles_.columns()) {
    for (int64_t r = kRowsAhead; r < kRowsAhead + 2; ++r) {
      for (int64_t line = 0; line < tiles_.columns() * bytes; line += 64)
        __builtin_prefetch(from + r * row + line);
    }
    if (bytes == 1) {
      tiles_.join_byte_pairs[type == S8](reinterpret_cast<const uint8_t*>(from),
                                         reinterpret_cast<const uint8_t*>(from + row), to);
    } else {
      tiles_.join_pairs(reinterpret_cast<const uint16_t*>(from),
                        reinterpret_cast<const uint16_t*>(from + row), to);
    }
  }
  return pairs;
}

template <typename T>
void MatrixSides<T>::CopyQuads(const char* base, int64_t begin, int64_t columns, int64_t first,
                               int64_t depth, T* to) const {
  const Gatherer<uint8_t>& side = *byte_right_;
  const int64_t width = tiles_.columns();
  const uint8_t flips = flips_ ? 0x80 : 0;
  if (AreJoined(side, narrow_depth_)) {
    const int64_t stride = side.outer().stride() / 4;
    TransposeColumns(tiles_, reinterpret_cast<const T*>(base) + begin * stride + first, stride,
                     columns, depth, to);
    if constexpr (std::is_integral_v<T>) {
      for (int64_t i = 0; flips != 0 && i < depth * width; ++i) to[i] ^= T{0x80808080};
    }
    return;
  }
  int64_t k = 0;
  if (side.IsMatrix() && side.outer().stride() == 1 && columns == width) {
    const int64_t stride = side.depth().stride();
    k = std::min(depth, narrow_depth_ / 4 - first);
    tiles_.join_quads(k, reinterpret_cast<const uint8_t*>(base) + begin + 4 * first * stride,
                      stride, flips, to);
  }
  if (k == depth) return;
  uint8_t rows[kStrip][kMostColumns] = {};
  for (; k < depth; k += kStrip / 4) {
    const int64_t at = 4 * (first + k), quads = std::min(kStrip / 4, depth - k);
    const int64_t count = std::min(4 * quads, narrow_depth_ - at);
    CopyColumns(side, base, begin, columns, at, count, kMostColumns, &rows[0][0]);
    for (int64_t i = count; i < 4 * quads; ++i) std::fill_n(rows[i], kMostColumns, uint8_t{0});
    tiles_.join_quads(quads, &rows[0][0], kMostColumns, flips, to + k * width);
  }
}

template const WideningTiles<float>* WideningTilesOf(const Contraction&);
template Form FormOf<float>(const Contraction&, bool);
template const WideningTiles<double>* WideningTilesOf(const Contraction&);
template Form FormOf<double>(const Contraction&, bool);
template const WideningTiles<uint32_t>* WideningTilesOf(const Contraction&);
template Form FormOf<uint32_t>(const Contraction&, bool);
template const WideningTiles<uint64_t>* WideningTilesOf(const Contraction&);
template Form FormOf<uint64_t>(const Contraction&, bool);
template class MatrixSides<float>;
template class MatrixSides<double>;
template class MatrixSides<uint32_t>;
template class MatrixSides<uint64_t>;

}  // namespace xla::cpu
