// What the module's own copy of OpenBLAS finds in the environment: what users have put there and,
// where they have not, what suits this machine. The linker calls this instead of getenv (--wrap);
// nothing outside of the module sees it.
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace {

// Zen 3 and 4. Their units for floating point are 256 bits wide, so that OpenBLAS's kernels for
// AVX-512 multiply no faster there than those for AVX2, and solve triangular systems with code that
// is not vectorised by hand: up to three times as slow (OpenBLAS 0.3.21).
bool HasNarrowUnits() {
#if defined(__x86_64__)
  constexpr unsigned kZen3And4 = 0x19;
  unsigned highest, vendor[3] = {}, signature, other;
  if (!__get_cpuid(0, &highest, &vendor[0], &vendor[2], &vendor[1])) return false;
  if (!__get_cpuid(1, &signature, &other, &other, &other)) return false;
  const unsigned family = ((signature >> 8) & 0xf) + ((signature >> 20) & 0xff);
  return std::memcmp(vendor, "AuthenticAMD", sizeof(vendor)) == 0 && family == kZen3And4;
#else
  return false;
#endif
}

}  // namespace

extern "C" {

char* __real_getenv(const char* name);

char* __wrap_getenv(const char* name) {
  static char zen[] = "Zen";
  char* const value = __real_getenv(name);
  if (value != nullptr || std::strcmp(name, "OPENBLAS_CORETYPE") != 0) return value;
  return HasNarrowUnits() ? zen : nullptr;
}

}  // extern "C"
