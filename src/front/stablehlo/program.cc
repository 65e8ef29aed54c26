#include "front/stablehlo/program.h"

namespace xla::stablehlo {

const Attribute* Operation::Find(const NamedAttributes& in, absl::string_view name) {
  for (const NamedAttribute& entry : in) {
    if (entry.name == name) return entry.value;
  }
  return nullptr;
}

}  // namespace xla::stablehlo
