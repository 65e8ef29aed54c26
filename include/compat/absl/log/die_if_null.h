#ifndef HILO_COMPAT_ABSL_LOG_DIE_IF_NULL_H_
#define HILO_COMPAT_ABSL_LOG_DIE_IF_NULL_H_

#include <utility>

#include "absl/log/internal/stand_in.h"

namespace absl {
namespace log_stand_in {
template <typename T>
T DieIfNull(const char* file, int line, const char* text, T&& pointer) {
  if (ABSL_PREDICT_FALSE(pointer == nullptr)) LogMessageFatal(file, line, text);
  return std::forward<T>(pointer);
}
}  // namespace log_stand_in
}  // namespace absl

// The pointer itself, after a check that it is not null.
#define ABSL_DIE_IF_NULL(pointer) \
  ::absl::log_stand_in::DieIfNull(__FILE__, __LINE__, #pointer " != nullptr", (pointer))

#endif  // HILO_COMPAT_ABSL_LOG_DIE_IF_NULL_H_
