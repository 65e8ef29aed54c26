// Devices that exchange data, and what happens when they do not meet.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/eval/evaluate.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

// Runs on scalars, one for each replica.
absl::StatusOr<std::vector<Literal>> RunOnReplicas(absl::string_view text,
                                                   const std::vector<std::string>& arguments) {
  const std::unique_ptr<HloModule> module = Parse(text);
  HILO_RETURN_IF_ERROR(VerifyModule(*module));
  std::vector<Literal> literals;
  for (const std::string& argument : arguments) literals.push_back(Value(argument));
  std::vector<std::vector<const Literal*>> pointers;
  for (const Literal& literal : literals) pointers.push_back({&literal});
  return HloEvaluator().EvaluateReplicated(*module, pointers, literals.size());
}

constexpr char kSum[] = R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[] parameter(0)  ROOT r = f32[] all-reduce(x), replica_groups={}, to_apply=add }
)";

// Replicas with an argument other than zero add, the others do not.
constexpr char kSomeSum[] = R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
sum { x = f32[] parameter(0)  ROOT r = f32[] all-reduce(x), replica_groups={}, to_apply=add }
same { ROOT x = f32[] parameter(0) }
ENTRY e {
  x = f32[] parameter(0)
  zero = f32[] constant(0)
  p = pred[] compare(x, zero), direction=NE
  ROOT r = f32[] conditional(p, x, x), true_computation=sum, false_computation=same
}
)";

TEST(ReplicasTest, ManyDevicesMeetAgainAndAgain) {
  constexpr char kLoop[] = R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
largest { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] maximum(a, b) }
body {
  s = (s32[], f32[]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  x = f32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  m = s32[] add(n, one)
  y = f32[] all-reduce(x), replica_groups={{0,2,4,6},{1,3,5,7}}, to_apply=add
  z = f32[] all-reduce(y), replica_groups={}, to_apply=largest
  w = f32[] subtract(z, y)
  ROOT t = (s32[], f32[]) tuple(m, w)
}
more {
  s = (s32[], f32[]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  limit = s32[] constant(100)
  ROOT p = pred[] compare(n, limit), direction=LT
}
ENTRY e {
  x = f32[] parameter(0)
  n = s32[] constant(0)
  s = (s32[], f32[]) tuple(n, x)
  r = (s32[], f32[]) while(s), condition=more, body=body
  ROOT v = f32[] get-tuple-element(r), index=1
}
)";
  const auto results = RunOnReplicas(kLoop, std::vector<std::string>(8, "f32[] 1"));
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 8u);
  for (const Literal& result : *results) EXPECT_EQ(result.Get<float>({}), 0.0f);
}

TEST(ReplicasTest, WaitingForOneThatHasFinishedIsAnError) {
  const auto all = RunOnReplicas(kSomeSum, {"f32[] 1", "f32[] 2"});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ((*all)[1].Get<float>({}), 3.0f);

  const auto some = RunOnReplicas(kSomeSum, {"f32[] 1", "f32[] 0", "f32[] 2"});
  EXPECT_EQ(some.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(some.status().message()),
              HasSubstr("device 0 waits for participant 1, which never arrives: it has finished"));
}

TEST(ReplicasTest, WaitingForOneThatWaitsElsewhereIsAnError) {
  std::string text = kSomeSum;
  text.replace(text.find("same { ROOT x = f32[] parameter(0) }"), 36,
               "same { x = f32[] parameter(0)  ROOT other = f32[] all-reduce(x), "
               "replica_groups={}, to_apply=add }");
  const auto results = RunOnReplicas(text, {"f32[] 1", "f32[] 0"});
  EXPECT_EQ(results.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(results.status().message()),
              HasSubstr("participant 1, which never arrives: it waits in other"));
}

TEST(ReplicasTest, TheErrorIsThatOfTheDeviceThatFails) {
  std::string text = kSomeSum;
  text.replace(text.find("same { ROOT x = f32[] parameter(0) }"), 36,
               "same { x = f32[] parameter(0)  ROOT c = f32[] custom-call(x), "
               "custom_call_target=\"unknown target\" }");
  const auto results = RunOnReplicas(text, {"f32[] 1", "f32[] 0"});
  EXPECT_THAT(std::string(results.status().message()), HasSubstr("unknown target"));
}

TEST(ReplicasTest, DevicesMustFitTheProgram) {
  std::string text = kSum;
  text.replace(text.find("HloModule m"), 11, "HloModule m, replica_count=2");
  EXPECT_THAT(EvaluateText(text, {"f32[] 1"}), HasSubstr("a program for 2 replicas"));
  EXPECT_THAT(std::string(RunOnReplicas(text, {"f32[] 1"}).status().message()),
              HasSubstr("is for 2 replicas"));
  EXPECT_TRUE(RunOnReplicas(text, {"f32[] 1", "f32[] 2"}).ok());

  text = kSum;
  text.replace(text.find("replica_groups={}"), 17, "replica_groups={{0,1}}");
  EXPECT_THAT(EvaluateText(text, {"f32[] 1"}), HasSubstr("names participant 1"));
  EXPECT_THAT(
      std::string(RunOnReplicas(text, {"f32[] 1", "f32[] 1", "f32[] 1"}).status().message()),
      HasSubstr("is in none of the replica_groups"));

  const std::unique_ptr<HloModule> module = Parse(kSum);
  EXPECT_FALSE(HloEvaluator().EvaluateReplicated(*module, {}, 0).ok());
  EXPECT_FALSE(
      HloEvaluator().EvaluateReplicated(*module, {}, int64_t{1} << 40, int64_t{1} << 40).ok());
  EXPECT_FALSE(HloEvaluator().EvaluateReplicated(*module, {}, 2).ok());
}

TEST(ReplicasTest, TheRootOfABroadcastIsThatOfAll) {
  constexpr char kText[] = R"(
HloModule m
ENTRY e {
  x = s32[] parameter(0)
  ROOT r = s32[] collective-broadcast(x, x), replica_groups={{0,1}}, has_dynamic_root=true
})";
  EXPECT_TRUE(RunOnReplicas(kText, {"s32[] 1", "s32[] 1"}).ok());
  for (const char* other : {"s32[] 0", "s32[] 2", "s32[] -1"}) {
    EXPECT_THAT(std::string(RunOnReplicas(kText, {other, "s32[] 1"}).status().message()),
                HasSubstr("the root must be the same position in the group of 2"));
    EXPECT_EQ(RunOnReplicas(kText, {other, other}).ok(), other == std::string("s32[] 0"));
  }
}

TEST(ReplicasTest, SlicesMustFit) {
  const auto error = [](absl::string_view pairs, absl::string_view sizes) {
    const std::string text = absl::Substitute(R"(
HloModule m
ENTRY e {
  x = s32[] parameter(0)
  in = s32[2] broadcast(x), dimensions={}
  at = (s32[]) tuple(x)
  ROOT r = s32[2] collective-permute(in, in, at, at), source_target_pairs=$0, slice_sizes=$1
})",
                                              pairs, sizes);
    return std::string(RunOnReplicas(text, {"s32[] 1", "s32[] 2"}).status().message());
  };
  EXPECT_EQ(error("{{0,1}}", "{{1}}"), "");
  EXPECT_THAT(error("{{0,1}}", "{{3}}"), HasSubstr("do not fit each other"));
  EXPECT_THAT(error("{{0,1}}", "{{1,1}}"), HasSubstr("do not fit each other"));
  EXPECT_THAT(error("{{0,1}}", "{{1},{1}}"), HasSubstr("do not fit each other"));
  EXPECT_THAT(error("{{0,2}}", "{{1}}"), HasSubstr("names participant 2"));

  constexpr char kTokens[] = R"(
HloModule m
ENTRY e {
  x = s32[] parameter(0)
  t = token[] after-all()
  in = (token[]) tuple(t)
  at = (s32[]) tuple(x)
  p = (token[]) collective-permute(in, in, at, at), source_target_pairs={{0,1}}, slice_sizes={{1}}
  ROOT r = ((token[]), s32[]) tuple(p, x)
})";
  EXPECT_THAT(std::string(RunOnReplicas(kTokens, {"s32[] 1", "s32[] 2"}).status().message()),
              HasSubstr("do not fit each other"));
}

}  // namespace
}  // namespace xla
