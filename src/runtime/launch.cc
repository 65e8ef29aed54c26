#include "runtime/launch.h"

#include <new>
#include <utility>
#include <vector>

#include "base/float_environment.h"
#include "base/status_macros.h"
#include "runtime/copy.h"
#include "runtime/ffi/call.h"
#include "runtime/memory.h"
#include "runtime/overlapped_calls.h"
#include "runtime/parallel.h"
#include "runtime/profile.h"
#include "runtime/random_counter.h"
#include "runtime/transfers.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

// What HiloFrame::run points to.
struct Run {
  const Program& program;
  Environment environment;
  OverlappedCalls overlapped;
  absl::Status status;
};

void Parallel(HiloFrame* frame, HiloKernel* kernel, void* const* arrays, int64_t rows,
              int64_t least, int64_t site) {
  static_cast<Run*>(frame->run)->program.launch_sites[site].Run([&] {
    ParallelFor(rows, least, [&](int64_t begin, int64_t end) { kernel(arrays, begin, end); });
  });
}

// Whether nobody wants the results of a run that has no others to talk to.
bool IsStopped(const Environment& environment) {
  return environment.device.rendezvous == nullptr && environment.stop != nullptr &&
         environment.stop->load(std::memory_order_relaxed);
}

absl::Status CallKernel(Run& run, int64_t number, void* const* arrays) {
  try {
    absl::Status status;
    run.program.call_sites[number].Run(
        [&] { status = run.program.calls[number]->Run(arrays, run.environment); });
    return status.ok() ? status : WithCallPlace(status, run.program.call_places[number]);
  } catch (const std::bad_alloc&) {
    return WithCallPlace(ResourceExhausted("there is no memory left for a library kernel"),
                         run.program.call_places[number]);
  }
}

absl::Status Await(Run& run, int64_t beside) {
  Rendezvous* const rendezvous = run.environment.device.rendezvous;
  if (rendezvous == nullptr) return absl::OkStatus();
  absl::Duration overlap;
  const absl::Status status = run.overlapped.Await(beside, &overlap);
  rendezvous->NoteOverlap(overlap);
  return status;
}

// Exchanges of a device that is not alone in its process only copy what lies in it: they are done
// when they begin.
void Begin(Run& run, int64_t number, void* const* arrays) {
  run.overlapped.Begin(
      run.program.beside[number],
      [&run, number, list = std::vector<void*>(arrays, arrays + run.program.call_arrays[number])] {
        return CallKernel(run, number, list.data());
      });
}

bool GoesOnBeside(const Run& run, int64_t number) {
  const Device& device = run.environment.device;
  return run.program.beside[number] >= 0 && device.rendezvous != nullptr &&
         device.rendezvous->MayOverlap(device.id);
}

bool Call(HiloFrame* frame, int64_t number, void* const* arrays) {
  Run& run = *static_cast<Run*>(frame->run);
  if (IsStopped(run.environment)) {
    run.status = absl::AbortedError("the run was stopped");
    return false;
  }
  if (number < 0) {
    run.status = Await(run, AwaitOf(number));
  } else if (GoesOnBeside(run, number)) {
    Begin(run, number, arrays);
  } else {
    run.status = CallKernel(run, number, arrays);
  }
  return run.status.ok();
}

void Stamp(HiloFrame* frame, int64_t number, int64_t trips) {
  Recording* const recording = static_cast<Run*>(frame->run)->environment.recording;
  if (recording != nullptr) recording->Stamp(number, trips);
}

// What programs hand to kernels and library calls, apart from what they find out themselves.
void FillLists(const Program& program, HiloFrame& frame) {
  const void* const arena = frame.arena;
  const void* const* const begins[] = {frame.parameters, frame.results, frame.constants, &arena};
  void** next = frame.lists;
  for (const ListedArray& array : program.lists) {
    const char* const begin = static_cast<const char*>(begins[array.of][array.number]);
    *next++ = const_cast<char*>(begin) + array.offset;
  }
}

// Devices of one seed have different numbers: each begins 2^48 after the one before.
void SkipToDevice(int64_t device, RandomCounter& counter) {
  counter.Take(static_cast<uint64_t>(device) << 48);
}

}  // namespace

absl::Status Launch(const Program& program, absl::Span<const void* const> parameters,
                    absl::Span<void* const> results, const Environment& environment) {
  // The lists lie behind the arena.
  const int64_t arena_bytes = RoundUpTo(program.arena_bytes, kAlignment);
  HILO_ASSIGN_OR_RETURN(
      const Memory arena,
      Allocate(arena_bytes + static_cast<int64_t>(program.lists.size() * sizeof(void*))));
  RandomCounter random_counter(environment.seed);
  SkipToDevice(environment.device.id, random_counter);
  Run run = {program, environment};
  run.environment.random_counter = &random_counter;
  FfiRun ffi_run(environment.ffi);
  run.environment.ffi_run = &ffi_run;
  Transfers transfers(run.environment);
  run.environment.transfers = &transfers;
  HiloFrame frame = {parameters.data(),
                     results.data(),
                     program.constants.data(),
                     arena.get(),
                     reinterpret_cast<void**>(arena.get() + arena_bytes),
                     Parallel,
                     Call,
                     Stamp,
                     CopyBytes,
                     &run};
  FillLists(program, frame);
  Recording* const recording = environment.recording;
  const bool is_observed = recording != nullptr && recording->wants_events();
  const ObserveParts observe(is_observed ? recording : nullptr);
  if (recording != nullptr) recording->Begin();
  const ScopedFloatEnvironment float_environment(program.keeps_subnormals
                                                     ? FloatEnvironment::Default()
                                                     : FloatEnvironment::WithoutSubnormals());
  program.entry(&frame);
  return run.status.ok() ? transfers.WaitForReceivers() : run.status;
}

}  // namespace xla::runtime
