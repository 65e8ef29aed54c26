#ifndef HILO_COMPAT_ABSL_BASE_PREFETCH_H_
#define HILO_COMPAT_ABSL_BASE_PREFETCH_H_

namespace absl {
inline void PrefetchToLocalCache(const void* address) { __builtin_prefetch(address, 0, 3); }
inline void PrefetchToLocalCacheNta(const void* address) { __builtin_prefetch(address, 0, 0); }
inline void PrefetchToLocalCacheForWrite(const void* address) { __builtin_prefetch(address, 1, 3); }
}  // namespace absl

#endif  // HILO_COMPAT_ABSL_BASE_PREFETCH_H_
