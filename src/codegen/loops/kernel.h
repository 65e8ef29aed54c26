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
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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
    kGrid,
    // Along all of dimensions[0], one index after the other.
    kLoop,
    // Along [begin, end) of dimensions[0] in vectors of adjacent elements, `lanes` in each. What is
    // left
    // at the end is one masked vector of `tail_lanes`. Several dimensions count as one; then a
    // vector begins at index 0 of all but the first one.
    kVector,
    // For indices of dimensions[0] in [begin, end).
    kWhen,
    // Inside of a vector: `rows` adjacent indices of dimensions[0], one after the other, unrolled
    // or
    // in a loop. Of transposes, `values`, elements are read first, in vectors of `lanes` along that
    // dimension, and transposed in registers.
    kTile,
    // Accumulators of the reductions `values`. By rows: of elements that are adjacent in memory.
    // Otherwise for each
    // lane of the vector around it, which takes elements in order.
    kReduce,
    // Elements of a result of the kernel, values[0], whose first array has the number `result`.
    kStore,
  };
  // How a row is reduced: in vectors of `lanes`, whose lanes are brought together at the end; by
  // `interleave` interleaved accumulators that begin with values which change nothing, or by one
  // that begins with the first elements; or one element after the other.
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
  Sizes sizes;                     // of the dimensions d0, d1, ...
  Values scratch;                  // values with memory for one row
  std::vector<Node> before, body;  // reductions to scalars that all units need; the grid
};

// The results of a kernel; a reduction of several arrays is one.
Values ResultsOf(const HloComputation& computation);
// The shape of the elements that are computed for a result: of an update, not of all of the array.
const Shape& ComputedShape(const HloInstruction& result);
int64_t ArraysOf(const HloInstruction& result);

// Reductions that are computed in loops.
bool IsReduction(const HloInstruction& instruction);

// How many units of work a kernel has.
int64_t Units(const Kernel& kernel);
// Along a vector's dimensions.
int64_t ElementsAlong(const Kernel& kernel, const Node& vector);

std::string ToString(const Kernel& kernel);
// What ToString prints. Instructions are those of the computation.
absl::StatusOr<Kernel> Parse(absl::string_view text, const HloComputation& computation);
// Whether every element of every result is stored once, after what it needs.
absl::Status Verify(const Kernel& kernel);

}  // namespace xla::loops

#endif  // HILO_CODEGEN_LOOPS_KERNEL_H_
