#include "api/cpu_backend_report.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <regex>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "xla/util.h"

namespace xla {
namespace {

using cpu::CompileReport;

std::string ExplainMemory(const CompileReport& report) {
  std::string text = "\nmemory\n";
  for (const auto& [place, bytes] : report.bytes)
    absl::StrAppendFormat(&text, "  %12d  in all, as %s\n", bytes, place);
  absl::StrAppendFormat(&text, "  %12d  is the size of the arena\n", report.arena_bytes);
  for (const std::string& copy : report.copies) absl::StrAppend(&text, "  copies ", copy, "\n");
  int in_place = 0;
  for (const CompileReport::Alias& alias : report.aliases) {
    in_place += alias.why_not.empty();
    if (alias.why_not.empty()) continue;
    absl::StrAppend(&text, "  result ", alias.result, " does not take the place of parameter ",
                    alias.parameter, ": ", alias.why_not, "\n");
  }
  if (!report.aliases.empty()) {
    absl::StrAppend(&text, "  ", in_place, " of ", report.aliases.size(),
                    " aliased results take the place of parameters\n");
  }
  return text;
}

std::string ExplainStages(const CompileReport& report) {
  std::string text = "\nthe compile\n";
  double total = 0;
  for (const CompileReport::Stage& stage : report.stages) {
    absl::StrAppendFormat(&text, "  %9.3f ms  %s\n", stage.milliseconds, stage.name);
    total += stage.milliseconds;
  }
  absl::StrAppendFormat(&text, "  %9.3f ms  in all\n", total);
  return text;
}

// The module behind all passes.
const std::string& OutputOf(const CompileReport& report) {
  const std::string* text = &report.input;
  for (const CompileReport::Stage& stage : report.stages) {
    if (stage.changed) text = &stage.text;
  }
  return *text;
}

absl::Status Write(const std::string& path, absl::string_view contents) {
  std::ofstream file(path, std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  if (!file) return FailedPrecondition("%s cannot be written", path);
  return absl::OkStatus();
}

}  // namespace

std::string Explain(const CompileReport& report) {
  return absl::StrCat(report.program, ExplainMemory(report), ExplainStages(report));
}

absl::Status WriteReport(const CompileReport& report, const std::string& folder,
                         absl::string_view name,
                         absl::FunctionRef<bool(const std::string& pass)> is_wanted) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return FailedPrecondition("%s cannot be made: %s", folder, error.message());
  const std::string stem = absl::StrCat(folder, "/", name, ".");
  HILO_RETURN_IF_ERROR(Write(absl::StrCat(stem, "00.input.hlo"), report.input));
  for (size_t i = 0; i < report.stages.size(); ++i) {
    const CompileReport::Stage& stage = report.stages[i];
    if (!stage.changed || !is_wanted(stage.name)) continue;
    HILO_RETURN_IF_ERROR(
        Write(absl::StrFormat("%s%02d.%s.hlo", stem, i + 1, stage.name), stage.text));
  }
  HILO_RETURN_IF_ERROR(Write(absl::StrCat(stem, "output.hlo"), OutputOf(report)));
  HILO_RETURN_IF_ERROR(Write(absl::StrCat(stem, "loops.txt"), report.loops));
  HILO_RETURN_IF_ERROR(Write(absl::StrCat(stem, "ll"), report.llvm_ir));
  for (size_t i = 0; i < report.objects.size(); ++i)
    HILO_RETURN_IF_ERROR(
        Write(i == 0 ? absl::StrCat(stem, "o") : absl::StrCat(stem, i, ".o"), report.objects[i]));
  return Write(absl::StrCat(stem, "plan.txt"), Explain(report));
}

std::string DumpName(const std::string& folder, absl::string_view name) {
  static auto* const mutex = new std::mutex();
  static auto* const counts = new std::map<std::pair<std::string, std::string>, int64_t>();
  const std::lock_guard<std::mutex> lock(*mutex);
  const int64_t number = ++(*counts)[{folder, std::string(name)}];
  std::string file(name);
  for (char& each : file) {
    if (each == '/' || each == '\0') each = '_';
  }
  return number == 1 ? file : absl::StrCat(file, ".", number);
}

absl::Status WriteReport(const CompileReport& report, absl::string_view name,
                         const DebugOptions& options) {
  if (options.xla_dump_to() == "-")
    return InvalidArgument("xla_dump_to: nothing is printed; name a folder");
  const auto given = options.xla_backend_extra_options().find(kDumpNameOption);
  const std::string dump_name = given != options.xla_backend_extra_options().end()
                                    ? given->second
                                    : DumpName(options.xla_dump_to(), name);
  const std::string& wanted = options.xla_dump_hlo_pass_re();
  try {
    const std::regex pattern(wanted);
    return WriteReport(report, options.xla_dump_to(), dump_name, [&](const std::string& pass) {
      return !wanted.empty() && std::regex_search(pass, pattern);
    });
  } catch (const std::regex_error& error) {
    return InvalidArgument("xla_dump_hlo_pass_re: %s: %s", wanted, error.what());
  }
}

}  // namespace xla
