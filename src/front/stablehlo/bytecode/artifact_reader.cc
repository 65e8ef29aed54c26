#include "front/stablehlo/bytecode/artifact_reader.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "front/stablehlo/bytecode/bytecode.h"
#include "front/stablehlo/defaults.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {
namespace {

// Regions hold operations with regions, up to this depth.
constexpr int kMaxRegionDepth = 250;

// Blocks in blocks may each say that they are as large as what is left.
constexpr uint64_t kMaxReserved = 1000;

// Which parts of an operation are there.
constexpr uint8_t kHasAttributes = 0x01;
constexpr uint8_t kHasResults = 0x02;
constexpr uint8_t kHasOperands = 0x04;
constexpr uint8_t kHasSuccessors = 0x08;
constexpr uint8_t kHasRegions = 0x10;
constexpr uint8_t kHasUseListOrders = 0x20;
constexpr uint8_t kHasProperties = 0x40;

// VHLO writes names of functions as strings.
const Attribute* AsSymbol(const Attribute* attribute, Program& program) {
  const auto* string = std::get_if<StringAttribute>(&attribute->value);
  return string == nullptr ? attribute : program.Add(Attribute{SymbolAttribute{string->value}});
}

const Attribute* AsSymbols(const Attribute* attribute, Program& program) {
  const auto* array = std::get_if<ArrayAttribute>(&attribute->value);
  if (array == nullptr) return AsSymbol(attribute, program);
  ArrayAttribute symbols;
  for (const Attribute* each : array->elements) symbols.elements.push_back(AsSymbol(each, program));
  return program.Add(Attribute{std::move(symbols)});
}

}  // namespace

ArtifactReader::ArtifactReader(absl::string_view file, const Container& container, Program& program)
    : file_(file),
      container_(container),
      program_(program),
      entries_(container, file.size(), program) {
  for (const Container::OperationName& name : container.operation_names) {
    forms_.push_back(FindOperationForm(container.dialects[name.dialect], name.name));
  }
}

absl::Status ArtifactReader::Malformed(const ByteReader& reader, absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat("StableHLO bytecode: ", what, " before byte ",
                                                 reader.position() - file_.data(), " of ",
                                                 file_.size()));
}

absl::Status ArtifactReader::Read() {
  ByteReader reader(container_.operations);
  Region top;
  frames_.push_back({0, 0, 0});
  HILO_RETURN_IF_ERROR(ReadBlock(reader, nullptr, top));
  if (!reader.AtEnd()) return Malformed(reader, "the operations end");
  if (top.operations.size() != 1 || top.operations[0]->name != "builtin.module") {
    return absl::InvalidArgumentError("StableHLO bytecode: the program is not one module");
  }
  program_.module = top.operations[0];
  return absl::OkStatus();
}

absl::Status ArtifactReader::ReadBlock(ByteReader& reader, const Operation* parent,
                                       Region& region) {
  const ByteReader::Flagged header = reader.FlaggedVarint();
  if (header.flag) ReadArguments(reader, region);
  const uint64_t operations = reader.Within(header.value);
  region.operations.reserve(std::min(operations, kMaxReserved));
  for (uint64_t i = 0; i < operations; ++i) {
    HILO_RETURN_IF_ERROR(ReadOperation(reader, parent, region));
  }
  if (!entries_.ok()) return entries_.status();
  return reader.ok() ? absl::OkStatus() : Malformed(reader, "a block is cut short");
}

void ArtifactReader::ReadArguments(ByteReader& reader, Region& region) {
  const uint64_t count = reader.Count();
  for (uint64_t i = 0; i < count; ++i) {
    if (container_.version < kNamesCounted) {
      region.arguments.push_back(NewValue(reader.Varint()));
      entries_.location(reader.Varint());
      continue;
    }
    const ByteReader::Flagged type = reader.FlaggedVarint();
    region.arguments.push_back(NewValue(type.value));
    if (type.flag) entries_.location(reader.Varint());
  }
  values_.insert(values_.end(), region.arguments.begin(), region.arguments.end());
  if (container_.version >= kUseListOrders && reader.Byte() != 0) SkipUseListOrders(reader, count);
}

absl::Status ArtifactReader::ReadOperation(ByteReader& reader, const Operation* parent,
                                           Region& region) {
  const uint64_t name = reader.Varint();
  const uint8_t mask = reader.Byte();
  if (!reader.ok() || name >= forms_.size()) return Malformed(reader, "there is no operation");
  const OperationForm* form = forms_[name];
  if (form == nullptr) {
    const Container::OperationName& unknown = container_.operation_names[name];
    return absl::UnimplementedError(absl::StrCat("StableHLO bytecode: the operation ",
                                                 container_.dialects[unknown.dialect], ".",
                                                 unknown.name, " is not known"));
  }
  Operation& operation = *program_.AddOperation();
  const bool ends_function = parent != nullptr && parent->name == "func.func";
  operation.name = ends_function && form->name == "stablehlo.return"
                       ? "func.return"
                       : absl::string_view(form->name);
  operation.location = entries_.location(reader.Varint());
  region.operations.push_back(&operation);
  HILO_RETURN_IF_ERROR(ReadOperationBody(reader, mask, *form, operation));
  // Neither the operation itself nor its regions can use its results.
  const bool is_nothing = IsCastToSame(operation);
  const absl::Span<const ValueId> values =
      is_nothing ? absl::MakeConstSpan(operation.operands) : absl::MakeConstSpan(operation.results);
  values_.insert(values_.end(), values.begin(), values.end());
  if (is_nothing) region.operations.pop_back();
  return absl::OkStatus();
}

// Between a type of vhlo and its like in builtin there are casts, which are nothing here.
bool ArtifactReader::IsCastToSame(const Operation& operation) const {
  return operation.name == "builtin.unrealized_conversion_cast" &&
         std::equal(operation.operands.begin(), operation.operands.end(), operation.results.begin(),
                    operation.results.end(), [this](ValueId operand, ValueId result) {
                      return program_.shape(operand) == program_.shape(result);
                    });
}

absl::Status ArtifactReader::ReadOperationBody(ByteReader& reader, uint8_t mask,
                                               const OperationForm& form, Operation& operation) {
  if (mask & kHasAttributes) ReadDictionary(reader, form, operation);
  if (mask & kHasProperties) {
    ReadProperties(reader, form, operation);
  } else if (container_.version >= kProperties && !form.properties.empty() &&
             !form.properties[0].is_optional) {
    return Malformed(reader, absl::StrCat("an operation ", form.name, " lacks its attributes"));
  }
  if (mask & kHasResults) {
    operation.results.resize(reader.Count());
    for (ValueId& result : operation.results) result = NewValue(reader.Varint());
  }
  if (mask & kHasOperands) {
    operation.operands.resize(reader.Count());
    for (ValueId& operand : operation.operands) operand = Value(reader);
  }
  if (mask & kHasUseListOrders) SkipUseListOrders(reader, operation.results.size());
  if (!entries_.ok()) return entries_.status();
  constexpr uint8_t kKnown = kHasAttributes | kHasProperties | kHasResults | kHasOperands |
                             kHasUseListOrders | kHasRegions;
  if (!reader.ok() || (mask & ~kKnown) != 0) {
    return Malformed(reader, absl::StrCat("an operation ", form.name, " is malformed"));
  }
  return mask & kHasRegions ? ReadRegions(reader, operation) : absl::OkStatus();
}

absl::Status ArtifactReader::ReadRegions(ByteReader& reader, Operation& operation) {
  const ByteReader::Flagged header = reader.FlaggedVarint();
  if (depth_ == kMaxRegionDepth) {
    return Malformed(reader, absl::StrCat("regions are nested more than ", depth_, " deep"));
  }
  ++depth_;
  const bool is_section = header.flag && container_.version >= kNestedRegionSections;
  const Section section = is_section ? ReadSection(reader, file_) : Section();
  if (is_section && section.id != static_cast<uint8_t>(SectionId::kOperations)) {
    return Malformed(reader, absl::StrCat("the regions of ", operation.name, " are missing"));
  }
  ByteReader inner(section.bytes);
  ByteReader& source = is_section ? inner : reader;
  const size_t visible = first_visible_frame_;
  if (header.flag) first_visible_frame_ = frames_.size();
  for (uint64_t count = source.Within(header.value); count > 0; --count) {
    HILO_RETURN_IF_ERROR(ReadRegion(source, operation, operation.regions.emplace_back()));
  }
  first_visible_frame_ = visible;
  --depth_;
  if (!source.ok() || (is_section && !source.AtEnd())) {
    return Malformed(reader, absl::StrCat("the regions of ", operation.name, " are malformed"));
  }
  return absl::OkStatus();
}

absl::Status ArtifactReader::ReadRegion(ByteReader& reader, const Operation& parent,
                                        Region& region) {
  const uint64_t blocks = reader.Varint();
  if (blocks == 0) return absl::OkStatus();
  if (blocks > 1) {
    return absl::UnimplementedError(absl::StrCat("StableHLO bytecode: a region of ", parent.name,
                                                 " has ", blocks, " blocks instead of one"));
  }
  const bool is_inner = frames_.size() > first_visible_frame_;
  const uint64_t first = is_inner ? frames_.back().first_number + frames_.back().count : 0;
  frames_.push_back({first, reader.Count(), values_.size()});
  HILO_RETURN_IF_ERROR(ReadBlock(reader, &parent, region));
  const Frame& frame = frames_.back();
  if (values_.size() - frame.start != frame.count) {
    return Malformed(
        reader, absl::StrCat("a region of ", parent.name, " defines ", values_.size() - frame.start,
                             " values instead of ", frame.count));
  }
  values_.resize(frame.start);
  frames_.pop_back();
  return absl::OkStatus();
}

ValueId ArtifactReader::NewValue(uint64_t type) {
  entries_.SpendType(type);
  return program_.AddValue(entries_.shape(type));
}

ValueId ArtifactReader::Value(ByteReader& reader) {
  const uint64_t number = reader.Varint();
  size_t end = values_.size();
  for (size_t i = frames_.size(); i-- > first_visible_frame_; end = frames_[i].start) {
    const Frame& frame = frames_[i];
    if (number < frame.first_number) continue;
    const uint64_t index = number - frame.first_number;
    if (index < end - frame.start) return values_[frame.start + index];
    break;
  }
  reader.Fail();
  return 0;
}

void ArtifactReader::ReadProperties(ByteReader& reader, const OperationForm& form,
                                    Operation& operation) {
  const uint64_t index = reader.Varint();
  if (index >= container_.properties.size()) {
    reader.Fail();
    return;
  }
  ByteReader properties(container_.properties[index]);
  operation.attributes.reserve(form.properties.size());
  for (const OperationForm::Property& property : form.properties) {
    const ByteReader::Flagged value = property.is_optional
                                          ? properties.FlaggedVarint()
                                          : ByteReader::Flagged{properties.Varint(), true};
    if (!properties.ok()) break;
    if (value.flag) AddProperty(form, property.name, value.value, operation);
  }
  if (!properties.Complete()) {
    entries_.Fail(absl::InvalidArgumentError(
        absl::StrCat("StableHLO bytecode: the attributes ", index, " are not ",
                     form.properties.size(), " of ", form.name, " version ", form.version)));
  }
}

void ArtifactReader::AddProperty(const OperationForm& form, absl::string_view name, uint64_t index,
                                 Operation& operation) {
  const Attribute* value = entries_.attribute(index);
  entries_.SpendAttribute(index);
  AddAttribute(form, name, value, operation);
}

// All attributes that are no properties. Before there were properties that was all attributes.
void ArtifactReader::ReadDictionary(ByteReader& reader, const OperationForm& form,
                                    Operation& operation) {
  const uint64_t index = reader.Varint();
  const Attribute* attribute = entries_.attribute(index);
  const auto* dictionary = std::get_if<DictionaryAttribute>(&attribute->value);
  if (dictionary == nullptr) {
    reader.Fail();
    return;
  }
  entries_.SpendAttribute(index);
  entries_.Spend(dictionary->entries.size() * sizeof(NamedAttribute));
  if (!entries_.ok()) return;
  if (container_.version >= kProperties) {
    operation.discardable = dictionary->entries;
    return;
  }
  for (const NamedAttribute& entry : dictionary->entries) {
    const bool is_property =
        std::any_of(form.properties.begin(), form.properties.end(),
                    [&](const auto& property) { return property.name == entry.name; });
    if (is_property) {
      AddAttribute(form, entry.name, entry.value, operation);
    } else {
      operation.discardable.push_back(entry);
    }
  }
}

void ArtifactReader::AddAttribute(const OperationForm& form, absl::string_view name,
                                  const Attribute* value, Operation& operation) {
  if (IsAbsent(name, *value)) return;
  if (name != "value" && IsLongSplat(*value)) {
    entries_.Fail(absl::InvalidArgumentError(
        absl::StrCat("StableHLO bytecode: the list ", name, " of ", form.name, " is too long")));
    return;
  }
  if (name == "use_global_device_ids") value = program_.Add(Attribute{UnitAttribute()});
  if (name == "callee" || name == "decomposition" || name == "called_computations") {
    value = AsSymbols(value, program_);
  }
  if (const auto* integer = std::get_if<IntegerAttribute>(&value->value)) {
    // The version of a composite; some writers give it 64 bits.
    if (name == "version") value = program_.Add(Attribute{IntegerAttribute{S32, integer->value}});
  }
  // Of dynamic_conv the third operand counts, and this must be zero, that is, absent.
  if (name == "padding" && form.name == "stablehlo.dynamic_conv") {
    entries_.Fail(absl::UnimplementedError(
        "StableHLO bytecode: dynamic_conv of version 1 has padding both as operand and as "
        "attribute"));
  }
  operation.attributes.push_back({name, value});
}

void ArtifactReader::SkipUseListOrders(ByteReader& reader, size_t values) {
  const uint64_t entries = values > 1 ? reader.Count() : 1;
  for (uint64_t i = 0; i < entries && reader.ok(); ++i) {
    if (values > 1) reader.Varint();
    for (uint64_t count = reader.Within(reader.FlaggedVarint().value); count > 0; --count) {
      reader.Varint();
    }
  }
}

absl::StatusOr<std::unique_ptr<Program>> ReadBytecode(absl::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(const Container container, ReadContainer(bytes));
  auto program = std::make_unique<Program>();
  ArtifactReader reader(bytes, container, *program);
  HILO_RETURN_IF_ERROR(reader.Read());
  return program;
}

}  // namespace xla::stablehlo
