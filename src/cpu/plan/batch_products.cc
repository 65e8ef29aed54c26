#include "cpu/plan/batch_products.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/simplify/loop.h"
#include "passes/simplify/match.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using passes::GraphBuilder;
using passes::Loop;
using passes::WithoutReshapes;

// More rows, or a longer depth where sums are added up, are multiplied as fast as can be.
constexpr int64_t kManyRows = 256;
// Smaller products may be better off with what is around them.
constexpr int64_t kLeastDepth = 8, kLeastProducts = 4096;
// So many bytes may be kept for a loop.
constexpr int64_t kMostBytes = int64_t{256} << 20;

// The sizes of one side of a dot without batches: rows or columns.
Sizes FreeSizes(const HloInstruction& dot, int64_t side) {
  const auto& attributes = dot.attributes_as<DotAttributes>();
  const auto& contracting = side == 0 ? attributes.lhs_contracting : attributes.rhs_contracting;
  const Shape& shape = dot.operand(side)->shape();
  Sizes free;
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    if (!absl::c_linear_search(contracting, d)) free.push_back(shape.dimensions(d));
  }
  return free;
}

int64_t DepthOf(const HloInstruction& dot) {
  int64_t depth = 1;
  for (int64_t d : dot.attributes_as<DotAttributes>().lhs_contracting)
    depth *= dot.operand(0)->shape().dimensions(static_cast<int>(d));
  return depth;
}

bool IsCandidate(const HloInstruction& dot) {
  return dot.opcode() == HloOpcode::kDot && dot.operand_count() == 2 &&
         dot.attributes_as<DotAttributes>().lhs_batch.empty() && !dot.HasControlDependencies() &&
         !dot.shape().is_dynamic() && DepthOf(dot) >= kLeastDepth &&
         ShapeUtil::ElementsIn(dot.shape()) * DepthOf(dot) >= kLeastProducts;
}

class ProductBatcher {
 public:
  ProductBatcher(Loop& loop, const passes::Counter& counter) : loop_(loop), counter_(counter) {}

  absl::StatusOr<bool> Run() {
    for (HloInstruction* instruction : loop_.body().MakeInstructionPostOrder()) {
      if (!IsCandidate(*instruction)) continue;
      if (!FindStored(*instruction) && !FindBefore(*instruction)) FindSum(*instruction);
    }
    if (before_.empty() && behind_.empty()) return false;
    HILO_RETURN_IF_ERROR(ChangeLoop());
    for (const Behind& product : behind_) HILO_RETURN_IF_ERROR(MultiplyBehind(product));
    return true;
  }

 private:
  // The value that an instruction has in each step, one after the other along the first dimension
  // of an element of the state, behind the loop, or from the last step to the first one.
  struct Values {
    HloInstruction* value;
    bool is_reversed;
    int64_t element;
  };
  struct Before {
    HloInstruction* dot;
    int64_t side;  // that has slices
    const HloInstruction* slice;
  };
  struct Behind {
    HloInstruction* dot;
    int64_t element;            // that is only needed behind the loop,
    HloInstruction* add;        // which adds the products up, or null
    int64_t side;               // of the values that are multiplied, unless both are
    std::vector<int64_t> rows;  // elements of the state
  };

  // ---- What is the same in each step

  bool IsInvariant(const HloInstruction& value) const {
    const HloInstruction& source = WithoutReshapes(value);
    const int64_t number = loop_.ElementNumber(source);
    return source.opcode() == HloOpcode::kConstant || (number >= 0 && loop_.IsInvariant(number));
  }

  // In front of the loop.
  HloInstruction* InvariantOutside(const HloInstruction& value) const {
    const HloInstruction& source = WithoutReshapes(value);
    const int64_t number = loop_.ElementNumber(source);
    HloInstruction* outside =
        number >= 0 ? loop_.initial(number) : Outside().AddInstruction(source.Clone(""));
    return Graph().Reshape(outside, value.shape().dimensions());
  }

  // ---- Slices along the steps

  std::optional<bool> IsReversed(const HloInstruction& index) const {
    return passes::CountsDown(loop_, counter_, index);
  }

  // The slice of an array that never changes which a value is, or null.
  const HloInstruction* SliceOf(const HloInstruction& value) const {
    const HloInstruction& slice = WithoutReshapes(value);
    if (slice.opcode() != HloOpcode::kDynamicSlice ||
        !ShapeUtil::IsScalar(slice.operand(1)->shape()))
      return nullptr;
    const int64_t number = loop_.ElementNumber(*slice.operand(0));
    return number >= 0 && loop_.IsInvariant(number) &&
                   passes::IsRowOfStep(counter_, slice.operand(0)->shape(), slice.shape())
               ? &slice
               : nullptr;
  }

  // Which element of the state an update stores a value in, one step behind the other, or -1.
  int64_t ElementOfUpdate(const HloInstruction& update, const HloInstruction& value) const {
    if (update.opcode() != HloOpcode::kDynamicUpdateSlice || update.operand(1) != &value ||
        !passes::IsRowOfStep(counter_, update.shape(), value.shape()) ||
        !IsReversed(*update.operand(2)).has_value()) {
      return -1;
    }
    const int64_t number = loop_.ElementNumber(*update.operand(0));
    return number >= 0 && loop_.next(number) == &update ? number : -1;
  }

  // Where all values of an instruction are behind the loop, if they are somewhere.
  std::optional<Values> StoredValues(HloInstruction& value) const {
    if (const HloInstruction* slice = SliceOf(value); slice != nullptr) {
      const std::optional<bool> is_reversed = IsReversed(*slice->operand(1));
      if (is_reversed.has_value())
        return Values{&value, *is_reversed, loop_.ElementNumber(*slice->operand(0))};
    }
    for (const HloInstruction* user : value.users()) {
      const bool is_reshape = user->opcode() == HloOpcode::kReshape;
      const HloInstruction& stored = is_reshape ? *user : value;
      for (const HloInstruction* update : stored.users()) {
        if (const int64_t number = ElementOfUpdate(*update, stored); number >= 0)
          return Values{&value, *IsReversed(*update->operand(2)), number};
      }
    }
    return std::nullopt;
  }

  // ---- What can leave the loop

  bool IsWithinLimit(const HloInstruction& value) const {
    return bytes_ + ShapeUtil::ByteSizeOf(value.shape()) * counter_.steps <= kMostBytes;
  }

  // The side of a product whose rows, in all steps together, meet the other one.
  int64_t SideOfFewRows(const HloInstruction& dot) const {
    for (int64_t side : {0, 1}) {
      if (Product(FreeSizes(dot, side)) < kManyRows && IsInvariant(*dot.operand(1 - side)) &&
          !IsInvariant(*dot.operand(side))) {
        return side;
      }
    }
    return -1;
  }

  bool FindBefore(HloInstruction& dot) {
    const int64_t side = SideOfFewRows(dot);
    const HloInstruction* slice = side < 0 ? nullptr : SliceOf(*dot.operand(side));
    if (slice == nullptr || !IsWithinLimit(dot)) return false;
    bytes_ += ShapeUtil::ByteSizeOf(dot.shape()) * counter_.steps;
    before_.push_back({&dot, side, slice});
    return true;
  }

  // Whether an element of the state is needed for nothing but its next value.
  bool IsOnlyUsedBy(int64_t number, const HloInstruction& next) const {
    const auto is_element = [&](const HloInstruction* user) {
      return user->opcode() == HloOpcode::kGetTupleElement && user->tuple_index() == number;
    };
    if (absl::c_any_of(loop_.condition().parameter_instruction(0)->users(), is_element))
      return false;
    for (const HloInstruction* user : loop_.body().parameter_instruction(0)->users()) {
      if (is_element(user) && absl::c_any_of(user->users(), [&](const HloInstruction* reader) {
            return reader != &next;
          })) {
        return false;
      }
    }
    return next.user_count() == 1 && loop_.next(number) == &next &&
           absl::c_count(loop_.body().root_instruction()->operands(), &next) == 1;
  }

  bool FindStored(HloInstruction& dot) {
    const int64_t side = SideOfFewRows(dot);
    if (side < 0 || dot.user_count() != 1) return false;
    const bool is_reshaped = dot.users()[0]->opcode() == HloOpcode::kReshape;
    const HloInstruction& stored = is_reshaped ? *dot.users()[0] : dot;
    if (stored.user_count() != 1) return false;
    HloInstruction& update = *stored.users()[0];
    const int64_t number = ElementOfUpdate(update, stored);
    if (number < 0 || !IsOnlyUsedBy(number, update)) return false;
    const int64_t rows = ElementWith(*dot.mutable_operand(side), *IsReversed(*update.operand(2)));
    if (rows < 0) return false;
    behind_.push_back({&dot, number, nullptr, side, {rows}});
    return true;
  }

  bool FindSum(HloInstruction& dot) {
    const PrimitiveType type = dot.shape().element_type();
    if (dot.user_count() != 1 || dot.users()[0]->opcode() != HloOpcode::kAdd ||
        DepthOf(dot) >= kManyRows || primitive_util::BitWidth(type) < 32) {
      return false;
    }
    HloInstruction& add = *dot.users()[0];
    const int64_t number = loop_.ElementNumber(*add.operand(add.operand(0) == &dot ? 1 : 0));
    if (number < 0 || !IsOnlyUsedBy(number, add)) return false;
    std::optional<bool> is_reversed;
    int64_t elements = 0;  // that are stored besides
    for (int64_t side : {0, 1}) {
      const std::optional<Values> stored = StoredValues(*dot.mutable_operand(side));
      if (!stored.has_value() || stored->is_reversed != is_reversed.value_or(stored->is_reversed)) {
        elements += ShapeUtil::ElementsIn(dot.operand(side)->shape());
      } else {
        is_reversed = stored->is_reversed;
      }
    }
    if (elements > ShapeUtil::ElementsIn(dot.shape())) return false;
    Behind product = {&dot, number, &add, -1, {}};
    for (int64_t side : {0, 1}) {
      product.rows.push_back(ElementWith(*dot.mutable_operand(side), is_reversed.value_or(false)));
      if (product.rows.back() < 0) return false;
    }
    behind_.push_back(std::move(product));
    return true;
  }

  // The element of the state that has all values of an instruction in this order behind the loop:
  // a new one where there is none yet. -1 where the limit on bytes forbids one.
  int64_t ElementWith(HloInstruction& value, bool is_reversed) {
    const std::optional<Values> stored = StoredValues(value);
    if (stored.has_value() && stored->is_reversed == is_reversed) return stored->element;
    for (const Values& each : stored_) {
      if (each.value == &value && each.is_reversed == is_reversed) return each.element;
    }
    if (!IsWithinLimit(value)) return -1;
    bytes_ += ShapeUtil::ByteSizeOf(value.shape()) * counter_.steps;
    const int64_t element = loop_.size() + static_cast<int64_t>(stored_.size());
    stored_.push_back({&value, is_reversed, element});
    return element;
  }

  // ---- Changes

  HloComputation& Outside() const { return *loop_.instruction().parent(); }
  GraphBuilder Graph() const { return GraphBuilder(loop_.instruction()); }

  Shape ShapeOfSteps(const Shape& shape) const {
    Sizes sizes = {counter_.steps};
    sizes.insert(sizes.end(), shape.dimensions().begin(), shape.dimensions().end());
    return ShapeUtil::MakeShape(shape.element_type(), sizes);
  }

  // Stored values first, then products that are there before the loop begins.
  absl::Status ChangeLoop() {
    std::vector<HloInstruction*> added, replaced, next;
    GraphBuilder outside = Graph();
    const auto add = [&](HloInstruction* initial, HloInstruction& origin) {
      added.push_back(initial);
      GraphBuilder b(origin);
      replaced.push_back(
          b.Broadcast(b.Number(initial->shape().element_type(), 0), initial->shape().dimensions()));
      return replaced.back();
    };
    for (const Values& values : stored_) {
      const Shape shape = ShapeOfSteps(values.value->shape());
      HloInstruction* array =
          add(outside.Broadcast(outside.Number(shape.element_type(), 0), shape.dimensions()),
              *values.value);
      next.push_back(Update(array, values));
    }
    for (const Before& product : before_) {
      const HloInstruction& dot = *product.dot;
      HloInstruction* rows =
          outside.Reshape(InvariantOutside(*product.slice->operand(0)),
                          ShapeOfSteps(dot.operand(product.side)->shape()).dimensions());
      HloInstruction* products =
          Multiply(dot, product.side, rows, InvariantOutside(*dot.operand(1 - product.side)));
      HILO_RETURN_IF_ERROR(TakeSlice(product, add(products, *product.dot)));
    }
    for (const Behind& product : behind_) {
      HloInstruction* element = loop_.body().AddInstruction(HloInstruction::CreateGetTupleElement(
          loop_.body().parameter_instruction(0), product.element));
      HILO_RETURN_IF_ERROR(
          loop_.body().root_instruction()->ReplaceOperandWith(product.element, element));
    }
    HILO_RETURN_IF_ERROR(loop_.AddToState(added, replaced));
    for (size_t k = 0; k < next.size(); ++k) {
      HILO_RETURN_IF_ERROR(
          loop_.body().root_instruction()->ReplaceOperandWith(stored_[k].element, next[k]));
    }
    return absl::OkStatus();
  }

  // Puts a step's value where it belongs.
  HloInstruction* Update(HloInstruction* array, const Values& values) const {
    GraphBuilder b(*values.value);
    HloInstruction* index = b.Add(HloInstruction::CreateGetTupleElement(
        loop_.body().parameter_instruction(0), counter_.element));
    const PrimitiveType type = index->shape().element_type();
    if (values.is_reversed) {
      const int64_t last = counter_.first + counter_.steps - 1;
      index = b.Binary(HloOpcode::kSubtract, b.Number(type, static_cast<double>(last)), index);
    } else if (counter_.first != 0) {
      index = b.Binary(HloOpcode::kSubtract, index,
                       b.Number(type, static_cast<double>(counter_.first)));
    }
    std::vector<HloInstruction*> starts(array->shape().dimensions_size(), b.Number(type, 0));
    starts[0] = index;
    Sizes sizes(array->shape().dimensions().begin(), array->shape().dimensions().end());
    sizes[0] = 1;
    return b.Add(HloInstruction::CreateDynamicUpdateSlice(array->shape(), array,
                                                          b.Reshape(values.value, sizes), starts));
  }

  // The slice of all products takes the place of a step's own.
  absl::Status TakeSlice(const Before& product, HloInstruction* products) const {
    HloInstruction& dot = *product.dot;
    GraphBuilder b(dot);
    HloInstruction* index = const_cast<HloInstruction*>(product.slice->operand(1));
    std::vector<HloInstruction*> starts(products->shape().dimensions_size(),
                                        b.Number(index->shape().element_type(), 0));
    starts[0] = index;
    Sizes sizes(products->shape().dimensions().begin(), products->shape().dimensions().end());
    sizes[0] = 1;
    HloInstruction* slice = b.Add(HloInstruction::CreateDynamicSlice(
        ShapeUtil::MakeShape(products->shape().element_type(), sizes), products, starts, sizes));
    sizes.erase(sizes.begin());
    HloInstruction* own = b.Transpose(b.Reshape(slice, sizes), ToResult(dot, product.side, 0));
    return dot.ReplaceAllUsesWith(own);
  }

  // The permutation from the rows of one side and the columns of the other, behind so many other
  // dimensions, to the result's order.
  static std::vector<int64_t> ToResult(const HloInstruction& dot, int64_t side, int64_t first) {
    const int64_t rank = first + dot.shape().dimensions_size();
    std::vector<int64_t> permutation(rank);
    absl::c_iota(permutation, 0);
    const auto rows = static_cast<int64_t>(FreeSizes(dot, side).size());
    if (side == 1)
      std::rotate(permutation.begin() + first, permutation.begin() + first + rows,
                  permutation.end());
    return permutation;
  }

  // Rows of all steps times the other side: the result has the steps' dimension, then those of the
  // rows.
  HloInstruction* Multiply(const HloInstruction& dot, int64_t side, HloInstruction* rows,
                           HloInstruction* other) const {
    Sizes sizes = {counter_.steps};
    for (int64_t each : {side, 1 - side}) {
      const Sizes free = FreeSizes(dot, each);
      sizes.insert(sizes.end(), free.begin(), free.end());
    }
    HloInstruction* product = Outside().AddInstruction(dot.CloneWithNewOperands(
        ShapeUtil::MakeShape(dot.shape().element_type(), sizes), {rows, other}));
    auto& attributes = product->mutable_attributes_as<DotAttributes>();
    if (side == 1) {
      std::swap(attributes.lhs_contracting, attributes.rhs_contracting);
      auto* precision = attributes.precision.mutable_operand_precision();
      if (precision->size() == 2) precision->SwapElements(0, 1);
    }
    for (int64_t& d : attributes.lhs_contracting) ++d;
    return product;
  }

  // Steps are one more dimension of the depth.
  HloInstruction* MultiplyAndAdd(const HloInstruction& dot, HloInstruction* left,
                                 HloInstruction* right) const {
    HloInstruction* product = Outside().AddInstruction(dot.CloneWithNewOperands(
        ShapeUtil::MakeShape(dot.shape().element_type(), dot.shape().dimensions()), {left, right}));
    auto& attributes = product->mutable_attributes_as<DotAttributes>();
    for (auto* contracting : {&attributes.lhs_contracting, &attributes.rhs_contracting}) {
      for (int64_t& d : *contracting) ++d;
      contracting->insert(contracting->begin(), 0);
    }
    return product;
  }

  absl::Status MultiplyBehind(const Behind& product) {
    const HloInstruction& dot = *product.dot;
    GraphBuilder b = Graph();
    const auto values = [&](size_t i, int64_t side) {
      HloInstruction* last =
          b.Add(HloInstruction::CreateGetTupleElement(&loop_.instruction(), product.rows[i]));
      return b.Reshape(last, ShapeOfSteps(dot.operand(side)->shape()).dimensions());
    };
    if (product.add == nullptr) {
      HloInstruction* products = Multiply(dot, product.side, values(0, product.side),
                                          InvariantOutside(*dot.operand(1 - product.side)));
      return loop_.ReplaceResult(product.element,
                                 b.Reshape(b.Transpose(products, ToResult(dot, product.side, 1)),
                                           loop_.initial(product.element)->shape().dimensions()));
    }
    HloInstruction* operands[] = {loop_.initial(product.element),
                                  MultiplyAndAdd(dot, values(0, 0), values(1, 1))};
    if (product.add->operand(0) == &dot) std::swap(operands[0], operands[1]);
    return loop_.ReplaceResult(product.element,
                               Outside().AddInstruction(product.add->CloneWithNewOperands(
                                   operands[0]->shape(), {operands[0], operands[1]})));
  }

  Loop& loop_;
  const passes::Counter counter_;
  int64_t bytes_ = 0;  // of arrays that there were not before
  std::vector<Values> stored_;
  std::vector<Before> before_;
  std::vector<Behind> behind_;
};

}  // namespace

absl::StatusOr<bool> BatchProducts(HloModule& module) {
  return passes::RewriteLoops(module, [](Loop& loop) -> absl::StatusOr<bool> {
    if (loop.condition().HasSideEffect()) return false;
    const std::optional<passes::Counter> counter = passes::FindCounter(loop);
    if (!counter.has_value() || counter->step != 1) return false;
    return ProductBatcher(loop, *counter).Run();
  });
}

}  // namespace xla::cpu
