// StableHLO programs as HLO modules.
#ifndef HILO_FRONT_STABLEHLO_LOWER_LOWER_H_
#define HILO_FRONT_STABLEHLO_LOWER_LOWER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "front/stablehlo/program.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::stablehlo {

// The function `main` becomes the entry computation, functions that it calls become computations of
// their own, as do regions. One result of `main` is the root itself, any other number are elements
// of a tuple. Every instruction obeys the rules of its operation; VerifyModule looks at what holds
// between them. InvalidArgument and Unimplemented name the operation of the program, where it
// stands and the rule that is broken.
absl::StatusOr<std::unique_ptr<HloModule>> ToHloModule(const Program& program);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_LOWER_LOWER_H_
