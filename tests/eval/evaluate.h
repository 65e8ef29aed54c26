// Helpers for tests of the evaluator.
#ifndef TESTS_EVAL_EVALUATE_H_
#define TESTS_EVAL_EVALUATE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "ir/verifier.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"

namespace xla {

inline std::unique_ptr<HloModule> Parse(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

inline Literal Value(absl::string_view text) {
  absl::StatusOr<Literal> literal = ParseLiteral(text);
  EXPECT_TRUE(literal.ok()) << literal.status();
  return literal.ok() ? *std::move(literal) : Literal();
}

inline absl::StatusOr<Literal> TryEvaluateText(absl::string_view text,
                                               const std::vector<std::string>& arguments,
                                               int64_t max_loop_iterations = -1) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                        ParseAndReturnUnverifiedModule(text));
  HILO_RETURN_IF_ERROR(VerifyModule(*module));
  std::vector<Literal> literals;
  for (const std::string& argument : arguments) literals.push_back(Value(argument));
  return HloEvaluator(max_loop_iterations).Evaluate(*module, absl::MakeConstSpan(literals));
}

// The result's text in one line.
inline std::string EvaluateText(absl::string_view text, const std::vector<std::string>& arguments) {
  absl::StatusOr<Literal> result = TryEvaluateText(text, arguments);
  return result.ok() ? result->ToStringOneline() : result.status().ToString();
}

}  // namespace xla

#endif  // TESTS_EVAL_EVALUATE_H_
