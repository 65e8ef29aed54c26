#include "xla/tests/client_library_test_runner_utils.h"

#include "absl/log/check.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/shape_util.h"

namespace xla {

XlaComputation CreateScalarReluF32() {
  XlaBuilder builder("relu");
  const XlaOp x = Parameter(&builder, 0, ShapeUtil::MakeShape(F32, {}), "x");
  Max(x, ConstantR0<float>(&builder, 0));
  return builder.Build().value();
}

XlaComputation CreateScalarMax(PrimitiveType test_type) {
  XlaBuilder builder("max");
  const Shape scalar = ShapeUtil::MakeShape(test_type, {});
  Max(Parameter(&builder, 0, scalar, "x"), Parameter(&builder, 1, scalar, "y"));
  return builder.Build().value();
}

std::unique_ptr<Array2D<float>> CreatePatternedMatrix(int rows, int cols, float offset) {
  auto array = std::make_unique<Array2D<float>>(rows, cols);
  array->Each([&](int64_t row, int64_t col, float* element) {
    *element = static_cast<float>(col) + static_cast<float>(row) * 1000.0f + offset;
  });
  return array;
}

std::unique_ptr<Array2D<float>> CreatePatternedMatrixWithZeroPadding(int rows, int cols,
                                                                     int rows_padded,
                                                                     int cols_padded) {
  CHECK_GE(rows_padded, rows);
  CHECK_GE(cols_padded, cols);
  auto array = std::make_unique<Array2D<float>>(rows_padded, cols_padded, 0.0f);
  array->UpdateSlice(*CreatePatternedMatrix(rows, cols), {0, 0});
  return array;
}

}  // namespace xla
