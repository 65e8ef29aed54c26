// A function of an HLO program: instructions, of which some are parameters and one is the root.
#ifndef XLA_HLO_IR_HLO_COMPUTATION_H_
#define XLA_HLO_IR_HLO_COMPUTATION_H_

#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
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
#include "xla/shape_tree.h"

namespace xla {

class NameUniquer;  // src/ir/name_uniquer.h

// Order by id, so that it does not depend on where objects lie in memory.
struct HloComputationPtrComparator {
  bool operator()(const HloComputation* lhs, const HloComputation* rhs) const;
};

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
    // InvalidArgument unless the parameter has the next number.
    absl::StatusOr<HloInstruction*> AddParameter(std::unique_ptr<HloInstruction> parameter);
    absl::Status ForEachInstruction(
        absl::FunctionRef<absl::Status(const HloInstruction*)> visitor) const;
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
  void ClearUniqueIdInternal() { unique_id_ = -1; }
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
  // The same for the entry, whose layout grows by the parameter's.
  HloInstruction* AddEntryComputationParameter(std::unique_ptr<HloInstruction> parameter);
  // A parameter in place of another. In the entry the layout follows with
  // ReplaceEntryComputationParameter.
  HloInstruction* ReplaceParameter(int64_t number, std::unique_ptr<HloInstruction> parameter);
  absl::Status ReplaceEntryComputationParameter(int64_t number, HloInstruction* old_instruction,
                                                std::unique_ptr<HloInstruction> parameter);
  // FailedPrecondition where the parameter is used or the computation is the entry. Those behind it
  // get new numbers.
  absl::Status RemoveParameter(int64_t number);
  // Parameter new_to_old[i] becomes number i.
  void PermuteParameters(absl::Span<const int64_t> new_to_old);
  // Removes all parameters without users of a fused computation, or of any.
  absl::Status RemoveUnusedParametersFromFusedComputation();
  absl::Status RemoveUnusedParametersFromAnyComputation();

  // Removes an instruction without users that is not the root. It is destroyed by Cleanup, or with
  // the computation. RemoveInstruction drops its control edges, and Force... removes it even where
  // it has side effects or users.
  absl::Status RemoveInstruction(HloInstruction* instruction);
  absl::Status ForceRemoveInstruction(HloInstruction* instruction);
  // The same, and then its operands that became unused, and so on. Of instructions with control
  // edges only the first is removed, unless these are ignored. `cleanup` is called with each before
  // it is removed.
  absl::Status RemoveInstructionAndUnusedOperands(
      HloInstruction* instruction,
      std::optional<absl::FunctionRef<void(HloInstruction*)>> cleanup = std::nullopt,
      bool ignore_control_dependencies = false);
  // Removes many at once, in linear time. Neither the root nor what stays may need them.
  void RemoveInstructionsIf(absl::FunctionRef<bool(const HloInstruction*)> is_removed);
  void Cleanup() { removed_.clear(); }
  // Whether an unused instruction may be removed: it is no parameter of an entry, and without
  // control edges unless these are ignored.
  bool IsSafelyRemovable(const HloInstruction* instruction,
                         bool ignore_control_dependency = false) const;
  static bool IsMarkedAsDead(const HloInstruction* instruction) {
    return instruction->IsMarkedAsDead();
  }

  absl::Status ReplaceInstruction(HloInstruction* old_instruction, HloInstruction* new_instruction);
  // False, and nothing is done, when a sharding that is to be preserved is not the new one's.
  absl::StatusOr<bool> ReplaceInstruction(HloInstruction* old_instruction,
                                          HloInstruction* new_instruction, bool preserve_sharding,
                                          bool relay_control_dependency = false,
                                          bool remove_unused_operands = true);
  absl::Status ReplaceInstructionWithDifferentShape(HloInstruction* old_instruction,
                                                    HloInstruction* new_instruction);
  absl::StatusOr<bool> ReplaceInstructionWithDifferentShape(HloInstruction* old_instruction,
                                                            HloInstruction* new_instruction,
                                                            bool preserve_sharding,
                                                            bool relay_control_dependency = false,
                                                            bool remove_unused_operands = true);
  absl::Status ReplaceWithNewInstruction(HloInstruction* old_instruction,
                                         std::unique_ptr<HloInstruction> new_instruction);
  absl::Status ReplaceWithNewEntryComputationParameter(
      HloInstruction* old_instruction, std::unique_ptr<HloInstruction> new_instruction);

  // A fusion, or a call, of the instructions, which stand users first; the first one's value is the
  // result. They are removed where nobody else needs them.
  HloInstruction* CreateFusionInstruction(absl::Span<HloInstruction* const> instructions_to_fuse,
                                          HloInstruction::FusionKind fusion_kind);
  HloInstruction* CreateCallInstruction(absl::Span<HloInstruction* const> instructions_to_call);
  HloInstruction* CreateCompositeCallInstruction(
      absl::Span<HloInstruction* const> instructions_to_call, const std::string& name,
      const std::string& attributes, int64_t version);
  // A start and a done around a copy of the instruction, which takes its place if `replace`. The
  // shape of the start is (operands, result, context shapes). Gives the done. Names are those of
  // the instruction with "-start" and "-done", or `override_names` made anew.
  absl::StatusOr<HloInstruction*> CreateAsyncInstructions(
      HloInstruction* instruction, absl::Span<const Shape> context_shapes,
      absl::string_view async_execution_thread = HloInstruction::kMainExecutionThread,
      bool replace = true, bool override_names = false);
  // Copies an array, or the arrays of a tuple that `indices_to_copy` marks. `copies_added` receives
  // the copies.
  absl::StatusOr<HloInstruction*> DeepCopyInstruction(
      HloInstruction* instruction, const ShapeTree<bool>* indices_to_copy = nullptr,
      ShapeTree<HloInstruction*>* copies_added = nullptr);
  // Rebuilds a tuple of what `copy_leaf` makes of each array.
  absl::StatusOr<HloInstruction*> DeepCopyInstructionWithCustomCopier(
      HloInstruction* instruction,
      absl::FunctionRef<HloInstruction*(HloInstruction*, const ShapeIndex&, HloComputation*)>
          copy_leaf);

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
  // The same, with each reshape as early as it can be.
  std::vector<HloInstruction*> MakeInstructionPostOrderWithReshapeFirst() const;
  // Of those that `instruction` needs.
  std::vector<HloInstruction*> MakeInstructionPostOrderFrom(HloInstruction& instruction) const;
  void ForEachInstructionPostOrder(absl::FunctionRef<void(HloInstruction*)> function) const;

  // HloInstruction::Accept of the roots: all that nobody uses, the root at last.
  template <typename HloInstructionPtr>
  absl::Status Accept(DfsHloVisitorBase<HloInstructionPtr>* visitor) const;
  absl::Status Accept(absl::FunctionRef<absl::Status(HloInstruction*)> visitor_function);
  absl::Status Accept(
      absl::FunctionRef<absl::Status(const HloInstruction*)> visitor_function) const;
  // In the order given, which must have operands before their users.
  template <typename HloInstructionPtr>
  absl::Status AcceptOrdered(DfsHloVisitorBase<HloInstructionPtr>* visitor,
                             absl::Span<HloInstruction* const> order) const;
  // The computations this one calls, directly or not, callees first; this one is not included.
  std::vector<HloComputation*> MakeEmbeddedComputationsList() const;

  // Parameters and result, with layouts.
  ProgramShape ComputeProgramShape(bool include_ids = true) const;

  // Who calls whom, with the number of calls. Callers are looked for in the whole module.
  using CallCounts = std::map<HloComputation*, int, HloComputationPtrComparator>;
  CallCounts callee_computations() const;
  CallCounts caller_computations() const;
  // In the order of the module; of one operation only.
  std::vector<HloInstruction*> caller_instructions() const;
  std::vector<HloInstruction*> caller_instructions(HloOpcode opcode) const;
  // The one caller of this operation, if there is exactly one call.
  std::optional<HloInstruction*> GetUniqueCaller(HloOpcode opcode) const;
  HloInstruction* FusionInstruction() const;
  bool IsAsyncComputation() const;
  HloInstruction* AsyncStart() const;
  bool CanExpandIntoSingleInstruction() const;

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
  // A copy in which copies of other instructions, which may have instructions of this as operands,
  // stand in place of some of these, or none where null; with `extra_parameters`.
  using Replacements = absl::flat_hash_map<const HloInstruction*, std::unique_ptr<HloInstruction>>;
  std::unique_ptr<HloComputation> CloneWithReplacements(
      const Replacements* replacements,
      absl::Span<const HloInstruction* const> extra_parameters = {},
      HloCloneContext* context = nullptr, const std::string& suffix = "clone",
      const HloInstruction* new_root = nullptr) const;
  using Replacement = std::pair<const HloInstruction*, std::unique_ptr<HloInstruction>>;
  std::unique_ptr<HloComputation> CloneWithReplacementPairs(Replacement r1,
                                                            HloCloneContext* context = nullptr,
                                                            const std::string& suffix = "clone") const;
  std::unique_ptr<HloComputation> CloneWithReplacementPairs(Replacement r1, Replacement r2,
                                                            HloCloneContext* context = nullptr,
                                                            const std::string& suffix = "clone") const;
  std::unique_ptr<HloComputation> CloneWithReplacementPairs(Replacement r1, Replacement r2,
                                                            Replacement r3,
                                                            HloCloneContext* context = nullptr,
                                                            const std::string& suffix = "clone") const;
  std::unique_ptr<HloComputation> CloneInContext(
      HloCloneContext& context, const Replacements* replacements = nullptr,
      absl::Span<const HloInstruction* const> extra_parameters = {},
      const std::string& suffix = "clone", const HloInstruction* new_root = nullptr) const {
    return CloneWithReplacements(replacements, extra_parameters, &context, suffix, new_root);
  }

  // Structural equality: same instructions, operands, attributes, called computations; names do not matter.
  bool Equal(const HloComputation& other, bool is_layout_sensitive) const;
  // The same with other ideas of which computations are equal.
  bool Equal(const HloComputation& other, bool is_layout_sensitive,
             std::optional<absl::FunctionRef<bool(const HloComputation*, const HloComputation*)>>
                 computations_comparator) const;
  bool EqualIgnoringChannelIdValues(const HloComputation& other, bool is_layout_sensitive) const;
  template <typename H>
  friend H AbslHashValue(H h, const HloComputation& computation) {
    for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
      h = H::combine(std::move(h), *instruction);
    }
    return H::combine(std::move(h), computation.instruction_count());
  }
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

  // One computation of a module; the computations that it calls are looked up by id. InvalidArgument for what is not
  // well-formed.
  static absl::StatusOr<std::unique_ptr<HloComputation>> CreateFromProto(
      const HloComputationProto& proto,
      const absl::flat_hash_map<int64_t, HloComputation*>& computation_map,
      bool prohibit_empty_literal = true);
  // Makes a computation of instructions that already know their operands. `root` may be null for the last one.
  // Parameters must be numbered 0..n-1, each once; InvalidArgument otherwise.
  static absl::StatusOr<std::unique_ptr<HloComputation>> Create(
      absl::string_view name, std::vector<std::unique_ptr<HloInstruction>> instructions,
      HloInstruction* root);

 private:
  HloComputation(absl::string_view name, std::vector<std::unique_ptr<HloInstruction>> instructions,
                 HloInstruction* root);
  HloInstruction* AdoptInstruction(std::unique_ptr<HloInstruction> instruction);
  void AbandonInstruction(HloInstruction* instruction);
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
  std::vector<std::unique_ptr<HloInstruction>> removed_;
  std::unique_ptr<NameUniquer> names_;  // made when first needed
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_COMPUTATION_H_
