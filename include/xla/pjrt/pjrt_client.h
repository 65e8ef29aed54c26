// PJRT: devices, memory spaces, buffers and loaded executables of a client.
//
// Everything that takes time is asynchronous: a buffer may be used before its value is there, and
// what uses it begins when it is. An error of what makes a buffer comes with the buffer: its ready
// future gives it, and so does every later use.
#ifndef XLA_PJRT_PJRT_CLIENT_H_
#define XLA_PJRT_PJRT_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/future.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/layout.h"
#include "xla/literal.h"
#include "xla/pjrt/distributed/key_value_store_interface.h"
#include "xla/pjrt/pjrt_common.h"
#include "xla/pjrt/pjrt_compiler.h"
#include "xla/pjrt/pjrt_device_description.h"
#include "xla/pjrt/pjrt_executable.h"
#include "xla/pjrt/pjrt_future.h"
#include "xla/pjrt/pjrt_layout.h"
#include "xla/service/computation_placer.h"
#include "xla/service/hlo_cost_analysis.h"
#include "xla/shape.h"
#include "xla/tsl/framework/allocator.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {

class PjRtBuffer;
class PjRtClient;
class PjRtDevice;

// Memory in which buffers lie.
class PjRtMemorySpace {
 public:
  virtual ~PjRtMemorySpace() = default;

  virtual PjRtClient* client() const = 0;
  // The devices that can use it.
  virtual absl::Span<PjRtDevice* const> devices() const = 0;
  virtual int id() const = 0;
  // "device", "pinned_host", "unpinned_host"; and a number for it.
  virtual absl::string_view kind() const = 0;
  virtual int kind_id() const = 0;
  virtual absl::string_view DebugString() const = 0;
  virtual absl::string_view ToString() const = 0;
};

// Something that the caller does and that others should know of.
class ScopedAsyncTrackingEvent {
 public:
  virtual ~ScopedAsyncTrackingEvent() = default;
};

// Belongs to its client.
class PjRtDevice {
 public:
  virtual ~PjRtDevice() = default;

  virtual PjRtClient* client() const = 0;
  // Whether it belongs to this process.
  virtual bool IsAddressable() const = 0;
  virtual const PjRtDeviceDescription& description() const {
    std::abort();  // of a device that does not describe itself
  }

  int id() const { return description().id(); }
  virtual GlobalDeviceId global_device_id() const { return GlobalDeviceId(description().id()); }
  virtual LocalDeviceId local_device_id() const {
    return LocalDeviceId(local_hardware_id().value());
  }
  // -1 where it is not addressable.
  virtual LocalChipId local_hardware_id() const = 0;
  virtual int process_index() const { return description().process_index(); }
  virtual absl::string_view device_kind() const { return description().device_kind(); }
  virtual absl::string_view DebugString() const { return description().DebugString(); }
  virtual absl::string_view ToString() const { return description().ToString(); }
  virtual const absl::flat_hash_map<std::string, PjRtDeviceAttribute>& Attributes() const {
    return description().Attributes();
  }

  virtual std::unique_ptr<ScopedAsyncTrackingEvent> CreateAsyncTrackingEvent(
      absl::string_view description) const {
    return nullptr;
  }

  // Append a value to the infeed of the device; wait for one in its outfeed, of the literal's
  // shape. DeadlineExceeded when none comes.
  virtual absl::Status TransferToInfeed(const LiteralSlice& literal) = 0;
  virtual absl::Status TransferFromOutfeed(MutableBorrowingLiteral literal) = 0;

  virtual absl::StatusOr<tsl::AllocatorStats> GetAllocatorStats() const {
    return absl::UnimplementedError("the device keeps no figures of its memory");
  }
  virtual absl::Status ClearMemoryStats() {
    return absl::UnimplementedError("the device keeps no figures of its memory");
  }

  virtual absl::Span<PjRtMemorySpace* const> memory_spaces() const = 0;
  virtual absl::StatusOr<PjRtMemorySpace*> default_memory_space() const = 0;
  // NotFound where the device has none of that kind.
  virtual absl::StatusOr<PjRtMemorySpace*> memory_space_by_kind(absl::string_view kind) const;

  virtual absl::StatusOr<std::intptr_t> GetStreamForExternalReadyEvents() const {
    return absl::UnimplementedError("the device has no streams");
  }
  // Lets the executions with that launch_id fail; whether there was one.
  virtual absl::StatusOr<bool> PoisonExecution(int32_t launch_id, absl::Status error) {
    return absl::UnimplementedError("executions of the device cannot be poisoned");
  }
};

// An array on a device, or the promise of one. All functions may be called from any thread; the
// buffer must not go away while one of them runs.
class PjRtBuffer {
 public:
  virtual ~PjRtBuffer() = default;

  virtual PrimitiveType element_type() const { return on_device_shape().element_type(); }
  // Of dynamic dimensions the bounds.
  virtual absl::Span<const int64_t> dimensions() const { return on_device_shape().dimensions(); }
  virtual std::shared_ptr<const PjRtLayout> layout() const;
  virtual bool IsTuple() const { return on_device_shape().IsTuple(); }
  virtual const Shape& on_device_shape() const = 0;
  virtual bool has_dynamic_dimensions() const { return on_device_shape().is_dynamic(); }
  virtual absl::Span<const bool> is_dynamic_dimension() const {
    return on_device_shape().dynamic_dimensions();
  }
  // The sizes that it really has: wait for the value where a dimension is dynamic.
  virtual absl::StatusOr<std::vector<int64_t>> logical_dimensions();
  virtual absl::StatusOr<Shape> logical_on_device_shape() { return on_device_shape(); }
  // The shape of what ToLiteral gives.
  virtual absl::StatusOr<Shape> HostShape();

  virtual PjRtMemorySpace* memory_space() const = 0;
  virtual PjRtDevice* device() const = 0;
  virtual PjRtClient* client() const = 0;

  // Keeps the memory alive, also beyond Delete. While there is one, the buffer is not donated:
  // executions copy it instead.
  class ExternalReference {
   public:
    virtual ~ExternalReference() = default;
    void* OpaqueDeviceMemoryDataPointer() const { return data_; }
    virtual absl::Status WaitUntilBufferReadyOnStream(std::intptr_t stream) {
      return absl::UnimplementedError("the buffer's device has no streams");
    }

   protected:
    void* data_ = nullptr;
  };
  // Waits for the value.
  virtual absl::StatusOr<std::unique_ptr<ExternalReference>> AcquireExternalReference() = 0;
  // The same, and the buffer is deleted. Null where it is deleted already.
  virtual absl::StatusOr<std::unique_ptr<ExternalReference>> ReleaseDeviceMemoryOwnership(
      bool wait_for_operations_to_complete) = 0;

  // Writes the value to a literal of its shape, whatever the layout, which must stay until the
  // future is ready.
  virtual Future<> ToLiteral(MutableLiteralBase* literal) = 0;
  virtual Future<> LazyToLiteral(
      absl::AnyInvocable<Future<MutableLiteralBase*>() &&> generator) = 0;
  virtual Future<std::shared_ptr<Literal>> ToLiteral();
  absl::Status ToLiteralSync(MutableLiteralBase* literal) { return ToLiteral(literal).Await(); }
  absl::StatusOr<std::shared_ptr<Literal>> ToLiteralSync() { return ToLiteral().Await(); }

  virtual absl::StatusOr<size_t> GetOnDeviceSizeInBytes() const = 0;
  // The bytes of the array as it lies on the device. InvalidArgument outside of it.
  virtual Future<> CopyRawToHost(void* dst, int64_t offset, int64_t transfer_size) = 0;
  virtual Future<> CopyRawToHostFuture(Future<void*> dst, int64_t offset,
                                       int64_t transfer_size) = 0;

  // Gives the memory back, when nobody uses it any more. What has begun to use it goes on. A later
  // use is an error.
  virtual void Delete() = 0;
  // Also after the buffer has been donated.
  virtual bool IsDeleted() const = 0;

  // A copy.
  virtual absl::StatusOr<std::unique_ptr<PjRtBuffer>> CopyToMemorySpace(
      PjRtMemorySpace* dst_memory_space) = 0;
  // A copy in exchange for a buffer of the same size in the memory space that it is wanted in,
  // which is donated.
  virtual absl::StatusOr<std::unique_ptr<PjRtBuffer>> CopyToMemorySpace(PjRtBuffer* donated_dst) {
    return absl::UnimplementedError("the buffer cannot be copied into another one");
  }
  // The same memory as an array of another shape, with as many bytes. This buffer is donated.
  virtual absl::StatusOr<std::unique_ptr<PjRtBuffer>> Bitcast(PrimitiveType element_type,
                                                              absl::Span<const int64_t> dims,
                                                              const Layout* device_layout) {
    return absl::UnimplementedError("the buffer cannot be seen as another array");
  }

  // The same memory as a buffer that is not ready before `dependency` is. This buffer is donated.
  virtual absl::StatusOr<std::unique_ptr<PjRtBuffer>> DonateWithControlDependency(
      Future<> dependency) = 0;

  // Ready when the value is there, or the error.
  virtual Future<> GetReadyFuture() = 0;
  absl::Status BlockHostUntilReady() { return GetReadyFuture().Await(); }

  virtual bool IsOnCpu() const = 0;
};

class PjRtLoadedExecutable;

// Owns its devices and memory spaces. When it goes away, executions that have not begun fail with
// Cancelled, those that wait for others or for the host are woken, and the rest is waited for.
// Buffers and executables should go first; those that do not can still be destroyed.
class PjRtClient {
 public:
  PjRtClient() = default;
  virtual ~PjRtClient() = default;
  PjRtClient(const PjRtClient&) = delete;
  PjRtClient& operator=(const PjRtClient&) = delete;

  virtual int process_index() const = 0;
  virtual int device_count() const = 0;
  virtual int addressable_device_count() const = 0;
  virtual absl::Span<PjRtDevice* const> devices() const = 0;
  virtual absl::Span<PjRtDevice* const> addressable_devices() const = 0;
  // InvalidArgument for numbers that no device has.
  virtual absl::StatusOr<PjRtDevice*> LookupDevice(GlobalDeviceId global_device_id) const;
  virtual absl::StatusOr<PjRtDevice*> LookupAddressableDevice(LocalDeviceId local_device_id) const;
  virtual absl::Span<PjRtMemorySpace* const> memory_spaces() const = 0;

  virtual PjRtPlatformId platform_id() const = 0;
  virtual absl::string_view platform_name() const = 0;
  // Differs between builds whose executables do not fit each other.
  virtual absl::string_view platform_version() const = 0;
  virtual std::optional<std::shared_ptr<KeyValueStoreInterface>> key_value_store() const {
    return std::nullopt;
  }

  // Devices for replicas and partitions: the first ones of the client, in order.
  virtual absl::StatusOr<DeviceAssignment> GetDefaultDeviceAssignment(int num_replicas,
                                                                      int num_partitions) const;
  virtual absl::StatusOr<DeviceAssignment> GetDefaultDeviceAssignment(
      int num_replicas, std::optional<int> num_replicas_per_slice, int num_partitions,
      const MultiSliceConfig* multi_slice_config) const {
    return GetDefaultDeviceAssignment(num_replicas, num_partitions);
  }
  virtual absl::StatusOr<Layout> GetDefaultLayout(PrimitiveType element_type,
                                                  absl::Span<const int64_t> dims);
  virtual absl::StatusOr<const PjRtTopologyDescription*> GetTopologyDescription() const {
    return absl::UnimplementedError("the client does not describe its topology");
  }

  // Counts what programs cost that are compiled for this client.
  virtual absl::StatusOr<std::unique_ptr<HloCostAnalysis>> GetHloCostAnalysis() const {
    return std::make_unique<HloCostAnalysis>();
  }

  // Compile, and load onto the devices that the options name. InvalidArgument for programs that
  // break a rule, Unimplemented for operations that have no code.
  virtual absl::StatusOr<std::unique_ptr<PjRtExecutable>> Compile(const XlaComputation& computation,
                                                                  CompileOptions options) {
    return absl::UnimplementedError("the client does not compile");
  }
  virtual absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> CompileAndLoad(
      const XlaComputation& computation, CompileOptions options) {
    return absl::UnimplementedError("the client does not compile");
  }
  // What PjRtExecutable::SerializeExecutable gave. Options that are given replace those saved.
  // FailedPrecondition for bytes of another version or CPU.
  virtual absl::StatusOr<std::unique_ptr<PjRtExecutable>> DeserializeExecutable(
      absl::string_view serialized, std::optional<CompileOptions> options) {
    return absl::UnimplementedError("the client loads no saved executables");
  }
  virtual absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> LoadSerializedExecutable(
      absl::string_view serialized, std::optional<CompileOptions> options,
      const LoadOptions& load_options) {
    return absl::UnimplementedError("the client loads no saved executables");
  }
  virtual absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> Load(
      std::shared_ptr<PjRtExecutable> executable, const LoadOptions& load_options) {
    return absl::UnimplementedError("the client loads no executables");
  }

  // An array with anything in it.
  virtual absl::StatusOr<std::unique_ptr<PjRtBuffer>> CreateUninitializedBuffer(
      const Shape& shape, PjRtMemorySpace* memory_space) {
    return absl::UnimplementedError("the client makes no uninitialized buffers");
  }
  // A buffer that carries an error.
  virtual absl::StatusOr<std::unique_ptr<PjRtBuffer>> CreateErrorBuffer(
      absl::Status error, const Shape& shape, PjRtMemorySpace* memory_space) {
    return absl::UnimplementedError("the client makes no error buffers");
  }
  // A buffer that stands for another one, which the function is told later, once, or its error.
  using FulfillAliasBufferCallback =
      absl::AnyInvocable<absl::Status(absl::StatusOr<PjRtBuffer*>) &&>;
  virtual absl::StatusOr<std::pair<std::unique_ptr<PjRtBuffer>, FulfillAliasBufferCallback>>
  CreateAliasBuffer(const Shape& shape, PjRtMemorySpace* memory_space) {
    return absl::UnimplementedError("the client makes no alias buffers");
  }

  struct ShapeSpec {
    PrimitiveType element_type;
    DimensionVector dims;
  };

  // Buffers whose values come piece by piece. Those that never come whole carry an error when it
  // goes away.
  class AsyncHostToDeviceTransferManager {
   public:
    virtual ~AsyncHostToDeviceTransferManager() = default;

    virtual size_t buffer_count() const = 0;
    // In bytes.
    virtual size_t buffer_size(int buffer_index) const = 0;
    virtual PjRtDevice* device() const = 0;
    // Once for each; the buffer becomes ready with its last transfer.
    virtual std::unique_ptr<PjRtBuffer> RetrieveBuffer(int buffer_index) = 0;

    // on_done is called when the data is not needed any more.
    virtual absl::Status TransferLiteralToBuffer(int buffer_index, const LiteralSlice& literal,
                                                 absl::AnyInvocable<void() &&> on_done) = 0;
    virtual absl::Status TransferRawDataToBuffer(int buffer_index, absl::string_view data,
                                                 absl::AnyInvocable<void() &&> on_done) = 0;
    virtual absl::Status TransferRawDataToSubBuffer(int buffer_index, const void* data,
                                                    int64_t offset, int64_t transfer_size,
                                                    bool is_last_transfer,
                                                    absl::AnyInvocable<void() &&> on_done) = 0;
    // Instead of a value.
    virtual void SetBufferError(int buffer_index, absl::Status error) = 0;

    using TransferMetadata = absl::flat_hash_map<std::string, std::string>;
    virtual void AddTransferMetadata(const TransferMetadata& metadata) {}
  };
  virtual absl::StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>>
  CreateBuffersForAsyncHostToDevice(
      absl::Span<const ShapeSpec> shape_specs,
      std::optional<absl::Span<const std::optional<Layout>>> device_layouts,
      PjRtMemorySpace* memory_space) {
    return absl::UnimplementedError("the client has no asynchronous transfers");
  }
  virtual absl::StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>>
  CreateBuffersForAsyncHostToDevice(absl::Span<const Shape> shapes, PjRtMemorySpace* memory_space);

  enum class HostBufferSemantics {
    // The data is not needed any more when the call returns.
    kImmutableOnlyDuringCall,
    // Until on_done_with_host_buffer is called, which happens when it has been copied.
    kImmutableUntilTransferCompletes,
    // The same, but the buffer may lie in the host's memory as long as it lives, which then must
    // not change. So it does where the data is aligned to 64 bytes and dense.
    kImmutableZeroCopy,
    // The same, and whatever the buffer is donated to may write there.
    kMutableZeroCopy,
  };
  // A buffer with the data at `data`: dimension i is dims[i] elements, byte_strides[i] apart, which
  // may be negative or 0; without strides dense in row-major order. It lies in `device_layout`,
  // row-major without it. Types narrower than a byte come one element a byte.
  virtual absl::StatusOr<std::unique_ptr<PjRtBuffer>> BufferFromHostBuffer(
      const void* data, PrimitiveType type, absl::Span<int64_t const> dims,
      std::optional<absl::Span<int64_t const>> byte_strides,
      HostBufferSemantics host_buffer_semantics,
      absl::AnyInvocable<void() &&> on_done_with_host_buffer, PjRtMemorySpace* memory_space,
      const Layout* device_layout) {
    return absl::UnimplementedError("the client takes no host buffers");
  }
  // The same in exchange for a buffer of the same size, which is donated.
  virtual absl::StatusOr<std::unique_ptr<PjRtBuffer>> BufferFromHostBuffer(
      const void* data, PrimitiveType type, absl::Span<int64_t const> dims,
      std::optional<absl::Span<int64_t const>> byte_strides,
      HostBufferSemantics host_buffer_semantics,
      absl::AnyInvocable<void() &&> on_done_with_host_buffer, PjRtBuffer* donated_dst,
      const Layout* device_layout) {
    return absl::UnimplementedError("the client takes no host buffers into others");
  }
  // A copy of the literal, which must stay until the buffer is ready, in its layout or the one
  // given.
  virtual absl::StatusOr<std::unique_ptr<PjRtBuffer>> BufferFromHostLiteral(
      const LiteralSlice& literal, PjRtMemorySpace* memory_space, const Layout* device_layout) {
    return absl::UnimplementedError("the client takes no literals");
  }
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> BufferFromHostLiteral(const LiteralSlice& literal,
                                                                    PjRtMemorySpace* memory_space) {
    return BufferFromHostLiteral(literal, memory_space, /*device_layout=*/nullptr);
  }
  // A buffer in memory of the caller, which stays until on_delete_callback is called. Executions
  // copy it instead of writing there.
  virtual absl::StatusOr<std::unique_ptr<PjRtBuffer>> CreateViewOfDeviceBuffer(
      void* device_ptr, const Shape& shape, PjRtMemorySpace* memory_space,
      std::function<void()> on_delete_callback,
      std::optional<std::intptr_t> stream = std::nullopt) {
    return absl::UnimplementedError("the client takes no memory of others");
  }
  // The address of the buffer's memory; waits for its value.
  virtual absl::StatusOr<std::uintptr_t> UnsafeBufferPointer(PjRtBuffer* buffer);

  // Tell of memory of the host that is often copied from and to.
  virtual absl::Status DmaMap(void* data, size_t size) {
    return absl::UnimplementedError("the client maps no memory");
  }
  virtual absl::Status DmaUnmap(void* data) {
    return absl::UnimplementedError("the client maps no memory");
  }
};

// An executable on devices of a client. All functions may be called from any thread.
class PjRtLoadedExecutable {
 public:
  virtual ~PjRtLoadedExecutable() = default;

  virtual PjRtExecutable* GetExecutable() const = 0;
  virtual PjRtClient* client() const = 0;
  // The device of each replica of each partition; nothing for portable executables.
  virtual const DeviceAssignment& device_assignment() const = 0;

  struct LogicalDeviceIds {
    int replica;
    int partition;
  };
  // What each of the executable's devices that belong to this process does, and the devices, in
  // the order of Execute's arguments.
  virtual absl::Span<const LogicalDeviceIds> addressable_device_logical_ids() const = 0;
  virtual absl::Span<PjRtDevice* const> addressable_devices() const = 0;

  // Runs on all devices: for each the arguments and then the results, one buffer for each array of
  // the result. Returns as soon as the work is arranged; errors of the execution come with the
  // results and with the futures, if those are asked for (one for each device). Arguments for which
  // the program has an alias are donated, unless the options say otherwise: they are deleted
  // afterwards, and a result takes their memory, unless somebody else still uses it. A call that
  // fails deletes nothing. InvalidArgument for arguments that do not fit, are deleted, or are
  // donated and used twice.
  virtual absl::StatusOr<std::vector<std::vector<std::unique_ptr<PjRtBuffer>>>> Execute(
      absl::Span<const std::vector<PjRtBuffer*>> argument_handles, const ExecuteOptions& options,
      std::optional<std::vector<Future<>>>& returned_futures) const = 0;
  absl::StatusOr<std::vector<std::vector<std::unique_ptr<PjRtBuffer>>>> Execute(
      absl::Span<const std::vector<PjRtBuffer*>> argument_handles,
      const ExecuteOptions& options) const {
    std::optional<std::vector<Future<>>> returned_futures;
    return Execute(argument_handles, options, returned_futures);
  }

  // Runs on one device of several; the execution begins when all of them have been called with the
  // same launch_id.
  virtual absl::StatusOr<std::vector<std::unique_ptr<PjRtBuffer>>> ExecuteSharded(
      absl::Span<PjRtBuffer* const> argument_handles, PjRtDevice* device,
      const ExecuteOptions& options, std::optional<Future<>>& returned_future,
      bool fill_future) const = 0;
  absl::StatusOr<std::vector<std::unique_ptr<PjRtBuffer>>> ExecuteSharded(
      absl::Span<PjRtBuffer* const> argument_handles, PjRtDevice* device,
      const ExecuteOptions& options, std::optional<Future<>>& returned_future) const {
    return ExecuteSharded(argument_handles, device, options, returned_future,
                          /*fill_future=*/true);
  }
  absl::StatusOr<std::vector<std::unique_ptr<PjRtBuffer>>> ExecuteSharded(
      absl::Span<PjRtBuffer* const> argument_handles, PjRtDevice* device,
      const ExecuteOptions& options) const {
    std::optional<Future<>> returned_future;
    return ExecuteSharded(argument_handles, device, options, returned_future,
                          /*fill_future=*/false);
  }

  // Runs an executable for one device on any device of the client.
  virtual absl::StatusOr<std::vector<std::unique_ptr<PjRtBuffer>>> ExecutePortable(
      absl::Span<PjRtBuffer* const> argument_handles, PjRtDevice* device,
      const ExecuteOptions& options, std::optional<Future<>>& returned_future,
      bool fill_future) const = 0;
  absl::StatusOr<std::vector<std::unique_ptr<PjRtBuffer>>> ExecutePortable(
      absl::Span<PjRtBuffer* const> argument_handles, PjRtDevice* device,
      const ExecuteOptions& options, std::optional<Future<>>& returned_future) const {
    return ExecutePortable(argument_handles, device, options, returned_future,
                           /*fill_future=*/true);
  }
  absl::StatusOr<std::vector<std::unique_ptr<PjRtBuffer>>> ExecutePortable(
      absl::Span<PjRtBuffer* const> argument_handles, PjRtDevice* device,
      const ExecuteOptions& options) const {
    std::optional<Future<>> returned_future;
    return ExecutePortable(argument_handles, device, options, returned_future,
                           /*fill_future=*/false);
  }

  // Gives the executable back; executions that have begun go on. A later one is an error.
  virtual void Delete() = 0;
  virtual bool IsDeleted() const = 0;

  // Those of the executable.
  int num_replicas() const { return GetExecutable()->num_replicas(); }
  int num_partitions() const { return GetExecutable()->num_partitions(); }
  int64_t SizeOfGeneratedCodeInBytes() const {
    return GetExecutable()->SizeOfGeneratedCodeInBytes();
  }
  absl::string_view name() const { return GetExecutable()->name(); }
  absl::StatusOr<std::vector<std::shared_ptr<HloModule>>> GetHloModules() const {
    return GetExecutable()->GetHloModules();
  }
  absl::StatusOr<std::vector<Shape>> GetOutputShapes() const {
    return GetExecutable()->GetOutputShapes();
  }
  absl::StatusOr<std::vector<std::vector<PrimitiveType>>> GetOutputElementTypes() const {
    return GetExecutable()->GetOutputElementTypes();
  }
  absl::StatusOr<std::vector<std::vector<DimensionVector>>> GetOutputDimensions() const {
    return GetExecutable()->GetOutputDimensions();
  }
  absl::StatusOr<std::vector<std::shared_ptr<const PjRtLayout>>> GetParameterLayouts() const {
    return GetExecutable()->GetParameterLayouts();
  }
  absl::StatusOr<std::vector<std::shared_ptr<const PjRtLayout>>> GetOutputLayouts() const {
    return GetExecutable()->GetOutputLayouts();
  }
  absl::StatusOr<std::vector<std::vector<absl::string_view>>> GetParameterMemoryKinds() const {
    return GetExecutable()->GetParameterMemoryKinds();
  }
  absl::StatusOr<std::vector<std::vector<absl::string_view>>> GetOutputMemoryKinds() const {
    return GetExecutable()->GetOutputMemoryKinds();
  }
  std::optional<std::vector<OpSharding>> GetParameterShardings() const {
    return GetExecutable()->GetParameterShardings();
  }
  std::optional<std::vector<OpSharding>> GetOutputShardings() const {
    return GetExecutable()->GetOutputShardings();
  }
  absl::StatusOr<CompiledMemoryStats> GetCompiledMemoryStats() const {
    return GetExecutable()->GetCompiledMemoryStats();
  }
  absl::StatusOr<absl::flat_hash_map<std::string, PjRtValueType>> GetCostAnalysis() const {
    return GetExecutable()->GetCostAnalysis();
  }
  absl::StatusOr<std::string> SerializeExecutable() const {
    return GetExecutable()->SerializeExecutable();
  }
  absl::StatusOr<std::string> FingerprintExecutable() const {
    return GetExecutable()->FingerprintExecutable();
  }
  absl::StatusOr<struct CompileOptions> GetCompileOptions() const {
    return GetExecutable()->GetCompileOptions();
  }
};

}  // namespace xla

#endif  // XLA_PJRT_PJRT_CLIENT_H_
