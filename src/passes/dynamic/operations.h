// What operations make of arrays with sizes.
#ifndef HILO_PASSES_DYNAMIC_OPERATIONS_H_
#define HILO_PASSES_DYNAMIC_OPERATIONS_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/dynamic/sizes.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// An instruction whose operands have sizes. Its shape and theirs are static already.
struct SizedOperation {
  HloInstruction& instruction;
  Shape declared;  // as it was
  std::vector<ArraySizes> operands;

  HloInstruction* operand(int64_t k) const { return instruction.mutable_operand(k); }
  int64_t count() const { return instruction.operand_count(); }
  // The size of a dimension that several operands, [first, last), have alike; null for none.
  HloInstruction* Common(int64_t first, int64_t last, int64_t dimension) const;
  absl::Status Replace(int64_t k, HloInstruction* array) const {
    return instruction.ReplaceOperandWith(k, array);
  }
};

// The value that takes the place of the instruction, which may be the instruction itself, and the
// sizes of each array in it. Elements beyond the sizes may be anything.
struct SizedValue {
  HloInstruction* value;
  std::vector<ArraySizes> sizes;
};

// An operation on arrays, some of which have sizes, or that makes sizes. Unimplemented where there
// is no way to keep what lies beyond the sizes out.
absl::StatusOr<SizedValue> ResolveOperation(const SizedOperation& operation);

// ---- Families of it

absl::StatusOr<SizedValue> ResolveReshape(const SizedOperation& operation);
absl::StatusOr<SizedValue> ResolveReduce(const SizedOperation& operation);
absl::StatusOr<SizedValue> ResolveReduceWindow(const SizedOperation& operation);
absl::StatusOr<SizedValue> ResolveSelectAndScatter(const SizedOperation& operation);
absl::StatusOr<SizedValue> ResolveConvolution(const SizedOperation& operation);
absl::StatusOr<SizedValue> ResolveBatchNorm(const SizedOperation& operation);
absl::StatusOr<SizedValue> ResolveFft(const SizedOperation& operation);
absl::StatusOr<SizedValue> ResolveDot(const SizedOperation& operation);
absl::StatusOr<SizedValue> ResolveSort(const SizedOperation& operation);
absl::StatusOr<SizedValue> ResolveScatter(const SizedOperation& operation);

absl::Status NoDynamicForm(const HloInstruction& instruction);

}  // namespace xla::passes

#endif  // HILO_PASSES_DYNAMIC_OPERATIONS_H_
