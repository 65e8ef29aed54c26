// A whole HLO program: computations, of which one is the entry, and what holds for all of them.
#ifndef XLA_HLO_IR_HLO_MODULE_H_
#define XLA_HLO_IR_HLO_MODULE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_input_output_alias_config.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/hlo/ir/hlo_schedule.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/stack_frames.h"
#include "xla/iterator_util.h"
#include "xla/service/compilation_environments.h"
#include "xla/service/hlo.pb.h"
#include "xla/service/hlo_module_config.h"
#include "xla/shape.h"
#include "xla/xla.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {

class HloModuleMetadata;

class HloModule {
 public:
  using ExecutionThreads = absl::flat_hash_set<absl::string_view>;
  using ComputationRange = UnwrappingRange<std::vector<std::unique_ptr<HloComputation>>, HloComputation>;
  using ConstComputationRange =
      UnwrappingRange<const std::vector<std::unique_ptr<HloComputation>>, const HloComputation>;

  HloModule(std::string name, HloModuleConfig config);
  // With a configuration that others share, and with options of compilers; null for none.
  HloModule(std::string name, std::shared_ptr<const HloModuleConfig> config,
            std::unique_ptr<CompilationEnvironments> comp_envs);
  HloModule(std::string name, HloModuleConfig config,
            std::unique_ptr<CompilationEnvironments> comp_envs);
  virtual ~HloModule();
  HloModule(const HloModule&) = delete;
  HloModule& operator=(const HloModule&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  int unique_id() const { return unique_id_; }

  // Takes ownership; the name is made unique in the module. AddEntryComputation also sets the entry layout of the
  // configuration if it has none.
  HloComputation* AddEntryComputation(std::unique_ptr<HloComputation> computation);
  HloComputation* AddEmbeddedComputation(std::unique_ptr<HloComputation> computation);
  // The entry layout is that of the parameters and root.
  HloComputation* AddEntryComputationWithLayouts(std::unique_ptr<HloComputation> computation);
  HloComputation* AddComputationAndUnifyNamesAndIds(std::unique_ptr<HloComputation> computation,
                                                    bool is_entry);
  void ReplaceEntryComputation(HloComputation* entry_computation);
  // Whoever calls one of the keys calls its value instead; the keys are removed.
  void ReplaceComputations(
      const absl::flat_hash_map<HloComputation*, HloComputation*>& replacements);
  // The computations of another module, the entry too, become embedded ones of this.
  void MoveComputationsFrom(HloModule* module, bool make_names_unique = false);
  // Removes a computation nobody calls. It is destroyed by CleanupComputations, or with the module.
  absl::Status RemoveEmbeddedComputation(HloComputation* computation);
  absl::Status RemoveUnusedComputations();
  // Destroys what was removed.
  void Cleanup();
  void CleanupComputations() { Cleanup(); }
  // Moves instructions, operands first, of which only the last is used by others, to a new
  // computation, and calls that.
  HloInstruction* OutlineExpressionFromComputation(
      absl::Span<HloInstruction* const> instructions_to_outline,
      const std::string& outlined_computation_name, HloComputation* computation);

  bool has_entry_computation() const { return entry_computation_ != nullptr; }
  HloComputation* entry_computation() const { return entry_computation_; }
  const Shape& result_shape() const { return entry_computation_->root_instruction()->shape(); }
  ComputationLayout* mutable_entry_computation_layout() {
    return mutable_config().mutable_entry_computation_layout();
  }
  const ComputationLayout& entry_computation_layout() const {
    return config_->entry_computation_layout();
  }
  ComputationLayout compute_computation_layout() const;

  ComputationRange computations() { return ComputationRange(&computations_); }
  ConstComputationRange computations() const { return ConstComputationRange(&computations_); }
  // Of the execution threads that are named, or of all.
  std::vector<HloComputation*> computations(const ExecutionThreads& execution_threads) const;
  int64_t computation_count() const { return static_cast<int64_t>(computations_.size()); }
  int64_t instruction_count() const;
  HloComputation* GetComputationWithName(absl::string_view name) const;
  // Callees before callers.
  std::vector<HloComputation*> MakeComputationPostOrder() const;
  std::vector<HloComputation*> MakeComputationPostOrder(
      const ExecutionThreads& execution_threads) const;
  std::vector<HloComputation*> MakeComputationPostOrder(
      const ExecutionThreads& execution_threads,
      const absl::flat_hash_set<HloComputation*>& allow_list) const;
  // The same, by their contents alone, where the configuration asks for it.
  std::vector<HloComputation*> MakeComputationSorted() const;
  std::vector<HloComputation*> MakeNonfusionComputations() const;
  std::vector<HloComputation*> MakeNonfusionComputations(
      const ExecutionThreads& execution_threads) const;
  std::vector<HloComputation*> MakeNonfusionComputationsSorted() const;
  // FailedPrecondition when two computations, or two instructions of one, have one name or id.
  absl::Status CheckUniqueNamesAndIdsForComputationsAndInstructions() const;
  // Names made unique.
  void SetAndUniquifyInstrName(HloInstruction* instruction, absl::string_view name);
  void SetAndUniquifyComputationName(HloComputation* computation, absl::string_view name);

  const HloModuleConfig& config() const { return *config_; }
  // Clones share a configuration with their original. Here it becomes this module's own: references to the one before
  // do not follow.
  HloModuleConfig& mutable_config();
  std::shared_ptr<const HloModuleConfig> shared_config() const {
    is_config_shared_ = true;
    return config_;
  }
  void set_config(HloModuleConfig config);
  // Options of compilers; copied by Clone.
  CompilationEnvironments& comp_envs() const { return *comp_envs_; }
  bool is_dynamic() const { return is_dynamic_; }
  void set_is_dynamic(bool is_dynamic) { is_dynamic_ = is_dynamic; }

  HloInputOutputAliasConfig& input_output_alias_config() { return input_output_alias_config_; }
  const HloInputOutputAliasConfig& input_output_alias_config() const {
    return input_output_alias_config_;
  }
  void set_input_output_alias_config(HloInputOutputAliasConfig config) {
    input_output_alias_config_ = std::move(config);
  }
  HloBufferDonorConfig& buffer_donor_config() { return buffer_donor_config_; }
  const HloBufferDonorConfig& buffer_donor_config() const { return buffer_donor_config_; }
  void set_buffer_donor_config(HloBufferDonorConfig config) {
    buffer_donor_config_ = std::move(config);
  }

  bool has_schedule() const { return schedule_.has_value(); }
  const HloSchedule& schedule() const { return *schedule_; }
  HloSchedule& schedule() { return *schedule_; }
  // InvalidArgument, and nothing changes, for what HloSchedule::Verify refuses.
  absl::Status set_schedule(HloSchedule schedule);
  void set_schedule_without_check(HloSchedule schedule);
  void clear_schedule() { schedule_.reset(); }

  // Which passes ran.
  const HloModuleMetadata& metadata() const { return *metadata_; }
  HloModuleMetadata* metadata() { return metadata_.get(); }
  void MoveMetadataToModule(HloModule* module);

  const FrontendAttributes& frontend_attributes() const { return frontend_attributes_; }
  void set_frontend_attributes(FrontendAttributes attributes) {
    frontend_attributes_ = std::move(attributes);
  }
  void add_frontend_attribute(const std::string& key, const std::string& value) {
    (*frontend_attributes_.mutable_map())[key] = value;
  }
  bool use_auto_spmd_partitioning() const { return use_auto_spmd_partitioning_; }
  void set_use_auto_spmd_partitioning(bool use) { use_auto_spmd_partitioning_ = use; }

  bool has_spmd_parameters_shardings() const { return spmd_parameters_shardings_.has_value(); }
  const std::vector<HloSharding>& spmd_parameters_shardings() const {
    return *spmd_parameters_shardings_;
  }
  void set_spmd_parameters_shardings(std::vector<HloSharding> shardings) {
    spmd_parameters_shardings_ = std::move(shardings);
  }
  bool has_spmd_output_sharding() const { return spmd_output_sharding_.has_value(); }
  const HloSharding& spmd_output_sharding() const { return *spmd_output_sharding_; }
  void set_spmd_output_sharding(HloSharding sharding) {
    spmd_output_sharding_ = std::move(sharding);
  }

  const StackFrames& stack_frames() const { return stack_frames_; }
  StackFrames& mutable_stack_frames() { return stack_frames_; }
  void set_stack_frames(StackFrames frames) { stack_frames_ = std::move(frames); }
  HloStackFrame get_stack_frame(StackFrameId id) const { return stack_frames_.GetStackFrame(id); }
  const OriginalValueRecoveryTableProto& original_value_recovery_table() const {
    return original_value_recovery_table_;
  }
  OriginalValueRecoveryTableProto& mutable_original_value_recovery_table() {
    return original_value_recovery_table_;
  }
  const std::vector<DebugAttributeTableEntryProto>& debug_attributes() const {
    return debug_attributes_;
  }
  std::vector<DebugAttributeTableEntryProto>& mutable_debug_attributes() {
    return debug_attributes_;
  }
  void set_original_value_recovery_table(OriginalValueRecoveryTableProto table) {
    original_value_recovery_table_ = std::move(table);
  }
  // What profiles said when the module was compiled before.
  const auto& profile_info() const { return uninterpreted_.profile_info(); }
  void add_profile_info(const HloModuleProto::ProfileInfo& info) {
    *uninterpreted_.add_profile_info() = info;
  }
  void set_profile_info(const std::vector<HloModuleProto::ProfileInfo>& infos) {
    uninterpreted_.mutable_profile_info()->Assign(infos.begin(), infos.end());
  }
  // Fields of HloModuleProto that Hilo keeps but does not interpret (profile info, prefetches, device assignment, ...).
  const HloModuleProto& uninterpreted_proto_fields() const { return uninterpreted_; }
  HloModuleProto& mutable_uninterpreted_proto_fields() { return uninterpreted_; }

  std::unique_ptr<HloModule> Clone(const std::string& suffix = "clone",
                                   std::optional<const HloModuleConfig> config = std::nullopt) const;
  // The same; the context then knows what became what.
  std::pair<std::unique_ptr<HloModule>, std::unique_ptr<HloCloneContext>> CloneWithContext(
      const std::string& suffix = "clone",
      std::optional<const HloModuleConfig> config = std::nullopt) const;
  // A copy of the computation and of all it calls, as part of this module.
  HloComputation* DeepCloneComputation(HloComputation* computation,
                                       HloCloneContext* context = nullptr);

  // For equal programs the same, whatever names they use.
  template <typename H>
  friend H AbslHashValue(H h, const HloModule& module) {
    return H::combine(std::move(h), module.GetFingerprint128());
  }
  static int GetNextUniqueModuleId();
  // Numbers that differ for each module and call.
  uint64_t RandomNew64() const;

  std::string ToString() const;
  std::string ToString(const HloPrintOptions& options) const;
  void Print(Printer* printer, const HloPrintOptions& options) const;
  // A hash of the printed text, as 32 hexadecimal digits.
  std::string GetFingerprint128(
      const HloPrintOptions& options = HloPrintOptions::ModuleFingerprint()) const;
  std::string ToFingerprint(
      const HloPrintOptions& options = HloPrintOptions::ModuleFingerprint()) const {
    return GetFingerprint128(options);
  }
  absl::Cord ToCord() const { return absl::Cord(ToString()); }
  absl::Cord ToCord(const HloPrintOptions& options) const { return absl::Cord(ToString(options)); }

  // Protocol buffers (src/front/proto). CreateFromProto gives InvalidArgument for everything that is not a well-formed
  // module: unknown opcodes, missing operands, cycles, duplicate ids, bad shapes, literals or layouts.
  HloModuleProto ToProto() const;
  void ToProto(HloModuleProto* proto) const { *proto = ToProto(); }
  HloModuleProtoWithConfig ToProtoWithConfig() const;
  void ToProtoWithConfig(HloModuleProtoWithConfig* proto) const { *proto = ToProtoWithConfig(); }
  // Ids are those of the message, or else 0, 1, ... in each computation and for the computations.
  static absl::StatusOr<std::unique_ptr<HloModule>> CreateFromProto(
      const HloModuleProto& proto, const HloModuleConfig& module_config,
      bool prohibit_empty_literal = true,
      std::unique_ptr<CompilationEnvironments> comp_envs = nullptr,
      bool preserve_instruction_ids = true);
  static absl::StatusOr<std::unique_ptr<HloModule>> CreateFromProtoWithConfig(
      const HloModuleProtoWithConfig& proto, bool prohibit_empty_literal = true,
      std::unique_ptr<CompilationEnvironments> comp_envs = nullptr);
  static absl::StatusOr<HloModuleConfig> CreateModuleConfigFromProto(
      const HloModuleProto& module, const DebugOptions& debug_options,
      const ExecutionOptions* execution_options = nullptr);

  // Field by field what CreateModuleConfigFromProto does, for a shape that is given.
  static absl::StatusOr<HloModuleConfig> CreateModuleConfigFromShape(
      const ProgramShape& program_shape, const DebugOptions& debug_options,
      const ExecutionOptions* execution_options = nullptr);

 private:
  HloComputation* AddComputation(std::unique_ptr<HloComputation> computation, bool is_entry);

  std::string name_;
  int unique_id_;
  std::shared_ptr<HloModuleConfig> config_;
  mutable std::atomic<bool> is_config_shared_ = false;
  std::unique_ptr<CompilationEnvironments> comp_envs_;
  std::vector<std::unique_ptr<HloComputation>> computations_;
  std::vector<std::unique_ptr<HloComputation>> removed_;
  HloComputation* entry_computation_ = nullptr;
  std::unique_ptr<NameUniquer> computation_names_;
  int64_t next_computation_id_ = 0;
  bool is_dynamic_ = false;
  bool use_auto_spmd_partitioning_ = false;
  HloInputOutputAliasConfig input_output_alias_config_;
  HloBufferDonorConfig buffer_donor_config_;
  std::optional<HloSchedule> schedule_;
  FrontendAttributes frontend_attributes_;
  std::optional<std::vector<HloSharding>> spmd_parameters_shardings_;
  std::optional<HloSharding> spmd_output_sharding_;
  std::unique_ptr<HloModuleMetadata> metadata_;
  mutable uint64_t random_numbers_ = 0;  // how many were given out
  StackFrames stack_frames_;
  OriginalValueRecoveryTableProto original_value_recovery_table_;
  std::vector<DebugAttributeTableEntryProto> debug_attributes_;
  HloModuleProto uninterpreted_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_MODULE_H_
