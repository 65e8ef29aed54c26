#include "cpu/kernels/collective.h"

#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/kernels/participants.h"
#include "data/literal_borrow.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {

using runtime::Pieces;

Group::Group(const runtime::Device& device, const runtime::Exchange& exchange,
             std::vector<int64_t> members)
    : device_(device),
      exchange_(exchange),
      members_(std::move(members)),
      position_(absl::c_find(members_, device.id) - members_.begin()) {}

Pieces Group::NoPieces() const {
  return {std::vector<Pieces::Sent>(size()), std::vector<Pieces::Received>(size())};
}

Pieces Group::PieceForAll() const {
  return {std::vector<Pieces::Sent>(1), std::vector<Pieces::Received>(size())};
}

Group::PendingOrStatus Group::Begin(const Pieces& pieces) const {
  if (size() > 1) return device_.rendezvous->Begin(device_.id, exchange_, members_, pieces);
  const Pieces::Received& received = pieces.received[0];
  for (size_t i = 0; i < received.size(); ++i) {
    if (!received[i].empty())
      std::memcpy(received[i].data(), pieces.sent[0][i].data(), received[i].size());
  }
  return std::make_unique<runtime::Rendezvous::Pending>();
}

absl::Status Group::ExchangePieces(const Pieces& pieces) const {
  HILO_ASSIGN_OR_RETURN(const auto pending, Begin(pieces));
  return pending->Finish();
}

bool Group::ShareMemory() const { return size() > 1 && device_.rendezvous->ShareMemory(members_); }

absl::StatusOr<std::unique_ptr<runtime::Rendezvous::Lent>> Group::Lend(
    std::vector<Pieces::Sent> sent) const {
  return device_.rendezvous->Lend(device_.id, exchange_, members_, std::move(sent));
}

Collective::Collective(const runtime::LibraryCall& call)
    : call_(call),
      participants_(ParticipantsOf(call_.instruction, this)),
      replica_groups_(call_.instruction.collective_device_list().replica_groups().begin(),
                      call_.instruction.collective_device_list().replica_groups().end()) {}

absl::Status Collective::Run(void* const* arrays, const runtime::Environment& environment) const {
  const size_t results = call_.results.size();
  const auto is_given = [&](size_t k) {
    return result(k).element_type() == operand(OperandLike(k)).element_type();
  };
  bool are_given = true;
  for (size_t k = 0; k < results; ++k) are_given = are_given && is_given(k);
  if (are_given) return Perform(environment.device, arrays);
  std::vector<Literal> given(results);
  std::vector<void*> places(arrays,
                            arrays + operand_count() + results + call_.function_arguments.size());
  for (size_t k = 0; k < results; ++k) {
    if (is_given(k)) continue;
    Shape shape = result(k);
    shape.set_element_type(operand(OperandLike(k)).element_type());
    HILO_ASSIGN_OR_RETURN(given[k], Literal::Make(shape));
    places[operand_count() + k] = given[k].untyped_data();
  }
  HILO_RETURN_IF_ERROR(Perform(environment.device, places.data()));
  for (size_t k = 0; k < results; ++k) {
    if (is_given(k) || ShapeUtil::IsZeroElementArray(result(k))) continue;
    HILO_ASSIGN_OR_RETURN(const Literal converted, given[k].Convert(result(k).element_type()));
    std::memcpy(arrays[operand_count() + k], converted.untyped_data(), converted.size_bytes());
  }
  return absl::OkStatus();
}

int64_t Collective::BytesOf(const Shape& shape) const { return ShapeUtil::ByteSizeOf(shape); }

absl::StatusOr<Group> Collective::GroupOf(const runtime::Device& device) const {
  HILO_RETURN_IF_ERROR(CheckDeviceCount(device));
  HILO_ASSIGN_OR_RETURN(std::vector<int64_t> members, MembersOf(device));
  if (members.empty()) {
    return InvalidArgument("%s: device %d is in none of the replica_groups", Name(), device.id);
  }
  return Group(device, participants_.exchange(), std::move(members));
}

absl::StatusOr<std::vector<int64_t>> Collective::MembersOf(const runtime::Device& device) const {
  return participants_.GroupOf(device, replica_groups_);
}

absl::Status Collective::CheckDeviceCount(const runtime::Device& device) const {
  return participants_.CheckDeviceCount(device, call_.replicas, call_.partitions);
}

absl::Status Collective::CheckSize(bool fits, size_t group_size) const {
  if (fits) return absl::OkStatus();
  return InvalidArgument("%s has operands or a result that do not fit a group of %d devices",
                         Name(), group_size);
}

void Collective::Zeros(void* const* results) const {
  for (size_t k = 0; k < call_.results.size(); ++k) {
    if (!ShapeUtil::IsZeroElementArray(operand(OperandLike(k))))
      std::memset(results[k], 0, BytesOf(operand(OperandLike(k))));
  }
}

Blocks::Blocks(const Shape& shape, int64_t dimension, size_t count)
    : row_(primitive_util::ByteWidth(shape.element_type())), count_(static_cast<int64_t>(count)) {
  for (int64_t d = 0; d < dimension; ++d) outer_ *= shape.dimensions(d);
  for (int64_t d = dimension; d < shape.dimensions_size(); ++d) row_ *= shape.dimensions(d);
  row_ /= count_;
}

void Blocks::CopyOut(const char* array, int64_t block, char* to) const {
  for (int64_t i = 0; row_ > 0 && i < outer_; ++i)
    std::memcpy(to + i * row_, array + (i * count_ + block) * row_, row_);
}

void Blocks::CopyIn(const char* from, int64_t block, char* array) const {
  for (int64_t i = 0; row_ > 0 && i < outer_; ++i)
    std::memcpy(array + (i * count_ + block) * row_, from + i * row_, row_);
}

absl::StatusOr<SentBlocks> SentBlocks::Make(const Blocks& blocks, const void* array) {
  SentBlocks result;
  result.first_ = static_cast<const char*>(array);
  result.bytes_ = blocks.bytes();
  if (blocks.AreWhole()) return result;
  HILO_ASSIGN_OR_RETURN(result.copies_, runtime::Allocate(blocks.count() * blocks.bytes()));
  for (int64_t i = 0; i < blocks.count(); ++i)
    blocks.CopyOut(result.first_, i, result.copies_.get() + i * blocks.bytes());
  result.first_ = result.copies_.get();
  return result;
}

absl::Span<const char> SentBlocks::operator[](int64_t block) const {
  return {first_ + block * bytes_, static_cast<size_t>(bytes_)};
}

absl::StatusOr<ReceivedBlocks> ReceivedBlocks::Make(const Blocks& blocks, void* array) {
  ReceivedBlocks result(blocks);
  result.array_ = static_cast<char*>(array);
  if (blocks.AreWhole()) return result;
  HILO_ASSIGN_OR_RETURN(result.apart_, runtime::Allocate(blocks.count() * blocks.bytes()));
  return result;
}

absl::Span<char> ReceivedBlocks::operator[](int64_t block) const {
  char* const first = apart_ == nullptr ? array_ : apart_.get();
  return {first + block * blocks_.bytes(), static_cast<size_t>(blocks_.bytes())};
}

void ReceivedBlocks::Place() const {
  for (int64_t i = 0; apart_ != nullptr && i < blocks_.count(); ++i)
    blocks_.CopyIn(operator[](i).data(), i, array_);
}

absl::Status ExpectStaticOperands(const runtime::LibraryCall& call) {
  for (const Shape& shape : call.operands) {
    if (shape.is_static()) continue;
    return Unimplemented("%s %s: arrays with dynamic dimensions are not exchanged",
                         call.instruction.opcode(), call.instruction.name());
  }
  return absl::OkStatus();
}

}  // namespace xla::cpu
