// Large intermediate results, block by block.
#ifndef HILO_CPU_PLAN_BLOCK_PRODUCTS_H_
#define HILO_CPU_PLAN_BLOCK_PRODUCTS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// In bytes and rows or columns of a product.
struct BlockLimits {
  // Smaller arrays are as fast to write and to read again.
  int64_t large_bytes = int64_t{24} << 20;
  // Blocks shall be as small as a core's own cache, but have so many rows that what each of them is
  // multiplied by again weighs little; fewer rather than so many bytes, if not less than the least.
  int64_t block_bytes = int64_t{4} << 20;
  int64_t rows = 512;
  int64_t most_block_bytes = int64_t{16} << 20;
  int64_t least_rows = 128;
};

// Writes products whose results are too large for caches, with all that is computed of these
// (plan/product_chain.h), as loops over blocks that are not: the scores of an attention, the
// distances between two sets of points. So nothing of them is ever in memory as a whole. Along
// batches first, then along rows or columns; a loop in a loop for each dimension.
absl::StatusOr<bool> BlockProducts(HloModule& module);
absl::StatusOr<bool> BlockProducts(HloModule& module, const BlockLimits& limits);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_BLOCK_PRODUCTS_H_
