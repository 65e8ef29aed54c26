#include <cstdint>
#include <memory>
#include <utility>

#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/sorting.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/shape_util.h"

static_assert(__cplusplus < 202002L, "to be compiled as C++17");

namespace {

using namespace xla;  // NOLINT: what clients do must not be ambiguous

XlaOp Constants(XlaBuilder* b) {
  return Tuple(
      b, {ConstantR0(b, 1.5f), ConstantR0<bool>(b, true), ConstantR1<float>(b, {1, 2}),
          ConstantR1<int32_t>(b, 4, 7), ConstantR2<int64_t>(b, {{1, 2}, {3, 4}}),
          ConstantR2FromArray2D(b, Array2D<float>({{1, 2}, {3, 4}})),
          ConstantR3FromArray3D(b, Array3D<int32_t>(1, 2, 3)),
          ConstantR4FromArray4D(b, Array4D<float>(1, 2, 3, 4)), ConstantR0WithType(b, BF16, 2),
          Zero(b, F32), ConstantR1<bfloat16>(b, {bfloat16(1)})});
}

}  // namespace

absl::StatusOr<XlaComputation> BuildProgram() {
  XlaBuilder b("program");
  const Shape shape = ShapeUtil::MakeShape(F32, {2, 3});
  XlaOp x = Parameter(&b, 0, shape, "x");
  XlaOp y = (x + x) * ScalarLike(x, 2) - FullLike(x, 1);
  y = And(Gt(x, y), Lt(x, y), Eq(x, y), Ne(x, y));
  XlaComputation sum = CreateScalarAddComputation(F32, &b);
  Reduce(x, Zero(&b, F32), sum, {0, 1});
  TopK(x, 2);
  TopK(x, 2, true);
  Einsum(x, x, "ij,kj->ik");
  Conv(Broadcast(x, {1, 1}), Broadcast(x, {1, 1}), {1, 1}, Padding::kSame);
  Tuple(&b, {Constants(&b), y});
  return b.Build();
}
