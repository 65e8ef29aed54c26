#include "xla/service/call_graph.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace xla {
namespace {

CallContext Union(CallContext a, CallContext b) {
  if (a == CallContext::kNone || a == b) return b;
  return b == CallContext::kNone ? a : CallContext::kBoth;
}

CallContext ContextOf(const HloInstruction& caller) {
  if (caller.opcode() == HloOpcode::kAsyncStart) return CallContext::kControlFlow;
  const CallContext context = GetInstructionCallContext(caller.opcode());
  return context == CallContext::kNone ? CallContext::kEmbedded : context;
}

void AddOnce(std::vector<HloComputation*>& list, HloComputation* computation) {
  if (!absl::c_linear_search(list, computation)) list.push_back(computation);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, CallContext context) {
  return out << CallContextToString(context);
}

std::string CallSite::ToString() const {
  return absl::StrCat(instruction_->name(), " calls in context ", CallContextToString(context_),
                      ": ",
                      absl::StrJoin(called_computations_, ", ",
                                    [](std::string* text, const HloComputation* computation) {
                                      absl::StrAppend(text, computation->name());
                                    }));
}

const CallSite* CallGraphNode::GetCallSite(const HloInstruction* instruction) const {
  const auto found = site_numbers_.find(instruction);
  return found == site_numbers_.end() ? nullptr : &callsites_[found->second];
}

std::string CallGraphNode::ToString() const {
  std::string text = absl::StrCat(computation_->name(), " (", CallContextToString(context_),
                                  ", depth ", depth_, ")\n");
  for (const CallSite& site : callsites_) absl::StrAppend(&text, "  ", site.ToString(), "\n");
  return text;
}

std::unique_ptr<CallGraph> CallGraph::Build(
    const HloModule* module, const absl::flat_hash_set<absl::string_view>& execution_threads) {
  auto graph = std::make_unique<CallGraph>();
  graph->entry_ = module->entry_computation();
  for (HloComputation* computation : module->computations(execution_threads)) {
    graph->numbers_[computation] = static_cast<int64_t>(graph->nodes_.size());
    graph->nodes_.emplace_back(computation);
  }
  for (const HloComputation* computation : module->MakeComputationPostOrder(execution_threads)) {
    graph->post_order_.push_back(graph->numbers_.at(computation));
  }
  graph->Connect();
  graph->SetContexts();
  return graph;
}

void CallGraph::Connect() {
  for (CallGraphNode& node : nodes_) {
    for (HloInstruction* instruction : node.computation_->instructions()) {
      if (instruction->opcode() == HloOpcode::kAsyncUpdate ||
          instruction->opcode() == HloOpcode::kAsyncDone) {
        continue;
      }
      std::vector<HloComputation*> callees;
      for (HloComputation* callee : instruction->called_computations()) {
        if (numbers_.contains(callee)) callees.push_back(callee);
      }
      if (callees.empty()) continue;
      node.site_numbers_[instruction] = static_cast<int64_t>(node.callsites_.size());
      const CallSite site(instruction, callees, ContextOf(*instruction));
      node.callsites_.push_back(site);
      for (HloComputation* callee : callees) {
        AddOnce(node.callees_, callee);
        CallGraphNode& called = GetNode(callee);
        AddOnce(called.callers_, node.computation_);
        // A call that takes one computation twice stands once.
        if (called.caller_callsites_.empty() ||
            called.caller_callsites_.back().instruction() != instruction) {
          called.caller_callsites_.push_back(site);
        }
      }
    }
  }
}

void CallGraph::SetContexts() {
  for (auto number = post_order_.rbegin(); number != post_order_.rend(); ++number) {
    CallGraphNode& node = nodes_[*number];
    if (node.callers_.empty()) node.context_ = CallContext::kControlFlow;
    for (const CallSite& site : node.callsites_) {
      const CallContext context =
          node.context_ == CallContext::kEmbedded ? CallContext::kEmbedded : site.context();
      for (const HloComputation* callee : site.called_computations()) {
        CallGraphNode& called = GetNode(callee);
        called.context_ = Union(called.context_, context);
        called.depth_ = std::max(called.depth_, node.depth_ + 1);
      }
    }
  }
}

const CallGraphNode& CallGraph::GetNode(const HloComputation* computation) const {
  const auto found = numbers_.find(computation);
  CHECK(found != numbers_.end()) << computation->name() << " is not in the call graph";
  return nodes_[found->second];
}

CallGraphNode& CallGraph::GetNode(const HloComputation* computation) {
  return const_cast<CallGraphNode&>(static_cast<const CallGraph&>(*this).GetNode(computation));
}

absl::flat_hash_set<const HloComputation*> CallGraph::ReachableFrom(
    const HloComputation* start) const {
  absl::flat_hash_set<const HloComputation*> seen = {start};
  std::vector<const HloComputation*> waiting = {start};
  while (!waiting.empty()) {
    const HloComputation* computation = waiting.back();
    waiting.pop_back();
    for (const HloComputation* callee : GetNode(computation).callees()) {
      if (seen.insert(callee).second) waiting.push_back(callee);
    }
  }
  return seen;
}

absl::Status CallGraph::VisitNodes(VisitorFunction visitor_func,
                                   bool visit_unreachable_nodes) const {
  absl::flat_hash_set<const HloComputation*> reachable;
  if (!visit_unreachable_nodes) reachable = ReachableFrom(entry_);
  for (const int64_t number : post_order_) {
    const CallGraphNode& node = nodes_[number];
    if (!visit_unreachable_nodes && !reachable.contains(node.computation_)) continue;
    HILO_RETURN_IF_ERROR(visitor_func(node));
  }
  return absl::OkStatus();
}

bool CallGraph::CanReach(const HloComputation* a, const HloComputation* b) const {
  return ReachableFrom(a).contains(b);
}

bool CallGraph::Dominates(const HloComputation* a, const HloComputation* b) const {
  // Going up from b without passing a must not end.
  absl::flat_hash_set<const HloComputation*> seen = {b};
  std::vector<const HloComputation*> waiting = {b};
  while (!waiting.empty()) {
    const HloComputation* computation = waiting.back();
    waiting.pop_back();
    if (computation == a) continue;
    const CallGraphNode& node = GetNode(computation);
    if (node.callers().empty()) return false;
    for (const HloComputation* caller : node.callers()) {
      if (seen.insert(caller).second) waiting.push_back(caller);
    }
  }
  return true;
}

bool CallGraph::InstructionIsNestedIn(const HloInstruction* instruction,
                                      const HloComputation* computation) const {
  return Dominates(computation, instruction->parent());
}

std::pair<HloInstruction*, HloInstruction*> CallGraph::NearestAncestorsInSameComputation(
    HloInstruction* a, HloInstruction* b) const {
  const auto caller = [&](const HloInstruction* instruction) -> HloInstruction* {
    const auto sites = GetNode(instruction->parent()).caller_callsites();
    return sites.size() == 1 ? sites[0].instruction() : nullptr;
  };
  for (HloInstruction* x = a; x != nullptr; x = caller(x)) {
    for (HloInstruction* y = b; y != nullptr; y = caller(y)) {
      if (x->parent() == y->parent()) return {x, y};
    }
  }
  return {nullptr, nullptr};
}

absl::flat_hash_set<const HloComputation*> CallGraph::NearestCommonAncestorComputations(
    absl::Span<const HloComputation* const> computations) const {
  absl::flat_hash_set<const HloComputation*> common;
  for (const CallGraphNode& node : nodes_) {
    const auto reachable = ReachableFrom(node.computation_);
    if (absl::c_all_of(computations, [&](const HloComputation* computation) {
          return reachable.contains(computation);
        })) {
      common.insert(node.computation_);
    }
  }
  absl::flat_hash_set<const HloComputation*> nearest;
  for (const HloComputation* candidate : common) {
    if (absl::c_none_of(GetNode(candidate).callees(),
                        [&](const HloComputation* callee) { return common.contains(callee); })) {
      nearest.insert(candidate);
    }
  }
  return nearest;
}

bool CallGraph::IsFlattened() const {
  return absl::c_all_of(nodes_, [](const CallGraphNode& node) {
    if (node.context() == CallContext::kBoth) return false;
    return node.context() == CallContext::kEmbedded || node.caller_callsites().size() <= 1;
  });
}

std::vector<HloInstruction*> CallGraph::GetComputationCallers(
    const HloComputation* computation) const {
  std::vector<HloInstruction*> callers;
  for (const CallSite& site : GetNode(computation).caller_callsites())
    callers.push_back(site.instruction());
  return callers;
}

std::string CallGraph::ToString() const {
  std::string text;
  for (const int64_t number : post_order_) absl::StrAppend(&text, nodes_[number].ToString());
  return text;
}

}  // namespace xla
