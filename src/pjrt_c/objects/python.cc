#include "pjrt_c/objects/python.h"

#include <dlfcn.h>

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
  int (*has_lock)() = Find<int()>("PyGILState_Check");
  int (*ensure)() = Find<int()>("PyGILState_Ensure");
  void (*release)(int) = Find<void(int)>("PyGILState_Release");
  void* (*save)() = Find<void*()>("PyEval_SaveThread");
  void (*restore)(void*) = Find<void(void*)>("PyEval_RestoreThread");
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
    return is_initialized != nullptr && has_lock != nullptr && ensure != nullptr &&
           release != nullptr && save != nullptr && restore != nullptr && add_module != nullptr &&
           dictionary_of != nullptr && import != nullptr && number != nullptr &&
           set_item != nullptr && compile != nullptr && evaluate != nullptr &&
           print_error != nullptr && decrement != nullptr && is_initialized() != 0;
  }
};

// False after an error of Python's.
bool SetAddress(const Interpreter& python, Object* names, const PythonName& name) {
  Object* const address = python.number(name.function);
  if (address == nullptr) return false;
  const bool is_set = python.set_item(names, name.name, address) == 0;
  python.decrement(address);
  return is_set;
}

bool Run(const Interpreter& python, const char* module_name, const char* text,
         std::initializer_list<PythonName> given) {
  constexpr int kFile = 257;  // Py_file_input
  Object* const module = python.add_module(module_name);
  if (module == nullptr) return false;
  Object* const names = python.dictionary_of(module);
  if (names == nullptr) return false;
  for (const PythonName& name : given) {
    if (!SetAddress(python, names, name)) return false;
  }
  Object* const builtins = python.import("builtins");
  if (builtins == nullptr) return false;
  const bool has_builtins = python.set_item(names, "__builtins__", builtins) == 0;
  python.decrement(builtins);
  if (!has_builtins) return false;
  Object* const code = python.compile(text, module_name, kFile);
  if (code == nullptr) return false;
  Object* const result = python.evaluate(code, names, names);
  python.decrement(code);
  if (result == nullptr) return false;
  python.decrement(result);
  return true;
}

}  // namespace

void RunPython(const char* module, const char* code, std::initializer_list<PythonName> names) {
  const Interpreter python;
  if (!python.IsThere()) return;
  const int state = python.ensure();
  if (!Run(python, module, code, names)) python.print_error();
  python.release(state);
}

WithoutPythonLock::WithoutPythonLock() {
  const Interpreter python;
  if (python.IsThere() && python.has_lock() != 0) state_ = python.save();
}

WithoutPythonLock::~WithoutPythonLock() {
  if (state_ != nullptr) Find<void(void*)>("PyEval_RestoreThread")(state_);
}

}  // namespace xla::pjrt_c
