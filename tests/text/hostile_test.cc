// Text that wants to do harm: it may be refused or read, but nothing else may happen.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/exercise.h"
#include "tests/text/modules.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

constexpr absl::string_view kConstants = R"(HloModule constants

ENTRY e {
  k_pred = pred[2] constant({true, false})
  k_s2 = s2[2] constant({-2, 1})
  k_s4 = s4[2] constant({-8, 7})
  k_s8 = s8[2] constant({-128, 127})
  k_s16 = s16[] constant(-32768)
  k_s32 = s32[2,2]{0,1} constant({{1, 2}, {3, 4}})
  k_s64 = s64[] constant(-9223372036854775808)
  k_u2 = u2[1] constant({3})
  k_u4 = u4[1] constant({15})
  k_u8 = u8[2] constant({0, 255})
  k_u16 = u16[] constant(65535)
  k_u32 = u32[] constant(4294967295)
  k_u64 = u64[] constant(18446744073709551615)
  k_f4 = f4e2m1fn[2] constant({6, -0.5})
  k_f8a = f8e3m4[1] constant({15.5})
  k_f8b = f8e4m3[1] constant({240})
  k_f8c = f8e4m3b11fnuz[1] constant({30})
  k_f8d = f8e4m3fn[1] constant({448})
  k_f8e = f8e4m3fnuz[1] constant({nan})
  k_f8f = f8e5m2[2] constant({-inf, 57344})
  k_f8g = f8e5m2fnuz[1] constant({0.25})
  k_f8h = f8e8m0fnu[1] constant({2})
  k_f16 = f16[2] constant({65504, 6e-8})
  k_bf16 = bf16[2] constant({3.375e38, -nan})
  k_f32 = f32[3] constant({-0.0, inf, nan(0x7fffff)})
  k_f64 = f64[] constant(4.9e-324)
  k_c64 = c64[1] constant({(1, -2)})
  k_c128 = c128[] constant((nan, -inf))
  k_tuple = (s32[2], (f32[], pred[1])) constant(({1, 2}, (0.5, {true})))
  k_empty = f32[0,3] constant({})
  k_cut = f32[100] constant({...})
  ROOT all = (s32[2,2], f32[3], c64[1]) tuple(k_s32, k_f32, k_c64)
}
)";

constexpr absl::string_view kNested = R"(HloModule nested, origin_recovery_table={
  {"a" {0}} : {"b" {}},
  "
    ENTRY r {
      ROOT p = f32[2] parameter(0)
    }
  "
}

ENTRY e {
  x = f32[2,3] parameter(0), metadata={op_type="t" op_name="n" source_file="f" source_line=1 source_end_line=2 source_column=3 source_end_column=4 profile_type={1} deduplicated_name="d"}
  zero = f32[] constant(0)
  sum = f32[2] reduce(x, zero), dimensions={1}, to_apply={
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT c = f32[] add(a, b)
  }
  fused = f32[2] fusion(sum), kind=kInput, calls={
    p = f32[2] parameter(0)
    ROOT q = f32[2] fusion(p), kind=kLoop, calls={
      r = f32[2] parameter(0)
      ROOT s = f32[2] negate(f32[2] abs(r))
    }
  }
  state = (s32[], f32[2]) tuple(s32[] constant(0), fused)
  two = f32[2] add(state#1, f32[2] abs(fused))
  ROOT end = f32[2] custom-call(two), custom_call_target="t", backend_config={"a": [1, {"b": "}"}]}
}
)";

const std::vector<NamedText>& HostileModules() {
  static const auto& modules = *[] {
    auto* all = new std::vector<NamedText>(TestModules());
    all->push_back({"constants", kConstants});
    all->push_back({"nested", kNested});
    return all;
  }();
  return modules;
}

// What was read must print and do, and read again.
void Try(absl::string_view text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok()) {
    EXPECT_FALSE(module.status().message().empty());
    return;
  }
  Exercise(**module);
  if (text.size() > 10000) return;
  const std::string printed = FullText(**module);
  auto again = ParseAndReturnUnverifiedModule(printed);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << printed;
  EXPECT_EQ(FullText(**again), printed);
}

std::string Repeat(absl::string_view piece, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) absl::StrAppend(&result, piece);
  return result;
}

std::string Entry(absl::string_view body) { return absl::StrCat("ENTRY e { ", body, " }"); }

// `text` with `replacement` in the place of text[begin, end).
std::string Replace(absl::string_view text, size_t begin, size_t end,
                    absl::string_view replacement) {
  return absl::StrCat(text.substr(0, begin), replacement, text.substr(end));
}

class HostileTest : public testing::TestWithParam<NamedText> {
 protected:
  absl::string_view text() const { return GetParam().text; }
};

TEST_P(HostileTest, IsReadAsItStands) {
  auto module = ParseAndReturnUnverifiedModule(text());
  ASSERT_TRUE(module.ok()) << module.status();
  Try(text());
}

TEST_P(HostileTest, TruncatedAtEveryByte) {
  for (size_t length = 0; length < text().size(); ++length) Try(text().substr(0, length));
}

TEST_P(HostileTest, BytesFlipped) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged(text());
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
  for (int round = 0; round < 1500; ++round) {
    const size_t begin = random() % text().size();
    const size_t end = std::min(text().size(), begin + random() % 40);
    Try(Replace(text(), begin, end, ""));
  }
}

TEST_P(HostileTest, LinesTwiceOrExchanged) {
  std::vector<std::string> lines = absl::StrSplit(text(), '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> changed = lines;
    changed.insert(changed.begin() + i, lines[i]);
    Try(absl::StrJoin(changed, "\n"));
    changed = lines;
    std::swap(changed[i], changed[(i + 1) % lines.size()]);
    Try(absl::StrJoin(changed, "\n"));
  }
}

TEST_P(HostileTest, NumbersOutOfRange) {
  constexpr absl::string_view kNumbers[] = {"-1",
                                            "0",
                                            "7",
                                            "100000",
                                            "2147483647",
                                            "2147483648",
                                            "4294967296",
                                            "9223372036854775807",
                                            "-9223372036854775808",
                                            "18446744073709551615",
                                            "99999999999999999999999",
                                            "1e400",
                                            "nan"};
  std::mt19937 random(3);
  for (size_t begin = 0; begin < text().size(); ++begin) {
    if (!absl::ascii_isdigit(text()[begin])) continue;
    size_t end = begin;
    while (end < text().size() && absl::ascii_isdigit(text()[end])) ++end;
    for (int i = 0; i < 3; ++i) {
      Try(Replace(text(), begin, end, kNumbers[random() % std::size(kNumbers)]));
    }
    begin = end;
  }
}

// The end of the attribute whose value begins at `begin`.
size_t FindValueEnd(absl::string_view text, size_t begin) {
  int depth = 0;
  size_t end = begin;
  for (; end < text.size() && text[end] != '\n'; ++end) {
    const char c = text[end];
    if (depth == 0 && (c == ',' || c == '}' || c == ' ')) break;
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
  }
  return end;
}

TEST_P(HostileTest, ValuesOfAnotherKind) {
  constexpr absl::string_view kValues[] = {"",
                                           "{}",
                                           "1",
                                           "-1",
                                           "9223372036854775807",
                                           "1.5",
                                           "true",
                                           "word",
                                           "%x",
                                           "\"text\"",
                                           "{0}",
                                           "{-1}",
                                           "{0,0,9223372036854775807}",
                                           "{{0,1},{2}}",
                                           "{[0:1]}",
                                           "{[5:1:0], [0:9223372036854775807]}",
                                           "{true,false}",
                                           "{a=\"b\"}",
                                           "{\"k\":1}",
                                           "{size=2x2}",
                                           "{size=0x9223372036854775807}",
                                           "3x3",
                                           "1_1x-5_9223372036854775807",
                                           "b01f_01io->b01f",
                                           "bf_io->bf",
                                           "f32[2]",
                                           "{f32[2], (s32[])}",
                                           "{devices=[2,2]<=[4]}",
                                           "[2,2]<=[4]",
                                           "{{}: (0, {})}",
                                           "{replicated}",
                                           "{mode=highest}",
                                           "{"};
  std::mt19937 random(4);
  for (size_t begin = 1; begin < text().size(); ++begin) {
    const bool is_attribute = text()[begin - 1] == '=' && absl::ascii_isalnum(text()[begin - 2]);
    if (!is_attribute) continue;
    const size_t end = FindValueEnd(text(), begin);
    for (int i = 0; i < 12; ++i) {
      Try(Replace(text(), begin, end, kValues[random() % std::size(kValues)]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modules, HostileTest, testing::ValuesIn(HostileModules()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HostileTest, NoModuleAtAll) {
  for (absl::string_view text : {"", " ", "\n\n", "// nothing", "/* nothing */", "/*", "/", "{", "}",
                                 "HloModule", "HloModule m", "HloModule m,", "ENTRY", "ENTRY e",
                                 "ENTRY e {", "ENTRY e {}", "e {}", "=", "%", "\"", "'", "ROOT"}) {
    EXPECT_FALSE(ParseAndReturnUnverifiedModule(text).ok()) << text;
  }
}

TEST(HostileTest, DeepNesting) {
  constexpr int kDepth = 100000;
  for (const std::string& text : {
           Entry(absl::StrCat("x = ", Repeat("(", kDepth))),
           Entry(absl::StrCat("x = ", Repeat("(", kDepth), Repeat(")", kDepth), " parameter(0)")),
           Entry(absl::StrCat("x = f32[] parameter(0) y = ", Repeat("negate(", kDepth), "x")),
           Entry(absl::StrCat("x = f32[] constant(", Repeat("{", kDepth))),
           Entry(
               absl::StrCat("x = f32[", Repeat("1,", kDepth), "1] constant(", Repeat("{", kDepth))),
           Entry(absl::StrCat("x = ", Repeat("b(", kDepth), "f32[]")),
           Entry(absl::StrCat("x = f32[]", Repeat("{:P(f32[]", kDepth))),
           Entry(absl::StrCat("x = () tuple(), origin={", Repeat("(", kDepth))),
           Entry(absl::StrCat("x = () tuple(), sharding=", Repeat("{", kDepth))),
           Entry(absl::StrCat("x = () tuple(), backend_config=", Repeat("{", kDepth))),
           Entry(absl::StrCat("x = () tuple(), frontend_attributes=", Repeat("{a=", kDepth))),
           Entry(absl::StrCat("x = () tuple(), metadata=", Repeat("{", kDepth))),
           Entry(Repeat("x = f32[] call(), to_apply={ ", kDepth)),
           absl::StrCat("HloModule m, entry_computation_layout={", Repeat("(", kDepth)),
           absl::StrCat("HloModule m, origin_recovery_table=", Repeat("{", kDepth)),
           absl::StrCat("f32[] add(", Repeat("f32[] add(", kDepth)),
       }) {
    EXPECT_FALSE(ParseAndReturnUnverifiedModule(text).ok()) << text.substr(0, 60);
  }
}

TEST(HostileTest, NestingWithinTheLimit) {
  constexpr int kDepth = 400;
  Try(absl::StrCat("ENTRY e { x = f32[] parameter(0) ROOT y = f32[] ", Repeat("negate(", kDepth),
                   "x", Repeat(")", kDepth), " }"));
  Try(Entry(absl::StrCat("x = ", Repeat("(", kDepth), Repeat(")", kDepth), " parameter(0)")));
  Try(Entry(absl::StrCat(Repeat("x = f32[] call(), to_apply={ ", kDepth), "c = f32[] constant(1)",
                         Repeat("}", kDepth))));
  HloParserOptions options;
  options.set_max_recursion_depth(10);
  EXPECT_FALSE(
      ParseAndReturnUnverifiedModule("ENTRY e { x = ((((((((((((())))))))))))) parameter(0) }",
                                     HloModuleConfig(), options)
          .ok());
}

TEST(HostileTest, HugeNumbers) {
  for (const std::string& text : {
           Entry("x = f32[9223372036854775807] parameter(0)"),
           Entry("x = f32[9223372036854775807,9223372036854775807] parameter(0)"),
           Entry("x = f32[4294967296,4294967296] parameter(0)"),
           Entry("x = f32[0,9223372036854775807,9223372036854775807] parameter(0)"),
           Entry("x = f32[] parameter(9223372036854775807)"),
           Entry("x = f32[1000000000000] constant({...})"),
           Entry("x = f32[100000000000] constant({1,2})"),
           Entry("x = (f32[1000000000000], pred[]) constant(({...}, true))"),
           Entry("x = f32[1000000000000] iota(), iota_dimension=0"),
           Entry("x = f32[] constant(1) y = f32[1000000000000000] broadcast(x), dimensions={}"),
           Entry("x = f32[2]{99999999999} parameter(0)"),
           Entry("x = (f32[]) parameter(0) y = f32[] get-tuple-element(x), "
                 "index=9223372036854775807"),
           Entry("x = f32[] parameter(0), "
                 "sharding={devices=[1000000000,1000000000]<=[1000000000000000000]}"),
           Entry("x = f32[] parameter(0), sharding={devices=[1000000000]<=[1000000000]}"),
           Entry("x = f32[] parameter(0), sharding={mesh['x'=1000000000000]}"),
           Entry("x = f32[] parameter(0) y = f32[] all-reduce(x), "
                 "replica_groups=[99999999,99999999]<=[9], to_apply=e"),
           Entry("x = f32[1] parameter(0) y = f32[1] all-gather(x), dimensions={0}, "
                 "replica_groups=[1,1000000000000]<=[1000000000000]"),
           Entry("x = f32[1] parameter(0) y = slice(x), "
                 "slice={[0:9223372036854775807:-9223372036854775808]}"),
           Entry("x = f32[1] parameter(0) z = f32[] constant(0) ROOT y = pad(x, z), "
                 "padding=9223372036854775807_9223372036854775807"),
           Entry("x = f32[1] parameter(0) z = f32[] constant(0) ROOT y = pad(x, z), "
                 "padding=1000000000000_1000000000000_1000000000000"),
           absl::StrCat("HloModule m, replica_count=9223372036854775807, "
                        "num_partitions=9223372036854775807 ",
                        Entry("x = f32[] parameter(0)")),
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

// Shapes that are left out could be any number of times as long as the text.
TEST(HostileTest, TuplesThatDouble) {
  std::string doubling = "x0 = f32[] parameter(0)\n";
  std::string copies = "x0 = f32[] parameter(0)\n";
  std::string sends = "t = token[] after-all() x0 = f32[] parameter(0)\n";
  std::string wide = absl::StrCat("x = f32[] constant(0) t0 = tuple(", Repeat("x,", 2000), "x)\n");
  std::string deep = absl::StrCat("x = f32[] constant(0) t0 = ", Repeat("tuple(", 400), "x",
                                  Repeat(")", 400), "\n");
  for (int i = 0; i < 1000; ++i) {
    absl::StrAppend(&doubling, "x", i + 1, " = tuple(x", i, ", x", i, ")\n");
    absl::StrAppend(&copies, "x", i + 1, " = copy-start(x", i, ")\n");
    absl::StrAppend(&sends, "x", i + 1, " = () send(x", i, ", t), channel_id=1\n");
    absl::StrAppend(&wide, "t", i + 1, " = opt-barrier(t", i, ")\n");
    absl::StrAppend(&deep, "t", i + 1, " = tuple(t", i, ", t", i, "#0)\n");
  }
  for (const std::string& body : {doubling, copies, sends, wide, deep}) {
    EXPECT_FALSE(ParseAndReturnUnverifiedModule(Entry(body)).ok()) << body.substr(0, 100);
  }
}

TEST(HostileTest, BytesThatAreNoText) {
  Try(absl::string_view("ENTRY e { x\0 = f32[] parameter(0) }", 35));
  Try("\xef\xbb\xbfHloModule m");
  Try("ENTRY e { x = f32[] parameter(0), metadata={op_name=\"\xff\xfe\"} }");
  Try("ENTRY e { x = f32[] parameter(0), backend_config={\"\xff\"} }");
  Try("ENTRY e { x = f32[] parameter(0), backend_config=\"\xc3\x28\\000\" }");
  Try("ENTRY e { x\xc3\xa4 = f32[] parameter(0) }");
  Try(absl::string_view("ENTRY e { x = f32[] parameter(0), frontend_attributes={a=\"\0\"} }", 64));
}

}  // namespace
}  // namespace xla
