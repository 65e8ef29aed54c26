#include "xla/tests/hlo_test_base.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest-spi.h"
#include "tsl/platform/path.h"
#include "xla/execution_options_util.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/testlib/test.h"
#include "xla/hlo/testlib/test_helpers.h"
#include "xla/literal_util.h"
#include "xla/service/hlo_runner.h"
#include "xla/tests/hlo_pjrt_test_base.h"
#include "xla/tests/literal_test_util.h"
#include "xla/tests/pjrt_client_registry.h"
#include "xla/tsl/platform/env.h"
#include "xla/tsl/platform/statusor.h"
#include "xla/types.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr char kTwice[] = "ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] add(x, x) }";
constexpr char kDouble[] = R"(
ENTRY e {
  x = f32[2] parameter(0)
  two = f32[] constant(2)
  twos = f32[2] broadcast(two), dimensions={}
  ROOT y = f32[2] multiply(x, twos)
})";
constexpr char kSquare[] = "ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] multiply(x, x) }";
constexpr char kBroken[] = "ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[3] negate(x) }";
// Always fails when it runs: there is nobody to send something.
constexpr char kFails[] = R"(
ENTRY e {
  t = token[] after-all()
  ROOT i = ((f32[2]), token[]) infeed(t)
})";
constexpr char kSumOfReplicas[] = R"(
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] all-reduce(x), to_apply=add })";
constexpr char kDeviceNumber[] = R"(
ENTRY e {
  r = u32[] replica-id()
  p = u32[] partition-id()
  ten = u32[] constant(10)
  t = u32[] multiply(r, ten)
  ROOT n = u32[] add(t, p)
})";

class HloTestBaseTest : public HloTestBase {
 protected:
  std::unique_ptr<HloModule> Parse(const char* text, int64_t replicas = 1, int64_t partitions = 1) {
    auto module = ParseAndReturnVerifiedModule(text, replicas, partitions);
    EXPECT_IS_OK(module);
    return *std::move(module);
  }
  const Literal x_ = LiteralUtil::CreateR1<float>({1, 2});
};

TEST_F(HloTestBaseTest, Execute) {
  TF_ASSERT_OK_AND_ASSIGN(const Literal y, Execute(Parse(kTwice), {&x_}));
  LiteralTestUtil::ExpectR1Equal<float>({2, 4}, y);
  TF_ASSERT_OK_AND_ASSIGN(const Literal z, Execute(Parse(kTwice), {&x_}, /*run_hlo_passes=*/false));
  EXPECT_TRUE(LiteralTestUtil::Equal(y, z));
  const auto without_argument = Execute(Parse(kTwice), {});
  EXPECT_EQ(without_argument.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(without_argument.status().message()), HasSubstr("takes 1 arguments"));
}

TEST_F(HloTestBaseTest, ExecuteAModuleMadeByHand) {
  const Shape shape = ShapeUtil::MakeShape(F32, {2});
  HloComputation::Builder builder("e");
  HloInstruction* x = builder.AddInstruction(HloInstruction::CreateParameter(0, shape, "x"));
  builder.AddInstruction(HloInstruction::CreateUnary(shape, HloOpcode::kNegate, x));
  std::unique_ptr<VerifiedHloModule> module = CreateNewVerifiedModule();
  AddEntryComputationAndUpdateEntryComputationLayout(module.get(), builder.Build());
  EXPECT_TRUE(module->entry_computation_layout().LayoutIsSet());
  EXPECT_IS_OK(PreprocessModuleForTestRunner(module.get()));
  TF_ASSERT_OK_AND_ASSIGN(const Literal y, Execute(std::move(module), {&x_}));
  LiteralTestUtil::ExpectR1Equal<float>({-1, -2}, y);
}

TEST_F(HloTestBaseTest, AnExecutableRunsManyTimes) {
  TF_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<OpaqueExecutable> executable,
                          CreateExecutable(Parse(kTwice), /*run_hlo_passes=*/true));
  TF_ASSERT_OK_AND_ASSIGN(const auto results,
                          test_runner().ExecuteWithExecutable(executable.get(), {&x_}, 3));
  ASSERT_EQ(results.size(), 3);
  for (const auto& result : results) {
    ASSERT_IS_OK(result);
    LiteralTestUtil::ExpectR1Equal<float>({2, 4}, *result);
  }
  std::vector<Literal> arguments;
  arguments.push_back(x_.Clone());
  TF_ASSERT_OK_AND_ASSIGN(const Literal once,
                          test_runner().ExecuteWithExecutable(executable.get(), arguments));
  LiteralTestUtil::ExpectR1Equal<float>({2, 4}, once);
}

TEST_F(HloTestBaseTest, HloModuleFromXlaBuilder) {
  XlaBuilder builder(TestName());
  Neg(Parameter(&builder, 0, ShapeUtil::MakeShape(F32, {2, 3}), "x"));
  ExecutionOptions options = CreateDefaultExecutionOptions();
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  *options.mutable_shape_with_output_layout() = column_major.ToProto();
  options.set_seed(5);
  TF_ASSERT_OK_AND_ASSIGN(const auto module, HloModuleFromXlaBuilder(&builder, options));
  EXPECT_EQ(module->entry_computation_layout().result_shape(), column_major);
  EXPECT_EQ(module->config().seed(), 5);

  EXPECT_IS_NOT_OK(HloModuleFromXlaComputation(XlaComputation(), options));
  XlaBuilder broken("broken");
  Add(ConstantR0<float>(&broken, 1), ConstantR0<int32_t>(&broken, 1));
  EXPECT_IS_NOT_OK(HloModuleFromXlaBuilder(&broken, options));
}

TEST_F(HloTestBaseTest, Run) {
  EXPECT_TRUE(Run(kTwice));
  EXPECT_TRUE(Run(kTwice, /*run_hlo_passes=*/false, /*backend_config=*/nullptr,
                  /*use_random_data=*/false));
  EXPECT_TRUE(Run(Parse(kTwice), /*run_hlo_passes=*/true));
  int calls = 0;
  EXPECT_TRUE(Run(Parse(kTwice), true, [&](HloModule* module) { ++calls; }));
  EXPECT_EQ(calls, 1);
  WindowDimension config;
  config.set_size(3);
  EXPECT_TRUE(Run(kTwice, true, &config));

  EXPECT_THAT(Run(kBroken).message(), HasSubstr("f32[3]"));
  EXPECT_FALSE(Run("ENTRY"));
  EXPECT_FALSE(Run(kFails));
  EXPECT_FALSE(Run(Parse(kFails), true));
}

TEST_F(HloTestBaseTest, ExecuteReplicated) {
  EXPECT_GE(test_runner().device_count(), 2);
  const Literal ten = LiteralUtil::CreateR1<float>({10, 20});
  TF_ASSERT_OK_AND_ASSIGN(const std::vector<Literal> same,
                          ExecuteReplicated(Parse(kSumOfReplicas, 2), {&x_}, /*num_devices=*/2,
                                            /*use_threads=*/true));
  ASSERT_EQ(same.size(), 2);
  LiteralTestUtil::ExpectR1Equal<float>({2, 4}, same[0]);
  LiteralTestUtil::ExpectR1Equal<float>({2, 4}, same[1]);

  std::vector<std::vector<Literal*>> own = {{const_cast<Literal*>(&x_)},
                                            {const_cast<Literal*>(&ten)}};
  TF_ASSERT_OK_AND_ASSIGN(
      const std::vector<Literal> different,
      ExecuteReplicated(Parse(kSumOfReplicas, 2), own, 2, /*run_hlo_passes=*/true));
  LiteralTestUtil::ExpectR1Equal<float>({11, 22}, different[1]);
  EXPECT_IS_NOT_OK(ExecuteReplicated(Parse(kSumOfReplicas, 2), own, 3, /*run_hlo_passes=*/true));

  TF_ASSERT_OK_AND_ASSIGN(const auto executable, CreateExecutable(Parse(kSumOfReplicas, 2), true));
  TF_ASSERT_OK_AND_ASSIGN(
      const std::vector<Literal> provided,
      ExecuteReplicated([&](int64_t) { return executable.get(); }, [](int64_t) { return 1; },
                        [&](int64_t device, int64_t) { return device == 0 ? &x_ : &ten; },
                        /*num_devices=*/2, /*run_hlo_passes=*/true));
  LiteralTestUtil::ExpectR1Equal<float>({11, 22}, provided[0]);
}

TEST_F(HloTestBaseTest, ExecuteReplicatedOnPartitions) {
  DeviceAssignment assignment = GetDefaultDeviceAssignment(2, 2);
  TF_ASSERT_OK_AND_ASSIGN(
      const std::vector<Literal> assigned,
      ExecuteReplicated(Parse(kDeviceNumber, 2, 2), absl::Span<const Literal* const>(), 4,
                        &assignment, /*run_hlo_passes=*/true, /*use_threads=*/true));
  TF_ASSERT_OK_AND_ASSIGN(
      const std::vector<Literal> counted,
      ExecuteReplicated(Parse(kDeviceNumber, 2, 2), absl::Span<const Literal* const>(), 4,
                        /*use_threads=*/true));
  const uint32_t expected[] = {0, 1, 10, 11};
  for (int i = 0; i < 4; ++i) {
    LiteralTestUtil::ExpectR0Equal<uint32_t>(expected[i], assigned[i]);
    LiteralTestUtil::ExpectR0Equal<uint32_t>(expected[i], counted[i]);
  }
  // Nobody has said how many partitions there are.
  std::unique_ptr<HloModule> unknown = Parse(kTwice);
  unknown->mutable_config().set_num_partitions(0);
  EXPECT_IS_OK(ExecuteReplicated(std::move(unknown), {&x_}, 2, /*use_threads=*/true));
  // Three devices are no two replicas of two partitions.
  EXPECT_IS_NOT_OK(ExecuteReplicated(Parse(kDeviceNumber, 2, 2), absl::Span<const Literal* const>(),
                                     3, /*use_threads=*/true));
}

TEST_F(HloTestBaseTest, Runner) {
  HloRunnerInterface& runner = test_runner();
  EXPECT_FALSE(runner.Name().empty());
  EXPECT_TRUE(runner.HasProperty(HloRunnerPropertyTag::kCpu));
  EXPECT_FALSE(runner.HasProperty(HloRunnerPropertyTag::kUsingGpuCuda));
  EXPECT_FALSE(runner.HasProperty(HloRunnerPropertyTag::kUsingGpuRocm));
  TF_ASSERT_OK_AND_ASSIGN(const auto twice, CreateExecutable(Parse(kTwice), true));
  TF_ASSERT_OK_AND_ASSIGN(const auto again, CreateExecutable(Parse(kTwice), true));
  TF_ASSERT_OK_AND_ASSIGN(const auto square, CreateExecutable(Parse(kSquare), true));
  EXPECT_TRUE(runner.ExecutablesAreEquivalent(twice.get(), again.get()));
  EXPECT_FALSE(runner.ExecutablesAreEquivalent(twice.get(), square.get()));
  TF_ASSERT_OK_AND_ASSIGN(const HloModule* module, runner.HloModuleFromWrapped(square.get()));
  EXPECT_EQ(module->entry_computation()->root_instruction()->opcode(), HloOpcode::kMultiply);
  EXPECT_IS_NOT_OK(runner.HloModuleFromWrapped(nullptr));
  TF_ASSERT_OK_AND_ASSIGN(const DeviceAssignment assignment,
                          runner.GetDefaultDeviceAssignment(2, 3));
  EXPECT_EQ(assignment.DeviceId(1, 2), 5);
  EXPECT_IS_NOT_OK(runner.GetDefaultDeviceAssignment(0, 1));
  EXPECT_IS_OK(HloRunner::Create("interpreter"));
  EXPECT_IS_NOT_OK(HloRunner::Create("abacus"));

  HloRunnerInterface::ReplicatedExecuteOptions options;
  options.arguments = {&x_};
  TF_ASSERT_OK_AND_ASSIGN(const auto results, runner.ExecuteReplicated(Parse(kTwice), options));
  ASSERT_EQ(results.size(), 1);
  LiteralTestUtil::ExpectR1Equal<float>({2, 4}, results[0]);
}

TEST_F(HloTestBaseTest, InfeedsAreFed) {
  TF_ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnVerifiedModule(R"(
    ENTRY e {
      t = token[] after-all()
      first = (f32[2], token[]) infeed(t)
      x = f32[2] get-tuple-element(first), index=0
      u = token[] get-tuple-element(first), index=1
      second = (f32[2], token[]) infeed(u)
      y = f32[2] get-tuple-element(second), index=0
      o = token[] outfeed(y, u), outfeed_shape=f32[2]
      ROOT s = f32[2] add(x, y)
    })"));
  HloRunnerInterface::ReplicatedExecuteOptions options;
  options.infeed_values = {&x_};
  options.infeed_steps = 2;
  std::vector<Literal> outfeed;
  options.outfeed_values = &outfeed;
  TF_ASSERT_OK_AND_ASSIGN(const std::vector<Literal> results,
                          test_runner().ExecuteReplicated(std::move(module), options));
  LiteralTestUtil::ExpectR1Equal<float>({2, 4}, results[0]);
  ASSERT_EQ(outfeed.size(), 1);
  EXPECT_TRUE(LiteralTestUtil::Equal(x_, outfeed[0]));
}

TEST_F(HloTestBaseTest, InfeedsWithoutEnd) {
  TF_ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnVerifiedModule(R"(
    body {
      state = (s32[], f32[2], token[]) parameter(0)
      n = s32[] get-tuple-element(state), index=0
      sum = f32[2] get-tuple-element(state), index=1
      t = token[] get-tuple-element(state), index=2
      fed = (f32[2], token[]) infeed(t)
      x = f32[2] get-tuple-element(fed), index=0
      u = token[] get-tuple-element(fed), index=1
      one = s32[] constant(1)
      next = s32[] add(n, one)
      more = f32[2] add(sum, x)
      ROOT r = (s32[], f32[2], token[]) tuple(next, more, u)
    }
    condition {
      state = (s32[], f32[2], token[]) parameter(0)
      n = s32[] get-tuple-element(state), index=0
      many = s32[] constant(100)
      ROOT goes_on = pred[] compare(n, many), direction=LT
    }
    ENTRY e {
      zero = s32[] constant(0)
      none = f32[2] constant({0, 0})
      t = token[] after-all()
      state = (s32[], f32[2], token[]) tuple(zero, none, t)
      last = (s32[], f32[2], token[]) while(state), condition=condition, body=body
      ROOT sum = f32[2] get-tuple-element(last), index=1
    })"));
  HloRunnerInterface::ReplicatedExecuteOptions options;
  options.infeed_values = {&x_};
  ASSERT_LT(options.infeed_steps, 0);
  TF_ASSERT_OK_AND_ASSIGN(const std::vector<Literal> results,
                          test_runner().ExecuteReplicated(std::move(module), options));
  LiteralTestUtil::ExpectR1Equal<float>({100, 200}, results[0]);
}

TEST_F(HloTestBaseTest, ATupleFeedsSeveralInfeeds) {
  constexpr char kDifference[] = R"(
    ENTRY e {
      t = token[] after-all()
      first = (f32[2], token[]) infeed(t)
      x = f32[2] get-tuple-element(first), index=0
      u = token[] get-tuple-element(first), index=1
      second = (f32[2], token[]) infeed(u)
      y = f32[2] get-tuple-element(second), index=0
      ROOT d = f32[2] subtract(x, y)
    })";
  const Literal values =
      LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<float>({5, 7}), x_.Clone());
  HloRunnerInterface::ReplicatedExecuteOptions options;
  options.infeed_values = {&values};
  for (const int64_t steps : {1, -1}) {
    options.infeed_steps = steps;
    TF_ASSERT_OK_AND_ASSIGN(const std::vector<Literal> results,
                            test_runner().ExecuteReplicated(Parse(kDifference), options));
    LiteralTestUtil::ExpectR1Equal<float>({4, 5}, results[0]);
  }
}

// Numbers of several types in one operation, which the verifier of the fixture allows.
TEST_F(HloTestBaseTest, MixedPrecision) {
  const auto run = [&](const std::string& body) -> Literal {
    const std::string text = absl::StrCat(R"(
      add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
      short_add { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT c = bf16[] add(a, b) }
      mixed_add { a = bf16[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
      ENTRY e {
        c = pred[2] constant({true, false})
        h = bf16[2] constant({1, 2})
        s = f32[2] constant({0.001, 4})
        t = f32[2] constant({0.5, 4})
        zero = bf16[] constant(0)
        i = s32[] constant(1)
        ROOT r = )",
                                          body, "\n}");
    absl::StatusOr<std::unique_ptr<VerifiedHloModule>> module = ParseAndReturnVerifiedModule(text);
    EXPECT_IS_OK(module);
    if (!module.ok()) return Literal();
    EXPECT_TRUE(RunAndCompare((*module)->Clone(), {}, ErrorSpec{0})) << body;
    absl::StatusOr<Literal> result = Execute(*std::move(module), {});
    EXPECT_IS_OK(result);
    return result.ok() ? *std::move(result) : Literal();
  };
  LiteralTestUtil::ExpectR1Equal<float>({1.001f, 6}, run("f32[2] add(h, s)"));
  LiteralTestUtil::ExpectR1Equal<float>({1, 4}, run("f32[2] select(c, h, s)"));
  LiteralTestUtil::ExpectR1Equal<float>({1, 2, 0.001f, 4},
                                        run("f32[4] concatenate(h, s), dimensions={0}"));
  LiteralTestUtil::ExpectR1Equal<float>({0, 0.001f, 4}, run("f32[3] pad(s, zero), padding=1_0"));
  LiteralTestUtil::ExpectR0Equal<float>(4.001f,
                                        run("f32[] reduce(s, zero), dimensions={0}, to_apply=add"));
  // The sum becomes a bf16 on its way through the function.
  LiteralTestUtil::ExpectR0Equal<float>(
      4.5f, run("f32[] reduce(t, zero), dimensions={0}, to_apply=mixed_add"));
  LiteralTestUtil::ExpectR1Equal<float>(
      {0.001f, 4.001f},
      run("f32[2] reduce-window(s, zero), window={size=2 pad=1_0}, to_apply=add"));
  LiteralTestUtil::ExpectR1Equal<bfloat16>(
      {bfloat16(1), bfloat16(6)}, run("bf16[2] map(h, s), dimensions={0}, to_apply=short_add"));
  LiteralTestUtil::ExpectR1Equal<bfloat16>({bfloat16(0.001f), bfloat16(4)}, run("bf16[2] copy(s)"));
}

TEST_F(HloTestBaseTest, Seeds) {
  const char* text = R"(
    ENTRY e {
      a = f32[] constant(0)
      b = f32[] constant(1)
      ROOT r = f32[4] rng(a, b), distribution=rng_uniform
    })";
  const auto run = [&](uint64_t seed, int64_t devices) {
    HloModuleConfig config = GetModuleConfigForTest(/*replica_count=*/devices);
    config.set_seed(seed);
    auto module = ParseAndReturnVerifiedModule(text, config);
    EXPECT_IS_OK(module);
    HloRunnerInterface::ReplicatedExecuteOptions options;
    options.num_devices = devices;
    auto results = test_runner().ExecuteReplicated(*std::move(module), options);
    EXPECT_IS_OK(results);
    return *std::move(results);
  };
  // Without a seed each run has numbers of its own.
  EXPECT_FALSE(run(0, 1)[0] == run(0, 1)[0]);
  EXPECT_TRUE(run(7, 1)[0] == run(7, 1)[0]);
  EXPECT_FALSE(run(7, 1)[0] == run(8, 1)[0]);
  const std::vector<Literal> replicas = run(7, 2);
  EXPECT_FALSE(replicas[0] == replicas[1]);
}

TEST_F(HloTestBaseTest, OptimizedModules) {
  TF_ASSERT_OK_AND_ASSIGN(const auto module, GetOptimizedModule(kTwice));
  EXPECT_EQ(module->entry_computation()->num_parameters(), 1);
  TF_ASSERT_OK_AND_ASSIGN(const auto pair,
                          GetOptimizedModuleForExecutable(kTwice, GetModuleConfigForTest()));
  TF_ASSERT_OK_AND_ASSIGN(const Literal y,
                          test_runner().ExecuteWithExecutable(pair.second.get(), {&x_}));
  LiteralTestUtil::ExpectR1Equal<float>({2, 4}, y);
  EXPECT_IS_NOT_OK(GetOptimizedModule(kBroken));

  MatchOptimizedHlo(kTwice, "CHECK: %[[X:.*]] = f32[2]{0} parameter(0)");
  MatchOptimizedHlo(kTwice, "CHECK: (f32[2]{0} %", /*print_operand_shape=*/true);
  EXPECT_NONFATAL_FAILURE(MatchOptimizedHlo(kTwice, "CHECK: convolution"),
                          "does not have: convolution");
}

TEST_F(HloTestBaseTest, RunAndCompareTwoModules) {
  EXPECT_TRUE(RunAndCompareTwoModules(kTwice, kDouble, ErrorSpec(1e-6)));
  EXPECT_TRUE(RunAndCompareTwoModules(kTwice, kDouble, std::nullopt, /*run_hlo_passes=*/false,
                                      /*args_max_bits_of_precision=*/3));
  EXPECT_TRUE(RunAndCompareTwoModules(Parse(kTwice), Parse(kDouble), kDefaultErrorSpec));
  EXPECT_TRUE(RunAndCompareTwoModules(Parse(kTwice), Parse(kDouble), {&x_}, std::nullopt));
  EXPECT_TRUE(RunAndCompareTwoModules(kTwice, kDouble, {&x_}, std::nullopt));
  EXPECT_TRUE(RunAndCompareTwoModules(kTwice, kDouble, GetModuleConfigForTest(),
                                      GetModuleConfigForTest(), ErrorSpec(1e-6)));

  EXPECT_FALSE(RunAndCompareTwoModules(kTwice, kSquare, ErrorSpec(1e-6)));
  EXPECT_FALSE(RunAndCompareTwoModules(Parse(kTwice), Parse(kSquare), ErrorSpec(1e-6)));
  const auto differs = RunAndCompareTwoModules(Parse(kTwice), Parse(kSquare), {&x_}, std::nullopt);
  EXPECT_THAT(differs.message(), HasSubstr("at {0}: expected 2, actual 1"));
  EXPECT_FALSE(RunAndCompareTwoModules(kTwice, kSquare, {&x_}, ErrorSpec(0.5)));
  EXPECT_FALSE(RunAndCompareTwoModules(kTwice, kBroken, ErrorSpec(1e-6)));
  EXPECT_FALSE(RunAndCompareTwoModules(kBroken, kTwice, {&x_}, ErrorSpec(1e-6)));
}

TEST_F(HloTestBaseTest, HasAReference) {
  EXPECT_TRUE(RunAndCompare(kTwice, ErrorSpec{1e-5, 1e-5}));
  EXPECT_TRUE(RunAndCompareNoHloPasses(Parse(kTwice), {&x_}, std::nullopt));
  EXPECT_FALSE(RunAndCompare(kBroken, std::nullopt));
}

TEST_F(HloTestBaseTest, ExecuteAndTransfer) {
  LiteralTestUtil::ExpectR1Equal<float>({2, 4}, ExecuteAndTransfer(Parse(kTwice), {&x_}));
  LiteralTestUtil::ExpectR1Equal<float>({2, 4}, ExecuteNoHloPasses(Parse(kTwice), {&x_}));
  EXPECT_NONFATAL_FAILURE(ExecuteAndTransfer(Parse(kTwice), {}), "takes 1 arguments");
  EXPECT_NONFATAL_FAILURE(ExecuteNoHloPasses(Parse(kTwice), {}), "takes 1 arguments");
}

// A fixture that does not care for errors of a run.
class SwallowingTest : public HloRunnerAgnosticTestBase {
 protected:
  SwallowingTest() : HloRunnerAgnosticTestBase(std::make_unique<HloRunner>(), Options()) {}
  static HloRunnerAgnosticTestBaseOptions Options() {
    HloRunnerAgnosticTestBaseOptions options;
    options.swallow_execution_errors = true;
    return options;
  }
};

TEST_F(SwallowingTest, OnlyErrorsOfRunsAreSwallowed) {
  EXPECT_TRUE(swallow_execution_errors());
  EXPECT_TRUE(Run(kFails));
  EXPECT_FALSE(Run(kBroken));
  EXPECT_TRUE(RunAndCompareTwoModules(kFails, kFails, std::nullopt));
  EXPECT_FALSE(RunAndCompareTwoModules(kTwice, kSquare, std::nullopt));
}

// The constructors that tests use, and the older names.
class TestBaseOptionsTest : public HloPjRtTestBase {
 protected:
  TestBaseOptionsTest()
      : HloPjRtTestBase(HloPjRtTestBaseOptions{/*verifier_layout_sensitive=*/true,
                                               /*allow_mixed_precision_in_hlo_verifier=*/false,
                                               nullptr}) {}
};
TEST_F(TestBaseOptionsTest, ReachTheVerifier) {
  EXPECT_TRUE(verifier().layout_sensitive());
  EXPECT_FALSE(verifier().allow_mixed_precision());
  EXPECT_TRUE(Run(kTwice));
}

class OwnRunnerTest : public HloTestBase {
 protected:
  OwnRunnerTest() : HloTestBase(HloRunner::Create("interpreter").value()) {}
};
TEST_F(OwnRunnerTest, IsTheOneThatRuns) {
  EXPECT_EQ(test_runner().Name(), "interpreter");
  EXPECT_TRUE(Run(kTwice));
}

// Compiled by one runner, run by another one.
TEST_F(HloTestBaseTest, CompilesAndRunsInTwoPhases) {
  const std::string folder =
      tsl::io::JoinPath(tsl::testing::TmpDir(), absl::StrCat("hilo_phases_", getpid()));
  TF_ASSERT_OK(tsl::Env::Default()->CreateDir(folder));
  const auto client = [] { return GetGlobalPjRtClientTestFactory().Get()().value(); };
  const auto files = [&] {
    std::vector<std::string> names;
    TF_EXPECT_OK(tsl::Env::Default()->GetChildren(folder, &names));
    return names.size();
  };
  CompilePhaseHloRunner compiler(client(), folder);
  TF_ASSERT_OK(compiler.CreateExecutable(Parse(kTwice), true).status());
  EXPECT_EQ(files(), 1);
  TF_ASSERT_OK(compiler.CreateExecutable(Parse(kTwice), false).status());
  EXPECT_EQ(files(), 2);

  ExecutePhaseHloRunner runner(client(), folder, /*compile_if_not_found=*/false);
  TF_ASSERT_OK_AND_ASSIGN(const auto twice, runner.CreateExecutable(Parse(kTwice), true));
  TF_ASSERT_OK_AND_ASSIGN(const Literal result, runner.ExecuteWithExecutable(twice.get(), {&x_}));
  LiteralTestUtil::ExpectR1Equal<float>({2, 4}, result);
  EXPECT_EQ(runner.CreateExecutable(Parse(kTwice), true).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(runner.CreateExecutable(Parse(kSquare), true).status().code(),
            absl::StatusCode::kNotFound);
  ExecutePhaseHloRunner lenient(client(), folder, /*compile_if_not_found=*/true,
                                /*fail_duplicate_loads=*/false);
  TF_EXPECT_OK(lenient.CreateExecutable(Parse(kTwice), true).status());
  TF_EXPECT_OK(lenient.CreateExecutable(Parse(kTwice), true).status());
  TF_EXPECT_OK(lenient.CreateExecutable(Parse(kSquare), true).status());
  int64_t deleted_files = 0, deleted_folders = 0;
  TF_EXPECT_OK(tsl::Env::Default()->DeleteRecursively(folder, &deleted_files, &deleted_folders));
}

TEST_F(HloTestBaseTest, BufferAssignmentsChangeNothing) {
  const BufferAssignmentProto assignment;
  TF_ASSERT_OK_AND_ASSIGN(const Literal result, test_runner().ExecuteWithBufferAssignment(
                                                    Parse(kTwice), &assignment, {&x_}, true));
  LiteralTestUtil::ExpectR1Equal<float>({2, 4}, result);
  EXPECT_IS_NOT_OK(test_runner().DeserializeExecutable("nothing"));
}

}  // namespace
}  // namespace xla
