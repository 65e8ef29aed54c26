// A sharding that says for each dimension along which axes of a mesh it is divided.
#ifndef XLA_HLO_IR_NAMED_SHARDING_H_
#define XLA_HLO_IR_NAMED_SHARDING_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/printer.h"
#include "xla/xla_data.pb.h"

namespace xla {

class NamedSharding {
 public:
  using ReductionOp = NamedShardingProto::ReductionOpProto;

  // The axes that divide one dimension, the most major first. An open dimension ("?" in text) may
  // be divided further by propagation.
  struct DimensionSharding {
    std::vector<AxisRef> axes;
    bool is_closed = true;
    bool operator==(const DimensionSharding& other) const {
      return axes == other.axes && is_closed == other.is_closed;
    }
    bool operator!=(const DimensionSharding& other) const { return !(*this == other); }
  };

  // What a sharding says, apart from its metadata.
  struct Axes {
    std::vector<DimensionSharding> dimensions;
    std::vector<AxisRef> replicated;
    std::vector<AxisRef> unreduced;
    std::vector<AxisRef> manual;
    ReductionOp reduction_op =
        NamedShardingProto::SUM;  // How the parts along the unreduced axes combine.
  };

  // Replicated on the mesh. On a maximal mesh: on its device.
  explicit NamedSharding(Mesh mesh, std::vector<OpMetadata> metadata = {});
  // CHECKs what Create reports.
  NamedSharding(Mesh mesh, Axes axes, std::vector<OpMetadata> metadata = {});
  static NamedSharding Replicate(Mesh mesh, std::vector<OpMetadata> metadata = {});
  static NamedSharding Manual(Mesh mesh, std::vector<OpMetadata> metadata = {});
  static NamedSharding Unreduced(Mesh mesh, std::vector<OpMetadata> metadata = {});
  static NamedSharding MaximalSharding(int64_t device_id, std::vector<OpMetadata> metadata = {});

  // InvalidArgument unless all references are valid in the mesh, none overlaps another, those of
  // the three sets stand in the order of the mesh, and neighbouring parts of an axis are written as
  // one.
  static absl::StatusOr<NamedSharding> Create(Mesh mesh, Axes axes,
                                              std::vector<OpMetadata> metadata = {});
  static absl::StatusOr<NamedSharding> FromProto(const NamedShardingProto& proto);
  NamedShardingProto ToProto() const;

  const Mesh& mesh() const { return mesh_; }
  const std::vector<DimensionSharding>& dim_shardings() const { return axes_.dimensions; }
  const DimensionSharding& dim_sharding(int64_t dimension) const {
    return axes_.dimensions[dimension];
  }
  const std::vector<AxisRef>& replicated_axes() const { return axes_.replicated; }
  const std::vector<AxisRef>& unreduced_axes() const { return axes_.unreduced; }
  const std::vector<AxisRef>& manual_axes() const { return axes_.manual; }
  ReductionOp reduction_op() const { return axes_.reduction_op; }
  const std::vector<OpMetadata>& metadata() const { return metadata_; }
  std::vector<OpMetadata>& metadata() { return metadata_; }

  // 0 for a sharding that does not say how many dimensions there are.
  int64_t num_dimensions() const { return static_cast<int64_t>(axes_.dimensions.size()); }
  // Into how many pieces a dimension is divided.
  int64_t dimension(int64_t dimension) const;
  int64_t num_devices() const { return mesh_.num_devices(); }

  bool IsMaximal() const { return mesh_.IsMaximal(); }
  // No axis divides, reduces or is manual.
  bool IsReplicated() const;
  // All axes of the mesh are manual, or unreduced.
  bool IsManual() const;
  bool IsUnreduced() const;

  // "{mesh['x'=2,'y'=4], [{'x'}, {'y', ?}], unreduced={...}}" with the braces; includes the
  // metadata on demand.
  void Print(Printer* printer, bool include_metadata = false) const;
  // The same without "}" and metadata.
  void PrintOpen(Printer* printer) const;
  std::string ToString(bool include_metadata = false) const;

  // Metadata is not compared.
  bool operator==(const NamedSharding& other) const;
  bool operator!=(const NamedSharding& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const NamedSharding& sharding) {
    h = H::combine(std::move(h), sharding.mesh_, sharding.axes_.replicated,
                   sharding.axes_.unreduced, sharding.axes_.manual);
    for (const DimensionSharding& dimension : sharding.axes_.dimensions) {
      h = H::combine(std::move(h), dimension.axes, dimension.is_closed);
    }
    return h;
  }

 private:
  Mesh mesh_;
  Axes axes_;
  std::vector<OpMetadata> metadata_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_NAMED_SHARDING_H_
