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
#include "cpu/kernels/scratch.h"
#include "cpu/kernels/sorted_lines.h"
#include "data/sort_order.h"
#include "data/strided_copy.h"
#include "runtime/parallel.h"
#include "runtime/program.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {

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

namespace {

// ---- One long line

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

// ---- Lines of arrays

// Calls use(element) with an unsigned integer of so many bytes.
template <typename Use>
void WithElementOf(int64_t bytes, const Use& use) {
  switch (bytes) {
    case 1:
      return use(uint8_t{});
    case 2:
      return use(uint16_t{});
    case 4:
      return use(uint32_t{});
    case 8:
      return use(uint64_t{});
    default:
      return use(Uint128{});
  }
}

// Adjacent lines that are copied at once, where elements of one are not adjacent: as many as have
// some elements in a line of a cache, and fit into one.
constexpr int64_t kCopiedTogether = 16;
constexpr int64_t kBytesCopiedTogether = 1 << 19;

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
    layout_.length = shape.dimensions(static_cast<int>(dimension));
    for (int64_t d = 0; d < shape.dimensions_size(); ++d) {
      if (d != dimension) (d < dimension ? outer_ : layout_.inner) *= shape.dimensions(d);
    }
    for (const Shape& operand : call.operands)
      bytes_.push_back(primitive_util::ByteWidth(operand.element_type()));
  }

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    if (layout_.length == 0) return absl::OkStatus();
    const int64_t least = std::max<int64_t>(1, 2048 / layout_.length);
    std::atomic<bool> failed = false;
    runtime::ParallelFor(outer_ * layout_.inner, least, [&](int64_t begin, int64_t end) {
      std::vector<int64_t> skipped;
      begin = SortTogether(arrays, begin, end, skipped);
      bool done = SortOneByOne(arrays, begin, end);
      for (int64_t line : skipped) done = done && SortOneByOne(arrays, line, line + 1);
      if (!done) failed = true;
    });
    if (failed) return ResourceExhausted("no memory to sort %d elements", layout_.length);
    return absl::OkStatus();
  }

 protected:
  // Whose elements are adjacent.
  struct Line {
    std::vector<const char*> operands;
    std::vector<char*> results;
    char* space;
  };

  // Sorts lines from `begin` on and gives the first one that is left; `skipped` are left, too.
  virtual int64_t SortTogether(void* const* arrays, int64_t begin, int64_t end,
                               std::vector<int64_t>& skipped) const {
    return begin;
  }
  virtual void Sort(const Line& line, void* const* functions) const = 0;

  // Puts elements of operands, from the first one that is wanted, into the results in the order
  // order(0), order(1), ...
  template <typename Order>
  void Permute(const Line& line, size_t first, Order order) const {
    for (size_t k = first; k < operand_count_; ++k) {
      WithElementOf(bytes_[k], [&](auto element) {
        using Element = decltype(element);
        const Element* from = reinterpret_cast<const Element*>(line.operands[k]);
        Element* to = reinterpret_cast<Element*>(line.results[k]);
        runtime::ParallelFor(layout_.length, kLong / 4, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) to[i] = from[order(i)];
        });
      });
    }
  }

  template <typename Less>
  void SortNumbers(const Line& line, Less less) const {
    std::vector<int64_t> order(layout_.length);
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
  LineLayout layout_;
  std::vector<int64_t> bytes_;

 private:
  // False where there is no memory.
  bool SortOneByOne(void* const* arrays, int64_t begin, int64_t end) const {
    if (begin == end) return true;
    const int64_t length = layout_.length, inner = layout_.inner;
    const int64_t bytes = 2 * length * absl::c_accumulate(bytes_, int64_t{0});
    const int64_t most =
        inner == 1 ? 1 : std::clamp<int64_t>(kBytesCopiedTogether / bytes, 1, kCopiedTogether);
    const Scratch<char> space(length * space_of_element_);
    const Scratch<char> copies(inner == 1 ? 0 : most * bytes);
    if (space.get() == nullptr || copies.get() == nullptr) return false;
    std::vector<char*> lines(2 * operand_count_);  // the first ones of operands and results
    Line line = {std::vector<const char*>(operand_count_), std::vector<char*>(operand_count_),
                 space.get()};
    for (int64_t count; begin < end; begin += count) {
      count = std::min({most, end - begin, inner - begin % inner});
      int64_t offset = 0;
      for (size_t k = 0; k < lines.size(); ++k) {
        const int64_t bytes_of_line = length * bytes_[k % operand_count_];
        lines[k] = inner == 1 ? static_cast<char*>(arrays[k]) + begin * bytes_of_line
                              : copies.get() + offset;
        offset += most * bytes_of_line;
      }
      for (size_t k = 0; inner > 1 && k < operand_count_; ++k)
        Gather(arrays[k], begin, count, k, lines[k]);
      for (int64_t c = 0; c < count; ++c) {
        for (size_t k = 0; k < operand_count_; ++k) {
          const int64_t place = c * length * bytes_[k];
          line.operands[k] = lines[k] + place;
          line.results[k] = lines[operand_count_ + k] + place;
        }
        Sort(line, arrays + 2 * operand_count_);
      }
      for (size_t k = 0; inner > 1 && k < operand_count_; ++k) {
        Spread(lines[operand_count_ + k], begin, count, k, arrays[operand_count_ + k]);
      }
    }
    return true;
  }

  // Lines from `begin` on, which are interleaved in an array like operand k, become rows, or rows
  // become such lines.
  void Gather(const void* array, int64_t begin, int64_t count, size_t k, void* rows) const {
    CopyLines(begin, count, k, [&](int64_t in_array, int64_t in_rows, auto counts) {
      CopyStrided(bytes_[k], counts, static_cast<const char*>(array) + in_array, {layout_.inner, 1},
                  static_cast<char*>(rows) + in_rows, {1, layout_.length});
    });
  }
  void Spread(const void* rows, int64_t begin, int64_t count, size_t k, void* array) const {
    CopyLines(begin, count, k, [&](int64_t in_array, int64_t in_rows, auto counts) {
      CopyStrided(bytes_[k], counts, static_cast<const char*>(rows) + in_rows, {1, layout_.length},
                  static_cast<char*>(array) + in_array, {layout_.inner, 1});
    });
  }
  // Where parts of the lines begin, in bytes, and how many elements and lines they have.
  template <typename Copy>
  void CopyLines(int64_t begin, int64_t count, size_t k, const Copy& copy) const {
    runtime::ParallelFor(layout_.length, kLong / 4, [&](int64_t first, int64_t last) {
      copy((layout_.Start(begin) + first * layout_.inner) * bytes_[k], first * bytes_[k],
           std::array{last - first, count});
    });
  }

  int64_t outer_ = 1;
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
        columns_(layout_, call.instruction_set) {}

 private:
  static constexpr Key kLargest = std::numeric_limits<Key>::max();
  using Columns = KeyColumns<Key>;
  using Widest = std::conditional_t<sizeof(Key) <= 4, uint64_t, Uint128>;

  int64_t SortTogether(void* const* arrays, int64_t begin, int64_t end,
                       std::vector<int64_t>& skipped) const override {
    return columns_.Sort(begin, end, static_cast<const Key*>(arrays[0]),
                         [&](int64_t first, int64_t count, const Columns& columns) {
                           StoreColumns(arrays, first, count, columns, skipped);
                         });
  }

  void StoreColumns(void* const* arrays, int64_t begin, int64_t count, const Columns& columns,
                    std::vector<int64_t>& skipped) const {
    const int64_t length = layout_.length, inner = layout_.inner;
    for (int64_t c = 0; c < count; ++c) {
      const int64_t start = layout_.Start(begin + c);
      const auto key = [&](int64_t i) { return columns.KeyAt(i, c); };
      const auto element = [&](size_t k, int64_t i) {
        const int64_t place = start + columns.PlaceAt(i, c) * inner;
        return static_cast<const char*>(arrays[k]) + place * bytes_[k];
      };
      if (KeysDoNotDecide(key, element)) skipped.push_back(begin + c);
    }
    layout_.ForRuns(begin, count, [&](int64_t first, int64_t some, int64_t start, int64_t step) {
      Key* keys = static_cast<Key*>(arrays[operand_count_]) + start;
      for (int64_t i = 0; i < length; ++i) {
        for (int64_t c = 0; c < some; ++c) keys[i * inner + c * step] = columns.KeyAt(i, first + c);
      }
      for (size_t k = 1; k < operand_count_; ++k) {
        WithElementOf(bytes_[k], [&](auto element) {
          using Element = decltype(element);
          const Element* from = static_cast<const Element*>(arrays[k]) + start;
          Element* to = static_cast<Element*>(arrays[operand_count_ + k]) + start;
          for (int64_t i = 0; i < length; ++i) {
            for (int64_t c = 0; c < some; ++c)
              to[i * inner + c * step] = from[columns.PlaceAt(i, first + c) * inner + c * step];
          }
        });
      }
    });
  }

  void Sort(const Line& line, void* const*) const override {
    if constexpr (sizeof(Key) <= 2) {
      if (layout_.length <= 65536) return SortAs<uint32_t>(line);
    }
    SortAs<Widest>(line);
  }

  template <typename Packed>
  void SortAs(const Line& line) const {
    const Key* keys = reinterpret_cast<const Key*>(line.operands[0]);
    auto* const data = reinterpret_cast<Packed*>(line.space);
    const int64_t length = layout_.length;
    runtime::ParallelFor(length, kLong / 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) data[i] = PackedKeys<Packed>::Pack(keys[i], i);
    });
    const Packed* sorted = RadixSort<Packed>(data, data + length, length, 8 * sizeof(Key)).Run();
    Store<PackedKeys<Packed>>(line, [&](int64_t i) { return sorted[i]; });
  }

  // Elements in the order of packed keys sorted(0), sorted(1), ...
  template <typename Keys, typename Sorted>
  void Store(const Line& line, Sorted sorted) const {
    const auto key = [&](int64_t i) { return static_cast<Key>(Keys::Key(sorted(i))); };
    const auto element = [&](size_t k, int64_t i) {
      return line.operands[k] + Keys::Index(sorted(i)) * bytes_[k];
    };
    if (KeysDoNotDecide(key, element))
      return SortByComparing(line, reinterpret_cast<const Key*>(line.operands[0]));
    Key* result = reinterpret_cast<Key*>(line.results[0]);
    for (int64_t i = 0; i < layout_.length; ++i) result[i] = key(i);
    Permute(line, /*first=*/1, [&](int64_t i) { return Keys::Index(sorted(i)); });
  }

  // Whether a sorted line has an element that cannot be compared, or, where their order is not
  // promised, different elements of the same key: those of operand k are element(k, 0), ...
  template <typename KeyAt, typename ElementAt>
  bool KeysDoNotDecide(const KeyAt& key, const ElementAt& element) const {
    if (is_partial_ && key(layout_.length - 1) == kLargest) return true;
    for (int64_t i = 1; !is_stable_ && i < layout_.length; ++i) {
      if (key(i) != key(i - 1)) continue;
      for (size_t k = 1; k < operand_count_; ++k) {
        if (std::memcmp(element(k, i), element(k, i - 1), bytes_[k]) != 0) return true;
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
        columns_({length_, 1}, call.instruction_set),
        search_(KeySearchOf<Key>(call.instruction_set)) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    const Key* keys = static_cast<const Key*>(arrays[0]);
    Key* values = static_cast<Key*>(arrays[1]);
    int32_t* indices = static_cast<int32_t*>(arrays[2]);
    if (k_ == 0) return absl::OkStatus();
    const int64_t least = std::max<int64_t>(1, 4096 / length_);
    runtime::ParallelFor(lines_, least, [&](int64_t begin, int64_t end) {
      begin = columns_.Sort(
          begin, end, keys, [&](int64_t first, int64_t count, const KeyColumns<Key>& columns) {
            for (int64_t c = 0; c < count; ++c) {
              for (int64_t i = 0; i < k_; ++i) {
                values[(first + c) * k_ + i] = columns.KeyAt(i, c);
                indices[(first + c) * k_ + i] = static_cast<int32_t>(columns.PlaceAt(i, c));
              }
            }
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
    for (int64_t i = 0; i < k_; ++i) {
      values[i] = static_cast<Key>(Keys::Key(best[i]));
      indices[i] = static_cast<int32_t>(Keys::Index(best[i]));
    }
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
