// Which results may take the place of parameters.
#ifndef HILO_CODEGEN_PROGRAM_IN_PLACE_H_
#define HILO_CODEGEN_PROGRAM_IN_PLACE_H_

#include <cstdint>
#include <vector>

#include "codegen/program/plan.h"
#include "passes/decision.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::program {

struct Alias {
  int64_t result, parameter;  // by numbers of their arrays
  passes::Decision shares;
};

// Whether a step that reads one array and writes another may do so in the same memory: each element
// is read before the one at its index is written.
bool ReadsWhereItWrites(const Step& step, int read, int written);

// Of each array that a step reads, whether the step is a concatenation in whose result it lies
// where it belongs.
std::vector<bool> JoinedInPlace(const Plan& plan, const Step& step);

// The aliases of `module`, and whether the memory of the two may be the same: code after the plan
// writes the result when it has read the parameter for the last time, or reads and writes element
// by element. The plan is that of what became of the module, with its parameters and results first.
std::vector<Alias> FindInPlace(const HloModule& module, const Plan& plan);

}  // namespace xla::program

#endif  // HILO_CODEGEN_PROGRAM_IN_PLACE_H_
