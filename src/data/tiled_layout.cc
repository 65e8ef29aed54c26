// The members of LayoutUtil that find elements in tiled layouts.
//
// A tile of rank k splits each of the k most minor dimensions of size d by its size t into
// ceil(d/t) tiles of t elements; the sizes inside the tile move to the minor end: [a, d1, d2] with
// tile (t1, t2) becomes [a, ceil(d1/t1), ceil(d2/t2), t1, t2]. The next level of tiles applies to
// what comes out.
#include "data/tiled_layout.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "data/checked_math.h"
#include "xla/layout_util.h"

namespace xla {
namespace {

// Sizes of physical dimensions, major to minor, and an index into them.
struct Position {
  DimensionVector sizes;
  DimensionVector index;
};

int64_t RoundedUpRatio(int64_t size, int64_t divisor) {
  return size / divisor + (size % divisor != 0);
}

// Adds dimensions of size 1 at the major end until there are `rank`.
void PadRank(Position& position, size_t rank) {
  while (position.sizes.size() < rank) {
    position.sizes.insert(position.sizes.begin(), 1);
    position.index.insert(position.index.begin(), 0);
  }
}

// Merges each dimension whose tile size is kCombineDimension into the next more minor one.
Position Combine(const Position& from, const Tile& tile) {
  const size_t untiled = from.sizes.size() - tile.dimensions().size();
  Position to;
  bool merge = false;
  for (size_t i = 0; i < from.sizes.size(); ++i) {
    if (merge) {
      to.index.back() = to.index.back() * from.sizes[i] + from.index[i];
      to.sizes.back() = SaturatingMultiply(to.sizes.back(), from.sizes[i]);
    } else {
      to.sizes.push_back(from.sizes[i]);
      to.index.push_back(from.index[i]);
    }
    merge = i >= untiled && tile.dimension(i - untiled) == Tile::kCombineDimension;
  }
  return to;
}

DimensionVector TileSizes(const Tile& tile) {
  DimensionVector sizes;
  absl::c_copy_if(tile.dimensions(), std::back_inserter(sizes),
                  [](int64_t size) { return size != Tile::kCombineDimension; });
  return sizes;
}

// The position of the same element after splitting by one level of tiles. Pads `from` to the rank
// of the tile.
Position ApplyTile(Position& from, const Tile& tile) {
  PadRank(from, tile.dimensions().size());
  Position position = Combine(from, tile);
  const DimensionVector tile_sizes = TileSizes(tile);
  const size_t first = position.sizes.size() - tile_sizes.size();
  for (size_t i = 0; i < tile_sizes.size(); ++i) {
    const int64_t size = tile_sizes[i];
    position.sizes.push_back(size);
    position.index.push_back(position.index[first + i] % size);
    position.sizes[first + i] = RoundedUpRatio(position.sizes[first + i], size);
    position.index[first + i] /= size;
  }
  return position;
}

// Undoes ApplyTile: `to` has the sizes to which the tile was applied and gets the index.
void UndoTile(const DimensionVector& index, const Tile& tile, Position& to) {
  const DimensionVector tile_sizes = TileSizes(tile);
  const size_t combined_rank = index.size() - tile_sizes.size();
  const size_t first = combined_rank - tile_sizes.size();
  DimensionVector combined(index.begin(), index.begin() + combined_rank);
  for (size_t i = 0; i < tile_sizes.size(); ++i) {
    combined[first + i] = combined[first + i] * tile_sizes[i] + index[combined_rank + i];
  }
  const size_t untiled = to.sizes.size() - tile.dimensions().size();
  auto merges_into_next = [&](size_t dimension) {
    return dimension >= untiled && tile.dimension(dimension - untiled) == Tile::kCombineDimension;
  };
  size_t source = combined_rank;
  for (size_t i = to.sizes.size(); i > 0; --i) {
    const size_t dimension = i - 1;
    if (!merges_into_next(dimension)) --source;
    const bool takes_all = dimension == 0 || !merges_into_next(dimension - 1);
    const int64_t size = std::max<int64_t>(to.sizes[dimension], 1);
    to.index[dimension] = takes_all ? combined[source] : combined[source] % size;
    combined[source] /= size;
  }
}

Position PhysicalPosition(const Shape& shape, absl::Span<const int64_t> indices) {
  const int rank = shape.dimensions_size();
  CHECK_EQ(indices.size(), static_cast<size_t>(rank)) << shape.ToString();
  Position position;
  for (int i = 0; i < rank; ++i) {
    const int64_t dimension = shape.has_layout() ? shape.layout().minor_to_major(rank - 1 - i) : i;
    position.sizes.push_back(std::max<int64_t>(shape.dimensions(dimension), 0));
    position.index.push_back(indices[dimension]);
  }
  return position;
}

int64_t Linearize(const Position& position) {
  int64_t linear = 0;
  for (size_t i = 0; i < position.sizes.size(); ++i) {
    linear = SaturatingAdd(SaturatingMultiply(linear, position.sizes[i]), position.index[i]);
  }
  return linear;
}

// One factor of a dimension: it runs over `extent` values (its size without padding) and a step of
// it is `stride` elements of the untiled array.
struct TiledPiece {
  int64_t size;
  int64_t extent;
  int64_t stride;
};

// Merges pieces as Combine does; false when they are not one dimension.
bool CombinePieces(std::vector<TiledPiece>& pieces, const Tile& tile) {
  const size_t untiled = pieces.size() - tile.dimensions().size();
  std::vector<TiledPiece> combined;
  bool merge = false;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!merge) {
      combined.push_back(pieces[i]);
    } else {
      TiledPiece& major = combined.back();
      const TiledPiece& minor = pieces[i];
      if (major.extent > 1 && major.stride != SaturatingMultiply(minor.size, minor.stride)) {
        return false;
      }
      const int64_t size = SaturatingMultiply(major.size, minor.size);
      major = {size, major.extent > 1 ? size : minor.extent, minor.stride};
    }
    merge = i >= untiled && tile.dimension(i - untiled) == Tile::kCombineDimension;
  }
  pieces = std::move(combined);
  return true;
}

bool SplitPieces(std::vector<TiledPiece>& pieces, const Tile& tile) {
  while (pieces.size() < tile.dimensions().size())
    pieces.insert(pieces.begin(), TiledPiece{1, 1, 1});
  if (!CombinePieces(pieces, tile)) return false;
  const DimensionVector tile_sizes = TileSizes(tile);
  const size_t first = pieces.size() - tile_sizes.size();
  for (size_t i = 0; i < tile_sizes.size(); ++i) {
    const int64_t size = tile_sizes[i];
    const TiledPiece whole = pieces[first + i];
    pieces[first + i] = {RoundedUpRatio(whole.size, size), RoundedUpRatio(whole.extent, size),
                         SaturatingMultiply(whole.stride, size)};
    pieces.push_back({size, std::min(whole.extent, size), whole.stride});
  }
  return true;
}

}  // namespace

int64_t PaddedElementsIn(const Shape& shape) {
  Position position = PhysicalPosition(shape, DimensionVector(shape.dimensions_size(), 0));
  for (const Tile& tile : shape.layout().tiles()) position = ApplyTile(position, tile);
  int64_t elements = 1;
  for (int64_t size : position.sizes) elements = SaturatingMultiply(elements, size);
  return elements;
}

int64_t LayoutUtil::LinearIndexForNestedTiling(const Shape& shape,
                                               absl::Span<const int64_t> indices) {
  Position position = PhysicalPosition(shape, indices);
  if (shape.has_layout()) {
    for (const Tile& tile : shape.layout().tiles()) position = ApplyTile(position, tile);
  }
  return Linearize(position);
}

int64_t LayoutUtil::LinearIndex(const Shape& shape, absl::Span<const int64_t> indices) {
  return LinearIndexForNestedTiling(shape, indices);
}

std::vector<int64_t> LayoutUtil::DelinearizeIndexForNestedTiling(const Shape& shape,
                                                                 int64_t linear_index) {
  const int rank = shape.dimensions_size();
  const DimensionVector zeros(rank, 0);
  std::vector<Position> levels = {PhysicalPosition(shape, zeros)};
  const absl::Span<const Tile> tiles =
      shape.has_layout() ? shape.layout().tiles() : absl::Span<const Tile>();
  for (const Tile& tile : tiles) levels.push_back(ApplyTile(levels.back(), tile));

  DimensionVector& innermost = levels.back().index;
  for (size_t i = innermost.size(); i > 0; --i) {
    const int64_t size = std::max<int64_t>(levels.back().sizes[i - 1], 1);
    innermost[i - 1] = i == 1 ? linear_index : linear_index % size;
    linear_index /= size;
  }
  for (size_t level = tiles.size(); level > 0; --level) {
    UndoTile(levels[level].index, tiles[level - 1], levels[level - 1]);
  }
  const DimensionVector& physical = levels.front().index;
  std::vector<int64_t> indices(rank);
  for (int i = 0; i < rank; ++i) {
    const int64_t dimension = shape.has_layout() ? shape.layout().minor_to_major(rank - 1 - i) : i;
    indices[dimension] = physical[physical.size() - rank + i];
  }
  return indices;
}

bool LayoutUtil::IsUntiledLayout(absl::Span<const Tile> tiles, absl::Span<const int64_t> shape) {
  std::vector<TiledPiece> pieces(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i > 0; --i) {
    pieces[i - 1] = {shape[i - 1], shape[i - 1], stride};
    stride = SaturatingMultiply(stride, shape[i - 1]);
  }
  for (const Tile& tile : tiles) {
    if (!SplitPieces(pieces, tile)) return false;
  }
  stride = 1;
  for (size_t i = pieces.size(); i > 0; --i) {
    if (pieces[i - 1].extent > 1 && pieces[i - 1].stride != stride) return false;
    stride = SaturatingMultiply(stride, pieces[i - 1].size);
  }
  return true;
}

}  // namespace xla
