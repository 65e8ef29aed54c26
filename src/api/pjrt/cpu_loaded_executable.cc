#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "api/pjrt/cpu_buffer.h"
#include "api/pjrt/cpu_executable.h"
#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Frameworks that know no tokens pass empty arrays of predicates.
bool StandsForToken(const Shape& given, const Shape& wanted) {
  return wanted.IsToken() && given.element_type() == PRED && ShapeUtil::IsZeroElementArray(given);
}

absl::Status CheckArgumentOf(const DeviceProgram& program, size_t number, const Shape& given,
                             bool is_strict) {
  const Shape& wanted = *program.arguments[number].shape;
  if (&given == &wanted) return absl::OkStatus();
  if (is_strict ? ShapeUtil::Equal(given, wanted)
                : (given.element_type() == wanted.element_type() && given.is_static() &&
                   wanted.is_static() && given.dimensions() == wanted.dimensions()) ||
                      IsArgumentFor(given, wanted) || StandsForToken(given, wanted))
    return absl::OkStatus();
  return InvalidArgument("program %s: argument %d has shape %s, but the program takes %s",
                         program.module->module().name(), number, given.ToString(),
                         wanted.ToString());
}

// The arguments of one run, of which those that are donated are taken out of their handles.
class ArgumentTaker {
 public:
  ArgumentTaker(const CpuClient* client, const ExecuteOptions& options, DeviceRun& run)
      : client_(client), options_(options), run_(run) {}

  absl::Status Take(absl::Span<PjRtBuffer* const> arguments) {
    const DeviceProgram& program = *run_.program;
    if (arguments.size() != program.arguments.size()) {
      return InvalidArgument("program %s takes %d arguments, but %d were given",
                             program.module->module().name(), program.arguments.size(),
                             arguments.size());
    }
    arguments_ = arguments;
    HILO_RETURN_IF_ERROR(CheckDonatedOnce());
    run_.arguments.reserve(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) HILO_RETURN_IF_ERROR(TakeOne(i));
    return absl::OkStatus();
  }

  // As if nothing had happened.
  void PutBack(absl::Span<PjRtBuffer* const> arguments) {
    arguments_ = arguments;
    PutBack();
  }
  void PutBack() {
    for (size_t i = 0; i < run_.arguments.size(); ++i) {
      if (run_.arguments[i].is_donated)
        static_cast<CpuBuffer*>(arguments_[i])->PutBack(std::move(run_.arguments[i].array));
    }
    run_.arguments.clear();
    run_.results.clear();
    run_.done.SetStateConcrete();
  }

 private:
  std::string Name(size_t number) const {
    return absl::StrFormat("program %s: argument %d", run_.program->module->module().name(),
                           number);
  }

  absl::Status TakeOne(size_t i) {
    PjRtBuffer* const given = arguments_[i];
    if (given == nullptr) return InvalidArgument("%s is null", Name(i));
    if (given->client() != client_)
      return InvalidArgument("%s is a buffer of another client", Name(i));
    CpuBuffer& buffer = *static_cast<CpuBuffer*>(given);
    if (buffer.device() != run_.device) {
      return InvalidArgument("%s is on device %s, but the program runs on %s", Name(i),
                             buffer.device()->ToString(), run_.device->ToString());
    }
    HILO_RETURN_IF_ERROR(CheckArgumentOf(*run_.program, i, buffer.on_device_shape(),
                                         options_.strict_shape_checking));
    const bool is_donated = IsDonated(i);
    DeviceArrayRef array = is_donated ? buffer.Take() : buffer.Use(run_.done);
    if (array == nullptr) return InvalidArgument("%s has been deleted or donated", Name(i));
    run_.arguments.push_back({std::move(array), is_donated});
    return absl::OkStatus();
  }

  bool IsDonated(size_t number) const {
    return run_.program->arguments[number].is_donated &&
           !options_.non_donatable_input_indices.contains(static_cast<int>(number));
  }

  // A buffer that is donated may not be another argument, too.
  absl::Status CheckDonatedOnce() const {
    if (!run_.program->has_donations || arguments_.size() < 2) return absl::OkStatus();
    absl::flat_hash_map<const PjRtBuffer*, size_t> first;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const auto [found, is_new] = first.emplace(arguments_[i], i);
      if (is_new || (!IsDonated(i) && !IsDonated(found->second))) continue;
      return InvalidArgument(
          "%s is the same buffer as argument %d, and %s donated", Name(i), found->second,
          IsDonated(i) && IsDonated(found->second) ? "both are" : "one of them is");
    }
    return absl::OkStatus();
  }

  const CpuClient* const client_;
  const ExecuteOptions& options_;
  DeviceRun& run_;
  absl::Span<PjRtBuffer* const> arguments_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> CpuLoadedExecutable::Load(
    CpuClient* client, std::shared_ptr<CpuExecutable> executable) {
  std::unique_ptr<CpuLoadedExecutable> loaded(
      new CpuLoadedExecutable(client, std::move(executable)));
  HILO_RETURN_IF_ERROR(loaded->SetDevices());
  return loaded;
}

// Calls of ExecuteSharded that nobody completes any more.
CpuLoadedExecutable::~CpuLoadedExecutable() {
  for (auto& [launch_id, assembly] : assemblies_) {
    for (const std::unique_ptr<DeviceRun>& run : assembly.runs) {
      if (run == nullptr) continue;
      run->Fail(absl::CancelledError("the executable has gone before all devices were called"));
    }
  }
}

absl::Status CpuLoadedExecutable::SetDevices() {
  const CompileOptions& options = executable_->options();
  const ExecutableBuildOptions& build = options.executable_build_options;
  const int replicas = build.num_replicas(), partitions = build.num_partitions();
  if (options.compile_portable_executable) {
    if (replicas * partitions == 1) return absl::OkStatus();
    return InvalidArgument("a portable executable runs on one device, not on %d replicas of %d",
                           replicas, partitions);
  }
  if (build.has_device_assignment()) {
    assignment_ = build.device_assignment();
    if (assignment_.replica_count() != replicas || assignment_.computation_count() != partitions) {
      return InvalidArgument(
          "the device assignment is for %d replicas of %d partitions, the program for %d of %d",
          assignment_.replica_count(), assignment_.computation_count(), replicas, partitions);
    }
  } else if (build.device_ordinal() >= 0 && replicas * partitions == 1) {
    assignment_ = DeviceAssignment(1, 1);
    HILO_ASSIGN_OR_RETURN(PjRtDevice* const device,
                          client_->LookupAddressableDevice(LocalDeviceId(build.device_ordinal())));
    assignment_(0, 0) = device->id();
  } else {
    HILO_ASSIGN_OR_RETURN(assignment_, client_->GetDefaultDeviceAssignment(replicas, partitions));
  }
  absl::flat_hash_set<const PjRtDevice*> seen;
  for (int replica = 0; replica < replicas; ++replica) {
    for (int partition = 0; partition < partitions; ++partition) {
      HILO_ASSIGN_OR_RETURN(
          PjRtDevice* const device,
          client_->LookupDevice(GlobalDeviceId(static_cast<int>(assignment_(replica, partition)))));
      if (!seen.insert(device).second)
        return InvalidArgument("device %s stands twice in the assignment", device->ToString());
      processes_.push_back(device->process_index());
      if (!device->IsAddressable()) continue;
      devices_.push_back(device);
      numbers_.push_back(static_cast<int64_t>(processes_.size()) - 1);
      logical_ids_.push_back({replica, partition});
    }
  }
  return absl::OkStatus();
}

std::unique_ptr<runtime::Rendezvous> CpuLoadedExecutable::NewRendezvous() const {
  if (devices_.size() == processes_.size())
    return std::make_unique<runtime::Rendezvous>(static_cast<int64_t>(devices_.size()));
  std::string words(executable_->name());
  for (int replica = 0; replica < assignment_.replica_count(); ++replica) {
    for (int partition = 0; partition < assignment_.computation_count(); ++partition)
      absl::StrAppend(&words, ",", assignment_(replica, partition));
  }
  return client_->processes()->NewRendezvous(processes_, words);
}

absl::Status CpuLoadedExecutable::Check(const ExecuteOptions& options) const {
  if (is_deleted_) return InvalidArgument("executable %s has been deleted", executable_->name());
  if (!options.send_callbacks.empty() || !options.recv_callbacks.empty())
    return Unimplemented("devices of this client have no callbacks for send and recv");
  return absl::OkStatus();
}

bool CpuLoadedExecutable::IsSynchronous(const ExecuteOptions& options) const {
  switch (options.execution_mode) {
    case ExecuteOptions::ExecutionMode::kSynchronous:
      return true;
    case ExecuteOptions::ExecutionMode::kAsynchronous:
      return false;
    case ExecuteOptions::ExecutionMode::kDefault:
      break;
  }
  return !client_->options().asynchronous;
}

absl::Status CpuLoadedExecutable::Prepare(absl::Span<PjRtBuffer* const> arguments,
                                          CpuDevice* device, int64_t number,
                                          const ExecuteOptions& options, DeviceRun& run) const {
  run.owner = executable_;
  run.program = &executable_->program();
  run.device = device;
  run.place = {executable_->num_replicas(), executable_->num_partitions(), number};
  run.seed = SeedOfRun(run.program->module->module(), options.seed);
  if (options.context != nullptr) run.ffi.execution_context = &options.context->ffi_context();
  run.ffi.run_id = options.launch_id;
  run.done = tsl::MakeConstructedAsyncValueRef<tsl::Chain>();
  ArgumentTaker taker(client_, options, run);
  if (const absl::Status status = taker.Take(arguments); !status.ok()) {
    taker.PutBack();
    return status;
  }
  run.results.reserve(run.program->results.size());
  for (const DeviceProgram::Result& result : run.program->results)
    run.results.push_back(tsl::MakeRef<DeviceArray>(result.shape, run.done));
  return absl::OkStatus();
}

CpuLoadedExecutable::Buffers CpuLoadedExecutable::ResultsOf(const DeviceRun& run) {
  Buffers buffers;
  buffers.reserve(run.results.size());
  CpuMemorySpace* const space = static_cast<CpuMemorySpace*>(run.device->memory_spaces()[0]);
  for (const DeviceArrayRef& result : run.results)
    buffers.push_back(std::make_unique<CpuBuffer>(space, result));
  return buffers;
}

absl::StatusOr<CpuLoadedExecutable::Buffers> CpuLoadedExecutable::ExecuteAlone(
    absl::Span<PjRtBuffer* const> arguments, CpuDevice* device, const ExecuteOptions& options,
    std::optional<Future<>>& returned_future, bool fill_future) const {
  DeviceRun run;
  HILO_RETURN_IF_ERROR(Prepare(arguments, device, 0, options, run));
  Buffers results = ResultsOf(run);
  const Event done = run.done;
  absl::InlinedVector<Event, 8> needs = run.Needs();
  if (run.program->traits.meets_host) needs.push_back(device->ExchangeLastTransfer(done));
  CpuRuntime& runtime = client_->runtime();
  const bool is_synchronous = IsSynchronous(options);
  const CpuRuntime::Effort effort = run.program->effort();
  if (is_synchronous) {
    for (const Event& need : needs) tsl::BlockUntilReady(need);
  }
  if (is_synchronous || CpuRuntime::IsDoneAtOnce(needs, effort)) {
    run.Perform(runtime, absl::OkStatus());
  } else {
    runtime.RunAfter(needs, effort,
                     [run = std::make_unique<DeviceRun>(std::move(run)),
                      &runtime](absl::Status status) { run->Perform(runtime, std::move(status)); });
  }
  if (fill_future) returned_future = ToFuture(done);
  return results;
}

// All of them at the same time, once all have what they need.
void CpuLoadedExecutable::BeginTogether(std::vector<std::unique_ptr<DeviceRun>> runs) const {
  const auto gang = std::make_shared<Gang>(NewRendezvous());
  CpuRuntime& runtime = client_->runtime();
  runtime.AddStop(std::shared_ptr<std::atomic<bool>>(gang, &gang->stop));
  std::vector<Event> needs;
  for (const std::unique_ptr<DeviceRun>& run : runs) {
    run->gang = gang;
    for (Event& need : run->Needs()) needs.push_back(std::move(need));
  }
  if (runs[0]->program->traits.meets_host) {
    const std::lock_guard<std::mutex> lock(client_->launch_mutex());
    for (const std::unique_ptr<DeviceRun>& run : runs)
      needs.push_back(run->device->ExchangeLastTransfer(run->done));
  }
  runtime.RunAfter(needs, CpuRuntime::Effort::kLittle,
                   [runs = std::move(runs), &runtime](absl::Status status) mutable {
                     for (std::unique_ptr<DeviceRun>& run : runs) {
                       if (!status.ok()) {
                         run->Perform(runtime, status);
                         continue;
                       }
                       runtime.RunAfter({}, CpuRuntime::Effort::kMayWait,
                                        [run = std::move(run), &runtime](absl::Status own) {
                                          run->Perform(runtime, std::move(own));
                                        });
                     }
                   });
}

absl::StatusOr<std::vector<CpuLoadedExecutable::Buffers>> CpuLoadedExecutable::Execute(
    absl::Span<const std::vector<PjRtBuffer*>> argument_handles, const ExecuteOptions& options,
    std::optional<std::vector<Future<>>>& returned_futures) const {
  HILO_RETURN_IF_ERROR(Check(options));
  if (processes_.empty())
    return InvalidArgument("executable %s is portable: ExecutePortable runs it",
                           executable_->name());
  if (argument_handles.size() != devices_.size()) {
    return InvalidArgument("executable %s runs on %d devices, but arguments for %d were given",
                           executable_->name(), devices_.size(), argument_handles.size());
  }
  std::vector<Buffers> results;
  if (devices_.empty()) {  // it runs in other processes
    if (returned_futures.has_value()) returned_futures->clear();
    return results;
  }
  results.reserve(devices_.size());
  if (IsForOne()) {
    std::optional<Future<>> future;
    HILO_ASSIGN_OR_RETURN(results.emplace_back(),
                          ExecuteAlone(argument_handles[0], static_cast<CpuDevice*>(devices_[0]),
                                       options, future, returned_futures.has_value()));
    if (returned_futures.has_value()) {
      returned_futures->clear();
      returned_futures->push_back(*std::move(future));
    }
    return results;
  }
  std::vector<std::unique_ptr<DeviceRun>> runs;
  for (size_t i = 0; i < devices_.size(); ++i) {
    auto run = std::make_unique<DeviceRun>();
    const absl::Status status = Prepare(argument_handles[i], static_cast<CpuDevice*>(devices_[i]),
                                        numbers_[i], options, *run);
    if (status.ok()) {
      runs.push_back(std::move(run));
      continue;
    }
    for (size_t k = 0; k < runs.size(); ++k)
      ArgumentTaker(client_, options, *runs[k]).PutBack(argument_handles[k]);
    return status;
  }
  std::vector<Event> done;
  for (const std::unique_ptr<DeviceRun>& run : runs) {
    results.push_back(ResultsOf(*run));
    done.push_back(run->done);
  }
  BeginTogether(std::move(runs));
  if (IsSynchronous(options)) {
    for (const Event& event : done) tsl::BlockUntilReady(event);
  }
  if (returned_futures.has_value()) {
    returned_futures->clear();
    for (const Event& event : done) returned_futures->push_back(ToFuture(event));
  }
  return results;
}

absl::StatusOr<CpuLoadedExecutable::Buffers> CpuLoadedExecutable::ExecuteSharded(
    absl::Span<PjRtBuffer* const> argument_handles, PjRtDevice* device,
    const ExecuteOptions& options, std::optional<Future<>>& returned_future,
    bool fill_future) const {
  HILO_RETURN_IF_ERROR(Check(options));
  const size_t number = std::find(devices_.begin(), devices_.end(), device) - devices_.begin();
  if (number == devices_.size()) {
    return InvalidArgument("executable %s does not run on device %s", executable_->name(),
                           device == nullptr ? "null" : device->ToString());
  }
  CpuDevice* const own = static_cast<CpuDevice*>(device);
  if (IsForOne()) return ExecuteAlone(argument_handles, own, options, returned_future, fill_future);
  auto run = std::make_unique<DeviceRun>();
  HILO_RETURN_IF_ERROR(Prepare(argument_handles, own, numbers_[number], options, *run));
  Buffers results = ResultsOf(*run);
  if (fill_future) returned_future = ToFuture(run->done);
  std::vector<std::unique_ptr<DeviceRun>> complete;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Assembly& assembly = assemblies_[options.launch_id];
    if (assembly.runs.empty()) {
      assembly.runs.resize(devices_.size());
      assembly.missing = devices_.size();
    }
    if (assembly.runs[number] != nullptr) {
      ArgumentTaker(client_, options, *run).PutBack(argument_handles);
      return FailedPrecondition(
          "executable %s: device %s has been called with launch_id %d already, and others have "
          "not",
          executable_->name(), device->ToString(), options.launch_id);
    }
    assembly.runs[number] = std::move(run);
    if (--assembly.missing == 0) {
      complete = std::move(assembly.runs);
      assemblies_.erase(options.launch_id);
    }
  }
  if (!complete.empty()) BeginTogether(std::move(complete));
  return results;
}

absl::StatusOr<CpuLoadedExecutable::Buffers> CpuLoadedExecutable::ExecutePortable(
    absl::Span<PjRtBuffer* const> argument_handles, PjRtDevice* device,
    const ExecuteOptions& options, std::optional<Future<>>& returned_future,
    bool fill_future) const {
  HILO_RETURN_IF_ERROR(Check(options));
  HILO_ASSIGN_OR_RETURN(CpuDevice* const own, client_->OwnDevice(device));
  if (executable_->num_replicas() * executable_->num_partitions() != 1) {
    return InvalidArgument("executable %s runs on several devices: Execute runs it",
                           executable_->name());
  }
  return ExecuteAlone(argument_handles, own, options, returned_future, fill_future);
}

}  // namespace xla
