// Modules for the tests of HLO text: each prints (Default options, constants in full) as it stands
// here.
#ifndef HILO_TESTS_TEXT_MODULES_H_
#define HILO_TESTS_TEXT_MODULES_H_

#include <vector>

#include "absl/strings/string_view.h"

namespace xla {

struct NamedText {
  absl::string_view name;
  absl::string_view text;
};

// Together they have every opcode and every kind of attribute.
const std::vector<NamedText>& TestModules();

}  // namespace xla

#endif  // HILO_TESTS_TEXT_MODULES_H_
