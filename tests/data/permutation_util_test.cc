#include "xla/permutation_util.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "xla/util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

TEST(PermutationUtilTest, IsPermutation) {
  EXPECT_TRUE(IsPermutation({}));
  EXPECT_TRUE(IsPermutation({2, 0, 1}));
  EXPECT_FALSE(IsPermutation({0, 0}));
  EXPECT_FALSE(IsPermutation({-1, 0}));
  EXPECT_FALSE(IsPermutation({std::numeric_limits<int64_t>::max(), 0}));
  EXPECT_TRUE(IsIdentityPermutation(std::vector<int64_t>{0, 1, 2}));
  EXPECT_FALSE(IsIdentityPermutation(std::vector<int64_t>{0, 2, 1}));
}

TEST(PermutationUtilTest, Permutes) {
  const std::vector<int64_t> order = {2, 0, 1};
  const std::vector<std::string> letters = {"a", "b", "c"};
  EXPECT_THAT(Permute(letters, order), ElementsAre("c", "a", "b"));
  EXPECT_THAT(PermuteInverse<std::vector<std::string>>(Permute(letters, order), order),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(InversePermutation(order), ElementsAre(1, 2, 0));
  EXPECT_THAT(ComposePermutations<DimensionVector>(order, InversePermutation(order)),
              ElementsAre(0, 1, 2));
  EXPECT_THAT(ComposePermutations({2, 0, 1}, {1, 0, 2}), ElementsAre(0, 2, 1));
  EXPECT_DEATH(Permute(letters, {0, 0, 1}), "");
}

TEST(PermutationUtilTest, MoveSingleElement) {
  std::vector<int64_t> order = {0, 1, 2, 3};
  MoveSingleElement(absl::MakeSpan(order), 1, 3);
  EXPECT_THAT(order, ElementsAre(0, 2, 3, 1));
  MoveSingleElement(absl::MakeSpan(order), 3, 0);
  EXPECT_THAT(order, ElementsAre(1, 0, 2, 3));
}

}  // namespace
}  // namespace xla
