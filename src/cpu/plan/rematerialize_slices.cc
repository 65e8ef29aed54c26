#include "cpu/plan/rematerialize_slices.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "passes/cost.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/simplify/loop.h"
#include "passes/simplify/match.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using passes::Loop;
using passes::WithoutReshapes;

// More take longer than to read a slice.
constexpr int kMostOperations = 6;
// Shorter rows stay in the caches.
constexpr int64_t kLeastRowElements = 1024;

// The value that a step stores as a row of an element of the state, one row for each step.
struct StoredRow {
  const HloInstruction* value = nullptr;
  bool is_reversed = false;  // the first step stores the last row
};

// Of each element of the state; without a value where it is something else.
std::vector<StoredRow> FindStoredRows(const Loop& loop) {
  std::vector<StoredRow> rows(static_cast<size_t>(loop.size()));
  const std::optional<passes::Counter> counter = passes::FindCounter(loop);
  if (!counter.has_value()) return rows;
  for (int64_t i = 0; i < loop.size(); ++i) {
    const HloInstruction& update = *loop.next(i);
    if (update.opcode() != HloOpcode::kDynamicUpdateSlice || update.shape().is_dynamic() ||
        loop.ElementNumber(*update.operand(0)) != i ||
        !passes::IsRowOfStep(*counter, update.shape(), update.operand(1)->shape()))
      continue;
    const std::optional<bool> is_reversed = passes::CountsDown(loop, *counter, *update.operand(2));
    if (!is_reversed.has_value()) continue;
    rows[static_cast<size_t>(i)] = {&WithoutReshapes(*update.operand(1)), *is_reversed};
  }
  return rows;
}

// A loop that reads rows of what another one has stored.
class SliceReader {
 public:
  SliceReader(const Loop& loop, const HloInstruction& stored) : loop_(loop), stored_(stored) {}

  // Adds the elements of the state that are not needed any more.
  absl::Status Run(absl::flat_hash_set<int64_t>& computed) {
    const std::optional<const Loop> storing = Loop::Of(stored_);
    if (!storing.has_value()) return absl::OkStatus();
    rows_ = FindStoredRows(*storing);
    absl::flat_hash_map<const HloInstruction*, std::vector<int64_t>> elements;
    for (int64_t i = 0; i < loop_.size(); ++i) {
      if (const StoredRow* row = RowOf(i); row != nullptr) elements[row->value].push_back(i);
    }
    if (elements.size() < 2) return absl::OkStatus();
    // What is computed first is read as before.
    for (const HloInstruction* value : storing->body().MakeInstructionPostOrder()) {
      const auto found = elements.find(value);
      if (found == elements.end()) continue;
      for (int64_t element : found->second) {
        HILO_ASSIGN_OR_RETURN(const bool is_computed, ComputeOrRead(element));
        if (is_computed) computed.insert(element);
      }
    }
    return absl::OkStatus();
  }

 private:
  // Rows are the same ones where loops store them in the same order.
  using Key = std::pair<const HloInstruction*, bool>;

  // What a value is computed of.
  struct Expression {
    bool is_reversed;
    int operations = 0;
    absl::flat_hash_set<const HloInstruction*> rows;
  };

  // What the other loop has stored in an element that never changes; null where it is something
  // else.
  const StoredRow* RowOf(int64_t element) const {
    const HloInstruction& initial = *loop_.initial(element);
    if (!loop_.IsInvariant(element) || initial.opcode() != HloOpcode::kGetTupleElement ||
        initial.operand(0) != &stored_)
      return nullptr;
    const StoredRow& row = rows_[static_cast<size_t>(initial.tuple_index())];
    return row.value == nullptr ? nullptr : &row;
  }

  // All that the loop does with an element, if it reads rows of it in its body; empty where it does
  // anything else.
  std::vector<HloInstruction*> SlicesOf(int64_t element) const {
    std::vector<HloInstruction*> slices;
    for (const HloComputation* computation : {&loop_.body(), &loop_.condition()}) {
      for (const HloInstruction* part : computation->parameter_instruction(0)->users()) {
        if (loop_.ElementNumber(*part) != element) continue;
        for (HloInstruction* user : part->users()) {
          if (user == loop_.body().root_instruction()) continue;
          if (computation == &loop_.condition() || !ReadsRow(*user, *part)) return {};
          slices.push_back(user);
        }
      }
    }
    return slices;
  }

  static bool ReadsRow(const HloInstruction& slice, const HloInstruction& array) {
    return slice.opcode() == HloOpcode::kDynamicSlice && slice.operand(0) == &array &&
           ShapeUtil::IsScalar(slice.operand(1)->shape()) && !slice.HasControlDependencies() &&
           passes::IsRow(array.shape(), slice.shape());
  }

  static int64_t UsersOfElement(const HloInstruction& loop, int64_t element) {
    int64_t users = 0;
    for (const HloInstruction* part : loop.users()) {
      if (part->tuple_index() == element) users += part->user_count() + (part->IsRoot() ? 1 : 0);
    }
    return users;
  }

  // Whether nobody else needs what the other loop has stored in an element.
  bool IsOnlyReader(int64_t element) const {
    return UsersOfElement(stored_, loop_.initial(element)->tuple_index()) == 1 &&
           UsersOfElement(loop_.instruction(), element) == 0;
  }

  // Whether a few cheap operations make a value of rows that the loop reads.
  bool IsCheap(const HloInstruction& value, Expression& expression) const {
    if (kept_.contains(Key(&value, expression.is_reversed))) {
      expression.rows.insert(&value);
      return true;
    }
    const auto are_operands_cheap = [&] {
      return absl::c_all_of(value.operands(), [&](const HloInstruction* operand) {
        return IsCheap(*operand, expression);
      });
    };
    switch (value.opcode()) {
      case HloOpcode::kConstant:
        return ShapeUtil::IsScalar(value.shape());
      case HloOpcode::kBroadcast:
        return ShapeUtil::IsScalar(value.operand(0)->shape()) &&
               value.operand(0)->opcode() == HloOpcode::kConstant;
      case HloOpcode::kReshape:
        return are_operands_cheap();
      default:
        return value.IsElementwise() && value.shape().IsArray() && value.operand_count() > 0 &&
               !value.HasControlDependencies() && !passes::IsExpensive(value) &&
               ++expression.operations <= kMostOperations && are_operands_cheap();
    }
  }

  absl::StatusOr<bool> ComputeOrRead(int64_t element) {
    const StoredRow& row = *RowOf(element);
    std::vector<HloInstruction*> slices = SlicesOf(element);
    if (slices.empty()) return false;
    Expression expression = {row.is_reversed};
    const bool is_computed = ShapeUtil::ElementsIn(slices[0]->shape()) >= kLeastRowElements &&
                             IsOnlyReader(element) && IsCheap(*row.value, expression);
    if (!is_computed) {
      kept_.emplace(Key(row.value, row.is_reversed), std::move(slices));
      return false;
    }
    for (HloInstruction* slice : slices)
      HILO_RETURN_IF_ERROR(Compute(*slice, *row.value, expression));
    return true;
  }

  absl::Status Compute(HloInstruction& slice, const HloInstruction& value,
                       const Expression& expression) {
    passes::GraphBuilder graph(slice);
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones;
    for (const HloInstruction* row : expression.rows) {
      HloInstruction* read = ReadRow(graph, kept_.at(Key(row, expression.is_reversed)), slice);
      clones[row] = graph.Reshape(read, row->shape().dimensions());
    }
    HloInstruction* computed = passes::CloneInto(*slice.parent(), &value, clones);
    HILO_RETURN_IF_ERROR(
        slice.ReplaceAllUsesWith(graph.Reshape(computed, slice.shape().dimensions())));
    slice.CutOff();
    slice.MarkAsDead();
    return absl::OkStatus();
  }

  // A row of an array, of which there are `slices`, at the index of another slice.
  static HloInstruction* ReadRow(passes::GraphBuilder& graph,
                                 const std::vector<HloInstruction*>& slices,
                                 const HloInstruction& place) {
    HloInstruction* index = const_cast<HloInstruction*>(place.operand(1));
    for (HloInstruction* slice : slices) {
      if (slice->operand(1) == index) return slice;
    }
    HloInstruction* array = slices[0]->mutable_operand(0);
    const Shape& shape = slices[0]->shape();
    std::vector<HloInstruction*> starts(static_cast<size_t>(shape.dimensions_size()),
                                        graph.Number(index->shape().element_type(), 0));
    starts[0] = index;
    return graph.Add(HloInstruction::CreateDynamicSlice(shape, array, starts, shape.dimensions()));
  }

  const Loop& loop_;
  const HloInstruction& stored_;
  std::vector<StoredRow> rows_;  // of the elements of the other loop
  absl::flat_hash_map<Key, std::vector<HloInstruction*>> kept_;  // slices of what is read as before
};

absl::StatusOr<bool> Rematerialize(Loop& loop) {
  absl::flat_hash_set<const HloInstruction*> seen;
  absl::flat_hash_set<int64_t> computed;
  for (int64_t i = 0; i < loop.size(); ++i) {
    const HloInstruction& initial = *loop.initial(i);
    const bool is_of_loop = initial.opcode() == HloOpcode::kGetTupleElement &&
                            initial.operand(0)->opcode() == HloOpcode::kWhile;
    if (is_of_loop && seen.insert(initial.operand(0)).second)
      HILO_RETURN_IF_ERROR(SliceReader(loop, *initial.operand(0)).Run(computed));
  }
  if (computed.empty()) return false;
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < loop.size(); ++i) {
    if (!computed.contains(i)) kept.push_back(i);
  }
  HILO_RETURN_IF_ERROR(loop.ChangeState(kept, {}, {}));
  return true;
}

}  // namespace

absl::StatusOr<bool> RematerializeSlices(HloModule& module) {
  return passes::RewriteLoops(module, Rematerialize);
}

}  // namespace xla::cpu
