// The largest elements, by sorting.
#ifndef XLA_HLO_BUILDER_LIB_SORTING_H_
#define XLA_HLO_BUILDER_LIB_SORTING_H_

#include <cstdint>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

// The tuple (values, indices) of the k largest along the last dimension, in descending order, equal
// ones in the order of the input; floating point types in total order. The indices have type
// `index_type`.
//
// The function of the same name in xla_builder_ops.h, which takes a bool, makes one operation of
// its own of it.
XlaOp TopK(XlaOp input, int64_t k, PrimitiveType index_type = PrimitiveType::S32);

// The same result, computed from the k largest of each of num_partitions parts.
XlaOp TopKWithPartitions(XlaOp input, int64_t k, int64_t num_partitions = 1,
                         PrimitiveType index_type = PrimitiveType::S32);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_SORTING_H_
