// What is done with sums of products while they are in the cache, by a compiled kernel.
#ifndef HILO_CPU_KERNELS_EPILOGUE_H_
#define HILO_CPU_KERNELS_EPILOGUE_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "cpu/kernels/kernels.h"
#include "runtime/program.h"
#include "xla/xla_data.pb.h"

namespace xla::cpu {

struct Contraction;

// Finished sums of some rows and columns of a product's result, whose elements have numbers in
// row-major order. Compiled code reads the fields by number.
struct SumBlock {
  enum Field { kSums, kSumsStride, kFirst, kStride, kRows, kColumns };

  const void* sums;
  int64_t sums_stride;    // from row to row, in elements
  int64_t first;          // the number of the first one
  int64_t stride;         // from row to row: a multiple of the elements in one
  int64_t rows, columns;  // columns are adjacent and of one row of the result
};

// The type in which sums for elements of a type are when they are finished, for types that products
// may have epilogues of.
constexpr PrimitiveType TypeOfSums(PrimitiveType type) {
  return type == BF16 || type == F16 ? F32 : type;
}

class Epilogue {
 public:
  // The kernel is what follows `count` arrays; each call of it gets a block there instead.
  Epilogue(void* const* arrays, size_t count)
      : arrays_(arrays), count_(count), kernel_(reinterpret_cast<HiloKernel*>(arrays[count])) {}

  void Run(const SumBlock& block) const {
    absl::InlinedVector<void*, 16> list(arrays_, arrays_ + count_);
    list.push_back(const_cast<SumBlock*>(&block));
    kernel_(list.data(), 0, block.rows);
  }

 private:
  void* const* arrays_;
  size_t count_;
  HiloKernel* kernel_;
};

// The product in the call of one with an epilogue: the first two operands are its own, and its
// result are finished sums, in whose type it has to be made.
absl::StatusOr<runtime::LibraryCall> ProductOf(const runtime::LibraryCall& call);
KernelOrStatus MakeProductWithEpilogue(const runtime::LibraryCall& call, const Shape& sums,
                                       Contraction contraction);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_EPILOGUE_H_
