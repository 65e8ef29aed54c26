// Compile and run computations with data that stays with the client between runs.
#ifndef XLA_CLIENT_CLIENT_H_
#define XLA_CLIENT_CLIENT_H_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
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

class Client {
 public:
  virtual ~Client() = default;

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

  absl::StatusOr<Shape> GetShape(const GlobalData& data);
  // Drops the client's interest in the value; it lives as long as its handle.
  absl::Status Unregister(const GlobalData& data) { return absl::OkStatus(); }
};

}  // namespace xla

#endif  // XLA_CLIENT_CLIENT_H_
