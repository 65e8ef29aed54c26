// Attributes and locations of the dialect builtin.
#include <algorithm>
#include <utility>

#include "front/stablehlo/bytecode/entry_reader.h"
#include "xla/primitive_util.h"

namespace xla::stablehlo {
namespace {

struct BuiltinAttributeCode {
  enum : uint64_t {
    kArray = 0,
    kDictionary = 1,
    kString = 2,
    kTypedString = 3,
    kFlatSymbol = 4,
    kType = 6,
    kUnit = 7,
    kInteger = 8,
    kFloat = 9,
    kCallSite = 10,
    kFilePosition = 11,
    kFused = 12,
    kFusedWithMetadata = 13,
    kName = 14,
    kUnknown = 15,
    kDenseArray = 17,
    kDenseNumbers = 18,
    kFileRange = 22,
  };
};

}  // namespace

bool EntryReader::ReadBuiltinAttribute(uint64_t code, ByteReader& reader, Attribute& attribute) {
  switch (code) {
    case BuiltinAttributeCode::kArray:
      attribute.value = ArrayAttribute{List(reader)};
      return true;
    case BuiltinAttributeCode::kDictionary:
      attribute.value = DictionaryAttribute{Entries(reader)};
      return true;
    case BuiltinAttributeCode::kString:
      attribute.value = StringAttribute{StringAt(reader.Varint())};
      return true;
    case BuiltinAttributeCode::kTypedString:
      attribute.value = StringAttribute{StringAt(reader.Varint())};
      type(reader.Varint());
      return true;
    case BuiltinAttributeCode::kFlatSymbol:
      attribute.value = SymbolAttribute{string(reader.Varint())};
      return true;
    case BuiltinAttributeCode::kType:
      attribute.value = TypeAttribute{type(reader.Varint())};
      return true;
    case BuiltinAttributeCode::kUnit:
      attribute.value = UnitAttribute();
      return true;
    case BuiltinAttributeCode::kInteger:
      IntegerOrBool(reader, attribute);
      return true;
    case BuiltinAttributeCode::kFloat:
      attribute.value = Float(reader);
      return true;
    case BuiltinAttributeCode::kDenseArray: {
      const PrimitiveType element = element_type(reader.Varint());
      const int64_t count = static_cast<int64_t>(reader.Count());
      const Shape* shape = program_.Add(ArrayShape(element, {count}, {}));
      attribute = Tensor(*shape, reader.Blob());
      return true;
    }
    case BuiltinAttributeCode::kDenseNumbers: {
      const Shape* shape = this->shape(reader.Varint());
      attribute = Tensor(*shape, reader.Blob());
      return true;
    }
    default:
      return false;
  }
}

bool EntryReader::ReadLocation(uint64_t code, ByteReader& reader, Location& read) {
  switch (code) {
    case BuiltinAttributeCode::kCallSite: {
      const Location* callee = location(reader.Varint());
      read.value = CallSiteLocation{callee, location(reader.Varint())};
      return true;
    }
    case BuiltinAttributeCode::kFilePosition: {
      FileLocation file{string(reader.Varint())};
      file.line = file.end_line = static_cast<int64_t>(reader.Varint());
      file.column = file.end_column = static_cast<int64_t>(reader.Varint());
      read.value = file;
      return true;
    }
    case BuiltinAttributeCode::kFileRange: {
      FileLocation file{string(reader.Varint())};
      int64_t numbers[4] = {};
      const uint64_t count = reader.Count();
      if (count > 4) reader.Fail();
      for (uint64_t i = 0; i < std::min<uint64_t>(count, 4); ++i) numbers[i] = reader.Varint();
      file.line = numbers[0];
      file.column = numbers[1];
      file.end_column = count > 2 ? numbers[2] : file.column;
      file.end_line = count > 3 ? numbers[3] : file.line;
      read.value = file;
      return true;
    }
    case BuiltinAttributeCode::kFused:
    case BuiltinAttributeCode::kFusedWithMetadata: {
      FusedLocation fused;
      fused.locations.resize(reader.Count());
      for (const Location*& each : fused.locations) each = location(reader.Varint());
      if (code == BuiltinAttributeCode::kFusedWithMetadata) attribute(reader.Varint());
      read.value = std::move(fused);
      return true;
    }
    case BuiltinAttributeCode::kName: {
      const absl::string_view name = string(reader.Varint());
      read.value = NameLocation{name, location(reader.Varint())};
      return true;
    }
    case BuiltinAttributeCode::kUnknown:
      return true;
    default:
      return false;
  }
}

}  // namespace xla::stablehlo
