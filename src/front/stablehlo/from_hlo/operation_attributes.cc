#include "front/stablehlo/from_hlo/operation_attributes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "front/stablehlo/dot_algorithms.h"
#include "front/stablehlo/text/op_syntax.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::stablehlo {
namespace {

std::vector<int64_t> ToVector(const google::protobuf::RepeatedField<int64_t>& field) {
  return std::vector<int64_t>(field.begin(), field.end());
}

// Adds attributes of one instruction, a function for each family of them.
class AttributeAdder {
 public:
  AttributeAdder(const HloInstruction& instruction, AttributeMaker& maker,
                 NamedAttributes& attributes)
      : instruction_(instruction), maker_(maker), attributes_(attributes) {}

  absl::Status Add();

 private:
  template <typename Record>
  const Record& record() const {
    return instruction_.attributes_as<Record>();
  }
  void Set(absl::string_view name, const Attribute* value) { attributes_.push_back({name, value}); }
  void SetIntegers(absl::string_view name, absl::Span<const int64_t> values) {
    Set(name, maker_.Integers(values));
  }

  void AddCompare();
  void AddPad();
  void AddSlice();
  void AddGather();
  void AddScatter();
  void AddPrecision(const PrecisionConfig& precision);
  const Attribute* PrecisionType(absl::string_view name);
  absl::Status AddAlgorithm(const PrecisionConfig& precision);
  absl::Status AddDot();
  void AddConvolution();
  void AddWindow(const Window& window, bool is_convolution);
  void AddTriangularSolve();
  void AddGroups(const CollectiveDeviceList& groups);
  void AddChannel(std::optional<int64_t> channel_id, bool use_global_device_ids);
  absl::Status AddAllToAll();
  void AddCollectivePermute();

  const HloInstruction& instruction_;
  AttributeMaker& maker_;
  NamedAttributes& attributes_;
};

absl::Status AttributeAdder::Add() {
  switch (instruction_.opcode()) {
    case HloOpcode::kAllGather: {
      const auto& gather = record<AllGatherAttributes>();
      Set("all_gather_dim", maker_.Integer(gather.dimension));
      AddGroups(gather.replica_groups);
      AddChannel(gather.channel_id, gather.use_global_device_ids);
      return absl::OkStatus();
    }
    case HloOpcode::kAllReduce: {
      const auto& reduce = record<AllReduceAttributes>();
      AddGroups(reduce.replica_groups);
      AddChannel(reduce.channel_id, reduce.use_global_device_ids);
      return absl::OkStatus();
    }
    case HloOpcode::kAllToAll:
      return AddAllToAll();
    case HloOpcode::kBatchNormGrad:
    case HloOpcode::kBatchNormInference:
    case HloOpcode::kBatchNormTraining: {
      const auto& norm = record<BatchNormAttributes>();
      Set("epsilon", maker_.Float(norm.epsilon, F32));
      Set("feature_index", maker_.Integer(norm.feature_index));
      return absl::OkStatus();
    }
    case HloOpcode::kBroadcast:
      SetIntegers("broadcast_dimensions", instruction_.dimensions());
      return absl::OkStatus();
    case HloOpcode::kCholesky:
      Set("lower", maker_.Bool(record<CholeskyAttributes>().lower));
      return absl::OkStatus();
    case HloOpcode::kCollectiveBroadcast: {
      const auto& broadcast = record<CollectiveBroadcastAttributes>();
      AddGroups(broadcast.replica_groups);
      AddChannel(broadcast.channel_id, false);
      return absl::OkStatus();
    }
    case HloOpcode::kCollectivePermute:
      AddCollectivePermute();
      return absl::OkStatus();
    case HloOpcode::kCompare:
      AddCompare();
      return absl::OkStatus();
    case HloOpcode::kConcatenate:
    case HloOpcode::kGetDimensionSize:
    case HloOpcode::kSetDimensionSize:
      Set("dimension", maker_.Integer(record<OneDimensionAttributes>().dimension));
      return absl::OkStatus();
    case HloOpcode::kConvolution:
      AddConvolution();
      return absl::OkStatus();
    case HloOpcode::kDot:
      return AddDot();
    case HloOpcode::kDynamicSlice:
      SetIntegers("slice_sizes", instruction_.dynamic_slice_sizes());
      return absl::OkStatus();
    case HloOpcode::kFft:
      Set("fft_type", maker_.Keyword(FftType_Name(instruction_.fft_type())));
      SetIntegers("fft_length", instruction_.fft_length());
      return absl::OkStatus();
    case HloOpcode::kGather:
      AddGather();
      return absl::OkStatus();
    case HloOpcode::kInfeed:
      Set("infeed_config", maker_.String(instruction_.infeed_config()));
      return absl::OkStatus();
    case HloOpcode::kIota:
      Set("iota_dimension", maker_.Integer(record<IotaAttributes>().iota_dimension));
      return absl::OkStatus();
    case HloOpcode::kMap:
    case HloOpcode::kReduce:
    case HloOpcode::kReverse:
      SetIntegers("dimensions", instruction_.dimensions());
      return absl::OkStatus();
    case HloOpcode::kOutfeed:
      Set("outfeed_config", maker_.String(instruction_.outfeed_config()));
      return absl::OkStatus();
    case HloOpcode::kPad:
      AddPad();
      return absl::OkStatus();
    case HloOpcode::kReducePrecision: {
      const auto& precision = record<ReducePrecisionAttributes>();
      Set("exponent_bits", maker_.Integer(precision.exponent_bits, S32));
      Set("mantissa_bits", maker_.Integer(precision.mantissa_bits, S32));
      return absl::OkStatus();
    }
    case HloOpcode::kReduceScatter: {
      const auto& reduce = record<ReduceScatterAttributes>();
      Set("scatter_dimension", maker_.Integer(reduce.dimension));
      AddGroups(reduce.replica_groups);
      AddChannel(reduce.channel_id, reduce.use_global_device_ids);
      return absl::OkStatus();
    }
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter:
      AddWindow(instruction_.window(), /*is_convolution=*/false);
      return absl::OkStatus();
    case HloOpcode::kRng:
      Set("rng_distribution",
          maker_.Keyword(instruction_.random_distribution() == RNG_NORMAL ? "NORMAL" : "UNIFORM"));
      return absl::OkStatus();
    case HloOpcode::kRngBitGenerator: {
      const int algorithm = record<RngBitGeneratorAttributes>().algorithm;
      Set("rng_algorithm", maker_.Keyword(algorithm == RNG_THREE_FRY ? "THREE_FRY"
                                          : algorithm == RNG_PHILOX  ? "PHILOX"
                                                                     : "DEFAULT"));
      return absl::OkStatus();
    }
    case HloOpcode::kScatter:
      AddScatter();
      return absl::OkStatus();
    case HloOpcode::kSlice:
      AddSlice();
      return absl::OkStatus();
    case HloOpcode::kSort: {
      const auto& sort = record<SortAttributes>();
      Set("dimension", maker_.Integer(sort.dimension));
      Set("is_stable", maker_.Bool(sort.is_stable));
      return absl::OkStatus();
    }
    case HloOpcode::kTopK:
      if (!record<TopKAttributes>().largest) return Unimplemented("it takes the smallest");
      Set("k", maker_.Integer(record<TopKAttributes>().k));
      return absl::OkStatus();
    case HloOpcode::kTranspose:
      SetIntegers("permutation", instruction_.dimensions());
      return absl::OkStatus();
    case HloOpcode::kTriangularSolve:
      AddTriangularSolve();
      return absl::OkStatus();
    default:
      return absl::OkStatus();
  }
}

void AttributeAdder::AddCompare() {
  Set("comparison_direction",
      maker_.Keyword(ComparisonDirectionToString(instruction_.comparison_direction())));
  if (record<CompareAttributes>().type.has_value()) {
    Set("compare_type", maker_.Keyword(ComparisonTypeToString(instruction_.comparison_type())));
  }
}

void AttributeAdder::AddPad() {
  std::vector<int64_t> low, high, interior;
  for (const auto& dimension : instruction_.padding_config().dimensions()) {
    low.push_back(dimension.edge_padding_low());
    high.push_back(dimension.edge_padding_high());
    interior.push_back(dimension.interior_padding());
  }
  SetIntegers("edge_padding_low", low);
  SetIntegers("edge_padding_high", high);
  SetIntegers("interior_padding", interior);
}

void AttributeAdder::AddSlice() {
  std::vector<int64_t> starts, limits, strides;
  for (const SliceRange& range : record<SliceAttributes>().ranges) {
    starts.push_back(range.start);
    limits.push_back(range.limit);
    strides.push_back(range.stride);
  }
  SetIntegers("start_indices", starts);
  SetIntegers("limit_indices", limits);
  SetIntegers("strides", strides);
}

void AttributeAdder::AddGather() {
  const auto& gather = record<GatherAttributes>();
  SetIntegers("offset_dims", gather.offset_dims);
  SetIntegers("collapsed_slice_dims", gather.collapsed_slice_dims);
  SetIntegers("operand_batching_dims", gather.operand_batching_dims);
  SetIntegers("start_indices_batching_dims", gather.start_indices_batching_dims);
  SetIntegers("start_index_map", gather.start_index_map);
  Set("index_vector_dim", maker_.Integer(gather.index_vector_dim));
  SetIntegers("slice_sizes", gather.slice_sizes);
  Set("indices_are_sorted", maker_.Bool(gather.indices_are_sorted));
}

void AttributeAdder::AddScatter() {
  const auto& scatter = record<ScatterAttributes>();
  SetIntegers("update_window_dims", scatter.update_window_dims);
  SetIntegers("inserted_window_dims", scatter.inserted_window_dims);
  SetIntegers("input_batching_dims", scatter.input_batching_dims);
  SetIntegers("scatter_indices_batching_dims", scatter.scatter_indices_batching_dims);
  SetIntegers("scatter_dims_to_operand_dims", scatter.scatter_dims_to_operand_dims);
  Set("index_vector_dim", maker_.Integer(scatter.index_vector_dim));
  Set("indices_are_sorted", maker_.Bool(scatter.indices_are_sorted));
  Set("unique_indices", maker_.Bool(scatter.unique_indices));
}

void AttributeAdder::AddPrecision(const PrecisionConfig& precision) {
  std::vector<const Attribute*> elements;
  bool is_default = true;
  for (const int operand : precision.operand_precision()) {
    const bool is_highest = operand == PrecisionConfig::HIGHEST;
    const bool is_high = operand == PrecisionConfig::HIGH;
    is_default = is_default && !is_highest && !is_high;
    elements.push_back(maker_.Keyword(is_highest ? "HIGHEST" : is_high ? "HIGH" : "DEFAULT"));
  }
  if (!is_default) Set("precision_config", maker_.Array(std::move(elements)));
}

const Attribute* AttributeAdder::PrecisionType(absl::string_view name) {
  return name == "tf32" ? maker_.TypeOf(TensorFloat32())
                        : maker_.TypeOf(*primitive_util::StringToPrimitiveType(name));
}

absl::Status AttributeAdder::AddAlgorithm(const PrecisionConfig& precision) {
  if (precision.algorithm() == PrecisionConfig::ALG_UNSET) return absl::OkStatus();
  for (const DotAlgorithm& known : kDotAlgorithms) {
    if (known.value != precision.algorithm()) continue;
    Set("lhs_precision_type", PrecisionType(known.operands));
    Set("rhs_precision_type", PrecisionType(known.operands));
    Set("accumulation_type", PrecisionType(known.accumulation));
    Set("lhs_component_count", maker_.Integer(1));
    Set("rhs_component_count", maker_.Integer(1));
    Set("num_primitive_operations", maker_.Integer(known.operations));
    Set("allow_imprecise_accumulation", maker_.Bool(false));
    return absl::OkStatus();
  }
  return Unimplemented("its algorithm is %s",
                       PrecisionConfig::Algorithm_Name(precision.algorithm()));
}

absl::Status AttributeAdder::AddDot() {
  const auto& dot = record<DotAttributes>();
  SetIntegers("lhs_batching_dimensions", dot.lhs_batch);
  SetIntegers("rhs_batching_dimensions", dot.rhs_batch);
  SetIntegers("lhs_contracting_dimensions", dot.lhs_contracting);
  SetIntegers("rhs_contracting_dimensions", dot.rhs_contracting);
  AddPrecision(dot.precision);
  return AddAlgorithm(dot.precision);
}

void AttributeAdder::AddConvolution() {
  const auto& convolution = record<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& numbers = convolution.dimension_numbers;
  Set("input_batch_dimension", maker_.Integer(numbers.input_batch_dimension()));
  Set("input_feature_dimension", maker_.Integer(numbers.input_feature_dimension()));
  SetIntegers("input_spatial_dimensions", ToVector(numbers.input_spatial_dimensions()));
  Set("kernel_input_feature_dimension", maker_.Integer(numbers.kernel_input_feature_dimension()));
  Set("kernel_output_feature_dimension", maker_.Integer(numbers.kernel_output_feature_dimension()));
  SetIntegers("kernel_spatial_dimensions", ToVector(numbers.kernel_spatial_dimensions()));
  Set("output_batch_dimension", maker_.Integer(numbers.output_batch_dimension()));
  Set("output_feature_dimension", maker_.Integer(numbers.output_feature_dimension()));
  SetIntegers("output_spatial_dimensions", ToVector(numbers.output_spatial_dimensions()));
  Set("feature_group_count", maker_.Integer(convolution.feature_group_count));
  Set("batch_group_count", maker_.Integer(convolution.batch_group_count));
  AddWindow(convolution.window, /*is_convolution=*/true);
  AddPrecision(convolution.precision);
}

void AttributeAdder::AddWindow(const Window& window, bool is_convolution) {
  std::vector<int64_t> sizes, strides, base_dilations, window_dilations;
  std::vector<std::pair<int64_t, int64_t>> padding;
  std::vector<bool> reversal;
  for (const WindowDimension& dimension : window.dimensions()) {
    sizes.push_back(dimension.size());
    strides.push_back(dimension.stride());
    base_dilations.push_back(dimension.base_dilation());
    window_dilations.push_back(dimension.window_dilation());
    padding.emplace_back(dimension.padding_low(), dimension.padding_high());
    reversal.push_back(dimension.window_reversal());
  }
  Set("padding", maker_.Pairs(padding));
  SetIntegers("window_strides", strides);
  if (is_convolution) {
    SetIntegers("lhs_dilation", base_dilations);
    SetIntegers("rhs_dilation", window_dilations);
    Set("window_reversal", maker_.Predicates(reversal));
    return;
  }
  SetIntegers("window_dimensions", sizes);
  if (instruction_.opcode() == HloOpcode::kSelectAndScatter) return;
  SetIntegers("base_dilations", base_dilations);
  SetIntegers("window_dilations", window_dilations);
}

void AttributeAdder::AddTriangularSolve() {
  const auto& solve = record<TriangularSolveAttributes>();
  Set("left_side", maker_.Bool(solve.left_side));
  Set("lower", maker_.Bool(solve.lower));
  Set("unit_diagonal", maker_.Bool(solve.unit_diagonal));
  const bool is_invalid = solve.transpose_a == TriangularSolveOptions::TRANSPOSE_INVALID;
  Set("transpose_a",
      maker_.Keyword(is_invalid
                         ? "NO_TRANSPOSE"
                         : TriangularSolveOptions::Transpose_Name(
                               static_cast<TriangularSolveOptions::Transpose>(solve.transpose_a))));
}

// Groups of different sizes are filled up with -1.
void AttributeAdder::AddGroups(const CollectiveDeviceList& groups) {
  std::vector<std::vector<int64_t>> rows = groups.flattened_replica_groups();
  size_t columns = 0;
  for (const std::vector<int64_t>& row : rows) columns = std::max(columns, row.size());
  for (std::vector<int64_t>& row : rows) row.resize(columns, -1);
  Set("replica_groups", maker_.Rows(rows, static_cast<int64_t>(columns)));
}

void AttributeAdder::AddChannel(std::optional<int64_t> channel_id, bool use_global_device_ids) {
  if (channel_id.has_value()) Set("channel_id", maker_.Integer(*channel_id));
  if (use_global_device_ids) Set("use_global_device_ids", maker_.Unit());
}

absl::Status AttributeAdder::AddAllToAll() {
  const auto& exchange = record<AllToAllAttributes>();
  if (!exchange.dimension.has_value()) return Unimplemented("it exchanges the parts of a tuple");
  const std::vector<std::vector<int64_t>> groups =
      exchange.replica_groups.flattened_replica_groups();
  if (groups.empty()) return Unimplemented("its replica_groups are empty");
  Set("split_dimension", maker_.Integer(*exchange.dimension));
  Set("concat_dimension", maker_.Integer(*exchange.dimension));
  Set("split_count", maker_.Integer(static_cast<int64_t>(groups[0].size())));
  AddGroups(exchange.replica_groups);
  AddChannel(exchange.channel_id, false);
  return absl::OkStatus();
}

void AttributeAdder::AddCollectivePermute() {
  const auto& permute = record<CollectivePermuteAttributes>();
  Set("source_target_pairs", maker_.Pairs(permute.source_target_pairs));
  AddChannel(permute.channel_id, false);
}

// Forms of instructions that operations of StableHLO do not have.
bool HasFormOfItsOwn(const HloInstruction& instruction) {
  const auto is_token = [](const HloInstruction* operand) { return operand->shape().IsToken(); };
  switch (instruction.opcode()) {
    case HloOpcode::kAfterAll:
      return !absl::c_all_of(instruction.operands(), is_token);
    case HloOpcode::kCollectiveBroadcast:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kReduceScatter:
      return instruction.operand_count() != 1 || instruction.shape().IsTuple();
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice: {  // all indices in one array
      const int64_t first = instruction.opcode() == HloOpcode::kDynamicSlice ? 1 : 2;
      return instruction.operand_count() > first &&
             instruction.operand(first)->shape().dimensions_size() > 0;
    }
    case HloOpcode::kRngBitGenerator:  // without the state as a result
      return !instruction.shape().IsTuple();
    default:
      return false;
  }
}

}  // namespace

std::string OperationName(const HloInstruction& instruction) {
  if (HasFormOfItsOwn(instruction)) return "";
  const std::string name = absl::StrReplaceAll(HloOpcodeString(instruction.opcode()), {{"-", "_"}});
  if (HasTrait(instruction.opcode(), kElementwise)) {
    for (const absl::string_view dialect : {"stablehlo.", "chlo."}) {
      std::string full = absl::StrCat(dialect, name);
      if (FindOpSyntax(full) != nullptr) return full;
    }
    return "";
  }
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
      return "stablehlo.broadcast_in_dim";
    case HloOpcode::kDot:
      return "stablehlo.dot_general";
    case HloOpcode::kOptimizationBarrier:
      return "stablehlo.optimization_barrier";
    case HloOpcode::kTopK:
      return "chlo.top_k";
    case HloOpcode::kAsyncDone:
    case HloOpcode::kAsyncStart:
    case HloOpcode::kAsyncUpdate:
    case HloOpcode::kAllGatherDone:
    case HloOpcode::kAllGatherStart:
    case HloOpcode::kAllReduceDone:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kCollectivePermuteDone:
    case HloOpcode::kCollectivePermuteStart:
    case HloOpcode::kCopyDone:
    case HloOpcode::kCopyStart:
    case HloOpcode::kDomain:
    case HloOpcode::kDynamicReshape:
    case HloOpcode::kRaggedAllToAll:
    case HloOpcode::kRaggedDot:
    case HloOpcode::kRecv:
    case HloOpcode::kRecvDone:
    case HloOpcode::kRngGetAndUpdateState:
    case HloOpcode::kScaledDot:
    case HloOpcode::kScan:
    case HloOpcode::kSend:
    case HloOpcode::kSendDone:
      return "";
    default:
      return absl::StrCat("stablehlo.", name);
  }
}

absl::Status AddAttributes(const HloInstruction& instruction, AttributeMaker& maker,
                           NamedAttributes& attributes) {
  return AttributeAdder(instruction, maker, attributes).Add();
}

}  // namespace xla::stablehlo
