// The client of the machine it runs on: compile once, run many times.
#ifndef XLA_CLIENT_LOCAL_CLIENT_H_
#define XLA_CLIENT_LOCAL_CLIENT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/client/client.h"
#include "xla/client/executable_build_options.h"
#include "xla/executable_run_options.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/literal.h"
#include "xla/service/backend.h"
#include "xla/service/executable.h"
#include "xla/service/local_service.h"
#include "xla/service/service_executable_run_options.h"
#include "xla/service/shaped_buffer.h"
#include "xla/shape.h"
#include "xla/stream_executor/device_address_allocator.h"
#include "xla/stream_executor/platform.h"

namespace xla {

// A compiled computation. All may be called from several threads at once.
//
// Of the run options, an allocator gives memory for results (the backend's unless set) and a stream
// says what the run comes behind. The device is that of the stream, of device_ordinal, of the build
// options, or the default one, whichever is set first; InvalidArgument when they contradict each
// other or there is no such device. docs/client.md has the other options.
//
// Where a program communicates, all devices of its assignment have to be run, each by a call of its
// own from a thread of its own (or by RunAsync), with the same run_id. A device waits for the
// others as long as transfers do, and then fails with DeadlineExceeded.
class LocalExecutable {
 public:
  LocalExecutable(std::unique_ptr<Executable> executable, Backend* backend,
                  ExecutableBuildOptions build_options);
  ~LocalExecutable();

  // Runs the program on the arguments, one per parameter, and waits for the result. InvalidArgument
  // when number or shapes do not fit.
  absl::StatusOr<ScopedShapedBuffer> Run(absl::Span<const ShapedBuffer* const> arguments,
                                         ExecutableRunOptions run_options);
  // The same with arguments of which some are donated. Where the program declares must-alias they
  // have to be.
  absl::StatusOr<ExecutionOutput> Run(std::vector<ExecutionInput> arguments,
                                      ExecutableRunOptions run_options);
  // The same without waiting. What is lent must not be given back or written before the run is
  // over. The result may be lent or donated to other runs, and transferred, all of which wait for
  // it and give its error; whoever reads its memory has to wait for the stream or call Await() of
  // it.
  absl::StatusOr<ScopedShapedBuffer> RunAsync(absl::Span<const ShapedBuffer* const> arguments,
                                              ExecutableRunOptions run_options);
  absl::StatusOr<ExecutionOutput> RunAsync(std::vector<ExecutionInput> arguments,
                                           ExecutableRunOptions run_options);
  // Run with literals in and out, on the default device, of which the run has copies.
  absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments);

  const ExecutableBuildOptions& build_options() const { return build_options_; }
  Executable* executable() const { return executable_.get(); }

 private:
  // The options with everything set that a run needs.
  absl::StatusOr<ServiceExecutableRunOptions> Complete(ExecutableRunOptions run_options) const;

  std::unique_ptr<Executable> executable_;
  Backend* backend_;
  ExecutableBuildOptions build_options_;
};

class LocalClient : public Client {
 public:
  // The service must outlive the client.
  explicit LocalClient(LocalService* service) : Client(service), local_service_(service) {}

  // Compiles for arguments of the given shapes, one per parameter: an executable for each
  // partition. InvalidArgument names the first rule that the computation breaks, or what of the
  // options does not fit.
  absl::StatusOr<std::vector<std::unique_ptr<LocalExecutable>>> Compile(
      const XlaComputation& computation, absl::Span<const Shape* const> argument_layouts,
      const ExecutableBuildOptions& options);

  // A program that `hilo compile -o` has saved. FailedPrecondition for bytes of another version or
  // CPU.
  absl::StatusOr<std::unique_ptr<LocalExecutable>> Load(const std::string& serialized_aot_result,
                                                        const ExecutableBuildOptions& options);

  // Data for Run and back. The buffer has a copy of its own, in memory of the allocator or of the
  // backend's.
  absl::StatusOr<ScopedShapedBuffer> LiteralToShapedBuffer(
      const LiteralSlice& literal, int device_ordinal,
      stream_executor::DeviceAddressAllocator* allocator = nullptr);
  absl::StatusOr<Literal> ShapedBufferToLiteral(const ShapedBuffer& shaped_buffer);
  // Memory for a value, without one in it.
  absl::StatusOr<ScopedShapedBuffer> AllocateShapedBuffer(
      const Shape& shape, int device_ordinal,
      stream_executor::DeviceAddressAllocator* allocator = nullptr);

  // The memory of a value that the service keeps, and the other way round.
  absl::StatusOr<ShapedBuffer> GlobalDataToShapedBuffer(const GlobalDataHandle& data,
                                                        int replica_number);
  absl::StatusOr<std::unique_ptr<GlobalData>> TransferToLocalServer(const LiteralSlice& literal,
                                                                    int device_ordinal);

  // As TransferToInfeed and TransferFromOutfeed. The literal has the shape of the value, and is
  // overwritten by it.
  absl::Status TransferToInfeedLocal(const LiteralSlice& literal, int device_ordinal);
  absl::Status TransferFromOutfeedLocal(int device_ordinal, MutableBorrowingLiteral literal);

  absl::StatusOr<int> ReplicaNumberToDeviceOrdinal(int replica_number);
  int device_count() const { return backend().device_count(); }
  int default_device_ordinal() const { return backend().default_device_ordinal(); }
  bool device_ordinal_supported(int device_ordinal) const {
    return backend().device_ordinal_supported(device_ordinal);
  }

  stream_executor::Platform* platform() const { return backend().platform(); }
  const Backend& backend() const { return local_service_->backend(); }
  Backend* mutable_backend() { return local_service_->mutable_backend(); }
  LocalService* local_service() const { return local_service_; }

 private:
  LocalService* const local_service_;
};

}  // namespace xla

#endif  // XLA_CLIENT_LOCAL_CLIENT_H_
