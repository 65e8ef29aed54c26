#include "cpu/emit/reduction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "codegen/loops/schedule.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/folding.h"
#include "cpu/emit/loops.h"
#include "passes/reducer.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using Values = std::vector<Lanes>;
using Reduces = absl::Span<const HloInstruction* const>;

bool IsReduced(const HloInstruction& reduce, int64_t d) {
  return absl::c_linear_search(reduce.dimensions(), d);
}

Sizes ReducedSizes(const HloInstruction& reduce) {
  const Shape& input = reduce.operand(0)->shape();
  Sizes sizes;
  for (int64_t d = 0; d < input.dimensions_size(); ++d) {
    if (IsReduced(reduce, d)) sizes.push_back(input.dimensions(d));
  }
  return sizes;
}

// Kept and reduced coordinates in the order of the input's dimensions.
Position Merge(const HloInstruction& reduce, const Position& kept, const Position& reduced) {
  Position position;
  size_t k = 0, r = 0;
  for (int64_t d = 0; d < reduce.operand(0)->shape().dimensions_size(); ++d)
    position.push_back(IsReduced(reduce, d) ? reduced[r++] : kept[k++]);
  return position;
}

int64_t Inputs(const HloInstruction& reduce) { return reduce.operand_count() / 2; }

// Whether the computation is a binary operation on its two parameters.
bool IsOneOperation(const HloInstruction& reduce) {
  return passes::ReducingOperationOf(*reduce.to_apply()).has_value();
}

absl::StatusOr<Values> InitialValues(Level& level, Reduces reduces) {
  Values initial;
  for (const HloInstruction* reduce : reduces) {
    for (int64_t k = 0; k < Inputs(*reduce); ++k) {
      HILO_ASSIGN_OR_RETURN(initial.emplace_back(),
                            level.elements.At(*reduce->operand(Inputs(*reduce) + k), {}, nullptr));
    }
  }
  return initial;
}

absl::StatusOr<Values> Read(Elements& elements, Reduces reduces, const Position& kept,
                            const Position& reduced, llvm::Value* mask) {
  Values values;
  for (const HloInstruction* reduce : reduces) {
    const Position position = Merge(*reduce, kept, reduced);
    for (int64_t k = 0; k < Inputs(*reduce); ++k) {
      HILO_ASSIGN_OR_RETURN(values.emplace_back(),
                            elements.At(*reduce->operand(k), position, mask));
    }
  }
  return values;
}

// ---- Maxima and minima of real numbers
//
// In rows their bits are compared as integers, without asking for NaN and signs of zeros: in place
// of a running maximum there are the greatest signed integer and the greatest and least unsigned
// ones. At the end each lane has a key, a signed integer that is greater where the number is, so
// that lanes are compared once.

constexpr llvm::Intrinsic::ID kExtremes[] = {llvm::Intrinsic::smax, llvm::Intrinsic::umax,
                                             llvm::Intrinsic::umin};

bool IsExtremeReal(const HloInstruction& reduce) {
  if (!IsOneOperation(reduce)) return false;
  const HloInstruction& root = *reduce.to_apply()->root_instruction();
  return (root.opcode() == HloOpcode::kMaximum || root.opcode() == HloOpcode::kMinimum) &&
         primitive_util::IsFloatingPointType(root.shape().element_type());
}

bool IsMaximum(const HloInstruction& extreme) {
  return extreme.to_apply()->root_instruction()->opcode() == HloOpcode::kMaximum;
}

llvm::Value* BitsOf(Builder& b, llvm::Value* x) {
  const unsigned bits = x->getType()->getScalarSizeInBits();
  return b.CreateBitCast(x, WithLanes(b.getIntNTy(bits), LaneCount(x->getType())));
}

llvm::Type* RealsOf(Builder& b, llvm::Type* integers) {
  const bool is_double = integers->getScalarSizeInBits() == 64;
  return WithLanes(is_double ? b.getDoubleTy() : b.getFloatTy(), LaneCount(integers));
}

// All bits but the sign. Of negative numbers the greater ones have the lesser bits.
llvm::Constant* Magnitude(llvm::Type* integers) {
  return llvm::ConstantInt::get(integers,
                                llvm::APInt::getSignedMaxValue(integers->getScalarSizeInBits()));
}

// A key beyond those of all numbers.
llvm::Constant* KeyOfNan(const HloInstruction& reduce, llvm::Type* integers) {
  const unsigned bits = integers->getScalarSizeInBits();
  return llvm::ConstantInt::get(integers, IsMaximum(reduce) ? llvm::APInt::getSignedMaxValue(bits)
                                                            : llvm::APInt::getSignedMinValue(bits));
}

llvm::Value* KeyOfExtremes(Builder& b, const HloInstruction& reduce,
                           absl::Span<const Lanes> extremes) {
  llvm::Value* highest = extremes[0].re;  // of those that are not negative, if there are some
  llvm::Value* top = extremes[1].re;      // of the negative ones
  llvm::Value* bottom = extremes[2].re;
  llvm::Type* integers = highest->getType();
  llvm::Type* reals = RealsOf(b, integers);
  llvm::Value* infinity = BitsOf(b, llvm::ConstantFP::getInfinity(reals));
  llvm::Value* negative_infinity = BitsOf(b, llvm::ConstantFP::getInfinity(reals, true));
  llvm::Value* zero = llvm::Constant::getNullValue(integers);
  llvm::Constant* magnitude = Magnitude(integers);
  llvm::Value* key =
      IsMaximum(reduce)
          ? b.CreateSelect(b.CreateICmpSGE(highest, zero), highest, b.CreateXor(bottom, magnitude))
          : b.CreateSelect(b.CreateICmpSLT(top, zero), b.CreateXor(top, magnitude), bottom);
  llvm::Value* is_nan =
      b.CreateOr(b.CreateICmpSGT(highest, infinity), b.CreateICmpUGT(top, negative_infinity));
  return b.CreateSelect(is_nan, KeyOfNan(reduce, integers), key);
}

llvm::Value* FromKey(Builder& b, const HloInstruction& reduce, llvm::Value* key) {
  llvm::Type* integers = key->getType();
  llvm::Type* reals = RealsOf(b, integers);
  llvm::Value* is_negative = b.CreateICmpSLT(key, llvm::Constant::getNullValue(integers));
  llvm::Value* bits = b.CreateSelect(is_negative, b.CreateXor(key, Magnitude(integers)), key);
  llvm::Value* is_nan = b.CreateICmpEQ(key, KeyOfNan(reduce, integers));
  return b.CreateSelect(is_nan, llvm::ConstantFP::getNaN(reals), b.CreateBitCast(bits, reals));
}

std::vector<Lanes> NeutralExtremes(Builder& b, PrimitiveType type, int lanes) {
  const unsigned bits = static_cast<unsigned>(ComputingBits(type));
  llvm::Type* integers = WithLanes(b.getIntNTy(bits), lanes);
  // Not all ones, which only a NaN is more than: LLVM makes them of what is in a register, so that
  // each row would wait for the one before.
  return {{llvm::ConstantInt::get(integers, llvm::APInt::getSignedMinValue(bits))},
          {llvm::Constant::getNullValue(integers)},
          {llvm::ConstantInt::get(integers, llvm::APInt::getMaxValue(bits) - 1)}};
}

// So many lanes from `begin` on, and behind the last one from the first on.
llvm::Value* LanesFrom(Builder& b, llvm::Value* vector, int begin, int count) {
  const int lanes = LaneCount(vector->getType());
  if (begin + count <= lanes) return LaneRange(b, vector, begin, count);
  std::vector<int> chosen(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) chosen[static_cast<size_t>(i)] = (begin + i) % lanes;
  return b.CreateShuffleVector(vector, chosen);
}

// What runs along with the elements of a reduction.
enum class Form { kValues, kExtremes, kKeys };

absl::StatusOr<Values> FoldAll(Builder& b, Reduces reduces, absl::Span<const Lanes> running,
                               absl::Span<const Lanes> values, llvm::Value* mask = nullptr,
                               Form form = Form::kValues) {
  Values next;
  size_t at = 0;
  for (const HloInstruction* reduce : reduces) {
    if (form == Form::kExtremes && IsExtremeReal(*reduce)) {
      for (llvm::Intrinsic::ID extreme : kExtremes) {
        llvm::Value* folded = b.CreateBinaryIntrinsic(extreme, running[at].re, values[at].re);
        next.push_back({mask == nullptr ? folded : b.CreateSelect(mask, folded, running[at].re)});
        ++at;
      }
      continue;
    }
    if (form == Form::kKeys && IsExtremeReal(*reduce)) {
      const auto greater = IsMaximum(*reduce) ? llvm::Intrinsic::smax : llvm::Intrinsic::smin;
      next.push_back({b.CreateBinaryIntrinsic(greater, running[at].re, values[at].re)});
      ++at;
      continue;
    }
    const size_t count = static_cast<size_t>(Inputs(*reduce));
    HILO_ASSIGN_OR_RETURN(const Values own, Fold(b, *reduce->to_apply(), running.subspan(at, count),
                                                 values.subspan(at, count), mask));
    next.insert(next.end(), own.begin(), own.end());
    at += count;
  }
  return next;
}

// The value that changes nothing when it is folded with another, which the reduction has.
Lanes Neutral(Builder& b, const HloInstruction& reduce, int lanes) {
  const HloInstruction& root = *reduce.to_apply()->root_instruction();
  const PrimitiveType type = root.shape().element_type();
  if (root.opcode() == HloOpcode::kAdd && !primitive_util::IsIntegralType(type) && type != PRED) {
    // Not every type has it.
    llvm::Value* zero = RealConstant(b, type, -0.0, lanes);
    return {zero, primitive_util::IsComplexType(type) ? zero : nullptr};
  }
  return ScalarConstant(b, *passes::NeutralElement(root.opcode(), type), lanes);
}

// In the form of extremes.
Values AllNeutral(Builder& b, Reduces reduces, int lanes) {
  Values values;
  for (const HloInstruction* reduce : reduces) {
    if (IsExtremeReal(*reduce)) {
      const Values own = NeutralExtremes(b, reduce->shape().element_type(), lanes);
      values.insert(values.end(), own.begin(), own.end());
    } else {
      values.push_back(Neutral(b, *reduce, lanes));
    }
  }
  return values;
}

// Values with others in the place of those of maxima and minima, which have `count` each.
Values ReplaceExtremes(
    Reduces reduces, absl::Span<const Lanes> values, size_t count,
    absl::FunctionRef<Values(const HloInstruction&, absl::Span<const Lanes>)> replacement) {
  Values result;
  size_t at = 0;
  for (const HloInstruction* reduce : reduces) {
    const bool is_extreme = IsExtremeReal(*reduce);
    const auto own = values.subspan(at, is_extreme ? count : static_cast<size_t>(Inputs(*reduce)));
    const Values next = is_extreme ? replacement(*reduce, own) : Values(own.begin(), own.end());
    result.insert(result.end(), next.begin(), next.end());
    at += own.size();
  }
  return result;
}

Values ToExtremes(Builder& b, Reduces reduces, absl::Span<const Lanes> values) {
  return ReplaceExtremes(reduces, values, 1,
                         [&](const HloInstruction&, absl::Span<const Lanes> number) {
                           return Values(std::size(kExtremes), {BitsOf(b, number[0].re)});
                         });
}
Values ExtremesToKeys(Builder& b, Reduces reduces, absl::Span<const Lanes> values) {
  return ReplaceExtremes(reduces, values, std::size(kExtremes),
                         [&](const HloInstruction& reduce, absl::Span<const Lanes> extremes) {
                           return Values{{KeyOfExtremes(b, reduce, extremes)}};
                         });
}
Values FromKeys(Builder& b, Reduces reduces, absl::Span<const Lanes> values) {
  return ReplaceExtremes(reduces, values, 1,
                         [&](const HloInstruction& reduce, absl::Span<const Lanes> key) {
                           return Values{{FromKey(b, reduce, key[0].re)}};
                         });
}

using Body = absl::FunctionRef<absl::StatusOr<Carried>(Level& inner, const Position& index,
                                                       Carried carried)>;

// Loops over all indices, each loop a level.
absl::StatusOr<Carried> Nest(Level& level, absl::Span<const int64_t> sizes, int lanes,
                             const Position& index, Carried carried, Body body) {
  if (sizes.empty()) return body(level, index, std::move(carried));
  return level.Loop(level.b.getInt64(0), level.b.getInt64(static_cast<uint64_t>(sizes[0])), 1,
                    lanes, std::move(carried),
                    [&](Level& inner, llvm::Value* i, Carried values) -> absl::StatusOr<Carried> {
                      Position longer = index;
                      longer.push_back({i, 0, nullptr, inner.number()});
                      return Nest(inner, sizes.subspan(1), lanes, longer, std::move(values), body);
                    });
}

// The elements of one row after the other, from vectors that change nothing.
class RowReduction {
 public:
  RowReduction(const loops::Node& node, const Position& kept)
      : reduces_(node.values),
        kept_(kept),
        lanes_(node.lanes),
        vectors_(node.interleave),
        accumulators_(loops::AccumulatorsOf(node)),
        sizes_(ReducedSizes(*reduces_[0])),
        columns_(sizes_.back()),
        compares_places_(node.order == loops::Node::Order::kFromFirst) {}

  absl::StatusOr<Values> FromNeutral(Level& level, const Values& neutral) {
    form_ = Form::kExtremes;
    Values start;
    for (int i = 0; i < accumulators_; ++i)
      start.insert(start.end(), neutral.begin(), neutral.end());
    HILO_ASSIGN_OR_RETURN(
        const Carried folded,
        Nest(level, absl::MakeConstSpan(sizes_).first(sizes_.size() - 1), 1, {}, ToCarried(start),
             [&](Level& inner, const Position& outer, Carried carried) {
               return Row(inner, outer, 0, start, std::move(carried));
             }));
    HILO_ASSIGN_OR_RETURN(const Values vector,
                          FoldAccumulators(level.b, FromCarried(folded, start)));
    form_ = Form::kKeys;
    return FoldLanes(level.b, ExtremesToKeys(level.b, reduces_, vector));
  }

  // Rows are folded one by one, each beginning with its first elements.
  absl::StatusOr<Values> FromFirst(Level& level, const Values& initial) {
    HILO_ASSIGN_OR_RETURN(
        const Carried total,
        Nest(level, absl::MakeConstSpan(sizes_).first(sizes_.size() - 1), 1, {}, ToCarried(initial),
             [&](Level& inner, const Position& outer, Carried carried) -> absl::StatusOr<Carried> {
               HILO_ASSIGN_OR_RETURN(const Values row, OneRow(inner, outer));
               HILO_ASSIGN_OR_RETURN(
                   const Values running,
                   FoldAll(inner.b, reduces_, FromCarried(carried, initial), row));
               return ToCarried(running);
             }));
    return FromCarried(total, initial);
  }

 private:
  absl::StatusOr<Values> ReadAt(Level& inner, const Position& outer, llvm::Value* column,
                                llvm::Value* mask) {
    Position reduced = outer;
    reduced.push_back(Elements::Adjacent(column, inner.number(), lanes_));
    HILO_ASSIGN_OR_RETURN(Values values, Read(inner.elements, reduces_, kept_, reduced, mask));
    if (form_ == Form::kExtremes) values = ToExtremes(inner.b, reduces_, values);
    return values;
  }

  // Sets of `count` values each.
  absl::StatusOr<Values> FoldGroups(Builder& b, const Values& x, const Values& y, size_t count) {
    Values result;
    for (size_t at = 0; at < x.size(); at += count) {
      HILO_ASSIGN_OR_RETURN(const Values part,
                            FoldAll(b, reduces_, absl::MakeConstSpan(x).subspan(at, count),
                                    absl::MakeConstSpan(y).subspan(at, count), nullptr, form_));
      result.insert(result.end(), part.begin(), part.end());
    }
    return result;
  }

  // The values of all accumulators as those of one vector.
  absl::StatusOr<Values> FoldAccumulators(Builder& b, Values all) {
    const size_t count = all.size() / accumulators_;
    for (size_t half = all.size() / 2; half >= count; half /= 2) {
      Values lower(all.begin(), all.begin() + static_cast<int64_t>(half));
      Values upper(all.begin() + static_cast<int64_t>(half), all.end());
      for (size_t at = 0; at < half; at += count) PutFirstPlacesFirst(b, at, lower, upper);
      HILO_ASSIGN_OR_RETURN(all, FoldGroups(b, lower, upper, count));
    }
    return all;
  }

  // Half of the lanes with the other half until one is left.
  absl::StatusOr<Values> FoldLanes(Builder& b, Values values) {
    // Keys stay in vector registers: of a whole one, the lanes are folded with those behind them.
    constexpr unsigned kRegister = 128;
    const int whole =
        form_ == Form::kKeys
            ? static_cast<int>(kRegister / values[0].re->getType()->getScalarSizeInBits())
            : 1;
    for (int width = LaneCount(values[0]) / 2; width >= 1; width /= 2) {
      const int lanes = std::max(width, std::min(whole, LaneCount(values[0])));
      const auto from = [&](llvm::Value* value, int begin) {
        return value == nullptr ? nullptr : LanesFrom(b, value, begin, lanes);
      };
      Values lower, upper;
      for (const Lanes& value : values) {
        lower.push_back({from(value.re, 0), from(value.im, 0)});
        upper.push_back({from(value.re, width), from(value.im, width)});
      }
      PutFirstPlacesFirst(b, 0, lower, upper);
      HILO_ASSIGN_OR_RETURN(values, FoldAll(b, reduces_, lower, upper, nullptr, form_));
    }
    if (form_ == Form::kKeys) values = FromKeys(b, reduces_, values);
    for (Lanes& value : values) {
      value.re = LaneRange(b, value.re, 0, 1);
      if (value.im != nullptr) value.im = LaneRange(b, value.im, 0, 1);
    }
    return values;
  }

  // Which one of several NaN is found depends on the order in which extremes and their places are
  // compared: of two, what has the lower place comes first.
  void PutFirstPlacesFirst(Builder& b, size_t at, Values& x, Values& y) const {
    for (const HloInstruction* reduce : reduces_) {
      const auto count = static_cast<size_t>(Inputs(*reduce));
      if (compares_places_ && count == 2 &&
          primitive_util::IsIntegralType(reduce->operand(1)->shape().element_type())) {
        const bool is_unsigned =
            primitive_util::IsUnsignedIntegralType(reduce->operand(1)->shape().element_type());
        llvm::Value* is_later =
            b.CreateICmp(is_unsigned ? llvm::CmpInst::ICMP_UGT : llvm::CmpInst::ICMP_SGT,
                         x[at + 1].re, y[at + 1].re);
        for (size_t k = at; k < at + count; ++k) {
          const Lanes first = SelectLanes(b, is_later, y[k], x[k]);
          y[k] = SelectLanes(b, is_later, x[k], y[k]);
          x[k] = first;
        }
      }
      at += count;
    }
  }

  // So many vectors, the first at the column.
  absl::StatusOr<Values> ReadBlock(Level& inner, const Position& outer, llvm::Value* column,
                                   int vectors) {
    Values read;
    for (int u = 0; u < vectors; ++u) {
      llvm::Value* start =
          inner.b.CreateAdd(column, inner.b.getInt64(static_cast<uint64_t>(u) * lanes_));
      HILO_ASSIGN_OR_RETURN(const Values part, ReadAt(inner, outer, start, nullptr));
      read.insert(read.end(), part.begin(), part.end());
    }
    return read;
  }

  // The columns from `begin` on, which is a number of whole blocks. At the end all accumulators are
  // where they were.
  absl::StatusOr<Carried> Row(Level& level, const Position& outer, int64_t begin,
                              const Values& like, Carried carried) {
    const int64_t block = int64_t{lanes_} * vectors_;
    const int64_t in_blocks = columns_ / block * block;
    const int64_t in_vectors = columns_ / lanes_ * lanes_;
    HILO_ASSIGN_OR_RETURN(carried,
                          FoldVectors(level, outer, {begin, in_blocks}, vectors_, like, carried));
    HILO_ASSIGN_OR_RETURN(carried,
                          FoldVectors(level, outer, {in_blocks, in_vectors}, 1, like, carried));
    Values running = FromCarried(carried, like);
    const auto count = static_cast<int64_t>(like.size()) / accumulators_;
    if (in_vectors < columns_) {
      const Values first(running.begin(), running.begin() + count);
      HILO_ASSIGN_OR_RETURN(const Values next, FoldTail(level, outer, first));
      absl::c_copy(next, running.begin());
    }
    const int64_t turned = columns_ / lanes_ % accumulators_;
    std::rotate(running.begin(), running.end() - turned * count, running.end());
    return ToCarried(running);
  }

  // Whole vectors, so many at once, into the accumulators in turn: the first ones become the last.
  absl::StatusOr<Carried> FoldVectors(Level& level, const Position& outer,
                                      std::pair<int64_t, int64_t> columns, int vectors,
                                      const Values& like, const Carried& carried) {
    const auto [begin, end] = columns;
    if (begin >= end) return carried;
    return level.Loop(
        level.b.getInt64(static_cast<uint64_t>(begin)),
        level.b.getInt64(static_cast<uint64_t>(end)), int64_t{lanes_} * vectors, lanes_, carried,
        [&](Level& inner, llvm::Value* column, Carried values) -> absl::StatusOr<Carried> {
          HILO_ASSIGN_OR_RETURN(const Values read, ReadBlock(inner, outer, column, vectors));
          const auto count = static_cast<int64_t>(read.size());
          Values running = FromCarried(values, like);
          std::rotate(running.begin(), running.begin() + count, running.end());
          const Values first(running.end() - count, running.end());
          HILO_ASSIGN_OR_RETURN(const Values next,
                                FoldGroups(inner.b, first, read, like.size() / accumulators_));
          absl::c_copy(next, running.end() - count);
          return ToCarried(running);
        });
  }

  // The columns behind the last whole vector.
  absl::StatusOr<Values> FoldTail(Level& level, const Position& outer, const Values& running) {
    const int64_t start = columns_ / lanes_ * lanes_;
    Values result;
    HILO_RETURN_IF_ERROR(level.Once(lanes_, [&](Level& inner) -> absl::Status {
      llvm::Value* mask = FirstLanes(inner.b, lanes_, columns_ - start);
      HILO_ASSIGN_OR_RETURN(
          const Values values,
          ReadAt(inner, outer, inner.b.getInt64(static_cast<uint64_t>(start)), mask));
      HILO_ASSIGN_OR_RETURN(result, FoldAll(inner.b, reduces_, running, values, mask, form_));
      return absl::OkStatus();
    }));
    return result;
  }

  absl::StatusOr<Values> OneRow(Level& level, const Position& outer) {
    Values first;
    HILO_RETURN_IF_ERROR(level.Once(lanes_, [&](Level& inner) -> absl::Status {
      HILO_ASSIGN_OR_RETURN(first, ReadBlock(inner, outer, inner.b.getInt64(0), accumulators_));
      return absl::OkStatus();
    }));
    HILO_ASSIGN_OR_RETURN(const Carried folded, Row(level, outer, int64_t{lanes_} * accumulators_,
                                                    first, ToCarried(first)));
    HILO_ASSIGN_OR_RETURN(Values vector, FoldAccumulators(level.b, FromCarried(folded, first)));
    return FoldLanes(level.b, std::move(vector));
  }

  const Reduces reduces_;
  const Position& kept_;
  const int lanes_, vectors_, accumulators_;
  const Sizes sizes_;
  const int64_t columns_;
  const bool compares_places_;
  Form form_ = Form::kValues;
};

}  // namespace

absl::StatusOr<Values> ReduceRow(Level& level, const loops::Node& node, const Position& kept) {
  const Reduces reduces = node.values;
  HILO_ASSIGN_OR_RETURN(const Values initial, InitialValues(level, reduces));
  if (ShapeUtil::IsZeroElementArray(reduces[0]->operand(0)->shape())) return initial;
  RowReduction rows(node, kept);
  if (node.order == loops::Node::Order::kFromFirst) return rows.FromFirst(level, initial);
  const Values neutral = AllNeutral(level.b, reduces, node.lanes);
  HILO_ASSIGN_OR_RETURN(const Values folded, rows.FromNeutral(level, neutral));
  return FoldAll(level.b, reduces, initial, folded);
}

absl::StatusOr<Values> ReduceColumns(Level& level, Reduces reduces, const Position& kept,
                                     llvm::Value* mask) {
  HILO_ASSIGN_OR_RETURN(const Values initial, InitialValues(level, reduces));
  HILO_ASSIGN_OR_RETURN(
      const Carried total,
      Nest(level, ReducedSizes(*reduces[0]), LaneCount(initial[0]), {}, ToCarried(initial),
           [&](Level& inner, const Position& index, Carried carried) -> absl::StatusOr<Carried> {
             HILO_ASSIGN_OR_RETURN(const Values values,
                                   Read(inner.elements, reduces, kept, index, mask));
             HILO_ASSIGN_OR_RETURN(
                 const Values next,
                 FoldAll(inner.b, reduces, FromCarried(carried, initial), values));
             return ToCarried(next);
           }));
  return FromCarried(total, initial);
}

}  // namespace xla::cpu
