#include "eval/replicas.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

// Instructions that share a channel need not be the same.
absl::Status ExpectSameShapes(const HloInstruction& instruction, const Contribution& own,
                              const Contribution& other) {
  const auto same = [](const Literal& a, const Literal& b) {
    return ShapeUtil::Compatible(a.shape(), b.shape());
  };
  if (absl::c_equal(own, other, same)) return absl::OkStatus();
  return InvalidArgument("%s %s: the operands do not have the same shapes on all devices",
                         HloOpcodeString(instruction.opcode()), instruction.name());
}

absl::Status AnotherHasFailed(int64_t device, const HloInstruction& instruction) {
  return absl::AbortedError(absl::StrCat("Device ", device, " stops in ", instruction.name(),
                                         " because another device has failed"));
}

// Only one device may stand at each end.
absl::Status ClaimEnd(std::optional<int64_t>& end, int64_t device, absl::string_view action,
                      const HloInstruction& instruction, const runtime::Mailbox& box) {
  if (end.value_or(device) != device) {
    return InvalidArgument(
        "%s %s: devices %d and %d both %s %s; the frontend attribute "
        "_xla_send_recv_source_target_pairs says who sends to whom",
        HloOpcodeString(instruction.opcode()), instruction.name(), *end, device, action,
        box.ToString());
  }
  end = device;
  return absl::OkStatus();
}

}  // namespace

Rendezvous::Rendezvous(int64_t devices) : waiting_(devices), running_(devices) {}

absl::StatusOr<Contributions> Rendezvous::Meet(int64_t device, const HloInstruction& instruction,
                                               const std::vector<int64_t>& participants,
                                               Contribution own) {
  const std::optional<int64_t> channel = instruction.channel_id();
  Key key(instruction.opcode(), channel.has_value() ? nullptr : &instruction, channel.value_or(0),
          participants);
  const size_t position = absl::c_find(participants, device) - participants.begin();

  std::unique_lock<std::mutex> lock(mutex_);
  if (failed_) return AnotherHasFailed(device, instruction);
  std::shared_ptr<Meeting>& entry = meetings_[key];
  if (entry == nullptr) {
    entry = std::make_shared<Meeting>();
    entry->contributions.resize(participants.size());
  }
  const std::shared_ptr<Meeting> meeting = entry;
  for (const Contribution& other : meeting->contributions) {
    if (!other.empty()) HILO_RETURN_IF_ERROR(ExpectSameShapes(instruction, own, other));
  }
  meeting->contributions[position] = std::move(own);
  if (++meeting->arrived == participants.size()) {
    meeting->complete = true;
    meetings_.erase(key);
    for (int64_t participant : participants) waiting_[participant] = nullptr;
    running_ += static_cast<int64_t>(participants.size()) - 1;
    changed_.notify_all();
  } else {
    waiting_[device] = &instruction;
    if (--running_ == 0) changed_.notify_all();
    changed_.wait(lock, [&] { return meeting->complete || failed_ || running_ == 0; });
  }
  if (meeting->complete) return Contributions(meeting, &meeting->contributions);
  if (failed_) return AnotherHasFailed(device, instruction);
  return NeverArrives(device, instruction, participants);
}

absl::Status Rendezvous::Put(int64_t device, const HloInstruction& instruction,
                             const runtime::Mailbox& address, Literal value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Box& box = boxes_[address];
  HILO_RETURN_IF_ERROR(ClaimEnd(box.sender, device, address.is_ready ? "receive from" : "send over",
                                instruction, address));
  box.values.push_back(std::move(value));
  if (!box.is_waited_for) return absl::OkStatus();
  box.is_waited_for = false;
  waiting_[*box.receiver] = nullptr;
  ++running_;
  changed_.notify_all();
  return absl::OkStatus();
}

absl::StatusOr<Literal> Rendezvous::Take(int64_t device, const HloInstruction& instruction,
                                         const runtime::Mailbox& address) {
  std::unique_lock<std::mutex> lock(mutex_);
  Box& box = boxes_[address];
  HILO_RETURN_IF_ERROR(ClaimEnd(
      box.receiver, device, address.is_ready ? "send over" : "receive from", instruction, address));
  if (box.values.empty() && !failed_) {
    box.is_waited_for = true;
    waiting_[device] = &instruction;
    if (--running_ == 0) changed_.notify_all();
    changed_.wait(lock, [&] { return !box.values.empty() || failed_ || running_ == 0; });
  }
  if (!box.values.empty()) {
    Literal value = std::move(box.values.front());
    box.values.pop_front();
    return value;
  }
  if (failed_) return AnotherHasFailed(device, instruction);
  return FailedPrecondition(
      "%s %s: device %d waits for another that %s %s, but none does: all others wait or have "
      "finished",
      HloOpcodeString(instruction.opcode()), instruction.name(), device,
      address.is_ready ? "receives from" : "sends over", address.ToString());
}

void Rendezvous::Leave(int64_t device, const absl::Status& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Whoever gave up waiting stays where it waited, which is what the others' errors tell of.
  if (waiting_[device] != nullptr) return;
  failed_ = failed_ || !status.ok();
  --running_;
  changed_.notify_all();
}

absl::Status Rendezvous::NeverArrives(int64_t device, const HloInstruction& instruction,
                                      const std::vector<int64_t>& participants) const {
  // Somebody who waits elsewhere or has left.
  const auto missing =
      absl::c_find_if(participants, [&](int64_t other) { return waiting_[other] != &instruction; });
  const int64_t participant = missing == participants.end() ? device : *missing;
  const HloInstruction* elsewhere = waiting_[participant];
  return FailedPrecondition(
      "%s %s: device %d waits for participant %d, which never arrives: it %s",
      HloOpcodeString(instruction.opcode()), instruction.name(), device, participant,
      elsewhere == nullptr ? "has finished" : absl::StrCat("waits in ", elsewhere->name()));
}

}  // namespace xla::eval
