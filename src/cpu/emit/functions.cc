#include "cpu/emit/functions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cpu/emit/math.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "passes/cost.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// A number of a type as what functions take, and back; whether a type's elements are such numbers.
template <typename T>
T NumberOf(Builder& b, PrimitiveType type, const Lanes& lanes) {
  if constexpr (std::is_same_v<T, Complex>) {
    return {{b, lanes.re}, {b, lanes.im}};
  } else if constexpr (std::is_same_v<T, Integer>) {
    return {b, lanes.re, type};
  } else {
    return {b, lanes.re};
  }
}

Lanes LanesOf(const Real& x) { return {x.value()}; }
Lanes LanesOf(const Mask& x) { return {x.value()}; }
Lanes LanesOf(const Complex& x) { return {x.re.value(), x.im.value()}; }

// How many operations on integers depend on one another up to a value, as far as `most`.
int ChainLength(const llvm::Value* value, int most) {
  const auto* operation = llvm::dyn_cast<llvm::Instruction>(value);
  const bool is_one =
      operation != nullptr && most > 0 && operation->getType()->isIntOrIntVectorTy() &&
      (llvm::isa<llvm::BinaryOperator>(operation) || llvm::isa<llvm::IntrinsicInst>(operation));
  if (!is_one) return 0;
  int longest = 0;
  for (const llvm::Value* operand : operation->operands())
    longest = std::max(longest, ChainLength(operand, most - 1));
  return 1 + longest;
}

// LLVM asks of each addition and shift which bits its operands may have, six operations back in all
// directions: half of the time in which random numbers are compiled. Shifts may be parts of
// rotations.
Lanes LanesOf(const Integer& x) {
  constexpr int kMostAsked = 3;
  const auto* operation = llvm::dyn_cast<llvm::Instruction>(x.value);
  const bool is_fenced = x.type != PRED && operation != nullptr && !operation->isShift() &&
                         operation->getType()->isVectorTy() &&
                         ChainLength(operation, kMostAsked) == kMostAsked;
  return {is_fenced ? x.b.CreateFence(x.value) : x.value};
}

template <typename T>
bool IsNumber(PrimitiveType type) {
  if (primitive_util::IsComplexType(type)) return std::is_same_v<T, Complex>;
  if (primitive_util::IsFloatingPointType(type)) return std::is_same_v<T, Real>;
  return std::is_same_v<T, Integer>;
}

template <typename T>
Lanes Clamp(Builder& b, PrimitiveType type, absl::Span<const Lanes> operands) {
  const T raised = Maximum(NumberOf<T>(b, type, operands[0]), NumberOf<T>(b, type, operands[1]));
  return LanesOf(Minimum(raised, NumberOf<T>(b, type, operands[2])));
}

Real OfIntrinsic(llvm::Intrinsic::ID id, const Real& x) {
  return {x.builder(), x.builder().CreateUnaryIntrinsic(id, x.value())};
}
Real OfIntrinsic(llvm::Intrinsic::ID id, const Real& x, const Real& y) {
  return {x.builder(), x.builder().CreateBinaryIntrinsic(id, x.value(), y.value())};
}

}  // namespace

// ---- Functions of real numbers that are an instruction or two

Real Negate(const Real& x) { return -x; }
Real Ceil(const Real& x) { return OfIntrinsic(llvm::Intrinsic::ceil, x); }
Real Floor(const Real& x) { return OfIntrinsic(llvm::Intrinsic::floor, x); }
Real RoundNearestAfz(const Real& x) { return OfIntrinsic(llvm::Intrinsic::round, x); }
Real RoundNearestEven(const Real& x) { return OfIntrinsic(llvm::Intrinsic::roundeven, x); }
Real Sqrt(const Real& x) { return OfIntrinsic(llvm::Intrinsic::sqrt, x); }
Real Rsqrt(const Real& x) { return 1 / Sqrt(x); }
Mask IsFinite(const Real& x) { return Abs(x) < x.Infinity(); }
Real Sign(const Real& x) {
  // Zeros and NaN stay as they are.
  const Mask is_number(x.builder(), x.builder().CreateFCmpONE(x.value(), x.Constant(0).value()));
  return Where(is_number, CopySign(x.Constant(1), x), x);
}

Real Add(const Real& x, const Real& y) { return x + y; }
Real Subtract(const Real& x, const Real& y) { return x - y; }
Real Multiply(const Real& x, const Real& y) { return x * y; }
Real Divide(const Real& x, const Real& y) { return x / y; }

namespace {

// Which of two numbers is less, or greater, as the instructions of x86 say it: the second one where
// both are zeros or one is NaN. In one order or the other, the bits of both are those of either
// zero, and of NaN and a number.
struct BothOrders {
  Whole first, second;
};
BothOrders InBothOrders(const Real& x, const Real& y, const Mask& x_first, const Mask& y_first) {
  return {Bits(Where(x_first, x, y)), Bits(Where(y_first, y, x))};
}

// LLVM asks for signs and NaN of all numbers, unless it knows one.
bool HasNoMinimum(const Real& x, const Real& y) {
  return x.builder().target().instruction_set != codegen::InstructionSet::kNeon &&
         !llvm::isa<llvm::Constant>(x.value()) && !llvm::isa<llvm::Constant>(y.value());
}

// The greater of two vectors of numbers, of both zeros the positive one, by an instruction of
// AVX-512 that prefers a number to NaN. Empty where there is none for such vectors.
std::optional<Real> RangeMaximum(const Real& x, const Real& y) {
  namespace intrinsics = llvm::Intrinsic;
  constexpr int kMaximum = 1, kSignOfChosen = 1 << 2, kCurrentRounding = 4;
  Builder& b = x.builder();
  auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(x.value()->getType());
  if (type == nullptr || !b.target().has_mask_registers) return std::nullopt;
  const bool is_double = type->getElementType()->isDoubleTy();
  if (!is_double && !type->getElementType()->isFloatTy()) return std::nullopt;
  const uint64_t bits = type->getPrimitiveSizeInBits();
  if (bits != 128 && bits != 256 && bits != 512) return std::nullopt;
  constexpr intrinsics::ID kBySize[2][3] = {
      {intrinsics::x86_avx512_mask_range_ps_128, intrinsics::x86_avx512_mask_range_ps_256,
       intrinsics::x86_avx512_mask_range_ps_512},
      {intrinsics::x86_avx512_mask_range_pd_128, intrinsics::x86_avx512_mask_range_pd_256,
       intrinsics::x86_avx512_mask_range_pd_512}};
  const unsigned mask_bits = std::max(8u, type->getNumElements());
  std::vector<llvm::Value*> operands = {x.value(), y.value(), b.getInt32(kMaximum | kSignOfChosen),
                                        x.value(),
                                        llvm::Constant::getAllOnesValue(b.getIntNTy(mask_bits))};
  if (bits == 512) operands.push_back(b.getInt32(kCurrentRounding));
  return Real(b, b.CreateIntrinsic(kBySize[is_double][bits / 256], operands));
}

}  // namespace

Real Maximum(const Real& x, const Real& y) {
  if (!HasNoMinimum(x, y)) return OfIntrinsic(llvm::Intrinsic::maximum, x, y);
  if (const std::optional<Real> greater = RangeMaximum(x, y)) {
    const Mask is_nan = {x.builder(), x.builder().CreateFCmpUNO(x.value(), y.value())};
    return Where(is_nan, x + y, *greater);
  }
  const auto [first, second] = InBothOrders(x, y, x > y, y > x);
  const Mask are_numbers = {x.builder(), x.builder().CreateFCmpORD(x.value(), y.value())};
  return Where(are_numbers, FromBits(first & second, x), FromBits(first | second, x));
}
Real Minimum(const Real& x, const Real& y) {
  if (!HasNoMinimum(x, y)) return OfIntrinsic(llvm::Intrinsic::minimum, x, y);
  const auto [first, second] = InBothOrders(x, y, x < y, y < x);
  return FromBits(first | second, x);
}

Lanes AddLanes(Builder& b, PrimitiveType type, const Lanes& x, const Lanes& y) {
  if (!x.re->getType()->isFPOrFPVectorTy())
    return {type == PRED ? b.CreateOr(x.re, y.re) : b.CreateAdd(x.re, y.re)};
  return {b.CreateFAdd(x.re, y.re), x.im == nullptr ? nullptr : b.CreateFAdd(x.im, y.im)};
}

Lanes MultiplyLanes(Builder& b, PrimitiveType type, const Lanes& x, const Lanes& y) {
  if (x.im != nullptr) {
    return {b.CreateFSub(b.CreateFMul(x.re, y.re), b.CreateFMul(x.im, y.im)),
            b.CreateFAdd(b.CreateFMul(x.re, y.im), b.CreateFMul(x.im, y.re))};
  }
  if (x.re->getType()->isFPOrFPVectorTy()) return {b.CreateFMul(x.re, y.re)};
  return {type == PRED ? b.CreateAnd(x.re, y.re) : b.CreateMul(x.re, y.re)};
}

Lanes ClampLanes(Builder& b, PrimitiveType type, absl::Span<const Lanes> operands) {
  if (IsNumber<Real>(type)) return Clamp<Real>(b, type, operands);
  return IsNumber<Complex>(type) ? Clamp<Complex>(b, type, operands)
                                 : Clamp<Integer>(b, type, operands);
}

absl::Status NoCode(const HloInstruction& instruction) {
  return Unimplemented("the cpu back end has no code for %s", instruction.ToString());
}

namespace {

// The code of a function of many instructions stands where it is needed until its copies have so
// many. After that it is called: LLVM takes longer than their number says over thousands of copies.
constexpr int64_t kMostCopied = 800;

absl::StatusOr<Lanes> CodeOf(Builder& b, const HloInstruction& instruction, PrimitiveType type,
                             absl::Span<const Lanes> operands) {
  switch (instruction.opcode()) {
#define HILO_ONE(name, Result, Operand) \
  if (IsNumber<Operand>(type)) return LanesOf(name(NumberOf<Operand>(b, type, operands[0])));
#define HILO_TWO(name, Result, Operand)                                                          \
  if (IsNumber<Operand>(type)) {                                                                 \
    return LanesOf(                                                                              \
        name(NumberOf<Operand>(b, type, operands[0]), NumberOf<Operand>(b, type, operands[1]))); \
  }
#define HLO_OP(...)
#define HLO_FUNCTION(name, text, count, attributes, callees, traits, costs, shape_rule) \
  case HloOpcode::k##name:                                                              \
    HILO_KINDS_##shape_rule(HILO_ONE, HILO_TWO, name) break;
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP
#undef HILO_ONE
#undef HILO_TWO
    default:
      break;
  }
  return NoCode(instruction);
}

// Values taken apart, for functions of LLVM.
std::vector<llvm::Value*> PartsOf(absl::Span<const Lanes> values) {
  std::vector<llvm::Value*> parts;
  for (const Lanes& value : values) {
    parts.push_back(value.re);
    if (value.im != nullptr) parts.push_back(value.im);
  }
  return parts;
}

// A function of LLVM that takes the parts of the operands and gives those of the result, which are
// of the same types as the first operand's.
absl::StatusOr<llvm::Function*> DefineFunction(Builder& caller, const std::string& name,
                                               const HloInstruction& instruction,
                                               PrimitiveType type,
                                               absl::Span<const Lanes> operands) {
  std::vector<llvm::Type*> types, results;
  for (llvm::Value* part : PartsOf(operands)) types.push_back(part->getType());
  for (llvm::Value* part : PartsOf({operands[0]})) results.push_back(part->getType());
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::StructType::get(caller.getContext(), results), types,
                              /*isVarArg=*/false),
      llvm::Function::InternalLinkage, name, caller.GetInsertBlock()->getModule());
  Builder b(llvm::BasicBlock::Create(caller.getContext(), "entry", function), caller);
  std::vector<Lanes> arguments;
  auto part = function->arg_begin();
  for (const Lanes& operand : operands) {
    llvm::Value* re = part++;
    arguments.push_back({re, operand.im == nullptr ? nullptr : part++});
  }
  HILO_ASSIGN_OR_RETURN(const Lanes value, CodeOf(b, instruction, type, arguments));
  const std::vector<llvm::Value*> parts = PartsOf({value});
  b.CreateAggregateRet(parts.data(), static_cast<unsigned>(parts.size()));
  return function;
}

}  // namespace

absl::StatusOr<Lanes> FunctionOfNumbers(Builder& b, const HloInstruction& instruction,
                                        PrimitiveType type, absl::Span<const Lanes> operands) {
  if (!passes::HasManyInstructions(instruction)) return CodeOf(b, instruction, type, operands);
  const std::string name =
      absl::StrCat(HloOpcodeString(instruction.opcode()), ".",
                   primitive_util::LowercasePrimitiveTypeName(type), ".", LaneCount(operands[0]));
  if (b.InstructionsOfCopies(name) <= kMostCopied) {
    const llvm::Function& around = *b.GetInsertBlock()->getParent();
    const int64_t before = around.getInstructionCount();
    HILO_ASSIGN_OR_RETURN(const Lanes value, CodeOf(b, instruction, type, operands));
    b.AddCopy(name, around.getInstructionCount() - before);
    return value;
  }
  llvm::Function* function = b.GetInsertBlock()->getModule()->getFunction(name);
  if (function == nullptr) {
    HILO_ASSIGN_OR_RETURN(function, DefineFunction(b, name, instruction, type, operands));
  }
  llvm::Value* result = b.CreateCall(function, PartsOf(operands));
  return Lanes{b.CreateExtractValue(result, 0),
               operands[0].im == nullptr ? nullptr : b.CreateExtractValue(result, 1)};
}

}  // namespace xla::cpu
