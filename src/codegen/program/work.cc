#include "codegen/program/work.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/loops/kernel.h"
#include "codegen/program/in_place.h"
#include "passes/cost.h"
#include "passes/work.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::program {
namespace {

using runtime::Work;
using Kind = Step::Kind;

double Elements(const Shape& shape) {
  double count = 0;
  for (const Shape& leaf : ArrayLeaves(shape))
    count += static_cast<double>(ShapeUtil::ElementsIn(leaf));
  return count;
}

double BytesOf(double elements, const Shape& array) {
  return elements * primitive_util::ByteWidth(array.element_type());
}

// Vectors have half as many elements of 64 bits.
double AdditionsPerOperation(const HloInstruction& instruction) {
  const std::vector<Shape> leaves = ArrayLeaves(instruction.shape());
  return !leaves.empty() && primitive_util::BitWidth(leaves[0].element_type()) == 64 ? 2 : 1;
}

// How often an instruction applies a computation that it calls.
double Applications(const HloInstruction& instruction, size_t callee) {
  if (loops::IsScan(instruction)) return Elements(ArrayLeaves(instruction.shape())[0]);
  return passes::Applications(instruction, callee);
}

// Of an instruction, what is fused in it left out.
Work Arithmetic(const HloInstruction& instruction) {
  const passes::Operations own = passes::OwnOperations(instruction);
  const double each = passes::AdditionsOfElement(instruction);
  const double width = AdditionsPerOperation(instruction);
  Work work;
  if (loops::IsProduct(instruction)) {
    work.additions = own.flops / 2 * width;  // as multiply-adds
  } else if (each > 0 && instruction.opcode() != HloOpcode::kParameter) {
    work.additions = each * Elements(instruction.shape());
  } else {
    work.additions = (own.flops + own.transcendentals) * width;
  }
  work.flops = own.flops + own.transcendentals * std::max(1.0, each / width);
  if (instruction.opcode() == HloOpcode::kFusion) return work;
  const auto& callees = instruction.called_computations();
  for (size_t i = 0; i < callees.size(); ++i) {
    const double times = Applications(instruction, i);
    if (times == 0) continue;
    for (const HloInstruction* each_applied : callees[i]->instructions())
      work += times * Arithmetic(*each_applied);
  }
  return work;
}

// How many elements of each instruction of a kernel somebody needs.
class NeededElements {
 public:
  explicit NeededElements(const HloComputation& fused) {
    for (const HloInstruction* result : loops::ResultsOf(fused))
      Need(*result, Elements(loops::ComputedShape(*result)));
    const std::vector<HloInstruction*> order = fused.MakeInstructionPostOrder();
    for (auto at = order.rbegin(); at != order.rend(); ++at) NeedOperands(**at);
  }

  double Of(const HloInstruction& instruction) const {
    const auto found = needed_.find(&instruction);
    return found == needed_.end() ? 0 : found->second;
  }

 private:
  void Need(const HloInstruction& instruction, double elements) {
    double& needed = needed_[&instruction];
    needed = std::min(Elements(instruction.shape()), needed + elements);
  }

  void NeedOperands(const HloInstruction& user) {
    const double needed = Of(user);
    if (needed == 0 || user.opcode() == HloOpcode::kTuple) return;
    for (int64_t i = 0; i < user.operand_count(); ++i)
      Need(*user.operand(i), OfOperand(user, i, needed));
  }

  static double OfOperand(const HloInstruction& user, int64_t i, double needed) {
    const double all = Elements(user.operand(i)->shape());
    switch (user.opcode()) {
      case HloOpcode::kSlice:
      case HloOpcode::kDynamicSlice:
      case HloOpcode::kGather:
        return i == 0 ? needed : all;
      case HloOpcode::kDynamicUpdateSlice:
        if (i != 0) return all;
        return needed < Elements(user.shape()) ? 0 : all;
      case HloOpcode::kScatter:
        return i < user.operand_count() / 2 ? needed : all;
      case HloOpcode::kConcatenate:
      case HloOpcode::kPad:
        return all * needed / Elements(user.shape());
      default:
        break;
    }
    const bool is_one_to_one =
        user.IsElementwise() || user.opcode() == HloOpcode::kReshape ||
        user.opcode() == HloOpcode::kTranspose || user.opcode() == HloOpcode::kReverse ||
        user.opcode() == HloOpcode::kBitcast || user.opcode() == HloOpcode::kGetTupleElement;
    return is_one_to_one ? needed : all;
  }

  absl::flat_hash_map<const HloInstruction*, double> needed_;
};

Work WorkOfKernel(const HloComputation& fused) {
  const NeededElements needed(fused);
  Work work;
  for (const HloInstruction* each : fused.instructions()) {
    const double elements = Elements(each->shape());
    if (each->opcode() == HloOpcode::kParameter) {
      work.bytes += BytesOf(needed.Of(*each), each->shape());
    } else if (elements > 0) {
      work += needed.Of(*each) / elements * Arithmetic(*each);
    }
  }
  for (const HloInstruction* result : loops::ResultsOf(fused)) {
    for (const Shape& leaf : ArrayLeaves(loops::ComputedShape(*result)))
      work.bytes += BytesOf(Elements(leaf), leaf);
  }
  return work;
}

Work WorkOfCall(const Plan& plan, const Step& call) {
  Work work = Arithmetic(*call.instruction);
  for (int result : call.writes) work.bytes += static_cast<double>(plan.arrays[result].bytes());
  const std::vector<bool> is_joined = JoinedInPlace(plan, call);
  for (size_t i = 0; i < call.reads.size(); ++i) {
    const double bytes = static_cast<double>(plan.arrays[call.reads[i]].bytes());
    if (is_joined[i]) {
      work.bytes -= bytes;
    } else if (call.instruction->opcode() == HloOpcode::kGather && i == 0) {
      work.bytes += std::min(bytes, static_cast<double>(plan.arrays[call.writes[0]].bytes()));
    } else {
      work.bytes += bytes;
    }
  }
  return work;
}

}  // namespace

Work WorkOf(const Plan& plan, const Step& step) {
  const auto bytes = [&](int array) { return static_cast<double>(plan.arrays[array].bytes()); };
  switch (step.kind) {
    case Kind::kCompute: {
      Work work = Arithmetic(*step.instruction);
      if (step.memory_operand < 0) return work;
      const double all = bytes(step.reads[step.memory_operand]);
      work.bytes = step.instruction->opcode() == HloOpcode::kDynamicSlice
                       ? std::min(all, bytes(step.writes[0]))
                       : all;
      return work;
    }
    case Kind::kLaunch:
      return WorkOfKernel(*step.instruction->fused_instructions_computation());
    case Kind::kCall:
      return step.instruction->opcode() == HloOpcode::kFusion
                 ? WorkOfKernel(*step.instruction->fused_instructions_computation())
                 : WorkOfCall(plan, step);
    case Kind::kUpdate:
      return {2 * bytes(step.reads[1])};
    case Kind::kReturn:
      return {(plan.arrays[step.reads[0]].in_register ? 1 : 2) * bytes(step.reads[0])};
    case Kind::kAssign:
    case Kind::kAwait:
    case Kind::kSlice:
    case Kind::kWhile:
    case Kind::kConditional:
    case Kind::kFunction:
    case Kind::kRepeat:
      break;
  }
  return {};
}

Work WorkOf(const Plan& plan, const Copies& copies) {
  Work work;
  for (const std::vector<Assignment>& group : copies) {
    for (const Assignment& each : group)
      work.bytes += 2 * static_cast<double>(plan.arrays[each.to].bytes());
  }
  return work;
}

}  // namespace xla::program
