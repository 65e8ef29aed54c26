#include "cpu/kernels/triangular_solve.h"

#include <algorithm>
#include <atomic>

#include "cpu/lapack/solve.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Right-hand sides that stay together, and products of numbers that are worth a thread.
constexpr int64_t kSidesOfUnit = 16, kLeastSides = 64, kLeastWork = 1 << 19;

}  // namespace

bool SolveTriangularInParts(const linalg::LapackProblem& problem, const void* const* operands,
                            void* const* results) {
  const bool is_left = problem.side == 'L';
  const int64_t size = is_left ? problem.m : problem.n, sides = is_left ? problem.n : problem.m;
  const int64_t bytes = primitive_util::ByteWidth(problem.type) * (is_left ? 1 : problem.n);
  const int64_t least = std::max(kLeastSides, kLeastWork / (size * size + 1));
  std::atomic<bool> is_solved = true;
  runtime::ParallelFor(
      CeilOfRatio(sides, kSidesOfUnit), CeilOfRatio(least, kSidesOfUnit),
      [&](int64_t begin, int64_t end) {
        const int64_t first = begin * kSidesOfUnit;
        const int64_t length = std::min(sides, end * kSidesOfUnit) - first;
        linalg::LapackProblem part = problem;
        (is_left ? part.n : part.m) = length;
        part.row_length = problem.n;
        const void* const own_operands[] = {operands[0],
                                            static_cast<const char*>(operands[1]) + first * bytes};
        void* const own_results[] = {static_cast<char*>(results[0]) + first * bytes};
        if (hilo_solve_by_lapack(part, 1, own_operands, own_results) == 0) is_solved = false;
      });
  return is_solved;
}

}  // namespace xla::cpu
