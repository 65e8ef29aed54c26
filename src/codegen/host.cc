#include "codegen/host.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace xla::codegen {

#if defined(__x86_64__)
namespace {

// The words in which the processor describes itself.
enum Word { k1Ecx, k7Ebx, k7Ecx, k7Edx, k71Eax, k71Edx, kExtendedEcx, kWords };

// Registers that the operating system must save, as bits of the control register XCR0.
constexpr uint64_t kNone = 0, kYmm = 0x6, kZmm = 0xe6, kTiles = 0x60000;

struct Feature {
  const char* name;
  Word word;
  int bit;
  uint64_t registers;
};

constexpr Feature kFeatures[] = {
    {"sse3", k1Ecx, 0, kNone},
    {"pclmul", k1Ecx, 1, kNone},
    {"ssse3", k1Ecx, 9, kNone},
    {"fma", k1Ecx, 12, kYmm},
    {"cx16", k1Ecx, 13, kNone},
    {"sse4.1", k1Ecx, 19, kNone},
    {"sse4.2", k1Ecx, 20, kNone},
    {"movbe", k1Ecx, 22, kNone},
    {"popcnt", k1Ecx, 23, kNone},
    {"aes", k1Ecx, 25, kNone},
    {"avx", k1Ecx, 28, kYmm},
    {"f16c", k1Ecx, 29, kYmm},
    {"bmi", k7Ebx, 3, kNone},
    {"avx2", k7Ebx, 5, kYmm},
    {"bmi2", k7Ebx, 8, kNone},
    {"avx512f", k7Ebx, 16, kZmm},
    {"avx512dq", k7Ebx, 17, kZmm},
    {"adx", k7Ebx, 19, kNone},
    {"avx512ifma", k7Ebx, 21, kZmm},
    {"avx512cd", k7Ebx, 28, kZmm},
    {"sha", k7Ebx, 29, kNone},
    {"avx512bw", k7Ebx, 30, kZmm},
    {"avx512vl", k7Ebx, 31, kZmm},
    {"avx512vbmi", k7Ecx, 1, kZmm},
    {"avx512vbmi2", k7Ecx, 6, kZmm},
    {"gfni", k7Ecx, 8, kNone},
    {"vaes", k7Ecx, 9, kYmm},
    {"vpclmulqdq", k7Ecx, 10, kYmm},
    {"avx512vnni", k7Ecx, 11, kZmm},
    {"avx512bitalg", k7Ecx, 12, kZmm},
    {"avx512vpopcntdq", k7Ecx, 14, kZmm},
    {"avx512vp2intersect", k7Edx, 8, kZmm},
    {"amx-bf16", k7Edx, 22, kTiles},
    {"avx512fp16", k7Edx, 23, kZmm},
    {"amx-tile", k7Edx, 24, kTiles},
    {"amx-int8", k7Edx, 25, kTiles},
    {"avxvnni", k71Eax, 4, kYmm},
    {"avx512bf16", k71Eax, 5, kZmm},
    {"avxifma", k71Eax, 23, kYmm},
    {"avxvnniint8", k71Edx, 4, kYmm},
    {"avxneconvert", k71Edx, 5, kYmm},
    {"avxvnniint16", k71Edx, 10, kYmm},
    {"sahf", kExtendedEcx, 0, kNone},
    {"lzcnt", kExtendedEcx, 5, kNone},
    {"sse4a", kExtendedEcx, 6, kNone},
    {"xop", kExtendedEcx, 11, kYmm},
    {"fma4", kExtendedEcx, 16, kYmm},
    {"tbm", kExtendedEcx, 21, kNone},
};

uint64_t SavedRegisters(uint32_t ecx_of_1) {
  constexpr uint32_t kOsxsave = 1 << 27;
  if ((ecx_of_1 & kOsxsave) == 0) return 0;
  uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

}  // namespace

HostProcessor DetectHost() {
  uint32_t words[kWords] = {};
  uint32_t a = 0, b = 0, c = 0, d = 0;
  const bool is_intel = __get_cpuid(0, &a, &b, &c, &d) != 0 && b == signature_INTEL_ebx;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) words[k1Ecx] = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) {
    words[k7Ebx] = b, words[k7Ecx] = c, words[k7Edx] = d;
    const uint32_t last_leaf = a;
    if (last_leaf >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0)
      words[k71Eax] = a, words[k71Edx] = d;
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) != 0) words[kExtendedEcx] = c;
  const uint64_t saved = SavedRegisters(words[k1Ecx]);
  HostProcessor host;
  host.architecture = Architecture::kX86_64;
  for (const Feature& feature : kFeatures) {
    if ((words[feature.word] >> feature.bit & 1) != 0 &&
        (saved & feature.registers) == feature.registers) {
      host.features.push_back(feature.name);
    }
  }
  // Intel's since Skylake, which came with clflushopt.
  constexpr uint32_t kAvx2 = 1 << 5, kClflushopt = 1 << 23;
  host.has_fast_gather = is_intel && (words[k7Ebx] & kAvx2) != 0 &&
                         (words[k7Ebx] & kClflushopt) != 0 && (saved & kYmm) == kYmm;
  return host;
}

bool MayUseTileRegisters() {
  // ARCH_REQ_XCOMP_PERM, which headers older than Linux 5.16 do not have; the registers as numbered
  // in XCR0.
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  static const bool is_granted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return is_granted;
}

#elif defined(__aarch64__)

HostProcessor DetectHost() {
  HostProcessor host;
  host.architecture = Architecture::kAArch64;
  host.features = {"fp-armv8", "neon"};
  const unsigned long basic = getauxval(AT_HWCAP), more = getauxval(AT_HWCAP2);
  if ((basic & HWCAP_ASIMDHP) != 0) host.features.push_back("fullfp16");
  if ((basic & HWCAP_ASIMDDP) != 0) host.features.push_back("dotprod");
  if ((more & HWCAP2_BF16) != 0) host.features.push_back("bf16");
  if ((more & HWCAP2_I8MM) != 0) host.features.push_back("i8mm");
  return host;
}

#else

HostProcessor DetectHost() { return {}; }

#endif

#if !defined(__x86_64__)
bool MayUseTileRegisters() { return false; }
#endif

}  // namespace xla::codegen
