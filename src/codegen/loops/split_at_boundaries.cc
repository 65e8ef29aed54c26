#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/loops/reads.h"
#include "codegen/loops/schedule.h"
#include "ir/index_map.h"
#include "passes/cost.h"
#include "xla/primitive_util.h"

namespace xla::loops {
namespace {

// Copies of the loops.
constexpr int64_t kMaxParts = 16;

// The bounds of a variable within which a guard lets some values of the other variables through,
// and those within which it lets all of them.
struct Limits {
  int variable;
  std::pair<int64_t, int64_t> some, all;
};

// Of guards that depend on one dimension, besides symbols.
std::optional<Limits> LimitsOf(const IndexMap& map, const IndexMap::Guard& guard) {
  const auto is_dimension = [&](const IndexExpr::Term& term) {
    return term.kind == IndexExpr::Kind::kVariable && term.variable < map.dimensions;
  };
  const std::vector<IndexExpr::Term>& terms = guard.expr.terms();
  const auto own = absl::c_find_if(terms, is_dimension);
  if (own == terms.end() || absl::c_count_if(terms, is_dimension) > 1) return std::nullopt;
  const bool depends_on_others = absl::c_any_of(
      terms, [](const auto& term) { return term.kind != IndexExpr::Kind::kVariable; });
  if (depends_on_others) return std::nullopt;
  IndexExpr others = guard.expr + IndexExpr::Variable(own->variable) * -own->factor;
  int64_t factor = own->factor, begin = guard.begin, end = guard.end;
  if (factor < 0) {
    factor = -factor, others = others * -1;
    begin = 1 - guard.end, end = 1 - guard.begin;
  }
  const IndexExpr::Range range = others.RangeOf(map.sizes);
  // The first number whose product is not less.
  const auto first = [&](int64_t product) {
    return IndexExpr::Constant(product + factor - 1).FloorDiv(factor).constant();
  };
  return Limits{own->variable,
                {first(begin - range.most), first(end - range.least)},
                {first(begin - range.least), first(end - range.most)}};
}

// What a kernel computes, and where something else begins along each dimension.
class Boundaries {
 public:
  explicit Boundaries(const Kernel& kernel) : sizes_(kernel.sizes) {
    for (int64_t size : sizes_) at_.push_back({0, size});
    for (const HloInstruction* result : ResultsOf(*kernel.computation)) {
      const bool is_update = result->opcode() == HloOpcode::kDynamicUpdateSlice;
      if (ComputedShape(*result).dimensions() == absl::MakeConstSpan(sizes_))
        Visit(is_update ? *result->operand(1) : *result, IndexMap::Identity(sizes_));
    }
    while (!waiting_.empty() && computed_.size() <= kMaxInstructionsOfParts) {
      const auto [instruction, map] = std::move(waiting_.back());
      waiting_.pop_back();
      for (int64_t i = 0; i < instruction->operand_count(); ++i) VisitOperand(*instruction, i, map);
    }
    for (Sizes& own : at_) {
      absl::c_sort(own);
      own.erase(std::unique(own.begin(), own.end()), own.end());
    }
  }

  // Those of each dimension up to the last one that is divided, from 0 to its size, between which
  // there are few enough parts: short ones are not told apart.
  std::vector<Sizes> Choose(int last) const {
    std::vector<Sizes> chosen;
    for (int64_t size : sizes_) chosen.push_back({0, size});
    for (size_t d = static_cast<size_t>(last) + 1; d-- > 0;) {
      Sizes& own = chosen[d] = at_[d];
      while (own.size() > 2 && !AreFew(chosen)) JoinShortest(own);
    }
    return chosen;
  }

 private:
  // An instruction, computed from the index of the loops, for the parts that need it.
  struct Computed {
    const HloInstruction* instruction;
    IndexMap map;
  };

  void VisitOperand(const HloInstruction& instruction, int64_t number, const IndexMap& map) {
    const HloInstruction& operand = *instruction.operand(number);
    if (operand.shape().dimensions_size() == 0) return;
    if (instruction.IsElementwise()) return Visit(operand, map);
    if (const std::optional<IndexMap> own = OperandMap(instruction, number); own.has_value())
      Visit(operand, Compose(map, *own));
  }

  void Visit(const HloInstruction& instruction, IndexMap map) {
    std::vector<IndexMap>& known = known_[&instruction];
    if (absl::c_linear_search(known, map)) return;
    Bounds bounds;
    for (int64_t size : sizes_) bounds.push_back({0, size});
    std::vector<Limits> limits;
    for (const IndexMap::Guard& guard : map.guards) {
      const std::optional<Limits> own = LimitsOf(map, guard);
      if (!own.has_value()) continue;
      limits.push_back(*own);
      auto& [begin, end] = bounds[own->variable];
      begin = std::max(begin, own->some.first);
      end = std::min(end, own->some.second);
    }
    if (absl::c_any_of(bounds, [](const auto& own) { return own.first >= own.second; })) return;
    // Guards that do not matter within the others have no boundaries.
    for (const auto& [d, some, all] : limits) {
      for (int64_t boundary : {all.first, all.second}) {
        const bool is_inside = bounds[d].first <= boundary && boundary <= bounds[d].second &&
                               0 < boundary && boundary < sizes_[d];
        if (is_inside) at_[d].push_back(boundary);
      }
    }
    known.push_back(map);
    computed_.push_back({std::move(bounds), CodeOf(instruction)});
    waiting_.push_back({&instruction, std::move(map)});
  }

  // Whether parts, and what is computed in all of them, are few enough.
  bool AreFew(const std::vector<Sizes>& chosen) const {
    int64_t parts = 1;
    for (const Sizes& own : chosen) parts *= static_cast<int64_t>(own.size()) - 1;
    if (parts > kMaxParts) return false;
    int64_t instructions = 0;
    for (const auto& [bounds, code] : computed_) {
      int64_t copies = 1;
      for (size_t d = 0; d < bounds.size(); ++d) {
        copies *= absl::c_lower_bound(chosen[d], bounds[d].second) -
                  absl::c_upper_bound(chosen[d], bounds[d].first) + 1;
      }
      instructions += copies * code;
    }
    return instructions <= kMaxInstructionsOfParts;
  }

  // Functions and complex numbers take several instructions.
  static int64_t CodeOf(const HloInstruction& instruction) {
    constexpr int64_t kOfMany = 8;
    const bool is_complex = primitive_util::IsComplexType(instruction.shape().element_type());
    return passes::HasManyInstructions(instruction) || (is_complex && instruction.IsElementwise())
               ? kOfMany
               : 1;
  }

  static void JoinShortest(Sizes& boundaries) {
    const auto length = [&](size_t part) { return boundaries[part + 1] - boundaries[part]; };
    size_t shortest = 0;
    for (size_t part = 1; part + 1 < boundaries.size(); ++part) {
      if (length(part) < length(shortest)) shortest = part;
    }
    const bool joins_next = shortest == 0 || (shortest + 2 < boundaries.size() &&
                                              length(shortest + 1) < length(shortest - 1));
    boundaries.erase(boundaries.begin() + static_cast<int64_t>(shortest) + joins_next);
  }

  const Sizes& sizes_;
  std::vector<Sizes> at_;                             // of each dimension
  std::vector<std::pair<Bounds, int64_t>> computed_;  // with its code
  std::vector<Computed> waiting_;
  absl::flat_hash_map<const HloInstruction*, std::vector<IndexMap>> known_;
};

// A copy of `body` for each part of the dimension.
std::vector<Node> Parts(int d, const Sizes& boundaries, const std::vector<Node>& body) {
  if (boundaries.size() == 2) return body;
  std::vector<Node> parts;
  for (size_t i = 0; i + 1 < boundaries.size(); ++i) {
    Node& when = parts.emplace_back(Node{Node::Kind::kWhen});
    when.dimensions = {d};
    when.begin = boundaries[i];
    when.end = boundaries[i + 1];
    when.body = body;
  }
  return parts;
}

bool HasParts(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kConcatenate ||
         instruction.opcode() == HloOpcode::kPad ||
         instruction.opcode() == HloOpcode::kReduceWindow;
}

}  // namespace

void SplitAtBoundaries(Kernel& kernel, const Conditions&) {
  const Node* vector = OnlyVector(kernel);
  if (vector == nullptr || HasReductions(kernel) ||
      absl::c_none_of(kernel.computation->instructions(),
                      [](const HloInstruction* each) { return HasParts(*each); })) {
    return;
  }
  // Where vectors lie over several dimensions, it is the first one that has parts.
  const int last = vector->dimensions[0];
  const int64_t inner = ElementsAlong(kernel, *vector) / kernel.sizes[last];
  const std::vector<Sizes> boundaries = Boundaries(kernel).Choose(last);
  std::vector<Node> body;
  for (size_t i = 0; i + 1 < boundaries[last].size(); ++i) {
    Node& part = body.emplace_back(*vector);
    part.begin = boundaries[last][i] * inner;
    part.end = boundaries[last][i + 1] * inner;
    if (part.lanes > 0) part.tail_lanes = TailLanesFor(part.end - part.begin, part.lanes);
  }
  for (int d = last - 1; d >= 0; --d) body = Parts(d, boundaries[d], body);
  kernel.body[0].body = std::move(body);
}

}  // namespace xla::loops
