// What it takes to compile and run on the devices of a platform.
#ifndef XLA_SERVICE_BACKEND_H_
#define XLA_SERVICE_BACKEND_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/nullability.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/service/compiler.h"
#include "xla/service/computation_placer.h"
#include "xla/service/service_executable_run_options.h"
#include "xla/service/stream_pool.h"
#include "xla/service/transfer_manager.h"
#include "xla/stream_executor/device_address_allocator.h"
#include "xla/stream_executor/platform.h"
#include "xla/stream_executor/stream_executor.h"
#include "xla/stream_executor/stream_executor_address_allocator.h"

namespace Eigen {
struct ThreadPoolDevice;
}  // namespace Eigen

namespace tsl {
namespace thread {
class ThreadPool;
}  // namespace thread
}  // namespace tsl

namespace xla {

class BackendOptions {
 public:
  // Null for the default one.
  BackendOptions& set_platform(stream_executor::Platform* platform) {
    platform_ = platform;
    return *this;
  }
  stream_executor::Platform* platform() const { return platform_; }
  // Threads inside of programs; -1 for as many as the process may use.
  BackendOptions& set_intra_op_parallelism_threads(int num_threads) {
    intra_op_parallelism_threads_ = num_threads;
    return *this;
  }
  int intra_op_parallelism_threads() const { return intra_op_parallelism_threads_; }
  BackendOptions& set_allowed_devices(const std::optional<std::set<int>>& allowed_devices) {
    allowed_devices_ = allowed_devices;
    return *this;
  }
  const std::optional<std::set<int>>& allowed_devices() const { return allowed_devices_; }

 private:
  stream_executor::Platform* platform_ = nullptr;
  int intra_op_parallelism_threads_ = -1;
  std::optional<std::set<int>> allowed_devices_;
};

// For any number of threads.
class Backend {
 public:
  // InvalidArgument when no device is left.
  static absl::StatusOr<std::unique_ptr<Backend>> CreateBackend(const BackendOptions& options);
  static absl::StatusOr<std::unique_ptr<Backend>> CreateDefaultBackend();
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  stream_executor::Platform* platform() const { return platform_; }
  Compiler* compiler() const { return compiler_; }
  TransferManager* transfer_manager() const { return transfer_manager_; }
  ComputationPlacer* computation_placer() const { return computation_placer_; }
  stream_executor::DeviceAddressAllocator* memory_allocator() const {
    return memory_allocator_.get();
  }
  std::shared_ptr<stream_executor::StreamExecutorAddressAllocator> shared_memory_allocator() const {
    return memory_allocator_;
  }

  // Devices have the numbers from 0 to device_count() - 1; those that are not allowed are not
  // supported.
  int device_count() const { return device_count_; }
  int default_device_ordinal() const;
  bool device_ordinal_supported(int device_ordinal) const;
  std::string device_name(int device_ordinal) const;
  // Whether programs for one run on the other: all devices are alike.
  absl::StatusOr<bool> devices_equivalent(int device_ordinal_a, int device_ordinal_b) const;

  const std::vector<stream_executor::StreamExecutor*>& stream_executors() const {
    return stream_executors_;
  }
  // InvalidArgument when there is no such device, or it is not supported.
  absl::StatusOr<stream_executor::StreamExecutor*> stream_executor(int device_ordinal) const;
  stream_executor::StreamExecutor* default_stream_executor() const {
    return stream_executors_.front();
  }

  // Streams go back by themselves, which must be before the backend goes.
  absl::StatusOr<StreamPool::Ptr> BorrowStream(
      int device_ordinal,
      stream_executor::StreamPriority priority = stream_executor::StreamPriority::Default);
  absl::StatusOr<StreamPool::Ptr> BorrowStream(
      stream_executor::StreamExecutor* executor,
      stream_executor::StreamPriority priority = stream_executor::StreamPriority::Default);
  absl::StatusOr<std::vector<StreamPool::Ptr>> BorrowStreams(
      int device_ordinal, int num_streams,
      stream_executor::StreamPriority priority = stream_executor::StreamPriority::Default);
  ServiceExecutableRunOptions::StreamBorrower StreamBorrowerWithPriority();

  // Threads for ExecutableRunOptions::set_intra_op_thread_pool. They start when they are asked for.
  tsl::thread::ThreadPool* eigen_intra_op_thread_pool() const;
  const Eigen::ThreadPoolDevice* eigen_intra_op_thread_pool_device() const;
  int intra_op_parallelism_threads() const { return intra_op_parallelism_threads_; }

  // See TransferManager::ResetDevices.
  absl::Status ResetDevices() { return transfer_manager_->ResetDevices(stream_executors_); }

 private:
  struct IntraOpThreads;
  Backend();
  IntraOpThreads& intra_op_threads() const;

  stream_executor::Platform* platform_ = nullptr;
  Compiler* compiler_ = nullptr;
  TransferManager* transfer_manager_ = nullptr;
  ComputationPlacer* computation_placer_ = nullptr;
  int intra_op_parallelism_threads_ = -1;
  int device_count_ = 0;
  std::vector<stream_executor::StreamExecutor*> stream_executors_;
  std::shared_ptr<stream_executor::StreamExecutorAddressAllocator> memory_allocator_;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<StreamPool>> stream_pools_;
  mutable std::once_flag has_threads_;
  mutable std::unique_ptr<IntraOpThreads> threads_;
};

}  // namespace xla

#endif  // XLA_SERVICE_BACKEND_H_
