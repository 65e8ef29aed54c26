#ifndef HILO_COMPAT_ABSL_BASE_NULLABILITY_H_
#define HILO_COMPAT_ABSL_BASE_NULLABILITY_H_

// Nullability annotations carry no meaning for the compilers Hilo supports.
#define absl_nonnull
#define absl_nullable
#define absl_nullability_unknown
#define ABSL_NULLABILITY_COMPATIBLE

namespace absl {
template <typename T>
using Nonnull = T;
template <typename T>
using Nullable = T;
template <typename T>
using NullabilityUnknown = T;
}  // namespace absl

#endif  // HILO_COMPAT_ABSL_BASE_NULLABILITY_H_
