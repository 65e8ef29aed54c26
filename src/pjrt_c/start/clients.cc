// Clients: what they are.
#include <cstdlib>
#include <string>

#include "pjrt_c/objects/error.h"
#include "pjrt_c/start/core.h"
#include "pjrt_c/start/tables.h"

namespace xla::pjrt_c {
namespace {

// Whether somebody says something of clients (pjrt_c/options.cc), which the core reads.
bool HasOptions(const PJRT_Client_Create_Args& args) {
  if (args.num_options > 0) return true;
  for (const char* variable : {"HILO_FLAGS", "HILO_LOG", "XLA_FLAGS", "JAX_NUM_CPU_DEVICES"}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value != 0) return true;
  }
  return false;
}

PJRT_Error* ClientCreate(PJRT_Client_Create_Args& args) {
  if (!HasOptions(args)) {
    args.client = DescribeClient().release();
    if (args.client != nullptr) return nullptr;
  }
  PJRT_Error* error = nullptr;
  const Core* const core = LoadCore(error);
  return core == nullptr ? error : core->api->PJRT_Client_Create(&args);
}

PJRT_Error* ClientDestroy(PJRT_Client_Destroy_Args& args) {
  ForgetClient(args.client);
  delete args.client;
  return nullptr;
}

PJRT_Error* ClientPlatformName(PJRT_Client_PlatformName_Args& args) {
  SetText(args.client->platform_name, args.platform_name, args.platform_name_size);
  return nullptr;
}

PJRT_Error* ClientProcessIndex(PJRT_Client_ProcessIndex_Args& args) {
  args.process_index = args.client->process;
  return nullptr;
}

PJRT_Error* ClientPlatformVersion(PJRT_Client_PlatformVersion_Args& args) {
  SetText(PlatformVersion(), args.platform_version, args.platform_version_size);
  return nullptr;
}

PJRT_Error* ClientDevices(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->devices.data();
  args.num_devices = args.client->devices.size();
  return nullptr;
}

PJRT_Error* ClientAddressableDevices(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->addressable_devices.data();
  args.num_addressable_devices = args.client->addressable_devices.size();
  return nullptr;
}

PJRT_Error* ClientLookupDevice(PJRT_Client_LookupDevice_Args& args) {
  for (PJRT_Device* device : args.client->devices) {
    if (device->description.id != args.id) continue;
    args.device = device;
    return nullptr;
  }
  return NewError(PJRT_Error_Code_INVALID_ARGUMENT,
                  "there is no device " + std::to_string(args.id) + "; this client has " +
                      std::to_string(args.client->devices.size()));
}

PJRT_Error* ClientLookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args& args) {
  const auto& devices = args.client->addressable_devices;
  const auto number = static_cast<size_t>(args.local_hardware_id);
  if (args.local_hardware_id >= 0 && number < devices.size()) {
    args.addressable_device = devices[number];
    return nullptr;
  }
  return NewError(PJRT_Error_Code_INVALID_ARGUMENT,
                  "there is no device " + std::to_string(args.local_hardware_id) +
                      " in this process, which has " + std::to_string(devices.size()));
}

PJRT_Error* ClientAddressableMemories(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->addressable_memories.data();
  args.num_addressable_memories = args.client->addressable_memories.size();
  return nullptr;
}

PJRT_Error* ClientTopologyDescription(PJRT_Client_TopologyDescription_Args& args) {
  args.topology = &args.client->topology;
  return nullptr;
}

// Whoever waits for a process that is gone learns it from the engine.
PJRT_Error* ClientUpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args&) {
  return nullptr;
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
  api.PJRT_Client_UpdateGlobalProcessInfo =
      Entry<ClientUpdateGlobalProcessInfo, PJRT_Client_UpdateGlobalProcessInfo_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
