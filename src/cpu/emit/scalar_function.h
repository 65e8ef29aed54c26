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

// The results for all lanes of the arguments at once: the leaves of the root. The computation is a
// scalar function (program::IsScalarFunction): its operations are on scalars, in vectors, or also
// on arrays that are small enough for registers, lane by lane.
absl::StatusOr<std::vector<Lanes>> ApplyScalarFunction(Builder& b,
                                                       const HloComputation& computation,
                                                       absl::Span<const Lanes> arguments);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_SCALAR_FUNCTION_H_
