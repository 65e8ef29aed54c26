#include "passes/partition/indexed.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// What gathers and scatters have in common.
struct Indexing {
  std::vector<int64_t> dimensions;  // that each number of an index is for
  std::vector<int64_t> picked;      // of these, along which there is one element
  int64_t vector_dimension;         // of the indices
};

Indexing IndexingOf(const HloInstruction& instruction) {
  const auto list = [](const auto& numbers) {
    return std::vector<int64_t>(numbers.begin(), numbers.end());
  };
  if (instruction.opcode() == HloOpcode::kGather) {
    const GatherDimensionNumbers& numbers = instruction.gather_dimension_numbers();
    return {list(numbers.start_index_map()), list(numbers.collapsed_slice_dims()),
            numbers.index_vector_dim()};
  }
  const ScatterDimensionNumbers& numbers = instruction.scatter_dimension_numbers();
  return {list(numbers.scatter_dims_to_operand_dims()), list(numbers.inserted_window_dims()),
          numbers.index_vector_dim()};
}

// Numbers as a gather takes them, from 0 to `most`.
HloInstruction* Clamp(GraphBuilder& graph, HloInstruction* numbers, int64_t most) {
  const PrimitiveType type = numbers->shape().element_type();
  const bool is_signed = primitive_util::IsSignedIntegralType(type);
  if (is_signed) numbers = graph.Binary(HloOpcode::kMaximum, numbers, graph.Number(type, 0));
  const int bits = primitive_util::BitWidth(type) - (is_signed ? 1 : 0);
  if (bits >= 63 || most < int64_t{1} << bits) {
    const double limit = static_cast<double>(most);
    numbers = graph.Binary(HloOpcode::kMinimum, numbers, graph.Number(type, limit));
  }
  return numbers;
}

class IndexedPart {
 public:
  IndexedPart(GraphBuilder& graph, const HloInstruction& instruction, const Shape& whole,
              const Tiling& own, Resharder& resharder)
      : graph_(graph),
        instruction_(instruction),
        indexing_(IndexingOf(instruction)),
        whole_(whole),
        own_(own),
        resharder_(resharder) {}

  bool IsDivided(size_t column) const {
    const int64_t dimension = indexing_.dimensions[column];
    return absl::c_linear_search(indexing_.picked, dimension) &&
           !own_.dimensions[dimension].empty();
  }
  bool IsDivided() const {
    for (size_t i = 0; i < indexing_.dimensions.size(); ++i) {
      if (IsDivided(i)) return true;
    }
    return false;
  }

  // `part` is that of the operand.
  HloInstruction* Shift(HloInstruction* indices, const Shape& part) {
    if (indexing_.vector_dimension == indices->shape().dimensions_size())
      return ShiftColumn(indices, 0, part);
    const auto along = static_cast<int>(indexing_.vector_dimension);
    std::vector<int64_t> starts(indices->shape().dimensions_size(), 0), ones(starts.size(), 1);
    std::vector<HloInstruction*> columns;
    Shape shape = indices->shape();
    shape.set_dimensions(along, 1);
    for (size_t i = 0; i < indexing_.dimensions.size(); ++i) {
      starts[along] = static_cast<int64_t>(i);
      std::vector<int64_t> limits(shape.dimensions().begin(), shape.dimensions().end());
      limits[along] = starts[along] + 1;
      HloInstruction* const column =
          graph_.Add(HloInstruction::CreateSlice(shape, indices, starts, limits, ones));
      columns.push_back(ShiftColumn(column, i, part));
    }
    if (columns.size() == 1) return columns[0];
    Shape joined = indices->shape();
    joined.set_element_type(S64);
    return graph_.Add(HloInstruction::CreateConcatenate(joined, columns, along));
  }

  // Of a gather's result, what was taken of this part.
  HloInstruction* KeepOwn(HloInstruction* result) {
    const Shape& shape = result->shape();
    const auto offsets = instruction_.gather_dimension_numbers().offset_dims();
    std::vector<int64_t> sizes, dimensions;
    for (int64_t i = 0; i < shape.dimensions_size(); ++i) {
      if (absl::c_linear_search(offsets, i)) continue;
      sizes.push_back(shape.dimensions(static_cast<int>(i)));
      dimensions.push_back(i);
    }
    HloInstruction* const is_own =
        graph_.Broadcast(graph_.Reshape(is_own_, sizes), shape.dimensions(), dimensions);
    HloInstruction* const nothing = IdentityOf(graph_, HloOpcode::kAdd, shape.element_type());
    return graph_.Select(is_own, result, graph_.Broadcast(nothing, shape.dimensions()));
  }

 private:
  HloInstruction* ShiftColumn(HloInstruction* numbers, size_t column, const Shape& part) {
    const auto dimension = static_cast<int>(indexing_.dimensions[column]);
    const bool is_gather = instruction_.opcode() == HloOpcode::kGather;
    if (is_gather) {
      const int64_t slice = instruction_.gather_slice_sizes()[dimension];
      numbers = Clamp(graph_, numbers, whole_.dimensions(dimension) - slice);
    }
    numbers = graph_.Convert(numbers, S64);
    if (!IsDivided(column)) return numbers;
    const int64_t size = part.dimensions(dimension);
    HloInstruction* const start = resharder_.Place(graph_, own_.dimensions[dimension], size);
    const auto sizes = numbers->shape().dimensions();
    numbers = graph_.Binary(HloOpcode::kSubtract, numbers, graph_.Broadcast(start, sizes));
    if (!is_gather) return numbers;
    HloInstruction* const is_within = graph_.Binary(
        HloOpcode::kAnd, graph_.Compare(Comparison::Direction::kGe, numbers, graph_.Number(S64, 0)),
        graph_.Compare(Comparison::Direction::kLt, numbers,
                       graph_.Constant(LiteralUtil::CreateR0<int64_t>(size))));
    is_own_ = is_own_ == nullptr ? is_within : graph_.Binary(HloOpcode::kAnd, is_own_, is_within);
    return numbers;
  }

  GraphBuilder& graph_;
  const HloInstruction& instruction_;
  const Indexing indexing_;
  const Shape& whole_;
  const Tiling& own_;  // of the operand
  Resharder& resharder_;
  HloInstruction* is_own_ = nullptr;
};

}  // namespace

HloInstruction* MakeIndexed(GraphBuilder& graph, const HloInstruction& instruction,
                            const LoopMap& map, const LoopDivision& division, const Shape& shape,
                            const Tiling& tiling, absl::Span<HloInstruction* const> operands,
                            const PartsOfWalks& walks,
                            absl::Span<const Shape* const> operand_shapes, Resharder& resharder) {
  const Tiling own = division.TilingOf(map.operands[0], {});
  IndexedPart part(graph, instruction, *operand_shapes[0], own, resharder);
  const bool is_divided = part.IsDivided();
  std::vector<HloInstruction*> shifted(operands.begin(), operands.end());
  if (is_divided) shifted[1] = part.Shift(operands[1], operands[0]->shape());
  HloInstruction* const local =
      MakeLocal(graph, instruction, shape, tiling, shifted, walks, operand_shapes, resharder);
  return is_divided && instruction.opcode() == HloOpcode::kGather ? part.KeepOwn(local) : local;
}

}  // namespace xla::passes
