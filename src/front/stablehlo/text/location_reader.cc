#include <utility>

#include "absl/strings/match.h"
#include "front/stablehlo/text/attribute_reader.h"

namespace xla::stablehlo {

const Location* AttributeReader::UnknownPlace() {
  if (unknown_location_ == nullptr) unknown_location_ = program_->Add(Location{UnknownLocation{}});
  return unknown_location_;
}

const Location* AttributeReader::ReadOptionalLocation() {
  if (!AcceptWord("loc")) return UnknownPlace();
  Extent extent;
  if (!Expect('(')) return nullptr;
  const Location* location = ReadLocation(&extent);
  return location != nullptr && Expect(')') ? location : nullptr;
}

const Location* AttributeReader::ReadLocation(Extent* extent) {
  Nesting nesting(this);
  if (nesting.TooDeep()) return nullptr;
  *extent = Extent();
  const auto add_child = [&](const Extent& child) {
    extent->size += child.size;
    extent->depth = std::max(extent->depth, child.depth + 1);
    return (extent->size <= kMaxLocationSize && extent->depth <= kMaxLocationDepth) ||
           Fail("the location has too many parts");
  };
  if (At(TokenKind::kHash)) return ReadLocationAlias(extent);
  if (AcceptWord("unknown")) return UnknownPlace();
  Extent child;
  if (AcceptWord("callsite")) {
    CallSiteLocation location;
    if (!Expect('(')) return nullptr;
    location.callee = ReadLocation(&child);
    if (location.callee == nullptr || !add_child(child) || !ExpectWord("at")) return nullptr;
    location.caller = ReadLocation(&child);
    if (location.caller == nullptr || !add_child(child) || !Expect(')')) return nullptr;
    return program_->Add(Location{location});
  }
  if (AcceptWord("fused")) {
    if (At('<') && (!Accept('<') || ReadAttribute() == nullptr || !Expect('>'))) return nullptr;
    FusedLocation location;
    const auto read_part = [&] {
      location.locations.push_back(ReadLocation(&child));
      return location.locations.back() != nullptr && add_child(child);
    };
    if (!ReadList('[', ']', read_part)) return nullptr;
    return program_->Add(Location{std::move(location)});
  }
  if (!At(TokenKind::kString)) {
    FailExpected("a location");
    return nullptr;
  }
  absl::string_view name;
  if (!ReadString(&name)) return nullptr;
  if (At(':')) {
    FileLocation location;
    location.file = name;
    return ReadFileRange(&location) ? program_->Add(Location{location}) : nullptr;
  }
  NameLocation location{name, UnknownPlace()};
  if (Accept('(')) {
    location.child = ReadLocation(&child);
    if (location.child == nullptr || !add_child(child) || !Expect(')')) return nullptr;
  }
  return program_->Add(Location{location});
}

// :12:3, :12:3 to :9, :12:3 to 13:9
bool AttributeReader::ReadFileRange(FileLocation* location) {
  if (!Expect(':') || !ReadSignedInteger(&location->line)) return false;
  location->end_line = location->line;
  if (!Accept(':')) return true;
  if (!ReadSignedInteger(&location->column)) return false;
  location->end_column = location->column;
  if (!AcceptWord("to")) return true;
  if (At(TokenKind::kInteger) && !ReadSignedInteger(&location->end_line)) return false;
  return Expect(':') && ReadSignedInteger(&location->end_column);
}

// Those of operations may be defined later; in the value of an alias others must have been before,
// so that no location contains itself.
const Location* AttributeReader::ReadLocationAlias(Extent* extent) {
  const absl::string_view name = token().text;
  const auto found = location_aliases_.find(name);
  if (in_location_alias_ && (found == location_aliases_.end() || !found->second.is_defined)) {
    Fail("#", name, " is not defined before it is used in another alias");
    return nullptr;
  }
  LocationAlias& alias = location_aliases_[name];
  if (alias.value == nullptr) {
    alias.value = program_->AddLocation();
    alias.first_use = place();
  }
  Next();
  *extent = alias.extent;
  return alias.value;
}

bool AttributeReader::ReadLocationAliasValue(absl::string_view name, const char* position) {
  Extent extent;
  in_location_alias_ = true;
  const Location* value = ExpectWord("loc") && Expect('(') ? ReadLocation(&extent) : nullptr;
  in_location_alias_ = false;
  if (value == nullptr || !Expect(')')) return false;
  LocationAlias& alias = location_aliases_[name];
  if (alias.is_defined) return FailAt(position, "#", name, " is defined twice");
  if (alias.value == nullptr) alias.value = program_->AddLocation();
  *alias.value = *value;
  alias.is_defined = true;
  alias.extent = extent;
  return true;
}

bool AttributeReader::ReadAlias() {
  const bool is_type = At(TokenKind::kExclamation);
  const absl::string_view name = token().text;
  const char* position = place();
  if (absl::StrContains(name, '.')) return Fail("the name of an alias has no dots");
  Next();
  if (!Expect('=')) return false;
  if (!is_type && AtWord("loc")) return ReadLocationAliasValue(name, position);
  const int64_t budget = budget_;
  const Type* type = nullptr;
  const Attribute* attribute = nullptr;
  Extent extent;
  extent.depth = DepthOf([&] {
    if (is_type) {
      type = ReadType();
    } else {
      attribute = ReadAttribute();
    }
  });
  extent.size = budget - budget_;
  if (type == nullptr && attribute == nullptr) return false;
  const bool is_new =
      is_type ? type_aliases_.emplace(name, TypeAlias{type, extent}).second
              : attribute_aliases_.emplace(name, AttributeAlias{attribute, extent}).second;
  return is_new || FailAt(position, is_type ? "!" : "#", name, " is defined twice");
}

bool AttributeReader::CheckAliases() {
  const char* first = nullptr;
  absl::string_view name;
  for (const auto& [alias_name, alias] : location_aliases_) {
    if (alias.is_defined || (first != nullptr && alias.first_use > first)) continue;
    first = alias.first_use;
    name = alias_name;
  }
  return first == nullptr || FailAt(first, "there is no location alias #", name);
}

}  // namespace xla::stablehlo
