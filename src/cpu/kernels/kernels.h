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

KernelOrStatus MakeAllGather(const runtime::LibraryCall& call);
KernelOrStatus MakeAllReduce(const runtime::LibraryCall& call);
KernelOrStatus MakeAllToAll(const runtime::LibraryCall& call);
KernelOrStatus MakeCollectiveBroadcast(const runtime::LibraryCall& call);
KernelOrStatus MakeCollectivePermute(const runtime::LibraryCall& call);
KernelOrStatus MakeSlicePermute(
    const runtime::LibraryCall& call);  // a collective-permute with slice_sizes
KernelOrStatus MakeRaggedAllToAll(const runtime::LibraryCall& call);
KernelOrStatus MakeReduceScatter(const runtime::LibraryCall& call);
KernelOrStatus MakePartitionId(const runtime::LibraryCall& call);
KernelOrStatus MakeReplicaId(const runtime::LibraryCall& call);
KernelOrStatus MakeInfeed(const runtime::LibraryCall& call);
KernelOrStatus MakeOutfeed(const runtime::LibraryCall& call);
KernelOrStatus MakePad(const runtime::LibraryCall& call);
KernelOrStatus MakeSend(const runtime::LibraryCall& call);
KernelOrStatus MakeSendDone(const runtime::LibraryCall& call);
KernelOrStatus MakeRecv(const runtime::LibraryCall& call);
KernelOrStatus MakeRecvDone(const runtime::LibraryCall& call);
KernelOrStatus MakeCustomCall(const runtime::LibraryCall& call);
KernelOrStatus MakeCholesky(const runtime::LibraryCall& call);
KernelOrStatus MakeRandomSeed(const runtime::LibraryCall& call);
KernelOrStatus MakeRandomState(const runtime::LibraryCall& call);
KernelOrStatus MakeConvolution(const runtime::LibraryCall& call);
KernelOrStatus MakeFactorization(const runtime::LibraryCall& call);
KernelOrStatus MakeLapackKernel(const runtime::LibraryCall& call);  // of a custom call
KernelOrStatus MakeTriangularSolve(const runtime::LibraryCall& call);
KernelOrStatus MakeFft(const runtime::LibraryCall& call);
KernelOrStatus MakeRaggedDot(const runtime::LibraryCall& call);
KernelOrStatus MakeScaledDot(const runtime::LibraryCall& call);
KernelOrStatus MakeSort(const runtime::LibraryCall& call);
KernelOrStatus MakeSortByKey(const runtime::LibraryCall& call);
KernelOrStatus MakeTopK(const runtime::LibraryCall& call);
KernelOrStatus MakeDot(const runtime::LibraryCall& call);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_KERNELS_H_
