#include "runtime/collectives/process_rendezvous.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::runtime {

// Goes as three messages: how long the shape is, the shape, the arrays.
struct ProcessRendezvous::Parcel {
  Parcel(Messages messages, Literal value)
      : messages(std::move(messages)), value(std::move(value)) {
    shape = this->value.shape().ToProto().SerializeAsString();
    shape_bytes = shape.size();
  }

  absl::Status Send(int to, uint64_t tag) {
    HILO_RETURN_IF_ERROR(messages.Send(to, tag, &shape_bytes, sizeof shape_bytes));
    HILO_RETURN_IF_ERROR(messages.Send(to, tag, shape.data(), shape_bytes));
    return messages.SendArrays(to, tag, value);
  }

  Messages messages;
  Literal value;
  std::string shape;
  uint64_t shape_bytes;
};

namespace {

// Adds the time for which it is there.
class TimeInExchange {
 public:
  explicit TimeInExchange(ProcessGroup& group) : costs_(group.costs()) {}
  ~TimeInExchange() {
    costs_.nanoseconds += std::chrono::nanoseconds(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  ExchangeCosts& costs_;
  const Clock::time_point begin_ = Clock::now();
};

constexpr uint64_t kMostShapeBytes = 1 << 20;

absl::StatusOr<Literal> ReceiveParcel(ProcessGroup& group, int from, uint64_t tag) {
  // The first message says what the others are.
  Messages head = group.NewMessages();
  uint64_t shape_bytes = 0;
  HILO_RETURN_IF_ERROR(head.Receive(from, tag, &shape_bytes, sizeof shape_bytes));
  HILO_RETURN_IF_ERROR(head.Wait());
  if (shape_bytes > kMostShapeBytes) return Internal("process %d sent no shape", from);
  std::string text(shape_bytes, 0);
  HILO_RETURN_IF_ERROR(head.Receive(from, tag, text.data(), shape_bytes));
  HILO_RETURN_IF_ERROR(head.Wait());
  ShapeProto proto;
  if (!proto.ParseFromString(text)) return Internal("process %d sent no shape", from);
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::FromProto(proto));
  Literal value(shape);
  Messages arrays = group.NewMessages();
  HILO_RETURN_IF_ERROR(arrays.ReceiveArrays(from, tag, value));
  HILO_RETURN_IF_ERROR(arrays.Wait());
  return value;
}

}  // namespace

ProcessRendezvous::ProcessRendezvous(ProcessGroup& group, std::vector<int> processes,
                                     absl::string_view run)
    : Rendezvous(static_cast<int64_t>(processes.size()), absl::c_count(processes, group.rank())),
      group_(group),
      processes_(std::move(processes)),
      run_(TagOf(run)) {}

ProcessRendezvous::~ProcessRendezvous() = default;

absl::Status ProcessRendezvous::ErrorIn(const Exchange& exchange,
                                        const absl::Status& status) const {
  if (status.ok()) return status;
  std::string place = exchange.ToString();
  if (exchange.channel.has_value()) absl::StrAppend(&place, " (channel ", *exchange.channel, ")");
  return absl::Status(status.code(), absl::StrCat(place, ": process ", group_.rank(), " of ",
                                                  group_.size(), " failed ", status.message()));
}

// A piece that lies in several places goes as one message if it is short, else as one for each
// place.
class ProcessRendezvous::PendingMessages : public Pending {
 public:
  PendingMessages(const ProcessRendezvous& rendezvous, const Exchange& exchange, size_t members)
      : rendezvous_(rendezvous), exchange_(exchange), arrivals_(members) {}

  absl::Status Receive(size_t member, int from, uint64_t tag, const Pieces::Received& piece) {
    Arrival& arrival = arrivals_[member].emplace(rendezvous_.group_.NewMessages());
    if (IsPacked(piece)) {
      arrival.piece = piece;
      arrival.packed.resize(BytesOf(piece));
      return Named(
          arrival.messages.Receive(from, tag, arrival.packed.data(), arrival.packed.size()));
    }
    for (const absl::Span<char> place : piece) {
      if (place.empty()) continue;
      HILO_RETURN_IF_ERROR(Named(arrival.messages.Receive(from, tag, place.data(), place.size())));
    }
    return absl::OkStatus();
  }

  absl::Status Send(int to, uint64_t tag, const Pieces::Sent& piece) {
    if (!sends_.has_value()) sends_.emplace(rendezvous_.group_.NewMessages());
    if (IsPacked(piece)) {
      std::vector<char>& packed = packed_.emplace_back();
      for (const absl::Span<const char> place : piece)
        packed.insert(packed.end(), place.begin(), place.end());
      return Named(sends_->Send(to, tag, packed.data(), packed.size()));
    }
    for (const absl::Span<const char> place : piece) {
      if (place.empty()) continue;
      HILO_RETURN_IF_ERROR(Named(sends_->Send(to, tag, place.data(), place.size())));
    }
    return absl::OkStatus();
  }

  absl::Status Await(size_t member) override {
    if (!arrivals_[member].has_value()) return absl::OkStatus();
    const TimeInExchange time(rendezvous_.group_);
    Arrival& arrival = *arrivals_[member];
    HILO_RETURN_IF_ERROR(Named(arrival.messages.Wait()));
    const char* next = arrival.packed.data();
    for (const absl::Span<char> place : arrival.piece) {
      std::copy_n(next, place.size(), place.data());
      next += place.size();
    }
    arrivals_[member].reset();
    return absl::OkStatus();
  }

  absl::Status Finish() override {
    for (size_t member = 0; member < arrivals_.size(); ++member)
      HILO_RETURN_IF_ERROR(Await(member));
    const TimeInExchange time(rendezvous_.group_);
    return sends_.has_value() ? Named(sends_->Wait()) : absl::OkStatus();
  }

 private:
  static constexpr size_t kMostPackedBytes = 1 << 16;
  struct Arrival {
    explicit Arrival(Messages messages) : messages(std::move(messages)) {}
    std::vector<char> packed;
    Pieces::Received piece;  // where it goes, if it is packed
    Messages messages;
  };

  template <typename Piece>
  static size_t BytesOf(const Piece& piece) {
    size_t bytes = 0;
    for (const auto& place : piece) bytes += place.size();
    return bytes;
  }
  // Both sides agree, since the sizes of places do.
  template <typename Piece>
  static bool IsPacked(const Piece& piece) {
    if (piece.size() < 2) return false;
    const size_t bytes = BytesOf(piece);
    return 0 < bytes && bytes <= kMostPackedBytes;
  }
  absl::Status Named(const absl::Status& status) const {
    return rendezvous_.ErrorIn(exchange_, status);
  }

  const ProcessRendezvous& rendezvous_;
  const Exchange exchange_;
  std::vector<std::optional<Arrival>> arrivals_;  // of each member, until it is there
  std::list<std::vector<char>> packed_;
  std::optional<Messages> sends_;
};

uint64_t ProcessRendezvous::TagOfMeeting(const Exchange& exchange,
                                         const std::vector<int64_t>& participants) const {
  uint64_t tag = TagOf(run_, TagOf(exchange.opcode));
  tag = exchange.channel.has_value() ? TagOf(tag, *exchange.channel)
                                     : TagOf(tag, TagOf(exchange.name));
  for (const int64_t participant : participants) tag = TagOf(tag, participant);
  return tag;
}

bool ProcessRendezvous::ShareMemory(const std::vector<int64_t>& participants) const {
  return absl::c_all_of(participants, [&](int64_t each) { return IsHere(each); });
}

absl::StatusOr<std::unique_ptr<Rendezvous::Pending>> ProcessRendezvous::Begin(
    int64_t device, const Exchange& exchange, const std::vector<int64_t>& participants,
    const Pieces& pieces) {
  if (ShareMemory(participants)) return Rendezvous::Begin(device, exchange, participants, pieces);
  const size_t count = participants.size();
  const auto here = absl::c_count_if(participants, [&](int64_t each) { return IsHere(each); });
  const TimeInExchange time(group_);
  const bool is_same_for_all = pieces.sent.size() == 1;
  if (is_same_for_all && here > 1) {
    HILO_RETURN_IF_ERROR(GatherForProcess(device, exchange, participants, pieces));
    return std::make_unique<Pending>();
  }
  const uint64_t tag = TagOfMeeting(exchange, participants);
  auto pending = std::make_unique<PendingMessages>(*this, exchange, count);
  // What is the same for all is for processes, everything else for devices.
  const auto number = [&](int64_t participant) {
    return is_same_for_all ? processes_[participant] : participant;
  };
  for (size_t i = 0; i < count; ++i) {
    if (IsHere(participants[i])) continue;
    HILO_RETURN_IF_ERROR(pending->Receive(i, processes_[participants[i]],
                                          TagOf(TagOf(tag, participants[i]), number(device)),
                                          pieces.received[i]));
  }
  std::vector<int> reached;
  for (size_t i = 0; i < count; ++i) {
    const int process = processes_[participants[i]];
    if (IsHere(participants[i])) continue;
    if (is_same_for_all && absl::c_linear_search(reached, process)) continue;
    reached.push_back(process);
    HILO_RETURN_IF_ERROR(pending->Send(process, TagOf(TagOf(tag, device), number(participants[i])),
                                       pieces.sent[is_same_for_all ? 0 : i]));
  }
  HILO_RETURN_IF_ERROR(ExchangeWithinProcess(device, exchange, participants, pieces));
  return pending;
}

absl::Status ProcessRendezvous::ExchangeWithinProcess(int64_t device, const Exchange& exchange,
                                                      const std::vector<int64_t>& participants,
                                                      const Pieces& pieces) {
  std::vector<int64_t> own_devices;
  Pieces own_pieces;
  const bool is_same_for_all = pieces.sent.size() == 1;
  if (is_same_for_all) own_pieces.sent = pieces.sent;
  for (size_t i = 0; i < participants.size(); ++i) {
    if (!IsHere(participants[i])) continue;
    own_devices.push_back(participants[i]);
    own_pieces.received.push_back(pieces.received[i]);
    if (!is_same_for_all) own_pieces.sent.push_back(pieces.sent[i]);
  }
  if (own_devices.size() == 1 && own_pieces.received[0].empty()) return absl::OkStatus();
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Pending> pending,
                        Rendezvous::Begin(device, exchange, own_devices, own_pieces));
  return pending->Finish();
}

// The devices of this process give each other what they have; the first exchanges it with the other
// processes and hands on what came.
absl::Status ProcessRendezvous::GatherForProcess(int64_t device, const Exchange& exchange,
                                                 const std::vector<int64_t>& participants,
                                                 const Pieces& pieces) {
  HILO_RETURN_IF_ERROR(ExchangeWithinProcess(device, exchange, participants, pieces));
  const auto first = absl::c_find_if(participants, [&](int64_t each) { return IsHere(each); });
  const bool is_first = *first == device;
  if (is_first) {
    const uint64_t tag = TagOfMeeting(exchange, participants);
    PendingMessages pending(*this, exchange, participants.size());
    std::vector<int> others;
    for (size_t i = 0; i < participants.size(); ++i) {
      const int process = processes_[participants[i]];
      if (IsHere(participants[i])) continue;
      if (!absl::c_linear_search(others, process)) others.push_back(process);
      HILO_RETURN_IF_ERROR(pending.Receive(
          i, process, TagOf(TagOf(tag, participants[i]), group_.rank()), pieces.received[i]));
    }
    for (size_t i = 0; i < participants.size(); ++i) {
      if (!IsHere(participants[i])) continue;
      const Pieces::Received& known = pieces.received[i];
      const Pieces::Sent piece =
          participants[i] == device ? pieces.sent[0] : Pieces::Sent(known.begin(), known.end());
      for (const int process : others) {
        HILO_RETURN_IF_ERROR(
            pending.Send(process, TagOf(TagOf(tag, participants[i]), process), piece));
      }
    }
    HILO_RETURN_IF_ERROR(pending.Finish());
  }
  Pieces handed_on;
  handed_on.sent.resize(1);
  handed_on.received.resize(participants.size());
  Pieces::Received& from_first = handed_on.received[first - participants.begin()];
  for (size_t i = 0; i < participants.size(); ++i) {
    if (IsHere(participants[i])) continue;
    const Pieces::Received& piece = pieces.received[i];
    if (is_first) {
      handed_on.sent[0].insert(handed_on.sent[0].end(), piece.begin(), piece.end());
    } else {
      from_first.insert(from_first.end(), piece.begin(), piece.end());
    }
  }
  return ExchangeWithinProcess(device, exchange, participants, handed_on);
}

absl::StatusOr<std::optional<int>> ProcessRendezvous::OtherProcess(int64_t device,
                                                                   const Exchange& exchange,
                                                                   const Mailbox& box) const {
  const int64_t other = box.device == device ? box.peer : box.device;
  if (other < 0 || other >= static_cast<int64_t>(processes_.size())) {
    return InvalidArgument(
        "%s: between processes the frontend attribute _xla_send_recv_source_target_pairs must say "
        "who sends to whom",
        exchange.ToString());
  }
  const int process = processes_[other];
  return process == group_.rank() ? std::nullopt : std::optional<int>(process);
}

uint64_t ProcessRendezvous::TagOfBox(const Mailbox& box) const {
  uint64_t tag = TagOf(run_, TagOf("box"));
  for (const int64_t number : {static_cast<int64_t>(box.kind), box.channel, box.device, box.peer,
                               static_cast<int64_t>(box.is_ready)}) {
    tag = TagOf(tag, number);
  }
  return tag;
}

absl::Status ProcessRendezvous::Put(int64_t device, const Exchange& exchange, const Mailbox& box,
                                    Literal value) {
  HILO_ASSIGN_OR_RETURN(const std::optional<int> process, OtherProcess(device, exchange, box));
  if (!process.has_value()) return Rendezvous::Put(device, exchange, box, std::move(value));
  const TimeInExchange time(group_);
  auto parcel = std::make_unique<Parcel>(group_.NewMessages(), std::move(value));
  const absl::Status sent = parcel->Send(*process, TagOfBox(box));
  const std::lock_guard<std::mutex> lock(mutex_);
  parcels_.push_back(std::move(parcel));
  return ErrorIn(exchange, sent);
}

absl::StatusOr<Literal> ProcessRendezvous::Take(int64_t device, const Exchange& exchange,
                                                const Mailbox& box) {
  HILO_ASSIGN_OR_RETURN(const std::optional<int> process, OtherProcess(device, exchange, box));
  if (!process.has_value()) return Rendezvous::Take(device, exchange, box);
  const TimeInExchange time(group_);
  absl::StatusOr<Literal> value = ReceiveParcel(group_, *process, TagOfBox(box));
  if (!value.ok()) return ErrorIn(exchange, value.status());
  return value;
}

bool ProcessRendezvous::MayOverlap(int64_t device) const {
  return absl::c_count(processes_, group_.rank()) == 1;
}

void ProcessRendezvous::NoteOverlap(absl::Duration time) {
  group_.costs().overlap_nanoseconds += absl::ToInt64Nanoseconds(time);
}

void ProcessRendezvous::Leave(int64_t device, const absl::Status& status) {
  std::list<std::unique_ptr<Parcel>> parcels;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    parcels.swap(parcels_);
  }
  // Whoever should have taken one and did not has an error of its own.
  if (status.ok()) {
    for (const std::unique_ptr<Parcel>& parcel : parcels) parcel->messages.Wait().IgnoreError();
  }
  Rendezvous::Leave(device, status);
}

}  // namespace xla::runtime
