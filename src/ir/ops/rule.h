// What the shape rules of this folder are written with. Each check of an operation has a number N,
// counted in the order in which a reader of the operation's description meets it; the message of a
// broken one begins with "<opcode>_c<N>: ". Number 0 is what holds for every operation: counts of
// operands and computations, a declared shape where one is needed, sizes that can be represented.
#ifndef HILO_IR_OPS_RULE_H_
#define HILO_IR_OPS_RULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "ir/records.h"
#include "ir/shape_rules.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_rules {

using IntSpan = absl::Span<const int64_t>;

// InvalidArgument: label, `what`, then the shapes of operands, declared result and called
// computations.
absl::Status BrokenRule(const OpDescription& op, int number, absl::string_view what);

// Returns from a rule, whose argument is called `op`, unless the condition holds. The rest is the
// rule in words, as for absl::StrFormat.
#define HILO_RULE(number, condition, ...) \
  if (ABSL_PREDICT_TRUE(condition)) {     \
  } else /* NOLINT */                     \
    return BrokenRule(op, number, absl::StrFormat(__VA_ARGS__))

// A shape for a message: without layout, long tuples cut.
std::string Text(const Shape& shape);
std::string Text(IntSpan values);

// An array without dimensions.
inline bool IsScalar(const Shape& shape) {
  return shape.IsArrayExcludingBuffer() && shape.dimensions_size() == 0;
}

// Kinds of element types. PRED is not an integer.
bool IsInteger(PrimitiveType type);
bool IsFloat(PrimitiveType type);
bool IsFloatOrComplex(PrimitiveType type);
bool IsIntegerOrPred(PrimitiveType type);
bool IsReal(PrimitiveType type);
bool IsNumber(PrimitiveType type);
bool IsNumberOrPred(PrimitiveType type);
bool IsSignedNumber(PrimitiveType type);

// Sizes of dimensions that may be the same at run time: equal ones, or one that is unbounded.
bool SizesAgree(int64_t a, int64_t b);
bool DimensionsAgree(const Shape& a, const Shape& b);
// The same kinds of shapes with the same element types, or floating-point ones of any precision
// where that is allowed, and agreeing dimensions, whatever the layouts.
bool ShapesAgree(const Shape& a, const Shape& b, bool allow_mixed_precision = false);
// The same element types, or floating-point ones where the operation may mix them.
bool ElementTypesAgree(const OpDescription& op, const Shape& a, const Shape& b);
// Of dimensions that agree, what is known about both: a size rather than "?"; dynamic where either
// is.
Shape MergeDimensions(const Shape& a, const Shape& b, PrimitiveType type);

// Operands that must be arrays, scalars, integers of rank 0, ...
absl::Status ExpectArray(const OpDescription& op, int number, int operand);
absl::Status ExpectArrays(const OpDescription& op, int number);
absl::Status ExpectScalar(const OpDescription& op, int number, int operand);
absl::Status ExpectToken(const OpDescription& op, int number, int operand);
absl::Status ExpectElementType(const OpDescription& op, int number, int operand,
                               bool (*is_allowed)(PrimitiveType), absl::string_view allowed);
absl::Status ExpectSameElementType(const OpDescription& op, int number, int first, int second);
absl::Status ExpectAgreeingElementTypes(const OpDescription& op, int number, int first, int second);
absl::Status ExpectSameDimensions(const OpDescription& op, int number, int first, int second);

// Numbers of dimensions: each within [0, rank), none twice.
absl::Status ExpectDimensions(const OpDescription& op, int number, absl::string_view attribute,
                              IntSpan dimensions, int64_t rank);
absl::Status ExpectAscending(const OpDescription& op, int number, absl::string_view attribute,
                             IntSpan dimensions);

// The declared shape; rule 0 when there is none.
absl::StatusOr<const Shape*> Declared(const OpDescription& op);
// The declared element type if an array is declared, else `otherwise`.
PrimitiveType DeclaredElementType(const OpDescription& op, PrimitiveType otherwise);

// Tuples of tuples of tuples of the same operands double with every level: the result, or what it
// is to be made of, must not have more parts than this.
constexpr int64_t kMaxTupleParts = int64_t{1} << 20;
absl::Status ExpectFewParts(const OpDescription& op, absl::Span<const Shape* const> shapes);
// The result of a rule: sizes checked, and default layouts where there is none that fits.
absl::StatusOr<Shape> Result(const OpDescription& op, Shape shape);
// One shape as it is, several as a tuple.
Shape MaybeTuple(std::vector<Shape> shapes);
// The operand's shape with another element type.
Shape WithElementType(const Shape& shape, PrimitiveType type);

// In the sense of ShapesAgree.
absl::Status ExpectCalleeParameters(const OpDescription& op, int number, int callee,
                                    absl::Span<const Shape* const> shapes);
absl::Status ExpectCalleeResult(const OpDescription& op, int number, int callee,
                                const Shape& shape);

// The computation combines k scalars with k others: (T_0.., T_0..) -> T_0 or a tuple of them, where
// T_i agrees with the element type of operand i of `values` and of `inits`. Gives the result
// element types.
absl::StatusOr<std::vector<PrimitiveType>> ExpectReducer(const OpDescription& op, int number,
                                                         int callee,
                                                         absl::Span<const Shape* const> values,
                                                         absl::Span<const Shape* const> inits);

// The shape of the results of a window that moves over an array of these sizes. Checks that there
// is an entry per dimension (number) and that sizes, strides and dilations are positive and offsets
// small enough (number + 1).
absl::StatusOr<Shape> WindowResult(const OpDescription& op, int number, const Shape& base,
                                   const Window& window, PrimitiveType type);

// output_to_operand_aliasing: both sides exist and have the same shape, where a buffer is as good
// as its array.
absl::Status ExpectAliasing(const OpDescription& op, int number,
                            absl::Span<const OutputOperandAlias> aliases, const Shape& result);

// Groups of replicas: no negative id, none twice, no empty group; all of one size where that is
// asked for.
absl::Status ExpectReplicaGroups(const OpDescription& op, int number,
                                 const CollectiveDeviceList& groups, bool equal_sizes);

}  // namespace xla::shape_rules

#endif  // HILO_IR_OPS_RULE_H_
