// The library kernels that programs call, one file a family. Each is found by its name, so that a
// saved program can ask for it.
#ifndef HILO_CPU_KERNELS_KERNELS_H_
#define HILO_CPU_KERNELS_KERNELS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/library_kernel.h"

namespace xla::cpu {

using KernelOrStatus = absl::StatusOr<std::unique_ptr<runtime::LibraryKernel>>;

// The kernel of a call, ready for its shapes and attributes. NotFound for names that there are not,
// Unimplemented for shapes or attributes that the kernel does not know.
KernelOrStatus MakeKernel(const runtime::LibraryCall& call);

KernelOrStatus MakeCholesky(const runtime::LibraryCall& call);
KernelOrStatus MakeRandomState(const runtime::LibraryCall& call);
KernelOrStatus MakeConvolution(const runtime::LibraryCall& call);
KernelOrStatus MakeDot(const runtime::LibraryCall& call);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_KERNELS_H_
