#include "xla/hlo/analysis/tuple_points_to_analysis.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/util.h"

namespace xla {

void PointsToSet::AddPointedToBuffer(const LogicalBuffer& buffer, const ShapeIndex& index) {
  BufferList& list = *buffers_.mutable_element(index);
  if (!absl::c_linear_search(list, &buffer)) list.push_back(&buffer);
}

bool PointsToSet::IsAmbiguous() const {
  bool is_ambiguous = false;
  ForEachElement([&](const ShapeIndex&, const BufferList& list) {
    is_ambiguous = is_ambiguous || list.size() > 1;
  });
  return is_ambiguous;
}

bool PointsToSet::IsDistinct() const {
  int64_t places = 0;
  ForEachElement([&](const ShapeIndex&, const BufferList& list) {
    places += static_cast<int64_t>(list.size());
  });
  return places == size();
}

PointsToSet::BufferSet PointsToSet::CreateFlattenedSet() const {
  BufferSet all;
  ForEachElement(
      [&](const ShapeIndex&, const BufferList& list) { all.insert(list.begin(), list.end()); });
  return all;
}

bool PointsToSet::ContainsBuffer(const LogicalBuffer& buffer) const {
  return CreateFlattenedSet().contains(&buffer);
}

bool PointsToSet::ContainsBufferAtIndex(const LogicalBuffer& buffer,
                                        const ShapeIndex& index) const {
  return absl::c_linear_search(element(index), &buffer);
}

absl::StatusOr<std::unique_ptr<TuplePointsToAnalysis>> TuplePointsToAnalysis::Run(
    const HloModule* module) {
  std::unique_ptr<TuplePointsToAnalysis> analysis(new TuplePointsToAnalysis(module));
  for (const HloComputation* computation : module->MakeComputationPostOrder()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder())
      analysis->Visit(*instruction);
  }
  return analysis;
}

void TuplePointsToAnalysis::Visit(HloInstruction& instruction) {
  auto set = std::make_unique<PointsToSet>(&instruction.shape());
  switch (instruction.opcode()) {
    case HloOpcode::kAddDependency:
    case HloOpcode::kBitcast:
    case HloOpcode::kDomain:
    case HloOpcode::kOptimizationBarrier:
      HandOn(*instruction.operand(0), {}, {}, *set);
      break;
    case HloOpcode::kGetTupleElement:
      HandOn(*instruction.operand(0), {instruction.tuple_index()}, {}, *set);
      break;
    case HloOpcode::kCopyDone:
      HandOn(*instruction.operand(0), {0}, {}, *set);
      break;
    case HloOpcode::kRecvDone:
      Define(instruction, {}, *set);
      Define(instruction, {1}, *set);
      HandOn(*instruction.operand(0), {0}, {0}, *set);
      break;
    case HloOpcode::kCopy:
      // Of a tuple, the arrays stay where they are.
      Define(instruction, {}, *set);
      for (int64_t i = 0;
           instruction.shape().IsTuple() && i < instruction.shape().tuple_shapes_size(); ++i) {
        HandOn(*instruction.operand(0), {i}, {i}, *set);
      }
      break;
    case HloOpcode::kTuple:
      Define(instruction, {}, *set);
      for (int64_t i = 0; i < instruction.operand_count(); ++i)
        HandOn(*instruction.operand(i), {}, {i}, *set);
      break;
    default:
      ShapeUtil::ForEachSubshape(instruction.shape(), [&](const Shape&, const ShapeIndex& index) {
        Define(instruction, index, *set);
      });
      break;
  }
  sets_.emplace(&instruction, std::move(set));
}

void TuplePointsToAnalysis::Define(HloInstruction& instruction, const ShapeIndex& index,
                                   PointsToSet& set) {
  buffers_.push_back(std::make_unique<LogicalBuffer>(&instruction, index, num_logical_buffers()));
  set.AddPointedToBuffer(*buffers_.back(), index);
}

void TuplePointsToAnalysis::HandOn(const HloInstruction& operand, const ShapeIndex& from,
                                   const ShapeIndex& to, PointsToSet& set) const {
  GetPointsToSet(&operand).ForEachElement(
      [&](const ShapeIndex& index, const PointsToSet::BufferList& list) {
        if (index.size() < from.size() ||
            !absl::c_equal(absl::MakeConstSpan(index).first(from.size()), from)) {
          return;
        }
        ShapeIndex place = to;
        for (size_t i = from.size(); i < index.size(); ++i) place.push_back(index[i]);
        for (const LogicalBuffer* buffer : list) set.AddPointedToBuffer(*buffer, place);
      });
}

const PointsToSet& TuplePointsToAnalysis::GetPointsToSet(const HloInstruction* instruction) const {
  const auto found = sets_.find(instruction);
  CHECK(found != sets_.end()) << instruction->name() << " is not in " << module_->name();
  return *found->second;
}

const LogicalBuffer& TuplePointsToAnalysis::GetBuffer(LogicalBuffer::Id id) const {
  CHECK(id >= 0 && id < num_logical_buffers()) << id;
  return *buffers_[id];
}

absl::StatusOr<const LogicalBuffer*> TuplePointsToAnalysis::GetBufferDefinedAt(
    const HloInstruction* instruction, const ShapeIndex& index) const {
  for (const LogicalBuffer* buffer : GetPointsToSet(instruction).element(index)) {
    if (buffer->instruction() == instruction && buffer->index() == index) return buffer;
  }
  return InvalidArgument("%s does not make the value at %s", instruction->name(), index.ToString());
}

std::vector<const LogicalBuffer*> TuplePointsToAnalysis::GetBuffersDefinedByInstruction(
    const HloInstruction* instruction) const {
  std::vector<const LogicalBuffer*> own;
  for (const std::unique_ptr<LogicalBuffer>& buffer : buffers_) {
    if (buffer->instruction() == instruction) own.push_back(buffer.get());
  }
  return own;
}

std::string TuplePointsToAnalysis::ToString() const {
  std::string text = absl::StrCat("what is made where in ", module_->name(), ":\n");
  for (const HloComputation* computation : module_->MakeComputationPostOrder()) {
    for (const HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      GetPointsToSet(instruction).ForEachElement([&](const ShapeIndex& index, const auto& list) {
        absl::StrAppend(&text, "  ", instruction->name(), index.ToString(), ": ",
                        absl::StrJoin(list, ", ",
                                      [](std::string* out, const auto* buffer) {
                                        absl::StrAppend(out, buffer->ToString());
                                      }),
                        "\n");
      });
    }
  }
  return text;
}

}  // namespace xla
