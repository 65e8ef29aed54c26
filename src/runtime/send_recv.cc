#include "runtime/send_recv.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

using Pairs = SendOrRecv::Pairs;

// None when there is no such attribute.
absl::StatusOr<std::optional<Pairs>> SourceTargetPairs(const Exchange& exchange,
                                                       const FrontendAttributes& attributes) {
  const auto found = attributes.map().find("_xla_send_recv_source_target_pairs");
  if (found == attributes.map().end()) return std::nullopt;
  const std::vector<absl::string_view> numbers =
      absl::StrSplit(found->second, absl::ByAnyChar("{}, "), absl::SkipEmpty());
  Pairs pairs(numbers.size() / 2);
  bool is_right = numbers.size() % 2 == 0;
  for (size_t i = 0; is_right && i < pairs.size(); ++i) {
    auto& [source, target] = pairs[i];
    is_right = absl::SimpleAtoi(numbers[2 * i], &source) &&
               absl::SimpleAtoi(numbers[2 * i + 1], &target) && source >= 0 && target >= 0;
  }
  if (is_right) return pairs;
  return InvalidArgument("%s: _xla_send_recv_source_target_pairs=%s is no list of pairs",
                         exchange.ToString(), found->second);
}

// Of the devices with which this one has to do in the pairs, those that it sends to or those that
// it receives from. Ids in pairs are partitions where there are several, else replicas.
std::vector<int64_t> Peers(const Device& device, const Pairs& pairs, bool sends) {
  const bool by_partition = device.partitions > 1;
  const int64_t own = by_partition ? device.partition() : device.replica();
  std::vector<int64_t> peers;
  for (const auto& [source, target] : pairs) {
    if ((sends ? source : target) != own) continue;
    const int64_t id = sends ? target : source;
    peers.push_back(by_partition ? device.replica() * device.partitions + id
                                 : id * device.partitions + device.partition());
  }
  return peers;
}

}  // namespace

absl::StatusOr<SendOrRecv> SendOrRecv::Make(const Exchange& exchange, bool sends,
                                            bool is_host_transfer,
                                            const FrontendAttributes& attributes) {
  HILO_ASSIGN_OR_RETURN(std::optional<Pairs> pairs, SourceTargetPairs(exchange, attributes));
  return SendOrRecv(sends, is_host_transfer, std::move(pairs));
}

absl::StatusOr<std::vector<Mailbox>> SendOrRecv::DataBoxes(const Exchange& exchange,
                                                           const Device& device) const {
  const int64_t channel = exchange.channel.value_or(0);
  if (is_host_transfer_) {
    return std::vector<Mailbox>{
        {sends_ ? Mailbox::kToHost : Mailbox::kFromHost, device.id, channel}};
  }
  if (!pairs_.has_value()) return std::vector<Mailbox>{{Mailbox::kBetweenDevices, -1, channel}};
  std::vector<Mailbox> boxes;
  for (int64_t peer : Peers(device, *pairs_, sends_)) {
    Mailbox box = {Mailbox::kBetweenDevices, device.id, channel, peer};
    if (sends_) std::swap(box.device, box.peer);
    boxes.push_back(box);
  }
  if (!sends_ && boxes.size() > 1) {
    return InvalidArgument("%s: device %d is the target of several sources", exchange.ToString(),
                           device.id);
  }
  return boxes;
}

Mailbox ReadyBox(Mailbox box) {
  box.is_ready = true;
  return box;
}

}  // namespace xla::runtime
