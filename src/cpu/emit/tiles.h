// Square and oblong tiles of elements in registers.
#ifndef HILO_CPU_EMIT_TILES_H_
#define HILO_CPU_EMIT_TILES_H_

#include <vector>

#include "cpu/emit/lanes.h"

namespace xla::cpu {

// The columns of a tile as its rows: row i has lane i of each column, in order. There are a power
// of two of columns, each of a power of two of lanes but not one.
std::vector<Lanes> TransposeTile(Builder& b, std::vector<Lanes> columns);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_TILES_H_
