#ifndef HILO_COMPAT_ABSL_LOG_ABSL_CHECK_H_
#define HILO_COMPAT_ABSL_LOG_ABSL_CHECK_H_

#include "absl/log/internal/stand_in.h"

#define ABSL_CHECK(condition) HILO_CHECK(condition, #condition, LogMessageFatal)
#define ABSL_QCHECK(condition) HILO_CHECK(condition, #condition, LogMessageQuietlyFatal)
#define ABSL_PCHECK(condition) HILO_CHECK(condition, #condition, LogMessageFatal).WithPerror()

#define ABSL_CHECK_EQ(a, b) HILO_CHECK_FAILURE(CheckEqual((a), (b), #a " == " #b), LogMessageFatal)
#define ABSL_CHECK_NE(a, b) \
  HILO_CHECK_FAILURE(CheckNotEqual((a), (b), #a " != " #b), LogMessageFatal)
#define ABSL_CHECK_LT(a, b) HILO_CHECK_FAILURE(CheckLess((a), (b), #a " < " #b), LogMessageFatal)
#define ABSL_CHECK_LE(a, b) \
  HILO_CHECK_FAILURE(CheckLessEqual((a), (b), #a " <= " #b), LogMessageFatal)
#define ABSL_CHECK_GT(a, b) HILO_CHECK_FAILURE(CheckGreater((a), (b), #a " > " #b), LogMessageFatal)
#define ABSL_CHECK_GE(a, b) \
  HILO_CHECK_FAILURE(CheckGreaterEqual((a), (b), #a " >= " #b), LogMessageFatal)
#define ABSL_CHECK_OK(status) HILO_CHECK_FAILURE(CheckOk((status), #status), LogMessageFatal)

#define ABSL_QCHECK_EQ(a, b) \
  HILO_CHECK_FAILURE(CheckEqual((a), (b), #a " == " #b), LogMessageQuietlyFatal)
#define ABSL_QCHECK_NE(a, b) \
  HILO_CHECK_FAILURE(CheckNotEqual((a), (b), #a " != " #b), LogMessageQuietlyFatal)
#define ABSL_QCHECK_LT(a, b) \
  HILO_CHECK_FAILURE(CheckLess((a), (b), #a " < " #b), LogMessageQuietlyFatal)
#define ABSL_QCHECK_LE(a, b) \
  HILO_CHECK_FAILURE(CheckLessEqual((a), (b), #a " <= " #b), LogMessageQuietlyFatal)
#define ABSL_QCHECK_GT(a, b) \
  HILO_CHECK_FAILURE(CheckGreater((a), (b), #a " > " #b), LogMessageQuietlyFatal)
#define ABSL_QCHECK_GE(a, b) \
  HILO_CHECK_FAILURE(CheckGreaterEqual((a), (b), #a " >= " #b), LogMessageQuietlyFatal)
#define ABSL_QCHECK_OK(status) \
  HILO_CHECK_FAILURE(CheckOk((status), #status), LogMessageQuietlyFatal)

#define ABSL_CHECK_STREQ(a, b) \
  HILO_CHECK_FAILURE(CheckStrings((a), (b), false, true, #a " == " #b), LogMessageFatal)
#define ABSL_CHECK_STRNE(a, b) \
  HILO_CHECK_FAILURE(CheckStrings((a), (b), false, false, #a " != " #b), LogMessageFatal)
#define ABSL_CHECK_STRCASEEQ(a, b) \
  HILO_CHECK_FAILURE(CheckStrings((a), (b), true, true, #a " == " #b), LogMessageFatal)
#define ABSL_CHECK_STRCASENE(a, b) \
  HILO_CHECK_FAILURE(CheckStrings((a), (b), true, false, #a " != " #b), LogMessageFatal)

// Compiled but never run in release builds.
#ifdef NDEBUG
#define ABSL_DCHECK(condition) ABSL_CHECK(true || (condition))
#define ABSL_DCHECK_EQ(a, b) \
  while (false) ABSL_CHECK_EQ(a, b)
#define ABSL_DCHECK_NE(a, b) \
  while (false) ABSL_CHECK_NE(a, b)
#define ABSL_DCHECK_LT(a, b) \
  while (false) ABSL_CHECK_LT(a, b)
#define ABSL_DCHECK_LE(a, b) \
  while (false) ABSL_CHECK_LE(a, b)
#define ABSL_DCHECK_GT(a, b) \
  while (false) ABSL_CHECK_GT(a, b)
#define ABSL_DCHECK_GE(a, b) \
  while (false) ABSL_CHECK_GE(a, b)
#define ABSL_DCHECK_STREQ(a, b) \
  while (false) ABSL_CHECK_STREQ(a, b)
#define ABSL_DCHECK_STRNE(a, b) \
  while (false) ABSL_CHECK_STRNE(a, b)
#define ABSL_DCHECK_STRCASEEQ(a, b) \
  while (false) ABSL_CHECK_STRCASEEQ(a, b)
#define ABSL_DCHECK_STRCASENE(a, b) \
  while (false) ABSL_CHECK_STRCASENE(a, b)
#define ABSL_DCHECK_OK(status) \
  while (false) ABSL_CHECK_OK(status)
#else
#define ABSL_DCHECK(condition) ABSL_CHECK(condition)
#define ABSL_DCHECK_EQ(a, b) ABSL_CHECK_EQ(a, b)
#define ABSL_DCHECK_NE(a, b) ABSL_CHECK_NE(a, b)
#define ABSL_DCHECK_LT(a, b) ABSL_CHECK_LT(a, b)
#define ABSL_DCHECK_LE(a, b) ABSL_CHECK_LE(a, b)
#define ABSL_DCHECK_GT(a, b) ABSL_CHECK_GT(a, b)
#define ABSL_DCHECK_GE(a, b) ABSL_CHECK_GE(a, b)
#define ABSL_DCHECK_STREQ(a, b) ABSL_CHECK_STREQ(a, b)
#define ABSL_DCHECK_STRNE(a, b) ABSL_CHECK_STRNE(a, b)
#define ABSL_DCHECK_STRCASEEQ(a, b) ABSL_CHECK_STRCASEEQ(a, b)
#define ABSL_DCHECK_STRCASENE(a, b) ABSL_CHECK_STRCASENE(a, b)
#define ABSL_DCHECK_OK(status) ABSL_CHECK_OK(status)
#endif

#endif  // HILO_COMPAT_ABSL_LOG_ABSL_CHECK_H_
