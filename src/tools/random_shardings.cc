#include "tools/random_shardings.h"

#include <utility>
#include <vector>

#include "tools/random_values.h"
#include "xla/array.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

std::vector<int64_t> PrimeFactors(int64_t number) {
  std::vector<int64_t> factors;
  for (int64_t factor = 2; number > 1; ++factor) {
    for (; number % factor == 0; number /= factor) factors.push_back(factor);
  }
  return factors;
}

HloSharding SomeSharding(Random& random, const Shape& shape, int64_t devices) {
  const int rank = shape.dimensions_size();
  if (shape.is_dynamic() || rank == 0 || random.Below(8) == 0) return HloSharding::Replicate();
  const std::vector<int64_t> factors = PrimeFactors(devices);
  const bool may_be_uneven = random.Below(3) == 0;
  std::vector<int64_t> tiles(rank + 1, 1);  // the last one replicates
  for (int64_t factor : factors) {
    const int64_t d = random.Below(rank + 1);
    const bool fits =
        d < rank &&
        (may_be_uneven ? shape.dimensions(static_cast<int>(d)) > 1
                       : shape.dimensions(static_cast<int>(d)) % (tiles[d] * factor) == 0);
    tiles[fits ? d : rank] *= factor;
  }
  const auto sharding = [&](auto assignment) {
    return HloSharding::PartialTile(std::move(assignment));
  };
  if (random.Coin()) {
    const Int64List order = random.Permutation(static_cast<int64_t>(factors.size()));
    return sharding(TileAssignment(tiles, factors, std::vector<int>(order.begin(), order.end())));
  }
  Array<int64_t> numbers(tiles);
  const Int64List order = random.Permutation(devices);
  numbers.SetValues(std::vector<int64_t>(order.begin(), order.end()));
  return sharding(std::move(numbers));
}

HloSharding SomeShardingOfAll(Random& random, const Shape& shape, int64_t devices) {
  if (!shape.IsTuple()) {
    return shape.IsArray() ? SomeSharding(random, shape, devices) : HloSharding::Replicate();
  }
  std::vector<HloSharding> leaves;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    if (!leaf.IsTuple()) leaves.push_back(SomeShardingOfAll(random, leaf, devices));
  });
  if (leaves.empty()) leaves.push_back(HloSharding::Replicate());
  return HloSharding::FlatTuple(std::move(leaves));
}

}  // namespace

void ShardAtRandom(HloModule& module, int64_t devices, uint64_t seed) {
  Random random(seed);
  module.mutable_config().set_num_partitions(1);
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* instruction : computation->instructions()) instruction->clear_sharding();
  }
  HloComputation& entry = *module.entry_computation();
  for (HloInstruction* instruction : entry.instructions()) {
    const bool is_parameter = instruction->opcode() == HloOpcode::kParameter;
    const bool is_root = instruction == entry.root_instruction();
    if (is_parameter && !instruction->shape().IsArray()) continue;
    if (random.Below(8) >= (is_parameter || is_root ? 6 : 1)) continue;
    instruction->set_sharding(SomeShardingOfAll(random, instruction->shape(), devices));
  }
}

}  // namespace xla
