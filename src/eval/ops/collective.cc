// Operations in which devices, the replicas and partitions of a program, exchange data.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "eval/exchange.h"
#include "eval/frame.h"
#include "eval/scalar_function.h"
#include "ir/records.h"
#include "runtime/participants.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

using runtime::Contribution;
using runtime::Device;

// ---- Who takes part

runtime::Participants ParticipantsOf(const HloInstruction& instruction) {
  const Attributes& record = instruction.attributes();
  std::optional<bool> global;
  if (const auto* gather = dynamic_cast<const AllGatherAttributes*>(&record)) {
    global = gather->use_global_device_ids;
  } else if (const auto* reduce = dynamic_cast<const AllReduceAttributes*>(&record)) {
    global = reduce->use_global_device_ids;
  } else if (const auto* scatter = dynamic_cast<const ReduceScatterAttributes*>(&record)) {
    global = scatter->use_global_device_ids;
  }
  return runtime::Participants(ExchangeOf(instruction), global);
}

absl::Status CheckDeviceCount(const Device& device, const HloInstruction& instruction) {
  const HloModule* module = instruction.GetModule();
  if (module == nullptr) return absl::OkStatus();
  return ParticipantsOf(instruction)
      .CheckDeviceCount(device, module->config().replica_count(),
                        module->config().num_partitions());
}

// ---- Exchange

// What all members of the device's group have as operands.
struct Exchanged {
  std::vector<Contribution> contributions;  // of each
  int64_t position;                         // of this device in its group

  int64_t size() const { return static_cast<int64_t>(contributions.size()); }
  const Literal& operator()(int64_t member, int64_t operand) const {
    return contributions[member][operand];
  }
};

absl::StatusOr<Exchanged> Exchange(const Device& device, const HloInstruction& instruction,
                                   const std::vector<int64_t>& participants, Contribution own) {
  const int64_t position = absl::c_find(participants, device.id) - participants.begin();
  HILO_ASSIGN_OR_RETURN(
      std::vector<Contribution> contributions,
      runtime::Gather(device, ExchangeOf(instruction), participants, std::move(own)));
  return Exchanged{std::move(contributions), position};
}

absl::StatusOr<Contribution> CopyOperands(Frame& frame, const HloInstruction& instruction) {
  Contribution copies;
  for (const Value& operand : frame.operands()) {
    if (!operand.array().shape().is_static()) {
      return Unimplemented("%s %s: arrays with dynamic dimensions are not exchanged",
                           HloOpcodeString(instruction.opcode()), instruction.name());
    }
    copies.push_back(operand.array().Clone());
  }
  return copies;
}

absl::StatusOr<Exchanged> ExchangeInGroup(Frame& frame, const HloInstruction& instruction) {
  const Device& device = frame.evaluator().options().device;
  HILO_RETURN_IF_ERROR(CheckDeviceCount(device, instruction));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> group,
                        ParticipantsOf(instruction).GroupOf(device, instruction.replica_groups()));
  if (group.empty()) {
    return InvalidArgument("%s %s: device %d is in none of the replica_groups",
                           HloOpcodeString(instruction.opcode()), instruction.name(), device.id);
  }
  HILO_ASSIGN_OR_RETURN(Contribution own, CopyOperands(frame, instruction));
  return Exchange(device, instruction, group, std::move(own));
}

// ---- Results

// One array, or a tuple of several, in the element types of `shape`.
absl::StatusOr<Value> ToDeclaredValue(std::vector<Literal> results, const Shape& shape) {
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

// results = computation(results..., added...), element by element.
absl::Status Fold(ScalarFunction& function, absl::Span<Literal> results,
                  absl::Span<const Literal> added) {
  const size_t count = results.size();
  std::vector<const char*> arguments(2 * count);
  std::vector<char*> destinations(count);
  for (int64_t i = 0; i < results[0].element_count(); ++i) {
    for (size_t k = 0; k < count; ++k) {
      const int64_t offset = i * FormatOf(results[k].shape().element_type()).bytes;
      destinations[k] = MutableData(results[k]) + offset;
      arguments[k] = destinations[k];
      arguments[count + k] = Data(added[k]) + offset;
    }
    HILO_RETURN_IF_ERROR(function(arguments, absl::MakeSpan(destinations)));
  }
  return absl::OkStatus();
}

absl::Status CheckReducedTogether(const HloInstruction& instruction) {
  for (int64_t k = 1; k < instruction.operand_count(); ++k) {
    if (!ShapeUtil::SameDimensions(instruction.operand(0)->shape(),
                                   instruction.operand(k)->shape())) {
      return InvalidArgument("%s %s: operands that are reduced together must be of one size",
                             HloOpcodeString(instruction.opcode()), instruction.name());
    }
  }
  return absl::OkStatus();
}

// The operands of all members, reduced in the order of the group: all operands at once or, where
// the computation takes two arguments, one after the other.
absl::StatusOr<std::vector<Literal>> ReduceOverGroup(Frame& frame,
                                                     const HloInstruction& instruction,
                                                     const Exchanged& exchanged) {
  const HloComputation& computation = *instruction.to_apply();
  const size_t count = static_cast<size_t>(frame.operand_count());
  const bool together = count > 1 && computation.num_parameters() != 2;
  if (together) HILO_RETURN_IF_ERROR(CheckReducedTogether(instruction));
  std::vector<Literal> results;
  for (const Literal& first : exchanged.contributions[0]) results.push_back(first.Clone());
  ScalarFunction function(frame.evaluator(), computation);
  for (int64_t member = 1; member < exchanged.size(); ++member) {
    const Contribution& added = exchanged.contributions[member];
    const size_t at_once = together ? count : 1;
    for (size_t k = 0; k < count; k += at_once) {
      HILO_RETURN_IF_ERROR(Fold(function, absl::MakeSpan(results).subspan(k, at_once),
                                absl::MakeConstSpan(added).subspan(k, at_once)));
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
  return ToDeclaredValue(std::move(results), shape);
}

absl::StatusOr<Value> PermuteWhole(Frame& frame, const HloInstruction& instruction,
                                   const Shape& shape) {
  const auto& pairs = instruction.attributes_as<CollectivePermuteAttributes>().source_target_pairs;
  const Device& device = frame.evaluator().options().device;
  const runtime::Participants participants = ParticipantsOf(instruction);
  const int64_t own_id = participants.OwnId(device);
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> ids, participants.IdsIn(device, pairs));
  if (!absl::c_linear_search(ids, own_id)) return ZeroValue(shape);
  HILO_ASSIGN_OR_RETURN(Contribution own, CopyOperands(frame, instruction));
  HILO_ASSIGN_OR_RETURN(
      const Exchanged exchanged,
      Exchange(device, instruction, participants.Devices(device, ids), std::move(own)));
  const auto pair = absl::c_find_if(pairs, [&](const auto& pair) { return pair.second == own_id; });
  if (pair == pairs.end()) return ZeroValue(shape);
  const int64_t source = absl::c_find(ids, pair->first) - ids.begin();
  std::vector<Literal> results;
  for (int64_t k = 0; k < frame.operand_count(); ++k)
    results.push_back(exchanged(source, k).Clone());
  return ToDeclaredValue(std::move(results), shape);
}

// ---- Permutation of slices
//
// Operands: input, output, where slices begin in the input, and where in the output. Input and
// output are arrays or tuples of as many arrays; slice_sizes has equally many sizes for each array,
// and the starts are scalars, tuples of tuples in the order (array, slice, dimension). The pairs
// are divided into as many equal parts as an array has slices: part j says where slices j go. The
// target puts a slice to the place that its own starts say; what it does not get it leaves as it
// is.

std::vector<Value> Arrays(const Value& value) {
  if (!value.IsTuple()) return {value};
  return {value.elements().begin(), value.elements().end()};
}

void CollectScalars(const Value& value, std::vector<int64_t>& scalars, bool& are_integers) {
  if (value.IsTuple()) {
    for (const Value& element : value.elements()) CollectScalars(element, scalars, are_integers);
    return;
  }
  are_integers &= value.IsArray() && value.array().shape().dimensions_size() == 0 &&
                  primitive_util::IsIntegralType(value.array().shape().element_type());
  if (!are_integers) return;
  const Format& format = FormatOf(value.array().shape().element_type());
  format.load(Data(value.array()), 0, 1, &scalars.emplace_back());
}

// One slice of one array.
struct SlicePlace {
  int64_t array;
  absl::Span<const int64_t> sizes;
  DimensionVector input_start;
  DimensionVector output_start;
};

class SlicePlaces {
 public:
  static absl::StatusOr<SlicePlaces> Make(Frame& frame, const HloInstruction& instruction) {
    SlicePlaces result;
    result.inputs = Arrays(frame.operand(0));
    result.outputs = Arrays(frame.operand(1));
    const auto& sizes = instruction.attributes_as<CollectivePermuteAttributes>().slice_sizes;
    const size_t arrays = result.inputs.size();
    std::vector<int64_t> starts[2];
    const auto is_array = [](const Value& value) { return value.IsArray(); };
    bool fits = arrays > 0 && result.outputs.size() == arrays && sizes.size() % arrays == 0 &&
                absl::c_all_of(result.inputs, is_array) && absl::c_all_of(result.outputs, is_array);
    for (int i : {0, 1}) CollectScalars(frame.operand(2 + i), starts[i], fits);
    size_t next = 0;
    for (size_t k = 0; fits && k < sizes.size(); ++k) {
      const size_t array = k / (sizes.size() / arrays);
      fits = result.Add(static_cast<int64_t>(array), sizes[k], starts, next);
    }
    fits = fits && next == starts[0].size() && next == starts[1].size();
    if (fits) return result;
    return InvalidArgument(
        "%s %s: slice_sizes, the starts of slices, input and output do not fit each other",
        HloOpcodeString(instruction.opcode()), instruction.name());
  }

  std::vector<Value> inputs, outputs;
  std::vector<SlicePlace> places;  // all of an array, then all of the next

 private:
  // False when the slice does not fit. Starts are moved so that it lies within the array.
  bool Add(int64_t array, const Int64List& sizes, const std::vector<int64_t> (&starts)[2],
           size_t& next) {
    const Shape& input = inputs[array].array().shape();
    const Shape& output = outputs[array].array().shape();
    const size_t rank = input.dimensions_size();
    if (sizes.size() != rank || output.dimensions_size() != static_cast<int>(rank) ||
        input.element_type() != output.element_type() || !input.is_static() ||
        !output.is_static() || starts[0].size() < next + rank || starts[1].size() < next + rank) {
      return false;
    }
    SlicePlace place = {array, sizes, {}, {}};
    for (size_t d = 0; d < rank; ++d, ++next) {
      const int64_t in = input.dimensions(d) - sizes[d], out = output.dimensions(d) - sizes[d];
      if (sizes[d] < 0 || in < 0 || out < 0) return false;
      place.input_start.push_back(std::clamp<int64_t>(starts[0][next], 0, in));
      place.output_start.push_back(std::clamp<int64_t>(starts[1][next], 0, out));
    }
    places.push_back(std::move(place));
    return true;
  }
};

// All slices, for whoever wants them.
absl::StatusOr<Contribution> CopySlices(const SlicePlaces& slices) {
  Contribution copies;
  for (const SlicePlace& place : slices.places) {
    const Literal& input = slices.inputs[place.array].array();
    HILO_ASSIGN_OR_RETURN(Literal copy, MakeArray(input.shape().element_type(), place.sizes));
    HILO_RETURN_IF_ERROR(copy.CopySliceFrom(input, place.input_start,
                                            DimensionVector(place.sizes.size(), 0), place.sizes));
    copies.push_back(std::move(copy));
  }
  return copies;
}

absl::StatusOr<Value> PermuteSlices(Frame& frame, const HloInstruction& instruction) {
  const auto& pairs = instruction.attributes_as<CollectivePermuteAttributes>().source_target_pairs;
  HILO_ASSIGN_OR_RETURN(SlicePlaces slices, SlicePlaces::Make(frame, instruction));
  const size_t parts = slices.places.size() / slices.inputs.size();
  if (parts == 0 || pairs.size() % parts != 0) {
    return InvalidArgument("%s %s: %d source_target_pairs cannot be divided among %d slices",
                           HloOpcodeString(instruction.opcode()), instruction.name(), pairs.size(),
                           parts);
  }
  const Device& device = frame.evaluator().options().device;
  const runtime::Participants participants = ParticipantsOf(instruction);
  const int64_t own_id = participants.OwnId(device);
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> ids, participants.IdsIn(device, pairs));
  std::vector<Literal> results;
  for (const Value& output : slices.outputs) results.push_back(output.array().Clone());
  if (absl::c_linear_search(ids, own_id)) {
    HILO_ASSIGN_OR_RETURN(Contribution own, CopySlices(slices));
    HILO_ASSIGN_OR_RETURN(
        const Exchanged exchanged,
        Exchange(device, instruction, participants.Devices(device, ids), std::move(own)));
    for (size_t k = 0; k < slices.places.size(); ++k) {
      const SlicePlace& place = slices.places[k];
      const size_t part = k % parts, pairs_of_part = pairs.size() / parts;
      for (size_t i = part * pairs_of_part; i < (part + 1) * pairs_of_part; ++i) {
        if (pairs[i].second != own_id) continue;
        const int64_t source = absl::c_find(ids, pairs[i].first) - ids.begin();
        HILO_RETURN_IF_ERROR(results[place.array].CopySliceFrom(
            exchanged(source, static_cast<int64_t>(k)), DimensionVector(place.sizes.size(), 0),
            place.output_start, place.sizes));
      }
    }
  }
  return ToDeclaredValue(std::move(results), instruction.operand(1)->shape());
}

absl::StatusOr<Value> Permute(Frame& frame, const HloInstruction& instruction, const Shape& shape) {
  HILO_RETURN_IF_ERROR(CheckDeviceCount(frame.evaluator().options().device, instruction));
  if (instruction.attributes_as<CollectivePermuteAttributes>().slice_sizes.empty())
    return PermuteWhole(frame, instruction, shape);
  return PermuteSlices(frame, instruction);
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
  return ToDeclaredValue(std::move(results), instruction.shape());
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
    return ToDeclaredValue(std::move(results), instruction.shape());
  }
  const int64_t length = frame.array(0).shape().dimensions(*dimension);
  HILO_RETURN_IF_ERROR(CheckSize(instruction, length % exchanged.size() == 0, exchanged.size()));
  const int64_t block = length / exchanged.size();
  HILO_ASSIGN_OR_RETURN(results.emplace_back(), MakeArray(frame.array(0).shape()));
  for (int64_t member = 0; member < exchanged.size(); ++member) {
    CopyRange(exchanged(member, 0), exchanged.position * block, results[0], member * block, block,
              *dimension);
  }
  return ToDeclaredValue(std::move(results), instruction.shape());
}

// The first of a group sends, or the one at the position that the last operand says, which must be
// the same on all. Who is in no group gets zeros.
absl::StatusOr<Value> CollectiveBroadcast(Frame& frame, const HloInstruction& instruction) {
  const bool has_dynamic_root =
      instruction.attributes_as<CollectiveBroadcastAttributes>().has_dynamic_root;
  const Device& device = frame.evaluator().options().device;
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> group,
                        ParticipantsOf(instruction).GroupOf(device, instruction.replica_groups()));
  if (group.empty()) return ZeroValue(instruction.shape());
  const int64_t arrays = frame.operand_count() - has_dynamic_root;
  if (has_dynamic_root &&
      !primitive_util::IsIntegralType(frame.array(arrays).shape().element_type())) {
    return Unimplemented("%s %s: a root that is no integer but %s",
                         HloOpcodeString(instruction.opcode()), instruction.name(),
                         ShapeUtil::HumanString(frame.array(arrays).shape()));
  }
  const int64_t root = has_dynamic_root ? frame.Integer(arrays) : 0;
  HILO_ASSIGN_OR_RETURN(const Exchanged exchanged, ExchangeInGroup(frame, instruction));
  bool is_right = 0 <= root && root < exchanged.size();
  for (int64_t member = 0; has_dynamic_root && member < exchanged.size(); ++member)
    is_right &= exchanged(member, arrays) == frame.array(arrays);
  if (!is_right) {
    return InvalidArgument(
        "%s %s: the root must be the same position in the group of %d on all devices, not %d on "
        "device %d",
        HloOpcodeString(instruction.opcode()), instruction.name(), exchanged.size(), root,
        device.id);
  }
  std::vector<Literal> results;
  for (int64_t k = 0; k < arrays; ++k) results.push_back(exchanged(root, k).Clone());
  return ToDeclaredValue(std::move(results), instruction.shape());
}

absl::StatusOr<Value> CollectivePermute(Frame& frame, const HloInstruction& instruction) {
  return Permute(frame, instruction, instruction.shape());
}

absl::StatusOr<Value> CollectivePermuteStart(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(Value received,
                        Permute(frame, instruction, instruction.shape().tuple_shapes(1)));
  std::vector<Value> sent = Operands(frame);
  if (!instruction.attributes_as<CollectivePermuteAttributes>().slice_sizes.empty()) sent.resize(1);
  return StartTuple(std::move(sent), std::move(received), instruction.shape());
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
  return ToDeclaredValue(std::move(results), instruction.shape());
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
  return ToDeclaredValue(std::move(results), instruction.shape());
}

}  // namespace xla::eval
