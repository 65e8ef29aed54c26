#include "front/stablehlo/text/op_syntax.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/text_error.h"

namespace xla::stablehlo {
namespace {

constexpr OpResults kLast = OpResults::kLast;
constexpr OpResults kSame = OpResults::kSame;
constexpr OpResults kNone = OpResults::kNone;
constexpr OpResults kNoneSame = OpResults::kNoneSame;
constexpr OpResults kOperands = OpResults::kOperands;

#define HILO_ACCURACY "result_accuracy?"
#define HILO_CONVOLUTION                                                             \
  "<dimension_numbers batch_group_count feature_group_count input_batch_dimension "  \
  "input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension " \
  "kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation? "         \
  "output_batch_dimension output_feature_dimension output_spatial_dimensions "       \
  "precision_config? rhs_dilation? window_reversal? window_strides?"
#define HILO_DOT_DIMENSIONS                                                               \
  "lhs_batching_dimensions=list lhs_contracting_dimensions rhs_batching_dimensions=list " \
  "rhs_contracting_dimensions"
#define HILO_GATHER                                                               \
  "<dimension_numbers collapsed_slice_dims index_vector_dim indices_are_sorted? " \
  "offset_dims operand_batching_dims start_index_map start_indices_batching_dims"

constexpr OpSyntax kOps[] = {
    // Element-wise operations.
    {"stablehlo.abs", kLast, "O A T", ""},
    {"stablehlo.add", kSame, "O A T", ""},
    {"stablehlo.and", kSame, "O A T", ""},
    {"stablehlo.atan2", kSame, "O A T", ""},
    {"stablehlo.bitcast_convert", kLast, "O A T", ""},
    {"stablehlo.cbrt", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.ceil", kSame, "O A T", ""},
    {"stablehlo.clamp", kSame, "O A T", ""},
    {"stablehlo.compare", kLast, "comparison_direction:word , O ?( , compare_type:word ?) A T",
     "compare_type? comparison_direction"},
    {"stablehlo.complex", kLast, "O A T", ""},
    {"stablehlo.convert", kLast, "O A T", ""},
    {"stablehlo.cosine", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.count_leading_zeros", kSame, "O A T", ""},
    {"stablehlo.divide", kSame, "O A T", ""},
    {"stablehlo.exponential", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.exponential_minus_one", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.floor", kSame, "O A T", ""},
    {"stablehlo.imag", kLast, "O A T", ""},
    {"stablehlo.is_finite", kLast, "O A T", ""},
    {"stablehlo.log", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.log_plus_one", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.logistic", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.maximum", kSame, "O A T", ""},
    {"stablehlo.minimum", kSame, "O A T", ""},
    {"stablehlo.multiply", kSame, "O A T", ""},
    {"stablehlo.negate", kSame, "O A T", ""},
    {"stablehlo.not", kSame, "O A T", ""},
    {"stablehlo.or", kSame, "O A T", ""},
    {"stablehlo.popcnt", kSame, "O A T", ""},
    {"stablehlo.power", kSame, "O A T", ""},
    {"stablehlo.real", kLast, "O A T", ""},
    {"stablehlo.reduce_precision", kSame, "O , format = float_format:float_format A T",
     "exponent_bits mantissa_bits"},
    {"stablehlo.remainder", kSame, "O A T", ""},
    {"stablehlo.round_nearest_afz", kSame, "O A T", ""},
    {"stablehlo.round_nearest_even", kSame, "O A T", ""},
    {"stablehlo.rsqrt", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.select", kLast, "O A T", ""},
    {"stablehlo.shift_left", kSame, "O A T", ""},
    {"stablehlo.shift_right_arithmetic", kSame, "O A T", ""},
    {"stablehlo.shift_right_logical", kSame, "O A T", ""},
    {"stablehlo.sign", kSame, "O A T", ""},
    {"stablehlo.sine", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.sqrt", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.subtract", kSame, "O A T", ""},
    {"stablehlo.tan", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.tanh", kSame, "O A T", HILO_ACCURACY},
    {"stablehlo.uniform_dequantize", kLast, "O A T", ""},
    {"stablehlo.uniform_quantize", kLast, "O A T", ""},
    {"stablehlo.xor", kSame, "O A T", ""},

    // Arrays made, moved and cut.
    {"stablehlo.broadcast", kLast, "O , sizes = broadcast_sizes:list A T", "broadcast_sizes"},
    {"stablehlo.broadcast_in_dim", kLast, "O , dims = broadcast_dimensions:list A T",
     "broadcast_dimensions"},
    {"stablehlo.concatenate", kLast, "O , dim = dimension:i64 A T", "dimension"},
    {"stablehlo.constant", kLast, "A value:attribute", "value"},
    {"stablehlo.dynamic_broadcast_in_dim", kLast, "O , dims = broadcast_dimensions:list A T",
     "broadcast_dimensions known_expanding_dimensions? known_nonexpanding_dimensions?"},
    {"stablehlo.dynamic_iota", kLast, "O , dim = iota_dimension:i64 A T", "iota_dimension"},
    {"stablehlo.dynamic_pad", kLast, "O A T", ""},
    {"stablehlo.dynamic_reshape", kLast, "O A T", ""},
    {"stablehlo.dynamic_slice", kLast, "O , sizes = slice_sizes:list A T", "slice_sizes"},
    {"stablehlo.dynamic_update_slice", kLast, "O A T", ""},
    {"stablehlo.get_dimension_size", kLast, "O , dim = dimension:i64 A T", "dimension"},
    {"stablehlo.iota", kLast, "dim = iota_dimension:i64 A T", "iota_dimension"},
    {"stablehlo.pad", kLast,
     "O , low = edge_padding_low:list , high = edge_padding_high:list , interior = "
     "interior_padding:list A T",
     "edge_padding_high edge_padding_low interior_padding"},
    {"stablehlo.real_dynamic_slice", kLast, "O A T", ""},
    {"stablehlo.reshape", kLast, "O A T", ""},
    {"stablehlo.reverse", kSame, "O , dims = dimensions:list A T", "dimensions"},
    {"stablehlo.set_dimension_size", kLast, "O , dim = dimension:i64 A T", "dimension"},
    {"stablehlo.slice", kLast, "O ranges:ranges A T", "limit_indices start_indices strides"},
    {"stablehlo.transpose", kLast, "O , dims = permutation:list A T", "permutation"},

    // Products, reductions, windows, indices.
    {"stablehlo.batch_norm_grad", kLast, "", "epsilon feature_index"},
    {"stablehlo.batch_norm_inference", kLast, "", "epsilon feature_index"},
    {"stablehlo.batch_norm_training", kLast, "", "epsilon feature_index"},
    {"stablehlo.cholesky", kSame, "O , lower = lower:attribute A T", "lower=false"},
    {"stablehlo.convolution", kLast,
     "( O ) dim_numbers = dimension_numbers:convolution , window = { window:window } A T",
     HILO_CONVOLUTION " padding?"},
    {"stablehlo.dot", kLast, "O ?( , precision = precision_config:words ?) A T",
     "precision_config?"},
    {"stablehlo.dot_general", kLast,
     "O ?( , batching_dims = lhs_batching_dimensions:list x rhs_batching_dimensions:list ?) , "
     "contracting_dims = lhs_contracting_dimensions:list x rhs_contracting_dimensions:list "
     "?( , precision = precision_config:words ?) ?( , algorithm = algorithm:dot_algorithm ?) A T",
     "<dot_dimension_numbers <algorithm accumulation_type? allow_imprecise_accumulation? "
     "lhs_component_count? lhs_precision_type? num_primitive_operations? "
     "precision_config? rhs_component_count? rhs_precision_type? " HILO_DOT_DIMENSIONS},
    {"stablehlo.dynamic_conv", kLast, "", HILO_CONVOLUTION},
    {"stablehlo.dynamic_gather", kLast, "", HILO_GATHER},
    {"stablehlo.einsum", kLast, "O , config = einsum_config:string A T", "einsum_config"},
    {"stablehlo.fft", kLast, "O , type = fft_type:word , length = fft_length:list A T",
     "fft_length fft_type"},
    {"stablehlo.gather", kLast, "", HILO_GATHER " slice_sizes"},
    {"stablehlo.map", kLast, "", "dimensions"},
    {"stablehlo.reduce", kLast, "!", "dimensions"},
    {"stablehlo.reduce_window", kLast, "",
     "base_dilations? padding? window_dilations? window_dimensions "
     "window_strides?"},
    {"stablehlo.scatter", kLast, "",
     "<scatter_dimension_numbers index_vector_dim indices_are_sorted? input_batching_dims "
     "inserted_window_dims scatter_dims_to_operand_dims scatter_indices_batching_dims "
     "unique_indices? update_window_dims"},
    {"stablehlo.select_and_scatter", kLast, "", "padding? window_dimensions=ones window_strides?"},
    {"stablehlo.sort", kLast, "", "dimension? is_stable?"},
    {"stablehlo.torch_index_select", kLast, "", "batch_dims dim"},
    {"stablehlo.triangular_solve", kLast, "", "left_side lower transpose_a unit_diagonal"},
    {"stablehlo.unary_einsum", kLast, "O , config = einsum_config:string A T", "einsum_config"},

    // Random numbers.
    {"stablehlo.rng", kLast, "O , distribution = rng_distribution:word A T", "rng_distribution"},
    {"stablehlo.rng_bit_generator", kLast, "O , algorithm = rng_algorithm:word A T",
     "rng_algorithm"},

    // Control flow and calls.
    {"stablehlo.case", kLast, "", ""},
    {"stablehlo.composite", kLast, "name:string ?( O ?) A T",
     "composite_attributes? decomposition name version=0i32"},
    {"stablehlo.custom_call", kLast, "call_target_name:symbol ( O ) A T",
     "api_version? backend_config? call_target_name called_computations? "
     "has_side_effect? operand_layouts? output_operand_aliases? result_layouts?"},
    {"stablehlo.get_tuple_element", kLast, "O [ index:i32 ] A T", "index"},
    {"stablehlo.if", kLast, "", ""},
    {"stablehlo.optimization_barrier", kOperands, "!", ""},
    {"stablehlo.return", kNone, "?( O ?) A T", ""},
    {"stablehlo.tuple", kLast, "O A T", ""},
    {"stablehlo.while", kLast, "!", ""},

    // Several devices, and the host.
    {"stablehlo.after_all", kLast, "?( O ?) A T", ""},
    {"stablehlo.all_gather", kLast, "",
     "<channel_handle all_gather_dim channel_id? replica_groups use_global_device_ids?"},
    {"stablehlo.all_reduce", kLast, "",
     "<channel_handle channel_id? replica_groups use_global_device_ids?"},
    {"stablehlo.all_to_all", kLast, "",
     "<channel_handle channel_id? concat_dimension replica_groups split_count split_dimension"},
    {"stablehlo.async_done", kLast, "", ""},
    {"stablehlo.async_start", kLast, "", ""},
    {"stablehlo.collective_broadcast", kLast, "", "<channel_handle channel_id? replica_groups"},
    {"stablehlo.collective_permute", kLast, "", "<channel_handle channel_id? source_target_pairs"},
    {"stablehlo.create_token", kLast, "A T", ""},
    {"stablehlo.infeed", kLast, "", "infeed_config=empty layout?"},
    {"stablehlo.outfeed", kLast, "", "outfeed_config=empty"},
    {"stablehlo.partition_id", kLast, "A T", ""},
    {"stablehlo.recv", kLast, "",
     "<channel_handle channel_id channel_type is_host_transfer? source_target_pairs?"},
    {"stablehlo.reduce_scatter", kLast, "",
     "<channel_handle channel_id? replica_groups scatter_dimension use_global_device_ids?"},
    {"stablehlo.replica_id", kLast, "A T", ""},
    {"stablehlo.send", kLast, "",
     "<channel_handle channel_id channel_type is_host_transfer? source_target_pairs?"},

    // CHLO: what clients' operations are before they are decomposed.
    {"chlo._asin_acos_kernel", kLast, "O A T", ""},
    {"chlo.acos", kLast, "O A T", ""},
    {"chlo.acosh", kLast, "O A T", ""},
    {"chlo.asin", kLast, "O A T", ""},
    {"chlo.asinh", kLast, "O A T", ""},
    {"chlo.atan", kLast, "O A T", ""},
    {"chlo.atanh", kLast, "O A T", ""},
    {"chlo.bessel_i1e", kLast, "O A T", ""},
    {"chlo.broadcast_add", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_and", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_atan2", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_compare", kLast, "O A T",
     "broadcast_dimensions? compare_type? comparison_direction"},
    {"chlo.broadcast_complex", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_divide", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_maximum", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_minimum", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_multiply", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_next_after", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_or", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_polygamma", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_power", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_remainder", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_select", kLast, "O A T", ""},
    {"chlo.broadcast_shift_left", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_shift_right_arithmetic", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_shift_right_logical", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_subtract", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_xor", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.broadcast_zeta", kLast, "O A T", "broadcast_dimensions?"},
    {"chlo.conj", kLast, "O A T", ""},
    {"chlo.constant", kLast, "A value:attribute", "value"},
    {"chlo.constant_like", kLast, "", "value"},
    {"chlo.cosh", kLast, "O A T", ""},
    {"chlo.digamma", kLast, "O A T", ""},
    {"chlo.erf", kLast, "O A T", ""},
    {"chlo.erf_inv", kLast, "O A T", ""},
    {"chlo.erfc", kLast, "O A T", ""},
    {"chlo.is_inf", kLast, "O A T", ""},
    {"chlo.is_neg_inf", kLast, "O A T", ""},
    {"chlo.is_pos_inf", kLast, "O A T", ""},
    {"chlo.lgamma", kLast, "O A T", ""},
    {"chlo.mulhi", kLast, "O A T", ""},
    {"chlo.next_after", kLast, "O A T", ""},
    {"chlo.polygamma", kLast, "O A T", ""},
    {"chlo.ragged_dot", kLast, "",
     "<ragged_dot_dimension_numbers lhs_batching_dimensions lhs_contracting_dimensions "
     "lhs_ragged_dimensions precision_config? rhs_batching_dimensions "
     "rhs_contracting_dimensions rhs_group_dimensions"},
    {"chlo.scan", kLast, "!",
     "dimension is_associative? is_reverse? operandSegmentSizes? resultSegmentSizes?"},
    {"chlo.sinh", kLast, "O A T", ""},
    {"chlo.square", kLast, "O A T", ""},
    {"chlo.tan", kLast, "O A T", ""},
    {"chlo.top_k", kLast, "( O , k = k:i64 ) A T", "k"},
    {"chlo.zeta", kLast, "O A T", ""},

    // Functions and modules.
    {"builtin.module", kNone, "!", "sym_name? sym_visibility?"},
    {"builtin.unrealized_conversion_cast", kLast, "!", ""},
    {"func.call", kLast, "callee:reference ( O ) A T", "callee"},
    {"func.func", kNone, "!", "arg_attrs? function_type res_attrs? sym_name sym_visibility?"},
    {"func.return", kNone, "?( O ?) A T", ""},

    // How arrays are divided among devices.
    {"sdy.all_gather", kLast,
     "gathering_axes:list_of_axis_ref_lists O out_sharding = out_sharding:sharding A T",
     "gathering_axes out_sharding"},
    {"sdy.all_reduce", kLast,
     "reduction_axes:axis_ref_list O out_sharding = out_sharding:sharding A T",
     "out_sharding reduction_axes"},
    {"sdy.all_slice", kLast,
     "slicing_axes:list_of_axis_ref_lists O out_sharding = out_sharding:sharding A T",
     "out_sharding slicing_axes"},
    {"sdy.all_to_all", kLast,
     "params:all_to_all_param_list O out_sharding = out_sharding:sharding A T",
     "out_sharding params"},
    {"sdy.collective_permute", kLast, "O out_sharding = out_sharding:sharding A T", "out_sharding"},
    {"sdy.constant", kLast, "A value:attribute", "value"},
    {"sdy.manual_computation", kLast, "!", "in_shardings manual_axes out_shardings"},
    {"sdy.mesh", kNone, "sym_name:symbol = mesh:mesh A", "mesh sym_name"},
    {"sdy.named_computation", kLast, "!", "in_shardings? name out_shardings?"},
    {"sdy.propagation_barrier", kLast, "O allowed_direction = allowed_direction:word A T",
     "allowed_direction"},
    {"sdy.reduce_scatter", kLast,
     "reduce_scatter_axes:list_of_axis_ref_lists O out_sharding = out_sharding:sharding A T",
     "out_sharding reduce_scatter_axes"},
    {"sdy.reshard", kLast, "O sharding:sharding A T", "sharding"},
    {"sdy.return", kNone, "?( O ?) A T", ""},
    {"sdy.sharding_constraint", kLast, "O sharding:sharding A T", "sharding"},
    {"sdy.sharding_group", kNone, "O group_id = group_id:i64 A T", "group_id"},

    // What tests of StableHLO say about values.
    {"check.expect_almost_eq", kNoneSame, "O A T", ""},
    {"check.expect_almost_eq_const", kNone, "O , value:attribute A", "value"},
    {"check.expect_close", kNone,
     "O ?( , max_ulp_difference = max_ulp_difference:i64 ?) ?( , min_ulp_difference = "
     "min_ulp_difference:i64 ?) A T",
     "max_ulp_difference? min_ulp_difference?"},
    {"check.expect_eq", kNoneSame, "O A T", ""},
    {"check.expect_eq_const", kNone, "O , value:attribute A", "value"},
};

#undef HILO_ACCURACY
#undef HILO_CONVOLUTION
#undef HILO_DOT_DIMENSIONS
#undef HILO_GATHER

}  // namespace

const OpSyntax* FindOpSyntax(absl::string_view name) {
  static const auto& by_name = *[] {
    auto* result = new absl::flat_hash_map<absl::string_view, const OpSyntax*>;
    for (const OpSyntax& op : kOps) result->emplace(op.name, &op);
    return result;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

std::string SuggestOp(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const OpSyntax& op : kOps) names.push_back(op.name);
  return Suggestion(name, names);
}

}  // namespace xla::stablehlo
