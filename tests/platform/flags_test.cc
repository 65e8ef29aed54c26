// Flags of command lines.
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/tsl/util/command_line_flags.h"

namespace tsl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Values {
  int32_t count = 3;
  int64_t large = 0;
  float weight = 0.5f;
  bool is_loud = false, was_set = false;
  std::string name = "none";
  int even = 0;
  std::vector<Flag> flags = {
      Flag("count", &count, "how many", &was_set),
      Flag("large", &large, "how large"),
      Flag("weight", &weight, "how heavy"),
      Flag("loud", &is_loud, "whether it is"),
      Flag("name", &name, "what it is called"),
      Flag(
          "even",
          [this](int32_t value) {
            even = value;
            return value % 2 == 0;
          },
          2, "an even number"),
  };
};

TEST(FlagsTest, TakesWhatItKnows) {
  Values values;
  char words[][32] = {"command",   "--count=-7", "file", "--loud",
                      "--other=1", "--name=a=b", "--",   "--count=8"};
  char* argv[9] = {};
  for (int i = 0; i < 8; ++i) argv[i] = words[i];
  int argc = 8;
  ASSERT_TRUE(Flags::Parse(&argc, argv, values.flags));
  EXPECT_EQ(values.count, -7);
  EXPECT_TRUE(values.was_set);
  EXPECT_TRUE(values.is_loud);
  EXPECT_EQ(values.name, "a=b");
  EXPECT_THAT(std::vector<std::string>(argv, argv + argc),
              ElementsAre("command", "file", "--other=1", "--", "--count=8"));
  EXPECT_EQ(argv[argc], nullptr);
}

TEST(FlagsTest, ValuesOfOtherTypes) {
  for (const std::string flag : {"--count=many", "--count=3000000000", "--loud=perhaps",
                                 "--weight=x", "--even=3", "--help"}) {
    Values values;
    std::vector<std::string> flags = {flag};
    EXPECT_FALSE(Flags::Parse(flags, values.flags)) << flag;
    EXPECT_FALSE(values.was_set);
  }
  Values values;
  std::vector<std::string> flags = {"--large=3000000000", "--weight=2.5", "--loud=false",
                                    "--even=4", "--count"};
  EXPECT_TRUE(Flags::Parse(flags, values.flags));
  EXPECT_EQ(values.large, 3000000000);
  EXPECT_EQ(values.weight, 2.5f);
  EXPECT_FALSE(values.is_loud);
  EXPECT_EQ(values.even, 4);
  EXPECT_THAT(flags, ElementsAre("--count"));  // it has no value
}

TEST(FlagsTest, Usage) {
  const std::string usage = Flags::Usage("command", Values().flags);
  EXPECT_THAT(usage, HasSubstr("usage: command"));
  EXPECT_THAT(usage, HasSubstr("--count=3  (int32) how many"));
  EXPECT_THAT(usage, HasSubstr("--loud=false"));
  EXPECT_THAT(usage, HasSubstr("--name=\"none\""));
}

}  // namespace
}  // namespace tsl
