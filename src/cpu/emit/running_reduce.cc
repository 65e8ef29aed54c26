#include "cpu/emit/running_reduce.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/folding.h"
#include "cpu/emit/kernel_function.h"
#include "cpu/emit/loops.h"
#include "cpu/emit/scalar_function.h"
#include "passes/reducer.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Smaller windows are folded one by one.
constexpr int64_t kMinWindow = 17;

struct Running {
  int64_t dimension;
  bool from_the_end;
  int64_t ahead;  // elements that the first window has before its own
};

std::optional<Running> RunningOf(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kReduceWindow ||
      !IsScalarFunction(*instruction.to_apply())) {
    return std::nullopt;
  }
  const Shape& input = instruction.operand(0)->shape();
  const Window& window = instruction.window();
  int64_t along = -1;
  for (int d = 0; d < window.dimensions_size(); ++d) {
    const WindowDimension& dimension = window.dimensions(d);
    if (dimension.stride() != 1 || dimension.base_dilation() != 1 ||
        dimension.window_dilation() != 1) {
      return std::nullopt;
    }
    if (dimension.size() == 1 && dimension.padding_low() == 0 && dimension.padding_high() == 0)
      continue;
    if (along >= 0) return std::nullopt;
    along = d;
  }
  if (along < 0 || input.dimensions(static_cast<int>(along)) == 0) return std::nullopt;
  const WindowDimension& dimension = window.dimensions(static_cast<int>(along));
  const int64_t results = input.dimensions(static_cast<int>(along)) + dimension.padding_low() +
                          dimension.padding_high() - dimension.size() + 1;
  if (dimension.size() < kMinWindow || results < 1) return std::nullopt;
  // The last of the windows begins where the first one does, or the first one ends with the last.
  for (const bool from_the_end : {false, true}) {
    const int64_t padding = from_the_end ? dimension.padding_high() : dimension.padding_low();
    const int64_t ahead = dimension.size() - 1 - padding;
    if (padding >= results - 1 && ahead >= 0) return Running{along, from_the_end, ahead};
  }
  return std::nullopt;
}

// A mask that is on for lanes whose column, counted from that of lane 0, is below the limit.
llvm::Value* BelowMask(Builder& b, llvm::Value* column, int64_t limit, int lanes) {
  llvm::Value* rest = b.CreateSub(b.getInt64(static_cast<uint64_t>(limit)), column);
  return b.CreateICmpSLT(LaneNumbers(b, lanes), Splat(b, {rest}, lanes).re);
}

class RunningReduce : public KernelFunction {
 public:
  RunningReduce(Unit& unit, const HloComputation& computation, const std::string& name)
      : KernelFunction(unit, computation, name),
        instruction_(*computation.root_instruction()),
        running_(*RunningOf(instruction_)),
        count_(instruction_.operand_count() / 2),
        input_(instruction_.operand(0)->shape()),
        length_(input_.dimensions(static_cast<int>(running_.dimension))),
        results_(ResultShape(0).dimensions(static_cast<int>(running_.dimension))),
        is_last_(running_.dimension == input_.dimensions_size() - 1) {}

  absl::StatusOr<Kernel> Emit();

 private:
  const Shape& ResultShape(int64_t k) const {
    return instruction_.shape().IsTuple() ? instruction_.shape().tuple_shapes(static_cast<int>(k))
                                          : instruction_.shape();
  }
  // Counted from where windows begin.
  Coordinate Along(llvm::Value* number, int64_t size, int64_t step) {
    if (!running_.from_the_end) return {number, step};
    return {b_.CreateSub(b_.getInt64(static_cast<uint64_t>(size - 1)), number), -step};
  }
  Position At(const Coordinate& along) const {
    Position position = others_;
    position[running_.dimension] = along;
    return position;
  }
  absl::StatusOr<std::vector<Lanes>> Read(llvm::Value* number, int lanes, int64_t step,
                                          llvm::Value* mask);
  absl::StatusOr<std::vector<Lanes>> Combine(const std::vector<Lanes>& before,
                                             const std::vector<Lanes>& after) {
    return running_.from_the_end ? Fold(b_, *instruction_.to_apply(), after, before)
                                 : Fold(b_, *instruction_.to_apply(), before, after);
  }
  void Write(llvm::Value* number, const std::vector<Lanes>& values, int64_t step,
             llvm::Value* mask);
  absl::StatusOr<std::vector<Lanes>> Prefixes(std::vector<Lanes> values, int lanes);
  absl::StatusOr<Carried> EmitVectors(int64_t ahead, int64_t whole, int vector, Carried running,
                                      const std::vector<Lanes>& like);
  absl::Status EmitRow(int lanes, llvm::Value* mask);

  const HloInstruction& instruction_;
  const Running running_;
  const int64_t count_;
  const Shape& input_;
  const int64_t length_, results_;
  const bool is_last_;
  Position others_;
};

absl::StatusOr<std::vector<Lanes>> RunningReduce::Read(llvm::Value* number, int lanes, int64_t step,
                                                       llvm::Value* mask) {
  Elements elements(b_, lanes, Leaf());
  const Position position = At(Along(number, length_, step));
  std::vector<Lanes> values;
  for (int64_t k = 0; k < count_; ++k) {
    HILO_ASSIGN_OR_RETURN(values.emplace_back(),
                          elements.At(*instruction_.operand(k), position, mask));
  }
  return values;
}

void RunningReduce::Write(llvm::Value* number, const std::vector<Lanes>& values, int64_t step,
                          llvm::Value* mask) {
  Position position = At(Along(number, results_, step));
  std::vector<Lanes> turned = values;
  if (const int lanes = LaneCount(values[0]); position[running_.dimension].step < 0 && lanes > 1) {
    // Neighbours in memory the other way round.
    Coordinate& along = position[running_.dimension];
    along = {b_.CreateSub(along.base, b_.getInt64(static_cast<uint64_t>(lanes - 1))), 1};
    std::vector<int> order(lanes);
    for (int i = 0; i < lanes; ++i) order[i] = lanes - 1 - i;
    for (Lanes& value : turned) {
      value.re = b_.CreateShuffleVector(value.re, order);
      if (value.im != nullptr) value.im = b_.CreateShuffleVector(value.im, order);
    }
  }
  for (int64_t k = 0; k < count_; ++k)
    StoreAt(b_, ResultShape(k), turned[k], ResultArray(k), position, mask);
}

// Lane i becomes the fold of lanes 0 to i.
absl::StatusOr<std::vector<Lanes>> RunningReduce::Prefixes(std::vector<Lanes> values, int lanes) {
  for (int distance = 1; distance < lanes; distance *= 2) {
    std::vector<int> order(lanes);
    std::vector<llvm::Constant*> has_one(lanes);
    for (int i = 0; i < lanes; ++i) {
      order[i] = std::max(0, i - distance);
      has_one[i] = b_.getInt1(i >= distance);
    }
    std::vector<Lanes> before;
    for (const Lanes& value : values) {
      before.push_back({b_.CreateShuffleVector(value.re, order)});
      if (value.im != nullptr) before.back().im = b_.CreateShuffleVector(value.im, order);
    }
    HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> folded, Combine(before, values));
    values = SelectLanes(b_, llvm::ConstantVector::get(has_one), folded, values);
  }
  return values;
}

// One running value, `vector` elements at a time.
absl::StatusOr<Carried> RunningReduce::EmitVectors(int64_t ahead, int64_t whole, int vector,
                                                   Carried running,
                                                   const std::vector<Lanes>& like) {
  return EmitLoop(
      b_, b_.getInt64(0), b_.getInt64(static_cast<uint64_t>(whole)), vector, std::move(running),
      [&](llvm::Value* i, Carried carried) -> absl::StatusOr<Carried> {
        HILO_ASSIGN_OR_RETURN(
            std::vector<Lanes> values,
            Read(b_.CreateAdd(i, b_.getInt64(static_cast<uint64_t>(ahead))), vector, 1, nullptr));
        HILO_ASSIGN_OR_RETURN(values, Prefixes(values, vector));
        std::vector<Lanes> before;
        for (const Lanes& value : FromCarried(carried, like))
          before.push_back(Splat(b_, value, vector));
        HILO_ASSIGN_OR_RETURN(values, Combine(before, values));
        Write(i, values, 1, nullptr);
        std::vector<Lanes> last;
        for (const Lanes& value : values) {
          const auto end = [&](llvm::Value* part) {
            return part == nullptr
                       ? nullptr
                       : b_.CreateExtractElement(part, static_cast<uint64_t>(vector - 1));
          };
          last.push_back({end(value.re), end(value.im)});
        }
        return ToCarried(last);
      });
}

// `lanes` neighbours along the last dimension, each with its own running value.
absl::Status RunningReduce::EmitRow(int lanes, llvm::Value* mask) {
  std::vector<Lanes> initial;
  for (int64_t k = 0; k < count_; ++k) {
    HILO_ASSIGN_OR_RETURN(
        const Lanes scalar,
        Elements(b_, 1, Leaf()).At(*instruction_.operand(count_ + k), {}, nullptr));
    initial.push_back(Splat(b_, scalar, lanes));
  }
  const auto number = [&](int64_t i) { return b_.getInt64(static_cast<uint64_t>(i)); };
  const auto take = [&](llvm::Value* i, const Carried& carried) -> absl::StatusOr<Carried> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> values, Read(i, lanes, 0, mask));
    HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> next,
                          Combine(FromCarried(carried, initial), values));
    return ToCarried(next);
  };
  const int64_t ahead = std::min(running_.ahead, length_);
  HILO_ASSIGN_OR_RETURN(Carried running,
                        EmitLoop(b_, number(0), number(ahead), 1, ToCarried(initial), take));
  const int64_t growing = std::min(results_, length_ - ahead);
  const int vector = is_last_ && lanes == 1 && passes::IsAssociative(*instruction_.to_apply())
                         ? LanesFor(growing)
                         : 1;
  const int64_t whole = vector == 1 ? 0 : growing / vector * vector;
  if (whole > 0) {
    HILO_ASSIGN_OR_RETURN(running, EmitVectors(ahead, whole, vector, running, initial));
  }
  HILO_ASSIGN_OR_RETURN(
      running, EmitLoop(b_, number(whole), number(growing), 1, running,
                        [&](llvm::Value* i, Carried carried) -> absl::StatusOr<Carried> {
                          HILO_ASSIGN_OR_RETURN(const Carried next,
                                                take(b_.CreateAdd(i, number(ahead)), carried));
                          Write(i, FromCarried(next, initial), 0, mask);
                          return next;
                        }));
  // Windows that have everything.
  const std::vector<Lanes> all = FromCarried(running, initial);
  return EmitLoop(b_, number(growing), number(results_), 1, [&](llvm::Value* i) {
    Write(i, all, 0, mask);
    return absl::OkStatus();
  });
}

absl::StatusOr<Kernel> RunningReduce::Emit() {
  const int64_t last = input_.dimensions_size() - 1;
  Sizes rows;
  for (int64_t d = 0; d < last; ++d) {
    if (d != running_.dimension) rows.push_back(input_.dimensions(static_cast<int>(d)));
  }
  const int64_t columns = is_last_ ? 1 : input_.dimensions(static_cast<int>(last));
  int lanes = is_last_ ? 1 : LanesFor(columns);
  if (!is_last_ && columns >= 4 * lanes) lanes *= 4;
  const int64_t parts = (columns + lanes - 1) / lanes;
  rows.push_back(parts);
  HILO_RETURN_IF_ERROR(EmitLoop(b_, begin_, end_, 1, [&](llvm::Value* row) -> absl::Status {
    const std::vector<llvm::Value*> index = Delinearize(b_, row, rows);
    others_.clear();
    size_t at = 0;
    for (int64_t d = 0; d < last; ++d)
      others_.push_back(d == running_.dimension ? Coordinate() : Coordinate{index[at++]});
    if (is_last_) {
      others_.push_back({});
      return EmitRow(1, nullptr);
    }
    llvm::Value* column = b_.CreateMul(index.back(), b_.getInt64(static_cast<uint64_t>(lanes)));
    others_.push_back({column, 1});
    return EmitRow(lanes, columns % lanes == 0 ? nullptr : BelowMask(b_, column, columns, lanes));
  }));
  Finish();
  const int64_t units = Product(rows);
  const double work = static_cast<double>(2 * count_ * ShapeUtil::ElementsIn(ResultShape(0)));
  return Kernel{function_, units, work / static_cast<double>(std::max<int64_t>(1, units))};
}

}  // namespace

bool IsRunningReduce(const HloInstruction& instruction) {
  return RunningOf(instruction).has_value();
}

absl::StatusOr<Kernel> EmitRunningReduce(Unit& unit, const HloComputation& computation,
                                         const std::string& name) {
  return RunningReduce(unit, computation, name).Emit();
}

}  // namespace xla::cpu
