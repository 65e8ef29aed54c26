// What becomes of HLO modules as StableHLO: text that reads back to a module that does the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "xla/hlo/parser/hlo_parser.h"
#include "xla/hlo/translate/stablehlo.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Translated(absl::string_view hlo) {
  auto module = ParseAndReturnUnverifiedModule(hlo);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return "";
  auto text = ConvertHloToStablehlo(**module);
  if (!text.ok()) return std::string(text.status().message());
  // It is StableHLO, and a module again, whose text is the same.
  auto again = ConvertStablehloToHlo(*text);
  EXPECT_TRUE(again.ok()) << again.status() << *text;
  if (again.ok()) {
    auto second = ConvertHloToStablehlo(**again);
    EXPECT_TRUE(second.ok()) << second.status();
  }
  return *text;
}

TEST(FromHloTest, Tuples) {
  const std::string text = Translated(R"(
    HloModule swap, input_output_alias={ {1}: (0, {}, may-alias) }
    ENTRY e {
      p = (f32[2], (s32[], f32[2])) parameter(1)
      x = f32[2] parameter(0)
      inner = (s32[], f32[2]) get-tuple-element(p), index=1
      y = f32[2] get-tuple-element(inner), index=1
      sum = f32[2] add(x, y)
      n = s32[] get-tuple-element(inner), index=0
      ROOT r = (s32[], f32[2]) tuple(n, sum)
    })");
  EXPECT_THAT(text, HasSubstr("func.func public @main(%arg0: tensor<2xf32> {tf.aliasing_output = 1 "
                              ": i32}, %arg1: tensor<2xf32>, %arg2: tensor<i32>, %arg3: "
                              "tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {"));
  EXPECT_THAT(text, HasSubstr("%0 = stablehlo.add %arg0, %arg3 : tensor<2xf32>"));
  EXPECT_THAT(text, HasSubstr("return %arg2, %0 : tensor<i32>, tensor<2xf32>"));
}

TEST(FromHloTest, ControlFlow) {
  const std::string text = Translated(R"(
    HloModule m
    more { s = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
           n = s32[] constant(5)  ROOT c = pred[] compare(i, n), direction=LT }
    step { s = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
           x = f32[] get-tuple-element(s), index=1  one = s32[] constant(1)
           j = s32[] add(i, one)  y = f32[] sine(x)  ROOT t = (s32[], f32[]) tuple(j, y) }
    up { x = f32[] parameter(0)  ROOT y = f32[] exponential(x) }
    down { x = f32[] parameter(0)  ROOT y = f32[] negate(x) }
    ENTRY e {
      start = (s32[], f32[]) parameter(0)
      loop = (s32[], f32[]) while(start), condition=more, body=step
      x = f32[] get-tuple-element(loop), index=1
      i = s32[] get-tuple-element(loop), index=0
      p = pred[] is-finite(x)
      a = f32[] conditional(p, x, x), true_computation=up, false_computation=down
      b = f32[] conditional(i, a, x, a), branch_computations={down, up, up}
      ROOT c = f32[] call(b), to_apply=down
    })");
  EXPECT_THAT(text, HasSubstr("stablehlo.while("));
  EXPECT_THAT(text, HasSubstr("\"stablehlo.if\"(%"));
  EXPECT_THAT(text, HasSubstr("\"stablehlo.case\"(%"));
  EXPECT_THAT(text, HasSubstr("call @down(%"));
  EXPECT_THAT(text, HasSubstr("func.func private @down(%arg0: tensor<f32>) -> tensor<f32> {"));
}

TEST(FromHloTest, FunctionsAreNotCalledLikeTheEntry) {
  const std::string text = Translated(R"(
    HloModule m
    main { x = f32[] parameter(0)  ROOT y = f32[] negate(x) }
    ENTRY e { x = f32[] parameter(0)  ROOT c = f32[] call(x), to_apply=main })");
  EXPECT_THAT(text, HasSubstr("call @main_(%arg0)"));
  EXPECT_THAT(text, HasSubstr("func.func private @main_("));
}

TEST(FromHloTest, BitcastsFollowLayouts) {
  const std::string text = Translated(R"(
    HloModule m
    ENTRY e {
      x = f32[2,3]{0,1} parameter(0)
      ROOT y = f32[6]{0} bitcast(x)
    })");
  EXPECT_THAT(text, HasSubstr("stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> "
                              "tensor<3x2xf32>"));
  EXPECT_THAT(text, HasSubstr("stablehlo.reshape %0 : (tensor<3x2xf32>) -> tensor<6xf32>"));
}

TEST(FromHloTest, AttributesKeepTheirMeaning) {
  const std::string text = Translated(R"(
    HloModule m
    add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
    ENTRY e {
      x = f32[4,6] parameter(0)
      y = f32[6,5] parameter(1)
      d = f32[4,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_tf32_tf32_f32
      h = f32[4,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,default}
      zero = f32[] constant(0)
      w = f32[2,3] reduce-window(x, zero), window={size=2x2 stride=2x2}, to_apply=add
      p = f32[7,6] pad(x, zero), padding=1_2x-1_1
      s = f32[2,2] slice(x), slice={[0:4:2], [1:3]}
      k = pred[4,6] compare(x, x), direction=GE, type=TOTALORDER
      a = f32[4,6] all-reduce(x), channel_id=3, replica_groups={{0}}, use_global_device_ids=true, to_apply=add
      ROOT t = (f32[4,5], f32[4,5], f32[2,3], f32[7,6], f32[2,2], pred[4,6], f32[4,6]) tuple(d, h, w, p, s, k, a)
    })");
  EXPECT_THAT(text, HasSubstr("lhs_precision_type = tf32, rhs_precision_type = tf32, "
                              "accumulation_type = f32"));
  EXPECT_THAT(text, HasSubstr("precision = [HIGHEST, DEFAULT]"));
  EXPECT_THAT(text, HasSubstr("window_dimensions = array<i64: 2, 2>, window_strides = array<i64: "
                              "2, 2>"));
  EXPECT_THAT(text, HasSubstr("low = [1, -1], high = [2, 1], interior = [0, 0]"));
  EXPECT_THAT(text, HasSubstr("[0:4:2, 1:3]"));
  EXPECT_THAT(text, HasSubstr("stablehlo.compare GE, %arg0, %arg0, TOTALORDER"));
  EXPECT_THAT(text, HasSubstr("handle = 3"));
  EXPECT_THAT(text, HasSubstr("use_global_device_ids"));
}

TEST(FromHloTest, WhatStablehloDoesNotHaveIsNamed) {
  EXPECT_THAT(
      Translated("HloModule m\nENTRY e { x = f32[2] parameter(0)  s = (f32[2], f32[2], u32[]) "
                 "copy-start(x)  ROOT r = f32[2] copy-done(s) }"),
      HasSubstr("Instruction s: StableHLO has no operation for copy-start"));
}

}  // namespace
}  // namespace xla
