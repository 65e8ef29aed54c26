// Literals over memory of somebody else that may be written.
#ifndef HILO_DATA_LITERAL_BORROW_H_
#define HILO_DATA_LITERAL_BORROW_H_

#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

// An array in the memory at `buffer`, which must outlive the literal and whatever it is moved to. The
// shape must be that of an array with a layout.
Literal BorrowArray(const Shape& shape, void* buffer);

}  // namespace xla

#endif  // HILO_DATA_LITERAL_BORROW_H_
