#include "xla/legacy/computation_builder.h"

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// The elements of an array of rank 1, as many as the operand has dimensions. A scalar counts as one
// element: that is what a list of one start index looks like.
absl::StatusOr<std::vector<XlaOp>> Elements(XlaBuilder& builder, absl::string_view operation,
                                            XlaOp operand, XlaOp start_indices) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, builder.GetShape(operand));
  HILO_ASSIGN_OR_RETURN(const Shape indices, builder.GetShape(start_indices));
  const int64_t rank = shape.IsArray() ? shape.dimensions_size() : 0;
  if (ShapeUtil::IsScalar(indices) && rank == 1) return std::vector<XlaOp>{start_indices};
  if (!indices.IsArray() || indices.dimensions_size() != 1 || indices.dimensions(0) != rank) {
    return InvalidArgument(
        "%s: the start indices %s must be an array of rank 1 with an element for each of the %d "
        "dimensions of operand %s",
        operation, indices.ToString(), rank, shape.ToString());
  }
  std::vector<XlaOp> elements;
  for (int64_t i = 0; i < rank; ++i) {
    elements.push_back(builder.Reshape(builder.Slice(start_indices, {i}, {i + 1}), {}));
  }
  return elements;
}

}  // namespace

ComputationBuilder::ComputationBuilder(Client* client, const std::string& computation_name)
    : XlaBuilder(client, computation_name) {}

legacy::StatusOr<Computation> ComputationBuilder::Build() { return XlaBuilder::Build(); }

XlaOp ComputationBuilder::Clamp(XlaOp operand, XlaOp min, XlaOp max) {
  return XlaBuilder::Clamp(min, operand, max);
}

XlaOp ComputationBuilder::Map(absl::Span<const XlaOp> operands, const Computation& computation,
                              absl::Span<const XlaOp> static_operands) {
  return Map(operands, computation, absl::Span<const int64_t>(), static_operands);
}

XlaOp ComputationBuilder::Map(absl::Span<const XlaOp> operands, const Computation& computation,
                              absl::Span<const int64_t> dimensions,
                              absl::Span<const XlaOp> static_operands) {
  return ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, GetOperandShapes(static_operands));
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (ShapeUtil::IsScalar(shapes[i])) continue;
      return InvalidArgument("map: static operand %d of shape %s is no scalar", i,
                             shapes[i].ToString());
    }
    // Scalars among the operands of a map are repeated.
    std::vector<XlaOp> all(operands.begin(), operands.end());
    all.insert(all.end(), static_operands.begin(), static_operands.end());
    return XlaBuilder::Map(all, computation, dimensions);
  });
}

XlaOp ComputationBuilder::DynamicSlice(XlaOp operand, XlaOp start_indices,
                                       absl::Span<const int64_t> slice_sizes) {
  return ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<XlaOp> starts,
                          Elements(*this, "dynamic-slice", operand, start_indices));
    return XlaBuilder::DynamicSlice(operand, starts, slice_sizes);
  });
}

XlaOp ComputationBuilder::DynamicUpdateSlice(XlaOp operand, XlaOp update, XlaOp start_indices) {
  return ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<XlaOp> starts,
                          Elements(*this, "dynamic-update-slice", operand, start_indices));
    return XlaBuilder::DynamicUpdateSlice(operand, update, starts);
  });
}

XlaOp ComputationBuilder::ReduceWindow(XlaOp operand, const Computation& computation,
                                       XlaOp init_value,
                                       absl::Span<const int64_t> window_dimensions,
                                       absl::Span<const int64_t> window_strides, Padding padding) {
  return XlaBuilder::ReduceWindow(operand, init_value, computation, window_dimensions,
                                  window_strides, padding);
}

XlaOp ComputationBuilder::Sort(XlaOp operand) {
  return ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, GetShape(operand));
    if (!shape.IsArray() || shape.dimensions_size() == 0) {
      return InvalidArgument("sort: operand %s has no dimension to sort along", shape.ToString());
    }
    return XlaBuilder::Sort({operand}, CreateScalarLtComputation({shape.element_type()}, this));
  });
}

XlaOp ComputationBuilder::Dot(XlaOp lhs, XlaOp rhs) {
  return ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    const XlaOp operands[] = {lhs, rhs};
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, GetOperandShapes(operands));
    for (const Shape& shape : shapes) {
      if (!shape.IsArray() || shape.dimensions_size() < 1 || shape.dimensions_size() > 2) {
        return InvalidArgument("dot: operand %s is neither vector nor matrix", shape.ToString());
      }
    }
    return XlaBuilder::Dot(lhs, rhs);
  });
}

XlaOp ComputationBuilder::RngBernoulli(XlaOp mean, const Shape& shape) {
  return ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape mean_shape, GetShape(mean));
    if (!ShapeUtil::IsScalarWithElementType(mean_shape, F32)) {
      return InvalidArgument("rng-bernoulli: the mean %s must be f32[]", mean_shape.ToString());
    }
    if (!shape.IsArray() || shape.element_type() != U32) {
      return InvalidArgument("rng-bernoulli: the shape %s must be an array of u32",
                             shape.ToString());
    }
    const XlaOp uniform = RngUniform(ConstantR0<float>(0), ConstantR0<float>(1),
                                     ShapeUtil::ChangeElementType(shape, F32));
    return ConvertElementType(Lt(uniform, mean), U32);
  });
}

}  // namespace xla
