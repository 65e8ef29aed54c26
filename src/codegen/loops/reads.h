// What is read for a store or for accumulators, by index maps.
#ifndef HILO_CODEGEN_LOOPS_READS_H_
#define HILO_CODEGEN_LOOPS_READS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codegen/loops/kernel.h"
#include "ir/index_map.h"

namespace xla::loops {

// [begin, end) of each dimension of the loops.
using Bounds = std::vector<std::pair<int64_t, int64_t>>;

// Elements of parameters, of reductions and of what `loop` loads from scratch memory, such as
// "a[d1, d0], b[d0, s0 + 2]": s0, s1, ... are reduced dimensions, elements of windows and starts
// of slices. "a[...]" where no map is known.
std::string ReadsOf(const Kernel& kernel, const Node& loop, const Node& node, const Bounds& bounds);

// Whether elements that follow each other along a dimension of the loops are computed from elements
// of an array that do not. Each value comes with the map from the index of the loops to its own.
// True as well where no map is known, or where much is computed for them.
bool ReadsApart(std::vector<std::pair<const HloInstruction*, IndexMap>> values, int dimension);

}  // namespace xla::loops

#endif  // HILO_CODEGEN_LOOPS_READS_H_
