#include "cpu/plan/product_chain.h"

#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"
#include "ir/op_info.h"
#include "passes/partition/loop_map.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using passes::LoopMap;

constexpr size_t kMostMembers = 256;

// Whether a copy with smaller shapes of result and operands does the same with a part of them.
bool CanBeDivided(const HloInstruction& instruction) {
  if (instruction.HasSideEffect() || instruction.HasControlDependencies()) return false;
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kDot:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kPad:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSort:
    case HloOpcode::kTopK:
    case HloOpcode::kTranspose:
      return true;
    default:
      return HasTrait(instruction.opcode(), kElementwise) && instruction.operand_count() > 0;
  }
}

// Of the first array of a tuple, which the others are like.
int64_t ElementsOf(const HloInstruction& instruction) {
  const Shape& shape = instruction.shape();
  return ShapeUtil::ElementsIn(shape.IsTuple() ? shape.tuple_shapes(0) : shape);
}

// Whether it only changes or moves elements of its operands.
bool IsElementByElement(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
      return true;
    default:
      return HasTrait(instruction.opcode(), kElementwise);
  }
}

// ---- Divisions

// Turns of the loop that is divided: so many of them for elements of the product.
struct DividedLoop {
  int loop = -1;
  int64_t factor = 1, divisor = 1;

  bool operator==(const DividedLoop&) const = default;
};

// How many elements each turn of the outermost loop along a dimension has.
int64_t ElementsOfTurn(const LoopMap& map, const LoopMap::Dimension& dimension) {
  int64_t elements = 1;
  for (size_t i = 1; i < dimension.size(); ++i) elements *= map.loops[dimension[i]].size;
  return elements;
}

// The outermost loop along the divided dimension of an array; nothing where its turns need each
// other.
std::optional<DividedLoop> LoopOf(const LoopMap& map, const LoopMap::Dimensions& dimensions,
                                  const ArrayDivision& division) {
  const LoopMap::Dimension& along = dimensions[division.dimension];
  if (along.empty() || map.loops[along[0]].kind != LoopMap::Kind::kEach) return std::nullopt;
  const int64_t elements = ElementsOfTurn(map, along);
  const int64_t common = std::gcd(division.factor, elements);
  return DividedLoop{along[0], division.factor / common, division.divisor * (elements / common)};
}

// How an array is divided where the turns of a loop are. Nothing where the loop walks along none of
// its dimensions, so that each turn needs the whole array, as `is_whole` says then, and where it is
// not the outermost loop along one.
std::optional<ArrayDivision> DivisionOf(const LoopMap& map, const LoopMap::Dimensions& dimensions,
                                        const DividedLoop& turns, bool& is_whole) {
  std::optional<ArrayDivision> division;
  is_whole = true;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (!absl::c_linear_search(dimensions[d], turns.loop)) continue;
    if (dimensions[d][0] != turns.loop || !is_whole) return std::nullopt;
    is_whole = false;
    const int64_t elements = ElementsOfTurn(map, dimensions[d]);
    const int64_t common = std::gcd(elements, turns.divisor);
    division = ArrayDivision{static_cast<int>(d), turns.factor * (elements / common),
                             turns.divisor / common};
  }
  return division;
}

std::optional<OperandDivisions> DivideOperands(const LoopMap& map, const DividedLoop& turns) {
  OperandDivisions divisions = {{}, turns.divisor};
  for (const LoopMap::Dimensions& operand : map.operands) {
    bool is_whole = false;
    divisions.operands.push_back(DivisionOf(map, operand, turns, is_whole));
    if (!divisions.operands.back().has_value() && !is_whole) return std::nullopt;
  }
  return divisions;
}

// The same division of all results.
std::optional<ArrayDivision> DivideResults(const LoopMap& map, const DividedLoop& turns) {
  std::optional<ArrayDivision> division;
  for (const LoopMap::Dimensions& result : map.results) {
    bool is_whole = false;
    const std::optional<ArrayDivision> own = DivisionOf(map, result, turns, is_whole);
    if (!own.has_value() || own != division.value_or(*own)) return std::nullopt;
    division = own;
  }
  return division;
}

// An instruction that is computed in blocks, and what it reads besides others that are.
void Add(const HloInstruction& instruction, const ArrayDivision& own, const OperandDivisions& read,
         ChainDivision& division) {
  division.unit = std::lcm(division.unit, read.unit);
  division.computed.emplace(&instruction, own);
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (read.operands[i].has_value() && !division.computed.contains(instruction.operand(i)))
      division.operands.emplace(std::make_pair(&instruction, i), *read.operands[i]);
  }
}

}  // namespace

std::optional<OperandDivisions> DivideOperands(const HloInstruction& instruction,
                                               const ArrayDivision& result) {
  const LoopMap map = passes::LoopMapOf(instruction);
  if (map.IsUnknown()) return std::nullopt;
  const std::optional<DividedLoop> turns = LoopOf(map, map.results[0], result);
  if (!turns.has_value() || DivideResults(map, *turns) != result) return std::nullopt;
  return DivideOperands(map, *turns);
}

// ---- Which instructions

std::optional<ProductChain> ProductChain::Find(HloInstruction& product) {
  ProductChain chain(product);
  const std::vector<HloInstruction*> order = product.parent()->MakeInstructionPostOrder();
  chain.FindMembers(order);
  if (chain.members_.size() > kMostMembers || !chain.KeepsLargeArrays()) return std::nullopt;
  chain.FindProducers(order);
  for (HloInstruction* each : order) {
    if (chain.members_.contains(each) || chain.producers_.contains(each))
      chain.instructions_.push_back(each);
  }
  return chain;
}

bool ProductChain::IsLarge(const HloInstruction& instruction) const {
  return ElementsOf(instruction) * 2 > ElementsOf(*product_);
}

bool ProductChain::IsOutput(const HloInstruction& member) const {
  return members_.contains(&member) &&
         (member.IsRoot() || absl::c_any_of(member.users(), [&](const HloInstruction* user) {
            return !members_.contains(user);
          }));
}

// Of what depends on the product all that depends on it by members alone and reads large ones, with
// what is made between them of reductions: the greatest of each row, for example.
void ProductChain::FindMembers(const std::vector<HloInstruction*>& order) {
  absl::flat_hash_set<const HloInstruction*> dependents = {product_};
  const auto depends = [&](const HloInstruction* operand) { return dependents.contains(operand); };
  const auto reads_large = [&](const HloInstruction& each) {
    return absl::c_any_of(each.operands(), [&](const HloInstruction* operand) {
      return members_.contains(operand) && IsLarge(*operand);
    });
  };
  members_ = {product_};
  for (const HloInstruction* each : order) {
    if (absl::c_none_of(each->operands(), depends)) continue;
    dependents.insert(each);
    if (!CanBeDivided(*each) || (!reads_large(*each) && !IsElementByElement(*each))) continue;
    if (absl::c_all_of(each->operands(), [&](const HloInstruction* operand) {
          return !depends(operand) || members_.contains(operand);
        })) {
      members_.insert(each);
    }
  }
  for (auto each = order.rbegin(); each != order.rend(); ++each) {
    if (!members_.contains(*each) || *each == product_ || reads_large(**each)) continue;
    if (absl::c_none_of((*each)->users(),
                        [&](const HloInstruction* user) { return members_.contains(user); })) {
      members_.erase(*each);
    }
  }
}

// Whether nothing else needs the large arrays, and more than the kernel that makes them reads one.
bool ProductChain::KeepsLargeArrays() const {
  const auto is_large_member = [&](const HloInstruction* each) {
    return members_.contains(each) && IsLarge(*each);
  };
  return absl::c_none_of(
             members_,
             [&](const HloInstruction* each) { return IsLarge(*each) && IsOutput(*each); }) &&
         absl::c_any_of(members_, [&](const HloInstruction* each) {
           return !IsElementByElement(*each) && absl::c_any_of(each->operands(), is_large_member);
         });
}

void ProductChain::FindProducers(const std::vector<HloInstruction*>& order) {
  for (auto each = order.rbegin(); each != order.rend(); ++each) {
    const HloInstruction& producer = **each;
    if (members_.contains(&producer) || !producer.shape().IsArray() || !IsLarge(producer) ||
        !CanBeDivided(producer) || producer.opcode() == HloOpcode::kGetTupleElement ||
        producer.IsRoot() || producer.user_count() == 0) {
      continue;
    }
    if (absl::c_all_of(producer.users(), [&](const HloInstruction* user) {
          return members_.contains(user) || producers_.contains(user);
        })) {
      producers_.insert(&producer);
    }
  }
  if (producers_.size() > kMostMembers) producers_.clear();
}

int64_t ProductChain::LargestBytes() const {
  int64_t largest = 0;
  for (const HloInstruction* member : members_) {
    if (member->shape().IsArray())
      largest = std::max<int64_t>(largest, ShapeUtil::ByteSizeOf(member->shape()));
  }
  return largest;
}

// ---- How they are divided

bool ProductChain::DivideMember(const HloInstruction& member, ChainDivision& division) const {
  if (member.opcode() == HloOpcode::kGetTupleElement) {
    division.computed.emplace(&member, division.computed.at(member.operand(0)));
    return true;
  }
  const LoopMap map = passes::LoopMapOf(member);
  if (map.IsUnknown()) return false;
  std::optional<DividedLoop> turns;
  for (int64_t i = 0; i < member.operand_count(); ++i) {
    const auto operand = division.computed.find(member.operand(i));
    if (operand == division.computed.end()) continue;
    const std::optional<DividedLoop> own = LoopOf(map, map.operands[i], operand->second);
    if (!own.has_value() || own != turns.value_or(*own)) return false;
    turns = own;
  }
  if (!turns.has_value()) return false;
  const std::optional<ArrayDivision> result = DivideResults(map, *turns);
  const std::optional<OperandDivisions> operands = DivideOperands(map, *turns);
  if (!result.has_value() || !operands.has_value()) return false;
  Add(member, *result, *operands, division);
  for (int64_t i = 0; i < member.operand_count(); ++i) {
    const auto computed = division.computed.find(member.operand(i));
    if (computed != division.computed.end() && operands->operands[i] != computed->second)
      return false;
  }
  return true;
}

// As all of its readers want it. Otherwise it is computed as a whole.
void ProductChain::DivideProducer(const HloInstruction& producer, ChainDivision& division) const {
  std::optional<ArrayDivision> wanted;
  for (const HloInstruction* user : producer.users()) {
    if (!division.computed.contains(user)) return;
    for (int64_t i = 0; i < user->operand_count(); ++i) {
      if (user->operand(i) != &producer) continue;
      const auto own = division.operands.find({user, i});
      if (own == division.operands.end() || own->second != wanted.value_or(own->second)) return;
      wanted = own->second;
    }
  }
  const std::optional<OperandDivisions> operands = DivideOperands(producer, *wanted);
  if (operands.has_value()) Add(producer, *wanted, *operands, division);
}

std::optional<ChainDivision> ProductChain::Divide(int64_t dimension) const {
  ChainDivision division = {dimension};
  const ArrayDivision whole = {static_cast<int>(dimension)};
  const std::optional<OperandDivisions> operands = DivideOperands(*product_, whole);
  if (!operands.has_value()) return std::nullopt;
  Add(*product_, whole, *operands, division);
  for (const HloInstruction* each : instructions_) {
    if (each != product_ && members_.contains(each) && !DivideMember(*each, division))
      return std::nullopt;
  }
  for (auto each = instructions_.rbegin(); each != instructions_.rend(); ++each) {
    if (producers_.contains(*each)) DivideProducer(**each, division);
  }
  return division;
}

}  // namespace xla::cpu
