// The page of `hilo explain --html`: what stands in its data, and that nothing in a module gets out
// of it.
#include "tools/explain_page.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "api/cpu_backend.h"
#include "cpu/compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// A loop, a kernel in it, and a reduction.
constexpr char kProgram[] = R"(
HloModule program
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
goes_on {
  s = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(50)
  ROOT c = pred[] compare(i, n), direction=LT
}
step {
  s = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[1000] get-tuple-element(s), index=1
  y = f32[1000] sine(x), metadata={op_name="main/layer/sin" source_file="model.py" source_line=7}
  z = f32[1000] reverse(y), dimensions={0}
  ROOT t = (s32[], f32[1000]) tuple(next, z)
}
ENTRY e {
  x = f32[1000] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[1000]) tuple(zero, x)
  w = (s32[], f32[1000]) while(s), condition=goes_on, body=step
  y = f32[1000] get-tuple-element(w), index=1
  z = f32[] constant(0)
  ROOT r = f32[] reduce(y, z), dimensions={0}, to_apply=sum
})";

class ExplainPageTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!cpu::CanCompile()) GTEST_SKIP() << "there is no compiler";
  }

  static cpu::CompileReport ReportOf(const std::string& text) {
    const std::unique_ptr<HloModule> module = ParseAndReturnUnverifiedModule(text).value();
    // Instructions whose names texts leave out stand in the page as well.
    module->mutable_config().mutable_debug_options().set_xla_dump_compact_gte(false);
    cpu::CompileReport report;
    report.wants_data = report.wants_texts = true;
    const absl::Status status = CompileToBytes(*module, &report).status();
    EXPECT_TRUE(status.ok()) << status;
    return report;
  }

  // The module behind all passes.
  static std::string OutputOf(const cpu::CompileReport& report) {
    std::string text = report.input;
    for (const cpu::CompileReport::Stage& stage : report.stages)
      if (stage.changed) text = stage.text;
    return text;
  }

  static std::string PageOf(const std::string& text, const std::string& profile = "") {
    return ExplainPage(ReportOf(text), profile).value();
  }

  // As a browser finds it: up to the first end of a script.
  static json DataOf(const std::string& page) {
    const std::string begin = "id=\"data\">";
    const size_t at = page.find(begin) + begin.size();
    return json::parse(page.substr(at, page.find("</script", at) - at));
  }
};

int CountOf(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

TEST_F(ExplainPageTest, EachInstructionStandsInItOnce) {
  const cpu::CompileReport report = ReportOf(kProgram);
  const json data = DataOf(ExplainPage(report, "").value());
  std::multiset<std::string> wanted, found;
  for (absl::string_view line : absl::StrSplit(OutputOf(report), '\n')) {
    absl::ConsumePrefix(&line, "  ROOT");
    line = absl::StripLeadingAsciiWhitespace(line);
    if (absl::ConsumePrefix(&line, "%") && absl::StrContains(line, " = "))
      wanted.insert(std::string(line.substr(0, line.find(' '))));
  }
  for (const json& each : data["instructions"]) found.insert(each["name"]);
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(data["computations"][0]["name"], "e");
}

TEST_F(ExplainPageTest, InstructionsKnowWhereTheyComeFrom) {
  const json data = DataOf(PageOf(kProgram));
  const auto text = [&](const json& number) { return data["texts"][number.get<int>()]; };
  int sines = 0;
  for (const json& each : data["instructions"]) {
    if (text(each["opcode"]) != "sine") continue;
    ++sines;
    EXPECT_EQ(text(each["source"]), "model.py:7");
    EXPECT_EQ(text(each["scope"]), "main/layer/sin");
    EXPECT_EQ(text(each["shape"]), "f32[1000]");
    EXPECT_EQ(text(each["layout"]), "{0}");
    EXPECT_THAT(each["text"], HasSubstr(" sine("));
  }
  EXPECT_GE(sines, 1);
}

TEST_F(ExplainPageTest, StepsAndLinesBelongTogether) {
  const json data = DataOf(PageOf(kProgram));
  bool has_launch = false;
  for (const json& line : data["lines"]) {
    const std::string text = line[2];
    if (text.find(" = while ") != std::string::npos)
      EXPECT_EQ(data["steps"][line[1].get<int>()]["kind"], "while");
    if (text.find(" = launch kernel ") == std::string::npos) continue;
    has_launch = true;
    const json& step = data["steps"][line[1].get<int>()];
    EXPECT_EQ(step["kind"], "launch");
    const std::string name = data["instructions"][step["instruction"].get<int>()]["name"];
    EXPECT_EQ(text.substr(0, name.size()), name);
    EXPECT_THAT(data["kernels"][step["kernel"].get<int>()]["loops"], HasSubstr("kernel over ["));
  }
  EXPECT_TRUE(has_launch);
}

// The first product is alive until the third, which is the result and lies elsewhere.
TEST_F(ExplainPageTest, MemoryInUse) {
  const json memory = DataOf(PageOf(R"(
HloModule m
ENTRY e {
  x = f32[100,100] parameter(0)
  a = f32[100,100] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[100,100] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT c = f32[100,100] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"))["memory"];
  std::vector<int64_t> bytes;
  for (const json& use : memory["uses"]) bytes.push_back(use[1]);
  EXPECT_EQ(bytes, (std::vector<int64_t>{0, 40000, 80000, 0}));
  EXPECT_EQ(memory["places"]["parameter"], 40000);
}

TEST_F(ExplainPageTest, ThePeakIsThatOfThePlan) {
  const cpu::CompileReport report = ReportOf(kProgram);
  const json memory = DataOf(ExplainPage(report, "").value())["memory"];
  int64_t most = 0;
  for (const json& use : memory["uses"]) {
    EXPECT_LE(use[1], use[2]);
    most = std::max(most, use[2].get<int64_t>());
  }
  EXPECT_GT(most, 0);
  EXPECT_EQ(most, report.arena_bytes);
  EXPECT_EQ(memory["arena"], report.arena_bytes);
}

TEST_F(ExplainPageTest, WhyProducersAreApart) {
  const json data = DataOf(PageOf(R"(
HloModule m
ENTRY e {
  x = f32[1000] parameter(0)
  y = f32[300,1000] parameter(1)
  a = f32[1000] sine(x)
  b = f32[300,1000] broadcast(a), dimensions={1}
  ROOT r = f32[300,1000] multiply(b, y)
})"));
  std::vector<std::string> reasons;
  for (const json& step : data["steps"])
    for (const json& apart : step.value("apart", json::array())) reasons.push_back(apart["why"]);
  EXPECT_THAT(reasons,
              testing::ElementsAre("broadcast reads elements of it repeatedly, or few of them"));
}

TEST_F(ExplainPageTest, TextsOfAModuleCannotEndTheScript) {
  const std::string plain = PageOf(R"(
HloModule m
ENTRY e { x = f32[3] parameter(0)  ROOT s = f32[3] sine(x) })");
  const std::string name = R"(</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)>)";
  const std::string hostile =
      PageOf(absl::StrCat(R"(
HloModule m
ENTRY e { x = f32[3] parameter(0)
  ROOT s = f32[3] sine(x), metadata={op_name=")",
                          name, R"(" source_file="a/* data */)", name, "\" source_line=1}\n}"));
  for (const char* part : {"</script", "<script", "<!--", "<img"})
    EXPECT_EQ(CountOf(hostile, part), CountOf(plain, part)) << part;
  const json texts = DataOf(hostile)["texts"];
  EXPECT_EQ(std::count(texts.begin(), texts.end(), name), 1);
  EXPECT_EQ(std::count(texts.begin(), texts.end(), absl::StrCat("a/* data */", name, ":1")), 1);
}

TEST_F(ExplainPageTest, BytesThatAreNoText) {
  cpu::CompileReport report = ReportOf(R"(
HloModule m
ENTRY e { x = f32[3] parameter(0)  ROOT s = f32[3] sine(x) })");
  report.data->module = "m\xff\xfe";
  EXPECT_EQ(DataOf(ExplainPage(report, "").value())["module"], "m\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_F(ExplainPageTest, NothingIsLoaded) {
  const std::string page = PageOf(kProgram);
  for (const char* part : {"http:", "https:", " src=", "<link", "url(", "@import", "fetch(",
                           "XMLHttpRequest", "innerHTML", "import("})
    EXPECT_THAT(page, Not(HasSubstr(part)));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST_F(ExplainPageTest, Profiles) {
  const json data = DataOf(PageOf(kProgram, R"({"entries": [{"name": "</script>"}]})"));
  EXPECT_EQ(data["profile"]["entries"][0]["name"], "</script>");
  EXPECT_FALSE(DataOf(PageOf(kProgram)).contains("profile"));
  EXPECT_EQ(ExplainPage(ReportOf(kProgram), "{").status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace xla
