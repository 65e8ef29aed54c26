// What the engines do by themselves, to compare with.
#ifndef HILO_BENCH_DISTRIBUTED_BASELINE_H_
#define HILO_BENCH_DISTRIBUTED_BASELINE_H_

#include <cstddef>
#include <memory>

#include "tools/processes.h"

namespace xla {

class Baseline {
 public:
  virtual ~Baseline() = default;
  // Sums of all processes.
  virtual void AllReduce(float* data, size_t count) = 0;
  // Sends to the next process and receives from the one before.
  virtual void Exchange(const char* sent, char* received, size_t bytes) = 0;
};

std::unique_ptr<Baseline> MakeGlooBaseline(const ProcessPlace& place);
std::unique_ptr<Baseline> MakeMpiBaseline(const ProcessPlace& place);

}  // namespace xla

#endif  // HILO_BENCH_DISTRIBUTED_BASELINE_H_
