// Exchange with the host and with other programs: infeed, outfeed, send and recv.
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "eval/exchange.h"
#include "eval/frame.h"
#include "ir/records.h"
#include "runtime/send_recv.h"
#include "runtime/transfers.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

using runtime::Mailbox;

absl::StatusOr<Value> Received(const HloInstruction& instruction, const Mailbox& box, Literal value,
                               const Shape& wanted) {
  if (!ShapeUtil::Compatible(value.shape(), wanted)) {
    return InvalidArgument("%s: %s has a value of shape %s, but the program takes %s",
                           ExchangeOf(instruction).ToString(), box.ToString(),
                           ShapeUtil::HumanString(value.shape()), ShapeUtil::HumanString(wanted));
  }
  return Value::FromLiteral(std::move(value));
}

int64_t DeviceId(Frame& frame) { return frame.evaluator().options().device.number(); }

runtime::Transfers& TransfersOf(Frame& frame) { return frame.evaluator().transfers(); }

// For each transfer in which the instruction has a part, the box for its data.
absl::StatusOr<std::vector<Mailbox>> DataBoxes(Frame& frame, const HloInstruction& instruction) {
  const runtime::Exchange exchange = ExchangeOf(instruction);
  const bool is_host_transfer = instruction.attributes_as<SendRecvAttributes>().is_host_transfer;
  HILO_ASSIGN_OR_RETURN(
      const runtime::SendOrRecv transfer,
      runtime::SendOrRecv::Make(
          exchange, instruction.opcode() == HloOpcode::kSend, is_host_transfer,
          is_host_transfer ? FrontendAttributes() : instruction.frontend_attributes()));
  return transfer.DataBoxes(exchange, frame.evaluator().options().device);
}

// (data, request number, token)
absl::StatusOr<Value> Context(Frame& frame, const HloInstruction& instruction, Value data,
                              std::vector<Mailbox> boxes) {
  const uint32_t number = TransfersOf(frame).Begin(std::move(boxes));
  HILO_ASSIGN_OR_RETURN(Literal request, MakeArray(instruction.shape().tuple_shapes(1)));
  request.Set<uint32_t>({}, number);
  return Value(std::vector<Value>{std::move(data), Value(std::move(request)), Value()});
}

// The boxes of the request in a context, which ends.
absl::StatusOr<std::vector<Mailbox>> EndRequest(Frame& frame, const HloInstruction& instruction) {
  return TransfersOf(frame).End(ExchangeOf(instruction),
                                frame.operand(0).elements()[1].array().GetFirstElement<uint32_t>());
}

}  // namespace

// Nothing is read for an empty tuple.
absl::StatusOr<Value> Infeed(Frame& frame, const HloInstruction& instruction) {
  const Shape& shape = instruction.shape().tuple_shapes(0);
  if (ShapeUtil::IsEmptyTuple(shape))
    return Value(std::vector<Value>{Value(std::vector<Value>()), Value()});
  const Mailbox box = {Mailbox::kInfeed, DeviceId(frame)};
  HILO_ASSIGN_OR_RETURN(Literal literal, TransfersOf(frame).Take(ExchangeOf(instruction), box));
  HILO_ASSIGN_OR_RETURN(Value value, Received(instruction, box, std::move(literal), shape));
  return Value(std::vector<Value>{std::move(value), Value()});
}

absl::StatusOr<Value> Outfeed(Frame& frame, const HloInstruction& instruction) {
  const std::optional<Shape>& declared = instruction.attributes_as<OutfeedAttributes>().shape;
  const Shape& shape = declared.has_value() ? *declared : instruction.operand(0)->shape();
  if (ShapeUtil::IsEmptyTuple(shape)) return Value();
  HILO_ASSIGN_OR_RETURN(Literal literal, frame.Take(0).ToLiteral(shape));
  HILO_RETURN_IF_ERROR(TransfersOf(frame).Put(
      ExchangeOf(instruction), {Mailbox::kOutfeed, DeviceId(frame)}, std::move(literal)));
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
    HILO_RETURN_IF_ERROR(TransfersOf(frame).Put(ExchangeOf(instruction), box, std::move(data)));
  }
  return Context(frame, instruction, frame.Take(0), std::move(boxes));
}

absl::StatusOr<Value> SendDone(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(const std::vector<Mailbox> boxes, EndRequest(frame, instruction));
  for (const Mailbox& box : boxes) {
    if (box.kind == Mailbox::kBetweenDevices)
      TransfersOf(frame).Sent(ExchangeOf(instruction), runtime::ReadyBox(box));
  }
  return Value();
}

absl::StatusOr<Value> Recv(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(std::vector<Mailbox> boxes, DataBoxes(frame, instruction));
  for (const Mailbox& box : boxes) {
    if (box.kind != Mailbox::kBetweenDevices) continue;
    HILO_RETURN_IF_ERROR(
        TransfersOf(frame).Put(ExchangeOf(instruction), runtime::ReadyBox(box), Literal()));
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
    HILO_ASSIGN_OR_RETURN(Literal literal, TransfersOf(frame).Take(ExchangeOf(instruction), box));
    HILO_ASSIGN_OR_RETURN(
        data, Received(instruction, box, std::move(literal), instruction.shape().tuple_shapes(0)));
  }
  return Value(std::vector<Value>{std::move(data), Value()});
}

}  // namespace xla::eval
