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

constexpr int64_t kLeastLanes = 8, kMostColumns = 4, kMostSums = 128;
constexpr int64_t kMostDepth = 1 << 20;
// So much of the depth is multiplied at once that it stays in the cache for all sums.
constexpr int64_t kDepthBlock = 128;
// How many parts of the work there should be for threads to choose from.
constexpr int64_t kParts = 16;

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
  const Walk walk(loops, {}, array);
  std::vector<int64_t> places(Count(loops));
  for (size_t i = 0; i < places.size(); ++i) places[i] = walk.Place(static_cast<int64_t>(i));
  return places;
}

class LaneProduct : public Product {
 public:
  explicit LaneProduct(Contraction c)
      : tiles_(TilesOf<float>(c.instruction_set)),
        store_(StoreElementsOf<float>(c.types[kResult], c.instruction_set)),
        result_bytes_(primitive_util::ByteWidth(c.types[kResult])),
        offsets_(c.offsets) {
    const Lanes lanes = FindLanes(c);
    is_depth_ = lanes.loops == &c.depth;
    Loops& loops = is_depth_ ? c.depth : c.groups;
    lanes_ = loops[lanes.number];
    loops.erase(loops.begin() + static_cast<int64_t>(lanes.number));
    group_count_ = Count(c.groups);
    depth_ = Count(c.depth);
    for (Array array : {kLeft, kRight, kResult}) groups_[array] = Walk(c.groups, {}, array);
    left_rows_ = PlacesOf(c.rows, kLeft), result_rows_ = PlacesOf(c.rows, kResult);
    right_columns_ = PlacesOf(c.columns, kRight), result_columns_ = PlacesOf(c.columns, kResult);
    left_depth_ = PlacesOf(c.depth, kLeft), right_depth_ = PlacesOf(c.depth, kRight);
    vectors_ = CeilOfRatio<int64_t>(lanes_.size, tiles_.lanes);
    parts_ = std::clamp<int64_t>(
        std::min(CeilOfRatio(kParts, std::max<int64_t>(1, group_count_)), depth_ / kDepthBlock), 1,
        kParts);
  }

  absl::Status Run(const void* left, const void* right, void* result) const override {
    const int64_t sums = SumsOfPart();
    const Scratch<float> all(group_count_ * parts_ * sums);
    if (all.get() == nullptr) return ResourceExhausted("no memory for sums");
    const double work = static_cast<double>(sums) * static_cast<double>(depth_ / parts_ + 1);
    runtime::ParallelFor(group_count_ * parts_, LeastParts(work), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t group = i / parts_, part = i % parts_;
        AddPart(static_cast<const float*>(left) + offsets_[kLeft] + groups_[kLeft].Place(group),
                static_cast<const float*>(right) + offsets_[kRight] + groups_[kRight].Place(group),
                depth_ * part / parts_, depth_ * (part + 1) / parts_, all.get() + i * sums);
      }
    });
    runtime::ParallelFor(group_count_, LeastParts(static_cast<double>(parts_ * sums)),
                         [&](int64_t begin, int64_t end) {
                           for (int64_t group = begin; group < end; ++group)
                             Store(group, all.get() + group * parts_ * sums, result);
                         });
    return absl::OkStatus();
  }

 private:
  int64_t rows() const { return static_cast<int64_t>(left_rows_.size()); }
  int64_t columns() const { return static_cast<int64_t>(right_columns_.size()); }
  // [columns][rows][lanes], in whole vectors.
  int64_t RowOfSums() const { return vectors_ * tiles_.lanes; }
  int64_t SumsOfPart() const { return columns() * rows() * RowOfSums(); }

  void AddPart(const float* left, const float* right, int64_t first, int64_t last,
               float* sums) const {
    std::fill_n(sums, SumsOfPart(), 0.0f);
    const int64_t tiles = CeilOfRatio<int64_t>(rows(), kTileRows);
    for (; first < last; first += kDepthBlock) {
      const int64_t depth = std::min(kDepthBlock, last - first);
      for (int64_t v = 0; v < vectors_; ++v) {
        const int64_t lane = v * tiles_.lanes;
        const int64_t count = std::min<int64_t>(tiles_.lanes, lanes_.size - lane);
        for (int64_t column = 0; column < columns(); ++column) {
          for (int64_t tile = 0; tile < tiles; ++tile) {
            const int64_t begin = rows() * tile / tiles, end = rows() * (tile + 1) / tiles;
            const float* a[kTileRows];
            for (int64_t r = begin; r < end; ++r) a[r - begin] = left + left_rows_[r] + lane;
            tiles_.lane_function[end - begin - 1](
                depth, a, left_depth_.data() + first, right + right_columns_[column] + lane,
                right_depth_.data() + first, count,
                sums + (column * rows() + begin) * RowOfSums() + lane, RowOfSums());
          }
        }
      }
    }
  }

  // The sums of all parts.
  void Store(int64_t group, float* sums, void* result) const {
    const int64_t count = SumsOfPart();
    for (int64_t part = 1; part < parts_; ++part) {
      for (int64_t i = 0; i < count; ++i) sums[i] += sums[part * count + i];
    }
    char* const to = static_cast<char*>(result) +
                     (offsets_[kResult] + groups_[kResult].Place(group)) * result_bytes_;
    for (int64_t column = 0; column < columns(); ++column) {
      for (int64_t row = 0; row < rows(); ++row, sums += RowOfSums()) {
        char* const place = to + (result_columns_[column] + result_rows_[row]) * result_bytes_;
        if (!is_depth_) {
          store_(sums, lanes_.size, place, lanes_.strides[kResult]);
          continue;
        }
        float sum = 0;
        for (int64_t lane = 0; lane < lanes_.size; ++lane) sum += sums[lane];
        store_(&sum, 1, place, 1);
      }
    }
  }

  const Tiles<float>& tiles_;
  StoreElements<float>* const store_;
  const int64_t result_bytes_;
  const std::array<int64_t, kArrays> offsets_;
  bool is_depth_;
  Loop lanes_;
  int64_t group_count_, depth_, vectors_, parts_;
  Walk groups_[kArrays];
  std::vector<int64_t> left_rows_, result_rows_, right_columns_, result_columns_, left_depth_,
      right_depth_;
};

}  // namespace

bool HasLanes(const Contraction& c) {
  return c.bounds.empty() && Count(c.columns) <= kMostColumns &&
         Count(c.columns) * Count(c.rows) <= kMostSums && Count(c.depth) <= kMostDepth &&
         FindLanes(c).loops != nullptr &&
         StoreElementsOf<float>(c.types[kResult], c.instruction_set) != nullptr;
}

std::unique_ptr<Product> MakeLaneProduct(const Contraction& contraction) {
  return std::make_unique<LaneProduct>(contraction);
}

}  // namespace xla::cpu
