#include "cpu/plan/block_products.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "cpu/plan/product_chain.h"
#include "data/sizes.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "passes/cost.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// What is computed of few arrays by so few cheap operations is computed in each block.
constexpr int kMostOperationsOfBlock = 16;

// ---- Which blocks

struct Blocking {
  ChainDivision division;
  int64_t size, block;  // of the dimension, of which the last block may have elements again

  int64_t blocks() const { return CeilOfRatio(size, block); }
};

bool IsBatch(const HloInstruction& product, int64_t dimension) {
  return dimension < static_cast<int64_t>(product.attributes_as<DotAttributes>().lhs_batch.size());
}

// How long blocks of a dimension of this size are, so that a large array of so many bytes is
// divided well; the size where they had better not be divided.
int64_t BlockSize(int64_t size, int64_t bytes, bool is_batch, const BlockLimits& limits) {
  const int64_t bytes_of_one = CeilOfRatio(bytes, size);
  int64_t block = std::max<int64_t>(limits.block_bytes / bytes_of_one, 1);
  if (!is_batch) {
    block = std::max(block, std::min(limits.rows, limits.most_block_bytes / bytes_of_one));
    if (block < limits.least_rows) return size;
  }
  return block >= size ? size : CeilOfRatio(size, CeilOfRatio(size, block));
}

// What each block reads of arrays that are not divided with it, where `outer` loops divide them.
int64_t BytesReadAgain(const ProductChain& chain, const ChainDivision& division,
                       const std::vector<Blocking>& outer) {
  absl::flat_hash_set<const HloInstruction*> known;
  int64_t bytes = 0;
  for (const HloInstruction* reader : chain.instructions()) {
    if (!division.computed.contains(reader)) continue;
    for (int64_t i = 0; i < reader->operand_count(); ++i) {
      const HloInstruction& array = *reader->operand(i);
      if (division.computed.contains(&array) || division.operands.contains({reader, i}) ||
          !known.insert(&array).second) {
        continue;
      }
      int64_t own = ShapeUtil::ByteSizeOf(array.shape());
      for (const Blocking& each : outer) {
        if (each.division.operands.contains({reader, i})) own /= each.blocks();
      }
      bytes += own;
    }
  }
  return bytes;
}

// Along all dimensions that can be divided until blocks are small enough, the outermost first;
// none where they cannot be so small.
std::vector<Blocking> FindBlockings(const HloInstruction& product, const ProductChain& chain,
                                    const BlockLimits& limits) {
  std::vector<Blocking> blockings;
  int64_t bytes = chain.LargestBytes();
  for (int64_t d = 0; d < product.shape().dimensions_size() && bytes > limits.block_bytes; ++d) {
    const int64_t size = product.shape().dimensions(static_cast<int>(d));
    int64_t block = BlockSize(size, bytes, IsBatch(product, d), limits);
    if (block >= size) continue;
    std::optional<ChainDivision> division = chain.Divide(d);
    if (!division.has_value()) continue;
    block = RoundUpTo(block, division->unit);
    const int64_t bytes_of_block = CeilOfRatio(bytes, size) * block;
    if (block >= size || BytesReadAgain(chain, *division, blockings) > bytes_of_block) continue;
    bytes = bytes_of_block;
    blockings.push_back({*std::move(division), size, block});
  }
  if (bytes > limits.most_block_bytes) blockings.clear();
  return blockings;
}

// ---- The loop

Shape PartOf(const Shape& shape, const ArrayDivision& division, int64_t block) {
  if (shape.IsTuple()) {
    std::vector<Shape> parts;
    for (const Shape& part : shape.tuple_shapes()) parts.push_back(PartOf(part, division, block));
    return ShapeUtil::MakeTupleShape(parts);
  }
  Sizes sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[division.dimension] = division.Scale(block);
  return ShapeUtil::MakeShape(shape.element_type(), sizes);
}

// Iotas, broadcasts and what little is made of them and other arrays.
bool IsCheap(const HloInstruction& array, int& operations) {
  if (array.opcode() == HloOpcode::kIota) return true;
  if (array.opcode() == HloOpcode::kBroadcast)
    return ShapeUtil::ElementsIn(array.operand(0)->shape()) < ShapeUtil::ElementsIn(array.shape());
  return HasTrait(array.opcode(), kElementwise) && array.operand_count() > 0 &&
         !array.HasSideEffect() && !array.HasControlDependencies() && !passes::IsExpensive(array) &&
         ++operations <= kMostOperationsOfBlock;
}
// Of these all the way down, where another array is what everything else is made of.
bool IsCheapThroughout(const HloInstruction& array, int& operations) {
  if (!IsCheap(array, operations)) return false;
  if (array.opcode() == HloOpcode::kIota || array.opcode() == HloOpcode::kBroadcast) return true;
  return absl::c_all_of(array.operands(), [&](const HloInstruction* operand) {
    return ShapeUtil::IsScalar(operand->shape()) || operand->opcode() == HloOpcode::kParameter ||
           operand->opcode() == HloOpcode::kConstant ||
           operand->opcode() == HloOpcode::kGetTupleElement ||
           IsCheapThroughout(*operand, operations);
  });
}

// Its state is the number of the block, what the chain reads and what it makes.
class BlockLoop {
 public:
  BlockLoop(const ProductChain& chain, const Blocking& blocking)
      : chain_(chain), blocking_(blocking), outside_(chain.product()), builder_("block") {}

  // The product of a block, in the loop's body, stands for the product now.
  absl::StatusOr<HloInstruction*> Make() {
    state_ = {outside_.Number(S64, 0)};
    parameter_ = builder_.AddInstruction(
        HloInstruction::CreateParameter(0, ShapeUtil::MakeTupleShape({}), "state"));
    number_ = Element(0);
    for (const HloInstruction* each : chain_.instructions()) {
      if (Computed(*each) != nullptr) parts_[{each, -1}] = MakePart(*each);
    }
    std::vector<HloInstruction*> written;
    std::vector<std::pair<HloInstruction*, int64_t>> outputs;  // and where they are in the state
    for (HloInstruction* member : chain_.instructions()) {
      if (!chain_.IsOutput(*member)) continue;
      outputs.push_back({member, static_cast<int64_t>(state_.size())});
      Write(*member, written);
    }
    HloInstruction* loop = outside_.Add(Loop(written));
    for (const auto& [member, element] : outputs)
      HILO_RETURN_IF_ERROR(ReplaceOutside(*member, Result(loop, element, member->shape())));
    return parts_.at({&chain_.product(), -1});
  }

 private:
  HloInstruction* Inside(std::unique_ptr<HloInstruction> instruction,
                         const HloInstruction& origin) {
    instruction->set_metadata(origin.metadata());
    return builder_.AddInstruction(std::move(instruction));
  }
  static std::unique_ptr<HloInstruction> Index(int64_t number) {
    return HloInstruction::CreateConstant(LiteralUtil::CreateR0<int64_t>(number));
  }
  HloInstruction* Binary(HloOpcode opcode, HloInstruction* x, int64_t y) {
    return builder_.AddInstruction(
        HloInstruction::CreateBinary(x->shape(), opcode, x, builder_.AddInstruction(Index(y))));
  }

  HloInstruction* Element(int64_t i) {
    return builder_.AddInstruction(
        HloInstruction::CreateGetTupleElement(state_[i]->shape(), parameter_, i));
  }
  HloInstruction* AddToState(HloInstruction* initial) {
    state_.push_back(initial);
    return Element(static_cast<int64_t>(state_.size()) - 1);
  }

  // Where the block begins in an array; slices and updates move the last one to where it ends with
  // the array.
  HloInstruction* Start(const ArrayDivision& division) {
    HloInstruction*& start = starts_[{division.factor, division.divisor}];
    if (start != nullptr) return start;
    const int64_t block = division.Scale(blocking_.block);
    return start = block == 1 ? number_ : Binary(HloOpcode::kMultiply, number_, block);
  }
  HloInstruction* MovedStart(const ArrayDivision& division) {
    HloInstruction* start = Start(division);
    if (blocking_.size % blocking_.block == 0) return start;
    return Binary(HloOpcode::kMinimum, start, division.Scale(blocking_.size - blocking_.block));
  }
  std::vector<HloInstruction*> Starts(const Shape& shape, const ArrayDivision& division) {
    std::vector<HloInstruction*> starts(shape.dimensions_size(), builder_.AddInstruction(Index(0)));
    starts[division.dimension] = Start(division);
    return starts;
  }

  // ---- What a block has

  // How an instruction's arrays are divided, if blocks of them are computed; null otherwise.
  const ArrayDivision* Computed(const HloInstruction& instruction) const {
    const auto found = blocking_.division.computed.find(&instruction);
    return found == blocking_.division.computed.end() ? nullptr : &found->second;
  }

  HloInstruction* MakePart(const HloInstruction& member) {
    std::vector<HloInstruction*> operands;
    for (int64_t i = 0; i < member.operand_count(); ++i)
      operands.push_back(PartOfOperand(member, i));
    return Inside(member.CloneWithNewOperands(
                      PartOf(member.shape(), *Computed(member), blocking_.block), operands),
                  member);
  }
  HloInstruction* PartOfOperand(const HloInstruction& member, int64_t i) {
    HloInstruction* operand = const_cast<HloInstruction*>(member.operand(i));
    if (Computed(*operand) != nullptr) return parts_.at({operand, -1});
    const auto division = blocking_.division.operands.find({&member, i});
    return division == blocking_.division.operands.end() ? Whole(operand)
                                                         : Part(operand, division->second);
  }

  HloInstruction* Whole(HloInstruction* array) {
    HloInstruction*& whole = whole_[array];
    if (whole != nullptr) return whole;
    if (array->opcode() == HloOpcode::kConstant && ShapeUtil::IsScalar(array->shape())) {
      whole = Inside(array->Clone(""), *array);
    } else {
      whole = AddToState(array);
    }
    return whole;
  }

  HloInstruction* Part(HloInstruction* array, const ArrayDivision& division) {
    HloInstruction*& part = parts_[{array, division.dimension}];
    if (part != nullptr) return part;
    HloInstruction* made = Compute(*array, division);
    if (made == nullptr) made = Slice(array, division);
    return parts_[{array, division.dimension}] = made;
  }

  HloInstruction* Slice(HloInstruction* array, const ArrayDivision& division) {
    const Shape part = PartOf(array->shape(), division, blocking_.block);
    return Inside(HloInstruction::CreateDynamicSlice(
                      part, Whole(array), Starts(array->shape(), division), part.dimensions()),
                  *array);
  }

  // Null where a slice of the whole array costs less.
  HloInstruction* Compute(HloInstruction& array, const ArrayDivision& division) {
    int operations = 0;
    if (!IsCheapThroughout(array, operations)) return nullptr;
    const Shape part = PartOf(array.shape(), division, blocking_.block);
    if (array.opcode() == HloOpcode::kIota) return Count(array, part, division);
    const std::optional<OperandDivisions> divisions = DivideOperands(array, division);
    if (!divisions.has_value()) return nullptr;
    std::vector<HloInstruction*> operands;
    for (int64_t i = 0; i < array.operand_count(); ++i) {
      HloInstruction* operand = array.mutable_operand(i);
      const std::optional<ArrayDivision>& own = divisions->operands[i];
      operands.push_back(own.has_value() ? Part(operand, *own) : Whole(operand));
    }
    return Inside(array.CloneWithNewOperands(part, operands), array);
  }

  HloInstruction* Count(const HloInstruction& iota, const Shape& part,
                        const ArrayDivision& division) {
    const int64_t along = iota.attributes_as<OneDimensionAttributes>().dimension;
    if (along != division.dimension) return Inside(HloInstruction::CreateIota(part, along), iota);
    const Shape numbers = ShapeUtil::ChangeElementType(part, S64);
    HloInstruction* start =
        Inside(HloInstruction::CreateBroadcast(numbers, MovedStart(division), {}), iota);
    HloInstruction* count = Inside(HloInstruction::CreateIota(numbers, along), iota);
    HloInstruction* sum =
        Inside(HloInstruction::CreateBinary(numbers, HloOpcode::kAdd, count, start), iota);
    return Inside(HloInstruction::CreateConvert(part, sum), iota);
  }

  // ---- What the loop makes

  // Puts the block of each of a member's arrays where it belongs.
  void Write(const HloInstruction& member, std::vector<HloInstruction*>& written) {
    const ArrayDivision& division = *Computed(member);
    HloInstruction* part = parts_.at({&member, -1});
    const bool is_tuple = member.shape().IsTuple();
    for (int i = 0; i < (is_tuple ? member.shape().tuple_shapes_size() : 1); ++i) {
      const Shape& shape = is_tuple ? member.shape().tuple_shapes(i) : member.shape();
      HloInstruction* zero = outside_.Constant(
          Literal::CreateFromShape(ShapeUtil::MakeShape(shape.element_type(), {})));
      HloInstruction* array = AddToState(outside_.Broadcast(zero, shape.dimensions()));
      HloInstruction* block =
          is_tuple ? Inside(HloInstruction::CreateGetTupleElement(part, i), member) : part;
      written.push_back(Inside(
          HloInstruction::CreateDynamicUpdateSlice(shape, array, block, Starts(shape, division)),
          member));
    }
  }
  HloInstruction* Result(HloInstruction* loop, int64_t element, const Shape& shape) {
    if (!shape.IsTuple()) return outside_.Part(loop, element);
    std::vector<HloInstruction*> parts;
    for (int i = 0; i < shape.tuple_shapes_size(); ++i)
      parts.push_back(outside_.Part(loop, element + i));
    return outside_.Tuple(parts);
  }

  std::unique_ptr<HloInstruction> Loop(const std::vector<HloInstruction*>& written) {
    HloModule& module = *chain_.product().GetModule();
    const int64_t read = static_cast<int64_t>(state_.size() - written.size());
    std::vector<HloInstruction*> next = {Binary(HloOpcode::kAdd, number_, 1)};
    for (int64_t i = 1; i < read; ++i) next.push_back(Element(i));
    next.insert(next.end(), written.begin(), written.end());
    builder_.AddInstruction(HloInstruction::CreateTuple(next));
    HloInstruction* initial = outside_.Tuple(state_);
    *parameter_->mutable_shape() = initial->shape();
    HloComputation* body = module.AddEmbeddedComputation(builder_.Build());
    return HloInstruction::CreateWhile(initial->shape(), Condition(initial->shape(), module), body,
                                       initial);
  }
  HloComputation* Condition(const Shape& state, HloModule& module) {
    HloComputation::Builder builder("is_block_left");
    HloInstruction* parameter =
        builder.AddInstruction(HloInstruction::CreateParameter(0, state, "state"));
    HloInstruction* number =
        builder.AddInstruction(HloInstruction::CreateGetTupleElement(parameter, 0));
    builder.AddInstruction(HloInstruction::CreateCompare(
        ShapeUtil::MakeShape(PRED, {}), number, builder.AddInstruction(Index(blocking_.blocks())),
        Comparison::Direction::kLt));
    return module.AddEmbeddedComputation(builder.Build());
  }

  // Members are not needed any more.
  absl::Status ReplaceOutside(HloInstruction& member, HloInstruction* result) const {
    if (member.IsRoot()) member.parent()->set_root_instruction(result);
    const std::vector<HloInstruction*> users(member.users().begin(), member.users().end());
    for (HloInstruction* user : users) {
      if (Computed(*user) != nullptr) continue;
      HILO_RETURN_IF_ERROR(member.ReplaceUseWith(user, result));
    }
    return absl::OkStatus();
  }

  const ProductChain& chain_;
  const Blocking& blocking_;
  passes::GraphBuilder outside_;
  HloComputation::Builder builder_;  // of the body
  HloInstruction* parameter_ = nullptr;
  HloInstruction* number_ = nullptr;
  std::vector<HloInstruction*> state_;  // as it begins
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> whole_;
  // By the dimension that is divided, -1 for members.
  absl::flat_hash_map<std::pair<const HloInstruction*, int>, HloInstruction*> parts_;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, HloInstruction*> starts_;
};

// ---- Which products

bool IsDividable(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kDot && instruction.operand_count() == 2 &&
         instruction.shape().is_static() && !ShapeUtil::IsZeroElementArray(instruction.shape());
}

// One loop after the other, each in the body of the one before.
absl::StatusOr<bool> Block(HloInstruction* product, const BlockLimits& limits) {
  bool changed = false;
  while (IsDividable(*product) &&
         (changed || ShapeUtil::ByteSizeOf(product->shape()) * 2 >= limits.large_bytes)) {
    const std::optional<ProductChain> chain = ProductChain::Find(*product);
    if (!chain.has_value() || (!changed && chain->LargestBytes() < limits.large_bytes)) break;
    const std::vector<Blocking> blockings = FindBlockings(*product, *chain, limits);
    if (blockings.empty()) break;
    HloComputation& computation = *product->parent();
    HILO_ASSIGN_OR_RETURN(product, BlockLoop(*chain, blockings[0]).Make());
    HILO_RETURN_IF_ERROR(passes::RemoveDeadCode(computation).status());
    changed = true;
  }
  return changed;
}

// The first product that can be, as later ones of its chain are no products of their own.
absl::StatusOr<bool> BlockFirst(HloComputation& computation, const BlockLimits& limits) {
  for (HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    HILO_ASSIGN_OR_RETURN(const bool changed, Block(instruction, limits));
    if (changed) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> BlockProducts(HloModule& module, const BlockLimits& limits) {
  bool changed = false;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    while (true) {
      HILO_ASSIGN_OR_RETURN(const bool more, BlockFirst(*computation, limits));
      if (!more) break;
      changed = true;
    }
  }
  return changed;
}

absl::StatusOr<bool> BlockProducts(HloModule& module) {
  return BlockProducts(module, BlockLimits());
}

}  // namespace xla::cpu
