#include <memory>
#include <utility>
#include <vector>

#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// The loop that stands for a scan. Its state is the number of the step, the inputs, the carries and
// the outputs so far.
class ScanLoop {
 public:
  explicit ScanLoop(HloInstruction& scan)
      : scan_(scan),
        attributes_(scan.attributes_as<ScanAttributes>()),
        carries_(attributes_.num_carries),
        inputs_(scan.operand_count() - carries_),
        length_(scan.operand(0)->shape().dimensions(static_cast<int>(attributes_.dimension))) {
    if (scan.shape().IsTuple()) {
      for (const Shape& shape : scan.shape().tuple_shapes()) results_.push_back(shape);
    } else {
      results_ = {scan.shape()};
    }
    outputs_ = static_cast<int64_t>(results_.size()) - carries_;
  }

  HloInstruction* Make() {
    GraphBuilder b(scan_);
    std::vector<HloInstruction*> state = {b.Number(S64, 0)};
    for (HloInstruction* operand : scan_.operands()) state.push_back(operand);
    for (int64_t k = 0; k < outputs_; ++k) {
      state.push_back(b.Broadcast(b.Constant(LiteralUtil::Zero(results_[k].element_type())),
                                  results_[k].dimensions()));
    }
    HloInstruction* first = b.Tuple(state);
    HloComputation* condition = MakeCondition(first->shape());
    HloComputation* body = MakeBody(first->shape());
    HloInstruction* last =
        b.Add(HloInstruction::CreateWhile(first->shape(), condition, body, first));
    std::vector<HloInstruction*> results;
    for (int64_t k = 0; k < outputs_; ++k)
      results.push_back(b.Part(last, 1 + inputs_ + carries_ + k));
    for (int64_t k = 0; k < carries_; ++k) results.push_back(b.Part(last, 1 + inputs_ + k));
    return scan_.shape().IsTuple() ? b.Tuple(results) : results[0];
  }

 private:
  static HloInstruction* Number(HloComputation::Builder& builder, int64_t number) {
    return builder.AddInstruction(
        HloInstruction::CreateConstant(LiteralUtil::CreateR0<int64_t>(number)));
  }

  HloComputation* MakeCondition(const Shape& state) {
    HloComputation::Builder builder("scan_goes_on");
    HloInstruction* parameter =
        builder.AddInstruction(HloInstruction::CreateParameter(0, state, "state"));
    HloInstruction* step =
        builder.AddInstruction(HloInstruction::CreateGetTupleElement(parameter, 0));
    builder.AddInstruction(HloInstruction::CreateCompare(ShapeUtil::MakeShape(PRED, {}), step,
                                                         Number(builder, length_),
                                                         Comparison::Direction::kLt));
    return scan_.GetModule()->AddEmbeddedComputation(builder.Build());
  }

  HloComputation* MakeBody(const Shape& state) {
    HloComputation::Builder builder("scan_step");
    HloInstruction* parameter =
        builder.AddInstruction(HloInstruction::CreateParameter(0, state, "state"));
    std::vector<HloInstruction*> parts;
    for (int64_t k = 0; k < state.tuple_shapes_size(); ++k)
      parts.push_back(builder.AddInstruction(HloInstruction::CreateGetTupleElement(parameter, k)));
    const Shape number = ShapeUtil::MakeShape(S64, {});
    HloInstruction* index = parts[0];
    if (attributes_.is_reverse) {
      index = builder.AddInstruction(HloInstruction::CreateBinary(
          number, HloOpcode::kSubtract, Number(builder, length_ - 1), parts[0]));
    }
    const auto starts = [&](const Shape& array) {
      std::vector<HloInstruction*> all(array.dimensions_size(), Number(builder, 0));
      all[attributes_.dimension] = index;
      return all;
    };
    const auto slice_of = [&](Shape array) {
      array.set_dimensions(static_cast<int>(attributes_.dimension), 1);
      return array;
    };

    const HloComputation& function = *scan_.to_apply();
    std::vector<HloInstruction*> arguments;
    for (int64_t k = 0; k < inputs_ + carries_; ++k) {
      HloInstruction* argument = parts[1 + k];
      if (k < inputs_) {
        const Shape slice = slice_of(argument->shape());
        argument = builder.AddInstruction(
            HloInstruction::CreateDynamicSlice(slice, argument, starts(slice), slice.dimensions()));
        argument = builder.AddInstruction(
            HloInstruction::CreateReshape(function.parameter_instruction(k)->shape(), argument));
      }
      arguments.push_back(argument);
    }
    HloInstruction* value = builder.AddInstruction(HloInstruction::CreateCall(
        function.root_instruction()->shape(), arguments, scan_.to_apply()));
    const auto part = [&](int64_t k) {
      return value->shape().IsTuple()
                 ? builder.AddInstruction(HloInstruction::CreateGetTupleElement(value, k))
                 : value;
    };

    std::vector<HloInstruction*> next = parts;
    next[0] = builder.AddInstruction(
        HloInstruction::CreateBinary(number, HloOpcode::kAdd, parts[0], Number(builder, 1)));
    for (int64_t k = 0; k < carries_; ++k) next[1 + inputs_ + k] = part(outputs_ + k);
    for (int64_t k = 0; k < outputs_; ++k) {
      HloInstruction*& output = next[1 + inputs_ + carries_ + k];
      HloInstruction* slice =
          builder.AddInstruction(HloInstruction::CreateReshape(slice_of(output->shape()), part(k)));
      output = builder.AddInstruction(HloInstruction::CreateDynamicUpdateSlice(
          output->shape(), output, slice, starts(output->shape())));
    }
    builder.AddInstruction(HloInstruction::CreateTuple(next));
    return scan_.GetModule()->AddEmbeddedComputation(builder.Build());
  }

  HloInstruction& scan_;
  const ScanAttributes& attributes_;
  const int64_t carries_, inputs_, length_;
  int64_t outputs_ = 0;
  std::vector<Shape> results_;
};

absl::StatusOr<HloInstruction*> Expand(HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kScan || instruction.shape().is_dynamic()) return nullptr;
  for (const HloInstruction* operand : instruction.operands()) {
    if (operand->shape().is_dynamic()) return nullptr;
  }
  return ScanLoop(instruction).Make();
}

}  // namespace

absl::StatusOr<bool> ExpandScans(HloModule& module) { return ReplaceEach(module, Expand); }

}  // namespace xla::passes
