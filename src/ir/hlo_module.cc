#include "xla/hlo/ir/hlo_module.h"

#include <atomic>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/hash/hash.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/graph.h"
#include "ir/name_uniquer.h"
#include "xla/hlo/ir/hlo_clone_context.h"
#include "xla/hlo/ir/hlo_module_metadata.h"
#include "xla/service/compilation_environments.h"
#include "xla/util.h"

namespace xla {
namespace {

bool IsMeant(const HloComputation& computation, const HloModule::ExecutionThreads& threads) {
  return threads.empty() || threads.contains(computation.execution_thread());
}

}  // namespace

int HloModule::GetNextUniqueModuleId() {
  static std::atomic<int> next{0};
  return next++;
}

HloModule::HloModule(std::string name, HloModuleConfig config)
    : HloModule(std::move(name), std::move(config), nullptr) {}

HloModule::HloModule(std::string name, HloModuleConfig config,
                     std::unique_ptr<CompilationEnvironments> comp_envs)
    : HloModule(std::move(name), std::make_shared<HloModuleConfig>(std::move(config)),
                std::move(comp_envs)) {
  is_config_shared_ = false;
}

HloModule::HloModule(std::string name, std::shared_ptr<const HloModuleConfig> config,
                     std::unique_ptr<CompilationEnvironments> comp_envs)
    : name_(std::move(name)),
      unique_id_(GetNextUniqueModuleId()),
      config_(std::const_pointer_cast<HloModuleConfig>(std::move(config))),
      is_config_shared_(true),
      comp_envs_(comp_envs != nullptr ? std::move(comp_envs)
                                      : std::make_unique<CompilationEnvironments>()),
      computation_names_(std::make_unique<NameUniquer>()),
      metadata_(std::make_unique<HloModuleMetadata>()) {
  metadata_->set_canonical_module_id(unique_id_);
}

HloModule::~HloModule() = default;

HloModuleConfig& HloModule::mutable_config() {
  if (is_config_shared_) set_config(*config_);
  return *config_;
}

void HloModule::set_config(HloModuleConfig config) {
  config_ = std::make_shared<HloModuleConfig>(std::move(config));
  is_config_shared_ = false;
}

absl::Status HloModule::set_schedule(HloSchedule schedule) {
  HILO_RETURN_IF_ERROR(schedule.Verify(*this));
  set_schedule_without_check(std::move(schedule));
  return absl::OkStatus();
}

void HloModule::set_schedule_without_check(HloSchedule schedule) {
  schedule.module_ = this;
  schedule_ = std::move(schedule);
}

void HloModule::MoveMetadataToModule(HloModule* module) {
  module->metadata_ = std::exchange(metadata_, std::make_unique<HloModuleMetadata>());
}

HloComputation* HloModule::AddComputation(std::unique_ptr<HloComputation> computation,
                                          bool is_entry) {
  HloComputation* added = computation.get();
  added->set_parent(this);
  added->set_name(computation_names_->GetUniqueName(added->name()));
  if (added->unique_id() < 0) added->SetUniqueId(next_computation_id_);
  next_computation_id_ = std::max(next_computation_id_, added->unique_id() + 1);
  computations_.push_back(std::move(computation));
  if (is_entry) {
    CHECK(entry_computation_ == nullptr) << "module " << name_ << " has an entry already";
    entry_computation_ = added;
    if (!config_->has_entry_computation_layout()) {
      mutable_config().SetComputationLayoutIfExists(added->ComputeProgramShape());
    }
    input_output_alias_config_ = HloInputOutputAliasConfig(added->root_instruction()->shape());
  }
  return added;
}

HloComputation* HloModule::AddEntryComputation(std::unique_ptr<HloComputation> computation) {
  return AddComputation(std::move(computation), /*is_entry=*/true);
}

HloComputation* HloModule::AddEmbeddedComputation(std::unique_ptr<HloComputation> computation) {
  return AddComputation(std::move(computation), /*is_entry=*/false);
}

HloComputation* HloModule::AddEntryComputationWithLayouts(
    std::unique_ptr<HloComputation> computation) {
  *mutable_entry_computation_layout() =
      ComputationLayout(computation->ComputeProgramShape(), /*ignore_layouts=*/false);
  return AddEntryComputation(std::move(computation));
}

HloComputation* HloModule::AddComputationAndUnifyNamesAndIds(
    std::unique_ptr<HloComputation> computation, bool is_entry) {
  computation->ClearUniqueIdInternal();
  return AddComputation(std::move(computation), is_entry);
}

void HloModule::ReplaceComputations(
    const absl::flat_hash_map<HloComputation*, HloComputation*>& replacements) {
  const auto replaced = [&](HloComputation* computation) {
    const auto found = replacements.find(computation);
    return found == replacements.end() ? computation : found->second;
  };
  for (HloComputation* computation : computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      instruction->ReplaceCalledComputations(replaced);
    }
  }
  entry_computation_ = replaced(entry_computation_);
  for (const auto& [old_computation, new_computation] : replacements) {
    if (old_computation != new_computation) CHECK_OK(RemoveEmbeddedComputation(old_computation));
  }
}

void HloModule::MoveComputationsFrom(HloModule* module, bool) {
  for (std::unique_ptr<HloComputation>& computation : module->computations_) {
    computation->ClearUniqueIdInternal();
    AddEmbeddedComputation(std::move(computation));
  }
  module->computations_.clear();
  module->entry_computation_ = nullptr;
}

void HloModule::ReplaceEntryComputation(HloComputation* entry_computation) {
  entry_computation_ = entry_computation;
  mutable_config().SetDefaultComputationLayout(entry_computation->ComputeProgramShape());
  input_output_alias_config_ =
      HloInputOutputAliasConfig(entry_computation->root_instruction()->shape());
}

absl::Status HloModule::RemoveEmbeddedComputation(HloComputation* computation) {
  const auto found = absl::c_find_if(
      computations_, [&](const auto& candidate) { return candidate.get() == computation; });
  if (found == computations_.end() || computation == entry_computation_) {
    return NotFound("%s is not an embedded computation of module %s", computation->name(), name_);
  }
  if (has_schedule()) schedule_->remove_computation(computation);
  removed_.push_back(std::move(*found));
  computations_.erase(found);
  return absl::OkStatus();
}

void HloModule::Cleanup() {
  removed_.clear();
  for (const auto& computation : computations_) computation->Cleanup();
}

HloInstruction* HloModule::OutlineExpressionFromComputation(
    absl::Span<HloInstruction* const> instructions_to_outline,
    const std::string& outlined_computation_name, HloComputation* computation) {
  HloComputation::Builder builder(outlined_computation_name);
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> inside;
  std::vector<HloInstruction*> arguments;
  HloInstruction* root = nullptr;
  for (HloInstruction* instruction : instructions_to_outline) {
    std::vector<HloInstruction*> operands;
    for (HloInstruction* operand : instruction->operands()) {
      HloInstruction*& own = inside[operand];
      if (own == nullptr) {
        own = builder.AddInstruction(
            HloInstruction::CreateParameter(static_cast<int64_t>(arguments.size()),
                                            operand->shape(), absl::StrCat("p", arguments.size())));
        arguments.push_back(operand);
      }
      operands.push_back(own);
    }
    inside[instruction] =
        builder.AddInstruction(instruction->CloneWithNewOperands(instruction->shape(), operands));
    const bool is_needed_outside =
        instruction->IsRoot() ||
        absl::c_any_of(instruction->users(), [&](const HloInstruction* user) {
          return !absl::c_linear_search(instructions_to_outline, user);
        });
    if (!is_needed_outside) continue;
    CHECK(root == nullptr) << root->name() << " and " << instruction->name()
                           << " are both used by others";
    root = instruction;
  }
  CHECK(root != nullptr);
  HloComputation* outlined = AddEmbeddedComputation(builder.Build(inside.at(root)));
  HloInstruction* call =
      computation->AddInstruction(HloInstruction::CreateCall(root->shape(), arguments, outlined));
  CHECK_OK(root->ReplaceAllUsesWith(call));
  for (auto instruction = instructions_to_outline.rbegin();
       instruction != instructions_to_outline.rend(); ++instruction) {
    CHECK_OK(computation->RemoveInstruction(*instruction));
  }
  return call;
}

absl::Status HloModule::RemoveUnusedComputations() {
  absl::flat_hash_set<const HloComputation*> used = {entry_computation_};
  for (std::vector<const HloComputation*> waiting = {entry_computation_}; !waiting.empty();) {
    const HloComputation* const computation = waiting.back();
    waiting.pop_back();
    for (const HloInstruction* instruction : computation->instructions()) {
      for (const HloComputation* callee : instruction->called_computations()) {
        if (used.insert(callee).second) waiting.push_back(callee);
      }
    }
  }
  const auto unused = absl::c_stable_partition(
      computations_, [&](const auto& computation) { return used.contains(computation.get()); });
  for (auto each = unused; each != computations_.end(); ++each) {
    if (has_schedule()) schedule_->remove_computation(each->get());
    removed_.push_back(std::move(*each));
  }
  computations_.erase(unused, computations_.end());
  return absl::OkStatus();
}

ComputationLayout HloModule::compute_computation_layout() const {
  return ComputationLayout(entry_computation_->ComputeProgramShape(), /*ignore_layouts=*/false);
}

int64_t HloModule::instruction_count() const {
  int64_t count = 0;
  for (const auto& computation : computations_) count += computation->instruction_count();
  return count;
}

HloComputation* HloModule::GetComputationWithName(absl::string_view name) const {
  for (const auto& computation : computations_) {
    if (computation->name() == name) return computation.get();
  }
  return nullptr;
}

std::vector<HloComputation*> HloModule::MakeComputationPostOrder() const {
  absl::flat_hash_set<const HloComputation*> called;
  for (const auto& computation : computations_) {
    for (const HloInstruction* instruction : computation->instructions()) {
      called.insert(instruction->called_computations().begin(),
                    instruction->called_computations().end());
    }
  }
  absl::flat_hash_set<const HloComputation*> added;
  std::vector<HloComputation*> order;
  for (const auto& computation : computations_) {
    if (called.contains(computation.get())) continue;
    AppendEmbeddedComputations(*computation, &added, &order);
    if (added.insert(computation.get()).second) order.push_back(computation.get());
  }
  return order;
}

std::vector<HloComputation*> HloModule::MakeNonfusionComputations() const {
  std::vector<HloComputation*> order = MakeComputationPostOrder();
  std::erase_if(
      order, [](const HloComputation* computation) { return computation->IsFusionComputation(); });
  return order;
}

std::vector<HloComputation*> HloModule::computations(
    const ExecutionThreads& execution_threads) const {
  std::vector<HloComputation*> meant;
  for (const auto& computation : computations_) {
    if (IsMeant(*computation, execution_threads)) meant.push_back(computation.get());
  }
  return meant;
}

std::vector<HloComputation*> HloModule::MakeComputationPostOrder(
    const ExecutionThreads& execution_threads) const {
  std::vector<HloComputation*> order = MakeComputationPostOrder();
  std::erase_if(order, [&](const HloComputation* computation) {
    return !IsMeant(*computation, execution_threads);
  });
  return order;
}

std::vector<HloComputation*> HloModule::MakeComputationPostOrder(
    const ExecutionThreads& execution_threads,
    const absl::flat_hash_set<HloComputation*>& allow_list) const {
  std::vector<HloComputation*> order = MakeComputationPostOrder(execution_threads);
  std::erase_if(order,
                [&](HloComputation* computation) { return !allow_list.contains(computation); });
  return order;
}

std::vector<HloComputation*> HloModule::MakeNonfusionComputations(
    const ExecutionThreads& execution_threads) const {
  std::vector<HloComputation*> order = MakeNonfusionComputations();
  std::erase_if(order, [&](const HloComputation* computation) {
    return !IsMeant(*computation, execution_threads);
  });
  return order;
}

std::vector<HloComputation*> HloModule::MakeComputationSorted() const {
  std::vector<HloComputation*> order = MakeComputationPostOrder();
  if (!config_->content_aware_computation_sorting()) return order;
  const HloPrintOptions options =
      HloPrintOptions::ModuleFingerprint().set_print_subcomputation_mode(
          HloPrintOptions::PrintSubcomputationMode::kOff);
  std::vector<std::pair<std::string, HloComputation*>> by_text;
  for (HloComputation* computation : order) {
    by_text.push_back({computation->ToString(options), computation});
  }
  absl::c_stable_sort(by_text, [](const auto& a, const auto& b) { return a.first < b.first; });
  absl::c_transform(by_text, order.begin(), [](const auto& each) { return each.second; });
  return order;
}

std::vector<HloComputation*> HloModule::MakeNonfusionComputationsSorted() const {
  std::vector<HloComputation*> order = MakeComputationSorted();
  std::erase_if(
      order, [](const HloComputation* computation) { return computation->IsFusionComputation(); });
  return order;
}

absl::Status HloModule::CheckUniqueNamesAndIdsForComputationsAndInstructions() const {
  absl::flat_hash_set<absl::string_view> computation_names;
  absl::flat_hash_set<int64_t> computation_ids;
  for (const auto& computation : computations_) {
    if (!computation_names.insert(computation->name()).second ||
        !computation_ids.insert(computation->unique_id()).second) {
      return FailedPrecondition("computation %s with id %d is not the only one",
                                computation->name(), computation->unique_id());
    }
    absl::flat_hash_set<absl::string_view> names;
    absl::flat_hash_set<int64_t> ids;
    for (const HloInstruction* instruction : computation->instructions()) {
      if (!names.insert(instruction->name()).second ||
          !ids.insert(instruction->local_id()).second) {
        return FailedPrecondition("instruction %s with id %d of computation %s is not the only one",
                                  instruction->name(), instruction->local_id(),
                                  computation->name());
      }
    }
  }
  return absl::OkStatus();
}

void HloModule::SetAndUniquifyInstrName(HloInstruction* instruction, absl::string_view name) {
  NameUniquer names;
  for (const auto& computation : computations_) {
    for (const HloInstruction* other : computation->instructions()) {
      if (other != instruction) names.GetUniqueName(other->name());
    }
  }
  instruction->SetAndSanitizeName(name);
  instruction->set_name(names.GetUniqueName(instruction->name()));
}

void HloModule::SetAndUniquifyComputationName(HloComputation* computation, absl::string_view name) {
  computation->SetAndSanitizeName(name);
  computation->set_name(computation_names_->GetUniqueName(computation->name()));
}

uint64_t HloModule::RandomNew64() const {
  return absl::HashOf(config_->seed(), unique_id_, random_numbers_++);
}

HloComputation* HloModule::DeepCloneComputation(HloComputation* computation,
                                                HloCloneContext* context) {
  HloCloneContext local(this);
  HloCloneContext& clones = context == nullptr ? local : *context;
  std::vector<HloComputation*> originals = computation->MakeEmbeddedComputationsList();
  originals.push_back(computation);
  HloComputation* clone = nullptr;
  for (HloComputation* original : originals) {
    clone = clones.FindComputation(original);
    if (clone == nullptr)
      clone = AddComputationAndUnifyNamesAndIds(original->Clone("clone", &clones), false);
  }
  return clone;
}

std::unique_ptr<HloModule> HloModule::Clone(const std::string& suffix,
                                            std::optional<const HloModuleConfig> config) const {
  return CloneWithContext(suffix, std::move(config)).first;
}

std::pair<std::unique_ptr<HloModule>, std::unique_ptr<HloCloneContext>> HloModule::CloneWithContext(
    const std::string& suffix, std::optional<const HloModuleConfig> config) const {
  auto clone = std::make_unique<HloModule>(
      suffix.empty() ? name_ : absl::StrCat(name_, "-", suffix),
      config.has_value() ? std::make_shared<HloModuleConfig>(*config) : shared_config(),
      std::make_unique<CompilationEnvironments>(*comp_envs_));
  auto owned_context = std::make_unique<HloCloneContext>(clone.get());
  HloCloneContext& context = *owned_context;
  std::vector<std::pair<const HloComputation*, std::unique_ptr<HloComputation>>> copies;
  for (const HloComputation* old : MakeComputationPostOrder()) {
    copies.emplace_back(old, old->Clone("", &context));
    copies.back().second->SetUniqueId(old->unique_id());
  }
  // Added in the old order, which printing and post order follow.
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<HloComputation>*> by_old;
  for (auto& [old, copy] : copies) by_old[old] = &copy;
  for (const auto& old : computations_) {
    clone->AddComputation(std::move(*by_old.at(old.get())), old.get() == entry_computation_);
  }
  clone->is_dynamic_ = is_dynamic_;
  clone->use_auto_spmd_partitioning_ = use_auto_spmd_partitioning_;
  clone->input_output_alias_config_ = input_output_alias_config_;
  clone->buffer_donor_config_ = buffer_donor_config_;
  if (has_schedule()) clone->set_schedule_without_check(schedule());
  clone->frontend_attributes_ = frontend_attributes_;
  clone->spmd_parameters_shardings_ = spmd_parameters_shardings_;
  clone->spmd_output_sharding_ = spmd_output_sharding_;
  clone->stack_frames_ = stack_frames_;
  clone->original_value_recovery_table_ = original_value_recovery_table_;
  clone->debug_attributes_ = debug_attributes_;
  clone->uninterpreted_ = uninterpreted_;
  clone->metadata_->set_canonical_module_id(metadata_->canonical_module_id());
  return {std::move(clone), std::move(owned_context)};
}

}  // namespace xla
