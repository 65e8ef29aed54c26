#include "pjrt_c/start/core.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "pjrt_c/objects/error.h"

// What the linker has written into the core library: the head of a note of 16 bytes, then what
// tells builds apart.
asm(".pushsection .rodata\n"
    ".globl hilo_core_note\n"
    ".hidden hilo_core_note\n"
    "hilo_core_note: .incbin \"" HILO_CORE_NOTE
    "\"\n"
    ".popsection\n");
extern "C" const unsigned char hilo_core_note[36];

namespace xla::pjrt_c {
namespace {

std::atomic<const Core*> core = nullptr;
// What waits for the core. It stays, since clients may go when the process ends.
struct Waiting {
  static Waiting& Get() {
    static auto* const waiting = new Waiting();
    return *waiting;
  }
  std::mutex mutex;  // held while the core is loaded, too
  std::vector<PJRT_Client*> clients;
  std::vector<std::function<PJRT_Error*(const Core&)>> calls;
};

std::string TextOf(PJRT_Error* error) {
  const char* text = nullptr;
  size_t size = 0;
  error->vtable->message(error, &text, &size);
  std::string copy(text, size);
  error->vtable->destroy(error);
  return copy;
}

// Beside the library that this is in.
std::string CorePath() {
  Dl_info own;
  if (dladdr(reinterpret_cast<void*>(&CorePath), &own) == 0) return "libhilo_core.so";
  const std::string path = own.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + "libhilo_core.so";
}

// The core and the libraries that it is linked with see each other's symbols in front of those that
// the process has for everybody: other modules may have brought another version of protocol buffers
// along. Sanitizers do not allow that.
#if defined(RTLD_DEEPBIND) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr int kOwnSymbolsFirst = RTLD_DEEPBIND;
#else
constexpr int kOwnSymbolsFirst = 0;
#endif

// What went wrong, or empty; then `core` is set.
std::string Load(Waiting& waiting) {
  const std::string path = CorePath();
  void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | kOwnSymbolsFirst);
  if (library == nullptr) return dlerror();
  auto* const get = reinterpret_cast<decltype(&hilo_pjrt_core)>(dlsym(library, "hilo_pjrt_core"));
  if (get == nullptr) return path + " is no core of the plug-in";
  const Core* const loaded = get();
  if (loaded->platform_version != PlatformVersion())
    return path + " and the plug-in are of different builds";
  for (const auto& call : std::exchange(waiting.calls, {})) {
    if (PJRT_Error* const error = call(*loaded)) return TextOf(error);
  }
  for (; !waiting.clients.empty(); waiting.clients.pop_back()) {
    if (PJRT_Error* const error = loaded->attach(waiting.clients.back())) return TextOf(error);
  }
  core.store(loaded, std::memory_order_release);
  return "";
}

}  // namespace

const Core* LoadCore(PJRT_Error*& error) {
  if (const Core* const loaded = CoreIfLoaded()) return loaded;
  Waiting& waiting = Waiting::Get();
  const std::lock_guard<std::mutex> lock(waiting.mutex);
  if (CoreIfLoaded() == nullptr) {
    const std::string problem = Load(waiting);
    if (!problem.empty())
      error = NewError(PJRT_Error_Code_INTERNAL, "Hilo cannot be loaded: " + problem);
  }
  return CoreIfLoaded();
}

const Core* CoreIfLoaded() { return core.load(std::memory_order_acquire); }

PJRT_Error* WhenLoaded(std::function<PJRT_Error*(const Core& core)> function) {
  {
    Waiting& waiting = Waiting::Get();
    const std::lock_guard<std::mutex> lock(waiting.mutex);
    if (CoreIfLoaded() == nullptr) {
      waiting.calls.push_back(std::move(function));
      return nullptr;
    }
  }
  return function(*CoreIfLoaded());
}

std::unique_ptr<PJRT_Client> DescribeClient() {
  Waiting& waiting = Waiting::Get();
  const std::lock_guard<std::mutex> lock(waiting.mutex);
  if (CoreIfLoaded() != nullptr) return nullptr;
  auto client =
      std::make_unique<PJRT_Client>("cpu", /*process=*/0, PJRT_Client::DeviceCounts{{0, 1}});
  waiting.clients.push_back(client.get());
  return client;
}

void ForgetClient(PJRT_Client* client) {
  Waiting& waiting = Waiting::Get();
  const std::lock_guard<std::mutex> lock(waiting.mutex);
  auto& clients = waiting.clients;
  clients.erase(std::remove(clients.begin(), clients.end(), client), clients.end());
}

const std::string& PlatformVersion() {
  static const auto* const version = [] {
    constexpr char kDigits[] = "0123456789abcdef";
    auto* const text = new std::string("hilo " HILO_VERSION " ");
    for (size_t i = 16; i < sizeof(hilo_core_note); ++i) {
      text->push_back(kDigits[hilo_core_note[i] >> 4]);
      text->push_back(kDigits[hilo_core_note[i] & 15]);
    }
    return text;
  }();
  return *version;
}

}  // namespace xla::pjrt_c
