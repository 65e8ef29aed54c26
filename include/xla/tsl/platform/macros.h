#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_MACROS_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_MACROS_H_

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"

#define TF_PREDICT_FALSE(condition) ABSL_PREDICT_FALSE(condition)
#define TF_PREDICT_TRUE(condition) ABSL_PREDICT_TRUE(condition)
#define TF_ATTRIBUTE_NORETURN ABSL_ATTRIBUTE_NORETURN
#define TF_ATTRIBUTE_ALWAYS_INLINE ABSL_ATTRIBUTE_ALWAYS_INLINE
#define TF_ATTRIBUTE_NOINLINE ABSL_ATTRIBUTE_NOINLINE
#define TF_ATTRIBUTE_UNUSED ABSL_ATTRIBUTE_UNUSED
#define TF_MUST_USE_RESULT ABSL_MUST_USE_RESULT
#define TF_EXPORT __attribute__((visibility("default")))
#define TF_ARRAYSIZE(array) (sizeof(array) / sizeof(*(array)))
#define TF_DISALLOW_COPY_AND_ASSIGN(Type) \
  Type(const Type&) = delete;             \
  void operator=(const Type&) = delete

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_MACROS_H_
