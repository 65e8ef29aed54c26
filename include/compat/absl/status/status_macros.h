#ifndef HILO_COMPAT_ABSL_STATUS_STATUS_MACROS_H_
#define HILO_COMPAT_ABSL_STATUS_STATUS_MACROS_H_

#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/status_builder.h"
#include "absl/status/statusor.h"

namespace absl {
namespace status_stand_in {
inline absl::Status ToStatus(absl::Status status) { return status; }
template <typename T>
absl::Status ToStatus(const absl::StatusOr<T>& value) {
  return value.status();
}
inline absl::Status ToStatus(const absl::StatusBuilder& builder) { return builder; }
}  // namespace status_stand_in
}  // namespace absl

// Returns the error of an expression; text can be added to it with <<.
#define ABSL_RETURN_IF_ERROR(...)                                                    \
  switch (0)                                                                         \
  case 0:                                                                            \
  default:                                                                           \
    if (::absl::Status hilo_status = ::absl::status_stand_in::ToStatus(__VA_ARGS__); \
        ABSL_PREDICT_TRUE(hilo_status.ok())) {                                       \
    } else /* NOLINT */                                                              \
      return ::absl::StatusBuilder(::std::move(hilo_status))

// ABSL_ASSIGN_OR_RETURN(lhs, expression) moves the value of a StatusOr to `lhs` or returns its
// error. A third argument is the expression to return instead; in it `_` is a StatusBuilder of the
// error.
#define ABSL_ASSIGN_OR_RETURN(...)                                                            \
  HILO_ASSIGN_OR_RETURN_PICK(__VA_ARGS__, HILO_ASSIGN_OR_RETURN_3, HILO_ASSIGN_OR_RETURN_2, ) \
  (HILO_STATUS_CONCAT(hilo_status_or_, __COUNTER__), __VA_ARGS__)

#define HILO_STATUS_CONCAT_INNER(a, b) a##b
#define HILO_STATUS_CONCAT(a, b) HILO_STATUS_CONCAT_INNER(a, b)
#define HILO_ASSIGN_OR_RETURN_PICK(lhs, expression, error, pick, ...) pick
#define HILO_ASSIGN_OR_RETURN_2(status_or, lhs, expression)                        \
  auto status_or = (expression);                                                   \
  if (ABSL_PREDICT_FALSE(!status_or.ok())) return ::std::move(status_or).status(); \
  lhs = *::std::move(status_or)
#define HILO_ASSIGN_OR_RETURN_3(status_or, lhs, expression, error)             \
  auto status_or = (expression);                                               \
  if (ABSL_PREDICT_FALSE(!status_or.ok())) {                                   \
    [[maybe_unused]] ::absl::StatusBuilder _(::std::move(status_or).status()); \
    return (error);                                                            \
  }                                                                            \
  lhs = *::std::move(status_or)

#endif  // HILO_COMPAT_ABSL_STATUS_STATUS_MACROS_H_
