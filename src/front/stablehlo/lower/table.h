// Which function lowers which operation.
#ifndef HILO_FRONT_STABLEHLO_LOWER_TABLE_H_
#define HILO_FRONT_STABLEHLO_LOWER_TABLE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "front/stablehlo/lower/lowering.h"
#include "front/stablehlo/program.h"
#include "ir/op_info.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla::stablehlo::lowering {

inline constexpr int kAnyNumber = -1;

// Operands, results and regions are as many as the row says when `lower` is called.
struct OpRow {
  absl::string_view name;
  // Adds to the body what computes the operation, and binds its results. `opcode` is the row's.
  absl::Status (*lower)(Body& body, const Operation& op, HloOpcode opcode);
  OperandCount operands;
  int results = 1;  // or kAnyNumber
  int regions = 0;  // or kAnyNumber
  HloOpcode opcode = HloOpcode::kTuple;
  bool is_pure = false;  // it may be computed once more, where its operands are
};

// Null for an operation that is not in the table.
const OpRow* FindOpRow(absl::string_view name);

// The functions of the table, by files. Each takes (Body& body, const Operation& op, HloOpcode
// opcode).
#define HILO_LOWER(name) absl::Status name(Body& body, const Operation& op, HloOpcode opcode)

// elementwise.cc
HILO_LOWER(LowerElementwise);   // same shapes, no attributes
HILO_LOWER(LowerApproximated);  // the same, with the attribute result_accuracy
HILO_LOWER(LowerConvert);
HILO_LOWER(LowerCompare);
HILO_LOWER(LowerReducePrecision);
HILO_LOWER(LowerWithScalars);  // select, clamp: some operands may be scalars

// movement.cc
HILO_LOWER(LowerConstant);
HILO_LOWER(LowerIota);
HILO_LOWER(LowerBroadcast);
HILO_LOWER(LowerBroadcastInDim);
HILO_LOWER(LowerPlain);  // operands as they are, no attributes
HILO_LOWER(LowerTranspose);
HILO_LOWER(LowerReverse);
HILO_LOWER(LowerSlice);
HILO_LOWER(LowerPad);
HILO_LOWER(LowerConcatenate);
HILO_LOWER(LowerDynamicSlice);
HILO_LOWER(LowerGather);
HILO_LOWER(LowerTorchIndexSelect);

// sizes.cc
HILO_LOWER(LowerDimensionSize);
HILO_LOWER(LowerDynamicReshape);
HILO_LOWER(LowerDynamicBroadcastInDim);
HILO_LOWER(LowerDynamicIota);
HILO_LOWER(LowerRealDynamicSlice);
HILO_LOWER(LowerDynamicPad);
HILO_LOWER(LowerDynamicGather);
HILO_LOWER(LowerDynamicConvolution);

// contraction.cc
HILO_LOWER(LowerDot);
HILO_LOWER(LowerDotGeneral);
HILO_LOWER(LowerEinsum);
HILO_LOWER(LowerConvolution);
HILO_LOWER(LowerFft);
HILO_LOWER(LowerCholesky);
HILO_LOWER(LowerTriangularSolve);
HILO_LOWER(LowerBatchNorm);

// reduction.cc
HILO_LOWER(LowerReduce);
HILO_LOWER(LowerReduceWindow);
HILO_LOWER(LowerSelectAndScatter);
HILO_LOWER(LowerScatter);
HILO_LOWER(LowerSort);
HILO_LOWER(LowerMap);
HILO_LOWER(LowerScan);
HILO_LOWER(LowerRng);
HILO_LOWER(LowerRngBitGenerator);

// control_flow.cc
HILO_LOWER(LowerWhile);
HILO_LOWER(LowerConditional);
HILO_LOWER(LowerCall);
HILO_LOWER(LowerTuple);
HILO_LOWER(LowerGetTupleElement);
HILO_LOWER(LowerOptimizationBarrier);
HILO_LOWER(LowerIdentity);  // each result is an operand
HILO_LOWER(LowerNothing);   // no results
HILO_LOWER(LowerAsyncStart);
HILO_LOWER(LowerAsyncDone);

// communication.cc
HILO_LOWER(LowerAllGather);
HILO_LOWER(LowerAllReduce);
HILO_LOWER(LowerReduceScatter);
HILO_LOWER(LowerAllToAll);
HILO_LOWER(LowerCollectiveBroadcast);
HILO_LOWER(LowerCollectivePermute);
HILO_LOWER(LowerInfeed);
HILO_LOWER(LowerOutfeed);
HILO_LOWER(LowerSend);
HILO_LOWER(LowerRecv);

// custom_calls.cc
HILO_LOWER(LowerCustomCall);
HILO_LOWER(LowerComposite);

// sharding.cc
HILO_LOWER(LowerShardingConstraint);
HILO_LOWER(LowerShardingGroup);
HILO_LOWER(LowerManualComputation);
HILO_LOWER(LowerNamedComputation);

// chlo.cc
HILO_LOWER(LowerLibraryFunction);
HILO_LOWER(LowerTopK);
HILO_LOWER(LowerRaggedDot);
HILO_LOWER(LowerConstantLike);
HILO_LOWER(LowerChloBroadcast);

#undef HILO_LOWER

}  // namespace xla::stablehlo::lowering

#endif  // HILO_FRONT_STABLEHLO_LOWER_TABLE_H_
