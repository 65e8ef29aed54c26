// What the caller of a program hands through to handlers of custom calls.
#ifndef XLA_FFI_EXECUTION_CONTEXT_H_
#define XLA_FFI_EXECUTION_CONTEXT_H_

#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/ffi/type_registry.h"

namespace xla::ffi {

// Objects by their type, one of each. A handler bound to UserData<T> gets the T. Set up by one
// thread; once runs have begun, any number may look.
//
// ExecutableRunOptions::set_ffi_execution_context and PJRT's ExecuteContext pass it to runs.
class ExecutionContext {
 public:
  using TypeId = TypeRegistry::TypeId;
  using TypeInfo = TypeRegistry::TypeInfo;
  template <typename T>
  using Deleter = std::function<void(T*)>;

  ExecutionContext() = default;
  ~ExecutionContext();
  ExecutionContext(const ExecutionContext&) = delete;
  ExecutionContext& operator=(const ExecutionContext&) = delete;

  // Adds an object, which is deleted with the context if a deleter is given. AlreadyExists when
  // there is one of that type.
  template <typename T>
  absl::Status Insert(T* data, Deleter<T> deleter = nullptr) {
    Deleter<void> erased;
    if (deleter != nullptr) {
      erased = [deleter = std::move(deleter)](void* object) { deleter(static_cast<T*>(object)); };
    }
    return Insert(TypeRegistry::GetTypeId<T>(), data, std::move(erased));
  }
  absl::Status Insert(TypeId type_id, void* data, Deleter<void> deleter = nullptr);

  // Adds a new T, which the context owns.
  template <typename T, typename... Args>
  absl::Status Emplace(Args&&... args) {
    auto object = std::make_unique<T>(std::forward<Args>(args)...);
    const absl::Status status =
        Insert<T>(object.get(), [](T* object) { std::default_delete<T>()(object); });
    if (status.ok()) object.release();
    return status;
  }

  // NotFound when there is no object of the type.
  template <typename T>
  absl::StatusOr<T*> Lookup() const {
    absl::StatusOr<void*> data = Lookup(TypeRegistry::GetTypeId<T>());
    if (!data.ok()) return data.status();
    return static_cast<T*>(*data);
  }
  absl::StatusOr<void*> Lookup(TypeId type_id) const;

 private:
  struct Object {
    void* data;
    Deleter<void> deleter;
  };
  std::unordered_map<int64_t, Object> objects_;  // by type
};

}  // namespace xla::ffi

#endif  // XLA_FFI_EXECUTION_CONTEXT_H_
