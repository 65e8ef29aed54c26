// How sums become elements of a result.
#ifndef HILO_CPU_KERNELS_STORE_H_
#define HILO_CPU_KERNELS_STORE_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "cpu/kernels/matrix_tiles.h"
#include "xla/types.h"
#include "xla/xla_data.pb.h"

namespace xla::cpu {

// The bytes of a zero; where a type has none, of the NaN that it becomes.
constexpr int ZeroByte(PrimitiveType type) { return type == F8E8M0FNU ? 0xff : 0; }

template <typename T>
constexpr PrimitiveType TypeOf(bool is_complex) {
  if (is_complex) return std::is_same_v<T, float> ? C64 : C128;
  if (std::is_same_v<T, float>) return F32;
  if (std::is_same_v<T, double>) return F64;
  return std::is_same_v<T, uint32_t> ? U32 : U64;
}

template <typename T, typename To>
void StoreAs(const T* from, int64_t count, char* to, int64_t stride) {
  To* target = reinterpret_cast<To*>(to);
  if constexpr (std::is_same_v<T, To>) {
    constexpr int64_t kLong = 96;  // for which a call pays
    if (stride == 1 && count >= kLong) return (void)std::copy_n(from, count, target);
  }
  for (int64_t i = 0; i < count; ++i) target[i * stride] = static_cast<To>(from[i]);
}

// To floats of 16 bits.
template <codegen::InstructionSet kSet, typename To, auto kRound>
void RoundAs(const float* from, int64_t count, char* to, int64_t stride) {
  const auto round = TilesOf<float>(kSet).*kRound;
  if (stride != 1 || round == nullptr) return StoreAs<float, To>(from, count, to, stride);
  round(from, count, reinterpret_cast<uint16_t*>(to));
}

template <typename T>
using StoreElements = void(const T* from, int64_t count, char* to, int64_t stride);

// Null where results have to be converted afterwards.
template <typename T>
StoreElements<T>* StoreElementsOf(PrimitiveType type, codegen::InstructionSet set) {
  if constexpr (std::is_same_v<T, float>) {
    if (type == BF16 || type == F16) {
      return ForInstructionSet(set, [&](auto known) -> StoreElements<float>* {
        if (type == F16) return RoundAs<known(), half, &Tiles<float>::round_to_half>;
        return RoundAs<known(), bfloat16, &Tiles<float>::round_to_bfloat16>;
      });
    }
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    if (type == S8 || type == U8) return StoreAs<T, uint8_t>;
    if (type == S16 || type == U16) return StoreAs<T, uint16_t>;
    if (type == S32) return StoreAs<T, T>;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    if (type == S64) return StoreAs<T, T>;
  }
  return type == TypeOf<T>(false) ? StoreAs<T, T> : nullptr;
}

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_STORE_H_
