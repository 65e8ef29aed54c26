// The plans of programs and the loops of kernels, for people and tests.
#ifndef HILO_CPU_LOOPS_H_
#define HILO_CPU_LOOPS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "codegen/program/plan.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// What the kernel of each step computes, its dimensions merged, and its loops.
std::string LoopsText(const program::Plan& plan);

// That, or the plan itself, of a module for the target that it names: behind a pass over loops
// ("lower", the name of another one, or "loops" for all of them) or over programs ("steps", the
// name of another one, or "program"). InvalidArgument for other names.
absl::StatusOr<std::string> PlanText(const HloModule& module, absl::string_view pass);

}  // namespace xla::cpu

#endif  // HILO_CPU_LOOPS_H_
