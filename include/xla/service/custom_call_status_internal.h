// What a function has said by way of custom_call_status.h, for whoever calls such functions.
#ifndef XLA_SERVICE_CUSTOM_CALL_STATUS_INTERNAL_H_
#define XLA_SERVICE_CUSTOM_CALL_STATUS_INTERNAL_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "xla/service/custom_call_status.h"

struct XlaCustomCallStatus_ {
  std::optional<std::string> message;  // of the failure; none for success
};

namespace xla {

// The message of a failure, which lives as long as the status does not change. Nothing for success.
inline std::optional<absl::string_view> CustomCallStatusGetMessage(
    const XlaCustomCallStatus* status) {
  if (!status->message.has_value()) return std::nullopt;
  return absl::string_view(*status->message);
}

}  // namespace xla

#endif  // XLA_SERVICE_CUSTOM_CALL_STATUS_INTERNAL_H_
