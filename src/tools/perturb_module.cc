#include "tools/perturb_module.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/reducer.h"
#include "tools/random_values.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Arrays of numbers that are rounded.
bool IsRealArray(const Shape& shape) {
  return shape.IsArray() && (primitive_util::IsFloatingPointType(shape.element_type()) ||
                             primitive_util::IsComplexType(shape.element_type()));
}

auto AdderTo(HloComputation& computation) {
  return [&computation](std::unique_ptr<HloInstruction> instruction) {
    return computation.AddInstruction(std::move(instruction));
  };
}

// Operations whose function is applied in any order.
bool Reduces(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceScatter:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kScatter:
    case HloOpcode::kSelectAndScatter:
      return true;
    default:
      return false;
  }
}

bool IsMinOrMax(HloOpcode opcode) {
  return opcode == HloOpcode::kMinimum || opcode == HloOpcode::kMaximum;
}

bool IsSelection(const HloComputation& reducer) {
  return absl::c_all_of(reducer.instructions(), [](const HloInstruction* each) {
    return each->opcode() == HloOpcode::kParameter || each->opcode() == HloOpcode::kTuple ||
           IsMinOrMax(each->opcode());
  });
}

// ---- What back ends may do differently ------------------------------------------------------

// Whether a result is an associative and commutative operation on parameters `k` and `count + k`.
bool IsAssociative(const HloInstruction& result, int64_t k, int64_t count) {
  if (!passes::IsAssociative(result.opcode())) return false;
  const auto is_parameter = [&](const HloInstruction* operand, int64_t number) {
    return operand->opcode() == HloOpcode::kParameter && operand->parameter_number() == number;
  };
  const HloInstruction* x = result.operand(0);
  const HloInstruction* y = result.operand(1);
  return (is_parameter(x, k) && is_parameter(y, count + k)) ||
         (is_parameter(y, k) && is_parameter(x, count + k));
}

bool IsAssociative(const HloComputation& reducer) {
  const HloInstruction& root = *reducer.root_instruction();
  const int64_t count = reducer.num_parameters() / 2;
  if (root.opcode() != HloOpcode::kTuple) return IsAssociative(root, 0, count);
  for (int64_t k = 0; k < root.operand_count(); ++k) {
    if (!IsAssociative(*root.operand(k), k, count)) return false;
  }
  return true;
}

std::vector<HloInstruction*> CopyParameters(const HloComputation& like,
                                            HloComputation::Builder& builder) {
  std::vector<HloInstruction*> parameters;
  for (const HloInstruction* parameter : like.parameter_instructions()) {
    parameters.push_back(builder.AddInstruction(HloInstruction::CreateParameter(
        parameter->parameter_number(), parameter->shape(), parameter->name())));
  }
  return parameters;
}

// A function like `reducer` that adds up.
HloComputation* MakeSum(HloModule& module, const HloComputation& reducer) {
  HloComputation::Builder builder("sum");
  const std::vector<HloInstruction*> parameters = CopyParameters(reducer, builder);
  const size_t count = parameters.size() / 2;
  std::vector<HloInstruction*> sums;
  for (size_t k = 0; k < count; ++k) {
    sums.push_back(builder.AddInstruction(HloInstruction::CreateBinary(
        parameters[k]->shape(), HloOpcode::kAdd, parameters[k], parameters[count + k])));
  }
  if (reducer.root_instruction()->shape().IsTuple())
    builder.AddInstruction(HloInstruction::CreateTuple(sums));
  return module.AddEmbeddedComputation(builder.Build());
}

// A function like `comparator` that compares its first two parameters in the total order; elements
// without an order are all equal.
HloComputation* MakeComparator(HloModule& module, const HloComputation& comparator,
                               ComparisonDirection direction) {
  HloComputation::Builder builder("compare");
  const std::vector<HloInstruction*> parameters = CopyParameters(comparator, builder);
  const Shape pred = ShapeUtil::MakeShape(PRED, {});
  const PrimitiveType type = parameters[0]->shape().element_type();
  if (primitive_util::IsComplexType(type)) {
    const bool equal = direction == ComparisonDirection::kGe;
    builder.AddInstruction(HloInstruction::CreateConstant(LiteralUtil::CreateR0<bool>(equal)));
  } else {
    HloInstruction* compare = builder.AddInstruction(
        HloInstruction::CreateCompare(pred, parameters[0], parameters[1], direction));
    if (primitive_util::IsFloatingPointType(type)) {
      compare->mutable_attributes_as<CompareAttributes>().type =
          static_cast<int>(Comparison::Type::kFloatTotalOrder);
    }
  }
  return module.AddEmbeddedComputation(builder.Build());
}

HloInstruction* GetSize(passes::GraphBuilder& b, HloInstruction* array, int64_t dimension) {
  auto attributes = std::make_unique<OneDimensionAttributes>();
  attributes->dimension = dimension;
  return b.Add(HloInstruction::Create(HloOpcode::kGetDimensionSize, ShapeUtil::MakeShape(S32, {}),
                                      {array}, std::move(attributes)));
}

// What lies beyond a dynamic size is nobody's: no size grows.
void KeepSizeFromGrowing(HloInstruction& set_size) {
  HloInstruction* array = set_size.mutable_operand(0);
  const int64_t dimension = set_size.attributes_as<OneDimensionAttributes>().dimension;
  if (!array->shape().is_dynamic_dimension(static_cast<int>(dimension))) return;
  passes::GraphBuilder b(set_size);
  CHECK_OK(set_size.ReplaceOperandWith(
      1, b.Binary(HloOpcode::kMinimum, set_size.mutable_operand(1), GetSize(b, array, dimension))));
}

// Operations that may read what lies beyond a dynamic size.
bool ReadsBeyondSizes(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
    case HloOpcode::kScan:
    case HloOpcode::kSlice:
    case HloOpcode::kTopK:
      return true;
    default:  // where the operands have different sizes
      return instruction.operand_count() > 1 && instruction.IsElementwise();
  }
}

HloInstruction* SetSize(passes::GraphBuilder& b, HloInstruction* array, int dimension,
                        HloInstruction* size) {
  Shape shape = array->shape();
  shape.set_dynamic_dimension(dimension, true);
  auto attributes = std::make_unique<OneDimensionAttributes>();
  attributes->dimension = dimension;
  return b.Add(HloInstruction::Create(HloOpcode::kSetDimensionSize, std::move(shape), {array, size},
                                      std::move(attributes)));
}

// Operations that have elements in their result for those beyond the sizes of operands.
bool IsWholeResult(const HloInstruction& instruction) {
  return (instruction.opcode() == HloOpcode::kScan || instruction.opcode() == HloOpcode::kTopK) &&
         !instruction.shape().is_dynamic();
}

// The array with zeros beyond its sizes, or as elements of it.
HloInstruction* ZeroBeyondSizes(HloInstruction& array, HloInstruction& user) {
  passes::GraphBuilder b(user);
  const Shape& shape = array.shape();
  HloInstruction* whole = &array;
  HloInstruction* inside = nullptr;
  std::vector<std::pair<int, HloInstruction*>> sizes;
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    HloInstruction* size = GetSize(b, &array, d);
    sizes.emplace_back(d, size);
    whole = SetSize(b, whole, d, b.Number(S32, static_cast<double>(shape.dimensions(d))));
    HloInstruction* below = b.Compare(ComparisonDirection::kLt, b.Iota(S32, shape.dimensions(), d),
                                      b.Broadcast(size, shape.dimensions(), {}));
    inside = inside == nullptr ? below : b.Binary(HloOpcode::kAnd, inside, below);
  }
  HloInstruction* zero =
      b.Constant(Literal::CreateFromShape(ShapeUtil::MakeShape(shape.element_type(), {})));
  HloInstruction* result = b.Select(inside, whole, b.Broadcast(zero, shape.dimensions(), {}));
  if (IsWholeResult(user)) return result;
  for (const auto& [dimension, size] : sizes) result = SetSize(b, result, dimension, size);
  return result;
}

void HideWhatIsBeyondSizes(HloInstruction& instruction) {
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    HloInstruction* operand = instruction.mutable_operand(k);
    if (!operand->shape().IsArray() || !operand->shape().is_dynamic()) continue;
    CHECK_OK(instruction.ReplaceOperandWith(k, ZeroBeyondSizes(*operand, instruction)));
  }
}

void MakeReproducible(HloModule& module, HloInstruction& instruction) {
  if (ReadsBeyondSizes(instruction)) HideWhatIsBeyondSizes(instruction);
  if (instruction.opcode() == HloOpcode::kSetDimensionSize) {
    KeepSizeFromGrowing(instruction);
  } else if (instruction.opcode() == HloOpcode::kSort) {
    instruction.mutable_attributes_as<SortAttributes>().is_stable = true;
    instruction.set_called_computation(
        0, MakeComparator(module, *instruction.called_computations()[0], ComparisonDirection::kLt));
  } else if (instruction.opcode() == HloOpcode::kSelectAndScatter) {
    instruction.set_called_computation(
        0, MakeComparator(module, *instruction.called_computations()[0], ComparisonDirection::kGe));
  } else if (instruction.opcode() == HloOpcode::kGather) {
    instruction.mutable_attributes_as<GatherAttributes>().indices_are_sorted = false;
  } else if (instruction.opcode() == HloOpcode::kScatter) {
    auto& attributes = instruction.mutable_attributes_as<ScatterAttributes>();
    attributes.indices_are_sorted = attributes.unique_indices = false;
  }
  if (!Reduces(instruction.opcode())) return;
  const int64_t last = static_cast<int64_t>(instruction.called_computations().size()) - 1;
  const HloComputation& reducer = *instruction.called_computations()[last];
  if (!IsAssociative(reducer)) instruction.set_called_computation(last, MakeSum(module, reducer));
}

// ---- Rounding errors ------------------------------------------------------------------------

// Whether a result of BF16 may be used with the digits of a float.
bool MayKeepDigits(const HloInstruction& instruction) {
  return instruction.shape().element_type() == BF16 &&
         instruction.GetModule()->config().debug_options().xla_allow_excess_precision();
}

// Operations that need not give the number that is nearest to the exact result.
bool IsRounded(const HloInstruction& instruction) {
  if (!IsRealArray(instruction.shape())) return false;
  switch (instruction.opcode()) {
    case HloOpcode::kAtan2:
    case HloOpcode::kPower:
      return true;
    case HloOpcode::kAdd:
    case HloOpcode::kConvert:
    case HloOpcode::kSubtract:
      return MayKeepDigits(instruction);
    case HloOpcode::kAbs:
    case HloOpcode::kDivide:
    case HloOpcode::kMultiply:
    case HloOpcode::kSign:
      return MayKeepDigits(instruction) ||
             primitive_util::IsComplexType(instruction.operand(0)->shape().element_type());
    default:
      return HasTrait(instruction.opcode(), kAccuracy);
  }
}

// Operations whose error is one of their operands, such as sums over many elements.
bool SumsUp(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBatchNormGrad:
    case HloOpcode::kBatchNormInference:
    case HloOpcode::kBatchNormTraining:
    case HloOpcode::kCholesky:
    case HloOpcode::kConvolution:
    case HloOpcode::kDot:
    case HloOpcode::kFft:
    case HloOpcode::kRaggedDot:
    case HloOpcode::kScaledDot:
    case HloOpcode::kScan:
    case HloOpcode::kTriangularSolve:
      return true;
    // Along their branch cuts, which are those of an intermediate result, neither sign is right.
    case HloOpcode::kAtan2:
    case HloOpcode::kPower:
      return primitive_util::IsComplexType(instruction.shape().element_type());
    default:
      return Reduces(instruction.opcode()) &&
             !IsSelection(*instruction.called_computations().back());
  }
}

// Operations whose result tells the sign of a NaN, which nobody promises.
bool TellsSignOfNaN(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kSort:
    case HloOpcode::kTopK:
      return true;
    case HloOpcode::kCompare:
      return instruction.attributes_as<CompareAttributes>().type ==
             static_cast<int>(Comparison::Type::kFloatTotalOrder);
    default:
      return false;
  }
}

class Perturber {
 public:
  Perturber(Perturbation kind, uint64_t seed) : kind_(kind), random_(seed) {}

  absl::Status Run(HloComputation& computation) {
    for (HloInstruction* instruction : computation.MakeInstructionPostOrder())
      HILO_RETURN_IF_ERROR(Run(*instruction));
    return absl::OkStatus();
  }

 private:
  absl::Status Run(HloInstruction& instruction) {
    if (kind_ == Perturbation::kWithoutSubnormals) {
      return MayBeSubnormal(instruction.shape()) ? ReplaceUses(instruction, FlushSubnormals)
                                                 : absl::OkStatus();
    }
    if (SumsUp(instruction)) HILO_RETURN_IF_ERROR(MoveOperands(instruction));
    if (TellsSignOfNaN(instruction)) HILO_RETURN_IF_ERROR(ChooseNaNOfOperands(instruction));
    if (MakesZeroOfNaN(instruction))
      HILO_RETURN_IF_ERROR(ReplaceUses(instruction, [&](auto& value) { return SignZero(value); }));
    if (instruction.opcode() == HloOpcode::kRng)
      return ReplaceUses(instruction, [&](HloInstruction& value) { return OtherNumbers(value); });
    if (IsRounded(instruction)) {
      return ReplaceUses(instruction, [&](HloInstruction& value) { return OtherResult(value); });
    }
    if (SumsUp(instruction) && IsRealArray(instruction.shape())) {
      return ReplaceUses(instruction, [&](HloInstruction& value) { return OtherSum(value); });
    }
    if (kind_ == Perturbation::kRandom && instruction.opcode() == HloOpcode::kRngGetAndUpdateState)
      return ReplaceUses(instruction, [&](HloInstruction& value) { return AddRandom(value); });
    return absl::OkStatus();
  }

  // Those of smaller types are normal numbers in what is computed with.
  static bool MayBeSubnormal(const Shape& shape) {
    if (!IsRealArray(shape)) return false;
    const PrimitiveType type = shape.element_type();
    return type == BF16 || primitive_util::BitWidth(type) >= 32;
  }

  static absl::StatusOr<HloInstruction*> FlushSubnormals(HloInstruction& value) {
    return MakeOfParts(value, [](HloInstruction& part) -> absl::StatusOr<HloInstruction*> {
      passes::GraphBuilder b(part);
      const PrimitiveType type = part.shape().element_type();
      const double least =
          type == F64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
      HloInstruction* is_small = b.Compare(ComparisonDirection::kLt,
                                           b.Unary(HloOpcode::kAbs, &part), b.Number(type, least));
      return b.Select(is_small, b.Binary(HloOpcode::kMultiply, &part, b.Number(type, 0)), &part);
    });
  }

  absl::Status MoveOperands(HloInstruction& instruction) {
    for (int64_t k = 0; k < instruction.operand_count(); ++k) {
      HloInstruction* operand = instruction.mutable_operand(k);
      if (!IsRealArray(operand->shape())) continue;
      // Branch cuts hang on signs of zeros, and nobody promises which part of a number becomes
      // infinite or NaN.
      const bool is_complex = primitive_util::IsComplexType(operand->shape().element_type());
      if (is_complex && kind_ == Perturbation::kDown) {
        HILO_ASSIGN_OR_RETURN(operand, NegateZero(*operand));
      } else if (is_complex && kind_ == Perturbation::kAlternating) {
        HILO_ASSIGN_OR_RETURN(operand, LoseInfinity(*operand));
      }
      // Operands of a quotient that moved alike would not change it.
      HILO_ASSIGN_OR_RETURN(HloInstruction * moved, Move(*operand, k == 0 ? 1 : 2));
      HILO_RETURN_IF_ERROR(instruction.ReplaceOperandWith(k, moved));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<HloInstruction*> OtherResult(HloInstruction& value) {
    // Else a quotient would not change where its divisor moves alike.
    return Move(value, value.opcode() == HloOpcode::kDivide ? 2 : 1);
  }

  // A type without NaN has zero instead, with the sign of the NaN, which nobody promises.
  static bool MakesZeroOfNaN(const HloInstruction& instruction) {
    const bool computes = instruction.IsElementwise() || SumsUp(instruction);
    return computes && IsRealArray(instruction.shape()) &&
           !HasNaN(instruction.shape().element_type());
  }

  // All zeros get one sign, or some the other one.
  absl::StatusOr<HloInstruction*> SignZero(HloInstruction& value) {
    const auto add = AdderTo(*value.parent());
    Literal signs(ShapeUtil::MakeShape(F64, value.shape().dimensions()));
    for (double& sign : signs.data<double>()) {
      const bool is_negative =
          kind_ == Perturbation::kRandom ? random_.Coin() : kind_ == Perturbation::kDown;
      sign = is_negative ? -0.0 : 0.0;
    }
    HILO_ASSIGN_OR_RETURN(Literal zeros, signs.Convert(value.shape().element_type()));
    HloInstruction* zero = add(HloInstruction::CreateConstant(std::move(zeros)));
    HloInstruction* is_zero = add(HloInstruction::CreateCompare(
        ShapeUtil::ChangeElementType(value.shape(), PRED), &value, zero, ComparisonDirection::kEq));
    return add(
        HloInstruction::CreateTernary(value.shape(), HloOpcode::kSelect, is_zero, zero, &value));
  }

  // Random numbers are others each time; where few are possible, by chance the same.
  absl::StatusOr<HloInstruction*> OtherNumbers(HloInstruction& value) {
    if (kind_ == Perturbation::kRandom) return &value;
    const auto add = AdderTo(*value.parent());
    return add(HloInstruction::CreateBroadcast(
        value.shape(), value.mutable_operand(kind_ == Perturbation::kDown ? 0 : 1), {}));
  }

  static bool HasNaN(PrimitiveType type) {
    if (primitive_util::IsComplexType(type)) return true;
    return primitive_util::FloatingPointTypeSwitch(
        [](auto constant) {
          return std::numeric_limits<primitive_util::NativeTypeOf<constant>>::has_quiet_NaN;
        },
        type);
  }

  // What is left where the parts of a sum cancel, or are infinite.
  absl::StatusOr<HloInstruction*> OtherSum(HloInstruction& value) {
    const auto make = kind_ == Perturbation::kAlternating ? FindInfinity
                      : kind_ == Perturbation::kDown      ? NegateZero
                                                          : LoseInfinity;
    HILO_ASSIGN_OR_RETURN(HloInstruction * other, make(value));
    return value.opcode() == HloOpcode::kFft ? Move(*other) : other;
  }

  // Users of the instruction get what `make` makes of it.
  template <typename Make>
  absl::Status ReplaceUses(HloInstruction& instruction, const Make& make) {
    const std::vector<HloInstruction*> users(instruction.users().begin(),
                                             instruction.users().end());
    const bool is_root = instruction.IsRoot();
    HILO_ASSIGN_OR_RETURN(HloInstruction * made, make(instruction));
    for (HloInstruction* user : users) HILO_RETURN_IF_ERROR(instruction.ReplaceUseWith(user, made));
    if (is_root) instruction.parent()->set_root_instruction(made);
    return absl::OkStatus();
  }

  // All NaN of the operands get one sign, or some the other one.
  absl::Status ChooseNaNOfOperands(HloInstruction& instruction) {
    for (int64_t k = 0; k < instruction.operand_count(); ++k) {
      HloInstruction* operand = instruction.mutable_operand(k);
      if (!primitive_util::IsFloatingPointType(operand->shape().element_type())) continue;
      if (kind_ == Perturbation::kRandom) {
        HILO_RETURN_IF_ERROR(instruction.ReplaceOperandWith(k, NegateSomeNaN(*operand)));
        continue;
      }
      const double nan = std::numeric_limits<double>::quiet_NaN();
      HILO_ASSIGN_OR_RETURN(HloInstruction * chosen,
                            ReplaceNaN(*operand, kind_ == Perturbation::kAlternating ? nan : -nan));
      HILO_RETURN_IF_ERROR(instruction.ReplaceOperandWith(k, chosen));
    }
    return absl::OkStatus();
  }

  HloInstruction* NegateSomeNaN(HloInstruction& value) {
    Literal chosen(ShapeUtil::MakeShape(PRED, value.shape().dimensions()));
    for (bool& element : chosen.data<bool>()) element = random_.Coin();
    const auto add = AdderTo(*value.parent());
    HloInstruction* constant = add(HloInstruction::CreateConstant(std::move(chosen)));
    HloInstruction* is_nan = IsNaN(value);
    return NegateWhere(value, *add(HloInstruction::CreateBinary(is_nan->shape(), HloOpcode::kAnd,
                                                                is_nan, constant)));
  }

  static HloInstruction* IsNaN(HloInstruction& value) {
    return AdderTo(*value.parent())(
        HloInstruction::CreateCompare(ShapeUtil::ChangeElementType(value.shape(), PRED), &value,
                                      &value, ComparisonDirection::kNe));
  }

  static absl::StatusOr<HloInstruction*> ReplaceNaN(HloInstruction& value, double number) {
    const auto add = AdderTo(*value.parent());
    Literal numbers(ShapeUtil::MakeShape(F64, value.shape().dimensions()));
    for (double& element : numbers.data<double>()) element = number;
    HILO_ASSIGN_OR_RETURN(Literal converted, numbers.Convert(value.shape().element_type()));
    HloInstruction* constant = add(HloInstruction::CreateConstant(std::move(converted)));
    return add(HloInstruction::CreateTernary(value.shape(), HloOpcode::kSelect, IsNaN(value),
                                             constant, &value));
  }

  // What `make` makes of both parts of complex numbers, or of real ones.
  template <typename Make>
  static absl::StatusOr<HloInstruction*> MakeOfParts(HloInstruction& value, const Make& make) {
    const PrimitiveType type = value.shape().element_type();
    if (!primitive_util::IsComplexType(type)) return make(value);
    const auto add = AdderTo(*value.parent());
    const Shape part =
        ShapeUtil::ChangeElementType(value.shape(), primitive_util::ComplexComponentType(type));
    HILO_ASSIGN_OR_RETURN(HloInstruction * re,
                          make(*add(HloInstruction::CreateUnary(part, HloOpcode::kReal, &value))));
    HILO_ASSIGN_OR_RETURN(HloInstruction * im,
                          make(*add(HloInstruction::CreateUnary(part, HloOpcode::kImag, &value))));
    return add(HloInstruction::CreateBinary(value.shape(), HloOpcode::kComplex, re, im));
  }

  static absl::StatusOr<HloInstruction*> NegateZero(HloInstruction& value) {
    return MakeOfParts(value, [](HloInstruction& part) -> absl::StatusOr<HloInstruction*> {
      const auto add = AdderTo(*part.parent());
      HloInstruction* zero = add(HloInstruction::CreateConstant(
          Literal::CreateFromShape(ShapeUtil::MakeStaticShape(part.shape()))));
      return NegateWhere(
          part, *add(HloInstruction::CreateCompare(ShapeUtil::ChangeElementType(part.shape(), PRED),
                                                   &part, zero, ComparisonDirection::kEq)));
    });
  }

  // What is NaN because infinite parts met may be infinite where they meet later, or not at all.
  static absl::StatusOr<HloInstruction*> FindInfinity(HloInstruction& value) {
    return MakeOfParts(value, [](HloInstruction& part) {
      return ReplaceNaN(part, std::numeric_limits<double>::infinity());
    });
  }

  // A sum whose parts are too large may be NaN as well as infinite.
  static absl::StatusOr<HloInstruction*> LoseInfinity(HloInstruction& value) {
    const auto add = AdderTo(*value.parent());
    HloInstruction* none =
        add(HloInstruction::CreateBinary(value.shape(), HloOpcode::kSubtract, &value, &value));
    return add(HloInstruction::CreateBinary(value.shape(), HloOpcode::kAdd, &value, none));
  }

  static HloInstruction* NegateWhere(HloInstruction& value, HloInstruction& mask) {
    const auto add = AdderTo(*value.parent());
    HloInstruction* negated =
        add(HloInstruction::CreateUnary(value.shape(), HloOpcode::kNegate, &value));
    return add(
        HloInstruction::CreateTernary(value.shape(), HloOpcode::kSelect, &mask, negated, &value));
  }

  absl::StatusOr<HloInstruction*> AddRandom(HloInstruction& value) {
    const auto add = AdderTo(*value.parent());
    Literal numbers(value.shape());
    for (uint64_t& number : numbers.data<uint64_t>()) number = random_.Below(1 << 30);
    HloInstruction* constant = add(HloInstruction::CreateConstant(std::move(numbers)));
    return add(HloInstruction::CreateBinary(value.shape(), HloOpcode::kAdd, &value, constant));
  }

  // By some steps, and by a part of a step that differs from one instruction to the next, so that
  // what one moves another does not move back.
  absl::StatusOr<HloInstruction*> Move(HloInstruction& value, int whole_steps = 1) {
    part_of_step_ += 0.618;
    part_of_step_ -= std::floor(part_of_step_);
    const double steps = whole_steps + part_of_step_;
    const PrimitiveType type = value.shape().element_type();
    // A few units in the last place, or one where there are few digits.
    const PrimitiveType part =
        primitive_util::IsComplexType(type) ? primitive_util::ComplexComponentType(type) : type;
    const int digits = primitive_util::SignificandWidth(part);
    const double up =
        digits > 16 ? 1 + std::ldexp(steps, 3 - digits) : 1 + std::ldexp(whole_steps, 1 - digits);
    const auto factor = [&] { return Rises() ? up : 1 / up; };
    const bool is_complex = primitive_util::IsComplexType(type);
    Literal factors(ShapeUtil::MakeShape(is_complex ? C128 : F64, value.shape().dimensions()));
    if (is_complex) {  // also turns a little
      const auto turn = [&] {
        const bool rises =
            kind_ == Perturbation::kRandom ? random_.Coin() : kind_ == Perturbation::kAlternating;
        return (rises ? up : 1 / up) - 1;
      };
      for (complex128& element : factors.data<complex128>()) element = {factor(), turn()};
    } else {
      for (double& element : factors.data<double>()) element = factor();
    }
    HILO_ASSIGN_OR_RETURN(Literal converted, factors.Convert(type));
    const auto add = AdderTo(*value.parent());
    HloInstruction* constant = add(HloInstruction::CreateConstant(std::move(converted)));
    return add(HloInstruction::CreateBinary(value.shape(), HloOpcode::kMultiply, &value, constant));
  }

  // Numbers that move alike would leave their differences as they are.
  bool Rises() {
    rises_ = kind_ == Perturbation::kRandom ? random_.Coin()
                                            : kind_ == Perturbation::kAlternating && !rises_;
    return rises_;
  }

  bool rises_ = false;
  double part_of_step_ = 0;
  Perturbation kind_;
  Random random_;
};

}  // namespace

absl::Status MakeReproducible(HloModule& module) {
  for (HloComputation* computation : module.MakeComputationPostOrder()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder())
      MakeReproducible(module, *instruction);
  }
  return module.RemoveUnusedComputations();
}

absl::Status Perturb(HloModule& module, Perturbation kind, uint64_t seed) {
  module.clear_schedule();
  Perturber perturber(kind, seed);
  for (HloComputation* computation : module.MakeComputationPostOrder())
    HILO_RETURN_IF_ERROR(perturber.Run(*computation));
  return absl::OkStatus();
}

}  // namespace xla
