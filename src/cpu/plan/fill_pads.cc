#include "cpu/plan/fill_pads.h"

#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "cpu/plan/fusion_rules.h"
#include "passes/graph_builder.h"
#include "passes/replace.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Fewer elements take no time; and what is filled is written twice, or is mostly padding.
constexpr int64_t kLeastElements = 4096, kMostFilled = 2;

// Whether an array that nobody else needs is computed from transposes of other rows, by so many
// operations at most.
bool IsTransposed(const HloInstruction& x, int most_operations) {
  if (x.user_count() != 1 || most_operations == 0) return false;
  if (MovesLastDimension(x)) return true;
  return x.IsElementwise() && absl::c_any_of(x.operands(), [&](const HloInstruction* operand) {
           return IsTransposed(*operand, most_operations - 1);
         });
}

bool IsPadOfTranspose(const HloInstruction& pad) {
  constexpr int kMostOperations = 8;
  if (pad.opcode() != HloOpcode::kPad || pad.shape().is_dynamic() ||
      pad.operand(0)->shape().is_dynamic()) {
    return false;
  }
  const int64_t elements = ShapeUtil::ElementsIn(pad.operand(0)->shape());
  return elements >= kLeastElements &&
         ShapeUtil::ElementsIn(pad.shape()) <= kMostFilled * elements &&
         absl::c_all_of(pad.padding_config().dimensions(),
                        [](const auto& dimension) {
                          return dimension.interior_padding() == 0 &&
                                 dimension.edge_padding_low() >= 0 &&
                                 dimension.edge_padding_high() >= 0;
                        }) &&
         IsTransposed(*pad.operand(0), kMostOperations);
}

HloInstruction* FillPad(HloInstruction& pad) {
  if (!IsPadOfTranspose(pad)) return nullptr;
  passes::GraphBuilder b(pad);
  HloInstruction* filled = b.Broadcast(pad.mutable_operand(1), pad.shape().dimensions());
  std::vector<HloInstruction*> starts;
  for (const auto& dimension : pad.padding_config().dimensions())
    starts.push_back(b.Number(S64, static_cast<double>(dimension.edge_padding_low())));
  return b.Add(HloInstruction::CreateDynamicUpdateSlice(pad.shape(), filled, pad.mutable_operand(0),
                                                        starts));
}

}  // namespace

absl::StatusOr<bool> FillPads(HloModule& module) {
  return passes::ReplaceEach(module, [](HloInstruction& each) -> absl::StatusOr<HloInstruction*> {
    return FillPad(each);
  });
}

}  // namespace xla::cpu
