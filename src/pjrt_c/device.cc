#include <utility>

#include "absl/types/span.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/tables.h"
#include "xla/util.h"

PJRT_DeviceDescription::PJRT_DeviceDescription(const xla::PjRtDeviceDescription* description)
    : description(description) {
  for (const xla::PjRtMemorySpaceDescription* memory : description->memory_spaces())
    memories.push_back({std::string(memory->kind()), memory->kind_id()});
  for (const PJRT_MemoryDescription& memory : memories) memory_pointers.push_back(&memory);
}

namespace xla::pjrt_c {
namespace {

absl::Status DescriptionId(PJRT_DeviceDescription_Id_Args& args) {
  args.id = args.device_description->description->id();
  return absl::OkStatus();
}

absl::Status DescriptionProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = args.device_description->description->process_index();
  return absl::OkStatus();
}

// The devices have no attributes.
absl::Status DescriptionAttributes(PJRT_DeviceDescription_Attributes_Args& args) {
  args.num_attributes = 0;
  args.attributes = nullptr;
  return absl::OkStatus();
}

absl::Status DescriptionKind(PJRT_DeviceDescription_Kind_Args& args) {
  SetText(args.device_description->description->device_kind(), args.device_kind,
          args.device_kind_size);
  return absl::OkStatus();
}

absl::Status DescriptionDebugString(PJRT_DeviceDescription_DebugString_Args& args) {
  SetText(args.device_description->description->DebugString(), args.debug_string,
          args.debug_string_size);
  return absl::OkStatus();
}

absl::Status DescriptionToString(PJRT_DeviceDescription_ToString_Args& args) {
  SetText(args.device_description->description->ToString(), args.to_string, args.to_string_size);
  return absl::OkStatus();
}

absl::Status DeviceGetDescription(PJRT_Device_GetDescription_Args& args) {
  args.device_description = &args.device->description;
  return absl::OkStatus();
}

absl::Status DeviceIsAddressable(PJRT_Device_IsAddressable_Args& args) {
  args.is_addressable = args.device->device->IsAddressable();
  return absl::OkStatus();
}

absl::Status DeviceLocalHardwareId(PJRT_Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = args.device->device->local_hardware_id().value();
  return absl::OkStatus();
}

absl::Status DeviceAddressableMemories(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories.data();
  args.num_memories = args.device->memories.size();
  return absl::OkStatus();
}

absl::Status DeviceDefaultMemory(PJRT_Device_DefaultMemory_Args& args) {
  if (args.device->default_memory == nullptr)
    return Unimplemented("device %s has no default memory", args.device->device->ToString());
  args.memory = args.device->default_memory;
  return absl::OkStatus();
}

// Frameworks take figures without a limit for those of a device that is full.
absl::Status DeviceMemoryStats(PJRT_Device_MemoryStats_Args&) {
  return Unimplemented("the memory of the host has no limit of its own that figures could tell of");
}

absl::Status DeviceClearMemoryStats(PJRT_Device_ClearMemoryStats_Args& args) {
  return args.device->device->ClearMemoryStats();
}

absl::Status DevicePoisonExecution(PJRT_Device_PoisonExecution_Args& args) {
  HILO_ASSIGN_OR_RETURN(
      args.poisoned,
      args.device->device->PoisonExecution(
          args.launch_id, ToStatus(args.error_code, args.error_message, args.error_message_size)));
  return absl::OkStatus();
}

// Nobody here watches what callers do.
absl::Status DeviceCreateAsyncTrackingEvent(PJRT_Device_CreateAsyncTrackingEvent_Args& args) {
  args.event = nullptr;
  return absl::OkStatus();
}

absl::Status AsyncTrackingEventDestroy(PJRT_AsyncTrackingEvent_Destroy_Args&) {
  return absl::OkStatus();
}

absl::Status DeviceGetAttributes(PJRT_Device_GetAttributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  args.device_attributes = nullptr;
  args.attributes_deleter = [](PJRT_Device_Attributes*) {};
  return absl::OkStatus();
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
  api.PJRT_Device_ClearMemoryStats =
      Entry<DeviceClearMemoryStats, PJRT_Device_ClearMemoryStats_Args_STRUCT_SIZE>;
  api.PJRT_Device_PoisonExecution =
      Entry<DevicePoisonExecution, PJRT_STRUCT_SIZE(PJRT_Device_PoisonExecution_Args, poisoned)>;
  api.PJRT_Device_CreateAsyncTrackingEvent =
      Entry<DeviceCreateAsyncTrackingEvent, PJRT_Device_CreateAsyncTrackingEvent_Args_STRUCT_SIZE>;
  api.PJRT_AsyncTrackingEvent_Destroy =
      Entry<AsyncTrackingEventDestroy, PJRT_AsyncTrackingEvent_Destroy_Args_STRUCT_SIZE>;
  api.PJRT_Device_GetAttributes =
      Entry<DeviceGetAttributes, PJRT_Device_GetAttributes_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
