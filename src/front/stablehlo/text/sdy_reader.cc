// The attributes of the dialect sdy.
#include <utility>

#include "absl/strings/numbers.h"
#include "front/stablehlo/text/attribute_reader.h"

namespace xla::stablehlo {

const Attribute* AttributeReader::ReadMesh() {
  MeshAttribute mesh;
  const auto read_axis = [&] {
    MeshAxis axis;
    if (!ReadString(&axis.name) || !Expect('=') || !ReadSignedInteger(&axis.size)) return false;
    mesh.axes.push_back(axis);
    return true;
  };
  if (!Expect('<') || !ReadList('[', ']', read_axis)) return nullptr;
  if (Accept(',') && (!ExpectName("device_ids") || !ReadIntegers(&mesh.device_ids))) return nullptr;
  return Expect('>') ? Add(std::move(mesh)) : nullptr;
}

// "x", or "x":(1)2 for a part of it.
bool AttributeReader::ReadAxis(AxisReference* axis) {
  if (!ReadString(&axis->name)) return false;
  if (!Accept(':')) return true;
  axis->sub_axis.emplace();
  return Expect('(') && ReadSignedInteger(&axis->sub_axis->first) && Expect(')') &&
         ReadSignedInteger(&axis->sub_axis->second);
}

bool AttributeReader::ReadAxes(std::vector<AxisReference>* axes) {
  return ReadList('{', '}', [&] { return ReadAxis(&axes->emplace_back()); });
}

// {"x", "y", ?}p1, where `?` says that the dimension may be divided further.
bool AttributeReader::ReadDimensionSharding(DimensionSharding* dimension) {
  const auto read_axis = [&] {
    if (!dimension->is_closed) return FailExpected("'}'");
    if (!Accept('?')) return ReadAxis(&dimension->axes.emplace_back());
    dimension->is_closed = false;
    return true;
  };
  if (!ReadList('{', '}', read_axis)) return false;
  if (!At(TokenKind::kWord) || token().text[0] != 'p') return true;
  int64_t priority;
  if (!absl::SimpleAtoi(token().text.substr(1), &priority)) return FailExpected("a priority, p1");
  dimension->priority = priority;
  Next();
  return true;
}

const Attribute* AttributeReader::ReadSharding() {
  TensorShardingAttribute sharding;
  if (!Expect('<')) return nullptr;
  if (AcceptWord("mesh")) {
    sharding.mesh = ReadMesh();
    if (sharding.mesh == nullptr) return nullptr;
  } else {
    SymbolAttribute mesh;
    if (!ReadSymbol(&mesh.name)) return nullptr;
    sharding.mesh = Add(mesh);
  }
  const auto read_dimension = [&] {
    return ReadDimensionSharding(&sharding.dimensions.emplace_back());
  };
  if (!Expect(',') || !ReadList('[', ']', read_dimension)) return nullptr;
  while (Accept(',')) {
    std::vector<AxisReference>* axes = AtWord("replicated")  ? &sharding.replicated_axes
                                       : AtWord("unreduced") ? &sharding.unreduced_axes
                                                             : nullptr;
    if (axes == nullptr) {
      FailExpected("'replicated' or 'unreduced'");
      return nullptr;
    }
    Next();
    if (!Expect('=') || !ReadAxes(axes)) return nullptr;
  }
  return Expect('>') ? Add(std::move(sharding)) : nullptr;
}

const Attribute* AttributeReader::ReadShardingPerValue() {
  const bool has_brackets = Accept('<');
  ShardingPerValueAttribute result;
  const auto read_one = [&] {
    result.shardings.push_back(ReadSharding());
    return result.shardings.back() != nullptr;
  };
  if (!ReadList('[', ']', read_one)) return nullptr;
  return !has_brackets || Expect('>') ? Add(std::move(result)) : nullptr;
}

// [{}, {"x"}], kept as #sdy<list_of_axis_ref_lists[{}, {"x"}]>
const Attribute* AttributeReader::ReadSdyList(absl::string_view name) {
  const Attribute* list = ReadOpaque(place());
  if (list == nullptr) return nullptr;
  const absl::string_view text = std::get<OpaqueAttribute>(list->value).text;
  return Add(OpaqueAttribute{Keep(absl::StrCat("#sdy<", name, text, ">"))});
}

const Attribute* AttributeReader::ReadManualAxes() {
  ArrayAttribute axes;
  const auto read_one = [&] {
    absl::string_view name;
    if (!ReadString(&name)) return false;
    axes.elements.push_back(StringValue(name));
    return true;
  };
  return ReadList('{', '}', read_one) ? Add(std::move(axes)) : nullptr;
}

}  // namespace xla::stablehlo
