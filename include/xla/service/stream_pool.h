// Streams of a device that are used again.
#ifndef XLA_SERVICE_STREAM_POOL_H_
#define XLA_SERVICE_STREAM_POOL_H_

#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/stream_executor/platform.h"
#include "xla/stream_executor/stream.h"
#include "xla/stream_executor/stream_executor.h"

namespace xla {

// For any number of threads. Must outlive what was borrowed from it.
class StreamPool {
 public:
  // Gives the stream back. One with an error is not used again.
  struct PtrDeleter {
    void operator()(stream_executor::Stream* stream) const { pool->ReturnStream(stream); }
    StreamPool* pool;
  };
  using Ptr = std::unique_ptr<stream_executor::Stream, PtrDeleter>;

  explicit StreamPool(stream_executor::StreamExecutor* executor) : executor_(executor) {}

  absl::StatusOr<Ptr> BorrowStream(
      stream_executor::StreamPriority priority = stream_executor::StreamPriority::Default);

 private:
  void ReturnStream(stream_executor::Stream* stream);

  stream_executor::StreamExecutor* const executor_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<stream_executor::Stream>> streams_;
};

}  // namespace xla

#endif  // XLA_SERVICE_STREAM_POOL_H_
