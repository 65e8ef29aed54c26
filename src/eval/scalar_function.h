// A scalar computation applied to single elements.
#ifndef HILO_EVAL_SCALAR_FUNCTION_H_
#define HILO_EVAL_SCALAR_FUNCTION_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "eval/evaluator.h"
#include "eval/program.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::eval {

// What reduce, scatter, sort, map, ... apply. A program where the computation can be one, else a
// call of it.
class ScalarFunction {
 public:
  ScalarFunction(Evaluator& evaluator, const HloComputation& computation);

  // Arguments and results are elements as they lie in literals; a result may be one of the
  // arguments.
  absl::Status operator()(absl::Span<const char* const> arguments, absl::Span<char* const> results);

  // Null when the computation is no program.
  const Program* program() const { return program_; }

 private:
  absl::Status CallComputation(absl::Span<const char* const> arguments,
                               absl::Span<char* const> results);

  Evaluator& evaluator_;
  const HloComputation& computation_;
  const Program* program_;
  std::optional<Program::Registers> registers_;
};

}  // namespace xla::eval

#endif  // HILO_EVAL_SCALAR_FUNCTION_H_
