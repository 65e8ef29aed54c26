#include "passes/expand/batch_norm.h"

#include <vector>

#include "base/status_macros.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Arithmetic on arrays and on vectors with a number for each feature, in f32 or f64.
class BatchNorm {
 public:
  BatchNorm(HloInstruction& instruction, const PresentElements& present)
      : builder_(instruction),
        instruction_(instruction),
        sizes_(instruction.operand(0)->shape().dimensions()),
        feature_(instruction.attributes_as<BatchNormAttributes>().feature_index),
        present_(present) {
    for (const HloInstruction* operand : instruction.operands()) {
      if (operand->shape().element_type() == F64) type_ = F64;
    }
    for (int64_t d = 0; d < static_cast<int64_t>(sizes_.size()); ++d) {
      if (d == feature_) continue;
      others_.push_back(d);
      per_feature_ *= sizes_[d];
    }
  }

  HloInstruction* Inference() {
    return Store(Normalize(Operand(0), Operand(3), Operand(4)), instruction_.shape());
  }

  HloInstruction* Training() {
    HloInstruction* x = Operand(0);
    HloInstruction* mean = Mean(x);
    HloInstruction* deviation = Binary(HloOpcode::kSubtract, x, Stretch(mean));
    HloInstruction* variance = Mean(Binary(HloOpcode::kMultiply, deviation, deviation));
    return StoreTuple({Normalize(x, mean, variance), mean, variance});
  }

  // With r = 1 / sqrt(variance + epsilon): gx = scale r (gy - mean(gy) - (x - mean) r^2 mean(gy (x
  // - mean))).
  HloInstruction* Grad() {
    HloInstruction* scale = Operand(1);
    HloInstruction* gy = Operand(4);
    HloInstruction* deviation = Binary(HloOpcode::kSubtract, Operand(0), Stretch(Operand(2)));
    HloInstruction* sum = Sum(gy);
    HloInstruction* product = Sum(Binary(HloOpcode::kMultiply, gy, deviation));
    HloInstruction* shifted = Shifted(Operand(3));
    HloInstruction* root = builder_.Unary(HloOpcode::kSqrt, shifted);
    HloInstruction* slope = Binary(HloOpcode::kDivide, PerElement(product), shifted);
    HloInstruction* centred = Binary(HloOpcode::kSubtract, gy, Stretch(PerElement(sum)));
    HloInstruction* rest = Binary(HloOpcode::kSubtract, centred,
                                  Binary(HloOpcode::kMultiply, Stretch(slope), deviation));
    HloInstruction* gx =
        Binary(HloOpcode::kMultiply, Stretch(Binary(HloOpcode::kDivide, scale, root)), rest);
    return StoreTuple({gx, Binary(HloOpcode::kDivide, product, root), sum});
  }

 private:
  HloInstruction* Binary(HloOpcode opcode, HloInstruction* x, HloInstruction* y) {
    return builder_.Binary(opcode, x, y);
  }
  HloInstruction* Operand(int64_t i) {
    return builder_.Convert(instruction_.mutable_operand(i), type_);
  }
  HloInstruction* Stretch(HloInstruction* features) {
    return builder_.Broadcast(features, sizes_, {feature_});
  }
  HloInstruction* Sum(HloInstruction* x) {
    if (present_.inside != nullptr)
      x = builder_.Select(present_.inside, x, builder_.Number(type_, 0));
    return builder_.Sum(x, others_);
  }
  HloInstruction* PerElement(HloInstruction* sum) {
    return Binary(HloOpcode::kDivide, sum,
                  present_.count != nullptr
                      ? builder_.Convert(present_.count, type_)
                      : builder_.Number(type_, static_cast<double>(per_feature_)));
  }
  HloInstruction* Mean(HloInstruction* x) { return PerElement(Sum(x)); }
  HloInstruction* Shifted(HloInstruction* variance) {
    const float epsilon = instruction_.attributes_as<BatchNormAttributes>().epsilon;
    return Binary(HloOpcode::kAdd, variance, builder_.Number(type_, epsilon));
  }

  HloInstruction* Normalize(HloInstruction* x, HloInstruction* mean, HloInstruction* variance) {
    HloInstruction* factor =
        Binary(HloOpcode::kDivide, Operand(1), builder_.Unary(HloOpcode::kSqrt, Shifted(variance)));
    HloInstruction* deviation = Binary(HloOpcode::kSubtract, x, Stretch(mean));
    return Binary(HloOpcode::kAdd, Binary(HloOpcode::kMultiply, deviation, Stretch(factor)),
                  Stretch(Operand(2)));
  }

  HloInstruction* Store(HloInstruction* value, const Shape& shape) {
    return builder_.Convert(value, shape.element_type());
  }
  HloInstruction* StoreTuple(std::vector<HloInstruction*> parts) {
    for (size_t i = 0; i < parts.size(); ++i)
      parts[i] = Store(parts[i], instruction_.shape().tuple_shapes(static_cast<int>(i)));
    return builder_.Tuple(parts);
  }

  GraphBuilder builder_;
  HloInstruction& instruction_;
  const absl::Span<const int64_t> sizes_;
  const int64_t feature_;
  const PresentElements present_;
  PrimitiveType type_ = F32;
  std::vector<int64_t> others_;
  int64_t per_feature_ = 1;
};

absl::StatusOr<HloInstruction*> ExpandAnyBatchNorm(HloInstruction& instruction) {
  // Of dynamic sizes only resolve-dynamic-sizes knows how many elements there are.
  const bool is_dynamic =
      instruction.operand_count() > 0 && instruction.operand(0)->shape().is_dynamic();
  return is_dynamic ? nullptr : ExpandBatchNorm(instruction, {});
}

}  // namespace

HloInstruction* ExpandBatchNorm(HloInstruction& instruction, const PresentElements& present) {
  switch (instruction.opcode()) {
    case HloOpcode::kBatchNormInference:
      return BatchNorm(instruction, present).Inference();
    case HloOpcode::kBatchNormTraining:
      return BatchNorm(instruction, present).Training();
    case HloOpcode::kBatchNormGrad:
      return BatchNorm(instruction, present).Grad();
    default:
      return nullptr;
  }
}

absl::StatusOr<bool> ExpandBatchNorms(HloModule& module) {
  return ReplaceEach(module, ExpandAnyBatchNorm);
}

}  // namespace xla::passes
