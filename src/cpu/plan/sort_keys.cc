#include "cpu/plan/sort_keys.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "codegen/program/register_form.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/replace.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using primitive_util::BitWidth;
using primitive_util::IsFloatingPointType;

// Instructions of comparators that are looked at.
constexpr int64_t kMaxComparator = 256;

// ---- What a comparator does

// Elements are ordered by the value of an expression of the parameters of one side.
struct Key {
  const HloInstruction* expression;
  bool descending;
  bool is_total;  // NaNs and zeros have the order of their bits

  bool is_partial() const {
    return !is_total && IsFloatingPointType(expression->shape().element_type());
  }
};

// Each pair of instructions is looked at once, whatever the expressions share.
class Comparator {
 public:
  // The keys by which a predicate orders, the first one first; none if it does something else.
  std::vector<Key> Keys(const HloInstruction& predicate) {
    std::vector<Key> keys;
    return AddKeys(predicate, keys) ? keys : std::vector<Key>();
  }

 private:
  // The side whose parameters an expression reads: 0 or 1, kNone, kBoth.
  static constexpr int kNone = -1, kBoth = 2;
  int SideOf(const HloInstruction& expression) {
    if (expression.opcode() == HloOpcode::kParameter)
      return static_cast<int>(expression.parameter_number() % 2);
    if (const auto found = sides_.find(&expression); found != sides_.end()) return found->second;
    int side = kNone;
    for (const HloInstruction* operand : expression.operands()) {
      const int own = SideOf(*operand);
      if (own != kNone) side = side == kNone || side == own ? own : kBoth;
    }
    return sides_[&expression] = side;
  }

  // Whether two expressions are the same but for the side.
  bool AreAlike(const HloInstruction& x, const HloInstruction& y) {
    if (x.opcode() == HloOpcode::kParameter && y.opcode() == HloOpcode::kParameter)
      return x.parameter_number() / 2 == y.parameter_number() / 2;
    if (&x == &y) return true;
    const auto [found, is_new] = alike_.try_emplace({&x, &y}, true);
    if (!is_new) return found->second;
    bool alike = x.opcode() == y.opcode() && x.operand_count() == y.operand_count() &&
                 x.called_computations().empty() && ShapeUtil::Compatible(x.shape(), y.shape());
    for (int64_t i = 0; alike && i < x.operand_count(); ++i)
      alike = AreAlike(*x.operand(i), *y.operand(i));
    alike = alike && x.CloneWithNewOperands(x.shape(), y.operands())->Identical(y);
    return alike_[{&x, &y}] = alike;
  }

  // What two sides of a comparison have in common.
  const HloInstruction* CommonExpression(const HloInstruction& compare, bool& is_turned) {
    const int left = SideOf(*compare.operand(0)), right = SideOf(*compare.operand(1));
    const bool is_fair = (left == 0 && right == 1) || (left == 1 && right == 0);
    if (!is_fair || !AreAlike(*compare.operand(0), *compare.operand(1))) return nullptr;
    is_turned = left == 1;
    return compare.operand(0);
  }

  static bool IsTotal(const HloInstruction& compare) {
    return compare.comparison_type() == Comparison::Type::kFloatTotalOrder;
  }

  std::optional<Key> KeyOf(const HloInstruction& compare) {
    if (compare.opcode() != HloOpcode::kCompare) return std::nullopt;
    const Comparison::Direction direction = compare.comparison_direction();
    const bool is_less = direction == Comparison::Direction::kLt;
    if (!is_less && direction != Comparison::Direction::kGt) return std::nullopt;
    bool is_turned = false;
    const HloInstruction* expression = CommonExpression(compare, is_turned);
    if (expression == nullptr ||
        primitive_util::IsComplexType(expression->shape().element_type())) {
      return std::nullopt;
    }
    return Key{expression, is_less == is_turned, IsTotal(compare)};
  }

  bool SaysEqual(const HloInstruction& compare, const Key& key) {
    if (compare.opcode() != HloOpcode::kCompare || IsTotal(compare) != key.is_total ||
        compare.comparison_direction() != Comparison::Direction::kEq) {
      return false;
    }
    bool is_turned = false;
    const HloInstruction* expression = CommonExpression(compare, is_turned);
    return expression != nullptr && AreAlike(*expression, *key.expression);
  }

  // x < y, or x is y and what follows.
  bool AddKeys(const HloInstruction& predicate, std::vector<Key>& keys) {
    if (const std::optional<Key> key = KeyOf(predicate)) {
      keys.push_back(*key);
      return true;
    }
    if (predicate.opcode() != HloOpcode::kOr) return false;
    for (int first : {0, 1}) {
      const std::optional<Key> key = KeyOf(*predicate.operand(first));
      const HloInstruction& rest = *predicate.operand(1 - first);
      if (!key.has_value() || rest.opcode() != HloOpcode::kAnd) continue;
      for (int equal : {0, 1}) {
        if (!SaysEqual(*rest.operand(equal), *key)) continue;
        keys.push_back(*key);
        return AddKeys(*rest.operand(1 - equal), keys);
      }
    }
    return false;
  }

  absl::flat_hash_map<const HloInstruction*, int> sides_;
  absl::flat_hash_map<std::pair<const HloInstruction*, const HloInstruction*>, bool> alike_;
};

// ---- Keys as arrays

class KeyMaker {
 public:
  KeyMaker(HloInstruction& sort, passes::GraphBuilder& builder) : sort_(sort), b_(builder) {}

  // Unsigned integers in the order of the keys.
  HloInstruction* Make(const Key& key) {
    HloInstruction* x = Clone(*key.expression);
    HloInstruction* bits = OrderedBits(x, key.is_total);
    if (key.descending) bits = b_.Unary(HloOpcode::kNot, bits);
    if (!key.descending || !key.is_partial()) return bits;
    return b_.Select(b_.Compare(Comparison::Direction::kNe, x, x),
                     Largest(bits->shape().element_type()), bits);
  }

  // In the total order, or such that -0 is 0 and NaNs of either sign are larger than everything.
  HloInstruction* OrderedBits(HloInstruction* x, bool is_total) {
    const PrimitiveType type = x->shape().element_type();
    if (IsFloatingPointType(type)) return OrderedReal(x, is_total);
    if (type == PRED || BitWidth(type) < 8) {
      const bool is_signed = primitive_util::IsSignedIntegralType(type);
      return OrderedBits(b_.Convert(x, is_signed ? S8 : U8), is_total);
    }
    if (!primitive_util::IsSignedIntegralType(type)) return x;
    const PrimitiveType bare = primitive_util::UnsignedIntegralTypeForBitWidth(BitWidth(type));
    return b_.Binary(HloOpcode::kXor, b_.BitcastConvert(x, bare), SignBit(bare));
  }

 private:
  HloInstruction* SignBit(PrimitiveType bare) {
    return b_.Bits(bare, uint64_t{1} << (BitWidth(bare) - 1));
  }

  HloInstruction* Largest(PrimitiveType bare) {
    return b_.Broadcast(b_.Bits(bare, ~uint64_t{0} >> (64 - BitWidth(bare))),
                        sort_.operand(0)->shape().dimensions());
  }

  HloInstruction* OrderedReal(HloInstruction* x, bool is_total) {
    if (BitWidth(x->shape().element_type()) < 16) x = b_.Convert(x, F32);
    const PrimitiveType type = x->shape().element_type();
    const int bits = BitWidth(type);
    const PrimitiveType bare = primitive_util::UnsignedIntegralTypeForBitWidth(bits);
    const PrimitiveType with_sign = primitive_util::SignedIntegralTypeForBitWidth(bits);
    HloInstruction* raw = b_.BitcastConvert(x, bare);
    // Negative numbers turn round.
    HloInstruction* sign =
        b_.Binary(HloOpcode::kShiftRightArithmetic, b_.BitcastConvert(raw, with_sign),
                  b_.Number(with_sign, bits - 1));
    HloInstruction* flip = b_.Binary(HloOpcode::kOr, b_.BitcastConvert(sign, bare), SignBit(bare));
    HloInstruction* ordered = b_.Binary(HloOpcode::kXor, raw, flip);
    if (is_total) return ordered;
    HloInstruction* zero = b_.Broadcast(SignBit(bare), x->shape().dimensions());
    ordered =
        b_.Select(b_.Compare(Comparison::Direction::kEq, x, b_.Number(type, 0)), zero, ordered);
    return b_.Select(b_.Compare(Comparison::Direction::kNe, x, x), Largest(bare), ordered);
  }

  // The expression, of whole arrays.
  HloInstruction* Clone(const HloInstruction& expression) {
    if (expression.opcode() == HloOpcode::kParameter)
      return sort_.mutable_operand(expression.parameter_number() / 2);
    HloInstruction*& clone = clones_[&expression];
    if (clone != nullptr) return clone;
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : expression.operands()) operands.push_back(Clone(*operand));
    const absl::Span<const int64_t> sizes = sort_.operand(0)->shape().dimensions();
    HloInstruction* added;
    if (expression.opcode() == HloOpcode::kConstant) {
      added = b_.Broadcast(b_.Add(expression.Clone("")), sizes);
    } else {
      const Shape shape = ShapeUtil::MakeShape(expression.shape().element_type(), sizes);
      added = b_.Add(expression.CloneWithNewOperands(shape, operands));
    }
    return clones_[&expression] = added;
  }

  HloInstruction& sort_;
  passes::GraphBuilder& b_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones_;
};

// The bits of all keys one after the other in one integer, or null if they do not fit.
HloInstruction* Join(passes::GraphBuilder& b, absl::Span<HloInstruction* const> keys) {
  if (keys.size() == 1) return keys[0];
  int total = 0;
  for (const HloInstruction* key : keys) total += BitWidth(key->shape().element_type());
  if (total > 64) return nullptr;
  const PrimitiveType type = total <= 16 ? U16 : total <= 32 ? U32 : U64;
  HloInstruction* joined = nullptr;
  for (HloInstruction* key : keys) {
    HloInstruction* wide = b.Convert(key, type);
    if (joined == nullptr) {
      joined = wide;
      continue;
    }
    const double bits = BitWidth(key->shape().element_type());
    joined = b.Binary(HloOpcode::kOr, b.Binary(HloOpcode::kShiftLeft, joined, b.Number(type, bits)),
                      wide);
  }
  return joined;
}

HloComputation* MakeComparator(HloModule& module, absl::Span<HloInstruction* const> operands,
                               bool is_partial) {
  HloComputation::Builder builder("by_key");
  std::vector<HloInstruction*> parameters;
  for (const HloInstruction* operand : operands) {
    for (const char* name : {"x", "y"}) {
      const Shape scalar = ShapeUtil::MakeShape(operand->shape().element_type(), {});
      parameters.push_back(builder.AddInstruction(
          HloInstruction::CreateParameter(static_cast<int64_t>(parameters.size()), scalar, name)));
    }
  }
  const Shape truth = ShapeUtil::MakeShape(PRED, {});
  HloInstruction* less = builder.AddInstruction(HloInstruction::CreateCompare(
      truth, parameters[0], parameters[1], Comparison::Direction::kLt));
  if (is_partial) {
    const PrimitiveType type = operands[0]->shape().element_type();
    HloInstruction* nan = builder.AddInstruction(HloInstruction::CreateConstant(
        LiteralUtil::CreateR0<uint64_t>(type, ~uint64_t{0} >> (64 - BitWidth(type)))));
    HloInstruction* is_number = builder.AddInstruction(
        HloInstruction::CreateCompare(truth, parameters[1], nan, Comparison::Direction::kNe));
    builder.AddInstruction(HloInstruction::CreateBinary(truth, HloOpcode::kAnd, less, is_number));
  }
  return module.AddEmbeddedComputation(builder.Build());
}

// ---- The first or the last elements alone

// Lines are sorted where more of their elements than one of so many are read.
constexpr int64_t kLengthForEachEnd = 16;

// What slices of the results of a sort read of each line: its first or its last `count` elements.
struct End {
  int64_t count;
  bool is_last;
};
// Nothing where that is much of a line, or where there are other users.
std::optional<End> FindEnd(const HloInstruction& sort) {
  const int64_t dimension = sort.attributes_as<SortAttributes>().dimension;
  const int64_t length = sort.operand(0)->shape().dimensions(static_cast<int>(dimension));
  if (sort.HasControlDependencies() || &sort == sort.parent()->root_instruction() ||
      ShapeUtil::IsZeroElementArray(sort.operand(0)->shape()))
    return std::nullopt;
  std::vector<const HloInstruction*> results = {&sort};
  if (sort.shape().IsTuple()) results.assign(sort.users().begin(), sort.users().end());
  int64_t begin = length, end = 0;
  for (const HloInstruction* result : results) {
    if (sort.shape().IsTuple() && result->opcode() != HloOpcode::kGetTupleElement)
      return std::nullopt;
    for (const HloInstruction* user : result->users()) {
      if (user->opcode() != HloOpcode::kSlice) return std::nullopt;
      begin = std::min(begin, user->slice_starts(dimension));
      end = std::max(end, user->slice_limits(dimension));
    }
  }
  const End read = {std::min(end, length - begin), length - begin < end};
  if (begin >= end || read.count * kLengthForEachEnd > length) return std::nullopt;
  return read;
}

// The elements of `operand` whose indices along a dimension are `where`.
HloInstruction* Take(passes::GraphBuilder& b, HloInstruction* operand, HloInstruction* where,
                     int64_t dimension) {
  GatherAttributes gather;
  gather.collapsed_slice_dims = {dimension};
  gather.start_index_map = {dimension};
  for (int64_t d = 0; d < where->shape().dimensions_size(); ++d) {
    if (d != dimension) gather.operand_batching_dims.push_back(d);
  }
  gather.start_indices_batching_dims = gather.operand_batching_dims;
  gather.index_vector_dim = where->shape().dimensions_size();
  gather.slice_sizes.assign(where->shape().dimensions_size(), 1);
  const Shape shape =
      ShapeUtil::MakeShape(operand->shape().element_type(), where->shape().dimensions());
  std::unique_ptr<HloInstruction> taken =
      HloInstruction::CreateVariadic(shape, HloOpcode::kGather, {operand, where});
  taken->mutable_attributes_as<GatherAttributes>() = gather;
  return b.Add(std::move(taken));
}

// Whether each element is its index along a dimension.
bool IsIndex(const HloInstruction& x, int64_t dimension) {
  if (x.opcode() == HloOpcode::kIota)
    return x.attributes_as<IotaAttributes>().iota_dimension == dimension;
  return x.opcode() == HloOpcode::kBroadcast && x.operand(0)->opcode() == HloOpcode::kIota &&
         x.operand(0)->shape().dimensions_size() == 1 && x.dimensions(0) == dimension;
}

// Where the smallest or largest keys of each line lie, in the order in which a stable sort has
// them.
HloInstruction* FindKeys(passes::GraphBuilder& b, HloInstruction* keys, const End& read) {
  const int64_t last = keys->shape().dimensions_size() - 1;
  const auto reverse = [&](HloInstruction* x) {
    return b.Add(HloInstruction::CreateReverse(x->shape(), x, {last}));
  };
  if (read.is_last) keys = reverse(b.Unary(HloOpcode::kNot, keys));
  Shape values = keys->shape();
  values.set_dimensions(static_cast<int>(last), read.count);
  const Shape indices = ShapeUtil::MakeShape(S32, values.dimensions());
  std::unique_ptr<HloInstruction> top = HloInstruction::CreateVariadic(
      ShapeUtil::MakeTupleShape({values, indices}), HloOpcode::kTopK, {keys});
  top->mutable_attributes_as<TopKAttributes>().k = read.count;
  top->mutable_attributes_as<TopKAttributes>().largest = false;
  HloInstruction* const where = b.Part(b.Add(std::move(top)), 1);
  if (!read.is_last) return where;
  const auto length = static_cast<double>(keys->shape().dimensions().back());
  return b.Binary(HloOpcode::kSubtract, b.Number(S32, length - 1), reverse(where));
}

// Slices of the results of a sort read from what lies where the keys at one end do.
absl::Status TakeEnd(passes::GraphBuilder& b, HloInstruction& sort, HloInstruction* keys,
                     const End& read) {
  const int64_t dimension = sort.attributes_as<SortAttributes>().dimension;
  std::vector<int64_t> order(keys->shape().dimensions_size());
  absl::c_iota(order, 0);
  std::swap(order[dimension], order.back());
  HloInstruction* const where = b.Transpose(FindKeys(b, b.Transpose(keys, order), read), order);
  const int64_t length = keys->shape().dimensions(static_cast<int>(dimension));
  const int64_t skipped = read.is_last ? length - read.count : 0;
  std::vector<HloInstruction*> results = {&sort};
  if (sort.shape().IsTuple()) results = sort.users();
  for (HloInstruction* result : results) {
    HloInstruction* const operand =
        sort.mutable_operand(sort.shape().IsTuple() ? result->tuple_index() : 0);
    HloInstruction* const end = IsIndex(*operand, dimension)
                                    ? b.Convert(where, operand->shape().element_type())
                                    : Take(b, operand, where, dimension);
    for (HloInstruction* slice : std::vector<HloInstruction*>(result->users())) {
      std::vector<int64_t> starts = slice->slice_starts(), limits = slice->slice_limits();
      starts[dimension] -= skipped;
      limits[dimension] -= skipped;
      HILO_RETURN_IF_ERROR(slice->ReplaceAllUsesWith(b.Add(HloInstruction::CreateSlice(
          slice->shape(), end, starts, limits, slice->slice_strides()))));
    }
  }
  return absl::OkStatus();
}

// Whether keys say what lies where: all elements can be compared, and equal ones keep their order
// or are the same.
bool KeysDecide(const HloInstruction& sort, absl::Span<const Key> keys) {
  if (absl::c_any_of(keys, [](const Key& key) { return key.is_partial(); })) return false;
  return sort.attributes_as<SortAttributes>().is_stable ||
         (sort.operand_count() == 1 && keys[0].expression->opcode() == HloOpcode::kParameter);
}

absl::StatusOr<HloInstruction*> ReplaceSort(HloInstruction& sort) {
  const HloComputation& comparator = *sort.to_apply();
  if (!program::IsScalarFunction(comparator) || comparator.instruction_count() > kMaxComparator)
    return nullptr;
  const std::vector<Key> keys = Comparator().Keys(*comparator.root_instruction());
  const bool is_partial = absl::c_any_of(keys, [](const Key& key) { return key.is_partial(); });
  if (keys.empty() || (is_partial && keys.size() > 1)) return nullptr;
  const std::optional<End> read = KeysDecide(sort, keys) ? FindEnd(sort) : std::nullopt;
  if (!read.has_value() && KeyOrderOf(sort) != KeyOrder::kNone) return nullptr;
  passes::GraphBuilder b(sort);
  KeyMaker maker(sort, b);
  std::vector<HloInstruction*> parts;
  for (const Key& key : keys) parts.push_back(maker.Make(key));
  HloInstruction* joined = Join(b, parts);
  if (joined == nullptr) return nullptr;
  if (read.has_value()) {
    HILO_RETURN_IF_ERROR(TakeEnd(b, sort, joined, *read));
    return nullptr;
  }

  std::vector<HloInstruction*> operands = {joined};
  std::vector<Shape> shapes = {joined->shape()};
  for (HloInstruction* operand : sort.operands()) {
    operands.push_back(operand);
    shapes.push_back(operand->shape());
  }
  const auto& attributes = sort.attributes_as<SortAttributes>();
  HloInstruction* by_key = b.Add(HloInstruction::CreateSort(
      ShapeUtil::MakeTupleShape(shapes), attributes.dimension, operands,
      MakeComparator(*sort.GetModule(), operands, is_partial), attributes.is_stable));
  std::vector<HloInstruction*> results;
  for (int64_t k = 0; k < sort.operand_count(); ++k) results.push_back(b.Part(by_key, k + 1));
  return sort.shape().IsTuple() ? b.Tuple(results) : results[0];
}

// The smallest keys, and then the elements that lie there.
absl::StatusOr<HloInstruction*> ReplaceTopK(HloInstruction& top) {
  HloInstruction* operand = top.mutable_operand(0);
  const Shape& shape = operand->shape();
  const auto& attributes = top.attributes_as<TopKAttributes>();
  const bool is_key = !attributes.largest && shape.element_type() != PRED &&
                      primitive_util::IsUnsignedIntegralType(shape.element_type()) &&
                      BitWidth(shape.element_type()) >= 8;
  passes::GraphBuilder b(top);
  if (ShapeUtil::IsZeroElementArray(top.shape().tuple_shapes(0))) {
    return b.Tuple({b.Constant(Literal::CreateFromShape(top.shape().tuple_shapes(0))),
                    b.Constant(Literal::CreateFromShape(top.shape().tuple_shapes(1)))});
  }
  if (is_key || primitive_util::IsComplexType(shape.element_type())) return nullptr;
  HloInstruction* keys = KeyMaker(top, b).OrderedBits(operand, /*is_total=*/true);
  if (attributes.largest) keys = b.Unary(HloOpcode::kNot, keys);
  const Shape& values = top.shape().tuple_shapes(0);
  const Shape& indices = top.shape().tuple_shapes(1);
  std::unique_ptr<HloInstruction> clone = top.CloneWithNewOperands(
      ShapeUtil::MakeTupleShape(
          {ShapeUtil::MakeShape(keys->shape().element_type(), values.dimensions()), indices}),
      {keys});
  clone->mutable_attributes_as<TopKAttributes>().largest = false;
  HloInstruction* where = b.Part(b.Add(std::move(clone)), 1);
  return b.Tuple({Take(b, operand, where, shape.dimensions_size() - 1), where});
}

absl::StatusOr<HloInstruction*> Replace(HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kSort) return ReplaceSort(instruction);
  if (instruction.opcode() == HloOpcode::kTopK) return ReplaceTopK(instruction);
  return nullptr;
}

}  // namespace

absl::StatusOr<bool> SortByKeys(HloModule& module) { return passes::ReplaceEach(module, Replace); }

KeyOrder KeyOrderOf(const HloInstruction& sort) {
  const PrimitiveType type = sort.operand(0)->shape().element_type();
  if (!primitive_util::IsUnsignedIntegralType(type) || BitWidth(type) < 8) return KeyOrder::kNone;
  const auto compares = [](const HloInstruction& compare, Comparison::Direction direction) {
    return compare.opcode() == HloOpcode::kCompare && compare.comparison_direction() == direction;
  };
  const auto is_parameter = [](const HloInstruction& each, int64_t number) {
    return each.opcode() == HloOpcode::kParameter && each.parameter_number() == number;
  };
  const HloInstruction* root = sort.to_apply()->root_instruction();
  KeyOrder order = KeyOrder::kTotal;
  if (root->opcode() == HloOpcode::kAnd) {
    const HloInstruction& is_number = *root->operand(1);
    if (!compares(is_number, Comparison::Direction::kNe) ||
        !is_parameter(*is_number.operand(0), 1) ||
        is_number.operand(1)->opcode() != HloOpcode::kConstant ||
        is_number.operand(1)->literal() !=
            LiteralUtil::CreateR0<uint64_t>(type, ~uint64_t{0} >> (64 - BitWidth(type)))) {
      return KeyOrder::kNone;
    }
    order = KeyOrder::kPartial;
    root = root->operand(0);
  }
  return compares(*root, Comparison::Direction::kLt) && is_parameter(*root->operand(0), 0) &&
                 is_parameter(*root->operand(1), 1)
             ? order
             : KeyOrder::kNone;
}

}  // namespace xla::cpu
