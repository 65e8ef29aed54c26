// Copies of parts of one side of a contraction to where its product reads them.
#ifndef HILO_CPU_KERNELS_GATHER_H_
#define HILO_CPU_KERNELS_GATHER_H_

#include <cstdint>
#include <vector>

#include "cpu/kernels/contraction.h"
#include "xla/xla_data.pb.h"

namespace xla::cpu {

// Copies elements that are `stride` elements apart, as T.
template <typename T>
using CopyElements = void(const char* from, int64_t stride, int64_t count, T* to,
                          int64_t to_stride);

// Null where elements of a type have to be converted before.
template <typename T>
CopyElements<T>* CopyElementsOf(PrimitiveType type, codegen::InstructionSet set);

// How one array is walked through, with as few loops as that takes.
class Walk {
 public:
  Walk() = default;
  Walk(const Loops& loops, std::vector<Bound> bounds, Array array);

  const Loops& loops() const { return loops_; }
  const std::vector<Bound>& bounds() const { return bounds_; }
  Array array() const { return array_; }
  // Distance between neighbours of the innermost loop.
  int64_t stride() const;
  // Whether neighbours are equally far apart everywhere.
  bool IsRegular() const { return loops_.size() <= 1 && bounds_.empty(); }
  // Where the loops are at `index`: the distance from the first element, and the way along each
  // bound.
  int64_t Place(int64_t index, int64_t* along = nullptr) const;
  // All places where there are no bounds.
  std::vector<int64_t> Places() const;
  // Where [begin, begin + count) are where there are no bounds.
  template <typename T>
  void FindPlaces(const T* base, int64_t begin, int64_t count, const T** to) const;

 private:
  Loops loops_;
  std::vector<Bound> bounds_;
  Array array_ = kLeft;
};

// Elements of one side, a range of one walk times a range of another.
template <typename T>
class Gatherer {
 public:
  Gatherer(const Contraction& contraction, Array array);

  // Writes element (x, y) to to[(x - x_begin) * x_stride + (y - y_begin) * y_stride], where x walks
  // over rows or columns and y over depth, or the other way round. `base` is the first element of
  // the group.
  void Fill(const char* base, bool x_is_depth, int64_t x_begin, int64_t x_count, int64_t y_begin,
            int64_t y_count, T* to, int64_t x_stride, int64_t y_stride) const;

  // How many elements along the depth are adjacent in memory; 0 if that is not so.
  int64_t RunLength() const;
  // Where the runs of `length` that begin at depth[first] are, for rows or columns from `begin` on:
  // number t of row r becomes to[t * count + r]. Runs that a bound cuts are put together in
  // `copies`, which holds all, and `zeros` are as long as a run.
  void FindRuns(const char* base, int64_t begin, int64_t count, int64_t first, int64_t runs,
                int64_t length, const T* zeros, const T** to, T* copies) const;

  // Whether the side is a matrix of elements of T, which can be read where it is.
  bool IsMatrix() const { return is_same_type_ && outer_.IsRegular() && depth_.IsRegular(); }
  // Whether elements of T are where the places of their rows and of their depth add up to.
  bool IsSumOfPlaces() const { return is_same_type_ && outer_.bounds().empty(); }
  const Walk& outer() const { return outer_; }
  const Walk& depth() const { return depth_; }

 private:
  codegen::InstructionSet instruction_set_;
  CopyElements<T>* copy_;
  bool is_same_type_;
  int64_t element_bytes_;
  Walk outer_, depth_;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_GATHER_H_
