// The training loop, and the programs that are made of it.
#ifndef EXAMPLES_DIGITS_TRAINING_H_
#define EXAMPLES_DIGITS_TRAINING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "dataset.h"
#include "network.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/shape.h"

namespace digits {

constexpr int64_t kBatch = 100;  // images per step

// Everything that one step hands to the next. As the value of a program it is a tuple of the parts
// in this order: step, loss, then the four arrays of the network and of the velocity.
struct TrainingState {
  xla::XlaOp step;  // s32[]: steps done
  xla::XlaOp loss;  // f32[]: of the last batch, before its update
  Network network;
  Network velocity;  // how fast the weights move
};
constexpr int64_t kLossIndex = 1;

TrainingState InitialState(xla::XlaBuilder* builder);

// Takes the next batch, computes the loss and its gradients, and moves the weights against them.
TrainingState TrainingStep(const TrainingState& state, const Examples& examples);

// Repeats the step until `stop` (s32[]) steps are done.
TrainingState TrainingLoop(const TrainingState& state, xla::XlaOp stop, const Examples& examples);

struct Evaluation {
  xla::XlaOp accuracy;     // f32[]: the share of images that are read right
  xla::XlaOp loss;         // f32[]
  xla::XlaOp predictions;  // s32[n]
};
Evaluation Evaluate(const Network& network, const Examples& examples);

// The programs, for data sets of the sizes of those given.

// () -> state
absl::StatusOr<xla::XlaComputation> InitializeProgram();

// (state, stop, pixels, labels) -> state
absl::StatusOr<xla::XlaComputation> TrainProgram(const xla::Shape& state, const Dataset& training);

// (state, pixels, labels) -> (accuracy, loss, predictions)
absl::StatusOr<xla::XlaComputation> TestProgram(const xla::Shape& state, const Dataset& test);

// () -> (accuracy, loss): all of the above as one program, which has the data in it.
absl::StatusOr<xla::XlaComputation> WholeProgram(const Dataset& training, const Dataset& test,
                                                 int64_t steps);

}  // namespace digits

#endif  // EXAMPLES_DIGITS_TRAINING_H_
