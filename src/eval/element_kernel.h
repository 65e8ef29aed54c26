// Makes element functions out of functors: a functor is written for one element, once for each kind
// or as a template.
#ifndef HILO_EVAL_ELEMENT_KERNEL_H_
#define HILO_EVAL_ELEMENT_KERNEL_H_

#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "eval/element.h"
#include "eval/element_functions.h"

namespace xla::eval {

template <typename T>
concept WideInteger = std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>;
template <typename T>
concept WideReal = std::is_same_v<T, double>;
template <typename T>
concept WideFloat = std::is_same_v<T, double> || std::is_same_v<T, complex128>;

// Calls a functor that wants the context or does not.
template <typename F, typename... T>
auto CallFunctor(const ElementContext& context, T... operands) {
  if constexpr (std::is_invocable_v<F, const ElementContext&, T...>) {
    return F()(context, operands...);
  } else {
    return F()(operands...);
  }
}

template <typename F, typename... T>
inline constexpr bool kTakes =
    std::is_invocable_v<F, T...> || std::is_invocable_v<F, const ElementContext&, T...>;

// Has more digits than a wide type.
template <typename T>
using Wider = std::conditional_t<std::is_same_v<T, double>, long double, std::complex<long double>>;

// A functor for elements whose wide type has no more digits than they, too: of F64 and C128 it is
// given still wider numbers, so that results of all types are rounded once.
template <typename F>
struct Widened {
  template <WideFloat T, std::same_as<T>... Rest>
  std::invoke_result_t<F, T, Rest...> operator()(const ElementContext& context, T x,
                                                 Rest... rest) const {
    if (context.operand->bytes < static_cast<int>(sizeof(T))) return F()(x, rest...);
    return static_cast<T>(F()(Wider<T>(x), Wider<T>(rest)...));
  }
};

template <typename F, typename T>
void UnaryKernel(const ElementContext& context, const void* const* operands, void* result,
                 int64_t count) {
  using Out = decltype(CallFunctor<F>(context, T()));
  const T* x = static_cast<const T*>(operands[0]);
  Out* out = static_cast<Out*>(result);
  for (int64_t i = 0; i < count; ++i) out[i] = CallFunctor<F>(context, x[i]);
}

template <typename F, typename T>
void BinaryKernel(const ElementContext& context, const void* const* operands, void* result,
                  int64_t count) {
  using Out = decltype(CallFunctor<F>(context, T(), T()));
  const T* x = static_cast<const T*>(operands[0]);
  const T* y = static_cast<const T*>(operands[1]);
  Out* out = static_cast<Out*>(result);
  for (int64_t i = 0; i < count; ++i) out[i] = CallFunctor<F>(context, x[i], y[i]);
}

// The function for elements of `kind`; null where the functor does not take them.
template <typename F>
ElementFunction Unary(Kind kind) {
  return KindSwitch(
      [](auto wide) -> ElementFunction {
        if constexpr (kTakes<F, decltype(wide)>) {
          return &UnaryKernel<F, decltype(wide)>;
        } else {
          return nullptr;
        }
      },
      kind);
}

template <typename F>
ElementFunction Binary(Kind kind) {
  return KindSwitch(
      [](auto wide) -> ElementFunction {
        if constexpr (kTakes<F, decltype(wide), decltype(wide)>) {
          return &BinaryKernel<F, decltype(wide)>;
        } else {
          return nullptr;
        }
      },
      kind);
}

}  // namespace xla::eval

#endif  // HILO_EVAL_ELEMENT_KERNEL_H_
