#include "front/stablehlo/lower/sharding.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "front/stablehlo/lower/attribute_text.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/shapes.h"
#include "front/stablehlo/lower/table.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

// ---- Meshes
// ------------------------------------------------------------------------------------

absl::StatusOr<const MeshAttribute*> FindMesh(const Lowering& lowering, const Attribute* mesh) {
  if (const auto* own = As<MeshAttribute>(mesh)) return own;
  const auto* symbol = As<SymbolAttribute>(mesh);
  if (symbol == nullptr) return InvalidArgument("a sharding names no mesh");
  const Operation* op = lowering.Symbol(symbol->name);
  const auto* found = op == nullptr ? nullptr : As<MeshAttribute>(op->attribute("mesh"));
  if (found == nullptr) return NotFound("there is no mesh @%s", symbol->name);
  return found;
}

absl::StatusOr<int64_t> DeviceCount(const MeshAttribute& mesh) {
  int64_t count = 1;
  for (const MeshAxis& axis : mesh.axes) {
    if (axis.size < 1 || axis.size > kMaxDeviceCount || count * axis.size > kMaxDeviceCount) {
      return InvalidArgument("the axis %s of a mesh cannot have %d devices", axis.name, axis.size);
    }
    count *= axis.size;
  }
  if (!mesh.device_ids.empty() && static_cast<int64_t>(mesh.device_ids.size()) != count) {
    return InvalidArgument("a mesh of %d devices lists %d", count, mesh.device_ids.size());
  }
  return count;
}

// A mesh whose axes are cut where references to parts of them need it. Pieces are numbered along
// the mesh, the first changing slowest.
class CutMesh {
 public:
  explicit CutMesh(const MeshAttribute& mesh) : mesh_(mesh), cuts_(mesh.axes.size()) {
    for (size_t i = 0; i < mesh.axes.size(); ++i) cuts_[i] = {1, mesh.axes[i].size};
  }

  absl::Status CutFor(const AxisReference& reference) {
    HILO_ASSIGN_OR_RETURN(const size_t axis, AxisOf(reference.name));
    if (!reference.sub_axis.has_value()) return absl::OkStatus();
    const auto [before, size] = *reference.sub_axis;
    const int64_t whole = mesh_.axes[axis].size;
    if (before < 1 || size < 1 || before > whole || size > whole || whole % (before * size) != 0) {
      return InvalidArgument("(%d)%d is no part of the axis %s of %d devices", before, size,
                             reference.name, whole);
    }
    cuts_[axis].push_back(before);
    cuts_[axis].push_back(before * size);
    return absl::OkStatus();
  }

  // Once all cuts are there.
  absl::Status Finish() {
    for (size_t i = 0; i < cuts_.size(); ++i) {
      std::sort(cuts_[i].begin(), cuts_[i].end());
      cuts_[i].erase(std::unique(cuts_[i].begin(), cuts_[i].end()), cuts_[i].end());
      first_piece_.push_back(static_cast<int>(sizes_.size()));
      for (size_t k = 0; k + 1 < cuts_[i].size(); ++k) {
        if (cuts_[i][k + 1] % cuts_[i][k] != 0) {
          return InvalidArgument("parts of the axis %s overlap", mesh_.axes[i].name);
        }
        sizes_.push_back(cuts_[i][k + 1] / cuts_[i][k]);
      }
    }
    return absl::OkStatus();
  }

  // The pieces of an axis or of a part of it.
  std::vector<int> PiecesOf(const AxisReference& reference) const {
    const size_t axis = *AxisOf(reference.name);
    const int64_t begin = reference.sub_axis.has_value() ? reference.sub_axis->first : 1;
    const int64_t end =
        reference.sub_axis.has_value() ? begin * reference.sub_axis->second : mesh_.axes[axis].size;
    std::vector<int> pieces;
    for (size_t k = 0; k + 1 < cuts_[axis].size(); ++k) {
      if (cuts_[axis][k] >= begin && cuts_[axis][k + 1] <= end) {
        pieces.push_back(first_piece_[axis] + static_cast<int>(k));
      }
    }
    return pieces;
  }
  const Integers& sizes() const { return sizes_; }

 private:
  absl::StatusOr<size_t> AxisOf(absl::string_view name) const {
    for (size_t i = 0; i < mesh_.axes.size(); ++i) {
      if (mesh_.axes[i].name == name) return i;
    }
    return InvalidArgument("the mesh has no axis %s", name);
  }

  const MeshAttribute& mesh_;
  std::vector<Integers> cuts_;
  std::vector<int> first_piece_;
  Integers sizes_;
};

// The devices of a mesh in tiles: pieces of the mesh in another order, put together to dimensions.
absl::StatusOr<TileAssignment> MakeTiles(const MeshAttribute& mesh, const Integers& tile_sizes,
                                         const Integers& pieces, const std::vector<int>& order) {
  HILO_ASSIGN_OR_RETURN(
      const IotaTileAssignment iota,
      IotaTileAssignment::CreateChecked(tile_sizes, pieces, Integers(order.begin(), order.end())));
  if (mesh.device_ids.empty()) return TileAssignment(iota);
  Array<int64_t> devices = iota.ToArray();
  devices.Each(
      [&](absl::Span<const int64_t>, int64_t* device) { *device = mesh.device_ids[*device]; });
  return TileAssignment(std::move(devices));
}

absl::StatusOr<std::vector<AxisRef>> ToAxes(const Mesh& mesh,
                                            absl::Span<const AxisReference> references) {
  std::vector<AxisRef> axes;
  for (const AxisReference& reference : references) {
    const std::optional<int64_t> axis = mesh.AxisIndex(reference.name);
    if (!axis.has_value()) return InvalidArgument("the mesh has no axis %s", reference.name);
    if (!reference.sub_axis.has_value() || reference.sub_axis->second == mesh.axis_size(*axis)) {
      axes.emplace_back(*axis);
      continue;
    }
    HILO_ASSIGN_OR_RETURN(
        axes.emplace_back(*axis),
        AxisRef::Create(*axis, {reference.sub_axis->first, reference.sub_axis->second}));
  }
  return axes;
}

// By the names of axes, which can say what the compiler may divide further and along which axes it
// may not.
absl::StatusOr<NamedSharding> ToNamedSharding(const Lowering& lowering, const MeshAttribute& mesh,
                                              const TensorShardingAttribute& sharding) {
  Integers sizes;
  std::vector<std::string> names;
  for (const MeshAxis& axis : mesh.axes) {
    sizes.push_back(axis.size);
    names.emplace_back(axis.name);
  }
  TileAssignment devices(sizes);
  if (!mesh.device_ids.empty()) {
    HILO_ASSIGN_OR_RETURN(devices, TileAssignment::CreateChecked(sizes, mesh.device_ids));
  }
  HILO_ASSIGN_OR_RETURN(Mesh named_mesh, Mesh::Create(std::move(devices), std::move(names)));
  NamedSharding::Axes axes;
  for (const DimensionSharding& dimension : sharding.dimensions) {
    HILO_ASSIGN_OR_RETURN(const std::vector<AxisRef> divides, ToAxes(named_mesh, dimension.axes));
    axes.dimensions.emplace_back(divides, dimension.is_closed);
  }
  HILO_ASSIGN_OR_RETURN(axes.unreduced, ToAxes(named_mesh, sharding.unreduced_axes));
  HILO_ASSIGN_OR_RETURN(axes.replicated, ToAxes(named_mesh, sharding.replicated_axes));
  const auto is_used = [&](const AxisRef& axis) {
    const auto overlaps = [&](const AxisRef& other) { return other.Overlaps(axis); };
    return absl::c_any_of(axes.unreduced, overlaps) ||
           absl::c_any_of(axes.dimensions, [&](const NamedSharding::DimensionSharding& dimension) {
             return absl::c_any_of(dimension.axes(), overlaps);
           });
  };
  for (const absl::string_view name : lowering.manual_axes()) {
    const std::optional<int64_t> axis = named_mesh.AxisIndex(name);
    if (axis.has_value() && !is_used(AxisRef(*axis))) axes.manual.emplace_back(*axis);
  }
  axes.replicated.erase(std::remove_if(axes.replicated.begin(), axes.replicated.end(),
                                       [&](const AxisRef& axis) {
                                         return absl::c_any_of(axes.manual,
                                                               [&](const AxisRef& manual) {
                                                                 return manual.Overlaps(axis);
                                                               });
                                       }),
                        axes.replicated.end());
  for (std::vector<AxisRef>* set : {&axes.replicated, &axes.unreduced, &axes.manual})
    SortAndMergeAxes(*set, named_mesh);
  return NamedSharding::Create(std::move(named_mesh), std::move(axes));
}

absl::StatusOr<std::optional<HloSharding>> ToTiledSharding(Lowering& lowering,
                                                           const MeshAttribute* mesh,
                                                           const TensorShardingAttribute* sharding,
                                                           int64_t rank) {
  // A mesh without axes that names a device is that device.
  if (mesh->axes.empty() && mesh->device_ids.size() == 1 && mesh->device_ids[0] >= 0 &&
      mesh->device_ids[0] < kMaxDeviceCount && lowering.module().config().num_partitions() > 1) {
    return HloSharding::AssignDevice(mesh->device_ids[0]);
  }
  HILO_ASSIGN_OR_RETURN(const int64_t count, DeviceCount(*mesh));
  if (count == 1) return std::nullopt;
  if (static_cast<int64_t>(sharding->dimensions.size()) != rank) {
    return InvalidArgument("a sharding of %d dimensions is given to an array of %d",
                           sharding->dimensions.size(), rank);
  }
  CutMesh cut(*mesh);
  for (const DimensionSharding& dimension : sharding->dimensions) {
    for (const AxisReference& axis : dimension.axes) HILO_RETURN_IF_ERROR(cut.CutFor(axis));
  }
  for (const AxisReference& axis : sharding->unreduced_axes) {
    HILO_RETURN_IF_ERROR(cut.CutFor(axis));
  }
  HILO_RETURN_IF_ERROR(cut.Finish());

  // Pieces of the mesh in the order of the dimensions, then manual ones, then those along which
  // devices hold summands, then all others.
  std::vector<int> order;
  std::vector<bool> used(cut.sizes().size(), false);
  const auto use = [&](absl::Span<const int> pieces) -> absl::StatusOr<int64_t> {
    int64_t size = 1;
    for (const int piece : pieces) {
      if (used[piece]) return InvalidArgument("a sharding uses an axis twice");
      used[piece] = true;
      order.push_back(piece);
      size *= cut.sizes()[piece];
    }
    return size;
  };
  Integers tiles;
  for (const DimensionSharding& dimension : sharding->dimensions) {
    std::vector<int> pieces;
    for (const AxisReference& axis : dimension.axes) {
      const std::vector<int> more = cut.PiecesOf(axis);
      pieces.insert(pieces.end(), more.begin(), more.end());
    }
    HILO_ASSIGN_OR_RETURN(const int64_t size, use(pieces));
    tiles.push_back(size);
  }
  std::vector<OpSharding::Type> subgroups;
  std::vector<int> manual;
  for (const absl::string_view name : lowering.manual_axes()) {
    if (absl::c_none_of(mesh->axes, [&](const MeshAxis& axis) { return axis.name == name; })) {
      continue;
    }
    for (const int piece : cut.PiecesOf({name, std::nullopt})) {
      if (!used[piece]) manual.push_back(piece);
    }
  }
  if (!manual.empty()) {
    HILO_ASSIGN_OR_RETURN(const int64_t size, use(manual));
    if (size == count) return HloSharding::Manual();
    tiles.push_back(size);
    subgroups.push_back(OpSharding::MANUAL);
  }
  std::vector<int> unreduced;
  for (const AxisReference& axis : sharding->unreduced_axes) {
    for (const int piece : cut.PiecesOf(axis)) {
      if (!used[piece]) unreduced.push_back(piece);
    }
  }
  if (!unreduced.empty()) {
    HILO_ASSIGN_OR_RETURN(const int64_t size, use(unreduced));
    if (size == count) return HloSharding::Unreduced();
    if (size > 1) {
      tiles.push_back(size);
      subgroups.push_back(OpSharding::UNREDUCED);
    }
  }
  if (absl::c_all_of(tiles, [](int64_t size) { return size == 1; })) {
    return HloSharding::Replicate();
  }
  std::vector<int> rest;
  for (size_t piece = 0; piece < used.size(); ++piece) {
    if (!used[piece]) rest.push_back(static_cast<int>(piece));
  }
  HILO_ASSIGN_OR_RETURN(const int64_t size, use(rest));
  if (size > 1) {
    tiles.push_back(size);
    subgroups.push_back(OpSharding::REPLICATED);
  }
  HILO_ASSIGN_OR_RETURN(const TileAssignment assignment,
                        MakeTiles(*mesh, tiles, cut.sizes(), order));
  return subgroups.empty() ? HloSharding::Tile(assignment)
                           : HloSharding::Subgroup(assignment, subgroups);
}

}  // namespace

absl::StatusOr<std::optional<HloSharding>> ToHloSharding(Lowering& lowering,
                                                         const Attribute& attribute, int64_t rank) {
  const auto* sharding = As<TensorShardingAttribute>(&attribute);
  if (sharding == nullptr) return InvalidArgument("a sharding is none of a tensor");
  HILO_ASSIGN_OR_RETURN(const MeshAttribute* mesh, FindMesh(lowering, sharding->mesh));
  HILO_ASSIGN_OR_RETURN(std::optional<HloSharding> tiled,
                        ToTiledSharding(lowering, mesh, sharding, rank));
  const bool is_open = absl::c_any_of(
      sharding->dimensions, [](const DimensionSharding& each) { return !each.is_closed; });
  if (!is_open || !tiled.has_value() || tiled->IsManual() || tiled->HasUniqueDevice()) return tiled;
  // Names that HLO does not take leave the dimensions closed.
  absl::StatusOr<NamedSharding> named = ToNamedSharding(lowering, *mesh, *sharding);
  return named.ok() ? HloSharding::Named(*std::move(named)) : tiled;
}

namespace {

// Devices that differ along the axes only are a group.
absl::StatusOr<CollectiveDeviceList> GroupsAlongAxes(Lowering& lowering,
                                                     const ReplicaGroupMeshAxes& groups) {
  HILO_ASSIGN_OR_RETURN(const MeshAttribute* mesh, FindMesh(lowering, groups.mesh));
  HILO_ASSIGN_OR_RETURN(const int64_t count, DeviceCount(*mesh));
  CutMesh cut(*mesh);
  for (const AxisReference& axis : groups.axes) HILO_RETURN_IF_ERROR(cut.CutFor(axis));
  HILO_RETURN_IF_ERROR(cut.Finish());
  std::vector<int> inside;
  for (const AxisReference& axis : groups.axes) {
    const std::vector<int> more = cut.PiecesOf(axis);
    inside.insert(inside.end(), more.begin(), more.end());
  }
  std::vector<int> order;
  int64_t size = 1;
  for (int piece = 0; piece < static_cast<int>(cut.sizes().size()); ++piece) {
    if (!absl::c_linear_search(inside, piece)) order.push_back(piece);
  }
  for (const int piece : inside) size *= cut.sizes()[piece];
  if (size < 1 || count % size != 0) return InvalidArgument("replica_groups uses an axis twice");
  order.insert(order.end(), inside.begin(), inside.end());
  HILO_ASSIGN_OR_RETURN(const TileAssignment devices,
                        MakeTiles(*mesh, {count / size, size}, cut.sizes(), order));
  std::vector<Integers> rows(count / size);
  devices.Each(
      [&](absl::Span<const int64_t> index, int64_t device) { rows[index[0]].push_back(device); });
  return CollectiveDeviceList(rows);
}

}  // namespace

absl::StatusOr<CollectiveDeviceList> GetReplicaGroups(Lowering& lowering, const Operation& op) {
  constexpr absl::string_view kName = "replica_groups";
  if (const auto* groups = As<ReplicaGroupMeshAxes>(op.attribute(kName))) {
    return GroupsAlongAxes(lowering, *groups);
  }
  HILO_ASSIGN_OR_RETURN(const Integers devices, GetIntegersOrNone(op, kName));
  if (devices.empty()) return CollectiveDeviceList();
  const auto* tensor = As<TensorAttribute>(op.attribute(kName));
  if (tensor == nullptr || tensor->shape->dimensions_size() != 2) {
    return InvalidArgument("the attribute replica_groups must be a matrix of integers");
  }
  const int64_t rows = tensor->shape->dimensions(0);
  const int64_t columns = tensor->shape->dimensions(1);
  std::vector<Integers> groups(rows);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t device = devices[row * columns + column];
      if (device == -1) break;
      groups[row].push_back(device);
    }
  }
  return CollectiveDeviceList(groups);
}

namespace {

const Attribute* Find(const NamedAttributes& attributes, absl::string_view name) {
  for (const NamedAttribute& entry : attributes) {
    if (entry.name == name) return entry.value;
  }
  return nullptr;
}

// As text of HLO, or as the bytes of a message.
absl::StatusOr<HloSharding> ParseOldSharding(absl::string_view text) {
  if (absl::StartsWith(text, "{")) return ParseSharding(text);
  OpSharding proto;
  if (!proto.ParseFromString(std::string(text))) {
    return InvalidArgument("mhlo.sharding is no sharding");
  }
  return HloSharding::FromProto(proto);
}

}  // namespace

absl::StatusOr<std::optional<HloSharding>> ShardingOf(Lowering& lowering,
                                                      const NamedAttributes& attributes,
                                                      int64_t rank) {
  if (const Attribute* sharding = Find(attributes, "sdy.sharding")) {
    return ToHloSharding(lowering, *sharding, rank);
  }
  if (const auto* text = As<StringAttribute>(Find(attributes, "mhlo.sharding"))) {
    HILO_ASSIGN_OR_RETURN(HloSharding sharding, ParseOldSharding(text->value));
    return sharding;
  }
  return std::nullopt;
}

absl::Status AddShardings(Lowering& lowering, const Operation& op, HloInstruction& result) {
  if (op.discardable.empty()) return absl::OkStatus();
  if (const auto* text = As<StringAttribute>(op.discardable_attribute("mhlo.sharding"))) {
    HILO_ASSIGN_OR_RETURN(HloSharding sharding, ParseOldSharding(text->value));
    HILO_RETURN_IF_ERROR(sharding.Validate(result.shape()));
    result.set_sharding(std::move(sharding));
    return absl::OkStatus();
  }
  const Attribute* attribute = op.discardable_attribute("sdy.sharding");
  if (attribute == nullptr) return absl::OkStatus();
  std::vector<const Attribute*> each = {attribute};
  if (const auto* per_value = As<ShardingPerValueAttribute>(attribute)) each = per_value->shardings;
  // A call without results may say on which device it runs.
  if (op.results.empty() && each.size() == 1) {
    HILO_ASSIGN_OR_RETURN(const std::optional<HloSharding> sharding,
                          ToHloSharding(lowering, *each[0], 0));
    if (sharding.has_value() && sharding->HasUniqueDevice()) result.set_sharding(*sharding);
    return absl::OkStatus();
  }
  if (each.size() != op.results.size()) {
    return InvalidArgument("there are %d shardings for %d results", each.size(), op.results.size());
  }
  std::vector<HloSharding> shardings;
  for (size_t i = 0; i < each.size(); ++i) {
    const Shape& shape = lowering.program().shape(op.results[i]);
    const int64_t rank = shape.IsArray() ? shape.dimensions_size() : 0;
    HILO_ASSIGN_OR_RETURN(const std::optional<HloSharding> sharding,
                          ToHloSharding(lowering, *each[i], rank));
    if (!sharding.has_value()) return absl::OkStatus();
    shardings.push_back(*sharding);
  }
  if (shardings.empty() || result.opcode() == HloOpcode::kParameter) return absl::OkStatus();
  HloSharding whole = op.results.size() == 1 ? shardings[0] : HloSharding::FlatTuple(shardings);
  // A loop may have more state than results.
  if (whole.Validate(result.shape()).ok()) result.set_sharding(std::move(whole));
  return absl::OkStatus();
}

absl::StatusOr<FrontendAttributes> ToFrontendAttributes(const Attribute& attribute) {
  const auto* dictionary = As<DictionaryAttribute>(&attribute);
  if (dictionary == nullptr) return InvalidArgument("frontend attributes must be a dictionary");
  FrontendAttributes attributes;
  for (const NamedAttribute& entry : dictionary->entries) {
    const auto* text = As<StringAttribute>(entry.value);
    if (text != nullptr) {
      (*attributes.mutable_map())[std::string(entry.name)] = std::string(text->value);
    } else {
      HILO_ASSIGN_OR_RETURN((*attributes.mutable_map())[std::string(entry.name)],
                            ToText(*entry.value));
    }
  }
  return attributes;
}

absl::Status AddFrontendAttributes(const Operation& op, HloInstruction& instruction) {
  const Attribute* attribute = op.discardable_attribute("mhlo.frontend_attributes");
  if (attribute == nullptr) return absl::OkStatus();
  HILO_ASSIGN_OR_RETURN(const FrontendAttributes attributes, ToFrontendAttributes(*attribute));
  instruction.add_frontend_attributes(attributes);
  return absl::OkStatus();
}

// ---- Operations
// --------------------------------------------------------------------------------

// Axes of a mesh along which the program itself divides arrays, while this lives.
class ManualAxes {
 public:
  ManualAxes(Lowering& lowering, absl::Span<const absl::string_view> axes)
      : axes_(lowering.manual_axes_), count_(axes.size()) {
    axes_.insert(axes_.end(), axes.begin(), axes.end());
  }
  ~ManualAxes() { axes_.resize(axes_.size() - count_); }

 private:
  std::vector<absl::string_view>& axes_;
  size_t count_;
};

namespace {

// A custom call that changes nothing but what is known of how its operand is divided.
absl::StatusOr<HloInstruction*> AddAnnotation(Body& body, absl::string_view target,
                                              HloInstruction* operand, const Shape& shape,
                                              const HloSharding& sharding) {
  auto attributes = std::make_unique<CustomCallAttributes>();
  attributes->target = std::string(target);
  HILO_ASSIGN_OR_RETURN(HloInstruction * call,
                        body.Add(HloOpcode::kCustomCall, shape, {operand}, std::move(attributes)));
  HILO_RETURN_IF_ERROR(sharding.Validate(shape));
  call->set_sharding(sharding);
  return call;
}

int64_t RankOf(const Shape& shape) { return shape.IsArray() ? shape.dimensions_size() : 0; }

// The shardings of operands or results of a manual computation.
absl::StatusOr<std::vector<const Attribute*>> GetShardings(const Operation& op,
                                                           absl::string_view name, size_t count) {
  const Attribute* attribute = op.attribute(name);
  const auto* per_value = As<ShardingPerValueAttribute>(attribute);
  if (per_value == nullptr || per_value->shardings.size() != count) {
    return InvalidArgument("the attribute %s must be %d shardings", name, count);
  }
  return per_value->shardings;
}

absl::StatusOr<std::vector<absl::string_view>> GetManualAxes(const Operation& op) {
  std::vector<absl::string_view> axes;
  const Attribute* attribute = op.attribute("manual_axes");
  if (attribute == nullptr) return axes;
  const auto* list = As<ArrayAttribute>(attribute);
  if (list == nullptr) return InvalidArgument("manual_axes must be a list of names");
  for (const Attribute* element : list->elements) {
    const auto* name = As<StringAttribute>(element);
    if (name == nullptr) return InvalidArgument("manual_axes must be a list of names");
    axes.push_back(name->value);
  }
  return axes;
}

// Lowers the region where the operation stands and gives what it returns.
absl::StatusOr<std::vector<HloInstruction*>> LowerInPlace(
    Body& body, const Operation& op, absl::Span<HloInstruction* const> arguments) {
  const Region& region = op.regions[0];
  if (region.arguments.size() != arguments.size()) {
    return InvalidArgument("there are %d operands and %d arguments of the region", arguments.size(),
                           region.arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) body.Bind(region.arguments[i], arguments[i]);
  HILO_ASSIGN_OR_RETURN(const Operation* end, body.LowerAll(region));
  HILO_ASSIGN_OR_RETURN(std::vector<HloInstruction*> results, body.Operands(*end));
  if (results.size() != op.results.size()) {
    return InvalidArgument("there are %d results, but the region returns %d", op.results.size(),
                           results.size());
  }
  return results;
}

}  // namespace

absl::Status LowerShardingConstraint(Body& body, const Operation& op, HloOpcode) {
  const Attribute* attribute = op.attribute("sharding");
  if (attribute == nullptr) attribute = op.attribute("out_sharding");
  if (attribute == nullptr) return InvalidArgument("there is no sharding");
  HILO_ASSIGN_OR_RETURN(HloInstruction * value, body.Operand(op, 0));
  HILO_ASSIGN_OR_RETURN(const std::optional<HloSharding> sharding,
                        ToHloSharding(body.lowering(), *attribute, RankOf(value->shape())));
  if (sharding.has_value()) {
    HILO_ASSIGN_OR_RETURN(value, AddAnnotation(body, "Sharding", value, value->shape(), *sharding));
  }
  body.Bind(op.results[0], value);
  return absl::OkStatus();
}

// Arrays of one group are divided alike. What follows uses the one that says so.
absl::Status LowerShardingGroup(Body& body, const Operation& op, HloOpcode) {
  const auto* group = As<IntegerAttribute>(op.attribute("group_id"));
  if (group == nullptr) return InvalidArgument("there is no group_id");
  HILO_ASSIGN_OR_RETURN(HloInstruction * value, body.Operand(op, 0));
  if (body.lowering().module().config().num_partitions() == 1 || !value->shape().IsArray())
    return absl::OkStatus();
  const HloSharding sharding =
      HloSharding::Unknown().WithShardGroup(HloSharding::ShardAs(group->value));
  HILO_ASSIGN_OR_RETURN(value, AddAnnotation(body, "Sharding", value, value->shape(), sharding));
  // It counts for the others of its group even if nothing follows.
  value->mutable_attributes_as<CustomCallAttributes>().has_side_effect = true;
  body.Bind(op.operands[0], value);
  return absl::OkStatus();
}

// The region stands where the operation does. Around it, arrays turn from global ones, which are
// divided as is asked for, to the part of each device, and back.
absl::Status LowerManualComputation(Body& body, const Operation& op, HloOpcode) {
  Lowering& lowering = body.lowering();
  HILO_ASSIGN_OR_RETURN(const auto in_shardings,
                        GetShardings(op, "in_shardings", op.operands.size()));
  HILO_ASSIGN_OR_RETURN(const auto out_shardings,
                        GetShardings(op, "out_shardings", op.results.size()));
  HILO_ASSIGN_OR_RETURN(const std::vector<absl::string_view> axes, GetManualAxes(op));
  HILO_ASSIGN_OR_RETURN(std::vector<HloInstruction*> values, body.Operands(op));
  if (op.regions[0].arguments.size() != values.size()) {
    return InvalidArgument("there are %d operands and %d arguments of the region", values.size(),
                           op.regions[0].arguments.size());
  }
  // The sharding of a part: axes of the mesh that stay are for the compiler.
  const auto part_sharding = [&](const Attribute& whole) {
    TensorShardingAttribute part = std::get<TensorShardingAttribute>(whole.value);
    for (DimensionSharding& dimension : part.dimensions) {
      dimension.axes.erase(std::remove_if(dimension.axes.begin(), dimension.axes.end(),
                                          [&](const AxisReference& axis) {
                                            return absl::c_linear_search(axes, axis.name);
                                          }),
                           dimension.axes.end());
    }
    return part;
  };
  for (size_t i = 0; i < values.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const Shape* local, lowering.ShapeOf(op.regions[0].arguments[i]));
    if (!values[i]->shape().IsArray()) continue;
    HILO_ASSIGN_OR_RETURN(const std::optional<HloSharding> whole,
                          ToHloSharding(lowering, *in_shardings[i], RankOf(values[i]->shape())));
    if (!whole.has_value()) continue;
    HILO_ASSIGN_OR_RETURN(values[i],
                          AddAnnotation(body, "Sharding", values[i], values[i]->shape(), *whole));
    const ManualAxes manual(lowering, axes);
    HILO_ASSIGN_OR_RETURN(
        const std::optional<HloSharding> part,
        ToHloSharding(lowering, Attribute{part_sharding(*in_shardings[i])}, RankOf(*local)));
    HILO_ASSIGN_OR_RETURN(values[i],
                          AddAnnotation(body, "SPMDFullToShardShape", values[i], *local, *part));
  }
  std::vector<HloInstruction*> results;
  {
    const ManualAxes manual(lowering, axes);
    HILO_ASSIGN_OR_RETURN(results, LowerInPlace(body, op, values));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const Shape* global, lowering.ShapeOf(op.results[i]));
    HILO_ASSIGN_OR_RETURN(const std::optional<HloSharding> whole,
                          ToHloSharding(lowering, *out_shardings[i], RankOf(*global)));
    if (whole.has_value() && global->IsArray()) {
      {
        const ManualAxes manual(lowering, axes);
        HILO_ASSIGN_OR_RETURN(
            const std::optional<HloSharding> part,
            ToHloSharding(lowering, Attribute{part_sharding(*out_shardings[i])}, RankOf(*global)));
        HILO_ASSIGN_OR_RETURN(
            results[i], AddAnnotation(body, "Sharding", results[i], results[i]->shape(), *part));
      }
      HILO_ASSIGN_OR_RETURN(
          results[i], AddAnnotation(body, "SPMDShardToFullShape", results[i], *global, *whole));
    }
    body.Bind(op.results[i], results[i]);
  }
  return absl::OkStatus();
}

absl::Status LowerNamedComputation(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> results,
                        LowerInPlace(body, op, operands));
  for (size_t i = 0; i < results.size(); ++i) body.Bind(op.results[i], results[i]);
  return absl::OkStatus();
}

}  // namespace xla::stablehlo::lowering
