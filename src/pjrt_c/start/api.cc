// The table of functions that frameworks get, and the functions that the plug-in exports. What is
// not described here is forwarded to the core.
#include <cstring>
#include <utility>

#include "pjrt_c/export.h"
#include "pjrt_c/objects/error.h"
#include "pjrt_c/start/core.h"
#include "pjrt_c/start/tables.h"
#include "xla/pjrt/c/hilo_plugin.h"
#include "xla/pjrt/c/pjrt_c_api_ffi_extension.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"
#include "xla/pjrt/c/pjrt_c_api_shardings_extension.h"
#include "xla/pjrt/c/pjrt_c_api_xla_transform_extension.h"

namespace xla::pjrt_c {
namespace {

// Functions differ in the types of their arguments alone.
using AnyFunction = PJRT_Error* (*)(void* args);

AnyFunction FunctionAt(const void* first, size_t place) {
  AnyFunction function;
  std::memcpy(&function, static_cast<const char*>(first) + place * sizeof(function),
              sizeof(function));
  return function;
}

template <typename Forward, size_t... places>
void Fill(void* first, std::index_sequence<places...>) {
  const AnyFunction functions[] = {&Forward::template Call<places>...};
  std::memcpy(first, functions, sizeof(functions));
}

constexpr size_t kHead = offsetof(PJRT_Api, PJRT_Error_Destroy);

struct ForwardFunction {
  template <size_t place>
  static PJRT_Error* Call(void* args) {
    PJRT_Error* error = nullptr;
    const Core* const core = LoadCore(error);
    if (core == nullptr) return error;
    return FunctionAt(&core->api->PJRT_Error_Destroy, place)(args);
  }
};

template <PJRT_Extension_Type type>
struct ForwardExtension {
  template <size_t place>
  static PJRT_Error* Call(void* args) {
    PJRT_Error* error = nullptr;
    const Core* const core = LoadCore(error);
    if (core == nullptr) return error;
    const PJRT_Extension_Base* extension = core->api->extension_start;
    while (extension->type != type) extension = extension->next;
    return FunctionAt(extension + 1, place)(args);
  }
};

// The extension in front of others, whose functions the core has.
template <typename Extension, PJRT_Extension_Type type>
PJRT_Extension_Base* Forwarded(PJRT_Extension_Base* next) {
  static Extension extension = {};
  constexpr size_t kFunctions = (sizeof(Extension) - sizeof(PJRT_Extension_Base)) / sizeof(void*);
  extension.base = {sizeof(Extension), type, next};
  Fill<ForwardExtension<type>>(&extension.base + 1, std::make_index_sequence<kFunctions>());
  return &extension.base;
}

PJRT_Extension_Base* Extensions() {
  PJRT_Extension_Base* first = PartitionersBefore(nullptr);
  first = Forwarded<PJRT_Xla_Transform_Extension, PJRT_Extension_Type_XlaTransform>(first);
  first = MemoryDescriptionsBefore(first);
  first = Forwarded<PJRT_FFI_Extension, PJRT_Extension_Type_FFI>(first);
  first = Forwarded<PJRT_Shardings_Extension, PJRT_Extension_Type_Shardings>(first);
  return Forwarded<PJRT_Layouts_Extension, PJRT_Extension_Type_Layouts>(first);
}

PJRT_Api MakeTable() {
  constexpr size_t kFunctions = (sizeof(PJRT_Api) - kHead) / sizeof(void*);
  PJRT_Api api = {};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.extension_start = Extensions();
  api.pjrt_api_version = {PJRT_Api_Version_STRUCT_SIZE, nullptr, PJRT_API_MAJOR, PJRT_API_MINOR};
  Fill<ForwardFunction>(reinterpret_cast<char*>(&api) + kHead,
                        std::make_index_sequence<kFunctions>());
  SetErrorFunctions(api);
  SetPluginFunctions(api);
  SetClientFunctions(api);
  SetDeviceFunctions(api);
  SetMemoryFunctions(api);
  SetTopologyFunctions(api);
  return api;
}

// A function of the core with these arguments.
template <typename... Parameters, typename... Arguments>
PJRT_Error* InCore(PJRT_Error* (*Core::*function)(Parameters...), Arguments... arguments) {
  PJRT_Error* error = nullptr;
  const Core* const core = LoadCore(error);
  return core == nullptr ? error : (core->*function)(arguments...);
}

}  // namespace
}  // namespace xla::pjrt_c

using xla::pjrt_c::Core;
using xla::pjrt_c::InCore;

extern "C" {

HILO_EXPORT const PJRT_Api* GetPjrtApi(void) {
  static const PJRT_Api api = xla::pjrt_c::MakeTable();
  return &api;
}

HILO_EXPORT PJRT_Error* Hilo_RegisterFfiHandler(const char* name, const char* stage,
                                                void* function) {
  return InCore(&Core::register_handler, name, stage, function);
}

HILO_EXPORT PJRT_Error* Hilo_RegisterCustomCall(const char* name, void* function) {
  return InCore(&Core::register_call, name, function);
}

HILO_EXPORT PJRT_Error* Hilo_RegisterFfiType(const char* name, XLA_FFI_TypeId* type,
                                             const XLA_FFI_TypeInfo* info) {
  return InCore(&Core::register_type, name, type, info);
}

HILO_EXPORT int64_t Hilo_TrimMemory(void) {
  const Core* const core = xla::pjrt_c::CoreIfLoaded();
  return core == nullptr ? 0 : core->trim_memory();
}

}  // extern "C"
