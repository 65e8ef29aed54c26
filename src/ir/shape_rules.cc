#include "ir/shape_rules.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/op_info.h"
#include "ir/ops/rule.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

using shape_rules::BrokenRule;

absl::Status CheckCounts(const OpDescription& op, const OpInfo& info) {
  const int64_t operands = static_cast<int64_t>(op.operands.size());
  const OperandCount expected = info.operands;
  if (expected.min == expected.max) {
    HILO_RULE(0, operands == expected.min, "takes %d operands, not %d", expected.min, operands);
  }
  HILO_RULE(0, operands >= expected.min, "takes at least %d operands, not %d", expected.min,
            operands);
  const int64_t callees = static_cast<int64_t>(op.callees.size());
  // The end of an asynchronous operation may leave its computation to the start.
  if (op.opcode == HloOpcode::kAsyncUpdate || op.opcode == HloOpcode::kAsyncDone) {
    HILO_RULE(0, callees <= 1, "calls at most one computation, not %d", callees);
  } else if (info.callees.count == 0 || info.callees.form == CalleeForm::kNamed) {
    HILO_RULE(0, callees == info.callees.count, "calls %d computations, not %d", info.callees.count,
              callees);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferShape(const OpDescription& op) {
  const OpInfo& info = GetOpInfo(op.opcode);
  HILO_RETURN_IF_ERROR(CheckCounts(op, info));
  if (op.declared != nullptr) {
    const absl::Status valid = ShapeUtil::ValidateShapeWithOptionalLayout(*op.declared);
    HILO_RULE(0, valid.ok(), "declared result: %s", valid.message());
  }
  return info.shape_rule(op);
}

absl::StatusOr<Shape> BroadcastShapes(HloOpcode opcode, const Shape& lhs, const Shape& rhs,
                                      absl::Span<const int64_t> broadcast_dimensions) {
  const Shape* const operands[] = {&lhs, &rhs};
  const NoAttributes none;
  const OpDescription op = {opcode, operands, &none, {}};
  HILO_RETURN_IF_ERROR(shape_rules::ExpectArrays(op, 1));
  const bool lhs_is_larger = lhs.dimensions_size() >= rhs.dimensions_size();
  const Shape& larger = lhs_is_larger ? lhs : rhs;
  const Shape& smaller = lhs_is_larger ? rhs : lhs;
  const int larger_rank = larger.dimensions_size();
  const int smaller_rank = smaller.dimensions_size();

  std::vector<int64_t> map(broadcast_dimensions.begin(), broadcast_dimensions.end());
  if (map.empty() && smaller_rank == larger_rank) {
    for (int i = 0; i < larger_rank; ++i) map.push_back(i);
  }
  HILO_RULE(0, !map.empty() || smaller_rank == 0,
            "operands of different rank need broadcast_dimensions unless one is a scalar");
  HILO_RULE(
      0, static_cast<int>(map.size()) == smaller_rank,
      "broadcast_dimensions={%s} must have one entry for each of the %d dimensions of the operand "
      "of lower rank",
      shape_rules::Text(map), smaller_rank);
  HILO_RETURN_IF_ERROR(
      shape_rules::ExpectDimensions(op, 0, "broadcast_dimensions", map, larger_rank));
  HILO_RETURN_IF_ERROR(shape_rules::ExpectAscending(op, 0, "broadcast_dimensions", map));

  Shape result = larger;
  for (int i = 0; i < smaller_rank; ++i) {
    const int64_t at = map[i];
    const int64_t small_size = smaller.dimensions(i);
    const int64_t large_size = larger.dimensions(at);
    const bool small_stretches = small_size == 1 && smaller.is_static_dimension(i);
    const bool large_stretches = large_size == 1 && larger.is_static_dimension(at);
    // A dimension that gets its place from broadcast_dimensions must be known to fit there.
    HILO_RULE(0,
              small_size == large_size || small_stretches || large_stretches ||
                  (smaller_rank == larger_rank && shape_rules::SizesAgree(small_size, large_size)),
              "dimension %d of one operand must be as long as dimension %d of the other, or one of "
              "them 1",
              i, at);
    // A size of 1 stretches; of two that agree, the one that is known counts.
    const bool take_small =
        large_stretches || (large_size == Shape::kUnboundedSize && !small_stretches);
    const bool dynamic =
        small_size == large_size
            ? smaller.is_dynamic_dimension(i) || larger.is_dynamic_dimension(at)
            : (take_small ? smaller.is_dynamic_dimension(i) : larger.is_dynamic_dimension(at));
    result.set_dimensions(at, take_small ? small_size : large_size, dynamic);
  }
  return shape_rules::Result(op, std::move(result));
}

namespace shape_rules {
namespace {

constexpr size_t kLongestShapeText = 200;
constexpr size_t kMostShapes = 8;

std::string Cut(std::string text) {
  if (text.size() > kLongestShapeText) {
    text.resize(kLongestShapeText);
    text += "...";
  }
  return text;
}

}  // namespace

std::string Text(const Shape& shape) { return Cut(ShapeUtil::HumanString(shape)); }
std::string Text(IntSpan values) { return absl::StrJoin(values, ","); }

absl::Status BrokenRule(const OpDescription& op, int number, absl::string_view what) {
  std::string message = absl::StrCat(HloOpcodeString(op.opcode), "_c", number, ": ", what);
  if (!op.operands.empty()) {
    const size_t shown = std::min(op.operands.size(), kMostShapes);
    absl::StrAppend(
        &message, "; ", op.operands.size() == 1 ? "operand " : "operands ",
        absl::StrJoin(op.operands.subspan(0, shown), ", ",
                      [](std::string* out, const Shape* shape) { *out += Text(*shape); }),
        shown < op.operands.size() ? ", ..." : "");
  }
  if (op.declared != nullptr) absl::StrAppend(&message, "; declared ", Text(*op.declared));
  for (size_t i = 0; i < std::min(op.callees.size(), kMostShapes); ++i) {
    absl::StrAppend(&message, "; calls ", Cut(ShapeUtil::HumanString(*op.callees[i])));
  }
  return absl::InvalidArgumentError(message);
}

bool IsInteger(PrimitiveType type) { return primitive_util::IsIntegralType(type); }
bool IsFloat(PrimitiveType type) { return primitive_util::IsFloatingPointType(type); }
bool IsFloatOrComplex(PrimitiveType type) {
  return IsFloat(type) || primitive_util::IsComplexType(type);
}
bool IsIntegerOrPred(PrimitiveType type) { return IsInteger(type) || type == PRED; }
bool IsReal(PrimitiveType type) { return IsInteger(type) || IsFloat(type); }
bool IsNumber(PrimitiveType type) { return IsInteger(type) || IsFloatOrComplex(type); }
bool IsNumberOrPred(PrimitiveType type) { return IsNumber(type) || type == PRED; }
bool IsSignedNumber(PrimitiveType type) {
  return primitive_util::IsSignedIntegralType(type) || IsFloatOrComplex(type);
}

bool SizesAgree(int64_t a, int64_t b) {
  return a == b || a == Shape::kUnboundedSize || b == Shape::kUnboundedSize;
}

bool DimensionsAgree(const Shape& a, const Shape& b) {
  return absl::c_equal(a.dimensions(), b.dimensions(), SizesAgree);
}

bool ShapesAgree(const Shape& a, const Shape& b, bool allow_mixed_precision) {
  if (a.IsTuple() || b.IsTuple()) {
    return a.IsTuple() && b.IsTuple() &&
           absl::c_equal(a.tuple_shapes(), b.tuple_shapes(), [&](const Shape& x, const Shape& y) {
             return ShapesAgree(x, y, allow_mixed_precision);
           });
  }
  return a.IsBuffer() == b.IsBuffer() &&
         (allow_mixed_precision ? ShapeUtil::SameElementTypeIgnoringFpPrecision(a, b)
                                : ShapeUtil::SameElementType(a, b)) &&
         (!a.IsArray() || DimensionsAgree(a, b));
}

bool ElementTypesAgree(const OpDescription& op, const Shape& a, const Shape& b) {
  return op.allow_mixed_precision ? ShapeUtil::SameElementTypeIgnoringFpPrecision(a, b)
                                  : ShapeUtil::SameElementType(a, b);
}

Shape MergeDimensions(const Shape& a, const Shape& b, PrimitiveType type) {
  Shape merged = WithElementType(a, type);
  for (int i = 0; i < a.dimensions_size(); ++i) {
    if (a.dimensions(i) == Shape::kUnboundedSize) {
      merged.set_dimensions(i, b.dimensions(i), b.is_dynamic_dimension(i));
    } else if (b.is_bounded_dynamic_dimension(i)) {
      merged.set_dynamic_dimension(i, true);
    }
  }
  return merged;
}

absl::Status ExpectArray(const OpDescription& op, int number, int operand) {
  HILO_RULE(number, op.operand(operand).IsArrayExcludingBuffer(), "operand %d must be an array",
            operand);
  return absl::OkStatus();
}

absl::Status ExpectArrays(const OpDescription& op, int number) {
  for (size_t i = 0; i < op.operands.size(); ++i) {
    HILO_RETURN_IF_ERROR(ExpectArray(op, number, static_cast<int>(i)));
  }
  return absl::OkStatus();
}

absl::Status ExpectScalar(const OpDescription& op, int number, int operand) {
  HILO_RULE(number, IsScalar(op.operand(operand)), "operand %d must be a scalar", operand);
  return absl::OkStatus();
}

absl::Status ExpectToken(const OpDescription& op, int number, int operand) {
  HILO_RULE(number, op.operand(operand).IsToken(), "operand %d must be a token", operand);
  return absl::OkStatus();
}

absl::Status ExpectElementType(const OpDescription& op, int number, int operand,
                               bool (*is_allowed)(PrimitiveType), absl::string_view allowed) {
  HILO_RULE(number, is_allowed(op.operand(operand).element_type()),
            "the element type of operand %d must be %s", operand, allowed);
  return absl::OkStatus();
}

absl::Status ExpectSameElementType(const OpDescription& op, int number, int first, int second) {
  HILO_RULE(number, ShapeUtil::SameElementType(op.operand(first), op.operand(second)),
            "operands %d and %d must have the same element type", first, second);
  return absl::OkStatus();
}

absl::Status ExpectAgreeingElementTypes(const OpDescription& op, int number, int first,
                                        int second) {
  HILO_RULE(number, ElementTypesAgree(op, op.operand(first), op.operand(second)),
            "operands %d and %d must have the same element type", first, second);
  return absl::OkStatus();
}

absl::Status ExpectSameDimensions(const OpDescription& op, int number, int first, int second) {
  HILO_RULE(number, DimensionsAgree(op.operand(first), op.operand(second)),
            "operands %d and %d must have the same dimensions", first, second);
  return absl::OkStatus();
}

absl::Status ExpectDimensions(const OpDescription& op, int number, absl::string_view attribute,
                              IntSpan dimensions, int64_t rank) {
  std::vector<bool> seen(rank, false);
  for (int64_t dimension : dimensions) {
    HILO_RULE(number, 0 <= dimension && dimension < rank, "%s={%s}: %d is not within the rank %d",
              attribute, Text(dimensions), dimension, rank);
    HILO_RULE(number, !seen[dimension], "%s={%s} has %d twice", attribute, Text(dimensions),
              dimension);
    seen[dimension] = true;
  }
  return absl::OkStatus();
}

absl::Status ExpectAscending(const OpDescription& op, int number, absl::string_view attribute,
                             IntSpan dimensions) {
  HILO_RULE(number, absl::c_is_sorted(dimensions), "%s={%s} must ascend", attribute,
            Text(dimensions));
  return absl::OkStatus();
}

absl::StatusOr<const Shape*> Declared(const OpDescription& op) {
  HILO_RULE(0, op.declared != nullptr, "the shape of the result must be given");
  return op.declared;
}

PrimitiveType DeclaredElementType(const OpDescription& op, PrimitiveType otherwise) {
  const bool is_array = op.declared != nullptr && op.declared->IsArrayExcludingBuffer();
  return is_array ? op.declared->element_type() : otherwise;
}

absl::Status ExpectFewParts(const OpDescription& op, absl::Span<const Shape* const> shapes) {
  int64_t parts = 0;
  for (const Shape* shape : shapes) {
    if (shape->IsTuple()) parts += ShapeUtil::SubshapeCount(*shape);
    HILO_RULE(0, parts <= kMaxTupleParts, "the result must not have more than %d parts",
              kMaxTupleParts);
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> Result(const OpDescription& op, Shape shape) {
  // A result that is made from an operand's shape has the operand's layout where that fits.
  ShapeUtil::ForEachMutableSubshape(&shape, [](Shape* array, const ShapeIndex&) {
    if (!array->IsArray()) return;
    if (!array->has_layout() || !LayoutUtil::ValidateLayoutForShape(array->layout(), *array).ok()) {
      LayoutUtil::SetToDefaultLayout(array);
    }
  });
  const absl::Status valid = ShapeUtil::ValidateShapeWithOptionalLayout(shape);
  HILO_RULE(0, valid.ok(), "the result cannot be represented: %s", valid.message());
  HILO_RETURN_IF_ERROR(ExpectFewParts(op, {&shape}));
  return shape;
}

Shape MaybeTuple(std::vector<Shape> shapes) {
  return shapes.size() == 1 ? std::move(shapes[0]) : Shape(std::move(shapes));
}

Shape WithElementType(const Shape& shape, PrimitiveType type) {
  Shape result = shape;
  result.set_element_type(type);
  return result;
}

absl::Status ExpectCalleeParameters(const OpDescription& op, int number, int callee,
                                    absl::Span<const Shape* const> shapes) {
  const ProgramShape& program = *op.callees[callee];
  HILO_RULE(number, program.parameters_size() == static_cast<int>(shapes.size()),
            "the called computation must have %d parameters, not %d", shapes.size(),
            program.parameters_size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    HILO_RULE(number, ShapesAgree(program.parameters(static_cast<int>(i)), *shapes[i]),
              "parameter %d of the called computation must have the shape %s, not %s", i,
              Text(*shapes[i]), Text(program.parameters(static_cast<int>(i))));
  }
  return absl::OkStatus();
}

absl::Status ExpectCalleeResult(const OpDescription& op, int number, int callee,
                                const Shape& shape) {
  const Shape& result = op.callees[callee]->result();
  HILO_RULE(number, ShapesAgree(result, shape),
            "the called computation must give the shape %s, not %s", Text(shape), Text(result));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<PrimitiveType>> ExpectReducer(const OpDescription& op, int number,
                                                         int callee,
                                                         absl::Span<const Shape* const> values,
                                                         absl::Span<const Shape* const> inits) {
  const ProgramShape& reducer = *op.callees[callee];
  const int count = static_cast<int>(values.size());
  HILO_RULE(number, reducer.parameters_size() == 2 * count,
            "the computation must have %d parameters, not %d", 2 * count,
            reducer.parameters_size());
  const bool is_tuple = reducer.result().IsTuple();
  const int results = is_tuple ? reducer.result().tuple_shapes_size() : 1;
  HILO_RULE(number, results == count && (is_tuple || count == 1), "the computation must give %s",
            count == 1 ? "one scalar" : absl::StrCat("a tuple of ", count, " scalars"));
  std::vector<PrimitiveType> types;
  for (int i = 0; i < count; ++i) {
    const Shape& result = is_tuple ? reducer.result().tuple_shapes(i) : reducer.result();
    HILO_RULE(number, IsScalar(result) && ElementTypesAgree(op, result, *inits[i]),
              "result %d of the computation must be a scalar %s, not %s", i,
              primitive_util::LowercasePrimitiveTypeName(inits[i]->element_type()), Text(result));
    for (int parameter : {i, count + i}) {
      const Shape& shape = reducer.parameters(parameter);
      HILO_RULE(number,
                IsScalar(shape) && ElementTypesAgree(op, shape, *values[i]) &&
                    ElementTypesAgree(op, shape, result),
                "parameter %d of the computation must be a scalar %s, not %s", parameter,
                primitive_util::LowercasePrimitiveTypeName(values[i]->element_type()), Text(shape));
    }
    types.push_back(result.element_type());
  }
  return types;
}

absl::StatusOr<Shape> WindowResult(const OpDescription& op, int number, const Shape& base,
                                   const Window& window, PrimitiveType type) {
  HILO_RULE(number, window.dimensions_size() == base.dimensions_size(),
            "window has %d dimensions, the operand has %d", window.dimensions_size(),
            base.dimensions_size());
  Shape result = WithElementType(base, type);
  for (int i = 0; i < window.dimensions_size(); ++i) {
    const WindowDimension& dimension = window.dimensions(i);
    HILO_RULE(number + 1,
              dimension.size() > 0 && dimension.stride() > 0 && dimension.window_dilation() > 0 &&
                  dimension.base_dilation() > 0,
              "size, stride and dilations of window dimension %d must be positive", i);
    if (base.dimensions(i) == Shape::kUnboundedSize) continue;
    // Wide enough for any attributes: each product has at most 126 bits.
    using Wide = __int128;
    const Wide size = base.dimensions(i);
    const Wide dilated = size == 0 ? 0 : (size - 1) * dimension.base_dilation() + 1;
    const Wide padded = dilated + dimension.padding_low() + dimension.padding_high();
    const Wide extent = Wide{dimension.size() - 1} * dimension.window_dilation() + 1;
    const Wide count = padded < extent ? 0 : (padded - extent) / dimension.stride() + 1;
    constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
    HILO_RULE(number + 1, padded <= kLargest && extent <= kLargest && count <= kLargest,
              "window dimension %d is too large", i);
    result.set_dimensions(i, static_cast<int64_t>(count));
  }
  return result;
}

absl::Status ExpectAliasing(const OpDescription& op, int number,
                            absl::Span<const OutputOperandAlias> aliases, const Shape& result) {
  for (const auto& [output_index, source] : aliases) {
    const auto& [operand, operand_index] = source;
    HILO_RULE(number, 0 <= operand && operand < static_cast<int64_t>(op.operands.size()),
              "output_to_operand_aliasing: there is no operand %d", operand);
    HILO_RULE(number, ShapeUtil::IndexIsValid(result, output_index),
              "output_to_operand_aliasing: the result has no element %s", output_index.ToString());
    HILO_RULE(number, ShapeUtil::IndexIsValid(op.operand(operand), operand_index),
              "output_to_operand_aliasing: operand %d has no element %s", operand,
              operand_index.ToString());
    const auto contents = [](const Shape& shape) -> const Shape& {
      return shape.IsBuffer() ? shape.buffer_shape() : shape;
    };
    const Shape& output_shape = contents(ShapeUtil::GetSubshape(result, output_index));
    const Shape& operand_shape =
        contents(ShapeUtil::GetSubshape(op.operand(operand), operand_index));
    HILO_RULE(number, ShapesAgree(output_shape, operand_shape),
              "output_to_operand_aliasing: the shapes %s of the result and %s of operand %d differ",
              Text(output_shape), Text(operand_shape), operand);
  }
  return absl::OkStatus();
}

absl::Status ExpectReplicaGroups(const OpDescription& op, int number,
                                 const CollectiveDeviceList& groups, bool equal_sizes) {
  // The other kinds are permutations of 0, 1, 2, ... cut into equal parts, too long at times to be
  // written out.
  if (groups.empty() || groups.kind() != CollectiveDeviceList::Kind::kList) return absl::OkStatus();
  absl::flat_hash_set<int64_t> seen;
  const std::vector<ReplicaGroup>& list = groups.replica_groups();
  for (const ReplicaGroup& group : list) {
    HILO_RULE(number, group.replica_ids_size() > 0, "replica_groups has an empty group");
    HILO_RULE(number, !equal_sizes || group.replica_ids_size() == list[0].replica_ids_size(),
              "the groups of replica_groups must be equally large");
    for (int64_t id : group.replica_ids()) {
      HILO_RULE(number, id >= 0, "replica_groups has the negative id %d", id);
      HILO_RULE(number, seen.insert(id).second, "replica_groups has %d twice", id);
    }
  }
  return absl::OkStatus();
}

}  // namespace shape_rules
}  // namespace xla
