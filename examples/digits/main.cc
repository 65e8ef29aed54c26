// Trains a small neural network to read handwritten digits. The whole training is a program built
// with XlaBuilder: see network.h for the mathematics and training.h for the loop.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "dataset.h"
#include "training.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal_util.h"
#include "xla/tsl/platform/errors.h"
#include "xla/tsl/platform/statusor.h"

namespace digits {
namespace {

using xla::Literal;
using xla::LocalExecutable;
using xla::XlaComputation;

struct Options {
  int64_t steps = 600;
  std::string output_dir;
};

// What the test program returns.
struct TestResult {
  float accuracy;
  std::vector<int32_t> predictions;
};

// A program made ready to run, any number of times.
absl::StatusOr<std::unique_ptr<LocalExecutable>> Compile(const XlaComputation& program) {
  TF_ASSIGN_OR_RETURN(const xla::ProgramShape shape, program.GetProgramShape());
  std::vector<const xla::Shape*> arguments;
  for (const xla::Shape& parameter : shape.parameters()) arguments.push_back(&parameter);
  TF_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<LocalExecutable>> executables,
                      xla::ClientLibrary::LocalClientOrDie()->Compile(program, arguments, {}));
  return std::move(executables[0]);
}

absl::StatusOr<Literal> InitialWeights() {
  TF_ASSIGN_OR_RETURN(const XlaComputation program, InitializeProgram());
  TF_ASSIGN_OR_RETURN(const auto initialize, Compile(program));
  return initialize->Run({});
}

absl::StatusOr<TestResult> Test(LocalExecutable& test, const Literal& state, const Dataset& data) {
  TF_ASSIGN_OR_RETURN(const Literal result, test.Run({&state, &data.pixels, &data.labels}));
  const auto predictions = result.data<int32_t>({2});
  return TestResult{result.Get<float>({}, {0}), {predictions.begin(), predictions.end()}};
}

// Runs the training in a few pieces, so that there is progress to show: the state comes back to the
// host after each piece and goes into the next.
absl::StatusOr<TestResult> Train(const Split& data, int64_t steps) {
  TF_ASSIGN_OR_RETURN(Literal state, InitialWeights());
  TF_ASSIGN_OR_RETURN(const XlaComputation train_program,
                      TrainProgram(state.shape(), data.training));
  TF_ASSIGN_OR_RETURN(const XlaComputation test_program, TestProgram(state.shape(), data.test));
  TF_ASSIGN_OR_RETURN(const auto train, Compile(train_program));
  TF_ASSIGN_OR_RETURN(const auto test, Compile(test_program));

  std::printf("\n    step     loss   test accuracy\n");
  const int64_t pieces = std::min<int64_t>(steps, 6);
  for (int64_t piece = 1; piece <= pieces; ++piece) {
    const int64_t done = steps * piece / pieces;
    const Literal stop = xla::LiteralUtil::CreateR0<int32_t>(static_cast<int32_t>(done));
    TF_ASSIGN_OR_RETURN(state,
                        train->Run({&state, &stop, &data.training.pixels, &data.training.labels}));
    TF_ASSIGN_OR_RETURN(const TestResult result, Test(*test, state, data.test));
    std::printf("  %6d   %6.4f         %5.1f %%\n", static_cast<int>(done),
                state.Get<float>({}, {kLossIndex}), 100 * result.accuracy);
    std::fflush(stdout);
  }
  return Test(*test, state, data.test);
}

// A few images read right, and a few that were not.
void ShowExamples(const Dataset& test, const std::vector<int32_t>& predictions) {
  constexpr size_t kPictures = 4;
  std::vector<Picture> right;
  std::vector<Picture> wrong;
  for (int64_t image = 0; image < test.size(); ++image) {
    const int32_t read = predictions[image];
    const int32_t is = test.label(image);
    std::vector<Picture>& pictures = read == is ? right : wrong;
    if (pictures.size() == kPictures) continue;
    pictures.push_back({image, read == is ? absl::StrCat("read as ", read)
                                          : absl::StrCat("read as ", read, ", is ", is)});
  }
  if (!right.empty()) std::printf("\n%s", Draw(test, right).c_str());
  if (!wrong.empty()) std::printf("\nNot all of them are easy:\n\n%s", Draw(test, wrong).c_str());
}

// Writes the whole training, with the data in it, as HLO text.
absl::Status WriteProgram(const Split& data, const Options& options) {
  TF_ASSIGN_OR_RETURN(const XlaComputation program,
                      WholeProgram(data.training, data.test, options.steps));
  TF_ASSIGN_OR_RETURN(const xla::HloModuleConfig config,
                      xla::HloModule::CreateModuleConfigFromProto(program.proto(), {}));
  TF_ASSIGN_OR_RETURN(const std::unique_ptr<xla::HloModule> module,
                      xla::HloModule::CreateFromProto(program.proto(), config));

  std::error_code error;
  std::filesystem::create_directories(options.output_dir, error);
  const std::string path = std::filesystem::path(options.output_dir) / "digits.hlo";
  std::ofstream file(path);
  file << module->ToString(xla::HloPrintOptions::ShortParsable());
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  std::printf(
      "\nThe whole training is one program now. To run it, for (accuracy, loss):\n  hilo run %s\n",
      path.c_str());
  return absl::OkStatus();
}

absl::Status Run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  TF_ASSIGN_OR_RETURN(const Split data, LoadDigits(EXAMPLE_SOURCE_DIR "/digits.txt"));
  std::printf("Handwritten digits: %d images to learn from, %d to test with.\n",
              static_cast<int>(data.training.size()), static_cast<int>(data.test.size()));
  std::printf("Network: %d pixels, %d hidden units, %d digits.\n", static_cast<int>(kPixels),
              static_cast<int>(kHiddenUnits), static_cast<int>(kDigits));

  TF_ASSIGN_OR_RETURN(const TestResult result, Train(data, options.steps));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  ShowExamples(data.test, result.predictions);
  std::printf("\nAccuracy on images not seen before: %.1f %%, after %.1f s.\n",
              100 * result.accuracy, elapsed.count());
  return options.output_dir.empty() ? absl::OkStatus() : WriteProgram(data, options);
}

}  // namespace
}  // namespace digits

int main(int argc, char** argv) {
  digits::Options options;
  CLI::App app("Trains a small neural network to read handwritten digits.", "digits");
  app.add_option("--steps", options.steps, "Batches of 100 images to learn from")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--output-dir", options.output_dir,
                 "Where to write digits.hlo: the whole training as one program");
  CLI11_PARSE(app, argc, argv);

  const absl::Status status = digits::Run(options);
  if (!status.ok()) std::fprintf(stderr, "digits: %s\n", std::string(status.message()).c_str());
  return status.ok() ? 0 : 1;
}
