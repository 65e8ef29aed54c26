// One operation of an HLO program: opcode, result shape, operands, attributes.
#ifndef XLA_HLO_IR_HLO_INSTRUCTION_H_
#define XLA_HLO_IR_HLO_INSTRUCTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/literal.h"
#include "xla/printer.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla {

class HloComputation;
class HloModule;
struct Attributes;  // src/ir/field.h

// Remembers which instruction and computation became which while a graph is cloned.
class HloCloneContext;

class HloInstruction {
 public:
  static constexpr char kMainExecutionThread[] = "main";
  static constexpr char kHostThread[] = "host";

  enum class FusionKind { kLoop, kInput, kOutput, kCustom };

  using InstructionVector = absl::InlinedVector<HloInstruction*, 2>;

  // Any operation: the general factory the named ones below are made of. `attributes` is the record that the
  // operation's row in hlo_ops.def names, or null for one with default values. Nothing is checked here: the verifier
  // does that.
  static std::unique_ptr<HloInstruction> Create(HloOpcode opcode, Shape shape,
                                                absl::Span<HloInstruction* const> operands,
                                                std::unique_ptr<Attributes> attributes = nullptr,
                                                absl::Span<HloComputation* const> callees = {});
  ~HloInstruction();
  HloInstruction(const HloInstruction&) = delete;
  HloInstruction& operator=(const HloInstruction&) = delete;

  static std::unique_ptr<HloInstruction> CreateParameter(int64_t parameter_number,
                                                         const Shape& shape,
                                                         absl::string_view name);
  static std::unique_ptr<HloInstruction> CreateConstant(Literal literal);
  static std::unique_ptr<HloInstruction> CreateIota(const Shape& shape, int64_t iota_dimension);
  static std::unique_ptr<HloInstruction> CreateGetTupleElement(const Shape& shape,
                                                               HloInstruction* operand,
                                                               int64_t index);
  static std::unique_ptr<HloInstruction> CreateGetTupleElement(HloInstruction* operand,
                                                               int64_t index);
  static std::unique_ptr<HloInstruction> CreateUnary(
      const Shape& shape, HloOpcode opcode, HloInstruction* operand,
      std::optional<ResultAccuracy> result_accuracy = std::nullopt);
  static std::unique_ptr<HloInstruction> CreateBinary(const Shape& shape, HloOpcode opcode,
                                                      HloInstruction* lhs, HloInstruction* rhs);
  static std::unique_ptr<HloInstruction> CreateTernary(const Shape& shape, HloOpcode opcode,
                                                       HloInstruction* lhs, HloInstruction* rhs,
                                                       HloInstruction* ehs);
  static std::unique_ptr<HloInstruction> CreateVariadic(const Shape& shape, HloOpcode opcode,
                                                        absl::Span<HloInstruction* const> operands);
  static std::unique_ptr<HloInstruction> CreateCompare(
      const Shape& shape, HloInstruction* lhs, HloInstruction* rhs, Comparison::Direction direction,
      std::optional<Comparison::Type> type = std::nullopt);
  static std::unique_ptr<HloInstruction> CreateConvert(const Shape& shape, HloInstruction* operand);
  static std::unique_ptr<HloInstruction> CreateBitcastConvert(const Shape& shape,
                                                              HloInstruction* operand);
  static std::unique_ptr<HloInstruction> CreateSlice(const Shape& shape, HloInstruction* operand,
                                                     absl::Span<const int64_t> start_indices,
                                                     absl::Span<const int64_t> limit_indices,
                                                     absl::Span<const int64_t> strides);
  static std::unique_ptr<HloInstruction> CreateDynamicSlice(
      const Shape& shape, HloInstruction* operand, absl::Span<HloInstruction* const> start_indices,
      absl::Span<const int64_t> slice_sizes);
  static std::unique_ptr<HloInstruction> CreateDynamicUpdateSlice(
      const Shape& shape, HloInstruction* operand, HloInstruction* update,
      absl::Span<HloInstruction* const> start_indices);
  static std::unique_ptr<HloInstruction> CreateConcatenate(
      const Shape& shape, absl::Span<HloInstruction* const> operands, int64_t dimension);
  static std::unique_ptr<HloInstruction> CreateReduce(
      const Shape& shape, HloInstruction* operand, HloInstruction* init_value,
      absl::Span<const int64_t> dimensions_to_reduce, HloComputation* reduce_computation);
  static std::unique_ptr<HloInstruction> CreateReduce(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      absl::Span<HloInstruction* const> init_values,
      absl::Span<const int64_t> dimensions_to_reduce, HloComputation* reduce_computation);
  static std::unique_ptr<HloInstruction> CreateReduceWindow(const Shape& shape,
                                                            HloInstruction* operand,
                                                            HloInstruction* init_value,
                                                            const Window& window,
                                                            HloComputation* reduce_computation);
  static std::unique_ptr<HloInstruction> CreateReduceWindow(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      absl::Span<HloInstruction* const> init_values, const Window& window,
      HloComputation* reduce_computation);
  static std::unique_ptr<HloInstruction> CreateBroadcast(
      const Shape& shape, HloInstruction* operand, absl::Span<const int64_t> broadcast_dimensions);
  static std::unique_ptr<HloInstruction> CreateReshape(const Shape& shape, HloInstruction* operand,
                                                       int64_t inferred_dimension = -1);
  static std::unique_ptr<HloInstruction> CreateTranspose(const Shape& shape,
                                                         HloInstruction* operand,
                                                         absl::Span<const int64_t> dimensions);
  static std::unique_ptr<HloInstruction> CreateReverse(const Shape& shape, HloInstruction* operand,
                                                       absl::Span<const int64_t> dimensions);
  static std::unique_ptr<HloInstruction> CreatePad(const Shape& shape, HloInstruction* operand,
                                                   HloInstruction* padding_value,
                                                   const PaddingConfig& padding_config);
  static std::unique_ptr<HloInstruction> CreateDot(const Shape& shape, HloInstruction* lhs,
                                                   HloInstruction* rhs,
                                                   const DotDimensionNumbers& dimension_numbers,
                                                   const PrecisionConfig& precision_config);
  static std::unique_ptr<HloInstruction> CreateSort(const Shape& shape, int64_t dimension,
                                                    absl::Span<HloInstruction* const> operands,
                                                    HloComputation* compare, bool is_stable);
  static std::unique_ptr<HloInstruction> CreateMap(const Shape& shape,
                                                   absl::Span<HloInstruction* const> operands,
                                                   HloComputation* map_computation);
  static std::unique_ptr<HloInstruction> CreateWhile(const Shape& shape, HloComputation* condition,
                                                     HloComputation* body, HloInstruction* init);
  static std::unique_ptr<HloInstruction> CreateConditional(
      const Shape& shape, HloInstruction* branch_index,
      absl::Span<HloComputation* const> branch_computations,
      absl::Span<HloInstruction* const> branch_computation_args);
  static std::unique_ptr<HloInstruction> CreateCall(const Shape& shape,
                                                    absl::Span<HloInstruction* const> operands,
                                                    HloComputation* computation);
  static std::unique_ptr<HloInstruction> CreateFusion(const Shape& shape, FusionKind fusion_kind,
                                                      absl::Span<HloInstruction* const> operands,
                                                      HloComputation* fusion_computation);
  static std::unique_ptr<HloInstruction> CreateCustomCall(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      absl::string_view custom_call_target, std::string opaque = "",
      CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
  static std::unique_ptr<HloInstruction> CreateTuple(absl::Span<HloInstruction* const> elements);
  static std::unique_ptr<HloInstruction> CreateAfterAll(absl::Span<HloInstruction* const> operands);
  static std::unique_ptr<HloInstruction> CreateToken();

  HloOpcode opcode() const { return opcode_; }
  const Shape& shape() const { return shape_; }
  Shape* mutable_shape() { return &shape_; }

  // The name, unique within its computation.
  absl::string_view name() const { return name_; }
  void SetAndSanitizeName(absl::string_view name);
  void set_name(std::string name) { name_ = std::move(name); }
  void ClearUniqueIdInternal() { unique_id_ = -1; }

  // The id, unique within its computation; -1 before it was added to one.
  int64_t unique_id() const { return unique_id_; }
  void SetUniqueId(int64_t id) { unique_id_ = id; }
  // The 64-bit id of HloInstructionProto: computation in the high half, instruction in the low half.
  static int64_t CalculateUniqueId(int32_t computation_unique_id, int32_t instruction_local_id) {
    return (int64_t{computation_unique_id} << 32) | static_cast<uint32_t>(instruction_local_id);
  }

  HloComputation* parent() { return parent_; }
  const HloComputation* parent() const { return parent_; }
  HloModule* GetModule() const;
  void set_parent(HloComputation* parent) { parent_ = parent; }

  // Operands and users. An instruction that uses another twice is one user of it.
  int64_t operand_count() const { return static_cast<int64_t>(operands_.size()); }
  const InstructionVector& operands() const { return operands_; }
  InstructionVector mutable_operands() { return operands_; }
  const HloInstruction* operand(int64_t i) const;
  HloInstruction* mutable_operand(int64_t i);
  int64_t operand_index(const HloInstruction* operand) const;
  const std::vector<HloInstruction*>& users() const { return users_; }
  int64_t user_count() const { return static_cast<int64_t>(users_.size()); }
  bool IsUserOf(const HloInstruction* instruction) const;

  // Puts `new_operand` in place of operand `operand_number`; InvalidArgument when the shapes are not compatible.
  absl::Status ReplaceOperandWith(int64_t operand_number, HloInstruction* new_operand);
  absl::Status ReplaceOperandWithDifferentShape(int64_t operand_number, HloInstruction* new_operand);
  // All users, and the computation if this is its root, use `new_producer` instead.
  absl::Status ReplaceAllUsesWith(HloInstruction* new_producer);
  absl::Status ReplaceAllUsesWithDifferentShape(HloInstruction* new_producer);
  absl::Status ReplaceUseWith(HloInstruction* user, HloInstruction* new_producer);
  void AppendOperand(HloInstruction* operand);
  // Takes this instruction out of its operands' lists of users and out of its control edges.
  void DetachFromOperandsAndUsers();

  // Order without data: this runs before `instruction`.
  absl::Status AddControlDependencyTo(HloInstruction* instruction);
  absl::Status RemoveControlDependencyTo(HloInstruction* instruction);
  absl::Status DropAllControlDeps();
  const std::vector<HloInstruction*>& control_predecessors() const { return control_predecessors_; }
  const std::vector<HloInstruction*>& control_successors() const { return control_successors_; }
  bool HasControlDependencies() const {
    return !control_predecessors_.empty() || !control_successors_.empty();
  }

  // Computations called by this instruction, in the order of HloInstructionProto.called_computation_ids: a while has
  // body, condition; select-and-scatter has select, scatter; a conditional its branches.
  const std::vector<HloComputation*>& called_computations() const { return called_computations_; }
  void set_called_computation(int64_t index, HloComputation* computation);
  void ReplaceCalledComputations(
      absl::FunctionRef<HloComputation*(HloComputation*)> map_function);
  HloComputation* to_apply() const;
  bool has_to_apply() const;
  HloComputation* while_body() const;
  HloComputation* while_condition() const;
  HloComputation* select() const;
  HloComputation* scatter() const;
  HloComputation* true_computation() const;
  HloComputation* false_computation() const;
  const std::vector<HloComputation*>& branch_computations() const { return called_computations_; }
  HloComputation* branch_computation(int32_t b) const;
  int32_t branch_count() const { return static_cast<int32_t>(called_computations_.size()); }
  HloComputation* fused_instructions_computation() const;
  HloInstruction* fused_expression_root() const;
  int64_t fused_instruction_count() const;
  FusionKind fusion_kind() const;

  // The record with the operation's own attributes; never null. Its type is that of the row in hlo_ops.def.
  const Attributes& attributes() const { return *attributes_; }
  Attributes& mutable_attributes() { return *attributes_; }
  template <typename Record>
  const Record& attributes_as() const {
    return static_cast<const Record&>(*attributes_);
  }
  template <typename Record>
  Record& mutable_attributes_as() {
    return static_cast<Record&>(*attributes_);
  }

  // Questions about the operation.
  static bool IsOpElementwise(HloOpcode opcode);
  bool IsElementwise() const;
  bool IsConstant() const { return opcode_ == HloOpcode::kConstant; }
  bool IsRoot() const;
  bool IsDead() const;
  bool HasSideEffect() const;
  bool HasSideEffectNoRecurse() const;
  bool IsFused() const;
  bool IsAsynchronous() const;
  bool IsCustomCall(absl::string_view target) const;
  bool IsCustomCall(absl::Span<const absl::string_view> targets) const;
  bool IsFusible() const;
  bool IsMarkedAsDead() const { return marked_as_dead_; }
  void MarkAsDead() { marked_as_dead_ = true; }

  // Attributes of single operations. Calling one on an operation that has no such attribute is a bug of the caller.
  int64_t parameter_number() const;
  const Literal& literal() const;
  bool HasLiteral() const;
  int64_t tuple_index() const;
  absl::Span<const int64_t> dimensions() const;
  int64_t dimensions(int64_t index) const { return dimensions()[index]; }
  std::vector<int64_t>* mutable_dimensions();
  int64_t dimension() const { return dimensions(0); }
  std::vector<int64_t> slice_starts() const;
  std::vector<int64_t> slice_limits() const;
  std::vector<int64_t> slice_strides() const;
  int64_t slice_starts(int64_t dimension) const { return slice_starts()[dimension]; }
  int64_t slice_limits(int64_t dimension) const { return slice_limits()[dimension]; }
  int64_t slice_strides(int64_t dimension) const { return slice_strides()[dimension]; }
  const std::vector<int64_t>& dynamic_slice_sizes() const;
  const Window& window() const;
  const PaddingConfig& padding_config() const;
  DotDimensionNumbers dot_dimension_numbers() const;
  GatherDimensionNumbers gather_dimension_numbers() const;
  ScatterDimensionNumbers scatter_dimension_numbers() const;
  const ConvolutionDimensionNumbers& convolution_dimension_numbers() const;
  PrecisionConfig precision_config() const;
  int64_t feature_group_count() const;
  int64_t batch_group_count() const;
  Comparison::Direction comparison_direction() const;
  Comparison::Type comparison_type() const;
  RandomDistribution random_distribution() const;
  const std::string& custom_call_target() const;
  std::optional<int64_t> channel_id() const;
  void set_channel_id(const std::optional<int64_t>& channel_id);
  const std::vector<ReplicaGroup>& replica_groups() const;
  const CollectiveDeviceList& device_list() const;
  const std::vector<std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>& output_to_operand_aliasing() const;
  void set_output_to_operand_aliasing(
      std::vector<std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>> aliasing);
  absl::string_view async_execution_thread() const;
  HloInstruction* async_wrapped_instruction() const;
  HloOpcode async_wrapped_opcode() const;

  // What any instruction may carry.
  const OpMetadata& metadata() const;
  OpMetadata& mutable_metadata();
  void set_metadata(const OpMetadata& metadata);
  bool has_sharding() const { return sharding_ != nullptr; }
  const HloSharding& sharding() const;
  std::shared_ptr<const HloSharding> sharding_ptr() const { return sharding_; }
  void set_sharding(HloSharding sharding);
  void set_sharding(std::shared_ptr<const HloSharding> sharding) { sharding_ = std::move(sharding); }
  void clear_sharding() { sharding_ = nullptr; }
  const FrontendAttributes& frontend_attributes() const;
  FrontendAttributes& mutable_frontend_attributes();
  void set_frontend_attributes(FrontendAttributes frontend_attributes);
  void set_frontend_attribute(absl::string_view key, absl::string_view value);
  const std::string& raw_backend_config_string() const;
  void set_raw_backend_config_string(std::string config);
  bool has_backend_config() const { return !raw_backend_config_string().empty(); }
  const StatisticsViz& statistics_viz() const;
  void set_statistics_viz(StatisticsViz statistics);
  const ResultAccuracy& result_accuracy() const;
  void set_result_accuracy(ResultAccuracy accuracy);
  // The value of the original program that this instruction computes, or null.
  const OriginalValueProto* original_value() const;
  void set_original_value(OriginalValueProto original_value);
  void SetupDerivedInstruction(HloInstruction* derived) const;

  // A copy with the same operands and attributes; the name gets `suffix` appended ("" for none).
  std::unique_ptr<HloInstruction> Clone(const std::string& suffix = "clone",
                                        HloCloneContext* context = nullptr) const;
  std::unique_ptr<HloInstruction> CloneWithNewOperands(
      const Shape& shape, absl::Span<HloInstruction* const> new_operands,
      HloCloneContext* context = nullptr) const;
  std::unique_ptr<HloInstruction> CloneWithNewOperands(
      const Shape& shape, absl::Span<HloInstruction* const> new_operands, const std::string& suffix,
      HloCloneContext* context = nullptr) const;

  // Same operation, shape, operands (by pointer), attributes and called computations (structurally).
  bool Identical(const HloInstruction& other) const;

  // Adds `derived` to the same computation and hands it metadata and sharding of this one.
  HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> derived,
                                 absl::string_view new_name = "");

  std::string ToString() const;
  std::string ToString(const HloPrintOptions& options) const;
  void Print(Printer* printer, const HloPrintOptions& options) const;
  std::string ToShortString() const;

  HloInstructionProto ToProto() const;
  void ToProto(HloInstructionProto* proto) const;

 private:
  friend class HloComputation;

  // Attributes few instructions have.
  struct Annotations;

  HloInstruction(HloOpcode opcode, Shape shape);
  Annotations& annotations();
  void AddUser(HloInstruction* user);
  void RemoveUser(HloInstruction* user);

  HloOpcode opcode_;
  bool marked_as_dead_ = false;
  int64_t unique_id_ = -1;
  HloComputation* parent_ = nullptr;
  Shape shape_;
  std::string name_;
  InstructionVector operands_;
  std::vector<HloInstruction*> users_;
  std::vector<HloInstruction*> control_predecessors_;
  std::vector<HloInstruction*> control_successors_;
  std::vector<HloComputation*> called_computations_;
  std::unique_ptr<Attributes> attributes_;
  std::shared_ptr<const HloSharding> sharding_;
  std::unique_ptr<Annotations> annotations_;
};

// "kLoop", "kInput", "kOutput", "kCustom" and back.
absl::string_view ToString(HloInstruction::FusionKind kind);
absl::StatusOr<HloInstruction::FusionKind> StringToFusionKind(absl::string_view kind);

// "default", "high", "highest" and back.
std::string PrecisionToString(const PrecisionConfig::Precision& precision);
absl::StatusOr<PrecisionConfig::Precision> StringToPrecision(const std::string& name);

std::ostream& operator<<(std::ostream& out, HloInstruction::FusionKind kind);

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_INSTRUCTION_H_
