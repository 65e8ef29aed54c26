// How arguments, results and attributes are taken from a call frame, whatever types stand for them:
// points of extension, scalars, and bases of what xla/ffi/api/parameters.h has. Included by
// xla/ffi/api/api.h.
#ifndef XLA_FFI_API_DECODING_H_
#define XLA_FFI_API_DECODING_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "xla/ffi/api/c_api.h"

// The two ways to spell parameters have names in common. Each has an inline namespace, so that
// files of both kinds can be linked into one program.
#ifdef XLA_FFI_FFI_H_
#define XLA_FFI_LAYER linked_api
#else
#define XLA_FFI_LAYER external_api
#endif

namespace xla::ffi {
inline namespace XLA_FFI_LAYER {

enum class ExecutionStage : uint8_t {
  kInstantiate = XLA_FFI_ExecutionStage_INSTANTIATE,
  kPrepare = XLA_FFI_ExecutionStage_PREPARE,
  kInitialize = XLA_FFI_ExecutionStage_INITIALIZE,
  kExecute = XLA_FFI_ExecutionStage_EXECUTE,
  kRecord = XLA_FFI_ExecutionStage_RECORD,
};

enum class Traits : uint32_t {
  kCmdBufferCompatible = XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE,
};

// Defined by the file that spells parameters.
class Context;
class Dictionary;
class RemainingArgs;
class RemainingRets;

//--------------------------------------------------------------------------------------------------
// Points of extension: programs specialise these for types of their own.
//--------------------------------------------------------------------------------------------------

// Collects what was wrong with operands.
class DiagnosticEngine;

// One message, to which more is streamed. Converts to an empty optional, so that functions that
// decode can return it.
class InFlightDiagnostic {
 public:
  InFlightDiagnostic(DiagnosticEngine* engine, std::string message) : engine_(engine) {
    stream_ << message;
  }
  InFlightDiagnostic(const InFlightDiagnostic&) = delete;
  InFlightDiagnostic& operator=(const InFlightDiagnostic&) = delete;
  inline ~InFlightDiagnostic();

  template <typename T>
  InFlightDiagnostic& operator<<(T&& value) {
    stream_ << std::forward<T>(value);
    return *this;
  }
  template <typename T>
  operator std::optional<T>() const {
    return std::nullopt;
  }

 private:
  DiagnosticEngine* engine_;
  std::ostringstream stream_;
};

class DiagnosticEngine {
 public:
  DiagnosticEngine() = default;
  DiagnosticEngine(const DiagnosticEngine&) = delete;
  DiagnosticEngine& operator=(const DiagnosticEngine&) = delete;

  InFlightDiagnostic Emit(std::string message) {
    return InFlightDiagnostic(this, std::move(message));
  }
  std::string Result() const { return text_; }

 private:
  friend class InFlightDiagnostic;
  std::string text_;
};

InFlightDiagnostic::~InFlightDiagnostic() {
  if (!engine_->text_.empty()) engine_->text_ += '\n';
  engine_->text_ += stream_.str();
}

// static std::optional<T> Decode(XLA_FFI_ArgType, void* arg, DiagnosticEngine&)
template <typename T>
struct ArgDecoding;

// static std::optional<Result<T>> Decode(XLA_FFI_RetType, void* ret, DiagnosticEngine&)
template <typename T>
struct RetDecoding;

// using Type = ...;  what the function gets for the context T
// static std::optional<Type> Decode(const XLA_FFI_Api*, XLA_FFI_InvokeContext*, DiagnosticEngine&)
template <typename T>
struct CtxDecoding;

// What the runtime gets for the function's result of type T:
// static XLA_FFI_Error* Encode(const XLA_FFI_Api*, XLA_FFI_InvokeContext*, T result)
// or one that returns XLA_FFI_Future* or std::variant<XLA_FFI_Error*, XLA_FFI_Future*>. Where the
// result is a state, static XLA_FFI_TypeId state_type_id(const XLA_FFI_Api*) gives its type.
template <ExecutionStage stage, typename T>
struct ResultEncoding;

// For Ffi::BindTo, which infers the binding from a function: which parameters stand for what.
// Members: `using Arg`, `using Ret`, `using Attr` with `static constexpr std::string_view name()`,
// `using Attrs`, `using Ctx`.
template <typename T>
struct ArgBinding {};
template <typename T>
struct RetBinding {};
template <typename T>
struct AttrBinding {};
template <typename T>
struct AttrsBinding {};
template <typename T>
struct CtxBinding {};

// A result, which the function writes to.
template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_;
};

// A parameter that is the attribute of that name, for BindTo.
template <typename T, const char* attr_name>
class Attr {
 public:
  Attr(T value) : value_(std::move(value)) {}
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_;
};

template <typename T, const char* attr_name>
struct AttrBinding<Attr<T, attr_name>> {
  using Attr = T;
  static constexpr std::string_view name() { return attr_name; }
};
template <>
struct AttrsBinding<Dictionary> {
  using Attrs = Dictionary;
};

//--------------------------------------------------------------------------------------------------
// Scalars
//--------------------------------------------------------------------------------------------------

namespace internal {

template <typename T>
inline constexpr bool kAlwaysFalse = false;

// The element type that a C++ type stands for.
template <typename T>
constexpr XLA_FFI_DataType NativeTypeToCApiDataType() {
  if constexpr (std::is_same_v<T, bool>) {
    return XLA_FFI_DataType_PRED;
  } else if constexpr (std::is_integral_v<T>) {
    constexpr XLA_FFI_DataType kSigned[] = {XLA_FFI_DataType_S8, XLA_FFI_DataType_S16,
                                            XLA_FFI_DataType_S32, XLA_FFI_DataType_S64};
    constexpr XLA_FFI_DataType kUnsigned[] = {XLA_FFI_DataType_U8, XLA_FFI_DataType_U16,
                                              XLA_FFI_DataType_U32, XLA_FFI_DataType_U64};
    constexpr int kSize = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[kSize] : kUnsigned[kSize];
  } else if constexpr (std::is_same_v<T, float>) {
    return XLA_FFI_DataType_F32;
  } else if constexpr (std::is_same_v<T, double>) {
    return XLA_FFI_DataType_F64;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return XLA_FFI_DataType_C64;
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return XLA_FFI_DataType_C128;
  } else {
    static_assert(kAlwaysFalse<T>, "no element type is like this");
  }
}

inline std::string_view Name(XLA_FFI_AttrType type) {
  constexpr std::string_view kNames[] = {"", "array", "dictionary", "scalar", "string"};
  return type > 0 && type < 5 ? kNames[type] : "unknown";
}

inline std::string_view Name(XLA_FFI_ExecutionStage stage) {
  constexpr std::string_view kNames[] = {"instantiate", "prepare", "initialize", "execute",
                                         "record"};
  return stage >= 0 && stage < 5 ? kNames[stage] : "unknown";
}

inline std::string_view Name(XLA_FFI_DataType type) {
  constexpr std::string_view kNames[] = {
      "INVALID",    "PRED",       "S8",   "S16",    "S32",      "S64",    "U8", "U16",
      "U32",        "U64",        "F16",  "F32",    "F64",      "?",      "?",  "C64",
      "BF16",       "TOKEN",      "C128", "F8E5M2", "F8E4M3FN", "S4",     "U4", "F8E4M3B11FNUZ",
      "F8E5M2FNUZ", "F8E4M3FNUZ", "S2",   "U2",     "F8E4M3",   "F8E3M4", "S1", "U1",
      "F4E2M1FN",   "F8E8M0FNU"};
  return type >= 0 && type <= XLA_FFI_DataType_F8E8M0FNU ? kNames[type] : "unknown";
}

// A scalar of type T, the value of an attribute.
template <typename T>
struct ScalarDecoding {
  static bool Isa(XLA_FFI_AttrType type, void* attr) {
    return type == XLA_FFI_AttrType_SCALAR &&
           static_cast<XLA_FFI_Scalar*>(attr)->dtype == NativeTypeToCApiDataType<T>();
  }
  static std::optional<T> Decode(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_AttrType_SCALAR) {
      return diagnostic.Emit("Wrong attribute type: expected scalar but got ") << Name(type);
    }
    const auto* scalar = static_cast<const XLA_FFI_Scalar*>(attr);
    if (scalar->dtype != NativeTypeToCApiDataType<T>()) {
      return diagnostic.Emit("Wrong scalar data type: expected ")
             << Name(NativeTypeToCApiDataType<T>()) << " but got " << Name(scalar->dtype);
    }
    return *static_cast<const T*>(scalar->value);
  }
};

// An enumeration, as a scalar of its underlying type.
template <typename T>
struct EnumDecoding {
  static_assert(std::is_enum_v<T>, "the type must be an enumeration");
  using Type = T;
  using Scalar = ScalarDecoding<std::underlying_type_t<T>>;
  static bool Isa(XLA_FFI_AttrType type, void* attr) { return Scalar::Isa(type, attr); }
  static std::optional<T> Decode(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic) {
    const auto value = Scalar::Decode(type, attr, diagnostic);
    if (!value.has_value()) return std::nullopt;
    return static_cast<T>(*value);
  }
};

}  // namespace internal

// using Type = ...;  what the function gets for an attribute bound as T
// static std::optional<Type> Decode(XLA_FFI_AttrType, void* attr, DiagnosticEngine&)
// static bool Isa(XLA_FFI_AttrType, void* attr)  needed only for alternatives of a std::variant
//
// Without a specialisation T is a type of scalars.
template <typename T>
struct AttrDecoding : internal::ScalarDecoding<T> {
  using Type = T;
};

// The first alternative that the attribute is.
template <typename... Ts>
struct AttrDecoding<std::variant<Ts...>> {
  using Type = std::variant<Ts...>;
  static bool Isa(XLA_FFI_AttrType type, void* attr) {
    return (AttrDecoding<Ts>::Isa(type, attr) || ...);
  }
  static std::optional<Type> Decode(XLA_FFI_AttrType type, void* attr,
                                    DiagnosticEngine& diagnostic) {
    std::optional<Type> decoded;
    const bool found = (Try<Ts>(type, attr, diagnostic, decoded) || ...);
    if (!found) {
      diagnostic.Emit("Wrong attribute type: none of the variant's alternatives is ")
          << internal::Name(type);
    }
    return decoded;
  }

 private:
  template <typename T>
  static bool Try(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic,
                  std::optional<Type>& decoded) {
    if (!AttrDecoding<T>::Isa(type, attr)) return false;
    if (auto value = AttrDecoding<T>::Decode(type, attr, diagnostic)) decoded = std::move(*value);
    return true;
  }
};

//--------------------------------------------------------------------------------------------------
// What both ways to spell parameters share
//--------------------------------------------------------------------------------------------------

namespace internal {

inline XLA_FFI_Error* MakeError(const XLA_FFI_Api* api, XLA_FFI_Error_Code code,
                                const std::string& message) {
  XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, message.c_str(),
                                    code};
  return api->XLA_FFI_Error_Create(&args);
}

inline void DestroyError(const XLA_FFI_Api* api, XLA_FFI_Error* error) {
  XLA_FFI_Error_Destroy_Args args = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  api->XLA_FFI_Error_Destroy(&args);
}

inline std::string GetErrorMessage(const XLA_FFI_Api* api, XLA_FFI_Error* error) {
  XLA_FFI_Error_GetDetails_Args args = {};
  args.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE;
  args.error = error;
  api->XLA_FFI_Error_GetDetails(&args);
  return args.message;
}

// Calls a function of the table. When it fails, says so and gives false.
template <typename Function, typename Args>
bool Succeeds(const XLA_FFI_Api* api, Function* function, Args& args, std::string_view what,
              DiagnosticEngine& diagnostic) {
  XLA_FFI_Error* const error = function(&args);
  if (error == nullptr) return true;
  diagnostic.Emit(std::string(what)) << ": " << GetErrorMessage(api, error);
  DestroyError(api, error);
  return false;
}

// Attributes by name.
class DictionaryBase {
 public:
  explicit DictionaryBase(const XLA_FFI_Attrs* attrs) : attrs_(attrs) {}

  // Goes through the names, in ascending order.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = std::string_view;
    using pointer = const std::string_view*;
    using reference = std::string_view;

    Iterator(const DictionaryBase* dictionary, size_t i) : dictionary_(dictionary), i_(i) {}
    std::string_view operator*() const { return dictionary_->NameAt(i_); }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(dictionary_, i_++); }
    bool operator==(const Iterator& other) const { return i_ == other.i_; }
    bool operator!=(const Iterator& other) const { return i_ != other.i_; }

   private:
    const DictionaryBase* dictionary_;
    size_t i_;
  };

  size_t size() const { return static_cast<size_t>(attrs_->size); }
  Iterator begin() const { return Iterator(this, 0); }
  Iterator end() const { return Iterator(this, size()); }
  bool contains(std::string_view name) const { return Find(name) < size(); }
  // Whether there is an attribute of that name that a T can be made of.
  template <typename T>
  bool contains(std::string_view name) const {
    const size_t i = Find(name);
    return i < size() && AttrDecoding<T>::Isa(attrs_->types[i], attrs_->attrs[i]);
  }

  template <typename T>
  std::optional<typename AttrDecoding<T>::Type> get(std::string_view name,
                                                    DiagnosticEngine& diagnostic) const {
    const size_t i = Find(name);
    if (i == size()) {
      return diagnostic.Emit("Unexpected attribute: there is none named ") << name;
    }
    return AttrDecoding<T>::Decode(attrs_->types[i], attrs_->attrs[i], diagnostic);
  }

 private:
  std::string_view NameAt(size_t i) const {
    return std::string_view(attrs_->names[i]->ptr, attrs_->names[i]->len);
  }
  size_t Find(std::string_view name) const {
    size_t begin = 0, end = size();
    while (begin < end) {
      const size_t middle = begin + (end - begin) / 2;
      const int order = NameAt(middle).compare(name);
      if (order == 0) return middle;
      if (order < 0) begin = middle + 1;
      if (order > 0) end = middle;
    }
    return size();
  }

  const XLA_FFI_Attrs* attrs_;
};

// Arguments from some number on.
class RemainingArgsBase {
 public:
  RemainingArgsBase(const XLA_FFI_Args* args, size_t offset) : args_(args), offset_(offset) {}
  size_t size() const {
    const auto all = static_cast<size_t>(args_->size);
    return all > offset_ ? all - offset_ : 0;
  }
  bool empty() const { return size() == 0; }

 protected:
  template <typename T>
  std::optional<T> Decode(size_t i, DiagnosticEngine& diagnostic) const {
    if (i >= size()) {
      return diagnostic.Emit("Index out of range: there is no argument ") << i << " of " << size();
    }
    return ArgDecoding<T>::Decode(args_->types[offset_ + i], args_->args[offset_ + i], diagnostic);
  }

 private:
  const XLA_FFI_Args* args_;
  size_t offset_;
};

// Results from some number on.
class RemainingRetsBase {
 public:
  RemainingRetsBase(const XLA_FFI_Rets* rets, size_t offset) : rets_(rets), offset_(offset) {}
  size_t size() const {
    const auto all = static_cast<size_t>(rets_->size);
    return all > offset_ ? all - offset_ : 0;
  }
  bool empty() const { return size() == 0; }

 protected:
  template <typename T>
  std::optional<Result<T>> Decode(size_t i, DiagnosticEngine& diagnostic) const {
    if (i >= size()) {
      return diagnostic.Emit("Index out of range: there is no result ") << i << " of " << size();
    }
    return RetDecoding<T>::Decode(rets_->types[offset_ + i], rets_->rets[offset_ + i], diagnostic);
  }

 private:
  const XLA_FFI_Rets* rets_;
  size_t offset_;
};

// What surrounds the call.
class ContextBase {
 public:
  ContextBase(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx) : api_(api), ctx_(ctx) {}

 protected:
  template <typename T>
  std::optional<typename CtxDecoding<T>::Type> Decode(DiagnosticEngine& diagnostic) const {
    return CtxDecoding<T>::Decode(api_, ctx_, diagnostic);
  }

  const XLA_FFI_Api* api_;
  XLA_FFI_InvokeContext* ctx_;
};

}  // namespace internal

// A member of a struct that is a dictionary among the attributes.
template <typename T>
struct StructMember {
  using Type = T;
  explicit StructMember(std::string_view name) : name(name) {}
  std::string_view name;
};

namespace internal {

// A T of the values of its members, which are all that the dictionary has.
template <typename T, typename... Members>
std::optional<T> DecodeStruct(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic,
                              StructMember<Members>... members) {
  if (type != XLA_FFI_AttrType_DICTIONARY) {
    return diagnostic.Emit("Wrong attribute type: expected dictionary but got ") << Name(type);
  }
  const DictionaryBase dictionary(static_cast<const XLA_FFI_Attrs*>(attr));
  if (dictionary.size() != sizeof...(Members)) {
    return diagnostic.Emit("Wrong number of attributes: expected ")
           << sizeof...(Members) << " attributes but got " << dictionary.size();
  }
  auto values = std::make_tuple(dictionary.get<Members>(members.name, diagnostic)...);
  return std::apply(
      [](auto&... value) -> std::optional<T> {
        if (!(value.has_value() && ...)) return std::nullopt;
        return T{std::move(*value)...};
      },
      values);
}

}  // namespace internal

}  // namespace XLA_FFI_LAYER
}  // namespace xla::ffi

#endif  // XLA_FFI_API_DECODING_H_
