#include "device/host_platform.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/log/log.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/memory.h"
#include "xla/stream_executor/host/host_platform_id.h"
#include "xla/stream_executor/platform_manager.h"
#include "xla/stream_executor/stream_executor.h"
#include "xla/tsl/platform/cpu_info.h"
#include "xla/tsl/platform/mem.h"
#include "xla/util.h"

namespace stream_executor {
namespace host {
namespace {

const char id_of_host = 0;

constexpr int kMostDevices = 1024;

DeviceDescription DescribeHost() {
  DeviceDescription description;
  description.set_name("Host");
  description.set_device_vendor(tsl::port::CPUVendorIDString());
  utsname system;
  if (uname(&system) == 0)
    description.set_platform_version(absl::StrCat(system.sysname, " ", system.release));
  description.set_core_count(tsl::port::NumSchedulableCPUs());
  description.set_device_memory_size(tsl::port::TotalRam());
  return description;
}

// Memory that was allocated and not given back.
class Blocks {
 public:
  void* Allocate(uint64_t size) {
    if (size == 0 || size > static_cast<uint64_t>(INT64_MAX)) return nullptr;
    absl::StatusOr<xla::runtime::Memory> memory =
        xla::runtime::Allocate(static_cast<int64_t>(size));
    if (!memory.ok()) return nullptr;
    const std::lock_guard<std::mutex> lock(mutex_);
    stats_.num_allocs += 1;
    stats_.bytes_in_use += static_cast<int64_t>(size);
    stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
    stats_.largest_alloc_size = std::max(stats_.largest_alloc_size, static_cast<int64_t>(size));
    char* const address = memory->get();
    blocks_.emplace(address, Block{*std::move(memory), size});
    return address;
  }

  bool Free(void* address) {
    Block block;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return false;
    block = std::move(found->second);
    stats_.bytes_in_use -= static_cast<int64_t>(block.size);
    blocks_.erase(found);
    return true;
  }

  AllocatorStats stats() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stats_;
  }
  void ClearStats() {
    const std::lock_guard<std::mutex> lock(mutex_);
    stats_ = {0, stats_.bytes_in_use, stats_.bytes_in_use, 0, std::nullopt};
  }

 private:
  struct Block {
    xla::runtime::Memory memory;
    uint64_t size = 0;
  };
  mutable std::mutex mutex_;
  std::unordered_map<void*, Block> blocks_;
  AllocatorStats stats_;
};

class HostAllocation : public MemoryAllocation {
 public:
  HostAllocation(xla::runtime::Memory memory, uint64_t size)
      : memory_(std::move(memory)), size_(size) {}
  DeviceAddressBase address() const override { return DeviceAddressBase(memory_.get(), size_); }

 private:
  xla::runtime::Memory memory_;
  uint64_t size_;
};

class HostExecutor : public StreamExecutor {
 public:
  HostExecutor(Platform* platform, int ordinal)
      : platform_(platform),
        ordinal_(ordinal),
        description_(DescribeHost()),
        default_stream_(this) {}

  const Platform* GetPlatform() const override { return platform_; }
  int device_ordinal() const override { return ordinal_; }
  const DeviceDescription& GetDeviceDescription() const override { return description_; }

  absl::StatusOr<std::unique_ptr<Stream>> CreateStream(
      std::optional<std::variant<StreamPriority, int>> priority) override {
    return std::make_unique<CountedStream>(this, priority.value_or(StreamPriority::Default));
  }
  Stream* default_stream() override { return &default_stream_; }

  DeviceAddressBase Allocate(uint64_t size, int64_t memory_space) override {
    void* const memory = blocks_.Allocate(size);
    return DeviceAddressBase(memory, memory == nullptr ? 0 : size);
  }
  absl::Status TryDeallocate(const DeviceAddressBase& memory) override {
    if (memory.is_null() || blocks_.Free(memory.opaque())) return absl::OkStatus();
    return xla::InvalidArgument(
        "device %d has no memory at address %p: it is another's or was given back before", ordinal_,
        memory.opaque());
  }
  absl::StatusOr<std::unique_ptr<MemoryAllocation>> HostMemoryAllocate(uint64_t size) override {
    absl::StatusOr<xla::runtime::Memory> memory =
        xla::runtime::Allocate(static_cast<int64_t>(size));
    if (!memory.ok()) return memory.status();
    return std::make_unique<HostAllocation>(*std::move(memory), size);
  }

  absl::Status SynchronousMemcpyH2D(const void* host_source, uint64_t size,
                                    DeviceAddressBase* device_destination) override {
    return Copy(device_destination->opaque(), device_destination->size(), host_source, size);
  }
  absl::Status SynchronousMemcpyD2H(const DeviceAddressBase& device_source, uint64_t size,
                                    void* host_destination) override {
    return Copy(host_destination, device_source.size(), device_source.opaque(), size);
  }
  absl::Status SynchronousMemZero(DeviceAddressBase* location, uint64_t size) override {
    if (size > location->size()) return TooLarge(size, location->size());
    if (size > 0) std::memset(location->opaque(), 0, size);
    return absl::OkStatus();
  }
  bool SynchronizeAllActivity() override {
    bool all_well = default_stream_.BlockHostUntilDone().ok();
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Stream* stream : streams_) all_well = stream->BlockHostUntilDone().ok() && all_well;
    return all_well;
  }

  bool CanEnablePeerAccessTo(StreamExecutor* other) override {
    return other->GetPlatform() == platform_;
  }
  absl::Status EnablePeerAccessTo(StreamExecutor* other) override {
    if (CanEnablePeerAccessTo(other)) return absl::OkStatus();
    return xla::InvalidArgument("device %d of platform %s is no device of the host",
                                other->device_ordinal(), other->GetPlatform()->Name());
  }
  bool DeviceMemoryUsage(int64_t* free, int64_t* total) const override {
    *free = tsl::port::AvailableRam();
    *total = description_.device_memory_size();
    return true;
  }
  std::optional<AllocatorStats> GetAllocatorStats() override { return blocks_.stats(); }
  bool ClearAllocatorStats() override {
    blocks_.ClearStats();
    return true;
  }

 private:
  // A stream that its device knows while it lives.
  class CountedStream : public Stream {
   public:
    CountedStream(HostExecutor* parent, std::variant<StreamPriority, int> priority)
        : Stream(parent, priority), executor_(parent) {
      const std::lock_guard<std::mutex> lock(executor_->mutex_);
      executor_->streams_.push_back(this);
    }
    ~CountedStream() override {
      BlockHostUntilDone().IgnoreError();
      const std::lock_guard<std::mutex> lock(executor_->mutex_);
      auto& streams = executor_->streams_;
      streams.erase(std::find(streams.begin(), streams.end(), this));
    }

   private:
    HostExecutor* const executor_;
  };

  static absl::Status TooLarge(uint64_t size, uint64_t memory) {
    return xla::InvalidArgument("%d bytes do not fit memory of a device of %d bytes", size, memory);
  }
  static absl::Status Copy(void* to, uint64_t device_size, const void* from, uint64_t size) {
    if (size > device_size) return TooLarge(size, device_size);
    if (size > 0) std::memcpy(to, from, size);
    return absl::OkStatus();
  }

  Platform* const platform_;
  const int ordinal_;
  const DeviceDescription description_;
  Blocks blocks_;
  std::mutex mutex_;
  std::vector<Stream*> streams_;
  Stream default_stream_;
};

class HostPlatform : public Platform {
 public:
  Id id() const override { return kHostPlatformId; }
  const std::string& Name() const override { return name_; }
  int VisibleDeviceCount() const override { return kMostDevices; }
  absl::StatusOr<std::unique_ptr<DeviceDescription>> DescriptionForDevice(
      int ordinal) const override {
    return std::make_unique<DeviceDescription>(DescribeHost());
  }
  absl::StatusOr<StreamExecutor*> ExecutorForDevice(int ordinal) override {
    if (ordinal < 0 || ordinal >= kMostDevices) return None(ordinal);
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<HostExecutor>& executor = executors_[ordinal];
    if (executor == nullptr) executor = std::make_unique<HostExecutor>(this, ordinal);
    return executor.get();
  }
  absl::StatusOr<StreamExecutor*> FindExisting(int ordinal) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = executors_.find(ordinal);
    if (found == executors_.end()) return None(ordinal);
    return found->second.get();
  }

 private:
  static absl::Status None(int ordinal) {
    return xla::NotFound("platform Host has no device %d", ordinal);
  }

  const std::string name_ = "Host";
  std::mutex mutex_;
  std::map<int, std::unique_ptr<HostExecutor>> executors_;
};

}  // namespace

const Platform::Id kHostPlatformId = &id_of_host;

Platform& TheHost() {
  static HostPlatform* const host = new HostPlatform();
  return *host;
}

}  // namespace host

namespace {

struct Platforms {
  std::mutex mutex;
  std::vector<Platform*> all = {&host::TheHost()};
};

Platforms& ThePlatforms() {
  static Platforms* const platforms = new Platforms();
  return *platforms;
}

std::string NamesOf(const std::vector<Platform*>& platforms) {
  return absl::StrJoin(platforms, ", ", [](std::string* out, const Platform* platform) {
    absl::StrAppend(out, platform->Name());
  });
}

}  // namespace

absl::Status PlatformManager::RegisterPlatform(std::unique_ptr<Platform> platform) {
  Platforms& platforms = ThePlatforms();
  const std::lock_guard<std::mutex> lock(platforms.mutex);
  for (const Platform* known : platforms.all) {
    if (known->id() == platform->id() || absl::EqualsIgnoreCase(known->Name(), platform->Name())) {
      return absl::AlreadyExistsError(
          absl::StrCat("there is a platform ", known->Name(), " already"));
    }
  }
  platforms.all.push_back(platform.release());
  return absl::OkStatus();
}

absl::StatusOr<Platform*> PlatformManager::PlatformWithName(absl::string_view name) {
  Platforms& platforms = ThePlatforms();
  const std::lock_guard<std::mutex> lock(platforms.mutex);
  for (Platform* known : platforms.all) {
    if (absl::EqualsIgnoreCase(known->Name(), name)) return known;
  }
  return xla::NotFound("there is no platform %s; there are: %s", name, NamesOf(platforms.all));
}

absl::StatusOr<Platform*> PlatformManager::PlatformWithId(Platform::Id id) {
  Platforms& platforms = ThePlatforms();
  const std::lock_guard<std::mutex> lock(platforms.mutex);
  for (Platform* known : platforms.all) {
    if (known->id() == id) return known;
  }
  return xla::NotFound("there is no platform of id %p; there are: %s", id, NamesOf(platforms.all));
}

absl::StatusOr<std::vector<Platform*>> PlatformManager::PlatformsWithFilter(
    const std::function<bool(const Platform*)>& filter) {
  Platforms& platforms = ThePlatforms();
  const std::lock_guard<std::mutex> lock(platforms.mutex);
  std::vector<Platform*> found;
  for (Platform* known : platforms.all) {
    if (filter(known)) found.push_back(known);
  }
  return found;
}

void StreamExecutor::Deallocate(DeviceAddressBase* memory) {
  const absl::Status status = TryDeallocate(*memory);
  if (!status.ok()) LOG(ERROR) << status;
  *memory = DeviceAddressBase();
}

std::string DeviceDescription::ToString() const {
  return absl::StrCat(name_, ", ", core_count_, " cores, ", device_memory_size_, " bytes, ",
                      platform_version_);
}

std::string AllocatorStats::DebugString() const {
  return absl::StrCat("allocations: ", num_allocs, ", bytes in use: ", bytes_in_use,
                      ", at most: ", peak_bytes_in_use,
                      ", largest allocation: ", largest_alloc_size);
}

}  // namespace stream_executor
