#include "passes/partition/loop_map.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "ir/index_map.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "passes/partition/call_partitioner.h"
#include "xla/hlo/ir/hlo_casting_utils.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"
#include "xla/window_util.h"

namespace xla::passes {
namespace {

using Kind = LoopMap::Kind;

// One result after the other of a tuple.
std::vector<const Shape*> ArraysOf(const Shape& shape) {
  if (!shape.IsTuple()) return {&shape};
  std::vector<const Shape*> arrays;
  for (const Shape& part : shape.tuple_shapes()) arrays.push_back(&part);
  return arrays;
}

class MapBuilder {
 public:
  explicit MapBuilder(const HloInstruction& instruction) : instruction_(instruction) {
    for (const HloInstruction* operand : instruction.operands())
      map_.operands.emplace_back(Rank(operand->shape()));
    for (const Shape* result : ArraysOf(instruction.shape()))
      map_.results.emplace_back(Rank(*result));
    map_.is_taken_once.assign(map_.operands.size(), false);
  }

  static size_t Rank(const Shape& shape) { return shape.IsArray() ? shape.dimensions_size() : 0; }

  int Loop(int64_t size, Kind kind = Kind::kEach) {
    map_.loops.push_back({size, kind});
    return static_cast<int>(map_.loops.size()) - 1;
  }
  void Operand(int64_t operand, int64_t dimension, int loop) {
    map_.operands[operand][dimension] = {loop};
  }
  void Result(int64_t dimension, int loop) {
    for (LoopMap::Dimensions& result : map_.results) result[dimension] = {loop};
  }
  // A loop along a dimension of an operand and one of the results.
  int Together(int64_t operand, int64_t from, int64_t to, Kind kind = Kind::kEach) {
    const int loop = Loop(Size(operand, from), kind);
    Operand(operand, from, loop);
    Result(to, loop);
    return loop;
  }
  // kEach where the operand is as long as the result there, else kShift.
  int TogetherIfFull(int64_t operand, int64_t dimension) {
    const bool is_full = Size(operand, dimension) == ResultSize(dimension);
    return Together(operand, dimension, dimension, is_full ? Kind::kEach : Kind::kShift);
  }
  // Turns of the loop, one for each element of the result, read the operand as the walk says.
  void Follow(int64_t operand, int64_t dimension, LoopMap::Walk walk) {
    std::vector<std::vector<std::optional<LoopMap::Walk>>>& walks = map_.walks;
    if (walks.empty()) {
      for (const LoopMap::Dimensions& dimensions : map_.operands)
        walks.emplace_back(dimensions.size());
    }
    walks[operand][dimension] = std::move(walk);
  }
  void OneLoopForEachResultDimension() {
    for (int64_t i = 0; i < ResultRank(); ++i) Result(i, Loop(ResultSize(i)));
  }

  int64_t Size(int64_t operand, int64_t dimension) const {
    return instruction_.operand(operand)->shape().dimensions(dimension);
  }
  int64_t OperandRank(int64_t operand) const {
    return static_cast<int64_t>(map_.operands[operand].size());
  }
  const Shape& ResultShape() const { return *ArraysOf(instruction_.shape())[0]; }
  int64_t ResultSize(int64_t dimension) const { return ResultShape().dimensions(dimension); }
  int64_t ResultRank() const { return static_cast<int64_t>(map_.results[0].size()); }

  const HloInstruction& instruction() const { return instruction_; }
  LoopMap& map() { return map_; }

 private:
  const HloInstruction& instruction_;
  LoopMap map_;
};

void MapElements(MapBuilder& builder) {
  builder.OneLoopForEachResultDimension();
  const HloInstruction& instruction = builder.instruction();
  for (int64_t operand = 0; operand < instruction.operand_count(); ++operand) {
    if (!ShapeUtil::SameDimensions(instruction.operand(operand)->shape(), builder.ResultShape()))
      continue;
    for (int64_t i = 0; i < builder.ResultRank(); ++i)
      builder.Operand(operand, i, static_cast<int>(i));
  }
}

void MapBroadcast(MapBuilder& builder) {
  builder.OneLoopForEachResultDimension();
  const auto& dimensions = builder.instruction().dimensions();
  for (size_t i = 0; i < dimensions.size(); ++i)
    builder.Operand(0, static_cast<int64_t>(i), static_cast<int>(dimensions[i]));
}

void MapTranspose(MapBuilder& builder) {
  const auto& permutation = builder.instruction().dimensions();
  for (size_t i = 0; i < permutation.size(); ++i)
    builder.Together(0, permutation[i], static_cast<int64_t>(i));
}

// Sizes that both sides have in common, slowest first. Where they have none, the rest up to where
// both sides have as many elements belongs to no loop.
void MapReshape(MapBuilder& builder) {
  const int64_t from_rank = builder.OperandRank(0), to_rank = builder.ResultRank();
  if (ShapeUtil::IsZeroElementArray(builder.ResultShape())) return;
  int64_t from = 0, to = 0, from_left = 1, to_left = 1;
  bool is_common = true;
  while (true) {
    if (from_left == 1 && to_left == 1) is_common = true;
    if (from_left == 1 && from < from_rank) {
      from_left = builder.Size(0, from++);
      continue;
    }
    if (to_left == 1 && to < to_rank) {
      to_left = builder.ResultSize(to++);
      continue;
    }
    if (from_left == 1 || to_left == 1) return;
    const int64_t less = std::min(from_left, to_left);
    if (from_left % less != 0 || to_left % less != 0) is_common = false;
    if (is_common) {
      const int loop = builder.Loop(less);
      builder.map().operands[0][from - 1].push_back(loop);
      builder.map().results[0][to - 1].push_back(loop);
      from_left /= less;
      to_left /= less;
      continue;
    }
    // Both sides grow until they agree.
    while (from_left != to_left) {
      if (from_left < to_left) {
        from_left *= builder.Size(0, from++);
      } else {
        to_left *= builder.ResultSize(to++);
      }
    }
    from_left = to_left = 1;
  }
}

// Whether there is a number that sums can begin with.
bool HasZero(PrimitiveType type) { return type != F8E8M0FNU; }

// The operation that a computation applies to its two parameters and nothing else, if another
// number can be put in place of what is missing.
std::optional<HloOpcode> CombinationOf(const HloComputation& computation) {
  const HloInstruction& root = *computation.root_instruction();
  if (computation.num_parameters() != 2 || root.operand_count() != 2) return std::nullopt;
  for (const HloInstruction* operand : root.operands()) {
    if (operand->opcode() != HloOpcode::kParameter) return std::nullopt;
  }
  if (root.operand(0) == root.operand(1)) return std::nullopt;
  switch (root.opcode()) {
    case HloOpcode::kAdd:
      if (!HasZero(root.shape().element_type())) return std::nullopt;
      return root.opcode();
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kAnd:
    case HloOpcode::kOr:
      return root.opcode();
    default:
      return std::nullopt;
  }
}

void MapReduce(MapBuilder& builder) {
  const HloInstruction& reduce = builder.instruction();
  const int64_t inputs = reduce.operand_count() / 2;
  const std::optional<HloOpcode> combination =
      inputs == 1 ? CombinationOf(*reduce.to_apply()) : std::nullopt;
  if (combination.has_value()) builder.map().combination = *combination;
  int64_t to = 0;
  for (int64_t i = 0; i < builder.OperandRank(0); ++i) {
    const bool is_reduced = absl::c_linear_search(reduce.dimensions(), i);
    const int loop = builder.Loop(builder.Size(0, i), !is_reduced               ? Kind::kEach
                                                      : combination.has_value() ? Kind::kSum
                                                                                : Kind::kShift);
    for (int64_t input = 0; input < inputs; ++input) builder.Operand(input, i, loop);
    if (!is_reduced) builder.Result(to++, loop);
  }
  for (int64_t input = 0; input < inputs; ++input)
    builder.map().is_taken_once[inputs + input] = true;
}

// Of sums of products. Parts that are rounded to whole numbers do not add up to the whole sum.
Kind KindOfSums(const HloInstruction& instruction) {
  if (!HasZero(instruction.shape().element_type())) return Kind::kShift;
  const bool is_rounded = primitive_util::IsIntegralType(instruction.shape().element_type()) &&
                          absl::c_any_of(instruction.operands(), [](const HloInstruction* operand) {
                            return !primitive_util::IsIntegralType(operand->shape().element_type());
                          });
  return is_rounded ? Kind::kShift : Kind::kSum;
}

void MapDot(MapBuilder& builder) {
  const DotDimensionNumbers& numbers = builder.instruction().dot_dimension_numbers();
  int64_t to = 0;
  for (int i = 0; i < numbers.lhs_batch_dimensions_size(); ++i) {
    const int loop = builder.Together(0, numbers.lhs_batch_dimensions(i), to++);
    builder.Operand(1, numbers.rhs_batch_dimensions(i), loop);
  }
  for (int i = 0; i < numbers.lhs_contracting_dimensions_size(); ++i) {
    const int64_t left = numbers.lhs_contracting_dimensions(i);
    const int loop = builder.Loop(builder.Size(0, left), KindOfSums(builder.instruction()));
    builder.Operand(0, left, loop);
    builder.Operand(1, numbers.rhs_contracting_dimensions(i), loop);
  }
  for (int64_t operand = 0; operand < 2; ++operand) {
    for (int64_t i = 0; i < builder.OperandRank(operand); ++i) {
      if (builder.map().operands[operand][i].empty()) builder.Together(operand, i, to++);
    }
  }
}

void MapConvolution(MapBuilder& builder) {
  const HloInstruction& convolution = builder.instruction();
  const auto& attributes = convolution.attributes_as<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  if (attributes.batch_group_count == 1) {
    builder.Together(0, numbers.input_batch_dimension(), numbers.output_batch_dimension());
  }
  if (attributes.batch_group_count == 1 && attributes.feature_group_count == 1) {
    builder.Together(1, numbers.kernel_output_feature_dimension(),
                     numbers.output_feature_dimension());
    const int depth =
        builder.Loop(builder.Size(0, numbers.input_feature_dimension()), KindOfSums(convolution));
    builder.Operand(0, numbers.input_feature_dimension(), depth);
    builder.Operand(1, numbers.kernel_input_feature_dimension(), depth);
  }
  builder.map().outside = LoopMap::Outside::kZero;
  for (int i = 0; i < numbers.input_spatial_dimensions_size(); ++i) {
    const WindowDimension& window = convolution.window().dimensions(i);
    const int64_t from = numbers.input_spatial_dimensions(i);
    const int64_t to = numbers.output_spatial_dimensions(i);
    const int places = builder.Loop(builder.ResultSize(to), Kind::kNear);
    builder.Result(to, places);
    // Elements of the window, of which the result is a sum.
    const int elements = builder.Loop(window.size(), KindOfSums(convolution));
    if (!window.window_reversal())
      builder.Operand(1, numbers.kernel_spatial_dimensions(i), elements);
    // The gradient of a kernel has windows that are as large as the image, at few places.
    const bool is_large = window.size() > builder.ResultSize(to) && !window.window_reversal();
    builder.Operand(0, from, is_large ? elements : places);
    builder.Follow(0, from,
                   {{{places, window.stride()}, {elements, window.window_dilation()}},
                    -window.padding_low(),
                    /*extent=*/1,
                    window.base_dilation()});
  }
}

// Slices and the like: `operand` dimension by dimension.
void MapFullDimensions(MapBuilder& builder) {
  for (int64_t i = 0; i < builder.OperandRank(0); ++i) builder.TogetherIfFull(0, i);
}

// Where a dynamic slice or update begins, if that is known. It lies inside.
std::optional<int64_t> KnownStart(const HloInstruction& instruction, int64_t first_start,
                                  int64_t dimension, int64_t most) {
  const HloInstruction& start = *instruction.operand(first_start + dimension);
  if (start.opcode() != HloOpcode::kConstant) return std::nullopt;
  const std::optional<int64_t> number = start.literal().GetFirstInteger();
  if (!number.has_value()) return std::nullopt;
  return std::clamp<int64_t>(*number, 0, most);
}

bool HasScalarStarts(const MapBuilder& builder, int64_t first_start) {
  return builder.instruction().operand_count() == first_start + builder.ResultRank();
}

// Only where the result has all of the operand, or where it begins is known, is it known which part
// that is.
void MapDynamicSlice(MapBuilder& builder) {
  const bool has_scalars = HasScalarStarts(builder, 1);
  for (int64_t i = 0; i < builder.OperandRank(0); ++i) {
    const int64_t most = builder.Size(0, i) - builder.ResultSize(i);
    if (most == 0) {
      builder.Together(0, i, i);
    } else if (const std::optional<int64_t> start =
                   has_scalars ? KnownStart(builder.instruction(), 1, i, most) : std::nullopt) {
      const int loop = builder.Loop(builder.ResultSize(i), Kind::kNear);
      builder.Operand(0, i, loop);
      builder.Result(i, loop);
      builder.Follow(0, i, {{{loop, 1}}, *start});
    }
  }
}

// Each device takes of the update what belongs to its part. If it is known where that is, the
// update may be divided.
void MapDynamicUpdateSlice(MapBuilder& builder) {
  const bool has_scalars = HasScalarStarts(builder, 2);
  for (int64_t i = 0; i < builder.OperandRank(0); ++i) {
    const int64_t most = builder.Size(0, i) - builder.Size(1, i);
    const int loop = builder.Together(0, i, i);
    if (most == 0) {
      builder.Operand(1, i, loop);
      continue;
    }
    builder.map().loops[loop].kind = has_scalars ? Kind::kNear : Kind::kShift;
    const std::optional<int64_t> start =
        has_scalars ? KnownStart(builder.instruction(), 2, i, most) : std::nullopt;
    if (!start.has_value()) continue;
    builder.Operand(1, i, loop);
    builder.Follow(1, i, {{{loop, 1}}, -*start});
  }
}

void MapConcatenate(MapBuilder& builder) {
  const int64_t along = builder.instruction().dimensions(0);
  for (int64_t i = 0; i < builder.ResultRank(); ++i) {
    const int loop = builder.Loop(builder.ResultSize(i), i == along ? Kind::kShift : Kind::kEach);
    builder.Result(i, loop);
    for (int64_t operand = 0; operand < builder.instruction().operand_count(); ++operand)
      builder.Operand(operand, i, loop);
  }
}

void MapPad(MapBuilder& builder) {
  builder.map().outside = LoopMap::Outside::kPadding;
  const PaddingConfig& config = builder.instruction().padding_config();
  for (int64_t i = 0; i < builder.OperandRank(0); ++i) {
    const PaddingConfig::PaddingConfigDimension& padding = config.dimensions(static_cast<int>(i));
    const bool is_same = padding.edge_padding_low() == 0 && padding.edge_padding_high() == 0 &&
                         (padding.interior_padding() == 0 || builder.Size(0, i) < 2);
    builder.Together(0, i, i, is_same ? Kind::kEach : Kind::kShift);
  }
}

void MapReverse(MapBuilder& builder) {
  for (int64_t i = 0; i < builder.OperandRank(0); ++i) {
    const bool is_reversed = absl::c_linear_search(builder.instruction().dimensions(), i);
    builder.Together(0, i, i, is_reversed ? Kind::kShift : Kind::kEach);
  }
}

// All inputs and results are alike, apart from one dimension.
void MapSort(MapBuilder& builder) {
  const int64_t along = builder.instruction().attributes_as<SortAttributes>().dimension;
  for (int64_t i = 0; i < builder.ResultRank(); ++i) {
    const int loop = builder.Loop(builder.ResultSize(i), i == along ? Kind::kShift : Kind::kEach);
    builder.Result(i, loop);
    for (int64_t operand = 0; operand < builder.instruction().operand_count(); ++operand)
      builder.Operand(operand, i, loop);
  }
}

void MapReduceWindow(MapBuilder& builder) {
  const HloInstruction& reduce = builder.instruction();
  const int64_t inputs = reduce.operand_count() / 2;
  const std::optional<HloOpcode> combination =
      inputs == 1 ? CombinationOf(*reduce.to_apply()) : std::nullopt;
  if (combination.has_value()) {
    builder.map().combination = *combination;
    builder.map().outside = LoopMap::Outside::kIdentity;
  }
  for (int64_t i = 0; i < builder.OperandRank(0); ++i) {
    const bool is_trivial = window_util::IsTrivialWindowDimension(reduce.window().dimensions(i));
    const int loop = builder.Together(0, i, i, is_trivial ? Kind::kEach : Kind::kShift);
    for (int64_t input = 1; input < inputs; ++input) builder.Operand(input, i, loop);
  }
}

// Windows that lie beside each other are turns, of all of their elements.
void MapSelectAndScatter(MapBuilder& builder) {
  for (int64_t i = 0; i < builder.OperandRank(0); ++i) {
    const WindowDimension& window = builder.instruction().window().dimensions(static_cast<int>(i));
    const int64_t size = builder.Size(0, i), windows = builder.Size(1, i);
    const bool is_apart = window.size() <= window.stride() && window.padding_low() == 0 &&
                          window.window_dilation() == 1 && window.base_dilation() == 1 &&
                          size == windows * window.stride();
    if (!is_apart) {
      builder.Operand(1, i, builder.Together(0, i, i, Kind::kShift));
      continue;
    }
    const int along = builder.Loop(windows);
    builder.Operand(1, i, along);
    LoopMap::Dimension dimension = {along};
    if (window.stride() > 1) dimension.push_back(builder.Loop(window.stride(), Kind::kShift));
    builder.map().operands[0][i] = builder.map().results[0][i] = dimension;
  }
}

void MapGather(MapBuilder& builder) {
  const HloInstruction& gather = builder.instruction();
  const GatherDimensionNumbers& numbers = gather.gather_dimension_numbers();
  const auto sizes = gather.gather_slice_sizes();
  // Dimensions of the result that are none of the slice walk along the indices.
  std::vector<int64_t> index_dimensions;
  for (int64_t i = 0; i < builder.OperandRank(1); ++i) {
    if (i != numbers.index_vector_dim()) index_dimensions.push_back(i);
  }
  size_t next = 0;
  for (int64_t i = 0; i < builder.ResultRank(); ++i) {
    if (absl::c_linear_search(numbers.offset_dims(), i)) continue;
    const int64_t from = index_dimensions[next++];
    const int loop = builder.Together(1, from, i);
    for (int k = 0; k < numbers.start_indices_batching_dims_size(); ++k) {
      if (numbers.start_indices_batching_dims(k) == from)
        builder.Operand(0, numbers.operand_batching_dims(k), loop);
    }
  }
  const PrimitiveType type = builder.ResultShape().element_type();
  if (type == PRED) builder.map().combination = HloOpcode::kOr;
  // Not all of the short floats have zeros with signs, which sums would keep.
  const bool is_exact =
      !primitive_util::IsFloatingPointType(type) || primitive_util::BitWidth(type) >= 16;
  int offset = 0;
  for (int64_t i = 0; i < builder.OperandRank(0); ++i) {
    if (absl::c_linear_search(numbers.operand_batching_dims(), i)) continue;
    if (absl::c_linear_search(numbers.collapsed_slice_dims(), i)) {
      if (is_exact && absl::c_linear_search(numbers.start_index_map(), i))
        builder.Operand(0, i, builder.Loop(builder.Size(0, i), Kind::kPick));
      continue;
    }
    const int64_t to = numbers.offset_dims(offset++);
    if (sizes[i] == builder.Size(0, i)) builder.Together(0, i, to);
  }
}

void MapScatter(MapBuilder& builder) {
  const auto& scatter = *Cast<HloScatterInstruction>(&builder.instruction());
  if (scatter.scatter_operand_count() != 1) return;
  const ScatterDimensionNumbers& numbers = scatter.scatter_dimension_numbers();
  const std::optional<HloOpcode> combination = CombinationOf(*scatter.to_apply());
  if (combination.has_value()) builder.map().combination = *combination;
  builder.map().is_taken_once[0] = true;
  std::vector<int64_t> index_dimensions;
  for (int64_t i = 0; i < builder.OperandRank(1); ++i) {
    if (i != numbers.index_vector_dim()) index_dimensions.push_back(i);
  }
  size_t next = 0;
  for (int64_t i = 0; i < builder.OperandRank(2); ++i) {
    if (absl::c_linear_search(numbers.update_window_dims(), i)) continue;
    const int64_t from = index_dimensions[next++];
    std::optional<int64_t> batching;
    for (int k = 0; k < numbers.scatter_indices_batching_dims_size(); ++k) {
      if (numbers.scatter_indices_batching_dims(k) == from)
        batching = numbers.input_batching_dims(k);
    }
    const int loop = builder.Loop(builder.Size(1, from), batching.has_value()      ? Kind::kEach
                                                         : combination.has_value() ? Kind::kSum
                                                                                   : Kind::kShift);
    builder.Operand(1, from, loop);
    builder.Operand(2, i, loop);
    if (batching.has_value()) {
      builder.Operand(0, *batching, loop);
      builder.Result(*batching, loop);
    }
  }
  int window = 0;
  for (int64_t i = 0; i < builder.OperandRank(0); ++i) {
    if (absl::c_linear_search(numbers.input_batching_dims(), i)) continue;
    if (absl::c_linear_search(numbers.inserted_window_dims(), i)) {
      const bool is_indexed = absl::c_linear_search(numbers.scatter_dims_to_operand_dims(), i);
      builder.Together(0, i, i, is_indexed ? Kind::kEach : Kind::kShift);
      continue;
    }
    const int64_t update = numbers.update_window_dims(window++);
    // Windows with an index may begin behind the first element, and what is left of them counts.
    const bool is_full = builder.Size(2, update) == builder.Size(0, i) &&
                         !absl::c_linear_search(numbers.scatter_dims_to_operand_dims(), i);
    const int loop = builder.Together(0, i, i, is_full ? Kind::kEach : Kind::kShift);
    if (is_full) builder.Operand(2, update, loop);
  }
}

// What works on the last dimensions, but leaves those before as they are.
void MapLeading(MapBuilder& builder, int64_t last, bool shifts_last = false) {
  for (int64_t i = 0; i < builder.ResultRank(); ++i) {
    const bool is_last = i + last >= builder.ResultRank();
    if (is_last && !shifts_last) break;
    const int loop = builder.Together(0, i, i, is_last ? Kind::kShift : Kind::kEach);
    for (int64_t k = 1; k < builder.instruction().operand_count(); ++k) builder.Operand(k, i, loop);
  }
}

// The dimensions of one size that lead all arrays, but for the last two of the largest, of which a
// call makes something.
void MapBatch(MapBuilder& builder) {
  const HloInstruction& call = builder.instruction();
  std::vector<const Shape*> arrays = ArraysOf(call.shape());
  for (const HloInstruction* operand : call.operands()) arrays.push_back(&operand->shape());
  int least = arrays[0]->dimensions_size(), most = 0;
  for (const Shape* array : arrays) {
    if (array->dimensions_size() > 0) least = std::min(least, array->dimensions_size());
    most = std::max(most, array->dimensions_size());
  }
  for (int i = 0; i < std::min(least, most - 2); ++i) {
    const int64_t size = arrays[0]->dimensions(i);
    for (const Shape* array : arrays) {
      if (array->dimensions_size() > 0 && array->dimensions(i) != size) return;
    }
    const int loop = builder.Loop(size);
    builder.Result(i, loop);
    for (int64_t operand = 0; operand < call.operand_count(); ++operand) {
      if (builder.OperandRank(operand) > 0) builder.Operand(operand, i, loop);
    }
  }
}

// The walk that an expression of an index map stands for, where a dimension of the result belongs
// to `loop`; other variables are symbols, elements of windows.
std::optional<LoopMap::Walk> WalkOf(const IndexExpr& expr, const IndexMap& map, int loop) {
  if (!expr.IsLinear()) return std::nullopt;
  LoopMap::Walk walk;
  walk.offset = expr.constant();
  for (const IndexExpr::Term& term : expr.terms()) {
    if (term.variable < map.dimensions) {
      if (!walk.steps.empty()) return std::nullopt;
      walk.steps.push_back({loop, term.factor});
    } else {
      if (term.factor < 0) return std::nullopt;
      walk.extent += term.factor * (map.sizes[term.variable] - 1);
    }
  }
  if (walk.steps.empty()) return std::nullopt;
  return walk;
}

// Along one dimension of an operand of that size. Where elements lie apart, a guard has what the
// index is a quotient of.
std::optional<LoopMap::Walk> WalkAlong(const IndexMap& map, size_t dimension, int64_t size,
                                       int loop) {
  const IndexExpr& index = map.results[dimension];
  bool has_holes = false;
  for (const IndexMap::Guard& guard : map.guards) {
    has_holes = has_holes || !guard.expr.IsLinear() || guard.expr.terms().empty();
    if (!guard.expr.IsLinear() || guard.begin != 0 || size < 2 || (guard.end - 1) % (size - 1) != 0)
      continue;
    const int64_t apart = (guard.end - 1) / (size - 1);
    if (apart < 2 || !(guard.expr.FloorDiv(apart) == index)) continue;
    std::optional<LoopMap::Walk> walk = WalkOf(guard.expr, map, loop);
    if (walk.has_value()) walk->divisor = apart;
    return walk;
  }
  if (has_holes) return std::nullopt;
  return WalkOf(index, map, loop);
}

// Loops of kShift are kNear where index maps say what is read along them.
void FollowIndexMaps(MapBuilder& builder) {
  const HloInstruction& instruction = builder.instruction();
  LoopMap& map = builder.map();
  // Windows may reach over the ends.
  if (instruction.opcode() == HloOpcode::kReduceWindow && map.outside == LoopMap::Outside::kNothing)
    return;
  const auto is_shifted = [&](const LoopMap::Dimension& dimension) {
    return dimension.size() == 1 && map.loops[dimension[0]].kind == Kind::kShift;
  };
  std::vector<bool> is_known(map.loops.size(), true);
  for (int64_t operand = 0; operand < instruction.operand_count(); ++operand) {
    if (absl::c_none_of(map.operands[operand], is_shifted)) continue;
    const std::optional<IndexMap> index = OperandMap(instruction, operand);
    for (int64_t i = 0; i < builder.OperandRank(operand); ++i) {
      if (!is_shifted(map.operands[operand][i])) continue;
      const int loop = map.operands[operand][i][0];
      std::optional<LoopMap::Walk> walk;
      if (index.has_value()) walk = WalkAlong(*index, i, builder.Size(operand, i), loop);
      is_known[loop] = is_known[loop] && walk.has_value();
      if (walk.has_value()) builder.Follow(operand, i, *std::move(walk));
    }
  }
  for (int64_t i = 0; i < builder.ResultRank(); ++i) {
    const LoopMap::Dimension& dimension = map.results[0][i];
    if (is_shifted(dimension) && is_known[dimension[0]])
      map.loops[dimension[0]] = {builder.ResultSize(i), Kind::kNear};
  }
}

// Whether a dimension of every array belongs to the loop.
bool IsInAll(int loop, const LoopMap& map) {
  for (const auto* arrays : {&map.operands, &map.results}) {
    for (const LoopMap::Dimensions& array : *arrays) {
      if (!array.empty() && absl::c_none_of(array, [&](const LoopMap::Dimension& dimension) {
            return absl::c_linear_search(dimension, loop);
          }))
        return false;
    }
  }
  return true;
}

LoopMap MapOfCall(const HloInstruction& call) {
  LoopMap map = MapOfShardingRule(call);
  if (!IsBatchPartitionable(call.custom_call_target())) return map;
  if (map.IsUnknown()) {
    MapBuilder builder(call);
    MapBatch(builder);
    return std::move(builder.map());
  }
  for (size_t i = 0; i < map.loops.size(); ++i) {
    if (!IsInAll(static_cast<int>(i), map)) map.loops[i].kind = Kind::kWhole;
  }
  return map;
}

bool IsTaken(const HloInstruction& instruction) {
  for (const HloInstruction* operand : instruction.operands()) {
    if (!operand->shape().IsArray()) return false;
  }
  const std::vector<const Shape*> results = ArraysOf(instruction.shape());
  return !results.empty() && absl::c_all_of(results, [](const Shape* shape) {
    return shape->IsArray() && shape->is_static();
  });
}

bool IsEmptyOrDynamic(const Shape& shape) {
  return shape.IsArray() && (!shape.is_static() || ShapeUtil::IsZeroElementArray(shape));
}

// What has no elements has no halo either, of dynamic sizes nobody knows where they lie, and some
// numbers have no zero that could lie outside.
void KeepHalosAway(const HloInstruction& instruction, LoopMap& map) {
  bool is_kept = absl::c_any_of(ArraysOf(instruction.shape()),
                                [](const Shape* shape) { return IsEmptyOrDynamic(*shape); });
  for (const HloInstruction* operand : instruction.operands()) {
    is_kept = is_kept || IsEmptyOrDynamic(operand->shape()) ||
              (map.outside == LoopMap::Outside::kZero && !HasZero(operand->shape().element_type()));
  }
  for (LoopMap::Loop& loop : map.loops) {
    if (is_kept && loop.kind == Kind::kNear) loop.kind = Kind::kShift;
  }
}

// Which elements of an array of dynamic size count, a part does not say.
void KeepDynamicWhole(const HloInstruction& instruction, LoopMap& map) {
  for (size_t i = 0; i < map.operands.size(); ++i) {
    const Shape& shape = instruction.operand(static_cast<int64_t>(i))->shape();
    for (size_t d = 0; d < map.operands[i].size(); ++d) {
      if (!shape.is_dynamic_dimension(static_cast<int>(d))) continue;
      for (const int loop : map.operands[i][d]) map.loops[loop].kind = Kind::kShift;
    }
  }
}

bool Describe(MapBuilder& builder) {
  const HloInstruction& instruction = builder.instruction();
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
      MapBroadcast(builder);
      return true;
    case HloOpcode::kTranspose:
      MapTranspose(builder);
      return true;
    case HloOpcode::kReshape:
      MapReshape(builder);
      return true;
    case HloOpcode::kReduce:
      MapReduce(builder);
      return true;
    case HloOpcode::kDot:
      MapDot(builder);
      return true;
    case HloOpcode::kConvolution:
      MapConvolution(builder);
      return true;
    case HloOpcode::kSlice:
      MapFullDimensions(builder);
      return true;
    case HloOpcode::kDynamicSlice:
      MapDynamicSlice(builder);
      return true;
    case HloOpcode::kDynamicUpdateSlice:
      MapDynamicUpdateSlice(builder);
      return true;
    case HloOpcode::kConcatenate:
      MapConcatenate(builder);
      return true;
    case HloOpcode::kPad:
      MapPad(builder);
      return true;
    case HloOpcode::kReverse:
      MapReverse(builder);
      return true;
    case HloOpcode::kSort:
      MapSort(builder);
      return true;
    case HloOpcode::kReduceWindow:
      MapReduceWindow(builder);
      return true;
    case HloOpcode::kSelectAndScatter:
      MapSelectAndScatter(builder);
      return true;
    case HloOpcode::kGather:
      MapGather(builder);
      return true;
    case HloOpcode::kScatter:
      MapScatter(builder);
      return true;
    case HloOpcode::kCholesky:
    case HloOpcode::kTriangularSolve:
      MapLeading(builder, 2);
      return true;
    case HloOpcode::kFft:
      MapLeading(builder, static_cast<int64_t>(instruction.fft_length().size()),
                 /*shifts_last=*/true);
      return true;
    case HloOpcode::kTopK:
      MapLeading(builder, 1);
      return true;
    case HloOpcode::kIota:
    case HloOpcode::kConstant:
      if (!instruction.shape().IsArray()) return false;
      builder.OneLoopForEachResultDimension();
      return true;
    case HloOpcode::kBitcastConvert:
      if (!ShapeUtil::SameDimensions(instruction.operand(0)->shape(), instruction.shape()))
        return false;
      MapElements(builder);
      return true;
    case HloOpcode::kCustomCall:
      if (instruction.operand_count() != 1) return false;
      MapElements(builder);
      return true;
    case HloOpcode::kAllReduce:
    case HloOpcode::kCollectivePermute:
      if (instruction.operand_count() != 1) return false;
      MapElements(builder);
      return true;
    default:
      if (!HasTrait(instruction.opcode(), kElementwise)) return false;
      MapElements(builder);
      return true;
  }
}

}  // namespace

LoopMap LoopMapOf(const HloInstruction& instruction) {
  if (!IsTaken(instruction)) return {};
  if (instruction.opcode() == HloOpcode::kCustomCall &&
      !instruction.IsCustomCall("LayoutConstraint"))
    return MapOfCall(instruction);
  MapBuilder builder(instruction);
  if (!Describe(builder)) return {};
  FollowIndexMaps(builder);
  KeepHalosAway(instruction, builder.map());
  KeepDynamicWhole(instruction, builder.map());
  return std::move(builder.map());
}

// Whether each element of the result is made of those at the same place of all operands.
bool HasLikeElements(const HloInstruction& instruction) {
  const Shape& shape = instruction.shape();
  return HasTrait(instruction.opcode(), kElementwise) && shape.IsArray() && shape.is_static() &&
         absl::c_all_of(instruction.operands(), [&](const HloInstruction* operand) {
           return operand->shape().IsArray() && operand->shape().is_static() &&
                  ShapeUtil::SameDimensions(operand->shape(), shape);
         });
}

LoopMaps::LoopMaps(const HloModule& module) {
  const LoopMap& unknown = all_.emplace_back();
  maps_.reserve(module.instruction_count());
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      const LoopMap*& own = maps_[instruction];
      if (HasLikeElements(*instruction)) {
        own = &OfElements(instruction->shape(), instruction->operand_count());
        continue;
      }
      LoopMap map = LoopMapOf(*instruction);
      own = map.IsUnknown() ? &unknown : &all_.emplace_back(std::move(map));
    }
  }
}

const LoopMap& LoopMaps::OfElements(const Shape& shape, int64_t operand_count) {
  const DimensionVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  const LoopMap*& known = of_elements_[{sizes, operand_count}];
  if (known != nullptr) return *known;
  LoopMap& map = all_.emplace_back();
  map.results.emplace_back();
  for (size_t i = 0; i < sizes.size(); ++i) {
    map.loops.push_back({sizes[i], Kind::kEach});
    map.results[0].push_back({static_cast<int>(i)});
  }
  map.operands.assign(operand_count, map.results[0]);
  map.is_taken_once.assign(operand_count, false);
  known = &map;
  return map;
}

}  // namespace xla::passes
