#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "codegen/loops/kernel.h"
#include "codegen/loops/schedule.h"
#include "ir/records.h"
#include "passes/reducer.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::loops {
namespace {

using Kind = Node::Kind;

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel)
      : kernel_(kernel), is_bound_(kernel.sizes.size(), false), is_clipped_(is_bound_) {}

  absl::Status Run() {
    const bool has_product = ProductIn(*kernel_.computation) != nullptr;
    if (kernel_.body.size() != 1 ||
        kernel_.body[0].kind != (has_product ? Kind::kProduct : Kind::kGrid)) {
      return InvalidArgument("a kernel has one %s", has_product ? "product" : "grid");
    }
    for (const Node& node : kernel_.before) HILO_RETURN_IF_ERROR(Visit(node));
    HILO_RETURN_IF_ERROR(Visit(kernel_.body[0]));
    for (const HloInstruction* result : ResultsOf(*kernel_.computation)) {
      const bool has_no_updates = IsScattered(*result) &&
                                  ShapeUtil::IsZeroElementArray(ComputedShape(*result)) &&
                                  ArraysOf(*result) == static_cast<int64_t>(initial_.size());
      if (!seen_.contains(result) && !has_no_updates) return Missing(*result, "is not stored");
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
        if (node.is_range && node.dimensions.size() + (node.strip > 0 ? 1 : 0) != 1)
          return InvalidArgument("a range of units lies along one dimension");
        return node.is_range ? VisitBody(node) : VisitLoop(node);
      case Kind::kProduct:
        return VisitProduct(node);
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
      case Kind::kScan:
        return VisitScan(node);
      case Kind::kSelect:
        return VisitSelect(node);
      case Kind::kScatter:
        return VisitScatter(node);
      case Kind::kStore:
        return VisitStore(node);
    }
    return absl::OkStatus();
  }

  absl::Status VisitLoop(const Node& node) {
    HILO_RETURN_IF_ERROR(Bind(node));
    if (node.is_clipped && (scatter_ == nullptr || node.dimensions.size() > 1))
      return InvalidArgument("a loop along d%d is clipped outside of a scatter",
                             node.dimensions[0]);
    for (int d : node.dimensions) is_clipped_[d] = node.is_clipped;
    HILO_RETURN_IF_ERROR(VisitBody(node));
    Unbind(node);
    return absl::OkStatus();
  }

  absl::Status VisitProduct(const Node& node) {
    if (depth_ > 0) return InvalidArgument("a product is inside of no loop");
    const HloInstruction& product = *node.values[0];
    if (!IsProduct(product)) return Missing(product, "is not computed in blocks");
    std::vector<int> order = OrderOfElements(product, kernel_.sizes);
    if (order.empty()) return Missing(product, "is not read element by element");
    order.pop_back();
    if (node.dimensions != order) return Missing(product, "has rows in another order");
    return VisitLoop(node);
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
    const int64_t tail =
        node.is_clipped || node.folds_tail ? 0 : (node.end - node.begin) % node.lanes;
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
    const int64_t step = at == grid.dimensions.end() ? 0 : grid.steps[at - grid.dimensions.begin()];
    if (!tile.values.empty() && step != tile.lanes)
      return InvalidArgument("a tile of %d lanes needs units of as many along d%d", tile.lanes, d);
    if (tile.rows < 1 || tile.rows > step)
      return InvalidArgument("a tile in units of %d along d%d has no %d rows", step, d, tile.rows);
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

  // ---- Scans and scatters

  absl::Status VisitScan(const Node& node) {
    const HloInstruction& scan = *node.values[0];
    if (!IsScan(scan)) return Missing(scan, "is no running reduction");
    if (node.dimensions.size() != 1) return Missing(scan, "runs along one dimension");
    const WindowDimension& window = scan.window().dimensions(node.dimensions[0]);
    const int64_t padding = node.is_reversed ? window.padding_high() : window.padding_low();
    const int64_t size = scan.operand(0)->shape().dimensions(node.dimensions[0]);
    if (window.size() == 1 || node.begin != std::min(window.size() - 1 - padding, size))
      return Missing(scan, "runs in another way");
    const bool is_last = node.dimensions[0] + 1 == static_cast<int>(kernel_.sizes.size());
    if (node.lanes > 1 && !(is_last && passes::IsAssociative(*scan.to_apply())))
      return Missing(scan, "is folded one element after the other");
    reduced_.insert(&scan);
    return VisitLoop(node);
  }

  // Whether a node goes through what is computed for the result, and in loops.
  absl::Status CheckIndex(const Node& node, HloOpcode opcode) const {
    const HloInstruction& result = *node.values[0];
    if (result.opcode() != opcode) return Missing(result, "is another operation");
    Sizes sizes;
    for (int d : node.dimensions) sizes.push_back(kernel_.sizes[d]);
    if (absl::MakeConstSpan(sizes) != ComputedShape(result).dimensions())
      return Missing(result, "has other dimensions than these");
    return absl::OkStatus();
  }
  bool AreBound(const std::vector<int>& dimensions) const {
    return absl::c_all_of(dimensions, [&](int d) { return is_bound_[d]; });
  }

  absl::Status VisitSelect(const Node& node) {
    HILO_RETURN_IF_ERROR(CheckIndex(node, HloOpcode::kSelectAndScatter));
    if (!AreBound(node.dimensions)) return Missing(*node.values[0], "is in other loops");
    const Node& grid = kernel_.body[0];
    const bool is_divided = absl::c_all_of(
        grid.dimensions, [&](int d) { return absl::c_linear_search(node.dimensions, d); });
    if (!is_divided || grid.is_range || grid.strip > 0)
      return Missing(*node.values[0], "has windows that several units see");
    reduced_.insert(node.values[0]);
    return absl::OkStatus();
  }

  absl::Status VisitScatter(const Node& node) {
    HILO_RETURN_IF_ERROR(CheckIndex(node, HloOpcode::kScatter));
    const Node& grid = kernel_.body[0];
    const Sizes windows = WindowDimensions(*node.values[0]);
    const bool is_divided =
        absl::c_none_of(grid.dimensions, [&](int d) { return absl::c_linear_search(windows, d); });
    // Units may have what the array and all updates have alike.
    const auto& indexed =
        node.values[0]->attributes_as<ScatterAttributes>().scatter_dims_to_operand_dims;
    const bool has_own =
        grid.strip == 0 && absl::c_all_of(grid.dimensions, [&](int d) {
          return absl::c_linear_search(node.dimensions, d) && !absl::c_linear_search(indexed, d);
        });
    if (grid.is_range ? !is_divided : !has_own)
      return Missing(*node.values[0], "has updates that several units see");
    scatter_ = &node;
    HILO_RETURN_IF_ERROR(VisitBody(node));
    scatter_ = nullptr;
    return absl::OkStatus();
  }

  // What is there before elements are scattered.
  absl::Status VisitInitial(const HloInstruction& root, const Node& store) {
    const HloInstruction& value = *store.values[0];
    const bool is_scatter = root.opcode() == HloOpcode::kScatter;
    const int64_t operand = is_scatter ? store.result : 2;
    if (store.result >= ArraysOf(root) || root.operand(operand) != &value)
      return Missing(value, "is not what is there first");
    std::vector<int> index(root.operand(0)->shape().dimensions_size());
    absl::c_iota(index, 0);
    if (!AreBound(index)) return Missing(value, "has other dimensions than the loops around it");
    initial_.insert(store.result);
    return absl::OkStatus();
  }

  // Parameters of scatters are there first. Loops run along windows no farther than the array
  // reaches.
  absl::Status CheckScattered(const HloInstruction& result) const {
    const bool is_scatter = result.opcode() == HloOpcode::kScatter;
    for (int64_t k = 0; k < ArraysOf(result); ++k) {
      const bool is_there = is_scatter && result.operand(k)->opcode() == HloOpcode::kParameter;
      if (!is_there && !initial_.contains(k))
        return Missing(result, "is scattered before something is there");
    }
    if (!is_scatter) {
      return reduced_.contains(&result) ? absl::OkStatus()
                                        : Missing(result, "is stored before it is chosen");
    }
    if (scatter_ == nullptr || !AreBound(scatter_->dimensions))
      return Missing(result, "is stored in no window of a scatter");
    const auto& attributes = result.attributes_as<ScatterAttributes>();
    const Sizes windows = WindowDimensions(result);
    for (size_t i = 0; i < windows.size(); ++i) {
      const int d = scatter_->dimensions[attributes.update_window_dims[i]];
      const bool may_be_outside =
          absl::c_linear_search(attributes.scatter_dims_to_operand_dims, windows[i]);
      if (may_be_outside != is_clipped_[d])
        return InvalidArgument("the loop along d%d %s", d,
                               may_be_outside ? "is not clipped" : "is clipped");
    }
    return absl::OkStatus();
  }

  absl::Status VisitStore(const Node& store) {
    const HloInstruction& result = *store.values[0];
    const HloInstruction& root = *kernel_.computation->root_instruction();
    if (IsScattered(root) && &result != &root) return VisitInitial(root, store);
    int64_t number = 0;
    for (const HloInstruction* each : ResultsOf(*kernel_.computation)) {
      if (number == store.result && each == &result) number = -1;
      if (number < 0) break;
      number += ArraysOf(*each);
    }
    if (number >= 0) return Missing(result, "is not the result of this number");
    if (absl::c_count(is_bound_, true) != ComputedShape(result).dimensions_size())
      return Missing(result, "has other dimensions than the loops around it");
    if (IsReduction(result) || IsScan(result) ? !reduced_.contains(&result)
                                              : MissingFor(result) != nullptr)
      return Missing(result, "is stored before everything is reduced that it needs");
    if (IsScattered(result)) HILO_RETURN_IF_ERROR(CheckScattered(result));
    seen_.insert(&result);
    return absl::OkStatus();
  }

  const Kernel& kernel_;
  std::vector<bool> is_bound_, is_clipped_;
  const Node* scatter_ = nullptr;  // around the node that is visited
  absl::flat_hash_set<int64_t> initial_;
  int depth_ = 0;
  absl::flat_hash_set<const HloInstruction*> seen_, reduced_, stored_;
};

}  // namespace

absl::Status Verify(const Kernel& kernel) { return Verifier(kernel).Run(); }

}  // namespace xla::loops
