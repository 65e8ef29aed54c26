#include "cpu/emit/folding.h"

#include "base/status_macros.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/scalar_function.h"

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

absl::StatusOr<std::vector<Lanes>> Fold(Builder& b, const HloComputation& computation,
                                        absl::Span<const Lanes> running,
                                        absl::Span<const Lanes> values, llvm::Value* mask) {
  std::vector<Lanes> arguments(running.begin(), running.end());
  arguments.insert(arguments.end(), values.begin(), values.end());
  HILO_ASSIGN_OR_RETURN(std::vector<Lanes> next, ApplyScalarFunction(b, computation, arguments));
  return mask == nullptr ? next : SelectLanes(b, mask, next, running);
}

}  // namespace xla::cpu
