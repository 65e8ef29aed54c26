#include "xla/tsl/util/env_var.h"

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tsl {
namespace {

const char* Find(absl::string_view name) { return std::getenv(std::string(name).c_str()); }

absl::Status Malformed(absl::string_view name, absl::string_view text, absl::string_view wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat("the environment variable ", name, " is \"", text, "\", which is no ", wanted));
}

}  // namespace

absl::Status ReadBoolFromEnvVar(absl::string_view name, bool default_value, bool* value) {
  *value = default_value;
  const char* const text = Find(name);
  if (text == nullptr) return absl::OkStatus();
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower != "0" && lower != "false" && lower != "1" && lower != "true")
    return Malformed(name, text, "truth value");
  *value = lower == "1" || lower == "true";
  return absl::OkStatus();
}

absl::Status ReadInt64FromEnvVar(absl::string_view name, int64_t default_value, int64_t* value) {
  *value = default_value;
  const char* const text = Find(name);
  int64_t parsed;
  if (text == nullptr) return absl::OkStatus();
  if (!absl::SimpleAtoi(text, &parsed)) return Malformed(name, text, "whole number of 64 bits");
  *value = parsed;
  return absl::OkStatus();
}

absl::Status ReadFloatFromEnvVar(absl::string_view name, float default_value, float* value) {
  *value = default_value;
  const char* const text = Find(name);
  float parsed;
  if (text == nullptr) return absl::OkStatus();
  if (!absl::SimpleAtof(text, &parsed)) return Malformed(name, text, "number");
  *value = parsed;
  return absl::OkStatus();
}

absl::Status ReadStringFromEnvVar(absl::string_view name, absl::string_view default_value,
                                  std::string* value) {
  const char* const text = Find(name);
  *value = text == nullptr ? std::string(default_value) : text;
  return absl::OkStatus();
}

}  // namespace tsl
