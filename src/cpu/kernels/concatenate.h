// Putting arrays one after the other.
#ifndef HILO_CPU_KERNELS_CONCATENATE_H_
#define HILO_CPU_KERNELS_CONCATENATE_H_

#include "cpu/kernels/kernels.h"

namespace xla::cpu {

// Copies the operands of a concatenation, except for those that lie where they belong in the result.
KernelOrStatus MakeConcatenate(const runtime::LibraryCall& call);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_CONCATENATE_H_
