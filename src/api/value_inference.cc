#include "xla/hlo/builder/value_inference.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla {

bool OptionalLiteral::AllValid() const {
  bool all = true;
  ShapeUtil::ForEachLeafShape(mask_.shape(), [&](const Shape& leaf, const ShapeIndex& index) {
    if (!leaf.IsArray()) return;
    for (bool unknown : mask_.data<bool>(index)) all &= !unknown;
  });
  return all;
}

namespace {

// A number that a value is never below, or never above, for the elements where it is known. Both
// literals are row-major; `unknown` has PRED in the shape of `value`.
struct Bound {
  Bound Clone() const { return {value.Clone(), unknown.Clone()}; }

  Literal value;
  Literal unknown;
};

struct Bounds {
  Bounds Clone() const { return {lower.Clone(), upper.Clone()}; }

  Bound lower, upper;
};

// Nothing where nothing is known.
using Inferred = std::optional<Bounds>;

constexpr int64_t kMaxElements = int64_t{1} << 20;
constexpr int64_t kMaxUnknownElements = int64_t{1} << 26;
// Of an operation: what one instruction does to one element is 1.
constexpr int64_t kMaxWork = int64_t{1} << 24;

// Whether the shape has static arrays, of bearable sizes, and tuples of them and of tokens only.
bool CanBeFollowed(const Shape& shape) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      if (!element.IsToken() && !CanBeFollowed(element)) return false;
    }
    return true;
  }
  return shape.IsArray() && shape.is_static() && ShapeUtil::ElementsIn(shape) <= kMaxElements;
}

// The shape with another element type, without layouts other than the default ones.
Shape RowMajorShape(const Shape& shape, std::optional<PrimitiveType> type = std::nullopt) {
  if (shape.IsToken()) return shape;
  if (!shape.IsTuple()) {
    return ShapeUtil::MakeShape(type.value_or(shape.element_type()), shape.dimensions());
  }
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_shapes())
    elements.push_back(RowMajorShape(element, type));
  return ShapeUtil::MakeTupleShape(elements);
}

void ForEachArray(const Shape& shape, absl::FunctionRef<void(const ShapeIndex&)> function) {
  ShapeUtil::ForEachLeafShape(shape, [&](const Shape& leaf, const ShapeIndex& index) {
    if (leaf.IsArray()) function(index);
  });
}

// PRED in a shape, all the same.
Literal Mask(const Shape& shape, bool value) {
  Literal mask = Literal::CreateFromShape(RowMajorShape(shape, PRED));
  ForEachArray(mask.shape(), [&](const ShapeIndex& index) {
    for (bool& element : mask.data<bool>(index)) element = value;
  });
  return mask;
}

Bound Known(Literal value) {
  Literal unknown = Mask(value.shape(), false);
  return {std::move(value), std::move(unknown)};
}

// Of a token there is nothing to be known.
Bound Unknown(const Shape& shape) {
  return {Literal::CreateFromShape(RowMajorShape(shape)), Mask(shape, true)};
}

Bounds Both(Bound bound) {
  Bound copy = bound.Clone();
  return {std::move(bound), std::move(copy)};
}

Bounds OrUnknown(const Inferred& inferred, const Shape& shape) {
  return inferred.has_value() ? inferred->Clone() : Both(Unknown(shape));
}

// True where the bounds differ or are not known.
Literal Inexact(const Bounds& bounds) {
  Literal mask = Mask(bounds.lower.value.shape(), false);
  ForEachArray(mask.shape(), [&](const ShapeIndex& index) {
    const auto result = mask.data<bool>(index);
    const auto lower = bounds.lower.unknown.data<bool>(index);
    const auto upper = bounds.upper.unknown.data<bool>(index);
    const char* low = static_cast<const char*>(bounds.lower.value.untyped_data(index));
    const char* high = static_cast<const char*>(bounds.upper.value.untyped_data(index));
    const PrimitiveType type =
        ShapeUtil::GetSubshape(bounds.lower.value.shape(), index).element_type();
    const int64_t bytes = primitive_util::ByteWidth(type);
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] =
          lower[i] || upper[i] || std::memcmp(low + i * bytes, high + i * bytes, bytes) != 0;
    }
  });
  return mask;
}

bool AnyOf(const Literal& mask) {
  bool any = false;
  ForEachArray(mask.shape(), [&](const ShapeIndex& index) {
    for (bool element : mask.data<bool>(index)) any |= element;
  });
  return any;
}

bool IsExact(const Bounds& bounds) { return !AnyOf(Inexact(bounds)); }

// An element of a mask that may be a scalar.
bool At(const Literal& mask, size_t i) {
  const auto data = mask.data<bool>();
  return data[data.size() == 1 ? 0 : i];
}

// An array of `shape`: whether one of the masks is true, where scalars are repeated.
Literal Or(const Shape& shape, absl::Span<const Literal* const> masks) {
  Literal result = Mask(shape, false);
  const auto data = result.data<bool>();
  for (const Literal* mask : masks) {
    for (size_t i = 0; i < data.size(); ++i) data[i] |= At(*mask, i);
  }
  return result;
}

// `replacement` where the mask is true, else `base`.
Literal Replace(const Literal& base, const Literal& mask, const Literal& replacement) {
  Literal result = base.Clone();
  const int64_t bytes = primitive_util::ByteWidth(base.shape().element_type());
  const int64_t count = base.element_count();
  for (int64_t i = 0; i < count; ++i) {
    if (!At(mask, i)) continue;
    std::memcpy(static_cast<char*>(result.untyped_data()) + i * bytes,
                static_cast<const char*>(replacement.untyped_data()) + i * bytes, bytes);
  }
  return result;
}

Literal Not(const Literal& mask) {
  Literal result = mask.Clone();
  for (bool& element : result.data<bool>()) element = !element;
  return result;
}

// Whether the result of an operation follows from its operands and its callees alone.
bool IsDetermined(const HloInstruction& op) {
  return !HasTrait(op.opcode(), kSideEffect) && !HasTrait(op.opcode(), kCollective) &&
         !HasTrait(op.opcode(), kAsync) && op.opcode() != HloOpcode::kCustomCall &&
         op.opcode() != HloOpcode::kPartitionId && op.opcode() != HloOpcode::kReplicaId &&
         op.opcode() != HloOpcode::kRng;
}

// What is known where the value is one of two: elements in which both agree.
Bounds EitherOf(const Bounds& a, const Bounds& b) {
  Bounds either = a.Clone();
  const Literal inexact_a = Inexact(a), inexact_b = Inexact(b);
  ForEachArray(inexact_a.shape(), [&](const ShapeIndex& index) {
    const auto unknown_a = inexact_a.data<bool>(index);
    const auto unknown_b = inexact_b.data<bool>(index);
    const char* value_a = static_cast<const char*>(a.lower.value.untyped_data(index));
    const char* value_b = static_cast<const char*>(b.lower.value.untyped_data(index));
    const int64_t bytes = primitive_util::ByteWidth(
        ShapeUtil::GetSubshape(a.lower.value.shape(), index).element_type());
    for (size_t i = 0; i < unknown_a.size(); ++i) {
      const bool differ = unknown_a[i] || unknown_b[i] ||
                          std::memcmp(value_a + i * bytes, value_b + i * bytes, bytes) != 0;
      either.lower.unknown.data<bool>(index)[i] = differ;
      either.upper.unknown.data<bool>(index)[i] = differ;
    }
  });
  return either;
}

// An element of the result of an instruction, by its place in row-major order.
struct ElementOf {
  const HloInstruction* instruction;
  int64_t place;
};

// The coordinates of an element, and back.
std::vector<int64_t> IndexOf(const Shape& shape, int64_t place) {
  std::vector<int64_t> index(shape.dimensions_size());
  for (int i = shape.dimensions_size() - 1; i >= 0; --i) {
    index[i] = place % shape.dimensions(i);
    place /= shape.dimensions(i);
  }
  return index;
}

int64_t PlaceOf(const Shape& shape, absl::Span<const int64_t> index) {
  int64_t place = 0;
  for (int i = 0; i < shape.dimensions_size(); ++i) place = place * shape.dimensions(i) + index[i];
  return place;
}

// Where an element comes from that was only moved.
ElementOf SourceOf(ElementOf element) {
  while (true) {
    const HloInstruction& op = *element.instruction;
    if (op.operand_count() == 0) return element;
    const HloInstruction* operand = op.operand(0);
    const Shape& from = operand->shape();
    if (!from.IsArray() || !from.is_static()) return element;
    std::vector<int64_t> index = IndexOf(op.shape(), element.place);
    switch (op.opcode()) {
      case HloOpcode::kConvert:
        if (from.element_type() != op.shape().element_type()) return element;
        break;
      case HloOpcode::kCopy:
      case HloOpcode::kReshape:
        break;
      case HloOpcode::kBroadcast: {
        std::vector<int64_t> source;
        for (int64_t dimension : op.dimensions()) source.push_back(index[dimension]);
        element.place = PlaceOf(from, source);
        break;
      }
      case HloOpcode::kSlice: {
        const auto& ranges = op.attributes_as<SliceAttributes>().ranges;
        for (size_t i = 0; i < index.size(); ++i) {
          index[i] = ranges[i].start + index[i] * ranges[i].stride;
        }
        element.place = PlaceOf(from, index);
        break;
      }
      case HloOpcode::kConcatenate: {
        const int64_t along = op.dimensions()[0];
        int number = 0;
        while (index[along] >= op.operand(number)->shape().dimensions(along)) {
          index[along] -= op.operand(number++)->shape().dimensions(along);
        }
        operand = op.operand(number);
        element.place = PlaceOf(operand->shape(), index);
        break;
      }
      default:
        return element;
    }
    element.instruction = operand;
  }
}

// Whether two elements, not moved any more, are the same number in every execution.
bool IsSameNumber(const ElementOf& a, const ElementOf& b) {
  if (a.instruction == b.instruction) return a.place == b.place;
  return a.instruction->opcode() == HloOpcode::kGetDimensionSize &&
         b.instruction->opcode() == HloOpcode::kGetDimensionSize &&
         a.instruction->operand(0) == b.instruction->operand(0) &&
         a.instruction->dimensions() == b.instruction->dimensions();
}

// Goes over the instructions of a module's entry, operands first.
class Inference {
 public:
  explicit Inference(const HloModule& module) {
    for (const HloComputation* computation : module.MakeComputationPostOrder()) {
      int64_t work = 0;
      for (const HloInstruction* instruction : computation->instructions()) {
        work = std::min(work + WorkOf(*instruction), kMaxWork + 1);
      }
      work_[computation] = work;
    }
  }

  // What is known of the root.
  Inferred Run(const HloComputation& computation) {
    for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
      absl::StatusOr<Inferred> inferred = Infer(*instruction);
      // An operation that cannot be evaluated is one of which nothing is known.
      inferred_[instruction] = inferred.ok() ? *std::move(inferred) : std::nullopt;
    }
    return std::move(inferred_[computation.root_instruction()]);
  }

 private:
  absl::StatusOr<Inferred> Infer(const HloInstruction& op);
  absl::StatusOr<Inferred> InferFromOperands(const HloInstruction& op);
  absl::StatusOr<Inferred> Elementwise(const HloInstruction& op);
  absl::StatusOr<Inferred> Monotone(const HloInstruction& op);
  absl::StatusOr<Inferred> Extremum(const HloInstruction& op);
  absl::StatusOr<Inferred> Product(const HloInstruction& op);
  absl::StatusOr<Inferred> Selection(const HloInstruction& op);
  absl::StatusOr<Inferred> Movement(const HloInstruction& op, int64_t data_operands);
  absl::StatusOr<Inferred> Reduction(const HloInstruction& op);
  absl::StatusOr<Inferred> Sort(const HloInstruction& op);
  absl::StatusOr<Inferred> Conditional(const HloInstruction& op);
  absl::StatusOr<Inferred> Whole(const HloInstruction& op);
  void Cancel(const HloInstruction& difference, Bounds& bounds);
  Inferred MakeTuple(const HloInstruction& op);
  static Inferred TupleOf(std::vector<Bounds> elements);
  Inferred Element(const HloInstruction& op);
  Inferred Size(const HloInstruction& op);
  Inferred Call(const HloInstruction& op);

  // How much it takes to evaluate an operation; more than kMaxWork where nobody can say, as for
  // loops, and where the result does not follow from the operands.
  int64_t WorkOf(const HloInstruction& op) const {
    if (!IsDetermined(op) || op.opcode() == HloOpcode::kWhile) return kMaxWork + 1;
    double elements = 1;
    const auto add = [&](const Shape& leaf, const ShapeIndex&) {
      elements += leaf.IsArray() ? static_cast<double>(ShapeUtil::ElementsIn(leaf)) : 1;
    };
    ShapeUtil::ForEachLeafShape(op.shape(), add);
    for (const HloInstruction* operand : op.operands()) {
      ShapeUtil::ForEachLeafShape(operand->shape(), add);
    }
    double work = elements;
    const bool calls_once = op.opcode() == HloOpcode::kCall || op.opcode() == HloOpcode::kFusion ||
                            op.opcode() == HloOpcode::kConditional;
    for (const HloComputation* callee : op.called_computations()) {
      const auto found = work_.find(callee);
      const int64_t callee_work = found == work_.end() ? kMaxWork : found->second;
      work += (calls_once ? 1 : elements) * static_cast<double>(callee_work);
    }
    return static_cast<int64_t>(std::min(work, static_cast<double>(kMaxWork + 1)));
  }

  const Inferred& Of(const HloInstruction* instruction) { return inferred_[instruction]; }
  std::vector<Bounds> Operands(const HloInstruction& op) {
    std::vector<Bounds> operands;
    for (const HloInstruction* operand : op.operands()) {
      operands.push_back(OrUnknown(Of(operand), operand->shape()));
    }
    return operands;
  }

  // The operation applied to other operands, with a result of `shape`.
  absl::StatusOr<Literal> Apply(const HloInstruction& op, const Shape& shape,
                                absl::Span<const Literal* const> operands) {
    std::vector<std::unique_ptr<HloInstruction>> constants;
    std::vector<HloInstruction*> pointers;
    for (const Literal* operand : operands) {
      constants.push_back(HloInstruction::CreateConstant(operand->Clone()));
      pointers.push_back(constants.back().get());
    }
    const std::unique_ptr<HloInstruction> clone = op.CloneWithNewOperands(shape, pointers);
    HloEvaluator evaluator;
    return evaluator.Evaluate(clone.get());
  }
  absl::StatusOr<Literal> Apply(const HloInstruction& op,
                                absl::Span<const Literal* const> operands) {
    return Apply(op, RowMajorShape(op.shape()), operands);
  }

  // What is known of the result of a computation that is given these values.
  Inferred RunCallee(const HloComputation& callee, std::vector<Inferred> arguments) {
    arguments_[&callee] = std::move(arguments);
    return Run(callee);
  }

  absl::flat_hash_map<const HloInstruction*, Inferred> inferred_;
  absl::flat_hash_map<const HloComputation*, std::vector<Inferred>> arguments_;
  absl::flat_hash_map<const HloComputation*, int64_t> work_;
};

absl::StatusOr<Inferred> Inference::Infer(const HloInstruction& op) {
  if (op.opcode() == HloOpcode::kGetDimensionSize) return Size(op);
  if (!CanBeFollowed(op.shape())) return Inferred();
  if (op.opcode() == HloOpcode::kConstant) {
    return Inferred(
        Both(Known(op.literal().Relayout(LayoutUtil::GetWithDefaultLayout(op.literal().shape())))));
  }
  if (op.opcode() == HloOpcode::kGetTupleElement) return Element(op);
  if (op.opcode() == HloOpcode::kParameter) {
    const auto found = arguments_.find(op.parent());
    if (found == arguments_.end()) return Inferred();
    const Inferred& argument = found->second[op.parameter_number()];
    return argument.has_value() ? Inferred(argument->Clone()) : Inferred();
  }
  if (op.opcode() == HloOpcode::kConditional) return Conditional(op);
  for (const HloInstruction* operand : op.operands()) {
    if (!operand->shape().IsToken() && !CanBeFollowed(operand->shape())) return Inferred();
  }
  return InferFromOperands(op);
}

absl::StatusOr<Inferred> Inference::InferFromOperands(const HloInstruction& op) {
  if (op.opcode() == HloOpcode::kCustomCall) return Call(op);
  bool something_is_known = op.operand_count() == 0;
  for (const HloInstruction* operand : op.operands()) {
    something_is_known |= Of(operand).has_value();
  }
  if (!something_is_known) return Inferred();
  switch (op.opcode()) {
    case HloOpcode::kTuple:
      return MakeTuple(op);
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kPad:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return Movement(op, op.operand_count());
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
      return Movement(op, 1);
    case HloOpcode::kDynamicUpdateSlice:
      return Movement(op, 2);
    case HloOpcode::kReduce:
      return Reduction(op);
    case HloOpcode::kSort:
      return Sort(op);
    default:
      return HasTrait(op.opcode(), kElementwise) ? Elementwise(op) : Whole(op);
  }
}

absl::StatusOr<Inferred> Inference::Elementwise(const HloInstruction& op) {
  const PrimitiveType type = op.shape().element_type();
  if (type != PRED && !primitive_util::IsComplexType(type)) {
    switch (op.opcode()) {
      case HloOpcode::kAdd:
      case HloOpcode::kCeil:
      case HloOpcode::kClamp:
      case HloOpcode::kConvert:
      case HloOpcode::kCopy:
      case HloOpcode::kFloor:
      case HloOpcode::kNegate:
      case HloOpcode::kSign:
      case HloOpcode::kSubtract:
        if (!primitive_util::IsComplexType(op.operand(0)->shape().element_type())) {
          return Monotone(op);
        }
        break;
      case HloOpcode::kMaximum:
      case HloOpcode::kMinimum:
        return Extremum(op);
      case HloOpcode::kMultiply:
      case HloOpcode::kDivide:
        return Product(op);
      case HloOpcode::kSelect:
        return Selection(op);
      default:
        break;
    }
  }
  // Where all operands are exact, so is the result.
  const std::vector<Bounds> operands = Operands(op);
  std::vector<const Literal*> values, masks;
  std::vector<Literal> inexact;
  for (const Bounds& operand : operands) inexact.push_back(Inexact(operand));
  for (size_t k = 0; k < operands.size(); ++k) {
    values.push_back(&operands[k].lower.value);
    masks.push_back(&inexact[k]);
  }
  HILO_ASSIGN_OR_RETURN(Literal value, Apply(op, values));
  return Inferred(Both({std::move(value), Or(op.shape(), masks)}));
}

// Operations that rise, or for the last operand fall, with their operands.
absl::StatusOr<Inferred> Inference::Monotone(const HloInstruction& op) {
  const bool last_falls = op.opcode() == HloOpcode::kNegate || op.opcode() == HloOpcode::kSubtract;
  const std::vector<Bounds> operands = Operands(op);
  const auto bound = [&](bool lower) -> absl::StatusOr<Bound> {
    std::vector<const Literal*> values, masks;
    for (size_t k = 0; k < operands.size(); ++k) {
      const bool falls = last_falls && k + 1 == operands.size();
      const Bound& operand = lower != falls ? operands[k].lower : operands[k].upper;
      values.push_back(&operand.value);
      masks.push_back(&operand.unknown);
    }
    HILO_ASSIGN_OR_RETURN(Literal value, Apply(op, values));
    return Bound{std::move(value), Or(op.shape(), masks)};
  };
  HILO_ASSIGN_OR_RETURN(Bound lower, bound(true));
  HILO_ASSIGN_OR_RETURN(Bound upper, bound(false));
  Bounds bounds{std::move(lower), std::move(upper)};
  if (op.opcode() == HloOpcode::kSubtract) Cancel(op, bounds);
  return Inferred(std::move(bounds));
}

// In a + b - b only a counts.
void Inference::Cancel(const HloInstruction& difference, Bounds& bounds) {
  if (!primitive_util::IsIntegralType(difference.shape().element_type())) return;
  const int64_t bytes = primitive_util::ByteWidth(difference.shape().element_type());
  for (int64_t i = 0; i < ShapeUtil::ElementsIn(difference.shape()); ++i) {
    const ElementOf sum = SourceOf({difference.operand(0), i});
    if (sum.instruction->opcode() != HloOpcode::kAdd) continue;
    const ElementOf taken = SourceOf({difference.operand(1), i});
    for (int side : {0, 1}) {
      if (!IsSameNumber(SourceOf({sum.instruction->operand(side), sum.place}), taken)) continue;
      const Inferred& rest = Of(sum.instruction->operand(1 - side));
      if (!rest.has_value()) continue;
      for (Bound Bounds::*which : {&Bounds::lower, &Bounds::upper}) {
        Bound& bound = bounds.*which;
        const Bound& source = (*rest).*which;
        std::memcpy(static_cast<char*>(bound.value.untyped_data()) + i * bytes,
                    static_cast<const char*>(source.value.untyped_data()) + sum.place * bytes,
                    bytes);
        bound.unknown.data<bool>()[i] = source.unknown.data<bool>()[sum.place];
      }
      break;
    }
  }
}

// A maximum is not below an operand even where nothing is known of the other one; a minimum is not
// above it.
absl::StatusOr<Inferred> Inference::Extremum(const HloInstruction& op) {
  HILO_ASSIGN_OR_RETURN(Inferred result, Monotone(op));
  const std::vector<Bounds> operands = Operands(op);
  const bool is_maximum = op.opcode() == HloOpcode::kMaximum;
  const Bound& a = is_maximum ? operands[0].lower : operands[0].upper;
  const Bound& b = is_maximum ? operands[1].lower : operands[1].upper;
  Bound& bound = is_maximum ? result->lower : result->upper;
  const Literal only_a = Replace(a.value, a.unknown, b.value);
  const Literal only_b = Replace(b.value, b.unknown, a.value);
  HILO_ASSIGN_OR_RETURN(bound.value, Apply(op, {&only_a, &only_b}));
  for (size_t i = 0; i < bound.unknown.data<bool>().size(); ++i) {
    bound.unknown.data<bool>()[i] = At(a.unknown, i) && At(b.unknown, i);
  }
  return result;
}

// Whether all elements are known and at least `least`.
bool IsAtLeast(const Bound& bound, double least) {
  if (AnyOf(bound.unknown)) return false;
  const absl::StatusOr<Literal> values = bound.value.Convert(F64);
  if (!values.ok()) return false;
  for (double value : values->data<double>()) {
    if (!(value >= least)) return false;
  }
  return true;
}

// Products of numbers that are not negative rise with both; quotients fall with the divisor.
absl::StatusOr<Inferred> Inference::Product(const HloInstruction& op) {
  const std::vector<Bounds> operands = Operands(op);
  const Bounds &a = operands[0], &b = operands[1];
  const bool divides = op.opcode() == HloOpcode::kDivide;
  if (!IsAtLeast(a.lower, 0) || !IsAtLeast(b.lower, divides ? 1 : 0)) {
    const Literal inexact_a = Inexact(a), inexact_b = Inexact(b);
    HILO_ASSIGN_OR_RETURN(Literal value, Apply(op, {&a.lower.value, &b.lower.value}));
    return Inferred(Both({std::move(value), Or(op.shape(), {&inexact_a, &inexact_b})}));
  }
  const Bound& low = divides ? b.upper : b.lower;
  const Bound& high = divides ? b.lower : b.upper;
  HILO_ASSIGN_OR_RETURN(Literal lower, Apply(op, {&a.lower.value, &low.value}));
  HILO_ASSIGN_OR_RETURN(Literal upper, Apply(op, {&a.upper.value, &high.value}));
  return Inferred(Bounds{{std::move(lower), Or(op.shape(), {&a.lower.unknown, &low.unknown})},
                         {std::move(upper), Or(op.shape(), {&a.upper.unknown, &high.unknown})}});
}

// One of both where the predicate is known; between the lesser and the greater one elsewhere.
absl::StatusOr<Inferred> Inference::Selection(const HloInstruction& op) {
  const std::vector<Bounds> operands = Operands(op);
  const Bounds &predicate = operands[0], &on_true = operands[1], &on_false = operands[2];
  const Literal open = Inexact(predicate);
  const Literal takes_false = Not(predicate.lower.value);
  const auto bound = [&](HloOpcode opcode, const Bound& t,
                         const Bound& f) -> absl::StatusOr<Bound> {
    HloEvaluator evaluator;
    HILO_ASSIGN_OR_RETURN(const Literal extremum,
                          evaluator.EvaluateElementwiseBinaryOp(opcode, t.value, f.value));
    const Literal either = Or(op.shape(), {&t.unknown, &f.unknown});
    return Bound{Replace(Replace(t.value, takes_false, f.value), open, extremum),
                 Replace(Replace(t.unknown, takes_false, f.unknown), open, either)};
  };
  HILO_ASSIGN_OR_RETURN(Bound lower, bound(HloOpcode::kMinimum, on_true.lower, on_false.lower));
  HILO_ASSIGN_OR_RETURN(Bound upper, bound(HloOpcode::kMaximum, on_true.upper, on_false.upper));
  return Inferred(Bounds{std::move(lower), std::move(upper)});
}

// Operations that move elements of the first operands, as the others say: the masks go the same
// way.
absl::StatusOr<Inferred> Inference::Movement(const HloInstruction& op, int64_t data_operands) {
  const std::vector<Bounds> operands = Operands(op);
  for (size_t k = data_operands; k < operands.size(); ++k) {
    if (!IsExact(operands[k])) return Inferred();
  }
  const auto bound = [&](Bound Bounds::*which) -> absl::StatusOr<Bound> {
    std::vector<const Literal*> values, masks;
    for (int64_t k = 0; k < static_cast<int64_t>(operands.size()); ++k) {
      const Bound& operand = operands[k].*which;
      values.push_back(&operand.value);
      masks.push_back(k < data_operands ? &operand.unknown : &operand.value);
    }
    HILO_ASSIGN_OR_RETURN(Literal value, Apply(op, values));
    HILO_ASSIGN_OR_RETURN(Literal mask, Apply(op, RowMajorShape(op.shape(), PRED), masks));
    return Bound{std::move(value), std::move(mask)};
  };
  HILO_ASSIGN_OR_RETURN(Bound lower, bound(&Bounds::lower));
  HILO_ASSIGN_OR_RETURN(Bound upper, bound(&Bounds::upper));
  return Inferred(Bounds{std::move(lower), std::move(upper)});
}

// Of each result, those elements are known for which all that is reduced is.
absl::StatusOr<Inferred> Inference::Reduction(const HloInstruction& op) {
  if (WorkOf(op) > kMaxWork) return Inferred();
  const std::vector<Bounds> operands = Operands(op);
  const size_t count = operands.size() / 2;
  const Shape& from = op.operand(0)->shape();
  std::vector<const Literal*> values;
  bool inits_are_known = true;
  Literal unknown = Mask(from, false);
  for (size_t k = 0; k < operands.size(); ++k) {
    values.push_back(&operands[k].lower.value);
    const Literal inexact = Inexact(operands[k]);
    if (k >= count) {
      inits_are_known &= !AnyOf(inexact);
    } else {
      unknown = Or(from, {&unknown, &inexact});
    }
  }
  HILO_ASSIGN_OR_RETURN(Literal value, Apply(op, values));
  Literal mask = Mask(op.shape(), !inits_are_known);
  ForEachArray(mask.shape(), [&](const ShapeIndex& part) {
    const auto result = mask.data<bool>(part);
    const Shape& to = ShapeUtil::GetSubshape(mask.shape(), part);
    const auto source = unknown.data<bool>();
    for (size_t i = 0; i < source.size(); ++i) {
      if (!source[i]) continue;
      std::vector<int64_t> kept;
      const std::vector<int64_t> index = IndexOf(from, static_cast<int64_t>(i));
      for (int64_t dimension = 0; dimension < from.dimensions_size(); ++dimension) {
        if (!absl::c_linear_search(op.dimensions(), dimension)) kept.push_back(index[dimension]);
      }
      result[PlaceOf(to, kept)] = true;
    }
  });
  return Inferred(Both({std::move(value), std::move(mask)}));
}

// Elements of an array are between its least and its greatest one, wherever a sort puts them.
absl::StatusOr<Inferred> Inference::Sort(const HloInstruction& op) {
  HILO_ASSIGN_OR_RETURN(Inferred whole, Whole(op));
  if (whole.has_value()) return whole;
  std::vector<Bounds> results;
  for (Bounds& operand : Operands(op)) {
    const Shape shape = operand.lower.value.shape();
    const PrimitiveType type = shape.element_type();
    if (AnyOf(operand.lower.unknown) || AnyOf(operand.upper.unknown) ||
        !primitive_util::IsIntegralType(type) || ShapeUtil::IsZeroElementArray(shape)) {
      results.push_back(Both(Unknown(shape)));
      continue;
    }
    const auto extremum = [&](HloOpcode opcode, const Literal& values) -> absl::StatusOr<Literal> {
      const std::vector<int64_t> count = {ShapeUtil::ElementsIn(shape)};
      HILO_ASSIGN_OR_RETURN(const Literal flat, values.Reshape(count));
      Literal best = flat.Slice({0}, {1});
      for (int64_t i = 1; i < count[0]; ++i) {
        HILO_ASSIGN_OR_RETURN(best, HloEvaluator().EvaluateElementwiseBinaryOp(
                                        opcode, best, flat.Slice({i}, {i + 1})));
      }
      HILO_ASSIGN_OR_RETURN(const Literal scalar, best.Reshape({}));
      return scalar.Broadcast(shape, {});
    };
    HILO_ASSIGN_OR_RETURN(Literal lower, extremum(HloOpcode::kMinimum, operand.lower.value));
    HILO_ASSIGN_OR_RETURN(Literal upper, extremum(HloOpcode::kMaximum, operand.upper.value));
    results.push_back({Known(std::move(lower)), Known(std::move(upper))});
  }
  return results.size() == 1 ? Inferred(std::move(results[0])) : TupleOf(std::move(results));
}

// What is known of the branch that is taken; where that is not known, what all branches agree in.
absl::StatusOr<Inferred> Inference::Conditional(const HloInstruction& op) {
  if (WorkOf(op) > kMaxWork) return Inferred();
  const auto& branches = op.called_computations();
  const Inferred& selector = Of(op.operand(0));
  int64_t first = 0, last = static_cast<int64_t>(branches.size()) - 1;
  if (selector.has_value() && IsExact(*selector)) {
    const Literal& value = selector->lower.value;
    int64_t taken = last;
    if (value.shape().element_type() == PRED) {
      taken = value.Get<bool>({}) ? 0 : 1;
    } else if (value.Get<int32_t>({}) >= 0) {
      taken = std::min<int64_t>(value.Get<int32_t>({}), last);
    }
    first = last = taken;
  }
  Inferred result;
  for (int64_t i = first; i <= last; ++i) {
    const Inferred& argument = Of(op.operand(i + 1));
    std::vector<Inferred> arguments;
    arguments.push_back(argument.has_value() ? Inferred(argument->Clone()) : std::nullopt);
    const Inferred branch = RunCallee(*branches[i], std::move(arguments));
    if (!branch.has_value()) return Inferred();
    result = i == first ? branch->Clone() : EitherOf(*result, *branch);
  }
  return result;
}

absl::StatusOr<Inferred> Inference::Whole(const HloInstruction& op) {
  if (op.opcode() == HloOpcode::kParameter || WorkOf(op) > kMaxWork) return Inferred();
  std::vector<const Literal*> values;
  const std::vector<Bounds> operands = Operands(op);
  for (const Bounds& operand : operands) {
    if (!IsExact(operand)) return Inferred();
    values.push_back(&operand.lower.value);
  }
  HILO_ASSIGN_OR_RETURN(Literal value, Apply(op, values));
  return Inferred(Both(Known(std::move(value))));
}

Inferred Inference::MakeTuple(const HloInstruction& op) { return TupleOf(Operands(op)); }

Inferred Inference::TupleOf(std::vector<Bounds> elements) {
  const auto bound = [&](Bound Bounds::*which) {
    std::vector<Literal> values, masks;
    for (Bounds& element : elements) {
      values.push_back(std::move((element.*which).value));
      masks.push_back(std::move((element.*which).unknown));
    }
    return Bound{LiteralUtil::MakeTupleOwned(std::move(values)),
                 LiteralUtil::MakeTupleOwned(std::move(masks))};
  };
  Bound lower = bound(&Bounds::lower), upper = bound(&Bounds::upper);
  return Bounds{std::move(lower), std::move(upper)};
}

Inferred Inference::Element(const HloInstruction& op) {
  const Inferred& tuple = Of(op.operand(0));
  if (!tuple.has_value()) return std::nullopt;
  const int64_t k = op.tuple_index();
  const auto bound = [&](const Bound& whole) {
    return Bound{LiteralSlice(whole.value, {k}).Clone(), LiteralSlice(whole.unknown, {k}).Clone()};
  };
  return Bounds{bound(tuple->lower), bound(tuple->upper)};
}

Inferred Inference::Size(const HloInstruction& op) {
  const int dimension = static_cast<int>(op.dimensions()[0]);
  const Shape& operand = op.operand(0)->shape();
  const auto size = static_cast<int32_t>(operand.dimensions(dimension));
  Bounds bounds = Both(Known(LiteralUtil::CreateR0<int32_t>(size)));
  if (operand.is_dynamic_dimension(dimension)) {
    bounds.lower = Known(LiteralUtil::CreateR0<int32_t>(0));
  }
  return bounds;
}

Inferred Inference::Call(const HloInstruction& op) {
  const bool sets_bound = op.custom_call_target() == "SetBound";
  if ((!sets_bound && op.custom_call_target() != "Sharding") || op.operand_count() != 1 ||
      !ShapeUtil::Compatible(op.shape(), op.operand(0)->shape())) {
    return std::nullopt;
  }
  Inferred result = OrUnknown(Of(op.operand(0)), op.shape());
  const auto& literal = op.attributes_as<CustomCallAttributes>().literal;
  if (!sets_bound || literal == nullptr) return result;
  const auto row_major = [](const LiteralSlice& part) {
    return part.Relayout(LayoutUtil::GetWithDefaultLayout(part.shape()));
  };
  if (ShapeUtil::Compatible(literal->shape(), op.shape())) {
    result->upper = Known(row_major(*literal));
    return result;
  }
  // A bound, and whether the value is not always just that.
  const Shape mask = RowMajorShape(op.shape(), PRED);
  if (!ShapeUtil::Compatible(literal->shape(), ShapeUtil::MakeTupleShape({op.shape(), mask}))) {
    return result;
  }
  Bound bound = Known(row_major(LiteralSlice(*literal, {0})));
  const Literal fixed = Not(row_major(LiteralSlice(*literal, {1})));
  result->lower = {Replace(result->lower.value, fixed, bound.value),
                   Replace(result->lower.unknown, fixed, bound.unknown)};
  result->upper = std::move(bound);
  return result;
}

// InvalidArgument unless there is a literal of the shape, and ResourceExhausted for a huge one.
absl::Status CheckCanBeRepresented(const Shape& shape) {
  bool has_only_arrays = true;
  double elements = 0;
  ShapeUtil::ForEachLeafShape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    has_only_arrays &= leaf.IsArray() || (leaf.IsToken() && shape.IsTuple());
    if (leaf.IsArray()) elements += static_cast<double>(ShapeUtil::ElementsIn(leaf));
  });
  if (!has_only_arrays) {
    return InvalidArgument("value inference: %s has parts that are no arrays", shape.ToString());
  }
  if (elements > static_cast<double>(kMaxUnknownElements)) {
    return ResourceExhausted("value inference: %s has more than %d elements", shape.ToString(),
                             kMaxUnknownElements);
  }
  return absl::OkStatus();
}

// What is known of an operation of a builder. Shapes that are followed give a value even where
// nothing is known.
absl::StatusOr<Bounds> BoundsOf(XlaBuilder* builder, XlaOp op) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(op));
  // Parameters become operations without operands of which nothing is known.
  const auto hide_parameters = [](HloInstructionProto& proto) {
    if (proto.opcode() != "parameter") return;
    proto.set_opcode("custom-call");
    proto.set_custom_call_target("parameter");
    proto.clear_parameter_number();
    proto.clear_parameter_replication();
  };
  HILO_ASSIGN_OR_RETURN(const HloModuleProto proto,
                        StateOf(builder).CopySubGraph(op, "inference", hide_parameters));
  HILO_ASSIGN_OR_RETURN(const HloModuleConfig config,
                        HloModule::CreateModuleConfigFromProto(proto, DebugOptions()));
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                        HloModule::CreateFromProto(proto, config));
  Inferred result = Inference(*module).Run(*module->entry_computation());
  if (result.has_value()) return *std::move(result);
  HILO_RETURN_IF_ERROR(CheckCanBeRepresented(shape));
  return Both(Unknown(shape));
}

}  // namespace

absl::StatusOr<Literal> ValueInference::AnalyzeIsDynamic(XlaOp op) {
  HILO_ASSIGN_OR_RETURN(const Bounds bounds, BoundsOf(builder_, op));
  return Inexact(bounds);
}

absl::StatusOr<OptionalLiteral> ValueInference::AnalyzeConstant(XlaOp op, ValueInferenceMode mode) {
  HILO_ASSIGN_OR_RETURN(Bounds bounds, BoundsOf(builder_, op));
  if (mode == kValue) bounds.lower.unknown = Inexact(bounds);
  Bound& bound = mode == kUpperBound ? bounds.upper : bounds.lower;
  return OptionalLiteral(std::move(bound.value), std::move(bound.unknown));
}

}  // namespace xla
