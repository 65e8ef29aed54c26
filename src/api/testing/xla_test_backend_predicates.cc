#include "xla/tests/xla_test_backend_predicates.h"

#include <cstdlib>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/log/log.h"
#include "absl/strings/str_split.h"
#include "api/backend.h"

namespace xla::test {
namespace {

absl::string_view DeviceFrom(const char* key) {
  const char* value = std::getenv(key);
  return value != nullptr ? absl::string_view(value) : DefaultBackend().name();
}
absl::string_view Device() { return DeviceFrom("XLA_TEST_DEVICE"); }
absl::string_view DeviceType() { return DeviceFrom("XLA_TEST_DEVICE_TYPE"); }

std::vector<absl::string_view> Modifiers() {
  const char* value = std::getenv("XLA_TEST_MODIFIERS");
  if (value == nullptr) return {};
  return absl::StrSplit(absl::string_view(value), ',', absl::SkipEmpty());
}

}  // namespace

absl::string_view GetEnvOrDie(const char* key) {
  const char* value = std::getenv(key);
  if (value == nullptr) LOG(FATAL) << "the environment variable " << key << " is not set";
  return value;
}

bool DeviceIs(absl::string_view device) { return Device() == device; }

bool DeviceIsOneOf(absl::Span<const absl::string_view> devices) {
  return absl::c_linear_search(devices, Device());
}

bool DeviceTypeIs(absl::string_view device_type) { return DeviceType() == device_type; }

bool DeviceTypeIsOneOf(absl::Span<const absl::string_view> devices) {
  return absl::c_linear_search(devices, DeviceType());
}

bool HasModifiers(absl::Span<const absl::string_view> modifiers) {
  const std::vector<absl::string_view> set = Modifiers();
  return absl::c_all_of(
      modifiers, [&](absl::string_view modifier) { return absl::c_linear_search(set, modifier); });
}

bool BackendLike(absl::string_view device, absl::Span<const absl::string_view> modifiers) {
  return DeviceIs(device) && HasModifiers(modifiers);
}

bool BackendIsExactly(absl::string_view device, absl::Span<const absl::string_view> modifiers) {
  return BackendLike(device, modifiers) &&
         absl::c_all_of(Modifiers(), [&](absl::string_view modifier) {
           return absl::c_linear_search(modifiers, modifier);
         });
}

bool BackendIsStrict(absl::string_view device) { return BackendIsExactly(device, {}); }

bool BackendSupportsFloat64() { return !DeviceTypeIs(kTpu); }
bool BackendSupportsComplex128() { return !DeviceTypeIs(kTpu); }

}  // namespace xla::test
