// Products and what is done with their results, in one.
#ifndef HILO_CPU_PLAN_EPILOGUES_H_
#define HILO_CPU_PLAN_EPILOGUES_H_

#include "absl/status/statusor.h"
#include "passes/table.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// The product in a fusion that FuseEpilogues has made, or null.
const HloInstruction* ProductOf(const HloInstruction& instruction);

// Makes one fusion, of kind kOutput, of a product and the kernel that reads its result element by
// element. The first two parameters are the product's operands. The library kernel that multiplies
// calls the compiled kernel on each block of the result while that is in the cache.
absl::StatusOr<bool> FuseEpilogues(HloModule& module, const passes::PassOptions& options);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_EPILOGUES_H_
