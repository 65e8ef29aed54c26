#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "api/testing/argument_constraints.h"
#include "base/status_macros.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/tests/test_utils.h"
#include "xla/types.h"

namespace xla {
namespace {

using testing_internal::Constraint;
using testing_internal::ConstraintOf;
using testing_internal::ConstraintOptions;

struct FakeOptions {
  bool pseudo_random = true;
  bool use_large_range = false;
  std::optional<int64_t> max_bits_of_precision;
  ConstraintOptions constraints;
};

// How many bits the type has, in the lowest places.
template <typename T>
int NumberBits() {
  return primitive_util::BitWidth(primitive_util::NativeToPrimitiveType<T>());
}

double Uniform(double low, double high, std::minstd_rand0& engine) {
  return std::uniform_real_distribution<double>(low, high)(engine);
}

// Of a large range every exponent is as likely as any other.
template <typename T>
T FakeSignedFloat(const FakeOptions& options, std::minstd_rand0& engine) {
  constexpr bool kIsSigned = std::numeric_limits<T>::is_signed;
  if (options.max_bits_of_precision.has_value()) {
    const double scale = std::exp2(std::clamp<int64_t>(*options.max_bits_of_precision, 0, 50));
    return static_cast<T>(std::round(Uniform(kIsSigned ? -scale : 0, scale, engine)) / scale);
  }
  if (!options.use_large_range)
    return static_cast<T>(Uniform(kIsSigned ? -0.1 : 0.01, 0.2, engine));
  const double exponent = std::log2(static_cast<double>(std::numeric_limits<T>::max())) * 0.99;
  const double magnitude = std::exp2(Uniform(-exponent, exponent, engine));
  return static_cast<T>(kIsSigned && Uniform(0, 1, engine) < 0.5 ? -magnitude : magnitude);
}

template <typename T>
T FakeFloat(const FakeOptions& options, const Constraint& constraint, std::minstd_rand0& engine) {
  const T number = FakeSignedFloat<T>(options, engine);
  if (!constraint.positive) return number;
  const T magnitude = static_cast<T>(std::fabs(static_cast<double>(number)));
  return magnitude == T(0) ? static_cast<T>(1) : magnitude;
}

// The integers that may be drawn: all of the type's unless there are limits.
template <typename T>
std::pair<int64_t, int64_t> IntegerRange(const FakeOptions& options, const Constraint& constraint) {
  int64_t low = static_cast<int64_t>(std::numeric_limits<T>::lowest());
  int64_t high = std::is_same_v<T, uint64_t> ? std::numeric_limits<int64_t>::max()
                                             : static_cast<int64_t>(std::numeric_limits<T>::max());
  if (constraint.limit.has_value()) {
    low = std::max(low, constraint.limit->first);
    high = std::min(high, constraint.limit->second);
  }
  if (options.max_bits_of_precision.has_value()) {
    const int64_t bound = int64_t{1} << std::clamp<int64_t>(*options.max_bits_of_precision, 0, 62);
    low = std::max(low, -bound);
    high = std::min(high, bound);
  }
  return {low, high};
}

template <typename T>
T FakeInteger(const FakeOptions& options, const Constraint& constraint, std::minstd_rand0& engine) {
  const auto [low, high] = IntegerRange<T>(options, constraint);
  const int64_t value = std::uniform_int_distribution<int64_t>(low, high)(engine);
  // Index bits that must be zero may be any; others keep the number within its limits.
  return static_cast<T>((value - value % constraint.alignment) &
                        ~static_cast<int64_t>(constraint.zero_bits));
}

template <typename T>
T FakeElement(const FakeOptions& options, const Constraint& constraint, std::minstd_rand0& engine) {
  if constexpr (is_complex_v<T>) {
    using Part = typename T::value_type;
    const Part real = FakeSignedFloat<Part>(options, engine);
    return T(real, FakeSignedFloat<Part>(options, engine));
  } else if constexpr (std::is_same_v<T, bool>) {
    return std::uniform_int_distribution<int>(0, 1)(engine) == 1;
  } else if constexpr (is_specialized_integral_v<T>) {
    return FakeInteger<T>(options, constraint, engine);
  } else {
    return FakeFloat<T>(options, constraint, engine);
  }
}

// All numbers of a small floating-point type, the least magnitudes first.
template <typename T>
std::vector<T> FiniteNumbers() {
  std::vector<T> numbers;
  for (uint32_t bits = 0; bits < 1u << (8 * sizeof(T)); ++bits) {
    T number;
    std::memcpy(static_cast<void*>(&number), &bits, sizeof(T));
    const double value = static_cast<double>(number);
    // One of the two zeros, and each number once where a type has bits that it does not use.
    const bool is_new = !(value == 0 && std::signbit(value)) && (bits >> NumberBits<T>()) == 0;
    if (std::isfinite(value) && is_new) numbers.push_back(number);
  }
  std::stable_sort(numbers.begin(), numbers.end(), [](T a, T b) {
    return std::fabs(static_cast<double>(a)) < std::fabs(static_cast<double>(b));
  });
  return numbers;
}

// Numbers around zero in random order: consecutive integers or, of small floating-point types, the
// next numbers. They differ if the type has that many.
template <typename T>
void FillDistinct(absl::Span<T> data, std::minstd_rand0& engine) {
  if constexpr (!is_specialized_integral_v<T> && sizeof(T) <= 2) {
    const std::vector<T> numbers = FiniteNumbers<T>();
    for (size_t i = 0; i < data.size(); ++i) data[i] = numbers[i % numbers.size()];
    std::shuffle(data.begin(), data.end(), engine);
    return;
  }
  int64_t next = std::numeric_limits<T>::is_signed ? -static_cast<int64_t>(data.size()) / 2 : 0;
  for (T& element : data) {
    if constexpr (is_specialized_integral_v<T>) {
      element = static_cast<T>(next++);
    } else {
      element = static_cast<T>(static_cast<double>(next++));
    }
  }
  std::shuffle(data.begin(), data.end(), engine);
}

template <typename T>
void Fill(const FakeOptions& options, const Constraint& constraint, std::minstd_rand0& engine,
          absl::Span<T> data) {
  if (constraint.constant.has_value()) {
    const Literal constant =
        constraint.constant->Convert(primitive_util::NativeToPrimitiveType<T>()).value();
    std::fill(data.begin(), data.end(), constant.Get<T>({}));
    return;
  }
  if constexpr (!is_complex_v<T> && !std::is_same_v<T, bool>) {
    if (constraint.distinct && !constraint.limit.has_value()) return FillDistinct(data, engine);
  }
  for (T& element : data) element = FakeElement<T>(options, constraint, engine);
}

absl::StatusOr<Literal> MakeFakeArgument(const HloInstruction& parameter, const Shape& shape,
                                         const FakeOptions& options, std::minstd_rand0& engine) {
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  if (!options.pseudo_random) return literal;
  ShapeUtil::ForEachLeafShape(shape, [&](const Shape& leaf, const ShapeIndex& index) {
    if (!leaf.IsArray()) return;
    const Constraint constraint = ConstraintOf(parameter, index, options.constraints);
    primitive_util::ArrayTypeSwitch(
        [&](auto type) {
          using T = primitive_util::NativeTypeOf<type>;
          Fill<T>(options, constraint, engine, literal.data<T>(index));
        },
        leaf.element_type());
  });
  return literal;
}

absl::StatusOr<std::vector<Literal>> MakeArguments(const HloModule& module,
                                                   const FakeOptions& options,
                                                   std::minstd_rand0* engine) {
  if (!module.has_entry_computation()) {
    return InvalidArgument("module %s has no entry computation", module.name());
  }
  std::minstd_rand0 own_engine;
  if (engine == nullptr) engine = &own_engine;
  const bool has_layout = module.config().has_entry_computation_layout();
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
    Shape shape = has_layout ? module.entry_computation_layout().parameter_shape(
                                   static_cast<int>(parameter->parameter_number()))
                             : parameter->shape();
    ShapeUtil::ForEachMutableLeafShape(&shape, [](Shape* leaf, const ShapeIndex&) {
      if (leaf->IsArray() && !leaf->has_layout()) LayoutUtil::SetToDefaultLayout(leaf);
    });
    HILO_ASSIGN_OR_RETURN(Literal argument, MakeFakeArgument(*parameter, shape, options, *engine));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace

absl::StatusOr<std::vector<Literal>> MakeFakeArguments(
    const HloModule* module, bool pseudo_random, bool use_large_range,
    bool treat_gte_as_data_formatting, std::optional<int64_t> max_bits_of_precision,
    std::minstd_rand0* engine, bool generate_aligned_ds_indices,
    GetIndexKnownZeroesFn get_index_known_zeroes) {
  const FakeOptions options = {
      pseudo_random, use_large_range, max_bits_of_precision,
      ConstraintOptions{generate_aligned_ds_indices, std::move(get_index_known_zeroes)}};
  return MakeArguments(*module, options, engine);
}

absl::StatusOr<std::vector<Literal>> MakeFakeArguments(
    const HloModule* module, std::minstd_rand0* engine, bool use_large_range,
    bool treat_gte_as_data_formatting, std::optional<int64_t> max_bits_of_precision,
    bool generate_aligned_ds_indices, GetIndexKnownZeroesFn get_index_known_zeroes) {
  return MakeFakeArguments(module, /*pseudo_random=*/engine != nullptr, use_large_range,
                           treat_gte_as_data_formatting, max_bits_of_precision, engine,
                           generate_aligned_ds_indices, std::move(get_index_known_zeroes));
}

absl::StatusOr<std::vector<Literal>> MakeDataflowConstrainedArguments(
    const HloModule* module, std::minstd_rand0* engine, bool use_large_range,
    std::optional<int64_t> max_bits_of_precision, bool generate_aligned_ds_indices,
    GetIndexKnownZeroesFn get_index_known_zeroes) {
  return MakeFakeArguments(module, /*pseudo_random=*/true, use_large_range,
                           /*treat_gte_as_data_formatting=*/true, max_bits_of_precision, engine,
                           generate_aligned_ds_indices, std::move(get_index_known_zeroes));
}

}  // namespace xla
