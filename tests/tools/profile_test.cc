// What is measured of programs that are compiled to be profiled: which steps have names, how often
// each ran, how times add up. How long anything takes is for no test to say.
#include "tools/profile.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/cpu_backend.h"
#include "codegen/program/passes.h"
#include "codegen/program/plan.h"
#include "cpu/compiler.h"
#include "cpu/passes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "runtime/profile.h"
#include "tools/fake_inputs.h"
#include "tools/files.h"
#include "tools/repeated_run.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

// A loop of 20 trips with a product and a sine in each, one in registers whose trips depend on an
// argument, and a conditional.
constexpr char kProgram[] = R"(HloModule profiled
goes_on {
  s = (s32[], f32[256,256]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(20)
  ROOT c = pred[] compare(i, n), direction=LT
}
step {
  s = (s32[], f32[256,256]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[256,256] get-tuple-element(s), index=1
  xx = f32[256,256] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_type="dot" source_file="model.py" source_line=7}
  t = f32[256,256] transpose(xx), dimensions={1,0}
  y = f32[256,256] sine(t), metadata={op_type="sin" source_file="model.py" source_line=8}
  ROOT r = (s32[], f32[256,256]) tuple(next, y)
}
goes_on_here {
  s = (s32[], s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ROOT c = pred[] compare(i, n), direction=LT
}
small_step {
  s = (s32[], s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[] get-tuple-element(s), index=2
  y = f32[] cosine(x)
  ROOT r = (s32[], s32[], f32[]) tuple(next, n, y)
}
exponential { x = f32[256,256] parameter(0)  ROOT y = f32[256,256] exponential(x) }
tanh { x = f32[256,256] parameter(0)  ROOT y = f32[256,256] tanh(x) }
ENTRY e {
  x = f32[256,256] parameter(0)
  n = s32[] parameter(1)
  zero = s32[] constant(0)
  s = (s32[], f32[256,256]) tuple(zero, x)
  loop = (s32[], f32[256,256]) while(s), condition=goes_on, body=step
  y = f32[256,256] get-tuple-element(loop), index=1
  which = pred[] compare(n, zero), direction=GT
  z = f32[256,256] conditional(which, y, y), true_computation=exponential, false_computation=tanh
  half = f32[] constant(0.5)
  t = (s32[], s32[], f32[]) tuple(zero, n, half)
  small = (s32[], s32[], f32[]) while(t), condition=goes_on_here, body=small_step
  last = f32[] get-tuple-element(small), index=2
  ROOT all = (f32[256,256], f32[]) tuple(z, last)
})";

class ProfileTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!cpu::CanCompile()) GTEST_SKIP() << "there is no compiler";
  }

  static std::unique_ptr<CompiledModule> Compiled(const std::string& how) {
    std::unique_ptr<HloModule> module = ParseAndReturnUnverifiedModule(kProgram).value();
    if (!how.empty()) SetProfile(*module, how);
    return CpuBackend().Compile(std::move(module)).value();
  }

  // Measured once.
  static const Profile& Measured(const std::string& how) {
    static auto* const measured = new std::map<std::string, Profile>();
    const auto found = measured->find(how);
    if (found != measured->end()) return found->second;
    const std::unique_ptr<CompiledModule> normal = Compiled(""), profiled = Compiled(how);
    std::vector<Literal> inputs = MakeFakeInputs(normal->module()).value();
    inputs[1] = LiteralUtil::CreateR0<int32_t>(700);
    RepeatedRun run = RepeatedRun::Make(*normal, std::move(inputs)).value();
    return (*measured)[how] =
               MeasureProfile(run, *profiled, {.seconds = 0.05, .wants_events = true}).value();
  }

  static const ProfileEntry* Find(const Profile& profile, absl::string_view name) {
    for (const ProfileEntry& entry : profile.entries) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }

  static std::string Read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
};

void ExpectTimesAddUp(const Profile& profile) {
  std::vector<double> inside(profile.entries.size());
  double outermost = 0;
  for (size_t i = 0; i < profile.entries.size(); ++i) {
    const ProfileEntry& entry = profile.entries[i];
    ASSERT_LT(entry.parent, static_cast<int64_t>(i));
    (entry.parent < 0 ? outermost : inside[entry.parent]) += entry.nanoseconds;
  }
  for (size_t i = 0; i < profile.entries.size(); ++i)
    EXPECT_LE(inside[i], profile.entries[i].nanoseconds * (1 + 1e-9)) << profile.entries[i].name;
  EXPECT_NEAR(outermost, profile.named_nanoseconds, 1e-6 * outermost);
  EXPECT_LE(profile.named_nanoseconds, profile.nanoseconds);
}

TEST_F(ProfileTest, TimesAddUp) {
  ExpectTimesAddUp(Measured("regions"));
  ExpectTimesAddUp(Measured("steps"));
}

TEST_F(ProfileTest, StepsOfALoopAreCalledInEachTrip) {
  const Profile& profile = Measured("regions");
  const ProfileEntry* loop = Find(profile, "loop");
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->kind, "while");
  EXPECT_EQ(loop->calls, 1);
  // Two trips may be unrolled to one.
  EXPECT_TRUE(loop->trips == 20 || loop->trips == 10) << loop->trips;
  int64_t products = 0;
  for (const ProfileEntry& entry : profile.entries) {
    if (entry.parent < 0 || &profile.entries[entry.parent] != loop || entry.kind == "copy")
      continue;
    EXPECT_EQ(entry.calls, loop->trips) << entry.name;
    if (entry.kind == "call") products += entry.calls;
    EXPECT_THAT(entry.sources, Contains(MatchesRegex("model.py:[78]"))) << entry.name;
  }
  EXPECT_EQ(products, 20);
}

// Nothing is timed in it, but its trips are counted.
TEST_F(ProfileTest, TripsOfALoopInRegisters) {
  const Profile& profile = Measured("regions");
  const ProfileEntry* loop = Find(profile, "small");
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->calls, 1);
  EXPECT_EQ(loop->trips, 700);
  EXPECT_EQ(loop->nanoseconds, loop->own_nanoseconds);
  EXPECT_EQ(loop->limit, "arithmetic");
  EXPECT_EQ(loop->bytes, 0);
  EXPECT_GT(loop->flops, 700 * 2);
}

TEST_F(ProfileTest, OneBranchOfAConditionalRuns) {
  const Profile& profile = Measured("regions");
  const ProfileEntry* conditional = Find(profile, "z");
  ASSERT_NE(conditional, nullptr);
  EXPECT_EQ(conditional->kind, "conditional");
  std::vector<int64_t> calls;
  for (const ProfileEntry& entry : profile.entries) {
    if (entry.parent >= 0 && &profile.entries[entry.parent] == conditional)
      calls.push_back(entry.calls);
  }
  EXPECT_THAT(calls, ElementsAre(1, 0));
}

TEST_F(ProfileTest, WorkOfAProduct) {
  const Profile& profile = Measured("steps");
  for (const ProfileEntry& entry : profile.entries) {
    if (entry.kind != "call") continue;
    EXPECT_NEAR(entry.flops / static_cast<double>(entry.calls), 2.0 * 256 * 256 * 256,
                300 * 256 * 256);
    EXPECT_EQ(entry.bytes / static_cast<double>(entry.calls) / (4 * 256 * 256),
              std::round(entry.bytes / static_cast<double>(entry.calls) / (4 * 256 * 256)));
    return;
  }
  FAIL() << "no product";
}

TEST_F(ProfileTest, EveryStepHasAName) {
  for (const char* how : {"regions", "steps"}) {
    const std::unique_ptr<CompiledModule> compiled = Compiled(how);
    std::set<std::string> named;
    for (const runtime::Region& region : compiled->regions())
      named.insert(region.instructions.begin(), region.instructions.end());
    const std::unique_ptr<HloModule> module = ParseAndReturnUnverifiedModule(kProgram).value();
    ASSERT_TRUE(passes::Run(cpu::CompilerPasses(), *module).ok());
    const program::Plan plan = program::MakePlan(*module, codegen::Target::Host()).value();
    program::ForEachStep(plan.entry, [&](const program::Step& step) {
      if (step.kind == program::Step::Kind::kReturn) return;
      EXPECT_THAT(named, Contains(std::string(step.instruction->name()))) << how;
    });
  }
}

TEST_F(ProfileTest, AProgramThatIsNotProfiledHasNoRegions) {
  const std::unique_ptr<CompiledModule> normal = Compiled("");
  EXPECT_TRUE(normal->regions().empty());
  RepeatedRun run = RepeatedRun::Make(*normal, MakeFakeInputs(normal->module()).value()).value();
  EXPECT_THAT(MeasureProfile(run, *normal, {}).status().message(), HasSubstr("can be timed"));
}

TEST_F(ProfileTest, OtherWaysToProfileAreRefused) {
  for (const char* how : {"twice", "regions:", "regions:0", "regions:-3", "regions:2x"}) {
    std::unique_ptr<HloModule> module = ParseAndReturnUnverifiedModule(kProgram).value();
    SetProfile(*module, how);
    EXPECT_THAT(CpuBackend().Compile(std::move(module)).status().message(),
                HasSubstr(absl::StrCat("\"", how, "\", not \"regions\"")));
  }
}

TEST_F(ProfileTest, LongerRegionsAreFewer) {
  const size_t regions = Compiled("regions")->regions().size();
  EXPECT_EQ(Compiled("regions:1")->regions().size(), regions);
  const std::unique_ptr<CompiledModule> longer = Compiled("regions:1000000");
  EXPECT_LT(longer->regions().size(), regions);
  EXPECT_FALSE(longer->regions().empty());
}

// Regions become longer until that costs little, or no more can be done.
TEST_F(ProfileTest, ProfilesAreCheap) {
  const std::unique_ptr<CompiledModule> normal = Compiled("");
  RepeatedRun run = RepeatedRun::Make(*normal, MakeFakeInputs(normal->module()).value()).value();
  std::vector<std::string> asked;
  const absl::StatusOr<Profile> profile = MeasureCheapProfile(
      run,
      [&](const std::string& how) -> absl::StatusOr<std::unique_ptr<CompiledModule>> {
        asked.push_back(how);
        return Compiled(how);
      },
      {.seconds = 0.05});
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(asked[0], "regions");
  EXPECT_TRUE(profile->overhead <= 0.05 || asked.back() == "regions:4096");
}

// Results are the same, and the regions of a saved program are.
TEST_F(ProfileTest, ASavedProgramKeepsItsRegions) {
  std::unique_ptr<HloModule> module = ParseAndReturnUnverifiedModule(kProgram).value();
  SetProfile(*module, "regions");
  const std::unique_ptr<CompiledModule> loaded =
      LoadFromBytes(CompileToBytes(*module).value()).value();
  const std::unique_ptr<CompiledModule> profiled = Compiled("regions"), normal = Compiled("");
  ASSERT_EQ(loaded->regions().size(), profiled->regions().size());
  for (size_t i = 0; i < loaded->regions().size(); ++i) {
    const runtime::Region &x = loaded->regions()[i], &y = profiled->regions()[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.sources, y.sources);
    EXPECT_EQ(x.parent, y.parent);
    EXPECT_EQ(x.per_call.flops, y.per_call.flops);
  }
  const std::vector<Literal> inputs = MakeFakeInputs(normal->module()).value();
  const std::vector<const Literal*> arguments = {&inputs[0], &inputs[1]};
  EXPECT_EQ(loaded->Run(arguments).value(), normal->Run(arguments).value());
}

// Neither is taken for the other.
TEST_F(ProfileTest, TheCacheKeepsNoProgramThatIsProfiled) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / absl::StrCat("hilo_profile_test_", getpid());
  SetCacheDirectory(folder);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(Compiled("")->regions().empty());
    const std::unique_ptr<CompiledModule> profiled = Compiled("regions");
    EXPECT_FALSE(profiled->regions().empty());
    EXPECT_FALSE(profiled->traits().is_from_cache);
  }
  SetCacheDirectory("");
  std::filesystem::remove_all(folder);
}

TEST_F(ProfileTest, Json) {
  const Profile& profile = Measured("regions");
  const nlohmann::json json = nlohmann::json::parse(ProfileJson(profile));
  EXPECT_EQ(json["module"], "profiled");
  for (const char* figure : {"nanoseconds", "named_nanoseconds", "least_nanoseconds",
                             "normal_nanoseconds", "bytes_per_second", "flops_per_second"})
    EXPECT_GT(json[figure].get<double>(), 0) << figure;
  ASSERT_EQ(json["entries"].size(), profile.entries.size());
  for (size_t i = 0; i < profile.entries.size(); ++i) {
    const nlohmann::json& entry = json["entries"][i];
    EXPECT_EQ(entry["name"], profile.entries[i].name);
    EXPECT_EQ(entry["parent"], profile.entries[i].parent);
    EXPECT_EQ(entry["calls"], profile.entries[i].calls);
    EXPECT_EQ(entry["instructions"].size(), profile.entries[i].instructions.size());
  }
}

TEST_F(ProfileTest, TraceHasTheTripsOfALoopInside) {
  const Profile& profile = Measured("regions");
  const nlohmann::json trace = nlohmann::json::parse(ProfileTrace(profile));
  double begin = -1, end = -1;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    ASSERT_TRUE(event["ph"] == "X" || event["ph"] == "M");
    ASSERT_TRUE(event.contains("name") && event.contains("pid") && event.contains("tid"));
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["ts"].get<double>(), 0);
    EXPECT_GE(event["dur"].get<double>(), 0);
    if (event["name"] != "loop") continue;
    begin = event["ts"].get<double>();
    end = begin + event["dur"].get<double>();
  }
  ASSERT_GE(begin, 0);
  int64_t calls = 0;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || event["cat"] != "call" || event["tid"] != 0) continue;
    ++calls;
    EXPECT_GE(event["ts"].get<double>(), begin - 0.01);
    EXPECT_LE(event["ts"].get<double>() + event["dur"].get<double>(), end + 0.01);
  }
  EXPECT_EQ(calls, 20);
}

TEST_F(ProfileTest, TableNamesSteps) {
  const Profile& profile = Measured("regions");
  const std::string table = ProfileTable(profile, /*has_all=*/true);
  for (const ProfileEntry& entry : profile.entries) EXPECT_THAT(table, HasSubstr(entry.name));
  EXPECT_THAT(table, HasSubstr("model.py:7"));
  EXPECT_THAT(table, HasSubstr("steps make"));
}

// What a ring keeps is the end.
TEST(RecordingTest, KeepsTheLastEvents) {
  runtime::Recording recording(1, 4);
  recording.Begin();
  for (int i = 0; i < 10; ++i) recording.Stamp(0, i);
  uint64_t begin = 0;
  const auto events = recording.Events(&begin);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_LE(begin, events[0].end);
  EXPECT_EQ(recording.counts()[0].calls, 10);
  EXPECT_EQ(recording.counts()[0].trips, 45);
}

// ---- The command

struct CommandResult {
  int exit_code;
  std::string output;
};

CommandResult Shell(const std::string& command) {
  FILE* pipe = popen(absl::StrCat(command, " 2>&1").c_str(), "r");
  CommandResult result;
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    result.output.append(buffer, count);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

class ProfileCommandTest : public ProfileTest {
 protected:
  void SetUp() override {
    ProfileTest::SetUp();
    folder_ = std::filesystem::temp_directory_path() /
              absl::StrCat("hilo_profile_command_test_", getpid());
    std::filesystem::create_directories(folder_);
    module_ = folder_ / "m.hlo";
    std::ofstream(module_) << kProgram;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  std::string module_;
};

TEST_F(ProfileCommandTest, WritesWhatIsWanted) {
  const std::string json = folder_ / "p.json", trace = folder_ / "t.json";
  const CommandResult result = Shell(absl::StrCat(
      HILO_COMMAND, " profile ", module_, " --seconds 0.05 --json ", json, " --trace ", trace));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("profiled on "));
  EXPECT_FALSE(nlohmann::json::parse(Read(json))["entries"].empty());
  EXPECT_FALSE(nlohmann::json::parse(Read(trace))["traceEvents"].empty());
  EXPECT_EQ(
      Shell(absl::StrCat(HILO_COMMAND, " profile - --each-step --all --seconds 0.05 < ", module_))
          .exit_code,
      0);
}

TEST_F(ProfileCommandTest, BenchProfilesAsWell) {
  const CommandResult result =
      Shell(absl::StrCat(HILO_COMMAND, " bench ", module_, " --seconds 0.05 --profile --json"));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_FALSE(nlohmann::json::parse(result.output)["profile"]["entries"].empty());
}

TEST_F(ProfileCommandTest, SavedProgramsAreRefused) {
  const std::string saved = folder_ / "m.hilo";
  ASSERT_EQ(Shell(absl::StrCat(HILO_COMMAND, " compile ", module_, " -o ", saved)).exit_code, 0);
  const CommandResult result = Shell(absl::StrCat(HILO_COMMAND, " profile ", saved));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.output, HasSubstr("saved program"));
}

}  // namespace
}  // namespace xla
