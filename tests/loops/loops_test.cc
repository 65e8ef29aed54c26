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
    reduce s rows lanes 16 interleave 2 stores ex reads a[d0, s0], m[d0]
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

constexpr char kScatter[] = R"(HloModule m
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
ENTRY e {
  i = s32[30] parameter(0)
  u = f32[30,8,20] parameter(1)
  zero = f32[] constant(0)
  a = f32[10,9,20] broadcast(zero), dimensions={}
  ROOT s = f32[10,9,20] scatter(a, i, u), update_window_dims={1,2}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
})";

constexpr char kUpdates[] = R"(kernel over [10, 9, 20, 30, 8, 20]
  grid range d0 in 10
    for d0 in 10
      for d1 in 9
        vector d2 in [0, 20) lanes 16 tail 4
          store 0: a
    for d3 in 30
      scatter d3 d4 d5 of s reads i[d3]
        for d4 in 8
          vector d5 in [0, 20) lanes 16 tail 4
            store 0: s reads u[d3, d4, d5]
)";

constexpr char kScan[] = R"(HloModule m
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
ENTRY e {
  a = f32[64,1000] parameter(0)
  zero = f32[] constant(0)
  ROOT s = f32[64,998] reduce-window(a, zero), window={size=1x1000 pad=0_0x0_997}, to_apply=sum
})";

constexpr char kRunning[] = R"(kernel over [64, 998]
  grid d0 in 64
    scan d1 of s reversed after 2 lanes 16 reads a[d0, d1 + s1]
      store 0: s
)";

constexpr char kPooling[] = R"(HloModule m
most { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = pred[] compare(x, y), direction=GE }
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
ENTRY e {
  a = f32[4,6] parameter(0)
  b = f32[4,3] parameter(1)
  zero = f32[] constant(0)
  ROOT s = f32[4,6] select-and-scatter(a, b, zero), window={size=1x2 stride=1x2}, select=most, scatter=sum
})";

constexpr char kChosen[] = R"(kernel over [4, 6, 3]
  grid d0 in 4
    vector d1 in [0, 6) lanes 8 tail 8
      store 0: zero
    vector d2 in [0, 3) lanes 4 tail 4
      select d0 d2 of s reads a[d0, d2 * 2 + s1], b[d0, d2]
      store 0: s
)";

constexpr char kHeads[] = R"(HloModule m
ENTRY e {
  x = f32[256,768] parameter(0)
  w = f32[768,768] parameter(1)
  b = f32[12,64] parameter(2)
  p = f32[256,768] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = f32[256,12,64] reshape(p)
  t = f32[12,256,64] transpose(s), dimensions={1,0,2}
  c = f32[12,256,64] broadcast(b), dimensions={0,2}
  ROOT r = f32[12,256,64] add(t, c)
})";

constexpr char kEpilogue[] = R"(kernel over [12, 256, 64]
  product p d1 in 256, d0 in 12, d2 in 64, s0 in 768 reads x[d1, s0], w[s0, d0 * 64 + d2]
    vector d2 in [0, 64) lanes 16
      store 0: r reads p[d1, d0 * 64 + d2], b[d0, d2]
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
  EXPECT_EQ(ToString(Schedule(Read(kScatter), {target}).value()), kUpdates);
  EXPECT_EQ(ToString(Schedule(Read(kScan), {target}).value()), kRunning);
  EXPECT_EQ(ToString(Schedule(Read(kPooling), {target}).value()), kChosen);
  EXPECT_EQ(ToString(Schedule(Read(kHeads), {target}).value()), kEpilogue);
}

TEST_F(LoopsTest, TextIsReadBack) {
  for (const auto& [module, text] :
       {std::pair(kSoftmax, kSchedule), std::pair(kParts, kTiles), std::pair(kScatter, kUpdates),
        std::pair(kScan, kRunning), std::pair(kPooling, kChosen), std::pair(kHeads, kEpilogue)})
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
  const std::string folded = absl::StrReplaceAll(kSchedule, {{"tail 8", "tail folded"}});
  EXPECT_EQ(ToString(Parse(folded, Read(kSoftmax)).value()), folded);
}

TEST_F(LoopsTest, UnitsAreCounted) {
  EXPECT_EQ(Units(Parse(kSchedule, Read(kSoftmax)).value()), 64);
  EXPECT_EQ(Units(Parse(kTiles, Read(kParts)).value()), 7);
  const std::string strips =
      absl::StrReplaceAll(kTiles, {{"100 by 16", "100 by 16, strips of 128"}});
  EXPECT_EQ(Units(Parse(strips, Read(kParts)).value()), 21);
  EXPECT_EQ(Units(Parse(kUpdates, Read(kScatter)).value()), 10);
  EXPECT_EQ(Units(Parse(kEpilogue, Read(kHeads)).value()), 3072);
}

TEST_F(LoopsTest, ProductsAreReadInTheirOrder) {
  EXPECT_EQ(ErrorOf(kHeads, kEpilogue, "d1 in 256, d0 in 12", "d0 in 12, d1 in 256"),
            "line 2: \"d1 in 256, d0 in 12, d2 in 64, s0 in 768\" is wanted in place of "
            "\"d0 in 12, d1 in 256, d2 in 64, s0 in 768\"");
  EXPECT_EQ(ErrorOf(kHeads, kEpilogue, "product p", "product t"),
            "line 2: a product that is read element by element is wanted in place of "
            "\"d1 in 256, d0 in 12, d2 in 64, s0 in 768\"");
  // A transpose of the last dimension brings elements apart.
  const std::string turned =
      absl::StrReplaceAll(kHeads, {{"f32[12,256,64] transpose", "f32[64,12,256] transpose"},
                                   {"dimensions={1,0,2}", "dimensions={2,1,0}"},
                                   {"f32[12,256,64] broadcast", "f32[64,12,256] broadcast"},
                                   {"dimensions={0,2}", "dimensions={1,0}"},
                                   {"f32[12,256,64] add", "f32[64,12,256] add"}});
  const auto target = codegen::Target::Parse("x86-64-v4").value();
  EXPECT_EQ(Schedule(Read(turned), {target}).status().message(),
            "p is not read element by element");
  const std::string grid =
      "kernel over [12, 256, 64]\n  grid d0 in 12, d1 in 256\n"
      "    vector d2 in [0, 64) lanes 16\n      store 0: r\n";
  EXPECT_EQ(Parse(grid, Read(kHeads)).status().message(), "a kernel has one product");
}

TEST_F(LoopsTest, StreamedStoresAreText) {
  const std::string text = absl::StrReplaceAll(kSchedule, {{"store 0: ", "store 0 streamed: "}});
  const absl::StatusOr<Kernel> kernel = Parse(text, Read(kSoftmax));
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ(ToString(*kernel), text);
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

TEST_F(LoopsTest, VerifierKnowsWhereUpdatesBelong) {
  EXPECT_EQ(ErrorOf(kScatter, kUpdates, "store 0: a", "store 0: i"),
            "i is not what is there first");
  EXPECT_EQ(ErrorOf(kScatter, kUpdates, "for d1 in 9", "for d4 in 8"),
            "a has other dimensions than the loops around it");
  EXPECT_EQ(ErrorOf(kScatter, kUpdates, "d3 d4 d5 of s", "d3 d1 d5 of s"),
            "s has other dimensions than these");
  EXPECT_EQ(ErrorOf(kScatter, kUpdates, "for d4 in 8", "for d4 in 8 clipped"),
            "the loop along d4 is clipped");
  EXPECT_EQ(ErrorOf(kScatter, kUpdates, "for d3 in 30", "for d3 in 30 clipped"),
            "a loop along d3 is clipped outside of a scatter");
  EXPECT_EQ(ErrorOf(kScatter, kUpdates, "store 0: a", "store 0: s"),
            "s is scattered before something is there");
  EXPECT_EQ(ErrorOf(kPooling, kChosen,
                    "      select d0 d2 of s reads a[d0, d2 * 2 + s1], b[d0, d2]\n", ""),
            "s is stored before it is chosen");
  EXPECT_EQ(ErrorOf(kPooling, kChosen,
                    "    vector d1 in [0, 6) lanes 8 tail 8\n      store 0: zero\n", ""),
            "s is scattered before something is there");
}

TEST_F(LoopsTest, VerifierKnowsWhoSeesUpdates) {
  EXPECT_EQ(ErrorOf(kScatter, kUpdates, "grid range d0 in 10", "grid strips of 16"),
            "s has updates that several units see");
  EXPECT_EQ(ErrorOf(kScatter, kUpdates, "grid range d0 in 10", "grid range d1 in 9"),
            "s has updates that several units see");
  EXPECT_EQ(ErrorOf(kScatter, kUpdates, "grid range d0 in 10", "grid range d0 in 10, d1 in 9"),
            "a range of units lies along one dimension");
  EXPECT_EQ(ErrorOf(kScatter, kUpdates,
                    "grid range d0 in 10\n    for d0 in 10\n      for d1 in 9\n"
                    "        vector d2 in [0, 20) lanes 16 tail 4\n          store",
                    "grid d0 in 10\n    for d1 in 9\n"
                    "      vector d2 in [0, 20) lanes 16 tail 4\n        store"),
            "s has updates that several units see");
  EXPECT_EQ(ErrorOf(kPooling, kChosen, "grid d0 in 4", "grid d0 in 4, strips of 4"),
            "s has windows that several units see");
}

TEST_F(LoopsTest, VerifierKnowsHowScansRun) {
  EXPECT_EQ(ErrorOf(kScan, kRunning, "scan d1 of s", "scan of s"), "s runs along one dimension");
  EXPECT_EQ(ErrorOf(kScan, kRunning, "scan d1 of s", "scan d1 d0 of s"),
            "s runs along one dimension");
  EXPECT_EQ(ErrorOf(kScan, kRunning, " reversed", ""), "s runs in another way");
  EXPECT_EQ(ErrorOf(kScan, kRunning, "after 2", "after 1"), "s runs in another way");
  EXPECT_EQ(ErrorOf(kScan, kRunning, "scan d1 of s", "scan d0 of s"), "s runs in another way");
  EXPECT_EQ(ErrorOf(kSoftmax, kSchedule, "    store 1: m", "    scan d1 of m"),
            "m is no running reduction");
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
