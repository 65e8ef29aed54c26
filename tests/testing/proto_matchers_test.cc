#include "xla/tsl/util/proto/proto_matchers.h"

#include "xla/hlo/testlib/test.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using ::testing::Not;
using ::tsl::proto_testing::EqualsProto;

TEST(ProtoMatchersTest, EqualsProto) {
  WindowDimension window;
  window.set_size(3);
  window.set_stride(2);
  WindowDimension other = window;
  EXPECT_THAT(window, EqualsProto("size: 3 stride: 2"));
  EXPECT_THAT(window, EqualsProto(other));
  other.set_stride(1);
  EXPECT_THAT(window, Not(EqualsProto(other)));
  EXPECT_THAT(window, Not(EqualsProto("size: 3")));
  ::testing::StringMatchResultListener listener;
  EXPECT_FALSE(EqualsProto("size: 3 stride: 1").MatchAndExplain(window, &listener));
  EXPECT_EQ(listener.str(), "with the difference:\nmodified: stride: 1 -> 2\n");
}

}  // namespace
}  // namespace xla
