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

// The columns of a padded plane are computed too; not more than this share may be in vain. Many
// rows are rather multiplied with copies of the columns that are wanted, and for them those that
// fill up vectors are in vain, too.
constexpr double kMostInVain = 0.35, kMostInVainOfManyRows = 0.15;
constexpr int64_t kManyRows = 16;
constexpr int64_t kMostPlaneRows = 96, kDepthBlock = 256;
// Rows of the kernel that are copied at a time.
constexpr int64_t kCopiedRows = 16;
// Of few rows, so many sums are made before they are stored.
constexpr int64_t kSumsOfStrip = 512;
// Neighbours in the result lie apart where a convolution is computed in parts; many rows are then
// rather columns.
constexpr int64_t kMostResultStride = 4, kMostRowsOfStrided = 16;

// A spatial dimension. Results are `step` places of the input apart, so that places which are as
// far apart become adjacent in the copy: those of each phase, which is place modulo step, by
// themselves.
struct Spatial {
  int bound;
  int64_t inputs, before, step;  // before: padding in front
  std::vector<int64_t> phases;   // that are read
  int64_t padded;                // places of a phase
  int64_t stride;                // between them in the copy
  int64_t outputs, output_stride;
};

// The input as planes that lie one after the other. In the copy each is a grid for each combination
// of phases.
struct Planes {
  std::vector<Spatial> spatial;  // the outermost first
  int64_t elements = 1, grid_elements = 1, grids = 1;
  int64_t count = 0;

  int64_t CopiedElements() const { return grids * grid_elements; }
  // From the first to the last result, with what lies between them.
  int64_t ColumnsOfGrid() const {
    int64_t columns = 1;
    for (const Spatial& along : spatial) columns += (along.outputs - 1) * along.stride;
    return columns;
  }
  // Of a place of a plane, counted from the padding, in the copy.
  int64_t Offset(absl::Span<const int64_t> places) const {
    int64_t grid = 0, offset = 0;
    for (size_t i = 0; i < spatial.size(); ++i) {
      const Spatial& along = spatial[i];
      const auto phase = absl::c_find(along.phases, places[i] % along.step);
      grid = grid * static_cast<int64_t>(along.phases.size()) + (phase - along.phases.begin());
      offset += places[i] / along.step * along.stride;
    }
    return grid * grid_elements + offset;
  }
};

// The one loop over columns that moves along a bound; null if there are none or several.
const Loop* ColumnLoop(const Contraction& c, int bound) {
  const auto is_along = [&](const Loop& loop) { return loop.bound == bound; };
  const auto found = absl::c_find_if(c.columns, is_along);
  return absl::c_count_if(c.columns, is_along) == 1 ? &*found : nullptr;
}

// The places along a bound that the first result reads, of which `first` is one, modulo `step`.
std::vector<int64_t> PhasesOf(const Contraction& c, int bound, int64_t first, int64_t step) {
  std::vector<int64_t> phases = {first % step};
  for (const Loop& loop : c.depth) {
    if (loop.bound != bound) continue;
    const size_t count = phases.size();
    for (int64_t k = 1; k < std::min(loop.size, step); ++k) {
      for (size_t i = 0; i < count; ++i)
        phases.push_back(((phases[i] + k * loop.step) % step + step) % step);
    }
    absl::c_sort(phases);
    phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
  }
  return phases;
}

// The dimension of a bound, its stride left open; nothing where results do not move along it.
std::optional<Spatial> FindSpatial(const Contraction& c, int bound) {
  const Loop* column = ColumnLoop(c, bound);
  if (column == nullptr || column->step < 1 || column->step > kMostStepOfPlanes)
    return std::nullopt;
  const int64_t start = c.bounds[bound].start;
  int64_t least = start, most = start;  // places that the first result reads
  for (const Loop& loop : c.depth) {
    if (loop.bound == bound) (loop.step < 0 ? least : most) += loop.step * (loop.size - 1);
  }
  Spatial along = {bound, c.bounds[bound].size, std::max<int64_t>(0, -least), column->step};
  along.outputs = column->size, along.output_stride = column->strides[kResult];
  along.phases = PhasesOf(c, bound, start + along.before, along.step);
  const int64_t last = most + (along.outputs - 1) * along.step;
  along.padded = CeilOfRatio(along.before + std::max(along.inputs, last + 1), along.step);
  return along;
}

std::optional<Planes> FindPlanes(const Contraction& c) {
  Planes planes;
  std::vector<int> order;
  for (size_t b = 0; b < c.bounds.size(); ++b) {
    if (c.bounds[b].stride > 0) order.push_back(static_cast<int>(b));
  }
  if (order.empty()) return std::nullopt;
  absl::c_stable_sort(order, [&](int x, int y) { return c.bounds[x].stride > c.bounds[y].stride; });
  for (size_t i = order.size(); i-- > 0;) {
    std::optional<Spatial> along = FindSpatial(c, order[i]);
    if (!along.has_value() || c.bounds[order[i]].stride != planes.elements) return std::nullopt;
    along->stride = planes.grid_elements;
    planes.elements *= along->inputs;
    planes.grid_elements *= along->padded;
    planes.grids *= static_cast<int64_t>(along->phases.size());
    planes.spatial.insert(planes.spatial.begin(), *std::move(along));
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
        copy_(CopyElementsOf<T>(primitive_util::NativeToPrimitiveType<T>(),
                                contraction.instruction_set)),
        store_(StoreElementsOf<T>(contraction.types[kResult], contraction.instruction_set)),
        result_bytes_(primitive_util::ByteWidth(contraction.types[kResult])),
        planes_(std::move(planes)),
        columns_(planes_.ColumnsOfGrid()),
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
    const int64_t rows_of_copy = planes_.CopiedElements() / planes_.spatial.back().padded;
    for (int64_t row = 0; row < rows_of_copy; ++row) rows_of_copy_.push_back(MakeRowOfCopy(row));
    const Walk depth(contraction.depth, contraction.bounds, kRight);
    std::vector<int64_t> moved(contraction.bounds.size()), places(planes_.spatial.size());
    for (int64_t k = 0; k < depth_; ++k) {
      const int64_t plane = PlaneAt(depth.Place(k, moved.data()));
      for (size_t i = 0; i < places.size(); ++i) {
        const Spatial& along = planes_.spatial[i];
        places[i] = contraction.bounds[along.bound].start + moved[along.bound] + along.before;
      }
      offsets_.push_back((plane + planes_.Offset(places)) * static_cast<int64_t>(sizeof(T)));
    }
  }

  absl::Status Run(const void* left, const void* right, void* result) const override {
    const int64_t width = tiles_.columns();
    // Vectors may go beyond the last plane.
    const int64_t padded = planes_.count * planes_.CopiedElements();
    const Scratch<T> copy(padded + 2 * width);
    const Scratch<T> kernel(left_.IsMatrix() ? 0 : group_count_ * rows_ * depth_);
    if (copy.get() == nullptr || kernel.get() == nullptr)
      return ResourceExhausted("no memory for %d elements", padded);
    std::fill_n(copy.get() + padded, 2 * width, T(0));
    Pad(static_cast<const T*>(right), copy.get());
    const T* const weights = static_cast<const T*>(left) + left_offset_;
    if (!left_.IsMatrix()) CopyKernel(weights, kernel.get());
    const int64_t strip = std::max<int64_t>(1, kSumsOfStrip / (rows_ * width)) * width;
    const int64_t strips = CeilOfRatio(columns_, strip);
    const int64_t row_blocks = CeilOfRatio(rows_, kMostPlaneRows), parts = strips * row_blocks;
    std::atomic<bool> failed = false;
    const double work = static_cast<double>(CeilOfRatio(rows_, row_blocks) * strip * depth_);
    runtime::ParallelFor(outer_count_ * parts, LeastParts(work), [&](int64_t begin, int64_t end) {
      const Scratch<T> block(std::min(rows_, kMostPlaneRows) * strip);
      if (block.get() == nullptr) return (void)(failed = true);
      for (int64_t part = begin; part < end; ++part) {
        const int64_t at = part / parts, column = part % parts / row_blocks * strip;
        const int64_t row_block = part % row_blocks;
        const int64_t row = rows_ * row_block / row_blocks;
        const int64_t rows = rows_ * (row_block + 1) / row_blocks - row;
        const int64_t columns = std::min(strip, columns_ - column);
        const T* const a = left_.IsMatrix() ? weights + outer_[kLeft].Place(at)
                                            : kernel.get() + at / OuterOfGroup() * rows_ * depth_;
        const T* const b = copy.get() + PlaneAt(right_offset_ + outer_[kRight].Place(at)) + column;
        char* const c = static_cast<char*>(result) +
                        (result_offset_ + outer_[kResult].Place(at)) * result_bytes_;
        if (rows_ == 1) {
          MultiplyRow(a, b, columns, block.get());
        } else {
          for (int64_t j = 0; j < columns; j += width)
            Multiply(a, row, rows, b + j, std::min(width, columns - j), block.get() + j, strip);
        }
        Store(block.get(), strip, row, rows, column, columns, c);
      }
    });
    if (failed) return ResourceExhausted("no memory for %d sums", kMostPlaneRows * width);
    return absl::OkStatus();
  }

 private:
  // Where the copy of the plane begins that the input has at this place.
  int64_t PlaneAt(int64_t place) const {
    return place / planes_.elements * planes_.CopiedElements();
  }

  void Pad(const T* from, T* to) const {
    const int64_t width = planes_.spatial.back().padded;
    const auto rows = static_cast<int64_t>(rows_of_copy_.size());
    runtime::ParallelFor(planes_.count * rows, LeastParts(static_cast<double>(width)),
                         [&](int64_t begin, int64_t end) {
                           int64_t plane = begin / rows, row = begin % rows;
                           for (int64_t at = begin; at < end; ++at) {
                             PadRow(from + plane * planes_.elements, rows_of_copy_[row],
                                    to + at * width);
                             if (++row == rows) row = 0, ++plane;
                           }
                         });
  }

  int64_t OuterOfGroup() const { return outer_count_ / group_count_; }

  // Rows of all groups, with adjacent elements along the depth.
  void CopyKernel(const T* weights, T* to) const {
    const int64_t blocks = CeilOfRatio(rows_, kCopiedRows);
    runtime::ParallelFor(
        group_count_ * blocks, LeastParts(static_cast<double>(kCopiedRows * depth_)),
        [&](int64_t begin, int64_t end) {
          for (int64_t part = begin; part < end; ++part) {
            const int64_t group = part / blocks, row = part % blocks * kCopiedRows;
            const T* const from = weights + outer_[kLeft].Place(group * OuterOfGroup());
            left_.Fill(reinterpret_cast<const char*>(from), false, row,
                       std::min(kCopiedRows, rows_ - row), 0, depth_,
                       to + (group * rows_ + row) * depth_, depth_, 1);
          }
        });
  }

  // A row of the copy of a plane: where what is not padding comes from, and where that lies.
  struct RowOfCopy {
    int64_t place, first, end;
  };

  RowOfCopy MakeRowOfCopy(int64_t row) const {
    const Spatial& last = planes_.spatial.back();
    int64_t grid = row / (planes_.grid_elements / last.padded);
    const auto next_start = [&](const Spatial& along) {
      const auto phases = static_cast<int64_t>(along.phases.size());
      const int64_t phase = along.phases[grid % phases];
      grid /= phases;
      return phase - along.before;
    };
    const int64_t start = next_start(last);
    int64_t place = start, stride = last.inputs;
    for (size_t i = planes_.spatial.size() - 1; i-- > 0;) {
      const Spatial& along = planes_.spatial[i];
      const int64_t at = row % along.padded * along.step + next_start(along);
      row /= along.padded;
      if (at < 0 || at >= along.inputs) return {0, 0, 0};
      place += at * stride;
      stride *= along.inputs;
    }
    const auto places_before = [&](int64_t at) {
      return std::min(last.padded, CeilOfRatio(std::max<int64_t>(0, at - start), last.step));
    };
    const int64_t first = places_before(0);
    return {place + first * last.step, first, places_before(last.inputs)};
  }

  void PadRow(const T* plane, const RowOfCopy& row, T* target) const {
    const Spatial& last = planes_.spatial.back();
    std::fill_n(target, row.first, T(0));
    if (row.first < row.end) {
      copy_(reinterpret_cast<const char*>(plane + row.place), last.step, row.end - row.first,
            target + row.first, 1);
    }
    std::fill(target + row.end, target + last.padded, T(0));
  }

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
    const Spatial& last = planes_.spatial.back();
    for (int64_t j = 0; j < columns;) {
      const int64_t x = (column + j) % last.padded;
      const int64_t count = std::min(columns - j, last.padded - x);
      int64_t rest = (column + j) / last.padded, place = x * last.output_stride;
      bool is_inside = true;
      for (size_t i = planes_.spatial.size() - 1; i-- > 0;) {
        const Spatial& along = planes_.spatial[i];
        const int64_t at = rest % along.padded;
        rest /= along.padded;
        is_inside = is_inside && at < along.outputs;
        place += at * along.output_stride;
      }
      const int64_t kept = is_inside ? std::min(count, last.outputs - x) : 0;
      for (int64_t r = 0; r < rows && kept > 0; ++r) {
        store_(block + r * block_row + j, kept,
               result + ((row + r) * row_stride_ + place) * result_bytes_, last.output_stride);
      }
      j += count;
    }
  }

  const Tiles<T>& tiles_;
  CopyElements<T>* const copy_;
  StoreElements<T>* const store_;
  const int64_t result_bytes_;
  const Planes planes_;
  const int64_t columns_;
  const Gatherer<T> left_;
  const int64_t rows_, depth_, row_stride_;
  const int64_t left_offset_, right_offset_, result_offset_;
  Walk outer_[kArrays];
  int64_t group_count_, outer_count_;
  std::vector<RowOfCopy> rows_of_copy_;  // of each plane
  std::vector<int64_t> offsets_;         // of each place of the depth, in bytes
};

// The share of the columns that are computed, `lanes` at a time, which are no results.
double InVain(const Planes& planes, int64_t lanes) {
  int64_t results = 1;
  for (const Spatial& along : planes.spatial) results *= along.outputs;
  const int64_t computed = CeilOfRatio(planes.ColumnsOfGrid(), lanes) * lanes;
  return static_cast<double>(computed - results) / static_cast<double>(computed);
}

// Nothing where a contraction is done better otherwise, with any number of rows.
std::optional<Planes> FindWorthyPlanes(const Contraction& contraction) {
  if (contraction.bounded != kRight || Count(contraction.groups) == 0 ||
      Count(contraction.rows) == 0 || Count(contraction.columns) == 0 ||
      Count(contraction.depth) == 0 || !Walk(contraction.rows, {}, kResult).IsRegular()) {
    return std::nullopt;
  }
  std::optional<Planes> planes = FindPlanes(contraction);
  if (!planes.has_value()) return std::nullopt;
  const int64_t stride = planes->spatial.back().output_stride;
  if (stride != 1 && (stride > kMostResultStride || Count(contraction.rows) > kMostRowsOfStrided)) {
    return std::nullopt;
  }
  if (InVain(*planes, 1) > kMostInVain) return std::nullopt;
  return planes;
}

}  // namespace

bool HasPlanes(const Contraction& contraction) { return FindWorthyPlanes(contraction).has_value(); }

template <typename T>
std::unique_ptr<Product> MakePlanarProduct(const Contraction& contraction) {
  const PrimitiveType type = TypeOf<T>(/*is_complex=*/false);
  if (contraction.types[kLeft] != type || contraction.types[kRight] != type ||
      StoreElementsOf<T>(contraction.types[kResult], contraction.instruction_set) == nullptr) {
    return nullptr;
  }
  std::optional<Planes> planes = FindWorthyPlanes(contraction);
  if (!planes.has_value()) return nullptr;
  const int64_t lanes = TilesOf<T>(contraction.instruction_set).lanes;
  if (Count(contraction.rows) >= kManyRows && InVain(*planes, lanes) > kMostInVainOfManyRows)
    return nullptr;
  return std::make_unique<PlanarProduct<T>>(contraction, std::move(*planes));
}

template std::unique_ptr<Product> MakePlanarProduct<float>(const Contraction&);
template std::unique_ptr<Product> MakePlanarProduct<double>(const Contraction&);

}  // namespace xla::cpu
