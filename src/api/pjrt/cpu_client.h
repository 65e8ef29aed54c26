// The PJRT client whose devices are this machine, as often as it is asked for.
#ifndef HILO_API_PJRT_CPU_CLIENT_H_
#define HILO_API_PJRT_CPU_CLIENT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/backend.h"
#include "api/pjrt/cpu_processes.h"
#include "api/pjrt/cpu_runtime.h"
#include "api/pjrt/device_array.h"
#include "base/device_names.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/pjrt/plugin/xla_cpu/cpu_client_options.h"

namespace xla {

class CpuClient;
class CpuDevice;

class CpuMemorySpace : public PjRtMemorySpace {
 public:
  CpuMemorySpace(CpuDevice* device, int id, const PjRtMemorySpaceDescription& description);

  PjRtClient* client() const override;
  absl::Span<PjRtDevice* const> devices() const override { return absl::MakeSpan(&device_, 1); }
  int id() const override { return id_; }
  absl::string_view kind() const override { return description_.kind(); }
  int kind_id() const override { return description_.kind_id(); }
  absl::string_view DebugString() const override { return text_; }
  absl::string_view ToString() const override { return text_; }

  CpuDevice* device() const;

 private:
  PjRtDevice* device_;
  int id_;
  const PjRtMemorySpaceDescription& description_;
  std::string text_;
};

class CpuDeviceDescription : public PjRtDeviceDescription {
 public:
  CpuDeviceDescription(int id, int process_index);

  int id() const override { return id_; }
  int process_index() const override { return process_index_; }
  absl::string_view device_kind() const override { return device_names::kKind; }
  absl::string_view DebugString() const override { return debug_string_; }
  absl::string_view ToString() const override { return to_string_; }
  const absl::flat_hash_map<std::string, PjRtDeviceAttribute>& Attributes() const override {
    return attributes_;
  }
  absl::Span<const PjRtMemorySpaceDescription* const> memory_spaces() const override;
  absl::StatusOr<const PjRtMemorySpaceDescription*> default_memory_space() const override {
    return memory_spaces()[0];
  }

 private:
  int id_, process_index_;
  std::string debug_string_, to_string_;
  absl::flat_hash_map<std::string, PjRtDeviceAttribute> attributes_;
};

class CpuDevice : public PjRtDevice {
 public:
  // `number` counts the devices of the process, `position` those of the client.
  CpuDevice(CpuClient* client, int process, int number, int position);

  PjRtClient* client() const override;
  bool IsAddressable() const override;
  const PjRtDeviceDescription& description() const override { return description_; }
  LocalChipId local_hardware_id() const override { return LocalChipId(number_); }

  absl::Status TransferToInfeed(const LiteralSlice& literal) override;
  absl::Status TransferFromOutfeed(MutableBorrowingLiteral literal) override;

  absl::Span<PjRtMemorySpace* const> memory_spaces() const override { return spaces_; }
  absl::StatusOr<PjRtMemorySpace*> default_memory_space() const override { return spaces_[0]; }

  // Of the arrays in its memory; what belongs to the caller or to programs that run does not count.
  absl::StatusOr<tsl::AllocatorStats> GetAllocatorStats() const override {
    return memory_->stats();
  }
  absl::Status ClearMemoryStats() override {
    memory_->ClearStats();
    return absl::OkStatus();
  }

  int number() const { return number_; }
  DeviceMemory& memory() const { return *memory_; }

  // The execution that exchanges values with the host next begins after the one that did so
  // last. Gives that one's end.
  Event ExchangeLastTransfer(Event next);

 private:
  CpuClient* client_;
  int number_;
  CpuDeviceDescription description_;
  const DeviceMemory::Ptr memory_;
  std::vector<std::unique_ptr<CpuMemorySpace>> owned_spaces_;
  std::vector<PjRtMemorySpace*> spaces_;
  std::mutex mutex_;
  Event last_transfer_ = DoneEvent();
};

class CpuTopology : public PjRtTopologyDescription {
 public:
  CpuTopology(std::string name, device_names::DeviceCounts devices)
      : name_(std::move(name)), devices_(std::move(devices)) {}

  const device_names::DeviceCounts& devices() const { return devices_; }

  PjRtPlatformId platform_id() const override { return PlatformIdOf(name_); }
  absl::string_view platform_name() const override { return name_; }
  absl::string_view platform_version() const override;
  std::vector<std::unique_ptr<const PjRtDeviceDescription>> DeviceDescriptions() const override;
  absl::StatusOr<int> ProcessCount() const override { return static_cast<int>(devices_.size()); }
  absl::StatusOr<std::string> Serialize() const override;
  const absl::flat_hash_map<std::string, PjRtDeviceAttribute>& Attributes() const override {
    return attributes_;
  }
  absl::StatusOr<Layout> GetDefaultLayout(PrimitiveType element_type,
                                          absl::Span<const int64_t> dims) const override;

 private:
  std::string name_;
  device_names::DeviceCounts devices_;
  absl::flat_hash_map<std::string, PjRtDeviceAttribute> attributes_;
};

class CpuClient : public PjRtClient {
 public:
  // `options.cpu_device_count` is set. Programs are compiled by the back end. `processes` are null
  // where there is only one.
  CpuClient(CpuClientOptions options, ExecutionBackend& backend, std::string name,
            std::unique_ptr<CpuProcesses> processes);
  ~CpuClient() override;

  int process_index() const override { return options_.process_id; }
  int device_count() const override { return static_cast<int>(devices_.size()); }
  int addressable_device_count() const override {
    return static_cast<int>(addressable_devices_.size());
  }
  absl::Span<PjRtDevice* const> devices() const override { return devices_; }
  absl::Span<PjRtDevice* const> addressable_devices() const override {
    return addressable_devices_;
  }
  absl::Span<PjRtMemorySpace* const> memory_spaces() const override { return spaces_; }
  PjRtPlatformId platform_id() const override { return topology_.platform_id(); }
  absl::string_view platform_name() const override { return topology_.platform_name(); }
  absl::string_view platform_version() const override { return topology_.platform_version(); }
  absl::StatusOr<const PjRtTopologyDescription*> GetTopologyDescription() const override {
    return &topology_;
  }

  absl::StatusOr<std::unique_ptr<PjRtExecutable>> Compile(const XlaComputation& computation,
                                                          CompileOptions options) override;
  absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> CompileAndLoad(
      const XlaComputation& computation, CompileOptions options) override;
  absl::StatusOr<std::unique_ptr<PjRtExecutable>> DeserializeExecutable(
      absl::string_view serialized, std::optional<CompileOptions> options) override;
  absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> LoadSerializedExecutable(
      absl::string_view serialized, std::optional<CompileOptions> options,
      const LoadOptions& load_options) override;
  absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> Load(
      std::shared_ptr<PjRtExecutable> executable, const LoadOptions& load_options) override;

  absl::StatusOr<std::unique_ptr<PjRtBuffer>> CreateUninitializedBuffer(
      const Shape& shape, PjRtMemorySpace* memory_space) override;
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> CreateErrorBuffer(
      absl::Status error, const Shape& shape, PjRtMemorySpace* memory_space) override;
  absl::StatusOr<std::pair<std::unique_ptr<PjRtBuffer>, FulfillAliasBufferCallback>>
  CreateAliasBuffer(const Shape& shape, PjRtMemorySpace* memory_space) override;
  using PjRtClient::CreateBuffersForAsyncHostToDevice;
  absl::StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>>
  CreateBuffersForAsyncHostToDevice(
      absl::Span<const ShapeSpec> shape_specs,
      std::optional<absl::Span<const std::optional<Layout>>> device_layouts,
      PjRtMemorySpace* memory_space) override;
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> BufferFromHostBuffer(
      const void* data, PrimitiveType type, absl::Span<int64_t const> dims,
      std::optional<absl::Span<int64_t const>> byte_strides,
      HostBufferSemantics host_buffer_semantics,
      absl::AnyInvocable<void() &&> on_done_with_host_buffer, PjRtMemorySpace* memory_space,
      const Layout* device_layout) override;
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> BufferFromHostBuffer(
      const void* data, PrimitiveType type, absl::Span<int64_t const> dims,
      std::optional<absl::Span<int64_t const>> byte_strides,
      HostBufferSemantics host_buffer_semantics,
      absl::AnyInvocable<void() &&> on_done_with_host_buffer, PjRtBuffer* donated_dst,
      const Layout* device_layout) override;
  using PjRtClient::BufferFromHostLiteral;
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> BufferFromHostLiteral(
      const LiteralSlice& literal, PjRtMemorySpace* memory_space,
      const Layout* device_layout) override;
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> CreateViewOfDeviceBuffer(
      void* device_ptr, const Shape& shape, PjRtMemorySpace* memory_space,
      std::function<void()> on_delete_callback, std::optional<std::intptr_t> stream) override;
  absl::Status DmaMap(void* data, size_t size) override { return absl::OkStatus(); }
  absl::Status DmaUnmap(void* data) override { return absl::OkStatus(); }

  CpuRuntime& runtime() const { return *runtime_; }
  const std::shared_ptr<CpuRuntime>& shared_runtime() const { return runtime_; }
  ExecutionBackend& backend() const { return backend_; }
  const CpuClientOptions& options() const { return options_; }
  // Executions on several devices that exchange values with the host are put in order under it.
  std::mutex& launch_mutex() { return launch_mutex_; }
  CpuDevice* device(int number) const {
    return static_cast<CpuDevice*>(addressable_devices_[number]);
  }
  // Null where there is only this one.
  CpuProcesses* processes() const { return processes_.get(); }

  // InvalidArgument for those of another client or of another process.
  absl::StatusOr<CpuMemorySpace*> OwnSpace(PjRtMemorySpace* memory_space) const;
  absl::StatusOr<CpuDevice*> OwnDevice(PjRtDevice* device) const;

 private:
  const CpuClientOptions options_;
  ExecutionBackend& backend_;
  const CpuTopology topology_;
  const std::shared_ptr<CpuRuntime> runtime_;
  std::vector<std::unique_ptr<CpuDevice>> owned_devices_;
  std::vector<PjRtDevice*> devices_, addressable_devices_;
  std::vector<PjRtMemorySpace*> spaces_;
  const std::unique_ptr<CpuProcesses> processes_;
  std::mutex launch_mutex_;
};

// The shape with a layout: its own, or row-major. InvalidArgument for what no buffer holds.
absl::StatusOr<std::shared_ptr<const Shape>> BufferShape(const Shape& shape);

}  // namespace xla

#endif  // HILO_API_PJRT_CPU_CLIENT_H_
