#include "runtime/copy.h"

#include <algorithm>
#include <cstring>

#include "runtime/memory.h"
#include "runtime/parallel.h"
#include "xla/util.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace xla::runtime {
namespace {

constexpr int64_t kBytesWorthAThread = 512 * 1024;
// Read and written, they are more than the last cache has.
constexpr int64_t kLeastBytesPastCaches = 20 * 1024 * 1024;

bool IsAligned(const void* address) {
  return reinterpret_cast<uintptr_t>(address) % kAlignment == 0;
}

// To whole lines of the cache, and what is left behind them.
void CopyPastCaches(char* to, const char* from, int64_t bytes) {
#if defined(__SSE2__)
  static_assert(kAlignment == 4 * sizeof(__m128i));
  const int64_t whole = bytes / kAlignment * kAlignment;
  for (int64_t i = 0; i < whole; i += kAlignment) {
    const auto* const source = reinterpret_cast<const __m128i*>(from + i);
    auto* const target = reinterpret_cast<__m128i*>(to + i);
    for (int k = 0; k < 4; ++k) _mm_stream_si128(target + k, _mm_loadu_si128(source + k));
  }
  _mm_sfence();
  to += whole, from += whole, bytes -= whole;
#endif
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

}  // namespace

void CopyBytes(void* to, const void* from, int64_t bytes) {
  const bool is_past_caches = bytes >= kLeastBytesPastCaches && IsAligned(to);
  ParallelFor(CeilOfRatio(bytes, kAlignment), kBytesWorthAThread / kAlignment,
              [&](int64_t begin, int64_t end) {
                const int64_t first = begin * kAlignment;
                const int64_t count = std::min(end * kAlignment, bytes) - first;
                char* const target = static_cast<char*>(to) + first;
                const char* const source = static_cast<const char*>(from) + first;
                if (is_past_caches) return CopyPastCaches(target, source, count);
                std::memcpy(target, source, static_cast<size_t>(count));
              });
}

}  // namespace xla::runtime
