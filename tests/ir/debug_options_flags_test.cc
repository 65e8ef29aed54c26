#include "xla/debug_options_flags.h"

#include <cstdlib>
#include <fstream>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/execution_options_util.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DebugOptionsFlagsTest, Defaults) {
  const DebugOptions options = DefaultDebugOptionsIgnoringFlags();
  EXPECT_EQ(options.xla_backend_optimization_level(), 3);
  EXPECT_EQ(options.xla_dump_max_hlo_modules(), -1);
  EXPECT_EQ(options.xla_cpu_prefer_vector_width(), 256);
  EXPECT_TRUE(options.xla_allow_excess_precision());
  EXPECT_FALSE(options.xla_cpu_enable_fast_math());
}

TEST(DebugOptionsFlagsTest, FieldsOfEveryType) {
  DebugOptions options;
  EXPECT_OK(SetDebugOption("xla_cpu_ftz", "true", &options));
  EXPECT_OK(SetDebugOption("xla_backend_optimization_level", "2", &options));
  EXPECT_OK(SetDebugOption("xla_dump_to", "/tmp/a b", &options));
  EXPECT_OK(SetDebugOption("xla_cpu_opt_preset", "cpu_opt_preset_fast_runtime", &options));
  EXPECT_OK(SetDebugOption("xla_disable_hlo_passes", "a,b", &options));
  EXPECT_OK(SetDebugOption("xla_backend_extra_options", "a=1,b,c=x=y", &options));
  EXPECT_TRUE(options.xla_cpu_ftz());
  EXPECT_EQ(options.xla_backend_optimization_level(), 2);
  EXPECT_EQ(options.xla_dump_to(), "/tmp/a b");
  EXPECT_EQ(options.xla_cpu_opt_preset(), DebugOptions::CPU_OPT_PRESET_FAST_RUNTIME);
  EXPECT_THAT(options.xla_disable_hlo_passes(), ElementsAre("a", "b"));
  EXPECT_EQ(options.xla_backend_extra_options().at("c"), "x=y");
  EXPECT_EQ(options.xla_backend_extra_options().at("b"), "");
  EXPECT_OK(SetDebugOption("xla_cpu_opt_preset", "2", &options));
  EXPECT_EQ(options.xla_cpu_opt_preset(), DebugOptions::CPU_OPT_PRESET_FAST_COMPILE);
  EXPECT_OK(SetDebugOption("xla_disable_hlo_passes", "", &options));
  EXPECT_TRUE(options.xla_disable_hlo_passes().empty());
}

TEST(DebugOptionsFlagsTest, ListsOfEnumeratorsAreChanged) {
  DebugOptions options;
  EXPECT_OK(SetDebugOption("xla_gpu_enable_command_buffer", "FUSION,CUBLAS", &options));
  EXPECT_OK(SetDebugOption("xla_gpu_enable_command_buffer", "+WHILE,-FUSION", &options));
  EXPECT_THAT(options.xla_gpu_enable_command_buffer(),
              ElementsAre(DebugOptions::CUBLAS, DebugOptions::WHILE));
  EXPECT_THAT(SetDebugOption("xla_gpu_enable_command_buffer", "FUSION,NONE", &options),
              StatusIs(absl::StatusCode::kInvalidArgument));
  // What cannot be read changes nothing.
  EXPECT_EQ(options.xla_gpu_enable_command_buffer_size(), 2);
}

TEST(DebugOptionsFlagsTest, RefusesOtherValues) {
  DebugOptions options;
  const auto set = [&](absl::string_view name, absl::string_view value) {
    return SetDebugOption(name, value, &options);
  };
  EXPECT_THAT(set("xla_no_such_option", "1"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(set("xla_cpu_ftz", "maybe"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("xla_cpu_ftz: \"maybe\"")));
  EXPECT_THAT(set("xla_backend_optimization_level", "99999999999"),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(set("xla_cpu_opt_preset", "77"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(set("xla_enable_nccl_symmetric_buffers_for_collectives", "x"),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(DebugOptionsFlagsTest, TextOfFlags) {
  DebugOptions options;
  EXPECT_OK(ParseDebugOptionFlags(
      " --xla_cpu_ftz --xla_dump_to='/tmp/a b'\n--xla_cpu_enable_fast_math=false\t"
      "--xla_dump_hlo_pass_re=\".*\" ",
      &options));
  EXPECT_TRUE(options.xla_cpu_ftz());
  EXPECT_EQ(options.xla_dump_to(), "/tmp/a b");
  EXPECT_EQ(options.xla_dump_hlo_pass_re(), ".*");
}

TEST(DebugOptionsFlagsTest, AllFlagsThatCanBeReadAreSet) {
  DebugOptions options;
  const absl::Status status = ParseDebugOptionFlags(
      "--xla_cpu_ftz --xla_nonsense=1 word --xla_dump_to --xla_dump_hlo_as_text", &options);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("xla_nonsense")));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"word\"")));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("needs a value")));
  EXPECT_TRUE(options.xla_cpu_ftz());
  EXPECT_TRUE(options.xla_dump_hlo_as_text());
}

TEST(DebugOptionsFlagsTest, Environment) {
  unsetenv("XLA_FLAGS");
  EXPECT_EQ(GetDebugOptionsFromFlags().SerializeAsString(),
            DefaultDebugOptions().SerializeAsString());
  setenv("XLA_FLAGS", "--xla_dump_to=here", 1);
  EXPECT_EQ(GetDebugOptionsFromFlags().xla_dump_to(), "here");
  EXPECT_EQ(CreateDefaultExecutionOptions().debug_options().xla_dump_to(), "here");

  const std::string file = testing::TempDir() + "/xla_flags";
  std::ofstream(file) << "--xla_dump_to=there\n--xla_cpu_ftz=false\n";
  setenv("XLA_FLAGS", file.c_str(), 1);
  EXPECT_EQ(GetDebugOptionsFromFlags().xla_dump_to(), "there");
  EXPECT_FALSE(GetDebugOptionsFromFlags().xla_cpu_ftz());

  setenv("XLA_FLAGS", "/no/such/file", 1);
  EXPECT_THAT(TryGetDebugOptionsFromFlags().status(), StatusIs(absl::StatusCode::kNotFound));
  setenv("XLA_FLAGS", "--xla_nonsense --xla_dump_to=x", 1);
  EXPECT_THAT(TryGetDebugOptionsFromFlags().status(), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(GetDebugOptionsFromFlags().xla_dump_to(), "x");
  unsetenv("XLA_FLAGS");
}

}  // namespace
}  // namespace xla
