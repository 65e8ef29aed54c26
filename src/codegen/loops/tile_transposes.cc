#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "codegen/loops/reads.h"
#include "codegen/loops/schedule.h"
#include "ir/index_map.h"
#include "passes/cost.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::loops {
namespace {

// Tiles with fewer rows are not worth it.
constexpr int64_t kMinTileRows = 4;
// Kernels with more instructions, or with functions that take many, have loops instead of copies.
constexpr int64_t kMaxUnrolledInstructions = 8;

bool IsUnrolled(const HloComputation& computation) {
  const auto count = absl::c_count_if(computation.instructions(), [](const HloInstruction* each) {
    return !ShapeUtil::IsScalar(each->shape());
  });
  return count <= kMaxUnrolledInstructions &&
         absl::c_none_of(computation.instructions(), [](const HloInstruction* each) {
           return passes::CostOfElement(*each) > 1;
         });
}

// Where short rows stay whole, so many bytes that are adjacent in the operand are read one after
// the other, by at least and at most so many rows.
constexpr int64_t kAdjacentBytes = 512;
constexpr int64_t kLeastAdjacentRows = 4, kMostAdjacentRows = 16;

// Whether a transpose has vectors read elements that lie apart somewhere. What it is computed from
// may be transposed as well.
bool IsReadApart(const HloInstruction& transpose) {
  const int last = static_cast<int>(transpose.dimensions().size()) - 1;
  return ReadsApart({{transpose.operand(0), *OperandMap(transpose, 0)}}, last);
}

// The dimension of a transpose's result along which rows that stay whole are adjacent in its
// operand, or -1 where they are so in the result, too.
int DimensionOfAdjacentRows(const HloInstruction& transpose) {
  const absl::Span<const int64_t> dimensions = transpose.dimensions();
  const int last = static_cast<int>(dimensions.size()) - 1;
  if (last < 2 || dimensions[last] != last || dimensions[last - 1] == last - 1) return -1;
  return static_cast<int>(absl::c_find(dimensions, last - 1) - dimensions.begin());
}

// How many of these rows, of `row` elements, are read one after the other; 0 where that does not
// pay.
int64_t AdjacentRows(const HloInstruction& transpose, int64_t row, int64_t size) {
  const int64_t bytes = row * primitive_util::ByteWidth(transpose.shape().element_type());
  const int64_t rows = std::min({kAdjacentBytes / bytes, kMostAdjacentRows, size});
  return rows < kLeastAdjacentRows ? 0 : rows;
}

}  // namespace

void TileTransposes(Kernel& kernel, const Conditions& conditions) {
  Node* vector = OnlyVector(kernel);
  const int last = static_cast<int>(kernel.sizes.size()) - 1;
  if (vector == nullptr || vector->dimensions.size() > 1 || HasReductions(kernel) ||
      kernel.sizes.back() < 2) {
    return;
  }
  Values from;
  for (const HloInstruction* result : ResultsOf(*kernel.computation)) {
    if (ComputedShape(*result).dimensions() != absl::MakeConstSpan(kernel.sizes)) return;
    from.push_back(result->opcode() == HloOpcode::kDynamicUpdateSlice ? result->operand(1)
                                                                      : result);
  }
  Node tile = {Node::Kind::kTile};
  const HloInstruction* keeps_rows = nullptr;
  ForEachAtSameIndex(from, kernel.sizes, [&](const HloInstruction& instruction) {
    if (instruction.opcode() != HloOpcode::kTranspose) return;
    if (keeps_rows == nullptr && DimensionOfAdjacentRows(instruction) >= 0)
      keeps_rows = &instruction;
    const absl::Span<const int64_t> dimensions = instruction.dimensions();
    const int d = static_cast<int>(absl::c_find(dimensions, last) - dimensions.begin());
    if (d == last || kernel.sizes[d] < kMinTileRows || !IsReadApart(instruction)) return;
    if (!tile.values.empty() && d != tile.dimensions[0]) return;
    tile.dimensions = {d};
    tile.values.push_back(&instruction);
  });
  int64_t rows = 0;
  if (!tile.values.empty()) {
    rows = LanesFor(*kernel.computation, conditions.target.vector_bits,
                    std::min(kernel.sizes[tile.dimensions[0]], kMaxTileRows));
    tile.lanes = static_cast<int>(rows);
    tile.is_unrolled = IsUnrolled(*kernel.computation);
  } else if (keeps_rows != nullptr) {
    tile.dimensions = {DimensionOfAdjacentRows(*keeps_rows)};
    rows = AdjacentRows(*keeps_rows, kernel.sizes.back(), kernel.sizes[tile.dimensions[0]]);
  }
  if (rows < 2) return;
  const int d = tile.dimensions[0];
  const int64_t size = kernel.sizes[d];
  tile.body = vector->body;
  kernel.body[0].steps[d] = rows;
  // The last tile may have fewer rows, and has code of its own.
  const int64_t whole = size / rows * rows;
  std::vector<Node> body;
  for (const auto& [begin, end] : {std::pair(int64_t{0}, whole), std::pair(whole, size)}) {
    if (begin == end) continue;
    Node& when = body.emplace_back(Node{Node::Kind::kWhen});
    when.dimensions = {d};
    when.begin = begin;
    when.end = end;
    when.body = {*vector};
    tile.rows = std::min(rows, end - begin);
    when.body[0].body = {tile};
  }
  kernel.body[0].body = body.size() == 1 ? std::move(body[0].body) : std::move(body);
}

}  // namespace xla::loops
