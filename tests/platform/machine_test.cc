// The rest of what clients include of tsl: programs, hash values, numbers, macros.
#include <csignal>
#include <cstdlib>
#include <string>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tsl/platform/casts.h"
#include "tsl/platform/cpu_info.h"
#include "tsl/platform/fingerprint.h"
#include "tsl/platform/hash.h"
#include "tsl/platform/mem.h"
#include "tsl/platform/numbers.h"
#include "tsl/platform/random.h"
#include "tsl/platform/stacktrace.h"
#include "tsl/platform/subprocess.h"
#include "tsl/profiler/lib/traceme.h"
#include "xla/tsl/lib/math/math_util.h"
#include "xla/tsl/lib/strings/proto_serialization.h"
#include "xla/tsl/platform/env.h"
#include "xla/tsl/platform/status.h"
#include "xla/tsl/util/env_var.h"
#include "xla/tsl/util/proto/parse_text_proto.h"
#include "xla/tsl/util/proto/proto_matchers.h"
#include "xla/tsl/util/safe_reinterpret_cast.h"
#include "xla/xla_data.pb.h"

namespace tsl {
namespace {

TEST(ErrorTest, OldNamesOfCodes) {
  ASSERT_EQ(absl::InvalidArgumentError("").code(), tsl::error::INVALID_ARGUMENT);
  ASSERT_EQ(absl::UnimplementedError("").code(), tsl::error::UNIMPLEMENTED);
  ASSERT_EQ(absl::OkStatus().code(), tsl::error::OK);
}

TEST(SubProcessTest, TalksToAProgram) {
  SubProcess program;
  program.SetProgram("cat", {"cat"});
  program.SetChannelAction(CHAN_STDIN, ACTION_PIPE);
  program.SetChannelAction(CHAN_STDOUT, ACTION_PIPE);
  ASSERT_TRUE(program.Start());
  EXPECT_FALSE(program.Start());
  const std::string input(1 << 18, 'x');
  std::string output;
  EXPECT_EQ(program.Communicate(&input, &output, nullptr), 0);
  EXPECT_EQ(output, input);
}

TEST(SubProcessTest, SaysHowItEnded) {
  SubProcess fails;
  fails.SetProgram("false", {"false"});
  ASSERT_TRUE(fails.Start());
  EXPECT_TRUE(fails.Wait());
  EXPECT_NE(fails.exit_code(), 0);
  EXPECT_FALSE(fails.Wait());
  SubProcess sleeps;
  sleeps.SetProgram("sleep", {"sleep", "1000"});
  ASSERT_TRUE(sleeps.Start());
  EXPECT_TRUE(sleeps.Kill(SIGKILL));
  EXPECT_TRUE(sleeps.Wait());
  SubProcess none;
  none.SetProgram("/no/such/program", {});
  EXPECT_FALSE(none.Start());
}

TEST(HashTest, DiffersAndIsStable) {
  EXPECT_EQ(Fingerprint64("abc"), Fingerprint64(std::string("abc")));
  EXPECT_NE(Fingerprint64("abc"), Fingerprint64("abd"));
  EXPECT_NE(Fingerprint64(""), Fingerprint64(absl::string_view("\0", 1)));
  EXPECT_NE(Hash64("abc", 1), Hash64("abc", 2));
  EXPECT_NE(FingerprintCat64(1, 2), FingerprintCat64(2, 1));
  EXPECT_NE(Fingerprint128("abc").low64, Fingerprint128("abc").high64);
}

TEST(ProtoTest, BytesOfEqualMessagesAreEqual) {
  xla::ShapeProto a = proto_testing::ParseTextProtoOrDie<xla::ShapeProto>("dimensions: 3");
  const xla::ShapeProto b = proto_testing::ParseTextProtoOrDie("dimensions: 3");
  EXPECT_TRUE(AreSerializedProtosEqual(a, b));
  EXPECT_EQ(DeterministicProtoHash64(a), DeterministicProtoHash64(b));
  EXPECT_THAT(a, proto_testing::EqualsProto(b));
  a.add_dimensions(4);
  EXPECT_FALSE(AreSerializedProtosEqual(a, b));
  EXPECT_FALSE(proto_testing::ParseTextProto<xla::ShapeProto>("dimensions: x").ok());
}

TEST(NumbersTest, ForHumans) {
  EXPECT_EQ(strings::HumanReadableNum(999), "999");
  EXPECT_EQ(strings::HumanReadableNum(1234567), "1.23M");
  EXPECT_EQ(strings::HumanReadableNumBytes(1 << 20), "1.00MiB");
  EXPECT_EQ(strings::HumanReadableElapsedTime(0.0012), "1.2 ms");
}

TEST(EnvVarTest, ValuesAndErrors) {
  int64_t number;
  bool truth;
  unsetenv("HILO_TEST_VARIABLE");
  EXPECT_OK(ReadInt64FromEnvVar("HILO_TEST_VARIABLE", 7, &number));
  EXPECT_EQ(number, 7);
  setenv("HILO_TEST_VARIABLE", "TRUE", 1);
  EXPECT_OK(ReadBoolFromEnvVar("HILO_TEST_VARIABLE", false, &truth));
  EXPECT_TRUE(truth);
  EXPECT_THAT(ReadInt64FromEnvVar("HILO_TEST_VARIABLE", 7, &number),
              absl_testing::StatusIs(error::INVALID_ARGUMENT));
  EXPECT_EQ(number, 7);
  unsetenv("HILO_TEST_VARIABLE");
}

TEST(MathUtilTest, RatiosAreRounded) {
  EXPECT_EQ(MathUtil::CeilOfRatio(7, 2), 4);
  EXPECT_EQ(MathUtil::CeilOfRatio(-7, 2), -3);
  EXPECT_EQ(MathUtil::FloorOfRatio(-7, 2), -4);
  EXPECT_EQ(MathUtil::FloorOfRatio(7u, 2u), 3u);
  EXPECT_EQ(MathUtil::GCD(12u, 18u), 6u);
  EXPECT_EQ(MathUtil::IPow(3.0, 4), 81.0);
}

TEST(CastTest, DownAndAcross) {
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {
    int value = 5;
  } derived;
  Base* const base = &derived;
  EXPECT_EQ(down_cast<Derived*>(base)->value, 5);
  EXPECT_EQ(down_cast<const Derived&>(static_cast<const Base&>(*base)).value, 5);
  float number = 1;
  EXPECT_EQ(safe_reinterpret_cast<const unsigned char*>(&number)[3], 0x3f);
  EXPECT_EQ(safe_reinterpret_cast<float*>(safe_reinterpret_cast<uintptr_t>(&number)), &number);
}

TEST(MachineTest, Facts) {
  EXPECT_GE(port::NumSchedulableCPUs(), 1);
  EXPECT_LE(port::NumSchedulableCPUs(), port::NumTotalCPUs());
  void* const memory = port::AlignedMalloc(100, 256);
  EXPECT_EQ(safe_reinterpret_cast<uintptr_t>(memory) % 256, 0);
  port::AlignedFree(memory);
  EXPECT_NE(random::New64(), random::New64());
  EXPECT_THAT(CurrentStackTrace(), ::testing::HasSubstr("\n"));
  std::string path = Env::Default()->GetExecutablePath();
  EXPECT_THAT(path, ::testing::HasSubstr("platform_test"));
}

TEST(TraceMeTest, NamesAreEncodedButNotAskedFor) {
  const profiler::TraceMe event([]() -> std::string { std::abort(); });
  EXPECT_FALSE(profiler::TraceMe::Active());
  EXPECT_EQ(profiler::TraceMeEncode("run", {{"size", 3}, {"name", "x"}}), "run#size=3,name=x#");
}

}  // namespace
}  // namespace tsl
