#include "cpu/plan/fusion_rules.h"

#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/loops/kernel.h"
#include "codegen/program/register_form.h"
#include "ir/index_map.h"
#include "ir/records.h"
#include "passes/cost.h"
#include "passes/simplify/match.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kMinFusedUpdate = 8;
// The code has an instruction for each vector of a value in registers, and LLVM takes long over
// many; a kernel has a loop.
constexpr int64_t kMaxBitsInRegisters = 1024;
// A kernel has loops for so many parts of a result at most.
constexpr int64_t kMaxPartsOfKernel = 8;
// Rows that loops would store one by one, among much that is filled.
constexpr int64_t kLeastBytesOfFilled = 4096, kMostBytesOfFilledRow = 256;
// A larger search takes longer than what it may save.
constexpr size_t kMaxReaders = 256;
// What is computed from more costs more than anybody asks for.
constexpr size_t kMostNeeded = 64;

// A part of a kernel that is long enough to be one, where its elements are worth it and fit caches.
constexpr size_t kLongPart = 48;
constexpr int64_t kLeastElementsOfPart = 1024, kMostElementsOfPart = 1 << 19;

// So many rows of a few elements are worth a kernel, while caches hold what it writes.
constexpr int64_t kLeastShortRows = 64, kMostElementsOfShortRows = 1 << 18;

// Of parts that have fewer adjacent elements, no vector is of one part alone.
constexpr int64_t kShortPart = 8;
// Fewer elements are not worth a kernel that transposes them.
constexpr int64_t kManyStacked = 1024;
// Beyond the first cache, elements of other rows are far away.
constexpr int64_t kManyElements = 16 * 1024;
// One of so many elements of a transpose is better read where it is than transposed with the
// others.
constexpr int64_t kFewOfTranspose = 8;

bool IsConstant(const HloInstruction& start, int64_t number) {
  return start.opcode() == HloOpcode::kConstant && start.literal().GetIntegralAsS64({}) == number;
}

// The last dimension of more than one element.
int AdjacentDimension(const Shape& shape) {
  int last = static_cast<int>(shape.dimensions_size()) - 1;
  while (last > 0 && shape.dimensions(last) == 1) --last;
  return last;
}

int64_t AdjacentElements(const Shape& shape) {
  return shape.dimensions_size() == 0 ? 1 : shape.dimensions(AdjacentDimension(shape));
}

// From the elements of what is computed from a transpose, by its only use, to those of its operand.
std::optional<IndexMap> MapFrom(const HloInstruction& last, const HloInstruction& transpose) {
  std::vector<IndexMap> path = {*OperandMap(transpose, 0)};
  const HloInstruction* each = &transpose;
  while (each != &last) {
    if (each->users().size() != 1) return std::nullopt;
    const HloInstruction* user = each->users()[0];
    if (!user->IsElementwise()) {
      std::optional<IndexMap> own = OperandMap(*user, user->operand_index(each));
      if (!own.has_value()) return std::nullopt;
      path.push_back(*std::move(own));
    }
    each = user;
  }
  IndexMap map = std::move(path.back());
  for (size_t i = path.size() - 1; i-- > 0;) map = Compose(map, path[i]);
  return map;
}

}  // namespace

bool CanBeInKernel(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kConstant:
      return ShapeUtil::IsEffectiveScalar(instruction.shape());
    case HloOpcode::kIota:
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
    case HloOpcode::kSlice:
    case HloOpcode::kReverse:
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
      return true;
    case HloOpcode::kPad:
      return !IsFilledInMemory(instruction);
    case HloOpcode::kDynamicUpdateSlice:
      return IsFree(*instruction.operand(0));
    case HloOpcode::kReduceWindow:
      return program::IsScalarFunction(*instruction.to_apply()) && !loops::IsScan(instruction);
    case HloOpcode::kReduce:
      return instruction.dimensions().empty() && program::IsScalarFunction(*instruction.to_apply());
    default:
      return program::IsElementwiseHere(instruction);
  }
}

bool IsKernelReduce(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kReduce && !instruction.dimensions().empty() &&
         program::IsScalarFunction(*instruction.to_apply());
}

bool IsClosedKernel(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kScatter || loops::IsScan(instruction))
    return program::IsScalarFunction(*instruction.to_apply());
  return instruction.opcode() == HloOpcode::kSelectAndScatter &&
         program::IsScalarFunction(*instruction.select()) &&
         program::IsScalarFunction(*instruction.scatter());
}

bool ReducesLastDimensions(const HloInstruction& reduce) {
  const Shape& operand = reduce.operand(0)->shape();
  bool reduced = false;
  for (int64_t d = 0; d < operand.dimensions_size(); ++d) {
    if (operand.dimensions(d) == 1) continue;
    const bool is_reduced = absl::c_linear_search(reduce.dimensions(), d);
    if (reduced && !is_reduced) return false;
    reduced = reduced || is_reduced;
  }
  return reduced;
}

// Reshapes at the borders of fusions are aliases of the same memory, and arrays are updated in
// place.
bool CanBeKernel(const HloInstruction& instruction) {
  return (CanBeInKernel(instruction) && instruction.opcode() != HloOpcode::kConstant &&
          instruction.opcode() != HloOpcode::kReshape &&
          instruction.opcode() != HloOpcode::kDynamicUpdateSlice) ||
         IsKernelReduce(instruction) || IsClosedKernel(instruction);
}

passes::Decision StaysInRegisters(const HloInstruction& instruction) {
  const passes::Decision can_be = program::CanBeInRegisters(instruction);
  if (!can_be || !instruction.IsElementwise() || !CanBeKernel(instruction)) return can_be;
  const int64_t bits = loops::ComputingBits(instruction.shape());
  return bits <= kMaxBitsInRegisters ? can_be
                                     : passes::Decision::No("its $0 bits would be many registers",
                                                            static_cast<double>(bits));
}

bool StartsUpdate(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kDynamicUpdateSlice ||
      program::HasRegisterForm(instruction))
    return false;
  const HloInstruction& update = *instruction.operand(1);
  return CanBeInKernel(update) && !StaysInRegisters(update) && update.user_count() == 1 &&
         update.opcode() != HloOpcode::kConstant && update.opcode() != HloOpcode::kReshape &&
         !ShapeUtil::IsZeroElementArray(update.shape());
}

bool IsFree(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kConstant:
      return ShapeUtil::IsEffectiveScalar(instruction.shape());
    case HloOpcode::kIota:
      return true;
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
      return ShapeUtil::IsEffectiveScalar(instruction.operand(0)->shape());
    default:
      return false;
  }
}

bool MovesLastDimension(const HloInstruction& x) {
  return x.opcode() == HloOpcode::kTranspose && !x.dimensions().empty() &&
         x.dimensions().back() + 1 != static_cast<int64_t>(x.dimensions().size());
}

bool IsTransposedInTiles(const HloInstruction& x) {
  const int64_t elements = ShapeUtil::ElementsIn(x.shape());
  if (elements < kManyElements || !MovesLastDimension(x)) return false;
  int64_t wanted = 0;
  for (const HloInstruction* user : x.users())
    wanted += user->shape().IsArray() ? ShapeUtil::ElementsIn(user->shape()) : elements;
  return wanted >= elements;
}

bool IsJoinedInMemory(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kConcatenate &&
         (instruction.operand_count() > kMaxPartsOfKernel ||
          absl::c_any_of(instruction.operands(),
                         [](const HloInstruction* part) {
                           return IsTransposedInTiles(*part) && part->user_count() == 1;
                         })) &&
         !program::HasRegisterForm(instruction);
}

bool IsFilledInMemory(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kPad || instruction.IsFused() ||
      instruction.shape().is_dynamic() || instruction.operand(0)->shape().is_dynamic() ||
      program::HasRegisterForm(instruction)) {
    return false;
  }
  // Others compute with it in their own loops.
  const bool is_for_memory = absl::c_all_of(instruction.users(), [](const HloInstruction* user) {
    return user->opcode() == HloOpcode::kTuple || user->opcode() == HloOpcode::kDot ||
           user->opcode() == HloOpcode::kConvolution;
  });
  if (!is_for_memory) return false;
  const Shape &from = instruction.operand(0)->shape(), &to = instruction.shape();
  const int64_t bytes = ShapeUtil::ByteSizeOf(to);
  if (bytes < kLeastBytesOfFilled || 2 * ShapeUtil::ElementsIn(from) > ShapeUtil::ElementsIn(to))
    return false;
  // More elements apart from one another are better selected than copied.
  const auto& last = *instruction.padding_config().dimensions().rbegin();
  return (last.interior_padding() == 0 || from.dimensions().back() <= 2) &&
         bytes / ShapeUtil::ElementsIn(to) * to.dimensions().back() <= kMostBytesOfFilledRow;
}

namespace {

bool GathersWindows(const HloInstruction& gather) {
  return absl::c_any_of(gather.attributes_as<GatherAttributes>().slice_sizes,
                        [](int64_t size) { return size > 1; });
}

// Whether an instruction only brings numbers of several arrays together to the indices of a gather,
// which knows each of them by itself.
bool PutsIndicesTogether(const HloInstruction& indices, const HloInstruction& gather) {
  return indices.opcode() == HloOpcode::kConcatenate &&
         indices.dimensions(0) == gather.attributes_as<GatherAttributes>().index_vector_dim;
}

// Whether numbers come through this to such indices of windows. They are computed in vectors
// before, rather than one by one for each window.
bool IsIndexOfWindows(const HloInstruction& instruction) {
  return absl::c_any_of(instruction.users(), [&](const HloInstruction* user) {
    if (instruction.opcode() == HloOpcode::kReshape && user->opcode() == HloOpcode::kConcatenate)
      return IsIndexOfWindows(*user);
    return instruction.opcode() == HloOpcode::kConcatenate &&
           user->opcode() == HloOpcode::kGather && GathersWindows(*user) &&
           user->operand(0) != &instruction && PutsIndicesTogether(instruction, *user);
  });
}

}  // namespace

bool ReadsRepeatedly(const HloInstruction& user, const HloInstruction& operand) {
  switch (user.opcode()) {
    case HloOpcode::kBroadcast:
      // Some only add dimensions of one element, and what only says where elements lie costs
      // nothing.
      return ShapeUtil::ElementsIn(user.shape()) != ShapeUtil::ElementsIn(operand.shape()) &&
             operand.opcode() != HloOpcode::kReverse && operand.opcode() != HloOpcode::kSlice;
    case HloOpcode::kDynamicUpdateSlice:
      return &operand != user.operand(1) || &operand == user.operand(0);
    case HloOpcode::kGather: {
      // What only says where elements lie costs nothing. A transpose is made before, unless few of
      // its elements are wanted.
      if (&operand == user.operand(0)) {
        const bool are_few = kFewOfTranspose * ShapeUtil::ElementsIn(user.shape()) <=
                             ShapeUtil::ElementsIn(operand.shape());
        return operand.opcode() != HloOpcode::kBroadcast && operand.opcode() != HloOpcode::kSlice &&
               !(operand.opcode() == HloOpcode::kTranspose && are_few);
      }
      return GathersWindows(user) && !PutsIndicesTogether(operand, user);
    }
    case HloOpcode::kConcatenate:
    case HloOpcode::kReshape:
      return operand.opcode() != HloOpcode::kReshape && operand.opcode() != HloOpcode::kBroadcast &&
             IsIndexOfWindows(user);
    case HloOpcode::kScatter: {
      const int64_t number = user.operand_index(&operand);
      const auto& attributes = user.attributes_as<ScatterAttributes>();
      const int64_t arrays = user.operand_count() / 2;
      // What is updated must lie in memory. Units of work that have arrays of their own can put one
      // number everywhere first.
      if (number < arrays)
        return attributes.input_batching_dims.empty() || !passes::IsSplat(operand);
      const auto& window = attributes.update_window_dims;
      // Numbers are put together to indices of single elements, which knows each of them.
      if (number == arrays) {
        return !window.empty() || operand.opcode() != HloOpcode::kConcatenate ||
               operand.dimensions(0) != attributes.index_vector_dim;
      }
      // Only updates of whole rows are worth it.
      const int64_t last = operand.shape().dimensions_size() - 1;
      return !passes::IsSplat(operand) && (window.empty() || window.back() != last ||
                                           operand.shape().dimensions(last) < kMinFusedUpdate);
    }
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter:
      if (&operand != user.operand(0) || loops::IsScan(user)) return false;
      return absl::c_any_of(user.window().dimensions(), [](const WindowDimension& dimension) {
        return dimension.size() > 1 &&
               (dimension.stride() < dimension.size() || dimension.window_dilation() > 1);
      });
    default:
      return false;
  }
}

bool ReadsWhereWritten(const HloInstruction& instruction, const HloInstruction& update) {
  if (!ShapeUtil::SameDimensions(instruction.shape(), update.operand(1)->shape())) return false;
  const int64_t rank = update.shape().dimensions_size();
  if (instruction.opcode() == HloOpcode::kDynamicSlice) {
    for (int64_t d = 0; d < rank; ++d) {
      if (instruction.operand(1 + d) != update.operand(2 + d)) return false;
    }
    return true;
  }
  if (instruction.opcode() != HloOpcode::kSlice) return false;
  for (int64_t d = 0; d < rank; ++d) {
    if (instruction.slice_strides(d) != 1 ||
        !IsConstant(*update.operand(2 + d), instruction.slice_starts(d))) {
      return false;
    }
  }
  return true;
}

bool HasFirstDimensions(const Shape& operand, const HloInstruction& broadcast) {
  int64_t next = 0;
  for (int64_t i = 0; i < operand.dimensions_size(); ++i) {
    if (operand.dimensions(i) == 1) continue;
    while (next < broadcast.dimensions(i) && broadcast.shape().dimensions(next) == 1) ++next;
    if (broadcast.dimensions(i) != next++) return false;
  }
  return true;
}

namespace {

using Instructions = std::vector<const HloInstruction*>;

// Whether an instruction of which `is_found` says so is reachable from one, by way of those that it
// adds to `next`: no more than kMaxReaders in all are looked at, each of them once.
bool Reaches(const HloInstruction& start,
             absl::FunctionRef<bool(const HloInstruction& each, Instructions& next)> is_found) {
  Instructions waiting = {&start}, next;
  absl::flat_hash_set<const HloInstruction*> seen = {&start};
  while (!waiting.empty() && seen.size() <= kMaxReaders) {
    const HloInstruction& each = *waiting.back();
    waiting.pop_back();
    next.clear();
    if (is_found(each, next)) return true;
    absl::c_copy_if(next, std::back_inserter(waiting),
                    [&](const HloInstruction* other) { return seen.insert(other).second; });
  }
  return false;
}

}  // namespace

namespace {

// Whether an array lies in memory whatever else is computed from it.
bool IsWantedInMemory(const HloInstruction& instruction) {
  return absl::c_any_of(instruction.users(),
                        [](const HloInstruction* user) { return !CanBeInKernel(*user); });
}

}  // namespace

bool ReadsElsewhere(const HloInstruction& update) {
  return Reaches(*update.operand(1), [&](const HloInstruction& reader, Instructions& next) {
    for (const HloInstruction* operand : reader.operands()) {
      if (operand == update.operand(0)) {
        if (!ReadsWhereWritten(reader, update)) return true;
      } else if (CanBeInKernel(*operand) && !StaysInRegisters(*operand) &&
                 !IsWantedInMemory(*operand)) {
        next.push_back(operand);
      }
    }
    return false;
  });
}

bool IsReadAcrossRows(const HloInstruction& instruction, const HloInstruction& reduce) {
  if (instruction.opcode() != HloOpcode::kTranspose ||
      ShapeUtil::ElementsIn(instruction.shape()) < kManyElements) {
    return false;
  }
  const std::optional<IndexMap> map = MapFrom(*reduce.operand(0), instruction);
  if (!map.has_value() || !map->results.back().IsLinear()) return false;
  const int64_t lanes = map->dimensions - 1;
  return absl::c_none_of(map->results.back().terms(), [&](const IndexExpr::Term& term) {
    return term.variable == lanes || absl::c_linear_search(reduce.dimensions(), term.variable);
  });
}

bool HasRowsApart(const HloInstruction& transpose, int row_rank) {
  if (transpose.opcode() != HloOpcode::kTranspose ||
      ShapeUtil::ElementsIn(transpose.shape()) < kManyElements) {
    return false;
  }
  const absl::Span<const int64_t> dimensions = transpose.dimensions();
  const int64_t d = absl::c_find(dimensions, AdjacentDimension(transpose.operand(0)->shape())) -
                    dimensions.begin();
  const absl::Span<const int64_t> before = transpose.shape().dimensions().first(d);
  return absl::c_count_if(before, [](int64_t size) { return size > 1; }) < row_rank;
}

bool IsReadInPieces(const HloInstruction& instruction,
                    absl::FunctionRef<bool(const HloInstruction&)> is_here) {
  if (instruction.opcode() != HloOpcode::kTranspose ||
      ShapeUtil::ElementsIn(instruction.shape()) < kManyElements) {
    return false;
  }
  const HloInstruction* last = &instruction;
  for (const HloInstruction* each = last; each->users().size() == 1;) {
    const HloInstruction* user = each->users()[0];
    if (!is_here(*user)) break;
    if (IsKernelReduce(*user)) last = each;
    const bool moves =
        user->opcode() == HloOpcode::kTranspose || user->opcode() == HloOpcode::kReshape;
    if (!moves && !user->IsElementwise()) break;
    if (moves) last = user;
    each = user;
  }
  if (last == &instruction) return false;
  const std::optional<IndexMap> map = MapFrom(*last, instruction);
  return map.has_value() && absl::c_any_of(map->results, [](const IndexExpr& index) {
           return absl::c_any_of(index.terms(), [](const IndexExpr::Term& term) {
             return term.kind != IndexExpr::Kind::kVariable && term.of->AsVariable() < 0;
           });
         });
}

bool IsWindowInPieces(const HloInstruction& instruction,
                      absl::FunctionRef<bool(const HloInstruction&)> is_here) {
  if (instruction.opcode() != HloOpcode::kReduceWindow ||
      ShapeUtil::ElementsIn(instruction.shape()) < kManyElements) {
    return false;
  }
  return Reaches(instruction, [&](const HloInstruction& each, Instructions& next) {
    if (&each != &instruction && !each.IsElementwise()) return false;
    for (const HloInstruction* user : each.users()) {
      if (!is_here(*user)) continue;
      if (user->opcode() == HloOpcode::kReshape &&
          AdjacentElements(user->shape()) != AdjacentElements(each.shape())) {
        return true;
      }
      next.push_back(user);
    }
    return false;
  });
}

bool IsOfShortParts(const HloInstruction& concatenate) {
  if (concatenate.opcode() != HloOpcode::kConcatenate) return false;
  const auto along = static_cast<int>(concatenate.dimensions(0));
  int64_t inner = concatenate.shape().dimensions(along);
  for (int d = along + 1; d < concatenate.shape().dimensions_size(); ++d)
    inner *= concatenate.shape().dimensions(d);
  return inner < kShortPart * concatenate.operand_count();
}

bool IsReducedInShortRows(const HloInstruction& instruction, const HloInstruction& reduce) {
  const Shape& shape = instruction.shape();
  const int64_t rank = shape.dimensions_size();
  if (!IsKernelReduce(reduce) || !CanBeKernel(instruction) || rank < 2 ||
      shape.dimensions().back() >= loops::kShortRow ||
      shape.dimensions(static_cast<int>(rank) - 2) < kLeastShortRows ||
      ShapeUtil::ElementsIn(shape) > kMostElementsOfShortRows ||
      !absl::c_linear_search(reduce.dimensions(), rank - 1) ||
      !absl::c_linear_search(reduce.dimensions(), rank - 2)) {
    return false;
  }
  return Reaches(instruction, [](const HloInstruction& each, Instructions& next) {
    if (IsFree(each)) return false;
    const bool is_part =
        each.opcode() == HloOpcode::kSlice &&
        each.shape().dimensions().back() != each.operand(0)->shape().dimensions().back();
    if (is_part || each.opcode() == HloOpcode::kBroadcast || IsOfShortParts(each)) return true;
    if (each.IsElementwise()) next.assign(each.operands().begin(), each.operands().end());
    return false;
  });
}

bool IsStackedAcrossRows(const HloInstruction& instruction,
                         absl::FunctionRef<bool(const HloInstruction&)> is_here) {
  if (instruction.opcode() != HloOpcode::kTranspose ||
      ShapeUtil::ElementsIn(instruction.shape()) < kManyStacked) {
    return false;
  }
  const int adjacent = AdjacentDimension(instruction.shape());
  if (instruction.dimensions(adjacent) == AdjacentDimension(instruction.operand(0)->shape()))
    return false;
  for (const HloInstruction* each = &instruction; each->users().size() == 1;) {
    each = each->users()[0];
    if (!is_here(*each)) return false;
    if (IsOfShortParts(*each)) return true;
    if (!each->IsElementwise() && each->opcode() != HloOpcode::kReshape) return false;
  }
  return false;
}

bool IsEndOfLongPart(const HloInstruction& instruction,
                     absl::FunctionRef<int(const HloInstruction&)> place) {
  const int64_t elements = ShapeUtil::ElementsIn(instruction.shape());
  if (instruction.user_count() != 1 || !CanBeKernel(instruction) ||
      elements < kLeastElementsOfPart || elements > kMostElementsOfPart) {
    return false;
  }
  // The last one first, so that all users of each are known when it is its turn.
  std::map<int, const HloInstruction*> waiting = {{place(instruction), &instruction}};
  absl::flat_hash_set<const HloInstruction*> part;
  while (!waiting.empty() && part.size() < kLongPart) {
    const HloInstruction& last = *std::prev(waiting.end())->second;
    waiting.erase(std::prev(waiting.end()));
    if (passes::CostOfElement(last) == 0 || !CanBeInKernel(last)) continue;
    const bool is_shared =
        &last != &instruction && absl::c_any_of(last.users(), [&](const HloInstruction* user) {
          return !part.contains(user);
        });
    if (is_shared) return false;
    part.insert(&last);
    for (const HloInstruction* operand : last.operands()) waiting.emplace(place(*operand), operand);
  }
  return part.size() == kLongPart;
}

double CostWithOperands(const HloInstruction& instruction) {
  double cost = 0;
  std::vector<const HloInstruction*> waiting = {&instruction};
  absl::flat_hash_set<const HloInstruction*> seen = {&instruction};
  while (!waiting.empty() && seen.size() < kMostNeeded) {
    const HloInstruction& needed = *waiting.back();
    waiting.pop_back();
    cost += passes::CostOfElement(needed);
    for (const HloInstruction* operand : needed.operands()) {
      if (CanBeInKernel(*operand) && !ReadsRepeatedly(needed, *operand) &&
          !StaysInRegisters(*operand) && seen.insert(operand).second) {
        waiting.push_back(operand);
      }
    }
  }
  return cost;
}

}  // namespace xla::cpu
