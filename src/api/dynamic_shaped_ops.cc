#include "xla/hlo/builder/lib/dynamic_shaped_ops.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Makes `common` hold `other` too: the larger of both sizes, dynamic where they differ or one is.
absl::Status Enlarge(Shape& common, const Shape& other) {
  const auto differ = [&] {
    return InvalidArgument(
        "dynamic conditional: the branches' results %s and %s do not have the same structure, "
        "types and ranks",
        common.ToString(), other.ToString());
  };
  if (common.IsTuple()) {
    if (!other.IsTuple() || other.tuple_shapes_size() != common.tuple_shapes_size())
      return differ();
    for (int k = 0; k < common.tuple_shapes_size(); ++k) {
      HILO_RETURN_IF_ERROR(Enlarge(*common.mutable_tuple_shapes(k), other.tuple_shapes(k)));
    }
    return absl::OkStatus();
  }
  if (!common.IsArray()) return common == other ? absl::OkStatus() : differ();
  if (!ShapeUtil::SameElementType(common, other) || !other.IsArray() ||
      common.dimensions_size() != other.dimensions_size()) {
    return differ();
  }
  for (int d = 0; d < common.dimensions_size(); ++d) {
    const bool is_dynamic = common.dimensions(d) != other.dimensions(d) ||
                            common.is_dynamic_dimension(d) || other.is_dynamic_dimension(d);
    common.set_dimensions(d, std::max(common.dimensions(d), other.dimensions(d)));
    common.set_dynamic_dimension(d, is_dynamic);
  }
  return absl::OkStatus();
}

// The value in the larger shape: padded, with its own sizes as dynamic ones.
XlaOp FitInto(XlaOp value, const Shape& shape, const Shape& common) {
  XlaBuilder* builder = value.builder();
  if (shape.IsTuple()) {
    std::vector<XlaOp> elements;
    for (int k = 0; k < shape.tuple_shapes_size(); ++k) {
      elements.push_back(
          FitInto(GetTupleElement(value, k), shape.tuple_shapes(k), common.tuple_shapes(k)));
    }
    return Tuple(builder, elements);
  }
  if (!shape.IsArray()) return value;
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    if (!common.is_dynamic_dimension(d)) continue;
    const XlaOp size = GetDimensionSize(value, d);
    if (shape.is_dynamic_dimension(d)) value = RemoveDynamicDimension(value, d);
    value = PadInDim(value, Zero(builder, shape.element_type()), d, 0,
                     common.dimensions(d) - shape.dimensions(d));
    value = SetDimensionSize(value, size, d);
  }
  return value;
}

// The branches with results of one shape.
absl::StatusOr<std::vector<XlaComputation>> FitBranches(
    XlaBuilder* builder, absl::Span<const XlaComputation* const> branches,
    absl::Span<const XlaOp> operands) {
  std::vector<Shape> results;
  for (const XlaComputation* branch : branches) {
    HILO_ASSIGN_OR_RETURN(const ProgramShape shape, branch->GetProgramShape());
    results.push_back(shape.result());
  }
  Shape common = results[0];
  for (const Shape& result : results) HILO_RETURN_IF_ERROR(Enlarge(common, result));
  std::vector<XlaComputation> fitted;
  for (size_t i = 0; i < branches.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const Shape operand, builder->GetShape(operands[i]));
    const std::unique_ptr<XlaBuilder> sub =
        builder->CreateSubBuilder(absl::StrCat("dynamic_branch_", i));
    const XlaOp result =
        Call(sub.get(), *branches[i], {Parameter(sub.get(), 0, operand, "operand")});
    HILO_ASSIGN_OR_RETURN(fitted.emplace_back(), sub->Build(FitInto(result, results[i], common)));
  }
  return fitted;
}

absl::Status CheckBranches(absl::Span<const XlaComputation* const> branches,
                           absl::Span<const XlaOp> operands) {
  if (!branches.empty() && branches.size() == operands.size()) return absl::OkStatus();
  return InvalidArgument("dynamic conditional: %d branches and %d operands", branches.size(),
                         operands.size());
}

}  // namespace

XlaOp DynamicConditional(XlaBuilder* builder, XlaOp predicate, XlaOp true_operand,
                         const XlaComputation& true_computation, XlaOp false_operand,
                         const XlaComputation& false_computation) {
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<XlaComputation> branches,
                          FitBranches(builder, {&true_computation, &false_computation},
                                      {true_operand, false_operand}));
    return Conditional(predicate, true_operand, branches[0], false_operand, branches[1]);
  });
}

XlaOp DynamicConditional(XlaBuilder* builder, XlaOp branch_index,
                         absl::Span<const XlaComputation* const> branch_computations,
                         absl::Span<const XlaOp> branch_operands) {
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_RETURN_IF_ERROR(CheckBranches(branch_computations, branch_operands));
    HILO_ASSIGN_OR_RETURN(const std::vector<XlaComputation> branches,
                          FitBranches(builder, branch_computations, branch_operands));
    std::vector<const XlaComputation*> pointers;
    for (const XlaComputation& branch : branches) pointers.push_back(&branch);
    return Conditional(branch_index, pointers, branch_operands);
  });
}

absl::StatusOr<XlaOp> SetDimensionSizeWithRebound(ValueInference* value_inference, XlaOp operand,
                                                  XlaOp dimension_size, int64_t dimension) {
  XlaBuilder* builder = value_inference->builder();
  HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(operand));
  HILO_ASSIGN_OR_RETURN(const Shape size_shape, builder->GetShape(dimension_size));
  if (!ShapeUtil::IsScalarWithElementType(size_shape, S32)) {
    return InvalidArgument("set dimension size: the size is %s, not a scalar of S32",
                           size_shape.ToString());
  }
  if (!shape.IsArray() || dimension < 0 || dimension >= shape.dimensions_size()) {
    return InvalidArgument("set dimension size: %s has no dimension %d", shape.ToString(),
                           dimension);
  }
  HILO_ASSIGN_OR_RETURN(const OptionalLiteral bound,
                        value_inference->AnalyzeConstant(dimension_size, kUpperBound));
  HILO_ASSIGN_OR_RETURN(const Literal is_dynamic,
                        value_inference->AnalyzeIsDynamic(dimension_size));
  if (const std::optional<int32_t> limit = bound.Get<int32_t>({}); limit.has_value()) {
    if (*limit < 0) return InvalidArgument("set dimension size: %d is no size", *limit);
    if (*limit < shape.dimensions(static_cast<int>(dimension))) {
      operand = SliceInDim(operand, 0, *limit, 1, dimension);
    }
  }
  return is_dynamic.Get<bool>({}) ? SetDimensionSize(operand, dimension_size, dimension) : operand;
}

absl::StatusOr<XlaOp> SetAllDimensionSizes(ValueInference* value_inference, XlaOp operand,
                                           XlaOp size_vector) {
  XlaBuilder* builder = value_inference->builder();
  HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(operand));
  HILO_ASSIGN_OR_RETURN(const Shape sizes, builder->GetShape(size_vector));
  if (!shape.IsArray() || !sizes.IsArray() || sizes.dimensions_size() != 1 ||
      sizes.dimensions(0) != shape.dimensions_size()) {
    return InvalidArgument("set dimension sizes: %s has no number for each dimension of %s",
                           sizes.ToString(), shape.ToString());
  }
  for (int64_t d = 0; d < shape.dimensions_size(); ++d) {
    const XlaOp size =
        ConvertElementType(Reshape(SliceInDim(size_vector, d, d + 1, 1, 0), {}), S32);
    HILO_ASSIGN_OR_RETURN(const Literal is_dynamic, value_inference->AnalyzeIsDynamic(size));
    if (is_dynamic.Get<bool>({})) operand = SetDimensionSize(operand, size, d);
  }
  return operand;
}

}  // namespace xla
