// A StableHLO program as its readers give it, whether it came as bytecode or as text: operations
// with operands, attributes and regions. It knows names, not meaning; lowering gives it that.
#ifndef HILO_FRONT_STABLEHLO_PROGRAM_H_
#define HILO_FRONT_STABLEHLO_PROGRAM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla::stablehlo {

// Everything below that is referred to by pointer or string_view belongs to the Program.

struct Type;
struct Attribute;
struct Operation;

struct FunctionType {
  std::vector<const Type*> inputs;
  std::vector<const Type*> results;
};
struct NoType {};
// tf32, which no array has: a precision of dot algorithms.
struct TensorFloat32 {};
// Values have a Shape: an array, a token, a buffer or a tuple. Sizes `?` are Shape::kUnboundedSize,
// with a bound a dynamic dimension. An element type alone (f32) is an attribute of some operations.
struct Type {
  std::variant<NoType, Shape, PrimitiveType, TensorFloat32, FunctionType> value;
};

struct NamedAttribute {
  absl::string_view name;
  const Attribute* value;
};
using NamedAttributes = std::vector<NamedAttribute>;

struct UnitAttribute {};
struct IntegerAttribute {
  PrimitiveType type;  // S64 for the type index
  int64_t value;       // of U64 the bits
};
struct FloatAttribute {
  PrimitiveType type;
  double value;
};
struct StringAttribute {
  absl::string_view value;
};
struct SymbolAttribute {  // @name
  absl::string_view name;
};
struct KeywordAttribute {  // a value of an enumeration as StableHLO spells it: LT, TOTALORDER,
                           // HIGHEST
  absl::string_view name;
};
struct TypeAttribute {
  const Type* type;
};
struct ArrayAttribute {
  std::vector<const Attribute*> elements;
};
struct DictionaryAttribute {
  NamedAttributes entries;
};
// Elements in row-major order, little-endian, each in whole bytes: numbers of 4 bits and predicates
// take one. Lists of integers are such tensors, too.
struct TensorAttribute {
  const Shape* shape;  // without layout
  absl::string_view bytes;
  bool is_splat;  // `bytes` holds one element, which all are equal to
};
struct OutputOperandAlias {
  std::vector<int64_t> output_indices;
  int64_t operand;
  std::vector<int64_t> operand_indices;
};
struct ResultAccuracyAttribute {
  double absolute_tolerance;
  double relative_tolerance;
  int64_t units;  // in the last place
  absl::string_view mode;
};

// The attributes of the dialect sdy, which says how arrays are divided among devices.
struct MeshAxis {
  absl::string_view name;
  int64_t size;
};
struct MeshAttribute {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> device_ids;  // empty: 0, 1, 2, ... in row-major order of the axes
};
struct AxisReference {
  absl::string_view name;
  // A part of the axis: the product of the sizes before it, and its own.
  std::optional<std::pair<int64_t, int64_t>> sub_axis;
};
struct DimensionSharding {
  std::vector<AxisReference> axes;
  bool is_closed = true;
  std::optional<int64_t> priority;
};
struct TensorShardingAttribute {
  const Attribute* mesh;  // MeshAttribute, or SymbolAttribute for a mesh of the module
  std::vector<DimensionSharding> dimensions;
  std::vector<AxisReference> replicated_axes;
  std::vector<AxisReference> unreduced_axes;
};
// Of an operation with several results: one per result.
struct ShardingPerValueAttribute {
  std::vector<const Attribute*> shardings;  // TensorShardingAttribute
};
// Groups of devices as axes of a mesh: those that differ in these axes only are a group.
struct ReplicaGroupMeshAxes {
  const Attribute* mesh;  // MeshAttribute, or SymbolAttribute for a mesh of the module
  std::vector<AxisReference> axes;
};
// An attribute of a known dialect that lowering does not need, as text where it has one.
struct OpaqueAttribute {
  absl::string_view text;
};

struct Attribute {
  std::variant<UnitAttribute, bool, IntegerAttribute, FloatAttribute, StringAttribute,
               SymbolAttribute, KeywordAttribute, TypeAttribute, ArrayAttribute,
               DictionaryAttribute, TensorAttribute, OutputOperandAlias, ResultAccuracyAttribute,
               MeshAttribute, TensorShardingAttribute, ShardingPerValueAttribute,
               ReplicaGroupMeshAxes, OpaqueAttribute>
      value;
};

struct UnknownLocation {};
struct FileLocation {
  absl::string_view file;
  int64_t line = 0;
  int64_t column = 0;
  int64_t end_line = 0;
  int64_t end_column = 0;
};
struct Location;
struct NameLocation {
  absl::string_view name;
  const Location* child;
};
struct CallSiteLocation {
  const Location* callee;
  const Location* caller;
};
struct FusedLocation {
  std::vector<const Location*> locations;
};
struct Location {
  std::variant<UnknownLocation, FileLocation, NameLocation, CallSiteLocation, FusedLocation> value;
};

// Values are numbered through the whole program.
using ValueId = int32_t;

// StableHLO has regions of one block only.
struct Region {
  std::vector<ValueId> arguments;
  std::vector<Operation*> operations;
};

// Names and attributes are those of the newest version of StableHLO: `stablehlo.add`,
// `func.func`, `sdy.manual_computation`, `chlo.erf`. Structured attributes are flat, as VHLO has
// them: what text writes as `#stablehlo.gather<offset_dims = [0], ...>` are the attributes
// offset_dims and so on of the operation itself.
struct Operation {
  absl::string_view name;
  absl::InlinedVector<ValueId, 3> operands;
  absl::InlinedVector<ValueId, 1> results;
  NamedAttributes attributes;   // those that the operation defines, by name; absent ones left out
  NamedAttributes discardable;  // all others, such as mhlo.sharding
  std::vector<Region> regions;
  const Location* location;  // never null
  int64_t source_line = 0;   // in the text that was read; 0 for bytecode
  int64_t source_column = 0;

  // Null where there is none.
  const Attribute* attribute(absl::string_view name) const { return Find(attributes, name); }
  const Attribute* discardable_attribute(absl::string_view name) const {
    return Find(discardable, name);
  }

 private:
  static const Attribute* Find(const NamedAttributes& in, absl::string_view name);
};

// Objects that stay where they are.
template <typename T>
class Pool {
 public:
  T& Add(T value) {
    if (blocks_.empty() || blocks_.back().size() == blocks_.back().capacity()) {
      const size_t doublings = std::min<size_t>(blocks_.size(), 6);
      blocks_.emplace_back().reserve(size_t{16} << doublings);
    }
    return blocks_.back().emplace_back(std::move(value));
  }

 private:
  std::vector<std::vector<T>> blocks_;
};

// Neither copied nor moved: its parts refer to each other.
class Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // builtin.module: its region holds functions and meshes, its attribute sym_name the name.
  Operation* module = nullptr;

  const Shape& shape(ValueId value) const { return *value_shapes_[value]; }
  int64_t value_count() const { return static_cast<int64_t>(value_shapes_.size()); }
  // `shape` must belong to the program.
  ValueId AddValue(const Shape* shape) {
    value_shapes_.push_back(shape);
    return static_cast<ValueId>(value_shapes_.size() - 1);
  }

  const Shape* Add(Shape shape) { return &shapes_.Add(std::move(shape)); }
  const Type* Add(Type type) { return &types_.Add(std::move(type)); }
  const Attribute* Add(Attribute attribute) { return &attributes_.Add(std::move(attribute)); }
  const Location* Add(Location location) { return &locations_.Add(std::move(location)); }
  Location* AddLocation() { return &locations_.Add(Location()); }
  Operation* AddOperation() { return &operations_.Add(Operation()); }
  absl::string_view Keep(std::string text) { return texts_.Add(std::move(text)); }

 private:
  std::vector<const Shape*> value_shapes_;
  Pool<Shape> shapes_;
  Pool<Type> types_;
  Pool<Attribute> attributes_;
  Pool<Location> locations_;
  Pool<Operation> operations_;
  Pool<std::string> texts_;
};

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_PROGRAM_H_
