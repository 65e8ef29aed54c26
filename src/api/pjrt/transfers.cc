// Buffers from data of the host.
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/algorithm/container.h"
#include "api/pjrt/cpu_buffer.h"
#include "api/pjrt/cpu_client.h"
#include "api/pjrt/host_copy.h"
#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using DoneCallback = absl::AnyInvocable<void() &&>;

void CallDone(DoneCallback& callback) {
  if (callback) std::move(callback)();
  callback = nullptr;
}

bool IsAlignedForArrays(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % runtime::kAlignment == 0;
}

std::unique_ptr<PjRtBuffer> MakeHandle(CpuMemorySpace* space, DeviceArrayRef array) {
  return std::make_unique<CpuBuffer>(space, std::move(array));
}

// An array that is not there yet.
struct PendingArray {
  explicit PendingArray(std::shared_ptr<const Shape> shape)
      : done(tsl::MakeConstructedAsyncValueRef<tsl::Chain>()),
        array(tsl::MakeRef<DeviceArray>(std::move(shape), done)) {}

  // With the memory, where there is one.
  void Finish(absl::StatusOr<ArrayMemory> memory) {
    if (!memory.ok()) return done.SetError(memory.status());
    array->memory = *std::move(memory);
    done.SetStateConcrete();
  }

  Event done;
  DeviceArrayRef array;
};

absl::InlinedVector<int32_t, 2> BoundsOfDynamicDimensions(const Shape& shape) {
  absl::InlinedVector<int32_t, 2> sizes;
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    if (shape.is_dynamic_dimension(d)) sizes.push_back(static_cast<int32_t>(shape.dimensions(d)));
  }
  return sizes;
}

// What lies in memory of the host.
struct HostArray {
  const char* data;
  DimensionVector byte_strides;
};

absl::StatusOr<ArrayMemory> CopyOfHost(const HostArray& host, const Shape& shape,
                                       DeviceMemory& device) {
  HILO_ASSIGN_OR_RETURN(ArrayMemory memory, device.Allocate(ShapeUtil::ByteSizeOf(shape)));
  CopyStrided(host.data, host.byte_strides, shape, memory.data());
  return memory;
}

bool IsDenseOnHost(const HostArray& host, const Shape& shape) {
  const DimensionVector dense = DenseByteStrides(shape);
  for (size_t d = 0; d < dense.size(); ++d) {
    if (shape.dimensions(static_cast<int>(d)) != 1 && dense[d] != host.byte_strides[d])
      return false;
  }
  return true;
}

class HostTransfers : public PjRtClient::AsyncHostToDeviceTransferManager {
 public:
  static absl::StatusOr<std::unique_ptr<HostTransfers>> Make(CpuMemorySpace* space,
                                                             absl::Span<const Shape> shapes) {
    auto manager = std::make_unique<HostTransfers>(space);
    for (const Shape& shape : shapes) {
      HILO_ASSIGN_OR_RETURN(std::shared_ptr<const Shape> kept, BufferShape(shape));
      if (!kept->IsArray())
        return InvalidArgument("no data can be transferred to shape %s", kept->ToString());
      const int64_t bytes = ShapeUtil::ByteSizeOf(*kept);
      Entry entry(std::move(kept));
      entry.bytes = bytes;
      HILO_ASSIGN_OR_RETURN(entry.memory, space->device()->memory().Allocate(bytes));
      manager->entries_.push_back(std::move(entry));
    }
    return manager;
  }
  explicit HostTransfers(CpuMemorySpace* space) : space_(space) {}
  ~HostTransfers() override {
    for (Entry& entry : entries_) {
      if (!entry.is_over)
        entry.pending.Finish(absl::CancelledError(
            "whoever transferred data to the buffer has gone before it was complete"));
    }
  }

  size_t buffer_count() const override { return entries_.size(); }
  size_t buffer_size(int buffer_index) const override {
    return IsIndex(buffer_index) ? entries_[buffer_index].bytes : 0;
  }
  PjRtDevice* device() const override { return space_->device(); }
  // Null for numbers that no buffer has, and the second time.
  std::unique_ptr<PjRtBuffer> RetrieveBuffer(int buffer_index) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!IsIndex(buffer_index) || entries_[buffer_index].is_retrieved) return nullptr;
    entries_[buffer_index].is_retrieved = true;
    return MakeHandle(space_, entries_[buffer_index].pending.array);
  }

  absl::Status TransferLiteralToBuffer(int buffer_index, const LiteralSlice& literal,
                                       DoneCallback on_done) override {
    HILO_RETURN_IF_ERROR(CheckIndex(buffer_index));
    const Shape& shape = *entries_[buffer_index].pending.array->shape;
    if (!ShapeUtil::Compatible(literal.shape(), shape)) {
      return InvalidArgument("a literal of shape %s does not fit buffer %d of shape %s",
                             literal.shape().ToString(), buffer_index, shape.ToString());
    }
    const Literal held = literal.Relayout(shape.layout());
    return Transfer(buffer_index, held.untyped_data(), 0, held.size_bytes(),
                    /*is_last_transfer=*/true, std::move(on_done));
  }
  absl::Status TransferRawDataToBuffer(int buffer_index, absl::string_view data,
                                       DoneCallback on_done) override {
    HILO_RETURN_IF_ERROR(CheckIndex(buffer_index));
    if (static_cast<int64_t>(data.size()) != entries_[buffer_index].bytes) {
      return InvalidArgument("%d bytes were given for buffer %d, which has %d", data.size(),
                             buffer_index, entries_[buffer_index].bytes);
    }
    return Transfer(buffer_index, data.data(), 0, static_cast<int64_t>(data.size()),
                    /*is_last_transfer=*/true, std::move(on_done));
  }
  absl::Status TransferRawDataToSubBuffer(int buffer_index, const void* data, int64_t offset,
                                          int64_t transfer_size, bool is_last_transfer,
                                          DoneCallback on_done) override {
    return Transfer(buffer_index, data, offset, transfer_size, is_last_transfer,
                    std::move(on_done));
  }
  void SetBufferError(int buffer_index, absl::Status error) override {
    if (error.ok()) error = InternalError("an error was announced, but none was given");
    Event done;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!IsIndex(buffer_index) || entries_[buffer_index].is_over) return;
      entries_[buffer_index].is_over = true;
      done = entries_[buffer_index].pending.done;
    }
    done.SetError(std::move(error));
  }

 private:
  struct Entry {
    explicit Entry(std::shared_ptr<const Shape> shape) : pending(std::move(shape)) {}
    PendingArray pending;
    ArrayMemory memory;
    int64_t bytes = 0;
    int64_t copying = 0;  // transfers that have begun and not ended
    bool is_last_here = false, is_over = false, is_retrieved = false;
  };

  static absl::Status InternalError(absl::string_view text) { return absl::InternalError(text); }

  bool IsIndex(int index) const {
    return 0 <= index && static_cast<size_t>(index) < entries_.size();
  }
  absl::Status CheckIndex(int index) const {
    if (IsIndex(index)) return absl::OkStatus();
    return InvalidArgument("there is no buffer %d: there are %d", index, entries_.size());
  }

  // Copies to one buffer may go on at the same time. The last to end makes it ready.
  absl::Status Transfer(int index, const void* data, int64_t offset, int64_t size, bool is_last,
                        DoneCallback on_done) {
    HILO_RETURN_IF_ERROR(CheckIndex(index));
    Entry& entry = entries_[index];
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (entry.is_over || entry.is_last_here)
        return FailedPrecondition("buffer %d has had its last transfer already", index);
      if (offset < 0 || size < 0 || offset > entry.bytes || size > entry.bytes - offset) {
        return InvalidArgument("bytes %d to %d lie outside of the %d bytes of buffer %d", offset,
                               offset + size, entry.bytes, index);
      }
      ++entry.copying;
      entry.is_last_here = is_last;
    }
    if (size > 0) std::memcpy(entry.memory.data() + offset, data, size);
    CallDone(on_done);
    bool is_complete;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_complete = --entry.copying == 0 && entry.is_last_here && !entry.is_over;
      if (is_complete) entry.is_over = true;
    }
    if (!is_complete) return absl::OkStatus();
    entry.pending.array->dynamic_sizes = BoundsOfDynamicDimensions(*entry.pending.array->shape);
    entry.pending.Finish(std::move(entry.memory));
    return absl::OkStatus();
  }

  CpuMemorySpace* const space_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<PjRtBuffer>> CpuClient::BufferFromHostBuffer(
    const void* data, PrimitiveType type, absl::Span<int64_t const> dims,
    std::optional<absl::Span<int64_t const>> byte_strides,
    HostBufferSemantics host_buffer_semantics, DoneCallback on_done_with_host_buffer,
    PjRtMemorySpace* memory_space, const Layout* device_layout) {
  HILO_ASSIGN_OR_RETURN(CpuMemorySpace* const space, OwnSpace(memory_space));
  HILO_ASSIGN_OR_RETURN(Shape given, ShapeUtil::MakeValidatedShape(type, dims));
  if (device_layout != nullptr) *given.mutable_layout() = *device_layout;
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<const Shape> shape, BufferShape(given));
  if (!shape->IsArray())
    return InvalidArgument("host data cannot have shape %s", shape->ToString());
  HostArray host = {static_cast<const char*>(data), {}};
  if (byte_strides.has_value()) {
    if (byte_strides->size() != dims.size()) {
      return InvalidArgument("%d strides were given for the %d dimensions of %s",
                             byte_strides->size(), dims.size(), shape->ToString());
    }
    host.byte_strides.assign(byte_strides->begin(), byte_strides->end());
  } else {
    Shape row_major = *shape;
    LayoutUtil::SetToDefaultLayout(&row_major);
    host.byte_strides = DenseByteStrides(row_major);
  }
  const bool is_zero_copy = host_buffer_semantics == HostBufferSemantics::kImmutableZeroCopy ||
                            host_buffer_semantics == HostBufferSemantics::kMutableZeroCopy;
  if (is_zero_copy && IsAlignedForArrays(data) && IsDenseOnHost(host, *shape)) {
    ArrayMemory memory = ArrayMemory::Borrow(
        const_cast<void*>(data), host_buffer_semantics == HostBufferSemantics::kMutableZeroCopy,
        std::move(on_done_with_host_buffer));
    return MakeHandle(space, tsl::MakeRef<DeviceArray>(std::move(shape), std::move(memory)));
  }
  const bool is_later = host_buffer_semantics != HostBufferSemantics::kImmutableOnlyDuringCall &&
                        options_.asynchronous && ShapeUtil::ByteSizeOf(*shape) > kLittleBytes;
  if (!is_later) {
    HILO_ASSIGN_OR_RETURN(ArrayMemory memory, CopyOfHost(host, *shape, space->device()->memory()));
    CallDone(on_done_with_host_buffer);
    return MakeHandle(space, tsl::MakeRef<DeviceArray>(std::move(shape), std::move(memory)));
  }
  PendingArray pending(std::move(shape));
  std::unique_ptr<PjRtBuffer> buffer = MakeHandle(space, pending.array);
  runtime_->RunAfter(
      {}, CpuRuntime::Effort::kMuch,
      [pending = std::move(pending), host = std::move(host), &device = space->device()->memory(),
       on_done = std::move(on_done_with_host_buffer)](absl::Status status) mutable {
        absl::StatusOr<ArrayMemory> memory =
            status.ok() ? CopyOfHost(host, *pending.array->shape, device) : std::move(status);
        CallDone(on_done);
        pending.Finish(std::move(memory));
      });
  return buffer;
}

absl::StatusOr<std::unique_ptr<PjRtBuffer>> CpuClient::BufferFromHostBuffer(
    const void* data, PrimitiveType type, absl::Span<int64_t const> dims,
    std::optional<absl::Span<int64_t const>> byte_strides,
    HostBufferSemantics host_buffer_semantics, DoneCallback on_done_with_host_buffer,
    PjRtBuffer* donated_dst, const Layout* device_layout) {
  if (donated_dst->IsDeleted()) return BufferIsGone("copy into it");
  HILO_ASSIGN_OR_RETURN(const size_t size, donated_dst->GetOnDeviceSizeInBytes());
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtBuffer> buffer,
                        BufferFromHostBuffer(data, type, dims, byte_strides, host_buffer_semantics,
                                             std::move(on_done_with_host_buffer),
                                             donated_dst->memory_space(), device_layout));
  HILO_ASSIGN_OR_RETURN(const size_t needed, buffer->GetOnDeviceSizeInBytes());
  if (size != needed) {
    return InvalidArgument("an array of shape %s does not fit into a buffer of shape %s",
                           buffer->on_device_shape().ToString(),
                           donated_dst->on_device_shape().ToString());
  }
  donated_dst->Delete();
  return buffer;
}

absl::StatusOr<std::unique_ptr<PjRtBuffer>> CpuClient::BufferFromHostLiteral(
    const LiteralSlice& literal, PjRtMemorySpace* memory_space, const Layout* device_layout) {
  HILO_ASSIGN_OR_RETURN(CpuMemorySpace* const space, OwnSpace(memory_space));
  Shape given = literal.shape();
  if (device_layout != nullptr && given.IsArray()) *given.mutable_layout() = *device_layout;
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<const Shape> shape, BufferShape(given));
  if (!literal.IsKnown()) return InvalidArgument("the literal has no value");
  if (!shape->IsArray())
    return MakeHandle(space, tsl::MakeRef<DeviceArray>(std::move(shape), ArrayMemory()));
  HILO_ASSIGN_OR_RETURN(ArrayMemory memory,
                        CopyOfHost({static_cast<const char*>(literal.untyped_data()),
                                    DenseByteStrides(literal.shape())},
                                   *shape, space->device()->memory()));
  DeviceArrayRef array = tsl::MakeRef<DeviceArray>(shape, std::move(memory));
  for (int d = 0; d < shape->dimensions_size(); ++d) {
    if (shape->is_dynamic_dimension(d)) array->dynamic_sizes.push_back(literal.GetDynamicSize(d));
  }
  return MakeHandle(space, std::move(array));
}

absl::StatusOr<std::unique_ptr<PjRtBuffer>> CpuClient::CreateViewOfDeviceBuffer(
    void* device_ptr, const Shape& shape, PjRtMemorySpace* memory_space,
    std::function<void()> on_delete_callback, std::optional<std::intptr_t> stream) {
  HILO_ASSIGN_OR_RETURN(CpuMemorySpace* const space, OwnSpace(memory_space));
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<const Shape> kept, BufferShape(shape));
  if (!kept->IsArray()) return InvalidArgument("there is no memory of shape %s", kept->ToString());
  if (stream.has_value()) return InvalidArgument("devices of this client have no streams");
  DoneCallback release;
  if (on_delete_callback) release = std::move(on_delete_callback);
  DeviceArrayRef array = tsl::MakeRef<DeviceArray>(
      kept, ArrayMemory::Borrow(device_ptr, /*is_writable=*/false, std::move(release)));
  array->dynamic_sizes = BoundsOfDynamicDimensions(*kept);
  return MakeHandle(space, std::move(array));
}

absl::StatusOr<std::unique_ptr<PjRtBuffer>> CpuClient::CreateUninitializedBuffer(
    const Shape& shape, PjRtMemorySpace* memory_space) {
  HILO_ASSIGN_OR_RETURN(CpuMemorySpace* const space, OwnSpace(memory_space));
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<const Shape> kept, BufferShape(shape));
  HILO_ASSIGN_OR_RETURN(
      ArrayMemory memory,
      space->device()->memory().Allocate(kept->IsArray() ? ShapeUtil::ByteSizeOf(*kept) : 0));
  DeviceArrayRef array = tsl::MakeRef<DeviceArray>(kept, std::move(memory));
  array->dynamic_sizes = BoundsOfDynamicDimensions(*kept);
  return MakeHandle(space, std::move(array));
}

absl::StatusOr<std::unique_ptr<PjRtBuffer>> CpuClient::CreateErrorBuffer(
    absl::Status error, const Shape& shape, PjRtMemorySpace* memory_space) {
  HILO_ASSIGN_OR_RETURN(CpuMemorySpace* const space, OwnSpace(memory_space));
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<const Shape> kept, BufferShape(shape));
  if (error.ok()) return InvalidArgument("an error buffer needs an error, not OK");
  PendingArray pending(std::move(kept));
  pending.Finish(std::move(error));
  return MakeHandle(space, std::move(pending.array));
}

absl::StatusOr<std::pair<std::unique_ptr<PjRtBuffer>, PjRtClient::FulfillAliasBufferCallback>>
CpuClient::CreateAliasBuffer(const Shape& shape, PjRtMemorySpace* memory_space) {
  HILO_ASSIGN_OR_RETURN(CpuMemorySpace* const space, OwnSpace(memory_space));
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<const Shape> kept, BufferShape(shape));
  // A promise, so that a function which is never called leaves an error.
  auto [promise, fulfilled] = MakePromise<PjRtBuffer*>();
  PendingArray pending(std::move(kept));
  std::unique_ptr<PjRtBuffer> buffer = MakeHandle(space, pending.array);
  fulfilled.OnReady(
      [space, pending = std::move(pending)](const absl::StatusOr<PjRtBuffer*>& source) mutable {
        if (!source.ok()) return pending.Finish(source.status());
        absl::StatusOr<std::unique_ptr<PjRtBuffer>> copy = (*source)->CopyToMemorySpace(space);
        if (!copy.ok()) return pending.Finish(copy.status());
        const DeviceArrayRef array = static_cast<CpuBuffer&>(**copy).Take();
        array->ready.AndThen([array, pending = std::move(pending)](absl::Status status) mutable {
          if (!status.ok()) return pending.Finish(status);
          pending.array->dynamic_sizes = array->dynamic_sizes;
          pending.Finish(std::move(array->memory));
        });
      });
  FulfillAliasBufferCallback fulfill =
      [promise = std::move(promise), expected = buffer->on_device_shape()](
          absl::StatusOr<PjRtBuffer*> source) mutable -> absl::Status {
    if (!promise) return FailedPrecondition("the alias buffer has been fulfilled already");
    if (source.ok() && !ShapeUtil::Equal((*source)->on_device_shape(), expected)) {
      return InvalidArgument("a buffer of shape %s cannot stand for one of shape %s",
                             (*source)->on_device_shape().ToString(), expected.ToString());
    }
    promise.Set(std::move(source));
    return absl::OkStatus();
  };
  return std::make_pair(std::move(buffer), std::move(fulfill));
}

absl::StatusOr<std::unique_ptr<PjRtClient::AsyncHostToDeviceTransferManager>>
CpuClient::CreateBuffersForAsyncHostToDevice(
    absl::Span<const ShapeSpec> shape_specs,
    std::optional<absl::Span<const std::optional<Layout>>> device_layouts,
    PjRtMemorySpace* memory_space) {
  HILO_ASSIGN_OR_RETURN(CpuMemorySpace* const space, OwnSpace(memory_space));
  if (device_layouts.has_value() && device_layouts->size() != shape_specs.size()) {
    return InvalidArgument("%d layouts were given for %d buffers", device_layouts->size(),
                           shape_specs.size());
  }
  std::vector<Shape> shapes;
  for (size_t i = 0; i < shape_specs.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(
        shapes.emplace_back(),
        ShapeUtil::MakeValidatedShape(shape_specs[i].element_type, shape_specs[i].dims));
    if (device_layouts.has_value() && (*device_layouts)[i].has_value())
      *shapes.back().mutable_layout() = *(*device_layouts)[i];
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HostTransfers> manager, HostTransfers::Make(space, shapes));
  return manager;
}

}  // namespace xla
