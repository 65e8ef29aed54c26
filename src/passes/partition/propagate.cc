#include "passes/partition/propagate.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "ir/op_info.h"
#include "passes/partition/call_partitioner.h"
#include "passes/partition/loop_map.h"
#include "passes/partition/reshard.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {

absl::InlinedVector<const Shape*, 1> LeavesOf(const Shape& shape) {
  if (!shape.IsTuple()) return {&shape};
  absl::InlinedVector<const Shape*, 1> leaves;
  for (const Shape& part : shape.tuple_shapes()) {
    for (const Shape* leaf : LeavesOf(part)) leaves.push_back(leaf);
  }
  return leaves;
}

int64_t CountLeaves(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  int64_t count = 0;
  for (const Shape& part : shape.tuple_shapes()) count += CountLeaves(part);
  return count;
}

namespace {

int64_t RankOf(const Shape& shape) { return shape.IsArray() ? shape.dimensions_size() : 0; }

AxisList UnionOf(const AxisList& a, const AxisList& b) {
  AxisList both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

using Axes = absl::Span<const Axis>;  // of a dimension of a node

// What is the same in both, from the start on.
Axes CommonPrefix(Axes a, Axes b) {
  size_t common = 0;
  while (common < a.size() && common < b.size() && a[common] == b[common]) ++common;
  return a.first(common);
}

// The dimensions that a call of target Sharding leaves to the compiler.
std::vector<int64_t> UnspecifiedDimensions(const HloInstruction& call) {
  std::vector<int64_t> dimensions;
  absl::string_view text = call.raw_backend_config_string();
  if (!absl::ConsumePrefix(&text, "unspecified_dims=[")) return dimensions;
  for (const absl::string_view part : absl::StrSplit(text.substr(0, text.find(']')), ',')) {
    int64_t dimension;
    if (absl::SimpleAtoi(part, &dimension)) dimensions.push_back(dimension);
  }
  return dimensions;
}

using IsClosed = absl::InlinedVector<bool, 8>;

// An array somewhere in the program. Several instructions may hand on the same.
struct Node {
  const Shape* shape;
  Tiling tiling;
  IsClosed is_closed;  // dimensions
  AxisList fixed;      // these divide no more of it than the program says
  bool is_even;        // its parts have to be equal
};

// What an instruction says of its operands and results.
struct Relation {
  const LoopMap* map;
  absl::InlinedVector<int, 4> nodes;  // operands, then results
  bool hands_on;                      // an element to an element
  // At the edge of a manual region: the axes that lead each dimension of one node but do not count,
  // as the part of an array that the region has knows nothing of them.
  int hiding_node = -1;
  AxisLists hidden = {};

  size_t CountHidden(size_t tensor, size_t dimension) const {
    return nodes[tensor] == hiding_node ? hidden[dimension].size() : 0;
  }
};

class Propagation {
 public:
  Propagation(const HloModule& module, LoopMaps& maps, DeviceAxes& axes)
      : module_(module), maps_(maps), axes_(axes) {}

  absl::Status Build();
  void Run();
  absl::flat_hash_map<const HloInstruction*, TilingList> Result() const;
  TilingList Outputs() const;

 private:
  using Nodes = absl::InlinedVector<int, 1>;

  int NewNode(const Shape& shape);
  // Nodes of an instruction's own, with what the program says of them.
  absl::StatusOr<Nodes> NewNodes(const HloInstruction& instruction);
  absl::Status State(int node, const HloSharding& sharding);
  void Close(int node);
  void Tie(int from, int to);
  void TieToGroup(const HloInstruction& member, int node);
  void AddRelation(Relation relation);

  absl::Status VisitEntryParameters(const HloComputation& entry);
  absl::StatusOr<Nodes> Visit(const HloComputation& computation, const Nodes& parameters);
  absl::StatusOr<Nodes> VisitInstruction(const HloInstruction& instruction);
  absl::StatusOr<Nodes> VisitWhile(const HloInstruction& loop);
  absl::StatusOr<Nodes> VisitConditional(const HloInstruction& conditional);
  absl::StatusOr<Nodes> VisitEdge(const HloInstruction& call);
  absl::StatusOr<Nodes> VisitOther(const HloInstruction& instruction);

  Axes AxesOfLoop(const Relation& relation, size_t tensor, size_t dimension, int loop) const;
  const LoopMap::Dimensions& DimensionsOf(const Relation& relation, size_t tensor) const {
    return tensor < relation.map->operands.size()
               ? relation.map->operands[tensor]
               : relation.map->results[tensor - relation.map->operands.size()];
  }
  bool MayAdd(const Node& node, size_t dimension, Axis axis) const;
  bool MayAddAll(Node node, size_t dimension, const AxisList& axes) const;
  // A dimension of an operand or result that a loop walks along.
  struct Walk {
    size_t tensor, dimension;
  };
  using Walks = absl::InlinedVector<Walk, 4>;
  // The longest list of those along a loop, or where some go different ways, how far they go
  // together.
  Axes AgreedAxes(const Relation& relation, int loop, const Walks& walks) const;
  // Gives the dimension these axes of the loop, as far as it may have them. Whether it got any.
  bool Extend(const Relation& relation, int loop, const Walk& walk, Axes best);
  void Apply(const Relation& relation, std::vector<int>& changed);
  // Of those among the relations that count now, and of what they change.
  void RunRelations(bool all, std::vector<int> numbers);

  // The one operand in which the turns of a sum are divided.
  struct DividedSum {
    size_t operand;
    int dimension;
    AxisList axes;
  };
  // The dimension that the loop, and no other, walks along; -1 where there is none.
  int DimensionAlong(const Relation& relation, size_t tensor, int loop) const;
  std::optional<DividedSum> FindDividedSum(const Relation& relation, int loop) const;
  bool DivideInstead(const Relation& relation, const DividedSum& sum, int loop);
  void DivideSums();

  const HloModule& module_;
  LoopMaps& maps_;
  DeviceAxes& axes_;
  std::vector<Node> nodes_;
  std::vector<Relation> relations_;
  std::vector<bool> is_settled_;                           // relations: nothing more to hand on
  std::vector<absl::InlinedVector<int, 4>> relations_of_;  // nodes
  absl::flat_hash_map<const HloInstruction*, Nodes> nodes_of_;
  absl::flat_hash_map<int64_t, int> groups_;  // a node of each
  Nodes outputs_;
};

int Propagation::NewNode(const Shape& shape) {
  const int64_t rank = RankOf(shape);
  nodes_.push_back({&shape, Tiling::Whole(rank), IsClosed(rank, false), {}, false});
  relations_of_.emplace_back();
  return static_cast<int>(nodes_.size()) - 1;
}

// What the program says of one array. By the names of axes it can say that a dimension is open and
// that an axis must not divide it.
absl::Status Propagation::State(int number, const HloSharding& sharding) {
  if (sharding.IsUnknown() || !nodes_[number].shape->IsArray()) return absl::OkStatus();
  Node& node = nodes_[number];
  const int64_t rank = RankOf(*node.shape);
  HILO_ASSIGN_OR_RETURN(Tiling tiling, axes_.TilingOf(sharding, rank));
  tiling.manual = UnionOf(node.tiling.manual, tiling.manual);
  node.tiling = std::move(tiling);
  Close(number);
  if (!sharding.IsNamed() || sharding.named_sharding().num_dimensions() != rank)
    return absl::OkStatus();
  const NamedSharding& named = sharding.named_sharding();
  for (int64_t i = 0; i < rank; ++i) node.is_closed[i] = named.dim_sharding(i).is_closed();
  if (named.replicated_axes().empty()) return absl::OkStatus();
  NamedSharding::Axes fixed;
  fixed.dimensions.resize(rank);
  fixed.unreduced = named.replicated_axes();
  HILO_ASSIGN_OR_RETURN(NamedSharding as_summands,
                        NamedSharding::Create(named.mesh(), std::move(fixed)));
  HILO_ASSIGN_OR_RETURN(const Tiling summands,
                        axes_.TilingOf(HloSharding::Named(std::move(as_summands)), rank));
  node.fixed = summands.summands;
  return absl::OkStatus();
}

void Propagation::Close(int number) {
  IsClosed& is_closed = nodes_[number].is_closed;
  is_closed.assign(is_closed.size(), true);
}

// The sharding of one of the arrays.
const HloSharding& LeafSharding(const HloInstruction& instruction, size_t leaf) {
  const HloSharding& sharding = instruction.sharding();
  return sharding.IsTuple() ? sharding.tuple_elements()[leaf] : sharding;
}

absl::StatusOr<Propagation::Nodes> Propagation::NewNodes(const HloInstruction& instruction) {
  Nodes nodes;
  for (const Shape* leaf : LeavesOf(instruction.shape())) nodes.push_back(NewNode(*leaf));
  if (!instruction.has_sharding()) return nodes;
  for (size_t i = 0; i < nodes.size(); ++i)
    HILO_RETURN_IF_ERROR(State(nodes[i], LeafSharding(instruction, i)));
  return nodes;
}

void Propagation::AddRelation(Relation relation) {
  const int number = static_cast<int>(relations_.size());
  for (const int node : relation.nodes) {
    auto& relations = relations_of_[node];
    if (relations.empty() || relations.back() != number) relations.push_back(number);
  }
  relations_.push_back(std::move(relation));
}

// Arrays of a group that have the same dimensions.
void Propagation::TieToGroup(const HloInstruction& member, int node) {
  const int64_t group = member.sharding().shard_group()->id;
  const auto [first, is_new] = groups_.try_emplace(group, node);
  if (!is_new && nodes_[first->second].shape->dimensions() == nodes_[node].shape->dimensions())
    Tie(first->second, node);
}

void Propagation::Tie(int from, int to) {
  const Shape& shape = *nodes_[from].shape;
  if (!shape.IsArray() || shape.dimensions_size() == 0) return;
  AddRelation({&maps_.Identity(shape), {from, to}, /*hands_on=*/true});
}

absl::Status Propagation::VisitEntryParameters(const HloComputation& entry) {
  const auto allowed = module_.config().allow_spmd_sharding_propagation_to_parameters();
  size_t leaf = 0;
  for (const HloInstruction* parameter : entry.parameter_instructions()) {
    HILO_ASSIGN_OR_RETURN(const Nodes nodes, NewNodes(*parameter));
    for (const int node : nodes) {
      const bool is_allowed =
          allowed.size() == 1 ? allowed[0] : leaf < allowed.size() && allowed[leaf];
      ++leaf;
      nodes_[node].is_even = true;
      if (!parameter->has_sharding() && !is_allowed) Close(node);
    }
    nodes_of_[parameter] = nodes;
  }
  return absl::OkStatus();
}

absl::Status Propagation::Build() {
  const int64_t count = module_.instruction_count();
  nodes_.reserve(count);
  relations_.reserve(count);
  relations_of_.reserve(count);
  nodes_of_.reserve(count);
  axes_.AddMeshes(module_);
  for (const HloComputation* computation : module_.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->has_sharding())
        HILO_RETURN_IF_ERROR(StatedTilings(*instruction, axes_).status());
    }
  }
  const HloComputation& entry = *module_.entry_computation();
  HILO_RETURN_IF_ERROR(VisitEntryParameters(entry));
  HILO_ASSIGN_OR_RETURN(const Nodes roots, Visit(entry, {}));
  // What the entry returns may be divided in another way than inside.
  const HloInstruction& root = *entry.root_instruction();
  const auto leaves = LeavesOf(root.shape());
  for (size_t i = 0; i < leaves.size(); ++i) {
    outputs_.push_back(NewNode(*leaves[i]));
    nodes_[outputs_[i]].is_even = true;
    if (root.has_sharding()) HILO_RETURN_IF_ERROR(State(outputs_[i], LeafSharding(root, i)));
    Tie(roots[i], outputs_[i]);
    // What the caller leaves to the compiler may not be divided into unequal parts.
    const auto allowed = module_.config().allow_spmd_sharding_propagation_to_output();
    const bool is_allowed = allowed.size() == 1 ? allowed[0] : i < allowed.size() && allowed[i];
    Node& output = nodes_[outputs_[i]];
    if (is_allowed && output.shape->IsArray()) axes_.MakeEven(*output.shape, output.tiling);
  }
  return absl::OkStatus();
}

absl::StatusOr<Propagation::Nodes> Propagation::Visit(const HloComputation& computation,
                                                      const Nodes& parameters) {
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    if (instruction->opcode() == HloOpcode::kParameter) {
      // Loops and branches have one parameter.
      nodes_of_.try_emplace(instruction, parameters);
      continue;
    }
    HILO_ASSIGN_OR_RETURN(Nodes nodes, VisitInstruction(*instruction));
    nodes_of_[instruction] = std::move(nodes);
  }
  return nodes_of_.at(computation.root_instruction());
}

absl::StatusOr<Propagation::Nodes> Propagation::VisitInstruction(
    const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kTuple: {
      Nodes nodes;
      for (const HloInstruction* operand : instruction.operands()) {
        const Nodes& part = nodes_of_.at(operand);
        nodes.insert(nodes.end(), part.begin(), part.end());
      }
      return nodes;
    }
    case HloOpcode::kGetTupleElement:
      return OfElement(instruction, nodes_of_.at(instruction.operand(0)));
    case HloOpcode::kOptimizationBarrier:
      return Nodes(nodes_of_.at(instruction.operand(0)));
    case HloOpcode::kWhile:
      return VisitWhile(instruction);
    case HloOpcode::kConditional:
      return VisitConditional(instruction);
    default:
      if (instruction.IsCustomCall("SPMDFullToShardShape") ||
          instruction.IsCustomCall("SPMDShardToFullShape"))
        return VisitEdge(instruction);
      return VisitOther(instruction);
  }
}

absl::StatusOr<Propagation::Nodes> Propagation::VisitWhile(const HloInstruction& loop) {
  const Nodes initial = nodes_of_.at(loop.operand(0));
  HILO_ASSIGN_OR_RETURN(const Nodes state, NewNodes(loop));
  AxisList manual;
  for (const int node : initial) manual = UnionOf(manual, nodes_[node].tiling.manual);
  for (size_t i = 0; i < state.size(); ++i) {
    Node& node = nodes_[state[i]];
    node.tiling.manual = manual;
    if (!loop.has_sharding()) node.tiling.summands = nodes_[initial[i]].tiling.summands;
    Tie(initial[i], state[i]);
  }
  HILO_RETURN_IF_ERROR(Visit(*loop.while_condition(), state).status());
  HILO_ASSIGN_OR_RETURN(const Nodes next, Visit(*loop.while_body(), state));
  for (size_t i = 0; i < state.size(); ++i) Tie(next[i], state[i]);
  return state;
}

absl::StatusOr<Propagation::Nodes> Propagation::VisitConditional(
    const HloInstruction& conditional) {
  HILO_ASSIGN_OR_RETURN(const Nodes results, NewNodes(conditional));
  for (int branch = 0; branch < conditional.branch_count(); ++branch) {
    const Nodes arguments = nodes_of_.at(conditional.operand(branch + 1));
    HILO_ASSIGN_OR_RETURN(const Nodes roots,
                          Visit(*conditional.branch_computation(branch), arguments));
    AxisList manual;
    for (const int node : arguments) manual = UnionOf(manual, nodes_[node].tiling.manual);
    for (size_t i = 0; i < results.size(); ++i) {
      AxisList& own = nodes_[results[i]].tiling.manual;
      own = UnionOf(own, UnionOf(manual, nodes_[roots[i]].tiling.manual));
      Tie(roots[i], results[i]);
    }
  }
  return results;
}

absl::StatusOr<Propagation::Nodes> Propagation::VisitEdge(const HloInstruction& call) {
  if (call.operand_count() != 1 || !call.operand(0)->shape().IsArray() || !call.shape().IsArray())
    return VisitOther(call);
  const bool enters = call.IsCustomCall("SPMDFullToShardShape");
  const int from = nodes_of_.at(call.operand(0))[0];
  const int to = NewNode(call.shape());
  Tiling own = Tiling::Whole(RankOf(call.shape()));
  if (call.has_sharding()) {
    HILO_ASSIGN_OR_RETURN(own, axes_.TilingOf(call.sharding(), RankOf(call.shape())));
  }
  const AxisList manual = enters ? own.manual : nodes_[from].tiling.manual;
  const Tiling& whole_tiling = enters ? nodes_[from].tiling : own;
  HILO_ASSIGN_OR_RETURN(
      AxisLists hidden,
      ManualAxes(call, enters ? call.operand(0)->shape() : call.shape(),
                 enters ? call.shape() : call.operand(0)->shape(), whole_tiling, manual, axes_));
  if (enters) {
    nodes_[to].tiling.manual = own.manual;
  } else {
    // Dimensions that the region does not divide are as open as those of its result.
    if (call.has_sharding()) HILO_RETURN_IF_ERROR(State(to, call.sharding()));
    nodes_[to].is_closed = nodes_[from].is_closed;
    for (size_t i = 0; i < own.dimensions.size(); ++i) {
      if (own.dimensions[i].size() > hidden[i].size()) nodes_[to].is_closed[i] = true;
    }
  }
  AddRelation({&maps_.Identity(enters ? call.shape() : call.operand(0)->shape()),
               {from, to},
               /*hands_on=*/true,
               enters ? from : to,
               std::move(hidden)});
  return Nodes{to};
}

absl::StatusOr<Propagation::Nodes> Propagation::VisitOther(const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(Nodes nodes, NewNodes(instruction));
  AxisList manual;
  for (const HloInstruction* operand : instruction.operands()) {
    for (const int node : nodes_of_.at(operand))
      manual = UnionOf(manual, nodes_[node].tiling.manual);
  }
  for (const int node : nodes) {
    AxisList& own = nodes_[node].tiling.manual;
    own = UnionOf(own, manual);
  }
  if (instruction.IsCustomCall("Sharding") && instruction.operand_count() == 1 &&
      nodes.size() == 1) {
    for (const int64_t dimension : UnspecifiedDimensions(instruction)) {
      IsClosed& is_closed = nodes_[nodes[0]].is_closed;
      if (dimension >= 0 && dimension < static_cast<int64_t>(is_closed.size()))
        is_closed[dimension] = false;
    }
    Tie(nodes_of_.at(instruction.operand(0))[0], nodes[0]);
    if (instruction.has_sharding() && instruction.sharding().IsShardGroup())
      TieToGroup(instruction, nodes[0]);
    return nodes;
  }
  if (instruction.opcode() == HloOpcode::kCustomCall &&
      FindCallPartitioner(instruction.custom_call_target()) != nullptr) {
    for (const HloInstruction* operand : instruction.operands()) {
      for (const int node : nodes_of_.at(operand)) nodes_[node].is_even = true;
    }
    for (const int node : nodes) nodes_[node].is_even = true;
  }
  const LoopMap& map = maps_.of(instruction);
  if (map.IsUnknown()) return nodes;
  Relation relation{&map, {}, HasTrait(instruction.opcode(), kElementwise)};
  for (const HloInstruction* operand : instruction.operands())
    relation.nodes.push_back(nodes_of_.at(operand)[0]);
  relation.nodes.insert(relation.nodes.end(), nodes.begin(), nodes.end());
  AddRelation(std::move(relation));
  return nodes;
}

// ---- Running

Axes Propagation::AxesOfLoop(const Relation& relation, size_t tensor, size_t dimension,
                             int loop) const {
  const LoopMap::Dimension& loops = DimensionsOf(relation, tensor)[dimension];
  const Axes axes = nodes_[relation.nodes[tensor]].tiling.dimensions[dimension];
  size_t next = relation.CountHidden(tensor, dimension);
  if (loops.size() == 1) return axes.subspan(next);
  for (const int each : loops) {
    const size_t first = next;
    int64_t left = relation.map->loops[each].size;
    while (next < axes.size() && left > 1 && left % axes_.size(axes[next]) == 0)
      left /= axes_.size(axes[next++]);
    if (each == loop) return axes.subspan(first, next - first);
    if (left > 1) break;
  }
  return {};
}

bool Propagation::MayAdd(const Node& node, size_t dimension, Axis axis) const {
  if (node.is_closed[dimension]) return false;
  AxisList used = node.tiling.Used();
  if (absl::c_linear_search(used, axis) || absl::c_linear_search(node.tiling.manual, axis) ||
      absl::c_linear_search(node.fixed, axis))
    return false;
  const int64_t parts = axes_.size(node.tiling.dimensions[dimension]) * axes_.size(axis);
  const int64_t size = node.shape->dimensions(static_cast<int>(dimension));
  if (node.shape->is_dynamic_dimension(static_cast<int>(dimension)) || size < parts ||
      (node.is_even && size % parts != 0))
    return false;
  used.push_back(axis);
  used.insert(used.end(), node.tiling.manual.begin(), node.tiling.manual.end());
  return axes_.AreIndependent(std::move(used));
}

bool Propagation::MayAddAll(Node node, size_t dimension, const AxisList& axes) const {
  for (const Axis axis : axes) {
    if (!MayAdd(node, dimension, axis)) return false;
    node.tiling.dimensions[dimension].push_back(axis);
  }
  return true;
}

Axes Propagation::AgreedAxes(const Relation& relation, int loop, const Walks& walks) const {
  Axes best;
  bool is_agreed = true;
  for (const Walk& walk : walks) {
    const Axes axes = AxesOfLoop(relation, walk.tensor, walk.dimension, loop);
    if (!is_agreed) {
      if (!axes.empty()) best = CommonPrefix(axes, best);
    } else if (IsPrefix(best, axes)) {
      best = axes;
    } else if (!IsPrefix(axes, best)) {
      is_agreed = false;
      best = CommonPrefix(axes, best);
    }
  }
  return best;
}

bool Propagation::Extend(const Relation& relation, int loop, const Walk& walk, Axes best) {
  const LoopMap::Dimension& loops = DimensionsOf(relation, walk.tensor)[walk.dimension];
  const Axes own = AxesOfLoop(relation, walk.tensor, walk.dimension, loop);
  if (own.size() >= best.size() || !IsPrefix(own, best)) return false;
  // Loops before this one must have no turn left to divide.
  size_t before = relation.CountHidden(walk.tensor, walk.dimension);
  for (const int each : loops) {
    if (each == loop) break;
    const Axes axes = AxesOfLoop(relation, walk.tensor, walk.dimension, each);
    before += axes.size();
    if (axes_.size(axes) != relation.map->loops[each].size) return false;
  }
  Node& node = nodes_[relation.nodes[walk.tensor]];
  AxisList& all = node.tiling.dimensions[walk.dimension];
  if (all.size() != before + own.size()) return false;
  const size_t old_size = all.size();
  for (size_t k = own.size(); k < best.size() && MayAdd(node, walk.dimension, best[k]); ++k) {
    const bool is_manual = absl::c_any_of(relation.nodes, [&](int other) {
      return absl::c_linear_search(nodes_[other].tiling.manual, best[k]);
    });
    if (is_manual) break;
    all.push_back(best[k]);
  }
  return all.size() != old_size;
}

void Propagation::Apply(const Relation& relation, std::vector<int>& changed) {
  const LoopMap& map = *relation.map;
  absl::InlinedVector<Walks, 8> walks(map.loops.size());
  for (size_t tensor = 0; tensor < relation.nodes.size(); ++tensor) {
    const LoopMap::Dimensions& dimensions = DimensionsOf(relation, tensor);
    for (size_t i = 0; i < dimensions.size(); ++i) {
      for (const int loop : dimensions[i]) walks[loop].push_back({tensor, i});
    }
  }
  for (size_t i = 0; i < walks.size(); ++i) {
    if (map.loops[i].kind == LoopMap::Kind::kWhole) continue;
    const int loop = static_cast<int>(i);
    const Axes best = AgreedAxes(relation, loop, walks[i]);
    if (best.empty()) continue;
    for (const Walk& walk : walks[i]) {
      if (Extend(relation, loop, walk, best)) changed.push_back(relation.nodes[walk.tensor]);
    }
  }
}

void Propagation::RunRelations(bool all, std::vector<int> numbers) {
  std::deque<int> waiting;
  std::vector<bool> is_waiting(relations_.size(), false);
  const auto add = [&](int number) {
    if (is_waiting[number] || (!all && !relations_[number].hands_on)) return;
    is_waiting[number] = true;
    waiting.push_back(number);
  };
  for (const int number : numbers) add(number);
  while (!waiting.empty()) {
    const int number = waiting.front();
    waiting.pop_front();
    is_waiting[number] = false;
    if (is_settled_[number]) continue;
    std::vector<int> changed;
    Apply(relations_[number], changed);
    is_settled_[number] = true;
    for (const int node : changed) {
      for (const int other : relations_of_[node]) {
        is_settled_[other] = false;
        add(other);
      }
    }
  }
}

int Propagation::DimensionAlong(const Relation& relation, size_t tensor, int loop) const {
  const LoopMap::Dimensions& dimensions = DimensionsOf(relation, tensor);
  const auto found = absl::c_find(dimensions, LoopMap::Dimension{loop});
  return found == dimensions.end() ? -1 : static_cast<int>(found - dimensions.begin());
}

std::optional<Propagation::DividedSum> Propagation::FindDividedSum(const Relation& relation,
                                                                   int loop) const {
  const LoopMap& map = *relation.map;
  if (map.loops[loop].kind != LoopMap::Kind::kSum || map.results.size() != 1) return std::nullopt;
  for (size_t i = 0; i < map.operands.size(); ++i) {
    const int dimension = DimensionAlong(relation, i, loop);
    if (dimension < 0) continue;
    const AxisList& axes = nodes_[relation.nodes[i]].tiling.dimensions[dimension];
    if (axes.empty()) continue;
    for (size_t other = 0; other < relation.nodes.size(); ++other) {
      const Tiling& tiling = nodes_[relation.nodes[other]].tiling;
      if (Without(axes, tiling.manual).size() != axes.size() ||
          (other != i && Without(axes, tiling.Used()).size() != axes.size()))
        return std::nullopt;
    }
    return DividedSum{i, dimension, axes};
  }
  return std::nullopt;
}

// The axes of the sum divide a loop of which each turn gives something of its own instead, if that
// is less to send even where the whole result is needed next.
bool Propagation::DivideInstead(const Relation& relation, const DividedSum& sum, int loop) {
  const size_t result_tensor = relation.map->operands.size();
  const Node& operand = nodes_[relation.nodes[sum.operand]];
  Node& result = nodes_[relation.nodes[result_tensor]];
  const int from = DimensionAlong(relation, sum.operand, loop);
  const int to = DimensionAlong(relation, result_tensor, loop);
  if (relation.map->loops[loop].kind != LoopMap::Kind::kEach || from < 0 || to < 0 ||
      operand.tiling.dimensions[from] != result.tiling.dimensions[to])
    return false;
  Tiling sums = result.tiling, divided = result.tiling, moved = operand.tiling;
  sums.summands = UnionOf(sums.summands, sum.axes);
  moved.dimensions[sum.dimension].clear();
  for (AxisList* list : {&divided.dimensions[to], &moved.dimensions[from]})
    list->insert(list->end(), sum.axes.begin(), sum.axes.end());
  if (!MayAddAll(result, to, sum.axes) || !axes_.IsEven(*result.shape, divided) ||
      !axes_.IsEven(*operand.shape, operand.tiling) ||
      BytesToReshard(*operand.shape, operand.tiling, moved, axes_) +
              BytesToReshard(*result.shape, divided, result.tiling, axes_) >=
          BytesToReshard(*result.shape, sums, result.tiling, axes_))
    return false;
  result.tiling = std::move(divided);
  return true;
}

// Sums whose turns are divided in one operand only, which all devices would have to be sent.
// Everything behind such a result is then divided, too.
void Propagation::DivideSums() {
  for (const Relation& relation : relations_) {
    const int loops = static_cast<int>(relation.map->loops.size());
    for (int loop = 0; loop < loops; ++loop) {
      const std::optional<DividedSum> sum = FindDividedSum(relation, loop);
      for (int each = 0; sum.has_value() && each < loops; ++each) {
        if (!DivideInstead(relation, *sum, each)) continue;
        const auto& others = relations_of_[relation.nodes.back()];
        for (const int other : others) is_settled_[other] = false;
        RunRelations(/*all=*/true, {others.begin(), others.end()});
        break;
      }
    }
  }
}

void Propagation::Run() {
  is_settled_.assign(relations_.size(), false);
  // Where several ways are possible, the first relation of the program decides.
  std::vector<int> all(relations_.size());
  absl::c_iota(all, 0);
  RunRelations(/*all=*/false, all);
  RunRelations(/*all=*/true, all);
  DivideSums();
  // Callers expect equal parts and whole axes where they have not said otherwise.
  for (Node& node : nodes_) {
    const bool is_stated = absl::c_any_of(node.is_closed, [](bool closed) { return closed; });
    if (is_stated || !node.is_even || !node.shape->IsArray()) continue;
    axes_.MakeEven(*node.shape, node.tiling);
    axes_.KeepWholeMeshAxes(node.tiling);
  }
}

absl::flat_hash_map<const HloInstruction*, TilingList> Propagation::Result() const {
  absl::flat_hash_map<const HloInstruction*, TilingList> tilings;
  tilings.reserve(nodes_of_.size());
  for (const auto& [instruction, nodes] : nodes_of_) {
    TilingList& list = tilings[instruction];
    for (const int node : nodes) list.push_back(nodes_[node].tiling);
  }
  return tilings;
}

TilingList Propagation::Outputs() const {
  TilingList tilings;
  for (const int node : outputs_) tilings.push_back(nodes_[node].tiling);
  return tilings;
}

}  // namespace

absl::StatusOr<AxisLists> ManualAxes(const HloInstruction& call, const Shape& whole,
                                     const Shape& part, const Tiling& stated,
                                     const AxisList& manual, const DeviceAxes& axes) {
  AxisLists hidden(whole.dimensions_size());
  if (part.dimensions_size() != whole.dimensions_size()) {
    return InvalidArgument("%s has %d dimensions, its operand %d", call.ToShortString(),
                           part.dimensions_size(), whole.dimensions_size());
  }
  for (int i = 0; i < whole.dimensions_size(); ++i) {
    for (const Axis axis : stated.dimensions[i]) {
      if (!absl::c_linear_search(manual, axis)) break;
      hidden[i].push_back(axis);
    }
    if (CeilOfRatio(whole.dimensions(i), axes.size(hidden[i])) != part.dimensions(i)) {
      return InvalidArgument(
          "%s: dimension %d has size %d in the region and %d outside, but the sharding divides it "
          "into %d parts there",
          call.ToShortString(), i, part.dimensions(i), whole.dimensions(i), axes.size(hidden[i]));
    }
  }
  return hidden;
}

absl::StatusOr<TilingList> StatedTilings(const HloInstruction& instruction, DeviceAxes& axes) {
  const HloSharding& sharding = instruction.sharding();
  const auto leaves = LeavesOf(instruction.shape());
  if (sharding.IsTuple() && sharding.tuple_elements().size() < leaves.size()) {
    return InvalidArgument("%s has %d arrays, but %d shardings", instruction.ToShortString(),
                           leaves.size(), sharding.tuple_elements().size());
  }
  TilingList tilings;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const HloSharding& leaf = sharding.IsTuple() ? sharding.tuple_elements()[i] : sharding;
    if (!leaves[i]->IsArray()) {
      tilings.push_back(Tiling::Whole(0));
      continue;
    }
    HILO_ASSIGN_OR_RETURN(Tiling tiling, axes.TilingOf(leaf, RankOf(*leaves[i])));
    tilings.push_back(std::move(tiling));
  }
  return tilings;
}

absl::Status PrepareForTilings(HloModule& module) {
  module.clear_schedule();  // that of the whole
  HILO_RETURN_IF_ERROR(OrderSideEffects(module).status());
  HILO_RETURN_IF_ERROR(ExpandAsync(module).status());
  HILO_RETURN_IF_ERROR(InlineCalls(module).status());
  HILO_RETURN_IF_ERROR(FlattenControlFlow(module).status());
  // Updates are better divided than scatters.
  HILO_RETURN_IF_ERROR(ExpandSmallScatters(module).status());
  return RemoveDeadCode(module).status();
}

absl::StatusOr<Tilings> Tilings::Of(const HloModule& module, LoopMaps& maps, DeviceAxes& axes) {
  Propagation propagation(module, maps, axes);
  HILO_RETURN_IF_ERROR(propagation.Build());
  propagation.Run();
  return Tilings(propagation.Result(), propagation.Outputs());
}

}  // namespace xla::passes
