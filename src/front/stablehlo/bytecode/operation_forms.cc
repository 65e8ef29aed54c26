#include "front/stablehlo/bytecode/operation_forms.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace xla::stablehlo {
namespace {

struct Row {
  absl::string_view name;
  int first_version;  // the versions that are encoded alike
  int last_version;
  absl::string_view properties = "";
};

constexpr absl::string_view kConvolutionDimensions =
    "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
    "input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
    "kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
    "output_spatial_dimensions ";

// Operations of vhlo. Attributes are in alphabetical order.
constexpr Row kVhloRows[] = {
    {"abs", 1, 1},
    {"add", 1, 1},
    {"after_all", 1, 1},
    {"all_gather", 1, 2, "all_gather_dim channel_id replica_groups use_global_device_ids"},
    {"all_reduce", 1, 2, "channel_id replica_groups use_global_device_ids"},
    {"all_to_all", 1, 2, "channel_id concat_dimension replica_groups split_count split_dimension"},
    {"and", 1, 1},
    {"async_done", 1, 1},
    {"async_start", 1, 1},
    {"atan2", 1, 1},
    {"batch_norm_grad", 1, 1, "epsilon feature_index"},
    {"batch_norm_inference", 1, 1, "epsilon feature_index"},
    {"batch_norm_training", 1, 1, "epsilon feature_index"},
    {"bitcast_convert", 1, 1},
    {"broadcast", 1, 1, "broadcast_sizes"},
    {"broadcast_in_dim", 1, 1, "broadcast_dimensions"},
    {"call", 1, 1, "callee"},
    {"case", 1, 1},
    {"cbrt", 1, 1},
    {"cbrt", 2, 2, "result_accuracy"},
    {"ceil", 1, 1},
    {"cholesky", 1, 1, "lower"},
    {"clamp", 1, 1},
    {"collective_broadcast", 1, 1, "channel_id replica_groups"},
    {"collective_permute", 1, 1, "channel_id source_target_pairs"},
    {"compare", 1, 1, "compare_type comparison_direction"},
    {"complex", 1, 1},
    {"composite", 1, 2, "composite_attributes decomposition name version"},
    {"concatenate", 1, 1, "dimension"},
    {"constant", 1, 1, "value"},
    {"convert", 1, 1},
    {"convolution", 1, 1, "padding precision_config rhs_dilation window_reversal window_strides"},
    {"cosine", 1, 1},
    {"cosine", 2, 2, "result_accuracy"},
    {"count_leading_zeros", 1, 1},
    {"create_token", 1, 1},
    {"custom_call", 1, 1,
     "api_version backend_config call_target_name called_computations has_side_effect "
     "operand_layouts output_operand_aliases result_layouts"},
    {"divide", 1, 1},
    {"dot", 1, 1, "precision_config"},
    {"dot_general", 1, 1,
     "lhs_batching_dimensions lhs_contracting_dimensions precision_config "
     "rhs_batching_dimensions rhs_contracting_dimensions"},
    {"dot_general", 2, 2,
     "accumulation_type allow_imprecise_accumulation lhs_batching_dimensions "
     "lhs_component_count lhs_contracting_dimensions lhs_precision_type "
     "num_primitive_operations precision_config rhs_batching_dimensions rhs_component_count "
     "rhs_contracting_dimensions rhs_precision_type"},
    {"dynamic_broadcast_in_dim", 1, 1,
     "broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions"},
    {"dynamic_conv", 1, 1, "padding precision_config rhs_dilation window_reversal window_strides"},
    {"dynamic_conv", 2, 2, "precision_config rhs_dilation window_reversal window_strides"},
    {"dynamic_gather", 1, 1,
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map"},
    {"dynamic_gather", 2, 2,
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims "
     "operand_batching_dims start_index_map start_indices_batching_dims"},
    {"dynamic_iota", 1, 1, "iota_dimension"},
    {"dynamic_pad", 1, 1},
    {"dynamic_reshape", 1, 1},
    {"dynamic_slice", 1, 1, "slice_sizes"},
    {"dynamic_update_slice", 1, 1},
    {"einsum", 1, 1, "einsum_config"},
    {"exponential", 1, 1},
    {"exponential", 2, 2, "result_accuracy"},
    {"exponential_minus_one", 1, 1},
    {"exponential_minus_one", 2, 2, "result_accuracy"},
    {"fft", 1, 1, "fft_length fft_type"},
    {"floor", 1, 1},
    {"func", 1, 1, "arg_attrs function_type res_attrs sym_name sym_visibility"},
    {"gather", 1, 1,
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes "
     "start_index_map"},
    {"gather", 2, 2,
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims "
     "operand_batching_dims slice_sizes start_index_map start_indices_batching_dims"},
    {"get_dimension_size", 1, 1, "dimension"},
    {"get_tuple_element", 1, 1, "index"},
    {"if", 1, 1},
    {"imag", 1, 1},
    {"infeed", 1, 1, "infeed_config layout"},
    {"iota", 1, 1, "iota_dimension"},
    {"is_finite", 1, 1},
    {"log", 1, 1},
    {"log", 2, 2, "result_accuracy"},
    {"log_plus_one", 1, 1},
    {"log_plus_one", 2, 2, "result_accuracy"},
    {"logistic", 1, 1},
    {"logistic", 2, 2, "result_accuracy"},
    {"map", 1, 1, "dimensions"},
    {"maximum", 1, 1},
    {"minimum", 1, 1},
    {"multiply", 1, 1},
    {"negate", 1, 1},
    {"not", 1, 1},
    {"optimization_barrier", 1, 1},
    {"or", 1, 1},
    {"outfeed", 1, 1, "outfeed_config"},
    {"pad", 1, 1, "edge_padding_high edge_padding_low interior_padding"},
    {"partition_id", 1, 1},
    {"popcnt", 1, 1},
    {"power", 1, 1},
    {"real", 1, 1},
    {"real_dynamic_slice", 1, 1},
    {"recv", 1, 1, "channel_id channel_type is_host_transfer"},
    {"recv", 2, 2, "channel_id channel_type is_host_transfer source_target_pairs"},
    {"reduce", 1, 1, "dimensions"},
    {"reduce_precision", 1, 1, "exponent_bits mantissa_bits"},
    {"reduce_scatter", 1, 1, "channel_id replica_groups scatter_dimension use_global_device_ids"},
    {"reduce_window", 1, 1,
     "base_dilations padding window_dilations window_dimensions window_strides"},
    {"remainder", 1, 1},
    {"replica_id", 1, 1},
    {"reshape", 1, 1},
    {"return", 1, 1},
    {"reverse", 1, 1, "dimensions"},
    {"rng", 1, 1, "rng_distribution"},
    {"rng_bit_generator", 1, 1, "rng_algorithm"},
    {"round_nearest_afz", 1, 1},
    {"round_nearest_even", 1, 1},
    {"rsqrt", 1, 1},
    {"rsqrt", 2, 2, "result_accuracy"},
    {"scatter", 1, 1,
     "index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims "
     "unique_indices update_window_dims"},
    {"scatter", 2, 2,
     "index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims "
     "scatter_dims_to_operand_dims scatter_indices_batching_dims unique_indices "
     "update_window_dims"},
    {"select", 1, 1},
    {"select_and_scatter", 1, 1, "padding window_dimensions window_strides"},
    {"send", 1, 1, "channel_id channel_type is_host_transfer"},
    {"send", 2, 2, "channel_id channel_type is_host_transfer source_target_pairs"},
    {"set_dimension_size", 1, 1, "dimension"},
    {"shift_left", 1, 1},
    {"shift_right_arithmetic", 1, 1},
    {"shift_right_logical", 1, 1},
    {"sign", 1, 1},
    {"sine", 1, 1},
    {"sine", 2, 2, "result_accuracy"},
    {"slice", 1, 1, "limit_indices start_indices strides"},
    {"sort", 1, 1, "dimension is_stable"},
    {"sqrt", 1, 1},
    {"sqrt", 2, 2, "result_accuracy"},
    {"subtract", 1, 1},
    {"tan", 1, 1},
    {"tan", 2, 2, "result_accuracy"},
    {"tanh", 1, 1},
    {"tanh", 2, 2, "result_accuracy"},
    {"torch_index_select", 1, 1, "batch_dims dim"},
    {"transpose", 1, 1, "permutation"},
    {"triangular_solve", 1, 1, "left_side lower transpose_a unit_diagonal"},
    {"tuple", 1, 1},
    {"unary_einsum", 1, 1, "einsum_config"},
    {"uniform_dequantize", 1, 1},
    {"uniform_quantize", 1, 1},
    {"while", 1, 1},
    {"xor", 1, 1},
};

// Operations of the dialects without versions. A question mark is behind what may be left out.
constexpr Row kOtherRows[] = {
    {"builtin.module", 1, 1, "sym_name? sym_visibility?"},
    {"builtin.unrealized_conversion_cast", 1, 1},
    {"sdy.manual_computation", 1, 1, "in_shardings manual_axes out_shardings"},
    {"sdy.mesh", 1, 1, "mesh sym_name"},
    {"sdy.named_computation", 1, 1, "in_shardings? name out_shardings?"},
    {"sdy.propagation_barrier", 1, 1, "allowed_direction"},
    {"sdy.reshard", 1, 1, "sharding"},
    {"sdy.return", 1, 1},
    {"sdy.sharding_constraint", 1, 1, "sharding"},
    {"sdy.sharding_group", 1, 1, "group_id"},
};

using Forms = absl::flat_hash_map<std::string, OperationForm>;

void AppendProperties(absl::string_view names, OperationForm& form) {
  for (absl::string_view name : absl::StrSplit(names, ' ', absl::SkipEmpty())) {
    const bool is_optional = absl::ConsumeSuffix(&name, "?");
    form.properties.push_back({name, is_optional});
  }
}

std::string NewestName(absl::string_view vhlo_name) {
  const bool is_of_func = vhlo_name == "func" || vhlo_name == "call";
  return absl::StrCat(is_of_func ? "func." : "stablehlo.", vhlo_name);
}

Forms MakeForms() {
  Forms forms;
  for (const Row& row : kVhloRows) {
    const bool is_convolution = row.name == "convolution" || row.name == "dynamic_conv";
    for (int version = row.first_version; version <= row.last_version; ++version) {
      OperationForm form{NewestName(row.name), version};
      if (is_convolution) AppendProperties(kConvolutionDimensions, form);
      AppendProperties(row.properties, form);
      forms.emplace(absl::StrCat("vhlo.", row.name, "_v", version), std::move(form));
    }
  }
  for (const Row& row : kOtherRows) {
    OperationForm form{std::string(row.name), 1};
    AppendProperties(row.properties, form);
    forms.emplace(std::string(row.name), std::move(form));
  }
  return forms;
}

}  // namespace

const OperationForm* FindOperationForm(absl::string_view dialect, absl::string_view name) {
  static const Forms* const forms = new Forms(MakeForms());
  const auto found = forms->find(absl::StrCat(dialect, ".", name));
  return found == forms->end() ? nullptr : &found->second;
}

}  // namespace xla::stablehlo
