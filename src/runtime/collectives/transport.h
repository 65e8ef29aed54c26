// Messages between processes, by an engine that clusters have: Gloo or MPI. Each engine is a shared
// library of its own, which is loaded when it is asked for, so that Hilo does not need it.
#ifndef HILO_RUNTIME_COLLECTIVES_TRANSPORT_H_
#define HILO_RUNTIME_COLLECTIVES_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace xla::runtime {

// What processes tell each other before they are connected. For any number of threads.
class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;
  virtual absl::Status Set(absl::string_view key, absl::string_view value) = 0;
  // Waits until somebody has set the key; DeadlineExceeded when nobody does so in time.
  virtual absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout) = 0;
};

// The processes of a group, by their ranks from 0 on. For any number of threads.
class Transport {
 public:
  // A message that is on its way. Its memory belongs to the engine until it has been waited for or
  // the transfer is destroyed.
  class Transfer {
   public:
    virtual ~Transfer() = default;
    // DeadlineExceeded when it does not end in time, Unavailable when the other process is gone.
    virtual absl::Status Wait(absl::Time deadline) = 0;
  };
  using TransferOrStatus = absl::StatusOr<std::unique_ptr<Transfer>>;

  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // A message arrives where the receiver names the same tag and as many bytes; those of one tag
  // from one process to another arrive in the order in which they were sent.
  virtual TransferOrStatus Send(int to, uint64_t tag, const void* data, size_t bytes) = 0;
  virtual TransferOrStatus Receive(int from, uint64_t tag, void* data, size_t bytes) = 0;

  // Gives up. Whoever waits for this process, here or there, learns it at once, as far as the
  // engine can tell them.
  virtual void Close() = 0;
};

struct TransportOptions {
  int rank = 0;
  int size = 1;
  absl::Duration timeout = absl::Minutes(1);  // for all processes to come
  std::string address;             // of this machine, for the others; empty for that of its name
  KeyValueStore* store = nullptr;  // for engines that do not know the processes themselves
};

// Connects this process with the others. `engine` is "gloo" or "mpi"; NotFound where its library is
// not there, Unavailable or DeadlineExceeded where the others are not.
absl::StatusOr<std::unique_ptr<Transport>> ConnectProcesses(absl::string_view engine,
                                                            const TransportOptions& options);

// The function by which the library of an engine gives its transport; null with an error.
using MakeTransportFunction = Transport*(const TransportOptions* options, absl::Status* status);
inline constexpr char kMakeTransport[] = "HiloMakeTransport";

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_COLLECTIVES_TRANSPORT_H_
