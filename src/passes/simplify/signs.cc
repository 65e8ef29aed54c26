#include "passes/simplify/signs.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/reducer.h"
#include "passes/simplify/loop.h"
#include "passes/simplify/match.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

bool IsSum(const HloComputation& combiner) { return OperationOf(combiner) == HloOpcode::kAdd; }

class NegativeZeros {
 public:
  bool AreExcluded(const HloInstruction& x) {
    if (++visits_ > kMostVisits || !x.shape().IsArray()) return false;
    if (const std::optional<double> number = KnownReal(x))
      return *number != 0 || !std::signbit(*number);
    switch (x.opcode()) {
      case HloOpcode::kAbs:
      case HloOpcode::kDot:  // a sum that begins with zero
      case HloOpcode::kExp:
      case HloOpcode::kIota:
      case HloOpcode::kLogistic:
        return true;
      case HloOpcode::kConvert:
        return ShapeUtil::ElementIsIntegral(x.operand(0)->shape());
      case HloOpcode::kMultiply:
        return x.operand(0) == x.operand(1);
      case HloOpcode::kAdd:
        return OneIsExcluded(*x.operand(0), *x.operand(1));
      case HloOpcode::kReduce:
        return x.operand_count() == 2 && IsSum(*x.to_apply()) && AreExcluded(*x.operand(1));
      case HloOpcode::kScatter:
        return IsExcludedByScatter(x);
      case HloOpcode::kGetTupleElement:
        return IsElementExcluded(*x.operand(0), x.tuple_index());
      case HloOpcode::kBroadcast:
      case HloOpcode::kCopy:
      case HloOpcode::kDynamicSlice:
      case HloOpcode::kGather:
      case HloOpcode::kReshape:
      case HloOpcode::kReverse:
      case HloOpcode::kSlice:
      case HloOpcode::kTranspose:
        return AreExcluded(*x.operand(0));
      case HloOpcode::kDynamicUpdateSlice:
      case HloOpcode::kPad:
        return AreExcluded(*x.operand(0)) && AreExcluded(*x.operand(1));
      case HloOpcode::kSelect:
        return AreExcluded(*x.operand(1)) && AreExcluded(*x.operand(2));
      case HloOpcode::kConcatenate:
        return absl::c_all_of(x.operands(),
                              [&](const HloInstruction* part) { return AreExcluded(*part); });
      default:
        return false;
    }
  }

 private:
  static constexpr int kMostVisits = 500;
  using Element = std::pair<const HloInstruction*, int64_t>;  // of the state of a loop

  // A sum is -0 only where both terms are.
  bool OneIsExcluded(const HloInstruction& x, const HloInstruction& y) {
    const absl::flat_hash_set<Element> before = assumed_;
    if (AreExcluded(x)) return true;
    assumed_ = before;
    return AreExcluded(y);
  }

  bool IsExcludedByScatter(const HloInstruction& scatter) {
    if (scatter.operand_count() != 3) return false;
    if (IsSum(*scatter.to_apply())) return AreExcluded(*scatter.operand(0));
    return scatter.to_apply()->root_instruction()->opcode() == HloOpcode::kParameter &&
           AreExcluded(*scatter.operand(0)) && AreExcluded(*scatter.operand(2));
  }

  bool IsElementExcluded(const HloInstruction& tuple, int64_t i) {
    if (tuple.opcode() == HloOpcode::kWhile) return IsStateExcluded(tuple, i);
    if (tuple.opcode() != HloOpcode::kParameter) return false;
    const HloInstruction* const loop = LoopWithBody(*tuple.parent());
    return loop != nullptr && IsStateExcluded(*loop, i);
  }

  // Null where the computation is no body. Callers are looked for in the whole module.
  const HloInstruction* LoopWithBody(const HloComputation& computation) {
    const auto [place, is_new] = loops_.try_emplace(&computation, nullptr);
    if (!is_new) return place->second;
    const std::optional<HloInstruction*> loop = computation.GetUniqueCaller(HloOpcode::kWhile);
    if (loop.has_value() && (*loop)->while_body() == &computation) place->second = *loop;
    return place->second;
  }

  // By induction over the steps.
  bool IsStateExcluded(const HloInstruction& instruction, int64_t i) {
    const std::optional<const Loop> loop = Loop::Of(instruction);
    if (!loop.has_value()) return false;
    if (!assumed_.insert({&instruction, i}).second) return true;
    return AreExcluded(*loop->initial(i)) && AreExcluded(*loop->next(i));
  }

  int visits_ = 0;
  absl::flat_hash_map<const HloComputation*, const HloInstruction*> loops_;
  absl::flat_hash_set<Element> assumed_;
};

}  // namespace

bool IsNeverNegativeZero(const HloInstruction& x) {
  return HasReals(x) && NegativeZeros().AreExcluded(x);
}

}  // namespace xla::passes
