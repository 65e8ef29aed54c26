#ifndef HILO_COMPAT_ABSL_FUNCTIONAL_OVERLOAD_H_
#define HILO_COMPAT_ABSL_FUNCTIONAL_OVERLOAD_H_

namespace absl {

// One callable that has the call operators of all its parts, for std::visit.
template <typename... Callables>
struct Overload final : Callables... {
  explicit constexpr Overload(Callables... callables)
      : Callables(static_cast<Callables&&>(callables))... {}
  using Callables::operator()...;
};

template <typename... Callables>
Overload(Callables...) -> Overload<Callables...>;

}  // namespace absl

#endif  // HILO_COMPAT_ABSL_FUNCTIONAL_OVERLOAD_H_
