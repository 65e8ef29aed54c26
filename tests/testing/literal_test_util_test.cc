#include "xla/tests/literal_test_util.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest-spi.h"
#include "xla/hlo/testlib/test.h"
#include "xla/literal_util.h"
#include "xla/types.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

TEST(LiteralTestUtilTest, EqualShapes) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {1, 0});
  EXPECT_TRUE(LiteralTestUtil::EqualShapes(
      shape, ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1})));
  const ::testing::AssertionResult differs =
      LiteralTestUtil::EqualShapes(shape, ShapeUtil::MakeShape(F32, {3, 2}));
  EXPECT_FALSE(differs);
  EXPECT_THAT(differs.message(), HasSubstr("actual shape f32[3,2]"));
  EXPECT_FALSE(LiteralTestUtil::EqualShapes(shape, ShapeUtil::MakeShape(BF16, {2, 3})));
  EXPECT_FALSE(LiteralTestUtil::EqualShapes(shape, ShapeUtil::MakeTupleShape({shape})));
}

TEST(LiteralTestUtilTest, EqualComparesBits) {
  EXPECT_TRUE(LiteralTestUtil::Equal(LiteralUtil::CreateR1<float>({1, 2}),
                                     LiteralUtil::CreateR1<float>({1, 2})));
  EXPECT_FALSE(LiteralTestUtil::Equal(LiteralUtil::CreateR0<float>(0.0f),
                                      LiteralUtil::CreateR0<float>(-0.0f)));
  const float nan = std::nanf("");
  EXPECT_TRUE(LiteralTestUtil::Equal(LiteralUtil::CreateR0(nan), LiteralUtil::CreateR0(nan)));
  EXPECT_FALSE(LiteralTestUtil::Equal(LiteralUtil::CreateR0(nan), LiteralUtil::CreateR0(-nan)));
  EXPECT_FALSE(LiteralTestUtil::Equal(LiteralUtil::CreateR0<complex64>({1, 2}),
                                      LiteralUtil::CreateR0<complex64>({1, 3})));
}

TEST(LiteralTestUtilTest, AFailureShowsWhatDiffers) {
  const ::testing::AssertionResult result = LiteralTestUtil::Equal(
      LiteralUtil::CreateR1<int32_t>({1, 2, 3}), LiteralUtil::CreateR1<int32_t>({1, 5, 3}));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.message(), HasSubstr("1 of 3 elements"));
  EXPECT_THAT(result.message(), HasSubstr("at {1}: expected 2, actual 5"));
  EXPECT_THAT(result.message(), HasSubstr("expected: s32[3] {1, 2, 3}"));
  EXPECT_THAT(result.message(), HasSubstr("actual:   s32[3] {1, 5, 3}"));
}

TEST(LiteralTestUtilTest, EqualOfTuples) {
  const Literal a = LiteralUtil::CreateR0<float>(1), b = LiteralUtil::CreateR0<float>(2);
  const Literal expected = LiteralUtil::MakeTuple({&a, &b});
  EXPECT_TRUE(LiteralTestUtil::Equal(expected, LiteralUtil::MakeTuple({&a, &b})));
  EXPECT_FALSE(LiteralTestUtil::Equal(expected, LiteralUtil::MakeTuple({&a, &a})));
  EXPECT_FALSE(LiteralTestUtil::Equal(expected, LiteralUtil::MakeTuple({&a})));
}

TEST(LiteralTestUtilTest, EqualOfDynamicSizes) {
  const Shape shape = ShapeUtil::MakeShape(F32, {4}, {true});
  Literal expected(shape), actual(shape);
  expected.SetDynamicSize(0, 2);
  actual.SetDynamicSize(0, 2);
  EXPECT_TRUE(LiteralTestUtil::Equal(expected, actual));
  actual.SetDynamicSize(0, 3);
  EXPECT_FALSE(LiteralTestUtil::Equal(expected, actual));
}

TEST(LiteralTestUtilTest, NearNeedsBothErrorsToFail) {
  const Literal expected = LiteralUtil::CreateR0<float>(1000);
  const Literal actual = LiteralUtil::CreateR0<float>(1001);
  EXPECT_TRUE(LiteralTestUtil::Near(expected, actual, ErrorSpec(2)));
  EXPECT_TRUE(LiteralTestUtil::Near(expected, actual, ErrorSpec(0, 0.01)));
  EXPECT_FALSE(LiteralTestUtil::Near(expected, actual, ErrorSpec(0.5, 0.0001)));
  EXPECT_FALSE(LiteralTestUtil::Near(expected, actual, ErrorSpec(0.5)));
  EXPECT_FALSE(LiteralTestUtil::Near(LiteralUtil::CreateR0<float>(0),
                                     LiteralUtil::CreateR0<float>(0.1f), ErrorSpec(0, 0.5)));
}

TEST(LiteralTestUtilTest, NearOfNansAndInfinities) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const Literal nan = LiteralUtil::CreateR0(std::nanf(""));
  const Literal one = LiteralUtil::CreateR0(1.0f);
  const Literal inf = LiteralUtil::CreateR0(kInf);
  ErrorSpec error(1e-3);
  EXPECT_TRUE(LiteralTestUtil::Near(nan, LiteralUtil::CreateR0(-std::nanf("")), error));
  EXPECT_FALSE(LiteralTestUtil::Near(nan, one, error));
  EXPECT_FALSE(LiteralTestUtil::Near(one, nan, error));
  EXPECT_TRUE(LiteralTestUtil::Near(one, nan, ErrorSpec(1e-3, 0, /*relaxed_nans=*/true)));
  EXPECT_FALSE(LiteralTestUtil::Near(nan, one, ErrorSpec(1e-3, 0, /*relaxed_nans=*/true)));
  error.all_nans_are_equivalent = false;
  EXPECT_FALSE(LiteralTestUtil::Near(nan, LiteralUtil::CreateR0(-std::nanf("")), error));

  const Literal largest = LiteralUtil::CreateR0(std::numeric_limits<float>::max());
  EXPECT_FALSE(LiteralTestUtil::Near(inf, largest, error));
  error.fewer_infs_ok = true;
  EXPECT_TRUE(LiteralTestUtil::Near(inf, largest, error));
}

TEST(LiteralTestUtilTest, NearOfIntegersIsEqual) {
  const Literal two = LiteralUtil::CreateR0<int32_t>(2), three = LiteralUtil::CreateR0<int32_t>(3);
  ErrorSpec error(10, 10);
  EXPECT_TRUE(LiteralTestUtil::Near(two, two, error));
  EXPECT_FALSE(LiteralTestUtil::Near(two, three, error));
  error.allow_integer_rounding_difference = true;
  EXPECT_TRUE(LiteralTestUtil::Near(two, three, error));
  EXPECT_FALSE(LiteralTestUtil::Near(two, LiteralUtil::CreateR0<int32_t>(4), error));
}

TEST(LiteralTestUtilTest, NearWithinRepresentableNumbers) {
  ErrorSpec error(0);
  error.low_precision_fp_error_spec = {F8E4M3FN, 1};
  using F8 = tsl::float8_e4m3fn;
  const Literal expected = LiteralUtil::CreateR0<F8>(F8(1.0f));
  EXPECT_TRUE(LiteralTestUtil::Near(expected, LiteralUtil::CreateR0<F8>(F8(1.125f)), error));
  EXPECT_FALSE(LiteralTestUtil::Near(expected, LiteralUtil::CreateR0<F8>(F8(1.25f)), error));
}

TEST(LiteralTestUtilTest, NearMayLeaveOutTheElements) {
  const Literal expected = LiteralUtil::CreateR1<float>({1}),
                actual = LiteralUtil::CreateR1<float>({2});
  const ErrorSpec error(0.5);
  EXPECT_THAT(LiteralTestUtil::Near(expected, actual, error).message(), HasSubstr("at {0}"));
  EXPECT_THAT(LiteralTestUtil::Near(expected, actual, error, /*detailed_message=*/false).message(),
              Not(HasSubstr("at {0}")));
}

TEST(LiteralTestUtilTest, NearOrEqual) {
  const Literal one = LiteralUtil::CreateR0(1.0f), close = LiteralUtil::CreateR0(1.001f);
  EXPECT_TRUE(LiteralTestUtil::NearOrEqual(one, close, ErrorSpec(0.01)));
  EXPECT_FALSE(LiteralTestUtil::NearOrEqual(one, close, std::nullopt));
  EXPECT_TRUE(LiteralTestUtil::NearOrEqual(one, one, std::nullopt));
}

TEST(LiteralTestUtilTest, ExpectEqual) {
  LiteralTestUtil::ExpectR0Equal<int32_t>(4, LiteralUtil::CreateR0<int32_t>(4));
  LiteralTestUtil::ExpectR1Equal<float>({1, 2}, LiteralUtil::CreateR1<float>({1, 2}));
  LiteralTestUtil::ExpectR2Equal<float>({{1, 2}, {3, 4}},
                                        LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}}));
  LiteralTestUtil::ExpectR3Equal<float>({{{1, 2}}}, LiteralUtil::CreateR3<float>({{{1, 2}}}));
  const Array2D<float> array2({{1, 2}});
  LiteralTestUtil::ExpectR2EqualArray2D(array2, LiteralUtil::CreateR2<float>({{1, 2}}));
  const Array3D<float> array3({{{1, 2}}});
  LiteralTestUtil::ExpectR3EqualArray3D(array3, LiteralUtil::CreateR3<float>({{{1, 2}}}));
  const Array4D<float> array4({{{{1, 2}}}});
  LiteralTestUtil::ExpectR4EqualArray4D(array4, LiteralUtil::CreateR4<float>({{{{1, 2}}}}));
}

TEST(LiteralTestUtilTest, ExpectEqualFails) {
  const Literal actual2 = LiteralUtil::CreateR2<float>({{1, 3}});
  const Literal actual3 = LiteralUtil::CreateR3<float>({{{1, 3}}});
  const Literal actual4 = LiteralUtil::CreateR4<float>({{{{1, 3}}}});
  const Array2D<float> array2({{1, 2}});
  const Array3D<float> array3({{{1, 2}}});
  const Array4D<float> array4({{{{1, 2}}}});
  const char* const kMessage = "expected 2, actual 3";
  EXPECT_NONFATAL_FAILURE(
      LiteralTestUtil::ExpectR0Equal<int32_t>(2, LiteralUtil::CreateR0<int32_t>(3)), kMessage);
  EXPECT_NONFATAL_FAILURE(
      LiteralTestUtil::ExpectR0Equal<int32_t>(2, LiteralUtil::CreateR0<int64_t>(2)), "s64[]");
  EXPECT_NONFATAL_FAILURE(
      (LiteralTestUtil::ExpectR1Equal<float>({1, 2}, LiteralUtil::CreateR1<float>({1, 3}))),
      kMessage);
  EXPECT_NONFATAL_FAILURE((LiteralTestUtil::ExpectR2Equal<float>({{1, 2}}, actual2)), kMessage);
  EXPECT_NONFATAL_FAILURE((LiteralTestUtil::ExpectR3Equal<float>({{{1, 2}}}, actual3)), kMessage);
  EXPECT_NONFATAL_FAILURE(LiteralTestUtil::ExpectR2EqualArray2D(array2, actual2), kMessage);
  EXPECT_NONFATAL_FAILURE(LiteralTestUtil::ExpectR3EqualArray3D(array3, actual3), kMessage);
  EXPECT_NONFATAL_FAILURE(LiteralTestUtil::ExpectR4EqualArray4D(array4, actual4), kMessage);
}

TEST(LiteralTestUtilTest, ExpectNear) {
  const ErrorSpec error(0.5);
  LiteralTestUtil::ExpectR0Near<float>(1, LiteralUtil::CreateR0<float>(1.25), error);
  LiteralTestUtil::ExpectR1Near<float>({1, 2}, LiteralUtil::CreateR1<float>({1.25, 2}), error);
  LiteralTestUtil::ExpectR2Near<float>({{1, 2}}, LiteralUtil::CreateR2<float>({{1.25, 2}}), error);
  LiteralTestUtil::ExpectR3Near<float>({{{1}}}, LiteralUtil::CreateR3<float>({{{1.25}}}), error);
  LiteralTestUtil::ExpectR4Near<float>({{{{1}}}}, LiteralUtil::CreateR4<float>({{{{1.25}}}}),
                                       error);
  const Array2D<float> array2({{1, 2}});
  LiteralTestUtil::ExpectR2NearArray2D(array2, LiteralUtil::CreateR2<float>({{1.25, 2}}), error);
  const Array3D<float> array3({{{1, 2}}});
  LiteralTestUtil::ExpectR3NearArray3D(array3, LiteralUtil::CreateR3<float>({{{1.25, 2}}}), error);
  const Array4D<float> array4({{{{1, 2}}}});
  LiteralTestUtil::ExpectR4NearArray4D(array4, LiteralUtil::CreateR4<float>({{{{1.25, 2}}}}),
                                       error);
}

TEST(LiteralTestUtilTest, ExpectNearFails) {
  const ErrorSpec error(0.125);
  const Literal actual1 = LiteralUtil::CreateR1<float>({1.25});
  const Literal actual2 = LiteralUtil::CreateR2<float>({{1.25}});
  const Literal actual3 = LiteralUtil::CreateR3<float>({{{1.25}}});
  const Literal actual4 = LiteralUtil::CreateR4<float>({{{{1.25}}}});
  const Array2D<float> array2({{1}});
  const Array3D<float> array3({{{1}}});
  const Array4D<float> array4({{{{1}}}});
  const char* const kMessage = "expected 1, actual 1.25";
  EXPECT_NONFATAL_FAILURE(
      LiteralTestUtil::ExpectR0Near<float>(1, LiteralUtil::CreateR0<float>(1.25), error), kMessage);
  EXPECT_NONFATAL_FAILURE((LiteralTestUtil::ExpectR1Near<float>({1}, actual1, error)), kMessage);
  EXPECT_NONFATAL_FAILURE((LiteralTestUtil::ExpectR2Near<float>({{1}}, actual2, error)), kMessage);
  EXPECT_NONFATAL_FAILURE((LiteralTestUtil::ExpectR3Near<float>({{{1}}}, actual3, error)),
                          kMessage);
  EXPECT_NONFATAL_FAILURE((LiteralTestUtil::ExpectR4Near<float>({{{{1}}}}, actual4, error)),
                          kMessage);
  EXPECT_NONFATAL_FAILURE(LiteralTestUtil::ExpectR2NearArray2D(array2, actual2, error), kMessage);
  EXPECT_NONFATAL_FAILURE(LiteralTestUtil::ExpectR3NearArray3D(array3, actual3, error), kMessage);
  EXPECT_NONFATAL_FAILURE(LiteralTestUtil::ExpectR4NearArray4D(array4, actual4, error), kMessage);
}

TEST(LiteralTestUtilTest, WriteLiteralToTempFile) {
  const Literal literal = LiteralUtil::CreateR1<float>({1, 2.5});
  const char* folder = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  const std::string stem =
      (folder != nullptr ? folder : tsl::testing::TmpDir()) + std::string("/hilo_written_literal");
  LiteralTestUtil::WriteLiteralToTempFile(literal, "hilo_written_literal");

  std::ifstream binary(stem + ".pb", std::ios::binary);
  LiteralProto proto;
  ASSERT_TRUE(proto.ParseFromIstream(&binary));
  EXPECT_TRUE(LiteralTestUtil::Equal(literal, Literal::CreateFromProto(proto).value()));
  std::ifstream text(stem + ".txt");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(text), {}), "f32[2] {1, 2.5}");
  std::remove((stem + ".pb").c_str());
  std::remove((stem + ".txt").c_str());
}

TEST(LiteralTestUtilTest, WhatIsNotNearIsLeftInFiles) {
  const std::filesystem::path folder =
      std::filesystem::path(tsl::testing::TmpDir()) / absl::StrCat("hilo_not_near_", getpid());
  std::filesystem::create_directory(folder);
  const char* const before = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  setenv("TEST_UNDECLARED_OUTPUTS_DIR", folder.c_str(), 1);
  EXPECT_FALSE(LiteralTestUtil::Near(LiteralUtil::CreateR1<float>({1, 2}),
                                     LiteralUtil::CreateR1<float>({1, 3}), ErrorSpec(0.1)));
  before == nullptr ? unsetenv("TEST_UNDECLARED_OUTPUTS_DIR")
                    : setenv("TEST_UNDECLARED_OUTPUTS_DIR", before, 1);
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".pb") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    LiteralProto proto;
    ASSERT_TRUE(proto.ParseFromIstream(&file));
    const std::vector<std::string> words = absl::StrSplit(entry.path().stem().string(), '-');
    texts[words[0] + " " + words[1]] = Literal::CreateFromProto(proto)->ToString();
  }
  std::filesystem::remove_all(folder);
  EXPECT_THAT(texts,
              ::testing::ElementsAre(::testing::Pair("tempfile actual", "f32[2] {1, 3}"),
                                     ::testing::Pair("tempfile expected", "f32[2] {1, 2}"),
                                     ::testing::Pair("tempfile mismatches", "pred[2] {0, 1}")));
}

TEST(LiteralTestUtilTest, DynamicDimensionsAreNotStaticOnes) {
  Literal dynamic = LiteralUtil::CreateR1<float>({1, 2});
  dynamic.SetDynamicSize(0, 2);
  const Literal fixed = LiteralUtil::CreateR1<float>({1, 2});
  EXPECT_TRUE(LiteralTestUtil::Equal(dynamic, dynamic));
  EXPECT_FALSE(LiteralTestUtil::Equal(dynamic, fixed));
  EXPECT_FALSE(LiteralTestUtil::Near(fixed, dynamic, ErrorSpec(1)));
}

TEST(LiteralTestUtilTest, WriteLiteralToTempFileFails) {
  ::testing::TestPartResultArray failures;
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures);
    LiteralTestUtil::WriteLiteralToTempFile(LiteralUtil::CreateR0(1.0f), "no/such/folder/x");
  }
  ASSERT_EQ(failures.size(), 2);  // one for each file
  EXPECT_THAT(failures.GetTestPartResult(0).message(), HasSubstr("cannot write"));
}

}  // namespace
}  // namespace xla
