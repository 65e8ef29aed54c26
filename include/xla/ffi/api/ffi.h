// Handlers of custom calls in C++, for programs and libraries that need not link XLA: this and what
// it includes are headers of their own. See xla/ffi/api/api.h for how a handler is made.
#ifndef XLA_FFI_API_FFI_H_
#define XLA_FFI_API_FFI_H_

#ifdef XLA_FFI_FFI_H_
#error "xla/ffi/ffi.h and xla/ffi/api/ffi.h define the same names, and a file can include only one"
#endif

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "xla/ffi/api/api.h"
#include "xla/ffi/api/c_api.h"

namespace xla::ffi {
inline namespace XLA_FFI_LAYER {

// The number of a type of the program's own, its static member `id`.
using TypeId = XLA_FFI_TypeId;
using TypeInfo = XLA_FFI_TypeInfo;

//--------------------------------------------------------------------------------------------------
// Element types
//--------------------------------------------------------------------------------------------------

// clang-format off
// X(name, what an element lies in memory as)
#define XLA_FFI_FOR_EACH_DATA_TYPE(X)                                                             \
  X(PRED, bool)                                                                                   \
  X(S1, int8_t) X(S2, int8_t) X(S4, int8_t) X(S8, int8_t) X(S16, int16_t) X(S32, int32_t)         \
  X(S64, int64_t)                                                                                 \
  X(U1, uint8_t) X(U2, uint8_t) X(U4, uint8_t) X(U8, uint8_t) X(U16, uint16_t) X(U32, uint32_t)   \
  X(U64, uint64_t)                                                                                \
  X(F16, uint16_t) X(F32, float) X(F64, double) X(BF16, uint16_t)                                 \
  X(C64, std::complex<float>) X(C128, std::complex<double>)                                       \
  X(TOKEN, void)                                                                                  \
  X(F8E5M2, uint8_t) X(F8E3M4, uint8_t) X(F8E4M3, uint8_t) X(F8E4M3FN, uint8_t)                   \
  X(F8E4M3B11FNUZ, uint8_t) X(F8E5M2FNUZ, uint8_t) X(F8E4M3FNUZ, uint8_t) X(F4E2M1FN, uint8_t)    \
  X(F8E8M0FNU, uint8_t)
// clang-format on

enum class DataType : uint8_t {
  INVALID = XLA_FFI_DataType_INVALID,
#define XLA_FFI_ENUMERATOR(name, native) name = XLA_FFI_DataType_##name,
  XLA_FFI_FOR_EACH_DATA_TYPE(XLA_FFI_ENUMERATOR)
#undef XLA_FFI_ENUMERATOR
};

#define XLA_FFI_CONSTANT(name, native) inline constexpr DataType name = DataType::name;
XLA_FFI_FOR_EACH_DATA_TYPE(XLA_FFI_CONSTANT)
#undef XLA_FFI_CONSTANT

inline std::ostream& operator<<(std::ostream& stream, DataType type) {
  return stream << internal::Name(static_cast<XLA_FFI_DataType>(type));
}

namespace internal {

template <DataType dtype>
struct DataTypeToNative;
#define XLA_FFI_NATIVE(name, native)        \
  template <>                               \
  struct DataTypeToNative<DataType::name> { \
    using type = native;                    \
  };
XLA_FFI_FOR_EACH_DATA_TYPE(XLA_FFI_NATIVE)
#undef XLA_FFI_NATIVE

template <typename T>
constexpr size_t SizeOf() {
  if constexpr (std::is_void_v<T>) {
    return 0;
  } else {
    return sizeof(T);
  }
}

}  // namespace internal

template <DataType dtype>
using NativeType = typename internal::DataTypeToNative<dtype>::type;

// Bytes of an element: 1 for types of less than 8 bits, 0 for a token.
constexpr size_t ByteWidth(DataType dtype) {
  switch (dtype) {
#define XLA_FFI_WIDTH(name, native) \
  case DataType::name:              \
    return internal::SizeOf<native>();
    XLA_FFI_FOR_EACH_DATA_TYPE(XLA_FFI_WIDTH)
#undef XLA_FFI_WIDTH
    case DataType::INVALID:
      break;
  }
  return 0;
}
#undef XLA_FFI_FOR_EACH_DATA_TYPE

// The complex type of such parts; INVALID where there is none.
constexpr DataType ToComplex(DataType dtype) {
  return dtype == DataType::F32   ? DataType::C64
         : dtype == DataType::F64 ? DataType::C128
                                  : DataType::INVALID;
}
// The type of the parts; of other types that type itself.
constexpr DataType ToReal(DataType dtype) {
  return dtype == DataType::C64 ? DataType::F32 : dtype == DataType::C128 ? DataType::F64 : dtype;
}
constexpr DataType ToImag(DataType dtype) { return ToReal(dtype); }
template <DataType dtype>
constexpr bool IsComplexType() {
  return ToReal(dtype) != dtype;
}

//--------------------------------------------------------------------------------------------------
// Span
//--------------------------------------------------------------------------------------------------

// A view of elements that somebody else owns.
template <typename T>
class Span {
 public:
  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  Span(const std::vector<std::remove_const_t<T>>& vector) : Span(vector.data(), vector.size()) {}

  T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  T& operator[](size_t i) const { return data_[i]; }
  T& front() const { return data_[0]; }
  T& back() const { return data_[size_ - 1]; }
  Span first(size_t n) const { return Span(data_, n); }
  Span last(size_t n) const { return Span(data_ + size_ - n, n); }

  bool operator==(const Span& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }
  bool operator!=(const Span& other) const { return !(*this == other); }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

//--------------------------------------------------------------------------------------------------
// Errors
//--------------------------------------------------------------------------------------------------

enum class ErrorCode : uint8_t {
  kOk = XLA_FFI_Error_Code_OK,
  kCancelled = XLA_FFI_Error_Code_CANCELLED,
  kUnknown = XLA_FFI_Error_Code_UNKNOWN,
  kInvalidArgument = XLA_FFI_Error_Code_INVALID_ARGUMENT,
  kDeadlineExceeded = XLA_FFI_Error_Code_DEADLINE_EXCEEDED,
  kNotFound = XLA_FFI_Error_Code_NOT_FOUND,
  kAlreadyExists = XLA_FFI_Error_Code_ALREADY_EXISTS,
  kPermissionDenied = XLA_FFI_Error_Code_PERMISSION_DENIED,
  kResourceExhausted = XLA_FFI_Error_Code_RESOURCE_EXHAUSTED,
  kFailedPrecondition = XLA_FFI_Error_Code_FAILED_PRECONDITION,
  kAborted = XLA_FFI_Error_Code_ABORTED,
  kOutOfRange = XLA_FFI_Error_Code_OUT_OF_RANGE,
  kUnimplemented = XLA_FFI_Error_Code_UNIMPLEMENTED,
  kInternal = XLA_FFI_Error_Code_INTERNAL,
  kUnavailable = XLA_FFI_Error_Code_UNAVAILABLE,
  kDataLoss = XLA_FFI_Error_Code_DATA_LOSS,
  kUnauthenticated = XLA_FFI_Error_Code_UNAUTHENTICATED,
};

// An error, or success.
class Error {
 public:
  Error() = default;
  Error(ErrorCode errc, std::string message) : errc_(errc), message_(std::move(message)) {}
  Error(XLA_FFI_Error_Code errc, std::string message)
      : Error(static_cast<ErrorCode>(errc), std::move(message)) {}

  static Error Success() { return Error(); }
  static Error Internal(std::string message) {
    return Error(ErrorCode::kInternal, std::move(message));
  }
  static Error InvalidArgument(std::string message) {
    return Error(ErrorCode::kInvalidArgument, std::move(message));
  }

  bool success() const { return errc_ == ErrorCode::kOk; }
  bool failure() const { return !success(); }
  std::optional<ErrorCode> errc() const { return errc_; }
  const std::string& message() const { return message_; }

 private:
  ErrorCode errc_ = ErrorCode::kOk;
  std::string message_;
};

// An E, to be made into an Expected<T, E>.
template <typename E>
class Unexpected {
 public:
  constexpr Unexpected(E error) : error_(std::move(error)) {}
  constexpr E& error() & { return error_; }
  constexpr E&& error() && { return std::move(error_); }

 private:
  E error_;
};
Unexpected(const char*)->Unexpected<std::string>;

// A T, or an E that says why there is none.
template <typename T, typename E>
class Expected {
 public:
  constexpr Expected(T value) : data_(std::in_place_index<0>, std::move(value)) {}
  constexpr Expected(Unexpected<E> error)
      : data_(std::in_place_index<1>, std::move(error).error()) {}

  constexpr bool has_value() const { return data_.index() == 0; }
  constexpr bool has_error() const { return !has_value(); }
  constexpr operator bool() const { return has_value(); }

  // Only where there is a value, or an error.
  constexpr T& value() & { return std::get<0>(data_); }
  constexpr const T& value() const& { return std::get<0>(data_); }
  constexpr T&& value() && { return std::get<0>(std::move(data_)); }
  constexpr const T&& value() const&& { return std::get<0>(std::move(data_)); }
  constexpr E& error() & { return std::get<1>(data_); }
  constexpr const E& error() const& { return std::get<1>(data_); }
  constexpr E&& error() && { return std::get<1>(std::move(data_)); }
  constexpr const E&& error() const&& { return std::get<1>(std::move(data_)); }

  constexpr T& operator*() & { return value(); }
  constexpr const T& operator*() const& { return value(); }
  constexpr T&& operator*() && { return std::move(*this).value(); }
  constexpr const T&& operator*() const&& { return std::move(*this).value(); }
  constexpr T* operator->() { return &value(); }
  constexpr const T* operator->() const { return &value(); }

 private:
  std::variant<T, E> data_;
};

template <typename T>
class ErrorOr : public Expected<T, Error> {
 public:
  using Expected<T, Error>::Expected;
  ErrorOr(Error error) : Expected<T, Error>(Unexpected<Error>(std::move(error))) {}
};

using Failure = Error;

namespace internal {

inline bool IsSuccess(const Error& error) { return error.success(); }
inline XLA_FFI_Error_Code CodeOf(const Error& error) {
  return static_cast<XLA_FFI_Error_Code>(*error.errc());
}
inline const std::string& MessageOf(const Error& error) { return error.message(); }
inline Error MakeFailure(XLA_FFI_Error_Code code, std::string message) {
  return Error(code, std::move(message));
}
template <typename T>
bool HasValue(const ErrorOr<T>& either) {
  return either.has_value();
}
template <typename T>
Error FailureOf(const ErrorOr<T>& either) {
  return either.error();
}
template <typename T>
XLA_FFI_TypeId TypeIdOf() {
  static_assert(std::is_same_v<std::remove_const_t<decltype(T::id)>, XLA_FFI_TypeId>,
                "the type needs a static member `TypeId id`");
  return T::id;
}

}  // namespace internal
}  // namespace XLA_FFI_LAYER
}  // namespace xla::ffi

#include "xla/ffi/api/parameters.h"

#endif  // XLA_FFI_API_FFI_H_
