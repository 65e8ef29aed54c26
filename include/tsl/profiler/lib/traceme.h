#ifndef HILO_INCLUDE_TSL_PROFILER_LIB_TRACEME_H_
#define HILO_INCLUDE_TSL_PROFILER_LIB_TRACEME_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tsl {
namespace profiler {

// How important an event is.
enum TraceMeLevel { kCritical = 1, kInfo = 2, kVerbose = 3 };
constexpr int GetTFTraceMeLevel(bool is_expensive) { return is_expensive ? kInfo : kVerbose; }

struct TraceMeArg {
  template <typename Value>
  TraceMeArg(absl::string_view name, const Value& argument)
      : key(name), value(absl::StrCat(argument)) {}
  absl::string_view key;
  std::string value;
};

// "name#key=value,key=value#".
inline std::string TraceMeEncode(std::string name, std::initializer_list<TraceMeArg> args) {
  if (args.size() == 0) return name;
  char separator = '#';
  for (const TraceMeArg& arg : args) {
    name += separator;
    absl::StrAppend(&name, arg.key, "=", arg.value);
    separator = ',';
  }
  return name + '#';
}
inline std::string TraceMeEncode(std::initializer_list<TraceMeArg> args) {
  return TraceMeEncode("", args);
}

// Marks the time for which it lives as an event. Hilo has no profiler, so that events are not
// recorded and functions that would make their names are not called.
class TraceMe {
 public:
  template <typename Name>
  explicit TraceMe(const Name& name, int level = kCritical) {}
  TraceMe(TraceMe&&) = default;
  TraceMe& operator=(TraceMe&&) = default;
  ~TraceMe() {}  // so that an event nobody looks at is no unused variable

  void Stop() {}
  template <typename Metadata>
  void AppendMetadata(const Metadata& metadata) {}

  static bool Active(int level = kCritical) { return false; }
  template <typename Name>
  static int64_t ActivityStart(const Name& name, int level = kCritical) {
    return 0;
  }
  static void ActivityEnd(int64_t activity_id) {}
  template <typename Name>
  static void InstantActivity(const Name& name, int level = kCritical) {}
};

}  // namespace profiler
}  // namespace tsl

#endif  // HILO_INCLUDE_TSL_PROFILER_LIB_TRACEME_H_
