#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_STRINGPIECE_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_STRINGPIECE_H_

#include "absl/strings/string_view.h"

namespace tsl {
using StringPiece = ::absl::string_view;
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_STRINGPIECE_H_
