// Exchange with the host and with other programs: infeed, outfeed, send and recv.
#include <cstring>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/participants.h"
#include "cpu/kernels/values.h"
#include "runtime/send_recv.h"
#include "runtime/transfers.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

using runtime::Environment;
using runtime::Mailbox;

class Transfer : public runtime::LibraryKernel {
 public:
  Transfer(const runtime::LibraryCall& call, Shape result)
      : instruction_(call.instruction),
        result_(std::move(result)),
        exchange_(ExchangeOf(instruction_, this)) {}

 protected:
  // A value from a box, which must have the shape that the program takes.
  absl::Status Receive(const Environment& environment, const Mailbox& box, const Shape& wanted,
                       void* const* arrays) const {
    HILO_ASSIGN_OR_RETURN(const Literal value, environment.transfers->Take(exchange_, box));
    if (!ShapeUtil::Compatible(value.shape(), wanted)) {
      return InvalidArgument("%s: %s has a value of shape %s, but the program takes %s",
                             exchange_.ToString(), box.ToString(),
                             ShapeUtil::HumanString(value.shape()), ShapeUtil::HumanString(wanted));
    }
    FromLiteral(value, arrays);
    return absl::OkStatus();
  }

  const HloInstructionProto instruction_;
  const Shape result_;
  const runtime::Exchange exchange_;
};

// Nothing is read for an empty tuple.
class Infeed : public Transfer {
 public:
  using Transfer::Transfer;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    const Shape& shape = result_.tuple_shapes(0);
    if (ShapeUtil::IsEmptyTuple(shape)) return absl::OkStatus();
    return Receive(environment, {Mailbox::kInfeed, environment.device.number()}, shape, arrays);
  }
};

class Outfeed : public Transfer {
 public:
  Outfeed(const runtime::LibraryCall& call, Shape value) : Transfer(call, std::move(value)) {}

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    if (ShapeUtil::IsEmptyTuple(result_)) return absl::OkStatus();
    HILO_ASSIGN_OR_RETURN(Literal value, ToLiteral(result_, arrays));
    return environment.transfers->Put(exchange_, {Mailbox::kOutfeed, environment.device.number()},
                                      std::move(value));
  }
};

// What send and recv have in common: their context is (data, request, token).
class Start : public Transfer {
 public:
  Start(const runtime::LibraryCall& call, Shape context, runtime::SendOrRecv transfer)
      : Transfer(call, std::move(context)), transfer_(std::move(transfer)) {}

 protected:
  absl::StatusOr<std::vector<Mailbox>> DataBoxes(const runtime::Device& device) const {
    return transfer_.DataBoxes(exchange_, device);
  }
  const Shape& data() const { return result_.tuple_shapes(0); }
  void Begin(const Environment& environment, std::vector<Mailbox> boxes,
             void* const* context) const {
    const uint32_t request = environment.transfers->Begin(std::move(boxes));
    std::memcpy(context[ArrayCount(data())], &request, sizeof request);
  }

 private:
  const runtime::SendOrRecv transfer_;
};

// The data goes at once and send-done does not wait for whoever receives it, so that no order of a
// device's instructions makes devices wait for each other in vain. The run waits at its end.
class Send : public Start {
 public:
  using Start::Start;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    HILO_ASSIGN_OR_RETURN(std::vector<Mailbox> boxes, DataBoxes(environment.device));
    HILO_ASSIGN_OR_RETURN(const Literal value, ToLiteral(data(), arrays));
    void* const* context = arrays + ArrayCount(data());
    FromLiteral(value, context);
    for (const Mailbox& box : boxes)
      HILO_RETURN_IF_ERROR(environment.transfers->Put(exchange_, box, value.Clone()));
    Begin(environment, std::move(boxes), context);
    return absl::OkStatus();
  }
};

// Whoever is nobody's target gets zeros.
class Recv : public Start {
 public:
  using Start::Start;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    HILO_ASSIGN_OR_RETURN(std::vector<Mailbox> boxes, DataBoxes(environment.device));
    for (const Mailbox& box : boxes) {
      if (box.kind != Mailbox::kBetweenDevices) continue;
      HILO_RETURN_IF_ERROR(
          environment.transfers->Put(exchange_, runtime::ReadyBox(box), Literal()));
    }
    HILO_ASSIGN_OR_RETURN(const Literal zeros, Literal::Make(data()));
    FromLiteral(zeros, arrays);
    Begin(environment, std::move(boxes), arrays);
    return absl::OkStatus();
  }
};

// The end of a transfer, whose only operand is its context.
class Done : public Transfer {
 public:
  Done(const runtime::LibraryCall& call, Shape result)
      : Transfer(call, std::move(result)), data_(call.whole_operands[0].tuple_shapes(0)) {}

 protected:
  absl::StatusOr<std::vector<Mailbox>> End(void* const* arrays,
                                           const Environment& environment) const {
    uint32_t request;
    std::memcpy(&request, arrays[ArrayCount(data_)], sizeof request);
    return environment.transfers->End(exchange_, request);
  }

  const Shape data_;
};

class SendDone : public Done {
 public:
  using Done::Done;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    HILO_ASSIGN_OR_RETURN(const std::vector<Mailbox> boxes, End(arrays, environment));
    for (const Mailbox& box : boxes) {
      if (box.kind == Mailbox::kBetweenDevices)
        environment.transfers->Sent(exchange_, runtime::ReadyBox(box));
    }
    return absl::OkStatus();
  }
};

class RecvDone : public Done {
 public:
  using Done::Done;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    HILO_ASSIGN_OR_RETURN(const std::vector<Mailbox> boxes, End(arrays, environment));
    void* const* results = arrays + ArrayCount(data_) + 1;
    if (boxes.empty()) {
      HILO_ASSIGN_OR_RETURN(const Literal zeros, ToLiteral(data_, arrays));
      FromLiteral(zeros, results);
    }
    for (const Mailbox& box : boxes)
      HILO_RETURN_IF_ERROR(Receive(environment, box, result_.tuple_shapes(0), results));
    return absl::OkStatus();
  }
};

template <typename Kernel>
KernelOrStatus MakeTransfer(const runtime::LibraryCall& call) {
  HILO_ASSIGN_OR_RETURN(Shape shape, Shape::FromProto(call.instruction.shape()));
  return std::make_unique<Kernel>(call, std::move(shape));
}

template <typename Kernel>
KernelOrStatus MakeStart(const runtime::LibraryCall& call, bool sends) {
  HILO_ASSIGN_OR_RETURN(Shape shape, Shape::FromProto(call.instruction.shape()));
  HILO_ASSIGN_OR_RETURN(
      runtime::SendOrRecv transfer,
      runtime::SendOrRecv::Make(ExchangeOf(call.instruction, nullptr), sends,
                                        call.instruction.is_host_transfer(),
                                        call.instruction.frontend_attributes()));
  return std::make_unique<Kernel>(call, std::move(shape), std::move(transfer));
}

}  // namespace

KernelOrStatus MakeInfeed(const runtime::LibraryCall& call) { return MakeTransfer<Infeed>(call); }

KernelOrStatus MakeOutfeed(const runtime::LibraryCall& call) {
  if (!call.instruction.has_outfeed_shape())
    return std::make_unique<Outfeed>(call, call.whole_operands[0]);
  HILO_ASSIGN_OR_RETURN(Shape shape, Shape::FromProto(call.instruction.outfeed_shape()));
  return std::make_unique<Outfeed>(call, std::move(shape));
}

KernelOrStatus MakeSend(const runtime::LibraryCall& call) { return MakeStart<Send>(call, true); }
KernelOrStatus MakeRecv(const runtime::LibraryCall& call) { return MakeStart<Recv>(call, false); }
KernelOrStatus MakeSendDone(const runtime::LibraryCall& call) {
  return MakeTransfer<SendDone>(call);
}
KernelOrStatus MakeRecvDone(const runtime::LibraryCall& call) {
  return MakeTransfer<RecvDone>(call);
}

}  // namespace xla::cpu
