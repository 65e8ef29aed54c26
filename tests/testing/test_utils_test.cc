#include "xla/tests/test_utils.h"

#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/hlo/testlib/hlo_hardware_independent_test_base.h"
#include "xla/hlo/testlib/test.h"
#include "xla/hlo/testlib/test_helpers.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/tests/literal_test_util.h"
#include "xla/tsl/platform/statusor.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Le;
using ::testing::Lt;

class TestUtilsTest : public HloHardwareIndependentTestBase {
 protected:
  std::unique_ptr<HloModule> Parse(const char* text) {
    auto module = ParseAndReturnVerifiedModule(text);
    EXPECT_IS_OK(module);
    return *std::move(module);
  }
  std::vector<Literal> Arguments(const char* text) {
    auto arguments = MakeFakeArguments(Parse(text).get());
    EXPECT_IS_OK(arguments);
    return *std::move(arguments);
  }
};

constexpr char kPlain[] = R"(
  ENTRY e {
    x = f32[100] parameter(0)
    i = s32[100] parameter(1)
    p = pred[100] parameter(2)
    c = c64[100] parameter(3)
    ROOT t = (f32[100], s32[100], pred[100], c64[100]) tuple(x, i, p, c)
  })";

TEST_F(TestUtilsTest, RandomArguments) {
  const std::vector<Literal> arguments = Arguments(kPlain);
  ASSERT_EQ(arguments.size(), 4);
  EXPECT_THAT(arguments[0].data<float>(), Each(AllOf(Ge(-0.1f), Lt(0.2f))));
  const auto ones = absl::c_count(arguments[2].data<bool>(), true);
  EXPECT_GT(ones, 20);
  EXPECT_LT(ones, 80);
  const auto integers = arguments[1].data<int32_t>();
  EXPECT_LT(*absl::c_min_element(integers), -1000000);
  EXPECT_GT(*absl::c_max_element(integers), 1000000);
  // The same every time.
  const std::vector<Literal> again = Arguments(kPlain);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(LiteralTestUtil::Equal(arguments[i], again[i]));
}

TEST_F(TestUtilsTest, Engines) {
  const auto module = Parse(kPlain);
  std::minstd_rand0 engine;
  TF_ASSERT_OK_AND_ASSIGN(const auto first, MakeFakeArguments(module.get(), &engine));
  TF_ASSERT_OK_AND_ASSIGN(const auto second, MakeFakeArguments(module.get(), &engine));
  EXPECT_TRUE(LiteralTestUtil::Equal(first[0], Arguments(kPlain)[0]));
  EXPECT_FALSE(LiteralTestUtil::Equal(first[0], second[0]));
  TF_ASSERT_OK_AND_ASSIGN(const auto constrained, MakeDataflowConstrainedArguments(module.get()));
  EXPECT_TRUE(LiteralTestUtil::Equal(first[0], constrained[0]));
}

TEST_F(TestUtilsTest, Zeros) {
  const auto module = Parse(kPlain);
  TF_ASSERT_OK_AND_ASSIGN(const auto zeros, MakeFakeArguments(module.get(), false));
  for (const Literal& zero : zeros) EXPECT_TRUE(zero.IsAll(0));
  TF_ASSERT_OK_AND_ASSIGN(
      const auto no_engine,
      MakeFakeArguments(module.get(), static_cast<std::minstd_rand0*>(nullptr)));
  EXPECT_TRUE(no_engine[1].IsAll(0));
}

TEST_F(TestUtilsTest, LargeRange) {
  const auto module = Parse(kPlain);
  TF_ASSERT_OK_AND_ASSIGN(const auto arguments,
                          MakeFakeArguments(module.get(), true, /*use_large_range=*/true));
  const auto data = arguments[0].data<float>();
  EXPECT_TRUE(absl::c_any_of(data, [](float x) { return std::fabs(x) > 1e9f; }));
  EXPECT_TRUE(absl::c_any_of(data, [](float x) { return std::fabs(x) < 1e-9f; }));
  EXPECT_TRUE(absl::c_all_of(data, [](float x) { return std::isfinite(x); }));
}

TEST_F(TestUtilsTest, FewBits) {
  const auto module = Parse(kPlain);
  TF_ASSERT_OK_AND_ASSIGN(const auto arguments, MakeFakeArguments(module.get(), true, false, false,
                                                                  /*max_bits_of_precision=*/3));
  for (const float x : arguments[0].data<float>()) {
    EXPECT_EQ(x * 8, std::round(x * 8));
    EXPECT_LE(std::fabs(x), 1);
  }
  EXPECT_THAT(arguments[1].data<int32_t>(), Each(AllOf(Ge(-8), Le(8))));
}

TEST_F(TestUtilsTest, IndicesOfSlices) {
  const std::vector<Literal> arguments = Arguments(R"(
    ENTRY e {
      x = f32[10,20] parameter(0)
      indices = s32[2] parameter(1)
      j = s32[] parameter(2)
      u = f32[3,3] parameter(3)
      first = s32[1] slice(indices), slice={[0:1]}
      i = s32[] reshape(first)
      d = f32[8,5] dynamic-slice(x, i, j), dynamic_slice_sizes={8,5}
      ROOT r = f32[8,5] dynamic-update-slice(d, u, j, j)
    })");
  EXPECT_THAT(arguments[1].data<int32_t>(), Each(AllOf(Ge(0), Le(2))));
  EXPECT_THAT(arguments[2].data<int32_t>(), Each(AllOf(Ge(0), Le(2))));  // 5 - 3 of the update
}

TEST_F(TestUtilsTest, AlignedIndicesOfSlices) {
  const auto module = Parse(R"(
    ENTRY e {
      x = f32[64] parameter(0)
      i = s32[] parameter(1)
      ROOT d = f32[8] dynamic-slice(x, i), dynamic_slice_sizes={8}
    })");
  std::minstd_rand0 engine;
  std::set<int32_t> seen;
  for (int k = 0; k < 20; ++k) {
    TF_ASSERT_OK_AND_ASSIGN(const auto arguments,
                            MakeFakeArguments(module.get(), &engine, false, false, std::nullopt,
                                              /*generate_aligned_ds_indices=*/true));
    const int32_t i = arguments[1].Get<int32_t>({});
    EXPECT_EQ(i % 8, 0);
    seen.insert(i);
  }
  EXPECT_GT(seen.size(), 2);
  TF_ASSERT_OK_AND_ASSIGN(const auto arguments,
                          MakeFakeArguments(module.get(), &engine, false, false, std::nullopt,
                                            false, [](const HloInstruction* user, int64_t operand) {
                                              EXPECT_EQ(user->opcode(), HloOpcode::kDynamicSlice);
                                              EXPECT_EQ(operand, 1);
                                              return std::optional<uint64_t>(5);
                                            }));
  EXPECT_EQ(arguments[1].Get<int32_t>({}) % 32, 0);
}

TEST_F(TestUtilsTest, IndicesOfGatherAndScatter) {
  const std::vector<Literal> gather = Arguments(R"(
    ENTRY e {
      x = f32[10,4] parameter(0)
      i = s32[100] parameter(1)
      ROOT g = f32[100,2,4] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={},
        start_index_map={0}, index_vector_dim=1, slice_sizes={2,4}
    })");
  EXPECT_THAT(gather[1].data<int32_t>(), Each(AllOf(Ge(0), Le(8))));
  const std::vector<Literal> scatter = Arguments(R"(
    add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
    ENTRY e {
      x = f32[10,4] parameter(0)
      i = s32[100] parameter(1)
      u = f32[100,2,4] parameter(2)
      ROOT g = f32[10,4] scatter(x, i, u), update_window_dims={1,2}, inserted_window_dims={},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    })");
  EXPECT_THAT(scatter[1].data<int32_t>(), Each(AllOf(Ge(0), Le(8))));
}

TEST_F(TestUtilsTest, InitialValuesAreNeutral) {
  const std::vector<Literal> arguments = Arguments(R"(
    add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
    mul { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] multiply(a, b) }
    max { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT s = s32[] maximum(a, b) }
    and { a = s8[] parameter(0)  b = s8[] parameter(1)  ROOT s = s8[] and(a, b) }
    ENTRY e {
      x = f32[8] parameter(0)
      zero = f32[] parameter(1)
      one = f32[] parameter(2)
      y = s32[8] parameter(3)
      least = s32[] parameter(4)
      z = s8[8] parameter(5)
      ones = s8[] parameter(6)
      a = f32[] reduce(x, zero), dimensions={0}, to_apply=add
      b = f32[7] reduce-window(x, one), window={size=2}, to_apply=mul
      c = s32[] reduce(y, least), dimensions={0}, to_apply=max
      d = s8[] reduce(z, ones), dimensions={0}, to_apply=and
      ROOT t = (f32[], f32[7], s32[], s8[]) tuple(a, b, c, d)
    })");
  EXPECT_EQ(arguments[1].Get<float>({}), 0);
  EXPECT_EQ(arguments[2].Get<float>({}), 1);
  EXPECT_EQ(arguments[4].Get<int32_t>({}), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(arguments[6].Get<int8_t>({}), -1);
}

TEST_F(TestUtilsTest, KeysDiffer) {
  const std::vector<Literal> arguments = Arguments(R"(
    less {
      a = f32[] parameter(0)  b = f32[] parameter(1)
      c = s8[] parameter(2)  d = s8[] parameter(3)
      ROOT l = pred[] compare(a, b), direction=LT
    }
    ENTRY e {
      k = f32[200] parameter(0)
      v = s8[200] parameter(1)
      ROOT s = (f32[200], s8[200]) sort(k, v), dimensions={0}, to_apply=less
    })");
  const auto keys = arguments[0].data<float>();
  EXPECT_EQ(std::set<float>(keys.begin(), keys.end()).size(), 200);
  const auto values = arguments[1].data<int8_t>();
  EXPECT_EQ(std::set<int8_t>(values.begin(), values.end()).size(), 200);
  EXPECT_FALSE(absl::c_is_sorted(keys));
}

TEST_F(TestUtilsTest, KeysOfSmallTypesDiffer) {
  const std::vector<Literal> arguments = Arguments(R"(
    less {
      a = bf16[] parameter(0)  b = bf16[] parameter(1)
      c = f8e4m3fn[] parameter(2)  d = f8e4m3fn[] parameter(3)
      ROOT l = pred[] compare(a, b), direction=LT
    }
    ENTRY e {
      k = bf16[3000] parameter(0)
      v = f8e4m3fn[3000] parameter(1)
      ROOT s = (bf16[3000], f8e4m3fn[3000]) sort(k, v), dimensions={0}, to_apply=less
    })");
  const Literal keys = arguments[0].Convert(F32).value();
  EXPECT_EQ(std::set<float>(keys.data<float>().begin(), keys.data<float>().end()).size(), 3000);
  // As many as there are: 255 numbers but two NaN.
  const Literal values = arguments[1].Convert(F32).value();
  EXPECT_EQ(std::set<float>(values.data<float>().begin(), values.data<float>().end()).size(), 253);
  EXPECT_FALSE(absl::c_any_of(values.data<float>(), [](float x) { return std::isnan(x); }));
}

TEST_F(TestUtilsTest, ArgumentsOfLogarithmsAndRootsArePositive) {
  const std::vector<Literal> arguments = Arguments(R"(
    ENTRY e {
      x = f32[100] parameter(0)
      y = f16[100] parameter(1)
      t = f16[10,10] reshape(y)
      a = f32[100] rsqrt(x)
      b = f16[10,10] log(t)
      ROOT r = (f32[100], f16[10,10]) tuple(a, b)
    })");
  EXPECT_THAT(arguments[0].data<float>(), Each(::testing::Gt(0)));
  for (const half y : arguments[1].data<half>()) EXPECT_GT(static_cast<float>(y), 0);
}

TEST_F(TestUtilsTest, KnownZeroBitsOfIndices) {
  const std::unique_ptr<HloModule> module = Parse(R"(
    ENTRY e {
      x = f32[4096] parameter(0)
      i = s32[] parameter(1)
      ROOT d = f32[16] dynamic-slice(x, i), dynamic_slice_sizes={16}
    })");
  std::minstd_rand0 engine;
  for (int i = 0; i < 20; ++i) {
    const auto arguments = MakeFakeArguments(
        module.get(), &engine, false, false, std::nullopt, false,
        [](const HloInstruction*, int64_t) { return std::optional<uint64_t>(0b1101); });
    ASSERT_IS_OK(arguments);
    EXPECT_EQ((*arguments)[1].Get<int32_t>({}) & 0b1101, 0);
  }
}

TEST_F(TestUtilsTest, ConstraintsReachThroughTuplesAndCalls) {
  const std::vector<Literal> arguments = Arguments(R"(
    slice {
      x = f32[10] parameter(0)
      i = s32[] parameter(1)
      ROOT d = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}
    }
    ENTRY e {
      p = (f32[10], (s32[], s32[])) parameter(0)
      x = f32[10] get-tuple-element(p), index=0
      q = (s32[], s32[]) get-tuple-element(p), index=1
      i = s32[] get-tuple-element(q), index=1
      t = (f32[10], s32[]) tuple(x, i)
      j = s32[] get-tuple-element(t), index=1
      ROOT c = f32[4] call(x, j), to_apply=slice
    })");
  const int32_t i = arguments[0].Get<int32_t>({}, {1, 1});
  EXPECT_GE(i, 0);
  EXPECT_LE(i, 6);
  EXPECT_GT(std::abs(static_cast<int64_t>(arguments[0].Get<int32_t>({}, {1, 0}))), 6);
}

TEST_F(TestUtilsTest, ArgumentsHaveTheLayoutsOfTheEntry) {
  const std::vector<Literal> arguments = Arguments(R"(
    HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}
    ENTRY e { ROOT x = f32[2,3] parameter(0) })");
  EXPECT_EQ(arguments[0].shape().layout(), LayoutUtil::MakeLayout({0, 1}));
  const std::unique_ptr<HloModule> empty = CreateNewUnverifiedModule();
  EXPECT_IS_NOT_OK(MakeFakeArguments(empty.get()));
}

TEST_F(TestUtilsTest, VerifyHloModule) {
  EXPECT_IS_OK(VerifyHloModule(Parse(kPlain).get(), /*layout_sensitive=*/false,
                               /*allow_mixed_precision=*/true));
  const std::unique_ptr<HloModule> empty = CreateNewUnverifiedModule();
  HloComputation::Builder builder("broken");
  HloInstruction* x = builder.AddInstruction(
      HloInstruction::CreateParameter(0, ShapeUtil::MakeShape(F32, {2}), "x"));
  builder.AddInstruction(
      HloInstruction::CreateUnary(ShapeUtil::MakeShape(F32, {3}), HloOpcode::kNegate, x));
  empty->AddEntryComputation(builder.Build());
  EXPECT_IS_NOT_OK(VerifyHloModule(empty.get(), false, true));
}

TEST_F(TestUtilsTest, CreateCanonicalDot) {
  HloComputation::Builder builder(TestName());
  HloInstruction* lhs = builder.AddInstruction(
      HloInstruction::CreateParameter(0, ShapeUtil::MakeShape(F32, {2, 3}), "lhs"));
  HloInstruction* rhs = builder.AddInstruction(
      HloInstruction::CreateParameter(1, ShapeUtil::MakeShape(F32, {3, 4}), "rhs"));
  builder.AddInstruction(CreateCanonicalDot(ShapeUtil::MakeShape(F32, {2, 4}), lhs, rhs));
  auto module = CreateNewVerifiedModule();
  module->AddEntryComputation(builder.Build());
  EXPECT_IS_OK(module->Verify());
}

TEST_F(TestUtilsTest, ParseTextProto) {
  TF_ASSERT_OK_AND_ASSIGN(const WindowDimension window,
                          ParseTextProto<WindowDimension>("size: 3 stride: 2"));
  EXPECT_EQ(window.stride(), 2);
  const auto wrong = ParseTextProto<WindowDimension>("length: 3");
  ASSERT_IS_NOT_OK(wrong);
  EXPECT_THAT(std::string(wrong.status().message()), ::testing::HasSubstr("1:7: Message type"));
}

}  // namespace
}  // namespace xla
