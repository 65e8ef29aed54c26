// Loops, conditionals, calls and tuples.
#include <memory>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/table.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {

// What the regions use from outside is further state, which no step changes.
absl::Status LowerWhile(Body& body, const Operation& op, HloOpcode) {
  const Region& condition = op.regions[0];
  const Region& step = op.regions[1];
  const size_t count = op.operands.size();
  if (op.results.size() != count || condition.arguments.size() != count ||
      step.arguments.size() != count) {
    return InvalidArgument("there are %d operands, %d results, %d and %d arguments of regions",
                           count, op.results.size(), condition.arguments.size(),
                           step.arguments.size());
  }
  const Region* const regions[] = {&step, &condition};
  const std::vector<ValueId> captured_values = body.Captured(regions);
  HILO_ASSIGN_OR_RETURN(std::vector<HloInstruction*> state, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> captured, body.Values(captured_values));
  state.insert(state.end(), captured.begin(), captured.end());
  HILO_ASSIGN_OR_RETURN(HloComputation * step_computation,
                        body.State(step, captured_values, /*hands_on=*/true));
  HILO_ASSIGN_OR_RETURN(HloComputation * condition_computation,
                        body.State(condition, captured_values, /*hands_on=*/false));
  HILO_ASSIGN_OR_RETURN(HloInstruction * init, body.AddTupleUnlessOne(state));
  HILO_ASSIGN_OR_RETURN(HloInstruction * loop,
                        body.Add(HloOpcode::kWhile, init->shape(), {init}, nullptr,
                                 {step_computation, condition_computation}));
  if (state.size() == count) return body.Define(op, loop);
  for (size_t i = 0; i < count; ++i) {
    HloInstruction* result = loop;
    if (state.size() != 1) {
      HILO_ASSIGN_OR_RETURN(result, body.AddElement(loop, static_cast<int64_t>(i)));
    }
    body.Bind(op.results[i], result);
  }
  return absl::OkStatus();
}

absl::Status LowerConditional(Body& body, const Operation& op, HloOpcode) {
  if (op.regions.empty()) return InvalidArgument("there are no branches");
  HILO_ASSIGN_OR_RETURN(HloInstruction * index, body.Operand(op, 0));
  std::vector<HloInstruction*> operands = {index};
  std::vector<HloComputation*> branches;
  for (const Region& region : op.regions) {
    if (!region.arguments.empty()) return InvalidArgument("a branch has arguments");
    const Region* const regions[] = {&region};
    const std::vector<ValueId> captured_values = body.Captured(regions);
    HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> captured,
                          body.Values(captured_values));
    HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.AddTupleUnlessOne(captured));
    HILO_ASSIGN_OR_RETURN(HloComputation * branch,
                          body.State(region, captured_values, /*hands_on=*/false));
    operands.push_back(operand);
    branches.push_back(branch);
  }
  return body.Emit(op, HloOpcode::kConditional, operands, nullptr, branches);
}

absl::Status LowerCall(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const absl::string_view callee, GetString(op, "callee"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(HloComputation * computation, body.lowering().Function(callee));
  return body.Emit(op, HloOpcode::kCall, operands, nullptr, {computation});
}

absl::Status LowerTuple(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(HloInstruction * tuple, body.AddTuple(operands));
  return body.Define(op, tuple);
}

absl::Status LowerGetTupleElement(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const int64_t index, GetInteger(op, "index"));
  HILO_ASSIGN_OR_RETURN(HloInstruction * tuple, body.Operand(op, 0));
  HILO_ASSIGN_OR_RETURN(HloInstruction * element, body.AddElement(tuple, index));
  return body.Define(op, element);
}

absl::Status LowerOptimizationBarrier(Body& body, const Operation& op, HloOpcode) {
  if (op.operands.size() != op.results.size()) {
    return InvalidArgument("there are %d operands and %d results", op.operands.size(),
                           op.results.size());
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.AddTupleUnlessOne(operands));
  return body.Emit(op, HloOpcode::kOptimizationBarrier, {operand});
}

absl::Status LowerIdentity(Body& body, const Operation& op, HloOpcode) {
  if (op.operands.size() != op.results.size()) {
    return InvalidArgument("there are %d operands and %d results", op.operands.size(),
                           op.results.size());
  }
  for (size_t i = 0; i < op.operands.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Value(op.operands[i]));
    body.Bind(op.results[i], operand);
  }
  return absl::OkStatus();
}

absl::Status LowerNothing(Body&, const Operation&, HloOpcode) { return absl::OkStatus(); }

// The operations of the region stand where it starts: nothing is gained by doing something else at
// the same time on one machine. The future is their results.
absl::Status LowerAsyncStart(Body& body, const Operation& op, HloOpcode) {
  const Region& region = op.regions[0];
  if (region.arguments.size() != op.operands.size()) {
    return InvalidArgument("there are %d operands and %d arguments of the region",
                           op.operands.size(), region.arguments.size());
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  for (size_t i = 0; i < operands.size(); ++i) body.Bind(region.arguments[i], operands[i]);
  HILO_ASSIGN_OR_RETURN(const Operation* end, body.LowerAll(region));
  HILO_ASSIGN_OR_RETURN(HloInstruction * results, body.Results(*end));
  body.Bind(op.results[0], results);
  return absl::OkStatus();
}

absl::Status LowerAsyncDone(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(HloInstruction * results, body.Operand(op, 0));
  const int64_t count = results->shape().IsTuple() ? results->shape().tuple_shapes_size() : 1;
  if (op.results.size() != 1 && static_cast<int64_t>(op.results.size()) != count) {
    return InvalidArgument("there are %d results, but %d values", op.results.size(), count);
  }
  return body.Define(op, results);
}

}  // namespace xla::stablehlo::lowering
