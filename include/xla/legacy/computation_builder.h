// The builder of 2017, as a thin layer over XlaBuilder.
//
//   ComputationBuilder builder(client, "axpy");
//   auto a = builder.Parameter(0, ShapeUtil::MakeShape(F32, {}), "a");
//   auto x = builder.Parameter(1, ShapeUtil::MakeShape(F32, {1024}), "x");
//   auto y = builder.Parameter(2, ShapeUtil::MakeShape(F32, {1024}), "y");
//   builder.Add(builder.Mul(a, x), y);
//   Computation axpy = builder.Build().ConsumeValueOrDie();
//
// Most operations are members of XlaBuilder and have not changed since, see xla_builder_methods.h.
// Here is what differed: other arguments, another order of them, or an operation that is no more.
// The newer form of the same name can be called as well. The functions of xla_builder_ops.h work on
// the operations of this builder, too. Errors are kept until Build, as in XlaBuilder.
//
// Where 2017 left a result open, it is what the operation gives today: start indices out of range
// are moved inside, RngUniform never gives its upper bound, Sign keeps -0 and NaN, integer division
// never traps. A slice may be empty, and loops may be nested.
#ifndef XLA_LEGACY_COMPUTATION_BUILDER_H_
#define XLA_LEGACY_COMPUTATION_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/types/span.h"
#include "xla/hlo/builder/padding.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/legacy/computation.h"
#include "xla/legacy/statusor.h"
#include "xla/legacy/types.h"  // IWYU pragma: export
#include "xla/shape.h"

namespace xla {

class ComputationBuilder : public XlaBuilder {
 public:
  // `client` may be null; it is not used.
  ComputationBuilder(Client* client, const std::string& computation_name);

  // The program, whose result is the last operation added, or the first error that happened. The
  // builder is empty afterwards.
  legacy::StatusOr<Computation> Build();

  // min(max(operand, min), max). The bounds are scalars or have the operand's shape. Note the
  // order: XlaBuilder's Clamp takes the operand in the middle.
  ComputationDataHandle Clamp(ComputationDataHandle operand, ComputationDataHandle min,
                              ComputationDataHandle max);

  // Applies `computation` to the elements of the operands, one of each at a time, and then to the
  // static operands, which are the same every time. These must be scalars. `dimensions` has to be
  // all dimensions of the operands, in order; none means that.
  ComputationDataHandle Map(absl::Span<const ComputationDataHandle> operands,
                            const Computation& computation,
                            absl::Span<const ComputationDataHandle> static_operands);
  ComputationDataHandle Map(absl::Span<const ComputationDataHandle> operands,
                            const Computation& computation,
                            absl::Span<const int64_t> dimensions = {},
                            absl::Span<const ComputationDataHandle> static_operands = {});
  // So that {} is an empty list of dimensions.
  ComputationDataHandle Map(absl::Span<const ComputationDataHandle> operands,
                            const Computation& computation,
                            std::initializer_list<int64_t> dimensions,
                            absl::Span<const ComputationDataHandle> static_operands = {}) {
    return Map(operands, computation, absl::Span<const int64_t>(dimensions), static_operands);
  }

  // Start indices in an array of rank 1, with one element for each dimension of the operand.
  ComputationDataHandle DynamicSlice(ComputationDataHandle operand,
                                     ComputationDataHandle start_indices,
                                     absl::Span<const int64_t> slice_sizes);
  ComputationDataHandle DynamicUpdateSlice(ComputationDataHandle operand,
                                           ComputationDataHandle update,
                                           ComputationDataHandle start_indices);
  using XlaBuilder::DynamicSlice;
  using XlaBuilder::DynamicUpdateSlice;

  // The computation may stand before the initial value or, as for XlaBuilder, after it.
  ComputationDataHandle ReduceWindow(ComputationDataHandle operand, const Computation& computation,
                                     ComputationDataHandle init_value,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides, Padding padding);
  using XlaBuilder::ReduceWindow;

  // In ascending order along the last dimension, in total order for floating point types: NaN comes
  // last, or first if its sign bit is set. Equal elements may change places.
  ComputationDataHandle Sort(ComputationDataHandle operand);
  using XlaBuilder::Sort;

  // Vectors and matrices only: products of higher rank contracted other dimensions in 2017 than
  // they do today.
  ComputationDataHandle Dot(ComputationDataHandle lhs, ComputationDataHandle rhs);

  // 1 with the probability `mean`, else 0, each element on its own. `mean` is a scalar F32; `shape`
  // has the element type U32. A mean of at most 0 gives only zeros, one of at least 1 only ones.
  ComputationDataHandle RngBernoulli(ComputationDataHandle mean, const Shape& shape);
};

}  // namespace xla

#endif  // XLA_LEGACY_COMPUTATION_BUILDER_H_
