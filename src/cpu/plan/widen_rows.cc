#include "cpu/plan/widen_rows.h"

#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "cpu/plan/fusion_rules.h"
#include "passes/graph_builder.h"
#include "passes/replace.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kMinWidenedElements = 4096;
// A short row, and a long one: of whole vectors, and small enough for registers.
constexpr int64_t kShortWidenedRow = 16;
constexpr int64_t kLongRow = 64;
constexpr int64_t kLanes = 16;

// How many numbers a broadcast repeats along an array, 0 where it does something else.
int64_t RepeatedNumbers(const HloInstruction& broadcast) {
  if (broadcast.opcode() != HloOpcode::kBroadcast) return 0;
  const Shape& numbers = broadcast.operand(0)->shape();
  int64_t next = broadcast.shape().dimensions_size() - 1;
  for (int64_t i = numbers.dimensions_size() - 1; i >= 0; --i) {
    if (numbers.dimensions(i) == 1) continue;
    while (next >= 0 && broadcast.shape().dimensions(next) == 1) --next;
    if (broadcast.dimensions(i) != next--) return 0;
  }
  const int64_t count = ShapeUtil::ElementsIn(numbers);
  return count > 1 && count < kShortWidenedRow ? count : 0;
}

// The longest row of whole vectors that all of these numbers fit into several times, or 0.
int64_t LongRow(int64_t numbers, int64_t elements) {
  for (int64_t row = kLongRow; row > 0; row -= kLanes) {
    if (row % numbers == 0 && elements % row == 0) return row;
  }
  return 0;
}

// Whether a kernel reads elements of the array where they lie: what it computes on the way moves
// none. Others find longer rows in pieces.
bool IsReadStraight(const HloInstruction& array) {
  constexpr size_t kMostOnTheWay = 64;
  std::vector<const HloInstruction*> waiting = {&array};
  absl::flat_hash_set<const HloInstruction*> seen = {&array};
  while (!waiting.empty()) {
    const HloInstruction& each = *waiting.back();
    waiting.pop_back();
    if (!CanBeInKernel(each) || IsFree(each) || each.opcode() == HloOpcode::kBroadcast) continue;
    if (seen.size() > kMostOnTheWay) return false;
    if (!each.IsElementwise() && each.opcode() != HloOpcode::kReshape) return false;
    for (const HloInstruction* operand : each.operands()) {
      if (seen.insert(operand).second) waiting.push_back(operand);
    }
  }
  return true;
}

absl::StatusOr<HloInstruction*> Widen(HloInstruction& instruction) {
  if (!instruction.IsElementwise() || instruction.opcode() == HloOpcode::kFusion ||
      !instruction.shape().IsArray())
    return nullptr;
  const int64_t elements = ShapeUtil::ElementsIn(instruction.shape());
  if (elements < kMinWidenedElements) return nullptr;
  int64_t row = 0;
  for (const HloInstruction* operand : instruction.operands()) {
    const int64_t numbers = RepeatedNumbers(*operand);
    if (numbers == 0) continue;
    if (row == 0) row = LongRow(numbers, elements);
    if (row == 0 || row % numbers != 0) return nullptr;
  }
  if (row == 0 || !absl::c_all_of(instruction.operands(), [](const HloInstruction* operand) {
        return IsReadStraight(*operand);
      })) {
    return nullptr;
  }
  const std::vector<int64_t> sizes = {elements / row, row};
  passes::GraphBuilder b(instruction);
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : instruction.operands()) {
    HloInstruction* source = operand->operand_count() > 0 ? operand->mutable_operand(0) : nullptr;
    if (ShapeUtil::IsScalar(operand->shape())) {
      operands.push_back(operand);
    } else if (operand->opcode() == HloOpcode::kBroadcast && ShapeUtil::IsScalar(source->shape())) {
      operands.push_back(b.Broadcast(source, sizes));
    } else if (const int64_t numbers = RepeatedNumbers(*operand); numbers > 0) {
      HloInstruction* repeated =
          b.Broadcast(b.Reshape(source, {numbers}), {row / numbers, numbers}, {1});
      operands.push_back(b.Broadcast(b.Reshape(repeated, {row}), sizes, {1}));
    } else {
      const bool is_widened = operand->opcode() == HloOpcode::kReshape &&
                              source->shape().dimensions() == absl::MakeConstSpan(sizes);
      operands.push_back(is_widened ? source : b.Reshape(operand, sizes));
    }
  }
  const Shape shape = ShapeUtil::MakeShape(instruction.shape().element_type(), sizes);
  return b.Reshape(b.Add(instruction.CloneWithNewOperands(shape, operands)),
                   instruction.shape().dimensions());
}

}  // namespace

absl::StatusOr<bool> WidenRows(HloModule& module) { return passes::ReplaceEach(module, Widen); }

}  // namespace xla::cpu
