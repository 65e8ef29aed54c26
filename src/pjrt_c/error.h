// Between absl::Status and the errors of the C interface, and the one way in from there.
#ifndef HILO_PJRT_C_ERROR_H_
#define HILO_PJRT_C_ERROR_H_

#include <cstddef>
#include <exception>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt_c {

// Null for OK; otherwise an error that the caller owns.
PJRT_Error* ToError(absl::Status status);
PJRT_Error_Code ToErrorCode(absl::StatusCode code);
// OK for PJRT_Error_Code_OK.
absl::Status ToStatus(PJRT_Error_Code code, const char* message, size_t message_size);

// Of a caller that was built for a version too old or whose struct is damaged.
absl::Status StructTooSmall(size_t given, size_t least);
// Of what was thrown; to be called in a catch clause.
absl::Status StatusOfException();

// Whether the caller knows the field of the struct.
template <typename Struct, typename Field>
bool Has(const Struct& given, Field Struct::*field) {
  const size_t offset =
      reinterpret_cast<const char*>(&(given.*field)) - reinterpret_cast<const char*>(&given);
  return offset + sizeof(Field) <= given.struct_size;
}

// A function of the table made of one that takes the arguments' struct and gives a status. Callers
// whose struct ends before `least_size` get an error; what lies behind it the function must ask for
// with Has. Nothing is thrown through the table.
template <auto function, size_t least_size>
struct EntryOf;
template <typename Args, absl::Status (*function)(Args&), size_t least_size>
struct EntryOf<function, least_size> {
  static PJRT_Error* Call(Args* args) {
    if (args->struct_size < least_size)
      return ToError(StructTooSmall(args->struct_size, least_size));
    try {
      absl::Status status = function(*args);
      return status.ok() ? nullptr : ToError(std::move(status));
    } catch (...) {
      return ToError(StatusOfException());
    }
  }
};
template <auto function, size_t least_size>
inline constexpr auto Entry = &EntryOf<function, least_size>::Call;

// An output that is a text.
inline void SetText(absl::string_view text, const char*& data, size_t& size) {
  data = text.data();
  size = text.size();
}

inline absl::string_view ToView(const char* data, size_t size) {
  return size == 0 ? absl::string_view() : absl::string_view(data, size);
}

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_ERROR_H_
