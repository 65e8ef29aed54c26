// Compile and run computations with data that stays with the client between runs.
#ifndef XLA_CLIENT_CLIENT_H_
#define XLA_CLIENT_CLIENT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/layout.h"
#include "xla/literal.h"
#include "xla/service/hlo.pb.h"
#include "xla/service/service.h"
#include "xla/shape.h"
#include "xla/xla.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {

// All may be called from several threads at once. Execution options may be null; those that count
// are the shape with the layouts of the result, the seed, the numbers of replicas and partitions,
// the device assignment, the first device handle and the debug options.
class Client {
 public:
  // The service must outlive the client.
  explicit Client(Service* stub) : stub_(stub) {}
  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Compiles for arguments of these shapes, to be run many times.
  absl::StatusOr<ExecutionHandle> Compile(const XlaComputation& computation,
                                          absl::Span<const Shape> argument_shapes,
                                          const ExecutionOptions* execution_options = nullptr);
  // Runs and keeps the result. The profile, unless it is null, says how long it took.
  // InvalidArgument when the arguments do not fit the computation.
  absl::StatusOr<std::unique_ptr<GlobalData>> Execute(
      const ExecutionHandle& handle, absl::Span<GlobalData* const> arguments,
      ExecutionProfile* execution_profile = nullptr);
  // Compiles before.
  absl::StatusOr<std::unique_ptr<GlobalData>> Execute(
      const XlaComputation& computation, absl::Span<GlobalData* const> arguments,
      const ExecutionOptions* execution_options = nullptr,
      ExecutionProfile* execution_profile = nullptr);
  // The same, and gives the result.
  absl::StatusOr<Literal> ExecuteAndTransfer(const XlaComputation& computation,
                                             absl::Span<GlobalData* const> arguments,
                                             const ExecutionOptions* execution_options = nullptr,
                                             ExecutionProfile* execution_profile = nullptr);
  // Computations that run at the same time, each on its device, and may send each other values.
  absl::StatusOr<std::vector<std::unique_ptr<GlobalData>>> ExecuteParallel(
      absl::Span<const XlaComputationInstance> computations);
  absl::StatusOr<std::vector<DeviceHandle>> GetDeviceHandles(int64_t device_count);

  // The value of a computation without parameters, in `output_layout` if given.
  absl::StatusOr<Literal> ComputeConstant(const XlaComputation& computation,
                                          const Layout* output_layout = nullptr) const;

  // A copy of the value, in the layouts of `shape_with_layout` if given.
  absl::StatusOr<Literal> Transfer(const GlobalData& data,
                                   const Shape* shape_with_layout = nullptr);
  absl::StatusOr<std::unique_ptr<GlobalData>> TransferToServer(
      const LiteralSlice& literal, const DeviceHandle* device_handle = nullptr);

  // Appends a value to those that the infeed instructions of programs read, one for each; a tuple
  // is one value. Does not wait. The device is the replica's, counted from that of the handle.
  absl::Status TransferToInfeed(const LiteralSlice& literal, int64_t replica_id = 0,
                                const DeviceHandle* device_handle = nullptr);
  // The first value that an outfeed instruction has put out and nobody has taken, which is waited
  // for, in the layouts of `shape_with_layout` if given. InvalidArgument when it has another shape;
  // it is lost then.
  absl::StatusOr<Literal> TransferFromOutfeed(const Shape* shape_with_layout,
                                              int64_t replica_id = 0,
                                              const DeviceHandle* device_handle = nullptr);
  // How long infeed and recv-done instructions, what is sent and TransferFromOutfeed wait before
  // they fail with DeadlineExceeded: a minute unless set here, absl::InfiniteDuration() for as long
  // as it takes. It is so for all clients of the host.
  void set_transfer_timeout(absl::Duration timeout);
  // Drops all values on their way between host and programs. Whatever waits for one fails with
  // Cancelled.
  absl::Status ResetDevice();

  // A channel that nobody else has, for send and recv. The instructions of programs that run at the
  // same time are connected when they have the same device-to-device channel: recv-done waits until
  // there is a send, and a program that sends does not end before there is a recv.
  absl::StatusOr<ChannelHandle> CreateChannelHandle();
  absl::StatusOr<ChannelHandle> CreateHostToDeviceChannelHandle();
  absl::StatusOr<ChannelHandle> CreateDeviceToHostChannelHandle();

  absl::StatusOr<Shape> GetShape(const GlobalData& data);
  // A handle for each element of a tuple. InvalidArgument for other values, Unimplemented for tuples in tuples.
  absl::StatusOr<std::vector<std::unique_ptr<GlobalData>>> DeconstructTuple(const GlobalData& data);
  // Drops the value. Its handle is not known any more.
  absl::Status Unregister(const GlobalData& data);

  absl::StatusOr<std::unique_ptr<ProgramShape>> GetComputationShape(
      const XlaComputation& computation);
  // The program of a recorded execution.
  absl::StatusOr<XlaComputation> LoadSnapshot(const HloSnapshot& module);

  Service* stub() { return stub_; }

 protected:
  Service* const stub_;
};

}  // namespace xla

#endif  // XLA_CLIENT_CLIENT_H_
