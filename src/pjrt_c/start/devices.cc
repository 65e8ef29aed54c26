// Devices and their descriptions.
#include "pjrt_c/objects/client.h"
#include "pjrt_c/objects/error.h"
#include "pjrt_c/start/tables.h"

namespace xla::pjrt_c {
namespace {

PJRT_Error* DescriptionId(PJRT_DeviceDescription_Id_Args& args) {
  args.id = args.device_description->id;
  return nullptr;
}

PJRT_Error* DescriptionProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = args.device_description->process;
  return nullptr;
}

// The devices have no attributes.
PJRT_Error* DescriptionAttributes(PJRT_DeviceDescription_Attributes_Args& args) {
  args.num_attributes = 0;
  args.attributes = nullptr;
  return nullptr;
}

PJRT_Error* DescriptionKind(PJRT_DeviceDescription_Kind_Args& args) {
  SetText(args.device_description->kind, args.device_kind, args.device_kind_size);
  return nullptr;
}

PJRT_Error* DescriptionDebugString(PJRT_DeviceDescription_DebugString_Args& args) {
  SetText(args.device_description->debug_name, args.debug_string, args.debug_string_size);
  return nullptr;
}

PJRT_Error* DescriptionToString(PJRT_DeviceDescription_ToString_Args& args) {
  SetText(args.device_description->name, args.to_string, args.to_string_size);
  return nullptr;
}

PJRT_Error* DeviceGetDescription(PJRT_Device_GetDescription_Args& args) {
  args.device_description = &args.device->description;
  return nullptr;
}

PJRT_Error* DeviceIsAddressable(PJRT_Device_IsAddressable_Args& args) {
  args.is_addressable = args.device->description.process == args.device->client->process;
  return nullptr;
}

PJRT_Error* DeviceLocalHardwareId(PJRT_Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = args.device->number;
  return nullptr;
}

PJRT_Error* DeviceAddressableMemories(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories.data();
  args.num_memories = args.device->memories.size();
  return nullptr;
}

PJRT_Error* DeviceDefaultMemory(PJRT_Device_DefaultMemory_Args& args) {
  args.memory = args.device->default_memory;
  return nullptr;
}

// Frameworks take figures without a limit for those of a device that is full.
PJRT_Error* DeviceMemoryStats(PJRT_Device_MemoryStats_Args&) {
  return NewError(PJRT_Error_Code_UNIMPLEMENTED,
                  "the memory of the host has no limit of its own that figures could tell of");
}

PJRT_Error* DeviceGetAttributes(PJRT_Device_GetAttributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  args.device_attributes = nullptr;
  args.attributes_deleter = [](PJRT_Device_Attributes*) {};
  return nullptr;
}

// Nobody here watches what callers do.
PJRT_Error* DeviceCreateAsyncTrackingEvent(PJRT_Device_CreateAsyncTrackingEvent_Args& args) {
  args.event = nullptr;
  return nullptr;
}

PJRT_Error* AsyncTrackingEventDestroy(PJRT_AsyncTrackingEvent_Destroy_Args&) { return nullptr; }

PJRT_Error* MemoryDescriptions(PJRT_DeviceDescription_MemoryDescriptions_Args& args) {
  static const auto* const pointers = [] {
    auto* const made = new std::vector<const PJRT_MemoryDescription*>();
    for (const PJRT_MemoryDescription& memory : PJRT_DeviceDescription::Memories())
      made->push_back(&memory);
    return made;
  }();
  args.memory_descriptions = pointers->data();
  args.num_memory_descriptions = pointers->size();
  args.default_memory_index = 0;
  return nullptr;
}

PJRT_Error* MemoryDescriptionKind(PJRT_MemoryDescription_Kind_Args& args) {
  SetText(args.memory_description->kind, args.kind, args.kind_size);
  args.kind_id = args.memory_description->kind_id;
  return nullptr;
}

}  // namespace

void SetDeviceFunctions(PJRT_Api& api) {
  api.PJRT_DeviceDescription_Id = Entry<DescriptionId, PJRT_DeviceDescription_Id_Args_STRUCT_SIZE>;
  api.PJRT_DeviceDescription_ProcessIndex =
      Entry<DescriptionProcessIndex, PJRT_DeviceDescription_ProcessIndex_Args_STRUCT_SIZE>;
  api.PJRT_DeviceDescription_Attributes =
      Entry<DescriptionAttributes, PJRT_DeviceDescription_Attributes_Args_STRUCT_SIZE>;
  api.PJRT_DeviceDescription_Kind =
      Entry<DescriptionKind, PJRT_DeviceDescription_Kind_Args_STRUCT_SIZE>;
  api.PJRT_DeviceDescription_DebugString =
      Entry<DescriptionDebugString, PJRT_DeviceDescription_DebugString_Args_STRUCT_SIZE>;
  api.PJRT_DeviceDescription_ToString =
      Entry<DescriptionToString, PJRT_DeviceDescription_ToString_Args_STRUCT_SIZE>;
  api.PJRT_Device_GetDescription =
      Entry<DeviceGetDescription, PJRT_Device_GetDescription_Args_STRUCT_SIZE>;
  api.PJRT_Device_IsAddressable =
      Entry<DeviceIsAddressable, PJRT_Device_IsAddressable_Args_STRUCT_SIZE>;
  api.PJRT_Device_LocalHardwareId =
      Entry<DeviceLocalHardwareId, PJRT_Device_LocalHardwareId_Args_STRUCT_SIZE>;
  api.PJRT_Device_AddressableMemories =
      Entry<DeviceAddressableMemories, PJRT_Device_AddressableMemories_Args_STRUCT_SIZE>;
  api.PJRT_Device_DefaultMemory =
      Entry<DeviceDefaultMemory, PJRT_Device_DefaultMemory_Args_STRUCT_SIZE>;
  api.PJRT_Device_MemoryStats =
      Entry<DeviceMemoryStats, PJRT_STRUCT_SIZE(PJRT_Device_MemoryStats_Args, bytes_in_use)>;
  api.PJRT_Device_GetAttributes =
      Entry<DeviceGetAttributes, PJRT_Device_GetAttributes_Args_STRUCT_SIZE>;
  api.PJRT_Device_CreateAsyncTrackingEvent =
      Entry<DeviceCreateAsyncTrackingEvent, PJRT_Device_CreateAsyncTrackingEvent_Args_STRUCT_SIZE>;
  api.PJRT_AsyncTrackingEvent_Destroy =
      Entry<AsyncTrackingEventDestroy, PJRT_AsyncTrackingEvent_Destroy_Args_STRUCT_SIZE>;
}

PJRT_Extension_Base* MemoryDescriptionsBefore(PJRT_Extension_Base* next) {
  static PJRT_MemoryDescriptions_Extension extension = {
      {PJRT_MemoryDescriptions_Extension_STRUCT_SIZE, PJRT_Extension_Type_MemoryDescriptions, next},
      Entry<MemoryDescriptions, PJRT_DeviceDescription_MemoryDescriptions_Args_STRUCT_SIZE>,
      Entry<MemoryDescriptionKind, PJRT_MemoryDescription_Kind_Args_STRUCT_SIZE>};
  return &extension.base;
}

}  // namespace xla::pjrt_c
