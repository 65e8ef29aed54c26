// Handlers of custom calls in C++, for code that is linked with XLA: element types are
// xla::PrimitiveType, errors absl::Status. Code that need not link it includes xla/ffi/api/ffi.h
// instead. See xla/ffi/api/api.h for how a handler is made.
#ifndef XLA_FFI_FFI_H_
#define XLA_FFI_FFI_H_

#ifdef XLA_FFI_API_API_H_
#error "xla/ffi/ffi.h and xla/ffi/api/ffi.h define the same names, and a file can include only one"
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/ffi/api/api.h"
#include "xla/ffi/api/c_api.h"
#include "xla/ffi/execution_context.h"
#include "xla/ffi/ffi_api.h"
#include "xla/ffi/type_registry.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/xla_data.pb.h"

namespace xla::ffi {
inline namespace XLA_FFI_LAYER {

using DataType = PrimitiveType;
template <typename T>
using Span = absl::Span<T>;
using Failure = absl::Status;
template <typename T>
using ErrorOr = absl::StatusOr<T>;

namespace internal {

template <PrimitiveType dtype>
struct DataTypeToNative {
  using type = typename primitive_util::PrimitiveTypeToNative<dtype>::type;
};
template <>
struct DataTypeToNative<TOKEN> {
  using type = void;
};

inline bool IsSuccess(const absl::Status& status) { return status.ok(); }
inline XLA_FFI_Error_Code CodeOf(const absl::Status& status) {
  return static_cast<XLA_FFI_Error_Code>(status.code());
}
inline std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }
inline absl::Status MakeFailure(XLA_FFI_Error_Code code, absl::string_view message) {
  return absl::Status(static_cast<absl::StatusCode>(code), message);
}
template <typename T>
bool HasValue(const absl::StatusOr<T>& either) {
  return either.ok();
}
template <typename T>
absl::Status FailureOf(const absl::StatusOr<T>& either) {
  return either.status();
}
template <typename T>
XLA_FFI_TypeId TypeIdOf() {
  return {TypeRegistry::GetTypeId<T>().value()};
}

}  // namespace internal

template <PrimitiveType dtype>
using NativeType = typename internal::DataTypeToNative<dtype>::type;

// Bytes of an element: 1 for types of less than 8 bits, 0 for a token.
inline size_t ByteWidth(PrimitiveType dtype) {
  return primitive_util::IsArrayType(dtype) ? primitive_util::ByteWidth(dtype) : 0;
}

}  // namespace XLA_FFI_LAYER
}  // namespace xla::ffi

#include "xla/ffi/api/parameters.h"

namespace xla::ffi {
inline namespace XLA_FFI_LAYER {

inline constexpr size_t kDynamicRank = internal::kDynamicRank;

// Text of abseil's type, where that is not std::string_view.
template <>
struct AttrDecoding<std::conditional_t<std::is_same_v<absl::string_view, std::string_view>, void,
                                       absl::string_view>> {
  using Type = absl::string_view;
  static bool Isa(XLA_FFI_AttrType type, void*) { return type == XLA_FFI_AttrType_STRING; }
  static std::optional<absl::string_view> Decode(XLA_FFI_AttrType type, void* attr,
                                                 DiagnosticEngine& diagnostic) {
    const auto text = AttrDecoding<std::string_view>::Decode(type, attr, diagnostic);
    if (!text.has_value()) return std::nullopt;
    return absl::string_view(text->data(), text->size());
  }
};

}  // namespace XLA_FFI_LAYER
}  // namespace xla::ffi

#endif  // XLA_FFI_FFI_H_
