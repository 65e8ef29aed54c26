#include "front/stablehlo/bytecode/entry_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {
namespace {

// Attributes, types and locations hold others, up to this depth.
constexpr int kMaxAttributeDepth = 500;
constexpr uint64_t kBudgetPerByte = 64;
constexpr uint64_t kLeastBudget = uint64_t{1} << 24;

}  // namespace

EntryReader::EntryReader(const Container& container, uint64_t file_size, Program& program)
    : container_(container),
      program_(program),
      attributes_(container.attributes.size()),
      types_(container.types.size()),
      locations_(container.attributes.size()),
      unit_(program.Add(Attribute{UnitAttribute()})),
      no_type_(program.Add(Type{NoType()})),
      unknown_location_(program.Add(Location{UnknownLocation()})),
      empty_shape_(std::vector<Shape>()),
      budget_(kLeastBudget + kBudgetPerByte * file_size) {}

void EntryReader::Fail(absl::Status error) {
  if (status_.ok()) status_ = std::move(error);
}

void EntryReader::Spend(uint64_t bytes) {
  if (budget_ >= bytes) {
    budget_ -= bytes;
    return;
  }
  budget_ = 0;
  Fail(absl::ResourceExhaustedError(
      "StableHLO bytecode: the program repeats its attributes and types more often than its size "
      "lets expect"));
}

ByteReader EntryReader::Open(const Entry& entry, absl::string_view dialect, uint64_t code) {
  ByteReader reader(entry.bytes);
  if (entry.is_text || container_.dialects[entry.dialect] != dialect || reader.Varint() != code) {
    reader.Fail();
    Fail(absl::InvalidArgumentError(absl::StrCat("StableHLO bytecode: an attribute of ", dialect,
                                                 " with the code ", code,
                                                 " is expected where there is another")));
  }
  return reader;
}

template <typename T, typename Read>
const T* EntryReader::ReadOnce(absl::string_view kind, const std::vector<Entry>& entries,
                               uint64_t index, Known<T>& known, const T* otherwise,
                               const Read& read) {
  if (!ok()) return otherwise;
  if (index >= entries.size()) {
    Fail(absl::InvalidArgumentError(absl::StrCat("StableHLO bytecode: there is no ", kind, " ",
                                                 index, ", only ", entries.size())));
    return otherwise;
  }
  // While it is being read it is known as `otherwise`.
  const T*& result = known.values[index];
  if (result == otherwise) {
    Fail(absl::InvalidArgumentError(
        absl::StrCat("StableHLO bytecode: ", kind, " ", index, " is part of itself")));
  }
  if (result != nullptr) {
    weight_ += known.weights[index];
    return result;
  }
  if (depth_ == kMaxAttributeDepth) {
    Fail(absl::InvalidArgumentError(absl::StrCat("StableHLO bytecode: ", kind, " ", index,
                                                 " is nested more than ", depth_, " deep")));
    return otherwise;
  }
  result = otherwise;
  ++depth_;
  const Entry& entry = entries[index];
  const uint64_t outer_weight = std::exchange(weight_, entry.bytes.size());
  const absl::string_view dialect = container_.dialects[entry.dialect];
  ByteReader reader(entry.bytes);
  const uint64_t code = entry.is_text ? 0 : reader.Varint();
  T value;
  const bool is_known = !entry.is_text && read(dialect, code, reader, value);
  --depth_;
  const auto describe = [&](absl::string_view problem) {
    return absl::StrCat("StableHLO bytecode: ", kind, " ", index, " of dialect ", dialect,
                        " with the code ", code, problem);
  };
  if (entry.is_text) {
    Fail(absl::UnimplementedError(absl::StrCat("StableHLO bytecode: ", kind, " ", index,
                                               " of dialect ", dialect, " is in text form")));
  } else if (!is_known) {
    Fail(absl::UnimplementedError(describe(" is not supported here")));
  } else if (!reader.Complete()) {
    Fail(absl::InvalidArgumentError(describe(" is malformed")));
  }
  if (weight_ > budget_) Spend(weight_);
  known.weights[index] = weight_;
  weight_ += outer_weight;
  if (!ok()) return otherwise;
  return result = program_.Add(std::move(value));
}

const Attribute* EntryReader::attribute(uint64_t index) {
  return ReadOnce(
      "attribute", container_.attributes, index, attributes_, unit_,
      [this](absl::string_view dialect, uint64_t code, ByteReader& reader, Attribute& attribute) {
        if (dialect == "vhlo") return ReadVhloAttribute(code, reader, attribute);
        if (dialect == "builtin") return ReadBuiltinAttribute(code, reader, attribute);
        if (dialect == "sdy") return ReadSdyAttribute(code, reader, attribute);
        return false;
      });
}

const Type* EntryReader::type(uint64_t index) {
  return ReadOnce("type", container_.types, index, types_, no_type_,
                  [this](absl::string_view dialect, uint64_t code, ByteReader& reader, Type& type) {
                    if (dialect == "vhlo") return ReadVhloType(code, reader, type);
                    // Around operations of sdy, which have no versions, tokens have none either.
                    if (dialect == "stablehlo" && code == 0) {
                      type.value = ShapeUtil::MakeTokenShape();
                      return true;
                    }
                    return dialect == "builtin" && ReadBuiltinType(code, reader, type);
                  });
}

const Location* EntryReader::location(uint64_t index) {
  return ReadOnce(
      "location", container_.attributes, index, locations_, unknown_location_,
      [this](absl::string_view dialect, uint64_t code, ByteReader& reader, Location& location) {
        return dialect == "builtin" && ReadLocation(code, reader, location);
      });
}

const Shape* EntryReader::shape(uint64_t index) {
  const Type* found = type(index);
  if (const auto* shape = std::get_if<Shape>(&found->value)) return shape;
  // A scalar is a tensor without dimensions, an element type alone is no value's.
  Fail(absl::InvalidArgumentError(
      absl::StrCat("StableHLO bytecode: type ", index, " is not one that values have")));
  return &empty_shape_;
}

absl::string_view EntryReader::string(uint64_t index) {
  const Attribute* found = attribute(index);
  if (const auto* string = std::get_if<StringAttribute>(&found->value)) return string->value;
  Fail(absl::InvalidArgumentError(
      absl::StrCat("StableHLO bytecode: attribute ", index, " is not a string")));
  return absl::string_view();
}

const Container::Entry& EntryReader::AttributeEntry(uint64_t index) {
  static const Entry* const none = new Entry{0, true, absl::string_view()};
  return index < container_.attributes.size() ? container_.attributes[index] : *none;
}

std::vector<const Attribute*> EntryReader::List(ByteReader& reader) {
  std::vector<const Attribute*> elements(reader.Count());
  for (const Attribute*& element : elements) element = attribute(reader.Varint());
  return elements;
}

NamedAttributes EntryReader::Entries(ByteReader& reader) {
  NamedAttributes entries(reader.Count());
  for (NamedAttribute& entry : entries) {
    entry.name = string(reader.Varint());
    entry.value = attribute(reader.Varint());
  }
  return entries;
}

absl::string_view EntryReader::StringAt(uint64_t index) {
  if (index < container_.strings.size()) {
    weight_ += container_.strings[index].size();
    return container_.strings[index];
  }
  Fail(absl::InvalidArgumentError(absl::StrCat("StableHLO bytecode: there is no string ", index,
                                               ", only ", container_.strings.size())));
  return absl::string_view();
}

std::vector<int64_t> EntryReader::SignedList(ByteReader& reader) {
  std::vector<int64_t> values(reader.Count());
  for (int64_t& value : values) value = reader.SignedVarint();
  return values;
}

}  // namespace xla::stablehlo
