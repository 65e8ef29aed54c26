#include "xla/permutation_util.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"

namespace xla {

bool IsPermutation(absl::Span<const int64_t> permutation) {
  absl::InlinedVector<bool, 8> seen(permutation.size(), false);
  for (int64_t position : permutation) {
    if (position < 0 || position >= static_cast<int64_t>(seen.size()) || seen[position]) {
      return false;
    }
    seen[position] = true;
  }
  return true;
}

void MoveSingleElement(absl::Span<int64_t> permutation, int64_t from, int64_t to) {
  auto begin = permutation.begin();
  if (from < to) {
    std::rotate(begin + from, begin + from + 1, begin + to + 1);
  } else {
    std::rotate(begin + to, begin + from, begin + from + 1);
  }
}

}  // namespace xla
