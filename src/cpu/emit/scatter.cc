#include "cpu/emit/scatter.h"

#include <limits>

#include "base/status_macros.h"
#include "cpu/emit/folding.h"
#include "ir/records.h"
#include "llvm/IR/Intrinsics.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Where all that windows need is computed in one block, LLVM finds what elements have in common.
void ComputeHere(const Level& level, Position& position) {
  for (Coordinate& x : position) x.level = level.number();
}

}  // namespace

absl::StatusOr<StartOfUpdate> FindStart(Level& level, const loops::Node& node,
                                        const Position& position, std::vector<LoopRange>& ranges) {
  const HloInstruction& scatter = *node.values[0];
  const IndexMap map = UpdateMap(scatter);
  Builder& b = level.b;
  const auto number = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  Position index;
  for (int d : node.dimensions) index.push_back(position[d]);
  StartOfUpdate found;
  for (const Start& start : StartsOf(scatter)) {
    const HloInstruction& indices = *scatter.operand(start.operand);
    HILO_ASSIGN_OR_RETURN(
        const Lanes value,
        level.elements.At(indices, level.elements.Through(start.index, index).first, nullptr));
    const bool is_signed = !primitive_util::IsUnsignedIntegralType(indices.shape().element_type());
    llvm::Value* first = b.CreateIntCast(value.re, b.getInt64Ty(), is_signed);
    // A window at a number that is too large for 64 bits with sign begins behind the array.
    if (!is_signed) {
      first = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, first,
                                      number(std::numeric_limits<int64_t>::max()));
    }
    const int64_t d = scatter.attributes_as<ScatterAttributes>()
                          .scatter_dims_to_operand_dims[found.starts.size()];
    const IndexExpr::Term& window = map.results[d].terms()[0];
    if (window.variable == start.symbol) {
      const auto [begin, end] = ranges[d];
      found.is_inside = And(b, found.is_inside,
                            b.CreateICmpULT(b.CreateSub(first, begin), b.CreateSub(end, begin)));
    } else {
      // From further away it would not reach the array either.
      const auto least = llvm::Intrinsic::smin, most = llvm::Intrinsic::smax;
      llvm::Value* size = number(map.sizes[window.variable]);
      llvm::Value* bound = number(map.sizes[start.symbol]);
      first = b.CreateBinaryIntrinsic(most, first, b.CreateNeg(size));
      first = b.CreateBinaryIntrinsic(least, first, bound);
      ranges[node.dimensions[window.variable]] = {
          b.CreateBinaryIntrinsic(most, b.CreateNeg(first), number(0)),
          b.CreateBinaryIntrinsic(least, b.CreateSub(bound, first), size)};
    }
    found.starts.push_back({first, 0, nullptr, level.number()});
  }
  return found;
}

absl::Status ScatterUpdates(Level& level, const HloInstruction& scatter, const Position& starts,
                            const Position& index, absl::Span<llvm::Value* const> arrays,
                            llvm::Value* mask) {
  const int64_t count = loops::ArraysOf(scatter);
  Builder& b = level.b;
  Position variables = index;
  variables.insert(variables.end(), starts.begin(), starts.end());
  IndexMap map = UpdateMap(scatter);
  map.guards.clear();  // loops have none of what is outside
  const Position target = level.elements.Through(map, variables).first;
  std::vector<Lanes> current, updates;
  for (int64_t k = 0; k < count; ++k) {
    const HloInstruction& update = *scatter.operand(count + 1 + k);
    HILO_ASSIGN_OR_RETURN(updates.emplace_back(), level.elements.At(update, index, mask));
    current.push_back(LoadAt(b, loops::ArrayShape(scatter, k), arrays[k], target,
                             LaneCount(updates.back()), mask));
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> next,
                        Fold(b, *scatter.to_apply(), current, updates));
  for (int64_t k = 0; k < count; ++k)
    StoreAt(b, loops::ArrayShape(scatter, k), next[k], arrays[k], target, mask);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Lanes>> SelectInWindows(Level& level, const HloInstruction& instruction,
                                                   Position index, llvm::Value* mask) {
  ComputeHere(level, index);
  const HloInstruction& operand = *instruction.operand(0);
  const IndexMap map = UpdateMap(instruction);
  HILO_ASSIGN_OR_RETURN(const Lanes source,
                        level.elements.At(*instruction.operand(1), index, mask));
  const int lanes = LaneCount(source);
  llvm::Type* numbers = WithLanes(level.b.getInt64Ty(), lanes);
  const std::vector<Lanes> none = {
      {llvm::Constant::getAllOnesValue(numbers)},
      IntegerConstant(level.b, operand.shape().element_type(), 0, lanes)};
  HILO_ASSIGN_OR_RETURN(
      const std::vector<Lanes> chosen,
      level.elements.FoldOverWindow(
          absl::MakeConstSpan(map.sizes).subspan(index.size()), none,
          [&](Elements& inner, absl::Span<const Coordinate> element, llvm::Value* number,
              const std::vector<Lanes>& running) -> absl::StatusOr<std::vector<Lanes>> {
            Builder& b = inner.builder();
            Position variables = index;
            variables.insert(variables.end(), element.begin(), element.end());
            const auto [at, is_element] = inner.Through(map, variables);
            llvm::Value* inside = And(b, mask, is_element);
            HILO_ASSIGN_OR_RETURN(const Lanes value, inner.At(operand, at, inside));
            HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> keeps,
                                  Fold(b, *instruction.select(), {running[1]}, {value}));
            llvm::Value* is_first =
                b.CreateICmpSLT(running[0].re, llvm::Constant::getNullValue(numbers));
            llvm::Value* takes = And(b, inside, b.CreateOr(is_first, b.CreateNot(keeps[0].re)));
            return SelectLanes(b, takes, {Splat(b, {number}, lanes), value}, running);
          }));
  return std::vector<Lanes>{chosen[0], source};
}

// Of adjacent windows, one a lane, elements at the same place in their windows are never the same:
// what lanes chose is put into the result one place in the window after the other.
absl::Status ScatterChosen(Level& level, const HloInstruction& instruction,
                           absl::Span<const Lanes> chosen, Position index, llvm::Value* array) {
  ComputeHere(level, index);
  const Shape& shape = instruction.shape();
  const IndexMap map = UpdateMap(instruction);
  const int lanes = LaneCount(chosen[0]);
  return level.elements
      .FoldOverWindow(
          absl::MakeConstSpan(map.sizes).subspan(index.size()), {},
          [&](Elements& inner, absl::Span<const Coordinate> element, llvm::Value* number,
              const std::vector<Lanes>&) -> absl::StatusOr<std::vector<Lanes>> {
            Builder& b = inner.builder();
            llvm::Value* hit = b.CreateICmpEQ(chosen[0].re, Splat(b, {number}, lanes).re);
            Position variables = index;
            variables.insert(variables.end(), element.begin(), element.end());
            const Position at = inner.Through(map, variables).first;
            const Lanes current = LoadAt(b, shape, array, at, lanes, hit);
            HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> next,
                                  Fold(b, *instruction.scatter(), {current}, {chosen[1]}));
            StoreAt(b, shape, next[0], array, at, hit);
            return std::vector<Lanes>();
          })
      .status();
}

}  // namespace xla::cpu
