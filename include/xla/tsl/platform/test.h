#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_TEST_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_TEST_H_

#include <gmock/gmock.h>  // IWYU pragma: export
#include <gtest/gtest.h>  // IWYU pragma: export

#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/status/status_matchers.h"  // IWYU pragma: export
#include "absl/strings/string_view.h"

namespace tsl {
namespace testing {

// A folder for files that a test writes: $TEST_TMPDIR, else the system's temporary folder.
inline std::string TmpDir() {
  const char* folder = std::getenv("TEST_TMPDIR");
  return folder != nullptr ? folder : std::filesystem::temp_directory_path().string();
}

// The folder below which tests find their data: $TEST_SRCDIR/xla, else the working directory.
inline std::string XlaSrcRoot() {
  const char* folder = std::getenv("TEST_SRCDIR");
  return folder != nullptr ? std::string(folder) + "/xla" : ".";
}

// The seed of the test run: $TEST_RANDOM_SEED, else 301.
inline int RandomSeed() {
  const char* seed = std::getenv("TEST_RANDOM_SEED");
  return seed != nullptr ? std::atoi(seed) : 301;
}

}  // namespace testing
}  // namespace tsl

#ifndef ABSL_USES_STD_STRING_VIEW
namespace testing {
namespace internal {

// MatchesRegex and ContainsRegex of messages of absl::Status, which GoogleTest knows only where
// absl::string_view is std::string_view.
template <>
inline bool MatchesRegexMatcher::MatchAndExplain(const absl::string_view& text,
                                                 MatchResultListener* listener) const {
  return MatchAndExplain(std::string(text), listener);
}

}  // namespace internal
}  // namespace testing
#endif

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_TEST_H_
