#include "xla/hlo/ir/collective_op_group_mode.h"

#include <optional>

#include "gtest/gtest.h"

namespace xla {
namespace {

TEST(CollectiveOpGroupModeTest, FollowsFromChannelAndGlobalIds) {
  EXPECT_EQ(*GetCollectiveOpGroupMode(false, std::nullopt), COLLECTIVE_OP_GROUP_MODE_CROSS_REPLICA);
  EXPECT_EQ(*GetCollectiveOpGroupMode(false, false), COLLECTIVE_OP_GROUP_MODE_CROSS_REPLICA);
  EXPECT_EQ(GetCollectiveOpGroupMode(false, true).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(*GetCollectiveOpGroupMode(true, std::nullopt),
            COLLECTIVE_OP_GROUP_MODE_CROSS_PARTITION);
  EXPECT_EQ(*GetCollectiveOpGroupMode(true, false),
            COLLECTIVE_OP_GROUP_MODE_CROSS_REPLICA_AND_PARTITION);
  EXPECT_EQ(*GetCollectiveOpGroupMode(true, true), COLLECTIVE_OP_GROUP_MODE_FLATTENED_ID);
}

TEST(CollectiveOpGroupModeTest, NamesComeBack) {
  for (int i = 0; i < CollectiveOpGroupMode_ARRAYSIZE; ++i) {
    const auto mode = static_cast<CollectiveOpGroupMode>(i);
    const auto parsed = StringToCollectiveOpGroupMode(CollectiveOpGroupModeToString(mode));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, mode);
  }
  EXPECT_EQ(CollectiveOpGroupModeToString(COLLECTIVE_OP_GROUP_MODE_FLATTENED_ID), "flattened_id");
  EXPECT_FALSE(StringToCollectiveOpGroupMode("nearest_neighbour").ok());
}

}  // namespace
}  // namespace xla
