#include <numeric>
#include <vector>

#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/permutation_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Dimensions from major to minor in memory.
std::vector<int64_t> MajorToMinor(const Shape& shape) {
  std::vector<int64_t> order(shape.dimensions_size());
  std::iota(order.begin(), order.end(), 0);
  if (!shape.has_layout()) return order;
  const auto minor_to_major = shape.layout().minor_to_major();
  return {minor_to_major.rbegin(), minor_to_major.rend()};
}

std::vector<int64_t> PhysicalSizes(const Shape& shape) {
  std::vector<int64_t> sizes;
  for (int64_t d : MajorToMinor(shape)) sizes.push_back(shape.dimensions(d));
  return sizes;
}

HloInstruction* Flat(GraphBuilder& builder, HloInstruction* x) {
  return builder.Reshape(x, {ShapeUtil::ElementsIn(x->shape())});
}

// The parts of a vector of complex numbers one behind the other, and the numbers of them.
HloInstruction* PartsOf(GraphBuilder& builder, HloInstruction* x) {
  const int64_t count = x->shape().dimensions(0);
  const PrimitiveType type = primitive_util::ComplexComponentType(x->shape().element_type());
  const auto part = [&](HloOpcode opcode) {
    return builder.Reshape(
        builder.Add(HloInstruction::CreateUnary(ShapeUtil::MakeShape(type, {count}), opcode, x)),
        {count, 1});
  };
  return Flat(builder, builder.Add(HloInstruction::CreateConcatenate(
                           ShapeUtil::MakeShape(type, {count, 2}),
                           {part(HloOpcode::kReal), part(HloOpcode::kImag)}, 1)));
}
HloInstruction* OfParts(GraphBuilder& builder, HloInstruction* parts, PrimitiveType type) {
  const int64_t count = parts->shape().dimensions(0) / 2;
  const Shape column = ShapeUtil::MakeShape(parts->shape().element_type(), {count, 1});
  HloInstruction* pairs = builder.Reshape(parts, {count, 2});
  const auto part = [&](int64_t i) {
    return Flat(builder, builder.Add(HloInstruction::CreateSlice(column, pairs, {0, i},
                                                                 {count, i + 1}, {1, 1})));
  };
  return builder.Add(HloInstruction::CreateBinary(ShapeUtil::MakeShape(type, {count}),
                                                  HloOpcode::kComplex, part(0), part(1)));
}

// The bits of a vector as elements of another type.
HloInstruction* Reinterpret(GraphBuilder& builder, HloInstruction* x, PrimitiveType type) {
  const PrimitiveType from = x->shape().element_type();
  if (from == type) return x;
  const bool was_complex = primitive_util::IsComplexType(from);
  const bool is_complex = primitive_util::IsComplexType(type);
  if (was_complex && !is_complex) return Reinterpret(builder, PartsOf(builder, x), type);
  if (is_complex && !was_complex)
    return OfParts(builder, Reinterpret(builder, x, primitive_util::ComplexComponentType(type)),
                   type);
  const int64_t from_bits = primitive_util::StorageBitWidth(from);
  const int64_t to_bits = primitive_util::StorageBitWidth(type);
  const int64_t count = x->shape().dimensions(0);
  std::vector<int64_t> sizes = {count};
  if (to_bits > from_bits) {
    sizes = {count * from_bits / to_bits};
    x = builder.Reshape(x, {sizes[0], to_bits / from_bits});
  } else if (to_bits < from_bits) {
    sizes.push_back(from_bits / to_bits);
  }
  return Flat(builder, builder.Add(HloInstruction::CreateBitcastConvert(
                           ShapeUtil::MakeShape(type, sizes), x)));
}

// Values lie in row-major order, whatever the layouts say: they go out to the operand's layout and
// in from the result's.
absl::StatusOr<HloInstruction*> ExpandBitcast(HloInstruction& bitcast) {
  if (bitcast.opcode() != HloOpcode::kBitcast || bitcast.shape().is_dynamic() ||
      bitcast.operand(0)->shape().is_dynamic()) {
    return nullptr;
  }
  GraphBuilder builder(bitcast);
  if (ShapeUtil::IsZeroElementArray(bitcast.shape()))
    return builder.Constant(Literal::CreateFromShape(bitcast.shape()));
  HloInstruction* x = bitcast.mutable_operand(0);
  x = builder.Transpose(x, MajorToMinor(x->shape()));
  if (x->shape().element_type() != bitcast.shape().element_type())
    x = Reinterpret(builder, Flat(builder, x), bitcast.shape().element_type());
  x = builder.Reshape(x, PhysicalSizes(bitcast.shape()));
  x = builder.Transpose(x, InversePermutation(MajorToMinor(bitcast.shape())));
  // A bitcast of this one looks at its layout.
  if (x != bitcast.operand(0)) *x->mutable_shape() = bitcast.shape();
  return x;
}

}  // namespace

absl::StatusOr<bool> ExpandBitcasts(HloModule& module) {
  return ReplaceEach(module, ExpandBitcast);
}

}  // namespace xla::passes
