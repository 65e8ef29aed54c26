// Functions of the program that custom calls call.
#ifndef XLA_SERVICE_CUSTOM_CALL_TARGET_REGISTRY_H_
#define XLA_SERVICE_CUSTOM_CALL_TARGET_REGISTRY_H_

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace xla {

// The functions by name and platform; programs that Hilo runs find those of platform "Host". Which
// signature a function must have follows from the custom call's API version:
//
//   API_VERSION_ORIGINAL                  void f(void* out, const void** in)
//   API_VERSION_STATUS_RETURNING          void f(void* out, const void** in, XlaCustomCallStatus*)
//   API_VERSION_STATUS_RETURNING_UNIFIED  void f(void* out, const void** in, const char* opaque,
//                                                size_t opaque_len, XlaCustomCallStatus*)
//
// `in` has a pointer for each operand and `out` is one to the result, which the function fills. For
// an array it points to the elements: dense, in row-major order unless the custom call says
// otherwise by operand_layout_constraints, types of less than 8 bits a byte each. For a tuple it
// points to an array of pointers, one for each element, formed by the same rule. For a token it is
// null. Where the custom call declares output_to_operand_aliasing, the result begins as a copy of
// the operand.
//
// For any number of threads; functions are called by any of them, too.
class CustomCallTargetRegistry {
 public:
  static CustomCallTargetRegistry* Global();

  // A name has one function on each platform: to register another one is a bug of the program, which
  // ends it.
  void Register(const std::string& symbol, void* address, const std::string& platform);
  // Null when there is none.
  void* Lookup(const std::string& symbol, const std::string& platform) const;
  std::unordered_map<std::string, void*> registered_symbols(const std::string& platform) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, void*> targets_;  // by platform and name
};

}  // namespace xla

// Two steps, so that the counter is a number before it becomes part of the name.
#define XLA_REGISTER_CUSTOM_CALL_TARGET_COUNTED(symbol, address, platform, counter) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_NAMED(symbol, address, platform, counter)
#define XLA_REGISTER_CUSTOM_CALL_TARGET_NAMED(symbol, address, platform, counter)                 \
  [[maybe_unused]] static const bool custom_call_target_##counter = [] {                          \
    ::xla::CustomCallTargetRegistry::Global()->Register(symbol, reinterpret_cast<void*>(address), \
                                                        platform);                                \
    return true;                                                                                  \
  }()

// At namespace scope: makes the function known by its own name, or by another one, when the program
// starts.
#define XLA_REGISTER_CUSTOM_CALL_TARGET(function, platform) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(#function, function, platform)
#define XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, address, platform) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_COUNTED(symbol, address, platform, __COUNTER__)
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(function) \
  XLA_REGISTER_CUSTOM_CALL_TARGET(function, "Host")
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, address) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, address, "Host")

#endif  // XLA_SERVICE_CUSTOM_CALL_TARGET_REGISTRY_H_
