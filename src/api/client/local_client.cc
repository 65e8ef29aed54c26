#include "xla/client/local_client.h"

#include <utility>

#include "api/client/compile.h"
#include "api/client/shaped_buffer_run.h"
#include "api/cpu_backend.h"
#include "base/status_macros.h"
#include "device/run_completion.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

LocalExecutable::LocalExecutable(std::unique_ptr<Executable> executable, Backend* backend,
                                 ExecutableBuildOptions build_options)
    : executable_(std::move(executable)),
      backend_(backend),
      build_options_(std::move(build_options)) {}

LocalExecutable::~LocalExecutable() = default;

absl::StatusOr<ServiceExecutableRunOptions> LocalExecutable::Complete(
    ExecutableRunOptions options) const {
  int ordinal = options.device_ordinal();
  if (options.stream() != nullptr) {
    const stream_executor::StreamExecutor& executor = *options.stream()->parent();
    if (executor.GetPlatform() != backend_->platform()) {
      return InvalidArgument("the stream is one of platform %s, but the program is for %s",
                             executor.GetPlatform()->Name(), backend_->platform()->Name());
    }
    if (ordinal >= 0 && ordinal != executor.device_ordinal()) {
      return InvalidArgument("the run is to be on device %d, but its stream is one of device %d",
                             ordinal, executor.device_ordinal());
    }
    ordinal = executor.device_ordinal();
  }
  if (ordinal < 0) ordinal = build_options_.device_ordinal();
  if (ordinal < 0) ordinal = backend_->default_device_ordinal();
  HILO_RETURN_IF_ERROR(backend_->stream_executor(ordinal).status());
  options.set_device_ordinal(ordinal);
  if (options.allocator() == nullptr) {
    options.set_allocator(build_options_.device_allocator() != nullptr
                              ? build_options_.device_allocator()
                              : backend_->memory_allocator());
  } else if (options.allocator()->platform() != backend_->platform()) {
    return InvalidArgument("the allocator's platform %s does not match the program's, %s",
                           options.allocator()->platform()->Name(), backend_->platform()->Name());
  }
  if (options.device_assignment() == nullptr && build_options_.has_device_assignment())
    options.set_device_assignment(&build_options_.device_assignment());
  if (options.intra_op_thread_pool() == nullptr && backend_->intra_op_parallelism_threads() > 0)
    options.set_intra_op_thread_pool(backend_->eigen_intra_op_thread_pool_device());
  return ServiceExecutableRunOptions(std::move(options), backend_->StreamBorrowerWithPriority());
}

absl::StatusOr<ExecutionOutput> LocalExecutable::Run(std::vector<ExecutionInput> arguments,
                                                     ExecutableRunOptions run_options) {
  HILO_ASSIGN_OR_RETURN(const ServiceExecutableRunOptions options, Complete(run_options));
  if (options.stream() != nullptr)
    return executable_->ExecuteOnStream(&options, std::move(arguments));
  return executable_->ExecuteOnDevice(options.run_options(), options.run_options().device_ordinal(),
                                      std::move(arguments));
}

absl::StatusOr<ExecutionOutput> LocalExecutable::RunAsync(std::vector<ExecutionInput> arguments,
                                                          ExecutableRunOptions run_options) {
  HILO_ASSIGN_OR_RETURN(const ServiceExecutableRunOptions options, Complete(run_options));
  if (options.stream() != nullptr)
    return executable_->ExecuteAsyncOnStream(&options, std::move(arguments));
  return executable_->ExecuteAsyncOnBorrowedStream(options, options.run_options().device_ordinal(),
                                                   std::move(arguments));
}

absl::StatusOr<ScopedShapedBuffer> LocalExecutable::Run(
    absl::Span<const ShapedBuffer* const> arguments, ExecutableRunOptions run_options) {
  HILO_ASSIGN_OR_RETURN(ExecutionOutput output, Run(Lend(arguments), std::move(run_options)));
  return output.ConsumeResult();
}

absl::StatusOr<ScopedShapedBuffer> LocalExecutable::RunAsync(
    absl::Span<const ShapedBuffer* const> arguments, ExecutableRunOptions run_options) {
  HILO_ASSIGN_OR_RETURN(ExecutionOutput output, RunAsync(Lend(arguments), std::move(run_options)));
  return output.ConsumeResult();
}

absl::StatusOr<Literal> LocalExecutable::Run(absl::Span<const Literal* const> arguments) {
  HILO_ASSIGN_OR_RETURN(const ServiceExecutableRunOptions options,
                        Complete(ExecutableRunOptions()));
  const int ordinal = options.run_options().device_ordinal();
  std::vector<ExecutionInput> inputs;
  for (const Literal* argument : arguments) {
    if (!argument->IsKnown()) return InvalidArgument("an argument has no value");
    HILO_ASSIGN_OR_RETURN(ScopedShapedBuffer copy,
                          ToDevice(*backend_, *argument, ordinal, options.allocator()));
    inputs.emplace_back(std::move(copy));
  }
  HILO_ASSIGN_OR_RETURN(
      const ExecutionOutput output,
      executable_->ExecuteOnDevice(options.run_options(), ordinal, std::move(inputs)));
  return FromDevice(*backend_, output.Result());
}

absl::StatusOr<std::vector<std::unique_ptr<LocalExecutable>>> LocalClient::Compile(
    const XlaComputation& computation, absl::Span<const Shape* const> argument_layouts,
    const ExecutableBuildOptions& options) {
  HILO_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<Executable>> executables,
                        local_service_->CompileExecutables(computation, argument_layouts, options));
  std::vector<std::unique_ptr<LocalExecutable>> locals;
  for (size_t i = 0; i < executables.size(); ++i) {
    ExecutableBuildOptions own = options;
    const HloModuleConfig& config = executables[i]->module_config();
    if (own.device_ordinal() < 0 && executables.size() > 1 && config.has_static_device_assignment())
      own.set_device_ordinal(
          static_cast<int>(config.static_device_assignment()(0, static_cast<int64_t>(i))));
    locals.push_back(std::make_unique<LocalExecutable>(
        std::move(executables[i]), local_service_->mutable_backend(), std::move(own)));
  }
  return locals;
}

absl::StatusOr<std::unique_ptr<LocalExecutable>> LocalClient::Load(
    const std::string& serialized_aot_result, const ExecutableBuildOptions& options) {
  if (options.device_ordinal() >= 0)
    HILO_RETURN_IF_ERROR(backend().stream_executor(options.device_ordinal()).status());
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompiledModule> program,
                        LoadFromBytes(serialized_aot_result));
  return std::make_unique<LocalExecutable>(std::make_unique<Executable>(std::move(program)),
                                           mutable_backend(), options);
}

absl::StatusOr<ScopedShapedBuffer> LocalClient::LiteralToShapedBuffer(
    const LiteralSlice& literal, int device_ordinal,
    stream_executor::DeviceAddressAllocator* allocator) {
  if (device_ordinal < 0) device_ordinal = default_device_ordinal();
  return ToDevice(*mutable_backend(), literal, device_ordinal, allocator);
}

absl::StatusOr<Literal> LocalClient::ShapedBufferToLiteral(const ShapedBuffer& shaped_buffer) {
  return FromDevice(*mutable_backend(), shaped_buffer);
}

absl::StatusOr<ScopedShapedBuffer> LocalClient::AllocateShapedBuffer(
    const Shape& shape, int device_ordinal, stream_executor::DeviceAddressAllocator* allocator) {
  HILO_RETURN_IF_ERROR(backend().stream_executor(device_ordinal).status());
  return backend().transfer_manager()->AllocateScopedShapedBuffer(
      shape, allocator != nullptr ? allocator : backend().memory_allocator(), device_ordinal);
}

absl::StatusOr<ShapedBuffer> LocalClient::GlobalDataToShapedBuffer(const GlobalDataHandle& data,
                                                                   int replica_number) {
  return local_service_->GlobalDataToShapedBuffer(data, replica_number);
}

absl::StatusOr<std::unique_ptr<GlobalData>> LocalClient::TransferToLocalServer(
    const LiteralSlice& literal, int device_ordinal) {
  DeviceHandle device;
  device.set_handle(device_ordinal);
  return local_service_->TransferToServer(literal, &device);
}

absl::Status LocalClient::TransferToInfeedLocal(const LiteralSlice& literal, int device_ordinal) {
  HILO_ASSIGN_OR_RETURN(stream_executor::StreamExecutor * executor,
                        backend().stream_executor(device_ordinal));
  return backend().transfer_manager()->TransferLiteralToInfeed(executor, literal);
}

absl::Status LocalClient::TransferFromOutfeedLocal(int device_ordinal,
                                                   MutableBorrowingLiteral literal) {
  HILO_ASSIGN_OR_RETURN(stream_executor::StreamExecutor * executor,
                        backend().stream_executor(device_ordinal));
  return backend().transfer_manager()->TransferLiteralFromOutfeed(executor, literal);
}

absl::StatusOr<int> LocalClient::ReplicaNumberToDeviceOrdinal(int replica_number) {
  return local_service_->ReplicaNumberToDeviceOrdinal(replica_number);
}

}  // namespace xla
