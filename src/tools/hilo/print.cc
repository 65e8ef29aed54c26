#include <cstdio>
#include <memory>
#include <string>

#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_print_options.h"

namespace xla {
namespace {

struct PrintCommandOptions {
  std::string module;
  std::string style = "default";
  bool proto = false;
  bool stablehlo = false;
  bool short_constants = false;
};

HloPrintOptions StyleOptions(const PrintCommandOptions& options) {
  HloPrintOptions result = HloPrintOptions::Default();
  if (options.style == "short") result = HloPrintOptions::ShortParsable();
  if (options.style == "canonical") result = HloPrintOptions::Canonical();
  if (options.style == "fingerprint") result = HloPrintOptions::Fingerprint();
  if (options.style == "default" || options.style == "short") {
    result.set_print_large_constants(!options.short_constants);
  }
  return result;
}

ExitCode PrintStablehlo(const PrintCommandOptions& options) {
  const absl::StatusOr<std::string> text = ReadStablehloText(options.module);
  if (!text.ok()) return Fail(text.status(), kInvalidInput);
  std::fwrite(text->data(), 1, text->size(), stdout);
  return kDone;
}

ExitCode Print(const PrintCommandOptions& options) {
  if (options.stablehlo) return PrintStablehlo(options);
  absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(options.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  const std::string output = options.proto ? (*module)->ToProto().SerializeAsString()
                                           : (*module)->ToString(StyleOptions(options));
  std::fwrite(output.data(), 1, output.size(), stdout);
  return kDone;
}

}  // namespace

Command AddPrintCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("print", "Print a module as HLO text, protobuf or StableHLO");
  auto options = std::make_shared<PrintCommandOptions>();
  command->add_option("MODULE", options->module, "The program")->required();
  command->add_option("--style", options->style, "default, short, canonical or fingerprint")
      ->check(CLI::IsMember({"default", "short", "canonical", "fingerprint"}))
      ->capture_default_str();
  command->add_flag("--short-constants", options->short_constants,
                    "Write constants of more than 10 elements as {...}");
  command->add_flag("--proto", options->proto, "Write a serialised HloModuleProto instead");
  command
      ->add_flag("--stablehlo", options->stablehlo,
                 "Write StableHLO text instead")
      ->excludes("--proto");
  return [options] { return Print(*options); };
}

}  // namespace xla
