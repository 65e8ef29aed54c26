// Sums of products of two arrays, of which dots and convolutions are kinds:
//
//   result[group, row, column] = sum over depth of left[group, row, depth] * right[group, column,
//   depth]
//
// Each of the four stands for any number of loops, and each array says how far it moves with a step
// of each loop.
#ifndef HILO_CPU_KERNELS_CONTRACTION_H_
#define HILO_CPU_KERNELS_CONTRACTION_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/target.h"
#include "runtime/library_kernel.h"
#include "xla/xla_data.pb.h"

namespace xla::cpu {

enum Array { kLeft, kRight, kResult, kArrays };

struct Loop {
  int64_t size = 1;
  std::array<int64_t, kArrays> strides = {};  // elements
  // Where it is not -1, the loop also moves along this bound by so many places a step.
  int bound = -1;
  int64_t step = 0;
};
using Loops = std::vector<Loop>;

// A dimension of the left or right array that is read as zero outside of [0, size).
struct Bound {
  int64_t size, stride, start;
};

// Windows that begin more elements apart are not brought together.
constexpr int64_t kMostStepOfPlanes = 4;

struct Contraction {
  std::array<PrimitiveType, kArrays> types = {};
  std::array<int64_t, kArrays> counts = {};   // elements of each array
  std::array<int64_t, kArrays> offsets = {};  // of the element at which all loops begin
  Loops groups, rows, columns, depth;
  std::vector<Bound> bounds;
  Array bounded = kLeft;  // the array that has them
  codegen::InstructionSet instruction_set = codegen::InstructionSet::kGeneric;
  // Where there is an epilogue, how many elements of the result its kernel has in a row; else 0.
  int64_t epilogue_columns = 0;
  // What its product and others read in between: see cpu/plan/factor_bytes.h.
  int64_t factor_bytes = 0;

  void ExchangeSides();
  // Whether so much is read in between that nothing of its sides is in a cache when it begins.
  bool ComesFromMemory() const { return factor_bytes >= runtime::kLeastBytesFromMemory; }
  // Fewer loops and bounds that mean the same. Bounds that nothing is outside of are left only
  // where they show windows that go over planes.
  void Simplify();
  // Whether any element may be outside of one, as far as that is known.
  bool HasBounds() const;

 private:
  bool HasWindowsOfPlanes() const;
};

int64_t Count(const Loops& loops);

// Whether two neighbouring loops are one loop over all of both, as far as some arrays are
// concerned.
bool AreOne(const Loop& outer, const Loop& inner, absl::Span<const Array> arrays);

class Epilogue;

// A contraction made ready to run.
class Product {
 public:
  virtual ~Product() = default;
  // Writes every element that the loops over groups, rows and columns reach. ResourceExhausted when
  // there is no memory to work in.
  virtual absl::Status Run(const void* left, const void* right, void* result) const = 0;

  // Whether it gives its sums to an epilogue, block by block, instead of writing them.
  virtual bool HasBlocks() const { return false; }
  virtual absl::Status RunBlocks(const void* left, const void* right,
                                 const Epilogue& epilogue) const;
};

// A product whose sides may have changed places. Unimplemented for complex operands with a real
// result.
absl::StatusOr<std::unique_ptr<Product>> MakeProduct(Contraction contraction);

// The same of several contractions of the same two arrays, each of which writes other elements of
// the result.
absl::StatusOr<std::unique_ptr<Product>> MakeProductInParts(std::vector<Contraction> parts);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_CONTRACTION_H_
