// What is known about values while a program is built.
#include "xla/hlo/builder/value_inference.h"

#include "tests/builder/builder_testing.h"
#include "tests/builder/lib_testing.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

Shape Scalar(PrimitiveType type = S32) { return ShapeUtil::MakeShape(type, {}); }

class ValueInferenceTest : public testing::Test {
 protected:
  // Parameter `number`, an S32 scalar of which nothing is known.
  XlaOp Unknown(int64_t number) { return Parameter(&b_, number, Scalar(), "p"); }
  XlaOp Number(int32_t value) { return ConstantR0<int32_t>(&b_, value); }
  // The size of a dimension of at most `bound`.
  XlaOp DynamicSize(int64_t number, int64_t bound) {
    return GetDimensionSize(
        Parameter(&b_, number, ShapeUtil::MakeShape(F32, {bound}, {true}), "dynamic"), 0);
  }

  std::optional<int32_t> Find(XlaOp op, ValueInferenceMode mode) {
    const auto result = ValueInference(&b_).AnalyzeConstant(op, mode);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->Get<int32_t>({}) : std::nullopt;
  }
  std::optional<int32_t> Value(XlaOp op) { return Find(op, kValue); }
  std::optional<int32_t> Lower(XlaOp op) { return Find(op, kLowerBound); }
  std::optional<int32_t> Upper(XlaOp op) { return Find(op, kUpperBound); }

  std::vector<bool> IsDynamic(XlaOp op) {
    const auto result = ValueInference(&b_).AnalyzeIsDynamic(op);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? ValuesOf<bool>(*result) : std::vector<bool>();
  }

  XlaBuilder b_{"main"};
};

TEST_F(ValueInferenceTest, ConstantsAndParameters) {
  EXPECT_THAT(Value(Number(7)), Optional(7));
  EXPECT_THAT(Upper(Number(7) * Number(3) - Number(1)), Optional(20));
  const XlaOp p = Unknown(0);
  for (ValueInferenceMode mode : {kValue, kUpperBound, kLowerBound}) {
    EXPECT_EQ(Find(p, mode), std::nullopt);
    EXPECT_EQ(Find(p + Number(1), mode), std::nullopt);
  }
  EXPECT_THAT(IsDynamic(Number(7)), ElementsAre(false));
  EXPECT_THAT(IsDynamic(p), ElementsAre(true));
  EXPECT_THAT(IsDynamic(RngUniform(Zero(&b_, F32), One(&b_, F32), Scalar(F32))), ElementsAre(true));
}

TEST_F(ValueInferenceTest, Sizes) {
  const XlaOp size = DynamicSize(0, 10);
  EXPECT_EQ(Value(size), std::nullopt);
  EXPECT_THAT(Upper(size), Optional(10));
  EXPECT_THAT(Lower(size), Optional(0));
  EXPECT_THAT(IsDynamic(size), ElementsAre(true));
  const XlaOp fixed = GetDimensionSize(Zeros(&b_, ShapeUtil::MakeShape(F32, {4, 5})), 1);
  EXPECT_THAT(Value(fixed), Optional(5));
  EXPECT_THAT(IsDynamic(fixed), ElementsAre(false));
}

TEST_F(ValueInferenceTest, BoundsOfArithmetic) {
  const XlaOp a = DynamicSize(0, 10), c = DynamicSize(1, 4);
  EXPECT_THAT(Upper(a + c), Optional(14));
  EXPECT_THAT(Upper(a - c), Optional(10));
  EXPECT_THAT(Lower(a - c), Optional(-4));
  EXPECT_THAT(Upper(-a), Optional(0));
  EXPECT_THAT(Lower(-a), Optional(-10));
  EXPECT_THAT(Upper(a * c), Optional(40));
  EXPECT_THAT(Upper(a / (c + Number(1))), Optional(10));
  EXPECT_THAT(Lower((a + Number(9)) / (c + Number(1))), Optional(1));
  EXPECT_EQ(Upper(a / c), std::nullopt);  // by zero, perhaps
  EXPECT_THAT(Upper(Max(a, c)), Optional(10));
  EXPECT_THAT(Upper(Min(a, c)), Optional(4));
  EXPECT_THAT(Upper(a - a), Optional(10));
  EXPECT_THAT(Upper(Clamp(Number(1), a, Number(3))), Optional(3));
  EXPECT_EQ(Upper(a % c), std::nullopt);
}

TEST_F(ValueInferenceTest, ExtremaOfWhatIsNotKnown) {
  const XlaOp p = Unknown(0);
  EXPECT_THAT(Upper(Min(p, Number(5))), Optional(5));
  EXPECT_EQ(Lower(Min(p, Number(5))), std::nullopt);
  EXPECT_THAT(Lower(Max(Number(5), p)), Optional(5));
  EXPECT_EQ(Upper(Max(Number(5), p)), std::nullopt);
}

TEST_F(ValueInferenceTest, Select) {
  const XlaOp p = Parameter(&b_, 0, Scalar(PRED), "p"), q = Unknown(1);
  EXPECT_THAT(Value(Select(Lt(Number(1), Number(2)), Number(8), q)), Optional(8));
  EXPECT_EQ(Value(Select(Lt(Number(1), Number(2)), q, Number(8))), std::nullopt);
  EXPECT_EQ(Value(Select(p, Number(3), Number(8))), std::nullopt);
  EXPECT_THAT(Upper(Select(p, Number(3), Number(8))), Optional(8));
  EXPECT_THAT(Lower(Select(p, Number(3), Number(8))), Optional(3));
  EXPECT_THAT(Value(Select(p, Number(3), Number(3))), Optional(3));
}

TEST_F(ValueInferenceTest, ElementByElement) {
  const XlaOp p = Reshape(Unknown(0), {1});
  const XlaOp row = ConcatInDim(&b_, {ConstantR1<int32_t>(&b_, {1, 2}), p}, 0);
  EXPECT_THAT(IsDynamic(row), ElementsAre(false, false, true));
  EXPECT_THAT(IsDynamic(Rev(row, {0}) * Rev(row, {0})), ElementsAre(true, false, false));
  EXPECT_THAT(IsDynamic(BroadcastInDim(row, {3, 2}, {0})),
              ElementsAre(false, false, false, false, true, true));
  EXPECT_THAT(Value(Reshape(SliceInDim(row, 1, 2, 1, 0), {})), Optional(2));
  EXPECT_THAT(IsDynamic(DynamicSlice(row, {Number(1)}, {2})), ElementsAre(false, true));
  EXPECT_THAT(IsDynamic(DynamicSlice(row, {Unknown(1)}, {2})), ElementsAre(true, true));
  const XlaOp sum = Reduce(row, Zero(&b_, S32), CreateScalarAddComputation(S32, &b_), {0});
  EXPECT_EQ(Value(sum), std::nullopt);
  const XlaOp known = Reduce(SliceInDim(row, 0, 2, 1, 0), Zero(&b_, S32),
                             CreateScalarAddComputation(S32, &b_), {0});
  EXPECT_THAT(Value(known), Optional(3));
}

TEST_F(ValueInferenceTest, WholeValues) {
  const auto result =
      ValueInference(&b_).AnalyzeConstant(Iota(&b_, S32, 3) + Broadcast(Number(5), {3}), kValue);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->AllValid());
  ASSERT_TRUE(result->GetValue().has_value());
  EXPECT_THAT(result->GetValue()->data<int32_t>(), ElementsAre(5, 6, 7));
  const auto unknown = ValueInference(&b_).AnalyzeConstant(Unknown(0), kValue);
  ASSERT_TRUE(unknown.ok());
  EXPECT_FALSE(unknown->AllValid());
  EXPECT_FALSE(unknown->GetValue().has_value());
}

TEST_F(ValueInferenceTest, Tuples) {
  const XlaOp tuple = Tuple(&b_, {Number(1), Unknown(0)});
  EXPECT_THAT(Value(GetTupleElement(tuple, 0)), Optional(1));
  EXPECT_EQ(Value(GetTupleElement(tuple, 1)), std::nullopt);
  const auto is_dynamic = ValueInference(&b_).AnalyzeIsDynamic(tuple);
  ASSERT_TRUE(is_dynamic.ok()) << is_dynamic.status();
  EXPECT_FALSE(is_dynamic->Get<bool>({}, {0}));
  EXPECT_TRUE(is_dynamic->Get<bool>({}, {1}));
}

TEST_F(ValueInferenceTest, DeclaredBounds) {
  const Literal seven = LiteralUtil::CreateR0<int32_t>(7);
  const XlaOp bounded = CustomCall(&b_, "SetBound", {Unknown(0)}, Scalar(), "", false, {}, &seven);
  EXPECT_THAT(Upper(bounded + Number(1)), Optional(8));
  EXPECT_EQ(Lower(bounded), std::nullopt);
  EXPECT_EQ(Value(bounded), std::nullopt);
}

// A literal of two parts: the bound, and whether the value may be another one.
TEST_F(ValueInferenceTest, BoundsThatAreTheValue) {
  const auto bounded = [&](XlaOp value, bool may_differ) {
    const Literal bound = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<int32_t>(7),
                                                      LiteralUtil::CreateR0<bool>(may_differ));
    return CustomCall(&b_, "SetBound", {value}, Scalar(), "", false, {}, &bound);
  };
  const XlaOp p = Unknown(0);
  EXPECT_THAT(Value(bounded(p, false)), Optional(7));
  EXPECT_EQ(Value(bounded(p, true)), std::nullopt);
  EXPECT_THAT(Upper(bounded(p, true)), Optional(7));
}

TEST_F(ValueInferenceTest, ReductionsOfSeveralArrays) {
  const XlaOp known = ConstantR2<int32_t>(&b_, {{1, 2}});
  const XlaOp p = Parameter(&b_, 0, ShapeUtil::MakeShape(S32, {1, 2}), "p");
  const XlaOp both = ConcatInDim(&b_, {known, p}, 0);
  XlaBuilder sums("sums");
  const XlaOp x = Parameter(&sums, 0, Scalar(), "x");
  const XlaOp y = Parameter(&sums, 1, Scalar(), "y");
  Tuple(&sums, {x + Parameter(&sums, 2, Scalar(), "u"), y + Parameter(&sums, 3, Scalar(), "v")});
  const XlaOp reduced =
      Reduce(&b_, {both, both}, {Number(0), Number(5)}, sums.Build().value(), {1});
  EXPECT_THAT(IsDynamic(GetTupleElement(reduced, 1)), ElementsAre(false, true));
  EXPECT_THAT(Value(Reshape(SliceInDim(GetTupleElement(reduced, 1), 0, 1, 1, 0), {})), Optional(8));
}

TEST_F(ValueInferenceTest, SortsKeepBounds) {
  const XlaOp keys = Parameter(&b_, 0, ShapeUtil::MakeShape(F32, {9}), "keys");
  XlaBuilder less("less");
  Lt(Parameter(&less, 0, Scalar(F32), "a"), Parameter(&less, 1, Scalar(F32), "b"));
  Parameter(&less, 2, Scalar(), "c");
  const XlaOp last = Parameter(&less, 3, Scalar(), "d");
  Lt(last, last);
  const XlaOp sorted = Sort({keys, Iota(&b_, S32, 9)}, less.Build().value());
  const XlaOp place = Reshape(SliceInDim(GetTupleElement(sorted, 1), 2, 3, 1, 0), {});
  EXPECT_THAT(Upper(place), Optional(8));
  EXPECT_THAT(Lower(place), Optional(0));
  EXPECT_EQ(Value(place), std::nullopt);
}

TEST_F(ValueInferenceTest, BranchesThatAgree) {
  const auto branch = [](int32_t first, int32_t second) {
    XlaBuilder builder("branch");
    Parameter(&builder, 0, Scalar(), "x");
    Tuple(&builder, {ConstantR0<int32_t>(&builder, first), ConstantR0<int32_t>(&builder, second)});
    return builder.Build().value();
  };
  const XlaOp p = Parameter(&b_, 0, Scalar(PRED), "p");
  const XlaOp either = Conditional(p, Number(0), branch(3, 4), Number(0), branch(3, 5));
  EXPECT_THAT(Value(GetTupleElement(either, 0)), Optional(3));
  EXPECT_EQ(Value(GetTupleElement(either, 1)), std::nullopt);
  const XlaOp second =
      Conditional(ConstantR0<bool>(&b_, false), Number(0), branch(3, 4), Unknown(1), branch(3, 5));
  EXPECT_THAT(Value(GetTupleElement(second, 1)), Optional(5));
}

TEST_F(ValueInferenceTest, WhatIsAddedAndTakenAway) {
  const XlaOp a = DynamicSize(0, 10);
  const XlaOp dynamic = Parameter(&b_, 1, ShapeUtil::MakeShape(F32, {4}, {true}), "q");
  const XlaOp c = GetDimensionSize(dynamic, 0);
  EXPECT_THAT(Upper((a + c) - c), Optional(10));
  EXPECT_THAT(Upper((a + c) - GetDimensionSize(dynamic, 0)), Optional(10));
  EXPECT_THAT(Upper((a + c) - a), Optional(4));
  const XlaOp moved = Reshape(SliceInDim(Broadcast(a + c, {3}), 1, 2, 1, 0), {});
  EXPECT_THAT(Upper(moved - c), Optional(10));
  EXPECT_THAT(Upper((a + c) - Number(1)), Optional(13));
}

TEST_F(ValueInferenceTest, TuplesWithTokens) {
  const XlaOp tuple = Tuple(&b_, {Number(6), CreateToken(&b_)});
  EXPECT_THAT(Value(GetTupleElement(tuple, 0)), Optional(6));
  EXPECT_TRUE(ValueInference(&b_).AnalyzeIsDynamic(tuple).ok());
}

// Each computation calls the one before twice: the last one does so 2^60 times.
TEST_F(ValueInferenceTest, CallsThatUnfoldWithoutEnd) {
  XlaBuilder first("first");
  Add(Parameter(&first, 0, Scalar(), "x"), ConstantR0<int32_t>(&first, 1));
  XlaComputation last = first.Build().value();
  EXPECT_THAT(Value(Call(&b_, last, {Number(2)})), Optional(3));
  for (int i = 0; i < 60; ++i) {
    XlaBuilder next("next");
    const XlaComputationId callee = next.AddSubComputation(last);
    const XlaOp once = Call(&next, callee, {Parameter(&next, 0, Scalar(), "x")});
    Call(&next, callee, {once});
    last = next.Build().value();
  }
  EXPECT_EQ(Value(Call(&b_, last, {Number(2)})), std::nullopt);
}

TEST_F(ValueInferenceTest, Errors) {
  const XlaOp token = CreateToken(&b_);
  EXPECT_THAT(std::string(ValueInference(&b_).AnalyzeIsDynamic(token).status().message()),
              HasSubstr("has parts that are no arrays"));
  EXPECT_FALSE(ValueInference(&b_).AnalyzeConstant(XlaOp(), kValue).ok());
  const XlaOp huge = Parameter(&b_, 0, ShapeUtil::MakeShape(F32, {1 << 20, 1 << 20}), "huge");
  EXPECT_EQ(ValueInference(&b_).AnalyzeConstant(huge, kValue).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ValueInference(&b_).builder(), &b_);
}

}  // namespace
}  // namespace xla
