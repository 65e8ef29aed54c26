// HLO text as older printers and documents write it: with a shape before the name, without a name,
// with attributes in braces that are not quoted.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/older_text.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::HasSubstr;

std::string ParseError(const std::string& text) {
  const auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_FALSE(module.ok());
  return std::string(module.status().message());
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, ShapeBeforeName,
    testing::Values("s8[3,4]{1,0} %output = s8[3,4]{1,0} bitcast-convert(s32[3]{0} %input)",
                    "u8[4]{0} %output = u8[4]{0} bitcast-convert(u32[] %input)",
                    "s64[5]{0} %output = s64[5]{0} bitcast-convert(s16[5,4]{1,0} %input)"));

TEST(OlderText, ShapeBeforeNameMayBeTheOnlyOne) {
  const auto module = Parsed("ENTRY e { f32[2] x = parameter(0)  ROOT f32[2] y = negate(x) }");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry_computation()->root_instruction()->ToString(
                HloPrintOptions::ShortParsable().set_include_layout_in_shapes(false)),
            "y = f32[2] negate(x)");
}

TEST(OlderText, ShapesBeforeNameAndOpcodeAgree) {
  EXPECT_THAT(ParseError("ENTRY e {\n  x = f32[2] parameter(0)\n  f32[3] y = f32[2] negate(x)\n}"),
              AllOf(HasSubstr("3:3"), HasSubstr("f32[3]"), HasSubstr("f32[2]")));
}

TEST(OlderText, ElementTypesAreNoNames) {
  EXPECT_THAT(ParseError("ENTRY e { f32 = f32[] parameter(0) }"),
              AllOf(HasSubstr("1:11"), HasSubstr("name")));
}

TEST(OlderText, SpaceBeforeTheEqualsSignOfAnAttribute) {
  ASSERT_NE(
      Parsed("ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] reverse(x), dimensions = {0} }"),
      nullptr);
  EXPECT_THAT(
      ParseError("ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] negate(x), colour = 1 }"),
      HasSubstr("colour"));
}

TEST(OlderText, CompositeCallWithoutName) {
  const auto module = Parsed(R"(
negated { x = s32[] parameter(0)  ROOT y = s32[] negate(x) }
ENTRY main {
  seven = s32[] constant(7)
  s32[] call(s32[] seven), to_apply=negated, is_composite=true,
  frontend_attributes = {
    composite.name="test.negate",
    composite.attributes={size = 2 : i64, table = dense<[1, 2]> : tensor<2xi32>},
    composite.version="4"
  }
}
)");
  ASSERT_NE(module, nullptr);
  const HloInstruction* call = module->entry_computation()->root_instruction();
  EXPECT_EQ(call->opcode(), HloOpcode::kCall);
  const auto& attributes = call->frontend_attributes().map();
  EXPECT_EQ(attributes.at("composite.name"), "test.negate");
  EXPECT_EQ(attributes.at("composite.attributes"),
            "{size = 2 : i64, table = dense<[1, 2]> : tensor<2xi32>}");
  EXPECT_EQ(attributes.at("composite.version"), "4");
  // What is printed is read again.
  const std::string text = module->ToString();
  EXPECT_THAT(text, HasSubstr("is_composite=true"));
  const auto again = Parsed(text);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->ToString(), text);
}

// Names are made up that no other instruction has.
TEST(OlderText, InstructionsWithoutNames) {
  const auto module = Parsed(R"(
ENTRY e {
  %add = f32[2] parameter(0)
  f32[2] negate(%add)
  (f32[2], f32[2]) tuple(%add, %add)
  ROOT f32[2] add(%add, %add)
}
)");
  ASSERT_NE(module, nullptr);
  const HloInstruction* root = module->entry_computation()->root_instruction();
  EXPECT_EQ(root->opcode(), HloOpcode::kAdd);
  EXPECT_NE(root->name(), "add");
  EXPECT_EQ(module->entry_computation()->instruction_count(), 4);
  ASSERT_NE(Parsed(module->ToString()), nullptr);
}

}  // namespace
}  // namespace xla
