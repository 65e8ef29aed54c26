// Numbers of types, by which handlers of custom calls find what others have left for them.
#ifndef XLA_FFI_TYPE_REGISTRY_H_
#define XLA_FFI_TYPE_REGISTRY_H_

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/ffi/api/c_api.h"

namespace xla::ffi {

// The types of this process, each with a number and with what ends an object's life. For any number
// of threads.
class TypeRegistry {
 public:
  class TypeId {
   public:
    constexpr TypeId() = default;
    constexpr explicit TypeId(int64_t value) : value_(value) {}
    constexpr int64_t value() const { return value_; }

    friend constexpr bool operator==(TypeId a, TypeId b) { return a.value_ == b.value_; }
    friend constexpr bool operator!=(TypeId a, TypeId b) { return a.value_ != b.value_; }
    friend constexpr bool operator<(TypeId a, TypeId b) { return a.value_ < b.value_; }
    template <typename H>
    friend H AbslHashValue(H h, TypeId id) {
      return H::combine(std::move(h), id.value_);
    }

   private:
    int64_t value_ = 0;
  };

  struct TypeInfo {
    void (*deleter)(void* object) = nullptr;  // null where objects end their lives themselves
  };

  static inline const TypeId kUnknownTypeId{0};

  // Gives a type a number. A name that has one already keeps it.
  static absl::StatusOr<TypeId> AssignTypeId(absl::string_view name, TypeInfo info);
  // Makes a type known by a number of the caller's. InvalidArgument when the name has another
  // number, or the number another name.
  static absl::Status RegisterTypeId(absl::string_view name, TypeId id, TypeInfo info);
  // NotFound when no type has the number.
  static absl::StatusOr<TypeInfo> GetTypeInfo(TypeId id);
  static absl::StatusOr<TypeId> GetTypeId(absl::string_view name);

  // The number of a C++ type: of its static member `id`, if it has one of type XLA_FFI_TypeId, or
  // one that it has by itself.
  template <typename T>
  static TypeId GetTypeId() {
    if constexpr (HasId<T>::value) {
      return TypeId(T::id.type_id);
    } else {
      static const TypeId id = AssignAnonymous({[](void* object) {
        if constexpr (std::is_destructible_v<T>) delete static_cast<T*>(object);
      }});
      return id;
    }
  }

 private:
  template <typename T, typename = void>
  struct HasId : std::false_type {};
  template <typename T>
  struct HasId<T, std::enable_if_t<std::is_same_v<decltype(T::id), XLA_FFI_TypeId>>>
      : std::true_type {};

  static TypeId AssignAnonymous(TypeInfo info);
};

}  // namespace xla::ffi

#endif  // XLA_FFI_TYPE_REGISTRY_H_
