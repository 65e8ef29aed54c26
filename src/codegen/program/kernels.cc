#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "codegen/loops/merge_dimensions.h"
#include "codegen/loops/schedule.h"
#include "codegen/program/passes.h"
#include "runtime/parallel.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/shape_util.h"

namespace xla::program {
namespace {

// Fewer elements are not worth the time it takes to wake another thread.
constexpr double kElementsWorthAThread = 16384;

void Launch(const loops::Kernel& kernel, Step& step) {
  step.units = loops::Units(kernel);
  const double cost = loops::CostOf(kernel) / std::max(1.0, static_cast<double>(step.units));
  const auto least =
      std::max<int64_t>(1, static_cast<int64_t>(kElementsWorthAThread / std::max(1.0, cost)));
  if (step.units >= 2 * least) step.least = least;
}

// Kernels that read sums of products do not depend on what these are the sums of.
std::string KeyOfKernel(const HloComputation& computation) {
  const HloInstruction* product = loops::ProductIn(computation);
  if (product == nullptr) return KeyOf(computation);
  HloComputation::Replacements replacements;
  replacements[product] = HloInstruction::CreateCustomCall(product->shape(), {}, "sums");
  for (const HloInstruction* operand : product->operands()) {
    while (operand->user_count() == 1 && operand->opcode() != HloOpcode::kParameter &&
           operand->operand_count() == 1) {
      replacements[operand] = nullptr;
      operand = operand->operand(0);
    }
    if (operand->opcode() != HloOpcode::kParameter || operand->user_count() > 1) continue;
    replacements[operand] = HloInstruction::CreateParameter(
        operand->parameter_number(), ShapeUtil::MakeShape(PRED, {}), operand->name());
  }
  return KeyOf(*computation.CloneWithReplacements(&replacements));
}

}  // namespace

std::string KeyOf(const HloComputation& computation) {
  static const HloPrintOptions* const options =
      new HloPrintOptions(HloPrintOptions::Canonical()
                              .set_print_large_constants(true)
                              .set_print_operand_shape(false)
                              .set_include_layout_in_shapes(false)
                              .set_print_frontend_attributes(false)
                              .set_print_original_value(false)
                              .set_print_ids(false));
  return computation.ToString(*options);
}

absl::Status ScheduleKernels(Plan& plan) {
  absl::flat_hash_map<std::string, int> known;
  ForEachStep(plan.entry, [&](Step& step) {
    if ((step.kind != Step::Kind::kLaunch && step.kind != Step::Kind::kCall) ||
        step.instruction->opcode() != HloOpcode::kFusion)
      return;
    std::unique_ptr<HloComputation> computation =
        loops::MergeDimensions(*step.instruction->fused_instructions_computation());
    step.kernel =
        known.try_emplace(KeyOfKernel(*computation), static_cast<int>(known.size())).first->second;
    if (known.size() > plan.kernels.size()) plan.kernels.push_back({std::move(computation)});
  });
  const loops::Conditions conditions = {
      *plan.target, plan.module->config().debug_options().xla_allow_excess_precision()};
  std::vector<absl::Status> results(plan.kernels.size());
  const auto schedule = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      absl::StatusOr<loops::Kernel> loops =
          loops::Schedule(*plan.kernels[i].computation, conditions, plan.last_pass);
      results[i] = loops.status();
      if (loops.ok()) plan.kernels[i].loops = *std::move(loops);
    }
  };
  runtime::ParallelFor(static_cast<int64_t>(results.size()), 1, schedule);
  for (const absl::Status& result : results) HILO_RETURN_IF_ERROR(result);
  ForEachStep(plan.entry, [&](Step& step) {
    if (step.kind == Step::Kind::kLaunch) Launch(plan.kernels[step.kernel].loops, step);
  });
  return absl::OkStatus();
}

}  // namespace xla::program
