// Text that wants to do harm: it may be refused or read, but nothing else may happen.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/text/modules.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

// What was read must print, and read again.
void Try(absl::string_view text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok()) {
    EXPECT_FALSE(module.status().message().empty());
    return;
  }
  const std::string printed = (*module)->ToString(
      HloPrintOptions::Default().set_print_large_constants(text.size() < 10000));
  EXPECT_FALSE(printed.empty());
}

std::string Repeat(absl::string_view piece, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) absl::StrAppend(&result, piece);
  return result;
}

class HostileTest : public testing::TestWithParam<NamedText> {};

TEST_P(HostileTest, TruncatedAtEveryByte) {
  const absl::string_view text = GetParam().text;
  for (size_t length = 0; length < text.size(); ++length) Try(std::string(text.substr(0, length)));
}

TEST_P(HostileTest, BytesFlipped) {
  std::mt19937 random(1);
  const absl::string_view text = GetParam().text;
  for (int round = 0; round < 2000; ++round) {
    std::string damaged(text);
    for (int i = 0; i < 1 + round % 3; ++i) {
      char& c = damaged[random() % damaged.size()];
      c = round % 2 == 0 ? static_cast<char>(random())
                         : "{}()[],=:#%\"'-0123456789.xe<*?"[random() % 30];
    }
    Try(damaged);
  }
}

TEST_P(HostileTest, PiecesRemoved) {
  std::mt19937 random(2);
  const absl::string_view text = GetParam().text;
  for (int round = 0; round < 1000; ++round) {
    const size_t begin = random() % text.size();
    const size_t length = random() % 40;
    Try(absl::StrCat(text.substr(0, begin), text.substr(std::min(text.size(), begin + length))));
  }
}

INSTANTIATE_TEST_SUITE_P(Modules, HostileTest, testing::ValuesIn(TestModules()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HostileTest, DeepNesting) {
  constexpr int kDepth = 100000;
  const auto entry = [](absl::string_view body) { return absl::StrCat("ENTRY e { ", body, " }"); };
  for (const std::string& text : {
           entry(absl::StrCat("x = ", Repeat("(", kDepth))),
           entry(absl::StrCat("x = ", Repeat("(", kDepth), Repeat(")", kDepth), " parameter(0)")),
           entry(absl::StrCat("x = f32[] parameter(0) y = ", Repeat("negate(", kDepth), "x")),
           entry(absl::StrCat("x = f32[] constant(", Repeat("{", kDepth))),
           entry(
               absl::StrCat("x = f32[", Repeat("1,", kDepth), "1] constant(", Repeat("{", kDepth))),
           entry(absl::StrCat("x = ", Repeat("b(", kDepth), "f32[]")),
           entry(absl::StrCat("x = () tuple(), origin={", Repeat("(", kDepth))),
           entry(absl::StrCat("x = () tuple(), sharding=", Repeat("{", kDepth))),
           entry(absl::StrCat("x = () tuple(), backend_config=", Repeat("{", kDepth))),
           entry(Repeat("x = f32[] call(), to_apply={ ", kDepth)),
           absl::StrCat("f32[] add(", Repeat("f32[] add(", kDepth)),
       }) {
    EXPECT_FALSE(ParseAndReturnUnverifiedModule(text).ok()) << text.substr(0, 60);
  }
}

TEST(HostileTest, NestingWithinTheLimit) {
  constexpr int kDepth = 400;
  EXPECT_TRUE(ParseAndReturnUnverifiedModule(
                  absl::StrCat("ENTRY e { x = f32[] parameter(0) ROOT y = f32[] ",
                               Repeat("negate(", kDepth), "x", Repeat(")", kDepth), " }"))
                  .ok());
  HloParserOptions options;
  options.set_max_recursion_depth(10);
  EXPECT_FALSE(
      ParseAndReturnUnverifiedModule("ENTRY e { x = ((((((((((((())))))))))))) parameter(0) }",
                                     HloModuleConfig(), options)
          .ok());
}

TEST(HostileTest, HugeNumbers) {
  const auto entry = [](absl::string_view body) { return absl::StrCat("ENTRY e { ", body, " }"); };
  for (const std::string& text : {
           entry("x = f32[9223372036854775807] parameter(0)"),
           entry("x = f32[4294967296,4294967296] parameter(0)"),
           entry("x = f32[0,9223372036854775807,9223372036854775807] parameter(0)"),
           entry("x = f32[] parameter(9223372036854775807)"),
           entry("x = f32[1000000000000] constant({...})"),
           entry("x = f32[100000000000] constant({1,2})"),
           entry("x = f32[2]{99999999999} parameter(0)"),
           entry("x = (f32[]) parameter(0) y = f32[] get-tuple-element(x), "
                 "index=9223372036854775807"),
           entry("x = f32[] parameter(0), "
                 "sharding={devices=[1000000000,1000000000]<=[1000000000000000000]}"),
           entry("x = f32[] parameter(0), sharding={mesh['x'=1000000000000]}"),
           entry("x = f32[] parameter(0) y = f32[] all-reduce(x), "
                 "replica_groups=[99999999,99999999]<=[9], to_apply=e"),
           entry("x = f32[1] parameter(0) y = slice(x), "
                 "slice={[0:9223372036854775807:-9223372036854775808]}"),
           entry("x = f32[1] parameter(0) ROOT y = pad(x, x), "
                 "padding=9223372036854775807_9223372036854775807"),
       }) {
    Try(text);
  }
}

// Reading takes time proportional to the length of the text.
TEST(HostileTest, ManyOfEverything) {
  constexpr int kMany = 20000;
  std::string users = "ENTRY e { x = f32[] parameter(0)\n";
  for (int i = 0; i < kMany; ++i) absl::StrAppend(&users, "y", i, " = f32[] add(x, x)\n");
  Try(absl::StrCat(users, "}"));
  Try(absl::StrCat("ENTRY e { x = f32[] parameter(0) y = f32[] concatenate(", Repeat("x,", kMany),
                   "x), dimensions={0} }"));
  Try(absl::StrCat("ENTRY e { x = f32[] parameter(0) y = (f32[]) tuple(",
                   Repeat("negate(x),", kMany), "x) }"));
  Try(Repeat("c { x = f32[] parameter(0) }\n", 1) + Repeat("/* */", kMany) +
      "d { x = f32[] parameter(0) }");
}

TEST(HostileTest, BytesThatAreNoText) {
  Try(std::string("ENTRY e { x\0 = f32[] parameter(0) }", 35));
  Try("\xef\xbb\xbfHloModule m");
  Try("ENTRY e { x = f32[] parameter(0), metadata={op_name=\"\xff\xfe\"} }");
  Try("ENTRY e { x = f32[] parameter(0), backend_config={\"\xff\"} }");
  Try(std::string("ENTRY e { x = f32[] parameter(0), frontend_attributes={a=\"\0\"} }", 64));
}

}  // namespace
}  // namespace xla
