#include "cpu/plan/transpose_reductions.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "passes/cost.h"
#include "passes/graph_builder.h"
#include "passes/reducer.h"
#include "passes/replace.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// The dimension that vectors go along has so many elements at least.
constexpr int64_t kLeastAcross = 16;
// Longer rows are reduced as fast one after the other, and longer ones that are kept fill vectors.
constexpr int64_t kMostReduced = 64, kMostKept = 8;
// Fewer elements take no time; fewer for each of an array's do not repay its transpose.
constexpr int64_t kLeastReducedElements = 4096, kLeastReads = 8;
// All else is computed once more for the reduction.
constexpr size_t kMostExchanged = 24;

// The two last dimensions of an array.
struct LastTwo {
  int64_t outer, inner;

  explicit LastTwo(const HloInstruction& x)
      : outer(x.shape().dimensions_size() - 2), inner(outer + 1) {}
  int64_t Exchanged(int64_t d) const { return d == outer ? inner : d == inner ? outer : d; }
};

Sizes Exchanged(absl::Span<const int64_t> sizes) {
  Sizes exchanged(sizes.begin(), sizes.end());
  std::swap(exchanged[exchanged.size() - 2], exchanged.back());
  return exchanged;
}

// Makes what a reduction reads with its last two dimensions exchanged.
class Exchange {
 public:
  explicit Exchange(HloInstruction& reduce)
      : builder_(reduce),
        rank_(reduce.operand(0)->shape().dimensions_size()),
        elements_(ShapeUtil::ElementsIn(reduce.operand(0)->shape())) {}

  // Whether all of it comes from smaller arrays.
  bool IsPossible(const HloInstruction& x) {
    if (!seen_.try_emplace(&x, nullptr).second) return true;
    if (seen_.size() > kMostExchanged || x.shape().dimensions_size() != rank_ ||
        x.HasControlDependencies()) {
      return false;
    }
    if (x.opcode() == HloOpcode::kIota) return true;
    if (x.opcode() == HloOpcode::kBroadcast) {
      return !HasBoth(x) || ShapeUtil::ElementsIn(x.operand(0)->shape()) * kLeastReads <= elements_;
    }
    const bool is_repeated = passes::HasManyInstructions(x) && x.user_count() > 1;
    return x.IsElementwise() && x.operand_count() > 0 && !is_repeated &&
           absl::c_all_of(x.operands(), [&](const HloInstruction* operand) {
             return ShapeUtil::IsScalar(operand->shape()) || IsPossible(*operand);
           });
  }

  HloInstruction* Of(HloInstruction& x) {
    if (ShapeUtil::IsScalar(x.shape())) return &x;
    HloInstruction*& exchanged = seen_[&x];
    if (exchanged == nullptr) exchanged = Make(x);
    return exchanged;
  }

 private:
  // Whether a broadcast's array has both dimensions, one behind the other.
  static bool HasBoth(const HloInstruction& broadcast) {
    const LastTwo last(broadcast);
    return absl::c_is_sorted(broadcast.dimensions()) &&
           absl::c_linear_search(broadcast.dimensions(), last.outer) &&
           absl::c_linear_search(broadcast.dimensions(), last.inner);
  }

  HloInstruction* Make(HloInstruction& x) {
    const Sizes sizes = Exchanged(x.shape().dimensions());
    const LastTwo last(x);
    if (x.opcode() == HloOpcode::kIota) {
      const int64_t d = x.attributes_as<IotaAttributes>().iota_dimension;
      return builder_.Iota(x.shape().element_type(), sizes, last.Exchanged(d));
    }
    if (x.opcode() == HloOpcode::kBroadcast) {
      HloInstruction* array = x.mutable_operand(0);
      Sizes dimensions(x.dimensions().begin(), x.dimensions().end());
      if (HasBoth(x)) {
        Sizes order(dimensions.size());
        absl::c_iota(order, 0);
        return builder_.Broadcast(builder_.Transpose(array, Exchanged(order)), sizes, dimensions);
      }
      for (int64_t& d : dimensions) d = last.Exchanged(d);
      return builder_.Broadcast(array, sizes, dimensions);
    }
    std::vector<HloInstruction*> operands;
    for (HloInstruction* operand : x.operands()) operands.push_back(Of(*operand));
    return builder_.Add(
        x.CloneWithNewOperands(ShapeUtil::MakeShape(x.shape().element_type(), sizes), operands));
  }

  passes::GraphBuilder builder_;
  const int64_t rank_, elements_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> seen_;
};

bool IsExchangeable(const HloInstruction& reduce) {
  if (reduce.opcode() != HloOpcode::kReduce || reduce.operand_count() != 2 ||
      reduce.dimensions().size() != 1 || reduce.HasControlDependencies() ||
      !passes::ReducingOperationOf(*reduce.to_apply()).has_value()) {
    return false;
  }
  const HloInstruction& operand = *reduce.operand(0);
  const Shape& shape = operand.shape();
  if (shape.dimensions_size() < 2 || shape.is_dynamic() ||
      ShapeUtil::ElementsIn(shape) < kLeastReducedElements) {
    return false;
  }
  const LastTwo last(operand);
  const int64_t row = shape.dimensions(static_cast<int>(last.inner));
  const int64_t across = shape.dimensions(static_cast<int>(last.outer));
  if (row < 2 || across < kLeastAcross || across < row) return false;
  const int64_t d = reduce.dimensions(0);
  return d == last.inner ? row <= kMostReduced : d == last.outer && row <= kMostKept;
}

HloInstruction* TransposeReduction(HloInstruction& reduce) {
  if (!IsExchangeable(reduce)) return nullptr;
  Exchange exchange(reduce);
  HloInstruction* operand = reduce.mutable_operand(0);
  if (!exchange.IsPossible(*operand)) return nullptr;
  return passes::GraphBuilder(reduce).Add(HloInstruction::CreateReduce(
      reduce.shape(), exchange.Of(*operand), reduce.mutable_operand(1),
      {LastTwo(*operand).Exchanged(reduce.dimensions(0))}, reduce.to_apply()));
}

}  // namespace

absl::StatusOr<bool> TransposeReductions(HloModule& module) {
  return passes::ReplaceEach(module, [](HloInstruction& each) -> absl::StatusOr<HloInstruction*> {
    return TransposeReduction(each);
  });
}

}  // namespace xla::cpu
