#include "runtime/custom_call.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/log/log.h"
#include "xla/service/custom_call_status_internal.h"
#include "xla/service/custom_call_target_registry.h"
#include "xla/util.h"

void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) { status->message.reset(); }

void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t message_len) {
  status->message.emplace(message, message == nullptr ? 0 : strnlen(message, message_len));
}

namespace xla {

CustomCallTargetRegistry* CustomCallTargetRegistry::Global() {
  static auto* const registry = new CustomCallTargetRegistry();
  return registry;
}

void CustomCallTargetRegistry::Register(const std::string& symbol, void* address,
                                        const std::string& platform) {
  {
    // What runs when the program ends may look targets up.
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [target, is_new] = targets_.try_emplace({platform, symbol}, address);
    if (is_new || target->second == address) return;
  }
  LOG(ERROR) << "Duplicate custom call registration detected for symbol \"" << symbol
             << "\" on platform " << platform << ": it has another function";
  // Registrations run before main, where nobody could handle an error.
  std::exit(1);
}

void* CustomCallTargetRegistry::Lookup(const std::string& symbol,
                                       const std::string& platform) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = targets_.find({platform, symbol});
  return found == targets_.end() ? nullptr : found->second;
}

std::unordered_map<std::string, void*> CustomCallTargetRegistry::registered_symbols(
    const std::string& platform) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unordered_map<std::string, void*> symbols;
  for (const auto& [key, address] : targets_) {
    if (key.first == platform) symbols[key.second] = address;
  }
  return symbols;
}

namespace runtime {

bool MayCallAnyFunction(const DebugOptions& options) {
  const auto& extra = options.xla_backend_extra_options();
  const auto found = extra.find("hilo_custom_calls_from_process");
  return found != extra.end() && found->second == "true";
}

absl::StatusOr<void*> FindCustomCallTarget(const std::string& target, bool from_process) {
  void* function = CustomCallTargetRegistry::Global()->Lookup(target, "Host");
  if (function == nullptr && from_process) function = dlsym(RTLD_DEFAULT, target.c_str());
  if (function != nullptr) return function;
  return NotFound("no function is registered for the custom call target \"%s\"%s", target,
                  from_process ? ", and the process has none of that name" : "");
}

void AddArrays(const LiteralBase& literal, std::vector<void*>& arrays) {
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& leaf, const ShapeIndex& index) {
    if (leaf.IsArray()) arrays.push_back(const_cast<void*>(literal.untyped_data(index)));
  });
}

void* DataPointers::Add(const LiteralBase& literal) {
  std::vector<void*> leaves;
  AddArrays(literal, leaves);
  absl::Span<void* const> rest = leaves;
  return Add(literal.shape(), rest);
}

void* DataPointers::Add(const Shape& shape, absl::Span<void* const>& leaves) {
  if (shape.IsArray()) {
    void* const first = leaves.front();
    leaves.remove_prefix(1);
    return first;
  }
  if (!shape.IsTuple()) return nullptr;
  std::vector<void*> table;
  for (const Shape& element : shape.tuple_shapes()) table.push_back(Add(element, leaves));
  return tables_.emplace_back(std::move(table)).data();
}

// Targets are registered without their type, and some have void** where others have const void**,
// which are passed alike.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
absl::Status
CallCustomCallTarget(const CustomCallTarget& target, void* out, const void** in) {
  XlaCustomCallStatus status;
  switch (target.api_version) {
    case API_VERSION_ORIGINAL: {
      using Function = void (*)(void*, const void**);
      reinterpret_cast<Function>(target.function)(out, in);
      break;
    }
    case API_VERSION_STATUS_RETURNING: {
      using Function = void (*)(void*, const void**, XlaCustomCallStatus*);
      reinterpret_cast<Function>(target.function)(out, in, &status);
      break;
    }
    case API_VERSION_STATUS_RETURNING_UNIFIED: {
      using Function = void (*)(void*, const void**, const char*, size_t, XlaCustomCallStatus*);
      reinterpret_cast<Function>(target.function)(out, in, target.opaque.data(),
                                                  target.opaque.size(), &status);
      break;
    }
    default:
      return Unimplemented("custom call target \"%s\" cannot be called by %s", target.name,
                           CustomCallApiVersion_Name(target.api_version));
  }
  if (!status.message.has_value()) return absl::OkStatus();
  return Internal("custom call target \"%s\" failed: %s", target.name, *status.message);
}

absl::Status CallCustomCallTarget(const CustomCallTarget& target,
                                  absl::Span<const Literal> operands, Literal& result) {
  std::vector<DataPointers> pointers;
  std::vector<const void*> in;
  for (const Literal& operand : operands) {
    pointers.emplace_back(operand);
    in.push_back(pointers.back().root());
  }
  return CallCustomCallTarget(target, DataPointers(result).root(), in.data());
}

}  // namespace runtime
}  // namespace xla
