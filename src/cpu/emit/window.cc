#include <vector>

#include "base/status_macros.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/folding.h"
#include "cpu/emit/loops.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Windows of so many elements are written out without a loop.
constexpr int64_t kMaxUnrolled = 16;

std::vector<std::vector<int64_t>> AllIndices(absl::Span<const int64_t> sizes) {
  std::vector<std::vector<int64_t>> indices = {{}};
  for (int64_t size : sizes) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t>& index : indices) {
      for (int64_t i = 0; i < size; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    }
    indices = std::move(longer);
  }
  return indices;
}

}  // namespace

absl::StatusOr<std::vector<Lanes>> Elements::FoldOverWindow(absl::Span<const int64_t> sizes,
                                                            const std::vector<Lanes>& initial,
                                                            WindowFold fold) {
  int64_t count = 1;
  for (int64_t size : sizes) count = count > kMaxUnrolled ? count : count * size;
  if (count <= kMaxUnrolled) {
    std::vector<Lanes> running = initial;
    uint64_t number = 0;
    for (const std::vector<int64_t>& index : AllIndices(sizes)) {
      std::vector<Coordinate> at;
      for (int64_t i : index) at.push_back({b_.getInt64(static_cast<uint64_t>(i))});
      HILO_ASSIGN_OR_RETURN(running, fold(*this, at, b_.getInt64(number++), running));
    }
    return running;
  }
  // What does not change in the loop is added here, before the loop is joined to it.
  llvm::BasicBlock* first =
      llvm::BasicBlock::Create(b_.getContext(), "window", b_.GetInsertBlock()->getParent());
  Builder inside(first, &b_);
  Elements inner(inside, lanes_, leaf_, this);
  HILO_ASSIGN_OR_RETURN(
      const Carried total,
      EmitLoopNest(
          inside, sizes, ToCarried(initial),
          [&](absl::Span<llvm::Value* const> index, Carried carried) -> absl::StatusOr<Carried> {
            std::vector<Coordinate> at;
            llvm::Value* number = inside.getInt64(0);
            for (size_t d = 0; d < index.size(); ++d) {
              at.push_back({index[d], 0, nullptr, inner.level()});
              number = inside.CreateAdd(
                  inside.CreateMul(number, inside.getInt64(static_cast<uint64_t>(sizes[d]))),
                  index[d]);
            }
            HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> running,
                                  fold(inner, at, number, FromCarried(carried, initial)));
            return ToCarried(running);
          }));
  Join(b_, first, inside);
  return FromCarried(total, initial);
}

// Elements of the window in order; what lies in padding or in holes is left out.
absl::StatusOr<std::vector<Lanes>> Elements::ReduceWindow(const HloInstruction& reduce_window,
                                                          const Position& position,
                                                          llvm::Value* mask) {
  const int64_t count = reduce_window.operand_count() / 2;
  std::vector<Lanes> initial;
  for (int64_t k = 0; k < count; ++k) {
    HILO_ASSIGN_OR_RETURN(const Lanes scalar, Scalar(*reduce_window.operand(count + k)));
    initial.push_back(Splat(b_, scalar, lanes_));
  }
  const IndexMap map = *OperandMap(reduce_window, 0);
  return FoldOverWindow(
      absl::MakeConstSpan(map.sizes).subspan(position.size()), initial,
      [&](Elements& inner, absl::Span<const Coordinate> index, llvm::Value*,
          const std::vector<Lanes>& running) -> absl::StatusOr<std::vector<Lanes>> {
        Position variables = position;
        variables.insert(variables.end(), index.begin(), index.end());
        const auto [at, inside] = inner.Through(map, variables);
        llvm::Value* both = And(inner.b_, mask, inside);
        std::vector<Lanes> values;
        for (int64_t k = 0; k < count; ++k) {
          HILO_ASSIGN_OR_RETURN(values.emplace_back(),
                                inner.At(*reduce_window.operand(k), at, both));
        }
        return Fold(inner.b_, *reduce_window.to_apply(), running, values, inside);
      });
}

}  // namespace xla::cpu
