#include "pjrt_c/insight.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "api/cpu_backend_report.h"
#include "api/pjrt/cpu_executable.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "xla/debug_options_flags.h"
#include "xla/hlo/translate/stablehlo.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

absl::Status WriteDump(const std::string& folder, const std::string& name,
                       absl::string_view contents) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return FailedPrecondition("%s cannot be made: %s", folder, error.message());
  const std::string path = absl::StrCat(folder, "/", name);
  std::ofstream file(path, std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  if (!file) return FailedPrecondition("%s cannot be written", path);
  return absl::OkStatus();
}

bool IsBytecode(absl::string_view code) { return absl::StartsWith(code, "ML\xefR"); }

absl::Status DumpSource(const SourceProgram& source, const std::string& folder,
                        const std::string& name) {
  if (source.format != "mlir") return absl::OkStatus();  // the compiler writes HLO
  if (!IsBytecode(source.code)) return WriteDump(folder, absl::StrCat(name, ".mlir"), source.code);
  HILO_RETURN_IF_ERROR(WriteDump(folder, absl::StrCat(name, ".mlirbc"), source.code));
  HILO_ASSIGN_OR_RETURN(const std::string text, StablehloText(source.code));
  return WriteDump(folder, absl::StrCat(name, ".mlir"), text);
}

// One call, so that lines of several threads stay whole.
void WriteLine(std::string line) {
  line += '\n';
  absl::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(STDERR_FILENO, rest.data(), rest.size());
    if (written <= 0) return;
    rest.remove_prefix(written);
  }
}

bool IsFromCache(const ExecutableRecord& record) {
  const auto* const executable = dynamic_cast<const CpuExecutable*>(&record.executable());
  return executable != nullptr && executable->program().traits.is_from_cache;
}

}  // namespace

absl::StatusOr<CompileRequest> ReadAndDump(const PJRT_Program& program,
                                           absl::string_view compile_options,
                                           const Insight& insight) {
  absl::StatusOr<CompileRequest> request = ReadCompileRequest(program, compile_options);
  if (!request.ok()) {
    const absl::string_view code = ToView(program.code, program.code_size);
    if (!insight.dump_to.empty() && IsBytecode(code)) {
      const std::string name = DumpName(insight.dump_to, "unreadable");
      HILO_RETURN_IF_ERROR(WriteDump(insight.dump_to, absl::StrCat(name, ".mlirbc"), code));
    }
    return request;
  }
  HILO_RETURN_IF_ERROR(request->options.ApplyAllOptionOverrides());
  ExecutableBuildOptions& build = request->options.executable_build_options;
  const bool has_own = build.has_debug_options() && !build.debug_options().xla_dump_to().empty();
  if (!has_own && insight.dump_to.empty()) return request;
  if (!build.has_debug_options()) *build.mutable_debug_options() = GetDebugOptionsFromFlags();
  DebugOptions& debug = *build.mutable_debug_options();
  if (!has_own) {
    debug.set_xla_dump_to(insight.dump_to);
    if (debug.xla_dump_hlo_pass_re().empty()) debug.set_xla_dump_hlo_pass_re(".*");
  }
  const std::string& folder = debug.xla_dump_to();
  const std::string name = DumpName(folder, request->computation.proto().name());
  (*debug.mutable_xla_backend_extra_options())[kDumpNameOption] = name;
  HILO_RETURN_IF_ERROR(DumpSource(request->facts.source, folder, name));
  return request;
}

std::string CompileLog::Milliseconds() const {
  return absl::StrFormat("%.2f ms",
                         std::chrono::duration<double, std::milli>(Clock::now() - begin_).count());
}

int64_t CompileLog::Count(const XlaComputation& computation) const {
  int64_t count = 0;
  if (!is_on_) return count;
  for (const HloComputationProto& each : computation.proto().computations())
    count += each.instructions_size();
  return count;
}

void CompileLog::Compiled(int64_t instructions, const ExecutableRecord& record) const {
  if (!is_on_) return;
  WriteLine(absl::StrCat("hilo: compiled ", record.name(), ": ", instructions, " instructions, ",
                         Milliseconds(), IsFromCache(record) ? ", cached" : ""));
}

void CompileLog::Loaded(const ExecutableRecord& record) const {
  if (!is_on_) return;
  WriteLine(
      absl::StrCat("hilo: loaded ", record.name(), ": ", Milliseconds(), ", cached by caller"));
}

}  // namespace xla::pjrt_c
