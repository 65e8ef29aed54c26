#include "xla/hlo/utils/hlo_query.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "xla/shape_util.h"

namespace xla::hlo_query {

bool IsCollectiveCommunicationOp(HloOpcode op) {
  switch (op) {
    case HloOpcode::kAllGather:
    case HloOpcode::kAllGatherStart:
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kAllToAll:
    case HloOpcode::kCollectiveBroadcast:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCollectivePermuteStart:
    case HloOpcode::kRaggedAllToAll:
    case HloOpcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

bool IsAsyncCollectiveStartOp(const HloInstruction* instruction, bool include_send_recv) {
  switch (instruction->opcode()) {
    case HloOpcode::kAllGatherStart:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kCollectivePermuteStart:
      return true;
    case HloOpcode::kSend:
    case HloOpcode::kRecv:
      return include_send_recv;
    case HloOpcode::kAsyncStart:
      return IsCollectiveCommunicationOp(instruction->async_wrapped_opcode());
    default:
      return false;
  }
}

bool IsAsyncCollectiveDoneOp(const HloInstruction* instruction, bool include_send_recv) {
  switch (instruction->opcode()) {
    case HloOpcode::kAllGatherDone:
    case HloOpcode::kAllReduceDone:
    case HloOpcode::kCollectivePermuteDone:
      return true;
    case HloOpcode::kSendDone:
    case HloOpcode::kRecvDone:
      return include_send_recv;
    case HloOpcode::kAsyncDone:
      return IsCollectiveCommunicationOp(instruction->async_wrapped_opcode());
    default:
      return false;
  }
}

bool IsConstantR0F32(HloInstruction* instruction, float* out) {
  if (!IsScalarConstant(instruction) || instruction->shape().element_type() != F32) return false;
  *out = instruction->literal().Get<float>({});
  return true;
}

bool IsScalarConstant(const HloInstruction* instruction) {
  return instruction->IsConstant() && ShapeUtil::IsScalar(instruction->shape());
}

bool IsBroadcastedConstantOrScalar(const HloInstruction& instruction) {
  return instruction.IsConstant() || ShapeUtil::IsScalar(instruction.shape()) ||
         (instruction.opcode() == HloOpcode::kBroadcast &&
          (instruction.operand(0)->IsConstant() ||
           ShapeUtil::IsScalar(instruction.operand(0)->shape())));
}

bool IsBroadcastOfScalarConstant(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kBroadcast && IsScalarConstant(instruction.operand(0));
}

bool IsBroadcastOfParameter(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kBroadcast &&
         instruction.operand(0)->opcode() == HloOpcode::kParameter;
}

namespace {
bool AllOperandsAre(const HloInstruction& instruction, const HloPredicate& predicate) {
  return absl::c_all_of(instruction.operands(), predicate);
}
}  // namespace

bool AllOperandsAreParametersOrConstants(const HloInstruction& instruction) {
  return AllOperandsAre(instruction, HloPredicateIsOp<HloOpcode::kParameter, HloOpcode::kConstant>);
}

bool AllOperandsAreParameters(const HloInstruction& instruction) {
  return AllOperandsAre(instruction, HloPredicateIsOp<HloOpcode::kParameter>);
}

bool AllOperandsAreConstants(const HloInstruction& instruction) {
  return AllOperandsAre(instruction, HloPredicateIsOp<HloOpcode::kConstant>);
}

bool IsEffectiveParameter(const HloInstruction* instruction) {
  while (HloPredicateIsOp<HloOpcode::kBitcast, HloOpcode::kGetTupleElement>(instruction)) {
    instruction = instruction->operand(0);
  }
  return instruction->opcode() == HloOpcode::kParameter;
}

HloInstruction* GetMatchingOperand(const HloPredicate& matcher, HloInstruction* instruction) {
  const auto found = absl::c_find_if(instruction->operands(), matcher);
  return found == instruction->operands().end() ? nullptr : *found;
}

bool MatchBinaryInstructionOperand(const HloPredicate& matcher, HloInstruction* instruction,
                                   HloInstruction** matching_operand,
                                   HloInstruction** other_operand) {
  if (instruction->operand_count() != 2) return false;
  for (int i = 0; i < 2; ++i) {
    if (!matcher(instruction->operand(i))) continue;
    *matching_operand = instruction->mutable_operand(i);
    *other_operand = instruction->mutable_operand(1 - i);
    return true;
  }
  return false;
}

HloInstruction* GetUniqueGteInstruction(const HloInstruction* operand, int64_t index) {
  HloInstruction* unique = nullptr;
  for (HloInstruction* user : operand->users()) {
    if (user->opcode() != HloOpcode::kGetTupleElement || user->tuple_index() != index) continue;
    if (unique != nullptr) return nullptr;
    unique = user;
  }
  return unique;
}

bool ContainsInstrWithOpcode(const HloComputation* computation,
                             const absl::flat_hash_set<HloOpcode>& opcodes) {
  for (const HloInstruction* instruction : computation->instructions()) {
    if (opcodes.contains(instruction->opcode())) return true;
    for (const HloComputation* callee : instruction->called_computations()) {
      if (ContainsInstrWithOpcode(callee, opcodes)) return true;
    }
  }
  return false;
}

bool ContainsLayoutConstrainedCollective(const HloModule& module, HloOpcode op) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == op && instruction->constrain_layout()) return true;
    }
  }
  return false;
}

int64_t NextChannelId(const HloModule& module) {
  int64_t next = 1;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      next = std::max(next, instruction->channel_id().value_or(0) + 1);
    }
  }
  return next;
}

HloComputation* FindComputation(HloModule* module, absl::string_view name) {
  return module->GetComputationWithName(name);
}

HloInstruction* FindInstruction(const HloComputation* computation, absl::string_view name) {
  return computation->GetInstructionWithName(name);
}

HloInstruction* FindInstruction(const HloComputation* computation, HloOpcode opcode) {
  for (const HloInstruction* instruction : computation->instructions()) {
    if (instruction->opcode() == opcode) return const_cast<HloInstruction*>(instruction);
  }
  return nullptr;
}

HloInstruction* GetFirstInstructionWithOpcode(const HloComputation& computation,
                                              HloOpcode opcode) {
  return FindInstruction(&computation, opcode);
}

void ForEachInstructionWithPred(HloComputation& computation, const HloPredicate& predicate,
                                absl::FunctionRef<void(HloInstruction*)> function) {
  for (HloInstruction* instruction : computation.instructions()) {
    if (predicate(instruction)) function(instruction);
  }
}

void ForEachInstructionWithPred(HloModule& module, const HloPredicate& predicate,
                                absl::FunctionRef<void(HloInstruction*)> function) {
  for (HloComputation* computation : module.computations()) {
    ForEachInstructionWithPred(*computation, predicate, function);
  }
}

void ForEachInstructionWithOpcode(HloComputation& computation, HloOpcode opcode,
                                  absl::FunctionRef<void(HloInstruction*)> function) {
  ForEachInstructionWithPred(
      computation, [opcode](const HloInstruction* each) { return each->opcode() == opcode; },
      function);
}

void ForEachInstructionWithOpcode(HloModule& module, HloOpcode opcode,
                                  absl::FunctionRef<void(HloInstruction*)> function) {
  for (HloComputation* computation : module.computations()) {
    ForEachInstructionWithOpcode(*computation, opcode, function);
  }
}

bool IsBeforeInComputation(const HloComputation* computation, absl::string_view first,
                           absl::string_view second) {
  for (const HloInstruction* instruction : computation->instructions()) {
    if (instruction->name() == second) return false;
    if (instruction->name() == first) return true;
  }
  return false;
}

}  // namespace xla::hlo_query
