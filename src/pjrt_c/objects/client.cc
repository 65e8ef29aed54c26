#include "pjrt_c/objects/client.h"

#include <utility>

#include "base/device_names.h"

namespace xla::pjrt_c {
namespace {

const PJRT_Memory_FunctionTable kMemoryFunctions = {
    PJRT_Memory_FunctionTable_STRUCT_SIZE,
    /*extension_start=*/nullptr, sizeof(Memory),
    [](PJRT_Memory* memory, void* key) { return Memory::Of(memory)->GetUserData(key); },
    [](PJRT_Memory* memory, void* key, void* data, void (*destructor)(void*)) {
      Memory::Of(memory)->SetUserData(key, data, destructor);
    }};

}  // namespace

Memory::Memory(PJRT_Device* device, int kind)
    : PJRT_Memory{&kMemoryFunctions},
      id(device_names::MemoryId(device->position, kind)),
      kind(kind),
      name(device_names::MemoryName(id, kind, device->description.id)),
      device(device),
      client(device->client) {}

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

}  // namespace xla::pjrt_c

namespace device_names = xla::device_names;

PJRT_DeviceDescription::PJRT_DeviceDescription(int process, int number)
    : process(process),
      id(device_names::DeviceId(process, number)),
      kind(device_names::kKind),
      name(device_names::Name(id)),
      debug_name(device_names::DebugName(id)) {}

const std::vector<PJRT_MemoryDescription>& PJRT_DeviceDescription::Memories() {
  static const auto* const memories = [] {
    auto* const made = new std::vector<PJRT_MemoryDescription>();
    for (int kind = 0; kind < device_names::kMemories; ++kind)
      made->push_back({device_names::kMemoryKinds[kind], kind});
    return made;
  }();
  return *memories;
}

PJRT_Device::PJRT_Device(PJRT_Client* client, int process, int number, int position)
    : client(client), number(number), position(position), description(process, number) {
  for (int kind = 0; kind < device_names::kMemories; ++kind) {
    owned_memories.push_back(std::make_unique<xla::pjrt_c::Memory>(this, kind));
    memories.push_back(owned_memories.back().get());
  }
  default_memory = owned_memories.front().get();
}

PJRT_TopologyDescription::PJRT_TopologyDescription(std::string platform_name,
                                                   DeviceCounts device_counts)
    : platform_name(std::move(platform_name)), device_counts(std::move(device_counts)) {
  for (const auto& [process, count] : this->device_counts) {
    for (int number = 0; number < count; ++number) {
      owned_descriptions.push_back(std::make_unique<PJRT_DeviceDescription>(process, number));
      descriptions.push_back(owned_descriptions.back().get());
    }
  }
}

PJRT_Client::PJRT_Client(std::string name, int process, const DeviceCounts& device_counts)
    : platform_name(std::move(name)), process(process), topology(platform_name, device_counts) {
  topology.is_of_client = true;
  for (const auto& [of_process, count] : device_counts) AddDevices(of_process, count);
}

void PJRT_Client::AddDevices(int of_process, int count) {
  for (int number = 0; number < count; ++number) {
    owned_devices.push_back(
        std::make_unique<PJRT_Device>(this, of_process, number, static_cast<int>(devices.size())));
    PJRT_Device* const device = owned_devices.back().get();
    devices.push_back(device);
    memories.insert(memories.end(), device->memories.begin(), device->memories.end());
    if (of_process != process) continue;
    addressable_devices.push_back(device);
    addressable_memories.insert(addressable_memories.end(), device->memories.begin(),
                                device->memories.end());
  }
}
