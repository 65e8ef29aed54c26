// Computations on scalars as straight-line programs that run for many sets of arguments at once.
#ifndef HILO_EVAL_PROGRAM_H_
#define HILO_EVAL_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "eval/element.h"
#include "eval/element_functions.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::eval {

// What a computation like the to_apply of a reduce becomes when it has nothing but element-wise
// operations on scalars (and calls of such computations). Values live in registers of wide
// elements; each step rounds its result to the type of its instruction.
class Program {
 public:
  // Null when the computation is of another sort.
  static std::unique_ptr<Program> Compile(const HloComputation& computation);

  // Parameters in order; the leaf of the root or the leaves of its tuple.
  absl::Span<const Format* const> parameters() const { return parameters_; }
  absl::Span<const Format* const> results() const { return results_; }

  // The only step when it is a binary function of the two parameters in either order and
  // commutative, like the sum or maximum of most reductions; else null.
  const ElementStep* CommutativeStep() const;
  // The same when that step is add or multiply.
  bool IsSumOrProduct() const;
  // The only step when it compares parameter 0 with parameter 1.
  const ElementStep* ComparisonStep() const;

  // The registers of one run. Several may run one program at the same time.
  class Registers {
   public:
    // For at most `lanes` (at most kLanes) sets of arguments.
    Registers(const Program& program, int64_t lanes);

    // Where the arguments are put, as wide elements. They stay there over runs.
    void* parameter(int64_t i) { return registers_[i]; }
    // Wide elements, until the next run.
    const void* result(int64_t i) const { return registers_[program_.result_registers_[i]]; }
    void Run(int64_t count);

   private:
    const Program& program_;
    std::vector<complex128> memory_;
    std::vector<void*> registers_;
  };

 private:
  struct Step {
    ElementStep element;
    int operands[3];
    int result;
    HloOpcode opcode;
  };
  struct Constant {
    int target;
    const Format* format;
    complex128 bytes;  // the native element, in the first bytes
  };
  class Compiler;
  // The only step when it takes both parameters and gives the result.
  const Step* OnlyStep() const;

  std::vector<const Format*> parameters_;
  std::vector<const Format*> results_;
  std::vector<int> result_registers_;
  std::vector<Step> steps_;
  std::vector<Constant> constants_;
  int register_count_ = 0;
};

}  // namespace xla::eval

#endif  // HILO_EVAL_PROGRAM_H_
