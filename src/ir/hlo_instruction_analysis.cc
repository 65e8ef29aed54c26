// Questions about instructions that take some thought: what is equal, how operands are used, what
// is reachable.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "ir/graph.h"
#include "ir/messages.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"

namespace xla {

// ---- Equality ----

bool SameAttributes(const HloInstruction& a, const HloInstruction& b, bool with_channel_ids) {
  for (const Field& field : a.attributes().Fields()) {
    if (field.name == "channel_id" && !with_channel_ids) {
      if (a.channel_id().has_value() != b.channel_id().has_value()) return false;
    } else if (!FieldEqual(field, a.attributes(), b.attributes())) {
      return false;
    }
  }
  return true;
}

namespace {

// Whoever transfers something finds there with whom.
bool HasMeaningfulFrontendAttributes(const HloInstruction& instruction) {
  return HloPredicateIsOp<HloOpcode::kSend, HloOpcode::kSendDone, HloOpcode::kRecv,
                          HloOpcode::kRecvDone>(&instruction);
}

struct ComparisonOptions {
  HloInstruction::EqualInstructions equal_operands;
  HloInstruction::EqualComputations equal_computations;
  bool layout_sensitive = true;
  bool sharding_sensitive = false;
  bool with_channel_ids = true;
  bool any_order = false;
};

bool SameOperands(const HloInstruction& a, const HloInstruction& b, const ComparisonOptions& how) {
  if (a.operand_count() != b.operand_count()) return false;
  if (how.any_order && HloOpcodeIsBinaryCommutative(a.opcode()) &&
      how.equal_operands(a.operand(0), b.operand(1)) &&
      how.equal_operands(a.operand(1), b.operand(0))) {
    return true;
  }
  for (int64_t i = 0; i < a.operand_count(); ++i) {
    if (!how.equal_operands(a.operand(i), b.operand(i))) return false;
  }
  return true;
}

bool AreIdentical(const HloInstruction& a, const HloInstruction& b, const ComparisonOptions& how) {
  if (&a == &b) return true;
  const bool same_shape = how.layout_sensitive ? ShapeUtil::Equal(a.shape(), b.shape())
                                               : ShapeUtil::Compatible(a.shape(), b.shape());
  if (a.opcode() != b.opcode() || !same_shape || !SameOperands(a, b, how) ||
      a.called_computations().size() != b.called_computations().size()) {
    return false;
  }
  for (size_t i = 0; i < a.called_computations().size(); ++i) {
    const HloComputation* left = a.called_computations()[i];
    const HloComputation* right = b.called_computations()[i];
    if (left != right && !how.equal_computations(left, right)) return false;
  }
  if (how.sharding_sensitive && !a.has_compatible_sharding(&b)) return false;
  if (HasMeaningfulFrontendAttributes(a) &&
      !AreEqual(a.frontend_attributes(), b.frontend_attributes())) {
    return false;
  }
  return a.raw_backend_config_string() == b.raw_backend_config_string() &&
         a.equal_result_accuracy(&b) && SameAttributes(a, b, how.with_channel_ids);
}

bool SamePointer(const HloInstruction* a, const HloInstruction* b) { return a == b; }
bool SameStructure(const HloComputation* a, const HloComputation* b) { return *a == *b; }

}  // namespace

bool HloInstruction::Identical(const HloInstruction& other) const {
  return AreIdentical(*this, other, {SamePointer, SameStructure});
}

bool HloInstruction::Identical(const HloInstruction& other,
                               EqualInstructions equal_operands) const {
  return AreIdentical(*this, other, {equal_operands, SameStructure});
}

bool HloInstruction::Identical(const HloInstruction& other, EqualInstructions equal_operands,
                               EqualComputations equal_computations, bool layout_sensitive,
                               bool sharding_sensitive) const {
  return AreIdentical(*this, other,
                      {equal_operands, equal_computations, layout_sensitive, sharding_sensitive});
}

bool HloInstruction::IdenticalIgnoringCommutativeOperandOrder(const HloInstruction& other,
                                                              EqualInstructions equal_operands,
                                                              EqualComputations equal_computations,
                                                              bool layout_sensitive,
                                                              bool sharding_sensitive) const {
  return AreIdentical(*this, other,
                      {equal_operands, equal_computations, layout_sensitive, sharding_sensitive,
                       /*with_channel_ids=*/true, /*any_order=*/true});
}

bool HloInstruction::IdenticalIgnoringChannelIdValues(const HloInstruction& other,
                                                      EqualInstructions equal_operands,
                                                      EqualComputations equal_computations,
                                                      bool layout_sensitive,
                                                      bool sharding_sensitive) const {
  return AreIdentical(*this, other,
                      {equal_operands, equal_computations, layout_sensitive, sharding_sensitive,
                       /*with_channel_ids=*/false});
}

bool HloInstruction::SameOp(const HloInstruction& other) const {
  const auto any_operand = [](const HloInstruction*, const HloInstruction*) { return true; };
  return opcode_ == other.opcode_ && operand_count() == other.operand_count() &&
         called_computations_.size() == other.called_computations_.size() &&
         AreIdentical(*this, other, {any_operand, SameStructure});
}

// ---- How operands are used ----

bool HloInstruction::IsElementwiseOnOperand(int64_t operand_idx) const {
  if (opcode_ == HloOpcode::kDynamicUpdateSlice) return operand_idx == 0;
  if (opcode_ != HloOpcode::kFusion) return IsElementwise();
  // All that is reachable from the parameter must be elementwise.
  std::vector<const HloInstruction*> waiting = {fused_parameter(operand_idx)};
  absl::flat_hash_set<const HloInstruction*> seen(waiting.begin(), waiting.end());
  while (!waiting.empty()) {
    const HloInstruction* operand = waiting.back();
    waiting.pop_back();
    for (const HloInstruction* user : operand->users()) {
      for (const int64_t i : user->operand_indices(operand)) {
        if (!user->IsElementwiseOnOperand(i)) return false;
      }
      if (seen.insert(user).second) waiting.push_back(user);
    }
  }
  return true;
}

namespace {

// How a value gets from an operand to a result: not at all, element by element, each element at
// most once but elsewhere, or some elements more than once.
enum class Use { kNone, kSamePlace, kPermuted, kRepeated };

Use UseOfOperand(const HloInstruction& instruction, int64_t operand) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kCopy:
    case HloOpcode::kGather:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return Use::kPermuted;
    case HloOpcode::kTuple:
      return Use::kSamePlace;
    case HloOpcode::kPad:
    case HloOpcode::kDynamicSlice:
      return operand == 0 ? Use::kPermuted : Use::kRepeated;
    case HloOpcode::kReduce:
      return operand < instruction.operand_count() / 2 ? Use::kPermuted : Use::kRepeated;
    case HloOpcode::kDynamicUpdateSlice:
      return operand == 0 ? Use::kSamePlace : operand == 1 ? Use::kPermuted : Use::kRepeated;
    case HloOpcode::kBroadcast:
      return ShapeUtil::ElementsIn(instruction.shape()) ==
                     ShapeUtil::ElementsIn(instruction.operand(operand)->shape())
                 ? Use::kPermuted
                 : Use::kRepeated;
    default:
      return instruction.IsElementwiseOnOperand(operand) ? Use::kSamePlace : Use::kRepeated;
  }
}

// How the root of a fused computation uses a parameter, by all ways together.
class FusedUse {
 public:
  explicit FusedUse(const HloInstruction& fusion) : fusion_(fusion) {}

  Use OfParameter(int64_t number) {
    const HloComputation& fused = *fusion_.fused_instructions_computation();
    for (const HloInstruction* instruction : fused.MakeInstructionPostOrder()) {
      ways_[instruction] = instruction == fusion_.fused_parameter(number)
                               ? Way{Use::kSamePlace}
                               : WayThrough(*instruction);
    }
    return ways_.at(fused.root_instruction()).use;
  }

 private:
  struct Way {
    Use use = Use::kNone;
    const HloInstruction* permuted_by = nullptr;
  };

  Way WayThrough(const HloInstruction& instruction) const {
    Way all;
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      Way way = ways_.at(instruction.operand(i));
      if (way.use == Use::kNone) continue;
      const Use use = instruction.opcode() == HloOpcode::kFusion
                          ? FusedUse(instruction).OfParameter(i)
                          : UseOfOperand(instruction, i);
      if (use == Use::kPermuted) way.permuted_by = &instruction;
      if (use != Use::kSamePlace && way.use != Use::kRepeated) way.use = use;
      const bool is_new_way =
          all.use != Use::kNone && (all.use != way.use || all.permuted_by != way.permuted_by);
      if (is_new_way) way.use = Use::kRepeated;
      all = way;
    }
    return all;
  }

  const HloInstruction& fusion_;
  absl::flat_hash_map<const HloInstruction*, Way> ways_;
};

}  // namespace

bool HloInstruction::ReusesOperandElements(int64_t operand_idx) const {
  const Use use = opcode_ == HloOpcode::kFusion ? FusedUse(*this).OfParameter(operand_idx)
                                                : UseOfOperand(*this, operand_idx);
  return use == Use::kRepeated;
}

std::optional<ShapeUtil::ShapeEqualityDescriptor>
HloInstruction::ReshapeMerelyInsertsOrDeletes1SizedDimensions() const {
  if (opcode_ != HloOpcode::kReshape) return std::nullopt;
  return ShapeUtil::InsertedOrDeleted1SizedDimensions(operand(0)->shape(), shape_);
}

std::optional<int64_t> HloInstruction::MapUnaryOutputDimToOperandDim(int64_t output_dim) const {
  if (operand_count() != 1) return std::nullopt;
  if (IsElementwise()) return output_dim;
  const auto found = [](absl::Span<const int64_t> list, int64_t dim) -> std::optional<int64_t> {
    const auto place = absl::c_find(list, dim);
    if (place == list.end()) return std::nullopt;
    return place - list.begin();
  };
  switch (opcode_) {
    case HloOpcode::kBroadcast:
      return found(dimensions(), output_dim);
    case HloOpcode::kTranspose:
      return dimensions(output_dim);
    case HloOpcode::kReshape:
      for (const auto& [operand_dim, result_dim] :
           ShapeUtil::DimensionsUnmodifiedByReshape(operand(0)->shape(), shape_)) {
        if (result_dim == output_dim) return operand_dim;
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool HloInstruction::IsRank2Transpose() const {
  return opcode_ == HloOpcode::kTranspose && dimensions().size() == 2 && dimensions(0) == 1 &&
         dimensions(1) == 0;
}

bool HloInstruction::IsEffectiveBitcast() const {
  switch (opcode_) {
    case HloOpcode::kBitcast:
      return true;
    case HloOpcode::kTranspose:
      return ShapeUtil::TransposeIsBitcast(operand(0)->shape(), shape_, dimensions());
    case HloOpcode::kReshape:
      return ShapeUtil::ReshapeIsBitcast(operand(0)->shape(), shape_);
    default:
      return false;
  }
}

bool HloInstruction::IsCollective() const { return HasTrait(opcode_, kCollective); }

namespace {
bool IsAllReduce(const HloInstruction& instruction) {
  return HloPredicateIsOp<HloOpcode::kAllReduce, HloOpcode::kAllReduceStart>(&instruction);
}
}  // namespace

bool HloInstruction::IsCrossModuleAllReduce() const {
  return IsAllReduce(*this) && channel_id().has_value();
}

bool HloInstruction::IsCrossReplicaAllReduce() const {
  return IsAllReduce(*this) && !channel_id().has_value();
}

std::string HloInstruction::ToCategory() const {
  if (opcode_ == HloOpcode::kTranspose || opcode_ == HloOpcode::kCopy ||
      opcode_ == HloOpcode::kReshape) {
    return "data formatting";
  }
  if (opcode_ == HloOpcode::kFusion) {
    return absl::StrCat(absl::StripPrefix(xla::ToString(fusion_kind()), "k"), " fusion");
  }
  if (IsElementwise()) return "non-fusion elementwise";
  return std::string(HloOpcodeString(opcode_));
}

// ---- Ways through the graph ----

std::pair<const HloInstruction*, ShapeIndex> HloInstruction::LatestNonGteAncestorAndIndex() const {
  const HloInstruction* source = this;
  ShapeIndex index;
  while (source->opcode() == HloOpcode::kGetTupleElement) {
    index.push_back(source->tuple_index());
    source = source->operand(0);
  }
  std::reverse(index.begin(), index.end());
  return {source, index};
}

std::pair<HloInstruction*, ShapeIndex> HloInstruction::LatestNonGteAncestorAndIndex() {
  auto [source, index] = std::as_const(*this).LatestNonGteAncestorAndIndex();
  return {const_cast<HloInstruction*>(source), index};
}

const HloInstruction* HloInstruction::LatestNonGteAncestor() const {
  return LatestNonGteAncestorAndIndex().first;
}

HloInstruction* HloInstruction::LatestNonGteAncestor() {
  return LatestNonGteAncestorAndIndex().first;
}

HloInstruction* HloInstruction::async_chain_start() const {
  CHECK(IsAsynchronous()) << name_;
  const HloInstruction* start = this;
  while (start->opcode() != HloOpcode::kAsyncStart && start->operand_count() > 0 &&
         start->operand(0)->IsAsynchronous()) {
    start = start->operand(0);
  }
  return const_cast<HloInstruction*>(start);
}

std::vector<HloInstruction*> HloInstruction::GetAsyncChain() const {
  std::vector<HloInstruction*> chain = {async_chain_start()};
  while (true) {
    const auto next = absl::c_find_if(chain.back()->users(), [&](const HloInstruction* user) {
      return HloPredicateIsOp<HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone>(user) &&
             user->operand(0) == chain.back();
    });
    if (next == chain.back()->users().end()) return chain;
    chain.push_back(*next);
  }
}

HloInstruction* HloInstruction::async_chain_done() const {
  HloInstruction* last = GetAsyncChain().back();
  return last->opcode() == HloOpcode::kAsyncDone ? last : nullptr;
}

std::string HloInstruction::GetStackTraceStringFromMetadata(int indent) const {
  const std::string margin(indent, ' ');
  const auto place = [&](absl::string_view file, int line, int column, absl::string_view function) {
    return absl::StrCat(margin, file, line > 0 ? absl::StrCat(":", line) : "",
                        column > 0 ? absl::StrCat(":", column) : "",
                        function.empty() ? "" : absl::StrCat(" [", function, "]"), "\n");
  };
  std::string text;
  if (GetModule() != nullptr) {
    const StackFrames& frames = GetModule()->stack_frames();
    for (StackFrameId id{metadata().stack_frame_id()}; frames.IsValidId(id);) {
      const HloStackFrame frame = frames.GetStackFrame(id);
      absl::StrAppend(&text, place(frame.file_name, frame.line, frame.column, frame.function_name));
      id = frame.parent_frame_id;
    }
  }
  if (!text.empty()) return text;
  if (metadata().source_file().empty()) return absl::StrCat(margin, "<no source information>\n");
  return place(metadata().source_file(), metadata().source_line(), metadata().source_column(), "");
}

bool HloPtrComparator::operator()(const HloInstruction* const& lhs,
                                  const HloInstruction* const& rhs) const {
  if (lhs == nullptr || rhs == nullptr) return lhs == nullptr && rhs != nullptr;
  const auto key = [](const HloInstruction* instruction) {
    const HloModule* module = instruction->GetModule();
    return std::make_tuple(
        module == nullptr ? -1 : module->unique_id(),
        instruction->parent() == nullptr ? -1 : instruction->parent()->unique_id(),
        instruction->local_id());
  };
  return key(lhs) < key(rhs);
}

}  // namespace xla
