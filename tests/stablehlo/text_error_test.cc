// Text that is no program: where the mistake is, and that none does harm.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "front/stablehlo/print.h"
#include "front/stablehlo/text/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla::stablehlo {
namespace {

using ::testing::HasSubstr;

absl::Status StatusOf(const std::string& text) { return ReadText(text).status(); }

TEST(TextErrorTest, SaysWhere) {
  const absl::Status status = StatusOf(
      "func.func @f(%x: tensor<f32>) {\n"
      "  %0 = stablehlo.add %x, %y : tensor<f32>\n"
      "  return\n"
      "}\n");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "StableHLO text, 2:26: error: %y is not defined before it is used\n"
            "  %0 = stablehlo.add %x, %y : tensor<f32>\n"
            "                         ^");
}

TEST(TextErrorTest, SaysWhat) {
  const std::pair<const char*, const char*> kCases[] = {
      {"%0 = stablehlo.ad %x, %x : tensor<f32>", "did you mean \"stablehlo.add\""},
      {"%0 = stablehlo.add %x, %x : tensor<2xf32>",
       "operand 0 of stablehlo.add is a tensor<f32>, not a tensor<2xf32>"},
      {"%0 = stablehlo.add %x, %x : (tensor<f32>) -> tensor<f32>",
       "has 2 operands, but there are 1 types"},
      {"%0:2 = stablehlo.add %x, %x : tensor<f32>", "has 1 result"},
      {"%0 = stablehlo.custom_call @g() : () -> ()", "has 0 results"},
      {"%0 = stablehlo.abs %x#1 : tensor<f32>", "%x stands for 1 results"},
      {"%x = stablehlo.abs %x : tensor<f32>", "%x is defined twice"},
      {"%0 = \"stablehlo.gather\"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>",
       "stablehlo.gather must have the attribute collapsed_slice_dims"},
      {"%0 = stablehlo.gather %x, %x : tensor<f32>", "written in quotes"},
      {"%0 = stablehlo.iota {x = 1, x = 2} dim = 0 : tensor<2xi32>", "expected 'dim'"},
      {"stablehlo.custom_call @g() {x = 1, x = 2} : () -> ()", "x is given twice"},
      {"%0 = stablehlo.transpose %x, dims = [1 : tensor<f32>", "expected ',' or ']'"},
      {"%0 = stablehlo.transpose %x, dims = [99999999999999999999] : tensor<f32>",
       "does not fit into 64 bits"},
      {"%0 = stablehlo.constant 5 : i32", "a constant is a dense attribute"},
      {"%0 = stablehlo.reduce_precision %x, format = m5 : tensor<f32>", "such as e5m10"},
      {"%0 = stablehlo.reduce(%x init: %x) applies stablehlo.pad across dimensions = [] : "
       "(tensor<f32>, tensor<f32>) -> tensor<f32>",
       "no operation on two scalars"},
      {"stablehlo.custom_call @g() {x = \"abc} : () -> ()", "does not end in its line"},
      {"stablehlo.custom_call @g() {x = \"\\q\"} : () -> ()", "a backslash in a string"},
      {"\"stablehlo.while\"() ({ ^a: return ^b: return }) : () -> ()", "several blocks"},
      {"\"func.return\"() : () -> ()", "expected '}' behind func.return"},
      {"%0 = stablehlo.abs %x : i32", "values have no such type"},
      {"%0 = stablehlo.abs %x : tensor<2y>", "expected 'x'"},
      {"%0 = stablehlo.abs %x : tensor<99999999999999999999xf32>", "does not fit into 63 bits"},
      {"%0 = stablehlo.abs %x : tensor<2xf32, #stablehlo.bounds<3>>",
       "only dimensions of size '?'"},
      {"%0 = stablehlo.abs %x : tensor<?xf32, #stablehlo.bounds<3, 4>>",
       "a bound, or '?', for each"},
  };
  for (const auto& [text, error] : kCases) {
    const absl::Status status =
        StatusOf(absl::StrCat("func.func @f(%x: tensor<f32>) {\n  ", text, "\n  return\n}\n"));
    EXPECT_THAT(status.message(), HasSubstr(error)) << text;
  }
}

TEST(TextErrorTest, ReturnsEndRegions) {
  EXPECT_THAT(StatusOf("return\nmodule {\n}\n").message(),
              HasSubstr("1:1: error: func.return ends no region here"));
}

TEST(TextErrorTest, WhatIsNotSupported) {
  for (const char* type : {"tensor<*xf32>", "tensor<2x!quant.uniform<i8:f32, 0.1>>", "tensor<f80>",
                           "vector<2xf32>", "tensor<2xf32, \"x\">", "!other.type"}) {
    const absl::Status status = StatusOf(absl::StrCat("func.func @f(%x: ", type, ") { return }"));
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << type << status;
  }
  EXPECT_EQ(StatusOf("func.func @f() { other.op() }").code(), absl::StatusCode::kUnimplemented);
}

TEST(TextErrorTest, NestingIsBounded) {
  const auto repeated = [](const char* part) {
    std::string result;
    for (int i = 0; i < 100000; ++i) result += part;
    return result;
  };
  for (const char* part : {"[", "{a = ", "tuple<", "(", "dense<", "\"x\"(", "array<"}) {
    EXPECT_FALSE(StatusOf(absl::StrCat("func.func @f() attributes {x = ", repeated(part))).ok());
  }
  EXPECT_THAT(StatusOf(absl::StrCat("func.func @f() { return loc(", repeated("\"x\"("))).message(),
              HasSubstr("nested more than"));
  EXPECT_THAT(StatusOf(repeated("module {\n")).message(), HasSubstr("nested more than"));
  EXPECT_FALSE(
      StatusOf(absl::StrCat("#a = dense<", repeated("["), "> : tensor<", repeated("1x"), "f32>"))
          .ok());
}

// Short text cannot stand for programs without end.
TEST(TextErrorTest, AliasesAreBounded) {
  const auto doubled = [](const char* kind, const char* first, const char* next) {
    std::string text = absl::StrCat(kind, "0 = ", first, "\n");
    for (int i = 1; i < 64; ++i) {
      const std::string before = absl::StrCat(kind, i - 1);
      absl::StrAppend(&text, kind, i, " = ", absl::StrReplaceAll(next, {{"$", before}}), "\n");
    }
    return text;
  };
  EXPECT_THAT(StatusOf(doubled("#a", "1", "[$, $]")).message(), HasSubstr("too large"));
  EXPECT_THAT(StatusOf(doubled("!a", "tensor<f32>", "tuple<$, $>")).message(),
              HasSubstr("too large"));
  EXPECT_THAT(StatusOf(doubled("#a", "loc(\"x\")", "loc(fused[$, $])")).message(),
              HasSubstr("too many parts"));
  std::string deep = "#a0 = []\n";
  for (int i = 1; i < 5000; ++i) absl::StrAppend(&deep, "#a", i, " = [#a", i - 1, "]\n");
  EXPECT_THAT(StatusOf(deep).message(), HasSubstr("nested more than"));
}

TEST(TextErrorTest, LargeNumbersAreNoLargeMemory) {
  EXPECT_FALSE(StatusOf("func.func @f() { %0:4000000000000 = stablehlo.custom_call @g() : () -> () "
                        "return }")
                   .ok());
  EXPECT_FALSE(
      StatusOf("func.func @f(%x: tensor<2xf32>) { %0 = stablehlo.transpose %x {permutation "
               "= dense<1> : tensor<1000000000000xi64>} : tensor<2xf32> return }")
          .ok());
}

// Every beginning of a program is either a program or an error.
TEST(TextErrorTest, Truncation) {
  const std::string kPrograms[] = {
      R"(#loc1 = loc("a.py":1:2 to :5)
!t = tensor<2x3xf32>
module @m attributes {mhlo.num_partitions = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[0, 1, 2, 3, 4, 5, 6, 7]>
  func.func public @main(%a: !t {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>} loc("a"),
                         %i: tensor<i32>) -> (!t {jax.result_info = "r"}) {
    %c = stablehlo.constant dense<[[1.0, -2.0, 0x7FC00000], [0.5, 1.e3, 0.0]]> : !t loc(#loc1)
    %h = stablehlo.constant dense<"0x01000000"> : tensor<i32>
    %0:2 = stablehlo.while(%x = %i, %y = %a) : tensor<i32>, !t cond {
      %1 = stablehlo.compare LT, %x, %h, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %y, %c {x = [1, "a\22", {b = @c, d}]} : !t
      stablehlo.return %x, %1 : tensor<i32>, !t
    } loc(callsite("f"(#loc1) at #loc2))
    %2 = "stablehlo.dot_general"(%0#1, %c) <{dot_dimension_numbers = #stablehlo.dot<
        lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}>
        : (!t, !t) -> tensor<3x3xf32>
    %3 = sdy.sharding_constraint %0#1 <@mesh, [{"y":(1)2}, {}]> : !t
    return %3 : !t
  }
}
#loc2 = loc(fused["x", unknown])
)",
      R"(func.func @f(%m: tensor<4x6xf32>, %s: tensor<f32>) {
  %0 = stablehlo.reduce(%m init: %s) across dimensions = [0, 1]
      : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
      reducer(%x: tensor<f32>, %y: tensor<f32>) { stablehlo.return %x : tensor<f32> }
  %1 = dense_resource<none>
})",
      R"(func.func @f(%a: tensor<1x4x4x1xf32>, %b: tensor<2x2x1x1xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [2, 1], pad = [[1, 1], [0, 0]], reverse = [true, false]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x1xf32>
  %1 = stablehlo.slice %a [0:1, 0:4:2, 0:1, 0:1] : (tensor<1x4x4x1xf32>) -> tensor<1x2x1x1xf32>
  return
}
{-# dialect_resources: { builtin: { x: "0x04000000" } } #-}
)"};
  EXPECT_TRUE(ReadText(kPrograms[0]).ok()) << StatusOf(kPrograms[0]);
  EXPECT_TRUE(ReadText(kPrograms[2]).ok()) << StatusOf(kPrograms[2]);
  for (const std::string& program : kPrograms) {
    for (size_t size = 0; size < program.size(); ++size) {
      // On the heap, so that reads behind the end are seen.
      const auto text = std::make_unique<char[]>(size);
      std::copy(program.begin(), program.begin() + size, text.get());
      const auto read = ReadText(absl::string_view(text.get(), size));
      if (read.ok()) {
        EXPECT_FALSE(ToText(**read).empty());
      } else {
        EXPECT_FALSE(read.status().message().empty());
      }
    }
    // And with one character replaced.
    for (size_t i = 0; i < program.size(); ++i) {
      for (const char c : {'\0', '"', '<', '}', '%', '#', '9', '\x80'}) {
        std::string changed = program;
        changed[i] = c;
        const auto read = ReadText(changed);
        if (read.ok()) EXPECT_FALSE(ToText(**read).empty());
      }
    }
  }
}

}  // namespace
}  // namespace xla::stablehlo
