#include "front/stablehlo/lower/table.h"

#include "absl/container/flat_hash_map.h"

namespace xla::stablehlo::lowering {
namespace {

constexpr OperandCount kNone = {0, 0};
constexpr OperandCount kOne = {1, 1};
constexpr OperandCount kTwo = {2, 2};
constexpr OperandCount kThree = {3, 3};
constexpr OperandCount kAny = {0, kMany};
constexpr OperandCount kSome = {1, kMany};

constexpr OpRow Unary(absl::string_view name, HloOpcode opcode) {
  return {name, LowerElementwise, kOne, 1, 0, opcode, /*is_pure=*/true};
}
constexpr OpRow Approximated(absl::string_view name, HloOpcode opcode) {
  return {name, LowerApproximated, kOne, 1, 0, opcode, /*is_pure=*/true};
}
constexpr OpRow Binary(absl::string_view name, HloOpcode opcode) {
  return {name, LowerElementwise, kTwo, 1, 0, opcode, /*is_pure=*/true};
}
constexpr OpRow Library(absl::string_view name, OperandCount operands = kOne) {
  return {name, LowerLibraryFunction, operands};
}
constexpr OpRow Broadcasting(absl::string_view name, HloOpcode opcode) {
  return {name, LowerChloBroadcast, kTwo, 1, 0, opcode};
}

using Op = HloOpcode;

constexpr OpRow kRows[] = {
    // Element by element.
    Unary("stablehlo.abs", Op::kAbs),
    Unary("stablehlo.ceil", Op::kCeil),
    Unary("stablehlo.count_leading_zeros", Op::kClz),
    Unary("stablehlo.floor", Op::kFloor),
    Unary("stablehlo.imag", Op::kImag),
    Unary("stablehlo.is_finite", Op::kIsFinite),
    Unary("stablehlo.negate", Op::kNegate),
    Unary("stablehlo.not", Op::kNot),
    Unary("stablehlo.popcnt", Op::kPopulationCount),
    Unary("stablehlo.real", Op::kReal),
    Unary("stablehlo.round_nearest_afz", Op::kRoundNearestAfz),
    Unary("stablehlo.round_nearest_even", Op::kRoundNearestEven),
    Unary("stablehlo.sign", Op::kSign),
    Approximated("stablehlo.cbrt", Op::kCbrt),
    Approximated("stablehlo.cosine", Op::kCos),
    Approximated("stablehlo.exponential", Op::kExp),
    Approximated("stablehlo.exponential_minus_one", Op::kExpm1),
    Approximated("stablehlo.log", Op::kLog),
    Approximated("stablehlo.log_plus_one", Op::kLog1p),
    Approximated("stablehlo.logistic", Op::kLogistic),
    Approximated("stablehlo.rsqrt", Op::kRsqrt),
    Approximated("stablehlo.sine", Op::kSin),
    Approximated("stablehlo.sqrt", Op::kSqrt),
    Approximated("stablehlo.tan", Op::kTan),
    Approximated("stablehlo.tanh", Op::kTanh),
    Binary("stablehlo.add", Op::kAdd),
    Binary("stablehlo.and", Op::kAnd),
    Binary("stablehlo.atan2", Op::kAtan2),
    Binary("stablehlo.complex", Op::kComplex),
    Binary("stablehlo.divide", Op::kDivide),
    Binary("stablehlo.maximum", Op::kMaximum),
    Binary("stablehlo.minimum", Op::kMinimum),
    Binary("stablehlo.multiply", Op::kMultiply),
    Binary("stablehlo.or", Op::kOr),
    Binary("stablehlo.power", Op::kPower),
    Binary("stablehlo.remainder", Op::kRemainder),
    Binary("stablehlo.shift_left", Op::kShiftLeft),
    Binary("stablehlo.shift_right_arithmetic", Op::kShiftRightArithmetic),
    Binary("stablehlo.shift_right_logical", Op::kShiftRightLogical),
    Binary("stablehlo.subtract", Op::kSubtract),
    Binary("stablehlo.xor", Op::kXor),
    {"stablehlo.clamp", LowerWithScalars, kThree, 1, 0, Op::kClamp, /*is_pure=*/true},
    {"stablehlo.compare", LowerCompare, kTwo, 1, 0, Op::kCompare, /*is_pure=*/true},
    {"stablehlo.convert", LowerConvert, kOne, 1, 0, Op::kConvert, /*is_pure=*/true},
    {"stablehlo.reduce_precision", LowerReducePrecision, kOne, 1, 0, Op::kReducePrecision,
     /*is_pure=*/true},
    {"stablehlo.select", LowerWithScalars, kThree, 1, 0, Op::kSelect, /*is_pure=*/true},

    // Constants, and elements in other places.
    {"stablehlo.bitcast_convert", LowerPlain, kOne, 1, 0, Op::kBitcastConvert, /*is_pure=*/true},
    {"stablehlo.broadcast", LowerBroadcast, kOne, 1, 0, Op::kBroadcast, /*is_pure=*/true},
    {"stablehlo.broadcast_in_dim", LowerBroadcastInDim, kOne, 1, 0, Op::kBroadcast,
     /*is_pure=*/true},
    {"stablehlo.concatenate", LowerConcatenate, kSome, 1, 0, Op::kConcatenate, /*is_pure=*/true},
    {"stablehlo.constant", LowerConstant, kNone, 1, 0, Op::kConstant, /*is_pure=*/true},
    {"stablehlo.dynamic_slice", LowerDynamicSlice, kSome, 1, 0, Op::kDynamicSlice},
    {"stablehlo.dynamic_update_slice", LowerPlain, {2, kMany}, 1, 0, Op::kDynamicUpdateSlice},
    {"stablehlo.gather", LowerGather, kTwo, 1, 0, Op::kGather},
    {"stablehlo.iota", LowerIota, kNone, 1, 0, Op::kIota, /*is_pure=*/true},
    {"stablehlo.pad", LowerPad, kTwo, 1, 0, Op::kPad},
    {"stablehlo.reshape", LowerPlain, kOne, 1, 0, Op::kReshape, /*is_pure=*/true},
    {"stablehlo.reverse", LowerReverse, kOne, 1, 0, Op::kReverse, /*is_pure=*/true},
    {"stablehlo.slice", LowerSlice, kOne, 1, 0, Op::kSlice, /*is_pure=*/true},
    {"stablehlo.torch_index_select", LowerTorchIndexSelect, kTwo, 1, 0, Op::kGather},
    {"stablehlo.transpose", LowerTranspose, kOne, 1, 0, Op::kTranspose, /*is_pure=*/true},

    // Sizes that are operands.
    {"stablehlo.dynamic_broadcast_in_dim", LowerDynamicBroadcastInDim, kTwo},
    {"stablehlo.dynamic_conv", LowerDynamicConvolution, kThree},
    {"stablehlo.dynamic_gather", LowerDynamicGather, kThree},
    {"stablehlo.dynamic_iota", LowerDynamicIota, kOne},
    {"stablehlo.dynamic_pad", LowerDynamicPad, {5, 5}},
    {"stablehlo.dynamic_reshape", LowerDynamicReshape, kTwo},
    {"stablehlo.get_dimension_size", LowerDimensionSize, kOne, 1, 0, Op::kGetDimensionSize},
    {"stablehlo.real_dynamic_slice", LowerRealDynamicSlice, {4, 4}},
    {"stablehlo.set_dimension_size", LowerDimensionSize, kTwo, 1, 0, Op::kSetDimensionSize},

    // Products, transforms, linear algebra.
    {"stablehlo.batch_norm_grad", LowerBatchNorm, {5, 5}, 3, 0, Op::kBatchNormGrad},
    {"stablehlo.batch_norm_inference", LowerBatchNorm, {5, 5}, 1, 0, Op::kBatchNormInference},
    {"stablehlo.batch_norm_training", LowerBatchNorm, kThree, 3, 0, Op::kBatchNormTraining},
    {"stablehlo.cholesky", LowerCholesky, kOne, 1, 0, Op::kCholesky},
    {"stablehlo.convolution", LowerConvolution, kTwo, 1, 0, Op::kConvolution},
    {"stablehlo.dot", LowerDot, kTwo, 1, 0, Op::kDot},
    {"stablehlo.dot_general", LowerDotGeneral, kTwo, 1, 0, Op::kDot},
    {"stablehlo.einsum", LowerEinsum, kTwo},
    {"stablehlo.fft", LowerFft, kOne, 1, 0, Op::kFft},
    {"stablehlo.triangular_solve", LowerTriangularSolve, kTwo, 1, 0, Op::kTriangularSolve},
    {"stablehlo.unary_einsum", LowerEinsum, kOne},

    // Regions that are applied to elements; random numbers.
    {"stablehlo.map", LowerMap, kSome, 1, 1, Op::kMap},
    {"stablehlo.reduce", LowerReduce, {2, kMany}, kAnyNumber, 1, Op::kReduce},
    {"stablehlo.reduce_window", LowerReduceWindow, {2, kMany}, kAnyNumber, 1, Op::kReduceWindow},
    {"stablehlo.rng", LowerRng, kThree, 1, 0, Op::kRng},
    {"stablehlo.rng_bit_generator", LowerRngBitGenerator, kOne, 2, 0, Op::kRngBitGenerator},
    {"stablehlo.scatter", LowerScatter, {3, kMany}, kAnyNumber, 1, Op::kScatter},
    {"stablehlo.select_and_scatter", LowerSelectAndScatter, kThree, 1, 2, Op::kSelectAndScatter},
    {"stablehlo.sort", LowerSort, kSome, kAnyNumber, 1, Op::kSort},

    // Control flow, calls, tuples.
    {"builtin.unrealized_conversion_cast", LowerIdentity, kAny, kAnyNumber},
    {"func.call", LowerCall, kAny, kAnyNumber},
    {"stablehlo.async_done", LowerAsyncDone, kOne, kAnyNumber},
    {"stablehlo.async_start", LowerAsyncStart, kAny, 1, 1},
    {"stablehlo.case", LowerConditional, kOne, kAnyNumber, kAnyNumber},
    {"stablehlo.get_tuple_element", LowerGetTupleElement, kOne},
    {"stablehlo.if", LowerConditional, kOne, kAnyNumber, 2},
    {"stablehlo.optimization_barrier", LowerOptimizationBarrier, kAny, kAnyNumber},
    {"stablehlo.tuple", LowerTuple, kAny},
    {"stablehlo.while", LowerWhile, kAny, kAnyNumber, 2},

    // Devices and the host.
    {"stablehlo.after_all", LowerPlain, kAny, 1, 0, Op::kAfterAll},
    {"stablehlo.all_gather", LowerAllGather, kSome, kAnyNumber},
    {"stablehlo.all_reduce", LowerAllReduce, kSome, kAnyNumber, 1},
    {"stablehlo.all_to_all", LowerAllToAll, kSome, kAnyNumber},
    {"stablehlo.collective_broadcast", LowerCollectiveBroadcast, kOne},
    {"stablehlo.collective_permute", LowerCollectivePermute, kOne},
    {"stablehlo.create_token", LowerPlain, kNone, 1, 0, Op::kAfterAll},
    {"stablehlo.infeed", LowerInfeed, kOne, kAnyNumber},
    {"stablehlo.outfeed", LowerOutfeed, kSome},
    {"stablehlo.partition_id", LowerPlain, kNone, 1, 0, Op::kPartitionId},
    {"stablehlo.recv", LowerRecv, kOne, kAnyNumber},
    {"stablehlo.reduce_scatter", LowerReduceScatter, kOne, 1, 1},
    {"stablehlo.replica_id", LowerPlain, kNone, 1, 0, Op::kReplicaId},
    {"stablehlo.send", LowerSend, kSome},

    // Calls of what is not StableHLO.
    {"stablehlo.composite", LowerComposite, kAny, kAnyNumber, kAnyNumber},
    {"stablehlo.custom_call", LowerCustomCall, kAny, kAnyNumber},

    // How arrays are divided among devices.
    {"sdy.all_gather", LowerShardingConstraint, kOne},
    {"sdy.all_reduce", LowerShardingConstraint, kOne},
    {"sdy.all_slice", LowerShardingConstraint, kOne},
    {"sdy.all_to_all", LowerShardingConstraint, kOne},
    {"sdy.collective_permute", LowerShardingConstraint, kOne},
    {"sdy.data_flow_edge", LowerIdentity, kOne},
    {"sdy.manual_computation", LowerManualComputation, kAny, kAnyNumber, 1},
    {"sdy.named_computation", LowerNamedComputation, kAny, kAnyNumber, 1},
    {"sdy.propagation_barrier", LowerIdentity, kOne},
    {"sdy.reduce_scatter", LowerShardingConstraint, kOne},
    {"sdy.reshard", LowerShardingConstraint, kOne},
    {"sdy.sharding_constraint", LowerShardingConstraint, kOne},
    {"sdy.sharding_group", LowerShardingGroup, kOne, 0},

    // The client operations, which JAX has in its text.
    Approximated("chlo.acos", Op::kAcos),
    Approximated("chlo.acosh", Op::kAcosh),
    Approximated("chlo.asin", Op::kAsin),
    Approximated("chlo.asinh", Op::kAsinh),
    Approximated("chlo.atanh", Op::kAtanh),
    Approximated("chlo.cosh", Op::kCosh),
    Approximated("chlo.erf", Op::kErf),
    Approximated("chlo.sinh", Op::kSinh),
    Approximated("chlo.tan", Op::kTan),
    Binary("chlo.mulhi", Op::kMulhi),
    Library("chlo.atan"),
    Library("chlo.bessel_i1e"),
    Library("chlo.conj"),
    Library("chlo.digamma"),
    Library("chlo.erf_inv"),
    Library("chlo.erfc"),
    Library("chlo.is_inf"),
    Library("chlo.is_neg_inf"),
    Library("chlo.is_pos_inf"),
    Library("chlo.lgamma"),
    Library("chlo.next_after", kTwo),
    Library("chlo.polygamma", kTwo),
    Library("chlo.square"),
    Library("chlo.zeta", kTwo),
    Broadcasting("chlo.broadcast_add", Op::kAdd),
    Broadcasting("chlo.broadcast_and", Op::kAnd),
    Broadcasting("chlo.broadcast_atan2", Op::kAtan2),
    Broadcasting("chlo.broadcast_compare", Op::kCompare),
    Broadcasting("chlo.broadcast_complex", Op::kComplex),
    Broadcasting("chlo.broadcast_divide", Op::kDivide),
    Broadcasting("chlo.broadcast_maximum", Op::kMaximum),
    Broadcasting("chlo.broadcast_minimum", Op::kMinimum),
    Broadcasting("chlo.broadcast_multiply", Op::kMultiply),
    Broadcasting("chlo.broadcast_or", Op::kOr),
    Broadcasting("chlo.broadcast_power", Op::kPower),
    Broadcasting("chlo.broadcast_remainder", Op::kRemainder),
    Broadcasting("chlo.broadcast_shift_left", Op::kShiftLeft),
    Broadcasting("chlo.broadcast_shift_right_arithmetic", Op::kShiftRightArithmetic),
    Broadcasting("chlo.broadcast_shift_right_logical", Op::kShiftRightLogical),
    Broadcasting("chlo.broadcast_subtract", Op::kSubtract),
    Broadcasting("chlo.broadcast_xor", Op::kXor),
    {"chlo.constant", LowerConstant, kNone, 1, 0, Op::kConstant, /*is_pure=*/true},
    {"chlo.constant_like", LowerConstantLike, kOne},
    {"chlo.dynamic_reshape", LowerDynamicReshape, kTwo},
    {"chlo.ragged_dot", LowerRaggedDot, kThree, 1, 0, Op::kRaggedDot},
    {"chlo.scan", LowerScan, kSome, kAnyNumber, 1, Op::kScan},
    {"chlo.top_k", LowerTopK, kOne, 2, 0, Op::kTopK},
};

}  // namespace

const OpRow* FindOpRow(absl::string_view name) {
  static const auto& rows = *[] {
    auto* by_name = new absl::flat_hash_map<absl::string_view, const OpRow*>();
    for (const OpRow& row : kRows) by_name->emplace(row.name, &row);
    return by_name;
  }();
  const auto found = rows.find(name);
  return found == rows.end() ? nullptr : found->second;
}

}  // namespace xla::stablehlo::lowering
