#include "runtime/transfers.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/util.h"

namespace xla::runtime {

absl::StatusOr<Mailboxes*> Transfers::Boxes(const Exchange& exchange, const Mailbox& box) {
  if (environment_.mailboxes != nullptr) return environment_.mailboxes;
  if (box.kind != Mailbox::kBetweenDevices)
    return FailedPrecondition("%s: there is no host to talk to", exchange.ToString());
  if (own_ == nullptr) own_ = std::make_unique<Mailboxes>(absl::ZeroDuration());
  return own_.get();
}

absl::Status Transfers::Put(const Exchange& exchange, const Mailbox& box, Literal value) {
  const Device& device = environment_.device;
  if (box.kind == Mailbox::kBetweenDevices && device.rendezvous != nullptr)
    return device.rendezvous->Put(device.id, exchange, box, std::move(value));
  HILO_ASSIGN_OR_RETURN(Mailboxes * boxes, Boxes(exchange, box));
  boxes->Put(box, std::move(value));
  return absl::OkStatus();
}

absl::StatusOr<Literal> Transfers::Take(const Exchange& exchange, const Mailbox& box) {
  const Device& device = environment_.device;
  if (box.kind == Mailbox::kBetweenDevices && device.rendezvous != nullptr)
    return device.rendezvous->Take(device.id, exchange, box);
  HILO_ASSIGN_OR_RETURN(Mailboxes * boxes, Boxes(exchange, box));
  absl::StatusOr<Literal> value = boxes->Take(box, environment_.stop);
  if (value.ok()) return value;
  return absl::Status(value.status().code(),
                      absl::StrCat(exchange.ToString(), ": ", value.status().message()));
}

uint32_t Transfers::Begin(std::vector<Mailbox> boxes) {
  uint32_t request = static_cast<uint32_t>(requests_.size());
  while (requests_.contains(request)) ++request;
  requests_[request] = std::move(boxes);
  return request;
}

absl::StatusOr<std::vector<Mailbox>> Transfers::End(const Exchange& exchange, uint32_t request) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) {
    return InvalidArgument("%s: no transfer with this context has begun", exchange.ToString());
  }
  std::vector<Mailbox> boxes = std::move(found->second);
  requests_.erase(found);
  return boxes;
}

absl::Status Transfers::WaitForReceivers() {
  for (const auto& [exchange, box] : std::exchange(sent_, {}))
    HILO_RETURN_IF_ERROR(Take(exchange, box).status());
  return absl::OkStatus();
}

}  // namespace xla::runtime
