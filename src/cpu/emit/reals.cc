#include "cpu/emit/reals.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

namespace xla::cpu {
namespace {

llvm::Type* IntegersLike(const Real& x) {
  Builder& b = x.builder();
  return WithLanes(b.getIntNTy(x.is_double() ? 64 : 32), LaneCount(x.value()->getType()));
}

Real Cast(const Real& x, llvm::Type* element) {
  llvm::Type* type = WithLanes(element, LaneCount(x.value()->getType()));
  return {x.builder(), x.builder().CreateFPCast(x.value(), type)};
}

std::vector<llvm::Value*> ValuesOf(absl::Span<const Real> reals) {
  std::vector<llvm::Value*> values;
  for (const Real& real : reals) values.push_back(real.value());
  return values;
}

llvm::Type* ResultType(llvm::Type* part, int64_t results) {
  if (results == 1) return part;
  return llvm::StructType::get(part->getContext(), std::vector<llvm::Type*>(results, part));
}

void Return(Builder& b, const std::vector<llvm::Value*>& results) {
  if (results.size() == 1) {
    b.CreateRet(results[0]);
  } else {
    b.CreateAggregateRet(results.data(), results.size());
  }
}

// Calls the function for one lane; its operands and results are converted to its own type and back.
std::vector<llvm::Value*> CallForLane(Builder& b, llvm::FunctionCallee function,
                                      std::vector<llvm::Value*> operands, int64_t results) {
  llvm::Type* type = operands[0]->getType();
  llvm::Type* own = function.getFunctionType()->getParamType(0);
  for (llvm::Value*& operand : operands) operand = b.CreateFPCast(operand, own);
  llvm::Value* called = b.CreateCall(function, operands);
  std::vector<llvm::Value*> parts;
  for (int64_t k = 0; k < results; ++k)
    parts.push_back(b.CreateFPCast(results == 1 ? called : b.CreateExtractValue(called, k), type));
  return parts;
}

// A function of vectors that goes from lane to lane, so that its callers stay short.
llvm::Function* EachLaneFunction(Builder& b, llvm::FunctionCallee function, llvm::Type* type,
                                 size_t operands, int64_t results) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  const int lanes = LaneCount(type);
  const std::string name =
      absl::StrCat(std::string(function.getCallee()->getName()), "_of_", lanes,
                   type->getScalarType()->isDoubleTy() ? "_doubles" : "_floats");
  if (llvm::Function* known = module.getFunction(name)) return known;
  llvm::Function* each = llvm::Function::Create(
      llvm::FunctionType::get(ResultType(type, results), std::vector<llvm::Type*>(operands, type),
                              /*isVarArg=*/false),
      llvm::Function::InternalLinkage, name, module);
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(b.getContext(), "entry", each);
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(b.getContext(), "loop", each);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(b.getContext(), "done", each);
  Builder inside(entry, b);
  inside.CreateBr(loop);
  inside.SetInsertPoint(loop);
  llvm::PHINode* lane = inside.CreatePHI(b.getInt64Ty(), 2);
  std::vector<llvm::PHINode*> before;
  for (int64_t k = 0; k < results; ++k) before.push_back(inside.CreatePHI(type, 2));
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& argument : each->args())
    arguments.push_back(inside.CreateExtractElement(&argument, lane));
  std::vector<llvm::Value*> after = CallForLane(inside, function, arguments, results);
  for (int64_t k = 0; k < results; ++k) {
    after[k] = inside.CreateInsertElement(before[k], after[k], lane);
    before[k]->addIncoming(llvm::PoisonValue::get(type), entry);
    before[k]->addIncoming(after[k], loop);
  }
  llvm::Value* next = inside.CreateAdd(lane, b.getInt64(1));
  inside.CreateCondBr(inside.CreateICmpULT(next, b.getInt64(lanes)), loop, done);
  lane->addIncoming(b.getInt64(0), entry);
  lane->addIncoming(next, loop);
  inside.SetInsertPoint(done);
  Return(inside, after);
  return each;
}

// The function's results for all lanes of the operands; `own` is the type that it computes in.
std::vector<Real> CallEachLane(const std::string& name, llvm::Type* own,
                               absl::Span<const Real> operands, int64_t results) {
  Builder& b = operands[0].builder();
  llvm::Type* type = operands[0].value()->getType();
  const llvm::FunctionCallee function = b.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, llvm::FunctionType::get(ResultType(own, results),
                                    std::vector<llvm::Type*>(operands.size(), own),
                                    /*isVarArg=*/false));
  std::vector<Real> parts;
  if (!type->isVectorTy()) {
    for (llvm::Value* part : CallForLane(b, function, ValuesOf(operands), results))
      parts.push_back({b, part});
    return parts;
  }
  llvm::Value* called = b.CreateCall(EachLaneFunction(b, function, type, operands.size(), results),
                                     ValuesOf(operands));
  for (int64_t k = 0; k < results; ++k)
    parts.push_back({b, results == 1 ? called : b.CreateExtractValue(called, k)});
  return parts;
}

// Moves what stands behind the builder into a block of its own, to which the builder's block does
// not lead yet; the builder stays at the end of its block.
llvm::BasicBlock* SplitHere(Builder& b) {
  llvm::BasicBlock* block = b.GetInsertBlock();
  llvm::BasicBlock* rest =
      llvm::BasicBlock::Create(b.getContext(), "rest", block->getParent(), block->getNextNode());
  rest->splice(rest->end(), block, b.GetInsertPoint(), block->end());
  rest->replaceSuccessorsPhiUsesWith(block, rest);
  b.SetInsertPoint(block);
  return rest;
}

// A sum with it has no bits for a fraction.
Real RoundingShift(const Real& like, int64_t offset) {
  const auto more = static_cast<double>(offset);
  return like.Constant(0x1.8p23 + more, 0x1.8p52 + more);
}

}  // namespace

Whole Whole::Constant(int64_t number) const {
  return {*b_, llvm::ConstantInt::get(value_->getType(), static_cast<uint64_t>(number),
                                      /*IsSigned=*/true, /*ImplicitTrunc=*/true)};
}

Whole Whole::MinSigned(const Whole& y) const {
  return {*b_, b_->CreateBinaryIntrinsic(llvm::Intrinsic::smin, value_, y.value_)};
}

Whole Whole::MaxSigned(int64_t y) const {
  return {*b_, b_->CreateBinaryIntrinsic(llvm::Intrinsic::smax, value_, Constant(y).value_)};
}

Real Real::Constant(double number) const {
  return {*b_, llvm::ConstantFP::get(value_->getType(), number)};
}

Real Real::Infinity() const { return {*b_, llvm::ConstantFP::getInfinity(value_->getType())}; }

Real Real::Nan() const {
  return {*b_, llvm::ConstantFP::getNaN(value_->getType(), /*Negative=*/true)};
}

Mask Real::IsInfinite() const { return Abs(*this) == Infinity(); }

Mask Real::IsNegative() const {
  const Whole bits = Bits(*this);
  return {*b_, b_->CreateICmpSLT(bits.value(), bits.Constant(0).value())};
}

Real Where(const Mask& mask, const Real& on_true, const Real& on_false) {
  Builder& b = mask.builder();
  return {b, b.CreateSelect(mask.value(), on_true.value(), on_false.value())};
}

Real MulAdd(const Real& x, const Real& y, const Real& z) {
  Builder& b = x.builder();
  return {b, b.CreateIntrinsic(llvm::Intrinsic::fmuladd, {x.value()->getType()},
                               {x.value(), y.value(), z.value()})};
}

Real ExactMulAdd(const Real& x, const Real& y, const Real& z) {
  Builder& b = x.builder();
  return {b, b.CreateIntrinsic(llvm::Intrinsic::fma, {x.value()->getType()},
                               {x.value(), y.value(), z.value()})};
}

Real Abs(const Real& x) {
  return {x.builder(), x.builder().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x.value())};
}

Real SquareRoot(const Real& x) {
  return {x.builder(), x.builder().CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x.value())};
}

Real Truncate(const Real& x) {
  return {x.builder(), x.builder().CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x.value())};
}

Real CopySign(const Real& magnitude, const Real& sign) {
  Builder& b = sign.builder();
  return {b, b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude.value(), sign.value())};
}

Real AtMost(const Real& x, double limit) { return Where(x > limit, limit, x); }

Real AtLeast(const Real& x, double limit) { return Where(x < limit, limit, x); }

// Whoever asks for a few numbers waits for them: there terms are joined in pairs, pairs in pairs of
// pairs, and so on. Between vectors there is other work to do; there they are joined until no more
// than these are left, each of which is multiplied and added to the next one.
constexpr uint64_t kBitsOfFew = 128;
constexpr size_t kTermsInTurn = 6;

Real Polynomial(const Real& x, const Coefficients& coefficients) {
  std::vector<Real> terms;
  for (const double coefficient : x.is_double() ? coefficients.of_double : coefficients.of_float)
    terms.push_back(x.Constant(coefficient));
  return PolynomialOf(x, std::move(terms));
}

Real PolynomialOf(const Real& x, std::vector<Real> terms) {
  const bool is_few = x.value()->getType()->getPrimitiveSizeInBits() <= kBitsOfFew;
  Real power = x;
  for (; terms.size() > (is_few ? 1 : kTermsInTurn); power = power * power) {
    std::vector<Real> joined;
    for (size_t i = 0; i + 1 < terms.size(); i += 2)
      joined.push_back(MulAdd(terms[i + 1], power, terms[i]));
    if (terms.size() % 2 != 0) joined.push_back(terms.back());
    terms = std::move(joined);
  }
  Real result = terms.back();
  for (size_t i = terms.size() - 1; i-- > 0;) result = MulAdd(result, power, terms[i]);
  return result;
}

Whole Bits(const Real& x) {
  return {x.builder(), x.builder().CreateBitCast(x.value(), IntegersLike(x))};
}

Real FromBits(const Whole& bits, const Real& like) {
  return {like.builder(), like.builder().CreateBitCast(bits.value(), like.value()->getType())};
}

Real FromInteger(const Whole& integer, const Real& like) {
  return {like.builder(), like.builder().CreateSIToFP(integer.value(), like.value()->getType())};
}

Real PowerOfTwo(const Whole& exponent, const Real& like) {
  return FromBits((exponent + like.exponent_bias()) << like.mantissa_bits(), like);
}

Real Scale(const Real& x, const Whole& exponent) {
  Builder& b = x.builder();
  if (b.target().has_scale) {
    return {b, b.CreateIntrinsic(llvm::Intrinsic::ldexp,
                                 {x.value()->getType(), exponent.value()->getType()},
                                 {x.value(), exponent.value()})};
  }
  const Whole half = exponent.ShiftRightSigned(1);
  return x * PowerOfTwo(half, x) * PowerOfTwo(exponent - half, x);
}

Rounded RoundProduct(const Real& x, double factor, int64_t offset) {
  const Real shift = RoundingShift(x, offset);
  const Real sum = MulAdd(x, factor, shift);
  return {sum - shift, Bits(sum)};
}

Whole BitsOfRoundedZero(const Real& like) { return Bits(RoundingShift(like, 0)); }

Real ToDouble(const Real& x) { return Cast(x, x.builder().getDoubleTy()); }

Real ToFloat(const Real& x) { return Cast(x, x.builder().getFloatTy()); }

Real ToTypeOf(const Real& like, const Real& x) {
  return Cast(x, like.value()->getType()->getScalarType());
}

bool IsOneNumber(const Real& x) { return !x.value()->getType()->isVectorTy(); }

Real CallLibrary(absl::string_view name, absl::Span<const Real> operands) {
  return CallLibrary(name, operands, 1)[0];
}

std::vector<Real> CallLibrary(absl::string_view name, absl::Span<const Real> operands,
                              int64_t results) {
  const Real& like = operands[0];
  std::vector<Real> numbers(operands.begin(), operands.end());
  // The library knows subnormal numbers by their bits, and fails where products with them are zero.
  if (!KeepsSubnormals(like.builder())) {
    for (Real& x : numbers) x = Where(Abs(x) < std::ldexp(1.0, 1 - x.exponent_bias()), x * 0, x);
  }
  return CallEachLane(like.is_double() ? std::string(name) : absl::StrCat(std::string(name), "f"),
                      like.value()->getType()->getScalarType(), numbers, results);
}

std::vector<Real> CallLibraryInDoubles(absl::string_view name, absl::Span<const Real> operands,
                                       int64_t results) {
  return CallEachLane(std::string(name), operands[0].builder().getDoubleTy(), operands, results);
}

std::vector<Real> WhereRare(const Mask& is_rare, absl::Span<const Real> usual,
                            absl::FunctionRef<std::vector<Real>()> exact) {
  Builder& b = is_rare.builder();
  // A masked lane may hold anything, and nobody wants it.
  llvm::Value* wanted = b.wanted_lanes();
  const auto number = static_cast<unsigned>(LaneCount(is_rare.value()->getType()));
  const bool has_wanted = wanted != nullptr && wanted->getType() == is_rare.value()->getType();
  const Mask all_lanes = {b, b.CreateFreeze(is_rare.value())};
  const Mask lanes = has_wanted ? all_lanes & Mask(b, wanted) : all_lanes;
  llvm::Value* any = b.CreateIsNotNull(b.CreateBitCast(lanes.value(), b.getIntNTy(number)));
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::BasicBlock* rest = SplitHere(b);
  llvm::BasicBlock* rare = llvm::BasicBlock::Create(b.getContext(), "rare", rest->getParent());
  b.CreateCondBr(any, rare, rest, llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(rare);
  std::vector<Real> chosen = exact();
  for (size_t k = 0; k < chosen.size(); ++k) chosen[k] = Where(lanes, chosen[k], usual[k]);
  llvm::BasicBlock* end = b.GetInsertBlock();
  b.CreateBr(rest);
  b.SetInsertPoint(rest, rest->begin());
  std::vector<Real> results;
  for (size_t k = 0; k < chosen.size(); ++k) {
    llvm::PHINode* result = b.CreatePHI(usual[k].value()->getType(), 2);
    result->addIncoming(usual[k].value(), before);
    result->addIncoming(chosen[k].value(), end);
    results.push_back({b, result});
  }
  return results;
}

}  // namespace xla::cpu
