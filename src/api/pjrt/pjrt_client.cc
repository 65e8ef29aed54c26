// What all clients share.
#include "xla/pjrt/pjrt_client.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// One device after the other: first all partitions of replica 0.
absl::StatusOr<DeviceAssignment> AssignInOrder(absl::Span<const int> devices, int num_replicas,
                                               int num_partitions) {
  if (num_replicas < 1 || num_partitions < 1) {
    return InvalidArgument("%d replicas of %d partitions have no devices", num_replicas,
                           num_partitions);
  }
  const int64_t count = int64_t{num_replicas} * num_partitions;
  if (count > static_cast<int64_t>(devices.size())) {
    return InvalidArgument("%d replicas of %d partitions need %d devices, but there are %d",
                           num_replicas, num_partitions, count, devices.size());
  }
  DeviceAssignment assignment(num_replicas, num_partitions);
  for (int replica = 0; replica < num_replicas; ++replica) {
    for (int partition = 0; partition < num_partitions; ++partition)
      assignment(replica, partition) = devices[replica * num_partitions + partition];
  }
  return assignment;
}

}  // namespace

absl::StatusOr<PjRtMemorySpace*> PjRtDevice::memory_space_by_kind(absl::string_view kind) const {
  std::vector<std::string> kinds;
  for (PjRtMemorySpace* space : memory_spaces()) {
    if (space->kind() == kind) return space;
    kinds.emplace_back(space->kind());
  }
  return NotFound("device %s has no memory of kind %s; it has: %s", DebugString(), kind,
                  absl::StrJoin(kinds, ", "));
}

std::shared_ptr<const PjRtLayout> PjRtBuffer::layout() const {
  const Shape& shape = on_device_shape();
  return std::make_shared<const PjRtLayout>(shape.has_layout() ? shape.layout() : Layout());
}

absl::StatusOr<std::vector<int64_t>> PjRtBuffer::logical_dimensions() {
  HILO_ASSIGN_OR_RETURN(const Shape shape, logical_on_device_shape());
  return std::vector<int64_t>(shape.dimensions().begin(), shape.dimensions().end());
}

absl::StatusOr<Shape> PjRtBuffer::HostShape() {
  if (has_dynamic_dimensions()) return logical_on_device_shape();
  return on_device_shape();
}

Future<std::shared_ptr<Literal>> PjRtBuffer::ToLiteral() {
  // The logical shape of a dynamic array is known when its value is there.
  using Result = absl::StatusOr<std::shared_ptr<Literal>>;
  const auto copy = [](PjRtBuffer& buffer, const Shape& shape) -> Future<std::shared_ptr<Literal>> {
    absl::StatusOr<Literal> literal = Literal::Make(shape);
    if (!literal.ok()) return Result(literal.status());
    auto result = std::make_shared<Literal>(*std::move(literal));
    return buffer.ToLiteral(result.get()).MapTo(std::move(result));
  };
  absl::StatusOr<Shape> shape = HostShape();
  if (!shape.ok()) return Result(shape.status());
  return copy(*this, *shape);
}

absl::StatusOr<PjRtDevice*> PjRtClient::LookupDevice(GlobalDeviceId global_device_id) const {
  for (PjRtDevice* device : devices()) {
    if (device->global_device_id() == global_device_id) return device;
  }
  return InvalidArgument("there is no device %d; this client has %d", global_device_id.value(),
                         device_count());
}

absl::StatusOr<PjRtDevice*> PjRtClient::LookupAddressableDevice(
    LocalDeviceId local_device_id) const {
  for (PjRtDevice* device : addressable_devices()) {
    if (device->local_device_id() == local_device_id) return device;
  }
  return InvalidArgument("there is no device %d in this process, which has %d",
                         local_device_id.value(), addressable_device_count());
}

absl::StatusOr<DeviceAssignment> PjRtClient::GetDefaultDeviceAssignment(int num_replicas,
                                                                        int num_partitions) const {
  std::vector<int> ids;
  for (const PjRtDevice* device : devices()) ids.push_back(device->id());
  return AssignInOrder(ids, num_replicas, num_partitions);
}

absl::StatusOr<DeviceAssignment> PjRtTopologyDescription::GetDefaultDeviceAssignment(
    int process_index, int num_replicas, std::optional<int> num_replicas_per_slice,
    int num_partitions, const MultiSliceConfig* multi_slice_config) const {
  std::vector<int> all, own;
  for (const std::unique_ptr<const PjRtDeviceDescription>& device : DeviceDescriptions()) {
    all.push_back(device->id());
    if (device->process_index() == process_index) own.push_back(device->id());
  }
  const bool is_enough = int64_t{num_replicas} * num_partitions <= static_cast<int64_t>(own.size());
  return AssignInOrder(is_enough ? own : all, num_replicas, num_partitions);
}

absl::StatusOr<Layout> PjRtClient::GetDefaultLayout(PrimitiveType element_type,
                                                    absl::Span<const int64_t> dims) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeUtil::MakeValidatedShape(element_type, dims));
  return LayoutUtil::GetDefaultLayoutForShape(shape);
}

absl::StatusOr<std::unique_ptr<PjRtClient::AsyncHostToDeviceTransferManager>>
PjRtClient::CreateBuffersForAsyncHostToDevice(absl::Span<const Shape> shapes,
                                              PjRtMemorySpace* memory_space) {
  std::vector<ShapeSpec> specs;
  std::vector<std::optional<Layout>> layouts;
  for (const Shape& shape : shapes) {
    if (!shape.IsArray() || shape.is_dynamic()) {
      return InvalidArgument("data is transferred to static arrays, not to shape %s",
                             shape.ToString());
    }
    specs.push_back({shape.element_type(),
                     DimensionVector(shape.dimensions().begin(), shape.dimensions().end())});
    layouts.push_back(shape.has_layout() ? std::optional<Layout>(shape.layout()) : std::nullopt);
  }
  return CreateBuffersForAsyncHostToDevice(
      specs, std::optional<absl::Span<const std::optional<Layout>>>(layouts), memory_space);
}

absl::StatusOr<std::uintptr_t> PjRtClient::UnsafeBufferPointer(PjRtBuffer* buffer) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<PjRtBuffer::ExternalReference> reference,
                        buffer->AcquireExternalReference());
  return reinterpret_cast<std::uintptr_t>(reference->OpaqueDeviceMemoryDataPointer());
}

}  // namespace xla

namespace tsl {

std::string AllocatorStats::DebugString() const {
  const auto known = [](const std::optional<int64_t>& value) {
    return value.has_value() ? absl::StrCat(*value) : std::string("unknown");
  };
  return absl::StrCat("in use: ", bytes_in_use, " bytes, at most ", peak_bytes_in_use,
                      ", limit: ", known(bytes_limit), ", allocations: ", num_allocs,
                      ", the largest of ", largest_alloc_size, " bytes");
}

}  // namespace tsl
