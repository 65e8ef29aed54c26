// Running results of reductions, many at a time.
#ifndef HILO_EVAL_REDUCER_H_
#define HILO_EVAL_REDUCER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "eval/element.h"
#include "eval/program.h"
#include "eval/scalar_function.h"
#include "eval/value.h"
#include "xla/literal.h"

namespace xla::eval {

// Folds elements into up to kLanes running results at once, for N operands that are reduced
// together:
//   results = computation(results..., elements...)
// A computation that is one commutative function (sum, product, maximum, ...) runs without rounding
// between steps, so that sums are as exact as the wide type allows.
class Reducer {
 public:
  // The initial values are scalars. Operands and results are arrays of the same types.
  Reducer(Evaluator& evaluator, const HloComputation& computation,
          absl::Span<const Literal* const> operands,
          absl::Span<const Literal* const> initial_values, absl::Span<Literal> results);

  // The one commutative function that the computation is, or null.
  const ElementStep* commutative_step() const { return commutative_; }

  // Begins anew with `lanes` results.
  void Start(int64_t lanes);
  // Folds operand elements at `position`, `position` + `stride`, ... into `count` lanes from
  // `first_lane` on.
  absl::Status Fold(int64_t position, int64_t stride, int64_t first_lane, int64_t count);
  // Folds `count` neighbouring elements into the only lane.
  absl::Status FoldRow(int64_t position, int64_t count);
  // Writes the lanes to neighbouring elements of the results.
  void Finish(int64_t position);

 private:
  absl::Status FoldOneByOne(int64_t position, int64_t stride, int64_t first_lane, int64_t count);
  char* Lane(size_t k, int64_t lane) { return running_[k].bytes + lane * formats_[k]->wide_bytes; }
  const char* Element(size_t k, int64_t position) const {
    return Data(*operands_[k]) + position * formats_[k]->bytes;
  }

  ScalarFunction function_;
  const ElementStep* commutative_;  // or null
  std::vector<const Literal*> operands_;
  std::vector<const Literal*> initial_values_;
  absl::Span<Literal> results_;
  std::vector<const Format*> formats_;
  std::vector<Program::Registers> registers_;  // one, or none
  std::vector<Lanes> running_;                 // wide elements
  int64_t lanes_ = 0;
};

}  // namespace xla::eval

#endif  // HILO_EVAL_REDUCER_H_
