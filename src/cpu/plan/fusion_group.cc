#include "cpu/plan/fusion_group.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "cpu/plan/fusion_rules.h"
#include "passes/cost.h"
#include "xla/shape_util.h"

namespace xla::cpu::fusion {
namespace {

using passes::Decision;

// What a scatter of single elements may compute for each of them besides.
constexpr double kMostCostOfOneIndex = 2;
constexpr int kMostInstructionsOfOneIndex = 12;
// With fewer rows, too few threads have something to do, unless there is little to do.
constexpr int64_t kMinRows = 8;
constexpr int64_t kFewElements = 32 * 1024;
// Functions of the results of rows, which are reduced one after the other, are worth a kernel that
// computes them in vectors if they cost so many additions in all.
constexpr double kAdditionsWorthVectors = 512;

// How many rows are reduced, and of how many elements.
std::pair<int64_t, int64_t> RowsOf(const Group& group) {
  int64_t rows = 1, columns = 1;
  for (size_t d = 0; d < group.loops.size(); ++d)
    (static_cast<int>(d) < group.row_rank ? rows : columns) *= group.loops[d];
  return {rows, columns};
}

}  // namespace

Sizes SizesOf(const Shape& shape) {
  Sizes sizes;
  for (int64_t size : shape.dimensions()) {
    if (size != 1) sizes.push_back(size);
  }
  return sizes;
}
int Rank(const Shape& shape) { return static_cast<int>(SizesOf(shape).size()); }

void CountFunction(Group& group, const HloInstruction& instruction, int place) {
  if (place == static_cast<int>(group.loops.size()) && passes::HasManyInstructions(instruction))
    group.additions_of_functions += passes::AdditionsOfElement(instruction);
}

void AddReduction(Group& group, const HloInstruction& reduce) {
  if (ReducesLastDimensions(reduce)) {
    group.row_rank = static_cast<int>(group.loops.size());
    group.loops = SizesOf(reduce.operand(0)->shape());
  } else {
    group.reduce = &reduce;
  }
}

bool IsSameReduction(const HloInstruction& reduce, const Group& group) {
  return group.reduce != nullptr && reduce.dimensions() == group.reduce->dimensions() &&
         ShapeUtil::SameDimensions(reduce.operand(0)->shape(), group.reduce->operand(0)->shape());
}

Decision CanReduceIn(const HloInstruction& reduce, const Group& group, const Use& use) {
  const Decision other_loops = Decision::No(
      "it is a reduction, and its results are not those of the kernel's loops or rows");
  const Decision two_reductions = Decision::No("the kernel reduces other dimensions");
  if (group.is_closed || use.place == kElsewhere || use.place == kInReduction) return other_loops;
  const Sizes operand = SizesOf(reduce.operand(0)->shape());
  if (absl::c_linear_search(operand, 0)) return Decision::No("it is a reduction of no elements");
  const int kept = Rank(reduce.shape());
  const bool is_alone = group.row_rank < 0 && group.reduce == nullptr;
  if (!ReducesLastDimensions(reduce)) {
    if (kept == 0 || use.place != static_cast<int>(group.loops.size())) return other_loops;
    return is_alone || IsSameReduction(reduce, group) ? Decision::Yes() : two_reductions;
  }
  const int64_t elements = ShapeUtil::ElementsIn(reduce.operand(0)->shape());
  const int64_t rows = ShapeUtil::ElementsIn(reduce.shape());
  if (group.reduce != nullptr) return two_reductions;
  if (use.place != kept) return other_loops;
  if (elements / rows < kMinFusedRow)
    return Decision::No("its rows of $0 elements are better reduced interleaved",
                        static_cast<double>(elements / rows));
  if (rows < kMinRows && elements > kFewElements)
    return Decision::No("its $0 rows are too few for several threads", static_cast<double>(rows));
  if (kept == static_cast<int>(group.loops.size())) {
    if (!is_alone) return two_reductions;
    const double additions = static_cast<double>(rows) * group.additions_of_functions;
    if (additions < kAdditionsWorthVectors) return Decision::Yes();
    return Decision::No("functions of its results, of $0 additions, are computed in vectors",
                        additions);
  }
  if (group.loops != operand) return other_loops;
  return group.row_rank < 0 || group.row_rank == kept ? Decision::Yes() : two_reductions;
}

bool HasManyLongRows(const Group& group) {
  const auto [rows, columns] = RowsOf(group);
  return rows >= kMinRows && columns >= kMinFusedRow;
}
bool HasShortRows(const Group& group) {
  return group.row_rank >= 0 && RowsOf(group).second < kMinFusedRow;
}

int OutputRank(const Group& group) {
  int rank = 0;
  for (const HloInstruction* output : group.outputs) rank = std::max(rank, Rank(output->shape()));
  return rank;
}

int64_t ShortRowFor(const Use& use, const Group& group) {
  if (use.place < 1 || use.place >= static_cast<int>(group.loops.size())) return 0;
  const int64_t row = Product(absl::MakeConstSpan(group.loops).subspan(use.place));
  return row < kMinFusedRow ? row : 0;
}

bool IsLongForOneIndex(const HloInstruction& instruction, const Group& group) {
  const HloInstruction& root = *group.outputs[0];
  return root.opcode() == HloOpcode::kScatter &&
         root.attributes_as<ScatterAttributes>().update_window_dims.empty() &&
         (passes::CostOfElement(instruction) > kMostCostOfOneIndex ||
          group.instructions >= kMostInstructionsOfOneIndex);
}

}  // namespace xla::cpu::fusion
