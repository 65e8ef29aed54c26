// Shards: the parts of an array that devices hold, cut out of it and joined to it.
#ifndef HILO_PASSES_PARTITION_SHARDS_H_
#define HILO_PASSES_PARTITION_SHARDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/shape.h"

namespace xla::passes {

// That a collective has a channel says that its groups are of partitions. All may have the same.
inline constexpr int64_t kPartitionsChannel = 1;

// How an array is divided among devices: each dimension into as many tiles of equal size, the last
// of which may hold less, and which tile each device has. Of an array that is unreduced, several
// devices have summands of the same tile.
class Division {
 public:
  // Of an array with so many dimensions. Replicated, manual, unknown and maximal shardings divide
  // nothing. InvalidArgument where the sharding is for another number of dimensions or of devices.
  static absl::StatusOr<Division> Of(const HloSharding& sharding, int64_t rank, int64_t devices);

  // With this many tiles in each dimension, a divisor of what there are: as many adjacent tiles as
  // that takes count as one.
  Division Coarsened(absl::Span<const int64_t> tiles) const;

  bool IsWhole() const;
  // Whether each device has the same part by both.
  bool GivesSameParts(const Division& other) const;
  int64_t tiles(int64_t dimension) const { return tiles_[dimension]; }
  // The shape of each device's part.
  Shape ShardShape(const Shape& whole) const;

  // This device's part of an array that all devices have. Where a tile holds less, zeros follow.
  HloInstruction* Cut(HloInstruction& whole) const;
  // The array of that shape which all devices have a part of.
  HloInstruction* Join(HloInstruction& shard, const Shape& whole) const;

 private:
  int64_t devices() const { return static_cast<int64_t>(tile_of_.size()); }
  // The devices that together hold all tiles along a dimension, in the order of the tiles.
  std::vector<std::vector<int64_t>> GroupsAlong(int64_t dimension) const;
  // The array on the first of the devices with summands of the same tile, zeros on the others.
  HloInstruction* Summand(HloInstruction& shard) const;

  std::vector<int64_t> tiles_;
  // Where each device stands in the tile assignment; what lies behind the array's dimensions tells
  // devices apart that have the same tile.
  std::vector<std::vector<int64_t>> tile_of_;
  // Where in the tile assignment devices with summands of the same tile differ.
  std::optional<int64_t> summands_;
};

// Arrays that were joined of parts. To cut the same parts out again gives the parts themselves:
// with nothing sent, and of unreduced arrays with the summands as they were.
class JoinedArrays {
 public:
  HloInstruction* Join(HloInstruction& shard, const Shape& whole, const Division& division);
  HloInstruction* Cut(HloInstruction& whole, const Division& division) const;

 private:
  struct Parts {
    HloInstruction* shard;
    Division division;
  };
  std::map<std::string, Parts> parts_;  // by the name of the joined array
};

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_SHARDS_H_
