// The handlers of custom calls that programs find by name.
#ifndef XLA_FFI_FFI_REGISTRY_H_
#define XLA_FFI_FFI_REGISTRY_H_

#include <string>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/ffi/api/c_api.h"

namespace xla::ffi {

// What is known of a custom-call target.
struct HandlerRegistration {
  XLA_FFI_Metadata metadata = {};
  XLA_FFI_Handler_Bundle bundle = {};
};

// The handlers that were registered under the name. The platform of the processor is "Host", which
// "cpu" is another name of; case does not matter. NotFound when there are none.
absl::StatusOr<HandlerRegistration> FindHandler(absl::string_view name, absl::string_view platform);

// All handlers of a platform, by name.
absl::StatusOr<std::unordered_map<std::string, HandlerRegistration>> StaticRegisteredHandlers(
    absl::string_view platform);

// Makes handlers known; nothing happens when the name has these very ones. AlreadyExists when it
// has others, InvalidArgument when there is none for execution or they are made for another major
// version of the interface. Traits are added to those that the handlers have themselves.
absl::Status RegisterHandler(const XLA_FFI_Api* api, absl::string_view name,
                             absl::string_view platform, XLA_FFI_Handler_Bundle bundle,
                             XLA_FFI_Handler_Traits traits = 0);

// Whether each call does the same device operations, which may be recorded.
inline bool IsCommandBufferCompatible(const XLA_FFI_Metadata& metadata) {
  return (metadata.traits & XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE) != 0;
}

}  // namespace xla::ffi

#endif  // XLA_FFI_FFI_REGISTRY_H_
