#include "xla/service/hlo_cost_analysis.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "ir/op_info.h"
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

// Elements of all arrays of a shape.
double CountOf(const Shape& shape) {
  double count = 0;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsArray()) count += static_cast<double>(ShapeUtil::ElementsIn(part));
  });
  return count;
}

double ElementsOf(const Shape& array) {
  return array.IsArray() ? static_cast<double>(ShapeUtil::ElementsIn(array)) : 0;
}

// The first array of a result: several reductions at once are one each.
const Shape& FirstArray(const Shape& shape) {
  return shape.IsTuple() && !shape.tuple_shapes().empty() ? shape.tuple_shapes(0) : shape;
}

double WindowSize(const Window& window) {
  double size = 1;
  for (const WindowDimension& dimension : window.dimensions())
    size *= static_cast<double>(dimension.size());
  return size;
}

// A multiplication and an addition for each element of the result and of what is summed over.
double FlopsOfDot(const HloInstruction& dot) {
  double depth = 1;
  for (const int64_t dimension : dot.dot_dimension_numbers().lhs_contracting_dimensions())
    depth *= static_cast<double>(dot.operand(0)->shape().dimensions(static_cast<int>(dimension)));
  return 2 * ElementsOf(dot.shape()) * depth;
}

double FlopsOfConvolution(const HloInstruction& convolution) {
  const int feature = static_cast<int>(
      convolution.convolution_dimension_numbers().kernel_output_feature_dimension());
  const Shape& kernel = convolution.operand(1)->shape();
  const double features = static_cast<double>(kernel.dimensions(feature));
  return features == 0 ? 0 : 2 * ElementsOf(convolution.shape()) * ElementsOf(kernel) / features;
}

double FlopsOfFft(const HloInstruction& fft) {
  double length = 1;
  for (const int64_t size : fft.fft_length()) length *= static_cast<double>(size);
  const double count = std::max(ElementsOf(fft.shape()), ElementsOf(fft.operand(0)->shape()));
  return length <= 1 ? 0 : 5 * count * std::log2(length);
}

// A third of the cube of the number of rows of each matrix.
double FlopsOfCholesky(const HloInstruction& cholesky) {
  const Shape& shape = cholesky.shape();
  const double rows = static_cast<double>(shape.dimensions(shape.dimensions_size() - 1));
  return ElementsOf(shape) * rows / 3;
}

double FlopsOfTriangularSolve(const HloInstruction& solve) {
  const Shape& matrix = solve.operand(0)->shape();
  return ElementsOf(solve.shape()) *
         static_cast<double>(matrix.dimensions(matrix.dimensions_size() - 1));
}

// What is computed directly, apart from called computations.
void AddOwnWork(const HloInstruction& hlo, Properties& cost) {
  float& flops = cost[HloCostAnalysis::kFlopsKey];
  float& transcendentals = cost[HloCostAnalysis::kTranscendentalsKey];
  switch (hlo.opcode()) {
    case HloOpcode::kCopy:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kReal:
    case HloOpcode::kImag:
    case HloOpcode::kComplex:
      return;
    case HloOpcode::kDot:
    case HloOpcode::kScaledDot:
      flops = static_cast<float>(FlopsOfDot(hlo));
      return;
    case HloOpcode::kConvolution:
      flops = static_cast<float>(FlopsOfConvolution(hlo));
      return;
    case HloOpcode::kFft:
      flops = static_cast<float>(FlopsOfFft(hlo));
      return;
    case HloOpcode::kCholesky:
      flops = static_cast<float>(FlopsOfCholesky(hlo));
      return;
    case HloOpcode::kTriangularSolve:
      flops = static_cast<float>(FlopsOfTriangularSolve(hlo));
      return;
    case HloOpcode::kBatchNormInference:
      flops = static_cast<float>(4 * ElementsOf(hlo.operand(0)->shape()));
      return;
    case HloOpcode::kBatchNormTraining:
    case HloOpcode::kBatchNormGrad:
      flops = static_cast<float>(8 * ElementsOf(hlo.operand(0)->shape()));
      return;
    case HloOpcode::kRng:
    case HloOpcode::kRngBitGenerator:
      transcendentals = static_cast<float>(CountOf(hlo.shape()));
      return;
    default:
      if (HasTrait(hlo.opcode(), kAccuracy)) {
        transcendentals = static_cast<float>(ElementsOf(hlo.shape()));
      } else if (HasTrait(hlo.opcode(), kElementwise)) {
        flops = static_cast<float>(ElementsOf(hlo.shape()));
      }
  }
}

// How often an instruction applies the computation that it calls to elements.
double Applications(const HloInstruction& hlo) {
  switch (hlo.opcode()) {
    case HloOpcode::kReduce:
      return std::max(0.0,
                      ElementsOf(hlo.operand(0)->shape()) - ElementsOf(FirstArray(hlo.shape())));
    case HloOpcode::kReduceWindow:
      return ElementsOf(FirstArray(hlo.shape())) * std::max(0.0, WindowSize(hlo.window()) - 1);
    case HloOpcode::kScatter:
      return ElementsOf(hlo.operand(hlo.operand_count() - 1)->shape());
    case HloOpcode::kSort: {
      const Shape& keys = hlo.operand(0)->shape();
      const double length =
          static_cast<double>(keys.dimensions(static_cast<int>(hlo.dimensions(0))));
      return length <= 1 ? 0 : ElementsOf(keys) * std::log2(length);
    }
    case HloOpcode::kMap:
      return ElementsOf(hlo.shape());
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kReduceScatter:
      return CountOf(hlo.shape());
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
    case HloOpcode::kWhile:
    case HloOpcode::kAsyncStart:
    case HloOpcode::kScan:
      return 1;
    default:
      return 0;
  }
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
  } else if (hlo.opcode() == HloOpcode::kSelectAndScatter) {
    const double sources = ElementsOf(hlo.operand(1)->shape());
    add(callees[0], sources * std::max(0.0, WindowSize(hlo.window()) - 1));
    add(callees[1], sources);
  } else if (const double times = Applications(hlo); times > 0) {
    for (const HloComputation* callee : callees) add(callee, times);
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
    AddOwnWork(hlo, cost);
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
