#include "runtime/relocation.h"

#include <elf.h>

#include <cstring>

#include "base/status_macros.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

absl::Status UnknownType(uint64_t type) {
  return Unimplemented("relocations of type %d in object files", type);
}
absl::Status TooFar() {
  return InvalidArgument("the object file is damaged: something lies too far away");
}

// Whether a distance is a signed number of so many bits.
bool Fits(uint64_t distance, int bits) {
  const auto number = static_cast<int64_t>(distance);
  return number >> (bits - 1) == 0 || number >> (bits - 1) == -1;
}

absl::Status Write(const Relocation& relocation, uint64_t value, uint64_t width) {
  if (width > relocation.available) {
    return InvalidArgument("the object file is damaged: a relocation lies outside of its section");
  }
  if (width == 4 && !Fits(value, 32)) return TooFar();
  std::memcpy(relocation.bytes, &value, width);
  return absl::OkStatus();
}

// ---- x86-64

absl::Status RelocateX86(const Relocation& r, Indirection table_entry, Indirection stub) {
  uint64_t s = r.s;
  switch (r.type) {
    case R_X86_64_64:
      return Write(r, s + r.a, 8);
    case R_X86_64_PC64:
      return Write(r, s + r.a - r.p, 8);
    case R_X86_64_PLT32:
      if (!Fits(s + r.a - r.p, 32)) {
        HILO_ASSIGN_OR_RETURN(s, stub(s));
      }
      return Write(r, s + r.a - r.p, 4);
    case R_X86_64_PC32:
      return Write(r, s + r.a - r.p, 4);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX: {
      HILO_ASSIGN_OR_RETURN(const uint64_t entry, table_entry(s));
      return Write(r, entry + r.a - r.p, 4);
    }
    default:
      return UnknownType(r.type);
  }
}

// jmp *displacement(%rip)
void WriteStubX86(uint64_t place, uint64_t entry, char* to) {
  const unsigned char jump[] = {0xff, 0x25};
  const auto displacement = static_cast<int32_t>(entry - (place + 6));
  std::memcpy(to, jump, sizeof jump);
  std::memcpy(to + 2, &displacement, sizeof displacement);
}

// ---- AArch64: most numbers are parts of instructions

uint64_t PageOf(uint64_t address) { return address & ~uint64_t{0xfff}; }

// Puts the low bits of a number at some bits of an instruction.
absl::Status SetBits(const Relocation& relocation, uint64_t value, int first, int count) {
  uint32_t instruction;
  if (relocation.available < sizeof instruction) return Write(relocation, 0, sizeof instruction);
  std::memcpy(&instruction, relocation.bytes, sizeof instruction);
  const uint32_t mask = ((uint32_t{1} << count) - 1) << first;
  instruction = (instruction & ~mask) | (static_cast<uint32_t>(value << first) & mask);
  std::memcpy(relocation.bytes, &instruction, sizeof instruction);
  return absl::OkStatus();
}

// adrp: the distance in pages.
absl::Status SetPages(const Relocation& relocation, uint64_t address) {
  const uint64_t distance = PageOf(address) - PageOf(relocation.p);
  if (!Fits(distance, 33)) return TooFar();
  HILO_RETURN_IF_ERROR(SetBits(relocation, distance >> 12, 29, 2));
  return SetBits(relocation, distance >> 14, 5, 19);
}

// The place in a page, in units of 1 << shift bytes.
absl::Status SetPlaceInPage(const Relocation& relocation, uint64_t address, int shift) {
  return SetBits(relocation, (address & 0xfff) >> shift, 10, 12);
}

absl::Status RelocateAArch64(const Relocation& r, Indirection table_entry, Indirection stub) {
  const uint64_t address = r.s + r.a;
  switch (r.type) {
    case R_AARCH64_ABS64:
      return Write(r, address, 8);
    case R_AARCH64_PREL64:
      return Write(r, address - r.p, 8);
    case R_AARCH64_PREL32:
      return Write(r, address - r.p, 4);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26: {
      uint64_t distance = address - r.p;
      if (!Fits(distance, 28)) {
        HILO_ASSIGN_OR_RETURN(const uint64_t near, stub(r.s));
        distance = near - r.p;
      }
      if (!Fits(distance, 28)) return TooFar();
      return SetBits(r, distance >> 2, 0, 26);
    }
    case R_AARCH64_ADR_PREL_PG_HI21:
      return SetPages(r, address);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return SetPlaceInPage(r, address, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return SetPlaceInPage(r, address, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return SetPlaceInPage(r, address, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
      return SetPlaceInPage(r, address, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return SetPlaceInPage(r, address, 4);
    case R_AARCH64_ADR_GOT_PAGE: {
      HILO_ASSIGN_OR_RETURN(const uint64_t entry, table_entry(r.s));
      return SetPages(r, entry);
    }
    case R_AARCH64_LD64_GOT_LO12_NC: {
      HILO_ASSIGN_OR_RETURN(const uint64_t entry, table_entry(r.s));
      return SetPlaceInPage(r, entry, 3);
    }
    default:
      return UnknownType(r.type);
  }
}

void WriteStubAArch64(uint64_t place, uint64_t entry, char* to) {
  const uint32_t code[] = {0x90000010,   // adrp x16, the entry's page
                           0xf9400210,   // ldr x16, [x16, its place there]
                           0xd61f0200};  // br x16
  std::memcpy(to, code, sizeof code);
  // What lies in one image is near.
  (void)SetPages({0, 0, 0, place, to, 4}, entry);
  (void)SetPlaceInPage({0, 0, 0, place + 4, to + 4, 4}, entry, 3);
}

constexpr LinkedMachine kMachines[] = {
    {EM_X86_64, RelocateX86, WriteStubX86},
    {EM_AARCH64, RelocateAArch64, WriteStubAArch64},
};

}  // namespace

const LinkedMachine* FindLinkedMachine(uint16_t number) {
  for (const LinkedMachine& machine : kMachines) {
    if (machine.number == number) return &machine;
  }
  return nullptr;
}

}  // namespace xla::runtime
