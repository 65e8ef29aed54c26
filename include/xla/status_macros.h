#ifndef HILO_INCLUDE_XLA_STATUS_MACROS_H_
#define HILO_INCLUDE_XLA_STATUS_MACROS_H_

#include <sstream>
#include <string>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/tsl/platform/errors.h"
#include "xla/tsl/platform/statusor.h"

namespace xla {
namespace status_macros {

// An error under construction: text is added with <<, and it converts to Status and StatusOr.
class MakeErrorStream {
 public:
  MakeErrorStream(const char* file, int line, absl::StatusCode code, const char* condition)
      : code_(code) {
    stream_ << "RET_CHECK failure (" << file << ":" << line << ") " << condition << " ";
  }

  template <typename T>
  MakeErrorStream&& operator<<(const T& value) && {
    stream_ << value;
    return static_cast<MakeErrorStream&&>(*this);
  }

  operator absl::Status() const { return absl::Status(code_, stream_.str()); }  // NOLINT
  template <typename T>
  operator absl::StatusOr<T>() const {  // NOLINT
    return absl::Status(*this);
  }

 private:
  absl::StatusCode code_;
  std::ostringstream stream_;
};

}  // namespace status_macros
}  // namespace xla

// Returns an internal error when the condition does not hold; text can be added with <<.
#define RET_CHECK(condition)                                                                      \
  while (ABSL_PREDICT_FALSE(!(condition)))                                                        \
  return ::xla::status_macros::MakeErrorStream(__FILE__, __LINE__, ::absl::StatusCode::kInternal, \
                                               #condition)
#define RET_CHECK_FAIL()                                                                          \
  return ::xla::status_macros::MakeErrorStream(__FILE__, __LINE__, ::absl::StatusCode::kInternal, \
                                               "")
#define TF_RET_CHECK(condition) RET_CHECK(condition)

#endif  // HILO_INCLUDE_XLA_STATUS_MACROS_H_
