#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_STATUSOR_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_STATUSOR_H_

#include <utility>

#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "xla/tsl/platform/errors.h"
#include "xla/tsl/platform/macros.h"
#include "xla/tsl/platform/status.h"

namespace tsl {
// Deprecated name of Abseil's type.
using ::absl::StatusOr;
}  // namespace tsl

#define TF_STATUS_MACROS_CONCAT_IMPL(a, b) a##b
#define TF_STATUS_MACROS_CONCAT_NAME(a, b) TF_STATUS_MACROS_CONCAT_IMPL(a, b)

// Moves the value of a StatusOr to `lhs`, which may declare a variable, or returns its error.
#define TF_ASSIGN_OR_RETURN(lhs, ...)                                                     \
  TF_ASSIGN_OR_RETURN_IMPL(TF_STATUS_MACROS_CONCAT_NAME(tf_status_or_, __COUNTER__), lhs, \
                           (__VA_ARGS__))
#define TF_ASSIGN_OR_RETURN_IMPL(status_or, lhs, expression)                     \
  auto status_or = expression;                                                   \
  if (TF_PREDICT_FALSE(!status_or.ok())) return ::std::move(status_or).status(); \
  lhs = *::std::move(status_or)

// The same inside a GoogleTest test, where an error is a fatal failure.
#define TF_ASSERT_OK_AND_ASSIGN(lhs, ...)                                                     \
  TF_ASSERT_OK_AND_ASSIGN_IMPL(TF_STATUS_MACROS_CONCAT_NAME(tf_status_or_, __COUNTER__), lhs, \
                               (__VA_ARGS__))
#define TF_ASSERT_OK_AND_ASSIGN_IMPL(status_or, lhs, expression) \
  auto status_or = expression;                                   \
  ASSERT_TRUE(status_or.ok()) << status_or.status().ToString();  \
  lhs = *::std::move(status_or)

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_STATUSOR_H_
