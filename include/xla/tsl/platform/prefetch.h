#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_PREFETCH_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_PREFETCH_H_

namespace tsl {
namespace port {

enum PrefetchHint {
  PREFETCH_HINT_T0 = 3,
  PREFETCH_HINT_T1 = 2,
  PREFETCH_HINT_T2 = 1,
  PREFETCH_HINT_NTA = 0
};
template <PrefetchHint hint>
void prefetch(const void* address) {
  __builtin_prefetch(address, 0, hint);
}

}  // namespace port
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_PREFETCH_H_
