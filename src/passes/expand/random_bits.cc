#include <algorithm>
#include <cmath>
#include <vector>

#include "data/sizes.h"
#include "ir/records.h"
#include "passes/expand/random.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

struct BitsAndState {
  HloInstruction* words;  // of u32 or u64, as many as wanted
  HloInstruction* state;
};

class BitGenerator {
 public:
  // The state is a vector of u64.
  BitGenerator(GraphBuilder& builder, HloInstruction* state)
      : b_(builder), state_(state), key_(b_.Element(state, 0)), counter_(b_.Element(state, 1)) {}

  BitsAndState ThreeFryWords(const Sizes& sizes, bool is_64_bit) {
    const int64_t count = Product(sizes);
    if (is_64_bit) {
      const auto [low, high] = ThreeFryAt(b_.Iota(U64, {count}, 0));
      return {b_.Reshape(JoinWord(b_, low, high), sizes), NextState(count)};
    }
    // An array is made of two halves, along the first dimension of even size or else the longest
    // one, whose elements take turns. The last element of an odd size has no partner.
    int64_t outer = 1, size = 1, inner = 1;
    if (!sizes.empty()) {
      auto split = std::find_if(sizes.begin(), sizes.end(), [](int64_t n) { return n % 2 == 0; });
      if (split == sizes.end()) split = std::max_element(sizes.begin(), sizes.end());
      size = *split;
      outer = Product(Sizes(sizes.begin(), split));
      inner = Product(Sizes(split + 1, sizes.end()));
    }
    const int64_t half = (size + 1) / 2;
    // The pair of an element is (o * half + s / 2) * inner + i for its place (o, s, i) in [outer,
    // size, inner].
    HloInstruction* pair = nullptr;
    HloInstruction* is_second = nullptr;
    Sizes places;
    for (int64_t n : {outer, size, inner}) {
      if (n != 1) places.push_back(n);
    }
    int64_t dimension = 0;
    const auto place = [&](int64_t n) {
      return n == 1 ? b_.Bits(U64, 0) : b_.Iota(U64, places, dimension++);
    };
    const auto times = [&](HloInstruction* x, int64_t factor) {
      return factor == 1
                 ? x
                 : b_.Binary(HloOpcode::kMultiply, x, b_.Bits(U64, static_cast<uint64_t>(factor)));
    };
    pair = times(place(outer), half);
    HloInstruction* along = place(size);
    is_second = b_.Compare(Comparison::Direction::kNe,
                           b_.Binary(HloOpcode::kAnd, along, b_.Bits(U64, 1)), b_.Bits(U64, 0));
    pair = b_.Binary(HloOpcode::kAdd, pair,
                     b_.Binary(HloOpcode::kShiftRightLogical, along, b_.Bits(U64, 1)));
    pair = b_.Binary(HloOpcode::kAdd, times(pair, inner), place(inner));
    const auto [first, second] = ThreeFryAt(pair);
    return {b_.Reshape(b_.Select(is_second, second, first), sizes),
            NextState(outer * half * inner)};
  }

  // The state is a key and a counter of 64 bits, whose upper half is then the key again, or of 128
  // bits.
  BitsAndState PhiloxWords(const Sizes& sizes, bool is_64_bit) {
    const int64_t count = Product(sizes), state_size = state_->shape().dimensions(0);
    const int per_block = is_64_bit ? 2 : 4;
    const WideCounter start = {counter_, state_size == 2 ? key_ : b_.Element(state_, 2)};
    HloInstruction* number = b_.Iota(U64, {count}, 0);
    HloInstruction* block =
        b_.Binary(HloOpcode::kShiftRightLogical, number, b_.Bits(U64, is_64_bit ? 1 : 2));
    const auto words = PhiloxBlock(b_, key_, Advance(b_, start, block));
    HloInstruction* which = b_.Convert(
        b_.Binary(HloOpcode::kAnd, number, b_.Bits(U64, static_cast<uint64_t>(per_block - 1))),
        U32);
    HloInstruction* chosen;
    const auto is = [&](uint64_t n) {
      return b_.Compare(Comparison::Direction::kEq, which, b_.Bits(U32, n));
    };
    if (is_64_bit) {
      chosen =
          JoinWord(b_, b_.Select(is(0), words[0], words[2]), b_.Select(is(0), words[1], words[3]));
    } else {
      chosen = b_.Select(is(0), words[0],
                         b_.Select(is(1), words[1], b_.Select(is(2), words[2], words[3])));
    }
    const int64_t blocks = CeilOfRatio<int64_t>(count, per_block);
    const WideCounter end = Advance(b_, start, b_.Bits(U64, static_cast<uint64_t>(blocks)));
    return {b_.Reshape(chosen, sizes),
            NewState(state_size == 2 ? std::vector<HloInstruction*>{key_, end.low}
                                     : std::vector<HloInstruction*>{key_, end.low, end.high})};
  }

 private:
  std::array<HloInstruction*, 2> ThreeFryAt(HloInstruction* number) {
    return ThreeFry(b_, SplitWord(b_, key_),
                    SplitWord(b_, b_.Binary(HloOpcode::kAdd, counter_, number)));
  }

  HloInstruction* NextState(int64_t by) {
    return NewState(
        {key_, b_.Binary(HloOpcode::kAdd, counter_, b_.Bits(U64, static_cast<uint64_t>(by)))});
  }

  // What the new words do not cover stays as it is.
  HloInstruction* NewState(std::vector<HloInstruction*> words) {
    for (HloInstruction*& word : words) word = b_.Reshape(word, {1});
    for (int64_t i = static_cast<int64_t>(words.size()); i < state_->shape().dimensions(0); ++i)
      words.push_back(b_.Reshape(b_.Element(state_, i), {1}));
    return b_.Add(HloInstruction::CreateConcatenate(state_->shape(), words, 0));
  }

  GraphBuilder& b_;
  HloInstruction* state_;
  HloInstruction* key_;
  HloInstruction* counter_;
};

// The six low bits of a word as a floating-point number of six bits: the bits of an F16 with the
// same sign, mantissa and exponent, but for the exponent's bias. As F32, none is subnormal.
HloInstruction* FromSixBits(GraphBuilder& b, HloInstruction* word, PrimitiveType type) {
  const auto bits = [&](uint64_t mask, int left) {
    HloInstruction* masked = b.Binary(HloOpcode::kAnd, word, b.Bits(U16, mask));
    return b.Binary(HloOpcode::kShiftLeft, masked, b.Bits(U16, static_cast<uint64_t>(left)));
  };
  const int mantissa = type == F6E3M2FN ? 2 : 3;
  const int bias = type == F6E3M2FN ? 3 : 1;
  word = b.Convert(word, U16);
  HloInstruction* half =
      b.BitcastConvert(b.Binary(HloOpcode::kOr, bits(32, 10), bits(31, 10 - mantissa)), F16);
  return b.Convert(b.Binary(HloOpcode::kMultiply, b.Convert(half, F32),
                            b.Number(F32, std::ldexp(1.0, 15 - bias))),
                   type);
}

// The low bits of a word, or all of them, as an element of the type.
HloInstruction* FromWord(GraphBuilder& b, HloInstruction* word, PrimitiveType type) {
  if (type == C64) {
    const auto [low, high] = SplitWord(b, word);
    Shape shape = word->shape();
    shape.set_element_type(C64);
    return b.Add(HloInstruction::CreateBinary(
        shape, HloOpcode::kComplex, b.BitcastConvert(low, F32), b.BitcastConvert(high, F32)));
  }
  if (!primitive_util::IsFloatingPointType(type)) return b.Convert(word, type);
  const int bits = primitive_util::BitWidth(type);
  if (bits == 6) return FromSixBits(b, word, type);
  const PrimitiveType integer = primitive_util::UnsignedIntegralTypeForBitWidth(bits);
  return b.BitcastConvert(b.Convert(word, integer), type);
}

// Pairs of words along the last dimension.
HloInstruction* FromWordPairs(GraphBuilder& b, HloInstruction* words, const Sizes& sizes) {
  HloInstruction* parts[2];
  for (int64_t k = 0; k < 2; ++k) {
    Sizes starts(sizes.size() + 1, 0), limits = sizes, strides(sizes.size() + 1, 1);
    starts.back() = k;
    limits.push_back(k + 1);
    Sizes one = sizes;
    one.push_back(1);
    HloInstruction* part = b.Add(HloInstruction::CreateSlice(ShapeUtil::MakeShape(U64, one), words,
                                                             starts, limits, strides));
    parts[k] = b.BitcastConvert(b.Reshape(part, sizes), F64);
  }
  return b.Add(HloInstruction::CreateBinary(ShapeUtil::MakeShape(C128, sizes), HloOpcode::kComplex,
                                            parts[0], parts[1]));
}

absl::StatusOr<HloInstruction*> ExpandRandomBitsInstruction(HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kRngBitGenerator) return nullptr;
  HloInstruction* state = instruction.mutable_operand(0);
  const bool gives_state = instruction.shape().IsTuple();
  const Shape& shape = gives_state ? instruction.shape().tuple_shapes(1) : instruction.shape();
  // Other states are for the default algorithm only, and nobody makes them.
  if (state->shape().element_type() != U64 || ShapeUtil::ElementsIn(state->shape()) < 2 ||
      shape.is_dynamic()) {
    return nullptr;
  }
  GraphBuilder b(instruction);
  BitGenerator generator(b, b.Reshape(state, {ShapeUtil::ElementsIn(state->shape())}));
  const PrimitiveType type = shape.element_type();
  const int bits = primitive_util::BitWidth(type);
  const Sizes sizes(shape.dimensions().begin(), shape.dimensions().end());
  Sizes words = sizes;
  if (bits > 64) words.push_back(bits / 64);
  const bool is_three_fry =
      instruction.attributes_as<RngBitGeneratorAttributes>().algorithm == RNG_THREE_FRY;
  const BitsAndState made = is_three_fry ? generator.ThreeFryWords(words, bits >= 64)
                                         : generator.PhiloxWords(words, bits >= 64);
  HloInstruction* data =
      bits > 64 ? FromWordPairs(b, made.words, sizes) : FromWord(b, made.words, type);
  if (!gives_state) return data;
  return b.Tuple({b.Reshape(made.state, state->shape().dimensions()), data});
}

}  // namespace

absl::StatusOr<bool> ExpandRandomBits(HloModule& module) {
  return ReplaceEach(module, ExpandRandomBitsInstruction);
}

}  // namespace xla::passes
