// Early returns for functions that return absl::Status or absl::StatusOr.
#ifndef HILO_BASE_STATUS_MACROS_H_
#define HILO_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define HILO_CONCAT_INNER(a, b) a##b
#define HILO_CONCAT(a, b) HILO_CONCAT_INNER(a, b)

// Evaluates an expression of type absl::Status and returns it if it is an error.
#define HILO_RETURN_IF_ERROR(...)                                                        \
  do {                                                                                   \
    if (absl::Status hilo_status = (__VA_ARGS__); ABSL_PREDICT_FALSE(!hilo_status.ok())) \
      return hilo_status;                                                                \
  } while (false)

// Evaluates an expression of type absl::StatusOr<T>, returns its error, or moves its value to
// `lhs`, which may declare a variable.
#define HILO_ASSIGN_OR_RETURN(lhs, ...) \
  HILO_ASSIGN_OR_RETURN_INNER(HILO_CONCAT(hilo_status_or_, __COUNTER__), lhs, (__VA_ARGS__))

#define HILO_ASSIGN_OR_RETURN_INNER(status_or, lhs, expression)                  \
  auto status_or = expression;                                                   \
  if (ABSL_PREDICT_FALSE(!status_or.ok())) return std::move(status_or).status(); \
  lhs = *std::move(status_or)

#endif  // HILO_BASE_STATUS_MACROS_H_
