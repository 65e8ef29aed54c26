// Arrays with fewer elements than their bounds.
#ifndef HILO_EVAL_DYNAMIC_SIZES_H_
#define HILO_EVAL_DYNAMIC_SIZES_H_

#include "eval/frame.h"
#include "xla/literal.h"

namespace xla::eval {

// Gives the result of an element-wise operation the dynamic sizes of its operands.
void CopyDynamicSizes(const Frame& frame, Literal& result);

// Sets the dynamic size of a dimension to that of another array's dimension, if that is dynamic.
void CopyDynamicSize(const Literal& from, int64_t from_dimension, Literal& to,
                     int64_t to_dimension);

// The sizes of all dimensions, the dynamic ones where there are any.
DimensionVector DynamicSizes(const Literal& array);

}  // namespace xla::eval

#endif  // HILO_EVAL_DYNAMIC_SIZES_H_
