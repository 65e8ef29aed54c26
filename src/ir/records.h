// The attributes of each operation, one record per kind. hlo_ops.def says which operation has which record; records.cc
// says how each member is called in text and in HloInstructionProto.
#ifndef HILO_IR_RECORDS_H_
#define HILO_IR_RECORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/field.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// Gives a record its Clone and Fields; the derived struct declares `static absl::Span<const Field> FieldList()`.
template <typename Record>
struct AttributesOf : Attributes {
  std::unique_ptr<Attributes> Clone() const override {
    return std::make_unique<Record>(static_cast<const Record&>(*this));
  }
  std::unique_ptr<Attributes> Fresh() const override { return std::make_unique<Record>(); }
  absl::Span<const Field> Fields() const override { return Record::FieldList(); }
};

struct NoAttributes : AttributesOf<NoAttributes> {
  static absl::Span<const Field> FieldList();
};

struct ReducePrecisionAttributes : AttributesOf<ReducePrecisionAttributes> {
  int64_t exponent_bits = 0;
  int64_t mantissa_bits = 0;
  static absl::Span<const Field> FieldList();
};

struct CompareAttributes : AttributesOf<CompareAttributes> {
  int direction = static_cast<int>(ComparisonDirection::kEq);
  std::optional<int> type;  // Comparison::Type; absent when it is the default of the operands' element type
  static absl::Span<const Field> FieldList();
};

struct ConstantAttributes : AttributesOf<ConstantAttributes> {
  SharedLiteral literal;
  static absl::Span<const Field> FieldList();
};

struct ParameterAttributes : AttributesOf<ParameterAttributes> {
  int64_t parameter_number = 0;
  std::vector<bool> parameter_replication;  // one per leaf buffer
  static absl::Span<const Field> FieldList();
};

struct IotaAttributes : AttributesOf<IotaAttributes> {
  int64_t iota_dimension = 0;
  static absl::Span<const Field> FieldList();
};

// transpose, reverse, reduce: dimensions={...}
struct DimensionsAttributes : AttributesOf<DimensionsAttributes> {
  Int64List dimensions;
  static absl::Span<const Field> FieldList();
};

// concatenate, get-dimension-size, set-dimension-size: dimensions={d}
struct OneDimensionAttributes : AttributesOf<OneDimensionAttributes> {
  int64_t dimension = 0;
  static absl::Span<const Field> FieldList();
};

// dimensions={...}, which may be left out for a scalar operand.
struct BroadcastAttributes : AttributesOf<BroadcastAttributes> {
  Int64List dimensions;
  static absl::Span<const Field> FieldList();
};

struct MapAttributes : AttributesOf<MapAttributes> {
  Int64List dimensions;
  static absl::Span<const Field> FieldList();
};

struct ReshapeAttributes : AttributesOf<ReshapeAttributes> {
  int64_t inferred_dimension = -1;
  static absl::Span<const Field> FieldList();
};

struct SliceAttributes : AttributesOf<SliceAttributes> {
  std::vector<SliceRange> ranges;  // one per dimension
  static absl::Span<const Field> FieldList();
};

struct PadAttributes : AttributesOf<PadAttributes> {
  PaddingConfig padding;
  static absl::Span<const Field> FieldList();
};

struct DynamicSliceAttributes : AttributesOf<DynamicSliceAttributes> {
  Int64List slice_sizes;
  static absl::Span<const Field> FieldList();
};

struct GatherAttributes : AttributesOf<GatherAttributes> {
  Int64List offset_dims;
  Int64List collapsed_slice_dims;
  Int64List start_index_map;
  Int64List operand_batching_dims;
  Int64List start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  Int64List slice_sizes;
  bool indices_are_sorted = false;
  static absl::Span<const Field> FieldList();
};

struct ScatterAttributes : AttributesOf<ScatterAttributes> {
  Int64List update_window_dims;
  Int64List inserted_window_dims;
  Int64List scatter_dims_to_operand_dims;
  Int64List input_batching_dims;
  Int64List scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
  bool unique_indices = false;
  static absl::Span<const Field> FieldList();
};

// reduce-window, select-and-scatter
struct WindowAttributes : AttributesOf<WindowAttributes> {
  Window window;
  static absl::Span<const Field> FieldList();
};

struct ScanAttributes : AttributesOf<ScanAttributes> {
  int64_t dimension = 0;
  int64_t num_carries = 0;
  bool is_reverse = false;
  int is_associative = TRI_STATE_UNSPECIFIED;  // TriState
  static absl::Span<const Field> FieldList();
};

struct SortAttributes : AttributesOf<SortAttributes> {
  int64_t dimension = 0;
  bool is_stable = false;
  static absl::Span<const Field> FieldList();
};

struct TopKAttributes : AttributesOf<TopKAttributes> {
  int64_t k = 0;
  bool largest = true;
  bool is_stable = true;
  static absl::Span<const Field> FieldList();
};

struct BatchNormAttributes : AttributesOf<BatchNormAttributes> {
  float epsilon = 0;
  int64_t feature_index = 0;
  static absl::Span<const Field> FieldList();
};

struct CholeskyAttributes : AttributesOf<CholeskyAttributes> {
  bool lower = false;
  static absl::Span<const Field> FieldList();
};

struct TriangularSolveAttributes : AttributesOf<TriangularSolveAttributes> {
  bool left_side = false;
  bool lower = false;
  bool unit_diagonal = false;
  int transpose_a = TriangularSolveOptions::TRANSPOSE_INVALID;  // TriangularSolveOptions::Transpose
  static absl::Span<const Field> FieldList();
};

struct FftAttributes : AttributesOf<FftAttributes> {
  int fft_type = FFT;  // FftType
  Int64List fft_length;
  static absl::Span<const Field> FieldList();
};

// What dot, ragged-dot and convolution say about their numerics.
struct PrecisionAttributes {
  PrecisionConfig precision;  // one operand_precision per operand, or none
};

struct DotDimensions {
  Int64List lhs_batch;
  Int64List lhs_contracting;
  Int64List rhs_batch;
  Int64List rhs_contracting;
};

// dot, scaled-dot
struct DotAttributes : AttributesOf<DotAttributes>, DotDimensions, PrecisionAttributes {
  static absl::Span<const Field> FieldList();
};

struct RaggedDotAttributes : AttributesOf<RaggedDotAttributes>, DotDimensions, PrecisionAttributes {
  Int64List lhs_ragged;
  Int64List rhs_group;
  static absl::Span<const Field> FieldList();
};

struct ConvolutionAttributes : AttributesOf<ConvolutionAttributes>, PrecisionAttributes {
  Window window;
  ConvolutionDimensionNumbers dimension_numbers;
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  int kind = CONVOLUTION_KIND_UNSET;  // ConvolutionKind
  SparsityConfig sparsity;
  static absl::Span<const Field> FieldList();
};

struct RngAttributes : AttributesOf<RngAttributes> {
  int distribution = RNG_UNIFORM;  // RandomDistribution
  static absl::Span<const Field> FieldList();
};

struct RngBitGeneratorAttributes : AttributesOf<RngBitGeneratorAttributes> {
  int algorithm = RNG_DEFAULT;  // RandomAlgorithm
  static absl::Span<const Field> FieldList();
};

struct RngGetAndUpdateStateAttributes : AttributesOf<RngGetAndUpdateStateAttributes> {
  int64_t delta = 0;
  static absl::Span<const Field> FieldList();
};

struct GetTupleElementAttributes : AttributesOf<GetTupleElementAttributes> {
  int64_t index = 0;
  static absl::Span<const Field> FieldList();
};

struct CallAttributes : AttributesOf<CallAttributes> {
  bool is_composite = false;
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  static absl::Span<const Field> FieldList();
};

struct FusionAttributes : AttributesOf<FusionAttributes> {
  int kind = 0;  // HloInstruction::FusionKind
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  static absl::Span<const Field> FieldList();
};

struct CustomCallAttributes : AttributesOf<CustomCallAttributes>, PrecisionAttributes {
  std::optional<Window> window;  // {} is one, too
  ConvolutionDimensionNumbers dimension_numbers;
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  int padding_type = PADDING_INVALID;  // PaddingType
  std::string target;
  std::optional<std::vector<Shape>> operand_layouts;  // one per operand when the layouts are constrained
  bool has_side_effect = false;
  SharedLiteral literal;
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  int schedule = SCHEDULE_NONE;              // CustomCallSchedule
  int api_version = API_VERSION_ORIGINAL;    // CustomCallApiVersion
  static absl::Span<const Field> FieldList();
};

struct DomainAttributes : AttributesOf<DomainAttributes> {
  DomainShardings domain;
  static absl::Span<const Field> FieldList();
};

struct InfeedAttributes : AttributesOf<InfeedAttributes> {
  std::string config;
  static absl::Span<const Field> FieldList();
};

struct OutfeedAttributes : AttributesOf<OutfeedAttributes> {
  std::optional<Shape> shape;  // with layout; operand 0's when absent
  std::string config;
  static absl::Span<const Field> FieldList();
};

struct SendRecvAttributes : AttributesOf<SendRecvAttributes> {
  std::optional<int64_t> channel_id;
  bool is_host_transfer = false;
  static absl::Span<const Field> FieldList();
};

// What most collectives share.
struct CollectiveAttributes {
  std::optional<int64_t> channel_id;
  CollectiveDeviceList replica_groups;
};

struct AllGatherAttributes : AttributesOf<AllGatherAttributes>, CollectiveAttributes {
  bool constrain_layout = false;
  int64_t dimension = 0;
  bool use_global_device_ids = false;
  static absl::Span<const Field> FieldList();
};

struct AllReduceAttributes : AttributesOf<AllReduceAttributes>, CollectiveAttributes {
  bool constrain_layout = false;
  bool use_global_device_ids = false;
  static absl::Span<const Field> FieldList();
};

struct ReduceScatterAttributes : AttributesOf<ReduceScatterAttributes>, CollectiveAttributes {
  bool constrain_layout = false;
  bool use_global_device_ids = false;
  int64_t dimension = 0;
  static absl::Span<const Field> FieldList();
};

struct AllToAllAttributes : AttributesOf<AllToAllAttributes>, CollectiveAttributes {
  bool constrain_layout = false;
  std::optional<int64_t> dimension;  // present: one array in and out; absent: tuple form
  static absl::Span<const Field> FieldList();
};

struct RaggedAllToAllAttributes : AttributesOf<RaggedAllToAllAttributes>, CollectiveAttributes {
  static absl::Span<const Field> FieldList();
};

struct CollectiveBroadcastAttributes : AttributesOf<CollectiveBroadcastAttributes>, CollectiveAttributes {
  bool has_dynamic_root = false;
  static absl::Span<const Field> FieldList();
};

struct CollectivePermuteAttributes : AttributesOf<CollectivePermuteAttributes> {
  std::optional<int64_t> channel_id;
  std::vector<std::pair<int64_t, int64_t>> source_target_pairs;
  std::vector<Int64List> slice_sizes;
  static absl::Span<const Field> FieldList();
};

struct AsyncAttributes : AttributesOf<AsyncAttributes> {
  std::string execution_thread = "main";
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  static absl::Span<const Field> FieldList();
};

struct CopyStartAttributes : AttributesOf<CopyStartAttributes> {
  std::optional<int64_t> cross_program_prefetch_index;
  static absl::Span<const Field> FieldList();
};

// The name tables of enumerations, shared by text and proto.
absl::Span<const EnumName> ComparisonDirectionNames();
absl::Span<const EnumName> ComparisonTypeNames();
absl::Span<const EnumName> FusionKindNames();

}  // namespace xla

#endif  // HILO_IR_RECORDS_H_
