#include "cpu/plan/fusion.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "base/merge_order.h"
#include "base/status_macros.h"
#include "codegen/program/plan.h"
#include "codegen/program/register_form.h"
#include "cpu/plan/fusion_group.h"
#include "cpu/plan/fusion_order.h"
#include "cpu/plan/fusion_rules.h"
#include "cpu/plan/outline.h"
#include "data/sizes.h"
#include "ir/control_flow.h"
#include "passes/cost.h"
#include "passes/decision.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using fusion::Group;
using fusion::Index;
using fusion::Indices;
using fusion::kElsewhere;
using fusion::kInReduction;
using fusion::kMinFusedRow;
using fusion::Rank;
using fusion::SizesOf;
using fusion::Use;
using passes::Decision;

// Larger kernels take long to compile and keep more values than there are registers.
constexpr int kMaxInstructions = 256;
// Kernels with so many take what is long itself from memory.
constexpr int kLongKernel = 64;
constexpr size_t kMaxOutputs = 8;
// Short rows are reduced in lanes, where each result has accumulators of its own all the time.
constexpr size_t kMaxOutputsOfShortRows = 4;
// What more than so many read is no reason to bring them together: looking at all pairs takes too
// long.
constexpr int64_t kMaxSiblings = 64;
// An element that is computed several times may cost so much in all.
constexpr double kMaxRepeatedCost = 4;
// Padding that so many slices read, as those of a stencil do, is done once: each of them would ask
// which of its elements are inside.
constexpr double kLeastSlicesOfPad = 8;
// So much more than an array that is written once and read each time costs what is computed each
// time instead, with all that it needs, before that is worth the array and a kernel for it.
constexpr double kWorthAnArray = 2, kCostOfKernel = 2048;
// More different indices of one instruction are counted together.
constexpr size_t kMostIndices = 32;
// More cheap instructions that others compute as well take longer than reading their results, and
// of a chain of kernels each would have all of those before in it.
constexpr int kMostRepeated = 16;
// What is read so many times stays in caches.
constexpr int64_t kManyTimes = 8;
// What can be in registers is not worth a kernel of fewer instructions, nor the call of it.
constexpr int kFewInstructions = 64;

// Of real numbers: products of complex ones take several instructions, but not long.
bool IsLongFunction(const HloInstruction& instruction) {
  return passes::IsExpensive(instruction) &&
         !primitive_util::IsComplexType(instruction.shape().element_type());
}

class Fuser {
 public:
  // Goes through the instructions, each of which stands behind its operands, from the last one on.
  Fuser(HloComputation& computation, std::vector<HloInstruction*> instructions,
        passes::Decisions* decisions)
      : computation_(computation),
        decisions_(decisions),
        instructions_(std::move(instructions)),
        group_of_node_(instructions_.size(), kNoGroup),
        order_(static_cast<int>(instructions_.size()),
               [this](int node, absl::FunctionRef<void(int)> visit) { VisitUsers(node, visit); }) {
    for (HloInstruction* instruction : instructions_)
      nodes_.emplace(instruction, static_cast<int>(nodes_.size()));
    for (size_t i = instructions_.size(); i-- > 0;) Assign(*instructions_[i]);
    GiveUpSmallKernels();
  }

  // Whether a kernel had so many instructions that others were left apart.
  bool MetLimit() const { return met_limit_; }

  // What all kernels write.
  int64_t BytesWritten() const {
    int64_t bytes = 0;
    for (const Group& group : groups_) {
      for (const HloInstruction* output : group.outputs)
        bytes += ShapeUtil::ByteSizeOfElementsRecursive(output->shape());
    }
    return bytes;
  }

  // Puts fusions into the computation; false where there are none.
  absl::StatusOr<bool> Fuse() {
    // All fusions are made before anything is replaced or removed.
    std::vector<std::pair<int, HloInstruction*>> fusions;
    for (size_t i = 0; i < groups_.size(); ++i) {
      const int group = static_cast<int>(i);
      if (groups_[group].outputs.empty()) continue;
      fusions.push_back(
          {group, Outline(computation_, groups_[group].outputs, [&](const HloInstruction& each) {
             return IsFreeHere(each) || absl::c_linear_search(GroupsOf(each), group);
           })});
    }
    if (decisions_ != nullptr) Report({fusions.begin(), fusions.end()});
    for (const auto& [group, fusion] : fusions)
      HILO_RETURN_IF_ERROR(ReplaceByFusion(computation_, groups_[group].outputs, *fusion));
    for (const auto& [group, fusion] : fusions) {
      for (HloInstruction* output : groups_[group].outputs) {
        output->CutOff();
        output->MarkAsDead();
      }
    }
    return !fusions.empty();
  }

 private:
  // ---- Reasons

  // That an instruction, or a group, does not become part of a group.
  void Refuse(const HloInstruction& instruction, int group, const Decision& decision) {
    if (decisions_ != nullptr) refusals_.push_back({&instruction, group, decision});
  }

  // What became of an instruction: the fusion whose result it is, or itself.
  void Report(const absl::flat_hash_map<int, HloInstruction*>& fusions) {
    for (const Refusal& refusal : refusals_) {
      const std::vector<int> own = GroupsOf(*refusal.instruction);
      if (refusal.group == kInRegisters) {
        if (own.empty()) continue;
        const HloInstruction& fusion = *fusions.at(own[0]);
        decisions_->Add(fusion, fusion, refusal.decision);
        continue;
      }
      const int group = Find(refusal.group);
      if (absl::c_linear_search(own, group) || !fusions.contains(group)) continue;
      decisions_->Add(own.empty() ? *refusal.instruction : *fusions.at(own[0]), *fusions.at(group),
                      refusal.decision);
    }
  }

  // ---- Groups

  int Find(int group) const {
    while (parents_[group] != group) group = parents_[group];
    return group;
  }
  // Those that an instruction is computed in.
  std::vector<int> GroupsOf(const HloInstruction& instruction) const {
    std::vector<int> groups;
    const auto found = groups_of_.find(&instruction);
    if (found == groups_of_.end()) return groups;
    for (int group : found->second) {
      if (!absl::c_linear_search(groups, Find(group))) groups.push_back(Find(group));
    }
    return groups;
  }
  // Those that its users are in. `everywhere` is false if somebody else needs it as well.
  std::vector<int> GroupsOfUsers(const HloInstruction& instruction, bool& everywhere) const {
    std::vector<int> groups;
    everywhere = !instruction.IsRoot() && !instruction.users().empty();
    for (const HloInstruction* user : instruction.users()) {
      std::vector<int> own = GroupsOf(*user);
      everywhere = everywhere && !own.empty();
      // Other kernels that need it have it as well.
      if (bool others; !own.empty() && IsFreeHere(*user))
        absl::c_copy(GroupsOfUsers(*user, others), std::back_inserter(own));
      for (int group : own) {
        if (!absl::c_linear_search(groups, group)) groups.push_back(group);
      }
    }
    return groups;
  }

  void Assign(HloInstruction& instruction) {
    bool everywhere;
    std::vector<int> groups = GroupsOfUsers(instruction, everywhere);
    if (groups.size() > 1 && MergeSiblings(instruction, groups))
      groups = GroupsOfUsers(instruction, everywhere);
    if (!CanBeKernel(instruction) && !CanBeInKernel(instruction) && !StartsUpdate(instruction))
      return;
    if (IsJoinedInMemory(instruction)) return;
    // Each kernel has its own, unless there is only one.
    if (IsFreeHere(instruction) && everywhere && groups.size() > 1) return;
    const Decision in_registers = StaysInRegisters(instruction);
    if (in_registers && !IsOfRows(instruction, groups)) return;
    if (everywhere && groups.size() == 1) {
      const Decision joins = Join(instruction, groups[0]);
      if (joins) return;
      Refuse(instruction, groups[0], joins);
    }
    if (in_registers) return;
    if (everywhere && groups.size() > 1) {
      if (const Decision repeats = CanRepeat(instruction, groups); !repeats) {
        for (int group : groups) Refuse(instruction, group, repeats);
      } else {
        Repeat(instruction, groups);
        return;
      }
    }
    if (!CanBeKernel(instruction) && !StartsUpdate(instruction)) return;
    for (int group : groups) {
      const Decision joins = JoinAsOutput(instruction, group);
      if (joins) return;
      Refuse(instruction, group, joins);
    }
    Begin(instruction);
    if (program::FitsRegisters(instruction.shape()))
      Refuse(instruction, kInRegisters, in_registers);
  }

  // Those of few instructions, all of which can be in registers, and what merging left empty.
  void GiveUpSmallKernels() {
    std::vector<int> sizes(groups_.size(), 0);
    for (const auto& [instruction, groups] : groups_of_) {
      const int size = program::HasRegisterForm(*instruction) ? 1 : kFewInstructions;
      for (int group : GroupsOf(*instruction)) sizes[group] += size;
    }
    for (auto& [instruction, groups] : groups_of_) {
      groups = GroupsOf(*instruction);
      std::erase_if(groups, [&](int group) { return sizes[group] < kFewInstructions; });
    }
    absl::erase_if(groups_of_, [](const auto& each) { return each.second.empty(); });
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (sizes[i] < kFewInstructions) groups_[i].outputs.clear();
    }
  }

  // Each of its users has its own.
  void Repeat(const HloInstruction& instruction, absl::Span<const int> groups) {
    for (int group : groups) {
      groups_of_[&instruction].push_back(group);
      ++groups_[group].instructions;
      ++groups_[group].repeated;
    }
    place_[&instruction] = kElsewhere;
  }

  // Whether somebody updates it in place, so that it must lie in memory. Constants have so many
  // users that asking them again each time would take long.
  bool IsWrittenOver(const HloInstruction& instruction) const {
    const auto [found, is_new] = written_over_.try_emplace(&instruction, false);
    if (is_new) {
      found->second = absl::c_any_of(instruction.users(), [&](const HloInstruction* user) {
        if (IsReadUpdate(*user)) return false;
        for (int64_t i = 0; i < user->operand_count() && program::IsUpdatedInPlace(*user, i); ++i) {
          if (user->operand(i) == &instruction) return true;
        }
        return false;
      });
    }
    return found->second;
  }

  // What a kernel takes from an update and from what it would be in otherwise.
  bool IsReadUpdate(const HloInstruction& update) const {
    return update.opcode() == HloOpcode::kDynamicUpdateSlice && groups_of_.contains(&update) &&
           groups_[GroupsOf(update)[0]].outputs[0] != &update;
  }

  bool IsFreeHere(const HloInstruction& instruction) const {
    return IsFree(instruction) && !IsWrittenOver(instruction);
  }

  void Begin(HloInstruction& instruction) {
    const int group = static_cast<int>(groups_.size());
    parents_.push_back(group);
    Group& fresh = groups_.emplace_back();
    fresh.node = nodes_.at(&instruction);
    fresh.outputs = {&instruction};
    group_of_node_[fresh.node] = group;
    groups_of_[&instruction] = {group};
    fresh.instructions = 1;
    fresh.is_closed = instruction.shape().IsTuple() || IsClosedKernel(instruction) ||
                      instruction.opcode() == HloOpcode::kDynamicUpdateSlice;
    if (IsClosedKernel(instruction)) {
      place_[&instruction] = kElsewhere;
      return;
    }
    const Shape& shape =
        instruction.shape().IsTuple() ? instruction.shape().tuple_shapes(0) : instruction.shape();
    fresh.loops = SizesOf(instruction.opcode() == HloOpcode::kDynamicUpdateSlice
                              ? instruction.operand(1)->shape()
                              : shape);
    place_[&instruction] = static_cast<int>(fresh.loops.size());
    fusion::CountFunction(fresh, instruction, place_[&instruction]);
    if (IsKernelReduce(instruction)) fusion::AddReduction(fresh, instruction);
  }

  // ---- Places

  int PlaceOfOperand(const HloInstruction& user, const HloInstruction& operand,
                     const Group& group) const {
    const int place = place_.at(&user);
    if (place == kElsewhere) return kElsewhere;
    switch (user.opcode()) {
      case HloOpcode::kBroadcast:
        return place != kInReduction && HasFirstDimensions(operand.shape(), user)
                   ? Rank(operand.shape())
                   : kElsewhere;
      case HloOpcode::kReshape:
        return SizesOf(user.shape()) == SizesOf(operand.shape()) ? place : kElsewhere;
      case HloOpcode::kReduce:
        if (user.dimensions().empty()) return place;
        if (group.reduce != nullptr) return kInReduction;
        return group.row_rank == place ? static_cast<int>(group.loops.size()) : kElsewhere;
      case HloOpcode::kDynamicUpdateSlice:
        return &operand == user.operand(group.outputs[0] == &user ? 1 : 0) ? place : kElsewhere;
      default:
        if (!user.IsElementwise() && user.opcode() != HloOpcode::kGetTupleElement)
          return kElsewhere;
        return SizesOf(operand.shape()) == SizesOf(user.shape()) ? place : kElsewhere;
    }
  }

  // What one row needs is computed in the kernel that walks the rows.
  bool IsOfRows(const HloInstruction& instruction, absl::Span<const int> groups) const {
    if (groups.size() != 1 || !instruction.shape().IsArray()) return false;
    const Group& group = groups_[groups[0]];
    for (const HloInstruction* user : instruction.users()) {
      if (!groups_of_.contains(user)) return false;
      const int place = PlaceOfOperand(*user, instruction, group);
      if (place < 1 || place >= static_cast<int>(group.loops.size())) return false;
    }
    return true;
  }

  // ---- Merging

  // How the members of a group use an instruction.
  Use UseIn(const HloInstruction& instruction, int group) const {
    Use use;
    bool is_first = true;
    double most = 0;
    for (const HloInstruction* user : instruction.users()) {
      if (!absl::c_linear_search(GroupsOf(*user), group)) continue;
      const int place = PlaceOfOperand(*user, instruction, groups_[group]);
      use.place = is_first || use.place == place ? place : kElsewhere;
      is_first = false;
      double times = 0;
      for (const Index& index : IndicesIn(*user, instruction, place, groups_[group])) {
        times += index.times;
        const auto same = absl::c_find_if(
            use.indices, [&](const Index& other) { return other.number == index.number; });
        if (same == use.indices.end()) {
          use.indices.push_back(index);
        } else {
          same->times = std::max(same->times, index.times);
        }
      }
      most = std::max(most, times);
    }
    for (const Index& index : use.indices) use.times += index.times;
    if (use.place != kElsewhere) use.times = most;
    use.branches = use.times > most;
    if (use.indices.size() > kMostIndices)
      use.indices = {{NumberOf(instruction, kElsewhere), use.times}};
    return use;
  }

  // Those at which a user computes an operand.
  Indices IndicesIn(const HloInstruction& user, const HloInstruction& operand, int place,
                    const Group& group) const {
    const auto found = indices_.find(&user);
    Indices indices =
        found == indices_.end() ? Indices{{NumberOf(user, kElsewhere), 1}} : found->second;
    const bool keeps_index =
        user.IsElementwise() && SizesOf(user.shape()) == SizesOf(operand.shape());
    for (Index& index : indices) {
      if (place != kElsewhere) {
        index.number = NumberOfPlace(place);
      } else if (!keeps_index) {
        index.number = NumberOf(user, index.number);
      }
      if (user.opcode() == HloOpcode::kConcatenate) {
        // Its operands are asked for different elements.
        if (place == kElsewhere) index.number = NumberOf(operand, index.number);
        index.times *= static_cast<double>(HasLoopsForParts(user, group)
                                               ? absl::c_count(user.operands(), &operand)
                                               : user.operand_count());
      }
    }
    return indices;
  }

  static int NumberOfPlace(int place) { return -2 - place; }
  // That of the index which an instruction makes of another.
  int NumberOf(const HloInstruction& instruction, int number) const {
    return index_numbers_
        .try_emplace({&instruction, number}, static_cast<int>(index_numbers_.size()))
        .first->second;
  }

  // Whether computing it each time takes longer than a kernel that does so once.
  bool IsWorthAnArray(const HloInstruction& instruction, const Use& use) const {
    if (!use.branches || !CanBeKernel(instruction)) return false;
    const double more =
        (use.times - 1) * CostWithOperands(instruction) - kWorthAnArray * (use.times + 1);
    return more * static_cast<double>(ShapeUtil::ElementsIn(instruction.shape())) > kCostOfKernel;
  }

  // Whether code for each part of a concatenation asks for elements of one operand only.
  bool HasLoopsForParts(const HloInstruction& concatenate, const Group& group) const {
    return place_.at(&concatenate) == static_cast<int>(group.loops.size()) && group.row_rank < 0 &&
           group.reduce == nullptr &&
           group.instructions * concatenate.operand_count() <= kMaxInstructionsOfParts;
  }

  // Otherwise its elements are chosen from those of all operands.
  static double CostAt(int place, const HloInstruction& instruction) {
    const bool chooses = instruction.opcode() == HloOpcode::kConcatenate && place == kElsewhere;
    return passes::CostOfElement(instruction) +
           static_cast<double>(chooses ? instruction.operand_count() - 1 : 0);
  }

  Decision CanJoin(const HloInstruction& instruction, int number, const Use& use) const {
    const Group& group = groups_[number];
    if (group.instructions >= kMaxInstructions)
      return Decision::No("the kernel has $0 operations already", kMaxInstructions);
    if (instruction.shape().IsTuple()) return Decision::No("it has several results");
    if (group.instructions >= kLongKernel &&
        IsEndOfLongPart(instruction, [&](const auto& each) { return nodes_.at(&each); })) {
      return Decision::No("it ends a long part of a long kernel, and steps would not overlap");
    }
    const int rank = static_cast<int>(group.loops.size());
    for (const HloInstruction* user : instruction.users()) {
      if (!absl::c_linear_search(GroupsOf(*user), number)) continue;
      if (IsReducedInShortRows(instruction, *user)) {
        return Decision::No("rows of $0 elements would be reduced one after the other",
                            static_cast<double>(instruction.shape().dimensions().back()));
      }
      if (!ReadsRepeatedly(*user, instruction) || IsFreeHere(instruction)) continue;
      // Except for what is computed once a row.
      if (user->opcode() != HloOpcode::kBroadcast || use.place < 1 || use.place >= rank)
        return WhyNotReadBy(*user, instruction);
    }
    if (ReadsWhatIsUpdated(instruction, group, use))
      return Decision::No("it reads other places of an array that the kernel writes over");
    const HloInstruction& root = *group.outputs[0];
    if (root.opcode() == HloOpcode::kDynamicUpdateSlice && &instruction == root.operand(1) &&
        ReadsElsewhere(root)) {
      return Decision::No("it needs the array that it updates as a whole");
    }
    if (use.times > 1 && use.times * CostAt(use.place, instruction) > kMaxRepeatedCost)
      return Decision::No("each of its elements would be computed $0 times", use.times);
    if (instruction.opcode() == HloOpcode::kPad && use.times >= kLeastSlicesOfPad)
      return Decision::No("it would be padded $0 times", use.times);
    if (IsWorthAnArray(instruction, use)) {
      return Decision::No(
          "each of its elements would be computed $0 times, with all that they need", use.times);
    }
    if (const int64_t row = fusion::ShortRowFor(use, group);
        row > 1 && IsLongFunction(instruction) &&
        IsWorthAnArray(instruction,
                       {.place = use.place, .times = static_cast<double>(row), .branches = true})) {
      return Decision::No("in rows of $0 elements it would be computed for each of them", row);
    }
    if ((group.reduce != nullptr || group.row_rank >= 0) && IsOfShortParts(instruction))
      return Decision::No("the reduction would choose its elements one by one");
    if (group.reduce != nullptr && IsReadAcrossRows(instruction, *group.reduce))
      return Decision::No("the reduction would read each of its elements from another row");
    if (use.place == rank && HasRowsApart(instruction, group.row_rank))
      return Decision::No("reductions of its rows would read each element from another one");
    if (use.place == fusion::kElsewhere && IsTransposedInTiles(instruction))
      return Decision::No("it is transposed in tiles, which loops with another index have not");
    const auto is_here = [&](const HloInstruction& each) {
      return absl::c_linear_search(GroupsOf(each), number);
    };
    if (IsReadInPieces(instruction, is_here) || IsWindowInPieces(instruction, is_here))
      return Decision::No("its elements would be read in pieces of rows");
    if (IsStackedAcrossRows(instruction, is_here))
      return Decision::No("a concatenation would take each of its elements from another row");
    if (fusion::IsLongForOneIndex(instruction, group))
      return Decision::No("indices of single elements are computed one after the other");
    if (IsKernelReduce(instruction)) return fusion::CanReduceIn(instruction, group, use);
    if (CanBeInKernel(instruction)) return Decision::Yes();
    return Decision::No("$1 is computed in a kernel of its own kind", 0,
                        HloOpcodeString(instruction.opcode()));
  }

  static Decision WhyNotReadBy(const HloInstruction& user, const HloInstruction& instruction) {
    if (user.opcode() == HloOpcode::kDynamicUpdateSlice && user.operand(0) == &instruction)
      return Decision::No("the kernel updates it in place");
    return Decision::No("$1 reads elements of it repeatedly, or few of them", 0,
                        HloOpcodeString(user.opcode()));
  }

  // An array that is updated in place may only be read where it is about to be written.
  bool ReadsWhatIsUpdated(const HloInstruction& instruction, const Group& group,
                          const Use& use) const {
    const HloInstruction& root = *group.outputs[0];
    bool reads = false;
    for (int64_t i = 0; i < root.operand_count() && program::IsUpdatedInPlace(root, i); ++i)
      reads = reads || absl::c_linear_search(instruction.operands(), root.operand(i));
    if (!reads) return false;
    return root.opcode() != HloOpcode::kDynamicUpdateSlice ||
           use.place != static_cast<int>(group.loops.size()) ||
           !ReadsWhereWritten(instruction, root);
  }

  Decision Join(HloInstruction& instruction, int number) {
    const Use use = UseIn(instruction, number);
    const Decision joins = CanJoin(instruction, number, use);
    if (joins) Add(instruction, number, use);
    met_limit_ = met_limit_ || groups_[number].instructions >= kMaxInstructions;
    return joins;
  }

  void Add(HloInstruction& instruction, int number, const Use& use) {
    Group& group = groups_[number];
    order_.Merge(nodes_.at(&instruction), group.node);
    groups_of_[&instruction] = {number};
    place_[&instruction] = use.place;
    indices_[&instruction] = use.indices;
    ++group.instructions;
    fusion::CountFunction(group, instruction, use.place);
    if (!IsKernelReduce(instruction)) return;
    if (!ReducesLastDimensions(instruction) ||
        Rank(instruction.shape()) == static_cast<int>(group.loops.size())) {
      fusion::AddReduction(group, instruction);
    } else {
      group.row_rank = Rank(instruction.shape());
    }
  }

  // What others need as well is written by the way.
  Decision JoinAsOutput(HloInstruction& instruction, int number) {
    Group& group = groups_[number];
    if (group.is_closed) return Decision::No("others need it too, and the kernel has one result");
    if (group.outputs.size() >= kMaxOutputs)
      return Decision::No("others need it too, and the kernel has $0 results already", kMaxOutputs);
    if (!CanBeKernel(instruction)) return Decision::No("others need it too");
    const Use use = UseIn(instruction, number);
    const int rank = static_cast<int>(group.loops.size());
    const bool is_of_rows = group.row_rank >= 1 && use.place == group.row_rank;
    const bool is_whole =
        use.place == rank &&
        (group.row_rank < 0 || fusion::OutputRank(group) == rank || fusion::HasManyLongRows(group));
    if (!is_of_rows && !is_whole)
      return Decision::No("others need it too, and the kernel does not compute it once and whole");
    const Decision joins = CanJoin(instruction, number, use);
    if (!joins) return joins;
    if (order_.ReachesThroughOthers(nodes_.at(&instruction), group.node))
      return Decision::No("others need it before this kernel can begin");
    Add(instruction, number, use);
    group.outputs.push_back(&instruction);
    return joins;
  }

  // Computed by each that needs it, it costs them no more than to read it.
  Decision CanRepeat(const HloInstruction& instruction, absl::Span<const int> groups) const {
    if (!CanBeInKernel(instruction) || passes::CostOfElement(instruction) > 1)
      return Decision::No("several kernels need it, and to compute it costs more than to read it");
    if (!instruction.IsElementwise() && instruction.opcode() != HloOpcode::kSlice &&
        instruction.opcode() != HloOpcode::kReverse &&
        instruction.opcode() != HloOpcode::kBroadcast)
      return Decision::No("several kernels need it, none of which should repeat $1", 0,
                          HloOpcodeString(instruction.opcode()));
    const int64_t own_bytes = ShapeUtil::ByteSizeOf(instruction.shape());
    int64_t bytes = 0;
    for (const HloInstruction* operand : instruction.operands()) {
      if (operand->opcode() == HloOpcode::kBroadcast) operand = operand->operand(0);
      const int64_t read = IsFree(*operand) ? 0 : ShapeUtil::ByteSizeOf(operand->shape());
      if (read > own_bytes / kManyTimes) bytes += read;
    }
    if (bytes > own_bytes)
      return Decision::No(
          "several kernels need it, and it is smaller than what it is computed from");
    for (const HloInstruction* user : instruction.users()) {
      if (ReadsRepeatedly(*user, instruction) || IsClosedKernel(*user) ||
          user->opcode() == HloOpcode::kDynamicUpdateSlice) {
        return Decision::No("several kernels need it, one of them for $1", 0,
                            HloOpcodeString(user->opcode()));
      }
    }
    if (IsWrittenOver(instruction)) return Decision::No("it is updated in place");
    for (int group : groups) {
      if (groups_[group].repeated >= kMostRepeated)
        return Decision::No("several kernels need it, one of which repeats $0 operations already",
                            kMostRepeated);
    }
    return Decision::Yes();
  }

  // ---- The order of kernels

  // What needs a kernel, or an instruction that is in none.
  void VisitUsers(int node, absl::FunctionRef<void(int)> visit) const {
    const int group = group_of_node_[node];
    if (group == kNoGroup) return VisitUsersOf(*instructions_[node], node, visit);
    for (const HloInstruction* output : groups_[group].outputs) VisitUsersOf(*output, node, visit);
  }

  void VisitUsersOf(const HloInstruction& instruction, int node,
                    absl::FunctionRef<void(int)> visit) const {
    for (const HloInstruction* user : instruction.users()) {
      const auto found = groups_of_.find(user);
      if (found == groups_of_.end()) {
        visit(nodes_.at(user));
        continue;
      }
      for (int group : found->second) {
        if (const int other = groups_[Find(group)].node; other != node) visit(other);
      }
    }
  }

  // ---- Groups that read the same

  bool MergeSiblings(const HloInstruction& read, absl::Span<const int> groups) {
    if (!read.shape().IsArray() || ShapeUtil::ElementsIn(read.shape()) < 64 ||
        read.user_count() > kMaxSiblings) {
      return false;
    }
    bool merged = false;
    for (size_t i = 0; i < groups.size(); ++i) {
      for (size_t j = i + 1; j < groups.size() && j < i + 8; ++j) {
        const int x = Find(groups[i]), y = Find(groups[j]);
        if (x == y) continue;
        if (const Decision merges = CanMerge(read, x, y); !merges) {
          Refuse(*groups_[x].outputs[0], y, merges);
          continue;
        }
        Merge(x, y);
        merged = true;
      }
    }
    return merged;
  }

  Decision CanMerge(const HloInstruction& read, int x, int y) {
    const Group& a = groups_[x];
    const Group& b = groups_[y];
    if (a.is_closed || b.is_closed || a.loops != b.loops || a.row_rank != b.row_rank)
      return Decision::No("its loops are others");
    if ((a.reduce == nullptr) != (b.reduce == nullptr) ||
        (a.reduce != nullptr && !fusion::IsSameReduction(*a.reduce, b))) {
      return Decision::No("it reduces other dimensions");
    }
    if (a.instructions + b.instructions > kMaxInstructions / 2)
      return Decision::No("both together have $0 operations", a.instructions + b.instructions);
    const size_t most = fusion::HasShortRows(a) ? kMaxOutputsOfShortRows : kMaxOutputs;
    if (a.outputs.size() + b.outputs.size() > most)
      return Decision::No("both together have more than $0 results", static_cast<double>(most));
    const int place = UseIn(read, x).place;
    if (place == kElsewhere || place != UseIn(read, y).place ||
        (place != kInReduction && place != static_cast<int>(a.loops.size()))) {
      return Decision::No("it reads elements in another order");
    }
    const auto [first, second] = order_.InOrder(a.node, b.node);
    if (order_.Reaches(first, second)) return Decision::No("one of them needs the other");
    return Decision::Yes();
  }

  void Merge(int x, int y) {
    Group& a = groups_[x];
    Group& b = groups_[y];
    const auto [first, second] = order_.InOrder(a.node, b.node);
    order_.Merge(first, second);
    a.node = second;
    group_of_node_[second] = x;
    a.outputs.insert(a.outputs.end(), b.outputs.begin(), b.outputs.end());
    a.instructions += b.instructions;
    a.repeated += b.repeated;
    a.additions_of_functions += b.additions_of_functions;
    parents_[y] = x;
  }

  // What an instruction does not become part of: a group, or what is computed in registers.
  static constexpr int kInRegisters = -1;
  struct Refusal {
    const HloInstruction* instruction;
    int group;
    Decision decision;
  };

  static constexpr int kNoGroup = -1;

  HloComputation& computation_;
  passes::Decisions* const decisions_;
  const std::vector<HloInstruction*> instructions_;  // in post-order, which numbers their nodes
  absl::flat_hash_map<const HloInstruction*, int> nodes_;
  std::vector<int> group_of_node_;
  MergeOrder order_;
  std::vector<Refusal> refusals_;
  bool met_limit_ = false;
  std::vector<Group> groups_;
  std::vector<int> parents_;
  absl::flat_hash_map<const HloInstruction*, std::vector<int>> groups_of_;
  absl::flat_hash_map<const HloInstruction*, int> place_;
  absl::flat_hash_map<const HloInstruction*, Indices> indices_;
  mutable absl::flat_hash_map<std::pair<const HloInstruction*, int>, int> index_numbers_;
  mutable absl::flat_hash_map<const HloInstruction*, bool> written_over_;
};

// Where kernels are full, which instructions they have depends on the order: whatever writes less
// is done.
absl::StatusOr<bool> FuseComputation(HloComputation& computation, passes::Decisions* decisions) {
  Fuser fuser(computation, computation.MakeInstructionPostOrder(), decisions);
  if (!fuser.MetLimit()) return fuser.Fuse();
  Fuser other(computation, OrderOfFewNeeded(computation), decisions);
  return other.BytesWritten() < fuser.BytesWritten() ? other.Fuse() : fuser.Fuse();
}

void CollectSequential(HloComputation* computation, std::vector<HloComputation*>& all) {
  all.push_back(computation);
  for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
    if (!IsLoopOrConditional(*instruction)) continue;
    for (HloComputation* callee : instruction->called_computations())
      CollectSequential(callee, all);
  }
}

}  // namespace

std::vector<HloComputation*> SequentialComputations(HloModule& module) {
  std::vector<HloComputation*> computations;
  CollectSequential(module.entry_computation(), computations);
  return computations;
}

absl::StatusOr<bool> FuseLoops(HloModule& module, const passes::PassOptions& options) {
  bool changed = false;
  for (HloComputation* computation : SequentialComputations(module)) {
    HILO_ASSIGN_OR_RETURN(const bool fused, FuseComputation(*computation, options.decisions));
    changed |= fused;
  }
  if (changed) HILO_RETURN_IF_ERROR(passes::RemoveDeadCode(module).status());
  return changed;
}

}  // namespace xla::cpu
