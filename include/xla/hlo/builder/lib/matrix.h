// Matrices in the last two dimensions of arrays.
#ifndef XLA_HLO_BUILDER_LIB_MATRIX_H_
#define XLA_HLO_BUILDER_LIB_MATRIX_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

// An m x n matrix with ones on the diagonal.
XlaOp IdentityMatrix(XlaBuilder* builder, PrimitiveType type, int64_t m, int64_t n);

// PRED, of the last two dimensions of x: true on the diagonal, or on one above (positive) or below
// it.
XlaOp GetDiagonalMask(XlaOp x, int diagonal = 0);

// The k-th diagonal of each matrix, as a vector in place of the last two dimensions. The second
// form reads single elements rather than whole rows.
XlaOp GetMatrixDiagonal(XlaOp x, int k = 0);
XlaOp GetMatrixDiagonalViaGather(XlaOp x, int k = 0);

// The matrices with their k-th diagonal replaced.
XlaOp SetMatrixDiagonal(XlaOp matrix, XlaOp diag, int k = 0);

// PRED, of the last two dimensions of x: true where column - row <= diagonal.
XlaOp TriangleMask(XlaOp x, int diagonal);

// The triangle of each matrix with the diagonal; zero elsewhere.
XlaOp Triangle(XlaOp x, bool lower);
XlaOp UpperTriangle(XlaOp x);
XlaOp LowerTriangle(XlaOp x);

// The Hermitian matrices whose lower or upper triangle is that of x.
XlaOp Symmetrize(XlaOp x, bool lower);

// Products of matrices whose leading dimensions agree, or of one matrix with many; each may be
// taken transposed. The gradient flags are hints.
XlaOp BatchDot(XlaOp x, XlaOp y, PrecisionConfig::Precision precision = PrecisionConfig::DEFAULT,
               std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp BatchDot(XlaOp x, bool transpose_x, XlaOp y, bool transpose_y,
               PrecisionConfig::Precision precision = PrecisionConfig::DEFAULT,
               std::optional<PrimitiveType> preferred_element_type = std::nullopt,
               bool grad_x = false, bool grad_y = false);

// "ij,jk->ik" as labels of the dimensions of x, y and the result: a letter is its character code;
// the dimensions that "..." stands for have negative numbers, -1 for the last. InvalidArgument for
// anything that is not of this form or does not fit the ranks.
absl::StatusOr<std::array<std::vector<int64_t>, 3>> ParseEinsumString(
    absl::string_view einsum_config, int64_t x_rank, int64_t y_rank);

// Without "->": the configuration with the result that is meant, all letters that occur once, in
// alphabetical order, after "..." if there is one ("ab,bc" gives "ab,bc->ac"). "" when there is
// nothing to add.
std::string NormalizeEinsumString(absl::string_view einsum_config);

// Sums of products by the summation convention, for two operands or one. Dimensions of size 1 are
// repeated as needed. Labels that the result lacks are summed over; a
// label that one operand has twice takes its diagonal.
XlaOp Einsum(XlaOp x, XlaOp y, absl::string_view einsum_config,
             PrecisionConfig::Precision precision = PrecisionConfig::DEFAULT,
             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
             bool grad_x = false, bool grad_y = false);
XlaOp Einsum(XlaOp x, absl::string_view einsum_config,
             PrecisionConfig::Precision precision = PrecisionConfig::DEFAULT);
XlaOp Einsum(XlaOp x, absl::Span<const int64_t> x_config, XlaOp y,
             absl::Span<const int64_t> y_config, absl::Span<const int64_t> output_config,
             PrecisionConfig::Precision precision = PrecisionConfig::DEFAULT,
             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
             bool grad_x = false, bool grad_y = false);

// Exchanges the last two dimensions.
XlaOp TransposeInMinorDims(XlaOp x);
XlaOp MaybeTransposeInMinorDims(XlaOp x, bool transpose);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_MATRIX_H_
