// Errors as handlers of custom calls see them.
#ifndef HILO_RUNTIME_FFI_ERROR_H_
#define HILO_RUNTIME_FFI_ERROR_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/ffi/api/c_api.h"

// Handlers may be compiled with OpenXLA's own definition of this, an absl::Status, as some of
// jaxlib's are: they move the status out and delete what is left. So an error lies in memory as
// that one does with every abseil since 2023, whichever Hilo is built with: a word that is the
// address of a counted record, or odd and four times a code that has no message.
struct XLA_FFI_Error {
 public:
  explicit XLA_FFI_Error(const absl::Status& status);
  XLA_FFI_Error(const XLA_FFI_Error&) = delete;
  ~XLA_FFI_Error();

  absl::StatusCode code() const;
  // Zero-terminated.
  absl::string_view message() const;
  absl::Status ToStatus() const { return absl::Status(code(), message()); }

 private:
  struct Record {
    std::atomic<int32_t> owners = 1;
    absl::StatusCode code;
    std::string message;
    void* payloads = nullptr;  // of the other definition; nothing here has any
  };
  static_assert(sizeof(Record) == 16 + sizeof(std::string));

  bool HasRecord() const { return (word_ & 1) == 0; }
  Record* record() const { return reinterpret_cast<Record*>(word_); }

  uintptr_t word_;
};

#endif  // HILO_RUNTIME_FFI_ERROR_H_
