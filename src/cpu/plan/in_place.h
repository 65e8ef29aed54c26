// Which results may take the place of parameters.
#ifndef HILO_CPU_PLAN_IN_PLACE_H_
#define HILO_CPU_PLAN_IN_PLACE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "cpu/plan/memory.h"
#include "cpu/report.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Pairs of a result and a parameter, by numbers of their arrays, between which `module` has an
// alias and whose memory may be the same: code after `plan` writes the result when it has read the
// parameter for the last time, or reads and writes element by element. `compiled` is what became of
// the module, with its parameters and results in front. What is decided is in `report` as well.
std::vector<std::pair<int64_t, int64_t>> FindInPlace(const HloModule& module,
                                                     const HloModule& compiled,
                                                     const MemoryPlan& plan,
                                                     CompileReport* report = nullptr);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_IN_PLACE_H_
