#include "training.h"

#include <memory>
#include <vector>

#include "xla/shape_util.h"

namespace digits {
namespace {

using xla::ConstantLiteral;
using xla::ConstantR0;
using xla::XlaBuilder;
using xla::XlaComputation;
using xla::XlaOp;

constexpr float kLearningRate = 0.1f;
constexpr float kMomentum = 0.9f;

// Applies a function to each array of one network and the like array of another.
template <typename Function>
Network Combine(const Network& a, const Network& b, Function function) {
  return {{function(a.hidden.weights, b.hidden.weights), function(a.hidden.bias, b.hidden.bias)},
          {function(a.output.weights, b.output.weights), function(a.output.bias, b.output.bias)}};
}

// A loop and a program hand on one value; a tuple makes one of many.
XlaOp Pack(const TrainingState& state) {
  std::vector<XlaOp> parts = {state.step, state.loss};
  for (const Network& network : {state.network, state.velocity}) {
    for (const Layer& layer : {network.hidden, network.output}) {
      parts.push_back(layer.weights);
      parts.push_back(layer.bias);
    }
  }
  return Tuple(state.step.builder(), parts);
}

TrainingState Unpack(XlaOp tuple) {
  const auto layer = [tuple](int64_t first) {
    return Layer{GetTupleElement(tuple, first), GetTupleElement(tuple, first + 1)};
  };
  return {GetTupleElement(tuple, 0), GetTupleElement(tuple, kLossIndex),
          Network{layer(2), layer(4)}, Network{layer(6), layer(8)}};
}

// Pixels of 0 to 16 as numbers from 0 to 1.
Examples MakeExamples(XlaOp pixels, XlaOp labels) {
  const XlaOp scale = ConstantR0<float>(pixels.builder(), 1.0f / kFullInk);
  return {ConvertElementType(pixels, xla::F32) * scale, labels};
}

Examples ParameterExamples(XlaBuilder* builder, int64_t first_parameter, const Dataset& dataset) {
  const XlaOp pixels = Parameter(builder, first_parameter, dataset.pixels.shape(), "pixels");
  const XlaOp labels = Parameter(builder, first_parameter + 1, dataset.labels.shape(), "labels");
  return MakeExamples(pixels, labels);
}

Examples ConstantExamples(XlaBuilder* builder, const Dataset& dataset) {
  return MakeExamples(ConstantLiteral(builder, dataset.pixels),
                      ConstantLiteral(builder, dataset.labels));
}

// Batch number `step`; after the last one comes the first again.
Examples NextBatch(const Examples& examples, XlaOp step) {
  XlaBuilder* builder = step.builder();
  const auto batches = static_cast<int32_t>(Count(examples.labels) / kBatch);
  const XlaOp first =
      step % ConstantR0<int32_t>(builder, batches) * ConstantR0<int32_t>(builder, kBatch);
  const XlaOp zero = ConstantR0<int32_t>(builder, 0);
  return {DynamicSlice(examples.images, {first, zero}, {kBatch, kPixels}),
          DynamicSlice(examples.labels, {first}, {kBatch})};
}

// The value that goes round the loop. A loop's body sees nothing but this, so data that does not
// change travels along.
struct LoopValue {
  TrainingState state;
  XlaOp stop;
  Examples examples;
};

XlaOp Pack(const LoopValue& value) {
  return Tuple(value.stop.builder(),
               {Pack(value.state), value.stop, value.examples.images, value.examples.labels});
}

LoopValue UnpackLoopValue(XlaOp tuple) {
  return {Unpack(GetTupleElement(tuple, 0)), GetTupleElement(tuple, 1),
          Examples{GetTupleElement(tuple, 2), GetTupleElement(tuple, 3)}};
}

}  // namespace

TrainingState InitialState(XlaBuilder* builder) {
  return {ConstantR0<int32_t>(builder, 0), ConstantR0<float>(builder, 0), InitialNetwork(builder),
          ZeroNetwork(builder)};
}

TrainingState TrainingStep(const TrainingState& state, const Examples& examples) {
  XlaBuilder* builder = state.step.builder();
  const Examples batch = NextBatch(examples, state.step);
  const Activations activations = Forward(state.network, batch.images);
  const Loss loss = SoftmaxCrossEntropy(activations.logits, batch.labels);
  const Network gradients = Gradients(state.network, batch.images, activations, loss.gradient);

  // Gradient descent with momentum: the weights roll downhill like a ball with some friction.
  const XlaOp momentum = ConstantR0<float>(builder, kMomentum);
  const XlaOp learning_rate = ConstantR0<float>(builder, kLearningRate);
  TrainingState next;
  next.step = state.step + ConstantR0<int32_t>(builder, 1);
  next.loss = loss.value;
  next.velocity = Combine(state.velocity, gradients, [&](XlaOp velocity, XlaOp gradient) {
    return momentum * velocity - learning_rate * gradient;
  });
  next.network = Combine(state.network, next.velocity,
                         [](XlaOp weights, XlaOp velocity) { return weights + velocity; });
  return next;
}

TrainingState TrainingLoop(const TrainingState& state, XlaOp stop, const Examples& examples) {
  XlaBuilder* builder = stop.builder();
  const XlaOp initial = Pack(LoopValue{state, stop, examples});
  // After an error there is no shape; Build will return that error.
  const xla::Shape shape = builder->GetShape(initial).value_or(xla::Shape());

  const std::unique_ptr<XlaBuilder> condition = builder->CreateSubBuilder("is_not_done");
  const LoopValue seen = UnpackLoopValue(Parameter(condition.get(), 0, shape, "value"));
  Lt(seen.state.step, seen.stop);

  const std::unique_ptr<XlaBuilder> body = builder->CreateSubBuilder("training_step");
  LoopValue value = UnpackLoopValue(Parameter(body.get(), 0, shape, "value"));
  value.state = TrainingStep(value.state, value.examples);
  Pack(value);

  // The root of a computation is the operation added last.
  return UnpackLoopValue(While(condition->BuildAndNoteError(), body->BuildAndNoteError(), initial))
      .state;
}

Evaluation Evaluate(const Network& network, const Examples& examples) {
  const XlaOp logits = Forward(network, examples.images).logits;
  const XlaOp predictions = Predict(logits);
  const XlaOp is_right = ConvertElementType(Eq(predictions, examples.labels), xla::F32);
  return {Mean(is_right), SoftmaxCrossEntropy(logits, examples.labels).value, predictions};
}

absl::StatusOr<XlaComputation> InitializeProgram() {
  XlaBuilder builder("initialize");
  return builder.Build(Pack(InitialState(&builder)));
}

absl::StatusOr<XlaComputation> TrainProgram(const xla::Shape& state, const Dataset& training) {
  XlaBuilder builder("train");
  const XlaOp before = Parameter(&builder, 0, state, "state");
  const XlaOp stop = Parameter(&builder, 1, xla::ShapeUtil::MakeShape(xla::S32, {}), "stop");
  const Examples examples = ParameterExamples(&builder, 2, training);
  return builder.Build(Pack(TrainingLoop(Unpack(before), stop, examples)));
}

absl::StatusOr<XlaComputation> TestProgram(const xla::Shape& state, const Dataset& test) {
  XlaBuilder builder("test");
  const XlaOp trained = Parameter(&builder, 0, state, "state");
  const Examples examples = ParameterExamples(&builder, 1, test);
  const Evaluation result = Evaluate(Unpack(trained).network, examples);
  return builder.Build(Tuple(&builder, {result.accuracy, result.loss, result.predictions}));
}

absl::StatusOr<XlaComputation> WholeProgram(const Dataset& training, const Dataset& test,
                                            int64_t steps) {
  XlaBuilder builder("digits");
  const XlaOp stop = ConstantR0<int32_t>(&builder, static_cast<int32_t>(steps));
  const TrainingState trained =
      TrainingLoop(InitialState(&builder), stop, ConstantExamples(&builder, training));
  const Evaluation result = Evaluate(trained.network, ConstantExamples(&builder, test));
  return builder.Build(Tuple(&builder, {result.accuracy, result.loss}));
}

}  // namespace digits
