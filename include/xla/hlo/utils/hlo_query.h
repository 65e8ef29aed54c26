// Questions about instructions and computations that many passes ask.
#ifndef XLA_HLO_UTILS_HLO_QUERY_H_
#define XLA_HLO_UTILS_HLO_QUERY_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {
namespace hlo_query {

// ---- Operations ----

// Collectives between devices: the operations themselves and their starts.
bool IsCollectiveCommunicationOp(HloOpcode op);
// The start or the done of a collective, in either form; of send and recv as well, if they count.
bool IsAsyncCollectiveStartOp(const HloInstruction* instruction, bool include_send_recv = false);
bool IsAsyncCollectiveDoneOp(const HloInstruction* instruction, bool include_send_recv = false);

// ---- Values ----

// Whether it is a constant f32[]; its value goes to `out`.
bool IsConstantR0F32(HloInstruction* instruction, float* out);
bool IsScalarConstant(const HloInstruction* instruction);
bool IsBroadcastedConstantOrScalar(const HloInstruction& instruction);
bool IsBroadcastOfScalarConstant(const HloInstruction& instruction);
bool IsBroadcastOfParameter(const HloInstruction& instruction);
bool AllOperandsAreParametersOrConstants(const HloInstruction& instruction);
bool AllOperandsAreParameters(const HloInstruction& instruction);
bool AllOperandsAreConstants(const HloInstruction& instruction);
// A parameter, or what only passes one on: bitcasts and elements of tuples.
bool IsEffectiveParameter(const HloInstruction* instruction);

// ---- Operands ----

// The first operand that is meant, or null.
HloInstruction* GetMatchingOperand(const HloPredicate& matcher, HloInstruction* instruction);
// Whether one of two operands is meant: the first of them goes to `matching_operand`, the other to
// `other_operand`.
bool MatchBinaryInstructionOperand(const HloPredicate& matcher, HloInstruction* instruction,
                                   HloInstruction** matching_operand,
                                   HloInstruction** other_operand);
inline bool MatchBinaryInstructionOperandOpcode(HloOpcode opcode, HloInstruction* instruction,
                                                HloInstruction** matching_operand,
                                                HloInstruction** other_operand) {
  return MatchBinaryInstructionOperand(
      [opcode](const HloInstruction* operand) { return operand->opcode() == opcode; }, instruction,
      matching_operand, other_operand);
}
// The only get-tuple-element of the operand with this index, or null.
HloInstruction* GetUniqueGteInstruction(const HloInstruction* operand, int64_t index);

// ---- Computations and modules ----

bool ContainsInstrWithOpcode(const HloComputation* computation,
                             const absl::flat_hash_set<HloOpcode>& opcodes);
bool ContainsLayoutConstrainedCollective(const HloModule& module, HloOpcode op);
inline bool ContainsLayoutConstrainedAllReduce(const HloModule& module) {
  return ContainsLayoutConstrainedCollective(module, HloOpcode::kAllReduce);
}
// Greater than all channel ids of the module, and at least 1.
int64_t NextChannelId(const HloModule& module);

HloComputation* FindComputation(HloModule* module, absl::string_view name);
// The first one, or null.
HloInstruction* FindInstruction(const HloComputation* computation, absl::string_view name);
HloInstruction* FindInstruction(const HloComputation* computation, HloOpcode opcode);
HloInstruction* GetFirstInstructionWithOpcode(const HloComputation& computation, HloOpcode opcode);

void ForEachInstructionWithOpcode(HloComputation& computation, HloOpcode opcode,
                                  absl::FunctionRef<void(HloInstruction*)> function);
void ForEachInstructionWithOpcode(HloModule& module, HloOpcode opcode,
                                  absl::FunctionRef<void(HloInstruction*)> function);
void ForEachInstructionWithPred(HloComputation& computation, const HloPredicate& predicate,
                                absl::FunctionRef<void(HloInstruction*)> function);
void ForEachInstructionWithPred(HloModule& module, const HloPredicate& predicate,
                                absl::FunctionRef<void(HloInstruction*)> function);

// Whether the first of two stands before the second in the order of the computation.
bool IsBeforeInComputation(const HloComputation* computation, absl::string_view first,
                           absl::string_view second);

}  // namespace hlo_query
}  // namespace xla

#endif  // XLA_HLO_UTILS_HLO_QUERY_H_
