// Makes modules small, so that what is wrong with them is seen at a glance.
#ifndef HILO_TOOLS_REDUCE_MODULE_H_
#define HILO_TOOLS_REDUCE_MODULE_H_

#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// The smallest module that can be reached from `module` in steps that keep it valid and
// `is_interesting`: elements of the result are left out, instructions become parameters, zeros or
// one of their operands, loops and branches are run once, calls are inlined, dimensions become
// shorter. InvalidArgument when the module is not interesting itself.
absl::StatusOr<std::unique_ptr<HloModule>> ReduceModule(
    const HloModule& module,
    absl::FunctionRef<absl::StatusOr<bool>(const HloModule&)> is_interesting);

}  // namespace xla

#endif  // HILO_TOOLS_REDUCE_MODULE_H_
