// The worked examples of the operation semantics that are about the builder, each test named by its
// id. The others are in tests/semantics.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/builder/builder_testing.h"
#include "tests/builder/lib_testing.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Adds operations to a builder; the last one is the result.
using Program = std::function<XlaOp(XlaBuilder*)>;

Literal ParsedLiteral(const std::string& text) {
  absl::StatusOr<Literal> literal = ParseLiteral(text);
  EXPECT_TRUE(literal.ok()) << text << ": " << literal.status();
  return literal.ok() ? *std::move(literal) : Literal();
}

XlaOp Value(XlaBuilder* b, const std::string& text) {
  return ConstantLiteral(b, ParsedLiteral(text));
}

Literal ResultOf(const Program& program) {
  XlaBuilder b("main");
  program(&b);
  return Execute(b.Build());
}

void ExpectResult(const Program& program, const std::string& expected) {
  const Literal wanted = ParsedLiteral(expected);
  const Literal result = ResultOf(program);
  EXPECT_TRUE(ShapeUtil::Compatible(result.shape(), wanted.shape()) && result == wanted)
      << "got      " << result.ToString() << "\nexpected " << wanted.ToString();
}

// The message of the error that Build gives.
std::string Refusal(const Program& program) {
  XlaBuilder b("main");
  program(&b);
  return ErrorOf(b);
}

const char kMatrix[] = "s32[2,3] {{1, 2, 3}, {4, 5, 6}}";
// What the examples of Collapse and Reshape start from, and their results.
const char kBlock[] =
    "f32[4,2,3] {{{10, 11, 12}, {15, 16, 17}}, {{20, 21, 22}, {25, 26, 27}},"
    " {{30, 31, 32}, {35, 36, 37}}, {{40, 41, 42}, {45, 46, 47}}}";
const char kFlat[] =
    "f32[24] {10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27,"
    " 30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47}";
const char kFourBySix[] =
    "f32[4,6] {{10, 11, 12, 15, 16, 17}, {20, 21, 22, 25, 26, 27},"
    " {30, 31, 32, 35, 36, 37}, {40, 41, 42, 45, 46, 47}}";
const char kEightByThree[] =
    "f32[8,3] {{10, 11, 12}, {15, 16, 17}, {20, 21, 22}, {25, 26, 27},"
    " {30, 31, 32}, {35, 36, 37}, {40, 41, 42}, {45, 46, 47}}";

TEST(Semantics, DX_bcast_1) {
  ExpectResult(
      [](XlaBuilder* b) { return Add(Value(b, kMatrix), Value(b, "s32[3] {10, 20, 30}"), {1}); },
      "s32[2,3] {{11, 22, 33}, {14, 25, 36}}");
}

TEST(Semantics, DX_bcast_2) {
  ExpectResult(
      [](XlaBuilder* b) { return Add(Value(b, kMatrix), Value(b, "s32[2] {10, 20}"), {0}); },
      "s32[2,3] {{11, 12, 13}, {24, 25, 26}}");
}

TEST(Semantics, DX_bcast_3) {
  EXPECT_THAT(Refusal([](XlaBuilder* b) {
                return Add(Value(b, kMatrix), Value(b, "s32[3] {10, 20, 30}"));
              }),
              AllOf(HasSubstr("s32[2,3]"), HasSubstr("s32[3]")));
}

TEST(Semantics, DX_bcast_4) {
  ExpectResult(
      [](XlaBuilder* b) {
        return Add(Value(b, "s32[1,3] {{1, 2, 3}}"), Value(b, "s32[2,1] {{10}, {20}}"));
      },
      "s32[2,3] {{11, 12, 13}, {21, 22, 23}}");
}

TEST(Semantics, DX_bcast_5) {
  ExpectResult(
      [](XlaBuilder* b) {
        return Lt(Value(b, "s32[2,2] {{1, 5}, {3, 2}}"), ConstantR0<int32_t>(b, 3));
      },
      "pred[2,2] {{1, 0}, {0, 1}}");
}

// The odd element of the padding is on the high side.
TEST(Semantics, DX_same_1) {
  ExpectResult(
      [](XlaBuilder* b) {
        return ReduceWindow(Value(b, "f32[4] {1, 2, 3, 4}"), ConstantR0<float>(b, 0),
                            CreateScalarAddComputation(F32, b), {3}, {2}, Padding::kSame);
      },
      "f32[2] {6, 7}");
}

TEST(Semantics, DX_broadcast_2) {
  ExpectResult([](XlaBuilder* b) { return Broadcast(Value(b, "s32[2] {7, 8}"), {2}); },
               "s32[2,2] {{7, 8}, {7, 8}}");
  ExpectResult([](XlaBuilder* b) { return Broadcast(Value(b, "s32[2] {7, 8}"), {}); },
               "s32[2] {7, 8}");
}

TEST(Semantics, DX_broadcastindim_1) {
  ExpectResult(
      [](XlaBuilder* b) {
        return BroadcastInDim(Value(b, "s32[2] {1, 2}"), {2, 3}, {0});
      },
      "s32[2,3] {{1, 1, 1}, {2, 2, 2}}");
}

TEST(Semantics, DX_broadcastindim_2) {
  ExpectResult(
      [](XlaBuilder* b) {
        return BroadcastInDim(Value(b, "s32[1,2] {{1, 2}}"), {3, 2}, {0, 1});
      },
      "s32[3,2] {{1, 2}, {1, 2}, {1, 2}}");
}

TEST(Semantics, DX_broadcastindim_3) {
  EXPECT_THAT(Refusal([](XlaBuilder* b) {
                return BroadcastInDim(Value(b, "s32[2] {1, 2}"), {3, 3}, {0});
              }),
              HasSubstr("s32[2]"));
}

TEST(Semantics, EX_collapse_1) {
  ExpectResult([](XlaBuilder* b) { return Collapse(Value(b, kBlock), {0, 1, 2}); }, kFlat);
}

TEST(Semantics, EX_collapse_2) {
  ExpectResult([](XlaBuilder* b) { return Collapse(Value(b, kBlock), {1, 2}); }, kFourBySix);
}

TEST(Semantics, EX_collapse_3) {
  ExpectResult([](XlaBuilder* b) { return Collapse(Value(b, kBlock), {0, 1}); }, kEightByThree);
}

TEST(Semantics, EX_collapse_4) {
  for (const auto& dimensions : {std::vector<int64_t>{1, 0}, {0, 2}}) {
    EXPECT_NE(Refusal([&](XlaBuilder* b) { return Collapse(Value(b, kBlock), dimensions); }), "");
  }
}

TEST(Semantics, EX_reshape_1) {
  ExpectResult([](XlaBuilder* b) { return Reshape(Value(b, kBlock), {24}); }, kFlat);
}

TEST(Semantics, EX_reshape_2) {
  ExpectResult([](XlaBuilder* b) { return Reshape(Value(b, kBlock), {8, 3}); }, kEightByThree);
}

// The order in which dimensions are flattened is a transposition.
TEST(Semantics, EX_reshape_3) {
  ExpectResult(
      [](XlaBuilder* b) {
        return Reshape(Transpose(Value(b, kBlock), {1, 2, 0}), {24});
      },
      "f32[24] {10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42,"
      " 15, 25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47}");
}

TEST(Semantics, EX_reshape_4) {
  ExpectResult(
      [](XlaBuilder* b) {
        return Reshape(Transpose(Value(b, kBlock), {1, 2, 0}), {8, 3});
      },
      "f32[8,3] {{10, 20, 30}, {40, 11, 21}, {31, 41, 12}, {22, 32, 42},"
      " {15, 25, 35}, {45, 16, 26}, {36, 46, 17}, {27, 37, 47}}");
}

TEST(Semantics, EX_reshape_5) {
  ExpectResult(
      [](XlaBuilder* b) {
        return Reshape(Transpose(Value(b, kBlock), {1, 2, 0}), {2, 6, 2});
      },
      "f32[2,6,2] {{{10, 20}, {30, 40}, {11, 21}, {31, 41}, {12, 22}, {32, 42}},"
      " {{15, 25}, {35, 45}, {16, 26}, {36, 46}, {17, 27}, {37, 47}}}");
}

TEST(Semantics, EX_reshape_6) {
  ExpectResult(
      [](XlaBuilder* b) {
        return Reshape(Transpose(Value(b, "f32[1,1] {{5}}"), {0, 1}), {});
      },
      "f32[] 5");
  ExpectResult(
      [](XlaBuilder* b) {
        return Reshape(Transpose(ConstantR0<float>(b, 5), {}), {1, 1});
      },
      "f32[1,1] {{5}}");
}

TEST(Semantics, EX_reshape_7) {
  ExpectResult([](XlaBuilder* b) { return Reshape(Value(b, "f32[1,1] {{5}}"), {}); }, "f32[] 5");
  ExpectResult(
      [](XlaBuilder* b) {
        return Reshape(ConstantR0<float>(b, 5), {1, 1});
      },
      "f32[1,1] {{5}}");
}

// The least of three neighbours, two apart.
XlaOp LeastOfWindows(XlaBuilder* b, Padding padding) {
  return ReduceWindow(Value(b, "f32[5] {10000, 1000, 100, 10, 1}"), MaxFiniteValue(b, F32),
                      CreateScalarMinComputation(F32, b), {3}, {2}, padding);
}

TEST(Semantics, EX_reducewindow_2) {
  ExpectResult([](XlaBuilder* b) { return LeastOfWindows(b, Padding::kValid); }, "f32[2] {100, 1}");
}

TEST(Semantics, EX_reducewindow_3) {
  ExpectResult([](XlaBuilder* b) { return LeastOfWindows(b, Padding::kSame); },
               "f32[3] {1000, 10, 1}");
}

TEST(Semantics, DX_conv_1) {
  ExpectResult(
      [](XlaBuilder* b) {
        return Conv(Value(b, "f32[1,1,3,3] {{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}}"),
                    Value(b, "f32[1,1,2,2] {{{{1, 2}, {3, 4}}}}"), {1, 1}, Padding::kValid);
      },
      "f32[1,1,2,2] {{{{37, 47}, {67, 77}}}}");
}

TEST(Semantics, DX_conv_2) {
  const Literal result = ResultOf([](XlaBuilder* b) {
    return Conv(Broadcast(ConstantR0<float>(b, 1), {1, 1, 5, 5}),
                Broadcast(ConstantR0<float>(b, 1), {1, 1, 3, 3}), {1, 1}, Padding::kSame);
  });
  ASSERT_EQ(result.shape(), ShapeUtil::MakeShape(F32, {1, 1, 5, 5}));
  EXPECT_EQ(result.Get<float>({0, 0, 0, 0}), 4);
  EXPECT_EQ(result.Get<float>({0, 0, 2, 2}), 9);
}

TEST(Semantics, DX_pad_7) {
  PaddingConfig config;
  config.add_dimensions()->set_interior_padding(-1);
  EXPECT_THAT(Refusal([&](XlaBuilder* b) {
                return Pad(Value(b, "s32[3] {1, 2, 3}"), ConstantR0<int32_t>(b, 0), config);
              }),
              HasSubstr("pad_c5"));
}

TEST(Semantics, EX_select_2) {
  ExpectResult(
      [](XlaBuilder* b) {
        return Select(ConstantR0<bool>(b, true), Value(b, "s32[4] {1, 2, 3, 4}"),
                      Value(b, "s32[4] {100, 200, 300, 400}"));
      },
      "s32[4] {1, 2, 3, 4}");
}

TEST(Semantics, DX_select_3) {
  const auto tuple = [](XlaBuilder* b, float x, int32_t y) {
    return Tuple(b, {ConstantR1<float>(b, {x, x}), ConstantR0<int32_t>(b, y)});
  };
  ExpectResult(
      [&](XlaBuilder* b) {
        return Select(ConstantR0<bool>(b, false), tuple(b, 1, 2), tuple(b, 3, 4));
      },
      "(f32[2] {3, 3}, s32[] 4)");
  EXPECT_NE(Refusal([&](XlaBuilder* b) {
              return Select(ConstantR1<bool>(b, {true, false}), tuple(b, 1, 2), tuple(b, 3, 4));
            }),
            "");
}

TEST(Semantics, DX_compositecall_2) {
  const auto negate = [](XlaBuilder* b) {
    const std::unique_ptr<XlaBuilder> sub = b->CreateSubBuilder("negate");
    Neg(Parameter(sub.get(), 0, ShapeUtil::MakeShape(F32, {}), "x"));
    return *sub->Build();
  };
  ExpectResult(
      [&](XlaBuilder* b) {
        const XlaOp x = ConstantR0<float>(b, 3);
        return Tuple(b, {CompositeCall(b, negate(b), {x}, "foo.bar"), Call(b, negate(b), {x})});
      },
      "(f32[] -3, f32[] -3)");
  XlaBuilder b("main");
  CompositeCall(&b, negate(&b), {ConstantR0<float>(&b, 3)}, "foo.bar");
  EXPECT_THAT(TextOf(b),
              AllOf(HasSubstr("is_composite=true"), HasSubstr("composite.name=\"foo.bar\""),
                    HasSubstr("composite.version=\"0\"")));
}

}  // namespace
}  // namespace xla
