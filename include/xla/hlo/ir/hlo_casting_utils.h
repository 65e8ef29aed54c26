// From HloInstruction to the class of one operation, as LLVM casts: no RTTI, but ClassOf.
#ifndef XLA_HLO_IR_HLO_CASTING_UTILS_H_
#define XLA_HLO_IR_HLO_CASTING_UTILS_H_

#include <type_traits>
#include <typeinfo>

#include "absl/log/check.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/tsl/platform/casts.h"  // IWYU pragma: export

namespace xla {
namespace internal {

// Says what the instruction is and what it should have been, and ends the process.
[[noreturn]] void CastFailed(const HloInstruction& instruction, const std::type_info& target);

}  // namespace internal

template <class T>
using EnableIfDerivedFromHlo =
    std::enable_if_t<std::is_base_of_v<HloInstruction, std::remove_const_t<T>>>;

// CHECKs that the instruction is there and of the class.
template <class T, EnableIfDerivedFromHlo<T>* = nullptr>
const T* Cast(const HloInstruction* instruction) {
  CHECK(instruction != nullptr) << "cast of a nullptr";
  if (!T::ClassOf(instruction)) internal::CastFailed(*instruction, typeid(T));
  return static_cast<const T*>(instruction);
}
template <class T, EnableIfDerivedFromHlo<T>* = nullptr>
T* Cast(HloInstruction* instruction) {
  return const_cast<T*>(Cast<T>(static_cast<const HloInstruction*>(instruction)));
}

// Null for null.
template <class T, EnableIfDerivedFromHlo<T>* = nullptr>
const T* CastOrNull(const HloInstruction* instruction) {
  return instruction == nullptr ? nullptr : Cast<T>(instruction);
}
template <class T, EnableIfDerivedFromHlo<T>* = nullptr>
T* CastOrNull(HloInstruction* instruction) {
  return instruction == nullptr ? nullptr : Cast<T>(instruction);
}

// Null when it is not of the class. CHECKs that it is there.
template <class T, EnableIfDerivedFromHlo<T>* = nullptr>
const T* DynCast(const HloInstruction* instruction) {
  CHECK(instruction != nullptr) << "cast of a nullptr";
  return T::ClassOf(instruction) ? static_cast<const T*>(instruction) : nullptr;
}
template <class T, EnableIfDerivedFromHlo<T>* = nullptr>
T* DynCast(HloInstruction* instruction) {
  return const_cast<T*>(DynCast<T>(static_cast<const HloInstruction*>(instruction)));
}

// Null for null as well.
template <class T, EnableIfDerivedFromHlo<T>* = nullptr>
const T* DynCastOrNull(const HloInstruction* instruction) {
  return instruction == nullptr ? nullptr : DynCast<T>(instruction);
}
template <class T, EnableIfDerivedFromHlo<T>* = nullptr>
T* DynCastOrNull(HloInstruction* instruction) {
  return instruction == nullptr ? nullptr : DynCast<T>(instruction);
}

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_CASTING_UTILS_H_
