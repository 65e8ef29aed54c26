#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// A ragged dot whose groups differ along a contracted dimension, as a dot with a batch for each
// group, in which whatever does not belong to the group is zero on both sides.
class RaggedDot {
 public:
  explicit RaggedDot(HloInstruction& dot)
      : b_(dot),
        dot_(dot),
        attributes_(dot.attributes_as<RaggedDotAttributes>()),
        ragged_(attributes_.lhs_ragged[0]),
        groups_(dot.operand(2)->shape().dimensions().back()) {
    outer_ = attributes_.lhs_batch;
    for (int64_t d = 0; d < ragged_; ++d) {
      if (absl::c_linear_search(attributes_.lhs_contracting, d)) outer_.push_back(d);
    }
  }

  bool IsOfThisKind() const {
    return absl::c_linear_search(attributes_.lhs_contracting, ragged_) &&
           dot_.operand(2)->shape().dimensions_size() > 1 &&
           outer_.size() > attributes_.lhs_batch.size();
  }

  HloInstruction* Make() {
    // Places before `ends` belong to a group or to one before it.
    HloInstruction* sizes = b_.Convert(dot_.mutable_operand(2), S64);
    HloInstruction* ends = b_.Running(HloOpcode::kMaximum, b_.Running(HloOpcode::kAdd, sizes));
    HloInstruction* begins = Shifted(ends);
    HloInstruction* lhs = OfGroups(dot_.mutable_operand(0), outer_, ragged_, begins, ends);
    Sizes outer;
    for (int64_t d : outer_) outer.push_back(OnRightSide(d));
    HloInstruction* rhs =
        OfGroups(dot_.mutable_operand(1), outer, OnRightSide(ragged_), begins, ends);
    auto attributes = std::make_unique<DotAttributes>();
    static_cast<PrecisionAttributes&>(*attributes) = attributes_;
    attributes->lhs_batch = BehindGroups(attributes_.lhs_batch);
    attributes->lhs_batch.insert(attributes->lhs_batch.begin(), 0);
    attributes->rhs_batch = BehindGroups(attributes_.rhs_batch);
    attributes->rhs_batch.insert(attributes->rhs_batch.begin(), 0);
    attributes->lhs_contracting = BehindGroups(attributes_.lhs_contracting);
    attributes->rhs_contracting = BehindGroups(attributes_.rhs_contracting);
    return b_.Add(
        HloInstruction::Create(HloOpcode::kDot, dot_.shape(), {lhs, rhs}, std::move(attributes)));
  }

 private:
  static Int64List BehindGroups(Int64List dimensions) {
    for (int64_t& d : dimensions) ++d;
    return dimensions;
  }

  int64_t OnRightSide(int64_t d) const {
    const auto batch = absl::c_find(attributes_.lhs_batch, d);
    if (batch != attributes_.lhs_batch.end())
      return attributes_.rhs_batch[batch - attributes_.lhs_batch.begin()];
    return attributes_.rhs_contracting[absl::c_find(attributes_.lhs_contracting, d) -
                                       attributes_.lhs_contracting.begin()];
  }

  // The number before each along the last dimension, zero at first.
  HloInstruction* Shifted(HloInstruction* x) {
    PaddingConfig padding;
    for (int d = 0; d < x->shape().dimensions_size(); ++d) padding.add_dimensions();
    auto* last = padding.mutable_dimensions(padding.dimensions_size() - 1);
    last->set_edge_padding_low(1);
    last->set_edge_padding_high(-1);
    return b_.Add(
        HloInstruction::CreatePad(x->shape(), x, b_.Constant(LiteralUtil::Zero(S64)), padding));
  }

  // One side for each group. `outer` are the side's dimensions that sizes of groups have, too.
  HloInstruction* OfGroups(HloInstruction* side, const Sizes& outer, int64_t ragged,
                           HloInstruction* begins, HloInstruction* ends) {
    Sizes bounds = {groups_}, own, of_sizes;
    for (int64_t d = 0; d < side->shape().dimensions_size(); ++d) {
      bounds.push_back(side->shape().dimensions(static_cast<int>(d)));
      own.push_back(d + 1);
    }
    for (int64_t d : outer) of_sizes.push_back(d + 1);
    of_sizes.push_back(0);
    HloInstruction* number = b_.Iota(S64, bounds, ragged + 1);
    HloInstruction* inside = b_.Binary(
        HloOpcode::kAnd,
        b_.Compare(Comparison::Direction::kGe, number, b_.Broadcast(begins, bounds, of_sizes)),
        b_.Compare(Comparison::Direction::kLt, number, b_.Broadcast(ends, bounds, of_sizes)));
    return b_.Select(inside, b_.Broadcast(side, bounds, own),
                     b_.Constant(LiteralUtil::Zero(side->shape().element_type())));
  }

  GraphBuilder b_;
  HloInstruction& dot_;
  const RaggedDotAttributes& attributes_;
  const int64_t ragged_, groups_;
  Sizes outer_;
};

absl::StatusOr<HloInstruction*> ExpandRaggedDot(HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kRaggedDot) return nullptr;
  RaggedDot dot(instruction);
  return dot.IsOfThisKind() ? dot.Make() : nullptr;
}

}  // namespace

absl::StatusOr<bool> ExpandRaggedDots(HloModule& module) {
  return ReplaceEach(module, ExpandRaggedDot);
}

}  // namespace xla::passes
