#include "cpu/plan/split_windows.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/graph_builder.h"
#include "passes/reducer.h"
#include "passes/replace.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/window_util.h"

namespace xla::cpu {
namespace {

// What writing and reading an element costs beside the elements that are brought together for it.
constexpr double kCostOfAnArray = 2;
// Less is not worth more arrays.
constexpr double kLeastGain = 1.5;

// Whether it makes no difference how often the initial value takes part.
bool MayBeTakenTwice(const HloInstruction& initial_value, HloOpcode operation) {
  switch (operation) {
    case HloOpcode::kAdd:
      return initial_value.opcode() == HloOpcode::kConstant && initial_value.literal().IsAll(0);
    case HloOpcode::kMultiply:
      return initial_value.opcode() == HloOpcode::kConstant && initial_value.literal().IsAll(1);
    default:
      return operation != HloOpcode::kXor;
  }
}

// Whether the result of each pass would be rounded to fewer digits than it is computed with.
bool RoundsEachPass(HloOpcode operation, PrimitiveType type) {
  const bool rounds = operation == HloOpcode::kAdd || operation == HloOpcode::kMultiply;
  return rounds && primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) < 32;
}

int64_t SizeAfter(int64_t size, const WindowDimension& d) {
  const int64_t padded =
      d.padding_low() + window_util::DilatedBound(size, d.base_dilation()) + d.padding_high();
  return window_util::StridedBound(padded, window_util::DilatedBound(d.size(), d.window_dilation()),
                                   d.stride());
}

// The dimensions of more than one element, those that leave the fewest elements first.
std::vector<int> OrderOfDimensions(const Shape& shape, const Window& window) {
  std::vector<std::pair<double, int>> left;
  for (int d = 0; d < window.dimensions_size(); ++d) {
    if (window.dimensions(d).size() <= 1) continue;
    const int64_t size = std::max<int64_t>(1, shape.dimensions(d));
    const auto after = static_cast<double>(SizeAfter(size, window.dimensions(d)));
    left.emplace_back(after / static_cast<double>(size), d);
  }
  absl::c_stable_sort(left, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<int> order;
  for (const auto& [share, d] : left) order.push_back(d);
  return order;
}

// The windows of each pass: the first one does all that is done along other dimensions.
std::vector<Window> PartsOf(const Window& window, absl::Span<const int> order) {
  std::vector<Window> parts(order.size(), window);
  for (size_t i = 0; i < order.size(); ++i) {
    for (int d = 0; d < window.dimensions_size(); ++d) {
      const bool is_here = d == order[i] || (i == 0 && window.dimensions(d).size() <= 1);
      if (!is_here) *parts[i].mutable_dimensions(d) = window_util::MakeWindow({1}).dimensions(0);
    }
  }
  return parts;
}

absl::StatusOr<HloInstruction*> Split(HloInstruction& reduce) {
  if (reduce.opcode() != HloOpcode::kReduceWindow || !reduce.shape().IsArray()) return nullptr;
  const PrimitiveType type = reduce.shape().element_type();
  const std::optional<HloOpcode> operation = passes::ReducingOperationOf(*reduce.to_apply());
  if (!operation.has_value() || !passes::IsAssociative(*operation) ||
      reduce.operand(0)->shape().element_type() != type || RoundsEachPass(*operation, type) ||
      !MayBeTakenTwice(*reduce.operand(1), *operation) ||
      ShapeUtil::IsZeroElementArray(reduce.shape())) {
    return nullptr;
  }
  const std::optional<Literal> neutral = passes::NeutralElement(*operation, type);
  const std::vector<int> order = OrderOfDimensions(reduce.operand(0)->shape(), reduce.window());
  if (!neutral.has_value() || order.size() < 2) return nullptr;

  const std::vector<Window> parts = PartsOf(reduce.window(), order);
  std::vector<Shape> shapes;
  double cost = 0, elements_of_window = 1;
  Shape shape = reduce.operand(0)->shape();
  for (size_t i = 0; i < parts.size(); ++i) {
    for (int d = 0; d < shape.dimensions_size(); ++d)
      shape.set_dimensions(d, SizeAfter(shape.dimensions(d), parts[i].dimensions(d)));
    const auto size = static_cast<double>(reduce.window().dimensions(order[i]).size());
    cost += (size + kCostOfAnArray) * static_cast<double>(ShapeUtil::ElementsIn(shape));
    elements_of_window *= size;
    shapes.push_back(shape);
  }
  const double cost_at_once =
      (elements_of_window + kCostOfAnArray) * static_cast<double>(ShapeUtil::ElementsIn(shape));
  if (cost_at_once < kLeastGain * cost) return nullptr;

  passes::GraphBuilder b(reduce);
  HloInstruction* const none = b.Constant(neutral->Clone());
  HloInstruction* value = reduce.mutable_operand(0);
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_last = i + 1 == parts.size();
    value = b.Add(HloInstruction::CreateReduceWindow(is_last ? reduce.shape() : shapes[i], value,
                                                     is_last ? reduce.mutable_operand(1) : none,
                                                     parts[i], reduce.to_apply()));
  }
  return value;
}

}  // namespace

absl::StatusOr<bool> SplitWindows(HloModule& module) { return passes::ReplaceEach(module, Split); }

}  // namespace xla::cpu
