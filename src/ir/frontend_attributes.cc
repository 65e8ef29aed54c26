#include "xla/frontend_attributes.h"

#include "absl/strings/ascii.h"

namespace xla {

void SetDisjointReadWriteRegionsAttr(HloInstruction* instruction) {
  if (instruction == nullptr) return;
  (*instruction->mutable_frontend_attributes().mutable_map())[kXlaDisjointReadWriteRegions] =
      "true";
}

bool HasDisjointReadWriteRegionsAttr(const HloInstruction* instruction) {
  if (instruction == nullptr) return false;
  const auto& attributes = instruction->frontend_attributes().map();
  for (const char* name : {kXlaDisjointReadWriteRegions, "xla.disjoint_read_write_regions"}) {
    const auto found = attributes.find(name);
    if (found == attributes.end()) continue;
    const std::string value = absl::AsciiStrToLower(found->second);
    if (value == "true" || value == "1" || value == "yes") return true;
  }
  return false;
}

}  // namespace xla
