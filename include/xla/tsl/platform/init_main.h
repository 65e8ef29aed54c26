#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_INIT_MAIN_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_INIT_MAIN_H_

namespace tsl {
namespace port {

// To be called first in main. Sets up logging; arguments stay as they are.
void InitMain(const char* usage, int* argc, char*** argv);

}  // namespace port
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_INIT_MAIN_H_
