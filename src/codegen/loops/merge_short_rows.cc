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
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::loops {
namespace {

// Vectors of so many registers.
constexpr int64_t kMaxRegistersOfRows = 3;
// With fewer elements, it does not matter.
constexpr int64_t kMinElements = 256;

// An instruction, how far apart the first and the last lane of a vector lie along each of its
// dimensions, and along which ones every lane has the same index in all vectors.
struct Reach {
  const HloInstruction* instruction;
  Sizes along;
  std::vector<bool> is_known;
};

// Whether it is the same lanes of all vectors that lie inside.
bool IsKnown(const IndexExpr& expr, const Reach& reach) {
  return expr.IsLinear() && absl::c_all_of(expr.terms(), [&](const IndexExpr::Term& term) {
           return reach.is_known[term.variable];
         });
}

// Adds what an instruction reads, whose elements in `lanes` lanes must lie close together. False if
// they do not, or nobody knows.
bool AddOperands(const Reach& reach, int64_t lanes, std::vector<Reach>& waiting) {
  const auto& [instruction, along, is_known] = reach;
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
  for (int64_t i = 0; i < instruction->operand_count(); ++i) {
    const std::optional<IndexMap> map = OperandMap(*instruction, i);
    if (!map.has_value() || map->sizes.size() != along.size() ||
        !absl::c_all_of(map->guards,
                        [&](const IndexMap::Guard& guard) { return IsKnown(guard.expr, reach); })) {
      return false;
    }
    Sizes moved;
    std::vector<bool> is_known_there;
    for (const IndexExpr& expr : map->results) {
      if (!expr.IsLinear()) return false;
      is_known_there.push_back(IsKnown(expr, reach));
      int64_t distance = 0;
      for (const IndexExpr::Term& term : expr.terms())
        distance += std::abs(term.factor) * along[term.variable];
      moved.push_back(distance);
    }
    waiting.push_back({instruction->operand(i), std::move(moved), std::move(is_known_there)});
  }
  return instruction->operand_count() > 0;
}

// Whether all elements that the lanes of the last `merged` dimensions need lie close together,
// wherever they come from.
bool LanesLieClose(const Kernel& kernel, size_t merged, int64_t lanes) {
  const Sizes& sizes = kernel.sizes;
  Sizes along(sizes.size(), 0);
  std::vector<bool> is_known(sizes.size(), false);
  int64_t inner = 1;
  for (size_t d = sizes.size(); d-- > sizes.size() - merged;) {
    along[d] = std::min(sizes[d], lanes / inner) - 1;
    is_known[d] = d > sizes.size() - merged;
    inner *= sizes[d];
  }
  std::vector<Reach> waiting;
  for (const HloInstruction* result : ResultsOf(*kernel.computation)) {
    if (result->shape().dimensions() != absl::MakeConstSpan(sizes)) return false;
    waiting.push_back({result, along, is_known});
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
  if (together == 0 || together > kMaxRegistersOfRows * lanes || elements < kMinElements ||
      !LanesLieClose(kernel, kernel.sizes.size() - first, together)) {
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
  vector->tail_lanes = vector->end % together == 0 ? 0 : vector->lanes;
}

}  // namespace xla::loops
