// The operations as member functions.
#include "xla/hlo/builder/xla_builder_methods.h"

#include "absl/status/status.h"
#include "front/builder/builder_state.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/util.h"

namespace xla {
namespace {

XlaBuilder* BuilderWith(XlaBuilderMethods* methods) { return static_cast<XlaBuilder*>(methods); }

// What `add` returns, or an operation that is not valid if an operand is not one of the builder.
template <typename Add>
XlaOp AddWith(XlaBuilderMethods* methods, absl::Span<const XlaOp> operands, Add add) {
  XlaBuilder* builder = BuilderWith(methods);
  for (const XlaOp operand : operands) {
    if (operand.IsUninitialized()) {
      return builder->ReportError(InvalidArgument(
          "builder %s was given an uninitialized operation as operand", builder->name()));
    }
    if (operand.builder() != builder) {
      return builder->ReportError(
          InvalidArgument("builder %s was given an operand of another builder, %s", builder->name(),
                          operand.builder()->name()));
    }
  }
  return add();
}

}  // namespace

XlaOp XlaBuilderMethods::Parameter(int64_t parameter_number, const Shape& shape,
                                   const std::string& name) {
  return xla::Parameter(BuilderWith(this), parameter_number, shape, name);
}

XlaOp XlaBuilderMethods::ConstantLiteral(const LiteralSlice& literal) {
  return xla::ConstantLiteral(BuilderWith(this), literal);
}

XlaOp XlaBuilderMethods::Iota(const Shape& shape, int64_t iota_dimension) {
  return xla::Iota(BuilderWith(this), shape, iota_dimension);
}

#define HILO_BINARY(Name, Function)                                                \
  XlaOp XlaBuilderMethods::Name(XlaOp lhs, XlaOp rhs,                              \
                                absl::Span<const int64_t> broadcast_dimensions) {  \
    return AddWith(this, {lhs, rhs},                                               \
                   [&] { return xla::Function(lhs, rhs, broadcast_dimensions); }); \
  }
#define XLA_BINARY(name, opcode) HILO_BINARY(name, name)
#include "xla/hlo/builder/xla_builder_functions.def"
HILO_BINARY(LogicalAnd, And)
HILO_BINARY(LogicalOr, Or)
HILO_BINARY(Eq, Eq)
HILO_BINARY(Ne, Ne)
HILO_BINARY(Ge, Ge)
HILO_BINARY(Gt, Gt)
HILO_BINARY(Le, Le)
HILO_BINARY(Lt, Lt)
HILO_BINARY(EqTotalOrder, EqTotalOrder)
HILO_BINARY(NeTotalOrder, NeTotalOrder)
HILO_BINARY(GeTotalOrder, GeTotalOrder)
HILO_BINARY(GtTotalOrder, GtTotalOrder)
HILO_BINARY(LeTotalOrder, LeTotalOrder)
HILO_BINARY(LtTotalOrder, LtTotalOrder)
#undef HILO_BINARY

#define HILO_UNARY(Name, Function)                                           \
  XlaOp XlaBuilderMethods::Name(XlaOp operand) {                             \
    return AddWith(this, {operand}, [&] { return xla::Function(operand); }); \
  }
#define XLA_UNARY(name, opcode) HILO_UNARY(name, name)
#define XLA_APPROXIMATED(name, opcode) HILO_UNARY(name, name)
#include "xla/hlo/builder/xla_builder_functions.def"
HILO_UNARY(LogicalNot, Not)
HILO_UNARY(OptimizationBarrier, OptimizationBarrier)
#undef HILO_UNARY

XlaOp XlaBuilderMethods::ConvertElementType(XlaOp operand, PrimitiveType new_element_type) {
  return AddWith(this, {operand},
                 [&] { return xla::ConvertElementType(operand, new_element_type); });
}

XlaOp XlaBuilderMethods::BitcastConvertType(XlaOp operand, PrimitiveType new_element_type) {
  return AddWith(this, {operand},
                 [&] { return xla::BitcastConvertType(operand, new_element_type); });
}

XlaOp XlaBuilderMethods::ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits) {
  return AddWith(this, {operand},
                 [&] { return xla::ReducePrecision(operand, exponent_bits, mantissa_bits); });
}

XlaOp XlaBuilderMethods::Select(XlaOp pred, XlaOp on_true, XlaOp on_false) {
  return AddWith(this, {pred, on_true, on_false},
                 [&] { return xla::Select(pred, on_true, on_false); });
}

XlaOp XlaBuilderMethods::Clamp(XlaOp min, XlaOp operand, XlaOp max) {
  return AddWith(this, {min, operand, max}, [&] { return xla::Clamp(min, operand, max); });
}

// Shapes and data movement.

XlaOp XlaBuilderMethods::Broadcast(XlaOp operand, absl::Span<const int64_t> broadcast_sizes) {
  return AddWith(this, {operand}, [&] { return xla::Broadcast(operand, broadcast_sizes); });
}

XlaOp XlaBuilderMethods::BroadcastInDim(XlaOp operand, absl::Span<const int64_t> out_dim_size,
                                        absl::Span<const int64_t> broadcast_dimensions) {
  return AddWith(this, {operand},
                 [&] { return xla::BroadcastInDim(operand, out_dim_size, broadcast_dimensions); });
}

XlaOp XlaBuilderMethods::Reshape(XlaOp operand, absl::Span<const int64_t> new_sizes) {
  return AddWith(this, {operand}, [&] { return xla::Reshape(operand, new_sizes); });
}

XlaOp XlaBuilderMethods::Reshape(XlaOp operand, absl::Span<const int64_t> dimensions,
                                 absl::Span<const int64_t> new_sizes) {
  return AddWith(this, {operand}, [&] { return xla::Reshape(operand, dimensions, new_sizes); });
}

XlaOp XlaBuilderMethods::Collapse(XlaOp operand, absl::Span<const int64_t> dimensions) {
  return AddWith(this, {operand}, [&] { return xla::Collapse(operand, dimensions); });
}

XlaOp XlaBuilderMethods::Transpose(XlaOp operand, absl::Span<const int64_t> permutation) {
  return AddWith(this, {operand}, [&] { return xla::Transpose(operand, permutation); });
}

XlaOp XlaBuilderMethods::Rev(XlaOp operand, absl::Span<const int64_t> dimensions) {
  return AddWith(this, {operand}, [&] { return xla::Rev(operand, dimensions); });
}

XlaOp XlaBuilderMethods::Pad(XlaOp operand, XlaOp padding_value,
                             const PaddingConfig& padding_config) {
  return AddWith(this, {operand, padding_value},
                 [&] { return xla::Pad(operand, padding_value, padding_config); });
}

XlaOp XlaBuilderMethods::Slice(XlaOp operand, absl::Span<const int64_t> start_indices,
                               absl::Span<const int64_t> limit_indices,
                               absl::Span<const int64_t> strides) {
  return AddWith(this, {operand},
                 [&] { return xla::Slice(operand, start_indices, limit_indices, strides); });
}

XlaOp XlaBuilderMethods::ConcatInDim(absl::Span<const XlaOp> operands, int64_t dimension) {
  return AddWith(this, operands,
                 [&] { return xla::ConcatInDim(BuilderWith(this), operands, dimension); });
}

XlaOp XlaBuilderMethods::DynamicSlice(XlaOp operand, absl::Span<const XlaOp> start_indices,
                                      absl::Span<const int64_t> slice_sizes) {
  return AddWith(this, {operand},
                 [&] { return xla::DynamicSlice(operand, start_indices, slice_sizes); });
}

XlaOp XlaBuilderMethods::DynamicUpdateSlice(XlaOp operand, XlaOp update,
                                            absl::Span<const XlaOp> start_indices) {
  return AddWith(this, {operand, update},
                 [&] { return xla::DynamicUpdateSlice(operand, update, start_indices); });
}

XlaOp XlaBuilderMethods::Gather(XlaOp input, XlaOp start_indices,
                                const GatherDimensionNumbers& dimension_numbers,
                                absl::Span<const int64_t> slice_sizes, bool indices_are_sorted,
                                bool unique_indices) {
  return AddWith(this, {input, start_indices}, [&] {
    return xla::Gather(input, start_indices, dimension_numbers, slice_sizes, indices_are_sorted);
  });
}

XlaOp XlaBuilderMethods::Scatter(XlaOp input, XlaOp scatter_indices, XlaOp updates,
                                 const XlaComputation& update_computation,
                                 const ScatterDimensionNumbers& dimension_numbers,
                                 bool indices_are_sorted, bool unique_indices) {
  return AddWith(this, {input, scatter_indices, updates}, [&] {
    return xla::Scatter(input, scatter_indices, updates, update_computation, dimension_numbers,
                        indices_are_sorted, unique_indices);
  });
}

XlaOp XlaBuilderMethods::Scatter(absl::Span<const XlaOp> inputs, XlaOp scatter_indices,
                                 absl::Span<const XlaOp> updates,
                                 const XlaComputation& update_computation,
                                 const ScatterDimensionNumbers& dimension_numbers,
                                 bool indices_are_sorted, bool unique_indices) {
  return AddWith(this, Joined(Joined(inputs, {scatter_indices}), updates), [&] {
    return xla::Scatter(inputs, scatter_indices, updates, update_computation, dimension_numbers,
                        indices_are_sorted, unique_indices);
  });
}

XlaOp XlaBuilderMethods::GetDimensionSize(XlaOp operand, int64_t dimension) {
  return AddWith(this, {operand}, [&] { return xla::GetDimensionSize(operand, dimension); });
}

XlaOp XlaBuilderMethods::SetDimensionSize(XlaOp operand, XlaOp size, int64_t dimension) {
  return AddWith(this, {operand, size},
                 [&] { return xla::SetDimensionSize(operand, size, dimension); });
}

XlaOp XlaBuilderMethods::Tuple(absl::Span<const XlaOp> elements) {
  return AddWith(this, elements, [&] { return xla::Tuple(BuilderWith(this), elements); });
}

XlaOp XlaBuilderMethods::GetTupleElement(XlaOp tuple_data, int64_t index) {
  return AddWith(this, {tuple_data}, [&] { return xla::GetTupleElement(tuple_data, index); });
}

// Reductions, windows, sorting.

XlaOp XlaBuilderMethods::Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                                absl::Span<const int64_t> dimensions_to_reduce) {
  return Reduce(absl::Span<const XlaOp>({operand}), absl::Span<const XlaOp>({init_value}),
                computation, dimensions_to_reduce);
}

XlaOp XlaBuilderMethods::Reduce(absl::Span<const XlaOp> operands,
                                absl::Span<const XlaOp> init_values,
                                const XlaComputation& computation,
                                absl::Span<const int64_t> dimensions_to_reduce) {
  return AddWith(this, Joined(operands, init_values), [&] {
    return xla::Reduce(BuilderWith(this), operands, init_values, computation, dimensions_to_reduce);
  });
}

XlaOp XlaBuilderMethods::ReduceWindow(XlaOp operand, XlaOp init_value,
                                      const XlaComputation& computation,
                                      absl::Span<const int64_t> window_dimensions,
                                      absl::Span<const int64_t> window_strides, Padding padding) {
  return AddWith(this, {operand, init_value}, [&] {
    return xla::ReduceWindow(operand, init_value, computation, window_dimensions, window_strides,
                             padding);
  });
}

XlaOp XlaBuilderMethods::ReduceWindow(absl::Span<const XlaOp> operands,
                                      absl::Span<const XlaOp> init_values,
                                      const XlaComputation& computation,
                                      absl::Span<const int64_t> window_dimensions,
                                      absl::Span<const int64_t> window_strides, Padding padding) {
  if (operands.empty()) {
    return BuilderWith(this)->ReportError(InvalidArgument("reduce-window: it has no operands"));
  }
  return AddWith(this, Joined(operands, init_values), [&] {
    return xla::ReduceWindow(operands, init_values, computation, window_dimensions, window_strides,
                             padding);
  });
}

XlaOp XlaBuilderMethods::SelectAndScatter(XlaOp operand, const XlaComputation& select,
                                          absl::Span<const int64_t> window_dimensions,
                                          absl::Span<const int64_t> window_strides, Padding padding,
                                          XlaOp source, XlaOp init_value,
                                          const XlaComputation& scatter) {
  return AddWith(this, {operand, source, init_value}, [&] {
    return xla::SelectAndScatter(operand, select, window_dimensions, window_strides, padding,
                                 source, init_value, scatter);
  });
}

XlaOp XlaBuilderMethods::Map(absl::Span<const XlaOp> operands, const XlaComputation& computation,
                             absl::Span<const int64_t> dimensions) {
  return AddWith(this, operands,
                 [&] { return xla::Map(BuilderWith(this), operands, computation, dimensions); });
}

XlaOp XlaBuilderMethods::Sort(absl::Span<const XlaOp> operands, const XlaComputation& comparator,
                              int64_t dimension, bool is_stable) {
  if (operands.empty()) {
    return BuilderWith(this)->ReportError(InvalidArgument("sort: it has no operands"));
  }
  return AddWith(this, operands,
                 [&] { return xla::Sort(operands, comparator, dimension, is_stable); });
}

XlaOp XlaBuilderMethods::TopK(XlaOp operand, int64_t k, bool largest) {
  return AddWith(this, {operand}, [&] { return xla::TopK(operand, k, largest); });
}

// Contractions, convolutions, linear algebra.

XlaOp XlaBuilderMethods::Dot(XlaOp lhs, XlaOp rhs) {
  return AddWith(this, {lhs, rhs}, [&] { return xla::Dot(lhs, rhs); });
}

XlaOp XlaBuilderMethods::DotGeneral(XlaOp lhs, XlaOp rhs,
                                    const DotDimensionNumbers& dimension_numbers) {
  return AddWith(this, {lhs, rhs}, [&] { return xla::DotGeneral(lhs, rhs, dimension_numbers); });
}

XlaOp XlaBuilderMethods::Conv(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                              Padding padding, int64_t feature_group_count,
                              int64_t batch_group_count) {
  return AddWith(this, {lhs, rhs}, [&] {
    return xla::Conv(lhs, rhs, window_strides, padding, feature_group_count, batch_group_count);
  });
}

XlaOp XlaBuilderMethods::ConvWithGeneralPadding(
    XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, int64_t feature_group_count,
    int64_t batch_group_count) {
  return AddWith(this, {lhs, rhs}, [&] {
    return xla::ConvGeneralDilated(
        lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation,
        XlaBuilder::CreateDefaultConvDimensionNumbers(static_cast<int>(window_strides.size())),
        feature_group_count, batch_group_count);
  });
}

XlaOp XlaBuilderMethods::Fft(XlaOp operand, FftType fft_type,
                             absl::Span<const int64_t> fft_length) {
  return AddWith(this, {operand}, [&] { return xla::Fft(operand, fft_type, fft_length); });
}

XlaOp XlaBuilderMethods::TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower,
                                         bool unit_diagonal,
                                         TriangularSolveOptions::Transpose transpose_a) {
  return AddWith(this, {a, b}, [&] {
    return xla::TriangularSolve(a, b, left_side, lower, unit_diagonal, transpose_a);
  });
}

XlaOp XlaBuilderMethods::Cholesky(XlaOp a, bool lower) {
  return AddWith(this, {a}, [&] { return xla::Cholesky(a, lower); });
}

XlaOp XlaBuilderMethods::BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon,
                                           int64_t feature_index) {
  return AddWith(this, {operand, scale, offset}, [&] {
    return xla::BatchNormTraining(operand, scale, offset, epsilon, feature_index);
  });
}

XlaOp XlaBuilderMethods::BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean,
                                            XlaOp variance, float epsilon, int64_t feature_index) {
  return AddWith(this, {operand, scale, offset, mean, variance}, [&] {
    return xla::BatchNormInference(operand, scale, offset, mean, variance, epsilon, feature_index);
  });
}

XlaOp XlaBuilderMethods::BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean,
                                       XlaOp batch_var, XlaOp grad_output, float epsilon,
                                       int64_t feature_index) {
  return AddWith(this, {operand, scale, batch_mean, batch_var, grad_output}, [&] {
    return xla::BatchNormGrad(operand, scale, batch_mean, batch_var, grad_output, epsilon,
                              feature_index);
  });
}

// Random numbers.

XlaOp XlaBuilderMethods::RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape) {
  return AddWith(this, {mu, sigma}, [&] { return xla::RngNormal(mu, sigma, shape); });
}

XlaOp XlaBuilderMethods::RngUniform(XlaOp a, XlaOp b, const Shape& shape) {
  return AddWith(this, {a, b}, [&] { return xla::RngUniform(a, b, shape); });
}

XlaOp XlaBuilderMethods::RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state,
                                         const Shape& shape) {
  return AddWith(this, {initial_state},
                 [&] { return xla::RngBitGenerator(algorithm, initial_state, shape); });
}

// Control flow and calls.

XlaOp XlaBuilderMethods::While(const XlaComputation& condition, const XlaComputation& body,
                               XlaOp init) {
  return AddWith(this, {init}, [&] { return xla::While(condition, body, init); });
}

XlaOp XlaBuilderMethods::Conditional(XlaOp predicate, XlaOp true_operand,
                                     const XlaComputation& true_computation, XlaOp false_operand,
                                     const XlaComputation& false_computation) {
  return AddWith(this, {predicate, true_operand, false_operand}, [&] {
    return xla::Conditional(predicate, true_operand, true_computation, false_operand,
                            false_computation);
  });
}

XlaOp XlaBuilderMethods::Conditional(XlaOp branch_index,
                                     absl::Span<const XlaComputation* const> branch_computations,
                                     absl::Span<const XlaOp> branch_operands) {
  return AddWith(this, Joined({branch_index}, branch_operands), [&] {
    return xla::Conditional(branch_index, branch_computations, branch_operands);
  });
}

XlaOp XlaBuilderMethods::Call(const XlaComputation& computation, absl::Span<const XlaOp> operands) {
  return AddWith(this, operands,
                 [&] { return xla::Call(BuilderWith(this), computation, operands); });
}

XlaOp XlaBuilderMethods::CompositeCall(const XlaComputation& computation,
                                       absl::Span<const XlaOp> operands, const std::string& name,
                                       std::optional<absl::string_view> attributes,
                                       std::optional<int64_t> version) {
  return AddWith(this, operands, [&] {
    return xla::CompositeCall(BuilderWith(this), computation, operands, name, attributes, version);
  });
}

XlaOp XlaBuilderMethods::CustomCall(const std::string& call_target_name,
                                    absl::Span<const XlaOp> operands, const Shape& shape) {
  return AddWith(this, operands, [&] {
    return xla::CustomCall(BuilderWith(this), call_target_name, operands, shape);
  });
}

// Order, input and output.

XlaOp XlaBuilderMethods::CreateToken() { return xla::CreateToken(BuilderWith(this)); }

XlaOp XlaBuilderMethods::AfterAll(absl::Span<const XlaOp> tokens) {
  return AddWith(this, tokens, [&] { return xla::AfterAll(BuilderWith(this), tokens); });
}

XlaOp XlaBuilderMethods::Infeed(const Shape& shape, const std::string& config) {
  return xla::Infeed(BuilderWith(this), shape, config);
}

void XlaBuilderMethods::Outfeed(XlaOp operand, const Shape& shape_with_layout,
                                const std::string& outfeed_config) {
  AddWith(this, {operand}, [&] {
    xla::Outfeed(operand, shape_with_layout, outfeed_config);
    return XlaOp();
  });
}

void XlaBuilderMethods::Send(XlaOp operand, const ChannelHandle& handle) {
  AddWith(this, {operand}, [&] {
    xla::Send(operand, handle);
    return XlaOp();
  });
}

XlaOp XlaBuilderMethods::Recv(const Shape& shape, const ChannelHandle& handle) {
  return xla::Recv(BuilderWith(this), shape, handle);
}

// Replicas.

XlaOp XlaBuilderMethods::ReplicaId() { return xla::ReplicaId(BuilderWith(this)); }

XlaOp XlaBuilderMethods::CrossReplicaSum(XlaOp operand,
                                         absl::Span<const ReplicaGroup> replica_groups) {
  return AddWith(this, {operand}, [&] { return xla::CrossReplicaSum(operand, replica_groups); });
}

XlaOp XlaBuilderMethods::AllReduce(XlaOp operand, const XlaComputation& computation,
                                   absl::Span<const ReplicaGroup> replica_groups,
                                   const std::optional<ChannelHandle>& channel_id) {
  return AddWith(this, {operand},
                 [&] { return xla::AllReduce(operand, computation, replica_groups, channel_id); });
}

XlaOp XlaBuilderMethods::AllGather(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                                   absl::Span<const ReplicaGroup> replica_groups,
                                   const std::optional<ChannelHandle>& channel_id) {
  return AddWith(this, {operand}, [&] {
    return xla::AllGather(operand, all_gather_dimension, shard_count, replica_groups, channel_id);
  });
}

XlaOp XlaBuilderMethods::ReduceScatter(XlaOp operand, const XlaComputation& computation,
                                       int64_t scatter_dimension, int64_t shard_count,
                                       absl::Span<const ReplicaGroup> replica_groups,
                                       const std::optional<ChannelHandle>& channel_id) {
  return AddWith(this, {operand}, [&] {
    return xla::ReduceScatter(operand, computation, scatter_dimension, shard_count, replica_groups,
                              channel_id);
  });
}

XlaOp XlaBuilderMethods::AllToAll(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                                  int64_t split_count,
                                  absl::Span<const ReplicaGroup> replica_groups) {
  return AddWith(this, {operand}, [&] {
    return xla::AllToAll(operand, split_dimension, concat_dimension, split_count, replica_groups);
  });
}

XlaOp XlaBuilderMethods::CollectivePermute(
    XlaOp operand, const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs) {
  return AddWith(this, {operand},
                 [&] { return xla::CollectivePermute(operand, source_target_pairs); });
}

}  // namespace xla
