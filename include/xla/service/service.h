// Programs and values that are kept in the process and named by handles.
#ifndef XLA_SERVICE_SERVICE_H_
#define XLA_SERVICE_SERVICE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "xla/client/executable_build_options.h"
#include "xla/executable_run_options.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/layout.h"
#include "xla/literal.h"
#include "xla/service/backend.h"
#include "xla/service/executable.h"
#include "xla/service/shaped_buffer.h"
#include "xla/shape.h"
#include "xla/stream_executor/platform.h"
#include "xla/xla.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {

class Service;

namespace internal {
class GlobalValues;
}  // namespace internal

// A value that the service keeps. It is dropped with this object, or by Service::Unregister before.
class GlobalData {
 public:
  GlobalData(Service* parent, GlobalDataHandle handle);
  ~GlobalData();
  GlobalData(const GlobalData&) = delete;
  GlobalData& operator=(const GlobalData&) = delete;

  const GlobalDataHandle& handle() const { return handle_; }

  // Lets go of the values without dropping them: whoever has the handles does that.
  static void Release(std::vector<std::unique_ptr<GlobalData>> instances);

 private:
  GlobalDataHandle handle_;
  std::weak_ptr<internal::GlobalValues> values_;
};

// One of several computations that run at the same time.
struct XlaComputationInstance {
  const XlaComputation& computation;
  std::vector<GlobalData*> arguments;
  ExecutionOptions execution_options;
  ExecutionProfile* execution_profile = nullptr;  // filled in unless it is null

  XlaComputationInstance(const XlaComputation& comp, std::vector<GlobalData*> args,
                         ExecutionOptions options, ExecutionProfile* profile)
      : computation(comp),
        arguments(std::move(args)),
        execution_options(std::move(options)),
        execution_profile(profile) {}
};

class ServiceOptions {
 public:
  ServiceOptions& set_platform(stream_executor::Platform* platform) {
    platform_ = platform;
    return *this;
  }
  stream_executor::Platform* platform() const { return platform_; }
  // Of programs for which nobody says it.
  ServiceOptions& set_number_of_replicas(int number_of_replicas) {
    number_of_replicas_ = number_of_replicas;
    return *this;
  }
  int number_of_replicas() const { return number_of_replicas_; }
  ServiceOptions& set_intra_op_parallelism_threads(int num_threads) {
    intra_op_parallelism_threads_ = num_threads;
    return *this;
  }
  int intra_op_parallelism_threads() const { return intra_op_parallelism_threads_; }
  ServiceOptions& set_allowed_devices(const std::optional<std::set<int>>& allowed_devices) {
    allowed_devices_ = allowed_devices;
    return *this;
  }
  const std::optional<std::set<int>>& allowed_devices() const { return allowed_devices_; }

 private:
  stream_executor::Platform* platform_ = nullptr;
  int number_of_replicas_ = 1;
  int intra_op_parallelism_threads_ = -1;
  std::optional<std::set<int>> allowed_devices_;
};

// The service runs in this process, on the devices of its backend. For any number of threads.
//
// Handles are unknown once they have been unregistered: NotFound, which says so.
class Service {
 public:
  static absl::StatusOr<std::unique_ptr<Service>> NewService(const ServiceOptions& options);
  static absl::StatusOr<std::unique_ptr<Service>> NewService(
      stream_executor::Platform* platform = nullptr);
  virtual ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Compiles for arguments of these shapes; the program is kept as long as the service.
  // InvalidArgument names the first rule that the computation breaks.
  absl::StatusOr<ExecutionHandle> Compile(const XlaComputation& computation,
                                          absl::Span<const Shape> argument_shapes,
                                          const ExecutionOptions& execution_options);
  // Runs a program on as many devices as it has replicas and partitions, each with the same
  // arguments, and keeps the result; that of replica 0 is what Transfer gives. The arguments are
  // lent.
  absl::StatusOr<std::unique_ptr<GlobalData>> Execute(const ExecutionHandle& handle,
                                                      absl::Span<GlobalData* const> arguments,
                                                      ExecutionProfile* execution_profile);
  // Compiles and runs once.
  absl::StatusOr<std::unique_ptr<GlobalData>> CompileAndExecute(
      const XlaComputation& computation, absl::Span<GlobalData* const> arguments,
      const ExecutionOptions& execution_options, ExecutionProfile* execution_profile);
  // Compiles and runs computations at the same time, each on the device that its execution options
  // name, or on the default one.
  absl::StatusOr<std::vector<std::unique_ptr<GlobalData>>> ExecuteGraphParallel(
      absl::Span<const XlaComputationInstance> computations);

  // Devices that nothing else uses, as handles for ExecutionOptions.
  absl::StatusOr<std::vector<DeviceHandle>> GetDeviceHandles(int64_t device_count);

  absl::StatusOr<std::unique_ptr<GlobalData>> TransferToServer(const LiteralSlice& literal,
                                                               const DeviceHandle* device_handle);
  // In the layouts of `shape_with_layout` unless it is null.
  absl::StatusOr<Literal> TransferToClient(const GlobalData& data, const Shape* shape_with_layout);
  absl::StatusOr<Shape> GetShape(const GlobalData& data);
  // A handle for each element, which share memory with the tuple; either may go first. InvalidArgument for what is no tuple,
  // Unimplemented for tuples in tuples.
  absl::StatusOr<std::vector<std::unique_ptr<GlobalData>>> DeconstructTuple(const GlobalData& data);
  absl::Status Unregister(const GlobalDataHandle& data);

  absl::Status TransferToInfeed(const LiteralSlice& literal, int64_t replica_id,
                                const DeviceHandle* device_handle);
  absl::StatusOr<Literal> TransferFromOutfeed(const Shape* shape_with_layout, int64_t replica_id,
                                              const DeviceHandle* device_handle);
  absl::Status ResetDevice();
  void set_transfer_timeout(absl::Duration timeout);

  // The value of a computation without parameters. It is computed by the evaluator, so that nothing
  // is compiled.
  absl::StatusOr<Literal> ComputeConstantGraph(const XlaComputation& computation,
                                               const Layout* output_layout);

  absl::StatusOr<ChannelHandle> CreateChannelHandle(ChannelHandle::ChannelType type);

  const Backend& backend() const { return *execute_backend_; }
  Backend* mutable_backend() { return execute_backend_.get(); }
  const ServiceOptions& options() const { return options_; }

 protected:
  Service(const ServiceOptions& options, std::unique_ptr<Backend> backend);

  // The values behind a handle: one for each device that computed it.
  absl::StatusOr<std::vector<ShapedBuffer>> Resolve(const GlobalDataHandle& handle) const;
  std::unique_ptr<GlobalData> Register(std::vector<ScopedShapedBuffer> replicas);
  // The device for a replica where a client names it.
  absl::StatusOr<int> DeviceFor(int64_t replica_id, const DeviceHandle* device_handle) const;

 private:
  friend class GlobalData;
  class Programs;

  absl::StatusOr<std::unique_ptr<GlobalData>> Run(Executable& executable, int first_device,
                                                  absl::Span<GlobalData* const> arguments,
                                                  ExecutionProfile* execution_profile);

  const ServiceOptions options_;
  std::unique_ptr<Backend> execute_backend_;
  std::shared_ptr<internal::GlobalValues> values_;
  std::unique_ptr<Programs> programs_;
};

}  // namespace xla

#endif  // XLA_SERVICE_SERVICE_H_
