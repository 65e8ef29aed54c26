// Arrays whose sizes nobody knows while the program is built.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/builder/builder_testing.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::HasSubstr;
using testing::Not;

// What a program may be made of: parameters of these shapes.
std::string ShapeOfProgram(const std::vector<std::string>& parameters,
                           const std::function<XlaOp(XlaBuilder*, absl::Span<const XlaOp>)>& add) {
  XlaBuilder builder("program");
  std::vector<XlaOp> ops;
  for (const std::string& shape : parameters) {
    ops.push_back(Parameter(&builder, static_cast<int64_t>(ops.size()), ParseShape(shape).value(),
                            "p" + std::to_string(ops.size())));
  }
  const XlaOp root = add(&builder, ops);
  const absl::StatusOr<XlaComputation> computation = builder.Build(root);
  if (!computation.ok()) return std::string(computation.status().message());
  const std::unique_ptr<HloModule> module = ModuleOf(*computation);
  if (module == nullptr) return "";
  EXPECT_THAT(module->ToString(), Not(HasSubstr("-9223372036854775808")));
  return ShapeUtil::HumanString(module->result_shape());
}

TEST(UnboundedTest, OperandsAreBroadcastAtRunTime) {
  const auto add = [](XlaBuilder*, absl::Span<const XlaOp> p) { return Add(p[0], p[1]); };
  EXPECT_EQ(ShapeOfProgram({"f32[?,7]", "f32[1,7]"}, add), "f32[?,7]");
  EXPECT_EQ(ShapeOfProgram({"f32[1,?]", "f32[?,1]"}, add), "f32[?,?]");
  EXPECT_EQ(ShapeOfProgram({"f32[?,7]", "f32[]"}, add), "f32[?,7]");
  EXPECT_EQ(ShapeOfProgram({"f32[?,7]", "f32[3,?]"}, add), "f32[3,7]");
  EXPECT_EQ(ShapeOfProgram({"f32[?,1]", "f32[3,5]"}, add), "f32[3,5]");
  EXPECT_THAT(ShapeOfProgram({"f32[?,7]", "f32[3,6]"}, add), HasSubstr("add_c0"));

  XlaBuilder b("sizes");
  const XlaOp x = Parameter(&b, 0, ParseShape("f32[?,7]").value(), "x");
  Mul(x, Parameter(&b, 1, ParseShape("f32[7]").value(), "y"), {1});
  const std::string text = TextOf(b);
  EXPECT_THAT(text, HasSubstr("get-dimension-size(x), dimensions={0}"));
  EXPECT_THAT(text, HasSubstr("\"mhlo.dynamic_broadcast_in_dim\""));
  EXPECT_THAT(text, HasSubstr("broadcast_dimensions=[1]"));
}

TEST(UnboundedTest, ScalarsAreRepeated) {
  EXPECT_EQ(ShapeOfProgram(
                {"f32[]", "f32[?,7]"},
                [](XlaBuilder*, absl::Span<const XlaOp> p) { return Clamp(p[0], p[1], p[0]); }),
            "f32[?,7]");
  EXPECT_EQ(ShapeOfProgram(
                {"pred[?]", "s32[]"},
                [](XlaBuilder*, absl::Span<const XlaOp> p) { return Select(p[0], p[1], p[1]); }),
            "s32[?]");
}

TEST(UnboundedTest, ShapesMove) {
  const auto one = [](std::function<XlaOp(XlaOp)> add) {
    return [add](XlaBuilder*, absl::Span<const XlaOp> p) { return add(p[0]); };
  };
  EXPECT_EQ(ShapeOfProgram({"f32[?,3]"}, one([](XlaOp x) { return Reshape(x, {6}); })), "f32[6]");
  EXPECT_EQ(ShapeOfProgram({"f32[?,3]"}, one([](XlaOp x) {
                             return BroadcastInDim(x, {2, 5, 3}, {0, 2});
                           })),
            "f32[2,5,3]");
  EXPECT_EQ(ShapeOfProgram({"f32[?,3]"}, one([](XlaOp x) { return BitcastConvertType(x, U8); })),
            "u8[?,3,4]");
  EXPECT_EQ(ShapeOfProgram({"f32[?,3]"}, one([](XlaOp x) { return ConvertElementType(x, S8); })),
            "s8[?,3]");
  EXPECT_EQ(ShapeOfProgram({"f32[?,3]"}, one([](XlaOp x) { return GetDimensionSize(x, 1); })),
            "s32[]");
  EXPECT_THAT(ShapeOfProgram({"f32[?,3]"}, one([](XlaOp x) { return Broadcast(x, {2}); })),
              HasSubstr("must be known"));
}

TEST(UnboundedTest, WindowsOfSizesThatAreNotKnown) {
  const auto pool = [](Padding padding) {
    return [padding](XlaBuilder* builder, absl::Span<const XlaOp> p) {
      return ReduceWindow(p[0], ConstantR0<float>(builder, 0),
                          CreateScalarAddComputation(F32, builder), {2, 3}, {1, 1}, padding);
    };
  };
  EXPECT_EQ(ShapeOfProgram({"f32[?,8]"}, pool(Padding::kValid)), "f32[?,6]");
  EXPECT_THAT(ShapeOfProgram({"f32[?,8]"}, pool(Padding::kSame)), HasSubstr("is not known"));
}

TEST(UnboundedTest, FourierTransformsOfRealDataHaveKnownSizes) {
  const auto transform = [](FftType type) {
    return [type](XlaBuilder*, absl::Span<const XlaOp> p) { return Fft(p[0], type, {8}); };
  };
  EXPECT_EQ(ShapeOfProgram({"f32[<=3,?]"}, transform(RFFT)), "c64[<=3,5]");
  EXPECT_EQ(ShapeOfProgram({"c64[3,?]"}, transform(IRFFT)), "f32[3,8]");
}

TEST(UnboundedTest, Collectives) {
  const auto one = [](std::function<XlaOp(XlaOp)> add) {
    return [add](XlaBuilder*, absl::Span<const XlaOp> p) { return add(p[0]); };
  };
  EXPECT_EQ(ShapeOfProgram({"f32[?,8]"}, one([](XlaOp x) { return AllGather(x, 0, 4); })),
            "f32[?,8]");
  EXPECT_EQ(ShapeOfProgram({"f32[?,8]"}, one([](XlaOp x) { return AllGather(x, 1, 4); })),
            "f32[?,32]");
  EXPECT_EQ(ShapeOfProgram({"f32[?,8]"}, one([](XlaOp x) { return AllToAll(x, 0, 1, 2); })),
            "f32[?,16]");
  EXPECT_EQ(ShapeOfProgram({"f32[?,8]"}, one([](XlaOp x) { return AllToAll(x, 1, 0, 2); })),
            "f32[?,4]");
  EXPECT_EQ(ShapeOfProgram({"f32[?,8]"}, one([](XlaOp x) { return AllToAll(x, 1, 1, 2); })),
            "f32[?,8]");
}

TEST(UnboundedTest, SizesOperandsAreChecked) {
  const auto reshape = [](const std::string& shape) {
    return [shape](XlaBuilder*, absl::Span<const XlaOp> p) {
      return MhloDynamicReshape(p[0], p[1], ParseShape(shape).value());
    };
  };
  EXPECT_EQ(ShapeOfProgram({"f32[?]", "s32[2]"}, reshape("f32[?,4]")), "f32[?,4]");
  EXPECT_THAT(ShapeOfProgram({"f32[?]", "s32[3]"}, reshape("f32[?,4]")), HasSubstr("one for each"));
  EXPECT_THAT(ShapeOfProgram({"f32[?]", "f32[2]"}, reshape("f32[?,4]")), HasSubstr("integers"));
  EXPECT_THAT(ShapeOfProgram({"f32[?]", "s32[2]"}, reshape("s32[?,4]")),
              HasSubstr("same element type"));
  EXPECT_THAT(ShapeOfProgram({"f32[6]", "s32[2]"}, reshape("f32[2,4]")),
              HasSubstr("other elements"));
  const auto broadcast = [](int64_t place) {
    return [place](XlaBuilder*, absl::Span<const XlaOp> p) {
      return MhloDynamicBroadcastInDim(p[0], p[1], {place}, ParseShape("f32[3,?]").value());
    };
  };
  EXPECT_EQ(ShapeOfProgram({"f32[7]", "s32[2]"}, broadcast(1)), "f32[3,?]");
  EXPECT_THAT(ShapeOfProgram({"f32[7]", "s32[2]"}, broadcast(0)), HasSubstr("dimension 0"));
  EXPECT_THAT(ShapeOfProgram({"f32[7]", "s32[2]"}, broadcast(2)), HasSubstr("no dimension 2"));
}

}  // namespace
}  // namespace xla
