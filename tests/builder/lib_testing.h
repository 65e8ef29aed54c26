// Computes what a builder holds, for the tests of its library.
#ifndef HILO_TESTS_BUILDER_LIB_TESTING_H_
#define HILO_TESTS_BUILDER_LIB_TESTING_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/layout_util.h"
#include "xla/literal.h"

namespace xla {

// The result of a computation without parameters.
inline Literal Execute(const absl::StatusOr<XlaComputation>& computation) {
  EXPECT_TRUE(computation.ok()) << computation.status();
  if (!computation.ok()) return Literal();
  absl::StatusOr<Literal> result =
      ClientLibrary::LocalClientOrDie()->ExecuteAndTransfer(*computation, {});
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : Literal();
}

// The value of `root`, which depends on no parameters.
inline Literal Evaluate(XlaBuilder& builder, XlaOp root) { return Execute(builder.Build(root)); }

// The elements in row-major order.
template <typename T>
std::vector<T> ValuesOf(const Literal& literal) {
  if (!literal.shape().IsArray()) return {};
  const Literal row_major = literal.Relayout(LayoutUtil::GetDefaultLayoutForShape(literal.shape()));
  const auto data = row_major.data<T>();
  return std::vector<T>(data.begin(), data.end());
}

// Each number has a relative error of at most `tolerance`, or an absolute one where it is smaller
// than `small`; infinities, NaN and the sign of zero are exact.
inline void ExpectClose(absl::Span<const double> actual, absl::Span<const double> expected,
                        double tolerance, double small = 0) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(actual[i])) << "element " << i << " is " << actual[i];
    } else if (std::isinf(expected[i]) || (expected[i] == 0 && small == 0)) {
      EXPECT_EQ(actual[i], expected[i]) << "element " << i;
      EXPECT_EQ(std::signbit(actual[i]), std::signbit(expected[i])) << "element " << i;
    } else {
      EXPECT_NEAR(actual[i], expected[i], tolerance * std::max(small, std::abs(expected[i])))
          << "element " << i;
    }
  }
}

}  // namespace xla

#endif  // HILO_TESTS_BUILDER_LIB_TESTING_H_
