#include "cpu/emit/folding.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/scalar_function.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/VectorUtils.h"

namespace xla::cpu {

Carried ToCarried(absl::Span<const Lanes> values) {
  Carried carried;
  for (const Lanes& value : values) {
    carried.push_back(value.re);
    if (value.im != nullptr) carried.push_back(value.im);
  }
  return carried;
}

std::vector<Lanes> FromCarried(const Carried& carried, absl::Span<const Lanes> like) {
  std::vector<Lanes> values;
  size_t i = 0;
  for (const Lanes& each : like) {
    values.push_back({carried[i++]});
    if (each.im != nullptr) values.back().im = carried[i++];
  }
  return values;
}

std::vector<Lanes> SelectLanes(Builder& b, llvm::Value* mask, absl::Span<const Lanes> on_true,
                               absl::Span<const Lanes> on_false) {
  std::vector<Lanes> result;
  for (size_t k = 0; k < on_true.size(); ++k)
    result.push_back(SelectLanes(b, mask, on_true[k], on_false[k]));
  return result;
}

namespace {

// How many of `lanes` are folded at a time. Masks are as wide as the numbers that they come from
// where these fill a register. LLVM makes bytes of masks with more lanes than that, and numbers of
// bytes for each selection, which pays only where some numbers are much narrower than others.
int LanesOfPart(Builder& b, const HloComputation& computation, absl::Span<const Lanes> values,
                int lanes) {
  const bool has_masks = absl::c_any_of(computation.instructions(), [](const HloInstruction* each) {
    return each->shape().IsArray() && each->shape().element_type() == PRED;
  });
  if (!has_masks || b.target().has_mask_registers) return lanes;
  int narrowest = 64, widest = 8;
  for (const Lanes& value : values) {
    const int bits = static_cast<int>(value.re->getType()->getScalarSizeInBits());
    narrowest = std::min(narrowest, bits), widest = std::max(widest, bits);
  }
  const int in_register = b.target().vector_bits / widest;
  const bool fills_registers = lanes % in_register == 0 && in_register > 1;
  return fills_registers && widest <= 2 * narrowest ? in_register : lanes;
}

Lanes PartOf(Builder& b, const Lanes& value, int begin, int count) {
  const auto part = [&](llvm::Value* x) {
    return x == nullptr ? nullptr : LaneRange(b, x, begin, count);
  };
  return {part(value.re), part(value.im)};
}

Lanes Join(Builder& b, absl::Span<const std::vector<Lanes>> parts, size_t k) {
  llvm::SmallVector<llvm::Value*> re, im;
  for (const std::vector<Lanes>& part : parts) {
    re.push_back(part[k].re);
    if (part[k].im != nullptr) im.push_back(part[k].im);
  }
  return {llvm::concatenateVectors(b, re), im.empty() ? nullptr : llvm::concatenateVectors(b, im)};
}

}  // namespace

absl::StatusOr<std::vector<Lanes>> Fold(Builder& b, const HloComputation& computation,
                                        absl::Span<const Lanes> running,
                                        absl::Span<const Lanes> values, llvm::Value* mask) {
  std::vector<Lanes> arguments(running.begin(), running.end());
  arguments.insert(arguments.end(), values.begin(), values.end());
  const int lanes = arguments.empty() ? 1 : LaneCount(arguments[0]);
  const int count = LanesOfPart(b, computation, arguments, lanes);
  std::vector<std::vector<Lanes>> parts;
  for (int begin = 0; begin < lanes; begin += count) {
    std::vector<Lanes> own;
    for (const Lanes& argument : arguments) own.push_back(PartOf(b, argument, begin, count));
    HILO_ASSIGN_OR_RETURN(parts.emplace_back(), ApplyScalarFunction(b, computation, own));
  }
  std::vector<Lanes> next;
  for (size_t k = 0; k < running.size(); ++k) next.push_back(Join(b, parts, k));
  return mask == nullptr ? next : SelectLanes(b, mask, next, running);
}

}  // namespace xla::cpu
