// The Python interpreter of the process, where there is one.
#ifndef HILO_PJRT_C_OBJECTS_PYTHON_H_
#define HILO_PJRT_C_OBJECTS_PYTHON_H_

#include <initializer_list>

namespace xla::pjrt_c {

// A C function that code knows by the name.
struct PythonName {
  const char* name;
  void* function;
};

// Runs code in a module of its own, where `names` hold the addresses of functions. Prints what goes
// wrong; does nothing in a process without Python.
void RunPython(const char* module, const char* code, std::initializer_list<PythonName> names);

// Lets other threads run Python while this one, which may be Python's, waits for one of them.
class WithoutPythonLock {
 public:
  WithoutPythonLock();
  ~WithoutPythonLock();
  WithoutPythonLock(const WithoutPythonLock&) = delete;
  WithoutPythonLock& operator=(const WithoutPythonLock&) = delete;

 private:
  void* state_ = nullptr;
};

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_OBJECTS_PYTHON_H_
