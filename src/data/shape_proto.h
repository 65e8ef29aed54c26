// Shapes and layouts from protos, with the depth at which they are nested.
#ifndef HILO_DATA_SHAPE_PROTO_H_
#define HILO_DATA_SHAPE_PROTO_H_

#include "absl/status/statusor.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Check each field by itself and the nesting; ShapeUtil::ValidateShape checks how the fields fit
// together.
absl::StatusOr<Shape> ShapeFromProto(const ShapeProto& proto, int depth);
absl::StatusOr<Layout> LayoutFromProto(const LayoutProto& proto, int depth);

}  // namespace xla

#endif  // HILO_DATA_SHAPE_PROTO_H_
