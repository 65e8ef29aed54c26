#include "eval/scalar_function.h"

#include <cstring>
#include <utility>

#include "base/status_macros.h"
#include "eval/value.h"

namespace xla::eval {

ScalarFunction::ScalarFunction(Evaluator& evaluator, const HloComputation& computation)
    : evaluator_(evaluator),
      computation_(computation),
      program_(evaluator.ScalarProgram(computation)) {
  if (program_ != nullptr) registers_.emplace(*program_, 1);
}

absl::Status ScalarFunction::operator()(absl::Span<const char* const> arguments,
                                        absl::Span<char* const> results) {
  if (program_ == nullptr) return CallComputation(arguments, results);
  for (size_t i = 0; i < arguments.size(); ++i) {
    program_->parameters()[i]->load(arguments[i], 0, 1, registers_->parameter(i));
  }
  registers_->Run(1);
  for (size_t i = 0; i < results.size(); ++i)
    program_->results()[i]->store(registers_->result(i), 1, results[i]);
  return absl::OkStatus();
}

absl::Status ScalarFunction::CallComputation(absl::Span<const char* const> arguments,
                                             absl::Span<char* const> results) {
  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(Literal scalar,
                          MakeArray(computation_.parameter_instruction(i)->shape()));
    std::memcpy(MutableData(scalar), arguments[i], scalar.size_bytes());
    values.emplace_back(std::move(scalar));
  }
  HILO_ASSIGN_OR_RETURN(Value value, evaluator_.Call(computation_, std::move(values)));
  const absl::Span<const Value> leaves =
      value.IsTuple() ? value.elements() : absl::MakeConstSpan(&value, 1);
  for (size_t i = 0; i < results.size(); ++i) {
    std::memcpy(results[i], Data(leaves[i].array()), leaves[i].array().size_bytes());
  }
  return absl::OkStatus();
}

}  // namespace xla::eval
