// Makes the shardings that XlaBuilder::SetSharding takes.
#ifndef XLA_HLO_BUILDER_SHARDING_BUILDER_H_
#define XLA_HLO_BUILDER_SHARDING_BUILDER_H_

#include <cstdint>

#include "xla/array.h"
#include "xla/shape.h"
#include "xla/shape_tree.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace sharding_builder {

// Device numbers, one for each tile, as an array of as many dimensions as the sharded value has.
using TileAssignment = Array<int64_t>;

// Every device has the whole value.
OpSharding Replicate();

// The program says itself what each device does.
OpSharding Manual();

// One device has the value.
OpSharding SingleDevice(int device);

// Each device has a tile of `tile_shape`.
OpSharding Tile(const Shape& tile_shape, const TileAssignment& tile_assignment);

// A value of one dimension in `num_tiles` pieces on devices 0, 1, ...
OpSharding Tile1D(const Shape& tile_shape, int64_t num_tiles);

// One sharding for each leaf of a tuple.
OpSharding Tuple(const ShapeTree<OpSharding>& shardings);

}  // namespace sharding_builder
}  // namespace xla

#endif  // XLA_HLO_BUILDER_SHARDING_BUILDER_H_
