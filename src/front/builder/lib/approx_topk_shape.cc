#include "xla/hlo/builder/lib/approx_topk_shape.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "xla/util.h"

namespace xla {
namespace {

int64_t FloorLog2(int64_t x) { return x < 1 ? 0 : std::bit_width(static_cast<uint64_t>(x)) - 1; }
int64_t CeilLog2(int64_t x) { return x < 1 ? 0 : std::bit_width(static_cast<uint64_t>(x - 1)); }

int64_t CeilOfQuotient(int64_t x, int64_t y) { return x / y + (x % y != 0 ? 1 : 0); }

// How many of the best k elements must be looked for to find so many of them on average.
int64_t PlacesFor(int64_t top_k, float recall_target, int64_t tile, int64_t input_size) {
  if (recall_target == 1.0f) return input_size;
  const double places =
      (1.0 - static_cast<double>(top_k)) / std::log(static_cast<double>(recall_target));
  if (!(places < static_cast<double>(input_size))) return input_size;
  return std::min(std::max(static_cast<int64_t>(places), tile), input_size);
}

}  // namespace

absl::StatusOr<std::pair<int64_t, int64_t>> ApproxTopKReductionOutputSize(
    int64_t input_size, int64_t rank, int64_t top_k, float recall_target, bool aggregate_to_topk,
    int64_t input_size_override) {
  if (aggregate_to_topk) return std::pair<int64_t, int64_t>(top_k, -1);
  const int64_t tile = rank == 1 ? 1024 : 128;
  const std::pair<int64_t, int64_t> unchanged = {input_size, 0};
  if (input_size <= tile) return unchanged;
  if (!(recall_target > 0 && recall_target <= 1)) {
    return InvalidArgument("approximate top-k: recall_target %f must be in (0, 1]", recall_target);
  }
  if (input_size_override >= 0 && input_size_override < input_size) {
    return InvalidArgument(
        "approximate top-k: reduction_input_size_override %d must be at least the %d elements that "
        "there are",
        input_size_override, input_size);
  }
  const int64_t whole = input_size_override >= 0 ? input_size_override : input_size;
  int64_t log2_reduction = 0;
  if (top_k == 1) {
    log2_reduction = CeilLog2(CeilOfQuotient(whole, tile));
  } else {
    log2_reduction = FloorLog2(whole / PlacesFor(top_k, recall_target, tile, whole));
    if (log2_reduction == 0) return unchanged;
    // No further than to one tile of what is here.
    log2_reduction = std::min(log2_reduction, CeilLog2(input_size / tile));
  }
  const int64_t tiles = CeilOfQuotient(input_size, tile);
  const int64_t tiles_left =
      log2_reduction >= 62 ? 1 : CeilOfQuotient(tiles, int64_t{1} << log2_reduction);
  return std::pair<int64_t, int64_t>(tiles_left * tile, log2_reduction);
}

}  // namespace xla
