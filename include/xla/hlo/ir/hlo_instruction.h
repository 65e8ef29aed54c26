// One operation of an HLO program: opcode, result shape, operands, attributes.
#ifndef XLA_HLO_IR_HLO_INSTRUCTION_H_
#define XLA_HLO_IR_HLO_INSTRUCTION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/ir/hlo_original_value.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/literal.h"
#include "xla/printer.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {

class HloComputation;
class HloModule;
struct Attributes;  // src/ir/field.h

// Remembers which instruction and computation became which while a graph is cloned.
class HloCloneContext;

template <typename HloInstructionPtr>
class DfsHloVisitorBase;
using DfsHloVisitor = DfsHloVisitorBase<HloInstruction*>;
using ConstDfsHloVisitor = DfsHloVisitorBase<const HloInstruction*>;

// The numbers n of the names tmp_n in text whose names do not matter.
using CanonicalNameMap = absl::flat_hash_map<const HloInstruction*, int64_t>;

// Of the classes below, hlo_instructions.h has one for each operation with attributes of its own. All instructions are of
// the class that belongs to their opcode; its members are other names for what is here, and no more than that.
class HloInstruction {
 public:
  static constexpr char kMainExecutionThread[] = "main";
  static constexpr char kHostThread[] = "host";

  // Only this class makes instructions of any operation.
  class Key {
   private:
    friend class HloInstruction;
    Key() {}
  };

  enum class FusionKind { kLoop, kInput, kOutput, kCustom };

  using InstructionVector = absl::InlinedVector<HloInstruction*, 2>;

  // Any operation: the general factory the named ones below are made of. `attributes` is the record
  // that the operation's row in hlo_ops.def names, or null for one with default values. Nothing is
  // checked here: the verifier does that.
  static std::unique_ptr<HloInstruction> Create(HloOpcode opcode, Shape shape,
                                                absl::Span<HloInstruction* const> operands,
                                                std::unique_ptr<Attributes> attributes = nullptr,
                                                absl::Span<HloComputation* const> callees = {});
  HloInstruction(Key, HloOpcode opcode, Shape shape);
  virtual ~HloInstruction();
  HloInstruction(const HloInstruction&) = delete;
  HloInstruction& operator=(const HloInstruction&) = delete;

  static std::unique_ptr<HloInstruction> CreateParameter(int64_t parameter_number,
                                                         const Shape& shape,
                                                         absl::string_view name);
  static std::unique_ptr<HloInstruction> CreateConstant(Literal literal);
  // One instruction of a module; operands and called computations are looked up by id in the maps. InvalidArgument for
  // what is not well-formed.
  static absl::StatusOr<std::unique_ptr<HloInstruction>> CreateFromProto(
      const HloInstructionProto& proto,
      const absl::flat_hash_map<int64_t, HloInstruction*>& instruction_map,
      const absl::flat_hash_map<int64_t, HloComputation*>& computation_map = {},
      bool prohibit_empty_literal = true);
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
  static std::unique_ptr<HloInstruction> CreateStochasticConvert(const Shape& shape,
                                                                 HloInstruction* operand,
                                                                 HloInstruction* random);
  static std::unique_ptr<HloInstruction> CreateBitcast(const Shape& shape, HloInstruction* operand);
  static std::unique_ptr<HloInstruction> CreateReducePrecision(const Shape& shape,
                                                               HloInstruction* operand,
                                                               int exponent_bits,
                                                               int mantissa_bits);
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
  // The operands are the elements of the tuple, or the array itself.
  static std::unique_ptr<HloInstruction> CreateReduce(
      const Shape& shape, HloInstruction* tuple_of_instructions,
      absl::Span<HloInstruction* const> init_values,
      absl::Span<const int64_t> dimensions_to_reduce, HloComputation* reduce_computation);
  static std::unique_ptr<HloInstruction> CreateScan(
      const Shape& shape, absl::Span<HloInstruction* const> inputs,
      absl::Span<HloInstruction* const> inits, HloComputation* to_apply, int64_t scan_dimension,
      bool is_reverse, TriState is_associative = TRI_STATE_UNSPECIFIED);
  static std::unique_ptr<HloInstruction> CreateSelectAndScatter(
      const Shape& shape, HloInstruction* operand, HloComputation* select, const Window& window,
      HloInstruction* source, HloInstruction* init_value, HloComputation* scatter);
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
  // The operations that broadcast `operand` to `output_shape` where dimensions of size 1 grow; `adder` adds each, and the
  // last one is given back.
  static std::unique_ptr<HloInstruction> CreateBroadcastSequence(
      const Shape& output_shape, HloInstruction* operand,
      absl::FunctionRef<HloInstruction*(std::unique_ptr<HloInstruction>)> adder);
  static std::unique_ptr<HloInstruction> CreateDynamicReshape(
      const Shape& shape, HloInstruction* data_operand,
      absl::Span<HloInstruction* const> dim_sizes);
  static std::unique_ptr<HloInstruction> CreateGetDimensionSize(const Shape& shape,
                                                                HloInstruction* operand,
                                                                int64_t dimension);
  static std::unique_ptr<HloInstruction> CreateSetDimensionSize(const Shape& shape,
                                                                HloInstruction* operand,
                                                                HloInstruction* val,
                                                                int64_t dimension);
  static std::unique_ptr<HloInstruction> CreateGather(
      const Shape& shape, HloInstruction* operand, HloInstruction* start_indices,
      const GatherDimensionNumbers& gather_dim_numbers, absl::Span<const int64_t> slice_sizes,
      bool indices_are_sorted);
  static std::unique_ptr<HloInstruction> CreateScatter(
      const Shape& shape, HloInstruction* operand, HloInstruction* scatter_indices,
      HloInstruction* updates, HloComputation* update_computation,
      const ScatterDimensionNumbers& scatter_dim_numbers, bool indices_are_sorted,
      bool unique_indices);
  static std::unique_ptr<HloInstruction> CreateScatter(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      HloInstruction* scatter_indices, absl::Span<HloInstruction* const> updates,
      HloComputation* update_computation, const ScatterDimensionNumbers& scatter_dim_numbers,
      bool indices_are_sorted, bool unique_indices);
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
  static std::unique_ptr<HloInstruction> CreateScaledDot(
      const Shape& shape, HloInstruction* lhs, HloInstruction* rhs, HloInstruction* lhs_scale,
      HloInstruction* rhs_scale, const DotDimensionNumbers& dimension_numbers,
      const PrecisionConfig& precision_config);
  static std::unique_ptr<HloInstruction> CreateRaggedDot(
      const Shape& shape, HloInstruction* lhs, HloInstruction* rhs, HloInstruction* group_sizes,
      const RaggedDotDimensionNumbers& dimension_numbers, const PrecisionConfig& precision_config);
  static std::unique_ptr<HloInstruction> CreateConvolve(
      const Shape& shape, HloInstruction* lhs, HloInstruction* rhs, int64_t feature_group_count,
      int64_t batch_group_count, const Window& window,
      const ConvolutionDimensionNumbers& dimension_numbers, const PrecisionConfig& precision_config,
      const SparsityConfig& sparsity_config = SparsityConfig());
  static std::unique_ptr<HloInstruction> CreateFft(const Shape& shape, HloInstruction* operand,
                                                   FftType fft_type,
                                                   absl::Span<const int64_t> fft_length);
  static std::unique_ptr<HloInstruction> CreateTriangularSolve(
      const Shape& shape, HloInstruction* a, HloInstruction* b,
      const TriangularSolveOptions& options);
  static std::unique_ptr<HloInstruction> CreateCholesky(const Shape& shape, HloInstruction* a,
                                                        const CholeskyOptions& options);
  static std::unique_ptr<HloInstruction> CreateBatchNormTraining(
      const Shape& shape, HloInstruction* operand, HloInstruction* scale, HloInstruction* offset,
      float epsilon, int64_t feature_index);
  static std::unique_ptr<HloInstruction> CreateBatchNormInference(
      const Shape& shape, HloInstruction* operand, HloInstruction* scale, HloInstruction* offset,
      HloInstruction* mean, HloInstruction* variance, float epsilon, int64_t feature_index);
  static std::unique_ptr<HloInstruction> CreateBatchNormGrad(
      const Shape& shape, HloInstruction* operand, HloInstruction* scale, HloInstruction* mean,
      HloInstruction* variance, HloInstruction* grad_output, float epsilon, int64_t feature_index);
  static std::unique_ptr<HloInstruction> CreateRng(const Shape& shape,
                                                   RandomDistribution distribution,
                                                   absl::Span<HloInstruction* const> parameters);
  static std::unique_ptr<HloInstruction> CreateRngGetAndUpdateState(const Shape& shape,
                                                                    int64_t delta);
  static std::unique_ptr<HloInstruction> CreateRngBitGenerator(const Shape& shape,
                                                               HloInstruction* state,
                                                               RandomAlgorithm algorithm);
  static std::unique_ptr<HloInstruction> CreateTopK(const Shape& shape, HloInstruction* input,
                                                    int64_t k, bool largest,
                                                    bool is_stable = true);
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
  static std::unique_ptr<HloInstruction> CreateConditional(
      const Shape& shape, HloInstruction* pred, HloInstruction* true_computation_arg,
      HloComputation* true_computation, HloInstruction* false_computation_arg,
      HloComputation* false_computation);
  // Calls and fusions of a root make a computation of a copy of it, which becomes part of its module.
  static std::unique_ptr<HloInstruction> CreateCall(const Shape& shape,
                                                    HloInstruction* called_computation_root);
  static std::unique_ptr<HloInstruction> CreateCall(const Shape& shape,
                                                    absl::Span<HloInstruction* const> operands,
                                                    HloComputation* computation,
                                                    absl::string_view prefix = "");
  // `attributes` is a dictionary in the syntax of MLIR.
  static std::unique_ptr<HloInstruction> CreateCompositeCall(const Shape& shape,
                                                             HloInstruction* decomposition_root,
                                                             const std::string& name,
                                                             const std::string& attributes,
                                                             int64_t version);
  static std::unique_ptr<HloInstruction> CreateCompositeCall(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      HloComputation* decomposition, const std::string& name, const std::string& attributes,
      int64_t version);
  static std::unique_ptr<HloInstruction> CreateFusion(const Shape& shape, FusionKind fusion_kind,
                                                      HloInstruction* fused_root,
                                                      absl::string_view prefix = "");
  static std::unique_ptr<HloInstruction> CreateFusion(const Shape& shape, FusionKind fusion_kind,
                                                      absl::Span<HloInstruction* const> operands,
                                                      HloComputation* fusion_computation,
                                                      absl::string_view prefix = "");
  static std::unique_ptr<HloInstruction> CreateCustomCall(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      absl::string_view custom_call_target, std::string opaque = "",
      CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
  static std::unique_ptr<HloInstruction> CreateCustomCall(
      const Shape& shape, absl::Span<HloInstruction* const> operands, HloComputation* to_apply,
      absl::string_view custom_call_target, std::string opaque = "",
      CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
  static std::unique_ptr<HloInstruction> CreateCustomCall(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      absl::Span<HloComputation* const> called_computations, absl::string_view custom_call_target,
      std::string opaque = "", CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
  static std::unique_ptr<HloInstruction> CreateCustomCall(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      absl::string_view custom_call_target, absl::Span<const Shape> operand_shapes_with_layout,
      std::string opaque = "", CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
  static std::unique_ptr<HloInstruction> CreateCustomCall(
      const Shape& shape, absl::Span<HloInstruction* const> operands, HloComputation* to_apply,
      absl::string_view custom_call_target, absl::Span<const Shape> operand_shapes_with_layout,
      std::string opaque = "", CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
  static std::unique_ptr<HloInstruction> CreateTuple(absl::Span<HloInstruction* const> elements);
  static std::unique_ptr<HloInstruction> CreateAfterAll(absl::Span<HloInstruction* const> operands);
  static std::unique_ptr<HloInstruction> CreateToken();
  static std::unique_ptr<HloInstruction> CreateAddDependency(HloInstruction* data_operand,
                                                             HloInstruction* token_operand);

  // Input, output, transfers.
  static std::unique_ptr<HloInstruction> CreateInfeed(const Shape& infeed_shape,
                                                      HloInstruction* token_operand,
                                                      const std::string& config);
  static std::unique_ptr<HloInstruction> CreateOutfeed(const Shape& outfeed_shape,
                                                       HloInstruction* operand,
                                                       HloInstruction* token_operand,
                                                       absl::string_view outfeed_config);
  static std::unique_ptr<HloInstruction> CreateSend(HloInstruction* operand, HloInstruction* token,
                                                    std::optional<int64_t> channel_id,
                                                    bool is_host_transfer);
  static std::unique_ptr<HloInstruction> CreateSendDone(HloInstruction* operand,
                                                        std::optional<int64_t> channel_id,
                                                        bool is_host_transfer);
  static std::unique_ptr<HloInstruction> CreateRecv(const Shape& shape, HloInstruction* token,
                                                    std::optional<int64_t> channel_id,
                                                    bool is_host_transfer);
  static std::unique_ptr<HloInstruction> CreateRecvDone(HloInstruction* operand,
                                                        std::optional<int64_t> channel_id,
                                                        bool is_host_transfer);

  // Replicas and partitions. A list of groups is any of the classes in collective_device_list.h.
  using DeviceListPtr = std::shared_ptr<CollectiveDeviceListBase>;
  static std::unique_ptr<HloInstruction> CreateAllGather(
      const Shape& shape, absl::Span<HloInstruction* const> operands, int64_t all_gather_dimension,
      const DeviceListPtr& device_list, bool constrain_layout,
      const std::optional<int64_t>& channel_id, bool use_global_device_ids);
  static std::unique_ptr<HloInstruction> CreateAllGatherStart(
      const Shape& shape, absl::Span<HloInstruction* const> operands, int64_t all_gather_dimension,
      const DeviceListPtr& device_list, bool constrain_layout,
      const std::optional<int64_t>& channel_id, bool use_global_device_ids);
  static std::unique_ptr<HloInstruction> CreateAllReduce(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      HloComputation* reduce_computation, const DeviceListPtr& device_list, bool constrain_layout,
      const std::optional<int64_t>& channel_id, bool use_global_device_ids);
  static std::unique_ptr<HloInstruction> CreateAllReduceStart(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      HloComputation* reduce_computation, const DeviceListPtr& device_list, bool constrain_layout,
      const std::optional<int64_t>& channel_id, bool use_global_device_ids);
  static std::unique_ptr<HloInstruction> CreateReduceScatter(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      HloComputation* reduce_computation, const DeviceListPtr& device_list, bool constrain_layout,
      const std::optional<int64_t>& channel_id, bool use_global_device_ids,
      int64_t scatter_dimension);
  static std::unique_ptr<HloInstruction> CreateAllToAll(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      const DeviceListPtr& device_list, bool constrain_layout,
      const std::optional<int64_t>& channel_id,
      const std::optional<int64_t>& split_dimension = std::nullopt);
  static std::unique_ptr<HloInstruction> CreateRaggedAllToAll(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      const DeviceListPtr& device_list, const std::optional<int64_t>& channel_id);
  static std::unique_ptr<HloInstruction> CreateCollectiveBroadcast(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      const DeviceListPtr& device_list, bool constrain_layout,
      const std::optional<int64_t>& channel_id, bool has_dynamic_root = false);
  using SourceTargetPairs = std::vector<std::pair<int64_t, int64_t>>;
  static std::unique_ptr<HloInstruction> CreateCollectivePermute(
      const Shape& shape, HloInstruction* operand, const SourceTargetPairs& source_target_pairs,
      const std::optional<int64_t>& channel_id);
  static std::unique_ptr<HloInstruction> CreateCollectivePermute(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      const SourceTargetPairs& source_target_pairs, const std::optional<int64_t>& channel_id);
  static std::unique_ptr<HloInstruction> CreateCollectivePermute(
      const Shape& shape, HloInstruction* input, HloInstruction* output,
      HloInstruction* input_start_indices, HloInstruction* output_start_indices,
      absl::Span<const std::pair<int64_t, int64_t>> source_target_pairs,
      absl::Span<const std::vector<int64_t>> slice_sizes, const std::optional<int64_t>& channel_id);
  static std::unique_ptr<HloInstruction> CreateCollectivePermuteStart(
      const Shape& shape, HloInstruction* operand, const SourceTargetPairs& source_target_pairs,
      const std::optional<int64_t>& channel_id);
  static std::unique_ptr<HloInstruction> CreateCollectivePermuteStart(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      const SourceTargetPairs& source_target_pairs, const std::optional<int64_t>& channel_id);
  static std::unique_ptr<HloInstruction> CreateCollectivePermuteStart(
      const Shape& shape, HloInstruction* input, HloInstruction* output,
      HloInstruction* input_start_indices, HloInstruction* output_start_indices,
      absl::Span<const std::pair<int64_t, int64_t>> source_target_pairs,
      absl::Span<const std::vector<int64_t>> slice_sizes, const std::optional<int64_t>& channel_id);
  // u32[] unless `shape` says something else.
  static std::unique_ptr<HloInstruction> CreatePartitionId(
      const Shape& shape = ShapeUtil::MakeShape(U32, {}));
  static std::unique_ptr<HloInstruction> CreateReplicaId(
      const Shape& shape = ShapeUtil::MakeShape(U32, {}));

  // Asynchronous forms. Updates and dones call what the start calls.
  static std::unique_ptr<HloInstruction> CreateAsyncStart(
      const Shape& shape, absl::Span<HloInstruction* const> operands,
      HloComputation* async_computation,
      absl::string_view async_execution_thread = kMainExecutionThread);
  static std::unique_ptr<HloInstruction> CreateAsyncUpdate(const Shape& shape,
                                                           HloInstruction* operand);
  static std::unique_ptr<HloInstruction> CreateAsyncUpdate(
      const Shape& shape, absl::Span<HloInstruction* const> operands);
  static std::unique_ptr<HloInstruction> CreateAsyncDone(const Shape& shape,
                                                         HloInstruction* operand);
  static std::unique_ptr<HloInstruction> CreateCopyStart(
      const Shape& shape, HloInstruction* operand,
      std::optional<int> cross_program_prefetch_index = std::nullopt);

  HloOpcode opcode() const { return opcode_; }
  const Shape& shape() const { return shape_; }
  Shape* mutable_shape() { return &shape_; }

  // The name, unique within its computation.
  absl::string_view name() const { return name_; }
  void SetAndSanitizeName(absl::string_view name);
  void set_name(std::string name) { name_ = std::move(name); }
  void ClearUniqueIdInternal() { local_id_ = -1; }
  // A name that no other instruction of the module has, made of the present one.
  void UniquifyName(HloModule* module);

  // The id within its computation, at least 0; -1 before it was added to one.
  int32_t local_id() const { return local_id_; }
  // The same with the id of the computation before it, as soon as that is part of a module: unique within that.
  int64_t unique_id() const;
  // Of either form, the part within the computation is taken.
  void SetUniqueId(int64_t id) { local_id_ = static_cast<int32_t>(id); }
  // The 64-bit id of HloInstructionProto: computation in the high half, instruction in the low
  // half.
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
  std::vector<int64_t> operand_indices(const HloInstruction* operand) const;
  std::vector<int64_t> OperandIndices(const HloInstruction* operand) const {
    return operand_indices(operand);
  }
  bool HasConstantOperand() const;
  // Each operand once, in the order of their first use.
  InstructionVector unique_operands() const;
  const std::vector<HloInstruction*>& users() const { return users_; }
  int64_t user_count() const { return static_cast<int64_t>(users_.size()); }
  bool IsUserOf(const HloInstruction* instruction) const;

  // Puts `new_operand` in place of operand `operand_number`; InvalidArgument when the shapes are
  // not compatible.
  absl::Status ReplaceOperandWith(int64_t operand_number, HloInstruction* new_operand);
  absl::Status ReplaceOperandWithDifferentShape(int64_t operand_number,
                                                HloInstruction* new_operand);
  // All users, and the computation if this is its root, use `new_producer` instead.
  // A fusion that comes to use one value twice is given it once.
  absl::Status ReplaceAllUsesWith(HloInstruction* new_producer, absl::string_view trigger = "");
  absl::Status ReplaceAllUsesWithDifferentShape(HloInstruction* new_producer);
  absl::Status ReplaceAllUsesWithDifferentShape(absl::Span<HloInstruction* const> users,
                                                HloInstruction* new_producer);
  absl::Status ReplaceUsesWith(absl::Span<HloInstruction* const> users,
                               HloInstruction* new_producer);
  absl::Status ReplaceUseWith(HloInstruction* user, HloInstruction* new_producer);
  absl::Status ReplaceUseWith(HloInstruction* user, int operand_number,
                              HloInstruction* new_producer);
  absl::Status ReplaceUseWithDifferentShape(HloInstruction* user, HloInstruction* new_producer);
  absl::Status ReplaceUseWithDifferentShape(HloInstruction* user, int operand_number,
                                            HloInstruction* new_producer);
  void AppendOperand(HloInstruction* operand);
  void AppendOperands(absl::Span<HloInstruction* const> operands);
  void RemoveOperandAt(int index);
  void RemoveOperandsAtAscendingIndices(absl::Span<const int> ascending_indices);
  // Afterwards there are no operands.
  void DetachFromOperands();
  // Takes this instruction out of its operands' lists of users and out of its control edges. What is cut through on
  // either side becomes null.
  void DetachFromOperandsAndUsers();
  // Takes it out of operands' lists of users and out of its control edges: what is left is without operands, and dead
  // where it has no users.
  void CutOff();

  // Order without data: this runs before `instruction`.
  absl::Status AddControlDependencyTo(HloInstruction* instruction);
  absl::Status RemoveControlDependencyTo(HloInstruction* instruction);
  absl::Status DropAllControlDeps();
  // The same, but what ran before this still runs before what ran after it.
  absl::Status SafelyDropAllControlDependencies();
  // Gives this the control edges of `instruction`; in two parts: those to `start`, those from `end`.
  absl::Status CopyAllControlDepsFrom(const HloInstruction* instruction);
  absl::Status CopyAllControlDepsTo(HloInstruction* start, HloInstruction* end) const;
  const std::vector<HloInstruction*>& control_predecessors() const { return control_predecessors_; }
  const std::vector<HloInstruction*>& control_successors() const { return control_successors_; }
  bool HasControlDependencies() const {
    return !control_predecessors_.empty() || !control_successors_.empty();
  }

  // Computations called by this instruction, in the order of
  // HloInstructionProto.called_computation_ids: a while has body, condition; select-and-scatter has
  // select, scatter; a conditional its branches.
  const std::vector<HloComputation*>& called_computations() const { return called_computations_; }
  void set_called_computation(int64_t index, HloComputation* computation);
  bool has_called_computations() const { return !called_computations_.empty(); }
  void AppendComputation(HloComputation* computation) { called_computations_.push_back(computation); }
  // For computations that are called asynchronously or fused, and what they call.
  void set_called_computations_execution_thread(absl::string_view thread);
  void set_to_apply(HloComputation* computation);
  void set_while_condition(HloComputation* computation);
  void set_while_body(HloComputation* computation);
  void set_select(HloComputation* computation);
  void set_scatter(HloComputation* computation);
  void set_branch_computation(int b, HloComputation* computation);
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
  HloInstruction* fused_parameter(int64_t parameter_number) const;
  const std::vector<HloInstruction*>& fused_parameters() const;
  // All of HloComputation::instructions().
  std::vector<HloInstruction*> fused_instructions() const;
  FusionKind fusion_kind() const;
  void set_fusion_kind(FusionKind kind);
  bool IsLoopFusion() const;
  bool IsInputFusion() const;
  bool IsOutputFusion() const;
  bool IsCustomFusion() const;
  bool IsMultiOutputFusion() const;

  // Growing and shrinking the computation of a call, a fusion or a start (src/ir/fusion.cc). An instruction that is taken
  // in stays where it was and loses this one as a user; `add_output` adds its value to the results. Each of these gives
  // the copy in the computation.
  HloInstruction* AppendInstructionIntoCalledComputation(HloInstruction* instruction,
                                                         bool add_output = false);
  HloInstruction* FuseInstruction(HloInstruction* instruction);
  HloInstruction* FuseInstructionIntoMultiOutput(HloInstruction* instruction);
  // Takes in a whole fusion that is an operand; or any fusion, with those of its results that others use.
  void MergeFusionInstruction(HloInstruction* instruction_to_merge);
  void MergeFusionInstructionIntoMultiOutput(HloInstruction* instruction_to_merge);
  // Moves an instruction out of the fusion: this gets it as an operand. FailedPrecondition unless its operands are
  // parameters, constants or broadcasts of constants.
  absl::StatusOr<HloInstruction*> UnfuseInstruction(HloInstruction* instruction);
  // Adds an operand and the parameter for it, which is given back.
  HloInstruction* AddFusionOperand(HloInstruction* new_operand);
  HloInstruction* AddCallOperand(HloInstruction* new_operand);

  // The record with the operation's own attributes; never null. Its type is that of the row in
  // hlo_ops.def.
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
  // Whether element i of the result depends on element i of this operand only; a fusion may be elementwise on some.
  bool IsElementwiseOnOperand(int64_t operand_idx) const;
  // Whether an element of the operand may be read more than once.
  bool ReusesOperandElements(int64_t operand_idx) const;
  // Whether this is a reshape that only inserts and deletes dimensions of size 1.
  std::optional<ShapeUtil::ShapeEqualityDescriptor> ReshapeMerelyInsertsOrDeletes1SizedDimensions() const;
  // The dimension of the one operand that dimension `output_dim` of the result is, if it is one.
  std::optional<int64_t> MapUnaryOutputDimToOperandDim(int64_t output_dim) const;
  // The instruction that get-tuple-elements lead to, and the index of this in its result.
  const HloInstruction* LatestNonGteAncestor() const;
  HloInstruction* LatestNonGteAncestor();
  std::pair<const HloInstruction*, ShapeIndex> LatestNonGteAncestorAndIndex() const;
  std::pair<HloInstruction*, ShapeIndex> LatestNonGteAncestorAndIndex();
  bool IsRank2Transpose() const;
  bool IsEffectiveBitcast() const;
  bool IsCrossModuleAllReduce() const;
  bool IsCrossReplicaAllReduce() const;
  bool IsCollective() const;
  bool SameOp(const HloInstruction& other) const;
  std::string ToCategory() const;
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

  // Calls the function of the visitor that belongs to the operation.
  template <typename HloInstructionPtr>
  absl::Status Visit(DfsHloVisitorBase<HloInstructionPtr>* visitor);
  absl::Status Visit(ConstDfsHloVisitor* visitor) const;
  // Visits what this depends on, each instruction once and after its operands and, unless they are ignored, its control
  // predecessors; then this; then calls FinishVisit. With `cross_computation` called computations are visited before
  // their callers. Gives the visitor's error, with the place in the program where it is known, or FailedPrecondition
  // for a cycle.
  template <typename HloInstructionPtr>
  absl::Status Accept(DfsHloVisitorBase<HloInstructionPtr>* visitor, bool call_finish_visit = true,
                      bool ignore_control_predecessors = false, bool cross_computation = false);
  absl::Status Accept(ConstDfsHloVisitor* visitor, bool call_finish_visit = true,
                      bool ignore_control_predecessors = false,
                      bool cross_computation = false) const;
  // The order among operands of one instruction is that of `operand_order`.
  using CompareFunction = absl::FunctionRef<bool(const HloInstruction*, const HloInstruction*)>;
  absl::Status AcceptWithOperandOrder(DfsHloVisitor* visitor, CompareFunction operand_order,
                                      bool call_finish_visit = true);
  absl::Status Accept(absl::FunctionRef<absl::Status(HloInstruction*)> visitor_function);
  absl::Status Accept(absl::FunctionRef<absl::Status(const HloInstruction*)> visitor_function) const;

  // Attributes of single operations. Calling one on an operation that has no such attribute is a bug of the caller.
  // References are valid until the attribute changes.
  int64_t parameter_number() const;
  const Literal& literal() const;
  bool HasLiteral() const;
  int64_t tuple_index() const;
  absl::Span<const int64_t> dimensions() const;
  int64_t dimensions(int64_t index) const { return dimensions()[index]; }
  std::vector<int64_t>* mutable_dimensions();
  int64_t dimension() const { return dimensions(0); }
  const std::vector<int64_t>& slice_starts() const;
  const std::vector<int64_t>& slice_limits() const;
  const std::vector<int64_t>& slice_strides() const;
  int64_t slice_starts(int64_t dimension) const;
  int64_t slice_limits(int64_t dimension) const;
  int64_t slice_strides(int64_t dimension) const;
  const std::vector<int64_t>& dynamic_slice_sizes() const;
  const Window& window() const;
  void set_window(const Window& window);
  const PaddingConfig& padding_config() const;
  PaddingConfig* mutable_padding_config();
  PaddingType padding_type() const;
  const DotDimensionNumbers& dot_dimension_numbers() const;
  const GatherDimensionNumbers& gather_dimension_numbers() const;
  const ScatterDimensionNumbers& scatter_dimension_numbers() const;
  const RaggedDotDimensionNumbers& ragged_dot_dimension_numbers() const;
  const ConvolutionDimensionNumbers& convolution_dimension_numbers() const;
  void set_convolution_dimension_numbers(const ConvolutionDimensionNumbers& dimension_numbers);
  const SparsityConfig& sparsity_config() const;
  bool SupportsPrecisionConfig() const;
  const PrecisionConfig& precision_config() const;
  PrecisionConfig* mutable_precision_config();
  int64_t feature_group_count() const;
  void set_feature_group_count(int64_t feature_group_count);
  int64_t batch_group_count() const;
  void set_batch_group_count(int64_t batch_group_count);
  FftType fft_type() const;
  const std::vector<int64_t>& fft_length() const;
  const TriangularSolveOptions& triangular_solve_options() const;
  const CholeskyOptions& cholesky_options() const;
  float epsilon() const;
  int64_t feature_index() const;
  int64_t concatenate_dimension() const;
  int64_t inferred_dimension() const;
  const std::vector<int64_t>& gather_slice_sizes() const;
  int32_t exponent_bits() const;
  int32_t mantissa_bits() const;
  std::string infeed_config() const;
  void set_infeed_config(const std::string& config);
  const std::string& outfeed_config() const;
  void set_outfeed_config(const std::string& config);
  const Shape& outfeed_shape() const;
  Shape* mutable_outfeed_shape();
  bool is_host_transfer() const;
  bool is_stable() const;
  bool is_composite() const;
  void set_is_composite(bool is_composite);
  Comparison::Direction comparison_direction() const;
  Comparison::Type comparison_type() const;
  RandomDistribution random_distribution() const;
  int64_t random_parameter_count() const { return operand_count(); }
  // One for each leaf buffer of a parameter, if it says anything.
  const std::optional<std::vector<bool>>& parameter_replicated_at_leaf_buffers() const;
  void set_parameter_replicated_at_leaf_buffers(absl::Span<const bool> replicated);
  void set_parameter_replicated_at_leaf_buffers(const std::vector<bool>& replicated);
  const std::string& custom_call_target() const;
  void set_custom_call_target(absl::string_view target);
  std::optional<int64_t> channel_id() const;
  void set_channel_id(const std::optional<int64_t>& channel_id);
  const std::vector<ReplicaGroup>& replica_groups() const;
  const CollectiveDeviceList& device_list() const;
  void set_device_list(const CollectiveDeviceListBase& device_list);
  const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs() const;
  bool constrain_layout() const;
  bool use_global_device_ids() const;
  std::optional<int> cross_program_prefetch_index() const;
  const std::vector<std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>& output_to_operand_aliasing() const;
  void set_output_to_operand_aliasing(
      std::vector<std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>> aliasing);
  absl::string_view async_execution_thread() const;
  void set_async_execution_thread(absl::string_view thread);
  HloComputation* async_wrapped_computation() const;
  HloInstruction* async_wrapped_instruction() const;
  HloOpcode async_wrapped_opcode() const;
  // The first and last of a start, its updates and its done; the last one is null when nothing follows.
  HloInstruction* async_chain_start() const;
  HloInstruction* async_chain_done() const;
  std::vector<HloInstruction*> GetAsyncChain() const;

  // What any instruction may carry.
  const OpMetadata& metadata() const;
  OpMetadata& mutable_metadata();
  void set_metadata(const OpMetadata& metadata);
  void set_metadata_op_name(const std::string& name) { mutable_metadata().set_op_name(name); }
  void set_metadata_deduplicated_name(std::string name) {
    mutable_metadata().set_deduplicated_name(std::move(name));
  }
  void set_metadata_scheduling_name(absl::string_view name) {
    mutable_metadata().set_scheduling_name(std::string(name));
  }
  // The frames of the metadata from the innermost to the outermost, or else the place in the source, one on a line.
  std::string GetStackTraceStringFromMetadata(int indent) const;
  bool has_sharding() const { return sharding_ != nullptr; }
  const HloSharding& sharding() const;
  std::shared_ptr<const HloSharding> sharding_ptr() const { return sharding_; }
  void set_sharding(HloSharding sharding);
  void set_sharding(std::shared_ptr<const HloSharding> sharding) {
    sharding_ = std::move(sharding);
  }
  void clear_sharding() { sharding_ = nullptr; }
  // The one device that holds this value, if it is one.
  std::optional<int64_t> sharding_unique_device() const;
  void set_device_sharding(int64_t device);
  void set_single_sharding(const HloSharding& sharding);
  bool has_compatible_sharding(const HloInstruction* other) const;
  const FrontendAttributes& frontend_attributes() const;
  FrontendAttributes& mutable_frontend_attributes();
  bool has_frontend_attributes() const { return !frontend_attributes().map().empty(); }
  std::optional<std::string> get_frontend_attribute(absl::string_view key) const;
  // set_... replaces a value, add_... keeps it and, for one key, is then false.
  void set_frontend_attributes(FrontendAttributes frontend_attributes);
  void set_frontend_attribute(absl::string_view key, absl::string_view value);
  bool add_frontend_attribute(absl::string_view key, absl::string_view value);
  void add_frontend_attributes(const FrontendAttributes& frontend_attributes);
  bool erase_frontend_attribute(absl::string_view key);
  const std::string& raw_backend_config_string() const;
  void set_raw_backend_config_string(std::string config);
  bool has_backend_config() const { return !raw_backend_config_string().empty(); }
  void clear_backend_config() { set_raw_backend_config_string(""); }
  void CopyBackendConfigFrom(const HloInstruction* other) {
    set_raw_backend_config_string(other->raw_backend_config_string());
  }
  // The configuration as a message in JSON. InvalidArgument when it is none of that type.
  absl::Status set_backend_config(const google::protobuf::Message& config);
  absl::Status GetBackendConfigInternal(google::protobuf::Message* config) const;
  template <typename ConfigProto>
  absl::StatusOr<ConfigProto> backend_config() const {
    ConfigProto config;
    if (absl::Status status = GetBackendConfigInternal(&config); !status.ok()) return status;
    return config;
  }
  const StatisticsViz& statistics_viz() const;
  void set_statistics_viz(StatisticsViz statistics);
  bool has_statistics() const { return statistics_viz().statistics_size() > 0; }
  void add_single_statistic(Statistic statistic);
  void set_stat_index_to_visualize(int64_t index);
  const Statistic& statistic_to_visualize() const;
  const ResultAccuracy& result_accuracy() const;
  void set_result_accuracy(ResultAccuracy accuracy);
  bool has_result_accuracy() const;
  bool equal_result_accuracy(const HloInstruction* other) const;
  // The value of the original program that this instruction computes, or null.
  std::shared_ptr<OriginalValue> original_value() const;
  void set_original_value(std::shared_ptr<OriginalValue> original_value);
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

  // Same operation, shape, operands (by pointer), attributes and called computations
  // (structurally).
  bool Identical(const HloInstruction& other) const;
  using EqualInstructions = absl::FunctionRef<bool(const HloInstruction*, const HloInstruction*)>;
  using EqualComputations = absl::FunctionRef<bool(const HloComputation*, const HloComputation*)>;
  // The same with other ideas of which operands and computations are equal; at will without layouts, and with shardings.
  bool Identical(const HloInstruction& other, EqualInstructions equal_operands) const;
  bool Identical(const HloInstruction& other, EqualInstructions equal_operands,
                 EqualComputations equal_computations, bool layout_sensitive = true,
                 bool sharding_sensitive = false) const;
  // The operands of a commutative operation may be exchanged.
  bool IdenticalIgnoringCommutativeOperandOrder(const HloInstruction& other,
                                                EqualInstructions equal_operands,
                                                EqualComputations equal_computations,
                                                bool layout_sensitive = true,
                                                bool sharding_sensitive = false) const;
  bool IdenticalIgnoringChannelIdValues(const HloInstruction& other,
                                        EqualInstructions equal_operands,
                                        EqualComputations equal_computations,
                                        bool layout_sensitive = true,
                                        bool sharding_sensitive = false) const;
  // Equal for instructions that are identical, of other operands as well.
  template <typename H>
  friend H AbslHashValue(H h, const HloInstruction& instruction) {
    h = H::combine(std::move(h), instruction.opcode(), instruction.shape());
    return H::combine(std::move(h), instruction.operand_count());
  }

  // Adds `derived` to the same computation and hands it metadata and sharding of this one.
  HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> derived,
                                 absl::string_view new_name = "");

  std::string ToString() const;
  std::string ToString(const HloPrintOptions& options) const;
  void Print(Printer* printer, const HloPrintOptions& options) const;
  // As part of the text of a computation whose names are in the map, to which new ones are added.
  void PrintWithCanonicalNameMap(Printer* printer, const HloPrintOptions& options,
                                 CanonicalNameMap* canonical_name_map) const;
  std::string ToShortString() const;

  HloInstructionProto ToProto() const;
  void ToProto(HloInstructionProto* proto) const;

 protected:
  // Of classes that clients may make: default attributes, no operands.
  HloInstruction(HloOpcode opcode, Shape shape);

 private:
  friend class HloComputation;

  // Attributes few instructions have.
  struct Annotations;
  // The attribute as what accessors refer to, where the record keeps it in another form.
  struct View;

  static std::unique_ptr<HloInstruction> MakeOfClass(HloOpcode opcode, Shape shape);
  Annotations& annotations();
  template <typename T>
  const T& ViewAs(T value) const;
  void CutControlEdges();
  // Before this is put among its operands.
  void AddUser(HloInstruction* user);
  void RemoveUser(HloInstruction* user);

  HloOpcode opcode_;
  bool marked_as_dead_ = false;
  int32_t local_id_ = -1;
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
  mutable std::unique_ptr<View> view_;  // made when first asked for
};

// "kLoop", "kInput", "kOutput", "kCustom" and back.
absl::string_view ToString(HloInstruction::FusionKind kind);
absl::StatusOr<HloInstruction::FusionKind> StringToFusionKind(absl::string_view kind);

// "default", "high", "highest" and back.
std::string PrecisionToString(const PrecisionConfig::Precision& precision);
absl::StatusOr<PrecisionConfig::Precision> StringToPrecision(const std::string& name);

std::ostream& operator<<(std::ostream& out, HloInstruction::FusionKind kind);

// Attributes as they stand in text.
std::string PaddingConfigToString(const PaddingConfig& padding);
std::string ConvolutionDimensionNumbersToString(const ConvolutionDimensionNumbers& numbers);
std::string DotDimensionNumbersToString(const DotDimensionNumbers& numbers);
std::string FrontendAttributesToString(const FrontendAttributes& frontend_attributes);
std::string StatisticsVizToString(const StatisticsViz& statistics_viz);
std::string OpMetadataToString(const OpMetadata& metadata, bool only_op_name = false);
std::string RandomDistributionToString(const RandomDistribution& distribution);
absl::StatusOr<RandomDistribution> StringToRandomDistribution(const std::string& name);
std::string RandomAlgorithmToString(const RandomAlgorithm& algorithm);
absl::StatusOr<RandomAlgorithm> StringToRandomAlgorithm(const std::string& name);
std::string AlgorithmToString(const PrecisionConfig::Algorithm& algorithm);
absl::StatusOr<PrecisionConfig::Algorithm> StringToAlgorithm(const std::string& name);
// "highest"; "tolerance={atol=0,rtol=0.5,ulps=0}".
std::string ResultAccuracyToString(ResultAccuracy::Mode mode);
std::string ResultAccuracyToleranceToString(const ResultAccuracy::Tolerance& tolerance);
absl::StatusOr<ResultAccuracy::Mode> StringToResultAccuracy(absl::string_view name);

// Order by module, computation and id, so that it does not depend on where objects lie in memory.
struct HloPtrComparator {
  bool operator()(const HloInstruction* const& lhs, const HloInstruction* const& rhs) const;
};
template <typename Value>
using HloInstructionMap = std::map<HloInstruction*, Value, HloPtrComparator>;
template <typename Value>
using ConstHloInstructionMap = std::map<const HloInstruction*, Value, HloPtrComparator>;
using HloInstructionSet = std::set<HloInstruction*, HloPtrComparator>;
using ConstHloInstructionSet = std::set<const HloInstruction*, HloPtrComparator>;

// Values of HloPredicate.
template <HloOpcode... opcodes>
bool HloPredicateIsOp(const HloInstruction* instruction) {
  return ((instruction->opcode() == opcodes) || ...);
}
template <HloOpcode... opcodes>
bool HloPredicateIsNotOp(const HloInstruction* instruction) {
  return !HloPredicateIsOp<opcodes...>(instruction);
}

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_INSTRUCTION_H_
