// Clients: what they are, compiling and loading. Buffers are made in host_buffer.cc.
#include <utility>

#include "absl/types/span.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/options.h"
#include "pjrt_c/tables.h"
#include "xla/pjrt/plugin/xla_cpu/xla_cpu_pjrt_client.h"
#include "xla/util.h"

using xla::pjrt_c::Memory;

PJRT_Client::PJRT_Client(std::unique_ptr<xla::PjRtClient> given, std::string name,
                         xla::pjrt_c::Insight insight)
    : client(std::move(given)), platform_name(std::move(name)), insight(std::move(insight)) {
  for (xla::PjRtDevice* device : client->devices()) {
    owned_devices.push_back(std::make_unique<PJRT_Device>(device));
    owned_devices.back()->client = this;
    devices.push_back(owned_devices.back().get());
    if (device->IsAddressable()) addressable_devices.push_back(devices.back());
  }
  for (xla::PjRtMemorySpace* space : client->memory_spaces()) {
    owned_memories.push_back(std::make_unique<Memory>(space));
    Memory* const memory = owned_memories.back().get();
    memory->client = this;
    for (xla::PjRtDevice* device : space->devices()) memory->devices.push_back(DeviceOf(device));
    addressable_memories.push_back(memory);
  }
  for (PJRT_Device* device : addressable_devices) {
    for (xla::PjRtMemorySpace* space : device->device->memory_spaces())
      device->memories.push_back(MemoryOf(space));
    const absl::StatusOr<xla::PjRtMemorySpace*> space = device->device->default_memory_space();
    if (space.ok()) device->default_memory = MemoryOf(*space);
  }
  const absl::StatusOr<const xla::PjRtTopologyDescription*> described =
      client->GetTopologyDescription();
  if (described.ok())
    topology = std::make_unique<PJRT_TopologyDescription>(*described, platform_name);
}

Memory* PJRT_Client::MemoryOf(const xla::PjRtMemorySpace* space) const {
  // Mostly their numbers count them.
  const auto number = static_cast<size_t>(space->id());
  if (number < owned_memories.size() && owned_memories[number]->space == space)
    return owned_memories[number].get();
  for (const std::unique_ptr<Memory>& memory : owned_memories) {
    if (memory->space == space) return memory.get();
  }
  return nullptr;
}

PJRT_Device* PJRT_Client::DeviceOf(const xla::PjRtDevice* device) const {
  for (const std::unique_ptr<PJRT_Device>& own : owned_devices) {
    if (own->device == device) return own.get();
  }
  return nullptr;
}

namespace xla::pjrt_c {
namespace {

absl::Status ClientCreate(PJRT_Client_Create_Args& args) {
  HILO_ASSIGN_OR_RETURN(CreateOptions given,
                        ReadCreateOptions(args.create_options, args.num_options));
  ApplyToProcess(given);
  CpuClientOptions options;
  options.cpu_device_count = given.device_count;
  options.asynchronous = given.asynchronous;
  options.process_id = given.process;
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtClient> client,
                        GetXlaPjrtCpuClient(std::move(options)));
  args.client =
      new PJRT_Client(std::move(client), std::move(given.platform_name), std::move(given.insight));
  return absl::OkStatus();
}

absl::Status ClientDestroy(PJRT_Client_Destroy_Args& args) {
  delete args.client;
  return absl::OkStatus();
}

absl::Status ClientPlatformName(PJRT_Client_PlatformName_Args& args) {
  SetText(args.client->platform_name, args.platform_name, args.platform_name_size);
  return absl::OkStatus();
}

absl::Status ClientProcessIndex(PJRT_Client_ProcessIndex_Args& args) {
  args.process_index = args.client->client->process_index();
  return absl::OkStatus();
}

absl::Status ClientPlatformVersion(PJRT_Client_PlatformVersion_Args& args) {
  SetText(PlatformVersion(), args.platform_version, args.platform_version_size);
  return absl::OkStatus();
}

absl::Status ClientDevices(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->devices.data();
  args.num_devices = args.client->devices.size();
  return absl::OkStatus();
}

absl::Status ClientAddressableDevices(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->addressable_devices.data();
  args.num_addressable_devices = args.client->addressable_devices.size();
  return absl::OkStatus();
}

absl::Status ClientLookupDevice(PJRT_Client_LookupDevice_Args& args) {
  HILO_ASSIGN_OR_RETURN(PjRtDevice* const device,
                        args.client->client->LookupDevice(GlobalDeviceId(args.id)));
  args.device = args.client->DeviceOf(device);
  return absl::OkStatus();
}

absl::Status ClientLookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args& args) {
  HILO_ASSIGN_OR_RETURN(PjRtDevice* const device, args.client->client->LookupAddressableDevice(
                                                      LocalDeviceId(args.local_hardware_id)));
  args.addressable_device = args.client->DeviceOf(device);
  return absl::OkStatus();
}

absl::Status ClientAddressableMemories(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->addressable_memories.data();
  args.num_addressable_memories = args.client->addressable_memories.size();
  return absl::OkStatus();
}

absl::Status ClientTopologyDescription(PJRT_Client_TopologyDescription_Args& args) {
  if (args.client->topology == nullptr) return Unimplemented("the client has no topology");
  args.topology = args.client->topology.get();
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

// There is one process, which knows itself.
absl::Status ClientUpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args&) {
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

void SetClientFunctions(PJRT_Api& api) {
  api.PJRT_Client_Create = Entry<ClientCreate, PJRT_STRUCT_SIZE(PJRT_Client_Create_Args, client)>;
  api.PJRT_Client_Destroy = Entry<ClientDestroy, PJRT_Client_Destroy_Args_STRUCT_SIZE>;
  api.PJRT_Client_PlatformName =
      Entry<ClientPlatformName, PJRT_Client_PlatformName_Args_STRUCT_SIZE>;
  api.PJRT_Client_ProcessIndex =
      Entry<ClientProcessIndex, PJRT_Client_ProcessIndex_Args_STRUCT_SIZE>;
  api.PJRT_Client_PlatformVersion =
      Entry<ClientPlatformVersion, PJRT_Client_PlatformVersion_Args_STRUCT_SIZE>;
  api.PJRT_Client_Devices = Entry<ClientDevices, PJRT_Client_Devices_Args_STRUCT_SIZE>;
  api.PJRT_Client_AddressableDevices =
      Entry<ClientAddressableDevices, PJRT_Client_AddressableDevices_Args_STRUCT_SIZE>;
  api.PJRT_Client_LookupDevice =
      Entry<ClientLookupDevice, PJRT_Client_LookupDevice_Args_STRUCT_SIZE>;
  api.PJRT_Client_LookupAddressableDevice =
      Entry<ClientLookupAddressableDevice, PJRT_Client_LookupAddressableDevice_Args_STRUCT_SIZE>;
  api.PJRT_Client_AddressableMemories =
      Entry<ClientAddressableMemories, PJRT_Client_AddressableMemories_Args_STRUCT_SIZE>;
  api.PJRT_Client_TopologyDescription =
      Entry<ClientTopologyDescription, PJRT_Client_TopologyDescription_Args_STRUCT_SIZE>;
  api.PJRT_Client_DefaultDeviceAssignment =
      Entry<ClientDefaultDeviceAssignment, PJRT_Client_DefaultDeviceAssignment_Args_STRUCT_SIZE>;
  api.PJRT_Client_UpdateGlobalProcessInfo =
      Entry<ClientUpdateGlobalProcessInfo, PJRT_Client_UpdateGlobalProcessInfo_Args_STRUCT_SIZE>;
  api.PJRT_Client_DmaMap = Entry<ClientDmaMap, PJRT_Client_DmaMap_Args_STRUCT_SIZE>;
  api.PJRT_Client_DmaUnmap = Entry<ClientDmaUnmap, PJRT_Client_DmaUnmap_Args_STRUCT_SIZE>;
  api.PJRT_Client_Compile = Entry<ClientCompile, PJRT_Client_Compile_Args_STRUCT_SIZE>;
  api.PJRT_Client_Load = Entry<ClientLoad, PJRT_Client_Load_Args_STRUCT_SIZE>;
  api.PJRT_Executable_DeserializeAndLoad =
      Entry<ExecutableDeserializeAndLoad,
            PJRT_STRUCT_SIZE(PJRT_Executable_DeserializeAndLoad_Args, loaded_executable)>;
}

}  // namespace xla::pjrt_c
