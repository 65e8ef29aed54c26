// The groups of devices among which a collective operation communicates.
#ifndef XLA_HLO_IR_COLLECTIVE_DEVICE_LIST_H_
#define XLA_HLO_IR_COLLECTIVE_DEVICE_LIST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/hlo/ir/tile_assignment.h"
#include "xla/printer.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {

class IotaReplicaGroupList;

// How a list is written in protos.
enum class CollectiveDeviceListVersion { kListOfLists, kIota, kMeshAxes };

// A list of groups in any of three forms: written out, as a formula over 0, 1, 2, ..., or as axes
// of a mesh. An immutable value that is cheap to copy; the classes below only add ways to make one,
// so that a function which takes this class by reference takes them all.
class CollectiveDeviceListBase {
 public:
  enum class Kind { kList, kIota, kMeshAxes };

  Kind kind() const;
  CollectiveDeviceListVersion version() const {
    return static_cast<CollectiveDeviceListVersion>(kind());
  }
  // No groups: all devices in one group.
  bool empty() const { return num_replica_groups() == 0; }

  // All groups, whatever the form.
  const std::vector<ReplicaGroup>& replica_groups() const;
  std::vector<std::vector<int64_t>> flattened_replica_groups() const;
  int64_t num_replica_groups() const;
  // The size of the first group, 0 when there is none.
  int64_t num_devices_per_group() const;
  int64_t num_total_devices() const;

  // Of the formula: dims() are groups and devices in a group. Null for other kinds.
  const IotaTileAssignment* iota() const;
  // Of the axes form: a group has the devices along `axes`. Null for other kinds.
  const Mesh* mesh() const;
  absl::Span<const AxisRef> axes() const;

  // "{{0,1},{2,3}}", "[2,2]<=[4]" or "mesh['x'=2,'y'=4] {'x','y':(1)2}"; always the first when
  // print_full_replica_group_list.
  void Print(Printer* printer, bool print_full_replica_group_list = false) const;
  std::string ToString(bool print_full_replica_group_list = false) const;

  // The same groups as a formula, where the form is one or the axes of a mesh that make one.
  std::optional<IotaReplicaGroupList> MaybeConvertToIotaReplicaGroupList() const;

  std::unique_ptr<CollectiveDeviceListBase> Clone() const;
  // CHECKs what CollectiveDeviceList::CreateFromProto reports.
  static std::unique_ptr<CollectiveDeviceListBase> DeviceListFromProto(
      const HloInstructionProto& proto);
  // Sets the field of the instruction that belongs to the form.
  void ToProto(HloInstructionProto* proto) const;

  // Equal when they have the same form and say the same.
  bool operator==(const CollectiveDeviceListBase& other) const;
  bool operator!=(const CollectiveDeviceListBase& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const CollectiveDeviceListBase& list) {
    return H::combine(std::move(h), list.ToString());
  }

 protected:
  struct Data;
  explicit CollectiveDeviceListBase(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  // Null when there are no groups.
  std::shared_ptr<const Data> data_;
};

// Groups that are written out, or any list read from somewhere.
class CollectiveDeviceList : public CollectiveDeviceListBase {
 public:
  CollectiveDeviceList() : CollectiveDeviceListBase(nullptr) {}
  CollectiveDeviceList(const CollectiveDeviceListBase& list)  // NOLINT(google-explicit-constructor)
      : CollectiveDeviceListBase(list) {}
  explicit CollectiveDeviceList(absl::Span<const ReplicaGroup> replica_groups);
  explicit CollectiveDeviceList(absl::Span<const std::vector<int64_t>> replica_groups);

  // The list of an instruction. Field 49, which old writers used, wins when it is there;
  // InvalidArgument for a formula or a mesh that does not hold together.
  static absl::StatusOr<CollectiveDeviceList> CreateFromProto(const HloInstructionProto& proto);
  // CHECKs what CreateFromProto reports.
  static CollectiveDeviceList FromProto(const HloInstructionProto& proto);
  static CollectiveDeviceList FromProto(const CollectiveDeviceListProto& proto);
  using CollectiveDeviceListBase::ToProto;
  // All groups, written out.
  CollectiveDeviceListProto ToProto() const;
};

// num_replica_groups groups of num_devices_per_group devices.
class IotaReplicaGroupList : public CollectiveDeviceListBase {
 public:
  // {0, 1, ...}, {n, n + 1, ...}, ... These two CHECK what Create reports.
  IotaReplicaGroupList(int64_t num_replica_groups, int64_t num_devices_per_group);
  IotaReplicaGroupList(int64_t num_replica_groups, int64_t num_devices_per_group,
                       absl::Span<const int64_t> iota_reshape_dims,
                       absl::Span<const int> iota_transpose_perm);
  static absl::StatusOr<IotaReplicaGroupList> Create(int64_t num_replica_groups,
                                                     int64_t num_devices_per_group,
                                                     absl::Span<const int64_t> iota_reshape_dims,
                                                     absl::Span<const int64_t> iota_transpose_perm);
  // The formula has two dimensions: groups and devices in a group.
  IotaReplicaGroupList(int64_t num_replica_groups, int64_t num_devices_per_group,
                       const IotaTileAssignment& iota_tile_assignment);
  // CHECKs what Create reports.
  static IotaReplicaGroupList FromProto(const IotaReplicaGroupListProto& proto);
  using CollectiveDeviceListBase::ToProto;
  IotaReplicaGroupListProto ToProto() const;

  absl::Span<const int64_t> reshape_dims() const { return iota()->reshape_dims(); }
  absl::Span<const int> transpose_perm() const { return iota()->transpose_perm(); }
  Array<int64_t> ToArray() const { return iota()->ToArray(); }

 private:
  friend class CollectiveDeviceListBase;
  explicit IotaReplicaGroupList(IotaTileAssignment iota);
};

// The devices that differ only along `axes` are one group.
class MeshAxesReplicaGroupList : public CollectiveDeviceListBase {
 public:
  // CHECKs what Create reports.
  MeshAxesReplicaGroupList(Mesh mesh, std::vector<AxisRef> axes);
  // InvalidArgument unless the axes are those of the mesh, do not overlap and make groups of at
  // least two devices.
  static absl::StatusOr<MeshAxesReplicaGroupList> Create(Mesh mesh, std::vector<AxisRef> axes);
  // CHECKs the proto.
  static MeshAxesReplicaGroupList FromProto(const MeshAxesReplicaGroupListProto& proto);
  using CollectiveDeviceListBase::ToProto;
  MeshAxesReplicaGroupListProto ToProto() const;

  // CHECKs that the groups are a formula.
  IotaReplicaGroupList ToIotaReplicaGroupList() const;
  CollectiveDeviceList ToCollectiveDeviceList() const;

 private:
  using CollectiveDeviceListBase::CollectiveDeviceListBase;
};

// "{{0,1},{2,3}}".
std::string ReplicaGroupsToString(absl::Span<const ReplicaGroup> replica_groups);

// The same groups, written out.
CollectiveDeviceList ConvertToV1CollectiveDeviceList(const CollectiveDeviceListBase& device_list);

}  // namespace xla

#endif  // XLA_HLO_IR_COLLECTIVE_DEVICE_LIST_H_
