// Operations that only compilers and their tests make.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace internal {
namespace {

XlaOp Async(HloOpcode opcode, XlaBuilder* builder, absl::Span<const XlaOp> operands,
            std::string execution_thread, XlaComputationId called_computation, const Shape& shape) {
  auto attributes = std::make_unique<AsyncAttributes>();
  if (!execution_thread.empty()) attributes->execution_thread = std::move(execution_thread);
  return AddOp(builder, {opcode, std::move(attributes), {called_computation}, shape}, operands);
}

XlaOp OverChannel(HloOpcode opcode, absl::Span<const XlaOp> operands, const ChannelHandle& handle,
                  bool is_host_transfer, Shape shape) {
  auto attributes = std::make_unique<SendRecvAttributes>();
  attributes->channel_id = handle.handle();
  attributes->is_host_transfer = is_host_transfer;
  return AddOp({opcode, std::move(attributes), {}, std::move(shape)}, operands);
}

}  // namespace

BuilderState& XlaBuilderFriend::State(XlaBuilder* builder) { return *builder->state_; }

HloInstructionProto* XlaBuilderFriend::GetInstruction(XlaOp op) {
  if (op.IsUninitialized()) return nullptr;
  const auto node = State(op.builder()).Find(op);
  return node.ok() ? &(*node)->proto : nullptr;
}

HloInstructionProto* XlaBuilderFriend::GetInstructionByHandle(XlaBuilder* builder, int64_t handle) {
  return GetInstruction(XlaOp(handle, builder));
}

void XlaBuilderFriend::SetParameterReplication(
    XlaBuilder* builder, XlaOp parameter, const std::vector<bool>& replicated_at_leaf_buffers) {
  HloInstructionProto* instruction = GetInstruction(parameter);
  if (instruction == nullptr) return;
  instruction->mutable_parameter_replication()->mutable_replicated_at_leaf_buffers()->Assign(
      replicated_at_leaf_buffers.begin(), replicated_at_leaf_buffers.end());
}

XlaOp XlaBuilderFriend::BuildAddDependency(XlaBuilder* builder, XlaOp operand, XlaOp token,
                                           const Shape& shape) {
  return AddOp(builder, {HloOpcode::kAddDependency, nullptr, {}, shape}, {operand, token});
}

XlaOp XlaBuilderFriend::BuildAsyncStart(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                                        std::string execution_thread,
                                        XlaComputationId called_computation, const Shape& shape) {
  return Async(HloOpcode::kAsyncStart, builder, operands, std::move(execution_thread),
               called_computation, shape);
}

XlaOp XlaBuilderFriend::BuildAsyncUpdate(XlaBuilder* builder, XlaOp operand,
                                         std::string execution_thread,
                                         XlaComputationId called_computation, const Shape& shape) {
  return Async(HloOpcode::kAsyncUpdate, builder, {operand}, std::move(execution_thread),
               called_computation, shape);
}

XlaOp XlaBuilderFriend::BuildAsyncDone(XlaBuilder* builder, XlaOp operand,
                                       std::string execution_thread,
                                       XlaComputationId called_computation, const Shape& shape) {
  return Async(HloOpcode::kAsyncDone, builder, {operand}, std::move(execution_thread),
               called_computation, shape);
}

XlaOp XlaBuilderFriend::BuildAllGatherDone(XlaBuilder* builder, XlaOp operand, const Shape& shape) {
  return AddOp(builder, {HloOpcode::kAllGatherDone, nullptr, {}, shape}, {operand});
}

XlaOp XlaBuilderFriend::BuildAllReduceDone(XlaBuilder* builder, XlaOp operand, const Shape& shape) {
  return AddOp(builder, {HloOpcode::kAllReduceDone, nullptr, {}, shape}, {operand});
}

XlaOp XlaBuilderFriend::BuildCollectivePermuteDone(XlaBuilder* builder, XlaOp operand,
                                                   const Shape& shape) {
  return AddOp(builder, {HloOpcode::kCollectivePermuteDone, nullptr, {}, shape}, {operand});
}

XlaOp XlaBuilderFriend::BuildCopyStart(XlaBuilder* builder, XlaOp operand,
                                       std::optional<int> cross_program_prefetch_index) {
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(operand));
    auto attributes = std::make_unique<CopyStartAttributes>();
    if (cross_program_prefetch_index.has_value()) {
      attributes->cross_program_prefetch_index = *cross_program_prefetch_index;
    }
    return AddOp(builder,
                 {HloOpcode::kCopyStart,
                  std::move(attributes),
                  {},
                  ShapeUtil::MakeTupleShape({shape, shape, ShapeUtil::MakeShape(U32, {})})},
                 {operand});
  });
}

XlaOp XlaBuilderFriend::BuildCopyDone(XlaBuilder* builder, XlaOp operand, const Shape& shape) {
  return AddOp(builder, {HloOpcode::kCopyDone, nullptr, {}, shape}, {operand});
}

XlaOp XlaBuilderFriend::BuildFusion(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                                    absl::string_view fusion_kind,
                                    const XlaComputation& fused_computation,
                                    absl::Span<const OutputOperandAlias> output_operand_aliasing) {
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const HloInstruction::FusionKind kind, StringToFusionKind(fusion_kind));
    HILO_ASSIGN_OR_RETURN(const ProgramShape program, fused_computation.GetProgramShape());
    auto attributes = std::make_unique<FusionAttributes>();
    attributes->kind = static_cast<int>(kind);
    attributes->output_to_operand_aliasing.assign(output_operand_aliasing.begin(),
                                                  output_operand_aliasing.end());
    return AddOp(builder,
                 {HloOpcode::kFusion,
                  std::move(attributes),
                  {builder->AddSubComputation(fused_computation)},
                  program.result()},
                 operands);
  });
}

XlaOp XlaBuilderFriend::BuildBitcast(XlaBuilder* builder, XlaOp operand, const Shape& shape) {
  return AddOp(builder, {HloOpcode::kBitcast, nullptr, {}, shape}, {operand});
}

XlaOp XlaBuilderFriend::BuildPartitionId(XlaBuilder* builder, const Shape& shape) {
  return AddOp(builder, {HloOpcode::kPartitionId, nullptr, {}, shape});
}

XlaOp XlaBuilderFriend::BuildSend(XlaBuilder* builder, XlaOp operand, XlaOp token,
                                  const ChannelHandle& handle, bool is_host_transfer) {
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(operand));
    return OverChannel(HloOpcode::kSend, {operand, token}, handle, is_host_transfer,
                       WithContextAndToken(shape));
  });
}

XlaOp XlaBuilderFriend::BuildSendDone(XlaBuilder* builder, XlaOp operand,
                                      const ChannelHandle& handle, bool is_host_transfer) {
  return OverChannel(HloOpcode::kSendDone, {operand}, handle, is_host_transfer,
                     ShapeUtil::MakeTokenShape());
}

XlaOp XlaBuilderFriend::BuildRecv(XlaBuilder* builder, XlaOp token, const Shape& shape,
                                  const ChannelHandle& handle, bool is_host_transfer) {
  return OverChannel(HloOpcode::kRecv, {token}, handle, is_host_transfer,
                     WithContextAndToken(shape));
}

XlaOp XlaBuilderFriend::BuildRecvDone(XlaBuilder* builder, XlaOp token, const Shape& shape,
                                      const ChannelHandle& handle, bool is_host_transfer) {
  return OverChannel(HloOpcode::kRecvDone, {token}, handle, is_host_transfer,
                     ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeTokenShape()}));
}

XlaOp XlaBuilderFriend::BuildDomain(XlaBuilder* builder, XlaOp operand, const OpSharding& entry,
                                    const OpSharding& exit, const Shape& shape) {
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    auto attributes = std::make_unique<DomainAttributes>();
    HILO_ASSIGN_OR_RETURN(attributes->domain.entry, HloSharding::FromProto(entry));
    HILO_ASSIGN_OR_RETURN(attributes->domain.exit, HloSharding::FromProto(exit));
    return AddOp(builder, {HloOpcode::kDomain, std::move(attributes), {}, shape}, {operand});
  });
}

XlaOp XlaBuilderFriend::BuildRngGetAndUpdateState(XlaBuilder* builder, int64_t delta,
                                                  const Shape& shape) {
  auto attributes = std::make_unique<RngGetAndUpdateStateAttributes>();
  attributes->delta = delta;
  return AddOp(builder, {HloOpcode::kRngGetAndUpdateState, std::move(attributes), {}, shape});
}

}  // namespace internal
}  // namespace xla
