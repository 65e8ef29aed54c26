#include "xla/hlo/evaluator/hlo_evaluator.h"

#include <atomic>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "eval/buffers.h"
#include "eval/evaluator.h"
#include "eval/exhaustion.h"
#include "eval/frame.h"
#include "eval/value.h"
#include "ir/dimension_numbers.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "ir/shape_rules.h"
#include "runtime/devices.h"
#include "runtime/mailboxes.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::Status CheckArguments(const HloComputation& computation,
                            absl::Span<const Literal* const> arguments) {
  if (static_cast<int64_t>(arguments.size()) != computation.num_parameters()) {
    return InvalidArgument("Computation %s takes %d arguments, not %d", computation.name(),
                           computation.num_parameters(), arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& expected = computation.parameter_instruction(i)->shape();
    const Shape& given = arguments[i]->shape();
    if (!ShapeUtil::Compatible(expected, given) &&
        !ShapeUtil::DynamicShapeIsCompatible(given, expected)) {
      return InvalidArgument("Argument %d of computation %s must have shape %s, not %s", i,
                             computation.name(), ShapeUtil::HumanString(expected),
                             ShapeUtil::HumanString(given));
    }
    if (!arguments[i]->IsKnown()) {
      return InvalidArgument("Argument %d of computation %s has no value", i, computation.name());
    }
  }
  return absl::OkStatus();
}

// An argument with fewer elements than a dynamic parameter has room for gets the parameter's
// bounds.
eval::Value ToValue(const Literal& argument, const Shape& parameter) {
  if (parameter.is_unbounded_dynamic() || ShapeUtil::Compatible(argument.shape(), parameter))
    return eval::Value::Borrow(argument);
  return eval::Value::FromLiteral(argument.ToBoundedDynamic(parameter));
}

absl::StatusOr<Literal> EvaluateComputation(eval::Options options,
                                            const HloComputation& computation,
                                            absl::Span<const Literal* const> arguments,
                                            const Shape& result_shape) {
  HILO_RETURN_IF_ERROR(CheckArguments(computation, arguments));
  return eval::CatchExhaustion([&]() -> absl::StatusOr<Literal> {
    std::vector<eval::Value> values;
    for (size_t i = 0; i < arguments.size(); ++i)
      values.push_back(ToValue(*arguments[i], computation.parameter_instruction(i)->shape()));
    eval::Evaluator evaluator(std::move(options));
    HILO_ASSIGN_OR_RETURN(eval::Value result, evaluator.Call(computation, std::move(values)));
    HILO_RETURN_IF_ERROR(evaluator.transfers().WaitForReceivers());
    return std::move(result).ToLiteral(result_shape);
  });
}

// A count of 1 in the configuration means that it is not known.
absl::Status CheckDevices(const HloModule& module, size_t argument_lists, int64_t replicas,
                          int64_t partitions) {
  constexpr int64_t kMax = HloEvaluator::kMaxDevices;
  if (replicas < 1 || partitions < 1 || replicas > kMax || partitions > kMax / replicas) {
    return InvalidArgument("Module %s cannot run on %d replicas of %d partitions", module.name(),
                           replicas, partitions);
  }
  if (static_cast<int64_t>(argument_lists) != replicas * partitions) {
    return InvalidArgument("Arguments for %d devices were given, but there are %d", argument_lists,
                           replicas * partitions);
  }
  const int64_t wanted_replicas = module.config().replica_count();
  const int64_t wanted_partitions = module.config().num_partitions();
  if ((wanted_replicas > 1 && wanted_replicas != replicas) ||
      (wanted_partitions > 1 && wanted_partitions != partitions)) {
    return InvalidArgument("Module %s is for %d replicas of %d partitions, not for %d of %d",
                           module.name(), wanted_replicas, wanted_partitions, replicas, partitions);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> eval::EvaluateModule(Options options, const HloModule& module,
                                             absl::Span<const Literal* const> args) {
  if (!module.has_entry_computation())
    return InvalidArgument("Module %s has no entry computation", module.name());
  const Shape& result = module.config().has_entry_computation_layout()
                            ? module.entry_computation_layout().result_shape()
                            : module.result_shape();
  return EvaluateComputation(std::move(options), *module.entry_computation(), args, result);
}

HloEvaluator::HloEvaluator(int64_t max_loop_iterations)
    : max_loop_iterations_(max_loop_iterations) {}
HloEvaluator::~HloEvaluator() = default;

std::unique_ptr<HloEvaluator> HloEvaluator::CreateEmbedded(int64_t max_loop_iterations) {
  auto evaluator = std::make_unique<HloEvaluator>(max_loop_iterations);
  evaluator->set_custom_call_handler(custom_call_handler_);
  return evaluator;
}

eval::Options HloEvaluator::MakeOptions() const {
  eval::Options options;
  options.max_loop_iterations = max_loop_iterations_;
  options.random_seed = random_seed_;
  options.custom_call_handler = custom_call_handler_;
  options.trace_mac_handler = trace_mac_handler_;
  options.mailboxes = mailboxes_;
  options.typed_calls = typed_calls_;
  if (ffi_setting_ != nullptr) options.ffi = *ffi_setting_;
  return options;
}

std::vector<const Literal*> HloEvaluator::Pointers(absl::Span<const Literal> literals) {
  std::vector<const Literal*> pointers;
  for (const Literal& literal : literals) pointers.push_back(&literal);
  return pointers;
}

absl::StatusOr<Literal> HloEvaluator::Evaluate(const HloModule& module,
                                               absl::Span<const Literal* const> args) {
  return eval::EvaluateModule(MakeOptions(), module, args);
}

absl::StatusOr<std::vector<Literal>> HloEvaluator::EvaluateReplicated(
    const HloModule& module, absl::Span<const std::vector<const Literal*>> args, int64_t replicas,
    int64_t partitions) {
  HILO_RETURN_IF_ERROR(CheckDevices(module, args.size(), replicas, partitions));
  return runtime::RunOnDevices(replicas, partitions, mailboxes_,
                               [&](const runtime::Device& device, const std::atomic<bool>& stop) {
                                 eval::Options options = MakeOptions();
                                 options.device = device;
                                 options.ffi.device_ordinal = static_cast<int32_t>(device.id);
                                 options.stop = &stop;
                                 return eval::EvaluateModule(std::move(options), module,
                                                             args[device.id]);
                               });
}

absl::StatusOr<Literal> HloEvaluator::Evaluate(const HloComputation& computation,
                                               absl::Span<const Literal* const> args) {
  return EvaluateComputation(MakeOptions(), computation, args,
                             computation.root_instruction()->shape());
}

namespace {

// The call that a computation is for, if it is a plain call and the only one in the module.
const HloInstruction* OnlyCallOf(const HloComputation& computation) {
  if (computation.parent() == nullptr) return nullptr;
  const HloInstruction* only = nullptr;
  for (const HloComputation* caller : computation.parent()->computations()) {
    for (const HloInstruction* instruction : caller->instructions()) {
      if (!absl::c_linear_search(instruction->called_computations(), &computation)) continue;
      if (only != nullptr || instruction->opcode() != HloOpcode::kCall) return nullptr;
      only = instruction;
    }
  }
  return only;
}

// An instruction with the same value, which can be known where the operands are not: an element
// that a tuple was made of, what the only call of a computation gives to its parameter. Null for
// others.
const HloInstruction* SameValue(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kGetTupleElement &&
      instruction.operand(0)->opcode() == HloOpcode::kTuple) {
    return instruction.operand(0)->operand(instruction.tuple_index());
  }
  if (instruction.opcode() != HloOpcode::kParameter || instruction.parent() == nullptr) {
    return nullptr;
  }
  const HloInstruction* call = OnlyCallOf(*instruction.parent());
  return call == nullptr ? nullptr : call->operand(instruction.parameter_number());
}

}  // namespace

absl::StatusOr<Literal> HloEvaluator::Evaluate(
    const HloInstruction* instruction, PrecomputedAnalyses,
    bool recursively_evaluate_nonconstant_operands,
    const absl::flat_hash_map<const HloInstruction*, const LiteralBase*>& substitutions) {
  return eval::CatchExhaustion([&]() -> absl::StatusOr<Literal> {
    eval::Evaluator evaluator(MakeOptions());
    absl::flat_hash_map<const HloInstruction*, eval::Value> values;
    for (const auto& [known, literal] : substitutions)
      values[known] = eval::Value::FromLiteral(literal->Clone());
    std::vector<const HloInstruction*> waiting = {instruction};
    while (!waiting.empty()) {
      const HloInstruction* next = waiting.back();
      if (values.contains(next)) {
        waiting.pop_back();
        continue;
      }
      const HloInstruction* same =
          recursively_evaluate_nonconstant_operands ? SameValue(*next) : nullptr;
      if (same != nullptr) {
        const auto found = values.find(same);
        if (found == values.end()) {
          waiting.push_back(same);
        } else {
          eval::Value value = found->second;
          values[next] = std::move(value);
        }
        continue;
      }
      if (next->opcode() == HloOpcode::kParameter) {
        return InvalidArgument("The value of %s is not known: it depends on parameter %s",
                               instruction->name(), next->name());
      }
      if (next != instruction && !next->IsConstant() &&
          !recursively_evaluate_nonconstant_operands) {
        return InvalidArgument("The value of %s is not known: operand %s is no constant",
                               instruction->name(), next->name());
      }
      const size_t count = waiting.size();
      for (const HloInstruction* operand : next->operands()) {
        if (!values.contains(operand)) waiting.push_back(operand);
      }
      if (waiting.size() != count) continue;
      std::vector<eval::Value> operands;
      for (const HloInstruction* operand : next->operands()) operands.push_back(values[operand]);
      HILO_ASSIGN_OR_RETURN(eval::Value value, evaluator.Evaluate(*next, absl::MakeSpan(operands)));
      values[next] = std::move(value);
      waiting.pop_back();
    }
    return eval::Value(values[instruction]).ToLiteral(instruction->shape());
  });
}

bool HloEvaluator::TryEvaluate(const HloInstruction* instruction, Literal* result,
                               bool recursively_evaluate_nonconstant_operands) {
  absl::StatusOr<Literal> value =
      Evaluate(instruction, {}, recursively_evaluate_nonconstant_operands);
  if (!value.ok()) return false;
  *result = *std::move(value);
  return true;
}

namespace {

// Parameters with the shapes of literals.
std::vector<HloInstruction*> AddParameters(HloComputation::Builder& builder,
                                           absl::Span<const Literal* const> literals) {
  std::vector<HloInstruction*> parameters;
  for (const Literal* literal : literals) {
    const int64_t number = static_cast<int64_t>(parameters.size());
    parameters.push_back(builder.AddInstruction(HloInstruction::CreateParameter(
        number, literal->shape(), absl::StrCat("operand", number))));
  }
  return parameters;
}

// The shape that the operation's rule gives.
absl::StatusOr<std::unique_ptr<HloInstruction>> MakeInstruction(
    HloOpcode opcode, absl::Span<HloInstruction* const> operands,
    std::unique_ptr<Attributes> attributes = nullptr) {
  if (attributes == nullptr) attributes = GetOpInfo(opcode).make_attributes();
  std::vector<const Shape*> shapes;
  for (const HloInstruction* operand : operands) shapes.push_back(&operand->shape());
  HILO_ASSIGN_OR_RETURN(Shape shape, InferShape({opcode, shapes, attributes.get(), {}}));
  return HloInstruction::Create(opcode, std::move(shape), operands, std::move(attributes));
}

}  // namespace

absl::StatusOr<Literal> HloEvaluator::EvaluateOperation(HloOpcode opcode,
                                                        std::unique_ptr<Attributes> attributes,
                                                        absl::Span<const Literal* const> operands) {
  HloComputation::Builder builder("operation");
  const std::vector<HloInstruction*> parameters = AddParameters(builder, operands);
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloInstruction> operation,
                        MakeInstruction(opcode, parameters, std::move(attributes)));
  builder.AddInstruction(std::move(operation));
  return Evaluate(*builder.Build(), operands);
}

absl::StatusOr<Literal> HloEvaluator::EvaluateElementwiseUnaryOp(HloOpcode opcode,
                                                                 const Literal& operand) {
  return EvaluateOperation(opcode, nullptr, {&operand});
}

absl::StatusOr<Literal> HloEvaluator::EvaluateElementwiseBinaryOp(HloOpcode opcode,
                                                                  const Literal& lhs,
                                                                  const Literal& rhs) {
  return EvaluateOperation(opcode, nullptr, {&lhs, &rhs});
}

absl::StatusOr<Literal> HloEvaluator::EvaluateElementwiseTernaryOp(HloOpcode opcode,
                                                                   const Literal& lhs,
                                                                   const Literal& rhs,
                                                                   const Literal& ehs) {
  return EvaluateOperation(opcode, nullptr, {&lhs, &rhs, &ehs});
}

absl::StatusOr<Literal> HloEvaluator::EvaluateElementwiseCompareOp(ComparisonDirection direction,
                                                                   const Literal& lhs,
                                                                   const Literal& rhs) {
  auto attributes = std::make_unique<CompareAttributes>();
  attributes->direction = static_cast<int>(direction);
  return EvaluateOperation(HloOpcode::kCompare, std::move(attributes), {&lhs, &rhs});
}

namespace {

std::unique_ptr<DotAttributes> MakeDotAttributes(const DotDimensionNumbers& numbers,
                                                 const PrecisionConfig& precision) {
  auto attributes = std::make_unique<DotAttributes>();
  SetDimensions(numbers, *attributes);
  attributes->precision = precision;
  return attributes;
}

}  // namespace

absl::StatusOr<Literal> HloEvaluator::EvaluateDotOp(const DotDimensionNumbers& dim_numbers,
                                                    const PrecisionConfig& precision_config,
                                                    const Literal& lhs, const Literal& rhs) {
  return EvaluateOperation(HloOpcode::kDot, MakeDotAttributes(dim_numbers, precision_config),
                           {&lhs, &rhs});
}

absl::StatusOr<Literal> HloEvaluator::EvaluateScaledDotOp(const DotDimensionNumbers& dim_numbers,
                                                          const PrecisionConfig& precision_config,
                                                          const Literal& lhs, const Literal& rhs,
                                                          const Literal& lhs_scale,
                                                          const Literal& rhs_scale) {
  return EvaluateOperation(HloOpcode::kScaledDot, MakeDotAttributes(dim_numbers, precision_config),
                           {&lhs, &rhs, &lhs_scale, &rhs_scale});
}

bool HloEvaluator::IsOpcodeImplemented(HloOpcode) { return true; }

}  // namespace xla
