#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "xla/hlo/transforms/simplifiers/hlo_memory_scheduler.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Order = std::vector<HloInstruction*>;

// Who makes the arrays that each instruction of a computation reads, and how many bytes these take.
class Arrays {
 public:
  Arrays(const Order& post_order, const AliasInfo* alias_info,
         const BufferValue::SizeFunction& size_function) {
    for (HloInstruction* instruction : post_order) {
      Node& node = nodes_[instruction];
      std::set<HloInstruction*, HloPtrComparator> read;
      for (HloInstruction* operand : instruction->unique_operands()) {
        const Node& source = nodes_.at(operand);
        read.insert(source.makers.begin(), source.makers.end());
      }
      if (IsView(*instruction)) {
        node.makers.assign(read.begin(), read.end());
      } else {
        node.makers = {instruction};
        node.bytes = BytesMade(*instruction, alias_info, size_function);
        node.reads.assign(read.begin(), read.end());
        for (HloInstruction* maker : read) nodes_.at(maker).readers.push_back(instruction);
      }
      if (!instruction->IsRoot()) continue;
      for (HloInstruction* maker : node.makers) nodes_.at(maker).is_result = true;
    }
  }

  struct Node {
    std::vector<HloInstruction*> makers;   // of the arrays that this hands on
    std::vector<HloInstruction*> reads;    // makers of what it reads
    std::vector<HloInstruction*> readers;  // of what it makes
    int64_t bytes = 0;
    bool is_result = false;
  };
  const Node& Of(const HloInstruction* instruction) const { return nodes_.at(instruction); }

 private:
  static bool IsView(const HloInstruction& instruction) {
    return HloPredicateIsOp<HloOpcode::kTuple, HloOpcode::kGetTupleElement, HloOpcode::kBitcast,
                            HloOpcode::kAddDependency>(&instruction);
  }

  static int64_t BytesMade(HloInstruction& instruction, const AliasInfo* alias_info,
                           const BufferValue::SizeFunction& size_function) {
    if (HloPredicateIsOp<HloOpcode::kParameter, HloOpcode::kConstant>(&instruction)) return 0;
    const std::vector<AliasInfo::InPlacePair> updated =
        alias_info->GetInPlaceInputOutputPairs(&instruction);
    int64_t bytes = 0;
    ShapeUtil::ForEachSubshape(instruction.shape(), [&](const Shape& part, const ShapeIndex& at) {
      if (part.IsArray() &&
          absl::c_none_of(updated, [&](const auto& pair) { return pair.second == at; }))
        bytes += size_function(BufferValue(&instruction, at, /*id=*/0));
    });
    return bytes;
  }

  absl::flat_hash_map<const HloInstruction*, Node> nodes_;
};

// What is in use while instructions run one after the other.
class Usage {
 public:
  explicit Usage(const Arrays& arrays) : arrays_(arrays) {}

  // What runs next; calls `last_reader` with those that have become the last reader of an array.
  template <typename LastReader>
  void Run(const HloInstruction* instruction, LastReader last_reader) {
    done_.insert(instruction);
    const Arrays::Node& node = arrays_.Of(instruction);
    bytes_ += node.bytes;
    peak_ = std::max(peak_, bytes_);
    if (node.readers.empty() && !node.is_result) bytes_ -= node.bytes;
    for (HloInstruction* maker : node.reads) {
      const Arrays::Node& read = arrays_.Of(maker);
      const int64_t left = static_cast<int64_t>(read.readers.size()) - ++reads_[maker];
      if (read.is_result) continue;
      if (left == 0) bytes_ -= read.bytes;
      if (left == 1) {
        for (HloInstruction* reader : read.readers) {
          if (!done_.contains(reader)) last_reader(reader);
        }
      }
    }
  }

  // How many bytes fewer are in use after the instruction.
  int64_t Saved(const HloInstruction* instruction) const {
    const Arrays::Node& node = arrays_.Of(instruction);
    int64_t saved = -node.bytes;
    for (const HloInstruction* maker : node.reads) {
      const Arrays::Node& read = arrays_.Of(maker);
      const auto found = reads_.find(maker);
      const int64_t reads = found == reads_.end() ? 0 : found->second;
      if (!read.is_result && static_cast<int64_t>(read.readers.size()) - reads == 1)
        saved += read.bytes;
    }
    return saved;
  }

  int64_t peak() const { return peak_; }

 private:
  const Arrays& arrays_;
  absl::flat_hash_set<const HloInstruction*> done_;
  absl::flat_hash_map<const HloInstruction*, int64_t> reads_;
  int64_t bytes_ = 0;
  int64_t peak_ = 0;
};

int64_t PeakOf(const Order& order, const Arrays& arrays) {
  Usage usage(arrays);
  for (const HloInstruction* instruction : order)
    usage.Run(instruction, [](const HloInstruction*) {});
  return usage.peak();
}

// Always that of the ready instructions which saves most, the first one in post order of several.
Order SavingOrder(const Order& post_order, const Arrays& arrays) {
  using Key = std::pair<int64_t, int64_t>;  // bytes added, place in post order
  absl::flat_hash_map<const HloInstruction*, int64_t> places, waiting;
  absl::flat_hash_map<const HloInstruction*, Key> keys;
  std::set<Key> ready;
  Usage usage(arrays);
  const auto add = [&](const HloInstruction* instruction) {
    const Key key = {-usage.Saved(instruction), places.at(instruction)};
    keys[instruction] = key;
    ready.insert(key);
  };
  for (const HloInstruction* instruction : post_order) {
    places.emplace(instruction, static_cast<int64_t>(places.size()));
    waiting[instruction] = static_cast<int64_t>(instruction->unique_operands().size() +
                                                instruction->control_predecessors().size());
  }
  for (const HloInstruction* instruction : post_order) {
    if (waiting[instruction] == 0) add(instruction);
  }
  Order order;
  while (!ready.empty()) {
    HloInstruction* const next = post_order[ready.begin()->second];
    ready.erase(ready.begin());
    order.push_back(next);
    usage.Run(next, [&](const HloInstruction* reader) {
      // It saves more than when it became ready.
      const auto key = keys.find(reader);
      if (key != keys.end() && ready.erase(key->second) > 0) add(reader);
    });
    const auto release = [&](const HloInstruction* after) {
      if (--waiting[after] == 0) add(after);
    };
    absl::c_for_each(next->users(), release);
    absl::c_for_each(next->control_successors(), release);
  }
  return order;
}

}  // namespace

absl::StatusOr<HloSchedule> ScheduleModule(
    const HloModule* module, const AliasInfo* alias_info,
    const BufferValue::SizeFunction& size_function,
    const absl::flat_hash_set<absl::string_view>& execution_threads, int64_t* peak_memory) {
  HloSchedule schedule(module);
  int64_t highest = 0;
  for (const HloComputation* computation : module->MakeNonfusionComputations(execution_threads)) {
    const Order post_order = computation->MakeInstructionPostOrder();
    const Arrays arrays(post_order, alias_info, size_function);
    const Order saving = SavingOrder(post_order, arrays);
    const int64_t post_order_peak = PeakOf(post_order, arrays);
    const int64_t saving_peak = PeakOf(saving, arrays);
    schedule.set_sequence(computation, saving_peak < post_order_peak ? saving : post_order);
    highest = std::max(highest, std::min(saving_peak, post_order_peak));
  }
  HILO_RETURN_IF_ERROR(schedule.Verify());
  if (peak_memory != nullptr) *peak_memory = highest;
  return schedule;
}

absl::StatusOr<bool> HloMemoryScheduler::RunImpl(HloModule* module,
                                                 const ExecutionThreads& execution_threads) {
  HILO_ASSIGN_OR_RETURN(HloSchedule schedule,
                        ScheduleModule(module, alias_info_, size_function_, execution_threads));
  HILO_RETURN_IF_ERROR(module->set_schedule(std::move(schedule)));
  return true;
}

absl::StatusOr<bool> HloTrivialScheduler::RunImpl(HloModule* module,
                                                  const ExecutionThreads& execution_threads) {
  HloSchedule schedule(module);
  for (const HloComputation* computation : module->MakeNonfusionComputations(execution_threads))
    schedule.set_sequence(computation, computation->MakeInstructionPostOrder());
  HILO_RETURN_IF_ERROR(module->set_schedule(std::move(schedule)));
  return true;
}

absl::StatusOr<bool> HloDescheduler::RunImpl(HloModule* module, const ExecutionThreads&) {
  const bool was_scheduled = module->has_schedule();
  module->clear_schedule();
  return was_scheduled;
}

}  // namespace xla
