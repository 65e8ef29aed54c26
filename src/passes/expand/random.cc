#include "passes/expand/random.h"

#include "absl/container/flat_hash_map.h"

namespace xla::passes {
namespace {

// Rotations of arrays of one shape by a few different amounts.
class Rotations {
 public:
  explicit Rotations(GraphBuilder& builder, const Shape& shape) : b_(builder), shape_(shape) {}

  HloInstruction* Left(HloInstruction* x, int by) {
    return b_.Binary(HloOpcode::kOr, b_.Binary(HloOpcode::kShiftLeft, x, Amount(by)),
                     b_.Binary(HloOpcode::kShiftRightLogical, x, Amount(32 - by)));
  }

 private:
  HloInstruction* Amount(int by) {
    HloInstruction*& amount = amounts_[by];
    if (amount == nullptr) {
      amount = b_.Bits(U32, static_cast<uint64_t>(by));
      if (shape_.dimensions_size() != 0) amount = b_.Broadcast(amount, shape_.dimensions());
    }
    return amount;
  }

  GraphBuilder& b_;
  const Shape shape_;
  absl::flat_hash_map<int, HloInstruction*> amounts_;
};

}  // namespace

std::array<HloInstruction*, 2> ThreeFry(GraphBuilder& b, std::array<HloInstruction*, 2> key,
                                        std::array<HloInstruction*, 2> counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  HloInstruction* parity =
      b.Binary(HloOpcode::kXor, b.Binary(HloOpcode::kXor, key[0], key[1]), b.Bits(U32, 0x1BD11BDA));
  HloInstruction* const keys[3] = {key[0], key[1], parity};
  HloInstruction* x = b.Binary(HloOpcode::kAdd, counter[0], keys[0]);
  HloInstruction* y = b.Binary(HloOpcode::kAdd, counter[1], keys[1]);
  Rotations rotations(b, x->shape());
  for (uint32_t round = 0; round < 5; ++round) {
    for (int rotation : kRotations[round % 2]) {
      x = b.Binary(HloOpcode::kAdd, x, y);
      y = b.Binary(HloOpcode::kXor, rotations.Left(y, rotation), x);
    }
    x = b.Binary(HloOpcode::kAdd, x, keys[(round + 1) % 3]);
    y = b.Binary(HloOpcode::kAdd, y,
                 b.Binary(HloOpcode::kAdd, keys[(round + 2) % 3], b.Bits(U32, round + 1)));
  }
  return {x, y};
}

std::array<HloInstruction*, 4> Philox(GraphBuilder& b, std::array<HloInstruction*, 2> key,
                                      std::array<HloInstruction*, 4> x) {
  HloInstruction* const factors[2] = {b.Bits(U32, 0xD2511F53), b.Bits(U32, 0xCD9E8D57)};
  HloInstruction* const steps[2] = {b.Bits(U32, 0x9E3779B9), b.Bits(U32, 0xBB67AE85)};
  for (int round = 0; round < 10; ++round) {
    const auto mixed = [&](HloInstruction* from, HloInstruction* factor, HloInstruction* with,
                           HloInstruction* own) {
      HloInstruction* high = b.Binary(HloOpcode::kMulhi, from, factor);
      return b.Binary(HloOpcode::kXor, b.Binary(HloOpcode::kXor, high, with), own);
    };
    x = {mixed(x[2], factors[1], x[1], key[0]), b.Binary(HloOpcode::kMultiply, x[2], factors[1]),
         mixed(x[0], factors[0], x[3], key[1]), b.Binary(HloOpcode::kMultiply, x[0], factors[0])};
    for (int i = 0; i < 2; ++i) key[i] = b.Binary(HloOpcode::kAdd, key[i], steps[i]);
  }
  return x;
}

std::array<HloInstruction*, 2> SplitWord(GraphBuilder& b, HloInstruction* x) {
  HloInstruction* high = b.Binary(HloOpcode::kShiftRightLogical, x, b.Bits(U64, 32));
  return {b.Convert(x, U32), b.Convert(high, U32)};
}

HloInstruction* JoinWord(GraphBuilder& b, HloInstruction* low, HloInstruction* high) {
  return b.Binary(HloOpcode::kOr, b.Convert(low, U64),
                  b.Binary(HloOpcode::kShiftLeft, b.Convert(high, U64), b.Bits(U64, 32)));
}

WideCounter Advance(GraphBuilder& b, const WideCounter& counter, HloInstruction* by) {
  HloInstruction* low = b.Binary(HloOpcode::kAdd, counter.low, by);
  HloInstruction* carry = b.Compare(Comparison::Direction::kLt, low, counter.low);
  return {low, b.Binary(HloOpcode::kAdd, counter.high, b.Convert(carry, U64))};
}

std::array<HloInstruction*, 4> PhiloxBlock(GraphBuilder& b, HloInstruction* key,
                                           const WideCounter& counter) {
  const auto [word0, word1] = SplitWord(b, counter.low);
  const auto [word2, word3] = SplitWord(b, counter.high);
  return Philox(b, SplitWord(b, key), {word0, word1, word2, word3});
}

}  // namespace xla::passes
