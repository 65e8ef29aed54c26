#include "pjrt_c/objects/error.h"

#include <utility>

namespace xla::pjrt_c {
namespace {

struct TextError : PJRT_Error {
  PJRT_Error_Code code;
  std::string text;
};

const TextError& Own(const PJRT_Error* error) { return *static_cast<const TextError*>(error); }

const PJRT_Error_FunctionTable kFunctions = {
    PJRT_Error_FunctionTable_STRUCT_SIZE,
    sizeof(TextError),
    /*extension_start=*/nullptr,
    [](PJRT_Error* error) { delete static_cast<TextError*>(error); },
    [](const PJRT_Error* error, const char** message, size_t* message_size) {
      SetText(Own(error).text, *message, *message_size);
    },
    [](const PJRT_Error* error) { return Own(error).code; },
    [](const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {}};

}  // namespace

PJRT_Error* NewError(PJRT_Error_Code code, std::string text) {
  return new TextError{{&kFunctions}, code, std::move(text)};
}

PJRT_Error* StructTooSmall(size_t given, size_t least) {
  return NewError(
      PJRT_Error_Code_INVALID_ARGUMENT,
      "the arguments' struct has " + std::to_string(given) + " bytes, but needs " +
          std::to_string(least) +
          ": the caller was built for a version of the PJRT C API that is not supported (this is " +
          std::to_string(PJRT_API_MAJOR) + "." + std::to_string(PJRT_API_MINOR) + ")");
}

PJRT_Error* ErrorOfException() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return NewError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "there is no memory left");
  } catch (const std::exception& exception) {
    return NewError(PJRT_Error_Code_INTERNAL,
                    std::string("an exception was thrown: ") + exception.what());
  } catch (...) {
    return NewError(PJRT_Error_Code_INTERNAL, "an exception was thrown");
  }
}

}  // namespace xla::pjrt_c
