// Contractions as products of matrices: blocks of both sides are copied to where tiles read them in
// order, except where they can be read in place.
#include "cpu/kernels/tiled_product.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "cpu/kernels/contraction.h"
#include "cpu/kernels/epilogue.h"
#include "cpu/kernels/gather.h"
#include "cpu/kernels/matrix_sides.h"
#include "cpu/kernels/matrix_tiles.h"
#include "cpu/kernels/scratch.h"
#include "cpu/kernels/store.h"
#include "cpu/kernels/work.h"
#include "data/literal_convert.h"
#include "data/strided_copy.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// A block of the left side and one of a panel of the right side lie in the cache while they are
// multiplied.
constexpr int64_t kDepthBytes = 1024;
constexpr int64_t kMostRows = 96, kLeastRows = 24, kRowsOfOneBlock = 256;
// Of blocks that tile registers multiply with whole panels, so many rows at a time.
constexpr int64_t kRowsOfPanels = 256, kRowsTogether = 32;
constexpr int64_t kDepthOfPanelBytes = 4096;
// Rows of the right side that are whole pages apart share sets of the caches. Where few rows meet
// them, so few are read at a time that their lines stay until the next panel reads on.
constexpr int64_t kMostRowsOfShortPanels = 64, kDepthOfShortPanelBytes = 512;
constexpr int64_t kShortPanelsTogether = 16;
// Of a product of one row. Longer pieces of the rows of the right side, which are far apart, come
// faster from memory; fewer parts are too few for several threads.
constexpr int64_t kLeastColumnsOfAPart = 512, kMostColumnsOfAPart = 2048, kLeastPartsOfRow = 4;
// Shorter rows are read a panel at a time.
constexpr int64_t kLeastColumnsOfRows = 40;
constexpr int64_t kDepthAlongBytes = 4096;
constexpr int64_t kSharedBytes = 8 << 20, kInPlaceBytes = 32 << 10, kShortRowBytes = 512;
// So few rows are multiplied before a right side would be copied, unless its rows are a page or
// more apart, where they share sets of the first cache; tiles of several lines a row can wait for
// them.
constexpr int64_t kMostRowsInPlace = 32, kPageBytes = 4096, kWidePanelBytes = 256;
// Of the vectors of an epilogue, which begin at multiples of these along rows of its result.
constexpr int64_t kMostLanes = 16;
// How many parts of the work there should be for threads to choose from. It does not depend on how
// many threads there are, so that results do not either.
constexpr int64_t kParts = 16;
// Smaller products are one part.
constexpr int64_t kProductsOfOnePart = 1 << 16;
// In the time of which an element is copied.
constexpr int64_t kProductsOfACopy = 16;
// Of a part of the rows, where these are divided for an odd number of panels.
constexpr int64_t kLeastRowsOfAPart = 12;

// T is what sums are made in.
template <typename T>
class TiledProduct : public Product {
 public:
  // Sums are rounded to `sum_type` before they become elements of the result.
  TiledProduct(const Contraction& contraction, Form form, PrimitiveType sum_type)
      : form_(form),
        tiles_(TilesOf<T>(contraction.instruction_set)),
        widening_(WideningTilesOf<T>(contraction)),
        comes_from_memory_(contraction.ComesFromMemory()),
        sides_(contraction, form),
        sum_type_(sum_type),
        result_type_(contraction.types[kResult]),
        epilogue_columns_(contraction.epilogue_columns) {
    const Contraction& own = sides_.contraction();
    for (int array = 0; array < kArrays; ++array) {
      groups_[array] = Walk(own.groups, {}, static_cast<Array>(array));
      offsets_[array] = own.offsets[array];
      bytes_[array] = primitive_util::ByteWidth(own.types[array]);
    }
    group_count_ = Count(own.groups);
    rows_ = sides_.rows(), columns_ = sides_.columns(), depth_ = sides_.depth();
    result_rows_ = Walk(own.rows, {}, kResult);
    result_columns_ = Walk(own.columns, {}, kResult);
    store_ = StoreElementsOf<T>(own.types[kResult], own.instruction_set);
    const auto keeps_columns = [&](const Loops& loops) {
      return absl::c_all_of(
          loops, [&](const Loop& loop) { return loop.strides[kResult] % epilogue_columns_ == 0; });
    };
    has_blocks_ = epilogue_columns_ > 0 && result_columns_.IsRegular() &&
                  result_columns_.stride() == 1 && keeps_columns(own.rows) &&
                  keeps_columns(own.groups) &&
                  (columns_ == epilogue_columns_ || epilogue_columns_ % kMostLanes == 0);
    has_parts_ = form == Form::kPartsAsRows || form == Form::kPartsAlongDepth;
    is_stored_directly_ = !has_blocks_ && !has_parts_ && store_ == StoreAs<T, T> &&
                          result_rows_.IsRegular() && result_columns_.IsRegular() &&
                          result_columns_.stride() == 1;
    is_stored_across_ = !has_parts_ && store_ == StoreAs<T, T> && result_columns_.IsRegular() &&
                        !result_rows_.loops().empty() && result_rows_.stride() > 0 &&
                        result_rows_.stride() < result_columns_.stride();
    Plan();
  }

  absl::Status Run(const void* left, const void* right, void* result) const override {
    return Run({static_cast<const char*>(left), static_cast<const char*>(right),
                static_cast<char*>(result)});
  }
  bool HasBlocks() const override { return has_blocks_; }
  absl::Status RunBlocks(const void* left, const void* right,
                         const Epilogue& epilogue) const override {
    return Run(
        {static_cast<const char*>(left), static_cast<const char*>(right), nullptr, 0, &epilogue});
  }

 private:
  struct Pointers {
    const char* left;
    const char* right;
    char* result;
    int64_t first = 0;                    // the number of the element of the result,
    const Epilogue* epilogue = nullptr;   // where that takes it
    std::atomic<bool>* failed = nullptr;  // there was no memory
  };

  absl::Status Run(Pointers arrays) const;

  void Plan() {
    const int64_t width = tiles_.columns();
    panels_ = CeilOfRatio<int64_t>(columns_, width);
    goes_along_depth_ = sides_.GoesAlongDepth();
    const int64_t most = sides_.MultiplyPanel() != nullptr ? kDepthOfPanelBytes / sizeof(T)
                         : !goes_along_depth_              ? kDepthBytes / sizeof(T)
                         : rows_ <= kDotRows               ? depth_
                                                           : kDepthAlongBytes / sizeof(T);
    depth_block_ = std::clamp<int64_t>(most, 1, std::max<int64_t>(1, depth_));
    if (const int64_t run = sides_.LeftRun(); run > 0)
      depth_block_ = std::max<int64_t>(1, depth_block_ / run) * run;
    row_block_ = RowsOfBlock();
    row_blocks_ = CeilOfRatio(rows_, row_block_);
    const int64_t row_bytes = width * static_cast<int64_t>(sizeof(T));
    const int64_t panel_bytes = depth_ * row_bytes;
    shares_panels_ = row_blocks_ > 1 && panel_bytes <= kSharedBytes;
    shared_panels_ =
        shares_panels_
            ? std::clamp<int64_t>(kSharedBytes / std::max<int64_t>(1, panel_bytes), 1, panels_)
            : panels_;
    panel_group_ =
        CeilOfRatio(shared_panels_, CeilOfRatio(kParts, std::max<int64_t>(1, row_blocks_)));
    if (!is_stored_directly_) panel_group_ = std::min<int64_t>(panel_group_, 4);
    panel_group_ = std::max<int64_t>(1, panel_group_);
    if (sides_.MultiplyPanel() != nullptr && rows_ <= kMostRowsOfShortPanels &&
        sides_.RightRowBytes() % kPageBytes == 0) {
      depth_block_ = std::min(depth_block_, kDepthOfShortPanelBytes / int64_t{sizeof(T)});
      panel_group_ = std::max(panel_group_, std::min(panels_, kShortPanelsTogether));
    }
    const bool is_one_part = row_blocks_ == 1 && rows_ * columns_ * depth_ <= kProductsOfOnePart;
    if (is_one_part) panel_group_ = panels_;
    reads_right_in_place_ = sides_.IsRightInPlace() && IsRightCopyLonger(row_bytes);
    if (row_blocks_ == 1 && !is_one_part && reads_right_in_place_) DivideRows();
    waits_for_right_ = rows_ <= kRowsInPlace && reads_right_in_place_ &&
                       depth_ * sides_.RightRowBytes() > kSharedBytes;
    // One row reads the right side in the order in which it lies in memory.
    adds_rows_ = rows_ == 1 && reads_right_in_place_ && !goes_along_depth_ &&
                 sides_.LeftRun() == 0 && sides_.LeftPlaces() == nullptr &&
                 columns_ >= kLeastColumnsOfRows;
    if (adds_rows_) {
      const int64_t least = std::min(kLeastColumnsOfAPart, CeilOfRatio(columns_, int64_t{2}));
      const int64_t columns = std::clamp(columns_ / kLeastPartsOfRow, least, kMostColumnsOfAPart);
      panel_group_ = std::max(panel_group_, CeilOfRatio(columns, width));
    }
    if (goes_along_depth_ || reads_right_in_place_)
      shares_panels_ = false, shared_panels_ = panels_;
    shares_left_ = CopiesLeft() && sides_.LeftRun() == 0 && panel_group_ < panels_ &&
                   rows_ * depth_ * static_cast<int64_t>(sizeof(T)) <= kSharedBytes;
  }

  int64_t RowsOfBlock() const {
    if (rows_ <= kRowsOfOneBlock) return std::max<int64_t>(1, rows_);
    if (sides_.MultiplyPanel() != nullptr) {
      const int64_t rows = CeilOfRatio(rows_, CeilOfRatio(rows_, kRowsOfPanels));
      return CeilOfRatio(rows, kRowsTogether) * kRowsTogether;
    }
    // Long blocks read a panel less often; short ones are for what panels do not make parts of.
    const int64_t panels = std::max<int64_t>(1, panels_ * group_count_);
    const int64_t rows = CeilOfRatio(rows_, CeilOfRatio(kParts, panels));
    return std::clamp(CeilOfRatio<int64_t>(rows, kTileRows) * kTileRows, kLeastRows, kMostRows);
  }

  // Makes parts of about equal work for two threads of an odd number of panels in place.
  void DivideRows() {
    const int64_t parts = panels_ * group_count_;
    if (goes_along_depth_ || parts % 2 == 0) return;
    row_blocks_ = std::clamp<int64_t>(rows_ / kLeastRowsOfAPart, 1, CeilOfRatio(kParts, parts));
    row_block_ = CeilOfRatio(rows_, kTileRows * row_blocks_) * kTileRows;
  }

  // Whether blocks are multiplied before a right side that can be read in place would be copied.
  bool IsRightCopyLonger(int64_t panel_row_bytes) const {
    const int64_t row = sides_.RightRowBytes();
    if (rows_ <= kRowsInPlace || has_parts_ || row <= panel_row_bytes) return true;
    if (row_blocks_ == 1 && row <= kShortRowBytes) return true;
    if (rows_ <= 64 && depth_ * panels_ * panel_row_bytes <= kInPlaceBytes) return true;
    const bool shares_sets =
        panel_row_bytes < kWidePanelBytes ? row >= kPageBytes : row > kPageBytes;
    return rows_ <= kMostRowsInPlace && !shares_sets;
  }

  // Copies that several blocks read: of the block's rows, by parts of the depth, and of panels.
  struct Shared {
    const T* left;
    const T* panels;
  };

  // A block of the left side: a matrix, or runs of its rows, or rows and places along the depth.
  struct LeftBlock {
    typename MatrixSides<T>::View matrix;
    const T* const* runs = nullptr;
    int64_t run_count = 0, rows = 0;
    const int64_t* places = nullptr;
  };

  // What a thread works in.
  struct Workspace {
    explicit Workspace(const TiledProduct& product)
        : left(!product.CopiesLeft() || product.shares_left_
                   ? 0
                   : product.row_block_ * product.depth_block_),
          right(product.CopiesRight() ? product.depth_block_ * product.tiles_.columns() : 0),
          block(product.is_stored_directly_
                    ? 0
                    : product.row_block_ *
                          std::min(product.columns_,
                                   product.panel_group_ * product.tiles_.columns())),
          runs(product.PointersOfBlock()),
          row_sums(product.sides_.MissingLeftSums() == 0 ? 0 : product.row_block_) {}
    bool IsThere() const {
      return left.get() != nullptr && right.get() != nullptr && block.get() != nullptr &&
             runs.get() != nullptr && row_sums.get() != nullptr;
    }
    const Scratch<T> left, right, block;
    const Scratch<const T*> runs;
    const Scratch<T> row_sums;
  };

  // Those that multiply blocks of a matrix.
  const auto& FunctionsOf(bool widens) const {
    return form_ == Form::kPairs   ? tiles_.pair_function
           : form_ == Form::kQuads ? tiles_.quad_function[sides_.IsLeftSigned()]
           : widens                ? widening_->function
                                   : tiles_.function;
  }
  // Whether the tiles that multiply such a block may have tails.
  bool TakesTails(const LeftBlock& a, bool widens) const {
    if (tiles_.has_masks) return true;
    return tiles_.has_tails && a.runs == nullptr && &FunctionsOf(widens) == &tiles_.function;
  }
  bool CopiesRight() const {
    if (shares_panels_ || goes_along_depth_ || adds_rows_) return false;
    return sides_.GoesAlongRuns() || !reads_right_in_place_ || !tiles_.has_masks;
  }
  bool CopiesLeft() const { return !sides_.IsLeftInPlace() && sides_.LeftPlaces() == nullptr; }
  int64_t PointersOfBlock() const {
    if (sides_.LeftPlaces() != nullptr) return row_block_;
    return sides_.LeftRun() == 0 ? 0 : row_block_ * depth_block_ / sides_.LeftRun();
  }
  LeftBlock LeftOf(const Pointers& group, int64_t row, int64_t rows, int64_t first, int64_t depth,
                   const Shared& shared, const Workspace& work) const;
  // Both parts of a complex number are in one block; others begin with whole tiles.
  int64_t RowOf(int64_t block) const {
    if (has_parts_) return rows_ / 2 * block / row_blocks_ * 2;
    const int64_t tile = sides_.MultiplyPanel() != nullptr ? kRowsTogether : kTileRows;
    return std::min(CeilOfRatio(rows_ * block / row_blocks_, tile) * tile, rows_);
  }
  // As many as take its time: a vector meets each number of the matrix once, which has to be read.
  double ProductsOfBlock() const {
    constexpr double kProductsOfARead = 4;
    const int64_t columns = std::min(columns_, panel_group_ * tiles_.columns());
    const double products = static_cast<double>(row_block_ * columns) * static_cast<double>(depth_);
    return std::min(rows_, columns_) == 1 ? products * kProductsOfARead : products;
  }
  Pointers GroupOf(const Pointers& arrays, int64_t group) const {
    const auto place = [&](Array array) { return offsets_[array] + groups_[array].Place(group); };
    Pointers own = arrays;
    own.left += place(kLeft) * bytes_[kLeft], own.right += place(kRight) * bytes_[kRight];
    own.first = place(kResult);
    if (own.result != nullptr) own.result += own.first * bytes_[kResult];
    return own;
  }

  void RunBlocks(const Pointers& arrays) const;
  void RunGroup(const Pointers& group) const;
  void CopyPanels(const char* right, int64_t panel, int64_t panels, T* to) const;
  // Rows [row, row + rows) of the result in columns of panels [panel, panel + panels).
  void RunBlock(const Pointers& group, int64_t row, int64_t rows, int64_t panel, int64_t panels,
                const Shared& shared, const Workspace& work) const;
  // Rows [row, row + rows) of the left side, some of its depth, times panels.
  void MultiplyPanels(const Pointers& group, int64_t rows, int64_t first, int64_t depth,
                      const LeftBlock& a, int64_t panel, int64_t panels, const Shared& shared,
                      const Workspace& work, T* c, int64_t c_row) const;
  void MultiplyPanel(int64_t rows, int64_t columns, int64_t depth, const LeftBlock& a,
                     const typename MatrixSides<T>::Panel& b, bool widens, T* c, int64_t c_row,
                     bool adds) const;
  void MultiplyAlongDepth(int64_t rows, int64_t columns, int64_t depth,
                          const typename MatrixSides<T>::View& a,
                          const typename MatrixSides<T>::Panel& b, T* c, int64_t c_row,
                          bool adds) const;
  void MultiplyRuns(int64_t rows, const LeftBlock& a, const T* b, int64_t b_column, T* c,
                    int64_t c_row, bool adds) const;
  // Of quads: what sums of left rows their products need.
  void AddLeftSums(const typename MatrixSides<T>::View& a, int64_t rows, int64_t depth, T* sums,
                   bool adds) const;
  void EndBlock(const T* sums, int64_t sums_stride, int64_t row, int64_t rows, int64_t column,
                int64_t columns, const Pointers& group) const;
  void StoreBlock(const T* block, int64_t row, int64_t rows, int64_t column, int64_t columns,
                  char* result) const;
  // Adjacent columns of a block, and where they belong in a row of the result.
  struct ColumnRun {
    int64_t begin, count, place;
  };
  using ColumnRuns = absl::InlinedVector<ColumnRun, 4>;
  ColumnRuns RunsOf(int64_t column, int64_t columns) const;
  // Where neighbours in a column of the block are neighbours in the result.
  void StoreAcross(const T* block, int64_t row, int64_t rows, int64_t column, int64_t columns,
                   char* result) const;
  void StoreComplex(const T* sums, int64_t row, int64_t rows, int64_t column, int64_t columns,
                    char* result) const;
  void Store(const T* sums, int64_t count, char* to) const;

  const Form form_;
  const Tiles<T>& tiles_;
  const WideningTiles<T>* const widening_;
  const bool comes_from_memory_;
  const MatrixSides<T> sides_;
  const PrimitiveType sum_type_, result_type_;
  Walk groups_[kArrays], result_rows_, result_columns_;
  int64_t offsets_[kArrays], bytes_[kArrays];
  int64_t epilogue_columns_, group_count_, rows_, columns_, depth_;
  StoreElements<T>* store_;
  bool is_stored_directly_, is_stored_across_, has_blocks_;
  int64_t panels_, depth_block_, row_block_, row_blocks_, shared_panels_, panel_group_;
  bool shares_panels_, shares_left_, has_parts_, reads_right_in_place_, goes_along_depth_,
      adds_rows_, waits_for_right_;
};

template <typename T>
void TiledProduct<T>::MultiplyPanel(int64_t rows, int64_t columns, int64_t depth,
                                    const LeftBlock& a, const typename MatrixSides<T>::Panel& b,
                                    bool widens, T* c, int64_t c_row, bool adds) const {
  if (auto* const multiply = sides_.MultiplyPanel(); multiply != nullptr) {
    return multiply(rows, columns, depth, a.matrix.data, a.matrix.row,
                    reinterpret_cast<const T*>(b.data), c, c_row, adds);
  }
  const auto& functions = FunctionsOf(widens);
  const int64_t lanes = tiles_.lanes, vectors = CeilOfRatio<int64_t>(columns, lanes);
  const int64_t tail = columns - (vectors - 1) * lanes;
  // Tiles of about equal heights.
  const int64_t tiles = CeilOfRatio<int64_t>(rows, waits_for_right_ ? kRowsThatWait : kTileRows);
  for (int64_t tile = 0; tile < tiles; ++tile) {
    const int64_t begin = rows * tile / tiles, end = rows * (tile + 1) / tiles;
    T* target = c + begin * c_row;
    const auto multiply = [&](T* to, int64_t to_row, int64_t last, bool adds_up) {
      if (a.places != nullptr) {
        return tiles_.scattered_function[end - begin - 1][vectors - 1](
            depth, a.runs + begin, a.places, b.data, b.row, to, to_row, last, adds_up);
      }
      if (a.runs != nullptr) {
        return tiles_.runs_function[end - begin - 1][vectors - 1](a.run_count, sides_.LeftRun(),
                                                                  a.runs + begin, a.rows, b.data,
                                                                  b.row, to, to_row, last, adds_up);
      }
      functions[end - begin - 1][vectors - 1](depth, a.matrix.data + begin * a.matrix.row,
                                              a.matrix.row, a.matrix.column, b.data, b.row, to,
                                              to_row, last, adds_up);
    };
    if (tail == lanes || TakesTails(a, widens)) {
      multiply(target, c_row, tail, adds);
      continue;
    }
    alignas(64) T edge[kTileRows * kTileVectors * 64 / sizeof(T)];
    multiply(edge, vectors * lanes, lanes, false);
    for (int64_t r = 0; r < end - begin; ++r) {
      for (int64_t j = 0; j < columns; ++j) {
        T& place = target[r * c_row + j];
        const T sum = edge[r * vectors * lanes + j];
        place = adds ? place + sum : sum;
      }
    }
  }
}

template <typename T>
void TiledProduct<T>::MultiplyAlongDepth(int64_t rows, int64_t columns, int64_t depth,
                                         const typename MatrixSides<T>::View& a,
                                         const typename MatrixSides<T>::Panel& b, T* c,
                                         int64_t c_row, bool adds) const {
  const auto& functions = form_ == Form::kPairs     ? tiles_.pair_dot_function
                          : form_ == Form::kWidened ? widening_->dot_function
                          : form_ == Form::kQuads
                              ? tiles_.quad_dot_function[sides_.IsLeftSigned()][sides_.FlipsRight()]
                              : tiles_.dot_function;
  const bool is_real = form_ == Form::kPlain || form_ == Form::kWidened;
  // Short columns that come from memory are read as one stream, one after the other, where the rows
  // stay in the nearest cache.
  constexpr int64_t kMostRowBytes = 16 << 10;
  const int64_t short_column = form_ == Form::kPlain ? 2048 : 4096;
  const bool is_stream = comes_from_memory_ && b.row <= short_column && rows <= tiles_.dot_rows &&
                         rows * depth * static_cast<int64_t>(sizeof(T)) <= kMostRowBytes;
  if (rows == 1 && columns_ >= kLeastColumnsOfRowDots && is_real && !is_stream) {
    constexpr int64_t kCacheLine = 64;
    const auto add = form_ == Form::kWidened ? widening_->row_dots_function
                                             : tiles_.row_dots_function[b.row % kCacheLine == 0];
    return add(columns, depth, a.data, b.data, b.row, c, adds);
  }
  for (int64_t j = 0; j < columns;) {
    const bool is_wide = columns - j >= kDotColumns && !is_stream;
    for (int64_t r = 0; r < rows; r += tiles_.dot_rows) {
      const int64_t some = std::min<int64_t>(tiles_.dot_rows, rows - r);
      functions[some - 1][is_wide](depth, a.data + r * a.row, a.row, b.data + j * b.row, b.row,
                                   c + r * c_row + j, c_row, adds);
    }
    j += is_wide ? kDotColumns : 1;
  }
}

template <typename T>
void TiledProduct<T>::MultiplyRuns(int64_t rows, const LeftBlock& a, const T* b, int64_t b_column,
                                   T* c, int64_t c_row, bool adds) const {
  for (int64_t j = 0; j < columns_; j += kDotColumns) {
    const int64_t wide = std::min<int64_t>(kDotColumns, columns_ - j);
    for (int64_t r = 0; r < rows; r += kDotRows) {
      const int64_t some = std::min<int64_t>(kDotRows, rows - r);
      tiles_.dot_runs_function[some - 1][wide - 1](a.run_count, sides_.LeftRun(), a.runs + r,
                                                   a.rows, b + j * b_column, b_column,
                                                   c + r * c_row + j, c_row, adds);
    }
  }
}

template <typename T>
void TiledProduct<T>::AddLeftSums(const typename MatrixSides<T>::View& a, int64_t rows,
                                  int64_t depth, T* sums, bool adds) const {
  constexpr int64_t kOnes = 256;
  T ones[kOnes];
  std::fill_n(ones, kOnes, static_cast<T>(0x01010101));
  const auto& functions = tiles_.quad_dot_function[sides_.IsLeftSigned()][false];
  for (int64_t r = 0; r < rows; r += kDotRows) {
    const int64_t some = std::min<int64_t>(kDotRows, rows - r);
    for (int64_t k = 0; k < depth; k += kOnes) {
      functions[some - 1][false](std::min(kOnes, depth - k), a.data + r * a.row + k, a.row,
                                 reinterpret_cast<const char*>(ones), 0, sums + r, 1,
                                 adds || k > 0);
    }
  }
}

template <typename T>
void TiledProduct<T>::EndBlock(const T* sums, int64_t sums_stride, int64_t row, int64_t rows,
                               int64_t column, int64_t columns, const Pointers& group) const {
  if (has_parts_) return StoreComplex(sums, row, rows, column, columns, group.result);
  if (group.epilogue == nullptr) return StoreBlock(sums, row, rows, column, columns, group.result);
  const int64_t some = result_rows_.IsRegular() ? rows : 1;
  const int64_t inner = epilogue_columns_;
  for (int64_t r = 0; r < rows; r += some) {
    const int64_t place = group.first + result_rows_.Place(row + r);
    for (int64_t j = 0; j < columns;) {
      const int64_t count = std::min(columns - j, inner - (column + j) % inner);
      group.epilogue->Run({sums + r * sums_stride + j, sums_stride, place + column + j,
                           result_rows_.stride(), some, count});
      j += count;
    }
  }
}

template <typename T>
typename TiledProduct<T>::ColumnRuns TiledProduct<T>::RunsOf(int64_t column,
                                                             int64_t columns) const {
  const int64_t inner = result_columns_.loops().empty() ? 1 : result_columns_.loops().back().size;
  ColumnRuns runs;
  for (int64_t j = 0; j < columns; j += runs.back().count) {
    const int64_t count = std::min(columns - j, inner - (column + j) % inner);
    runs.push_back({j, count, result_columns_.Place(column + j)});
  }
  return runs;
}

template <typename T>
void TiledProduct<T>::StoreBlock(const T* block, int64_t row, int64_t rows, int64_t column,
                                 int64_t columns, char* result) const {
  if (is_stored_across_) return StoreAcross(block, row, rows, column, columns, result);
  const ColumnRuns runs = RunsOf(column, columns);
  const int64_t inner = result_rows_.loops().empty() ? 1 : result_rows_.loops().back().size;
  const int64_t row_stride = result_rows_.stride();
  const bool is_plain =
      runs.size() == 1 && store_ == StoreAs<T, T> && result_columns_.stride() == 1;
  for (int64_t r = 0; r < rows;) {
    const int64_t some = std::min(rows - r, inner - (row + r) % inner);
    int64_t place = result_rows_.Place(row + r);
    for (const int64_t end = r + some; r < end; ++r, place += row_stride) {
      if (is_plain) {
        std::copy_n(block + r * columns, columns,
                    reinterpret_cast<T*>(result) + place + runs[0].place);
        continue;
      }
      for (const ColumnRun& run : runs) {
        Store(block + r * columns + run.begin, run.count,
              result + (place + run.place) * bytes_[kResult]);
      }
    }
  }
}

// Behind the rows of one part are those of the other.
template <typename T>
void TiledProduct<T>::StoreAcross(const T* block, int64_t row, int64_t rows, int64_t column,
                                  int64_t columns, char* result) const {
  const int64_t inner = result_rows_.loops().back().size, row_stride = result_rows_.stride();
  const int64_t stride = result_columns_.stride();
  const bool has_squares = tiles_.transpose != nullptr && row_stride == 1;
  for (int64_t r = 0; r < rows;) {
    const int64_t count = std::min(rows - r, inner - (row + r) % inner);
    const T* const from = block + r * columns;
    T* const to =
        reinterpret_cast<T*>(result) + result_rows_.Place(row + r) + result_columns_.Place(column);
    const int64_t whole_rows = has_squares ? count / 4 * 4 : 0;
    const int64_t whole_columns = has_squares ? columns / 4 * 4 : 0;
    for (int64_t j = 0; j < columns; ++j) {
      if (j < whole_columns && j % 4 == 0) {
        for (int64_t i = 0; i < whole_rows; i += 4)
          tiles_.transpose(from + i * columns + j, columns, to + j * stride + i, stride);
      }
      for (int64_t i = j < whole_columns ? whole_rows : 0; i < count; ++i)
        to[j * stride + i * row_stride] = from[i * columns + j];
    }
    r += count;
  }
}

template <typename T>
void TiledProduct<T>::StoreComplex(const T* sums, int64_t row, int64_t rows, int64_t column,
                                   int64_t columns, char* result) const {
  const bool has_part_columns = form_ == Form::kPartsAsRows;
  const int64_t parts = has_part_columns ? 2 : 1;
  const ColumnRuns runs = RunsOf(column / parts, columns / parts);
  const int64_t stride = 2 * result_columns_.stride();
  for (int64_t r = 0; r < rows / 2; ++r) {
    const int64_t place = result_rows_.Place(row / 2 + r);
    for (const ColumnRun& run : runs) {
      const T* const x = sums + r * columns + run.begin * parts;
      const T* const y = x + rows / 2 * columns;
      T* const to = reinterpret_cast<T*>(result) + 2 * (place + run.place);
      if (has_part_columns && stride == 2) {
        tiles_.add_turned(run.count, x, y, to);
        continue;
      }
      for (int64_t j = 0; j < run.count; ++j) {
        to[j * stride] = has_part_columns ? x[2 * j] - y[2 * j + 1] : x[j];
        to[j * stride + 1] = has_part_columns ? x[2 * j + 1] + y[2 * j] : y[j];
      }
    }
  }
}

template <typename T>
void TiledProduct<T>::Store(const T* sums, int64_t count, char* to) const {
  const int64_t stride = result_columns_.stride();
  if (store_ != nullptr) return store_(sums, count, to, stride);
  constexpr int64_t kMost = 64;
  alignas(16) char rounded[kMost * 16], converted[kMost * 16];
  for (int64_t i = 0; i < count; i += kMost) {
    const int64_t some = std::min(kMost, count - i);
    ConvertElements(TypeOf<T>(false), sums + i, sum_type_, rounded, some);
    ConvertElements(sum_type_, rounded, result_type_, converted, some);
    CopyStrided(bytes_[kResult], {some}, converted, {1}, to + i * stride * bytes_[kResult],
                {stride});
  }
}

template <typename T>
typename TiledProduct<T>::LeftBlock TiledProduct<T>::LeftOf(const Pointers& group, int64_t row,
                                                            int64_t rows, int64_t first,
                                                            int64_t depth, const Shared& shared,
                                                            const Workspace& work) const {
  if (const int64_t run = sides_.LeftRun(); run > 0) {
    sides_.FindLeftRuns(group.left, row, rows, first, depth / run, work.runs.get(),
                        work.left.get());
    return {{}, work.runs.get(), depth / run, rows};
  }
  if (const int64_t* const places = sides_.LeftPlaces(); places != nullptr) {
    if (first == 0) sides_.FindLeftRows(group.left, row, rows, work.runs.get());
    return {{}, work.runs.get(), 0, rows, places + first};
  }
  const T* copy = work.left.get();
  if (shared.left != nullptr) {
    copy = shared.left + first * rows;
  } else if (!sides_.IsLeftInPlace()) {
    sides_.CopyLeft(group.left, row, rows, first, depth, work.left.get());
  }
  return {sides_.Left(group.left, row, rows, first, depth, copy)};
}

template <typename T>
void TiledProduct<T>::MultiplyPanels(const Pointers& group, int64_t rows, int64_t first,
                                     int64_t depth, const LeftBlock& a, int64_t panel,
                                     int64_t panels, const Shared& shared, const Workspace& work,
                                     T* c, int64_t c_row) const {
  const int64_t width = tiles_.columns();
  for (int64_t p = panel; p < panel + panels; ++p) {
    const int64_t wide = std::min(width, columns_ - p * width);
    typename MatrixSides<T>::Panel b = {reinterpret_cast<const char*>(work.right.get()),
                                        width * static_cast<int64_t>(sizeof(T))};
    const bool is_in_place = shared.panels == nullptr && reads_right_in_place_ &&
                             (wide % tiles_.lanes == 0 || TakesTails(a, form_ == Form::kWidened));
    const bool widens = is_in_place && form_ == Form::kWidened;
    if (shared.panels != nullptr) {
      b.data =
          reinterpret_cast<const char*>(shared.panels + ((p - panel) * depth_ + first) * width);
    } else if (is_in_place) {
      b = sides_.Right(group.right, p * width, first);
    } else {
      sides_.CopyPanel(group.right, p, first, depth, work.right.get());
    }
    MultiplyPanel(rows, wide, depth, a, b, widens, c + (p - panel) * width, c_row, first > 0);
  }
}

template <typename T>
void TiledProduct<T>::RunBlock(const Pointers& group, int64_t row, int64_t rows, int64_t panel,
                               int64_t panels, const Shared& shared, const Workspace& work) const {
  const int64_t width = tiles_.columns();
  const int64_t column = panel * width;
  const int64_t columns = std::min(columns_, (panel + panels) * width) - column;
  const int64_t row_stride = result_rows_.stride();
  T* c = work.block.get();
  int64_t c_row = columns;
  if (is_stored_directly_) {
    c_row = row_stride;
    c = reinterpret_cast<T*>(group.result) + row * row_stride + column;
  }
  int64_t first = 0;
  do {
    const int64_t depth = std::min(depth_block_, depth_ - first);
    const LeftBlock a = LeftOf(group, row, rows, first, depth, shared, work);
    if (sides_.MissingLeftSums() != 0)
      AddLeftSums(a.matrix, rows, depth, work.row_sums.get(), first > 0);
    if (goes_along_depth_) {
      MultiplyAlongDepth(rows, columns, depth, a.matrix,
                         sides_.RightColumns(group.right, column, first), c, c_row, first > 0);
    } else if (adds_rows_) {
      const auto b = sides_.Right(group.right, column, first);
      if (first == 0) std::fill_n(c, columns, T(0));
      const auto add = form_ == Form::kWidened ? widening_->add_rows : tiles_.add_rows;
      add(depth, a.matrix.data, a.matrix.column, b.data, b.row, columns, c);
    } else if (sides_.GoesAlongRuns()) {
      const T* b = work.right.get();
      if (shared.panels != nullptr) {
        b = shared.panels + first;
      } else {
        sides_.CopyRightColumns(group.right, first, depth, work.right.get());
      }
      MultiplyRuns(rows, a, b, shared.panels != nullptr ? depth_ : depth, c, c_row, first > 0);
    } else {
      MultiplyPanels(group, rows, first, depth, a, panel, panels, shared, work, c, c_row);
    }
    first += depth;
  } while (first < depth_);
  if (const T factor = static_cast<T>(sides_.MissingLeftSums()); factor != 0) {
    for (int64_t r = 0; r < rows; ++r) {
      const T missing = factor * work.row_sums.get()[r];
      for (int64_t j = 0; j < columns; ++j) c[r * c_row + j] += missing;
    }
  }
  if (!is_stored_directly_) EndBlock(c, c_row, row, rows, column, columns, group);
}

template <typename T>
void TiledProduct<T>::CopyPanels(const char* right, int64_t panel, int64_t panels, T* to) const {
  if (sides_.GoesAlongRuns()) return sides_.CopyRightColumns(right, 0, depth_, to);
  const int64_t width = tiles_.columns(), pieces = CeilOfRatio(depth_, depth_block_);
  runtime::ParallelFor(
      panels * pieces, LeastParts(static_cast<double>(kProductsOfACopy * depth_block_ * width)),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t p = i / pieces, first = i % pieces * depth_block_;
          sides_.CopyPanel(right, panel + p, first, std::min(depth_block_, depth_ - first),
                           to + (p * depth_ + first) * width);
        }
      });
}

template <typename T>
void TiledProduct<T>::RunGroup(const Pointers& group) const {
  const int64_t width = tiles_.columns();
  const Scratch<T> shared(shares_panels_ ? shared_panels_ * depth_ * width : 0);
  const Scratch<T> left(shares_left_ ? rows_ * depth_ : 0);
  if (shared.get() == nullptr || left.get() == nullptr) {
    *group.failed = true;
    return;
  }
  if (shares_left_) {
    const int64_t parts = CeilOfRatio(depth_, depth_block_);
    runtime::ParallelFor(
        row_blocks_ * parts,
        LeastParts(static_cast<double>(kProductsOfACopy * row_block_ * depth_block_)),
        [&](int64_t begin, int64_t end) {
          for (int64_t part = begin; part < end; ++part) {
            const int64_t row = RowOf(part / parts), rows = RowOf(part / parts + 1) - row;
            const int64_t first = part % parts * depth_block_;
            sides_.CopyLeft(group.left, row, rows, first, std::min(depth_block_, depth_ - first),
                            left.get() + row * depth_ + first * rows);
          }
        });
  }
  for (int64_t begin = 0; begin < panels_; begin += shared_panels_) {
    const int64_t panels = std::min(shared_panels_, panels_ - begin);
    if (shares_panels_) CopyPanels(group.right, begin, panels, shared.get());
    const int64_t panel_groups = CeilOfRatio(panels, panel_group_);
    runtime::ParallelFor(
        row_blocks_ * panel_groups, LeastParts(ProductsOfBlock()),
        [&](int64_t first, int64_t last) {
          const Workspace work(*this);
          if (!work.IsThere()) return (void)(*group.failed = true);
          for (int64_t part = first; part < last; ++part) {
            const int64_t block = part / panel_groups, panel = part % panel_groups * panel_group_;
            const int64_t row = RowOf(block);
            RunBlock(group, row, RowOf(block + 1) - row, begin + panel,
                     std::min(panel_group_, panels - panel),
                     {shares_left_ ? left.get() + row * depth_ : nullptr,
                      shares_panels_ ? shared.get() + panel * depth_ * width : nullptr},
                     work);
          }
        });
  }
}

// Blocks of all groups, which have nothing in common.
template <typename T>
void TiledProduct<T>::RunBlocks(const Pointers& arrays) const {
  const int64_t panel_groups = CeilOfRatio(panels_, panel_group_),
                parts = row_blocks_ * panel_groups;
  runtime::ParallelFor(
      group_count_ * parts, LeastParts(ProductsOfBlock()), [&](int64_t begin, int64_t end) {
        const Workspace work(*this);
        if (!work.IsThere()) return (void)(*arrays.failed = true);
        for (int64_t g = begin / parts; g * parts < end; ++g) {
          const Pointers group = GroupOf(arrays, g);
          const int64_t last = std::min(end - g * parts, parts);
          for (int64_t part = std::max<int64_t>(0, begin - g * parts); part < last; ++part) {
            const int64_t row = RowOf(part / panel_groups);
            const int64_t panel = part % panel_groups * panel_group_;
            RunBlock(group, row, RowOf(part / panel_groups + 1) - row, panel,
                     std::min(panel_group_, panels_ - panel), {}, work);
          }
        }
      });
}

template <typename T>
absl::Status TiledProduct<T>::Run(Pointers arrays) const {
  if (group_count_ == 0 || rows_ == 0 || columns_ == 0) return absl::OkStatus();
  std::atomic<bool> failed = false;
  arrays.failed = &failed;
  const auto run = [&](int64_t first, int64_t last) {
    for (int64_t g = first; g < last; ++g) RunGroup(GroupOf(arrays, g));
  };
  // Threads divide the groups, or each of them where that makes more parts.
  const int64_t parts_of_group = row_blocks_ * CeilOfRatio(shared_panels_, panel_group_);
  if (!shares_panels_ && !shares_left_) {
    RunBlocks(arrays);
  } else if (group_count_ < std::min(kParts, parts_of_group)) {
    run(0, group_count_);
  } else {
    runtime::ParallelFor(
        group_count_,
        LeastParts(static_cast<double>(rows_ * columns_) * static_cast<double>(depth_)), run);
  }
  if (failed)
    return ResourceExhausted("no memory for a product of %d x %d x %d", rows_, columns_, depth_);
  return absl::OkStatus();
}

}  // namespace

template <typename T>
std::unique_ptr<Product> MakeTiledProduct(const Contraction& contraction, Form form,
                                          PrimitiveType sum_type) {
  return std::make_unique<TiledProduct<T>>(contraction, form, sum_type);
}

template std::unique_ptr<Product> MakeTiledProduct<float>(const Contraction&, Form, PrimitiveType);
template std::unique_ptr<Product> MakeTiledProduct<double>(const Contraction&, Form, PrimitiveType);
template std::unique_ptr<Product> MakeTiledProduct<uint32_t>(const Contraction&, Form,
                                                             PrimitiveType);
template std::unique_ptr<Product> MakeTiledProduct<uint64_t>(const Contraction&, Form,
                                                             PrimitiveType);

}  // namespace xla::cpu
