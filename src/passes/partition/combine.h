// Collectives that run as one.
#ifndef HILO_PASSES_PARTITION_COMBINE_H_
#define HILO_PASSES_PARTITION_COMBINE_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

// Makes one all-reduce of those in a computation that combine numbers of one type in the same way
// among the same devices and do not depend on each other. Whether there were any.
absl::StatusOr<bool> CombineAllReduces(HloModule& module);

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_COMBINE_H_
