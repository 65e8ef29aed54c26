// Random numbers. The bit generators are those of "Parallel random numbers: as easy as 1, 2, 3"
// (Salmon et al., SC 2011), with counters and results arranged as XLA does.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/status_macros.h"
#include "data/literal_convert.h"
#include "eval/element.h"
#include "eval/frame.h"
#include "eval/known_calls.h"
#include "ir/records.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
uint32_t RotateLeft(uint32_t x, int by) { return (x << by) | (x >> (32 - by)); }

// Threefry-2x32 with 20 rounds.
std::array<uint32_t, 2> ThreeFry(uint64_t key, uint64_t counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {Low(key), High(key), Low(key) ^ High(key) ^ 0x1BD11BDAu};
  uint32_t x = Low(counter) + keys[0], y = High(counter) + keys[1];
  for (uint32_t round = 0; round < 5; ++round) {
    for (int rotation : kRotations[round % 2]) {
      x += y;
      y = RotateLeft(y, rotation) ^ x;
    }
    x += keys[(round + 1) % 3];
    y += keys[(round + 2) % 3] + round + 1;
  }
  return {x, y};
}

// Philox-4x32 with 10 rounds.
std::array<uint32_t, 4> Philox(uint64_t key, uint64_t counter_low, uint64_t counter_high) {
  std::array<uint32_t, 4> x = {Low(counter_low), High(counter_low), Low(counter_high),
                               High(counter_high)};
  uint32_t key0 = Low(key), key1 = High(key);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53} * x[0], product1 = uint64_t{0xCD9E8D57} * x[2];
    x = {High(product1) ^ x[1] ^ key0, Low(product1), High(product0) ^ x[3] ^ key1, Low(product0)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return x;
}

// How threefry lays out words of 32 bits: an array is made of two halves, along the first dimension
// of even size or else the longest one, whose elements take turns. The last element of an odd size
// has no partner.
struct Halves {
  int64_t outer = 1, size = 1, inner = 1;

  explicit Halves(absl::Span<const int64_t> dimensions) {
    if (dimensions.empty()) return;
    size_t split = 0;
    for (size_t d = 1; d < dimensions.size(); ++d) {
      if (dimensions[d] > dimensions[split]) split = d;
    }
    for (size_t d = dimensions.size(); d-- > 0;) {
      if (dimensions[d] % 2 == 0) split = d;
    }
    size = dimensions[split];
    for (size_t d = 0; d < split; ++d) outer *= dimensions[d];
    for (size_t d = split + 1; d < dimensions.size(); ++d) inner *= dimensions[d];
  }

  int64_t half() const { return (size + 1) / 2; }
};

// Words for the elements, in row-major order, and the state after them.
std::vector<uint64_t> ThreeFryBits(absl::Span<uint64_t> state, const Shape& shape, bool is_64_bit) {
  std::vector<uint64_t> bits(ShapeUtil::ElementsIn(shape));
  if (is_64_bit) {
    for (uint64_t& word : bits) {
      const auto [low, high] = ThreeFry(state[0], state[1]++);
      word = low | uint64_t{high} << 32;
    }
    return bits;
  }
  const Halves halves(shape.dimensions());
  size_t next = 0;
  for (int64_t o = 0; o < halves.outer; ++o) {
    for (int64_t s = 0; s < halves.size; ++s) {
      for (int64_t i = 0; i < halves.inner; ++i) {
        const int64_t pair = (o * halves.half() + s / 2) * halves.inner + i;
        bits[next++] = ThreeFry(state[0], state[1] + static_cast<uint64_t>(pair))[s % 2];
      }
    }
  }
  state[1] += static_cast<uint64_t>(halves.outer * halves.half() * halves.inner);
  return bits;
}

// The state is a key and a counter of 64 bits, whose upper half is then the key again, or of 128
// bits.
std::vector<uint64_t> PhiloxBits(absl::Span<uint64_t> state, const Shape& shape, bool is_64_bit) {
  std::vector<uint64_t> bits(ShapeUtil::ElementsIn(shape));
  const size_t per_block = is_64_bit ? 2 : 4;
  uint64_t high = state.size() == 2 ? state[0] : state[2];
  std::array<uint32_t, 4> block = {};
  for (size_t i = 0; i < bits.size(); ++i) {
    if (i % per_block == 0) {
      block = Philox(state[0], state[1], high);
      high += ++state[1] == 0 ? 1 : 0;
    }
    const size_t k = i % per_block;
    bits[i] = is_64_bit ? block[2 * k] | uint64_t{block[2 * k + 1]} << 32 : block[k];
  }
  if (state.size() > 2) state[2] = high;
  return bits;
}

// The low bits of each word become an element, or a part of one.
void StoreBits(const std::vector<uint64_t>& words, const Format& format, Literal& array) {
  if (format.kind == Kind::kSigned || format.kind == Kind::kUnsigned)
    return format.store(words.data(), static_cast<int64_t>(words.size()), MutableData(array));
  const uint64_t mask = format.bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << format.bits) - 1;
  const int64_t bytes = std::min<int64_t>(format.bytes, sizeof(uint64_t));
  for (size_t i = 0; i < words.size(); ++i) {
    const uint64_t element = words[i] & mask;
    std::memcpy(MutableData(array) + static_cast<int64_t>(i) * bytes, &element, bytes);
  }
}

}  // namespace

absl::StatusOr<Value> RngBitGenerator(Frame& frame, const HloInstruction& instruction) {
  const int algorithm = instruction.attributes_as<RngBitGeneratorAttributes>().algorithm;
  const Literal& state_operand = frame.array(0);
  std::vector<uint64_t> state(state_operand.size_bytes() / sizeof(uint64_t));
  if (state.size() < 2) {
    return InvalidArgument("rng-bit-generator %s needs a state of at least 128 bits, not %s",
                           instruction.name(), ShapeUtil::HumanString(state_operand.shape()));
  }
  std::memcpy(state.data(), Data(state_operand), state.size() * sizeof(uint64_t));
  const bool gives_state = instruction.shape().IsTuple();
  HILO_ASSIGN_OR_RETURN(Literal data, MakeArray(gives_state ? instruction.shape().tuple_shapes(1)
                                                            : instruction.shape()));
  const Format& format = FormatOf(data.shape().element_type());
  // Elements of more than 64 bits take two words.
  Shape words = data.shape();
  words.clear_layout();
  if (format.bits > 64) words.add_dimensions(format.bits / 64);
  const bool is_64_bit = format.bits >= 64;
  StoreBits(algorithm == RNG_THREE_FRY ? ThreeFryBits(absl::MakeSpan(state), words, is_64_bit)
                                       : PhiloxBits(absl::MakeSpan(state), words, is_64_bit),
            format, data);
  if (!gives_state) return Value(std::move(data));
  Literal new_state = state_operand.Clone();
  std::memcpy(MutableData(new_state), state.data(), state.size() * sizeof(uint64_t));
  return Value(std::vector<Value>{Value(std::move(new_state)), Value(std::move(data))});
}

absl::StatusOr<Value> RngGetAndUpdateState(Frame& frame, const HloInstruction& instruction) {
  const int64_t delta = instruction.attributes_as<RngGetAndUpdateStateAttributes>().delta;
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  const absl::Span<uint64_t> words = result.data<uint64_t>();
  const unsigned __int128 state =
      frame.evaluator().random_counter().Take(static_cast<uint64_t>(delta));
  // The low word comes first.
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<uint64_t>(state >> (i == 0 ? 0 : 64));
  return Value(std::move(result));
}

namespace {

absl::StatusOr<Value> GetRngSeed(Frame& frame, const HloInstruction&) {
  return Value(LiteralUtil::CreateR0<uint64_t>(frame.evaluator().options().random_seed));
}

}  // namespace

Operation FindGetRngSeed(const HloInstruction& instruction) {
  const bool is_one = instruction.IsCustomCall("GetRngSeed") && instruction.operand_count() == 0 &&
                      ShapeUtil::Equal(instruction.shape(), ShapeUtil::MakeShape(U64, {}));
  return is_one ? &GetRngSeed : nullptr;
}

namespace {

// Numbers in [0, 1) of 53 bits, from the evaluator's own state.
class UniformNumbers {
 public:
  explicit UniformNumbers(Evaluator& evaluator) : counter_(evaluator.random_counter()) {}

  double Next() {
    const unsigned __int128 number = counter_.Take(1);
    const uint64_t low = static_cast<uint64_t>(number);
    const uint64_t high = static_cast<uint64_t>(number >> 64);
    const auto block = Philox(0, low, high);
    return std::ldexp(static_cast<double>((block[0] | uint64_t{block[1]} << 32) >> 11), -53);
  }

 private:
  runtime::RandomCounter& counter_;
};

// From [low, high), also after rounding to the type. Between numbers that are too far from each
// other, there is nothing to draw again.
double Uniform(UniformNumbers& numbers, double low, double high, bool is_integer,
               const Format& format) {
  double value = low + numbers.Next() * (high - low);
  if (is_integer) value = std::floor(value);
  if (format.kind == Kind::kReal) format.round(&value, 1);
  // What is rounded up to the end of the range is taken from its beginning, as compiled code does.
  return value >= high && low < high && std::isfinite(high - low) ? low : value;
}

// Box and Muller's method.
double Normal(UniformNumbers& numbers) {
  const double radius = std::sqrt(-2 * std::log(1 - numbers.Next()));
  return radius * std::cos(2 * 3.14159265358979323846 * numbers.Next());
}

}  // namespace

absl::StatusOr<Value> Rng(Frame& frame, const HloInstruction& instruction) {
  const int distribution = instruction.attributes_as<RngAttributes>().distribution;
  const PrimitiveType type = instruction.shape().element_type();
  if (primitive_util::IsComplexType(type)) return Unimplemented("rng of complex numbers");
  const Format& format = FormatOf(type);
  double parameters[2];
  for (int k = 0; k < 2; ++k) ConvertElements(type, Data(frame.array(k)), F64, &parameters[k], 1);
  HILO_ASSIGN_OR_RETURN(Literal numbers, MakeArray(F64, instruction.shape().dimensions()));
  UniformNumbers uniform(frame.evaluator());
  for (double& number : numbers.data<double>()) {
    number = distribution == RNG_NORMAL ? parameters[0] + parameters[1] * Normal(uniform)
                                        : Uniform(uniform, parameters[0], parameters[1],
                                                  format.kind != Kind::kReal, format);
  }
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  ConvertElements(F64, Data(numbers), type, MutableData(result), result.element_count());
  return Value(std::move(result));
}

}  // namespace xla::eval
