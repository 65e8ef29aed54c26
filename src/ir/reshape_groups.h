// Which dimensions of an array become which of a reshaped one.
#ifndef HILO_IR_RESHAPE_GROUPS_H_
#define HILO_IR_RESHAPE_GROUPS_H_

#include <cstdint>
#include <vector>

#include "xla/shape.h"

namespace xla {

// Dimensions [from, from_end) become [to, to_end).
struct ReshapeGroup {
  int64_t from, from_end, to, to_end;
};

// The smallest groups, in order; every dynamic dimension is in one. A dimension of bound 1 without
// counterpart belongs to the group before it. Where bounds of 1 leave a
// choice, dynamic dimensions become dynamic ones.
std::vector<ReshapeGroup> ReshapeGroups(const Shape& from, const Shape& to);

}  // namespace xla

#endif  // HILO_IR_RESHAPE_GROUPS_H_
