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

// The loop that stands for a scan. Its state is the number of the step, the number of all steps,
// the inputs, the carries and the outputs so far.
class ScanLoop {
 public:
  explicit ScanLoop(HloInstruction& scan)
      : scan_(scan),
        attributes_(scan.attributes_as<ScanAttributes>()),
        carries_(attributes_.num_carries),
        inputs_(scan.operand_count() - carries_) {
    if (scan.shape().IsTuple()) {
      for (const Shape& shape : scan.shape().tuple_shapes()) results_.push_back(shape);
    } else {
      results_ = {scan.shape()};
    }
    outputs_ = static_cast<int64_t>(results_.size()) - carries_;
  }

  HloInstruction* Make() {
    GraphBuilder b(scan_);
    HloInstruction* length = Length(b);
    if (inputs_ > 0 &&
        scan_.operand(0)->shape().dimensions(static_cast<int>(attributes_.dimension)) == 0) {
      return WithoutSteps(b, length);
    }
    std::vector<HloInstruction*> state = {b.Number(S64, 0), b.Convert(length, S64)};
    for (HloInstruction* operand : scan_.operands()) state.push_back(operand);
    for (const Shape& output : absl::MakeConstSpan(results_).first(outputs_))
      state.push_back(NoOutput(b, output, length));
    HloInstruction* first = b.Tuple(state);
    HloComputation* condition = MakeCondition(first->shape());
    HloComputation* body = MakeBody(first->shape());
    HloInstruction* last =
        b.Add(HloInstruction::CreateWhile(first->shape(), condition, body, first));
    std::vector<HloInstruction*> results;
    for (int64_t k = 0; k < outputs_; ++k)
      results.push_back(b.Part(last, kOperands + inputs_ + carries_ + k));
    for (int64_t k = 0; k < carries_; ++k) results.push_back(b.Part(last, kOperands + inputs_ + k));
    return scan_.shape().IsTuple() ? b.Tuple(results) : results[0];
  }

 private:
  // No element, no step.
  HloInstruction* WithoutSteps(GraphBuilder& b, HloInstruction* length) {
    std::vector<HloInstruction*> results;
    for (const Shape& output : absl::MakeConstSpan(results_).first(outputs_))
      results.push_back(NoOutput(b, output, length));
    for (int64_t k = 0; k < carries_; ++k) results.push_back(scan_.mutable_operand(inputs_ + k));
    return scan_.shape().IsTuple() ? b.Tuple(results) : results[0];
  }

  // Where the operands begin in the state.
  static constexpr int64_t kOperands = 2;

  static std::unique_ptr<HloInstruction> OfDimension(HloOpcode opcode, const Shape& shape,
                                                     std::vector<HloInstruction*> operands,
                                                     int64_t dimension) {
    auto attributes = std::make_unique<OneDimensionAttributes>();
    attributes->dimension = dimension;
    return HloInstruction::Create(opcode, shape, operands, std::move(attributes));
  }
  static std::unique_ptr<HloInstruction> GetSize(HloInstruction* array, int64_t dimension) {
    return OfDimension(HloOpcode::kGetDimensionSize, ShapeUtil::MakeShape(S32, {}), {array},
                       dimension);
  }
  static std::unique_ptr<HloInstruction> SetSize(const Shape& shape, HloInstruction* array,
                                                 HloInstruction* size, int64_t dimension) {
    return OfDimension(HloOpcode::kSetDimensionSize, shape, {array, size}, dimension);
  }

  // As many steps as there are elements in all inputs, which may be of dynamic size.
  HloInstruction* Length(GraphBuilder& b) {
    const int dimension = static_cast<int>(attributes_.dimension);
    HloInstruction* length = b.Constant(LiteralUtil::CreateR0<int32_t>(
        static_cast<int32_t>(scan_.operand(0)->shape().dimensions(dimension))));
    for (int64_t k = 0; k < inputs_; ++k) {
      HloInstruction* input = scan_.mutable_operand(k);
      if (!input->shape().is_dynamic_dimension(dimension)) continue;
      length = b.Binary(HloOpcode::kMinimum, length, b.Add(GetSize(input, dimension)));
    }
    return length;
  }

  // Zero bits, of the size that is known.
  HloInstruction* NoOutput(GraphBuilder& b, const Shape& shape, HloInstruction* length) {
    HloInstruction* output = b.Broadcast(
        b.Constant(Literal::CreateFromShape(ShapeUtil::MakeShape(shape.element_type(), {}))),
        shape.dimensions());
    for (int d = 0; d < shape.dimensions_size(); ++d) {
      if (!shape.is_dynamic_dimension(d)) continue;
      Shape sized = output->shape();
      sized.set_dynamic_dimension(d, true);
      HloInstruction* size = d == attributes_.dimension
                                 ? length
                                 : b.Constant(LiteralUtil::CreateR0<int32_t>(
                                       static_cast<int32_t>(shape.dimensions(d))));
      output = b.Add(SetSize(sized, output, size, d));
    }
    return output;
  }

  // The output with the sizes that a slice of it has.
  HloInstruction* WithSizesOf(HloComputation::Builder& builder, HloInstruction* slice,
                              HloInstruction* output) {
    for (int d = 0; d < output->shape().dimensions_size(); ++d) {
      if (!output->shape().is_dynamic_dimension(d) || d == attributes_.dimension) continue;
      HloInstruction* size = builder.AddInstruction(GetSize(slice, d));
      output = builder.AddInstruction(SetSize(output->shape(), output, size, d));
    }
    return output;
  }

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
    HloInstruction* length =
        builder.AddInstruction(HloInstruction::CreateGetTupleElement(parameter, 1));
    builder.AddInstruction(HloInstruction::CreateCompare(ShapeUtil::MakeShape(PRED, {}), step,
                                                         length, Comparison::Direction::kLt));
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
      HloInstruction* rest = builder.AddInstruction(
          HloInstruction::CreateBinary(number, HloOpcode::kSubtract, parts[1], parts[0]));
      index = builder.AddInstruction(
          HloInstruction::CreateBinary(number, HloOpcode::kSubtract, rest, Number(builder, 1)));
    }
    const auto starts = [&](const Shape& array) {
      std::vector<HloInstruction*> all(array.dimensions_size(), Number(builder, 0));
      all[attributes_.dimension] = index;
      return all;
    };
    const auto slice_of = [&](Shape array) {
      array.set_dimensions(static_cast<int>(attributes_.dimension), 1, /*is_dynamic=*/false);
      return array;
    };

    const HloComputation& function = *scan_.to_apply();
    std::vector<HloInstruction*> arguments;
    for (int64_t k = 0; k < inputs_ + carries_; ++k) {
      HloInstruction* argument = parts[kOperands + k];
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
    for (int64_t k = 0; k < carries_; ++k) next[kOperands + inputs_ + k] = part(outputs_ + k);
    for (int64_t k = 0; k < outputs_; ++k) {
      HloInstruction*& output = next[kOperands + inputs_ + carries_ + k];
      HloInstruction* slice =
          builder.AddInstruction(HloInstruction::CreateReshape(slice_of(output->shape()), part(k)));
      output = builder.AddInstruction(HloInstruction::CreateDynamicUpdateSlice(
          output->shape(), output, slice, starts(output->shape())));
      output = WithSizesOf(builder, slice, output);
    }
    builder.AddInstruction(HloInstruction::CreateTuple(next));
    return scan_.GetModule()->AddEmbeddedComputation(builder.Build());
  }

  HloInstruction& scan_;
  const ScanAttributes& attributes_;
  const int64_t carries_, inputs_;
  int64_t outputs_ = 0;
  std::vector<Shape> results_;
};

absl::StatusOr<HloInstruction*> ExpandScan(HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kScan ? ScanLoop(instruction).Make() : nullptr;
}

}  // namespace

absl::StatusOr<bool> ExpandScans(HloModule& module) { return ReplaceEach(module, ExpandScan); }

}  // namespace xla::passes
