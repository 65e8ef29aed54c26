// What products of a computation read decides how they read it.
#include "cpu/plan/factor_bytes.h"

#include <string>

#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla::cpu {
namespace {

int64_t BytesOf(const std::string& text) {
  const auto module = ParseAndReturnUnverifiedModule(text).value();
  return FactorBytes(*module->entry_computation());
}

TEST(FactorBytesTest, CountsAnArrayOnce) {
  EXPECT_EQ(BytesOf(R"(HloModule m
ENTRY e {
  x = f32[2,100] parameter(0)
  w = f32[100,100] parameter(1)
  b = f32[5000] parameter(2)
  y = f32[2,100] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[100,100] transpose(w), dimensions={1,0}
  z = f32[2,100] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (f32[2,100], f32[2,100], f32[5000]) tuple(y, z, b)
})"),
            4 * (200 + 10000));
}

TEST(FactorBytesTest, CountsAllThatLoopsTakeSlicesOf) {
  EXPECT_EQ(BytesOf(R"(HloModule m
body {
  s = (s32[], f32[2,100], f32[7,100,100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[2,100] get-tuple-element(s), index=1
  all = f32[7,100,100] get-tuple-element(s), index=2
  zero = s32[] constant(0)
  slice = f32[1,100,100] dynamic-slice(all, i, zero, zero), dynamic_slice_sizes={1,100,100}
  w = f32[100,100] reshape(slice)
  y = f32[2,100] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT r = (s32[], f32[2,100], f32[7,100,100]) tuple(next, y, all)
}
cond {
  s = (s32[], f32[2,100], f32[7,100,100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(7)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[2,100] parameter(0)
  all = f32[7,100,100] parameter(1)
  i = s32[] constant(0)
  s = (s32[], f32[2,100], f32[7,100,100]) tuple(i, x, all)
  ROOT w = (s32[], f32[2,100], f32[7,100,100]) while(s), condition=cond, body=body
})"),
            4 * (200 + 70000));
}

}  // namespace
}  // namespace xla::cpu
