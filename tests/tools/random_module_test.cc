// Random modules go the whole way: verify, print, parse, protobuf and back, evaluate.
#include "tools/random_module.h"

#include <set>

#include "api/backend.h"
#include "gtest/gtest.h"
#include "ir/verifier.h"
#include "tools/fake_inputs.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

constexpr int kModules = 600;
constexpr int kSize = 25;

class RandomModuleTest : public ::testing::Test {
 protected:
  static void RoundTrips(const HloModule& made) {
    // Readers make the names of instructions unique in the module.
    const auto unique = ParseAndReturnUnverifiedModule(made.ToString());
    ASSERT_TRUE(unique.ok()) << unique.status() << "\n" << made.ToString();
    const HloModule& module = **unique;
    const std::string text = module.ToString();
    const auto parsed = ParseAndReturnUnverifiedModule(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status() << "\n" << text;
    EXPECT_EQ((*parsed)->ToString(), text);
    const auto read = HloModule::CreateFromProto(module.ToProto(), module.config());
    ASSERT_TRUE(read.ok()) << read.status() << "\n" << text;
    EXPECT_EQ((*read)->ToString(), text);
  }

  // What a module asks of other devices or of the host cannot be had here; the rest runs.
  static bool Runs(std::unique_ptr<HloModule> module) {
    const std::string text = module->ToString();
    const auto inputs = MakeFakeInputs(*module);
    EXPECT_TRUE(inputs.ok()) << inputs.status() << "\n" << text;
    auto compiled = DefaultBackend().Compile(std::move(module));
    if (!compiled.ok()) {
      EXPECT_EQ(compiled.status().code(), absl::StatusCode::kUnimplemented)
          << compiled.status() << "\n"
          << text;
      return false;
    }
    std::vector<const Literal*> arguments;
    for (const Literal& input : *inputs) arguments.push_back(&input);
    const auto result = (*compiled)->Run(arguments);
    if (!result.ok()) RecordProperty("refused", std::string(result.status().message()));
    return result.ok();
  }
};

TEST_F(RandomModuleTest, GoesTheWholeWay) {
  std::set<HloOpcode> seen;
  int ran = 0;
  for (int seed = 0; seed < kModules; ++seed) {
    SCOPED_TRACE(seed);
    std::unique_ptr<HloModule> module = MakeRandomModule(seed, kSize);
    for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
      seen.insert(instruction->opcode());
    }
    const absl::Status valid = VerifyModule(*module);
    ASSERT_TRUE(valid.ok()) << valid << "\n" << module->ToString();
    RoundTrips(*module);
    ran += Runs(std::move(module));
    if (HasFailure()) return;
  }
  // Few random attributes fit broadcast and scatter.
  int never_seen = 0;
  for (uint32_t i = 0; i < HloOpcodeCount(); ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    never_seen += IsInRandomModules(opcode) && seen.count(opcode) == 0;
  }
  EXPECT_LE(never_seen, 2);
  EXPECT_GT(ran, 0);
}

TEST_F(RandomModuleTest, SameSeedSameModule) {
  EXPECT_EQ(MakeRandomModule(7, kSize)->ToString(), MakeRandomModule(7, kSize)->ToString());
  EXPECT_NE(MakeRandomModule(7, kSize)->ToString(), MakeRandomModule(8, kSize)->ToString());
}

}  // namespace
}  // namespace xla
