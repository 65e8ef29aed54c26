#include "codegen/loops/stream.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "runtime/memory.h"
#include "xla/shape_util.h"

namespace xla::loops {
namespace {

// Of smaller vectors, processors have no stores past the caches.
constexpr int64_t kLeastBytes = 16;

bool IsStoreOf(const Node& node, int64_t result) {
  return node.kind == Node::Kind::kStore && node.result <= result &&
         result < node.result + ArraysOf(*node.values[0]);
}

// Whether the vectors of a loop are lines of the cache, or parts of lines that follow one another
// and make up whole ones: a line that is written in both ways takes long.
bool AreLines(const Kernel& kernel, const Node& vector, bool is_in_tile, const Shape& shape) {
  const int64_t element = ShapeUtil::ByteSizeOfPrimitiveType(shape.element_type());
  const int64_t bytes = vector.lanes * element;
  const bool is_all = vector.dimensions.size() == kernel.sizes.size();
  if (vector.is_clipped || vector.begin * element % runtime::kAlignment != 0 ||
      !(is_all || ElementsAlong(kernel, vector) * element % runtime::kAlignment == 0)) {
    return false;
  }
  if (bytes % runtime::kAlignment == 0) return true;
  return !is_in_tile && bytes >= kLeastBytes && runtime::kAlignment % bytes == 0 &&
         (vector.end - vector.begin) * element % runtime::kAlignment == 0;
}

// Marks stores in these nodes, which are in a vector unless it is null.
void Mark(const Kernel& kernel, int64_t result, const Node* vector, bool is_in_tile,
          std::vector<Node>& nodes) {
  for (Node& node : nodes) {
    if (node.kind == Node::Kind::kProduct) continue;
    if (IsStoreOf(node, result)) {
      const Shape& shape = ArrayShape(*node.values[0], result - node.result);
      node.is_streamed = vector != nullptr &&
                         node.values[0]->opcode() != HloOpcode::kDynamicUpdateSlice &&
                         shape.dimensions() == absl::MakeConstSpan(kernel.sizes) &&
                         AreLines(kernel, *vector, is_in_tile, shape);
      continue;
    }
    Mark(kernel, result, node.kind == Node::Kind::kVector ? &node : vector,
         is_in_tile || node.kind == Node::Kind::kTile, node.body);
  }
}

}  // namespace

void Stream(Kernel& kernel, int64_t result) {
  // What scatters update is read again.
  if (absl::c_any_of(ResultsOf(*kernel.computation),
                     [](const HloInstruction* each) { return IsScattered(*each); })) {
    return;
  }
  Mark(kernel, result, nullptr, /*is_in_tile=*/false, kernel.body);
}

}  // namespace xla::loops
