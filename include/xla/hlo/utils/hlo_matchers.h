// GoogleMock matchers of instructions:
//
//   namespace op = xla::testing::opcode_matchers;
//   EXPECT_THAT(root, op::Add(op::Parameter(0), op::Multiply(_, op::Constant())));
//
// There is a function for each operation, named like it in HloOpcode: without operands it matches every such
// instruction; with operands, of which there must be as many as the instruction has, those have to match too.
#ifndef XLA_HLO_UTILS_HLO_MATCHERS_H_
#define XLA_HLO_UTILS_HLO_MATCHERS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace testing {

using InstructionMatcher = ::testing::Matcher<const HloInstruction*>;

// Matches by operation and operands.
class HloMatcher : public ::testing::MatcherInterface<const HloInstruction*> {
 public:
  HloMatcher(HloOpcode opcode, std::vector<InstructionMatcher> operands)
      : opcode_(opcode), operands_(std::move(operands)) {}

  bool MatchAndExplain(const HloInstruction* instruction,
                       ::testing::MatchResultListener* listener) const override;
  void DescribeTo(std::ostream* os) const override;

 private:
  HloOpcode opcode_;
  std::vector<InstructionMatcher> operands_;
};

// An HloMatcher and one more question, which explains itself where the answer is no.
class HloMatcherWithQuestion : public HloMatcher {
 public:
  using Question = std::function<bool(const HloInstruction&, std::ostream&)>;
  HloMatcherWithQuestion(HloOpcode opcode, std::vector<InstructionMatcher> operands,
                         Question question, std::string description = "")
      : HloMatcher(opcode, std::move(operands)),
        question_(std::move(question)),
        description_(std::move(description)) {}

  bool MatchAndExplain(const HloInstruction* instruction,
                       ::testing::MatchResultListener* listener) const override;
  void DescribeTo(std::ostream* os) const override;

 private:
  Question question_;
  std::string description_;
};

// One question about any instruction.
class HloPropertyMatcher : public ::testing::MatcherInterface<const HloInstruction*> {
 public:
  using Question = HloMatcherWithQuestion::Question;
  HloPropertyMatcher(Question question, std::string description)
      : question_(std::move(question)), description_(std::move(description)) {}

  bool MatchAndExplain(const HloInstruction* instruction,
                       ::testing::MatchResultListener* listener) const override;
  void DescribeTo(std::ostream* os) const override { *os << description_; }

 private:
  Question question_;
  std::string description_;
};

namespace opcode_matchers {

namespace internal {
inline InstructionMatcher Operation(HloOpcode opcode, std::vector<InstructionMatcher> operands) {
  return ::testing::MakeMatcher(new HloMatcher(opcode, std::move(operands)));
}
InstructionMatcher CustomCallTo(::testing::Matcher<std::string> target,
                                std::vector<InstructionMatcher> operands);
InstructionMatcher Comparison(ComparisonDirection direction,
                              std::vector<InstructionMatcher> operands);

template <typename T>
inline constexpr bool kIsOperand = std::is_convertible_v<T, const HloInstruction*> ||
                                   std::is_convertible_v<T, InstructionMatcher>;
template <typename T>
inline constexpr bool kIsName = std::is_convertible_v<T, ::testing::Matcher<std::string>>;

// Whether arguments of these types are operands: the first one of a custom call may be its target.
template <HloOpcode opcode, typename... M>
struct AreOperands : std::bool_constant<(kIsOperand<M> && ...)> {};
template <typename First, typename... M>
struct AreOperands<HloOpcode::kCustomCall, First, M...>
    : std::bool_constant<!kIsName<First> && kIsOperand<First> && (kIsOperand<M> && ...)> {};
}  // namespace internal

// Those with functions of their own below are called in another way than by operands as well.
#define HLO_OP(name, ...)                                                                       \
  template <typename... M,                                                                      \
            std::enable_if_t<internal::AreOperands<HloOpcode::k##name, M...>::value, int> = 0>  \
  InstructionMatcher name(M... operands) {                                                      \
    return internal::Operation(HloOpcode::k##name, {InstructionMatcher(operands)...});          \
  }
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP

InstructionMatcher Parameter(int64_t number);
InstructionMatcher GetTupleElement(InstructionMatcher operand, int64_t index);
InstructionMatcher Constant(xla::Literal value);
// With one contracting dimension on each side.
InstructionMatcher Dot(InstructionMatcher lhs, InstructionMatcher rhs, int64_t lhs_contracting_dim,
                       int64_t rhs_contracting_dim);

#define HILO_COMPARISON_MATCHER(name)                                        \
  template <typename... M>                                                   \
  InstructionMatcher name(M... operands) {                                   \
    return internal::Comparison(ComparisonDirection::k##name,                \
                                {InstructionMatcher(operands)...});          \
  }
HILO_COMPARISON_MATCHER(Eq)
HILO_COMPARISON_MATCHER(Ne)
HILO_COMPARISON_MATCHER(Ge)
HILO_COMPARISON_MATCHER(Gt)
HILO_COMPARISON_MATCHER(Le)
HILO_COMPARISON_MATCHER(Lt)
#undef HILO_COMPARISON_MATCHER

// Calls of a target: its name or a matcher of the name.
template <typename Target, typename... M,
          std::enable_if_t<internal::kIsName<Target>, int> = 0>
InstructionMatcher CustomCall(Target target, M... operands) {
  return internal::CustomCallTo(::testing::Matcher<std::string>(target),
                                {InstructionMatcher(operands)...});
}

// The done of a copy from one memory space to another.
InstructionMatcher AsyncCopy(int64_t to_space, int64_t from_space, InstructionMatcher operand);

// With layouts or without; from text as well.
InstructionMatcher Shape(const xla::Shape& shape);
InstructionMatcher Shape(absl::string_view shape);
InstructionMatcher ShapeWithLayout(const xla::Shape& shape);
InstructionMatcher ShapeWithLayout(absl::string_view shape);

InstructionMatcher Sharding(const HloSharding& sharding);
InstructionMatcher Sharding(absl::string_view sharding);
InstructionMatcher NoSharding();

InstructionMatcher ReplicaGroups(std::vector<std::vector<int64_t>> replica_groups);
InstructionMatcher SourceTargetPairs(std::vector<std::pair<int64_t, int64_t>> source_target_pairs);
// Type, name and place in the source.
InstructionMatcher Metadata(OpMetadata metadata);

}  // namespace opcode_matchers

// The instructions that a container of owning pointers holds.
template <typename Container>
std::vector<const HloInstruction*> Pointers(const Container& container) {
  std::vector<const HloInstruction*> result;
  for (const auto& entry : container) result.push_back(entry.get());
  return result;
}

}  // namespace testing

// What failed tests show.
inline void PrintTo(const HloInstruction* instruction, std::ostream* os) {
  *os << (instruction == nullptr ? "nullptr" : instruction->ToString());
}

}  // namespace xla

#endif  // XLA_HLO_UTILS_HLO_MATCHERS_H_
