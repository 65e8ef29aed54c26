// Executions.
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/tables.h"
#include "xla/util.h"

PJRT_LoadedExecutable::PJRT_LoadedExecutable(PJRT_Client* client,
                                             std::shared_ptr<xla::pjrt_c::ExecutableRecord> record,
                                             std::shared_ptr<xla::PjRtLoadedExecutable> loaded)
    : client(client), record(std::move(record)), loaded(std::move(loaded)) {
  for (const xla::PjRtDevice* device : this->loaded->addressable_devices())
    devices.push_back(client->DeviceOf(device));
  for (const auto& ids : this->loaded->addressable_device_logical_ids())
    logical_ids.push_back({ids.replica, ids.partition});
  if (this->record->facts().output_memory_kinds.has_value())
    SetOutputMemories(*this->record->facts().output_memory_kinds);
}

// Kinds that the device does not have stand for its default memory.
void PJRT_LoadedExecutable::SetOutputMemories(const std::vector<std::string>& kinds) {
  for (PJRT_Device* device : devices) {
    std::vector<xla::pjrt_c::Memory*>& memories = output_memories.emplace_back();
    for (const std::string& kind : kinds) {
      const auto space = device->device->memory_space_by_kind(kind);
      memories.push_back(space.ok() ? client->MemoryOf(*space) : device->default_memory);
    }
  }
}

absl::StatusOr<std::shared_ptr<xla::ExecuteContext>> PJRT_ExecuteContext::Make() const {
  auto context = std::make_shared<xla::ExecuteContext>();
  for (const UserData& data : user_data) {
    HILO_RETURN_IF_ERROR(
        context->ffi_context().Insert(xla::ffi::TypeRegistry::TypeId(data.type_id), data.data));
  }
  return context;
}

namespace xla::pjrt_c {
namespace {

using Buffers = std::vector<std::unique_ptr<PjRtBuffer>>;

// What the caller's options say, with the context that they point to.
struct Options {
  ExecuteOptions options;
  std::shared_ptr<ExecuteContext> context;
};

absl::Status ReadOptions(const PJRT_ExecuteOptions& given, const PJRT_LoadedExecutable& executable,
                         Options& result) {
  ExecuteOptions& options = result.options;
  using Given = PJRT_ExecuteOptions;
  if (given.num_send_ops > 0 || given.num_recv_ops > 0)
    return Unimplemented("callbacks for send and recv of a program are not supported");
  if (Has(given, &Given::num_hlo_output_callbacks) && given.num_hlo_output_callbacks > 0)
    return Unimplemented("callbacks for outputs of a program are not supported");
  options.launch_id = given.launch_id;
  if (Has(given, &Given::num_non_donatable_input_indices)) {
    for (size_t i = 0; i < given.num_non_donatable_input_indices; ++i) {
      options.non_donatable_input_indices.insert(
          static_cast<int>(given.non_donatable_input_indices[i]));
    }
  }
  if (!executable.record->facts().calls_handlers) return absl::OkStatus();
  // Whoever waits for results may hold a lock that the functions need, such as the one of Python.
  // So they are called before anybody can wait.
  options.execution_mode = ExecuteOptions::ExecutionMode::kSynchronous;
  if (Has(given, &Given::context) && given.context != nullptr) {
    HILO_ASSIGN_OR_RETURN(result.context, given.context->Make());
    options.context = result.context.get();
  }
  return absl::OkStatus();
}

void SetOutputs(const PJRT_LoadedExecutable& executable, size_t device, Buffers buffers,
                PJRT_Buffer** outputs) {
  const bool has_memories = device < executable.output_memories.size();
  for (size_t i = 0; i < buffers.size(); ++i) {
    outputs[i] = has_memories
                     ? new PJRT_Buffer(std::move(buffers[i]), executable.output_memories[device][i])
                     : NewBuffer(executable.client, std::move(buffers[i]));
  }
}

using Arguments = absl::InlinedVector<PjRtBuffer*, 16>;

absl::StatusOr<Arguments> ArgumentsOf(PJRT_Buffer* const* list, size_t count) {
  Arguments arguments;
  arguments.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (list[i] == nullptr) return InvalidArgument("argument %d is null", i);
    arguments.push_back(list[i]->buffer.get());
  }
  return arguments;
}

// An execution that has ended with an error says so itself: callers learn of the functions of
// theirs that failed where they called them.
bool IsOverAtOnce(const ExecuteOptions& options) {
  return options.execution_mode == ExecuteOptions::ExecutionMode::kSynchronous;
}

// One device: the only one of the executable, or one of several that others are called for as well.
absl::Status ExecuteOnOne(PJRT_LoadedExecutable_Execute_Args& args, PjRtDevice* device,
                          const Options& given) {
  const auto& [options, context] = given;
  PJRT_LoadedExecutable& executable = *args.executable;
  HILO_ASSIGN_OR_RETURN(const Arguments arguments,
                        ArgumentsOf(args.argument_lists[0], args.num_args));
  std::optional<Future<>> done;
  const bool wants_event = args.device_complete_events != nullptr;
  const bool wants_future = wants_event || IsOverAtOnce(options);
  const bool is_portable = executable.devices.empty();
  HILO_ASSIGN_OR_RETURN(
      Buffers results,
      is_portable
          ? executable.loaded->ExecutePortable(arguments, device, options, done, wants_future)
          : executable.loaded->ExecuteSharded(arguments, device, options, done, wants_future));
  // Where other devices have not been called yet, it has not ended.
  if (IsOverAtOnce(options)) {
    if (done->IsReady()) {
      HILO_RETURN_IF_ERROR(done->Await());
    } else {
      done->OnReady([context = context](const absl::Status&) {});
    }
  }
  const auto place = absl::c_find_if(executable.devices,
                                     [&](const PJRT_Device* d) { return d->device == device; });
  SetOutputs(executable, place - executable.devices.begin(), std::move(results),
             args.output_lists[0]);
  if (wants_event) args.device_complete_events[0] = NewEvent(*std::move(done));
  return absl::OkStatus();
}

absl::Status ExecuteOnAll(PJRT_LoadedExecutable_Execute_Args& args, const ExecuteOptions& options) {
  PJRT_LoadedExecutable& executable = *args.executable;
  std::vector<std::vector<PjRtBuffer*>> arguments;
  arguments.reserve(args.num_devices);
  for (size_t d = 0; d < args.num_devices; ++d) {
    HILO_ASSIGN_OR_RETURN(const Arguments own, ArgumentsOf(args.argument_lists[d], args.num_args));
    arguments.emplace_back(own.begin(), own.end());
  }
  std::optional<std::vector<Future<>>> done;
  if (args.device_complete_events != nullptr || IsOverAtOnce(options)) done.emplace();
  HILO_ASSIGN_OR_RETURN(std::vector<Buffers> results,
                        executable.loaded->Execute(arguments, options, done));
  if (IsOverAtOnce(options)) {
    for (const Future<>& device_done : *done) HILO_RETURN_IF_ERROR(device_done.Await());
  }
  for (size_t d = 0; d < results.size(); ++d) {
    SetOutputs(executable, d, std::move(results[d]), args.output_lists[d]);
    if (args.device_complete_events != nullptr)
      args.device_complete_events[d] = NewEvent(std::move((*done)[d]));
  }
  return absl::OkStatus();
}

absl::Status LoadedExecute(PJRT_LoadedExecutable_Execute_Args& args) {
  PJRT_LoadedExecutable& executable = *args.executable;
  Options options;
  HILO_RETURN_IF_ERROR(ReadOptions(*args.options, executable, options));
  const size_t devices = args.execute_device != nullptr ? 1 : executable.devices.size();
  if (args.num_devices != devices) {
    return InvalidArgument("executable %s runs on %d devices, but arguments for %d were given",
                           executable.record->name(), devices, args.num_devices);
  }
  if (args.execute_device != nullptr)
    return ExecuteOnOne(args, args.execute_device->device, options);
  if (devices == 1) return ExecuteOnOne(args, executable.devices[0]->device, options);
  return ExecuteOnAll(args, options.options);
}

absl::Status ContextCreate(PJRT_ExecuteContext_Create_Args& args) {
  args.context = new PJRT_ExecuteContext();
  return absl::OkStatus();
}

absl::Status ContextDestroy(PJRT_ExecuteContext_Destroy_Args& args) {
  delete args.context;
  return absl::OkStatus();
}

// Nothing that receives pieces is ever handed to a caller.

absl::Status NoStream() {
  return Unimplemented("callbacks for send and recv of a program are not supported");
}
absl::Status StreamDestroy(PJRT_CopyToDeviceStream_Destroy_Args& args) {
  return args.stream == nullptr ? absl::OkStatus() : NoStream();
}
absl::Status StreamAddChunk(PJRT_CopyToDeviceStream_AddChunk_Args&) { return NoStream(); }
absl::Status StreamTotalBytes(PJRT_CopyToDeviceStream_TotalBytes_Args&) { return NoStream(); }
absl::Status StreamGranuleSize(PJRT_CopyToDeviceStream_GranuleSize_Args&) { return NoStream(); }
absl::Status StreamCurrentBytes(PJRT_CopyToDeviceStream_CurrentBytes_Args&) { return NoStream(); }

}  // namespace

void SetExecuteFunctions(PJRT_Api& api) {
  api.PJRT_LoadedExecutable_Execute =
      Entry<LoadedExecute, PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE>;
  api.PJRT_ExecuteContext_Create =
      Entry<ContextCreate, PJRT_ExecuteContext_Create_Args_STRUCT_SIZE>;
  api.PJRT_ExecuteContext_Destroy =
      Entry<ContextDestroy, PJRT_ExecuteContext_Destroy_Args_STRUCT_SIZE>;
  api.PJRT_CopyToDeviceStream_Destroy =
      Entry<StreamDestroy, PJRT_CopyToDeviceStream_Destroy_Args_STRUCT_SIZE>;
  api.PJRT_CopyToDeviceStream_AddChunk =
      Entry<StreamAddChunk, PJRT_CopyToDeviceStream_AddChunk_Args_STRUCT_SIZE>;
  api.PJRT_CopyToDeviceStream_TotalBytes =
      Entry<StreamTotalBytes, PJRT_CopyToDeviceStream_TotalBytes_Args_STRUCT_SIZE>;
  api.PJRT_CopyToDeviceStream_GranuleSize =
      Entry<StreamGranuleSize, PJRT_CopyToDeviceStream_GranuleSize_Args_STRUCT_SIZE>;
  api.PJRT_CopyToDeviceStream_CurrentBytes =
      Entry<StreamCurrentBytes, PJRT_CopyToDeviceStream_CurrentBytes_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
