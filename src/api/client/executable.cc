#include "xla/service/executable.h"

#include <chrono>
#include <new>
#include <utility>

#include "api/backend.h"
#include "api/client/eigen_threads.h"
#include "api/client/run_groups.h"
#include "api/client/shaped_buffer_run.h"
#include "base/status_macros.h"
#include "device/host_transfers.h"
#include "device/run_completion.h"
#include "ir/op_info.h"
#include "runtime/parallel.h"
#include "xla/service/computation_placer.h"
#include "xla/service/device_assignment.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

ExecutionInput::ExecutionInput(const ShapedBuffer& lent)
    : buffers_(lent.on_device_shape()), completion_(lent.completion()) {
  for (auto& [index, buffer] : buffers_) buffer = lent.buffer(index);
}

ExecutionInput::ExecutionInput(ScopedShapedBuffer&& donated)
    : buffers_(donated.on_device_shape()), completion_(donated.completion()) {
  stream_executor::DeviceAddressAllocator* const allocator = donated.memory_allocator();
  const ShapedBuffer released = donated.release();
  for (auto& [index, buffer] : buffers_) {
    buffer = stream_executor::OwningDeviceAddress(released.buffer(index), released.device_ordinal(),
                                                  allocator);
  }
  donated.clear();
}

ExecutionInput::~ExecutionInput() {
  // Memory that somebody still writes does not go.
  for (const auto& [index, buffer] : buffers_) {
    if (completion_ != nullptr && buffer.HasOwnership()) completion_->Await().IgnoreError();
  }
  for (const ShapeIndex& index : unowned_) {
    std::optional<stream_executor::OwningDeviceAddress> memory =
        buffers_.mutable_element(index)->Release();
    if (memory.has_value()) (void)memory->Release();
  }
}

absl::Status ExecutionInput::SetDynamicShape(Shape dynamic_shape) {
  if (!ShapeUtil::DynamicShapeIsCompatible(dynamic_shape, buffers_.shape())) {
    return InvalidArgument("an argument of shape %s cannot have the shape %s",
                           ShapeUtil::HumanString(buffers_.shape()),
                           ShapeUtil::HumanString(dynamic_shape));
  }
  dynamic_shape_ = std::move(dynamic_shape);
  return absl::OkStatus();
}

namespace {

bool Communicates(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      const HloOpcode opcode = instruction->opcode();
      if (HasTrait(opcode, kCollective) || opcode == HloOpcode::kSend || opcode == HloOpcode::kRecv)
        return true;
    }
  }
  return false;
}

// Which of the program's devices the device with that number is.
absl::StatusOr<runtime::Device> LogicalDevice(const HloModule& module,
                                              const ExecutableRunOptions& options, int ordinal) {
  const HloModuleConfig& config = module.config();
  const bool is_alone = config.replica_count() * config.num_partitions() == 1;
  if (is_alone && options.device_assignment() == nullptr && !config.has_static_device_assignment())
    return runtime::Device{1, 1, 0, nullptr, ordinal};
  DeviceAssignment assignment;
  if (options.device_assignment() != nullptr) {
    assignment = *options.device_assignment();
  } else if (config.has_static_device_assignment()) {
    assignment = config.static_device_assignment();
  } else {
    HILO_ASSIGN_OR_RETURN(
        assignment, ComputationPlacer().AssignDevices(static_cast<int>(config.replica_count()),
                                                      static_cast<int>(config.num_partitions())));
  }
  HILO_ASSIGN_OR_RETURN(const DeviceAssignment::LogicalID id,
                        assignment.LogicalIdForDevice(GlobalDeviceId(ordinal)));
  const int64_t partitions = assignment.computation_count();
  return runtime::Device{assignment.replica_count(), partitions,
                         id.replica_id * partitions + id.computation_id, nullptr, ordinal};
}

// A run that is ready, with copies of what it needs of the options. It stays where it is made: it
// is large, and who starts it waits for that.
class ReadyRun {
 public:
  static absl::StatusOr<std::shared_ptr<ReadyRun>> Make(std::shared_ptr<CompiledModule> compiled,
                                                        const ExecutableRunOptions& options,
                                                        int ordinal,
                                                        std::vector<ExecutionInput> arguments) {
    if (options.allocator() == nullptr)
      return InvalidArgument("the run options have no allocator for the result");
    HILO_ASSIGN_OR_RETURN(const runtime::Device device,
                          LogicalDevice(compiled->module(), options, ordinal));
    auto run = std::make_shared<ReadyRun>(std::move(compiled), options, device, ordinal,
                                          std::move(arguments));
    HILO_RETURN_IF_ERROR(run->run_.Prepare());
    return run;
  }

  ReadyRun(std::shared_ptr<CompiledModule> compiled, const ExecutableRunOptions& options,
           const runtime::Device& device, int ordinal, std::vector<ExecutionInput> arguments)
      : compiled_(std::move(compiled)),
        options_(options),
        run_(*compiled_, std::move(arguments), options.allocator(), ordinal),
        most_threads_(ThreadsOf(options.intra_op_thread_pool())) {
    context_.mailboxes = &HostMailboxes();
    context_.seed = SeedOfRun(compiled_->module(), options.rng_seed());
    context_.device = device;
    context_.ffi = {options.ffi_execution_context(), options.run_id().ToInt(),
                    static_cast<int32_t>(device.id)};
  }

  ScopedShapedBuffer TakeResult() { return run_.TakeResult(); }

  absl::Status Run() {
    const auto begin = std::chrono::steady_clock::now();
    absl::Status status;
    try {
      status = Communicate();
    } catch (const std::bad_alloc&) {
      status = ResourceExhausted("there is no memory left for a run of program %s",
                                 compiled_->module().name());
    }
    if (options_.execution_profile() != nullptr) {
      const auto time = std::chrono::steady_clock::now() - begin;
      options_.execution_profile()->set_compute_time_ns(std::chrono::nanoseconds(time).count());
      options_.execution_profile()->set_compute_and_transfer_time_ns(
          std::chrono::nanoseconds(time).count());
    }
    return status;
  }

 private:
  absl::Status Communicate() {
    const runtime::LimitThreads limit(most_threads_);
    const int64_t devices = context_.device.replicas * context_.device.partitions;
    if (devices == 1 || !Communicates(compiled_->module())) return run_.Run(context_);
    HILO_ASSIGN_OR_RETURN(
        RunMembership member,
        JoinRun({compiled_.get(), options_.run_id().ToInt(), options_.launch_id()},
                context_.device.id, devices, HostMailboxes().timeout()));
    context_.device.rendezvous = member.rendezvous();
    context_.stop = member.stop();
    const absl::Status status = run_.Run(context_);
    member.Leave(status, HostMailboxes());
    return status;
  }

  const std::shared_ptr<CompiledModule> compiled_;
  const ExecutableRunOptions options_;
  RunContext context_;
  ShapedBufferRun run_;
  const int most_threads_;
};

}  // namespace

Executable::Executable(std::shared_ptr<CompiledModule> compiled) : compiled_(std::move(compiled)) {}
Executable::~Executable() = default;

const HloModule& Executable::module() const { return compiled_->module(); }

std::shared_ptr<const HloModule> Executable::shared_module() const {
  return std::shared_ptr<const HloModule>(compiled_, &compiled_->module());
}

int64_t Executable::SizeOfGeneratedCodeInBytes() const { return compiled_->traits().code_bytes; }

absl::StatusOr<ExecutionOutput> Executable::ExecuteOnDevice(const ExecutableRunOptions& options,
                                                            int device_ordinal,
                                                            std::vector<ExecutionInput> arguments) {
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<ReadyRun> run,
                        ReadyRun::Make(compiled_, options, device_ordinal, std::move(arguments)));
  HILO_RETURN_IF_ERROR(run->Run());
  return ExecutionOutput(run->TakeResult());
}

absl::StatusOr<ExecutionOutput> Executable::ExecuteOnStream(
    const ServiceExecutableRunOptions* run_options, std::vector<ExecutionInput> arguments) {
  stream_executor::Stream* const stream = run_options->stream();
  if (stream == nullptr) return InvalidArgument("the run options have no stream");
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<ReadyRun> run,
                        ReadyRun::Make(compiled_, run_options->run_options(),
                                       stream->parent()->device_ordinal(), std::move(arguments)));
  HILO_RETURN_IF_ERROR(stream->RunAndWait([&] { return run->Run(); }));
  return ExecutionOutput(run->TakeResult());
}

namespace {

// A run that has been started, and its result.
struct Started {
  std::shared_ptr<ReadyRun> run;
  std::shared_ptr<RunCompletion> completion;
  ExecutionOutput output;
};

Started Start(std::shared_ptr<ReadyRun> run) {
  auto completion = std::make_shared<RunCompletion>();
  ScopedShapedBuffer result = run->TakeResult();
  result.set_completion(completion);
  return {std::move(run), std::move(completion), ExecutionOutput(std::move(result))};
}

// Gives back what belongs to the run before anybody goes on.
void Finish(std::shared_ptr<ReadyRun> run, RunCompletion& completion, const absl::Status& status) {
  run.reset();
  completion.Set(status);
}

}  // namespace

absl::StatusOr<ExecutionOutput> Executable::ExecuteAsyncOnStream(
    const ServiceExecutableRunOptions* run_options, std::vector<ExecutionInput> arguments) {
  stream_executor::Stream* const stream = run_options->stream();
  if (stream == nullptr) return InvalidArgument("the run options have no stream");
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<ReadyRun> ready,
                        ReadyRun::Make(compiled_, run_options->run_options(),
                                       stream->parent()->device_ordinal(), std::move(arguments)));
  Started started = Start(std::move(ready));
  auto do_run = [run = started.run, completion = started.completion, stream]() mutable {
    absl::Status status = stream->RefreshStatus();
    if (status.ok()) status = run->Run();
    Finish(std::move(run), *completion, status);
    return status;
  };
  started.run.reset();
  if (ThenExecuteFunction* then_execute = run_options->run_options().then_execute_function()) {
    (*then_execute)(stream, [do_run]() mutable { do_run().IgnoreError(); });
  } else {
    HILO_RETURN_IF_ERROR(stream->DoHostCallbackWithStatus(std::move(do_run)));
  }
  return std::move(started.output);
}

absl::StatusOr<ExecutionOutput> Executable::ExecuteAsyncOnBorrowedStream(
    const ServiceExecutableRunOptions& run_options, int device_ordinal,
    std::vector<ExecutionInput> arguments) {
  HILO_ASSIGN_OR_RETURN(StreamPool::Ptr stream, run_options.BorrowStream(device_ordinal));
  HILO_ASSIGN_OR_RETURN(
      std::shared_ptr<ReadyRun> ready,
      ReadyRun::Make(compiled_, run_options.run_options(), device_ordinal, std::move(arguments)));
  Started started = Start(std::move(ready));
  stream_executor::Stream& borrowed = *stream;
  // The error is the result's alone: the next user of the stream has nothing to do with it.
  HILO_RETURN_IF_ERROR(
      borrowed.DoHostCallback([run = std::move(started.run), completion = started.completion,
                               stream = std::move(stream)]() mutable {
        const absl::Status status = run->Run();
        Finish(std::move(run), *completion, status);
      }));
  return std::move(started.output);
}

absl::StatusOr<ScopedShapedBuffer> Executable::ExecuteOnStream(
    const ServiceExecutableRunOptions* run_options,
    absl::Span<const ShapedBuffer* const> arguments) {
  HILO_ASSIGN_OR_RETURN(ExecutionOutput output, ExecuteOnStream(run_options, Lend(arguments)));
  return output.ConsumeResult();
}

absl::StatusOr<ScopedShapedBuffer> Executable::ExecuteAsyncOnStream(
    const ServiceExecutableRunOptions* run_options,
    absl::Span<const ShapedBuffer* const> arguments) {
  HILO_ASSIGN_OR_RETURN(ExecutionOutput output, ExecuteAsyncOnStream(run_options, Lend(arguments)));
  return output.ConsumeResult();
}

absl::StatusOr<std::vector<ScopedShapedBuffer>> Executable::ExecuteOnStreams(
    absl::Span<const ServiceExecutableRunOptions> run_options,
    absl::Span<const absl::Span<const ShapedBuffer* const>> arguments) {
  if (run_options.size() != arguments.size()) {
    return InvalidArgument("there are options for %d runs, but arguments for %d",
                           run_options.size(), arguments.size());
  }
  std::vector<ScopedShapedBuffer> results;
  for (size_t i = 0; i < run_options.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(ScopedShapedBuffer result,
                          ExecuteAsyncOnStream(&run_options[i], arguments[i]));
    results.push_back(std::move(result));
  }
  for (const ScopedShapedBuffer& result : results) HILO_RETURN_IF_ERROR(result.Await());
  return results;
}

}  // namespace xla
