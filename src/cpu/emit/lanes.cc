#include "cpu/emit/lanes.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "cpu/emit/small_floats.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Operator.h"
#include "runtime/memory.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

llvm::Align AlignmentOf(PrimitiveType type) {
  const int64_t bytes = primitive_util::ByteWidth(type);
  return llvm::Align(primitive_util::IsComplexType(type) ? bytes / 2 : bytes);
}

// ---- Rounding to BF16

constexpr char kExcessPrecision[] = "excess-precision";

// The bits of floats that are rounded to BF16, to nearest, ties to even, in the upper halves; a NaN
// stays one. What is in the lower halves means nothing.
llvm::Value* RoundedToBf16(Builder& b, llvm::Value* value) {
  llvm::Type* integers = WithLanes(b.getInt32Ty(), LaneCount(value->getType()));
  llvm::Value* bits = b.CreateBitCast(value, integers);
  const auto number = [&](uint64_t value) { return llvm::ConstantInt::get(integers, value); };
  llvm::Value* is_odd =
      b.CreateICmpNE(b.CreateAnd(bits, number(0x10000)), llvm::Constant::getNullValue(integers));
  llvm::Value* rounded =
      b.CreateSelect(is_odd, b.CreateAdd(bits, number(0x8000)), b.CreateAdd(bits, number(0x7fff)));
  llvm::Value* nan = b.CreateOr(bits, number(0x400000));
  return b.CreateSelect(b.CreateFCmpUNO(value, value), nan, rounded);
}

// Whether all that floats are seen to be moved or chosen from is of a kind.
bool IsMadeOf(const llvm::Value* value, absl::FunctionRef<bool(const llvm::Value*)> is_of_kind,
              int depth = 0) {
  constexpr int kMaxDepth = 6;
  if (depth > kMaxDepth) return false;
  if (llvm::isa<llvm::PoisonValue>(value) || is_of_kind(value)) return true;
  const auto* user = llvm::dyn_cast<llvm::User>(value);
  const auto is_made_of = [&](unsigned operand) {
    return IsMadeOf(user->getOperand(operand), is_of_kind, depth + 1);
  };
  switch (llvm::Operator::getOpcode(value)) {
    case llvm::Instruction::Select:
      return is_made_of(1) && is_made_of(2);
    case llvm::Instruction::ShuffleVector:
    case llvm::Instruction::InsertElement:
      return is_made_of(0) && is_made_of(1);
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::FNeg:
      return is_made_of(0);
    default:
      return false;
  }
}

// The number that a constant has in all lanes; null for others.
const llvm::ConstantFP* KnownNumber(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant == nullptr) return nullptr;
  return llvm::dyn_cast_or_null<llvm::ConstantFP>(
      constant->getType()->isVectorTy() ? constant->getSplatValue() : constant);
}

// Whether floats are seen to be numbers of BF16: read from memory and moved or chosen since.
bool IsBf16(const llvm::Value* value) {
  return IsMadeOf(value, [](const llvm::Value* source) {
    if (const llvm::ConstantFP* number = KnownNumber(source))
      return number->getValueAPF().bitcastToAPInt().countTrailingZeros() >= 16;
    const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(source);
    if (cast == nullptr) return false;
    const auto* shift = llvm::dyn_cast<llvm::BinaryOperator>(cast->getOperand(0));
    return shift != nullptr && shift->getOpcode() == llvm::Instruction::Shl &&
           llvm::isa<llvm::ZExtInst>(shift->getOperand(0));
  });
}

// Whether floats are seen to be results of arithmetic, which are no subnormal numbers where these
// are not kept.
bool IsComputed(const llvm::Value* value) {
  return IsMadeOf(value, [](const llvm::Value* source) {
    if (const llvm::ConstantFP* number = KnownNumber(source))
      return !number->getValueAPF().isDenormal();
    switch (llvm::Operator::getOpcode(source)) {
      case llvm::Instruction::FAdd:
      case llvm::Instruction::FSub:
      case llvm::Instruction::FMul:
      case llvm::Instruction::FDiv:
      case llvm::Instruction::SIToFP:
      case llvm::Instruction::UIToFP:
        return true;
      default:
        return false;
    }
  });
}

// Whether an instruction of the machine rounds floats to BF16 as it should be done: it takes
// subnormal numbers for zero.
bool IsRoundedAtOnce(const Builder& b, const llvm::Value* value) {
  return b.target().Has("avx512bf16") && !KeepsSubnormals(b) && IsComputed(value);
}

// ---- Between memory and registers

Lanes FromMemory(Builder& b, PrimitiveType type, llvm::Value* raw) {
  const int lanes = LaneCount(raw->getType());
  llvm::Type* computing = WithLanes(ComputingType(b.getContext(), type), lanes);
  switch (type) {
    case PRED:
      return {b.CreateICmpNE(raw, llvm::Constant::getNullValue(raw->getType()))};
    case F16:
      return {b.CreateFPExt(raw, computing)};
    case BF16: {
      llvm::Value* wide = b.CreateZExt(raw, WithLanes(b.getInt32Ty(), lanes));
      return {b.CreateBitCast(b.CreateShl(wide, 16), computing)};
    }
    default:
      if (IsSmallFloat(type)) {
        llvm::Value* value = DecodeSmallFloat(b, type, raw);
        b.SetCode(value, type, raw);
        return {value};
      }
      return Round(b, type, {raw});  // extends the sign of narrow integers
  }
}

// Selections of selections may have many ways to few values.
constexpr int kMostSelections = 4;

// What a small float is in memory that was read, or chosen by masks from what was, through so many
// selections; null for others.
llvm::Value* CodeOf(Builder& b, PrimitiveType type, llvm::Value* value,
                    int selections = kMostSelections) {
  if (llvm::Value* code = b.CodeOf(value, type)) return code;
  auto* const select = llvm::dyn_cast<llvm::SelectInst>(value);
  if (select == nullptr || selections == 0) return nullptr;
  llvm::Value* const sides[] = {select->getTrueValue(), select->getFalseValue()};
  llvm::Value* codes[] = {CodeOf(b, type, sides[0], selections - 1),
                          CodeOf(b, type, sides[1], selections - 1)};
  if (codes[0] == nullptr && codes[1] == nullptr) return nullptr;
  for (int i : {0, 1}) {
    if (codes[i] == nullptr) codes[i] = EncodeSmallFloat(b, type, sides[i]);
  }
  return b.CreateSelect(select->getCondition(), codes[0], codes[1]);
}

llvm::Value* ToMemory(Builder& b, PrimitiveType type, llvm::Value* value) {
  const int lanes = LaneCount(value->getType());
  switch (type) {
    case PRED:
      return b.CreateZExt(value, WithLanes(b.getInt8Ty(), lanes));
    case F16:
      return b.CreateFPTrunc(value, WithLanes(b.getHalfTy(), lanes));
    case BF16: {
      const bool is_rounded = !KeepsExcessPrecision(b) || IsBf16(value);
      if (!is_rounded && IsRoundedAtOnce(b, value)) {
        llvm::Value* number = b.CreateFPTrunc(value, WithLanes(b.getBFloatTy(), lanes));
        return b.CreateBitCast(number, WithLanes(b.getInt16Ty(), lanes));
      }
      llvm::Value* bits = is_rounded ? b.CreateBitCast(value, WithLanes(b.getInt32Ty(), lanes))
                                     : RoundedToBf16(b, value);
      return b.CreateTrunc(b.CreateLShr(bits, 16), WithLanes(b.getInt16Ty(), lanes));
    }
    case S1:
    case S2:
    case S4:
      return b.CreateAnd(value, (1 << primitive_util::BitWidth(type)) - 1);
    default:
      if (!IsSmallFloat(type)) return value;
      if (llvm::Value* code = CodeOf(b, type, value)) return code;
      return EncodeSmallFloat(b, type, value);
  }
}

// Keeps the low `bits` of an integer of eight.
llvm::Value* Narrow(Builder& b, llvm::Value* value, int bits, bool is_signed) {
  llvm::Value* high = b.CreateShl(value, 8 - bits);
  return is_signed ? b.CreateAShr(high, 8 - bits) : b.CreateLShr(high, 8 - bits);
}

// Reading everything between and picking elements from it is faster up to this distance.
constexpr int64_t kMaxShuffledStep = 4;

// Elements `step` apart. What is read ends with the last one; where there is a mask, only what it
// wants is read.
llvm::Value* LoadEveryOther(Builder& b, llvm::Type* type, llvm::Align alignment,
                            llvm::Value* pointer, int step, llvm::Value* mask) {
  const int lanes = LaneCount(type);
  const int span = (lanes - 1) * step + 1;
  llvm::Value* picked = llvm::PoisonValue::get(type);
  for (int begin = 0; begin < span; begin += lanes) {
    const int first = mask == nullptr ? std::min(begin, span - lanes) : begin;
    llvm::Value* source = b.CreateConstGEP1_64(type->getScalarType(), pointer, first);
    llvm::Value* part;
    if (mask == nullptr) {
      part = b.CreateAlignedLoad(type, source, alignment);
    } else {
      std::vector<int> wanted(lanes);
      for (int i = 0; i < lanes; ++i) {
        const bool is_element = (first + i) % step == 0 && (first + i) / step < lanes;
        wanted[i] = is_element ? (first + i) / step : lanes;
      }
      part = b.CreateMaskedLoad(
          type, source, alignment,
          b.CreateShuffleVector(mask, llvm::Constant::getNullValue(mask->getType()), wanted));
    }
    std::vector<int> lane_of(lanes);
    for (int i = 0; i < lanes; ++i) {
      const int at = i * step;
      lane_of[i] = at < begin || at >= first + lanes ? i : lanes + at - first;
    }
    picked = b.CreateShuffleVector(picked, part, lane_of);
  }
  return picked;
}

// Each lane of a mask twice.
std::vector<int> Twice(int lanes) {
  std::vector<int> numbers(2 * lanes);
  for (int i = 0; i < 2 * lanes; ++i) numbers[i] = i / 2;
  return numbers;
}

// A vector of parts part(begin, count) that fill registers. LLVM takes long to take shuffles apart
// whose vectors do not fit one, and longer where lanes are no power of two.
llvm::Value* ByRegisters(Builder& b, llvm::Type* element, int lanes,
                         absl::FunctionRef<llvm::Value*(int begin, int count)> part) {
  const int in_register = b.target().vector_bits / static_cast<int>(element->getScalarSizeInBits());
  if (lanes <= in_register) return part(0, lanes);
  // No single lane is left over.
  const int count =
      lanes % in_register == 1 ? CeilOfRatio(lanes, CeilOfRatio(lanes, in_register)) : in_register;
  llvm::SmallVector<llvm::Value*> parts;
  for (int begin = 0; begin < lanes; begin += count)
    parts.push_back(part(begin, std::min(count, lanes - begin)));
  return llvm::concatenateVectors(b, parts);
}

llvm::Value* LoadRaw(Builder& b, llvm::Type* element, llvm::Align alignment, llvm::Value* pointer,
                     int64_t step, int lanes, llvm::Value* mask) {
  llvm::Type* type = WithLanes(element, lanes);
  if (step == 0 || lanes == 1) {
    if (mask != nullptr) mask = AnyLane(b, mask);
    llvm::Value* scalar;
    if (mask == nullptr || IsEverywhere(mask)) {
      scalar = b.CreateAlignedLoad(element, pointer, alignment);
    } else {
      llvm::Value* one = b.CreateMaskedLoad(
          WithLanes(element, 2), pointer, alignment,
          b.CreateInsertElement(llvm::Constant::getNullValue(WithLanes(b.getInt1Ty(), 2)), mask,
                                uint64_t{0}));
      scalar = b.CreateExtractElement(one, uint64_t{0});
    }
    return lanes == 1 ? scalar : b.CreateVectorSplat(lanes, scalar);
  }
  if (step == 1) {
    if (mask == nullptr) return b.CreateAlignedLoad(type, pointer, alignment);
    return b.CreateMaskedLoad(type, pointer, alignment, mask);
  }
  if (step == -1) {
    std::vector<int> reversed(lanes);
    for (int i = 0; i < lanes; ++i) reversed[i] = lanes - 1 - i;
    llvm::Value* first = b.CreateConstGEP1_64(element, pointer, 1 - lanes);
    llvm::Value* turned = mask == nullptr ? nullptr : b.CreateShuffleVector(mask, reversed);
    return b.CreateShuffleVector(LoadRaw(b, element, alignment, first, 1, lanes, turned), reversed);
  }
  if (step > 1 && step <= kMaxShuffledStep) {
    return ByRegisters(b, element, lanes, [&](int begin, int count) {
      return LoadEveryOther(b, WithLanes(element, count), alignment,
                            b.CreateConstGEP1_64(element, pointer, begin * step),
                            static_cast<int>(step),
                            mask == nullptr ? nullptr : LaneRange(b, mask, begin, count));
    });
  }
  llvm::Value* offsets =
      b.CreateMul(LaneNumbers(b, lanes), b.CreateVectorSplat(lanes, b.getInt64(step)));
  llvm::Value* pointers = b.CreateGEP(element, pointer, offsets);
  return b.CreateMaskedGather(type, pointers, alignment, mask);
}

// The real and the imaginary parts of neighbours, which alternate in memory.
Lanes LoadPairs(Builder& b, llvm::Type* element, llvm::Align alignment, llvm::Value* pointer,
                int lanes, llvm::Value* mask) {
  llvm::Type* type = WithLanes(element, 2 * lanes);
  llvm::Value* pairs =
      mask == nullptr
          ? static_cast<llvm::Value*>(b.CreateAlignedLoad(type, pointer, alignment))
          : b.CreateMaskedLoad(type, pointer, alignment, b.CreateShuffleVector(mask, Twice(lanes)));
  std::vector<int> re(lanes), im(lanes);
  for (int i = 0; i < lanes; ++i) re[i] = 2 * i, im[i] = 2 * i + 1;
  return {b.CreateShuffleVector(pairs, re), b.CreateShuffleVector(pairs, im)};
}

// All lanes.
void StoreVector(Builder& b, llvm::Value* value, llvm::Align alignment, llvm::Value* pointer,
                 bool is_streamed) {
  llvm::StoreInst* store = b.CreateAlignedStore(value, pointer, alignment);
  if (!is_streamed) return;
  const auto bytes =
      static_cast<int64_t>(value->getType()->getPrimitiveSizeInBits().getFixedValue() / 8);
  store->setAlignment(llvm::Align(std::min(bytes, runtime::kAlignment)));
  store->setMetadata(
      llvm::LLVMContext::MD_nontemporal,
      llvm::MDNode::get(b.getContext(), llvm::ConstantAsMetadata::get(b.getInt32(1))));
}

void StorePairs(Builder& b, const Lanes& value, llvm::Align alignment, llvm::Value* pointer,
                llvm::Value* mask, bool is_streamed) {
  const int lanes = LaneCount(value);
  std::vector<int> alternating(2 * lanes);
  for (int i = 0; i < 2 * lanes; ++i) alternating[i] = i / 2 + i % 2 * lanes;
  llvm::Value* pairs = b.CreateShuffleVector(value.re, value.im, alternating);
  if (mask == nullptr) {
    StoreVector(b, pairs, alignment, pointer, is_streamed);
  } else {
    b.CreateMaskedStore(pairs, pointer, alignment, b.CreateShuffleVector(mask, Twice(lanes)));
  }
}

void StoreRaw(Builder& b, llvm::Value* value, llvm::Align alignment, llvm::Value* pointer,
              int64_t step, llvm::Value* mask, bool is_streamed = false) {
  const int lanes = LaneCount(value->getType());
  if (lanes == 1 || step == 1) {
    if (mask == nullptr && lanes == 3 && value->getType()->getScalarSizeInBits() == 8 &&
        b.target().instruction_set == codegen::InstructionSet::kNeon) {
      // LLVM 22 stores only two where the three are truncated numbers of 64 bits.
      for (int i = 0; i < lanes; ++i) {
        b.CreateAlignedStore(b.CreateExtractElement(value, i),
                             b.CreateConstGEP1_64(b.getInt8Ty(), pointer, i), llvm::Align(1));
      }
    } else if (mask == nullptr) {
      StoreVector(b, value, alignment, pointer, is_streamed && lanes > 1);
    } else if (lanes == 1) {
      llvm::Type* pair = WithLanes(value->getType(), 2);
      b.CreateMaskedStore(
          b.CreateInsertElement(llvm::PoisonValue::get(pair), value, uint64_t{0}), pointer,
          alignment,
          b.CreateInsertElement(llvm::Constant::getNullValue(WithLanes(b.getInt1Ty(), 2)), mask,
                                uint64_t{0}));
    } else {
      b.CreateMaskedStore(value, pointer, alignment, mask);
    }
    return;
  }
  llvm::Value* offsets =
      b.CreateMul(LaneNumbers(b, lanes), b.CreateVectorSplat(lanes, b.getInt64(step)));
  llvm::Value* pointers = b.CreateGEP(value->getType()->getScalarType(), pointer, offsets);
  b.CreateMaskedScatter(value, pointers, alignment, mask);
}

}  // namespace

int LaneCount(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : static_cast<int>(vector->getNumElements());
}

int LaneCount(const Lanes& value) { return LaneCount(value.re->getType()); }

llvm::Type* WithLanes(llvm::Type* element, int lanes) {
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, lanes);
}

llvm::Type* ComputingType(llvm::LLVMContext& context, PrimitiveType type) {
  if (type == PRED) return llvm::Type::getInt1Ty(context);
  if (type == F64 || type == C128 || type == F8E8M0FNU) return llvm::Type::getDoubleTy(context);
  if (primitive_util::IsFloatingPointType(type) || type == C64)
    return llvm::Type::getFloatTy(context);
  return llvm::Type::getIntNTy(context, std::max(8, primitive_util::BitWidth(type)));
}

llvm::Type* MemoryType(llvm::LLVMContext& context, PrimitiveType type) {
  if (type == F16) return llvm::Type::getHalfTy(context);
  if (type == BF16) return llvm::Type::getInt16Ty(context);
  if (type == PRED || primitive_util::IsFloatingPointType(type)) {
    if (type == F32 || type == F64) return ComputingType(context, type);
    return llvm::Type::getInt8Ty(context);
  }
  return ComputingType(context, type);
}

Lanes Splat(Builder& b, const Lanes& scalar, int lanes) {
  if (lanes == 1) return scalar;
  return {b.CreateVectorSplat(lanes, scalar.re),
          scalar.im == nullptr ? nullptr : b.CreateVectorSplat(lanes, scalar.im)};
}

Lanes IntegerConstant(Builder& b, PrimitiveType type, int64_t number, int lanes) {
  llvm::Type* computing = WithLanes(ComputingType(b.getContext(), type), lanes);
  if (computing->isIntOrIntVectorTy()) {
    if (type == PRED) number = number != 0;
    return Round(
        b, type,
        {llvm::ConstantInt::get(computing, static_cast<uint64_t>(number), /*IsSigned=*/true,
                                /*ImplicitTrunc=*/true)});
  }
  llvm::Value* re = llvm::ConstantFP::get(computing, static_cast<double>(number));
  return Round(b, type,
               {re, primitive_util::IsComplexType(type) ? llvm::Constant::getNullValue(computing)
                                                        : nullptr});
}

llvm::Value* RealConstant(Builder& b, PrimitiveType type, double number, int lanes) {
  return llvm::ConstantFP::get(WithLanes(ComputingType(b.getContext(), type), lanes), number);
}

llvm::Value* LaneRange(Builder& b, llvm::Value* vector, int begin, int count) {
  if (count == LaneCount(vector->getType())) return vector;
  if (count == 1) return b.CreateExtractElement(vector, static_cast<uint64_t>(begin));
  std::vector<int> lanes(count);
  absl::c_iota(lanes, begin);
  return b.CreateShuffleVector(vector, lanes);
}

Lanes Load(Builder& b, PrimitiveType type, llvm::Value* pointer, int64_t step, int lanes,
           llvm::Value* mask) {
  llvm::Type* element = MemoryType(b.getContext(), type);
  const llvm::Align alignment = AlignmentOf(type);
  if (!primitive_util::IsComplexType(type)) {
    return FromMemory(b, type, LoadRaw(b, element, alignment, pointer, step, lanes, mask));
  }
  if (step == 1 && lanes > 1) return LoadPairs(b, element, alignment, pointer, lanes, mask);
  llvm::Value* imaginary = b.CreateConstGEP1_64(element, pointer, 1);
  return {LoadRaw(b, element, alignment, pointer, 2 * step, lanes, mask),
          LoadRaw(b, element, alignment, imaginary, 2 * step, lanes, mask)};
}

// The elements at places behind a base.
llvm::Value* GatherRaw(Builder& b, llvm::Type* element, llvm::Align alignment, llvm::Value* base,
                       llvm::Value* offsets, llvm::Value* mask) {
  const int lanes = LaneCount(offsets->getType());
  llvm::Type* type = WithLanes(element, lanes);
  if (mask != nullptr || b.target().has_fast_gather)
    return b.CreateMaskedGather(type, b.CreateGEP(element, base, offsets), alignment, mask);
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (uint64_t lane = 0; lane < static_cast<uint64_t>(lanes); ++lane) {
    llvm::Value* place = b.CreateGEP(element, base, b.CreateExtractElement(offsets, lane));
    result = b.CreateInsertElement(result, b.CreateAlignedLoad(element, place, alignment), lane);
  }
  return result;
}

Lanes Gather(Builder& b, PrimitiveType type, llvm::Value* pointer, llvm::Value* offsets,
             llvm::Value* mask) {
  const int lanes = LaneCount(offsets->getType());
  llvm::Type* element = MemoryType(b.getContext(), type);
  const bool is_complex = primitive_util::IsComplexType(type);
  if (is_complex) offsets = b.CreateShl(offsets, 1);
  if (lanes == 1) return Load(b, type, b.CreateGEP(element, pointer, offsets), 0, 1, mask);
  const auto part = [&](llvm::Value* base) {
    return GatherRaw(b, element, AlignmentOf(type), base, offsets, mask);
  };
  if (!is_complex) return FromMemory(b, type, part(pointer));
  return {part(pointer), part(b.CreateConstGEP1_64(element, pointer, 1))};
}

namespace {

// A lane that is wanted, and how far behind a pointer its element lies.
using WantedLane = std::pair<int, int64_t>;

// The first element that any lane wants, and how many there are from it to the last one.
std::pair<int64_t, int64_t> SpanOf(absl::Span<const WantedLane> wanted) {
  const auto [low, high] = absl::c_minmax_element(
      wanted, [](const auto& x, const auto& y) { return x.second < y.second; });
  return {low->second, high->second - low->second + 1};
}

// Of `lanes` lanes. Nothing before the first element or behind the last is read.
llvm::Value* PickLanes(Builder& b, llvm::Type* element, llvm::Align alignment, llvm::Value* pointer,
                       absl::Span<const WantedLane> wanted, int lanes) {
  if (wanted.empty()) return llvm::PoisonValue::get(WithLanes(element, lanes));
  const auto [first, span] = SpanOf(wanted);
  const int64_t in_vector = b.target().vector_bits / element->getScalarSizeInBits();
  const auto width =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::min(span, in_vector))));
  llvm::Value* picked = nullptr;
  for (int64_t begin = 0; begin < span; begin += width) {
    const int64_t from = std::min(begin, span - width);
    std::vector<int> source(lanes, -1), blend(lanes);
    absl::c_iota(blend, 0);
    bool is_used = false;
    for (const auto& [lane, offset] : wanted) {
      const int64_t at = offset - first;
      if (at < begin || at >= begin + width) continue;
      source[lane] = static_cast<int>(at - from);
      blend[lane] = lanes + lane;
      is_used = true;
    }
    if (!is_used) continue;
    llvm::Value* part = b.CreateAlignedLoad(
        WithLanes(element, static_cast<int>(width)),
        b.CreateConstGEP1_64(element, pointer, static_cast<uint64_t>(first + from)), alignment);
    part = width == 1 ? b.CreateVectorSplat(lanes, part) : b.CreateShuffleVector(part, source);
    picked = picked == nullptr ? part : b.CreateShuffleVector(picked, part, blend);
  }
  return picked;
}

}  // namespace

Lanes LoadNear(Builder& b, PrimitiveType type, llvm::Value* pointer, llvm::Constant* offsets,
               llvm::Value* mask) {
  const int lanes = LaneCount(offsets->getType());
  const auto* known_mask = llvm::dyn_cast_or_null<llvm::Constant>(mask);
  if (primitive_util::IsComplexType(type) || (mask != nullptr && known_mask == nullptr)) return {};
  std::vector<WantedLane> wanted;
  for (int lane = 0; lane < lanes; ++lane) {
    if (known_mask != nullptr && known_mask->getAggregateElement(lane)->isNullValue()) continue;
    const auto* offset = llvm::cast<llvm::ConstantInt>(offsets->getAggregateElement(lane));
    wanted.emplace_back(lane, offset->getSExtValue());
  }
  if (wanted.empty()) return {};
  if (SpanOf(wanted).second > kMaxShuffledStep * lanes) return {};
  llvm::Type* element = MemoryType(b.getContext(), type);
  return FromMemory(b, type, ByRegisters(b, element, lanes, [&](int begin, int count) {
                      std::vector<WantedLane> part;
                      for (const auto& [lane, offset] : wanted) {
                        if (lane >= begin && lane < begin + count)
                          part.emplace_back(lane - begin, offset);
                      }
                      return PickLanes(b, element, AlignmentOf(type), pointer, part, count);
                    }));
}

void Store(Builder& b, PrimitiveType type, const Lanes& value, llvm::Value* pointer, int64_t step,
           llvm::Value* mask, bool is_streamed) {
  const llvm::Align alignment = AlignmentOf(type);
  if (value.im == nullptr) {
    StoreRaw(b, ToMemory(b, type, value.re), alignment, pointer, step, mask, is_streamed);
    return;
  }
  if (step == 1 && LaneCount(value) > 1)
    return StorePairs(b, value, alignment, pointer, mask, is_streamed);
  llvm::Value* imaginary = b.CreateConstGEP1_64(value.re->getType()->getScalarType(), pointer, 1);
  StoreRaw(b, value.re, alignment, pointer, 2 * step, mask);
  StoreRaw(b, value.im, alignment, imaginary, 2 * step, mask);
}

void Scatter(Builder& b, PrimitiveType type, const Lanes& value, llvm::Value* pointer,
             llvm::Value* offsets, llvm::Value* mask) {
  llvm::Type* element = MemoryType(b.getContext(), type);
  if (value.im != nullptr) offsets = b.CreateShl(offsets, 1);
  if (LaneCount(value) == 1)
    return Store(b, type, value, b.CreateGEP(element, pointer, offsets), 1, mask);
  const auto part = [&](llvm::Value* raw, llvm::Value* base) {
    b.CreateMaskedScatter(raw, b.CreateGEP(element, base, offsets), AlignmentOf(type), mask);
  };
  part(value.im == nullptr ? ToMemory(b, type, value.re) : value.re, pointer);
  if (value.im != nullptr) part(value.im, b.CreateConstGEP1_64(element, pointer, 1));
}

void AllowExcessPrecision(llvm::Module& module) {
  module.addModuleFlag(llvm::Module::Warning, kExcessPrecision, 1);
}

bool AllowsExcessPrecision(const llvm::Module& module) {
  return module.getModuleFlag(kExcessPrecision) != nullptr;
}

void KeepExcessPrecision(llvm::Function& function) {
  if (AllowsExcessPrecision(*function.getParent())) function.addFnAttr(kExcessPrecision);
}

bool KeepsExcessPrecision(Builder& b) {
  return b.GetInsertBlock()->getParent()->hasFnAttribute(kExcessPrecision);
}

void KeepSubnormals(llvm::Module& module) {
  module.addModuleFlag(llvm::Module::Warning, codegen::kSubnormalsOption, 1);
}

bool KeepsSubnormals(const Builder& b) {
  return b.GetInsertBlock()->getModule()->getModuleFlag(codegen::kSubnormalsOption) != nullptr;
}

Lanes Round(Builder& b, PrimitiveType type, const Lanes& value) {
  return type == BF16 && KeepsExcessPrecision(b) ? value : RoundNow(b, type, value);
}

Lanes RoundNow(Builder& b, PrimitiveType type, const Lanes& value) {
  switch (type) {
    case BF16:
      return {b.CreateBitCast(b.CreateAnd(RoundedToBf16(b, value.re), int64_t{-0x10000}),
                              value.re->getType())};
    case F16: {
      llvm::Type* half = WithLanes(b.getHalfTy(), LaneCount(value));
      return {b.CreateFPExt(b.CreateFPTrunc(value.re, half), value.re->getType())};
    }
    case S1:
    case S2:
    case S4:
      return {Narrow(b, value.re, primitive_util::BitWidth(type), /*is_signed=*/true)};
    case U1:
    case U2:
    case U4:
      return {Narrow(b, value.re, primitive_util::BitWidth(type), /*is_signed=*/false)};
    default:
      if (!IsSmallFloat(type)) return value;
      return {DecodeSmallFloat(b, type, EncodeSmallFloat(b, type, value.re))};
  }
}

llvm::Value* ToBits(Builder& b, PrimitiveType type, const Lanes& value) {
  const int lanes = LaneCount(value);
  const auto part = [&](llvm::Value* x) {
    llvm::Value* raw = ToMemory(b, type, x);
    const unsigned width = raw->getType()->getScalarSizeInBits();
    return b.CreateBitCast(raw, WithLanes(b.getIntNTy(width), lanes));
  };
  const int bits = primitive_util::StorageBitWidth(type);
  llvm::Type* whole = WithLanes(b.getIntNTy(bits), lanes);
  llvm::Value* re = b.CreateZExtOrTrunc(part(value.re), whole);
  if (value.im == nullptr) return re;
  return b.CreateOr(re, b.CreateShl(b.CreateZExt(part(value.im), whole), bits / 2));
}

Lanes FromBits(Builder& b, PrimitiveType type, llvm::Value* bits) {
  const int lanes = LaneCount(bits->getType());
  const auto part = [&](llvm::Value* x) {
    llvm::Type* memory = MemoryType(b.getContext(), type);
    llvm::Type* integer = WithLanes(b.getIntNTy(memory->getScalarSizeInBits()), lanes);
    return FromMemory(b, type,
                      b.CreateBitCast(b.CreateZExtOrTrunc(x, integer), WithLanes(memory, lanes)));
  };
  if (!primitive_util::IsComplexType(type)) return part(bits);
  return {part(bits).re, part(b.CreateLShr(bits, primitive_util::BitWidth(type) / 2)).re};
}

Lanes Reinterpret(Builder& b, PrimitiveType from, PrimitiveType to, const Lanes& value) {
  llvm::Type* bits = WithLanes(b.getIntNTy(primitive_util::StorageBitWidth(to)), LaneCount(value));
  return FromBits(b, to, b.CreateZExtOrTrunc(ToBits(b, from, value), bits));
}

llvm::Constant* LaneNumbers(Builder& b, int lanes) {
  if (lanes == 1) return b.getInt64(0);
  std::vector<llvm::Constant*> numbers;
  for (int i = 0; i < lanes; ++i) numbers.push_back(b.getInt64(i));
  return llvm::ConstantVector::get(numbers);
}

llvm::Constant* FirstLanes(Builder& b, int lanes, int64_t count) {
  std::vector<llvm::Constant*> bits;
  for (int i = 0; i < lanes; ++i) bits.push_back(b.getInt1(i < count));
  return lanes == 1 ? bits[0] : llvm::ConstantVector::get(bits);
}

llvm::Value* FirstLanes(Builder& b, int lanes, llvm::Value* count) {
  constexpr int kBits = 64;
  llvm::Value* mask;
  if (b.target().has_mask_registers && lanes > 1 && lanes <= kBits) {
    // A mask register holds a bit for each lane.
    llvm::Value* most = b.getInt64(static_cast<uint64_t>(lanes));
    llvm::Value* ones = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, most);
    llvm::Value* bits =
        b.CreateLShr(b.getInt64(~uint64_t{0}), b.CreateSub(b.getInt64(kBits), ones));
    mask = b.CreateBitCast(b.CreateTrunc(bits, b.getIntNTy(static_cast<unsigned>(lanes))),
                           WithLanes(b.getInt1Ty(), lanes));
  } else {
    mask = b.CreateICmpSLT(LaneNumbers(b, lanes), Splat(b, {count}, lanes).re);
  }
  b.SetNeverEmpty(mask);
  return mask;
}

// LLVM passes masks in vectors of bytes where they fill a part of a register and have none of
// their own, but in as many scalars where they are larger or no power of two.
llvm::Value* PassedMask(Builder& b, llvm::Value* value) {
  llvm::Type* type = value->getType();
  const int lanes = LaneCount(type);
  if (type->getScalarSizeInBits() != 1 || lanes == 1 || b.target().has_mask_registers) return value;
  if (lanes * 8 <= b.target().vector_bits && std::has_single_bit(static_cast<unsigned>(lanes)))
    return value;
  return b.CreateSExt(value, WithLanes(b.getInt8Ty(), lanes));
}

llvm::Value* MaskOfPassed(Builder& b, llvm::Value* passed) {
  if (passed->getType()->getScalarSizeInBits() == 1) return passed;
  return b.CreateICmpSLT(passed, llvm::Constant::getNullValue(passed->getType()));
}

llvm::Value* And(Builder& b, llvm::Value* x, llvm::Value* y) {
  if (x == nullptr) return y;
  if (y == nullptr) return x;
  llvm::Value *one = OneCondition(x), *other = OneCondition(y);
  if (one == nullptr || other == nullptr) return b.CreateAnd(x, y);
  return Splat(b, {b.CreateAnd(one, other)}, LaneCount(x->getType())).re;
}

llvm::Value* OneCondition(llvm::Value* mask) {
  return LaneCount(mask->getType()) == 1 ? mask : llvm::getSplatValue(mask);
}

llvm::Value* AnyLane(Builder& b, llvm::Value* mask) {
  if (b.IsNeverEmpty(mask)) return b.getTrue();
  llvm::Value* one = OneCondition(mask);
  return one == nullptr ? b.CreateOrReduce(mask) : one;
}

}  // namespace xla::cpu
