// Looking through many unsigned integers for the few smallest ones.
#ifndef HILO_CPU_KERNELS_KEY_SEARCH_H_
#define HILO_CPU_KERNELS_KEY_SEARCH_H_

#include <cstdint>

#include "codegen/target.h"

namespace xla::cpu {

// Keys are read in blocks of so many.
template <typename Key>
inline constexpr int64_t kKeysOfBlock = 64 / sizeof(Key);

// Key is an unsigned integer of 8 to 64 bits.
template <typename Key>
struct KeySearch {
  // Of keys in rows of `columns`, which are whole blocks: least[c] becomes the smallest one of
  // column c.
  void (*find_least)(const Key* keys, int64_t rows, int64_t columns, Key* least);
  // The k-th in order of the different keys in so many blocks; all ones if they are fewer.
  Key (*find_in_order)(const Key* keys, int64_t blocks, int64_t k);
  // The first of so many blocks with a key that is not above the limit; `blocks` if there is none.
  int64_t (*find_block)(const Key* keys, int64_t blocks, Key limit);
};

template <typename Key>
const KeySearch<Key>& KeySearchOf(codegen::InstructionSet set);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_KEY_SEARCH_H_
