#include "xla/tests/literal_test_util.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla/literal_comparison.h"

namespace xla {
namespace {

::testing::AssertionResult ToResult(const absl::Status& status) {
  if (status.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << status.message();
}

// With the whole literals, where they are small.
::testing::AssertionResult ToResult(const absl::Status& status, const LiteralSlice& expected,
                                    const LiteralSlice& actual) {
  ::testing::AssertionResult result = ToResult(status);
  if (!result) {
    result << "\nexpected: " << literal_comparison::ToStringTruncated(expected)
           << "\nactual:   " << literal_comparison::ToStringTruncated(actual);
  }
  return result;
}

void WriteFile(const std::string& path, const std::string& contents) {
  std::ofstream file(path, std::ios::binary);
  file << contents;
  file.close();
  if (!file) ADD_FAILURE() << "cannot write " << path;
}

// Where files of a test may stay: $TEST_UNDECLARED_OUTPUTS_DIR, else the folder for temporary ones.
std::string OutputFolder() {
  const char* const outputs = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  return outputs != nullptr ? outputs : tsl::testing::TmpDir();
}

// Keeps arrays that differ for whoever wants to look at them.
void WriteArrays(const LiteralSlice& expected, const LiteralSlice& actual,
                 const LiteralSlice& mismatches, const ShapeIndex&) {
  static std::atomic<int64_t> calls = 0;
  const std::string suffix = absl::StrCat("-", getpid(), "-", ++calls);
  const auto write = [&](const LiteralSlice& array, absl::string_view name) {
    LiteralTestUtil::WriteLiteralToTempFile(array, absl::StrCat("tempfile-", name, suffix));
  };
  write(expected, "expected");
  write(actual, "actual");
  write(mismatches, "mismatches");
}

}  // namespace

::testing::AssertionResult LiteralTestUtil::EqualShapes(const Shape& expected,
                                                        const Shape& actual) {
  return ToResult(literal_comparison::EqualShapes(expected, actual));
}

::testing::AssertionResult LiteralTestUtil::Equal(const LiteralSlice& expected,
                                                  const LiteralSlice& actual) {
  return ToResult(literal_comparison::Equal(expected, actual), expected, actual);
}

::testing::AssertionResult LiteralTestUtil::Near(const LiteralSlice& expected,
                                                 const LiteralSlice& actual,
                                                 const ErrorSpec& error_spec,
                                                 std::optional<bool> detailed_message) {
  return ToResult(
      literal_comparison::Near(expected, actual, error_spec, detailed_message, WriteArrays),
      expected, actual);
}

::testing::AssertionResult LiteralTestUtil::NearOrEqual(const LiteralSlice& expected,
                                                        const LiteralSlice& actual,
                                                        const std::optional<ErrorSpec>& error) {
  return error.has_value() ? Near(expected, actual, *error) : Equal(expected, actual);
}

void LiteralTestUtil::WriteLiteralToTempFile(const LiteralSlice& literal, const std::string& name) {
  const std::string stem = absl::StrCat(OutputFolder(), "/", name);
  WriteFile(absl::StrCat(stem, ".pb"), literal.ToProto().SerializeAsString());
  WriteFile(absl::StrCat(stem, ".txt"), literal.ToString());
}

}  // namespace xla
