// The processes that run programs together.
#ifndef HILO_RUNTIME_COLLECTIVES_PROCESS_GROUP_H_
#define HILO_RUNTIME_COLLECTIVES_PROCESS_GROUP_H_

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/collectives/transport.h"
#include "xla/literal.h"

namespace xla::runtime {

// What exchanges with other processes have cost a process so far.
struct ExchangeCosts {
  std::atomic<int64_t> messages_sent = 0, bytes_sent = 0, bytes_received = 0;
  std::atomic<int64_t> nanoseconds = 0;          // in exchanges, of all its devices,
  std::atomic<int64_t> overlap_nanoseconds = 0;  // of these while the program computed
};

// What is on its way, with the memory that the engine reads or writes.
class Messages {
 public:
  Messages(Transport& transport, absl::Duration timeout, ExchangeCosts& costs)
      : transport_(transport), timeout_(timeout), costs_(costs) {}

  absl::Status Send(int to, uint64_t tag, const void* data, size_t bytes);
  absl::Status Receive(int from, uint64_t tag, void* data, size_t bytes);
  // All arrays of the literal, which must stay as it is until Wait has ended, with their dynamic
  // sizes. Receivers have made one of the same shape.
  absl::Status SendArrays(int to, uint64_t tag, const Literal& literal);
  absl::Status ReceiveArrays(int from, uint64_t tag, Literal& literal);
  // For all of them, for as long as the timeout from now on. The error names the process whose
  // message failed; what follows it is given up.
  absl::Status Wait();

 private:
  // The sizes of an array with dynamic ones, which go before its elements.
  struct Sizes {
    Literal* array;  // that gets them, or null
    ShapeIndex index;
    std::vector<int32_t> values;
  };
  absl::Status Start(int peer, bool sends, Transport::TransferOrStatus transfer);
  // The error of a message. What others still expect of this process will not come, either.
  absl::Status Failed(int peer, bool sends, const absl::Status& status);

  struct Pending {
    int peer;
    bool sends;
    std::unique_ptr<Transport::Transfer> transfer;
  };
  Transport& transport_;
  absl::Duration timeout_;
  ExchangeCosts& costs_;
  std::list<Sizes> sizes_;
  std::vector<Pending> pending_;
};

class ProcessGroup {
 public:
  // Nobody waits for another process for longer than `timeout`.
  ProcessGroup(std::unique_ptr<Transport> transport, absl::Duration timeout)
      : transport_(std::move(transport)), timeout_(timeout) {}

  int rank() const { return transport_->rank(); }
  int size() const { return transport_->size(); }

  Messages NewMessages() { return Messages(*transport_, timeout_, costs_); }
  ExchangeCosts& costs() { return costs_; }

  // FailedPrecondition, on all processes, unless all have the same text of what `subject` names.
  absl::Status ExpectSame(absl::string_view subject, absl::string_view text);
  // What process 0 has, given to all.
  absl::StatusOr<uint64_t> OfFirst(absl::string_view subject, uint64_t number);

 private:
  std::unique_ptr<Transport> transport_;
  absl::Duration timeout_;
  ExchangeCosts costs_;
};

// Numbers for what words and further numbers say, the same in all processes.
uint64_t TagOf(absl::string_view words);
uint64_t TagOf(uint64_t tag, uint64_t number);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_COLLECTIVES_PROCESS_GROUP_H_
