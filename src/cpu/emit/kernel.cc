#include "cpu/emit/kernel.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/folding.h"
#include "cpu/emit/kernel_function.h"
#include "cpu/emit/loops.h"
#include "cpu/emit/scalar_function.h"
#include "llvm/IR/Module.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

class KernelEmitter : public KernelFunction {
 public:
  using KernelFunction::KernelFunction;

  absl::StatusOr<Kernel> Emit();

 private:
  absl::StatusOr<Kernel> EmitElementLoop(absl::Span<const HloInstruction* const> roots);
  absl::StatusOr<Kernel> EmitReduction(const HloInstruction& reduce);
  absl::Status EmitRowReduction(const HloInstruction& reduce, absl::Span<llvm::Value* const> kept);
  absl::Status EmitColumnReduction(const HloInstruction& reduce,
                                   absl::Span<llvm::Value* const> outer);
};

absl::StatusOr<Kernel> KernelEmitter::EmitElementLoop(
    absl::Span<const HloInstruction* const> roots) {
  const Shape& shape = roots[0]->shape();
  const Sizes sizes(shape.dimensions().begin(), shape.dimensions().end());
  const int64_t rank = static_cast<int64_t>(sizes.size());
  const int64_t columns = rank == 0 ? 1 : sizes.back();
  const absl::Span<const int64_t> outer =
      absl::MakeConstSpan(sizes).first(std::max<int64_t>(0, rank - 1));

  const auto emit = [&](absl::Span<llvm::Value* const> row, llvm::Value* column, int lanes,
                        llvm::Value* mask, Builder& before) -> absl::Status {
    Elements invariant(before, 1, Leaf());
    Elements elements(b_, lanes, Leaf(), &before == &b_ ? nullptr : &invariant);
    Position position;
    for (llvm::Value* index : row) position.push_back({index});
    if (rank > 0) position.push_back({column, 1, nullptr, true});
    for (size_t r = 0; r < roots.size(); ++r) {
      HILO_ASSIGN_OR_RETURN(const Lanes value, elements.At(*roots[r], position, mask));
      StoreAt(b_, roots[r]->shape(), value, ResultArray(static_cast<int64_t>(r)), position, mask);
    }
    return absl::OkStatus();
  };

  const double reads = static_cast<double>(computation_.num_parameters() + roots.size());
  if (rank <= 1) {
    // Rows are blocks of lanes.
    const int lanes = LanesFor(columns);
    const int64_t blocks = columns / lanes;
    const int64_t tail = columns - blocks * lanes;
    llvm::Value* last = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end_, b_.getInt64(blocks));
    HILO_RETURN_IF_ERROR(EmitLoopBehind(begin_, last, 1, [&](llvm::Value* i, Builder& before) {
      return emit({}, b_.CreateMul(i, b_.getInt64(lanes)), lanes, nullptr, before);
    }));
    if (tail > 0) {
      llvm::BasicBlock* rest = llvm::BasicBlock::Create(b_.getContext(), "tail", function_);
      llvm::BasicBlock* done = llvm::BasicBlock::Create(b_.getContext(), "done", function_);
      b_.CreateCondBr(b_.CreateICmpSGT(end_, b_.getInt64(blocks)), rest, done);
      b_.SetInsertPoint(rest);
      HILO_RETURN_IF_ERROR(
          emit({}, b_.getInt64(blocks * lanes), lanes, FirstLanes(b_, lanes, tail), b_));
      b_.CreateBr(done);
      b_.SetInsertPoint(done);
    }
    Finish();
    return Kernel{function_, blocks + (tail > 0), lanes * reads};
  }
  HILO_RETURN_IF_ERROR(EmitLoop(b_, begin_, end_, 1, [&](llvm::Value* number) {
    const std::vector<llvm::Value*> row = Delinearize(b_, number, outer);
    return ForEachColumn(columns,
                         [&](llvm::Value* column, int lanes, llvm::Value* mask, Builder& before) {
                           return emit(row, column, lanes, mask, before);
                         });
  }));
  Finish();
  return Kernel{function_, Product(outer), static_cast<double>(columns) * reads};
}

// ---- Reductions

absl::StatusOr<Kernel> KernelEmitter::EmitReduction(const HloInstruction& reduce) {
  const Shape& input = reduce.operand(0)->shape();
  const absl::Span<const int64_t> reduced = reduce.dimensions();
  const int64_t rank = input.dimensions_size();
  Sizes kept;
  for (int64_t d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(reduced, d)) kept.push_back(input.dimensions(d));
  }
  const bool by_rows = kept.empty() || absl::c_linear_search(reduced, rank - 1);
  const absl::Span<const int64_t> outer =
      by_rows ? absl::MakeConstSpan(kept) : absl::MakeConstSpan(kept).first(kept.size() - 1);
  HILO_RETURN_IF_ERROR(EmitLoop(b_, begin_, end_, 1, [&](llvm::Value* number) {
    const std::vector<llvm::Value*> row = Delinearize(b_, number, outer);
    return by_rows ? EmitRowReduction(reduce, row) : EmitColumnReduction(reduce, row);
  }));
  Finish();
  const int64_t rows = Product(outer);
  const double work = static_cast<double>(ShapeUtil::ElementsIn(input)) *
                      static_cast<double>(reduce.operand_count() / 2);
  return Kernel{function_, rows, rows == 0 ? 0 : work / static_cast<double>(rows)};
}

// Kept and reduced indices, in the order of the input's dimensions.
Position Merge(const HloInstruction& reduce, absl::Span<const Coordinate> kept,
               absl::Span<const Coordinate> reduced) {
  Position position;
  size_t k = 0, r = 0;
  for (int64_t d = 0; d < reduce.operand(0)->shape().dimensions_size(); ++d) {
    position.push_back(absl::c_linear_search(reduce.dimensions(), d) ? reduced[r++] : kept[k++]);
  }
  return position;
}

Sizes ReducedSizes(const HloInstruction& reduce) {
  Sizes sizes;
  for (int64_t d = 0; d < reduce.operand(0)->shape().dimensions_size(); ++d) {
    if (absl::c_linear_search(reduce.dimensions(), d))
      sizes.push_back(reduce.operand(0)->shape().dimensions(d));
  }
  return sizes;
}

std::vector<Coordinate> Coordinates(absl::Span<llvm::Value* const> index) {
  std::vector<Coordinate> coordinates;
  for (llvm::Value* each : index) coordinates.push_back({each});
  return coordinates;
}

// Lanes are folded separately and put together at the end: results depend on the number of lanes,
// but on nothing else.
absl::Status KernelEmitter::EmitRowReduction(const HloInstruction& reduce,
                                             absl::Span<llvm::Value* const> kept) {
  const HloComputation& computation = *reduce.to_apply();
  const int64_t count = reduce.operand_count() / 2;
  const Sizes sizes = ReducedSizes(reduce);
  const int64_t columns = sizes.back();
  const int lanes = columns < 4 ? 1 : LanesFor(columns);
  const int usable = lanes > columns ? lanes / 2 : lanes;
  const std::vector<Coordinate> kept_at = Coordinates(kept);

  std::vector<Lanes> initial;
  Elements scalars(b_, 1, Leaf());
  for (int64_t k = 0; k < count; ++k) {
    HILO_ASSIGN_OR_RETURN(initial.emplace_back(),
                          scalars.At(*reduce.operand(count + k), {}, nullptr));
  }
  const auto read = [&](std::vector<Coordinate> reduced, llvm::Value* column, int width,
                        llvm::Value* mask) -> absl::StatusOr<std::vector<Lanes>> {
    reduced.push_back({column, 1, nullptr, true});
    Elements elements(b_, width, Leaf());
    std::vector<Lanes> values;
    for (int64_t k = 0; k < count; ++k) {
      HILO_ASSIGN_OR_RETURN(values.emplace_back(),
                            elements.At(*reduce.operand(k), Merge(reduce, kept_at, reduced), mask));
    }
    return values;
  };

  // All rows of reduced elements into the running value.
  HILO_ASSIGN_OR_RETURN(
      const Carried total,
      EmitLoopNest(
          b_, absl::MakeConstSpan(sizes).first(sizes.size() - 1), ToCarried(initial),
          [&](absl::Span<llvm::Value* const> index, Carried carried) -> absl::StatusOr<Carried> {
            const std::vector<Coordinate> outer = Coordinates(index);
            std::vector<Lanes> running = FromCarried(carried, initial);
            int64_t done = 0;
            if (usable > 1) {
              HILO_ASSIGN_OR_RETURN(std::vector<Lanes> sums,
                                    read(outer, b_.getInt64(0), usable, nullptr));
              const int64_t whole = columns / usable * usable;
              HILO_ASSIGN_OR_RETURN(
                  const Carried folded,
                  EmitLoop(b_, b_.getInt64(usable), b_.getInt64(whole), usable, ToCarried(sums),
                           [&](llvm::Value* column, Carried inner) -> absl::StatusOr<Carried> {
                             HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> values,
                                                   read(outer, column, usable, nullptr));
                             HILO_ASSIGN_OR_RETURN(
                                 const std::vector<Lanes> next,
                                 Fold(b_, computation, FromCarried(inner, sums), values));
                             return ToCarried(next);
                           }));
              sums = FromCarried(folded, sums);
              done = whole;
              if (whole < columns) {
                llvm::Value* mask = FirstLanes(b_, usable, columns - whole);
                HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> values,
                                      read(outer, b_.getInt64(whole), usable, mask));
                HILO_ASSIGN_OR_RETURN(sums, Fold(b_, computation, sums, values, mask));
                done = columns;
              }
              for (int width = usable / 2; width >= 1; width /= 2) {
                std::vector<int> low(width), high(width);
                for (int i = 0; i < width; ++i) low[i] = i, high[i] = width + i;
                std::vector<Lanes> lower, upper;
                for (const Lanes& sum : sums) {
                  const auto part = [&](llvm::Value* value,
                                        const std::vector<int>& which) -> llvm::Value* {
                    if (value == nullptr) return nullptr;
                    if (width == 1)
                      return b_.CreateExtractElement(value, static_cast<uint64_t>(which[0]));
                    return b_.CreateShuffleVector(value, which);
                  };
                  lower.push_back({part(sum.re, low), part(sum.im, low)});
                  upper.push_back({part(sum.re, high), part(sum.im, high)});
                }
                HILO_ASSIGN_OR_RETURN(sums, Fold(b_, computation, lower, upper));
              }
              HILO_ASSIGN_OR_RETURN(running, Fold(b_, computation, running, sums));
            }
            HILO_ASSIGN_OR_RETURN(
                const Carried rest,
                EmitLoop(b_, b_.getInt64(done), b_.getInt64(columns), 1, ToCarried(running),
                         [&](llvm::Value* column, Carried inner) -> absl::StatusOr<Carried> {
                           HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> values,
                                                 read(outer, column, 1, nullptr));
                           HILO_ASSIGN_OR_RETURN(
                               const std::vector<Lanes> next,
                               Fold(b_, computation, FromCarried(inner, initial), values));
                           return ToCarried(next);
                         }));
            return rest;
          }));
  const std::vector<Lanes> results = FromCarried(total, initial);
  for (int64_t k = 0; k < count; ++k) {
    const Shape& shape = reduce.shape().IsTuple() ? reduce.shape().tuple_shapes(k) : reduce.shape();
    StoreAt(b_, shape, results[k], ResultArray(k), Position(kept_at.begin(), kept_at.end()),
            nullptr);
  }
  return absl::OkStatus();
}

// Neighbouring results side by side.
absl::Status KernelEmitter::EmitColumnReduction(const HloInstruction& reduce,
                                                absl::Span<llvm::Value* const> outer) {
  const HloComputation& computation = *reduce.to_apply();
  const int64_t count = reduce.operand_count() / 2;
  const Shape& result = reduce.shape().IsTuple() ? reduce.shape().tuple_shapes(0) : reduce.shape();
  const int64_t columns = result.dimensions().back();
  return ForEachColumn(
      columns, [&](llvm::Value* column, int lanes, llvm::Value* mask, Builder&) -> absl::Status {
        std::vector<Coordinate> kept = Coordinates(outer);
        kept.push_back({column, 1, nullptr, true});
        std::vector<Lanes> initial;
        Elements scalars(b_, 1, Leaf());
        for (int64_t k = 0; k < count; ++k) {
          HILO_ASSIGN_OR_RETURN(const Lanes scalar,
                                scalars.At(*reduce.operand(count + k), {}, nullptr));
          initial.push_back(Splat(b_, scalar, lanes));
        }
        HILO_ASSIGN_OR_RETURN(
            const Carried total,
            EmitLoopNest(b_, ReducedSizes(reduce), ToCarried(initial),
                         [&](absl::Span<llvm::Value* const> index,
                             Carried carried) -> absl::StatusOr<Carried> {
                           Elements elements(b_, lanes, Leaf());
                           std::vector<Lanes> values;
                           for (int64_t k = 0; k < count; ++k) {
                             HILO_ASSIGN_OR_RETURN(
                                 values.emplace_back(),
                                 elements.At(*reduce.operand(k),
                                             Merge(reduce, kept, Coordinates(index)), mask));
                           }
                           HILO_ASSIGN_OR_RETURN(
                               const std::vector<Lanes> next,
                               Fold(b_, computation, FromCarried(carried, initial), values));
                           return ToCarried(next);
                         }));
        const std::vector<Lanes> results = FromCarried(total, initial);
        for (int64_t k = 0; k < count; ++k) {
          StoreAt(b_, reduce.shape().IsTuple() ? reduce.shape().tuple_shapes(k) : reduce.shape(),
                  results[k], ResultArray(k), Position(kept.begin(), kept.end()), mask);
        }
        return absl::OkStatus();
      });
}

absl::StatusOr<Kernel> KernelEmitter::Emit() {
  const HloInstruction& root = *computation_.root_instruction();
  if (root.opcode() == HloOpcode::kReduce) return EmitReduction(root);
  if (root.opcode() == HloOpcode::kTuple) {
    return EmitElementLoop(
        std::vector<const HloInstruction*>(root.operands().begin(), root.operands().end()));
  }
  return EmitElementLoop({&root});
}

}  // namespace

absl::StatusOr<Kernel> EmitKernel(llvm::Module& module, const HloComputation& computation,
                                  const std::string& name) {
  return KernelEmitter(module, computation, name).Emit();
}

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
    case HloOpcode::kPad:
    case HloOpcode::kDynamicSlice:
      return true;
    default:
      return IsElementwiseHere(instruction);
  }
}

}  // namespace xla::cpu
