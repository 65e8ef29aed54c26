// Measures the accuracy of functions and writes a table in Markdown.
#include <cstdio>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/accuracy/measure.h"
#include "tools/progress.h"
#include "tools/regular_expression.h"
#include "xla/primitive_util.h"

namespace xla::accuracy {
namespace {

struct Options {
  std::string functions = ".";
  std::vector<std::string> types = {"f16", "bf16", "f32", "f64", "c64", "c128"};
  std::string backend = "interpreter";
  bool library = false;
  Sampling sampling;
};

void PrintRow(const Function& function, PrimitiveType type, const Measurement& measured) {
  std::printf("| %s | %s | %lld | %.4g | %s | %lld | %s | %.2g |\n", function.name.c_str(),
              primitive_util::LowercasePrimitiveTypeName(type).c_str(),
              static_cast<long long>(measured.inputs), measured.largest_error,
              measured.worst_input.c_str(), static_cast<long long>(measured.not_nearest),
              measured.wrong_class == 0
                  ? "0"
                  : absl::StrCat(measured.wrong_class, ": ", measured.wrong_class_input).c_str(),
              measured.reference_error);
  std::fflush(stdout);
}

absl::Status Run(const Options& options) {
  const std::regex wanted(options.functions);
  absl::StatusOr<ExecutionBackend*> backend = FindBackend(options.backend);
  if (!backend.ok()) return backend.status();
  std::printf(
      "| function | type | inputs | largest error | at | not nearest | wrong NaN, infinity, zero | "
      "reference |\n|---|---|---:|---:|---|---:|---|---:|\n");
  for (const std::string& name : options.types) {
    const absl::StatusOr<PrimitiveType> type = primitive_util::StringToPrimitiveType(name);
    if (!type.ok()) return type.status();
    const std::vector<Function>& functions = options.library ? LibraryFunctions()
                                             : primitive_util::IsComplexType(*type)
                                                 ? ComplexOperations()
                                                 : RealOperations();
    for (const Function& function : functions) {
      if (!std::regex_search(function.name, wanted)) continue;
      Progress progress(absl::StrCat(function.name, " ", name),
                        InputCount(function, *type, options.sampling));
      const absl::StatusOr<Measurement> measured =
          Measure(function, *type, **backend, options.sampling,
                  [&](int64_t count) { progress.Advance(count); });
      if (!measured.ok()) return measured.status();
      PrintRow(function, *type, *measured);
    }
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla::accuracy

int main(int argc, char** argv) {
  xla::accuracy::Options options;
  options.sampling.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CLI::App app(
      "Measures the error of functions in units in the last place against long double, and writes "
      "a "
      "table in Markdown.",
      "hilo_accuracy");
  app.add_option(
         "--functions", options.functions,
         "Only functions in whose name this regular expression finds something, such as '^log'")
      ->check(xla::CheckRegularExpression);
  app.add_option("--types", options.types, "Element types")->delimiter(',')->capture_default_str();
  app.add_flag("--library", options.library,
               "The functions of the builder's library instead of the operations");
  app.add_option("--backend", options.backend, "What computes the functions")
      ->capture_default_str();
  app.add_option("--stride", options.sampling.stride,
                 "Every so-manieth of all f32 for functions of one operand")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--samples", options.sampling.samples, "Inputs where there are too many for all")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--threads", options.sampling.threads)
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const absl::Status status = xla::accuracy::Run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "hilo_accuracy: %s\n", std::string(status.message()).c_str());
  return 1;
}
