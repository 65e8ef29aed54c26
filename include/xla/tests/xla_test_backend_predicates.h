// What a test runs on, so that it can skip what that cannot do:
//
//   if (test::DeviceTypeIs(test::kTpu)) GTEST_SKIP() << "no complex numbers";
//
// The answers come from the environment: XLA_TEST_DEVICE ("cpu", "h100", "interpreter"),
// XLA_TEST_DEVICE_TYPE ("cpu", "gpu", ...) and XLA_TEST_MODIFIERS (separated by commas). Of these
// unset, device and type are the name of Hilo's default back end, and there are no modifiers.
#ifndef XLA_TESTS_XLA_TEST_BACKEND_PREDICATES_H_
#define XLA_TESTS_XLA_TEST_BACKEND_PREDICATES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/testlib/test.h"

namespace xla::test {

// Device types.
inline constexpr absl::string_view kCpu = "cpu";
inline constexpr absl::string_view kGpu = "gpu";
inline constexpr absl::string_view kTpu = "tpu";
inline constexpr absl::string_view kInterpreter = "interpreter";
// Devices.
inline constexpr absl::string_view kA100 = "a100";
inline constexpr absl::string_view kB200 = "b200";
inline constexpr absl::string_view kH100 = "h100";
inline constexpr absl::string_view kP100 = "p100";
inline constexpr absl::string_view kV100 = "v100";
// Modifiers.
inline constexpr absl::string_view kGrm = "grm";
inline constexpr absl::string_view kHardware = "hardware";
inline constexpr absl::string_view kIss = "iss";

// The value of an environment variable; ends the process when it is not set.
absl::string_view GetEnvOrDie(const char* key);

bool DeviceIs(absl::string_view device);
bool DeviceIsOneOf(absl::Span<const absl::string_view> devices);
bool DeviceTypeIs(absl::string_view device_type);
bool DeviceTypeIsOneOf(absl::Span<const absl::string_view> devices);

// True when all of these are set.
bool HasModifiers(absl::Span<const absl::string_view> modifiers);

// The device with at least (exactly, without any) modifiers.
bool BackendLike(absl::string_view device, absl::Span<const absl::string_view> modifiers);
bool BackendIsExactly(absl::string_view device, absl::Span<const absl::string_view> modifiers);
bool BackendIsStrict(absl::string_view device);

// Not on a TPU.
bool BackendSupportsFloat64();
bool BackendSupportsComplex128();

// No parameters, for a suite that a back end leaves out.
template <typename T>
::testing::internal::ParamGenerator<T> Empty() {
  return ::testing::ValuesIn(absl::Span<const T>());
}

}  // namespace xla::test

#endif  // XLA_TESTS_XLA_TEST_BACKEND_PREDICATES_H_
