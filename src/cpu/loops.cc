#include "cpu/loops.h"

#include <memory>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "codegen/loops/schedule.h"
#include "codegen/target.h"
#include "cpu/emit/kernel.h"
#include "cpu/emit/kernel_set.h"
#include "cpu/plan/dimensions.h"
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
                         IsKernelReduce(*each) || (IsClosedKernel(*each) && is_root);
    if (!is_fine) {
      return InvalidArgument("%s of fusion computation %s is no part of kernels", each->name(),
                             computation.name());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> LoopsText(const HloModule& module, absl::string_view pass) {
  std::vector<absl::string_view> names = {"loops", "lower"};
  for (const loops::SchedulePass& each : loops::SchedulePasses()) names.push_back(each.name);
  if (!absl::c_linear_search(names, pass)) {
    return InvalidArgument("no pass over loops is called \"%s\"; there are %s", pass,
                           absl::StrJoin(names, ", "));
  }
  const DebugOptions& options = module.config().debug_options();
  HILO_ASSIGN_OR_RETURN(const codegen::Target target, codegen::Target::Of(options));
  const loops::Conditions conditions = {target, options.xla_allow_excess_precision()};
  std::string text;
  for (const HloComputation* computation : module.MakeNonfusionComputations()) {
    for (const HloInstruction* fusion : computation->MakeInstructionPostOrder()) {
      if (fusion->opcode() != HloOpcode::kFusion || HasNoElements(*fusion)) continue;
      HILO_RETURN_IF_ERROR(CheckHasLoops(*fusion->fused_instructions_computation()));
      const std::unique_ptr<HloComputation> body =
          MergeDimensions(*fusion->fused_instructions_computation());
      absl::StrAppend(&text, text.empty() ? "" : "\n", fusion->name(), " = ",
                      body->ToString(HloPrintOptions::ShortParsable()), "\n");
      if (IsClosedKernel(*body->root_instruction())) continue;
      HILO_ASSIGN_OR_RETURN(const loops::Kernel kernel, loops::Schedule(*body, conditions, pass));
      absl::StrAppend(&text, loops::ToString(kernel));
    }
  }
  return text;
}

}  // namespace xla::cpu
