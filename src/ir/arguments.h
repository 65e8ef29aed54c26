// What every run checks of its arguments, whatever they are kept in.
#ifndef HILO_IR_ARGUMENTS_H_
#define HILO_IR_ARGUMENTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape.h"

namespace xla {

// InvalidArgument unless the entry computation of `module` takes so many.
absl::Status CheckArgumentCount(const HloModule& module, int64_t count);

// InvalidArgument, with both shapes, unless fits(given, wanted) for parameter `number`.
absl::Status CheckArgumentShape(const HloModule& module, int64_t number, const Shape& given,
                                bool (*fits)(const Shape& given, const Shape& wanted));

}  // namespace xla

#endif  // HILO_IR_ARGUMENTS_H_
