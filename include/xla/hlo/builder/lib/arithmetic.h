// Small computations on scalars, and reductions made of them.
#ifndef XLA_HLO_BUILDER_LIB_ARITHMETIC_H_
#define XLA_HLO_BUILDER_LIB_ARITHMETIC_H_

#include <functional>
#include <string>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/xla_data.pb.h"

namespace xla {

using XlaOpGenerator = std::function<XlaOp(XlaOp, XlaOp)>;

// A computation (T, T) -> what `generator` makes of two scalars of `type`, in a sub-builder of
// `builder`, which also gets the error if there is one.
XlaComputation CreateScalarComputation(const std::string& name, PrimitiveType type,
                                       XlaBuilder* builder, XlaOpGenerator generator);

// (T, T) -> T; sum and product are "or" and "and" for PRED.
XlaComputation CreateScalarAddComputation(PrimitiveType type, XlaBuilder* builder);
XlaComputation CreateScalarMultiplyComputation(PrimitiveType type, XlaBuilder* builder);
XlaComputation CreateScalarMaxComputation(PrimitiveType type, XlaBuilder* builder);
XlaComputation CreateScalarMinComputation(PrimitiveType type, XlaBuilder* builder);
XlaComputation CreateScalarAndComputation(PrimitiveType type, XlaBuilder* builder);
XlaComputation CreateScalarOrComputation(PrimitiveType type, XlaBuilder* builder);

// (T, T) -> PRED: lhs >= rhs.
XlaComputation CreateScalarGeComputation(PrimitiveType type, XlaBuilder* builder);

// (T, T) -> T for values that are zero but for one of them: gives the one that is not zero. An
// all-reduce with it can be turned into anything that moves data.
XlaComputation CreateScalarIdentityWithZeroComputation(PrimitiveType type, XlaBuilder* builder);

// PRED scalar: whether any of the predicates holds.
XlaOp Any(XlaOp predicates);

// The place of the largest (smallest) element along `axis`, as integers of `output_type`: the first
// one if several are equal; that of a NaN if there is one.
XlaOp ArgMax(XlaOp input, PrimitiveType output_type, int axis);
XlaOp ArgMinMax(XlaOp input, PrimitiveType output_type, int axis, bool is_min);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_ARITHMETIC_H_
