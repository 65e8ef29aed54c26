#include "ir/name_uniquer.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace xla {

namespace {

struct NameParts {
  absl::string_view stem;
  int64_t number = 0;
  bool has_number = false;
};

// "add.12" is "add" and 12, and so is "add.012"; "add.0" shares its number with plain "add".
NameParts Split(absl::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos || dot == 0) return {name};
  const absl::string_view digits = name.substr(dot + 1);
  int64_t number;
  if (digits.empty() || digits.find_first_not_of("0123456789") != absl::string_view::npos ||
      !absl::SimpleAtoi(digits, &number)) {
    return {name};
  }
  return {name.substr(0, dot), number, true};
}

}  // namespace

std::string NameUniquer::GetUniqueName(absl::string_view name) {
  const NameParts parts = Split(name);
  Numbers& numbers = numbers_[parts.stem];
  int64_t number = parts.number;
  if (number < numbers.next || numbers.beyond.contains(number)) number = numbers.next;
  if (number == numbers.next) {
    do ++numbers.next;
    while (numbers.beyond.erase(numbers.next) > 0);
  } else {
    numbers.beyond.insert(number);
  }
  if (number == 0 && !parts.has_number) return std::string(parts.stem);
  return absl::StrCat(parts.stem, ".", number);
}

}  // namespace xla
