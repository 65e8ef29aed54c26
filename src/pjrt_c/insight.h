// What users see of compiles: a line for each, and files.
#ifndef HILO_PJRT_C_INSIGHT_H_
#define HILO_PJRT_C_INSIGHT_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "pjrt_c/executable_record.h"
#include "pjrt_c/objects/client.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt_c {

// Reads the program. Where `insight` or the compile options (xla_dump_to) say so, it is written as
// it came: NAME.mlirbc and NAME.mlir, of bytecode both. Then the options say that the compiler
// writes its files under the same name. Bytes that cannot be read become unreadable.mlirbc.
absl::StatusOr<CompileRequest> ReadAndDump(const PJRT_Program& program,
                                           absl::string_view compile_options,
                                           const Insight& insight);

// Times a compile or a load from its construction on.
class CompileLog {
 public:
  explicit CompileLog(const Insight& insight) : is_on_(insight.logs_compiles) {}

  // A line on stderr where it was asked for.
  void Compiled(int64_t instructions, const ExecutableRecord& record) const;
  void Loaded(const ExecutableRecord& record) const;

  // Counts a program's instructions if that is to be logged.
  int64_t Count(const XlaComputation& computation) const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string Milliseconds() const;

  const bool is_on_;
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_INSIGHT_H_
