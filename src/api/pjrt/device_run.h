// One run of a program on one device, from its arguments to its results.
#ifndef HILO_API_PJRT_DEVICE_RUN_H_
#define HILO_API_PJRT_DEVICE_RUN_H_

#include <atomic>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "api/backend.h"
#include "api/pjrt/cpu_client.h"
#include "api/pjrt/device_array.h"
#include "runtime/rendezvous.h"
#include "xla/shape.h"

namespace xla {

// A program whose arguments and results are single arrays and tokens.
struct DeviceProgram {
  explicit DeviceProgram(std::unique_ptr<CompiledModule> compiled);

  // Arguments and results of equal shapes share them, so that most checks compare addresses.
  struct Argument {
    std::shared_ptr<const Shape> shape;  // as it is declared, with a layout
    Shape held;                          // as it lies while the program runs
    bool is_held_as_declared = false;
    bool is_donated;  // unless the caller says otherwise
    int alias = -1;   // the number of the result that may take its place
  };
  struct Result {
    std::shared_ptr<const Shape> shape;
    Shape held;
    bool is_held_as_declared;
    int64_t held_bytes = 0;
    int alias = -1;  // the number of the argument whose place it may take
  };

  std::unique_ptr<CompiledModule> module;
  CompiledModule::Traits traits;
  std::vector<Argument> arguments;
  std::vector<Result> results;
  bool has_donations = false;
  // Whether all runs take about as long.
  bool has_constant_time;
  // Whether the latest run took so little that the next one needs no other thread.
  mutable std::atomic<bool> takes_little = false;

  CpuRuntime::Effort effort() const {
    if (traits.may_wait) return CpuRuntime::Effort::kMayWait;
    return takes_little.load(std::memory_order_relaxed) ? CpuRuntime::Effort::kLittle
                                                        : CpuRuntime::Effort::kMuch;
  }
};

// Several devices that run a program together: those of this process.
struct Gang {
  explicit Gang(std::unique_ptr<runtime::Rendezvous> rendezvous)
      : rendezvous(std::move(rendezvous)) {}
  const std::unique_ptr<runtime::Rendezvous> rendezvous;
  std::atomic<bool> stop = false;  // when one of them fails or the client goes away
};

struct DeviceRun {
  struct Argument {
    DeviceArrayRef array;
    bool is_donated;
  };

  std::shared_ptr<const void> owner;  // keeps the program alive
  const DeviceProgram* program;
  CpuDevice* device;
  runtime::Device place;       // among those that run the program
  std::shared_ptr<Gang> gang;  // null for one that runs alone
  uint64_t seed = 0;
  runtime::FfiSetting ffi;  // for typed custom calls
  absl::InlinedVector<Argument, 4> arguments;
  absl::InlinedVector<DeviceArrayRef, 4> results;
  Event done;  // the results' readiness

  // What must be there before it begins.
  absl::InlinedVector<Event, 8> Needs() const;
  // Runs it to its end and says so.
  void Perform(CpuRuntime& runtime, absl::Status status);
  // Says that it never runs.
  void Fail(absl::Status error) { Finish(std::move(error)); }

 private:
  absl::Status Run(CpuRuntime& runtime);
  absl::Status TimedRun(CpuRuntime& runtime);
  absl::Status CheckArguments() const;
  void Finish(absl::Status status);
};

}  // namespace xla

#endif  // HILO_API_PJRT_DEVICE_RUN_H_
