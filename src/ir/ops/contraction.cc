// Matrix products and their kin.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "ir/ops/rule.h"
#include "xla/primitive_util.h"

namespace xla::shape_rules {
namespace {

// Two lists that name dimensions in pairs, one of each side.
struct DimensionPairs {
  absl::string_view lhs_attribute;
  const Int64List& lhs;
  absl::string_view rhs_attribute;
  const Int64List& rhs;
};

absl::Status ExpectPairs(const OpDescription& op, int number, const DimensionPairs& pairs,
                         const Shape& lhs, const Shape& rhs) {
  HILO_RULE(number, pairs.lhs.size() == pairs.rhs.size(),
            "%s={%s} and %s={%s} must be equally long", pairs.lhs_attribute, Text(pairs.lhs),
            pairs.rhs_attribute, Text(pairs.rhs));
  HILO_RETURN_IF_ERROR(
      ExpectDimensions(op, number, pairs.lhs_attribute, pairs.lhs, lhs.dimensions_size()));
  HILO_RETURN_IF_ERROR(
      ExpectDimensions(op, number, pairs.rhs_attribute, pairs.rhs, rhs.dimensions_size()));
  for (size_t i = 0; i < pairs.lhs.size(); ++i) {
    HILO_RULE(number, SizesAgree(lhs.dimensions(pairs.lhs[i]), rhs.dimensions(pairs.rhs[i])),
              "%s={%s} and %s={%s}: dimensions %d of the left and %d of the right side must be "
              "equally long",
              pairs.lhs_attribute, Text(pairs.lhs), pairs.rhs_attribute, Text(pairs.rhs),
              pairs.lhs[i], pairs.rhs[i]);
  }
  return absl::OkStatus();
}

Int64List Joined(Int64List first, const Int64List& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void AppendDimension(Shape& result, const Shape& from, int64_t dimension) {
  result.add_dimensions(from.dimensions(dimension), from.is_dynamic_dimension(dimension));
}

void AppendDimensionsExcept(Shape& result, const Shape& from, const Int64List& dropped) {
  for (int i = 0; i < from.dimensions_size(); ++i) {
    if (!absl::c_linear_search(dropped, i)) AppendDimension(result, from, i);
  }
}

// Checks 2 to 5. The result has the batch dimensions, then the free ones of the left side, then
// those of the right side. `rhs_groups` are dimensions of the right side that the result does not
// have.
absl::StatusOr<Shape> DotShape(const OpDescription& op, const Shape& lhs, const Shape& rhs,
                               const DotDimensions& dimensions, const Int64List& rhs_groups = {}) {
  HILO_RETURN_IF_ERROR(ExpectPairs(
      op, 2, {"lhs_batch_dims", dimensions.lhs_batch, "rhs_batch_dims", dimensions.rhs_batch}, lhs,
      rhs));
  HILO_RETURN_IF_ERROR(ExpectPairs(op, 3,
                                   {"lhs_contracting_dims", dimensions.lhs_contracting,
                                    "rhs_contracting_dims", dimensions.rhs_contracting},
                                   lhs, rhs));
  const Int64List lhs_used = Joined(dimensions.lhs_batch, dimensions.lhs_contracting);
  const Int64List rhs_used =
      Joined(Joined(dimensions.rhs_batch, dimensions.rhs_contracting), rhs_groups);
  HILO_RETURN_IF_ERROR(ExpectDimensions(op, 4, "lhs_batch_dims and lhs_contracting_dims", lhs_used,
                                        lhs.dimensions_size()));
  HILO_RETURN_IF_ERROR(ExpectDimensions(op, 4,
                                        "rhs_batch_dims, rhs_contracting_dims and rhs_group_dims",
                                        rhs_used, rhs.dimensions_size()));
  const PrimitiveType type =
      DeclaredElementType(op, ShapeUtil::HigherPrecisionElementType(lhs, rhs));
  const bool is_complex = primitive_util::IsComplexType(type);
  HILO_RULE(5,
            primitive_util::IsComplexType(lhs.element_type()) == is_complex &&
                primitive_util::IsComplexType(rhs.element_type()) == is_complex,
            "both sides and the result must be complex, or none");
  Shape result(type);
  for (size_t i = 0; i < dimensions.lhs_batch.size(); ++i) {
    AppendDimension(result, lhs, dimensions.lhs_batch[i]);
  }
  AppendDimensionsExcept(result, lhs, lhs_used);
  AppendDimensionsExcept(result, rhs, rhs_used);
  return result;
}

// A scale is a scalar, or for each dimension of what it scales it has as many entries as there are
// equal blocks.
absl::Status ExpectScale(const OpDescription& op, int number, int operand, int scale) {
  const Shape& scaled = op.operand(operand);
  const Shape& factors = op.operand(scale);
  if (IsScalar(factors)) return absl::OkStatus();
  HILO_RULE(number, factors.dimensions_size() == scaled.dimensions_size(),
            "operand %d must be a scalar or have the rank of operand %d", scale, operand);
  for (int i = 0; i < scaled.dimensions_size(); ++i) {
    const int64_t size = scaled.dimensions(i);
    const int64_t blocks = factors.dimensions(i);
    HILO_RULE(number, SizesAgree(size, blocks) || (blocks > 0 && size % blocks == 0),
              "dimension %d of operand %d must divide that of operand %d", i, scale, operand);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> Dot(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_ASSIGN_OR_RETURN(Shape result,
                        DotShape(op, op.operand(0), op.operand(1), op.As<DotAttributes>()));
  return Result(op, std::move(result));
}

absl::StatusOr<Shape> ScaledDot(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_ASSIGN_OR_RETURN(Shape result,
                        DotShape(op, op.operand(0), op.operand(1), op.As<DotAttributes>()));
  HILO_RETURN_IF_ERROR(ExpectScale(op, 6, 0, 2));
  HILO_RETURN_IF_ERROR(ExpectScale(op, 6, 1, 3));
  return Result(op, std::move(result));
}

// One dimension of the left side is cut into groups of rows, whose sizes operand 2 gives. Where it
// is
//   a free dimension, each group meets its own part of the right side (rhs_group_dims);
//   a contracting dimension, each group has its own result, along a new first dimension;
//   a batch dimension, the result is that of a dot.
absl::StatusOr<Shape> RaggedDot(const OpDescription& op) {
  const auto& attributes = op.As<RaggedDotAttributes>();
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  const Shape& lhs = op.operand(0);
  const Shape& rhs = op.operand(1);
  const Shape& group_sizes = op.operand(2);
  HILO_ASSIGN_OR_RETURN(Shape result, DotShape(op, lhs, rhs, attributes, attributes.rhs_group));

  HILO_RULE(6, attributes.lhs_ragged.size() == 1, "lhs_ragged_dims={%s} must have one entry",
            Text(attributes.lhs_ragged));
  HILO_RETURN_IF_ERROR(
      ExpectDimensions(op, 6, "lhs_ragged_dims", attributes.lhs_ragged, lhs.dimensions_size()));
  const int64_t ragged = attributes.lhs_ragged[0];
  const bool is_batch = absl::c_linear_search(attributes.lhs_batch, ragged);
  const bool is_contracting = absl::c_linear_search(attributes.lhs_contracting, ragged);
  const size_t groups_on_rhs = is_batch || is_contracting ? 0 : 1;
  HILO_RULE(7, attributes.rhs_group.size() == groups_on_rhs,
            "rhs_group_dims={%s} must have %d entries as lhs_ragged_dims={%d} is a %s dimension",
            Text(attributes.rhs_group), groups_on_rhs, ragged,
            is_batch ? "batch" : (is_contracting ? "contracting" : "free"));

  HILO_RETURN_IF_ERROR(ExpectElementType(op, 8, 2, IsInteger, "an integer type"));
  const int rank = group_sizes.dimensions_size();
  HILO_RULE(8, rank >= 1, "the group sizes must have at least one dimension");
  const int64_t groups = group_sizes.dimensions(rank - 1);
  HILO_RULE(9, groups_on_rhs == 0 || SizesAgree(rhs.dimensions(attributes.rhs_group[0]), groups),
            "the group dimension of the right side must be as long as the last one of the group "
            "sizes, %d",
            groups);
  // One list of sizes for all, or one for each index of the batch dimensions and those of the same
  // kind before `ragged`.
  if (rank > 1) {
    Int64List outer = attributes.lhs_batch;
    if (is_batch) {
      outer.erase(absl::c_find(outer, ragged), outer.end());
    } else {
      for (int64_t i = 0; i < ragged; ++i) {
        const bool used = absl::c_linear_search(attributes.lhs_batch, i);
        if (!used && absl::c_linear_search(attributes.lhs_contracting, i) == is_contracting)
          outer.push_back(i);
      }
    }
    bool agree = static_cast<int>(outer.size()) == rank - 1;
    for (int i = 0; agree && i < rank - 1; ++i) {
      agree = SizesAgree(group_sizes.dimensions(i), lhs.dimensions(outer[i]));
    }
    HILO_RULE(
        10, agree,
        "the group sizes must have one dimension, or also the dimensions {%s} of the left side",
        Text(outer));
  }
  if (is_contracting) {
    Shape grouped(result.element_type());
    grouped.add_dimensions(groups, group_sizes.is_dynamic_dimension(rank - 1));
    AppendDimensionsExcept(grouped, result, {});
    result = std::move(grouped);
  }
  return Result(op, std::move(result));
}

}  // namespace xla::shape_rules
