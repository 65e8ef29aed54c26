// Numbers, shapes and attributes made at random, for random modules.
#ifndef HILO_TOOLS_RANDOM_VALUES_H_
#define HILO_TOOLS_RANDOM_VALUES_H_

#include <cstdint>
#include <iterator>
#include <random>

#include "absl/types/span.h"
#include "ir/field.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {

// As many elements as arrays have at most where nobody asks for more: registers hold them.
inline constexpr int64_t kFewElements = 200;

// The same seed gives the same numbers on every machine.
class Random {
 public:
  explicit Random(uint64_t seed, int64_t most_elements = kFewElements)
      : engine_(seed), most_elements_(most_elements) {}

  bool has_large_arrays() const { return most_elements_ > kFewElements; }
  int64_t most_elements() const { return most_elements_; }

  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(limit));
  }
  bool Coin() { return Below(2) == 0; }
  template <typename List>
  auto& OneOf(List&& list) {
    return list[Below(std::size(list))];
  }

  // A permutation of [0, count).
  Int64List Permutation(int64_t count);
  // Some of [0, count), ascending.
  Int64List Some(int64_t count);

 private:
  std::mt19937_64 engine_;
  int64_t most_elements_;
};

// All element types of arrays.
absl::Span<const PrimitiveType> ArrayTypes();

// The size of a dimension: small, now and then 1 or 0; of large arrays also around those of vectors
// and tiles.
int64_t RandomSize(Random& random);
// An array of one of these types with at most 3 dimensions.
Shape RandomArray(Random& random, absl::Span<const PrimitiveType> types);

// Gives a field a value that may go with an array of `rank` dimensions. Some kinds of fields keep
// the value of a fresh record.
void SetAtRandom(Random& random, int64_t rank, absl::Span<const PrimitiveType> types,
                 const FieldReference& field);

}  // namespace xla

#endif  // HILO_TOOLS_RANDOM_VALUES_H_
