// Where OpenXLA's clients look for DeviceAssignment.
#ifndef XLA_SERVICE_COMPUTATION_PLACER_H_
#define XLA_SERVICE_COMPUTATION_PLACER_H_

#include "xla/service/device_assignment.h"  // IWYU pragma: export

#endif  // XLA_SERVICE_COMPUTATION_PLACER_H_
