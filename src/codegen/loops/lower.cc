#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/loops/schedule.h"
#include "ir/records.h"
#include "ir/scatter_windows.h"
#include "passes/reducer.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::loops {
namespace {

// One node for the reductions that wait for no other, one for those that wait for them, and so on:
// what is reduced in the same loops is computed together.
std::vector<Node> ReductionsByDepth(const HloComputation& computation) {
  absl::flat_hash_map<const HloInstruction*, int> depths;
  std::map<int, Node> nodes;
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    int depth = 0;
    for (const HloInstruction* operand : instruction->operands())
      depth = std::max(depth, depths[operand]);
    if (IsReduction(*instruction)) {
      nodes.try_emplace(depth, Node{Node::Kind::kReduce})
          .first->second.values.push_back(instruction);
      ++depth;
    }
    depths[instruction] = depth;
  }
  std::vector<Node> in_order;
  for (auto& [depth, node] : nodes) in_order.push_back(std::move(node));
  return in_order;
}

// Vectors of elements this far apart are picked out of all that lies between; of narrow ones, a
// whole row is read as fast.
constexpr int64_t kMostInterleavedRow = 4, kMostInterleavedNarrowRow = 3;

int64_t MostInterleavedRow(PrimitiveType type) {
  return primitive_util::BitWidth(type) < 32 ? kMostInterleavedNarrowRow : kMostInterleavedRow;
}

// Whether rows of elements are reduced one after the other, rather than several interleaved.
bool ByRows(const HloInstruction& reduce, const Sizes& sizes) {
  if (!ReducesRows(reduce)) return false;
  const Shape& kept = ComputedShape(reduce);
  const int64_t columns = reduce.operand(0)->shape().dimensions().back();
  return static_cast<int64_t>(sizes.size()) > kept.dimensions_size() ||
         kept.dimensions_size() == 0 || columns > MostInterleavedRow(kept.element_type()) ||
         kept.dimensions().back() < columns;
}

bool Compares(const HloInstruction& instruction, int64_t x, int64_t y) {
  const auto is = [&](int64_t operand, int64_t parameter) {
    return instruction.operand(operand)->opcode() == HloOpcode::kParameter &&
           instruction.operand(operand)->parameter_number() == parameter;
  };
  return instruction.opcode() == HloOpcode::kCompare &&
         ((is(0, x) && is(1, y)) || (is(0, y) && is(1, x)));
}

// Sums, products and the like have neutral elements. The place of an extreme value may be found in
// any order where the function itself decides between equals by comparing places; others, such as
// the place of whichever of several equals comes first, depend on it.
Node::Order OrderOf(const HloInstruction& reduce) {
  const HloComputation& function = *reduce.to_apply();
  const HloOpcode opcode = function.root_instruction()->opcode();
  if (passes::ReducingOperationOf(function).has_value()) {
    const PrimitiveType type = function.root_instruction()->shape().element_type();
    // Infinite complex numbers change when they are multiplied by 1.
    const bool is_exact = !primitive_util::IsComplexType(type) || opcode == HloOpcode::kAdd;
    return is_exact && passes::NeutralElement(opcode, type).has_value() ? Node::Order::kFromNeutral
           : passes::IsAssociative(opcode)                              ? Node::Order::kFromFirst
                                                                        : Node::Order::kInOrder;
  }
  const bool compares_places = reduce.operand_count() == 4 && !passes::IsAssociative(opcode) &&
                               absl::c_any_of(function.instructions(), [](const auto* each) {
                                 return Compares(*each, 1, 3);
                               });
  return compares_places ? Node::Order::kFromFirst : Node::Order::kInOrder;
}

// ---- Loops

Node Store(int64_t number, const HloInstruction& value) {
  Node store = {Node::Kind::kStore};
  store.result = number;
  store.values = {&value};
  return store;
}

// Loops along dimensions, the last one perhaps in vectors.
std::vector<Node> Nest(const Kernel& kernel, absl::Span<const int> dimensions, bool has_vectors,
                       std::vector<Node> body) {
  for (size_t i = dimensions.size(); i-- > 0;) {
    const bool is_vector = has_vectors && i + 1 == dimensions.size();
    Node loop = {is_vector ? Node::Kind::kVector : Node::Kind::kLoop};
    loop.dimensions = {dimensions[i]};
    if (is_vector) loop.end = kernel.sizes[dimensions[i]];
    loop.body = std::move(body);
    body = {std::move(loop)};
  }
  return body;
}

// ---- Running reductions

// Smaller windows are folded one by one.
constexpr int64_t kMinWindowOfScan = 17;

// The node for it, without what is done there.
std::optional<Node> ScanOf(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kReduceWindow) return std::nullopt;
  const Shape& input = instruction.operand(0)->shape();
  const Window& window = instruction.window();
  int along = -1;
  for (int d = 0; d < window.dimensions_size(); ++d) {
    const WindowDimension& dimension = window.dimensions(d);
    if (dimension.stride() != 1 || dimension.base_dilation() != 1 ||
        dimension.window_dilation() != 1)
      return std::nullopt;
    if (dimension.size() == 1 && dimension.padding_low() == 0 && dimension.padding_high() == 0)
      continue;
    if (along >= 0) return std::nullopt;
    along = d;
  }
  if (along < 0 || input.dimensions(along) == 0) return std::nullopt;
  const WindowDimension& dimension = window.dimensions(along);
  const int64_t results = ComputedShape(instruction).dimensions(along);
  if (dimension.size() < kMinWindowOfScan || results < 1) return std::nullopt;
  // The last of the windows begins where the first one does, or the first one ends with the last.
  for (const bool is_reversed : {false, true}) {
    const int64_t padding = is_reversed ? dimension.padding_high() : dimension.padding_low();
    const int64_t ahead = dimension.size() - 1 - padding;
    if (padding < results - 1 || ahead < 0) continue;
    Node scan = {Node::Kind::kScan};
    scan.dimensions = {along};
    scan.is_reversed = is_reversed;
    scan.begin = std::min(ahead, input.dimensions(along));
    scan.values = {&instruction};
    return scan;
  }
  return std::nullopt;
}

// Units are what the reduction does not run along; adjacent elements have accumulators of their own
// where it runs along another dimension.
void LowerScan(const HloInstruction& instruction, Kernel& kernel) {
  Node scan = *ScanOf(instruction);
  scan.body = {Store(0, instruction)};
  Node& grid = kernel.body[0];
  std::vector<int> vectors;
  const int rank = static_cast<int>(kernel.sizes.size());
  for (int d = 0; d < rank; ++d) {
    if (d != scan.dimensions[0]) (d + 1 < rank ? grid.dimensions : vectors).push_back(d);
  }
  grid.body = Nest(kernel, vectors, true, {std::move(scan)});
}

// ---- Select-and-scatter

// Units are rows that no window crosses.
void LowerSelectAndScatter(const HloInstruction& instruction, Kernel& kernel) {
  const Window& window = instruction.window();
  const int rank = window.dimensions_size();
  Node& grid = kernel.body[0];
  for (int d = 0; d + 1 < rank; ++d) {
    const WindowDimension& dimension = window.dimensions(d);
    if (dimension.size() != 1 || dimension.stride() != 1 || dimension.padding_low() != 0 ||
        dimension.padding_high() != 0 || dimension.base_dilation() != 1)
      break;
    grid.dimensions.push_back(d);
  }
  Node select = {Node::Kind::kSelect};
  select.dimensions = grid.dimensions;
  select.values = {&instruction};
  const Shape& source = instruction.operand(1)->shape();
  std::vector<int> of_array, of_source;
  for (int d = static_cast<int>(grid.dimensions.size()); d < rank; ++d) {
    of_array.push_back(d);
    of_source.push_back(static_cast<int>(kernel.sizes.size()));
    kernel.sizes.push_back(source.dimensions(d));
  }
  absl::c_copy(of_source, std::back_inserter(select.dimensions));
  grid.body = Nest(kernel, of_array, true, {Store(0, *instruction.operand(2))});
  if (ShapeUtil::IsZeroElementArray(source)) return;
  for (Node& node : Nest(kernel, of_source, true, {std::move(select), Store(0, instruction)}))
    grid.body.push_back(std::move(node));
}

// ---- Scatter

// Larger windows are divided themselves, or the rows that they go to.
constexpr int64_t kMaxWindowOfUnit = 16;
// Updates in vectors of the same place soon after each other wait for the one before to be stored:
// in smaller parts of the array they are better made for all units in turn.
constexpr int64_t kMinElementsOfUnit = 1024;

// How many dimensions of the array, from the first on, all updates have as a whole, where units of
// them are worth it.
int LeadingWholeDimensions(const HloInstruction& scatter) {
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  if (!attributes.input_batching_dims.empty()) return 0;
  const Shape& array = scatter.operand(0)->shape();
  const absl::Span<const int64_t> windows = attributes.update_window_dims;
  const Sizes dimensions = WindowDimensions(scatter);
  const Sizes sizes = ScatterWindowSizes(attributes, array, ComputedShape(scatter));
  int count = 0;
  while (count < static_cast<int>(windows.size()) && windows[count] == count &&
         dimensions[count] == count && sizes[count] == array.dimensions(count) &&
         !absl::c_linear_search(attributes.scatter_dims_to_operand_dims, count))
    ++count;
  const int64_t window = Product(absl::MakeConstSpan(sizes).subspan(count));
  const int64_t elements = Product(array.dimensions().subspan(count));
  const bool pays = window == 1 || (window <= kMaxWindowOfUnit && elements >= kMinElementsOfUnit);
  return pays && !HasUnitsOfColumns(scatter) ? count : 0;
}

// Updates one after the other; what an update has is a window, whose last dimension is in vectors
// where it is the last one of both arrays. Batches are a dimension of both arrays as well, and
// units of work, as are dimensions that all updates have.
void LowerScatter(const HloInstruction& scatter, Kernel& kernel) {
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const Shape& updates = ComputedShape(scatter);
  Node& grid = kernel.body[0];
  const int whole = LeadingWholeDimensions(scatter);
  for (int d = 0; d < whole; ++d) grid.dimensions.push_back(d);
  if (!attributes.input_batching_dims.empty())
    grid.dimensions = {static_cast<int>(attributes.input_batching_dims[0])};
  const auto is_of_units = [&](int d) { return absl::c_linear_search(grid.dimensions, d); };
  std::vector<int> all, outer;
  for (int d = 0; d < static_cast<int>(kernel.sizes.size()); ++d) {
    if (!is_of_units(d)) all.push_back(d);
  }
  std::vector<Node>& body = grid.body;
  const bool is_empty = ShapeUtil::IsZeroElementArray(updates);
  std::vector<Node> initial;
  for (int64_t k = 0; k < ArraysOf(scatter); ++k) {
    // Parameters lie in the result's memory.
    if (scatter.operand(k)->opcode() != HloOpcode::kParameter || is_empty)
      initial.push_back(Store(k, *scatter.operand(k)));
  }
  if (!initial.empty()) body = Nest(kernel, all, true, std::move(initial));
  if (is_empty) return;
  Node node = {Node::Kind::kScatter};
  node.values = {&scatter};
  const Sizes windows = WindowDimensions(scatter);
  std::vector<int> inner;
  int64_t number = 0;  // of a dimension of indices, the vectors left out
  for (int d = 0; d < updates.dimensions_size(); ++d) {
    int dimension = static_cast<int>(kernel.sizes.size());
    if (d < whole) {
      dimension = d;
    } else if (absl::c_linear_search(attributes.update_window_dims, d)) {
      inner.push_back(dimension);
    } else {
      const auto& batches = attributes.scatter_indices_batching_dims;
      const auto batch =
          absl::c_find(batches, number < attributes.index_vector_dim ? number : number + 1);
      if (batch != batches.end())
        dimension = static_cast<int>(attributes.input_batching_dims[batch - batches.begin()]);
      if (!is_of_units(dimension)) outer.push_back(dimension);
      ++number;
    }
    if (dimension == static_cast<int>(kernel.sizes.size()))
      kernel.sizes.push_back(updates.dimensions(d));
    node.dimensions.push_back(dimension);
  }
  const bool has_vectors = !inner.empty() &&
                           windows.back() == scatter.operand(0)->shape().dimensions_size() - 1 &&
                           inner.back() == node.dimensions.back();
  node.body = Nest(kernel, inner, has_vectors, {Store(0, scatter)});
  Node* loop = &node;
  for (int64_t d : windows) {
    if (d < whole) continue;
    loop = &loop->body[0];
    loop->is_clipped = absl::c_linear_search(attributes.scatter_dims_to_operand_dims, d);
  }
  for (Node& each : Nest(kernel, outer, false, {std::move(node)})) body.push_back(std::move(each));
}

// Kernels of one result that is no function of an index alone.
Kernel LowerRoot(const HloInstruction& root) {
  Kernel kernel;
  kernel.computation = root.parent();
  const Shape& shape = root.shape().IsTuple() ? root.shape().tuple_shapes(0) : root.shape();
  kernel.sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
  kernel.body = {Node{Node::Kind::kGrid}};
  if (root.opcode() == HloOpcode::kScatter) {
    LowerScatter(root, kernel);
  } else if (root.opcode() == HloOpcode::kSelectAndScatter) {
    LowerSelectAndScatter(root, kernel);
  } else {
    LowerScan(root, kernel);
  }
  kernel.body[0].steps.assign(kernel.body[0].dimensions.size(), 1);
  return kernel;
}

}  // namespace

bool IsScan(const HloInstruction& instruction) { return ScanOf(instruction).has_value(); }

Kernel Lower(const HloComputation& computation) {
  const HloInstruction& root = *computation.root_instruction();
  if (IsScattered(root) || IsScan(root)) return LowerRoot(root);
  Kernel kernel;
  kernel.computation = &computation;
  const Values results = ResultsOf(computation);
  const Shape* largest = &ComputedShape(*results[0]);
  for (const HloInstruction* result : results) {
    if (ComputedShape(*result).dimensions_size() > largest->dimensions_size())
      largest = &ComputedShape(*result);
  }
  kernel.sizes.assign(largest->dimensions().begin(), largest->dimensions().end());
  std::vector<Node> reductions = ReductionsByDepth(computation);
  const int rank = largest->dimensions_size();
  const bool by_rows = !reductions.empty() && ByRows(*reductions[0].values[0], kernel.sizes);
  // Dimensions of units; loops have the others.
  const int of_rows =
      by_rows ? ComputedShape(*reductions[0].values[0]).dimensions_size() : std::max(rank - 1, 0);

  Node grid = {Node::Kind::kGrid};
  for (int d = 0; d < of_rows; ++d) grid.dimensions.push_back(d);
  grid.steps.assign(of_rows, 1);
  std::vector<Node> stores;
  int64_t number = 0;
  for (Node& node : reductions) {
    node.by_rows = by_rows;
    node.order = by_rows ? Node::Order::kFromNeutral : Node::Order::kInOrder;
    for (const HloInstruction* reduce : node.values)
      node.order = std::max(node.order, OrderOf(*reduce));
    std::vector<Node>& place = !by_rows ? stores : of_rows == 0 ? kernel.before : grid.body;
    place.push_back(std::move(node));
  }
  for (const HloInstruction* result : results) {
    Node store = Store(number, *result);
    number += ArraysOf(*result);
    const bool is_of_row = of_rows == rank || ComputedShape(*result).dimensions_size() < rank;
    (is_of_row ? grid.body : stores).push_back(std::move(store));
  }
  if (of_rows < rank) {
    std::vector<int> dimensions(rank - of_rows);
    absl::c_iota(dimensions, of_rows);
    for (Node& node : Nest(kernel, dimensions, true, std::move(stores)))
      grid.body.push_back(std::move(node));
  }
  if (const HloInstruction* product = ProductIn(computation); product != nullptr) {
    grid.kind = Node::Kind::kProduct;
    grid.values = {product};
    if (const auto order = OrderOfElements(*product, kernel.sizes); !order.empty())
      grid.dimensions.assign(order.begin(), order.end() - 1);
  }
  kernel.body.push_back(std::move(grid));
  return kernel;
}

}  // namespace xla::loops
