// Operations in which devices, the replicas and partitions of a program, exchange data.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "eval/frame.h"
#include "eval/replicas.h"
#include "eval/scalar_function.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

// ---- Who takes part

// What the ids in groups and pairs are.
enum class IdMode {
  kReplicas,              // of the device's own partition
  kPartitions,            // of the device's own replica
  kReplicasOfPartitions,  // replicas, each with all its partitions
  kDevices,
};

IdMode ModeOf(const HloInstruction& instruction) {
  if (!instruction.channel_id().has_value()) return IdMode::kReplicas;
  const Attributes& record = instruction.attributes();
  std::optional<bool> global;
  if (const auto* gather = dynamic_cast<const AllGatherAttributes*>(&record)) {
    global = gather->use_global_device_ids;
  } else if (const auto* reduce = dynamic_cast<const AllReduceAttributes*>(&record)) {
    global = reduce->use_global_device_ids;
  } else if (const auto* scatter = dynamic_cast<const ReduceScatterAttributes*>(&record)) {
    global = scatter->use_global_device_ids;
  }
  if (!global.has_value()) return IdMode::kPartitions;
  return *global ? IdMode::kDevices : IdMode::kReplicasOfPartitions;
}

int64_t IdCount(const Device& device, IdMode mode) {
  switch (mode) {
    case IdMode::kReplicas:
    case IdMode::kReplicasOfPartitions:
      return device.replicas;
    case IdMode::kPartitions:
      return device.partitions;
    case IdMode::kDevices:
      break;
  }
  return device.replicas * device.partitions;
}

int64_t OwnId(const Device& device, IdMode mode) {
  switch (mode) {
    case IdMode::kReplicas:
    case IdMode::kReplicasOfPartitions:
      return device.replica();
    case IdMode::kPartitions:
      return device.partition();
    case IdMode::kDevices:
      break;
  }
  return device.id;
}

// The devices that the ids stand for.
std::vector<int64_t> Devices(const Device& device, IdMode mode, absl::Span<const int64_t> ids) {
  std::vector<int64_t> devices;
  for (int64_t id : ids) {
    switch (mode) {
      case IdMode::kReplicas:
        devices.push_back(id * device.partitions + device.partition());
        break;
      case IdMode::kPartitions:
        devices.push_back(device.replica() * device.partitions + id);
        break;
      case IdMode::kReplicasOfPartitions:
        for (int64_t partition = 0; partition < device.partitions; ++partition)
          devices.push_back(id * device.partitions + partition);
        break;
      case IdMode::kDevices:
        devices.push_back(id);
        break;
    }
  }
  return devices;
}

absl::Status CheckId(const HloInstruction& instruction, int64_t id, int64_t count) {
  if (0 <= id && id < count) return absl::OkStatus();
  return InvalidArgument("%s %s names participant %d, but the program runs on %d",
                         HloOpcodeString(instruction.opcode()), instruction.name(), id, count);
}

// The group of this device, in its order; empty when it is in none.
absl::StatusOr<std::vector<int64_t>> GroupOf(const Device& device,
                                             const HloInstruction& instruction) {
  const IdMode mode = ModeOf(instruction);
  const int64_t count = IdCount(device, mode);
  const std::vector<ReplicaGroup>& groups = instruction.replica_groups();
  std::vector<int64_t> ids;
  for (int64_t id = 0; groups.empty() && id < count; ++id) ids.push_back(id);
  for (const ReplicaGroup& group : groups) {
    for (int64_t id : group.replica_ids()) HILO_RETURN_IF_ERROR(CheckId(instruction, id, count));
    if (absl::c_linear_search(group.replica_ids(), OwnId(device, mode)))
      ids.assign(group.replica_ids().begin(), group.replica_ids().end());
  }
  return Devices(device, mode, ids);
}

// A program made for several replicas or partitions means something else on fewer.
absl::Status CheckDeviceCount(const Device& device, const HloInstruction& instruction) {
  const HloModule* module = instruction.GetModule();
  if (module == nullptr) return absl::OkStatus();
  if (module->config().replica_count() <= device.replicas &&
      module->config().num_partitions() <= device.partitions) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      "%s %s belongs to a program for %d replicas of %d partitions, which runs on %d of %d",
      HloOpcodeString(instruction.opcode()), instruction.name(), module->config().replica_count(),
      module->config().num_partitions(), device.replicas, device.partitions);
}

// ---- Exchange

// What all members of the device's group have as operands.
struct Exchanged {
  Contributions contributions;
  int64_t position;  // of this device in its group

  int64_t size() const { return static_cast<int64_t>(contributions->size()); }
  const Literal& operator()(int64_t member, int64_t operand) const {
    return (*contributions)[member][operand];
  }
};

absl::StatusOr<Exchanged> Exchange(Frame& frame, const HloInstruction& instruction,
                                   const std::vector<int64_t>& participants) {
  const Device& device = frame.evaluator().options().device;
  Contribution own;
  for (const Value& operand : frame.operands()) {
    if (!operand.array().shape().is_static()) {
      return Unimplemented("%s %s: arrays with dynamic dimensions are not exchanged",
                           HloOpcodeString(instruction.opcode()), instruction.name());
    }
    own.push_back(operand.array().Clone());
  }
  const int64_t position = absl::c_find(participants, device.id) - participants.begin();
  if (participants.size() == 1) {
    auto alone = std::make_shared<std::vector<Contribution>>();
    alone->push_back(std::move(own));
    return Exchanged{std::move(alone), position};
  }
  HILO_ASSIGN_OR_RETURN(
      Contributions contributions,
      device.rendezvous->Meet(device.id, instruction, participants, std::move(own)));
  return Exchanged{std::move(contributions), position};
}

absl::StatusOr<Exchanged> ExchangeInGroup(Frame& frame, const HloInstruction& instruction) {
  const Device& device = frame.evaluator().options().device;
  HILO_RETURN_IF_ERROR(CheckDeviceCount(device, instruction));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> group, GroupOf(device, instruction));
  if (group.empty()) {
    return InvalidArgument("%s %s: device %d is in none of the replica_groups",
                           HloOpcodeString(instruction.opcode()), instruction.name(), device.id);
  }
  return Exchange(frame, instruction, group);
}

// ---- Results

// One array, or a tuple of several, in the element types of `shape`.
absl::StatusOr<Value> ToValue(std::vector<Literal> results, const Shape& shape) {
  std::vector<Value> values;
  for (size_t k = 0; k < results.size(); ++k) {
    const Shape& declared = shape.IsTuple() ? shape.tuple_shapes(static_cast<int>(k)) : shape;
    if (results[k].shape().element_type() != declared.element_type()) {
      HILO_ASSIGN_OR_RETURN(results[k], results[k].Convert(declared.element_type()));
    }
    values.emplace_back(std::move(results[k]));
  }
  return shape.IsTuple() ? Value(std::move(values)) : std::move(values[0]);
}

// Copies `length` places of one dimension; the arrays are equally long in all others.
void CopyRange(const Literal& from, int64_t from_start, Literal& to, int64_t to_start,
               int64_t length, int64_t dimension) {
  int64_t outer = 1;
  for (int64_t d = 0; d < dimension; ++d) outer *= from.shape().dimensions(d);
  int64_t inner = FormatOf(from.shape().element_type()).bytes;
  for (int64_t d = dimension + 1; d < from.shape().dimensions_size(); ++d)
    inner *= from.shape().dimensions(d);
  if (outer == 0 || inner == 0 || length == 0) return;
  const int64_t from_row = from.shape().dimensions(dimension) * inner;
  const int64_t to_row = to.shape().dimensions(dimension) * inner;
  for (int64_t row = 0; row < outer; ++row) {
    std::memcpy(MutableData(to) + row * to_row + to_start * inner,
                Data(from) + row * from_row + from_start * inner, length * inner);
  }
}

// An array like `like`, but of another size in one dimension.
absl::StatusOr<Literal> MakeResized(const Literal& like, int64_t dimension, int64_t size) {
  DimensionVector dimensions(like.shape().dimensions().begin(), like.shape().dimensions().end());
  dimensions[dimension] = size;
  return MakeArray(like.shape().element_type(), dimensions);
}

// Where the groups are not written out, the verifier cannot know their size.
absl::Status CheckSize(const HloInstruction& instruction, bool fits, int64_t size) {
  if (fits) return absl::OkStatus();
  return InvalidArgument("%s %s has operands or a result that do not fit a group of %d devices",
                         HloOpcodeString(instruction.opcode()), instruction.name(), size);
}

// ---- Reduction

// results = computation(results..., elements...), element by element.
absl::Status Fold(ScalarFunction& function, absl::Span<Literal> results,
                  absl::Span<const Literal> elements) {
  const size_t count = results.size();
  std::vector<const char*> arguments(2 * count);
  std::vector<char*> destinations(count);
  for (int64_t i = 0; i < results[0].element_count(); ++i) {
    for (size_t k = 0; k < count; ++k) {
      const int64_t offset = i * FormatOf(results[k].shape().element_type()).bytes;
      destinations[k] = MutableData(results[k]) + offset;
      arguments[k] = destinations[k];
      arguments[count + k] = Data(elements[k]) + offset;
    }
    HILO_RETURN_IF_ERROR(function(arguments, absl::MakeSpan(destinations)));
  }
  return absl::OkStatus();
}

// The operands of one device in the types of the computation, which may be wider or narrower.
absl::StatusOr<std::vector<Literal>> InTypesOf(const HloComputation& computation,
                                               const Contribution& operands) {
  const bool together = computation.num_parameters() == 2 * static_cast<int64_t>(operands.size());
  std::vector<Literal> converted;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Shape& parameter = computation.parameter_instruction(together ? k : 0)->shape();
    HILO_ASSIGN_OR_RETURN(converted.emplace_back(), operands[k].Convert(parameter.element_type()));
  }
  return converted;
}

// A computation whose parameters and result differ in precision has no type to fold in.
absl::Status CheckReducer(const HloInstruction& instruction, bool together) {
  const HloComputation& computation = *instruction.to_apply();
  const Shape& result = computation.root_instruction()->shape();
  const int64_t count = computation.num_parameters() / 2;
  for (int64_t k = 0; k < count; ++k) {
    const PrimitiveType type =
        (result.IsTuple() ? result.tuple_shapes(static_cast<int>(k)) : result).element_type();
    for (int64_t parameter : {k, count + k}) {
      if (computation.parameter_instruction(parameter)->shape().element_type() != type) {
        return Unimplemented("%s %s: computation %s has parameters and results of different types",
                             HloOpcodeString(instruction.opcode()), instruction.name(),
                             computation.name());
      }
    }
  }
  for (int64_t k = 1; together && k < instruction.operand_count(); ++k) {
    if (!ShapeUtil::SameDimensions(instruction.operand(0)->shape(),
                                   instruction.operand(k)->shape())) {
      return InvalidArgument("%s %s: operands that are reduced together must be of one size",
                             HloOpcodeString(instruction.opcode()), instruction.name());
    }
  }
  return absl::OkStatus();
}

// The operands of all members, reduced in the order of the group.
absl::StatusOr<std::vector<Literal>> ReduceOverGroup(Frame& frame,
                                                     const HloInstruction& instruction,
                                                     const Exchanged& exchanged) {
  const HloComputation& computation = *instruction.to_apply();
  const size_t count = static_cast<size_t>(frame.operand_count());
  const bool together = count > 1 && computation.num_parameters() != 2;
  HILO_RETURN_IF_ERROR(CheckReducer(instruction, together));
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> results,
                        InTypesOf(computation, (*exchanged.contributions)[0]));
  ScalarFunction function(frame.evaluator(), computation);
  for (int64_t member = 1; member < exchanged.size(); ++member) {
    HILO_ASSIGN_OR_RETURN(const std::vector<Literal> elements,
                          InTypesOf(computation, (*exchanged.contributions)[member]));
    const size_t at_once = together ? count : 1;
    for (size_t k = 0; k < count; k += at_once) {
      HILO_RETURN_IF_ERROR(Fold(function, absl::MakeSpan(results).subspan(k, at_once),
                                absl::MakeConstSpan(elements).subspan(k, at_once)));
    }
  }
  return results;
}

// ---- Shared by an operation and its asynchronous form

absl::StatusOr<Value> Gather(Frame& frame, const HloInstruction& instruction, const Shape& shape) {
  const int64_t dimension = instruction.attributes_as<AllGatherAttributes>().dimension;
  HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(frame, instruction));
  std::vector<Literal> results;
  for (int64_t k = 0; k < frame.operand_count(); ++k) {
    const int64_t length = frame.array(k).shape().dimensions(dimension);
    const Shape& declared = shape.IsTuple() ? shape.tuple_shapes(static_cast<int>(k)) : shape;
    HILO_RETURN_IF_ERROR(CheckSize(instruction,
                                   declared.dimensions(dimension) == length * exchanged.size(),
                                   exchanged.size()));
    HILO_ASSIGN_OR_RETURN(results.emplace_back(),
                          MakeResized(frame.array(k), dimension, length * exchanged.size()));
    for (int64_t member = 0; member < exchanged.size(); ++member)
      CopyRange(exchanged(member, k), 0, results.back(), member * length, length, dimension);
  }
  return ToValue(std::move(results), shape);
}

absl::StatusOr<Value> Permute(Frame& frame, const HloInstruction& instruction, const Shape& shape) {
  const auto& attributes = instruction.attributes_as<CollectivePermuteAttributes>();
  if (!attributes.slice_sizes.empty()) {
    return Unimplemented("%s %s: slice_sizes are not evaluated",
                         HloOpcodeString(instruction.opcode()), instruction.name());
  }
  const Device& device = frame.evaluator().options().device;
  HILO_RETURN_IF_ERROR(CheckDeviceCount(device, instruction));
  const IdMode mode = ModeOf(instruction);
  std::vector<int64_t> ids;
  std::optional<int64_t> source_id;
  for (const auto& [source, target] : attributes.source_target_pairs) {
    for (int64_t id : {source, target}) {
      HILO_RETURN_IF_ERROR(CheckId(instruction, id, IdCount(device, mode)));
      if (!absl::c_linear_search(ids, id)) ids.push_back(id);
    }
    if (target == OwnId(device, mode)) source_id = source;
  }
  if (!absl::c_linear_search(ids, OwnId(device, mode))) return ZeroValue(shape);
  HILO_ASSIGN_OR_RETURN(const Exchanged exchanged,
                        Exchange(frame, instruction, Devices(device, mode, ids)));
  if (!source_id.has_value()) return ZeroValue(shape);
  const int64_t source = absl::c_find(ids, *source_id) - ids.begin();
  std::vector<Literal> results;
  for (int64_t k = 0; k < frame.operand_count(); ++k)
    results.push_back(exchanged(source, k).Clone());
  return ToValue(std::move(results), shape);
}

// What a start hands to its done: the operands, the result, contexts.
absl::StatusOr<Value> StartTuple(std::vector<Value> operands, Value result, const Shape& shape) {
  Value sent = operands.size() == 1 ? std::move(operands[0]) : Value(std::move(operands));
  return FillTuple({std::move(sent), std::move(result)}, shape);
}

std::vector<Value> Operands(Frame& frame) {
  return {frame.operands().begin(), frame.operands().end()};
}

absl::StatusOr<Value> IdValue(int64_t id, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(Literal value, MakeArray(instruction.shape()));
  const uint32_t number = static_cast<uint32_t>(id);
  std::memcpy(MutableData(value), &number, sizeof number);
  return Value(std::move(value));
}

}  // namespace

absl::StatusOr<Value> AllGather(Frame& frame, const HloInstruction& instruction) {
  return Gather(frame, instruction, instruction.shape());
}

absl::StatusOr<Value> AllGatherStart(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(Value gathered,
                        Gather(frame, instruction, instruction.shape().tuple_shapes(1)));
  return StartTuple(Operands(frame), std::move(gathered), instruction.shape());
}

absl::StatusOr<Value> AllGatherDone(Frame& frame, const HloInstruction&) {
  Value start = frame.Take(0);
  return start.TakeElement(1);
}

absl::StatusOr<Value> AllReduce(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(frame, instruction));
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> results,
                        ReduceOverGroup(frame, instruction, exchanged));
  return ToValue(std::move(results), instruction.shape());
}

absl::StatusOr<Value> AllReduceStart(Frame& frame, const HloInstruction& instruction) {
  return AllReduce(frame, instruction);
}

absl::StatusOr<Value> AllReduceDone(Frame& frame, const HloInstruction&) { return frame.Take(0); }

// Block j of member i becomes block i of member j. Blocks are parts of the only operand, or the
// operands.
absl::StatusOr<Value> AllToAll(Frame& frame, const HloInstruction& instruction) {
  const std::optional<int64_t> dimension =
      instruction.attributes_as<AllToAllAttributes>().dimension;
  HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(frame, instruction));
  std::vector<Literal> results;
  if (!dimension.has_value()) {
    HILO_RETURN_IF_ERROR(
        CheckSize(instruction, frame.operand_count() == exchanged.size(), exchanged.size()));
    for (int64_t member = 0; member < exchanged.size(); ++member)
      results.push_back(exchanged(member, exchanged.position).Clone());
    return ToValue(std::move(results), instruction.shape());
  }
  const int64_t length = frame.array(0).shape().dimensions(*dimension);
  HILO_RETURN_IF_ERROR(CheckSize(instruction, length % exchanged.size() == 0, exchanged.size()));
  const int64_t block = length / exchanged.size();
  HILO_ASSIGN_OR_RETURN(results.emplace_back(), MakeArray(frame.array(0).shape()));
  for (int64_t member = 0; member < exchanged.size(); ++member) {
    CopyRange(exchanged(member, 0), exchanged.position * block, results[0], member * block, block,
              *dimension);
  }
  return ToValue(std::move(results), instruction.shape());
}

// The first of a group sends. Who is in no group gets zeros.
absl::StatusOr<Value> CollectiveBroadcast(Frame& frame, const HloInstruction& instruction) {
  if (instruction.attributes_as<CollectiveBroadcastAttributes>().has_dynamic_root) {
    return Unimplemented("%s %s: has_dynamic_root is not evaluated",
                         HloOpcodeString(instruction.opcode()), instruction.name());
  }
  const Device& device = frame.evaluator().options().device;
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> group, GroupOf(device, instruction));
  if (group.empty()) return ZeroValue(instruction.shape());
  HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(frame, instruction));
  std::vector<Literal> results;
  for (int64_t k = 0; k < frame.operand_count(); ++k) results.push_back(exchanged(0, k).Clone());
  return ToValue(std::move(results), instruction.shape());
}

absl::StatusOr<Value> CollectivePermute(Frame& frame, const HloInstruction& instruction) {
  return Permute(frame, instruction, instruction.shape());
}

absl::StatusOr<Value> CollectivePermuteStart(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(Value received,
                        Permute(frame, instruction, instruction.shape().tuple_shapes(1)));
  return StartTuple(Operands(frame), std::move(received), instruction.shape());
}

absl::StatusOr<Value> CollectivePermuteDone(Frame& frame, const HloInstruction&) {
  Value start = frame.Take(0);
  return start.TakeElement(1);
}

absl::StatusOr<Value> PartitionId(Frame& frame, const HloInstruction& instruction) {
  return IdValue(frame.evaluator().options().device.partition(), instruction);
}

absl::StatusOr<Value> ReplicaId(Frame& frame, const HloInstruction& instruction) {
  return IdValue(frame.evaluator().options().device.replica(), instruction);
}

// Member i gets block i of the reduction.
absl::StatusOr<Value> ReduceScatter(Frame& frame, const HloInstruction& instruction) {
  const int64_t dimension = instruction.attributes_as<ReduceScatterAttributes>().dimension;
  HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(frame, instruction));
  HILO_ASSIGN_OR_RETURN(const std::vector<Literal> reduced,
                        ReduceOverGroup(frame, instruction, exchanged));
  std::vector<Literal> results;
  for (size_t k = 0; k < reduced.size(); ++k) {
    const Shape& shape = instruction.shape();
    const int64_t block =
        (shape.IsTuple() ? shape.tuple_shapes(static_cast<int>(k)) : shape).dimensions(dimension);
    HILO_RETURN_IF_ERROR(
        CheckSize(instruction, reduced[k].shape().dimensions(dimension) == block * exchanged.size(),
                  exchanged.size()));
    HILO_ASSIGN_OR_RETURN(results.emplace_back(), MakeResized(reduced[k], dimension, block));
    CopyRange(reduced[k], exchanged.position * block, results.back(), 0, block, dimension);
  }
  return ToValue(std::move(results), instruction.shape());
}

// Operands: input, output, and for each peer (and each of equally many pieces that it gets) where
// in the input its rows begin, how many there are, and where in the peer's output they go. How many
// come follows from what the others send.
absl::StatusOr<Value> RaggedAllToAll(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(frame, instruction));
  const int64_t entries = frame.array(2).element_count();
  HILO_RETURN_IF_ERROR(CheckSize(instruction, entries % exchanged.size() == 0, exchanged.size()));
  const int64_t pieces = entries / exchanged.size();
  Literal result = frame.array(1).Clone();
  for (int64_t member = 0; member < exchanged.size(); ++member) {
    const auto entry = [&](int64_t operand, int64_t i) {
      const Literal& array = exchanged(member, operand);
      const Format& format = FormatOf(array.shape().element_type());
      int64_t value = 0;
      format.load(Data(array) + i * format.bytes, 0, 1, &value);
      return value;
    };
    const Literal& input = exchanged(member, 0);
    for (int64_t i = exchanged.position * pieces; i < (exchanged.position + 1) * pieces; ++i) {
      const int64_t from = entry(2, i), rows = entry(3, i), to = entry(4, i);
      const auto fits = [&](int64_t start, int64_t size) {
        return 0 <= start && start <= size && 0 <= rows && rows <= size - start;
      };
      if (!fits(from, input.shape().dimensions(0)) || !fits(to, result.shape().dimensions(0))) {
        return InvalidArgument(
            "%s %s: %d rows from %d to %d do not lie within the arrays of %d and %d rows",
            HloOpcodeString(instruction.opcode()), instruction.name(), rows, from, to,
            input.shape().dimensions(0), result.shape().dimensions(0));
      }
      CopyRange(input, from, result, to, rows, 0);
    }
  }
  std::vector<Literal> results;
  results.push_back(std::move(result));
  return ToValue(std::move(results), instruction.shape());
}

}  // namespace xla::eval
