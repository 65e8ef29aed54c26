// The handlers of this process.
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/ffi/ffi_api.h"
#include "xla/util.h"

namespace xla::ffi {
namespace {

std::string CanonicalPlatform(absl::string_view platform) {
  std::string name = absl::AsciiStrToLower(platform);
  return name == "cpu" ? "host" : name;
}

struct Registry {
  static Registry& Get() {
    static auto* const registry = new Registry();
    return *registry;
  }
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, HandlerRegistration> handlers;
};

bool AreSame(const XLA_FFI_Handler_Bundle& a, const XLA_FFI_Handler_Bundle& b) {
  return a.instantiate == b.instantiate && a.prepare == b.prepare && a.initialize == b.initialize &&
         a.execute == b.execute && a.record == b.record;
}

// What a handler says of itself.
absl::StatusOr<XLA_FFI_Metadata> AskForMetadata(const XLA_FFI_Api* api, XLA_FFI_Handler* handler) {
  XLA_FFI_Metadata metadata = {};
  metadata.struct_size = sizeof(metadata);
  metadata.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  XLA_FFI_Metadata_Extension extension = {};
  extension.extension_base = {sizeof(extension), XLA_FFI_InternalExtension_Metadata, nullptr};
  extension.metadata = &metadata;
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.extension_start = &extension.extension_base;
  frame.api = api;
  frame.args.struct_size = XLA_FFI_Args_STRUCT_SIZE;
  frame.rets.struct_size = XLA_FFI_Rets_STRUCT_SIZE;
  frame.attrs.struct_size = XLA_FFI_Attrs_STRUCT_SIZE;
  try {
    HILO_RETURN_IF_ERROR(TakeStatus(handler(&frame)));
  } catch (...) {
    return Internal("the handler threw an exception when it was asked for its metadata");
  }
  return metadata;
}

}  // namespace

absl::Status RegisterHandler(const XLA_FFI_Api* api, absl::string_view name,
                             absl::string_view platform, XLA_FFI_Handler_Bundle bundle,
                             XLA_FFI_Handler_Traits traits) {
  if (bundle.execute == nullptr)
    return InvalidArgument("FFI handler %s has no function for execution", name);
  HandlerRegistration registration;
  registration.bundle = bundle;
  for (XLA_FFI_Handler* handler :
       {bundle.instantiate, bundle.prepare, bundle.initialize, bundle.execute, bundle.record}) {
    if (handler == nullptr) continue;
    absl::StatusOr<XLA_FFI_Metadata> metadata = AskForMetadata(api, handler);
    if (!metadata.ok()) {
      return absl::Status(metadata.status().code(),
                          absl::StrCat("FFI handler ", name, ": ", metadata.status().message()));
    }
    if (metadata->api_version.major_version != XLA_FFI_API_MAJOR) {
      return InvalidArgument("FFI handler %s is for version %d.%d of the interface, this is %d.%d",
                             name, metadata->api_version.major_version,
                             metadata->api_version.minor_version, XLA_FFI_API_MAJOR,
                             XLA_FFI_API_MINOR);
    }
    if (handler == bundle.execute) {
      registration.metadata = *metadata;
      registration.metadata.traits |= traits;
    }
  }
  Registry& registry = Registry::Get();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto [entry, is_new] =
      registry.handlers.try_emplace({CanonicalPlatform(platform), std::string(name)}, registration);
  if (is_new || AreSame(entry->second.bundle, bundle)) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("Other FFI handlers are registered for ", name, " on platform ", platform));
}

absl::StatusOr<HandlerRegistration> FindHandler(absl::string_view name,
                                                absl::string_view platform) {
  Registry& registry = Registry::Get();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto found = registry.handlers.find({CanonicalPlatform(platform), std::string(name)});
  if (found != registry.handlers.end()) return found->second;
  return NotFound("No FFI handler registered for %s on platform %s", name, platform);
}

absl::StatusOr<std::unordered_map<std::string, HandlerRegistration>> StaticRegisteredHandlers(
    absl::string_view platform) {
  Registry& registry = Registry::Get();
  const std::string canonical = CanonicalPlatform(platform);
  std::unordered_map<std::string, HandlerRegistration> handlers;
  const std::lock_guard<std::mutex> lock(registry.mutex);
  for (const auto& [key, registration] : registry.handlers) {
    if (key.first == canonical) handlers[key.second] = registration;
  }
  return handlers;
}

}  // namespace xla::ffi
