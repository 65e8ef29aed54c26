// Factorisations and solvers. Leading dimensions count matrices.
#include "ir/ops/rule.h"

namespace xla::shape_rules {
namespace {

// Matrices [..., n, n] of a floating-point or complex type.
absl::Status ExpectSquareMatrices(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(ExpectElementType(op, 2, 0, IsFloatOrComplex, "floating-point or complex"));
  const Shape& a = op.operand(0);
  const int rank = a.dimensions_size();
  HILO_RULE(3, rank >= 2, "operand 0 must have at least two dimensions");
  HILO_RULE(4, SizesAgree(a.dimensions(rank - 2), a.dimensions(rank - 1)),
            "the last two dimensions of operand 0 must be equally long");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> Cholesky(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectSquareMatrices(op));
  return Result(op, op.operand(0));
}

absl::StatusOr<Shape> TriangularSolve(const OpDescription& op) {
  const auto& attributes = op.As<TriangularSolveAttributes>();
  HILO_RETURN_IF_ERROR(ExpectSquareMatrices(op));
  HILO_RETURN_IF_ERROR(ExpectSameElementType(op, 5, 0, 1));
  const Shape& a = op.operand(0);
  const Shape& b = op.operand(1);
  const int rank = a.dimensions_size();
  HILO_RULE(6, b.dimensions_size() == rank, "a and b must have the same rank");
  for (int i = 0; i < rank - 2; ++i) {
    HILO_RULE(7, SizesAgree(a.dimensions(i), b.dimensions(i)),
              "a and b must be equally long in batch dimension %d", i);
  }
  const int shared = attributes.left_side ? rank - 2 : rank - 1;
  HILO_RULE(8, SizesAgree(a.dimensions(rank - 1), b.dimensions(shared)),
            "dimension %d of b must be as long as the rows of a", shared);
  HILO_RULE(9, attributes.transpose_a != TriangularSolveOptions::TRANSPOSE_INVALID,
            "transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  return Result(op, b);
}

}  // namespace xla::shape_rules
