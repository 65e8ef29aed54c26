// Arrays that may have fewer elements than their shape says: sizes as scalars, and how to keep what
// lies beyond them out of results.
#ifndef HILO_PASSES_DYNAMIC_SIZES_H_
#define HILO_PASSES_DYNAMIC_SIZES_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "passes/graph_builder.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"

namespace xla::passes {

// For each dimension of an array its size, an s32 scalar between 0 and what the shape says; null
// where it is what the shape says.
using ArraySizes = absl::InlinedVector<HloInstruction*, 4>;

bool HasSizes(const ArraySizes& sizes);

// Words for sizes and for arrays that have them. All arrays have static shapes.
class SizeBuilder : public GraphBuilder {
 public:
  using GraphBuilder::GraphBuilder;

  HloInstruction* Size(int64_t number);
  // A size where there is one, else what the shape says.
  HloInstruction* SizeOf(const HloInstruction& array, const ArraySizes& sizes, int64_t dimension);
  // An integer of any type, moved into [0, limit].
  HloInstruction* AsSize(HloInstruction* integer, int64_t limit);
  HloInstruction* Clamp(HloInstruction* size, int64_t limit);

  // Arithmetic with numbers; quotients round down and need a positive divisor.
  HloInstruction* Plus(HloInstruction* size, int64_t number);
  HloInstruction* Times(HloInstruction* size, int64_t number);
  HloInstruction* Over(HloInstruction* size, int64_t divisor);
  HloInstruction* ProductOf(absl::Span<HloInstruction* const> sizes);

  // Whether an element lies within the sizes of `dimensions`; null where all do.
  HloInstruction* Inside(absl::Span<const int64_t> bounds, const ArraySizes& sizes,
                         absl::Span<const int64_t> dimensions);
  // The array with a scalar in place of what is not inside.
  HloInstruction* Mask(HloInstruction* array, const ArraySizes& sizes,
                       absl::Span<const int64_t> dimensions, HloInstruction* value);
  // What lies beyond the sizes: zero bits, also where the type has no zero.
  HloInstruction* Nothing(PrimitiveType type);
  HloInstruction* MaskWithZero(HloInstruction* array, const ArraySizes& sizes,
                               absl::Span<const int64_t> dimensions);

  // Elements from `start` on in one dimension, which go on with the first ones.
  HloInstruction* Rotate(HloInstruction* array, int64_t dimension, HloInstruction* start);
  // The first element along a dimension, in all places of it.
  HloInstruction* Stretch(HloInstruction* array, int64_t dimension);
  // The elements within `from`, in row-major order, as those within `to` of an array with `bounds`.
  HloInstruction* Refill(HloInstruction* array, const ArraySizes& from,
                         absl::Span<const int64_t> bounds, const ArraySizes& to);
};

// All dimensions of an array.
std::vector<int64_t> AllDimensions(int64_t rank);

}  // namespace xla::passes

#endif  // HILO_PASSES_DYNAMIC_SIZES_H_
