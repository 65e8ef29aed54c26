#include "xla/service/hlo_cost_analysis.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/op_info.h"
#include "passes/work.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/util.h"

namespace xla {
namespace {

using Properties = HloCostAnalysis::Properties;

constexpr absl::string_view kSummed[] = {HloCostAnalysis::kFlopsKey,
                                         HloCostAnalysis::kTranscendentalsKey,
                                         HloCostAnalysis::kBytesAccessedKey};

std::string OperandKey(absl::string_view figure, int64_t operand, const ShapeIndex& index) {
  return absl::StrCat(figure, operand, index.ToString());
}

std::string OutputKey(const ShapeIndex& index) {
  return absl::StrCat(HloCostAnalysis::kBytesAccessedKey, "out", index.ToString());
}

// Those whose computations access memory, and not they themselves.
bool IsControlFlow(const HloInstruction& hlo) {
  return HasTrait(hlo.opcode(), kControlFlow) || hlo.opcode() == HloOpcode::kAsyncStart;
}

// Instructions that only name what others have made.
bool IsFree(const HloInstruction& hlo) {
  switch (hlo.opcode()) {
    case HloOpcode::kParameter:
    case HloOpcode::kConstant:
    case HloOpcode::kTuple:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kBitcast:
    case HloOpcode::kAfterAll:
    case HloOpcode::kAddDependency:
    case HloOpcode::kOptimizationBarrier:
      return true;
    default:
      return HasTrait(hlo.opcode(), kAsync) && hlo.opcode() != HloOpcode::kAsyncStart;
  }
}

}  // namespace

float HloCostAnalysis::Properties::operator[](absl::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? 0 : found->second;
}

float& HloCostAnalysis::Properties::operator[](absl::string_view key) {
  const auto found = values_.find(key);
  return found != values_.end() ? found->second : values_[std::string(key)];
}

void HloCostAnalysis::Properties::ForEach(
    absl::FunctionRef<void(absl::string_view key, float value)> visit) const {
  for (const auto& [key, value] : values_) visit(key, value);
}

float HloCostAnalysis::Properties::operand_bytes_accessed(int64_t operand,
                                                          const ShapeIndex& index) const {
  return (*this)[OperandKey(kBytesAccessedKey, operand, index)];
}
void HloCostAnalysis::Properties::set_operand_bytes_accessed(int64_t operand,
                                                             const ShapeIndex& index, float value) {
  (*this)[OperandKey(kBytesAccessedKey, operand, index)] = value;
}
float HloCostAnalysis::Properties::output_bytes_accessed(const ShapeIndex& index) const {
  return (*this)[OutputKey(index)];
}
void HloCostAnalysis::Properties::set_output_bytes_accessed(const ShapeIndex& index, float value) {
  (*this)[OutputKey(index)] = value;
}
float HloCostAnalysis::Properties::operand_utilization(int64_t operand,
                                                       const ShapeIndex& index) const {
  return (*this)[OperandKey(kUtilizationKey, operand, index)];
}
void HloCostAnalysis::Properties::set_operand_utilization(int64_t operand, const ShapeIndex& index,
                                                          float value) {
  (*this)[OperandKey(kUtilizationKey, operand, index)] = value;
}

std::string HloCostAnalysis::Properties::ToString() const {
  std::string text;
  for (const auto& [key, value] : values_) absl::StrAppend(&text, key, ": ", value, "\n");
  return text;
}

int64_t HloCostAnalysis::DefaultShapeSize(const Shape& shape) {
  return ShapeUtil::ByteSizeOf(shape, sizeof(void*));
}

const Properties& HloCostAnalysis::PropertiesOf(const HloInstruction& hlo) const {
  static const Properties* const none = new Properties();
  const auto found = instructions_.find(&hlo);
  return found == instructions_.end() ? *none : found->second;
}

const Properties& HloCostAnalysis::CostOfComputation(const HloComputation* computation) const {
  static const Properties* const none = new Properties();
  const auto found = computations_.find(computation);
  return found == computations_.end() ? *none : found->second;
}

void HloCostAnalysis::AddCallees(const HloInstruction& hlo, Properties& cost) const {
  const auto add = [&](const HloComputation* callee, double times) {
    for (const absl::string_view key : kSummed) {
      if (key != kBytesAccessedKey || IsControlFlow(hlo))
        cost[key] += static_cast<float>(times * CostOfComputation(callee)[key]);
    }
  };
  const std::vector<HloComputation*>& callees = hlo.called_computations();
  if (hlo.opcode() == HloOpcode::kConditional) {
    for (const absl::string_view key : kSummed) {
      for (const HloComputation* branch : callees)
        cost[key] = std::max(cost[key], CostOfComputation(branch)[key]);
    }
  } else {
    for (size_t i = 0; i < callees.size(); ++i) {
      if (const double times = passes::Applications(hlo, i); times > 0) add(callees[i], times);
    }
  }
}

// What is picked out of an array, or put into it, is accessed there, and not the rest.
void HloCostAnalysis::AddBytes(const HloInstruction& hlo, Properties& cost) const {
  if (IsControlFlow(hlo)) return;
  float output = static_cast<float>(GetShapeSize(hlo.shape())), total = 0;
  for (int64_t i = 0; i < hlo.operand_count(); ++i) {
    float bytes = static_cast<float>(GetShapeSize(hlo.operand(i)->shape()));
    switch (hlo.opcode()) {
      case HloOpcode::kSlice:
      case HloOpcode::kDynamicSlice:
      case HloOpcode::kGather:
        if (i == 0) bytes = std::min(bytes, output);
        break;
      case HloOpcode::kDynamicUpdateSlice:
        if (i == 0) bytes = 0;
        if (i == 1) output = bytes;
        break;
      case HloOpcode::kScatter:
        // Read and written at the places of the updates.
        if (i < hlo.operand_count() / 2) {
          bytes = static_cast<float>(
              GetShapeSize(hlo.operand(i + hlo.operand_count() / 2 + 1)->shape()));
          output = i == 0 ? bytes : output + bytes;
        }
        break;
      default:
        break;
    }
    cost.set_operand_bytes_accessed(i, bytes);
    cost.set_operand_utilization(i, 1);
    total += bytes;
  }
  cost.set_output_bytes_accessed(output);
  cost[kBytesAccessedKey] += total + output;
}

void HloCostAnalysis::AddSeconds(Properties& cost) const {
  float seconds = 0;
  options_.per_second_rates.ForEach([&](absl::string_view key, float rate) {
    if (rate <= 0 || cost[key] <= 0) return;
    seconds = std::max({seconds, cost[key] / rate, options_.min_latencies_seconds[key]});
  });
  cost[kOptimalSecondsKey] = seconds;
}

Properties HloCostAnalysis::CostOf(const HloInstruction& hlo) const {
  Properties cost;
  for (const absl::string_view key : kSummed) cost[key] = 0;
  if (!IsFree(hlo)) {
    const passes::Operations own = passes::OwnOperations(hlo);
    cost[kFlopsKey] = static_cast<float>(own.flops);
    cost[kTranscendentalsKey] = static_cast<float>(own.transcendentals);
    AddCallees(hlo, cost);
    AddBytes(hlo, cost);
  }
  AddSeconds(cost);
  return cost;
}

// Callees come before those that call them.
void HloCostAnalysis::VisitCallees(const HloInstruction& hlo) {
  if (hlo.called_computations().empty() ||
      computations_.count(hlo.called_computations().front()) > 0)
    return;
  for (const HloComputation* computation : hlo.GetModule()->MakeComputationPostOrder()) {
    if (computation == hlo.parent()) break;
    Properties sum;
    for (const HloInstruction* inner : computation->instructions()) {
      Properties cost = CostOf(*inner);
      for (const absl::string_view key : kSummed) sum[key] += cost[key];
      instructions_[inner] = std::move(cost);
    }
    computations_[computation] = std::move(sum);
  }
}

absl::Status HloCostAnalysis::DefaultAction(const HloInstruction* hlo) {
  if (hlo->has_called_computations() && hlo->GetModule() == nullptr) {
    return FailedPrecondition("the cost of %s is that of computations, which belong to no module",
                              hlo->name());
  }
  VisitCallees(*hlo);
  Properties cost = CostOf(*hlo);
  cost.ForEach([&](absl::string_view key, float value) { sum_[key] += value; });
  instructions_[hlo] = std::move(cost);
  return absl::OkStatus();
}

}  // namespace xla
