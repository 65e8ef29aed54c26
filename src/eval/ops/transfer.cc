// Exchange with the host and with other programs: infeed, outfeed, send and recv.
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "eval/frame.h"
#include "eval/replicas.h"
#include "ir/records.h"
#include "runtime/mailboxes.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

using runtime::Mailbox;

absl::Status NoHost(const HloInstruction& instruction) {
  return FailedPrecondition("%s %s: there is no host to talk to",
                            HloOpcodeString(instruction.opcode()), instruction.name());
}

absl::Status InOperation(const HloInstruction& instruction, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(HloOpcodeString(instruction.opcode()), " ",
                                                  instruction.name(), ": ", status.message()));
}

absl::StatusOr<Value> Received(const HloInstruction& instruction, const Mailbox& box, Literal value,
                               const Shape& wanted) {
  if (!ShapeUtil::Compatible(value.shape(), wanted)) {
    return InvalidArgument("%s %s: %s has a value of shape %s, but the program takes %s",
                           HloOpcodeString(instruction.opcode()), instruction.name(),
                           box.ToString(), ShapeUtil::HumanString(value.shape()),
                           ShapeUtil::HumanString(wanted));
  }
  return Value::FromLiteral(std::move(value));
}

int64_t DeviceId(Frame& frame) { return frame.evaluator().options().device.id; }

// ---- Transfers between devices

bool IsHostTransfer(const HloInstruction& instruction) {
  return instruction.attributes_as<SendRecvAttributes>().is_host_transfer;
}

int64_t Channel(const HloInstruction& instruction) { return instruction.channel_id().value_or(0); }

// Where the devices of one run meet they also send; a program that runs alone sends to others of
// the same host.
absl::Status Put(Frame& frame, const HloInstruction& instruction, const Mailbox& box,
                 Literal value) {
  const Options& options = frame.evaluator().options();
  const bool between_devices = box.kind == Mailbox::kBetweenDevices;
  if (between_devices && options.device.rendezvous != nullptr)
    return options.device.rendezvous->Put(options.device.id, instruction, box, std::move(value));
  runtime::Mailboxes* boxes = options.mailboxes;
  if (boxes == nullptr && between_devices) boxes = &frame.evaluator().own_mailboxes();
  if (boxes == nullptr) return NoHost(instruction);
  boxes->Put(box, std::move(value));
  return absl::OkStatus();
}

absl::StatusOr<Literal> Take(Evaluator& evaluator, const HloInstruction& instruction,
                             const Mailbox& box) {
  const Options& options = evaluator.options();
  const bool between_devices = box.kind == Mailbox::kBetweenDevices;
  if (between_devices && options.device.rendezvous != nullptr)
    return options.device.rendezvous->Take(options.device.id, instruction, box);
  runtime::Mailboxes* boxes = options.mailboxes;
  if (boxes == nullptr && between_devices) boxes = &evaluator.own_mailboxes();
  if (boxes == nullptr) return NoHost(instruction);
  absl::StatusOr<Literal> value = boxes->Take(box, options.stop);
  if (!value.ok()) return InOperation(instruction, value.status());
  return value;
}

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// The pairs of "{{0,1},{1,2}}" in the frontend attributes; none when there is no such attribute.
absl::StatusOr<std::optional<Pairs>> SourceTargetPairs(const HloInstruction& instruction) {
  const auto& attributes = instruction.frontend_attributes().map();
  const auto found = attributes.find("_xla_send_recv_source_target_pairs");
  if (found == attributes.end()) return std::nullopt;
  const std::vector<absl::string_view> numbers =
      absl::StrSplit(found->second, absl::ByAnyChar("{}, "), absl::SkipEmpty());
  Pairs pairs(numbers.size() / 2);
  bool is_right = numbers.size() % 2 == 0;
  for (size_t i = 0; is_right && i < pairs.size(); ++i) {
    auto& [source, target] = pairs[i];
    is_right = absl::SimpleAtoi(numbers[2 * i], &source) &&
               absl::SimpleAtoi(numbers[2 * i + 1], &target) && source >= 0 && target >= 0;
  }
  if (!is_right) {
    return InvalidArgument("%s %s: _xla_send_recv_source_target_pairs=%s is no list of pairs",
                           HloOpcodeString(instruction.opcode()), instruction.name(),
                           found->second);
  }
  return pairs;
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

// For each transfer in which the instruction has a part, the box for its data.
absl::StatusOr<std::vector<Mailbox>> DataBoxes(Frame& frame, const HloInstruction& instruction) {
  const Device& device = frame.evaluator().options().device;
  const bool sends = instruction.opcode() == HloOpcode::kSend;
  if (IsHostTransfer(instruction)) {
    return std::vector<Mailbox>{
        {sends ? Mailbox::kToHost : Mailbox::kFromHost, device.id, Channel(instruction)}};
  }
  HILO_ASSIGN_OR_RETURN(const std::optional<Pairs> pairs, SourceTargetPairs(instruction));
  if (!pairs.has_value())
    return std::vector<Mailbox>{{Mailbox::kBetweenDevices, -1, Channel(instruction)}};
  std::vector<Mailbox> boxes;
  for (int64_t peer : Peers(device, *pairs, sends)) {
    Mailbox box = {Mailbox::kBetweenDevices, device.id, Channel(instruction), peer};
    if (sends) std::swap(box.device, box.peer);
    boxes.push_back(box);
  }
  if (!sends && boxes.size() > 1) {
    return InvalidArgument("recv %s: device %d is the target of several sources",
                           instruction.name(), device.id);
  }
  return boxes;
}

Mailbox ReadyBox(Mailbox box) {
  box.is_ready = true;
  return box;
}

// (data, request number, token)
absl::StatusOr<Value> Context(Frame& frame, const HloInstruction& instruction, Value data,
                              std::vector<Mailbox> boxes) {
  TransferRequests& requests = frame.evaluator().transfer_requests();
  uint32_t number = static_cast<uint32_t>(requests.size());
  while (requests.contains(number)) ++number;
  requests[number] = std::move(boxes);
  HILO_ASSIGN_OR_RETURN(Literal request, MakeArray(instruction.shape().tuple_shapes(1)));
  request.Set<uint32_t>({}, number);
  return Value(std::vector<Value>{std::move(data), Value(std::move(request)), Value()});
}

// The boxes of the request in a context, which ends.
absl::StatusOr<std::vector<Mailbox>> EndRequest(Frame& frame, const HloInstruction& instruction) {
  TransferRequests& requests = frame.evaluator().transfer_requests();
  const auto found =
      requests.find(frame.operand(0).elements()[1].array().GetFirstElement<uint32_t>());
  if (found == requests.end()) {
    return InvalidArgument("%s %s: no transfer with this context has begun",
                           HloOpcodeString(instruction.opcode()), instruction.name());
  }
  std::vector<Mailbox> boxes = std::move(found->second);
  requests.erase(found);
  return boxes;
}

}  // namespace

// Nothing is read for an empty tuple.
absl::StatusOr<Value> Infeed(Frame& frame, const HloInstruction& instruction) {
  const Shape& shape = instruction.shape().tuple_shapes(0);
  if (ShapeUtil::IsEmptyTuple(shape))
    return Value(std::vector<Value>{Value(std::vector<Value>()), Value()});
  const Mailbox box = {Mailbox::kInfeed, DeviceId(frame)};
  HILO_ASSIGN_OR_RETURN(Literal literal, Take(frame.evaluator(), instruction, box));
  HILO_ASSIGN_OR_RETURN(Value value, Received(instruction, box, std::move(literal), shape));
  return Value(std::vector<Value>{std::move(value), Value()});
}

absl::StatusOr<Value> Outfeed(Frame& frame, const HloInstruction& instruction) {
  const std::optional<Shape>& declared = instruction.attributes_as<OutfeedAttributes>().shape;
  const Shape& shape = declared.has_value() ? *declared : instruction.operand(0)->shape();
  if (ShapeUtil::IsEmptyTuple(shape)) return Value();
  HILO_ASSIGN_OR_RETURN(Literal literal, frame.Take(0).ToLiteral(shape));
  HILO_RETURN_IF_ERROR(
      Put(frame, instruction, {Mailbox::kOutfeed, DeviceId(frame)}, std::move(literal)));
  return Value();
}

// The data goes at once and send-done does not wait for whoever receives it, so that no order in
// which the instructions of a device may be evaluated makes devices wait for each other in vain.
// The run waits at its end.
absl::StatusOr<Value> Send(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(std::vector<Mailbox> boxes, DataBoxes(frame, instruction));
  for (const Mailbox& box : boxes) {
    HILO_ASSIGN_OR_RETURN(Literal data,
                          Value(frame.operand(0)).ToLiteral(instruction.operand(0)->shape()));
    HILO_RETURN_IF_ERROR(Put(frame, instruction, box, std::move(data)));
  }
  return Context(frame, instruction, frame.Take(0), std::move(boxes));
}

absl::StatusOr<Value> SendDone(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(const std::vector<Mailbox> boxes, EndRequest(frame, instruction));
  for (const Mailbox& box : boxes) {
    if (box.kind == Mailbox::kBetweenDevices)
      frame.evaluator().sent().push_back({&instruction, ReadyBox(box)});
  }
  return Value();
}

absl::Status WaitForReceivers(Evaluator& evaluator) {
  for (const auto& [instruction, box] : std::exchange(evaluator.sent(), {}))
    HILO_RETURN_IF_ERROR(Take(evaluator, *instruction, box).status());
  return absl::OkStatus();
}

absl::StatusOr<Value> Recv(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(std::vector<Mailbox> boxes, DataBoxes(frame, instruction));
  for (const Mailbox& box : boxes) {
    if (box.kind != Mailbox::kBetweenDevices) continue;
    HILO_RETURN_IF_ERROR(Put(frame, instruction, ReadyBox(box), Literal()));
  }
  HILO_ASSIGN_OR_RETURN(Value data, ZeroValue(instruction.shape().tuple_shapes(0)));
  return Context(frame, instruction, std::move(data), std::move(boxes));
}

// Whoever is nobody's target gets zeros.
absl::StatusOr<Value> RecvDone(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(const std::vector<Mailbox> boxes, EndRequest(frame, instruction));
  Value context = frame.Take(0);
  Value data = context.TakeElement(0);
  for (const Mailbox& box : boxes) {
    HILO_ASSIGN_OR_RETURN(Literal literal, Take(frame.evaluator(), instruction, box));
    HILO_ASSIGN_OR_RETURN(
        data, Received(instruction, box, std::move(literal), instruction.shape().tuple_shapes(0)));
  }
  return Value(std::vector<Value>{std::move(data), Value()});
}

}  // namespace xla::eval
