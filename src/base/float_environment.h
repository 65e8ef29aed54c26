// How the processor rounds and what it makes of subnormal numbers.
#ifndef HILO_BASE_FLOAT_ENVIRONMENT_H_
#define HILO_BASE_FLOAT_ENVIRONMENT_H_

#include <cstdint>

namespace xla {

// While one exists, its thread rounds to the nearest number, ties to even, has subnormal numbers,
// and is not interrupted by exceptions, as every thread is that nobody has changed. Programs built
// with -ffast-math and thread pools of other libraries take subnormal numbers for zeros, and small
// floats are widened by way of them. What the thread had before comes back behind it.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() : before_(Get()) {
    if ((before_ & kControl) != kDefault) Set(kDefault);
  }
  ~DefaultFloatEnvironment() {
    if ((before_ & kControl) != kDefault) Set(before_);
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#if defined(__x86_64__)
  // MXCSR without its flags of what has happened, in which all exceptions are masked.
  using Word = uint32_t;
  static constexpr Word kControl = 0xffc0, kDefault = 0x1f80;
  static Word Get() { return __builtin_ia32_stmxcsr(); }
  static void Set(Word word) { __builtin_ia32_ldmxcsr(word); }
#elif defined(__aarch64__)
  // FPCR.
  using Word = uint64_t;
  static constexpr Word kControl = ~Word{0}, kDefault = 0;
  static Word Get() {
    Word word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void Set(Word word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
  using Word = uint32_t;
  static constexpr Word kControl = 0, kDefault = 0;
  static Word Get() { return 0; }
  static void Set(Word) {}
#endif

  const Word before_;
};

}  // namespace xla

#endif  // HILO_BASE_FLOAT_ENVIRONMENT_H_
