#include "runtime/collectives/process_group.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

// Calls function(shape, index) for each array of the literal that has elements.
template <typename Function>
absl::Status ForEachArray(const Literal& literal, const Function& function) {
  return ShapeUtil::ForEachSubshapeWithStatus(
      literal.shape(), [&](const Shape& shape, const ShapeIndex& index) -> absl::Status {
        if (!shape.IsArray() || literal.size_bytes(index) == 0) return absl::OkStatus();
        return function(shape, index);
      });
}

absl::Status SetSizes(Literal& literal, const ShapeIndex& index, absl::Span<const int32_t> sizes) {
  const Shape& shape = ShapeUtil::GetSubshape(literal.shape(), index);
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    if (sizes[d] < 0 || sizes[d] > shape.dimensions(d))
      return Internal("a process sent the size %d for %s", sizes[d], shape.ToString());
    literal.SetDynamicSize(d, index, sizes[d]);
  }
  return absl::OkStatus();
}

}  // namespace

// FNV-1a.
uint64_t TagOf(absl::string_view words) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : words) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// A step of FNV-1a on a whole number, whose upper half the next step would not see.
uint64_t TagOf(uint64_t tag, uint64_t number) {
  const uint64_t product = (tag ^ number) * 0x9e3779b97f4a7c15;
  return product ^ (product >> 32);
}

absl::Status Messages::Start(int peer, bool sends, Transport::TransferOrStatus transfer) {
  if (!transfer.ok()) return Failed(peer, sends, transfer.status());
  pending_.push_back({peer, sends, *std::move(transfer)});
  return absl::OkStatus();
}

absl::Status Messages::Failed(int peer, bool sends, const absl::Status& status) {
  transport_.Close();
  return absl::Status(status.code(), absl::StrCat(sends ? "sending to" : "receiving from",
                                                  " process ", peer, ": ", status.message()));
}

absl::Status Messages::Send(int to, uint64_t tag, const void* data, size_t bytes) {
  ++costs_.messages_sent;
  costs_.bytes_sent += static_cast<int64_t>(bytes);
  return Start(to, true, transport_.Send(to, tag, data, bytes));
}

absl::Status Messages::Receive(int from, uint64_t tag, void* data, size_t bytes) {
  costs_.bytes_received += static_cast<int64_t>(bytes);
  return Start(from, false, transport_.Receive(from, tag, data, bytes));
}

absl::Status Messages::SendArrays(int to, uint64_t tag, const Literal& literal) {
  return ForEachArray(literal, [&](const Shape& shape, const ShapeIndex& index) -> absl::Status {
    if (shape.is_dynamic()) {
      std::vector<int32_t>& sizes = sizes_.emplace_back().values;
      for (int d = 0; d < shape.dimensions_size(); ++d)
        sizes.push_back(literal.GetDynamicSize(d, index));
      HILO_RETURN_IF_ERROR(Send(to, tag, sizes.data(), sizes.size() * sizeof(int32_t)));
    }
    return Send(to, tag, literal.untyped_data(index),
                static_cast<size_t>(literal.size_bytes(index)));
  });
}

absl::Status Messages::ReceiveArrays(int from, uint64_t tag, Literal& literal) {
  return ForEachArray(literal, [&](const Shape& shape, const ShapeIndex& index) -> absl::Status {
    if (shape.is_dynamic()) {
      std::vector<int32_t>& sizes =
          sizes_.emplace_back(Sizes{&literal, index, std::vector<int32_t>(shape.dimensions_size())})
              .values;
      HILO_RETURN_IF_ERROR(Receive(from, tag, sizes.data(), sizes.size() * sizeof(int32_t)));
    }
    return Receive(from, tag, literal.untyped_data(index),
                   static_cast<size_t>(literal.size_bytes(index)));
  });
}

absl::Status Messages::Wait() {
  const absl::Time deadline = absl::Now() + timeout_;
  const std::vector<Pending> pending = std::move(pending_);
  pending_.clear();
  for (const Pending& each : pending) {
    const absl::Status status = each.transfer->Wait(deadline);
    if (!status.ok()) return Failed(each.peer, each.sends, status);
  }
  for (const Sizes& sizes : std::exchange(sizes_, {})) {
    if (sizes.array != nullptr)
      HILO_RETURN_IF_ERROR(SetSizes(*sizes.array, sizes.index, sizes.values));
  }
  return absl::OkStatus();
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
