// Elements in the wide types that the evaluator computes in. Every element type belongs to one of
// four kinds; a value is computed in the kind's wide type and rounded once to its element type.
#ifndef HILO_EVAL_ELEMENT_H_
#define HILO_EVAL_ELEMENT_H_

#include <complex>
#include <cstdint>
#include <type_traits>

#include "xla/types.h"
#include "xla/xla_data.pb.h"

namespace xla::eval {

// PRED is an unsigned integer of one bit, except that any value that is not zero is stored as one.
enum class Kind : uint8_t { kSigned, kUnsigned, kReal, kComplex };

// The wide types, in the order of Kind: int64_t, uint64_t, double, complex128.
template <typename Wide>
inline constexpr Kind kKindOf = std::is_same_v<Wide, int64_t>    ? Kind::kSigned
                                : std::is_same_v<Wide, uint64_t> ? Kind::kUnsigned
                                : std::is_same_v<Wide, double>   ? Kind::kReal
                                                                 : Kind::kComplex;

// How elements of one type are read and written.
struct Format {
  PrimitiveType type;
  Kind kind;
  int bits;        // that carry the value: 1 for PRED, 4 for S4
  int bytes;       // of an element in a literal
  int wide_bytes;  // of an element in the wide type

  // Reads `count` elements that are `stride` elements apart (0 repeats one).
  void (*load)(const char* source, int64_t stride, int64_t count, void* wide);
  // Rounds `count` elements to the type and writes them one after the other.
  void (*store)(const void* wide, int64_t count, char* destination);
  // Rounds in place.
  void (*round)(void* wide, int64_t count);
};

// The format of an array type.
const Format& FormatOf(PrimitiveType type);

// Functions work on at most so many elements at a time.
inline constexpr int64_t kLanes = 256;

// Room for kLanes elements of any wide type.
struct alignas(64) Lanes {
  char bytes[kLanes * sizeof(complex128)];
};

// Calls f(Wide()) with the wide type of a kind.
template <typename F>
decltype(auto) KindSwitch(F&& f, Kind kind) {
  switch (kind) {
    case Kind::kSigned:
      return f(int64_t());
    case Kind::kUnsigned:
      return f(uint64_t());
    case Kind::kReal:
      return f(double());
    case Kind::kComplex:
      break;
  }
  return f(complex128());
}

}  // namespace xla::eval

#endif  // HILO_EVAL_ELEMENT_H_
