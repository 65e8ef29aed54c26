// What kernels of collectives share.
#ifndef HILO_CPU_KERNELS_COLLECTIVE_H_
#define HILO_CPU_KERNELS_COLLECTIVE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cpu/kernels/kernels.h"
#include "runtime/library_kernel.h"
#include "runtime/memory.h"
#include "runtime/participants.h"
#include "runtime/rendezvous.h"

namespace xla::cpu {

// The devices among which a collective exchanges data, as one of them sees it.
class Group {
 public:
  Group(const runtime::Device& device, const runtime::Exchange& exchange,
        std::vector<int64_t> members);

  size_t size() const { return members_.size(); }
  size_t position() const { return position_; }  // of this device

  // Pieces for and from nobody.
  runtime::Pieces NoPieces() const;
  // One piece for all, and nothing from anybody.
  runtime::Pieces PieceForAll() const;
  using PendingOrStatus = absl::StatusOr<std::unique_ptr<runtime::Rendezvous::Pending>>;
  PendingOrStatus Begin(const runtime::Pieces& pieces) const;
  absl::Status ExchangePieces(const runtime::Pieces& pieces) const;

  // Whether there are several, and each can read what the others have.
  bool ShareMemory() const;
  // What they let each other read; they share memory.
  absl::StatusOr<std::unique_ptr<runtime::Rendezvous::Lent>> Lend(
      std::vector<runtime::Pieces::Sent> sent) const;

 private:
  const runtime::Device& device_;
  const runtime::Exchange& exchange_;
  const std::vector<int64_t> members_;
  const size_t position_;
};

// A collective whose kernel gives results in the element types of its operands.
class Collective : public runtime::LibraryKernel {
 public:
  explicit Collective(const runtime::LibraryCall& call);
  absl::Status Run(void* const* arrays, const runtime::Environment& environment) const final;

 protected:
  virtual absl::Status Perform(const runtime::Device& device, void* const* arrays) const = 0;
  // The operand that has the result's element type.
  virtual size_t OperandLike(size_t result) const { return result; }

  size_t operand_count() const { return call_.operands.size(); }
  const Shape& operand(size_t k) const { return call_.operands[k]; }
  const Shape& result(size_t k) const { return call_.results[k]; }
  int64_t BytesOf(const Shape& shape) const;
  std::string Name() const { return participants_.exchange().ToString(); }

  // That of the replica_groups in which the device is; InvalidArgument where it is in none.
  absl::StatusOr<Group> GroupOf(const runtime::Device& device) const;
  // Its members; none where it is in none.
  absl::StatusOr<std::vector<int64_t>> MembersOf(const runtime::Device& device) const;
  absl::Status CheckDeviceCount(const runtime::Device& device) const;
  // Where the groups are not written out, the verifier cannot know their size.
  absl::Status CheckSize(bool fits, size_t group_size) const;
  void Zeros(void* const* results) const;

  const runtime::LibraryCall call_;
  const runtime::Participants participants_;

 private:
  const std::vector<ReplicaGroup> replica_groups_;
};

// An array divided along a dimension into so many blocks, one for each member of a group.
class Blocks {
 public:
  Blocks(const Shape& shape, int64_t dimension, size_t count);

  int64_t count() const { return count_; }
  int64_t bytes() const { return outer_ * row_; }  // of each
  // Whether each block lies in one piece.
  bool AreWhole() const { return outer_ == 1; }
  void CopyOut(const char* array, int64_t block, char* to) const;
  void CopyIn(const char* from, int64_t block, char* array) const;

 private:
  int64_t outer_ = 1;
  int64_t row_;  // bytes of a block that lie together
  int64_t count_;
};

// The blocks of an array, each in one piece: where they lie in it, or in copies.
class SentBlocks {
 public:
  static absl::StatusOr<SentBlocks> Make(const Blocks& blocks, const void* array);
  absl::Span<const char> operator[](int64_t block) const;

 private:
  runtime::Memory copies_;
  const char* first_;
  int64_t bytes_;
};

// Places for the blocks of an array.
class ReceivedBlocks {
 public:
  static absl::StatusOr<ReceivedBlocks> Make(const Blocks& blocks, void* array);
  absl::Span<char> operator[](int64_t block) const;
  // Puts all into the array.
  void Place() const;

 private:
  explicit ReceivedBlocks(const Blocks& blocks) : blocks_(blocks) {}

  Blocks blocks_;
  char* array_;
  runtime::Memory apart_;  // for blocks that do not lie in one piece
};

// Unimplemented for operands of dynamic sizes.
absl::Status ExpectStaticOperands(const runtime::LibraryCall& call);

template <typename Kernel>
KernelOrStatus MakeCollective(const runtime::LibraryCall& call) {
  const absl::Status status = ExpectStaticOperands(call);
  if (!status.ok()) return status;
  return std::make_unique<Kernel>(call);
}

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_COLLECTIVE_H_
