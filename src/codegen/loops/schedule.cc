#include "codegen/loops/schedule.h"

#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "passes/cost.h"
#include "passes/table.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::loops {
namespace {

// Of numbers that vectors have as many of as they can, where so much more is computed with these
// than with wider ones.
constexpr int kNarrowBits = 32;
constexpr double kManyNarrow = 8;

constexpr SchedulePass kPasses[] = {
    {"keep-row-values", KeepRowValues},
    {"merge-short-rows", MergeShortRows},
    {"split-at-boundaries", SplitAtBoundaries},
    {"tile-transposes", TileTransposes},
    {"vectorize", Vectorize},
    {"partition", Partition},
};

void Visit(const Node& node, absl::FunctionRef<void(const Node&)> visit) {
  visit(node);
  for (const Node& inner : node.body) Visit(inner, visit);
}

}  // namespace

absl::Span<const SchedulePass> SchedulePasses() { return kPasses; }

absl::StatusOr<Kernel> Schedule(const HloComputation& computation, const Conditions& conditions,
                                absl::string_view last) {
  Kernel kernel = Lower(computation);
  HILO_RETURN_IF_ERROR(Verify(kernel));
  for (const SchedulePass& pass : kPasses) {
    if (last == "lower") break;
    pass.run(kernel, conditions);
    if (passes::PassOptions::VerifiesByDefault()) HILO_RETURN_IF_ERROR(Verify(kernel));
    if (pass.name == last) break;
  }
  return kernel;
}

int ComputingBits(PrimitiveType type) {
  if (type == PRED) return 8;
  if (type == F64 || type == C128 || type == F8E8M0FNU) return 64;
  if (primitive_util::IsFloatingPointType(type) || type == C64) return 32;
  return std::max(8, primitive_util::BitWidth(type));
}

int64_t ComputingBits(const Shape& shape) {
  return ShapeUtil::ElementsIn(shape) * ComputingBits(shape.element_type());
}

int LanesFor(const HloComputation& computation, int vector_bits, int64_t count) {
  // Numbers by themselves, such as the indices of an update, are in no vectors.
  const auto bits_of = [](const HloInstruction& instruction) {
    const Shape& shape = instruction.shape();
    const bool is_array = shape.IsArray() && !ShapeUtil::IsEffectiveScalar(shape);
    return is_array ? ComputingBits(shape.element_type()) : 0;
  };
  int widest = 8;
  double cost = 0, cost_of_wide = 0;
  for (const HloInstruction* instruction : computation.instructions()) {
    int bits = bits_of(*instruction);
    if (bits == 0) continue;
    widest = std::max(widest, bits);
    for (const HloInstruction* operand : instruction->operands())
      bits = std::max(bits, bits_of(*operand));
    const double own = passes::AdditionsOfElement(*instruction);
    cost += own;
    if (bits > kNarrowBits) cost_of_wide += own;
  }
  // A few wide numbers among many narrow ones take two registers each.
  if (widest > kNarrowBits && cost_of_wide * kManyNarrow < cost) widest = kNarrowBits;
  int lanes = vector_bits / widest;
  while (lanes > 1 && lanes / 2 >= count) lanes /= 2;
  return lanes;
}

int TailLanesFor(int64_t count, int lanes) {
  const int64_t tail = count % lanes;
  if (tail == 0) return 0;
  while (lanes % 2 == 0 && lanes / 2 >= tail) lanes /= 2;
  return lanes;
}

bool ReducesRows(const HloInstruction& reduce) {
  const int64_t last = reduce.operand(0)->shape().dimensions_size() - 1;
  return absl::c_linear_search(reduce.dimensions(), last);
}

void ForEachNode(const Kernel& kernel, absl::FunctionRef<void(const Node&)> visit) {
  for (const Node& node : kernel.before) Visit(node, visit);
  for (const Node& node : kernel.body) Visit(node, visit);
}

bool HasFunctions(const HloComputation& computation) {
  return absl::c_any_of(computation.instructions(), [](const HloInstruction* each) {
    return passes::HasManyInstructions(*each);
  });
}

bool HasReductions(const Kernel& kernel) {
  return absl::c_any_of(kernel.computation->instructions(), [](const HloInstruction* each) {
    return IsReduction(*each) || IsScan(*each);
  });
}

Node* OnlyVector(Kernel& kernel) {
  std::vector<Node>& body = kernel.body[0].body;
  const bool is_only = kernel.body[0].kind == Node::Kind::kGrid && body.size() == 1 &&
                       body[0].kind == Node::Kind::kVector && body[0].begin == 0 &&
                       body[0].end == ElementsAlong(kernel, body[0]) &&
                       body[0].body[0].kind != Node::Kind::kTile;
  return is_only ? body.data() : nullptr;
}

void ForEachAtSameIndex(const Values& from, const Sizes& sizes,
                        absl::FunctionRef<void(const HloInstruction&)> visit) {
  Values waiting = from;
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const HloInstruction& instruction = *waiting.back();
    waiting.pop_back();
    if (!instruction.shape().IsArray() ||
        instruction.shape().dimensions() != absl::MakeConstSpan(sizes) ||
        !seen.insert(&instruction).second)
      continue;
    if (instruction.IsElementwise())
      waiting.insert(waiting.end(), instruction.operands().begin(), instruction.operands().end());
    visit(instruction);
  }
}

}  // namespace xla::loops
