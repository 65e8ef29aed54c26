#include "device/device_arrays.h"

#include <cstring>
#include <vector>

#include "base/status_macros.h"
#include "data/literal_borrow.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using stream_executor::DeviceAddressBase;

absl::Status CheckSize(const Shape& array, const DeviceAddressBase& memory) {
  const int64_t wanted = DeviceByteSize(array);
  if (static_cast<int64_t>(memory.size()) >= wanted) return absl::OkStatus();
  return InvalidArgument("an array of shape %s takes %d bytes, but its memory has %d",
                         ShapeUtil::HumanStringWithLayout(array), wanted, memory.size());
}

int32_t* SizesOf(const Shape& array, const DeviceAddressBase& memory) {
  // Any address; the copies below go byte by byte.
  return reinterpret_cast<int32_t*>(static_cast<char*>(memory.opaque()) +
                                    ShapeUtil::ByteSizeOf(ShapeUtil::MakeStaticShape(array)));
}

}  // namespace

int64_t DeviceByteSize(const Shape& array) {
  if (!array.IsArray()) return 0;
  const int64_t elements = ShapeUtil::ByteSizeOf(ShapeUtil::MakeStaticShape(array));
  const int64_t sizes =
      array.is_static() ? 0 : array.dimensions_size() * static_cast<int64_t>(sizeof(int32_t));
  return elements + sizes;
}

absl::StatusOr<Literal> BorrowDeviceArray(const Shape& array, const DeviceAddressBase& memory) {
  HILO_RETURN_IF_ERROR(CheckSize(array, memory));
  Literal borrowed = BorrowArray(array, memory.opaque());
  if (array.is_static()) return borrowed;
  std::vector<int32_t> sizes(array.dimensions_size());
  std::memcpy(sizes.data(), SizesOf(array, memory), sizes.size() * sizeof(int32_t));
  for (int d = 0; d < array.dimensions_size(); ++d) {
    if (!array.is_dynamic_dimension(d)) continue;
    if (sizes[d] < 0 || sizes[d] > array.dimensions(d)) {
      return InvalidArgument(
          "an array of shape %s in memory of a device has size %d in dimension %d",
          ShapeUtil::HumanString(array), sizes[d], d);
    }
    borrowed.SetDynamicSize(d, sizes[d]);
  }
  return borrowed;
}

void WriteDynamicSizes(const LiteralSlice& value, const Shape& array,
                       const DeviceAddressBase& memory) {
  if (array.is_static()) return;
  std::vector<int32_t> sizes;
  for (int d = 0; d < array.dimensions_size(); ++d)
    sizes.push_back(static_cast<int32_t>(value.GetDynamicSize(d)));
  std::memcpy(SizesOf(array, memory), sizes.data(), sizes.size() * sizeof(int32_t));
}

absl::Status WriteDeviceArray(const LiteralSlice& value, const Shape& array,
                              const DeviceAddressBase& memory) {
  if (!ShapeUtil::Compatible(value.shape(), array)) {
    return InvalidArgument("a value of shape %s does not fit an array of shape %s",
                           ShapeUtil::HumanString(value.shape()), ShapeUtil::HumanString(array));
  }
  HILO_RETURN_IF_ERROR(CheckSize(array, memory));
  Literal target = BorrowArray(array, memory.opaque());
  HILO_RETURN_IF_ERROR(target.CopyFrom(value));
  WriteDynamicSizes(value, array, memory);
  return absl::OkStatus();
}

}  // namespace xla
