// The processes that run programs together.
#ifndef HILO_RUNTIME_COLLECTIVES_PROCESS_GROUP_H_
#define HILO_RUNTIME_COLLECTIVES_PROCESS_GROUP_H_

#include <cstdint>
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

// What is on its way, with the memory that the engine reads or writes.
class Messages {
 public:
  // Deadlines count from here on.
  Messages(Transport& transport, absl::Duration timeout);

  absl::Status Send(int to, uint64_t tag, const void* data, size_t bytes);
  absl::Status Receive(int from, uint64_t tag, void* data, size_t bytes);
  // All arrays of the literal, which must stay as it is until Wait has ended. Receivers have made
  // one of the same shape. Unimplemented for dynamic sizes.
  absl::Status SendArrays(int to, uint64_t tag, const Literal& literal);
  absl::Status ReceiveArrays(int from, uint64_t tag, Literal& literal);
  // The first error names the process whose message failed.
  absl::Status Wait();

 private:
  absl::Status Start(int peer, bool sends, Transport::TransferOrStatus transfer);

  struct Pending {
    int peer;
    bool sends;
    std::unique_ptr<Transport::Transfer> transfer;
  };
  Transport& transport_;
  absl::Time deadline_;
  std::vector<Pending> pending_;
};

class ProcessGroup {
 public:
  // Nobody waits for another process for longer than `timeout`.
  ProcessGroup(std::unique_ptr<Transport> transport, absl::Duration timeout)
      : transport_(std::move(transport)), timeout_(timeout) {}

  int rank() const { return transport_->rank(); }
  int size() const { return transport_->size(); }

  Messages NewMessages() { return Messages(*transport_, timeout_); }

  // FailedPrecondition, on all processes, unless all have the same text of what `subject` names.
  absl::Status ExpectSame(absl::string_view subject, absl::string_view text);
  // What process 0 has, given to all.
  absl::StatusOr<uint64_t> OfFirst(absl::string_view subject, uint64_t number);

 private:
  std::unique_ptr<Transport> transport_;
  absl::Duration timeout_;
};

// A number for what these words say, the same in all processes (FNV-1a, 64 bits).
uint64_t TagOf(absl::string_view words);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_COLLECTIVES_PROCESS_GROUP_H_
