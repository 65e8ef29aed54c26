// Computations, arrays and parameters that many tests need.
#ifndef XLA_TESTS_CLIENT_LIBRARY_TEST_RUNNER_UTILS_H_
#define XLA_TESTS_CLIENT_LIBRARY_TEST_RUNNER_UTILS_H_

#include <cstdint>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "xla/array2d.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/types.h"
#include "xla/xla_data.pb.h"

namespace xla {

// max(x, 0) of an F32 scalar.
XlaComputation CreateScalarReluF32();
// The larger one of two scalars of the type.
XlaComputation CreateScalarMax(PrimitiveType test_type);

// `width` numbers between min_value and max_value (for integers both included), the same for the
// same seed.
template <typename NativeT>
std::vector<NativeT> CreatePseudorandomR1(int width, NativeT min_value, NativeT max_value,
                                          uint32_t seed) {
  std::minstd_rand engine(seed);
  std::vector<NativeT> values(width);
  for (NativeT& value : values) {
    if constexpr (is_specialized_integral_v<NativeT>) {
      std::uniform_int_distribution<int64_t> distribution(static_cast<int64_t>(min_value),
                                                          static_cast<int64_t>(max_value));
      value = static_cast<NativeT>(distribution(engine));
    } else {
      std::uniform_real_distribution<double> distribution(static_cast<double>(min_value),
                                                          static_cast<double>(max_value));
      value = static_cast<NativeT>(distribution(engine));
    }
  }
  return values;
}

// The same as rows x cols.
template <typename NativeT>
std::unique_ptr<Array2D<NativeT>> CreatePseudorandomR2(int rows, int cols, NativeT min_value,
                                                       NativeT max_value, uint32_t seed) {
  auto array = std::make_unique<Array2D<NativeT>>(rows, cols);
  array->SetValues(CreatePseudorandomR1(rows * cols, min_value, max_value, seed));
  return array;
}

// Element (row, col) is col + 1000 * row + offset, which tells where it came from.
std::unique_ptr<Array2D<float>> CreatePatternedMatrix(int rows, int cols, float offset = 0.0f);
// The same at the top left of rows_padded x cols_padded, which CHECKs to be no smaller; the rest is
// zero.
std::unique_ptr<Array2D<float>> CreatePatternedMatrixWithZeroPadding(int rows, int cols,
                                                                     int rows_padded,
                                                                     int cols_padded);

// Each specification once for each type, which becomes its member test_type.
template <typename TestCase>
std::vector<TestCase> ExpandTestType(absl::Span<const PrimitiveType> test_type_params,
                                     absl::Span<const TestCase> specs) {
  std::vector<TestCase> expanded;
  for (const PrimitiveType test_type : test_type_params) {
    for (const TestCase& spec : specs) {
      expanded.push_back(spec);
      expanded.back().test_type = test_type;
    }
  }
  return expanded;
}

}  // namespace xla

#endif  // XLA_TESTS_CLIENT_LIBRARY_TEST_RUNNER_UTILS_H_
