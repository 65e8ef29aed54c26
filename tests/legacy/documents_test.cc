// The code blocks of the operation semantics, of all its editions, compile as they are printed and
// do what the text around them says. What stands between "clang-format off" and "on" is a block.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/builder/builder_testing.h"
#include "tests/legacy/legacy_testing.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/literal_util.h"

// clang-format off
extern "C" void target_name(void* out, void** in);

extern "C" void myfunc(void* out, void** in) {
  float (&x)[2] = *static_cast<float(*)[2]>(in[0]);
  float (&y)[2][3] = *static_cast<float(*)[2][3]>(in[1]);
  EXPECT_EQ(1, x[0]);
  EXPECT_EQ(2, x[1]);
  EXPECT_EQ(10, y[0][0]);
  EXPECT_EQ(20, y[0][1]);
  EXPECT_EQ(30, y[0][2]);
  EXPECT_EQ(40, y[1][0]);
  EXPECT_EQ(50, y[1][1]);
  EXPECT_EQ(60, y[1][2]);
  float (&z)[3][3] = *static_cast<float(*)[3][3]>(out);
  z[0][0] = x[1] + y[1][0];
  // ...
}
// clang-format on

extern "C" void target_name(void* out, void** in) { myfunc(out, in); }

namespace xla {
namespace {

class Documents : public testing::Test {
 protected:
  LocalClient* client_ = ClientLibrary::LocalClientOrDie();
};

// The input and the result of the windowed maximum: windows of 2x3 that do not overlap.
constexpr char kPlane[] =
    "f32[4,6] {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}, {13, 14, 15, 16, 17, 18},"
    " {19, 20, 21, 22, 23, 24}}";
constexpr char kMaxima[] = "f32[2,2] {{9, 12}, {21, 24}}";

TEST_F(Documents, ReduceWindowOf2017) {
  // clang-format off
  // Create a computation for the reduction (maximum).
  Computation max;
  {
    ComputationBuilder builder(client_, "max");
    auto y = builder.Parameter(0, ShapeUtil::MakeShape(F32, {}), "y");
    auto x = builder.Parameter(1, ShapeUtil::MakeShape(F32, {}), "x");
    builder.Max(y, x);
    max = builder.Build().ConsumeValueOrDie();
  }

  // Create a ReduceWindow computation with the max reduction computation.
  ComputationBuilder builder(client_, "reduce_window_2x3");
  auto shape = ShapeUtil::MakeShape(F32, {4, 6});
  auto input = builder.Parameter(0, shape, "input");
  builder.ReduceWindow(
      input, *max,
      /*init_val=*/builder.ConstantLiteral(LiteralUtil::MinValue(F32)),
      /*window_dimensions=*/{2, 3},
      /*window_stride_dimensions=*/{2, 3},
      Padding::kValid);
  // clang-format on
  ExpectLiteral(ResultOf(builder.Build().ConsumeValueOrDie(), {kPlane}), kMaxima);
}

TEST_F(Documents, DX_builder_1) {
  {
    // clang-format off
    // Create a computation for the reduction (maximum).
    XlaComputation max;
    {
      XlaBuilder builder(client_, "max");
      auto y = builder.Parameter(0, ShapeUtil::MakeShape(F32, {}), "y");
      auto x = builder.Parameter(1, ShapeUtil::MakeShape(F32, {}), "x");
      builder.Max(y, x);
      max = builder.Build().value();
    }

    // Create a ReduceWindow computation with the max reduction computation.
    XlaBuilder builder(client_, "reduce_window_2x3");
    auto shape = ShapeUtil::MakeShape(F32, {4, 6});
    auto input = builder.Parameter(0, shape, "input");
    builder.ReduceWindow(
        input,
        /*init_val=*/builder.ConstantLiteral(LiteralUtil::MinValue(F32)),
        *max,
        /*window_dimensions=*/{2, 3},
        /*window_stride_dimensions=*/{2, 3},
        Padding::kValid);
    // clang-format on
    ExpectLiteral(ResultOf(builder.Build().value(), {kPlane}), kMaxima);
  }
  // clang-format off
  XlaBuilder b("alltoall");
  auto x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {4, 16}), "x");
  AllToAll(x, /*split_dimension=*/1, /*concat_dimension=*/0, /*split_count=*/4);
  // clang-format on
  const std::unique_ptr<HloModule> module = ModuleOf(b.Build().value());
  ASSERT_NE(module, nullptr);
  // Element (i, j) on core q is 100 q + 16 i + j.
  std::vector<Literal> arguments(4);
  for (int core = 0; core < 4; ++core) {
    Array2D<float> values(4, 16);
    values.Each([&](absl::Span<const int64_t> at, float* value) {
      *value = static_cast<float>(100 * core + 16 * at[0] + at[1]);
    });
    arguments[core] = LiteralUtil::CreateR2FromArray2D(values);
  }
  std::vector<std::vector<const Literal*>> pointers;
  for (const Literal& argument : arguments) pointers.push_back({&argument});
  const auto results = HloEvaluator().EvaluateReplicated(*module, pointers, 4);
  ASSERT_TRUE(results.ok()) << results.status();
  for (int64_t core = 0; core < 4; ++core) {
    const Literal& result = (*results)[core];
    ASSERT_TRUE(ShapeUtil::Compatible(result.shape(), ShapeUtil::MakeShape(F32, {16, 4})));
    result.EachCell<float>([&](absl::Span<const int64_t> at, float value) {
      EXPECT_EQ(value, 100 * (at[0] / 4) + 16 * (at[0] % 4) + 4 * core + at[1]);
    });
  }
}

// The block says nothing of the other elements of the result.
TEST_F(Documents, CustomCallTarget) {
  float x[2] = {1, 2};
  float y[2][3] = {{10, 20, 30}, {40, 50, 60}};
  float z[3][3] = {};
  void* in[] = {x, y};
  target_name(z, in);
  EXPECT_EQ(z[0][0], 42);
}

TEST_F(Documents, DotGeneralContracting) {
  XlaBuilder b("dot");
  const XlaOp lhs = ConstantR2<float>(&b, {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const XlaOp rhs = ConstantR2<float>(&b, {{1.0, 1.0, 1.0}, {2.0, 2.0, 2.0}});
  // clang-format off
  DotDimensionNumbers dnums;
  dnums.add_lhs_contracting_dimensions(1);
  dnums.add_rhs_contracting_dimensions(1);

  DotGeneral(lhs, rhs, dnums);
  // clang-format on
  ExpectLiteral(ResultOf(b.Build().value()), "f32[2,2] {{6, 12}, {15, 30}}");
}

TEST_F(Documents, DotGeneralBatch) {
  constexpr char kLhs[] = "f32[2,2,2] {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}";
  XlaBuilder b("dot");
  const XlaOp lhs = ConstantLiteral(&b, ParsedLiteral(kLhs));
  const XlaOp rhs =
      ConstantLiteral(&b, ParsedLiteral("f32[2,2,2] {{{1, 0}, {0, 1}}, {{1, 0}, {0, 1}}}"));
  // clang-format off
  DotDimensionNumbers dnums;
  dnums.add_lhs_contracting_dimensions(2);
  dnums.add_rhs_contracting_dimensions(1);
  dnums.add_lhs_batch_dimensions(0);
  dnums.add_rhs_batch_dimensions(0);

  DotGeneral(lhs, rhs, dnums);
  // clang-format on
  ExpectLiteral(ResultOf(b.Build().value()), kLhs);
}

}  // namespace
}  // namespace xla
