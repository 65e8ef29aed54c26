// The commands as a user calls them: what they print and their exit codes.
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct CommandResult {
  int exit_code;
  std::string output;  // standard output and error
};

class CommandTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              absl::StrCat("hilo_command_test_", getpid(), "_",
                           testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& contents) {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << contents;
    return path;
  }

  // Runs `hilo` with the arguments, where @ stands for the test's folder.
  CommandResult Hilo(const std::string& arguments) {
    const std::string command = absl::StrCat(
        HILO_COMMAND, " ", absl::StrReplaceAll(arguments, {{"@", folder_.string()}}), " 2>&1");
    FILE* pipe = popen(command.c_str(), "r");
    CommandResult result;
    char buffer[4096];
    for (size_t count; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
      result.output.append(buffer, count);
    }
    const int status = pclose(pipe);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
  }

  std::filesystem::path folder_;
};

constexpr char kAddOne[] =
    "HloModule add_one\nENTRY e {\n  x = f32[3]{0} parameter(0)\n  one = f32[] constant(1)\n"
    "  ones = f32[3]{0} broadcast(one), dimensions={}\n  ROOT sum = f32[3]{0} add(x, ones)\n}\n";

TEST_F(CommandTest, RunsOnLiterals) {
  Write("m.hlo", kAddOne);
  Write("in.lit", "f32[3] {1, 2, 3}\n");
  const CommandResult result = Hilo("run @/m.hlo --input @/in.lit");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(result.output, "f32[3] {2, 3, 4}\n");
}

TEST_F(CommandTest, RunsOnWhatItWrote) {
  Write("m.hlo", kAddOne);
  Write("in.lit", "f32[3] {1, 2, 3}\n");
  EXPECT_EQ(Hilo("run @/m.hlo --input @/in.lit --output-dir @/out").exit_code, 0);
  EXPECT_EQ(Hilo("run @/m.hlo --input @/out/output.0.npy").output, "f32[3] {3, 4, 5}\n");
}

TEST_F(CommandTest, ComparesWithExpectation) {
  Write("m.hlo", kAddOne);
  Write("in.lit", "f32[3] {1, 2, 3}\n");
  Write("right.lit", "f32[3] {2, 3, 4}\n");
  Write("wrong.lit", "f32[3] {2, 3, 5}\n");
  EXPECT_EQ(Hilo("run @/m.hlo --input @/in.lit --expect @/right.lit").exit_code, 0);
  const CommandResult result = Hilo("run @/m.hlo --input @/in.lit --expect @/wrong.lit");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("output 0"));
}

TEST_F(CommandTest, ReadsStandardInputAndProto) {
  Write("m.hlo", kAddOne);
  EXPECT_EQ(Hilo("print - < @/m.hlo").exit_code, 0);
  EXPECT_EQ(Hilo("print --proto @/m.hlo > @/m.pb").exit_code, 0);
  EXPECT_EQ(Hilo("print @/m.pb").output, Hilo("print @/m.hlo").output);
}

constexpr char kStablehloAddOne[] =
    "// What JAX and others write.\n"
    "module @add_one {\n"
    "  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
    "    %ones = stablehlo.constant dense<1.0> : tensor<3xf32>\n"
    "    %sum = stablehlo.add %x, %ones : tensor<3xf32>\n"
    "    return %sum : tensor<3xf32>\n"
    "  }\n"
    "}\n";

TEST_F(CommandTest, TakesStablehlo) {
  Write("m.mlir", kStablehloAddOne);
  Write("in.lit", "f32[3] {1, 2, 3}\n");
  EXPECT_EQ(Hilo("run @/m.mlir --input @/in.lit").output, "f32[3] {2, 3, 4}\n");
  EXPECT_THAT(Hilo("print @/m.mlir").output, HasSubstr("HloModule add_one"));
  EXPECT_EQ(Hilo("verify @/m.mlir").exit_code, 0);
  EXPECT_EQ(Hilo("bench @/m.mlir --seconds 0.01").exit_code, 0);
}

TEST_F(CommandTest, PrintsStablehlo) {
  Write("m.mlir", kStablehloAddOne);
  const CommandResult printed = Hilo("print --stablehlo - < @/m.mlir");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_THAT(printed.output, HasSubstr("stablehlo.add %arg0, %0 : tensor<3xf32>"));
  Write("again.mlir", printed.output);
  EXPECT_EQ(Hilo("print --stablehlo @/again.mlir").output, printed.output);
  EXPECT_EQ(Hilo("print @/again.mlir").output, Hilo("print @/m.mlir").output);
  Write("m.hlo", kAddOne);
  const CommandResult hlo = Hilo("print --stablehlo @/m.hlo");
  EXPECT_EQ(hlo.exit_code, 0);
  EXPECT_THAT(hlo.output, HasSubstr("= stablehlo.add "));
  Write("wrong.hlo", "HloModule m\nENTRY e { p = f32[2] parameter(0)  ROOT x = f32[3] abs(p) }\n");
  const CommandResult wrong = Hilo("print --stablehlo @/wrong.hlo");
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.output, HasSubstr("wrong.hlo"));
  EXPECT_EQ(Hilo("print --stablehlo --proto @/m.mlir").exit_code, 2);
}

TEST_F(CommandTest, ErrorsInStablehloNameThePlace) {
  Write("bad.mlir", "func.func @main() {\n  %0 = stablehlo.abs %x : tensor<f32>\n  return\n}\n");
  const CommandResult result = Hilo("run @/bad.mlir");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.output, HasSubstr("bad.mlir"));
  EXPECT_THAT(result.output, HasSubstr("2:22: error: %x is not defined"));
  EXPECT_THAT(Hilo("print --stablehlo @/bad.mlir").output, HasSubstr("bad.mlir"));
}

TEST_F(CommandTest, ExitCodes) {
  Write("m.hlo", kAddOne);
  Write("bad.hlo", "HloModule m\nENTRY e { ROOT x = f32[3] add() }\n");
  Write("rules.hlo",
        "HloModule m\nENTRY e { a = f32[3] parameter(0)  b = f32[2] parameter(1)  ROOT x = f32[3] "
        "add(a, b) }\n");
  Write("in.lit", "f32[2] {1, 2}\n");
  EXPECT_EQ(Hilo("").exit_code, 2);
  EXPECT_EQ(Hilo("run").exit_code, 2);
  EXPECT_EQ(Hilo("run @/m.hlo --backend nosuch").exit_code, 2);
  EXPECT_EQ(Hilo("run @/missing.hlo").exit_code, 3);
  EXPECT_EQ(Hilo("print @/bad.hlo").exit_code, 3);
  EXPECT_EQ(Hilo("verify @/rules.hlo").exit_code, 3);
  EXPECT_EQ(Hilo("run @/m.hlo").exit_code, 3) << "no inputs";
  EXPECT_EQ(Hilo("run @/m.hlo --input @/in.lit").exit_code, 3) << "wrong shape";
  EXPECT_EQ(Hilo("verify @/m.hlo").exit_code, 0);
}

TEST_F(CommandTest, HelpAndVersion) {
  EXPECT_THAT(Hilo("--version").output, HasSubstr("hilo "));
  for (const char* subcommand : {"run", "print", "verify", "check", "bench"}) {
    const CommandResult result = Hilo(absl::StrCat(subcommand, " --help"));
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.output, HasSubstr(subcommand));
  }
}

TEST_F(CommandTest, BenchPrintsOneLineOfJson) {
  Write("m.hlo", kAddOne);
  const CommandResult result = Hilo("bench @/m.hlo --json --seconds 0.01");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  for (const char* key :
       {"module", "parse_ms", "compile_ms", "run_ms", "run_ms_min", "runs", "peak_rss_mb"}) {
    EXPECT_THAT(result.output, HasSubstr(absl::StrCat("\"", key, "\":")));
  }
}

TEST_F(CommandTest, BenchTakesInputs) {
  Write("m.hlo", kAddOne);
  Write("in.lit", "f32[3] {1, 2, 3}\n");
  const CommandResult result = Hilo("bench @/m.hlo --json --seconds 0.01 --input @/in.lit");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("\"run_ms\":"));
  Write("in.lit", "f32[4] {1, 2, 3, 4}\n");
  EXPECT_EQ(Hilo("bench @/m.hlo --seconds 0.01 --input @/in.lit").exit_code, 3);
}

TEST_F(CommandTest, LongResultsAreShortened) {
  Write("m.hlo", "HloModule m\nENTRY e { ROOT i = s32[100]{0} iota(), iota_dimension=0 }\n");
  EXPECT_EQ(Hilo("run @/m.hlo").output, "s32[100] {0, 1, 2, ..., 97, 98, 99}\n");
  EXPECT_THAT(Hilo("run @/m.hlo --full").output, HasSubstr("50, 51, 52"));
}

TEST_F(CommandTest, RandomModules) {
  const CommandResult tried = Hilo("random --modules 5 --size 8 --seed 3 --list");
  EXPECT_EQ(tried.exit_code, 0) << tried.output;
  EXPECT_THAT(tried.output, HasSubstr("5 modules, "));
  EXPECT_THAT(tried.output, HasSubstr(" parameter\n"));
  const CommandResult printed = Hilo("random --modules 1 --seed 3 --print");
  EXPECT_EQ(printed.exit_code, 0) << printed.output;
  EXPECT_THAT(printed.output, HasSubstr("HloModule random3"));
}

TEST_F(CommandTest, ComparesBackEnds) {
  Write("m.hlo", kAddOne);
  EXPECT_EQ(Hilo("compare @/m.hlo --backend interpreter --runs 3").output, "the same\n");
  Write(
      "scheduled.hlo",
      "HloModule m, is_scheduled=true ENTRY e { x = f32[4] parameter(0) ROOT y = f32[4] sine(x) }");
  Write("several.hlo", absl::StrCat(kAddOne, "\n// -----\n", kAddOne,
                                    "\n// -----\nENTRY e { ROOT x "
                                    "= f32[2] add(), sharding={} } // error: add\n"));
  EXPECT_EQ(Hilo("compare @/m.hlo @/scheduled.hlo @/several.hlo --backend interpreter --devices 2 "
                 "--random-shardings --fake-inputs")
                .output,
            "4 modules: 4 agree, 0 differ, 0 were not compared\n");
  const CommandResult random =
      Hilo("random --modules 50 --size 6 --backend interpreter --against interpreter");
  EXPECT_EQ(random.exit_code, 0) << random.output;
  EXPECT_THAT(random.output, HasSubstr("50 modules: "));
  EXPECT_THAT(random.output, HasSubstr(" 0 differ, 0 have operations without code"));
  const CommandResult divided = Hilo(
      "random --modules 20 --size 6 --backend interpreter --against interpreter --devices 2 "
      "--print");
  EXPECT_EQ(divided.exit_code, 0) << divided.output;
  EXPECT_THAT(divided.output, HasSubstr("sharding={devices=["));
  EXPECT_THAT(divided.output, HasSubstr(" 0 differ, 0 have operations without code"));
}

TEST_F(CommandTest, ReducesModules) {
  Write("m.hlo", R"(
body {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[8] get-tuple-element(p), index=1
  y = f32[8] exponential(x)
  ROOT t = (s32[], f32[8]) tuple(next, y)
}
condition {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant(5)
  ROOT c = pred[] compare(i, limit), direction=LT
}
ENTRY e {
  a = f32[8] parameter(0)
  b = f32[8] negate(a)
  zero = s32[] constant(0)
  t = (s32[], f32[8]) tuple(zero, b)
  w = (s32[], f32[8]) while(t), condition=condition, body=body
  x = f32[8] get-tuple-element(w), index=1
  ROOT r = (f32[8], f32[8]) tuple(x, b)
})");
  const CommandResult found =
      Hilo("reduce @/m.hlo --command 'grep -q exponential {}' --exit-code 0 -o @/small.hlo");
  EXPECT_EQ(found.exit_code, 0) << found.output;
  EXPECT_THAT(found.output, HasSubstr("2 instructions of 18 are left"));
  EXPECT_EQ(Hilo("verify @/small.hlo").exit_code, 0);
  EXPECT_THAT(Hilo("print @/small.hlo").output, HasSubstr("exponential("));
  const CommandResult nothing = Hilo("reduce @/m.hlo --command 'grep -q exponential {}'");
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_THAT(nothing.output, HasSubstr("not interesting"));
}

TEST_F(CommandTest, CompilesForOtherMachines) {
  Write("m.hlo", kAddOne);
  const CommandResult compiled = Hilo("compile @/m.hlo --target aarch64 -o @/m.hilo");
  if (compiled.output.find("without LLVM") != std::string::npos) GTEST_SKIP();
  if (compiled.output.find("LLVM generates no code for target") != std::string::npos)
    GTEST_SKIP() << compiled.output;  // linked statically, for its own machine
  EXPECT_EQ(compiled.exit_code, 0) << compiled.output;
  const CommandResult found = Hilo("run @/m.hilo --fake-inputs");
  EXPECT_EQ(found.exit_code, 3);
  EXPECT_THAT(found.output, HasSubstr("the program is for target aarch64"));
  EXPECT_EQ(Hilo("run @/m.hlo --fake-inputs --backend cpu --target aarch64").output, found.output);
  EXPECT_EQ(Hilo("bench @/m.hlo --backend cpu --target aarch64").output, found.output);
  EXPECT_EQ(Hilo("check @/m.hlo --target aarch64").exit_code, 4);
  EXPECT_EQ(Hilo("compile @/m.hlo --target pdp-11").exit_code, 2);
}

TEST_F(CommandTest, ExplainsWhatItCompiles) {
  Write("n.hlo", R"(
HloModule n
f {
  p = f32[1000] parameter(0)
  ROOT n = f32[1000] negate(p)
}
ENTRY e {
  x = f32[1000] parameter(0)
  y = f32[1000] exponential(x), metadata={source_file="model.py" source_line=12}
  z = f32[1000] call(y), to_apply=f
  ROOT r = f32[1000] add(y, z)
})");
  const CommandResult found = Hilo("compile @/n.hlo --explain --dump-to @/dump");
  if (found.exit_code != 0 && found.output.find("without LLVM") != std::string::npos) GTEST_SKIP();
  EXPECT_EQ(found.exit_code, 0) << found.output;
  EXPECT_THAT(found.output, HasSubstr("kernel of add, exponential, negate"));
  EXPECT_THAT(found.output, HasSubstr("from model.py:12\n"));
  EXPECT_THAT(found.output, HasSubstr("is the size of the arena"));
  EXPECT_THAT(found.output, HasSubstr("generate code"));
  for (const char* file :
       {"n.00.input.hlo", "n.output.hlo", "n.loops.txt", "n.ll", "n.o", "n.plan.txt"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "dump" / file)) << file;
  EXPECT_THAT(Hilo("compile @/n.hlo --dump-after inline-calls").output, HasSubstr("negate(%y)"));
  EXPECT_EQ(Hilo("compile @/n.hlo --dump-after no-such-pass").exit_code, 2);
}

TEST_F(CommandTest, PrintsPlansBehindPasses) {
  Write("m.hlo", R"(
HloModule m
ENTRY e {
  x = f32[1000] parameter(0)
  ROOT y = f32[1000] sine(x)
})");
  const CommandResult found = Hilo("opt @/m.hlo --to=program");
  if (found.exit_code != 0 && found.output.find("with LLVM") != std::string::npos) GTEST_SKIP();
  EXPECT_THAT(found.output, HasSubstr("program of m\n  x: f32[1000] parameter 0"));
  EXPECT_THAT(found.output, HasSubstr("fusion = launch kernel 0(x)\n"));
  EXPECT_THAT(Hilo("opt @/m.hlo --to=steps").output, HasSubstr("fusion = launch(x)\n"));
  EXPECT_THAT(Hilo("opt @/m.hlo --to=vectorize").output, HasSubstr("vector d0 in [0, 1000)"));
  const CommandResult wrong = Hilo("opt @/m.hlo --to=sideways");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.output, HasSubstr("no pass over programs or loops is called \"sideways\""));
}

TEST_F(CommandTest, HeedsFlagsOfXla) {
  Write("m.hlo", kAddOne);
  const CommandResult optimized = Hilo("opt @/m.hlo --to=program");
  if (optimized.exit_code != 0 && optimized.output.find("with LLVM") != std::string::npos)
    GTEST_SKIP();
  EXPECT_THAT(optimized.output, Not(HasSubstr("cold entry\n")));
  setenv("XLA_FLAGS", "--xla_backend_optimization_level=0", /*replace=*/1);
  EXPECT_THAT(Hilo("opt @/m.hlo --to=program").output, HasSubstr("cold entry\n"));
  EXPECT_THAT(Hilo("run @/m.hlo --fake-inputs").output, HasSubstr("f32[3]"));
  unsetenv("XLA_FLAGS");
}

// Of each array that a loop hands on unchanged, and of operands of a concatenation that are
// computed for it alone, there is one.
TEST_F(CommandTest, WhatLoopsAndConcatenationsHandOnIsNotCopied) {
  std::string module = R"(
goes_on {
  s = (s32[], f32[1000], f32[50]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}
step {
  s = (s32[], f32[1000], f32[50]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  weights = f32[1000] get-tuple-element(s), index=1
  x = f32[50] get-tuple-element(s), index=2
  some = f32[50] dynamic-slice(weights, i), dynamic_slice_sizes={50}
  y = f32[50] add(x, some)
  ROOT t = (s32[], f32[1000], f32[50]) tuple(next, weights, y)
}
ENTRY e {
  weights = f32[1000] parameter(0)
  x = f32[50] parameter(1)
  zero = s32[] constant(0)
  t = (s32[], f32[1000], f32[50]) tuple(zero, weights, x)
  w = (s32[], f32[1000], f32[50]) while(t), condition=goes_on, body=step
  y = f32[50] get-tuple-element(w), index=2
  same = f32[1000] get-tuple-element(w), index=1
)";
  std::string parts;
  for (int i = 0; i < 10; ++i) {
    absl::StrAppend(&module, "  part", i, " = f32[100] slice(same), slice={[", 10 * i, ":",
                    10 * i + 100, "]}\n  p", i, " = f32[100] sine(part", i, ")\n");
    absl::StrAppend(&parts, parts.empty() ? "" : ", ", "p", i);
  }
  absl::StrAppend(&module, "  all = f32[1000] concatenate(", parts,
                  "), dimensions={0}\n  ROOT r = (f32[50], f32[1000]) tuple(y, all)\n}\n");
  Write("m.hlo", module);
  const CommandResult found = Hilo("compile @/m.hlo --explain");
  if (found.exit_code != 0 && found.output.find("without LLVM") != std::string::npos) GTEST_SKIP();
  EXPECT_EQ(found.exit_code, 0) << found.output;
  EXPECT_THAT(found.output,
              testing::ContainsRegex("\n +[0-9][0-9]?[0-9]?  is the size of the arena"))
      << found.output;
  EXPECT_THAT(found.output, HasSubstr("result 1 + 400 "));
}

TEST_F(CommandTest, ExplainsOnAPage) {
  Write("m.hlo", kAddOne);
  Write("p.json", "no JSON");
  const CommandResult text = Hilo("explain @/m.hlo");
  if (text.output.find("without LLVM") != std::string::npos) GTEST_SKIP();
  EXPECT_THAT(text.output, HasSubstr("program of add_one\n"));
  const CommandResult result = Hilo("explain @/m.hlo --html @/m.html");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(result.output, "");
  std::ifstream page(folder_ / "m.html");
  std::string first;
  std::getline(page, first);
  EXPECT_EQ(first, "<!doctype html>");
  EXPECT_EQ(Hilo("explain @/m.hlo --html @/m.html --profile @/none.json").exit_code, 3);
  EXPECT_EQ(Hilo("explain @/m.hlo --html @/m.html --profile @/p.json").exit_code, 3);
  EXPECT_EQ(Hilo("explain @/m.hlo --html @/none/m.html").exit_code, 4);
  EXPECT_EQ(Hilo("explain @/m.hlo --profile @/p.json").exit_code, 2);
}

// The process that says its number becomes the command.
TEST_F(CommandTest, PerfFindsFunctions) {
  const std::string module = Write("m.hlo", R"(HloModule named
ENTRY e {
  x = f32[1000] parameter(0)
  ROOT y = f32[1000] sine(x)
})");
  FILE* pipe = popen(absl::StrCat("sh -c 'echo $$; HILO_PERF=map exec ", HILO_COMMAND,
                                  " run --backend cpu --fake-inputs ", module, " 2>&1'")
                         .c_str(),
                     "r");
  std::string output;
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    output.append(buffer, count);
  if (pclose(pipe) != 0 && output.find("without LLVM") != std::string::npos) GTEST_SKIP();
  const std::string path = absl::StrCat("/tmp/perf-", output.substr(0, output.find('\n')), ".map");
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  std::filesystem::remove(path);
  EXPECT_THAT(lines, testing::Each(testing::MatchesRegex("[0-9a-f]+ [0-9a-f]+ named:[^ ]+")));
  EXPECT_THAT(lines, testing::Contains(testing::HasSubstr(" named:hilo_entry")));
  EXPECT_THAT(lines, testing::Contains(testing::HasSubstr(" named:kernel_0")));
}

constexpr char kDividedProduct[] =
    "HloModule product\nENTRY e {\n"
    "  x = f32[8,64] parameter(0), sharding={devices=[1,4]<=[4]}\n"
    "  w = f32[64,8] parameter(1), sharding={devices=[4,1]<=[4]}\n"
    "  ROOT y = f32[8,8] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";

TEST_F(CommandTest, PartitionsModules) {
  Write("m.hlo", kDividedProduct);
  const CommandResult result = Hilo("partition @/m.hlo --mesh 4");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("x = f32[8,16]{1,0} parameter(0)"));
  EXPECT_THAT(result.output, HasSubstr("y = f32[8,8]{1,0} dot("));
  EXPECT_THAT(result.output, HasSubstr("all-reduce(%y)"));
}

// Of an input that devices hold summands of, one gets all; a result is given as their sum.
TEST_F(CommandTest, SummandsOfInputsAndResultsAddUp) {
  Write("m.hlo",
        "HloModule m\nENTRY e {\n"
        "  x = s32[8,64] parameter(0), sharding={mesh['x'=2,'y'=2] [{'x'},{}], unreduced={'y'}}\n"
        "  w = s32[64,8] parameter(1), sharding={mesh['x'=2,'y'=2] [{'y'},{}]}\n"
        "  v = s32[8,64] copy(x), sharding={mesh['x'=2,'y'=2] [{},{'y'}]}\n"
        "  ROOT y = s32[8,8] dot(v, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
        "sharding={mesh['x'=2,'y'=2] [{},{}], unreduced={'y'}}\n}\n");
  const CommandResult result =
      Hilo("compare @/m.hlo --devices 4 --backend interpreter --against interpreter");
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST_F(CommandTest, ExplainsWhatDevicesSend) {
  std::string divided = kDividedProduct;
  divided.replace(divided.find('\n'), 1, ", num_partitions=4\n");
  Write("m.hlo", divided);
  const CommandResult opt = Hilo("opt @/m.hlo --passes=propagate-shardings,partition --explain");
  EXPECT_EQ(opt.exit_code, 0) << opt.output;
  EXPECT_THAT(opt.output, HasSubstr("all-reduce of y for the result"));
  Write("divided.hlo", Hilo("opt @/m.hlo --passes=partition").output);
  const CommandResult compiled = Hilo("compile @/divided.hlo --explain");
  EXPECT_THAT(compiled.output, HasSubstr("what devices send each other"));
  EXPECT_THAT(compiled.output, HasSubstr("all-reduce of y"));
}

TEST_F(CommandTest, EstimatesPartitions) {
  Write("m.hlo", kDividedProduct);
  const CommandResult result =
      Hilo("partition @/m.hlo --mesh 2x2 --estimate --flops 0.001 --algorithm ring");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  // 256 bytes, of which three quarters are sent twice.
  EXPECT_THAT(result.output,
              HasSubstr("384 B         6        4  ring   all-reduce of y for the result"));
  EXPECT_THAT(result.output, HasSubstr("The cheapest of"));
  const CommandResult json = Hilo("partition @/m.hlo --mesh 2x2 --estimate --tries 0 --json");
  EXPECT_THAT(json.output, HasSubstr("\"operation\": \"all-reduce\""));
  EXPECT_THAT(json.output, HasSubstr("\"messages\": 2.0"));
}

TEST_F(CommandTest, RefusesMeshes) {
  Write("m.hlo", kDividedProduct);
  EXPECT_EQ(Hilo("partition @/m.hlo").exit_code, 2);
  EXPECT_EQ(Hilo("partition @/m.hlo --mesh 2x").exit_code, 2);
  EXPECT_EQ(Hilo("partition @/m.hlo --mesh 4097").exit_code, 2);
  const CommandResult result = Hilo("partition @/m.hlo --mesh 3");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.output, HasSubstr("is for 4 devices, but the program has 3 partitions"));
}

}  // namespace
}  // namespace xla
