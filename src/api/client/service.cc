#include "xla/service/service.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "api/backend.h"
#include "api/client/compile.h"
#include "base/status_macros.h"
#include "device/host_transfers.h"
#include "runtime/mailboxes.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/layout_util.h"
#include "xla/service/computation_placer.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace internal {

// What handles stand for.
class GlobalValues {
 public:
  // A part of values, one for each device, which may share them with other parts.
  struct Value {
    std::vector<std::shared_ptr<const ScopedShapedBuffer>> replicas;
    ShapeIndex part;
  };

  GlobalDataHandle Add(Value value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    GlobalDataHandle handle;
    handle.set_handle(++last_);
    values_.emplace(last_, std::move(value));
    return handle;
  }
  absl::StatusOr<Value> Find(const GlobalDataHandle& handle) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = values_.find(handle.handle());
    if (found == values_.end()) return None(handle);
    return found->second;
  }
  absl::Status Remove(const GlobalDataHandle& handle) {
    Value removed;  // goes when the mutex is free again
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = values_.find(handle.handle());
    if (found == values_.end()) return None(handle);
    removed = std::move(found->second);
    values_.erase(found);
    return absl::OkStatus();
  }

 private:
  absl::Status None(const GlobalDataHandle& handle) const {
    if (handle.handle() >= 1 && handle.handle() <= last_)
      return NotFound("global data %d was previously deallocated", handle.handle());
    return NotFound("there never was global data %d", handle.handle());
  }

  mutable std::mutex mutex_;
  std::map<int64_t, Value> values_;
  int64_t last_ = 0;
};

}  // namespace internal

namespace {

absl::StatusOr<Literal> InLayout(Literal literal, const Shape* shape_with_layout) {
  if (shape_with_layout == nullptr) return literal;
  if (!ShapeUtil::Compatible(literal.shape(), *shape_with_layout)) {
    return InvalidArgument("the value has shape %s, which is not that of the layout asked for, %s",
                           literal.shape().ToString(), shape_with_layout->ToString());
  }
  return literal.Relayout(*shape_with_layout);
}

// Calls run(i) for i below count at the same time, each on a thread, and gives the first error.
absl::Status AtOnce(size_t count, const std::function<absl::Status(size_t)>& run) {
  if (count == 1) return run(0);
  std::vector<absl::Status> status(count);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    try {
      threads.emplace_back([&, i] { status[i] = run(i); });
    } catch (const std::system_error&) {
      status[i] = ResourceExhausted("there is no thread left for device %d", i);
    }
  }
  for (std::thread& thread : threads) thread.join();
  absl::Status first;
  for (const absl::Status& one : status) {
    // What merely follows from another device's error says less.
    if (!one.ok() && (first.ok() || (absl::IsAborted(first) && !absl::IsAborted(one)))) first = one;
  }
  return first;
}

}  // namespace

GlobalData::GlobalData(Service* parent, GlobalDataHandle handle)
    : handle_(std::move(handle)), values_(parent->values_) {}

GlobalData::~GlobalData() {
  // The service may be gone, and the value may have been unregistered.
  if (const auto values = values_.lock()) values->Remove(handle_).IgnoreError();
}

void GlobalData::Release(std::vector<std::unique_ptr<GlobalData>> instances) {
  for (std::unique_ptr<GlobalData>& instance : instances) instance->values_.reset();
}

// The executables of handles.
class Service::Programs {
 public:
  struct Program {
    std::shared_ptr<Executable> executable;
    int first_device;
  };
  ExecutionHandle Add(Program program) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ExecutionHandle handle;
    handle.set_handle(++last_);
    programs_.emplace(last_, std::move(program));
    return handle;
  }
  absl::StatusOr<Program> Find(const ExecutionHandle& handle) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = programs_.find(handle.handle());
    if (found == programs_.end())
      return NotFound("there is no executable with handle %d", handle.handle());
    return found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<int64_t, Program> programs_;
  int64_t last_ = 0;
};

Service::Service(const ServiceOptions& options, std::unique_ptr<Backend> backend)
    : options_(options),
      execute_backend_(std::move(backend)),
      values_(std::make_shared<internal::GlobalValues>()),
      programs_(std::make_unique<Programs>()) {}

Service::~Service() = default;

absl::StatusOr<std::unique_ptr<Service>> Service::NewService(const ServiceOptions& options) {
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Backend> backend, CreateBackendFor(options));
  return std::unique_ptr<Service>(new Service(options, std::move(backend)));
}

absl::StatusOr<std::unique_ptr<Service>> Service::NewService(stream_executor::Platform* platform) {
  return NewService(ServiceOptions().set_platform(platform));
}

// ---- Values

std::unique_ptr<GlobalData> Service::Register(std::vector<ScopedShapedBuffer> replicas) {
  internal::GlobalValues::Value value;
  for (ScopedShapedBuffer& replica : replicas) {
    value.replicas.push_back(std::make_shared<const ScopedShapedBuffer>(std::move(replica)));
  }
  return std::make_unique<GlobalData>(this, values_->Add(std::move(value)));
}

absl::StatusOr<std::vector<ShapedBuffer>> Service::Resolve(const GlobalDataHandle& handle) const {
  HILO_ASSIGN_OR_RETURN(const internal::GlobalValues::Value value, values_->Find(handle));
  std::vector<ShapedBuffer> buffers;
  for (const auto& replica : value.replicas) {
    HILO_ASSIGN_OR_RETURN(ShapedBuffer buffer, replica->SubShapedBuffer(value.part));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

absl::StatusOr<int> Service::DeviceFor(int64_t replica_id,
                                       const DeviceHandle* device_handle) const {
  const int64_t first =
      device_handle != nullptr ? device_handle->handle() : backend().default_device_ordinal();
  const int64_t count = backend().device_count();
  if (replica_id < 0 || replica_id >= count || first < 0 || first >= count ||
      first + replica_id >= count) {
    return InvalidArgument("there is no device for replica %d: there are devices 0 to %d",
                           replica_id, count - 1);
  }
  const int ordinal = static_cast<int>(first + replica_id);
  HILO_RETURN_IF_ERROR(backend().stream_executor(ordinal).status());
  return ordinal;
}

absl::StatusOr<std::unique_ptr<GlobalData>> Service::TransferToServer(
    const LiteralSlice& literal, const DeviceHandle* device_handle) {
  HILO_ASSIGN_OR_RETURN(const int ordinal, DeviceFor(0, device_handle));
  HILO_ASSIGN_OR_RETURN(ScopedShapedBuffer buffer,
                        ToDevice(*execute_backend_, literal, ordinal, nullptr));
  std::vector<ScopedShapedBuffer> replicas;
  replicas.push_back(std::move(buffer));
  return Register(std::move(replicas));
}

absl::StatusOr<Literal> Service::TransferToClient(const GlobalData& data,
                                                  const Shape* shape_with_layout) {
  // The value must not go while it is read.
  HILO_ASSIGN_OR_RETURN(const internal::GlobalValues::Value value, values_->Find(data.handle()));
  HILO_ASSIGN_OR_RETURN(const ShapedBuffer buffer,
                        value.replicas.front()->SubShapedBuffer(value.part));
  HILO_ASSIGN_OR_RETURN(Literal literal, FromDevice(*execute_backend_, buffer));
  return InLayout(std::move(literal), shape_with_layout);
}

absl::StatusOr<Shape> Service::GetShape(const GlobalData& data) {
  HILO_ASSIGN_OR_RETURN(const std::vector<ShapedBuffer> buffers, Resolve(data.handle()));
  return buffers.front().on_host_shape();
}

absl::StatusOr<std::vector<std::unique_ptr<GlobalData>>> Service::DeconstructTuple(
    const GlobalData& data) {
  HILO_ASSIGN_OR_RETURN(const internal::GlobalValues::Value value, values_->Find(data.handle()));
  const Shape& shape = ShapeUtil::GetSubshape(value.replicas.front()->on_host_shape(), value.part);
  if (!shape.IsTuple()) {
    return InvalidArgument("global data %d of shape %s is not a tuple", data.handle().handle(),
                           ShapeUtil::HumanString(shape));
  }
  if (ShapeUtil::IsNestedTuple(shape)) {
    return Unimplemented("Deconstructing nested tuples is not supported: the shape is %s",
                         ShapeUtil::HumanString(shape));
  }
  std::vector<std::unique_ptr<GlobalData>> elements;
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    internal::GlobalValues::Value element = value;
    element.part.push_back(i);
    elements.push_back(std::make_unique<GlobalData>(this, values_->Add(std::move(element))));
  }
  return elements;
}

absl::Status Service::Unregister(const GlobalDataHandle& data) { return values_->Remove(data); }

// ---- Programs

absl::StatusOr<ExecutionHandle> Service::Compile(const XlaComputation& computation,
                                                 absl::Span<const Shape> argument_shapes,
                                                 const ExecutionOptions& execution_options) {
  const DeviceHandle* const first =
      execution_options.device_handles_size() > 0 ? &execution_options.device_handles(0) : nullptr;
  HILO_ASSIGN_OR_RETURN(const int ordinal, DeviceFor(0, first));
  std::vector<const Shape*> shapes;
  for (const Shape& shape : argument_shapes) shapes.push_back(&shape);
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<HloModule> module,
      ModuleOf(computation, shapes, execution_options, options_.number_of_replicas()));
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<Executable> executable,
      backend().compiler()->RunBackend(std::move(module), nullptr, Compiler::CompileOptions()));
  return programs_->Add({std::move(executable), ordinal});
}

absl::StatusOr<std::unique_ptr<GlobalData>> Service::Run(Executable& executable, int first_device,
                                                         absl::Span<GlobalData* const> arguments,
                                                         ExecutionProfile* execution_profile) {
  const HloModuleConfig& config = executable.module_config();
  const int64_t replicas = config.replica_count(), partitions = config.num_partitions();
  DeviceAssignment assignment(1, 1);
  assignment(0, 0) = first_device;
  if (config.has_static_device_assignment()) {
    assignment = config.static_device_assignment();
  } else if (replicas * partitions > 1) {
    HILO_ASSIGN_OR_RETURN(
        assignment, backend().computation_placer()->AssignDevices(static_cast<int>(replicas),
                                                                  static_cast<int>(partitions)));
    assignment.Each([&](absl::Span<const int64_t>, int64_t* device) { *device += first_device; });
  }
  for (const int64_t device : assignment)
    HILO_RETURN_IF_ERROR(backend().stream_executor(static_cast<int>(device)).status());
  // What is lent to the run must not go before it is over.
  std::vector<internal::GlobalValues::Value> values;
  for (const GlobalData* argument : arguments) {
    HILO_ASSIGN_OR_RETURN(values.emplace_back(), values_->Find(argument->handle()));
  }
  const size_t devices = static_cast<size_t>(assignment.num_elements());
  std::vector<std::optional<ScopedShapedBuffer>> results(devices);
  const RunId run_id = RunId::CreateUniqueId();
  const auto run_one = [&](size_t i) -> absl::Status {
    const int64_t replica = static_cast<int64_t>(i) / assignment.computation_count();
    const int ordinal = static_cast<int>(assignment.begin()[i]);
    ExecutableRunOptions options;
    options.set_allocator(backend().memory_allocator())
        .set_device_ordinal(ordinal)
        .set_device_assignment(&assignment)
        .set_run_id(run_id);
    if (i == 0) options.set_execution_profile(execution_profile);
    std::vector<ExecutionInput> own;
    for (const internal::GlobalValues::Value& value : values) {
      const size_t which = std::min<size_t>(replica, value.replicas.size() - 1);
      HILO_ASSIGN_OR_RETURN(const ShapedBuffer buffer,
                            value.replicas[which]->SubShapedBuffer(value.part));
      own.emplace_back(buffer);
    }
    HILO_ASSIGN_OR_RETURN(ExecutionOutput output,
                          executable.ExecuteOnDevice(options, ordinal, std::move(own)));
    results[i].emplace(output.ConsumeResult());
    return absl::OkStatus();
  };
  HILO_RETURN_IF_ERROR(AtOnce(devices, run_one));
  std::vector<ScopedShapedBuffer> of_replicas;
  for (size_t i = 0; i < devices; i += assignment.computation_count())
    of_replicas.push_back(*std::move(results[i]));
  return Register(std::move(of_replicas));
}

absl::StatusOr<std::unique_ptr<GlobalData>> Service::Execute(
    const ExecutionHandle& handle, absl::Span<GlobalData* const> arguments,
    ExecutionProfile* execution_profile) {
  HILO_ASSIGN_OR_RETURN(const Programs::Program program, programs_->Find(handle));
  return Run(*program.executable, program.first_device, arguments, execution_profile);
}

absl::StatusOr<std::unique_ptr<GlobalData>> Service::CompileAndExecute(
    const XlaComputation& computation, absl::Span<GlobalData* const> arguments,
    const ExecutionOptions& execution_options, ExecutionProfile* execution_profile) {
  std::vector<Shape> shapes;
  for (const GlobalData* argument : arguments) {
    HILO_ASSIGN_OR_RETURN(shapes.emplace_back(), GetShape(*argument));
  }
  const DeviceHandle* const first =
      execution_options.device_handles_size() > 0 ? &execution_options.device_handles(0) : nullptr;
  HILO_ASSIGN_OR_RETURN(const int ordinal, DeviceFor(0, first));
  std::vector<const Shape*> pointers;
  for (const Shape& shape : shapes) pointers.push_back(&shape);
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<HloModule> module,
      ModuleOf(computation, pointers, execution_options, options_.number_of_replicas()));
  HILO_ASSIGN_OR_RETURN(
      const std::unique_ptr<Executable> executable,
      backend().compiler()->RunBackend(std::move(module), nullptr, Compiler::CompileOptions()));
  return Run(*executable, ordinal, arguments, execution_profile);
}

absl::StatusOr<std::vector<std::unique_ptr<GlobalData>>> Service::ExecuteGraphParallel(
    absl::Span<const XlaComputationInstance> computations) {
  std::vector<std::unique_ptr<GlobalData>> results(computations.size());
  if (computations.empty()) return results;
  HILO_RETURN_IF_ERROR(AtOnce(computations.size(), [&](size_t i) -> absl::Status {
    const XlaComputationInstance& instance = computations[i];
    HILO_ASSIGN_OR_RETURN(
        results[i], CompileAndExecute(instance.computation, instance.arguments,
                                      instance.execution_options, instance.execution_profile));
    return absl::OkStatus();
  }));
  return results;
}

absl::StatusOr<std::vector<DeviceHandle>> Service::GetDeviceHandles(int64_t device_count) {
  const auto& executors = backend().stream_executors();
  if (device_count < 1 || device_count > static_cast<int64_t>(executors.size())) {
    return ResourceExhausted("%d devices were asked for, but there are %d", device_count,
                             executors.size());
  }
  std::vector<DeviceHandle> handles;
  for (int64_t i = 0; i < device_count; ++i) {
    DeviceHandle handle;
    handle.set_handle(executors[i]->device_ordinal());
    handle.set_device_count(1);
    handles.push_back(handle);
  }
  return handles;
}

absl::StatusOr<Literal> Service::ComputeConstantGraph(const XlaComputation& computation,
                                                      const Layout* output_layout) {
  HILO_ASSIGN_OR_RETURN(
      const std::unique_ptr<HloModule> module,
      ModuleOf(computation, {}, ExecutionOptions(), options_.number_of_replicas()));
  HILO_ASSIGN_OR_RETURN(Literal result,
                        HloEvaluator().Evaluate(*module, absl::Span<const Literal* const>()));
  if (output_layout == nullptr) return result;
  Shape shape = result.shape();
  if (!shape.IsArray() ||
      output_layout->minor_to_major().size() != static_cast<size_t>(shape.dimensions_size())) {
    return InvalidArgument("the layout %s does not fit the constant's shape %s",
                           output_layout->ToString(), ShapeUtil::HumanString(shape));
  }
  *shape.mutable_layout() = *output_layout;
  return InLayout(std::move(result), &shape);
}

// ---- Values between the host and running programs

absl::Status Service::TransferToInfeed(const LiteralSlice& literal, int64_t replica_id,
                                       const DeviceHandle* device_handle) {
  HILO_ASSIGN_OR_RETURN(const int ordinal, DeviceFor(replica_id, device_handle));
  HILO_ASSIGN_OR_RETURN(stream_executor::StreamExecutor * executor,
                        backend().stream_executor(ordinal));
  return backend().transfer_manager()->TransferLiteralToInfeed(executor, literal);
}

absl::StatusOr<Literal> Service::TransferFromOutfeed(const Shape* shape_with_layout,
                                                     int64_t replica_id,
                                                     const DeviceHandle* device_handle) {
  HILO_ASSIGN_OR_RETURN(const int ordinal, DeviceFor(replica_id, device_handle));
  HILO_ASSIGN_OR_RETURN(Literal value, HostMailboxes().Take({runtime::Mailbox::kOutfeed, ordinal}));
  return InLayout(std::move(value), shape_with_layout);
}

absl::Status Service::ResetDevice() { return execute_backend_->ResetDevices(); }

void Service::set_transfer_timeout(absl::Duration timeout) { HostMailboxes().set_timeout(timeout); }

absl::StatusOr<ChannelHandle> Service::CreateChannelHandle(ChannelHandle::ChannelType type) {
  static std::atomic<int64_t> last = 0;
  ChannelHandle channel;
  channel.set_handle(++last);
  channel.set_type(type);
  return channel;
}

}  // namespace xla
