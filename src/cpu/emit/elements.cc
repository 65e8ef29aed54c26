#include "cpu/emit/elements.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/folding.h"
#include "cpu/emit/math.h"
#include "ir/records.h"
#include "llvm/IR/Intrinsics.h"
#include "passes/simplify/match.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// More than any vector has lanes.
constexpr int64_t kMostMultiple = int64_t{1} << 20;

// The greatest power of two of which a number is a multiple.
int64_t PowerOfTwoIn(int64_t number) {
  return number == 0 ? kMostMultiple : std::min(kMostMultiple, number & -number);
}

// Sums and products of constants are constants; null is zero everywhere.
llvm::Constant* SumOfOffsets(Builder& b, llvm::Constant* x, llvm::Constant* y) {
  if (x == nullptr || y == nullptr) return x == nullptr ? y : x;
  return llvm::cast<llvm::Constant>(b.CreateAdd(x, y));
}

llvm::Constant* ScaledOffsets(Builder& b, llvm::Constant* x, int64_t factor) {
  if (x == nullptr || factor == 1) return x;
  return llvm::cast<llvm::Constant>(
      b.CreateMul(x, llvm::ConstantInt::getSigned(x->getType(), factor)));
}

llvm::Value* ToVector(Builder& b, const Coordinate& x, int lanes) {
  if (x.lanes != nullptr) return x.lanes;
  if (lanes == 1) return x.base;
  llvm::Value* base = b.CreateVectorSplat(lanes, x.base);
  if (x.offsets != nullptr) base = b.CreateAdd(base, x.offsets);
  if (x.step == 0) return base;
  llvm::Value* steps =
      b.CreateMul(LaneNumbers(b, lanes), b.CreateVectorSplat(lanes, b.getInt64(x.step)));
  return b.CreateAdd(base, steps);
}

// The element's number in row-major order, as base and step or as a vector. What does not change in
// a loop is added up before it.
Coordinate Linear(Builder& b, const Shape& shape, const Position& position, int lanes) {
  struct Term {
    llvm::Value* base;
    int level;
    int64_t stride;
  };
  absl::InlinedVector<Term, 4> terms;
  Coordinate sum = {b.getInt64(0)};
  int64_t stride = 1;
  llvm::Value* vector = nullptr;
  for (int d = shape.dimensions_size() - 1; d >= 0; --d) {
    const Coordinate& x = position[d];
    if (shape.dimensions(d) != 1) {
      if (x.lanes != nullptr) {
        llvm::Value* scaled = b.CreateMul(x.lanes, b.CreateVectorSplat(lanes, b.getInt64(stride)));
        vector = vector == nullptr ? scaled : b.CreateAdd(vector, scaled);
      } else {
        terms.push_back({x.base, x.level, stride});
        sum.step += x.step * stride;
        sum.offsets = SumOfOffsets(b, sum.offsets, ScaledOffsets(b, x.offsets, stride));
      }
    }
    stride *= shape.dimensions(d);
  }
  absl::c_stable_sort(terms, [](const Term& p, const Term& q) { return p.level < q.level; });
  for (const Term& term : terms) {
    Builder& outside = b.AtLevel(term.level);
    llvm::Value* factor = b.getInt64(static_cast<uint64_t>(term.stride));
    sum.base = outside.CreateAdd(sum.base, outside.CreateMul(term.base, factor));
  }
  if (vector != nullptr) {
    sum.lanes = b.CreateAdd(vector, ToVector(b, sum, lanes));
    sum.offsets = nullptr;
  }
  if (sum.offsets == nullptr) return sum;
  // Offsets that grow evenly are steps.
  const auto offset = [&](int lane) {
    return llvm::cast<llvm::ConstantInt>(sum.offsets->getAggregateElement(lane))->getSExtValue();
  };
  const int64_t first = offset(0), step = offset(1) - first;
  for (int lane = 2; lane < lanes; ++lane) {
    if (offset(lane) != first + lane * step) return sum;
  }
  sum.base = b.CreateAdd(sum.base, b.getInt64(static_cast<uint64_t>(first)));
  sum.step += step;
  sum.offsets = nullptr;
  return sum;
}

llvm::Value* ElementPointer(Builder& b, const Shape& shape, llvm::Value* pointer,
                            llvm::Value* number) {
  const PrimitiveType type = shape.element_type();
  if (primitive_util::IsComplexType(type)) number = b.CreateShl(number, 1);
  return b.CreateGEP(MemoryType(b.getContext(), type), pointer, number);
}

// Where no lane is wanted, lets the first elements of the array be read, since masked loads from
// addresses outside of all memory take long. Whether no mask is needed then: there are enough of
// them, and all lanes are wanted or none is.
bool ReadsInstead(Builder& b, int64_t readable, int lanes, llvm::Value* mask, Coordinate& number) {
  if (b.IsNeverEmpty(mask) || number.lanes != nullptr || number.offsets != nullptr) {
    return false;
  }
  const int64_t reach = (lanes - 1) * number.step;
  const int64_t first = std::max<int64_t>(0, -reach);
  number.base =
      b.CreateSelect(AnyLane(b, mask), number.base, b.getInt64(static_cast<uint64_t>(first)));
  return OneCondition(mask) != nullptr && std::abs(reach) < readable;
}

}  // namespace

Lanes LoadAt(Builder& b, const Shape& shape, llvm::Value* pointer, const Position& position,
             int lanes, llvm::Value* mask) {
  return LoadAt(b, shape, pointer, position, lanes, mask, ShapeUtil::ElementsIn(shape));
}

Lanes LoadAt(Builder& b, const Shape& shape, llvm::Value* pointer, const Position& position,
             int lanes, llvm::Value* mask, int64_t readable) {
  Coordinate number = Linear(b, shape, position, lanes);
  if (ReadsInstead(b, readable, lanes, mask, number)) mask = nullptr;
  if (number.offsets != nullptr && number.step == 0) {
    llvm::Value* base = ElementPointer(b, shape, pointer, number.base);
    if (const Lanes near = LoadNear(b, shape.element_type(), base, number.offsets, mask))
      return near;
  }
  if (number.lanes != nullptr || number.offsets != nullptr)
    return Gather(b, shape.element_type(), pointer, ToVector(b, number, lanes), mask);
  return Load(b, shape.element_type(), ElementPointer(b, shape, pointer, number.base), number.step,
              lanes, mask);
}

void StoreAt(Builder& b, const Shape& shape, const Lanes& value, llvm::Value* pointer,
             const Position& position, llvm::Value* mask, bool is_streamed) {
  const Coordinate number = Linear(b, shape, position, LaneCount(value));
  if (number.lanes != nullptr || number.offsets != nullptr)
    return Scatter(b, shape.element_type(), value, pointer, ToVector(b, number, LaneCount(value)),
                   mask);
  Store(b, shape.element_type(), value, ElementPointer(b, shape, pointer, number.base), number.step,
        mask, is_streamed);
}

Elements::Elements(Builder& builder, int lanes, Leaf leaf, Elements* outer, Memo* memo)
    : b_(builder), lanes_(lanes), leaf_(std::move(leaf)), outer_(outer), memo_(memo) {}

int Elements::LevelOf(const Position& position) {
  int level = 0;
  for (const Coordinate& x : position) level = std::max(level, x.level);
  return level;
}

absl::StatusOr<Lanes> Elements::At(const HloInstruction& instruction, const Position& position,
                                   llvm::Value* mask) {
  Key key = {&instruction, position, mask};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  Lanes value = memo_ == nullptr ? Lanes() : memo_->Recall(b_, lanes_, instruction, position, mask);
  if (value) return value;
  if (const int level = LevelOf(position);
      level < this->level() && outer_ != nullptr && b_.IsNeverEmpty(mask)) {
    Elements& outer = At(level);
    HILO_ASSIGN_OR_RETURN(value, outer.At(instruction, position, nullptr));
    if (LaneCount(value) != lanes_) value = Splat(outer.b_, value, lanes_);
  } else {
    HILO_ASSIGN_OR_RETURN(value, Compute(instruction, position, mask));
    if (memo_ != nullptr) memo_->Remember(b_, instruction, position, value, mask);
  }
  known_.emplace(std::move(key), value);
  return value;
}

absl::StatusOr<std::vector<Lanes>> Elements::AllAt(const HloInstruction& instruction,
                                                   const Position& position, llvm::Value* mask) {
  if (instruction.opcode() == HloOpcode::kReduceWindow)
    return ReduceWindow(instruction, position, mask);
  if (instruction.opcode() == HloOpcode::kReduce && instruction.dimensions().empty())
    return FoldOnce(instruction, position, mask);
  HILO_ASSIGN_OR_RETURN(const Lanes value, At(instruction, position, mask));
  return std::vector<Lanes>{value};
}

// A reduction over no dimensions.
absl::StatusOr<std::vector<Lanes>> Elements::FoldOnce(const HloInstruction& reduce,
                                                      const Position& position, llvm::Value* mask) {
  std::vector<Lanes> initial, values;
  const int64_t count = reduce.operand_count() / 2;
  for (int64_t k = 0; k < count; ++k) {
    HILO_ASSIGN_OR_RETURN(const Lanes first, Scalar(*reduce.operand(count + k)));
    initial.push_back(Splat(b_, first, lanes_));
    HILO_ASSIGN_OR_RETURN(values.emplace_back(), At(*reduce.operand(k), position, mask));
  }
  return Fold(b_, *reduce.to_apply(), initial, values);
}

absl::StatusOr<Lanes> Elements::Scalar(const HloInstruction& instruction) {
  if (outer_ != nullptr) return outer_->Scalar(instruction);
  return lanes_ == 1 ? At(instruction, {}, nullptr)
                     : Elements(b_, 1, leaf_).At(instruction, {}, nullptr);
}

absl::StatusOr<Lanes> Elements::Compute(const HloInstruction& instruction, const Position& position,
                                        llvm::Value* mask) {
  const HloInstruction* operand =
      instruction.operand_count() > 0 ? instruction.operand(0) : nullptr;
  switch (instruction.opcode()) {
    case HloOpcode::kParameter:
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
      return leaf_(b_, lanes_, instruction, position, mask);
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kReduce: {
      const bool is_part = instruction.opcode() == HloOpcode::kGetTupleElement;
      const HloInstruction& source = is_part ? *operand : instruction;
      if (source.opcode() != HloOpcode::kReduce || !source.dimensions().empty())
        return leaf_(b_, lanes_, instruction, position, mask);
      HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> folded, FoldOnce(source, position, mask));
      return folded[is_part ? instruction.tuple_index() : 0];
    }
    case HloOpcode::kConstant:
      if (!ShapeUtil::IsEffectiveScalar(instruction.shape()))
        return leaf_(b_, lanes_, instruction, position, mask);
      return ScalarConstant(b_, instruction.literal(), lanes_);
    case HloOpcode::kIota:
      return Iota(instruction, position);
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
    case HloOpcode::kBitcast:
    case HloOpcode::kTranspose:
    case HloOpcode::kSlice:
    case HloOpcode::kReverse:
      return At(*operand, Through(*OperandMap(instruction, 0), position).first, mask);
    case HloOpcode::kBitcastConvert:
      return BitcastConvert(instruction, position, mask);
    case HloOpcode::kConcatenate:
      return Concatenate(instruction, position, mask);
    case HloOpcode::kPad:
      return Pad(instruction, position, mask);
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather: {
      if (ShapeUtil::IsZeroElementArray(operand->shape()))
        return IntegerConstant(b_, operand->shape().element_type(), 0, lanes_);
      const IndexMap map = *OperandMap(instruction, 0);
      HILO_ASSIGN_OR_RETURN(const Position all, WithStarts(instruction, map, position, mask));
      return At(*operand, Through(map, all).first, mask);
    }
    case HloOpcode::kDynamicUpdateSlice:
      return DynamicUpdateSlice(instruction, position, mask);
    case HloOpcode::kReduceWindow: {
      HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> results,
                            ReduceWindow(instruction, position, mask));
      return results[0];
    }
    case HloOpcode::kCompare: {
      HILO_ASSIGN_OR_RETURN(const Lanes less, CompareLengths(instruction, position, mask));
      if (less) return less;
      break;
    }
    case HloOpcode::kDivide: {
      HILO_ASSIGN_OR_RETURN(const Lanes quotient, DivideByOne(instruction, position, mask));
      if (quotient) return quotient;
      break;
    }
    default:
      break;
  }
  std::vector<Lanes> operands;
  for (const HloInstruction* each : instruction.operands()) {
    HILO_ASSIGN_OR_RETURN(
        operands.emplace_back(),
        At(*each, each->shape().dimensions_size() == 0 ? Position() : position, mask));
  }
  llvm::Value* around = b_.set_wanted_lanes(mask);
  const absl::StatusOr<Lanes> value = Elementwise(b_, instruction, operands);
  b_.set_wanted_lanes(around);
  return value;
}

absl::StatusOr<Lanes> Elements::CompareLengths(const HloInstruction& compare,
                                               const Position& position, llvm::Value* mask) {
  const HloInstruction& length = *compare.operand(0);
  const Comparison::Direction direction = compare.comparison_direction();
  if (length.opcode() != HloOpcode::kAbs || length.user_count() > 1 ||
      !primitive_util::IsComplexType(length.operand(0)->shape().element_type()) ||
      direction == Comparison::Direction::kEq || direction == Comparison::Direction::kNe ||
      compare.comparison_type() == Comparison::Type::kFloatTotalOrder)
    return Lanes();
  const std::optional<double> limit = passes::KnownReal(*compare.operand(1));
  // The squares of others are not normal numbers of all types.
  if (!limit.has_value() || *limit < 0x1p-40 || *limit > 0x1p50) return Lanes();
  HILO_ASSIGN_OR_RETURN(const Lanes z, At(*length.operand(0), position, mask));
  return Lanes{CompareLength({{b_, z.re}, {b_, z.im}}, direction, *limit).value()};
}

absl::StatusOr<Lanes> Elements::DivideByOne(const HloInstruction& divide, const Position& position,
                                            llvm::Value* mask) {
  const HloInstruction& divisor = *divide.operand(1);
  if (divide.shape().element_type() != BF16 || !KeepsExcessPrecision(b_) ||
      divisor.opcode() != HloOpcode::kBroadcast)
    return Lanes();
  Position moved;
  for (int64_t d : divisor.dimensions()) moved.push_back(position[d]);
  Elements& around = At(LevelOf(moved));
  if (&around == this) return Lanes();
  // Outside of this level nobody knows the mask. The arithmetic is the same in all lanes of a row.
  Elements& outer = mask == nullptr ? around : *this;
  HILO_ASSIGN_OR_RETURN(const Lanes x, At(*divide.operand(0), position, mask));
  HILO_ASSIGN_OR_RETURN(const Lanes y, outer.At(*divisor.operand(0), moved, mask));
  auto& [scale, inverse] = outer.inverses_[y.re];
  if (scale == nullptr) {
    // The inverse of what is very small would be infinite, that of what is very large subnormal.
    Builder& b = outer.b_;
    llvm::Type* type = y.re->getType();
    const auto number = [&](double value) { return llvm::ConstantFP::get(type, value); };
    llvm::Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, y.re);
    scale = b.CreateSelect(b.CreateFCmpOLT(magnitude, number(0x1p-100)), number(0x1p32), number(1));
    scale = b.CreateSelect(b.CreateFCmpOGT(magnitude, number(0x1p100)), number(0x1p-32), scale);
    inverse = b.CreateFDiv(number(1), b.CreateFMul(y.re, scale));
  }
  const auto in_all_lanes = [&](llvm::Value* value) {
    return LaneCount(value->getType()) == lanes_ ? value : Splat(outer.b_, {value}, lanes_).re;
  };
  return Lanes{b_.CreateFMul(b_.CreateFMul(x.re, in_all_lanes(scale)), in_all_lanes(inverse))};
}

absl::StatusOr<Lanes> Elements::Iota(const HloInstruction& instruction, const Position& position) {
  const int64_t dimension = instruction.attributes_as<IotaAttributes>().iota_dimension;
  const PrimitiveType type = instruction.shape().element_type();
  HILO_ASSIGN_OR_RETURN(const Lanes numbers, ConvertInteger(b_, Vector(position[dimension]), type));
  return RoundNow(b_, type, numbers);
}

// Several elements along the operand's last dimension are one of the result, or the other way
// round.
absl::StatusOr<Lanes> Elements::BitcastConvert(const HloInstruction& instruction,
                                               const Position& position, llvm::Value* mask) {
  const HloInstruction& operand = *instruction.operand(0);
  const PrimitiveType from = operand.shape().element_type();
  const PrimitiveType to = instruction.shape().element_type();
  const int from_bits = primitive_util::StorageBitWidth(from);
  const int to_bits = primitive_util::StorageBitWidth(to);
  if (instruction.shape().dimensions_size() > operand.shape().dimensions_size()) {
    const absl::Span<const Coordinate> outer(position.data(), position.size() - 1);
    HILO_ASSIGN_OR_RETURN(const Lanes value,
                          At(operand, Position(outer.begin(), outer.end()), mask));
    llvm::Value* bits = ToBits(b_, from, value);
    llvm::Value* shift =
        b_.CreateZExtOrTrunc(Vector(Times(position.back(), to_bits)), bits->getType());
    return FromBits(
        b_, to,
        b_.CreateTrunc(b_.CreateLShr(bits, shift), WithLanes(b_.getIntNTy(to_bits), lanes_)));
  }
  if (instruction.shape().dimensions_size() == operand.shape().dimensions_size()) {
    HILO_ASSIGN_OR_RETURN(const Lanes value, At(operand, position, mask));
    return Reinterpret(b_, from, to, value);
  }
  llvm::Type* whole = WithLanes(b_.getIntNTy(to_bits), lanes_);
  llvm::Value* bits = llvm::Constant::getNullValue(whole);
  for (int part = 0; part < to_bits / from_bits; ++part) {
    Position moved = position;
    moved.push_back({b_.getInt64(part)});
    HILO_ASSIGN_OR_RETURN(const Lanes value, At(operand, moved, mask));
    llvm::Value* wide = b_.CreateZExt(ToBits(b_, from, value), whole);
    bits = b_.CreateOr(bits, b_.CreateShl(wide, part * from_bits));
  }
  return FromBits(b_, to, bits);
}

absl::StatusOr<Lanes> Elements::DynamicUpdateSlice(const HloInstruction& instruction,
                                                   const Position& position, llvm::Value* mask) {
  const IndexMap map = *OperandMap(instruction, 1);
  HILO_ASSIGN_OR_RETURN(const Position all, WithStarts(instruction, map, position, mask));
  const auto [moved, inside] = Through(map, all);
  HILO_ASSIGN_OR_RETURN(const Lanes update,
                        At(*instruction.operand(1), moved, And(b_, mask, inside)));
  if (inside == nullptr) return update;
  HILO_ASSIGN_OR_RETURN(const Lanes others, At(*instruction.operand(0), position, mask));
  return SelectLanes(b_, inside, update, others);
}

// Each lane lies in one of the operands; the others are asked with that lane masked out.
absl::StatusOr<Lanes> Elements::Concatenate(const HloInstruction& instruction,
                                            const Position& position, llvm::Value* mask) {
  Lanes result;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const HloInstruction& operand = *instruction.operand(i);
    if (ShapeUtil::IsZeroElementArray(operand.shape())) continue;
    const auto [moved, inside] = Through(*OperandMap(instruction, i), position);
    if (IsNowhere(inside)) continue;
    if (inside == nullptr) return At(operand, moved, mask);
    HILO_ASSIGN_OR_RETURN(const Lanes part, At(operand, moved, And(b_, mask, inside)));
    result = result ? SelectLanes(b_, inside, part, result) : part;
  }
  // Nobody wants what lies outside of all operands.
  if (!result) return IntegerConstant(b_, instruction.shape().element_type(), 0, lanes_);
  return result;
}

// The dimension along which lanes are neighbours, if they lie at the same place in all others.
std::optional<size_t> OnlyNeighbours(const Position& position) {
  std::optional<size_t> found;
  for (size_t d = 0; d < position.size(); ++d) {
    if (position[d].IsSameForAll()) continue;
    if (found.has_value() || position[d].lanes != nullptr || position[d].offsets != nullptr ||
        position[d].step != 1)
      return std::nullopt;
    found = d;
  }
  return found;
}

// Elements up to this distance are spread by shuffles.
constexpr int64_t kMaxSpread = 4;

absl::StatusOr<Lanes> Elements::Pad(const HloInstruction& instruction, const Position& position,
                                    llvm::Value* mask) {
  const HloInstruction& operand = *instruction.operand(0);
  if (const std::optional<size_t> d = OnlyNeighbours(position); d.has_value() && lanes_ > 1) {
    const auto& padding = instruction.padding_config().dimensions(static_cast<int>(*d));
    if (padding.interior_padding() > 0 && padding.interior_padding() < kMaxSpread)
      return PadWithHoles(instruction, position, *d, mask);
  }
  const auto [moved, inside] = Through(*OperandMap(instruction, 0), position);
  if (inside == nullptr) return At(operand, moved, mask);
  HILO_ASSIGN_OR_RETURN(const Lanes padding, At(*instruction.operand(1), {}, mask));
  if (IsNowhere(inside)) return padding;
  HILO_ASSIGN_OR_RETURN(const Lanes value, At(operand, moved, And(b_, mask, inside)));
  return SelectLanes(b_, inside, value, padding);
}

absl::StatusOr<Lanes> Elements::PadWithHoles(const HloInstruction& instruction,
                                             const Position& position, size_t dimension,
                                             llvm::Value* mask) {
  const HloInstruction& operand = *instruction.operand(0);
  const int d = static_cast<int>(dimension);
  const auto& config = instruction.padding_config().dimensions(d);
  const int64_t size = operand.shape().dimensions(d), step = config.interior_padding() + 1;
  // Holes along this dimension are left in.
  IndexMap map = *OperandMap(instruction, 0);
  map.results[d] = IndexExpr::Variable(d) + IndexExpr::Constant(-config.edge_padding_low());
  std::erase_if(map.guards, [&](const IndexMap::Guard& guard) {
    return guard.expr == map.results[d] || guard.expr == map.results[d].Mod(step);
  });
  auto [moved, inside] = Through(map, position);
  const auto number = [&](int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); };
  // The first element that lies in these lanes or behind them, and how many lanes before it do not
  // have one. What is added makes the quotient one of positive numbers.
  constexpr int64_t kFar = Coordinate::kUnlimited / kMaxSpread;
  llvm::Value* base = moved[dimension].base;
  llvm::Value* first =
      b_.CreateSub(b_.CreateUDiv(b_.CreateAdd(base, number(kFar * step + step - 1)), number(step)),
                   number(kFar));
  llvm::Value* before = b_.CreateSub(b_.CreateMul(first, number(step)), base);
  llvm::Value* ends = Below(moved[dimension], (size - 1) * step + 1);
  llvm::Value* is_here = And(b_, inside, ends);
  moved[dimension] = Adjacent(first, level(), 1);
  // Where no lane lies behind the last element, as many elements exist as there are lanes for.
  llvm::Value* exists = IsEverywhere(ends) && lanes_ % step == 0
                            ? FirstLanes(b_, lanes_, lanes_ / step)
                            : Below(moved[dimension], size);
  llvm::Value* wanted = And(b_, inside, exists);
  HILO_ASSIGN_OR_RETURN(const Lanes padding, At(*instruction.operand(1), {}, mask));
  if (IsNowhere(is_here) || IsNowhere(wanted)) return padding;
  if (mask != nullptr)
    wanted = b_.CreateAnd(wanted, b_.CreateVectorSplat(lanes_, AnyLane(b_, mask)));
  HILO_ASSIGN_OR_RETURN(const Lanes value, At(operand, moved, wanted));

  Lanes spread;
  llvm::Value* is_element = nullptr;
  for (int64_t shift = 0; shift < step; ++shift) {
    std::vector<int> sources(lanes_);
    std::vector<llvm::Constant*> has_element(lanes_);
    for (int64_t i = 0; i < lanes_; ++i) {
      const bool is_on = i >= shift && (i - shift) % step == 0;
      sources[i] = is_on ? static_cast<int>((i - shift) / step) : -1;
      has_element[i] = b_.getInt1(is_on);
    }
    const auto choose = [&](llvm::Value* other, llvm::Value* own) {
      return other == nullptr ? own
                              : b_.CreateSelect(b_.CreateICmpEQ(before, number(shift)), own, other);
    };
    spread.re = choose(spread.re, b_.CreateShuffleVector(value.re, sources));
    if (value.im != nullptr)
      spread.im = choose(spread.im, b_.CreateShuffleVector(value.im, sources));
    is_element = choose(is_element, llvm::ConstantVector::get(has_element));
  }
  return SelectLanes(b_, b_.CreateAnd(is_here, is_element), spread, padding);
}

// The start of each slice is looked up where the lanes say: where it is the same for all lanes,
// they stay adjacent.
absl::StatusOr<Position> Elements::WithStarts(const HloInstruction& instruction,
                                              const IndexMap& map, const Position& position,
                                              llvm::Value* mask) {
  Position all = position;
  for (const Start& start : StartsOf(instruction)) {
    HILO_ASSIGN_OR_RETURN(all.emplace_back(), SliceStart(*instruction.operand(start.operand),
                                                         Through(start.index, position).first,
                                                         map.sizes[start.symbol] - 1, mask));
  }
  return all;
}

absl::StatusOr<Coordinate> Elements::SliceStart(const HloInstruction& indices,
                                                const Position& position, int64_t most,
                                                llvm::Value* mask) {
  const PrimitiveType type = indices.shape().element_type();
  const bool is_safe = b_.IsNeverEmpty(mask) || position.empty();
  if (const int level = LevelOf(position); outer_ != nullptr && level < this->level() && is_safe)
    return At(level).SliceStart(indices, position, most, nullptr);
  const bool is_uniform =
      absl::c_all_of(position, [](const Coordinate& x) { return x.IsSameForAll(); });
  if (!is_uniform && lanes_ > 1) {
    HILO_ASSIGN_OR_RETURN(const Lanes start, At(indices, position, mask));
    return Coordinate{nullptr, 0, ClampStart(b_, type, start, most), level()};
  }
  // One look-up for all lanes, if there are any.
  llvm::Value* any = is_safe ? nullptr : AnyLane(b_, mask);
  Elements scalars(b_, 1, leaf_);
  HILO_ASSIGN_OR_RETURN(const Lanes start,
                        (lanes_ == 1 ? *this : scalars).At(indices, position, any));
  return Coordinate{ClampStart(b_, type, start, most), 0, nullptr, level()};
}

std::pair<Position, llvm::Value*> Elements::Through(const IndexMap& map,
                                                    const Position& variables) {
  Position moved;
  for (const IndexExpr& expr : map.results) moved.push_back(Evaluate(expr, variables));
  llvm::Value* inside = nullptr;
  for (const IndexMap::Guard& guard : map.guards) {
    const size_t d = absl::c_find(map.results, guard.expr) - map.results.begin();
    const Coordinate x = d < moved.size() ? moved[d] : Evaluate(guard.expr, variables);
    llvm::Value* below = Below(Plus(x, -guard.begin), guard.end - guard.begin);
    if (!IsEverywhere(below)) inside = And(b_, inside, below);
  }
  return {moved, inside};
}

Coordinate Elements::Evaluate(const IndexExpr& expr, const Position& position) {
  if (expr.terms().empty()) {
    return Limited({b_.getInt64(static_cast<uint64_t>(expr.constant()))}, expr.constant(),
                   expr.constant());
  }
  std::optional<Coordinate> sum;
  for (const IndexExpr::Term& term : expr.terms()) {
    Coordinate x;
    switch (term.kind) {
      case IndexExpr::Kind::kVariable:
        x = position[term.variable];
        break;
      case IndexExpr::Kind::kQuotient:
        x = Quotient(Evaluate(*term.of, position), term.divisor);
        break;
      case IndexExpr::Kind::kRemainder:
        x = Rest(Evaluate(*term.of, position), term.divisor);
        break;
    }
    x = Times(x, term.factor);
    sum = sum.has_value() ? Plus(*sum, x) : x;
  }
  return Plus(*sum, expr.constant());
}

Coordinate Elements::Limited(Coordinate x, int64_t least, int64_t most) {
  constexpr int64_t kFar = Coordinate::kUnlimited / 2;
  x.least = least > -kFar ? least : -Coordinate::kUnlimited;
  x.most = most < kFar ? most : Coordinate::kUnlimited;
  return x;
}

Coordinate Elements::Adjacent(llvm::Value* base, int level, int64_t multiple) {
  Coordinate x = {base, 1, nullptr, level};
  x.multiple = PowerOfTwoIn(multiple);
  return x;
}

Coordinate Elements::Plus(const Coordinate& x, int64_t number) {
  if (number == 0) return x;
  Builder& b = b_.AtLevel(x.level);
  llvm::Value* value = b.getInt64(static_cast<uint64_t>(number));
  Coordinate sum = x;
  if (x.lanes != nullptr) {
    sum.lanes = b.CreateAdd(x.lanes, b.CreateVectorSplat(lanes_, value));
  } else {
    sum.base = b.CreateAdd(x.base, value);
    sum.multiple = std::min(x.multiple, PowerOfTwoIn(number));
  }
  return Limited(sum, x.least + number, x.most + number);
}

Coordinate Elements::Plus(const Coordinate& x, const Coordinate& y) {
  if (const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(y.base);
      number != nullptr && y.IsSameForAll()) {
    return Plus(x, number->getSExtValue());
  }
  const int level = std::max(x.level, y.level);
  Builder& b = b_.AtLevel(level);
  if (x.lanes == nullptr && y.lanes == nullptr) {
    Coordinate sum = {b.CreateAdd(x.base, y.base), x.step + y.step, nullptr, level};
    sum.offsets = SumOfOffsets(b, x.offsets, y.offsets);
    sum.multiple = std::min(x.multiple, y.multiple);
    return Limited(sum, x.least + y.least, x.most + y.most);
  }
  return Limited({nullptr, 0, b.CreateAdd(Vector(x), Vector(y)), level}, x.least + y.least,
                 x.most + y.most);
}

Coordinate Elements::Times(const Coordinate& x, int64_t number) {
  if (number == 1) return x;
  Builder& b = b_.AtLevel(x.level);
  llvm::Value* factor = b.getInt64(static_cast<uint64_t>(number));
  if (x.lanes != nullptr)
    return {nullptr, 0, b.CreateMul(x.lanes, b.CreateVectorSplat(lanes_, factor)), x.level};
  Coordinate product = {b.CreateMul(x.base, factor), x.step * number, nullptr, x.level};
  product.offsets = ScaledOffsets(b, x.offsets, number);
  product.multiple = std::min(kMostMultiple, x.multiple * PowerOfTwoIn(number));
  const bool is_small = x.least > -(int64_t{1} << 40) && x.most < (int64_t{1} << 40) &&
                        std::abs(number) < (int64_t{1} << 18);
  if (!is_small) return product;
  return Limited(product, std::min(x.least * number, x.most * number),
                 std::max(x.least * number, x.most * number));
}

bool Elements::HaveOneQuotient(const Coordinate& x, int64_t divisor) const {
  if (x.IsSameForAll() || (x.lanes == nullptr && lanes_ == 1)) return true;
  return x.lanes == nullptr && x.offsets == nullptr && x.step == 1 && x.multiple % lanes_ == 0 &&
         divisor % lanes_ == 0;
}

Coordinate Elements::Quotient(const Coordinate& x, int64_t divisor) {
  Builder& b = b_.AtLevel(x.level);
  if (HaveOneQuotient(x, divisor)) {
    return {b.CreateSDiv(x.base, b.getInt64(static_cast<uint64_t>(divisor))), 0, nullptr, x.level};
  }
  llvm::Value* vector = Vector(x);
  return {nullptr, 0,
          b.CreateSDiv(vector,
                       llvm::ConstantInt::get(vector->getType(), static_cast<uint64_t>(divisor))),
          x.level};
}

Coordinate Elements::Rest(const Coordinate& x, int64_t divisor) {
  Builder& b = b_.AtLevel(x.level);
  if (HaveOneQuotient(x, divisor)) {
    Coordinate rest = {b.CreateSRem(x.base, b.getInt64(static_cast<uint64_t>(divisor))), x.step,
                       nullptr, x.level};
    rest.multiple = std::min(x.multiple, PowerOfTwoIn(divisor));
    return rest;
  }
  llvm::Value* vector = Vector(x);
  return {nullptr, 0,
          b.CreateSRem(vector,
                       llvm::ConstantInt::get(vector->getType(), static_cast<uint64_t>(divisor))),
          x.level};
}

llvm::Value* Elements::Below(const Coordinate& x, int64_t limit) {
  llvm::Type* mask = WithLanes(b_.getInt1Ty(), lanes_);
  if (x.least >= 0 && x.most < limit) return llvm::Constant::getAllOnesValue(mask);
  if (x.most < 0 || x.least >= limit) return llvm::Constant::getNullValue(mask);
  if (x.IsSameForAll()) {
    Builder& b = b_.AtLevel(x.level);
    llvm::Value* below = b.CreateICmpULT(x.base, b.getInt64(static_cast<uint64_t>(limit)));
    return lanes_ == 1 ? below : b.CreateVectorSplat(lanes_, below);
  }
  llvm::Value* vector = Vector(x);
  return b_.CreateICmpULT(vector,
                          llvm::ConstantInt::get(vector->getType(), static_cast<uint64_t>(limit)));
}

llvm::Value* Elements::Vector(const Coordinate& x) {
  return ToVector(b_.AtLevel(x.level), x, lanes_);
}

}  // namespace xla::cpu
