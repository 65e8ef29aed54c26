// What hlo_ops.def says about an operation, as data.
#ifndef HILO_IR_OP_INFO_H_
#define HILO_IR_OP_INFO_H_

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/field.h"
#include "ir/shape_rules.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {

// Questions about an operation, answered once.
enum OpTrait : uint32_t {
  kNoTraits = 0,
  kElementwise = 1 << 0,       // element i of the result depends on element i of each operand only
  kCommutative = 1 << 1,       // the two operands may be exchanged
  kShapeRequired = 1 << 2,     // in text the result shape may not be left out
  kAccuracy = 1 << 3,          // takes result_accuracy
  kSideEffect = 1 << 4,        // must not be removed, repeated or reordered
  kCollective = 1 << 5,        // communicates between replicas or partitions
  kControlFlow = 1 << 6,       // calls computations in sequence rather than per element
  kAsync = 1 << 7,             // one of a start/done pair
  kManyInstructions = 1 << 8,  // compiled to tens of instructions or a call, not to one or a few
};

constexpr int kMany = 1 << 30;

struct OperandCount {
  int min;
  int max;
};

// One attribute of the text that names a computation.
struct CalleeName {
  absl::string_view text;
  int index;  // in HloInstruction::called_computations
};

enum class CalleeForm {
  kNamed,     // one attribute for each computation, `names`
  kList,      // one attribute with a list in braces, `names[0]`
  kBranches,  // branch_computations={...}, or true_computation and false_computation for a pred
              // index
};

struct CalleeSpec {
  CalleeForm form;
  CalleeName names[2];
  int count;  // of entries in `names`; 0 for operations that call nothing
};

// What an operation takes for one element in a loop over elements, in the time of an addition of
// f32 (docs/costs.md says how it is measured). 0 for types that the operation does not take, and
// for operations that cost nothing there or stand in no such loop.
struct OpCosts {
  double f32;  // and narrower floats, which are computed as f32
  double f64;
  double complex;
  double s32;  // and other integers of up to 32 bits, and PRED
  double s64;

  double Of(PrimitiveType type) const;
};

struct OpInfo {
  HloOpcode opcode;
  absl::string_view name;
  OperandCount operands;
  CalleeSpec callees;
  uint32_t traits;
  OpCosts costs;
  ShapeRule shape_rule;
  absl::string_view shape_rule_name;
  absl::string_view attributes_name;
  std::unique_ptr<Attributes> (*make_attributes)();
  absl::Span<const Field> (*fields)();
};

const OpInfo& GetOpInfo(HloOpcode opcode);

// The rows in the order of HloOpcode.
absl::Span<const OpInfo> AllOps();

inline bool HasTrait(HloOpcode opcode, OpTrait trait) {
  return (GetOpInfo(opcode).traits & trait) != 0;
}

// Whether <name>-start, <name>-update and <name>-done are other words for async-start, async-update
// and async-done on a computation of this one operation. Not for operations with a start or done of
// their own, nor for those whose attributes stand where operands do.
bool TakesAsyncSuffix(HloOpcode opcode);

}  // namespace xla

#endif  // HILO_IR_OP_INFO_H_
