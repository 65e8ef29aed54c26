#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_ENV_TIME_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_ENV_TIME_H_

#include <chrono>
#include <cstdint>

namespace tsl {

// The clock of the day, since 1970.
class EnvTime {
 public:
  static constexpr uint64_t kMicrosToPicos = 1'000'000;
  static constexpr uint64_t kMicrosToNanos = 1'000;
  static constexpr uint64_t kMillisToMicros = 1'000;
  static constexpr uint64_t kMillisToNanos = 1'000'000;
  static constexpr uint64_t kNanosToPicos = 1'000;
  static constexpr uint64_t kSecondsToMillis = 1'000;
  static constexpr uint64_t kSecondsToMicros = 1'000'000;
  static constexpr uint64_t kSecondsToNanos = 1'000'000'000;

  static uint64_t NowNanos() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
  }
  static uint64_t NowMicros() { return NowNanos() / kMicrosToNanos; }
  static uint64_t NowSeconds() { return NowNanos() / kSecondsToNanos; }
};

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_ENV_TIME_H_
