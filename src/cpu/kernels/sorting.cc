// Sorting of lines: by an unsigned integer, which the plan makes of what is usually compared, or by
// any comparison; and the first few elements of an order.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/key_search.h"
#include "cpu/kernels/matrix_tiles.h"
#include "cpu/kernels/scratch.h"
#include "data/sort_order.h"
#include "runtime/parallel.h"
#include "runtime/program.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

__extension__ typedef unsigned __int128 Uint128;

// ---- Keys with the number of their element in the low bits: all are different, and their order is
// stable.

template <typename Packed>
struct PackedKeys {
  static constexpr int kIndexBits = sizeof(Packed) == 4 ? 16 : 32;

  static Packed Pack(uint64_t key, int64_t index) {
    return static_cast<Packed>(static_cast<Packed>(key) << kIndexBits | static_cast<Packed>(index));
  }
  static int64_t Index(Packed packed) {
    return static_cast<int64_t>(packed & ((Packed{1} << kIndexBits) - 1));
  }
  static uint64_t Key(Packed packed) { return static_cast<uint64_t>(packed >> kIndexBits); }
};

// More buckets are more than there are places to write to at once.
constexpr int kDigitBits = 8;
constexpr int64_t kBuckets = 1 << kDigitBits;
constexpr int64_t kShort = 192;     // not worth counting digits
constexpr int64_t kLong = 1 << 17;  // worth several threads
constexpr int64_t kChunks = 32;     // of a long line

// Sorts by the digits of the keys, the lowest first; `bits` of the key can differ.
template <typename Packed>
class RadixSort {
 public:
  RadixSort(Packed* data, Packed* other, int64_t count, int bits)
      : data_(data), other_(other), count_(count), bits_(bits) {}

  // Where the result is: in one of the two arrays.
  Packed* Run() {
    if (count_ < kShort) {
      std::sort(data_, data_ + count_);
      return data_;
    }
    const bool is_long = count_ >= kLong && runtime::ThreadCount() > 1;
    for (int done = 0; done < bits_; done += kDigitBits) {
      shift_ = PackedKeys<Packed>::kIndexBits + done;
      if (is_long ? !PassInChunks(kChunks) : !PassInChunks(1)) continue;
      std::swap(data_, other_);
    }
    return data_;
  }

 private:
  int64_t Digit(Packed packed) const {
    return static_cast<int64_t>(packed >> shift_) & (kBuckets - 1);
  }

  // False when all elements have the same digit and nothing has to be moved.
  bool PassInChunks(int64_t chunks) {
    const int64_t length = (count_ + chunks - 1) / chunks;
    starts_.assign(chunks * kBuckets, 0);
    const auto in_chunks = [&](auto body) {
      runtime::ParallelFor(chunks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t chunk = begin; chunk < end; ++chunk) {
          body(&starts_[chunk * kBuckets], std::min(count_, chunk * length),
               std::min(count_, (chunk + 1) * length));
        }
      });
    };
    in_chunks([&](int64_t* counts, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++counts[Digit(data_[i])];
    });
    int64_t start = 0;
    for (int64_t bucket = 0; bucket < kBuckets; ++bucket) {
      const int64_t before = start;
      for (int64_t chunk = 0; chunk < chunks; ++chunk) {
        int64_t& place = starts_[chunk * kBuckets + bucket];
        start += std::exchange(place, start);
      }
      if (start - before == count_) return false;
    }
    in_chunks([&](int64_t* places, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) other_[places[Digit(data_[i])]++] = data_[i];
    });
    return true;
  }

  Packed* data_;
  Packed* other_;
  const int64_t count_;
  const int bits_;
  int shift_ = 0;
  std::vector<int64_t> starts_;
};

// Of short lines, so many at least are sorted at once, and the longest.
constexpr int64_t kLeastTogether = 8, kMostTogether = 64;

// Which elements of a line to compare, whatever they are: merge exchange (Batcher), Knuth, The Art
// of Computer Programming, volume 3, section 5.2.2, algorithm M.
std::vector<RowPair> MergeExchange(int64_t length) {
  std::vector<RowPair> pairs;
  for (int64_t p = 1; p < length; p *= 2) {
    for (int64_t k = p; k >= 1; k /= 2) {
      for (int64_t j = k % p; j + k < length; j += 2 * k) {
        for (int64_t i = j; i < std::min(j + k, length - k); ++i) {
          if (i / (2 * p) == (i + k) / (2 * p))
            pairs.push_back({static_cast<uint8_t>(i), static_cast<uint8_t>(i + k)});
        }
      }
    }
  }
  return pairs;
}

// Short lines by keys of at most 32 bits, which are packed with the numbers of their elements, side
// by side as columns.
template <typename Key>
class LinesAsColumns {
 public:
  using Packed = std::conditional_t<sizeof(Key) <= 2, uint32_t, uint64_t>;

  LinesAsColumns(int64_t length, codegen::InstructionSet set)
      : length_(length), order_rows_(TilesOf<Packed>(set).order_rows) {
    if (sizeof(Key) <= 4 && order_rows_ != nullptr && length <= kMostTogether)
      network_ = MergeExchange(length);
  }

  // Sorts lines from `begin` on, while there are enough of them for that and memory, and gives the
  // first one that is left. The keys of a line are keys(line); once they are sorted, store(line,
  // sorted) is called, where sorted(i) is the packed key number i.
  template <typename KeysOfLine, typename Store>
  int64_t Sort(int64_t begin, int64_t end, const KeysOfLine& keys, const Store& store) const {
    if (network_.empty() || end - begin < kLeastTogether) return begin;
    const Scratch<Packed> scratch(length_ * kSortedTogether);
    Packed* const rows = scratch.get();
    while (rows != nullptr && end - begin >= kLeastTogether) {
      const int64_t count = std::min(end - begin, kSortedTogether);
      Fill(begin, count, keys, rows);
      order_rows_(network_, rows);
      for (int64_t c = 0; c < count; ++c)
        store(begin + c, [&](int64_t i) { return rows[i * kSortedTogether + c]; });
      begin += count;
    }
    return begin;
  }

 private:
  // Element i of line begin + c becomes rows[i * kSortedTogether + c].
  template <typename KeysOfLine>
  void Fill(int64_t begin, int64_t count, const KeysOfLine& keys, Packed* rows) const {
    if (count < kSortedTogether) std::fill_n(rows, length_ * kSortedTogether, Packed{0});
    for (int64_t c = 0; c < count; ++c) {
      const Key* line = keys(begin + c);
      for (int64_t i = 0; i < length_; ++i)
        rows[i * kSortedTogether + c] = PackedKeys<Packed>::Pack(line[i], i);
    }
  }

  const int64_t length_;
  void (*const order_rows_)(absl::Span<const RowPair>, Packed*);
  std::vector<RowPair> network_;  // empty where lines are sorted one by one
};

// ---- Lines of arrays

// The lines of all operands along one dimension.
class LineKernel : public runtime::LibraryKernel {
 public:
  // Sorting a line takes so much space for each of its elements.
  LineKernel(const runtime::LibraryCall& call, int64_t space_of_element)
      : is_stable_(call.instruction.is_stable()),
        operand_count_(call.operands.size()),
        space_of_element_(space_of_element) {
    const Shape& shape = call.operands[0];
    const int64_t dimension = call.instruction.dimensions(0);
    length_ = shape.dimensions(static_cast<int>(dimension));
    for (int64_t d = 0; d < shape.dimensions_size(); ++d) {
      if (d != dimension) (d < dimension ? outer_ : inner_) *= shape.dimensions(d);
    }
    for (const Shape& operand : call.operands)
      bytes_.push_back(primitive_util::ByteWidth(operand.element_type()));
  }

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    if (length_ == 0) return absl::OkStatus();
    const int64_t least = std::max<int64_t>(1, 2048 / length_);
    std::atomic<bool> failed = false;
    runtime::ParallelFor(outer_ * inner_, least, [&](int64_t begin, int64_t end) {
      std::vector<std::vector<char>> copies(operand_count_);
      const Scratch<char> space(length_ * space_of_element_);
      if (space.get() == nullptr) return (void)(failed = true);
      Line line = {std::vector<const char*>(operand_count_), std::vector<char*>(operand_count_),
                   inner_, space.get()};
      const auto find = [&](int64_t number) -> const Line& {
        FindLine(arrays, number, copies, line);
        return line;
      };
      SortLines(begin, end, find, arrays + 2 * operand_count_);
    });
    if (failed) return ResourceExhausted("no memory to sort %d elements", length_);
    return absl::OkStatus();
  }

 protected:
  struct Line {
    std::vector<const char*> operands;  // contiguous
    std::vector<char*> results;
    int64_t stride;  // of results, in elements
    char* space;
  };

  using FindFunction = absl::FunctionRef<const Line&(int64_t number)>;
  // Sorts lines [begin, end), which `find` finds one at a time.
  virtual void SortLines(int64_t begin, int64_t end, FindFunction find,
                         void* const* functions) const {
    for (int64_t i = begin; i < end; ++i) Sort(find(i), functions);
  }
  virtual void Sort(const Line& line, void* const* functions) const = 0;

  // Puts elements of operands, from the first one that is wanted, into the results in the order
  // order(0), order(1), ...
  template <typename Order>
  void Permute(const Line& line, size_t first, Order order) const {
    for (size_t k = first; k < operand_count_; ++k) {
      const auto permute = [&](auto element) {
        using Element = decltype(element);
        const Element* from = reinterpret_cast<const Element*>(line.operands[k]);
        Element* to = reinterpret_cast<Element*>(line.results[k]);
        runtime::ParallelFor(length_, kLong / 4, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) to[i * line.stride] = from[order(i)];
        });
      };
      switch (bytes_[k]) {
        case 1:
          permute(uint8_t{});
          break;
        case 2:
          permute(uint16_t{});
          break;
        case 4:
          permute(uint32_t{});
          break;
        case 8:
          permute(uint64_t{});
          break;
        default:
          permute(Uint128{});
          break;
      }
    }
  }

  template <typename Less>
  void SortNumbers(const Line& line, Less less) const {
    std::vector<int64_t> order(length_);
    std::iota(order.begin(), order.end(), 0);
    if (is_stable_) {
      MergeSort(order, less);
    } else {
      IntroSort(order, less);
    }
    Permute(line, /*first=*/0, [&](int64_t i) { return order[i]; });
  }

  const bool is_stable_;
  const size_t operand_count_;
  const int64_t space_of_element_;
  int64_t length_ = 0;
  std::vector<int64_t> bytes_;

 private:
  void FindLine(void* const* arrays, int64_t number, std::vector<std::vector<char>>& copies,
                Line& line) const {
    const int64_t start = number / inner_ * length_ * inner_ + number % inner_;
    for (size_t k = 0; k < operand_count_; ++k) {
      const char* from = static_cast<const char*>(arrays[k]) + start * bytes_[k];
      line.results[k] = static_cast<char*>(arrays[operand_count_ + k]) + start * bytes_[k];
      if (inner_ > 1) {
        copies[k].resize(length_ * bytes_[k]);
        for (int64_t i = 0; i < length_; ++i)
          std::memcpy(&copies[k][i * bytes_[k]], from + i * inner_ * bytes_[k], bytes_[k]);
        from = copies[k].data();
      }
      line.operands[k] = from;
    }
  }

  int64_t outer_ = 1, inner_ = 1;
};

// By any comparison, which is a compiled function.
class SortByComparison : public LineKernel {
 public:
  explicit SortByComparison(const runtime::LibraryCall& call) : LineKernel(call, 0) {}

 private:
  void Sort(const Line& line, void* const* functions) const override {
    auto* const compare = reinterpret_cast<HiloFunction*>(functions[0]);
    std::vector<const void*> arguments(2 * operand_count_);
    const auto less = [&](int64_t a, int64_t b) {
      for (size_t k = 0; k < operand_count_; ++k) {
        arguments[2 * k] = line.operands[k] + a * bytes_[k];
        arguments[2 * k + 1] = line.operands[k] + b * bytes_[k];
      }
      bool result = false;
      void* results[] = {&result};
      compare(arguments.data(), results, 1);
      return result;
    };
    SortNumbers(line, less);
  }
};

// By the first operand, unsigned integers. In a partial order the largest one is not comparable.
template <typename Key>
class SortByKey : public LineKernel {
 public:
  explicit SortByKey(const runtime::LibraryCall& call)
      : LineKernel(call, 2 * sizeof(Widest)),
        is_partial_(call.kernel == "sort-by-partial-key"),
        columns_(length_, call.instruction_set) {}

 private:
  static constexpr Key kLargest = std::numeric_limits<Key>::max();
  using Widest = std::conditional_t<sizeof(Key) <= 4, uint64_t, Uint128>;
  using Short = typename LinesAsColumns<Key>::Packed;

  void SortLines(int64_t begin, int64_t end, FindFunction find,
                 void* const* functions) const override {
    begin = columns_.Sort(
        begin, end,
        [&](int64_t line) { return reinterpret_cast<const Key*>(find(line).operands[0]); },
        [&](int64_t line, auto sorted) { Store<PackedKeys<Short>>(find(line), sorted); });
    LineKernel::SortLines(begin, end, find, functions);
  }

  void Sort(const Line& line, void* const*) const override {
    if constexpr (sizeof(Key) <= 2) {
      if (length_ <= 65536) return SortAs<Short>(line);
    }
    SortAs<Widest>(line);
  }

  template <typename Packed>
  void SortAs(const Line& line) const {
    const Key* keys = reinterpret_cast<const Key*>(line.operands[0]);
    auto* const data = reinterpret_cast<Packed*>(line.space);
    runtime::ParallelFor(length_, kLong / 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) data[i] = PackedKeys<Packed>::Pack(keys[i], i);
    });
    const Packed* sorted = RadixSort<Packed>(data, data + length_, length_, 8 * sizeof(Key)).Run();
    Store<PackedKeys<Packed>>(line, [&](int64_t i) { return sorted[i]; });
  }

  // Elements in the order of packed keys sorted(0), sorted(1), ...
  template <typename Keys, typename Sorted>
  void Store(const Line& line, Sorted sorted) const {
    const bool has_incomparable = is_partial_ && Keys::Key(sorted(length_ - 1)) == kLargest;
    if (has_incomparable || (!is_stable_ && HasTies<Keys>(line, sorted)))
      return SortByComparing(line, reinterpret_cast<const Key*>(line.operands[0]));
    Key* result = reinterpret_cast<Key*>(line.results[0]);
    for (int64_t i = 0; i < length_; ++i) result[i * line.stride] = Keys::Key(sorted(i));
    Permute(line, /*first=*/1, [&](int64_t i) { return Keys::Index(sorted(i)); });
  }

  // Whether some elements have the same key and are different.
  template <typename Keys, typename Sorted>
  bool HasTies(const Line& line, Sorted sorted) const {
    for (int64_t i = 1; i < length_; ++i) {
      if (Keys::Key(sorted(i)) != Keys::Key(sorted(i - 1))) continue;
      const int64_t a = Keys::Index(sorted(i - 1)), b = Keys::Index(sorted(i));
      for (size_t k = 1; k < operand_count_; ++k) {
        const int64_t bytes = bytes_[k];
        if (std::memcmp(line.operands[k] + a * bytes, line.operands[k] + b * bytes, bytes) != 0)
          return true;
      }
    }
    return false;
  }

  // Where any order of such elements is right, it is the one that users know.
  void SortByComparing(const Line& line, const Key* keys) const {
    SortNumbers(line, [&](int64_t a, int64_t b) {
      return keys[a] < keys[b] && !(is_partial_ && keys[b] == kLargest);
    });
  }

  const bool is_partial_;
  const LinesAsColumns<Key> columns_;
};

// The smallest elements of lines of unsigned integers, and where they are.
template <typename Key>
class SmallestKeys : public runtime::LibraryKernel {
 public:
  explicit SmallestKeys(const runtime::LibraryCall& call)
      : length_(call.operands[0].dimensions().back()),
        k_(call.results[0].dimensions().back()),
        lines_(length_ == 0 ? 0 : ShapeUtil::ElementsIn(call.operands[0]) / length_),
        columns_(length_, call.instruction_set),
        search_(KeySearchOf<Key>(call.instruction_set)) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    const Key* keys = static_cast<const Key*>(arrays[0]);
    Key* values = static_cast<Key*>(arrays[1]);
    int32_t* indices = static_cast<int32_t*>(arrays[2]);
    if (k_ == 0) return absl::OkStatus();
    const int64_t least = std::max<int64_t>(1, 4096 / length_);
    runtime::ParallelFor(lines_, least, [&](int64_t begin, int64_t end) {
      begin = columns_.Sort(
          begin, end, [&](int64_t line) { return keys + line * length_; },
          [&](int64_t line, auto sorted) {
            Store<PackedKeys<Short>>(sorted, values + line * k_, indices + line * k_);
          });
      std::vector<Packed> best;
      for (int64_t line = begin; line < end; ++line)
        RunLine(keys + line * length_, values + line * k_, indices + line * k_, best);
    });
    return absl::OkStatus();
  }

 private:
  using Packed = std::conditional_t<sizeof(Key) <= 4, uint64_t, Uint128>;
  using Keys = PackedKeys<Packed>;
  using Short = typename LinesAsColumns<Key>::Packed;

  // The first k of the packed keys sorted(0), sorted(1), ...
  template <typename PackedAs, typename Sorted>
  void Store(Sorted sorted, Key* values, int32_t* indices) const {
    for (int64_t i = 0; i < k_; ++i) {
      values[i] = static_cast<Key>(PackedAs::Key(sorted(i)));
      indices[i] = static_cast<int32_t>(PackedAs::Index(sorted(i)));
    }
  }

  // A key that at least k are not above: the k-th of the smallest ones of many columns, which few
  // others are below. Any key where lines are short for that.
  Key Bound(const Key* keys) const {
    std::array<Key, kMostColumns> least;
    const int64_t columns =
        std::max(kFewColumns, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(4 * k_))));
    if (columns > kMostColumns || 2 * columns > length_) return std::numeric_limits<Key>::max();
    search_.find_least(keys, length_ / columns, columns, least.data());
    if (columns == kFewColumns) return search_.find_in_order(least.data(), columns / kBlock, k_);
    std::nth_element(least.begin(), least.begin() + (k_ - 1), least.begin() + columns);
    return least[k_ - 1];
  }

  // Keeps what can still be among the first k.
  void RunLine(const Key* keys, Key* values, int32_t* indices, std::vector<Packed>& best) const {
    const size_t capacity = static_cast<size_t>(std::max<int64_t>(4 * k_, 256));
    best.clear();
    best.reserve(capacity);
    Packed limit = Keys::Pack(Bound(keys), length_);
    const auto keep = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Packed packed = Keys::Pack(keys[i], i);
        if (packed > limit) continue;
        best.push_back(packed);
        if (best.size() < capacity) continue;
        std::nth_element(best.begin(), best.begin() + (k_ - 1), best.end());
        best.resize(k_);
        limit = best.back();
      }
    };
    const int64_t blocks = length_ / kBlock;
    for (int64_t block = 0; block < blocks; ++block) {
      block += search_.find_block(keys + block * kBlock, blocks - block,
                                  static_cast<Key>(Keys::Key(limit)));
      if (block < blocks) keep(block * kBlock, (block + 1) * kBlock);
    }
    keep(blocks * kBlock, length_);
    std::partial_sort(best.begin(), best.begin() + k_, best.end());
    Store<Keys>([&](int64_t i) { return best[i]; }, values, indices);
  }

  static constexpr int64_t kFewColumns = 64, kMostColumns = 1024;
  static constexpr int64_t kBlock = kKeysOfBlock<Key>;

  const int64_t length_, k_, lines_;
  const LinesAsColumns<Key> columns_;
  const KeySearch<Key>& search_;
};

template <template <typename> class Kernel>
KernelOrStatus MakeForKey(const runtime::LibraryCall& call) {
  switch (call.operands[0].element_type()) {
    case U8:
      return std::make_unique<Kernel<uint8_t>>(call);
    case U16:
      return std::make_unique<Kernel<uint16_t>>(call);
    case U32:
      return std::make_unique<Kernel<uint32_t>>(call);
    case U64:
      return std::make_unique<Kernel<uint64_t>>(call);
    default:
      return Unimplemented("%s by %s", call.kernel, ShapeUtil::HumanString(call.operands[0]));
  }
}

absl::Status CheckLength(const runtime::LibraryCall& call) {
  for (int64_t size : call.operands[0].dimensions()) {
    if (size > std::numeric_limits<int32_t>::max()) {
      return Unimplemented("%s of %s: lines are too long", call.kernel,
                           ShapeUtil::HumanString(call.operands[0]));
    }
  }
  return absl::OkStatus();
}

}  // namespace

KernelOrStatus MakeSort(const runtime::LibraryCall& call) {
  return std::make_unique<SortByComparison>(call);
}

KernelOrStatus MakeSortByKey(const runtime::LibraryCall& call) {
  HILO_RETURN_IF_ERROR(CheckLength(call));
  return MakeForKey<SortByKey>(call);
}

KernelOrStatus MakeTopK(const runtime::LibraryCall& call) {
  HILO_RETURN_IF_ERROR(CheckLength(call));
  return MakeForKey<SmallestKeys>(call);
}

}  // namespace xla::cpu
