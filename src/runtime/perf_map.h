// What Linux's `perf` needs to name compiled code: where HILO_PERF of the environment is "map", the
// functions of each program that is loaded are added to /tmp/perf-PID.map, which perf reads by
// itself. Nobody takes out what is unloaded.
#ifndef HILO_RUNTIME_PERF_MAP_H_
#define HILO_RUNTIME_PERF_MAP_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"

namespace xla::runtime {

struct PerfFunction {
  uint64_t address, bytes;
  std::string name;
};

bool WantsPerfMap();
// A map that cannot be written to stays as it is: programs run all the same.
void AddToPerfMap(absl::Span<const PerfFunction> functions);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_PERF_MAP_H_
