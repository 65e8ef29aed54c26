// The operations as member functions of the builder: builder.Add(x, y) does what Add(x, y) does.
//
// XlaBuilder has them all. Each is the function of that name in xla_builder_ops.h, which describes
// it, and takes the same arguments after the builder, but for what is said here. Unlike those
// functions they know their builder without an operand: an operand of another builder, or of none,
// is an error that Build returns.
#ifndef XLA_HLO_BUILDER_XLA_BUILDER_METHODS_H_
#define XLA_HLO_BUILDER_XLA_BUILDER_METHODS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/padding.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {

class XlaOp;

class XlaBuilderMethods {
 public:
  // Parameters and constants. The element type of ConstantR0, R1 and R2 is that of NativeT.
  XlaOp Parameter(int64_t parameter_number, const Shape& shape, const std::string& name);
  XlaOp ConstantLiteral(const LiteralSlice& literal);
  template <typename NativeT>
  auto ConstantR0(NativeT value) {
    return ConstantLiteral(LiteralUtil::CreateR0<NativeT>(value));
  }
  template <typename NativeT>
  auto ConstantR1(absl::Span<const NativeT> values) {
    return ConstantLiteral(LiteralUtil::CreateR1<NativeT>(values));
  }
  template <typename NativeT>
  auto ConstantR1(std::initializer_list<NativeT> values) {
    return ConstantLiteral(LiteralUtil::CreateR1<NativeT>(values));
  }
  template <typename NativeT>
  auto ConstantR2(std::initializer_list<std::initializer_list<NativeT>> values) {
    return ConstantLiteral(LiteralUtil::CreateR2<NativeT>(values));
  }
  XlaOp Iota(const Shape& shape, int64_t iota_dimension);

  // Element-wise functions of one and of two numbers (xla_builder_functions.def). LogicalAnd,
  // LogicalOr and LogicalNot are other names of And, Or and Not.
#define XLA_UNARY(name, opcode) XlaOp name(XlaOp operand);
#define XLA_APPROXIMATED(name, opcode) XlaOp name(XlaOp operand);
#define XLA_BINARY(name, opcode) \
  XlaOp name(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
#include "xla/hlo/builder/xla_builder_functions.def"
  XlaOp LogicalAnd(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp LogicalOr(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp LogicalNot(XlaOp operand);

  // Other element-wise operations.
  XlaOp Eq(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp Ne(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp Ge(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp Gt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp Le(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp Lt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
  XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type);
  XlaOp BitcastConvertType(XlaOp operand, PrimitiveType new_element_type);
  XlaOp ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits);

  XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false);
  XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max);

  // Shapes and data movement. Without strides a slice takes every element.
  XlaOp Broadcast(XlaOp operand, absl::Span<const int64_t> broadcast_sizes);
  XlaOp BroadcastInDim(XlaOp operand, absl::Span<const int64_t> out_dim_size,
                       absl::Span<const int64_t> broadcast_dimensions);
  XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> new_sizes);
  // Reads the operand's elements with dimensions[0] varying slowest and dimensions[n-1] fastest;
  // `dimensions` has each dimension of the operand once.
  XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions,
                absl::Span<const int64_t> new_sizes);
  XlaOp Collapse(XlaOp operand, absl::Span<const int64_t> dimensions);
  XlaOp Transpose(XlaOp operand, absl::Span<const int64_t> permutation);
  XlaOp Rev(XlaOp operand, absl::Span<const int64_t> dimensions);
  XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding_config);
  XlaOp Slice(XlaOp operand, absl::Span<const int64_t> start_indices,
              absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides = {});
  XlaOp ConcatInDim(absl::Span<const XlaOp> operands, int64_t dimension);
  XlaOp DynamicSlice(XlaOp operand, absl::Span<const XlaOp> start_indices,
                     absl::Span<const int64_t> slice_sizes);
  XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, absl::Span<const XlaOp> start_indices);
  // `unique_indices` is a hint that changes nothing.
  XlaOp Gather(XlaOp input, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
               absl::Span<const int64_t> slice_sizes, bool indices_are_sorted = false,
               bool unique_indices = false);
  XlaOp Scatter(XlaOp input, XlaOp scatter_indices, XlaOp updates,
                const XlaComputation& update_computation,
                const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
                bool unique_indices = false);
  XlaOp Scatter(absl::Span<const XlaOp> inputs, XlaOp scatter_indices,
                absl::Span<const XlaOp> updates, const XlaComputation& update_computation,
                const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
                bool unique_indices = false);
  XlaOp GetDimensionSize(XlaOp operand, int64_t dimension);
  XlaOp SetDimensionSize(XlaOp operand, XlaOp size, int64_t dimension);
  XlaOp Tuple(absl::Span<const XlaOp> elements);
  XlaOp GetTupleElement(XlaOp tuple_data, int64_t index);

  // Reductions, windows, sorting.
  XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
               absl::Span<const int64_t> dimensions_to_reduce);
  XlaOp Reduce(absl::Span<const XlaOp> operands, absl::Span<const XlaOp> init_values,
               const XlaComputation& computation, absl::Span<const int64_t> dimensions_to_reduce);
  XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                     absl::Span<const int64_t> window_dimensions,
                     absl::Span<const int64_t> window_strides, Padding padding);
  XlaOp ReduceWindow(absl::Span<const XlaOp> operands, absl::Span<const XlaOp> init_values,
                     const XlaComputation& computation, absl::Span<const int64_t> window_dimensions,
                     absl::Span<const int64_t> window_strides, Padding padding);
  XlaOp SelectAndScatter(XlaOp operand, const XlaComputation& select,
                         absl::Span<const int64_t> window_dimensions,
                         absl::Span<const int64_t> window_strides, Padding padding, XlaOp source,
                         XlaOp init_value, const XlaComputation& scatter);
  XlaOp Map(absl::Span<const XlaOp> operands, const XlaComputation& computation,
            absl::Span<const int64_t> dimensions);
  XlaOp Sort(absl::Span<const XlaOp> operands, const XlaComputation& comparator,
             int64_t dimension = -1, bool is_stable = false);
  XlaOp TopK(XlaOp operand, int64_t k, bool largest);

  // Contractions, convolutions, linear algebra. Without dilations they are 1.
  XlaOp Dot(XlaOp lhs, XlaOp rhs);
  XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers);
  XlaOp Conv(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides, Padding padding,
             int64_t feature_group_count = 1, int64_t batch_group_count = 1);
  XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                               absl::Span<const std::pair<int64_t, int64_t>> padding,
                               absl::Span<const int64_t> lhs_dilation = {},
                               absl::Span<const int64_t> rhs_dilation = {},
                               int64_t feature_group_count = 1, int64_t batch_group_count = 1);
  XlaOp Fft(XlaOp operand, FftType fft_type, absl::Span<const int64_t> fft_length);
  XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                        TriangularSolveOptions::Transpose transpose_a);
  XlaOp Cholesky(XlaOp a, bool lower);
  XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon,
                          int64_t feature_index);
  XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                           float epsilon, int64_t feature_index);
  XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                      XlaOp grad_output, float epsilon, int64_t feature_index);

  // Random numbers.
  XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape);
  XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape);
  XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape);

  // Control flow and calls.
  XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init);
  XlaOp Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation,
                    XlaOp false_operand, const XlaComputation& false_computation);
  XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputation* const> branch_computations,
                    absl::Span<const XlaOp> branch_operands);
  XlaOp Call(const XlaComputation& computation, absl::Span<const XlaOp> operands);
  XlaOp CompositeCall(const XlaComputation& computation, absl::Span<const XlaOp> operands,
                      const std::string& name,
                      std::optional<absl::string_view> attributes = std::nullopt,
                      std::optional<int64_t> version = std::nullopt);
  XlaOp CustomCall(const std::string& call_target_name, absl::Span<const XlaOp> operands,
                   const Shape& shape);
  XlaOp OptimizationBarrier(XlaOp operand);

  // Order, input and output.
  XlaOp CreateToken();
  XlaOp AfterAll(absl::Span<const XlaOp> tokens);
  XlaOp Infeed(const Shape& shape, const std::string& config = "");
  void Outfeed(XlaOp operand, const Shape& shape_with_layout, const std::string& outfeed_config);
  void Send(XlaOp operand, const ChannelHandle& handle);
  XlaOp Recv(const Shape& shape, const ChannelHandle& handle);

  // Replicas.
  XlaOp ReplicaId();
  XlaOp CrossReplicaSum(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups = {});
  XlaOp AllReduce(XlaOp operand, const XlaComputation& computation,
                  absl::Span<const ReplicaGroup> replica_groups = {},
                  const std::optional<ChannelHandle>& channel_id = std::nullopt);
  XlaOp AllGather(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                  absl::Span<const ReplicaGroup> replica_groups = {},
                  const std::optional<ChannelHandle>& channel_id = std::nullopt);
  XlaOp ReduceScatter(XlaOp operand, const XlaComputation& computation, int64_t scatter_dimension,
                      int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups = {},
                      const std::optional<ChannelHandle>& channel_id = std::nullopt);
  XlaOp AllToAll(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                 int64_t split_count, absl::Span<const ReplicaGroup> replica_groups = {});
  XlaOp CollectivePermute(XlaOp operand,
                          const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs);

 protected:
  // Only an XlaBuilder has them.
  XlaBuilderMethods() = default;
  ~XlaBuilderMethods() = default;
};

}  // namespace xla

#endif  // XLA_HLO_BUILDER_XLA_BUILDER_METHODS_H_
