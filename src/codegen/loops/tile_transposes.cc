#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "codegen/loops/schedule.h"
#include "ir/index_map.h"
#include "passes/cost.h"

namespace xla::loops {
namespace {

// Tiles with fewer rows are not worth it.
constexpr int64_t kMinTileRows = 4;
// Kernels with more instructions, or with functions that take many, have loops instead of copies.
constexpr int64_t kMaxUnrolledInstructions = 8;
// Of what is computed from more, nobody asks how it is read.
constexpr int kMaxSteps = 64;

bool IsUnrolled(const HloComputation& computation) {
  return computation.instruction_count() <= kMaxUnrolledInstructions &&
         absl::c_none_of(computation.instructions(), [](const HloInstruction* each) {
           return passes::CostOfElement(*each) > 1;
         });
}

// Whether adjacent elements along the last of the loops lie apart in an array.
bool LieApart(const HloInstruction& array, const IndexMap& map) {
  const int last = map.dimensions - 1;
  bool is_inner = true;  // no dimension of more than one element behind this one
  for (size_t d = map.results.size(); d-- > 0;) {
    if (array.shape().dimensions(static_cast<int>(d)) == 1) continue;
    const IndexExpr& index = map.results[d];
    if (!index.IsLinear()) return true;
    for (const IndexExpr::Term& term : index.terms()) {
      if (term.variable == last && (term.factor != 1 || !is_inner)) return true;
    }
    is_inner = false;
  }
  return false;
}

// Whether a transpose has vectors read elements that lie apart somewhere. What it is computed from
// may be transposed as well.
bool ReadsApart(const HloInstruction& transpose) {
  std::vector<std::pair<const HloInstruction*, IndexMap>> waiting = {
      {transpose.operand(0), *OperandMap(transpose, 0)}};
  for (int steps = 0; !waiting.empty(); ++steps) {
    if (steps == kMaxSteps) return true;
    const auto [instruction, map] = std::move(waiting.back());
    waiting.pop_back();
    if (instruction->opcode() == HloOpcode::kParameter) {
      if (LieApart(*instruction, map)) return true;
      continue;
    }
    if (instruction->opcode() == HloOpcode::kConstant || instruction->opcode() == HloOpcode::kIota)
      continue;
    for (int64_t i = 0; i < instruction->operand_count(); ++i) {
      const std::optional<IndexMap> own = OperandMap(*instruction, i);
      if (!own.has_value()) return true;
      waiting.emplace_back(instruction->operand(i), Compose(map, *own));
    }
  }
  return false;
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
  ForEachAtSameIndex(from, kernel.sizes, [&](const HloInstruction& instruction) {
    if (instruction.opcode() != HloOpcode::kTranspose) return;
    const absl::Span<const int64_t> dimensions = instruction.dimensions();
    const int d = static_cast<int>(absl::c_find(dimensions, last) - dimensions.begin());
    if (d == last || kernel.sizes[d] < kMinTileRows || !ReadsApart(instruction)) return;
    if (!tile.values.empty() && d != tile.dimensions[0]) return;
    tile.dimensions = {d};
    tile.values.push_back(&instruction);
  });
  if (tile.values.empty()) return;
  const int d = tile.dimensions[0];
  const int64_t size = kernel.sizes[d];
  tile.lanes =
      LanesFor(*kernel.computation, conditions.target.vector_bits, std::min(size, kMaxTileRows));
  if (tile.lanes < 2) return;
  tile.is_unrolled = IsUnrolled(*kernel.computation);
  tile.body = vector->body;
  kernel.body[0].steps[d] = tile.lanes;
  // The last tile may have fewer rows, and has code of its own.
  const int64_t whole = size / tile.lanes * tile.lanes;
  std::vector<Node> body;
  for (const auto& [begin, end] : {std::pair(int64_t{0}, whole), std::pair(whole, size)}) {
    if (begin == end) continue;
    Node& when = body.emplace_back(Node{Node::Kind::kWhen});
    when.dimensions = {d};
    when.begin = begin;
    when.end = end;
    when.body = {*vector};
    tile.rows = std::min<int64_t>(tile.lanes, end - begin);
    when.body[0].body = {tile};
  }
  kernel.body[0].body = body.size() == 1 ? std::move(body[0].body) : std::move(body);
}

}  // namespace xla::loops
