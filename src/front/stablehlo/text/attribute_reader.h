// Reads types, attributes and locations of MLIR text.
#ifndef HILO_FRONT_STABLEHLO_TEXT_ATTRIBUTE_READER_H_
#define HILO_FRONT_STABLEHLO_TEXT_ATTRIBUTE_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "front/stablehlo/program.h"
#include "front/stablehlo/text/text_source.h"

namespace xla::stablehlo {

class AttributeReader : public TextSource {
 public:
  AttributeReader(absl::string_view text, Program* program)
      : TextSource(text), program_(program), budget_(kSmallBudget + 16 * text.size()) {}

 protected:
  Program& program() { return *program_; }
  absl::string_view Keep(std::string text) final { return program_->Keep(std::move(text)); }

  // ---- Types. Null after an error.
  const Type* ReadType();
  // A type of values.
  const Shape* ReadShape();
  // One type, or `(types)`.
  bool ReadTypes(std::vector<const Type*>* types);
  bool ReadShapes(std::vector<const Shape*>* shapes);
  const Shape* ShapeOf(const Type* type, const char* position);
  // What the type is called in messages: tensor<2xf32>.
  static std::string TypeName(const Shape& shape);

  // ---- Attributes. Null after an error.
  const Attribute* ReadAttribute();
  // {name = value, name, ...}. The brace is the current token.
  bool ReadDictionary(NamedAttributes* entries);
  // The part of a dense attribute behind `dense`.
  const Attribute* ReadDense();
  const Attribute* StringValue(absl::string_view value);
  const Attribute* Keyword(absl::string_view value);
  const Attribute* Integer(PrimitiveType type, int64_t value);
  const Attribute* IntegerList(absl::Span<const int64_t> values);
  const Attribute* Tensor(PrimitiveType type, absl::Span<const int64_t> dimensions,
                          std::string bytes);
  // `<...>` behind the name of a structured attribute, such as stablehlo.gather: a dictionary of
  // its parts. Lists that are absent are empty, numbers 0.
  const Attribute* ReadStructure(absl::string_view name);
  // Everything up to the bracket that closes the next one, as it stands from `begin` on.
  const Attribute* ReadOpaque(const char* begin);
  // [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], appended as attributes of a convolution.
  bool ReadConvolutionDimensions(NamedAttributes* entries);
  // Sorts by name; fails at `position` when a name occurs twice.
  bool SortByName(NamedAttributes* entries, const char* position);

  // The attributes of sdy.
  const Attribute* ReadMesh();              // <["x"=2], device_ids=[0, 1]>
  const Attribute* ReadSharding();          // <@mesh, [{"x"}, {}]>
  const Attribute* ReadShardingPerValue();  // <[<@mesh, [{}]>, ...]>, or without the <>
  const Attribute* ReadSdyList(absl::string_view name);
  const Attribute* ReadManualAxes();  // {"x", "y"}

  // ---- Locations. Null after an error.
  // loc(...) if that comes next, else the unknown location.
  const Location* ReadOptionalLocation();
  const Location* UnknownPlace();

  // `#name = ...` or `!name = ...` at the top of the text.
  bool ReadAlias();
  // The values of dense_resource attributes, `{-# ... #-}`. False when `section` is something else.
  bool ReadResources(absl::string_view section);
  // All aliases that were used must have been defined.
  bool CheckAliases();

 private:
  static constexpr int64_t kSmallBudget = 1 << 20;
  // Stacks of calls may be deep, and share parts.
  static constexpr int64_t kMaxLocationSize = 1 << 20;
  static constexpr int kMaxLocationDepth = 1000;

  template <typename T>
  const Attribute* Add(T value) {
    return program_->Add(Attribute{std::move(value)});
  }
  // How large the tree is that an alias stands for.
  struct Extent {
    int64_t size = 1;
    int depth = 1;
  };

  // Types and attributes that aliases stand for are counted as often as they occur, so that short
  // text cannot mean endless programs.
  bool Spend(int64_t nodes);

  // ---- Types
  const Type* ReadWordType();
  const Type* ReadDialectType();
  const Type* ReadTensorType(bool is_buffer);
  const Type* ReadTupleType();
  const Type* ReadFunctionType();
  bool ReadDimensions(std::vector<int64_t>* dimensions);
  bool ReadBounds(std::vector<int64_t>* bounds);
  bool ReadElementType(PrimitiveType* type);

  // ---- Attributes
  const Attribute* ReadNumber();
  const Attribute* ReadHashAttribute();
  const Attribute* ReadDialectAttribute(absl::string_view name);
  const Attribute* ReadResultAccuracy();
  const Attribute* ReadOutputOperandAlias();
  const Attribute* ReadArray();
  const Attribute* ReadTypedArray();
  const Attribute* ReadResource();
  const Attribute* ReadNestedSymbol();
  const Attribute* ReadField(absl::string_view kind);
  bool ReadAxis(AxisReference* axis);
  bool ReadAxes(std::vector<AxisReference>* axes);
  bool ReadDimensionSharding(DimensionSharding* dimension);
  bool ReadConvolutionSide(char first, char second, std::vector<int64_t>* spatial, int64_t* a,
                           int64_t* b);

  // ---- Elements of tensors
  bool ReadElements(const Shape& shape, std::string* bytes);
  bool ReadElementList(const Shape& shape, int dimension, std::string* bytes);
  bool ReadElement(PrimitiveType type, std::string* bytes);
  bool ReadRealElement(PrimitiveType type, std::string* bytes);
  bool ReadIntegerElement(PrimitiveType type, std::string* bytes);
  bool ReadFloatElement(PrimitiveType type, std::string* bytes);
  bool ReadHexadecimalElements(const Shape& shape, const char* position, absl::string_view digits,
                               std::string* bytes);

  // ---- Locations
  // What stands between the parentheses of loc(...).
  const Location* ReadLocation(Extent* extent);
  const Location* ReadLocationAlias(Extent* extent);
  bool ReadFileRange(FileLocation* location);

  bool UseAlias(const Extent& extent) { return Spend(extent.size) && Deepen(extent.depth); }
  bool ReadLocationAliasValue(absl::string_view name, const char* position);

  struct AttributeAlias {
    const Attribute* value;
    Extent extent;
  };
  struct TypeAlias {
    const Type* value;
    Extent extent;
  };
  struct LocationAlias {
    Location* value = nullptr;  // unknown until it is defined
    Extent extent;
    bool is_defined = false;
    const char* first_use = nullptr;
  };

  Program* program_;
  int64_t budget_;
  absl::flat_hash_map<absl::string_view, AttributeAlias> attribute_aliases_;
  absl::flat_hash_map<absl::string_view, TypeAlias> type_aliases_;
  absl::flat_hash_map<absl::string_view, LocationAlias> location_aliases_;
  absl::flat_hash_map<absl::string_view, absl::string_view> resources_;  // name: hexadecimal digits
  bool in_location_alias_ = false;
  const Location* unknown_location_ = nullptr;
};

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_TEXT_ATTRIBUTE_READER_H_
