// What a program asks of the elements of its parameters beyond their type.
#ifndef HILO_API_TESTING_ARGUMENT_CONSTRAINTS_H_
#define HILO_API_TESTING_ARGUMENT_CONSTRAINTS_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/tests/test_utils.h"

namespace xla::testing_internal {

struct Constraint {
  std::optional<std::pair<int64_t, int64_t>> limit;  // the least and the largest element
  int64_t alignment = 1;                             // elements are multiples of it
  uint64_t zero_bits = 0;                            // bits that no element has
  bool positive = false;                             // no real number is zero or less
  std::optional<Literal> constant;                   // a scalar that all elements are
  bool distinct = false;                             // all elements differ
};

struct ConstraintOptions {
  bool align_dynamic_slices = false;
  GetIndexKnownZeroesFn known_zeroes;
};

// Follows the array at `index` of a parameter through the program, as far as its elements stay what
// they are, and collects what its users ask for.
Constraint ConstraintOf(const HloInstruction& parameter, const ShapeIndex& index,
                        const ConstraintOptions& options);

}  // namespace xla::testing_internal

#endif  // HILO_API_TESTING_ARGUMENT_CONSTRAINTS_H_
