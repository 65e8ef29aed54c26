// Which element of an operand an element of a result is made of: quasi-affine functions of indices,
// which are sums, products with constants, quotients and remainders by constants.
#ifndef HILO_IR_INDEX_MAP_H_
#define HILO_IR_INDEX_MAP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// constant + factor * variable + factor * ((...) floordiv divisor) + factor * ((...) mod divisor).
class IndexExpr {
 public:
  enum class Kind { kVariable, kQuotient, kRemainder };
  struct Term {
    int64_t factor = 1;
    Kind kind = Kind::kVariable;
    int variable = 0;
    std::shared_ptr<const IndexExpr> of;  // what is divided
    int64_t divisor = 1;
    // Whether both are the same but for the factor.
    bool IsLike(const Term& other) const;
  };

  IndexExpr() = default;
  static IndexExpr Constant(int64_t number);
  static IndexExpr Variable(int variable);
  IndexExpr FloorDiv(int64_t divisor) const;
  IndexExpr Mod(int64_t divisor) const;
  friend IndexExpr operator+(const IndexExpr& x, const IndexExpr& y);
  friend IndexExpr operator*(const IndexExpr& x, int64_t factor);
  bool operator==(const IndexExpr& other) const;

  int64_t constant() const { return constant_; }
  const std::vector<Term>& terms() const { return terms_; }
  // Sums of products only.
  bool IsLinear() const;
  // The variable that it is, or -1.
  int AsVariable() const;

  // With numbers in place of the variables.
  int64_t Evaluate(absl::Span<const int64_t> variables) const;
  // With other expressions in place of the variables.
  IndexExpr Substitute(absl::Span<const IndexExpr> variables) const;
  // The same number wherever each variable is at least 0 and less than its size, more simply.
  IndexExpr Simplify(absl::Span<const int64_t> sizes) const;
  struct Range {
    int64_t least, most;
  };
  Range RangeOf(absl::Span<const int64_t> sizes) const;

 private:
  void Add(Term term);
  int64_t constant_ = 0;
  std::vector<Term> terms_;  // no two are alike, and no factor is 0
};

// From the index of a result to that of an operand. Text:
//   (d0 in 8, d1 in 4; s0 in 3) -> (d0 * 2 + s0 - 1, d1) where d0 * 2 + s0 - 1 in [0, 16)
struct IndexMap {
  // Of the variables: dimensions of the result; then symbols, each of which runs through all
  // numbers below its size (reduced dimensions, windows) or has a value that is known at run time
  // (starts of slices).
  std::vector<int64_t> sizes;
  int dimensions = 0;  // so many variables are dimensions
  std::vector<IndexExpr> results;
  // Outside of these, the result is made of something else: padding, another operand.
  struct Guard {
    IndexExpr expr;
    int64_t begin, end;
    bool operator==(const Guard&) const = default;
  };
  std::vector<Guard> guards = {};

  bool operator==(const IndexMap&) const = default;
  std::string ToString() const;
  static absl::StatusOr<IndexMap> Parse(absl::string_view text);

  // Each index stays as it is.
  static IndexMap Identity(absl::Span<const int64_t> sizes);
  // Expressions and guards as simple as the ranges of variables allow.
  IndexMap Simplify() const;
};

// First `outer`, then `inner`, whose dimensions are the results of `outer`; its symbols come behind
// those of `outer`.
IndexMap Compose(const IndexMap& outer, const IndexMap& inner);

// How an instruction reads one of its operands: element-wise operations, broadcasts, reshapes,
// transposes, slices, reversals, concatenations, padding, dynamic slices and their updates,
// gathers, reductions, also in windows, dots. Nothing for others.
std::optional<IndexMap> OperandMap(const HloInstruction& instruction, int64_t operand);

// From the index of updates of a dynamic-update-slice, a scatter or a select-and-scatter to the
// index in the result where they belong, which is guarded where it may lie outside.
IndexMap UpdateMap(const HloInstruction& instruction);

// Symbols of the map of what is sliced or updated whose values are elements of another operand:
// numbers that slices bring into the range of the symbol and that scatters take as they are.
struct Start {
  int symbol;       // among the variables
  int64_t operand;  // that has it,
  IndexMap index;   // and where, from the same index
};
std::vector<Start> StartsOf(const HloInstruction& instruction);

}  // namespace xla

#endif  // HILO_IR_INDEX_MAP_H_
