#include "xla/hlo/builder/xla_builder.h"

#include <string>
#include <vector>

#include "tests/builder/builder_testing.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/sharding_builder.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Shape kScalar = ShapeUtil::MakeShape(F32, {});
const Shape kVector = ShapeUtil::MakeShape(F32, {3});
const Shape kMatrix = ShapeUtil::MakeShape(F32, {2, 3});

TEST(XlaBuilderTest, AddsParametersByName) {
  XlaBuilder b("sum");
  Add(Parameter(&b, 0, kVector, "x"), Parameter(&b, 1, kVector, "y"));
  EXPECT_EQ(TextOf(b),
            R"(HloModule sum, entry_computation_layout={(f32[3]{0}, f32[3]{0})->f32[3]{0}}

ENTRY sum {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  ROOT add = f32[3] add(x, y)
}

)");
}

TEST(XlaBuilderTest, NamesAreUniqueOverSubBuilders) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp twice = x + x;
  const XlaOp zero = ConstantR0<float>(&b, 0);
  Reduce(twice, zero, CreateScalarAddComputation(F32, &b), {0});
  EXPECT_THAT(
      TextOf(b),
      AllOf(HasSubstr("add = f32[3] add(x, x)"), HasSubstr("ROOT add.1 = f32[] add(lhs, rhs)"),
            HasSubstr("reduce(add, constant), dimensions={0}, to_apply=add_f32")));
}

TEST(XlaBuilderTest, NameComesFromMetadata) {
  XlaBuilder b("main");
  OpMetadata metadata;
  metadata.set_op_name("jit(f)/layer 1");
  b.SetOneShotOpMetadata(metadata);
  const XlaOp x = Iota(&b, S32, 4);
  Neg(x);
  EXPECT_THAT(TextOf(b), AllOf(HasSubstr("layer_1 = s32[4] iota()"),
                               HasSubstr("negate = s32[4] negate(layer_1)")));
}

TEST(XlaBuilderTest, ProtoHasWhatReadersAskFor) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  Reduce(x, ConstantR0<float>(&b, 0), CreateScalarAddComputation(F32, &b), {0});
  const XlaComputation computation = *b.Build();
  const HloModuleProto& proto = computation.proto();
  EXPECT_EQ(proto.name(), "main");
  EXPECT_EQ(proto.entry_computation_name(), "main");
  ASSERT_EQ(proto.computations_size(), 2);
  EXPECT_EQ(proto.entry_computation_id(), proto.computations(1).id());
  EXPECT_EQ(proto.id(), proto.entry_computation_id());
  EXPECT_LT(proto.computations(0).id(), proto.computations(1).id());
  EXPECT_EQ(proto.computations(1).instructions(0).id(),
            HloInstruction::CalculateUniqueId(proto.computations(1).id(), 1));
  EXPECT_EQ(computation.GetProgramShape()->ToString(), "(x: f32[3]) -> f32[]");
  EXPECT_EQ(proto.host_program_shape().parameter_names(0), "x");
}

TEST(XlaBuilderTest, ScalarsAreBroadcast) {
  XlaBuilder b("main");
  Mul(Parameter(&b, 0, kScalar, "a"), Parameter(&b, 1, kMatrix, "x"));
  EXPECT_THAT(TextOf(b), AllOf(HasSubstr("broadcast = f32[2,3] broadcast(a), dimensions={}"),
                               HasSubstr("multiply(broadcast, x)")));
}

TEST(XlaBuilderTest, LowerRankIsBroadcastInDimensions) {
  XlaBuilder b("main");
  Add(Parameter(&b, 0, kMatrix, "x"), Parameter(&b, 1, kVector, "y"), {1});
  EXPECT_THAT(TextOf(b), AllOf(HasSubstr("broadcast = f32[2,3] broadcast(y), dimensions={1}"),
                               HasSubstr("add(x, broadcast)")));
}

TEST(XlaBuilderTest, DegenerateDimensionsAreBroadcast) {
  XlaBuilder b("main");
  Add(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {1, 3}), "x"),
      Parameter(&b, 1, ShapeUtil::MakeShape(F32, {2, 1}), "y"));
  EXPECT_THAT(TextOf(b), AllOf(HasSubstr("reshape = f32[3] reshape(x)"),
                               HasSubstr("broadcast = f32[2,3] broadcast(reshape), dimensions={1}"),
                               HasSubstr("reshape.1 = f32[2] reshape(y)"),
                               HasSubstr("f32[2,3] broadcast(reshape.1), dimensions={0}")));
}

TEST(XlaBuilderTest, InDimensionsAndDegenerateTogether) {
  XlaBuilder b("main");
  Add(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 3, 4}), "x"),
      Parameter(&b, 1, ShapeUtil::MakeShape(F32, {1, 4}), "y"), {1, 2});
  EXPECT_THAT(TextOf(b), AllOf(HasSubstr("broadcast = f32[2,1,4] broadcast(y), dimensions={1,2}"),
                               HasSubstr("reshape = f32[2,4] reshape(broadcast)"),
                               HasSubstr("f32[2,3,4] broadcast(reshape), dimensions={0,2}")));
}

TEST(XlaBuilderTest, RanksThatDifferNeedDimensions) {
  XlaBuilder b("main");
  Add(Parameter(&b, 0, kMatrix, "x"), Parameter(&b, 1, kVector, "y"));
  EXPECT_THAT(ErrorOf(b), AllOf(HasSubstr("add"), HasSubstr("f32[2,3]"), HasSubstr("f32[3]"),
                                HasSubstr("different rank")));
}

TEST(XlaBuilderTest, BadBroadcastDimensions) {
  const std::vector<std::vector<int64_t>> bad = {{0}, {2}, {-1}, {0, 1}};
  for (const std::vector<int64_t>& dimensions : bad) {
    XlaBuilder b("main");
    Add(Parameter(&b, 0, kMatrix, "x"), Parameter(&b, 1, kVector, "y"), dimensions);
    EXPECT_THAT(ErrorOf(b), HasSubstr("add")) << dimensions.size();
  }
  XlaBuilder b("main");
  Add(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 3, 4}), "x"), Parameter(&b, 1, kMatrix, "y"),
      {1, 0});
  EXPECT_THAT(ErrorOf(b), HasSubstr("must ascend"));
}

TEST(XlaBuilderTest, SelectAndClampBroadcastScalars) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp p = Parameter(&b, 1, ShapeUtil::MakeShape(PRED, {}), "p");
  Clamp(ConstantR0<float>(&b, 0), Select(p, x, Neg(x)), ConstantR0<float>(&b, 1));
  EXPECT_THAT(TextOf(b), AllOf(HasSubstr("broadcast = pred[3] broadcast(p), dimensions={}"),
                               HasSubstr("select(broadcast, x, negate)"),
                               HasSubstr("clamp(broadcast.1, select, broadcast.2)")));
}

TEST(XlaBuilderTest, EveryElementwiseOperation) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp y = Parameter(&b, 1, kVector, "y");
  const XlaOp i = ConvertElementType(x, S32);
  const XlaOp j = ConvertElementType(y, U32);
  const XlaOp p = Gt(x, y);
  const XlaOp z = Complex(x, y);
  const std::vector<XlaOp> all = {
      x + y,
      x - y,
      x * y,
      x / y,
      x % y,
      -x,
      ~i,
      i & i,
      i | i,
      i ^ i,
      i << i,
      i >> i,
      j >> j,
      Mulhi(i, i),
      Max(x, y),
      Min(x, y),
      Pow(x, y),
      Atan2(x, y),
      And(p, p, p, p),
      Or(p, p, p),
      ShiftRightLogical(i, i),
      Eq(x, y),
      Ne(x, y),
      Ge(x, y),
      Lt(x, y),
      Le(x, y),
      EqTotalOrder(x, y),
      NeTotalOrder(x, y),
      GeTotalOrder(x, y),
      GtTotalOrder(x, y),
      LtTotalOrder(x, y),
      LeTotalOrder(i, i),
      Abs(x),
      Abs(z),
      Sign(x),
      Floor(x),
      Ceil(x),
      Round(x),
      RoundNearestEven(x),
      Not(p),
      Clz(i),
      PopulationCount(i),
      IsFinite(x),
      Real(z),
      Imag(z),
      Conj(z),
      Exp(x),
      Expm1(x),
      Log(x),
      Log1p(x),
      Logistic(x),
      Sin(x),
      Cos(x),
      Tan(x),
      Tanh(x),
      Sqrt(x),
      Cbrt(x),
      Rsqrt(x),
      Erf(x),
      BitcastConvertType(x, U32),
      BitcastConvertType(x, U8),
      ReducePrecision(x, 5, 10),
      Copy(x),
      StochasticConvertType(x, j, BF16),
      OptimizationBarrier(x),
      Compare(x, y, ComparisonDirection::kLe),
      Compare(x, y, {}, ComparisonDirection::kLe, Comparison::Type::kFloatTotalOrder)};
  Tuple(&b, all);
  const std::string text = TextOf(b);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("shift-right-arithmetic"), HasSubstr("shift-right-logical"),
            HasSubstr("u8[3,4] bitcast-convert(x)"), HasSubstr("direction=LE, type=TOTALORDER"),
            HasSubstr("exponent_bits=5, mantissa_bits=10"), HasSubstr("f32[3] abs(complex)")));
}

TEST(XlaBuilderTest, ResultAccuracy) {
  XlaBuilder b("main");
  ResultAccuracy accuracy;
  accuracy.set_mode(ResultAccuracy::HIGHEST);
  Exp(Parameter(&b, 0, kVector, "x"), accuracy);
  EXPECT_THAT(TextOf(b), HasSubstr("exponential(x), result_accuracy={mode=highest}"));
}

TEST(XlaBuilderTest, Constants) {
  XlaBuilder b("main");
  Tuple(&b, {ConstantR0<int32_t>(&b, 7), ConstantR1<float>(&b, {1, 2}), ConstantR1<float>(&b, 3, 5),
             ConstantR2<int32_t>(&b, {{1, 2}, {3, 4}}), ConstantR0<bool>(&b, true),
             ConstantFromArray<float>(&b, Array<float>({2, 1}, 2.5f)),
             ConstantR2FromArray2D<float>(&b, Array2D<float>({{1, 2}, {3, 4}})),
             ConstantLiteral(&b, LiteralUtil::CreateR0<double>(1e300))});
  EXPECT_THAT(TextOf(b),
              AllOf(HasSubstr("s32[] constant(7)"), HasSubstr("f32[2] constant({1, 2})"),
                    HasSubstr("f32[] constant(5)"),
                    HasSubstr("f32[3] broadcast(constant.2), dimensions={}"),
                    HasSubstr("s32[2,2] constant({ { 1, 2 }, { 3, 4 } })"),
                    HasSubstr("pred[] constant(true)"), HasSubstr("f64[] constant(1e+300)"),
                    HasSubstr("f32[2,1] broadcast(")));
}

TEST(XlaBuilderTest, FirstErrorIsKept) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp bad = Add(x, ConvertElementType(x, S32));
  EXPECT_FALSE(bad.valid());
  EXPECT_EQ(bad.builder(), &b);
  const absl::Status first = b.first_error();
  Mul(bad, Transpose(x, {5}));
  EXPECT_EQ(b.first_error(), first);
  EXPECT_EQ(b.GetCurrentStatus(), first);
  EXPECT_EQ(b.Build().status(), first);
  EXPECT_FALSE(b.GetShape(x).ok());
}

TEST(XlaBuilderTest, OperationsOfTwoBuildersDoNotMix) {
  XlaBuilder a("a");
  XlaBuilder b("b");
  const XlaOp x = Parameter(&a, 0, kVector, "x");
  const XlaOp y = Parameter(&b, 0, kVector, "y");
  Add(x, y);
  EXPECT_THAT(ErrorOf(a), HasSubstr("belongs to builder b"));
}

TEST(XlaBuilderTest, UninitializedOperationsAreRefused) {
  XlaBuilder b("main");
  EXPECT_FALSE(XlaOp().valid());
  EXPECT_TRUE(XlaOp().IsUninitialized());
  EXPECT_EQ(internal::XlaBuilderFriend::GetInstruction(XlaOp()), nullptr);
  Add(Parameter(&b, 0, kVector, "x"), XlaOp());
  EXPECT_THAT(ErrorOf(b), HasSubstr("uninitialized"));
}

TEST(XlaBuilderTest, OperationsOfAProgramAlreadyBuiltAreRefused) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  ASSERT_TRUE(b.Build().ok());
  Neg(x);
  EXPECT_THAT(ErrorOf(b), HasSubstr("already built"));
}

TEST(XlaBuilderTest, ABuilderCanBeUsedAgain) {
  XlaBuilder b("main");
  Parameter(&b, 0, kVector, "x");
  ASSERT_TRUE(b.Build().ok());
  Neg(Parameter(&b, 0, kMatrix, "x"));
  EXPECT_THAT(TextOf(b), HasSubstr("f32[2,3] negate(x)"));
}

TEST(XlaBuilderTest, ParameterNumbersAreDense) {
  XlaBuilder b("main");
  Parameter(&b, 1, kVector, "x");
  EXPECT_THAT(ErrorOf(b), HasSubstr("number 1"));
  XlaBuilder c("main");
  Parameter(&c, 0, kVector, "x");
  Parameter(&c, 0, kVector, "y");
  EXPECT_THAT(ErrorOf(c), HasSubstr("parameter 0 already registered"));
  XlaBuilder d("main");
  Parameter(&d, -1, kVector, "x");
  EXPECT_THAT(ErrorOf(d), HasSubstr("-1"));
}

TEST(XlaBuilderTest, AnEmptyBuilderBuildsNothing) {
  XlaBuilder b("main");
  EXPECT_THAT(ErrorOf(b), HasSubstr("no operations"));
}

TEST(XlaBuilderTest, RootMayBeAnyOperation) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp root = Neg(x);
  Abs(x);
  const XlaComputation computation = *b.Build(root);
  EXPECT_THAT(ModuleOf(computation)->ToString(), HasSubstr("ROOT negate"));
}

TEST(XlaBuilderTest, DieImmediately) {
  XlaBuilder b("main");
  b.set_die_immediately_on_error(true);
  EXPECT_DEATH(Transpose(Parameter(&b, 0, kVector, "x"), {5}), "main");
}

TEST(XlaBuilderTest, ScopedAttributes) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  OpSharding sharding;
  sharding.set_type(OpSharding::REPLICATED);
  FrontendAttributes attributes;
  (*attributes.mutable_map())["k"] = "v";
  OpMetadata metadata;
  metadata.set_op_name("f/inner");
  {
    XlaScopedShardingAssignment with_sharding(&b, sharding);
    XlaScopedFrontendAttributesAssignment with_attributes(&b, attributes);
    XlaScopedOpMetadataAssignment with_metadata(&b, metadata);
    Tuple(&b, {Neg(x), x});
  }
  const XlaOp plain = Abs(x);
  EXPECT_FALSE(b.sharding().has_value());
  EXPECT_TRUE(b.frontend_attributes().map().empty());
  EXPECT_TRUE(b.GetOpSharding(plain)->has_value() == false);
  const std::string text = TextOf(b);
  EXPECT_THAT(text,
              AllOf(HasSubstr("inner = f32[3] negate(x), sharding={replicated}, "
                              "frontend_attributes={k=\"v\"}"),
                    HasSubstr("sharding={{replicated}, {replicated}}"), HasSubstr("abs(x)\n")));
}

TEST(XlaBuilderTest, ShardingThatDoesNotFitIsRefused) {
  XlaBuilder b("main");
  OpSharding sharding;
  sharding.set_type(OpSharding::OTHER);
  sharding.add_tile_assignment_dimensions(2);
  sharding.add_tile_assignment_devices(0);
  b.SetSharding(sharding);
  Parameter(&b, 0, kVector, "x");
  EXPECT_FALSE(b.first_error().ok());
}

TEST(XlaBuilderTest, ChangesAfterTheFact) {
  XlaBuilder b("main");
  const XlaOp x = Neg(Parameter(&b, 0, kVector, "x"));
  OpSharding sharding;
  sharding.set_type(OpSharding::MANUAL);
  EXPECT_TRUE(b.SetInstructionSharding(x, sharding).ok());
  EXPECT_TRUE(b.SetInstructionFrontendAttribute(x, "a", "1").ok());
  EXPECT_THAT(TextOf(b), HasSubstr("negate(x), sharding={manual}, frontend_attributes={a=\"1\"}"));
}

TEST(XlaBuilderTest, AliasesAndDonors) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  Parameter(&b, 1, kVector, "y");
  Tuple(&b, {Neg(x)});
  b.SetUpAlias({0}, 0, {});
  b.AddBufferDonor(1, {});
  EXPECT_THAT(TextOf(b), AllOf(HasSubstr("input_output_alias={ {0}: (0, {}, may-alias) }"),
                               HasSubstr("buffer_donor={ (1, {}) }")));
}

TEST(XlaBuilderTest, BadAliases) {
  for (int64_t parameter : {-1, 1}) {
    XlaBuilder b("main");
    Neg(Parameter(&b, 0, kVector, "x"));
    b.SetUpAlias({}, parameter, {});
    EXPECT_THAT(ErrorOf(b), HasSubstr("alias"));
  }
  XlaBuilder b("main");
  Neg(Parameter(&b, 0, kVector, "x"));
  b.SetUpAlias({3}, 0, {});
  EXPECT_FALSE(b.Build().ok());
  XlaBuilder c("main");
  Neg(Parameter(&c, 0, kVector, "x"));
  c.AddBufferDonor(0, {4});
  EXPECT_THAT(ErrorOf(c), HasSubstr("donor"));
}

TEST(XlaBuilderTest, SubComputationsAreEmbeddedOnce) {
  XlaBuilder b("main");
  std::unique_ptr<XlaBuilder> sub = b.CreateSubBuilder("plus");
  Add(Parameter(sub.get(), 0, kScalar, "a"), Parameter(sub.get(), 1, kScalar, "b"));
  const absl::StatusOr<XlaComputationId> plus = sub->BuildSubComputation();
  ASSERT_TRUE(plus.ok()) << plus.status();
  const XlaOp x = Parameter(&b, 0, kMatrix, "x");
  const XlaOp zero = ConstantR0<float>(&b, 0);
  Tuple(&b, {Reduce(&b, {x}, {zero}, *plus, {0}), Reduce(&b, {x}, {zero}, *plus, {1})});
  const XlaComputation computation = *b.Build();
  EXPECT_EQ(computation.proto().computations_size(), 2);
  EXPECT_NE(ModuleOf(computation), nullptr);
}

TEST(XlaBuilderTest, ErrorsOfSubBuildersReachTheParent) {
  XlaBuilder b("main");
  std::unique_ptr<XlaBuilder> sub = b.CreateSubBuilder("inner");
  Transpose(Parameter(sub.get(), 0, kVector, "x"), {5});
  EXPECT_TRUE(sub->BuildAndNoteError().IsNull());
  EXPECT_THAT(ErrorOf(b), AllOf(HasSubstr("inner"), HasSubstr("transpose")));
}

TEST(XlaBuilderTest, NullComputationsAreRefused) {
  XlaBuilder b("main");
  Call(&b, XlaComputation(), {});
  EXPECT_FALSE(b.first_error().ok());
  XlaBuilder c("main");
  Call(&c, XlaComputationId(), {});
  EXPECT_FALSE(c.first_error().ok());
}

TEST(XlaBuilderTest, IsConstant) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp c = ConstantR1<float>(&b, {1, 2, 3});
  const XlaOp sum = Reduce(c, ConstantR0<float>(&b, 0), CreateScalarAddComputation(F32, &b), {0});
  EXPECT_TRUE(*b.IsConstant(sum));
  EXPECT_FALSE(*b.IsConstant(c + x));
  EXPECT_TRUE(*b.IsConstant(GetDimensionSize(x, 0)));
  EXPECT_FALSE(
      *b.IsConstant(RngUniform(ConstantR0<float>(&b, 0), ConstantR0<float>(&b, 1), kVector)));
}

TEST(XlaBuilderTest, BuildConstantSubGraph) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {7}, {true}), "x");
  const XlaOp size = GetDimensionSize(x, 0);
  const XlaOp doubled = size + size;
  EXPECT_FALSE(b.BuildConstantSubGraph(x).ok());
  const absl::StatusOr<XlaComputation> constant = b.BuildConstantSubGraph(doubled);
  ASSERT_TRUE(constant.ok()) << constant.status();
  EXPECT_THAT(ModuleOf(*constant)->ToString(),
              AllOf(HasSubstr("constant(7)"), Not(HasSubstr("param"))));
  EXPECT_THAT(ModuleOf(*b.BuildConstantSubGraph(doubled, true))->ToString(),
              HasSubstr("constant(-1)"));
}

TEST(XlaBuilderTest, RemoveDynamicDimensions) {
  XlaBuilder b("main");
  Neg(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {7}, {true}), "x"));
  const XlaComputation computation = *b.Build(/*remove_dynamic_dimensions=*/true);
  EXPECT_TRUE(computation.GetProgramShape()->result().is_static());
  EXPECT_THAT(ModuleOf(computation)->ToString(), Not(HasSubstr("<=")));
}

TEST(XlaBuilderTest, OpToString) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  EXPECT_EQ(b.OpToString(Add(x, x)),
            "add, shape=[3], metadata={:0}\n"
            "  parameter, shape=[3], metadata={:0}\n"
            "  parameter, shape=[3], metadata={:0}");
}

TEST(XlaBuilderTest, ConvolutionDimensionNumbers) {
  ConvolutionDimensionNumbers numbers = XlaBuilder::CreateDefaultConvDimensionNumbers(2);
  EXPECT_TRUE(XlaBuilder::Validate(numbers).ok());
  numbers.set_input_feature_dimension(0);
  EXPECT_FALSE(XlaBuilder::Validate(numbers).ok());
}

TEST(XlaBuilderTest, Snapshot) {
  XlaBuilder b("main");
  Parameter(&b, 0, kVector, "x");
  const XlaComputation computation = *b.Build();
  EXPECT_FALSE(computation.IsNull());
  EXPECT_EQ((*computation.Snapshot())->hlo().hlo_module().name(), "main");
  EXPECT_TRUE(XlaComputation().IsNull());
  EXPECT_FALSE(XlaComputation().Snapshot().ok());
}

TEST(XlaBuilderTest, PointsInNamesOfMetadata) {
  XlaBuilder b("main");
  OpMetadata metadata;
  metadata.set_op_name("model/state.velocity");
  b.SetOneShotOpMetadata(metadata);
  Iota(&b, S32, 4);
  EXPECT_THAT(TextOf(b), HasSubstr("state_velocity = s32[4] iota()"));
}

TEST(XlaBuilderTest, ResultsOfCollectivesHaveTheLayoutThatIsAskedFor) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 3}), "x");
  AllToAllTuple({x}, {}, LayoutUtil::MakeLayout({0, 1}));
  const XlaComputation computation = *b.Build();
  const Shape expected =
      ShapeUtil::MakeTupleShape({ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1})});
  EXPECT_EQ(*Shape::FromProto(computation.proto().host_program_shape().result()), expected);
}

TEST(XlaBuilderTest, AllGatherTakesTuples) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp y = Parameter(&b, 1, kMatrix, "y");
  AllGather(Tuple(&b, {x, y}), 0, 4);
  EXPECT_THAT(TextOf(b), HasSubstr("(f32[12], f32[8,3]) all-gather("));
}

TEST(XlaBuilderTest, SizesThatAreKnownAreConstants) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 3}, {true, false}), "x");
  Add(GetDimensionSize(x, 0), GetDimensionSize(x, 1));
  EXPECT_THAT(TextOf(b), AllOf(HasSubstr("get-dimension-size(x), dimensions={0}"),
                               HasSubstr("s32[] constant(3)"), Not(HasSubstr("dimensions={1}"))));
}

TEST(XlaBuilderTest, SelectOfTuplesIsAConditional) {
  XlaBuilder b("main");
  const Shape pair = ShapeUtil::MakeTupleShape({kVector, kScalar});
  Select(Parameter(&b, 0, ShapeUtil::MakeShape(PRED, {}), "p"), Parameter(&b, 1, pair, "x"),
         Parameter(&b, 2, pair, "y"));
  EXPECT_THAT(TextOf(b), HasSubstr("ROOT conditional = (f32[3], f32[]) conditional(p, x, y)"));
}

TEST(XlaBuilderTest, InfeedsAndOutfeedsKeepTheirOrder) {
  XlaBuilder b("main");
  const XlaOp x = Infeed(&b, kScalar);
  const XlaOp y = Infeed(&b, kScalar);
  Outfeed(x, kScalar, "");
  Outfeed(y, kScalar, "");
  const std::string text = TextOf(b);
  EXPECT_THAT(text, HasSubstr("infeed.1 = (f32[], token[]) infeed(get-tuple-element.1)"));
  EXPECT_THAT(text, HasSubstr("get-tuple-element.1 = token[] get-tuple-element(infeed), index=1"));
  EXPECT_THAT(text, HasSubstr("outfeed(get-tuple-element.2, outfeed)"));
}

TEST(XlaBuilderTest, TokensOfShardedDataAreOfTheFirstDevice) {
  XlaBuilder b("main");
  b.SetSharding(sharding_builder::Replicate());
  Outfeed(Parameter(&b, 0, kScalar, "x"), kScalar, "");
  const XlaComputation computation = b.Build().value();
  const auto& instructions = computation.proto().computations(0).instructions();
  ASSERT_EQ(instructions.size(), 3);
  EXPECT_EQ(instructions[1].opcode(), "after-all");
  EXPECT_EQ(instructions[1].sharding().type(), OpSharding::MAXIMAL);
  ASSERT_EQ(instructions[2].sharding().tuple_shardings_size(), 2);
  EXPECT_EQ(instructions[2].sharding().tuple_shardings(0).type(), OpSharding::REPLICATED);
  EXPECT_EQ(instructions[2].sharding().tuple_shardings(1).type(), OpSharding::MAXIMAL);
}

TEST(XlaBuilderTest, DonorsAreNotAliased) {
  XlaBuilder b("main");
  Neg(Parameter(&b, 0, kVector, "x"));
  b.SetUpAlias({}, 0, {});
  b.AddBufferDonor(0, {});
  EXPECT_THAT(ErrorOf(b), HasSubstr("donor"));
}

TEST(XlaBuilderTest, IdsHaveThatOfTheComputation) {
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  Reduce(x, ConstantR0<float>(&b, 0), CreateScalarAddComputation(F32, &b), {0});
  const XlaComputation program = b.Build().value();
  for (const HloComputationProto& computation : program.proto().computations()) {
    EXPECT_EQ(computation.root_id() >> 32, computation.id());
    EXPECT_EQ(computation.instructions().rbegin()->id(), computation.root_id());
    for (const HloInstructionProto& instruction : computation.instructions()) {
      for (int64_t operand : instruction.operand_ids()) EXPECT_EQ(operand >> 32, computation.id());
    }
  }
  // A program that calls it gives it another id.
  XlaBuilder caller("caller");
  Call(&caller, program, {Parameter(&caller, 0, kVector, "x")});
  EXPECT_NE(ModuleOf(caller.Build().value()), nullptr);
}

TEST(XlaBuilderTest, TuplesKeepOriginalValues) {
  XlaBuilder b("main");
  std::vector<XlaOp> parameters;
  for (const char* name : {"first", "second"}) {
    OriginalValueProto value;
    value.add_elements()->mutable_original_array()->set_instruction_name(name);
    XlaScopedOriginalValueAssignment scope(&b, value);
    parameters.push_back(Parameter(&b, static_cast<int64_t>(parameters.size()), kScalar, name));
  }
  GetTupleElement(Tuple(&b, {parameters[0], Tuple(&b, {parameters[1]})}), 1);
  const XlaComputation computation = b.Build().value();
  const auto& instructions = computation.proto().computations(0).instructions();
  const auto& tuple = instructions[3].original_value().elements();
  ASSERT_EQ(tuple.size(), 2);
  EXPECT_EQ(tuple[1].original_array().instruction_name(), "second");
  EXPECT_THAT(tuple[1].shape_index(), testing::ElementsAre(1, 0));
  const auto& element = instructions[4].original_value().elements();
  ASSERT_EQ(element.size(), 1);
  EXPECT_EQ(element[0].original_array().instruction_name(), "second");
  EXPECT_THAT(element[0].shape_index(), testing::ElementsAre(0));
}

}  // namespace
}  // namespace xla
