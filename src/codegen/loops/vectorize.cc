#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/loops/reads.h"
#include "codegen/loops/schedule.h"
#include "ir/index_map.h"
#include "passes/cost.h"
#include "passes/reducer.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::loops {
namespace {

// Interleaved vectors where adjacent reductions are computed, each with its own accumulator, in
// kernels that are not larger than this.
constexpr int kInterleavedVectors = 8;
constexpr int64_t kMaxInterleavedInstructions = 24;
constexpr int kInterleavedVectorsOfScan = 4;
// Functions of numbers are code for each vector, and hide latency by themselves.
constexpr int kInterleavedVectorsOfFunctions = 4;
// Registers for the accumulators of all results together.
constexpr int kMostAccumulators = 10;
// Accumulators of a row, and how many of them are interleaved, the more the less is computed for
// them.
constexpr int kAccumulators = 4;
constexpr int64_t kFewInstructions = 12;

// Functions of numbers are long dependence chains, and two vectors of floats are stored as one of
// BF16. Where loops over more than a few elements do so, two vectors are interleaved.
constexpr int64_t kMaxInterleavedFunctions = 8;
constexpr int64_t kMinInterleavedElements = 1 << 15;
constexpr size_t kMaxInstructionsOfPairs = 128;
// Compiling more takes so long that only many elements repay it.
constexpr int64_t kManyInterleavedElements = 1 << 19;
constexpr size_t kMaxInstructionsForMany = 512;
// Few elements take as long as the dependence chain of one where that is long, such as in random
// numbers.
constexpr int64_t kFewElements = 512;
constexpr size_t kLongChain = 48;

// The tail of a loop is folded where an element takes so many instructions, and so many for each
// array that is read or written; in other loops masks take longer to execute than the tail to
// compile. A tail of narrower vectors makes up for its code where there are few elements.
constexpr int64_t kInstructionsOfFunction = 20;
constexpr int64_t kLeastFolded = 60;
constexpr int64_t kLeastFoldedOfAccess = 12;
constexpr int64_t kLeastElementsOfWiderLane = 16;

// What is computed for the values: all that they need but reductions and what is loaded.
Values ComputedFor(Values values, const Values& loaded) {
  Values computed;
  absl::flat_hash_set<const HloInstruction*> seen(loaded.begin(), loaded.end());
  while (!values.empty()) {
    const HloInstruction* instruction = values.back();
    values.pop_back();
    if (instruction->opcode() == HloOpcode::kReduce || !seen.insert(instruction).second) continue;
    computed.push_back(instruction);
    values.insert(values.end(), instruction->operands().begin(), instruction->operands().end());
  }
  return computed;
}

bool PaysInPairs(const Kernel& kernel, const Node& loop) {
  const int64_t elements = Product(kernel.sizes);
  const bool are_few = elements <= kFewElements;
  if (!are_few && elements < kMinInterleavedElements) return false;
  const size_t most = are_few || elements >= kManyInterleavedElements ? kMaxInstructionsForMany
                                                                      : kMaxInstructionsOfPairs;
  Values stored;
  for (const Node& node : loop.body) {
    if (node.kind == Node::Kind::kStore) stored.push_back(node.values[0]);
  }
  const Values computed = ComputedFor(stored, loop.loads);
  if (computed.size() > most) return false;
  if (are_few) {
    return computed.size() >= kLongChain &&
           absl::c_none_of(computed, [](const HloInstruction* each) {
             return passes::HasManyInstructions(*each);
           });
  }
  const bool stores_halves = absl::c_any_of(
      stored, [](const HloInstruction* value) { return value->shape().element_type() == BF16; });
  if (stores_halves) return true;
  const int64_t functions = absl::c_count_if(computed, [](const HloInstruction* instruction) {
    return passes::HasManyInstructions(*instruction) &&
           ShapeUtil::ElementIsFloating(instruction->shape());
  });
  return functions > 0 && functions <= kMaxInterleavedFunctions;
}

// Fewer where elements take so long that it matters less how long they are folded.
int MostInterleaved(const HloInstruction& reduce) {
  const Values computed = ComputedFor({reduce.operands().begin(), reduce.operands().end()}, {});
  const bool hides_latency = absl::c_any_of(computed, [](const HloInstruction* instruction) {
    return passes::IsExpensive(*instruction);
  });
  const int most = computed.size() <= kFewInstructions ? kAccumulators : kAccumulators / 2;
  return hides_latency ? most / 2 : most;
}

int AccumulatorsOfRow(const Node& node) {
  const int64_t columns = node.values[0]->operand(0)->shape().dimensions().back();
  int accumulators = 1;
  while (accumulators < kAccumulators && columns >= 4 * accumulators * node.lanes)
    accumulators *= 2;
  return accumulators;
}

// Whether the order in which elements are folded changes the last digits.
bool IsRounded(const HloInstruction& reduce) {
  const Shape& element = reduce.operand(0)->shape();
  const std::optional<HloOpcode> operation = passes::OperationOf(*reduce.to_apply());
  return (ShapeUtil::ElementIsFloating(element) || ShapeUtil::ElementIsComplex(element)) &&
         operation != HloOpcode::kMaximum && operation != HloOpcode::kMinimum;
}

void VectorizeReduction(const Kernel& kernel, const Conditions& conditions, Node& node) {
  if (node.order == Node::Order::kInOrder) return;
  const HloInstruction& reduce = *node.values[0];
  const int64_t columns = reduce.operand(0)->shape().dimensions().back();
  node.lanes = columns < kShortRow
                   ? 1
                   : LanesFor(*kernel.computation, conditions.target.vector_bits, columns);
  if (node.lanes > columns) node.lanes /= 2;
  node.interleave = std::min(MostInterleaved(reduce), AccumulatorsOfRow(node));
}

// Along the last dimension, elements of a register are folded with those before them by halves.
void VectorizeScan(const Kernel& kernel, const Conditions& conditions, Node& node) {
  const HloInstruction& scan = *node.values[0];
  const int d = node.dimensions[0];
  if (d + 1 < static_cast<int>(kernel.sizes.size()) || !passes::IsAssociative(*scan.to_apply()))
    return;
  const int64_t elements = scan.operand(0)->shape().dimensions(d) - node.begin;
  node.lanes = LanesFor(*kernel.computation, conditions.target.vector_bits,
                        std::min(elements, kernel.sizes[d]));
}

bool Contains(const Node& node, Node::Kind kind) {
  return absl::c_any_of(node.body, [&](const Node& inner) { return inner.kind == kind; });
}

// Whether what is folded in a loop is read one by one.
bool FoldsElementsApart(const Kernel& kernel, const Node& loop) {
  std::vector<std::pair<const HloInstruction*, IndexMap>> folded;
  for (const Node& node : loop.body) {
    if (node.kind != Node::Kind::kReduce && node.kind != Node::Kind::kScan) continue;
    IndexMap map = {kernel.sizes, static_cast<int>(kernel.sizes.size())};
    for (int d : IndexOf(kernel, *node.values[0])) map.results.push_back(IndexExpr::Variable(d));
    folded.emplace_back(node.values[0], std::move(map));
  }
  return ReadsApart(std::move(folded), loop.dimensions.back());
}

// How many bits of accumulators each lane has of the reduction or scan in a loop with the most.
int64_t BitsOfAccumulators(const Node& loop) {
  int64_t most = 0;
  for (const Node& node : loop.body) {
    if (node.kind != Node::Kind::kReduce && node.kind != Node::Kind::kScan) continue;
    int64_t bits = 0;
    ShapeUtil::ForEachLeafShape(node.values[0]->shape(), [&](const Shape& leaf, const auto&) {
      const PrimitiveType type = leaf.element_type();
      bits += ComputingBits(type) * (primitive_util::IsComplexType(type) ? 2 : 1);
    });
    most = std::max(most, bits);
  }
  return most;
}

// Whether masks take little of the time to compute the values and to write so many of them.
bool PaysMasks(const Values& values, size_t written, const Values& loaded) {
  int64_t instructions = 0, accesses = static_cast<int64_t>(written);
  for (const HloInstruction* each : ComputedFor(values, loaded)) {
    instructions += passes::HasManyInstructions(*each) ? kInstructionsOfFunction : 1;
    const bool is_value = each->IsElementwise() || each->opcode() == HloOpcode::kBroadcast ||
                          each->opcode() == HloOpcode::kConstant;
    if (each->opcode() == HloOpcode::kParameter || !is_value) ++accesses;
  }
  return instructions >= std::max(kLeastFolded, kLeastFoldedOfAccess * accesses);
}

// Whether masking all vectors costs less than the code of the tail, which is as long as the loop's.
// Most of the time goes into what is reduced, if anything is.
bool FoldsTail(const Node& loop, const Conditions& conditions) {
  const int64_t count = loop.end - loop.begin;
  const int wider = loop.lanes - TailLanesFor(count, loop.lanes);
  if (!conditions.target.has_mask_registers || wider * kLeastElementsOfWiderLane > count)
    return false;
  Values stored, reduces;
  for (const Node& node : loop.body) {
    if (node.kind != Node::Kind::kStore && node.kind != Node::Kind::kReduce) return false;
    Values& values = node.kind == Node::Kind::kStore ? stored : reduces;
    values.insert(values.end(), node.values.begin(), node.values.end());
  }
  if (reduces.empty()) return PaysMasks(stored, stored.size(), loop.loads);
  return absl::c_all_of(reduces, [&](const HloInstruction* reduce) {
    const auto& operands = reduce->operands();
    const auto inputs = static_cast<int64_t>(operands.size()) / 2;
    return PaysMasks({operands.begin(), operands.begin() + inputs}, 0, loop.loads);
  });
}

void VectorizeLoop(const Kernel& kernel, const Conditions& conditions, Node& node) {
  const int64_t count = node.end - node.begin;
  const bool has_tile = Contains(node, Node::Kind::kTile);
  node.lanes = LanesFor(*kernel.computation, conditions.target.vector_bits,
                        has_tile ? std::min(count, kMaxTileRows) : count);
  const bool is_scan = Contains(node, Node::Kind::kScan);
  if (Contains(node, Node::Kind::kReduce) || is_scan) {
    // Interleaved vectors, adjacent in memory, and accumulators for each.
    const bool is_large = kernel.computation->instruction_count() > kMaxInterleavedInstructions ||
                          FoldsElementsApart(kernel, node);
    const int vectors = is_scan                             ? kInterleavedVectorsOfScan
                        : HasFunctions(*kernel.computation) ? kInterleavedVectorsOfFunctions
                                                            : kInterleavedVectors;
    const int most = node.lanes * (is_large ? 1 : vectors);
    const int64_t bits = BitsOfAccumulators(node);
    const int64_t most_bits = int64_t{kMostAccumulators} * conditions.target.vector_bits;
    while (node.lanes * 2 <= most && node.lanes < count && node.lanes * 2 * bits <= most_bits)
      node.lanes *= 2;
  } else if (!has_tile && count >= 4 * node.lanes && PaysInPairs(kernel, node)) {
    node.lanes *= 2;
  }
  if (node.is_clipped || count % node.lanes == 0) return;
  if (count > node.lanes && !has_tile && FoldsTail(node, conditions)) {
    node.folds_tail = true;
  } else {
    node.tail_lanes = TailLanesFor(count, node.lanes);
  }
}

void VectorizeAll(const Kernel& kernel, const Conditions& conditions, std::vector<Node>& nodes) {
  for (Node& node : nodes) {
    if (node.kind == Node::Kind::kReduce && node.by_rows)
      VectorizeReduction(kernel, conditions, node);
    if (node.kind == Node::Kind::kVector && node.lanes == 0)
      VectorizeLoop(kernel, conditions, node);
    if (node.kind == Node::Kind::kScan) VectorizeScan(kernel, conditions, node);
    VectorizeAll(kernel, conditions, node.body);
  }
}

}  // namespace

int AccumulatorsOf(const Node& node) {
  const bool is_rounded =
      absl::c_any_of(node.values, [](const HloInstruction* reduce) { return IsRounded(*reduce); });
  return is_rounded ? AccumulatorsOfRow(node) : node.interleave;
}

void Vectorize(Kernel& kernel, const Conditions& conditions) {
  VectorizeAll(kernel, conditions, kernel.before);
  VectorizeAll(kernel, conditions, kernel.body);
}

}  // namespace xla::loops
