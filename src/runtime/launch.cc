#include "runtime/launch.h"

#include <cstdlib>
#include <memory>
#include <vector>

#include "runtime/parallel.h"
#include "runtime/random_counter.h"
#include "runtime/transfers.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

// What HiloFrame::run points to.
struct Run {
  const Program& program;
  Environment environment;
  absl::Status status;
};

void Parallel(HiloKernel* kernel, void* const* arrays, int64_t rows, int64_t least) {
  ParallelFor(rows, least, [&](int64_t begin, int64_t end) { kernel(arrays, begin, end); });
}

bool Call(HiloFrame* frame, int64_t number, void* const* arrays) {
  Run& run = *static_cast<Run*>(frame->run);
  run.status = run.program.calls[number]->Run(arrays, run.environment);
  return run.status.ok();
}

}  // namespace

absl::Status Launch(const Program& program, absl::Span<const void* const> parameters,
                    absl::Span<void* const> results, const Environment& environment) {
  const auto release = [](char* memory) { std::free(memory); };
  const int64_t bytes = (program.arena_bytes / kAlignment + 1) * kAlignment;
  const std::unique_ptr<char, decltype(release)> arena(
      static_cast<char*>(std::aligned_alloc(kAlignment, bytes)), release);
  if (arena == nullptr) return ResourceExhausted("no %d bytes of memory for the program", bytes);
  std::vector<const void*> constants;
  constants.reserve(program.constants.size());
  for (const std::string& constant : program.constants) constants.push_back(constant.data());
  RandomCounter random_counter(environment.seed);
  Run run = {program, environment, absl::OkStatus()};
  run.environment.random_counter = &random_counter;
  Transfers transfers(run.environment);
  run.environment.transfers = &transfers;
  HiloFrame frame = {
      parameters.data(), results.data(), constants.data(), arena.get(), Parallel, Call, &run};
  ShareThreadsWithLibraries();
  program.entry(&frame);
  return run.status.ok() ? transfers.WaitForReceivers() : run.status;
}

}  // namespace xla::runtime
