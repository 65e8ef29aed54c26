#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "codegen/loops/kernel.h"
#include "codegen/program/passes.h"
#include "codegen/program/register_form.h"
#include "eval/known_calls.h"
#include "passes/simplify/loop.h"
#include "passes/table.h"

namespace xla::program {
namespace {

using Kind = Step::Kind;

constexpr ProgramPass kPasses[] = {
    {"split-functions", SplitFunctions},
    {"alias-slices", AliasSlices},
    {"schedule-kernels", ScheduleKernels},
    {"block-loops", BlockLoops},
    {"overlap-collectives", OverlapCollectives},
    {"alias-updates", AliasUpdates},
    {"choose-registers", ChooseRegisters},
    {"assign-buffers", AssignBuffers},
    {"order-copies", OrderCopies},
    {"stream-results", StreamResults},
    {"mark-regions", MarkRegions},
    {"join-launches", JoinLaunches},
    {"mark-cold-code", MarkColdCode},
};

size_t CountLeaves(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() ? 1 : 0;
  size_t count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += CountLeaves(element);
  return count;
}

// Which leaf of the tuple a get-tuple-element begins with.
size_t FirstLeaf(const HloInstruction& element) {
  const Shape& tuple = element.operand(0)->shape();
  size_t first = 0;
  for (int64_t i = 0; i < element.tuple_index(); ++i)
    first += CountLeaves(tuple.tuple_shapes(static_cast<int>(i)));
  return first;
}

// Which leaf of the parameter of its computation a leaf of a value is, or -1.
int64_t LeafOfParameter(const HloInstruction& of, size_t leaf) {
  const HloInstruction* value = &of;
  while (true) {
    switch (value->opcode()) {
      case HloOpcode::kParameter:
        return static_cast<int64_t>(leaf);
      case HloOpcode::kGetTupleElement:
        leaf += FirstLeaf(*value);
        value = value->operand(0);
        break;
      case HloOpcode::kTuple: {
        int64_t i = 0;
        for (; CountLeaves(value->operand(i)->shape()) <= leaf; ++i)
          leaf -= CountLeaves(value->operand(i)->shape());
        value = value->operand(i);
        break;
      }
      default:
        return -1;
    }
  }
}

// The number of the operand whose memory a leaf of the instruction's result should take over, or
// -1. An operand that is updated is an array.
int64_t UpdatedOperand(const HloInstruction& instruction, int64_t leaf) {
  switch (instruction.opcode()) {
    case HloOpcode::kCholesky:
    case HloOpcode::kDynamicUpdateSlice:
      return 0;
    case HloOpcode::kTriangularSolve:
      return 1;
    case HloOpcode::kFusion: {
      const HloInstruction& root =
          *instruction.fused_instructions_computation()->root_instruction();
      const bool is_updated =
          IsUpdatedInPlace(root, leaf) && root.operand(leaf)->opcode() == HloOpcode::kParameter;
      return is_updated ? root.operand(leaf)->parameter_number() : -1;
    }
    default:
      return -1;
  }
}

Kind KindOf(const HloInstruction& instruction) {
  if (HasRegisterForm(instruction)) return Kind::kCompute;
  switch (instruction.opcode()) {
    case HloOpcode::kFusion:  // a library kernel calls what is done with blocks of a product
      return loops::ProductIn(*instruction.fused_instructions_computation()) == nullptr
                 ? Kind::kLaunch
                 : Kind::kCall;
    case HloOpcode::kDynamicUpdateSlice:
      return Kind::kUpdate;
    case HloOpcode::kWhile:
      return Kind::kWhile;
    case HloOpcode::kConditional:
      return Kind::kConditional;
    default:
      return Kind::kCall;
  }
}

class Lowering {
 public:
  Lowering(const HloModule& module, const codegen::Target& target) {
    plan_.module = &module;
    plan_.target = &target;
  }

  Plan Run() {
    const HloComputation& entry = *plan_.module->entry_computation();
    for (const HloInstruction* parameter : entry.parameter_instructions()) {
      leaves_[parameter] = NewArrays(*parameter);
      for (int array : leaves_[parameter]) {
        plan_.arrays[array].slot = {Place::kParameter,
                                    static_cast<int64_t>(plan_.parameters.size())};
        plan_.parameters.push_back(array);
      }
    }
    plan_.entry = LowerComputation(entry);
    plan_.results = LeavesOf(*entry.root_instruction());
    for (size_t i = 0; i < plan_.results.size(); ++i) {
      Step step = {Kind::kReturn, entry.root_instruction(), {plan_.results[i]}};
      step.result = static_cast<int64_t>(i);
      plan_.entry.steps.push_back(std::move(step));
    }
    return std::move(plan_);
  }

 private:
  const std::vector<int>& LeavesOf(const HloInstruction& value) const { return leaves_.at(&value); }

  int NewArray(const Shape& shape, const HloInstruction& definition, size_t leaf) {
    plan_.arrays.push_back({shape, &definition, static_cast<int>(leaf)});
    return static_cast<int>(plan_.arrays.size()) - 1;
  }
  std::vector<int> NewArrays(const HloInstruction& definition) {
    std::vector<int> arrays;
    for (const Shape& leaf : ArrayLeaves(definition.shape()))
      arrays.push_back(NewArray(leaf, definition, arrays.size()));
    return arrays;
  }

  Block LowerComputation(const HloComputation& computation) {
    Block block = {&computation};
    for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
      if (instruction->opcode() == HloOpcode::kParameter) continue;  // set by the caller
      leaves_[instruction] =
          IsAlias(*instruction) ? Renamed(*instruction) : Defined(*instruction, block.steps);
    }
    return block;
  }

  std::vector<int> Renamed(const HloInstruction& instruction) const {
    if (instruction.opcode() == HloOpcode::kAfterAll) return {};
    if (instruction.opcode() == HloOpcode::kGetTupleElement) {
      const auto first =
          LeavesOf(*instruction.operand(0)).begin() + static_cast<int64_t>(FirstLeaf(instruction));
      return {first, first + static_cast<int64_t>(CountLeaves(instruction.shape()))};
    }
    if (instruction.opcode() != HloOpcode::kTuple) return LeavesOf(*instruction.operand(0));
    return LeavesOf(instruction.operands());
  }

  std::vector<int> LeavesOf(const HloInstruction::InstructionVector& values) const {
    std::vector<int> all;
    for (const HloInstruction* value : values)
      all.insert(all.end(), LeavesOf(*value).begin(), LeavesOf(*value).end());
    return all;
  }

  std::vector<int> Defined(const HloInstruction& instruction, std::vector<Step>& steps) {
    if (instruction.opcode() == HloOpcode::kConstant) {
      const std::vector<int> arrays = NewArrays(instruction);
      plan_.arrays[arrays[0]].slot = {Place::kConstant,
                                      static_cast<int64_t>(plan_.constants.size())};
      plan_.constants.push_back(&instruction);
      return arrays;
    }
    if (eval::IsUninitialized(instruction)) {
      const std::vector<int> arrays = NewArrays(instruction);
      plan_.arrays[arrays[0]].in_memory = false;
      return arrays;
    }
    Step step = {KindOf(instruction), &instruction, LeavesOf(instruction.operands())};
    if (step.kind == Kind::kWhile) {
      LowerWhile(step);
    } else if (step.kind == Kind::kConditional) {
      LowerConditional(step);
    } else {
      step.writes = NewArrays(instruction);
      if (step.kind == Kind::kCompute)
        step.memory_operand = static_cast<int>(OperandInMemory(instruction));
      else
        AddUpdates(step);
    }
    const std::vector<int> results = step.writes;
    if (instruction.opcode() != HloOpcode::kFusion || !HasNoElements(instruction))
      steps.push_back(std::move(step));
    return results;
  }

  void AddUpdates(Step& step) const {
    for (size_t leaf = 0; leaf < step.writes.size(); ++leaf) {
      const int64_t operand = UpdatedOperand(*step.instruction, static_cast<int64_t>(leaf));
      if (operand >= 0)
        step.assignments.push_back(
            {step.writes[leaf], LeavesOf(*step.instruction->operand(operand))[0]});
    }
  }

  void LowerWhile(Step& step) {
    const HloInstruction& loop = *step.instruction;
    const HloInstruction& next_state = *loop.while_body()->root_instruction();
    for (size_t i = 0; i < step.reads.size(); ++i) {
      const int initial = step.reads[i];
      const Shape shape = plan_.arrays[initial].shape;
      if (!FitsRegisters(shape) && LeafOfParameter(next_state, i) == static_cast<int64_t>(i)) {
        step.writes.push_back(initial);
        continue;
      }
      step.writes.push_back(NewArray(shape, loop, i));
      if (eval::IsUninitialized(*plan_.arrays[initial].definition)) {
        step.reads[i] = step.writes[i];
        step.uninitialized.push_back(step.writes[i]);
      } else {
        step.assignments.push_back({step.writes[i], initial});
      }
    }
    leaves_[loop.while_condition()->parameter_instruction(0)] = step.writes;
    leaves_[loop.while_body()->parameter_instruction(0)] = step.writes;
    if (const auto counted = passes::Loop::Of(loop); counted.has_value())
      step.trips = passes::CountStepsUp(*counted);
    step.blocks.push_back(LowerComputation(*loop.while_condition()));
    step.condition = LeavesOf(*loop.while_condition()->root_instruction())[0];
    step.blocks.push_back(LowerComputation(*loop.while_body()));
    const std::vector<int>& next = LeavesOf(next_state);
    Block& body = step.blocks[1];
    for (size_t i = 0; i < next.size(); ++i) {
      if (next[i] != step.writes[i]) body.assignments.push_back({step.writes[i], next[i]});
    }
    if (!body.assignments.empty() || loop.HasSideEffect()) return;
    // Nothing changes: such a loop never begins, or never ends.
    step.kind = Kind::kAssign;
    step.blocks.clear();
  }

  void LowerConditional(Step& step) {
    const HloInstruction& conditional = *step.instruction;
    step.condition = step.reads[0];
    std::vector<const std::vector<int>*> values;  // of each branch
    for (int i = 0; i < conditional.branch_count(); ++i) {
      const HloComputation& branch = *conditional.branch_computation(i);
      std::vector<int> argument = LeavesOf(*conditional.operand(i + 1));
      leaves_[branch.parameter_instruction(0)] = std::move(argument);
      step.blocks.push_back(LowerComputation(branch));
    }
    for (const Block& block : step.blocks)
      values.push_back(&LeavesOf(*block.computation->root_instruction()));
    const std::vector<Shape> leaves = ArrayLeaves(conditional.shape());
    for (size_t i = 0; i < leaves.size(); ++i) {
      const int first = (*values[0])[i];
      if (!FitsRegisters(leaves[i]) &&
          absl::c_all_of(values, [&](const auto* own) { return (*own)[i] == first; })) {
        step.writes.push_back(first);
        continue;
      }
      step.writes.push_back(NewArray(leaves[i], conditional, i));
      for (size_t b = 0; b < values.size(); ++b)
        step.blocks[b].assignments.push_back({step.writes[i], (*values[b])[i]});
    }
  }

  Plan plan_;
  absl::flat_hash_map<const HloInstruction*, std::vector<int>> leaves_;
};

}  // namespace

absl::Span<const ProgramPass> ProgramPasses() { return kPasses; }

Plan Lower(const HloModule& module, const codegen::Target& target) {
  return Lowering(module, target).Run();
}

absl::StatusOr<Plan> MakePlan(const HloModule& module, const codegen::Target& target,
                              absl::string_view last) {
  Plan plan = Lower(module, target);
  plan.last_pass = last;
  if (last == "steps") return plan;
  for (const ProgramPass& pass : kPasses) {
    HILO_RETURN_IF_ERROR(pass.run(plan));
    if (pass.name == last) return plan;
  }
  if (passes::PassOptions::VerifiesByDefault()) HILO_RETURN_IF_ERROR(Verify(plan));
  return plan;
}

}  // namespace xla::program
