// What the verifier of programs finds, and which code becomes functions and what a step computes.
// tests/program/*.hlo show what each pass does.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/program/passes.h"
#include "codegen/program/work.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla::program {
namespace {

using ::testing::HasSubstr;
using Kind = Step::Kind;

constexpr char kProducts[] = R"(HloModule m
ENTRY e {
  x = f32[64,64] parameter(0)
  a = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[64,64] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT c = f32[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";

constexpr char kLoop[] = R"(HloModule m
goes_on {
  s = (s32[], f32[300], f32[300]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(10)
  ROOT c = pred[] compare(i, n), direction=LT
}
step {
  s = (s32[], f32[300], f32[300]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  a = f32[300] get-tuple-element(s), index=1
  b = f32[300] get-tuple-element(s), index=2
  ROOT t = (s32[], f32[300], f32[300]) tuple(next, b, a)
}
ENTRY e {
  i = s32[] parameter(0)
  x = f32[300] parameter(1)
  s = (s32[], f32[300], f32[300]) tuple(i, x, x)
  ROOT w = (s32[], f32[300], f32[300]) while(s), condition=goes_on, body=step
})";

// Two kernels, whose units take all steps one after the other.
constexpr char kBlockedLoop[] = R"(HloModule m
goes_on {
  s = (s32[], f32[100000], f32[100000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(10)
  ROOT c = pred[] compare(i, n), direction=LT
}
double { a = f32[100000] parameter(0)  ROOT b = f32[100000] add(a, a) }
scale {
  a = f32[100000] parameter(0)
  i = s32[] parameter(1)
  g = s32[100000] broadcast(i), dimensions={}
  f = f32[100000] convert(g)
  ROOT b = f32[100000] multiply(a, f)
}
step {
  s = (s32[], f32[100000], f32[100000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  a = f32[100000] get-tuple-element(s), index=1
  b = f32[100000] get-tuple-element(s), index=2
  c = f32[100000] fusion(a), kind=kLoop, calls=double
  d = f32[100000] fusion(b, next), kind=kLoop, calls=scale
  ROOT t = (s32[], f32[100000], f32[100000]) tuple(next, c, d)
}
ENTRY e {
  i = s32[] parameter(0)
  x = f32[100000] parameter(1)
  s = (s32[], f32[100000], f32[100000]) tuple(i, x, x)
  ROOT w = (s32[], f32[100000], f32[100000]) while(s), condition=goes_on, body=step
})";

class ProgramTest : public testing::Test {
 protected:
  Plan PlanOf(const std::string& text) {
    module_ = ParseAndReturnUnverifiedModule(text).value();
    return MakePlan(*module_, target_).value();
  }

  static Array& Named(Plan& plan, absl::string_view name) {
    for (size_t i = 0; i < plan.arrays.size(); ++i) {
      if (plan.NameOf(static_cast<int>(i)) == name) return plan.arrays[i];
    }
    ADD_FAILURE() << "no array " << name;
    return plan.arrays[0];
  }

  static int Count(const Plan& plan, Kind kind) {
    int count = 0;
    ForEachStep(plan.entry, [&](const Step& step) { count += step.kind == kind; });
    return count;
  }

  static void ExpectWrong(const Plan& plan, const char* why) {
    EXPECT_THAT(std::string(Verify(plan).message()), HasSubstr(why)) << ToString(plan);
  }

 private:
  std::unique_ptr<HloModule> module_;
  const codegen::Target target_ = codegen::Target::Parse("x86-64-v3").value();
};

TEST_F(ProgramTest, FindsWhatIsOverwritten) {
  Plan plan = PlanOf(kProducts);
  EXPECT_TRUE(Verify(plan).ok()) << Verify(plan);
  Named(plan, "b").slot = Named(plan, "a").slot;
  ExpectWrong(plan, "a is read while its memory is written");
}

TEST_F(ProgramTest, FindsArraysThatOverlapInPart) {
  Plan plan = PlanOf(kProducts);
  Named(plan, "c").slot = Named(plan, "b").slot;
  Named(plan, "c").slot.offset += 64;
  ExpectWrong(plan, "b is read while its memory is written");
}

TEST_F(ProgramTest, FindsResultsThatLieElsewhere) {
  Plan plan = PlanOf(kProducts);
  Named(plan, "c").slot = {Place::kArena, 0, 1 << 20};
  ExpectWrong(plan, "c is a result that lies elsewhere");
}

TEST_F(ProgramTest, FindsWhatIsReadTooEarly) {
  Plan plan = PlanOf(kProducts);
  std::swap(plan.entry.steps[0], plan.entry.steps[1]);
  ExpectWrong(plan, "a is read where it is not written yet");
}

TEST_F(ProgramTest, FindsParametersThatAreWritten) {
  Plan plan = PlanOf(kProducts);
  Named(plan, "b").slot = Named(plan, "x").slot;
  ExpectWrong(plan, "b is written, but must not be");
}

TEST_F(ProgramTest, FindsMissingCopies) {
  Plan plan = PlanOf(kLoop);
  EXPECT_TRUE(Verify(plan).ok()) << Verify(plan);
  ForEachStep(plan.entry, [](Step& step) {
    if (step.kind == Kind::kWhile) step.blocks[1].copies.clear();
  });
  ExpectWrong(plan, "is not copied");
}

TEST_F(ProgramTest, FindsCopiesInTheWrongOrder) {
  Plan plan = PlanOf(kLoop);
  ForEachStep(plan.entry, [](Step& step) {
    if (step.kind != Kind::kWhile) return;
    Copies& copies = step.blocks[1].copies;
    ASSERT_EQ(copies.size(), 1u);
    ASSERT_EQ(copies[0].size(), 2u);
    copies = {{copies[0][0]}, {copies[0][1]}};
  });
  ExpectWrong(plan, "w{1} is overwritten before it is copied");
}

TEST_F(ProgramTest, FindsRegistersOfAnotherFunction) {
  Plan plan = PlanOf(R"(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] add(x, x)
  ROOT z = f32[] multiply(y, y)
})");
  Step function = {Kind::kFunction};
  function.blocks.push_back({plan.entry.computation, {plan.entry.steps[0]}});
  plan.entry.steps[0] = function;
  ExpectWrong(plan, "y has no memory, and is read there");
}

TEST_F(ProgramTest, FindsNumbersThatThreadsShare) {
  Plan plan = PlanOf(kBlockedLoop);
  EXPECT_TRUE(Verify(plan).ok()) << Verify(plan);
  ASSERT_EQ(Count(plan, Kind::kFunction), 1);
  Named(plan, "next").slot = {Place::kArena, 0, 1 << 20};
  ExpectWrong(plan, "next is not on the stack of each thread");
}

TEST_F(ProgramTest, FindsOtherStepsInFunctionsOfUnits) {
  Plan plan = PlanOf(kBlockedLoop);
  ForEachStep(plan.entry, [](Step& step) {
    if (step.kind == Kind::kLaunch) step.kind = Kind::kCall;
  });
  ExpectWrong(plan, "not all steps are kernels");
}

TEST_F(ProgramTest, LongComputationsBecomeFunctions) {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[] parameter(0)\n";
  for (int i = 1; i <= 2500; ++i)
    absl::StrAppend(&text, "  x", i, " = f32[] add(x", i - 1, ", x", i / 2, ")\n");
  const Plan plan = PlanOf(absl::StrCat(text, "  ROOT r = f32[] negate(x2500)\n}\n"));
  EXPECT_EQ(Count(plan, Kind::kFunction), 3);
  EXPECT_TRUE(Verify(plan).ok()) << Verify(plan);
  // Of 2500 numbers, those that another function needs are in memory.
  int64_t in_memory = 0;
  for (const Array& array : plan.arrays) in_memory += array.in_memory;
  EXPECT_GT(in_memory, 400);
  EXPECT_LT(in_memory, 1300);
}

// A window of all elements before has as many as a running sum never adds again.
TEST_F(ProgramTest, WorkOfARunningSum) {
  const Plan plan = PlanOf(R"(HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
fused {
  x = f32[1000] parameter(0)
  zero = f32[] constant(0)
  ROOT sums = f32[1000] reduce-window(x, zero), window={size=1000 pad=999_0}, to_apply=add
}
ENTRY e {
  x = f32[1000] parameter(0)
  ROOT sums = f32[1000] fusion(x), kind=kLoop, calls=fused
})");
  ASSERT_EQ(Count(plan, Kind::kLaunch), 1);
  ForEachStep(plan.entry, [&](const Step& step) {
    if (step.kind == Kind::kLaunch) EXPECT_EQ(WorkOf(plan, step).flops, 1000);
  });
}

}  // namespace
}  // namespace xla::program
