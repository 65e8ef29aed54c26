// How far an approximate search for the best elements narrows its input.
#ifndef XLA_HLO_BUILDER_LIB_APPROX_TOPK_SHAPE_H_
#define XLA_HLO_BUILDER_LIB_APPROX_TOPK_SHAPE_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"

namespace xla {

// The size of the searched dimension after ApproxTopK and the logarithm to base 2 of how many
// elements each place of it stands for. With `aggregate_to_topk` that is (top_k, -1).
//
// `input_size` elements along the dimension of an array of `rank` dimensions come in tiles of 1,024
// (rank 1) or 128. Of k best elements a share of `recall_target` survives on average when
// m = (1 - k) / ln(recall_target) places are kept (Chern et al., "TPU-KNN: K Nearest Neighbor
// Search at Peak FLOP/s", 2022); at least a tile is. The input may be a part of a larger one, of
// `input_size_override` elements, if that is not negative.
//
// InvalidArgument, where there is more than a tile: when the recall target is not in (0, 1], or the
// override is smaller than the size.
absl::StatusOr<std::pair<int64_t, int64_t>> ApproxTopKReductionOutputSize(
    int64_t input_size, int64_t rank, int64_t top_k, float recall_target, bool aggregate_to_topk,
    int64_t input_size_override = -1);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_APPROX_TOPK_SHAPE_H_
