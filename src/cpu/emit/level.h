// Nested loops in whose bodies elements are computed. Whatever does not change in a loop is
// computed before it, in the body of the loop around it.
#ifndef HILO_CPU_EMIT_LEVEL_H_
#define HILO_CPU_EMIT_LEVEL_H_

#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/lanes.h"
#include "cpu/emit/loops.h"

namespace xla::cpu {

// The body of one loop, or what is around all of them. Code is added at its end, also by loops
// inside of it that are under construction.
class Level {
 public:
  Level(llvm::BasicBlock* block, const Builder& around, int lanes, Elements::Leaf leaf,
        Elements::Memo* memo)
      : b(block, around),
        leaf_(std::move(leaf)),
        memo_(memo),
        elements(b, lanes, leaf_, nullptr, memo) {}
  Level(llvm::BasicBlock* block, int lanes, Level& outer)
      : b(block, &outer.b),
        leaf_(outer.leaf_),
        memo_(outer.memo_),
        elements(b, lanes, leaf_, &outer.elements, memo_) {}

  // The number of loops around it, for coordinates that change with each of its turns.
  int number() const { return elements.level(); }

  // for (i = begin; i < end; i += step) carried = body(inner, i, carried)
  absl::StatusOr<Carried> Loop(
      llvm::Value* begin, llvm::Value* end, int64_t step, int lanes, Carried carried,
      absl::FunctionRef<absl::StatusOr<Carried>(Level& inner, llvm::Value* i, Carried carried)>
          body);
  absl::Status Loop(llvm::Value* begin, llvm::Value* end, int64_t step, int lanes,
                    absl::FunctionRef<absl::Status(Level& inner, llvm::Value* i)> body);
  // The same with one turn.
  absl::Status Once(int lanes, absl::FunctionRef<absl::Status(Level& inner)> body);
  // The same with one turn or none.
  absl::Status If(llvm::Value* condition, absl::FunctionRef<absl::Status(Level& inner)> body);

  Builder b;

 private:
  const Elements::Leaf leaf_;
  Elements::Memo* const memo_;

 public:
  Elements elements;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_LEVEL_H_
