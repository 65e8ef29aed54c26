// A client's tests of reductions and loops, written with the public fixture alone.
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "xla/array2d.h"
#include "xla/array4d.h"
#include "xla/error_spec.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/testlib/test.h"
#include "xla/literal_util.h"
#include "xla/reference_util.h"
#include "xla/tests/client_library_test_runner_mixin.h"
#include "xla/tests/hlo_interpreter_reference_mixin.h"
#include "xla/tests/hlo_test_base.h"

namespace xla {
namespace {

constexpr ErrorSpec kErrorSpec{1e-4, 1e-4};

class ReduceTest : public ClientLibraryTestRunnerMixin<HloInterpreterReferenceMixin<HloTestBase>> {
};

TEST_F(ReduceTest, SumOfAVector) {
  Array2D<float> values(1, 200);
  values.FillRandom(1.0f);
  float sum = 0;
  for (const float value : values) sum += value;
  XlaBuilder b(TestName());
  XlaOp x;
  const Literal argument =
      CreateR1Parameter<float>(std::vector<float>(values.begin(), values.end()), 0, "x", &b, &x);
  Reduce(x, ConstantR0<float>(&b, 0), CreateScalarAddComputation(F32, &b), {0});
  ComputeAndCompareR0<float>(&b, sum, {&argument}, kErrorSpec);
}

TEST_F(ReduceTest, RowsAndColumnsOfAMatrix) {
  const std::unique_ptr<Array2D<float>> matrix = CreatePatternedMatrix(5, 3);
  const auto add = [](float a, float b) { return a + b; };
  const auto rows = ReferenceUtil::ReduceToColArray2D(*matrix, 0.0f, add);
  const auto columns = ReferenceUtil::ReduceToRowArray2D(*matrix, 0.0f, add);

  XlaBuilder b(TestName());
  XlaOp x;
  const Literal argument = CreateR2Parameter<float>(*matrix, 0, "x", &b, &x);
  const XlaOp zero = ConstantR0<float>(&b, 0);
  const XlaComputation sum = CreateScalarAddComputation(F32, &b);
  Tuple(&b, {Reduce(x, zero, sum, {1}), Reduce(x, zero, sum, {0})});
  const Literal expected_rows = LiteralUtil::CreateR1<float>(*rows);
  const Literal expected_columns = LiteralUtil::CreateR1<float>(*columns);
  ComputeAndCompareTuple(&b, LiteralUtil::MakeTuple({&expected_rows, &expected_columns}),
                         {&argument}, kErrorSpec);
}

TEST_F(ReduceTest, LargestOfNothing) {
  XlaBuilder b(TestName());
  const XlaOp empty = ConstantR2FromArray2D<float>(&b, Array2D<float>(0, 3));
  Reduce(empty, MinValue(&b, F32), CreateScalarMax(), {0});
  constexpr float kInf = std::numeric_limits<float>::infinity();
  ComputeAndCompareR1<float>(&b, {-kInf, -kInf, -kInf}, {});
}

TEST_F(ReduceTest, WindowsOfAnImage) {
  Array4D<float> image(1, 2, 6, 7);
  image.FillRandomUniform(-1.0f, 1.0f);
  for (const Padding padding : {Padding::kValid, Padding::kSame}) {
    XlaBuilder b(TestName());
    XlaOp x;
    const Literal argument = CreateR4Parameter<float>(image, 0, "x", &b, &x);
    ReduceWindow(x, ConstantR0<float>(&b, 0), CreateScalarAddComputation(F32, &b), {1, 1, 3, 2},
                 {1, 1, 2, 2}, padding);
    const auto expected =
        ReferenceUtil::ReduceWindow4DAdd(image, 0.0f, {1, 1, 3, 2}, {1, 1, 2, 2}, padding);
    ComputeAndCompareR4<float>(&b, *expected, {&argument}, kErrorSpec);
  }
}

TEST_F(ReduceTest, GradientOfMaxPooling) {
  Array4D<float> image(1, 1, 4, 6);
  image.FillRandomUniform(-1.0f, 1.0f);
  Array4D<float> source(1, 1, 2, 3);
  source.FillIota(1.0f);
  XlaBuilder b(TestName());
  SelectAndScatter(ConstantR4FromArray4D<float>(&b, image), CreateScalarGeComputation(F32, &b),
                   {1, 1, 2, 2}, {1, 1, 2, 2}, Padding::kValid,
                   ConstantR4FromArray4D<float>(&b, source), ConstantR0<float>(&b, 0),
                   CreateScalarAddComputation(F32, &b));
  const auto expected = ReferenceUtil::SelectAndScatter4DGePlus(
      image, source, 0.0f, {1, 1, 2, 2}, {1, 1, 2, 2}, /*same_padding=*/false);
  ComputeAndCompareR4<float>(&b, *expected, {}, kErrorSpec);
}

class WhileTest : public ClientLibraryTestRunnerMixin<HloInterpreterReferenceMixin<HloTestBase>> {
 protected:
  // The state is (steps to go, value).
  static Shape StateShape(const Shape& value) {
    return ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S32, {}), value});
  }
  static XlaComputation StepsLeft(const Shape& state) {
    XlaBuilder b("condition");
    Gt(GetTupleElement(Parameter(&b, 0, state, "state"), 0), ConstantR0<int32_t>(&b, 0));
    return b.Build().value();
  }
};

TEST_F(WhileTest, DoublesTenTimes) {
  const Shape state = StateShape(ShapeUtil::MakeShape(F32, {2}));
  XlaBuilder body("body");
  {
    const XlaOp before = Parameter(&body, 0, state, "state");
    const XlaOp value = GetTupleElement(before, 1);
    Tuple(&body,
          {Sub(GetTupleElement(before, 0), ConstantR0<int32_t>(&body, 1)), Add(value, value)});
  }
  XlaBuilder b(TestName());
  XlaOp start;
  const Literal argument = CreateR1Parameter<float>({1, -3}, 0, "start", &b, &start);
  const XlaOp result = While(StepsLeft(state), body.Build().value(),
                             Tuple(&b, {ConstantR0<int32_t>(&b, 10), start}));
  GetTupleElement(result, 1);
  ComputeAndCompareR1<float>(&b, {1024, -3072}, {&argument}, kErrorSpec);
}

TEST_F(WhileTest, ABodyThatNeverRuns) {
  const Shape state = StateShape(ShapeUtil::MakeShape(S32, {}));
  XlaBuilder body("body");
  Parameter(&body, 0, state, "state");
  XlaBuilder b(TestName());
  While(StepsLeft(state), body.Build().value(),
        Tuple(&b, {ConstantR0<int32_t>(&b, 0), ConstantR0<int32_t>(&b, 42)}));
  const Literal steps = LiteralUtil::CreateR0<int32_t>(0), value = LiteralUtil::CreateR0(42);
  ComputeAndCompareTuple(&b, LiteralUtil::MakeTuple({&steps, &value}), {});
}

TEST_F(WhileTest, FillsAnArrayFromText) {
  EXPECT_TRUE(RunAndCompare(R"(
    HloModule squares
    body {
      state = (s32[], s32[5]) parameter(0)
      i = s32[] get-tuple-element(state), index=0
      array = s32[5] get-tuple-element(state), index=1
      square = s32[] multiply(i, i)
      update = s32[1] reshape(square)
      filled = s32[5] dynamic-update-slice(array, update, i)
      one = s32[] constant(1)
      next = s32[] add(i, one)
      ROOT after = (s32[], s32[5]) tuple(next, filled)
    }
    condition {
      state = (s32[], s32[5]) parameter(0)
      i = s32[] get-tuple-element(state), index=0
      five = s32[] constant(5)
      ROOT less = pred[] compare(i, five), direction=LT
    }
    ENTRY e {
      array = s32[5] parameter(0)
      zero = s32[] constant(0)
      start = (s32[], s32[5]) tuple(zero, array)
      ROOT end = (s32[], s32[5]) while(start), condition=condition, body=body
    })",
                            /*error=*/std::nullopt));
}

}  // namespace
}  // namespace xla
