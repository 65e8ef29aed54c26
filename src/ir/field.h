// How an attribute record describes itself, so that one piece of code per kind of value can parse, print, compare and
// serialise the attributes of every operation.
#ifndef HILO_IR_FIELD_H_
#define HILO_IR_FIELD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/literal.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla {

struct SliceRange {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;
  bool operator==(const SliceRange& other) const = default;
};

// One entry of output_to_operand_aliasing: {output_index}: (operand_number, {operand_index}).
using OutputOperandAlias = std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>;

using Int64List = std::vector<int64_t>;

struct EnumName {
  int value;
  absl::string_view text;
};

// An enumeration held by a record: where it is stored and how its values are called in text and in string fields of
// HloInstructionProto.
struct EnumReference {
  std::variant<int*, PrecisionConfig*> holder;  // of a PrecisionConfig, its algorithm
  absl::Span<const EnumName> names;
  bool ignore_case = false;

  int value() const;
  void set_value(int value) const;
};

// An enumeration that may be left out.
struct OptionalEnumReference {
  std::optional<int>* value;
  absl::Span<const EnumName> names;
};

struct EnumListReference {
  google::protobuf::RepeatedField<int>* values;  // nothing but zeros says as much as nothing
  absl::Span<const EnumName> names;
};

// A literal that a record shares with its clones; null when there is none.
using SharedLiteral = std::shared_ptr<const Literal>;

struct DomainShardings {
  HloSharding entry = HloSharding::Replicate();
  HloSharding exit = HloSharding::Replicate();
  bool operator==(const DomainShardings& other) const {
    return entry == other.entry && exit == other.exit;
  }
};

// A typed reference to the value of one field. Each alternative is one kind of value; whoever handles attributes
// generically visits this variant.
using FieldReference =
    std::variant<int64_t*, bool*, float*, std::string*, std::optional<int64_t>*, std::optional<bool>*, Int64List*,
                 std::vector<Int64List>*, std::vector<bool>*, EnumReference, OptionalEnumReference,
                 EnumListReference, Window*, std::optional<Window>*, PaddingConfig*, ConvolutionDimensionNumbers*, SparsityConfig*, std::vector<SliceRange>*,
                 std::vector<std::pair<int64_t, int64_t>>*, CollectiveDeviceList*, SharedLiteral*,
                 std::optional<std::vector<Shape>>*, std::optional<Shape>*, std::vector<OutputOperandAlias>*,
                 DomainShardings*>;

// How the value is written in text where its type allows more than one way.
enum class Form {
  kPlain,        // index=0, dimensions={0,1}
  kOneInBraces,  // dimensions={0}: exactly one
  kPositional,   // parameter(0), constant(1.5): stands where operands stand
  kAfterCallees, // is_composite=true: printed after the called computations
  kNotInText,    // only for HloInstructionProto
};

// When it is written and whether a reader insists on it.
enum class Presence {
  kRequired,     // always read and printed
  kAlways,       // printed always, may be absent on reading
  kUnlessEqual,  // printed when it differs from the value of a fresh record
  kReadOnly,     // read and checked, never printed
};

// Where HloInstructionProto keeps the value: a field, or a field of the message in that field. {0} is nowhere.
struct ProtoPath {
  int field = 0;
  int subfield = 0;
};

struct Attributes;

struct Field {
  absl::string_view name;  // in text
  std::function<FieldReference(Attributes&)> reference;
  Form form = Form::kPlain;
  Presence presence = Presence::kUnlessEqual;
  ProtoPath proto = {};
};

// The base of all attribute records. A record is a value: Clone copies it.
struct Attributes {
  virtual ~Attributes() = default;
  virtual std::unique_ptr<Attributes> Clone() const = 0;
  virtual std::unique_ptr<Attributes> Fresh() const = 0;
  virtual absl::Span<const Field> Fields() const = 0;
};

// True when `field` has the same value in both, which must be records of one type.
bool FieldEqual(const Field& field, const Attributes& a, const Attributes& b);

// True when all fields are equal. Both must be records of one type.
bool AttributesEqual(const Attributes& a, const Attributes& b);

// True when `field` of `attributes` has the value that a fresh record has.
bool FieldHasDefaultValue(const Field& field, const Attributes& attributes);

// The reference for reading. The referenced value must not be changed.
inline FieldReference ReadField(const Field& field, const Attributes& attributes) {
  return field.reference(const_cast<Attributes&>(attributes));
}

}  // namespace xla

#endif  // HILO_IR_FIELD_H_
