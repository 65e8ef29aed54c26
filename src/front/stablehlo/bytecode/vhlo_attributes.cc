// Attributes of the dialect vhlo.
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "front/stablehlo/bytecode/entry_reader.h"

namespace xla::stablehlo {
namespace {

struct VhloAttributeCode {
  enum : uint64_t {
    kArray = 1,
    kBoolean = 2,
    kComparisonDirection = 3,
    kComparisonType = 4,
    kCustomCallApiVersion = 5,
    kDictionary = 6,
    kFftType = 7,
    kFloat = 8,
    kInteger = 9,
    kOutputOperandAlias = 10,
    kPrecision = 11,
    kRngAlgorithm = 12,
    kRngDistribution = 13,
    kString = 14,
    kTensor = 15,
    kTranspose = 16,
    kType = 17,
    kTypeExtensions = 18,
    kResultAccuracyMode = 19,
    kResultAccuracy = 20,
    kSubAxisInfo = 21,
    kAxisReference = 22,
    kReplicaGroupMeshAxes = 23,
    kMeshAxis = 24,
    kMesh = 25,
  };
};

constexpr absl::string_view kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr absl::string_view kComparisonTypes[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED",
                                                  "UNSIGNED"};
constexpr absl::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr absl::string_view kPrecisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
constexpr absl::string_view kRngAlgorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
constexpr absl::string_view kRngDistributions[] = {"", "UNIFORM", "NORMAL"};
constexpr absl::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE",
                                             "ADJOINT"};
constexpr absl::string_view kAccuracyModes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};

absl::Span<const absl::string_view> Keywords(uint64_t code) {
  switch (code) {
    case VhloAttributeCode::kComparisonDirection:
      return kDirections;
    case VhloAttributeCode::kComparisonType:
      return kComparisonTypes;
    case VhloAttributeCode::kFftType:
      return kFftTypes;
    case VhloAttributeCode::kPrecision:
      return kPrecisions;
    case VhloAttributeCode::kRngAlgorithm:
      return kRngAlgorithms;
    case VhloAttributeCode::kRngDistribution:
      return kRngDistributions;
    case VhloAttributeCode::kTranspose:
      return kTransposes;
    case VhloAttributeCode::kResultAccuracyMode:
      return kAccuracyModes;
    default:
      return {};
  }
}

std::string BoundsText(absl::Span<const int64_t> bounds) {
  return absl::StrCat("#stablehlo.bounds<",
                      absl::StrJoin(bounds, ", ",
                                    [](std::string* out, int64_t bound) {
                                      bound == Shape::kUnboundedSize ? absl::StrAppend(out, "?")
                                                                     : absl::StrAppend(out, bound);
                                    }),
                      ">");
}

}  // namespace

bool EntryReader::ReadVhloAttribute(uint64_t code, ByteReader& reader, Attribute& attribute) {
  if (const auto keywords = Keywords(code); !keywords.empty()) {
    const uint64_t value = reader.Varint();
    if (value >= keywords.size()) return reader.Fail(), true;
    attribute.value = KeywordAttribute{keywords[value]};
    return true;
  }
  switch (code) {
    case VhloAttributeCode::kArray:
      attribute.value = ArrayAttribute{List(reader)};
      return true;
    case VhloAttributeCode::kBoolean:
      attribute.value = reader.Varint() != 0;
      return true;
    case VhloAttributeCode::kCustomCallApiVersion:
      attribute.value = IntegerAttribute{S32, static_cast<int64_t>(reader.Varint())};
      return true;
    case VhloAttributeCode::kDictionary:
      attribute.value = DictionaryAttribute{Entries(reader)};
      return true;
    case VhloAttributeCode::kFloat:
      attribute.value = Float(reader);
      return true;
    case VhloAttributeCode::kInteger:
      IntegerOrBool(reader, attribute);
      return true;
    case VhloAttributeCode::kOutputOperandAlias: {
      OutputOperandAlias alias;
      alias.output_indices = SignedList(reader);
      alias.operand = reader.SignedVarint();
      alias.operand_indices = SignedList(reader);
      attribute.value = std::move(alias);
      return true;
    }
    case VhloAttributeCode::kString:
      attribute.value = StringAttribute{StringAt(reader.Varint())};
      return true;
    case VhloAttributeCode::kTensor: {
      const Shape* shape = this->shape(reader.Varint());
      attribute = Tensor(*shape, reader.Blob());
      return true;
    }
    case VhloAttributeCode::kType:
      attribute.value = TypeAttribute{type(reader.Varint())};
      return true;
    case VhloAttributeCode::kTypeExtensions:
      attribute.value = OpaqueAttribute{program_.Keep(BoundsText(SignedList(reader)))};
      return true;
    case VhloAttributeCode::kResultAccuracy: {
      ResultAccuracyAttribute accuracy;
      accuracy.absolute_tolerance = Double(reader);
      accuracy.relative_tolerance = Double(reader);
      accuracy.units = reader.SignedVarint();
      const auto* mode = std::get_if<KeywordAttribute>(&this->attribute(reader.Varint())->value);
      if (mode == nullptr) return reader.Fail(), true;
      accuracy.mode = mode->name;
      attribute.value = accuracy;
      return true;
    }
    case VhloAttributeCode::kReplicaGroupMeshAxes: {
      ReplicaGroupMeshAxes groups;
      groups.mesh = this->attribute(reader.Varint());
      if (const auto* name = std::get_if<StringAttribute>(&groups.mesh->value)) {
        groups.mesh = program_.Add(Attribute{SymbolAttribute{name->value}});
      }
      for (uint64_t axis : VhloArray(reader.Varint())) groups.axes.push_back(VhloAxis(axis));
      attribute.value = std::move(groups);
      return true;
    }
    case VhloAttributeCode::kMesh:
      attribute.value = VhloMesh(reader);
      return true;
    default:
      return false;
  }
}

std::vector<uint64_t> EntryReader::VhloArray(uint64_t index) {
  ByteReader reader = Open(AttributeEntry(index), "vhlo", VhloAttributeCode::kArray);
  std::vector<uint64_t> elements(reader.Count());
  Spend(elements.size() * sizeof(uint64_t));
  for (uint64_t& element : elements) element = reader.Varint();
  return elements;
}

AxisReference EntryReader::VhloAxis(uint64_t index) {
  ByteReader reader = Open(AttributeEntry(index), "vhlo", VhloAttributeCode::kAxisReference);
  if (!ok()) return AxisReference();
  AxisReference axis{string(reader.Varint())};
  if (reader.Varint() != 0) {
    ByteReader part =
        Open(AttributeEntry(reader.Varint()), "vhlo", VhloAttributeCode::kSubAxisInfo);
    const int64_t before = part.SignedVarint();
    axis.sub_axis = {before, part.SignedVarint()};
  }
  return axis;
}

MeshAttribute EntryReader::VhloMesh(ByteReader& reader) {
  MeshAttribute mesh;
  for (uint64_t index : VhloArray(reader.Varint())) {
    ByteReader axis = Open(AttributeEntry(index), "vhlo", VhloAttributeCode::kMeshAxis);
    if (!ok()) return mesh;
    const absl::string_view name = string(axis.Varint());
    mesh.axes.push_back({name, axis.SignedVarint()});
  }
  const ByteReader::Flagged ids = reader.FlaggedVarint();
  if (!ids.flag || !ok()) return mesh;
  const auto* tensor = std::get_if<TensorAttribute>(&attribute(ids.value)->value);
  if (tensor == nullptr || tensor->shape->element_type() != S64 || tensor->is_splat) {
    reader.Fail();
    return mesh;
  }
  Spend(tensor->bytes.size());
  if (!ok()) return mesh;
  for (size_t i = 0; i < tensor->bytes.size(); i += sizeof(int64_t)) {
    ByteReader number(tensor->bytes.substr(i, sizeof(int64_t)));
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 8) value |= uint64_t{number.Byte()} << shift;
    mesh.device_ids.push_back(static_cast<int64_t>(value));
  }
  return mesh;
}

}  // namespace xla::stablehlo
