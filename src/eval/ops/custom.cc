// Custom calls: well-known ones, those that the evaluator's user has a handler for, and functions
// of the program.
#include <memory>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "eval/frame.h"
#include "eval/known_calls.h"
#include "eval/top_elements.h"
#include "ir/records.h"
#include "linalg/lapack_call.h"
#include "runtime/custom_call.h"
#include "runtime/ffi/call.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {

namespace {

// TopK(array) = (values[..., k], s32 indices[..., k])
bool IsTopK(const HloInstruction& instruction) {
  const Shape& shape = instruction.shape();
  if (instruction.custom_call_target() != "TopK" || instruction.operand_count() != 1 ||
      !shape.IsTuple() || shape.tuple_shapes_size() != 2 ||
      !instruction.operand(0)->shape().IsArray()) {
    return false;
  }
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& values = shape.tuple_shapes(0);
  const Shape& indices = shape.tuple_shapes(1);
  const int last = operand.dimensions_size() - 1;
  return last >= 0 && indices.IsArray() && indices.element_type() == S32 &&
         ShapeUtil::SameDimensions(values, indices) &&
         values.element_type() == operand.element_type() && values.dimensions_size() == last + 1 &&
         absl::c_equal(values.dimensions().first(last), operand.dimensions().first(last)) &&
         values.dimensions(last) <= operand.dimensions(last);
}

// Targets that say where a value lies or how it is divided. With one device it stays what it is.
bool IsPlacement(const HloInstruction& instruction) {
  static constexpr absl::string_view kTargets[] = {
      "Sharding",     "SPMDFullToShardShape",      "SPMDShardToFullShape", "MoveToHost",
      "MoveToDevice", "annotate_device_placement", "LayoutConstraint"};
  return instruction.operand_count() == 1 && instruction.IsCustomCall(kTargets) &&
         ShapeUtil::Compatible(instruction.operand(0)->shape(), instruction.shape());
}

absl::StatusOr<Value> CallHandler(Frame& frame, const HloInstruction& instruction) {
  std::vector<Literal> literals;
  for (int64_t k = 0; k < frame.operand_count(); ++k) {
    HILO_ASSIGN_OR_RETURN(literals.emplace_back(),
                          frame.Take(k).ToLiteral(instruction.operand(k)->shape()));
  }
  std::vector<const Literal*> operands;
  for (const Literal& literal : literals) operands.push_back(&literal);
  HILO_ASSIGN_OR_RETURN(Literal result, frame.evaluator().options().custom_call_handler(
                                            &instruction, absl::MakeSpan(operands)));
  if (!ShapeUtil::Compatible(result.shape(), instruction.shape())) {
    return Internal("The function for custom-call %s gave %s instead of %s", instruction.name(),
                    ShapeUtil::HumanString(result.shape()),
                    ShapeUtil::HumanString(instruction.shape()));
  }
  return Value::FromLiteral(std::move(result));
}

// In which layout a registered function gets an operand or leaves the result: row-major unless the
// instruction constrains layouts.
absl::StatusOr<Shape> PassedShape(const HloInstruction& instruction, const Shape& shape,
                                  bool is_constrained) {
  if (!shape.is_static()) {
    return Unimplemented("custom-call %s: dynamic dimensions, as in %s, cannot be passed to \"%s\"",
                         instruction.name(), ShapeUtil::HumanString(shape),
                         instruction.custom_call_target());
  }
  Shape passed = shape;
  if (!is_constrained) LayoutUtil::SetToDefaultLayout(&passed);
  return passed;
}

// Zeros, and copies of the operands that the result aliases.
absl::StatusOr<Literal> InitialResult(const HloInstruction& instruction,
                                      absl::Span<const Literal> operands) {
  const auto& attributes = instruction.attributes_as<CustomCallAttributes>();
  HILO_ASSIGN_OR_RETURN(const Shape shape, PassedShape(instruction, instruction.shape(),
                                                       attributes.operand_layouts.has_value()));
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(shape));
  for (const auto& [output_index, operand] : attributes.output_to_operand_aliasing) {
    HILO_RETURN_IF_ERROR(result.CopyFrom(operands[operand.first], output_index, operand.second));
  }
  return result;
}

absl::Status CallFunction(const HloInstruction& instruction, absl::Span<const Literal> operands,
                          Literal& result) {
  const auto& attributes = instruction.attributes_as<CustomCallAttributes>();
  const HloModule* module = instruction.GetModule();
  runtime::CustomCallTarget target;
  target.name = attributes.target;
  target.api_version = static_cast<CustomCallApiVersion>(attributes.api_version);
  target.opaque = instruction.raw_backend_config_string();
  const auto found = runtime::FindCustomCallTarget(
      attributes.target,
      module != nullptr && runtime::MayCallAnyFunction(module->config().debug_options()));
  // To the evaluator's users it is an operation that it does not know.
  if (!found.ok())
    return Unimplemented("custom-call %s: %s", instruction.name(), found.status().message());
  target.function = *found;
  const absl::Status status = runtime::CallCustomCallTarget(target, operands, result);
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat("custom-call ", instruction.name(), ": ", status.message()));
}

absl::Status CallHandlers(Frame& frame, const HloInstruction& instruction,
                          absl::Span<const Literal> operands, Literal& result) {
  const auto make = [&]() -> absl::StatusOr<std::unique_ptr<runtime::TypedCall>> {
    std::vector<Shape> shapes;
    for (const Literal& operand : operands) shapes.push_back(operand.shape());
    return runtime::FfiCall::Make(instruction.name(), instruction.custom_call_target(),
                                  instruction.raw_backend_config_string(), shapes, result.shape());
  };
  HILO_ASSIGN_OR_RETURN(const runtime::TypedCall* call,
                        frame.evaluator().typed_calls().Get(&instruction, make));
  std::vector<void*> inputs, outputs;
  for (const Literal& operand : operands) runtime::AddArrays(operand, inputs);
  runtime::AddArrays(result, outputs);
  // An operand that the result aliases is one array with it.
  for (const auto& [output_index, operand] :
       instruction.attributes_as<CustomCallAttributes>().output_to_operand_aliasing) {
    const void* const array = operands[operand.first].untyped_data(operand.second);
    absl::c_replace(inputs, const_cast<void*>(array), result.untyped_data(output_index));
  }
  return call->Run(inputs, outputs, frame.evaluator().ffi_run());
}

// Results of LAPACK's routines, which do not depend on layouts.
absl::StatusOr<Value> CallLapack(Frame& frame, const HloInstruction& instruction) {
  std::vector<Shape> shapes;
  for (const HloInstruction* operand : instruction.operands()) shapes.push_back(operand->shape());
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<runtime::TypedCall> call,
                        linalg::MakeLapackCall(instruction.name(), instruction.custom_call_target(),
                                               instruction.raw_backend_config_string(), shapes,
                                               instruction.shape(), linalg::SolveByOwnLoops));
  std::vector<void*> inputs, outputs;
  for (int64_t k = 0; k < frame.operand_count(); ++k) runtime::AddArrays(frame.array(k), inputs);
  Shape shape = instruction.shape();
  LayoutUtil::SetToDefaultLayout(&shape);
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(shape));
  runtime::AddArrays(result, outputs);
  HILO_RETURN_IF_ERROR(call->Run(inputs, outputs, frame.evaluator().ffi_run()));
  return Value::FromLiteral(std::move(result));
}

absl::StatusOr<Value> CallTarget(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<CustomCallAttributes>();
  const auto& layouts = attributes.operand_layouts;
  std::vector<Literal> operands;
  for (int64_t k = 0; k < frame.operand_count(); ++k) {
    HILO_ASSIGN_OR_RETURN(
        const Shape shape,
        PassedShape(instruction,
                    layouts.has_value() ? (*layouts)[k] : instruction.operand(k)->shape(),
                    layouts.has_value()));
    HILO_ASSIGN_OR_RETURN(operands.emplace_back(), frame.Take(k).ToLiteral(shape));
  }
  HILO_ASSIGN_OR_RETURN(Literal result, InitialResult(instruction, operands));
  HILO_RETURN_IF_ERROR(attributes.api_version == API_VERSION_TYPED_FFI
                           ? CallHandlers(frame, instruction, operands, result)
                           : CallFunction(instruction, operands, result));
  return Value::FromLiteral(std::move(result));
}

}  // namespace

bool IsUninitialized(const HloInstruction& instruction) {
  return instruction.IsCustomCall(kUninitialized) && instruction.operand_count() == 0 &&
         instruction.shape().IsArray() && instruction.shape().is_static();
}

absl::StatusOr<Value> CustomCall(Frame& frame, const HloInstruction& instruction) {
  if (IsPlacement(instruction)) return frame.Take(0);
  if (IsTopK(instruction))
    return TopElements(frame.array(0), /*largest=*/true, instruction.shape());
  if (IsUninitialized(instruction)) return ZeroValue(instruction.shape());
  for (Operation function : {FindFactorization(instruction), FindPartialReduce(instruction),
                             FindGetRngSeed(instruction), FindSparseProduct(instruction)}) {
    if (function != nullptr) return function(frame, instruction);
  }
  if (frame.evaluator().options().custom_call_handler != nullptr)
    return CallHandler(frame, instruction);
  if (linalg::IsLapackTarget(instruction.custom_call_target()))
    return CallLapack(frame, instruction);
  return CallTarget(frame, instruction);
}

}  // namespace xla::eval
