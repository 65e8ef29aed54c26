#include "xla/hlo/ir/hlo_sharding.h"

#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/log/check.h"
#include "base/status_macros.h"
#include "ir/annotation_text.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// A tuple without leaves, however nested, has one sharding.
int64_t RequiredParts(const Shape& shape) {
  return std::max<int64_t>(1, ShapeUtil::GetLeafCount(shape));
}

absl::string_view TypeName(OpSharding::Type type) {
  switch (type) {
    case OpSharding::REPLICATED:
      return "replicated";
    case OpSharding::MAXIMAL:
      return "maximal";
    case OpSharding::MANUAL:
      return "manual";
    case OpSharding::UNREDUCED:
      return "unreduced";
    case OpSharding::UNKNOWN:
      return "unknown";
    default:
      return "other";
  }
}

// Replication comes last, so that it can be told from the front of the list.
int SubgroupOrder(OpSharding::Type type) {
  return type == OpSharding::REPLICATED ? OpSharding::Type_MAX + 1 : static_cast<int>(type);
}

bool AllEqual(absl::Span<const OpSharding::Type> types) {
  return absl::c_all_of(types, [&](OpSharding::Type type) { return type == types.front(); });
}

}  // namespace

HloSharding::HloSharding(Kind kind, absl::Span<const OpMetadata> metadata)
    : kind_(kind), metadata_(metadata.begin(), metadata.end()) {}

HloSharding::HloSharding(TileAssignment tile_assignment,
                         std::vector<OpSharding::Type> subgroup_types,
                         absl::Span<const OpMetadata> metadata)
    : kind_(Kind::kTiled),
      tile_assignment_(std::move(tile_assignment)),
      subgroup_types_(std::move(subgroup_types)),
      metadata_(metadata.begin(), metadata.end()) {}

HloSharding HloSharding::Replicate(absl::Span<const OpMetadata> metadata) {
  return HloSharding(Kind::kReplicated, metadata);
}

HloSharding HloSharding::Manual(absl::Span<const OpMetadata> metadata) {
  return HloSharding(Kind::kManual, metadata);
}

HloSharding HloSharding::Unknown(absl::Span<const OpMetadata> metadata) {
  return HloSharding(Kind::kUnknown, metadata);
}

HloSharding HloSharding::Unreduced(absl::Span<const OpMetadata> metadata) {
  return HloSharding(Kind::kUnreduced, metadata);
}

HloSharding HloSharding::AssignDevice(int64_t device_id, absl::Span<const OpMetadata> metadata) {
  HloSharding sharding(Kind::kMaximal, metadata);
  sharding.tile_assignment_ = TileAssignment(device_id);
  return sharding;
}

HloSharding HloSharding::Tile(TileAssignment tile_assignment,
                              absl::Span<const OpMetadata> metadata) {
  return HloSharding(std::move(tile_assignment), {}, metadata);
}

HloSharding HloSharding::Tile(Array<int64_t> tile_assignment,
                              absl::Span<const OpMetadata> metadata) {
  return Tile(TileAssignment(std::move(tile_assignment)), metadata);
}

HloSharding HloSharding::IotaTile(absl::Span<const int64_t> tile_assignment_dims,
                                  absl::Span<const OpMetadata> metadata) {
  return Tile(TileAssignment(tile_assignment_dims), metadata);
}

HloSharding HloSharding::IotaTile(absl::Span<const int64_t> tile_assignment_dims,
                                  absl::Span<const int64_t> reshape_dims,
                                  absl::Span<const int> transpose_perm,
                                  absl::Span<const OpMetadata> metadata) {
  return Tile(TileAssignment(tile_assignment_dims, reshape_dims, transpose_perm), metadata);
}

HloSharding HloSharding::PartialTile(const TileAssignment& tile_assignment_last_dim_replicate,
                                     absl::Span<const OpMetadata> metadata) {
  return Subgroup(tile_assignment_last_dim_replicate, {OpSharding::REPLICATED}, metadata);
}

HloSharding HloSharding::PartialTile(Array<int64_t> tile_assignment_last_dim_replicate,
                                     absl::Span<const OpMetadata> metadata) {
  return PartialTile(TileAssignment(std::move(tile_assignment_last_dim_replicate)), metadata);
}

HloSharding HloSharding::Subgroup(Array<int64_t> tile_assignment,
                                  absl::Span<const OpSharding::Type> subgroup_types,
                                  absl::Span<const OpMetadata> metadata) {
  return Subgroup(TileAssignment(std::move(tile_assignment)), subgroup_types, metadata);
}

HloSharding HloSharding::Subgroup(const TileAssignment& tile_assignment,
                                  absl::Span<const OpSharding::Type> subgroup_types,
                                  absl::Span<const OpMetadata> metadata) {
  CHECK_LE(static_cast<int64_t>(subgroup_types.size()), tile_assignment.num_dimensions());
  if (subgroup_types.empty()) return Tile(tile_assignment, metadata);
  const int64_t data_rank =
      tile_assignment.num_dimensions() - static_cast<int64_t>(subgroup_types.size());
  const bool divides_data = Product(tile_assignment.dimensions().subspan(0, data_rank)) != 1;
  const auto whole = [&](OpSharding::Type type) -> std::optional<HloSharding> {
    if (divides_data) return std::nullopt;
    if (type == OpSharding::REPLICATED) return Replicate(metadata);
    if (type == OpSharding::MANUAL) return Manual(metadata);
    if (type == OpSharding::UNREDUCED) return Unreduced(metadata);
    return std::nullopt;
  };
  if (AllEqual(subgroup_types)) {
    if (std::optional<HloSharding> sharding = whole(subgroup_types[0])) return *sharding;
  }

  std::vector<int> permutation(tile_assignment.num_dimensions());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::stable_sort(permutation.begin() + data_rank, permutation.end(), [&](int a, int b) {
    return SubgroupOrder(subgroup_types[a - data_rank]) <
           SubgroupOrder(subgroup_types[b - data_rank]);
  });
  std::vector<int64_t> dims(tile_assignment.dimensions().begin(),
                            tile_assignment.dimensions().begin() + data_rank);
  std::vector<OpSharding::Type> types;
  for (auto it = permutation.begin() + data_rank; it != permutation.end(); ++it) {
    const OpSharding::Type type = subgroup_types[*it - data_rank];
    if (tile_assignment.dim(*it) == 1) continue;
    if (!types.empty() && types.back() == type) {
      dims.back() *= tile_assignment.dim(*it);
    } else {
      types.push_back(type);
      dims.push_back(tile_assignment.dim(*it));
    }
  }
  if (types.size() == 1) {
    if (std::optional<HloSharding> sharding = whole(types[0])) return *sharding;
  }
  TileAssignment tile =
      absl::c_is_sorted(permutation) ? tile_assignment : tile_assignment.Transpose(permutation);
  tile = tile.Reshape(dims);
  // Which of the devices with the same tile comes first does not matter.
  if (!types.empty() && types.back() == OpSharding::REPLICATED) tile = tile.SortLastDimension();
  return HloSharding(std::move(tile), std::move(types), metadata);
}

HloSharding HloSharding::Named(NamedSharding named_sharding) {
  HloSharding sharding = V3ToV2Sharding(named_sharding);
  named_sharding.set_metadata({});
  sharding.named_sharding_ = std::make_shared<const NamedSharding>(std::move(named_sharding));
  return sharding;
}

// ---- Tuples -----------------------------------------------------------------------------------

HloSharding HloSharding::FlatTuple(std::vector<HloSharding> shardings) {
  for (const HloSharding& part : shardings) CHECK(!part.IsTuple());
  HloSharding sharding(Kind::kTuple);
  sharding.tuple_elements_ = std::move(shardings);
  return sharding;
}

HloSharding HloSharding::Tuple(const ShapeTree<HloSharding>& sub_shardings) {
  std::vector<HloSharding> parts;
  for (const auto& [index, sharding] : sub_shardings.leaves()) parts.push_back(sharding);
  if (parts.empty()) parts.push_back(sub_shardings.element({}));
  return FlatTuple(std::move(parts));
}

HloSharding HloSharding::Tuple(const Shape& tuple_shape, absl::Span<const HloSharding> shardings) {
  std::vector<HloSharding> parts;
  for (const HloSharding& sharding : shardings) {
    if (sharding.IsTuple()) {
      absl::c_copy(sharding.tuple_elements(), std::back_inserter(parts));
    } else {
      parts.push_back(sharding);
    }
  }
  CHECK_EQ(static_cast<int64_t>(parts.size()), RequiredParts(tuple_shape))
      << tuple_shape.ToString();
  return FlatTuple(std::move(parts));
}

HloSharding HloSharding::SingleTuple(const Shape& tuple_shape, const HloSharding& sharding) {
  CHECK(tuple_shape.IsTuple()) << tuple_shape.ToString();
  return FlatTuple(std::vector<HloSharding>(RequiredParts(tuple_shape), sharding));
}

HloSharding HloSharding::NormalizeTupleSharding(const Shape& shape) const {
  return shape.IsTuple() && !IsTuple() ? SingleTuple(shape, *this) : *this;
}

HloSharding HloSharding::GetSubSharding(const Shape& shape, ShapeIndexView index) const {
  if (!IsTuple()) return *this;
  int64_t first = 0;
  const Shape* subshape = &shape;
  for (const int64_t element : index) {
    for (int64_t i = 0; i < element; ++i) {
      first += ShapeUtil::GetLeafCount(subshape->tuple_shapes(i));
    }
    subshape = &subshape->tuple_shapes(element);
  }
  if (!subshape->IsTuple()) return tuple_elements_[first];
  const auto begin = tuple_elements_.begin() + first;
  return FlatTuple({begin, begin + ShapeUtil::GetLeafCount(*subshape)});
}

// ---- Protocol buffers -------------------------------------------------------------------------

namespace {

absl::StatusOr<TileAssignment> TileAssignmentFromProto(const OpSharding& proto) {
  if (proto.iota_reshape_dims().empty()) {
    return TileAssignment::CreateChecked(proto.tile_assignment_dimensions(),
                                         proto.tile_assignment_devices());
  }
  if (!proto.tile_assignment_devices().empty()) {
    return InvalidArgument("a sharding has both tile_assignment_devices and iota_reshape_dims");
  }
  const std::vector<int64_t> permutation(proto.iota_transpose_perm().begin(),
                                         proto.iota_transpose_perm().end());
  return TileAssignment::CreateChecked(proto.tile_assignment_dimensions(),
                                       proto.iota_reshape_dims(), permutation);
}

absl::StatusOr<std::vector<OpSharding::Type>> SubgroupTypesFromProto(const OpSharding& proto) {
  std::vector<OpSharding::Type> types;
  for (const int type : proto.last_tile_dims()) {
    if (type != OpSharding::REPLICATED && type != OpSharding::MANUAL &&
        type != OpSharding::UNREDUCED && type != OpSharding::MAXIMAL) {
      return InvalidArgument(
          "last_tile_dims of a sharding must be replicated, manual, unreduced or "
          "maximal, got %d",
          type);
    }
    types.push_back(static_cast<OpSharding::Type>(type));
  }
  if (types.empty() && proto.replicate_on_last_tile_dim()) types = {OpSharding::REPLICATED};
  if (static_cast<int>(types.size()) > proto.tile_assignment_dimensions_size()) {
    return InvalidArgument("a sharding has %d last_tile_dims but only %d dimensions", types.size(),
                           proto.tile_assignment_dimensions_size());
  }
  return types;
}

}  // namespace

absl::StatusOr<HloSharding> HloSharding::NonTupleFromProto(const OpSharding& proto) {
  const std::vector<OpMetadata> metadata(proto.metadata().begin(), proto.metadata().end());
  if (proto.has_named_sharding()) {
    HILO_ASSIGN_OR_RETURN(NamedSharding named,
                          NamedSharding::CreateFromProto(proto.named_sharding()));
    if (named.metadata().empty()) named.set_metadata(metadata);
    return Named(std::move(named));
  }
  switch (proto.type()) {
    case OpSharding::REPLICATED:
      return Replicate(metadata);
    case OpSharding::MANUAL:
      return Manual(metadata);
    case OpSharding::UNKNOWN:
      return Unknown(metadata);
    case OpSharding::UNREDUCED:
      return Unreduced(metadata);
    case OpSharding::MAXIMAL:
      if (proto.tile_assignment_devices_size() != 1) {
        return InvalidArgument("a maximal sharding has one device, got %d",
                               proto.tile_assignment_devices_size());
      }
      return AssignDevice(proto.tile_assignment_devices(0), metadata);
    case OpSharding::OTHER: {
      if (proto.tile_assignment_dimensions().empty()) {
        return InvalidArgument("a tiled sharding has no tile_assignment_dimensions");
      }
      HILO_ASSIGN_OR_RETURN(const TileAssignment tile, TileAssignmentFromProto(proto));
      HILO_ASSIGN_OR_RETURN(const std::vector<OpSharding::Type> types,
                            SubgroupTypesFromProto(proto));
      return Subgroup(tile, types, metadata);
    }
    default:
      return InvalidArgument("%d is not the type of a sharding here", proto.type());
  }
}

absl::StatusOr<HloSharding> HloSharding::FromProto(const OpSharding& proto) {
  HloSharding sharding(Kind::kTuple);
  if (proto.type() == OpSharding::TUPLE && !proto.has_named_sharding()) {
    for (const OpSharding& part_proto : proto.tuple_shardings()) {
      if (part_proto.type() == OpSharding::TUPLE && !part_proto.has_named_sharding()) {
        return InvalidArgument("tuple shardings are flat: a part of one is a tuple itself");
      }
      HILO_ASSIGN_OR_RETURN(HloSharding part, FromProto(part_proto));
      sharding.tuple_elements_.push_back(std::move(part));
    }
    sharding.metadata_.assign(proto.metadata().begin(), proto.metadata().end());
  } else {
    HILO_ASSIGN_OR_RETURN(sharding, NonTupleFromProto(proto));
  }
  if (proto.is_shard_group()) {
    if (!OpSharding::ShardGroupType_IsValid(proto.shard_group_type())) {
      return InvalidArgument("%d is not the type of a shard group", proto.shard_group_type());
    }
    sharding.shard_group_ = ShardGroup{proto.shard_group_id(), proto.shard_group_type()};
  }
  return sharding;
}

OpSharding HloSharding::ToProto() const {
  OpSharding proto;
  if (shard_group_.has_value()) {
    proto.set_is_shard_group(true);
    proto.set_shard_group_id(shard_group_->id);
    proto.set_shard_group_type(shard_group_->type);
  }
  if (IsNamed()) {
    *proto.mutable_named_sharding() = named_sharding_->ToProto();
    proto.mutable_named_sharding()->mutable_metadata()->Assign(metadata_.begin(), metadata_.end());
    return proto;
  }
  proto.mutable_metadata()->Assign(metadata_.begin(), metadata_.end());
  switch (kind_) {
    case Kind::kReplicated:
      proto.set_type(OpSharding::REPLICATED);
      break;
    case Kind::kManual:
      proto.set_type(OpSharding::MANUAL);
      break;
    case Kind::kUnknown:
      proto.set_type(OpSharding::UNKNOWN);
      break;
    case Kind::kUnreduced:
      proto.set_type(OpSharding::UNREDUCED);
      break;
    case Kind::kMaximal:
      proto.set_type(OpSharding::MAXIMAL);
      proto.add_tile_assignment_devices(tile_assignment_.first());
      break;
    case Kind::kTuple:
      proto.set_type(OpSharding::TUPLE);
      for (const HloSharding& part : tuple_elements_) *proto.add_tuple_shardings() = part.ToProto();
      break;
    case Kind::kTiled:
      proto.set_type(OpSharding::OTHER);
      for (const int64_t size : dimensions()) proto.add_tile_assignment_dimensions(size);
      if (const std::optional<IotaTileAssignment>& iota = tile_assignment_.iota()) {
        for (const int64_t size : iota->reshape_dims()) proto.add_iota_reshape_dims(size);
        for (const int i : iota->transpose_perm()) proto.add_iota_transpose_perm(i);
      } else {
        for (const int64_t device : tile_assignment_.devices()) {
          proto.add_tile_assignment_devices(device);
        }
      }
      if (ReplicateOnLastTileDim()) {
        proto.set_replicate_on_last_tile_dim(true);
      } else {
        for (const OpSharding::Type type : subgroup_types_) proto.add_last_tile_dims(type);
      }
      break;
  }
  return proto;
}

// ---- Named shardings --------------------------------------------------------------------------

HloSharding HloSharding::V3ToV2Sharding(const NamedSharding& named_sharding) {
  const std::vector<OpMetadata>& metadata = named_sharding.metadata();
  const Mesh& mesh = named_sharding.mesh();
  if (named_sharding.IsMaximal()) return AssignDevice(mesh.device_assignment().first(), metadata);
  if (named_sharding.IsReplicated()) return Replicate(metadata);
  if (named_sharding.IsManual()) return Manual(metadata);
  if (named_sharding.IsUnreduced()) return Unreduced(metadata);

  std::vector<AxisRef> axes;
  std::vector<int64_t> dims;
  const auto add_dimension = [&](const std::vector<AxisRef>& dimension_axes) {
    int64_t size = 1;
    for (const AxisRef& axis : dimension_axes) size *= axis.size(mesh);
    dims.push_back(size);
    absl::c_copy(dimension_axes, std::back_inserter(axes));
  };
  for (const NamedSharding::DimensionSharding& dimension : named_sharding.dim_shardings()) {
    add_dimension(dimension.axes());
  }
  add_dimension(named_sharding.manual_axes());
  add_dimension(named_sharding.unreduced_axes());
  dims.push_back(mesh.num_devices() / Product(dims));
  return Subgroup(DevicesByAxes(mesh, axes).Reshape(dims),
                  {OpSharding::MANUAL, OpSharding::UNREDUCED, OpSharding::REPLICATED}, metadata);
}

HloSharding HloSharding::V3ToV2Sharding(const HloSharding& sharding) {
  HloSharding result = sharding;
  result.named_sharding_ = nullptr;
  for (HloSharding& part : result.tuple_elements_) part.named_sharding_ = nullptr;
  return result;
}

// ---- Text -------------------------------------------------------------------------------------

void HloSharding::PrintTuple(Printer* printer, bool include_metadata) const {
  printer->Append("{");
  for (size_t i = 0; i < tuple_elements_.size(); ++i) {
    if (i > 0) printer->Append(", ");
    if (i > 0 && i % 5 == 0) AppendCat(printer, "/*index=", i, "*/");
    tuple_elements_[i].Print(printer, include_metadata);
  }
  printer->Append("}");
}

void HloSharding::PrintBody(Printer* printer) const {
  switch (kind_) {
    case Kind::kReplicated:
      return printer->Append("replicated");
    case Kind::kManual:
      return printer->Append("manual");
    case Kind::kUnknown:
      return printer->Append("unknown");
    case Kind::kUnreduced:
      return printer->Append("unreduced");
    case Kind::kMaximal:
      return AppendCat(printer, "maximal device=", tile_assignment_.first());
    case Kind::kTiled:
      break;
    case Kind::kTuple:
      LOG(FATAL) << "a tuple sharding has no body";
  }
  tile_assignment_.Print(printer);
  if (ReplicateOnLastTileDim()) return printer->Append(" last_tile_dim_replicate");
  if (subgroup_types_.empty()) return;
  printer->Append(" last_tile_dims={");
  AppendJoin(printer, subgroup_types_, ", ",
             [](Printer* out, OpSharding::Type type) { out->Append(TypeName(type)); });
  printer->Append("}");
}

void HloSharding::Print(Printer* printer, bool include_metadata) const {
  if (IsTuple()) return PrintTuple(printer, include_metadata);
  if (IsNamed()) {
    named_sharding_->PrintOpen(printer);
  } else {
    printer->Append("{");
    PrintBody(printer);
    if (shard_group_.has_value()) {
      AppendCat(printer, shard_group_->type == OpSharding::AS ? " shard_as " : " shard_like ",
                shard_group_->id);
    }
  }
  if (include_metadata && !metadata_.empty()) {
    printer->Append(IsNamed() ? ", " : " ");
    PrintShardingMetadata(printer, metadata_, /*always_as_list=*/IsNamed());
  }
  printer->Append("}");
}

std::string HloSharding::ToString(bool include_metadata) const {
  StringPrinter printer;
  Print(&printer, include_metadata);
  return std::move(printer).ToString();
}

std::ostream& operator<<(std::ostream& out, const HloSharding& sharding) {
  return out << sharding.ToString();
}

// ---- Checks -----------------------------------------------------------------------------------

absl::Status HloSharding::Validate(const Shape& shape, std::optional<int64_t> num_devices) const {
  if (!shape.IsTuple()) {
    if (IsTuple()) {
      return InvalidArgument("sharding %s of a tuple stands at a value of shape %s", ToString(),
                             shape.ToString());
    }
    return ValidateLeaf(shape, num_devices);
  }
  if (IsTuple() && static_cast<int64_t>(tuple_elements_.size()) != RequiredParts(shape)) {
    return InvalidArgument("sharding %s has %d parts, shape %s has %d leaves", ToString(),
                           tuple_elements_.size(), shape.ToString(), RequiredParts(shape));
  }
  int64_t part = 0;
  return ShapeUtil::ForEachLeafShapeWithStatus(
      shape, [&](const Shape& leaf, const ShapeIndex& index) {
        const HloSharding& sharding = IsTuple() ? tuple_elements_[part++] : *this;
        return AddStatus(sharding.ValidateLeaf(leaf, num_devices),
                         absl::StrCat("sharding of leaf ", index.ToString()));
      });
}

absl::Status HloSharding::ValidateLeaf(const Shape& shape,
                                       std::optional<int64_t> num_devices) const {
  if (kind_ != Kind::kTiled && kind_ != Kind::kMaximal) return absl::OkStatus();
  absl::flat_hash_set<int64_t> seen;
  for (const int64_t device : tile_assignment_.devices()) {
    if (device < 0 || (num_devices.has_value() && device >= *num_devices)) {
      return InvalidArgument("sharding %s uses device %d, which is not one of %d devices",
                             ToString(), device, num_devices.value_or(kMaxDeviceCount));
    }
    if (!seen.insert(device).second) {
      return InvalidArgument("sharding %s uses device %d twice", ToString(), device);
    }
  }
  if (kind_ == Kind::kMaximal) return absl::OkStatus();
  if (!shape.IsArray()) {
    return InvalidArgument("sharding %s divides a value of shape %s, which is no array", ToString(),
                           shape.ToString());
  }
  if (TiledDataRank() != shape.dimensions_size()) {
    return InvalidArgument("sharding %s divides %d dimensions, shape %s has %d", ToString(),
                           TiledDataRank(), shape.ToString(), shape.dimensions_size());
  }
  return absl::OkStatus();
}

// ---- Questions --------------------------------------------------------------------------------

template <typename Test>
bool HloSharding::All(Test test) const {
  return IsTuple() ? absl::c_all_of(tuple_elements_, test) : test(*this);
}

bool HloSharding::IsReplicated() const {
  return All([](const HloSharding& part) { return part.kind_ == Kind::kReplicated; });
}

bool HloSharding::IsManual() const {
  return All([](const HloSharding& part) { return part.kind_ == Kind::kManual; });
}

bool HloSharding::IsUnknown() const {
  return All([](const HloSharding& part) { return part.kind_ == Kind::kUnknown; });
}

bool HloSharding::IsUnreduced() const {
  return All([](const HloSharding& part) { return part.kind_ == Kind::kUnreduced; });
}

bool HloSharding::IsTileMaximal() const {
  return All([](const HloSharding& part) {
    return part.kind_ == Kind::kReplicated || part.kind_ == Kind::kMaximal;
  });
}

bool HloSharding::IsReplicatedOrSingleDevice() const { return IsReplicated() || HasUniqueDevice(); }

std::optional<int64_t> HloSharding::UniqueDevice() const {
  if (!IsTuple()) {
    return kind_ == Kind::kMaximal ? std::make_optional(tile_assignment_.first()) : std::nullopt;
  }
  if (tuple_elements_.empty()) return std::nullopt;
  const std::optional<int64_t> first = tuple_elements_.front().UniqueDevice();
  for (const HloSharding& part : tuple_elements_) {
    if (part.UniqueDevice() != first) return std::nullopt;
  }
  return first;
}

bool HloSharding::IsTiled() const { return kind_ == Kind::kTiled; }

bool HloSharding::ReplicateOnLastTileDim() const {
  return subgroup_types_.size() == 1 && subgroup_types_[0] == OpSharding::REPLICATED;
}

bool HloSharding::HasPartialReplication() const {
  return absl::c_linear_search(subgroup_types_, OpSharding::REPLICATED);
}

bool HloSharding::IsManualSubgroup() const {
  return All([](const HloSharding& part) {
    return absl::c_linear_search(part.subgroup_types_, OpSharding::MANUAL);
  });
}

TileAssignment HloSharding::device_assignment() const {
  return IsNamed() ? named_sharding_->mesh().device_assignment() : tile_assignment_;
}

int64_t HloSharding::num_dimensions() const {
  return IsNamed() && !IsTiled() ? named_sharding_->num_dimensions()
                                 : tile_assignment_.num_dimensions();
}

int64_t HloSharding::num_devices() const {
  return IsNamed() ? named_sharding_->num_devices() : tile_assignment_.num_elements();
}

int64_t HloSharding::TiledDataRank() const {
  return tile_assignment_.num_dimensions() - static_cast<int64_t>(subgroup_types_.size());
}

int64_t HloSharding::NumTiles() const {
  if (!IsTiled()) return 1;
  return Product(dimensions().subspan(0, TiledDataRank()));
}

bool HloSharding::UsesDevice(int64_t device) const {
  if (IsTuple()) {
    return absl::c_any_of(tuple_elements_,
                          [&](const HloSharding& part) { return part.UsesDevice(device); });
  }
  if (kind_ != Kind::kTiled && kind_ != Kind::kMaximal) return true;
  return tile_assignment_.UsesDevice(device);
}

// ---- Tiles ------------------------------------------------------------------------------------

Shape HloSharding::TileShape(const Shape& shape) const {
  if (!IsTiled()) return shape;
  Shape tile = shape;
  for (int64_t i = 0; i < TiledDataRank(); ++i) {
    if (shape.is_unbounded_dynamic_dimension(i)) continue;
    tile.set_dimensions(i, CeilOfRatio(shape.dimensions(i), tile_assignment_.dim(i)));
  }
  return tile;
}

Shape HloSharding::TileShape(const Shape& shape, int64_t device) const {
  if (!IsTiled()) return shape;
  const std::vector<int64_t> begin = TileOffsetForDevice(shape, device);
  const std::vector<int64_t> end = TileLimitForDevice(shape, device);
  Shape tile = shape;
  for (int64_t i = 0; i < TiledDataRank(); ++i) tile.set_dimensions(i, end[i] - begin[i]);
  return tile;
}

std::vector<int64_t> HloSharding::TileIndexForDevice(int64_t device) const {
  std::vector<int64_t> result;
  tile_assignment_.Each([&](absl::Span<const int64_t> index, int64_t at) {
    if (at == device) result.assign(index.begin(), index.begin() + TiledDataRank());
  });
  CHECK(!result.empty() || TiledDataRank() == 0)
      << "device " << device << " has no tile of " << ToString();
  return result;
}

std::vector<int64_t> HloSharding::TileOffsetForDevice(const Shape& shape, int64_t device) const {
  std::vector<int64_t> offset(shape.dimensions_size(), 0);
  if (!IsTiled()) return offset;
  const std::vector<int64_t> index = TileIndexForDevice(device);
  for (size_t i = 0; i < index.size(); ++i) {
    const int64_t size = shape.dimensions(i);
    offset[i] = std::min(index[i] * CeilOfRatio(size, tile_assignment_.dim(i)), size);
  }
  return offset;
}

std::vector<int64_t> HloSharding::TileLimitForDevice(const Shape& shape, int64_t device) const {
  std::vector<int64_t> limit(shape.dimensions().begin(), shape.dimensions().end());
  if (!IsTiled()) return limit;
  const std::vector<int64_t> offset = TileOffsetForDevice(shape, device);
  for (int64_t i = 0; i < TiledDataRank(); ++i) {
    const int64_t size = shape.dimensions(i);
    limit[i] = std::min(offset[i] + CeilOfRatio(size, tile_assignment_.dim(i)), size);
  }
  return limit;
}

// ---- Variants ---------------------------------------------------------------------------------

HloSharding HloSharding::WithShardGroup(ShardGroup group) const {
  HloSharding result = *this;
  result.shard_group_ = group;
  return result;
}

HloSharding HloSharding::WithMetadata(absl::Span<const OpMetadata> metadata, bool overwrite) const {
  HloSharding result = *this;
  for (HloSharding& part : result.tuple_elements_) part = part.WithMetadata(metadata, overwrite);
  if (!IsTuple() && (overwrite || metadata_.empty())) {
    result.metadata_.assign(metadata.begin(), metadata.end());
  }
  return result;
}

HloSharding HloSharding::WithoutMetadata() const {
  HloSharding result = *this;
  result.metadata_.clear();
  for (HloSharding& part : result.tuple_elements_) part.metadata_.clear();
  return result;
}

bool HloSharding::operator==(const HloSharding& other) const {
  if (IsNamed() != other.IsNamed() || shard_group_ != other.shard_group_) return false;
  if (IsNamed()) return *named_sharding_ == *other.named_sharding_;
  return kind_ == other.kind_ && tile_assignment_ == other.tile_assignment_ &&
         subgroup_types_ == other.subgroup_types_ && tuple_elements_ == other.tuple_elements_;
}

}  // namespace xla
