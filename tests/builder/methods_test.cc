// The operations as members of the builder: each adds what the function of its name adds.
#include <string>
#include <utility>
#include <vector>

#include "tests/builder/builder_testing.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::HasSubstr;

// A builder with parameters of some shapes.
struct Inputs {
  XlaOp Input(PrimitiveType type, const std::vector<int64_t>& sizes) {
    return Parameter(&b, count++, ShapeUtil::MakeShape(type, sizes), "p");
  }

  XlaBuilder b{"main"};
  int64_t count = 0;
  XlaOp x = Input(F32, {2, 3});
  XlaOp y = Input(F32, {2, 3});
  XlaOp m = Input(F32, {3, 3});
  XlaOp v = Input(F32, {3});
  XlaOp s = Input(F32, {});
  XlaOp i = Input(S32, {2, 3});
  XlaOp j = Input(S32, {});
  XlaOp p = Input(PRED, {2, 3});
  XlaOp z = Input(C64, {2, 4});
  XlaOp image = Input(F32, {1, 2, 5});
  XlaOp kernel = Input(F32, {2, 2, 2});
};

template <typename Program>
std::string TextOfProgram(const Program& program) {
  Inputs in;
  program(in);
  return TextOf(in.b);
}

#define EXPECT_SAME(METHOD, FUNCTION)                                          \
  EXPECT_EQ(TextOfProgram([](Inputs& in) {                                     \
              auto& [b, count, x, y, m, v, s, i, j, p, z, image, kernel] = in; \
              METHOD;                                                          \
            }),                                                                \
            TextOfProgram([](Inputs& in) {                                     \
              auto& [b, count, x, y, m, v, s, i, j, p, z, image, kernel] = in; \
              FUNCTION;                                                        \
            }))

XlaComputation Sum() {
  XlaBuilder b("sum");
  b.Add(b.Parameter(0, ShapeUtil::MakeShape(F32, {}), "x"),
        b.Parameter(1, ShapeUtil::MakeShape(F32, {}), "y"));
  return b.Build().value();
}

XlaComputation Greater() {
  XlaBuilder b("greater");
  b.Gt(b.Parameter(0, ShapeUtil::MakeShape(F32, {}), "x"),
       b.Parameter(1, ShapeUtil::MakeShape(F32, {}), "y"));
  return b.Build().value();
}

XlaComputation Negated() {
  XlaBuilder b("negated");
  b.Neg(b.Parameter(0, ShapeUtil::MakeShape(F32, {}), "x"));
  return b.Build().value();
}

XlaComputation Never() {
  XlaBuilder b("never");
  b.Parameter(0, ShapeUtil::MakeShape(F32, {}), "x");
  b.ConstantR0<bool>(false);
  return b.Build().value();
}

TEST(BuilderMethods, TwoOperands) {
  EXPECT_SAME(b.Add(x, y), Add(x, y));
  EXPECT_SAME(b.Add(x, v, {1}), Add(x, v, {1}));
  EXPECT_SAME(b.Sub(x, y), Sub(x, y));
  EXPECT_SAME(b.Mul(x, y), Mul(x, y));
  EXPECT_SAME(b.Div(x, y), Div(x, y));
  EXPECT_SAME(b.Rem(x, y), Rem(x, y));
  EXPECT_SAME(b.Max(x, y), Max(x, y));
  EXPECT_SAME(b.Min(x, y), Min(x, y));
  EXPECT_SAME(b.Pow(x, y), Pow(x, y));
  EXPECT_SAME(b.Atan2(x, y), Atan2(x, y));
  EXPECT_SAME(b.Complex(x, y), Complex(x, y));
  EXPECT_SAME(b.And(i, j), And(i, j));
  EXPECT_SAME(b.Or(i, j), Or(i, j));
  EXPECT_SAME(b.Xor(i, j), Xor(i, j));
  EXPECT_SAME(b.ShiftLeft(i, j), ShiftLeft(i, j));
  EXPECT_SAME(b.ShiftRightArithmetic(i, j), ShiftRightArithmetic(i, j));
  EXPECT_SAME(b.ShiftRightLogical(i, j), ShiftRightLogical(i, j));
  EXPECT_SAME(b.Eq(x, y), Eq(x, y));
  EXPECT_SAME(b.Ne(x, y), Ne(x, y));
  EXPECT_SAME(b.Ge(x, y), Ge(x, y));
  EXPECT_SAME(b.Gt(x, y), Gt(x, y));
  EXPECT_SAME(b.Le(x, y), Le(x, y));
  EXPECT_SAME(b.Lt(x, y), Lt(x, y));
  EXPECT_SAME(b.EqTotalOrder(x, y), EqTotalOrder(x, y));
  EXPECT_SAME(b.NeTotalOrder(x, y), NeTotalOrder(x, y));
  EXPECT_SAME(b.GeTotalOrder(x, y), GeTotalOrder(x, y));
  EXPECT_SAME(b.GtTotalOrder(x, y), GtTotalOrder(x, y));
  EXPECT_SAME(b.LeTotalOrder(x, y), LeTotalOrder(x, y));
  EXPECT_SAME(b.LtTotalOrder(x, y), LtTotalOrder(x, y));
}

TEST(BuilderMethods, OneOperand) {
  EXPECT_SAME(b.Abs(x), Abs(x));
  EXPECT_SAME(b.Neg(x), Neg(x));
  EXPECT_SAME(b.Sign(x), Sign(x));
  EXPECT_SAME(b.Floor(x), Floor(x));
  EXPECT_SAME(b.Ceil(x), Ceil(x));
  EXPECT_SAME(b.Round(x), Round(x));
  EXPECT_SAME(b.RoundNearestEven(x), RoundNearestEven(x));
  EXPECT_SAME(b.Not(i), Not(i));
  EXPECT_SAME(b.Clz(i), Clz(i));
  EXPECT_SAME(b.PopulationCount(i), PopulationCount(i));
  EXPECT_SAME(b.IsFinite(x), IsFinite(x));
  EXPECT_SAME(b.Real(z), Real(z));
  EXPECT_SAME(b.Imag(z), Imag(z));
  EXPECT_SAME(b.Exp(x), Exp(x));
  EXPECT_SAME(b.Expm1(x), Expm1(x));
  EXPECT_SAME(b.Log(x), Log(x));
  EXPECT_SAME(b.Log1p(x), Log1p(x));
  EXPECT_SAME(b.Logistic(x), Logistic(x));
  EXPECT_SAME(b.Sin(x), Sin(x));
  EXPECT_SAME(b.Cos(x), Cos(x));
  EXPECT_SAME(b.Tan(x), Tan(x));
  EXPECT_SAME(b.Tanh(x), Tanh(x));
  EXPECT_SAME(b.Sqrt(x), Sqrt(x));
  EXPECT_SAME(b.Cbrt(x), Cbrt(x));
  EXPECT_SAME(b.Rsqrt(x), Rsqrt(x));
  EXPECT_SAME(b.Erf(x), Erf(x));
  EXPECT_SAME(b.ConvertElementType(x, S32), ConvertElementType(x, S32));
  EXPECT_SAME(b.BitcastConvertType(x, S32), BitcastConvertType(x, S32));
  EXPECT_SAME(b.ReducePrecision(x, 5, 10), ReducePrecision(x, 5, 10));
  EXPECT_SAME(b.OptimizationBarrier(x), OptimizationBarrier(x));
}

// As functions and as members.
TEST(BuilderMethods, OlderNames) {
  EXPECT_SAME(b.LogicalAnd(p, p), And(p, p));
  EXPECT_SAME(b.LogicalOr(p, p), Or(p, p));
  EXPECT_SAME(b.LogicalNot(p), Not(p));
  EXPECT_SAME(LogicalAnd(p, p), And(p, p));
  EXPECT_SAME(LogicalOr(p, p), Or(p, p));
  EXPECT_SAME(LogicalNot(p), Not(p));
}

TEST(BuilderMethods, ConstantsAndShapes) {
  EXPECT_SAME(b.ConstantR0<float>(1), ConstantR0<float>(&b, 1));
  EXPECT_SAME(b.ConstantR1<float>({1, 2}), ConstantR1<float>(&b, {1, 2}));
  EXPECT_SAME(b.ConstantR2<float>({{1}, {2}}), ConstantR2<float>(&b, {{1}, {2}}));
  EXPECT_SAME(b.Iota(ShapeUtil::MakeShape(S32, {2, 3}), 1),
              Iota(&b, ShapeUtil::MakeShape(S32, {2, 3}), 1));
  EXPECT_SAME(b.Select(p, x, y), Select(p, x, y));
  EXPECT_SAME(b.Clamp(s, x, y), Clamp(s, x, y));
  EXPECT_SAME(b.Broadcast(x, {2}), Broadcast(x, {2}));
  EXPECT_SAME(b.BroadcastInDim(v, {3, 2}, {0}), BroadcastInDim(v, {3, 2}, {0}));
  EXPECT_SAME(b.Reshape(x, {6}), Reshape(x, {6}));
  EXPECT_SAME(b.Reshape(x, {1, 0}, {6}), Reshape(Transpose(x, {1, 0}), {6}));
  EXPECT_SAME(b.Collapse(x, {0, 1}), Collapse(x, {0, 1}));
  EXPECT_SAME(b.Transpose(x, {1, 0}), Transpose(x, {1, 0}));
  EXPECT_SAME(b.Rev(x, {0}), Rev(x, {0}));
  EXPECT_SAME(b.Pad(x, s, MakeNoPaddingConfig(2)), Pad(x, s, MakeNoPaddingConfig(2)));
  EXPECT_SAME(b.Slice(x, {0, 1}, {2, 3}), Slice(x, {0, 1}, {2, 3}, {1, 1}));
  EXPECT_SAME(b.Slice(x, {0, 1}, {2, 3}, {2, 1}), Slice(x, {0, 1}, {2, 3}, {2, 1}));
  EXPECT_SAME(b.ConcatInDim({x, y}, 1), ConcatInDim(&b, {x, y}, 1));
  EXPECT_SAME(b.DynamicSlice(x, {j, j}, {1, 1}), DynamicSlice(x, {j, j}, {1, 1}));
  EXPECT_SAME(b.DynamicUpdateSlice(x, y, {j, j}), DynamicUpdateSlice(x, y, {j, j}));
  EXPECT_SAME(b.GetDimensionSize(x, 1), GetDimensionSize(x, 1));
  EXPECT_SAME(b.SetDimensionSize(x, j, 1), SetDimensionSize(x, j, 1));
  EXPECT_SAME(b.GetTupleElement(b.Tuple({x, s}), 1), GetTupleElement(Tuple(&b, {x, s}), 1));
}

GatherDimensionNumbers RowsIn() {
  GatherDimensionNumbers numbers;
  numbers.add_offset_dims(1);
  numbers.add_collapsed_slice_dims(0);
  numbers.add_start_index_map(0);
  numbers.set_index_vector_dim(1);
  return numbers;
}

ScatterDimensionNumbers RowsInto() {
  ScatterDimensionNumbers numbers;
  numbers.add_update_window_dims(0);
  numbers.add_inserted_window_dims(0);
  numbers.add_scatter_dims_to_operand_dims(0);
  return numbers;
}

TEST(BuilderMethods, IndexingReductionsAndSorting) {
  EXPECT_SAME(b.Gather(x, b.Reshape(i, {6}), RowsIn(), {1, 3}, false, true),
              Gather(x, Reshape(i, {6}), RowsIn(), {1, 3}));
  EXPECT_SAME(b.Scatter(x, j, v, Sum(), RowsInto(), true, true),
              Scatter(x, j, v, Sum(), RowsInto(), true, true));
  EXPECT_SAME(b.Scatter({x}, j, {v}, Sum(), RowsInto()), Scatter({x}, j, {v}, Sum(), RowsInto()));
  EXPECT_SAME(b.Reduce(x, s, Sum(), {0}), Reduce(x, s, Sum(), {0}));
  EXPECT_SAME(b.ReduceWindow(x, s, Sum(), {1, 2}, {1, 1}, Padding::kSame),
              ReduceWindow(x, s, Sum(), {1, 2}, {1, 1}, Padding::kSame));
  EXPECT_SAME(b.SelectAndScatter(x, Greater(), {2, 3}, {2, 3}, Padding::kValid,
                                 b.Reshape(s, {1, 1}), s, Sum()),
              SelectAndScatter(x, Greater(), {2, 3}, {2, 3}, Padding::kValid, Reshape(s, {1, 1}), s,
                               Sum()));
  EXPECT_SAME(b.Map({x}, Negated(), {0, 1}), Map(&b, {x}, Negated(), {0, 1}));
  EXPECT_SAME(b.Sort({x}, Greater(), 0, true), Sort({x}, Greater(), 0, true));
  EXPECT_SAME(b.TopK(x, 2, false), TopK(x, 2, false));
}

TEST(BuilderMethods, ContractionsAndLinearAlgebra) {
  EXPECT_SAME(b.Dot(x, m), Dot(x, m));
  EXPECT_SAME(b.Conv(image, kernel, {2}, Padding::kSame), Conv(image, kernel, {2}, Padding::kSame));
  EXPECT_SAME(b.ConvWithGeneralPadding(image, kernel, {2}, {{1, 0}}),
              ConvWithGeneralPadding(image, kernel, {2}, {{1, 0}}));
  EXPECT_SAME(b.ConvWithGeneralPadding(image, kernel, {2}, {{1, 0}}, {3}, {2}),
              ConvGeneralDilated(image, kernel, {2}, {{1, 0}}, {3}, {2},
                                 XlaBuilder::CreateDefaultConvDimensionNumbers(1)));
  EXPECT_SAME(b.Fft(z, FftType::FFT, {4}), Fft(z, FftType::FFT, {4}));
  EXPECT_SAME(b.TriangularSolve(m, m, true, true, false, TriangularSolveOptions::TRANSPOSE),
              TriangularSolve(m, m, true, true, false, TriangularSolveOptions::TRANSPOSE));
  EXPECT_SAME(b.Cholesky(m, true), Cholesky(m, true));
  EXPECT_SAME(b.BatchNormTraining(x, v, v, 0.5, 1), BatchNormTraining(x, v, v, 0.5, 1));
  EXPECT_SAME(b.BatchNormInference(x, v, v, v, v, 0.5, 1),
              BatchNormInference(x, v, v, v, v, 0.5, 1));
  EXPECT_SAME(b.BatchNormGrad(x, v, v, v, y, 0.5, 1), BatchNormGrad(x, v, v, v, y, 0.5, 1));
  EXPECT_SAME(b.RngNormal(s, s, ShapeUtil::MakeShape(F32, {2})),
              RngNormal(s, s, ShapeUtil::MakeShape(F32, {2})));
  EXPECT_SAME(b.RngUniform(s, s, ShapeUtil::MakeShape(F32, {2})),
              RngUniform(s, s, ShapeUtil::MakeShape(F32, {2})));
  EXPECT_SAME(b.RngBitGenerator(RNG_PHILOX, b.ConstantR1<uint64_t>({1, 2, 3}),
                                ShapeUtil::MakeShape(U32, {2})),
              RngBitGenerator(RNG_PHILOX, ConstantR1<uint64_t>(&b, {1, 2, 3}),
                              ShapeUtil::MakeShape(U32, {2})));
}

ChannelHandle Channel() {
  ChannelHandle handle;
  handle.set_handle(1);
  handle.set_type(ChannelHandle::DEVICE_TO_DEVICE);
  return handle;
}

TEST(BuilderMethods, ControlAndCommunication) {
  EXPECT_SAME(b.While(Never(), Negated(), s), While(Never(), Negated(), s));
  EXPECT_SAME(b.Conditional(b.ConstantR0<bool>(true), s, Negated(), s, Negated()),
              Conditional(ConstantR0<bool>(&b, true), s, Negated(), s, Negated()));
  EXPECT_SAME(b.Call(Sum(), {s, s}), Call(&b, Sum(), {s, s}));
  EXPECT_SAME(b.CompositeCall(Sum(), {s, s}, "sum", "{}", 1),
              CompositeCall(&b, Sum(), {s, s}, "sum", "{}", 1));
  EXPECT_SAME(b.CustomCall("target", {x}, ShapeUtil::MakeShape(F32, {2})),
              CustomCall(&b, "target", {x}, ShapeUtil::MakeShape(F32, {2})));
  EXPECT_SAME(b.AfterAll({b.CreateToken()}), AfterAll(&b, {CreateToken(&b)}));
  EXPECT_SAME(b.Infeed(ShapeUtil::MakeShape(F32, {2})), Infeed(&b, ShapeUtil::MakeShape(F32, {2})));
  EXPECT_SAME(b.Outfeed(x, ShapeUtil::MakeShape(F32, {2, 3}), ""),
              Outfeed(x, ShapeUtil::MakeShape(F32, {2, 3}), ""));
  EXPECT_SAME(b.Send(x, Channel()), Send(x, Channel()));
  EXPECT_SAME(b.Recv(ShapeUtil::MakeShape(F32, {2}), Channel()),
              Recv(&b, ShapeUtil::MakeShape(F32, {2}), Channel()));
  EXPECT_SAME(b.ReplicaId(), ReplicaId(&b));
  EXPECT_SAME(b.CrossReplicaSum(x), CrossReplicaSum(x));
  EXPECT_SAME(b.AllReduce(x, Sum()), AllReduce(x, Sum()));
  EXPECT_SAME(b.AllGather(x, 1, 2), AllGather(x, 1, 2));
  EXPECT_SAME(b.ReduceScatter(x, Sum(), 0, 2), ReduceScatter(x, Sum(), 0, 2));
  EXPECT_SAME(b.AllToAll(x, 0, 1, 2), AllToAll(x, 0, 1, 2));
  EXPECT_SAME(b.CollectivePermute(x, {{0, 1}}), CollectivePermute(x, {{0, 1}}));
}

TEST(BuilderMethods, SeveralOperands) {
  XlaComputation pairs;
  {
    XlaBuilder b("pairs");
    std::vector<XlaOp> in;
    for (int n = 0; n < 4; ++n) {
      in.push_back(b.Parameter(n, ShapeUtil::MakeShape(F32, {}), "p"));
    }
    b.Tuple({b.Add(in[0], in[2]), b.Max(in[1], in[3])});
    pairs = b.Build().value();
  }
  Inputs members, functions;
  members.b.Reduce({members.x, members.y}, {members.s, members.s}, pairs, {1});
  Reduce(&functions.b, {functions.x, functions.y}, {functions.s, functions.s}, pairs, {1});
  EXPECT_EQ(TextOf(members.b), TextOf(functions.b));
}

// A computation may be given like a pointer to it.
TEST(BuilderMethods, ComputationsLookLikePointers) {
  const XlaComputation sum = Sum();
  EXPECT_EQ(&*sum, &sum);
}

TEST(BuilderMethods, OperandsAreOfTheBuilder) {
  XlaBuilder other("other");
  const XlaOp foreign = other.ConstantR0<float>(1);
  Inputs in;
  EXPECT_FALSE(in.b.Add(foreign, foreign).valid());
  EXPECT_THAT(ErrorOf(in.b), AllOf(HasSubstr("main"), HasSubstr("other")));
  EXPECT_TRUE(other.first_error().ok());

  Inputs again;
  EXPECT_FALSE(again.b.ConcatInDim({again.x, XlaOp()}, 0).valid());
  EXPECT_THAT(ErrorOf(again.b), HasSubstr("uninitialized"));
}

TEST(BuilderMethods, NoOperands) {
  Inputs in;
  EXPECT_FALSE(in.b.Sort({}, Greater()).valid());
  EXPECT_THAT(ErrorOf(in.b), HasSubstr("sort"));
  Inputs again;
  EXPECT_FALSE(
      again.b.ReduceWindow({}, absl::Span<const XlaOp>(), Sum(), {}, {}, Padding::kSame).valid());
  EXPECT_THAT(ErrorOf(again.b), HasSubstr("reduce-window"));
}

}  // namespace
}  // namespace xla
