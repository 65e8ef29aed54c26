#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/numeric/bits.h"
#include "codegen/loops/schedule.h"
#include "ir/index_map.h"
#include "ir/records.h"
#include "passes/cost.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::loops {
namespace {

// Vectors of so many registers, which rows of 3, 5, 7 and 9 elements fill; of fewer where the code
// of each is long.
constexpr int64_t kMaxRegistersOfRows = 9, kMaxRegistersOfFunctions = 3;
// So many instructions for as many registers are code that takes longer to compile than it saves:
// values of many registers do not stay in them.
constexpr int64_t kMaxInstructionsOfRows = 400;
// With fewer elements, it does not matter.
constexpr int64_t kMinElements = 256;
// Lanes that are read one by one gain little from rows of several registers, and are code for each.
constexpr int64_t kMinGatheredElements = 1 << 15;
// Longer rows are better reduced one after the other, each in vectors of its own; and so are sums
// and the like of any rows.
constexpr int64_t kMaxReducedElements = 12, kMinReducedRows = 32;

// The part of a row's own vector that is worth no vector of several rows, and the bits of vectors
// that machines work on in two halves.
constexpr double kLeastOwnLanes = 0.6;
constexpr int kDoubledVectorBits = 512;

// How many times as many elements a register must have if a vector covers rows and has empty lanes.
constexpr double kLeastGainOfOneVector = 1.5;

// Elements of a vector may lie so many times its length apart, and more where loops over what is
// reduced read what lies between.
constexpr int64_t kMostApart = 2, kMostApartInReductions = 4;

// What decides where a vector lies along a dimension of an instruction: a dimension of the loops,
// of which there may be parts; or the lane alone, in all vectors alike.
constexpr int kLane = -1, kNobodyKnows = -2;

// An instruction, and how far apart the first and the last lane of a vector lie along each of its
// dimensions.
struct Reach {
  const HloInstruction* instruction;
  Sizes along;
  std::vector<int> decided_by;
};

int DecidedBy(const IndexExpr& expr, const Reach& reach) {
  const std::vector<IndexExpr::Term>& terms = expr.terms();
  if (!expr.IsLinear()) return kNobodyKnows;
  if (terms.empty()) return kLane;
  const int first = reach.decided_by[terms[0].variable];
  return absl::c_all_of(
             terms,
             [&](const IndexExpr::Term& term) { return reach.decided_by[term.variable] == first; })
             ? first
             : kNobodyKnows;
}

bool AddOperand(const Reach& reach, const IndexMap& map, const HloInstruction& operand,
                std::vector<Reach>& waiting) {
  const HloOpcode opcode = reach.instruction->opcode();
  const bool has_symbols = opcode == HloOpcode::kDynamicSlice || opcode == HloOpcode::kReduce;
  if (map.sizes.size() != reach.along.size() && !has_symbols) return false;
  // Where a slice begins, and which element of a row is reduced, is the same in all lanes.
  Reach all = reach;
  all.along.resize(map.sizes.size(), 0);
  all.decided_by.resize(map.sizes.size(), kNobodyKnows);
  if (absl::c_any_of(map.guards, [&](const IndexMap::Guard& guard) {
        return DecidedBy(guard.expr, all) == kNobodyKnows;
      })) {
    return false;
  }
  Reach moved = {&operand};
  for (const IndexExpr& expr : map.results) {
    if (!expr.IsLinear()) return false;
    moved.decided_by.push_back(DecidedBy(expr, all));
    int64_t distance = 0;
    for (const IndexExpr::Term& term : expr.terms())
      distance += std::abs(term.factor) * all.along[term.variable];
    moved.along.push_back(distance);
  }
  waiting.push_back(std::move(moved));
  return true;
}

// Single elements lie apart anyway.
bool AddOperandsOfGather(const Reach& reach, std::vector<Reach>& waiting) {
  const HloInstruction& gather = *reach.instruction;
  const auto& sizes = gather.attributes_as<GatherAttributes>().slice_sizes;
  return absl::c_all_of(sizes, [](int64_t size) { return size == 1; }) &&
         absl::c_all_of(StartsOf(gather), [&](const Start& start) {
           return AddOperand(reach, start.index, *gather.operand(start.operand), waiting);
         });
}

// Adds what an instruction reads, whose elements in all lanes must lie no farther apart than
// `most`. False if they do, or nobody knows.
bool AddOperands(const Reach& reach, int64_t most, std::vector<Reach>& waiting) {
  const auto& [instruction, along, decided_by] = reach;
  const Shape& shape = ComputedShape(*instruction);
  if (!shape.IsArray() || primitive_util::IsComplexType(shape.element_type())) return false;
  if (instruction->opcode() == HloOpcode::kIota) return true;
  // One number for all lanes.
  if (absl::c_all_of(along, [](int64_t distance) { return distance == 0; })) return true;
  if (instruction->opcode() == HloOpcode::kParameter ||
      instruction->opcode() == HloOpcode::kConstant) {
    int64_t far = 0, stride = 1;
    for (size_t d = along.size(); d-- > 0; stride *= shape.dimensions(d)) far += along[d] * stride;
    return far < most;
  }
  if (instruction->opcode() == HloOpcode::kGather) return AddOperandsOfGather(reach, waiting);
  const int64_t initial = IsReduction(*instruction) ? instruction->operand_count() / 2 : 0;
  for (int64_t i = 0; i < instruction->operand_count() - initial; ++i) {
    const std::optional<IndexMap> map = OperandMap(*instruction, i);
    if (!map.has_value() || !AddOperand(reach, *map, *instruction->operand(i), waiting))
      return false;
  }
  return instruction->operand_count() > 0;
}

// Whether an update has all elements of what it changes along the last of `merged` dimensions.
bool StoresAdjacent(const HloInstruction& update, size_t merged) {
  const absl::Span<const int64_t> sizes = update.shape().dimensions();
  return sizes.last(merged - 1) == ComputedShape(update).dimensions().last(merged - 1);
}

// Whether all elements that the lanes of the last `merged` dimensions need lie no farther apart
// than `most`, wherever they come from.
bool LanesLieClose(const Kernel& kernel, size_t merged, int64_t lanes, int64_t most) {
  const Sizes& sizes = kernel.sizes;
  Sizes along(sizes.size(), 0);
  std::vector<int> decided_by(sizes.size());
  std::iota(decided_by.begin(), decided_by.end(), 0);
  int64_t inner = 1;
  for (size_t d = sizes.size(); d-- > sizes.size() - merged;) {
    along[d] = std::min(sizes[d], lanes / inner) - 1;
    if (d > sizes.size() - merged) decided_by[d] = kLane;
    inner *= sizes[d];
  }
  std::vector<Reach> waiting;
  for (const HloInstruction* result : ResultsOf(*kernel.computation)) {
    if (ComputedShape(*result).dimensions() != absl::MakeConstSpan(sizes)) return false;
    const bool is_update = result->opcode() == HloOpcode::kDynamicUpdateSlice;
    if (is_update && !StoresAdjacent(*result, merged)) return false;
    waiting.push_back({is_update ? result->operand(1) : result, along, decided_by});
  }
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const Reach next = std::move(waiting.back());
    waiting.pop_back();
    const bool varies = absl::c_any_of(next.along, [](int64_t far) { return far != 0; });
    if (varies && next.instruction->IsElementwise() && !seen.insert(next.instruction).second)
      continue;
    if (!AddOperands(next, most, waiting)) return false;
  }
  return true;
}

int64_t MostRegistersOfRows(const Kernel& kernel) {
  const HloComputation& computation = *kernel.computation;
  const bool gathers = absl::c_any_of(computation.instructions(), [](const HloInstruction* each) {
    return each->opcode() == HloOpcode::kGather;
  });
  if (gathers && Product(kernel.sizes) < kMinGatheredElements) return 1;
  return HasFunctions(computation)
             ? kMaxRegistersOfFunctions
             : std::clamp(kMaxInstructionsOfRows / computation.instruction_count(),
                          kMaxRegistersOfFunctions, kMaxRegistersOfRows);
}

// Functions of angles, of which large ones have code of their own behind a branch.
bool HasFunctionsOfAngles(const HloComputation& computation) {
  return absl::c_any_of(computation.instructions(), [](const HloInstruction* each) {
    const HloOpcode opcode = each->opcode();
    return opcode == HloOpcode::kSin || opcode == HloOpcode::kCos || opcode == HloOpcode::kTan;
  });
}

// Whether rows with such functions use most of vectors of their own. Vectors of several registers
// do not stay in these around branches.
bool FillsOwnVectors(const Kernel& kernel, const Conditions& conditions, int64_t lanes) {
  if (!HasFunctionsOfAngles(*kernel.computation)) return false;
  const int64_t row = kernel.sizes.back();
  // A vector of half as many bits takes half the time of the largest.
  const int64_t least = conditions.target.vector_bits == kDoubledVectorBits ? lanes / 2 : lanes;
  const int64_t own =
      std::max(static_cast<int64_t>(absl::bit_ceil(static_cast<uint64_t>(row))), least);
  return static_cast<double>(row) >= kLeastOwnLanes * static_cast<double>(own);
}

// The last dimensions that a vector covers, from the first of them on, and how many lanes it has.
struct Merged {
  size_t first = 0;
  int64_t lanes = 0;  // 0 where there is no such vector
};

// Rows of `long_row` elements are not short, nor those that fill vectors.
Merged MergedDimensions(const Kernel& kernel, int64_t lanes, int64_t long_row) {
  Merged merged = {kernel.sizes.size() - 1};
  int64_t inner = kernel.sizes.back();
  while (merged.first > 0 && inner > 1 && inner < long_row && inner % lanes != 0) {
    --merged.first;
    const int64_t together = std::lcm(inner, lanes);
    if (kernel.sizes[merged.first] >= together / inner) {
      merged.lanes = together;
      return merged;
    }
    inner *= kernel.sizes[merged.first];
  }
  return merged;
}

// Dimensions whose elements leave the fewest lanes of one vector empty, where that takes clearly
// less registers than rows one by one: 3 x 3 x 3 elements take two of 16 lanes instead of nine.
Merged DimensionsInOneVector(const Kernel& kernel, int64_t lanes, int64_t most_registers) {
  Merged best = {kernel.sizes.size() - 1};
  const int64_t row = kernel.sizes.back();
  double most_in_register = kLeastGainOfOneVector * static_cast<double>(row);
  int64_t inner = row;
  for (size_t first = kernel.sizes.size() - 1; first-- > 0;) {
    inner *= kernel.sizes[first];
    const int64_t registers = CeilOfRatio(inner, lanes);
    if (registers > most_registers) break;
    const double in_register = static_cast<double>(inner) / static_cast<double>(registers);
    if (in_register <= most_in_register) continue;
    most_in_register = in_register;
    best = {first, registers * lanes};
  }
  return best;
}

void SetVector(Kernel& kernel, const Merged& merged, Node& vector) {
  Node& grid = kernel.body[0];
  grid.dimensions.resize(merged.first);
  grid.steps.resize(merged.first);
  vector.dimensions.clear();
  for (size_t d = merged.first; d < kernel.sizes.size(); ++d)
    vector.dimensions.push_back(static_cast<int>(d));
  vector.end = ElementsAlong(kernel, vector);
  vector.lanes = static_cast<int>(merged.lanes);
  vector.tail_lanes = TailLanesFor(vector.end, vector.lanes);
}

// Whether all that a kernel does is to reduce short rows, one after the other, by a function of
// which every step takes long, such as the place of an extreme value.
bool ReducesShortRows(const Kernel& kernel) {
  const Node& grid = kernel.body[0];
  if (grid.kind != Node::Kind::kGrid || !kernel.before.empty() || !kernel.scratch.empty() ||
      kernel.sizes.empty() || grid.dimensions.size() != kernel.sizes.size() ||
      grid.body.size() < 2 || grid.body[0].kind != Node::Kind::kReduce || !grid.body[0].by_rows ||
      grid.body[0].order == Node::Order::kFromNeutral ||
      !std::all_of(grid.body.begin() + 1, grid.body.end(),
                   [](const Node& node) { return node.kind == Node::Kind::kStore; })) {
    return false;
  }
  const int64_t rows = Product(kernel.sizes);
  const int64_t elements = ShapeUtil::ElementsIn(grid.body[0].values[0]->operand(0)->shape());
  return rows >= kMinReducedRows && elements > 0 && elements <= rows * kMaxReducedElements;
}

// Lanes for rows that are reduced, each in order.
void InterleaveShortRows(Kernel& kernel, const Conditions& conditions) {
  const int64_t lanes = LanesFor(*kernel.computation, conditions.target.vector_bits,
                                 std::numeric_limits<int64_t>::max());
  Merged merged = MergedDimensions(kernel, lanes, lanes);
  if (merged.lanes == 0) merged.lanes = lanes;
  if (merged.lanes > kMaxRegistersOfFunctions * lanes || kernel.sizes[merged.first] < lanes ||
      !LanesLieClose(kernel, kernel.sizes.size() - merged.first, merged.lanes,
                     merged.lanes * kMaxReducedElements)) {
    return;
  }
  Node& grid = kernel.body[0];
  Node vector = {Node::Kind::kVector};
  vector.body = std::move(grid.body);
  vector.body[0].by_rows = false;
  vector.body[0].order = Node::Order::kInOrder;
  grid.body = {std::move(vector)};
  SetVector(kernel, merged, grid.body[0]);
}

// Whether all that is reduced is reduced for each lane by itself.
bool InterleavesReductions(const Node& vector) {
  return absl::c_all_of(vector.body, [](const Node& node) {
    return node.kind == Node::Kind::kStore || (node.kind == Node::Kind::kReduce && !node.by_rows);
  });
}

}  // namespace

void MergeShortRows(Kernel& kernel, const Conditions& conditions) {
  if (ReducesShortRows(kernel)) return InterleaveShortRows(kernel, conditions);
  Node* vector = OnlyVector(kernel);
  const bool reduces = HasReductions(kernel);
  if (vector == nullptr || (reduces && !InterleavesReductions(*vector)) ||
      Product(kernel.sizes) < kMinElements) {
    return;
  }
  const int64_t lanes = LanesFor(*kernel.computation, conditions.target.vector_bits,
                                 std::numeric_limits<int64_t>::max());
  const int64_t most_registers = MostRegistersOfRows(kernel);
  Merged merged = MergedDimensions(kernel, lanes, 2 * lanes);
  if (merged.lanes > most_registers * lanes) merged.lanes = 0;
  if (merged.lanes == 0 && !reduces && kernel.sizes.back() < lanes)
    merged = DimensionsInOneVector(kernel, lanes, most_registers);
  if (merged.lanes > lanes && FillsOwnVectors(kernel, conditions, lanes)) merged.lanes = 0;
  if (merged.lanes == 0 ||
      !LanesLieClose(kernel, kernel.sizes.size() - merged.first, merged.lanes,
                     (reduces ? kMostApartInReductions : kMostApart) * merged.lanes)) {
    return;
  }
  SetVector(kernel, merged, *vector);
}

}  // namespace xla::loops
