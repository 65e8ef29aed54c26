#include "absl/algorithm/container.h"
#include "codegen/loops/schedule.h"
#include "ir/records.h"
#include "ir/scatter_windows.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::loops {
namespace {

// With smaller windows, looking for one's own updates would take longer than making them.
constexpr int64_t kMinWindowOfParts = 16;
// Parts of rows, long enough for updates to be read as streams.
constexpr int64_t kBytesOfStrip = 512;

// A part of a long row that is worth being a unit of work, in elements.
constexpr int64_t kElementsOfUnit = 1024;

bool IsScatteredAlong(const HloInstruction& scatter, int64_t d) {
  return absl::c_linear_search(
      scatter.attributes_as<ScatterAttributes>().scatter_dims_to_operand_dims, d);
}

int64_t ColumnsOfStrip(const HloInstruction& scatter) {
  return kBytesOfStrip / primitive_util::ByteWidth(scatter.operand(0)->shape().element_type());
}

// Columns, so that all units have as much to do, however updates are spread over rows; or rows.
// Batches are units already.
void PartitionScatter(const HloInstruction& scatter, Node& grid) {
  if (!grid.dimensions.empty()) return;
  if (HasUnitsOfColumns(scatter)) {
    grid.is_range = true;
    grid.strip = ColumnsOfStrip(scatter);
    return;
  }
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const Shape& array = scatter.operand(0)->shape();
  const int64_t last = array.dimensions_size() - 1;
  const int64_t elements = Product(ScatterWindowSizes(attributes, array, ComputedShape(scatter)));
  int64_t along = last;
  for (int64_t d : attributes.inserted_window_dims) {
    if (elements >= kMinWindowOfParts && IsScatteredAlong(scatter, d) && d != last &&
        (along == last || array.dimensions(d) > array.dimensions(along)))
      along = d;
  }
  if (along == last) return;
  grid.is_range = true;
  grid.dimensions = {static_cast<int>(along)};
  grid.steps = {1};
}

}  // namespace

bool HasUnitsOfColumns(const HloInstruction& scatter) {
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const Shape& array = scatter.operand(0)->shape();
  const int64_t last = array.dimensions_size() - 1;
  const Sizes windows = WindowDimensions(scatter);
  return attributes.input_batching_dims.empty() && !windows.empty() && windows.back() == last &&
         !IsScatteredAlong(scatter, last) &&
         attributes.update_window_dims.back() == ComputedShape(scatter).dimensions_size() - 1 &&
         array.dimensions(static_cast<int>(last)) >= 2 * ColumnsOfStrip(scatter);
}

void Partition(Kernel& kernel, const Conditions&) {
  const HloInstruction& root = *kernel.computation->root_instruction();
  if (root.opcode() == HloOpcode::kScatter) return PartitionScatter(root, kernel.body[0]);
  if (root.opcode() == HloOpcode::kSelectAndScatter) return;
  // Rows that are reduced stay together, and blocks of products are what they are.
  if (kernel.sizes.empty() || !kernel.before.empty() ||
      kernel.body[0].kind == Node::Kind::kProduct) {
    return;
  }
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
