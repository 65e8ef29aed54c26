// A handle on an array.
#ifndef HILO_API_PJRT_CPU_BUFFER_H_
#define HILO_API_PJRT_CPU_BUFFER_H_

#include <memory>
#include <mutex>
#include <vector>

#include "api/pjrt/cpu_client.h"
#include "api/pjrt/device_array.h"
#include "xla/literal.h"
#include "xla/pjrt/pjrt_client.h"

namespace xla {

class CpuBuffer : public PjRtBuffer {
 public:
  CpuBuffer(CpuMemorySpace* space, DeviceArrayRef array)
      : space_(space), shape_(array->shape), array_(std::move(array)) {}

  const Shape& on_device_shape() const override { return *shape_; }
  absl::StatusOr<std::vector<int64_t>> logical_dimensions() override;
  absl::StatusOr<Shape> logical_on_device_shape() override;
  PjRtMemorySpace* memory_space() const override { return space_; }
  PjRtDevice* device() const override { return space_->device(); }
  PjRtClient* client() const override { return space_->client(); }

  absl::StatusOr<std::unique_ptr<ExternalReference>> AcquireExternalReference() override;
  absl::StatusOr<std::unique_ptr<ExternalReference>> ReleaseDeviceMemoryOwnership(
      bool wait_for_operations_to_complete) override;

  using PjRtBuffer::ToLiteral;
  Future<> ToLiteral(MutableLiteralBase* literal) override;
  Future<> LazyToLiteral(absl::AnyInvocable<Future<MutableLiteralBase*>() &&> generator) override;
  absl::StatusOr<size_t> GetOnDeviceSizeInBytes() const override;
  Future<> CopyRawToHost(void* dst, int64_t offset, int64_t transfer_size) override;
  Future<> CopyRawToHostFuture(Future<void*> dst, int64_t offset, int64_t transfer_size) override;

  void Delete() override { Take(); }
  bool IsDeleted() const override;

  absl::StatusOr<std::unique_ptr<PjRtBuffer>> CopyToMemorySpace(
      PjRtMemorySpace* dst_memory_space) override;
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> CopyToMemorySpace(PjRtBuffer* donated_dst) override;
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> Bitcast(PrimitiveType element_type,
                                                      absl::Span<const int64_t> dims,
                                                      const Layout* device_layout) override;
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> DonateWithControlDependency(
      Future<> dependency) override;
  Future<> GetReadyFuture() override;
  bool IsOnCpu() const override { return true; }

  // What the handle holds; null when it is deleted.
  DeviceArrayRef Array() const;
  // The same, and it is used until `use` is there.
  DeviceArrayRef Use(Event use) const;
  // The same, and the handle is dead.
  DeviceArrayRef Take();
  // Gives back what was taken.
  void PutBack(DeviceArrayRef array);

 private:
  // The array, or that it is deleted.
  absl::StatusOr<DeviceArrayRef> Existing(absl::string_view action) const;
  // Does something with the value when it is there.
  template <typename Action>
  Future<> WithValue(absl::string_view action, int64_t bytes, Action act);
  absl::StatusOr<std::unique_ptr<PjRtBuffer>> Renamed(std::shared_ptr<const Shape> shape,
                                                      Event dependency, absl::string_view action);
  CpuRuntime& runtime() const;

  CpuMemorySpace* const space_;
  const std::shared_ptr<const Shape> shape_;
  mutable std::mutex mutex_;
  DeviceArrayRef array_;
};

// Of a buffer that was deleted or donated.
absl::Status BufferIsGone(absl::string_view action);

// The value as a literal over the array's memory, which must be ready and stay.
Literal ViewOf(const DeviceArray& array);

Future<> ToFuture(const Event& event);
Event ToEvent(const Future<>& future);

// Work on so many bytes is done on the caller's thread: it takes about as long as a program that
// is run there may.
inline constexpr int64_t kLittleBytes = 1 << 20;

}  // namespace xla

#endif  // HILO_API_PJRT_CPU_BUFFER_H_
