// Arrays with dynamic sizes become static ones, with what the shape says as their size, and scalars
// that say how much of them there is.
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "ir/control_flow.h"
#include "ir/records.h"
#include "passes/dynamic/operations.h"
#include "passes/dynamic/sizes.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

// Sizes of all arrays in a value, depth first.
using ValueSizes = std::vector<ArraySizes>;

std::vector<Shape> Arrays(const Shape& shape) {
  std::vector<Shape> arrays;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsArray()) arrays.push_back(part);
  });
  return arrays;
}

ValueSizes NoSizes(const Shape& shape) {
  ValueSizes sizes;
  for (const Shape& array : Arrays(shape)) sizes.emplace_back(array.dimensions_size());
  return sizes;
}

bool HasSizes(const ValueSizes& sizes) {
  return absl::c_any_of(sizes, [](const ArraySizes& own) { return passes::HasSizes(own); });
}

// A dimension of one of the arrays of a value.
struct Place {
  size_t array;
  int dimension;
};
using Places = std::vector<Place>;

Places DynamicPlaces(const Shape& shape) {
  Places places;
  const std::vector<Shape> arrays = Arrays(shape);
  for (size_t i = 0; i < arrays.size(); ++i) {
    for (int d = 0; d < arrays[i].dimensions_size(); ++d) {
      if (arrays[i].is_dynamic_dimension(d)) places.push_back({i, d});
    }
  }
  return places;
}

Places KnownPlaces(const ValueSizes& sizes) {
  Places places;
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (size_t d = 0; d < sizes[i].size(); ++d) {
      if (sizes[i][d] != nullptr) places.push_back({i, static_cast<int>(d)});
    }
  }
  return places;
}

// The shape of a value that comes with sizes.
Shape WithSizes(const Shape& shape, size_t count) {
  std::vector<Shape> parts(1 + count, ShapeUtil::MakeShape(S32, {}));
  parts[0] = shape;
  return ShapeUtil::MakeTupleShape(parts);
}

class Resolver {
 public:
  explicit Resolver(HloModule& module) : module_(module) {}

  absl::Status Run() {
    for (HloComputation* computation : module_.computations()) {
      for (HloInstruction* instruction : computation->instructions()) {
        if (instruction->shape().is_static()) continue;
        if (instruction->shape().is_unbounded_dynamic()) {
          return Unimplemented("dimensions without a bound, as of %s, have no code",
                               instruction->ToString());
        }
        declared_.emplace(instruction, instruction->shape());
        instruction->mutable_shape()->clear_dynamic_dimensions();
      }
    }
    HloComputation& entry = *module_.entry_computation();
    const std::vector<HloInstruction*> parameters = entry.parameter_instructions();
    for (HloInstruction* parameter : parameters) AddSizeParameters(*parameter);
    const Places results = DynamicPlaces(Declared(*entry.root_instruction()));
    HILO_ASSIGN_OR_RETURN(const SizedValue result, Resolve(entry));
    GiveResult(entry, ClearPadding(result, results), results);
    module_.mutable_config().SetDefaultComputationLayout(entry.ComputeProgramShape());
    return RemoveDeadCode(module_).status();
  }

 private:
  const Shape& Declared(const HloInstruction& instruction) const {
    const auto found = declared_.find(&instruction);
    return found != declared_.end() ? found->second : instruction.shape();
  }

  // The caller gives the sizes of parameters in more parameters, behind all others.
  void AddSizeParameters(HloInstruction& parameter) {
    HloComputation& entry = *parameter.parent();
    ValueSizes sizes = NoSizes(parameter.shape());
    for (const Place& place : DynamicPlaces(Declared(parameter))) {
      sizes[place.array][place.dimension] = entry.AddParameter(HloInstruction::CreateParameter(
          entry.num_parameters(), ShapeUtil::MakeShape(S32, {}), "size"));
    }
    values_[&parameter] = {&parameter, std::move(sizes)};
  }

  // A parameter or the result of control flow becomes a tuple of what it was and sizes.
  void Unwrap(HloInstruction& value, const Places& places) {
    SizedValue own = {&value, NoSizes(value.shape())};
    if (!places.empty()) {
      *value.mutable_shape() = WithSizes(value.shape(), places.size());
      GraphBuilder builder(value);
      const auto part = [&](int64_t index) {
        HloInstruction* part = builder.Part(&value, index);
        values_[part] = {part, NoSizes(part->shape())};
        return part;
      };
      own.value = part(0);
      for (size_t i = 0; i < places.size(); ++i) {
        own.sizes[places[i].array][places[i].dimension] = part(static_cast<int64_t>(i) + 1);
      }
    }
    values_[&value] = std::move(own);
  }

  // A value with its sizes at these places.
  static HloInstruction* Wrap(const SizedValue& value, const Places& places) {
    if (places.empty()) return value.value;
    SizeBuilder builder(*value.value);
    const std::vector<Shape> arrays = Arrays(value.value->shape());
    std::vector<HloInstruction*> parts = {value.value};
    for (const auto& [array, dimension] : places) {
      HloInstruction* size = value.sizes[array][dimension];
      parts.push_back(size != nullptr ? size : builder.Size(arrays[array].dimensions(dimension)));
    }
    return builder.Tuple(parts);
  }

  static void GiveResult(HloComputation& computation, const SizedValue& value,
                         const Places& places) {
    computation.set_root_instruction(Wrap(value, places), /*accept_different_shape=*/true);
  }

  // Padding is zero where the module's caller sees it: in what is declared static.
  static SizedValue ClearPadding(SizedValue value, const Places& dynamic) {
    ValueSizes hidden = value.sizes;
    for (const Place& place : dynamic) hidden[place.array][place.dimension] = nullptr;
    if (!HasSizes(hidden)) return value;
    SizeBuilder builder(*value.value);
    size_t next = 0;
    value.value = Clear(builder, value.value, hidden, next);
    return value;
  }

  static HloInstruction* Clear(SizeBuilder& builder, HloInstruction* value, const ValueSizes& sizes,
                               size_t& next) {
    if (value->shape().IsTuple()) {
      std::vector<HloInstruction*> parts;
      for (int64_t i = 0; i < value->shape().tuple_shapes_size(); ++i)
        parts.push_back(Clear(builder, builder.Part(value, i), sizes, next));
      return builder.Tuple(parts);
    }
    if (!value->shape().IsArray()) return value;
    const ArraySizes& own = sizes[next++];
    return builder.MaskWithZero(value, own, AllDimensions(static_cast<int64_t>(own.size())));
  }

  // Makes a computation static whose parameters are known. Gives its result, which is not its root
  // yet.
  absl::StatusOr<SizedValue> Resolve(HloComputation& computation) {
    for (HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
      if (values_.contains(instruction)) continue;
      if (instruction->opcode() == HloOpcode::kParameter) {
        Unwrap(*instruction, {});
        continue;
      }
      std::vector<ValueSizes> operands;
      for (int64_t k = 0; k < instruction->operand_count(); ++k) {
        const SizedValue& operand = values_.at(instruction->operand(k));
        operands.push_back(operand.sizes);
        if (operand.value != instruction->operand(k))
          HILO_RETURN_IF_ERROR(instruction->ReplaceOperandWithDifferentShape(k, operand.value));
      }
      HILO_ASSIGN_OR_RETURN(SizedValue value, ResolveInstruction(*instruction, operands));
      if (value.value != instruction && !IsLoopOrConditional(*instruction))
        HILO_RETURN_IF_ERROR(TakeOverOrder(*value.value, *instruction));
      values_[instruction] = std::move(value);
    }
    return values_.at(computation.root_instruction());
  }

  absl::StatusOr<SizedValue> ResolveInstruction(HloInstruction& instruction,
                                                absl::Span<const ValueSizes> operands) {
    switch (instruction.opcode()) {
      case HloOpcode::kTuple: {
        ValueSizes all;
        for (const ValueSizes& part : operands) all.insert(all.end(), part.begin(), part.end());
        return SizedValue{&instruction, std::move(all)};
      }
      case HloOpcode::kGetTupleElement: {
        size_t first = 0;
        const Shape& tuple = instruction.operand(0)->shape();
        for (int64_t i = 0; i < instruction.tuple_index(); ++i)
          first += Arrays(tuple.tuple_shapes(static_cast<int>(i))).size();
        const size_t count = Arrays(instruction.shape()).size();
        return SizedValue{&instruction,
                          {operands[0].begin() + first, operands[0].begin() + first + count}};
      }
      case HloOpcode::kAddDependency:
      case HloOpcode::kCopy:
      case HloOpcode::kDomain:
      case HloOpcode::kOptimizationBarrier:
        return SizedValue{&instruction, operands[0]};
      case HloOpcode::kAfterAll:
        return SizedValue{&instruction, NoSizes(instruction.shape())};
      case HloOpcode::kWhile:
        return ResolveWhile(instruction, operands[0]);
      case HloOpcode::kConditional:
        return ResolveConditional(instruction, operands);
      default:
        break;
    }
    const bool makes_sizes = instruction.opcode() == HloOpcode::kSetDimensionSize ||
                             instruction.opcode() == HloOpcode::kGetDimensionSize ||
                             instruction.opcode() == HloOpcode::kDynamicReshape;
    if (!makes_sizes &&
        absl::c_none_of(operands, [](const ValueSizes& own) { return HasSizes(own); }))
      return SizedValue{&instruction, NoSizes(instruction.shape())};
    SizedOperation operation = {instruction, Declared(instruction)};
    for (const ValueSizes& own : operands) {
      if (own.size() != 1) return NoDynamicForm(instruction);
      operation.operands.push_back(own[0]);
    }
    return ResolveOperation(operation);
  }

  // The state has a size wherever it is declared dynamic.
  absl::StatusOr<SizedValue> ResolveWhile(HloInstruction& loop, const ValueSizes& initial) {
    const Places places = DynamicPlaces(Declared(loop));
    Unwrap(*loop.while_condition()->parameter_instruction(0), places);
    HILO_ASSIGN_OR_RETURN(const SizedValue condition, Resolve(*loop.while_condition()));
    GiveResult(*loop.while_condition(), condition, {});
    Unwrap(*loop.while_body()->parameter_instruction(0), places);
    HILO_ASSIGN_OR_RETURN(const SizedValue next, Resolve(*loop.while_body()));
    GiveResult(*loop.while_body(), next, places);
    HILO_RETURN_IF_ERROR(
        loop.ReplaceOperandWithDifferentShape(0, Wrap({loop.mutable_operand(0), initial}, places)));
    Unwrap(loop, places);
    return values_.at(&loop);
  }

  // The result has a size wherever one of the branches gives one.
  absl::StatusOr<SizedValue> ResolveConditional(HloInstruction& conditional,
                                                absl::Span<const ValueSizes> operands) {
    ValueSizes any = NoSizes(conditional.shape());
    std::vector<SizedValue> results;
    for (int branch = 0; branch < conditional.branch_count(); ++branch) {
      HloComputation& computation = *conditional.branch_computation(branch);
      const ValueSizes& argument = operands[branch + 1];
      Unwrap(*computation.parameter_instruction(0), KnownPlaces(argument));
      HILO_ASSIGN_OR_RETURN(results.emplace_back(), Resolve(computation));
      for (const auto& [array, dimension] : KnownPlaces(results.back().sizes))
        any[array][dimension] = results.back().sizes[array][dimension];
    }
    const Places places = KnownPlaces(any);
    for (int branch = 0; branch < conditional.branch_count(); ++branch) {
      GiveResult(*conditional.branch_computation(branch), results[branch], places);
      const ValueSizes& argument = operands[branch + 1];
      HILO_RETURN_IF_ERROR(conditional.ReplaceOperandWithDifferentShape(
          branch + 1,
          Wrap({conditional.mutable_operand(branch + 1), argument}, KnownPlaces(argument))));
    }
    Unwrap(conditional, places);
    return values_.at(&conditional);
  }

  HloModule& module_;
  absl::flat_hash_map<const HloInstruction*, Shape> declared_;
  // By what was there before: operands are looked up when their users are reached.
  absl::flat_hash_map<const HloInstruction*, SizedValue> values_;
};

bool HasDynamicSizes(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->shape().is_dynamic() ||
          instruction->opcode() == HloOpcode::kSetDimensionSize ||
          instruction->opcode() == HloOpcode::kDynamicReshape) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> ResolveDynamicSizes(HloModule& module) {
  if (!HasDynamicSizes(module)) return false;
  HILO_RETURN_IF_ERROR(Resolver(module).Run());
  return true;
}

}  // namespace xla::passes
