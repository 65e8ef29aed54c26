// Compile and run computations with data that stays with the client between runs.
#ifndef XLA_CLIENT_CLIENT_H_
#define XLA_CLIENT_CLIENT_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/layout.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/xla.pb.h"

namespace xla {

// A value kept by the client.
class GlobalData {
 public:
  explicit GlobalData(std::shared_ptr<const Literal> value) : value_(std::move(value)) {}
  const Literal& value() const { return *value_; }

 private:
  std::shared_ptr<const Literal> value_;
};

namespace runtime {
class Mailboxes;
}  // namespace runtime

class Client {
 public:
  virtual ~Client();

  // Runs the computation and keeps the result. InvalidArgument when the arguments do not fit the computation.
  absl::StatusOr<std::unique_ptr<GlobalData>> Execute(
      const XlaComputation& computation, absl::Span<GlobalData* const> arguments,
      const ExecutionOptions* execution_options = nullptr,
      ExecutionProfile* execution_profile = nullptr);

  // Runs the computation and gives the result.
  absl::StatusOr<Literal> ExecuteAndTransfer(const XlaComputation& computation,
                                             absl::Span<GlobalData* const> arguments,
                                             const ExecutionOptions* execution_options = nullptr,
                                             ExecutionProfile* execution_profile = nullptr);

  // The value of a computation without parameters, in `output_layout` if given.
  absl::StatusOr<Literal> ComputeConstant(const XlaComputation& computation,
                                          const Layout* output_layout = nullptr) const;

  // A copy of the value, in the layouts of `shape_with_layout` if given.
  absl::StatusOr<Literal> Transfer(const GlobalData& data,
                                   const Shape* shape_with_layout = nullptr);
  absl::StatusOr<std::unique_ptr<GlobalData>> TransferToServer(
      const LiteralSlice& literal, const DeviceHandle* device_handle = nullptr);

  // Appends a value to those that the infeed instructions of programs read, one for each; a tuple is one value. Does not
  // wait. There is one replica, 0.
  absl::Status TransferToInfeed(const LiteralSlice& literal, int64_t replica_id = 0,
                                const DeviceHandle* device_handle = nullptr);
  // The first value that an outfeed instruction has put out and nobody has taken, which is waited for, in the layouts of
  // `shape_with_layout` if given. InvalidArgument when it has another shape; it is lost then.
  absl::StatusOr<Literal> TransferFromOutfeed(const Shape* shape_with_layout,
                                              int64_t replica_id = 0,
                                              const DeviceHandle* device_handle = nullptr);
  // How long infeed and recv-done instructions, what is sent and TransferFromOutfeed wait before they fail with
  // DeadlineExceeded: a minute unless set here, absl::InfiniteDuration() for as long as it takes.
  void set_transfer_timeout(absl::Duration timeout);
  // Drops all values on their way between host and programs. Whatever waits for one fails with Cancelled.
  absl::Status ResetDevice();

  // A channel that nobody else has, for send and recv. The instructions of programs that run at the same time are
  // connected when they have the same device-to-device channel: recv-done waits until there is a send, and a program that
  // sends does not end before there is a recv.
  absl::StatusOr<ChannelHandle> CreateChannelHandle();
  absl::StatusOr<ChannelHandle> CreateHostToDeviceChannelHandle();
  absl::StatusOr<ChannelHandle> CreateDeviceToHostChannelHandle();

  absl::StatusOr<Shape> GetShape(const GlobalData& data);
  // Drops the client's interest in the value; it lives as long as its handle.
  absl::Status Unregister(const GlobalData& data) { return absl::OkStatus(); }

 protected:
  Client();
  const std::shared_ptr<runtime::Mailboxes>& mailboxes() const { return mailboxes_; }

 private:
  absl::StatusOr<Literal> RunOnce(const XlaComputation& computation,
                                  absl::Span<const Literal* const> arguments,
                                  const ExecutionOptions* options) const;

  std::shared_ptr<runtime::Mailboxes> mailboxes_;
};

}  // namespace xla

#endif  // XLA_CLIENT_CLIENT_H_
