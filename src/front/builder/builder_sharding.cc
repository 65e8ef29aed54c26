// Shardings, and the custom calls that the partitioner understands.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "xla/hlo/builder/sharding_builder.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/util.h"

namespace xla {
namespace sharding_builder {

OpSharding Replicate() {
  OpSharding sharding;
  sharding.set_type(OpSharding::REPLICATED);
  return sharding;
}

OpSharding Manual() {
  OpSharding sharding;
  sharding.set_type(OpSharding::MANUAL);
  return sharding;
}

OpSharding SingleDevice(int device) {
  OpSharding sharding;
  sharding.set_type(OpSharding::MAXIMAL);
  sharding.add_tile_assignment_dimensions(1);
  sharding.add_tile_assignment_devices(device);
  return sharding;
}

OpSharding Tile(const Shape& tile_shape, const TileAssignment& tile_assignment) {
  OpSharding sharding;
  sharding.set_type(OpSharding::OTHER);
  tile_shape.ToProto(*sharding.mutable_tile_shape());
  for (int64_t dimension : tile_assignment.dimensions()) {
    sharding.add_tile_assignment_dimensions(dimension);
  }
  for (int64_t device : tile_assignment) sharding.add_tile_assignment_devices(device);
  return sharding;
}

OpSharding Tile1D(const Shape& tile_shape, int64_t num_tiles) {
  TileAssignment tiles({num_tiles});
  tiles.FillIota(0);
  return Tile(tile_shape, tiles);
}

OpSharding Tuple(const ShapeTree<OpSharding>& shardings) {
  OpSharding sharding;
  sharding.set_type(OpSharding::TUPLE);
  for (const auto& [index, leaf] : shardings.leaves()) *sharding.add_tuple_shardings() = leaf;
  return sharding;
}

}  // namespace sharding_builder

namespace {

std::string UnspecifiedDimensions(absl::Span<const int64_t> dimensions) {
  return dimensions.empty()
             ? ""
             : absl::StrCat("unspecified_dims=[", absl::StrJoin(dimensions, ","), "]");
}

// The sharding of a value that the program splits itself: along one dimension, while the others
// stay as they were, or along all. In the first case the devices along that dimension are moved to
// a last one, marked manual.
absl::StatusOr<OpSharding> ManualSharding(const OpSharding& original, int64_t single_dim) {
  if (single_dim < 0 || original.type() != OpSharding::OTHER) return sharding_builder::Manual();
  HILO_ASSIGN_OR_RETURN(const HloSharding sharding, HloSharding::FromProto(original));
  const auto tiles = sharding.tile_assignment().ToArray();
  if (single_dim >= static_cast<int64_t>(tiles.num_dimensions())) {
    return InvalidArgument("the sharding has no dimension %d", single_dim);
  }
  std::vector<int64_t> sizes(tiles.dimensions().begin(), tiles.dimensions().end());
  sizes.push_back(sizes[single_dim]);
  sizes[single_dim] = 1;
  Array<int64_t> moved(sizes);
  moved.Each([&](absl::Span<const int64_t> index, int64_t* device) {
    std::vector<int64_t> source(index.begin(), index.end() - 1);
    source[single_dim] = index.back();
    *device = tiles(source);
  });
  OpSharding manual;
  manual.set_type(OpSharding::OTHER);
  manual.mutable_tile_assignment_dimensions()->Assign(sizes.begin(), sizes.end());
  manual.mutable_tile_assignment_devices()->Assign(moved.begin(), moved.end());
  manual.add_last_tile_dims(OpSharding::MANUAL);
  return manual;
}

absl::StatusOr<XlaOp> Annotated(XlaBuilder* builder, absl::string_view target, XlaOp input,
                                const Shape& shape, const OpSharding& sharding,
                                absl::Span<const int64_t> unspecified_dims) {
  XlaScopedShardingAssignment scope(builder, sharding);
  const XlaOp call = CustomCall(builder, std::string(target), {input}, shape,
                                UnspecifiedDimensions(unspecified_dims));
  HILO_RETURN_IF_ERROR(builder->first_error());
  return call;
}

}  // namespace

absl::StatusOr<XlaOp> ConvertSpmdFullToShardShape(XlaBuilder* builder, XlaOp input, int single_dim,
                                                  const OpSharding& manual_sharding,
                                                  absl::Span<const int64_t> unspecified_dims) {
  HILO_ASSIGN_OR_RETURN(const Shape full, builder->GetShape(input));
  HILO_ASSIGN_OR_RETURN(const OpSharding manual, ManualSharding(manual_sharding, single_dim));
  Shape shard = full;
  const auto& tiles = manual_sharding.tile_assignment_dimensions();
  if (manual_sharding.type() == OpSharding::OTHER) {
    if (tiles.size() < full.dimensions_size()) {
      return InvalidArgument("a sharding of %d dimensions does not fit %s", tiles.size(),
                             full.ToString());
    }
    for (int i = 0; i < full.dimensions_size(); ++i) {
      if ((single_dim >= 0 && i != single_dim) || tiles[i] <= 1) continue;
      shard.set_dimensions(i, CeilOfRatio<int64_t>(full.dimensions(i), tiles[i]));
    }
  }
  HILO_ASSIGN_OR_RETURN(const XlaOp annotated, Annotated(builder, "Sharding", input, full,
                                                         manual_sharding, unspecified_dims));
  return Annotated(builder, "SPMDFullToShardShape", annotated, shard, manual, unspecified_dims);
}

absl::StatusOr<XlaOp> ConvertSpmdShardToFullShape(XlaBuilder* builder, XlaOp input,
                                                  const Shape& output_shape, int single_dim,
                                                  const OpSharding& manual_sharding,
                                                  absl::Span<const int64_t> unspecified_dims) {
  HILO_ASSIGN_OR_RETURN(const Shape shard, builder->GetShape(input));
  HILO_ASSIGN_OR_RETURN(const OpSharding manual, ManualSharding(manual_sharding, single_dim));
  HILO_ASSIGN_OR_RETURN(const XlaOp annotated,
                        Annotated(builder, "Sharding", input, shard, manual, unspecified_dims));
  return Annotated(builder, "SPMDShardToFullShape", annotated, output_shape, manual_sharding,
                   unspecified_dims);
}

}  // namespace xla
