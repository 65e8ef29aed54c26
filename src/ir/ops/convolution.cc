#include "ir/ops/rule.h"
#include "xla/primitive_util.h"

namespace xla::shape_rules {
namespace {

// Batch or output feature, feature or input feature, spatial: each dimension of an array in one
// role.
absl::Status ExpectRoles(const OpDescription& op, absl::string_view array, int64_t first,
                         int64_t second, const google::protobuf::RepeatedField<int64_t>& spatial,
                         int64_t rank) {
  Int64List roles = {first, second};
  roles.insert(roles.end(), spatial.begin(), spatial.end());
  HILO_RULE(2, static_cast<int64_t>(roles.size()) == rank,
            "dim_labels names %d dimensions of the %s, which has %d", roles.size(), array, rank);
  return ExpectDimensions(op, 2, absl::StrCat("dim_labels of the ", array), roles, rank);
}

absl::Status ExpectGroups(const OpDescription& op, const Shape& lhs, const Shape& rhs) {
  const auto& attributes = op.As<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  const int64_t feature_groups = attributes.feature_group_count;
  const int64_t batch_groups = attributes.batch_group_count;
  HILO_RULE(4, feature_groups >= 1, "feature_group_count=%d must be positive", feature_groups);
  HILO_RULE(4, batch_groups >= 1, "batch_group_count=%d must be positive", batch_groups);
  HILO_RULE(4, feature_groups == 1 || batch_groups == 1,
            "feature_group_count=%d and batch_group_count=%d cannot both be used", feature_groups,
            batch_groups);
  const int64_t batch = lhs.dimensions(numbers.input_batch_dimension());
  const int64_t lhs_features = lhs.dimensions(numbers.input_feature_dimension());
  const int64_t rhs_features = rhs.dimensions(numbers.kernel_input_feature_dimension());
  const int64_t outputs = rhs.dimensions(numbers.kernel_output_feature_dimension());
  const auto divides = [](int64_t groups, int64_t size) {
    return size == Shape::kUnboundedSize || size % groups == 0;
  };
  HILO_RULE(5,
            divides(feature_groups, lhs_features) &&
                (lhs_features == Shape::kUnboundedSize ||
                 SizesAgree(lhs_features / feature_groups, rhs_features)),
            "the %d input features must be feature_group_count=%d times those of the kernel, %d",
            lhs_features, feature_groups, rhs_features);
  HILO_RULE(6, divides(feature_groups, outputs),
            "feature_group_count=%d must divide the %d output features", feature_groups, outputs);
  HILO_RULE(7, divides(batch_groups, batch) && divides(batch_groups, outputs),
            "batch_group_count=%d must divide the batch size %d and the %d output features",
            batch_groups, batch, outputs);
  return absl::OkStatus();
}

// The shape of an operand, or of the array that a sparse one stands for: of each block along a
// dimension it has a few elements, and their places in the block.
absl::StatusOr<Shape> DenseOperand(const OpDescription& op, int operand, bool is_sparse,
                                   const SparsityConfig::TensorSparsityConfig& sparsity) {
  if (!is_sparse) {
    HILO_RETURN_IF_ERROR(ExpectArray(op, 1, operand));
    return op.operand(operand);
  }
  const Shape& parts = op.operand(operand);
  HILO_RULE(11,
            parts.IsTuple() && parts.tuple_shapes_size() == 2 &&
                parts.tuple_shapes(0).IsArrayExcludingBuffer() &&
                parts.tuple_shapes(1).IsArrayExcludingBuffer() &&
                IsInteger(parts.tuple_shapes(1).element_type()) &&
                DimensionsAgree(parts.tuple_shapes(0), parts.tuple_shapes(1)),
            "operand %d must be a tuple of elements and as many integers, their places in blocks",
            operand);
  Shape dense = parts.tuple_shapes(0);
  const int64_t along = sparsity.dimension();
  HILO_RULE(12, 0 <= along && along < dense.dimensions_size() && sparsity.stride() == 1,
            "sparsity of operand %d: dimension=%d must be within the rank, and stride=%d must be 1",
            operand, along, sparsity.stride());
  const int64_t stored = sparsity.num_non_zero(), block = sparsity.block_size();
  const int64_t size = dense.dimensions(static_cast<int>(along));
  int64_t dense_size = 0;
  HILO_RULE(13,
            0 < stored && stored <= block && size != Shape::kUnboundedSize && size % stored == 0 &&
                !__builtin_mul_overflow(size / stored, block, &dense_size),
            "sparsity=%dx%d of operand %d does not go with the size %d", stored, block, operand,
            size);
  dense.set_dimensions(static_cast<int>(along), dense_size);
  return dense;
}

}  // namespace

absl::StatusOr<Shape> Convolution(const OpDescription& op) {
  const auto& attributes = op.As<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  const int spatial = numbers.input_spatial_dimensions_size();
  const SparsityConfig& sparsity = attributes.sparsity;
  HILO_ASSIGN_OR_RETURN(const Shape lhs, DenseOperand(op, 0, sparsity.has_lhs(), sparsity.lhs()));
  HILO_ASSIGN_OR_RETURN(const Shape rhs, DenseOperand(op, 1, sparsity.has_rhs(), sparsity.rhs()));
  for (int i = 2; i < static_cast<int>(op.operands.size()); ++i) {
    HILO_RETURN_IF_ERROR(ExpectArray(op, 1, i));
  }
  HILO_RULE(1, lhs.dimensions_size() == rhs.dimensions_size(),
            "input and kernel must have the same rank");
  HILO_RETURN_IF_ERROR(ExpectRoles(op, "input", numbers.input_batch_dimension(),
                                   numbers.input_feature_dimension(),
                                   numbers.input_spatial_dimensions(), lhs.dimensions_size()));
  HILO_RETURN_IF_ERROR(ExpectRoles(op, "kernel", numbers.kernel_output_feature_dimension(),
                                   numbers.kernel_input_feature_dimension(),
                                   numbers.kernel_spatial_dimensions(), rhs.dimensions_size()));
  HILO_RETURN_IF_ERROR(ExpectRoles(op, "output", numbers.output_batch_dimension(),
                                   numbers.output_feature_dimension(),
                                   numbers.output_spatial_dimensions(), lhs.dimensions_size()));
  HILO_RULE(3, attributes.window.dimensions_size() == spatial,
            "window has %d dimensions, dim_labels %d spatial ones",
            attributes.window.dimensions_size(), spatial);
  Shape base(lhs.element_type());
  for (int i = 0; i < spatial; ++i) {
    const int64_t kernel_size = rhs.dimensions(numbers.kernel_spatial_dimensions(i));
    HILO_RULE(3, SizesAgree(attributes.window.dimensions(i).size(), kernel_size),
              "window dimension %d has size %d, the kernel %d", i,
              attributes.window.dimensions(i).size(), kernel_size);
    const int64_t from = numbers.input_spatial_dimensions(i);
    base.add_dimensions(lhs.dimensions(from), lhs.is_dynamic_dimension(from));
  }
  HILO_RETURN_IF_ERROR(ExpectGroups(op, lhs, rhs));
  HILO_ASSIGN_OR_RETURN(const Shape windows,
                        WindowResult(op, 8, base, attributes.window, base.element_type()));
  const PrimitiveType type =
      DeclaredElementType(op, ShapeUtil::HigherPrecisionElementType(lhs, rhs));
  const bool is_complex = primitive_util::IsComplexType(type);
  HILO_RULE(10,
            primitive_util::IsComplexType(lhs.element_type()) == is_complex &&
                primitive_util::IsComplexType(rhs.element_type()) == is_complex,
            "input, kernel and result must be complex, or none");

  Shape result(type, DimensionVector(lhs.dimensions_size(), 1));
  const int64_t batch_from = numbers.input_batch_dimension();
  const int64_t batch = lhs.dimensions(batch_from);
  result.set_dimensions(
      numbers.output_batch_dimension(),
      batch == Shape::kUnboundedSize ? batch : batch / attributes.batch_group_count,
      lhs.is_dynamic_dimension(batch_from));
  const int64_t feature_from = numbers.kernel_output_feature_dimension();
  result.set_dimensions(numbers.output_feature_dimension(), rhs.dimensions(feature_from),
                        rhs.is_dynamic_dimension(feature_from));
  for (int i = 0; i < spatial; ++i) {
    result.set_dimensions(numbers.output_spatial_dimensions(i), windows.dimensions(i),
                          windows.is_dynamic_dimension(i));
  }
  return Result(op, std::move(result));
}

}  // namespace xla::shape_rules
