// Operations that apply a region to elements, and random numbers.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "front/builder/window.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/shapes.h"
#include "front/stablehlo/lower/table.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

// The window of reduce_window and select_and_scatter; without dimensions it has size 1 everywhere.
absl::StatusOr<Window> ToWindow(const Operation& op, const Shape& operand) {
  if (!operand.IsArrayExcludingBuffer()) return InvalidArgument("the operand must be an array");
  const int64_t rank = operand.dimensions_size();
  HILO_ASSIGN_OR_RETURN(const Integers sizes, GetIntegersOr(op, "window_dimensions", rank, 1));
  HILO_ASSIGN_OR_RETURN(const Integers strides, GetIntegersOr(op, "window_strides", rank, 1));
  HILO_ASSIGN_OR_RETURN(const Integers base, GetIntegersOr(op, "base_dilations", rank, 1));
  HILO_ASSIGN_OR_RETURN(const Integers dilations, GetIntegersOr(op, "window_dilations", rank, 1));
  HILO_ASSIGN_OR_RETURN(const auto padding, GetPairs(op, "padding"));
  return MakeWindow("the window", sizes, strides, padding, base, dilations);
}

absl::Status ExpectInputsAndInits(const Operation& op) {
  if (op.operands.size() % 2 == 0 && op.operands.size() == 2 * op.results.size()) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      "%d results need as many inputs and initial values, but there are %d "
      "operands",
      op.results.size(), op.operands.size());
}

}  // namespace

absl::Status LowerReduce(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_RETURN_IF_ERROR(ExpectInputsAndInits(op));
  auto attributes = std::make_unique<DimensionsAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->dimensions, GetIntegersOrNone(op, "dimensions"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(HloComputation * applied, body.Applied(op.regions[0]));
  return body.Emit(op, opcode, operands, std::move(attributes), {applied});
}

absl::Status LowerReduceWindow(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_RETURN_IF_ERROR(ExpectInputsAndInits(op));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  auto attributes = std::make_unique<WindowAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->window, ToWindow(op, operands[0]->shape()));
  HILO_ASSIGN_OR_RETURN(HloComputation * applied, body.Applied(op.regions[0]));
  return body.Emit(op, opcode, operands, std::move(attributes), {applied});
}

absl::Status LowerSelectAndScatter(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  auto attributes = std::make_unique<WindowAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->window, ToWindow(op, operands[0]->shape()));
  HILO_ASSIGN_OR_RETURN(HloComputation * select, body.Applied(op.regions[0]));
  HILO_ASSIGN_OR_RETURN(HloComputation * scatter, body.Applied(op.regions[1]));
  return body.Emit(op, opcode, operands, std::move(attributes), {select, scatter});
}

absl::Status LowerScatter(Body& body, const Operation& op, HloOpcode opcode) {
  if (op.operands.size() != 2 * op.results.size() + 1) {
    return InvalidArgument(
        "%d results need as many inputs and updates, and indices, but there are "
        "%d operands",
        op.results.size(), op.operands.size());
  }
  auto attributes = std::make_unique<ScatterAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->update_window_dims,
                        GetIntegersOrNone(op, "update_window_dims"));
  HILO_ASSIGN_OR_RETURN(attributes->inserted_window_dims,
                        GetIntegersOrNone(op, "inserted_window_dims"));
  HILO_ASSIGN_OR_RETURN(attributes->scatter_dims_to_operand_dims,
                        GetIntegersOrNone(op, "scatter_dims_to_operand_dims"));
  HILO_ASSIGN_OR_RETURN(attributes->input_batching_dims,
                        GetIntegersOrNone(op, "input_batching_dims"));
  HILO_ASSIGN_OR_RETURN(attributes->scatter_indices_batching_dims,
                        GetIntegersOrNone(op, "scatter_indices_batching_dims"));
  HILO_ASSIGN_OR_RETURN(attributes->index_vector_dim, GetIntegerOr(op, "index_vector_dim", 0));
  HILO_ASSIGN_OR_RETURN(attributes->indices_are_sorted, GetBool(op, "indices_are_sorted"));
  HILO_ASSIGN_OR_RETURN(attributes->unique_indices, GetBool(op, "unique_indices"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(HloComputation * applied, body.Applied(op.regions[0]));
  return body.Emit(op, opcode, operands, std::move(attributes), {applied});
}

absl::Status LowerSort(Body& body, const Operation& op, HloOpcode opcode) {
  if (op.operands.size() != op.results.size()) {
    return InvalidArgument("there are %d operands and %d results", op.operands.size(),
                           op.results.size());
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  auto attributes = std::make_unique<SortAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->dimension, GetIntegerOr(op, "dimension", -1));
  if (attributes->dimension < 0 && operands[0]->shape().IsArray()) {
    attributes->dimension += operands[0]->shape().dimensions_size();
  }
  HILO_ASSIGN_OR_RETURN(attributes->is_stable, GetBool(op, "is_stable"));
  HILO_ASSIGN_OR_RETURN(HloComputation * applied, body.Applied(op.regions[0]));
  return body.Emit(op, opcode, operands, std::move(attributes), {applied});
}

absl::Status LowerMap(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<MapAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->dimensions, GetIntegersOrNone(op, "dimensions"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(HloComputation * applied, body.Applied(op.regions[0]));
  return body.Emit(op, opcode, operands, std::move(attributes), {applied});
}

// Inputs and then carries go in, outputs and then carries come out.
absl::Status LowerScan(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<ScanAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->dimension, GetInteger(op, "dimension"));
  HILO_ASSIGN_OR_RETURN(attributes->is_reverse, GetBool(op, "is_reverse"));
  if (op.attribute("is_associative") != nullptr) {
    HILO_ASSIGN_OR_RETURN(const bool is_associative, GetBool(op, "is_associative"));
    attributes->is_associative = is_associative ? TRI_STATE_TRUE : TRI_STATE_FALSE;
  }
  HILO_ASSIGN_OR_RETURN(const Integers groups, GetIntegers(op, "operandSegmentSizes"));
  if (groups.size() != 2 || groups[0] < 0 || groups[1] < 0 ||
      groups[0] + groups[1] != static_cast<int64_t>(op.operands.size())) {
    return InvalidArgument("operandSegmentSizes does not say what are inputs and carries");
  }
  attributes->num_carries = groups[1];
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(HloComputation * applied, body.Applied(op.regions[0]));
  return body.Emit(op, opcode, operands, std::move(attributes), {applied});
}

// The third operand is the shape, which the result has already.
absl::Status LowerRng(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(const absl::string_view name, GetKeyword(op, "rng_distribution"));
  RandomDistribution distribution;
  if (!RandomDistribution_Parse(absl::StrCat("RNG_", name), &distribution)) {
    return InvalidArgument("there is no distribution %s", name);
  }
  auto attributes = std::make_unique<RngAttributes>();
  attributes->distribution = distribution;
  HILO_ASSIGN_OR_RETURN(HloInstruction * a, body.Operand(op, 0));
  HILO_ASSIGN_OR_RETURN(HloInstruction * b, body.Operand(op, 1));
  return body.Emit(op, opcode, {a, b}, std::move(attributes));
}

absl::Status LowerRngBitGenerator(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(const absl::string_view name, GetKeyword(op, "rng_algorithm"));
  RandomAlgorithm algorithm;
  if (!RandomAlgorithm_Parse(absl::StrCat("RNG_", name), &algorithm)) {
    return InvalidArgument("there is no generator %s", name);
  }
  auto attributes = std::make_unique<RngBitGeneratorAttributes>();
  attributes->algorithm = algorithm;
  HILO_ASSIGN_OR_RETURN(HloInstruction * state, body.Operand(op, 0));
  return body.Emit(op, opcode, {state}, std::move(attributes));
}

}  // namespace xla::stablehlo::lowering
