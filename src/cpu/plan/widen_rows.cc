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
// A kernel that computes more on the way to the array, or from it, is not looked through.
constexpr size_t kMostOnTheWay = 64;

// How many adjacent numbers a broadcast repeats along an array, 0 where it does something else.
int64_t RepeatedNumbers(const HloInstruction& broadcast) {
  if (broadcast.opcode() != HloOpcode::kBroadcast) return 0;
  const Shape& numbers = broadcast.operand(0)->shape();
  int64_t next = broadcast.shape().dimensions_size() - 1;
  for (int64_t i = numbers.dimensions_size() - 1; i >= 0; --i) {
    if (numbers.dimensions(i) == 1) continue;
    while (next >= 0 && broadcast.shape().dimensions(next) == 1) --next;
    if (broadcast.dimensions(i) != next--) return 0;
  }
  return ShapeUtil::ElementsIn(numbers);
}

// The same of a short row.
int64_t ShortRow(const HloInstruction& broadcast) {
  const int64_t count = RepeatedNumbers(broadcast);
  return count > 1 && count < kShortWidenedRow ? count : 0;
}

// How many adjacent elements of an array a broadcast gives the same number, 0 where it does
// something else.
int64_t Repetitions(const HloInstruction& broadcast) {
  if (broadcast.opcode() != HloOpcode::kBroadcast) return 0;
  const int64_t rank = broadcast.operand(0)->shape().dimensions_size();
  for (int64_t i = 0; i < rank; ++i) {
    if (broadcast.dimensions(i) != i) return 0;
  }
  int64_t repetitions = 1;
  for (int64_t d = rank; d < broadcast.shape().dimensions_size(); ++d)
    repetitions *= broadcast.shape().dimensions(d);
  return repetitions;
}

// The longest row of whole vectors that all of these numbers fit into several times, or 0.
int64_t LongRow(int64_t numbers, int64_t elements) {
  for (int64_t row = kLongRow; row > 0; row -= kLanes) {
    if (row % numbers == 0 && elements % row == 0) return row;
  }
  return 0;
}

// Whether a kernel reads elements of the array where they lie: what it computes on the way moves
// none, and repeats none but within such rows. Others find longer rows in pieces.
bool IsReadStraight(const HloInstruction& array, int64_t row) {
  const auto is_repeated_in_rows = [&](const HloInstruction& each) {
    const int64_t numbers = RepeatedNumbers(each), repetitions = Repetitions(each);
    return (numbers > 0 && row % numbers == 0) || (repetitions > 0 && row % repetitions == 0);
  };
  std::vector<const HloInstruction*> waiting = {&array};
  absl::flat_hash_set<const HloInstruction*> seen = {&array};
  while (!waiting.empty()) {
    const HloInstruction& each = *waiting.back();
    waiting.pop_back();
    if (!CanBeInKernel(each) || IsFree(each) || is_repeated_in_rows(each)) continue;
    if (seen.size() > kMostOnTheWay) return false;
    if (!each.IsElementwise() && each.opcode() != HloOpcode::kReshape) return false;
    for (const HloInstruction* operand : each.operands()) {
      if (seen.insert(operand).second) waiting.push_back(operand);
    }
  }
  return true;
}

// Whether no kernel that reads the array moves what it computes of it to other rows: those find
// longer rows in pieces as well.
bool IsReadInRows(const HloInstruction& array) {
  std::vector<const HloInstruction*> waiting = {&array};
  absl::flat_hash_set<const HloInstruction*> seen = {&array};
  while (!waiting.empty()) {
    const HloInstruction& each = *waiting.back();
    waiting.pop_back();
    if (seen.size() > kMostOnTheWay) return false;
    for (const HloInstruction* user : each.users()) {
      switch (user->opcode()) {
        case HloOpcode::kConcatenate:
        case HloOpcode::kPad:
        case HloOpcode::kReverse:
        case HloOpcode::kTranspose:
          return false;
        case HloOpcode::kReduce:  // of each row, or of each column
          if (user->dimensions().size() < user->operand(0)->shape().dimensions().size())
            return false;
          break;
        default:
          break;
      }
      const bool goes_on = user->IsElementwise() || user->opcode() == HloOpcode::kReshape;
      if (goes_on && CanBeInKernel(*user) && seen.insert(user).second) waiting.push_back(user);
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
    const int64_t numbers = ShortRow(*operand);
    if (numbers == 0) continue;
    if (row == 0) row = LongRow(numbers, elements);
    if (row == 0 || row % numbers != 0) return nullptr;
  }
  if (row == 0 || !IsReadInRows(instruction) ||
      !absl::c_all_of(instruction.operands(), [&](const HloInstruction* operand) {
        return IsReadStraight(*operand, row);
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
    } else if (const int64_t numbers = ShortRow(*operand); numbers > 0) {
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
