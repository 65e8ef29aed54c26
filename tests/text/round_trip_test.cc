// Text that is read and printed is the same text, and every opcode has been tried.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/op_info.h"
#include "tests/text/modules.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

HloPrintOptions InFull() { return HloPrintOptions::Default().set_print_large_constants(true); }

bool IsOnlyOperands(const OpInfo& op) {
  return (op.traits & kElementwise) != 0 && op.attributes_name == "NoAttributes" &&
         op.callees.count == 0;
}

class RoundTripTest : public testing::TestWithParam<NamedText> {};

TEST_P(RoundTripTest, PrintsAsRead) {
  auto module = ParseAndReturnUnverifiedModule(GetParam().text);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->ToString(InFull()), std::string(GetParam().text));
}

TEST_P(RoundTripTest, ShortFormReadsBack) {
  auto module = ParseAndReturnUnverifiedModule(GetParam().text);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string text = (*module)->ToString(HloPrintOptions::ShortParsable());
  auto again = ParseAndReturnUnverifiedModule(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->ToString(HloPrintOptions::ShortParsable()), text);
}

TEST_P(RoundTripTest, CompactTupleElementsReadBack) {
  auto module = ParseAndReturnUnverifiedModule(GetParam().text);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string text = (*module)->ToString(InFull().set_compact_gte(true));
  auto again = ParseAndReturnUnverifiedModule(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->ToString(InFull().set_compact_gte(true)), text);
}

TEST_P(RoundTripTest, WithoutSugarReadsBack) {
  auto module = ParseAndReturnUnverifiedModule(GetParam().text);
  ASSERT_TRUE(module.ok()) << module.status();
  const HloPrintOptions plain = InFull().set_syntax_sugar_async_ops(false);
  auto again = ParseAndReturnUnverifiedModule((*module)->ToString(plain));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->ToString(plain), (*module)->ToString(plain));
}

TEST_P(RoundTripTest, BodiesReadBack) {
  auto module = ParseAndReturnUnverifiedModule(GetParam().text);
  ASSERT_TRUE(module.ok()) << module.status();
  const HloPrintOptions bodies =
      InFull().set_print_subcomputation_mode(HloPrintOptions::PrintSubcomputationMode::kFullBodies);
  auto again = ParseAndReturnUnverifiedModule((*module)->ToString(bodies));
  EXPECT_TRUE(again.ok()) << again.status();
}

INSTANTIATE_TEST_SUITE_P(Modules, RoundTripTest, testing::ValuesIn(TestModules()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(RoundTripTest, EveryOpcodeIsTried) {
  std::set<HloOpcode> seen;
  for (const NamedText& named : TestModules()) {
    auto module = ParseAndReturnUnverifiedModule(named.text);
    ASSERT_TRUE(module.ok()) << module.status();
    for (const HloComputation* computation : (*module)->computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        seen.insert(instruction->opcode());
      }
    }
  }
  for (const OpInfo& op : AllOps()) {
    if (IsOnlyOperands(op)) continue;
    EXPECT_EQ(seen.count(op.opcode), 1) << op.name;
  }
}

// Operations of which text has the operands and nothing else.
TEST(RoundTripTest, FunctionsOfOperandsReadBack) {
  for (const OpInfo& op : AllOps()) {
    if (!IsOnlyOperands(op)) continue;
    std::vector<std::string> operands(op.operands.min, "%x");
    const std::string text =
        absl::StrCat("HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\n",
                     "ENTRY %e (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n",
                     "  ROOT %r = f32[4]{0} ", op.name, "(", absl::StrJoin(operands, ", "), ")\n}");
    auto module = ParseAndReturnUnverifiedModule(text);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(absl::StripTrailingAsciiWhitespace((*module)->ToString(InFull())), text);
  }
}

}  // namespace
}  // namespace xla
