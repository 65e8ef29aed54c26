// The file format of MLIR bytecode: sections, strings, names, and where attributes and types are.
#ifndef HILO_FRONT_STABLEHLO_BYTECODE_CONTAINER_H_
#define HILO_FRONT_STABLEHLO_BYTECODE_CONTAINER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla::stablehlo {

// The versions of the format in which something changed.
inline constexpr uint64_t kDialectVersions = 1;
inline constexpr uint64_t kNestedRegionSections = 2;
inline constexpr uint64_t kUseListOrders = 3;
inline constexpr uint64_t kNamesCounted = 4;  // and locations of block arguments may be left out
inline constexpr uint64_t kProperties = 5;
inline constexpr uint64_t kNewestVersion = 6;

enum class SectionId : uint8_t {
  kStrings = 0,
  kDialects = 1,
  kAttributesAndTypes = 2,
  kAttributeAndTypeOffsets = 3,
  kOperations = 4,
  kResources = 5,
  kResourceOffsets = 6,
  kDialectVersions = 7,
  kProperties = 8,
};
inline constexpr int kSectionCount = 9;

// All views are of the bytes that were read.
struct Container {
  struct Entry {  // of an attribute or a type
    uint32_t dialect;
    bool is_text;
    absl::string_view bytes;
  };
  struct OperationName {
    uint32_t dialect;
    absl::string_view name;  // without the dialect
  };

  uint64_t version = 0;
  absl::string_view producer;
  std::vector<absl::string_view> strings;
  std::vector<absl::string_view> dialects;
  std::vector<OperationName> operation_names;
  std::vector<Entry> attributes;
  std::vector<Entry> types;
  std::vector<absl::string_view> properties;
  absl::string_view operations;
};

absl::StatusOr<Container> ReadContainer(absl::string_view bytes);

class ByteReader;
struct Section {
  uint8_t id;
  absl::string_view bytes;
};
// Header and content of a section. `file` is the whole file, which alignments count from. The
// reader fails where there is none.
Section ReadSection(ByteReader& reader, absl::string_view file);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_BYTECODE_CONTAINER_H_
