// Devices arranged along named axes, and references to such an axis or to a part of one.
#ifndef XLA_HLO_IR_MESH_AND_AXIS_H_
#define XLA_HLO_IR_MESH_AND_AXIS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/tile_assignment.h"
#include "xla/printer.h"
#include "xla/xla_data.pb.h"

namespace xla {

// A mesh has axes with names and sizes, and one device for each point. A maximal mesh has no axes
// and one device.
class Mesh {
 public:
  // No axes, device 0 only; not maximal.
  Mesh();
  // The maximal mesh of one device.
  explicit Mesh(int64_t device_id);
  // Devices 0, 1, 2, ... in row-major order. These two CHECK what Create reports.
  Mesh(absl::Span<const int64_t> axis_sizes, absl::Span<const absl::string_view> axis_names);
  Mesh(TileAssignment device_assignment, absl::Span<const absl::string_view> axis_names);

  // InvalidArgument unless there are as many names as dimensions of the assignment, all different,
  // not empty and no numbers, and each device stands once.
  static absl::StatusOr<Mesh> Create(TileAssignment device_assignment,
                                     std::vector<std::string> axis_names);
  static absl::StatusOr<Mesh> Create(absl::Span<const int64_t> axis_sizes,
                                     std::vector<std::string> axis_names);
  static absl::StatusOr<Mesh> FromProto(const MeshProto& proto);
  MeshProto ToProto() const;

  bool IsMaximal() const { return is_maximal_; }
  int64_t num_axes() const { return static_cast<int64_t>(axis_names_.size()); }
  const std::vector<std::string>& axis_names() const { return axis_names_; }
  absl::Span<const int64_t> axis_sizes() const { return device_assignment_.dimensions(); }
  int64_t axis_size(int64_t axis) const { return device_assignment_.dim(axis); }
  // The number of the axis of that name.
  std::optional<int64_t> AxisIndex(absl::string_view name) const;
  const TileAssignment& device_assignment() const { return device_assignment_; }
  int64_t num_devices() const { return device_assignment_.num_elements(); }

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
  AxisRef(int64_t mesh_axis_index, SubAxis sub_axis)
      : mesh_axis_index_(mesh_axis_index), sub_axis_(sub_axis) {}

  static AxisRef FromProto(const AxisRefProto& proto);
  AxisRefProto ToProto() const;

  int64_t mesh_axis_index() const { return mesh_axis_index_; }
  const std::optional<SubAxis>& sub_axis_info() const { return sub_axis_; }
  // The number of devices along it.
  int64_t size(const Mesh& mesh) const {
    return sub_axis_.has_value() ? sub_axis_->size : mesh.axis_size(mesh_axis_index_);
  }
  // Whether no part of an axis is in both.
  bool CanCoexistWithoutOverlap(const AxisRef& other) const;
  // InvalidArgument unless the axis exists and the sub-axis is a proper part of it.
  absl::Status Validate(const Mesh& mesh) const;

  // "'x'" or "'x':(2)4". Without a mesh the number of the axis stands for its name.
  void Print(Printer* printer, const Mesh* mesh = nullptr) const;
  std::string ToString(const Mesh* mesh = nullptr) const;
  std::string ToString(const Mesh& mesh) const { return ToString(&mesh); }

  bool operator==(const AxisRef& other) const {
    return mesh_axis_index_ == other.mesh_axis_index_ && sub_axis_ == other.sub_axis_;
  }
  bool operator!=(const AxisRef& other) const { return !(*this == other); }
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

// InvalidArgument unless every reference is valid in the mesh and no two overlap.
absl::Status ValidateAxes(absl::Span<const AxisRef> axes, const Mesh& mesh);

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
