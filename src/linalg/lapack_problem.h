// What a routine of LAPACK is asked to do.
#ifndef HILO_LINALG_LAPACK_PROBLEM_H_
#define HILO_LINALG_LAPACK_PROBLEM_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/parallel.h"
#include "xla/xla_data.pb.h"

namespace xla::linalg {

enum class LapackRoutine {
  kPotrf,
  kTrsm,
  kGetrf,
  kGeqrf,
  kGeqp3,
  kOrgqr,
  kOrmqr,
  kGesdd,
  kGesvd,
  kSyevd,
  kGeev,
  kGees,
  kGehrd,
  kSytrd,
  kGtsv,
  kPerturbedTridiagonalSolve,
};

// Calls work(i) for each of [0, count), on several threads at once.
using ForEachPart = void (*)(int64_t count, absl::FunctionRef<void(int64_t i)> work);

// What a routine is asked, but for the matrices. Letters are those of LAPACK's arguments.
struct LapackProblem {
  LapackRoutine routine;
  PrimitiveType type;        // F32, F64, C64 or C128
  int64_t m = 0, n = 0;      // the matrix is m x n
  int64_t reflections = -1;  // of orgqr and ormqr
  int64_t right_sides = -1;  // of tridiagonal systems
  int64_t u_columns = 0;     // of the left singular vectors
  int64_t v_rows = 0;        // of the right singular vectors
  char uplo = 'L', side = 'L', transpose = 'N', diagonal = 'N';
  char mode = 'N';            // which vectors are wanted; of geev those of the left
  char right = 'N';           // whether geev's vectors of the right are wanted
  int64_t low = 1, high = 0;  // rows of gehrd, from 1
  // Of trsm's right sides and results, where these are part of longer rows: from one to the next.
  int64_t row_length = 0;
  // How threads share one problem.
  ForEachPart for_each = runtime::ParallelForEach;
  // Of each array, from one problem to the next: one number for each operand and result of the
  // routine, whatever it is where there is one problem.
  std::vector<int64_t> operand_bytes, result_bytes;
};

// Up to how many rows real and complex matrices are factorized in lanes of vectors, one problem in
// each, where there are enough of them: larger ones are left to the libraries.
constexpr int64_t kMostRowsInLanes = 48, kMostRowsOfComplexInLanes = 24;

// Whether a matrix is so tall, narrow and small that reflections with vectors along its columns
// take less time than a call of a library.
inline bool IsTall(int64_t m, int64_t n) {
  constexpr int64_t kMostColumns = 32, kMostElements = 1 << 17;
  return n <= kMostColumns && n <= m && m * n <= kMostElements;
}

// The arrays of problem number `i`, given those of the first one.
class LapackArrays {
 public:
  LapackArrays(const LapackProblem& problem, int64_t i, const void* const* operands,
               void* const* results) {
    for (size_t k = 0; k < problem.operand_bytes.size(); ++k)
      operands_[k] = static_cast<const char*>(operands[k]) + i * problem.operand_bytes[k];
    for (size_t k = 0; k < problem.result_bytes.size(); ++k)
      results_[k] = static_cast<char*>(results[k]) + i * problem.result_bytes[k];
  }
  const void* const* operands() const { return operands_.data(); }
  void* const* results() const { return results_.data(); }

 private:
  std::array<const void*, 4> operands_;
  std::array<void*, 6> results_;
};

// Solves `count` problems. Matrices lie row by row without gaps; operands and results are those of
// the table in lapack_call.cc, in order, and share no memory, but that a result may lie where the
// operand does that it is made of.
using LapackFunction = void (*)(const LapackProblem& problem, int64_t count,
                                const void* const* operands, void* const* results);

}  // namespace xla::linalg

#endif  // HILO_LINALG_LAPACK_PROBLEM_H_
