#include "xla/client/client.h"

#include <utility>

#include "base/status_macros.h"
#include "xla/execution_options_util.h"
#include "xla/util.h"

namespace xla {
namespace {

const ExecutionOptions& OrDefault(const ExecutionOptions* options) {
  return options != nullptr ? *options : ExecutionOptions::default_instance();
}

}  // namespace

absl::StatusOr<ExecutionHandle> Client::Compile(const XlaComputation& computation,
                                                absl::Span<const Shape> argument_shapes,
                                                const ExecutionOptions* execution_options) {
  return stub_->Compile(computation, argument_shapes, OrDefault(execution_options));
}

absl::StatusOr<std::unique_ptr<GlobalData>> Client::Execute(const ExecutionHandle& handle,
                                                            absl::Span<GlobalData* const> arguments,
                                                            ExecutionProfile* execution_profile) {
  return stub_->Execute(handle, arguments, execution_profile);
}

absl::StatusOr<std::unique_ptr<GlobalData>> Client::Execute(
    const XlaComputation& computation, absl::Span<GlobalData* const> arguments,
    const ExecutionOptions* execution_options, ExecutionProfile* execution_profile) {
  return stub_->CompileAndExecute(computation, arguments, OrDefault(execution_options),
                                  execution_profile);
}

absl::StatusOr<Literal> Client::ExecuteAndTransfer(const XlaComputation& computation,
                                                   absl::Span<GlobalData* const> arguments,
                                                   const ExecutionOptions* execution_options,
                                                   ExecutionProfile* execution_profile) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<GlobalData> data,
                        Execute(computation, arguments, execution_options, execution_profile));
  return Transfer(*data);
}

absl::StatusOr<std::vector<std::unique_ptr<GlobalData>>> Client::ExecuteParallel(
    absl::Span<const XlaComputationInstance> computations) {
  return stub_->ExecuteGraphParallel(computations);
}

absl::StatusOr<std::vector<DeviceHandle>> Client::GetDeviceHandles(int64_t device_count) {
  return stub_->GetDeviceHandles(device_count);
}

absl::StatusOr<Literal> Client::ComputeConstant(const XlaComputation& computation,
                                                const Layout* output_layout) const {
  return stub_->ComputeConstantGraph(computation, output_layout);
}

absl::StatusOr<Literal> Client::Transfer(const GlobalData& data, const Shape* shape_with_layout) {
  return stub_->TransferToClient(data, shape_with_layout);
}

absl::StatusOr<std::unique_ptr<GlobalData>> Client::TransferToServer(
    const LiteralSlice& literal, const DeviceHandle* device_handle) {
  return stub_->TransferToServer(literal, device_handle);
}

absl::Status Client::TransferToInfeed(const LiteralSlice& literal, int64_t replica_id,
                                      const DeviceHandle* device_handle) {
  return stub_->TransferToInfeed(literal, replica_id, device_handle);
}

absl::StatusOr<Literal> Client::TransferFromOutfeed(const Shape* shape_with_layout,
                                                    int64_t replica_id,
                                                    const DeviceHandle* device_handle) {
  return stub_->TransferFromOutfeed(shape_with_layout, replica_id, device_handle);
}

void Client::set_transfer_timeout(absl::Duration timeout) { stub_->set_transfer_timeout(timeout); }

absl::Status Client::ResetDevice() { return stub_->ResetDevice(); }

absl::StatusOr<ChannelHandle> Client::CreateChannelHandle() {
  return stub_->CreateChannelHandle(ChannelHandle::DEVICE_TO_DEVICE);
}

absl::StatusOr<ChannelHandle> Client::CreateHostToDeviceChannelHandle() {
  return stub_->CreateChannelHandle(ChannelHandle::HOST_TO_DEVICE);
}

absl::StatusOr<ChannelHandle> Client::CreateDeviceToHostChannelHandle() {
  return stub_->CreateChannelHandle(ChannelHandle::DEVICE_TO_HOST);
}

absl::StatusOr<Shape> Client::GetShape(const GlobalData& data) { return stub_->GetShape(data); }

absl::StatusOr<std::vector<std::unique_ptr<GlobalData>>> Client::DeconstructTuple(
    const GlobalData& data) {
  return stub_->DeconstructTuple(data);
}

absl::Status Client::Unregister(const GlobalData& data) { return stub_->Unregister(data.handle()); }

absl::StatusOr<std::unique_ptr<ProgramShape>> Client::GetComputationShape(
    const XlaComputation& computation) {
  HILO_ASSIGN_OR_RETURN(ProgramShape shape, computation.GetProgramShape());
  return std::make_unique<ProgramShape>(std::move(shape));
}

absl::StatusOr<XlaComputation> Client::LoadSnapshot(const HloSnapshot& module) {
  if (!module.has_hlo() || !module.hlo().has_hlo_module())
    return InvalidArgument("the snapshot has no module");
  return XlaComputation(module.hlo().hlo_module());
}

}  // namespace xla
