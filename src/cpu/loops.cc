#include "cpu/loops.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "codegen/loops/schedule.h"
#include "codegen/program/passes.h"
#include "codegen/program/plan.h"
#include "codegen/target.h"
#include "cpu/plan/fusion_rules.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Modules may come with fusions that `fuse-loops` would not make.
absl::Status CheckHasLoops(const HloComputation& computation) {
  for (const HloInstruction* each : computation.instructions()) {
    const bool is_root = each == computation.root_instruction();
    const bool is_fine = (each->opcode() == HloOpcode::kParameter && each->shape().IsArray()) ||
                         (each->opcode() == HloOpcode::kDynamicUpdateSlice && is_root) ||
                         (each->opcode() == HloOpcode::kTuple && is_root) ||
                         each->opcode() == HloOpcode::kGetTupleElement || CanBeInKernel(*each) ||
                         IsKernelReduce(*each) || each == loops::ProductIn(computation) ||
                         (IsClosedKernel(*each) && is_root);
    if (!is_fine) {
      return InvalidArgument("%s of fusion computation %s is no part of kernels", each->name(),
                             computation.name());
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string LoopsText(const program::Plan& plan) {
  std::string text;
  program::ForEachStep(plan.entry, [&](const program::Step& step) {
    if (step.kernel < 0) return;
    const program::Kernel& kernel = plan.kernels[step.kernel];
    absl::StrAppend(&text, text.empty() ? "" : "\n", step.instruction->name(), " = ",
                    kernel.computation->ToString(HloPrintOptions::ShortParsable()), "\n",
                    loops::ToString(kernel.loops));
  });
  return text;
}

absl::StatusOr<std::string> PlanText(const HloModule& module, absl::string_view pass) {
  std::vector<absl::string_view> of_programs = {"program", "steps"}, of_loops = {"loops", "lower"};
  for (const program::ProgramPass& each : program::ProgramPasses())
    of_programs.push_back(each.name);
  for (const loops::SchedulePass& each : loops::SchedulePasses()) of_loops.push_back(each.name);
  const bool wants_loops = absl::c_linear_search(of_loops, pass);
  if (!wants_loops && !absl::c_linear_search(of_programs, pass)) {
    return InvalidArgument("no pass over programs or loops is called \"%s\"; there are %s, and %s",
                           pass, absl::StrJoin(of_programs, ", "), absl::StrJoin(of_loops, ", "));
  }
  for (const HloComputation* computation : module.MakeNonfusionComputations()) {
    for (const HloInstruction* each : computation->instructions()) {
      if (each->opcode() == HloOpcode::kFusion)
        HILO_RETURN_IF_ERROR(CheckHasLoops(*each->fused_instructions_computation()));
    }
  }
  HILO_ASSIGN_OR_RETURN(const codegen::Target target,
                        codegen::Target::Of(module.config().debug_options()));
  HILO_ASSIGN_OR_RETURN(const program::Plan plan, program::MakePlan(module, target, pass));
  return wants_loops ? LoopsText(plan) : program::ToString(plan);
}

}  // namespace xla::cpu
