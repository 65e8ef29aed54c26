// Loops that count, and results that are kept.
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status_matchers.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/evaluator/caching_hlo_evaluator.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"
#include "xla/tsl/platform/env.h"
#include "xla/tsl/platform/path.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;

// A loop with a counter, a bound that stays and a number that is doubled in each step.
std::string Loop(absl::string_view first, absl::string_view bound, absl::string_view compare,
                 absl::string_view next, absl::string_view next_bound = "limit") {
  return absl::Substitute(R"(HloModule m
    body { s = (s32[], s32[], s32[]) parameter(0)
      i = s32[] get-tuple-element(s), index=0  limit = s32[] get-tuple-element(s), index=1
      x = s32[] get-tuple-element(s), index=2  one = s32[] constant(1)  three = s32[] constant(3)
      doubled = s32[] add(x, x)  more = s32[] add(limit, one)
      next = s32[] $3
      ROOT t = (s32[], s32[], s32[]) tuple(next, $4, doubled) }
    condition { s = (s32[], s32[], s32[]) parameter(0)
      i = s32[] get-tuple-element(s), index=0  limit = s32[] get-tuple-element(s), index=1
      x = s32[] get-tuple-element(s), index=2  five = s32[] constant(5)
      ROOT p = pred[] compare($2 }
    ENTRY e { p = s32[] parameter(0)  x = s32[] constant(1)  first = s32[] $0  bound = s32[] $1
      begin = (s32[], s32[], s32[]) tuple(first, bound, x)
      ROOT loop = (s32[], s32[], s32[]) while(begin), condition=condition, body=body })",
                          first, bound, compare, next, next_bound);
}

std::optional<ParsedWhileLoop> Parsed(const std::string& text) {
  const auto module = ParseAndReturnUnverifiedModule(text).value();
  return PatternMatchParseWhileLoop(module->entry_computation()->root_instruction());
}

void ExpectCount(const std::string& text, int64_t count, int64_t first, int64_t step,
                 int64_t bound) {
  const std::optional<ParsedWhileLoop> loop = Parsed(text);
  ASSERT_TRUE(loop.has_value());
  ASSERT_FALSE(loop->is_dynamic());
  EXPECT_EQ(loop->static_while_loop->trip_count, count);
  EXPECT_EQ(loop->static_while_loop->induction_var_index, 0);
  EXPECT_EQ(loop->static_while_loop->induction_var_init_value, first);
  EXPECT_EQ(loop->static_while_loop->step_size, step);
  EXPECT_EQ(loop->static_while_loop->loop_bound, bound);
}

TEST(WhileLoopTest, Counts) {
  ExpectCount(Loop("constant(0)", "constant(7)", "i, limit), direction=LT", "add(i, one)"), 7, 0, 1,
              7);
  ExpectCount(Loop("constant(0)", "constant(7)", "i, limit), direction=LE", "add(three, i)"), 3, 0,
              3, 7);
  ExpectCount(Loop("constant(0)", "constant(7)", "i, limit), direction=LT", "add(i, three)"), 3, 0,
              3, 7);
  ExpectCount(Loop("constant(9)", "constant(2)", "i, limit), direction=GT", "subtract(i, three)"),
              3, 9, -3, 2);
  ExpectCount(Loop("constant(9)", "constant(0)", "i, limit), direction=GE", "subtract(i, three)"),
              4, 9, -3, 0);
  ExpectCount(Loop("constant(0)", "constant(9)", "i, limit), direction=NE", "add(i, three)"), 3, 0,
              3, 9);
  ExpectCount(Loop("constant(0)", "constant(7)", "limit, i), direction=GT", "add(i, one)"), 7, 0, 1,
              7);
  ExpectCount(Loop("constant(0)", "constant(7)", "i, five), direction=LT", "add(i, one)"), 5, 0, 1,
              5);
  ExpectCount(Loop("constant(8)", "constant(7)", "i, limit), direction=LT", "add(i, one)"), 0, 8, 1,
              7);
  ExpectCount(Loop("constant(0)", "copy(x)", "i, limit), direction=LT", "add(i, one)"), 1, 0, 1, 1);
}

TEST(WhileLoopTest, NumbersThatAreNotKnown) {
  for (const std::string& text :
       {Loop("constant(0)", "add(p, p)", "i, limit), direction=LT", "add(i, one)"),
        Loop("add(p, p)", "constant(7)", "i, limit), direction=LT", "add(i, one)")}) {
    const std::optional<ParsedWhileLoop> loop = Parsed(text);
    ASSERT_TRUE(loop.has_value());
    EXPECT_TRUE(loop->is_dynamic());
  }
}

TEST(WhileLoopTest, StatesThatComeFromOutside) {
  const std::optional<ParsedWhileLoop> loop = Parsed(R"(HloModule m
    body { s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      limit = s32[] get-tuple-element(s), index=1  one = s32[] constant(1)  next = s32[] add(i, one)
      ROOT t = (s32[], s32[]) tuple(next, limit) }
    condition { s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      limit = s32[] get-tuple-element(s), index=1  ROOT p = pred[] compare(i, limit), direction=LT }
    ENTRY e { s = (s32[], s32[]) parameter(0)
      ROOT loop = (s32[], s32[]) while(s), condition=condition, body=body })");
  ASSERT_TRUE(loop.has_value());
  EXPECT_TRUE(loop->is_dynamic());
}

TEST(WhileLoopTest, LoopsThatDoNotCount) {
  const auto refused = [](const std::string& text) { return !Parsed(text).has_value(); };
  EXPECT_TRUE(
      refused(Loop("constant(0)", "constant(7)", "i, limit), direction=LT", "multiply(i, three)")));
  EXPECT_TRUE(refused(Loop("constant(0)", "constant(7)", "i, limit), direction=LT", "add(i, x)")));
  EXPECT_TRUE(refused(Loop("constant(0)", "constant(7)", "i, x), direction=LT", "add(i, one)")));
  EXPECT_TRUE(
      refused(Loop("constant(0)", "constant(7)", "five, five), direction=LT", "add(i, one)")));
  EXPECT_TRUE(
      refused(Loop("constant(0)", "constant(7)", "i, limit), direction=EQ", "add(i, one)")));
  EXPECT_TRUE(refused(
      Loop("constant(0)", "constant(7)", "i, limit), direction=LT", "add(i, one)", "more")));
  // Without end.
  EXPECT_TRUE(
      refused(Loop("constant(0)", "constant(7)", "i, limit), direction=LT", "subtract(i, one)")));
  EXPECT_TRUE(
      refused(Loop("constant(0)", "constant(7)", "i, limit), direction=NE", "add(i, three)")));
  EXPECT_TRUE(refused(
      Loop("constant(0)", "constant(2147483647)", "i, limit), direction=LE", "add(i, one)")));
}

// ---- Results that are kept ----

class CountingEvaluator : public HloEvaluatorInterface {
 public:
  explicit CountingEvaluator(int* count) : count_(*count) {}
  absl::StatusOr<Literal> Evaluate(const HloComputation& computation,
                                   absl::Span<const Literal* const> args) override {
    ++count_;
    return HloEvaluator().Evaluate(computation, args);
  }
  void ResetVisitStates() override {}
  void set_dynamic_dimension_inference(DynamicDimensionInference*) override {}
  void set_use_fast_path(bool) override {}
  void set_custom_call_handler(CustomCallHandler) override {}

 private:
  int& count_;
};

TEST(CachingHloEvaluatorTest, Modes) {
  const auto module = ParseAndReturnUnverifiedModule(R"(HloModule m
    twice { x = f32[2] parameter(0)  ROOT y = f32[2] add(x, x) }
    ENTRY e { a = f32[2] parameter(0)  ROOT r = f32[2] call(a), to_apply=twice })")
                          .value();
  const Literal argument = LiteralUtil::CreateR1<float>({1, 2});
  const Literal other = LiteralUtil::CreateR1<float>({1, 3});
  const std::string folder = tsl::io::JoinPath(testing::TempDir(), "kept", "results");
  int64_t undeleted = 0;
  tsl::Env::Default()->DeleteRecursively(folder, &undeleted, &undeleted).IgnoreError();
  int count = 0;
  const auto evaluate = [&](CachingHloEvaluator::Mode mode, const Literal& arg) {
    CachingHloEvaluator evaluator(std::make_unique<CountingEvaluator>(&count), folder, mode);
    return evaluator.Evaluate(*module->entry_computation(), {&arg});
  };
  using Evaluator = CachingHloEvaluator;
  EXPECT_THAT(evaluate(Evaluator::kRead, argument), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_OK(evaluate(Evaluator::kReadAndEvaluateIfCacheMiss, argument));
  EXPECT_EQ(count, 1);
  EXPECT_THAT(evaluate(Evaluator::kRead, argument), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_OK(evaluate(Evaluator::kWrite, argument));
  EXPECT_EQ(count, 2);
  const Literal expected = LiteralUtil::CreateR1<float>({2, 4});
  EXPECT_EQ(evaluate(Evaluator::kRead, argument).value(), expected);
  EXPECT_EQ(evaluate(Evaluator::kReadAndEvaluateIfCacheMiss, argument).value(), expected);
  EXPECT_EQ(count, 2);
  EXPECT_THAT(evaluate(Evaluator::kRead, other), StatusIs(absl::StatusCode::kNotFound));

  std::vector<std::string> files;
  ASSERT_OK(tsl::Env::Default()->GetChildren(folder, &files));
  ASSERT_EQ(files.size(), 1);
  ASSERT_OK(tsl::WriteStringToFile(tsl::Env::Default(), tsl::io::JoinPath(folder, files[0]), "no"));
  EXPECT_THAT(evaluate(Evaluator::kRead, argument), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace xla
