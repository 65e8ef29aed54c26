#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/loops/schedule.h"
#include "ir/index_map.h"
#include "ir/records.h"
#include "passes/cost.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::loops {
namespace {

// Vectors of so many registers, which rows of 3, 5 and 7 elements fill; of fewer where the code of
// each is long.
constexpr int64_t kMaxRegistersOfRows = 7, kMaxRegistersOfFunctions = 3;
// With fewer elements, it does not matter.
constexpr int64_t kMinElements = 256;

// What decides where a vector lies along a dimension of an instruction: a dimension of the loops,
// of which there may be parts; or the lane alone, in all vectors alike.
constexpr int kLane = -1, kNobodyKnows = -2;

// An instruction, and how far apart the first and the last lane of a vector lie along each of its
// dimensions.
struct Reach {
  const HloInstruction* instruction;
  Sizes along;
  std::vector<int> decided_by;
};

int DecidedBy(const IndexExpr& expr, const Reach& reach) {
  const std::vector<IndexExpr::Term>& terms = expr.terms();
  if (!expr.IsLinear()) return kNobodyKnows;
  if (terms.empty()) return kLane;
  const int first = reach.decided_by[terms[0].variable];
  return absl::c_all_of(
             terms,
             [&](const IndexExpr::Term& term) { return reach.decided_by[term.variable] == first; })
             ? first
             : kNobodyKnows;
}

bool AddOperand(const Reach& reach, const IndexMap& map, const HloInstruction& operand,
                std::vector<Reach>& waiting) {
  const bool is_slice = reach.instruction->opcode() == HloOpcode::kDynamicSlice;
  if (map.sizes.size() != reach.along.size() && !is_slice) return false;
  // Where a slice begins is the same in all lanes.
  Reach all = reach;
  all.along.resize(map.sizes.size(), 0);
  all.decided_by.resize(map.sizes.size(), kNobodyKnows);
  if (absl::c_any_of(map.guards, [&](const IndexMap::Guard& guard) {
        return DecidedBy(guard.expr, all) == kNobodyKnows;
      })) {
    return false;
  }
  Reach moved = {&operand};
  for (const IndexExpr& expr : map.results) {
    if (!expr.IsLinear()) return false;
    moved.decided_by.push_back(DecidedBy(expr, all));
    int64_t distance = 0;
    for (const IndexExpr::Term& term : expr.terms())
      distance += std::abs(term.factor) * all.along[term.variable];
    moved.along.push_back(distance);
  }
  waiting.push_back(std::move(moved));
  return true;
}

// Single elements lie apart anyway.
bool AddOperandsOfGather(const Reach& reach, std::vector<Reach>& waiting) {
  const HloInstruction& gather = *reach.instruction;
  const auto& sizes = gather.attributes_as<GatherAttributes>().slice_sizes;
  return absl::c_all_of(sizes, [](int64_t size) { return size == 1; }) &&
         absl::c_all_of(StartsOf(gather), [&](const Start& start) {
           return AddOperand(reach, start.index, *gather.operand(start.operand), waiting);
         });
}

// Adds what an instruction reads, whose elements in `lanes` lanes must lie close together. False if
// they do not, or nobody knows.
bool AddOperands(const Reach& reach, int64_t lanes, std::vector<Reach>& waiting) {
  const auto& [instruction, along, decided_by] = reach;
  const Shape& shape = instruction->shape();
  if (!shape.IsArray() || primitive_util::IsComplexType(shape.element_type())) return false;
  // One number for all lanes.
  if (absl::c_all_of(along, [](int64_t distance) { return distance == 0; })) return true;
  if (instruction->opcode() == HloOpcode::kParameter ||
      instruction->opcode() == HloOpcode::kConstant) {
    int64_t far = 0, stride = 1;
    for (size_t d = along.size(); d-- > 0; stride *= shape.dimensions(d)) far += along[d] * stride;
    return far < 2 * lanes;
  }
  if (instruction->opcode() == HloOpcode::kGather) return AddOperandsOfGather(reach, waiting);
  for (int64_t i = 0; i < instruction->operand_count(); ++i) {
    const std::optional<IndexMap> map = OperandMap(*instruction, i);
    if (!map.has_value() || !AddOperand(reach, *map, *instruction->operand(i), waiting))
      return false;
  }
  return instruction->operand_count() > 0;
}

// Whether all elements that the lanes of the last `merged` dimensions need lie close together,
// wherever they come from.
bool LanesLieClose(const Kernel& kernel, size_t merged, int64_t lanes) {
  const Sizes& sizes = kernel.sizes;
  Sizes along(sizes.size(), 0);
  std::vector<int> decided_by(sizes.size());
  std::iota(decided_by.begin(), decided_by.end(), 0);
  int64_t inner = 1;
  for (size_t d = sizes.size(); d-- > sizes.size() - merged;) {
    along[d] = std::min(sizes[d], lanes / inner) - 1;
    if (d > sizes.size() - merged) decided_by[d] = kLane;
    inner *= sizes[d];
  }
  std::vector<Reach> waiting;
  for (const HloInstruction* result : ResultsOf(*kernel.computation)) {
    if (result->shape().dimensions() != absl::MakeConstSpan(sizes)) return false;
    waiting.push_back({result, along, decided_by});
  }
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const Reach next = std::move(waiting.back());
    waiting.pop_back();
    const bool varies = absl::c_any_of(next.along, [](int64_t far) { return far != 0; });
    if (varies && next.instruction->IsElementwise() && !seen.insert(next.instruction).second)
      continue;
    if (!AddOperands(next, lanes, waiting)) return false;
  }
  return true;
}

int64_t MostRegistersOfRows(const HloComputation& computation) {
  const bool has_functions =
      absl::c_any_of(computation.instructions(),
                     [](const HloInstruction* each) { return passes::HasManyInstructions(*each); });
  return has_functions ? kMaxRegistersOfFunctions : kMaxRegistersOfRows;
}

}  // namespace

void MergeShortRows(Kernel& kernel, const Conditions& conditions) {
  Node* vector = OnlyVector(kernel);
  if (vector == nullptr || HasReductions(kernel)) return;
  const int64_t elements = Product(kernel.sizes);
  const int64_t lanes = LanesFor(*kernel.computation, conditions.target.vector_bits,
                                 std::numeric_limits<int64_t>::max());
  int64_t inner = kernel.sizes.back(), together = 0;
  size_t first = kernel.sizes.size() - 1;
  while (first > 0 && inner > 1 && inner < lanes) {
    --first;
    together = std::lcm(inner, lanes);
    if (kernel.sizes[first] >= together / inner) break;
    inner *= kernel.sizes[first];
    together = 0;
  }
  if (together == 0 || together > MostRegistersOfRows(*kernel.computation) * lanes ||
      elements < kMinElements || !LanesLieClose(kernel, kernel.sizes.size() - first, together)) {
    return;
  }
  Node& grid = kernel.body[0];
  grid.dimensions.resize(first);
  grid.steps.resize(first);
  vector->dimensions.clear();
  for (size_t d = first; d < kernel.sizes.size(); ++d)
    vector->dimensions.push_back(static_cast<int>(d));
  vector->end = ElementsAlong(kernel, *vector);
  vector->lanes = static_cast<int>(together);
  vector->tail_lanes = TailLanesFor(vector->end, vector->lanes);
}

}  // namespace xla::loops
