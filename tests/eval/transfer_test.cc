// Infeed, outfeed, send and recv.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/substitute.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/mailboxes.h"
#include "tests/eval/evaluate.h"

namespace xla {
namespace {

using runtime::Mailbox;
using runtime::Mailboxes;
using ::testing::HasSubstr;

absl::StatusOr<std::vector<Literal>> RunText(absl::string_view text, Mailboxes* mailboxes,
                                             int64_t replicas = 1, int64_t partitions = 1) {
  const std::unique_ptr<HloModule> module = Parse(text);
  HILO_RETURN_IF_ERROR(VerifyModule(*module));
  HloEvaluator evaluator;
  evaluator.set_mailboxes(mailboxes);
  const std::vector<std::vector<const Literal*>> arguments(replicas * partitions);
  return evaluator.EvaluateReplicated(*module, arguments, replicas, partitions);
}

std::string Message(const absl::StatusOr<std::vector<Literal>>& results) {
  return results.ok() ? results->front().ToString() : results.status().ToString();
}

constexpr char kInfeed[] = R"(
HloModule m
ENTRY e { t = token[] after-all()  ROOT i = (s32[2], token[]) infeed(t) })";

TEST(TransferTest, InfeedWaitsForItsValue) {
  Mailboxes mailboxes;
  std::thread host([&] {
    absl::SleepFor(absl::Milliseconds(20));
    mailboxes.Put({Mailbox::kInfeed, 0}, Value("s32[2] {3, 4}"));
  });
  const auto results = RunText(kInfeed, &mailboxes);
  host.join();
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(results->front().ToStringOneline(), "( s32[2] {3, 4}, token[] )");
}

TEST(TransferTest, InfeedsThatNobodyFeedsEnd) {
  EXPECT_THAT(Message(RunText(kInfeed, nullptr)),
              HasSubstr("FAILED_PRECONDITION: infeed i: there is no host to talk to"));
  Mailboxes impatient(absl::Milliseconds(10));
  EXPECT_THAT(Message(RunText(kInfeed, &impatient)),
              HasSubstr("DEADLINE_EXCEEDED: infeed i: there is no value in the infeed of device 0 "
                        "within 10ms"));

  Mailboxes patient(absl::InfiniteDuration());
  std::atomic<bool> ended = false;
  std::thread host([&] {
    // Whenever the program begins to wait.
    while (!ended) patient.Reset();
  });
  EXPECT_THAT(Message(RunText(kInfeed, &patient)), HasSubstr("CANCELLED: infeed i"));
  ended = true;
  host.join();
}

TEST(TransferTest, InfeedValuesMustHaveTheShape) {
  Mailboxes mailboxes;
  mailboxes.Put({Mailbox::kInfeed, 0}, Value("f32[2] {3, 4}"));
  EXPECT_THAT(Message(RunText(kInfeed, &mailboxes)),
              HasSubstr("the infeed of device 0 has a value of shape f32[2], but the program takes "
                        "s32[2]"));
}

TEST(TransferTest, DevicesHaveTheirOwnFeeds) {
  Mailboxes mailboxes;
  mailboxes.Put({Mailbox::kInfeed, 0}, Value("s32[] 10"));
  mailboxes.Put({Mailbox::kInfeed, 1}, Value("s32[] 11"));
  const auto results = RunText(R"(
HloModule m
ENTRY e {
  t = token[] after-all()
  i = (s32[], token[]) infeed(t)
  x = s32[] get-tuple-element(i), index=0
  u = token[] get-tuple-element(i), index=1
  y = s32[] negate(x)
  o = token[] outfeed(y, u)
  ROOT r = s32[] add(x, x)
})",
                               &mailboxes, 2);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[1].Get<int32_t>({}), 22);
  EXPECT_EQ(mailboxes.Take({Mailbox::kOutfeed, 0}).value(), Value("s32[] -10"));
  EXPECT_EQ(mailboxes.Take({Mailbox::kOutfeed, 1}).value(), Value("s32[] -11"));
  EXPECT_TRUE(mailboxes.empty());
}

// Device 0 waits for a value that does not come, but device 1 fails.
TEST(TransferTest, AFailureEndsTheOthersWaiting) {
  Mailboxes mailboxes(absl::InfiniteDuration());
  mailboxes.Put({Mailbox::kInfeed, 1}, Value("s32[2] {1, 2}"));
  mailboxes.Put({Mailbox::kInfeed, 1}, Value("f32[] 0"));
  EXPECT_THAT(Message(RunText(R"(
HloModule m
ENTRY e {
  t = token[] after-all()
  i = (s32[2], token[]) infeed(t)
  u = token[] get-tuple-element(i), index=1
  ROOT j = (s32[2], token[]) infeed(u)
})",
                              &mailboxes, 2)),
              HasSubstr("INVALID_ARGUMENT: infeed j"));
}

// Sends 7 + own id over channel 1, for those who have the pairs, and gives what is received.
std::string Ring(absl::string_view pairs) {
  return absl::Substitute(R"(
HloModule m
ENTRY e {
  t = token[] after-all()
  id = u32[] replica-id()
  seven = u32[] constant(7)
  x = u32[] add(id, seven)
  s = (u32[], u32[], token[]) send(x, t), channel_id=1$0
  r = (u32[], u32[], token[]) recv(t), channel_id=1$0
  sd = token[] send-done(s), channel_id=1
  rd = (u32[], token[]) recv-done(r), channel_id=1
  ROOT y = u32[] get-tuple-element(rd), index=0
})",
                          pairs.empty() ? ""
                                        : absl::StrCat(", frontend_attributes={"
                                                       "_xla_send_recv_source_target_pairs=\"",
                                                       pairs, "\"}"));
}

TEST(TransferTest, PairsSayWhoSendsToWhom) {
  const auto results = RunText(Ring("{{0,1},{1,2},{3,3}}"), nullptr, 4);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].Get<uint32_t>({}), 0u);
  EXPECT_EQ((*results)[1].Get<uint32_t>({}), 7u);
  EXPECT_EQ((*results)[2].Get<uint32_t>({}), 8u);
  EXPECT_EQ((*results)[3].Get<uint32_t>({}), 10u);
  EXPECT_EQ(Message(RunText(Ring(""), nullptr)), "u32[] 7");
  EXPECT_THAT(Message(RunText(Ring(""), nullptr, 2)), HasSubstr("devices"));
  EXPECT_THAT(Message(RunText(Ring("{{0,1},{2,1}}"), nullptr, 3)), HasSubstr("several sources"));
  EXPECT_THAT(Message(RunText(Ring("{{0,1},{2}}"), nullptr, 3)), HasSubstr("is no list of pairs"));
  EXPECT_THAT(Message(RunText(Ring("{{0,-1}}"), nullptr, 3)), HasSubstr("is no list of pairs"));
}

// Two branches, for replicas 0 and 1. Channels are numbered so that both may use the same.
std::string Branches(absl::string_view first, absl::string_view second) {
  return absl::Substitute(R"(
HloModule m
first { t = token[] parameter(0)  $0 }
second { t = token[] parameter(0)  $1 }
ENTRY e {
  t = token[] after-all()
  id = u32[] replica-id()
  i = s32[] convert(id)
  ROOT r = s32[] conditional(i, t, t), branch_computations={first, second}
})",
                          first, second);
}

constexpr char kSendThenReceive[] = R"(
  x = s32[] constant($2)
  s = (s32[], u32[], token[]) send(x, t), channel_id=$0
  sd = token[] send-done(s), channel_id=$0
  r = (s32[], u32[], token[]) recv(sd), channel_id=$1
  rd = (s32[], token[]) recv-done(r), channel_id=$1
  ROOT y = s32[] get-tuple-element(rd), index=0
)";
constexpr char kReceiveThenSend[] = R"(
  x = s32[] constant($2)
  r = (s32[], u32[], token[]) recv(t), channel_id=$1
  rd = (s32[], token[]) recv-done(r), channel_id=$1
  u = token[] get-tuple-element(rd), index=1
  s = (s32[], u32[], token[]) send(x, u), channel_id=$0
  sd = token[] send-done(s), channel_id=$0
  ROOT y = s32[] get-tuple-element(rd), index=0
)";

TEST(TransferTest, BranchesOfDevicesTalk) {
  const auto results = RunText(Branches(absl::Substitute(kSendThenReceive, 1, 2, 5),
                                        absl::Substitute(kReceiveThenSend, 2, 1, 6)),
                               nullptr, 2);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].Get<int32_t>({}), 6);
  EXPECT_EQ((*results)[1].Get<int32_t>({}), 5);
}

TEST(TransferTest, WaitingInACircleIsAnError) {
  EXPECT_THAT(Message(RunText(Branches(absl::Substitute(kReceiveThenSend, 1, 2, 5),
                                       absl::Substitute(kReceiveThenSend, 2, 1, 6)),
                              nullptr, 2)),
              HasSubstr("FAILED_PRECONDITION: recv-done rd: device 0 waits for another that sends "
                        "over channel 2, but none does"));
}

TEST(TransferTest, BothEndsMustHaveOneShape) {
  std::string other = absl::Substitute(kReceiveThenSend, 2, 1, 6);
  EXPECT_THAT(Message(RunText(Branches(R"(
  x = f32[] constant(1)
  s = (f32[], u32[], token[]) send(x, t), channel_id=1
  sd = token[] send-done(s), channel_id=1
  ROOT y = s32[] constant(1))",
                                       other),
                              nullptr, 2)),
              HasSubstr("channel 1 has a value of shape f32[], but the program takes s32[]"));
}

// What is sent waits for whoever receives it.
TEST(TransferTest, BothMaySendFirst) {
  const auto results = RunText(Branches(absl::Substitute(kSendThenReceive, 1, 2, 5),
                                        absl::Substitute(kSendThenReceive, 2, 1, 6)),
                               nullptr, 2);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].Get<int32_t>({}), 6);
  EXPECT_EQ((*results)[1].Get<int32_t>({}), 5);
}

TEST(TransferTest, WhatNobodyReceivesIsAnError) {
  constexpr char kSend[] = R"(
  x = s32[] constant(1)
  s = (s32[], u32[], token[]) send(x, t), channel_id=1
  sd = token[] send-done(s), channel_id=1
  ROOT y = s32[] constant(1))";
  EXPECT_THAT(Message(RunText(Branches(kSend, "ROOT y = s32[] constant(1)"), nullptr, 2)),
              HasSubstr("send-done sd: device 0 waits for another that receives from channel 1"));
  EXPECT_THAT(Message(RunText(Branches(kSend, kSend), nullptr)),
              HasSubstr("send-done sd: nobody receives from channel 1"));
}

// A device that has finished sends no more.
TEST(TransferTest, NobodySendsAnyMore) {
  EXPECT_THAT(Message(RunText(Branches("ROOT y = s32[] constant(1)",
                                       absl::Substitute(kReceiveThenSend, 2, 1, 6)),
                              nullptr, 2)),
              HasSubstr("device 1 waits for another that sends over channel 1"));
}

TEST(TransferTest, TheHostHasChannelsToo) {
  Mailboxes mailboxes;
  mailboxes.Put({Mailbox::kFromHost, 0, 4}, Value("s32[] 20"));
  const auto results = RunText(R"(
HloModule m
ENTRY e {
  t = token[] after-all()
  r = (s32[], u32[], token[]) recv(t), channel_id=4, is_host_transfer=true
  rd = (s32[], token[]) recv-done(r), channel_id=4, is_host_transfer=true
  x = s32[] get-tuple-element(rd), index=0
  s = (s32[], u32[], token[]) send(x, t), channel_id=5, is_host_transfer=true
  sd = token[] send-done(s), channel_id=5, is_host_transfer=true
  ROOT y = s32[] negate(x)
})",
                               &mailboxes);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(results->front(), Value("s32[] -20"));
  EXPECT_EQ(mailboxes.Take({Mailbox::kToHost, 0, 5}).value(), Value("s32[] 20"));
}

TEST(TransferTest, ContextsAreOfTransfersUnderWay) {
  const std::string message = EvaluateText(R"(
HloModule m
ENTRY e {
  x = f32[] parameter(0)
  n = u32[] constant(3)
  t = token[] after-all()
  c = (f32[], u32[], token[]) tuple(x, n, t)
  ROOT d = token[] send-done(c), channel_id=1
})",
                                           {"f32[] 1"});
  EXPECT_THAT(message, HasSubstr("send-done d: no transfer with this context has begun"));
}

}  // namespace
}  // namespace xla
