// What a linker changes in code and data so that they find what lies elsewhere, for each machine
// that programs are compiled for.
#ifndef HILO_RUNTIME_RELOCATION_H_
#define HILO_RUNTIME_RELOCATION_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace xla::runtime {

// Of code that jumps to an address which lies in a table.
inline constexpr uint64_t kStubBytes = 16;

// A place to be changed, with the letters of the ABIs: S is the address of what it refers to, A
// what is added to it, P its own address. `bytes` is what lies there, `available` how much until
// the end of its section.
struct Relocation {
  uint64_t type = 0;
  uint64_t s = 0, a = 0, p = 0;
  char* bytes = nullptr;
  uint64_t available = 0;
};

// Gives the address of a table entry with an address in it, or of a stub that jumps to an address.
using Indirection = absl::FunctionRef<absl::StatusOr<uint64_t>(uint64_t address)>;

struct LinkedMachine {
  uint16_t number;  // in ELF files
  absl::Status (*relocate)(const Relocation& relocation, Indirection table_entry, Indirection stub);
  // Writes a stub that will lie at `place` and jumps where the table entry says.
  void (*write_stub)(uint64_t place, uint64_t entry, char* to);
};

// Null for machines that nobody compiles for.
const LinkedMachine* FindLinkedMachine(uint16_t number);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_RELOCATION_H_
