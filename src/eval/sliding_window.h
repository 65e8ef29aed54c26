// Wide windows that move one element at a time, as in cumulative sums.
#ifndef HILO_EVAL_SLIDING_WINDOW_H_
#define HILO_EVAL_SLIDING_WINDOW_H_

#include <cstdint>
#include <optional>

#include "eval/element_functions.h"
#include "xla/literal.h"
#include "xla/xla_data.pb.h"

namespace xla::eval {

// The only dimension in which the window is larger than one element, if it is wide, has stride 1
// and no dilation there and does nothing in the others.
std::optional<int> SlidingDimension(const Window& window);

// reduce-window along that dimension in a time that does not depend on the window's size: by the
// method of van Herk, Gil and Werman, out of running results from both ends of blocks. `step` must
// be associative.
void SlideWindow(const ElementStep& step, const WindowDimension& window, int dimension,
                 const Literal& operand, const Literal& initial_value, Literal& result);

}  // namespace xla::eval

#endif  // HILO_EVAL_SLIDING_WINDOW_H_
