#include "codegen/loops/kernel.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/loops/schedule.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "passes/cost.h"
#include "xla/shape_util.h"

namespace xla::loops {

Values ResultsOf(const HloComputation& computation) {
  const HloInstruction& root = *computation.root_instruction();
  if (root.opcode() != HloOpcode::kTuple) return {&root};
  return Values(root.operands().begin(), root.operands().end());
}

const Shape& ComputedShape(const HloInstruction& result) {
  if (result.opcode() == HloOpcode::kScatter)
    return result.operand(result.operand_count() / 2 + 1)->shape();
  if (result.opcode() == HloOpcode::kDynamicUpdateSlice ||
      result.opcode() == HloOpcode::kSelectAndScatter)
    return result.operand(1)->shape();
  return ArrayShape(result);
}

int64_t ArraysOf(const HloInstruction& result) {
  return result.shape().IsTuple() ? result.shape().tuple_shapes_size() : 1;
}

const Shape& ArrayShape(const HloInstruction& result, int64_t array) {
  const Shape& shape = result.shape();
  return shape.IsTuple() ? shape.tuple_shapes(static_cast<int>(array)) : shape;
}

bool IsProduct(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kDot || instruction.opcode() == HloOpcode::kConvolution;
}

const HloInstruction* ProductIn(const HloComputation& computation) {
  for (const HloInstruction* each : computation.instructions()) {
    if (IsProduct(*each)) return each;
  }
  return nullptr;
}

bool IsReadInPlace(const HloInstruction& instruction) {
  Values waiting = {&instruction};
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const HloInstruction& value = *waiting.back();
    waiting.pop_back();
    for (const HloInstruction* user : value.users()) {
      const bool is_root_tuple = user->opcode() == HloOpcode::kTuple && user->IsRoot();
      if (is_root_tuple || !seen.insert(user).second) continue;
      if (user->opcode() != HloOpcode::kReshape && user->opcode() != HloOpcode::kBitcast &&
          (!user->IsElementwise() || user->opcode() == HloOpcode::kMap)) {
        return false;
      }
      waiting.push_back(user);
    }
  }
  return true;
}

int64_t ReadableElements(const HloInstruction& parameter) {
  const DimensionVector strides = RowMajorStrides(parameter.shape());
  int64_t elements = 0;
  for (const HloInstruction* user : parameter.users()) {
    if (user->opcode() != HloOpcode::kSlice) return ShapeUtil::ElementsIn(parameter.shape());
    int64_t reach = 1;
    for (size_t d = 0; d < strides.size(); ++d) reach += (user->slice_limits(d) - 1) * strides[d];
    elements = std::max(elements, reach);
  }
  return std::min(elements, ShapeUtil::ElementsIn(parameter.shape()));
}

Values PathFrom(const HloInstruction& instruction) {
  Values path;
  const HloInstruction* value = &instruction;
  while (value->user_count() == 1 && value->opcode() != HloOpcode::kTranspose) {
    value = value->users()[0];
    if (value->opcode() != HloOpcode::kReshape && value->opcode() != HloOpcode::kTranspose) break;
    path.push_back(value);
  }
  return path;
}

std::vector<int> OrderOfElements(const HloInstruction& product, absl::Span<const int64_t> sizes) {
  const Values path = PathFrom(product);
  const HloInstruction& last = path.empty() ? product : *path.back();
  if (sizes.empty() || last.shape().dimensions() != sizes) return {};
  std::vector<int> order(sizes.size());
  absl::c_iota(order, 0);
  if (last.opcode() == HloOpcode::kTranspose) {
    if (last.dimensions().back() + 1 != static_cast<int64_t>(sizes.size())) return {};
    for (size_t d = 0; d < sizes.size(); ++d) order[last.dimensions(d)] = static_cast<int>(d);
  }
  return IsReadInPlace(last) ? order : std::vector<int>();
}

bool IsReduction(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kReduce && !instruction.dimensions().empty();
}

bool IsScattered(const HloInstruction& result) {
  return result.opcode() == HloOpcode::kScatter || result.opcode() == HloOpcode::kSelectAndScatter;
}

Sizes WindowDimensions(const HloInstruction& scatter) {
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  Sizes dimensions;
  for (int64_t d = 0; d < scatter.operand(0)->shape().dimensions_size(); ++d) {
    if (!absl::c_linear_search(attributes.inserted_window_dims, d) &&
        !absl::c_linear_search(attributes.input_batching_dims, d))
      dimensions.push_back(d);
  }
  return dimensions;
}

std::vector<int> IndexOf(const Kernel& kernel, const HloInstruction& value) {
  std::vector<int> dimensions(ComputedShape(value).dimensions_size());
  absl::c_iota(dimensions, 0);
  if (!IsScattered(value)) return dimensions;
  ForEachNode(kernel, [&](const Node& each) {
    if (each.kind == Node::Kind::kSelect || each.kind == Node::Kind::kScatter)
      dimensions = each.dimensions;
  });
  return dimensions;
}

int64_t ElementsAlong(const Kernel& kernel, const Node& vector) {
  int64_t elements = 1;
  for (int d : vector.dimensions) elements *= kernel.sizes[d];
  return elements;
}

int64_t Units(const Kernel& kernel) {
  const Node& grid = kernel.body[0];
  int64_t units = 1;
  for (size_t i = 0; i < grid.dimensions.size(); ++i)
    units *= (kernel.sizes[grid.dimensions[i]] + grid.steps[i] - 1) / grid.steps[i];
  if (grid.strip == 0) return units;
  int64_t elements = 1;
  ForEachNode(kernel, [&](const Node& node) {
    if (node.kind == Node::Kind::kVector)
      elements = std::max(elements, ElementsAlong(kernel, node));
  });
  return units * ((elements + grid.strip - 1) / grid.strip);
}

std::optional<Strips> StripsOf(const Kernel& kernel) {
  const Node& grid = kernel.body[0];
  if (!kernel.before.empty() || kernel.body.size() > 1 || grid.kind != Node::Kind::kGrid ||
      grid.is_range || absl::c_any_of(grid.steps, [](int64_t step) { return step != 1; }))
    return std::nullopt;
  for (const HloInstruction* result : ResultsOf(*kernel.computation)) {
    if (IsScattered(*result) || IsScan(*result) || !result->shape().IsArray() ||
        result->opcode() == HloOpcode::kDynamicUpdateSlice ||
        result->shape().dimensions() != absl::MakeConstSpan(kernel.sizes))
      return std::nullopt;
  }
  // A unit has the vectors that start in its strip, which must not reach into the next one.
  bool crosses = false;
  ForEachNode(kernel, [&](const Node& node) {
    if (grid.strip > 0 && node.kind == Node::Kind::kVector)
      crosses |= node.lanes == 0 || grid.strip % node.lanes != 0 || node.begin % node.lanes != 0;
  });
  if (crosses) return std::nullopt;
  Strips strips = {Product(kernel.sizes), 1};
  for (size_t d = 0; d < kernel.sizes.size(); ++d) {
    if (d >= grid.dimensions.size()) {
      strips.row *= kernel.sizes[d];
    } else if (grid.dimensions[d] != static_cast<int>(d)) {
      return std::nullopt;
    }
  }
  if (grid.strip > 0 && strips.row % grid.strip == 0) strips.row = grid.strip;
  strips.strip = grid.strip > 0 ? grid.strip : strips.row;
  return strips;
}

namespace {

// Of an array that only slices read, as much as they take of it.
double CostOfReads(const HloInstruction& parameter) {
  double elements = 0;
  for (const HloInstruction* user : parameter.users()) {
    const HloOpcode opcode = user->opcode();
    const bool takes_part = user->operand(0) == &parameter &&
                            (opcode == HloOpcode::kSlice || opcode == HloOpcode::kDynamicSlice ||
                             opcode == HloOpcode::kDynamicUpdateSlice);
    if (!takes_part) return passes::CostOf(parameter);
    if (opcode != HloOpcode::kDynamicUpdateSlice)
      elements += static_cast<double>(ShapeUtil::ElementsIn(user->shape()));
  }
  return std::min(elements, passes::CostOf(parameter));
}

}  // namespace

double CostOf(const Kernel& kernel) {
  const HloInstruction& root = *kernel.computation->root_instruction();
  const auto elements = [](const Shape& shape) {
    return static_cast<double>(ShapeUtil::ElementsIn(shape));
  };
  if (root.opcode() == HloOpcode::kSelectAndScatter) {
    double window = 1;
    for (const WindowDimension& dimension : root.window().dimensions())
      window *= static_cast<double>(dimension.size());
    return elements(root.shape()) + elements(ComputedShape(root)) * window;
  }
  if (IsScattered(root) || IsScan(root))
    return static_cast<double>(2 * ArraysOf(root)) * elements(ComputedShape(root));
  const Values results = ResultsOf(*kernel.computation);
  double cost = 0;
  for (const HloInstruction* instruction : kernel.computation->instructions()) {
    if (instruction->opcode() == HloOpcode::kParameter) {
      cost += CostOfReads(*instruction);
    } else if (instruction->opcode() != HloOpcode::kDynamicUpdateSlice ||
               !absl::c_linear_search(results, instruction)) {
      cost += passes::CostOf(*instruction);
    }
  }
  for (const HloInstruction* result : results) cost += elements(ComputedShape(*result));
  return cost;
}

}  // namespace xla::loops
