// Shardings, meshes and groups of devices.
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "front/text/value_parser.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/util.h"

namespace xla {

// [2,4]
bool ValueParser::ParseSizesInSquares(Int64List* sizes) {
  sizes->clear();
  return ParseList(TokenKind::kLeftSquare, TokenKind::kRightSquare,
                   [&] { return ParseNatural(&sizes->emplace_back()); });
}

// T(1,0), if it is there.
bool ValueParser::ParsePermutation(Int64List* permutation) {
  permutation->clear();
  if (!AcceptWord("T")) return true;
  return ParseList(TokenKind::kLeftParen, TokenKind::kRightParen,
                   [&] { return ParseNatural(&permutation->emplace_back()); });
}

// Only a single dimension needs no permutation.
bool ValueParser::CheckPermutation(const char* position, const Int64List& reshape_dims,
                                   Int64List* permutation) {
  if (permutation->empty() && reshape_dims.size() == 1) *permutation = {0};
  return permutation->size() == reshape_dims.size() ||
         FailAt(position, "expected T(...) with ", reshape_dims.size(),
                " dimensions after the sizes [", absl::StrJoin(reshape_dims, ","), "]");
}

// {{0,1},{2,3}}, [2,4]<=[8] or mesh['x'=2,'y'=4] {'x'}
bool ValueParser::Parse(CollectiveDeviceList* devices) {
  const char* const begin = token().begin;
  if (AtWord("maximal_mesh")) {
    Mesh mesh;
    std::vector<AxisRef> axes;
    if (!ParseMesh(&mesh) || !ParseAxes(mesh, &axes)) return false;
    *devices = CollectiveDeviceList(std::vector<Int64List>{{mesh.device_assignment().first()}});
    return true;
  }
  if (AtWord("mesh")) {
    Mesh mesh;
    std::vector<AxisRef> axes;
    if (!ParseMesh(&mesh) || !ParseAxes(mesh, &axes)) return false;
    auto groups = MeshAxesReplicaGroupList::Create(std::move(mesh), std::move(axes));
    if (!groups.ok()) return FailWith(begin, groups.status());
    *devices = *groups;
    return true;
  }
  if (At(TokenKind::kLeftSquare)) {
    Int64List sizes, reshape_dims, permutation;
    if (!ParseSizesInSquares(&sizes) || !Expect(TokenKind::kLessOrEqual) ||
        !ParseSizesInSquares(&reshape_dims) || !ParsePermutation(&permutation)) {
      return false;
    }
    if (sizes.size() != 2) {
      return FailAt(begin, "expected two sizes, groups and devices in a group, got ", sizes.size());
    }
    if (!CheckPermutation(begin, reshape_dims, &permutation)) return false;
    auto groups = IotaReplicaGroupList::Create(sizes[0], sizes[1], reshape_dims, permutation);
    if (!groups.ok()) return FailWith(begin, groups.status());
    *devices = *groups;
    return true;
  }
  if (!At(TokenKind::kLeftBrace)) {
    return FailExpected("replica groups: {{0,1},{2,3}}, [2,4]<=[8] or mesh['x'=2] {'x'}");
  }
  std::vector<Int64List> groups;
  if (!Parse(&groups)) return false;
  *devices = CollectiveDeviceList(groups);
  return true;
}

// ---- Shardings ----

bool ValueParser::Parse(HloSharding* sharding) {
  if (!At(TokenKind::kLeftBrace)) return FailExpected("a sharding in braces");
  const TokenKind ahead = lexer().Peek().kind;
  if (ahead != TokenKind::kLeftBrace && ahead != TokenKind::kRightBrace) {
    return ParseOneSharding(sharding);
  }
  std::vector<HloSharding> elements;
  if (!ParseBraces([&] {
        elements.push_back(HloSharding::Replicate());
        return ParseOneSharding(&elements.back());
      })) {
    return false;
  }
  *sharding = HloSharding::FlatTuple(std::move(elements));
  return true;
}

bool ValueParser::ParseOneSharding(HloSharding* sharding) {
  if (!Expect(TokenKind::kLeftBrace)) return false;
  const bool is_named = AtWord("mesh") || AtWord("maximal_mesh");
  if (is_named ? !ParseNamedSharding(sharding) : !ParseUnnamedSharding(sharding)) return false;
  return Expect(TokenKind::kRightBrace);
}

bool ValueParser::ParseUnnamedSharding(HloSharding* sharding) {
  const char* const begin = token().begin;
  OpSharding proto;
  if (AcceptWord("replicated")) {
    proto.set_type(OpSharding::REPLICATED);
  } else if (AcceptWord("manual")) {
    proto.set_type(OpSharding::MANUAL);
  } else if (AcceptWord("unknown")) {
    proto.set_type(OpSharding::UNKNOWN);
  } else if (AcceptWord("unreduced")) {
    proto.set_type(OpSharding::UNREDUCED);
  } else if (At(TokenKind::kAttributeName) && token().text == "unreduced") {
    // The message has no field for how the parts are to be reduced; metadata says it.
    NamedSharding::ReductionOp reduction_op = NamedShardingProto::SUM;
    Next();
    if (!ParseReductionOp(&reduction_op)) return false;
    proto.set_type(OpSharding::UNREDUCED);
    OpMetadata* const metadata = proto.add_metadata();
    metadata->set_op_type("sdy::reduction_op");
    metadata->set_op_name(NamedShardingProto::ReductionOpProto_Name(reduction_op));
  } else if (AcceptWord("maximal")) {
    int64_t device = 0;
    if (!ExpectAttributeName("device") || !Parse(&device)) return false;
    proto.set_type(OpSharding::MAXIMAL);
    proto.add_tile_assignment_dimensions(1);
    proto.add_tile_assignment_devices(device);
  } else if (At(TokenKind::kAttributeName) && token().text == "devices") {
    if (!ParseTiledSharding(&proto)) return false;
  } else {
    return FailExpected(
        "a sharding: replicated, manual, unknown, unreduced, maximal device=, devices=, mesh or "
        "maximal_mesh");
  }
  if (!ParseShardingSuffix(&proto)) return false;
  absl::StatusOr<HloSharding> made = HloSharding::FromProto(proto);
  if (!made.ok()) return FailWith(begin, made.status());
  *sharding = *std::move(made);
  return true;
}

// devices=[2,2]0,1,2,3 or devices=[2,2]<=[4], and what the last dimensions mean.
bool ValueParser::ParseTiledSharding(OpSharding* sharding) {
  Int64List dims;
  if (!ExpectAttributeName("devices") || !ParseSizesInSquares(&dims)) return false;
  sharding->set_type(OpSharding::OTHER);
  for (int64_t d : dims) sharding->add_tile_assignment_dimensions(d);
  if (Accept(TokenKind::kLessOrEqual)) {
    Int64List reshape_dims, permutation;
    const char* const begin = token().begin;
    if (!ParseSizesInSquares(&reshape_dims) || !ParsePermutation(&permutation)) return false;
    if (!CheckPermutation(begin, reshape_dims, &permutation)) return false;
    for (int64_t d : reshape_dims) sharding->add_iota_reshape_dims(d);
    for (int64_t d : permutation) {
      sharding->add_iota_transpose_perm(static_cast<int32_t>(std::min<int64_t>(d, INT32_MAX)));
    }
  } else {
    do {
      int64_t device = 0;
      if (!ParseNatural(&device)) return false;
      sharding->add_tile_assignment_devices(device);
    } while (Accept(TokenKind::kComma));
  }
  if (AcceptWord("last_tile_dim_replicate")) {
    sharding->set_replicate_on_last_tile_dim(true);
    return true;
  }
  if (!At(TokenKind::kAttributeName) || token().text != "last_tile_dims") return true;
  Next();
  return ParseSubgroupTypes(sharding);
}

// {manual, replicated}
bool ValueParser::ParseSubgroupTypes(OpSharding* sharding) {
  return ParseBraces([&] {
    if (AcceptWord("manual")) {
      sharding->add_last_tile_dims(OpSharding::MANUAL);
    } else if (AcceptWord("maximal")) {
      sharding->add_last_tile_dims(OpSharding::MAXIMAL);
    } else if (AcceptWord("replicated")) {
      sharding->add_last_tile_dims(OpSharding::REPLICATED);
    } else if (AcceptWord("unreduced")) {
      sharding->add_last_tile_dims(OpSharding::UNREDUCED);
    } else {
      return FailExpected("manual, maximal, replicated or unreduced");
    }
    return true;
  });
}

// shard_as 1, shard_like 1, metadata={...}
bool ValueParser::ParseShardingSuffix(OpSharding* sharding) {
  if (AtWord("shard_as") || AtWord("shard_like")) {
    int64_t group = 0;
    sharding->set_shard_group_type(AtWord("shard_as") ? OpSharding::AS : OpSharding::LIKE);
    Next();
    if (!ParseNatural(&group)) return false;
    sharding->set_is_shard_group(true);
    sharding->set_shard_group_id(group);
  }
  if (!At(TokenKind::kAttributeName) || token().text != "metadata") return true;
  Next();
  std::vector<OpMetadata> metadata;
  if (!ParseMetadataOrList(&metadata)) return false;
  for (OpMetadata& item : metadata) *sharding->add_metadata() = std::move(item);
  return true;
}

// {...} or {{...}, {...}}
bool ValueParser::ParseMetadataOrList(std::vector<OpMetadata>* metadata) {
  if (!At(TokenKind::kLeftBrace) || lexer().Peek().kind != TokenKind::kLeftBrace) {
    return Parse(&metadata->emplace_back());
  }
  return ParseBraces([&] { return Parse(&metadata->emplace_back()); });
}

// {kind="sharding", entry={...}, exit={...}}
bool ValueParser::Parse(DomainShardings* domain) {
  if (!Expect(TokenKind::kLeftBrace) || !ExpectAttributeName("kind")) return false;
  const char* const begin = token().begin;
  std::string kind;
  if (!Parse(&kind)) return false;
  if (kind != "sharding") return FailAt(begin, "the only kind of domain is \"sharding\"");
  return Expect(TokenKind::kComma) && ExpectAttributeName("entry") && Parse(&domain->entry) &&
         Expect(TokenKind::kComma) && ExpectAttributeName("exit") && Parse(&domain->exit) &&
         Expect(TokenKind::kRightBrace);
}

// ---- Shardings by the axes of a mesh ----

bool ValueParser::ParseNamedSharding(HloSharding* sharding) {
  const char* const begin = token().begin;
  Mesh mesh;
  NamedSharding::Axes axes;
  std::vector<OpMetadata> metadata;
  if (!ParseMesh(&mesh)) return false;
  std::optional<NamedSharding> whole;
  while (!At(TokenKind::kRightBrace)) {
    if (AtWord("replicated")) {
      whole = NamedSharding::Replicate(mesh);
    } else if (AtWord("manual")) {
      whole = NamedSharding::Manual(mesh);
    } else if (AtWord("unreduced")) {
      whole = NamedSharding::Unreduced(mesh);
    } else if (At(TokenKind::kAttributeName) && token().text == "metadata") {
      Next();
      if (!ParseMetadataOrList(&metadata)) return false;
      Accept(TokenKind::kComma);
      continue;
    } else {
      if (!ParseNamedShardingPart(mesh, &axes)) return false;
      Accept(TokenKind::kComma);
      continue;
    }
    Next();
    Accept(TokenKind::kComma);
  }
  if (whole.has_value()) {
    whole->set_metadata(std::move(metadata));
    *sharding = HloSharding::Named(*std::move(whole));
    return true;
  }
  absl::StatusOr<NamedSharding> named =
      NamedSharding::Create(std::move(mesh), std::move(axes), metadata);
  if (!named.ok()) return FailWith(begin, named.status());
  *sharding = HloSharding::Named(*std::move(named));
  return true;
}

// [{'x'}, {'y', ?}], replicated={...}, unreduced=max{...} or manual={...}
bool ValueParser::ParseNamedShardingPart(const Mesh& mesh, NamedSharding::Axes* axes) {
  if (At(TokenKind::kLeftSquare)) {
    if (!axes->dimensions.empty()) return Fail("the dimensions stand twice");
    return ParseList(TokenKind::kLeftSquare, TokenKind::kRightSquare, [&] {
      return ParseDimensionSharding(mesh, &axes->dimensions.emplace_back());
    });
  }
  if (At(TokenKind::kAttributeName)) {
    const absl::string_view name = token().text;
    if (name == "replicated") {
      Next();
      return ParseAxes(mesh, &axes->replicated);
    }
    if (name == "manual") {
      Next();
      return ParseAxes(mesh, &axes->manual);
    }
    if (name == "unreduced") {
      Next();
      if (!ParseReductionOp(&axes->reduction_op)) return false;
      if (At(TokenKind::kLeftBrace)) return ParseAxes(mesh, &axes->unreduced);
      for (int64_t axis = 0; axis < mesh.num_axes(); ++axis) axes->unreduced.emplace_back(axis);
      return true;
    }
  }
  return FailExpected(
      "'}', '[', replicated, manual, unreduced, replicated=, manual=, unreduced= or metadata=");
}

bool ValueParser::ParseReductionOp(NamedSharding::ReductionOp* reduction_op) {
  *reduction_op = NamedShardingProto::SUM;
  if (!AtWord()) return true;
  if (AtWord("max")) {
    *reduction_op = NamedShardingProto::MAX;
  } else if (AtWord("min")) {
    *reduction_op = NamedShardingProto::MIN;
  } else if (!AtWord("sum")) {
    return FailExpected("sum, max or min");
  }
  Next();
  return true;
}

// {'x', 'y':(1)2, ?}
bool ValueParser::ParseDimensionSharding(const Mesh& mesh,
                                         NamedSharding::DimensionSharding* dimension) {
  std::vector<AxisRef> axes;
  bool is_closed = true;
  const bool is_read = ParseBraces([&] {
    if (!is_closed) return FailExpected("'}' after '?'");
    if (!Accept(TokenKind::kQuestionMark)) return ParseAxis(mesh, &axes);
    is_closed = false;
    return true;
  });
  *dimension = NamedSharding::DimensionSharding(axes, is_closed);
  return is_read;
}

bool ValueParser::ParseAxes(const Mesh& mesh, std::vector<AxisRef>* axes) {
  axes->clear();
  return ParseBraces([&] { return ParseAxis(mesh, axes); });
}

// 'x' or 'x':(1)2; a number in quotes is that of an axis.
bool ValueParser::ParseAxis(const Mesh& mesh, std::vector<AxisRef>* axes) {
  const char* const begin = token().begin;
  std::string name;
  if (!Parse(&name)) return false;
  std::optional<int64_t> axis = mesh.AxisIndex(name);
  int64_t number = 0;
  if (!axis.has_value() && absl::SimpleAtoi(name, &number)) axis = number;
  if (!axis.has_value() || *axis < 0 || *axis >= mesh.num_axes()) {
    return FailAt(begin, "'", name, "' is no axis of ", mesh.ToString());
  }
  if (!Accept(TokenKind::kColon)) {
    axes->emplace_back(*axis);
    return true;
  }
  AxisRef::SubAxis part = {0, 0};
  if (!Expect(TokenKind::kLeftParen) || !ParseNatural(&part.pre_size) ||
      !Expect(TokenKind::kRightParen) || !ParseNatural(&part.size)) {
    return false;
  }
  const absl::StatusOr<AxisRef> made = AxisRef::Create(*axis, part);
  if (!made.ok()) return FailWith(begin, made.status());
  axes->push_back(*made);
  return true;
}

// mesh['x'=2,'y'=4], device_ids=(...) or maximal_mesh[device_id=3]
bool ValueParser::ParseMesh(Mesh* mesh) {
  const char* const begin = token().begin;
  if (AcceptWord("maximal_mesh")) {
    int64_t device = 0;
    if (!Expect(TokenKind::kLeftSquare) || !ExpectAttributeName("device_id") ||
        !ParseNatural(&device) || !Expect(TokenKind::kRightSquare)) {
      return false;
    }
    *mesh = Mesh(device);
    return true;
  }
  if (!ExpectWord("mesh")) return false;
  Int64List sizes;
  std::vector<std::string> names;
  if (!ParseList(TokenKind::kLeftSquare, TokenKind::kRightSquare, [&] {
        return Parse(&names.emplace_back()) && Expect(TokenKind::kEqual) &&
               ParseNatural(&sizes.emplace_back());
      })) {
    return false;
  }
  if (Accept(TokenKind::kComma) && At(TokenKind::kRightBrace)) {
    return FailExpected("device_ids= or what the axes are for");
  }
  absl::StatusOr<Mesh> made = absl::UnknownError("");
  if (At(TokenKind::kAttributeName) && token().text == "device_ids") {
    Next();
    TileAssignment devices;
    if (!ParseMeshDevices(sizes, &devices)) return false;
    Accept(TokenKind::kComma);
    made = Mesh::Create(std::move(devices), std::move(names));
  } else {
    made = Mesh::Create(sizes, std::move(names));
  }
  if (!made.ok()) return FailWith(begin, made.status());
  *mesh = *std::move(made);
  return true;
}

// (0,2,1,3) or ([2,2]T(1,0)): the devices in the order of the axes.
bool ValueParser::ParseMeshDevices(const Int64List& sizes, TileAssignment* devices) {
  const char* const begin = token().begin;
  if (!Expect(TokenKind::kLeftParen)) return false;
  if (At(TokenKind::kLeftSquare)) {
    Int64List reshape_dims, permutation;
    if (!ParseSizesInSquares(&reshape_dims) || !ParsePermutation(&permutation)) return false;
    auto iota = IotaTileAssignment::CreateChecked(sizes, reshape_dims, permutation);
    if (!iota.ok()) return FailWith(begin, iota.status());
    *devices = TileAssignment(*std::move(iota));
    return Expect(TokenKind::kRightParen);
  }
  Int64List ids;
  while (!At(TokenKind::kRightParen)) {
    if (!ParseNatural(&ids.emplace_back())) return false;
    if (!At(TokenKind::kRightParen) && !Expect(TokenKind::kComma)) return false;
  }
  auto listed = TileAssignment::CreateChecked(sizes, ids);
  if (!listed.ok()) return FailWith(begin, listed.status());
  *devices = *std::move(listed);
  return Expect(TokenKind::kRightParen);
}

}  // namespace xla
