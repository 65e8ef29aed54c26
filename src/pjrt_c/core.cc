// The core library's one function, which the plug-in calls when it has loaded it (start/core.cc).
#include "pjrt_c/objects/core.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "pjrt_c/error.h"
#include "pjrt_c/export.h"
#include "pjrt_c/handlers.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/python.h"
#include "pjrt_c/tables.h"
#include "runtime/build_id.h"
#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/service/trim_memory.h"

namespace xla::pjrt_c {
namespace {

PJRT_Api MakeTable() {
  PJRT_Api api = {};
  api.extension_start = Extensions();
  SetEventFunctions(api);
  SetClientFunctions(api);
  SetDeviceFunctions(api);
  SetExecutableFunctions(api);
  SetLoadedExecutableFunctions(api);
  SetExecuteFunctions(api);
  SetBufferFunctions(api);
  SetHostBufferFunctions(api);
  SetTransferFunctions(api);
  SetTopologyFunctions(api);
  return api;
}

Core MakeCore() {
  static const PJRT_Api api = MakeTable();
  Core core;
  core.platform_version = PlatformVersion().c_str();
  core.api = &api;
  core.attach = [](PJRT_Client* client) { return ToError(AttachWithoutOptions(*client)); };
  core.connect_python = ConnectPython;
  core.register_handler = RegisterFfiHandler;
  core.register_call = RegisterCustomCall;
  core.register_type = RegisterFfiTypeAt;
  core.trim_memory = [] { return static_cast<int64_t>(TrimMemory()); };
  return core;
}

}  // namespace

const std::string& PlatformVersion() {
  static const std::string* const version = [] {
    return new std::string(absl::StrCat("hilo ", HILO_VERSION, " ", runtime::BuildId()));
  }();
  return *version;
}

}  // namespace xla::pjrt_c

extern "C" HILO_EXPORT const xla::pjrt_c::Core* hilo_pjrt_core() {
  static const xla::pjrt_c::Core core = xla::pjrt_c::MakeCore();
  return &core;
}
