#include "api/pjrt/cost_analysis.h"

#include "base/status_macros.h"
#include "xla/service/hlo_cost_analysis.h"

namespace xla {

absl::StatusOr<absl::flat_hash_map<std::string, PjRtValueType>> AnalyzeCost(
    const HloModule& module) {
  HloCostAnalysis analysis;
  HILO_RETURN_IF_ERROR(module.entry_computation()->Accept(&analysis));
  absl::flat_hash_map<std::string, PjRtValueType> figures;
  analysis.properties().ForEach(
      [&](absl::string_view key, float value) { figures[std::string(key)] = value; });
  return figures;
}

}  // namespace xla
