#include "ir/async.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// What stands in the places of contexts, which nobody reads.
HloInstruction* Zeros(GraphBuilder& builder, const Shape& shape) {
  if (shape.IsToken()) return builder.Add(HloInstruction::CreateToken());
  if (!shape.IsTuple()) return builder.Constant(Literal::CreateFromShape(shape));
  std::vector<HloInstruction*> parts;
  for (const Shape& part : shape.tuple_shapes()) parts.push_back(Zeros(builder, part));
  return builder.Tuple(parts);
}

// `parts`, and zeros for the rest of a tuple of the shape.
HloInstruction* FillTuple(GraphBuilder& builder, std::vector<HloInstruction*> parts,
                          const Shape& shape) {
  for (int i = static_cast<int>(parts.size()); i < shape.tuple_shapes_size(); ++i)
    parts.push_back(Zeros(builder, shape.tuple_shapes(i)));
  return builder.Tuple(parts);
}

// The operation that a start begins, as one that is done at once.
HloInstruction* AddCollective(GraphBuilder& builder, const HloInstruction& start, HloOpcode opcode,
                              const Shape& shape) {
  const std::vector<HloComputation*> callees(start.called_computations().begin(),
                                             start.called_computations().end());
  return builder.Add(
      HloInstruction::Create(opcode, shape, start.operands(), start.attributes().Clone(), callees));
}

// (operand or (operands...), result, contexts...)
HloInstruction* BeginCollective(GraphBuilder& builder, const HloInstruction& start,
                                HloOpcode opcode) {
  HloInstruction* result = AddCollective(builder, start, opcode, start.shape().tuple_shapes(1));
  // What is permuted slice by slice has operands of other kinds behind the first.
  const bool is_first_only =
      opcode == HloOpcode::kCollectivePermute &&
      !start.attributes_as<CollectivePermuteAttributes>().slice_sizes.empty();
  HloInstruction* sent = start.operand_count() == 1 || is_first_only
                             ? start.operands()[0]
                             : builder.Tuple(start.operands());
  // What is declared in its place may be another kind of array.
  const Shape& declared = start.shape().tuple_shapes(0);
  if (!ShapeUtil::Compatible(sent->shape(), declared)) sent = Zeros(builder, declared);
  return FillTuple(builder, {sent, result}, start.shape());
}

// The operands that a context has.
std::vector<HloInstruction*> Operands(GraphBuilder& builder, HloInstruction* context) {
  HloInstruction* tuple = builder.Part(context, 0);
  std::vector<HloInstruction*> operands;
  for (int i = 0; i < tuple->shape().tuple_shapes_size(); ++i)
    operands.push_back(builder.Part(tuple, i));
  return operands;
}

// It runs where it is called.
void MoveToThread(HloComputation& computation, absl::string_view thread) {
  if (computation.execution_thread() == thread) return;
  computation.SetExecutionThread(thread);
  for (const HloInstruction* instruction : computation.instructions()) {
    for (HloComputation* callee : instruction->called_computations()) MoveToThread(*callee, thread);
  }
}

HloInstruction* CallWrapped(GraphBuilder& builder, HloComputation* wrapped,
                            const std::vector<HloInstruction*>& operands) {
  HloInstruction* call = builder.Add(
      HloInstruction::CreateCall(wrapped->root_instruction()->shape(), operands, wrapped));
  MoveToThread(*wrapped, call->parent()->execution_thread());
  return call;
}

// ((operands...), result, contexts...), where all operands are known with the result.
HloInstruction* Context(GraphBuilder& builder, const HloInstruction& step, HloComputation* wrapped,
                        const std::vector<HloInstruction*>& operands) {
  std::vector<HloInstruction*> parts = {builder.Tuple(operands)};
  if (HoldsAsyncResult(step.shape(), *wrapped)) {
    parts.push_back(CallWrapped(builder, wrapped, operands));
  }
  return FillTuple(builder, std::move(parts), step.shape());
}

HloInstruction* Update(GraphBuilder& builder, HloInstruction& update, HloComputation* wrapped) {
  HloInstruction* context = update.mutable_operand(0);
  if (HoldsAsyncResult(context->shape(), *wrapped) ||
      ShapeUtil::Compatible(context->shape(), update.shape())) {
    return context;
  }
  std::vector<HloInstruction*> operands = Operands(builder, context);
  operands.insert(operands.end(), update.operands().begin() + 1, update.operands().end());
  return Context(builder, update, wrapped, operands);
}

HloInstruction* Done(GraphBuilder& builder, HloInstruction& done, HloComputation* wrapped) {
  HloInstruction* context = done.mutable_operand(0);
  if (HoldsAsyncResult(context->shape(), *wrapped)) return builder.Part(context, 1);
  return CallWrapped(builder, wrapped, Operands(builder, context));
}

// What each step belongs to, as long as all steps are there to tell.
using WrappedComputations = absl::flat_hash_map<const HloInstruction*, HloComputation*>;

absl::StatusOr<HloInstruction*> ExpandAsyncInstruction(HloInstruction& instruction,
                                                       const WrappedComputations& wrapped) {
  GraphBuilder builder(instruction);
  switch (instruction.opcode()) {
    case HloOpcode::kAllGatherStart:
      return BeginCollective(builder, instruction, HloOpcode::kAllGather);
    case HloOpcode::kCollectivePermuteStart:
      return BeginCollective(builder, instruction, HloOpcode::kCollectivePermute);
    case HloOpcode::kAllReduceStart:
      return AddCollective(builder, instruction, HloOpcode::kAllReduce, instruction.shape());
    case HloOpcode::kAllGatherDone:
    case HloOpcode::kCollectivePermuteDone:
      return builder.Part(instruction.mutable_operand(0), 1);
    case HloOpcode::kAsyncStart:
      return Context(builder, instruction, wrapped.at(&instruction),
                     {instruction.operands().begin(), instruction.operands().end()});
    case HloOpcode::kAsyncUpdate:
      return Update(builder, instruction, wrapped.at(&instruction));
    case HloOpcode::kAsyncDone:
      return Done(builder, instruction, wrapped.at(&instruction));
    case HloOpcode::kCopyStart:
      return FillTuple(builder, {instruction.mutable_operand(0), instruction.mutable_operand(0)},
                       instruction.shape());
    case HloOpcode::kCopyDone:
      return builder.Part(instruction.mutable_operand(0), 0);
    case HloOpcode::kAllReduceDone:
      return instruction.mutable_operand(0);
    default:
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<bool> ExpandAsync(HloModule& module) {
  WrappedComputations wrapped;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (HloOpcodeIsAsync(instruction->opcode())) {
        wrapped[instruction] = AsyncWrappedComputation(*instruction);
      }
    }
  }
  return ReplaceEverywhere(module, [&](HloInstruction& instruction) {
    return ExpandAsyncInstruction(instruction, wrapped);
  });
}

}  // namespace xla::passes
