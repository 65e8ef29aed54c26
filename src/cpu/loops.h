// The loops of kernels, for people and tests.
#ifndef HILO_CPU_LOOPS_H_
#define HILO_CPU_LOOPS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// What each fusion of a module computes, its dimensions merged, and its loops (codegen/loops)
// for the target that the
// module names, behind a pass over them: "lower", the name of another one, or "loops" for all of
// them. InvalidArgument for other names.
absl::StatusOr<std::string> LoopsText(const HloModule& module, absl::string_view pass);

}  // namespace xla::cpu

#endif  // HILO_CPU_LOOPS_H_
