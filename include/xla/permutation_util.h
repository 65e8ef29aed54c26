// Permutations of dimension numbers.
#ifndef HILO_INCLUDE_XLA_PERMUTATION_UTIL_H_
#define HILO_INCLUDE_XLA_PERMUTATION_UTIL_H_

#include <cstdint>
#include <vector>

#include "absl/log/check.h"
#include "absl/types/span.h"

namespace xla {

// True when the numbers are 0, ..., n-1 in some order.
bool IsPermutation(absl::Span<const int64_t> permutation);

// output[i] = input[permutation[i]]. CHECKs that the lengths agree and that it is a permutation, as
// all below do.
template <typename Container>
std::vector<typename Container::value_type> Permute(const Container& input,
                                                    absl::Span<const int64_t> permutation) {
  CHECK(IsPermutation(permutation) && permutation.size() == input.size());
  std::vector<typename Container::value_type> output;
  output.reserve(input.size());
  for (int64_t position : permutation) output.push_back(input[position]);
  return output;
}

// output[permutation[i]] = input[i].
template <typename Container = std::vector<int64_t>>
Container PermuteInverse(absl::Span<const typename Container::value_type> input,
                         absl::Span<const int64_t> permutation) {
  CHECK(IsPermutation(permutation) && permutation.size() == input.size());
  Container output(input.begin(), input.end());
  for (size_t i = 0; i < permutation.size(); ++i) output[permutation[i]] = input[i];
  return output;
}

// output[input_permutation[i]] = i.
template <typename Container = std::vector<int64_t>>
Container InversePermutation(absl::Span<const int64_t> input_permutation) {
  CHECK(IsPermutation(input_permutation));
  Container output(input_permutation.begin(), input_permutation.end());
  for (size_t i = 0; i < input_permutation.size(); ++i) output[input_permutation[i]] = i;
  return output;
}

// output[i] = p1[p2[i]]: permuting by p1 and then by p2.
template <typename Container = std::vector<int64_t>>
Container ComposePermutations(absl::Span<const int64_t> p1, absl::Span<const int64_t> p2) {
  CHECK(IsPermutation(p1) && IsPermutation(p2) && p1.size() == p2.size());
  Container output(p2.begin(), p2.end());
  for (size_t i = 0; i < p2.size(); ++i) output[i] = p1[p2[i]];
  return output;
}

template <typename Container = std::vector<int64_t>>
bool IsIdentityPermutation(const Container& permutation) {
  int64_t expected = 0;
  for (int64_t position : permutation) {
    if (position != expected++) return false;
  }
  return true;
}

// Moves the element at `from` to `to`; those in between move by one.
void MoveSingleElement(absl::Span<int64_t> permutation, int64_t from, int64_t to);

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_PERMUTATION_UTIL_H_
