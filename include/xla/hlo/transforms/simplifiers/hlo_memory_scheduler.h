// Orders in which programs need little memory.
#ifndef XLA_HLO_TRANSFORMS_SIMPLIFIERS_HLO_MEMORY_SCHEDULER_H_
#define XLA_HLO_TRANSFORMS_SIMPLIFIERS_HLO_MEMORY_SCHEDULER_H_

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/analysis/alias_info.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_schedule.h"
#include "xla/hlo/pass/hlo_pass_interface.h"
#include "xla/service/buffer_value.h"

namespace xla {

// A schedule of all computations that are not fused, of the execution threads that are named or of
// all. Of the order of MakeInstructionPostOrder and one that prefers, at each step, the instruction
// after which least memory is in use, it has the one with the lower peak. An array lives from the
// instruction that makes it to the last one that reads it; parameters, constants and what
// `alias_info` says is updated in place take nothing, nor does what callees need. `peak_memory`
// receives the bytes of the computation that needs most.
absl::StatusOr<HloSchedule> ScheduleModule(
    const HloModule* module, const AliasInfo* alias_info,
    const BufferValue::SizeFunction& size_function,
    const absl::flat_hash_set<absl::string_view>& execution_threads = {},
    int64_t* peak_memory = nullptr);

// Gives the module the schedule of ScheduleModule.
class HloMemoryScheduler : public HloModulePass {
 public:
  HloMemoryScheduler(const AliasInfo* alias_info, BufferValue::SizeFunction size_function)
      : alias_info_(alias_info), size_function_(std::move(size_function)) {}
  absl::string_view name() const override { return "hlo-memory-scheduler"; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;

 private:
  const AliasInfo* alias_info_;
  BufferValue::SizeFunction size_function_;
};

// The order of MakeInstructionPostOrder.
class HloTrivialScheduler : public HloModulePass {
 public:
  absl::string_view name() const override { return "hlo-trivial-scheduler"; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;
};

// Takes the schedule away.
class HloDescheduler : public HloModulePass {
 public:
  absl::string_view name() const override { return "hlo-descheduler"; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;
};

}  // namespace xla

#endif  // XLA_HLO_TRANSFORMS_SIMPLIFIERS_HLO_MEMORY_SCHEDULER_H_
