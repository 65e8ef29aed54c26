#include "runtime/rendezvous.h"

#include <cstring>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

// Instructions that share a channel need not be the same.
absl::Status Copy(const Exchange& exchange, const Pieces::Sent& sent,
                  const Pieces::Received& received) {
  const auto as_large = [](absl::Span<const char> a, absl::Span<char> b) {
    return a.size() == b.size();
  };
  if (!absl::c_equal(sent, received, as_large)) {
    return InvalidArgument("%s: the operands do not have the same shapes on all devices",
                           exchange.ToString());
  }
  for (size_t i = 0; i < sent.size(); ++i) {
    if (!sent[i].empty()) std::memcpy(received[i].data(), sent[i].data(), sent[i].size());
  }
  return absl::OkStatus();
}

absl::Span<const char> BytesOf(const Literal& array) {
  return {static_cast<const char*>(array.untyped_data()), static_cast<size_t>(array.size_bytes())};
}
absl::Span<char> BytesOf(Literal& array) {
  return {static_cast<char*>(array.untyped_data()), static_cast<size_t>(array.size_bytes())};
}

absl::Status AnotherHasFailed(int64_t device, const Exchange& exchange) {
  return absl::AbortedError(absl::StrCat("Device ", device, " stops in ", exchange.name,
                                         " because another device has failed"));
}

// Only one device may stand at each end.
absl::Status ClaimEnd(std::optional<int64_t>& end, int64_t device, absl::string_view action,
                      const Exchange& exchange, const Mailbox& box) {
  if (end.value_or(device) != device) {
    return InvalidArgument(
        "%s: devices %d and %d both %s %s; the frontend attribute "
        "_xla_send_recv_source_target_pairs says who sends to whom",
        exchange.ToString(), *end, device, action, box.ToString());
  }
  end = device;
  return absl::OkStatus();
}

}  // namespace

std::string Exchange::ToString() const { return absl::StrCat(opcode, " ", name); }

Rendezvous::Rendezvous(int64_t devices, int64_t running) : waiting_(devices), running_(running) {}

absl::StatusOr<std::shared_ptr<Rendezvous::Meeting>> Rendezvous::Meet(
    int64_t device, const Exchange& exchange, const std::vector<int64_t>& participants,
    std::vector<Pieces::Sent> sent) {
  const std::optional<int64_t> channel = exchange.channel;
  Key key(exchange.opcode, channel.has_value() ? nullptr : exchange.instruction,
          channel.value_or(0), participants);
  const size_t position = absl::c_find(participants, device) - participants.begin();

  std::unique_lock<std::mutex> lock(mutex_);
  if (failed_) return AnotherHasFailed(device, exchange);
  std::shared_ptr<Meeting>& entry = meetings_[key];
  if (entry == nullptr) entry = std::make_shared<Meeting>(participants.size());
  const std::shared_ptr<Meeting> meeting = entry;
  meeting->sent[position] = std::move(sent);
  if (++meeting->arrived == participants.size()) {
    meetings_.erase(key);
    for (int64_t participant : participants) waiting_[participant].reset();
    running_ += static_cast<int64_t>(participants.size()) - 1;
    lock.unlock();
    meeting->state = Meeting::kComplete;
    meeting->state.notify_all();
    return meeting;
  }
  waiting_[device] = exchange;
  if (--running_ == 0) Break();
  lock.unlock();
  meeting->state.wait(Meeting::kIncomplete);
  if (meeting->state == Meeting::kComplete) return meeting;
  lock.lock();
  if (failed_) return AnotherHasFailed(device, exchange);
  return NeverArrives(device, exchange, participants);
}

void Rendezvous::Break() {
  for (const auto& [key, meeting] : meetings_) {
    meeting->state = Meeting::kBroken;
    meeting->state.notify_all();
  }
  boxes_changed_.notify_all();
}

absl::StatusOr<std::unique_ptr<Rendezvous::Lent>> Rendezvous::Lend(
    int64_t device, const Exchange& exchange, const std::vector<int64_t>& participants,
    std::vector<Pieces::Sent> sent) {
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<Meeting> meeting,
                        Meet(device, exchange, participants, std::move(sent)));
  const size_t position = absl::c_find(participants, device) - participants.begin();
  return absl::WrapUnique(new Lent(std::move(meeting), position));
}

Rendezvous::Lent::~Lent() {
  std::atomic<uint32_t>& served = meeting_->served;
  const auto all = static_cast<uint32_t>(meeting_->sent.size());
  uint32_t count = ++served;
  if (count == all) served.notify_all();
  for (; count != all; count = served) served.wait(count);
}

absl::StatusOr<std::unique_ptr<Rendezvous::Pending>> Rendezvous::Begin(
    int64_t device, const Exchange& exchange, const std::vector<int64_t>& participants,
    const Pieces& pieces) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Lent> lent,
                        Lend(device, exchange, participants, pieces.sent));
  absl::Status status;
  for (size_t i = 0; i < participants.size(); ++i) {
    if (participants[i] == device && pieces.received[i].empty()) continue;
    status.Update(Copy(exchange, lent->From(i), pieces.received[i]));
  }
  if (!status.ok()) return status;
  return std::make_unique<Pending>();
}

absl::Status Rendezvous::ExchangePieces(int64_t device, const Exchange& exchange,
                                        const std::vector<int64_t>& participants,
                                        const Pieces& pieces) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Pending> pending,
                        Begin(device, exchange, participants, pieces));
  return pending->Finish();
}

absl::Status Rendezvous::Put(int64_t device, const Exchange& exchange, const Mailbox& address,
                             Literal value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Box& box = boxes_[address];
  HILO_RETURN_IF_ERROR(ClaimEnd(box.sender, device, address.is_ready ? "receive from" : "send over",
                                exchange, address));
  box.values.push_back(std::move(value));
  if (!box.is_waited_for) return absl::OkStatus();
  box.is_waited_for = false;
  waiting_[*box.receiver].reset();
  ++running_;
  boxes_changed_.notify_all();
  return absl::OkStatus();
}

absl::StatusOr<Literal> Rendezvous::Take(int64_t device, const Exchange& exchange,
                                         const Mailbox& address) {
  std::unique_lock<std::mutex> lock(mutex_);
  Box& box = boxes_[address];
  HILO_RETURN_IF_ERROR(ClaimEnd(
      box.receiver, device, address.is_ready ? "send over" : "receive from", exchange, address));
  if (box.values.empty() && !failed_) {
    box.is_waited_for = true;
    waiting_[device] = exchange;
    if (--running_ == 0) Break();
    boxes_changed_.wait(lock, [&] { return !box.values.empty() || failed_ || running_ == 0; });
  }
  if (!box.values.empty()) {
    Literal value = std::move(box.values.front());
    box.values.pop_front();
    return value;
  }
  if (failed_) return AnotherHasFailed(device, exchange);
  return FailedPrecondition(
      "%s: device %d waits for another that %s %s, but none does: all others wait or have "
      "finished",
      exchange.ToString(), device, address.is_ready ? "receives from" : "sends over",
      address.ToString());
}

void Rendezvous::Leave(int64_t device, const absl::Status& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Whoever gave up waiting stays where it waited, which is what the others' errors tell of.
  if (waiting_[device].has_value()) return;
  failed_ = failed_ || !status.ok();
  --running_;
  if (failed_ || running_ == 0) Break();
}

absl::Status Rendezvous::NeverArrives(int64_t device, const Exchange& exchange,
                                      const std::vector<int64_t>& participants) const {
  // Somebody who waits elsewhere or has left.
  const auto missing = absl::c_find_if(participants, [&](int64_t other) {
    return !waiting_[other].has_value() || waiting_[other]->instruction != exchange.instruction;
  });
  const int64_t participant = missing == participants.end() ? device : *missing;
  const std::optional<Exchange>& elsewhere = waiting_[participant];
  return FailedPrecondition(
      "%s: device %d waits for participant %d, which never arrives: it %s", exchange.ToString(),
      device, participant,
      !elsewhere.has_value() ? "has finished" : absl::StrCat("waits in ", elsewhere->name));
}

absl::StatusOr<std::vector<Contribution>> Gather(const Device& device, const Exchange& exchange,
                                                 const std::vector<int64_t>& participants,
                                                 Contribution own) {
  const size_t count = participants.size();
  const size_t position = absl::c_find(participants, device.id) - participants.begin();
  std::vector<Contribution> all(count);
  Pieces pieces;
  pieces.sent.resize(1);
  pieces.received.resize(count);
  for (Contribution& each : all) each.reserve(own.size());
  for (const Literal& array : own) {
    pieces.sent[0].push_back(BytesOf(array));
    for (size_t i = 0; i < count; ++i) {
      if (i == position) continue;
      Literal& place = all[i].emplace_back(array.shape());
      pieces.received[i].push_back(BytesOf(place));
    }
  }
  if (count > 1) {
    HILO_RETURN_IF_ERROR(
        device.rendezvous->ExchangePieces(device.id, exchange, participants, pieces));
  }
  all[position] = std::move(own);
  return all;
}

}  // namespace xla::runtime
