// Patterns of instructions:
//
//   namespace m = ::xla::match;
//   const HloInstruction* x;
//   if (Match(root, m::Add(m::Op(&x), m::Broadcast(m::ConstantScalar(1))))) { ... x ... }
//
// There is a function for each operation, named like it in HloOpcode: without operands it matches
// every such instruction; with operands, of which there must be as many as the instruction has,
// those have to match too. A first argument of type HloInstruction** or const HloInstruction**
// receives the instruction, when the whole pattern matches.
#ifndef XLA_SERVICE_PATTERN_MATCHER_H_
#define XLA_SERVICE_PATTERN_MATCHER_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace match {

// A question about an instruction. The With... functions give patterns that ask for more.
class HloInstructionPattern {
 public:
  HloInstructionPattern() = default;

  HloInstructionPattern WithOpcode(HloOpcode opcode) const;
  HloInstructionPattern WithoutOpcode(HloOpcode opcode) const;
  HloInstructionPattern WithNumOperands(int64_t count) const;
  HloInstructionPattern WithOperand(int64_t index, HloInstructionPattern operand) const;
  // One matches the first operand of two, the other the second.
  HloInstructionPattern WithBinaryOperandsAnyOrder(HloInstructionPattern a,
                                                   HloInstructionPattern b) const;
  HloInstructionPattern WithOperandIfPresent(int64_t index, HloInstructionPattern operand) const;
  HloInstructionPattern WithName(absl::string_view name) const;
  HloInstructionPattern WithElementType(PrimitiveType type) const;
  HloInstructionPattern WithShape(PrimitiveType type, absl::Span<const int64_t> dimensions) const;
  // Equal with layouts, without them.
  HloInstructionPattern WithShapeEqualTo(const Shape* shape) const;
  HloInstructionPattern WithShapeCompatibleTo(const Shape* shape) const;
  HloInstructionPattern IsConstantScalar(double value) const;
  HloInstructionPattern WithParameterNum(int64_t number) const;
  HloInstructionPattern WithTupleIndex(int64_t index) const;
  HloInstructionPattern WithComparisonDirection(ComparisonDirection direction) const;
  HloInstructionPattern WithCustomCallTarget(absl::Span<const absl::string_view> targets) const;
  // "{replicated}"
  HloInstructionPattern WithSharding(absl::string_view sharding) const;
  // "b01f_01io->b01f"
  HloInstructionPattern WithConvDnums(absl::string_view dimension_numbers) const;
  HloInstructionPattern WithReplicaGroups(std::vector<std::vector<int64_t>> groups) const;
  // Used as one operand by one instruction; by one instruction.
  HloInstructionPattern WithOneUse() const;
  HloInstructionPattern WithOneUser() const;
  HloInstructionPattern WithPredicate(std::function<bool(const HloInstruction*)> predicate) const;

  HloInstructionPattern Captured(const HloInstruction** capture) const;
  HloInstructionPattern Captured(HloInstruction** capture) const;

  // Where it does not match, the reason goes to `explanation`.
  bool Match(const HloInstruction* instruction, std::ostream* explanation = nullptr) const;
  // In words.
  const std::string& description() const { return description_; }

 private:
  friend HloInstructionPattern AnyOfPatterns(std::vector<HloInstructionPattern> alternatives);
  struct Attempt;
  using Step = std::function<bool(const HloInstruction*, Attempt&)>;

  HloInstructionPattern With(Step step, absl::string_view description) const;
  HloInstructionPattern WithTruth(std::function<bool(const HloInstruction*)> is_true,
                                  std::string description) const;
  bool MatchStep(const HloInstruction* instruction, Attempt& attempt) const;

  std::vector<Step> steps_;
  std::string description_;
};

HloInstructionPattern AnyOfPatterns(std::vector<HloInstructionPattern> alternatives);

// The first of the alternatives that matches counts.
template <typename Item = HloInstruction, typename... Patterns>
HloInstructionPattern AnyOf(Patterns... alternatives) {
  return AnyOfPatterns({std::move(alternatives)...});
}

namespace detail {

template <typename T>
inline constexpr bool kIsCapture = std::is_same_v<std::decay_t<T>, HloInstruction**> ||
                                   std::is_same_v<std::decay_t<T>, const HloInstruction**>;
template <typename T>
inline constexpr bool kIsArgument =
    kIsCapture<T> || std::is_same_v<std::decay_t<T>, HloInstructionPattern>;

template <typename T>
void Add(T&& argument, HloInstructionPattern& pattern,
         std::vector<HloInstructionPattern>& operands) {
  if constexpr (kIsCapture<T>) {
    pattern = pattern.Captured(argument);
  } else {
    operands.push_back(std::forward<T>(argument));
  }
}

HloInstructionPattern WithOperands(HloInstructionPattern pattern,
                                   std::vector<HloInstructionPattern> operands);

template <typename... Args>
HloInstructionPattern Operation(HloOpcode opcode, Args&&... args) {
  HloInstructionPattern pattern = HloInstructionPattern().WithOpcode(opcode);
  std::vector<HloInstructionPattern> operands;
  (Add(std::forward<Args>(args), pattern, operands), ...);
  return WithOperands(std::move(pattern), std::move(operands));
}

}  // namespace detail

// Every instruction.
inline HloInstructionPattern Op() { return HloInstructionPattern(); }
inline HloInstructionPattern Op(HloInstruction** capture) { return Op().Captured(capture); }
inline HloInstructionPattern Op(const HloInstruction** capture) { return Op().Captured(capture); }

#define HLO_OP(name, ...)                                                                    \
  template <typename... Args, std::enable_if_t<(detail::kIsArgument<Args> && ...), int> = 0> \
  HloInstructionPattern name(Args&&... args) {                                               \
    return detail::Operation(HloOpcode::k##name, std::forward<Args>(args)...);               \
  }
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP

inline HloInstructionPattern Parameter(int64_t number) {
  return Parameter().WithParameterNum(number);
}
template <typename Capture, std::enable_if_t<detail::kIsCapture<Capture>, int> = 0>
HloInstructionPattern Parameter(Capture capture, int64_t number) {
  return Parameter(capture).WithParameterNum(number);
}

inline HloInstructionPattern GetTupleElement(HloInstructionPattern tuple, int64_t index) {
  return GetTupleElement(std::move(tuple)).WithTupleIndex(index);
}
template <typename Capture, std::enable_if_t<detail::kIsCapture<Capture>, int> = 0>
HloInstructionPattern GetTupleElement(Capture capture, HloInstructionPattern tuple, int64_t index) {
  return GetTupleElement(capture, std::move(tuple)).WithTupleIndex(index);
}

// A scalar constant, any or of that value.
HloInstructionPattern ConstantScalar();
inline HloInstructionPattern ConstantScalar(double value) {
  return Constant().IsConstantScalar(value);
}
// A constant of one element.
HloInstructionPattern ConstantEffectiveScalar();

inline HloInstructionPattern CustomCall(std::initializer_list<absl::string_view> targets) {
  return CustomCall().WithCustomCallTarget({targets.begin(), targets.size()});
}

#define HILO_COMMUTATIVE_PATTERN(name)                                                            \
  inline HloInstructionPattern name##AnyOrder(HloInstructionPattern a, HloInstructionPattern b) { \
    return name().WithBinaryOperandsAnyOrder(std::move(a), std::move(b));                         \
  }
HILO_COMMUTATIVE_PATTERN(Add)
HILO_COMMUTATIVE_PATTERN(Multiply)
HILO_COMMUTATIVE_PATTERN(Maximum)
HILO_COMMUTATIVE_PATTERN(Minimum)
HILO_COMMUTATIVE_PATTERN(And)
HILO_COMMUTATIVE_PATTERN(Or)
HILO_COMMUTATIVE_PATTERN(Xor)
#undef HILO_COMMUTATIVE_PATTERN

}  // namespace match

inline bool Match(const HloInstruction* instruction, const match::HloInstructionPattern& pattern,
                  std::ostream* explanation = nullptr) {
  return pattern.Match(instruction, explanation);
}

}  // namespace xla

#endif  // XLA_SERVICE_PATTERN_MATCHER_H_
