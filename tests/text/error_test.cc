// What the parser says about text that it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

using testing::HasSubstr;

std::string Error(absl::string_view text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  if (module.ok()) return "";
  EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(module.status().message());
}

// The error in an entry computation with these instructions, after parameters x: f32[4], n: s32[]
// and p: pred[].
std::string ErrorIn(absl::string_view instructions) {
  return Error(absl::StrCat(R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT add = f32[] add(a, b)
}
ENTRY main {
  x = f32[4] parameter(0)
  n = s32[] parameter(1)
  p = pred[] parameter(2)
)",
                            instructions, "\n}"));
}

TEST(ErrorTest, HasPlaceLineAndCaret) {
  EXPECT_EQ(Error("HloModule m\n\nENTRY e {\n  x = f32[2] parametr(0)\n}\n"),
            "Syntax error when trying to parse the text as a HloModule:\n"
            "was parsing 4:14: error: unknown opcode parametr; did you mean \"parameter\"?\n"
            "  x = f32[2] parametr(0)\n"
            "             ^");
}

TEST(ErrorTest, LongLinesAreCut) {
  const std::string error = Error(absl::StrCat("HloModule m\nENTRY e {", std::string(5000, ' '),
                                               "$", std::string(5000, ' '), "}"));
  EXPECT_LT(error.size(), 500);
  EXPECT_THAT(error, HasSubstr("\n..."));
}

TEST(ErrorTest, UnprintableBytesAreReplaced) {
  const std::string error = Error("HloModule m\nENTRY e { \xff\xfe\x01 }");
  EXPECT_THAT(error, HasSubstr("2:11: error: unexpected character"));
  EXPECT_THAT(error, HasSubstr("ENTRY e { ??? }\n          ^"));
  // Characters of several bytes count as one.
  EXPECT_THAT(Error("HloModule m /* \xc3\xa4 */ $"), HasSubstr("1:21: error"));
}

struct Case {
  absl::string_view instructions;
  absl::string_view message;
};

TEST(ErrorTest, Instructions) {
  const Case cases[] = {
      {"y = f32[4] negate(z)", "there is no instruction z before this one"},
      {"value = f32[4] negate(x)\nz = f32[4] negate(valeu)", "did you mean \"value\"?"},
      {"y = f32[4] add(x)", "add takes 2 operands, got 1"},
      {"y = f32[4] concatenate(), dimensions={0}", "concatenate takes 1 or more operands, got 0"},
      {"y = f32[4] negate(f32[5] x)", "operand x is said to be f32[5], but it is f32[4]"},
      {"y = f32[4] negate(x", "expected ',' or ')'"},
      {"y = f32[4] negate(x)) ", "expected a name"},
      {"y = f32[4] negate(x), dimensions={0}", "unexpected attribute dimensions= of negate"},
      {"y = f32[4] negate(x), shardin={replicated}", "did you mean \"sharding\"?"},
      {"y = f32[4] negate(x), shardin={replicated}",
       "allowed attributes: backend_config, control-pred"},
      {"y = f32[4] reverse(x)", "reverse needs the attribute dimensions="},
      {"y = f32[] reduce(x, x), dimensions={0}", "reduce needs the attribute to_apply="},
      {"y = f32[] reduce(x, x), dimensions={0}, to_apply=sun",
       "there is no computation sun before this one; did you mean \"sum\"?"},
      {"y = f32[4] reverse(x), dimensions={0}, dimensions={0}",
       "the attribute dimensions= stands twice"},
      {"y = f32[4] reverse(x), dimensions=0", "expected '{', got '0'"},
      {"y = f32[4] reverse(x), dimensions={a}", "expected an integer, got 'a'"},
      {"y = pred[4] compare(x, x), direction=XX",
       "expected one of EQ, NE, GE, GT, LE, LT, got 'XX'"},
      {"y = s32[4] convert(s32[4] convert(q))", "there is no instruction q"},
      {"x = f32[4] negate(x)", "instruction x is already defined"},
      {"__y = f32[4] negate(x)", "illegal instruction name: __y; use a_y"},
      {"%f32 = f32[4] negate(x)", "illegal instruction name: f32; use f32_"},
      {"y=f32[4] negate(x)", "write a space between name and '='"},
      {"y = convert(x)", "the shape of convert cannot be left out"},
      {"y = f32[4,4] broadcast(x)", "broadcast of an operand that is no scalar needs dimensions="},
      {"y = f32[4] negate(x), metadata={op_nam=\"a\"}",
       "metadata has no op_nam=; did you mean \"op_name\"?"},
      {"y = f32[4] negate(x), metadata={source_line=99999999999}", "at most 32 bits"},
      {"y = f32[4] negate(x), control-predecessors={q}", "there is no instruction q"},
      {"y = f32[4] conditional(p, x, x), branch_computations={sum}", "needs true_computation="},
      {"y = f32[4] get-tuple-element(x), index=99999999999999999999", "needs more than 64 bits"},
      {"y = f32[4] negate(%x#0)", "x of shape f32[4] has no element 0"},
      {"ROOT y = f32[4] negate(x)\nROOT z = f32[4] negate(x)", "a computation has only one ROOT"},
      {"y = f32[4] add-start(x, x)", "add-start needs a shape ((shapes of the operands)"},
      {"y = f32[4] add-done(x)", "takes the start or update of an asynchronous operation"},
      {"y = (f32[4], u32[]) copy-update(x)", "unknown opcode copy-update"},
      {"y = f32[4] all-reduce(x), replica_groups={}, use_global_device_ids=true, to_apply=sum",
       "use_global_device_ids=true needs a channel_id="},
      {"y = f32[] constant({1})", "more braces than the shape has dimensions"},
      {"y = f32[2] constant({1})", "expected 2 elements in dimension 0, got 1"},
      {"y = s8[] constant(200)", "200 is out of range for type s8"},
      {"y = f32[4] custom-call(x), custom_call_target=\"t\", operand_layout_constraints={}",
       "expected 1 operand layout constraints, got 0"},
      {"y = f32[4] negate(x), backend_config={{", "this dictionary is not closed"},
      {"y = f32[4] negate(x), backend_config=\"abc", "this string does not end"},
      {"y = f32[4] negate(x), backend_config=\"\\q\"", "invalid escape in string"},
      {"/* y", "this comment does not end"},
      {"y = f32[5] reshape(x)", "changes the number of elements"},
      {"y = (f32[2], f32[]) parameter(3), parameter_replication={true,false,true}",
       "parameter_replication has 3 entries for the 2 leaves"},
      {"y = f32[4] conditional(x, x), branch_computations={sum}",
       "the first operand of a conditional is pred[] or s32[], not f32[4]"},
      {"y = f32[4] conditional(n, x), true_computation=sum", "needs branch_computations="},
      {"y = f32[8] all-gather(x), replica_groups=[2,2]<=[16], dimensions={0}",
       "do not name each of the devices"},
      {"t = (f32[4]) tuple(x)\nc = ((f32[4]), f32[4]) tuple(t, x)\ny = f32[4] async-done(c)",
       "async-done needs the attribute calls="},
      {"t = (f32[4]) tuple(x)\nc = ((f32[4]), f32[4]) tuple(t, x)\ny = f32[4] reduce-done(c)",
       "reduce-done needs the attribute to_apply="},
      {"y = ((), ()) conditional-start(), false_computation=sum", "needs all its branches"},
      {"y = (f32[4], f32[4]) async-start(x), calls=sum",
       "must be a tuple ((shapes of the operands), shape of the result, ...)"},
  };
  for (const Case& c : cases)
    EXPECT_THAT(ErrorIn(c.instructions), HasSubstr(c.message)) << c.instructions;
}

TEST(ErrorTest, Modules) {
  const Case cases[] = {
      {"", "expected a computation, got the end of the text"},
      {"HloModule", "expected a name, got the end of the text"},
      {"HloModule m", "expected a computation"},
      {"HloModule m, is_schedule=true", "did you mean \"is_scheduled\"?"},
      {"HloModule m, replica_count=0", "replica_count must be 1 or more"},
      {"HloModule m ENTRY e { x = f32[] parameter(1) }",
       "has number 1, but there are 1 parameters"},
      {"HloModule m ENTRY e { x = f32[] parameter(0) y = f32[] parameter(0) }",
       "two parameters have number 0"},
      {"HloModule m ENTRY e { x = f32[] parameter(-1) }", "has number -1"},
      {"HloModule m e { x = f32[] parameter(0) } e { x = f32[] parameter(0) }",
       "computation e is already defined"},
      {"ENTRY e { x = f32[] parameter(0) } ENTRY f { x = f32[] parameter(0) }",
       "a module has only one ENTRY"},
      {"HloModule m ENTRY e (x: f32[]) -> s32[] { x = f32[] parameter(0) }",
       "the result of computation e is said to be s32[]"},
      {"HloModule m, entry_computation_layout={()->f32[]} ENTRY e { x = f32[] parameter(0) }",
       "entry_computation_layout has 0 parameters, but the entry computation has 1"},
      {"HloModule m, input_output_alias={ {5}: (0, {}) } ENTRY e { x = f32[] parameter(0) }",
       "{5}"},
      {"HloModule m ENTRY e { x = f32[] parameter(0) } x", "expected '{', got the end of the text"},
      {"f32[] add(x, y)", "there is no instruction x"},
      {"add(f32[] x, f32[] y)", "expected the name of the instruction and '=', or its shape"},
      {"e (x: f32[]) -> f32[] { x = f32[] parameter(0) }", "HloModule or a single instruction"},
  };
  for (const Case& c : cases)
    EXPECT_THAT(Error(c.instructions), HasSubstr(c.message)) << c.instructions;
}

}  // namespace
}  // namespace xla
