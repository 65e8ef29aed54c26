// Kernels of select-and-scatter. Of neighbouring windows, one a lane, elements at the same place in
// their windows are never the same: what lanes chose is put into the result one place in the window
// after the other.
#include <algorithm>
#include <vector>

#include "base/status_macros.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/folding.h"
#include "cpu/emit/kernel.h"
#include "cpu/emit/kernel_function.h"
#include "cpu/emit/loops.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

class SelectAndScatterEmitter : public KernelFunction {
 public:
  SelectAndScatterEmitter(Unit& unit, const HloComputation& computation, const std::string& name)
      : KernelFunction(unit, computation, name),
        instruction_(*computation_.root_instruction()),
        operand_(*instruction_.operand(0)),
        source_(*instruction_.operand(1)),
        rank_(operand_.shape().dimensions_size()) {
    for (const WindowDimension& dimension : instruction_.window().dimensions())
      window_sizes_.push_back(dimension.size());
  }

  absl::StatusOr<Kernel> Emit();

 private:
  // Calls body(position, lanes, mask) for all positions of the shape in one row.
  absl::Status ForEachPosition(
      const Shape& shape, absl::Span<llvm::Value* const> row,
      absl::FunctionRef<absl::Status(const Position&, int lanes, llvm::Value* mask)> body);
  absl::Status Fill(absl::Span<llvm::Value* const> row);
  absl::Status EmitWindows(const Position& position, int lanes, llvm::Value* mask);

  const HloInstruction& instruction_;
  const HloInstruction& operand_;
  const HloInstruction& source_;
  const int64_t rank_;
  Sizes window_sizes_;
};

absl::Status SelectAndScatterEmitter::ForEachPosition(
    const Shape& shape, absl::Span<llvm::Value* const> row,
    absl::FunctionRef<absl::Status(const Position&, int, llvm::Value*)> body) {
  Sizes middle;
  for (int64_t d = static_cast<int64_t>(row.size()); d < rank_ - 1; ++d)
    middle.push_back(shape.dimensions(d));
  return EmitLoopNest(
             b_, middle, {},
             [&](absl::Span<llvm::Value* const> index, Carried) -> absl::StatusOr<Carried> {
               Position position;
               for (llvm::Value* i : row) position.push_back({i});
               for (llvm::Value* i : index) position.push_back({i});
               if (static_cast<int64_t>(position.size()) == rank_) {
                 HILO_RETURN_IF_ERROR(body(position, 1, nullptr));
                 return Carried();
               }
               HILO_RETURN_IF_ERROR(
                   ForEachColumn(shape.dimensions(rank_ - 1),
                                 [&](llvm::Value* column, int lanes, llvm::Value* mask, Builder&) {
                                   Position at = position;
                                   at.push_back({column, 1});
                                   return body(at, lanes, mask);
                                 }));
               return Carried();
             })
      .status();
}

absl::Status SelectAndScatterEmitter::Fill(absl::Span<llvm::Value* const> row) {
  HILO_ASSIGN_OR_RETURN(const Lanes initial,
                        Elements(b_, 1, Leaf()).At(*instruction_.operand(2), {}, nullptr));
  return ForEachPosition(
      operand_.shape(), row, [&](const Position& position, int lanes, llvm::Value* mask) {
        StoreAt(b_, operand_.shape(), Splat(b_, initial, lanes), ResultArray(0), position, mask);
        return absl::OkStatus();
      });
}

absl::Status SelectAndScatterEmitter::EmitWindows(const Position& position, int lanes,
                                                  llvm::Value* mask) {
  Elements elements(b_, lanes, Leaf());
  HILO_ASSIGN_OR_RETURN(const Lanes source, elements.At(source_, position, mask));
  llvm::Type* numbers = WithLanes(b_.getInt64Ty(), lanes);

  // The number in its window of the element that is chosen, -1 while there is none, and its value.
  const std::vector<Lanes> none = {{llvm::Constant::getAllOnesValue(numbers)},
                                   IntegerConstant(b_, operand_.shape().element_type(), 0, lanes)};
  const Window& window = instruction_.window();
  HILO_ASSIGN_OR_RETURN(
      const std::vector<Lanes> chosen,
      elements.FoldOverWindow(
          window_sizes_, none,
          [&](Elements& inner, absl::Span<const Coordinate> index, llvm::Value* number,
              const std::vector<Lanes>& running) -> absl::StatusOr<std::vector<Lanes>> {
            Builder& b = inner.builder();
            llvm::Value* inside = nullptr;
            const Position at = inner.InWindow(window, operand_.shape(), position, index, inside);
            inside = And(b, mask, inside);
            HILO_ASSIGN_OR_RETURN(const Lanes value, inner.At(operand_, at, inside));
            HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> keeps,
                                  cpu::Fold(b, *instruction_.select(), {running[1]}, {value}));
            llvm::Value* is_first =
                b.CreateICmpSLT(running[0].re, llvm::Constant::getNullValue(numbers));
            llvm::Value* takes = And(b, inside, b.CreateOr(is_first, b.CreateNot(keeps[0].re)));
            return SelectLanes(b, takes, {Splat(b, {number}, lanes), value}, running);
          }));
  return elements
      .FoldOverWindow(
          window_sizes_, {},
          [&](Elements& inner, absl::Span<const Coordinate> index, llvm::Value* number,
              const std::vector<Lanes>&) -> absl::StatusOr<std::vector<Lanes>> {
            Builder& b = inner.builder();
            llvm::Value* hit = b.CreateICmpEQ(chosen[0].re, Splat(b, {number}, lanes).re);
            llvm::Value* inside = nullptr;
            const Position at = inner.InWindow(window, operand_.shape(), position, index, inside);
            const Lanes current = LoadAt(b, operand_.shape(), ResultArray(0), at, lanes, hit);
            HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> next,
                                  cpu::Fold(b, *instruction_.scatter(), {current}, {source}));
            StoreAt(b, operand_.shape(), next[0], ResultArray(0), at, hit);
            return std::vector<Lanes>();
          })
      .status();
}

absl::StatusOr<Kernel> SelectAndScatterEmitter::Emit() {
  // Rows are what no window crosses.
  Sizes outer;
  for (int64_t d = 0; d + 1 < rank_; ++d) {
    const WindowDimension& dimension = instruction_.window().dimensions(static_cast<int>(d));
    if (dimension.size() != 1 || dimension.stride() != 1 || dimension.padding_low() != 0 ||
        dimension.padding_high() != 0 || dimension.base_dilation() != 1) {
      break;
    }
    outer.push_back(operand_.shape().dimensions(d));
  }
  HILO_RETURN_IF_ERROR(EmitLoop(b_, begin_, end_, 1, [&](llvm::Value* number) -> absl::Status {
    const std::vector<llvm::Value*> row = Delinearize(b_, number, outer);
    HILO_RETURN_IF_ERROR(Fill(row));
    return ForEachPosition(source_.shape(), row,
                           [&](const Position& position, int lanes, llvm::Value* mask) {
                             return EmitWindows(position, lanes, mask);
                           });
  }));
  Finish();
  const int64_t rows = Product(outer);
  const double work = static_cast<double>(ShapeUtil::ElementsIn(operand_.shape())) +
                      static_cast<double>(ShapeUtil::ElementsIn(source_.shape())) *
                          static_cast<double>(Product(window_sizes_));
  return Kernel{function_, rows, work / static_cast<double>(std::max<int64_t>(1, rows))};
}

}  // namespace

absl::StatusOr<Kernel> EmitSelectAndScatter(Unit& unit, const HloComputation& computation,
                                            const std::string& name) {
  return SelectAndScatterEmitter(unit, computation, name).Emit();
}

}  // namespace xla::cpu
