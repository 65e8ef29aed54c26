// The passes that clients see, as far as they are classes over the passes here.
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/records.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "passes/simplify/algebra.h"
#include "xla/hlo/ir/hlo_module_metadata.h"
#include "xla/hlo/pass/hlo_pass_pipeline.h"
#include "xla/hlo/transforms/expanders/rng_bit_generator_expander.h"
#include "xla/hlo/transforms/expanders/rng_expander.h"
#include "xla/hlo/transforms/simplifiers/hlo_dce.h"
#include "xla/hlo/transforms/simplifiers/tuple_simplifier.h"
#include "xla/service/call_graph.h"
#include "xla/service/flatten_call_graph.h"

namespace xla {
namespace {

absl::Status NamingPass(const absl::Status& status, absl::string_view pass) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(pass, ": ", status.message()));
}

}  // namespace

absl::Status HloPassPipeline::Check(HloModule* module, const ExecutionThreads& execution_threads,
                                    absl::string_view after) {
  for (const std::unique_ptr<HloPassInterface>& checker : checkers_) {
    const absl::StatusOr<bool> changed = checker->Run(module, execution_threads);
    HILO_RETURN_IF_ERROR(NamingPass(changed.status(), absl::StrCat(checker->name(), after)));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> HloPassPipeline::RunImpl(HloModule* module,
                                              const ExecutionThreads& execution_threads) {
  HILO_RETURN_IF_ERROR(Check(module, execution_threads, absl::StrCat(" before ", name_)));
  bool is_changed = false;
  for (const std::unique_ptr<HloPassInterface>& pass : passes_) {
    HloModuleMetadata& metadata = *module->metadata();
    metadata.RecordPassStart();
    HILO_RETURN_IF_ERROR(metadata.set_current_pass_name(pass->name()));
    HILO_RETURN_IF_ERROR(metadata.set_current_pass_pipeline_name(name_));
    const absl::StatusOr<bool> changed = pass->Run(module, execution_threads);
    HILO_RETURN_IF_ERROR(NamingPass(changed.status(), pass->name()));
    HILO_RETURN_IF_ERROR(metadata.set_current_pass_module_changed(*changed));
    HILO_RETURN_IF_ERROR(metadata.set_current_pass_module_id(module->unique_id()));
    HILO_RETURN_IF_ERROR(metadata.RecordPassEnd());
    HILO_RETURN_IF_ERROR(Check(module, execution_threads, absl::StrCat(" after ", pass->name())));
    module->Cleanup();
    is_changed = is_changed || *changed;
  }
  return is_changed;
}

namespace {

// A collective that only its channel, which other partitions share, keeps alive.
bool IsRemovableCollective(const HloInstruction& instruction) {
  return instruction.IsCollective() && instruction.channel_id().has_value() &&
         instruction.called_computations().size() <= 1;
}

}  // namespace

absl::StatusOr<bool> HloDCE::RunOnComputation(HloComputation* computation,
                                              bool remove_cross_partition_collective_ops) {
  if (remove_cross_partition_collective_ops) {
    std::vector<HloInstruction*> order = computation->MakeInstructionPostOrder();
    for (auto instruction = order.rbegin(); instruction != order.rend(); ++instruction) {
      const bool is_used = absl::c_any_of((*instruction)->users(), [](const HloInstruction* user) {
        return !user->IsMarkedAsDead();
      });
      if (!is_used && !(*instruction)->IsRoot() && IsRemovableCollective(**instruction)) {
        (*instruction)->MarkAsDead();
      }
    }
  }
  return passes::RemoveDeadCode(*computation);
}

absl::StatusOr<bool> HloDCE::RunImpl(HloModule* module, const ExecutionThreads& execution_threads) {
  bool is_changed = false;
  for (HloComputation* computation : module->MakeComputationPostOrder(execution_threads)) {
    HILO_ASSIGN_OR_RETURN(const bool changed,
                          RunOnComputation(computation, remove_cross_partition_collective_ops_));
    is_changed = is_changed || changed;
  }
  const int64_t count = module->computation_count();
  HILO_RETURN_IF_ERROR(module->RemoveUnusedComputations());
  return is_changed || module->computation_count() != count;
}

namespace {

// Computations that are called on elements.
absl::flat_hash_set<const HloComputation*> EmbeddedComputations(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> embedded;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->IsAsynchronous() ||
          GetInstructionCallContext(instruction->opcode()) == CallContext::kControlFlow) {
        continue;
      }
      embedded.insert(instruction->called_computations().begin(),
                      instruction->called_computations().end());
    }
  }
  return embedded;
}

}  // namespace

absl::StatusOr<bool> TupleSimplifier::RunImpl(HloModule* module, const ExecutionThreads&) {
  return passes::ReplaceEach(
      *module, [&](HloInstruction& instruction) -> absl::StatusOr<HloInstruction*> {
        if (exclude_entry_computation_ && instruction.parent()->IsEntryComputation())
          return nullptr;
        return passes::WithoutTuple(instruction);
      });
}

absl::StatusOr<bool> FlattenCallGraph::RunImpl(HloModule* module,
                                               const ExecutionThreads& execution_threads) {
  bool is_changed = false;
  absl::flat_hash_set<const HloComputation*> taken = EmbeddedComputations(*module);
  std::vector<HloComputation*> waiting = {module->entry_computation()};
  while (!waiting.empty()) {
    HloComputation* const computation = waiting.back();
    waiting.pop_back();
    for (HloInstruction* caller : computation->MakeInstructionPostOrder()) {
      const bool is_start = caller->opcode() == HloOpcode::kAsyncStart;
      if (!is_start && GetInstructionCallContext(caller->opcode()) != CallContext::kControlFlow) {
        continue;
      }
      for (int64_t i = 0; i < static_cast<int64_t>(caller->called_computations().size()); ++i) {
        HloComputation* callee = caller->called_computations()[i];
        const bool is_meant =
            execution_threads.empty() || execution_threads.contains(callee->execution_thread());
        if (is_meant && !taken.insert(callee).second) {
          callee = module->AddEmbeddedComputation(callee->Clone());
          taken.insert(callee);
          is_changed = true;
          for (HloInstruction* step :
               is_start ? caller->GetAsyncChain() : std::vector<HloInstruction*>{caller}) {
            step->set_called_computation(i, callee);
          }
        }
        waiting.push_back(callee);
      }
    }
  }
  return is_changed;
}

absl::StatusOr<bool> RngBitGeneratorExpander::RunImpl(HloModule* module, const ExecutionThreads&) {
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kRngBitGenerator) continue;
      auto& attributes = instruction->mutable_attributes_as<RngBitGeneratorAttributes>();
      if (attributes.algorithm == RNG_DEFAULT) attributes.algorithm = default_algorithm_;
    }
  }
  return passes::ExpandRandomBits(*module);
}

absl::StatusOr<bool> RngExpander::RunImpl(HloModule* module, const ExecutionThreads&) {
  return passes::ExpandRandomNumbers(*module);
}

}  // namespace xla
