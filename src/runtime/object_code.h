// Object files in memory that can be called. This is all of a linker that programs need: it loads
// relocatable ELF files for this machine as LLVM writes them, without LLVM.
//
// Sections that take memory are laid out one after the other in one mapping: code, then constant
// data, then data that code writes, each kind on pages of its own. Functions from outside are
// called through stubs in that mapping, since they may lie farther away than a call reaches.
// Whatever a file says of offsets and sizes is checked; what its code does cannot be.
#ifndef HILO_RUNTIME_OBJECT_CODE_H_
#define HILO_RUNTIME_OBJECT_CODE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla::runtime {

class ObjectCode {
 public:
  // Links files with each other and with what FindLibrarySymbol knows. InvalidArgument for files
  // that are damaged, Unimplemented for those of another machine or with anything that LLVM does
  // not write, NotFound for symbols that nobody has. Profilers see functions by the name of the
  // program and their own (runtime/perf_map.h).
  static absl::StatusOr<std::shared_ptr<const ObjectCode>> Load(absl::Span<const std::string> files,
                                                                absl::string_view program = "");
  ~ObjectCode();
  ObjectCode(const ObjectCode&) = delete;
  ObjectCode& operator=(const ObjectCode&) = delete;

  // NotFound when no file defines a global symbol of the name.
  absl::StatusOr<void*> Find(absl::string_view symbol) const;

 private:
  class Linker;
  ObjectCode() = default;

  char* image_ = nullptr;
  size_t bytes_ = 0;
  std::map<std::string, void*, std::less<>> symbols_;
};

// The address of a function of the C library or the compiler's own that compiled code may call;
// null for others.
void* FindLibrarySymbol(absl::string_view name);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_OBJECT_CODE_H_
