#include "passes/simplify/match.h"

#include <cmath>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/records.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {

const Literal* KnownElement(const HloInstruction& x) {
  const HloInstruction* source = &x;
  while (source->opcode() == HloOpcode::kBroadcast || source->opcode() == HloOpcode::kReshape)
    source = source->operand(0);
  if (source->opcode() != HloOpcode::kConstant || !source->shape().IsArray() ||
      !source->HasLiteral() || ShapeUtil::ElementsIn(source->shape()) != 1) {
    return nullptr;
  }
  return &source->literal();
}

std::optional<int64_t> KnownInteger(const HloInstruction& x) {
  const PrimitiveType type = x.shape().element_type();
  if (!primitive_util::IsIntegralType(type) && type != PRED) return std::nullopt;
  const Literal* element = KnownElement(x);
  if (element == nullptr) return std::nullopt;
  const std::vector<int64_t> first(element->shape().dimensions_size(), 0);
  if (type == U64 && static_cast<int64_t>(element->Get<uint64_t>(first)) < 0) return std::nullopt;
  return element->GetIntegralAsS64(first);
}

std::optional<double> KnownReal(const HloInstruction& x) {
  if (!HasReals(x)) return std::nullopt;
  const Literal* element = KnownElement(x);
  if (element == nullptr) return std::nullopt;
  const std::vector<int64_t> first(element->shape().dimensions_size(), 0);
  const auto number = element->GetAsComplex128(first);
  if (!number.has_value()) return std::nullopt;
  return number->real();
}

bool IsAllInteger(const HloInstruction& x, int64_t number) { return KnownInteger(x) == number; }

bool IsAllReal(const HloInstruction& x, double number) {
  const std::optional<double> known = KnownReal(x);
  return known.has_value() && *known == number && std::signbit(*known) == std::signbit(number);
}

bool HasIntegers(const HloInstruction& x) {
  return primitive_util::IsIntegralType(x.shape().element_type());
}

bool HasReals(const HloInstruction& x) {
  return primitive_util::IsFloatingPointType(x.shape().element_type());
}

std::optional<int64_t> CountOfIota(const HloInstruction& x) {
  if (x.opcode() != HloOpcode::kIota || !HasIntegers(x) ||
      primitive_util::BitWidth(x.shape().element_type()) < 32) {
    return std::nullopt;
  }
  const int64_t count =
      x.shape().dimensions(static_cast<int>(x.attributes_as<IotaAttributes>().iota_dimension));
  return count <= (int64_t{1} << 31) ? std::make_optional(count) : std::nullopt;
}

bool IsProductOfArrays(const HloInstruction& product) {
  return product.operand_count() == 2 && !product.shape().is_dynamic() &&
         !product.operand(0)->shape().is_dynamic() && !product.operand(1)->shape().is_dynamic() &&
         ShapeUtil::ElementsIn(product.shape()) > 0;
}

bool SameSizes(const HloInstruction& x, const HloInstruction& y) {
  return absl::c_equal(x.shape().dimensions(), y.shape().dimensions());
}

const HloInstruction& WithoutReshapes(const HloInstruction& x) {
  const HloInstruction* source = &x;
  while (source->opcode() == HloOpcode::kReshape) source = source->operand(0);
  return *source;
}

bool IsSplat(const HloInstruction& x) {
  return x.opcode() == HloOpcode::kBroadcast && x.operand(0)->shape().dimensions_size() == 0;
}

}  // namespace xla::passes
