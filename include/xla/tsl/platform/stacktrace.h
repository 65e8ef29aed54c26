#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_STACKTRACE_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_STACKTRACE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tsl {

// The functions that are being called, a line each, innermost first.
std::string CurrentStackTrace();

// Shows the trace of a saved stack; see above.
inline void DebugWriteToString(const char* text, void* target) {
  static_cast<std::string*>(target)->append(text);
}

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_STACKTRACE_H_
