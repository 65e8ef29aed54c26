#include "cpu/kernels/lane_product.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "cpu/kernels/gather.h"
#include "cpu/kernels/matrix_tiles.h"
#include "cpu/kernels/scratch.h"
#include "cpu/kernels/store.h"
#include "cpu/kernels/work.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kLeastLanes = 8, kMostColumns = 4;
// Sums of a block stay in the first cache.
constexpr int64_t kBytesOfBlock = 16384, kMostRowsOfBlock = 96;
constexpr int64_t kLeastLaneDepth = 16, kMostLaneDepth = 1 << 20;
// So much of the depth is multiplied at once that it stays in the cache for all sums.
constexpr int64_t kLaneDepthBlock = 128;
// How many parts of the work there should be for threads to choose from.
constexpr int64_t kLaneParts = 16;

struct Lanes {
  const Loops* loops = nullptr;  // those with the one that vectors go along
  size_t number = 0;
};

Lanes FindLanes(const Contraction& c) {
  for (const Loops* loops : {&c.groups, &c.depth}) {
    for (size_t i = 0; i < loops->size(); ++i) {
      const Loop& loop = (*loops)[i];
      if (loop.strides[kLeft] == 1 && loop.strides[kRight] == 1 && loop.size >= kLeastLanes)
        return {loops, i};
    }
  }
  return {};
}

std::vector<int64_t> PlacesOf(const Loops& loops, Array array) {
  return Walk(loops, {}, array).Places();
}

template <typename T>
class LaneProduct : public Product {
 public:
  explicit LaneProduct(Contraction c)
      : tiles_(TilesOf<T>(c.instruction_set)),
        store_(StoreElementsOf<T>(c.types[kResult], c.instruction_set)),
        result_bytes_(primitive_util::ByteWidth(c.types[kResult])),
        offsets_(c.offsets) {
    const Lanes lanes = FindLanes(c);
    is_depth_ = lanes.loops == &c.depth;
    Loops& loops = is_depth_ ? c.depth : c.groups;
    lanes_ = loops[lanes.number];
    loops.erase(loops.begin() + static_cast<int64_t>(lanes.number));
    group_count_ = Count(c.groups), rows_ = Count(c.rows), depth_ = Count(c.depth);
    for (Array array : {kLeft, kRight, kResult}) groups_[array] = Walk(c.groups, {}, array);
    left_rows_ = Walk(c.rows, {}, kLeft), result_rows_ = Walk(c.rows, {}, kResult);
    right_columns_ = PlacesOf(c.columns, kRight), result_columns_ = PlacesOf(c.columns, kResult);
    left_depth_ = PlacesOf(c.depth, kLeft), right_depth_ = PlacesOf(c.depth, kRight);
    vectors_ = CeilOfRatio<int64_t>(lanes_.size, tiles_.lanes);
    row_block_ = std::clamp<int64_t>(
        kBytesOfBlock / static_cast<int64_t>(sizeof(T)) / (RowOfSums() * columns()), kTileRows,
        kMostRowsOfBlock);
    row_blocks_ = CeilOfRatio(rows_, row_block_);
    row_block_ = CeilOfRatio(rows_, row_blocks_);
    parts_ = std::clamp<int64_t>(
        std::min(kLaneParts / (group_count_ * row_blocks_), depth_ / kLaneDepthBlock), 1,
        kLaneParts);
  }

  absl::Status Run(const void* left, const void* right, void* result) const override {
    const int64_t blocks = group_count_ * row_blocks_, sums = SumsOfBlock();
    const Scratch<T> all(parts_ > 1 ? blocks * parts_ * sums : 0);
    std::atomic<bool> failed = all.get() == nullptr;
    const double work = static_cast<double>(sums) * static_cast<double>(depth_ / parts_ + 1);
    runtime::ParallelFor(
        failed ? 0 : blocks * parts_, LeastParts(work), [&](int64_t begin, int64_t end) {
          const Scratch<T> own(parts_ > 1 ? 0 : sums);
          if (own.get() == nullptr) return (void)(failed = true);
          for (int64_t i = begin; i < end; ++i) {
            const int64_t block = i / parts_, part = i % parts_;
            T* const to = parts_ > 1 ? all.get() + i * sums : own.get();
            AddPart(block, static_cast<const T*>(left), static_cast<const T*>(right),
                    depth_ * part / parts_, depth_ * (part + 1) / parts_, to);
            if (parts_ == 1) Store(block, to, static_cast<char*>(result));
          }
        });
    if (failed) return ResourceExhausted("no memory for sums");
    for (int64_t block = 0; parts_ > 1 && block < blocks; ++block)
      Store(block, all.get() + block * parts_ * sums, static_cast<char*>(result));
    return absl::OkStatus();
  }

 private:
  int64_t columns() const { return static_cast<int64_t>(right_columns_.size()); }
  // Sums of a block are [columns][rows][lanes], in whole vectors.
  int64_t RowOfSums() const { return vectors_ * tiles_.lanes; }
  int64_t SumsOfBlock() const { return columns() * row_block_ * RowOfSums(); }
  int64_t RowOf(int64_t block) const { return block % row_blocks_ * row_block_; }
  int64_t RowsOf(int64_t block) const { return std::min(row_block_, rows_ - RowOf(block)); }

  // Adds up depth [first, last) of a block.
  void AddPart(int64_t block, const T* left, const T* right, int64_t first, int64_t last,
               T* sums) const {
    const int64_t group = block / row_blocks_, rows = RowsOf(block);
    left += offsets_[kLeft] + groups_[kLeft].Place(group);
    right += offsets_[kRight] + groups_[kRight].Place(group);
    const T* places[kMostRowsOfBlock];
    left_rows_.FindPlaces(left, RowOf(block), rows, places);
    std::fill_n(sums, SumsOfBlock(), T(0));
    const int64_t tiles = CeilOfRatio<int64_t>(rows, kTileRows);
    for (; first < last; first += kLaneDepthBlock) {
      const int64_t depth = std::min(kLaneDepthBlock, last - first);
      for (int64_t v = 0; v < vectors_; ++v) {
        const int64_t lane = v * tiles_.lanes;
        const int64_t count = std::min<int64_t>(tiles_.lanes, lanes_.size - lane);
        for (int64_t column = 0; column < columns(); ++column) {
          for (int64_t tile = 0; tile < tiles; ++tile) {
            const int64_t begin = rows * tile / tiles, end = rows * (tile + 1) / tiles;
            const T* a[kTileRows];
            for (int64_t r = begin; r < end; ++r) a[r - begin] = places[r] + lane;
            tiles_.lane_function[end - begin - 1](
                depth, a, left_depth_.data() + first, right + right_columns_[column] + lane,
                right_depth_.data() + first, count,
                sums + (column * row_block_ + begin) * RowOfSums() + lane, RowOfSums());
          }
        }
      }
    }
  }

  // The sums of all parts of a block.
  void Store(int64_t block, T* sums, char* result) const {
    const int64_t count = SumsOfBlock(), rows = RowsOf(block);
    for (int64_t part = 1; part < parts_; ++part) {
      for (int64_t i = 0; i < count; ++i) sums[i] += sums[part * count + i];
    }
    char* to[kMostRowsOfBlock];
    const int64_t offset = offsets_[kResult] + groups_[kResult].Place(block / row_blocks_);
    for (int64_t r = 0; r < rows; ++r)
      to[r] = result + (offset + result_rows_.Place(RowOf(block) + r)) * result_bytes_;
    for (int64_t column = 0; column < columns(); ++column) {
      for (int64_t r = 0; r < rows; ++r) {
        const T* const lanes = sums + (column * row_block_ + r) * RowOfSums();
        char* const place = to[r] + result_columns_[column] * result_bytes_;
        if (!is_depth_) {
          store_(lanes, lanes_.size, place, lanes_.strides[kResult]);
          continue;
        }
        T sum = 0;
        for (int64_t lane = 0; lane < lanes_.size; ++lane) sum += lanes[lane];
        store_(&sum, 1, place, 1);
      }
    }
  }

  const Tiles<T>& tiles_;
  StoreElements<T>* const store_;
  const int64_t result_bytes_;
  const std::array<int64_t, kArrays> offsets_;
  bool is_depth_;
  Loop lanes_;
  int64_t group_count_, rows_, depth_, vectors_, row_block_, row_blocks_, parts_;
  Walk groups_[kArrays], left_rows_, result_rows_;
  std::vector<int64_t> right_columns_, result_columns_, left_depth_, right_depth_;
};

}  // namespace

template <typename T>
bool HasLanes(const Contraction& c) {
  if (!c.bounds.empty() || Count(c.columns) > kMostColumns || Count(c.depth) > kMostLaneDepth ||
      Count(c.groups) * Count(c.rows) * Count(c.columns) * Count(c.depth) == 0 ||
      StoreElementsOf<T>(c.types[kResult], c.instruction_set) == nullptr) {
    return false;
  }
  const Lanes lanes = FindLanes(c);
  if (lanes.loops != &c.depth) return lanes.loops != nullptr;
  // Matrices are multiplied along their depth by others, and lanes have to be filled often enough.
  const auto is_matrix = [&](Array array, const Loops& outer) {
    return Walk(outer, {}, array).IsRegular() && Walk(c.depth, {}, array).IsRegular();
  };
  return Count(c.rows) <= kMostRowsOfBlock &&
         Count(c.depth) >= kLeastLaneDepth * c.depth[lanes.number].size &&
         !(is_matrix(kLeft, c.rows) && is_matrix(kRight, c.columns));
}

template <typename T>
std::unique_ptr<Product> MakeLaneProduct(const Contraction& contraction) {
  return std::make_unique<LaneProduct<T>>(contraction);
}

template bool HasLanes<float>(const Contraction&);
template bool HasLanes<double>(const Contraction&);
template std::unique_ptr<Product> MakeLaneProduct<float>(const Contraction&);
template std::unique_ptr<Product> MakeLaneProduct<double>(const Contraction&);

}  // namespace xla::cpu
