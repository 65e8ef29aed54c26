#include "xla/tsl/platform/env.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tsl {
namespace {

class PosixThread : public Thread {
 public:
  // Null when the system has no thread left.
  static PosixThread* Start(const ThreadOptions& options, const std::string& name,
                            absl::AnyInvocable<void()> function) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (options.stack_size != 0) pthread_attr_setstacksize(&attributes, options.stack_size);
    if (options.guard_size != 0) pthread_attr_setguardsize(&attributes, options.guard_size);
    auto task = std::make_unique<Task>(Task{name, std::move(function)});
    auto thread = std::make_unique<PosixThread>();
    const int error = pthread_create(&thread->thread_, &attributes, &Run, task.get());
    pthread_attr_destroy(&attributes);
    if (error != 0) return nullptr;
    task.release();
    return thread.release();
  }
  ~PosixThread() override { pthread_join(thread_, nullptr); }

 private:
  struct Task {
    std::string name;
    absl::AnyInvocable<void()> function;
  };

  static void* Run(void* argument) {
    const std::unique_ptr<Task> task(static_cast<Task*>(argument));
    // Linux takes at most 15 characters.
    if (!task->name.empty()) pthread_setname_np(pthread_self(), task->name.substr(0, 15).c_str());
    task->function();
    return nullptr;
  }

  pthread_t thread_;
};

}  // namespace

Thread::~Thread() = default;

Env* Env::Default() {
  static Env* const env = new Env();
  return env;
}

void Env::SleepForMicroseconds(int64_t micros) {
  if (micros > 0) std::this_thread::sleep_for(std::chrono::microseconds(micros));
}

int64_t Env::GetProcessId() { return getpid(); }

Thread* Env::StartThread(const ThreadOptions& options, const std::string& name,
                         absl::AnyInvocable<void()> function) {
  Thread* const thread = PosixThread::Start(options, name, std::move(function));
  CHECK(thread != nullptr) << "thread " << name << " could not be started";
  return thread;
}

int64_t Env::GetCurrentThreadId() { return syscall(SYS_gettid); }

bool Env::GetCurrentThreadName(std::string* name) {
  char text[16];
  if (pthread_getname_np(pthread_self(), text, sizeof(text)) != 0) return false;
  *name = text;
  return true;
}

void Env::SchedClosure(absl::AnyInvocable<void()> closure) {
  std::thread([closure = std::move(closure)]() mutable { closure(); }).detach();
}

void Env::SchedClosureAfter(int64_t micros, absl::AnyInvocable<void()> closure) {
  SchedClosure([this, micros, closure = std::move(closure)]() mutable {
    SleepForMicroseconds(micros);
    closure();
  });
}

absl::Status Env::LoadDynamicLibrary(const char* path, void** handle) {
  *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (*handle != nullptr) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("the library cannot be loaded: ", dlerror()));
}

absl::Status Env::GetSymbolFromLibrary(void* handle, const char* name, void** symbol) {
  *symbol = handle == nullptr ? nullptr : dlsym(handle, name);
  if (*symbol != nullptr) return absl::OkStatus();
  const char* const error = handle == nullptr ? "there is no library" : dlerror();
  return absl::NotFoundError(
      absl::StrCat("symbol ", name, ": ", error != nullptr ? error : "it is null"));
}

std::string Env::FormatLibraryFileName(const std::string& name, const std::string& version) {
  return absl::StrCat("lib", name, ".so", version.empty() ? "" : ".", version);
}

int setenv(const char* name, const char* value, int overwrite) {
  return ::setenv(name, value, overwrite);
}
int unsetenv(const char* name) { return ::unsetenv(name); }

}  // namespace tsl
