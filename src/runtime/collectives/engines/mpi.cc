// MPI as a transport. Messages of MPI have tags of about 31 bits: each goes with a head that has
// the whole tag, so that two that share a short one are told apart by an error. A short message is
// one with its head.
// Only the C interface.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "runtime/collectives/transport.h"

namespace xla::runtime {
namespace {

constexpr size_t kLongestPiece = size_t{1} << 30;  // MPI counts bytes in an int
constexpr size_t kShort = 4096;

absl::Status StatusOf(int code, absl::string_view function) {
  if (code == MPI_SUCCESS) return absl::OkStatus();
  std::array<char, MPI_MAX_ERROR_STRING> text;
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return absl::UnavailableError(
      absl::StrCat(function, ": ", absl::string_view(text.data(), length)));
}

class MpiTransport : public Transport {
 public:
  explicit MpiTransport(absl::Duration timeout) : timeout_(timeout) {}

  // DeadlineExceeded where the others do not come; the thread of MPI then still needs the
  // transport.
  absl::Status Connect() {
    thread_ = std::thread([this, life = life_] { BeginAndEnd(*life); });
    std::unique_lock<std::mutex> lock(life_->mutex);
    const auto has_begun = [&] { return life_->begun.has_value(); };
    if (life_->changed.wait_for(lock, absl::ToChronoNanoseconds(timeout_), has_begun))
      return *life_->begun;
    return absl::DeadlineExceededError(
        absl::StrCat("not all processes began within ", absl::FormatDuration(timeout_)));
  }

  ~MpiTransport() override {
    {
      std::unique_lock<std::mutex> lock(life_->mutex);
      life_->shall_end = true;
      life_->changed.notify_all();
      life_->changed.wait_for(lock, absl::ToChronoNanoseconds(timeout_),
                              [&] { return life_->has_ended; });
      // Whoever started the processes says that this one has gone without the others.
      if (!life_->has_ended) {
        thread_.detach();
        return;
      }
    }
    thread_.join();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  TransferOrStatus Send(int to, uint64_t tag, const void* data, size_t bytes) override {
    const auto start = [&](void* from, int count, MPI_Request* request) {
      return MPI_Isend(from, count, MPI_BYTE, to, ShortTag(tag), communicator_, request);
    };
    return Started(std::make_unique<MpiTransfer>(*this, tag, const_cast<void*>(data), bytes, true),
                   start);
  }

  TransferOrStatus Receive(int from, uint64_t tag, void* data, size_t bytes) override {
    const auto start = [&](void* to, int count, MPI_Request* request) {
      return MPI_Irecv(to, count, MPI_BYTE, from, ShortTag(tag), communicator_, request);
    };
    return Started(std::make_unique<MpiTransfer>(*this, tag, data, bytes, false), start);
  }

  // Whoever starts the processes ends all when one has failed.
  void Close() override {}

 private:
  // What the thread that begins and ends MPI and the transport tell each other.
  struct Life {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<absl::Status> begun;
    bool shall_end = false, has_ended = false;
  };

  // MPI asks for one thread that begins and ends it, and waits without end for the others then.
  void BeginAndEnd(Life& life) {
    int is_initialized = 0;
    MPI_Initialized(&is_initialized);
    const absl::Status begun = Begin(is_initialized != 0);
    std::unique_lock<std::mutex> lock(life.mutex);
    life.begun = begun;
    life.changed.notify_all();
    life.changed.wait(lock, [&] { return life.shall_end; });
    // After an error the others may not come to an end in common.
    const bool ends_in_common = is_initialized == 0 && begun.ok() && !has_failed_;
    lock.unlock();
    // The transport may not wait for this.
    if (ends_in_common) MPI_Finalize();
    lock.lock();
    life.has_ended = true;
    life.changed.notify_all();
  }

  absl::Status Begin(bool is_initialized) {
    int threads = MPI_THREAD_SINGLE;
    if (is_initialized) {
      MPI_Query_thread(&threads);
    } else {
      const absl::Status status = StatusOf(
          MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &threads), "MPI_Init_thread");
      if (!status.ok()) return status;
    }
    if (threads != MPI_THREAD_MULTIPLE)
      return absl::FailedPreconditionError("this MPI cannot be called from several threads");
    // A communicator of its own, so that no message of the program that embeds it is met.
    const absl::Status status =
        StatusOf(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_), "MPI_Comm_dup");
    if (!status.ok()) return status;
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
    int* most = nullptr;
    int has_most = 0;
    MPI_Comm_get_attr(communicator_, MPI_TAG_UB, static_cast<void*>(&most), &has_most);
    if (has_most != 0) most_tag_ = static_cast<uint64_t>(*most);
    return absl::OkStatus();
  }

  struct Head {
    uint64_t tag;
    uint64_t bytes;
    friend bool operator==(const Head&, const Head&) = default;
  };

  struct MpiTransfer : Transfer {
    MpiTransfer(MpiTransport& transport, uint64_t tag, void* data, size_t bytes, bool sends)
        : transport(transport),
          head{tag, bytes},
          data(data),
          sends(sends),
          first(sizeof head + (bytes <= kShort ? bytes : 0)) {
      std::memcpy(first.data(), &head, sizeof head);
      if (sends && is_short()) std::copy_n(bytes_of_data(), bytes, first.begin() + sizeof head);
    }

    ~MpiTransfer() override {
      for (MPI_Request& request : requests) {
        if (request == MPI_REQUEST_NULL) continue;
        if (!sends) MPI_Cancel(&request);
        MPI_Request_free(&request);
      }
    }

    absl::Status Wait(absl::Time deadline) override {
      const absl::Status status = WaitForAll(deadline);
      if (!status.ok()) transport.has_failed_ = true;
      return status;
    }

    absl::Status WaitForAll(absl::Time deadline) {
      for (MPI_Request& request : requests) {
        int is_done = 0;
        while (is_done == 0) {
          const absl::Status status =
              StatusOf(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
          if (!status.ok()) return status;
          if (is_done != 0) break;
          if (absl::Now() >= deadline) return absl::DeadlineExceededError("nothing came in time");
          sched_yield();
        }
      }
      Head arrived;
      std::memcpy(&arrived, first.data(), sizeof arrived);
      if (arrived != head) return absl::InternalError("another message has the same short tag");
      if (!sends && is_short())
        std::copy_n(first.begin() + sizeof head, head.bytes, bytes_of_data());
      return absl::OkStatus();
    }

    bool is_short() const { return first.size() > sizeof head; }
    char* bytes_of_data() const { return static_cast<char*>(data); }

    MpiTransport& transport;
    const Head head;
    void* const data;
    const bool sends;
    std::vector<char> first;  // the head and, if it is short, the message
    std::vector<MPI_Request> requests;
  };

  int ShortTag(uint64_t tag) const { return static_cast<int>(tag % most_tag_); }

  // Starts the head and the pieces of the message, in order.
  template <typename Function>
  TransferOrStatus Started(std::unique_ptr<MpiTransfer> transfer, const Function& function) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto start = [&](void* place, size_t count) {
      transfer->requests.push_back(MPI_REQUEST_NULL);
      return StatusOf(function(place, static_cast<int>(count), &transfer->requests.back()),
                      transfer->sends ? "MPI_Isend" : "MPI_Irecv");
    };
    absl::Status status = start(transfer->first.data(), transfer->first.size());
    const size_t bytes = transfer->is_short() ? 0 : transfer->head.bytes;
    for (size_t done = 0; status.ok() && done < bytes; done += kLongestPiece) {
      status = start(transfer->bytes_of_data() + done, std::min(kLongestPiece, bytes - done));
    }
    if (!status.ok()) {
      has_failed_ = true;
      return status;
    }
    return transfer;
  }

  const absl::Duration timeout_;
  std::thread thread_;
  const std::shared_ptr<Life> life_ = std::make_shared<Life>();

  std::atomic<bool> has_failed_ = false;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  uint64_t most_tag_ = 32767;  // what the standard promises
  std::mutex mutex_;           // a head and its pieces are started together
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Transport* HiloMakeTransport(
    const TransportOptions* options, absl::Status* status) {
  // Open MPI's own plug-ins look for its functions among those that all can see.
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&MPI_Init_thread), &info) != 0)
    dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  auto transport = std::make_unique<MpiTransport>(options->timeout);
  *status = transport->Connect();
  if (absl::IsDeadlineExceeded(*status)) transport.release();
  return status->ok() ? transport.release() : nullptr;
}

}  // namespace xla::runtime
