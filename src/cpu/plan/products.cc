#include "cpu/plan/products.h"

#include "cpu/emit/registers.h"
#include "ir/records.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Products of elements that take no longer than a call does.
constexpr int64_t kMostProducts = 512;

bool IsSmall(const HloInstruction& dot) {
  const Shape& lhs = dot.operand(0)->shape();
  // Sums of products of reals that become integers are rounded in between, which sums of elements
  // are not.
  const bool is_rounded_twice =
      ShapeUtil::ElementIsIntegral(dot.shape()) && !ShapeUtil::ElementIsIntegral(lhs);
  if (is_rounded_twice || HasRegisterForm(dot)) return false;
  int64_t products = ShapeUtil::ElementsIn(dot.shape());
  for (int64_t d : dot.attributes_as<DotAttributes>().lhs_contracting) {
    products *= lhs.dimensions(d);
    if (products > kMostProducts) return false;
  }
  return products <= kMostProducts;
}

}  // namespace

absl::StatusOr<bool> ExpandSmallDots(HloModule& module) {
  return passes::ExpandDotsIf(IsSmall, module);
}

}  // namespace xla::cpu
