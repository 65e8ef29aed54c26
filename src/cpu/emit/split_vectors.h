// Vectors of several registers as a value for each register.
#ifndef HILO_CPU_EMIT_SPLIT_VECTORS_H_
#define HILO_CPU_EMIT_SPLIT_VECTORS_H_

#include "cpu/emit/builder.h"
#include "llvm/IR/Function.h"

namespace xla::cpu {

// Splits the vectors of a function that the builder has written into those of `lanes`, as many as a
// register has of the widest elements, where their number of lanes is a multiple of it. LLVM takes
// longer to do so, and where the number of registers is no power of two it computes with more of
// them. Whole vectors are left of narrower elements, and where other functions take or give them.
void SplitVectors(const Builder& b, llvm::Function& function, int lanes);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_SPLIT_VECTORS_H_
