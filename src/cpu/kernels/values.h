// Between the arrays that kernels get and literals, for operations that give values away.
#ifndef HILO_CPU_KERNELS_VALUES_H_
#define HILO_CPU_KERNELS_VALUES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla::cpu {

// How many arrays a value of the shape has.
int64_t ArrayCount(const Shape& shape);

// A copy of a value whose leaves are `arrays`, in row-major order, in the layouts of `shape`.
absl::StatusOr<Literal> ToLiteral(const Shape& shape, void* const* arrays);

// Writes the arrays of a literal, in whatever layout, to `arrays` in row-major order.
void FromLiteral(const Literal& value, void* const* arrays);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_VALUES_H_
