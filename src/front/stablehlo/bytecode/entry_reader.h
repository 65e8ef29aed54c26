// The attributes, types and locations of an artifact, each read when it is first asked for.
#ifndef HILO_FRONT_STABLEHLO_BYTECODE_ENTRY_READER_H_
#define HILO_FRONT_STABLEHLO_BYTECODE_ENTRY_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "front/stablehlo/bytecode/byte_reader.h"
#include "front/stablehlo/bytecode/container.h"
#include "front/stablehlo/program.h"

namespace xla::stablehlo {

// The first error is in status(). After it every index gives a unit attribute, NoType, an empty
// shape or an unknown location, never null, so that callers need to ask only now and then.
class EntryReader {
 public:
  // Both must outlive the reader.
  EntryReader(const Container& container, uint64_t file_size, Program& program);

  const Attribute* attribute(uint64_t index);
  const Type* type(uint64_t index);
  const Shape* shape(uint64_t index);
  const Location* location(uint64_t index);
  // An attribute that must be a string.
  absl::string_view string(uint64_t index);
  const Location* unknown_location() const { return unknown_location_; }

  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  void Fail(absl::Status error);

  // What stands once in an artifact may be in many places of the program, and again in what is made
  // of it. An artifact that makes more of it than an honest one has reason to is an error.
  void Spend(uint64_t bytes);
  // Spends what the attribute or type takes, with all that is in it.
  void SpendAttribute(uint64_t index) {
    if (index < attributes_.weights.size()) Spend(attributes_.weights[index]);
  }
  void SpendType(uint64_t index) {
    if (index < types_.weights.size()) Spend(types_.weights[index]);
  }

 private:
  using Entry = Container::Entry;
  template <typename T>
  struct Known {
    explicit Known(size_t size) : values(size), weights(size) {}
    std::vector<const T*> values;   // null where not read
    std::vector<uint64_t> weights;  // bytes of the entry and of all in it, without those of tensors
  };

  // One of entries_, opened behind its code. Fails if it is of another dialect or code.
  ByteReader Open(const Entry& entry, absl::string_view dialect, uint64_t code);
  // Calls read(dialect, code, reader) with the entry.
  template <typename T, typename Read>
  const T* ReadOnce(absl::string_view kind, const std::vector<Entry>& entries, uint64_t index,
                    Known<T>& known, const T* otherwise, const Read& read);
  const Entry& AttributeEntry(uint64_t index);

  // The dialect's codes. False if the dialect has no such code, or Hilo has no use for it.
  bool ReadBuiltinAttribute(uint64_t code, ByteReader& reader, Attribute& attribute);
  bool ReadVhloAttribute(uint64_t code, ByteReader& reader, Attribute& attribute);
  bool ReadSdyAttribute(uint64_t code, ByteReader& reader, Attribute& attribute);
  bool ReadBuiltinType(uint64_t code, ByteReader& reader, Type& type);
  bool ReadVhloType(uint64_t code, ByteReader& reader, Type& type);
  bool ReadLocation(uint64_t code, ByteReader& reader, Location& location);

  std::vector<const Attribute*> List(ByteReader& reader);
  NamedAttributes Entries(ByteReader& reader);
  absl::string_view StringAt(uint64_t index);
  uint64_t FixedWidthInteger(ByteReader& reader, int bits);
  IntegerAttribute Integer(ByteReader& reader);
  // Of the type i1, a truth value.
  void IntegerOrBool(ByteReader& reader, Attribute& attribute);
  FloatAttribute Float(ByteReader& reader);
  double Double(ByteReader& reader);
  Attribute Tensor(const Shape& shape, absl::string_view bytes);
  absl::string_view Predicates(absl::string_view bytes, int64_t count);
  std::vector<int64_t> SignedList(ByteReader& reader);

  PrimitiveType element_type(uint64_t index);
  FunctionType Function(ByteReader& reader);
  Shape ArrayShape(PrimitiveType element_type, absl::Span<const int64_t> sizes,
                   absl::Span<const int64_t> bounds);
  Shape ReadArrayShape(ByteReader& reader, std::optional<uint64_t> encoding);
  Shape ReadTupleShape(ByteReader& reader);

  // VHLO's attributes of meshes.
  std::vector<uint64_t> VhloArray(uint64_t index);
  AxisReference VhloAxis(uint64_t index);
  MeshAttribute VhloMesh(ByteReader& reader);

  // sdy's parts of shardings.
  MeshAttribute SdyMesh(ByteReader& reader);
  std::vector<AxisReference> SdyAxes(ByteReader& reader);
  DimensionSharding SdyDimension(uint64_t index);
  TensorShardingAttribute SdySharding(ByteReader& reader, bool has_unreduced_axes);
  std::string SdyShardingRule(ByteReader& reader);
  std::vector<std::vector<std::vector<int64_t>>> SdyTensorMappings(ByteReader& reader);

  const Container& container_;
  Program& program_;
  Known<Attribute> attributes_;
  Known<Type> types_;
  Known<Location> locations_;
  const Attribute* const unit_;
  const Type* const no_type_;
  const Location* const unknown_location_;
  const Shape empty_shape_;
  int depth_ = 0;
  uint64_t weight_ = 0;  // so far, of the entry that is being read
  uint64_t budget_;
  absl::Status status_;
};

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_BYTECODE_ENTRY_READER_H_
