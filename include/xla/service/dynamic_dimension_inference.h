// Which dimensions of a program's values are dynamic.
#ifndef XLA_SERVICE_DYNAMIC_DIMENSION_INFERENCE_H_
#define XLA_SERVICE_DYNAMIC_DIMENSION_INFERENCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"

namespace xla {

// Shapes say it: values have their sizes with them while a program runs, and get-dimension-size
// asks for one.
class DynamicDimensionInference {
 public:
  static absl::StatusOr<DynamicDimensionInference> Run(HloModule* module) {
    return DynamicDimensionInference(module);
  }

  // Whether a dimension of the array at the index, or of one in the tuple there, is dynamic.
  bool HasDynamicDimension(const HloInstruction* instruction, const ShapeIndex& index = {}) const {
    return ShapeUtil::GetSubshape(instruction->shape(), index).is_dynamic();
  }

  // A line for each instruction with such a dimension.
  std::string ToString() const {
    std::string text = absl::StrCat("dynamic values of ", module_->name(), ":\n");
    for (const HloComputation* computation : module_->computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        if (!HasDynamicDimension(instruction)) continue;
        absl::StrAppend(&text, "  ", instruction->name(), ": ",
                        ShapeUtil::HumanString(instruction->shape()), "\n");
      }
    }
    return text;
  }

 private:
  explicit DynamicDimensionInference(const HloModule* module) : module_(module) {}

  const HloModule* module_;
};

}  // namespace xla

#endif  // XLA_SERVICE_DYNAMIC_DIMENSION_INFERENCE_H_
