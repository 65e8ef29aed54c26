// CHECK and LOG, for our own bugs only; errors in input are absl::Status values.
#ifndef HILO_BASE_CHECK_H_
#define HILO_BASE_CHECK_H_

#include "absl/log/check.h"
#include "absl/log/log.h"

#endif  // HILO_BASE_CHECK_H_
