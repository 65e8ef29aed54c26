#include "cpu/plan/products.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "codegen/program/register_form.h"
#include "cpu/plan/converted_factors.h"
#include "ir/records.h"
#include "passes/expand/dot.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Products of elements that take no longer than a call does.
constexpr int64_t kMostProducts = 512;
// Products of two matrices, and of a matrix and a vector, that are too small for tiles, however
// many groups there are.
constexpr int64_t kMostProductsOfMatrices = 256;
constexpr int64_t kMostProductsOfVector = 4096;
// The same of complex numbers, which library kernels take apart and put together again, where loops
// go along rows of some length; fewer where they do not lie beside each other in the right matrix.
constexpr int64_t kMostProductsOfComplexMatrices = 2048, kMostProductsOfComplexRows = 768;
constexpr int64_t kLeastColumnsOfComplex = 5;
// The same of numbers of less than 32 bits, which library kernels widen first, and where their
// results are rounded again; half as many where both sides have sums of adjacent elements, which
// pairs of numbers are multiplied for at once.
constexpr int64_t kMostProductsOfNarrowMatrices = 768, kMostProductsOfRoundedMatrices = 4096;
// Library kernels multiply pairs of narrow numbers at once.
constexpr int64_t kMostProductsOfNarrowVector = 512;
// So few sums of complex products, or of integers that library kernels widen and narrow again
// unless they multiply pairs of adjacent ones, read both sides where they lie, however long they
// are.
constexpr int64_t kMostLongSums = 32;
// Sums of so few products with a vector, of adjacent real numbers or of others, with two, or with a
// few that are as short, are faster in loops over elements, which read short rows as vectors of
// several.
constexpr int64_t kMostDepthOfRow = 48, kMostDepthOfVector = 16, kMostDepthOfTwo = 9;
constexpr int64_t kMostVectors = 4;
// The same of those that are rounded, and of integers of less than 32 bits.
constexpr int64_t kMostRoundedVectors = 8, kMostDepthOfRounded = 16;
// One sum of products, where its factors are computed for it alone.
constexpr int64_t kMostDepthOfComputed = 1 << 16;
// Of what comes out of memory, a library kernel reads long rows one after the other.
constexpr int64_t kMostElementsInCaches = 1 << 20;

int64_t CountAlong(const Shape& shape, absl::Span<const int64_t> dimensions) {
  int64_t count = 1;
  for (const int64_t d : dimensions) count *= shape.dimensions(static_cast<int>(d));
  return count;
}

// Something that would be written only to be read again by the one that needs it.
bool IsComputedForOneUser(const HloInstruction* operand) {
  while (operand->opcode() == HloOpcode::kReshape && operand->user_count() == 1)
    operand = operand->operand(0);
  return operand->user_count() == 1 &&
         (operand->IsElementwise() || operand->opcode() == HloOpcode::kSlice ||
          operand->opcode() == HloOpcode::kDynamicSlice) &&
         operand->operand_count() > 0;
}

bool AreAdjacent(absl::Span<const int64_t> dimensions) {
  const auto [first, last] = std::minmax_element(dimensions.begin(), dimensions.end());
  return dimensions.empty() || *last - *first < static_cast<int64_t>(dimensions.size());
}

bool HasLast(absl::Span<const int64_t> dimensions, const Shape& shape) {
  return absl::c_linear_search(dimensions, shape.dimensions_size() - 1);
}

// Whether there are other dimensions in front of these and behind them.
bool LiesBetween(absl::Span<const int64_t> dimensions, const Shape& shape) {
  const int64_t first = dimensions.empty() ? 0 : *absl::c_min_element(dimensions);
  return !HasLast(dimensions, shape) && Product(shape.dimensions().first(first)) > 1;
}

bool HasAdjacentSums(const HloInstruction& dot, int side) {
  const auto& attributes = dot.attributes_as<DotAttributes>();
  return HasLast(side == 0 ? attributes.lhs_contracting : attributes.rhs_contracting,
                 dot.operand(side)->shape());
}

bool HasAdjacentBatch(const HloInstruction& dot, int side) {
  const auto& attributes = dot.attributes_as<DotAttributes>();
  return HasLast(side == 0 ? attributes.lhs_batch : attributes.rhs_batch,
                 dot.operand(side)->shape());
}

// Whether numbers of less than 32 bits are widened, and sums of them rounded.
bool IsOfNarrow(const HloInstruction& dot) {
  return primitive_util::BitWidth(dot.operand(0)->shape().element_type()) < 32;
}
bool IsRounded(const HloInstruction& dot) {
  return passes::SumTypeOfDot(dot) != dot.shape().element_type();
}

// Whether library kernels multiply numbers of less than 32 bits as they lie along a vector. Others
// are widened in copies, where loops widen them in registers.
bool IsReadInPlace(const HloInstruction& dot, int matrix) {
  const PrimitiveType type = dot.operand(matrix)->shape().element_type();
  const bool is_byte = type == S8 || type == U8;
  const bool is_half = type == F16 && HasHalves(*dot.parent()->parent()) &&
                       ShapeUtil::ElementsIn(dot.operand(matrix)->shape()) > kMostElementsInCaches;
  return type == BF16 || ((is_byte || is_half) && passes::SumTypeOfDot(dot) == F32) ||
         (type == S16 && HasAdjacentSums(dot, matrix));
}

int64_t MostProductsOfMatrices(const HloInstruction& dot) {
  if (primitive_util::IsComplexType(dot.shape().element_type()) &&
      dot.shape().dimensions().back() >= kLeastColumnsOfComplex) {
    return HasAdjacentSums(dot, 1) ? kMostProductsOfComplexRows : kMostProductsOfComplexMatrices;
  }
  if (!IsOfNarrow(dot)) return kMostProductsOfMatrices;
  if (!IsRounded(dot)) return kMostProductsOfNarrowMatrices;
  return HasAdjacentSums(dot, 0) && HasAdjacentSums(dot, 1) ? kMostProductsOfRoundedMatrices / 2
                                                            : kMostProductsOfRoundedMatrices;
}

bool IsSmall(const HloInstruction& dot) {
  const Shape& lhs = dot.operand(0)->shape();
  if (program::HasRegisterForm(dot)) return false;
  const auto& attributes = dot.attributes_as<DotAttributes>();
  const int64_t groups = CountAlong(lhs, attributes.lhs_batch);
  const int64_t depth = CountAlong(lhs, attributes.lhs_contracting);
  if (groups * depth == 0) return true;
  // Little is added up: a product of elements, which others are computed with.
  const PrimitiveType type = dot.shape().element_type();
  const bool is_of_narrow_integers = IsOfNarrow(dot) && primitive_util::IsIntegralType(type);
  const bool is_complex = primitive_util::IsComplexType(lhs.element_type());
  if (!is_complex &&
      (depth == 1 || (passes::IsShallowDot(dot) &&
                      (primitive_util::BitWidth(type) >= 32 || is_of_narrow_integers)))) {
    return true;
  }
  const int64_t products = ShapeUtil::ElementsIn(dot.shape()) / groups * depth;
  if (products <= kMostProducts / groups) return true;
  const bool is_widened = primitive_util::IsIntegralType(type) &&
                          primitive_util::BitWidth(type) <= 16 &&
                          !(HasAdjacentSums(dot, 0) && HasAdjacentSums(dot, 1));
  if ((is_complex || is_widened) && products / depth <= kMostLongSums) return true;
  if (ShapeUtil::ElementsIn(dot.shape()) == 1 && depth <= kMostDepthOfComputed &&
      absl::c_any_of(dot.operands(), IsComputedForOneUser))
    return true;
  const int64_t long_side =
      ShapeUtil::ElementsIn(lhs) >= ShapeUtil::ElementsIn(dot.operand(1)->shape()) ? 0 : 1;
  const Shape& matrix = dot.operand(long_side)->shape();
  const auto& contracted = long_side == 0 ? attributes.lhs_contracting : attributes.rhs_contracting;
  const bool has_adjacent_sums = HasAdjacentSums(dot, static_cast<int>(long_side));
  const int64_t vectors =
      ShapeUtil::ElementsIn(dot.operand(1 - long_side)->shape()) / (groups * depth);
  const bool is_narrow_matrix = (vectors <= 2 && depth <= kMostDepthOfTwo) ||
                                (vectors <= kMostVectors && depth <= kMostVectors);
  if (vectors > 1 && (IsRounded(dot) || is_of_narrow_integers) && vectors <= kMostRoundedVectors &&
      depth <= kMostDepthOfRounded) {
    return true;
  }
  if (vectors == 1 && IsOfNarrow(dot) && !IsReadInPlace(dot, static_cast<int>(long_side)))
    return true;
  if (groups == 1) {
    if (vectors > 1 && IsOfNarrow(dot) && products <= MostProductsOfMatrices(dot)) return true;
    // Library kernels take complex numbers apart, and sums that are not adjacent in copies.
    if (vectors > 1) return is_narrow_matrix && (has_adjacent_sums || is_complex);
    if (has_adjacent_sums) return depth <= (is_complex ? kMostDepthOfVector : kMostDepthOfRow);
    // Several matrices would be copied to be one.
    if (LiesBetween(contracted, matrix)) return true;
    return depth <= kMostDepthOfVector && ShapeUtil::ElementsIn(matrix) <= kMostElementsInCaches;
  }
  if (vectors > 1) return products <= MostProductsOfMatrices(dot) || is_narrow_matrix;
  // A matrix whose contracted dimensions are not adjacent would be copied.
  if (!has_adjacent_sums && !AreAdjacent(contracted)) return true;
  // Matrices that lie one in the other are multiplied by a library kernel in their order, and so
  // are vectors that both do.
  const bool lie_in_each_other =
      HasAdjacentBatch(dot, static_cast<int>(long_side)) &&
      (products > depth || HasAdjacentBatch(dot, static_cast<int>(1 - long_side)));
  return products <= (IsOfNarrow(dot) ? kMostProductsOfNarrowVector : kMostProductsOfVector) &&
         !lie_in_each_other;
}

// The dimensions of one side of a dot.
struct Side {
  std::vector<int64_t>& batch;
  std::vector<int64_t>& contracting;
};

// Elements that so many others meet repay a transpose.
constexpr int64_t kLeastReadsOfTransposed = 8;

// Whether an operand is the transpose of matrices that lie one in the other, each of which many
// rows or columns of others meet that lie one behind the other.
bool IsTransposedForMany(const HloInstruction& dot, int64_t number) {
  const HloInstruction& operand = *dot.operand(number);
  const HloInstruction& other = *dot.operand(1 - number);
  const auto& attributes = dot.attributes_as<DotAttributes>();
  const int64_t last = operand.shape().dimensions_size() - 1;
  const auto& batch = number == 0 ? attributes.lhs_batch : attributes.rhs_batch;
  const bool has_batch_last =
      absl::c_any_of(batch, [&](int64_t d) { return operand.dimensions(d) == last; });
  if (!has_batch_last || HasAdjacentBatch(dot, static_cast<int>(1 - number)) ||
      other.opcode() == HloOpcode::kTranspose) {
    return false;
  }
  const Shape& lhs = dot.operand(0)->shape();
  return ShapeUtil::ElementsIn(other.shape()) >= kLeastReadsOfTransposed *
                                                     CountAlong(lhs, attributes.lhs_batch) *
                                                     CountAlong(lhs, attributes.lhs_contracting);
}

// Reads what an operand is the transpose of instead. The dimensions that only this side has stay in
// their order.
absl::StatusOr<bool> ReadUntransposed(HloInstruction& dot, int64_t number) {
  HloInstruction* operand = dot.mutable_operand(number);
  if (operand->opcode() != HloOpcode::kTranspose || IsTransposedForMany(dot, number)) return false;
  auto& attributes = dot.mutable_attributes_as<DotAttributes>();
  const Side side = number == 0 ? Side{attributes.lhs_batch, attributes.lhs_contracting}
                                : Side{attributes.rhs_batch, attributes.rhs_contracting};
  const auto& from = operand->dimensions();
  std::vector<int64_t> free = passes::FreeDimensions(dot, static_cast<int>(number));
  for (int64_t& d : free) d = from[d];
  if (!absl::c_is_sorted(free)) return false;
  for (std::vector<int64_t>* dimensions : {&side.batch, &side.contracting}) {
    for (int64_t& d : *dimensions) d = from[d];
  }
  HILO_RETURN_IF_ERROR(dot.ReplaceOperandWithDifferentShape(number, operand->mutable_operand(0)));
  return true;
}

// The order of dimensions that a dot's result has when its sides are exchanged.
std::vector<int64_t> ExchangedOrder(const HloInstruction& dot) {
  const auto& attributes = dot.attributes_as<DotAttributes>();
  const int64_t rank = dot.shape().dimensions_size();
  const int64_t batch = static_cast<int64_t>(attributes.lhs_batch.size());
  const int64_t rows = dot.operand(0)->shape().dimensions_size() - batch -
                       static_cast<int64_t>(attributes.lhs_contracting.size());
  std::vector<int64_t> exchanged(rank);
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t columns = rank - batch - rows;
    exchanged[d] = d < batch ? d : d < batch + columns ? d + rows : d - columns;
  }
  return exchanged;
}

// Dots and all that is computed of their elements, which others read transposed only. The same is
// computed of the dots of the exchanged sides without transposes.
class TransposedRegion {
 public:
  static std::optional<TransposedRegion> Find(HloInstruction& transpose) {
    TransposedRegion region(transpose);
    region.Require(transpose.mutable_operand(0));
    while (region.is_possible_ && !region.waiting_.empty()) region.Visit();
    if (!region.is_possible_ || !region.has_dot_) return std::nullopt;
    return region;
  }

  absl::Status Rewrite() {
    HloComputation& computation = *transposes_[0]->parent();
    for (HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
      if (seen_.contains(instruction)) added_[instruction] = Transposed(*instruction);
    }
    for (HloInstruction* transpose : transposes_) {
      HILO_RETURN_IF_ERROR(transpose->ReplaceAllUsesWith(added_.at(transpose->operand(0))));
    }
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kMostInstructions = 256;

  explicit TransposedRegion(const HloInstruction& transpose)
      : shape_(transpose.operand(0)->shape()),
        order_(transpose.dimensions().begin(), transpose.dimensions().end()) {}

  void Require(HloInstruction* instruction) {
    if (seen_.insert(instruction).second) waiting_.push_back(instruction);
    is_possible_ = is_possible_ && seen_.size() <= kMostInstructions;
  }

  void Visit() {
    HloInstruction& instruction = *waiting_.back();
    waiting_.pop_back();
    is_possible_ = ShapeUtil::SameDimensions(instruction.shape(), shape_) && shape_.is_static();
    if (!is_possible_ || IsOfOneNumber(instruction)) return;
    if (instruction.opcode() == HloOpcode::kDot) {
      has_dot_ = true;
      is_possible_ = instruction.operand_count() == 2 && ExchangedOrder(instruction) == order_;
    } else {
      is_possible_ = instruction.IsElementwise() && instruction.operand_count() > 0 &&
                     instruction.called_computations().empty();
      for (HloInstruction* operand : instruction.operands()) {
        if (operand->shape().dimensions_size() > 0) Require(operand);
      }
    }
    is_possible_ = is_possible_ && !instruction.IsRoot();
    for (HloInstruction* user : instruction.users()) {
      if (!is_possible_) return;
      if (user->opcode() != HloOpcode::kTranspose) {
        Require(user);
      } else if (absl::c_equal(user->dimensions(), order_)) {
        if (!absl::c_linear_search(transposes_, user)) transposes_.push_back(user);
      } else {
        is_possible_ = false;
      }
    }
  }

  static bool IsOfOneNumber(const HloInstruction& instruction) {
    return instruction.opcode() == HloOpcode::kBroadcast &&
           instruction.operand(0)->shape().dimensions_size() == 0;
  }

  HloInstruction* Transposed(HloInstruction& instruction) {
    Shape shape = instruction.shape();
    for (size_t d = 0; d < order_.size(); ++d)
      shape.set_dimensions(static_cast<int>(d), instruction.shape().dimensions(order_[d]));
    std::vector<HloInstruction*> operands(instruction.operands().begin(),
                                          instruction.operands().end());
    if (instruction.opcode() == HloOpcode::kDot) {
      std::swap(operands[0], operands[1]);
    } else {
      for (HloInstruction*& operand : operands) {
        if (operand->shape().dimensions_size() > 0) operand = added_.at(operand);
      }
    }
    HloInstruction* added =
        instruction.parent()->AddInstruction(instruction.CloneWithNewOperands(shape, operands));
    if (instruction.opcode() != HloOpcode::kDot) return added;
    auto& attributes = added->mutable_attributes_as<DotAttributes>();
    std::swap(attributes.lhs_batch, attributes.rhs_batch);
    std::swap(attributes.lhs_contracting, attributes.rhs_contracting);
    auto* precision = attributes.precision.mutable_operand_precision();
    if (precision->size() == 2) precision->SwapElements(0, 1);
    return added;
  }

  const Shape shape_;
  const std::vector<int64_t> order_;
  absl::flat_hash_set<HloInstruction*> seen_;
  std::vector<HloInstruction*> waiting_, transposes_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> added_;
  bool is_possible_ = true, has_dot_ = false;
};

absl::StatusOr<bool> ExchangeSides(HloInstruction& transpose) {
  if (transpose.opcode() != HloOpcode::kTranspose || transpose.IsDead()) return false;
  std::optional<TransposedRegion> region = TransposedRegion::Find(transpose);
  if (!region.has_value()) return false;
  HILO_RETURN_IF_ERROR(region->Rewrite());
  return true;
}

}  // namespace

absl::StatusOr<bool> FoldTransposesIntoDots(HloModule& module) {
  bool changed = false;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      HILO_ASSIGN_OR_RETURN(const bool exchanged, ExchangeSides(*instruction));
      changed |= exchanged;
    }
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kDot || instruction->operand_count() != 2) continue;
      for (int64_t number : {0, 1}) {
        HILO_ASSIGN_OR_RETURN(const bool folded, ReadUntransposed(*instruction, number));
        changed |= folded;
      }
    }
  }
  if (!changed) return false;
  // Transposes that nobody reads any more.
  HILO_RETURN_IF_ERROR(passes::RemoveDeadCode(module).status());
  return true;
}

absl::StatusOr<bool> ExpandSmallDots(HloModule& module) {
  return passes::ExpandDotsIf(IsSmall, module);
}

}  // namespace xla::cpu
