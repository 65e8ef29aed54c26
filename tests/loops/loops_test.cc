// The text of loops, and what the verifier finds. tests/loops/*.hlo show what each pass does.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/loops/kernel.h"
#include "codegen/loops/schedule.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla::loops {
namespace {

using ::testing::HasSubstr;

constexpr char kSoftmax[] = R"(HloModule m
max { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] maximum(x, y) }
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
ENTRY e {
  a = f32[64,1000] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[64] reduce(a, low), dimensions={1}, to_apply=max
  mb = f32[64,1000] broadcast(m), dimensions={0}
  d = f32[64,1000] subtract(a, mb)
  ex = f32[64,1000] exponential(d)
  s = f32[64] reduce(ex, zero), dimensions={1}, to_apply=sum
  sb = f32[64,1000] broadcast(s), dimensions={0}
  q = f32[64,1000] divide(ex, sb)
  ROOT t = (f32[64,1000], f32[64]) tuple(q, m)
})";

constexpr char kSchedule[] = R"(kernel over [64, 1000]
  scratch ex
  grid d0 in 64
    reduce m rows lanes 16 interleave 4 reads a[d0, s0]
    reduce s rows lanes 16 interleave 1 stores ex reads a[d0, s0], m[d0]
    store 1: m
    vector d1 in [0, 1000) lanes 16 tail 8 loads ex
      store 0: q reads ex[d0, d1], s[d0]
)";

constexpr char kParts[] = R"(HloModule m
ENTRY e {
  a = f32[300,100] parameter(0)
  b = f32[100,300] parameter(1)
  t = f32[100,300] transpose(a), dimensions={1,0}
  ROOT d = f32[100,300] add(t, b)
})";

constexpr char kTiles[] = R"(kernel over [100, 300]
  grid d0 in 100 by 16
    when d0 in [0, 96)
      vector d1 in [0, 300) lanes 16 tail 16
        tile d0 rows 16 lanes 16 unrolled of t
          store 0: d reads a[d1, d0], b[d0, d1]
    when d0 in [96, 100)
      vector d1 in [0, 300) lanes 16 tail 16
        tile d0 rows 4 lanes 16 unrolled of t
          store 0: d reads a[d1, d0], b[d0, d1]
)";

class LoopsTest : public ::testing::Test {
 protected:
  const HloComputation& Read(const std::string& text) {
    module_ = ParseAndReturnUnverifiedModule(text).value();
    return *module_->entry_computation();
  }
  // The error of a text in which something is replaced.
  std::string ErrorOf(const std::string& module, const std::string& text, const std::string& from,
                      const std::string& to) {
    EXPECT_THAT(text, HasSubstr(from));
    return std::string(
        Parse(absl::StrReplaceAll(text, {{from, to}}), Read(module)).status().message());
  }

  std::unique_ptr<HloModule> module_;
};

TEST_F(LoopsTest, PassesMakeTheText) {
  const auto target = codegen::Target::Parse("x86-64-v4").value();
  EXPECT_EQ(ToString(Schedule(Read(kSoftmax), {target}).value()), kSchedule);
  EXPECT_EQ(ToString(Schedule(Read(kParts), {target}).value()), kTiles);
}

TEST_F(LoopsTest, TextIsReadBack) {
  for (const auto& [module, text] : {std::pair(kSoftmax, kSchedule), std::pair(kParts, kTiles)})
    EXPECT_EQ(ToString(Parse(text, Read(module)).value()), text);
  const std::string other = R"(kernel over [100, 300]
  grid strips of 1024
    vector d0 d1 in [0, 30000) lanes 48
      store 0: d reads a[d1, d0], b[d0, d1]
)";
  EXPECT_EQ(ToString(Parse(other, Read(kParts)).value()), other);
  const std::string orders =
      absl::StrReplaceAll(kSchedule, {{"m rows lanes 16 interleave 4", "m rows in order"},
                                      {"s rows lanes", "s rows from first lanes"}});
  EXPECT_EQ(ToString(Parse(orders, Read(kSoftmax)).value()), orders);
}

TEST_F(LoopsTest, UnitsAreCounted) {
  EXPECT_EQ(Units(Parse(kSchedule, Read(kSoftmax)).value()), 64);
  EXPECT_EQ(Units(Parse(kTiles, Read(kParts)).value()), 7);
  const std::string strips =
      absl::StrReplaceAll(kTiles, {{"100 by 16", "100 by 16, strips of 128"}});
  EXPECT_EQ(Units(Parse(strips, Read(kParts)).value()), 21);
}

TEST_F(LoopsTest, ErrorsOfTextNameLineAndPlace) {
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, "lanes 16 tail 8 loads ex", "lanes 16 tail eight"),
            "line 7: a number is wanted in place of \"eight\"");
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, "store 1: m", "store 1: n"),
            "line 6: an instruction of the computation is wanted in place of \"n\"");
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, "vector d1", "vector d2"),
            "line 7: one of the kernel's dimensions is wanted in place of \"in [0, 1000) lanes 16 "
            "tail 8 loads ex\"");
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, "    store 1", "        store 1"),
            "line 6: something that belongs into a loop is wanted in place of \"store 1: m\"");
  EXPECT_THAT(ErrorOf(kSoftmax, kSchedule, "    store 1", "    keep 1"),
              HasSubstr("a loop, a reduction or a store is wanted"));
  EXPECT_THAT(ErrorOf(kSoftmax, kSchedule, "d0 in 64", "d0 in 63"),
              HasSubstr("the size of the dimension is wanted"));
}

TEST_F(LoopsTest, VerifierFindsWhatIsMissing) {
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, "    store 1: m\n", ""), "m is not stored");
  EXPECT_EQ(
      ErrorOf(kSoftmax, kSchedule, "    reduce m rows lanes 16 interleave 4 reads a[d0, s0]\n", ""),
      "m is needed before it is reduced");
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, "store 1: m", "store 0: m"),
            "m is not the result of this number");
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, " stores ex", ""), "ex is loaded before it is stored");
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, "  scratch ex\n", ""), "ex has no scratch memory");
}

TEST_F(LoopsTest, WhatIsReadFollows) {
  EXPECT_EQ(ErrorOf(kParts, kTiles, "a[d1, d0]", "a[d0, d1]"), "line 6: something else is read");
}

TEST_F(LoopsTest, VerifierFindsGapsAndOverlaps) {
  EXPECT_EQ(ErrorOf(kParts, kTiles, "when d0 in [96, 100)", "when d0 in [97, 100)"),
            "[97, 100) does not follow 96");
  EXPECT_EQ(ErrorOf(kParts, kTiles, "when d0 in [96, 100)", "when d0 in [96, 99)"),
            "parts end at 99 of 100");
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, "tail 8", "tail 4"),
            "8 elements do not fit a tail of 4 lanes");
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, "vector d1 in [0, 1000) lanes 16 tail 8",
                    "vector d0 in [0, 64) lanes 16"),
            "two loops run along d0");
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, "grid d0 in 64", "grid"),
            "m keeps other dimensions than those of the loops around it");
  EXPECT_EQ(ErrorOf(kParts, kTiles, " by 16", " by 8"),
            "a tile of 16 lanes needs units of as many along d0");
}

}  // namespace
}  // namespace xla::loops
