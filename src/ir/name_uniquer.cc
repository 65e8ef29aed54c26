#include "ir/name_uniquer.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace xla {

std::string NameUniquer::GetUniqueName(absl::string_view name) {
  absl::string_view stem = name;
  int64_t number = 0;
  const size_t dot = name.rfind('.');
  bool has_number = false;
  if (dot != absl::string_view::npos && dot > 0 &&
      name.substr(dot + 1).find_first_not_of("0123456789") == absl::string_view::npos &&
      absl::SimpleAtoi(name.substr(dot + 1), &number)) {
    has_number = true;
    stem = name.substr(0, dot);
  }
  auto found = numbers_.find(stem);
  if (found == numbers_.end()) found = numbers_.try_emplace(std::string(stem)).first;
  Numbers& numbers = found->second;
  if (!numbers.used.insert(number).second) {
    while (!numbers.used.insert(numbers.next).second) ++numbers.next;
    number = numbers.next++;
  }
  if (number == 0 && !has_number) return std::string(stem);
  return absl::StrCat(stem, ".", number);
}

}  // namespace xla
