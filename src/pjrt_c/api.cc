// The table, and the functions that the library exports.
#include <string>

#include "absl/strings/str_cat.h"
#include "pjrt_c/error.h"
#include "pjrt_c/export.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/python.h"
#include "pjrt_c/tables.h"
#include "runtime/build_id.h"
#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

absl::Status PluginInitialize(PJRT_Plugin_Initialize_Args&) {
  ConnectPython();
  return absl::OkStatus();
}

absl::Status PluginAttributes(PJRT_Plugin_Attributes_Args& args) {
  static NamedValues* const attributes = [] {
    auto* const made = new NamedValues();
    made->Add("stablehlo_current_version", std::vector<int64_t>{1, 13, 0});
    made->Add("stablehlo_minimum_version", std::vector<int64_t>{0, 9, 0});
    made->Add("xla_version", int64_t{2});
    made->values();
    return made;
  }();
  args.attributes = const_cast<PJRT_NamedValue*>(attributes->values().data());
  args.num_attributes = attributes->values().size();
  return absl::OkStatus();
}

PJRT_Api MakeTable() {
  PJRT_Api api = {};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.extension_start = Extensions();
  api.pjrt_api_version = {PJRT_Api_Version_STRUCT_SIZE, nullptr, PJRT_API_MAJOR, PJRT_API_MINOR};
  api.PJRT_Plugin_Initialize = Entry<PluginInitialize, PJRT_Plugin_Initialize_Args_STRUCT_SIZE>;
  api.PJRT_Plugin_Attributes = Entry<PluginAttributes, PJRT_Plugin_Attributes_Args_STRUCT_SIZE>;
  SetErrorFunctions(api);
  SetEventFunctions(api);
  SetClientFunctions(api);
  SetDeviceFunctions(api);
  SetMemoryFunctions(api);
  SetExecutableFunctions(api);
  SetLoadedExecutableFunctions(api);
  SetExecuteFunctions(api);
  SetBufferFunctions(api);
  SetHostBufferFunctions(api);
  SetTransferFunctions(api);
  SetTopologyFunctions(api);
  return api;
}

}  // namespace

const std::string& PlatformVersion() {
  static const std::string* const version = [] {
    return new std::string(absl::StrCat("hilo ", HILO_VERSION, " ", runtime::BuildId()));
  }();
  return *version;
}

}  // namespace xla::pjrt_c

extern "C" {

HILO_EXPORT const PJRT_Api* GetPjrtApi(void) {
  static const PJRT_Api api = xla::pjrt_c::MakeTable();
  return &api;
}

}  // extern "C"
