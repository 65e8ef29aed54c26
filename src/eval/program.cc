#include "eval/program.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ir/op_info.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"

namespace xla::eval {

// Translates a computation; every function gives nothing when it finds what a program cannot hold.
class Program::Compiler {
 public:
  explicit Compiler(Program& program) : program_(program) {}

  // The registers with the leaves of the computation's result.
  std::optional<std::vector<int>> Translate(const HloComputation& computation,
                                            absl::Span<const std::vector<int>> arguments,
                                            int depth) {
    absl::flat_hash_map<const HloInstruction*, std::vector<int>> values;
    for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
      if (++instruction_count_ > kMaxInstructions) return std::nullopt;
      std::vector<std::vector<int>> operands;
      for (const HloInstruction* operand : instruction->operands())
        operands.push_back(values.at(operand));
      auto value = instruction->opcode() == HloOpcode::kParameter
                       ? std::optional(arguments[instruction->parameter_number()])
                       : TranslateInstruction(*instruction, operands, depth);
      if (!value.has_value()) return std::nullopt;
      values[instruction] = *std::move(value);
    }
    return values.at(computation.root_instruction());
  }

  int NewRegister() { return program_.register_count_++; }

 private:
  static constexpr int kMaxDepth = 16;
  static constexpr int kMaxInstructions = 4096;  // those of a called computation each time

  std::optional<std::vector<int>> TranslateInstruction(const HloInstruction& instruction,
                                                       absl::Span<const std::vector<int>> operands,
                                                       int depth) {
    switch (instruction.opcode()) {
      case HloOpcode::kTuple:
        return Concatenate(operands);
      case HloOpcode::kGetTupleElement:
        return TupleElement(instruction, operands[0]);
      case HloOpcode::kConstant:
        return TranslateConstant(instruction);
      case HloOpcode::kCall:
      case HloOpcode::kFusion:
        if (depth == kMaxDepth) return std::nullopt;
        return Translate(*instruction.called_computations()[0], operands, depth + 1);
      case HloOpcode::kBitcast:
      case HloOpcode::kBroadcast:
      case HloOpcode::kReshape:
      case HloOpcode::kTranspose:
        if (!IsScalar(instruction.shape()) || !SameType(instruction)) return std::nullopt;
        return operands[0];
      default:
        return TranslateElementwise(instruction, operands);
    }
  }

  static bool IsScalar(const Shape& shape) { return shape.IsArray() && shape.dimensions().empty(); }
  static bool SameType(const HloInstruction& instruction) {
    const Shape& operand = instruction.operand(0)->shape();
    return IsScalar(operand) && operand.element_type() == instruction.shape().element_type();
  }

  // Only tuples of scalars, so that a tuple's elements have one register each.
  static std::optional<std::vector<int>> Concatenate(absl::Span<const std::vector<int>> operands) {
    std::vector<int> registers;
    for (const std::vector<int>& operand : operands) {
      if (operand.size() != 1) return std::nullopt;
      registers.push_back(operand[0]);
    }
    return registers;
  }

  static std::optional<std::vector<int>> TupleElement(const HloInstruction& instruction,
                                                      const std::vector<int>& tuple) {
    if (!IsScalar(instruction.shape())) return std::nullopt;
    return std::vector<int>{tuple[instruction.tuple_index()]};
  }

  std::optional<std::vector<int>> TranslateConstant(const HloInstruction& instruction) {
    if (!IsScalar(instruction.shape())) return std::nullopt;
    Constant constant = {NewRegister(), &FormatOf(instruction.shape().element_type()), {}};
    std::memcpy(&constant.bytes, instruction.literal().untyped_data(), constant.format->bytes);
    program_.constants_.push_back(constant);
    return std::vector<int>{constant.target};
  }

  std::optional<std::vector<int>> TranslateElementwise(
      const HloInstruction& instruction, absl::Span<const std::vector<int>> operands) {
    if (!IsScalar(instruction.shape())) return std::nullopt;
    for (const HloInstruction* operand : instruction.operands()) {
      if (!IsScalar(operand->shape())) return std::nullopt;
    }
    const std::optional<ElementStep> element = FindElementStep(instruction);
    if (!element.has_value()) return std::nullopt;
    Step step = {*element, {0, 0, 0}, NewRegister(), instruction.opcode()};
    for (size_t i = 0; i < operands.size(); ++i) step.operands[i] = operands[i][0];
    program_.steps_.push_back(step);
    return std::vector<int>{step.result};
  }

  Program& program_;
  int instruction_count_ = 0;
};

std::unique_ptr<Program> Program::Compile(const HloComputation& computation) {
  auto program = std::unique_ptr<Program>(new Program());
  Compiler compiler(*program);
  std::vector<std::vector<int>> arguments;
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    if (!parameter->shape().IsArray() || !parameter->shape().dimensions().empty()) return nullptr;
    program->parameters_.push_back(&FormatOf(parameter->shape().element_type()));
    arguments.push_back({compiler.NewRegister()});
  }
  auto results = compiler.Translate(computation, arguments, 0);
  if (!results.has_value()) return nullptr;
  program->result_registers_ = *std::move(results);
  const Shape& shape = computation.root_instruction()->shape();
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes())
      program->results_.push_back(&FormatOf(element.element_type()));
  } else {
    program->results_.push_back(&FormatOf(shape.element_type()));
  }
  return program;
}

const Program::Step* Program::OnlyStep() const {
  if (steps_.size() != 1 || parameters_.size() != 2 || result_registers_.size() != 1 ||
      result_registers_[0] != steps_[0].result ||
      steps_[0].operands[0] + steps_[0].operands[1] != 1) {
    return nullptr;
  }
  return &steps_[0];
}

const ElementStep* Program::CommutativeStep() const {
  const Step* step = OnlyStep();
  return step != nullptr && HasTrait(step->opcode, kCommutative) ? &step->element : nullptr;
}

bool Program::IsSumOrProduct() const {
  const Step* step = OnlyStep();
  return step != nullptr &&
         (step->opcode == HloOpcode::kAdd || step->opcode == HloOpcode::kMultiply);
}

const ElementStep* Program::ComparisonStep() const {
  const Step* step = OnlyStep();
  return step != nullptr && step->opcode == HloOpcode::kCompare && step->operands[0] == 0
             ? &step->element
             : nullptr;
}

Program::Registers::Registers(const Program& program, int64_t lanes)
    : program_(program), memory_(program.register_count_ * lanes) {
  for (int i = 0; i < program.register_count_; ++i) registers_.push_back(&memory_[i * lanes]);
  for (const Constant& constant : program.constants_) {
    constant.format->load(reinterpret_cast<const char*>(&constant.bytes), 0, lanes,
                          registers_[constant.target]);
  }
}

void Program::Registers::Run(int64_t count) {
  for (const Step& step : program_.steps_) {
    const void* operands[] = {registers_[step.operands[0]], registers_[step.operands[1]],
                              registers_[step.operands[2]]};
    void* result = registers_[step.result];
    step.element.function(step.element.context, operands, result, count);
    step.element.context.result->round(result, count);
  }
}

}  // namespace xla::eval
