#include "passes/partition/axes.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "xla/util.h"

namespace xla::passes {

// ---- Tilings

bool IsPrefix(absl::Span<const Axis> prefix, absl::Span<const Axis> list) {
  return prefix.size() <= list.size() && std::equal(prefix.begin(), prefix.end(), list.begin());
}

AxisList Without(const AxisList& axes, const AxisList& others) {
  AxisList rest;
  for (const Axis axis : axes) {
    if (!absl::c_linear_search(others, axis)) rest.push_back(axis);
  }
  return rest;
}

Tiling Tiling::Whole(int64_t rank, AxisList manual) {
  Tiling tiling;
  tiling.dimensions.resize(rank);
  tiling.manual = std::move(manual);
  return tiling;
}

bool Tiling::IsWhole() const {
  return summands.empty() &&
         absl::c_all_of(dimensions, [](const AxisList& axes) { return axes.empty(); });
}

AxisList Tiling::Used() const {
  AxisList used = summands;
  for (const AxisList& axes : dimensions) used.insert(used.end(), axes.begin(), axes.end());
  return used;
}

bool Tiling::operator<(const Tiling& other) const {
  return std::tie(dimensions, summands, manual) <
         std::tie(other.dimensions, other.summands, other.manual);
}

// ---- Axes

int64_t DeviceAxes::size(absl::Span<const Axis> axes) const {
  int64_t product = 1;
  for (const Axis axis : axes) product *= size(axis);
  return product;
}

int64_t DeviceAxes::Place(absl::Span<const Axis> axes, int64_t device) const {
  int64_t place = 0;
  for (const Axis axis : axes) place = place * size(axis) + axes_[axis].of[device];
  return place;
}

bool DeviceAxes::AreIndependent(AxisList axes) const {
  absl::c_sort(axes);
  const auto known = independent_.find(axes);
  if (known != independent_.end()) return known->second;
  const int64_t combinations = size(axes);
  bool independent = combinations <= devices_ && devices_ % combinations == 0;
  if (independent) {
    std::vector<int64_t> counts(combinations, 0);
    for (int64_t device = 0; device < devices_; ++device) ++counts[Place(axes, device)];
    independent =
        absl::c_all_of(counts, [&](int64_t count) { return count * combinations == devices_; });
  }
  independent_.emplace(std::move(axes), independent);
  return independent;
}

std::vector<std::vector<int64_t>> DeviceAxes::Groups(absl::Span<const Axis> along,
                                                     absl::Span<const Axis> others) const {
  // Of devices that agree along all of these axes, the first belong together, and so on.
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> groups;
  std::map<std::pair<int64_t, int64_t>, int64_t> seen;
  for (int64_t device = 0; device < devices_; ++device) {
    const int64_t others_place = Place(others, device);
    const int64_t place = Place(along, device);
    const int64_t number = seen[{others_place, place}]++;
    std::vector<int64_t>& group = groups[{others_place, number}];
    group.resize(size(along));
    group[place] = device;
  }
  std::vector<std::vector<int64_t>> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

std::optional<Axis> DeviceAxes::Find(const Coordinates& coordinates) const {
  const auto found = absl::c_find(axes_, coordinates);
  if (found == axes_.end()) return std::nullopt;
  return static_cast<Axis>(found - axes_.begin());
}

void DeviceAxes::Split(const Coordinates& coordinates, AxisList& axes) {
  // Of the primes that may come first one whose axis is known, else the least.
  Coordinates first{0, {}};
  for (int64_t prime = 2, rest = coordinates.size; rest > 1; ++prime) {
    if (prime * prime > rest) prime = rest;
    if (rest % prime != 0) continue;
    while (rest % prime == 0) rest /= prime;
    Coordinates leading{prime, {}};
    for (const int64_t place : coordinates.of)
      leading.of.push_back(place / (coordinates.size / prime));
    const bool is_known = Find(leading).has_value();
    if (first.size == 0 || is_known) first = std::move(leading);
    if (is_known) break;
  }
  if (first.size == 0) return;
  Coordinates rest{coordinates.size / first.size, {}};
  for (const int64_t place : coordinates.of) rest.of.push_back(place % rest.size);
  std::optional<Axis> axis = Find(first);
  if (!axis.has_value()) {
    axis = static_cast<Axis>(axes_.size());
    axes_.push_back(std::move(first));
    tilings_.clear();
  }
  axes.push_back(*axis);
  Split(rest, axes);
}

// ---- Shardings

namespace {

// The sizes of the parts of a mesh that each dimension of the assignment is made of, where its
// formula says.
std::vector<std::vector<int64_t>> PartSizes(const TileAssignment& assignment) {
  std::vector<std::vector<int64_t>> sizes(assignment.num_dimensions());
  const std::optional<IotaTileAssignment>& iota = assignment.iota();
  if (iota.has_value()) {
    auto parts = GetOrderedSubDims(iota->dims(), iota->reshape_dims(), iota->transpose_perm());
    if (parts.ok()) {
      absl::c_sort(*parts, [](const SubDimInfo& a, const SubDimInfo& b) {
        return std::pair(a.tile_dim_index, -a.tile_sub_dim_index) <
               std::pair(b.tile_dim_index, -b.tile_sub_dim_index);
      });
      for (const SubDimInfo& part : *parts) sizes[part.tile_dim_index].push_back(part.size);
    }
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t product = 1;
    for (const int64_t size : sizes[i]) product *= size;
    if (product != assignment.dim(i)) sizes[i] = {assignment.dim(i)};
  }
  return sizes;
}

// The numbers behind each '=' of ["x"=2, "y"=4].
std::vector<int64_t> MeshSizes(absl::string_view axes) {
  std::vector<int64_t> sizes;
  bool is_name = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] == '"') is_name = !is_name;
    if (is_name || axes[i] != '=') continue;
    int64_t size = 0;
    const absl::string_view rest = axes.substr(i + 1);
    if (!absl::SimpleAtoi(rest.substr(0, rest.find_first_not_of("0123456789")), &size)) return {};
    sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

void DeviceAxes::AddMeshes(const HloModule& module) {
  const auto& attributes = module.frontend_attributes().map();
  const auto found = attributes.find("xla.sdy.meshes");
  if (found == attributes.end()) return;
  std::vector<std::string> meshes = absl::StrSplit(found->second, "#sdy.mesh<[");
  for (size_t i = 1; i < meshes.size(); ++i) {
    const std::vector<std::string> parts = absl::StrSplit(meshes[i], "device_ids=[");
    const std::vector<int64_t> sizes = MeshSizes(parts[0]);
    int64_t count = 1;
    for (const int64_t size : sizes) {
      if (size < 1 || size > devices_) return;
      count *= size;
      if (count > devices_) return;
    }
    std::vector<int64_t> order(devices_);
    absl::c_iota(order, 0);
    if (count != devices_) continue;
    if (parts.size() > 1) {
      const std::vector<std::string> ids =
          absl::StrSplit(parts[1].substr(0, parts[1].find(']')), ',');
      if (ids.size() != order.size()) continue;
      bool is_valid = true;
      for (size_t k = 0; k < ids.size(); ++k)
        is_valid =
            is_valid && absl::SimpleAtoi(ids[k], &order[k]) && order[k] >= 0 && order[k] < devices_;
      if (!is_valid) continue;
    }
    int64_t stride = devices_;
    for (const int64_t size : sizes) {
      stride /= size;
      Coordinates coordinates{size, std::vector<int64_t>(devices_, 0)};
      for (int64_t place = 0; place < devices_; ++place)
        coordinates.of[order[place]] = place / stride % size;
      Split(coordinates, mesh_axes_.emplace_back());
    }
  }
}

void DeviceAxes::KeepWholeMeshAxes(Tiling& tiling) const {
  if (mesh_axes_.empty()) return;
  for (AxisList& axes : tiling.dimensions) {
    size_t kept = 0;
    const auto extends = [&](const AxisList& axis) {
      return !axis.empty() && kept + axis.size() <= axes.size() &&
             std::equal(axis.begin(), axis.end(), axes.begin() + static_cast<int64_t>(kept));
    };
    for (auto next = absl::c_find_if(mesh_axes_, extends); next != mesh_axes_.end();
         next = absl::c_find_if(mesh_axes_, extends)) {
      kept += next->size();
    }
    axes.resize(kept);
  }
}

absl::StatusOr<Tiling> DeviceAxes::TilingOf(const HloSharding& sharding, int64_t rank) {
  const auto& known = tilings_[rank];
  if (const auto found = known.find(sharding); found != known.end()) return found->second;
  HILO_ASSIGN_OR_RETURN(Tiling tiling, MakeTiling(sharding, rank));
  tilings_[rank].emplace(sharding, tiling);
  return tiling;
}

absl::StatusOr<Tiling> DeviceAxes::MakeTiling(const HloSharding& sharding, int64_t rank) {
  Tiling tiling = Tiling::Whole(rank);
  if (sharding.IsUnreduced() || sharding.IsManual()) {
    Coordinates all{devices_, {}};
    for (int64_t device = 0; device < devices_; ++device) all.of.push_back(device);
    Split(all, tiling.summands);
    absl::c_sort(tiling.summands);
    if (!sharding.IsManual()) return tiling;
    // All axes there are, as whatever divides an array divides it along them.
    tiling.summands.clear();
    for (size_t i = 0; i < axes_.size(); ++i) tiling.manual.push_back(static_cast<Axis>(i));
    return tiling;
  }
  const HloSharding tiled = sharding.IsNamed() ? HloSharding::V3ToV2Sharding(sharding) : sharding;
  if (!tiled.IsTiled()) return tiling;
  const TileAssignment& assignment = tiled.tile_assignment();
  if (assignment.num_elements() != devices_) {
    return InvalidArgument("the sharding %s is for %d devices, but the program has %d partitions",
                           sharding.ToString(), assignment.num_elements(), devices_);
  }
  if (tiled.TiledDataRank() != rank) {
    return InvalidArgument("the sharding %s does not fit an array of %d dimensions",
                           sharding.ToString(), rank);
  }
  std::vector<Coordinates> places(assignment.num_dimensions());
  for (size_t i = 0; i < places.size(); ++i)
    places[i] = {assignment.dim(i), std::vector<int64_t>(devices_, -1)};
  bool is_valid = true;
  assignment.Each([&](absl::Span<const int64_t> tile, int64_t device) {
    is_valid = is_valid && 0 <= device && device < devices_;
    for (size_t i = 0; is_valid && i < places.size(); ++i) places[i].of[device] = tile[i];
  });
  if (!is_valid) {
    return InvalidArgument("the sharding %s names devices beyond the %d partitions",
                           sharding.ToString(), devices_);
  }
  const std::vector<std::vector<int64_t>> sizes = PartSizes(assignment);
  const auto split = [&](size_t dimension, AxisList& axes) {
    Coordinates rest = places[dimension];
    for (const int64_t size : sizes[dimension]) {
      Coordinates part{size, rest.of};
      rest.size /= size;
      for (int64_t& place : part.of) place /= rest.size;
      for (int64_t& place : rest.of) place %= rest.size;
      Split(part, axes);
    }
  };
  for (int64_t i = 0; i < rank; ++i) split(i, tiling.dimensions[i]);
  if (tiled.ReplicateOnLastTileDim()) return tiling;
  for (size_t i = 0; i < tiled.subgroup_types().size(); ++i) {
    const OpSharding::Type type = tiled.subgroup_types()[i];
    if (type == OpSharding::UNREDUCED) split(rank + i, tiling.summands);
    if (type == OpSharding::MANUAL) split(rank + i, tiling.manual);
  }
  absl::c_sort(tiling.summands);
  absl::c_sort(tiling.manual);
  return tiling;
}

// As a formula, where each axis is a digit of the device's number.
std::optional<TileAssignment> DeviceAxes::ShortAssignment(absl::Span<const AxisList> axes,
                                                          absl::Span<const int64_t> sizes) const {
  struct Digit {
    int64_t stride, size;
    size_t place;  // in the order of the tiles
  };
  std::vector<Digit> digits;
  for (const AxisList& list : axes) {
    for (const Axis axis : list) {
      const Coordinates& coordinates = axes_[axis];
      const auto one = absl::c_find(coordinates.of, 1);
      const int64_t stride = one - coordinates.of.begin();
      if (stride == 0) return std::nullopt;
      for (int64_t device = 0; device < devices_; ++device) {
        if (coordinates.of[device] != device / stride % coordinates.size) return std::nullopt;
      }
      digits.push_back({stride, coordinates.size, digits.size()});
    }
  }
  absl::c_sort(digits, [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
  // What no axis takes follows behind all of them.
  std::vector<int64_t> reshape_dims, order(digits.size()), rest;
  int64_t above = devices_;
  const auto skip_to = [&](int64_t stride) {
    if (above % stride != 0) return false;
    if (above == stride) return true;
    rest.push_back(static_cast<int64_t>(reshape_dims.size()));
    reshape_dims.push_back(above / stride);
    above = stride;
    return true;
  };
  for (const Digit& digit : digits) {
    if (!skip_to(digit.stride * digit.size)) return std::nullopt;
    order[digit.place] = static_cast<int64_t>(reshape_dims.size());
    reshape_dims.push_back(digit.size);
    above = digit.stride;
  }
  if (!skip_to(1)) return std::nullopt;
  order.insert(order.end(), rest.begin(), rest.end());
  auto iota = IotaTileAssignment::CreateChecked(sizes, reshape_dims, order);
  if (!iota.ok()) return std::nullopt;
  return TileAssignment(*std::move(iota));
}

TileAssignment DeviceAxes::Assignment(absl::Span<const AxisList> axes,
                                      absl::Span<const int64_t> sizes) const {
  if (auto assignment = ShortAssignment(axes, sizes)) return *std::move(assignment);
  AxisList all;
  for (const AxisList& list : axes) all.insert(all.end(), list.begin(), list.end());
  const int64_t alike = devices_ / size(all);
  std::vector<int64_t> devices(devices_), seen(size(all), 0);
  for (int64_t device = 0; device < devices_; ++device) {
    const int64_t tile = Place(all, device);
    devices[tile * alike + seen[tile]++] = device;
  }
  Array<int64_t> array(sizes);
  int64_t next = 0;
  array.Each([&](absl::Span<const int64_t>, int64_t* device) { *device = devices[next++]; });
  return TileAssignment(std::move(array));
}

HloSharding DeviceAxes::ShardingOf(const Tiling& tiling) const {
  const auto known = shardings_.find(tiling);
  if (known != shardings_.end()) return known->second;
  return shardings_.emplace(tiling, MakeSharding(tiling)).first->second;
}

HloSharding DeviceAxes::MakeSharding(const Tiling& tiling) const {
  if (tiling.IsWhole()) return HloSharding::Replicate();
  AxisLists axes = tiling.dimensions;
  std::vector<OpSharding::Type> subgroups;
  if (!tiling.summands.empty()) {
    axes.push_back(tiling.summands);
    subgroups.push_back(OpSharding::UNREDUCED);
    if (size(tiling.summands) == devices_) return HloSharding::Unreduced();
  }
  std::vector<int64_t> sizes;
  int64_t alike = devices_;
  for (const AxisList& list : axes) {
    sizes.push_back(size(list));
    alike /= sizes.back();
  }
  if (alike > 1) {
    sizes.push_back(alike);
    subgroups.push_back(OpSharding::REPLICATED);
  }
  const TileAssignment assignment = Assignment(axes, sizes);
  return subgroups.empty() ? HloSharding::Tile(assignment)
                           : HloSharding::Subgroup(assignment, subgroups);
}

Shape DeviceAxes::PartShape(const Shape& whole, const Tiling& tiling) const {
  Shape part = whole;
  for (size_t i = 0; i < tiling.dimensions.size(); ++i) {
    if (!tiling.dimensions[i].empty())
      part.set_dimensions(i, CeilOfRatio(whole.dimensions(i), size(tiling.dimensions[i])));
  }
  return part;
}

bool DeviceAxes::IsEven(const Shape& whole, const Tiling& tiling) const {
  for (size_t i = 0; i < tiling.dimensions.size(); ++i) {
    if (whole.dimensions(i) % size(tiling.dimensions[i]) != 0) return false;
  }
  return true;
}

void DeviceAxes::MakeEven(const Shape& whole, Tiling& tiling) const {
  for (size_t i = 0; i < tiling.dimensions.size(); ++i) {
    AxisList& axes = tiling.dimensions[i];
    while (whole.dimensions(i) % size(axes) != 0) axes.pop_back();
  }
}

}  // namespace xla::passes
