#include "xla/tests/client_library_test_runner_mixin.h"

#include "absl/log/log.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::testing_internal {

Literal ConvertToTestType(const LiteralSlice& literal, PrimitiveType type) {
  switch (type) {
    case F32:
      return literal.Clone();
    case BF16:
      return LiteralUtil::ConvertF32ToBF16(literal);
    case F8E5M2:
      return LiteralUtil::ConvertF32ToF8E5M2(literal);
    case F8E4M3FN:
      return LiteralUtil::ConvertF32ToF8E4M3FN(literal);
    default:
      LOG(FATAL) << "tests cannot run in the type " << PrimitiveType_Name(type);
  }
}

Shape ConvertToTestType(const Shape& shape, PrimitiveType type) {
  Shape converted = shape;
  ShapeUtil::ForEachMutableSubshape(&converted, [&](Shape* subshape, const ShapeIndex&) {
    if (subshape->IsArray() && subshape->element_type() == F32) subshape->set_element_type(type);
  });
  return converted;
}

ExecutionOptions MakeExecutionOptionsForTest() {
  ExecutionOptions options = CreateDefaultExecutionOptions();
  options.mutable_debug_options()->add_xla_disable_hlo_passes("constant_folding");
  return options;
}

void SetFastMathDisabled(bool disabled, DebugOptions* options) {
  options->set_xla_cpu_enable_fast_math(!disabled);
  options->set_xla_cpu_enable_fast_min_max(!disabled);
  options->set_xla_gpu_enable_fast_min_max(!disabled);
}

}  // namespace xla::testing_internal
