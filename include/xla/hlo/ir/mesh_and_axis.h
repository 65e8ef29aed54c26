// Devices arranged along named axes, and references to such an axis or to a part of one.
#ifndef XLA_HLO_IR_MESH_AND_AXIS_H_
#define XLA_HLO_IR_MESH_AND_AXIS_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/hlo/ir/tile_assignment.h"
#include "xla/printer.h"
#include "xla/xla_data.pb.h"

namespace xla {

class AxisRef;

// A mesh has axes with names and sizes, and one device for each point. A maximal mesh has no axes
// and one device.
class Mesh {
 public:
  // No axes, device 0 only; not maximal.
  Mesh();
  // The maximal mesh of one device.
  explicit Mesh(int64_t device_id);
  // Devices 0, 1, 2, ... in row-major order. These CHECK what Create reports.
  Mesh(absl::Span<const int64_t> axis_sizes, absl::Span<const absl::string_view> axis_names);
  // Devices as a TileAssignment or an Array<int64_t>. Templates, so that lists in braces are sizes.
  template <typename Devices,
            std::enable_if_t<std::is_base_of_v<Array<int64_t>, std::decay_t<Devices>> ||
                                 std::is_same_v<TileAssignment, std::decay_t<Devices>>,
                             int> = 0>
  Mesh(Devices&& devices, absl::Span<const absl::string_view> axis_names) {
    Initialize(TileAssignment(std::forward<Devices>(devices)), axis_names);
  }

  // InvalidArgument unless there are as many names as dimensions of the assignment, all different,
  // not empty and no numbers, and the devices are 0, 1, 2, ... in any order.
  static absl::StatusOr<Mesh> Create(TileAssignment device_assignment,
                                     std::vector<std::string> axis_names);
  static absl::StatusOr<Mesh> Create(absl::Span<const int64_t> axis_sizes,
                                     std::vector<std::string> axis_names);
  static absl::StatusOr<Mesh> CreateFromProto(const MeshProto& proto);
  // CHECKs what CreateFromProto reports.
  static Mesh FromProto(const MeshProto& proto);
  MeshProto ToProto() const;

  bool IsMaximal() const { return is_maximal_; }
  bool IsSingleDevice() const { return is_maximal_; }
  int64_t num_axes() const { return static_cast<int64_t>(axis_names_.size()); }
  const std::vector<std::string>& axis_names() const { return axis_names_; }
  absl::Span<const int64_t> axis_sizes() const { return device_assignment_.dimensions(); }
  int64_t axis_size(int64_t axis) const { return device_assignment_.dim(axis); }
  // The number of the axis of that name.
  std::optional<int64_t> AxisIndex(absl::string_view name) const;
  const TileAssignment& device_assignment() const { return device_assignment_; }
  int64_t num_devices() const { return device_assignment_.num_elements(); }
  // Whether both have the same devices along axes of the same sizes, whatever these are called.
  bool DeviceAssignmentEquals(const Mesh& other) const {
    return device_assignment_ == other.device_assignment_;
  }
  // Whether the references are the whole axes of the mesh in its order; axes of size 1 do not
  // count.
  bool ContainsAllMeshAxesInOrder(absl::Span<const AxisRef> axes) const;

  // "mesh['x'=2,'y'=4]", "mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0))", "mesh['x'=2],
  // device_ids=(1,0)" or "maximal_mesh[device_id=3]".
  void Print(Printer* printer) const;
  std::string ToString() const;

  bool operator==(const Mesh& other) const {
    return is_maximal_ == other.is_maximal_ && axis_names_ == other.axis_names_ &&
           device_assignment_ == other.device_assignment_;
  }
  bool operator!=(const Mesh& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const Mesh& mesh) {
    return H::combine(std::move(h), mesh.is_maximal_, mesh.axis_names_, mesh.device_assignment_);
  }

 private:
  void Initialize(TileAssignment devices, absl::Span<const absl::string_view> axis_names);

  TileAssignment device_assignment_;
  std::vector<std::string> axis_names_;
  bool is_maximal_ = false;
};

// A whole axis of a mesh, or the part of it that remains when the axis is split into three of sizes
// (pre_size, size, rest) and the middle one is taken.
class AxisRef {
 public:
  struct SubAxis {
    int64_t pre_size;
    int64_t size;
    int64_t next_pre_size() const { return pre_size * size; }
    bool operator==(const SubAxis& other) const {
      return pre_size == other.pre_size && size == other.size;
    }
    bool operator!=(const SubAxis& other) const { return !(*this == other); }
  };

  explicit AxisRef(int64_t mesh_axis_index) : mesh_axis_index_(mesh_axis_index) {}
  // These CHECK what Create reports.
  AxisRef(int64_t mesh_axis_index, SubAxis sub_axis);
  static AxisRef FromProto(const AxisRefProto& proto);
  // InvalidArgument unless pre_size is at least 1 and size at least 2, and their product fits
  // int64_t.
  static absl::StatusOr<AxisRef> Create(int64_t mesh_axis_index, SubAxis sub_axis);
  static absl::StatusOr<AxisRef> CreateFromProto(const AxisRefProto& proto);
  AxisRefProto ToProto() const;

  int64_t mesh_axis_index() const { return mesh_axis_index_; }
  const std::optional<SubAxis>& sub_axis_info() const { return sub_axis_; }
  // The number of devices along it.
  int64_t size(const Mesh& mesh) const {
    return sub_axis_.has_value() ? sub_axis_->size : mesh.axis_size(mesh_axis_index_);
  }
  // The product of the sizes before the part; 1 for a whole axis.
  int64_t pre_size() const { return sub_axis_.has_value() ? sub_axis_->pre_size : 1; }

  // Whether some part of an axis is in both.
  bool Overlaps(const AxisRef& other) const;
  // Whether the axis can be cut so that each of the two is some of the pieces.
  bool CanCoexist(const AxisRef& other) const;
  bool CanCoexistWithoutOverlap(const AxisRef& other) const {
    return CanCoexist(other) && !Overlaps(other);
  }
  // What is left of this reference before `other` begins; nothing where that is no part of an axis.
  std::optional<AxisRef> GetPrefixWithoutOverlap(const AxisRef& other) const;
  // Whether `other` is the next part of the same axis. Merge makes this reference both parts, if
  // so.
  bool CanMerge(const AxisRef& other) const;
  bool Merge(const AxisRef& other, const Mesh& mesh);
  // InvalidArgument unless the axis exists and the sub-axis is a proper part of it.
  absl::Status Validate(const Mesh& mesh) const;

  // "'x'" or "'x':(2)4"; without a mesh "0" or "0:(2)4", with the number of the axis.
  void Print(Printer* printer, const Mesh* mesh = nullptr) const;
  std::string ToString(const Mesh* mesh = nullptr) const;
  std::string ToString(const Mesh& mesh) const { return ToString(&mesh); }

  bool operator==(const AxisRef& other) const {
    return mesh_axis_index_ == other.mesh_axis_index_ && sub_axis_ == other.sub_axis_;
  }
  bool operator!=(const AxisRef& other) const { return !(*this == other); }
  // By axis, where the part begins, and where it ends.
  bool operator<(const AxisRef& other) const;
  template <typename H>
  friend H AbslHashValue(H h, const AxisRef& axis) {
    return H::combine(std::move(h), axis.mesh_axis_index_,
                      axis.sub_axis_.has_value() ? axis.sub_axis_->pre_size : 0,
                      axis.sub_axis_.has_value() ? axis.sub_axis_->size : 0);
  }

 private:
  int64_t mesh_axis_index_;
  std::optional<SubAxis> sub_axis_;
};

std::ostream& operator<<(std::ostream& out, const Mesh& mesh);
std::ostream& operator<<(std::ostream& out, const AxisRef& axis);

bool AxesCanCoexistWithoutOverlap(absl::Span<const AxisRef> axes);
// InvalidArgument unless every reference is valid in the mesh and no two overlap.
absl::Status ValidateAxes(absl::Span<const AxisRef> axes, const Mesh& mesh);
// The same and, unless that is allowed, ValidateAxisList.
absl::Status ValidateSpanOfAxes(absl::Span<const AxisRef> axes, const Mesh& mesh,
                                bool allow_mergeable_neighbors = false);

// Writes neighbours that are parts of one axis and follow each other as one part. CHECKs that
// neighbours do not overlap.
void MergeAxes(std::vector<AxisRef>& axes, const Mesh& mesh);
// The same after sorting.
void SortAndMergeAxes(std::vector<AxisRef>& axes, const Mesh& mesh);
// Cuts the list where an axis overlaps with one of the others: keeps what stands before and the
// prefix of that axis without overlap. Returns whether anything was cut.
bool TruncateAxesByRemovingOverlaps(std::vector<AxisRef>& axes,
                                    absl::Span<const AxisRef> other_axis_refs);

// InvalidArgument when two neighbours are parts of one axis that follow each other: the two are one
// part.
absl::Status ValidateAxisList(absl::Span<const AxisRef> axes, const Mesh& mesh);
// The same for a set: InvalidArgument also unless the references are in the order of the mesh.
absl::Status ValidateAxisSet(absl::Span<const AxisRef> axes, const Mesh& mesh);

// Splits the axes of a mesh so that each reference is one dimension. Returns the devices with the
// dimensions of `axes` first, in their order, then what is left of the mesh, in the mesh's order.
// The references must be valid.
TileAssignment DevicesByAxes(const Mesh& mesh, absl::Span<const AxisRef> axes);

}  // namespace xla

#endif  // XLA_HLO_IR_MESH_AND_AXIS_H_
