// Builds programs in C++: each function call adds one operation.
//
//   XlaBuilder builder("axpy");
//   Shape shape = ShapeUtil::MakeShape(F32, {1024});
//   XlaOp a = Parameter(&builder, 0, ShapeUtil::MakeShape(F32, {}), "a");
//   XlaOp x = Parameter(&builder, 1, shape, "x");
//   XlaOp y = Parameter(&builder, 2, shape, "y");
//   Add(Mul(a, x), y);
//   absl::StatusOr<XlaComputation> axpy = builder.Build();
//
// Errors are kept: a function given bad operands records the first error in the builder and returns
// an operation that is not valid; Build returns that error. The functions themselves are declared
// in xla_builder_ops.h, which this header includes; xla_builder_methods.h has them as members.
#ifndef XLA_HLO_BUILDER_XLA_BUILDER_H_
#define XLA_HLO_BUILDER_XLA_BUILDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder_methods.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/ir/hlo_input_output_alias_config.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla {

class Client;
class XlaBuilder;

namespace internal {
class BuilderState;
struct XlaBuilderFriend;
}  // namespace internal

// The result of an operation of one builder. A small value, passed by value; it must not outlive
// its builder.
class XlaOp {
 public:
  // Belongs to no builder and stands for nothing.
  XlaOp() : handle_(-1), builder_(nullptr) {}

  // The builder it belongs to. Asking an uninitialized operation is a bug of the caller and ends
  // the process.
  XlaBuilder* builder() const;

  // False for an uninitialized operation and for one whose making failed.
  bool valid() const { return handle_ >= 0; }

  // True for a default-constructed operation.
  bool IsUninitialized() const { return builder_ == nullptr; }

  bool IsIdenticalTo(XlaOp rhs) const { return handle_ == rhs.handle_ && builder_ == rhs.builder_; }

  friend std::ostream& operator<<(std::ostream& out, XlaOp op) { return out << op.handle_; }

 private:
  friend class XlaBuilder;
  friend class internal::BuilderState;
  friend struct internal::XlaBuilderFriend;

  explicit XlaOp(XlaBuilder* builder) : handle_(-1), builder_(builder) {}
  XlaOp(int64_t handle, XlaBuilder* builder) : handle_(handle), builder_(builder) {}

  int64_t handle() const { return handle_; }

  int64_t handle_;
  XlaBuilder* builder_;
};

// A computation that a builder already holds, to be called any number of times without another copy
// of it.
class XlaComputationId {
 public:
  XlaComputationId() : handle_(-1), builder_(nullptr) {}

  bool valid() const { return handle_ >= 0; }

  friend std::ostream& operator<<(std::ostream& out, XlaComputationId id) {
    return out << id.handle_;
  }

 private:
  friend class XlaBuilder;
  friend class internal::BuilderState;
  friend struct internal::XlaBuilderFriend;

  XlaComputationId(int64_t handle, XlaBuilder* builder) : handle_(handle), builder_(builder) {}

  int64_t handle_;
  XlaBuilder* builder_;
};

// Collects the operations of one computation. Not for use by several threads at once.
class XlaBuilder : public XlaBuilderMethods {
 public:
  // Where the dimensions stand in CreateDefaultConvDimensionNumbers(2).
  static constexpr int64_t kConvBatchDimension = 0;
  static constexpr int64_t kConvFeatureDimension = 1;
  static constexpr int64_t kConvFirstSpatialDimension = 2;
  static constexpr int64_t kConvSecondSpatialDimension = 3;
  static constexpr int64_t kConvKernelOutputDimension = 0;
  static constexpr int64_t kConvKernelInputDimension = 1;
  static constexpr int64_t kConvKernelFirstSpatialDimension = 2;
  static constexpr int64_t kConvKernelSecondSpatialDimension = 3;

  explicit XlaBuilder(const std::string& computation_name);
  // The same. Builders once needed a client.
  XlaBuilder(Client* client, const std::string& computation_name);
  virtual ~XlaBuilder();
  XlaBuilder(const XlaBuilder&) = delete;
  XlaBuilder& operator=(const XlaBuilder&) = delete;

  const std::string& name() const;

  // What operations added from now on carry. The one-shot metadata is for the next operation only.
  void SetOpMetadata(OpMetadata metadata);
  OpMetadata SwapOpMetadata(OpMetadata metadata);
  void SetOneShotOpMetadata(OpMetadata metadata);
  void ClearOpMetadata();
  void SetSharding(const OpSharding& sharding);
  std::optional<OpSharding> SwapSharding(std::optional<OpSharding> sharding);
  void ClearSharding();
  const std::optional<OpSharding>& sharding() const;
  void SetFrontendAttributes(const FrontendAttributes& frontend_attributes);
  FrontendAttributes SwapFrontendAttributes(const FrontendAttributes& frontend_attributes);
  void ClearFrontendAttributes();
  const FrontendAttributes& frontend_attributes() const;
  void SetOriginalValue(const OriginalValueProto& original_value);
  std::optional<OriginalValueProto> SwapOriginalValue(
      std::optional<OriginalValueProto> original_value);
  void ClearOriginalValue();
  const std::optional<OriginalValueProto>& original_value() const;

  // With true the first error ends the process, with a message that says where: for debugging.
  void set_die_immediately_on_error(bool enabled);

  // Batch, feature, then the spatial dimensions, for input and output; output feature, input
  // feature, then the spatial ones for the kernel.
  static ConvolutionDimensionNumbers CreateDefaultConvDimensionNumbers(int num_spatial_dims = 2);
  // InvalidArgument unless the numbers of input, kernel and output are each 0, 1, ..., n-1 in some
  // order.
  static absl::Status Validate(const ConvolutionDimensionNumbers& dnum);

  // A builder for a computation that operations of this one will call: it shares names and
  // numbering.
  std::unique_ptr<XlaBuilder> CreateSubBuilder(const std::string& computation_name);

  // Ends a sub-builder: the computation becomes part of the parent, under the id that is returned.
  // The root is the last operation added unless given.
  absl::StatusOr<XlaComputationId> BuildSubComputation(std::optional<XlaOp> root = std::nullopt,
                                                       bool remove_dynamic_dimensions = false);

  // Makes a copy of the computation part of this builder, once for any number of calls.
  XlaComputationId AddSubComputation(const XlaComputation& computation);

  // The program, or the first error that happened. The root is the last operation added unless
  // given. The builder is empty afterwards.
  absl::StatusOr<XlaComputation> Build(bool remove_dynamic_dimensions = false);
  absl::StatusOr<XlaComputation> Build(XlaOp root, bool remove_dynamic_dimensions = false);
  // The computation that was added under this id, as a program of its own.
  absl::StatusOr<XlaComputation> Build(XlaComputationId entry_id);

  // Like Build, but an error is recorded in the parent and gives a null computation.
  XlaComputation BuildAndNoteError();

  // The part of the program that computes `root_op`, which must not depend on parameters or on
  // anything that differs between executions (see IsConstant). GetDimensionSize becomes the static
  // size, or -1 for a dynamic dimension when `dynamic_dimension_is_minus_one`.
  absl::StatusOr<XlaComputation> BuildConstantSubGraph(XlaOp root_op,
                                                       bool dynamic_dimension_is_minus_one = false);

  // The first error, or OK.
  absl::Status first_error() const;
  // What Build would return as its status.
  absl::Status GetCurrentStatus() const;

  absl::StatusOr<Shape> GetShape(XlaOp op) const;
  // The pointer is good until the next operation is added.
  absl::StatusOr<const Shape*> GetShapePtr(XlaOp op) const;
  absl::StatusOr<std::vector<Shape>> GetOperandShapes(absl::Span<const XlaOp> operands) const;
  absl::StatusOr<std::optional<OpSharding>> GetOpSharding(XlaOp op) const;

  // The parameters so far and the shape of the root: of the last operation added, or of the one
  // given.
  absl::StatusOr<ProgramShape> GetProgramShape() const;
  absl::StatusOr<ProgramShape> GetProgramShape(XlaOp root) const;

  // Records an error, unless there is one already, and returns an operation that is not valid.
  XlaOp ReportError(const absl::Status& error);
  XlaOp ReportErrorOrReturn(const absl::StatusOr<XlaOp>& op);
  XlaOp ReportErrorOrReturn(absl::FunctionRef<absl::StatusOr<XlaOp>()> op_creator);

  // True when the value depends on no parameter, no random number and on no other device, so that
  // it can be computed ahead of time.
  absl::StatusOr<bool> IsConstant(XlaOp operand) const;

  // The result (or the part of it at `output_index`) uses the buffer of that parameter (or its
  // part). Checked by Build.
  void SetUpAlias(
      const ShapeIndex& output_index, int64_t param_number, const ShapeIndex& param_index,
      HloInputOutputAliasConfig::AliasKind kind = HloInputOutputAliasConfig::AliasKind::kMayAlias);
  // The buffer of the parameter may be overwritten by any result.
  void AddBufferDonor(int64_t param_number, const ShapeIndex& param_index);

  absl::Status SetInstructionFrontendAttribute(XlaOp op, std::string attribute, std::string value);
  absl::Status SetInstructionSharding(XlaOp op, const std::optional<OpSharding>& sharding);

  // The operation as it would stand in HLO text, with its operands, for messages.
  std::string OpToString(XlaOp op) const;

 private:
  friend class internal::BuilderState;
  friend struct internal::XlaBuilderFriend;

  std::unique_ptr<internal::BuilderState> state_;
};

// Sets the sharding for the operations added during its lifetime; then the former one holds again.
class XlaScopedShardingAssignment {
 public:
  XlaScopedShardingAssignment(XlaBuilder* builder, std::optional<OpSharding> sharding)
      : builder_(builder), former_(builder->SwapSharding(std::move(sharding))) {}
  ~XlaScopedShardingAssignment() { builder_->SwapSharding(std::move(former_)); }
  XlaScopedShardingAssignment(const XlaScopedShardingAssignment&) = delete;
  XlaScopedShardingAssignment& operator=(const XlaScopedShardingAssignment&) = delete;

 private:
  XlaBuilder* const builder_;
  std::optional<OpSharding> former_;
};

// The same for the value of the original program that operations stand for.
class XlaScopedOriginalValueAssignment {
 public:
  XlaScopedOriginalValueAssignment(XlaBuilder* builder,
                                   std::optional<OriginalValueProto> original_value)
      : builder_(builder), former_(builder->SwapOriginalValue(std::move(original_value))) {}
  ~XlaScopedOriginalValueAssignment() { builder_->SwapOriginalValue(std::move(former_)); }
  XlaScopedOriginalValueAssignment(const XlaScopedOriginalValueAssignment&) = delete;
  XlaScopedOriginalValueAssignment& operator=(const XlaScopedOriginalValueAssignment&) = delete;

 private:
  XlaBuilder* const builder_;
  std::optional<OriginalValueProto> former_;
};

// The same for frontend attributes.
class XlaScopedFrontendAttributesAssignment {
 public:
  XlaScopedFrontendAttributesAssignment(XlaBuilder* builder, FrontendAttributes attributes)
      : builder_(builder), former_(builder->SwapFrontendAttributes(attributes)) {}
  ~XlaScopedFrontendAttributesAssignment() { builder_->SwapFrontendAttributes(former_); }
  XlaScopedFrontendAttributesAssignment(const XlaScopedFrontendAttributesAssignment&) = delete;
  XlaScopedFrontendAttributesAssignment& operator=(const XlaScopedFrontendAttributesAssignment&) =
      delete;

 private:
  XlaBuilder* const builder_;
  FrontendAttributes former_;
};

// The same for metadata.
class XlaScopedOpMetadataAssignment {
 public:
  XlaScopedOpMetadataAssignment(XlaBuilder* builder, OpMetadata metadata)
      : builder_(builder), former_(builder->SwapOpMetadata(std::move(metadata))) {}
  ~XlaScopedOpMetadataAssignment() { builder_->SwapOpMetadata(std::move(former_)); }
  XlaScopedOpMetadataAssignment(const XlaScopedOpMetadataAssignment&) = delete;
  XlaScopedOpMetadataAssignment& operator=(const XlaScopedOpMetadataAssignment&) = delete;

 private:
  XlaBuilder* const builder_;
  OpMetadata former_;
};

namespace internal {

// Operations that only compilers and their tests make. They take the result shape from the caller
// where it is part of the request.
struct XlaBuilderFriend {
  static XlaOp BuildAddDependency(XlaBuilder* builder, XlaOp operand, XlaOp token,
                                  const Shape& shape);
  static XlaOp BuildAsyncStart(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                               std::string execution_thread, XlaComputationId called_computation,
                               const Shape& shape);
  static XlaOp BuildAsyncUpdate(XlaBuilder* builder, XlaOp operand, std::string execution_thread,
                                XlaComputationId called_computation, const Shape& shape);
  static XlaOp BuildAsyncDone(XlaBuilder* builder, XlaOp operand, std::string execution_thread,
                              XlaComputationId called_computation, const Shape& shape);
  static XlaOp BuildAllGatherStart(XlaBuilder* builder, XlaOp operand, int64_t all_gather_dimension,
                                   int64_t shard_count,
                                   absl::Span<const ReplicaGroup> replica_groups = {},
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Layout>& layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt);
  static XlaOp BuildAllGatherDone(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildAllReduceStart(XlaBuilder* builder, XlaOp operand,
                                   const XlaComputation& computation,
                                   absl::Span<const ReplicaGroup> replica_groups = {},
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Shape>& shape_with_layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt);
  static XlaOp BuildAllReduceDone(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildCollectivePermuteStart(
      XlaBuilder* builder, XlaOp operand,
      const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
      const std::optional<ChannelHandle>& channel_id = std::nullopt);
  static XlaOp BuildCollectivePermuteDone(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildCopyStart(XlaBuilder* builder, XlaOp operand,
                              std::optional<int> cross_program_prefetch_index = std::nullopt);
  static XlaOp BuildCopyDone(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildFusion(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                           absl::string_view fusion_kind, const XlaComputation& fused_computation,
                           absl::Span<const std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>
                               output_operand_aliasing = {});
  static XlaOp BuildBitcast(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildPartitionId(XlaBuilder* builder, const Shape& shape);
  static XlaOp BuildSend(XlaBuilder* builder, XlaOp operand, XlaOp token,
                         const ChannelHandle& handle, bool is_host_transfer);
  static XlaOp BuildSendDone(XlaBuilder* builder, XlaOp operand, const ChannelHandle& handle,
                             bool is_host_transfer);
  static XlaOp BuildRecv(XlaBuilder* builder, XlaOp token, const Shape& shape,
                         const ChannelHandle& handle, bool is_host_transfer);
  static XlaOp BuildRecvDone(XlaBuilder* builder, XlaOp token, const Shape& shape,
                             const ChannelHandle& handle, bool is_host_transfer);
  static XlaOp BuildDomain(XlaBuilder* builder, XlaOp operand, const OpSharding& entry,
                           const OpSharding& exit, const Shape& shape);
  static XlaOp BuildRngGetAndUpdateState(XlaBuilder* builder, int64_t delta, const Shape& shape);

  // The message that Build will write for the operation; null for an operation that is not valid.
  static HloInstructionProto* GetInstruction(XlaOp op);
  static HloInstructionProto* GetInstructionByHandle(XlaBuilder* builder, int64_t handle);
  static void SetParameterReplication(XlaBuilder* builder, XlaOp parameter,
                                      const std::vector<bool>& replicated_at_leaf_buffers);

  // For the functions that add operations.
  static BuilderState& State(XlaBuilder* builder);
};

}  // namespace internal
}  // namespace xla

#include "xla/hlo/builder/xla_builder_ops.h"  // IWYU pragma: export

#endif  // XLA_HLO_BUILDER_XLA_BUILDER_H_
