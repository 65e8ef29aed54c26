#include "pjrt_c/python.h"

#include <atomic>
#include <mutex>

#include "absl/strings/match.h"
#include "pjrt_c/handlers.h"
#include "pjrt_c/objects/python.h"

namespace xla::pjrt_c {
namespace {

constexpr char kPythonHandlers[] =
#include "pjrt_c/python_handlers.inc"
    ;

// Converts a program and gives the bytes to TakeBytes, with the same `out`; or does nothing.
using Converter = void (*)(const char* program, size_t size, void* out);
std::atomic<Converter> converter = nullptr;

void SetConverter(Converter given) { converter = given; }

void TakeBytes(void* out, const char* bytes, size_t size) {
  static_cast<std::string*>(out)->assign(bytes, size);
}

}  // namespace

void ConnectPython() {
  static std::atomic<bool> is_done = false;
  if (is_done) return;
  // Whoever runs the handlers' code needs Python's lock, which a thread that waits must not have.
  const WithoutPythonLock unlocked;
  static std::once_flag once;
  std::call_once(once, [] {
    RunPython("_hilo_handlers", kPythonHandlers,
              {{"register_handler", reinterpret_cast<void*>(&RegisterFfiHandler)},
               {"register_call", reinterpret_cast<void*>(&RegisterCustomCall)},
               {"register_type", reinterpret_cast<void*>(&RegisterFfiTypeAt)},
               {"set_converter", reinterpret_cast<void*>(&SetConverter)},
               {"take_bytes", reinterpret_cast<void*>(&TakeBytes)}});
    is_done = true;
  });
}

std::string ToPortable(absl::string_view program) {
  constexpr absl::string_view kBytecode = "ML\xefR";
  std::string portable(program);
  const bool is_portable = program.substr(0, 32).find("StableHLO_") != absl::string_view::npos;
  if (!absl::StartsWith(program, kBytecode) || is_portable) return portable;
  ConnectPython();
  if (const Converter convert = converter) convert(program.data(), program.size(), &portable);
  return portable;
}

}  // namespace xla::pjrt_c
