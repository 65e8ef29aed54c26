// Operations (Add, Dot, Reduce, ...) are functions of namespace xla, which C++ finds by the type of
// their arguments. What they mean: https://openxla.org/xla/operation_semantics
#include "network.h"

#include <cmath>
#include <memory>
#include <string>

#include "absl/types/span.h"
#include "dataset.h"
#include "xla/shape_util.h"

namespace digits {
namespace {

using xla::ConstantR0;
using xla::ShapeUtil;
using xla::XlaBuilder;
using xla::XlaComputation;
using xla::XlaOp;

using BinaryOperation = XlaOp (*)(XlaOp, XlaOp, absl::Span<const int64_t>);

// A program of its own, f(x, y) of two scalars: what Reduce combines elements with.
XlaComputation ScalarFunction(XlaBuilder* parent, const std::string& name, xla::PrimitiveType type,
                              BinaryOperation operation) {
  const std::unique_ptr<XlaBuilder> builder = parent->CreateSubBuilder(name);
  const xla::Shape scalar = ShapeUtil::MakeShape(type, {});
  const XlaOp x = Parameter(builder.get(), 0, scalar, "x");
  const XlaOp y = Parameter(builder.get(), 1, scalar, "y");
  operation(x, y, {});
  return builder->BuildAndNoteError();
}

XlaOp Sum(XlaOp values, absl::Span<const int64_t> dimensions) {
  XlaBuilder* builder = values.builder();
  return Reduce(values, ConstantR0<float>(builder, 0),
                ScalarFunction(builder, "sum", xla::F32, xla::Add), dimensions);
}

XlaOp Largest(XlaOp values, absl::Span<const int64_t> dimensions) {
  XlaBuilder* builder = values.builder();
  return Reduce(values, ConstantR0<float>(builder, -INFINITY),
                ScalarFunction(builder, "largest", xla::F32, xla::Max), dimensions);
}

XlaOp Smallest(XlaOp values, absl::Span<const int64_t> dimensions) {
  XlaBuilder* builder = values.builder();
  return Reduce(values, ConstantR0<int32_t>(builder, kDigits),
                ScalarFunction(builder, "smallest", xla::S32, xla::Min), dimensions);
}

XlaOp Transposed(XlaOp matrix) { return Transpose(matrix, {1, 0}); }

// The bias, dimension 0 of a vector, is added along dimension 1: to every row.
XlaOp Apply(const Layer& layer, XlaOp inputs) {
  return Add(Dot(inputs, layer.weights), layer.bias, {1});
}

// For outputs = inputs * weights + bias.
Layer LayerGradients(XlaOp inputs, XlaOp outputs_gradient) {
  return {Dot(Transposed(inputs), outputs_gradient), Sum(outputs_gradient, {0})};
}

// Numbers from 0 to 9 along dimension 1, the digits that the columns of the logits stand for.
XlaOp DigitOfColumn(XlaBuilder* builder, int64_t rows) {
  return Iota(builder, ShapeUtil::MakeShape(xla::S32, {rows, kDigits}), 1);
}

Layer ZeroLayer(XlaBuilder* builder, int64_t inputs, int64_t outputs) {
  const XlaOp zero = ConstantR0<float>(builder, 0);
  return {Broadcast(zero, {inputs, outputs}), Broadcast(zero, {outputs})};
}

// Weights evenly distributed in +-sqrt(3 / inputs), which keeps the variance of what flows through.
// The generator is a pure function: `random_state`, u64[2], goes in and the next one comes out.
Layer RandomLayer(XlaOp* random_state, int64_t inputs, int64_t outputs) {
  XlaBuilder* builder = random_state->builder();
  const xla::Shape shape = ShapeUtil::MakeShape(xla::U32, {inputs, outputs});
  const XlaOp generated = RngBitGenerator(xla::RNG_THREE_FRY, *random_state, shape);
  *random_state = GetTupleElement(generated, 0);
  const XlaOp bits = ConvertElementType(GetTupleElement(generated, 1), xla::F32);
  const float limit = std::sqrt(3.0f / static_cast<float>(inputs));
  const XlaOp scale = ConstantR0<float>(builder, limit * 0x1p-31f);
  Layer layer = ZeroLayer(builder, inputs, outputs);
  layer.weights = bits * scale - ConstantR0<float>(builder, limit);
  return layer;
}

}  // namespace

Network InitialNetwork(XlaBuilder* builder) {
  XlaOp random_state = xla::ConstantR1<uint64_t>(builder, {1, 0});
  const Layer hidden = RandomLayer(&random_state, kPixels, kHiddenUnits);
  const Layer output = RandomLayer(&random_state, kHiddenUnits, kDigits);
  return {hidden, output};
}

Network ZeroNetwork(XlaBuilder* builder) {
  return {ZeroLayer(builder, kPixels, kHiddenUnits), ZeroLayer(builder, kHiddenUnits, kDigits)};
}

Activations Forward(const Network& network, XlaOp images) {
  const XlaOp hidden = Tanh(Apply(network.hidden, images));
  return {hidden, Apply(network.output, hidden)};
}

XlaOp Predict(XlaOp logits) {
  XlaBuilder* builder = logits.builder();
  const XlaOp is_largest = Eq(logits, Largest(logits, {1}), {0});
  const XlaOp none = ConstantR0<int32_t>(builder, kDigits);
  return Smallest(Select(is_largest, DigitOfColumn(builder, Count(logits)), none), {1});
}

Loss SoftmaxCrossEntropy(XlaOp logits, XlaOp labels) {
  XlaBuilder* builder = logits.builder();
  const int64_t count = Count(logits);
  // Moving all logits of a row does not change the softmax, and keeps exp from overflowing.
  const XlaOp shifted = Sub(logits, Largest(logits, {1}), {0});
  const XlaOp exponentials = Exp(shifted);
  const XlaOp totals = Sum(exponentials, {1});
  const XlaOp log_probabilities = Sub(shifted, Log(totals), {0});
  const XlaOp probabilities = Div(exponentials, totals, {0});

  // 1 in the column of the right digit, else 0.
  const XlaOp truth = ConvertElementType(Eq(DigitOfColumn(builder, count), labels, {0}), xla::F32);
  return {Mean(Sum(-(truth * log_probabilities), {1})),
          (probabilities - truth) / ConstantR0<float>(builder, static_cast<float>(count))};
}

Network Gradients(const Network& network, XlaOp images, const Activations& activations,
                  XlaOp logits_gradient) {
  // The derivative of tanh(x) is 1 - tanh(x)^2.
  const XlaOp one = ConstantR0<float>(images.builder(), 1);
  const XlaOp tanh_gradient = one - activations.hidden * activations.hidden;
  const XlaOp hidden_gradient =
      Dot(logits_gradient, Transposed(network.output.weights)) * tanh_gradient;
  return {LayerGradients(images, hidden_gradient),
          LayerGradients(activations.hidden, logits_gradient)};
}

XlaOp Mean(XlaOp values) {
  const auto count = static_cast<float>(Count(values));
  return Sum(values, {0}) / ConstantR0<float>(values.builder(), count);
}

int64_t Count(XlaOp values) {
  // After an error there is no shape; Build will return that error.
  const absl::StatusOr<xla::Shape> shape = values.builder()->GetShape(values);
  return shape.ok() ? shape->dimensions(0) : 1;
}

}  // namespace digits
