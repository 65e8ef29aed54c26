// Reports of the compiler for people: as text, and as files.
#ifndef HILO_API_CPU_BACKEND_REPORT_H_
#define HILO_API_CPU_BACKEND_REPORT_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cpu/report.h"
#include "xla/xla.pb.h"

namespace xla {

// What runs in which order, what was fused and why not more, what lies where for how long, and how
// long each stage of the compile took.
std::string Explain(const cpu::CompileReport& report);

// Writes NAME.00.input.hlo, a module NAME.05.PASS.hlo behind each pass that changes something and
// is wanted, NAME.output.hlo behind all of them, NAME.ll, NAME.o and NAME.plan.txt (what Explain
// says) into the folder, which is made where it is missing. Needs a report with texts.
absl::Status WriteReport(const cpu::CompileReport& report, const std::string& folder,
                         absl::string_view name,
                         absl::FunctionRef<bool(const std::string& pass)> is_wanted);

// A name for the files of one more program of that name in the folder: NAME the first time in this
// process, then NAME.2, NAME.3 and so on.
std::string DumpName(const std::string& folder, absl::string_view name);

// The entry of xla_backend_extra_options by which callers say which name DumpName gave.
inline constexpr char kDumpNameOption[] = "hilo_dump_name";

// The same as debug options want it: into xla_dump_to, the module behind the passes that
// xla_dump_hlo_pass_re matches. InvalidArgument for a wrong regular expression and for "-", since
// the library does not print.
absl::Status WriteReport(const cpu::CompileReport& report, absl::string_view name,
                         const DebugOptions& options);

}  // namespace xla

#endif  // HILO_API_CPU_BACKEND_REPORT_H_
