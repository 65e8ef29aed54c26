#include "cpu/plan/split_reductions.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "data/sizes.h"
#include "passes/graph_builder.h"
#include "passes/reducer.h"
#include "passes/replace.h"
#include "passes/simplify/match.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kMinElements = 64 * 1024;
// So many units of work keep the threads busy; columns are taken by so many as one.
constexpr int64_t kEnoughUnits = 8;
constexpr int64_t kColumnsASplitUnit = 128;
// The results of this many blocks fit registers; those of columns lie in memory.
constexpr int64_t kMaxBlocks = 64;
constexpr int64_t kMaxBlocksOfColumns = 32;

bool IsReducedDimension(const HloInstruction& reduce, int64_t d) {
  return absl::c_linear_search(reduce.dimensions(), d);
}

// How many neighbours in memory belong to different results.
int64_t Columns(const HloInstruction& reduce) {
  const Shape& input = reduce.operand(0)->shape();
  int64_t columns = 1;
  for (int64_t d = input.dimensions_size() - 1; d >= 0; --d) {
    if (IsReducedDimension(reduce, d) && input.dimensions(d) > 1) break;
    columns *= input.dimensions(d);
  }
  return columns;
}

class ReductionSplitter {
 public:
  HloInstruction* Split(HloInstruction& reduce) {
    if (reduce.opcode() != HloOpcode::kReduce || !reduce.shape().IsArray()) return nullptr;
    const Shape& input = reduce.operand(0)->shape();
    if (ShapeUtil::ElementsIn(input) < kMinElements) return nullptr;
    const int64_t results = ShapeUtil::ElementsIn(reduce.shape());
    const int64_t columns = Columns(reduce);
    if (results / columns * ((columns + kColumnsASplitUnit - 1) / kColumnsASplitUnit) >=
        kEnoughUnits)
      return nullptr;
    const std::optional<Literal> neutral =
        passes::NeutralElement(*reduce.to_apply(), input.element_type());
    if (!neutral) return nullptr;

    // The dimensions of the blocks, of what each block reduces, and of their results.
    int64_t most_blocks = columns > 1 ? kMaxBlocksOfColumns : kMaxBlocks / results;
    Sizes sizes, inner, outer;
    int64_t kept = 0;
    for (int64_t d = 0; d < input.dimensions_size(); ++d) {
      int64_t rest = input.dimensions(d);
      if (!IsReducedDimension(reduce, d)) {
        sizes.push_back(rest);
        ++kept;
        continue;
      }
      if (const int64_t blocks = LargestDivisor(rest, most_blocks); blocks > 1) {
        sizes.push_back(blocks);
        outer.push_back(kept++);
        rest /= blocks;
        most_blocks = rest > 1 ? 1 : most_blocks / blocks;
      }
      inner.push_back(static_cast<int64_t>(sizes.size()));
      sizes.push_back(rest);
    }
    if (outer.empty()) return nullptr;

    passes::GraphBuilder b(reduce);
    HloInstruction* blocks = Reshaped(b, reduce.mutable_operand(0), sizes);
    HloInstruction* none = b.Constant(neutral->Clone());
    Sizes result_sizes;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (!absl::c_linear_search(inner, static_cast<int64_t>(d))) result_sizes.push_back(sizes[d]);
    }
    HloInstruction* parts = b.Add(HloInstruction::CreateReduce(
        ShapeUtil::MakeShape(reduce.shape().element_type(), result_sizes), blocks, none, inner,
        reduce.to_apply()));
    return b.Add(HloInstruction::CreateReduce(reduce.shape(), parts, reduce.mutable_operand(1),
                                              outer, reduce.to_apply()));
  }

 private:
  // Computed in the new dimensions where nobody else needs it, so that reductions of what is
  // computed from one array read that array in the same way.
  HloInstruction* Reshaped(passes::GraphBuilder& b, HloInstruction* x, const Sizes& sizes) {
    const std::pair<const HloInstruction*, Sizes> key = {x, sizes};
    if (const auto found = reshaped_.find(key); found != reshaped_.end()) return found->second;
    HloInstruction* reshaped;
    if (passes::IsSplat(*x)) {
      reshaped = b.Broadcast(x->mutable_operand(0), sizes);
    } else if (x->IsElementwise() && x->operand_count() > 0 && x->user_count() == 1 &&
               x->opcode() != HloOpcode::kFusion) {
      std::vector<HloInstruction*> operands;
      for (HloInstruction* operand : x->operands()) {
        operands.push_back(ShapeUtil::IsScalar(operand->shape()) ? operand
                                                                 : Reshaped(b, operand, sizes));
      }
      reshaped = b.Add(x->CloneWithNewOperands(
          ShapeUtil::MakeShape(x->shape().element_type(), sizes), operands));
    } else {
      reshaped = b.Reshape(x, sizes);
    }
    reshaped_[key] = reshaped;
    return reshaped;
  }

  absl::flat_hash_map<std::pair<const HloInstruction*, Sizes>, HloInstruction*> reshaped_;
};

}  // namespace

absl::StatusOr<bool> SplitReductions(HloModule& module) {
  ReductionSplitter splitter;
  return passes::ReplaceEach(module, [&](HloInstruction& each) -> absl::StatusOr<HloInstruction*> {
    return splitter.Split(each);
  });
}

}  // namespace xla::cpu
