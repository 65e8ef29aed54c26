// What the machine can do at most, measured by two small loops.
#ifndef HILO_TOOLS_MACHINE_LIMITS_H_
#define HILO_TOOLS_MACHINE_LIMITS_H_

#include <cstdint>
#include <vector>

namespace xla {

// The triad of STREAM over arrays that no cache holds, by all threads.
class Triad {
 public:
  Triad();
  // Once; the bytes that it reads and writes.
  double Run();

 private:
  std::vector<float> a_, b_, c_;
};

// Fused multiply-adds of f32 on registers, by all threads; how many operations these are, two each.
double RunMultiplyAdds();

struct MachineLimits {
  double bytes_per_second = 0;
  double flops_per_second = 0;
};
// The best of a few runs of both.
MachineLimits MeasureLimits();

}  // namespace xla

#endif  // HILO_TOOLS_MACHINE_LIMITS_H_
