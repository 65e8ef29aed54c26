// Reads a whole module: header, computations, instructions.
#ifndef HILO_FRONT_TEXT_MODULE_PARSER_H_
#define HILO_FRONT_TEXT_MODULE_PARSER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "front/text/value_parser.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

class ModuleParser : public ValueParser {
 public:
  ModuleParser(absl::string_view text, const HloModuleConfig& config,
               const HloParserOptions& options, int module_depth = 0)
      : ValueParser(text, options), config_(config), module_depth_(module_depth) {}

  absl::StatusOr<std::unique_ptr<HloModule>> Run();
  // The same into a module without computations, whose name and configuration are replaced. After
  // an error the module must not be used.
  absl::Status RunInto(HloModule& module);

 private:
  using Operands = absl::InlinedVector<HloInstruction*, 4>;
  using Names = absl::InlinedVector<absl::string_view, 8>;

  struct Alias {
    const char* position;
    ShapeIndex output;
    int64_t parameter;
    ShapeIndex index;
    HloInputOutputAliasConfig::AliasKind kind;
  };

  // What the HloModule line says.
  struct Header {
    std::string name;
    bool is_scheduled = false;
    std::vector<Alias> aliases;
    HloBufferDonorConfig donors;
    const char* layout_position = nullptr;
    std::optional<ComputationLayout> entry_layout;
    FrontendAttributes frontend_attributes;
    OriginalValueRecoveryTableProto recovery_table;
    std::vector<DebugAttributeTableEntryProto> debug_attributes;
  };

  // A computation while it is read.
  struct Scope {
    absl::flat_hash_map<absl::string_view, HloInstruction*> names;
    // Elements of tuples that were referred to as %t#0, by tuple and index.
    absl::flat_hash_map<std::pair<HloInstruction*, int64_t>, HloInstruction*> elements;
    absl::flat_hash_map<std::string, int64_t> next_suffix;
    std::vector<std::unique_ptr<HloInstruction>> instructions;
    HloInstruction* root = nullptr;
    // In the text of a single instruction operands that are not defined become parameters.
    bool makes_parameters = false;
    int64_t parameter_count = 0;
  };

  // What stands in an instruction besides the operation's own attributes.
  struct Annotations {
    std::optional<HloSharding> sharding;
    std::optional<FrontendAttributes> frontend_attributes;
    std::optional<StatisticsViz> statistics;
    std::optional<ResultAccuracy> result_accuracy;
    std::shared_ptr<OriginalValue> original_value;
    std::optional<OpMetadata> metadata;
    std::optional<std::string> backend_config;
    std::vector<HloInstruction*> control_predecessors;
  };

  static bool IsAsyncBegin(const HloInstruction& instruction) {
    return instruction.opcode() == HloOpcode::kAsyncStart ||
           instruction.opcode() == HloOpcode::kAsyncUpdate;
  }

  // One of the names `<op>-start`, `<op>-update`, `<op>-done`, or none of them.
  enum class AsyncForm { kNone, kStart, kUpdate, kDone };

  // An instruction while it is read.
  struct Draft {
    const char* position = nullptr;
    absl::string_view opcode_text;
    const OpInfo* op = nullptr;
    // With a suffix `op` is the operation that the computation wraps.
    AsyncForm async_form = AsyncForm::kNone;
    std::optional<Shape> shape;
    Operands operands;
    std::unique_ptr<Attributes> attributes;
    AsyncAttributes* async = nullptr;  // of async operations and sugared ones
    std::unique_ptr<AsyncAttributes> sugar_attributes;
    std::vector<HloComputation*> callees;
    Annotations annotations;
    Names seen;

    bool is_later_form() const {
      return async_form == AsyncForm::kUpdate || async_form == AsyncForm::kDone;
    }
    // Of <op>-update and <op>-done all but the operands follows from the start, unless that is in
    // another computation.
    bool follows_start() const {
      return is_later_form() && IsAsyncBegin(*operands[0]);
    }
  };

  // module_parser.cc
  bool ParseModule();
  bool ParseComputations();
  bool ParseComputation();
  bool ParseParametersAndResult(std::optional<Shape>* result);
  bool ParseInstructions(Scope& scope);
  bool ParseInstruction(Scope& scope);
  bool ParseNameAndShape(const Scope& scope, absl::string_view* name, std::optional<Shape>* shape);
  bool AtCall();
  bool ParseSingleInstruction();
  bool FinishComputation(const char* position, absl::string_view name, Scope& scope,
                         HloComputation** computation);
  bool AtModule();
  bool FinishModule();
  bool CheckEntryLayout();
  void MakeNamesUnique();
  void SetSchedule();
  void RenumberStackFrames();

  // header_parser.cc
  bool ParseHeader();
  bool ParseHeaderAttribute(absl::string_view name);
  bool ParseAliases();
  bool ParseDonors();
  bool ParseEntryLayout();
  bool ParseRecoveryTable();
  bool ParseDebugAttributes();
  bool ParseDebugAttribute(DebugAttributesProto* attributes);
  bool ParseStackFrames();
  bool ParseNameTable(google::protobuf::RepeatedPtrField<std::string>* names);
  bool ParseEntryNumber(int64_t expected);
  bool ParseNumberedField(absl::string_view name, int32_t* value);

  // instruction_parser.cc
  bool ParseRightHandSide(Scope& scope, absl::string_view name, std::optional<Shape> shape,
                          bool with_attributes, HloInstruction** result);
  bool ParseOpcode(Draft& draft);
  bool FailUnknownOpcode(absl::string_view word);
  bool ParseOperands(Scope& scope, Draft& draft);
  bool ParsePositional(Draft& draft, const Field& field);
  bool ParseOperand(Scope& scope, HloInstruction** operand);
  bool ParseElementPath(Scope& scope, HloInstruction** operand);
  bool AtNestedInstruction();
  bool CheckOperandCount(const Draft& draft);
  bool FailUnknownName(const Scope& scope, const char* position, absl::string_view name);
  HloInstruction* MakeMissingParameter(Scope& scope, absl::string_view name, const Shape& shape);
  HloInstruction* AddInstruction(Scope& scope, absl::string_view name,
                                 std::unique_ptr<HloInstruction> instruction);
  std::string UnusedName(Scope& scope, absl::string_view stem);

  // instruction_attributes.cc
  bool ParseAttributes(Scope& scope, Draft& draft);
  bool ParseAttribute(Scope& scope, Draft& draft, absl::string_view name);
  bool ParseField(Attributes& attributes, const Field& field);
  bool ParseCallee(Draft& draft, int index);
  // What follows the body of a computation: , execution_thread="worker".
  bool ParseExecutionThread(HloComputation& computation);
  bool ParseCalleeList(Draft& draft);
  bool ParseAnnotation(Scope& scope, Annotations& annotations, absl::string_view name);
  bool ParseControlPredecessors(Scope& scope, Annotations& annotations);
  bool ParseOriginalValue(Annotations& annotations);
  bool FailUnknownAttribute(const Draft& draft, absl::string_view name);
  bool CheckRequired(const Draft& draft);
  bool CheckBranches(const Draft& draft);
  std::vector<absl::string_view> AllowedAttributes(const Draft& draft) const;

  // instruction_finish.cc
  bool FinishInstruction(Scope& scope, absl::string_view name, Draft& draft,
                         HloInstruction** result);
  bool FillAttributes(Draft& draft);
  bool InferMissingShape(Draft& draft);
  bool FollowOperandShapes(Draft& draft);
  static void CopyAnnotations(const Annotations& annotations, HloInstruction& instruction);
  void FinishAsyncStart(Draft& draft);
  bool WrapAsync(Draft& draft, std::unique_ptr<HloInstruction>* instruction);
  bool MakeWrapped(Draft& draft, const Shape& operands, const Shape& result,
                   HloComputation** wrapped);
  bool CheckComplete(const Draft& draft, HloInstruction& operation);
  bool BindOperands(const Draft& draft, const HloInstruction& previous, HloComputation& wrapped);
  bool ContinueAsync(Draft& draft, std::unique_ptr<HloInstruction>* instruction);
  bool FollowAsync(Draft& draft, std::unique_ptr<HloInstruction>* instruction);
  static std::unique_ptr<HloInstruction> MakeAsyncEnd(Draft& draft, HloComputation* callee);
  bool CheckAndAnnotate(Draft& draft, HloInstruction& instruction);
  static void FillMissingLayouts(Shape* shape);
  bool CheckUnwrittenShape(const char* position, const Shape& shape);
  bool CheckUnwritten(const char* position, int64_t parts);
  const ProgramShape& GetProgramShape(const HloComputation& computation);

  HloModuleConfig config_;
  int module_depth_;  // how many modules this one stands in, as text of a recovery table
  Header header_;
  StackFrames stack_frames_;
  HloModule* module_ = nullptr;
  std::vector<std::unique_ptr<HloComputation>> computations_;
  absl::flat_hash_map<absl::string_view, HloComputation*> computation_names_;
  HloComputation* entry_ = nullptr;
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<ProgramShape>> program_shapes_;
  // Equal ones are one object. The keys are the protos, as bytes.
  absl::flat_hash_map<std::string, std::shared_ptr<OriginalValue>> original_values_;
  int64_t unwritten_parts_ = 0;  // of tuple shapes that do not stand in the text
  // Computations that stand for <op>-start, whose operands may come with the updates.
  absl::flat_hash_set<const HloComputation*> wrapped_;
};

}  // namespace xla

#endif  // HILO_FRONT_TEXT_MODULE_PARSER_H_
