// The table, and the functions that the library exports.
#include <link.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "pjrt_c/error.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/tables.h"
#include "xla/ffi/ffi_api.h"
#include "xla/pjrt/c/hilo_plugin.h"
#include "xla/util.h"

#define HILO_EXPORT __attribute__((visibility("default")))

namespace xla::pjrt_c {
namespace {

// The identification that the linker gives the library, which differs for builds that differ.
struct BuildIdSearch {
  uintptr_t address;  // in the library
  std::string id;
};

int FindBuildId(dl_phdr_info* object, size_t, void* argument) {
  auto& search = *static_cast<BuildIdSearch*>(argument);
  const absl::Span<const ElfW(Phdr)> segments(object->dlpi_phdr, object->dlpi_phnum);
  const auto contains = [&](const ElfW(Phdr) & segment) {
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && search.address - begin < segment.p_memsz;
  };
  if (std::none_of(segments.begin(), segments.end(), contains)) return 0;
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_NOTE) continue;
    const char* place = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    const char* const end = place + segment.p_memsz;
    while (end - place >= static_cast<ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, place, sizeof(note));
      const char* const name = place + sizeof(note);
      const char* const content = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
        search.id.assign(content, note.n_descsz);
      place = content + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

absl::Status PluginInitialize(PJRT_Plugin_Initialize_Args&) { return absl::OkStatus(); }

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

// Handlers come stage by stage, but are registered together.
absl::Status RegisterStage(absl::string_view name, absl::string_view stage, void* function) {
  static auto* const mutex = new std::mutex();
  static auto* const bundles = new std::map<std::string, XLA_FFI_Handler_Bundle>();
  const std::lock_guard<std::mutex> lock(*mutex);
  auto* const handler = reinterpret_cast<XLA_FFI_Handler*>(function);
  XLA_FFI_Handler_Bundle& bundle = (*bundles)[std::string(name)];
  if (stage == "instantiate") {
    bundle.instantiate = handler;
  } else if (stage == "prepare") {
    bundle.prepare = handler;
  } else if (stage == "initialize") {
    bundle.initialize = handler;
  } else if (stage == "execute") {
    bundle.execute = handler;
  } else {
    return InvalidArgument(
        "FFI handler %s: there is no stage %s, but instantiate, prepare, initialize and execute",
        name, stage);
  }
  if (bundle.execute == nullptr) return absl::OkStatus();
  return ffi::RegisterHandler(ffi::GetXlaFfiApi(), name, "Host", bundle, 0);
}

}  // namespace

const std::string& PlatformVersion() {
  static const std::string* const version = [] {
    BuildIdSearch search = {reinterpret_cast<uintptr_t>(&FindBuildId), ""};
    dl_iterate_phdr(FindBuildId, &search);
    auto* const text = new std::string(absl::StrCat("hilo ", HILO_VERSION, " "));
    for (const char byte : search.id)
      absl::StrAppend(text, absl::Hex(static_cast<unsigned char>(byte), absl::kZeroPad2));
    return text;
  }();
  return *version;
}

}  // namespace xla::pjrt_c

extern "C" {

HILO_EXPORT const PJRT_Api* GetPjrtApi(void) {
  static const PJRT_Api api = xla::pjrt_c::MakeTable();
  return &api;
}

HILO_EXPORT PJRT_Error* Hilo_RegisterFfiHandler(const char* name, const char* stage,
                                                void* function) {
  if (name == nullptr || stage == nullptr || function == nullptr) {
    return xla::pjrt_c::ToError(
        xla::InvalidArgument("an FFI handler needs a name, a stage and a function"));
  }
  try {
    return xla::pjrt_c::ToError(xla::pjrt_c::RegisterStage(name, stage, function));
  } catch (...) {
    return xla::pjrt_c::ToError(xla::pjrt_c::StatusOfException());
  }
}

}  // extern "C"
