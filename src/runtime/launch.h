// Running compiled programs.
#ifndef HILO_RUNTIME_LAUNCH_H_
#define HILO_RUNTIME_LAUNCH_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/program.h"

namespace xla::runtime {

// Runs a program on the leaves of its parameters and results: their number and sizes are those that
// the program names, each aligned to kAlignment. ResourceExhausted when there is no memory for its
// arena; otherwise the error of the first library call that fails.
absl::Status Launch(const Program& program, absl::Span<const void* const> parameters,
                    absl::Span<void* const> results, const Environment& environment);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_LAUNCH_H_
