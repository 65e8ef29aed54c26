// Random modules go the whole way: verify, print, parse, protobuf and back, evaluate.
#include "tools/random_module.h"

#include <iterator>
#include <memory>
#include <set>

#include "api/backend.h"
#include "gtest/gtest.h"
#include "tools/compare_backends.h"
#include "tools/perturb_module.h"
#include "tools/random_shardings.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {
namespace {

constexpr int kModules = 600;
constexpr int kSize = 25;
constexpr int kDivided = 200;
constexpr int kSmallSize = 8;
constexpr int64_t kDeviceCounts[] = {2, 3, 4, 8};

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

// Divided among devices by random shardings, modules give what they give as a whole.
TEST(RandomModuleTest, DividedModulesAgree) {
  ExecutionBackend& backend = *FindBackend("interpreter").value();
  int agreed = 0;
  for (int seed = 0; seed < kDivided; ++seed) {
    const std::unique_ptr<HloModule> module =
        MakeRandomModule(seed, kSmallSize, /*speaks_of_devices=*/false);
    ASSERT_TRUE(MakeReproducible(*module).ok());
    const int64_t devices = kDeviceCounts[seed % std::size(kDeviceCounts)];
    ShardAtRandom(*module, devices, seed);
    const BackendComparison outcome = CompareDivided(*module, backend, backend, devices, seed);
    ASSERT_NE(outcome.agreement, Agreement::kDiffer)
        << "seed " << seed << " on " << devices << " devices: " << outcome.reason << "\n"
        << module->ToString();
    agreed += outcome.agreement == Agreement::kAgree;
  }
  EXPECT_GT(agreed, kDivided * 9 / 10);
}

}  // namespace
}  // namespace xla
