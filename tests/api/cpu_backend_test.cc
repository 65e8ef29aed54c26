// What lies between compiled code and whoever runs it: saved programs, the cache, buffers, threads.
#include "api/cpu_backend.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/memory.h"
#include "runtime/saved_program.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr char kProgram[] = R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = (f32[2,3]{0,1}, s32[]) parameter(0)
  y = f32[2,3] get-tuple-element(x), index=0
  k = f32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
  p = f32[2,3] power(y, k)
  r = f32[2,3] all-reduce(p), replica_groups={}, to_apply=add
  n = s32[] get-tuple-element(x), index=1
  ROOT t = (f32[2,3]{0,1}, s32[]) tuple(r, n)
})";

constexpr char kInPlace[] = R"(
HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[100] parameter(0)  ROOT r = f32[100] add(x, x) })";

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  return ParseAndReturnUnverifiedModule(text).value();
}

bool HasCompiler() {
  const absl::Status status = CpuBackend().Compile(Parse(kProgram)).status();
  return !absl::IsUnimplemented(status);
}

class CpuBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasCompiler()) GTEST_SKIP() << "Hilo was built without LLVM";
  }
};

Literal Argument() {
  return LiteralUtil::MakeTupleFromSlices(
      {LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}), LiteralUtil::CreateR0<int32_t>(7)});
}

Literal RunOnArgument(CompiledModule& program) {
  const Literal argument = Argument();
  return program.Run({&argument}).value();
}

Literal Expected() { return RunOnArgument(*CpuBackend().Compile(Parse(kProgram)).value()); }

TEST_F(CpuBackendTest, SavedProgramsGiveTheSame) {
  const std::string bytes = CompileToBytes(*Parse(kProgram)).value();
  const std::unique_ptr<CompiledModule> program = LoadFromBytes(bytes).value();
  EXPECT_EQ(RunOnArgument(*program), Expected());
  EXPECT_EQ(program->module().name(), "m");
  const Literal wrong = LiteralUtil::CreateR0<float>(1);
  EXPECT_THAT(std::string(program->Run({&wrong}).status().message()), HasSubstr("parameter 0"));
}

TEST_F(CpuBackendTest, TheSameProgramHasTheSameBytes) {
  constexpr char kFactors[] = R"(
HloModule m
ENTRY e {
  x = f32[30,30] parameter(0)
  ROOT r = f32[30,30] cholesky(x), lower=true,
    frontend_attributes={a="1",b="2",c="3",d="4",e="5",f="6",g="7",h="8"}
})";
  const std::string bytes = CompileToBytes(*Parse(kFactors)).value();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(bytes, CompileToBytes(*Parse(kFactors)).value());
}

std::unique_ptr<HloModule> ParseFor(absl::string_view text, const std::string& target) {
  std::unique_ptr<HloModule> module = Parse(text);
  DebugOptions& options = module->mutable_config().mutable_debug_options();
  (*options.mutable_xla_backend_extra_options())[codegen::kTargetOption] = target;
  return module;
}

TEST_F(CpuBackendTest, ProgramsForOtherMachinesAreRefused) {
  const auto bytes = CompileToBytes(*ParseFor(kProgram, "aarch64"));
  // An LLVM that is linked statically knows its own machine only.
  if (absl::IsUnimplemented(bytes.status())) GTEST_SKIP() << bytes.status();
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::Status refused = LoadFromBytes(*bytes).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("for target aarch64"));
  EXPECT_EQ(CpuBackend().Compile(ParseFor(kProgram, "aarch64")).status(), refused);
  EXPECT_THAT(std::string(CompileToBytes(*ParseFor(kProgram, "6502")).status().message()),
              HasSubstr("there is no target 6502"));
}

TEST_F(CpuBackendTest, ProgramsThatNeedMoreAreRefused) {
  runtime::ProgramImage image =
      runtime::RestoreProgram(CompileToBytes(*Parse(kProgram)).value()).value();
  EXPECT_EQ(image.target.name, "host");
  image.target.features.push_back("telepathy");
  const absl::Status refused = LoadFromBytes(runtime::SaveProgram(image)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("does not have telepathy"));
}

TEST_F(CpuBackendTest, ProgramsForLessRunWithTheKernelsOfLess) {
  const codegen::Target target = codegen::Target::Parse("x86-64-v2").value();
  if (!target.CheckRunsOn(codegen::Target::Host()).ok()) GTEST_SKIP() << "another machine";
  constexpr char kDot[] = R"(
HloModule m
ENTRY e {
  x = f32[40,50] parameter(0)
  ROOT r = f32[40,40] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
})";
  const std::string bytes = CompileToBytes(*ParseFor(kDot, "x86-64-v2")).value();
  const runtime::ProgramImage image = runtime::RestoreProgram(bytes).value();
  EXPECT_EQ(image.target, target);
  const Literal ones = LiteralUtil::CreateFullWithDescendingLayout<float>({40, 50}, 1);
  EXPECT_EQ(LoadFromBytes(bytes).value()->Run({&ones}).value(),
            LiteralUtil::CreateFullWithDescendingLayout<float>({40, 40}, 50));
}

TEST_F(CpuBackendTest, DamagedProgramsAreErrors) {
  const std::string bytes = CompileToBytes(*Parse(kProgram)).value();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    EXPECT_FALSE(LoadFromBytes(damaged).ok()) << "byte " << i;
    EXPECT_FALSE(LoadFromBytes(absl::string_view(bytes).substr(0, i)).ok()) << i << " bytes";
  }
  EXPECT_FALSE(LoadFromBytes(bytes + "x").ok());
  EXPECT_FALSE(LoadFromBytes("HloModule m").ok());
}

TEST_F(CpuBackendTest, CachedProgramsAreUsedAndDamagedOnesReplaced) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / absl::StrCat("hilo_cache_", getpid());
  SetCacheDirectory(folder.string());
  const Literal expected = Expected();
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Expected(), expected);

  std::string bytes;
  const auto read = [&] {
    std::ifstream file(files[0], std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  };
  bytes = read();
  for (const std::string& foreign :
       {bytes.substr(0, bytes.size() / 2), std::string("other"),
        CompileToBytes(*Parse("HloModule m ENTRY e { ROOT x = f32[] parameter(0) }")).value()}) {
    std::ofstream(files[0], std::ios::binary) << foreign;
    EXPECT_EQ(Expected(), expected);
    EXPECT_EQ(read().size(), bytes.size());
  }
  SetCacheDirectory("");
  std::filesystem::remove_all(folder);
}

// Runs kInPlace on 100 ones, with its result in memory of its own or in theirs.
struct RunOfOnes {
  explicit RunOfOnes(bool is_in_place) {
    std::fill(argument, argument + 100, 1.0f);
    const std::unique_ptr<CompiledModule> program = CpuBackend().Compile(Parse(kInPlace)).value();
    EXPECT_TRUE(program->interface().aliases.at(0).is_in_place);
    status = program->RunOnMemory({argument}, {is_in_place ? argument : result}, RunContext());
  }
  alignas(runtime::kAlignment) float argument[100];
  alignas(runtime::kAlignment) float result[100] = {};
  absl::Status status;
};

TEST_F(CpuBackendTest, ResultsMayLieInArguments) {
  const RunOfOnes run(/*is_in_place=*/true);
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_EQ(run.argument[99], 2);
}

TEST_F(CpuBackendTest, WhatIsLentStaysAsItIs) {
  const RunOfOnes run(/*is_in_place=*/false);
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_EQ(run.argument[99], 1);
  EXPECT_EQ(run.result[99], 2);
}

TEST_F(CpuBackendTest, TheLocalClientLoadsSavedPrograms) {
  LocalClient* const client = ClientLibrary::LocalClientOrDie();
  const std::string bytes = CompileToBytes(*Parse(kInPlace)).value();
  const std::unique_ptr<LocalExecutable> executable =
      client->Load(bytes, ExecutableBuildOptions()).value();
  const Literal ones = LiteralUtil::CreateFullWithDescendingLayout<float>({100}, 1);
  EXPECT_EQ(executable->Run({&ones}).value(),
            LiteralUtil::CreateFullWithDescendingLayout<float>({100}, 2));
  EXPECT_FALSE(client->Load("nonsense", ExecutableBuildOptions()).ok());
  EXPECT_FALSE(client->Load(bytes, ExecutableBuildOptions().set_device_ordinal(1000)).ok());
}

TEST_F(CpuBackendTest, TooMuchMemoryIsAnError) {
  const auto program =
      CpuBackend().Compile(Parse("HloModule m ENTRY e { x = f32[] parameter(0)  ROOT r = "
                                 "f32[1000000,1000000] broadcast(x), dimensions={} }"));
  const Literal one = LiteralUtil::CreateR0<float>(1);
  const absl::Status status = program.ok() ? (*program)->Run({&one}).status() : program.status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

// Each selection has two ways to the one before, which nobody follows to their end.
TEST_F(CpuBackendTest, SelectionsOfSmallFloatsThatDouble) {
  std::string text = R"(
HloModule m
ENTRY e {
  p = pred[4096] parameter(0)
  q = pred[4096] parameter(1)
  x = f8e4m3fn[4096] parameter(2)
  y = f8e4m3fn[4096] add(x, x)
  z0 = f8e4m3fn[4096] multiply(y, y)
)";
  constexpr int kSteps = 100;
  for (int i = 0; i < kSteps; ++i) {
    const char *inner = i % 2 == 0 ? "q" : "p", *outer = i % 2 == 0 ? "p" : "q";
    absl::StrAppend(&text, "  y", i, " = f8e4m3fn[4096] select(", inner, ", z", i, ", y)\n");
    absl::StrAppend(&text, i + 1 == kSteps ? "  ROOT z" : "  z", i + 1, " = f8e4m3fn[4096] select(",
                    outer, ", z", i, ", y", i, ")\n");
  }
  const auto program = CpuBackend().Compile(Parse(absl::StrCat(text, "}")));
  ASSERT_TRUE(program.ok()) << program.status();
  const Literal off = LiteralUtil::CreateFullWithDescendingLayout<bool>({4096}, false);
  const Literal on = LiteralUtil::CreateFullWithDescendingLayout<bool>({4096}, true);
  using F8 = tsl::float8_e4m3fn;
  const Literal three = LiteralUtil::CreateFullWithDescendingLayout<F8>({4096}, F8(3));
  const auto run = [&](const Literal& p, const Literal& q) {
    return static_cast<float>((*program)->Run({&p, &q, &three}).value().Get<F8>({4095}));
  };
  EXPECT_EQ(run(on, on), 36);
  EXPECT_EQ(run(off, off), 6);
}

// Kernels have so many operations at most. Where one is full before a broadcast that it can have
// for itself, what that broadcasts is computed for it all the same.
TEST_F(CpuBackendTest, KernelsThatAreFullBeforeABroadcast) {
  for (int sums = 252; sums < 258; ++sums) {
    std::string text = R"(
HloModule m
ENTRY e {
  x = f32[100] parameter(0)
  y = f32[100] parameter(1)
  s = f32[1] slice(x), slice={[11:12]}
  q = f32[] reshape(s)
  b = f32[100] broadcast(q), dimensions={}
  v0 = f32[100] multiply(b, y)
)";
    for (int i = 1; i <= sums; ++i)
      absl::StrAppend(&text, "  v", i, " = f32[100] add(v", i - 1, ", y)\n");
    absl::StrAppend(&text, "  ROOT r = f32[100] negate(v", sums, ")\n}");
    const auto program = CpuBackend().Compile(Parse(text));
    ASSERT_TRUE(program.ok()) << sums << ": " << program.status();
    const Literal twos = LiteralUtil::CreateFullWithDescendingLayout<float>({100}, 2);
    const Literal ones = LiteralUtil::CreateFullWithDescendingLayout<float>({100}, 1);
    EXPECT_EQ((*program)->Run({&twos, &ones}).value().Get<float>({99}), -(2.0f + sums));
  }
}

// For each operation of a long chain, what is done must not grow with the chain: this would take
// minutes.
TEST_F(CpuBackendTest, LongChains) {
  constexpr int kLength = 40000;
  std::string sums = "HloModule m ENTRY e { x = f32[4] parameter(0)  v0 = f32[4] negate(x)\n";
  std::string transposes =
      "HloModule m ENTRY e { x = f32[2,2] parameter(0)  v0 = f32[2,2] negate(x)\n";
  for (int i = 1; i <= kLength; ++i) {
    absl::StrAppend(&sums, i == kLength ? "ROOT v" : "v", i, " = f32[4] add(v", i - 1, ", x)\n");
    absl::StrAppend(&transposes, "w", i, " = f32[2,2] add(v", i - 1, ", x)\n",
                    i == kLength ? "ROOT v" : "v", i, " = f32[2,2] transpose(w", i,
                    "), dimensions={1,0}\n");
  }
  const Literal row = LiteralUtil::CreateR1<float>({1, 2, 3, 4});
  const Literal square = LiteralUtil::CreateR2<float>({{1, 2}, {2, 4}});
  EXPECT_EQ(CpuBackend().Compile(Parse(sums + "}")).value()->Run({&row}).value().Get<float>({3}),
            4.0f * (kLength - 1));
  EXPECT_EQ(CpuBackend()
                .Compile(Parse(transposes + "}"))
                .value()
                ->Run({&square})
                .value()
                .Get<float>({0, 1}),
            2.0f * (kLength - 1));
}

TEST_F(CpuBackendTest, ManyThreadsCompileAndRun) {
  const Literal expected = Expected();
  const std::unique_ptr<CompiledModule> shared = CpuBackend().Compile(Parse(kProgram)).value();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(Expected(), expected);
        EXPECT_EQ(RunOnArgument(*shared), expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(CpuBackendTest, PrecisionInExcessIsAnOption) {
  constexpr char kRoundedTwice[] = R"(
HloModule m
ENTRY e {
  x = bf16[100] iota(), iota_dimension=0
  third = bf16[] constant(0.333984375)
  t = bf16[100] broadcast(third), dimensions={}
  y = bf16[100] multiply(x, t)
  ROOT z = bf16[100] add(y, t)
})";
  const auto last_number = [&](bool allow_excess_precision) {
    std::unique_ptr<HloModule> module = Parse(kRoundedTwice);
    module->mutable_config().mutable_debug_options().set_xla_allow_excess_precision(
        allow_excess_precision);
    const Literal result = CpuBackend().Compile(std::move(module)).value()->Run({}).value();
    return static_cast<float>(result.Get<bfloat16>({99}));
  };
  EXPECT_EQ(last_number(false), 33.25f);
  EXPECT_EQ(last_number(true), 33.5f);
}

TEST_F(CpuBackendTest, OperationsThatOnlyPassesCanWriteNeedThem) {
  const auto compile = [](absl::string_view text, bool passes) {
    std::unique_ptr<HloModule> module = Parse(text);
    module->mutable_config().mutable_debug_options().set_xla_disable_all_hlo_passes(!passes);
    return CpuBackend().Compile(std::move(module)).status();
  };
  constexpr absl::string_view kSize =
      "ENTRY e { x = f32[<=3] parameter(0)  ROOT r = s32[] get-dimension-size(x), dimensions={0} }";
  EXPECT_TRUE(compile(kSize, true).ok());
  const absl::Status status = compile(kSize, false);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("GetDimensionSize should be rewritten for CPU"));
  EXPECT_TRUE(compile(kProgram, false).ok());
}

}  // namespace
}  // namespace xla
