// What the machine that this process runs on can do: found out here and nowhere else.
#ifndef HILO_CODEGEN_HOST_H_
#define HILO_CODEGEN_HOST_H_

#include <string>
#include <vector>

namespace xla::codegen {

enum class Architecture { kX86_64, kAArch64, kOther };

struct HostProcessor {
  Architecture architecture = Architecture::kOther;
  // Those that generated code may use, as LLVM calls them: the processor has them and the operating
  // system saves the registers that they need.
  std::vector<std::string> features;
  bool has_fast_gather = false;
};

HostProcessor DetectHost();

// Whether this process may use the tile registers of a processor that has them. The first call asks
// the operating system: its frames of signals become larger by these registers, 8 KiB, in threads
// that use them, so that it refuses where a thread has a smaller stack for signals.
bool MayUseTileRegisters();

}  // namespace xla::codegen

#endif  // HILO_CODEGEN_HOST_H_
