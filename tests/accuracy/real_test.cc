// Every function of real numbers against its reference: all of f16 and bf16, some of f32 and f64.
// The program hilo_accuracy does the same for all of f32.
#include <cmath>
#include <limits>

#include "bench/accuracy/functions.h"
#include "bench/accuracy/measure.h"
#include "bench/accuracy/ulp.h"
#include "gtest/gtest.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::accuracy {
namespace {

absl::StatusOr<Measurement> MeasureBackend(const Function& function, PrimitiveType type,
                                           absl::string_view name) {
  Sampling sampling;
  sampling.stride = 524287;  // A prime number: 8192 inputs with all kinds of last digits.
  sampling.samples = 8192;
  ExecutionBackend* const backend = *FindBackend(name);
  return Measure(function, type, *backend, sampling, [](int64_t) {});
}

Measurement MeasureInterpreter(const Function& function, PrimitiveType type) {
  const absl::StatusOr<Measurement> measured = MeasureBackend(function, type, "interpreter");
  EXPECT_TRUE(measured.ok()) << measured.status();
  return measured.ok() ? *measured : Measurement();
}

class RealTest : public testing::TestWithParam<PrimitiveType> {};

TEST_P(RealTest, OperationsAreRoundedOnce) {
  // The wider type, too, has its error; where there is no wider type than double, the C library's.
  const bool has_wider_type = GetParam() != F64 || std::numeric_limits<long double>::digits > 53;
  for (const Function& function : RealOperations()) {
    const Measurement measured = MeasureInterpreter(function, GetParam());
    EXPECT_GE(measured.inputs, 8192) << function.name;
    EXPECT_LE(measured.largest_error, has_wider_type ? 0.51 : 4)
        << function.name << " of " << measured.worst_input;
    EXPECT_EQ(measured.wrong_class, 0) << function.name << " of " << measured.wrong_class_input;
    EXPECT_LE(measured.reference_error, 16) << function.name;
  }
}

TEST_P(RealTest, CompiledOperations) {
  // Narrow types are computed in float.
  const double bound = GetParam() == F64 ? 2.8 : GetParam() == F32 ? 2 : 0.51;
  for (const Function& function : RealOperations()) {
    const absl::StatusOr<Measurement> measured = MeasureBackend(function, GetParam(), "cpu");
    if (absl::IsUnimplemented(measured.status())) GTEST_SKIP() << measured.status();
    ASSERT_TRUE(measured.ok()) << measured.status();
    EXPECT_LE(measured->largest_error, bound) << function.name << " of " << measured->worst_input;
    EXPECT_EQ(measured->wrong_class, 0) << function.name << " of " << measured->wrong_class_input;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, RealTest, testing::Values(F16, BF16, F32, F64),
                         [](const testing::TestParamInfo<PrimitiveType>& info) {
                           return primitive_util::LowercasePrimitiveTypeName(info.param);
                         });

TEST(RealTest, LibraryFunctionsInF32) {
  for (const Function& function : LibraryFunctions()) {
    const Measurement measured = MeasureInterpreter(function, F32);
    EXPECT_LE(measured.largest_error, 4) << function.name << " of " << measured.worst_input;
    EXPECT_EQ(measured.wrong_class, 0) << function.name << " of " << measured.wrong_class_input;
  }
}

// What would be measured if the back end were wrong.
TEST(RealTest, ErrorsAreSeen) {
  for (Function function : RealOperations()) {
    if (function.name != "exponential") continue;
    function.narrow = [](const double* x) { return std::exp(x[0]) * (1 + 1e-6); };
    function.wide = [](const long double* x) { return std::exp(x[0]) * (1 + 1e-6L); };
    const Measurement scaled = MeasureInterpreter(function, F32);
    EXPECT_GT(scaled.largest_error, 8);
    EXPECT_LT(scaled.largest_error, 18);
    EXPECT_GT(scaled.not_nearest, 100);
    function.wide = [](const long double* x) { return std::fabs(std::exp(x[0])) + x[0] * 0; };
    EXPECT_GT(MeasureInterpreter(function, BF16).wrong_class, 0);
    EXPECT_GT(MeasureInterpreter(function, F32).reference_error, 1e6);
  }
}

TEST(UlpTest, Distances) {
  EXPECT_EQ(UlpError(1.0f, 1), 0);
  EXPECT_EQ(UlpError(1.0f, 1 + 0x1p-24L), 0.5);
  EXPECT_EQ(UlpError(1.0f, 1 - 0x1p-24L), 1);  // The numbers below 1 are closer.
  EXPECT_EQ(UlpError(0x1p-149f, 0x1p-150L), 0.5);
  EXPECT_EQ(UlpError(half(65504), 65519), 15.0 / 32);
  EXPECT_EQ(UlpError(std::numeric_limits<half>::infinity(), 65520), 0);
  EXPECT_EQ(UlpError(bfloat16(3), 2.984375L), 1);
  EXPECT_EQ(UlpError(1.0, 1 + 0x1p-60L), 0x1p-8);
}

TEST(UlpTest, Classes) {
  const float infinity = INFINITY;
  EXPECT_EQ(UlpError(NAN, static_cast<long double>(NAN)), 0);
  EXPECT_EQ(UlpError(NAN, 1), kInfinity);
  EXPECT_EQ(UlpError(1.0f, static_cast<long double>(NAN)), kInfinity);
  EXPECT_EQ(UlpError(infinity, 1e39L), 0);
  EXPECT_EQ(UlpError(infinity, -1e39L), kInfinity);
  EXPECT_EQ(UlpError(infinity, 3.4e38L), kInfinity);
  EXPECT_EQ(UlpError(std::numeric_limits<float>::max(), 1e39L), kInfinity);
  EXPECT_EQ(UlpError(-0.0f, 0), kInfinity);
  EXPECT_EQ(UlpError(0.0f, 1e-60L), 1e-60 / 0x1p-149);
}

TEST(UlpTest, QuickDistancesAreTheSame) {
  for (const float result : {1.0f, -3.5f, 0x1p-149f, 0x1p-126f, 1e38f}) {
    for (const double factor : {1.0, 1 + 1e-8, 1 - 3e-8, 1.5, 1e-3}) {
      EXPECT_FLOAT_EQ(QuickUlpError(result, result * factor),
                      UlpError(result, static_cast<long double>(result * factor)))
          << result << " " << factor;
    }
  }
  EXPECT_TRUE(std::isnan(QuickUlpError(INFINITY, 3.4e38)));
  EXPECT_TRUE(std::isnan(QuickUlpError(0.0f, -0.0)));
  EXPECT_TRUE(std::isnan(QuickUlpError(-0.0f, 1e-60)));
  EXPECT_EQ(QuickUlpError(-0.0f, -0.0), 0);
  EXPECT_EQ(QuickUlpError(0.0f, 0x1p-150), 0.5);
  EXPECT_EQ(QuickUlpError(INFINITY, 1e300), 0);
  EXPECT_EQ(QuickUlpError(NAN, static_cast<double>(NAN)), 0);
}

}  // namespace
}  // namespace xla::accuracy
