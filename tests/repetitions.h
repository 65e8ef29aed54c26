// How often tests repeat what goes wrong only now and then.
#ifndef HILO_TESTS_REPETITIONS_H_
#define HILO_TESTS_REPETITIONS_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace xla {

#if defined(__has_feature)
#define HILO_HAS_FEATURE(x) __has_feature(x)
#else
#define HILO_HAS_FEATURE(x) 0
#endif

// As often as the variable of the environment says. Without it `normal` times, and a tenth of that
// where a sanitizer makes everything slow.
inline int64_t Repetitions(const char* variable, int64_t normal) {
  if (const char* const wanted = std::getenv(variable))
    return std::max<int64_t>(1, std::atoll(wanted));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    HILO_HAS_FEATURE(address_sanitizer) || HILO_HAS_FEATURE(thread_sanitizer)
  return std::max<int64_t>(1, normal / 10);
#else
  return normal;
#endif
}

#undef HILO_HAS_FEATURE

}  // namespace xla

#endif  // HILO_TESTS_REPETITIONS_H_
