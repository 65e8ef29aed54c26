// The code blocks of the operation semantics, of all its editions, compile as they are printed and
// do what the text around them says. scripts/extract_document_blocks.py cuts them out.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/builder/builder_testing.h"
#include "tests/legacy/legacy_testing.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/literal_util.h"

extern "C" void myfunc(void* out, void** in);
#include "documents/custom_call_declaration.inc"
#include "documents/custom_call_function.inc"
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
#include "documents/reduce_window_of_2017.inc"
  ExpectLiteral(ResultOf(builder.Build().ConsumeValueOrDie(), {kPlane}), kMaxima);
}

TEST_F(Documents, DX_builder_1) {
  {
#include "documents/reduce_window.inc"
    ExpectLiteral(ResultOf(builder.Build().value(), {kPlane}), kMaxima);
  }
#include "documents/all_to_all.inc"
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
#include "documents/dot_general_contracting.inc"
  ExpectLiteral(ResultOf(b.Build().value()), "f32[2,2] {{6, 12}, {15, 30}}");
}

TEST_F(Documents, DotGeneralBatch) {
  constexpr char kLhs[] = "f32[2,2,2] {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}";
  XlaBuilder b("dot");
  const XlaOp lhs = ConstantLiteral(&b, ParsedLiteral(kLhs));
  const XlaOp rhs =
      ConstantLiteral(&b, ParsedLiteral("f32[2,2,2] {{{1, 0}, {0, 1}}, {{1, 0}, {0, 1}}}"));
#include "documents/dot_general_batch.inc"
  ExpectLiteral(ResultOf(b.Build().value()), kLhs);
}

}  // namespace
}  // namespace xla
