// The way back from HLO modules to StableHLO programs, to be printed for those who read StableHLO.
#ifndef HILO_FRONT_STABLEHLO_FROM_HLO_FROM_HLO_H_
#define HILO_FRONT_STABLEHLO_FROM_HLO_FROM_HLO_H_

#include <memory>

#include "absl/status/statusor.h"
#include "front/stablehlo/program.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::stablehlo {

// A program that computes what the module does. Tuples become several values; fusions become calls;
// copies, which differ in layout only, are left out, and so are layouts and schedules.
// Unimplemented names the instruction that StableHLO has no operation for, such as those of
// asynchronous execution.
absl::StatusOr<std::unique_ptr<Program>> FromHloModule(const HloModule& module);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_FROM_HLO_FROM_HLO_H_
