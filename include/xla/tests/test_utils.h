// Arguments for programs, and other help for tests.
#ifndef XLA_TESTS_TEST_UTILS_H_
#define XLA_TESTS_TEST_UTILS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/tsl/platform/protobuf.h"
#include "xla/util.h"

namespace xla {

// Gives the bits that are zero in all indices that `instruction` takes as operand number `operand`.
using GetIndexKnownZeroesFn =
    std::function<std::optional<uint64_t>(const HloInstruction* instruction, int64_t operand)>;

// One literal for each parameter of the entry computation, in the layout that the entry promises;
// the same literals in every run.
//
// Floating-point numbers are uniform in [-0.1, 0.2), integers in the whole range of their type.
// With use_large_range floating-point numbers are of all finite magnitudes. With
// max_bits_of_precision elements are multiples of 2^-bits in [-1, 1] or integers of that many bits,
// so that sums of a few of them are exact. Without pseudo_random everything is zero.
//
// What the program does with a parameter, or with a slice, reshape, copy, transpose, ... of it,
// constrains the elements: indices of dynamic-slice, dynamic-update-slice, gather and scatter stay
// in bounds (and are multiples of the slice's size with generate_aligned_ds_indices), the initial
// value of a reduction is its neutral element, the keys of a sort differ from each other if their
// type has enough values, arguments of logarithms and square roots are positive. Parameters are
// followed through tuples and into calls, fusions, loops and branches, whatever
// treat_gte_as_data_formatting says.
//
// An engine of the caller's goes on where it stands, else each call begins anew; the second form
// without an engine gives zeros. Errors are those of Literal::Make for the parameters' shapes.
absl::StatusOr<std::vector<Literal>> MakeFakeArguments(
    const HloModule* module, bool pseudo_random = true, bool use_large_range = false,
    bool treat_gte_as_data_formatting = false,
    std::optional<int64_t> max_bits_of_precision = std::nullopt,
    std::minstd_rand0* engine = nullptr, bool generate_aligned_ds_indices = false,
    GetIndexKnownZeroesFn get_index_known_zeroes = nullptr);
absl::StatusOr<std::vector<Literal>> MakeFakeArguments(
    const HloModule* module, std::minstd_rand0* engine, bool use_large_range = false,
    bool treat_gte_as_data_formatting = false,
    std::optional<int64_t> max_bits_of_precision = std::nullopt,
    bool generate_aligned_ds_indices = false,
    GetIndexKnownZeroesFn get_index_known_zeroes = nullptr);

// The same under an older name.
absl::StatusOr<std::vector<Literal>> MakeDataflowConstrainedArguments(
    const HloModule* module, std::minstd_rand0* engine = nullptr, bool use_large_range = false,
    std::optional<int64_t> max_bits_of_precision = std::nullopt,
    bool generate_aligned_ds_indices = false,
    GetIndexKnownZeroesFn get_index_known_zeroes = nullptr);

// The verifier's verdict. The flags are those of HloVerifier.
absl::Status VerifyHloModule(HloModule* const module, bool layout_sensitive,
                             bool allow_mixed_precision);

// lhs times rhs, where the last dimension of lhs meets the first one of rhs. Each has one or two.
std::unique_ptr<HloInstruction> CreateCanonicalDot(const Shape& shape, HloInstruction* lhs,
                                                   HloInstruction* rhs);

// Reads a text in protobuf's text format. InvalidArgument says what is wrong and where.
absl::Status ParseTextProtoInto(const std::string& text_proto, tsl::protobuf::Message* message);
template <typename MessageType>
absl::StatusOr<MessageType> ParseTextProto(const std::string& text_proto) {
  MessageType message;
  if (absl::Status status = ParseTextProtoInto(text_proto, &message); !status.ok()) return status;
  return message;
}

}  // namespace xla

#endif  // XLA_TESTS_TEST_UTILS_H_
