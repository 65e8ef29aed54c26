// A class for each operation with attributes of its own, and for each group of operations with some in common. Casts
// are in hlo_casting_utils.h. Everything that HloInstruction says of all operations can be asked there as well.
#ifndef XLA_HLO_IR_HLO_INSTRUCTIONS_H_
#define XLA_HLO_IR_HLO_INSTRUCTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Each class is that of some operations: ClassOf says whether an instruction is one of them.
#define HILO_INSTRUCTION_CLASS(Base, ...)                  \
 public:                                                   \
  using Base::Base;                                        \
  static bool ClassOf(const HloInstruction* instruction) { \
    return HloPredicateIsOp<__VA_ARGS__>(instruction);     \
  }                                                        \
  static_assert(true)

// ---- Dimensions ----

class HloDimensionsInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kBroadcast,
                         HloOpcode::kConcatenate, HloOpcode::kReduce, HloOpcode::kReverse,
                         HloOpcode::kSort, HloOpcode::kTranspose);
};

class HloBroadcastInstruction : public HloDimensionsInstruction {
  HILO_INSTRUCTION_CLASS(HloDimensionsInstruction, HloOpcode::kBroadcast);
};

class HloReverseInstruction : public HloDimensionsInstruction {
  HILO_INSTRUCTION_CLASS(HloDimensionsInstruction, HloOpcode::kReverse);
};

class HloConcatenateInstruction : public HloDimensionsInstruction {
  HILO_INSTRUCTION_CLASS(HloDimensionsInstruction, HloOpcode::kConcatenate);
};

class HloTransposeInstruction : public HloDimensionsInstruction {
  HILO_INSTRUCTION_CLASS(HloDimensionsInstruction, HloOpcode::kTranspose);
};

class HloReduceInstruction : public HloDimensionsInstruction {
  HILO_INSTRUCTION_CLASS(HloDimensionsInstruction, HloOpcode::kReduce);
  // Half of the operands are arrays, the others the initial values.
  int64_t input_count() const { return operand_count() / 2; }
  absl::Span<HloInstruction* const> inputs() const {
    return absl::MakeConstSpan(operands()).subspan(0, input_count());
  }
  absl::Span<HloInstruction* const> init_values() const {
    return absl::MakeConstSpan(operands()).subspan(input_count());
  }
};

class HloSortInstruction : public HloDimensionsInstruction {
  HILO_INSTRUCTION_CLASS(HloDimensionsInstruction, HloOpcode::kSort);
  int64_t sort_dimension() const { return dimensions(0); }
  void set_sort_dimension(int64_t dimension);
  const HloInstruction* keys() const { return operand(0); }
  HloInstruction* mutable_keys() { return mutable_operand(0); }
  int64_t values_count() const { return operand_count() - 1; }
};

class HloMapInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kMap);
};

class HloIotaInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kIota);
  int64_t iota_dimension() const { return dimensions(0); }
};

class HloReshapeInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kReshape);
};

class HloSliceInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kSlice);
  void set_slice_starts(absl::Span<const int64_t> starts);
  void set_slice_limits(absl::Span<const int64_t> limits);
  void set_slice_strides(absl::Span<const int64_t> strides);
};

class HloPadInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kPad);
  const HloInstruction* padded_operand() const { return operand(0); }
  HloInstruction* mutable_padded_operand() { return mutable_operand(0); }
  const HloInstruction* padding_value() const { return operand(1); }
  HloInstruction* mutable_padding_value() { return mutable_operand(1); }
};

class HloGetDimensionSizeInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kGetDimensionSize);
};

class HloSetDimensionSizeInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kSetDimensionSize);
};

class HloDynamicReshapeInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kDynamicReshape);
  absl::Span<HloInstruction* const> dim_sizes() const {
    return absl::MakeConstSpan(operands()).subspan(1);
  }
  HloInstruction* dim_sizes(int64_t i) { return mutable_operand(i + 1); }
};

// ---- Indexing ----

class HloDynamicIndexInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kDynamicSlice,
                         HloOpcode::kDynamicUpdateSlice);
  // Where the start indices begin among the operands.
  int64_t first_index_operand_number() const { return opcode() == HloOpcode::kDynamicSlice ? 1 : 2; }
  absl::Span<HloInstruction* const> index_operands() const {
    return absl::MakeConstSpan(operands()).subspan(first_index_operand_number());
  }
  std::vector<Shape> index_shapes() const;
};

class HloDynamicSliceInstruction : public HloDynamicIndexInstruction {
  HILO_INSTRUCTION_CLASS(HloDynamicIndexInstruction, HloOpcode::kDynamicSlice);
  int64_t slice_sizes(int64_t dimension) const { return dynamic_slice_sizes()[dimension]; }
  using HloInstruction::dynamic_slice_sizes;
};

class HloDynamicUpdateSliceInstruction : public HloDynamicIndexInstruction {
  HILO_INSTRUCTION_CLASS(HloDynamicIndexInstruction, HloOpcode::kDynamicUpdateSlice);
  const HloInstruction* update() const { return operand(1); }
  HloInstruction* mutable_update() { return mutable_operand(1); }
};

class HloGatherInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kGather);
  bool indices_are_sorted() const;
  void set_indices_are_sorted(bool indices_are_sorted);
  static std::string GatherDimensionNumbersToString(const GatherDimensionNumbers& numbers);
  static GatherDimensionNumbers MakeGatherDimNumbers(
      absl::Span<const int64_t> offset_dims, absl::Span<const int64_t> collapsed_slice_dims,
      absl::Span<const int64_t> start_index_map, int64_t index_vector_dim,
      absl::Span<const int64_t> operand_batching_dims = {},
      absl::Span<const int64_t> start_indices_batching_dims = {});
};

class HloScatterInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kScatter);
  bool indices_are_sorted() const;
  void set_indices_are_sorted(bool indices_are_sorted);
  bool unique_indices() const;
  void set_unique_indices(bool unique_indices);
  // The operands are n arrays, the indices, n updates.
  int64_t scatter_operand_count() const { return operand_count() / 2; }
  absl::Span<HloInstruction* const> scatter_operands() const {
    return absl::MakeConstSpan(operands()).first(scatter_operand_count());
  }
  const HloInstruction* scatter_indices() const { return operand(scatter_operand_count()); }
  HloInstruction* scatter_indices() { return mutable_operand(scatter_operand_count()); }
  absl::Span<HloInstruction* const> scatter_updates() const {
    return absl::MakeConstSpan(operands()).last(scatter_operand_count());
  }
  static std::string ScatterDimensionNumbersToString(const ScatterDimensionNumbers& numbers);
  static ScatterDimensionNumbers MakeScatterDimNumbers(
      absl::Span<const int64_t> update_window_dims, absl::Span<const int64_t> inserted_window_dims,
      absl::Span<const int64_t> scatter_dims_to_operand_dims, int64_t index_vector_dim,
      absl::Span<const int64_t> input_batching_dims = {},
      absl::Span<const int64_t> scatter_indices_batching_dims = {});
};

// ---- Elements, constants, parameters ----

class HloCompareInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kCompare);
  ComparisonDirection direction() const { return comparison_direction(); }
  ComparisonOrder order() const;
  Comparison::Type type() const { return comparison_type(); }
};

class HloConstantInstruction : public HloInstruction {
 public:
  explicit HloConstantInstruction(Literal literal);
  // Without a value.
  explicit HloConstantInstruction(const Shape& shape);
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kConstant);
  // A copy where other instructions share it.
  Literal* mutable_literal();
  std::shared_ptr<const Literal> literal_ptr() const;
  // The literal of the shape's layout; of an element of a tuple.
  void RelayoutConstant(const Layout& new_layout, const ShapeIndex& shape_index = {});
};

class HloParameterInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kParameter);
};

class HloGetTupleElementInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kGetTupleElement);
  void set_tuple_index(int64_t index);
};

class HloReducePrecisionInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kReducePrecision);
};

class HloRngInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kRng);
};

class HloRngGetAndUpdateStateInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kRngGetAndUpdateState);
  int64_t delta() const;
  void set_delta(int64_t delta);
};

class HloRngBitGeneratorInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kRngBitGenerator);
  RandomAlgorithm algorithm() const;
};

// ---- Reductions, windows, sorting ----

class HloReduceWindowInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kReduceWindow);
  int64_t input_count() const { return operand_count() / 2; }
  absl::Span<HloInstruction* const> inputs() const {
    return absl::MakeConstSpan(operands()).subspan(0, input_count());
  }
  absl::Span<HloInstruction* const> init_values() const {
    return absl::MakeConstSpan(operands()).subspan(input_count());
  }
  std::vector<const Shape*> input_shapes() const;
  std::vector<const Shape*> init_value_shapes() const;
  // Of each result.
  std::vector<const Shape*> output_shapes() const;
};

class HloSelectAndScatterInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kSelectAndScatter);
  const HloInstruction* source() const { return operand(1); }
  HloInstruction* mutable_source() { return mutable_operand(1); }
  const HloInstruction* init_value() const { return operand(2); }
  HloInstruction* mutable_init_value() { return mutable_operand(2); }
};

class HloTopKInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kTopK);
  int64_t k() const;
  bool largest() const;
};

class HloScanInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kScan);
  int64_t scan_dimension() const;
  int64_t num_carries() const;
  bool is_reverse() const;
  TriState is_associative() const;
  absl::Span<HloInstruction* const> inputs() const {
    return absl::MakeConstSpan(operands()).first(operand_count() - num_carries());
  }
  absl::Span<HloInstruction* const> inits() const {
    return absl::MakeConstSpan(operands()).last(num_carries());
  }
};

// ---- Products, transforms, linear algebra, normalisation ----

class HloDotInstruction : public HloInstruction {
 public:
  static constexpr int kOperands = 2;
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kDot);
};

class HloScaledDotInstruction : public HloInstruction {
 public:
  static constexpr int kOperands = 4;
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kScaledDot);
};

class HloRaggedDotInstruction : public HloInstruction {
 public:
  static constexpr int kOperands = 3;
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kRaggedDot);
};

class HloConvolutionInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kConvolution);
  bool has_sparsity_config() const;
  ConvolutionKind convolution_kind() const;
  void set_convolution_kind(ConvolutionKind kind);
};

class HloFftInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kFft);
};

class HloTriangularSolveInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kTriangularSolve);
};

class HloCholeskyInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kCholesky);
};

class HloBatchNormInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kBatchNormGrad,
                         HloOpcode::kBatchNormInference, HloOpcode::kBatchNormTraining);
  void set_epsilon(float epsilon);
};

class HloBatchNormTrainingInstruction : public HloBatchNormInstruction {
  HILO_INSTRUCTION_CLASS(HloBatchNormInstruction, HloOpcode::kBatchNormTraining);
};

class HloBatchNormInferenceInstruction : public HloBatchNormInstruction {
  HILO_INSTRUCTION_CLASS(HloBatchNormInstruction, HloOpcode::kBatchNormInference);
};

class HloBatchNormGradInstruction : public HloBatchNormInstruction {
  HILO_INSTRUCTION_CLASS(HloBatchNormInstruction, HloOpcode::kBatchNormGrad);
};

// ---- Calls ----

// What calls one computation with its operands.
class HloCallableInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kFusion,
                         HloOpcode::kCall, HloOpcode::kCustomCall);
  // CHECKs that there is exactly one.
  HloComputation* called_computation() const;
  HloInstruction* called_computation_root() const;
  HloInstruction* CloneAndAppendInstructionIntoCalledComputation(HloInstruction* instruction,
                                                                 bool add_output = false) {
    return AppendInstructionIntoCalledComputation(instruction, add_output);
  }
  void RecursivelySetComputationsThreadName(absl::string_view thread) {
    set_called_computations_execution_thread(thread);
  }
};

class HloFusionInstruction : public HloCallableInstruction {
  HILO_INSTRUCTION_CLASS(HloCallableInstruction, HloOpcode::kFusion);
  // Operand i and its parameter become number old_to_new[i]. InvalidArgument for what is no permutation.
  absl::Status PermuteFusionOperands(absl::Span<const int64_t> old_to_new);
  // Operands that stand twice are handed over once.
  absl::Status DeduplicateFusionOperands();
};

class HloCallInstruction : public HloCallableInstruction {
  HILO_INSTRUCTION_CLASS(HloCallableInstruction, HloOpcode::kCall);
};

class HloCustomCallInstruction : public HloCallableInstruction {
 public:
  HloCustomCallInstruction(const Shape& shape, absl::Span<HloInstruction* const> operands,
                           absl::string_view custom_call_target, std::string opaque,
                           CustomCallApiVersion api_version);
  HILO_INSTRUCTION_CLASS(HloCallableInstruction, HloOpcode::kCustomCall);

  // What a client keeps with one instruction. It is not copied with it.
  class PerInstructionStorage {
   public:
    virtual ~PerInstructionStorage() = default;
  };
  // The first one that is set stays.
  void SetPerInstructionStorage(std::unique_ptr<PerInstructionStorage> storage) {
    if (storage_ == nullptr) storage_ = std::move(storage);
  }
  PerInstructionStorage* GetPerInstructionStorage() const { return storage_.get(); }

  std::string opaque() const { return raw_backend_config_string(); }
  void set_opaque(std::string opaque) { set_raw_backend_config_string(std::move(opaque)); }
  bool custom_call_has_side_effect() const;
  void set_custom_call_has_side_effect(bool has_side_effect);
  CustomCallSchedule custom_call_schedule() const;
  void set_custom_call_schedule(CustomCallSchedule schedule);
  CustomCallApiVersion api_version() const;
  void set_api_version(CustomCallApiVersion version);
  void set_padding_type(PaddingType type);
  void set_literal(Literal literal);
  bool layout_constrained() const;
  // Only where layouts are constrained.
  const std::vector<Shape>& operand_shapes_with_layout() const;
  void set_operand_shapes_with_layout(std::vector<Shape> shapes);
  void set_precision_config(const PrecisionConfig& config) { *mutable_precision_config() = config; }

 private:
  std::unique_ptr<PerInstructionStorage> storage_;
};

class HloDomainInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kDomain);
  // What holds for operands and for users.
  const HloSharding& operand_side_sharding() const;
  const HloSharding& user_side_sharding() const;
};

// ---- Asynchronous forms ----

class HloAsyncInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kAsyncStart,
                         HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone);
};

class HloAsyncStartInstruction : public HloAsyncInstruction {
  HILO_INSTRUCTION_CLASS(HloAsyncInstruction, HloOpcode::kAsyncStart);
};

class HloAsyncUpdateInstruction : public HloAsyncInstruction {
  HILO_INSTRUCTION_CLASS(HloAsyncInstruction, HloOpcode::kAsyncUpdate);
};

class HloAsyncDoneInstruction : public HloAsyncInstruction {
  HILO_INSTRUCTION_CLASS(HloAsyncInstruction, HloOpcode::kAsyncDone);
};

class HloCopyStartInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kCopyStart);
  std::optional<int> cross_program_prefetch_index() const {
    return HloInstruction::cross_program_prefetch_index();
  }
  void set_cross_program_prefetch_index(std::optional<int> index);
};

// ---- Input, output, transfers ----

class HloInfeedInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kInfeed);
  // Without the token.
  const Shape& infeed_shape() const { return shape().tuple_shapes(0); }
};

class HloOutfeedInstruction : public HloInstruction {
  HILO_INSTRUCTION_CLASS(HloInstruction, HloOpcode::kOutfeed);
};

class HloChannelInstruction : public HloInstruction {
 public:
  using HloInstruction::HloInstruction;
  static bool ClassOf(const HloInstruction* instruction);
};

class HloSendRecvInstruction : public HloChannelInstruction {
  HILO_INSTRUCTION_CLASS(HloChannelInstruction, HloOpcode::kSend,
                         HloOpcode::kSendDone, HloOpcode::kRecv, HloOpcode::kRecvDone);
};

class HloSendInstruction : public HloSendRecvInstruction {
  HILO_INSTRUCTION_CLASS(HloSendRecvInstruction, HloOpcode::kSend);
};

class HloSendDoneInstruction : public HloSendRecvInstruction {
  HILO_INSTRUCTION_CLASS(HloSendRecvInstruction, HloOpcode::kSendDone);
};

class HloRecvInstruction : public HloSendRecvInstruction {
  HILO_INSTRUCTION_CLASS(HloSendRecvInstruction, HloOpcode::kRecv);
};

class HloRecvDoneInstruction : public HloSendRecvInstruction {
  HILO_INSTRUCTION_CLASS(HloSendRecvInstruction, HloOpcode::kRecvDone);
};

// ---- Replicas and partitions ----

class HloCollectiveInstruction : public HloChannelInstruction {
  HILO_INSTRUCTION_CLASS(HloChannelInstruction, HloOpcode::kAllGather,
                         HloOpcode::kAllGatherStart, HloOpcode::kAllReduce,
                         HloOpcode::kAllReduceStart, HloOpcode::kAllToAll,
                         HloOpcode::kCollectiveBroadcast, HloOpcode::kRaggedAllToAll,
                         HloOpcode::kReduceScatter);
};

class HloAllGatherInstruction : public HloCollectiveInstruction {
  HILO_INSTRUCTION_CLASS(HloCollectiveInstruction, HloOpcode::kAllGather,
                         HloOpcode::kAllGatherStart);
  int64_t all_gather_dimension() const { return dimensions(0); }
  void set_all_gather_dimension(int64_t dimension);
  void set_use_global_device_ids(bool value);
};

class HloAllReduceInstructionBase : public HloCollectiveInstruction {
  HILO_INSTRUCTION_CLASS(HloCollectiveInstruction, HloOpcode::kAllReduce, HloOpcode::kAllReduceStart,
                         HloOpcode::kReduceScatter);
  void set_use_global_device_ids(bool value);
};

class HloAllReduceInstruction : public HloAllReduceInstructionBase {
  HILO_INSTRUCTION_CLASS(HloAllReduceInstructionBase, HloOpcode::kAllReduce, HloOpcode::kAllReduceStart);
  // Whether it computes nothing.
  bool IsNoop() const;
};

class HloReduceScatterInstruction : public HloAllReduceInstructionBase {
  HILO_INSTRUCTION_CLASS(HloAllReduceInstructionBase, HloOpcode::kReduceScatter);
  int64_t scatter_dimension() const { return dimensions(0); }
};

class HloAllToAllInstruction : public HloCollectiveInstruction {
  HILO_INSTRUCTION_CLASS(HloCollectiveInstruction, HloOpcode::kAllToAll);
  // Absent where the operands are the parts.
  std::optional<int64_t> split_dimension() const;
  void set_split_dimension(int64_t dimension);
};

class HloRaggedAllToAllInstruction : public HloCollectiveInstruction {
  HILO_INSTRUCTION_CLASS(HloCollectiveInstruction, HloOpcode::kRaggedAllToAll);
};

class HloCollectiveBroadcastInstruction : public HloCollectiveInstruction {
  HILO_INSTRUCTION_CLASS(HloCollectiveInstruction, HloOpcode::kCollectiveBroadcast);
  bool has_dynamic_root() const;
};

class HloCollectivePermuteInstruction : public HloChannelInstruction {
  HILO_INSTRUCTION_CLASS(HloChannelInstruction, HloOpcode::kCollectivePermute, HloOpcode::kCollectivePermuteStart);
  // One list for each slice of the form with indices, none in the other.
  const std::vector<std::vector<int64_t>>& dynamic_slice_sizes_list() const;
  bool inplace() const;
};

#undef HILO_INSTRUCTION_CLASS

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_INSTRUCTIONS_H_
