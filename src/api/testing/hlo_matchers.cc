#include "xla/hlo/utils/hlo_matchers.h"

#include <sstream>

#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/shape_util.h"

namespace xla::testing {

using ::testing::MatchResultListener;
using ::testing::StringMatchResultListener;

bool HloMatcher::MatchAndExplain(const HloInstruction* instruction,
                                 MatchResultListener* listener) const {
  if (instruction == nullptr) {
    *listener << "is null";
    return false;
  }
  *listener << "(" << instruction->ToString() << ")";
  if (instruction->opcode() != opcode_) return false;
  if (operands_.empty()) return true;
  const size_t count = instruction->operand_count();
  if (count != operands_.size()) {
    *listener << " has too " << (count > operands_.size() ? "many" : "few") << " operands (got "
              << count << ", want " << operands_.size() << ")";
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    StringMatchResultListener inner;
    if (operands_[i].MatchAndExplain(instruction->operand(i), &inner)) continue;
    if (listener->IsInterested()) {
      *listener << "\noperand " << i << ":\n\t" << instruction->operand(i)->ToString()
                << "\ndoesn't match expected:\n\t";
      operands_[i].DescribeTo(listener->stream());
      if (!inner.str().empty()) *listener << ", " << inner.str();
    }
    return false;
  }
  return true;
}

void HloMatcher::DescribeTo(std::ostream* os) const {
  *os << HloOpcodeString(opcode_);
  if (operands_.empty()) return;
  const char* separator = "(";
  for (const InstructionMatcher& operand : operands_) {
    *os << separator;
    operand.DescribeTo(os);
    separator = ", ";
  }
  *os << ")";
}

bool HloMatcherWithQuestion::MatchAndExplain(const HloInstruction* instruction,
                                             MatchResultListener* listener) const {
  if (!HloMatcher::MatchAndExplain(instruction, listener)) return false;
  std::ostringstream reason;
  if (question_(*instruction, reason)) return true;
  *listener << " " << reason.str();
  return false;
}

void HloMatcherWithQuestion::DescribeTo(std::ostream* os) const {
  HloMatcher::DescribeTo(os);
  *os << description_;
}

bool HloPropertyMatcher::MatchAndExplain(const HloInstruction* instruction,
                                         MatchResultListener* listener) const {
  if (instruction == nullptr) {
    *listener << "is null";
    return false;
  }
  std::ostringstream reason;
  if (question_(*instruction, reason)) return true;
  *listener << instruction->ToString() << " " << reason.str();
  return false;
}

namespace opcode_matchers {
namespace {

InstructionMatcher WithQuestion(HloOpcode opcode, std::vector<InstructionMatcher> operands,
                                HloMatcherWithQuestion::Question question,
                                std::string description = "") {
  return ::testing::MakeMatcher(new HloMatcherWithQuestion(
      opcode, std::move(operands), std::move(question), std::move(description)));
}

InstructionMatcher WithProperty(HloPropertyMatcher::Question question, std::string description) {
  return ::testing::MakeMatcher(
      new HloPropertyMatcher(std::move(question), std::move(description)));
}

// Whether both are equal; says so where they are not.
template <typename T>
bool ExpectSame(absl::string_view what, const T& actual, const T& expected, std::ostream& reason) {
  if (actual == expected) return true;
  reason << "has wrong " << std::string(what) << " (got " << absl::StrCat(actual) << ", want "
         << absl::StrCat(expected) << ")";
  return false;
}

template <typename Lists>
std::string ListsText(const Lists& lists) {
  return absl::StrCat("{",
                      absl::StrJoin(lists, ",",
                                    [](std::string* out, const auto& list) {
                                      absl::StrAppend(out, "{", absl::StrJoin(list, ","), "}");
                                    }),
                      "}");
}

}  // namespace

InstructionMatcher Parameter(int64_t number) {
  return WithQuestion(HloOpcode::kParameter, {},
                      [number](const HloInstruction& parameter, std::ostream& reason) {
                        return ExpectSame("parameter number", parameter.parameter_number(), number,
                                          reason);
                      },
                      absl::StrCat("(", number, ")"));
}

InstructionMatcher GetTupleElement(InstructionMatcher operand, int64_t index) {
  return WithQuestion(HloOpcode::kGetTupleElement, {std::move(operand)},
                      [index](const HloInstruction& element, std::ostream& reason) {
                        return ExpectSame("tuple index", element.tuple_index(), index, reason);
                      },
                      absl::StrCat(" with index ", index));
}

InstructionMatcher Constant(Literal value) {
  const auto shared = std::make_shared<const Literal>(std::move(value));
  return WithQuestion(HloOpcode::kConstant, {},
                      [shared](const HloInstruction& constant, std::ostream& reason) {
                        if (constant.HasLiteral() && constant.literal() == *shared) return true;
                        reason << "has wrong value (got "
                               << (constant.HasLiteral() ? constant.literal().ToStringOneline()
                                                         : "none")
                               << ", want " << shared->ToStringOneline() << ")";
                        return false;
                      },
                      absl::StrCat(" (has value ", shared->ToStringOneline(), ")"));
}

InstructionMatcher Dot(InstructionMatcher lhs, InstructionMatcher rhs, int64_t lhs_contracting_dim,
                       int64_t rhs_contracting_dim) {
  return WithQuestion(
      HloOpcode::kDot, {std::move(lhs), std::move(rhs)},
      [=](const HloInstruction& dot, std::ostream& reason) {
        const DotDimensionNumbers numbers = dot.dot_dimension_numbers();
        const auto is_only = [&](const auto& dimensions, int64_t expected, const char* side) {
          if (dimensions.size() == 1 && dimensions[0] == expected) return true;
          reason << "has wrong " << side << "_contracting_dimensions (got {"
                 << absl::StrJoin(dimensions, ",") << "} want {" << expected << "})";
          return false;
        };
        return is_only(numbers.lhs_contracting_dimensions(), lhs_contracting_dim, "lhs") &&
               is_only(numbers.rhs_contracting_dimensions(), rhs_contracting_dim, "rhs");
      });
}

InstructionMatcher internal::Comparison(ComparisonDirection direction,
                                        std::vector<InstructionMatcher> operands) {
  return WithQuestion(HloOpcode::kCompare, std::move(operands),
                      [direction](const HloInstruction& compare, std::ostream& reason) {
                        return ExpectSame("comparison direction",
                                          ComparisonDirectionToString(compare.comparison_direction()),
                                          ComparisonDirectionToString(direction), reason);
                      });
}

InstructionMatcher internal::CustomCallTo(::testing::Matcher<std::string> target,
                                          std::vector<InstructionMatcher> operands) {
  std::ostringstream description;
  target.DescribeTo(&description);
  return WithQuestion(HloOpcode::kCustomCall, std::move(operands),
                      [target](const HloInstruction& call, std::ostream& reason) {
                        if (target.Matches(call.custom_call_target())) return true;
                        reason << "custom-call with call target that ";
                        target.DescribeNegationTo(&reason);
                        return false;
                      },
                      absl::StrCat(" with call target that ", description.str()));
}

InstructionMatcher AsyncCopy(int64_t to_space, int64_t from_space, InstructionMatcher operand) {
  return WithQuestion(
      HloOpcode::kCopyDone, {CopyStart(std::move(operand))},
      [=](const HloInstruction& done, std::ostream& reason) {
        const int64_t to = done.shape().layout().memory_space();
        const int64_t from = done.operand(0)->operand(0)->shape().layout().memory_space();
        if (to != to_space) reason << "copies to memory space " << to << ", expected " << to_space;
        if (to == to_space && from != from_space) {
          reason << "is in the memory space " << from << ", expected " << from_space;
        }
        return to == to_space && from == from_space;
      });
}

namespace {

InstructionMatcher OfShape(const xla::Shape& shape, bool with_layout) {
  const auto text = [with_layout](const xla::Shape& each) {
    return with_layout ? ShapeUtil::HumanStringWithLayout(each) : ShapeUtil::HumanString(each);
  };
  return WithProperty(
      [=](const HloInstruction& instruction, std::ostream& reason) {
        const bool is_same = with_layout ? ShapeUtil::Equal(instruction.shape(), shape)
                                         : ShapeUtil::Compatible(instruction.shape(), shape);
        if (!is_same) reason << "has incorrect shape (expected: " << text(shape) << ")";
        return is_same;
      },
      text(shape));
}

xla::Shape ShapeFromText(absl::string_view text) {
  absl::StatusOr<xla::Shape> shape = ParseShape(text);
  CHECK_OK(shape.status()) << text;
  return *std::move(shape);
}

}  // namespace

InstructionMatcher Shape(const xla::Shape& shape) { return OfShape(shape, /*with_layout=*/false); }
InstructionMatcher Shape(absl::string_view shape) { return Shape(ShapeFromText(shape)); }
InstructionMatcher ShapeWithLayout(const xla::Shape& shape) {
  return OfShape(shape, /*with_layout=*/true);
}
InstructionMatcher ShapeWithLayout(absl::string_view shape) {
  return ShapeWithLayout(ShapeFromText(shape));
}

InstructionMatcher Sharding(const HloSharding& sharding) {
  return WithProperty(
      [sharding](const HloInstruction& instruction, std::ostream& reason) {
        if (instruction.has_sharding() && instruction.sharding() == sharding) return true;
        reason << (instruction.has_sharding() ? "has incorrect sharding" : "has no sharding")
               << " (expected: " << sharding.ToString() << ")";
        return false;
      },
      sharding.ToString());
}

InstructionMatcher Sharding(absl::string_view sharding) {
  absl::StatusOr<HloSharding> parsed = ParseSharding(sharding);
  CHECK_OK(parsed.status()) << sharding;
  return Sharding(*parsed);
}

InstructionMatcher NoSharding() {
  return WithProperty(
      [](const HloInstruction& instruction, std::ostream& reason) {
        if (instruction.has_sharding()) reason << "expected to have no sharding.";
        return !instruction.has_sharding();
      },
      "no sharding");
}

InstructionMatcher ReplicaGroups(std::vector<std::vector<int64_t>> replica_groups) {
  const std::string text = ListsText(replica_groups);
  return WithProperty(
      [groups = std::move(replica_groups), text](const HloInstruction& instruction,
                                                 std::ostream& reason) {
        const bool has_groups = instruction.IsCollective() &&
                                !HloPredicateIsOp<HloOpcode::kCollectivePermute,
                                                  HloOpcode::kCollectivePermuteStart,
                                                  HloOpcode::kCollectivePermuteDone,
                                                  HloOpcode::kAllGatherDone,
                                                  HloOpcode::kAllReduceDone>(&instruction);
        if (!has_groups) {
          reason << "not a collective op";
          return false;
        }
        const bool is_same = instruction.device_list().flattened_replica_groups() == groups;
        if (!is_same) reason << "has incorrect replica_groups (expected: " << text << ")";
        return is_same;
      },
      text);
}

InstructionMatcher SourceTargetPairs(
    std::vector<std::pair<int64_t, int64_t>> source_target_pairs) {
  std::vector<std::vector<int64_t>> lists;
  for (const auto& [source, target] : source_target_pairs) lists.push_back({source, target});
  const std::string text = ListsText(lists);
  return WithProperty(
      [pairs = std::move(source_target_pairs), text](const HloInstruction& instruction,
                                                     std::ostream& reason) {
        if (!HloPredicateIsOp<HloOpcode::kCollectivePermute, HloOpcode::kCollectivePermuteStart>(
                &instruction)) {
          reason << "not a collective permute";
          return false;
        }
        const bool is_same = instruction.source_target_pairs() == pairs;
        if (!is_same) reason << "has incorrect source_target_pairs (expected: " << text << ")";
        return is_same;
      },
      text);
}

InstructionMatcher Metadata(OpMetadata metadata) {
  const std::string description = absl::StrCat(
      " (metadata: ", metadata.op_type(), " ", metadata.op_name(), " ", metadata.source_file(), " ",
      metadata.source_line(), " ", metadata.source_end_line(), " ", metadata.source_column(), " ",
      metadata.source_end_column(), ")");
  return WithProperty(
      [expected = std::move(metadata)](const HloInstruction& instruction, std::ostream& reason) {
        const OpMetadata& actual = instruction.metadata();
        constexpr absl::string_view kWhat = "metadata";
        return ExpectSame(kWhat, actual.op_name(), expected.op_name(), reason) &&
               ExpectSame(kWhat, actual.source_file(), expected.source_file(), reason) &&
               ExpectSame(kWhat, actual.op_type(), expected.op_type(), reason) &&
               ExpectSame(kWhat, actual.source_line(), expected.source_line(), reason) &&
               ExpectSame(kWhat, actual.source_end_line(), expected.source_end_line(), reason) &&
               ExpectSame(kWhat, actual.source_column(), expected.source_column(), reason) &&
               ExpectSame(kWhat, actual.source_end_column(), expected.source_end_column(), reason);
      },
      description);
}

}  // namespace opcode_matchers
}  // namespace xla::testing
