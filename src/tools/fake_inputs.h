// Inputs for programs nobody gave inputs for: the same numbers on every machine.
#ifndef HILO_TOOLS_FAKE_INPUTS_H_
#define HILO_TOOLS_FAKE_INPUTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

// Element k (row-major) of the array with number i, both from 0, comes from the bits
//   h = (k mod 1048573 + 1) * 0x9E3779B97F4A7C15 + (i + 1) * 0xBF58476D1CE4E5B9      (mod 2^64)
//   h = h ^ (h >> 31);  h = h * 0x94D049BB133111EB (mod 2^64);  h = h ^ (h >> 29);  u = h >> 40
// as (u / 2^24 - 0.5) * 0.2 rounded to a floating type, u mod 8 for an integer, u mod 2 == 1 for pred; a complex number
// takes elements 2k and 2k + 1. The leaves of a tuple are numbered in pre-order, beginning with `*next_number`, which is
// moved on.
absl::StatusOr<Literal> MakeFakeLiteral(const Shape& shape, int64_t* next_number);

// One literal for each parameter of the entry computation.
absl::StatusOr<std::vector<Literal>> MakeFakeInputs(const HloModule& module);

}  // namespace xla

#endif  // HILO_TOOLS_FAKE_INPUTS_H_
