// Programs with shardings, as what each of their devices does. Instructions follow each other as
// they did; each becomes what it is on parts of its operands, which are sent where they are needed
// in another tiling than the one they have. What cannot be done on parts all devices do on the
// whole.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "ir/copy_instructions.h"
#include "ir/graph.h"
#include "ir/op_info.h"
#include "passes/graph_builder.h"
#include "passes/partition/call_partitioner.h"
#include "passes/partition/combine.h"
#include "passes/partition/halo.h"
#include "passes/partition/indexed.h"
#include "passes/partition/local.h"
#include "passes/partition/loop_map.h"
#include "passes/partition/one_device.h"
#include "passes/partition/propagate.h"
#include "passes/partition/reshard.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_clone_context.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

// A device's part of an array of shape `whole`, which is that of an instruction of the module as it
// was before.
struct Value {
  Part part;
  const Shape* whole;
};
using Values = absl::InlinedVector<Value, 1>;
using Instructions = absl::InlinedVector<HloInstruction*, 4>;

// The tuple of that form with these leaves.
HloInstruction* PackLeaves(GraphBuilder& graph, const Shape& form,
                           absl::Span<HloInstruction* const> leaves, size_t& next) {
  if (!form.IsTuple()) return leaves[next++];
  Instructions parts;
  for (const Shape& part : form.tuple_shapes())
    parts.push_back(PackLeaves(graph, part, leaves, next));
  return graph.Tuple(parts);
}

void UnpackLeaves(GraphBuilder& graph, HloInstruction& value, Instructions& leaves) {
  if (!value.shape().IsTuple()) {
    leaves.push_back(&value);
    return;
  }
  for (int64_t i = 0; i < value.shape().tuple_shapes_size(); ++i)
    UnpackLeaves(graph, *graph.Part(&value, i), leaves);
}

class Partitioner {
 public:
  Partitioner(HloModule& module, DeviceAxes& axes, const LoopMaps& maps, const Tilings& tilings)
      : module_(module),
        axes_(axes),
        maps_(maps),
        tilings_(tilings),
        resharder_(axes),
        halo_(axes, resharder_) {}

  absl::Status Run() {
    for (HloComputation* computation : module_.computations())
      orders_[computation] = computation->MakeInstructionPostOrder();
    const int64_t count = module_.instruction_count();
    values_.reserve(count);
    old_.reserve(count);
    HloComputation& entry = *module_.entry_computation();
    for (HloInstruction* parameter : entry.parameter_instructions()) DivideParameter(*parameter);
    HILO_RETURN_IF_ERROR(DivideComputation(entry, tilings_.outputs()));
    for (const auto& [old, local] : old_) {
      if (local != nullptr) local->set_name(std::string(old->name()));
    }
    for (HloComputation* computation : module_.computations()) {
      computation->RemoveInstructionsIf(
          [&](const HloInstruction* instruction) { return old_.contains(instruction); });
    }
    return resharder_.ScatterSums();
  }

 private:
  HloInstruction* Bring(const Value& value, const Tiling& tiling) {
    return resharder_.Reshard(value.part, *value.whole, tiling);
  }
  HloInstruction* BringWhole(const Value& value) {
    const Tiling& own = value.part.tiling;
    return Bring(value, Tiling::Whole(static_cast<int64_t>(own.dimensions.size()), own.manual));
  }
  const Value& ValueOf(const HloInstruction& array) const { return values_.at(&array)[0]; }

  // The parts of `values` in these tilings, as a value of the form of `shape`.
  HloInstruction* Pack(GraphBuilder& graph, const Shape& shape, const Values& values,
                       absl::Span<const Tiling> tilings) {
    Instructions leaves;
    for (size_t i = 0; i < values.size(); ++i) leaves.push_back(Bring(values[i], tilings[i]));
    size_t next = 0;
    return PackLeaves(graph, shape, leaves, next);
  }
  Values Unpack(GraphBuilder& graph, HloInstruction& value, const Shape& whole,
                absl::Span<const Tiling> tilings) {
    Instructions leaves;
    UnpackLeaves(graph, value, leaves);
    const auto shapes = LeavesOf(whole);
    Values values;
    for (size_t i = 0; i < leaves.size(); ++i)
      values.push_back({{leaves[i], tilings[i]}, shapes[i]});
    return values;
  }

  void DivideParameter(HloInstruction& parameter) {
    const TilingList& tilings = tilings_.of(parameter);
    const Shape& whole = shapes_of_parameters_.emplace_back(parameter.shape());
    size_t leaf = 0;
    ShapeUtil::ForEachMutableSubshape(parameter.mutable_shape(),
                                      [&](Shape* part, const ShapeIndex&) {
                                        if (part->IsTuple()) return;
                                        const Tiling& tiling = tilings[leaf++];
                                        if (part->IsArray()) *part = axes_.PartShape(*part, tiling);
                                      });
    GraphBuilder graph(parameter);
    values_[&parameter] = Unpack(graph, parameter, whole, tilings);
  }

  // The parameter of a loop's or branch's computation becomes a value of that shape.
  void SetParameter(HloComputation& computation, const Shape& shape,
                    absl::Span<const Tiling> tilings) {
    HloInstruction& parameter = *computation.parameter_instruction(0);
    const Shape& whole = shapes_of_parameters_.emplace_back(parameter.shape());
    *parameter.mutable_shape() = shape;
    GraphBuilder graph(parameter);
    values_[&parameter] = Unpack(graph, parameter, whole, tilings);
  }

  // Its parameters have their values. The root's arrays get these tilings.
  absl::Status DivideComputation(HloComputation& computation, absl::Span<const Tiling> results) {
    HloInstruction& root = *computation.root_instruction();
    for (HloInstruction* instruction : orders_.at(&computation)) {
      if (instruction->opcode() == HloOpcode::kParameter) continue;
      HILO_ASSIGN_OR_RETURN(Values values, Divide(*instruction));
      values_[instruction] = std::move(values);
      old_.try_emplace(instruction, nullptr);
      if (!instruction->control_predecessors().empty())
        HILO_RETURN_IF_ERROR(KeepOrder(*instruction));
    }
    GraphBuilder graph(root);
    HloInstruction* const packed = Pack(graph, root.shape(), values_.at(&root), results);
    computation.set_root_instruction(packed, /*accept_different_shape=*/true);
    return absl::OkStatus();
  }

  // What had to come before the instruction comes before what is in its place.
  absl::Status KeepOrder(const HloInstruction& instruction) {
    HloInstruction* const local = old_.at(&instruction);
    if (local == nullptr) return absl::OkStatus();
    for (const HloInstruction* each : instruction.control_predecessors()) {
      const auto before = old_.find(each);
      if (before != old_.end() && before->second != nullptr)
        HILO_RETURN_IF_ERROR(before->second->AddControlDependencyTo(local));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Values> Divide(HloInstruction& instruction) {
    switch (instruction.opcode()) {
      case HloOpcode::kTuple: {
        Values values;
        for (const HloInstruction* operand : instruction.operands()) {
          const Values& part = values_.at(operand);
          values.insert(values.end(), part.begin(), part.end());
        }
        return values;
      }
      case HloOpcode::kGetTupleElement:
        return OfElement(instruction, values_.at(instruction.operand(0)));
      case HloOpcode::kOptimizationBarrier:
        return DivideBarrier(instruction);
      case HloOpcode::kWhile:
        return DivideWhile(instruction);
      case HloOpcode::kConditional:
        return DivideConditional(instruction);
      case HloOpcode::kCustomCall:
        if (instruction.operand_count() == 1 && instruction.shape().IsArray() &&
            instruction.operand(0)->shape().IsArray()) {
          if (instruction.IsCustomCall("Sharding")) return DivideConstraint(instruction);
          if (instruction.IsCustomCall("SPMDFullToShardShape")) return EnterRegion(instruction);
          if (instruction.IsCustomCall("SPMDShardToFullShape")) return LeaveRegion(instruction);
        }
        if (const auto partitioner = FindCallPartitioner(instruction.custom_call_target()))
          return LetDivide(*partitioner, instruction);
        return !maps_.of(instruction).IsUnknown() &&
                       (instruction.IsCustomCall("LayoutConstraint") ||
                        IsBatchPartitionable(instruction.custom_call_target()))
                   ? DoOnParts(instruction)
                   : DoOnWhole(instruction);
      default:
        return maps_.of(instruction).IsUnknown() || MovesCounter(instruction, side_effects_)
                   ? DoOnWhole(instruction)
                   : DoOnParts(instruction);
    }
  }

  TilingList OwnTilings(const HloInstruction& operand) const {
    TilingList tilings;
    for (const Value& value : values_.at(&operand)) tilings.push_back(value.part.tiling);
    return tilings;
  }

  Values DivideBarrier(HloInstruction& barrier) {
    GraphBuilder graph(barrier);
    const HloInstruction& operand = *barrier.operand(0);
    const TilingList tilings = OwnTilings(operand);
    HloInstruction* const packed = Pack(graph, barrier.shape(), values_.at(&operand), tilings);
    HloInstruction* const local =
        graph.Add(barrier.CloneWithNewOperands(packed->shape(), {packed}));
    return Unpack(graph, *local, barrier.shape(), tilings);
  }

  absl::StatusOr<Values> DivideWhile(HloInstruction& loop) {
    const TilingList& tilings = tilings_.of(loop);
    GraphBuilder graph(loop);
    HloInstruction* const initial = Pack(graph, loop.shape(), values_.at(loop.operand(0)), tilings);
    SetParameter(*loop.while_condition(), initial->shape(), tilings);
    HILO_RETURN_IF_ERROR(DivideComputation(*loop.while_condition(), {Tiling::Whole(0)}));
    SetParameter(*loop.while_body(), initial->shape(), tilings);
    HILO_RETURN_IF_ERROR(DivideComputation(*loop.while_body(), tilings));
    HloInstruction* const local = graph.Add(loop.CloneWithNewOperands(initial->shape(), {initial}));
    old_[&loop] = local;
    return Unpack(graph, *local, loop.shape(), tilings);
  }

  absl::StatusOr<Values> DivideConditional(HloInstruction& conditional) {
    const TilingList& tilings = tilings_.of(conditional);
    GraphBuilder graph(conditional);
    Instructions operands = {BringWhole(ValueOf(*conditional.operand(0)))};
    for (int branch = 0; branch < conditional.branch_count(); ++branch) {
      const HloInstruction& argument = *conditional.operand(branch + 1);
      const TilingList own = OwnTilings(argument);
      operands.push_back(Pack(graph, argument.shape(), values_.at(&argument), own));
      HloComputation& computation = *conditional.branch_computation(branch);
      SetParameter(computation, operands.back()->shape(), own);
      HILO_RETURN_IF_ERROR(DivideComputation(computation, tilings));
    }
    const Shape& shape = conditional.branch_computation(0)->root_instruction()->shape();
    HloInstruction* const local = graph.Add(conditional.CloneWithNewOperands(shape, operands));
    old_[&conditional] = local;
    return Unpack(graph, *local, conditional.shape(), tilings);
  }

  Values DivideConstraint(const HloInstruction& call) {
    const Tiling& tiling = tilings_.of(call)[0];
    return {{{Bring(ValueOf(*call.operand(0)), tiling), tiling}, &call.shape()}};
  }

  // What a tiling of the whole array is to the region: the same but for the region's own axes.
  static Tiling InRegion(const Tiling& whole, absl::Span<const AxisList> hidden,
                         const AxisList& manual) {
    Tiling part = whole;
    for (size_t i = 0; i < hidden.size(); ++i) {
      AxisList& axes = part.dimensions[i];
      axes.erase(axes.begin(), axes.begin() + static_cast<int64_t>(hidden[i].size()));
    }
    part.summands = Without(whole.summands, manual);
    part.manual = manual;
    return part;
  }

  absl::StatusOr<Values> EnterRegion(const HloInstruction& call) {
    const HloInstruction& whole = *call.operand(0);
    const AxisList& manual = tilings_.of(call)[0].manual;
    const Tiling& tiling = tilings_.of(whole)[0];
    HILO_ASSIGN_OR_RETURN(const AxisLists hidden, ManualAxes(call, *ValueOf(whole).whole,
                                                             call.shape(), tiling, manual, axes_));
    HloInstruction* const part = Bring(ValueOf(whole), tiling);
    return Values{{{part, InRegion(tiling, hidden, manual)}, &call.shape()}};
  }

  absl::StatusOr<Values> LeaveRegion(const HloInstruction& call) {
    const HloInstruction& part = *call.operand(0);
    const AxisList& manual = tilings_.of(part)[0].manual;
    const Tiling& tiling = tilings_.of(call)[0];
    HILO_ASSIGN_OR_RETURN(
        const AxisLists hidden,
        ManualAxes(call, call.shape(), *ValueOf(part).whole, tiling, manual, axes_));
    HloInstruction* const local = Bring(ValueOf(part), InRegion(tiling, hidden, manual));
    return Values{{{local, tiling}, &call.shape()}};
  }

  // What somebody else makes of the call.
  absl::StatusOr<Values> LetDivide(CallPartitioner& partitioner, HloInstruction& call) {
    std::vector<CallPartitioner::Value> around;
    for (const HloInstruction* operand : call.operands()) {
      const Value& value = ValueOf(*operand);
      if (!value.whole->IsArray())
        return Unimplemented("%s: only arrays are divided among devices", call.ToShortString());
      around.push_back({*value.whole, axes_.ShardingOf(tilings_.of(*operand)[0])});
    }
    std::vector<HloSharding> results;
    for (const Tiling& tiling : tilings_.of(call)) results.push_back(axes_.ShardingOf(tiling));
    const HloSharding result_sharding =
        call.shape().IsTuple() ? HloSharding::FlatTuple(results) : results[0];
    HILO_ASSIGN_OR_RETURN(DividedCall divided,
                          partitioner.Divide(call.raw_backend_config_string(), around,
                                             {call.shape(), result_sharding}));
    HILO_RETURN_IF_ERROR(InlineCalls(*divided.module).status());
    HloComputation& body = *divided.module->entry_computation();
    if (divided.operands.size() != around.size() || body.num_parameters() != call.operand_count()) {
      return InvalidArgument("%s is divided into a program of %d arguments", call.ToShortString(),
                             body.num_parameters());
    }
    std::vector<HloInstruction*> operands;
    for (int64_t i = 0; i < call.operand_count(); ++i) {
      const Value& value = ValueOf(*call.operand(i));
      HILO_ASSIGN_OR_RETURN(Tiling tiling,
                            axes_.TilingOf(divided.operands[i], value.whole->dimensions_size()));
      tiling.manual = value.part.tiling.manual;
      operands.push_back(Bring(value, tiling));
      if (!ShapeUtil::Compatible(operands.back()->shape(),
                                 body.parameter_instruction(i)->shape())) {
        return InvalidArgument(
            "%s is divided into a program whose argument %d is %s, not %s", call.ToShortString(), i,
            body.parameter_instruction(i)->shape().ToString(), operands.back()->shape().ToString());
      }
    }
    const auto wholes = LeavesOf(call.shape());
    TilingList tilings;
    for (size_t i = 0; i < wholes.size(); ++i) {
      const HloSharding& sharding =
          divided.result.IsTuple() ? divided.result.tuple_elements()[i] : divided.result;
      HILO_ASSIGN_OR_RETURN(Tiling tiling, axes_.TilingOf(sharding, wholes[i]->dimensions_size()));
      tiling.manual = tilings_.of(call)[i].manual;
      tilings.push_back(std::move(tiling));
    }
    GraphBuilder graph(call);
    HloInstruction* const result = CopyBody(graph, body, operands);
    if (CountLeaves(result->shape()) != static_cast<int64_t>(wholes.size())) {
      return InvalidArgument("%s is divided into a program that gives %s", call.ToShortString(),
                             result->shape().ToString());
    }
    return Unpack(graph, *result, call.shape(), tilings);
  }

  // Copies of the instructions of another module's computation, on these operands: the root's.
  HloInstruction* CopyBody(GraphBuilder& graph, HloComputation& body,
                           absl::Span<HloInstruction* const> operands) {
    HloCloneContext context(&module_);
    const CopiedInstructions copies = CopyInstructions(
        body, operands,
        [&](const HloInstruction& instruction, absl::Span<HloInstruction* const> own) {
          HloInstruction* const copy =
              graph.Add(instruction.CloneWithNewOperands(instruction.shape(), own));
          for (size_t i = 0; i < instruction.called_computations().size(); ++i) {
            copy->set_called_computation(
                static_cast<int64_t>(i),
                module_.DeepCloneComputation(instruction.called_computations()[i], &context));
          }
          return copy;
        });
    return copies.at(body.root_instruction());
  }

  absl::StatusOr<Values> DoOnWhole(HloInstruction& instruction) {
    GraphBuilder graph(instruction);
    Instructions operands;
    for (const HloInstruction* operand : instruction.operands()) {
      const auto made = made_.find(operand);
      if (made != made_.end()) {
        operands.push_back(made->second);
        continue;
      }
      Instructions leaves;
      for (const Value& value : values_.at(operand)) leaves.push_back(BringWhole(value));
      size_t next = 0;
      operands.push_back(PackLeaves(graph, operand->shape(), leaves, next));
    }
    HloInstruction* local =
        graph.Add(instruction.CloneWithNewOperands(instruction.shape(), operands));
    old_[&instruction] = local;
    // Devices draw random numbers of their own.
    if (MovesCounter(instruction, side_effects_))
      local = SendToAll(graph, *local, tilings_.of(instruction));
    made_[&instruction] = local;
    TilingList tilings;
    for (const Tiling& tiling : tilings_.of(instruction)) {
      tilings.push_back(
          Tiling::Whole(static_cast<int64_t>(tiling.dimensions.size()), tiling.manual));
    }
    return Unpack(graph, *local, instruction.shape(), tilings);
  }

  // The value as the first device has it.
  HloInstruction* SendToAll(GraphBuilder& graph, HloInstruction& value,
                            absl::Span<const Tiling> tilings) {
    Instructions leaves;
    UnpackLeaves(graph, value, leaves);
    for (size_t i = 0; i < leaves.size(); ++i) {
      const Shape& shape = leaves[i]->shape();
      if (shape.IsArray() && shape.is_static())
        leaves[i] = resharder_.SendToAll(graph, leaves[i], tilings[i].manual);
    }
    size_t next = 0;
    return PackLeaves(graph, value.shape(), leaves, next);
  }

  // What a device needs of an operand along a dimension. Slices are looked through where what they
  // are taken of is divided as the part needs it.
  RangeSource SourceOf(const HloInstruction& operand, size_t dimension, const PartOfWalk& part,
                       Tiling& tiling) {
    const int d = static_cast<int>(dimension);
    const HloInstruction* origin = &operand;
    int64_t offset = 0, start = 0;
    for (const HloInstruction* array = &operand; IsSliceAlong(*array, dimension);) {
      offset += array->slice_starts(d);
      array = array->operand(0);
      if (ValueOf(*array).part.tiling.dimensions[d] != part.axes) continue;
      origin = array;
      start = offset;
    }
    const Value& value = ValueOf(*origin);
    tiling.dimensions[d] = value.part.tiling.dimensions[d].empty() ? AxisList() : part.axes;
    return {Bring(value, tiling),
            !tiling.dimensions[d].empty(),
            value.whole->dimensions(d),
            start + part.first,
            start,
            start + ValueOf(operand).whole->dimensions(d)};
  }
  // Whether nothing but a range along that dimension is taken.
  bool IsSliceAlong(const HloInstruction& instruction, size_t dimension) const {
    if (instruction.opcode() != HloOpcode::kSlice) return false;
    const Shape& from = *ValueOf(*instruction.operand(0)).whole;
    for (int i = 0; i < from.dimensions_size(); ++i) {
      if (instruction.slice_strides(i) != 1 ||
          (i != static_cast<int>(dimension) &&
           from.dimensions(i) != instruction.shape().dimensions(i)))
        return false;
    }
    return true;
  }

  // An operand as a device's part of loops walks along it.
  HloInstruction* BringRanges(GraphBuilder& graph, const HloInstruction& instruction, size_t number,
                              const WalksOfOperand& walks, Tiling tiling) {
    const HloInstruction& operand = *instruction.operand(static_cast<int64_t>(number));
    const LoopMap& map = maps_.of(instruction);
    HloInstruction* outside = nullptr;
    const PrimitiveType type = operand.shape().element_type();
    if (map.outside == LoopMap::Outside::kZero) outside = resharder_.Zero(graph, type);
    if (map.outside == LoopMap::Outside::kIdentity)
      outside = IdentityOf(graph, map.combination, type);
    if (map.outside == LoopMap::Outside::kPadding)
      outside = BringWhole(ValueOf(*instruction.operand(1)));
    const Tiling& own = ValueOf(operand).part.tiling;
    for (size_t d = 0; d < walks.size(); ++d) {
      if (walks[d].has_value())
        tiling.dimensions[d] = own.dimensions[d].empty() ? AxisList() : walks[d]->axes;
    }
    HloInstruction* ranges = nullptr;
    for (size_t d = 0; d < walks.size(); ++d) {
      if (!walks[d].has_value()) continue;
      RangeSource source;
      if (ranges == nullptr) {
        source = SourceOf(operand, d, *walks[d], tiling);
      } else {
        const int64_t size = ValueOf(operand).whole->dimensions(static_cast<int>(d));
        source = {ranges, !tiling.dimensions[d].empty(), size, walks[d]->first, 0, size};
      }
      ranges = halo_.Fetch(graph,
                           {static_cast<int64_t>(d),
                            walks[d]->axes,
                            walks[d]->step,
                            walks[d]->count,
                            {source},
                            outside},
                           tiling);
      // From here on devices have different ranges.
      tiling.dimensions[d] = walks[d]->axes;
    }
    return ranges;
  }

  // The operands of a concatenation, as far as they lie in a device's part of it.
  HloInstruction* BringJoined(GraphBuilder& graph, const HloInstruction& concatenate,
                              const PartsOfWalks& walks, Tiling tiling) {
    const auto along = static_cast<size_t>(concatenate.dimensions(0));
    const PartOfWalk& first = *walks[0][along];
    Ranges ranges{concatenate.dimensions(0), first.axes, first.step, first.count, {}};
    for (int64_t i = 0; i < concatenate.operand_count(); ++i)
      ranges.sources.push_back(SourceOf(*concatenate.operand(i), along, *walks[i][along], tiling));
    tiling.dimensions[along] = first.axes;
    return halo_.Fetch(graph, ranges, tiling);
  }

  // Beyond the last turn of a loop whose turns are combined, there is nothing to combine.
  HloInstruction* KeepTurns(GraphBuilder& graph, const LoopMap& map, const LoopDivision& division,
                            size_t number, HloInstruction* operand) {
    for (size_t d = 0; d < map.operands[number].size(); ++d) {
      for (const int loop : map.operands[number][d]) {
        const int64_t size = map.loops[loop].size, places = axes_.size(division.loops[loop]);
        if (map.loops[loop].kind != LoopMap::Kind::kSum || size % places == 0) continue;
        const int64_t part_size = CeilOfRatio(size, places);
        std::vector<Interval> turns;
        for (int64_t place = 0; place < places; ++place)
          turns.push_back({0, std::clamp<int64_t>(size - place * part_size, 0, part_size)});
        operand = halo_.KeepWithin(
            graph, operand, IdentityOf(graph, map.combination, operand->shape().element_type()),
            static_cast<int64_t>(d), division.loops[loop], turns);
      }
    }
    return operand;
  }

  // A slice of few elements of a divided dimension, whose devices put together what they have of
  // it: as whole numbers, which keep all bits. Nothing where another way is as good.
  std::optional<Value> ShareFewElements(HloInstruction& slice, const LoopDivision& division,
                                        absl::Span<const Tiling> own) {
    if (slice.operand_count() == 0 || !slice.shape().IsArray()) return std::nullopt;
    const LoopMap& map = maps_.of(slice);
    const Value& array = ValueOf(*slice.operand(0));
    Tiling result = division.TilingOf(map.results[0], own[0].manual);
    result.summands = division.summands;
    const std::optional<int64_t> dimension =
        DimensionOfFewElements(slice, *array.whole, own[0], result, axes_);
    if (!dimension.has_value()) return std::nullopt;
    const AxisList& along = own[0].dimensions[*dimension];
    Tiling tiling = division.TilingOf(map.operands[0], own[0].manual);
    tiling.summands = division.summands;
    AxisList used = tiling.Used();
    const bool is_free = Without(along, used).size() == along.size();
    used.insert(used.end(), along.begin(), along.end());
    if (!is_free || !axes_.AreIndependent(std::move(used)) ||
        IsWalked(division.PartsOf(map, axes_)[0]))
      return std::nullopt;
    tiling.dimensions[*dimension] = along;
    GraphBuilder graph(slice);
    std::vector<HloInstruction*> operands = {Bring(array, tiling)};
    for (int64_t i = 1; i < slice.operand_count(); ++i)
      operands.push_back(BringWhole(ValueOf(*slice.operand(i))));
    HloInstruction* part = MakeOwnElements(graph, slice, axes_.PartShape(slice.shape(), result),
                                           *dimension, along, operands, *array.whole, resharder_);
    const PrimitiveType type = slice.shape().element_type();
    if (type == PRED) {
      part = resharder_.Combine(graph, part, HloOpcode::kOr, along, Combined(result, along));
    } else {
      const PrimitiveType bits =
          primitive_util::UnsignedIntegralTypeForBitWidth(primitive_util::BitWidth(type));
      part = resharder_.Combine(graph, graph.BitcastConvert(part, bits), HloOpcode::kAdd, along,
                                Combined(result, along));
      part = graph.BitcastConvert(part, type);
    }
    return Value{{part, std::move(result)}, &slice.shape()};
  }

  // A broadcast is made again of the parts of its operand where that takes fewer bytes than to send
  // parts of itself.
  HloInstruction* BringArray(GraphBuilder& graph, const HloInstruction& array,
                             const Tiling& tiling) {
    const Value& value = ValueOf(array);
    if (array.opcode() != HloOpcode::kBroadcast || !tiling.summands.empty())
      return Bring(value, tiling);
    HloInstruction*& known = broadcasts_[{&array, tiling}];
    if (known != nullptr) return known;
    const LoopMap& map = maps_.of(array);
    const Value& operand = ValueOf(*array.operand(0));
    const LoopDivision division =
        DivideLoops(array, map, {tiling}, {operand.part.tiling}, {operand.whole}, axes_);
    const Tiling needed = division.TilingOf(map.operands[0], operand.part.tiling.manual);
    const bool is_better =
        division.summands.empty() &&
        division.TilingOf(map.results[0], tiling.manual).dimensions == tiling.dimensions &&
        BytesToReshard(*operand.whole, operand.part.tiling, needed, axes_) <
            BytesToReshard(*value.whole, value.part.tiling, tiling, axes_);
    if (!is_better) return Bring(value, tiling);
    known = MakeLocal(graph, array, axes_.PartShape(*value.whole, tiling), tiling,
                      {Bring(operand, needed)}, division.PartsOf(map, axes_), {operand.whole},
                      resharder_);
    return known;
  }

  absl::StatusOr<Values> DoOnParts(HloInstruction& instruction) {
    const LoopMap& map = maps_.of(instruction);
    const TilingList& wanted = tilings_.of(instruction);
    absl::InlinedVector<Tiling, 3> own;
    absl::InlinedVector<const Shape*, 4> operand_shapes;
    for (const HloInstruction* operand : instruction.operands()) {
      own.push_back(ValueOf(*operand).part.tiling);
      operand_shapes.push_back(ValueOf(*operand).whole);
    }
    const LoopDivision division = DivideLoops(instruction, map, wanted, own, operand_shapes, axes_);
    if (std::optional<Value> elements = ShareFewElements(instruction, division, own))
      return Values{*std::move(elements)};
    const bool keeps_sums = map.combination == HloOpcode::kAdd;
    const PartsOfWalks walks = division.PartsOf(map, axes_);
    GraphBuilder graph(instruction);
    Instructions operands;
    for (size_t i = 0; i < own.size(); ++i) {
      Tiling tiling = division.TilingOf(map.operands[i], own[i].manual);
      if (i < division.linear_operands) tiling.summands = division.summands;
      if (map.is_taken_once[i] && keeps_sums) {
        tiling.summands.insert(tiling.summands.end(), division.sums.begin(), division.sums.end());
      }
      const bool is_walked = IsWalked(walks[i]);
      if (is_walked && instruction.opcode() == HloOpcode::kConcatenate) {
        operands.push_back(BringJoined(graph, instruction, walks, std::move(tiling)));
        break;
      }
      HloInstruction* operand =
          is_walked ? BringRanges(graph, instruction, i, walks[i], std::move(tiling))
                    : BringArray(graph, *instruction.operand(static_cast<int64_t>(i)), tiling);
      operands.push_back(KeepTurns(graph, map, division, i, operand));
    }
    const auto wholes = LeavesOf(instruction.shape());
    TilingList tilings;
    absl::InlinedVector<Shape, 1> shapes;
    for (size_t i = 0; i < wanted.size(); ++i) {
      tilings.push_back(division.TilingOf(map.results[i], wanted[i].manual));
      tilings[i].summands = division.summands;
      shapes.push_back(axes_.PartShape(*wholes[i], tilings[i]));
      if (!keeps_sums) continue;
      AxisList& summands = tilings[i].summands;
      summands.insert(summands.end(), division.sums.begin(), division.sums.end());
      absl::c_sort(summands);
    }
    const Shape shape =
        instruction.shape().IsTuple() ? ShapeUtil::MakeTupleShape(shapes) : std::move(shapes[0]);
    const bool has_indices = instruction.opcode() == HloOpcode::kGather ||
                             (instruction.opcode() == HloOpcode::kScatter && wanted.size() == 1);
    HloInstruction* local = has_indices
                                ? MakeIndexed(graph, instruction, map, division, shape, tilings[0],
                                              operands, walks, operand_shapes, resharder_)
                                : MakeLocal(graph, instruction, shape, tilings[0], operands, walks,
                                            operand_shapes, resharder_);
    old_[&instruction] = local;
    if (!keeps_sums && !division.sums.empty())
      local = resharder_.Combine(graph, local, map.combination, division.sums,
                                 Combined(tilings[0], division.sums));
    return Unpack(graph, *local, instruction.shape(), tilings);
  }

  // The tiling of what has yet to be combined.
  static Tiling Combined(Tiling tiling, const AxisList& sums) {
    tiling.summands.insert(tiling.summands.end(), sums.begin(), sums.end());
    return tiling;
  }

  HloModule& module_;
  DeviceAxes& axes_;
  const LoopMaps& maps_;
  const Tilings& tilings_;
  Resharder resharder_;
  HaloExchange halo_;
  // As the module was before.
  absl::flat_hash_map<const HloComputation*, std::vector<HloInstruction*>> orders_;
  std::deque<Shape> shapes_of_parameters_;
  SideEffects side_effects_;  // of functions, which do not change

  absl::flat_hash_map<const HloInstruction*, Values> values_;                       // depth first
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> made_;                // of DoOnWhole
  std::map<std::pair<const HloInstruction*, Tiling>, HloInstruction*> broadcasts_;  // made again
  // What has been divided, and what it became, which gets its name.
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> old_;
};

// Removes what nobody needs: slices that others have looked through may have had it sent.
absl::Status RemoveUnused(HloModule& module) {
  for (bool is_done = false; !is_done;) {
    HILO_RETURN_IF_ERROR(RemoveDeadCode(module).status());
    is_done = true;
    for (HloComputation* computation : module.computations()) {
      absl::flat_hash_set<const HloInstruction*> unused;
      for (const HloInstruction* instruction : computation->instructions()) {
        if (HasTrait(instruction->opcode(), kCollective) && instruction->user_count() == 0 &&
            instruction != computation->root_instruction() &&
            !instruction->HasControlDependencies())
          unused.insert(instruction);
      }
      if (unused.empty()) continue;
      computation->RemoveInstructionsIf(
          [&](const HloInstruction* instruction) { return unused.contains(instruction); });
      is_done = false;
    }
  }
  return absl::OkStatus();
}

// Pairs of a parameter and a result that have different sizes on the device now cannot share
// memory.
absl::Status KeepFittingAliases(HloModule& module) {
  const HloComputation& entry = *module.entry_computation();
  HloInputOutputAliasConfig kept(entry.root_instruction()->shape());
  HILO_RETURN_IF_ERROR(module.input_output_alias_config().ForEachAliasWithStatus(
      [&](const ShapeIndex& output, const HloInputOutputAliasConfig::Alias& alias) -> absl::Status {
        const Shape& parameter = ShapeUtil::GetSubshape(
            entry.parameter_instruction(alias.parameter_number)->shape(), alias.parameter_index);
        const Shape& result = ShapeUtil::GetSubshape(entry.root_instruction()->shape(), output);
        if (!ShapeUtil::Compatible(parameter, result)) return absl::OkStatus();
        return kept.SetUpAlias(output, alias.parameter_number, alias.parameter_index, alias.kind);
      }));
  module.set_input_output_alias_config(std::move(kept));
  return absl::OkStatus();
}

void UpdateLayouts(const HloComputation& entry, ComputationLayout& layout) {
  const auto update = [](const Shape& shape, ShapeLayout& with) {
    if (ShapeUtil::Compatible(shape, with.shape())) return;
    Shape changed = shape;
    ShapeUtil::ForEachMutableSubshape(&changed, [&](Shape* part, const ShapeIndex& index) {
      const Shape* old = ShapeUtil::TryGetSubshape(with.shape(), index).value_or(nullptr);
      if (part->IsArray() && old != nullptr && old->IsArray() && old->has_layout())
        *part->mutable_layout() = old->layout();
    });
    with = ShapeLayout(changed);
  };
  for (int64_t i = 0; i < entry.num_parameters(); ++i)
    update(entry.parameter_instruction(i)->shape(), *layout.mutable_parameter_layout(i));
  update(entry.root_instruction()->shape(), *layout.mutable_result_layout());
}

}  // namespace

absl::StatusOr<bool> Partition(HloModule& module) {
  const int64_t devices = module.config().num_partitions();
  if (devices <= 1 || !module.config().use_spmd_partitioning()) return false;
  HILO_RETURN_IF_ERROR(PrepareForTilings(module));
  HloComputation& entry = *module.entry_computation();
  DeviceAxes axes(devices);
  LoopMaps maps(module);
  HILO_ASSIGN_OR_RETURN(const Tilings tilings, Tilings::Of(module, maps, axes));
  const auto sharding_of = [&](const Shape& shape, const TilingList& leaves) {
    std::vector<HloSharding> shardings;
    for (const Tiling& tiling : leaves) shardings.push_back(axes.ShardingOf(tiling));
    return shape.IsTuple() ? HloSharding::FlatTuple(std::move(shardings)) : shardings[0];
  };
  std::vector<HloSharding> parameters;
  for (const HloInstruction* parameter : entry.parameter_instructions())
    parameters.push_back(sharding_of(parameter->shape(), tilings.of(*parameter)));
  HloSharding output = sharding_of(entry.root_instruction()->shape(), tilings.outputs());
  HILO_RETURN_IF_ERROR(Partitioner(module, axes, maps, tilings).Run());
  HILO_RETURN_IF_ERROR(RunOnOneDevice(module, devices));
  HILO_RETURN_IF_ERROR(RemoveUnused(module));
  HILO_ASSIGN_OR_RETURN(const bool is_combined, CombineAllReduces(module));
  if (is_combined) HILO_RETURN_IF_ERROR(RemoveDeadCode(module).status());
  HILO_RETURN_IF_ERROR(KeepFittingAliases(module));
  UpdateLayouts(entry, *module.mutable_entry_computation_layout());
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* instruction : computation->instructions()) instruction->clear_sharding();
  }
  FrontendAttributes attributes = module.frontend_attributes();
  attributes.mutable_map()->erase("xla.sdy.meshes");
  module.set_frontend_attributes(std::move(attributes));
  module.set_spmd_parameters_shardings(std::move(parameters));
  module.set_spmd_output_sharding(std::move(output));
  return true;
}

}  // namespace xla::passes
