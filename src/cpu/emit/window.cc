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

absl::StatusOr<std::vector<Lanes>> Elements::InitialValues(const HloInstruction& fold) {
  const int64_t count = fold.operand_count() / 2;
  std::vector<Lanes> initial;
  for (int64_t k = 0; k < count; ++k) {
    HILO_ASSIGN_OR_RETURN(const Lanes scalar, Scalar(*fold.operand(count + k)));
    initial.push_back(Splat(b_, scalar, lanes_));
  }
  return initial;
}

// Without dimensions: each element and the initial value.
absl::StatusOr<std::vector<Lanes>> Elements::Fold(const HloInstruction& reduce,
                                                  const Position& position, llvm::Value* mask) {
  HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> initial, InitialValues(reduce));
  std::vector<Lanes> values;
  for (size_t k = 0; k < initial.size(); ++k) {
    HILO_ASSIGN_OR_RETURN(values.emplace_back(), At(*reduce.operand(k), position, mask));
  }
  return cpu::Fold(b_, *reduce.to_apply(), initial, values);
}

// Elements of the window in order; what lies in padding or in holes is left out.
absl::StatusOr<std::vector<Lanes>> Elements::FoldWindow(const HloInstruction& reduce_window,
                                                        const Position& position,
                                                        llvm::Value* mask) {
  const Window& window = reduce_window.window();
  const Shape& input = reduce_window.operand(0)->shape();
  HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> initial, InitialValues(reduce_window));
  const auto fold = [&](Elements& elements, absl::Span<const Coordinate> index,
                        const std::vector<Lanes>& running) -> absl::StatusOr<std::vector<Lanes>> {
    Position moved;
    llvm::Value* inside = nullptr;
    for (size_t d = 0; d < position.size(); ++d) {
      const WindowDimension& dimension = window.dimensions(static_cast<int>(d));
      Coordinate x =
          elements.Plus(elements.Plus(elements.Times(position[d], dimension.stride()),
                                      elements.Times(index[d], dimension.window_dilation())),
                        -dimension.padding_low());
      if (dimension.padding_low() > 0 || dimension.padding_high() > 0 ||
          dimension.base_dilation() != 1) {
        x = elements.WithoutHoles(x, input.dimensions(d), dimension.base_dilation(), inside);
      }
      moved.push_back(x);
    }
    std::vector<Lanes> values;
    for (size_t k = 0; k < running.size(); ++k) {
      HILO_ASSIGN_OR_RETURN(values.emplace_back(),
                            elements.At(*reduce_window.operand(k), moved, And(b_, mask, inside)));
    }
    return cpu::Fold(b_, *reduce_window.to_apply(), running, values, inside);
  };

  std::vector<int64_t> sizes;
  int64_t count = 1;
  for (const WindowDimension& dimension : window.dimensions()) {
    sizes.push_back(dimension.size());
    count = count > kMaxUnrolled ? count : count * dimension.size();
  }
  if (count <= kMaxUnrolled) {
    std::vector<Lanes> running = initial;
    for (const std::vector<int64_t>& index : AllIndices(sizes)) {
      std::vector<Coordinate> at;
      for (int64_t i : index) at.push_back({b_.getInt64(static_cast<uint64_t>(i))});
      HILO_ASSIGN_OR_RETURN(running, fold(*this, at, running));
    }
    return running;
  }
  HILO_ASSIGN_OR_RETURN(
      const Carried total,
      EmitLoopNest(
          b_, sizes, ToCarried(initial),
          [&](absl::Span<llvm::Value* const> index, Carried carried) -> absl::StatusOr<Carried> {
            // What is computed in the loop is not known behind it.
            Elements elements(b_, lanes_, leaf_, outer_);
            std::vector<Coordinate> at;
            for (llvm::Value* i : index) at.push_back({i, 0, nullptr, /*is_inner=*/true});
            HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> running,
                                  fold(elements, at, FromCarried(carried, initial)));
            return ToCarried(running);
          }));
  return FromCarried(total, initial);
}

}  // namespace xla::cpu
