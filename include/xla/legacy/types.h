// Types that the 2017 interface is written in, under the names they had then.
#ifndef XLA_LEGACY_TYPES_H_
#define XLA_LEGACY_TYPES_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"

namespace xla {

// A view of elements that belong to somebody else.
template <typename T>
using ArraySlice = absl::Span<const T>;

using int32 = int32_t;
using int64 = int64_t;
using uint32 = uint32_t;
using uint64 = uint64_t;
using std::string;

}  // namespace xla

#endif  // XLA_LEGACY_TYPES_H_
