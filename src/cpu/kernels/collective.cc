// Operations in which devices, the replicas and partitions of a program, exchange data.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/participants.h"
#include "data/literal_borrow.h"
#include "runtime/program.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

using runtime::Contributions;
using runtime::Environment;

// What all members of a group have as operands.
struct Exchanged {
  Contributions contributions;                   // keeps what other devices have brought
  std::vector<std::vector<const char*>> arrays;  // [member][operand]
  int64_t position;                              // of this device in its group

  int64_t size() const { return static_cast<int64_t>(arrays.size()); }
};

class Collective : public runtime::LibraryKernel {
 public:
  explicit Collective(const runtime::LibraryCall& call)
      : call_(call), participants_(ParticipantsOf(call_.instruction, this)) {}

 protected:
  size_t operand_count() const { return call_.operands.size(); }
  const Shape& operand(size_t k) const { return call_.operands[k]; }
  const Shape& result(size_t k) const { return call_.results[k]; }
  std::string Name() const { return participants_.exchange().ToString(); }

  absl::Status CheckDeviceCount(const runtime::Device& device) const {
    return participants_.CheckDeviceCount(device, call_.replicas, call_.partitions);
  }
  absl::StatusOr<std::vector<int64_t>> GroupOf(const runtime::Device& device) const {
    const auto& groups = call_.instruction.collective_device_list().replica_groups();
    return participants_.GroupOf(device, std::vector<ReplicaGroup>(groups.begin(), groups.end()));
  }

  absl::StatusOr<Exchanged> ExchangeAmong(const Environment& environment,
                                          const std::vector<int64_t>& devices,
                                          void* const* arrays) const {
    const runtime::Device& device = environment.device;
    Exchanged exchanged;
    exchanged.position = absl::c_find(devices, device.id) - devices.begin();
    if (devices.size() == 1) {
      exchanged.arrays.resize(1);
      for (size_t k = 0; k < operand_count(); ++k)
        exchanged.arrays[0].push_back(static_cast<const char*>(arrays[k]));
      return exchanged;
    }
    runtime::Contribution own;
    for (size_t k = 0; k < operand_count(); ++k)
      own.push_back(BorrowArray(operand(k), arrays[k]).Clone());
    HILO_ASSIGN_OR_RETURN(exchanged.contributions,
                          runtime::Meet(device, participants_.exchange(), devices, std::move(own)));
    for (const runtime::Contribution& contribution : *exchanged.contributions) {
      std::vector<const char*>& member = exchanged.arrays.emplace_back();
      for (const Literal& array : contribution)
        member.push_back(static_cast<const char*>(array.untyped_data()));
    }
    return exchanged;
  }

  absl::StatusOr<Exchanged> ExchangeInGroup(const Environment& environment,
                                            void* const* arrays) const {
    HILO_RETURN_IF_ERROR(CheckDeviceCount(environment.device));
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> group, GroupOf(environment.device));
    if (group.empty()) {
      return InvalidArgument("%s: device %d is in none of the replica_groups", Name(),
                             environment.device.id);
    }
    return ExchangeAmong(environment, group, arrays);
  }

  // Where the groups are not written out, the verifier cannot know their size.
  absl::Status CheckSize(bool fits, int64_t size) const {
    if (fits) return absl::OkStatus();
    return InvalidArgument("%s has operands or a result that do not fit a group of %d devices",
                           Name(), size);
  }

  // An array of the result, given in the operand's element type.
  absl::Status Deliver(const char* data, const Shape& shape, size_t k, void* to) const {
    if (ShapeUtil::IsZeroElementArray(shape)) return absl::OkStatus();
    if (shape.element_type() == result(k).element_type()) {
      std::memcpy(to, data, ShapeUtil::ByteSizeOf(shape));
      return absl::OkStatus();
    }
    const Literal given = BorrowArray(shape, const_cast<char*>(data));
    HILO_ASSIGN_OR_RETURN(const Literal converted, given.Convert(result(k).element_type()));
    std::memcpy(to, converted.untyped_data(), converted.size_bytes());
    return absl::OkStatus();
  }

  void Zeros(void* const* results) const {
    for (size_t k = 0; k < call_.results.size(); ++k)
      std::memset(results[k], 0, ShapeUtil::ByteSizeOf(result(k)));
  }

  const runtime::LibraryCall call_;
  const runtime::Participants participants_;
};

// Copies `length` places of one dimension between arrays that are equally long in all others.
void CopyRange(const Shape& from_shape, const char* from, int64_t from_start, const Shape& to_shape,
               char* to, int64_t to_start, int64_t length, int64_t dimension) {
  int64_t outer = 1;
  for (int64_t d = 0; d < dimension; ++d) outer *= from_shape.dimensions(d);
  int64_t inner = primitive_util::ByteWidth(from_shape.element_type());
  for (int64_t d = dimension + 1; d < from_shape.dimensions_size(); ++d)
    inner *= from_shape.dimensions(d);
  if (outer == 0 || inner == 0 || length == 0) return;
  const int64_t from_row = from_shape.dimensions(dimension) * inner;
  const int64_t to_row = to_shape.dimensions(dimension) * inner;
  for (int64_t row = 0; row < outer; ++row) {
    std::memcpy(to + row * to_row + to_start * inner, from + row * from_row + from_start * inner,
                length * inner);
  }
}

class AllGather : public Collective {
 public:
  using Collective::Collective;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    const int64_t dimension = call_.instruction.dimensions(0);
    HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(environment, arrays));
    for (size_t k = 0; k < operand_count(); ++k) {
      const int64_t length = operand(k).dimensions(dimension);
      HILO_RETURN_IF_ERROR(CheckSize(result(k).dimensions(dimension) == length * exchanged.size(),
                                     exchanged.size()));
      Shape gathered = result(k);
      gathered.set_element_type(operand(k).element_type());
      std::vector<char> memory(ShapeUtil::ByteSizeOf(gathered));
      for (int64_t member = 0; member < exchanged.size(); ++member) {
        CopyRange(operand(k), exchanged.arrays[member][k], 0, gathered, memory.data(),
                  member * length, length, dimension);
      }
      HILO_RETURN_IF_ERROR(Deliver(memory.data(), gathered, k, arrays[operand_count() + k]));
    }
    return absl::OkStatus();
  }
};

// ---- Reduction

class Reduction : public Collective {
 public:
  using Collective::Collective;

 protected:
  // The operands of all members, reduced in the order of the group: all operands at once or, where
  // the computation takes two arguments, one after the other.
  absl::StatusOr<std::vector<std::vector<char>>> Reduce(const Exchanged& exchanged,
                                                        void* const* arrays) const {
    auto* const function =
        reinterpret_cast<HiloFunction*>(arrays[operand_count() + call_.results.size()]);
    const bool together = operand_count() > 1 && call_.function_arguments[0] != 2;
    if (together) HILO_RETURN_IF_ERROR(CheckReducedTogether());
    std::vector<std::vector<char>> sums;
    for (size_t k = 0; k < operand_count(); ++k) {
      const char* first = exchanged.arrays[0][k];
      sums.emplace_back(first, first + ShapeUtil::ByteSizeOf(operand(k)));
    }
    const size_t at_once = together ? operand_count() : 1;
    for (int64_t member = 1; member < exchanged.size(); ++member) {
      for (size_t k = 0; k < operand_count(); k += at_once) {
        std::vector<const void*> arguments;
        std::vector<void*> results;
        for (size_t i = k; i < k + at_once; ++i) results.push_back(sums[i].data());
        arguments.assign(results.begin(), results.end());
        for (size_t i = k; i < k + at_once; ++i) arguments.push_back(exchanged.arrays[member][i]);
        function(arguments.data(), results.data(), ShapeUtil::ElementsIn(operand(k)));
      }
    }
    return sums;
  }

 private:
  absl::Status CheckReducedTogether() const {
    for (size_t k = 1; k < operand_count(); ++k) {
      if (!ShapeUtil::SameDimensions(operand(0), operand(k))) {
        return InvalidArgument("%s: operands that are reduced together must be of one size",
                               Name());
      }
    }
    return absl::OkStatus();
  }
};

class AllReduce : public Reduction {
 public:
  using Reduction::Reduction;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(environment, arrays));
    HILO_ASSIGN_OR_RETURN(const auto sums, Reduce(exchanged, arrays));
    for (size_t k = 0; k < operand_count(); ++k)
      HILO_RETURN_IF_ERROR(Deliver(sums[k].data(), operand(k), k, arrays[operand_count() + k]));
    return absl::OkStatus();
  }
};

// Member i gets block i of the reduction.
class ReduceScatter : public Reduction {
 public:
  using Reduction::Reduction;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    const int64_t dimension = call_.instruction.dimensions(0);
    HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(environment, arrays));
    HILO_ASSIGN_OR_RETURN(const auto sums, Reduce(exchanged, arrays));
    for (size_t k = 0; k < operand_count(); ++k) {
      const int64_t length = result(k).dimensions(dimension);
      HILO_RETURN_IF_ERROR(CheckSize(operand(k).dimensions(dimension) == length * exchanged.size(),
                                     exchanged.size()));
      Shape block = result(k);
      block.set_element_type(operand(k).element_type());
      std::vector<char> memory(ShapeUtil::ByteSizeOf(block));
      CopyRange(operand(k), sums[k].data(), exchanged.position * length, block, memory.data(), 0,
                length, dimension);
      HILO_RETURN_IF_ERROR(Deliver(memory.data(), block, k, arrays[operand_count() + k]));
    }
    return absl::OkStatus();
  }
};

// ---- Movement

// Block j of member i becomes block i of member j. Blocks are parts of the only operand, or the
// operands.
class AllToAll : public Collective {
 public:
  using Collective::Collective;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(environment, arrays));
    void* const* results = arrays + operand_count();
    if (call_.instruction.dimensions_size() == 0) {
      HILO_RETURN_IF_ERROR(
          CheckSize(static_cast<int64_t>(operand_count()) == exchanged.size(), exchanged.size()));
      for (int64_t member = 0; member < exchanged.size(); ++member) {
        HILO_RETURN_IF_ERROR(Deliver(exchanged.arrays[member][exchanged.position],
                                     operand(exchanged.position), member, results[member]));
      }
      return absl::OkStatus();
    }
    const int64_t dimension = call_.instruction.dimensions(0);
    const int64_t length = operand(0).dimensions(dimension);
    HILO_RETURN_IF_ERROR(CheckSize(length % exchanged.size() == 0, exchanged.size()));
    const int64_t block = length / exchanged.size();
    std::vector<char> memory(ShapeUtil::ByteSizeOf(operand(0)));
    for (int64_t member = 0; member < exchanged.size(); ++member) {
      CopyRange(operand(0), exchanged.arrays[member][0], exchanged.position * block, operand(0),
                memory.data(), member * block, block, dimension);
    }
    return Deliver(memory.data(), operand(0), 0, results[0]);
  }
};

// The first of a group sends, or the one at the position that the last operand says, which must be
// the same on all. Who is in no group gets zeros.
class CollectiveBroadcast : public Collective {
 public:
  using Collective::Collective;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    const bool has_root = call_.instruction.has_dynamic_root();
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> group, GroupOf(environment.device));
    if (group.empty()) {
      Zeros(arrays + operand_count());
      return absl::OkStatus();
    }
    const size_t sent = operand_count() - has_root;
    const int64_t root =
        has_root ? IntegerAt(operand(sent).element_type(), static_cast<char*>(arrays[sent]), 0) : 0;
    HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(environment, arrays));
    bool is_right = 0 <= root && root < exchanged.size();
    for (int64_t member = 0; has_root && member < exchanged.size(); ++member) {
      is_right &= std::memcmp(exchanged.arrays[member][sent], arrays[sent],
                              ShapeUtil::ByteSizeOf(operand(sent))) == 0;
    }
    if (!is_right) {
      return InvalidArgument(
          "%s: the root must be the same position in the group of %d on all devices, not %d on "
          "device %d",
          Name(), exchanged.size(), root, environment.device.id);
    }
    for (size_t k = 0; k < sent; ++k) {
      HILO_RETURN_IF_ERROR(
          Deliver(exchanged.arrays[root][k], operand(k), k, arrays[operand_count() + k]));
    }
    return absl::OkStatus();
  }
};

class CollectivePermute : public Collective {
 public:
  using Collective::Collective;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    const runtime::Device& device = environment.device;
    void* const* results = arrays + operand_count();
    HILO_RETURN_IF_ERROR(CheckDeviceCount(device));
    const auto pairs = PairsOf(call_.instruction);
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> ids, participants_.IdsIn(device, pairs));
    const int64_t own = participants_.OwnId(device);
    const auto pair = absl::c_find_if(pairs, [&](const auto& p) { return p.second == own; });
    if (absl::c_linear_search(ids, own)) {
      HILO_ASSIGN_OR_RETURN(const Exchanged exchanged,
                            ExchangeAmong(environment, participants_.Devices(device, ids), arrays));
      if (pair != pairs.end()) {
        const int64_t source = absl::c_find(ids, pair->first) - ids.begin();
        for (size_t k = 0; k < operand_count(); ++k) {
          HILO_RETURN_IF_ERROR(Deliver(exchanged.arrays[source][k], operand(k), k, results[k]));
        }
        return absl::OkStatus();
      }
    }
    Zeros(results);
    return absl::OkStatus();
  }
};

// Operands: input, output, and for each peer (and each of equally many pieces that it gets) where
// in the input its rows begin, how many there are, and where in the peer's output they go. How many
// come follows from what the others send.
class RaggedAllToAll : public Collective {
 public:
  using Collective::Collective;

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(environment, arrays));
    const int64_t entries = ShapeUtil::ElementsIn(operand(2));
    HILO_RETURN_IF_ERROR(CheckSize(entries % exchanged.size() == 0, exchanged.size()));
    const int64_t pieces = entries / exchanged.size();
    const char* output = static_cast<const char*>(arrays[1]);
    std::vector<char> memory(output, output + ShapeUtil::ByteSizeOf(operand(1)));
    for (int64_t member = 0; member < exchanged.size(); ++member) {
      for (int64_t i = exchanged.position * pieces; i < (exchanged.position + 1) * pieces; ++i)
        HILO_RETURN_IF_ERROR(CopyPiece(exchanged.arrays[member], i, memory.data()));
    }
    return Deliver(memory.data(), operand(1), 0, arrays[operand_count()]);
  }

 private:
  absl::Status CopyPiece(const std::vector<const char*>& member, int64_t i, char* to) const {
    const auto entry = [&](size_t k) { return IntegerAt(operand(k).element_type(), member[k], i); };
    const int64_t from_row = entry(2), rows = entry(3), to_row = entry(4);
    const int64_t input_rows = operand(0).dimensions(0), output_rows = operand(1).dimensions(0);
    const auto fits = [&](int64_t start, int64_t size) {
      return 0 <= start && start <= size && 0 <= rows && rows <= size - start;
    };
    if (!fits(from_row, input_rows) || !fits(to_row, output_rows)) {
      return InvalidArgument(
          "%s: %d rows from %d to %d do not lie within the arrays of %d and %d rows", Name(), rows,
          from_row, to_row, input_rows, output_rows);
    }
    CopyRange(operand(0), member[0], from_row, operand(1), to, to_row, rows, 0);
    return absl::OkStatus();
  }
};

// ---- Numbers of the device

class OwnNumber : public runtime::LibraryKernel {
 public:
  explicit OwnNumber(bool of_partition) : of_partition_(of_partition) {}

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    const runtime::Device& device = environment.device;
    const uint32_t number =
        static_cast<uint32_t>(of_partition_ ? device.partition() : device.replica());
    std::memcpy(arrays[0], &number, sizeof number);
    return absl::OkStatus();
  }

 private:
  const bool of_partition_;
};

template <typename Kernel>
KernelOrStatus MakeCollective(const runtime::LibraryCall& call) {
  for (const Shape& shape : call.operands) {
    if (shape.is_static()) continue;
    return Unimplemented("%s %s: arrays with dynamic dimensions are not exchanged",
                         call.instruction.opcode(), call.instruction.name());
  }
  return std::make_unique<Kernel>(call);
}

}  // namespace

KernelOrStatus MakeAllGather(const runtime::LibraryCall& call) {
  return MakeCollective<AllGather>(call);
}
KernelOrStatus MakeAllReduce(const runtime::LibraryCall& call) {
  return MakeCollective<AllReduce>(call);
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
KernelOrStatus MakeReduceScatter(const runtime::LibraryCall& call) {
  return MakeCollective<ReduceScatter>(call);
}
KernelOrStatus MakePartitionId(const runtime::LibraryCall&) {
  return std::make_unique<OwnNumber>(/*of_partition=*/true);
}
KernelOrStatus MakeReplicaId(const runtime::LibraryCall&) {
  return std::make_unique<OwnNumber>(/*of_partition=*/false);
}

}  // namespace xla::cpu
