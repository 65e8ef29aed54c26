#include "xla/ffi/execution_context.h"

#include <map>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla/util.h"

namespace xla::ffi {
namespace {

class Types {
 public:
  static Types& Get() {
    static auto* const types = new Types();
    return *types;
  }

  TypeRegistry::TypeId Assign(const std::string& name, TypeRegistry::TypeInfo info) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = ids_.find(name);
    if (!name.empty() && found != ids_.end()) return found->second;
    while (infos_.count(next_) > 0) ++next_;
    infos_[next_] = {name, info};
    const TypeRegistry::TypeId id(next_);
    if (!name.empty()) ids_.emplace(name, id);
    return id;
  }

  absl::Status Register(const std::string& name, TypeRegistry::TypeId id,
                        TypeRegistry::TypeInfo info) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto by_name = ids_.find(name);
    const auto by_id = infos_.find(id.value());
    if (by_name != ids_.end() && by_name->second == id) return absl::OkStatus();
    if (by_name != ids_.end()) {
      return InvalidArgument("Type %s has the number %d, and cannot be registered with %d", name,
                             by_name->second.value(), id.value());
    }
    if (by_id != infos_.end()) {
      return InvalidArgument("Type %s cannot be registered with the number %d, which %s has", name,
                             id.value(), by_id->second.first);
    }
    ids_.emplace(name, id);
    infos_[id.value()] = {name, info};
    return absl::OkStatus();
  }

  absl::StatusOr<TypeRegistry::TypeInfo> Info(TypeRegistry::TypeId id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = infos_.find(id.value());
    if (found == infos_.end()) return NotFound("No type has the number %d", id.value());
    return found->second.second;
  }

  absl::StatusOr<TypeRegistry::TypeId> Id(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = ids_.find(name);
    if (found == ids_.end()) return NotFound("No type is registered as %s", name);
    return found->second;
  }

 private:
  std::mutex mutex_;
  int64_t next_ = 1;
  std::map<std::string, TypeRegistry::TypeId> ids_;
  std::map<int64_t, std::pair<std::string, TypeRegistry::TypeInfo>> infos_;
};

}  // namespace

absl::StatusOr<TypeRegistry::TypeId> TypeRegistry::AssignTypeId(absl::string_view name,
                                                                TypeInfo info) {
  if (name.empty()) return InvalidArgument("A type cannot be registered without a name");
  return Types::Get().Assign(std::string(name), info);
}

absl::Status TypeRegistry::RegisterTypeId(absl::string_view name, TypeId id, TypeInfo info) {
  return Types::Get().Register(std::string(name), id, info);
}

absl::StatusOr<TypeRegistry::TypeInfo> TypeRegistry::GetTypeInfo(TypeId id) {
  return Types::Get().Info(id);
}

absl::StatusOr<TypeRegistry::TypeId> TypeRegistry::GetTypeId(absl::string_view name) {
  return Types::Get().Id(std::string(name));
}

TypeRegistry::TypeId TypeRegistry::AssignAnonymous(TypeInfo info) {
  return Types::Get().Assign("", info);
}

ExecutionContext::~ExecutionContext() {
  for (auto& [type, object] : objects_) {
    if (object.deleter != nullptr) object.deleter(object.data);
  }
}

absl::Status ExecutionContext::Insert(TypeId type_id, void* data, Deleter<void> deleter) {
  const bool is_new =
      objects_.try_emplace(type_id.value(), Object{data, std::move(deleter)}).second;
  if (is_new) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("The execution context has user data of type ", type_id.value(), " already"));
}

absl::StatusOr<void*> ExecutionContext::Lookup(TypeId type_id) const {
  const auto found = objects_.find(type_id.value());
  if (found != objects_.end()) return found->second.data;
  return NotFound("The execution context has no user data of type %d", type_id.value());
}

}  // namespace xla::ffi
