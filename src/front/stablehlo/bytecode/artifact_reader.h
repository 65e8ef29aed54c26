// The operations of an artifact, with their regions.
#ifndef HILO_FRONT_STABLEHLO_BYTECODE_ARTIFACT_READER_H_
#define HILO_FRONT_STABLEHLO_BYTECODE_ARTIFACT_READER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "front/stablehlo/bytecode/byte_reader.h"
#include "front/stablehlo/bytecode/container.h"
#include "front/stablehlo/bytecode/entry_reader.h"
#include "front/stablehlo/bytecode/operation_forms.h"
#include "front/stablehlo/program.h"

namespace xla::stablehlo {

class ArtifactReader {
 public:
  // All must outlive the reader; `file` is what `container` was read from.
  ArtifactReader(absl::string_view file, const Container& container, Program& program);

  // Fills the program's module.
  absl::Status Read();

 private:
  // The values that one region defines itself, while it is being read. Their numbers in the file
  // follow those of the region around it; that region may go on defining values of lower numbers.
  struct Frame {
    uint64_t first_number;
    uint64_t count;
    size_t start;  // in values_
  };

  absl::Status ReadBlock(ByteReader& reader, const Operation* parent, Region& region);
  absl::Status ReadOperation(ByteReader& reader, const Operation* parent, Region& region);
  absl::Status ReadOperationBody(ByteReader& reader, uint8_t mask, const OperationForm& form,
                                 Operation& operation);
  bool IsCastToSame(const Operation& operation) const;
  absl::Status ReadRegions(ByteReader& reader, Operation& operation);
  absl::Status ReadRegion(ByteReader& reader, const Operation& parent, Region& region);
  void ReadArguments(ByteReader& reader, Region& region);
  void ReadProperties(ByteReader& reader, const OperationForm& form, Operation& operation);
  void ReadDictionary(ByteReader& reader, const OperationForm& form, Operation& operation);
  void AddProperty(const OperationForm& form, absl::string_view name, uint64_t index,
                   Operation& operation);
  void AddAttribute(const OperationForm& form, absl::string_view name, const Attribute* value,
                    Operation& operation);
  void SkipUseListOrders(ByteReader& reader, size_t values);

  ValueId NewValue(uint64_t type);
  ValueId Value(ByteReader& reader);
  absl::Status Malformed(const ByteReader& reader, absl::string_view what) const;

  const absl::string_view file_;
  const Container& container_;
  Program& program_;
  EntryReader entries_;
  std::vector<const OperationForm*> forms_;  // of each operation name; null if not known
  std::vector<Frame> frames_;
  size_t first_visible_frame_ = 0;  // those before it are outside of an isolated operation
  std::vector<ValueId> values_;
  int depth_ = 0;
};

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_BYTECODE_ARTIFACT_READER_H_
