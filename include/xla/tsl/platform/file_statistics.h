#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_FILE_STATISTICS_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_FILE_STATISTICS_H_

#include <cstdint>

namespace tsl {

struct FileStatistics {
  int64_t length = -1;     // in bytes
  int64_t mtime_nsec = 0;  // when it was changed last, since 1970
  bool is_directory = false;
};

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_FILE_STATISTICS_H_
