// Runs on buffers, as those do who run a program again and again.
#ifndef HILO_TOOLS_BUFFER_RUN_H_
#define HILO_TOOLS_BUFFER_RUN_H_

#include <vector>

#include "absl/status/status.h"
#include "api/backend.h"
#include "xla/literal.h"
#include "xla/service/maybe_owning_device_address.h"
#include "xla/shape_tree.h"

namespace xla {

// The value's arrays, which are not copied.
ShapeTree<ArrayBuffer> ToBuffers(Literal value);

// One run that is lent the inputs; its result is dropped.
absl::Status RunOnce(CompiledModule& compiled, const std::vector<ShapeTree<ArrayBuffer>>& inputs);

}  // namespace xla

#endif  // HILO_TOOLS_BUFFER_RUN_H_
