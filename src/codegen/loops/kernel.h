// Loop IR: a kernel as a tree of loops over the elements of its results. Units of work, vectors,
// tails, tiles, accumulators and scratch memory are data here, made by passes (schedule.h), and
// whoever emits code from it decides nothing. As text, of a softmax:
//
//   kernel over [64, 1000]
//     scratch exponential.1
//     grid d0 in 64
//       reduce maximum.1 rows lanes 16 interleave 2 reads x[d0, s0]
//       reduce sum.1 rows lanes 16 interleave 1 stores exponential.1 reads x[d0, s0], maximum.1[d0]
//       vector d1 in [0, 1000) lanes 16 tail 8 loads exponential.1
//         store 0: divide.1 reads exponential.1[d0, d1], sum.1[d0]
//
// Bodies are instructions of the fused computation; what they read follows from them.
#ifndef HILO_CODEGEN_LOOPS_KERNEL_H_
#define HILO_CODEGEN_LOOPS_KERNEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/sizes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::loops {

using Values = std::vector<const HloInstruction*>;

// A loop, or what is done in one. Fields that a kind does not name are as they are here.
struct Node {
  enum class Kind {
    // Units of work, which threads share: one for each index of `dimensions`, every steps[i]-th of
    // dimensions[i]; where `strip` is not 0, one for every `strip` elements along the vectors.
    // Where it is a range, a thread does all of its units at once: loops along the dimension inside
    // of it have that part of it.
    kGrid,
    // In place of a grid: a library kernel computes values[0] in blocks, and the body is the
    // epilogue of each block while its sums are in the cache. Along `dimensions`, all but the last
    // one, for the rows of a block, in the order in which they follow one another in the product;
    // vectors inside are those that begin in its columns.
    kProduct,
    // Along all of dimensions[0], one index after the other. Where it is clipped, as vectors may be
    // as well, along those that lie inside of the array which the scatter around it updates.
    kLoop,
    // Along [begin, end) of dimensions[0] in vectors of adjacent elements, `lanes` in each. What is
    // left at the end is one masked vector of `tail_lanes`, whose code stands behind the loop; or
    // another turn of the loop, all of whose vectors are masked, where the tail is folded. Several
    // dimensions count as one; then a vector begins at index 0 of all but the first one.
    kVector,
    // For indices of dimensions[0] in [begin, end).
    kWhen,
    // Inside of a vector: `rows` adjacent indices of dimensions[0], one after the other, unrolled
    // or in a loop. Of transposes, `values`, which may be none, elements are read first, in vectors
    // of `lanes` along that dimension, and transposed in registers.
    kTile,
    // Accumulators of the reductions `values`. By rows: of elements that are adjacent in memory.
    // Otherwise for each lane of the vector around it, which takes elements in order.
    kReduce,
    // A running reduction, values[0], along dimensions[0], which has a value for each index: from
    // the first to the last one, or reversed, from `begin` elements in front of the first one on.
    // `lanes` adjacent elements are folded in a register.
    kScan,
    // What select-and-scatter, values[0], chooses in the windows at an index, the `dimensions`, and
    // puts there.
    kSelect,
    // For updates of a scatter, values[0], at an index, the `dimensions`: where in the array the
    // scatter's indices say that they belong. What is outside is left out.
    kScatter,
    // Elements of a result of the kernel, values[0], whose first array has the number `result`; or
    // what is there before elements are scattered. Those of scatters are brought together with what
    // is there. Where it is streamed, whole vectors go to memory past the caches.
    kStore,
  };
  // How a row is reduced: in vectors of `lanes`, whose lanes are brought together at the end; by
  // accumulators (AccumulatorsOf) that begin with values which change nothing, or with the first
  // elements, `interleave` of them interleaved; or one element after the other.
  enum class Order { kFromNeutral, kFromFirst, kInOrder };
  Kind kind;
  std::vector<int> dimensions = {};
  Sizes steps = {};
  int64_t strip = 0;
  int64_t begin = 0, end = 0;
  int lanes = 0, tail_lanes = 0;  // 0 until vectors are chosen
  int interleave = 0;
  int64_t rows = 0;
  bool is_unrolled = false;
  bool is_range = false, is_clipped = false, is_reversed = false, is_streamed = false;
  bool folds_tail = false;
  bool by_rows = false;
  Order order = Order::kInOrder;
  int64_t result = 0;
  Values values = {};
  // Of a reduction by rows, or a vector: what is written to scratch memory as it is computed, and
  // what is read there rather than computed again.
  Values stores = {}, loads = {};
  std::vector<Node> body = {};
};

struct Kernel {
  const HloComputation* computation = nullptr;
  Sizes sizes;                     // of the dimensions d0, d1, ...: those of the largest result
                                   // first, then those of updates
  Values scratch;                  // values with memory for one row
  std::vector<Node> before, body;  // reductions to scalars that all units need; the grid
};

// The results of a kernel; a reduction of several arrays is one.
Values ResultsOf(const HloComputation& computation);
// The shape of the elements that are computed for a result: of updates, not of all of the array.
const Shape& ComputedShape(const HloInstruction& result);
int64_t ArraysOf(const HloInstruction& result);
// Of one of them; those of a reduction of several arrays are alike.
const Shape& ArrayShape(const HloInstruction& result, int64_t array = 0);

// What a library kernel computes in blocks, and the one instruction of a computation that is so
// computed, or null.
bool IsProduct(const HloInstruction& instruction);
const HloInstruction* ProductIn(const HloComputation& computation);
// Whether all that is computed from an instruction is computed element by element.
bool IsReadInPlace(const HloInstruction& instruction);
// How many elements of a parameter may be read: as many as slices of it reach, if nothing else
// reads it. What a kernel takes for the parameter may begin anywhere in an array then.
int64_t ReadableElements(const HloInstruction& parameter);
// The reshapes, and a transpose, through which alone an instruction is read.
Values PathFrom(const HloInstruction& instruction);
// The dimensions of loops, over `sizes`, in the order in which elements of a product follow one
// another; the last dimension is the last one there too. Empty where loops read the product in
// another way than element by element.
std::vector<int> OrderOfElements(const HloInstruction& product, absl::Span<const int64_t> sizes);

// Reductions that are computed in loops.
bool IsReduction(const HloInstruction& instruction);

// Reductions in windows of which each has the elements of the one before and at most one more, so
// that they run along a dimension.
bool IsScan(const HloInstruction& instruction);
// Select-and-scatter or scatter: a result that is written in more than one place.
bool IsScattered(const HloInstruction& result);

// The dimensions of the array that a scatter updates along which its windows lie.
Sizes WindowDimensions(const HloInstruction& scatter);

// The dimensions that are the index of what is computed for a value.
std::vector<int> IndexOf(const Kernel& kernel, const HloInstruction& value);

// How many units of work a kernel has.
int64_t Units(const Kernel& kernel);
// Elements that are divided in order: rows of `row` elements into units of `strip`, of which the
// last one in a row may have fewer.
struct Strips {
  int64_t elements = 0, row = 0, strip = 0;

  friend bool operator==(const Strips&, const Strips&) = default;
};
// How the elements of each result of a kernel are divided among its units, if they are in order.
std::optional<Strips> StripsOf(const Kernel& kernel);
// What all of them cost together, in elements that are read or written, roughly.
double CostOf(const Kernel& kernel);
// Along a vector's dimensions.
int64_t ElementsAlong(const Kernel& kernel, const Node& vector);

std::string ToString(const Kernel& kernel);
// What ToString prints. Instructions are those of the computation.
absl::StatusOr<Kernel> Parse(absl::string_view text, const HloComputation& computation);
// Whether every element of every result is stored once, after what it needs.
absl::Status Verify(const Kernel& kernel);

}  // namespace xla::loops

#endif  // HILO_CODEGEN_LOOPS_KERNEL_H_
