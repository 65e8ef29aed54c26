// What XLA:CPU makes of programs whose result the operation semantics leave open.
#ifndef HILO_TOOLS_REFERENCE_HABITS_H_
#define HILO_TOOLS_REFERENCE_HABITS_H_

#include <string>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Rewrites a module to say what XLA:CPU computes for it (observed):
//   scatter  a window that sticks out of the operand is dropped as a whole, not element by element
//   reduce   goes by windows of 32, each of which begins with the initial value, and adds nothing
//   to
//            what has one element; it shows where the initial value is no identity
// Says what was rewritten; empty when nothing was. The module is for evaluation only: it has no
// schedule and is not verified.
absl::StatusOr<std::string> TakeReferenceHabits(HloModule& module);

}  // namespace xla

#endif  // HILO_TOOLS_REFERENCE_HABITS_H_
