// The machine: processors, memory, random numbers, names.
#include <execinfo.h>
#include <malloc.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "absl/log/initialize.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "xla/tsl/platform/cpu_info.h"
#include "xla/tsl/platform/host_info.h"
#include "xla/tsl/platform/init_main.h"
#include "xla/tsl/platform/mem.h"
#include "xla/tsl/platform/numbers.h"
#include "xla/tsl/platform/path.h"
#include "xla/tsl/platform/random.h"
#include "xla/tsl/platform/resource_loader.h"
#include "xla/tsl/platform/stacktrace.h"
#include "xla/tsl/platform/stacktrace_handler.h"
#include "xla/tsl/platform/tensor_float_32_utils.h"

namespace tsl {
namespace {

constexpr int kMostFrames = 64;

// The first value of a line "NAME<tab>: VALUE" of /proc/cpuinfo.
std::string ProcessorFact(absl::string_view name) {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    const size_t colon = line.find(": ");
    if (absl::StartsWith(line, name) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

void ShowStackAndEnd(int signal_number) {
  void* frames[kMostFrames];
  backtrace_symbols_fd(frames, backtrace(frames, kMostFrames), STDERR_FILENO);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

std::atomic<bool> tensor_float_32 = true;

}  // namespace

namespace port {

int NumSchedulableCPUs() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof(usable), &usable) == 0) return CPU_COUNT(&usable);
  return NumTotalCPUs();
}

int NumTotalCPUs() {
  const int count = static_cast<int>(std::thread::hardware_concurrency());
  return count > 0 ? count : 1;
}

int NumHyperthreadsPerCore() {
  const int siblings = std::atoi(ProcessorFact("siblings").c_str());
  const int cores = std::atoi(ProcessorFact("cpu cores").c_str());
  return siblings > 0 && cores > 0 && siblings >= cores ? siblings / cores : 1;
}

int MaxParallelism() { return NumSchedulableCPUs(); }

int GetCurrentCPU() { return sched_getcpu(); }

std::string CPUVendorIDString() { return ProcessorFact("vendor_id"); }

void* AlignedMalloc(size_t size, int minimum_alignment) {
  void* memory = nullptr;
  const size_t alignment = std::max(sizeof(void*), static_cast<size_t>(minimum_alignment));
  return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

void AlignedFree(void* memory) { std::free(memory); }
void* Malloc(size_t size) { return std::malloc(size); }
void* Realloc(void* memory, size_t size) { return std::realloc(memory, size); }
void Free(void* memory) { std::free(memory); }

int64_t TotalRam() {
  return int64_t{sysconf(_SC_PHYS_PAGES)} * int64_t{sysconf(_SC_PAGESIZE)};
}

int64_t AvailableRam() {
  return int64_t{sysconf(_SC_AVPHYS_PAGES)} * int64_t{sysconf(_SC_PAGESIZE)};
}

std::string Hostname() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return name;
}

void InitMain(const char* usage, int* argc, char*** argv) { absl::InitializeLog(); }

}  // namespace port

namespace random {
namespace {

std::mt19937_64& Seeded() {
  static thread_local std::mt19937_64 generator{std::random_device{}()};
  return generator;
}

}  // namespace

uint64_t New64() {
  static std::mutex mutex;
  static std::random_device* const device = new std::random_device();
  const std::lock_guard<std::mutex> lock(mutex);
  const uint64_t high = (*device)();
  return high << 32 | (*device)();
}

uint64_t New64DefaultSeed() {
  static std::mutex mutex;
  static std::mt19937_64* const generator = new std::mt19937_64();
  const std::lock_guard<std::mutex> lock(mutex);
  return (*generator)();
}

uint64_t ThreadLocalNew64() { return Seeded()(); }

}  // namespace random

namespace strings {
namespace {

// A number of at least one unit and, if there is one, less than a larger unit.
std::string InUnits(double value, double step, absl::Span<const char* const> units) {
  size_t unit = 0;
  while (std::abs(value) >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  return unit == 0 ? absl::StrFormat("%.0f%s", value, units[0])
                   : absl::StrFormat("%.2f%s", value, units[unit]);
}

}  // namespace

std::string HumanReadableNum(int64_t value) {
  return InUnits(static_cast<double>(value), 1000, {"", "k", "M", "B", "T"});
}

std::string HumanReadableNumBytes(int64_t bytes) {
  return InUnits(static_cast<double>(bytes), 1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"});
}

std::string HumanReadableElapsedTime(double seconds) {
  const std::string sign = seconds < 0 ? "-" : "";
  const double time = std::abs(seconds);
  if (time < 1e-3) return absl::StrFormat("%s%.3g us", sign, time * 1e6);
  if (time < 1) return absl::StrFormat("%s%.3g ms", sign, time * 1e3);
  if (time < 60) return absl::StrFormat("%s%.3g s", sign, time);
  if (time < 3600) return absl::StrFormat("%s%.3g min", sign, time / 60);
  if (time < 24 * 3600) return absl::StrFormat("%s%.3g h", sign, time / 3600);
  return absl::StrFormat("%s%.3g days", sign, time / (24 * 3600));
}

}  // namespace strings

std::string GetDataDependencyFilepath(const std::string& relative_path) {
  const char* const folder = std::getenv("TEST_SRCDIR");
  return io::JoinPath(folder != nullptr ? io::JoinPath(folder, "xla") : ".", relative_path);
}

std::string CurrentStackTrace() {
  void* frames[kMostFrames];
  const int count = backtrace(frames, kMostFrames);
  char** const names = backtrace_symbols(frames, count);
  std::string text;
  for (int i = 1; names != nullptr && i < count; ++i) absl::StrAppend(&text, names[i], "\n");
  std::free(names);
  return text;
}

namespace testing {

void InstallStacktraceHandler() {
  for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE})
    std::signal(number, ShowStackAndEnd);
}

}  // namespace testing

void enable_tensor_float_32_execution(bool enabled) { tensor_float_32 = enabled; }
bool tensor_float_32_execution_enabled() { return tensor_float_32; }

}  // namespace tsl
