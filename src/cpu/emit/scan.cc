#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "cpu/emit/folding.h"
#include "cpu/emit/reduction.h"

namespace xla::cpu {
namespace {

using Values = std::vector<Lanes>;

// What becomes of each part of complex values as well.
template <typename Function>
Values ForEachPart(const Values& values, Function function) {
  Values results;
  for (const Lanes& value : values) {
    results.push_back({function(value.re)});
    if (value.im != nullptr) results.back().im = function(value.im);
  }
  return results;
}

class Scan {
 public:
  Scan(const loops::Node& node, const Position& around, int lanes, llvm::Value* mask,
       StoreOfScan store)
      : node_(node),
        scan_(*node.values[0]),
        d_(node.dimensions[0]),
        count_(scan_.operand_count() / 2),
        length_(scan_.operand(0)->shape().dimensions(d_)),
        results_(loops::ComputedShape(scan_).dimensions(d_)),
        around_(around),
        lanes_(lanes),
        mask_(mask),
        store_(store) {
    if (static_cast<int>(around_.size()) <= d_) around_.resize(d_ + 1);
  }

  absl::Status Emit(Level& level) {
    Values running;
    for (int64_t k = 0; k < count_; ++k) {
      HILO_ASSIGN_OR_RETURN(running.emplace_back(),
                            level.elements.At(*scan_.operand(count_ + k), {}, nullptr));
    }
    const int64_t growing = std::min(results_, length_ - node_.begin);
    const int64_t whole = node_.lanes < 2 ? 0 : growing / node_.lanes * node_.lanes;
    HILO_ASSIGN_OR_RETURN(running, Fold(level, -node_.begin, 0, 1, running));
    HILO_ASSIGN_OR_RETURN(running, Fold(level, 0, whole, node_.lanes, running));
    HILO_ASSIGN_OR_RETURN(running, Fold(level, whole, growing, 1, running));
    // Windows that have everything.
    if (growing == results_) return absl::OkStatus();
    return level.Loop(Number(level.b, growing), Number(level.b, results_), 1, lanes_,
                      [&](Level& inner, llvm::Value* i) { return Store(inner, i, 1, running); });
  }

 private:
  static llvm::Value* Number(Builder& b, int64_t value) {
    return b.getInt64(static_cast<uint64_t>(value));
  }

  // Counted from where windows begin; `width` adjacent ones.
  Position At(Level& level, llvm::Value* number, int64_t size, int width) const {
    const int64_t step = width > 1 ? 1 : 0;
    Position position = around_;
    position[d_] = {number, step, nullptr, level.number()};
    if (node_.is_reversed) {
      position[d_].base = level.b.CreateSub(Number(level.b, size - 1), number);
      position[d_].step = -step;
    }
    return position;
  }

  absl::StatusOr<Values> Combine(Builder& b, const Values& before, const Values& after) {
    return node_.is_reversed ? cpu::Fold(b, *scan_.to_apply(), after, before)
                             : cpu::Fold(b, *scan_.to_apply(), before, after);
  }

  // Lane i becomes the fold of lanes 0 to i.
  absl::StatusOr<Values> Prefixes(Builder& b, Values values, int width) {
    for (int distance = 1; distance < width; distance *= 2) {
      std::vector<int> order(width);
      std::vector<llvm::Constant*> has_one(width);
      for (int i = 0; i < width; ++i) {
        order[i] = std::max(0, i - distance);
        has_one[i] = b.getInt1(i >= distance);
      }
      const Values before = ForEachPart(
          values, [&](llvm::Value* part) { return b.CreateShuffleVector(part, order); });
      HILO_ASSIGN_OR_RETURN(const Values folded, Combine(b, before, values));
      values = SelectLanes(b, llvm::ConstantVector::get(has_one), folded, values);
    }
    return values;
  }

  // From the results [begin, end), which are stored where there are such, `width` at once.
  absl::StatusOr<Values> Fold(Level& level, int64_t begin, int64_t end, int width,
                              const Values& running) {
    if (begin == end) return running;
    const int lanes = std::max(lanes_, width);
    HILO_ASSIGN_OR_RETURN(
        const Carried carried,
        level.Loop(Number(level.b, begin), Number(level.b, end), width, lanes, ToCarried(running),
                   [&](Level& inner, llvm::Value* i, Carried values) -> absl::StatusOr<Carried> {
                     Builder& b = inner.b;
                     const Position position =
                         At(inner, b.CreateAdd(i, Number(b, node_.begin)), length_, width);
                     Values own;
                     for (int64_t k = 0; k < count_; ++k) {
                       HILO_ASSIGN_OR_RETURN(own.emplace_back(),
                                             inner.elements.At(*scan_.operand(k), position, mask_));
                     }
                     HILO_ASSIGN_OR_RETURN(own, Prefixes(b, own, width));
                     Values before = FromCarried(values, running);
                     if (width > 1)
                       before = ForEachPart(
                           before, [&](llvm::Value* part) { return Splat(b, {part}, width).re; });
                     HILO_ASSIGN_OR_RETURN(own, Combine(b, before, own));
                     if (begin >= 0) HILO_RETURN_IF_ERROR(Store(inner, i, width, own));
                     if (width > 1) {
                       own = ForEachPart(own, [&](llvm::Value* part) {
                         return b.CreateExtractElement(part, static_cast<uint64_t>(width - 1));
                       });
                     }
                     return ToCarried(own);
                   }));
    return FromCarried(carried, running);
  }

  absl::Status Store(Level& level, llvm::Value* i, int width, Values values) {
    Position position = At(level, i, results_, width);
    Coordinate& along = position[d_];
    if (along.step < 0) {
      // Adjacent in memory the other way round.
      along.base = level.b.CreateSub(along.base, Number(level.b, width - 1));
      along.step = 1;
      values =
          ForEachPart(values, [&](llvm::Value* part) { return level.b.CreateVectorReverse(part); });
    }
    return store_(level, position, std::max(lanes_, width), values);
  }

  const loops::Node& node_;
  const HloInstruction& scan_;
  const int d_;
  const int64_t count_, length_, results_;
  Position around_;
  const int lanes_;
  llvm::Value* const mask_;
  const StoreOfScan store_;
};

}  // namespace

absl::Status EmitScan(Level& level, const loops::Node& node, const Position& around, int lanes,
                      llvm::Value* mask, StoreOfScan store) {
  return Scan(node, around, lanes, mask, store).Emit(level);
}

}  // namespace xla::cpu
