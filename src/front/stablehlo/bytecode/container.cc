#include "front/stablehlo/bytecode/container.h"

#include <array>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "front/stablehlo/bytecode/byte_reader.h"
#include "front/stablehlo/bytecode/bytecode.h"

namespace xla::stablehlo {
namespace {

constexpr absl::string_view kMagic("ML\xefR", 4);
constexpr uint8_t kAlignedBit = 0x80;

absl::Status Malformed(absl::string_view section) {
  return absl::InvalidArgumentError(
      absl::StrCat("StableHLO bytecode: the section of ", section, " is malformed"));
}

class ContainerReader {
 public:
  explicit ContainerReader(absl::string_view file) : file_(file) {}

  absl::StatusOr<Container> Read() {
    HILO_RETURN_IF_ERROR(FindSections());
    HILO_RETURN_IF_ERROR(ReadStrings());
    HILO_RETURN_IF_ERROR(ReadDialects());
    HILO_RETURN_IF_ERROR(ReadOffsets());
    if (container_.version >= kProperties) HILO_RETURN_IF_ERROR(ReadProperties());
    container_.operations = *section(SectionId::kOperations);
    return std::move(container_);
  }

 private:
  std::optional<absl::string_view>& section(SectionId id) {
    return sections_[static_cast<uint8_t>(id)];
  }

  absl::Status FindSections() {
    ByteReader reader(file_);
    reader.Bytes(kMagic.size());
    container_.version = reader.Varint();
    if (container_.version > kNewestVersion) {
      return absl::UnimplementedError(
          absl::StrCat("StableHLO bytecode: version ", container_.version,
                       " of MLIR's format is newer than the newest known, ", kNewestVersion));
    }
    const char* producer = reader.position();
    while (reader.Byte() != 0) {
    }
    if (!reader.ok()) return Malformed("the header");
    container_.producer = absl::string_view(producer, reader.position() - producer - 1);
    while (!reader.AtEnd()) {
      const Section found = ReadSection(reader, file_);
      if (!reader.ok() || found.id >= kSectionCount || sections_[found.id].has_value()) {
        return absl::InvalidArgumentError(
            absl::StrCat("StableHLO bytecode: there is no further section at byte ",
                         reader.position() - file_.data(), " of ", file_.size()));
      }
      sections_[found.id] = found.bytes;
    }
    for (SectionId id : {SectionId::kStrings, SectionId::kDialects, SectionId::kAttributesAndTypes,
                         SectionId::kAttributeAndTypeOffsets, SectionId::kOperations}) {
      if (!section(id).has_value()) {
        return absl::InvalidArgumentError(
            absl::StrCat("StableHLO bytecode: section ", static_cast<int>(id), " is missing"));
      }
    }
    if (container_.version >= kProperties && !section(SectionId::kProperties).has_value()) {
      section(SectionId::kProperties) = absl::string_view("\x01", 1);
    }
    return absl::OkStatus();
  }

  // Their lengths, the last string first, then the strings, each with a zero at its end.
  absl::Status ReadStrings() {
    ByteReader reader(*section(SectionId::kStrings));
    std::vector<absl::string_view>& strings = container_.strings;
    strings.resize(reader.Count());
    std::vector<uint64_t> lengths(strings.size());
    for (size_t i = strings.size(); i-- > 0;) lengths[i] = reader.Varint();
    for (size_t i = 0; i < strings.size(); ++i) {
      const absl::string_view bytes = reader.Bytes(lengths[i]);
      if (bytes.empty() || bytes.back() != 0) return Malformed("strings");
      strings[i] = bytes.substr(0, bytes.size() - 1);
    }
    return reader.Complete() ? absl::OkStatus() : Malformed("strings");
  }

  absl::Status ReadDialects() {
    ByteReader reader(*section(SectionId::kDialects));
    container_.dialects.resize(reader.Count());
    for (absl::string_view& dialect : container_.dialects) {
      if (container_.version < kDialectVersions) {
        dialect = String(reader, reader.Varint());
        continue;
      }
      const ByteReader::Flagged name = reader.FlaggedVarint();
      dialect = String(reader, name.value);
      if (name.flag) ReadSection(reader, file_);
    }
    if (container_.version >= kNamesCounted) container_.operation_names.reserve(reader.Count());
    while (!reader.AtEnd()) {
      const uint32_t dialect = Dialect(reader);
      for (uint64_t count = reader.Count(); count > 0; --count) {
        // Whether the writer knew the operation makes no difference.
        const uint64_t name =
            container_.version < kProperties ? reader.Varint() : reader.FlaggedVarint().value;
        container_.operation_names.push_back({dialect, String(reader, name)});
      }
    }
    return reader.Complete() ? absl::OkStatus() : Malformed("dialects");
  }

  absl::Status ReadOffsets() {
    ByteReader reader(*section(SectionId::kAttributeAndTypeOffsets));
    ByteReader data(*section(SectionId::kAttributesAndTypes));
    const uint64_t attributes = reader.Count();
    const uint64_t types = reader.Count();
    ReadEntries(attributes, reader, data, container_.attributes);
    ReadEntries(types, reader, data, container_.types);
    if (!reader.Complete()) return Malformed("the sizes of attributes and types");
    return data.Complete() ? absl::OkStatus() : Malformed("attributes and types");
  }

  void ReadEntries(uint64_t total, ByteReader& reader, ByteReader& data,
                   std::vector<Container::Entry>& entries) {
    entries.reserve(total);
    while (entries.size() < total && reader.ok()) {
      const uint32_t dialect = Dialect(reader);
      const uint64_t count = reader.Count();
      if (count > total - entries.size()) reader.Fail();
      for (uint64_t i = 0; i < count && reader.ok(); ++i) {
        const ByteReader::Flagged size = reader.FlaggedVarint();
        entries.push_back({dialect, !size.flag, data.Bytes(size.value)});
      }
    }
  }

  absl::Status ReadProperties() {
    ByteReader reader(*section(SectionId::kProperties));
    container_.properties.resize(reader.Count());
    for (absl::string_view& properties : container_.properties) properties = reader.Blob();
    return reader.Complete() ? absl::OkStatus() : Malformed("properties");
  }

  absl::string_view String(ByteReader& reader, uint64_t index) {
    if (index < container_.strings.size()) return container_.strings[index];
    reader.Fail();
    return absl::string_view();
  }
  uint32_t Dialect(ByteReader& reader) {
    const uint64_t index = reader.Varint();
    return index < container_.dialects.size() ? index : reader.Fail();
  }

  const absl::string_view file_;
  Container container_;
  std::array<std::optional<absl::string_view>, kSectionCount> sections_;
};

}  // namespace

Section ReadSection(ByteReader& reader, absl::string_view file) {
  const uint8_t id = reader.Byte();
  const uint64_t size = reader.Varint();
  if (id & kAlignedBit) {
    const uint64_t alignment = reader.Varint();
    const uint64_t offset = reader.position() - file.data();
    if (alignment == 0) return reader.Fail(), Section();
    reader.Bytes((alignment - offset % alignment) % alignment);
  }
  return {static_cast<uint8_t>(id & ~kAlignedBit), reader.Bytes(size)};
}

bool IsBytecode(absl::string_view bytes) { return absl::StartsWith(bytes, kMagic); }

absl::StatusOr<Container> ReadContainer(absl::string_view bytes) {
  if (!IsBytecode(bytes)) {
    return absl::InvalidArgumentError(
        "StableHLO bytecode: the file does not begin with 'ML\\xefR'");
  }
  return ContainerReader(bytes).Read();
}

}  // namespace xla::stablehlo
