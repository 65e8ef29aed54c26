#include "pjrt_c/handlers.h"

#include <map>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "xla/ffi/ffi_api.h"
#include "xla/service/custom_call_target_registry.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

constexpr char kPlatform[] = "Host";

XLA_FFI_Handler** Stage(absl::string_view stage, XLA_FFI_Handler_Bundle& bundle) {
  if (stage == "instantiate") return &bundle.instantiate;
  if (stage == "prepare") return &bundle.prepare;
  if (stage == "initialize") return &bundle.initialize;
  if (stage == "execute") return &bundle.execute;
  return nullptr;
}

// Handlers come stage by stage, but are registered together.
absl::Status RegisterStage(absl::string_view name, absl::string_view stage, void* function) {
  static auto* const mutex = new std::mutex();
  static auto* const bundles = new std::map<std::string, XLA_FFI_Handler_Bundle>();
  const std::lock_guard<std::mutex> lock(*mutex);
  XLA_FFI_Handler_Bundle& bundle = (*bundles)[std::string(name)];
  XLA_FFI_Handler** const handler = Stage(stage, bundle);
  if (handler == nullptr) {
    return InvalidArgument(
        "FFI handler %s: there is no stage %s, but instantiate, prepare, initialize and execute",
        name, stage);
  }
  *handler = reinterpret_cast<XLA_FFI_Handler*>(function);
  if (bundle.execute == nullptr) return absl::OkStatus();
  return ffi::RegisterHandler(ffi::GetXlaFfiApi(), name, kPlatform, bundle, 0);
}

absl::Status RegisterCall(const std::string& name, void* function) {
  static auto* const mutex = new std::mutex();
  const std::lock_guard<std::mutex> lock(*mutex);
  CustomCallTargetRegistry& registry = *CustomCallTargetRegistry::Global();
  void* const known = registry.Lookup(name, kPlatform);
  if (known == function) return absl::OkStatus();
  if (known != nullptr) {
    return absl::AlreadyExistsError(
        absl::StrCat("the custom call ", name, " has another function"));
  }
  registry.Register(name, function, kPlatform);
  return absl::OkStatus();
}

// What `function` reports, and what it throws, as an error.
template <typename Function>
PJRT_Error* Guarded(bool has_all, const char* wanted, Function function) {
  if (!has_all) return ToError(InvalidArgument("%s", wanted));
  try {
    return ToError(function());
  } catch (...) {
    return ErrorOfException();
  }
}

}  // namespace

absl::Status RegisterFfiType(absl::string_view name, ffi::TypeRegistry::TypeInfo info,
                             int64_t& id) {
  using ffi::TypeRegistry;
  if (id != 0) return TypeRegistry::RegisterTypeId(name, TypeRegistry::TypeId(id), info);
  HILO_ASSIGN_OR_RETURN(const TypeRegistry::TypeId assigned,
                        TypeRegistry::AssignTypeId(name, info));
  id = assigned.value();
  return absl::OkStatus();
}

PJRT_Error* RegisterFfiHandler(const char* name, const char* stage, void* function) {
  return Guarded(name != nullptr && stage != nullptr && function != nullptr,
                 "an FFI handler needs a name, a stage and a function",
                 [&] { return RegisterStage(name, stage, function); });
}

PJRT_Error* RegisterCustomCall(const char* name, void* function) {
  return Guarded(name != nullptr && function != nullptr,
                 "a custom call needs a name and a function",
                 [&] { return RegisterCall(name, function); });
}

PJRT_Error* RegisterFfiTypeAt(const char* name, XLA_FFI_TypeId* type,
                              const XLA_FFI_TypeInfo* info) {
  return Guarded(name != nullptr && type != nullptr,
                 "a type of FFI handlers needs a name and a place for its number", [&] {
                   ffi::TypeRegistry::TypeInfo known;
                   if (info != nullptr) known.deleter = info->deleter;
                   return RegisterFfiType(name, known, type->type_id);
                 });
}

}  // namespace xla::pjrt_c
