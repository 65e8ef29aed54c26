// Operations that know about replicas and partitions. The evaluator is a single one.
#include "base/status_macros.h"
#include "eval/frame.h"

namespace xla::eval {
namespace {

absl::StatusOr<Value> Zero(const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(Literal zero, MakeArray(instruction.shape()));
  return Value(std::move(zero));
}

}  // namespace

absl::StatusOr<Value> PartitionId(Frame&, const HloInstruction& instruction) {
  return Zero(instruction);
}

absl::StatusOr<Value> ReplicaId(Frame&, const HloInstruction& instruction) {
  return Zero(instruction);
}

}  // namespace xla::eval
