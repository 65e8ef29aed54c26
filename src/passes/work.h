// How much instructions compute, from their shapes alone.
#ifndef HILO_PASSES_WORK_H_
#define HILO_PASSES_WORK_H_

#include <cstddef>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// Operations on numbers.
struct Operations {
  double flops = 0;  // a multiply-add is two
  double transcendentals = 0;
};
// What an instruction does itself, apart from computations that it calls.
Operations OwnOperations(const HloInstruction& instruction);

// How often it applies one of the computations that it calls; 0 for branches.
double Applications(const HloInstruction& instruction, size_t callee);

}  // namespace xla::passes

#endif  // HILO_PASSES_WORK_H_
