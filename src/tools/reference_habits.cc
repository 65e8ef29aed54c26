#include "tools/reference_habits.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "ir/records.h"
#include "ir/scatter_windows.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Moves each index with which a window would stick out to where all of the window lies outside.
absl::Status DropWindowsThatStickOut(HloInstruction* scatter) {
  const auto& attributes = scatter->attributes_as<ScatterAttributes>();
  const int64_t place = (scatter->operand_count() - 1) / 2;
  const Shape& operand = scatter->operand(0)->shape();
  const Sizes sizes = ScatterWindowSizes(attributes, operand, scatter->operand(place + 1)->shape());
  std::vector<int64_t> last, outside;
  for (int64_t d : attributes.scatter_dims_to_operand_dims) {
    outside.push_back(operand.dimensions(static_cast<int>(d)));
    last.push_back(outside.back() - sizes[d]);
  }
  HloInstruction* indices = scatter->mutable_operand(place);
  const Shape shape = ShapeUtil::ChangeElementType(indices->shape(), S64);
  const Shape flags = ShapeUtil::ChangeElementType(shape, PRED);
  HloComputation* computation = scatter->parent();
  const bool has_vectors = attributes.index_vector_dim < shape.dimensions_size();
  const auto add = [&](std::unique_ptr<HloInstruction> instruction) {
    return computation->AddInstruction(std::move(instruction));
  };
  const auto spread = [&](const std::vector<int64_t>& values) {
    HloInstruction* constant = add(HloInstruction::CreateConstant(
        has_vectors ? LiteralUtil::CreateR1<int64_t>(values) : LiteralUtil::CreateR0(values[0])));
    const std::vector<int64_t> dimensions(has_vectors ? 1 : 0, attributes.index_vector_dim);
    return add(HloInstruction::CreateBroadcast(shape, constant, dimensions));
  };
  HloInstruction* wide = add(HloInstruction::CreateConvert(shape, indices));
  HloInstruction* zeros = spread(std::vector<int64_t>(last.size(), 0));
  HloInstruction* fits = add(HloInstruction::CreateBinary(
      flags, HloOpcode::kAnd,
      add(HloInstruction::CreateCompare(flags, wide, zeros, ComparisonDirection::kGe)),
      add(HloInstruction::CreateCompare(flags, wide, spread(last), ComparisonDirection::kLe))));
  return scatter->ReplaceOperandWithDifferentShape(
      place,
      add(HloInstruction::CreateTernary(shape, HloOpcode::kSelect, fits, wide, spread(outside))));
}

// An array with the dimensions reduced to one for each window of 32.
HloInstruction* ReduceWindowsOnce(HloInstruction* array, HloInstruction* initial_value,
                                  absl::Span<const int64_t> dimensions, HloComputation* function) {
  constexpr int64_t kWindow = 32;
  Shape shape = array->shape();
  Window window;
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    const bool is_reduced = absl::c_linear_search(dimensions, d);
    const int64_t size = is_reduced ? std::min(kWindow, shape.dimensions(d)) : 1;
    const int64_t count = (shape.dimensions(d) + size - 1) / size;
    const int64_t padding = count * size - shape.dimensions(d);
    WindowDimension* dimension = window.add_dimensions();
    dimension->set_size(size);
    dimension->set_stride(size);
    dimension->set_padding_low(padding / 2);
    dimension->set_padding_high(padding - padding / 2);
    dimension->set_window_dilation(1);
    dimension->set_base_dilation(1);
    shape.set_dimensions(d, count);
  }
  return array->parent()->AddInstruction(
      HloInstruction::CreateReduceWindow(shape, array, initial_value, window, function));
}

absl::Status ReduceByWindows(HloInstruction* reduce) {
  HloInstruction* array = reduce->mutable_operand(0);
  HloInstruction* initial_value = reduce->mutable_operand(1);
  const std::vector<int64_t> dimensions(reduce->dimensions().begin(), reduce->dimensions().end());
  const auto largest = [&] {
    int64_t size = 1;
    for (int64_t d : dimensions)
      size = std::max(size, array->shape().dimensions(static_cast<int>(d)));
    return size;
  };
  if (largest() == 1 && !ShapeUtil::IsZeroElementArray(array->shape())) {
    return reduce->parent()->ReplaceWithNewInstruction(
        reduce, HloInstruction::CreateReshape(reduce->shape(), array));
  }
  while (largest() > 32)
    array = ReduceWindowsOnce(array, initial_value, dimensions, reduce->to_apply());
  return reduce->ReplaceOperandWithDifferentShape(0, array);
}

bool IsSingle(const HloInstruction& instruction, HloOpcode opcode) {
  return instruction.opcode() == opcode && instruction.operand_count() == 2 &&
         instruction.shape().IsArray() && instruction.operand(0)->shape().is_static();
}

// Whether each window is one element.
bool IsTrivial(const HloInstruction& reduce_window) {
  return reduce_window.shape() == reduce_window.operand(0)->shape() &&
         absl::c_all_of(reduce_window.window().dimensions(), [](const WindowDimension& dimension) {
           return dimension.size() == 1 && dimension.padding_low() == 0;
         });
}

}  // namespace

absl::StatusOr<std::string> TakeReferenceHabits(HloModule& module) {
  module.clear_schedule();
  bool has_scatter = false, has_reduction = false;
  for (HloComputation* computation : module.MakeComputationPostOrder()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() == HloOpcode::kScatter) {
        HILO_RETURN_IF_ERROR(DropWindowsThatStickOut(instruction));
        has_scatter = true;
      } else if (IsSingle(*instruction, HloOpcode::kReduce)) {
        HILO_RETURN_IF_ERROR(ReduceByWindows(instruction));
        has_reduction = true;
      } else if (IsSingle(*instruction, HloOpcode::kReduceWindow) && IsTrivial(*instruction)) {
        HILO_RETURN_IF_ERROR(
            computation->ReplaceInstruction(instruction, instruction->mutable_operand(0)));
        has_reduction = true;
      }
    }
  }
  std::vector<absl::string_view> habits;
  if (has_scatter) habits.push_back("windows of a scatter that stick out are dropped as a whole");
  if (has_reduction) {
    habits.push_back(
        "the initial value of a reduction is no identity and enters more or less than once");
  }
  return absl::StrJoin(habits, "; ");
}

}  // namespace xla
