// Random modules go the whole way: verify, print, parse, protobuf and back, evaluate.
#include "tools/random_module.h"

#include <set>

#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {
namespace {

constexpr int kModules = 600;
constexpr int kSize = 25;

TEST(RandomModuleTest, GoesTheWholeWay) {
  std::set<HloOpcode> seen;
  int ran = 0;
  for (int seed = 0; seed < kModules; ++seed) {
    std::unique_ptr<HloModule> module = MakeRandomModule(seed, kSize);
    for (const HloComputation* computation : module->computations()) {
      for (const HloInstruction* instruction : computation->instructions())
        seen.insert(instruction->opcode());
    }
    const RandomModuleOutcome outcome = TryRandomModule(std::move(module));
    ASSERT_TRUE(outcome.sound.ok()) << "seed " << seed << ": " << outcome.sound;
    ran += outcome.ran.ok();
  }
  for (uint32_t i = 0; i < HloOpcodeCount(); ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    EXPECT_EQ(seen.count(opcode), 1) << HloOpcodeString(opcode);
  }
  EXPECT_GT(ran, kModules / 4);
}

TEST(RandomModuleTest, SameSeedSameModule) {
  EXPECT_EQ(MakeRandomModule(7, kSize)->ToString(), MakeRandomModule(7, kSize)->ToString());
  EXPECT_NE(MakeRandomModule(7, kSize)->ToString(), MakeRandomModule(8, kSize)->ToString());
}

}  // namespace
}  // namespace xla
