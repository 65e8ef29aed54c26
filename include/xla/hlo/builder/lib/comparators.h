// Comparison functions for Sort.
#ifndef XLA_HLO_BUILDER_LIB_COMPARATORS_H_
#define XLA_HLO_BUILDER_LIB_COMPARATORS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/xla_data.pb.h"

namespace xla {

// For operands of these types: whether the first operand's lhs comes before its rhs, in total order
// for floating point types. Parameters 2i and 2i + 1 are lhs and rhs of operand i.
XlaComputation CreateScalarLtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder);
XlaComputation CreateScalarGtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder);

// Compares lexicographically: operands with a generator are the keys, in their order; one that is
// not last decides unless lhs and rhs are equal there. At least one must have a generator.
XlaComputation CreateScalarComparisonComputation(
    const std::string& name, const std::vector<PrimitiveType>& operand_types,
    const std::vector<std::optional<XlaOp (*)(XlaOp, XlaOp, absl::Span<const int64_t>)>>&
        generators,
    XlaBuilder* builder);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_COMPARATORS_H_
