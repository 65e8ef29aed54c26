// Machines as values: what follows from their features, and which programs run where.
#include "codegen/target.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Target Named(absl::string_view name) { return Target::Parse(name).value(); }

TEST(TargetTest, LevelsHaveWhatTheirFeaturesAllow) {
  const Target v2 = Named("x86-64-v2"), v3 = Named("x86-64-v3"), v4 = Named("x86-64-v4");
  EXPECT_EQ(v2.vector_bits, 128);
  EXPECT_EQ(v3.vector_bits, 256);
  EXPECT_EQ(v4.vector_bits, 512);
  EXPECT_FALSE(v2.has_fma);
  EXPECT_TRUE(v3.has_fma);
  EXPECT_FALSE(v3.has_mask_registers);
  EXPECT_TRUE(v4.has_mask_registers);
  EXPECT_EQ(v2.instruction_set, InstructionSet::kGeneric);
  EXPECT_EQ(v3.instruction_set, InstructionSet::kAvx2);
  EXPECT_EQ(v4.instruction_set, InstructionSet::kAvx512);
  EXPECT_TRUE(v4.Has("avx2"));
  EXPECT_FALSE(v3.Has("avx512f"));
}

TEST(TargetTest, TileRegistersComeWithNarrowNumbers) {
  std::vector<std::string> features = Named("x86-64-v4").features;
  const auto set_of = [&] {
    return Target::Make("", Named("x86-64-v4").triple, features).instruction_set;
  };
  features.insert(features.end(), {"amx-tile", "amx-bf16", "amx-int8"});
  EXPECT_EQ(set_of(), InstructionSet::kAvx512);
  features.insert(features.end(), {"avx512vnni", "avx512bf16"});
  EXPECT_EQ(set_of(), InstructionSet::kAmx);
}

TEST(TargetTest, AArch64IsAMachineOfItsOwn) {
  const Target arm = Named("aarch64");
  EXPECT_THAT(arm.triple, HasSubstr("aarch64"));
  EXPECT_EQ(arm.vector_bits, 128);
  EXPECT_TRUE(arm.has_fma);
  EXPECT_FALSE(arm.Has("sse3"));
  EXPECT_EQ(arm.instruction_set, InstructionSet::kNeon);
}

TEST(TargetTest, NamesAreReadBackAndOthersRefused) {
  for (const std::string& name : Target::Names()) {
    const Target target = Named(name);
    EXPECT_EQ(target.name, name);
    EXPECT_EQ(target, Named(name));
  }
  EXPECT_EQ(Named("host"), Target::Host());
  EXPECT_FALSE(Named("x86-64-v2") == Named("x86-64-v3"));
  EXPECT_THAT(std::string(Target::Parse("x86-64-v9").status().message()),
              HasSubstr("host, x86-64-v2, x86-64-v3, x86-64-v4, aarch64"));
}

TEST(TargetTest, WiderMachinesRunProgramsForNarrowerOnes) {
  const Target v2 = Named("x86-64-v2"), v4 = Named("x86-64-v4");
  EXPECT_TRUE(Target::Host().CheckRunsOn(Target::Host()).ok());
  EXPECT_TRUE(v2.CheckRunsOn(v4).ok());
  const std::string missing(v4.CheckRunsOn(v2).message());
  EXPECT_THAT(missing, HasSubstr("target x86-64-v4"));
  EXPECT_THAT(missing, HasSubstr("avx512f"));
  EXPECT_THAT(missing, Not(HasSubstr("sse4.2")));
  EXPECT_THAT(std::string(Named("aarch64").CheckRunsOn(v4).message()), HasSubstr("aarch64"));
}

TEST(TargetTest, OptionsNameIt) {
  DebugOptions options;
  EXPECT_EQ(Target::Of(options).value(), Target::Host());
  options.set_xla_cpu_max_isa("SSE4_2");
  const Target limited = Target::Of(options).value();
  EXPECT_TRUE(limited == Named("x86-64-v2") || limited == Target::Host());
  options.set_xla_cpu_max_isa("AMX");
  EXPECT_EQ(Target::Of(options).value(), Target::Host());
  options.set_xla_cpu_max_isa("AVX512_BF16");
  const Target without_tiles = Target::Of(options).value();
  EXPECT_FALSE(without_tiles.Has("amx-tile"));
  EXPECT_NE(without_tiles.instruction_set, InstructionSet::kAmx);
  EXPECT_TRUE(without_tiles.CheckRunsOn(Target::Host()).ok());
  EXPECT_EQ(without_tiles.vector_bits, Target::Host().vector_bits);
  options.set_xla_cpu_max_isa("MMX");
  EXPECT_FALSE(Target::Of(options).ok());
  (*options.mutable_xla_backend_extra_options())[kTargetOption] = "aarch64";
  EXPECT_EQ(Target::Of(options).value(), Named("aarch64"));
}

}  // namespace
}  // namespace xla::codegen
