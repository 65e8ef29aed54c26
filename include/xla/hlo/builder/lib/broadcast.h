// Broadcasting by the rules of NumPy.
#ifndef XLA_HLO_BUILDER_LIB_BROADCAST_H_
#define XLA_HLO_BUILDER_LIB_BROADCAST_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// The input repeated to `output_dims`: its dimensions are the last ones, and those of a size that
// divides the output's are repeated as a whole (size 1 in particular). InvalidArgument otherwise.
absl::StatusOr<XlaOp> BroadcastTo(XlaOp input, absl::Span<const int64_t> output_dims);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_BROADCAST_H_
