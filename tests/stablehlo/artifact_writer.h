// Writes MLIR bytecode of version 6 piece by piece, also such as no compiler would.
#ifndef HILO_TESTS_STABLEHLO_ARTIFACT_WRITER_H_
#define HILO_TESTS_STABLEHLO_ARTIFACT_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

namespace xla::stablehlo {

inline std::string Number(uint64_t value) {
  if (value < 128) return std::string(1, static_cast<char>(value << 1 | 1));
  std::string bytes(1, '\0');
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}
inline std::string Flagged(uint64_t value, bool flag) { return Number(value << 1 | flag); }
inline std::string Signed(int64_t value) {
  return Number(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}
inline std::string Section(int id, const std::string& bytes) {
  return static_cast<char>(id) + Number(bytes.size()) + bytes;
}

class ArtifactWriter {
 public:
  enum Dialect { kBuiltin = 0, kVhlo = 1, kSdy = 2 };

  ArtifactWriter() : strings_{"builtin", "vhlo", "sdy"} {
    AddOperation(kBuiltin, "module");  // operation 0
    location = AddAttribute(kBuiltin, Number(15));
  }

  uint64_t AddString(const std::string& text) {
    strings_.push_back(text);
    return strings_.size() - 1;
  }
  uint64_t AddOperation(Dialect dialect, const std::string& name) {
    operations_ += Number(dialect) + Number(1) + Flagged(AddString(name), true);
    return operation_count_++;
  }
  uint64_t AddAttribute(Dialect dialect, const std::string& bytes) {
    return AddEntry(dialect, bytes, attributes_);
  }
  uint64_t AddType(Dialect dialect, const std::string& bytes) {
    return AddEntry(dialect, bytes, types_);
  }
  uint64_t AddProperties(const std::string& bytes) {
    properties_ += Number(bytes.size()) + bytes;
    return property_count_++;
  }
  // The index that the next attribute will have.
  uint64_t next_attribute() const { return attributes_.count; }

  // The parts of operations. `operations` are as many as they are.
  static std::string Region(const std::vector<std::string>& operations, uint64_t values) {
    std::string bytes = Number(1) + Number(values) + Flagged(operations.size(), false);
    for (const std::string& operation : operations) bytes += operation;
    return bytes;
  }

  // A module of these operations.
  std::string Finish(const std::vector<std::string>& operations, uint64_t values = 0) const {
    constexpr uint8_t kHasRegions = 0x10;
    const std::string module = Number(0) + static_cast<char>(kHasRegions) + Number(location) +
                               Flagged(1, true) + Section(4, Region(operations, values));
    return FinishWith(Flagged(1, false) + module);
  }
  std::string FinishWith(const std::string& top) const {
    std::string lengths, characters;
    for (const std::string& text : strings_) {
      lengths = Number(text.size() + 1) + lengths;
      characters += text + '\0';
    }
    std::string dialects = Number(3);
    for (int dialect : {kBuiltin, kVhlo, kSdy}) dialects += Flagged(dialect, false);
    return "ML\xefR" + Number(6) + "writer" + '\0' +
           Section(1, dialects + Number(operation_count_) + operations_) +
           Section(3, Number(attributes_.count) + Number(types_.count) + attributes_.sizes +
                          types_.sizes) +
           Section(2, attributes_.bytes + types_.bytes) + Section(4, top) + Section(6, Number(0)) +
           Section(5, "") + Section(0, Number(strings_.size()) + lengths + characters) +
           Section(8, Number(property_count_) + properties_);
  }

  uint64_t location;  // an unknown one

 private:
  struct Entries {
    uint64_t count = 0;
    std::string sizes;
    std::string bytes;
  };
  static uint64_t AddEntry(Dialect dialect, const std::string& bytes, Entries& entries) {
    entries.sizes += Number(dialect) + Number(1) + Flagged(bytes.size(), true);
    entries.bytes += bytes;
    return entries.count++;
  }

  std::vector<std::string> strings_;
  std::string operations_;
  uint64_t operation_count_ = 0;
  Entries attributes_;
  Entries types_;
  std::string properties_;
  uint64_t property_count_ = 0;
};

}  // namespace xla::stablehlo

#endif  // HILO_TESTS_STABLEHLO_ARTIFACT_WRITER_H_
