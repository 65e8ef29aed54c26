// Custom calls that somebody else divides among devices.
#ifndef HILO_PASSES_PARTITION_CALL_PARTITIONER_H_
#define HILO_PASSES_PARTITION_CALL_PARTITIONER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/shape.h"

namespace xla::passes {

// What a device does instead of the call: the entry of a module, on the parts of the operands that
// belong to these shardings. The result is the part of what belongs to that one.
struct DividedCall {
  std::unique_ptr<HloModule> module;
  std::vector<HloSharding> operands;
  HloSharding result = HloSharding::Replicate();
};

class CallPartitioner {
 public:
  // An operand or the result, which may be a tuple, and how it is divided around the call.
  struct Value {
    Shape shape;
    HloSharding sharding;
  };

  virtual ~CallPartitioner() = default;
  virtual absl::StatusOr<DividedCall> Divide(absl::string_view backend_config,
                                             absl::Span<const Value> operands,
                                             const Value& result) = 0;
};

// For any number of threads. The last one that is registered for a target counts.
void RegisterCallPartitioner(absl::string_view target,
                             std::shared_ptr<CallPartitioner> partitioner);
// Null where there is none.
std::shared_ptr<CallPartitioner> FindCallPartitioner(absl::string_view target);

// Calls of this target do the same for each element of the dimensions that lead all their arrays.
void RegisterBatchPartitionable(absl::string_view target);
bool IsBatchPartitionable(absl::string_view target);

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_CALL_PARTITIONER_H_
