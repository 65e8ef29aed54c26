// Devices as points: the axes along which they differ, and arrays that are divided along axes.
#ifndef HILO_PASSES_PARTITION_AXES_H_
#define HILO_PASSES_PARTITION_AXES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/shape.h"

namespace xla::passes {

// A number of DeviceAxes.
using Axis = int;
// Few, and there are several lists for each array: they are kept in place.
using AxisList = absl::InlinedVector<Axis, 4>;
using AxisLists = absl::InlinedVector<AxisList, 4>;

// The axes, in their order, that are not among the others.
AxisList Without(const AxisList& axes, const AxisList& others);
// Whether `list` begins with these.
bool IsPrefix(absl::Span<const Axis> prefix, absl::Span<const Axis> list);

// How an array is divided among devices.
struct Tiling {
  // Which axes divide each dimension, the first changing slowest.
  AxisLists dimensions;
  // Devices along these hold summands of the same elements. Ascending.
  AxisList summands;
  // Along these the program itself divides arrays. Ascending.
  AxisList manual;

  static Tiling Whole(int64_t rank, AxisList manual = {});
  bool IsWhole() const;
  // Every axis that divides a dimension, and the summands.
  AxisList Used() const;
  bool operator==(const Tiling& other) const {
    return dimensions == other.dimensions && summands == other.summands && manual == other.manual;
  }
  bool operator!=(const Tiling& other) const { return !(*this == other); }
  bool operator<(const Tiling& other) const;
};

// All axes that the shardings of a program speak of. Each gives every device a coordinate below the
// axis' size, a prime: longer axes are several. Two shardings that divide an array alike do so
// along the same axes, whatever the meshes were that they came from.
class DeviceAxes {
 public:
  explicit DeviceAxes(int64_t devices) : devices_(devices) {}

  int64_t devices() const { return devices_; }
  int64_t size(Axis axis) const { return axes_[axis].size; }
  // The product of the sizes.
  int64_t size(absl::Span<const Axis> axes) const;
  // The number of the device's tile along axes.
  int64_t Place(absl::Span<const Axis> axes, int64_t device) const;
  // Whether every combination of coordinates belongs to equally many devices.
  bool AreIndependent(AxisList axes) const;
  // Devices in groups. Those of a group differ along `along`, in the order of their places there,
  // and agree along `others`.
  std::vector<std::vector<int64_t>> Groups(absl::Span<const Axis> along,
                                           absl::Span<const Axis> others) const;

  // The meshes that the module's attribute xla.sdy.meshes names, as in
  // {mesh = #sdy.mesh<["x"=2, "y"=4], device_ids=[...]>}. Those for other devices do not count.
  void AddMeshes(const HloModule& module);
  // Leaves out parts of mesh axes, where meshes are known, and what divides a dimension further:
  // callers that know arrays by the names of axes cannot say such.
  void KeepWholeMeshAxes(Tiling& tiling) const;

  // To be called for all shardings of a program before the results are used, as shardings that are
  // manual as a whole are so along all axes. Shardings that leave the array whole on one device or
  // on all, and unknown ones, divide nothing. InvalidArgument where a sharding is for another
  // number of dimensions or devices.
  absl::StatusOr<Tiling> TilingOf(const HloSharding& sharding, int64_t rank);
  // Without manual axes.
  HloSharding ShardingOf(const Tiling& tiling) const;

  // The shape of a device's part. The last part may hold less.
  Shape PartShape(const Shape& whole, const Tiling& tiling) const;
  bool IsEven(const Shape& whole, const Tiling& tiling) const;
  // Where a dimension does not divide into equal parts, the axes from there on are left out.
  void MakeEven(const Shape& whole, Tiling& tiling) const;

 private:
  struct Coordinates {
    int64_t size;
    std::vector<int64_t> of;  // each device
    bool operator==(const Coordinates& other) const { return size == other.size && of == other.of; }
  };

  absl::StatusOr<Tiling> MakeTiling(const HloSharding& sharding, int64_t rank);
  HloSharding MakeSharding(const Tiling& tiling) const;
  std::optional<Axis> Find(const Coordinates& coordinates) const;
  // Adds the axes that together give these coordinates.
  void Split(const Coordinates& coordinates, AxisList& axes);
  std::optional<TileAssignment> ShortAssignment(absl::Span<const AxisList> axes,
                                                absl::Span<const int64_t> sizes) const;
  TileAssignment Assignment(absl::Span<const AxisList> axes, absl::Span<const int64_t> sizes) const;

  int64_t devices_;
  std::vector<Coordinates> axes_;
  std::vector<AxisList> mesh_axes_;
  mutable std::map<AxisList, bool> independent_;
  // What is known as long as there are no more axes than these, by rank.
  std::map<int64_t, absl::flat_hash_map<HloSharding, Tiling>> tilings_;
  mutable std::map<Tiling, HloSharding> shardings_;
};

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_AXES_H_
