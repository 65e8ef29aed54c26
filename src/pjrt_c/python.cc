#include "pjrt_c/python.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "absl/strings/match.h"
#include "pjrt_c/python_handlers.h"
#include "xla/pjrt/c/hilo_plugin.h"

namespace xla::pjrt_c {
namespace {

// Python's objects and functions, as far as they are needed here. Their binary interface is stable
// (PEP 384), and the process may have none.
struct Object;

template <typename Function>
Function* Find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

struct Interpreter {
  int (*is_initialized)() = Find<int()>("Py_IsInitialized");
  int (*ensure)() = Find<int()>("PyGILState_Ensure");
  void (*release)(int) = Find<void(int)>("PyGILState_Release");
  Object* (*add_module)(const char*) = Find<Object*(const char*)>("PyImport_AddModule");
  Object* (*dictionary_of)(Object*) = Find<Object*(Object*)>("PyModule_GetDict");
  Object* (*import)(const char*) = Find<Object*(const char*)>("PyImport_ImportModule");
  Object* (*number)(void*) = Find<Object*(void*)>("PyLong_FromVoidPtr");
  int (*set_item)(Object*, const char*,
                  Object*) = Find<int(Object*, const char*, Object*)>("PyDict_SetItemString");
  Object* (*compile)(const char*, const char*,
                     int) = Find<Object*(const char*, const char*, int)>("Py_CompileString");
  Object* (*evaluate)(Object*, Object*,
                      Object*) = Find<Object*(Object*, Object*, Object*)>("PyEval_EvalCode");
  void (*print_error)() = Find<void()>("PyErr_Print");
  void (*decrement)(Object*) = Find<void(Object*)>("Py_DecRef");

  bool IsThere() const {
    return is_initialized != nullptr && ensure != nullptr && release != nullptr &&
           add_module != nullptr && dictionary_of != nullptr && import != nullptr &&
           number != nullptr && set_item != nullptr && compile != nullptr && evaluate != nullptr &&
           print_error != nullptr && decrement != nullptr && is_initialized() != 0;
  }
};

template <typename Function>
bool SetAddress(const Interpreter& python, Object* names, const char* name, Function* function) {
  Object* const address = python.number(reinterpret_cast<void*>(function));
  if (address == nullptr) return false;
  const bool is_set = python.set_item(names, name, address) == 0;
  python.decrement(address);
  return is_set;
}

// Converts a program and gives the bytes to TakeBytes, with the same `out`; or does nothing.
using Converter = void (*)(const char* program, size_t size, void* out);
std::atomic<Converter> converter = nullptr;

void SetConverter(Converter given) { converter = given; }

void TakeBytes(void* out, const char* bytes, size_t size) {
  static_cast<std::string*>(out)->assign(bytes, size);
}

// False after an error of Python's.
bool RunHandlers(const Interpreter& python) {
  constexpr char kModule[] = "_hilo_handlers";
  constexpr int kFile = 257;  // Py_file_input
  Object* const module = python.add_module(kModule);
  if (module == nullptr) return false;
  Object* const names = python.dictionary_of(module);
  if (names == nullptr || !SetAddress(python, names, "register_handler", Hilo_RegisterFfiHandler) ||
      !SetAddress(python, names, "register_call", Hilo_RegisterCustomCall) ||
      !SetAddress(python, names, "register_type", Hilo_RegisterFfiType) ||
      !SetAddress(python, names, "set_converter", SetConverter) ||
      !SetAddress(python, names, "take_bytes", TakeBytes)) {
    return false;
  }
  Object* const builtins = python.import("builtins");
  if (builtins == nullptr) return false;
  const bool has_builtins = python.set_item(names, "__builtins__", builtins) == 0;
  python.decrement(builtins);
  if (!has_builtins) return false;
  Object* const code = python.compile(kPythonHandlers, kModule, kFile);
  if (code == nullptr) return false;
  Object* const result = python.evaluate(code, names, names);
  python.decrement(code);
  if (result == nullptr) return false;
  python.decrement(result);
  return true;
}

}  // namespace

void ConnectPython() {
  static std::once_flag once;
  std::call_once(once, [] {
    const Interpreter python;
    if (!python.IsThere()) return;
    const int state = python.ensure();
    if (!RunHandlers(python)) python.print_error();
    python.release(state);
  });
}

std::string ToPortable(absl::string_view program) {
  constexpr absl::string_view kBytecode = "ML\xefR";
  std::string portable(program);
  const Converter convert = converter;
  const bool is_portable = program.substr(0, 32).find("StableHLO_") != absl::string_view::npos;
  if (convert != nullptr && absl::StartsWith(program, kBytecode) && !is_portable)
    convert(program.data(), program.size(), &portable);
  return portable;
}

}  // namespace xla::pjrt_c
