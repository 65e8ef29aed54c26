#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_BYTE_ORDER_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_BYTE_ORDER_H_

namespace tsl {
namespace port {

constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

}  // namespace port
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_BYTE_ORDER_H_
