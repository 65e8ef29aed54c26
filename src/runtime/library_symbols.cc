// What compiled code may call by name.
#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"
#include "runtime/object_code.h"

// The float and double forms of a function of the C library's mathematics.
// clang-format off
#define HILO_REAL_FUNCTIONS(X) \
  X(acos) X(acosf) X(acosh) X(acoshf) X(asin) X(asinf) X(asinh) X(asinhf) X(atan) X(atanf) \
  X(atan2) X(atan2f) X(atanh) X(atanhf) X(cbrt) X(cbrtf) X(ceil) X(ceilf) X(cos) X(cosf) \
  X(cosh) X(coshf) X(erf) X(erff) X(erfc) X(erfcf) X(exp) X(expf) X(exp2) X(exp2f) X(expm1) \
  X(expm1f) X(floor) X(floorf) X(fma) X(fmaf) X(fmod) X(fmodf) X(hypot) X(hypotf) X(ldexp) \
  X(ldexpf) X(lgamma) X(lgammaf) X(log) X(logf) X(log10) X(log10f) X(log1p) X(log1pf) X(log2) \
  X(log2f) X(nearbyint) X(nearbyintf) X(pow) X(powf) X(remainder) X(remainderf) X(rint) \
  X(rintf) X(round) X(roundf) X(roundeven) X(roundevenf) X(sin) X(sinf) X(sinh) X(sinhf) \
  X(sqrt) X(sqrtf) X(tan) X(tanf) X(tanh) X(tanhf) X(tgamma) X(tgammaf) X(trunc) X(truncf)
#define HILO_COMPLEX_FUNCTIONS(X) \
  X(cabs) X(cabsf) X(cacos) X(cacosf) X(cacosh) X(cacoshf) X(casin) X(casinf) X(casinh) \
  X(casinhf) X(catan) X(catanf) X(catanh) X(catanhf) X(ccos) X(ccosf) X(ccosh) X(ccoshf) \
  X(cexp) X(cexpf) X(clog) X(clogf) X(cpow) X(cpowf) X(csin) X(csinf) X(csinh) X(csinhf) \
  X(csqrt) X(csqrtf) X(ctan) X(ctanf) X(ctanh) X(ctanhf)
#define HILO_MEMORY_FUNCTIONS(X) X(memcpy) X(memmove) X(memset) X(memcmp)
// clang-format on
// Products and quotients of complex numbers, quotients of 128 bits, and conversions from and to half
// precision where these have no instruction and a compiler that knows the type.
#if !defined(__aarch64__) && (defined(__FLT16_MANT_DIG__) || defined(__clang__))
#define HILO_COMPILER_FUNCTIONS(X) \
  X(__muldc3) X(__divdc3) X(__divti3) X(__udivti3) X(__modti3) X(__umodti3) \
  X(__extendhfsf2) X(__truncsfhf2) X(__truncdfhf2)
#else
#define HILO_COMPILER_FUNCTIONS(X) \
  X(__muldc3) X(__divdc3) X(__divti3) X(__udivti3) X(__modti3) X(__umodti3)
#endif
#define HILO_SYMBOLS(X)      \
  HILO_COMPILER_FUNCTIONS(X) \
  HILO_COMPLEX_FUNCTIONS(X)  \
  HILO_MEMORY_FUNCTIONS(X)   \
  HILO_REAL_FUNCTIONS(X)

// Under names of our own, so that their types, which nobody needs here, do not clash with headers.
extern "C" {
#define HILO_DECLARE(name) void hilo_symbol_##name() __asm__(#name);
HILO_SYMBOLS(HILO_DECLARE)
#undef HILO_DECLARE
}

namespace xla::runtime {

void* FindLibrarySymbol(absl::string_view name) {
  struct Symbol {
    absl::string_view name;
    void (*function)();
  };
#define HILO_ENTRY(name) {#name, hilo_symbol_##name},
  static const Symbol kSymbols[] = {HILO_SYMBOLS(HILO_ENTRY)};
#undef HILO_ENTRY
  const auto found =
      absl::c_find_if(kSymbols, [&](const Symbol& symbol) { return symbol.name == name; });
  return found == std::end(kSymbols) ? nullptr : reinterpret_cast<void*>(found->function);
}

}  // namespace xla::runtime
