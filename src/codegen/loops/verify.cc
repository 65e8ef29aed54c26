#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "codegen/loops/kernel.h"
#include "codegen/loops/schedule.h"
#include "xla/util.h"

namespace xla::loops {
namespace {

using Kind = Node::Kind;

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel)
      : kernel_(kernel), is_bound_(kernel.sizes.size(), false) {}

  absl::Status Run() {
    if (kernel_.body.size() != 1 || kernel_.body[0].kind != Kind::kGrid)
      return InvalidArgument("a kernel has one grid");
    for (const Node& node : kernel_.before) HILO_RETURN_IF_ERROR(Visit(node));
    HILO_RETURN_IF_ERROR(Visit(kernel_.body[0]));
    for (const HloInstruction* result : ResultsOf(*kernel_.computation)) {
      if (!seen_.contains(result)) return Missing(*result, "is not stored");
    }
    for (const HloInstruction* each : kernel_.computation->instructions()) {
      if (IsReduction(*each) && !reduced_.contains(each)) return Missing(*each, "is not reduced");
    }
    for (const HloInstruction* each : kernel_.scratch) {
      if (!stored_.contains(each)) return Missing(*each, "is in no loop that stores it");
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status Missing(const HloInstruction& instruction, const char* what) {
    return InvalidArgument("%s %s", instruction.name(), what);
  }

  // ---- Dimensions

  absl::Status Bind(const Node& node) {
    for (int d : node.dimensions) {
      if (is_bound_[d]) return InvalidArgument("two loops run along d%d", d);
      is_bound_[d] = true;
    }
    return absl::OkStatus();
  }
  void Unbind(const Node& node) {
    for (int d : node.dimensions) is_bound_[d] = false;
  }

  // Of adjacent nodes that have parts of one dimension, or of several that are one.
  absl::Status CheckParts(const std::vector<Node>& body) const {
    int64_t covered = 0;
    for (size_t i = 0; i < body.size(); ++i) {
      const Node& part = body[i];
      if (part.kind != Kind::kWhen && part.kind != Kind::kVector) continue;
      if (part.begin != covered || part.end <= part.begin)
        return InvalidArgument("[%d, %d) does not follow %d", part.begin, part.end, covered);
      const bool goes_on = i + 1 < body.size() && body[i + 1].kind == part.kind &&
                           body[i + 1].dimensions == part.dimensions;
      covered = goes_on ? part.end : 0;
      if (!goes_on && part.end != ElementsAlong(kernel_, part))
        return InvalidArgument("parts end at %d of %d", part.end, ElementsAlong(kernel_, part));
    }
    return absl::OkStatus();
  }

  // ---- Nodes

  absl::Status Visit(const Node& node) {
    switch (node.kind) {
      case Kind::kGrid:
        if (node.steps.size() != node.dimensions.size() || depth_ > 0)
          return InvalidArgument("a grid has a step for each dimension and is inside of no loop");
        return VisitLoop(node);
      case Kind::kVector:
        HILO_RETURN_IF_ERROR(CheckLanes(node));
        HILO_RETURN_IF_ERROR(CheckScratch(node));
        return VisitLoop(node);
      case Kind::kLoop:
        return VisitLoop(node);
      case Kind::kWhen:
        if (!is_bound_[node.dimensions[0]])
          return InvalidArgument("no loop around it runs along d%d", node.dimensions[0]);
        return VisitBody(node);
      case Kind::kTile:
        return VisitTile(node);
      case Kind::kReduce:
        return VisitReduce(node);
      case Kind::kStore:
        return VisitStore(node);
    }
    return absl::OkStatus();
  }

  absl::Status VisitLoop(const Node& node) {
    HILO_RETURN_IF_ERROR(Bind(node));
    HILO_RETURN_IF_ERROR(VisitBody(node));
    Unbind(node);
    return absl::OkStatus();
  }

  absl::Status VisitBody(const Node& node) {
    if (node.body.empty()) return InvalidArgument("a loop has nothing to do");
    ++depth_;
    HILO_RETURN_IF_ERROR(CheckParts(node.body));
    for (const Node& inner : node.body) HILO_RETURN_IF_ERROR(Visit(inner));
    --depth_;
    return absl::OkStatus();
  }

  static absl::Status CheckLanes(const Node& node) {
    if (node.dimensions.empty()) return InvalidArgument("a vector lies along some dimension");
    if (node.lanes == 0) return absl::OkStatus();
    const int64_t tail = (node.end - node.begin) % node.lanes;
    const bool fits =
        tail == 0 ? node.tail_lanes == 0 : node.tail_lanes >= tail && node.tail_lanes <= node.lanes;
    if (!fits)
      return InvalidArgument("%d elements do not fit a tail of %d lanes", tail, node.tail_lanes);
    return absl::OkStatus();
  }

  absl::Status CheckScratch(const Node& node) {
    for (const HloInstruction* each : node.loads) {
      if (!stored_.contains(each)) return Missing(*each, "is loaded before it is stored");
    }
    for (const HloInstruction* each : node.stores) {
      if (!absl::c_linear_search(kernel_.scratch, each))
        return Missing(*each, "has no scratch memory");
      if (!stored_.insert(each).second) return Missing(*each, "is stored in two loops");
    }
    return absl::OkStatus();
  }

  absl::Status VisitTile(const Node& tile) {
    const int d = tile.dimensions[0];
    const Node& grid = kernel_.body[0];
    const auto at = absl::c_find(grid.dimensions, d);
    if (at == grid.dimensions.end() || grid.steps[at - grid.dimensions.begin()] != tile.lanes)
      return InvalidArgument("a tile of %d lanes needs units of as many along d%d", tile.lanes, d);
    if (tile.rows < 1 || tile.rows > tile.lanes)
      return InvalidArgument("a tile of %d lanes has no %d rows", tile.lanes, tile.rows);
    for (const HloInstruction* each : tile.values) {
      if (each->opcode() != HloOpcode::kTranspose) return Missing(*each, "is no transpose");
    }
    return VisitBody(tile);
  }

  absl::Status VisitReduce(const Node& node) {
    HILO_RETURN_IF_ERROR(CheckScratch(node));
    for (const HloInstruction* reduce : node.values) {
      if (!IsReduction(*reduce)) return Missing(*reduce, "is no reduction over dimensions");
      if (absl::c_count(is_bound_, true) != ComputedShape(*reduce).dimensions_size())
        return Missing(*reduce, "keeps other dimensions than those of the loops around it");
      if (!reduced_.insert(reduce).second) return Missing(*reduce, "is reduced twice");
    }
    for (const HloInstruction* reduce : node.values) {
      if (const HloInstruction* missing = MissingFor(*reduce); missing != nullptr)
        return Missing(*missing, "is needed before it is reduced");
    }
    return absl::OkStatus();
  }

  // A reduction that an instruction needs and that is not there yet.
  const HloInstruction* MissingFor(const HloInstruction& instruction) const {
    Values waiting(instruction.operands().begin(), instruction.operands().end());
    absl::flat_hash_set<const HloInstruction*> seen;
    while (!waiting.empty()) {
      const HloInstruction& each = *waiting.back();
      waiting.pop_back();
      if (!seen.insert(&each).second) continue;
      if (!IsReduction(each)) {
        waiting.insert(waiting.end(), each.operands().begin(), each.operands().end());
      } else if (!reduced_.contains(&each)) {
        return &each;
      }
    }
    return nullptr;
  }

  absl::Status VisitStore(const Node& store) {
    const HloInstruction& result = *store.values[0];
    int64_t number = 0;
    for (const HloInstruction* each : ResultsOf(*kernel_.computation)) {
      if (number == store.result && each == &result) number = -1;
      if (number < 0) break;
      number += ArraysOf(*each);
    }
    if (number >= 0) return Missing(result, "is not the result of this number");
    if (absl::c_count(is_bound_, true) != ComputedShape(result).dimensions_size())
      return Missing(result, "has other dimensions than the loops around it");
    if (IsReduction(result) ? !reduced_.contains(&result) : MissingFor(result) != nullptr)
      return Missing(result, "is stored before everything is reduced that it needs");
    seen_.insert(&result);
    return absl::OkStatus();
  }

  const Kernel& kernel_;
  std::vector<bool> is_bound_;
  int depth_ = 0;
  absl::flat_hash_set<const HloInstruction*> seen_, reduced_, stored_;
};

}  // namespace

absl::Status Verify(const Kernel& kernel) { return Verifier(kernel).Run(); }

}  // namespace xla::loops
