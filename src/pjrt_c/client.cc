// Clients: making them, compiling and loading. Buffers are made in host_buffer.cc.
#include <utility>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/key_value_store.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/options.h"
#include "pjrt_c/python.h"
#include "pjrt_c/tables.h"
#include "xla/pjrt/plugin/xla_cpu/xla_cpu_pjrt_client.h"
#include "xla/util.h"

using xla::pjrt_c::Memory;

Memory* PJRT_Client::MemoryOf(const xla::PjRtMemorySpace* space) const {
  // Their numbers count them.
  const auto number = static_cast<size_t>(space->id());
  if (number >= memories.size()) return nullptr;
  Memory* const memory = Memory::Of(memories[number]);
  return memory->space == space ? memory : nullptr;
}

PJRT_Device* PJRT_Client::DeviceOf(const xla::PjRtDevice* device) const {
  for (PJRT_Device* own : devices) {
    if (own->device == device) return own;
  }
  return nullptr;
}

namespace xla::pjrt_c {
namespace {

// Gives what is described so far what it does.
void Attach(std::unique_ptr<PjRtClient> made, PJRT_Client& described) {
  described.client = std::move(made);
  const PjRtClient& client = *described.client;
  CHECK_EQ(client.devices().size(), described.devices.size());
  CHECK_EQ(client.memory_spaces().size(), described.memories.size());
  for (size_t i = 0; i < described.devices.size(); ++i) {
    described.devices[i]->device = client.devices()[i];
    CHECK_EQ(client.devices()[i]->id(), described.devices[i]->description.id);
  }
  for (size_t i = 0; i < described.memories.size(); ++i) {
    Memory* const memory = Memory::Of(described.memories[i]);
    memory->space = client.memory_spaces()[i];
    CHECK_EQ(memory->space->id(), memory->id);
  }
  // It belongs to the client.
  described.topology.topology = std::shared_ptr<const PjRtTopologyDescription>(
      std::shared_ptr<void>(), client.GetTopologyDescription().value());
}

absl::Status ClientCreate(PJRT_Client_Create_Args& args) {
  HILO_ASSIGN_OR_RETURN(CreateOptions given,
                        ReadCreateOptions(args.create_options, args.num_options));
  ApplyToProcess(given);
  CpuClientOptions options;
  options.cpu_device_count = given.device_count;
  options.asynchronous = given.asynchronous;
  const int process = given.process.value_or(0);
  options.process_id = process;
  if (given.process_count > 1) {
    options.process_count = given.process_count;
    if (!Has(args, &PJRT_Client_Create_Args::kv_put_user_arg) || args.kv_get_callback == nullptr ||
        args.kv_put_callback == nullptr) {
      return InvalidArgument("a client of %d processes needs the callbacks of a key-value store",
                             given.process_count);
    }
    options.key_value_store = std::make_shared<CallbackStore>(args);
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtClient> made, GetXlaPjrtCpuClient(std::move(options)));
  PJRT_Client::DeviceCounts counts;
  for (const PjRtDevice* device : made->devices()) ++counts[device->process_index()];
  auto client = std::make_unique<PJRT_Client>(std::move(given.platform_name), process, counts);
  client->insight = std::move(given.insight);
  Attach(std::move(made), *client);
  args.client = client.release();
  return absl::OkStatus();
}

absl::Status ClientDefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  HILO_ASSIGN_OR_RETURN(
      const DeviceAssignment assignment,
      args.client->client->GetDefaultDeviceAssignment(args.num_replicas, args.num_partitions));
  const auto count = static_cast<size_t>(assignment.num_elements());
  if (args.default_assignment_size < count) {
    return InvalidArgument("the assignment of %d devices does not fit into an array of %d", count,
                           args.default_assignment_size);
  }
  int* next = args.default_assignment;
  for (int replica = 0; replica < args.num_replicas; ++replica) {
    for (int partition = 0; partition < args.num_partitions; ++partition)
      *next++ = static_cast<int>(assignment(replica, partition));
  }
  return absl::OkStatus();
}

absl::Status ClientDmaMap(PJRT_Client_DmaMap_Args& args) {
  return args.client->client->DmaMap(args.data, args.size);
}

absl::Status ClientDmaUnmap(PJRT_Client_DmaUnmap_Args& args) {
  return args.client->client->DmaUnmap(args.data);
}

// The executable of what is loaded, which lives as long.
std::shared_ptr<PjRtExecutable> ExecutableOf(const std::shared_ptr<PjRtLoadedExecutable>& loaded) {
  return std::shared_ptr<PjRtExecutable>(loaded, loaded->GetExecutable());
}

absl::Status ClientCompile(PJRT_Client_Compile_Args& args) {
  const CompileLog log(args.client->insight);
  HILO_ASSIGN_OR_RETURN(
      CompileRequest request,
      ReadAndDump(*args.program, ToView(args.compile_options, args.compile_options_size),
                  args.client->insight));
  const int64_t instructions = log.Count(request.computation);
  HILO_ASSIGN_OR_RETURN(
      std::shared_ptr<PjRtLoadedExecutable> loaded,
      args.client->client->CompileAndLoad(request.computation, std::move(request.options)));
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<ExecutableRecord> record,
                        ExecutableRecord::Make(ExecutableOf(loaded), std::move(request.facts)));
  log.Compiled(instructions, *record);
  args.executable = new PJRT_LoadedExecutable(args.client, std::move(record), std::move(loaded));
  return absl::OkStatus();
}

absl::Status ClientLoad(PJRT_Client_Load_Args& args) {
  const std::shared_ptr<ExecutableRecord>& record = args.executable->record;
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtLoadedExecutable> loaded,
                        args.client->client->Load(record->shared_executable(), LoadOptions()));
  args.loaded_executable = new PJRT_LoadedExecutable(args.client, record, std::move(loaded));
  return absl::OkStatus();
}

absl::Status ExecutableDeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args& args) {
  ConnectPython();  // as it may call handlers
  const CompileLog log(args.client->insight);
  HILO_ASSIGN_OR_RETURN(
      SavedExecutable saved,
      ReadSavedExecutable(ToView(args.serialized_executable, args.serialized_executable_size)));
  std::optional<CompileOptions> options;
  using Args = PJRT_Executable_DeserializeAndLoad_Args;
  if (Has(args, &Args::overridden_serialized_compile_options_size) &&
      args.overridden_serialized_compile_options != nullptr) {
    HILO_ASSIGN_OR_RETURN(
        options, ReadCompileOptions(ToView(args.overridden_serialized_compile_options,
                                           args.overridden_serialized_compile_options_size)));
  }
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<PjRtLoadedExecutable> loaded,
                        args.client->client->LoadSerializedExecutable(
                            saved.executable, std::move(options), LoadOptions()));
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<ExecutableRecord> record,
                        ExecutableRecord::Make(ExecutableOf(loaded), std::move(saved.facts)));
  log.Loaded(*record);
  args.loaded_executable =
      new PJRT_LoadedExecutable(args.client, std::move(record), std::move(loaded));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Memory*> MemoryFor(PJRT_Memory* memory, PJRT_Device* device) {
  if (memory != nullptr) return Memory::Of(memory);
  if (device == nullptr)
    return InvalidArgument("neither a memory nor a device was given for the buffer");
  return device->default_memory;
}

absl::Status AttachWithoutOptions(PJRT_Client& client) {
  CpuClientOptions options;
  options.cpu_device_count = static_cast<int>(client.devices.size());
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtClient> made, GetXlaPjrtCpuClient(std::move(options)));
  Attach(std::move(made), client);
  return absl::OkStatus();
}

void SetClientFunctions(PJRT_Api& api) {
  api.PJRT_Client_Create = Entry<ClientCreate, PJRT_STRUCT_SIZE(PJRT_Client_Create_Args, client)>;
  api.PJRT_Client_DefaultDeviceAssignment =
      Entry<ClientDefaultDeviceAssignment, PJRT_Client_DefaultDeviceAssignment_Args_STRUCT_SIZE>;
  api.PJRT_Client_DmaMap = Entry<ClientDmaMap, PJRT_Client_DmaMap_Args_STRUCT_SIZE>;
  api.PJRT_Client_DmaUnmap = Entry<ClientDmaUnmap, PJRT_Client_DmaUnmap_Args_STRUCT_SIZE>;
  api.PJRT_Client_Compile = Entry<ClientCompile, PJRT_Client_Compile_Args_STRUCT_SIZE>;
  api.PJRT_Client_Load = Entry<ClientLoad, PJRT_Client_Load_Args_STRUCT_SIZE>;
  api.PJRT_Executable_DeserializeAndLoad =
      Entry<ExecutableDeserializeAndLoad,
            PJRT_STRUCT_SIZE(PJRT_Executable_DeserializeAndLoad_Args, loaded_executable)>;
}

}  // namespace xla::pjrt_c
