#ifndef HILO_COMPAT_ABSL_LOG_CHECK_H_
#define HILO_COMPAT_ABSL_LOG_CHECK_H_

#include "absl/log/internal/stand_in.h"

#define CHECK(condition) HILO_CHECK(condition, #condition, LogMessageFatal)
#define QCHECK(condition) HILO_CHECK(condition, #condition, LogMessageQuietlyFatal)
#define PCHECK(condition) HILO_CHECK(condition, #condition, LogMessageFatal).WithPerror()

#define CHECK_EQ(a, b) HILO_CHECK_FAILURE(CheckEqual((a), (b), #a " == " #b), LogMessageFatal)
#define CHECK_NE(a, b) HILO_CHECK_FAILURE(CheckNotEqual((a), (b), #a " != " #b), LogMessageFatal)
#define CHECK_LT(a, b) HILO_CHECK_FAILURE(CheckLess((a), (b), #a " < " #b), LogMessageFatal)
#define CHECK_LE(a, b) HILO_CHECK_FAILURE(CheckLessEqual((a), (b), #a " <= " #b), LogMessageFatal)
#define CHECK_GT(a, b) HILO_CHECK_FAILURE(CheckGreater((a), (b), #a " > " #b), LogMessageFatal)
#define CHECK_GE(a, b) \
  HILO_CHECK_FAILURE(CheckGreaterEqual((a), (b), #a " >= " #b), LogMessageFatal)
#define CHECK_OK(status) HILO_CHECK_FAILURE(CheckOk((status), #status), LogMessageFatal)

#define QCHECK_EQ(a, b) \
  HILO_CHECK_FAILURE(CheckEqual((a), (b), #a " == " #b), LogMessageQuietlyFatal)
#define QCHECK_NE(a, b) \
  HILO_CHECK_FAILURE(CheckNotEqual((a), (b), #a " != " #b), LogMessageQuietlyFatal)
#define QCHECK_LT(a, b) HILO_CHECK_FAILURE(CheckLess((a), (b), #a " < " #b), LogMessageQuietlyFatal)
#define QCHECK_LE(a, b) \
  HILO_CHECK_FAILURE(CheckLessEqual((a), (b), #a " <= " #b), LogMessageQuietlyFatal)
#define QCHECK_GT(a, b) \
  HILO_CHECK_FAILURE(CheckGreater((a), (b), #a " > " #b), LogMessageQuietlyFatal)
#define QCHECK_GE(a, b) \
  HILO_CHECK_FAILURE(CheckGreaterEqual((a), (b), #a " >= " #b), LogMessageQuietlyFatal)
#define QCHECK_OK(status) HILO_CHECK_FAILURE(CheckOk((status), #status), LogMessageQuietlyFatal)

#define CHECK_STREQ(a, b) \
  HILO_CHECK_FAILURE(CheckStrings((a), (b), false, true, #a " == " #b), LogMessageFatal)
#define CHECK_STRNE(a, b) \
  HILO_CHECK_FAILURE(CheckStrings((a), (b), false, false, #a " != " #b), LogMessageFatal)
#define CHECK_STRCASEEQ(a, b) \
  HILO_CHECK_FAILURE(CheckStrings((a), (b), true, true, #a " == " #b), LogMessageFatal)
#define CHECK_STRCASENE(a, b) \
  HILO_CHECK_FAILURE(CheckStrings((a), (b), true, false, #a " != " #b), LogMessageFatal)

// Compiled but never run in release builds.
#ifdef NDEBUG
#define DCHECK(condition) CHECK(true || (condition))
#define DCHECK_EQ(a, b) \
  while (false) CHECK_EQ(a, b)
#define DCHECK_NE(a, b) \
  while (false) CHECK_NE(a, b)
#define DCHECK_LT(a, b) \
  while (false) CHECK_LT(a, b)
#define DCHECK_LE(a, b) \
  while (false) CHECK_LE(a, b)
#define DCHECK_GT(a, b) \
  while (false) CHECK_GT(a, b)
#define DCHECK_GE(a, b) \
  while (false) CHECK_GE(a, b)
#define DCHECK_STREQ(a, b) \
  while (false) CHECK_STREQ(a, b)
#define DCHECK_STRNE(a, b) \
  while (false) CHECK_STRNE(a, b)
#define DCHECK_STRCASEEQ(a, b) \
  while (false) CHECK_STRCASEEQ(a, b)
#define DCHECK_STRCASENE(a, b) \
  while (false) CHECK_STRCASENE(a, b)
#define DCHECK_OK(status) \
  while (false) CHECK_OK(status)
#else
#define DCHECK(condition) CHECK(condition)
#define DCHECK_EQ(a, b) CHECK_EQ(a, b)
#define DCHECK_NE(a, b) CHECK_NE(a, b)
#define DCHECK_LT(a, b) CHECK_LT(a, b)
#define DCHECK_LE(a, b) CHECK_LE(a, b)
#define DCHECK_GT(a, b) CHECK_GT(a, b)
#define DCHECK_GE(a, b) CHECK_GE(a, b)
#define DCHECK_STREQ(a, b) CHECK_STREQ(a, b)
#define DCHECK_STRNE(a, b) CHECK_STRNE(a, b)
#define DCHECK_STRCASEEQ(a, b) CHECK_STRCASEEQ(a, b)
#define DCHECK_STRCASENE(a, b) CHECK_STRCASENE(a, b)
#define DCHECK_OK(status) CHECK_OK(status)
#endif

#endif  // HILO_COMPAT_ABSL_LOG_CHECK_H_
