// Names and values of frontend attributes that say what instructions do beside computing.
#ifndef XLA_SIDE_EFFECT_UTIL_H_
#define XLA_SIDE_EFFECT_UTIL_H_

namespace xla {

// ---- Transfers between the host and a device.
inline constexpr char kXlaHostTransferRendezvousNameAttr[] = "_xla_host_transfer_rendezvous";
inline constexpr char kXlaHostTransferHandlerNameAttr[] = "_xla_host_transfer_handler_name";
inline constexpr char kXlaHostTransferTfRendezvousHandlerName[] = "tf_rendezvous";

// ---- Where a computation runs.
inline constexpr char kXlaComputeTypeAttr[] = "_xla_compute_type";
inline constexpr char kXlaComputeTypeSparse[] = "sparse";
inline constexpr char kXlaComputeTypeDense[] = "dense";
inline constexpr char kXlaComputeTypeHost[] = "host";
inline constexpr char kXlaStreamAnnotationAttr[] = "_xla_stream_annotation";

// ---- Where an array lies.
inline constexpr char kXlaBufferPlacementAttr[] = "_xla_buffer_placement";
inline constexpr char kXlaBufferPlacementParam[] = "arg";

// ---- Lookups in tables that are distributed over devices.
inline constexpr char kXlaMaxIdsPerPartitionAttr[] = "_xla_max_ids_per_partition";
inline constexpr char kXlaMaxUniqueIdsPerPartitionAttr[] = "_xla_max_unique_ids_per_partition";
inline constexpr char kXlaShardingStrategyAttr[] = "_xla_sharding_strategy";
inline constexpr char kXlaShardingStrategyMod[] = "mod";
inline constexpr char kXlaShardingStrategyDiv[] = "div";
inline constexpr char kXlaPadValueAttr[] = "_xla_pad_value";
inline constexpr char kXlaQuantizationHighValueAttr[] = "_xla_quantization_high_value";
inline constexpr char kXlaQuantizationLowValueAttr[] = "_xla_quantization_low_value";
inline constexpr char kXlaQuantizationNumBucketsValueAttr[] = "_xla_quantization_num_buckets_value";
inline constexpr char kXlaTableId[] = "_xla_table_id";

// ---- Products that wait for what other devices send.
inline constexpr char kXlaCollectiveMatmulAttr[] = "_xla_collective_matmul";
inline constexpr char kXlaCollectiveMatmulLhsAg[] = "lhs_ag";
inline constexpr char kXlaCollectiveMatmulRhsAg[] = "rhs_ag";
inline constexpr char kXlaCollectiveMatmulRs[] = "rs";

}  // namespace xla

#endif  // XLA_SIDE_EFFECT_UTIL_H_
