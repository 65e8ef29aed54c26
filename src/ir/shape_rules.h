// What each operation asks of its operands and attributes, and the shape it gives. The builder, the text reader and the
// verifier all use these rules. Messages begin with the label of the rule ("concatenate_c2: ...").
#ifndef HILO_IR_SHAPE_RULES_H_
#define HILO_IR_SHAPE_RULES_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/shape.h"

namespace xla {

struct Attributes;

// An operation before it is an instruction.
struct OpDescription {
  HloOpcode opcode;
  absl::Span<const Shape* const> operands;
  const Attributes* attributes;                // the record of the operation's row, never null
  absl::Span<const ProgramShape* const> callees;  // in the order of HloInstruction::called_computations
  const Shape* declared = nullptr;             // the result shape if it was given
  // Whether operations that compute with several floating-point numbers take them in different precisions. The result
  // then has the highest.
  bool allow_mixed_precision = false;

  const Shape& operand(int i) const { return *operands[i]; }
  template <typename Record>
  const Record& As() const {
    return static_cast<const Record&>(*attributes);
  }
};

// Gives the result shape, or InvalidArgument naming the operation, the shapes and the rule that is broken. Where a result
// does not follow from the operands (convert, parameter, custom-call, ...) the rule checks `declared` and returns it.
using ShapeRule = absl::StatusOr<Shape> (*)(const OpDescription& op);

// Checks operand and callee counts against the row and the declared shape for itself, then applies the row's rule. The
// shapes of operands and callees must be valid (ShapeUtil::ValidateShapeWithOptionalLayout), as results of rules are.
absl::StatusOr<Shape> InferShape(const OpDescription& op);

// The shape to which an operation on two arrays implicitly broadcasts them, with the element type of the operand of higher
// rank (which is not compared with the other one). Scalars go with everything; dimensions of size 1 stretch; an operand of
// lower rank needs broadcast_dimensions, which say where its dimensions are in the other operand: ascending, within its
// rank. InvalidArgument, naming `opcode`, otherwise.
absl::StatusOr<Shape> BroadcastShapes(HloOpcode opcode, const Shape& lhs, const Shape& rhs,
                                      absl::Span<const int64_t> broadcast_dimensions);

namespace shape_rules {
// One function for each name in the last column of hlo_ops.def; several rows may share one.
absl::StatusOr<Shape> AddDependency(const OpDescription& op);
absl::StatusOr<Shape> AfterAll(const OpDescription& op);
absl::StatusOr<Shape> AllGather(const OpDescription& op);
absl::StatusOr<Shape> AllGatherDone(const OpDescription& op);
absl::StatusOr<Shape> AllGatherStart(const OpDescription& op);
absl::StatusOr<Shape> AllReduce(const OpDescription& op);
absl::StatusOr<Shape> AllToAll(const OpDescription& op);
absl::StatusOr<Shape> AsyncDone(const OpDescription& op);
absl::StatusOr<Shape> AsyncStart(const OpDescription& op);
absl::StatusOr<Shape> AsyncUpdate(const OpDescription& op);
absl::StatusOr<Shape> BatchNormGrad(const OpDescription& op);
absl::StatusOr<Shape> BatchNormInference(const OpDescription& op);
absl::StatusOr<Shape> BatchNormTraining(const OpDescription& op);
absl::StatusOr<Shape> BinaryFloatOrComplex(const OpDescription& op);
absl::StatusOr<Shape> BinaryInteger(const OpDescription& op);
absl::StatusOr<Shape> BinaryIntegerOrPred(const OpDescription& op);
absl::StatusOr<Shape> BinaryNumber(const OpDescription& op);
absl::StatusOr<Shape> BinaryNumberOrPred(const OpDescription& op);
absl::StatusOr<Shape> BinaryReal(const OpDescription& op);
absl::StatusOr<Shape> Bitcast(const OpDescription& op);
absl::StatusOr<Shape> BitcastConvert(const OpDescription& op);
absl::StatusOr<Shape> Broadcast(const OpDescription& op);
absl::StatusOr<Shape> Call(const OpDescription& op);
absl::StatusOr<Shape> Cholesky(const OpDescription& op);
absl::StatusOr<Shape> Clamp(const OpDescription& op);
absl::StatusOr<Shape> CollectiveBroadcast(const OpDescription& op);
absl::StatusOr<Shape> CollectivePermute(const OpDescription& op);
absl::StatusOr<Shape> CollectivePermuteDone(const OpDescription& op);
absl::StatusOr<Shape> CollectivePermuteStart(const OpDescription& op);
absl::StatusOr<Shape> Compare(const OpDescription& op);
absl::StatusOr<Shape> Complex(const OpDescription& op);
absl::StatusOr<Shape> Concatenate(const OpDescription& op);
absl::StatusOr<Shape> Conditional(const OpDescription& op);
absl::StatusOr<Shape> Constant(const OpDescription& op);
absl::StatusOr<Shape> Convert(const OpDescription& op);
absl::StatusOr<Shape> Convolution(const OpDescription& op);
absl::StatusOr<Shape> CopyDone(const OpDescription& op);
absl::StatusOr<Shape> CopyStart(const OpDescription& op);
absl::StatusOr<Shape> CustomCall(const OpDescription& op);
absl::StatusOr<Shape> Dot(const OpDescription& op);
absl::StatusOr<Shape> DynamicReshape(const OpDescription& op);
absl::StatusOr<Shape> DynamicSlice(const OpDescription& op);
absl::StatusOr<Shape> DynamicUpdateSlice(const OpDescription& op);
absl::StatusOr<Shape> Fft(const OpDescription& op);
absl::StatusOr<Shape> Fusion(const OpDescription& op);
absl::StatusOr<Shape> Gather(const OpDescription& op);
absl::StatusOr<Shape> GetDimensionSize(const OpDescription& op);
absl::StatusOr<Shape> GetTupleElement(const OpDescription& op);
absl::StatusOr<Shape> Infeed(const OpDescription& op);
absl::StatusOr<Shape> Iota(const OpDescription& op);
absl::StatusOr<Shape> IsFinite(const OpDescription& op);
absl::StatusOr<Shape> Map(const OpDescription& op);
absl::StatusOr<Shape> Outfeed(const OpDescription& op);
absl::StatusOr<Shape> Pad(const OpDescription& op);
absl::StatusOr<Shape> Parameter(const OpDescription& op);
absl::StatusOr<Shape> RaggedAllToAll(const OpDescription& op);
absl::StatusOr<Shape> RaggedDot(const OpDescription& op);
absl::StatusOr<Shape> RealOrImag(const OpDescription& op);
absl::StatusOr<Shape> Recv(const OpDescription& op);
absl::StatusOr<Shape> RecvDone(const OpDescription& op);
absl::StatusOr<Shape> Reduce(const OpDescription& op);
absl::StatusOr<Shape> ReducePrecision(const OpDescription& op);
absl::StatusOr<Shape> ReduceScatter(const OpDescription& op);
absl::StatusOr<Shape> ReduceWindow(const OpDescription& op);
absl::StatusOr<Shape> ReplicaOrPartitionId(const OpDescription& op);
absl::StatusOr<Shape> Reshape(const OpDescription& op);
absl::StatusOr<Shape> Reverse(const OpDescription& op);
absl::StatusOr<Shape> Rng(const OpDescription& op);
absl::StatusOr<Shape> RngBitGenerator(const OpDescription& op);
absl::StatusOr<Shape> RngGetAndUpdateState(const OpDescription& op);
absl::StatusOr<Shape> SameAsOperand(const OpDescription& op);
absl::StatusOr<Shape> ScaledDot(const OpDescription& op);
absl::StatusOr<Shape> Scan(const OpDescription& op);
absl::StatusOr<Shape> Scatter(const OpDescription& op);
absl::StatusOr<Shape> Select(const OpDescription& op);
absl::StatusOr<Shape> SelectAndScatter(const OpDescription& op);
absl::StatusOr<Shape> Send(const OpDescription& op);
absl::StatusOr<Shape> SendDone(const OpDescription& op);
absl::StatusOr<Shape> SetDimensionSize(const OpDescription& op);
absl::StatusOr<Shape> Slice(const OpDescription& op);
absl::StatusOr<Shape> Sort(const OpDescription& op);
absl::StatusOr<Shape> StochasticConvert(const OpDescription& op);
absl::StatusOr<Shape> TopK(const OpDescription& op);
absl::StatusOr<Shape> Transpose(const OpDescription& op);
absl::StatusOr<Shape> TriangularSolve(const OpDescription& op);
absl::StatusOr<Shape> Tuple(const OpDescription& op);
absl::StatusOr<Shape> UnaryAbs(const OpDescription& op);
absl::StatusOr<Shape> UnaryFloat(const OpDescription& op);
absl::StatusOr<Shape> UnaryFloatOrComplex(const OpDescription& op);
absl::StatusOr<Shape> UnaryInteger(const OpDescription& op);
absl::StatusOr<Shape> UnaryIntegerOrPred(const OpDescription& op);
absl::StatusOr<Shape> UnaryNumber(const OpDescription& op);
absl::StatusOr<Shape> While(const OpDescription& op);
}  // namespace shape_rules

}  // namespace xla

#endif  // HILO_IR_SHAPE_RULES_H_
