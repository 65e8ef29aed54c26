// Comparison of results with expected ones. Errors say what differs, where and how often.
#ifndef HILO_INCLUDE_XLA_LITERAL_COMPARISON_H_
#define HILO_INCLUDE_XLA_LITERAL_COMPARISON_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "xla/error_spec.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla::literal_comparison {

// Called for each array that differs, with its index in the tuple and a literal of type PRED and
// the array's dimensions that is true where elements differ.
using MiscompareCallback =
    std::function<void(const LiteralSlice& expected, const LiteralSlice& actual,
                       const LiteralSlice& mismatches, const ShapeIndex& shape_index)>;

// OK when the shapes have the same tuple structure, element types and dimensions. Layouts do not
// count.
absl::Status EqualShapes(const Shape& expected, const Shape& actual);

// OK when the shapes are equal and so are the dynamic sizes: a dimension that is dynamic in one
// literal has to be so in the other.
absl::Status EqualDynamicShapesAndDimensions(const LiteralSlice& expected,
                                             const LiteralSlice& actual);

// OK when shapes, dynamic sizes and elements are equal. Elements are compared by their bits, so
// that -0 differs from +0 and a NaN equals the same NaN only. The InvalidArgument error says how
// many elements differ and which the first ones are.
absl::Status Equal(const LiteralSlice& expected, const LiteralSlice& actual,
                   const MiscompareCallback& miscompare_callback = nullptr);

// OK when shapes and dynamic sizes are equal and floating-point and complex elements are as close
// as `error` says; an element fails only when both its absolute error |actual - expected| is more
// than error.abs and its relative error, the absolute one divided by |expected|, is more than
// error.rel. Other elements must be equal. detailed_message chooses whether the message lists the
// worst elements (the default) or only counts them.
absl::Status Near(const LiteralSlice& expected, const LiteralSlice& actual, const ErrorSpec& error,
                  std::optional<bool> detailed_message = std::nullopt,
                  const MiscompareCallback& miscompare_callback = nullptr);

// The literal in one line, cut after a thousand characters or so.
std::string ToStringTruncated(const LiteralSlice& literal);

}  // namespace xla::literal_comparison

#endif  // HILO_INCLUDE_XLA_LITERAL_COMPARISON_H_
