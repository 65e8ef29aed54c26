#include "cpu/plan/factor_bytes.h"

#include "absl/container/flat_hash_set.h"
#include "cpu/plan/epilogues.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

bool IsProduct(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kFusion) return ProductOf(instruction) != nullptr;
  return instruction.opcode() == HloOpcode::kDot || instruction.opcode() == HloOpcode::kConvolution;
}

// The array whose elements an instruction has in another form, or one of whose slices.
const HloInstruction& SourceOf(const HloInstruction& value) {
  const HloInstruction* source = &value;
  while (true) {
    switch (source->opcode()) {
      case HloOpcode::kBitcast:
      case HloOpcode::kConvert:
      case HloOpcode::kCopy:
      case HloOpcode::kDynamicSlice:
      case HloOpcode::kReshape:
      case HloOpcode::kTranspose:
        source = source->operand(0);
        break;
      case HloOpcode::kFusion: {
        const HloInstruction& root =
            SourceOf(*source->fused_instructions_computation()->root_instruction());
        if (root.opcode() != HloOpcode::kParameter) return *source;
        source = source->operand(root.parameter_number());
        break;
      }
      default:
        return *source;
    }
  }
}

}  // namespace

int64_t FactorBytes(const HloComputation& computation) {
  int64_t bytes = 0;
  absl::flat_hash_set<const HloInstruction*> known;
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction->opcode() == HloOpcode::kWhile)
      bytes += FactorBytes(*instruction->while_body());
    if (!IsProduct(*instruction)) continue;
    for (const int side : {0, 1}) {
      const HloInstruction& source = SourceOf(*instruction->operand(side));
      if (source.shape().IsArray() && known.insert(&source).second)
        bytes += ShapeUtil::ByteSizeOf(source.shape());
    }
  }
  return bytes;
}

}  // namespace xla::cpu
