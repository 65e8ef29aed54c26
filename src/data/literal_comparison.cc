#include "xla/literal_comparison.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "data/float_text.h"
#include "xla/error_spec.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::literal_comparison {
namespace {

constexpr int kListed = 5;  // Mismatches that a message lists.
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Errors {
  double absolute = 0;
  double relative = 0;
};

template <typename NativeT>
bool SameBits(NativeT a, NativeT b) {
  return std::memcmp(&a, &b, sizeof(NativeT)) == 0;
}

Errors ErrorsOf(double absolute, double magnitude) {
  return {absolute, absolute == 0 ? 0 : magnitude == 0 ? kInfinity : absolute / magnitude};
}

// How far `actual` is from `expected`; infinitely far where no distance makes sense.
Errors RealErrors(double expected, double actual, double largest_finite, const ErrorSpec& spec) {
  if (std::isnan(expected) || std::isnan(actual)) {
    const bool both = std::isnan(expected) && std::isnan(actual);
    const bool allowed =
        both ? spec.all_nans_are_equivalent : std::isnan(actual) && spec.relaxed_nans;
    return allowed ? Errors{} : Errors{kInfinity, kInfinity};
  }
  if (spec.fewer_infs_ok && std::isinf(expected))
    expected = std::copysign(largest_finite, expected);
  if (spec.fewer_infs_ok && std::isinf(actual)) actual = std::copysign(largest_finite, actual);
  if (expected == actual) return {};
  if (std::isinf(expected) || std::isinf(actual)) return {kInfinity, kInfinity};
  return ErrorsOf(std::fabs(actual - expected), std::fabs(expected));
}

template <typename NativeT>
Errors ErrorsOfElement(NativeT expected, NativeT actual, const ErrorSpec& spec) {
  if (SameBits(expected, actual)) return {};
  if constexpr (is_complex_v<NativeT>) {
    using Part = typename NativeT::value_type;
    constexpr double kLargest = std::numeric_limits<Part>::max();
    const Errors real = RealErrors(expected.real(), actual.real(), kLargest, spec);
    const Errors imaginary = RealErrors(expected.imag(), actual.imag(), kLargest, spec);
    if (std::isinf(real.absolute) || std::isinf(imaginary.absolute)) return {kInfinity, kInfinity};
    return ErrorsOf(std::hypot(real.absolute, imaginary.absolute), std::abs(complex128(expected)));
  } else if constexpr (is_specialized_floating_point_v<NativeT>) {
    const double largest = static_cast<double>(std::numeric_limits<NativeT>::max());
    return RealErrors(static_cast<double>(expected), static_cast<double>(actual), largest, spec);
  } else {
    const NativeT low = std::min(expected, actual);
    const bool rounds = spec.allow_integer_rounding_difference && !std::is_same_v<NativeT, bool> &&
                        static_cast<NativeT>(low + NativeT(1)) == std::max(expected, actual);
    return rounds ? Errors{} : Errors{kInfinity, kInfinity};
  }
}

// The number of values of T between two finite numbers.
template <typename T>
int64_t StepsBetween(double a, double b) {
  const T low(std::min(a, b));
  const T high(std::max(a, b));
  return static_cast<int64_t>(ToSignMagnitude(high)) - static_cast<int64_t>(ToSignMagnitude(low));
}

bool WithinLowPrecisionSteps(double expected, double actual,
                             const ErrorSpec::LowPrecisionFPErrorSpec& spec) {
  if (spec.type == PRIMITIVE_TYPE_INVALID || !std::isfinite(expected) || !std::isfinite(actual))
    return false;
  return primitive_util::FloatingPointTypeSwitch(
      [&](auto constant) {
        using T = primitive_util::NativeTypeOf<constant>;
        return StepsBetween<T>(expected, actual) <= spec.within_n_values;
      },
      spec.type);
}

template <typename NativeT>
bool IsNear(NativeT expected, NativeT actual, const Errors& errors, const ErrorSpec& spec) {
  if (!(errors.absolute > spec.abs && errors.relative > spec.rel)) return true;
  if constexpr (is_specialized_floating_point_v<NativeT>) {
    return WithinLowPrecisionSteps(static_cast<double>(expected), static_cast<double>(actual),
                                   spec.low_precision_fp_error_spec);
  }
  return false;
}

struct Mismatch {
  DimensionVector index;
  Errors errors;
  std::string expected;
  std::string actual;
};

// What the comparison of one array found.
struct Report {
  int64_t compared = 0;
  int64_t differing = 0;
  std::vector<Mismatch> listed;  // The first ones of Equal, the worst ones of Near.
};

// Adds to the list, which is sorted by relative and absolute error, the largest first.
void List(Mismatch mismatch, Report& report) {
  const auto before = [](const Mismatch& a, const Mismatch& b) {
    return std::make_pair(a.errors.relative, a.errors.absolute) >
           std::make_pair(b.errors.relative, b.errors.absolute);
  };
  report.listed.insert(
      std::upper_bound(report.listed.begin(), report.listed.end(), mismatch, before),
      std::move(mismatch));
  if (report.listed.size() > kListed) report.listed.pop_back();
}

bool MayList(const Errors& errors, const Report& report) {
  if (report.listed.size() < kListed) return true;
  const Errors& last = report.listed.back().errors;
  return std::make_pair(errors.relative, errors.absolute) >
         std::make_pair(last.relative, last.absolute);
}

template <typename NativeT>
Report CompareElements(const LiteralSlice& expected, const LiteralSlice& actual,
                       const ErrorSpec* spec, Literal* mismatches) {
  Report report;
  expected.EachCell<NativeT>([&](absl::Span<const int64_t> index, NativeT expected_value) {
    ++report.compared;
    const NativeT actual_value = actual.Get<NativeT>(index);
    if (SameBits(expected_value, actual_value)) return;
    Errors errors{kInfinity, kInfinity};
    if (spec != nullptr) {
      errors = ErrorsOfElement(expected_value, actual_value, *spec);
      if (IsNear(expected_value, actual_value, errors, *spec)) return;
    }
    ++report.differing;
    if (mismatches != nullptr) mismatches->Set<bool>(index, true);
    if (!MayList(errors, report)) return;
    List({DimensionVector(index.begin(), index.end()), errors, FormatElement(expected_value),
          FormatElement(actual_value)},
         report);
  });
  return report;
}

std::string Describe(const Report& report, const LiteralSlice& expected,
                     const ShapeIndex& shape_index, const ErrorSpec* spec, bool detailed) {
  std::string text = absl::StrFormat("%d of %d elements of %s differ", report.differing,
                                     report.compared, ShapeUtil::HumanString(expected.shape()));
  if (!shape_index.empty())
    absl::StrAppend(&text, " at index ", shape_index.ToString(), " of the tuple");
  if (spec != nullptr) {
    absl::StrAppendFormat(&text, " by more than %g absolutely and %g relatively", spec->abs,
                          spec->rel);
  }
  if (!detailed) return text;
  absl::StrAppend(&text, spec != nullptr ? "; the worst:" : "; the first:");
  for (const Mismatch& mismatch : report.listed) {
    absl::StrAppendFormat(&text, "\n  at %s: expected %s, actual %s",
                          LiteralUtil::MultiIndexAsString(mismatch.index), mismatch.expected,
                          mismatch.actual);
    if (std::isfinite(mismatch.errors.absolute)) {
      absl::StrAppendFormat(&text, " (absolute error %.4g, relative error %.4g)",
                            mismatch.errors.absolute, mismatch.errors.relative);
    }
  }
  return text;
}

// `spec` is null for bitwise equality.
absl::Status CompareArrays(const LiteralSlice& expected, const LiteralSlice& actual,
                           const ShapeIndex& shape_index, const ErrorSpec* spec, bool detailed,
                           const MiscompareCallback& callback) {
  if (!expected.IsKnown() || !actual.IsKnown()) {
    return InvalidArgument("Literals of shape %s without values cannot be compared",
                           ShapeUtil::HumanString(expected.shape()));
  }
  if (expected == actual) return absl::OkStatus();
  std::optional<Literal> mismatches;
  if (callback != nullptr) mismatches.emplace(ShapeUtil::ChangeElementType(expected.shape(), PRED));
  const Report report = primitive_util::ArrayTypeSwitch(
      [&](auto constant) {
        using NativeT = primitive_util::NativeTypeOf<constant>;
        return CompareElements<NativeT>(expected, actual, spec,
                                        mismatches.has_value() ? &*mismatches : nullptr);
      },
      expected.shape().element_type());
  if (report.differing == 0) return absl::OkStatus();
  if (callback != nullptr) callback(expected, actual, *mismatches, shape_index);
  return absl::InvalidArgumentError(Describe(report, expected, shape_index, spec, detailed));
}

absl::Status CompareLeaves(const LiteralSlice& expected, const LiteralSlice& actual,
                           ShapeIndex& shape_index, const ErrorSpec* spec, bool detailed,
                           const MiscompareCallback& callback) {
  const Shape& shape = expected.shape();
  if (shape.IsArray())
    return CompareArrays(expected, actual, shape_index, spec, detailed, callback);
  if (!shape.IsTuple()) return absl::OkStatus();
  // All elements are compared, so that the callback sees all that differ.
  std::vector<std::string> messages;
  for (int64_t i = 0; i < shape.tuple_shapes_size(); ++i) {
    shape_index.push_back(i);
    const absl::Status status =
        CompareLeaves(LiteralSlice(expected, {i}), LiteralSlice(actual, {i}), shape_index, spec,
                      detailed, callback);
    shape_index.pop_back();
    if (!status.ok()) messages.push_back(std::string(status.message()));
  }
  return messages.empty() ? absl::OkStatus()
                          : absl::InvalidArgumentError(absl::StrJoin(messages, "\n"));
}

absl::Status Compare(const LiteralSlice& expected, const LiteralSlice& actual,
                     const ErrorSpec* spec, bool detailed, const MiscompareCallback& callback) {
  HILO_RETURN_IF_ERROR(EqualDynamicShapesAndDimensions(expected, actual));
  ShapeIndex shape_index;
  return CompareLeaves(expected, actual, shape_index, spec, detailed, callback);
}

}  // namespace

absl::Status EqualShapes(const Shape& expected, const Shape& actual) {
  if (ShapeUtil::Compatible(expected, actual)) return absl::OkStatus();
  return InvalidArgument("Expected shape %s, actual shape %s", ShapeUtil::HumanString(expected),
                         ShapeUtil::HumanString(actual));
}

absl::Status EqualDynamicShapesAndDimensions(const LiteralSlice& expected,
                                             const LiteralSlice& actual) {
  HILO_RETURN_IF_ERROR(EqualShapes(expected.shape(), actual.shape()));
  return ShapeUtil::ForEachLeafShapeWithStatus(
      expected.shape(), [&](const Shape& leaf, const ShapeIndex& index) -> absl::Status {
        const Shape& actual_leaf = ShapeUtil::GetSubshape(actual.shape(), index);
        for (int d = 0; leaf.IsArray() && d < leaf.dimensions_size(); ++d) {
          if (leaf.is_dynamic_dimension(d) != actual_leaf.is_dynamic_dimension(d)) {
            return InvalidArgument(
                "Dimension %d is dynamic in one of the shapes only: expected %s, "
                "actual %s",
                d, ShapeUtil::HumanString(leaf), ShapeUtil::HumanString(actual_leaf));
          }
          if (expected.GetDynamicSize(d, index) != actual.GetDynamicSize(d, index)) {
            return InvalidArgument("Dimension %d of %s has size %d, expected is %d", d,
                                   ShapeUtil::HumanString(leaf), actual.GetDynamicSize(d, index),
                                   expected.GetDynamicSize(d, index));
          }
        }
        return absl::OkStatus();
      });
}

absl::Status Equal(const LiteralSlice& expected, const LiteralSlice& actual,
                   const MiscompareCallback& miscompare_callback) {
  return Compare(expected, actual, /*spec=*/nullptr, /*detailed=*/true, miscompare_callback);
}

absl::Status Near(const LiteralSlice& expected, const LiteralSlice& actual, const ErrorSpec& error,
                  std::optional<bool> detailed_message,
                  const MiscompareCallback& miscompare_callback) {
  return Compare(expected, actual, &error, detailed_message.value_or(true), miscompare_callback);
}

std::string ToStringTruncated(const LiteralSlice& literal) {
  constexpr size_t kLimit = 1000;
  constexpr int64_t kFewElements = 1000;
  const Shape& shape = literal.shape();
  if (ShapeUtil::ElementsInRecursive(shape) > kFewElements) {
    return absl::StrCat(ShapeUtil::HumanString(shape), " {...}");
  }
  std::string text = literal.ToStringOneline();
  if (text.size() > kLimit) text = absl::StrCat(text.substr(0, kLimit), "...");
  return text;
}

}  // namespace xla::literal_comparison
