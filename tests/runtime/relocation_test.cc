// What linkers change in instructions, by the examples that the manuals allow to work out by hand.
#include "runtime/relocation.h"

#include <elf.h>

#include <cstdint>
#include <cstring>

#include "gtest/gtest.h"

namespace xla::runtime {
namespace {

constexpr uint64_t kEntry = 0x30008, kStub = 0x40000;

// The bytes after a relocation of some that were there.
template <typename T>
absl::StatusOr<T> Relocated(uint16_t machine, uint64_t type, uint64_t s, uint64_t a, uint64_t p,
                            T bytes, uint64_t available = sizeof(T)) {
  const absl::Status status = FindLinkedMachine(machine)->relocate(
      {type, s, a, p, reinterpret_cast<char*>(&bytes), available},
      [](uint64_t) -> absl::StatusOr<uint64_t> { return kEntry; },
      [](uint64_t) -> absl::StatusOr<uint64_t> { return kStub; });
  if (!status.ok()) return status;
  return bytes;
}

absl::StatusOr<uint32_t> OnArm(uint64_t type, uint64_t s, uint64_t p, uint32_t instruction) {
  return Relocated<uint32_t>(EM_AARCH64, type, s, 0, p, instruction);
}

TEST(RelocationTest, X86) {
  EXPECT_EQ(*Relocated<uint64_t>(EM_X86_64, R_X86_64_64, 0x123456789a, 6, 0, 0), 0x12345678a0u);
  EXPECT_EQ(*Relocated<uint32_t>(EM_X86_64, R_X86_64_PC32, 0x2000, -4, 0x1000, 0), 0xffcu);
  EXPECT_EQ(*Relocated<uint32_t>(EM_X86_64, R_X86_64_PLT32, 0x2000, -4, 0x1000, 0), 0xffcu);
  constexpr uint64_t kFar = uint64_t{1} << 40;
  EXPECT_EQ(*Relocated<uint32_t>(EM_X86_64, R_X86_64_PLT32, kFar, -4, 0x1000, 0), kStub - 0x1004);
  EXPECT_FALSE(Relocated<uint32_t>(EM_X86_64, R_X86_64_PC32, kFar, -4, 0x1000, 0).ok());
  EXPECT_EQ(*Relocated<uint32_t>(EM_X86_64, R_X86_64_GOTPCREL, kFar, -4, 0x1000, 0),
            kEntry - 0x1004);
  EXPECT_FALSE(Relocated<uint32_t>(EM_X86_64, R_X86_64_PC32, 0, 0, 0, 0, /*available=*/3).ok());
  EXPECT_FALSE(Relocated<uint32_t>(EM_X86_64, 4711, 0, 0, 0, 0).ok());
}

TEST(RelocationTest, AArch64Addresses) {
  EXPECT_EQ(*OnArm(R_AARCH64_ADR_PREL_PG_HI21, 0x12345678, 0x1234, 0x90000000), 0x90091a20u);
  EXPECT_EQ(*OnArm(R_AARCH64_ADR_PREL_PG_HI21, 0x1000, 0x4004, 0x90000001), 0xb0ffffe1u);
  EXPECT_EQ(*OnArm(R_AARCH64_ADD_ABS_LO12_NC, 0x12345678, 0, 0x91000000), 0x9119e000u);
  EXPECT_EQ(*OnArm(R_AARCH64_LDST64_ABS_LO12_NC, 0x12345678, 0, 0xf9400000), 0xf9433c00u);
  EXPECT_EQ(*OnArm(R_AARCH64_LDST128_ABS_LO12_NC, 0x12345670, 0, 0x3dc00000), 0x3dc19c00u);
  EXPECT_EQ(*OnArm(R_AARCH64_ADR_GOT_PAGE, 0x12345678, 0x1000, 0x90000000), 0xf0000160u);
  EXPECT_EQ(*OnArm(R_AARCH64_LD64_GOT_LO12_NC, 0x12345678, 0, 0xf9400000), 0xf9400400u);
  EXPECT_FALSE(OnArm(R_AARCH64_ADR_PREL_PG_HI21, uint64_t{1} << 40, 0, 0x90000000).ok());
}

TEST(RelocationTest, AArch64Calls) {
  EXPECT_EQ(*OnArm(R_AARCH64_CALL26, 0x2000, 0x1000, 0x94000000), 0x94000400u);
  EXPECT_EQ(*OnArm(R_AARCH64_CALL26, 0x1000, 0x2000, 0x94000000), 0x97fffc00u);
  EXPECT_EQ(*OnArm(R_AARCH64_JUMP26, uint64_t{1} << 40, kStub - 8, 0x14000000), 0x14000002u);
}

TEST(RelocationTest, AArch64Stubs) {
  uint32_t stub[kStubBytes / 4] = {};
  FindLinkedMachine(EM_AARCH64)->write_stub(0x10000, 0x12018, reinterpret_cast<char*>(stub));
  EXPECT_EQ(stub[0], 0xd0000010u);  // adrp x16, two pages on
  EXPECT_EQ(stub[1], 0xf9400e10u);  // ldr x16, [x16, 24]
  EXPECT_EQ(stub[2], 0xd61f0200u);  // br x16
}

}  // namespace
}  // namespace xla::runtime
