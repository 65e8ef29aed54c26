#include "tools/divided_run.h"

#include <memory>

#include "api/backend.h"
#include "gtest/gtest.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

TEST(DividedRunTest, ArraysOfATupleAreDividedOneByOne) {
  std::unique_ptr<HloModule> module = ParseAndReturnUnverifiedModule(R"(
    HloModule m
    ENTRY e {
      p = (s32[4], (s32[3], s32[2])) parameter(0),
          sharding={{devices=[2]<=[2]}, {devices=[2]<=[2]}, {unreduced}}
      even = s32[4] get-tuple-element(p), index=0
      pair = (s32[3], s32[2]) get-tuple-element(p), index=1
      uneven = s32[3] get-tuple-element(pair), index=0
      sum = s32[2] get-tuple-element(pair), index=1
      reversed = s32[4] reverse(even), dimensions={0}
      ROOT r = (s32[4], s32[3], s32[2]) tuple(reversed, uneven, sum)
    })")
                                          .value();
  const Literal input = LiteralUtil::MakeTupleOwned(
      LiteralUtil::CreateR1<int32_t>({1, 2, 3, 4}),
      LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int32_t>({5, 6, 7}),
                                  LiteralUtil::CreateR1<int32_t>({8, 9})));
  const Literal expected = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int32_t>({4, 3, 2, 1}),
                                                       LiteralUtil::CreateR1<int32_t>({5, 6, 7}),
                                                       LiteralUtil::CreateR1<int32_t>({8, 9}));
  for (const char* const name : {"interpreter", "cpu"}) {
    const absl::StatusOr<Literal> result =
        RunDivided(**FindBackend(name), module->Clone(""), {&input, 1}, /*devices=*/2, {});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(*result, expected) << name;
  }
}

}  // namespace
}  // namespace xla
