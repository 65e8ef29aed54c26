// Tuples as trees of operations.
#ifndef XLA_HLO_BUILDER_LIB_TUPLE_H_
#define XLA_HLO_BUILDER_LIB_TUPLE_H_

#include "absl/status/statusor.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/shape_tree.h"

namespace xla {

// The operations for all leaves, and for the tuples between.
absl::StatusOr<ShapeTree<XlaOp>> DisassembleTuple(XlaOp tuple);

// The tuple of the leaves. What the tree has for inner nodes does not count.
XlaOp AssembleTuple(XlaBuilder* builder, ShapeTree<XlaOp> elements);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_TUPLE_H_
