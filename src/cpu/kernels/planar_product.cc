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
// Where parts share a copy, that saves copies for each of them.
constexpr double kMostInVainOfParts = 0.3;
constexpr int64_t kManyRows = 16;
constexpr int64_t kMostPlaneRows = 96, kDepthBlock = 256;
// Rows of the kernel that are copied at a time.
constexpr int64_t kCopiedRows = 16;
// Of few rows, so many sums are made before they are stored.
constexpr int64_t kSumsOfStrip = 512;
// Adjacent results lie apart in memory where a convolution is one part of several; many rows are
// then rather columns.
constexpr int64_t kMostResultStride = 4, kMostRowsOfStrided = 16;

// A spatial dimension. Results are `step` places of the input apart, so that places which are as
// far apart become adjacent in the copy: those of each phase, which is place modulo step, by
// themselves.
struct Spatial {
  int bound;
  int64_t inputs, before, step;  // before: padding in front
  std::vector<int64_t> phases;   // that are read
  int64_t padded;                // places of a phase
  int64_t beyond;                // places behind them that are read, which are padding
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
  // How many elements behind the last plane are read as padding.
  int64_t ElementsBeyond() const {
    int64_t elements = 0;
    for (const Spatial& along : spatial) elements += along.beyond * along.stride;
    return elements;
  }
  // Where the copy of the plane begins that the input has at this place.
  int64_t CopyAt(int64_t place) const { return place / elements * CopiedElements(); }
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

// Adds the places along a bound that the first result reads, of which `first` is one, modulo
// `step`.
void AddPhases(const Contraction& c, int bound, int64_t first, int64_t step,
               std::vector<int64_t>& all) {
  std::vector<int64_t> phases = {first % step};
  for (const Loop& loop : c.depth) {
    if (loop.bound != bound) continue;
    const size_t count = phases.size();
    for (int64_t k = 1; k < std::min(loop.size, step); ++k) {
      for (size_t i = 0; i < count; ++i)
        phases.push_back(((phases[i] + k * loop.step) % step + step) % step);
    }
  }
  all.insert(all.end(), phases.begin(), phases.end());
  absl::c_sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

// The dimension of a bound in a copy for all parts, its stride left open; nothing where results do
// not move along it, or those of parts do so differently.
std::optional<Spatial> FindSpatial(absl::Span<const Contraction> parts, int bound) {
  const Loop* first = ColumnLoop(parts[0], bound);
  if (first == nullptr || first->step < 1 || first->step > kMostStepOfPlanes) return std::nullopt;
  Spatial along = {bound, parts[0].bounds[bound].size, 0, first->step};
  along.output_stride = first->strides[kResult];
  int64_t end = along.inputs;
  for (const Contraction& part : parts) {
    const Loop* column = ColumnLoop(part, bound);
    if (column == nullptr || column->step != along.step ||
        column->strides[kResult] != along.output_stride) {
      return std::nullopt;
    }
    int64_t least = part.bounds[bound].start, most = least;  // places that the first result reads
    for (const Loop& loop : part.depth) {
      if (loop.bound == bound) (loop.step < 0 ? least : most) += loop.step * (loop.size - 1);
    }
    along.before = std::max(along.before, -least);
    along.outputs = std::max(along.outputs, column->size);
    end = std::max(end, most + (column->size - 1) * along.step + 1);
  }
  for (const Contraction& part : parts)
    AddPhases(part, bound, part.bounds[bound].start + along.before, along.step, along.phases);
  along.padded = CeilOfRatio(along.before + end, along.step);
  // The padding in front of the next row is that behind this one, too.
  if (along.step == 1) {
    along.beyond = std::min({along.before, end - along.inputs, along.padded - along.outputs});
    along.padded -= along.beyond;
  }
  return along;
}

// Whether everything but windows moves from plane to plane.
bool MovesFromPlaneToPlane(const Contraction& c, int64_t elements) {
  for (const Loops* loops : {&c.groups, &c.columns, &c.depth}) {
    for (const Loop& loop : *loops) {
      const int64_t stride = loop.strides[kRight];
      if (loop.bound >= 0 ? stride != 0 : stride % elements != 0) return false;
    }
  }
  return c.offsets[kRight] % elements == 0;
}

// Of contractions with the same input, which have as many bounds of the same sizes.
std::optional<Planes> FindPlanes(absl::Span<const Contraction> parts) {
  const Contraction& c = parts[0];
  Planes planes;
  std::vector<int> order;
  for (size_t b = 0; b < c.bounds.size(); ++b) {
    if (c.bounds[b].stride > 0) order.push_back(static_cast<int>(b));
  }
  if (order.empty()) return std::nullopt;
  absl::c_stable_sort(order, [&](int x, int y) { return c.bounds[x].stride > c.bounds[y].stride; });
  for (size_t i = order.size(); i-- > 0;) {
    std::optional<Spatial> along = FindSpatial(parts, order[i]);
    if (!along.has_value() || c.bounds[order[i]].stride != planes.elements) return std::nullopt;
    along->stride = planes.grid_elements;
    planes.elements *= along->inputs;
    planes.grid_elements *= along->padded;
    planes.grids *= static_cast<int64_t>(along->phases.size());
    planes.spatial.insert(planes.spatial.begin(), *std::move(along));
  }
  if (planes.elements == 0) return std::nullopt;
  planes.count = c.counts[kRight] / planes.elements;
  return absl::c_all_of(
             parts,
             [&](const Contraction& part) { return MovesFromPlaneToPlane(part, planes.elements); })
             ? std::optional<Planes>(std::move(planes))
             : std::nullopt;
}

// One contraction of those that share a copy of the input: its own rows of the kernel, depth and
// results.
template <typename T>
struct PlanarPart {
  Gatherer<T> left;
  int64_t depth, left_offset, right_offset, result_offset;
  std::vector<int64_t> outputs;  // along each spatial dimension
  std::vector<int64_t> offsets;  // of each place of the depth, in bytes
  int64_t kernel = 0;            // where its copy of the kernel begins

  PlanarPart(const Contraction& c, const Planes& planes)
      : left(c, kLeft),
        depth(Count(c.depth)),
        left_offset(c.offsets[kLeft]),
        right_offset(c.offsets[kRight]),
        result_offset(c.offsets[kResult]) {
    for (const Spatial& along : planes.spatial) outputs.push_back(ColumnLoop(c, along.bound)->size);
    const Walk walk(c.depth, c.bounds, kRight);
    std::vector<int64_t> moved(c.bounds.size()), places(planes.spatial.size());
    for (int64_t k = 0; k < depth; ++k) {
      const int64_t plane = planes.CopyAt(walk.Place(k, moved.data()));
      for (size_t i = 0; i < places.size(); ++i) {
        const Spatial& along = planes.spatial[i];
        places[i] = c.bounds[along.bound].start + moved[along.bound] + along.before;
      }
      offsets.push_back((plane + planes.Offset(places)) * static_cast<int64_t>(sizeof(T)));
    }
  }

  // Of the left side, or of its copy, along the rows and the depth.
  int64_t LeftRowStride() const { return left.IsMatrix() ? left.outer().stride() : depth; }
  int64_t LeftStride() const { return left.IsMatrix() ? left.depth().stride() : 1; }
};

template <typename T>
class PlanarProduct : public Product {
 public:
  // Takes contractions for which FindPlanes has found these, with the same groups and rows.
  PlanarProduct(absl::Span<const Contraction> parts, Planes planes)
      : tiles_(TilesOf<T>(parts[0].instruction_set)),
        copy_(CopyElementsOf<T>(primitive_util::NativeToPrimitiveType<T>(),
                                parts[0].instruction_set)),
        store_(StoreElementsOf<T>(parts[0].types[kResult], parts[0].instruction_set)),
        result_bytes_(primitive_util::ByteWidth(parts[0].types[kResult])),
        planes_(std::move(planes)),
        columns_(planes_.ColumnsOfGrid()),
        rows_(Count(parts[0].rows)),
        row_stride_(Walk(parts[0].rows, {}, kResult).stride()) {
    // Everything but the spatial dimensions of the result is a loop around them.
    Loops outer = parts[0].groups;
    for (const Loop& loop : parts[0].columns) {
      if (loop.bound < 0) outer.push_back(loop);
    }
    group_count_ = Count(parts[0].groups);
    outer_count_ = Count(outer);
    for (Array array : {kLeft, kRight, kResult}) outer_[array] = Walk(outer, {}, array);
    const int64_t rows_of_copy = planes_.CopiedElements() / planes_.spatial.back().padded;
    for (int64_t row = 0; row < rows_of_copy; ++row) rows_of_copy_.push_back(MakeRowOfCopy(row));
    for (const Contraction& contraction : parts) {
      Part& part = parts_.emplace_back(contraction, planes_);
      depth_ += part.depth;
      if (part.left.IsMatrix()) continue;
      part.kernel = kernel_elements_;
      kernel_elements_ += group_count_ * rows_ * part.depth;
    }
  }

  absl::Status Run(const void* left, const void* right, void* result) const override {
    const int64_t width = tiles_.columns();
    // Vectors may go beyond the last plane.
    const int64_t padded = planes_.count * planes_.CopiedElements();
    const int64_t beyond = planes_.ElementsBeyond() + 2 * width;
    const Scratch<T> copy(padded + beyond);
    const Scratch<T> kernel(kernel_elements_);
    if (copy.get() == nullptr || kernel.get() == nullptr)
      return ResourceExhausted("no memory for %d elements", padded);
    std::fill_n(copy.get() + padded, beyond, T(0));
    Pad(static_cast<const T*>(right), copy.get());
    const T* const weights = static_cast<const T*>(left);
    if (kernel_elements_ > 0) CopyKernel(weights, kernel.get());
    const auto parts = static_cast<int64_t>(parts_.size());
    const int64_t strip = std::max<int64_t>(1, kSumsOfStrip / (rows_ * width)) * width;
    const int64_t strips = CeilOfRatio(columns_, strip);
    const int64_t row_blocks = CeilOfRatio(rows_, kMostPlaneRows), blocks = strips * row_blocks;
    std::atomic<bool> failed = false;
    const double work =
        static_cast<double>(CeilOfRatio(rows_, row_blocks) * strip * depth_) / parts;
    const int64_t count = outer_count_ * blocks * parts;
    runtime::ParallelFor(count, LeastParts(work), [&](int64_t begin, int64_t end) {
      const Scratch<T> sums(std::min(rows_, kMostPlaneRows) * strip);
      if (sums.get() == nullptr) return (void)(failed = true);
      for (int64_t i = begin; i < end; ++i) {
        const Part& part = parts_[i % parts];
        const int64_t at = i / parts / blocks, block = i / parts % blocks;
        const int64_t column = block / row_blocks * strip, row_block = block % row_blocks;
        const int64_t row = rows_ * row_block / row_blocks;
        const int64_t rows = rows_ * (row_block + 1) / row_blocks - row;
        const int64_t columns = std::min(strip, columns_ - column);
        const T* const a =
            part.left.IsMatrix()
                ? weights + part.left_offset + outer_[kLeft].Place(at)
                : kernel.get() + part.kernel + at / OuterOfGroup() * rows_ * part.depth;
        const T* const b =
            copy.get() + planes_.CopyAt(part.right_offset + outer_[kRight].Place(at)) + column;
        char* const c = static_cast<char*>(result) +
                        (part.result_offset + outer_[kResult].Place(at)) * result_bytes_;
        if (rows_ == 1) {
          MultiplyRow(part, a, b, columns, sums.get());
        } else {
          for (int64_t j = 0; j < columns; j += width) {
            Multiply(part, a, row, rows, b + j, std::min(width, columns - j), sums.get() + j,
                     strip);
          }
        }
        Store(part, sums.get(), strip, row, rows, column, columns, c);
      }
    });
    if (failed) return ResourceExhausted("no memory for %d sums", kMostPlaneRows * width);
    return absl::OkStatus();
  }

 private:
  using Part = PlanarPart<T>;

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

  // Rows of all groups, with adjacent elements along the depth. Parts may read the same lines of
  // the cache.
  void CopyKernel(const T* weights, T* to) const {
    const int64_t blocks = CeilOfRatio(rows_, kCopiedRows);
    runtime::ParallelFor(
        group_count_ * blocks, LeastParts(static_cast<double>(kCopiedRows * depth_)),
        [&](int64_t begin, int64_t end) {
          for (int64_t block = begin; block < end; ++block) {
            const int64_t group = block / blocks, row = block % blocks * kCopiedRows;
            const int64_t from = outer_[kLeft].Place(group * OuterOfGroup());
            for (const Part& part : parts_) {
              if (part.left.IsMatrix()) continue;
              const T* const base = weights + (part.left_offset + from);
              part.left.Fill(reinterpret_cast<const char*>(base), false, row,
                             std::min(kCopiedRows, rows_ - row), 0, part.depth,
                             to + part.kernel + (group * rows_ + row) * part.depth, part.depth, 1);
            }
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

  // Columns of one tile.
  void Multiply(const Part& part, const T* a, int64_t row, int64_t rows, const T* b,
                int64_t columns, T* c, int64_t c_row) const {
    const int64_t vectors = (columns + tiles_.lanes - 1) / tiles_.lanes;
    const int64_t a_row = part.LeftRowStride(), a_column = part.LeftStride();
    const int64_t tiles = (rows + kTileRows - 1) / kTileRows;
    for (int64_t first = 0; first < part.depth; first += kDepthBlock) {
      const int64_t depth = std::min(kDepthBlock, part.depth - first);
      for (int64_t tile = 0; tile < tiles; ++tile) {
        const int64_t begin = rows * tile / tiles, end = rows * (tile + 1) / tiles;
        tiles_.places_function[end - begin - 1][vectors - 1](
            depth, a + (row + begin) * a_row + first * a_column, a_row, a_column,
            reinterpret_cast<const char*>(b), part.offsets.data() + first, c + begin * c_row, c_row,
            first > 0);
      }
    }
  }

  // The same of the only row.
  void MultiplyRow(const Part& part, const T* a, const T* b, int64_t columns, T* c) const {
    const int64_t a_column = part.LeftStride();
    for (int64_t first = 0; first < part.depth; first += kDepthBlock) {
      tiles_.multiply_row_at_places(std::min(kDepthBlock, part.depth - first), a + first * a_column,
                                    a_column, reinterpret_cast<const char*>(b),
                                    part.offsets.data() + first,
                                    CeilOfRatio<int64_t>(columns, tiles_.lanes), c, first > 0);
    }
  }

  // What is not padding.
  void Store(const Part& part, const T* block, int64_t block_row, int64_t row, int64_t rows,
             int64_t column, int64_t columns, char* result) const {
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
        is_inside = is_inside && at < part.outputs[i];
        place += at * along.output_stride;
      }
      const int64_t kept = is_inside ? std::min(count, part.outputs.back() - x) : 0;
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
  const int64_t rows_, row_stride_;
  Walk outer_[kArrays];
  int64_t group_count_, outer_count_;
  std::vector<RowOfCopy> rows_of_copy_;  // of each plane
  std::vector<Part> parts_;
  int64_t depth_ = 0, kernel_elements_ = 0;  // of all parts
};

// The share of the columns that are computed, `lanes` at a time, which are no results.
double InVain(const Planes& planes, int64_t lanes) {
  int64_t results = 1;
  for (const Spatial& along : planes.spatial) results *= along.outputs;
  const int64_t computed = CeilOfRatio(planes.ColumnsOfGrid(), lanes) * lanes;
  return static_cast<double>(computed - results) / static_cast<double>(computed);
}

// Whether one may be such a convolution, and has any elements.
bool MayHavePlanes(const Contraction& contraction) {
  return contraction.bounded == kRight && Count(contraction.groups) > 0 &&
         Count(contraction.rows) > 0 && Count(contraction.columns) > 0 &&
         Count(contraction.depth) > 0 && Walk(contraction.rows, {}, kResult).IsRegular();
}

// Nothing where a contraction is done better otherwise, with any number of rows.
std::optional<Planes> FindWorthyPlanes(const Contraction& contraction) {
  if (!MayHavePlanes(contraction)) return std::nullopt;
  std::optional<Planes> planes = FindPlanes({&contraction, 1});
  if (!planes.has_value()) return std::nullopt;
  const int64_t stride = planes->spatial.back().output_stride;
  if (stride != 1 && (stride > kMostResultStride || Count(contraction.rows) > kMostRowsOfStrided)) {
    return std::nullopt;
  }
  if (InVain(*planes, 1) > kMostInVain) return std::nullopt;
  return planes;
}

template <typename T>
bool HasTypes(const Contraction& contraction) {
  const PrimitiveType type = TypeOf<T>(/*is_complex=*/false);
  return contraction.types[kLeft] == type && contraction.types[kRight] == type &&
         StoreElementsOf<T>(contraction.types[kResult], contraction.instruction_set) != nullptr;
}

}  // namespace

bool HasPlanes(const Contraction& contraction) { return FindWorthyPlanes(contraction).has_value(); }

template <typename T>
std::unique_ptr<Product> MakePlanarProduct(const Contraction& contraction) {
  if (!HasTypes<T>(contraction)) return nullptr;
  std::optional<Planes> planes = FindWorthyPlanes(contraction);
  const int64_t lanes = TilesOf<T>(contraction.instruction_set).lanes;
  if (!planes.has_value()) return nullptr;
  if (Count(contraction.rows) >= kManyRows && InVain(*planes, lanes) > kMostInVainOfManyRows)
    return nullptr;
  return std::make_unique<PlanarProduct<T>>(absl::MakeConstSpan(&contraction, 1),
                                            *std::move(planes));
}

template <typename T>
std::unique_ptr<Product> MakePlanarProductOfParts(absl::Span<const Contraction> parts) {
  const auto has_windows = [](const Contraction& part) {
    return absl::c_any_of(part.depth,
                          [](const Loop& loop) { return loop.bound >= 0 && loop.size > 1; });
  };
  if (!absl::c_all_of(parts, MayHavePlanes) || !HasTypes<T>(parts[0]) ||
      absl::c_none_of(parts, has_windows)) {
    return nullptr;
  }
  std::optional<Planes> planes = FindPlanes(parts);
  const int64_t lanes = TilesOf<T>(parts[0].instruction_set).lanes;
  if (!planes.has_value() || InVain(*planes, 1) > kMostInVain ||
      InVain(*planes, lanes) > kMostInVainOfParts) {
    return nullptr;
  }
  return std::make_unique<PlanarProduct<T>>(parts, *std::move(planes));
}

#define HILO_INSTANTIATE(T)                                                   \
  template std::unique_ptr<Product> MakePlanarProduct<T>(const Contraction&); \
  template std::unique_ptr<Product> MakePlanarProductOfParts<T>(absl::Span<const Contraction>);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
#undef HILO_INSTANTIATE

}  // namespace xla::cpu
