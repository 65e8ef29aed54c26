#include "runtime/collectives/process_rendezvous.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
                                     std::string run)
    : Rendezvous(static_cast<int64_t>(processes.size()), absl::c_count(processes, group.rank())),
      group_(group),
      processes_(std::move(processes)),
      run_(std::move(run)) {}

ProcessRendezvous::~ProcessRendezvous() = default;

absl::Status ProcessRendezvous::ErrorIn(const Exchange& exchange,
                                        const absl::Status& status) const {
  if (status.ok()) return status;
  std::string place = exchange.ToString();
  if (exchange.channel.has_value()) absl::StrAppend(&place, " (channel ", *exchange.channel, ")");
  return absl::Status(status.code(), absl::StrCat(place, ": process ", group_.rank(), " of ",
                                                  group_.size(), " failed ", status.message()));
}

absl::StatusOr<Contributions> ProcessRendezvous::Meet(int64_t device, const Exchange& exchange,
                                                      const std::vector<int64_t>& participants,
                                                      Contribution own) {
  std::vector<int64_t> own_devices;
  absl::c_copy_if(participants, std::back_inserter(own_devices),
                  [&](int64_t participant) { return processes_[participant] == group_.rank(); });
  const bool is_alone = own_devices.size() == 1;
  absl::StatusOr<Contributions> met = Alone({});
  if (is_alone) {
    met = Alone(std::move(own));
  } else {
    met = Rendezvous::Meet(device, exchange, own_devices, std::move(own));
  }
  if (!met.ok() || own_devices.size() == participants.size()) return met;
  if (device != own_devices.front()) return Await(met->get());
  const absl::StatusOr<Contributions> all =
      ExchangeWithOthers(exchange, participants, own_devices, **met);
  if (!is_alone) Publish(met->get(), own_devices.size() - 1, all);
  return all;
}

absl::StatusOr<Contributions> ProcessRendezvous::ExchangeWithOthers(
    const Exchange& exchange, const std::vector<int64_t>& participants,
    const std::vector<int64_t>& own_devices, const std::vector<Contribution>& own) {
  const std::string words = absl::StrCat(
      run_, " ", exchange.opcode, " ",
      exchange.channel.has_value() ? absl::StrCat(*exchange.channel) : std::string(exchange.name),
      " ", absl::StrJoin(participants, ","), " from ");
  const auto tag_from = [&](int64_t device) { return TagOf(absl::StrCat(words, device)); };
  auto all = std::make_shared<std::vector<Contribution>>(participants.size());
  std::vector<int> others;
  Messages messages = group_.NewMessages();
  for (size_t k = 0; k < participants.size(); ++k) {
    const int process = processes_[participants[k]];
    const auto place = absl::c_find(own_devices, participants[k]);
    for (const Literal& array : own[place == own_devices.end() ? 0 : place - own_devices.begin()]) {
      if (process == group_.rank()) {
        (*all)[k].push_back(array.Clone());
        continue;
      }
      (*all)[k].emplace_back(array.shape());
      HILO_RETURN_IF_ERROR(ErrorIn(
          exchange, messages.ReceiveArrays(process, tag_from(participants[k]), (*all)[k].back())));
    }
    if (process != group_.rank() && !absl::c_linear_search(others, process))
      others.push_back(process);
  }
  for (const int process : others) {
    for (size_t i = 0; i < own_devices.size(); ++i) {
      for (const Literal& array : own[i]) {
        HILO_RETURN_IF_ERROR(
            ErrorIn(exchange, messages.SendArrays(process, tag_from(own_devices[i]), array)));
      }
    }
  }
  HILO_RETURN_IF_ERROR(ErrorIn(exchange, messages.Wait()));
  return Contributions(std::move(all));
}

void ProcessRendezvous::Publish(const void* meeting, size_t readers,
                                const absl::StatusOr<Contributions>& contributions) {
  const std::lock_guard<std::mutex> lock(mutex_);
  outcomes_[meeting] = {contributions, readers};
  changed_.notify_all();
}

absl::StatusOr<Contributions> ProcessRendezvous::Await(const void* meeting) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return outcomes_.count(meeting) > 0; });
  const auto found = outcomes_.find(meeting);
  absl::StatusOr<Contributions> contributions = *found->second.contributions;
  if (--found->second.readers == 0) outcomes_.erase(found);
  return contributions;
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
  return TagOf(absl::StrCat(run_, " box ", box.kind, " ", box.channel, " ", box.device, " ",
                            box.peer, " ", box.is_ready));
}

absl::Status ProcessRendezvous::Put(int64_t device, const Exchange& exchange, const Mailbox& box,
                                    Literal value) {
  HILO_ASSIGN_OR_RETURN(const std::optional<int> process, OtherProcess(device, exchange, box));
  if (!process.has_value()) return Rendezvous::Put(device, exchange, box, std::move(value));
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
  absl::StatusOr<Literal> value = ReceiveParcel(group_, *process, TagOfBox(box));
  if (!value.ok()) return ErrorIn(exchange, value.status());
  return value;
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
