#include "ir/annotation_text.h"

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_original_value.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

template <typename Function>
std::string Printed(Function function) {
  StringPrinter printer;
  function(&printer);
  return std::move(printer).ToString();
}

TEST(AnnotationTextTest, Metadata) {
  auto metadata = Parse<OpMetadata>(R"(
      op_type: "a" op_name: "b\"\n\001é" source_file: "f" source_line: 1 source_end_line: 2
      source_column: 3 source_end_column: 4 deduplicated_name: "d"
      scheduling_name: "s" stack_frame_id: 7 metadata_payload { value: "pp" })");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  metadata.add_profile_type(WINDOW);
#pragma GCC diagnostic pop
  EXPECT_EQ(OpMetadataToString(metadata),
            R"(op_type="a" op_name="b\"\n\001\303\251" source_file="f" source_line=1 )"
            R"(source_end_line=2 source_column=3 source_end_column=4 profile_type={1} )"
            R"(deduplicated_name="d" scheduling_name="s" stack_frame_id=7 metadata_payload="pp")");
  EXPECT_EQ(OpMetadataToString(metadata, /*only_op_name=*/true), R"(op_name="b\"\n\001\303\251")");
  EXPECT_EQ(OpMetadataToString(OpMetadata()), "");
}

TEST(AnnotationTextTest, WhenMetadataIsPrinted) {
  EXPECT_FALSE(HasPrintedMetadata(OpMetadata()));
  EXPECT_FALSE(HasPrintedMetadata(Parse<OpMetadata>("source_line: 3 deduplicated_name: 'x'")));
  EXPECT_TRUE(HasPrintedMetadata(Parse<OpMetadata>("op_name: 'x'")));
  EXPECT_TRUE(HasPrintedMetadata(Parse<OpMetadata>("scheduling_name: 'x'")));
  EXPECT_TRUE(HasPrintedMetadata(Parse<OpMetadata>("stack_frame_id: 1")));
}

TEST(AnnotationTextTest, FrontendAttributes) {
  FrontendAttributes attributes;
  (*attributes.mutable_map())["b"] = "x";
  (*attributes.mutable_map())["a"] = R"({"k": 1})";
  (*attributes.mutable_map())["c"] = "{";
  (*attributes.mutable_map())["d"] = R"(say "hi")";
  EXPECT_EQ(Printed([&](Printer* out) { PrintFrontendAttributes(out, attributes); }),
            R"(a={"k": 1},b="x",c="{",d="say \"hi\"")");
}

TEST(AnnotationTextTest, LexesAsJsonDict) {
  EXPECT_TRUE(LexesAsJsonDict("{}"));
  EXPECT_TRUE(LexesAsJsonDict(R"({"a": {"b": "}\""}})"));
  EXPECT_TRUE(LexesAsJsonDict("{a = 1 : i32}"));
  EXPECT_FALSE(LexesAsJsonDict(""));
  EXPECT_FALSE(LexesAsJsonDict("{"));
  EXPECT_FALSE(LexesAsJsonDict("{} "));
  EXPECT_FALSE(LexesAsJsonDict("{}{}"));
  EXPECT_FALSE(LexesAsJsonDict("[1]"));
  EXPECT_FALSE(LexesAsJsonDict(R"({"a)"));
  EXPECT_FALSE(LexesAsJsonDict(R"({"a\)"));
  EXPECT_FALSE(LexesAsJsonDict(absl::string_view("{\0}", 3)));
}

TEST(AnnotationTextTest, Statistics) {
  const auto print = [](const std::string& text) {
    return Printed([&](Printer* out) { PrintStatisticsViz(out, Parse<StatisticsViz>(text)); });
  };
  EXPECT_EQ(print(""), "");
  EXPECT_EQ(print("stat_index_to_visualize: 1 statistics { stat_name: 'stat-1' stat_val: 33 } "
                  "statistics { stat_name: 'b' stat_val: 1e10 }"),
            "visualizing_index=1,stat-1=33,b=1e+10");
}

TEST(AnnotationTextTest, ResultAccuracy) {
  const auto print = [](const std::string& text) {
    return Printed([&](Printer* out) { PrintResultAccuracy(out, Parse<ResultAccuracy>(text)); });
  };
  EXPECT_EQ(print("mode: HIGHEST"), "mode=highest");
  EXPECT_EQ(print("tolerance { rtol: 0.1 ulps: 2 }"), "tolerance={atol=0,rtol=0.1,ulps=2}");
  EXPECT_FALSE(HasPrintedAccuracy(ResultAccuracy()));
  EXPECT_FALSE(HasPrintedAccuracy(Parse<ResultAccuracy>("mode: DEFAULT")));
  EXPECT_TRUE(HasPrintedAccuracy(Parse<ResultAccuracy>("tolerance { }")));
}

TEST(AnnotationTextTest, RecoveryTable) {
  const auto table = Parse<OriginalValueRecoveryTableProto>(R"(
      entries { old_original_array { instruction_name: "a" }
                new_original_array { instruction_name: "b" shape_index: 1 } }
      entries { old_original_array { instruction_name: "c" }
                new_original_array { instruction_name: "d" } recovery_module { name: "m" } })");
  EXPECT_EQ(Printed([&](Printer* out) {
              PrintOriginalValueRecoveryTable(out, table, [](const HloModuleProto& module) {
                return "HloModule " + module.name() + "\n\nx = s32[] y(), z=\"w\"\n\n";
              });
            }),
            "\n  {\"a\"} : {\"b\" {1}}\n  {\"c\"} : {\"d\"},\n  \"\n    HloModule m\n\n"
            "    x = s32[] y(), z=\\\"w\\\"\n\n\n  \"\n");
}

TEST(AnnotationTextTest, DebugAttributes) {
  const std::vector<DebugAttributeTableEntryProto> table = {Parse<DebugAttributeTableEntryProto>(R"(
      original_array { instruction_name: "n" }
      debug_attributes { log_mode: DEFAULT callback_id: 1 partitioned: true op_id: 2 }
      debug_attributes { op_id: 3 operands_sharding: "{replicated}" })"),
                                                            Parse<DebugAttributeTableEntryProto>(R"(
      original_array { instruction_name: "m" } debug_attributes { callback_id: 7 })")};
  EXPECT_EQ(Printed([&](Printer* out) { PrintDebugAttributes(out, table); }),
            "\n  {\"n\"}:({log_mode=default,callback_id=1,partitioned=true,op_id=2},"
            "{op_id=3,operands_sharding=\"{replicated}\"}),"
            "\n  {\"m\"}:({callback_id=7})\n");
  for (int mode = 0; mode < DebugAttributesProto::DebugLogModeProto_ARRAYSIZE; ++mode) {
    const auto value = static_cast<DebugAttributesProto::DebugLogModeProto>(mode);
    EXPECT_EQ(StringToDebugLogMode(DebugLogModeToString(value)), mode);
  }
  EXPECT_EQ(StringToDebugLogMode("x"), -1);
}

OriginalValueProto Leaves(const std::vector<std::pair<std::vector<int64_t>, std::string>>& leaves) {
  OriginalValueProto value;
  for (const auto& [index, name] : leaves) {
    OriginalValueElementProto* element = value.add_elements();
    element->mutable_shape_index()->Add(index.begin(), index.end());
    if (!name.empty()) element->mutable_original_array()->set_instruction_name(name);
  }
  return value;
}

TEST(OriginalValueTest, Text) {
  EXPECT_EQ(OriginalValueToString(Leaves({{{}, "add"}})), R"({"add"})");
  EXPECT_EQ(OriginalValueToString(Leaves({{{}, ""}})), "{}");
  EXPECT_EQ(OriginalValueToString(Leaves({})), "()");
  EXPECT_EQ(OriginalValueToString(Leaves({{{0}, "a"}, {{1}, "b"}})), R"(({"a"}, {"b"}))");
  EXPECT_EQ(OriginalValueToString(Leaves({{{0, 0}, ""}, {{0, 1}, "v2"}, {{1}, "v3"}})),
            R"((({}, {"v2"}), {"v3"}))");
  EXPECT_EQ(OriginalValueToString(
                Leaves({{{0, 0}, "w"}, {{1, 0}, "x"}, {{1, 1}, "y"}, {{1, 2, 0}, "z"}})),
            R"((({"w"}), ({"x"}, {"y"}, ({"z"}))))");
  EXPECT_EQ(OriginalValueToString(Leaves({{{1}, "a"}, {{3, 1}, "b"}})),
            R"(((), {"a"}, (), ((), {"b"})))");
  EXPECT_EQ(OriginalValueToString(Parse<OriginalValueProto>(
                "elements { original_array { instruction_name: 't' shape_index: [0, 1] } }")),
            R"({"t" {0,1}})");
  EXPECT_EQ(OriginalValueToString(Parse<OriginalValueProto>("is_synthetic_call: true")),
            "[synthetic_call]");
}

TEST(OriginalValueTest, Tree) {
  const OriginalArray a{"a", {}}, b{"b", {1, 0}};
  const OriginalValue leaf(OriginalValue::Tree::Node::Leaf(b));
  EXPECT_EQ(leaf.ToString(), R"({"b" {1,0}})");
  EXPECT_EQ(b.ToString(), R"("b" {1,0})");
  EXPECT_FALSE(leaf.IsTuple());
  EXPECT_EQ(OriginalArray::FromProto(b.ToProto()), b);
  EXPECT_LT(a, b);

  OriginalValue pair({a, b});
  EXPECT_EQ(pair.ToString(), R"(({"a"}, {"b" {1,0}}))");
  EXPECT_EQ(pair.original_array({1}), b);
  EXPECT_NE(pair, leaf);
  const Shape shape = ShapeUtil::MakeShape(F32, {2});
  EXPECT_TRUE(pair.IsCompatibleWith(ShapeUtil::MakeTupleShape({shape, shape})));
  EXPECT_FALSE(pair.IsCompatibleWith(shape));
  const std::shared_ptr<OriginalValue> read = OriginalValue::FromProto(pair.ToProto());
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(*read, pair);

  OriginalValue unknown(ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeTupleShape({shape})}));
  EXPECT_TRUE(unknown.IsEmpty());
  EXPECT_EQ(unknown.ToString(), "({}, ({}))");
  EXPECT_EQ(*OriginalValue::FromProto(unknown.ToProto()), unknown);
  *unknown.mutable_original_array({1, 0}) = a;
  EXPECT_FALSE(unknown.IsEmpty());
  EXPECT_EQ(unknown.ToString(), R"(({}, ({"a"})))");

  const OriginalValue synthetic = OriginalValue::SyntheticCall();
  EXPECT_TRUE(synthetic.is_synthetic_call());
  EXPECT_TRUE(synthetic.IsCompatibleWith(shape));
  EXPECT_EQ(synthetic.ToString(), "[synthetic_call]");
  EXPECT_EQ(*OriginalValue::FromProto(synthetic.ToProto()), synthetic);
  EXPECT_EQ(OriginalValue::FromProto(Leaves({{{1}, "a"}, {{0}, "b"}})), nullptr);
}

// A short message may not make a large tree.
TEST(OriginalValueTest, Limits) {
  const std::vector<int64_t> deep(Shape::kMaxNestingDepth + 1, 0);
  EXPECT_FALSE(ValidateOriginalValue(Leaves({{deep, "a"}})).ok());
  std::vector<std::pair<std::vector<int64_t>, std::string>> leaves;
  for (int64_t i = 0; i < 10; ++i) {
    std::vector<int64_t> index(Shape::kMaxNestingDepth, 0);
    index[0] = i;
    leaves.emplace_back(index, "a");
  }
  EXPECT_FALSE(ValidateOriginalValue(Leaves(leaves)).ok());
  EXPECT_OK(ValidateOriginalValue(Leaves({leaves[0]})));
}

TEST(OriginalValueTest, Validate) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_OK(ValidateOriginalValue(Leaves({})));
  EXPECT_OK(ValidateOriginalValue(Leaves({{{}, "a"}})));
  EXPECT_OK(ValidateOriginalValue(Leaves({{{0, 0}, ""}, {{0, 1}, "v2"}, {{1}, "v3"}})));
  EXPECT_OK(ValidateOriginalValue(Leaves({{{1}, "a"}, {{3, 1}, "b"}})));
  for (const OriginalValueProto& bad :
       {Leaves({{{}, "a"}, {{}, "b"}}), Leaves({{{0}, "a"}, {{0}, "b"}}),
        Leaves({{{1}, "a"}, {{0}, "b"}}), Leaves({{{0}, "a"}, {{0, 0}, "b"}}),
        Leaves({{{0, 0}, "a"}, {{0}, "b"}}), Leaves({{{-1}, "a"}}), Leaves({{{kMax}, "a"}}),
        Leaves({{{0}, "a"}, {{kMax, kMax}, "b"}}),
        Leaves({{{std::numeric_limits<int64_t>::min()}, "a"}})}) {
    EXPECT_THAT(ValidateOriginalValue(bad), StatusIs(absl::StatusCode::kInvalidArgument))
        << bad.ShortDebugString();
    // Text of such a value means nothing, but it ends.
    EXPECT_LT(OriginalValueToString(bad).size(), 1 << 20);
  }
}

}  // namespace
}  // namespace xla
