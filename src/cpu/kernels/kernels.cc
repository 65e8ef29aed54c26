#include "cpu/kernels/kernels.h"

#include "absl/strings/string_view.h"
#include "cpu/kernels/concatenate.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

struct Entry {
  absl::string_view name;
  KernelOrStatus (*make)(const runtime::LibraryCall&);
};

// clang-format off
constexpr Entry kKernels[] = {
    {"all-gather", MakeAllGather},
    {"all-reduce", MakeAllReduce},
    {"all-to-all", MakeAllToAll},
    {"cholesky", MakeCholesky},
    {"collective-broadcast", MakeCollectiveBroadcast},
    {"collective-permute", MakeCollectivePermute},
    {"concatenate", MakeConcatenate},
    {"convolution", MakeConvolution},
    {"custom-call", MakeCustomCall},
    {"dot", MakeDot},
    {"factorization", MakeFactorization},
    {"fft", MakeFft},
    {"infeed", MakeInfeed},
    {"outfeed", MakeOutfeed},
    {"pad", MakePad},
    {"partition-id", MakePartitionId},
    {"ragged-all-to-all", MakeRaggedAllToAll},
    {"random-seed", MakeRandomSeed},
    {"random-state", MakeRandomState},
    {"ragged-dot", MakeRaggedDot},
    {"recv", MakeRecv},
    {"recv-done", MakeRecvDone},
    {"reduce-scatter", MakeReduceScatter},
    {"replica-id", MakeReplicaId},
    {"scaled-dot", MakeScaledDot},
    {"send", MakeSend},
    {"send-done", MakeSendDone},
    {"sort", MakeSort},
    {"sort-by-key", MakeSortByKey},
    {"sort-by-partial-key", MakeSortByKey},
    {"topk", MakeTopK},
    {"triangular-solve", MakeTriangularSolve},
};
// clang-format on

}  // namespace

KernelOrStatus MakeKernel(const runtime::LibraryCall& call) {
  for (const Entry& entry : kKernels) {
    if (entry.name == call.kernel) return entry.make(call);
  }
  return NotFound("there is no library kernel %s", call.kernel);
}

}  // namespace xla::cpu
