// Memories of devices.
#include "pjrt_c/objects/client.h"
#include "pjrt_c/objects/error.h"
#include "pjrt_c/start/tables.h"

namespace xla::pjrt_c {
namespace {

PJRT_Error* MemoryId(PJRT_Memory_Id_Args& args) {
  args.id = Memory::Of(args.memory)->id;
  return nullptr;
}

PJRT_Error* MemoryKind(PJRT_Memory_Kind_Args& args) {
  SetText(PJRT_DeviceDescription::Memories()[Memory::Of(args.memory)->kind].kind, args.kind,
          args.kind_size);
  return nullptr;
}

PJRT_Error* MemoryKindId(PJRT_Memory_Kind_Id_Args& args) {
  args.kind_id = Memory::Of(args.memory)->kind;
  return nullptr;
}

PJRT_Error* MemoryDebugString(PJRT_Memory_DebugString_Args& args) {
  SetText(Memory::Of(args.memory)->name, args.debug_string, args.debug_string_size);
  return nullptr;
}

PJRT_Error* MemoryToString(PJRT_Memory_ToString_Args& args) {
  SetText(Memory::Of(args.memory)->name, args.to_string, args.to_string_size);
  return nullptr;
}

PJRT_Error* MemoryAddressableByDevices(PJRT_Memory_AddressableByDevices_Args& args) {
  args.devices = &Memory::Of(args.memory)->device;
  args.num_devices = 1;
  return nullptr;
}

}  // namespace

void SetMemoryFunctions(PJRT_Api& api) {
  api.PJRT_Memory_Id = Entry<MemoryId, PJRT_Memory_Id_Args_STRUCT_SIZE>;
  api.PJRT_Memory_Kind = Entry<MemoryKind, PJRT_Memory_Kind_Args_STRUCT_SIZE>;
  api.PJRT_Memory_Kind_Id = Entry<MemoryKindId, PJRT_Memory_Kind_Id_Args_STRUCT_SIZE>;
  api.PJRT_Memory_DebugString = Entry<MemoryDebugString, PJRT_Memory_DebugString_Args_STRUCT_SIZE>;
  api.PJRT_Memory_ToString = Entry<MemoryToString, PJRT_Memory_ToString_Args_STRUCT_SIZE>;
  api.PJRT_Memory_AddressableByDevices =
      Entry<MemoryAddressableByDevices, PJRT_Memory_AddressableByDevices_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
