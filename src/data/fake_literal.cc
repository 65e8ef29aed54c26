// Literals of random numbers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla {
namespace {

struct FakeNumbers {
  std::minstd_rand0* engine = nullptr;
  std::optional<std::pair<int64_t, int64_t>> limit;
  bool is_sorted = false;
  bool no_duplicates = false;
  bool use_large_range = false;
  std::optional<int64_t> max_bits_of_precision;
  std::optional<int64_t> index_alignment;
  std::optional<uint64_t> index_known_zeroes;
  std::function<double(std::minstd_rand0*)> float_generator;
  std::optional<ConstraintInterval> interval;

  double Uniform(double low, double high) const {
    return std::uniform_real_distribution<double>(low, high)(*engine);
  }
};

// The ends between which numbers lie: those of the interval or, where it is open, near 0 or near
// its other end.
std::pair<double, double> FakeRange(const FakeNumbers& fake, bool is_signed) {
  constexpr double kLow = -0.1, kHigh = 0.2, kWidth = 0.3;
  const ConstraintInterval interval = fake.interval.value_or(ConstraintInterval());
  const bool has_min = interval.min != ConstraintInterval::kMin;
  const bool has_max = interval.max != ConstraintInterval::kMax;
  double low = has_min ? interval.min : is_signed ? kLow : 0.01;
  double high = has_max ? interval.max : kHigh;
  if (has_min && !has_max && low >= high) high = low + kWidth;
  if (has_max && !has_min && high <= low) low = high - kWidth;
  return {low, std::max(low, high)};
}

// Of a large range every exponent is as likely as any other.
template <typename NativeT>
NativeT FakeReal(const FakeNumbers& fake) {
  using Limits = std::numeric_limits<NativeT>;
  if (fake.float_generator != nullptr) {
    return static_cast<NativeT>(fake.float_generator(fake.engine));
  }
  if (fake.max_bits_of_precision.has_value()) {
    const double scale = std::exp2(std::clamp<int64_t>(*fake.max_bits_of_precision, 0, 50));
    return static_cast<NativeT>(std::round(fake.Uniform(Limits::is_signed ? -scale : 0, scale)) /
                                scale);
  }
  if (fake.use_large_range && !fake.interval.has_value()) {
    const double exponent = std::log2(static_cast<double>(Limits::max())) * 0.99;
    const double magnitude = std::exp2(fake.Uniform(-exponent, exponent));
    return static_cast<NativeT>(Limits::is_signed && fake.Uniform(0, 1) < 0.5 ? -magnitude
                                                                              : magnitude);
  }
  const auto [low, high] = FakeRange(fake, Limits::is_signed);
  const NativeT number = static_cast<NativeT>(fake.Uniform(low, high));
  const bool is_excluded =
      fake.interval.has_value() && fake.interval->exclude_zero && number == NativeT(0.0f);
  return is_excluded ? static_cast<NativeT>(high > 0 ? high : low) : number;
}

template <typename NativeT>
NativeT FakeInteger(const FakeNumbers& fake) {
  using Limits = std::numeric_limits<NativeT>;
  if (!fake.limit.has_value() && fake.use_large_range) {
    const uint64_t high_half = (*fake.engine)();
    return static_cast<NativeT>(high_half << 33 ^ static_cast<uint64_t>((*fake.engine)()));
  }
  constexpr int64_t kLowest = static_cast<int64_t>(Limits::lowest());
  constexpr int64_t kLargest = Limits::digits > 62 ? std::numeric_limits<int64_t>::max()
                                                   : static_cast<int64_t>(Limits::max());
  const auto [from, to] = fake.limit.value_or(std::make_pair(int64_t{-10}, int64_t{10}));
  const int64_t low = std::clamp(from, kLowest, kLargest);
  const int64_t high = std::max(low, std::clamp(to, kLowest, kLargest));
  int64_t number = std::uniform_int_distribution<int64_t>(low, high)(*fake.engine);
  // Only what stays within the limits is made round.
  const int64_t alignment = fake.index_alignment.value_or(1);
  if (alignment > 1 && number >= 0 && number / alignment * alignment >= low) {
    number = number / alignment * alignment;
  }
  const int64_t rounded =
      static_cast<int64_t>(static_cast<uint64_t>(number) & ~fake.index_known_zeroes.value_or(0));
  return static_cast<NativeT>(rounded >= low && rounded <= high ? rounded : number);
}

template <typename NativeT>
NativeT FakeNumber(const FakeNumbers& fake) {
  if constexpr (is_complex_v<NativeT>) {
    using Part = typename NativeT::value_type;
    const Part real = FakeReal<Part>(fake);
    return NativeT(real, FakeReal<Part>(fake));
  } else if constexpr (std::is_same_v<NativeT, bool>) {
    return fake.Uniform(0, 1) < 0.5;
  } else if constexpr (is_specialized_integral_v<NativeT>) {
    return FakeInteger<NativeT>(fake);
  } else {
    return FakeReal<NativeT>(fake);
  }
}

// Gives elements that are there already another number, in a few attempts each.
template <typename NativeT>
void RemoveDuplicates(const FakeNumbers& fake, absl::Span<NativeT> elements) {
  constexpr int kAttempts = 100;
  absl::flat_hash_set<int64_t> seen;
  for (NativeT& element : elements) {
    for (int i = 0; i < kAttempts && !seen.insert(static_cast<int64_t>(element)).second; ++i) {
      element = FakeInteger<NativeT>(fake);
    }
  }
}

void FillWithFakeNumbers(const FakeNumbers& fake, Literal& literal, ShapeIndex& index) {
  const Shape& shape = ShapeUtil::GetSubshape(literal.shape(), index);
  for (int64_t i = 0; shape.IsTuple() && i < shape.tuple_shapes_size(); ++i) {
    index.push_back(i);
    FillWithFakeNumbers(fake, literal, index);
    index.pop_back();
  }
  if (!shape.IsArray()) return;
  primitive_util::ArrayTypeSwitch(
      [&](auto constant) {
        using NativeT = primitive_util::NativeTypeOf<constant>;
        const absl::Span<NativeT> elements = literal.data<NativeT>(index);
        for (NativeT& element : elements) element = FakeNumber<NativeT>(fake);
        if constexpr (is_specialized_integral_v<NativeT> && !std::is_same_v<NativeT, bool>) {
          if (fake.no_duplicates) RemoveDuplicates(fake, elements);
        }
        if constexpr (!is_complex_v<NativeT>) {
          if (fake.is_sorted) std::sort(elements.begin(), elements.end());
        }
      },
      shape.element_type());
}

absl::StatusOr<Literal> MakeWithFakeNumbers(const Shape& shape, const FakeNumbers& fake) {
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  ShapeIndex index;
  FillWithFakeNumbers(fake, literal, index);
  return literal;
}

}  // namespace

absl::StatusOr<Literal> MakeFakeLiteral(const Shape& shape, bool pseudo_random,
                                        bool use_large_range) {
  if (!pseudo_random) return Literal::Make(shape);
  std::minstd_rand0 engine;
  FakeNumbers fake;
  fake.engine = &engine;
  fake.use_large_range = use_large_range;
  return MakeWithFakeNumbers(shape, fake);
}

absl::StatusOr<Literal> MakeFakeLiteral(const Shape& shape, std::minstd_rand0* engine,
                                        std::optional<std::pair<int64_t, int64_t>> limit,
                                        bool is_sorted, bool no_duplicates, bool use_large_range,
                                        std::optional<int64_t> max_bits_of_precision,
                                        std::optional<int64_t> index_alignment,
                                        std::optional<uint64_t> index_known_zeroes,
                                        std::function<double(std::minstd_rand0*)> float_generator,
                                        std::optional<ConstraintInterval> interval) {
  if (interval.has_value() && (interval->IsEmpty() || std::isnan(interval->min + interval->max))) {
    return InvalidArgument("No number lies in %s", interval->ToString());
  }
  if (engine == nullptr) return Literal::Make(shape);
  return MakeWithFakeNumbers(
      shape, {engine, limit, is_sorted, no_duplicates, use_large_range, max_bits_of_precision,
              index_alignment, index_known_zeroes, std::move(float_generator), interval});
}

}  // namespace xla
