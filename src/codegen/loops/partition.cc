#include "codegen/loops/schedule.h"

namespace xla::loops {

// A part of a long row that is worth being a unit of work, in elements.
constexpr int64_t kElementsOfUnit = 1024;

void Partition(Kernel& kernel, const Conditions&) {
  // Rows that are reduced stay together.
  if (kernel.sizes.empty() || !kernel.before.empty()) return;
  int64_t elements = 0, strip = kElementsOfUnit;
  bool by_rows = false;
  ForEachNode(kernel, [&](const Node& node) {
    by_rows = by_rows || node.by_rows;
    if (node.kind != Node::Kind::kVector) return;
    elements = ElementsAlong(kernel, node);
    if (HasReductions(kernel)) strip = node.lanes;
  });
  if (!by_rows && elements > strip) kernel.body[0].strip = strip;
}

}  // namespace xla::loops
