// The HLO text in the documents is read as it is printed; scripts/extract_document_blocks.py cuts it out.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/older_text.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

constexpr const char* kBitcastConverts[] = {
#include "documents/bitcast_convert_to_smaller.inc"
    ,
#include "documents/bitcast_convert_of_scalar.inc"
    ,
#include "documents/bitcast_convert_to_larger.inc"
};

INSTANTIATE_TEST_SUITE_P(Blocks, ShapeBeforeName, testing::ValuesIn(kBitcastConverts));

TEST(DocumentText, CompositeCall) {
  constexpr char kCall[] =
#include "documents/composite_call.inc"
      ;
  const auto module = Parsed(absl::StrCat(
      "%computation { %x = f32[] parameter(0)  ROOT %y = f32[] negate(%x) }\n"
      "ENTRY %main {\n  %cst = f32[] constant(3)\n  ",
      kCall, "\n}"));
  ASSERT_NE(module, nullptr);
  const HloInstruction* call = module->entry_computation()->root_instruction();
  EXPECT_EQ(call->opcode(), HloOpcode::kCall);
  const auto& attributes = call->frontend_attributes().map();
  EXPECT_EQ(attributes.at("composite.name"), "foo.bar");
  EXPECT_EQ(attributes.at("composite.attributes"),
            "{n = 1 : i32, tensor = dense<1> : tensor<i32>}");
  EXPECT_EQ(attributes.at("composite.version"), "1");
}

TEST(DocumentText, IncrementWithoutAndWithAlias) {
  constexpr char kPlain[] =
#include "documents/increment.inc"
      ;
  constexpr char kAliased[] =
#include "documents/increment_with_alias.inc"
      ;
  const auto plain = Parsed(kPlain);
  const auto aliased = Parsed(kAliased);
  ASSERT_TRUE(plain != nullptr && aliased != nullptr);
  EXPECT_FALSE(plain->input_output_alias_config().ParameterHasAlias(0, {}));
  EXPECT_TRUE(aliased->input_output_alias_config().ParameterHasAlias(0, {}));
  EXPECT_EQ(aliased->name(), "increment");
}

}  // namespace
}  // namespace xla
