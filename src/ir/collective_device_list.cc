#include "xla/hlo/ir/collective_device_list.h"

#include <mutex>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "base/status_macros.h"
#include "xla/util.h"

namespace xla {
namespace {

struct MeshAxes {
  Mesh mesh;
  std::vector<AxisRef> axes;
  bool operator==(const MeshAxes& other) const { return mesh == other.mesh && axes == other.axes; }
};

using Groups = std::vector<ReplicaGroup>;

bool SameGroups(const Groups& a, const Groups& b) {
  return absl::c_equal(a, b, [](const ReplicaGroup& x, const ReplicaGroup& y) {
    return absl::c_equal(x.replica_ids(), y.replica_ids());
  });
}

int64_t DevicesPerGroup(const MeshAxes& mesh_axes) {
  int64_t count = 1;
  for (const AxisRef& axis : mesh_axes.axes) count *= axis.size(mesh_axes.mesh);
  return count;
}

Groups Expand(const IotaTileAssignment& iota) {
  Groups groups(iota.dim(0));
  int64_t position = 0;
  for (ReplicaGroup& group : groups) {
    for (int64_t i = 0; i < iota.dim(1); ++i) {
      group.add_replica_ids(iota.value_at_linear(position++));
    }
  }
  return groups;
}

Groups Expand(const MeshAxes& mesh_axes) {
  const int64_t group_size = DevicesPerGroup(mesh_axes);
  const std::vector<int64_t> devices = DevicesByAxes(mesh_axes.mesh, mesh_axes.axes).devices();
  // The axes of the groups come first: device i of group g is at i * groups + g.
  Groups groups(devices.size() / group_size);
  for (size_t i = 0; i < devices.size(); ++i) {
    groups[i % groups.size()].add_replica_ids(devices[i]);
  }
  return groups;
}

IotaReplicaGroupListProto ProtoOf(const IotaTileAssignment& iota) {
  IotaReplicaGroupListProto list;
  list.set_num_replica_groups(iota.dim(0));
  list.set_num_devices_per_group(iota.dim(1));
  for (const int64_t size : iota.reshape_dims()) list.add_iota_reshape_dims(size);
  for (const int dimension : iota.transpose_perm()) list.add_iota_transpose_perm(dimension);
  return list;
}

MeshAxesReplicaGroupListProto ProtoOf(const Mesh& mesh, absl::Span<const AxisRef> axes) {
  MeshAxesReplicaGroupListProto list;
  *list.mutable_mesh() = mesh.ToProto();
  for (const AxisRef& axis : axes) *list.add_axes() = axis.ToProto();
  return list;
}

CollectiveDeviceListProto ProtoOf(const Groups& groups) {
  CollectiveDeviceListProto list;
  list.mutable_replica_groups()->Assign(groups.begin(), groups.end());
  return list;
}

}  // namespace

struct CollectiveDeviceListBase::Data {
  explicit Data(std::variant<Groups, IotaTileAssignment, MeshAxes> form) : form(std::move(form)) {}

  std::variant<Groups, IotaTileAssignment, MeshAxes> form;
  // The groups of the two short forms, written out when they are first asked for.
  mutable std::once_flag is_expanded;
  mutable Groups expanded;
};

CollectiveDeviceListBase::Kind CollectiveDeviceListBase::kind() const {
  return data_ == nullptr ? Kind::kList : static_cast<Kind>(data_->form.index());
}

const std::vector<ReplicaGroup>& CollectiveDeviceListBase::replica_groups() const {
  static const Groups* const none = new Groups();
  if (data_ == nullptr) return *none;
  if (kind() == Kind::kList) return std::get<Groups>(data_->form);
  std::call_once(data_->is_expanded, [this] {
    data_->expanded = iota() != nullptr ? Expand(*iota()) : Expand(std::get<MeshAxes>(data_->form));
  });
  return data_->expanded;
}

std::vector<std::vector<int64_t>> CollectiveDeviceListBase::flattened_replica_groups() const {
  std::vector<std::vector<int64_t>> groups;
  for (const ReplicaGroup& group : replica_groups()) {
    groups.emplace_back(group.replica_ids().begin(), group.replica_ids().end());
  }
  return groups;
}

int64_t CollectiveDeviceListBase::num_replica_groups() const {
  if (iota() != nullptr) return iota()->dim(0);
  if (mesh() != nullptr) return mesh()->num_devices() / num_devices_per_group();
  return static_cast<int64_t>(replica_groups().size());
}

int64_t CollectiveDeviceListBase::num_devices_per_group() const {
  if (iota() != nullptr) return iota()->dim(1);
  if (mesh() != nullptr) return DevicesPerGroup(std::get<MeshAxes>(data_->form));
  return empty() ? 0 : replica_groups().front().replica_ids_size();
}

int64_t CollectiveDeviceListBase::num_total_devices() const {
  if (iota() != nullptr) return iota()->num_elements();
  if (mesh() != nullptr) return mesh()->num_devices();
  int64_t count = 0;
  for (const ReplicaGroup& group : replica_groups()) count += group.replica_ids_size();
  return count;
}

const IotaTileAssignment* CollectiveDeviceListBase::iota() const {
  return data_ == nullptr ? nullptr : std::get_if<IotaTileAssignment>(&data_->form);
}

const Mesh* CollectiveDeviceListBase::mesh() const {
  return kind() == Kind::kMeshAxes ? &std::get<MeshAxes>(data_->form).mesh : nullptr;
}

absl::Span<const AxisRef> CollectiveDeviceListBase::axes() const {
  if (kind() != Kind::kMeshAxes) return {};
  return std::get<MeshAxes>(data_->form).axes;
}

void CollectiveDeviceListBase::Print(Printer* printer, bool print_full_replica_group_list) const {
  if (iota() != nullptr && !print_full_replica_group_list) return iota()->Print(printer);
  if (mesh() != nullptr && !print_full_replica_group_list) {
    mesh()->Print(printer);
    printer->Append(" {");
    AppendJoin(printer, axes(), ",",
               [&](Printer* out, const AxisRef& axis) { axis.Print(out, mesh()); });
    printer->Append("}");
    return;
  }
  printer->Append(ReplicaGroupsToString(replica_groups()));
}

std::string ReplicaGroupsToString(absl::Span<const ReplicaGroup> replica_groups) {
  StringPrinter printer;
  printer.Append("{");
  AppendJoin(&printer, replica_groups, ",", [](Printer* out, const ReplicaGroup& group) {
    out->Append("{");
    out->AppendInt64List(group.replica_ids(), /*leading_comma=*/false);
    out->Append("}");
  });
  printer.Append("}");
  return std::move(printer).ToString();
}

std::string CollectiveDeviceListBase::ToString(bool print_full_replica_group_list) const {
  StringPrinter printer;
  Print(&printer, print_full_replica_group_list);
  return std::move(printer).ToString();
}

void CollectiveDeviceListBase::ToProto(HloInstructionProto* proto) const {
  if (iota() != nullptr) {
    *proto->mutable_iota_collective_device_list() = ProtoOf(*iota());
  } else if (mesh() != nullptr) {
    *proto->mutable_mesh_axes_replica_group_list() = ProtoOf(*mesh(), axes());
  } else {
    *proto->mutable_collective_device_list() = ProtoOf(replica_groups());
  }
}

std::optional<IotaReplicaGroupList> CollectiveDeviceListBase::MaybeConvertToIotaReplicaGroupList()
    const {
  if (iota() != nullptr) return IotaReplicaGroupList(*iota());
  if (mesh() == nullptr) return std::nullopt;
  const TileAssignment groups = DevicesByAxes(*mesh(), axes())
                                    .Reshape({num_devices_per_group(), num_replica_groups()})
                                    .Transpose({1, 0});
  if (!groups.iota().has_value()) return std::nullopt;
  return IotaReplicaGroupList(*groups.iota());
}

std::unique_ptr<CollectiveDeviceListBase> CollectiveDeviceListBase::Clone() const {
  return std::make_unique<CollectiveDeviceList>(*this);
}

std::unique_ptr<CollectiveDeviceListBase> CollectiveDeviceListBase::DeviceListFromProto(
    const HloInstructionProto& proto) {
  return CollectiveDeviceList::FromProto(proto).Clone();
}

bool CollectiveDeviceListBase::operator==(const CollectiveDeviceListBase& other) const {
  if (data_ == other.data_) return true;
  if (kind() != other.kind()) return false;
  switch (kind()) {
    case Kind::kList:
      return SameGroups(replica_groups(), other.replica_groups());
    case Kind::kIota:
      return *iota() == *other.iota();
    case Kind::kMeshAxes:
      return std::get<MeshAxes>(data_->form) == std::get<MeshAxes>(other.data_->form);
  }
  return false;
}

// ---- Lists ------------------------------------------------------------------------------------

CollectiveDeviceList::CollectiveDeviceList(absl::Span<const ReplicaGroup> replica_groups)
    : CollectiveDeviceListBase(nullptr) {
  if (replica_groups.empty()) return;
  data_ = std::make_shared<const Data>(Groups(replica_groups.begin(), replica_groups.end()));
}

CollectiveDeviceList::CollectiveDeviceList(absl::Span<const std::vector<int64_t>> replica_groups)
    : CollectiveDeviceListBase(nullptr) {
  if (replica_groups.empty()) return;
  Groups groups(replica_groups.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i].mutable_replica_ids()->Assign(replica_groups[i].begin(), replica_groups[i].end());
  }
  data_ = std::make_shared<const Data>(std::move(groups));
}

CollectiveDeviceList CollectiveDeviceList::FromProto(const HloInstructionProto& proto) {
  absl::StatusOr<CollectiveDeviceList> list = CreateFromProto(proto);
  CHECK_OK(list.status());
  return *std::move(list);
}

CollectiveDeviceList CollectiveDeviceList::FromProto(const CollectiveDeviceListProto& proto) {
  return CollectiveDeviceList(Groups(proto.replica_groups().begin(), proto.replica_groups().end()));
}

CollectiveDeviceListProto CollectiveDeviceList::ToProto() const {
  return ProtoOf(replica_groups());
}

CollectiveDeviceList ConvertToV1CollectiveDeviceList(const CollectiveDeviceListBase& device_list) {
  return CollectiveDeviceList(device_list.replica_groups());
}

absl::StatusOr<CollectiveDeviceList> CollectiveDeviceList::CreateFromProto(
    const HloInstructionProto& proto) {
  const auto list = [](const auto& groups) {
    return CollectiveDeviceList(std::vector<ReplicaGroup>(groups.begin(), groups.end()));
  };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  if (proto.replica_groups_size() > 0) return list(proto.replica_groups());
#pragma GCC diagnostic pop
  switch (proto.replica_group_list_case()) {
    case HloInstructionProto::kCollectiveDeviceList:
      return list(proto.collective_device_list().replica_groups());
    case HloInstructionProto::kIotaCollectiveDeviceList: {
      const IotaReplicaGroupListProto& iota = proto.iota_collective_device_list();
      const std::vector<int64_t> permutation(iota.iota_transpose_perm().begin(),
                                             iota.iota_transpose_perm().end());
      return IotaReplicaGroupList::Create(iota.num_replica_groups(), iota.num_devices_per_group(),
                                          iota.iota_reshape_dims(), permutation);
    }
    case HloInstructionProto::kMeshAxesReplicaGroupList: {
      const MeshAxesReplicaGroupListProto& mesh_axes = proto.mesh_axes_replica_group_list();
      HILO_ASSIGN_OR_RETURN(Mesh mesh, Mesh::CreateFromProto(mesh_axes.mesh()));
      std::vector<AxisRef> axes;
      for (const AxisRefProto& axis_proto : mesh_axes.axes()) {
        HILO_ASSIGN_OR_RETURN(const AxisRef axis, AxisRef::CreateFromProto(axis_proto));
        axes.push_back(axis);
      }
      return MeshAxesReplicaGroupList::Create(std::move(mesh), std::move(axes));
    }
    case HloInstructionProto::REPLICA_GROUP_LIST_NOT_SET:
      break;
  }
  return CollectiveDeviceList();
}

// ---- Formula ----------------------------------------------------------------------------------

IotaReplicaGroupList::IotaReplicaGroupList(IotaTileAssignment iota)
    : CollectiveDeviceListBase(std::make_shared<const Data>(std::move(iota))) {}

IotaReplicaGroupList::IotaReplicaGroupList(int64_t num_replica_groups,
                                           int64_t num_devices_per_group)
    : IotaReplicaGroupList(
          IotaTileAssignment::Create({num_replica_groups, num_devices_per_group})) {}

IotaReplicaGroupList::IotaReplicaGroupList(int64_t num_replica_groups,
                                           int64_t num_devices_per_group,
                                           absl::Span<const int64_t> iota_reshape_dims,
                                           absl::Span<const int> iota_transpose_perm)
    : IotaReplicaGroupList(IotaTileAssignment::Create({num_replica_groups, num_devices_per_group},
                                                      iota_reshape_dims, iota_transpose_perm)) {}

absl::StatusOr<IotaReplicaGroupList> IotaReplicaGroupList::Create(
    int64_t num_replica_groups, int64_t num_devices_per_group,
    absl::Span<const int64_t> iota_reshape_dims, absl::Span<const int64_t> iota_transpose_perm) {
  HILO_ASSIGN_OR_RETURN(IotaTileAssignment iota, IotaTileAssignment::CreateChecked(
                                                     {num_replica_groups, num_devices_per_group},
                                                     iota_reshape_dims, iota_transpose_perm));
  const absl::Span<const int64_t> counted = iota.reshape_dims();
  if (iota.num_elements() != Product(counted)) {
    return InvalidArgument("%d groups of %d devices do not name each of the devices <=[%s] once",
                           num_replica_groups, num_devices_per_group,
                           absl::StrJoin(counted, ","));
  }
  return IotaReplicaGroupList(std::move(iota));
}

IotaReplicaGroupList::IotaReplicaGroupList(int64_t num_replica_groups,
                                           int64_t num_devices_per_group,
                                           const IotaTileAssignment& iota_tile_assignment)
    : IotaReplicaGroupList(num_replica_groups, num_devices_per_group,
                           iota_tile_assignment.reshape_dims(),
                           iota_tile_assignment.transpose_perm()) {}

IotaReplicaGroupList IotaReplicaGroupList::FromProto(const IotaReplicaGroupListProto& proto) {
  const std::vector<int64_t> permutation(proto.iota_transpose_perm().begin(),
                                         proto.iota_transpose_perm().end());
  absl::StatusOr<IotaReplicaGroupList> list =
      Create(proto.num_replica_groups(), proto.num_devices_per_group(), proto.iota_reshape_dims(),
             permutation);
  CHECK_OK(list.status());
  return *std::move(list);
}

IotaReplicaGroupListProto IotaReplicaGroupList::ToProto() const { return ProtoOf(*iota()); }

// ---- Axes of a mesh ---------------------------------------------------------------------------

MeshAxesReplicaGroupList::MeshAxesReplicaGroupList(Mesh mesh, std::vector<AxisRef> axes)
    : CollectiveDeviceListBase(nullptr) {
  absl::StatusOr<MeshAxesReplicaGroupList> list = Create(std::move(mesh), std::move(axes));
  CHECK_OK(list.status());
  *this = *std::move(list);
}

absl::StatusOr<MeshAxesReplicaGroupList> MeshAxesReplicaGroupList::Create(
    Mesh mesh, std::vector<AxisRef> axes) {
  HILO_RETURN_IF_ERROR(ValidateAxes(axes, mesh));
  HILO_RETURN_IF_ERROR(ValidateAxisList(axes, mesh));
  MeshAxes mesh_axes{std::move(mesh), std::move(axes)};
  if (DevicesPerGroup(mesh_axes) < 2) {
    return InvalidArgument(
        "replica groups along axes of %s have one device each: at least one axis "
        "has to be named",
        mesh_axes.mesh.ToString());
  }
  return MeshAxesReplicaGroupList(std::make_shared<const Data>(std::move(mesh_axes)));
}

MeshAxesReplicaGroupList MeshAxesReplicaGroupList::FromProto(
    const MeshAxesReplicaGroupListProto& proto) {
  std::vector<AxisRef> axes;
  for (const AxisRefProto& axis : proto.axes()) axes.push_back(AxisRef::FromProto(axis));
  return MeshAxesReplicaGroupList(Mesh::FromProto(proto.mesh()), std::move(axes));
}

MeshAxesReplicaGroupListProto MeshAxesReplicaGroupList::ToProto() const {
  return ProtoOf(*mesh(), axes());
}

IotaReplicaGroupList MeshAxesReplicaGroupList::ToIotaReplicaGroupList() const {
  std::optional<IotaReplicaGroupList> formula = MaybeConvertToIotaReplicaGroupList();
  CHECK(formula.has_value()) << ToString() << " is no formula";
  return *std::move(formula);
}

CollectiveDeviceList MeshAxesReplicaGroupList::ToCollectiveDeviceList() const {
  return ConvertToV1CollectiveDeviceList(*this);
}

}  // namespace xla
