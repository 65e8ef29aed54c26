// What is known of the numbers that an argument may hold.
#ifndef XLA_TESTS_CONSTRAINT_STATE_H_
#define XLA_TESTS_CONSTRAINT_STATE_H_

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"

namespace xla {

// The numbers from min to max, both included, perhaps without 0. Ends that are kMin and kMax say
// nothing.
struct ConstraintInterval {
  static constexpr double kMax = std::numeric_limits<double>::max();
  static constexpr double kMin = -std::numeric_limits<double>::max();

  ConstraintInterval() = default;
  ConstraintInterval(double min, double max, bool exclude_zero)
      : min(min), max(max), exclude_zero(exclude_zero) {}
  static ConstraintInterval Unconstrained() { return {}; }
  static ConstraintInterval Positive() { return {0.0, kMax, false}; }
  static ConstraintInterval StrictPositive() { return {0.0, kMax, true}; }
  static ConstraintInterval Negative() { return {kMin, 0.0, false}; }
  static ConstraintInterval StrictNegative() { return {kMin, 0.0, true}; }
  static ConstraintInterval NonZero() { return {kMin, kMax, true}; }

  bool IsUnconstrained() const { return min == kMin && max == kMax && !exclude_zero; }
  bool IsEmpty() const { return min > max || (min == 0 && max == 0 && exclude_zero); }
  bool IsPositive() const { return min >= 0; }
  bool IsNegative() const { return max <= 0; }
  bool IsPositiveStrict() const { return min > 0 || (min == 0 && exclude_zero); }
  bool IsNegativeStrict() const { return max < 0 || (max == 0 && exclude_zero); }
  bool CrossesZero() const { return min < 0 && max > 0; }

  std::string ToString() const {
    return absl::StrCat("[", min, ", ", max, "]", exclude_zero ? " without 0" : "");
  }

  bool operator==(const ConstraintInterval& other) const {
    return min == other.min && max == other.max && exclude_zero == other.exclude_zero;
  }
  bool operator!=(const ConstraintInterval& other) const { return !(*this == other); }

  double min = kMin;
  double max = kMax;
  bool exclude_zero = false;
};

}  // namespace xla

#endif  // XLA_TESTS_CONSTRAINT_STATE_H_
