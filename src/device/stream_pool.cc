#include "xla/service/stream_pool.h"

#include <utility>

#include "base/status_macros.h"

namespace xla {

absl::StatusOr<StreamPool::Ptr> StreamPool::BorrowStream(stream_executor::StreamPriority priority) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!streams_.empty()) {
      std::unique_ptr<stream_executor::Stream> stream = std::move(streams_.back());
      streams_.pop_back();
      return Ptr(stream.release(), PtrDeleter{this});
    }
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<stream_executor::Stream> stream,
                        executor_->CreateStream(priority));
  return Ptr(stream.release(), PtrDeleter{this});
}

void StreamPool::ReturnStream(stream_executor::Stream* stream) {
  std::unique_ptr<stream_executor::Stream> owned(stream);
  if (!owned->ok()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  streams_.push_back(std::move(owned));
}

}  // namespace xla
