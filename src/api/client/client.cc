#include "xla/client/client.h"

#include <atomic>
#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "runtime/mailboxes.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::StatusOr<std::unique_ptr<CompiledModule>> CompileComputation(
    const XlaComputation& computation, const DebugOptions& debug_options) {
  if (computation.IsNull()) {
    return InvalidArgument("the computation is empty: its builder reported an error or was not built");
  }
  HILO_ASSIGN_OR_RETURN(
      HloModuleConfig config,
      HloModule::CreateModuleConfigFromProto(computation.proto(), debug_options));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                        HloModule::CreateFromProto(computation.proto(), config));
  return DefaultBackend().Compile(std::move(module));
}

absl::StatusOr<Literal> InLayout(Literal literal, const Shape* shape_with_layout) {
  if (shape_with_layout == nullptr) return literal;
  if (!ShapeUtil::Compatible(literal.shape(), *shape_with_layout)) {
    return InvalidArgument("the value has shape %s, which is not that of the layout asked for, %s",
                           literal.shape().ToString(), shape_with_layout->ToString());
  }
  return literal.Relayout(*shape_with_layout);
}

absl::Status CheckDevice(int64_t device) {
  if (device == 0) return absl::OkStatus();
  return InvalidArgument("there is no device %d; the only device is 0", device);
}

absl::StatusOr<ChannelHandle> NewChannel(ChannelHandle::ChannelType type) {
  static std::atomic<int64_t> last = 0;
  ChannelHandle channel;
  channel.set_handle(++last);
  channel.set_type(type);
  return channel;
}

}  // namespace

Client::Client() : mailboxes_(std::make_shared<runtime::Mailboxes>()) {}
Client::~Client() = default;

absl::StatusOr<Literal> Client::RunOnce(const XlaComputation& computation,
                                        absl::Span<const Literal* const> arguments,
                                        const ExecutionOptions* options) const {
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<CompiledModule> module,
      CompileComputation(computation,
                         options != nullptr ? options->debug_options() : DebugOptions()));
  return module->Run(arguments,
                     {mailboxes_.get(), options != nullptr ? options->seed() : uint64_t{0}});
}

absl::StatusOr<Literal> Client::ExecuteAndTransfer(const XlaComputation& computation,
                                                   absl::Span<GlobalData* const> arguments,
                                                   const ExecutionOptions* execution_options,
                                                   ExecutionProfile* execution_profile) {
  std::vector<const Literal*> literals;
  for (const GlobalData* argument : arguments) literals.push_back(&argument->value());
  HILO_ASSIGN_OR_RETURN(Literal result, RunOnce(computation, literals, execution_options));
  if (execution_options == nullptr || !execution_options->has_shape_with_output_layout()) {
    return result;
  }
  HILO_ASSIGN_OR_RETURN(const Shape layout,
                        Shape::FromProto(execution_options->shape_with_output_layout()));
  return InLayout(std::move(result), &layout);
}

absl::StatusOr<std::unique_ptr<GlobalData>> Client::Execute(
    const XlaComputation& computation, absl::Span<GlobalData* const> arguments,
    const ExecutionOptions* execution_options, ExecutionProfile* execution_profile) {
  HILO_ASSIGN_OR_RETURN(Literal result, ExecuteAndTransfer(computation, arguments, execution_options,
                                                           execution_profile));
  return std::make_unique<GlobalData>(std::make_shared<const Literal>(std::move(result)));
}

absl::StatusOr<Literal> Client::ComputeConstant(const XlaComputation& computation,
                                                const Layout* output_layout) const {
  HILO_ASSIGN_OR_RETURN(Literal result, RunOnce(computation, {}, nullptr));
  if (output_layout == nullptr) return result;
  Shape shape = result.shape();
  *shape.mutable_layout() = *output_layout;
  return InLayout(std::move(result), &shape);
}

absl::StatusOr<Literal> Client::Transfer(const GlobalData& data, const Shape* shape_with_layout) {
  return InLayout(data.value().Clone(), shape_with_layout);
}

absl::StatusOr<std::unique_ptr<GlobalData>> Client::TransferToServer(
    const LiteralSlice& literal, const DeviceHandle* device_handle) {
  return std::make_unique<GlobalData>(std::make_shared<const Literal>(literal.Clone()));
}

absl::Status Client::TransferToInfeed(const LiteralSlice& literal, int64_t replica_id,
                                      const DeviceHandle* device_handle) {
  HILO_RETURN_IF_ERROR(CheckDevice(replica_id));
  mailboxes_->Put({runtime::Mailbox::kInfeed, replica_id}, literal.Clone());
  return absl::OkStatus();
}

absl::StatusOr<Literal> Client::TransferFromOutfeed(const Shape* shape_with_layout,
                                                    int64_t replica_id,
                                                    const DeviceHandle* device_handle) {
  HILO_RETURN_IF_ERROR(CheckDevice(replica_id));
  HILO_ASSIGN_OR_RETURN(Literal value,
                        mailboxes_->Take({runtime::Mailbox::kOutfeed, replica_id}));
  return InLayout(std::move(value), shape_with_layout);
}

void Client::set_transfer_timeout(absl::Duration timeout) { mailboxes_->set_timeout(timeout); }

absl::Status Client::ResetDevice() {
  mailboxes_->Reset();
  return absl::OkStatus();
}

absl::StatusOr<ChannelHandle> Client::CreateChannelHandle() {
  return NewChannel(ChannelHandle::DEVICE_TO_DEVICE);
}

absl::StatusOr<ChannelHandle> Client::CreateHostToDeviceChannelHandle() {
  return NewChannel(ChannelHandle::HOST_TO_DEVICE);
}

absl::StatusOr<ChannelHandle> Client::CreateDeviceToHostChannelHandle() {
  return NewChannel(ChannelHandle::DEVICE_TO_HOST);
}

absl::StatusOr<Shape> Client::GetShape(const GlobalData& data) { return data.value().shape(); }

LocalExecutable::LocalExecutable(std::unique_ptr<CompiledModule> module,
                                 ExecutableBuildOptions build_options,
                                 std::shared_ptr<runtime::Mailboxes> mailboxes)
    : module_(std::move(module)),
      build_options_(std::move(build_options)),
      mailboxes_(std::move(mailboxes)) {}

LocalExecutable::~LocalExecutable() = default;

absl::StatusOr<Literal> LocalExecutable::Run(absl::Span<const Literal* const> arguments) {
  HILO_ASSIGN_OR_RETURN(Literal result, module_->Run(arguments, {mailboxes_.get()}));
  return InLayout(std::move(result), build_options_.result_layout());
}

absl::StatusOr<ExecutionOutput> LocalExecutable::Run(std::vector<ExecutionInput> arguments,
                                                     ExecutableRunOptions run_options) {
  std::vector<ShapeTree<MaybeOwningDeviceAddress>> buffers;
  for (ExecutionInput& argument : arguments)
    buffers.push_back(std::move(*argument.MutableBuffers()));
  const RunContext context = {mailboxes_.get(), static_cast<uint64_t>(run_options.rng_seed())};
  HILO_ASSIGN_OR_RETURN(ShapeTree<ArrayBuffer> result,
                        module_->RunOnBuffers(std::move(buffers), context));
  ScopedShapedBuffer output(std::move(result), 0);
  if (build_options_.result_layout() == nullptr) return ExecutionOutput(std::move(output));
  HILO_ASSIGN_OR_RETURN(Literal literal, output.ToLiteral());
  HILO_ASSIGN_OR_RETURN(literal, InLayout(std::move(literal), build_options_.result_layout()));
  return ExecutionOutput(ScopedShapedBuffer(literal, 0));
}

absl::StatusOr<ScopedShapedBuffer> LocalExecutable::Run(
    absl::Span<const ShapedBuffer* const> arguments, ExecutableRunOptions run_options) {
  std::vector<ExecutionInput> inputs;
  for (const ShapedBuffer* argument : arguments) inputs.emplace_back(*argument);
  HILO_ASSIGN_OR_RETURN(ExecutionOutput output, Run(std::move(inputs), run_options));
  return output.ConsumeResult();
}

absl::StatusOr<std::vector<std::unique_ptr<LocalExecutable>>> LocalClient::Compile(
    const XlaComputation& computation, absl::Span<const Shape* const> argument_layouts,
    const ExecutableBuildOptions& options) {
  if (options.num_replicas() != 1 || options.num_partitions() != 1) {
    return Unimplemented("this client runs one replica and one partition, not %d and %d",
                         options.num_replicas(), options.num_partitions());
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompiledModule> module,
                        CompileComputation(computation, options.debug_options()));
  const HloComputation& entry = *module->module().entry_computation();
  if (static_cast<int64_t>(argument_layouts.size()) != entry.num_parameters()) {
    return InvalidArgument("computation %s has %d parameters, but %d argument shapes were given",
                           computation.name(), entry.num_parameters(), argument_layouts.size());
  }
  for (int64_t i = 0; i < entry.num_parameters(); ++i) {
    const Shape& wanted = entry.parameter_instruction(i)->shape();
    if (!ShapeUtil::Compatible(*argument_layouts[i], wanted)) {
      return InvalidArgument("computation %s: parameter %d has shape %s, but the argument shape is %s",
                             computation.name(), i, wanted.ToString(),
                             argument_layouts[i]->ToString());
    }
  }
  std::vector<std::unique_ptr<LocalExecutable>> executables;
  executables.push_back(std::make_unique<LocalExecutable>(std::move(module), options, mailboxes()));
  return executables;
}

absl::StatusOr<ScopedShapedBuffer> LocalClient::LiteralToShapedBuffer(const LiteralSlice& literal,
                                                                      int device_ordinal) {
  if (!device_ordinal_supported(device_ordinal) && device_ordinal != -1) {
    return InvalidArgument("there is no device %d; the only device is 0", device_ordinal);
  }
  return ScopedShapedBuffer(literal, 0);
}

absl::StatusOr<Literal> LocalClient::ShapedBufferToLiteral(const ShapedBuffer& shaped_buffer) {
  return shaped_buffer.ToLiteral();
}

absl::Status LocalClient::TransferToInfeedLocal(const LiteralSlice& literal, int device_ordinal) {
  return TransferToInfeed(literal, device_ordinal);
}

absl::Status LocalClient::TransferFromOutfeedLocal(int device_ordinal,
                                                   MutableBorrowingLiteral literal) {
  HILO_ASSIGN_OR_RETURN(const Literal value,
                        TransferFromOutfeed(&literal.shape(), device_ordinal));
  return literal.CopyFrom(value);
}

absl::StatusOr<LocalClient*> ClientLibrary::GetOrCreateLocalClient(
    stream_executor::Platform* platform, const std::optional<std::set<int>>& device_set) {
  if (device_set.has_value() && *device_set != std::set<int>{0}) {
    return InvalidArgument("the only device of this client is 0");
  }
  static LocalClient* const client = new LocalClient();
  return client;
}

absl::StatusOr<LocalClient*> ClientLibrary::GetOrCreateLocalClient(
    const LocalClientOptions& options) {
  return GetOrCreateLocalClient(options.platform());
}

LocalClient* ClientLibrary::LocalClientOrDie() {
  absl::StatusOr<LocalClient*> client = GetOrCreateLocalClient();
  CHECK_OK(client.status());
  return *client;
}

}  // namespace xla
