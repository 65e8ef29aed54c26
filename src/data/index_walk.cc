// The members of ShapeUtil that visit the elements of an array.
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/algorithm/container.h"
#include "data/checked_math.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// The part of the index space that is walked, with its dimensions from the slowest to the fastest
// varying one.
class IndexWalk {
 public:
  IndexWalk(const Shape& shape, absl::Span<const int64_t> base, absl::Span<const int64_t> count,
            absl::Span<const int64_t> incr)
      : base_(base.begin(), base.end()) {
    const size_t rank = shape.dimensions_size();
    CHECK(base.size() == rank && count.size() == rank && incr.size() == rank)
        << "The index space does not have the rank of " << shape.ToString();
    for (size_t i = 0; i < rank; ++i) {
      const int64_t dimension =
          shape.has_layout() ? shape.layout().minor_to_major(rank - 1 - i) : i;
      CHECK_GE(incr[dimension], 0);
      const int64_t steps = count[dimension] <= 0  ? 0
                            : incr[dimension] == 0 ? 1
                                                   : CeilOfRatio(count[dimension], incr[dimension]);
      dimensions_.push_back({dimension, base[dimension], steps, incr[dimension]});
      size_ = SaturatingMultiply(size_, steps);
    }
  }

  // The number of elements visited.
  int64_t size() const { return size_; }

  // Calls visit(index) for elements [begin, end) until it returns false.
  template <typename Visit>
  void Run(int64_t begin, int64_t end, const Visit& visit) const {
    if (begin >= end) return;
    DimensionVector index = base_;
    DimensionVector step(dimensions_.size(), 0);
    int64_t rest = begin;
    for (size_t i = dimensions_.size(); i > 0; --i) {
      const Dimension& dimension = dimensions_[i - 1];
      step[i - 1] = rest % dimension.steps;
      rest /= dimension.steps;
      index[dimension.number] = dimension.base + step[i - 1] * dimension.incr;
    }
    for (int64_t n = begin; visit(absl::MakeConstSpan(index)) && ++n < end;) {
      for (size_t i = dimensions_.size(); i > 0; --i) {
        const Dimension& dimension = dimensions_[i - 1];
        if (++step[i - 1] < dimension.steps) {
          index[dimension.number] += dimension.incr;
          break;
        }
        step[i - 1] = 0;
        index[dimension.number] = dimension.base;
      }
    }
  }

 private:
  struct Dimension {
    int64_t number;
    int64_t base;
    int64_t steps;
    int64_t incr;
  };

  DimensionVector base_;
  absl::InlinedVector<Dimension, InlineRank()> dimensions_;
  int64_t size_ = 1;
};

// The whole of an array; a shape that is no array has nothing to visit.
IndexWalk WholeArray(const Shape& shape) {
  CHECK(shape.IsArray() && !shape.is_unbounded_dynamic()) << shape.ToString();
  const DimensionVector zeros(shape.dimensions_size(), 0);
  const DimensionVector ones(shape.dimensions_size(), 1);
  return IndexWalk(shape, zeros, shape.dimensions(), ones);
}

absl::Status RunWithStatus(const IndexWalk& walk,
                           const ShapeUtil::ForEachVisitorFunction& visitor) {
  absl::Status status;
  walk.Run(0, walk.size(), [&](absl::Span<const int64_t> index) {
    absl::StatusOr<bool> go_on = visitor(index);
    if (go_on.ok()) return *go_on;
    status = std::move(go_on).status();
    return false;
  });
  return status;
}

absl::Status RunParallel(const IndexWalk& walk,
                         const ShapeUtil::ForEachParallelVisitorFunction& visitor) {
  constexpr int64_t kSmallestChunk = 256;
  const int64_t threads = std::clamp<int64_t>(CeilOfRatio(walk.size(), kSmallestChunk), 1,
                                              ShapeUtil::GetForEachIndexParallelThreadCount());
  std::atomic<bool> stop = false;
  std::mutex mutex;
  absl::Status status;
  auto run_chunk = [&](int64_t thread) {
    const int64_t chunk = CeilOfRatio(walk.size(), threads);
    const int64_t begin = SaturatingMultiply(thread, chunk);
    const int64_t end = std::min(SaturatingAdd(begin, chunk), walk.size());
    walk.Run(begin, end, [&](absl::Span<const int64_t> index) {
      absl::StatusOr<bool> go_on = visitor(index, thread);
      if (!go_on.ok()) {
        std::lock_guard<std::mutex> lock(mutex);
        status.Update(std::move(go_on).status());
        stop = true;
      } else if (!*go_on) {
        stop = true;
      }
      return !stop.load(std::memory_order_relaxed);
    });
  };
  std::vector<std::thread> workers;
  for (int64_t thread = 1; thread < threads; ++thread) workers.emplace_back(run_chunk, thread);
  run_chunk(0);
  for (std::thread& worker : workers) worker.join();
  return status;
}

}  // namespace

absl::Status ShapeUtil::ForEachIndexWithStatus(const Shape& shape, absl::Span<const int64_t> base,
                                               absl::Span<const int64_t> count,
                                               absl::Span<const int64_t> incr,
                                               const ForEachVisitorFunction& visitor_function) {
  return RunWithStatus(IndexWalk(shape, base, count, incr), visitor_function);
}

absl::Status ShapeUtil::ForEachIndexWithStatus(const Shape& shape,
                                               const ForEachVisitorFunction& visitor_function) {
  return RunWithStatus(WholeArray(shape), visitor_function);
}

void ShapeUtil::ForEachIndex(const Shape& shape, absl::Span<const int64_t> base,
                             absl::Span<const int64_t> count, absl::Span<const int64_t> incr,
                             const ForEachVisitorFunction& visitor_function) {
  CHECK_OK(ForEachIndexWithStatus(shape, base, count, incr, visitor_function));
}

void ShapeUtil::ForEachIndex(const Shape& shape, const ForEachVisitorFunction& visitor_function) {
  CHECK_OK(ForEachIndexWithStatus(shape, visitor_function));
}

void ShapeUtil::ForEachIndexNoStatus(const Shape& shape, absl::Span<const int64_t> base,
                                     absl::Span<const int64_t> count,
                                     absl::Span<const int64_t> incr,
                                     const ForEachVisitorFunctionNoStatus& visitor_function) {
  const IndexWalk walk(shape, base, count, incr);
  walk.Run(0, walk.size(), visitor_function);
}

void ShapeUtil::ForEachIndexNoStatus(const Shape& shape,
                                     const ForEachVisitorFunctionNoStatus& visitor_function) {
  const IndexWalk walk = WholeArray(shape);
  walk.Run(0, walk.size(), visitor_function);
}

absl::Status ShapeUtil::ForEachIndexParallelWithStatus(
    const Shape& shape, absl::Span<const int64_t> base, absl::Span<const int64_t> count,
    absl::Span<const int64_t> incr, const ForEachParallelVisitorFunction& visitor_function) {
  return RunParallel(IndexWalk(shape, base, count, incr), visitor_function);
}

absl::Status ShapeUtil::ForEachIndexParallelWithStatus(
    const Shape& shape, const ForEachParallelVisitorFunction& visitor_function) {
  return RunParallel(WholeArray(shape), visitor_function);
}

void ShapeUtil::ForEachIndexParallel(const Shape& shape, absl::Span<const int64_t> base,
                                     absl::Span<const int64_t> count,
                                     absl::Span<const int64_t> incr,
                                     const ForEachParallelVisitorFunction& visitor_function) {
  CHECK_OK(ForEachIndexParallelWithStatus(shape, base, count, incr, visitor_function));
}

void ShapeUtil::ForEachIndexParallel(const Shape& shape,
                                     const ForEachParallelVisitorFunction& visitor_function) {
  CHECK_OK(ForEachIndexParallelWithStatus(shape, visitor_function));
}

int ShapeUtil::GetForEachIndexParallelThreadCount() {
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace xla
