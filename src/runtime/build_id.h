// Tells builds of Hilo apart.
#ifndef HILO_RUNTIME_BUILD_ID_H_
#define HILO_RUNTIME_BUILD_ID_H_

#include <string>

namespace xla::runtime {

// What the linker has written into the program or library that this function is in, as hexadecimal
// digits: another one for each build that differs. Empty where the linker was not asked to.
const std::string& BuildId();

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_BUILD_ID_H_
