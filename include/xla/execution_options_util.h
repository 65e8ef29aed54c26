#ifndef XLA_EXECUTION_OPTIONS_UTIL_H_
#define XLA_EXECUTION_OPTIONS_UTIL_H_

#include "xla/xla.pb.h"

namespace xla {

// Options with which a program runs unless others are given: the debug options of the environment
// (see debug_options_flags.h), one replica and one partition.
ExecutionOptions CreateDefaultExecutionOptions();

}  // namespace xla

#endif  // XLA_EXECUTION_OPTIONS_UTIL_H_
