#include "ir/arguments.h"

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/util.h"

namespace xla {

absl::Status CheckArgumentCount(const HloModule& module, int64_t count) {
  const int64_t wanted = module.entry_computation()->num_parameters();
  if (count == wanted) return absl::OkStatus();
  return InvalidArgument("program %s takes %d arguments, but %d were given", module.name(), wanted,
                         count);
}

absl::Status CheckArgumentShape(const HloModule& module, int64_t number, const Shape& given,
                                bool (*fits)(const Shape& given, const Shape& wanted)) {
  const Shape& wanted = module.entry_computation()->parameter_instruction(number)->shape();
  if (fits(given, wanted)) return absl::OkStatus();
  return InvalidArgument("program %s: parameter %d has shape %s, but the argument has shape %s",
                         module.name(), number, wanted.ToString(), given.ToString());
}

}  // namespace xla
