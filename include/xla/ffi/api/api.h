// How a C++ function becomes a handler of custom calls: what its parameters stand for (the
// *binding*), and how they are taken from a call frame.
//
//   ffi::Error Scale(float factor, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y);
//   XLA_FFI_DEFINE_HANDLER(kScale, Scale,
//                          ffi::Ffi::Bind().Attr<float>("factor").Arg<ffi::Buffer<ffi::F32>>()
//                              .Ret<ffi::Buffer<ffi::F32>>());
//   XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "scale", "Host", kScale);
//
// The types of parameters are in xla/ffi/api/ffi.h, which depends on nothing but C++, or in
// xla/ffi/ffi.h, which uses absl::Status and xla::PrimitiveType. A file includes one of the two.
#ifndef XLA_FFI_API_API_H_
#define XLA_FFI_API_API_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "xla/ffi/api/c_api.h"
#include "xla/ffi/api/decoding.h"

namespace xla::ffi {
inline namespace XLA_FFI_LAYER {

//--------------------------------------------------------------------------------------------------
// Bindings
//--------------------------------------------------------------------------------------------------

namespace internal {

// What a parameter of the function stands for.
enum class Role {
  kArg,
  kOptionalArg,
  kRemainingArgs,
  kRet,
  kOptionalRet,
  kRemainingRets,
  kAttr,
  kAttrs,
  kContext
};

template <Role role, typename T>
struct Tag {
  static constexpr Role kRole = role;
  using Type = T;
};

template <typename T>
using ArgTag = Tag<Role::kArg, T>;
template <typename T>
using OptionalArgTag = Tag<Role::kOptionalArg, T>;
using RemainingArgsTag = Tag<Role::kRemainingArgs, RemainingArgs>;
template <typename T>
using RetTag = Tag<Role::kRet, T>;
template <typename T>
using OptionalRetTag = Tag<Role::kOptionalRet, T>;
using RemainingRetsTag = Tag<Role::kRemainingRets, RemainingRets>;
template <typename T>
using AttrTag = Tag<Role::kAttr, T>;
template <typename T>
using AttrsTag = Tag<Role::kAttrs, T>;
template <typename T>
using CtxTag = Tag<Role::kContext, T>;

// How many of the first `end` tags have one of the roles.
template <typename... Tags>
constexpr size_t CountRoles(std::initializer_list<Role> roles, size_t end = sizeof...(Tags)) {
  constexpr Role kRoles[] = {Tags::kRole..., Role::kContext};
  size_t count = 0;
  for (size_t i = 0; i < end; ++i) {
    for (Role role : roles) count += kRoles[i] == role;
  }
  return count;
}

}  // namespace internal

template <ExecutionStage stage, typename... Ts>
class Binding;

// A function as a handler.
template <ExecutionStage stage, typename Fn, typename... Ts>
class Handler;

// A handler as an object, and where bindings begin.
class Ffi {
 public:
  virtual ~Ffi() = default;

  template <ExecutionStage stage = ExecutionStage::kExecute>
  static Binding<stage> Bind();
  static Binding<ExecutionStage::kInstantiate> BindInstantiate();
  static Binding<ExecutionStage::kPrepare> BindPrepare();
  static Binding<ExecutionStage::kInitialize> BindInitialize();
  static Binding<ExecutionStage::kExecute> BindExecute();
  static Binding<ExecutionStage::kRecord> BindRecord();

  // A handler whose binding follows from the types of the function's parameters.
  template <typename Fn, ExecutionStage stage = ExecutionStage::kExecute>
  static auto BindTo(Fn fn, std::initializer_list<Traits> traits = {});

  virtual XLA_FFI_Error* Call(XLA_FFI_CallFrame* call_frame) const = 0;

  // Makes handlers known to the runtime. Null on success.
  static XLA_FFI_Error* RegisterStaticHandler(const XLA_FFI_Api* api, std::string_view name,
                                              std::string_view platform,
                                              XLA_FFI_Handler_Bundle bundle,
                                              XLA_FFI_Handler_Traits traits = 0) {
    XLA_FFI_Handler_Register_Args args = {
        XLA_FFI_Handler_Register_Args_STRUCT_SIZE, nullptr, {name.data(), name.size()},
        {platform.data(), platform.size()},        bundle,  traits};
    return api->XLA_FFI_Handler_Register(&args);
  }
  static XLA_FFI_Error* RegisterStaticHandler(const XLA_FFI_Api* api, std::string_view name,
                                              std::string_view platform, XLA_FFI_Handler* execute,
                                              XLA_FFI_Handler_Traits traits = 0) {
    XLA_FFI_Handler_Bundle bundle = {};
    bundle.execute = execute;
    return RegisterStaticHandler(api, name, platform, bundle, traits);
  }

  // Makes a type known, and gives it a number unless it has one.
  static XLA_FFI_Error* RegisterTypeId(const XLA_FFI_Api* api, std::string_view name,
                                       XLA_FFI_TypeId* type_id, const XLA_FFI_TypeInfo* type_info) {
    XLA_FFI_Type_Register_Args args = {XLA_FFI_Type_Register_Args_STRUCT_SIZE,
                                       nullptr,
                                       {name.data(), name.size()},
                                       type_id,
                                       type_info};
    return api->XLA_FFI_Type_Register(&args);
  }
  static XLA_FFI_Error* RegisterTypeId(const XLA_FFI_Api* api, std::string_view name,
                                       XLA_FFI_TypeId* type_id, XLA_FFI_TypeInfo type_info) {
    return RegisterTypeId(api, name, type_id, &type_info);
  }
};

// What the parameters of a function stand for, in their order.
template <ExecutionStage stage, typename... Ts>
class Binding {
 public:
  template <typename T>
  Binding<stage, Ts..., internal::ArgTag<T>> Arg() && {
    static_assert(Count({Role::kOptionalArg, Role::kRemainingArgs}) == 0,
                  "arguments that need not be there come last");
    return {std::move(names_)};
  }
  template <typename T>
  Binding<stage, Ts..., internal::RetTag<T>> Ret() && {
    static_assert(Count({Role::kOptionalRet, Role::kRemainingRets}) == 0,
                  "results that need not be there come last");
    return {std::move(names_)};
  }
  template <typename T>
  Binding<stage, Ts..., internal::OptionalArgTag<T>> OptionalArg() && {
    static_assert(Count({Role::kRemainingArgs}) == 0, "the remaining arguments come last");
    return {std::move(names_)};
  }
  template <typename T>
  Binding<stage, Ts..., internal::OptionalRetTag<T>> OptionalRet() && {
    static_assert(Count({Role::kRemainingRets}) == 0, "the remaining results come last");
    return {std::move(names_)};
  }
  Binding<stage, Ts..., internal::RemainingArgsTag> RemainingArgs() && {
    static_assert(Count({Role::kRemainingArgs}) == 0, "the remaining arguments are bound already");
    return {std::move(names_)};
  }
  Binding<stage, Ts..., internal::RemainingRetsTag> RemainingRets() && {
    static_assert(Count({Role::kRemainingRets}) == 0, "the remaining results are bound already");
    return {std::move(names_)};
  }
  template <typename T>
  Binding<stage, Ts..., internal::AttrTag<T>> Attr(std::string name) && {
    static_assert(Count({Role::kAttrs}) == 0, "all attributes are bound already");
    names_.push_back(std::move(name));
    return {std::move(names_)};
  }
  // All attributes at once.
  template <typename T = Dictionary>
  Binding<stage, Ts..., internal::AttrsTag<T>> Attrs() && {
    static_assert(Count({Role::kAttr, Role::kAttrs}) == 0, "some attributes are bound already");
    return {std::move(names_)};
  }
  template <typename T>
  Binding<stage, Ts..., internal::CtxTag<T>> Ctx() && {
    return {std::move(names_)};
  }
  Binding<stage, Ts..., internal::CtxTag<Context>> Ctx() && { return {std::move(names_)}; }

  template <typename Fn>
  std::unique_ptr<Handler<stage, Fn, Ts...>> To(Fn fn, std::initializer_list<Traits> traits = {}) {
    return std::make_unique<Handler<stage, Fn, Ts...>>(std::move(fn), traits, std::move(names_));
  }

  // For other bindings.
  Binding(std::vector<std::string> names) : names_(std::move(names)) {}

 private:
  using Role = internal::Role;
  static constexpr size_t Count(std::initializer_list<Role> roles) {
    return internal::CountRoles<Ts...>(roles);
  }

  std::vector<std::string> names_;  // of attributes, in their order
};

template <ExecutionStage stage>
Binding<stage> Ffi::Bind() {
  return Binding<stage>(std::vector<std::string>());
}
inline Binding<ExecutionStage::kInstantiate> Ffi::BindInstantiate() {
  return Bind<ExecutionStage::kInstantiate>();
}
inline Binding<ExecutionStage::kPrepare> Ffi::BindPrepare() {
  return Bind<ExecutionStage::kPrepare>();
}
inline Binding<ExecutionStage::kInitialize> Ffi::BindInitialize() {
  return Bind<ExecutionStage::kInitialize>();
}
inline Binding<ExecutionStage::kExecute> Ffi::BindExecute() {
  return Bind<ExecutionStage::kExecute>();
}
inline Binding<ExecutionStage::kRecord> Ffi::BindRecord() {
  return Bind<ExecutionStage::kRecord>();
}

namespace internal {

template <typename T, typename = void>
struct IsArg : std::false_type {};
template <typename T>
struct IsArg<T, std::void_t<typename ArgBinding<T>::Arg>> : std::true_type {};
template <typename T, typename = void>
struct IsRet : std::false_type {};
template <typename T>
struct IsRet<T, std::void_t<typename RetBinding<T>::Ret>> : std::true_type {};
template <typename T, typename = void>
struct IsAttr : std::false_type {};
template <typename T>
struct IsAttr<T, std::void_t<typename AttrBinding<T>::Attr>> : std::true_type {};
template <typename T, typename = void>
struct IsAttrs : std::false_type {};
template <typename T>
struct IsAttrs<T, std::void_t<typename AttrsBinding<T>::Attrs>> : std::true_type {};
template <typename T, typename = void>
struct IsCtx : std::false_type {};
template <typename T>
struct IsCtx<T, std::void_t<typename CtxBinding<T>::Ctx>> : std::true_type {};

// The binding with what the parameter stands for, and so on with those after it.
template <typename B>
B BindParameters(B binding) {
  return binding;
}
template <typename Parameter, typename... More, typename B>
auto BindParameters(B binding) {
  if constexpr (IsArg<Parameter>::value) {
    return BindParameters<More...>(
        std::move(binding).template Arg<typename ArgBinding<Parameter>::Arg>());
  } else if constexpr (IsRet<Parameter>::value) {
    return BindParameters<More...>(
        std::move(binding).template Ret<typename RetBinding<Parameter>::Ret>());
  } else if constexpr (IsAttr<Parameter>::value) {
    return BindParameters<More...>(
        std::move(binding).template Attr<typename AttrBinding<Parameter>::Attr>(
            std::string(AttrBinding<Parameter>::name())));
  } else if constexpr (IsAttrs<Parameter>::value) {
    return BindParameters<More...>(
        std::move(binding).template Attrs<typename AttrsBinding<Parameter>::Attrs>());
  } else if constexpr (IsCtx<Parameter>::value) {
    return BindParameters<More...>(
        std::move(binding).template Ctx<typename CtxBinding<Parameter>::Ctx>());
  } else {
    static_assert(kAlwaysFalse<Parameter>, "nothing says what a parameter of this type stands for");
  }
}

// The binding of a function, a lambda or another object with one operator().
template <ExecutionStage stage, typename R, typename... Parameters>
auto BindSignature(R (*)(Parameters...)) {
  return BindParameters<std::decay_t<Parameters>...>(Ffi::Bind<stage>());
}
template <ExecutionStage stage, typename Fn, typename R, typename... Parameters>
auto BindSignature(R (Fn::*)(Parameters...) const) {
  return BindParameters<std::decay_t<Parameters>...>(Ffi::Bind<stage>());
}

}  // namespace internal

template <typename Fn, ExecutionStage stage>
auto Ffi::BindTo(Fn fn, std::initializer_list<Traits> traits) {
  if constexpr (std::is_pointer_v<Fn>) {
    return internal::BindSignature<stage>(fn).To(fn, traits);
  } else {
    return internal::BindSignature<stage>(&Fn::operator()).To(std::move(fn), traits);
  }
}

//--------------------------------------------------------------------------------------------------
// Handlers
//--------------------------------------------------------------------------------------------------

namespace internal {

template <typename Encoding, typename = void>
struct IsStateEncoding : std::false_type {};
template <typename Encoding>
struct IsStateEncoding<
    Encoding, std::void_t<decltype(Encoding::state_type_id(std::declval<const XLA_FFI_Api*>()))>>
    : std::true_type {};

template <typename... Parts>
std::string Concatenate(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

}  // namespace internal

template <ExecutionStage stage, typename Fn, typename... Tags>
class Handler final : public Ffi {
 public:
  Handler(Fn fn, std::initializer_list<Traits> traits, std::vector<std::string> names)
      : fn_(std::move(fn)), sorted_names_(std::move(names)) {
    for (Traits trait : traits) traits_ |= static_cast<XLA_FFI_Handler_Traits>(trait);
    const std::vector<std::string> in_order = sorted_names_;
    std::sort(sorted_names_.begin(), sorted_names_.end());
    sorted_names_.erase(std::unique(sorted_names_.begin(), sorted_names_.end()),
                        sorted_names_.end());
    for (const std::string& name : in_order) {
      places_.push_back(std::lower_bound(sorted_names_.begin(), sorted_names_.end(), name) -
                        sorted_names_.begin());
    }
  }

  XLA_FFI_Error* Call(XLA_FFI_CallFrame* frame) const override {
#if defined(__cpp_exceptions)
    try {
      return CallFunction(frame);
    } catch (const std::exception& exception) {
      return internal::MakeError(
          frame->api, XLA_FFI_Error_Code_INTERNAL,
          internal::Concatenate("The handler threw an exception: ", exception.what()));
    } catch (...) {
      return internal::MakeError(frame->api, XLA_FFI_Error_Code_INTERNAL,
                                 "The handler threw something that is no std::exception");
    }
#else
    return CallFunction(frame);
#endif
  }

 private:
  using Role = internal::Role;
  static constexpr size_t Count(std::initializer_list<Role> roles, size_t end = sizeof...(Tags)) {
    return internal::CountRoles<Tags...>(roles, end);
  }

  XLA_FFI_Error* CallFunction(XLA_FFI_CallFrame* frame) const {
    for (auto* extension = frame->extension_start; extension != nullptr;
         extension = extension->next) {
      if (extension->type == XLA_FFI_InternalExtension_Metadata) {
        return FillMetadata(*frame, *reinterpret_cast<XLA_FFI_Metadata_Extension*>(extension));
      }
    }
    const std::string problem = FindProblem(*frame);
    if (!problem.empty()) {
      return internal::MakeError(
          frame->api, XLA_FFI_Error_Code_INVALID_ARGUMENT,
          internal::Concatenate("[", internal::Name(frame->stage), "] ", problem));
    }
    return CallFunction(frame, std::index_sequence_for<Tags...>());
  }

  // What is wrong with the frame as a whole; empty when nothing is.
  std::string FindProblem(const XLA_FFI_CallFrame& frame) const {
    if (frame.struct_size < XLA_FFI_CallFrame_STRUCT_SIZE) {
      return internal::Concatenate("Unexpected XLA_FFI_CallFrame size: expected at least ",
                                   static_cast<size_t>(XLA_FFI_CallFrame_STRUCT_SIZE), " but got ",
                                   frame.struct_size);
    }
    if (frame.stage != static_cast<XLA_FFI_ExecutionStage>(stage)) {
      return internal::Concatenate("Wrong execution stage: the handler is for ",
                                   internal::Name(static_cast<XLA_FFI_ExecutionStage>(stage)));
    }
    std::string problem =
        FindCountProblem("arguments", Count({Role::kArg}), Count({Role::kOptionalArg}),
                         Count({Role::kRemainingArgs}), static_cast<size_t>(frame.args.size));
    if (!problem.empty()) return problem;
    problem = FindCountProblem("results", Count({Role::kRet}), Count({Role::kOptionalRet}),
                               Count({Role::kRemainingRets}), static_cast<size_t>(frame.rets.size));
    if (!problem.empty()) return problem;
    if (!sorted_names_.empty() && static_cast<size_t>(frame.attrs.size) != sorted_names_.size())
      return WrongNumberOfAttributes(frame);
    return "";
  }

  // A handler that names no argument (or result) does not care for how many there are.
  static std::string FindCountProblem(std::string_view what, size_t wanted, size_t optional,
                                      size_t remaining, size_t given) {
    if (wanted + optional + remaining == 0) return "";
    const bool is_open = remaining > 0;
    if (given >= wanted && (is_open || given <= wanted + optional)) return "";
    const std::string_view bound = optional + remaining == 0 ? ""
                                   : given < wanted          ? "at least "
                                                             : "at most ";
    return internal::Concatenate("Wrong number of ", what, ": expected ", bound,
                                 given < wanted ? wanted : wanted + optional, " but got ", given);
  }

  std::string WrongNumberOfAttributes(const XLA_FFI_CallFrame& frame) const {
    std::ostringstream message;
    message << "Wrong number of attributes: expected " << sorted_names_.size() << " but got "
            << frame.attrs.size << ": wanted are";
    for (const std::string& name : sorted_names_) message << " " << name;
    message << ", given are";
    for (std::string_view name : internal::DictionaryBase(&frame.attrs)) message << " " << name;
    return message.str();
  }

  template <size_t... i>
  XLA_FFI_Error* CallFunction(XLA_FFI_CallFrame* frame, std::index_sequence<i...>) const {
    DiagnosticEngine diagnostic;
    // Braces, unlike parentheses, say that operands are decoded in order.
    std::tuple<decltype(Decode<i>(*frame, diagnostic))...> operands{
        Decode<i>(*frame, diagnostic)...};
    if (!(std::get<i>(operands).has_value() && ...)) {
      std::ostringstream message;
      message << "[" << internal::Name(frame->stage)
              << "] Failed to decode all FFI handler operands (bad operands at:";
      ((std::get<i>(operands).has_value() ? message : message << " " << i), ...);
      message << ")\nDiagnostics:\n" << diagnostic.Result();
      return internal::MakeError(frame->api, XLA_FFI_Error_Code_INVALID_ARGUMENT, message.str());
    }
    return Deliver(frame, ResultEncoding<stage, FunctionResult>::Encode(
                              frame->api, frame->ctx, fn_(std::move(*std::get<i>(operands))...)));
  }

  static XLA_FFI_Error* Deliver(XLA_FFI_CallFrame*, XLA_FFI_Error* error) { return error; }
  static XLA_FFI_Error* Deliver(XLA_FFI_CallFrame* frame, XLA_FFI_Future* future) {
    frame->future = future;
    return nullptr;
  }
  static XLA_FFI_Error* Deliver(XLA_FFI_CallFrame* frame,
                                std::variant<XLA_FFI_Error*, XLA_FFI_Future*> either) {
    return std::visit([&](auto* one) { return Deliver(frame, one); }, either);
  }

  // The parameter that stands for tag number i: an optional of it, empty when it cannot be had.
  template <size_t i>
  auto Decode(const XLA_FFI_CallFrame& frame, DiagnosticEngine& diagnostic) const {
    using T = std::tuple_element_t<i, std::tuple<Tags...>>;
    using Type = typename T::Type;
    constexpr size_t kArg = Count({Role::kArg, Role::kOptionalArg}, i);
    constexpr size_t kRet = Count({Role::kRet, Role::kOptionalRet}, i);
    if constexpr (T::kRole == Role::kArg) {
      return ArgDecoding<Type>::Decode(frame.args.types[kArg], frame.args.args[kArg], diagnostic);
    } else if constexpr (T::kRole == Role::kRet) {
      return RetDecoding<Type>::Decode(frame.rets.types[kRet], frame.rets.rets[kRet], diagnostic);
    } else if constexpr (T::kRole == Role::kOptionalArg) {
      std::optional<std::optional<Type>> operand(std::in_place);
      if (static_cast<size_t>(frame.args.size) <= kArg) return operand;
      *operand =
          ArgDecoding<Type>::Decode(frame.args.types[kArg], frame.args.args[kArg], diagnostic);
      if (!operand->has_value()) operand.reset();
      return operand;
    } else if constexpr (T::kRole == Role::kOptionalRet) {
      std::optional<std::optional<Result<Type>>> operand(std::in_place);
      if (static_cast<size_t>(frame.rets.size) <= kRet) return operand;
      *operand =
          RetDecoding<Type>::Decode(frame.rets.types[kRet], frame.rets.rets[kRet], diagnostic);
      if (!operand->has_value()) operand.reset();
      return operand;
    } else if constexpr (T::kRole == Role::kRemainingArgs) {
      return std::optional<Type>(Type(&frame.args, kArg));
    } else if constexpr (T::kRole == Role::kRemainingRets) {
      return std::optional<Type>(Type(&frame.rets, kRet));
    } else if constexpr (T::kRole == Role::kAttr) {
      return DecodeAttribute<Type>(frame.attrs, places_[Count({Role::kAttr}, i)], diagnostic);
    } else if constexpr (T::kRole == Role::kAttrs) {
      return AttrDecoding<Type>::Decode(XLA_FFI_AttrType_DICTIONARY,
                                        const_cast<XLA_FFI_Attrs*>(&frame.attrs), diagnostic);
    } else {
      return CtxDecoding<Type>::Decode(frame.api, frame.ctx, diagnostic);
    }
  }

  // There are as many attributes as are wanted, and both are sorted.
  template <typename T>
  std::optional<typename AttrDecoding<T>::Type> DecodeAttribute(
      const XLA_FFI_Attrs& attrs, size_t place, DiagnosticEngine& diagnostic) const {
    const std::string_view given(attrs.names[place]->ptr, attrs.names[place]->len);
    if (given != sorted_names_[place]) {
      return diagnostic.Emit("Attribute name mismatch: expected ")
             << sorted_names_[place] << " but got " << given;
    }
    DiagnosticEngine own;
    auto value = AttrDecoding<T>::Decode(attrs.types[place], attrs.attrs[place], own);
    if (!value.has_value()) diagnostic.Emit("attribute ") << given << ": " << own.Result();
    return value;
  }

  XLA_FFI_Error* FillMetadata(const XLA_FFI_CallFrame& frame,
                              XLA_FFI_Metadata_Extension& extension) const {
    XLA_FFI_Metadata& metadata = *extension.metadata;
    if (metadata.struct_size < XLA_FFI_Metadata_STRUCT_SIZE) {
      return internal::MakeError(
          frame.api, XLA_FFI_Error_Code_INVALID_ARGUMENT,
          internal::Concatenate("Unexpected XLA_FFI_Metadata size: ", metadata.struct_size));
    }
    metadata.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR,
                            XLA_FFI_API_MINOR};
    metadata.traits = traits_;
    if (metadata.struct_size < sizeof(XLA_FFI_Metadata)) return nullptr;
    metadata.state_type_id = XLA_FFI_UNKNOWN_TYPE_ID;
    if constexpr (internal::IsStateEncoding<ResultEncoding<stage, FunctionResult>>::value) {
      metadata.state_type_id = ResultEncoding<stage, FunctionResult>::state_type_id(frame.api);
      if (metadata.state_type_id.type_id == 0) {
        return internal::MakeError(
            frame.api, XLA_FFI_Error_Code_FAILED_PRECONDITION,
            "The type of a handler's state must be registered before the handler");
      }
    }
    return nullptr;
  }

  // What the function gets for each tag, and so what it returns.
  template <typename T>
  struct Parameter {
    static auto Of() {
      using Type = typename T::Type;
      if constexpr (T::kRole == Role::kArg) {
        return Identity<Type>();
      } else if constexpr (T::kRole == Role::kRet) {
        return Identity<Result<Type>>();
      } else if constexpr (T::kRole == Role::kOptionalArg) {
        return Identity<std::optional<Type>>();
      } else if constexpr (T::kRole == Role::kOptionalRet) {
        return Identity<std::optional<Result<Type>>>();
      } else if constexpr (T::kRole == Role::kAttr || T::kRole == Role::kAttrs) {
        return Identity<typename AttrDecoding<Type>::Type>();
      } else if constexpr (T::kRole == Role::kContext) {
        return Identity<typename CtxDecoding<Type>::Type>();
      } else {
        return Identity<Type>();
      }
    }
    template <typename U>
    struct Identity {
      using Value = U;
    };
    using Type = typename decltype(Of())::Value;
  };
  static_assert(std::is_invocable_v<Fn, typename Parameter<Tags>::Type...>,
                "the function's parameters are not what the binding says");
  using FunctionResult = std::invoke_result_t<Fn, typename Parameter<Tags>::Type...>;

  Fn fn_;
  XLA_FFI_Handler_Traits traits_ = 0;
  std::vector<std::string> sorted_names_;  // of attributes
  std::vector<size_t> places_;             // of each bound attribute in sorted_names_
};

namespace internal {

template <typename Fn>
const Ffi* MakeHandler(Fn fn) {
  return Ffi::BindTo(std::move(fn)).release();
}
template <typename Fn, ExecutionStage stage, typename... Ts>
const Ffi* MakeHandler(Fn fn, Binding<stage, Ts...> binding,
                       std::initializer_list<Traits> traits = {}) {
  return std::move(binding).To(std::move(fn), traits).release();
}

}  // namespace internal
}  // namespace XLA_FFI_LAYER
}  // namespace xla::ffi

//--------------------------------------------------------------------------------------------------
// Macros
//--------------------------------------------------------------------------------------------------

// XLA_FFI_DEFINE_HANDLER(name, function[, binding[, {traits...}]]): `name` is a handler that calls
// the function. Without a binding it is that of Ffi::BindTo.
#define XLA_FFI_DEFINE_HANDLER(fn, ...)                                                \
  static constexpr XLA_FFI_Handler* fn = +[](XLA_FFI_CallFrame* call_frame) {          \
    static const auto* const handler = ::xla::ffi::internal::MakeHandler(__VA_ARGS__); \
    return handler->Call(call_frame);                                                  \
  }
#define XLA_FFI_DEFINE_HANDLER_AUTO(fn, impl) XLA_FFI_DEFINE_HANDLER(fn, impl)
#define XLA_FFI_DEFINE_HANDLER_EXPLICIT(fn, impl, binding) XLA_FFI_DEFINE_HANDLER(fn, impl, binding)
#define XLA_FFI_DEFINE_HANDLER_EXPLICIT_WITH_TRAITS(fn, impl, binding, traits) \
  XLA_FFI_DEFINE_HANDLER(fn, impl, binding, traits)

// The same as a C function, which a shared library can export.
#define XLA_FFI_DECLARE_HANDLER_SYMBOL(fn) \
  extern "C" XLA_FFI_Error* fn(XLA_FFI_CallFrame* call_frame)
#define XLA_FFI_DEFINE_HANDLER_SYMBOL(fn, ...)                  \
  extern "C" XLA_FFI_Error* fn(XLA_FFI_CallFrame* call_frame) { \
    XLA_FFI_DEFINE_HANDLER(handler, __VA_ARGS__);               \
    return handler(call_frame);                                 \
  }                                                             \
  static_assert(true, "for the semicolon")

#define XLA_FFI_DECLARE_TYPE_ID_SYMBOL(type_id_fn) extern "C" XLA_FFI_TypeId* type_id_fn()
#define XLA_FFI_DECLARE_TYPE_INFO_SYMBOL(type_info_fn) \
  extern "C" const XLA_FFI_TypeInfo* type_info_fn()

// XLA_FFI_REGISTER_HANDLER(api, name, platform, handler or bundle[, traits]): makes handlers known
// when the program starts.
#define XLA_FFI_REGISTER_HANDLER(API, NAME, PLATFORM, ...) \
  XLA_FFI_REGISTER_HANDLER_COUNTED(API, NAME, PLATFORM, __COUNTER__, __VA_ARGS__)
#define XLA_FFI_REGISTER_HANDLER_COUNTED(API, NAME, PLATFORM, N, ...) \
  XLA_FFI_REGISTER_HANDLER_NAMED(API, NAME, PLATFORM, N, __VA_ARGS__)
#define XLA_FFI_REGISTER_HANDLER_NAMED(API, NAME, PLATFORM, N, ...)                      \
  [[maybe_unused]] static const XLA_FFI_Error* const xla_ffi_handler_##N##_registered_ = \
      ::xla::ffi::Ffi::RegisterStaticHandler(API, NAME, PLATFORM, __VA_ARGS__)

// XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(T, StructMember<U>("name")...): attributes that are
// dictionaries can be bound as T, whose members are initialised in that order.
#define XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(T, ...)                                             \
  namespace xla::ffi {                                                                            \
  template <>                                                                                     \
  struct AttrsBinding<T> {                                                                        \
    using Attrs = T;                                                                              \
  };                                                                                              \
  template <>                                                                                     \
  struct AttrDecoding<T> {                                                                        \
    using Type = T;                                                                               \
    static bool Isa(XLA_FFI_AttrType type, void*) { return type == XLA_FFI_AttrType_DICTIONARY; } \
    static std::optional<T> Decode(XLA_FFI_AttrType type, void* attr,                             \
                                   DiagnosticEngine& diagnostic) {                                \
      return ::xla::ffi::internal::DecodeStruct<T>(type, attr, diagnostic, __VA_ARGS__);          \
    }                                                                                             \
  };                                                                                              \
  }                                                                                               \
  static_assert(true, "for the semicolon")

// Attributes that are scalars of the enumeration's underlying type can be bound as T.
#define XLA_FFI_REGISTER_ENUM_ATTR_DECODING(T)                       \
  namespace xla::ffi {                                               \
  template <>                                                        \
  struct AttrDecoding<T> : ::xla::ffi::internal::EnumDecoding<T> {}; \
  }                                                                  \
  static_assert(true, "for the semicolon")

#endif  // XLA_FFI_API_API_H_
