// Attributes of operations as plain values. What an attribute does not hold is InvalidArgument with
// its name; the operation and its place are added by whoever lowers it.
#ifndef HILO_FRONT_STABLEHLO_LOWER_ATTRIBUTES_H_
#define HILO_FRONT_STABLEHLO_LOWER_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "front/stablehlo/program.h"
#include "xla/literal.h"
#include "xla/xla_data.pb.h"

namespace xla::stablehlo::lowering {

using Integers = std::vector<int64_t>;

// The attribute as one of the alternatives of Attribute, or null.
template <typename Kind>
const Kind* As(const Attribute* attribute) {
  return attribute == nullptr ? nullptr : std::get_if<Kind>(&attribute->value);
}

// Each of these gives nothing where the operation has no such attribute.
absl::StatusOr<std::optional<Integers>> FindIntegers(const Operation& op, absl::string_view name);
absl::StatusOr<std::optional<int64_t>> FindInteger(const Operation& op, absl::string_view name);
absl::StatusOr<std::optional<absl::string_view>> FindKeyword(const Operation& op,
                                                             absl::string_view name);
// A string, or the name of a symbol.
absl::StatusOr<std::optional<absl::string_view>> FindString(const Operation& op,
                                                            absl::string_view name);

// Each of these insists on it.
absl::StatusOr<Integers> GetIntegers(const Operation& op, absl::string_view name);
absl::StatusOr<int64_t> GetInteger(const Operation& op, absl::string_view name);
absl::StatusOr<double> GetFloat(const Operation& op, absl::string_view name);
absl::StatusOr<absl::string_view> GetKeyword(const Operation& op, absl::string_view name);
absl::StatusOr<absl::string_view> GetString(const Operation& op, absl::string_view name);

// Absent is false.
absl::StatusOr<bool> GetBool(const Operation& op, absl::string_view name);
// Absent is `value`, or no integers.
absl::StatusOr<int64_t> GetIntegerOr(const Operation& op, absl::string_view name, int64_t value);
absl::StatusOr<Integers> GetIntegersOrNone(const Operation& op, absl::string_view name);
// Absent is `value` for each of `count`; otherwise there must be as many.
absl::StatusOr<Integers> GetIntegersOr(const Operation& op, absl::string_view name, int64_t count,
                                       int64_t value);
// Pairs of integers, such as padding: the tensor has two columns.
absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> GetPairs(const Operation& op,
                                                                  absl::string_view name);

// The integers of a tensor in row-major order, whatever its dimensions.
absl::StatusOr<Integers> ToIntegers(const TensorAttribute& tensor);
// The whole array, or, where all elements are equal, a scalar.
absl::StatusOr<Literal> ToLiteral(const TensorAttribute& tensor);

}  // namespace xla::stablehlo::lowering

#endif  // HILO_FRONT_STABLEHLO_LOWER_ATTRIBUTES_H_
