// Comparison of literals in tests: with each other, and with values written in the test.
#ifndef XLA_TESTS_LITERAL_TEST_UTIL_H_
#define XLA_TESTS_LITERAL_TEST_UTIL_H_

#include <initializer_list>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/error_spec.h"
#include "xla/hlo/testlib/test.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape.h"

namespace xla {

// Literals of different element types, dimensions, dynamic sizes or tuple structure never agree;
// layouts do not count. A failure says how many elements differ, where the worst ones are and by
// how much; see xla/literal_comparison.h.
class LiteralTestUtil {
  template <typename T>
  using List = std::initializer_list<T>;

 public:
  [[nodiscard]] static ::testing::AssertionResult EqualShapes(const Shape& expected,
                                                              const Shape& actual);

  // Equal bits: -0 is not 0, and a NaN equals the same NaN only.
  [[nodiscard]] static ::testing::AssertionResult Equal(const LiteralSlice& expected,
                                                        const LiteralSlice& actual);

  // Floating-point and complex elements are as close as `error_spec` says: the absolute error is at
  // most error_spec.abs, or the relative one, |actual - expected| / |expected|, at most
  // error_spec.rel. Others are equal. Without detailed_message a failure lists no elements. Arrays
  // that fail are left as files: WriteLiteralToTempFile of "tempfile-expected-...",
  // "tempfile-actual-..." and, a PRED for each element, "tempfile-mismatches-...".
  [[nodiscard]] static ::testing::AssertionResult Near(
      const LiteralSlice& expected, const LiteralSlice& actual, const ErrorSpec& error_spec,
      std::optional<bool> detailed_message = std::nullopt);

  // Near if there is an error specification, else Equal.
  [[nodiscard]] static ::testing::AssertionResult NearOrEqual(
      const LiteralSlice& expected, const LiteralSlice& actual,
      const std::optional<ErrorSpec>& error);

  // Expect that a literal is Equal to the scalar, vector, ... of the given elements.
  template <typename NativeT>
  static void ExpectR0Equal(NativeT expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR0<NativeT>(expected), actual));
  }
  template <typename NativeT>
  static void ExpectR1Equal(absl::Span<const NativeT> expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR1<NativeT>(expected), actual));
  }
  template <typename NativeT>
  static void ExpectR2Equal(List<List<NativeT>> expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR2<NativeT>(expected), actual));
  }
  template <typename NativeT>
  static void ExpectR3Equal(List<List<List<NativeT>>> expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR3<NativeT>(expected), actual));
  }
  template <typename NativeT>
  static void ExpectR2EqualArray2D(const Array2D<NativeT>& expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR2FromArray2D(expected), actual));
  }
  template <typename NativeT>
  static void ExpectR3EqualArray3D(const Array3D<NativeT>& expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR3FromArray3D(expected), actual));
  }
  template <typename NativeT>
  static void ExpectR4EqualArray4D(const Array4D<NativeT>& expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR4FromArray4D(expected), actual));
  }

  // Expect that it is Near them.
  template <typename NativeT>
  static void ExpectR0Near(NativeT expected, const LiteralSlice& actual, const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR0<NativeT>(expected), actual, error));
  }
  template <typename NativeT>
  static void ExpectR1Near(absl::Span<const NativeT> expected, const LiteralSlice& actual,
                           const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR1<NativeT>(expected), actual, error));
  }
  template <typename NativeT>
  static void ExpectR2Near(List<List<NativeT>> expected, const LiteralSlice& actual,
                           const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR2<NativeT>(expected), actual, error));
  }
  template <typename NativeT>
  static void ExpectR3Near(List<List<List<NativeT>>> expected, const LiteralSlice& actual,
                           const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR3<NativeT>(expected), actual, error));
  }
  template <typename NativeT>
  static void ExpectR4Near(List<List<List<List<NativeT>>>> expected, const LiteralSlice& actual,
                           const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR4<NativeT>(expected), actual, error));
  }
  template <typename NativeT>
  static void ExpectR2NearArray2D(const Array2D<NativeT>& expected, const LiteralSlice& actual,
                                  const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR2FromArray2D(expected), actual, error));
  }
  template <typename NativeT>
  static void ExpectR3NearArray3D(const Array3D<NativeT>& expected, const LiteralSlice& actual,
                                  const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR3FromArray3D(expected), actual, error));
  }
  template <typename NativeT>
  static void ExpectR4NearArray4D(const Array4D<NativeT>& expected, const LiteralSlice& actual,
                                  const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR4FromArray4D(expected), actual, error));
  }

  // Writes the literal as NAME.pb (a serialised LiteralProto) and NAME.txt to
  // $TEST_UNDECLARED_OUTPUTS_DIR, else to tsl::testing::TmpDir(). A file that cannot be written is
  // a nonfatal failure of the test.
  static void WriteLiteralToTempFile(const LiteralSlice& literal, const std::string& name);
};

}  // namespace xla

#endif  // XLA_TESTS_LITERAL_TEST_UTIL_H_
