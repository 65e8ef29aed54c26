#include "xla/hlo/ir/mesh_and_axis.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/log/check.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/checked_math.h"
#include "xla/util.h"

namespace xla {
namespace {

// A name made of digits would be read as the number of an axis, and text has no way to write a
// quote.
absl::Status ValidateAxisName(absl::string_view name) {
  if (name.empty()) return InvalidArgument("a mesh axis has an empty name");
  if (absl::c_all_of(name, absl::ascii_isdigit)) {
    return InvalidArgument("mesh axis '%s' is called like the number of an axis", name);
  }
  for (const char c : name) {
    if (c == '\'' || c == '"' || c == '\\' || absl::ascii_iscntrl(c)) {
      return InvalidArgument(
          "mesh axis \"%s\" has a quote, backslash or control character in its name",
          absl::CEscape(name));
    }
  }
  return absl::OkStatus();
}

// Devices 0, 1, 2, ... as a formula even if they were listed.
TileAssignment WithFormula(TileAssignment devices) {
  if (devices.iota().has_value()) return devices;
  TileAssignment formula(devices.dimensions());
  return formula == devices ? formula : devices;
}

bool CountsUp(const TileAssignment& devices) {
  return devices.iota().has_value() && devices.iota()->reshape_dims().size() == 1;
}

}  // namespace

// ---- Mesh -------------------------------------------------------------------------------------

Mesh::Mesh() : device_assignment_(absl::Span<const int64_t>()) {}

Mesh::Mesh(int64_t device_id)
    : device_assignment_(Array<int64_t>(absl::Span<const int64_t>(), device_id)),
      is_maximal_(true) {
  CHECK_GE(device_id, 0);
}

void Mesh::Initialize(TileAssignment devices, absl::Span<const absl::string_view> axis_names) {
  absl::StatusOr<Mesh> mesh = Create(std::move(devices), {axis_names.begin(), axis_names.end()});
  CHECK_OK(mesh.status());
  *this = *std::move(mesh);
}

Mesh::Mesh(absl::Span<const int64_t> axis_sizes, absl::Span<const absl::string_view> axis_names) {
  Initialize(TileAssignment(axis_sizes), axis_names);
}

absl::StatusOr<Mesh> Mesh::Create(TileAssignment device_assignment,
                                  std::vector<std::string> axis_names) {
  if (device_assignment.num_dimensions() != static_cast<int64_t>(axis_names.size())) {
    return InvalidArgument("a mesh of %d dimensions has %d axis names",
                           device_assignment.num_dimensions(), axis_names.size());
  }
  absl::flat_hash_set<absl::string_view> names;
  for (const std::string& name : axis_names) {
    HILO_RETURN_IF_ERROR(ValidateAxisName(name));
    if (!names.insert(name).second) return InvalidArgument("mesh axis '%s' stands twice", name);
  }
  if (!device_assignment.iota().has_value()) {
    absl::flat_hash_set<int64_t> devices;
    for (const int64_t device : device_assignment.devices()) {
      if (device < 0) return InvalidArgument("device %d of a mesh is negative", device);
      if (device >= device_assignment.num_elements()) {
        return InvalidArgument(
            "device %d of a mesh of %d devices: they are 0, 1, 2, ... in any order", device,
            device_assignment.num_elements());
      }
      if (!devices.insert(device).second) {
        return InvalidArgument("device %d stands twice in a mesh", device);
      }
    }
  }
  Mesh mesh;
  mesh.device_assignment_ = WithFormula(std::move(device_assignment));
  mesh.axis_names_ = std::move(axis_names);
  return mesh;
}

absl::StatusOr<Mesh> Mesh::Create(absl::Span<const int64_t> axis_sizes,
                                  std::vector<std::string> axis_names) {
  HILO_ASSIGN_OR_RETURN(IotaTileAssignment devices,
                        IotaTileAssignment::CreateChecked(axis_sizes, axis_sizes, {}));
  return Create(TileAssignment(std::move(devices)), std::move(axis_names));
}

Mesh Mesh::FromProto(const MeshProto& proto) {
  absl::StatusOr<Mesh> mesh = CreateFromProto(proto);
  CHECK_OK(mesh.status());
  return *std::move(mesh);
}

absl::StatusOr<Mesh> Mesh::CreateFromProto(const MeshProto& proto) {
  std::vector<int64_t> sizes;
  std::vector<std::string> names;
  for (const MeshProto::MeshAxis& axis : proto.axes()) {
    sizes.push_back(axis.size());
    names.push_back(axis.name());
  }
  if (proto.has_iota_transform()) {
    if (proto.device_ids_size() > 0) {
      return InvalidArgument("a mesh has both device_ids and iota_transform");
    }
    HILO_ASSIGN_OR_RETURN(TileAssignment devices, TileAssignment::CreateChecked(
                                                      sizes, proto.iota_transform().reshape_dims(),
                                                      proto.iota_transform().transpose_perm()));
    return Create(std::move(devices), std::move(names));
  }
  if (proto.device_ids_size() == 0) return Create(sizes, std::move(names));
  if (sizes.empty() && proto.device_ids_size() == 1) {
    if (proto.device_ids(0) < 0) {
      return InvalidArgument("device %d of a maximal mesh is negative", proto.device_ids(0));
    }
    return Mesh(proto.device_ids(0));
  }
  HILO_ASSIGN_OR_RETURN(TileAssignment devices,
                        TileAssignment::CreateChecked(sizes, proto.device_ids()));
  return Create(std::move(devices), std::move(names));
}

MeshProto Mesh::ToProto() const {
  MeshProto proto;
  for (int64_t i = 0; i < num_axes(); ++i) {
    MeshProto::MeshAxis* axis = proto.add_axes();
    axis->set_name(axis_names_[i]);
    axis->set_size(axis_size(i));
  }
  if (CountsUp(device_assignment_)) return proto;
  if (device_assignment_.iota().has_value()) {
    const IotaTileAssignment& iota = *device_assignment_.iota();
    MeshProto::IotaTransform* transform = proto.mutable_iota_transform();
    for (const int64_t size : iota.reshape_dims()) transform->add_reshape_dims(size);
    for (const int dimension : iota.transpose_perm()) transform->add_transpose_perm(dimension);
  } else {
    for (const int64_t device : device_assignment_.devices()) proto.add_device_ids(device);
  }
  return proto;
}

std::optional<int64_t> Mesh::AxisIndex(absl::string_view name) const {
  const auto found = absl::c_find(axis_names_, name);
  if (found == axis_names_.end()) return std::nullopt;
  return found - axis_names_.begin();
}

bool Mesh::ContainsAllMeshAxesInOrder(absl::Span<const AxisRef> axes) const {
  const auto is_trivial = [this](int64_t axis) { return axis_size(axis) == 1; };
  int64_t next = 0;
  for (const AxisRef& axis : axes) {
    if (axis.sub_axis_info().has_value()) return false;
    if (is_trivial(axis.mesh_axis_index())) continue;
    while (next < num_axes() && is_trivial(next)) ++next;
    if (next == num_axes() || axis.mesh_axis_index() != next++) return false;
  }
  while (next < num_axes() && is_trivial(next)) ++next;
  return next == num_axes();
}

std::ostream& operator<<(std::ostream& out, const Mesh& mesh) { return out << mesh.ToString(); }

void Mesh::Print(Printer* printer) const {
  if (is_maximal_) {
    return AppendCat(printer, "maximal_mesh[device_id=", device_assignment_.first(), "]");
  }
  printer->Append("mesh[");
  for (int64_t i = 0; i < num_axes(); ++i) {
    AppendCat(printer, i > 0 ? ",'" : "'", axis_names_[i], "'=", axis_size(i));
  }
  printer->Append("]");
  if (CountsUp(device_assignment_)) return;
  printer->Append(", device_ids=(");
  if (device_assignment_.iota().has_value()) {
    const IotaTileAssignment& iota = *device_assignment_.iota();
    printer->Append("[");
    printer->AppendInt64List(iota.reshape_dims(), /*leading_comma=*/false);
    AppendCat(printer, "]T(", absl::StrJoin(iota.transpose_perm(), ","), ")");
  } else {
    printer->AppendInt64List(device_assignment_.devices(), /*leading_comma=*/false);
  }
  printer->Append(")");
}

std::string Mesh::ToString() const {
  StringPrinter printer;
  Print(&printer);
  return std::move(printer).ToString();
}

// ---- AxisRef ----------------------------------------------------------------------------------

namespace {

absl::Status ValidateSubAxis(const AxisRef::SubAxis& part) {
  int64_t next_pre_size;
  if (part.pre_size < 1) {
    return InvalidArgument("sub-axis pre-size must be >= 1, got %d", part.pre_size);
  }
  if (part.size < 2) return InvalidArgument("sub-axis size must be > 1, got %d", part.size);
  if (!CheckedMultiply(part.pre_size, part.size, &next_pre_size)) {
    return InvalidArgument("sub-axis (%d)%d overflows", part.pre_size, part.size);
  }
  return absl::OkStatus();
}

}  // namespace

AxisRef::AxisRef(int64_t mesh_axis_index, SubAxis sub_axis)
    : mesh_axis_index_(mesh_axis_index), sub_axis_(sub_axis) {
  CHECK_OK(ValidateSubAxis(sub_axis));
}

absl::StatusOr<AxisRef> AxisRef::Create(int64_t mesh_axis_index, SubAxis sub_axis) {
  HILO_RETURN_IF_ERROR(ValidateSubAxis(sub_axis));
  return AxisRef(mesh_axis_index, sub_axis);
}

absl::StatusOr<AxisRef> AxisRef::CreateFromProto(const AxisRefProto& proto) {
  if (!proto.has_sub_axis_info()) return AxisRef(proto.mesh_axis_index());
  return Create(proto.mesh_axis_index(),
                {proto.sub_axis_info().pre_size(), proto.sub_axis_info().size()});
}

AxisRef AxisRef::FromProto(const AxisRefProto& proto) {
  const absl::StatusOr<AxisRef> axis = CreateFromProto(proto);
  CHECK_OK(axis.status());
  return *axis;
}

AxisRefProto AxisRef::ToProto() const {
  AxisRefProto proto;
  proto.set_mesh_axis_index(mesh_axis_index_);
  if (sub_axis_.has_value()) {
    proto.mutable_sub_axis_info()->set_pre_size(sub_axis_->pre_size);
    proto.mutable_sub_axis_info()->set_size(sub_axis_->size);
  }
  return proto;
}

bool AxisRef::Overlaps(const AxisRef& other) const {
  if (mesh_axis_index_ != other.mesh_axis_index_) return false;
  if (!sub_axis_.has_value() || !other.sub_axis_.has_value()) return true;
  return sub_axis_->pre_size < other.sub_axis_->next_pre_size() &&
         other.sub_axis_->pre_size < sub_axis_->next_pre_size();
}

bool AxisRef::CanCoexist(const AxisRef& other) const {
  if (mesh_axis_index_ != other.mesh_axis_index_) return true;
  if (!sub_axis_.has_value() || !other.sub_axis_.has_value()) return true;
  // Where the parts begin and end are the places to cut; each has to divide the next.
  std::array<int64_t, 4> cuts = {sub_axis_->pre_size, sub_axis_->next_pre_size(),
                                 other.sub_axis_->pre_size, other.sub_axis_->next_pre_size()};
  absl::c_sort(cuts);
  return cuts[1] % cuts[0] == 0 && cuts[2] % cuts[1] == 0 && cuts[3] % cuts[2] == 0;
}

std::optional<AxisRef> AxisRef::GetPrefixWithoutOverlap(const AxisRef& other) const {
  if (!Overlaps(other)) return *this;
  const int64_t begin = pre_size(), end = other.pre_size();
  if (end <= begin || end % begin != 0) return std::nullopt;
  return AxisRef(mesh_axis_index_, {begin, end / begin});
}

bool AxisRef::CanMerge(const AxisRef& other) const {
  return mesh_axis_index_ == other.mesh_axis_index_ && sub_axis_.has_value() &&
         other.sub_axis_.has_value() && sub_axis_->next_pre_size() == other.sub_axis_->pre_size;
}

bool AxisRef::Merge(const AxisRef& other, const Mesh& mesh) {
  if (!CanMerge(other)) return false;
  const SubAxis merged = {sub_axis_->pre_size, sub_axis_->size * other.sub_axis_->size};
  if (merged.size == mesh.axis_size(mesh_axis_index_)) {
    sub_axis_.reset();
  } else {
    sub_axis_ = merged;
  }
  return true;
}

bool AxisRef::operator<(const AxisRef& other) const {
  const auto key = [](const AxisRef& axis) {
    return std::make_tuple(
        axis.mesh_axis_index_, axis.pre_size(),
        axis.sub_axis_.has_value() ? axis.sub_axis_->size : std::numeric_limits<int64_t>::max());
  };
  return key(*this) < key(other);
}

std::ostream& operator<<(std::ostream& out, const AxisRef& axis) { return out << axis.ToString(); }

absl::Status AxisRef::Validate(const Mesh& mesh) const {
  if (mesh_axis_index_ < 0 || mesh_axis_index_ >= mesh.num_axes()) {
    return InvalidArgument("axis %d is not one of the %d axes of %s", mesh_axis_index_,
                           mesh.num_axes(), mesh.ToString());
  }
  if (!sub_axis_.has_value()) return absl::OkStatus();
  const int64_t full_size = mesh.axis_size(mesh_axis_index_);
  if (sub_axis_->size >= full_size || full_size % sub_axis_->next_pre_size() != 0) {
    return InvalidArgument("%s is not a proper part of an axis of size %d", ToString(&mesh),
                           full_size);
  }
  return absl::OkStatus();
}

void AxisRef::Print(Printer* printer, const Mesh* mesh) const {
  if (mesh != nullptr && mesh_axis_index_ >= 0 && mesh_axis_index_ < mesh->num_axes()) {
    AppendCat(printer, "'", mesh->axis_names()[mesh_axis_index_], "'");
  } else {
    printer->Append(mesh_axis_index_);
  }
  if (sub_axis_.has_value()) AppendCat(printer, ":(", sub_axis_->pre_size, ")", sub_axis_->size);
}

std::string AxisRef::ToString(const Mesh* mesh) const {
  StringPrinter printer;
  Print(&printer, mesh);
  return std::move(printer).ToString();
}

// ---- Several axes -----------------------------------------------------------------------------

bool AxesCanCoexistWithoutOverlap(absl::Span<const AxisRef> axes) {
  std::vector<AxisRef> sorted(axes.begin(), axes.end());
  absl::c_sort(sorted);
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (!sorted[i - 1].CanCoexistWithoutOverlap(sorted[i])) return false;
  }
  return true;
}

absl::Status ValidateAxes(absl::Span<const AxisRef> axes, const Mesh& mesh) {
  for (const AxisRef& axis : axes) HILO_RETURN_IF_ERROR(axis.Validate(mesh));
  std::vector<AxisRef> sorted(axes.begin(), axes.end());
  absl::c_sort(sorted);
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (!sorted[i - 1].CanCoexistWithoutOverlap(sorted[i])) {
      return InvalidArgument("axes %s and %s of %s overlap", sorted[i - 1].ToString(mesh),
                             sorted[i].ToString(mesh), mesh.ToString());
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateSpanOfAxes(absl::Span<const AxisRef> axes, const Mesh& mesh,
                                bool allow_mergeable_neighbors) {
  HILO_RETURN_IF_ERROR(ValidateAxes(axes, mesh));
  return allow_mergeable_neighbors ? absl::OkStatus() : ValidateAxisList(axes, mesh);
}

void MergeAxes(std::vector<AxisRef>& axes, const Mesh& mesh) {
  std::vector<AxisRef> merged;
  for (const AxisRef& axis : axes) {
    CHECK(merged.empty() || !merged.back().Overlaps(axis))
        << merged.back().ToString(mesh) << " and " << axis.ToString(mesh) << " overlap";
    if (merged.empty() || !merged.back().Merge(axis, mesh)) merged.push_back(axis);
  }
  axes = std::move(merged);
}

void SortAndMergeAxes(std::vector<AxisRef>& axes, const Mesh& mesh) {
  absl::c_sort(axes);
  MergeAxes(axes, mesh);
}

bool TruncateAxesByRemovingOverlaps(std::vector<AxisRef>& axes,
                                    absl::Span<const AxisRef> other_axis_refs) {
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<AxisRef> kept = axes[i];
    for (const AxisRef& other : other_axis_refs) {
      if (kept.has_value()) kept = kept->GetPrefixWithoutOverlap(other);
    }
    if (kept == axes[i]) continue;
    axes.resize(i + (kept.has_value() ? 1 : 0), axes[i]);
    if (kept.has_value()) axes[i] = *kept;
    return true;
  }
  return false;
}

absl::Status ValidateAxisList(absl::Span<const AxisRef> axes, const Mesh& mesh) {
  for (size_t i = 1; i < axes.size(); ++i) {
    if (axes[i - 1].CanMerge(axes[i])) {
      return InvalidArgument("axes %s and %s are neighbours and have to be written as one",
                             axes[i - 1].ToString(mesh), axes[i].ToString(mesh));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateAxisSet(absl::Span<const AxisRef> axes, const Mesh& mesh) {
  if (!absl::c_is_sorted(axes)) {
    return InvalidArgument("the axes %s are not in the order of %s",
                           absl::StrJoin(axes, ",",
                                         [&](std::string* out, const AxisRef& axis) {
                                           absl::StrAppend(out, axis.ToString(mesh));
                                         }),
                           mesh.ToString());
  }
  return ValidateAxisList(axes, mesh);
}

TileAssignment DevicesByAxes(const Mesh& mesh, absl::Span<const AxisRef> axes) {
  // Where each axis has to be cut, as products of the sizes before the cut.
  std::vector<std::vector<int64_t>> cuts(mesh.num_axes());
  for (int64_t i = 0; i < mesh.num_axes(); ++i) cuts[i] = {1, mesh.axis_size(i)};
  for (const AxisRef& axis : axes) {
    if (!axis.sub_axis_info().has_value()) continue;
    cuts[axis.mesh_axis_index()].push_back(axis.sub_axis_info()->pre_size);
    cuts[axis.mesh_axis_index()].push_back(axis.sub_axis_info()->next_pre_size());
  }
  std::vector<int64_t> sizes;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, int> position;  // By axis and pre-size.
  for (int64_t i = 0; i < mesh.num_axes(); ++i) {
    absl::c_sort(cuts[i]);
    cuts[i].erase(std::unique(cuts[i].begin(), cuts[i].end()), cuts[i].end());
    if (cuts[i].size() == 1) cuts[i].push_back(1);  // An axis of size 1.
    for (size_t c = 0; c + 1 < cuts[i].size(); ++c) {
      position[{i, cuts[i][c]}] = static_cast<int>(sizes.size());
      sizes.push_back(cuts[i][c + 1] / cuts[i][c]);
    }
  }
  std::vector<int> permutation;
  std::vector<bool> is_used(sizes.size(), false);
  for (const AxisRef& axis : axes) {
    permutation.push_back(position.at({axis.mesh_axis_index(), axis.pre_size()}));
    is_used[permutation.back()] = true;
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!is_used[i]) permutation.push_back(static_cast<int>(i));
  }
  return mesh.device_assignment().Reshape(sizes).Transpose(permutation);
}

}  // namespace xla
