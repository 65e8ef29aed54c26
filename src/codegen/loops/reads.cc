#include "codegen/loops/reads.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/index_map.h"
#include "ir/records.h"

namespace xla::loops {
namespace {

// Larger kernels are not read to the end.
constexpr size_t kMaxInstructions = 200;
// Of what is computed from more, nobody asks how it is read.
constexpr int kMaxSteps = 64;

class Reads {
 public:
  Reads(const Kernel& kernel, const Node& loop, const Bounds& bounds)
      : kernel_(kernel), loop_(loop), bounds_(bounds) {}

  std::string Of(const Node& node) {
    for (const HloInstruction* value : node.values) {
      const bool is_there = IsReduction(*value) || IsScan(*value);
      if (node.kind == Node::Kind::kStore && is_there) continue;
      if (node.kind == Node::Kind::kProduct) {
        AddOperands(*value, OfProduct(*value));
        continue;
      }
      if (IsProduct(*value)) {
        found_.push_back(Text(*value, OfProduct(*value)));
        continue;
      }
      IndexMap map = {{}, static_cast<int>(bounds_.size())};
      for (const auto& [begin, end] : bounds_) map.sizes.push_back(end - begin);
      for (int d : IndexOf(kernel_, *value))
        map.results.push_back(IndexExpr::Variable(d) + IndexExpr::Constant(bounds_[d].first));
      if (IsScattered(*value)) {
        AddScattered(node, *value, map);
      } else {
        AddOperands(*value, map);
      }
    }
    while (!waiting_.empty() && seen_.size() < kMaxInstructions) {
      const auto [instruction, map] = std::move(waiting_.back());
      waiting_.pop_back();
      const bool is_there = instruction->opcode() == HloOpcode::kParameter ||
                            IsReduction(*instruction) || IsProduct(*instruction) ||
                            absl::c_linear_search(loop_.loads, instruction);
      if (!is_there) {
        AddOperands(*instruction, map);
      } else if (const std::string text = Text(*instruction, map);
                 !absl::c_linear_search(found_, text)) {
        found_.push_back(text);
      }
    }
    if (!waiting_.empty()) found_.push_back("...");
    return absl::StrJoin(found_, ", ");
  }

 private:
  // Of scatters, where updates belong, or updates; of select-and-scatter, what is chosen from, and
  // what is put there.
  void AddScattered(const Node& node, const HloInstruction& result, const IndexMap& index) {
    if (node.kind == Node::Kind::kSelect) {
      waiting_.emplace_back(result.operand(1), index);
      waiting_.emplace_back(result.operand(0), Compose(index, UpdateMap(result)));
    } else if (node.kind == Node::Kind::kScatter) {
      const std::vector<Start> starts = StartsOf(result);
      for (size_t k = starts.size(); k-- > 0;)
        waiting_.emplace_back(result.operand(starts[k].operand), Compose(index, starts[k].index));
    } else if (result.opcode() == HloOpcode::kScatter) {
      for (int64_t k = result.operand_count(); --k > ArraysOf(result);)
        waiting_.emplace_back(result.operand(k), index);
    }
  }

  IndexMap OfProduct(const HloInstruction& product) const {
    IndexMap map = IndexMap::Identity(kernel_.sizes);
    const Values path = PathFrom(product);
    for (size_t i = path.size(); i-- > 0;) map = Compose(map, *OperandMap(*path[i], 0));
    return map;
  }

  // The last ones first, so that the first ones are read first.
  void AddOperands(const HloInstruction& instruction, const IndexMap& map) {
    const bool is_update = instruction.opcode() == HloOpcode::kDynamicUpdateSlice &&
                           absl::c_linear_search(ResultsOf(*kernel_.computation), &instruction);
    if (is_update || instruction.opcode() == HloOpcode::kGetTupleElement) {
      waiting_.emplace_back(instruction.operand(is_update ? 1 : 0), map);
      return;
    }
    for (int64_t i = instruction.operand_count(); i-- > 0;) {
      const HloInstruction& operand = *instruction.operand(i);
      const std::optional<IndexMap> own = OperandMap(instruction, i);
      if (!own.has_value()) {
        if (instruction.opcode() == HloOpcode::kGather) {
          for (const Start& start : StartsOf(instruction))
            waiting_.emplace_back(&operand, Compose(map, start.index));
        } else {
          found_.push_back(absl::StrCat(operand.name(), "[...]"));
        }
        continue;
      }
      IndexMap composed = Compose(map, *own);
      const bool is_outside = absl::c_any_of(composed.guards, [&](const IndexMap::Guard& guard) {
        const IndexExpr::Range range = guard.expr.RangeOf(composed.sizes);
        return range.most < guard.begin || range.least >= guard.end;
      });
      if (!is_outside && seen_.insert({&operand, Text(operand, composed)}).second)
        waiting_.emplace_back(&operand, std::move(composed));
    }
  }

  // Indices count from the beginnings of parts there, and from those of dimensions here.
  std::string Text(const HloInstruction& instruction, const IndexMap& map) const {
    IndexMap whole = map;
    std::vector<IndexExpr> variables;
    for (int i = 0; i < static_cast<int>(map.sizes.size()); ++i) {
      variables.push_back(IndexExpr::Variable(i));
      if (i >= map.dimensions) continue;
      variables.back() = variables.back() + IndexExpr::Constant(-bounds_[i].first);
      whole.sizes[i] = kernel_.sizes[i];
    }
    whole.guards.clear();
    for (IndexExpr& result : whole.results) result = result.Substitute(variables);
    const std::string text = whole.Simplify().ToString();
    const std::string indices = text.substr(text.find("-> (") + 4);
    return absl::StrCat(instruction.name(), "[", indices.substr(0, indices.size() - 1), "]");
  }

  const Kernel& kernel_;
  const Node& loop_;
  const Bounds& bounds_;
  std::vector<std::pair<const HloInstruction*, IndexMap>> waiting_;
  absl::flat_hash_set<std::pair<const HloInstruction*, std::string>> seen_;
  std::vector<std::string> found_;
};

bool DependsOn(const IndexExpr& index, int variable) {
  return absl::c_any_of(index.terms(), [&](const IndexExpr::Term& term) {
    return term.kind == IndexExpr::Kind::kVariable ? term.variable == variable
                                                   : DependsOn(*term.of, variable);
  });
}

bool DependsOn(const IndexMap& map, int variable) {
  return absl::c_any_of(map.results,
                        [&](const IndexExpr& index) { return DependsOn(index, variable); });
}

// Whether elements at successive values of a variable are neither one nor adjacent in an array.
bool LieApart(const HloInstruction& array, const IndexMap& map, int variable) {
  bool is_inner = true;  // no dimension of more than one element behind this one
  for (size_t d = map.results.size(); d-- > 0;) {
    if (array.shape().dimensions(static_cast<int>(d)) == 1) continue;
    const IndexExpr& index = map.results[d];
    const bool is_apart = absl::c_any_of(index.terms(), [&](const IndexExpr::Term& term) {
      if (term.kind != IndexExpr::Kind::kVariable) return DependsOn(*term.of, variable);
      return term.variable == variable && (term.factor != 1 || !is_inner);
    });
    if (is_apart) return true;
    is_inner = false;
  }
  return false;
}

}  // namespace

std::string ReadsOf(const Kernel& kernel, const Node& loop, const Node& node,
                    const Bounds& bounds) {
  return Reads(kernel, loop, bounds).Of(node);
}

bool ReadsApart(std::vector<std::pair<const HloInstruction*, IndexMap>> values, int dimension) {
  for (int steps = 0; !values.empty(); ++steps) {
    if (steps == kMaxSteps) return true;
    const auto [instruction, map] = std::move(values.back());
    values.pop_back();
    if (instruction->opcode() == HloOpcode::kParameter) {
      if (LieApart(*instruction, map, dimension)) return true;
      continue;
    }
    if (instruction->opcode() == HloOpcode::kConstant || instruction->opcode() == HloOpcode::kIota)
      continue;
    const bool is_slice = instruction->opcode() == HloOpcode::kDynamicSlice ||
                          instruction->opcode() == HloOpcode::kGather;
    if (is_slice && absl::c_any_of(StartsOf(*instruction), [&](const Start& start) {
          return DependsOn(Compose(map, start.index), dimension);
        })) {
      return true;
    }
    const int64_t operands = is_slice ? 1 : instruction->operand_count();
    for (int64_t i = 0; i < operands; ++i) {
      const std::optional<IndexMap> own = OperandMap(*instruction, i);
      if (!own.has_value()) return true;
      values.emplace_back(instruction->operand(i), Compose(map, *own));
    }
  }
  return false;
}

}  // namespace xla::loops
