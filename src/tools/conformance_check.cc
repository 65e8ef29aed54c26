#include "tools/conformance_check.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "tools/files.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/util.h"

namespace xla {
namespace {

std::string PrintWhole(const HloModule& module) {
  HloPrintOptions options = HloPrintOptions::Default();
  options.set_print_large_constants(true);
  return module.ToString(options);
}

// The first line in which two texts differ.
absl::Status SameText(absl::string_view got, absl::string_view want, absl::string_view what) {
  got = absl::StripAsciiWhitespace(got);
  want = absl::StripAsciiWhitespace(want);
  if (got == want) return absl::OkStatus();
  const std::vector<absl::string_view> got_lines = absl::StrSplit(got, '\n');
  const std::vector<absl::string_view> want_lines = absl::StrSplit(want, '\n');
  for (size_t i = 0; i < std::min(got_lines.size(), want_lines.size()); ++i) {
    if (got_lines[i] != want_lines[i]) {
      return InvalidArgument("%s: line %d\n  got:      %s\n  expected: %s", what, i + 1,
                             got_lines[i], want_lines[i]);
    }
  }
  return InvalidArgument("%s: %d lines, expected %d", what, got_lines.size(), want_lines.size());
}

// With the configuration, since the module message alone does not carry replica and partition counts.
absl::Status CheckProtoRoundTrip(const HloModule& module, const std::string& printed) {
  HloModuleProtoWithConfig proto;
  if (!proto.ParseFromString(module.ToProtoWithConfig().SerializeAsString())) {
    return Internal("the serialised module cannot be read back");
  }
  HILO_ASSIGN_OR_RETURN(
      const std::unique_ptr<HloModule> again,
      HloModule::CreateFromProtoWithConfig(proto, /*prohibit_empty_literal=*/false));
  return SameText(PrintWhole(*again), printed, "through protobuf");
}

absl::Status CheckParse(const std::string& stem, const ConformanceEntry& entry) {
  HILO_ASSIGN_OR_RETURN(const std::string text, ReadFile(absl::StrCat(stem, ".hlo")));
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  if (entry.mode == "bad") {
    if (module.ok()) return InvalidArgument("should be refused, but is read");
    return module.status().message().empty() ? Internal("refused without a message")
                                             : absl::OkStatus();
  }
  HILO_RETURN_IF_ERROR(module.status());
  const std::string printed = PrintWhole(**module);
  absl::StatusOr<std::unique_ptr<HloModule>> again = ParseAndReturnUnverifiedModule(printed);
  if (!again.ok()) {
    return InvalidArgument("what was printed cannot be read: %s", again.status().message());
  }
  HILO_RETURN_IF_ERROR(SameText(PrintWhole(**again), printed, "printed twice"));
  HILO_RETURN_IF_ERROR(CheckProtoRoundTrip(**module, printed));
  if (!entry.canonical_is_fixpoint) return absl::OkStatus();
  HILO_ASSIGN_OR_RETURN(const std::string canonical, ReadFile(absl::StrCat(stem, ".canon")));
  return SameText(printed, canonical, "against the reference");
}

absl::Status CheckRun(const std::string& stem, const ConformanceEntry& entry,
                      absl::string_view backend_name) {
  HILO_ASSIGN_OR_RETURN(Backend * backend, FindBackend(backend_name));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ReadModule(absl::StrCat(stem, ".hlo")));
  std::vector<Shape> shapes;
  for (const HloInstruction* parameter : module->entry_computation()->parameter_instructions()) {
    shapes.push_back(parameter->shape());
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompiledModule> compiled,
                        backend->Compile(std::move(module)));
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> leaves,
                        ReadConformanceInputs(absl::StrCat(stem, ".in.lit")));
  std::vector<Literal> arguments;
  size_t next = 0;
  for (const Shape& shape : shapes) {
    HILO_ASSIGN_OR_RETURN(Literal argument, Assemble(shape, absl::MakeSpan(leaves), &next));
    arguments.push_back(std::move(argument));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  HILO_ASSIGN_OR_RETURN(Literal result, compiled->Run(pointers));
  const std::vector<Literal> results = Leaves(std::move(result));
  const absl::Status status = CompareWithExpected(results, absl::StrCat(stem, ".out.lit"), entry);
  // What the program itself expects, where the reference differs from it.
  const std::string own = absl::StrCat(stem, ".exp.lit");
  if (!status.ok() && std::filesystem::exists(own) && CompareWithExpected(results, own, entry).ok()) {
    return absl::OkStatus();
  }
  return status;
}

}  // namespace

std::string CheckConformanceEntry(const ConformanceGroup& group, const ConformanceEntry& entry,
                                  absl::string_view mode, absl::string_view backend) {
  const std::string stem = absl::StrCat(group.folder, "/", entry.path);
  const absl::Status status =
      mode == "parse" ? CheckParse(stem, entry) : CheckRun(stem, entry, backend);
  if (status.ok()) return "";
  return status.message().empty() ? status.ToString() : std::string(status.message());
}

}  // namespace xla
