#include "cpu/kernels/direct_product.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/kernels/gather.h"
#include "cpu/kernels/matrix_tiles.h"
#include "cpu/kernels/scratch.h"
#include "cpu/kernels/store.h"
#include "cpu/kernels/work.h"
#include "data/strided_copy.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Sums of more products than this are rather made by tiles.
constexpr int64_t kMostDepth = 256;
// Elements on the right side that are farther apart are not worth bringing together, nor are fewer.
constexpr int64_t kMostStride = 4, kLeastOfRow = 8;
// Fewer adjacent groups are not worth another order, nor are sums with so long tables.
constexpr int64_t kLeastGroups = 8, kMostDepthOfGroups = 4096;

int64_t RightStride(const Contraction& contraction, const Loop& loop) {
  return loop.strides[kRight] +
         (loop.bound < 0 ? 0 : loop.step * contraction.bounds[loop.bound].stride);
}

// The loop along which adjacent elements are computed at once, if possible from adjacent ones of
// the right side; null if there is none.
const Loop* InnerLoop(const Contraction& contraction) {
  const Loop* best = nullptr;
  for (const Loops* loops : {&contraction.groups, &contraction.columns}) {
    if (loops->empty()) continue;
    const Loop& loop = loops->back();
    const int64_t stride = RightStride(contraction, loop);
    if (loop.strides[kResult] != 1 || stride < 1 || stride > kMostStride ||
        (loop.strides[kLeft] != 0 && loop.strides[kLeft] != 1)) {
      continue;
    }
    const auto rank = [&](const Loop& each) {
      return std::pair(RightStride(contraction, each) == 1, each.size);
    };
    if (best == nullptr || rank(loop) > rank(*best)) best = &loop;
  }
  return best;
}

template <typename T>
class DirectProduct : public Product {
 public:
  explicit DirectProduct(const Contraction& contraction)
      : tiles_(TilesOf<T>(contraction.instruction_set)),
        inner_(*InnerLoop(contraction)),
        right_stride_(RightStride(contraction, inner_)),
        copy_(CopyElementsOf<T>(primitive_util::NativeToPrimitiveType<T>(),
                                contraction.instruction_set)),
        bounds_(contraction.bounds),
        offsets_(contraction.offsets),
        store_(StoreElementsOf<T>(contraction.types[kResult], contraction.instruction_set)),
        result_bytes_(primitive_util::ByteWidth(contraction.types[kResult])) {
    Loops outer;
    for (const Loops* loops : {&contraction.groups, &contraction.columns}) {
      for (const Loop& loop : *loops) {
        if (&loop != InnerLoop(contraction)) outer.push_back(loop);
      }
    }
    outer_count_ = Count(outer);
    left_ = Walk(outer, {}, kLeft);
    right_ = Walk(outer, bounds_, kRight);
    result_ = Walk(outer, {}, kResult);
    const Walk left_depth(contraction.depth, {}, kLeft),
        right_depth(contraction.depth, bounds_, kRight);
    for (int64_t k = 0; k < Count(contraction.depth); ++k) {
      Term term = {left_depth.Place(k), 0, std::vector<int64_t>(bounds_.size())};
      term.right = right_depth.Place(k, term.along.data());
      terms_.push_back(std::move(term));
    }
  }

  absl::Status Run(const void* left, const void* right, void* result) const override {
    std::atomic<bool> failed = false;
    const double work = static_cast<double>(inner_.size) * static_cast<double>(terms_.size() + 1);
    runtime::ParallelFor(outer_count_, LeastParts(work), [&](int64_t begin, int64_t end) {
      const Scratch<T> sums(inner_.size), gathered(right_stride_ == 1 ? 0 : inner_.size);
      if (sums.get() == nullptr || gathered.get() == nullptr) return (void)(failed = true);
      std::vector<int64_t> along(bounds_.size());
      for (int64_t i = begin; i < end; ++i) {
        std::fill_n(sums.get(), inner_.size, T(0));
        const T* factors = static_cast<const T*>(left) + offsets_[kLeft] + left_.Place(i);
        const T* values =
            static_cast<const T*>(right) + offsets_[kRight] + right_.Place(i, along.data());
        for (const Term& term : terms_)
          Add(term, factors, values, along.data(), gathered.get(), sums.get());
        store_(sums.get(), inner_.size,
               static_cast<char*>(result) + (offsets_[kResult] + result_.Place(i)) * result_bytes_,
               1);
      }
    });
    if (failed) return ResourceExhausted("no memory for %d sums", inner_.size);
    return absl::OkStatus();
  }

 private:
  struct Term {
    int64_t left, right;
    std::vector<int64_t> along;  // each bound
  };

  // The products of one place of the depth, as far as the right side is inside of its bounds.
  void Add(const Term& term, const T* factors, const T* values, const int64_t* along, T* gathered,
           T* sums) const {
    int64_t first = 0, last = inner_.size, offset = term.right;
    for (size_t b = 0; b < bounds_.size(); ++b) {
      const Bound& bound = bounds_[b];
      const int64_t place = bound.start + along[b] + term.along[b];
      offset += place * bound.stride;
      if (static_cast<int>(b) == inner_.bound) {
        if (place < 0) first = (-place + inner_.step - 1) / inner_.step;
        last = std::min(last, place >= bound.size ? 0 : (bound.size - 1 - place) / inner_.step + 1);
      } else if (place < 0 || place >= bound.size) {
        return;
      }
    }
    if (first >= last) return;
    const T* x = values + (offset + first * right_stride_);
    if (right_stride_ != 1) {
      copy_(reinterpret_cast<const char*>(x), right_stride_, last - first, gathered, 1);
      x = gathered;
    }
    const T* factor = factors + term.left;
    if (inner_.strides[kLeft] == 0) {
      tiles_.add_scaled(last - first, *factor, x, sums + first);
    } else {
      tiles_.add_products(last - first, factor + first, x, sums + first);
    }
  }

  const Tiles<T>& tiles_;
  const Loop inner_;
  const int64_t right_stride_;
  CopyElements<T>* const copy_;
  const std::vector<Bound> bounds_;
  const std::array<int64_t, kArrays> offsets_;
  StoreElements<T>* const store_;
  const int64_t result_bytes_;
  Walk left_, right_, result_;
  int64_t outer_count_;
  std::vector<Term> terms_;
};

// Null if no groups are adjacent on the right side.
template <typename C>
auto* GroupOfNeighbours(C& contraction) {
  const auto found = absl::c_find_if(contraction.groups, [](const Loop& loop) {
    return loop.strides[kRight] == 1 && loop.bound < 0 && loop.size >= kLeastGroups;
  });
  return found == contraction.groups.end() ? nullptr : &*found;
}

// An array that loops visit, in the order of the loops.
struct Reordered {
  std::vector<int64_t> sizes, strides, dense_strides;
  int64_t offset, count;

  // The loops move through the reordered array from now on.
  Reordered(Array array, absl::Span<Loop* const> loops, Contraction& contraction)
      : offset(contraction.offsets[array]), count(1) {
    for (Loop* loop : loops) sizes.push_back(loop->size), strides.push_back(loop->strides[array]);
    dense_strides.resize(loops.size());
    for (size_t i = loops.size(); i-- > 0; count *= sizes[i])
      dense_strides[i] = loops[i]->strides[array] = count;
    contraction.offsets[array] = 0;
    contraction.counts[array] = count;
  }
};

// Where groups are neighbours on the right side only, the left side and the result, which are
// smaller, are copied so that they are there too.
template <typename T>
class GroupedProduct : public Product {
 public:
  explicit GroupedProduct(Contraction contraction)
      : result_bytes_(primitive_util::ByteWidth(contraction.types[kResult])) {
    Loops& groups = contraction.groups;
    std::swap(*GroupOfNeighbours(contraction), groups.back());
    const auto order = [&](Loops& others) {
      std::vector<Loop*> loops;
      for (Loop& loop : groups) loops.push_back(&loop);
      for (Loop& loop : others) loops.insert(loops.end() - 1, &loop);
      return loops;
    };
    if (groups.back().strides[kLeft] != 1)
      left_.emplace(kLeft, order(contraction.depth), contraction);
    if (groups.back().strides[kResult] != 1)
      result_.emplace(kResult, order(contraction.columns), contraction);
    product_ = std::make_unique<DirectProduct<T>>(contraction);
  }

  absl::Status Run(const void* left, const void* right, void* result) const override {
    const Scratch<T> factors(left_.has_value() ? left_->count : 0);
    const Scratch<char> sums(result_.has_value() ? result_->count * result_bytes_ : 0);
    if (factors.get() == nullptr || sums.get() == nullptr)
      return ResourceExhausted("no memory for the sides of a product of groups");
    if (left_.has_value()) {
      CopyStrided(sizeof(T), left_->sizes,
                  reinterpret_cast<const char*>(static_cast<const T*>(left) + left_->offset),
                  left_->strides, reinterpret_cast<char*>(factors.get()), left_->dense_strides);
      left = factors.get();
    }
    HILO_RETURN_IF_ERROR(product_->Run(left, right, result_.has_value() ? sums.get() : result));
    if (result_.has_value()) {
      CopyStrided(result_bytes_, result_->sizes, sums.get(), result_->dense_strides,
                  static_cast<char*>(result) + result_->offset * result_bytes_, result_->strides);
    }
    return absl::OkStatus();
  }

 private:
  const int64_t result_bytes_;
  std::optional<Reordered> left_, result_;
  std::unique_ptr<Product> product_;
};

bool HasWindows(const Contraction& contraction) {
  return contraction.rows.empty() && contraction.bounded == kRight && !contraction.bounds.empty() &&
         Count(contraction.depth) <= kMostDepth && InnerLoop(contraction) != nullptr;
}

bool HasWindowsOfGroups(const Contraction& contraction) {
  return !contraction.groups.empty() && HasWindows(contraction);
}

template <typename T>
bool IsGrouped(const Contraction& contraction) {
  return contraction.rows.empty() && contraction.bounds.empty() &&
         Count(contraction.depth) <= kMostDepthOfGroups &&
         GroupOfNeighbours(contraction) != nullptr &&
         StoreElementsOf<T>(contraction.types[kResult], contraction.instruction_set) != nullptr;
}

}  // namespace

bool HasRowsWithStride(const Contraction& contraction) {
  if (!HasWindowsOfGroups(contraction)) return false;
  const Loop& inner = *InnerLoop(contraction);
  return RightStride(contraction, inner) > 1 && inner.size >= kLeastOfRow;
}

template <typename T>
bool IsDirect(const Contraction& contraction) {
  if (IsGrouped<T>(contraction)) return true;
  return (HasWindowsOfGroups(contraction) || (std::is_integral_v<T> && HasWindows(contraction))) &&
         StoreElementsOf<T>(contraction.types[kResult], contraction.instruction_set) != nullptr;
}

template <typename T>
std::unique_ptr<Product> MakeDirectProduct(const Contraction& contraction) {
  if (IsGrouped<T>(contraction)) return std::make_unique<GroupedProduct<T>>(contraction);
  return std::make_unique<DirectProduct<T>>(contraction);
}

#define HILO_INSTANTIATE(T)                      \
  template bool IsDirect<T>(const Contraction&); \
  template std::unique_ptr<Product> MakeDirectProduct<T>(const Contraction&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(uint32_t)
HILO_INSTANTIATE(uint64_t)
#undef HILO_INSTANTIATE

}  // namespace xla::cpu
