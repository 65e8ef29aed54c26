// What a program costs, as executables tell it.
#ifndef HILO_API_PJRT_COST_ANALYSIS_H_
#define HILO_API_PJRT_COST_ANALYSIS_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/pjrt/pjrt_common.h"

namespace xla {

// The figures of HloCostAnalysis for the entry computation, by name.
absl::StatusOr<absl::flat_hash_map<std::string, PjRtValueType>> AnalyzeCost(
    const HloModule& module);

}  // namespace xla

#endif  // HILO_API_PJRT_COST_ANALYSIS_H_
