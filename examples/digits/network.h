// The classifier and its gradients, as operations of XlaBuilder.
//
// Functions here compute nothing: they add operations to a program, which is compiled and run
// later. An XlaOp stands for the value that an operation will have; comments give its shape.
#ifndef EXAMPLES_DIGITS_NETWORK_H_
#define EXAMPLES_DIGITS_NETWORK_H_

#include <cstdint>

#include "xla/hlo/builder/xla_builder.h"

namespace digits {

constexpr int64_t kHiddenUnits = 32;

// Every output is a weighted sum of all inputs, plus a bias.
struct Layer {
  xla::XlaOp weights;  // f32[inputs,outputs]
  xla::XlaOp bias;     // f32[outputs]
};

// 64 pixels -> 32 hidden units, tanh -> 10 scores. Gradients and velocities have the same form: a
// number for each weight.
struct Network {
  Layer hidden;
  Layer output;
};

// Images and their digits, all or one batch.
struct Examples {
  xla::XlaOp images;  // f32[n,64], from 0 to 1
  xla::XlaOp labels;  // s32[n]
};

// Small random weights, always the same; and zeros.
Network InitialNetwork(xla::XlaBuilder* builder);
Network ZeroNetwork(xla::XlaBuilder* builder);

// What the network makes of images on the way.
struct Activations {
  xla::XlaOp hidden;  // f32[n,32]
  xla::XlaOp logits;  // f32[n,10]: the larger, the likelier the digit
};
Activations Forward(const Network& network, xla::XlaOp images);

// The digits with the largest logits: s32[n].
xla::XlaOp Predict(xla::XlaOp logits);

// The mean of -log(probability of the right digit) over the examples, where the softmax of the
// logits gives the probabilities; and how it changes with each logit.
struct Loss {
  xla::XlaOp value;     // f32[]
  xla::XlaOp gradient;  // f32[n,10]
};
Loss SoftmaxCrossEntropy(xla::XlaOp logits, xla::XlaOp labels);

// How the loss changes with each weight: the chain rule, from the logits back to the input.
Network Gradients(const Network& network, xla::XlaOp images, const Activations& activations,
                  xla::XlaOp logits_gradient);

// The mean of f32[n].
xla::XlaOp Mean(xla::XlaOp values);

// The size of dimension 0: how many examples there are.
int64_t Count(xla::XlaOp values);

}  // namespace digits

#endif  // EXAMPLES_DIGITS_NETWORK_H_
