// Which computation calls which, and how.
#ifndef XLA_SERVICE_CALL_GRAPH_H_
#define XLA_SERVICE_CALL_GRAPH_H_

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {

std::ostream& operator<<(std::ostream& out, CallContext context);

// An instruction that calls. Of an asynchronous call it is the start alone.
class CallSite {
 public:
  CallSite(HloInstruction* instruction, absl::Span<HloComputation* const> called_computations,
           CallContext context)
      : instruction_(instruction),
        called_computations_(called_computations.begin(), called_computations.end()),
        context_(context) {}

  HloInstruction* instruction() const { return instruction_; }
  absl::Span<HloComputation* const> called_computations() const { return called_computations_; }
  CallContext context() const { return context_; }
  std::string ToString() const;

 private:
  HloInstruction* instruction_;
  std::vector<HloComputation*> called_computations_;
  CallContext context_;
};

// One computation. One that nobody calls counts as called by control flow, and whatever is called
// within what is called on elements is so, too. Lists have each computation once, in the order in
// which instructions were added.
class CallGraphNode {
 public:
  explicit CallGraphNode(HloComputation* computation) : computation_(computation) {}

  HloComputation* computation() const { return computation_; }
  // The calls in this computation, and what they call.
  absl::Span<const CallSite> callsites() const { return callsites_; }
  const CallSite* GetCallSite(const HloInstruction* instruction) const;
  absl::Span<HloComputation* const> callees() const { return callees_; }
  // The calls of this computation, and where they stand.
  absl::Span<const CallSite> caller_callsites() const { return caller_callsites_; }
  absl::Span<HloComputation* const> callers() const { return callers_; }
  CallContext context() const { return context_; }
  // The length of the longest call chain that ends here; 0 where nobody calls.
  int64_t depth() const { return depth_; }
  absl::string_view execution_thread() const { return computation_->execution_thread(); }
  std::string ToString() const;

 private:
  friend class CallGraph;

  HloComputation* computation_;
  std::vector<CallSite> callsites_;
  std::vector<CallSite> caller_callsites_;
  std::vector<HloComputation*> callees_;
  std::vector<HloComputation*> callers_;
  absl::flat_hash_map<const HloInstruction*, int64_t> site_numbers_;
  CallContext context_ = CallContext::kNone;
  int64_t depth_ = 0;
};

// The graph of a module as it was when it was built.
class CallGraph {
 public:
  using VisitorFunction = absl::FunctionRef<absl::Status(const CallGraphNode&)>;

  // Of the execution threads that are named, or of all.
  static std::unique_ptr<CallGraph> Build(
      const HloModule* module,
      const absl::flat_hash_set<absl::string_view>& execution_threads = {});

  // CHECKs that the module had the computation.
  const CallGraphNode& GetNode(const HloComputation* computation) const;
  CallGraphNode& GetNode(const HloComputation* computation);
  // In the order of the module.
  const std::vector<CallGraphNode>& nodes() const { return nodes_; }

  // Callees before callers; ends with the first error. Unless asked for, what the entry does not
  // need is left out.
  absl::Status VisitNodes(VisitorFunction visitor_func, bool visit_unreachable_nodes = true) const;

  // Whether every chain of calls from a computation that nobody calls to `b` passes through `a`, as
  // it does to itself.
  bool Dominates(const HloComputation* a, const HloComputation* b) const;
  // Whether `a` calls `b`, directly or not; true for one and the same.
  bool CanReach(const HloComputation* a, const HloComputation* b) const;
  // Whether the instruction is in the computation or in one that is reachable through it alone.
  bool InstructionIsNestedIn(const HloInstruction* instruction,
                             const HloComputation* computation) const;
  // The instructions of one computation that are, or call, `a` and `b`, going up while there is one
  // caller. Nulls where there is no such computation.
  std::pair<HloInstruction*, HloInstruction*> NearestAncestorsInSameComputation(
      HloInstruction* a, HloInstruction* b) const;
  // The computations that lead to both and from which no other one that does so can be reached.
  absl::flat_hash_set<const HloComputation*> NearestCommonAncestorComputations(
      absl::Span<const HloComputation* const> computations) const;

  // Whether each computation called by control flow has one caller.
  bool IsFlattened() const;
  std::vector<HloInstruction*> GetComputationCallers(const HloComputation* computation) const;
  std::string ToString() const;

 private:
  // `start` as well.
  absl::flat_hash_set<const HloComputation*> ReachableFrom(const HloComputation* start) const;
  void Connect();
  void SetContexts();

  std::vector<CallGraphNode> nodes_;
  std::vector<int64_t> post_order_;  // numbers of nodes
  absl::flat_hash_map<const HloComputation*, int64_t> numbers_;
  const HloComputation* entry_ = nullptr;
};

}  // namespace xla

#endif  // XLA_SERVICE_CALL_GRAPH_H_
