// The HLO text in the documents is read as it is printed: with a shape before the name, without a
// name, with attributes in braces that are not quoted.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/verifier.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::HasSubstr;

std::unique_ptr<HloModule> Parsed(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return nullptr;
  const absl::Status verified = VerifyModule(**module);
  EXPECT_TRUE(verified.ok()) << verified;
  return *std::move(module);
}

std::string ParseError(const std::string& text) {
  const auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_FALSE(module.ok());
  return std::string(module.status().message());
}

class ShapeBeforeName : public testing::TestWithParam<const char*> {};

TEST_P(ShapeBeforeName, IsReadAlone) {
  const std::unique_ptr<HloModule> module = Parsed(GetParam());
  ASSERT_NE(module, nullptr);
  const HloInstruction* root = module->entry_computation()->root_instruction();
  EXPECT_EQ(root->opcode(), HloOpcode::kBitcastConvert);
  EXPECT_EQ(root->name(), "output");
  EXPECT_EQ(root->operand(0)->name(), "input");
}

TEST_P(ShapeBeforeName, IsReadInAModule) {
  const std::string block = GetParam();
  const std::string operand =
      block.substr(block.find('(') + 1, block.find(" %input") - block.find('(') - 1);
  const std::unique_ptr<HloModule> module = Parsed(absl::StrCat(
      "ENTRY e {\n  ", operand, " %input = ", operand, " parameter(0)\n  ROOT ", block, "\n}"));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry_computation()->root_instruction()->name(), "output");
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, ShapeBeforeName,
    testing::Values("f16[10,2]{1,0} %output = f16[10,2]{1,0} bitcast-convert(f32[10]{0} %input)",
                    "f16[2]{0} %output = f16[2]{0} bitcast-convert(f32[] %input)",
                    "f32[10]{0} %output = f32[10]{0} bitcast-convert(f16[10,2]{1,0} %input)"));

TEST(DocumentText, ShapeBeforeNameMayBeTheOnlyOne) {
  const auto module = Parsed("ENTRY e { f32[2] x = parameter(0)  ROOT f32[2] y = negate(x) }");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry_computation()->root_instruction()->ToString(
                HloPrintOptions::ShortParsable().set_include_layout_in_shapes(false)),
            "y = f32[2] negate(x)");
}

TEST(DocumentText, ShapesBeforeNameAndOpcodeAgree) {
  EXPECT_THAT(ParseError("ENTRY e {\n  x = f32[2] parameter(0)\n  f32[3] y = f32[2] negate(x)\n}"),
              AllOf(HasSubstr("3:3"), HasSubstr("f32[3]"), HasSubstr("f32[2]")));
}

TEST(DocumentText, ElementTypesAreNoNames) {
  EXPECT_THAT(ParseError("ENTRY e { f32 = f32[] parameter(0) }"),
              AllOf(HasSubstr("1:11"), HasSubstr("name")));
}

TEST(DocumentText, SpaceBeforeTheEqualsSignOfAnAttribute) {
  ASSERT_NE(
      Parsed("ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] reverse(x), dimensions = {0} }"),
      nullptr);
  EXPECT_THAT(
      ParseError("ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] negate(x), colour = 1 }"),
      HasSubstr("colour"));
}

TEST(DocumentText, CompositeCallWithoutName) {
  const auto module = Parsed(R"(
%computation { %x = f32[] parameter(0)  ROOT %y = f32[] negate(%x) }
ENTRY %main {
  %cst = f32[] constant(3)
  f32[] call(f32[] %cst), to_apply=%computation, is_composite=true,
  frontend_attributes = {
    composite.name="foo.bar",
    composite.attributes={n = 1 : i32, tensor = dense<1> : tensor<i32>},
    composite.version="1"
  }
}
)");
  ASSERT_NE(module, nullptr);
  const HloInstruction* call = module->entry_computation()->root_instruction();
  EXPECT_EQ(call->opcode(), HloOpcode::kCall);
  const auto& attributes = call->frontend_attributes().map();
  EXPECT_EQ(attributes.at("composite.name"), "foo.bar");
  EXPECT_EQ(attributes.at("composite.attributes"),
            "{n = 1 : i32, tensor = dense<1> : tensor<i32>}");
  EXPECT_EQ(attributes.at("composite.version"), "1");
  // What is printed is read again.
  const std::string text = module->ToString();
  EXPECT_THAT(text, HasSubstr("is_composite=true"));
  const auto again = Parsed(text);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->ToString(), text);
}

// Names are made up that no other instruction has.
TEST(DocumentText, InstructionsWithoutNames) {
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

TEST(DocumentText, IncrementWithoutAndWithAlias) {
  constexpr char kPlain[] = R"(
HloModule increment

ENTRY entry {
  %p = f32[] parameter(0)
  %c = f32[] constant(1)
  ROOT %out = f32[] add(%p, %c)
}
)";
  constexpr char kAliased[] = R"(
HloModule increment, input_output_alias={ {}: 0 }

ENTRY entry {
  %p = f32[] parameter(0)
  %c = f32[] constant(1)
  ROOT %out = f32[] add(%p, %c)
}
)";
  const auto plain = Parsed(kPlain);
  const auto aliased = Parsed(kAliased);
  ASSERT_TRUE(plain != nullptr && aliased != nullptr);
  EXPECT_FALSE(plain->input_output_alias_config().ParameterHasAlias(0, {}));
  EXPECT_TRUE(aliased->input_output_alias_config().ParameterHasAlias(0, {}));
  EXPECT_EQ(aliased->name(), "increment");
}

}  // namespace
}  // namespace xla
