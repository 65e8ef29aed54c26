// Reads the values that stand in HLO text and mean the same wherever they stand: shapes, literals,
// lists, windows, shardings, metadata. Each Parse function reads one value from the current token
// on and leaves the token behind it as the current one.
#ifndef HILO_FRONT_TEXT_VALUE_PARSER_H_
#define HILO_FRONT_TEXT_VALUE_PARSER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "front/text/text_parser.h"
#include "ir/field.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {

class ValueParser : public TextParser {
 public:
  ValueParser(absl::string_view text, const HloParserOptions& options)
      : TextParser(text, options.max_recursion_depth()), options_(options) {}

  // Numbers, words, strings.
  bool Parse(int64_t* value);
  bool Parse(double* value);
  bool Parse(float* value);
  bool Parse(bool* value);
  bool Parse(std::string* value);
  bool ParseName(absl::string_view* name);
  // A quoted string, or a dictionary in braces, which is taken as it stands.
  bool ParseStringOrDictionary(std::string* value);
  bool ParseDictionary(absl::string_view* value);

  // Lists.
  bool Parse(Int64List* values);
  bool Parse(std::vector<Int64List>* lists);
  bool Parse(std::vector<bool>* values);
  bool Parse(std::vector<std::pair<int64_t, int64_t>>* pairs);
  bool Parse(std::vector<SliceRange>* ranges);
  bool Parse(ShapeIndex* index);
  bool Parse(std::vector<OutputOperandAlias>* aliases);
  // {d}
  bool ParseOneInBraces(int64_t* value);
  // `true` or `{true,false}`
  bool ParseBoolOrList(std::vector<bool>* values);

  // Words of a fixed set.
  bool Parse(EnumReference reference);
  bool Parse(OptionalEnumReference reference);
  bool Parse(EnumListReference reference);

  // Shapes. Layouts that are left out are filled in if the options say so.
  bool Parse(Shape* shape) { return ParseShape(shape, options_.fill_missing_layouts()); }
  bool Parse(std::optional<Shape>* shape) { return Parse(&shape->emplace()); }
  bool Parse(std::vector<Shape>* shapes);
  bool Parse(std::optional<std::vector<Shape>>* shapes) { return Parse(&shapes->emplace()); }
  bool ParseShape(Shape* shape, bool fill_layout);
  bool ParseLayout(Layout* layout);
  // Whether the current token begins a shape.
  bool AtShape() const;

  // Literals: the elements of a given shape, or shape and elements.
  bool ParseLiteral(const Shape& shape, Literal* literal);
  bool ParseLiteralWithShape(Literal* literal);
  bool Parse(SharedLiteral* literal);

  // Windows and dimension numbers.
  bool Parse(Window* window);
  bool Parse(std::optional<Window>* window) { return Parse(&window->emplace()); }
  bool Parse(PaddingConfig* padding);
  bool Parse(ConvolutionDimensionNumbers* dimensions);
  bool Parse(SparsityConfig* sparsity);

  // Devices.
  bool Parse(CollectiveDeviceList* devices);
  bool Parse(HloSharding* sharding);
  bool Parse(DomainShardings* domain);

  // What any instruction may carry.
  bool Parse(OpMetadata* metadata);
  bool Parse(FrontendAttributes* attributes);
  bool Parse(StatisticsViz* statistics);
  bool Parse(ResultAccuracy* accuracy);
  bool Parse(OriginalValueProto* value);
  bool Parse(OriginalArrayProto* array);

  // Any value of an attribute record.
  bool Parse(FieldReference reference) {
    return std::visit([&](auto value) { return Parse(value); }, reference);
  }
  bool Parse(std::optional<int64_t>* value) { return Parse(&value->emplace()); }
  bool Parse(std::optional<bool>* value) { return Parse(&value->emplace()); }

 protected:
  const HloParserOptions& options() const { return options_; }
  // A number that counts or names something: not negative.
  bool ParseNatural(int64_t* value);

 private:
  bool ParseEnum(absl::Span<const EnumName> names, bool ignore_case, int* value);
  bool ParseSizes(Int64List* sizes);
  bool AtEmptyPadding() const;
  bool ParsePaddings(std::vector<Int64List>* paddings);

  bool ParseTupleShape(Shape* shape, bool fill_layout);
  bool ParseArrayShape(Shape* shape, bool fill_layout);
  bool ParseDimensions(Shape* shape);
  bool ParseLayoutParts(Layout* layout);
  bool ParseTiles(Layout* layout);
  bool ParseSplitConfigs(Layout* layout);
  bool ParseTypeInParens(PrimitiveType* type);
  bool ParseNaturalInParens(int64_t* value);
  bool SkipDimLevelTypes();

  bool ParseTupleLiteral(const Shape& shape, Literal* literal);
  bool ParseDynamicLiteral(const Shape& shape, Literal* literal);
  bool ParseArrayLiteral(const Shape& shape, Literal* literal);
  bool ParseFirstElement(const Shape& shape, Literal* literal);
  bool MakeLargeLiteral(const char* position, const Shape& shape, Literal* literal);
  bool ParseElidedLiteral(const Shape& shape, Literal* literal);

  bool ParseOneSharding(HloSharding* sharding);
  bool ParseUnnamedSharding(HloSharding* sharding);
  bool ParseTiledSharding(OpSharding* sharding);
  bool ParseSubgroupTypes(OpSharding* sharding);
  bool ParseShardingSuffix(OpSharding* sharding);
  bool ParseMetadataOrList(std::vector<OpMetadata>* metadata);
  bool ParseNamedSharding(HloSharding* sharding);
  bool ParseNamedShardingPart(const Mesh& mesh, NamedSharding::Axes* axes);
  bool ParseReductionOp(NamedSharding::ReductionOp* reduction_op);
  bool ParseDimensionSharding(const Mesh& mesh, NamedSharding::DimensionSharding* dimension);
  bool ParseMesh(Mesh* mesh);
  bool ParseMeshDevices(const Int64List& sizes, TileAssignment* devices);
  bool ParseAxes(const Mesh& mesh, std::vector<AxisRef>* axes);
  bool ParseAxis(const Mesh& mesh, std::vector<AxisRef>* axes);
  bool ParseSizesInSquares(Int64List* sizes);
  bool ParsePermutation(Int64List* permutation);
  bool CheckPermutation(const char* position, const Int64List& reshape_dims,
                        Int64List* permutation);

  bool ParseMetadataField(OpMetadata* metadata, absl::string_view name);
  bool ParseTolerance(ResultAccuracy::Tolerance* tolerance);
  bool ParseOriginalTree(ShapeIndex* index, OriginalValueProto* value);
  bool ParseTensorSparsity(SparsityConfig::TensorSparsityConfig* sparsity);

  HloParserOptions options_;
  uint32_t elided_counter_ = 0;  // of the words that fill elided constants
  int64_t elided_bytes_ = 0;     // of literals that do not stand in the text in full
};

}  // namespace xla

#endif  // HILO_FRONT_TEXT_VALUE_PARSER_H_
