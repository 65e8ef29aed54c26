// Short words for making instructions, for passes that write one operation as others.
#ifndef HILO_PASSES_GRAPH_BUILDER_H_
#define HILO_PASSES_GRAPH_BUILDER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/xla_data.pb.h"

namespace xla::passes {

// Adds instructions to the computation of the one that they are going to replace, with its
// metadata. Shapes are what the operations make of their operands; where an element-wise operation
// has operands of several shapes, scalars are stretched to the shape of the others.
class GraphBuilder {
 public:
  explicit GraphBuilder(HloInstruction& origin) : origin_(origin) {}

  HloComputation* computation() const { return origin_.parent(); }

  HloInstruction* Add(std::unique_ptr<HloInstruction> instruction);

  HloInstruction* Constant(Literal literal);
  // A scalar of any type but PRED that can hold the number.
  HloInstruction* Number(PrimitiveType type, double number);
  HloInstruction* Bits(PrimitiveType unsigned_type, uint64_t bits);
  HloInstruction* Iota(PrimitiveType type, absl::Span<const int64_t> sizes, int64_t dimension);

  HloInstruction* Unary(HloOpcode opcode, HloInstruction* x);
  HloInstruction* Binary(HloOpcode opcode, HloInstruction* x, HloInstruction* y);
  HloInstruction* Compare(Comparison::Direction direction, HloInstruction* x, HloInstruction* y);
  HloInstruction* Select(HloInstruction* predicate, HloInstruction* x, HloInstruction* y);
  // These give `x` itself where nothing changes.
  HloInstruction* Convert(HloInstruction* x, PrimitiveType type);
  HloInstruction* BitcastConvert(HloInstruction* x, PrimitiveType type);  // of the same width
  HloInstruction* Reshape(HloInstruction* x, absl::Span<const int64_t> sizes);
  HloInstruction* Transpose(HloInstruction* x, absl::Span<const int64_t> permutation);

  // Dimension i of `x` becomes dimension dimensions[i]; `x` itself where nothing changes.
  HloInstruction* Broadcast(HloInstruction* x, absl::Span<const int64_t> sizes,
                            absl::Span<const int64_t> dimensions = {});
  // Element `index` of a vector, as a scalar.
  HloInstruction* Element(HloInstruction* vector, int64_t index);
  HloInstruction* Part(HloInstruction* tuple, int64_t index);
  HloInstruction* Tuple(absl::Span<HloInstruction* const> parts);
  HloInstruction* Sum(HloInstruction* x, absl::Span<const int64_t> dimensions);
  // Each number along the last dimension with all before it, by an operation that has a neutral
  // element (NeutralElement in reducer.h).
  HloInstruction* Running(HloOpcode opcode, HloInstruction* x);

 private:
  // Stretches scalars to the first shape that is none.
  void Agree(absl::Span<HloInstruction*> operands);

  HloInstruction& origin_;
};

// `value` with its numbers converted to those of `shape`, which differs in element types alone, by
// instructions that `add` takes; `value` itself where nothing differs.
HloInstruction* ConvertTo(const Shape& shape, HloInstruction* value,
                          absl::FunctionRef<HloInstruction*(std::unique_ptr<HloInstruction>)> add);

// A computation that applies a binary operation to two scalars.
HloComputation* MakeScalarFunction(HloModule& module, HloOpcode opcode, PrimitiveType type);

// Copies of a function's instructions, with these in place of its parameters: its results.
std::vector<HloInstruction*> CopyInto(HloComputation::Builder& builder,
                                      const HloComputation& function,
                                      absl::Span<HloInstruction* const> parameters);

}  // namespace xla::passes

#endif  // HILO_PASSES_GRAPH_BUILDER_H_
