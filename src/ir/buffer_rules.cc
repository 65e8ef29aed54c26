#include "ir/buffer_rules.h"

#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/expect.h"
#include "ir/op_info.h"
#include "ir/ops/rule.h"
#include "ir/records.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using shape_rules::Text;

bool HasBuffer(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsBuffer();
  return absl::c_any_of(shape.tuple_shapes(), HasBuffer);
}

bool TakesBuffer(const HloInstruction& instruction) {
  return absl::c_any_of(instruction.operands(), [](const HloInstruction* operand) {
    return HasBuffer(operand->shape());
  });
}

// Operations that hand buffers on as they are, or to computations that they call.
bool MayHaveBuffers(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kCustomCall:
    case HloOpcode::kFusion:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kParameter:
    case HloOpcode::kTuple:
      return true;
    default:
      return HasTrait(opcode, kControlFlow) || HloOpcodeIsAsync(opcode);
  }
}

absl::Span<const OutputOperandAlias> AliasesOf(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kCustomCall:
      return instruction.attributes_as<CustomCallAttributes>().output_to_operand_aliasing;
    case HloOpcode::kFusion:
      return instruction.attributes_as<FusionAttributes>().output_to_operand_aliasing;
    case HloOpcode::kAsyncStart:
    case HloOpcode::kAsyncUpdate:
      return instruction.attributes_as<AsyncAttributes>().output_to_operand_aliasing;
    default:
      return {};
  }
}

// One operand and the result are an array and a buffer of it; `to_buffer` says which is which.
absl::Status CheckPinning(const HloInstruction& call, bool to_buffer) {
  const absl::string_view target = to_buffer ? "Pin" : "Unpin";
  HILO_EXPECT("buffer_c2", call.operand_count() == 1, "%s takes one operand, not %d", target,
              call.operand_count());
  const Shape& array = to_buffer ? call.operand(0)->shape() : call.shape();
  const Shape& buffer = to_buffer ? call.shape() : call.operand(0)->shape();
  HILO_EXPECT("buffer_c2",
              array.IsArrayExcludingBuffer() && buffer.IsBuffer() &&
                  shape_rules::ShapesAgree(array, buffer.buffer_shape()),
              "%s makes %s, not %s of %s", target,
              to_buffer ? "a buffer of its operand" : "an array of the buffer that it takes",
              Text(call.shape()), Text(call.operand(0)->shape()));
  return absl::OkStatus();
}

// Every buffer of the result is one of an operand, changed in place. What a start gives begins with
// its operands themselves.
absl::Status CheckAliases(const HloInstruction& instruction) {
  const absl::Span<const OutputOperandAlias> aliases = AliasesOf(instruction);
  const bool is_start = instruction.opcode() == HloOpcode::kAsyncStart;
  return ShapeUtil::ForEachSubshapeWithStatus(
      instruction.shape(), [&](const Shape& part, const ShapeIndex& index) -> absl::Status {
        if (!part.IsBuffer() || (is_start && index[0] == 0)) return absl::OkStatus();
        const auto alias = absl::c_find_if(
            aliases, [&](const OutputOperandAlias& each) { return each.first == index; });
        HILO_EXPECT("buffer_c4",
                    alias != aliases.end() &&
                        ShapeUtil::GetSubshape(instruction.operand(alias->second.first)->shape(),
                                               alias->second.second)
                            .IsBuffer(),
                    "the buffer %s of the result must be one of an operand: "
                    "output_to_operand_aliasing does not say which",
                    index.ToString());
        return absl::OkStatus();
      });
}

absl::Status CheckCustomCall(const HloInstruction& call) {
  const absl::string_view target = call.custom_call_target();
  if (target == "Pin") return CheckPinning(call, /*to_buffer=*/true);
  if (target == "Unpin") return CheckPinning(call, /*to_buffer=*/false);
  if (target != "CreateBuffer") return CheckAliases(call);
  HILO_EXPECT("buffer_c3", call.operand_count() == 0 && call.shape().IsBuffer(),
              "CreateBuffer takes nothing and gives a buffer, not %s", Text(call.shape()));
  return absl::OkStatus();
}

// Whether the user changes or takes over the buffer; what only reads it leaves it to others.
bool Writes(const HloInstruction& user, const HloInstruction& buffer) {
  if (user.opcode() != HloOpcode::kCustomCall && user.opcode() != HloOpcode::kFusion) return true;
  if (user.opcode() == HloOpcode::kCustomCall && user.custom_call_target() == "Unpin") return true;
  return absl::c_any_of(AliasesOf(user), [&](const OutputOperandAlias& alias) {
    const int64_t operand = alias.second.first;
    return operand < user.operand_count() && user.operand(operand) == &buffer;
  });
}

}  // namespace

absl::Status CheckBuffers(const HloInstruction& instruction) {
  const bool gives = HasBuffer(instruction.shape());
  const bool is_call = instruction.opcode() == HloOpcode::kCustomCall;
  if (!gives && !TakesBuffer(instruction) &&
      !(is_call && (instruction.custom_call_target() == "Pin" ||
                    instruction.custom_call_target() == "Unpin" ||
                    instruction.custom_call_target() == "CreateBuffer"))) {
    return absl::OkStatus();
  }
  HILO_EXPECT("buffer_c1", MayHaveBuffers(instruction.opcode()), "%s does not take or give buffers",
              HloOpcodeString(instruction.opcode()));
  if (is_call) {
    HILO_RETURN_IF_ERROR(CheckCustomCall(instruction));
  } else if (instruction.opcode() == HloOpcode::kFusion ||
             instruction.opcode() == HloOpcode::kAsyncStart) {
    HILO_RETURN_IF_ERROR(CheckAliases(instruction));
  }
  if (!instruction.shape().IsBuffer()) return absl::OkStatus();
  const int64_t writers =
      absl::c_count_if(instruction.users(), [&](const HloInstruction* user) {
        return Writes(*user, instruction);
      });
  HILO_EXPECT("buffer_c5", writers <= 1, "%d users change the buffer %s", writers,
              instruction.name());
  return absl::OkStatus();
}

}  // namespace xla
