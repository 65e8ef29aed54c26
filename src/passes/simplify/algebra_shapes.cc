#include <numeric>
#include <vector>

#include "absl/algorithm/container.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/match.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"

namespace xla::passes {

Sizes PermutationOf(const HloInstruction& transpose) {
  return {transpose.dimensions().begin(), transpose.dimensions().end()};
}

namespace {

// Whether dimensions that are longer than 1 keep their order when they are taken in this one.
bool KeepsOrder(absl::Span<const int64_t> dimensions, const Shape& operand) {
  int64_t last = -1;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (operand.dimensions(static_cast<int>(i)) == 1) continue;
    if (dimensions[i] < last) return false;
    last = dimensions[i];
  }
  return true;
}

// For each dimension of `from` that is longer than 1, its counterpart in `to`, where the shapes
// differ by dimensions of size 1 only.
bool MapDimensions(const Shape& from, const Shape& to, Sizes* counterparts) {
  counterparts->assign(from.dimensions_size(), -1);
  int j = 0;
  for (int i = 0; i < from.dimensions_size(); ++i) {
    if (from.dimensions(i) == 1) continue;
    while (j < to.dimensions_size() && to.dimensions(j) == 1) ++j;
    if (j == to.dimensions_size() || to.dimensions(j) != from.dimensions(i)) return false;
    (*counterparts)[i] = j++;
  }
  while (j < to.dimensions_size() && to.dimensions(j) == 1) ++j;
  return j == to.dimensions_size();
}

// The reshape adds or removes dimensions of size 1 only: it can be done to the broadcast's operand.
HloInstruction* ReshapeOfBroadcast(HloInstruction& reshape, HloInstruction& broadcast) {
  GraphBuilder b(reshape);
  HloInstruction* x = broadcast.mutable_operand(0);
  if (IsSplat(broadcast)) return b.Broadcast(x, reshape.shape().dimensions());
  Sizes counterparts;
  if (!MapDimensions(broadcast.shape(), reshape.shape(), &counterparts)) return nullptr;
  Sizes kept, dimensions;
  for (size_t i = 0; i < broadcast.dimensions().size(); ++i) {
    const int64_t to = counterparts[broadcast.dimensions(static_cast<int64_t>(i))];
    if (to < 0) continue;
    kept.push_back(x->shape().dimensions(static_cast<int>(i)));
    dimensions.push_back(to);
  }
  return b.Broadcast(b.Reshape(x, kept), reshape.shape().dimensions(), dimensions);
}

HloInstruction* Reshape(HloInstruction& reshape) {
  HloInstruction* x = reshape.mutable_operand(0);
  if (SameSizes(reshape, *x)) return x;
  if (x->opcode() == HloOpcode::kReshape)
    return GraphBuilder(reshape).Reshape(x->mutable_operand(0), reshape.shape().dimensions());
  if (x->opcode() == HloOpcode::kBroadcast) return ReshapeOfBroadcast(reshape, *x);
  Sizes counterparts;
  if (x->opcode() == HloOpcode::kIota &&
      MapDimensions(x->shape(), reshape.shape(), &counterparts)) {
    const int64_t to = counterparts[x->attributes_as<IotaAttributes>().iota_dimension];
    if (to >= 0) {
      return GraphBuilder(reshape).Iota(reshape.shape().element_type(),
                                        reshape.shape().dimensions(), to);
    }
  }
  return nullptr;
}

HloInstruction* Transpose(HloInstruction& transpose) {
  HloInstruction* x = transpose.mutable_operand(0);
  const Sizes permutation = PermutationOf(transpose);
  GraphBuilder b(transpose);
  if (IsIdentityPermutation(permutation)) return x;
  switch (x->opcode()) {
    case HloOpcode::kTranspose:
      return b.Transpose(x->mutable_operand(0),
                         ComposePermutations(PermutationOf(*x), permutation));
    case HloOpcode::kBroadcast: {
      Sizes dimensions;
      const Sizes inverse = InversePermutation(permutation);
      for (int64_t d : x->dimensions()) dimensions.push_back(inverse[d]);
      return b.Broadcast(x->mutable_operand(0), transpose.shape().dimensions(), dimensions);
    }
    case HloOpcode::kIota:
      return b.Iota(
          x->shape().element_type(), transpose.shape().dimensions(),
          InversePermutation(permutation)[x->attributes_as<IotaAttributes>().iota_dimension]);
    default:
      break;
  }
  return KeepsOrder(InversePermutation(permutation), x->shape())
             ? b.Reshape(x, transpose.shape().dimensions())
             : nullptr;
}

HloInstruction* Broadcast(HloInstruction& broadcast) {
  HloInstruction* x = broadcast.mutable_operand(0);
  GraphBuilder b(broadcast);
  if (ShapeUtil::ElementsIn(x->shape()) == ShapeUtil::ElementsIn(broadcast.shape()) &&
      KeepsOrder(broadcast.dimensions(), x->shape())) {
    return b.Reshape(x, broadcast.shape().dimensions());
  }
  if (x->opcode() == HloOpcode::kBroadcast) {
    Sizes dimensions;
    for (int64_t d : x->dimensions()) dimensions.push_back(broadcast.dimensions(d));
    return b.Broadcast(x->mutable_operand(0), broadcast.shape().dimensions(), dimensions);
  }
  if (x->opcode() == HloOpcode::kIota) {
    return b.Iota(x->shape().element_type(), broadcast.shape().dimensions(),
                  broadcast.dimensions(x->attributes_as<IotaAttributes>().iota_dimension));
  }
  // A single element is a scalar.
  if (x->shape().dimensions_size() > 0 && ShapeUtil::ElementsIn(x->shape()) == 1)
    return b.Broadcast(b.Reshape(x, {}), broadcast.shape().dimensions());
  return nullptr;
}

HloInstruction* Reverse(HloInstruction& reverse) {
  HloInstruction* x = reverse.mutable_operand(0);
  Sizes longer;
  for (int64_t d : reverse.dimensions()) {
    if (x->shape().dimensions(static_cast<int>(d)) > 1) longer.push_back(d);
  }
  if (longer.empty()) return x;
  if (x->opcode() == HloOpcode::kReverse && absl::c_equal(x->dimensions(), reverse.dimensions()))
    return x->mutable_operand(0);
  if (IsSplat(*x)) return x;
  if (longer.size() == reverse.dimensions().size()) return nullptr;
  return GraphBuilder(reverse).Add(HloInstruction::CreateReverse(reverse.shape(), x, longer));
}

// An array of one value is a broadcast of it.
HloInstruction* Constant(HloInstruction& constant) {
  const Shape& shape = constant.shape();
  if (!shape.IsArray() || shape.dimensions_size() == 0 || ShapeUtil::ElementsIn(shape) < 2 ||
      !constant.HasLiteral() || !constant.literal().IsAllFirst()) {
    return nullptr;
  }
  GraphBuilder b(constant);
  const Sizes zeros(shape.dimensions_size(), 0), ones(shape.dimensions_size(), 1);
  absl::StatusOr<Literal> element = constant.literal().Slice(zeros, ones).Reshape({});
  if (!element.ok()) return nullptr;
  return b.Broadcast(b.Constant(*std::move(element)), shape.dimensions());
}

HloInstruction* Iota(HloInstruction& iota) {
  const int64_t dimension = iota.attributes_as<IotaAttributes>().iota_dimension;
  if (iota.shape().dimensions(static_cast<int>(dimension)) != 1) return nullptr;
  GraphBuilder b(iota);
  return b.Broadcast(b.Number(iota.shape().element_type(), 0), iota.shape().dimensions());
}

constexpr OpcodeRule kShapeRules[] = {
    {HloOpcode::kReshape, Reshape},     {HloOpcode::kTranspose, Transpose},
    {HloOpcode::kBroadcast, Broadcast}, {HloOpcode::kReverse, Reverse},
    {HloOpcode::kConstant, Constant},   {HloOpcode::kIota, Iota},
};

}  // namespace

absl::Span<const OpcodeRule> ShapeRules() { return kShapeRules; }

}  // namespace xla::passes
