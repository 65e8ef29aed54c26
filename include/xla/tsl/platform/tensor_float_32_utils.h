#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_TENSOR_FLOAT_32_UTILS_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_TENSOR_FLOAT_32_UTILS_H_

namespace tsl {

// Whether devices may multiply F32 in fewer digits. The host never does, whatever is set here.
void enable_tensor_float_32_execution(bool enabled);
bool tensor_float_32_execution_enabled();

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_TENSOR_FLOAT_32_UTILS_H_
