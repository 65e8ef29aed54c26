#include "xla/service/backend.h"

#include <utility>

#include "base/status_macros.h"
#include "xla/service/platform_util.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<std::unique_ptr<Backend>> Backend::CreateDefaultBackend() {
  return CreateBackend(BackendOptions());
}

absl::StatusOr<std::unique_ptr<Backend>> Backend::CreateBackend(const BackendOptions& options) {
  std::unique_ptr<Backend> backend(new Backend());
  backend->platform_ = options.platform();
  if (backend->platform_ == nullptr) {
    HILO_ASSIGN_OR_RETURN(backend->platform_, PlatformUtil::GetDefaultPlatform());
  }
  HILO_ASSIGN_OR_RETURN(backend->compiler_, Compiler::GetForPlatform(backend->platform_));
  HILO_ASSIGN_OR_RETURN(backend->transfer_manager_,
                        TransferManager::GetForPlatform(backend->platform_));
  HILO_ASSIGN_OR_RETURN(backend->computation_placer_,
                        ComputationPlacer::GetForPlatform(backend->platform_));
  HILO_ASSIGN_OR_RETURN(const std::vector<stream_executor::StreamExecutor*> all,
                        PlatformUtil::GetStreamExecutors(backend->platform_));
  backend->device_count_ = static_cast<int>(all.size());
  HILO_ASSIGN_OR_RETURN(
      backend->stream_executors_,
      PlatformUtil::GetStreamExecutors(backend->platform_, options.allowed_devices()));
  backend->intra_op_parallelism_threads_ = options.intra_op_parallelism_threads();
  backend->memory_allocator_ = std::make_shared<stream_executor::StreamExecutorAddressAllocator>(
      backend->platform_, backend->stream_executors_);
  return backend;
}

int Backend::default_device_ordinal() const { return default_stream_executor()->device_ordinal(); }

bool Backend::device_ordinal_supported(int device_ordinal) const {
  return stream_executor(device_ordinal).ok();
}

std::string Backend::device_name(int device_ordinal) const {
  return absl::StrCat(platform_->Name(), ":", device_ordinal);
}

absl::StatusOr<bool> Backend::devices_equivalent(int device_ordinal_a, int device_ordinal_b) const {
  HILO_RETURN_IF_ERROR(stream_executor(device_ordinal_a).status());
  HILO_RETURN_IF_ERROR(stream_executor(device_ordinal_b).status());
  return true;
}

absl::StatusOr<stream_executor::StreamExecutor*> Backend::stream_executor(
    int device_ordinal) const {
  if (device_ordinal < 0 || device_ordinal >= device_count_) {
    return InvalidArgument("Invalid device ordinal value %d: there are devices 0 to %d",
                           device_ordinal, device_count_ - 1);
  }
  for (stream_executor::StreamExecutor* executor : stream_executors_) {
    if (executor->device_ordinal() == device_ordinal) return executor;
  }
  return InvalidArgument("device %s is not supported: this client may not use it",
                         device_name(device_ordinal));
}

absl::StatusOr<StreamPool::Ptr> Backend::BorrowStream(int device_ordinal,
                                                      stream_executor::StreamPriority priority) {
  HILO_ASSIGN_OR_RETURN(stream_executor::StreamExecutor * executor,
                        stream_executor(device_ordinal));
  return BorrowStream(executor, priority);
}

absl::StatusOr<StreamPool::Ptr> Backend::BorrowStream(stream_executor::StreamExecutor* executor,
                                                      stream_executor::StreamPriority priority) {
  StreamPool* pool;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<StreamPool>& found = stream_pools_[executor->device_ordinal()];
    if (found == nullptr) found = std::make_unique<StreamPool>(executor);
    pool = found.get();
  }
  return pool->BorrowStream(priority);
}

absl::StatusOr<std::vector<StreamPool::Ptr>> Backend::BorrowStreams(
    int device_ordinal, int num_streams, stream_executor::StreamPriority priority) {
  std::vector<StreamPool::Ptr> streams;
  for (int i = 0; i < num_streams; ++i) {
    HILO_ASSIGN_OR_RETURN(StreamPool::Ptr stream, BorrowStream(device_ordinal, priority));
    streams.push_back(std::move(stream));
  }
  return streams;
}

ServiceExecutableRunOptions::StreamBorrower Backend::StreamBorrowerWithPriority() {
  return [this](int device_ordinal, int num_streams, stream_executor::StreamPriority priority) {
    return BorrowStreams(device_ordinal, num_streams, priority);
  };
}

}  // namespace xla
