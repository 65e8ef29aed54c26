// HLO text as older printers and documents write it, for the tests of both.
#ifndef HILO_TESTS_OLDER_TEXT_H_
#define HILO_TESTS_OLDER_TEXT_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/verifier.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {

// The module that is written, or a failure of the test and null where it cannot be read or breaks a
// rule.
inline std::unique_ptr<HloModule> Parsed(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return nullptr;
  const absl::Status verified = VerifyModule(**module);
  EXPECT_TRUE(verified.ok()) << verified;
  return *std::move(module);
}

// "SHAPE %output = SHAPE bitcast-convert(SHAPE %input)".
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

}  // namespace xla

#endif  // HILO_TESTS_OLDER_TEXT_H_
