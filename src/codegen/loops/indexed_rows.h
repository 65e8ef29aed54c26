// Rows that gathers pick and scatters update as a whole.
#ifndef HILO_CODEGEN_LOOPS_INDEXED_ROWS_H_
#define HILO_CODEGEN_LOOPS_INDEXED_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::loops {

// What a gather picks or a scatter updates by each index is whole rows, or several: elements that
// are one after the other in both arrays, whose last dimensions they are.
struct Rows {
  const HloInstruction* array = nullptr;   // that has the rows
  const HloInstruction* picked = nullptr;  // the gather, or the updates of a scatter
  int64_t window = 0;                      // so many dimensions
  int64_t elements = 1;                    // of a row; 1 where there are none
};

Rows RowsOf(const HloInstruction& instruction);

// The dimensions of a gather's result that its indices have, where they are adjacent in both, with
// all numbers of an index one after the other; none where the array has some of them as well.
struct Picks {
  size_t first = 0, count = 0;
  int64_t elements = 1, stride = 1;  // how many and how far apart they are in the result
  int64_t index = 1;                 // numbers of an index

  bool Has(size_t d) const { return first <= d && d < first + count; }
};

Picks PicksOf(const HloInstruction& instruction);

// Whether the rows of a parameter are what the root updates, and nothing else.
bool IsScatteredInto(const HloInstruction& root, const HloInstruction& x);

}  // namespace xla::loops

#endif  // HILO_CODEGEN_LOOPS_INDEXED_ROWS_H_
