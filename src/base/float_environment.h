// How the processor rounds and what it makes of subnormal numbers.
#ifndef HILO_BASE_FLOAT_ENVIRONMENT_H_
#define HILO_BASE_FLOAT_ENVIRONMENT_H_

#include <cstdint>

namespace xla {

// In what way a thread computes: as a value, which threads can take over from each other.
class FloatEnvironment {
 public:
  // Rounds to the nearest number, ties to even, has subnormal numbers, and is not interrupted by
  // exceptions, as every thread does that nobody has changed.
  static FloatEnvironment Default() { return FloatEnvironment(kDefault); }
  // The same, but takes subnormal numbers for zeros of their sign, and makes such zeros of results
  // that are subnormal: processors take up to a hundred times as long for them.
  static FloatEnvironment WithoutSubnormals() { return FloatEnvironment(kWithoutSubnormals); }
  static FloatEnvironment OfThread() { return FloatEnvironment(Get()); }

  void SetForThread() const {
    if ((Get() & kControl) != (word_ & kControl)) Set(word_);
  }

 private:
#if defined(__x86_64__)
  // MXCSR without its flags of what has happened, in which all exceptions are masked.
  using Word = uint32_t;
  static constexpr Word kControl = 0xffc0, kDefault = 0x1f80;
  static constexpr Word kWithoutSubnormals = kDefault | 0x8040;
  static Word Get() { return __builtin_ia32_stmxcsr(); }
  static void Set(Word word) { __builtin_ia32_ldmxcsr(word); }
#elif defined(__aarch64__)
  // FPCR.
  using Word = uint64_t;
  static constexpr Word kControl = ~Word{0}, kDefault = 0;
  static constexpr Word kWithoutSubnormals = Word{1} << 24;
  static Word Get() {
    Word word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void Set(Word word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
  using Word = uint32_t;
  static constexpr Word kControl = 0, kDefault = 0, kWithoutSubnormals = 0;
  static Word Get() { return 0; }
  static void Set(Word) {}
#endif
  explicit FloatEnvironment(Word word) : word_(word) {}

  Word word_;
};

// While one exists, its thread computes in a given way. What it had before comes back behind it.
class ScopedFloatEnvironment {
 public:
  explicit ScopedFloatEnvironment(FloatEnvironment environment)
      : before_(FloatEnvironment::OfThread()) {
    environment.SetForThread();
  }
  ~ScopedFloatEnvironment() { before_.SetForThread(); }
  ScopedFloatEnvironment(const ScopedFloatEnvironment&) = delete;
  ScopedFloatEnvironment& operator=(const ScopedFloatEnvironment&) = delete;

 private:
  const FloatEnvironment before_;
};

// The default one, for whatever does not run a compiled program. Programs built with -ffast-math
// and thread pools of other libraries have another.
class DefaultFloatEnvironment : public ScopedFloatEnvironment {
 public:
  DefaultFloatEnvironment() : ScopedFloatEnvironment(FloatEnvironment::Default()) {}
};

}  // namespace xla

#endif  // HILO_BASE_FLOAT_ENVIRONMENT_H_
