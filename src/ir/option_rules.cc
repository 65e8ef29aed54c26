#include "ir/option_rules.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "ir/expect.h"
#include "ir/op_info.h"
#include "ir/ops/rule.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using shape_rules::Text;

std::string TextWithLayout(const Shape& shape) { return ShapeUtil::HumanStringWithLayout(shape); }

absl::Status CheckLayouts(const HloInstruction& instruction, const HloVerifierOpts& opts) {
  const Shape& shape = instruction.shape();
  if (!shape.IsArray() || opts.InstructionCanChangeLayout(&instruction)) return absl::OkStatus();
  for (const HloInstruction* operand : instruction.operands()) {
    const Shape& given = operand->shape();
    HILO_EXPECT("layout_c1",
                !given.IsArray() || given.dimensions_size() != shape.dimensions_size() ||
                    HaveOneLayout(given, shape),
                "%s does not change layouts, but the result is %s and operand %s is %s",
                HloOpcodeString(instruction.opcode()), TextWithLayout(shape), operand->name(),
                TextWithLayout(given));
  }
  return absl::OkStatus();
}

absl::Status CheckBitcastSize(const HloInstruction& bitcast, const HloVerifierOpts& opts) {
  if (!opts.shape_size || opts.allow_bitcast_to_have_different_size) return absl::OkStatus();
  const int64_t before = opts.ShapeSize(bitcast.operand(0)->shape());
  const int64_t after = opts.ShapeSize(bitcast.shape());
  HILO_EXPECT("layout_c3", before == after,
              "the result of a bitcast takes %d bytes, but its operand %d", after, before);
  return absl::OkStatus();
}

// Whether an operation stores, moves or converts elements, or calls what does.
bool TakesFourBits(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kBroadcast:
    case HloOpcode::kCall:
    case HloOpcode::kConcatenate:
    case HloOpcode::kConditional:
    case HloOpcode::kConstant:
    case HloOpcode::kConvert:
    case HloOpcode::kCopy:
    case HloOpcode::kCopyDone:
    case HloOpcode::kCopyStart:
    case HloOpcode::kCustomCall:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kFusion:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kPad:
    case HloOpcode::kParameter:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
    case HloOpcode::kTuple:
    case HloOpcode::kWhile:
      return true;
    default:
      return HloOpcodeIsAsync(instruction.opcode()) || HasTrait(instruction.opcode(), kCollective);
  }
}

absl::Status CheckFourBits(const HloInstruction& instruction) {
  if (TakesFourBits(instruction)) return absl::OkStatus();
  for (const HloInstruction* operand : instruction.operands()) {
    const PrimitiveType type = operand->shape().element_type();
    HILO_EXPECT("type_c1", type != S4 && type != U4,
                "%s does not take integers of 4 bits, such as those of operand %s; convert them",
                HloOpcodeString(instruction.opcode()), operand->name());
  }
  return absl::OkStatus();
}

absl::Status CheckName(const HloInstruction& instruction) {
  const absl::string_view name = instruction.name();
  const std::string& scheduled = instruction.metadata().scheduling_name();
  const bool is_copy = absl::StrContains(name, ".remat") || absl::StrContains(name, ".clone");
  HILO_EXPECT("name_c1", scheduled.empty() || name == scheduled || is_copy,
              "%s was scheduled as %s and must keep that name", name, scheduled);
  return absl::OkStatus();
}

bool HandsValuesOn(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kCall:
    case HloOpcode::kConditional:
    case HloOpcode::kConstant:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kTuple:
    case HloOpcode::kWhile:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool HaveOneLayout(const Shape& a, const Shape& b) {
  if (a.IsTuple()) {
    return b.IsTuple() && absl::c_equal(a.tuple_shapes(), b.tuple_shapes(), HaveOneLayout);
  }
  if (!a.IsArray() || !b.IsArray() || !a.has_layout() || !b.has_layout()) return true;
  return absl::c_equal(a.layout().minor_to_major(), b.layout().minor_to_major());
}

absl::Status CheckOptionalRules(const HloInstruction& instruction, const HloVerifierOpts& opts) {
  const HloOpcode opcode = instruction.opcode();
  HILO_EXPECT("type_c2",
              opts.allow_unbounded_dynamism || !instruction.shape().is_unbounded_dynamic(),
              "%s has sizes that nothing bounds", Text(instruction.shape()));
  if (opts.verify_broadcast_dimensions_order && opcode == HloOpcode::kBroadcast) {
    HILO_EXPECT("broadcast_c5", absl::c_is_sorted(instruction.dimensions()),
                "dimensions={%s} must ascend", Text(instruction.dimensions()));
  }
  if (opts.verify_s4_u4_usage) HILO_RETURN_IF_ERROR(CheckFourBits(instruction));
  if (opts.verify_instruction_name_unchanged) HILO_RETURN_IF_ERROR(CheckName(instruction));
  if (!opts.layout_sensitive) return absl::OkStatus();
  if (opts.verify_reshape_is_bitcast && opcode == HloOpcode::kReshape) {
    const Shape& operand = instruction.operand(0)->shape();
    HILO_EXPECT("layout_c4",
                !operand.has_layout() || !instruction.shape().has_layout() ||
                    ShapeUtil::ReshapeIsBitcast(operand, instruction.shape()),
                "reshape must leave elements where they are in memory, not make %s of %s",
                TextWithLayout(instruction.shape()), TextWithLayout(operand));
  }
  if (opcode == HloOpcode::kBitcast) HILO_RETURN_IF_ERROR(CheckBitcastSize(instruction, opts));
  return CheckLayouts(instruction, opts);
}

absl::Status CheckLayoutsHandedOn(const HloInstruction& instruction, const Shape& inferred,
                                  const HloVerifierOpts& opts) {
  HILO_EXPECT("layout_c2",
              !opts.layout_sensitive || !HandsValuesOn(instruction.opcode()) ||
                  HaveOneLayout(inferred, instruction.shape()),
              "the result is declared as %s, but it is %s", TextWithLayout(instruction.shape()),
              TextWithLayout(inferred));
  return absl::OkStatus();
}

}  // namespace xla
