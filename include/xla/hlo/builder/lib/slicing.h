// Slices, updates and gathers in the forms that other libraries have.
#ifndef XLA_HLO_BUILDER_LIB_SLICING_H_
#define XLA_HLO_BUILDER_LIB_SLICING_H_

#include <cstdint>
#include <functional>

#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// `x` with `update` at `start`, which has a number for each dimension.
XlaOp UpdateSlice(XlaOp x, XlaOp update, absl::Span<const int64_t> start);

// The slice [start, end) of the last dimensions, as many as there are numbers; all of the others.
XlaOp SliceInMinorDims(XlaOp x, absl::Span<const int64_t> start, absl::Span<const int64_t> end);

// `x` with `update` at `start` in the last dimensions, which are as many as there are numbers, and
// at 0 in the others.
XlaOp UpdateSliceInMinorDims(XlaOp x, XlaOp update, absl::Span<const int64_t> start);

// The same with places known at run time, as scalar integers.
XlaOp DynamicSliceInMinorDims(XlaOp x, absl::Span<const XlaOp> starts,
                              absl::Span<const int64_t> sizes);
XlaOp DynamicUpdateSliceInMinorDims(XlaOp x, XlaOp update, absl::Span<const XlaOp> starts);

// Element (i_0, ..., i_n) of the result is input(i_0, ..., index(i_0, ..., i_n) in dimension dim,
// ..., i_n). Input and index have the same rank; outside of `dim` the index may be smaller.
// `sparse` asks for a gather rather than a comparison with all places; the result is the same.
XlaOp TorchGather(XlaOp input, XlaOp index, int64_t dim, bool sparse = true);

// The inverse: combines element (i_0, ..., i_n) of `src` into input(i_0, ..., index(i_0, ..., i_n),
// ..., i_n) for each place, by an associative `combiner` (old, new).
XlaOp TorchScatterDense(XlaOp input, XlaOp index, XlaOp src, int64_t dim,
                        const std::function<XlaOp(XlaOp, XlaOp)>& combiner);

// The slices of `input` along `dim` that `index` names: dimension `dim` is replaced by the
// dimensions of the index, without its first batch_dims dimensions, which are those of the input.
XlaOp TorchIndexSelect(XlaOp input, XlaOp index, int64_t dim, int64_t batch_dims = 0);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_SLICING_H_
