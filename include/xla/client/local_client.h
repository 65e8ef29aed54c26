// The client of the machine it runs on: compile once, run many times.
#ifndef XLA_CLIENT_LOCAL_CLIENT_H_
#define XLA_CLIENT_LOCAL_CLIENT_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/client/client.h"
#include "xla/client/executable_build_options.h"
#include "xla/executable_run_options.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/literal.h"
#include "xla/service/executable.h"
#include "xla/service/shaped_buffer.h"
#include "xla/shape.h"

namespace xla {

class CompiledModule;

// A compiled computation. Run may be called from several threads at once.
class LocalExecutable {
 public:
  LocalExecutable(std::unique_ptr<CompiledModule> module, ExecutableBuildOptions build_options,
                  std::shared_ptr<runtime::Mailboxes> mailboxes);
  ~LocalExecutable();

  // Runs the program on the arguments, one per parameter, and waits for the result. InvalidArgument when number or
  // shapes do not fit.
  absl::StatusOr<ScopedShapedBuffer> Run(absl::Span<const ShapedBuffer* const> arguments,
                                         ExecutableRunOptions run_options);
  // The same with arguments of which some are donated. Where the program declares must-alias they have to be.
  absl::StatusOr<ExecutionOutput> Run(std::vector<ExecutionInput> arguments,
                                      ExecutableRunOptions run_options);
  // The same; the result is complete when they return.
  absl::StatusOr<ScopedShapedBuffer> RunAsync(absl::Span<const ShapedBuffer* const> arguments,
                                              ExecutableRunOptions run_options) {
    return Run(arguments, run_options);
  }
  absl::StatusOr<ExecutionOutput> RunAsync(std::vector<ExecutionInput> arguments,
                                           ExecutableRunOptions run_options) {
    return Run(std::move(arguments), run_options);
  }
  // The same with literals in and out, of which the run has copies.
  absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments);

  const ExecutableBuildOptions& build_options() const { return build_options_; }

 private:
  std::unique_ptr<CompiledModule> module_;
  ExecutableBuildOptions build_options_;
  std::shared_ptr<runtime::Mailboxes> mailboxes_;
};

class LocalClient : public Client {
 public:
  // Compiles for arguments of the given shapes, one per parameter. InvalidArgument names the first rule that the
  // computation breaks.
  absl::StatusOr<std::vector<std::unique_ptr<LocalExecutable>>> Compile(
      const XlaComputation& computation, absl::Span<const Shape* const> argument_layouts,
      const ExecutableBuildOptions& options);

  // Data for Run and back. The buffer has a copy of its own.
  absl::StatusOr<ScopedShapedBuffer> LiteralToShapedBuffer(const LiteralSlice& literal,
                                                           int device_ordinal);
  absl::StatusOr<Literal> ShapedBufferToLiteral(const ShapedBuffer& shaped_buffer);

  // As TransferToInfeed and TransferFromOutfeed. The literal has the shape of the value, and is overwritten by it.
  absl::Status TransferToInfeedLocal(const LiteralSlice& literal, int device_ordinal);
  absl::Status TransferFromOutfeedLocal(int device_ordinal, MutableBorrowingLiteral literal);

  int device_count() const { return 1; }
  int default_device_ordinal() const { return 0; }
  bool device_ordinal_supported(int device_ordinal) const { return device_ordinal == 0; }
};

}  // namespace xla

#endif  // XLA_CLIENT_LOCAL_CLIENT_H_
