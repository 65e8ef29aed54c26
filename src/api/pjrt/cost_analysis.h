// What a program costs, counted without running it.
#ifndef HILO_API_PJRT_COST_ANALYSIS_H_
#define HILO_API_PJRT_COST_ANALYSIS_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/pjrt/pjrt_common.h"

namespace xla {

// "flops": additions, multiplications and the like; "transcendentals": functions such as tanh;
// "bytes accessed": of arrays that operations read and write. Bodies of loops count once.
absl::flat_hash_map<std::string, PjRtValueType> AnalyzeCost(const HloModule& module);

}  // namespace xla

#endif  // HILO_API_PJRT_COST_ANALYSIS_H_
