// Kernels that compute elements of results one after the other, with what is reduced for them.
#ifndef HILO_CPU_EMIT_ELEMENT_KERNEL_H_
#define HILO_CPU_EMIT_ELEMENT_KERNEL_H_

#include <string>

#include "absl/status/statusor.h"
#include "cpu/emit/kernel.h"
#include "llvm/IR/Module.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

// Walks the results row by row, along the last dimension in vectors. Reductions in the computation
// all reduce the same dimensions. Where these are the last ones, a row of elements is reduced
// first, and then the results of the same row are computed from it while it is in the cache: they
// have the dimensions that are kept, or these and one more. Where the last dimension is kept,
// reductions are computed for neighbours side by side, and all results have the dimensions that are
// kept.
absl::StatusOr<Kernel> EmitElementKernel(llvm::Module& module, const HloComputation& computation,
                                         const std::string& name);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_ELEMENT_KERNEL_H_
