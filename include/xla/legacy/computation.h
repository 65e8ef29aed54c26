// The values of the 2017 interface, under the names they had then.
#ifndef XLA_LEGACY_COMPUTATION_H_
#define XLA_LEGACY_COMPUTATION_H_

#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"

namespace xla {

// The result of an operation of a ComputationBuilder.
using ComputationDataHandle = XlaOp;

// A finished program.
using Computation = XlaComputation;

}  // namespace xla

#endif  // XLA_LEGACY_COMPUTATION_H_
