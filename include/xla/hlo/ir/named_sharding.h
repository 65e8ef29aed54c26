// A sharding that says for each dimension along which axes of a mesh it is divided.
#ifndef XLA_HLO_IR_NAMED_SHARDING_H_
#define XLA_HLO_IR_NAMED_SHARDING_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
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
  class DimensionSharding {
   public:
    DimensionSharding() = default;
    DimensionSharding(std::initializer_list<AxisRef> axes) : axes_(axes) {}
    DimensionSharding(absl::Span<const AxisRef> axes, bool is_closed)
        : axes_(axes.begin(), axes.end()), is_closed_(is_closed) {}
    // CHECKs the parts of axes, as AxisRef::FromProto does.
    static DimensionSharding FromProto(const NamedShardingProto::DimensionSharding& proto);
    NamedShardingProto::DimensionSharding ToProto() const;

    const std::vector<AxisRef>& axes() const { return axes_; }
    bool is_closed() const { return is_closed_; }
    // Into how many pieces the dimension is divided.
    int64_t getShardedSize(const Mesh& mesh) const;

    // Divides each piece further, as `other` says.
    void Append(const DimensionSharding& other, const Mesh& mesh);
    // Takes the most major axes, or the major part of one, that make slice_size pieces off. Nothing
    // happens, and nullopt is returned, where there are none.
    std::optional<DimensionSharding> Slice(const Mesh& mesh, int64_t slice_size);
    // Whether `other` divides the pieces of this sharding further. Both meshes must have the same
    // devices.
    bool IsPrefixOf(const DimensionSharding& other, const Mesh& mesh, const Mesh& other_mesh) const;

    // "{'x', 'y':(1)2, ?}", with the numbers of axes where there is no mesh.
    void Print(Printer* printer, const Mesh* mesh = nullptr) const;
    std::string ToString(const Mesh* mesh = nullptr) const;

    bool operator==(const DimensionSharding& other) const {
      return axes_ == other.axes_ && is_closed_ == other.is_closed_;
    }
    bool operator!=(const DimensionSharding& other) const { return !(*this == other); }
    template <typename H>
    friend H AbslHashValue(H h, const DimensionSharding& dimension) {
      return H::combine(std::move(h), dimension.axes_, dimension.is_closed_);
    }

   private:
    std::vector<AxisRef> axes_;
    bool is_closed_ = true;
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

  // Without axes: replicated on the mesh or, on a maximal mesh, on its device. Dimensions that no
  // axis divides, all of them, are left out. CHECKs what Create reports.
  explicit NamedSharding(Mesh mesh, absl::Span<const DimensionSharding> dim_shardings = {},
                         absl::Span<const AxisRef> replicated_axes = {},
                         absl::Span<const AxisRef> unreduced_axes = {},
                         absl::Span<const AxisRef> manual_axes = {},
                         absl::Span<const OpMetadata> metadata = {});
  static NamedSharding Replicate(absl::Span<const OpMetadata> metadata = {});
  static NamedSharding Replicate(Mesh mesh, absl::Span<const OpMetadata> metadata = {});
  static NamedSharding Manual(Mesh mesh, absl::Span<const OpMetadata> metadata = {});
  static NamedSharding Unreduced(Mesh mesh, absl::Span<const OpMetadata> metadata = {});
  static NamedSharding MaximalSharding(int64_t device_id,
                                       absl::Span<const OpMetadata> metadata = {});

  // InvalidArgument unless all references are valid in the mesh, none overlaps another, those of
  // the three sets stand in the order of the mesh, and neighbouring parts of an axis are written as
  // one.
  static absl::StatusOr<NamedSharding> Create(Mesh mesh, Axes axes,
                                              absl::Span<const OpMetadata> metadata = {});
  static absl::StatusOr<NamedSharding> CreateFromProto(const NamedShardingProto& proto);
  // CHECKs what CreateFromProto reports.
  static NamedSharding FromProto(const NamedShardingProto& proto);
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
  void set_metadata(std::vector<OpMetadata> metadata) { metadata_ = std::move(metadata); }

  // 0 for a sharding that does not say how many dimensions there are.
  int64_t num_dimensions() const { return static_cast<int64_t>(axes_.dimensions.size()); }
  // Into how many pieces a dimension, or each of them, is divided.
  int64_t dimension(int64_t dimension) const { return sharded_sizes_[dimension]; }
  absl::Span<const int64_t> dimensions() const { return sharded_sizes_; }
  int64_t num_devices() const { return mesh_.num_devices(); }

  bool IsMaximal() const { return mesh_.IsMaximal(); }
  // No axis divides, reduces or is manual.
  bool IsReplicated() const;
  // All axes of the mesh are manual, or unreduced.
  bool IsManual() const;
  bool IsUnreduced() const;
  // Whether a device that takes part has all of the data.
  bool IsTileMaximal() const { return IsReplicated() || IsMaximal(); }
  // Whether several devices have the same part of the data.
  bool HasPartialReplication() const;

  // "{mesh['x'=2,'y'=4], [{'x'}, {'y', ?}], unreduced={...}}" with the braces; includes the
  // metadata on demand.
  void Print(Printer* printer, bool include_metadata = false) const;
  // The same without "}" and metadata.
  void PrintOpen(Printer* printer) const;
  std::string ToString(bool include_metadata = false) const;

  // Neither metadata nor the names of axes are compared.
  bool operator==(const NamedSharding& other) const;
  bool operator!=(const NamedSharding& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const NamedSharding& sharding) {
    return H::combine(std::move(h), sharding.mesh_.device_assignment(), sharding.axes_.dimensions,
                      sharding.axes_.replicated, sharding.axes_.unreduced, sharding.axes_.manual);
  }

 private:
  // Of axes that are known to be good.
  NamedSharding(Mesh mesh, Axes axes, absl::Span<const OpMetadata> metadata);

  Mesh mesh_;
  Axes axes_;
  std::vector<OpMetadata> metadata_;
  std::vector<int64_t> sharded_sizes_;
};

std::ostream& operator<<(std::ostream& out, const NamedSharding::DimensionSharding& dimension);
std::ostream& operator<<(std::ostream& out, const NamedSharding& sharding);

// What NamedSharding::Create asks of its arguments.
absl::Status VerifyNamedSharding(const NamedSharding& named_sharding);

namespace test_utils {

// A sharding of dimensions that are closed, by the names of axes. CHECKs that the mesh has them.
NamedSharding FromAxisNames(Mesh mesh, absl::Span<const std::vector<std::string>> dim_shardings,
                            absl::Span<const std::string> replicated_axes = {},
                            absl::Span<const std::string> unreduced_axes = {},
                            absl::Span<const std::string> manual_axes = {},
                            absl::Span<const OpMetadata> metadata = {});

}  // namespace test_utils

}  // namespace xla

#endif  // XLA_HLO_IR_NAMED_SHARDING_H_
