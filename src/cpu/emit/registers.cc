#include "cpu/emit/registers.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "base/status_macros.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/functions.h"
#include "cpu/emit/scalar_function.h"
#include "ir/records.h"
#include "llvm/IR/Function.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/index_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kMaxElements = 64;
constexpr int64_t kMaxBits = 4096;

using Index = std::vector<int64_t>;

int64_t Count(const Shape& shape) { return ShapeUtil::ElementsIn(shape); }

int64_t Number(const Shape& shape, absl::Span<const int64_t> index) {
  int64_t number = 0;
  for (int d = 0; d < shape.dimensions_size(); ++d)
    number = number * shape.dimensions(d) + index[d];
  return number;
}

// Calls visit(index) for all indices in row-major order.
void ForEachIndexOf(const Shape& shape, absl::FunctionRef<void(const Index&)> visit) {
  Index index(shape.dimensions_size(), 0);
  const int64_t count = Count(shape);
  for (int64_t n = 0; n < count; ++n) {
    visit(index);
    for (int d = shape.dimensions_size() - 1; d >= 0; --d) {
      if (++index[d] < shape.dimensions(d)) break;
      index[d] = 0;
    }
  }
}

// Lanes lanes[0], lanes[1], ... of the value.
llvm::Value* Pick(Builder& b, llvm::Value* value, const std::vector<int>& lanes) {
  if (value == nullptr) return nullptr;
  const int count = LaneCount(value->getType());
  if (count == 1) {
    return lanes.size() == 1 ? value
                             : b.CreateVectorSplat(static_cast<unsigned>(lanes.size()), value);
  }
  if (lanes.size() == 1) return b.CreateExtractElement(value, static_cast<uint64_t>(lanes[0]));
  bool same = static_cast<int>(lanes.size()) == count;
  for (size_t i = 0; same && i < lanes.size(); ++i) same = lanes[i] == static_cast<int>(i);
  return same ? value : b.CreateShuffleVector(value, lanes);
}

Lanes Pick(Builder& b, const Lanes& value, const std::vector<int>& lanes) {
  return {Pick(b, value.re, lanes), Pick(b, value.im, lanes)};
}

// The result's element at `index` is the operand's at from(index).
Lanes Move(Builder& b, const HloInstruction& instruction, const Lanes& operand,
           absl::FunctionRef<Index(const Index&)> from) {
  std::vector<int> lanes;
  ForEachIndexOf(instruction.shape(), [&](const Index& index) {
    lanes.push_back(static_cast<int>(Number(instruction.operand(0)->shape(), from(index))));
  });
  return Pick(b, operand, lanes);
}

// Lanes of the values one after the other.
llvm::Value* Join(Builder& b, absl::Span<llvm::Value* const> values) {
  std::vector<llvm::Value*> parts(values.begin(), values.end());
  if (parts[0] == nullptr) return nullptr;
  llvm::Type* element = parts[0]->getType()->getScalarType();
  int total = 0;
  for (llvm::Value* part : parts) total += LaneCount(part->getType());
  if (total == 1) return parts[0];
  llvm::Value* result = llvm::PoisonValue::get(WithLanes(element, total));
  int start = 0;
  for (llvm::Value* part : parts) {
    const int count = LaneCount(part->getType());
    if (count == 1) {
      result = b.CreateInsertElement(result, part, static_cast<uint64_t>(start));
    } else {
      std::vector<int> widen(total, -1), blend(total);
      std::iota(blend.begin(), blend.end(), 0);
      for (int i = 0; i < count; ++i) widen[start + i] = i, blend[start + i] = total + start + i;
      result = b.CreateShuffleVector(result, b.CreateShuffleVector(part, widen), blend);
    }
    start += count;
  }
  return result;
}

Lanes Join(Builder& b, absl::Span<const Lanes> values) {
  std::vector<llvm::Value*> re, im;
  for (const Lanes& value : values) re.push_back(value.re), im.push_back(value.im);
  return {Join(b, re), Join(b, im)};
}

Lanes Concatenate(Builder& b, const HloInstruction& instruction, absl::Span<const Lanes> operands) {
  const int64_t along = instruction.dimensions(0);
  std::vector<int> starts;
  std::vector<Lanes> present;
  std::vector<const HloInstruction*> sources;
  int64_t start = 0;
  for (size_t k = 0; k < operands.size(); ++k) {
    const HloInstruction* operand = instruction.operand(static_cast<int64_t>(k));
    if (Count(operand->shape()) == 0) continue;
    present.push_back(operands[k]);
    sources.push_back(operand);
    starts.push_back(static_cast<int>(start));
    start += Count(operand->shape());
  }
  std::vector<int> lanes;
  ForEachIndexOf(instruction.shape(), [&](Index index) {
    size_t k = 0;
    while (index[along] >= sources[k]->shape().dimensions(along))
      index[along] -= sources[k++]->shape().dimensions(along);
    lanes.push_back(starts[k] + static_cast<int>(Number(sources[k]->shape(), index)));
  });
  return Pick(b, Join(b, present), lanes);
}

Lanes Pad(Builder& b, const HloInstruction& instruction, absl::Span<const Lanes> operands) {
  const Shape& operand = instruction.operand(0)->shape();
  const int padding = static_cast<int>(Count(operand));
  std::vector<int> lanes;
  ForEachIndexOf(instruction.shape(), [&](Index index) {
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      const auto& config = instruction.padding_config().dimensions(static_cast<int>(d));
      const int64_t at = index[d] - config.edge_padding_low();
      const int64_t step = config.interior_padding() + 1;
      inside = inside && at >= 0 && at % step == 0 && at / step < operand.dimensions(d);
      index[d] = at / step;
    }
    lanes.push_back(inside ? static_cast<int>(Number(operand, index)) : padding);
  });
  if (padding == 0) return Splat(b, operands[1], static_cast<int>(lanes.size()));
  return Pick(b, Join(b, {operands[0], operands[1]}), lanes);
}

// One result per group of operand elements that are folded in order.
absl::StatusOr<Lanes> Reduce(Builder& b, const HloInstruction& instruction,
                             absl::Span<const Lanes> operands) {
  const Shape& input = instruction.operand(0)->shape();
  const int results = static_cast<int>(Count(instruction.shape()));
  std::vector<std::vector<int>> groups(results);
  ForEachIndexOf(input, [&](const Index& index) {
    Index kept;
    for (int64_t d = 0; d < input.dimensions_size(); ++d) {
      if (!absl::c_linear_search(instruction.dimensions(), d)) kept.push_back(index[d]);
    }
    groups[Number(instruction.shape(), kept)].push_back(static_cast<int>(Number(input, index)));
  });
  Lanes running = Splat(b, operands[1], results);
  for (size_t step = 0; step < groups[0].size(); ++step) {
    std::vector<int> lanes;
    for (const std::vector<int>& group : groups) lanes.push_back(group[step]);
    HILO_ASSIGN_OR_RETURN(
        const std::vector<Lanes> next,
        ApplyScalarFunction(b, *instruction.to_apply(), {running, Pick(b, operands[0], lanes)}));
    running = next[0];
  }
  return running;
}

absl::StatusOr<Lanes> Dot(Builder& b, const HloInstruction& instruction,
                          absl::Span<const Lanes> operands) {
  const auto& dimensions = instruction.attributes_as<DotAttributes>();
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  const PrimitiveType type = instruction.shape().element_type();
  // Lanes of both sides for each step of the sum.
  std::vector<std::vector<int>> left, right;
  int64_t steps = 1;
  for (int64_t d : dimensions.lhs_contracting) steps *= lhs.dimensions(d);
  left.resize(steps);
  right.resize(steps);
  const auto is_in = [](const auto& list, int64_t d) { return absl::c_linear_search(list, d); };
  ForEachIndexOf(instruction.shape(), [&](const Index& index) {
    Index l(lhs.dimensions_size(), 0), r(rhs.dimensions_size(), 0);
    size_t at = 0;
    for (size_t k = 0; k < dimensions.lhs_batch.size(); ++k, ++at)
      l[dimensions.lhs_batch[k]] = r[dimensions.rhs_batch[k]] = index[at];
    for (int64_t d = 0; d < lhs.dimensions_size(); ++d) {
      if (!is_in(dimensions.lhs_batch, d) && !is_in(dimensions.lhs_contracting, d))
        l[d] = index[at++];
    }
    for (int64_t d = 0; d < rhs.dimensions_size(); ++d) {
      if (!is_in(dimensions.rhs_batch, d) && !is_in(dimensions.rhs_contracting, d))
        r[d] = index[at++];
    }
    for (int64_t step = 0; step < steps; ++step) {
      int64_t rest = step;
      for (size_t k = dimensions.lhs_contracting.size(); k-- > 0;) {
        const int64_t size = lhs.dimensions(dimensions.lhs_contracting[k]);
        l[dimensions.lhs_contracting[k]] = r[dimensions.rhs_contracting[k]] = rest % size;
        rest /= size;
      }
      left[step].push_back(static_cast<int>(Number(lhs, l)));
      right[step].push_back(static_cast<int>(Number(rhs, r)));
    }
  });
  Lanes sum = IntegerConstant(b, type, 0, static_cast<int>(Count(instruction.shape())));
  HILO_ASSIGN_OR_RETURN(const Lanes x, Convert(b, lhs.element_type(), type, operands[0]));
  HILO_ASSIGN_OR_RETURN(const Lanes y, Convert(b, rhs.element_type(), type, operands[1]));
  for (int64_t step = 0; step < steps; ++step) {
    const Lanes product = MultiplyLanes(b, type, Pick(b, x, left[step]), Pick(b, y, right[step]));
    sum = step == 0 ? product : AddLanes(b, type, sum, product);
  }
  return Round(b, type, sum);
}

// Elements lie behind one another if the window has the array's last dimensions whole.
bool IsRun(absl::Span<llvm::Constant* const> places) {
  const auto number = [](const llvm::Constant* place) {
    return llvm::cast<llvm::ConstantInt>(place)->getSExtValue();
  };
  return number(places.back()) - number(places.front()) + 1 == static_cast<int64_t>(places.size());
}

// The elements of a window of an array in memory that starts at indices known only at run time.
struct Window {
  llvm::Value* first;
  std::vector<llvm::Constant*> places;  // from `first` on

  Window(Builder& b, const HloInstruction& instruction, const Shape& window, int64_t first_index,
         absl::Span<const Lanes> operands, llvm::Value* memory) {
    const Shape& array = instruction.operand(0)->shape();
    const PrimitiveType type = array.element_type();
    llvm::Value* offset = b.getInt64(0);
    int64_t stride = 1;
    for (int d = array.dimensions_size() - 1; d >= 0; --d) {
      const int64_t room = array.dimensions(d) - window.dimensions(d);
      const int64_t index = first_index + d;
      if (room > 0) {
        llvm::Value* start = ClampStart(b, instruction.operand(index)->shape().element_type(),
                                        operands[index], room);
        offset = b.CreateAdd(offset, b.CreateMul(start, b.getInt64(static_cast<uint64_t>(stride))));
      }
      stride *= array.dimensions(d);
    }
    first = b.CreateGEP(MemoryType(b.getContext(), type), memory,
                        primitive_util::IsComplexType(type) ? b.CreateShl(offset, 1) : offset);
    ForEachIndexOf(window, [&](const Index& index) {
      places.push_back(b.getInt64(static_cast<uint64_t>(Number(array, index))));
    });
  }
};

// An array on the stack.
llvm::Value* OnStack(Builder& b, const Shape& shape, const Lanes& value) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  Builder at_entry(&function->getEntryBlock(), function->getEntryBlock().begin());
  llvm::AllocaInst* memory = at_entry.CreateAlloca(
      at_entry.getInt8Ty(), at_entry.getInt64(static_cast<uint64_t>(ShapeUtil::ByteSizeOf(shape))));
  memory->setAlignment(llvm::Align(64));
  Store(b, shape.element_type(), value, memory, 1, nullptr);
  return memory;
}

Lanes DynamicUpdateSlice(Builder& b, const HloInstruction& instruction,
                         absl::Span<const Lanes> operands) {
  const Shape& shape = instruction.shape();
  const PrimitiveType type = shape.element_type();
  llvm::Value* memory = OnStack(b, shape, operands[0]);
  const Window window(b, instruction, instruction.operand(1)->shape(), 2, operands, memory);
  if (IsRun(window.places)) {
    Store(b, type, operands[1], window.first, 1, nullptr);
  } else {
    for (size_t i = 0; i < window.places.size(); ++i) {
      llvm::Value* place = window.places[i];
      if (primitive_util::IsComplexType(type)) place = b.CreateShl(place, 1);
      Store(b, type, Pick(b, operands[1], {static_cast<int>(i)}),
            b.CreateGEP(MemoryType(b.getContext(), type), window.first, place), 1, nullptr);
    }
  }
  return Load(b, type, memory, 1, static_cast<int>(Count(shape)), nullptr);
}

}  // namespace

bool FitsRegisters(const Shape& shape) {
  if (!shape.IsArray() || shape.is_dynamic()) return false;
  const int64_t count = Count(shape);
  return 0 < count && count <= kMaxElements &&
         count * ComputingBits(shape.element_type()) <= kMaxBits;
}

bool HasRegisterForm(const HloInstruction& instruction) {
  if (!FitsRegisters(instruction.shape())) return false;
  for (const HloInstruction* operand : instruction.operands()) {
    if (!FitsRegisters(operand->shape())) return false;
  }
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kIota:
    case HloOpcode::kPad:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return true;
    case HloOpcode::kDot:
      // Sums of products of reals that become integers are rounded in between.
      return !ShapeUtil::ElementIsIntegral(instruction.shape()) ||
             ShapeUtil::ElementIsIntegral(instruction.operand(0)->shape());
    case HloOpcode::kReduce:
      return instruction.operand_count() == 2 && IsScalarFunction(*instruction.to_apply());
    default:
      return IsElementwiseHere(instruction);
  }
}

Lanes EmitDynamicSliceOf(Builder& b, const HloInstruction& instruction,
                         absl::Span<const Lanes> operands, llvm::Value* memory) {
  const PrimitiveType type = instruction.shape().element_type();
  const Window window(b, instruction, instruction.shape(), 1, operands, memory);
  const int lanes = static_cast<int>(window.places.size());
  if (IsRun(window.places)) return Load(b, type, window.first, 1, lanes, nullptr);
  return Gather(b, type, window.first, llvm::ConstantVector::get(window.places), nullptr);
}

absl::StatusOr<Lanes> EmitInRegisters(Builder& b, const HloInstruction& instruction,
                                      absl::Span<const Lanes> operands) {
  const int lanes = static_cast<int>(Count(instruction.shape()));
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
      return Move(b, instruction, operands[0], [&](const Index& index) {
        Index from;
        for (int64_t d : instruction.dimensions()) from.push_back(index[d]);
        return from;
      });
    case HloOpcode::kBitcastConvert: {
      if (LaneCount(operands[0]) == lanes) break;
      const PrimitiveType type = instruction.shape().element_type();
      llvm::Type* element = b.getIntNTy(primitive_util::StorageBitWidth(type));
      llvm::Value* bits = ToBits(b, instruction.operand(0)->shape().element_type(), operands[0]);
      return FromBits(b, type, b.CreateBitCast(bits, WithLanes(element, lanes)));
    }
    case HloOpcode::kConcatenate:
      return Concatenate(b, instruction, operands);
    case HloOpcode::kDot:
      return Dot(b, instruction, operands);
    case HloOpcode::kDynamicSlice:
      return EmitDynamicSliceOf(b, instruction, operands,
                                OnStack(b, instruction.operand(0)->shape(), operands[0]));
    case HloOpcode::kDynamicUpdateSlice:
      return DynamicUpdateSlice(b, instruction, operands);
    case HloOpcode::kIota: {
      const int64_t dimension = instruction.attributes_as<IotaAttributes>().iota_dimension;
      std::vector<llvm::Constant*> numbers;
      ForEachIndexOf(instruction.shape(), [&](const Index& index) {
        numbers.push_back(b.getInt64(static_cast<uint64_t>(index[dimension])));
      });
      return ConvertInteger(
          b,
          lanes == 1 ? static_cast<llvm::Value*>(numbers[0]) : llvm::ConstantVector::get(numbers),
          instruction.shape().element_type());
    }
    case HloOpcode::kPad:
      return Pad(b, instruction, operands);
    case HloOpcode::kReduce:
      return Reduce(b, instruction, operands);
    case HloOpcode::kReverse:
      return Move(b, instruction, operands[0], [&](Index index) {
        for (int64_t d : instruction.dimensions())
          index[d] = instruction.shape().dimensions(d) - 1 - index[d];
        return index;
      });
    case HloOpcode::kSlice:
      return Move(b, instruction, operands[0], [&](Index index) {
        const auto& ranges = instruction.attributes_as<SliceAttributes>().ranges;
        for (size_t d = 0; d < index.size(); ++d)
          index[d] = ranges[d].start + index[d] * ranges[d].stride;
        return index;
      });
    case HloOpcode::kTranspose:
      return Move(b, instruction, operands[0], [&](const Index& index) {
        Index from(index.size());
        for (size_t d = 0; d < index.size(); ++d) from[instruction.dimensions(d)] = index[d];
        return from;
      });
    default:
      break;
  }
  std::vector<Lanes> same;
  for (const Lanes& operand : operands)
    same.push_back(LaneCount(operand) == lanes ? operand : Splat(b, operand, lanes));
  return Elementwise(b, instruction, same);
}

Lanes LiteralLanes(Builder& b, const LiteralSlice& literal) {
  const Shape& shape = literal.shape();
  std::vector<Lanes> elements;
  ForEachIndexOf(shape, [&](const Index& index) {
    const PrimitiveType type = shape.element_type();
    if (primitive_util::IsComplexType(type)) {
      const complex128 number = *literal.GetAsComplex128(index);
      elements.push_back(
          {RealConstant(b, type, number.real(), 1), RealConstant(b, type, number.imag(), 1)});
    } else if (primitive_util::IsFloatingPointType(type)) {
      elements.push_back({RealConstant(b, type, literal.GetAsComplex128(index)->real(), 1)});
    } else if (type == U64) {
      elements.push_back(
          IntegerConstant(b, type, static_cast<int64_t>(literal.Get<uint64_t>(index)), 1));
    } else {
      elements.push_back(IntegerConstant(b, type, *literal.GetIntegralAsS64(index), 1));
    }
  });
  return Join(b, elements);
}

}  // namespace xla::cpu
