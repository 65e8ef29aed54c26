#include "runtime/collectives/process_group.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

absl::Status WithPeer(const absl::Status& status, bool sends, int peer) {
  return absl::Status(status.code(), absl::StrCat(sends ? "sending to" : "receiving from",
                                                  " process ", peer, ": ", status.message()));
}

// Calls function(array, bytes) for each array of the literal that has elements.
template <typename Function>
absl::Status ForEachArray(const Literal& literal, const Function& function) {
  return ShapeUtil::ForEachSubshapeWithStatus(
      literal.shape(), [&](const Shape& shape, const ShapeIndex& index) -> absl::Status {
        if (!shape.IsArray()) return absl::OkStatus();
        if (shape.is_dynamic())
          return Unimplemented("arrays of dynamic size do not go from process to process");
        const auto bytes = static_cast<size_t>(literal.size_bytes(index));
        return bytes == 0 ? absl::OkStatus() : function(index, bytes);
      });
}

}  // namespace

uint64_t TagOf(absl::string_view words) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : words) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

Messages::Messages(Transport& transport, absl::Duration timeout)
    : transport_(transport), deadline_(absl::Now() + timeout) {}

absl::Status Messages::Start(int peer, bool sends, Transport::TransferOrStatus transfer) {
  if (!transfer.ok()) return WithPeer(transfer.status(), sends, peer);
  pending_.push_back({peer, sends, *std::move(transfer)});
  return absl::OkStatus();
}

absl::Status Messages::Send(int to, uint64_t tag, const void* data, size_t bytes) {
  return Start(to, true, transport_.Send(to, tag, data, bytes));
}

absl::Status Messages::Receive(int from, uint64_t tag, void* data, size_t bytes) {
  return Start(from, false, transport_.Receive(from, tag, data, bytes));
}

absl::Status Messages::SendArrays(int to, uint64_t tag, const Literal& literal) {
  return ForEachArray(literal, [&](const ShapeIndex& index, size_t bytes) {
    return Send(to, tag, literal.untyped_data(index), bytes);
  });
}

absl::Status Messages::ReceiveArrays(int from, uint64_t tag, Literal& literal) {
  return ForEachArray(literal, [&](const ShapeIndex& index, size_t bytes) {
    return Receive(from, tag, literal.untyped_data(index), bytes);
  });
}

absl::Status Messages::Wait() {
  absl::Status first;
  for (const Pending& pending : pending_) {
    const absl::Status status = pending.transfer->Wait(deadline_);
    if (!status.ok() && first.ok()) first = WithPeer(status, pending.sends, pending.peer);
  }
  pending_.clear();
  return first;
}

absl::Status ProcessGroup::ExpectSame(absl::string_view subject, absl::string_view text) {
  const uint64_t tag = TagOf(absl::StrCat("same ", subject));
  const uint64_t own = TagOf(text);
  std::vector<uint64_t> of_others(size(), own);
  Messages messages = NewMessages();
  for (int other = 0; other < size(); ++other) {
    if (other == rank()) continue;
    HILO_RETURN_IF_ERROR(messages.Receive(other, tag, &of_others[other], sizeof own));
    HILO_RETURN_IF_ERROR(messages.Send(other, tag, &own, sizeof own));
  }
  HILO_RETURN_IF_ERROR(messages.Wait());
  for (int other = 0; other < size(); ++other) {
    if (of_others[other] != own) {
      return FailedPrecondition("process %d has another %s than process %d", other, subject,
                                rank());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ProcessGroup::OfFirst(absl::string_view subject, uint64_t number) {
  const uint64_t tag = TagOf(absl::StrCat("of first ", subject));
  Messages messages = NewMessages();
  if (rank() > 0) HILO_RETURN_IF_ERROR(messages.Receive(0, tag, &number, sizeof number));
  for (int other = 1; rank() == 0 && other < size(); ++other)
    HILO_RETURN_IF_ERROR(messages.Send(other, tag, &number, sizeof number));
  HILO_RETURN_IF_ERROR(messages.Wait());
  return number;
}

}  // namespace xla::runtime
