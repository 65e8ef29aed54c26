// The reasons that `hilo compile --explain` gives are those that decided.
#include <memory>
#include <string>

#include "api/cpu_backend.h"
#include "api/cpu_backend_report.h"
#include "cpu/compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

using testing::HasSubstr;
using testing::Not;

class ExplainTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!cpu::CanCompile()) GTEST_SKIP() << "there is no compiler";
  }

  static std::string Explained(const std::string& text) {
    const std::unique_ptr<HloModule> module = ParseAndReturnUnverifiedModule(text).value();
    cpu::CompileReport report;
    const absl::StatusOr<std::string> program = CompileToBytes(*module, &report);
    return program.ok() ? Explain(report) : program.status().ToString();
  }
};

TEST_F(ExplainTest, ABroadcastRepeatsWhatIsExpensive) {
  EXPECT_THAT(
      Explained(R"(
HloModule m
ENTRY e {
  x = f32[1000] parameter(0)
  y = f32[300,1000] parameter(1)
  a = f32[1000] sine(x)
  b = f32[300,1000] broadcast(a), dimensions={1}
  ROOT r = f32[300,1000] multiply(b, y)
})"),
      HasSubstr("which is apart: broadcast reads elements of it repeatedly, or few of them"));
}

TEST_F(ExplainTest, AnElementWouldBeComputedTwice) {
  EXPECT_THAT(Explained(R"(
HloModule m
ENTRY e {
  x = f32[300,300] parameter(0)
  a = f32[300,300] sine(x)
  t = f32[300,300] transpose(a), dimensions={1,0}
  ROOT r = f32[300,300] multiply(a, t)
})"),
              HasSubstr("which is apart: each of its elements would be computed 2 times"));
}

TEST_F(ExplainTest, SomethingElseNeedsIt) {
  EXPECT_THAT(Explained(R"(
HloModule m
ENTRY e {
  x = f32[300,300] parameter(0)
  a = f32[300,300] sine(x)
  d = f32[300,300] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[300,300] multiply(a, d)
})"),
              HasSubstr("which is apart: others need it before this kernel can begin"));
}

TEST_F(ExplainTest, RowsAreTooShortToBeReducedOneByOne) {
  EXPECT_THAT(Explained(R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[3000,5] parameter(0)
  zero = f32[] constant(0)
  s = f32[3000] reduce(x, zero), dimensions={1}, to_apply=add
  ss = f32[3000,5] broadcast(s), dimensions={0}
  ROOT r = f32[3000,5] divide(x, ss)
})"),
              HasSubstr("which is apart: its rows of 5 elements are better reduced interleaved"));
}

TEST_F(ExplainTest, WhatIsSmallAndNotInRegisters) {
  EXPECT_THAT(Explained(R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[5,300] parameter(0)
  zero = f32[] constant(0)
  ROOT s = f32[5] reduce(x, zero), dimensions={1}, to_apply=add
})"),
              HasSubstr("not in registers: operand 0 of reduce does not fit registers"));
}

// The kernels of one that is fused have nothing to say.
TEST_F(ExplainTest, WhatIsFusedNeedsNoReason) {
  EXPECT_THAT(Explained(R"(
HloModule m
ENTRY e {
  x = f32[1000] parameter(0)
  a = f32[1000] sine(x)
  ROOT r = f32[1000] multiply(a, x)
})"),
              Not(HasSubstr("apart")));
}

TEST_F(ExplainTest, WhatIsCopied) {
  const std::string text = Explained(R"(
HloModule m
ENTRY e {
  x = f32[100,100] parameter(0)
  y = f32[1,100] parameter(1)
  i = s32[] parameter(2)
  zero = s32[] constant(0)
  ROOT r = f32[100,100] dynamic-update-slice(x, y, i, zero)
})");
  EXPECT_THAT(text, HasSubstr("  copies f32[100,100] x to "));
  EXPECT_THAT(text, HasSubstr(": what a parameter or a constant holds must stay as it is\n"));
}

TEST_F(ExplainTest, ThePlanOfALoop) {
  const std::string text = Explained(R"(
HloModule m
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
  y = f32[1000] sine(x)
  ROOT t = (s32[], f32[1000]) tuple(next, y)
}
ENTRY e {
  x = f32[1000] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[1000]) tuple(zero, x)
  w = (s32[], f32[1000]) while(s), condition=goes_on, body=step
  ROOT r = f32[1000] get-tuple-element(w), index=1
})");
  EXPECT_THAT(text, HasSubstr("w{0}: s32[] register\n"));
  EXPECT_THAT(text, HasSubstr("w{0}, w{1} = while 50 times\n"));
  EXPECT_THAT(text, HasSubstr("launch kernel 0(w{1})\n"));
  EXPECT_THAT(text, HasSubstr("kernel of sine\n"));
  EXPECT_THAT(text, HasSubstr("4000  in all, as parameter\n"));
}

TEST_F(ExplainTest, WhetherResultsTakeThePlaceOfParameters) {
  EXPECT_THAT(Explained(R"(
HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e {
  x = f32[1000] parameter(0)
  ROOT r = f32[1000] sine(x)
})"),
              HasSubstr("  1 of 1 aliased results take the place of parameters\n"));
  EXPECT_THAT(Explained(R"(
HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e {
  x = f32[1000] parameter(0)
  ROOT r = f32[1000] reverse(x), dimensions={0}
})"),
              HasSubstr("  result 0 does not take the place of parameter 0: what writes the result "
                        "reads other places of the parameter\n"));
}

}  // namespace
}  // namespace xla
