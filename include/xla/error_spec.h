// How close two literals must be to count as equal.
#ifndef HILO_INCLUDE_XLA_ERROR_SPEC_H_
#define HILO_INCLUDE_XLA_ERROR_SPEC_H_

#include "xla/xla_data.pb.h"

namespace xla {

// A value is accepted when its absolute error is at most `abs` or its error relative to the
// expected value is at most `rel`.
struct ErrorSpec {
  explicit constexpr ErrorSpec(double aabs, double arel = 0, bool relaxed_nans = false)
      : abs(aabs), rel(arel), relaxed_nans(relaxed_nans) {}

  double abs;
  double rel;

  // A NaN is accepted where a number is expected.
  bool relaxed_nans;
  // Without it NaNs must agree in their bits.
  bool all_nans_are_equivalent = true;
  // The largest finite value is accepted where an infinity is expected.
  bool fewer_infs_ok = false;
  // Integers may differ by one.
  bool allow_integer_rounding_difference = false;

  // Accepts values that are at most that many representable numbers of the type away.
  struct LowPrecisionFPErrorSpec {
    PrimitiveType type = PRIMITIVE_TYPE_INVALID;
    int within_n_values = -1;
  } low_precision_fp_error_spec;
};

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_ERROR_SPEC_H_
