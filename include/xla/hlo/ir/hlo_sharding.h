// How the value of an instruction is divided among devices.
#ifndef XLA_HLO_IR_HLO_SHARDING_H_
#define XLA_HLO_IR_HLO_SHARDING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/hlo/ir/tile_assignment.h"
#include "xla/printer.h"
#include "xla/shape.h"
#include "xla/shape_tree.h"
#include "xla/xla_data.pb.h"

namespace xla {

// A value: replicated on all devices, on one device ("maximal"), tiled, left to the program
// ("manual"), or a list of such, one for each leaf of a tuple. A named sharding says the same by
// axes of a mesh.
class HloSharding {
 public:
  static constexpr absl::string_view kShardingFrontendAttrName = "xla.sdy.sharding";

  // Instructions of one group get the same sharding (as) or ones that are alike (like).
  struct ShardGroup {
    int64_t id = 0;
    OpSharding::ShardGroupType type = OpSharding::AS;
    bool operator==(const ShardGroup& other) const { return id == other.id && type == other.type; }
    bool operator!=(const ShardGroup& other) const { return !(*this == other); }
  };

  static HloSharding Replicate(absl::Span<const OpMetadata> metadata = {});
  static HloSharding Manual(absl::Span<const OpMetadata> metadata = {});
  static HloSharding Unknown(absl::Span<const OpMetadata> metadata = {});
  static HloSharding Unreduced(absl::Span<const OpMetadata> metadata = {});
  static HloSharding AssignDevice(int64_t device_id, absl::Span<const OpMetadata> metadata = {});
  static HloSharding SingleDevice(int64_t device_id, absl::Span<const OpMetadata> metadata = {}) {
    return AssignDevice(device_id, metadata);
  }

  // Each device has the tile that it stands at.
  static HloSharding Tile(TileAssignment tile_assignment,
                          absl::Span<const OpMetadata> metadata = {});
  static HloSharding Tile(Array<int64_t> tile_assignment,
                          absl::Span<const OpMetadata> metadata = {});
  // Devices 0, 1, 2, ... in row-major order.
  static HloSharding IotaTile(absl::Span<const int64_t> tile_assignment_dims,
                              absl::Span<const OpMetadata> metadata = {});
  static HloSharding IotaTile(absl::Span<const int64_t> tile_assignment_dims,
                              absl::Span<const int64_t> reshape_dims,
                              absl::Span<const int> transpose_perm,
                              absl::Span<const OpMetadata> metadata = {});
  // The devices along the last dimension have the same tile.
  static HloSharding PartialTile(const TileAssignment& tile_assignment_last_dim_replicate,
                                 absl::Span<const OpMetadata> metadata = {});
  static HloSharding PartialTile(Array<int64_t> tile_assignment_last_dim_replicate,
                                 absl::Span<const OpMetadata> metadata = {});
  // The last dimensions divide no data but say what the devices along them do: REPLICATED, MANUAL
  // or UNREDUCED. Brought to a normal form: one dimension of each type, none of size 1, replication
  // last.
  static HloSharding Subgroup(const TileAssignment& tile_assignment,
                              absl::Span<const OpSharding::Type> subgroup_types,
                              absl::Span<const OpMetadata> metadata = {});
  static HloSharding Subgroup(Array<int64_t> tile_assignment,
                              absl::Span<const OpSharding::Type> subgroup_types,
                              absl::Span<const OpMetadata> metadata = {});
  static HloSharding Named(NamedSharding named_sharding);

  // One sharding for each leaf, depth first; a tuple without leaves has one.
  static HloSharding Tuple(const ShapeTree<HloSharding>& sub_shardings);
  // CHECKs that there are as many shardings as leaves.
  static HloSharding Tuple(const Shape& tuple_shape, absl::Span<const HloSharding> shardings);
  // One for each leaf of a tuple that is not known here. The parts must not be tuples.
  static HloSharding FlatTuple(std::vector<HloSharding> shardings);
  // The same sharding for all leaves.
  static HloSharding SingleTuple(const Shape& tuple_shape, const HloSharding& sharding);

  // InvalidArgument for a proto that does not hold together.
  static absl::StatusOr<HloSharding> FromProto(const OpSharding& proto);
  OpSharding ToProto() const;

  // The tiled form of shardings by axes; other shardings stay as they are.
  static HloSharding V3ToV2Sharding(const NamedSharding& named_sharding);
  static HloSharding V3ToV2Sharding(const HloSharding& sharding);

  // As in text, with the braces: "{devices=[2,2]<=[4] last_tile_dim_replicate}".
  void Print(Printer* printer, bool include_metadata = false) const;
  std::string ToString(bool include_metadata = false) const;

  // InvalidArgument unless the sharding fits the shape: as many parts as leaves, as many data
  // dimensions as the array has, each device once and below num_devices. A sharding of a tuple may
  // be one for all leaves.
  absl::Status Validate(const Shape& shape,
                        std::optional<int64_t> num_devices = std::nullopt) const;
  // One part for each leaf of a tuple shape, where there was one for all.
  HloSharding NormalizeTupleSharding(const Shape& shape) const;

  bool IsTuple() const { return kind_ == Kind::kTuple; }
  // For tuples: whether that holds for all parts.
  bool IsReplicated() const;
  bool IsManual() const;
  bool IsUnknown() const;
  bool IsUnreduced() const;
  bool IsTileMaximal() const;
  bool IsReplicatedOrSingleDevice() const;
  // One device has the whole value.
  bool HasUniqueDevice() const { return UniqueDevice().has_value(); }
  std::optional<int64_t> UniqueDevice() const;
  // A single sharding that divides dimensions or devices.
  bool IsTiled() const;
  // The same of what must not be a tuple.
  bool IsReplicatedLeaf() const { return CheckLeaf().IsReplicated(); }
  bool IsManualLeaf() const { return CheckLeaf().IsManual(); }
  bool IsUnknownLeaf() const { return CheckLeaf().IsUnknown(); }
  bool IsUnreducedLeaf() const { return CheckLeaf().IsUnreduced(); }
  bool IsTileMaximalLeaf() const { return CheckLeaf().IsTileMaximal(); }
  bool IsSingleDeviceLeaf() const { return CheckLeaf().HasUniqueDevice(); }
  bool IsTiledLeaf() const { return CheckLeaf().IsTiled(); }
  bool ReplicateOnLastTileDim() const;
  bool HasPartialReplication() const;
  bool IsManualSubgroup() const;
  // What the devices along the last dimensions do.
  const std::vector<OpSharding::Type>& subgroup_types() const { return subgroup_types_; }

  // The sharding by axes, without its metadata. Everything else here speaks of the tiled form of
  // it.
  bool IsNamed() const { return named_sharding_ != nullptr; }
  bool UseNamedShardingLeaf() const { return CheckLeaf().IsNamed(); }
  const NamedSharding& named_sharding() const { return *named_sharding_; }

  // Of a tiled sharding, and of one on a single device.
  const TileAssignment& tile_assignment() const { return tile_assignment_; }
  // The same, or the devices of the mesh.
  TileAssignment device_assignment() const;
  // Data dimensions and those of the subgroups.
  int64_t num_dimensions() const;
  absl::Span<const int64_t> dimensions() const { return tile_assignment_.dimensions(); }
  int64_t num_devices() const;
  // How many leading dimensions divide data.
  int64_t TiledDataRank() const;
  // The number of tiles that data is divided into.
  int64_t NumTiles() const;
  bool UsesDevice(int64_t device) const;

  const std::vector<HloSharding>& tuple_elements() const { return tuple_elements_; }
  std::vector<HloSharding>& tuple_elements() { return tuple_elements_; }
  // The sharding of the subshape at an index.
  HloSharding GetSubSharding(const Shape& shape, ShapeIndexView index) const;

  // The shape of one tile, and of the tile on one device, which is smaller at the end of a
  // dimension that does not divide evenly.
  Shape TileShape(const Shape& shape) const;
  Shape TileShape(const Shape& shape, int64_t device) const;
  // Where the tile of a device begins and ends.
  std::vector<int64_t> TileIndexForDevice(int64_t device) const;
  std::vector<int64_t> TileOffsetForDevice(const Shape& shape, int64_t device) const;
  std::vector<int64_t> TileLimitForDevice(const Shape& shape, int64_t device) const;

  const std::optional<ShardGroup>& shard_group() const { return shard_group_; }
  void set_shard_group(std::optional<ShardGroup> group) { shard_group_ = group; }
  HloSharding WithShardGroup(ShardGroup group) const;
  static ShardGroup ShardAs(int64_t id) { return {id, OpSharding::AS}; }
  static ShardGroup ShardLike(int64_t id) { return {id, OpSharding::LIKE}; }
  HloSharding& SetShardGroup(const ShardGroup& group) {
    shard_group_ = group;
    return *this;
  }
  HloSharding& ClearShardGroup() {
    shard_group_.reset();
    return *this;
  }
  bool IsShardGroup() const { return shard_group_.has_value(); }
  bool IsShardAs() const { return IsShardGroup() && shard_group_->type == OpSharding::AS; }
  bool IsShardLike() const { return IsShardGroup() && shard_group_->type == OpSharding::LIKE; }

  // Where the sharding comes from. Part of no comparison.
  const std::vector<OpMetadata>& metadata() const { return metadata_; }
  std::vector<OpMetadata>& metadata() { return metadata_; }
  HloSharding WithMetadata(absl::Span<const OpMetadata> metadata, bool overwrite) const;
  HloSharding WithoutMetadata() const;

  bool operator==(const HloSharding& other) const;
  bool operator!=(const HloSharding& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const HloSharding& sharding) {
    h = H::combine(std::move(h), sharding.kind_, sharding.tile_assignment_,
                   sharding.subgroup_types_, sharding.tuple_elements_);
    if (sharding.shard_group_.has_value()) {
      h = H::combine(std::move(h), sharding.shard_group_->id, sharding.shard_group_->type);
    }
    if (sharding.IsNamed()) h = H::combine(std::move(h), *sharding.named_sharding_);
    return h;
  }

 private:
  enum class Kind { kReplicated, kMaximal, kTuple, kTiled, kManual, kUnknown, kUnreduced };

  explicit HloSharding(Kind kind, absl::Span<const OpMetadata> metadata = {});
  HloSharding(TileAssignment tile_assignment, std::vector<OpSharding::Type> subgroup_types,
              absl::Span<const OpMetadata> metadata);
  static absl::StatusOr<HloSharding> NonTupleFromProto(const OpSharding& proto);
  const HloSharding& CheckLeaf() const {
    CHECK(!IsTuple());
    return *this;
  }
  // Whether `test` holds for this or, of a tuple, for all parts.
  template <typename Test>
  bool All(Test test) const;
  void PrintTuple(Printer* printer, bool include_metadata) const;
  void PrintBody(Printer* printer) const;
  absl::Status ValidateLeaf(const Shape& shape, std::optional<int64_t> num_devices) const;

  Kind kind_;
  TileAssignment tile_assignment_;                // Of kTiled and, with one element, of kMaximal.
  std::vector<OpSharding::Type> subgroup_types_;  // Of the last dimensions.
  std::vector<HloSharding> tuple_elements_;
  std::shared_ptr<const NamedSharding> named_sharding_;  // Beside its tiled form.
  std::optional<ShardGroup> shard_group_;
  std::vector<OpMetadata> metadata_;
};

std::ostream& operator<<(std::ostream& out, const HloSharding& sharding);

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_SHARDING_H_
