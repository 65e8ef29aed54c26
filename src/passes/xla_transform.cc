#include "xla/service/xla_transform.h"

#include <array>
#include <mutex>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/verifier.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_schedule.h"
#include "xla/hlo/transforms/simplifiers/hlo_memory_scheduler.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using PipelineStage = HloXlaTransform::PipelineStage;
using Transforms = std::vector<std::shared_ptr<HloXlaTransform>>;

// Nothing runs, and nothing is destroyed, while it is locked.
struct TransformRegistry {
  std::mutex mutex;
  std::array<Transforms, 2> stages;

  Transforms& Of(PipelineStage stage) { return stages[static_cast<size_t>(stage)]; }
};

TransformRegistry& TheTransforms() {
  static auto* const registry = new TransformRegistry();
  return *registry;
}

bool HasInterface(const HloComputation& computation, const ProgramShape& interface) {
  return absl::c_equal(computation.ComputeProgramShape().parameters(), interface.parameters(),
                       ShapeUtil::Compatible) &&
         ShapeUtil::Compatible(computation.root_instruction()->shape(), interface.result());
}

}  // namespace

void RegisterHloXlaTransform(PipelineStage stage, std::shared_ptr<HloXlaTransform> transform) {
  const std::lock_guard<std::mutex> lock(TheTransforms().mutex);
  TheTransforms().Of(stage).push_back(std::move(transform));
}

Transforms GetHloXlaTransforms(PipelineStage stage) {
  const std::lock_guard<std::mutex> lock(TheTransforms().mutex);
  return TheTransforms().Of(stage);
}

bool ClearHloXlaTransforms() {
  std::array<Transforms, 2> removed;
  const std::lock_guard<std::mutex> lock(TheTransforms().mutex);
  removed.swap(TheTransforms().stages);
  return absl::c_any_of(removed, [](const Transforms& stage) { return !stage.empty(); });
}

bool ClearHloXlaTransform(PipelineStage stage, absl::string_view name) {
  std::shared_ptr<HloXlaTransform> removed;
  const std::lock_guard<std::mutex> lock(TheTransforms().mutex);
  Transforms& transforms = TheTransforms().Of(stage);
  const auto found =
      absl::c_find_if(transforms, [&](const auto& transform) { return transform->name() == name; });
  if (found == transforms.end()) return false;
  removed = std::move(*found);
  transforms.erase(found);
  return true;
}

absl::StatusOr<bool> ApplyXlaTransformsToModule(PipelineStage stage, HloModule* module) {
  bool is_changed = false;
  for (const std::shared_ptr<HloXlaTransform>& transform : GetHloXlaTransforms(stage)) {
    const absl::StatusOr<bool> changed = transform->Transform(module);
    if (!changed.ok()) {
      return absl::Status(changed.status().code(), absl::StrCat("the transform ", transform->name(),
                                                                ": ", changed.status().message()));
    }
    is_changed = is_changed || *changed;
  }
  return is_changed;
}

absl::StatusOr<bool> ApplyXlaTransforms::RunImpl(HloModule* module, const ExecutionThreads&) {
  HILO_ASSIGN_OR_RETURN(const bool is_changed, ApplyXlaTransformsToModule(stage_, module));
  if (is_changed) HILO_RETURN_IF_ERROR(VerifyModule(*module));
  return is_changed;
}

absl::Status UpdateHloModuleFromProto(HloModule* module, const HloModuleProto& transformed_proto) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> given,
                        HloModule::CreateFromProto(transformed_proto, module->config()));
  std::vector<std::pair<HloComputation*, std::vector<HloInstruction*>>> sequences;
  if (given->has_schedule()) {
    for (HloComputation* computation : given->computations()) {
      if (given->schedule().is_computation_scheduled(computation))
        sequences.emplace_back(computation, given->schedule().sequence(computation).instructions());
    }
  }
  HloInputOutputAliasConfig aliases = given->input_output_alias_config();
  HloBufferDonorConfig donors = given->buffer_donor_config();
  HloComputation* const entry = given->entry_computation();
  const ComputationLayout layout = module->entry_computation_layout();
  const bool is_same = HasInterface(*entry, module->entry_computation()->ComputeProgramShape());

  module->clear_schedule();
  module->MoveComputationsFrom(given.get());
  module->ReplaceEntryComputation(entry);
  if (is_same) *module->mutable_entry_computation_layout() = layout;
  module->set_input_output_alias_config(std::move(aliases));
  module->set_buffer_donor_config(std::move(donors));
  HILO_RETURN_IF_ERROR(module->RemoveUnusedComputations());
  module->Cleanup();

  if (sequences.empty()) return absl::OkStatus();
  HloSchedule schedule(module);
  for (const auto& [computation, sequence] : sequences) {
    if (absl::c_linear_search(module->computations(), computation))
      schedule.set_sequence(computation, sequence);
  }
  return module->set_schedule(std::move(schedule));
}

namespace passes {

namespace {

// Whether only control flow calls it, so that its instructions may be fused.
bool IsControlled(const HloComputation& computation) {
  return absl::c_all_of(computation.caller_instructions(), [](const HloInstruction* caller) {
    return GetInstructionCallContext(caller->opcode()) == CallContext::kControlFlow;
  });
}

// A schedule, and below it, as elsewhere after scheduling, what is computed element by element in
// fusions: clients replace that without touching the schedule.
absl::Status Schedule(HloModule& module) {
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    if (!IsControlled(*computation)) continue;
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->IsElementwise() && instruction->operand_count() > 0 &&
          instruction->called_computations().empty() && !instruction->HasControlDependencies() &&
          !instruction->HasSideEffect())
        computation->CreateFusionInstruction({instruction}, HloInstruction::FusionKind::kLoop);
    }
  }
  return HloTrivialScheduler().Run(&module).status();
}

}  // namespace

bool HasTransforms() {
  return !GetHloXlaTransforms(PipelineStage::kPreScheduler).empty() ||
         !GetHloXlaTransforms(PipelineStage::kPostScheduler).empty();
}

absl::StatusOr<bool> ApplyTransforms(HloModule& module) {
  if (!HasTransforms()) return false;
  bool is_changed = false;
  const ProgramShape interface = module.entry_computation()->ComputeProgramShape();
  for (PipelineStage stage : {PipelineStage::kPreScheduler, PipelineStage::kPostScheduler}) {
    if (GetHloXlaTransforms(stage).empty()) continue;
    if (stage == PipelineStage::kPostScheduler) HILO_RETURN_IF_ERROR(Schedule(module));
    HILO_ASSIGN_OR_RETURN(const bool changed, ApplyXlaTransforms(stage).Run(&module));
    is_changed = is_changed || changed;
  }
  module.clear_schedule();
  HILO_RETURN_IF_ERROR(InlineCalls(module).status());
  if (!HasInterface(*module.entry_computation(), interface))
    return InvalidArgument("a transform changed the shapes of the parameters or of the result");
  return is_changed;
}

}  // namespace passes
}  // namespace xla
