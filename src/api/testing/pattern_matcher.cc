#include "xla/service/pattern_matcher.h"

#include <sstream>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/shape_util.h"

namespace xla::match {

// What has been captured so far, to be stored when the whole pattern matches, and the first reason
// why it did not.
struct HloInstructionPattern::Attempt {
  std::vector<std::function<void()>> captures;
  std::string reason;

  bool Fail(const HloInstruction* instruction, absl::string_view what) {
    if (reason.empty()) reason = absl::StrCat(instruction->ToString(), "\nis not ", what);
    return false;
  }
};

HloInstructionPattern HloInstructionPattern::With(Step step, absl::string_view description) const {
  HloInstructionPattern result = *this;
  result.steps_.push_back(std::move(step));
  absl::StrAppend(&result.description_, result.description_.empty() ? "" : " ", description);
  return result;
}

HloInstructionPattern HloInstructionPattern::WithTruth(
    std::function<bool(const HloInstruction*)> is_true, std::string description) const {
  return With(
      [is_true = std::move(is_true), description](const HloInstruction* instruction,
                                                  Attempt& attempt) {
        return is_true(instruction) || attempt.Fail(instruction, description);
      },
      description);
}

bool HloInstructionPattern::MatchStep(const HloInstruction* instruction, Attempt& attempt) const {
  return absl::c_all_of(steps_, [&](const Step& step) { return step(instruction, attempt); });
}

bool HloInstructionPattern::Match(const HloInstruction* instruction,
                                  std::ostream* explanation) const {
  Attempt attempt;
  if (instruction == nullptr) {
    attempt.reason = "there is no instruction";
  } else if (MatchStep(instruction, attempt)) {
    for (const std::function<void()>& capture : attempt.captures) capture();
    return true;
  }
  if (explanation != nullptr) *explanation << attempt.reason;
  return false;
}

HloInstructionPattern HloInstructionPattern::WithOpcode(HloOpcode opcode) const {
  return WithTruth([=](const HloInstruction* i) { return i->opcode() == opcode; },
                   std::string(HloOpcodeString(opcode)));
}

HloInstructionPattern HloInstructionPattern::WithoutOpcode(HloOpcode opcode) const {
  return WithTruth([=](const HloInstruction* i) { return i->opcode() != opcode; },
                   absl::StrCat("other than ", HloOpcodeString(opcode)));
}

HloInstructionPattern HloInstructionPattern::WithNumOperands(int64_t count) const {
  return WithTruth([=](const HloInstruction* i) { return i->operand_count() == count; },
                   absl::StrCat("with ", count, " operands"));
}

HloInstructionPattern HloInstructionPattern::WithOperand(int64_t index,
                                                         HloInstructionPattern operand) const {
  const std::string description =
      absl::StrCat("with operand ", index, " (", operand.description(), ")");
  return With(
      [=](const HloInstruction* i, Attempt& attempt) {
        if (index >= i->operand_count()) return attempt.Fail(i, description);
        return operand.MatchStep(i->operand(index), attempt);
      },
      description);
}

HloInstructionPattern HloInstructionPattern::WithOperandIfPresent(
    int64_t index, HloInstructionPattern operand) const {
  return With(
      [=](const HloInstruction* i, Attempt& attempt) {
        return index >= i->operand_count() || operand.MatchStep(i->operand(index), attempt);
      },
      absl::StrCat("with no operand ", index, " or (", operand.description(), ")"));
}

HloInstructionPattern HloInstructionPattern::WithBinaryOperandsAnyOrder(
    HloInstructionPattern a, HloInstructionPattern b) const {
  return WithNumOperands(2).With(
      [pattern = AnyOfPatterns({HloInstructionPattern().WithOperand(0, a).WithOperand(1, b),
                                HloInstructionPattern().WithOperand(0, b).WithOperand(1, a)})](
          const HloInstruction* i, Attempt& attempt) { return pattern.MatchStep(i, attempt); },
      absl::StrCat("with operands (", a.description(), ") and (", b.description(),
                   ") in any order"));
}

HloInstructionPattern HloInstructionPattern::WithName(absl::string_view name) const {
  return WithTruth(
      [name = std::string(name)](const HloInstruction* i) { return i->name() == name; },
      absl::StrCat("named ", name));
}

HloInstructionPattern HloInstructionPattern::WithElementType(PrimitiveType type) const {
  return WithTruth(
      [=](const HloInstruction* i) {
        return i->shape().IsArray() && i->shape().element_type() == type;
      },
      absl::StrCat("of type ", PrimitiveType_Name(type)));
}

HloInstructionPattern HloInstructionPattern::WithShape(PrimitiveType type,
                                                       absl::Span<const int64_t> dimensions) const {
  const Shape shape = ShapeUtil::MakeShape(type, dimensions);
  return WithShapeCompatibleTo(&shape);
}

HloInstructionPattern HloInstructionPattern::WithShapeEqualTo(const Shape* shape) const {
  return WithTruth(
      [shape = *shape](const HloInstruction* i) { return ShapeUtil::Equal(i->shape(), shape); },
      absl::StrCat("of shape ", ShapeUtil::HumanStringWithLayout(*shape)));
}

HloInstructionPattern HloInstructionPattern::WithShapeCompatibleTo(const Shape* shape) const {
  return WithTruth(
      [shape = *shape](const HloInstruction* i) {
        return ShapeUtil::Compatible(i->shape(), shape);
      },
      absl::StrCat("of shape ", ShapeUtil::HumanString(*shape)));
}

HloInstructionPattern HloInstructionPattern::IsConstantScalar(double value) const {
  return WithTruth(
      [=](const HloInstruction* i) {
        return i->opcode() == HloOpcode::kConstant && ShapeUtil::IsScalar(i->shape()) &&
               i->literal().GetAsDouble({}) == value;
      },
      absl::StrCat("scalar constant ", value));
}

HloInstructionPattern HloInstructionPattern::WithParameterNum(int64_t number) const {
  return WithTruth(
      [=](const HloInstruction* i) {
        return i->opcode() == HloOpcode::kParameter && i->parameter_number() == number;
      },
      absl::StrCat("number ", number));
}

HloInstructionPattern HloInstructionPattern::WithTupleIndex(int64_t index) const {
  return WithTruth(
      [=](const HloInstruction* i) {
        return i->opcode() == HloOpcode::kGetTupleElement && i->tuple_index() == index;
      },
      absl::StrCat("with tuple index ", index));
}

HloInstructionPattern HloInstructionPattern::WithComparisonDirection(
    ComparisonDirection direction) const {
  return WithTruth(
      [=](const HloInstruction* i) {
        return i->opcode() == HloOpcode::kCompare && i->comparison_direction() == direction;
      },
      absl::StrCat("with direction ", ComparisonDirectionToString(direction)));
}

HloInstructionPattern HloInstructionPattern::WithCustomCallTarget(
    absl::Span<const absl::string_view> targets) const {
  return WithTruth(
      [targets =
           std::vector<std::string>(targets.begin(), targets.end())](const HloInstruction* i) {
        return i->opcode() == HloOpcode::kCustomCall &&
               absl::c_linear_search(targets, i->custom_call_target());
      },
      absl::StrCat("with target ", absl::StrJoin(targets, " or ")));
}

HloInstructionPattern HloInstructionPattern::WithSharding(absl::string_view sharding) const {
  const absl::StatusOr<HloSharding> wanted = ParseSharding(sharding);
  return WithTruth(
      [wanted](const HloInstruction* i) {
        return wanted.ok() && i->has_sharding() && i->sharding() == *wanted;
      },
      absl::StrCat("with sharding ", sharding));
}

HloInstructionPattern HloInstructionPattern::WithConvDnums(
    absl::string_view dimension_numbers) const {
  const absl::StatusOr<ConvolutionDimensionNumbers> wanted =
      ParseConvolutionDimensionNumbers(dimension_numbers);
  return WithTruth(
      [wanted](const HloInstruction* i) {
        return wanted.ok() && i->opcode() == HloOpcode::kConvolution &&
               i->convolution_dimension_numbers().SerializeAsString() ==
                   wanted->SerializeAsString();
      },
      absl::StrCat("with dimension numbers ", dimension_numbers));
}

HloInstructionPattern HloInstructionPattern::WithReplicaGroups(
    std::vector<std::vector<int64_t>> groups) const {
  const std::string description =
      absl::StrCat("with replica groups {",
                   absl::StrJoin(groups, ",",
                                 [](std::string* out, const auto& group) {
                                   absl::StrAppend(out, "{", absl::StrJoin(group, ","), "}");
                                 }),
                   "}");
  return WithTruth(
      [groups = std::move(groups)](const HloInstruction* i) {
        const std::vector<ReplicaGroup>& actual = i->replica_groups();
        return absl::c_equal(actual, groups, [](const ReplicaGroup& a, const auto& b) {
          return absl::c_equal(a.replica_ids(), b);
        });
      },
      description);
}

HloInstructionPattern HloInstructionPattern::WithOneUse() const {
  return WithTruth(
      [](const HloInstruction* i) {
        return i->user_count() == 1 && absl::c_count(i->users()[0]->operands(), i) == 1;
      },
      "used once");
}

HloInstructionPattern HloInstructionPattern::WithOneUser() const {
  return WithTruth([](const HloInstruction* i) { return i->user_count() == 1; }, "used by one");
}

HloInstructionPattern HloInstructionPattern::WithPredicate(
    std::function<bool(const HloInstruction*)> predicate) const {
  return WithTruth(std::move(predicate), "what a predicate accepts");
}

HloInstructionPattern HloInstructionPattern::Captured(const HloInstruction** capture) const {
  HloInstructionPattern result = *this;
  result.steps_.push_back([=](const HloInstruction* i, Attempt& attempt) {
    if (capture != nullptr) attempt.captures.push_back([=] { *capture = i; });
    return true;
  });
  return result;
}

HloInstructionPattern HloInstructionPattern::Captured(HloInstruction** capture) const {
  HloInstructionPattern result = *this;
  result.steps_.push_back([=](const HloInstruction* i, Attempt& attempt) {
    if (capture != nullptr) {
      attempt.captures.push_back([=] { *capture = const_cast<HloInstruction*>(i); });
    }
    return true;
  });
  return result;
}

HloInstructionPattern AnyOfPatterns(std::vector<HloInstructionPattern> alternatives) {
  const std::string description = absl::StrJoin(
      alternatives, " or ", [](std::string* out, const HloInstructionPattern& pattern) {
        absl::StrAppend(out, "(", pattern.description(), ")");
      });
  return HloInstructionPattern().With(
      [=](const HloInstruction* i, HloInstructionPattern::Attempt& attempt) {
        for (const HloInstructionPattern& pattern : alternatives) {
          const size_t captures = attempt.captures.size();
          if (pattern.MatchStep(i, attempt)) {
            attempt.reason.clear();
            return true;
          }
          attempt.captures.resize(captures);
        }
        return attempt.Fail(i, description);
      },
      description);
}

HloInstructionPattern detail::WithOperands(HloInstructionPattern pattern,
                                           std::vector<HloInstructionPattern> operands) {
  if (operands.empty()) return pattern;
  pattern = pattern.WithNumOperands(static_cast<int64_t>(operands.size()));
  for (size_t i = 0; i < operands.size(); ++i) {
    pattern = pattern.WithOperand(static_cast<int64_t>(i), std::move(operands[i]));
  }
  return pattern;
}

HloInstructionPattern ConstantScalar() {
  return Constant().WithPredicate(
      [](const HloInstruction* i) { return ShapeUtil::IsScalar(i->shape()); });
}

HloInstructionPattern ConstantEffectiveScalar() {
  return Constant().WithPredicate(
      [](const HloInstruction* i) { return ShapeUtil::IsEffectiveScalar(i->shape()); });
}

}  // namespace xla::match
