#include "xla/service/shape_inference.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::HasSubstr;

Shape S(const std::string& text) { return ParseShape(text).value(); }

std::string Text(const absl::StatusOr<Shape>& shape) {
  return shape.ok() ? ShapeUtil::HumanString(*shape) : std::string(shape.status().message());
}

// A computation of scalars: `parameters` to `result`.
ProgramShape Program(const std::vector<std::string>& parameters, const std::string& result) {
  ProgramShape program;
  for (const std::string& parameter : parameters) program.AddParameter(S(parameter), "");
  *program.mutable_result() = S(result);
  return program;
}

std::string BinaryText(const std::string& lhs, const std::string& rhs,
                       absl::Span<const int64_t> dimensions = {}) {
  return Text(ShapeInference::InferBinaryOpShape(HloOpcode::kMultiply, S(lhs), S(rhs), dimensions));
}

TEST(ShapeInferenceTest, BinaryOperationsBroadcast) {
  EXPECT_EQ(BinaryText("s8[4,7]", "s8[4,7]"), "s8[4,7]");
  EXPECT_EQ(BinaryText("s8[]", "s8[4,7]"), "s8[4,7]");
  EXPECT_EQ(BinaryText("s8[4,1]", "s8[1,7]"), "s8[4,7]");
  EXPECT_EQ(BinaryText("s8[7]", "s8[4,7]", {1}), "s8[4,7]");
  EXPECT_EQ(BinaryText("s8[4,1]", "s8[4,<=7]"), "s8[4,<=7]");
  EXPECT_THAT(BinaryText("s8[7]", "s8[4,7]"), HasSubstr("broadcast_dimensions"));
  EXPECT_THAT(BinaryText("s8[4]", "s8[4,7]", {1}), HasSubstr("as long as"));
  EXPECT_THAT(BinaryText("s8[4]", "u8[4]"), HasSubstr("multiply_c2"));
}

TEST(ShapeInferenceTest, SizesThatAreNotKnownAgreeWithOthers) {
  EXPECT_EQ(BinaryText("f32[?]", "f32[9]"), "f32[9]");
  EXPECT_EQ(BinaryText("f32[<=9]", "f32[?]"), "f32[<=9]");
  EXPECT_EQ(BinaryText("f32[1]", "f32[?]"), "f32[?]");
  EXPECT_EQ(BinaryText("f32[1]", "f32[?,9]", {0}), "f32[?,9]");
  // A place that is given must be one that fits.
  EXPECT_THAT(BinaryText("f32[9]", "f32[?,9]", {0}), HasSubstr("as long as"));
}

TEST(ShapeInferenceTest, Conversions) {
  EXPECT_EQ(Text(ShapeInference::InferConvertShape(S("u4[3,?]"), BF16)), "bf16[3,?]");
  EXPECT_EQ(Text(ShapeInference::InferBitcastConvertShape(S("s64[5]"), U16)), "u16[5,4]");
  EXPECT_EQ(Text(ShapeInference::InferBitcastConvertShape(S("u8[5,8]"), F64)), "f64[5]");
  EXPECT_THAT(Text(ShapeInference::InferConvertShape(S("f32[3]"), TUPLE)), HasSubstr("tuple"));
  EXPECT_THAT(Text(ShapeInference::InferConvertShape(S("(f32[3])"), F32)), HasSubstr("convert_c1"));
}

TEST(ShapeInferenceTest, Broadcasts) {
  EXPECT_EQ(Text(ShapeInference::InferBroadcastShape(S("f32[<=3,2]"), {6, 5})), "f32[6,5,<=3,2]");
  EXPECT_EQ(Text(ShapeInference::InferBroadcastShape(S("f32[?,1]"), S("f32[4,5,6]"), {0, 2})),
            "f32[4,5,6]");
  EXPECT_THAT(Text(ShapeInference::InferBroadcastShape(S("f32[?]"), {6})),
              HasSubstr("must be known"));
  EXPECT_THAT(Text(ShapeInference::InferBroadcastShape(S("f32[6]"), S("f32[?,2]"), {0})),
              HasSubstr("must be known"));
  EXPECT_THAT(Text(ShapeInference::InferBroadcastShape(S("f32[6,2]"), S("f32[2,6]"), {1, 0})),
              HasSubstr("increase"));
}

TEST(ShapeInferenceTest, ReshapesKeepDynamicSizes) {
  const auto reshaped = [](const std::string& from, absl::Span<const int64_t> sizes, int64_t to) {
    return Text(ShapeInference::InferReshapeShape(S(from), sizes, to));
  };
  EXPECT_EQ(reshaped("f32[3,<=8]", {3, 2, 4}, -1), "f32[3,<=2,4]");
  EXPECT_EQ(reshaped("f32[3,<=8]", {3, 2, 4}, 2), "f32[3,2,<=4]");
  EXPECT_EQ(reshaped("f32[<=1]", {}, -1), "f32[]");
  EXPECT_EQ(reshaped("f32[?,3]", {9}, -1), "f32[9]");
  EXPECT_THAT(reshaped("f32[6]", {7}, -1), HasSubstr("reshape_c2"));
  EXPECT_THAT(reshaped("f32[6]", {Shape::kUnboundedSize}, -1), HasSubstr("must be known"));
}

TEST(ShapeInferenceTest, Windows) {
  const Window window =
      ShapeInference::InferWindowFromDimensions({3, 2}, {2, 1}, {{1, 1}, {0, 0}}, {}, {1, 4})
          .value();
  EXPECT_EQ(window.dimensions(0).padding_high(), 1);
  EXPECT_EQ(window.dimensions(1).window_dilation(), 4);
  EXPECT_EQ(Text(ShapeInference::InferReduceWindowShape(S("f32[8,?]"), S("f32[]"), window)),
            "f32[4,?]");
  EXPECT_FALSE(ShapeInference::InferWindowFromDimensions({3, 2}, {2}, {}, {}, {}).ok());
}

TEST(ShapeInferenceTest, Reductions) {
  const Shape values = S("f32[?,4]");
  const Shape keys = S("s32[5,4]");
  const Shape zero = S("f32[]");
  const Shape lowest = S("s32[]");
  EXPECT_EQ(Text(ShapeInference::InferReduceShape(
                {&values, &keys, &zero, &lowest}, {1},
                Program({"f32[]", "s32[]", "f32[]", "s32[]"}, "(f32[], s32[])"))),
            "(f32[5], s32[5])");
  EXPECT_THAT(Text(ShapeInference::InferReduceShape({&keys, &lowest}, {2},
                                                    Program({"s32[]", "s32[]"}, "s32[]"))),
              HasSubstr("reduce_c5"));
  EXPECT_EQ(Text(ShapeInference::InferVariadicOpShape(HloOpcode::kSort, {&keys, &keys})),
            "(s32[5,4], s32[5,4])");
}

TEST(ShapeInferenceTest, Products) {
  DotDimensionNumbers numbers;
  numbers.add_lhs_batch_dimensions(0);
  numbers.add_rhs_batch_dimensions(0);
  numbers.add_lhs_contracting_dimensions(2);
  numbers.add_rhs_contracting_dimensions(1);
  EXPECT_EQ(Text(ShapeInference::InferDotOpShape(S("s8[6,2,3]"), S("s8[6,3,5]"), numbers, S32)),
            "s32[6,2,5]");
  // The batch sizes are those of the left side.
  EXPECT_EQ(Text(ShapeInference::InferDotOpShape(S("f32[?,2,3]"), S("f32[6,3,5]"), numbers,
                                                 std::nullopt)),
            "f32[?,2,5]");
  EXPECT_THAT(Text(ShapeInference::InferDotOpShape(S("f32[6,2,3]"), S("f32[6,4,5]"), numbers,
                                                   std::nullopt)),
              HasSubstr("dot_c3"));
}

TEST(ShapeInferenceTest, BatchNormStatisticsAreThoseOfTheOperand) {
  EXPECT_EQ(
      Text(ShapeInference::InferBatchNormTrainingShape(S("f32[2,?]"), S("f32[6]"), S("f32[6]"), 1)),
      "(f32[2,?], f32[?], f32[?])");
}

TEST(ShapeInferenceTest, ControlFlow) {
  const std::vector<ProgramShape> branches = {Program({"f32[3]"}, "s32[]"),
                                              Program({"pred[]"}, "s32[]")};
  const std::vector<Shape> operands = {S("f32[3]"), S("pred[]")};
  EXPECT_EQ(Text(ShapeInference::InferConditionalShape(S("s32[]"), branches, operands)), "s32[]");
  EXPECT_THAT(Text(ShapeInference::InferConditionalShape(S("f32[]"), branches, operands)),
              HasSubstr("conditional_c1"));
  EXPECT_EQ(Text(ShapeInference::InferWhileShape(Program({"(s32[])"}, "pred[]"),
                                                 Program({"(s32[])"}, "(s32[])"), S("(s32[])"))),
            "(s32[])");
}

TEST(ShapeInferenceTest, Collectives) {
  const Shape matrix = S("f32[6,5]");
  const Shape vector = S("bf16[6]");
  const Shape open = S("f32[?,5]");
  EXPECT_EQ(Text(ShapeInference::InferAllGatherShape({&matrix}, 0, 3)), "f32[18,5]");
  EXPECT_EQ(Text(ShapeInference::InferAllGatherShape({&open}, 0, 3)), "f32[?,5]");
  EXPECT_EQ(Text(ShapeInference::InferAllGatherStartShape({&matrix, &vector}, 0, 2)),
            "((f32[6,5], bf16[6]), (f32[12,5], bf16[12]))");
  EXPECT_EQ(Text(ShapeInference::InferReduceScatterShape({&matrix, &vector}, 0, 3)),
            "(f32[2,5], bf16[2])");
  EXPECT_EQ(Text(ShapeInference::InferAllReduceShape({&matrix, &vector})), "(f32[6,5], bf16[6])");
  EXPECT_EQ(Text(ShapeInference::InferAllToAllShape(matrix, 0, 1, 3)), "f32[2,15]");
  EXPECT_EQ(Text(ShapeInference::InferAllToAllTupleShape({&matrix, &matrix})),
            "(f32[6,5], f32[6,5])");
  EXPECT_THAT(Text(ShapeInference::InferAllGatherShape({&matrix}, 2, 3)),
              HasSubstr("no dimension 2"));
  EXPECT_THAT(Text(ShapeInference::InferReduceScatterShape({&matrix}, 1, 3)),
              HasSubstr("no multiple of 3"));
  EXPECT_THAT(Text(ShapeInference::InferAllToAllShape(matrix, 0, 1, 0)), HasSubstr("positive"));
  EXPECT_THAT(Text(ShapeInference::InferAllToAllTupleShape({&open})), HasSubstr("dynamic sizes"));
}

TEST(ShapeInferenceTest, ShapesThatAreNoneAreErrors) {
  Shape broken = S("f32[2,3]");
  *broken.mutable_layout() = Layout({0, 0});
  EXPECT_FALSE(ShapeInference::InferUnaryOpShape(HloOpcode::kNegate, broken).ok());
  EXPECT_FALSE(ShapeInference::InferUnaryOpShape(HloOpcode::kNegate, Shape()).ok());
  EXPECT_FALSE(ShapeInference::InferAllGatherShape({}, 0, 2).ok());
  EXPECT_FALSE(ShapeInference::InferReduceScatterShape({}, 0, 2).ok());
}

}  // namespace
}  // namespace xla
