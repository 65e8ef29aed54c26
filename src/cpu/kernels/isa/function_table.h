// The functions that library kernels call in their innermost loops: a table for each instruction
// set, which one file fills.
#ifndef HILO_CPU_KERNELS_ISA_FUNCTION_TABLE_H_
#define HILO_CPU_KERNELS_ISA_FUNCTION_TABLE_H_

#include <cstdint>
#include <tuple>

#include "cpu/kernels/fft_stages.h"
#include "cpu/kernels/key_search.h"
#include "cpu/kernels/matrix_tiles.h"
#include "cpu/kernels/small_matrices.h"

namespace xla::cpu {

using FunctionTable =
    std::tuple<Tiles<float>, Tiles<double>, Tiles<uint32_t>, Tiles<uint64_t>, FftFunctions<float>,
               FftFunctions<double>, SmallMatrixFunctions<float>, SmallMatrixFunctions<double>,
               KeySearch<uint8_t>, KeySearch<uint16_t>, KeySearch<uint32_t>, KeySearch<uint64_t>>;

namespace generic {
FunctionTable MakeTable();
}
#if defined(__x86_64__)
namespace avx2 {
FunctionTable MakeTable();
}
namespace avx512 {
FunctionTable MakeTable();
}
namespace avx512_narrow {
FunctionTable MakeTable();
}
namespace amx {
FunctionTable MakeTable();
}
#elif defined(__aarch64__)
namespace neon {
FunctionTable MakeTable();
}
#endif

// Of a set that the machine has, which LoadProgram makes sure of. What uses tile registers is
// called once codegen::MayUseTileRegisters() says so.
const FunctionTable& FunctionTableOf(codegen::InstructionSet set);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_ISA_FUNCTION_TABLE_H_
