// Collectives that move data, and the numbers of the device.
#include <cstring>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/kernels/collective.h"
#include "cpu/kernels/participants.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

using runtime::Device;
using runtime::Pieces;

absl::Span<const char> Bytes(const void* array, int64_t bytes) {
  return {static_cast<const char*>(array), static_cast<size_t>(bytes)};
}
absl::Span<char> Bytes(void* array, int64_t bytes) {
  return {static_cast<char*>(array), static_cast<size_t>(bytes)};
}

class AllGather : public Collective {
 public:
  using Collective::Collective;

 private:
  absl::Status Perform(const Device& device, void* const* arrays) const override {
    const int64_t dimension = call_.instruction.dimensions(0);
    HILO_ASSIGN_OR_RETURN(const Group group, GroupOf(device));
    Pieces pieces = group.PieceForAll();
    std::vector<ReceivedBlocks> gathered;
    for (size_t k = 0; k < operand_count(); ++k) {
      Shape shape = operand(k);
      shape.set_dimensions(static_cast<int>(dimension),
                           shape.dimensions(dimension) * static_cast<int64_t>(group.size()));
      HILO_RETURN_IF_ERROR(CheckSize(ShapeUtil::SameDimensions(result(k), shape), group.size()));
      const Blocks blocks(shape, dimension, group.size());
      HILO_ASSIGN_OR_RETURN(ReceivedBlocks received,
                            ReceivedBlocks::Make(blocks, arrays[operand_count() + k]));
      pieces.sent[0].push_back(Bytes(std::as_const(arrays[k]), blocks.bytes()));
      for (size_t i = 0; i < group.size(); ++i)
        pieces.received[i].push_back(received[static_cast<int64_t>(i)]);
      gathered.push_back(std::move(received));
    }
    HILO_RETURN_IF_ERROR(group.ExchangePieces(pieces));
    for (const ReceivedBlocks& received : gathered) received.Place();
    return absl::OkStatus();
  }
};

// Block j of member i becomes block i of member j. Blocks are parts of the only operand, or the
// operands.
class AllToAll : public Collective {
 public:
  using Collective::Collective;

 private:
  absl::Status Perform(const Device& device, void* const* arrays) const override {
    HILO_ASSIGN_OR_RETURN(const Group group, GroupOf(device));
    void* const* results = arrays + operand_count();
    Pieces pieces = group.NoPieces();
    if (call_.instruction.dimensions_size() == 0) {
      HILO_RETURN_IF_ERROR(CheckSize(operand_count() == group.size(), group.size()));
      for (size_t i = 0; i < group.size(); ++i) {
        const int64_t bytes = BytesOf(operand(i));
        pieces.sent[i].push_back(Bytes(std::as_const(arrays[i]), bytes));
        pieces.received[i].push_back(Bytes(results[i], bytes));
      }
      return group.ExchangePieces(pieces);
    }
    const int64_t dimension = call_.instruction.dimensions(0);
    HILO_RETURN_IF_ERROR(CheckSize(
        operand(0).dimensions(dimension) % static_cast<int64_t>(group.size()) == 0, group.size()));
    const Blocks blocks(operand(0), dimension, group.size());
    HILO_ASSIGN_OR_RETURN(const SentBlocks sent, SentBlocks::Make(blocks, arrays[0]));
    HILO_ASSIGN_OR_RETURN(const ReceivedBlocks received, ReceivedBlocks::Make(blocks, results[0]));
    for (size_t i = 0; i < group.size(); ++i) {
      pieces.sent[i].push_back(sent[static_cast<int64_t>(i)]);
      pieces.received[i].push_back(received[static_cast<int64_t>(i)]);
    }
    HILO_RETURN_IF_ERROR(group.ExchangePieces(pieces));
    received.Place();
    return absl::OkStatus();
  }
};

// The first of a group sends, or the one at the position that the last operand says, which must be
// the same on all. Who is in no group gets zeros.
class CollectiveBroadcast : public Collective {
 public:
  using Collective::Collective;

 private:
  absl::Status Perform(const Device& device, void* const* arrays) const override {
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> members, MembersOf(device));
    if (members.empty()) {
      Zeros(arrays + operand_count());
      return absl::OkStatus();
    }
    HILO_ASSIGN_OR_RETURN(const Group group, GroupOf(device));
    const bool has_root = call_.instruction.has_dynamic_root();
    const size_t count = operand_count() - has_root;
    size_t root = 0;
    if (has_root) {
      HILO_ASSIGN_OR_RETURN(root, CommonRoot(group, device, arrays[count]));
    }
    return Spread(group, root, count, arrays);
  }

  absl::StatusOr<size_t> CommonRoot(const Group& group, const Device& device,
                                    const void* own) const {
    const Shape& shape = operand(operand_count() - 1);
    const int64_t root = IntegerAt(shape.element_type(), static_cast<const char*>(own), 0);
    const int64_t bytes = BytesOf(shape);
    std::vector<char> roots(group.size() * bytes);
    Pieces pieces = group.PieceForAll();
    pieces.sent[0].push_back(Bytes(own, bytes));
    for (size_t i = 0; i < group.size(); ++i)
      pieces.received[i].push_back(Bytes(roots.data() + i * bytes, bytes));
    HILO_RETURN_IF_ERROR(group.ExchangePieces(pieces));
    bool is_right = 0 <= root && root < static_cast<int64_t>(group.size());
    for (size_t i = 0; i < group.size(); ++i)
      is_right = is_right && std::memcmp(roots.data() + i * bytes, own, bytes) == 0;
    if (is_right) return static_cast<size_t>(root);
    return InvalidArgument(
        "%s: the root must be the same position in the group of %d on all devices, not %d on "
        "device %d",
        Name(), group.size(), root, device.id);
  }

  // Gives each member a part, which all then give each other: nobody sends more than about twice
  // the array. What is short goes to each as it is.
  absl::Status Spread(const Group& group, size_t root, size_t count, void* const* arrays) const {
    constexpr int64_t kLeastPartBytes = 1 << 14;
    const auto size = static_cast<int64_t>(group.size());
    const bool is_root = group.position() == root;
    int64_t bytes = 0;
    for (size_t k = 0; k < count; ++k) bytes += BytesOf(operand(k));
    const bool in_parts = size > 2 && bytes / size >= kLeastPartBytes;
    Pieces whole = group.NoPieces(), parts = group.PieceForAll();
    for (size_t k = 0; k < count; ++k) {
      const int64_t length = BytesOf(operand(k));
      char* const to = static_cast<char*>(arrays[operand_count() + k]);
      if (is_root && length > 0) std::memcpy(to, arrays[k], length);
      for (int64_t i = 0; i < size; ++i) {
        const int64_t begin = in_parts ? length * i / size : 0;
        const int64_t end = in_parts ? length * (i + 1) / size : length;
        const absl::Span<char> place = Bytes(to + begin, end - begin);
        const bool is_own = static_cast<size_t>(i) == group.position();
        if (is_root && !is_own) whole.sent[i].push_back(place);
        if (!is_root && is_own) whole.received[root].push_back(place);
        if (is_own) parts.sent[0].push_back(place);
        if (!is_own) parts.received[i].push_back(place);
      }
    }
    HILO_RETURN_IF_ERROR(group.ExchangePieces(whole));
    return in_parts ? group.ExchangePieces(parts) : absl::OkStatus();
  }
};

class CollectivePermute : public Collective {
 public:
  explicit CollectivePermute(const runtime::LibraryCall& call)
      : Collective(call), pairs_(PairsOf(call_.instruction)) {}

 private:
  absl::Status Perform(const Device& device, void* const* arrays) const override {
    HILO_RETURN_IF_ERROR(CheckDeviceCount(device));
    void* const* results = arrays + operand_count();
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> ids, participants_.IdsIn(device, pairs_));
    const int64_t own = participants_.OwnId(device);
    if (absl::c_none_of(pairs_, [&](const auto& pair) { return pair.second == own; }))
      Zeros(results);
    if (!absl::c_linear_search(ids, own)) return absl::OkStatus();
    const Group group(device, participants_.exchange(), participants_.Devices(device, ids));
    const auto place = [&](int64_t id) { return absl::c_find(ids, id) - ids.begin(); };
    Pieces pieces = group.NoPieces();
    for (const auto& [source, target] : pairs_) {
      for (size_t k = 0; k < operand_count(); ++k) {
        const int64_t bytes = BytesOf(operand(k));
        if (source == own)
          pieces.sent[place(target)].push_back(Bytes(std::as_const(arrays[k]), bytes));
        if (target == own) pieces.received[place(source)].push_back(Bytes(results[k], bytes));
      }
    }
    return group.ExchangePieces(pieces);
  }

  const std::vector<std::pair<int64_t, int64_t>> pairs_;
};

// Operands: input, output, and for each peer (and each of equally many pieces that it gets) where
// in the input its rows begin, how many there are, and where in the peer's output they go. How many
// come follows from what the others send.
class RaggedAllToAll : public Collective {
 public:
  using Collective::Collective;

 private:
  size_t OperandLike(size_t) const override { return 1; }

  // Rows that one device sends to another.
  struct Run {
    int64_t from, rows, to;
  };

  absl::Status Perform(const Device& device, void* const* arrays) const override {
    HILO_ASSIGN_OR_RETURN(const Group group, GroupOf(device));
    const size_t count = ShapeUtil::ElementsIn(operand(2));
    HILO_RETURN_IF_ERROR(CheckSize(count % group.size() == 0, group.size()));
    const size_t each = count / group.size();
    std::vector<Run> sent, received(count);
    for (size_t i = 0; i < count; ++i) {
      const auto entry = [&](size_t k) {
        return IntegerAt(operand(k).element_type(), static_cast<const char*>(arrays[k]),
                         static_cast<int64_t>(i));
      };
      sent.push_back({entry(2), entry(3), entry(4)});
    }
    Pieces runs = group.NoPieces(), rows = group.NoPieces();
    for (size_t i = 0; i < group.size(); ++i) {
      const auto bytes = static_cast<int64_t>(each * sizeof(Run));
      runs.sent[i].push_back(Bytes(std::as_const(sent).data() + i * each, bytes));
      runs.received[i].push_back(Bytes(received.data() + i * each, bytes));
    }
    HILO_RETURN_IF_ERROR(group.ExchangePieces(runs));
    const int64_t row = RowBytes(operand(0));
    int64_t arriving = 0;
    for (size_t i = 0; i < count; ++i) {
      HILO_RETURN_IF_ERROR(CheckRun(sent[i]));
      HILO_RETURN_IF_ERROR(CheckRun(received[i]));
      arriving += received[i].rows * row;
    }
    HILO_ASSIGN_OR_RETURN(const runtime::Memory arrived, runtime::Allocate(arriving));
    char* next = arrived.get();
    for (size_t i = 0; i < count; ++i) {
      const char* const from = static_cast<const char*>(arrays[0]) + sent[i].from * row;
      rows.sent[i / each].push_back(Bytes(from, sent[i].rows * row));
      rows.received[i / each].push_back(Bytes(next, received[i].rows * row));
      next += received[i].rows * row;
    }
    HILO_RETURN_IF_ERROR(group.ExchangePieces(rows));
    char* const result = static_cast<char*>(arrays[operand_count()]);
    const int64_t bytes = BytesOf(operand(1));
    if (bytes > 0) std::memcpy(result, arrays[1], bytes);
    // Where runs overlap the last of them counts.
    next = arrived.get();
    for (const Run& run : received) {
      if (run.rows * row > 0) std::memcpy(result + run.to * row, next, run.rows * row);
      next += run.rows * row;
    }
    return absl::OkStatus();
  }

  static int64_t RowBytes(const Shape& shape) {
    int64_t bytes = primitive_util::ByteWidth(shape.element_type());
    for (int d = 1; d < shape.dimensions_size(); ++d) bytes *= shape.dimensions(d);
    return bytes;
  }

  // Both sides see the same.
  absl::Status CheckRun(const Run& run) const {
    const auto fits = [&](int64_t start, int64_t size) {
      return 0 <= start && start <= size && 0 <= run.rows && run.rows <= size - start;
    };
    const int64_t input_rows = operand(0).dimensions(0), output_rows = operand(1).dimensions(0);
    if (fits(run.from, input_rows) && fits(run.to, output_rows)) return absl::OkStatus();
    return InvalidArgument(
        "%s: %d rows from %d to %d do not lie within the arrays of %d and %d rows", Name(),
        run.rows, run.from, run.to, input_rows, output_rows);
  }
};

// ---- Numbers of the device

class OwnNumber : public runtime::LibraryKernel {
 public:
  explicit OwnNumber(bool of_partition) : of_partition_(of_partition) {}

  absl::Status Run(void* const* arrays, const runtime::Environment& environment) const override {
    const Device& device = environment.device;
    const uint32_t number =
        static_cast<uint32_t>(of_partition_ ? device.partition() : device.replica());
    std::memcpy(arrays[0], &number, sizeof number);
    return absl::OkStatus();
  }

 private:
  const bool of_partition_;
};

}  // namespace

KernelOrStatus MakeAllGather(const runtime::LibraryCall& call) {
  return MakeCollective<AllGather>(call);
}
KernelOrStatus MakeAllToAll(const runtime::LibraryCall& call) {
  return MakeCollective<AllToAll>(call);
}
KernelOrStatus MakeCollectiveBroadcast(const runtime::LibraryCall& call) {
  if (call.instruction.has_dynamic_root() &&
      !primitive_util::IsIntegralType(call.operands.back().element_type())) {
    return Unimplemented("collective-broadcast %s: a root that is no integer but %s",
                         call.instruction.name(), ShapeUtil::HumanString(call.operands.back()));
  }
  return MakeCollective<CollectiveBroadcast>(call);
}
KernelOrStatus MakeCollectivePermute(const runtime::LibraryCall& call) {
  if (call.instruction.dynamic_slice_sizes_size() > 0) return MakeSlicePermute(call);
  return MakeCollective<CollectivePermute>(call);
}
KernelOrStatus MakeRaggedAllToAll(const runtime::LibraryCall& call) {
  return MakeCollective<RaggedAllToAll>(call);
}
KernelOrStatus MakePartitionId(const runtime::LibraryCall&) {
  return std::make_unique<OwnNumber>(/*of_partition=*/true);
}
KernelOrStatus MakeReplicaId(const runtime::LibraryCall&) {
  return std::make_unique<OwnNumber>(/*of_partition=*/false);
}

}  // namespace xla::cpu
