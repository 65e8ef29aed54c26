#include "eval/element.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "data/float_text.h"
#include "xla/primitive_util.h"

namespace xla::eval {
namespace {

template <typename NativeT>
using WideOf = std::conditional_t<
    is_complex_v<NativeT>, complex128,
    std::conditional_t<
        is_specialized_floating_point_v<NativeT>, double,
        std::conditional_t<std::numeric_limits<NativeT>::is_signed, int64_t, uint64_t>>>;

template <typename NativeT, typename Wide>
NativeT ToNative(Wide value) {
  if constexpr (std::is_same_v<NativeT, bool>) {
    return value != 0;
  } else if constexpr (std::is_same_v<NativeT, half>) {
    return RoundToHalf(value);
  } else if constexpr (std::is_same_v<NativeT, bfloat16>) {
    return RoundToBfloat16(value);
  } else {
    return static_cast<NativeT>(value);
  }
}

template <typename NativeT>
void Load(const char* source, int64_t stride, int64_t count, void* wide) {
  using Wide = WideOf<NativeT>;
  const NativeT* from = reinterpret_cast<const NativeT*>(source);
  Wide* to = static_cast<Wide*>(wide);
  if (stride == 0) {
    std::fill_n(to, count, static_cast<Wide>(*from));
  } else if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Wide>(from[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Wide>(from[i * stride]);
  }
}

template <typename NativeT>
void Store(const void* wide, int64_t count, char* destination) {
  using Wide = WideOf<NativeT>;
  const Wide* from = static_cast<const Wide*>(wide);
  NativeT* to = reinterpret_cast<NativeT*>(destination);
  for (int64_t i = 0; i < count; ++i) to[i] = ToNative<NativeT>(from[i]);
}

template <typename NativeT>
void Round(void* wide, int64_t count) {
  using Wide = WideOf<NativeT>;
  if constexpr (!std::is_same_v<NativeT, Wide>) {
    Wide* values = static_cast<Wide*>(wide);
    for (int64_t i = 0; i < count; ++i) values[i] = static_cast<Wide>(ToNative<NativeT>(values[i]));
  }
}

template <PrimitiveType kType>
constexpr Format MakeFormat() {
  using NativeT = primitive_util::NativeTypeOf<kType>;
  return {kType,           kKindOf<WideOf<NativeT>>, primitive_util::BitWidth(kType),
          sizeof(NativeT), sizeof(WideOf<NativeT>),  &Load<NativeT>,
          &Store<NativeT>, &Round<NativeT>};
}

}  // namespace

const Format& FormatOf(PrimitiveType type) {
  return primitive_util::ArrayTypeSwitch(
      [](auto constant) -> const Format& {
        static constexpr Format kFormat = MakeFormat<decltype(constant)::value>();
        return kFormat;
      },
      type);
}

}  // namespace xla::eval
