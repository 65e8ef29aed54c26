// Batch normalisation. The operand is normalised separately for each index of its feature
// dimension.
#include "ir/ops/rule.h"

namespace xla::shape_rules {
namespace {

// Operand 0 is the data, operands `first` to `last` have one entry per feature. Checks 1 to 5;
// gives the shape of results with one entry per feature.
absl::StatusOr<Shape> ExpectFeatures(const OpDescription& op, int first, int last) {
  const int64_t feature = op.As<BatchNormAttributes>().feature_index;
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  const Shape& operand = op.operand(0);
  HILO_RETURN_IF_ERROR(ExpectElementType(op, 2, 0, IsFloat, "floating-point"));
  HILO_RULE(3, 0 <= feature && feature < operand.dimensions_size(),
            "feature_index=%d is not within the rank of operand 0", feature);
  for (int i = first; i <= last; ++i) {
    HILO_RETURN_IF_ERROR(ExpectAgreeingElementTypes(op, 4, 0, i));
    HILO_RULE(5,
              op.operand(i).dimensions_size() == 1 &&
                  SizesAgree(op.operand(i).dimensions(0), operand.dimensions(feature)),
              "operand %d must have one dimension, as long as dimension %d of operand 0", i,
              feature);
  }
  Shape features(operand.element_type());
  features.add_dimensions(operand.dimensions(feature), operand.is_dynamic_dimension(feature));
  return features;
}

}  // namespace

absl::StatusOr<Shape> BatchNormTraining(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape features, ExpectFeatures(op, 1, 2));
  return Result(op, Shape(std::vector<Shape>{op.operand(0), features, features}));
}

absl::StatusOr<Shape> BatchNormInference(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectFeatures(op, 1, 4).status());
  return Result(op, op.operand(0));
}

absl::StatusOr<Shape> BatchNormGrad(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape features, ExpectFeatures(op, 1, 3));
  HILO_RETURN_IF_ERROR(ExpectAgreeingElementTypes(op, 6, 0, 4));
  HILO_RETURN_IF_ERROR(ExpectSameDimensions(op, 6, 0, 4));
  return Result(op, Shape(std::vector<Shape>{op.operand(0), features, features}));
}

}  // namespace xla::shape_rules
