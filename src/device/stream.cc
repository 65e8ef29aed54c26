#include "xla/stream_executor/stream.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "runtime/wakeup.h"

namespace stream_executor {

// What is to be done, by a thread that is there while there is something, or by whoever waits.
class Stream::Queue : public std::enable_shared_from_this<Stream::Queue> {
 public:
  using Task = absl::AnyInvocable<absl::Status() &&>;

  void Push(Task task) {
    // The task may be the stream's end.
    const std::shared_ptr<Queue> self = shared_from_this();
    std::unique_lock<std::mutex> lock(mutex_);
    tasks_.push_back(std::move(task));
    if (!has_thread_) has_thread_ = StartThread();
    if (!has_thread_) return Work(lock);
    // Without the lock, which the thread that wakes takes at once.
    lock.unlock();
    changed_.notify_all();
  }

  absl::Status RunHere(absl::FunctionRef<absl::Status()> function) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return IsIdle(); });
    if (!status_.ok()) return status_;
    is_busy_ = true;
    lock.unlock();
    const absl::Status status = function();
    lock.lock();
    is_busy_ = false;
    changed_.notify_all();
    return status;
  }

  absl::Status Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return IsIdle(); });
    return status_;
  }

  absl::Status status() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return status_;
  }

  void Close() {
    Wait().IgnoreError();
    const std::lock_guard<std::mutex> lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  bool IsIdle() const { return !is_busy_ && tasks_.empty(); }

  // False when the system has no thread left; the caller then does the work.
  bool StartThread() {
    try {
      std::thread([queue = shared_from_this()] {
        xla::runtime::LetWakersContinue();
        std::unique_lock<std::mutex> lock(queue->mutex_);
        while (!queue->is_closed_) {
          queue->changed_.wait(lock, [&] {
            return queue->is_closed_ || (!queue->is_busy_ && !queue->tasks_.empty());
          });
          queue->Work(lock);
        }
      }).detach();
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  void Work(std::unique_lock<std::mutex>& lock) {
    while (!is_busy_ && !tasks_.empty()) {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      is_busy_ = true;
      lock.unlock();
      absl::Status status = std::move(task)();
      task = nullptr;
      lock.lock();
      is_busy_ = false;
      status_.Update(std::move(status));
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  absl::Status status_;
  bool is_busy_ = false;  // with a task, or with somebody's function
  bool has_thread_ = false;
  bool is_closed_ = false;
};

namespace {

absl::Status CheckSize(const DeviceAddressBase& memory, uint64_t size) {
  if (size <= memory.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(size, " bytes do not fit memory of a device of ", memory.size(), " bytes"));
}

}  // namespace

Stream::Stream(StreamExecutor* parent, std::variant<StreamPriority, int> priority)
    : parent_(parent), priority_(priority), queue_(std::make_shared<Queue>()) {}

Stream::~Stream() { queue_->Close(); }

bool Stream::ok() const { return queue_->status().ok(); }
absl::Status Stream::RefreshStatus() { return queue_->status(); }
absl::Status Stream::BlockHostUntilDone() { return queue_->Wait(); }

absl::Status Stream::RunAndWait(absl::FunctionRef<absl::Status()> function) {
  return queue_->RunHere(function);
}

absl::Status Stream::WaitFor(Stream* other) {
  if (other == this) return absl::OkStatus();
  auto reached = std::make_shared<absl::Notification>();
  other->queue_->Push([reached] {
    reached->Notify();
    return absl::OkStatus();
  });
  queue_->Push([reached] {
    reached->WaitForNotification();
    return absl::OkStatus();
  });
  return absl::OkStatus();
}

absl::Status Stream::Memcpy(DeviceAddressBase* device_destination, const void* host_source,
                            uint64_t size) {
  return Memcpy(device_destination, DeviceAddressBase(const_cast<void*>(host_source), size), size);
}

absl::Status Stream::Memcpy(void* host_destination, const DeviceAddressBase& device_source,
                            uint64_t size) {
  DeviceAddressBase destination(host_destination, size);
  return Memcpy(&destination, device_source, size);
}

absl::Status Stream::Memcpy(DeviceAddressBase* device_destination,
                            const DeviceAddressBase& device_source, uint64_t size) {
  absl::Status status = CheckSize(*device_destination, size);
  status.Update(CheckSize(device_source, size));
  if (!status.ok() || size == 0) return status;
  queue_->Push([to = device_destination->opaque(), from = device_source.opaque(), size] {
    std::memmove(to, from, size);
    return absl::OkStatus();
  });
  return absl::OkStatus();
}

absl::Status Stream::MemZero(DeviceAddressBase* location, uint64_t size) {
  if (absl::Status status = CheckSize(*location, size); !status.ok()) return status;
  queue_->Push([to = location->opaque(), size] {
    if (size > 0) std::memset(to, 0, size);
    return absl::OkStatus();
  });
  return absl::OkStatus();
}

absl::Status Stream::Memset32(DeviceAddressBase* location, uint32_t pattern, uint64_t size) {
  if (absl::Status status = CheckSize(*location, size); !status.ok()) return status;
  if (size % sizeof(pattern) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "memory is filled with whole patterns of 4 bytes, but ", size, " bytes were asked for"));
  }
  queue_->Push([to = static_cast<char*>(location->opaque()), pattern, size] {
    for (uint64_t at = 0; at < size; at += sizeof(pattern))
      std::memcpy(to + at, &pattern, sizeof(pattern));
    return absl::OkStatus();
  });
  return absl::OkStatus();
}

absl::Status Stream::DoHostCallback(absl::AnyInvocable<void() &&> callback) {
  queue_->Push([callback = std::move(callback)]() mutable {
    std::move(callback)();
    return absl::OkStatus();
  });
  return absl::OkStatus();
}

absl::Status Stream::DoHostCallbackWithStatus(absl::AnyInvocable<absl::Status() &&> callback) {
  queue_->Push(std::move(callback));
  return absl::OkStatus();
}

}  // namespace stream_executor
