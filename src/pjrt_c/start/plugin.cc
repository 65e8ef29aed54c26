// The plug-in as a whole.
#include <iterator>
#include <mutex>

#include "pjrt_c/objects/error.h"
#include "pjrt_c/objects/python.h"
#include "pjrt_c/start/core.h"
#include "pjrt_c/start/tables.h"

namespace xla::pjrt_c {
namespace {

constexpr char kPythonStart[] =
#include "pjrt_c/start/python_start.inc"
    ;

// Python gets its handlers connected before the first of them is needed.
void ConnectPython() {
  PJRT_Error* error = nullptr;
  if (const Core* const core = LoadCore(error)) {
    core->connect_python();
  } else {
    error->vtable->destroy(error);  // whoever needs more will hear of it
  }
}

PJRT_Error* PluginInitialize(PJRT_Plugin_Initialize_Args&) {
  static std::once_flag once;
  std::call_once(once, [] {
    RunPython("_hilo_start", kPythonStart, {{"connect", reinterpret_cast<void*>(&ConnectPython)}});
  });
  return nullptr;
}

PJRT_NamedValue Named(const char* name, size_t size, const int64_t* numbers, size_t count) {
  PJRT_NamedValue value = {};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name;
  value.name_size = size;
  value.value_size = count;
  value.type = count == 1 ? PJRT_NamedValue_kInt64 : PJRT_NamedValue_kInt64List;
  if (count == 1) {
    value.int64_value = *numbers;
  } else {
    value.int64_array_value = numbers;
  }
  return value;
}

template <size_t name_size, size_t count>
PJRT_NamedValue Named(const char (&name)[name_size], const int64_t (&numbers)[count]) {
  return Named(name, name_size - 1, numbers, count);
}

PJRT_Error* PluginAttributes(PJRT_Plugin_Attributes_Args& args) {
  static constexpr int64_t kCurrent[] = {1, 13, 0}, kMinimum[] = {0, 9, 0}, kXla[] = {2};
  static const PJRT_NamedValue attributes[] = {Named("stablehlo_current_version", kCurrent),
                                               Named("stablehlo_minimum_version", kMinimum),
                                               Named("xla_version", kXla)};
  args.attributes = attributes;
  args.num_attributes = std::size(attributes);
  return nullptr;
}

}  // namespace

void SetPluginFunctions(PJRT_Api& api) {
  api.PJRT_Plugin_Initialize = Entry<PluginInitialize, PJRT_Plugin_Initialize_Args_STRUCT_SIZE>;
  api.PJRT_Plugin_Attributes = Entry<PluginAttributes, PJRT_Plugin_Attributes_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
