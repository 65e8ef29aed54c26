#include "cpu/emit/tiles.h"

#include <utility>

namespace xla::cpu {
namespace {

using Vectors = std::vector<llvm::Value*>;

llvm::Value* Join(Builder& b, Vectors parts) {
  while (parts.size() > 1) {
    const int lanes = LaneCount(parts[0]->getType());
    std::vector<int> both(2 * lanes);
    for (int i = 0; i < 2 * lanes; ++i) both[i] = i;
    for (size_t i = 0; i < parts.size() / 2; ++i)
      parts[i] = b.CreateShuffleVector(parts[2 * i], parts[2 * i + 1], both);
    parts.resize(parts.size() / 2);
  }
  return parts[0];
}

// Transposes the square blocks that lie next to each other in `vectors`, each as wide as there are
// vectors: in each step pairs of them exchange every other run of lanes.
void TransposeBlocks(Builder& b, Vectors& vectors) {
  const int lanes = LaneCount(vectors[0]->getType());
  const int size = static_cast<int>(vectors.size());
  for (int run = 1; run < size; run *= 2) {
    std::vector<int> even(lanes), odd(lanes);
    for (int i = 0; i < lanes; ++i) {
      const bool is_second = (i & run) != 0;
      even[i] = is_second ? lanes + i - run : i;
      odd[i] = is_second ? lanes + i : i + run;
    }
    for (int i = 0; i < size; ++i) {
      if ((i & run) != 0) continue;
      llvm::Value *x = vectors[i], *y = vectors[i + run];
      vectors[i] = b.CreateFence(b.CreateShuffleVector(x, y, even));
      vectors[i + run] = b.CreateFence(b.CreateShuffleVector(x, y, odd));
    }
  }
}

Vectors TransposePart(Builder& b, Vectors columns) {
  const int count = static_cast<int>(columns.size());
  const int lanes = LaneCount(columns[0]->getType());
  Vectors rows;
  if (count >= lanes) {
    for (int i = 0; i < lanes; ++i) {
      Vectors parts;
      for (int column = i; column < count; column += lanes) parts.push_back(columns[column]);
      rows.push_back(Join(b, std::move(parts)));
    }
    TransposeBlocks(b, rows);
    return rows;
  }
  TransposeBlocks(b, columns);
  for (int i = 0; i < lanes; ++i)
    rows.push_back(LaneRange(b, columns[i % count], i / count * count, count));
  return rows;
}

}  // namespace

std::vector<Lanes> TransposeTile(Builder& b, std::vector<Lanes> columns) {
  Vectors re, im;
  for (const Lanes& column : columns) {
    re.push_back(column.re);
    if (column.im != nullptr) im.push_back(column.im);
  }
  std::vector<Lanes> rows;
  for (llvm::Value* row : TransposePart(b, std::move(re))) rows.push_back({row});
  if (im.empty()) return rows;
  const Vectors imaginary = TransposePart(b, std::move(im));
  for (size_t i = 0; i < rows.size(); ++i) rows[i].im = imaginary[i];
  return rows;
}

}  // namespace xla::cpu
