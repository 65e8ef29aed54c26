// Errors as exceptions, for callers that want them so.
#ifndef XLA_PJRT_EXCEPTIONS_H_
#define XLA_PJRT_EXCEPTIONS_H_

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace xla {

class XlaRuntimeError : public std::runtime_error {
 public:
  // The text has the name of the code in front: "INVALID_ARGUMENT: ...".
  explicit XlaRuntimeError(absl::Status status)
      : std::runtime_error(status.ToString()), status_(std::move(status)) {}
  explicit XlaRuntimeError(const std::string& what) : std::runtime_error(what) {}

  const std::optional<absl::Status>& status() const { return status_; }

 private:
  std::optional<absl::Status> status_;
};

}  // namespace xla

#endif  // XLA_PJRT_EXCEPTIONS_H_
