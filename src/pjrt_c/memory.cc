#include <utility>

#include "pjrt_c/error.h"
#include "pjrt_c/export.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/tables.h"
#include "xla/pjrt/c/hilo_plugin.h"
#include "xla/service/trim_memory.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

const PJRT_Memory_FunctionTable kMemoryFunctions = {
    PJRT_Memory_FunctionTable_STRUCT_SIZE,
    /*extension_start=*/nullptr, sizeof(Memory),
    [](PJRT_Memory* memory, void* key) { return Memory::Of(memory)->GetUserData(key); },
    [](PJRT_Memory* memory, void* key, void* data, void (*destructor)(void*)) {
      Memory::Of(memory)->SetUserData(key, data, destructor);
    }};

absl::Status MemoryId(PJRT_Memory_Id_Args& args) {
  args.id = Memory::Of(args.memory)->space->id();
  return absl::OkStatus();
}

absl::Status MemoryKind(PJRT_Memory_Kind_Args& args) {
  SetText(Memory::Of(args.memory)->space->kind(), args.kind, args.kind_size);
  return absl::OkStatus();
}

absl::Status MemoryKindId(PJRT_Memory_Kind_Id_Args& args) {
  args.kind_id = Memory::Of(args.memory)->space->kind_id();
  return absl::OkStatus();
}

absl::Status MemoryDebugString(PJRT_Memory_DebugString_Args& args) {
  SetText(Memory::Of(args.memory)->space->DebugString(), args.debug_string, args.debug_string_size);
  return absl::OkStatus();
}

absl::Status MemoryToString(PJRT_Memory_ToString_Args& args) {
  SetText(Memory::Of(args.memory)->space->ToString(), args.to_string, args.to_string_size);
  return absl::OkStatus();
}

absl::Status MemoryAddressableByDevices(PJRT_Memory_AddressableByDevices_Args& args) {
  const Memory& memory = *Memory::Of(args.memory);
  args.devices = memory.devices.data();
  args.num_devices = memory.devices.size();
  return absl::OkStatus();
}

}  // namespace

Memory::Memory(PjRtMemorySpace* space) : PJRT_Memory{&kMemoryFunctions}, space(space) {}

Memory::~Memory() {
  for (const auto& [key, user] : user_data_) {
    if (user.destructor != nullptr) user.destructor(user.data);
  }
}

void* Memory::GetUserData(void* key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = user_data_.find(key);
  return found == user_data_.end() ? nullptr : found->second.data;
}

void Memory::SetUserData(void* key, void* data, void (*destructor)(void* data)) {
  UserData old = {data, destructor};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [entry, is_new] = user_data_.try_emplace(key, old);
    if (is_new) return;
    std::swap(entry->second, old);
  }
  if (old.destructor != nullptr && old.data != data) old.destructor(old.data);
}

absl::StatusOr<Memory*> MemoryFor(PJRT_Memory* memory, PJRT_Device* device) {
  if (memory != nullptr) return Memory::Of(memory);
  if (device == nullptr || device->default_memory == nullptr)
    return InvalidArgument("neither a memory nor a device was given for the buffer");
  return device->default_memory;
}

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

extern "C" HILO_EXPORT int64_t Hilo_TrimMemory(void) { return xla::TrimMemory(); }
