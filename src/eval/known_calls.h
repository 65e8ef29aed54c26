// The custom calls of the builder's library, which every evaluator knows.
#ifndef HILO_EVAL_KNOWN_CALLS_H_
#define HILO_EVAL_KNOWN_CALLS_H_

#include <optional>

#include "eval/frame.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::eval {

// The function for a custom call, or null where the target is none of
//   Qr, ProductOfElementaryHouseholderReflectors, LuDecomposition, Eigh: see lib/qr.h,
//     lib/lu_decomposition.h and lib/self_adjoint_eig.h
//   PartialReduce: see lib/approx_topk.h
//   GetRngSeed: gives the seed of the run, u64[]
//   cpu_csr_sparse_dense_ffi: a matrix in compressed sparse rows times a vector or a matrix, as JAX
//     asks for it (BCSR)
// or where the shapes are not those that such a call has.
Operation FindFactorization(const HloInstruction& instruction);
Operation FindPartialReduce(const HloInstruction& instruction);
Operation FindGetRngSeed(const HloInstruction& instruction);
Operation FindSparseProduct(const HloInstruction& instruction);

// The dimension that a PartialReduce makes groups along: with g groups, elements i, i + g, i + 2 g,
// ... are group i. Nothing where the call is none.
std::optional<int64_t> PartialReduceDimension(const HloInstruction& instruction);

// Whether the call is cpu_csr_sparse_dense_ffi of
//   T values[n], s32 row_starts[rows + 1], s32 columns[n], T right[depth] or [depth, width]
// with a result of T[rows] or T[rows, width]. Row r has the elements from row_starts[r] up to
// row_starts[r + 1]; those before the first start and behind the last one belong to no row.
bool IsSparseProduct(const HloInstruction& instruction);

// The target of a call without operands whose result is an array of any values: memory as it is.
// Evaluators take zeros.
inline constexpr char kUninitialized[] = "AllocateBuffer";
bool IsUninitialized(const HloInstruction& instruction);

}  // namespace xla::eval

#endif  // HILO_EVAL_KNOWN_CALLS_H_
