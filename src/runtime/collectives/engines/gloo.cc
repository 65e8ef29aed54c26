// Gloo over TCP as a transport.
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "runtime/collectives/transport.h"

namespace xla::runtime {
namespace {

std::chrono::milliseconds TimeUntil(absl::Time deadline) {
  // Nothing and less would mean for ever. Who wakes before the deadline would not know that it is
  // over.
  const absl::Duration time = absl::Ceil(deadline - absl::Now(), absl::Milliseconds(1));
  return std::chrono::milliseconds(std::max<int64_t>(1, absl::ToInt64Milliseconds(time)));
}

// Writing to a process that is gone raises SIGPIPE, which ends programs that do not expect it. This
// keeps it from the thread, and from threads that are started meanwhile.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    const timespec now = {};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_, before_;
  bool was_pending_;
};

// Gloo tells errors by exceptions.
template <typename Function>
absl::Status Guarded(const Function& function) {
  const WithoutPipeSignal without_pipe_signal;
  try {
    function();
    return absl::OkStatus();
  } catch (const std::exception& error) {
    return absl::UnavailableError(absl::StrCat("Gloo: ", error.what()));
  }
}

class StoreAdaptor : public gloo::rendezvous::Store {
 public:
  StoreAdaptor(KeyValueStore& store, absl::Duration timeout) : store_(store), timeout_(timeout) {}

  void set(const std::string& key, const std::vector<char>& data) override {
    Check(store_.Set(NameOf(key), absl::string_view(data.data(), data.size())));
  }
  std::vector<char> get(const std::string& key) override {
    const absl::StatusOr<std::string> value = store_.Get(NameOf(key), timeout_);
    Check(value.status());
    return std::vector<char>(value->begin(), value->end());
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) Check(store_.Get(NameOf(key), timeout_).status());
  }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override {
    wait(keys);
  }

 private:
  static std::string NameOf(const std::string& key) { return absl::StrCat("gloo/", key); }
  static void Check(const absl::Status& status) {
    if (!status.ok()) throw gloo::IoException(std::string(status.message()));
  }
  KeyValueStore& store_;
  absl::Duration timeout_;
};

class GlooTransport : public Transport {
 public:
  explicit GlooTransport(const TransportOptions& options)
      : context_(std::make_shared<gloo::rendezvous::Context>(options.rank, options.size)) {
    gloo::transport::tcp::attr address;
    address.hostname = options.address;
    std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice(address);
    context_->setTimeout(std::chrono::milliseconds(absl::ToInt64Milliseconds(options.timeout)));
    StoreAdaptor store(*options.store, options.timeout);
    context_->connectFullMesh(store, device);
  }

  int rank() const override { return context_->rank; }
  int size() const override { return context_->size; }

  TransferOrStatus Send(int to, uint64_t tag, const void* data, size_t bytes) override {
    return Start(const_cast<void*>(data), bytes, &GlooTransfer::WaitSent,
                 [&](gloo::transport::UnboundBuffer& buffer) { buffer.send(to, tag); });
  }
  TransferOrStatus Receive(int from, uint64_t tag, void* data, size_t bytes) override {
    return Start(data, bytes, &GlooTransfer::WaitReceived,
                 [&](gloo::transport::UnboundBuffer& buffer) { buffer.recv(from, tag); });
  }

  // When Gloo has waited for something in vain it gives up all its connections.
  void Close() override {
    char never = 0;
    const uint64_t tag = ~uint64_t{0};
    const TransferOrStatus transfer = Receive(rank() == 0 ? size() - 1 : 0, tag, &never, 1);
    if (transfer.ok()) (*transfer)->Wait(absl::InfinitePast()).IgnoreError();
  }

 private:
  class GlooTransfer : public Transfer {
   public:
    using Waiting = bool (GlooTransfer::*)(std::chrono::milliseconds);
    GlooTransfer(std::unique_ptr<gloo::transport::UnboundBuffer> buffer, Waiting waiting)
        : buffer_(std::move(buffer)), waiting_(waiting) {}

    absl::Status Wait(absl::Time deadline) override {
      bool is_done = false;
      absl::Status status = Guarded([&] { is_done = (this->*waiting_)(TimeUntil(deadline)); });
      if (!status.ok() && absl::Now() >= deadline)
        return absl::DeadlineExceededError("nothing came in time");
      if (status.ok() && !is_done) return absl::UnavailableError("the transfer was given up");
      return status;
    }

    bool WaitSent(std::chrono::milliseconds time) { return buffer_->waitSend(time); }
    bool WaitReceived(std::chrono::milliseconds time) { return buffer_->waitRecv(time); }

   private:
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
    Waiting waiting_;
  };

  template <typename Function>
  TransferOrStatus Start(void* data, size_t bytes, GlooTransfer::Waiting waiting,
                         const Function& function) {
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
    absl::Status status = Guarded([&] {
      buffer = context_->createUnboundBuffer(data, bytes);
      function(*buffer);
    });
    if (!status.ok()) return status;
    return std::make_unique<GlooTransfer>(std::move(buffer), waiting);
  }

  std::shared_ptr<gloo::rendezvous::Context> context_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Transport* HiloMakeTransport(
    const TransportOptions* options, absl::Status* status) {
  Transport* transport = nullptr;
  *status = Guarded([&] { transport = new GlooTransport(*options); });
  return transport;
}

}  // namespace xla::runtime
