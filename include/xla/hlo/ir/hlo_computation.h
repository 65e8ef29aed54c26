// A function of an HLO program: instructions, of which some are parameters and one is the root.
#ifndef XLA_HLO_IR_HLO_COMPUTATION_H_
#define XLA_HLO_IR_HLO_COMPUTATION_H_

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/iterator_util.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"

namespace xla {

class NameUniquer;  // src/ir/name_uniquer.h

class HloComputation {
 public:
  using InstructionRange = UnwrappingRange<std::vector<std::unique_ptr<HloInstruction>>, HloInstruction>;
  using ConstInstructionRange =
      UnwrappingRange<const std::vector<std::unique_ptr<HloInstruction>>, const HloInstruction>;

  // Collects instructions and makes a computation of them.
  class Builder {
   public:
    explicit Builder(absl::string_view name) : name_(name) {}

    // `root_instruction` is the last one added when null.
    std::unique_ptr<HloComputation> Build(HloInstruction* root_instruction = nullptr);
    HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> instruction);
    HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                   std::optional<absl::string_view> new_name);
    // The instructions added so far, owned by the builder until Build.
    HloInstruction* last_added_instruction() const {
      return instructions_.empty() ? nullptr : instructions_.back().get();
    }
    absl::Span<const std::unique_ptr<HloInstruction>> instructions() const { return instructions_; }
    const std::string& name() const { return name_; }

   private:
    std::string name_;
    std::vector<std::unique_ptr<HloInstruction>> instructions_;
  };

  ~HloComputation();
  HloComputation(const HloComputation&) = delete;
  HloComputation& operator=(const HloComputation&) = delete;

  absl::string_view name() const { return name_; }
  void SetAndSanitizeName(absl::string_view name);
  void set_name(std::string name) { name_ = std::move(name); }
  int64_t unique_id() const { return unique_id_; }
  void SetUniqueId(int64_t id) { unique_id_ = id; }
  HloModule* parent() const { return parent_; }
  void set_parent(HloModule* module) { parent_ = module; }

  HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                 absl::string_view new_name = "");
  HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                 const OpMetadata* metadata);
  HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                 const OpMetadata* metadata,
                                 const FrontendAttributes* frontend_attributes);
  // Appends a parameter with the next number, as fusion does.
  HloInstruction* AddParameter(std::unique_ptr<HloInstruction> parameter);
  // Removes an instruction without users that is not the root.
  absl::Status RemoveInstruction(HloInstruction* instruction);
  // The same, and then its operands that became unused, and so on.
  absl::Status RemoveInstructionAndUnusedOperands(HloInstruction* instruction);
  absl::Status ReplaceInstruction(HloInstruction* old_instruction, HloInstruction* new_instruction);
  absl::Status ReplaceWithNewInstruction(HloInstruction* old_instruction,
                                         std::unique_ptr<HloInstruction> new_instruction);

  HloInstruction* root_instruction() const { return root_instruction_; }
  void set_root_instruction(HloInstruction* root, bool accept_different_shape = false);
  int64_t num_parameters() const { return static_cast<int64_t>(parameters_.size()); }
  HloInstruction* parameter_instruction(int64_t number) const;
  const std::vector<HloInstruction*>& parameter_instructions() const { return parameters_; }

  // In the order they were added.
  InstructionRange instructions() { return InstructionRange(&instructions_); }
  ConstInstructionRange instructions() const { return ConstInstructionRange(&instructions_); }
  int64_t instruction_count() const { return static_cast<int64_t>(instructions_.size()); }
  HloInstruction* GetInstructionWithName(absl::string_view name) const;

  // Every instruction after its operands and control predecessors; includes those the root does not need.
  std::vector<HloInstruction*> MakeInstructionPostOrder() const;
  // The computations this one calls, directly or not, callees first; this one is not included.
  std::vector<HloComputation*> MakeEmbeddedComputationsList() const;

  // Parameters and result, with layouts.
  ProgramShape ComputeProgramShape(bool include_ids = true) const;

  bool IsEntryComputation() const;
  // The fusion instruction this is the body of, or null.
  bool IsFusionComputation() const { return is_fusion_; }
  void set_is_fusion(bool is_fusion) { is_fusion_ = is_fusion; }
  bool HasSideEffect() const;
  absl::string_view execution_thread() const { return execution_thread_; }
  void SetExecutionThread(absl::string_view thread) { execution_thread_ = std::string(thread); }
  bool IsMainThread() const { return execution_thread_ == HloInstruction::kMainExecutionThread; }

  std::unique_ptr<HloComputation> Clone(const std::string& suffix = "clone",
                                        HloCloneContext* context = nullptr) const;
  // Structural equality: same instructions, operands, attributes, called computations; names do not matter.
  bool Equal(const HloComputation& other, bool is_layout_sensitive) const;
  bool operator==(const HloComputation& other) const { return Equal(other, true); }
  bool operator!=(const HloComputation& other) const { return !Equal(other, true); }

  std::string ToString() const;
  std::string ToString(const HloPrintOptions& options) const;
  std::string ToString(const HloPrintOptions& options,
                       absl::Span<const HloInstruction* const> instruction_order) const;
  void Print(Printer* printer, const HloPrintOptions& options) const;
  void Print(Printer* printer, const HloPrintOptions& options,
             absl::Span<const HloInstruction* const> instruction_order) const;
  void ToProto(HloComputationProto* proto) const;
  HloComputationProto ToProto() const;

  // Makes a computation of instructions that already know their operands. `root` may be null for the last one.
  // Parameters must be numbered 0..n-1, each once; InvalidArgument otherwise.
  static absl::StatusOr<std::unique_ptr<HloComputation>> Create(
      absl::string_view name, std::vector<std::unique_ptr<HloInstruction>> instructions,
      HloInstruction* root);

 private:
  HloComputation(absl::string_view name, std::vector<std::unique_ptr<HloInstruction>> instructions,
                 HloInstruction* root);
  HloInstruction* AdoptInstruction(std::unique_ptr<HloInstruction> instruction);
  NameUniquer& names();

  std::string name_;
  int64_t unique_id_ = -1;
  HloModule* parent_ = nullptr;
  HloInstruction* root_instruction_ = nullptr;
  bool is_fusion_ = false;
  int64_t next_instruction_id_ = 0;
  std::string execution_thread_ = HloInstruction::kMainExecutionThread;
  std::vector<std::unique_ptr<HloInstruction>> instructions_;
  std::vector<HloInstruction*> parameters_;
  std::unique_ptr<NameUniquer> names_;  // made when first needed
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_COMPUTATION_H_
