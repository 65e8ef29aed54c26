#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_STACKTRACE_HANDLER_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_STACKTRACE_HANDLER_H_

namespace tsl {
namespace testing {

// From now on signals that end the process write the stack to the standard error first.
void InstallStacktraceHandler();

}  // namespace testing
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_STACKTRACE_HANDLER_H_
