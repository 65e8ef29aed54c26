// Lines along one dimension of an array, and many short ones that are sorted at once.
#ifndef HILO_CPU_KERNELS_SORTED_LINES_H_
#define HILO_CPU_KERNELS_SORTED_LINES_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "codegen/target.h"
#include "cpu/kernels/matrix_tiles.h"
#include "cpu/kernels/scratch.h"

namespace xla::cpu {

__extension__ typedef unsigned __int128 Uint128;

// Where elements lie: those of a line are `inner` elements apart.
struct LineLayout {
  int64_t length = 1, inner = 1;

  int64_t Start(int64_t line) const { return line / inner * length * inner + line % inner; }

  // Calls run(first, some, start, step) for parts of the lines from `begin` on: line begin + first
  // + c, for c < some, begins at start + c * step.
  template <typename Run>
  void ForRuns(int64_t begin, int64_t count, const Run& run) const {
    if (inner == 1) return run(0, count, begin * length, length);
    for (int64_t first = 0, some; first < count; first += some) {
      some = std::min(count - first, inner - (begin + first) % inner);
      run(first, some, Start(begin + first), 1);
    }
  }
};

// Keys with the number of their element in the low bits: all are different, and their order is
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

// Of short lines, so many at least are sorted at once, and the longest.
inline constexpr int64_t kLeastTogether = 8, kMostTogether = 64;

// Which elements of a line to compare, whatever they are: merge exchange (Batcher), Knuth, The Art
// of Computer Programming, volume 3, section 5.2.2, algorithm M.
std::vector<RowPair> MergeExchange(int64_t length);

// The keys of kSortedTogether lines, with the numbers of their elements: element i of line c is in
// column c of row i.
template <typename Key>
class KeyColumns {
 public:
  // What the functions of an instruction set order.
  using Element = std::conditional_t<sizeof(Key) <= 2, uint32_t, uint64_t>;

  explicit KeyColumns(int64_t length)
      : elements_(length * kSortedTogether), rows_(elements_ * (kHasPlaces ? 2 : 1)) {}

  bool HasMemory() const { return rows_.get() != nullptr; }
  static bool CanOrder(const Tiles<Element>& tiles) {
    return kHasPlaces ? tiles.order_rows_and_places != nullptr : tiles.order_rows != nullptr;
  }
  void Order(const Tiles<Element>& tiles, absl::Span<const RowPair> pairs) {
    kHasPlaces ? tiles.order_rows_and_places(pairs, rows_.get(), places())
               : tiles.order_rows(pairs, rows_.get());
  }

  Key KeyAt(int64_t i, int64_t c) const {
    const Element element = rows_.get()[i * kSortedTogether + c];
    if constexpr (kHasPlaces) return element;
    return static_cast<Key>(PackedKeys<Element>::Key(element));
  }
  int64_t PlaceAt(int64_t i, int64_t c) const {
    const int64_t at = i * kSortedTogether + c;
    if constexpr (kHasPlaces) return static_cast<int64_t>(places()[at]);
    return PackedKeys<Element>::Index(rows_.get()[at]);
  }
  void Set(int64_t i, int64_t c, Key key) {
    const int64_t at = i * kSortedTogether + c;
    if constexpr (kHasPlaces) {
      rows_.get()[at] = key;
      places()[at] = i;
    } else {
      rows_.get()[at] = PackedKeys<Element>::Pack(key, i);
    }
  }

 private:
  // Of keys of 64 bits numbers of elements are in rows of their own.
  static constexpr bool kHasPlaces = sizeof(Key) == 8;

  Element* places() const { return rows_.get() + elements_; }

  const int64_t elements_;
  const Scratch<Element> rows_;
};

// Sorts short lines by their keys, many at a time.
template <typename Key>
class LinesAsColumns {
 public:
  LinesAsColumns(LineLayout layout, codegen::InstructionSet set)
      : layout_(layout), tiles_(TilesOf<typename KeyColumns<Key>::Element>(set)) {
    if (layout.length <= kMostTogether && KeyColumns<Key>::CanOrder(tiles_))
      network_ = MergeExchange(layout.length);
  }

  // Sorts lines from `begin` on, while there are enough of them for that and memory, and gives the
  // first one that is left: store(first, count, columns) has the order of `count` lines.
  template <typename Store>
  int64_t Sort(int64_t begin, int64_t end, const Key* keys, const Store& store) const {
    if (network_.empty() || end - begin < kLeastTogether) return begin;
    KeyColumns<Key> columns(layout_.length);
    while (columns.HasMemory() && end - begin >= kLeastTogether) {
      const int64_t count = std::min(end - begin, kSortedTogether);
      Fill(begin, count, keys, columns);
      columns.Order(tiles_, network_);
      store(begin, count, columns);
      begin += count;
    }
    return begin;
  }

 private:
  void Fill(int64_t begin, int64_t count, const Key* keys, KeyColumns<Key>& columns) const {
    for (int64_t i = 0; count < kSortedTogether && i < layout_.length; ++i) {
      for (int64_t c = count; c < kSortedTogether; ++c) columns.Set(i, c, Key{0});
    }
    layout_.ForRuns(begin, count, [&](int64_t first, int64_t some, int64_t start, int64_t step) {
      for (int64_t i = 0; i < layout_.length; ++i) {
        const Key* row = keys + start + i * layout_.inner;
        for (int64_t c = 0; c < some; ++c) columns.Set(i, first + c, row[c * step]);
      }
    });
  }

  const LineLayout layout_;
  const Tiles<typename KeyColumns<Key>::Element>& tiles_;
  std::vector<RowPair> network_;  // empty where lines are sorted one by one
};

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_SORTED_LINES_H_
