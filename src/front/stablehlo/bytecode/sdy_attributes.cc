// Attributes of the dialect sdy, version 1.
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "front/stablehlo/bytecode/entry_reader.h"

namespace xla::stablehlo {
namespace {

struct SdyAttributeCode {
  enum : uint64_t {
    kManualAxes = 0,
    kMeshAxis = 1,
    kMesh = 2,
    kSubAxisInfo = 3,
    kAxisReference = 4,
    kDimensionSharding = 5,
    kTensorSharding = 6,
    kTensorShardingPerValue = 7,
    kDimensionMapping = 8,
    kTensorMapping = 9,
    kShardingRule = 10,
    kTensorShardingWithUnreduced = 15,
    kTensorShardingPerValueWithUnreduced = 16,
  };
};

// Factors are called i, j, ..., z, z_1, z_2, ...
std::string FactorName(int64_t factor) {
  constexpr int64_t kLetters = 'z' - 'i' + 1;
  return factor < kLetters ? std::string(1, static_cast<char>('i' + factor))
                           : absl::StrCat("z_", factor - kLetters + 1);
}

std::string TensorMappingText(const std::vector<std::vector<int64_t>>& dimensions) {
  std::string text = "[";
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (i > 0) text += ", ";
    for (int64_t factor : dimensions[i]) text += FactorName(factor);
  }
  return text + "]";
}

}  // namespace

bool EntryReader::ReadSdyAttribute(uint64_t code, ByteReader& reader, Attribute& attribute) {
  switch (code) {
    case SdyAttributeCode::kManualAxes:
      attribute.value = ArrayAttribute{List(reader)};
      return true;
    case SdyAttributeCode::kMesh:
      attribute.value = SdyMesh(reader);
      return true;
    case SdyAttributeCode::kTensorSharding:
    case SdyAttributeCode::kTensorShardingWithUnreduced:
      attribute.value = SdySharding(reader, code == SdyAttributeCode::kTensorShardingWithUnreduced);
      return true;
    case SdyAttributeCode::kTensorShardingPerValue:
    case SdyAttributeCode::kTensorShardingPerValueWithUnreduced:
      attribute.value = ShardingPerValueAttribute{List(reader)};
      return true;
    case SdyAttributeCode::kShardingRule:
      attribute.value = OpaqueAttribute{program_.Keep(SdyShardingRule(reader))};
      return true;
    default:
      return false;
  }
}

MeshAttribute EntryReader::SdyMesh(ByteReader& reader) {
  MeshAttribute mesh;
  for (uint64_t count = reader.Count(); count > 0 && ok(); --count) {
    ByteReader axis = Open(AttributeEntry(reader.Varint()), "sdy", SdyAttributeCode::kMeshAxis);
    const absl::string_view name = StringAt(axis.Varint());
    mesh.axes.push_back({name, axis.SignedVarint()});
  }
  mesh.device_ids = SignedList(reader);
  return mesh;
}

std::vector<AxisReference> EntryReader::SdyAxes(ByteReader& reader) {
  std::vector<AxisReference> axes;
  const uint64_t count = reader.Count();
  Spend(count * sizeof(AxisReference));
  for (uint64_t i = 0; i < count && ok(); ++i) {
    ByteReader entry =
        Open(AttributeEntry(reader.Varint()), "sdy", SdyAttributeCode::kAxisReference);
    AxisReference& axis = axes.emplace_back(AxisReference{StringAt(entry.Varint())});
    const ByteReader::Flagged part = entry.FlaggedVarint();
    if (!part.flag) continue;
    ByteReader sub_axis = Open(AttributeEntry(part.value), "sdy", SdyAttributeCode::kSubAxisInfo);
    const int64_t before = sub_axis.SignedVarint();
    axis.sub_axis = {before, sub_axis.SignedVarint()};
  }
  return axes;
}

DimensionSharding EntryReader::SdyDimension(uint64_t index) {
  ByteReader reader = Open(AttributeEntry(index), "sdy", SdyAttributeCode::kDimensionSharding);
  DimensionSharding dimension;
  dimension.axes = SdyAxes(reader);
  dimension.is_closed = reader.Byte() != 0;
  const ByteReader::Flagged priority = reader.FlaggedVarint();
  if (priority.flag) dimension.priority = static_cast<int64_t>(priority.value);
  return dimension;
}

TensorShardingAttribute EntryReader::SdySharding(ByteReader& reader, bool has_unreduced_axes) {
  TensorShardingAttribute sharding;
  sharding.mesh = attribute(reader.Varint());
  for (uint64_t count = reader.Count(); count > 0 && ok(); --count) {
    Spend(sizeof(DimensionSharding));
    sharding.dimensions.push_back(SdyDimension(reader.Varint()));
  }
  sharding.replicated_axes = SdyAxes(reader);
  if (has_unreduced_axes) sharding.unreduced_axes = SdyAxes(reader);
  return sharding;
}

// For each tensor its dimensions' factors.
std::vector<std::vector<std::vector<int64_t>>> EntryReader::SdyTensorMappings(ByteReader& reader) {
  std::vector<std::vector<std::vector<int64_t>>> tensors;
  for (uint64_t count = reader.Count(); count > 0 && ok(); --count) {
    ByteReader tensor =
        Open(AttributeEntry(reader.Varint()), "sdy", SdyAttributeCode::kTensorMapping);
    std::vector<std::vector<int64_t>>& dimensions = tensors.emplace_back();
    for (uint64_t left = tensor.Count(); left > 0 && ok(); --left) {
      ByteReader dimension =
          Open(AttributeEntry(tensor.Varint()), "sdy", SdyAttributeCode::kDimensionMapping);
      dimensions.push_back(SignedList(dimension));
      Spend(sizeof(dimensions[0]) + dimensions.back().size() * sizeof(int64_t));
      for (int64_t factor : dimensions.back()) {
        if (factor < 0) reader.Fail();
      }
    }
  }
  return tensors;
}

// As text, such as #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=2, j=4, k=8}, custom>.
std::string EntryReader::SdyShardingRule(ByteReader& reader) {
  const std::vector<int64_t> sizes = SignedList(reader);
  const auto append_tensor = [](std::string* out, const std::vector<std::vector<int64_t>>& tensor) {
    absl::StrAppend(out, TensorMappingText(tensor));
  };
  const auto append_factor = [](std::string* out, int64_t factor) {
    absl::StrAppend(out, FactorName(factor));
  };
  const auto operands = SdyTensorMappings(reader);
  const auto results = SdyTensorMappings(reader);
  std::string text =
      absl::StrCat("#sdy.op_sharding_rule<(", absl::StrJoin(operands, ", ", append_tensor), ")->(",
                   absl::StrJoin(results, ", ", append_tensor), ") {");
  for (size_t i = 0; i < sizes.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", FactorName(static_cast<int64_t>(i)), "=", sizes[i]);
  }
  text += "}";
  for (absl::string_view kind :
       {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
    const std::vector<int64_t> factors = SignedList(reader);
    if (factors.empty()) continue;
    absl::StrAppend(&text, " ", kind, "={", absl::StrJoin(factors, ", ", append_factor), "}");
  }
  if (reader.Byte() != 0) text += ", custom";
  return text + ">";
}

}  // namespace xla::stablehlo
