// Values of several operands that are folded together, in loops and with masks.
#ifndef HILO_CPU_EMIT_FOLDING_H_
#define HILO_CPU_EMIT_FOLDING_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cpu/emit/lanes.h"
#include "cpu/emit/loops.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

// What a loop carries for values, and the values again, whose parts are as those of `like`.
Carried ToCarried(absl::Span<const Lanes> values);
std::vector<Lanes> FromCarried(const Carried& carried, absl::Span<const Lanes> like);

std::vector<Lanes> SelectLanes(Builder& b, llvm::Value* mask, absl::Span<const Lanes> on_true,
                               absl::Span<const Lanes> on_false);

// computation(running..., values...); lanes outside of the mask (null: none) keep what is running.
absl::StatusOr<std::vector<Lanes>> Fold(Builder& b, const HloComputation& computation,
                                        absl::Span<const Lanes> running,
                                        absl::Span<const Lanes> values,
                                        llvm::Value* mask = nullptr);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_FOLDING_H_
