#include "cpu/kernels/kernels.h"

#include "absl/strings/string_view.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

struct Entry {
  absl::string_view name;
  KernelOrStatus (*make)(const runtime::LibraryCall&);
};

constexpr Entry kKernels[] = {
    {"all-gather", MakeAllGather},
    {"all-reduce", MakeAllReduce},
    {"all-to-all", MakeAllToAll},
    {"collective-broadcast", MakeCollectiveBroadcast},
    {"collective-permute", MakeCollectivePermute},
    {"ragged-all-to-all", MakeRaggedAllToAll},
    {"reduce-scatter", MakeReduceScatter},
    {"partition-id", MakePartitionId},
    {"replica-id", MakeReplicaId},
    {"infeed", MakeInfeed},
    {"outfeed", MakeOutfeed},
    {"send", MakeSend},
    {"send-done", MakeSendDone},
    {"recv", MakeRecv},
    {"recv-done", MakeRecvDone},
    {"custom-call", MakeCustomCall},
    {"cholesky", MakeCholesky},
    {"random-state", MakeRandomState},
    {"convolution", MakeConvolution},
    {"dot", MakeDot},
};

}  // namespace

KernelOrStatus MakeKernel(const runtime::LibraryCall& call) {
  for (const Entry& entry : kKernels) {
    if (entry.name == call.kernel) return entry.make(call);
  }
  return NotFound("there is no library kernel %s", call.kernel);
}

}  // namespace xla::cpu
