// Where the data of send and recv goes.
#ifndef HILO_RUNTIME_SEND_RECV_H_
#define HILO_RUNTIME_SEND_RECV_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/mailboxes.h"
#include "runtime/rendezvous.h"
#include "xla/xla_data.pb.h"

namespace xla::runtime {

// A send or a recv of the program.
class SendOrRecv {
 public:
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;

  // InvalidArgument when the frontend attribute _xla_send_recv_source_target_pairs is no list of
  // pairs such as {{0,1},{1,2}}.
  static absl::StatusOr<SendOrRecv> Make(const Exchange& exchange, bool sends,
                                         bool is_host_transfer,
                                         const FrontendAttributes& attributes);

  // For each transfer in which the device has a part, the box for its data.
  absl::StatusOr<std::vector<Mailbox>> DataBoxes(const Exchange& exchange,
                                                 const Device& device) const;

 private:
  SendOrRecv(bool sends, bool is_host_transfer, std::optional<Pairs> pairs)
      : sends_(sends), is_host_transfer_(is_host_transfer), pairs_(std::move(pairs)) {}

  bool sends_;
  bool is_host_transfer_;
  std::optional<Pairs> pairs_;
};

// The box in which whoever takes from `box` says that it is there.
Mailbox ReadyBox(Mailbox box);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_SEND_RECV_H_
