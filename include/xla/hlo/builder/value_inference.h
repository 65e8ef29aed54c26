// What can be known about the values of operations while a program is built.
#ifndef XLA_HLO_BUILDER_VALUE_INFERENCE_H_
#define XLA_HLO_BUILDER_VALUE_INFERENCE_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla {

// A value of which some elements may not be known.
class OptionalLiteral {
 public:
  // `mask` has PRED in place of the element types of `value`; true stands for "not known".
  explicit OptionalLiteral(Literal value, Literal mask)
      : value_(std::move(value)), mask_(std::move(mask)) {}

  // The element, or nothing when it is not known.
  template <typename NativeT>
  std::optional<NativeT> Get(absl::Span<const int64_t> element_index,
                             ShapeIndex shape_index = {}) const {
    if (mask_.Get<bool>(element_index, shape_index)) return std::nullopt;
    return value_.Get<NativeT>(element_index, shape_index);
  }

  // Whether all elements are known.
  bool AllValid() const;

  // The whole value, which lives as long as this does; nothing unless all of it is known.
  std::optional<LiteralSlice> GetValue() const {
    if (!AllValid()) return std::nullopt;
    return LiteralSlice(value_);
  }

 private:
  Literal value_;
  Literal mask_;
};

enum ValueInferenceMode {
  // The value itself, where it is the same in every execution.
  kValue,
  // A number that the value is never above, or never below.
  kUpperBound,
  kLowerBound,
};

// Infers values from constants, static sizes, the bounds of dynamic sizes and those that the custom
// call "SetBound" declares: its result is its operand, its literal the upper bound, or a tuple of
// the upper bound and of PRED that says which elements are not always just that. Element-wise
// operations, data movement and reductions are followed element by element, and conditionals into
// their branches; all others where their operands are known altogether. A parameter is never known,
// nor is anything random or from outside. Loops are not followed, nor are arrays of more than 2^20
// elements and what takes more than 2^24 steps.
//
// Integers are taken not to overflow.
class ValueInference {
 public:
  // The builder must outlive this.
  explicit ValueInference(XlaBuilder* builder) : builder_(builder) {}

  // PRED in the shape of `op`: whether the element may differ between executions. InvalidArgument
  // when the operation is not valid or its value has parts that are no arrays, ResourceExhausted
  // for more than 2^26 elements.
  absl::StatusOr<Literal> AnalyzeIsDynamic(XlaOp op);

  // What is known of the value of `op`. Errors as above.
  absl::StatusOr<OptionalLiteral> AnalyzeConstant(XlaOp op, ValueInferenceMode mode);

  XlaBuilder* builder() { return builder_; }

 private:
  XlaBuilder* builder_;
};

}  // namespace xla

#endif  // XLA_HLO_BUILDER_VALUE_INFERENCE_H_
