// The values that can be read on their own.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

TEST(ValueTest, Shapes) {
  for (absl::string_view text :
       {"f32[]", "f32[2,3]{1,0}", "f32[2,3]{0,1}", "(f32[2]{0}, s32[])", "()", "token[]",
        "opaque[]", "b(f32[4]{0})", "f32[<=4,?]{1,0}", "pred[0]{0}", "f32[]{:T(256)}",
        "bf16[4,4]{1,0:T(8,128)(2,1)S(1)}", "((s4[2]{0:E(4)}), u1[1]{0})",
        "f32[8]{0:L(16)#(u8)*(u16)SC(0:1,2)M(8)}"}) {
    auto shape = ParseShape(text);
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(shape->ToString(/*print_layout=*/true), std::string(text));
  }
  EXPECT_EQ(ParseShape(" f32 [ 2 , 3 ] ").value(), ShapeUtil::MakeShape(F32, {2, 3}));
  EXPECT_EQ(ParseShape("f32[2]{0:D(D,C+~)T(4)}").value().ToString(true), "f32[2]{0:T(4)}");
}

TEST(ValueTest, BadShapes) {
  for (absl::string_view text : {"",
                                 "f32",
                                 "f32[",
                                 "f32[2",
                                 "f32[-1]",
                                 "f32[2,]",
                                 "f33[2]",
                                 "f32[2]{1}",
                                 "f32[2,3]{0,0}",
                                 "f32[2,3]{0}",
                                 "f32[2]{0:X(1)}",
                                 "f32[2]{0:S(1)T(2)}",
                                 "f32[2] x",
                                 "token[1]",
                                 "(f32[2]",
                                 "tuple[]",
                                 "f32[2]{0:T(0)}",
                                 "f32[9223372036854775807,9223372036854775807]",
                                 "f32[9223372036854775808]",
                                 "f32[2]{0:P(f32[2]{0})}",
                                 "b(f32[2]",
                                 "b((f32[2]))"}) {
    EXPECT_FALSE(ParseShape(text).ok()) << text;
  }
}

TEST(ValueTest, LayoutsAndLists) {
  EXPECT_EQ(ParseLayout("{1,0:T(8,128)}").value().ToString(), "{1,0:T(8,128)}");
  EXPECT_FALSE(ParseLayout("1,0").ok());
  EXPECT_EQ(ParseShapeList("{f32[2]{0}, s32[]}").value().size(), 2);
  EXPECT_EQ(ParseParameterReplication("{true,false}").value(), (std::vector<bool>{true, false}));
  EXPECT_EQ(ParsePaddingConfig("1_2x0_-3_4").value().dimensions(1).edge_padding_high(), -3);
  EXPECT_EQ(ParseFrontendAttributes(R"({a="x\n",b={"k":{}}})").value().map().at("b"),
            R"({"k":{}})");
  EXPECT_FALSE(ParseFrontendAttributes(R"({a="x",a="y"})").ok());
  EXPECT_EQ(ParseStatisticsViz("{visualizing_index=1,a=1.5,b=2}").value().statistics(1).stat_val(),
            2);
  EXPECT_FALSE(ParseStatisticsViz("{visualizing_index=2,a=1.5}").ok());
  EXPECT_EQ(ParseOriginalValue(R"({({"a"}, {"b" {0}}, {})})").value()->ToString(),
            R"(({"a"}, {"b" {0}}, {}))");
}

TEST(ValueTest, Windows) {
  const Window window = ParseWindow("pad=1_0x0_2 size=3x4 rhs_reversal=1x0").value();
  EXPECT_EQ(window.dimensions(1).size(), 4);
  EXPECT_EQ(window.dimensions(1).padding_high(), 2);
  EXPECT_EQ(window.dimensions(1).stride(), 1);
  EXPECT_TRUE(window.dimensions(0).window_reversal());
  EXPECT_EQ(ParseWindow("{}").value().dimensions_size(), 0);
  for (absl::string_view text : {"stride=1", "size=2 stride=1x1", "size=2 size=2", "size=2 strid=1",
                                 "size=99999999999999999999x1", "size=2 pad=1_1_1", "size=2x2 rhs_reversal=1"}) {
    EXPECT_FALSE(ParseWindow(text).ok()) << text;
  }
}

TEST(ValueTest, DimensionLabels) {
  const auto labels = ParseConvolutionDimensionNumbers("bf01_oi10->f?b01").value();
  EXPECT_EQ(labels.input_feature_dimension(), 1);
  EXPECT_EQ(labels.kernel_output_feature_dimension(), 0);
  EXPECT_EQ(labels.kernel_spatial_dimensions(0), 3);
  EXPECT_EQ(labels.output_batch_dimension(), 2);
  for (absl::string_view text :
       {"b0f_0io->b01f", "bb0_0io->b0f", "b1f_0io->b0f", "b00f_01io->b01f", "b0_0io->b0f", "b0f"}) {
    EXPECT_FALSE(ParseConvolutionDimensionNumbers(text).ok()) << text;
  }
}

TEST(ValueTest, Devices) {
  EXPECT_EQ(ParseReplicaGroupsOnly("{{0,1},{2,3}}").value()[1].replica_ids(0), 2);
  EXPECT_EQ(ParseReplicaGroupsOnly("[2,2]<=[4]").value().size(), 2);
  EXPECT_EQ(
      ParseCollectiveDeviceList("mesh['x'=2,'y'=4] {'x','y':(1)2}").value().num_devices_per_group(),
      4);
  for (absl::string_view text :
       {"[2,3]<=[5]", "[2,2]<=[16]", "[4]<=[4]", "[2,2]<=[2,2]", "{0,1}", "mesh['x'=2] {'y'}"}) {
    EXPECT_FALSE(ParseCollectiveDeviceList(text).ok()) << text;
  }
  EXPECT_EQ(ParseReplicaGroupsOnly("maximal_mesh[device_id=3] {}").value()[0].replica_ids(0), 3);
  for (absl::string_view text :
       {"{replicated}", "{manual}", "{maximal device=3}", "{devices=[2,2]<=[2,2]T(1,0)}",
        "{devices=[2,1]0,1}", "{{replicated}, {manual}}", "{maximal_mesh[device_id=3]}"}) {
    auto sharding = ParseSharding(text);
    ASSERT_TRUE(sharding.ok()) << sharding.status();
    EXPECT_EQ(sharding->ToString(), std::string(text));
  }
  // What is the same on all devices is printed without them.
  EXPECT_EQ(ParseSharding("{mesh['x'=2], replicated}")->ToString(), "{replicated}");
  EXPECT_EQ(ParseSharding("{mesh['x'=2], unreduced}")->ToString(), "{unreduced}");
  EXPECT_EQ(ParseSharding("{mesh['x'=2], unreduced=max}")->ToString(), "{unreduced=max}");
  EXPECT_EQ(ParseSharding("{mesh['x'=2], unreduced=max{'x'}}")->ToString(), "{unreduced=max}");
  EXPECT_EQ(ParseSharding("{mesh['x'=2], manual}")->ToString(), "{mesh['x'=2], manual}");
  EXPECT_EQ(ParseSharding("{unreduced=max}")->ToString(/*include_metadata=*/true),
            "{unreduced metadata={op_type=\"sdy::reduction_op\" op_name=\"MAX\"}}");
  for (absl::string_view text :
       {"replicated", "{replicate}", "{devices=[2,2]<=[16]}", "{unreduced=mean}", "{devices=[2,2]0,1}", "{devices=[2]<=[3]}", "{{{replicated}}}",
        "{devices=[9999999999999]<=[9999999999999]}", "{mesh['x'=2], [{'y'}]}"}) {
    EXPECT_FALSE(ParseSharding(text).ok()) << text;
  }
}

TEST(ValueTest, Literals) {
  for (absl::string_view text :
       {"f32[] 1.5", "s32[3] {1, -2, 3}", "pred[2] {1, 0}", "c64[] (1.5, -2)",
        "f32[2,2] { { 1, nan }, { -inf, 1e-07 } }", "( s32[] 1, ( pred[] true ) )",
        "u64[] 18446744073709551615", "f8e5m2[2] {0.5, inf}", "s4[2] {-8, 7}", "f64[] 1e+300",
        "bf16[] -0.0", "f32[] nan(0x1)"}) {
    auto literal = ParseLiteral(text);
    ASSERT_TRUE(literal.ok()) << literal.status();
    EXPECT_EQ(literal->ToStringOneline(), std::string(text));
  }
  // Without a point there is no negative zero.
  EXPECT_FALSE(std::signbit(ParseLiteral("f32[] -0").value().GetFirstElement<float>()));
  EXPECT_TRUE(std::signbit(ParseLiteral("f32[] -0.0").value().GetFirstElement<float>()));
  EXPECT_EQ(ParseLiteral("s32[2] {/*i0*/ 1 // one\n, 2}").value(),
            LiteralUtil::CreateR1<int32_t>({1, 2}));
  // Elements stand in logical order whatever the layout.
  EXPECT_EQ(ParseLiteral("s32[2,2]{0,1} {{1,2},{3,4}}").value().Get<int32_t>({0, 1}), 2);
  // A value without braces is the first element.
  EXPECT_EQ(ParseLiteral("s32[3] 7").value(), LiteralUtil::CreateR1<int32_t>({7, 0, 0}));
}

TEST(ValueTest, BadLiterals) {
  for (absl::string_view text : {"s32[2] {1}",
                                 "s32[2] {1,2,3}",
                                 "s32[2] {1,2",
                                 "s32[] 1.5",
                                 "s8[] 128",
                                 "u8[] -1",
                                 "f16[] 65520",
                                 "f32[] 1e39",
                                 "s32[2] {{1,2}}",
                                 "s32[2,2] {1,2}",
                                 "pred[] maybe",
                                 "c64[] (1)",
                                 "c64[] (1,2",
                                 "f32[] nan(0x800000)",
                                 "f32[] 99999999999999999999",
                                 "s32[999999999] {1,2}",
                                 "token[] 1",
                                 "( s32[] 1",
                                 "s32[] 1 2",
                                 "f32[?] {1}",
                                 "s32[0] 1",
                                 "u4[] 16",
                                 "f32[2] {1 /* }"}) {
    EXPECT_FALSE(ParseLiteral(text).ok()) << text;
  }
}

TEST(ValueTest, LiteralsWithDynamicSizes) {
  for (const char* text : {"f32[<=4](2) {1, 2}", "s32[2,<=3](2,1) { {1}, {2} }", "s8[<=2](0) {}",
                           "c64[<=2](1) {(1, 2)}"}) {
    const auto literal = ParseLiteral(text);
    ASSERT_TRUE(literal.ok()) << literal.status();
    EXPECT_EQ(literal->ToStringOneline(), text);
  }
  EXPECT_EQ(ParseLiteral("s32[2] {1, 2}")->GetDynamicSize(0), 2);
  for (const char* text :
       {"f32[<=4](5) {1, 2, 3, 4, 5}", "f32[<=4](-1) {}", "f32[<=4](2) {1}", "f32[<=4](2,1) {1, 2}",
        "f32[2,<=3](1,2) {{1, 2}}", "f32[2,<=3](2) {{1}, {2}}", "f32[<=4](2 {1, 2}", "f32[<=4]()",
        "f32[<=9000000000000](1) {1}", "f32[?](1) {1}", "f32[4](2) {1, 2}"}) {
    EXPECT_FALSE(ParseLiteral(text).ok()) << text;
  }
}

TEST(ValueTest, ElidedLiterals) {
  auto literal = ParseLiteral("u32[4] {...}");
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(*literal, LiteralUtil::CreateR1<uint32_t>({0, 1, 2, 3}));
  EXPECT_EQ(ParseLiteral("f64[3] {...}").value(), LiteralUtil::CreateR1<double>({0.0, -0.0, 0.0}));
  EXPECT_TRUE(std::signbit(ParseLiteral("f32[3] {...}").value().Get<float>({1})));
  EXPECT_TRUE(ParseLiteral("pred[100] {...}").ok());
  EXPECT_TRUE(ParseLiteral("s4[100] {...}").ok());
  // Large ones take no memory, and there is a limit.
  EXPECT_TRUE(ParseLiteral("f32[200000000] {...}").ok());
  EXPECT_FALSE(ParseLiteral("f32[100000000000] {...}").ok());
  EXPECT_FALSE(ParseLiteral("f32[] {...}").ok());
}

}  // namespace
}  // namespace xla
