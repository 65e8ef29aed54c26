// What functions that bring two numbers together do.
#ifndef HILO_PASSES_REDUCER_H_
#define HILO_PASSES_REDUCER_H_

#include <optional>

#include "passes/graph_builder.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/literal.h"

namespace xla::passes {

// The operation of a function that applies one to its two parameters, in any order.
std::optional<HloOpcode> OperationOf(const HloComputation& function);

// The same of a function whose result is of its parameters' element type.
std::optional<HloOpcode> ReducingOperationOf(const HloComputation& function);

// Whether numbers may be brought together in any grouping, rounding aside.
bool IsAssociative(HloOpcode operation);
// The same of a function that applies one operation to its two parameters.
bool IsAssociative(const HloComputation& function);

// What changes no number of the type that it is brought together with; nothing if that is not
// known.
std::optional<Literal> NeutralElement(HloOpcode operation, PrimitiveType type);
// The same of a function that applies one operation to two numbers of this type.
std::optional<Literal> NeutralElement(const HloComputation& function, PrimitiveType type);

// Whether a scatter's function is one operation on numbers of this type, or takes one of them.
bool IsOneOperation(const HloComputation& combiner, PrimitiveType type);
// What a scatter's function makes of all elements of an array and of updates of the same sizes;
// null where that is not one operation.
HloInstruction* Updated(GraphBuilder& builder, const HloComputation& combiner,
                        HloInstruction* array, HloInstruction* update);

}  // namespace xla::passes

#endif  // HILO_PASSES_REDUCER_H_
