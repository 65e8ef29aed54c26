#include "cpu/emit/scalar_function.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "codegen/program/plan.h"
#include "codegen/program/register_form.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/functions.h"
#include "cpu/emit/registers.h"
#include "ir/graph.h"
#include "llvm/IR/Function.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

absl::StatusOr<std::vector<Lanes>> ApplyToScalars(Builder& b, const HloComputation& computation,
                                                  absl::Span<const Lanes> arguments) {
  Elements elements(b, LaneCount(arguments[0]),
                    [&](Builder&, int, const HloInstruction& instruction, const Position&,
                        llvm::Value*) -> absl::StatusOr<Lanes> {
                      if (instruction.opcode() != HloOpcode::kParameter) return NoCode(instruction);
                      return arguments[instruction.parameter_number()];
                    });
  const HloInstruction& root = *computation.root_instruction();
  std::vector<Lanes> results;
  if (root.opcode() == HloOpcode::kTuple) {
    for (const HloInstruction* leaf : root.operands()) {
      HILO_ASSIGN_OR_RETURN(results.emplace_back(), elements.At(*leaf, {}, nullptr));
    }
  } else {
    HILO_ASSIGN_OR_RETURN(results.emplace_back(), elements.At(root, {}, nullptr));
  }
  return results;
}

// For one lane, with arrays in registers.
absl::StatusOr<std::vector<Lanes>> ApplyInRegisters(Builder& b, const HloComputation& computation,
                                                    absl::Span<const Lanes> arguments) {
  const absl::flat_hash_set<const HloInstruction*> needed =
      NeededFor({computation.root_instruction()});
  absl::flat_hash_map<const HloInstruction*, std::vector<Lanes>> values;
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    if (!needed.contains(instruction)) continue;
    std::vector<Lanes> value, operands;
    for (const HloInstruction* operand : instruction->operands()) {
      const std::vector<Lanes>& leaves = values.at(operand);
      operands.insert(operands.end(), leaves.begin(), leaves.end());
    }
    if (instruction->opcode() == HloOpcode::kParameter) {
      value = {arguments[instruction->parameter_number()]};
    } else if (instruction->opcode() == HloOpcode::kConstant) {
      value = {LiteralLanes(b, instruction->literal())};
    } else if (instruction->opcode() == HloOpcode::kGetTupleElement) {
      size_t first = 0;
      for (int i = 0; i < instruction->tuple_index(); ++i)
        first += program::ArrayLeaves(instruction->operand(0)->shape().tuple_shapes(i)).size();
      value.assign(operands.begin() + first,
                   operands.begin() + first + program::ArrayLeaves(instruction->shape()).size());
    } else if (program::IsAlias(*instruction)) {
      value = operands;
    } else {
      llvm::Value* memory = nullptr;
      if (const int64_t k = program::OperandInMemory(*instruction); k >= 0)
        memory = OnStack(b, instruction->operand(k)->shape(), operands[k]);
      HILO_ASSIGN_OR_RETURN(value.emplace_back(),
                            EmitInRegisters(b, *instruction, operands, memory));
    }
    values[instruction] = std::move(value);
  }
  return values.at(computation.root_instruction());
}

Lanes LaneOf(Builder& b, const Lanes& value, int lane) {
  const auto number = static_cast<uint64_t>(lane);
  return {b.CreateExtractElement(value.re, number),
          value.im == nullptr ? nullptr : b.CreateExtractElement(value.im, number)};
}

llvm::Value* WithLane(Builder& b, llvm::Value* all, llvm::Value* value, int lane, int lanes) {
  if (value == nullptr) return nullptr;
  if (all == nullptr) all = llvm::PoisonValue::get(WithLanes(value->getType(), lanes));
  return b.CreateInsertElement(all, value, static_cast<uint64_t>(lane));
}

}  // namespace

absl::StatusOr<std::vector<Lanes>> ApplyScalarFunction(Builder& b,
                                                       const HloComputation& computation,
                                                       absl::Span<const Lanes> arguments) {
  if (program::HasOnlyScalars(computation)) return ApplyToScalars(b, computation, arguments);
  const int lanes = LaneCount(arguments[0]);
  if (lanes == 1) return ApplyInRegisters(b, computation, arguments);
  std::vector<Lanes> results(program::ArrayLeaves(computation.root_instruction()->shape()).size());
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<Lanes> own;
    for (const Lanes& argument : arguments) own.push_back(LaneOf(b, argument, lane));
    HILO_ASSIGN_OR_RETURN(own, ApplyInRegisters(b, computation, own));
    for (size_t k = 0; k < results.size(); ++k) {
      results[k] = {WithLane(b, results[k].re, own[k].re, lane, lanes),
                    WithLane(b, results[k].im, own[k].im, lane, lanes)};
    }
  }
  return results;
}

}  // namespace xla::cpu
