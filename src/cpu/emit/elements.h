// The value of any element of a fused expression: instructions are followed back from a result to
// what it is computed from, and index-changing operations change where to look.
#ifndef HILO_CPU_EMIT_ELEMENTS_H_
#define HILO_CPU_EMIT_ELEMENTS_H_

#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cpu/emit/lanes.h"
#include "ir/index_map.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Where the lanes lie along one dimension.
struct Coordinate {
  llvm::Value* base = nullptr;   // of lane 0, in 64 bits
  int64_t step = 0;              // lane i lies at base + i * step,
  llvm::Value* lanes = nullptr;  // unless this vector says where each one lies
  int level = 0;                 // of the innermost loop that changes it: see Elements

  // What is known of the values in all lanes.
  int64_t least = -kUnlimited;
  int64_t most = kUnlimited;

  // Of all lanes, how much farther than base and step say each one lies; null where they say it.
  llvm::Constant* offsets = nullptr;

  // A power of two of which base is known to be a multiple.
  int64_t multiple = 1;

  bool IsSameForAll() const { return lanes == nullptr && step == 0 && offsets == nullptr; }

  static constexpr int64_t kUnlimited = int64_t{1} << 60;

  friend bool operator==(const Coordinate&, const Coordinate&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Coordinate& c) {
    return H::combine(std::move(h), c.base, c.step, c.lanes, c.level, c.offsets);
  }
};
using Position = absl::InlinedVector<Coordinate, 4>;

// Elements of an array in memory, of which so many may be read: all of them, unless another number
// is given.
Lanes LoadAt(Builder& b, const Shape& shape, llvm::Value* pointer, const Position& position,
             int lanes, llvm::Value* mask, int64_t readable);
Lanes LoadAt(Builder& b, const Shape& shape, llvm::Value* pointer, const Position& position,
             int lanes, llvm::Value* mask);
// Streamed as Store does.
void StoreAt(Builder& b, const Shape& shape, const Lanes& value, llvm::Value* pointer,
             const Position& position, llvm::Value* mask, bool is_streamed = false);

class Elements {
 public:
  // Gives elements of instructions that are not computed here: parameters of the fusion, and what
  // is reduced in loops. `b` and `lanes` are those of the object that asks.
  using Leaf = std::function<absl::StatusOr<Lanes>(Builder& b, int lanes, const HloInstruction&,
                                                   const Position&, llvm::Value* mask)>;

  // Of values that are kept in memory to be read again in another loop.
  class Memo {
   public:
    virtual ~Memo() = default;
    // Empty where the value is not there.
    virtual Lanes Recall(Builder& b, int lanes, const HloInstruction& instruction,
                         const Position& position, llvm::Value* mask) = 0;
    virtual void Remember(Builder& b, const HloInstruction& instruction, const Position& position,
                          const Lanes& value, llvm::Value* mask) = 0;
  };

  // Computes in the body of a loop, at the builder's level. What does not change in that loop is
  // computed by `outer`, whose builder stands before it, once for all lanes.
  Elements(Builder& builder, int lanes, Leaf leaf, Elements* outer = nullptr, Memo* memo = nullptr);

  // The coordinate as one of which is known that it lies in [least, most].
  static Coordinate Limited(Coordinate x, int64_t least, int64_t most);
  // Adjacent lanes, the first one at `base`, which is a multiple of a number.
  static Coordinate Adjacent(llvm::Value* base, int level, int64_t multiple);

  int level() const { return b_.level(); }
  // Of the innermost loop that changes a position.
  static int LevelOf(const Position& position);

  // The elements of an array-shaped instruction at a position of its shape. Lanes outside of the
  // mask (null: none) may lie anywhere, and their values mean nothing. What was computed before in
  // this object is used again: one object serves one piece of code that runs from top to bottom.
  absl::StatusOr<Lanes> At(const HloInstruction& instruction, const Position& position,
                           llvm::Value* mask);
  // The elements of all arrays of an instruction, which have the same dimensions.
  absl::StatusOr<std::vector<Lanes>> AllAt(const HloInstruction& instruction,
                                           const Position& position, llvm::Value* mask);

  // running = fold(inner, index, number, running) for all elements of a window of these sizes, in
  // order: in a loop, in whose body `inner` computes, or one after the other if they are few.
  using WindowFold = absl::FunctionRef<absl::StatusOr<std::vector<Lanes>>(
      Elements& inner, absl::Span<const Coordinate> index, llvm::Value* number,
      const std::vector<Lanes>& running)>;
  absl::StatusOr<std::vector<Lanes>> FoldOverWindow(absl::Span<const int64_t> sizes,
                                                    const std::vector<Lanes>& initial,
                                                    WindowFold fold);
  // What a map gives for values of its variables, and a mask of the lanes that its guards let in:
  // null where these are all.
  std::pair<Position, llvm::Value*> Through(const IndexMap& map, const Position& variables);
  // A position and, as values of the map's symbols, starts of slices.
  absl::StatusOr<Position> WithStarts(const HloInstruction& instruction, const IndexMap& map,
                                      const Position& position, llvm::Value* mask);

  Builder& builder() { return b_; }

 private:
  using Key = std::tuple<const HloInstruction*, Position, llvm::Value*>;

  // Of a scalar instruction, once for all lanes.
  absl::StatusOr<Lanes> Scalar(const HloInstruction& instruction);

  absl::StatusOr<std::vector<Lanes>> FoldOnce(const HloInstruction& reduce,
                                              const Position& position, llvm::Value* mask);
  absl::StatusOr<Lanes> Compute(const HloInstruction& instruction, const Position& position,
                                llvm::Value* mask);
  absl::StatusOr<Lanes> Iota(const HloInstruction& instruction, const Position& position);
  absl::StatusOr<Lanes> Concatenate(const HloInstruction& instruction, const Position& position,
                                    llvm::Value* mask);
  absl::StatusOr<Lanes> Pad(const HloInstruction& instruction, const Position& position,
                            llvm::Value* mask);
  // The same where there are holes between neighbours along a dimension that only it changes.
  absl::StatusOr<Lanes> PadWithHoles(const HloInstruction& instruction, const Position& position,
                                     size_t dimension, llvm::Value* mask);
  absl::StatusOr<Lanes> BitcastConvert(const HloInstruction& instruction, const Position& position,
                                       llvm::Value* mask);
  absl::StatusOr<Lanes> DynamicUpdateSlice(const HloInstruction& instruction,
                                           const Position& position, llvm::Value* mask);
  // Comparison of absolute values of complex numbers with one that is known, without their square
  // roots. Empty where a comparison is something else.
  absl::StatusOr<Lanes> CompareLengths(const HloInstruction& compare, const Position& position,
                                       llvm::Value* mask);
  // Division of many elements by one number that is known outside of the loop, as products with its
  // inverse. Empty where a division is something else, or its last digit counts.
  absl::StatusOr<Lanes> DivideByOne(const HloInstruction& divide, const Position& position,
                                    llvm::Value* mask);
  // Looks up start indices and moves them into [0, most].
  absl::StatusOr<Coordinate> SliceStart(const HloInstruction& indices, const Position& position,
                                        int64_t most, llvm::Value* mask);
  absl::StatusOr<std::vector<Lanes>> ReduceWindow(const HloInstruction& reduce_window,
                                                  const Position& position, llvm::Value* mask);

  Coordinate Evaluate(const IndexExpr& expr, const Position& position);

  // The object that stands where coordinates of a level are known.
  Elements& At(int level) {
    return outer_ == nullptr || level >= this->level() ? *this : outer_->At(level);
  }

  // Arithmetic on coordinates. What does not change in a loop is computed before it.
  Coordinate Plus(const Coordinate& x, int64_t number);
  Coordinate Plus(const Coordinate& x, const Coordinate& y);
  Coordinate Times(const Coordinate& x, int64_t number);
  // Whether all lanes are known to have the same quotient.
  bool HaveOneQuotient(const Coordinate& x, int64_t divisor) const;
  Coordinate Quotient(const Coordinate& x, int64_t divisor);
  Coordinate Rest(const Coordinate& x, int64_t divisor);
  llvm::Value* Below(const Coordinate& x, int64_t limit);  // a mask
  llvm::Value* Vector(const Coordinate& x);

  Builder& b_;
  int lanes_;
  Leaf leaf_;
  Elements* outer_;
  Memo* memo_;
  absl::flat_hash_map<Key, Lanes> known_;
  // Of divisors: a power of two and the inverse of the product with it.
  absl::flat_hash_map<llvm::Value*, std::pair<llvm::Value*, llvm::Value*>> inverses_;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_ELEMENTS_H_
