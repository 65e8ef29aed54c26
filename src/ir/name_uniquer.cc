#include "ir/name_uniquer.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace xla {

namespace {

struct NameParts {
  absl::string_view stem;
  int64_t number;  // 0 when there is none
};

// "add.12" is "add" and 12. What does not print back the same ("add.0", "add.007") is a stem as a whole.
NameParts Split(absl::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos || dot == 0) return {name, 0};
  const absl::string_view digits = name.substr(dot + 1);
  int64_t number;
  if (digits.empty() || digits[0] == '0' ||
      digits.find_first_not_of("0123456789") != absl::string_view::npos ||
      !absl::SimpleAtoi(digits, &number)) {
    return {name, 0};
  }
  return {name.substr(0, dot), number};
}

}  // namespace

std::string NameUniquer::GetUniqueName(absl::string_view name) {
  const NameParts parts = Split(name);
  Numbers& numbers = numbers_[parts.stem];
  int64_t number = parts.number;
  if (!numbers.used.insert(number).second) {
    while (!numbers.used.insert(numbers.next).second) ++numbers.next;
    number = numbers.next++;
  }
  return number == 0 ? std::string(parts.stem) : absl::StrCat(parts.stem, ".", number);
}

}  // namespace xla
