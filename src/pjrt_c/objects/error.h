// Errors of the C interface, and the one way in from there.
#ifndef HILO_PJRT_C_OBJECTS_ERROR_H_
#define HILO_PJRT_C_OBJECTS_ERROR_H_

#include <cstddef>
#include <exception>
#include <new>
#include <string>

#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt_c {

// The caller owns it. There is none for PJRT_Error_Code_OK.
PJRT_Error* NewError(PJRT_Error_Code code, std::string text);

// Of a caller that was built for a version too old or whose struct is damaged.
PJRT_Error* StructTooSmall(size_t given, size_t least);
// Of what was thrown; to be called in a catch clause.
PJRT_Error* ErrorOfException();

// What makes an error of other kinds of result.
template <typename Result>
struct ErrorOf;
template <>
struct ErrorOf<PJRT_Error*> {
  static PJRT_Error* From(PJRT_Error* error) { return error; }
};

// A function of the table made of one that takes the arguments' struct and gives an error, or what
// ErrorOf makes one of. Callers whose struct ends before `least_size` get an error; what lies
// behind it the function must ask for with Has. Nothing is thrown through the table.
template <auto function, size_t least_size>
struct EntryOf;
template <typename Args, typename Result, Result (*function)(Args&), size_t least_size>
struct EntryOf<function, least_size> {
  static PJRT_Error* Call(Args* args) {
    if (args->struct_size < least_size) return StructTooSmall(args->struct_size, least_size);
    try {
      return ErrorOf<Result>::From(function(*args));
    } catch (...) {
      return ErrorOfException();
    }
  }
};
template <auto function, size_t least_size>
inline constexpr auto Entry = &EntryOf<function, least_size>::Call;

// Whether the caller knows the field of the struct.
template <typename Struct, typename Field>
bool Has(const Struct& given, Field Struct::*field) {
  const size_t offset =
      reinterpret_cast<const char*>(&(given.*field)) - reinterpret_cast<const char*>(&given);
  return offset + sizeof(Field) <= given.struct_size;
}

// An output that is a text: a string, or a view of one.
template <typename Text>
void SetText(const Text& text, const char*& data, size_t& size) {
  data = text.data();
  size = text.size();
}

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_OBJECTS_ERROR_H_
