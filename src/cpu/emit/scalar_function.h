// Computations on scalars, written out where they are called: the to_apply of reduce, map, scatter
// and the like.
#ifndef HILO_CPU_EMIT_SCALAR_FUNCTION_H_
#define HILO_CPU_EMIT_SCALAR_FUNCTION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cpu/emit/lanes.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

// The results for all lanes of the arguments at once: the leaves of the root.
absl::StatusOr<std::vector<Lanes>> ApplyScalarFunction(Builder& b,
                                                       const HloComputation& computation,
                                                       absl::Span<const Lanes> arguments);

// Whether a computation makes scalars of scalars by operations that ApplyScalarFunction knows: on
// scalars, in vectors, or on arrays and tuples that are small enough for registers, lane by lane.
bool IsScalarFunction(const HloComputation& computation);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_SCALAR_FUNCTION_H_
