#include "cpu/kernels/small_matrices.h"

#include <algorithm>
#include <cstring>

#include "cpu/kernels/scratch.h"

namespace xla::cpu {
namespace {

using linalg::LapackProblem;
using linalg::LapackRoutine;

// Which problems take less time than calls of a library do: as many at once as there are lanes, or
// one after the other, with vectors along rows or columns.
enum class Way { kLanes, kRows, kColumns, kLibrary };

Way WayOf(const LapackProblem& problem, bool is_complex, int64_t count, int64_t lanes) {
  constexpr int64_t kMostTrianglesRows = 16, kMostRowsOfSome = 16;
  constexpr int64_t kMostRowsOfFew = 4, kMostRowsOfFewComplex = 3;
  constexpr int64_t kMostRowsOfOne = 48, kMostRowsOfQr = 128;
  // Few problems are no more than one for so many lanes.
  constexpr int64_t kLanesOfFewLu = 2, kLanesOfFewCholesky = 4, kLanesOfFew = 8;
  const bool is_triangular = problem.routine == LapackRoutine::kTrsm;
  const int64_t size = is_triangular && problem.side == 'R' ? problem.n : problem.m;
  const auto has_rows = [&](int64_t most) {
    return size <= most && problem.m * problem.n <= most * most;
  };
  if (problem.routine == LapackRoutine::kGeqrf || problem.routine == LapackRoutine::kOrgqr) {
    if (is_complex) return Way::kLibrary;
    if (std::max(problem.m, problem.n) <= kMostRowsOfQr) return Way::kRows;
    return linalg::IsTall(problem.m, problem.n) ? Way::kColumns : Way::kLibrary;
  }
  if (count >= lanes) {
    const int64_t most = is_complex      ? linalg::kMostRowsOfComplexInLanes
                         : is_triangular ? kMostTrianglesRows
                                         : linalg::kMostRowsInLanes;
    return has_rows(most) ? Way::kLanes : Way::kLibrary;
  }
  const bool is_lu = problem.routine == LapackRoutine::kGetrf && !is_complex;
  const bool is_cholesky = problem.routine == LapackRoutine::kPotrf && !is_complex;
  const int64_t lanes_of_few = is_lu         ? kLanesOfFewLu
                               : is_cholesky ? kLanesOfFewCholesky
                                             : kLanesOfFew;
  const bool is_few = count * lanes_of_few <= lanes;
  if (!is_few && has_rows(kMostRowsOfSome)) return Way::kLanes;
  if ((is_lu || is_cholesky) && has_rows(kMostRowsOfOne)) return Way::kRows;
  return has_rows(is_complex ? kMostRowsOfFewComplex : kMostRowsOfFew) ? Way::kLanes
                                                                       : Way::kLibrary;
}

// How far rows of so many elements are apart in lanes: where that is a large power of two, or
// nearly, columns lie in few sets of a cache.
int64_t RowInLanes(int64_t columns) { return columns % 8 == 0 ? columns + 1 : columns; }

// How a matrix of each problem lies in memory, in numbers.
struct MatrixPlaces {
  int64_t rows, columns;
  int64_t row, column;  // from one to the next
  bool is_lower = false, is_conjugate = false;
  int64_t row_in_lanes = columns, column_in_lanes = 1;

  int64_t elements() const { return rows * columns; }
  int64_t numbers() const { return rows * std::max(row_in_lanes, column_in_lanes); }
  // Upper triangles are lower ones from their last row and column on.
  int64_t start() const {
    return std::max<int64_t>(0, -row) * (rows - 1) + std::max<int64_t>(0, -column) * (columns - 1);
  }
  // Calls function(number in lanes, place) for each number that counts.
  template <typename Function>
  void ForEach(const Function& function) const {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0, end = is_lower ? i + 1 : columns; j < end; ++j)
        function(i * row_in_lanes + j * column_in_lanes, start() + i * row + j * column);
    }
  }
  // The same for a strip of numbers of a row and each lane in turn: function(lane, number, place).
  template <typename Function>
  void ForEachInStrips(int64_t lanes, const Function& function) const {
    constexpr int64_t kStrip = 16;
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t end = is_lower ? i + 1 : columns;
      for (int64_t first = 0; first < end; first += kStrip) {
        for (int64_t lane = 0; lane < lanes; ++lane) {
          for (int64_t j = first; j < std::min(end, first + kStrip); ++j)
            function(lane, i * row_in_lanes + j * column_in_lanes, start() + i * row + j * column);
        }
      }
    }
  }
};

// Copies the numbers of one matrix that count between places that are so far apart.
template <typename T>
void CopyNumbers(const MatrixPlaces& matrix, const T* from, int64_t from_row, int64_t from_column,
                 T* to, int64_t to_row, int64_t to_column) {
  for (int64_t i = 0; i < matrix.rows; ++i, from += from_row, to += to_row) {
    const int64_t columns = matrix.is_lower ? i + 1 : matrix.columns;
    if (from_column == 1 && to_column == 1) {
      std::copy_n(from, columns, to);
    } else {
      for (int64_t j = 0; j < columns; ++j) to[j * to_column] = from[j * from_column];
    }
  }
}

// The problems that lanes have at once, or one.
template <typename T>
class Group {
 public:
  Group(const SmallMatrixFunctions<T>& functions, const LapackProblem& problem, bool is_complex,
        Way way)
      : functions_(functions),
        p_(problem),
        parts_(is_complex ? 2 : 1),
        lanes_(way == Way::kLanes ? functions.lanes : 1),
        by_columns_(way == Way::kColumns),
        row_(way == Way::kLanes ? RowInLanes(p_.n)
                                : RoundUpTo<int64_t>(by_columns_ ? p_.m : p_.n, functions.lanes)),
        factorize_lu_(lanes_ == 1 ? functions.factorize_lu_of_one
                                  : functions.factorize_lu[parts_ - 1]),
        factorize_cholesky_(lanes_ == 1 ? functions.factorize_cholesky_of_one
                                        : functions.factorize_cholesky[parts_ - 1]) {}

  int64_t lanes() const { return lanes_; }
  // Numbers in lanes for all that a problem has.
  int64_t NumbersInLanes() const {
    if (by_columns_) return (p_.n + 1) * row_;
    const int64_t size = p_.routine != LapackRoutine::kTrsm ? 0 : p_.side == 'L' ? p_.m : p_.n;
    return lanes_ * (parts_ * (p_.m * row_ + size * size) + p_.m + 1);
  }

  void Solve(int64_t count, const void* const* operands, void* const* results, T* work) {
    count_ = count;
    switch (p_.routine) {
      case LapackRoutine::kGetrf:
        return Getrf(operands, results, work);
      case LapackRoutine::kPotrf:
        return Potrf(operands, results, work);
      case LapackRoutine::kGeqrf:
        return Geqrf(operands, results, work);
      case LapackRoutine::kOrgqr:
        return Orgqr(operands, results, work);
      default:
        return Trsm(operands, results, work);
    }
  }

 private:
  using Index = LaneIndex<T>;

  // The matrix that is factorized, or its transpose by columns.
  MatrixPlaces Whole() const {
    MatrixPlaces whole = {p_.m, p_.n, p_.n, 1};
    if (by_columns_) std::swap(whole.rows, whole.columns), std::swap(whole.row, whole.column);
    whole.row_in_lanes = row_;
    return whole;
  }

  void Getrf(const void* const* operands, void* const* results, T* work) const {
    const MatrixPlaces whole = Whole();
    const int64_t steps = std::min(p_.m, p_.n);
    Index* const info = reinterpret_cast<Index*>(work + InLanes(whole));
    Index* const pivots = info + lanes_;
    Load(operands[0], whole, work);
    factorize_lu_(p_.m, p_.n, row_, work, pivots, info);
    Store(work, whole, results[0]);
    for (int64_t k = 0; k < steps; ++k)
      StoreIntegers(pivots + k * lanes_, steps, static_cast<int32_t*>(results[1]) + k);
    StoreIntegers(info, 1, static_cast<int32_t*>(results[2]));
  }

  // The upper factor is the adjoint of the lower one.
  void Potrf(const void* const* operands, void* const* results, T* work) const {
    const bool is_lower = p_.uplo == 'L';
    const int64_t row = is_lower ? p_.n : 1, column = is_lower ? 1 : p_.n;
    MatrixPlaces triangle = {p_.n, p_.n, row, column, true, !is_lower, row_};
    if (lanes_ == 1) std::swap(triangle.row_in_lanes, triangle.column_in_lanes);
    Index* const info = reinterpret_cast<Index*>(work + InLanes(triangle));
    if (results[0] != operands[0])
      std::memcpy(results[0], operands[0], count_ * triangle.elements() * parts_ * sizeof(T));
    Load(operands[0], triangle, work);
    factorize_cholesky_(p_.n, row_, work, info);
    Store(work, triangle, results[0]);
    StoreIntegers(info, 1, static_cast<int32_t*>(results[1]));
  }

  void Geqrf(const void* const* operands, void* const* results, T* work) const {
    const MatrixPlaces whole = Whole();
    Load(operands[0], whole, work);
    functions_.factorize_qr_of_one[by_columns_](p_.m, p_.n, row_, work, work + InLanes(whole),
                                                static_cast<T*>(results[1]));
    Store(work, whole, results[0]);
  }

  void Orgqr(const void* const* operands, void* const* results, T* work) const {
    const MatrixPlaces whole = Whole();
    std::fill_n(work, InLanes(whole), T(0));
    functions_.multiply_reflections_of_one[by_columns_](
        p_.m, p_.n, p_.reflections, row_, static_cast<const T*>(operands[0]),
        static_cast<const T*>(operands[1]), work + InLanes(whole), work);
    Store(work, whole, results[0]);
  }

  // op(a) x = b, or x op(a) = b, which is op(a)^T x^T = b^T.
  void Trsm(const void* const* operands, void* const* results, T* work) const {
    const bool is_left = p_.side == 'L', is_transposed = (p_.transpose != 'N') == is_left;
    const int64_t size = is_left ? p_.m : p_.n;
    MatrixPlaces a = {size, size, size, 1, true, p_.transpose == 'C'};
    MatrixPlaces x = {p_.m, p_.n, p_.n, 1};
    if (is_transposed) std::swap(a.row, a.column);
    if (!is_left) std::swap(x.rows, x.columns), std::swap(x.row, x.column);
    x.row_in_lanes = x.columns;
    if ((p_.uplo == 'L') == is_transposed) a.row = -a.row, a.column = -a.column, x.row = -x.row;
    T* const solution = work + InLanes(a);
    Load(operands[0], a, work);
    Load(operands[1], x, solution);
    functions_.solve_lower[parts_ - 1](p_.diagonal == 'U', size, x.columns, work, solution);
    Store(solution, x, results[0]);
  }

  int64_t InLanes(const MatrixPlaces& matrix) const { return matrix.numbers() * parts_ * lanes_; }

  // Whether one number of each problem, which lie so far apart, is more than few sets of a cache
  // hold.
  bool ShareSets(int64_t distance) const {
    constexpr int64_t kBytesApart = 2048, kWays = 8;
    return lanes_ > kWays && distance * static_cast<int64_t>(sizeof(T)) % kBytesApart == 0;
  }

  // Calls function(lane, number, place) for each number that counts of each problem.
  template <typename Function>
  void ForEachInLanes(const MatrixPlaces& matrix, int64_t distance,
                      const Function& function) const {
    if (ShareSets(distance)) return matrix.ForEachInStrips(count_, function);
    matrix.ForEach([&](int64_t number, int64_t place) {
      for (int64_t lane = 0; lane < count_; ++lane) function(lane, number, place);
    });
  }

  // Lanes behind the last problem get zeros, and so does what a row has behind its last number.
  void Load(const void* from, const MatrixPlaces& matrix, T* to) const {
    const int64_t distance = matrix.elements() * parts_;
    if (count_ < lanes_ || lanes_ == 1) std::fill_n(to, InLanes(matrix), T(0));
    if (lanes_ == 1) {
      return CopyNumbers(matrix, static_cast<const T*>(from) + matrix.start(), matrix.row,
                         matrix.column, to, matrix.row_in_lanes, matrix.column_in_lanes);
    }
    for (int64_t part = 0; part < parts_; ++part) {
      const T* const source = static_cast<const T*>(from) + part;
      const T sign = part == 1 && matrix.is_conjugate ? T(-1) : T(1);
      const auto load = [&](int64_t lane, int64_t number, int64_t place) {
        to[(number * parts_ + part) * lanes_ + lane] =
            sign * source[place * parts_ + lane * distance];
      };
      ForEachInLanes(matrix, distance, load);
    }
  }

  void Store(const T* from, const MatrixPlaces& matrix, void* to) const {
    const int64_t distance = matrix.elements() * parts_;
    if (lanes_ == 1) {
      return CopyNumbers(matrix, from, matrix.row_in_lanes, matrix.column_in_lanes,
                         static_cast<T*>(to) + matrix.start(), matrix.row, matrix.column);
    }
    for (int64_t part = 0; part < parts_; ++part) {
      T* const target = static_cast<T*>(to) + part;
      const T sign = part == 1 && matrix.is_conjugate ? T(-1) : T(1);
      const auto store = [&](int64_t lane, int64_t number, int64_t place) {
        target[place * parts_ + lane * distance] =
            sign * from[(number * parts_ + part) * lanes_ + lane];
      };
      ForEachInLanes(matrix, distance, store);
    }
  }

  void StoreIntegers(const Index* from, int64_t distance, int32_t* to) const {
    for (int64_t lane = 0; lane < count_; ++lane)
      to[lane * distance] = static_cast<int32_t>(from[lane]);
  }

  const SmallMatrixFunctions<T>& functions_;
  const LapackProblem& p_;
  const int64_t parts_, lanes_;
  const bool by_columns_;
  const int64_t row_;  // or column of a matrix that is factorized, in numbers of lanes
  decltype(SmallMatrixFunctions<T>::factorize_lu_of_one) const factorize_lu_;
  decltype(SmallMatrixFunctions<T>::factorize_cholesky_of_one) const factorize_cholesky_;
  int64_t count_ = 0;
};

template <typename T>
bool SolveInLanes(codegen::InstructionSet set, const LapackProblem& problem, bool is_complex,
                  int64_t count, const void* const* operands, void* const* results) {
  const SmallMatrixFunctions<T>& functions = SmallMatrixFunctionsOf<T>(set);
  const Way way = WayOf(problem, is_complex, count, functions.lanes);
  if (way == Way::kLibrary) return false;
  Group<T> group(functions, problem, is_complex, way);
  const Scratch<T> work(group.NumbersInLanes());
  if (work.get() == nullptr) return false;
  for (int64_t first = 0; first < count; first += group.lanes()) {
    const linalg::LapackArrays arrays(problem, first, operands, results);
    group.Solve(std::min(group.lanes(), count - first), arrays.operands(), arrays.results(),
                work.get());
  }
  return true;
}

}  // namespace

bool SolveSmallMatrices(codegen::InstructionSet set, const LapackProblem& problem, int64_t count,
                        const void* const* operands, void* const* results) {
  switch (problem.routine) {
    case LapackRoutine::kTrsm:
    case LapackRoutine::kGetrf:
    case LapackRoutine::kPotrf:
    case LapackRoutine::kGeqrf:
    case LapackRoutine::kOrgqr:
      break;
    default:
      return false;
  }
  if (problem.m < 1 || problem.n < 1) return false;
  const bool is_complex = problem.type == C64 || problem.type == C128;
  return problem.type == F32 || problem.type == C64
             ? SolveInLanes<float>(set, problem, is_complex, count, operands, results)
             : SolveInLanes<double>(set, problem, is_complex, count, operands, results);
}

}  // namespace xla::cpu
