#include "xla/hlo/ir/hlo_module.h"

#include <atomic>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/clone_context.h"
#include "ir/graph.h"
#include "ir/name_uniquer.h"
#include "xla/util.h"

namespace xla {
namespace {

int NextModuleId() {
  static std::atomic<int> next{0};
  return next++;
}

}  // namespace

HloModule::HloModule(std::string name, HloModuleConfig config)
    : name_(std::move(name)), unique_id_(NextModuleId()), config_(std::move(config)),
      computation_names_(std::make_unique<NameUniquer>()) {}

HloModule::~HloModule() = default;

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
    if (!config_.has_entry_computation_layout()) {
      config_.SetComputationLayoutIfExists(added->ComputeProgramShape());
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

void HloModule::ReplaceEntryComputation(HloComputation* entry_computation) {
  entry_computation_ = entry_computation;
  config_.SetDefaultComputationLayout(entry_computation->ComputeProgramShape());
  input_output_alias_config_ =
      HloInputOutputAliasConfig(entry_computation->root_instruction()->shape());
}

absl::Status HloModule::RemoveEmbeddedComputation(HloComputation* computation) {
  const auto found = absl::c_find_if(computations_, [&](const auto& candidate) {
    return candidate.get() == computation;
  });
  if (found == computations_.end() || computation == entry_computation_) {
    return NotFound("%s is not an embedded computation of module %s", computation->name(), name_);
  }
  computations_.erase(found);
  return absl::OkStatus();
}

absl::Status HloModule::RemoveUnusedComputations() {
  absl::flat_hash_set<const HloComputation*> used = {entry_computation_};
  for (const HloComputation* computation : entry_computation_->MakeEmbeddedComputationsList()) {
    used.insert(computation);
  }
  std::vector<HloComputation*> unused;
  for (HloComputation* computation : computations()) {
    if (!used.contains(computation)) unused.push_back(computation);
  }
  for (HloComputation* computation : unused) {
    HILO_RETURN_IF_ERROR(RemoveEmbeddedComputation(computation));
  }
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
  std::erase_if(order,
                [](const HloComputation* computation) { return computation->IsFusionComputation(); });
  return order;
}

std::unique_ptr<HloModule> HloModule::Clone(const std::string& suffix,
                                            std::optional<const HloModuleConfig> config) const {
  auto clone =
      std::make_unique<HloModule>(suffix.empty() ? name_ : absl::StrCat(name_, "-", suffix),
                                  config.has_value() ? *config : config_);
  HloCloneContext context;
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
  clone->schedule_ = schedule_;
  clone->frontend_attributes_ = frontend_attributes_;
  clone->spmd_parameters_shardings_ = spmd_parameters_shardings_;
  clone->spmd_output_sharding_ = spmd_output_sharding_;
  clone->stack_frames_ = stack_frames_;
  clone->original_value_recovery_table_ = original_value_recovery_table_;
  clone->debug_attributes_ = debug_attributes_;
  clone->uninterpreted_ = uninterpreted_;
  return clone;
}

}  // namespace xla
