#include "cpu/kernels/planar_product.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
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

// The columns of a padded plane are computed too; not more than this may be in vain.
constexpr double kMostInVain = 0.35;
constexpr int64_t kMostPlaneRows = 96, kDepthBlock = 256;
// Of few rows, so many sums are made before they are stored.
constexpr int64_t kSumsOfStrip = 512;
// Neighbours in the result lie apart where a convolution is computed in parts; many rows are then
// rather columns.
constexpr int64_t kMostResultStride = 4, kMostRowsOfStrided = 16;

// The input as planes that lie one after the other, and how much larger the padded ones are.
struct Planes {
  std::vector<int> order;                     // of the bounds, the outermost first
  std::vector<int64_t> before, sizes;         // padding in front and padded size, in that order
  std::vector<int64_t> strides;               // in the padded plane
  int64_t elements = 1, padded_elements = 1;  // of one plane
  int64_t count = 0;
};

// The one loop over columns that moves along a bound; null if there are none or several.
const Loop* ColumnLoop(const Contraction& c, int bound) {
  const auto is_along = [&](const Loop& loop) { return loop.bound == bound; };
  const auto found = absl::c_find_if(c.columns, is_along);
  return absl::c_count_if(c.columns, is_along) == 1 ? &*found : nullptr;
}

std::optional<Planes> FindPlanes(const Contraction& c) {
  Planes planes;
  for (size_t b = 0; b < c.bounds.size(); ++b) {
    if (c.bounds[b].stride > 0) planes.order.push_back(static_cast<int>(b));
  }
  if (planes.order.empty()) return std::nullopt;
  absl::c_stable_sort(planes.order,
                      [&](int x, int y) { return c.bounds[x].stride > c.bounds[y].stride; });
  const size_t rank = planes.order.size();
  planes.before.resize(rank), planes.sizes.resize(rank), planes.strides.resize(rank);
  for (size_t i = rank; i-- > 0;) {
    const int b = planes.order[i];
    const Bound& bound = c.bounds[b];
    const Loop* column = ColumnLoop(c, b);
    if (bound.stride != planes.elements || column == nullptr || column->step != 1)
      return std::nullopt;
    int64_t least = bound.start, most = bound.start;
    for (const Loops* loops : {&c.columns, &c.depth}) {
      for (const Loop& loop : *loops) {
        if (loop.bound == b) (loop.step < 0 ? least : most) += loop.step * (loop.size - 1);
      }
    }
    planes.before[i] = std::max<int64_t>(0, -least);
    planes.sizes[i] = planes.before[i] + std::max(bound.size, most + 1);
    planes.strides[i] = planes.padded_elements;
    planes.elements *= bound.size;
    planes.padded_elements *= planes.sizes[i];
  }
  if (planes.elements == 0) return std::nullopt;
  planes.count = c.counts[kRight] / planes.elements;
  // Everything else moves from plane to plane.
  for (const Loops* loops : {&c.groups, &c.columns, &c.depth}) {
    for (const Loop& loop : *loops) {
      const int64_t stride = loop.strides[kRight];
      if (loop.bound >= 0 ? stride != 0 : stride % planes.elements != 0) return std::nullopt;
    }
  }
  if (c.offsets[kRight] % planes.elements != 0) return std::nullopt;
  return planes;
}

template <typename T>
class PlanarProduct : public Product {
 public:
  // Takes a contraction for which FindPlanes has found these.
  PlanarProduct(const Contraction& contraction, Planes planes)
      : tiles_(TilesOf<T>(contraction.instruction_set)),
        store_(StoreElementsOf<T>(contraction.types[kResult], contraction.instruction_set)),
        result_bytes_(primitive_util::ByteWidth(contraction.types[kResult])),
        planes_(std::move(planes)),
        left_(contraction, kLeft),
        rows_(Count(contraction.rows)),
        depth_(Count(contraction.depth)),
        row_stride_(Walk(contraction.rows, {}, kResult).stride()),
        left_offset_(contraction.offsets[kLeft]),
        right_offset_(contraction.offsets[kRight]),
        result_offset_(contraction.offsets[kResult]) {
    // Everything but the spatial dimensions of the result is a loop around them.
    Loops outer = contraction.groups;
    for (const Loop& loop : contraction.columns) {
      if (loop.bound < 0) outer.push_back(loop);
    }
    group_count_ = Count(contraction.groups);
    outer_count_ = Count(outer);
    for (Array array : {kLeft, kRight, kResult}) outer_[array] = Walk(outer, {}, array);
    for (size_t i = 0; i < planes_.order.size(); ++i) {
      const Loop& loop = *ColumnLoop(contraction, planes_.order[i]);
      spatial_.push_back({loop.size, loop.strides[kResult]});
      inside_.push_back(contraction.bounds[planes_.order[i]].size);
      grid_ += (loop.size - 1) * planes_.strides[i];
    }
    const Walk depth(contraction.depth, contraction.bounds, kRight);
    std::vector<int64_t> along(contraction.bounds.size());
    for (int64_t k = 0; k < depth_; ++k) {
      int64_t offset = PlaneAt(depth.Place(k, along.data()));
      for (size_t i = 0; i < planes_.order.size(); ++i) {
        const int b = planes_.order[i];
        offset += (contraction.bounds[b].start + along[b] + planes_.before[i]) * planes_.strides[i];
      }
      offsets_.push_back(offset * static_cast<int64_t>(sizeof(T)));
    }
  }

  absl::Status Run(const void* left, const void* right, void* result) const override {
    const int64_t width = tiles_.columns();
    // Vectors may go beyond the last plane.
    const int64_t padded = planes_.count * planes_.padded_elements;
    const Scratch<T> copy(padded + 2 * width);
    const Scratch<T> kernel(left_.IsMatrix() ? 0 : group_count_ * rows_ * depth_);
    if (copy.get() == nullptr || kernel.get() == nullptr)
      return ResourceExhausted("no memory for %d elements", padded);
    std::fill_n(copy.get() + padded, 2 * width, T(0));
    Pad(static_cast<const T*>(right), copy.get());
    const T* const weights = static_cast<const T*>(left) + left_offset_;
    const int64_t outer_of_group = outer_count_ / group_count_;
    for (int64_t g = 0; g < group_count_ && !left_.IsMatrix(); ++g) {
      left_.Fill(reinterpret_cast<const char*>(weights + outer_[kLeft].Place(g * outer_of_group)),
                 false, 0, rows_, 0, depth_, kernel.get() + g * rows_ * depth_, depth_, 1);
    }
    const int64_t strip = std::max<int64_t>(1, kSumsOfStrip / (rows_ * width)) * width;
    const int64_t strips = CeilOfRatio(grid_, strip);
    std::atomic<bool> failed = false;
    const double work = static_cast<double>(rows_ * strip) * static_cast<double>(depth_);
    runtime::ParallelFor(outer_count_ * strips, LeastParts(work), [&](int64_t begin, int64_t end) {
      const Scratch<T> block(std::min(rows_, kMostPlaneRows) * strip);
      if (block.get() == nullptr) return (void)(failed = true);
      for (int64_t part = begin; part < end; ++part) {
        const int64_t at = part / strips, column = part % strips * strip;
        const int64_t columns = std::min(strip, grid_ - column);
        const T* const a = left_.IsMatrix() ? weights + outer_[kLeft].Place(at)
                                            : kernel.get() + at / outer_of_group * rows_ * depth_;
        const T* const b = copy.get() + PlaneAt(right_offset_ + outer_[kRight].Place(at)) + column;
        char* const c = static_cast<char*>(result) +
                        (result_offset_ + outer_[kResult].Place(at)) * result_bytes_;
        for (int64_t row = 0; row < rows_; row += kMostPlaneRows) {
          const int64_t rows = std::min(kMostPlaneRows, rows_ - row);
          if (rows_ == 1) {
            MultiplyRow(a, b, columns, block.get());
          } else {
            for (int64_t j = 0; j < columns; j += width)
              Multiply(a, row, rows, b + j, std::min(width, columns - j), block.get() + j, strip);
          }
          Store(block.get(), strip, row, rows, column, columns, c);
        }
      }
    });
    if (failed) return ResourceExhausted("no memory for %d sums", kMostPlaneRows * width);
    return absl::OkStatus();
  }

 private:
  // Where the padded plane begins that the input has at this place.
  int64_t PlaneAt(int64_t place) const {
    return place / planes_.elements * planes_.padded_elements;
  }

  void Pad(const T* from, T* to) const {
    const int64_t rank = static_cast<int64_t>(planes_.order.size());
    const int64_t width = planes_.sizes[rank - 1], rows = planes_.padded_elements / width;
    runtime::ParallelFor(planes_.count * rows, LeastParts(static_cast<double>(width)),
                         [&](int64_t begin, int64_t end) {
                           for (int64_t row = begin; row < end; ++row) {
                             T* const target = to + row * width;
                             // The row of the input, unless this one is padding.
                             int64_t rest = row % rows, place = 0, stride = Inside(rank - 1);
                             bool is_inside = true;
                             for (int64_t i = rank - 1; i-- > 0;) {
                               const int64_t at = rest % planes_.sizes[i] - planes_.before[i];
                               rest /= planes_.sizes[i];
                               is_inside = is_inside && at >= 0 && at < Inside(i);
                               place += at * stride;
                               stride *= Inside(i);
                             }
                             const int64_t first = is_inside ? planes_.before[rank - 1] : width;
                             const int64_t count = is_inside ? Inside(rank - 1) : 0;
                             std::fill_n(target, first, T(0));
                             if (count > 0)
                               std::copy_n(from + (row / rows * planes_.elements + place), count,
                                           target + first);
                             std::fill(target + first + count, target + width, T(0));
                           }
                         });
  }
  // The input's size along a dimension of its planes.
  int64_t Inside(int64_t i) const { return inside_[i]; }

  // Of the left side, or of its copy, along the depth.
  int64_t LeftStride() const { return left_.IsMatrix() ? left_.depth().stride() : 1; }

  // Columns of one tile.
  void Multiply(const T* a, int64_t row, int64_t rows, const T* b, int64_t columns, T* c,
                int64_t c_row) const {
    const int64_t vectors = (columns + tiles_.lanes - 1) / tiles_.lanes;
    const int64_t a_row = left_.IsMatrix() ? left_.outer().stride() : depth_;
    const int64_t a_column = LeftStride();
    const int64_t tiles = (rows + kTileRows - 1) / kTileRows;
    for (int64_t first = 0; first < depth_; first += kDepthBlock) {
      const int64_t depth = std::min(kDepthBlock, depth_ - first);
      for (int64_t tile = 0; tile < tiles; ++tile) {
        const int64_t begin = rows * tile / tiles, end = rows * (tile + 1) / tiles;
        tiles_.places_function[end - begin - 1][vectors - 1](
            depth, a + (row + begin) * a_row + first * a_column, a_row, a_column,
            reinterpret_cast<const char*>(b), offsets_.data() + first, c + begin * c_row, c_row,
            first > 0);
      }
    }
  }

  // The same of the only row.
  void MultiplyRow(const T* a, const T* b, int64_t columns, T* c) const {
    const int64_t a_column = LeftStride();
    for (int64_t first = 0; first < depth_; first += kDepthBlock) {
      tiles_.multiply_row_at_places(std::min(kDepthBlock, depth_ - first), a + first * a_column,
                                    a_column, reinterpret_cast<const char*>(b),
                                    offsets_.data() + first,
                                    CeilOfRatio<int64_t>(columns, tiles_.lanes), c, first > 0);
    }
  }

  // What is not padding.
  void Store(const T* block, int64_t block_row, int64_t row, int64_t rows, int64_t column,
             int64_t columns, char* result) const {
    const int64_t rank = static_cast<int64_t>(spatial_.size());
    const int64_t line = planes_.sizes[rank - 1], inside = spatial_[rank - 1].size;
    for (int64_t j = 0; j < columns;) {
      const int64_t x = (column + j) % line;
      const int64_t count = std::min(columns - j, line - x);
      int64_t rest = (column + j) / line, place = x * spatial_[rank - 1].stride;
      bool is_inside = true;
      for (int64_t i = rank - 1; i-- > 0;) {
        const int64_t at = rest % planes_.sizes[i];
        rest /= planes_.sizes[i];
        is_inside = is_inside && at < spatial_[i].size;
        place += at * spatial_[i].stride;
      }
      const int64_t kept = is_inside ? std::min(count, inside - x) : 0;
      const int64_t stride = spatial_[rank - 1].stride;
      for (int64_t r = 0; r < rows && kept > 0; ++r) {
        store_(block + r * block_row + j, kept,
               result + ((row + r) * row_stride_ + place) * result_bytes_, stride);
      }
      j += count;
    }
  }

  struct Dimension {
    int64_t size, stride;  // in the result
  };

  const Tiles<T>& tiles_;
  StoreElements<T>* const store_;
  const int64_t result_bytes_;
  const Planes planes_;
  const Gatherer<T> left_;
  const int64_t rows_, depth_, row_stride_;
  const int64_t left_offset_, right_offset_, result_offset_;
  Walk outer_[kArrays];
  int64_t group_count_, outer_count_;
  std::vector<Dimension> spatial_;
  std::vector<int64_t> inside_;
  int64_t grid_ = 1;              // columns of a padded plane from the first to the last result
  std::vector<int64_t> offsets_;  // of each place of the depth, in bytes
};

}  // namespace

template <typename T>
std::unique_ptr<Product> MakePlanarProduct(const Contraction& contraction) {
  const PrimitiveType type = TypeOf<T>(/*is_complex=*/false);
  if (contraction.types[kLeft] != type || contraction.types[kRight] != type ||
      StoreElementsOf<T>(contraction.types[kResult], contraction.instruction_set) == nullptr) {
    return nullptr;
  }
  if (contraction.bounded != kRight || Count(contraction.groups) == 0 ||
      Count(contraction.rows) == 0 || Count(contraction.columns) == 0 ||
      Count(contraction.depth) == 0 || !Walk(contraction.rows, {}, kResult).IsRegular()) {
    return nullptr;
  }
  std::optional<Planes> planes = FindPlanes(contraction);
  if (!planes.has_value()) return nullptr;
  int64_t results = 1, computed = 1;
  for (size_t i = 0; i < planes->order.size(); ++i) {
    const Loop& loop = *ColumnLoop(contraction, planes->order[i]);
    results *= loop.size;
    computed += (loop.size - 1) * planes->strides[i];
    if (i + 1 == planes->order.size() && loop.strides[kResult] != 1 &&
        (loop.strides[kResult] > kMostResultStride ||
         Count(contraction.rows) > kMostRowsOfStrided)) {
      return nullptr;
    }
  }
  if (static_cast<double>(computed - results) > kMostInVain * static_cast<double>(computed))
    return nullptr;
  return std::make_unique<PlanarProduct<T>>(contraction, std::move(*planes));
}

template std::unique_ptr<Product> MakePlanarProduct<float>(const Contraction&);
template std::unique_ptr<Product> MakePlanarProduct<double>(const Contraction&);

}  // namespace xla::cpu
